//! Every line of every `.vec` file.

use isa::Exception;
use std::collections::{BTreeMap, BTreeSet};
use vectors::file::{Item, parse, print};
use vectors::run::{Runner, check, disassemble};

/// Instructions that store what is no operand of their own, at real addresses, as far as what is in storage says, or in
/// other operands as a function code says.
const ELSEWHERE: [&str; 8] = ["EX", "EXRL", "MVST", "PLO", "PQAP", "STFL", "STURA", "STURG"];

fn read(path: &std::path::Path) -> Vec<Item> {
    let text = std::fs::read_to_string(path).expect("the file can be read");
    parse(&text).unwrap_or_else(|why| panic!("{}, {why}", path.display()))
}

#[test]
fn every_line_does_what_it_says() {
    if std::env::var_os("BLESS").is_some() {
        return bless();
    }
    let mut runners = BTreeMap::new();
    let mut wrong = Vec::new();
    let mut cases = 0;
    for path in vectors::files().expect("the vectors can be listed") {
        for item in read(&path) {
            let Item::Vector(vector) = item else { continue };
            cases += vector.cases.len();
            for text in check(&vector, &mut runners) {
                wrong.push(format!("{}:{text}\n      {}", path.display(), vector.header()));
            }
        }
    }
    println!("{cases} cases");
    let shown: Vec<_> = wrong.iter().take(40).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} lines are wrong:\n{}", wrong.len(), shown.join("\n"));
}

/// As part of a program, translated at once and interpreted, each line does the same.
#[test]
fn every_line_does_the_same_on_both_engines() {
    let mut runners: BTreeMap<_, [Runner; 2]> = BTreeMap::new();
    let mut wrong = Vec::new();
    for path in vectors::files().expect("the vectors can be listed") {
        for item in read(&path) {
            let Item::Vector(vector) = item else { continue };
            for mode in &vector.modes {
                let runners = runners.entry(*mode).or_insert_with(|| [0, 1].map(|n| Runner::translating(*mode, n)));
                for case in &vector.cases {
                    let [here, there] = runners
                        .each_mut()
                        .map(|runner| runner.passed(&vector.text, &case.before).expect("the case can be set up"));
                    if let Some(what) = here.difference(&there) {
                        let line = format!("{}:{}: {}", path.display(), case.line, vector.header());
                        wrong.push(format!("{line}\n      {}\n      translated {what}", case.text().trim()));
                    }
                }
            }
        }
    }
    assert!(engine::statistics().executed > 10_000, "most of it was executed as host code");
    let shown: Vec<_> = wrong.iter().take(40).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} lines differ:\n{}", wrong.len(), shown.join("\n"));
}

/// What an instruction changes in storage lies where its row says, as TRACE tells it.
#[test]
fn instructions_store_where_their_rows_say() {
    let mut runners: BTreeMap<_, Runner> = BTreeMap::new();
    let (mut wrong, mut looked, mut stored) = (Vec::new(), 0, BTreeSet::new());
    for path in vectors::files().expect("the vectors can be listed") {
        for item in read(&path) {
            let Item::Vector(vector) = item else { continue };
            let row = isa::instructions().find(|row| row.mnemonic == vector.mnemonic).expect("a row");
            // Tables, frames, and the block that general register 1 names, are no operands.
            let others = |why| matches!(why, Exception::Frame(_) | Exception::Store(0));
            if row.outcome.exceptions().any(others) || ELSEWHERE.contains(&row.mnemonic) {
                continue;
            }
            for mode in &vector.modes {
                let runner = runners.entry(*mode as u8).or_insert_with(|| Runner::new(*mode));
                for case in &vector.cases {
                    let found = runner.stored_elsewhere(&vector.text, &case.before).expect("the case can be set up");
                    let Some((changed, elsewhere)) = found else { continue };
                    looked += 1;
                    if changed > 0 {
                        stored.insert(vector.mnemonic.clone());
                    }
                    if !elsewhere.is_empty() {
                        let line = format!("{}:{}: {}", path.display(), case.line, vector.header());
                        wrong.push(format!("{line}\n      {}\n      {elsewhere:X?}", case.text().trim()));
                    }
                }
            }
        }
    }
    println!("{looked} cases; {} instructions have stored something", stored.len());
    let shown: Vec<_> = wrong.iter().take(40).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} lines store elsewhere:\n{}", wrong.len(), shown.join("\n"));
    assert!(stored.len() > 100, "most instructions that store have a line in which they do");
}

/// Writes what the processor does in the first mode of each vector into the files.
fn bless() {
    let mut runners: BTreeMap<_, Runner> = BTreeMap::new();
    for path in vectors::files().expect("the vectors can be listed") {
        let mut items = read(&path);
        for item in &mut items {
            let Item::Vector(vector) = item else { continue };
            let mode = *vector.modes.first().expect("a vector has a mode");
            vector.disassembly = disassemble(&vector.text, mode).expect("the instruction exists");
            let runner = runners.entry(mode as u8).or_insert_with(|| Runner::new(mode));
            for case in &mut vector.cases {
                if runner.check(&vector.text, case).is_err() {
                    case.after = runner.actual(&vector.text, &case.before).expect("the case can be set up");
                }
            }
        }
        std::fs::write(&path, print(&items)).expect("the file can be written");
    }
}

#[test]
fn every_built_instruction_has_a_line() {
    let mut named = BTreeSet::new();
    for path in vectors::files().expect("the vectors can be listed") {
        for item in read(&path) {
            if let Item::Vector(vector) = item {
                named.insert(vector.mnemonic);
            }
        }
    }
    let built = isa::instructions().filter(|row| row.run.is_some());
    let missing: Vec<_> = built.map(|row| row.mnemonic).filter(|m| !named.contains(*m)).collect();
    assert!(missing.is_empty(), "{} built instructions have no vector: {}", missing.len(), missing.join(" "));
}
