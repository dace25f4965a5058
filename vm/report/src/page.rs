//! Reports as Markdown and as JSON.

use crate::experiment::{Experiment, Outcome};
use crate::run::Row;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// What all tables were measured with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// The host's processor and how many there are.
    pub host: String,
    /// What executes guests' instructions.
    pub engine: String,
    /// The program's version.
    pub version: String,
}

/// An experiment's result for programs.
#[derive(Serialize)]
struct Entry<'a> {
    table: &'static str,
    how: &'static str,
    valid: bool,
    /// What of the shape does not hold; none where the run is not valid.
    differences: Vec<String>,
    #[serde(flatten)]
    outcome: &'a Outcome,
}

/// The whole report for programs.
#[derive(Serialize)]
struct Whole<'a> {
    setting: &'a Setting,
    experiments: Vec<Entry<'a>>,
}

/// A number with as many digits as say something.
fn number(value: f64) -> String {
    match value.abs() {
        large if large >= 1000.0 => format!("{value:.0}"),
        large if large >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    }
}

/// As JSON.
pub fn json(setting: &Setting, results: &[(&Experiment, Outcome)]) -> String {
    let experiments = results.iter().map(|(experiment, outcome)| {
        let valid = outcome.is_valid();
        let differences = if valid { outcome.differences(experiment) } else { Vec::new() };
        Entry { table: experiment.table, how: experiment.how, valid, differences, outcome }
    });
    let whole = Whole { setting, experiments: experiments.collect() };
    serde_json::to_string_pretty(&whole).expect("every key is a string")
}

/// As Markdown.
pub fn markdown(setting: &Setting, results: &[(&Experiment, Outcome)]) -> String {
    let mut page = String::from("# Report\n\n");
    let mut add = |line: String| {
        page += &line;
        page.push('\n');
    };
    let Setting { host, engine, version } = setting;
    add(format!(
        "Endicott {version}; {engine}; {host}. Tables are those of \"VM/ESA Release 1.1 Performance Report\"."
    ));
    add("Ratios are ours over the report's. Values are medians of runs, with their range.".into());
    for (experiment, outcome) in results {
        add(String::new());
        section(experiment, outcome).lines().for_each(|line| add(line.to_owned()));
    }
    page
}

fn section(experiment: &Experiment, outcome: &Outcome) -> String {
    let mut text =
        format!("## {}: {}\n\nTable: {}. {}\n", experiment.name, experiment.title, experiment.table, experiment.how);
    let Outcome { scale, commands, seconds, .. } = outcome;
    let mut add = |line: std::fmt::Arguments<'_>| writeln!(text, "{line}").expect("a string has room");
    add(format_args!(
        "{} runs in {seconds:.0} s, {} s measured where guests loop, up to {} users; {commands} commands, {} failed.\n",
        scale.runs,
        scale.seconds,
        scale.users,
        outcome.failed.len()
    ));
    let valid = outcome.is_valid();
    add(format_args!("| ratio | | report | here | range | unit |\n|---:|---|---:|---:|---:|---|"));
    for row in &outcome.rows {
        let ratio = row.ratio().filter(|_| valid).map_or("-".into(), |ratio| format!("{ratio:.3}"));
        let seed = row.seed.map_or("-".into(), number);
        let (least, most) = range(row);
        let (least, most) = (number(least), number(most));
        let (name, here, unit) = (&row.name, number(row.median()), &row.unit);
        add(format_args!("| {ratio} | {name} | {seed} | {here} | {least} to {most} | {unit} |"));
    }
    add(format_args!(""));
    let verdict = verdict(experiment, outcome);
    add(format_args!("{verdict}"));
    text
}

fn range(row: &Row) -> (f64, f64) {
    row.runs.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), run| (least.min(*run), most.max(*run)))
}

/// Whether the shape is the report's, and if not, what is different.
pub fn verdict(experiment: &Experiment, outcome: &Outcome) -> String {
    if !outcome.is_valid() {
        let first = outcome.failed.first().map_or("a row was not measured in each run", String::as_str);
        return format!("The run is not valid, and no ratio is printed: {first}.");
    }
    match outcome.differences(experiment).as_slice() {
        [] => "The same shape.".into(),
        told => format!("Not the same shape: {}.", told.join("; ")),
    }
}
