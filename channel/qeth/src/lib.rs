//! A network adapter of the OSA family in QDIO mode, at layer 2: what Linux's driver `qeth` drives.
//!
//! An adapter is three devices. The read device carries messages to the driver, the write device messages from it. The
//! data device has the queues: 128 buffers each, in the driver's storage, one queue for frames that come, up to four
//! for frames that go. A byte says of each buffer whose it is.
//!
//! * `control`: the messages. A driver activates both control channels, sets up a connection, and sends commands.
//! * `queues`: frames between buffers and a port of a switch.
//! * `device`: the three devices on the channel subsystem.
//!
//! The driver says by SIGNAL ADAPTER that there are frames to send, or that it has emptied buffers. For what it is to
//! look at, the adapter sets an indicator and makes an adapter interruption pending.
//!
//! What a driver does wrong in a queue ends the queues: their channel program ends with unit check. What it does wrong
//! in a message is answered with a code, or not at all.

#![forbid(unsafe_code)]

mod control;
mod device;
mod queues;

pub use device::devices;
