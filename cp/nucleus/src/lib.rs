//! CP, the Control Program: virtual machines for users.
//!
//! * `system`: which users are logged on and what a key press does; `logon`: the way in and out; `vmdbk`: one virtual
//!   machine.
//! * `console`: terminals and consoles; `console::display` is the 3270 protocol of CP as a pure state machine.
//! * `command`: the table of commands and one file for each; `message`: the table of messages.
//! * `agenda`: what is due when, so that users and terminals need not all be looked at; `timers` under it.
//! * `saved`: saved systems and segments in use;
//! * `iucv`: paths and messages between virtual machines; `diagnose`: the services that a program asks for.
//! * `words`, `class`, `calendar`, `account`: the small vocabulary they share.
//!
//! Nothing here reads the host's clock or opens a socket: time is a [`base::Clock`], terminals are told and asked.

pub mod account;
pub mod agenda;
pub mod class;
pub mod command;
pub mod console;
pub mod diagnose;
pub mod dial;
pub mod examine;
pub mod intercept;
pub mod ipl;
pub mod iucv;
pub mod logon;
pub mod machine;
pub mod minidisk;
pub mod processor;
pub mod saved;
pub mod spooling;
pub mod system;
pub mod tape;
pub mod timers;
pub mod trace;
pub mod vmdbk;

pub use message;
pub use message::{calendar, words};
