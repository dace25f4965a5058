//! `cargo x fuzz [TARGET] [SECONDS] [SEED] [NUMBER]`: runs one target, or each in turn.

use std::process::ExitCode;
use std::time::Duration;

use fuzz::{Extent, TARGETS, run};

fn main() -> ExitCode {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let named = words.first().is_some_and(|word| word.parse::<u64>().is_err());
    let name = named.then(|| words.remove(0));
    let number = |place: usize| words.get(place).map(|word| word.parse::<u64>());
    let (Ok(seconds), Ok(seed), Ok(only)) =
        (number(0).unwrap_or(Ok(60)), number(1).unwrap_or_else(|| Ok(from_clock())), number(2).transpose())
    else {
        eprintln!("fuzz: [TARGET] [SECONDS] [SEED] [NUMBER]; the last three are numbers.");
        return ExitCode::FAILURE;
    };
    let chosen: Vec<_> =
        TARGETS.iter().filter(|target| name.as_deref().is_none_or(|name| name == target.name)).collect();
    if chosen.is_empty() {
        let names: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
        eprintln!("fuzz: there is no target {}; there are {}.", name.unwrap_or_default(), names.join(", "));
        return ExitCode::FAILURE;
    }
    let mut failures = 0;
    for target in chosen {
        let (first, extent) = match only {
            Some(number) => (number, Extent::Inputs(1)),
            None => (0, Extent::Time(Duration::from_secs(seconds))),
        };
        match run(target, seed, first, extent) {
            Ok(count) => println!("fuzz {}: {count} inputs clean (seed {seed}): {}", target.name, target.about),
            Err(failed) => {
                failures += 1;
                let what = if failed.hung { "hung" } else { "panicked" };
                let (name, number) = (target.name, failed.number);
                println!("fuzz {name}: {what} on input {number}; repeat it: cargo x fuzz {name} 1 {seed} {number}");
            }
        }
    }
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A seed from the host's clock, in seconds.
fn from_clock() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(1, |time| time.as_secs())
}
