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
}

impl Row {
    /// The median of the runs.
    pub fn median(&self) -> f64 {
        let mut runs = self.runs.clone();
        runs.sort_by(f64::total_cmp);
        runs.get(runs.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// The median divided by what the report has.
    pub fn ratio(&self) -> Option<f64> {
        self.seed.filter(|seed| *seed != 0.0).map(|seed| self.median() / seed)
    }
}

/// One row of one run.
pub struct Measured {
    /// Name, unit and the report's value.
    pub what: (String, &'static str, Option<f64>),
    /// What was measured.
    pub value: f64,
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
        self.rows.push(Measured { what: (name.into(), unit, seed), value });
    }

    /// Adds what a system's users have entered.
    pub fn take(&mut self, bench: &mut Bench) {
        self.commands += std::mem::take(&mut bench.lines);
        self.failed.append(&mut bench.failed);
    }
}
