//! Relative capacity: this build over another, from pairs of measurements in which only the build is different. The
//! form is that of the report's Tables 2 and 3: from, to, case, ITRR, and what it is derived from. Internal and
//! external throughput stand apart.

use crate::experiment::{Experiment, Finding, Findings, Outcome};
use crate::run::{Row, Throughput, number};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// What another build's report has, as far as it is compared.
#[derive(Debug, Deserialize)]
pub struct Other {
    /// Its experiments.
    pub experiments: Vec<OtherExperiment>,
}

/// An experiment of another build's report.
#[derive(Debug, Deserialize)]
pub struct OtherExperiment {
    /// Its name.
    pub name: String,
    /// Whether its run is valid.
    pub valid: bool,
    /// Its rows.
    #[serde(default)]
    pub rows: Vec<OtherRow>,
}

/// A row of another build's report.
#[derive(Debug, Deserialize)]
pub struct OtherRow {
    /// What it is.
    pub name: String,
    /// What was measured in each run; a number that is none is null.
    pub runs: Vec<Option<f64>>,
}

/// A number of this build over that of the other, and the range of the runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Relative {
    /// The median over the median.
    pub ratio: f64,
    /// Run by run, the least.
    pub least: f64,
    /// Run by run, the most.
    pub most: f64,
}

impl Relative {
    /// Of the runs of this build and of the other; nothing if they cannot be compared.
    fn of(to: &[f64], from: &[f64]) -> Option<Relative> {
        if to.is_empty() || to.len() != from.len() || !to.iter().chain(from).all(|value| *value > 0.0) {
            return None;
        }
        let median = |values: &[f64]| {
            let mut values = values.to_vec();
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        let each = to.iter().zip(from).map(|(to, from)| to / from);
        Some(Relative {
            ratio: median(to) / median(from),
            least: each.clone().fold(f64::INFINITY, f64::min),
            most: each.fold(f64::NEG_INFINITY, f64::max),
        })
    }
}

/// A pair of measurements.
#[derive(Debug, Serialize)]
pub struct Pair {
    /// The experiment, and what of it.
    pub case: String,
    /// Internal throughput.
    pub itrr: Option<Relative>,
    /// External throughput.
    pub etrr: Option<Relative>,
    /// Why there is no ratio.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invalid: Option<String>,
}

/// A line of the table of capacity: an experiment, or all of them.
#[derive(Debug, Serialize)]
pub struct Case {
    /// The experiment's name, or `all`.
    pub case: String,
    /// Internal throughput: the geometric mean of what it is derived from.
    pub itrr: Option<f64>,
    /// The same of external throughput.
    pub etrr: Option<f64>,
    /// What it is derived from.
    pub derivation: String,
}

/// This build's capacity over another's.
#[derive(Debug, Serialize)]
pub struct Capacity {
    /// The other build, as it names itself.
    pub from: String,
    /// This build.
    pub to: String,
    /// The experiments, and at last all of them.
    pub cases: Vec<Case>,
    /// The pairs that they are derived from.
    pub pairs: Vec<Pair>,
}

/// Whether an experiment has throughput: only such experiments are compared.
pub fn has_throughput(outcome: &Outcome) -> bool {
    outcome.rows.iter().any(|row| row.throughput().is_some())
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp())
}

impl Capacity {
    /// Of this build's findings, and of what the other build says of each experiment or why it says nothing.
    pub fn of(
        from: String,
        to: String,
        findings: &Findings<'_>,
        others: &[(&str, Result<OtherExperiment, String>)],
    ) -> Capacity {
        let mut capacity = Capacity { from, to, cases: Vec::new(), pairs: Vec::new() };
        for (experiment, finding) in findings {
            let Finding::Measured(outcome) = finding else { continue };
            let Some((_, other)) = others.iter().find(|(name, _)| *name == experiment.name) else { continue };
            let pairs = pairs(experiment, outcome, other);
            let ratios = |of: fn(&Pair) -> Option<Relative>| {
                mean(&pairs.iter().filter_map(of).map(|one| one.ratio).collect::<Vec<_>>())
            };
            let (first, last) = (capacity.pairs.len() + 1, capacity.pairs.len() + pairs.len());
            let derivation = if first == last { format!("pair {first}") } else { format!("pairs {first} to {last}") };
            let (itrr, etrr) = (ratios(|pair| pair.itrr), ratios(|pair| pair.etrr));
            capacity.cases.push(Case { case: experiment.name.to_owned(), itrr, etrr, derivation });
            capacity.pairs.extend(pairs);
        }
        let all = |of: fn(&Case) -> Option<f64>| mean(&capacity.cases.iter().filter_map(of).collect::<Vec<_>>());
        let (itrr, etrr) = (all(|case| case.itrr), all(|case| case.etrr));
        capacity.cases.push(Case { case: "all".into(), itrr, etrr, derivation: "the cases above".into() });
        capacity
    }

    /// As Markdown.
    pub fn markdown(&self) -> String {
        let Capacity { from, to, .. } = self;
        let mut text = String::from(
            "## Relative capacity\n\nITRR is internal throughput of \"to\" over that of \"from\": work for a second \
             of processor time. ETRR is external throughput: work for a second that passes. Those of a case are \
             geometric means of its pairs.\n\n\
             | From | To | Case | ITRR | ETRR | Derivation |\n|---|---|---|---:|---:|---|\n",
        );
        let mut add = |line: std::fmt::Arguments<'_>| writeln!(text, "{line}").expect("a string has room");
        let one = |value: Option<f64>| value.map_or("-".into(), number);
        for Case { case, itrr, etrr, derivation } in &self.cases {
            add(format_args!("| {from} | {to} | {case} | {} | {} | {derivation} |", one(*itrr), one(*etrr)));
        }
        add(format_args!(
            "\nIn a pair only the build is different. Ratios are of the runs' medians, and the range is run by run.\n\n\
             | Pair | | ITRR | range | ETRR | range |\n|---:|---|---:|---:|---:|---:|"
        ));
        let cells = |relative: Option<Relative>| match relative {
            Some(Relative { ratio, least, most }) => {
                format!("{} | {} to {}", number(ratio), number(least), number(most))
            }
            None => "- | -".into(),
        };
        for (n, pair) in self.pairs.iter().enumerate() {
            let why = pair.invalid.as_ref().map_or(String::new(), |why| format!(" (no ratio: {why})"));
            let (n, case) = (n + 1, &pair.case);
            add(format_args!("| {n} | {case}{why} | {} | {} |", cells(pair.itrr), cells(pair.etrr)));
        }
        text
    }
}

/// The pairs of an experiment, or one that says why there is none.
fn pairs(experiment: &Experiment, outcome: &Outcome, other: &Result<OtherExperiment, String>) -> Vec<Pair> {
    let none =
        |why: String| vec![Pair { case: experiment.name.to_owned(), itrr: None, etrr: None, invalid: Some(why) }];
    let other = match other {
        _ if !outcome.is_valid() => return none("the run of \"to\" is not valid".into()),
        Err(why) => return none(why.clone()),
        Ok(other) if !other.valid => return none("the run of \"from\" is not valid".into()),
        Ok(other) => other,
    };
    let mut pairs: Vec<Pair> = Vec::new();
    for row in &outcome.rows {
        let Some((kind, of)) = row.throughput() else { continue };
        let relative = other.rows.iter().find(|other| other.name == row.name).and_then(|other| relative(row, other));
        let case = if of.is_empty() { experiment.name.to_owned() } else { format!("{}, {of}", experiment.name) };
        let at = pairs.iter().position(|pair| pair.case == case).unwrap_or_else(|| {
            pairs.push(Pair { case, itrr: None, etrr: None, invalid: None });
            pairs.len() - 1
        });
        match kind {
            Throughput::Internal => pairs[at].itrr = relative,
            Throughput::External => pairs[at].etrr = relative,
        }
    }
    if pairs.iter().all(|pair| pair.itrr.is_none() && pair.etrr.is_none()) {
        return none("\"from\" has no row of throughput with the same name".into());
    }
    pairs
}

fn relative(row: &Row, other: &OtherRow) -> Option<Relative> {
    let from = other.runs.iter().copied().collect::<Option<Vec<f64>>>()?;
    Relative::of(&row.runs, &from)
}
