//! REXX clauses a second in CMS on each engine: the program that `cargo bench -p rexx` times on the host. `cargo bench
//! -p cms`.

use cms::system::Site;
use engine::Engine;
use std::path::PathBuf;
use std::time::Duration;

/// What each turn of its outer loop executes.
const CLAUSES: u32 = 150;

/// Slices enough for any number of turns.
const SLICES: u32 = u32::MAX;

/// Processor time of this process: the load of the host doesn't count.
fn used() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks: u64 = [11, 12].iter().filter_map(|&i| fields.get(i)?.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

/// Processor time of so many turns in a CMS machine on this engine.
fn time(cms: &[PathBuf; 2], program: &str, engine: Engine, turns: u32) -> Duration {
    engine::choose(engine);
    let mut site = Site::new(cms, &[], &[("CLAUSES", "EXEC", "A1", program)]);
    site.says("CMSUSER", "logon cmsuser cmsuser");
    site.says("CMSUSER", "ipl 190");
    // What is executed often is translated by then.
    let warm = site.says_soon("CMSUSER", "clauses 100", SLICES);
    assert!(warm.contains("Ready;"), "{warm}");
    let before = used();
    let said = site.says_soon("CMSUSER", &format!("clauses {turns}"), SLICES);
    assert!(said.contains("Ready;"), "{said}");
    used() - before
}

fn main() {
    let Some(cms) = cms::nucleus() else { return };
    let program = include_str!("../../rexx/benches/clauses.rex");
    // `cargo test --benches` runs this too, and only wants to know that it runs.
    let measured = std::env::args().any(|argument| argument == "--bench");
    for (engine, name, turns) in [(Engine::Interpreter, "interpreter", 1000), (Engine::Jit, "translator", 5000)] {
        let turns = if measured { turns } else { 10 };
        let runs = if measured { 3 } else { 1 };
        let best = (0..runs).map(|_| time(&cms, program, engine, turns)).min().unwrap_or_default();
        let clauses = f64::from(turns * CLAUSES);
        println!("REXX in CMS, {name}: {:.0} clauses a second", clauses / best.as_secs_f64().max(0.01));
    }
}
