//! Identity, time, size: DIAGNOSE X'00', X'0C', X'270' and X'260'. Texts are EBCDIC.

use base::layout::{I32, U16, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// What DIAGNOSE X'00' stores for a level of VM.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct ExtendedIdentification {
    /// The system's name.
    pub system: [u8; 8],
    pub reserved_08: [u8; 3],
    /// X'FF': the CPU is a virtual one.
    pub version: u8,
    pub reserved_0c: [u8; 2],
    /// The CPU address.
    pub cpu: U16,
    pub userid: [u8; 8],
    pub reserved_18: [u8; 8],
    /// The time zone, in seconds east.
    pub zone: I32,
    pub release: [u8; 2],
    pub reserved_26: [u8; 2],
}
const _: () = assert!(size_of::<ExtendedIdentification>() == 40);

/// What DIAGNOSE X'0C' stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct PseudoTimer {
    /// mm/dd/yy.
    pub date: [u8; 8],
    /// hh:mm:ss.
    pub time: [u8; 8],
    /// Virtual processor time in microseconds.
    pub virtual_us: U64,
    /// Total processor time in microseconds.
    pub total_us: U64,
}
const _: () = assert!(size_of::<PseudoTimer>() == 32);

/// What DIAGNOSE X'270' stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct ExtendedTimer {
    pub timer: PseudoTimer,
    /// mm/dd/yyyy.
    pub full_date: [u8; 10],
    pub reserved_2a: [u8; 6],
    /// yyyy-mm-dd.
    pub iso_date: [u8; 10],
    pub version: u8,
    /// The date format of the user.
    pub user_format: u8,
    /// The date format of the system.
    pub system_format: u8,
    pub reserved_3d: [u8; 3],
}
const _: () = assert!(size_of::<ExtendedTimer>() == 64);

/// An extent of DIAGNOSE X'260'.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct StorageExtent {
    /// Its first byte.
    pub first: U64,
    /// Its last byte.
    pub last: U64,
}
const _: () = assert!(size_of::<StorageExtent>() == 16);
