//! Our disassembler against GNU objdump, for every row of the table that both know.

use cpu::Architecture;
use differential::encode::{self, Field, put_field};
use std::collections::BTreeMap;
use std::process::Command;

const TOOL: &str = "s390x-linux-gnu-objdump";

/// What objdump calls a branch on these condition codes, for masks 0-15.
const CONDITIONS: [&str; 16] =
    ["", "o", "h", "nle", "l", "nhe", "lh", "ne", "e", "nlh", "he", "nl", "le", "nh", "no", ""];

/// Objdump's lines for `texts`, each at a multiple of 8, in one of its machines; none if it is not installed.
fn objdump(texts: &[Vec<u8>], machine: &str) -> Option<BTreeMap<usize, String>> {
    let mut bytes = Vec::new();
    for text in texts {
        bytes.extend_from_slice(text);
        // NOPR up to the next doubleword.
        (text.len()..8).step_by(2).for_each(|_| bytes.extend_from_slice(&[0x07, 0x00]));
    }
    let name = format!("endicott-objdump-{}-{}", std::process::id(), machine.replace(':', "-"));
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, bytes).expect("a temporary file can be written");
    let output = Command::new(TOOL).args(["-D", "-z", "-EB", "-b", "binary", "-m", machine]).arg(&file).output();
    let _ = std::fs::remove_file(&file);
    let output = output.ok()?;
    let mut lines = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let mut parts = line.splitn(3, '\t');
        let (Some(address), Some(_), Some(text)) = (parts.next(), parts.next(), parts.next()) else { continue };
        if let Ok(at) = usize::from_str_radix(address.trim().trim_end_matches(':'), 16) {
            lines.insert(at, text.replace('\t', " ").trim().to_string());
        }
    }
    Some(lines)
}

/// Our line as objdump would print it at `at`: its mnemonic, absolute targets.
fn as_objdump(line: &str, at: usize) -> String {
    let (mnemonic, operands) = line.split_once(' ').unwrap_or((line, ""));
    let mut list: Vec<String> = Vec::new();
    let mut depth = 0;
    for c in operands.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if c == ',' && depth == 0 {
            list.push(String::new());
        } else {
            match list.last_mut() {
                Some(last) => last.push(c),
                None => list.push(c.to_string()),
            }
        }
    }
    for operand in &mut list {
        if let Some(distance) = operand.strip_prefix('*') {
            let distance: i64 = distance.parse().expect("a distance is a number");
            *operand = format!("0x{:x}", (at as i64 + distance) as u64);
        }
    }
    let mut name = mnemonic.to_lowercase();
    // Extended mnemonics for the mask.
    let mut condition = |place: usize| {
        let mask: usize = list.remove(place).parse().expect("a mask is a number");
        CONDITIONS[mask]
    };
    match mnemonic {
        // The later names of the same instructions.
        "CUUTF" => name = "cu21".to_string(),
        "CUTFU" => name = "cu12".to_string(),
        "BC" => name = format!("b{}", condition(0)),
        "BCR" => name = format!("b{}r", condition(0)),
        "BRC" => name = format!("j{}", condition(0)),
        "BRCL" => name = format!("jg{}", condition(0)),
        "BIC" => name = format!("bi{}", condition(0)),
        "LOC" | "LOCG" | "LOCR" | "LOCGR" | "STOC" | "STOCG" | "LOCHI" | "LOCGHI" | "LOCHHI" | "LOCFH" | "LOCFHR"
        | "STOCFH" => {
            // LOCHI's mask stands last in objdump's order as in ours.
            name = format!("{name}{}", condition(2));
        }
        "SELR" | "SELGR" | "SELFHR" => name = format!("{name}{}", condition(3)),
        _ => {}
    }
    format!("{name} {}", list.join(",")).trim().to_string()
}

/// Objdump's line without register prefixes and symbols.
fn plain(line: &str) -> String {
    let mut out = line.split(" <").next().unwrap_or(line).to_string();
    for prefix in ["%r", "%f", "%a", "%c", "%v"] {
        out = out.replace(prefix, "");
    }
    out.trim().to_string()
}

#[test]
fn every_row_reads_as_objdump_prints_it() {
    let rows: Vec<_> = isa::instructions()
        .filter(|row| row.architectures.include(Architecture::Z) || row.architectures.include(Architecture::Esa))
        .collect();
    let mut texts = Vec::new();
    for row in &rows {
        let mut text = encode::blank(row);
        let vector = matches!(text[0], 0xe6 | 0xe7);
        for field in encode::fields(row) {
            let value = match field.0 {
                Field::R1 => 4,
                Field::R2 | Field::X2 => 9,
                Field::R3 => 6,
                Field::V1 => 20,
                Field::V2 => 9,
                Field::V3 => 22,
                Field::V4 => 27,
                // Of vector instructions those that have no mnemonics of their own.
                Field::M3 | Field::M4 if vector => 7,
                Field::M5 => 6,
                Field::M6 => 11,
                Field::M3 => 5,
                Field::M4 => 3,
                Field::B1 => 12,
                Field::B2 => 13,
                Field::D1 => 0x123,
                Field::D2 => 0x456,
                Field::L => 0xa,
                Field::L1 => 2,
                Field::L2 => 7,
                Field::RI2 => 0xff0,
                Field::I2 => 0x97,
                Field::I3 => 0x11,
                Field::I4 => 0x22,
                Field::I5 => 0x33,
            };
            put_field(&mut text, field, value & ((1 << field.2) - 1));
        }
        texts.push(text);
    }
    let Some(z) = objdump(&texts, "s390:64-bit") else {
        return println!("skipped: {TOOL} is not installed");
    };
    let esa = objdump(&texts, "s390:31-bit").expect("it ran before");
    let mut wrong = Vec::new();
    let (mut same, mut unknown) = (0, Vec::new());
    for (n, row) in rows.iter().enumerate() {
        let mut six = [0; 6];
        six[..texts[n].len()].copy_from_slice(&texts[n]);
        let at = 8 * n;
        let lines = if row.architectures.include(Architecture::Z) { &z } else { &esa };
        let theirs = plain(lines.get(&at).map_or("", String::as_str));
        let ours = row.disassemble(six);
        if theirs.starts_with('.') || theirs.is_empty() {
            unknown.push(row.mnemonic);
        } else if as_objdump(&ours, at) == theirs {
            same += 1;
        } else {
            wrong.push(format!("{ours}    objdump: {theirs}"));
        }
    }
    println!("{same} rows agree; objdump does not know {}", unknown.join(" "));
    assert!(wrong.is_empty(), "{} rows differ:\n{}", wrong.len(), wrong.join("\n"));
}
