//! Experiments that repeat the tables of "VM/ESA Release 1.1 Performance Report", with this system's numbers beside the
//! report's.
//!
//! [`catalogue`] lists them. Each is a way to measure with what is different in it, and a test of its shape
//! ([`experiment`]). The ways are [`commands`] and [`pipelines`] of CMS, [`guests`] for storage and shares,
//! [`processors`], [`disks`], and [`users`] at terminals. [`bare`] has programs of guests, [`paper`] the report's
//! counts of commands. What a run gives is in [`run`]. [`bench`] is a system that is up for one run: users at
//! terminals in this process, on one processor. [`page`] prints results, [`figure`] draws them, and [`capacity`] sets
//! them against those of another build. Times are measured, and counts are CP's: no row is a constant.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod bare;
pub mod bench;
pub mod capacity;
pub mod catalogue;
pub mod commands;
pub mod disks;
pub mod experiment;
pub mod figure;
pub mod guests;
pub mod page;
pub mod paper;
pub mod pipelines;
pub mod processors;
pub mod run;
pub mod users;
mod volumes;

pub use bench::{Hands, Site, System};
pub use catalogue::{all, chosen};
pub use experiment::{Experiment, Finding, Outcome, perform};
pub use run::{Row, Scale};
