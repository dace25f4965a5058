//! CP, the Control Program: virtual machines for users.
//!
//! * `system`: which users are logged on, at which terminals; `events`: what a key press does, and time that passes;
//!   `logon`: the way in and out.
//! * `vmdbk`: one virtual machine; `machine`: its hardware; `processor`: what runs it; `intercept`: what it leaves to
//!   CP; `trace` and `examine`: what TRACE, DISPLAY and STORE see of it.
//! * `command`: the table of commands and one file for each; `class`: privilege classes.
//! * `diagnose`: the services that a program asks for; `block_path`: minidisks at the ends of IUCV's paths.
//! * `tell`: lines from one user to another; `tape`: real tape drives; `nic`, `ctca`: virtual network and
//!   channel-to-channel adapters.
//!
//! Nothing here reads the host's clock or opens a socket: time is a [`base::Clock`], and `vm` connects terminals.

mod block_path;
pub mod class;
pub mod command;
pub mod ctca;
pub mod diagnose;
mod events;
pub mod examine;
pub mod intercept;
pub mod logon;
pub mod machine;
pub mod nic;
pub mod peripheral;
pub mod processor;
pub mod system;
pub mod tape;
mod tell;
pub mod trace;
mod vmcf_memory;
pub mod vmdbk;
