//! Parameters of commands, and addresses on a disk.

use base::layout::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// A track. Of a disk with more than 65520 cylinders the left 12 bits of the head extend the cylinder.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Cchh {
    /// X'00': the right 16 bits of the cylinder number.
    pub cylinder: U16,
    /// X'02': the head, in the right 4 bits if the cylinder number has 28.
    pub head: U16,
}
const _: () = assert!(size_of::<Cchh>() == 4);

impl Cchh {
    /// The track of this cylinder and head, both counted from 0.
    pub const fn new(cylinder: u16, head: u16) -> Cchh {
        Cchh { cylinder: U16::new(cylinder), head: U16::new(head) }
    }

    /// The address of a track of a disk of any size: bits 0-11 of a cylinder number of 28 bits stand with the head.
    pub const fn of(cylinder: u32, head: u32) -> Cchh {
        Cchh::new(cylinder as u16, (cylinder >> 16 << 4 | head) as u16)
    }

    /// The two numbers as they stand there: cylinder and head.
    pub const fn get(self) -> (u16, u16) {
        (self.cylinder.get(), self.head.get())
    }

    /// Cylinder and head, of a disk with more than 65,536 cylinders if it is `wide`.
    pub const fn place(self, wide: bool) -> (u32, u32) {
        let (cylinder, head) = (self.cylinder.get() as u32, self.head.get() as u32);
        if wide { (cylinder | head >> 4 << 16, head & 0x0f) } else { (cylinder, head) }
    }
}

/// A home address, as READ HOME ADDRESS gives it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct HomeAddress {
    /// X'00': the condition of the track: 0 if it may be used.
    pub flags: u8,
    /// X'01': the track that it is the home address of.
    pub track: Cchh,
}
const _: () = assert!(size_of::<HomeAddress>() == 5);

/// The parameters of SEEK, SEEK CYLINDER and SEEK HEAD.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Seek {
    /// X'00': must be zero.
    pub zeros: U16,
    /// X'02': where the access mechanism goes. SEEK HEAD uses the head alone.
    pub track: Cchh,
}
const _: () = assert!(size_of::<Seek>() == 6);

/// The parameters of DEFINE EXTENT.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct DefineExtent {
    /// X'00': the file mask.
    pub mask: u8,
    /// X'01': operation modes, and how caches are used.
    pub attributes: u8,
    /// X'02': the block size, which subsystems with caches reckon with. 0: as it is.
    pub block_size: U16,
    /// X'04': reserved.
    pub reserved_04: [u8; 4],
    /// X'08': the first track that may be reached.
    pub first: Cchh,
    /// X'0C': the last one.
    pub last: Cchh,
}
const _: () = assert!(size_of::<DefineExtent>() == 16);

/// The parameters of LOCATE RECORD.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct LocateRecord {
    /// X'00': orientation in bits 0-1, and the operation.
    pub operation: u8,
    /// X'01': flags; X'80': the transfer length is given; X'01': READ COUNT is the last command.
    pub auxiliary: u8,
    /// X'02': zeros.
    pub zeros: u8,
    /// X'03': records or tracks.
    pub count: u8,
    /// X'04': where the access mechanism goes.
    pub seek: Cchh,
    /// X'08': CCHHR of the record to be found.
    pub search: [u8; 5],
    /// X'0D': the sector to begin the search at; X'FF': any.
    pub sector: u8,
    /// X'0E': the transfer length.
    pub length: U16,
}
const _: () = assert!(size_of::<LocateRecord>() == 16);

/// The parameters of LOCATE RECORD EXTENDED. As many follow as it says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct LocateRecordExtended {
    /// X'00': what LOCATE RECORD has, too.
    pub record: LocateRecord,
    /// X'10': reserved.
    pub reserved_10: u8,
    /// X'11': the extended operation, if that of `record` is X'3F'; else 0.
    pub operation: u8,
    /// X'12': bytes of the extended parameter, which follows.
    pub more: U16,
}
const _: () = assert!(size_of::<LocateRecordExtended>() == 20);

/// The parameters of PREFIX (z/VM's CDPFX; what Linux sends). In format 1, those of LOCATE RECORD EXTENDED follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Prefix {
    /// X'00': the format. 0: no more than this; 1: LOCATE RECORD EXTENDED, too; 2: PERFORM SUBSYSTEM FUNCTION, too.
    pub format: u8,
    /// X'01': which fields are valid.
    pub valid: u8,
    /// X'02': the base device's unit address.
    pub base: u8,
    /// X'03': flags that concern reconnections, remote copies and how a write is hardened. They do nothing here.
    pub auxiliary: u8,
    /// X'04': the base device's subsystem.
    pub subsystem: u8,
    /// X'05': reserved.
    pub reserved_05: [u8; 7],
    /// X'0C': those of DEFINE EXTENT.
    pub extent: DefineExtent,
    /// X'1C': a time stamp, for remote copies.
    pub time: [u8; 8],
    /// X'24': reserved.
    pub reserved_24: [u8; 8],
}
const _: () = assert!(size_of::<Prefix>() == 44);

impl Prefix {
    /// Bytes that format 0 must have.
    pub const BASIC: usize = 28;
    /// In `valid`: DEFINE EXTENT is to be performed.
    pub const EXTENT: u8 = 0x80;
    /// In `valid`: the base device is to be verified.
    pub const VERIFY_BASE: u8 = 0x20;
}

/// The parameters of DEFINE EXTENT of a fixed-block disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct FbaDefineExtent {
    /// X'00': which writes are allowed, in bits 0-1.
    pub mask: u8,
    /// X'01': reserved.
    pub reserved_01: u8,
    /// X'02': 0 is 512, too.
    pub block_size: U16,
    /// X'04': the block of the volume where the extent begins.
    pub start: U32,
    /// X'08': the number that a program has for it.
    pub first: U32,
    /// X'0C': and for the last block.
    pub last: U32,
}
const _: () = assert!(size_of::<FbaDefineExtent>() == 16);

/// The parameters of LOCATE of a fixed-block disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct FbaLocate {
    /// X'00': what is located for, in bits 4-7: a write, a read, a write and a check, and so on.
    pub operation: u8,
    /// X'01': of a replicated operation, the number of blocks in which the record is repeated.
    pub replication: u8,
    /// X'02': blocks.
    pub count: U16,
    /// X'04': the first of them, by the program's number.
    pub first: U32,
}
const _: () = assert!(size_of::<FbaLocate>() == 8);
