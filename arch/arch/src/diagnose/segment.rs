//! Saved segments: DIAGNOSE X'64'. Texts are EBCDIC.

use base::layout::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The parameter list of FINDSEGA.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct FindSegment {
    /// X'0C'.
    pub function: u8,
    pub reserved_01: [u8; 3],
    /// What CP answers.
    pub code: u8,
    pub reserved_05: [u8; 3],
    /// The segment or space.
    pub name: [u8; 8],
    /// The address of a buffer for its extents.
    pub buffer: U32,
    /// Its bytes.
    pub length: U16,
}
const _: () = assert!(size_of::<FindSegment>() == 22);
