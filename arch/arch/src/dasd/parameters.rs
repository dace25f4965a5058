//! Parameters of commands, and addresses on a disk.

use base::layout::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// A track. Of a disk with more than 65520 cylinders the left 12 bits of the head extend the cylinder.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Cchh {
    pub cylinder: U16,
    pub head: U16,
}
const _: () = assert!(size_of::<Cchh>() == 4);

/// A home address, as READ HOME ADDRESS gives it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct HomeAddress {
    pub flags: u8,
    pub track: Cchh,
}
const _: () = assert!(size_of::<HomeAddress>() == 5);

/// The parameters of SEEK, SEEK CYLINDER and SEEK HEAD.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Seek {
    /// Must be zero.
    pub zeros: U16,
    pub track: Cchh,
}
const _: () = assert!(size_of::<Seek>() == 6);

/// The parameters of DEFINE EXTENT.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct DefineExtent {
    /// The file mask.
    pub mask: u8,
    /// Operation modes, and how caches are used.
    pub attributes: u8,
    pub block_size: U16,
    pub reserved_04: [u8; 4],
    /// The first track that may be reached.
    pub first: Cchh,
    /// The last one.
    pub last: Cchh,
}
const _: () = assert!(size_of::<DefineExtent>() == 16);

/// The parameters of LOCATE RECORD.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct LocateRecord {
    /// Orientation in bits 0-1, and the operation.
    pub operation: u8,
    /// X'80': the transfer length is given.
    pub auxiliary: u8,
    /// Zeros, unless the command is extended.
    pub zeros: u8,
    /// Records or tracks.
    pub count: u8,
    /// Where the access mechanism goes.
    pub seek: Cchh,
    /// CCHHR of the record to be found.
    pub search: [u8; 5],
    pub sector: u8,
    /// The transfer length.
    pub length: U16,
}
const _: () = assert!(size_of::<LocateRecord>() == 16);

/// The parameters of LOCATE RECORD EXTENDED. As many follow as it says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct LocateRecordExtended {
    pub record: LocateRecord,
    pub reserved_10: u8,
    /// The extended operation, if that of `record` is X'3F'.
    pub operation: u8,
    /// Bytes of parameters that follow.
    pub more: U16,
}
const _: () = assert!(size_of::<LocateRecordExtended>() == 20);

/// The parameters of DEFINE EXTENT of a fixed-block disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct FbaDefineExtent {
    /// Which writes are allowed, in bits 0-1.
    pub mask: u8,
    pub reserved_01: u8,
    /// 0 is 512, too.
    pub block_size: U16,
    /// The block of the volume where the extent begins.
    pub start: U32,
    /// The number that a program has for it.
    pub first: U32,
    /// And for the last block.
    pub last: U32,
}
const _: () = assert!(size_of::<FbaDefineExtent>() == 16);

/// The parameters of LOCATE of a fixed-block disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct FbaLocate {
    pub operation: u8,
    pub replication: u8,
    /// Blocks.
    pub count: U16,
    /// The first of them, by the program's number.
    pub first: U32,
}
const _: () = assert!(size_of::<FbaLocate>() == 8);
