//! Networks between virtual machines: a [`Switch`], its [`Port`]s, and captures of what goes by.
//!
//! Nothing here opens a socket, reads a clock of the host or starts a thread: time comes from the [`base::Clock`] that
//! a switch was made with. Whatever has a frame to send calls [`Port::send`] on its own thread, which puts a copy into
//! the queue of each port that shall have it, and calls what these ports have given for that.
//!
//! Everything is bounded: queues, tables of addresses, lengths of frames. What finds no room is dropped and counted.

mod capture;
mod frame;
mod offload;
mod port;
mod queue;
mod switch;
mod table;
mod vlan;

pub use capture::{Capture, Direction};
pub use frame::{LONGEST, SHORTEST, VlanId};
pub use offload::{Cut, Offload, Takes, left_open};
pub use port::{Delivery, Port};
pub use queue::{Counters, Settings};
pub use smoltcp::wire::EthernetAddress as Mac;
pub use switch::Switch;
pub use table::Rules;
pub use vlan::{Vlan, VlanSet};
