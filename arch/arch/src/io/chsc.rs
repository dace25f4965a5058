//! Blocks of CHANNEL SUBSYSTEM CALL: one page, in which the request comes first and the response follows it.

use base::layout::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Bytes of a block.
pub const BLOCK: usize = 4096;

/// What a request begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Request {
    /// X'00': bytes of the request, this included.
    pub length: U16,
    /// X'02': the command.
    pub code: U16,
}
const _: () = assert!(size_of::<Request>() == 4);

/// What a response begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Response {
    /// X'00': bytes of the response, this included.
    pub length: U16,
    /// X'02': how the request went.
    pub code: U16,
    /// X'04': reserved.
    pub reserved_4: U32,
}
const _: () = assert!(size_of::<Response>() == 8);

/// The request of command 0002, store channel-path description.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct PathRange {
    /// X'00': the length and the command.
    pub request: Request,
    /// X'04': which of several channel subsystems, and the format of what is asked.
    pub flags: U16,
    /// X'06': the format of the response, in the low bits.
    pub format: u8,
    /// X'07': the first channel-path identifier.
    pub first: u8,
    /// X'08': reserved.
    pub reserved_8: [u8; 3],
    /// X'0B': the last channel-path identifier.
    pub last: u8,
}
const _: () = assert!(size_of::<PathRange>() == 12);

/// What command 0002 says of a channel path in format 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct PathDescription {
    /// X'00': flags; X'80': valid.
    pub flags: u8,
    /// X'01': the address of a link, which a path through a director has.
    pub link: u8,
    /// X'02': the type of channel: see [`path_type`].
    pub kind: u8,
    /// X'03': the channel-path identifier.
    pub chpid: u8,
    /// X'04': reserved.
    pub reserved_4: [u8; 4],
}
const _: () = assert!(size_of::<PathDescription>() == 8);

/// Types of channel paths.
pub mod path_type {
    /// Block-multiplexing parallel channels.
    pub const BLOCK: u8 = 0x01;
    /// OSA in QDIO mode.
    pub const OSD: u8 = 0x11;
    /// HiperSockets.
    pub const IQD: u8 = 0x24;
    /// Those of virtio devices.
    pub const VIRTIO: u8 = 0x32;
}

/// The request of command 0004, store subchannel description.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SubchannelRange {
    /// X'00': the length and the command.
    pub request: Request,
    /// X'04': the subchannel set in the bits X'0030'.
    pub flags: U16,
    /// X'06': the first subchannel number.
    pub first: U16,
    /// X'08': reserved.
    pub reserved_8: U16,
    /// X'0A': the last subchannel number.
    pub last: U16,
    /// X'0C': reserved.
    pub reserved_c: U32,
}
const _: () = assert!(size_of::<SubchannelRange>() == 16);

/// What command 0004 says of a subchannel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SubchannelDescription {
    /// X'00': flags; X'80': the subchannel is valid; X'40': the device number is.
    pub flags: u8,
    /// X'01': the device's address at its control unit.
    pub unit_address: u8,
    /// X'02': the device number.
    pub device: U16,
    /// X'04': which channel paths there are.
    pub path_mask: u8,
    /// X'05': reserved.
    pub reserved_5: u8,
    /// X'06': the subchannel number.
    pub subchannel: U16,
    /// X'08': the identifiers of up to eight channel paths.
    pub chpid: [u8; 8],
    /// X'10': the addresses of links, which paths through a director have.
    pub links: [U16; 8],
}
const _: () = assert!(size_of::<SubchannelDescription>() == 32);

/// What command 0024, store subchannel QDIO data, says of a subchannel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct QueueDescription {
    /// X'00': flags; X'80': it has queues; X'40': this is valid.
    pub flags: u8,
    /// X'01': reserved.
    pub reserved_1: u8,
    /// X'02': the subchannel number.
    pub subchannel: U16,
    /// X'04': the format of queues.
    pub format: u8,
    /// X'05': a parameter.
    pub parameter: u8,
    /// X'06': what SIGNAL ADAPTER is needed for: X'40' input, X'20' output.
    pub signals: u8,
    /// X'07': the class of the subchannel.
    pub class: u8,
    /// X'08': a count.
    pub count: u8,
    /// X'09': input queues.
    pub inputs: u8,
    /// X'0A': reserved.
    pub reserved_a: u8,
    /// X'0B': output queues.
    pub outputs: u8,
    /// X'0C': reserved.
    pub reserved_c: u8,
    /// X'0D': a count.
    pub blocks: u8,
    /// X'0E': more of what there is.
    pub more: U16,
    /// X'10': a token; zero: buffers have no states that instructions set.
    pub token: U64,
    /// X'18': limits.
    pub limits: [u8; 8],
}
const _: () = assert!(size_of::<QueueDescription>() == 32);

/// The request of command 0021, set channel-subsystem adapter: where a device with queues indicates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SetIndicators {
    /// X'00': the length and the command.
    pub request: Request,
    /// X'04': the operation; 0: both indicators are set.
    pub operation: U16,
    /// X'06': reserved.
    pub reserved_6: U16,
    /// X'08': reserved.
    pub reserved_8: U64,
    /// X'10': the summary indicator, an absolute address; 0: none.
    pub summary: U64,
    /// X'18': the indicator of the device, an absolute address; 0: none.
    pub device: U64,
    /// X'20': storage keys.
    pub keys: u8,
    /// X'21': reserved.
    pub reserved_21: [u8; 2],
    /// X'23': the interruption subclass.
    pub isc: u8,
    /// X'24': flags.
    pub flags: U32,
    /// X'28': reserved.
    pub reserved_28: U32,
    /// X'2C': the subchannel.
    pub subchannel: U32,
}
const _: () = assert!(size_of::<SetIndicators>() == 0x30);
