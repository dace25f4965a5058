//! The display of the virtual console: DIAGNOSE X'58'.

use base::layout::{U16, U24};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// A CCW: like those of format 0, with a control byte where they have a zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct ConsoleCcw {
    pub command: u8,
    pub address: U24,
    /// As [`ccw_flag`](crate::io::ccw_flag).
    pub flags: u8,
    pub control: u8,
    pub count: U16,
}
const _: () = assert!(size_of::<ConsoleCcw>() == 8);
