//! CP, the Control Program: virtual machines for users.
//!
//! * `system`: which users are logged on, at which terminals; `events`: what a key press does, and time that passes;
//!   `logon`: the way in and out; `vmdbk`: one virtual machine.
//! * `command`: the table of commands and one file for each.
//! * `diagnose`: the services that a program asks for.
//! * `class`: privilege classes.
//!
//! Nothing here reads the host's clock or opens a socket: time is a [`base::Clock`], terminals are told and asked.

mod block_path;
pub mod class;
pub mod command;
pub mod diagnose;
mod events;
pub mod examine;
pub mod intercept;
pub mod logon;
pub mod machine;
pub mod processor;
pub mod system;
pub mod tape;
mod tell;
pub mod trace;
pub mod vmdbk;
