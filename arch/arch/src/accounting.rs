//! Accounting records: what CP hands to the virtual machine that is connected to *ACCOUNT (CP Programming Services,
//! SC24-5520, "Accounting Records"; CP Planning and Administration, "Accounting").
//!
//! Every record has 80 bytes, and its [`code`] in the last two. Text is EBCDIC, numbers are binary, and what is
//! reserved is zero.

use crate::diagnose::RealType;
use base::layout::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Bytes of an accounting record.
pub const LENGTH: usize = 80;

/// What kind of record it is: two characters, in EBCDIC.
pub mod code {
    /// What a virtual machine has used: at LOGOFF, by ACNT and by DIAGNOSE X'4C'.
    pub const USE: [u8; 2] = [0xf0, 0xf1];
    /// A dedicated device that its user gives up.
    pub const DEVICE: [u8; 2] = [0xf0, 0xf2];
    /// A temporary disk that its user gives up.
    pub const TEMPORARY: [u8; 2] = [0xf0, 0xf3];
    /// Journal: wrong passwords at LOGON and AUTOLOG have reached the limit.
    pub const LOGON: [u8; 2] = [0xf0, 0xf4];
    /// Journal: LINK to a minidisk that a password protects.
    pub const LINK: [u8; 2] = [0xf0, 0xf5];
    /// Journal: wrong passwords at LINK have reached the limit.
    pub const LINK_REFUSED: [u8; 2] = [0xf0, 0xf6];
    /// Journal: LINK to another user's minidisk without a password.
    pub const LINK_OPEN: [u8; 2] = [0xf0, 0xf8];
    /// A virtual disk in storage whose last user has gone.
    pub const VIRTUAL: [u8; 2] = [0xf0, 0xc2];
    /// A program's own record (DIAGNOSE X'4C').
    pub const USER: [u8; 2] = [0xc3, 0xf0];

    /// The code of the same record for a user who has it charged to another (DIAGNOSE X'4C'): C1 for 01 and so on.
    pub fn charged(code: [u8; 2]) -> [u8; 2] {
        [0xc3, code[1]]
    }
}

/// What most records begin with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RecordHead {
    /// X'00': the user ID.
    pub userid: [u8; 8],
    /// X'08': the account number.
    pub account: [u8; 8],
    /// X'10': when the record was made, local time: mmddyyhhmmss.
    pub stamp: [u8; 12],
}
const _: () = assert!(size_of::<RecordHead>() == 28);

/// [`code::USE`]: what a virtual machine has used since it logged on, or since its last record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct MachineUse {
    /// X'00': whose it is, and when it was made.
    pub head: RecordHead,
    /// X'1C': seconds logged on.
    pub connected: U32,
    /// X'20': milliseconds of processor time, CP's work for the virtual machine included.
    pub total: U32,
    /// X'24': milliseconds of virtual processor time.
    pub emulation: U32,
    /// X'28': pages read.
    pub reads: U32,
    /// X'2C': pages written.
    pub writes: U32,
    /// X'30': I/O operations, other than those of spooled devices and of the console.
    pub started: U32,
    /// X'34': cards punched.
    pub punched: U32,
    /// X'38': lines printed.
    pub printed: U32,
    /// X'3C': cards read.
    pub read: U32,
    /// X'40': reserved.
    pub reserved_40: [u8; 14],
    /// X'4E': [`code::USE`], or the same charged.
    pub code: [u8; 2],
}
const _: () = assert!(size_of::<MachineUse>() == LENGTH);

/// [`code::DEVICE`]: how long a user had a dedicated device.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct DedicatedDevice {
    /// X'00': whose it was, and when it was given up.
    pub head: RecordHead,
    /// X'1C': for how many seconds.
    pub connected: U32,
    /// X'20': device class, type, model and features, as DIAGNOSE X'24' has those of a real device.
    pub device: RealType,
    /// X'24': the real device number, as four characters.
    pub rdev: [u8; 4],
    /// X'28': reserved.
    pub reserved_28: [u8; 38],
    /// X'4E': [`code::DEVICE`], or the same charged.
    pub code: [u8; 2],
}
const _: () = assert!(size_of::<DedicatedDevice>() == LENGTH);

/// [`code::TEMPORARY`]: how long a user had temporary disk space.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct TemporaryDisk {
    /// X'00': whose it was, and when it was given up.
    pub head: RecordHead,
    /// X'1C': for how many seconds.
    pub connected: U32,
    /// X'20': device class, type, model and features, as DIAGNOSE X'24' has those of a real device.
    pub device: RealType,
    /// X'24': [`TemporaryDisk::cylinders`] or [`TemporaryDisk::blocks`].
    pub size: U32,
    /// X'28': reserved.
    pub reserved_28: [u8; 38],
    /// X'4E': [`code::TEMPORARY`], or the same charged.
    pub code: [u8; 2],
}
const _: () = assert!(size_of::<TemporaryDisk>() == LENGTH);

impl TemporaryDisk {
    /// The size of a CKD disk: cylinders in the first halfword, X'FFFF' for more than it holds.
    pub fn cylinders(count: u32) -> U32 {
        U32::new(count.min(0xffff) << 16)
    }

    /// The size of an FBA disk: blocks of 512 bytes, a word.
    pub fn blocks(count: u64) -> U32 {
        u32::try_from(count).unwrap_or(u32::MAX).into()
    }
}

/// [`code::VIRTUAL`]: how long a virtual disk in storage was there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct VirtualDisk {
    /// X'00': its owner, and when it went.
    pub head: RecordHead,
    /// X'1C': for how many seconds.
    pub existed: U32,
    /// X'20': reserved.
    pub reserved_20: [u8; 4],
    /// X'24': blocks of 512 bytes.
    pub blocks: U32,
    /// X'28': the owner.
    pub owner: [u8; 8],
    /// X'30': its virtual device number with the owner, as four characters.
    pub vdev: [u8; 4],
    /// X'34': reserved.
    pub reserved_34: [u8; 26],
    /// X'4E': [`code::VIRTUAL`].
    pub code: [u8; 2],
}
const _: () = assert!(size_of::<VirtualDisk>() == LENGTH);

/// [`code::LOGON`]: passwords that did not fit a user ID.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct LogonJournal {
    /// X'00': the user ID that was tried, and when.
    pub head: RecordHead,
    /// X'1C': the terminal's number, as four characters; DSC if there is none.
    pub terminal: [u8; 4],
    /// X'20': blank: CP keeps no password.
    pub password: [u8; 8],
    /// X'28': the user that tried by AUTOLOG or XAUTOLOG; blank at LOGON.
    pub by: [u8; 8],
    /// X'30': how many wrong passwords there have been.
    pub count: U16,
    /// X'32': how many there may be.
    pub limit: U16,
    /// X'34': reserved.
    pub reserved_34: [u8; 26],
    /// X'4E': [`code::LOGON`].
    pub code: [u8; 2],
}
const _: () = assert!(size_of::<LogonJournal>() == LENGTH);

/// [`code::LINK`], [`code::LINK_REFUSED`] and [`code::LINK_OPEN`]: a user at another's minidisk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct LinkJournal {
    /// X'00': the user that issued LINK, and when.
    pub head: RecordHead,
    /// X'1C': the terminal's number, as four characters; DSC if there is none.
    pub terminal: [u8; 4],
    /// X'20': blank: CP keeps no password.
    pub password: [u8; 8],
    /// X'28': the owner of the minidisk.
    pub owner: [u8; 8],
    /// X'30': the minidisk's number with its owner.
    pub vdev: U16,
    /// X'32': how many wrong passwords there have been; of links that were made, 0.
    pub count: U16,
    /// X'34': how many there may be.
    pub limit: U16,
    /// X'36': reserved.
    pub reserved_36: [u8; 24],
    /// X'4E': one of the three codes.
    pub code: [u8; 2],
}
const _: () = assert!(size_of::<LinkJournal>() == LENGTH);

/// [`code::USER`]: what a program has to say.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct UserRecord {
    /// X'00': the user ID.
    pub userid: [u8; 8],
    /// X'08': the program's data, with zeros after them.
    pub data: [u8; UserRecord::MOST],
    /// X'4E': [`code::USER`].
    pub code: [u8; 2],
}
const _: () = assert!(size_of::<UserRecord>() == LENGTH);

impl UserRecord {
    /// The most bytes of data that a program may give.
    pub const MOST: usize = 70;
}
