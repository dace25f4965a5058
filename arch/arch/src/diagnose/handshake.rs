//! What DIAGNOSE X'258', the page fault handshake, is given.

use base::layout::{U16, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The block that Rx addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct PageFaultHandshake {
    /// X'258'.
    pub code: U16,
    /// 0 establishes the handshake, 1 cancels it.
    pub function: U16,
    /// Doublewords of the block: [`HANDSHAKE_WORDS`].
    pub words: U16,
    /// See [`HANDSHAKE_VERSION`].
    pub version: U16,
    /// The real address of the token.
    pub token: U64,
    /// The bits of the PSW that are compared, and their values, for pages to be waited for.
    pub select: U64,
    pub compare: U64,
    pub reserved_20: [u8; 8],
}
const _: () = assert!(size_of::<PageFaultHandshake>() == 8 * HANDSHAKE_WORDS as usize);

/// How long the block is, in doublewords.
pub const HANDSHAKE_WORDS: u16 = 5;
/// The version of the block for 64-bit tokens.
pub const HANDSHAKE_VERSION: u16 = 2;
