//! Control blocks of SERVICE CALL (SCCB) and the events in them. What Linux asks of the service element is the
//! specification.

use base::layout::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The beginning of each control block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SccbHeader {
    /// Bytes of the block.
    pub length: U16,
    pub function: u8,
    pub control: [u8; 3],
    /// How the command went.
    pub response: U16,
}
const _: () = assert!(size_of::<SccbHeader>() == 8);

/// What READ SCP INFORMATION gives; [`CpuEntry`]s follow it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct ScpInfo {
    pub header: SccbHeader,
    /// Storage increments.
    pub increments: U16,
    /// Megabytes in an increment, or 0: see `increment_size_2`.
    pub increment_size: u8,
    pub reserved_0b: [u8; 5],
    /// CPU entries.
    pub cpus: U16,
    /// Where they begin.
    pub cpu_offset: U16,
    pub reserved_14: [u8; 4],
    pub load_parameter: [u8; 8],
    pub reserved_20: [u8; 53],
    /// See [`ENHANCED_SUPPRESSION`].
    pub facilities_85: u8,
    pub reserved_56: [u8; 14],
    /// Megabytes in an increment if they are more than 255.
    pub increment_size_2: U32,
    pub reserved_68: [u8; 40],
}
const _: () = assert!(size_of::<ScpInfo>() == 144);

/// In [`ScpInfo::facilities_85`]: enhanced suppression on protection. KVM relies on it for pages that its guest and
/// others share until one of them stores.
pub const ENHANCED_SUPPRESSION: u8 = 0x02;

/// What READ CPU INFORMATION gives; [`CpuEntry`]s follow it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct CpuInfo {
    pub header: SccbHeader,
    /// CPU entries.
    pub configured: U16,
    /// Where they begin.
    pub configured_offset: U16,
    /// Entries of CPUs that are not configured.
    pub standby: U16,
    /// Where they begin.
    pub standby_offset: U16,
    pub reserved_10: [u8; 8],
}
const _: () = assert!(size_of::<CpuInfo>() == 24);

/// A CPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct CpuEntry {
    /// The CPU address.
    pub address: u8,
    pub reserved_01: u8,
    /// See [`INTERPRETIVE_EXECUTION`].
    pub facilities: u8,
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
    pub header: SccbHeader,
    pub reserved_08: [u8; 2],
    /// Bytes of each mask, 4 or 8. The first bit is event type 1.
    pub mask_length: U16,
}
const _: () = assert!(size_of::<EventMasks>() == 12);

/// The header of an event; its data follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct EventBuffer {
    /// Bytes of header and data.
    pub length: U16,
    /// The event type.
    pub kind: u8,
    /// See [`EVENT_ACCEPTED`].
    pub flags: u8,
    pub reserved_04: [u8; 2],
}
const _: () = assert!(size_of::<EventBuffer>() == 6);

/// In [`EventBuffer::flags`]: the event that the program has sent was taken.
pub const EVENT_ACCEPTED: u8 = 0x80;

/// The header of a message-data block; [`MessageObject`]s follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct MessageHeader {
    pub length: U16,
    pub kind: U16,
    /// `MDB ` in EBCDIC.
    pub tag: [u8; 4],
    pub revision: U32,
}
const _: () = assert!(size_of::<MessageHeader>() == 12);

/// The header of an object in a message-data block; its data follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct MessageObject {
    /// Bytes of header and data.
    pub length: U16,
    /// See [`TEXT_OBJECT`].
    pub kind: U16,
}
const _: () = assert!(size_of::<MessageObject>() == 4);

/// [`MessageObject::kind`] of a line: after two bytes of flags its text follows.
pub const TEXT_OBJECT: u16 = 4;

/// The header of a general-data-stream vector; its data follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct GdsVector {
    /// Bytes of header and data.
    pub length: U16,
    pub id: U16,
}
const _: () = assert!(size_of::<GdsVector>() == 4);
