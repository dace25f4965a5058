//! The table of operation codes of CMS's assembler, from the instruction table: `guest/cms/assemble/opcodes.c`.

use std::fmt::Write;

use isa::{Format, Instruction};

/// Formats that the assembler does not have: those of vectors, and two with a third operand that no other has.
fn known(format: Format) -> bool {
    let name = format!("{format:?}");
    !name.starts_with('V') && !matches!(format, Format::MII | Format::SMI)
}

/// The operands as the manual lists them, with U for immediates without a sign; what only newer variants have is left
/// out.
fn operands(row: &Instruction) -> String {
    let mut list = row.operands().to_owned();
    while let (Some(from), Some(to)) = (list.find('<'), list.find('>')) {
        list.replace_range(from..=to, "");
    }
    let adds = matches!(row.mnemonic, "ASI" | "AGSI" | "ALSI" | "ALGSI");
    let unsigned = match row.format {
        Format::SI | Format::SIY => !adds,
        Format::I | Format::SSc | Format::RIEf => true,
        _ => row.is_logical() || matches!(row.mnemonic, "TBEGIN" | "TBEGINC"),
    };
    if unsigned { list.replace("RI2", "#").replace('I', "U").replace('#', "RI2") } else { list }
}

/// Names in the order of EBCDIC: digits after letters.
fn key(name: &str) -> Vec<u8> {
    name.bytes().map(|byte| if byte.is_ascii_digit() { byte + 0x80 } else { byte }).collect()
}

/// The file.
pub(crate) fn table() -> String {
    let mut rows: Vec<&Instruction> = isa::instructions().filter(|row| known(row.format)).collect();
    rows.retain(|row| row.mnemonic.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    rows.sort_by_key(|row| key(row.mnemonic));
    let mut lists: Vec<String> = rows.iter().map(|row| operands(row)).collect();
    lists.sort();
    lists.dedup();
    let mut text = String::from(
        "/* The machine's instructions, made by `make docs` from the processor's table (processor/isa/src/table). */\n\
         #include \"opcodes.h\"\n\nconst struct opcode opcodes[] = {\n",
    );
    for rows in rows.chunks(3) {
        let cells = rows.iter().map(|row| {
            let list = lists.binary_search(&operands(row)).expect("each list is in the lists");
            format!("{{ \"{}\", 0x{:02x}, FORMAT_{:?}, {list} }},", row.mnemonic, row.code, row.format)
        });
        let _ = writeln!(text, "    {}", cells.collect::<Vec<_>>().join(" "));
    }
    text += "};\n\nconst u32 opcode_count = COUNT_OF(opcodes);\n\nconst char *const operand_lists[] = {\n";
    for list in &lists {
        let _ = writeln!(text, "    \"{list}\",");
    }
    text += "};\n";
    text
}

#[cfg(test)]
mod tests {
    use super::table;

    /// `make docs` makes it anew.
    #[test]
    fn the_assembler_knows_what_the_processor_knows() {
        let there = include_str!("../../guest/cms/assemble/opcodes.c");
        assert!(there == table(), "guest/cms/assemble/opcodes.c is not what the instruction table says: make docs");
    }
}
