//! The allocation map of a volume that CP owns: record 4 of track 0, or page 2 of a fixed-block volume. The record is
//! where CP has always had its map, and as long; what is in it is this program's own.

use base::layout::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// An area: what it is for, its first unit, and its last.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct MapArea {
    /// PAGE, SPOL, TDSK or DRCT in EBCDIC.
    pub what: [u8; 4],
    pub first: U32,
    pub last: U32,
    pub reserved_0c: [u8; 4],
}
const _: () = assert!(size_of::<MapArea>() == 16);

/// The map. What no area has is for minidisks.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct AllocationMap {
    /// [`AllocationMap::ID`] in EBCDIC.
    pub id: [u8; 8],
    pub version: U16,
    /// How many areas there are.
    pub count: U16,
    /// Units of the volume when the map was written: cylinders, or pages.
    pub units: U32,
    /// The system whose volume it is, in EBCDIC; blanks: any system's.
    pub owner: [u8; 8],
    /// The check sum of the map with zeros here.
    pub sum: U64,
    pub areas: [MapArea; AllocationMap::AREAS],
}
const _: () = assert!(size_of::<AllocationMap>() == 4096);

impl AllocationMap {
    pub(crate) const ID: &str = "CPALLOC";
    pub(crate) const VERSION: u16 = 1;
    /// As many areas a map has room for.
    pub(crate) const AREAS: usize = 254;
}
