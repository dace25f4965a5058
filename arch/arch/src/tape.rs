//! What programs and tape drives say to each other (IBM 3480 Magnetic Tape Subsystem Reference).

use base::layout::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Characteristics of a drive.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct TapeCharacteristics {
    /// Its type.
    pub control_unit: U16,
    pub control_unit_model: u8,
    /// Its type.
    pub device: U16,
    pub device_model: u8,
    pub reserved_06: [u8; 4],
    pub features: u8,
    pub reserved_0b: [u8; 53],
}
const _: () = assert!(size_of::<TapeCharacteristics>() == 64);

/// What READ BLOCK ID gives: block numbers, with where on the tape they are in the left byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BlockIds {
    /// Of the next block of the channel.
    pub channel: U32,
    /// Of the next block on the tape; the same without a buffer.
    pub device: U32,
}
const _: () = assert!(size_of::<BlockIds>() == 8);
