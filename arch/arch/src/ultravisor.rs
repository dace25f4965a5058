//! What ULTRAVISOR CALL is given and gives back.

use base::layout::U16;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// How each control block begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Header {
    /// Bytes of the block.
    pub length: U16,
    pub command: U16,
    /// The return code and its reason.
    pub code: U16,
    pub reason: U16,
}
const _: () = assert!(size_of::<Header>() == 8);
