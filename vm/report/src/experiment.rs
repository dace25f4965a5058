//! What an experiment is, what comes of it, and whether it has the shape of the report's.

use crate::bench::Site;
use crate::run::{Measured, Row, Run, Scale};
use serde::{Deserialize, Serialize};

/// An experiment of the catalogue.
pub struct Experiment {
    /// What it is called on the command line.
    pub name: &'static str,
    /// What it measures.
    pub title: &'static str,
    /// The table of "VM/ESA Release 1.1 Performance Report" that it repeats, or what it is held against.
    pub table: &'static str,
    /// How it runs: what is scaled, and what stands in for what.
    pub how: &'static str,
    /// What measures it.
    pub way: Way,
    /// The shape test: each must hold of the rows' medians.
    pub shape: &'static [Check],
    /// The figures of it.
    pub pictures: &'static [Picture],
}

/// What measures one run.
pub type Measure = fn(&Site, Scale) -> Result<Run, String>;

/// How an experiment is measured.
#[derive(Clone, Copy)]
pub enum Way {
    /// By this.
    Runs(Measure),
    /// By the second, unless the first says what this host lacks.
    Needs(fn() -> Option<String>, Measure),
    /// It cannot be run: why.
    Not(&'static str),
}

/// A curve of an experiment as a figure.
pub struct Picture {
    /// The curve's name in the rows.
    pub curve: &'static str,
    /// What the axis to the right has, with its unit.
    pub across: &'static str,
    /// What the axis upwards has, with its unit.
    pub up: &'static str,
}

/// What must hold of a row's median.
pub struct Check {
    /// The row; "*" is each.
    pub row: &'static str,
    /// At least so much.
    pub least: f64,
    /// At most so much.
    pub most: f64,
    /// Which value of the row: as it is, or divided by the report's.
    pub of: Of,
}

/// Which value of a row a check is about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// The median as measured.
    Value,
    /// The median divided by the report's.
    Ratio,
}

impl Experiment {
    /// Why it cannot be run here; nothing if it can.
    pub fn lacks(&self) -> Option<String> {
        match self.way {
            Way::Runs(_) => None,
            Way::Needs(lacks, _) => lacks(),
            Way::Not(why) => Some(why.to_owned()),
        }
    }

    /// What measures it, if anything does.
    fn measure(&self) -> Option<Measure> {
        match self.way {
            Way::Runs(measure) | Way::Needs(_, measure) => Some(measure),
            Way::Not(_) => None,
        }
    }
}

/// What there is of an experiment in a report.
pub enum Finding {
    /// It was measured.
    Measured(Outcome),
    /// It cannot be run here, for this reason.
    Not(String),
}

/// Experiments, and what there is of each.
pub type Findings<'a> = [(&'a Experiment, Finding)];

/// What came of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The experiment's name.
    pub name: String,
    /// How much was done.
    pub scale: Scale,
    /// Its rows.
    pub rows: Vec<Row>,
    /// Commands entered in all runs.
    pub commands: u64,
    /// Those that failed.
    pub failed: Vec<String>,
    /// Seconds that all runs took.
    pub seconds: f64,
}

impl Outcome {
    /// A run is valid if at most one command in a thousand failed, and every row was measured in each run.
    pub fn is_valid(&self) -> bool {
        let clean = self.failed.len() as u64 * 1000 <= self.commands;
        let whole = self
            .rows
            .iter()
            .all(|row| row.runs.len() == self.scale.runs && row.runs.iter().all(|value| value.is_finite()));
        clean && whole && !self.rows.is_empty()
    }

    /// What of the shape does not hold, one line each.
    pub fn differences(&self, experiment: &Experiment) -> Vec<String> {
        let mut told = Vec::new();
        for check in experiment.shape {
            let rows = self.rows.iter().filter(|row| check.row == "*" || row.name == check.row);
            let mut found = false;
            for row in rows {
                let value = if check.of == Of::Ratio { row.ratio() } else { Some(row.median()) };
                let Some(value) = value else { continue };
                found = true;
                if !(check.least..=check.most).contains(&value) {
                    let of = if check.of == Of::Ratio { " of the report's" } else { "" };
                    told.push(format!("{}: {value:.3}{of}, expected {} to {}", row.name, check.least, check.most));
                }
            }
            if !found {
                told.push(format!("{}: was not measured", check.row));
            }
        }
        told
    }
}

/// Performs an experiment. `between` is called after each run and says whether to go on; without that there is no
/// outcome.
pub fn perform(
    experiment: &Experiment,
    site: &Site,
    scale: Scale,
    mut between: impl FnMut(usize) -> bool,
) -> Result<Option<Outcome>, String> {
    let Some(measure) = experiment.measure() else { return Ok(None) };
    let begun = std::time::Instant::now();
    let (mut rows, mut commands, mut failed): (Vec<Row>, u64, Vec<String>) = Default::default();
    for n in 0..scale.runs {
        let run = measure(site, scale).map_err(|what| format!("{}: {what}", experiment.name))?;
        for Measured { what: (name, unit, seed), value, point } in run.rows {
            match rows.iter_mut().find(|row| row.name == name) {
                Some(row) => row.runs.push(value),
                None => rows.push(Row { name, unit: unit.to_owned(), seed, runs: vec![value], point }),
            }
        }
        commands += run.commands;
        failed.extend(run.failed);
        if !between(n + 1) {
            return Ok(None);
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    Ok(Some(Outcome { name: experiment.name.to_owned(), scale, rows, commands, failed, seconds }))
}
