//! Guests with names.
//!
//! * `making` a disk with Debian on it, `loading` a kernel and a RAM disk from files, the `seed` of cloud-init.
//! * `options`: the command line of a guest.
//! * `named`: what is kept of a guest that runs, for other processes; `background`: a guest without a terminal.
//! * `debugger`: GDB in front of a guest.
//! * `reach`: `list`, `stop`, `ssh` and `cp`; `keys`: the key that logs in; `saving`: a guest in a file.

#![warn(clippy::print_stdout, clippy::print_stderr)]

#[macro_use]
extern crate say;

pub mod background;
pub mod debugger;
pub mod keys;
pub mod loading;
pub mod making;
pub mod named;
pub mod options;
pub mod reach;
pub mod saving;
pub mod seed;
