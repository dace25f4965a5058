//! Loads: many users at 3270 terminals, which log on, choose scripts by their weights, type, look and think.
//!
//! [`load`] is what they do, a text that people copy and change; [`loads`] has those that come with the program.
//! [`chance`] decides what is next and how long a user thinks, [`person`] is one user, and
//! [`drive`] has all of them do it: ramp, settle, measure. Where their terminals are is a trait,
//! [`Terminals`](drive::Terminals). [`log`] is a line for each command, and [`figures`] what comes of the lines.

pub mod chance;
pub mod drive;
pub mod figures;
pub mod load;
pub mod loads;
pub mod log;
pub mod person;
