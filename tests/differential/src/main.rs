//! `oracle [GROUP] [--seed N] [--count N]`: compares our processor with QEMU and prints what differs.

use differential::{campaign, qemu};
use std::collections::BTreeMap;
use std::process::ExitCode;

const HELP: &str = "oracle [GROUP] [--seed N] [--count N]
  GROUP   a chapter (general, bfp, decimal, hfp, control) or mnemonics with commas between; all if left out
  --seed  where the random numbers begin (1)
  --count how many sequences of instructions (200000)";

fn main() -> ExitCode {
    let mut group = None;
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
            _ if word.starts_with('-') => return usage(),
            _ => group = Some(word),
        }
    }
    let qemu = match qemu::find() {
        Ok(qemu) => qemu,
        Err(why) => {
            println!("oracle: skipped, {why}");
            return ExitCode::SUCCESS;
        }
    };
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

fn usage() -> ExitCode {
    eprintln!("{HELP}");
    ExitCode::from(2)
}
