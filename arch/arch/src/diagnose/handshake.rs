//! What DIAGNOSE X'258', the page fault handshake, is given.

use base::layout::{U16, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The block that Rx addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct PageFaultHandshake {
    /// X'00': X'258'.
    pub code: U16,
    /// X'02': 0 establishes the handshake, 1 cancels it.
    pub function: U16,
    /// X'04': doublewords of the block: [`HANDSHAKE_WORDS`].
    pub words: U16,
    /// X'06': see [`HANDSHAKE_VERSION`].
    pub version: U16,
    /// X'08': the real address of the token.
    pub token: U64,
    /// X'10': the bits of the PSW that decide whether the program is told of a page.
    pub select: U64,
    /// X'18': their values.
    pub compare: U64,
    /// X'20': reserved.
    pub reserved_20: [u8; 8],
}
const _: () = assert!(size_of::<PageFaultHandshake>() == 8 * HANDSHAKE_WORDS as usize);

/// How long the block is, in doublewords.
pub const HANDSHAKE_WORDS: u16 = 5;
/// The version of the block for 64-bit tokens.
pub const HANDSHAKE_VERSION: u16 = 2;
