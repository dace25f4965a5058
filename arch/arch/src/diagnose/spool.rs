//! Spool files: DIAGNOSE X'BC' and X'F8'.

use base::layout::U16;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// What DIAGNOSE X'BC' tells of a spool file, in characters. Numbers have leading zeros.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SpoolCharacteristics {
    /// X'00': DBC0SPID, the file's number.
    pub number: [u8; 4],
    /// X'04': DBC0USER, whose it is.
    pub owner: [u8; 8],
    /// X'0C': DBC0CLAS.
    pub class: [u8; 1],
    /// X'0D': DBC0TYPE: what it was written by, as QUERY says it.
    pub device: [u8; 3],
    /// X'10': DBC0RECS, the number of records.
    pub records: [u8; 8],
    /// X'18': DBC0COPY, the number of copies.
    pub copies: [u8; 3],
    /// X'1B': DBC0FNAM.
    pub name: [u8; 12],
    /// X'27': DBC0FTYP.
    pub kind: [u8; 12],
    /// X'33': DBC0DATE, mm/dd/yy.
    pub date: [u8; 8],
    /// X'3B': DBC0TIME, hh:mm:ss.
    pub time: [u8; 8],
    /// X'43': DBC0DIST, the distribution code.
    pub distribution: [u8; 8],
    /// X'4B': DBC0STAT: what holds it, as QUERY says it.
    pub status: [u8; 4],
}
const _: () = assert!(size_of::<SpoolCharacteristics>() == 0x4f);

/// DF8PARM, the parameter list of DIAGNOSE X'F8'.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SpoolOrigin {
    /// X'00': DF8VCODE, the version of the list: 0.
    pub version: U16,
    /// X'02': DF8DVNUM, an output device, or DF8SPID, a spool file.
    pub number: U16,
    /// X'04': DF8ONODE, the node that the file is from.
    pub node: [u8; 8],
    /// X'0C': DF8OUSER, the user there.
    pub user: [u8; 8],
}
const _: () = assert!(size_of::<SpoolOrigin>() == 20);
