//! Parameter blocks of cryptographic instructions (POP, chapter 7, "Message-security assist").

use base::layout::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The parameter block of KMA before the key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct GaloisBlock {
    reserved_00: [u8; 12],
    /// X'0C': the counter, which is incremented before each block of text.
    pub counter: U32,
    /// X'10': the message authentication tag: GHASH of what has been processed, the tag itself at the end.
    pub tag: [u8; 16],
    /// X'20': the hash subkey.
    pub subkey: [u8; 16],
    /// X'30': bits of additional authenticated data, and of the text.
    pub lengths: [U64; 2],
    /// X'40': the first counter value, whose last word is the first counter.
    pub first_counter: [u8; 16],
}
const _: () = assert!(size_of::<GaloisBlock>() == 80);

/// The bytes of V and C.
pub const SEED: usize = 111;

/// The state of PRNO's generator on SHA-512.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct GeneratorBlock {
    reserved_00: U32,
    /// X'04': how often bytes have been made since the seed, plus 1.
    pub reseed_counter: U32,
    /// X'08': how many bytes have been made.
    pub stream: U64,
    reserved_10: u8,
    /// X'11': V, the value that the hash is iterated over.
    pub v: [u8; SEED],
    reserved_80: u8,
    /// X'81': C, the constant that is made of the seed.
    pub c: [u8; SEED],
}
const _: () = assert!(size_of::<GeneratorBlock>() == 240);

impl GeneratorBlock {
    /// A block whose reserved bytes are zero.
    pub fn new(reseed_counter: u32, stream: u64, v: [u8; SEED], c: [u8; SEED]) -> GeneratorBlock {
        let (reseed_counter, stream) = (U32::new(reseed_counter), U64::new(stream));
        GeneratorBlock { reserved_00: U32::ZERO, reseed_counter, stream, reserved_10: 0, v, reserved_80: 0, c }
    }
}
