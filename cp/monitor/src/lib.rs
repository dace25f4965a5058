//! What CP counts of its virtual machines, and how it is shown: accounting, INDICATE.
//!
//! Pure: counts, names and times are given, and lines and records come back. Nothing here knows a virtual machine.

pub mod account;
pub mod indicate;
