//! What ULTRAVISOR CALL is given and gives back.

use base::layout::U16;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// How each control block begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Header {
    /// X'00': bytes of the block.
    pub length: U16,
    /// X'02': the command.
    pub command: U16,
    /// X'04': the return code and its reason.
    pub code: U16,
    /// X'06': the reason, if the return code wants one.
    pub reason: U16,
}
const _: () = assert!(size_of::<Header>() == 8);
