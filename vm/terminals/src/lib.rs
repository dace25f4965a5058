//! The terminals of a host, as CP's users see them.
//!
//! * `server`: TN3270 clients, and `tls` around them. `station`: a display, with `painter` between CP's screen and the
//!   data stream.
//! * `local`: this program's own standard input and output as the operator's typewriter.
//! * `keyboard`: the same as the console of one guest.

#![warn(clippy::print_stdout, clippy::print_stderr)]

#[macro_use]
extern crate say;

pub mod keyboard;
pub mod local;
mod painter;
pub mod server;
pub mod station;
pub mod tls;
