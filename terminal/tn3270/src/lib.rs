//! The terminal's side of the house: telnet, TN3270E, the 3270 data stream and a model of a 3270 screen.
//!
//! Nothing here opens a socket, knows the time, or knows what a control program is. A [`Session`] is fed the bytes
//! that came from a connection and is asked for the bytes to send; in between it yields [`Event`]s. It negotiates
//! TN3270E (RFC 2355), classic TN3270 (RFC 1576) or, for a plain `telnet`, line mode, whichever the client can do.
//!
//! A [`Client`] is the other end: a terminal that calls a host.
//!
//! [`datastream`] builds what goes to a display and reads what comes back; [`screen::Screen`] is a display in
//! memory: it obeys a data stream and can answer a read, so a host can remember what a terminal shows and a test
//! can look at it as text.
//!
//! Sources: RFC 854, 855, 885, 1091, 1576, 2355; *3270 Data Stream Programmer's Reference* (GA23-0059).

#![warn(missing_docs)]

mod client;
pub mod codepage;
pub mod datastream;
mod line;
mod negotiation;
pub mod screen;
mod session;
mod telnet;
mod terminal;
mod tn3270e;

pub use client::{Caller, Client, FromHost, sizes};
pub use datastream::{Aid, Inbound, Outbound, Size};
pub use screen::Screen;
pub use session::{Config, Event, Session};
pub use terminal::{Display, Model, Protocol, Terminal, TerminalType};
pub use tn3270e::{Function, Functions, Reject, Response};
