//! `endicott report`: the short form of experiments. What is measured moves with what is different, and a report that
//! is there is gone on with.

mod support;

use serde_json::Value;
use std::path::Path;
use support::endicott;

/// The report of these experiments: one run of a second each.
fn report(out: &Path, names: &[&str]) -> Value {
    let mut command = endicott();
    command.args(["report", "--json", "--runs", "1", "--seconds", "1", "--out"]).arg(out).args(names);
    let output = command.output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The experiment of this name.
fn experiment<'a>(report: &'a Value, name: &str) -> &'a Value {
    let all = report["experiments"].as_array().expect("a list");
    all.iter().find(|one| one["name"] == name).unwrap_or_else(|| panic!("no {name} in {report}"))
}

/// What was measured in the row that begins so.
fn measured(report: &Value, name: &str, row: &str) -> f64 {
    let experiment = experiment(report, name);
    assert_eq!(experiment["valid"], true, "{experiment:#}");
    let rows = experiment["rows"].as_array().expect("a list");
    let found = rows.iter().find(|found| found["name"].as_str().is_some_and(|found| found.starts_with(row)));
    found.and_then(|row| row["runs"][0].as_f64()).unwrap_or_else(|| panic!("no {row} in {experiment:#}"))
}

#[test]
fn rows_are_measured_and_kept() {
    if cms::nucleus().is_none() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("endicott-report-{}", std::process::id()));
    let names = ["share-limithard", "share-limitsoft", "cms-instructions", "cms-own-pages", "pipelines-instructions"];
    let first = report(&folder, &names);
    // The same loop is held by LIMITHARD and is not by LIMITSOFT.
    let hard = measured(&first, "share-limithard", "processor of a loop");
    let soft = measured(&first, "share-limitsoft", "processor of a loop");
    assert!((25.0..35.0).contains(&hard) && soft > 80.0, "{hard} and {soft}");
    // All that a command executes was counted, and CMS's commands differ.
    let [set, compare, all] = ["SET", "COMPARE", "all"].map(|row| measured(&first, "cms-instructions", row));
    assert!(set > 1000.0 && compare > 2.0 * set && all > set + compare, "{set} {compare} {all}");
    assert!(measured(&first, "pipelines-instructions", "6: a file, typed: pipeline over") < 0.8);
    assert!(folder.join("report.md").is_file());
    // What is there is not measured anew: it took the same time to the last digit.
    let again = report(&folder, &names);
    let seconds = |report: &Value| experiment(report, "share-limithard")["seconds"].as_f64();
    assert_eq!(seconds(&first), seconds(&again));
    std::fs::remove_dir_all(&folder).expect("it can be removed");
}

#[test]
fn names_are_listed_and_checked() {
    let output = endicott().args(["report", "--list"]).output().expect("it starts");
    let list = String::from_utf8(output.stdout).expect("text");
    assert!(list.lines().any(|line| line.starts_with("storage-steps ") && line.contains(" 34 ")), "{list}");
    let output = endicott().args(["report", "storage-stepped"]).output().expect("it starts");
    let said = String::from_utf8(output.stderr).expect("text");
    assert!(!output.status.success() && said.contains("no experiment storage-stepped"), "{said}");
}
