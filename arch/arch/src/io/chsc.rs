//! Blocks of CHANNEL SUBSYSTEM CALL: one page, in which the request comes first and the response follows it.

use base::layout::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Bytes of a block.
pub const BLOCK: usize = 4096;

/// What a request begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Request {
    /// Bytes of the request, this included.
    pub length: U16,
    /// The command.
    pub code: U16,
}
const _: () = assert!(size_of::<Request>() == 4);

/// What a response begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Response {
    /// Bytes of the response, this included.
    pub length: U16,
    /// How the request went.
    pub code: U16,
    pub reserved_4: U32,
}
const _: () = assert!(size_of::<Response>() == 8);

/// The request of command 0002, store channel-path description.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct PathRange {
    pub request: Request,
    /// Which of several channel subsystems, and the format of what is asked.
    pub flags: U16,
    /// The format of the response, in the low bits.
    pub format: u8,
    /// The first channel-path identifier.
    pub first: u8,
    pub reserved_8: [u8; 3],
    /// The last channel-path identifier.
    pub last: u8,
}
const _: () = assert!(size_of::<PathRange>() == 12);

/// What command 0002 says of a channel path in format 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct PathDescription {
    /// X'80': valid.
    pub flags: u8,
    /// The address of a link, which a path through a director has.
    pub link: u8,
    /// The type of channel.
    pub kind: u8,
    pub chpid: u8,
    pub reserved_4: [u8; 4],
}
const _: () = assert!(size_of::<PathDescription>() == 8);

/// The request of command 0004, store subchannel description.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SubchannelRange {
    pub request: Request,
    /// The subchannel set in the bits X'0030'.
    pub flags: U16,
    pub first: U16,
    pub reserved_8: U16,
    pub last: U16,
    pub reserved_c: U32,
}
const _: () = assert!(size_of::<SubchannelRange>() == 16);

/// What command 0004 says of a subchannel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SubchannelDescription {
    /// X'80': the subchannel is valid; X'40': the device number is.
    pub flags: u8,
    pub unit_address: u8,
    pub device: U16,
    /// Which channel paths there are.
    pub path_mask: u8,
    pub reserved_5: u8,
    pub subchannel: U16,
    pub chpid: [u8; 8],
    /// The addresses of links, which paths through a director have.
    pub links: [U16; 8],
}
const _: () = assert!(size_of::<SubchannelDescription>() == 32);
