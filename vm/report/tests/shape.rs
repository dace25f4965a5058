//! Which results are valid, and which have the shape: of numbers that are made up.

use report::page;
use report::{CATALOGUE, Outcome, Row, Scale, chosen};

/// An outcome of share-relative, in which loops got so much of the processor.
fn outcome(runs: [[f64; 3]; 2], commands: u64, failed: usize) -> Outcome {
    let row = |name: &str, seed, runs: [f64; 3]| Row {
        name: format!("processor of a loop with {name}"),
        unit: "%".into(),
        seed: Some(seed),
        runs: runs.to_vec(),
    };
    Outcome {
        name: "share-relative".into(),
        scale: Scale::USUAL,
        rows: vec![row("relative 100", 25.0, runs[0]), row("relative 300", 75.0, runs[1])],
        commands,
        failed: vec!["a line".into(); failed],
        seconds: 1.0,
    }
}

fn verdict(outcome: &Outcome) -> String {
    let experiment = chosen(std::slice::from_ref(&outcome.name)).expect("it is there")[0];
    page::verdict(experiment, outcome)
}

#[test]
fn the_median_decides() {
    let good = outcome([[25.1, 99.0, 24.9], [74.9, 75.0, 1.0]], 1000, 0);
    assert_eq!(verdict(&good), "The same shape.");
    let bad = outcome([[50.0, 50.0, 25.0], [50.0, 50.0, 75.0]], 1000, 0);
    assert!(verdict(&bad).starts_with("Not the same shape: processor of a loop with relative 100: 2.000"));
}

#[test]
fn a_run_with_failures_has_no_ratio() {
    let runs = [[25.0; 3], [75.0; 3]];
    assert!(outcome(runs, 1000, 1).is_valid());
    let failed = outcome(runs, 1000, 2);
    assert!(!failed.is_valid() && verdict(&failed).contains("a line"));
    let mut short = outcome(runs, 1000, 0);
    short.rows[0].runs.pop();
    assert!(!short.is_valid());
    assert!(!outcome([[f64::NAN; 3], [75.0; 3]], 1000, 0).is_valid());
}

#[test]
fn experiments_have_names_of_their_own() {
    let mut names: Vec<&str> = CATALOGUE.iter().map(|one| one.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), CATALOGUE.len());
    assert!(CATALOGUE.iter().all(|one| !one.shape.is_empty() && !one.table.is_empty()));
}
