//! The experiments, as data, in the order of a report.

mod absent;
mod cms;
mod control_program;
mod disks;
mod users;

use crate::experiment::{Check, Experiment, Of, Picture};

const fn ratio(row: &'static str, least: f64, most: f64) -> Check {
    Check { row, least, most, of: Of::Ratio }
}

const fn value(row: &'static str, least: f64, most: f64) -> Check {
    Check { row, least, most, of: Of::Value }
}

const fn picture(curve: &'static str, across: &'static str, up: &'static str) -> Picture {
    Picture { curve, across, up }
}

/// What a row has that is only to be more than nothing.
const SOME: f64 = 1e-9;
/// More than any row has.
const ANY: f64 = 1e12;

/// All experiments.
pub fn all() -> impl Iterator<Item = &'static Experiment> {
    [cms::ALL, control_program::ALL, disks::ALL, users::ALL, absent::ALL].into_iter().flatten()
}

/// The experiments of these names, or all; an error names one that there is not.
pub fn chosen(names: &[String]) -> Result<Vec<&'static Experiment>, String> {
    if let Some(name) = names.iter().find(|name| all().all(|one| one.name != name.as_str())) {
        return Err(format!("there is no experiment {name}: \"endicott report --list\" has their names"));
    }
    Ok(all().filter(|one| names.is_empty() || names.iter().any(|name| name == one.name)).collect())
}
