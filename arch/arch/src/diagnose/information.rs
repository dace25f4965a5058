//! Identity, time, size: DIAGNOSE X'00', X'0C', X'270' and X'260'. Texts are EBCDIC.

use base::layout::{I32, U16, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// What DIAGNOSE X'00' stores for a level of VM.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct ExtendedIdentification {
    /// X'00': the system's name.
    pub system: [u8; 8],
    /// X'08': reserved.
    pub reserved_08: [u8; 3],
    /// X'0B': the version code; X'FF': the CPU is a virtual one.
    pub version: u8,
    /// X'0C': reserved.
    pub reserved_0c: [u8; 2],
    /// X'0E': the CPU address.
    pub cpu: U16,
    /// X'10': the user ID of the virtual machine.
    pub userid: [u8; 8],
    /// X'18': reserved.
    pub reserved_18: [u8; 8],
    /// X'20': the time zone, in seconds east.
    pub zone: I32,
    /// X'24': the release of the level of VM.
    pub release: [u8; 2],
    /// X'26': reserved.
    pub reserved_26: [u8; 2],
}
const _: () = assert!(size_of::<ExtendedIdentification>() == 40);

/// What DIAGNOSE X'0C' stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct PseudoTimer {
    /// X'00': mm/dd/yy.
    pub date: [u8; 8],
    /// X'08': hh:mm:ss.
    pub time: [u8; 8],
    /// X'10': virtual processor time in microseconds.
    pub virtual_us: U64,
    /// X'18': total processor time in microseconds.
    pub total_us: U64,
}
const _: () = assert!(size_of::<PseudoTimer>() == 32);

/// What DIAGNOSE X'270' stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct ExtendedTimer {
    /// X'00': what DIAGNOSE X'0C' stores, too.
    pub timer: PseudoTimer,
    /// X'20': mm/dd/yyyy.
    pub full_date: [u8; 10],
    /// X'2A': reserved.
    pub reserved_2a: [u8; 6],
    /// X'30': yyyy-mm-dd.
    pub iso_date: [u8; 10],
    /// X'3A': the version of this form.
    pub version: u8,
    /// X'3B': the date format of the user.
    pub user_format: u8,
    /// X'3C': the date format of the system.
    pub system_format: u8,
    /// X'3D': reserved.
    pub reserved_3d: [u8; 3],
}
const _: () = assert!(size_of::<ExtendedTimer>() == 64);

/// An extent of DIAGNOSE X'260'.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct StorageExtent {
    /// X'00': its first byte.
    pub first: U64,
    /// X'08': its last byte.
    pub last: U64,
}
const _: () = assert!(size_of::<StorageExtent>() == 16);
