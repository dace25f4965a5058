//! Loads: many users at 3270 terminals, which log on, choose scripts by their weights, type, look and think.
//!
//! [`load`] is what they do, a text that people copy and change; [`loads`] has those that come with the program.
//! [`chance`] decides what is next and how long a user thinks, and [`person`] is one user. [`drive`] has all of them do
//! it: ramp, settle, measure. Where their terminals are is a trait, [`Terminals`](drive::Terminals): [`network`] calls
//! a running system by TN3270, [`inside`] sits in the process of the system. [`log`] is a line for each command, and
//! [`figures`] what comes of the lines. [`prepare`] says what a system needs for a load.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod chance;
pub mod drive;
pub mod figures;
mod host;
pub mod inside;
pub mod load;
pub mod loads;
pub mod log;
pub mod network;
pub mod person;
pub mod prepare;
