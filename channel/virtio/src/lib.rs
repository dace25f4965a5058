//! Virtio devices on the channel subsystem (Virtual I/O Device specification 1.2, chapter 4.3).
//!
//! [`Virtio`] is the transport: a [`css::Device`] with control unit 3832 that knows all commands, keeps queues and
//! indicators, and asks a [`Model`] what the device is. Models here are a network card ([`Card`]), a source of random
//! numbers ([`Entropy`]), and what answers requests ([`Requests`]): a folder of the host ([`share`]) and a disk
//! ([`disk`]).
//!
//! Work is done on the threads of virtual CPUs: on that of the CPU that notifies the device, or that attends to the
//! channel subsystem after the device's bell has rung. A device has no thread of its own. Where the host may take its
//! time, requests lie on a [`Desk`], and a thread of whatever attached the device answers them.
//!
//! What a program does wrong in a queue breaks the device until the program resets it: its status then says
//! NEEDS_RESET. What it does wrong in a command is a unit check with command reject.
//!
//! Legacy drivers, of revision 0, are refused. Their rings are in the byte order of the program, and each kind of
//! device has other layouts for them. Linux has known revision 1 since version 4.0.

mod balloon;
mod console;
mod disk;
mod entropy;
mod net;
mod requests;
mod ring;
mod share;
mod socket_device;
mod sockets;
mod transport;

pub use balloon::{Balloon, BalloonFigures, Valve};
pub use console::{LINE, Line, SerialConsole};
pub use disk::{Geometry, Medium, SECTOR, Sectors, disk};
pub use entropy::Entropy;
pub use net::{Cable, Card, CardCounters};
pub use requests::{About, Desk, Requests, Service};
pub use ring::{Broken, Chain, Queue};
pub use share::{LONGEST_TAG, share};
pub use socket_device::{Hub, SocketDevice};
pub use sockets::{Event, FIRST_GUEST, HOST, Ports, ROOM, Sockets};
pub use transport::{Cause, Model, Queues, Virtio};
