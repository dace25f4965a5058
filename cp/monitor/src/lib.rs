//! What CP counts of its virtual machines, and how it is shown: accounting, INDICATE, the monitor.
//!
//! Pure: counts, names and times are given, and lines and records come back. Nothing here knows a virtual machine.
//!
//! The monitor: [`domain`] and [`settings`] say what is recorded; [`operands`] reads MONITOR's words; [`recorder`] is
//! the state machine, and [`frames`] are the pages that it writes; [`show`] has the lines of QUERY MONITOR. What is
//! counted for it is counted in [`processor`] and [`waits`].

pub mod account;
pub mod domain;
pub mod frames;
pub mod indicate;
pub mod operands;
pub mod processor;
pub mod recorder;
pub mod settings;
pub mod show;
pub mod waits;
