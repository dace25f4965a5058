//! Reports from what CP's monitor has recorded: bytes of files in, tables out.
//!
//! [`input`] takes files apart: those that Linux's monreader gives and those of MONWRITE. [`gather`] makes samples of
//! their records, whose layouts are `arch`'s; [`counters`] has differences of two of them, and [`interval`] those of
//! whole samples. [`report`] makes tables of intervals: its columns are rows of one table for each report. [`table`]
//! prints them as text, or gives them to a writer of JSON.
//!
//! Pure: nothing here opens a file or prints.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod choice;
pub mod counters;
pub mod figures;
pub mod gather;
pub mod input;
pub mod interval;
pub mod report;
pub mod table;

pub use choice::{Choice, Name, NoSuch, Which};
pub use input::{Fault, Wrong};
pub use report::Report;

/// A file of monitor data.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Its name, for messages.
    pub name: &'a str,
    /// All of it.
    pub bytes: &'a [u8],
}

/// Why there is no report.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Error {
    /// A file is not such as it should be.
    #[error(transparent)]
    Wrong(#[from] Wrong),
    /// There is nothing to take differences of.
    #[error(
        "the files have {0} samples, and rates are differences of two: read on for another interval (docs/measuring.md)"
    )]
    TooFew(usize),
    /// What was chosen is not there.
    #[error(transparent)]
    NoSuch(#[from] NoSuch),
}

/// The report of files, which are put into the order of their times.
pub fn reduce(sources: &[Source<'_>], choice: &Choice) -> Result<Report, Error> {
    let gathered = sources.iter().map(gather::gather).collect::<Result<Vec<_>, _>>()?;
    let monitor = gather::Monitor::join(gathered);
    let intervals = interval::intervals(&monitor);
    if intervals.is_empty() {
        return Err(Error::TooFew(monitor.samples.len()));
    }
    Ok(report::report(&monitor, &intervals, choice)?)
}
