//! The commands that look after host files: `endicott dasd` and `endicott tape`, the folder of a system, and what
//! this executable has aboard.
//!
//! They need no CP. In a crate of their own they are checked beside CP, not after it.

#![warn(clippy::print_stdout, clippy::print_stderr)]

#[macro_use]
extern crate say;

pub mod aboard;
pub mod dasd;
pub mod signals;
pub mod system;
pub mod tape;
