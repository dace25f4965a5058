//! A network adapter of the OSA family in QDIO mode, or of HiperSockets: what Linux's driver `qeth` drives.
//!
//! An adapter is three devices. The read device carries messages to the driver, the write device messages from it. The
//! data device has the queues: 128 buffers each, in the driver's storage, one queue for frames that come, up to four
//! for frames that go. A byte says of each buffer whose it is.
//!
//! * `control`: the messages. A driver activates both control channels, sets up a connection, and sends commands.
//! * `queues`: frames or packets between buffers and a port of a switch.
//! * `internet`: what the adapter does at layer 3, where the driver hands over packets.
//! * `device`: the three devices on the channel subsystem.
//!
//! The driver says by SIGNAL ADAPTER that there are frames to send, or that it has emptied buffers. For what it is to
//! look at, the adapter sets an indicator and makes an adapter interruption pending.
//!
//! What a driver does wrong in a queue ends the queues: their channel program ends with unit check. What it does wrong
//! in a message is answered with a code, or not at all.

mod control;
mod device;
mod internet;
mod queues;

use arch::io::path_type;
use arch::qdio::{HIPERSOCKETS, OSA};

pub use device::devices;

/// What an adapter is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// An OSA. The driver chooses layer 2 or layer 3.
    Osa,
    /// HiperSockets: at layer 3, IPv4 only.
    Hipersockets,
}

impl Family {
    /// Control unit and model, device and model.
    fn types(self) -> (u16, u8, u16, u8) {
        match self {
            Family::Osa => OSA,
            Family::Hipersockets => HIPERSOCKETS,
        }
    }

    fn path_type(self) -> u8 {
        match self {
            Family::Osa => path_type::OSD,
            Family::Hipersockets => path_type::IQD,
        }
    }

    /// The format of queues.
    fn format(self) -> u8 {
        match self {
            Family::Osa => 0,
            Family::Hipersockets => 2,
        }
    }
}
