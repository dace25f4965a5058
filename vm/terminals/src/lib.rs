//! The terminals of a host, as CP's users see them.
//!
//! * `server`: TN3270 clients, with `painter` between CP's screen and the data stream, and `tls` around it.
//! * `local`: this program's own standard input and output as the operator's typewriter.
//! * `keyboard`: the same as the console of one guest.

#[macro_use]
extern crate say;

pub mod keyboard;
pub mod local;
mod painter;
pub mod server;
pub mod tls;
