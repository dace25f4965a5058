//! Which results are valid, and which have the shape: of numbers that are made up.

use report::capacity::{Capacity, OtherExperiment, OtherRow};
use report::experiment::Way;
use report::page;
use report::run::RATIO;
use report::{Finding, Outcome, Row, Scale, all, chosen};

/// An outcome of share-relative, in which loops got so much of the processor.
fn outcome(runs: [[f64; 3]; 2], commands: u64, failed: usize) -> Outcome {
    let row = |name: &str, seed, runs: [f64; 3]| Row {
        name: format!("processor of a loop with {name}"),
        unit: "%".into(),
        seed: Some(seed),
        runs: runs.to_vec(),
        point: None,
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

/// A row that is a ratio itself, and the report's of it.
fn with_ratio(mut outcome: Outcome) -> Outcome {
    outcome.rows.push(Row {
        name: "one over the other".into(),
        unit: RATIO.into(),
        seed: Some(0.75),
        runs: vec![0.625; 3],
        point: None,
    });
    outcome
}

#[test]
fn nothing_of_an_invalid_run_is_a_ratio() {
    let setting = page::Setting { host: "h".into(), engine: "e".into(), version: "v".into() };
    let runs = [[25.0; 3], [75.0; 3]];
    let page = |failed: usize| {
        let measured = with_ratio(outcome(runs, 1000, failed));
        let experiment = chosen(&["share-relative".into()]).expect("it is there")[0];
        let findings = [(experiment, Finding::Measured(measured))];
        (page::markdown(&setting, &findings, None), page::json(&setting, &findings, None))
    };
    let (text, json) = page(0);
    assert!(text.contains("| 1.000 | processor of a loop with relative 100 |"), "{text}");
    assert!(text.contains("| 0.833 | one over the other | 0.750 | 0.625 |"), "{text}");
    assert!(json.contains("0.8333") && json.contains("0.625"), "{json}");
    let (text, json) = page(2);
    assert!(text.contains("| - | processor of a loop with relative 100 | 25.0 | 25.0 |"), "{text}");
    assert!(text.contains("| - | one over the other | 0.750 | - | - | ratio |"), "{text}");
    assert!(!json.contains("0.8333") && !json.contains("0.625") && json.contains("\"ratio\": null"), "{json}");
}

/// An outcome with throughput: so much a second in each run.
fn rates(internal: [f64; 3], external: [f64; 3], failed: usize) -> Outcome {
    let row = |name: &str, runs: [f64; 3]| Row {
        name: name.into(),
        unit: "turns/s".into(),
        seed: None,
        runs: runs.to_vec(),
        point: None,
    };
    let rows = vec![row("ITR, a", internal), row("ETR, a", external)];
    Outcome { name: "time-slice".into(), rows, failed: vec!["x".into(); failed], ..outcome([[1.0; 3]; 2], 1000, 0) }
}

#[test]
fn capacity_is_relative_and_only_of_valid_runs() {
    let other = |valid: bool| OtherExperiment {
        name: "time-slice".into(),
        valid,
        rows: vec![
            OtherRow { name: "ITR, a".into(), runs: vec![Some(10.0), Some(10.0), Some(8.0)] },
            OtherRow { name: "ETR, a".into(), runs: vec![Some(5.0); 3] },
        ],
    };
    let experiment = chosen(&["time-slice".into()]).expect("it is there")[0];
    let capacity = |failed: usize, other: Result<OtherExperiment, String>| {
        let ours = rates([20.0, 22.0, 20.0], [5.0, 4.0, 6.0], failed);
        let findings = [(experiment, Finding::Measured(ours))];
        Capacity::of("from".into(), "to".into(), &findings, &[("time-slice", other)])
    };
    let good = capacity(0, Ok(other(true)));
    let internal = good.pairs[0].itrr.expect("a ratio");
    assert_eq!((internal.ratio, internal.least, internal.most), (2.0, 2.0, 2.5));
    let external = good.pairs[0].etrr.expect("a ratio");
    assert_eq!((external.ratio, external.least, external.most), (1.0, 0.8, 1.2));
    assert!(good.markdown().contains("| from | to | time-slice | 2.000 | 1.000 | pair 1 |"), "{}", good.markdown());
    assert!(good.markdown().contains("| 1 | time-slice, a | 2.000 | 2.000 to 2.500 | 1.000 | 0.800 to 1.200 |"));
    for bad in [capacity(2, Ok(other(true))), capacity(0, Ok(other(false))), capacity(0, Err("it is old".into()))] {
        assert!(bad.pairs.iter().all(|pair| pair.itrr.is_none() && pair.etrr.is_none() && pair.invalid.is_some()));
        let text = bad.markdown();
        assert!(text.contains("| from | to | all | - | - | the cases above |"), "{text}");
        assert!(text.contains("| - | - | - | - |") && text.contains("(no ratio: "), "{text}");
    }
}

#[test]
fn experiments_have_names_of_their_own() {
    let mut names: Vec<&str> = all().map(|one| one.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all().count());
    assert!(all().all(|one| !one.table.is_empty() && !one.title.is_empty()));
    // What is measured has a shape that may not hold, and what is not has a reason.
    assert!(all().all(|one| matches!(one.way, Way::Not(_)) == one.shape.is_empty()));
}
