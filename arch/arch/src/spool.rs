//! Spool files as DIAGNOSE X'14' shows them (CP Programming Services, "DIAGNOSE Code X'14'"): blocks (SPLINK), the
//! records in them, and the spool file block (SFBLOK).

use base::layout::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// A block of a spool file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SpoolBlock {
    /// X'000': 0 in every block of an ordinary file.
    pub kind: [u8; 4],
    /// X'004': reserved.
    pub reserved_004: [u8; 8],
    /// X'00C': how many records are in the block.
    pub count: U32,
    /// X'010': the records, one after the other: each a [`SpoolRecord`] and its data.
    pub records: [u8; 4048],
    /// X'FE0': the file's record length.
    pub record_length: U16,
    /// X'FE2': reserved.
    pub reserved_fe2: [u8; 6],
    /// X'FE8': reserved. On the host it is the check sum.
    pub seal: U64,
    /// X'FF0': reserved.
    pub reserved_ff0: [u8; 8],
    /// X'FF8': the spool file's number.
    pub spid: U16,
    /// X'FFA': reserved.
    pub reserved_ffa: [u8; 6],
}
const _: () = assert!(size_of::<SpoolBlock>() == 4096);

/// What is before a record's data.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SpoolRecord {
    /// X'00': the CCW's command code.
    pub op: u8,
    /// X'01': reserved.
    pub reserved_01: [u8; 5],
    /// X'06': bytes of data.
    pub length: U16,
    /// X'08': reserved.
    pub reserved_08: [u8; 2],
    /// X'0A': bytes of this and the data.
    pub whole: U16,
}
const _: () = assert!(size_of::<SpoolRecord>() == 12);

/// The spool file block. Text is in EBCDIC.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SpoolFileBlock {
    /// X'00': reserved.
    pub reserved_00: [u8; 8],
    /// X'08': whose it is.
    pub owner: [u8; 8],
    /// X'10': the user that made it.
    pub originator: [u8; 8],
    /// X'18': records.
    pub records: U32,
    /// X'1C': bytes of a record.
    pub record_length: U16,
    /// X'1E': the spool file's number.
    pub spid: U16,
    /// X'20': X'80': in use; X'20': user hold; X'04': system hold.
    pub flags: u8,
    /// X'21': a code for the device that made it.
    pub device: u8,
    /// X'22': reserved.
    pub reserved_22: [u8; 6],
    /// X'28': the file's name.
    pub name: [u8; 12],
    /// X'34': its type.
    pub kind: [u8; 12],
    /// X'40': when it was made: `MM/DD/YY`.
    pub date: [u8; 8],
    /// X'48': and `HH:MM:SS`.
    pub time: [u8; 8],
    /// X'50': reserved.
    pub reserved_50: [u8; 6],
    /// X'56': its class.
    pub class: [u8; 1],
    /// X'57': reserved.
    pub reserved_57: u8,
    /// X'58': the distribution code.
    pub dist: [u8; 8],
    /// X'60': reserved.
    pub reserved_60: [u8; 208],
}
const _: () = assert!(size_of::<SpoolFileBlock>() == 304);
