//! Experiments that repeat the tables of "VM/ESA Release 1.1 Performance Report", with this system's numbers beside the
//! report's.
//!
//! [`catalogue`] lists them. Each is a way to measure ([`commands`], [`pipelines`], [`guests`]) with what is different
//! in it, and a test of its shape ([`experiment`]). What a run gives is in [`run`].
//! [`bench`] is a system that is up for one run: users at terminals in
//! this process, on one processor. [`page`] prints results. Times are measured, and counts are CP's: no row is a
//! constant.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod bench;
pub mod catalogue;
pub mod commands;
pub mod experiment;
pub mod guests;
pub mod page;
pub mod paper;
pub mod pipelines;
pub mod run;

pub use bench::{BringUp, Site};
pub use catalogue::{CATALOGUE, chosen};
pub use experiment::{Experiment, Outcome, perform};
pub use run::{Row, Scale};
