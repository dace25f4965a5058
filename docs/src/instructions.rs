//! The instruction reference: every row of the table, and whether it is built.

use std::fmt::Write;

use isa::outcome::letter;
use isa::{Architectures, Instruction, Outcome, table};

const CHAPTERS: [(&str, &[Instruction]); 9] = [
    ("General instructions", table::general::ROWS),
    ("Decimal instructions", table::decimal::ROWS),
    ("Hexadecimal floating point", table::hfp::ROWS),
    ("Binary floating point", table::bfp::ROWS),
    ("Decimal floating point", table::dfp::ROWS),
    ("Vector instructions", table::vector::ROWS),
    ("Control instructions", table::control::ROWS),
    ("I/O instructions", table::io::ROWS),
    ("System/370 only", table::s370::ROWS),
];

/// The page.
pub(crate) fn page() -> String {
    let mut page = String::from(
        "# Instructions\n\n\
         Made by `make docs` from the instruction table (`processor/isa/src/table/`). A row that is not built is \
         known and\n\
         ends in an operation exception. Chapters and order are those of the Principles of Operation.\n\n\
         `cc` is the condition codes it can set, `exceptions` what else it can end in, in letters as those of POP's \
         appendix B:\n\
         F1, S1 access exceptions of the first operand as it is fetched or stored (G: of what general register 1 \
         designates; R: at a\n\
         real address; K: addressing alone, KT that of tables; T: translation alone), E1 an odd register, X1 no pair \
         of floating-point registers, H2 to Q2 an address that is no multiple of\n\
         2 to 16, SP another specification exception, P privileged operation, SO special operation, OP operand, SS \
         space-switch event, EX execute, MO monitor event,\n\
         IF and IK fixed-point overflow and divide, D data, DF and DK decimal overflow and divide, EO EU LS FK SQ \
         those of hexadecimal floating point, Da Db Dt floating-point\n\
         registers that control register 0 denies, Xi Xz Xo Xu Xx the data exceptions of IEEE, DX compare and trap.\n\n\
         | chapter | rows | built |\n|---|---:|---:|\n",
    );
    let built = |rows: &[Instruction]| rows.iter().filter(|row| row.run.is_some()).count();
    for (chapter, rows) in CHAPTERS {
        let _ = writeln!(page, "| {chapter} | {} | {} |", rows.len(), built(rows));
    }
    let all: usize = CHAPTERS.iter().map(|(_, rows)| rows.len()).sum();
    let all_built: usize = CHAPTERS.iter().map(|(_, rows)| built(rows)).sum();
    let _ = writeln!(page, "| all | {all} | {all_built} |");
    for (chapter, rows) in CHAPTERS.iter().filter(|(_, rows)| !rows.is_empty()) {
        let _ = write!(
            page,
            "\n## {chapter}\n\n| code | name | format | since | facility | built | cc | exceptions |\n\
             |---|---|---|---|---:|---|---|---|\n"
        );
        for row in *rows {
            let facility = row.facility.map_or(String::new(), |bit| bit.to_string());
            let (name, since) = (row.mnemonic, architectures(row.architectures));
            let mark = if row.run.is_some() { "yes" } else { "" };
            let (codes, exceptions) = outcome(&row.outcome);
            let _ = writeln!(
                page,
                "| {:02X} | {name} | {:?} | {since} | {facility} | {mark} | {codes} | {exceptions} |",
                row.code, row.format
            );
        }
    }
    page
}

/// What an instruction can end in, as the table writes it.
fn outcome(outcome: &Outcome) -> (String, String) {
    let codes = outcome.codes().map(|code| code.to_string()).collect();
    let name = |exception| letter::ALL.iter().find(|(_, e)| *e == exception).map_or("", |(name, _)| name);
    let exceptions: Vec<_> = outcome.exceptions().map(name).collect();
    (codes, exceptions.join(" "))
}

/// The architectures that have an instruction, in the words of their manuals.
fn architectures(having: Architectures) -> &'static str {
    match having {
        Architectures::ALL => "S/370",
        Architectures::ESAZ => "ESA/390",
        Architectures::Z => "z/Architecture",
        Architectures::OLD => "S/370, ESA/390 only",
        Architectures::ESA => "ESA/390 only",
        Architectures::S370 => "S/370 only",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_is_on_the_page() {
        let page = page();
        for row in isa::instructions() {
            assert!(page.contains(&format!("| {} |", row.mnemonic)), "{} is missing", row.mnemonic);
        }
        assert_eq!(isa::instructions().count(), CHAPTERS.iter().map(|(_, rows)| rows.len()).sum::<usize>());
    }
}
