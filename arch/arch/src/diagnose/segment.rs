//! Saved segments: DIAGNOSE X'64'. Texts are EBCDIC.

use base::layout::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The parameter list of FINDSEGA.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct FindSegment {
    /// X'00': the function, X'0C'.
    pub function: u8,
    /// X'01': reserved.
    pub reserved_01: [u8; 3],
    /// X'04': what CP answers.
    pub code: u8,
    /// X'05': reserved.
    pub reserved_05: [u8; 3],
    /// X'08': the segment or space.
    pub name: [u8; 8],
    /// X'10': the address of a buffer for its extents.
    pub buffer: U32,
    /// X'14': its bytes.
    pub length: U16,
}
const _: () = assert!(size_of::<FindSegment>() == 22);
