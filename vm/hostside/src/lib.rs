//! What virtual machines have of the host.
//!
//! * `clock`: its clock and how much storage it has; `alarm`: when a disk's time is over.
//! * `code_cache`: the folder that keeps host code for later starts.
//! * `network`: switches, and the way from them to the host; `networks`: those that SYSTEM CONFIG names.
//! * `peripherals`: shared folders, `drive`s, `serial` lines and `vsock`, the sockets between guest and host.

#![warn(clippy::print_stdout, clippy::print_stderr)]

#[macro_use]
extern crate say;

pub mod alarm;
pub mod clock;
pub mod code_cache;
mod drive;
pub mod network;
pub mod networks;
pub mod peripherals;
mod serial;
mod vsock;

pub use uplink::raise_limit;
