//! What CP's monitor has recorded, taken apart: bytes of files in, intervals out.
//!
//! [`input`] takes files apart: those that Linux's monreader gives and those of MONWRITE. [`gather`] makes samples of
//! their records, whose layouts are `arch`'s; [`counters`] has differences of two of them, and [`interval`] those of
//! whole samples.
//!
//! Pure: nothing here opens a file or prints.

pub mod counters;
pub mod figures;
pub mod gather;
pub mod input;
pub mod interval;

pub use input::{Fault, Wrong};

/// A file of monitor data.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Its name, for messages.
    pub name: &'a str,
    /// All of it.
    pub bytes: &'a [u8],
}
