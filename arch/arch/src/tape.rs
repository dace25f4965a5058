//! What programs and tape drives say to each other (IBM 3480 Magnetic Tape Subsystem Reference).

use base::layout::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Characteristics of a drive.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct TapeCharacteristics {
    /// X'00': its type.
    pub control_unit: U16,
    /// X'02': the model of the control unit.
    pub control_unit_model: u8,
    /// X'03': its type.
    pub device: U16,
    /// X'05': the model of the drive.
    pub device_model: u8,
    /// X'06': reserved.
    pub reserved_06: [u8; 4],
    /// X'0A': what the drive can do.
    pub features: u8,
    /// X'0B': reserved.
    pub reserved_0b: [u8; 53],
}
const _: () = assert!(size_of::<TapeCharacteristics>() == 64);

/// What READ BLOCK ID gives: block numbers, with where on the tape they are in the left byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BlockIds {
    /// X'00': of the next block of the channel.
    pub channel: U32,
    /// X'04': of the next block on the tape; the same without a buffer.
    pub device: U32,
}
const _: () = assert!(size_of::<BlockIds>() == 8);
