//! Clauses a second beside Regina's: a mix of clauses like the one that the measure REXXCPS made known (assignments,
//! loops, comparisons, SELECT, PARSE, stems, calls), written for this project. `cargo bench -p rexx`.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// One turn of its outer loop is 150 clauses; `tests/cms/benches` runs it in CMS.
const PROGRAM: &str = include_str!("clauses.rex");
const CLAUSES: f64 = 150.0;

/// Processor time of the children that have ended, in hundredths of a second: the load of the machine doesn't count.
fn children() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks: u64 = [13, 14].iter().filter_map(|&i| fields.get(i)?.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

fn time(command: &mut Command) -> Option<Duration> {
    let (before, begun) = (children(), Instant::now());
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status().ok()?;
    let used = children() - before;
    status.success().then_some(if used.is_zero() { begun.elapsed() } else { used })
}

fn main() {
    // `cargo test --benches` runs this too, and only wants to know that it runs.
    let turns = if std::env::args().any(|a| a == "--bench") { 60_000 } else { 500 };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let ours = rexx::build(folder, "clauses", &["-O2"]);
    let program = folder.join("clauses.rex");
    std::fs::write(&program, PROGRAM).expect("a writable folder");
    let clauses = CLAUSES * f64::from(turns);
    let turns = turns.to_string();
    let mine = (0..3).filter_map(|_| time(Command::new(&ours).arg(&program).arg(&turns))).min().expect("it runs");
    println!("rexx: {:.0} clauses a second", clauses / mine.as_secs_f64());
    let regina = (0..3).filter_map(|_| time(Command::new("regina").arg(&program).arg(&turns))).min();
    match regina {
        Some(regina) => println!(
            "regina: {:.0} clauses a second; our time is {:.2} of its (goal: at most 3)",
            clauses / regina.as_secs_f64(),
            mine.as_secs_f64() / regina.as_secs_f64()
        ),
        None => println!("regina-rexx is not installed: no ratio"),
    }
    rexx::forget(&ours);
}
