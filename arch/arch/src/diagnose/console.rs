//! The display of the virtual console: DIAGNOSE X'58'.

use base::layout::{U16, U24};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// A CCW: like those of format 0, with a control byte where they have a zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct ConsoleCcw {
    /// X'00': the command code.
    pub command: u8,
    /// X'01': the address of the data.
    pub address: U24,
    /// X'04': as [`ccw_flag`](crate::io::ccw_flag).
    pub flags: u8,
    /// X'05': the line to begin at, or how to write.
    pub control: u8,
    /// X'06': bytes of the data.
    pub count: U16,
}
const _: () = assert!(size_of::<ConsoleCcw>() == 8);
