//! LAN channel stations (the 3172, and what OSA-2 is as one): what blocks on their channels look like.
//!
//! There is no public manual of these. The layouts are those that Linux's driver `lcs` declares.

use base::layout::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The type and model of the control unit of an OSA-2 as a LAN channel station.
pub const STATION: (u16, u8) = (0x3088, 0x60);

/// What precedes each message and each frame in a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BlockHead {
    /// X'00': where in the block the next head is; 0: nothing follows.
    pub next: U16,
    /// X'02': [`content`].
    pub kind: u8,
    /// X'03': the port.
    pub port: u8,
}
const _: () = assert!(size_of::<BlockHead>() == 4);

/// What follows a [`BlockHead`].
pub mod content {
    /// A message: [`Message`](super::Message).
    pub const MESSAGE: u8 = 0;
    /// A frame of Ethernet.
    pub const ETHERNET: u8 = 1;
}

/// The beginning of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Message {
    /// X'00': [`message`].
    pub command: u8,
    /// X'01': which side began: 1 the station, others the host.
    pub initiator: u8,
    /// X'02': the number, which the answer has too.
    pub number: U16,
    /// X'04': how it went.
    pub outcome: U16,
    /// X'06': the type of LAN: [`content::ETHERNET`].
    pub lan: u8,
    /// X'07': the port.
    pub port: u8,
    /// X'08': in STARTUP how long a block is; of QIPASSIST, how many addresses.
    pub size: U16,
}
const _: () = assert!(size_of::<Message>() == 10);

impl Message {
    /// The station began.
    pub const STATION: u8 = 1;
}

/// Messages.
pub mod message {
    /// STARTLAN: the host begins; from the station: the link is up.
    pub const START_LAN: u8 = 0x01;
    /// STOPLAN: the host ends; from the station: the link is down.
    pub const STOP_LAN: u8 = 0x02;
    /// LANSTAT: the address, and what was counted.
    pub const STATISTICS: u8 = 0x04;
    /// STARTUP: the channels are used.
    pub const STARTUP: u8 = 0x07;
    /// SHUTDOWN.
    pub const SHUTDOWN: u8 = 0x08;
    /// QIPASSIST: what the station can do.
    pub const QUERY_ASSISTS: u8 = 0xb2;
    /// SETIPM: a group.
    pub const SET_GROUP: u8 = 0xb4;
    /// DELIPM.
    pub const DELETE_GROUP: u8 = 0xb5;
}

/// What follows [`Message`] in QIPASSIST.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Assists {
    /// X'00': what the station can do: [`Assists::GROUPS`].
    pub can: U16,
    /// X'02': what of that is on.
    pub does: U16,
    /// X'04': the version.
    pub version: U16,
}
const _: () = assert!(size_of::<Assists>() == 6);

impl Assists {
    /// Frames to groups.
    pub const GROUPS: u16 = 0x0040;
}

/// What follows [`Message`] in the answer to LANSTAT.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Statistics {
    /// X'00': reserved.
    pub reserved_0: [u8; 8],
    /// X'08': the address.
    pub mac: [u8; 6],
    /// X'0E': frames from blocks, and frames into blocks.
    pub deblocked: [U32; 2],
    /// X'16': frames sent on the LAN, wrong ones, and dropped ones.
    pub sent: [U32; 3],
    /// X'22': frames from the LAN, wrong ones, dropped ones, and those that were too long.
    pub received: [U32; 4],
}
const _: () = assert!(size_of::<Statistics>() == 0x32);
