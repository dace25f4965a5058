//! Virtual unit record devices: the reader, punch, printer and console of a virtual machine, on spool files.
//!
//! A [`Unit`] is what SPOOL has set for one device, and the file that is open on it now. The device in the channel
//! subsystem ([`device()`]) and the commands SPOOL, CLOSE, QUERY VIRTUAL share it. [`close`] makes what was written a
//! user's file, and has the lines that tell of it; [`options`] are the operands that SPOOL, CLOSE and CHANGE share;
//! [`record`] is SPOOL CONSOLE START. Taken are user IDs, the spool and the time; which user sees a line is for the
//! caller.
//!
//! Lock order: channel subsystem, console, unit, spool. So a thread that has a unit or the spool locked writes to no
//! console and asks no channel subsystem.

pub mod close;
mod device;
pub mod options;
pub mod record;
mod unit;

pub use device::device;
pub use unit::{Settings, SharedUnit, Unit, lock_unit};
