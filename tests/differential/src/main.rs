//! `oracle [GROUP] [--seed N] [--count N]`: compares our processor, on both engines, with QEMU and prints what differs.

use differential::{campaign, hercules, propose, qemu};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;
use vectors::coverage::{Need, lacks};
use vectors::file::{Item, parse, print};

const HELP: &str = "oracle [GROUP] [--seed N] [--count N]
  GROUP   a chapter (general, bfp, decimal, hfp, control) or mnemonics with commas between; all if left out
  --seed  where the random numbers begin (1)
  --hercules  instead, 4000 single instructions against Hercules, where QEMU is silent
  --vectors FOLDER  instead, add vectors that the oracle confirms, for condition codes and exceptions without a line
  --count how many sequences of instructions (200000)";

fn main() -> ExitCode {
    let mut group = None;
    let mut vectors = None;
    let mut second = false;
    let (mut seed, mut count) = (1, 200_000);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|n| n.parse().ok());
        match word.as_str() {
            "--seed" => match number() {
                Some(n) => seed = n,
                None => return usage(),
            },
            "--count" => match number() {
                Some(n) => count = n as usize,
                None => return usage(),
            },
            "--hercules" => second = true,
            "--vectors" => match words.next() {
                Some(folder) => vectors = Some(folder),
                None => return usage(),
            },
            _ if word.starts_with('-') => return usage(),
            _ => group = Some(word),
        }
    }
    if second {
        return second_opinion(&group.unwrap_or("decimal".to_string()), seed, count);
    }
    let qemu = match qemu::find() {
        Ok(qemu) => qemu,
        Err(why) => {
            println!("oracle: skipped, {why}");
            return ExitCode::SUCCESS;
        }
    };
    if let Some(folder) = vectors {
        return match propose(&qemu, group.as_deref(), seed, Path::new(&folder)) {
            Ok(count) => {
                println!("{count} vectors added in {folder}");
                ExitCode::SUCCESS
            }
            Err(why) => {
                eprintln!("oracle: {why}");
                ExitCode::FAILURE
            }
        };
    }
    match campaign::run(&qemu, group.as_deref(), seed, count) {
        Ok(mut report) => {
            // Many tests find the same: at most two of each instruction are shown.
            let mut shown = BTreeMap::new();
            for difference in report.differences.iter_mut().take(200) {
                if let Err(why) = campaign::shrink(&qemu, difference) {
                    println!("oracle: {why}");
                }
                let guilty = difference.sequence.units.last().map(|unit| campaign::name(unit));
                let times = shown.entry(guilty).or_insert(0);
                *times += 1;
                if *times <= 2 {
                    println!("{}", difference.text());
                }
            }
            for (guilty, times) in shown {
                println!("{times:5} {}", guilty.unwrap_or_default());
            }
            println!("{}", report.summary());
            if report.by_mnemonic.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(why) => {
            eprintln!("oracle: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Prints where Hercules and we differ.
fn second_opinion(group: &str, seed: u64, count: usize) -> ExitCode {
    let Some(hercules) = hercules::find() else {
        println!("oracle: skipped, hercules is not installed");
        return ExitCode::SUCCESS;
    };
    match campaign::second_opinion(&hercules, group, seed, count) {
        Ok(lines) => lines.iter().for_each(|line| println!("{line}")),
        Err(why) => eprintln!("oracle: {why}"),
    }
    ExitCode::SUCCESS
}

/// Adds proposed vectors to the files of `folder`, for what has no line.
fn propose(qemu: &Path, group: Option<&str>, seed: u64, folder: &Path) -> Result<usize, String> {
    let path = |name: &str| folder.join(format!("{name}.vec"));
    let read = |path: &Path| match std::fs::read_to_string(path) {
        Ok(text) => parse(&text).map_err(|why| format!("{}, {why}", path.display())),
        Err(_) => Ok(Vec::new()),
    };
    let mut files: BTreeMap<&str, Vec<Item>> = BTreeMap::new();
    for (name, _) in propose::FAMILIES {
        files.insert(name, read(&path(name))?);
    }
    let lacks = lacks(isa::instructions(), &vectors::all_vectors());
    let wanted: BTreeMap<String, BTreeSet<Need>> = lacks
        .into_iter()
        .filter(|(_, needs)| !needs.is_empty())
        .map(|(row, needs)| (row.mnemonic.to_string(), needs.into_iter().collect()))
        .collect();
    let proposed = propose::propose(qemu, group, seed, &wanted).map_err(|why| why.to_string())?;
    let count = proposed.len();
    for vector in proposed {
        let name = propose::family(&vector.mnemonic);
        files.get_mut(name).expect("every family has a file").push(Item::Vector(vector));
    }
    for (name, title) in propose::FAMILIES {
        let items = &mut files.get_mut(name).expect("every family has a file");
        if items.is_empty() {
            continue;
        }
        if !matches!(items[0], Item::Comment(_)) {
            items.insert(0, Item::Comment(format!("# {title}.")));
        }
        std::fs::write(path(name), print(items)).map_err(|why| why.to_string())?;
    }
    Ok(count)
}

fn usage() -> ExitCode {
    eprintln!("{HELP}");
    ExitCode::from(2)
}
