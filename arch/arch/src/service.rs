//! Control blocks of SERVICE CALL (SCCB) and the events in them. What Linux asks of the service element is the
//! specification.

use base::layout::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The beginning of each control block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SccbHeader {
    /// X'00': bytes of the block.
    pub length: U16,
    /// X'02': the function code; 0 for most commands.
    pub function: u8,
    /// X'03': controls of the command.
    pub control: [u8; 3],
    /// X'06': how the command went.
    pub response: U16,
}
const _: () = assert!(size_of::<SccbHeader>() == 8);

/// What READ SCP INFORMATION gives; [`CpuEntry`]s follow it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct ScpInfo {
    /// X'00': the length of the block and how the command went.
    pub header: SccbHeader,
    /// X'08': storage increments.
    pub increments: U16,
    /// X'0A': megabytes in an increment, or 0: see `increment_size_2`.
    pub increment_size: u8,
    /// X'0B': reserved.
    pub reserved_0b: [u8; 5],
    /// X'10': CPU entries.
    pub cpus: U16,
    /// X'12': where they begin.
    pub cpu_offset: U16,
    /// X'14': reserved.
    pub reserved_14: [u8; 4],
    /// X'18': the load parameter, in EBCDIC.
    pub load_parameter: [u8; 8],
    /// X'20': reserved.
    pub reserved_20: [u8; 53],
    /// X'55': [`ENHANCED_SUPPRESSION`], [`STORAGE_LIMIT_SUPPRESSION`].
    pub facilities_85: u8,
    /// X'56': reserved.
    pub reserved_56: [u8; 14],
    /// X'64': megabytes in an increment if they are more than 255.
    pub increment_size_2: U32,
    /// X'68': reserved.
    pub reserved_68: [u8; 40],
}
const _: () = assert!(size_of::<ScpInfo>() == 144);

/// In [`ScpInfo::facilities_85`]: enhanced suppression on protection. KVM relies on it for pages that its guest and
/// others share until one of them stores.
pub const ENHANCED_SUPPRESSION: u8 = 0x02;

/// There: interpreted guests may be without a limit of their storage of their own.
pub const STORAGE_LIMIT_SUPPRESSION: u8 = 0x80;

/// What READ CPU INFORMATION gives; [`CpuEntry`]s follow it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct CpuInfo {
    /// X'00': the length of the block and how the command went.
    pub header: SccbHeader,
    /// X'08': CPU entries.
    pub configured: U16,
    /// X'0A': where they begin.
    pub configured_offset: U16,
    /// X'0C': entries of CPUs that are not configured.
    pub standby: U16,
    /// X'0E': where they begin.
    pub standby_offset: U16,
    /// X'10': reserved.
    pub reserved_10: [u8; 8],
}
const _: () = assert!(size_of::<CpuInfo>() == 24);

/// A CPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct CpuEntry {
    /// X'00': the CPU address.
    pub address: u8,
    /// X'01': reserved.
    pub reserved_01: u8,
    /// X'02': see [`INTERPRETIVE_EXECUTION`].
    pub facilities: u8,
    /// X'03': reserved.
    pub reserved_03: [u8; 13],
}
const _: () = assert!(size_of::<CpuEntry>() == 16);

/// In [`CpuEntry::facilities`]: interpretive execution, format 2.
pub const INTERPRETIVE_EXECUTION: u8 = 0x08;

/// WRITE EVENT MASK. Four masks follow: what the program receives and sends, what the service element receives and
/// sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct EventMasks {
    /// X'00': the length of the block and how the command went.
    pub header: SccbHeader,
    /// X'08': reserved.
    pub reserved_08: [u8; 2],
    /// X'0A': bytes of each mask, 4 or 8. The first bit is event type 1.
    pub mask_length: U16,
}
const _: () = assert!(size_of::<EventMasks>() == 12);

/// The header of an event; its data follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct EventBuffer {
    /// X'00': bytes of header and data.
    pub length: U16,
    /// X'02': the event type.
    pub kind: u8,
    /// X'03': see [`EVENT_ACCEPTED`].
    pub flags: u8,
    /// X'04': reserved.
    pub reserved_04: [u8; 2],
}
const _: () = assert!(size_of::<EventBuffer>() == 6);

/// In [`EventBuffer::flags`]: the event that the program has sent was taken.
pub const EVENT_ACCEPTED: u8 = 0x80;

/// The header of a message-data block; [`MessageObject`]s follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct MessageHeader {
    /// X'00': bytes of the block.
    pub length: U16,
    /// X'02': its type.
    pub kind: U16,
    /// X'04': `MDB ` in EBCDIC.
    pub tag: [u8; 4],
    /// X'08': the revision of the form.
    pub revision: U32,
}
const _: () = assert!(size_of::<MessageHeader>() == 12);

/// The header of an object in a message-data block; its data follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct MessageObject {
    /// X'00': bytes of header and data.
    pub length: U16,
    /// X'02': see [`TEXT_OBJECT`].
    pub kind: U16,
}
const _: () = assert!(size_of::<MessageObject>() == 4);

/// [`MessageObject::kind`] of a line: after two bytes of flags its text follows.
pub const TEXT_OBJECT: u16 = 4;

/// The header of a general-data-stream vector; its data follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct GdsVector {
    /// X'00': bytes of header and data.
    pub length: U16,
    /// X'02': what kind of vector it is.
    pub id: U16,
}
const _: () = assert!(size_of::<GdsVector>() == 4);
