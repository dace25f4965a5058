//! What one run of an experiment gives, and how much is done in it.

use crate::bench::{Bench, USERS};
use serde::{Deserialize, Serialize};

/// How much is done.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scale {
    /// Seconds that are measured where guests loop.
    pub seconds: f64,
    /// The most users that enter commands.
    pub users: usize,
    /// How often each experiment runs.
    pub runs: usize,
}

impl Scale {
    /// The usual report: three runs of short intervals.
    pub const USUAL: Scale = Scale { seconds: 3.0, users: 100, runs: 3 };
    /// The full one.
    pub const FULL: Scale = Scale { seconds: 30.0, users: USERS, runs: 3 };
}

/// The unit of a value that is one number over another of the same run. It says nothing if the run is not valid.
pub const RATIO: &str = "ratio";

/// A number with as many digits as say something.
pub fn number(value: f64) -> String {
    match value.abs() {
        none if !none.is_finite() => "-".into(),
        large if large >= 1000.0 => format!("{value:.0}"),
        large if large >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    }
}

/// Which throughput a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Throughput {
    /// ITR: work for a second in which processors are busy.
    Internal,
    /// ETR: work for a second that passes.
    External,
}

/// A row's place on a curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The curve.
    pub curve: String,
    /// How far to the right.
    pub at: f64,
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What it is.
    pub name: String,
    /// In which unit.
    pub unit: String,
    /// What the report has.
    pub seed: Option<f64>,
    /// What was measured, in each run.
    pub runs: Vec<f64>,
    /// Where it lies on a curve, if it is of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<Point>,
}

impl Row {
    /// The median of the runs.
    pub fn median(&self) -> f64 {
        let mut runs = self.runs.clone();
        runs.sort_by(f64::total_cmp);
        runs.get(runs.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// The least and the most of the runs.
    pub fn range(&self) -> (f64, f64) {
        self.runs
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), run| (least.min(*run), most.max(*run)))
    }

    /// The median divided by what the report has.
    pub fn ratio(&self) -> Option<f64> {
        self.seed.filter(|seed| *seed != 0.0).map(|seed| self.median() / seed)
    }

    /// Whether the value itself is a ratio.
    pub fn is_ratio(&self) -> bool {
        self.unit == RATIO
    }

    /// Which throughput it is, with what is in the name after that; nothing where it is set against another.
    pub fn throughput(&self) -> Option<(Throughput, &str)> {
        if self.is_ratio() {
            return None;
        }
        let kinds = [("ITR", Throughput::Internal), ("ETR", Throughput::External)];
        kinds.into_iter().find_map(|(word, kind)| {
            let rest = self.name.strip_prefix(word)?;
            Some((kind, rest.trim_start_matches([',', ' '])))
        })
    }
}

/// One row of one run.
pub struct Measured {
    /// Name, unit and the report's value.
    pub what: (String, &'static str, Option<f64>),
    /// What was measured.
    pub value: f64,
    /// Where it lies on a curve.
    pub point: Option<Point>,
}

/// What one run gave.
#[derive(Default)]
pub struct Run {
    /// Its rows, in the same order in each run.
    pub rows: Vec<Measured>,
    /// Commands entered.
    pub commands: u64,
    /// Those that failed.
    pub failed: Vec<String>,
}

impl Run {
    /// Adds a row.
    pub fn row(&mut self, name: impl Into<String>, unit: &'static str, seed: Option<f64>, value: f64) {
        self.rows.push(Measured { what: (name.into(), unit, seed), value, point: None });
    }

    /// Adds a row that lies on a curve.
    pub fn point(
        &mut self,
        (curve, at): (&str, f64),
        name: impl Into<String>,
        unit: &'static str,
        seed: Option<f64>,
        value: f64,
    ) {
        self.row(name, unit, seed, value);
        if let Some(row) = self.rows.last_mut() {
            row.point = Some(Point { curve: curve.to_owned(), at });
        }
    }

    /// Adds internal and external throughput: so much `work` in `busy` microseconds of processors, which passed in
    /// `elapsed` microseconds.
    pub fn throughput(&mut self, of: &str, unit: &'static str, work: f64, busy: f64, elapsed: f64) {
        let name = |word: &str| if of.is_empty() { word.to_owned() } else { format!("{word}, {of}") };
        self.row(name("ITR"), unit, None, work * 1e6 / busy);
        self.row(name("ETR"), unit, None, work * 1e6 / elapsed);
    }

    /// Adds what a system's users have entered.
    pub fn take(&mut self, bench: &mut Bench) {
        self.commands += std::mem::take(&mut bench.lines);
        self.failed.append(&mut bench.failed);
    }
}
