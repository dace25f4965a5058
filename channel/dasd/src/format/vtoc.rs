//! Volume labels, and the data set control blocks of a table of contents (DFSMSdfp Advanced Services, "Using the
//! VTOC").

use crate::model::Cchh;
use base::layout::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Bytes of a DSCB's key, and of its data.
pub(crate) const KEY: usize = 44;
pub(crate) const DATA: usize = 96;

/// The place of a record, CCHHR.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct RecordPlace {
    pub track: Cchh,
    pub record: u8,
}
const _: () = assert!(size_of::<RecordPlace>() == 5);

/// What every volume label has. One of Linux or CMS may be no longer.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct LabelName {
    /// VOL1 in EBCDIC, or LNX1 or CMS1.
    pub kind: [u8; 4],
    pub volser: [u8; 6],
}
const _: () = assert!(size_of::<LabelName>() == 10);

/// What a VOL1 label begins with.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct LabelHead {
    pub name: LabelName,
    pub security: u8,
    /// The first record of the VTOC.
    pub vtoc: RecordPlace,
}
const _: () = assert!(size_of::<LabelHead>() == 16);

/// A volume label, without the key that it has on count-key-data volumes.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct VolumeLabel {
    pub head: LabelHead,
    pub reserved_10: [u8; 21],
    pub owner: [u8; 14],
    pub reserved_33: [u8; 29],
}
const _: () = assert!(size_of::<VolumeLabel>() == 80);

/// An extent of a data set: the first and the last track.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct DataExtent {
    /// 0: there is none.
    pub kind: u8,
    pub sequence: u8,
    pub first: Cchh,
    pub last: Cchh,
}
const _: () = assert!(size_of::<DataExtent>() == 10);

/// The data of a format-1 DSCB, or of a format-8 one: a data set. Its key is the name.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct Format1 {
    /// [`Format1::ID`] or [`Format1::ID_8`].
    pub id: u8,
    pub serial: [u8; 6],
    pub sequence: U16,
    pub created: [u8; 3],
    pub expires: [u8; 3],
    /// How many extents there are; the first three stand here.
    pub count: u8,
    pub attributes: [u8; 45],
    pub extents: [DataExtent; 3],
    pub next: RecordPlace,
}
const _: () = assert!(size_of::<Format1>() == DATA);

impl Format1 {
    pub(crate) const ID: u8 = 0xF1;
    pub(crate) const ID_8: u8 = 0xF8;
}

/// The data of the format-4 DSCB: the VTOC itself.
#[derive(Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct Format4 {
    /// [`Format4::ID`].
    pub id: u8,
    /// The last DSCB in use.
    pub highest: RecordPlace,
    /// How many are free.
    pub free: U16,
    /// The next alternate track, and how many alternates there are.
    pub alternate: Cchh,
    pub alternates: U16,
    /// [`Format4::EXTENDED`]: free space is in format-7 DSCBs.
    pub indicators: u8,
    /// Extents of the VTOC.
    pub count: u8,
    pub reserved_10: [u8; 2],
    /// Cylinders, and tracks of a cylinder. [`Format4::MORE`] cylinders: `cylinders` says how many.
    pub size: Cchh,
    /// What the device's formula divides.
    pub track: U16,
    pub overhead: [u8; 3],
    pub flags: u8,
    pub tolerance: U16,
    /// DSCBs, and blocks of a directory, that a track holds.
    pub dscbs: u8,
    pub directory_blocks: u8,
    pub reserved_20: [u8; 29],
    pub vtoc: DataExtent,
    pub reserved_47: [u8; 10],
    /// [`Format4::LEVEL`] if there are format-7 DSCBs, and the first of them.
    pub level: u8,
    pub free_space: RecordPlace,
    pub reserved_57: u8,
    /// Cylinders of the volume.
    pub cylinders: U32,
    pub reserved_5c: [u8; 2],
    /// X'40': data sets may have format-8 DSCBs.
    pub more_flags: u8,
    pub reserved_5f: u8,
}
const _: () = assert!(size_of::<Format4>() == DATA);

impl Format4 {
    pub(crate) const ID: u8 = 0xF4;
    /// In `indicators`: format-5 DSCBs are not valid, format-7 ones are.
    pub(crate) const EXTENDED: u8 = 0xA0;
    /// Of `level`.
    pub(crate) const LEVEL: u8 = 0x07;
    /// Cylinders that `size` has of an extended address volume.
    pub(crate) const MORE: u16 = 0xFFFE;
    /// Every byte of its key.
    pub(crate) const KEY: u8 = 0x04;
}

/// Free space.
#[derive(Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct FreeExtent {
    /// The first track, counted from the volume's beginning.
    pub track: U16,
    /// Whole cylinders, and the tracks beside them.
    pub cylinders: U16,
    pub tracks: u8,
}
const _: () = assert!(size_of::<FreeExtent>() == 5);

/// A format-5 DSCB, key and data: free space.
#[derive(Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct Format5 {
    /// [`Format5::KEY`].
    pub key: [u8; 4],
    pub first: [FreeExtent; 8],
    /// [`Format5::ID`].
    pub id: u8,
    pub more: [FreeExtent; 18],
    pub next: RecordPlace,
}
const _: () = assert!(size_of::<Format5>() == KEY + DATA);

impl Format5 {
    pub(crate) const ID: u8 = 0xF5;
    pub(crate) const KEY: [u8; 4] = [0x05; 4];
}

/// Free space of a volume with more than 65,535 tracks: the first track, and the one after the last.
#[derive(Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct FreeTracks {
    pub from: U32,
    pub to: U32,
}
const _: () = assert!(size_of::<FreeTracks>() == 8);

/// A format-7 DSCB, key and data (DFSMSdfp Diagnosis): free space of a large volume.
#[derive(Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct Format7 {
    /// [`Format7::KEY`].
    pub key: [u8; 4],
    pub first: [FreeTracks; 5],
    /// [`Format7::ID`].
    pub id: u8,
    pub more: [FreeTracks; 11],
    pub reserved_85: [u8; 2],
    pub next: RecordPlace,
}
const _: () = assert!(size_of::<Format7>() == KEY + DATA);

impl Format7 {
    pub(crate) const ID: u8 = 0xF7;
    pub(crate) const KEY: [u8; 4] = [0x07; 4];
}
