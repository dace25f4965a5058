//! Every condition code and every program exception that the instruction table names has a line.
//!
//! What is still missing is in `missing/CHAPTER.txt`, a line for each instruction: its mnemonic and what it lacks. A
//! line that begins with `*` names instructions of which nothing is demanded yet, built or not. These lists may only
//! become shorter: the test fails if a line exists for what is listed.
//!
//! **How to add lines.** Say in the instruction's row what it can end in (`processor/isa/src/outcome.rs` has the
//! letters).
//! `LINES=1 cargo test -p vectors --test coverage` writes the lines that follow from that alone to `exceptions.vec` in
//! the chapter's folder. Write the others, and those for condition codes, by hand into any `.vec` file: bytes,
//! disassembly, what is set before, what is different after (`tests/vectors/src/file.rs`); what they expect comes from
//! the manual or from the oracle (`cargo x oracle --vectors`). Then take the instruction off the list.

use cpu::{Architecture, Facilities};
use isa::{Instruction, table};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use vectors::coverage::{Need, lacks, needs, unsaid};
use vectors::file::{Item, parse, print};
use vectors::{all_vectors, mechanical};

/// Chapters of the table: the name of the list, the folder of new lines, the rows.
const CHAPTERS: [(&str, &str, &[Instruction]); 9] = [
    ("general", "general", table::general::ROWS),
    ("decimal", "decimal", table::decimal::ROWS),
    ("hfp", "hfp", table::hfp::ROWS),
    ("bfp", "bfp", table::bfp::ROWS),
    ("dfp", "dfp", table::dfp::ROWS),
    ("vector", "vector", table::vector::ROWS),
    ("control", "control", table::control::ROWS),
    ("io", "control", table::io::ROWS),
    ("s370", "s370", table::s370::ROWS),
];

/// A list of what is missing: words by mnemonic.
fn listed(chapter: &str) -> BTreeMap<String, BTreeSet<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("missing").join(format!("{chapter}.txt"));
    let Ok(text) = std::fs::read_to_string(path) else { return BTreeMap::new() };
    let mut list: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in text.lines().map(|line| line.split('#').next().unwrap_or_default()) {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("*") => list.extend(words.map(|name| (name.to_string(), BTreeSet::from(["*".to_string()])))),
            Some(name) => list.entry(name.to_string()).or_default().extend(words.map(str::to_string)),
            None => {}
        }
    }
    list
}

#[test]
fn every_condition_code_and_exception_has_a_line() {
    if std::env::var_os("LINES").is_some() {
        return write_lines();
    }
    let all = all_vectors();
    let mut wrong = Vec::new();
    let (mut demanded, mut excused) = (0, 0);
    for (chapter, _, rows) in CHAPTERS {
        let mut list = listed(chapter);
        for (row, missing) in lacks(rows, &all) {
            let allowed = list.remove(row.mnemonic).unwrap_or_default();
            demanded += needs(row, false).len();
            if !row.outcome.stated {
                if !allowed.contains("*") {
                    wrong.push(format!("{} is built, and its row does not say what it can end in", row.mnemonic));
                }
                continue;
            }
            if allowed.contains("*") {
                excused += missing.len();
                if missing.is_empty() {
                    wrong.push(format!("{} has all its lines: take it off missing/{chapter}.txt", row.mnemonic));
                }
                continue;
            }
            let missing: BTreeSet<String> = missing.iter().map(Need::to_string).collect();
            excused += allowed.intersection(&missing).count();
            for need in missing.difference(&allowed) {
                wrong.push(format!("{} has no line for {need}", row.mnemonic));
            }
            for need in allowed.difference(&missing) {
                wrong.push(format!("{} needs no excuse for {need}: take it off missing/{chapter}.txt", row.mnemonic));
            }
        }
        for (name, words) in list {
            let known = rows.iter().any(|row| row.mnemonic == name && row.run.is_none());
            if !known || !words.contains("*") {
                wrong.push(format!("{name} in missing/{chapter}.txt is no instruction that is built"));
            }
        }
    }
    println!("{demanded} condition codes and exceptions of built instructions; {excused} without a line");
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn no_line_shows_what_its_row_does_not_say() {
    let all = all_vectors();
    let mut wrong = Vec::new();
    for (_, _, rows) in CHAPTERS {
        for row in rows.iter().filter(|row| row.run.is_some() && row.outcome.stated) {
            for (path, vector) in all.get(row.mnemonic).into_iter().flatten() {
                for case in &vector.cases {
                    if let Some(what) = unsaid(row, vector, case) {
                        wrong.push(format!(
                            "{}:{}: {what}, which the row of {} does not say",
                            path.display(),
                            case.line,
                            row.mnemonic
                        ));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} lines:\n{}", wrong.len(), wrong.join("\n"));
}

/// The operation exception of each instruction that comes with a facility: without it there is no such instruction.
#[test]
fn without_its_facility_an_instruction_does_not_exist() {
    let all = [u64::MAX; 4];
    for row in isa::instructions() {
        let Some(bit) = row.facility.map(usize::from) else { continue };
        let mut text = [0; 6];
        let blank = vectors::encode::blank(row);
        text[..blank.len()].copy_from_slice(&blank);
        let mut fewer = all;
        fewer[bit / 64] &= !(1 << 63 >> (bit % 64));
        for mode in [Architecture::S370, Architecture::Esa, Architecture::Z] {
            // Another architecture may have another instruction there.
            let found = |list| {
                isa::decode(text, mode, &Facilities(list))
                    .map(|row| row.mnemonic)
                    .filter(|found| *found == row.mnemonic)
            };
            let here = row.architectures.include(mode).then_some(row.mnemonic);
            assert_eq!((found(all), found(fewer)), (here, None), "{} with facility {bit}", row.mnemonic);
        }
    }
}

/// Writes the lines that follow from the rows alone.
fn write_lines() {
    let all = all_vectors();
    for (chapter, folder, rows) in CHAPTERS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join("exceptions.vec");
        let mut items = match std::fs::read_to_string(&path) {
            Ok(text) => parse(&text).expect("the file is good"),
            Err(_) => vec![Item::Comment(
                "# Exceptions that follow from what the instruction table says of each row.".to_string(),
            )],
        };
        let before = items.len();
        for (row, missing) in lacks(rows, &all) {
            let lines: Vec<_> = all.get(row.mnemonic).into_iter().flatten().map(|(_, vector)| vector.clone()).collect();
            for need in missing {
                let Some(vector) = mechanical::line(row, need, &lines) else { continue };
                match items.iter_mut().rev().find_map(|item| match item {
                    Item::Vector(v) if v.text == vector.text && v.modes == vector.modes => Some(v),
                    _ => None,
                }) {
                    Some(v) => v.cases.extend(vector.cases),
                    None => items.push(Item::Vector(vector)),
                }
            }
        }
        if items.len() > before {
            std::fs::write(&path, print(&items)).expect("the file can be written");
            println!("{chapter}: {} new instructions in {}", items.len() - before, path.display());
        }
    }
}
