//! CP, the Control Program: virtual machines for users.
//!
//! * `system`: which users are logged on, at which terminals. `events`: what a key press does, and time that passes.
//!   `logon`: the way in and out. `intercept`: what a virtual machine leaves to CP.
//! * `owned`: the volumes that CP owns, and paging to them.
//! * `command`: the table of commands and one file for each.
//! * `monitoring`: what the monitor reads of CP, and whom it tells.
//! * `services`: what DIAGNOSE asks of CP; `tell`: lines from one user to another.
//!
//! One virtual machine is in the crate `virtualmachine`, DIAGNOSE in `diagnose`. Nothing here reads the host's clock or
//! opens a socket: time is a [`base::Clock`], and `vm` connects terminals.

mod accounting;
pub mod command;
mod events;
pub mod intercept;
pub mod logon;
mod monitoring;
pub mod owned;
mod services;
mod sight;
pub mod system;
mod tell;
