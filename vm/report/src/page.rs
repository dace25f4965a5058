//! Reports as Markdown and as JSON. Neither has a ratio of a run that is not valid.

use crate::capacity::Capacity;
use crate::experiment::{Experiment, Finding, Findings, Outcome};
use crate::figure;
use crate::run::{Point, Row, Scale, number};
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

/// A row for programs.
#[derive(Serialize)]
struct EntryRow<'a> {
    name: &'a str,
    unit: &'a str,
    seed: Option<f64>,
    /// What was measured; nothing where that is a ratio of a run that is not valid.
    runs: &'a [f64],
    median: Option<f64>,
    /// The median over the report's.
    ratio: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    point: Option<&'a Point>,
}

/// An experiment's result for programs.
#[derive(Serialize)]
struct Entry<'a> {
    name: &'static str,
    table: &'static str,
    how: &'static str,
    valid: bool,
    /// Why it was not measured, if it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    lacks: Option<&'a str>,
    /// What of the shape does not hold; none where the run is not valid.
    differences: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scale: Option<Scale>,
    commands: u64,
    failed: &'a [String],
    seconds: f64,
    rows: Vec<EntryRow<'a>>,
}

/// The whole report for programs.
#[derive(Serialize)]
struct Whole<'a> {
    setting: &'a Setting,
    experiments: Vec<Entry<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    capacity: Option<&'a Capacity>,
}

fn entry<'a>(experiment: &'static Experiment, finding: &'a Finding) -> Entry<'a> {
    let Experiment { name, table, how, .. } = experiment;
    let empty = Entry {
        name,
        table,
        how,
        valid: false,
        lacks: None,
        differences: Vec::new(),
        scale: None,
        commands: 0,
        failed: &[],
        seconds: 0.0,
        rows: Vec::new(),
    };
    let outcome = match finding {
        Finding::Measured(outcome) => outcome,
        Finding::Not(why) => return Entry { lacks: Some(why), ..empty },
    };
    let valid = outcome.is_valid();
    let row = |row: &'a Row| {
        let shown = valid || !row.is_ratio();
        EntryRow {
            name: &row.name,
            unit: &row.unit,
            seed: row.seed,
            runs: if shown { &row.runs } else { &[] },
            median: Some(row.median()).filter(|_| shown),
            ratio: row.ratio().filter(|_| valid),
            point: row.point.as_ref(),
        }
    };
    Entry {
        valid,
        differences: if valid { outcome.differences(experiment) } else { Vec::new() },
        scale: Some(outcome.scale),
        commands: outcome.commands,
        failed: &outcome.failed,
        seconds: outcome.seconds,
        rows: outcome.rows.iter().map(row).collect(),
        ..empty
    }
}

/// As JSON.
pub fn json(setting: &Setting, findings: &Findings<'static>, capacity: Option<&Capacity>) -> String {
    let experiments = findings.iter().map(|(experiment, finding)| entry(experiment, finding)).collect();
    let whole = Whole { setting, experiments, capacity };
    serde_json::to_string_pretty(&whole).expect("every key is a string")
}

/// As Markdown; figures are files beside it.
pub fn markdown(setting: &Setting, findings: &Findings<'_>, capacity: Option<&Capacity>) -> String {
    let Setting { host, engine, version } = setting;
    let mut page = format!(
        "# Report\n\nEndicott {version}; {engine}; {host}. Tables are those of \"VM/ESA Release 1.1 Performance \
         Report\".\nRatios are ours over the report's. Values are medians of runs, with their range.\n"
    );
    if let Some(capacity) = capacity {
        page.push('\n');
        page += &capacity.markdown();
    }
    for (experiment, finding) in findings {
        page.push('\n');
        page += &match finding {
            Finding::Measured(outcome) => section(experiment, outcome),
            Finding::Not(why) => format!("{}\nNot measured: {why}.\n", head(experiment)),
        };
    }
    page
}

/// Title and table, and how it runs.
fn head(experiment: &Experiment) -> String {
    let Experiment { name, title, table, how, .. } = experiment;
    let space = if how.is_empty() { "" } else { " " };
    format!("## {name}: {title}\n\nTable: {table}.{space}{how}\n")
}

fn section(experiment: &Experiment, outcome: &Outcome) -> String {
    let mut text = head(experiment);
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
        let (name, unit) = (&row.name, &row.unit);
        let (here, range) = match valid || !row.is_ratio() {
            true => {
                let (least, most) = row.range();
                (number(row.median()), format!("{} to {}", number(least), number(most)))
            }
            false => ("-".into(), "-".into()),
        };
        add(format_args!("| {ratio} | {name} | {seed} | {here} | {range} | {unit} |"));
    }
    add(format_args!(""));
    for (n, picture) in experiment.pictures.iter().enumerate() {
        if figure::svg(experiment.title, picture, outcome).is_some() {
            let (up, across, file) = (picture.up, picture.across, figure::file(experiment.name, n));
            add(format_args!("![{}: {up}; {across}]({file})\n", experiment.title));
        }
    }
    let verdict = verdict(experiment, outcome);
    add(format_args!("{verdict}"));
    text
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
