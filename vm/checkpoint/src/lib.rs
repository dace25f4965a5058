//! Files that hold a guest between two instructions.
//!
//! A file has a head, a description of the guest (JSON, which `jq` reads after the first 32 bytes), and its storage in
//! pieces of up to a megabyte, each compressed and with a check sum that knows its place. Frames that are zero, with a
//! key of zero, are not there. A last piece without frames says how many came before it, so a file that was cut is
//! known as one.
//!
//! The description is written last, into room that was left for it: it says how the guest's disks are after they were
//! closed, and nothing of it can find the host's disk full. Until then a file has another name ([`Draft`]).
//!
//! Version 1. All numbers are big-endian.

#![warn(clippy::print_stdout, clippy::print_stderr)]

mod disks;
mod error;
mod file;
mod pages;

pub use disks::{Change, Disk};
pub use error::Error;
pub use file::{Draft, Saved, open};
pub use pages::Progress;
