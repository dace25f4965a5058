//! Real programs (`benches/real`): gcc, Java, Python, git and others as Debian packages them, each by the guest's own
//! clock. They are fetched, some 120 MB, so they run only where `real` is asked for; names of tests after it choose
//! some.

use super::machine::{Load, Machine};
use super::{Goal, Results, Row, Wish, booted, mean_row, pair};
use crate::host::Outcome;
use crate::real;

/// The guest's storage in MiB: the file system is in it, and so is what the programs make.
const MEMORY_MIB: u64 = 4096;

/// What a program's time should be, as a part of QEMU's; for the others, less than that.
const GOALS: [(&str, f64); 2] = [("cc", 0.71), ("java", 0.83)];
/// And the geometric mean of all.
const MEAN: f64 = 0.5;

/// The tests that are asked for: none without `real`, all if none is named.
pub(super) fn wanted(items: &[String]) -> Outcome<Vec<String>> {
    if !items.iter().any(|item| item == "real") {
        return Ok(Vec::new());
    }
    let all = real::tests()?;
    let named: Vec<String> = all.iter().filter(|test| items.contains(test)).cloned().collect();
    Ok(if named.is_empty() { all } else { named })
}

/// A row for each of these tests against QEMU, and their geometric mean.
pub(super) fn programs(wish: &Wish, load: &Load, tests: &[String]) -> Outcome<Vec<Row>> {
    let load = Load { initrd: real::prepare()?, memory: MEMORY_MIB, ..load.clone() };
    let mode = format!("vmr.tests={}", tests.join(","));
    let mut results = Results::default();
    for number in 1..=wish.rounds {
        for machine in pair(wish, Machine::Qemu) {
            let (running, _) = booted(machine, &load, &mode)?;
            results.take(machine, running, &format!("{number}/{} real", wish.rounds))?;
        }
    }
    let mut rows: Vec<Row> = Vec::new();
    for test in tests {
        let goal = GOALS.iter().find(|(name, _)| name == test).map_or(Goal::Faster, |&(_, part)| Goal::Ratio(part));
        let row = results.samples.row(test, "s", Machine::Qemu, goal);
        rows.push(Row { item: format!("real {test}"), ..row });
    }
    let ratios: Vec<f64> = rows.iter().filter_map(Row::ratio).collect();
    // The goal is that of all tests: a few are far from the mean.
    if tests.len() == real::tests()?.len() {
        rows.extend(mean_row("mean, real programs", Machine::Qemu, &ratios, MEAN));
    }
    Ok(rows)
}
