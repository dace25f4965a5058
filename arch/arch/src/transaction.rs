//! Transactional execution (POP, chapter 5, "Transactional-execution facility").

use base::layout::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The transaction-diagnostic block of format 1: what is said of an abort.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct DiagnosticBlock {
    pub format: u8,
    pub flags: u8,
    reserved_02: [u8; 4],
    /// How deep transactions were nested.
    pub depth: U16,
    pub abort_code: U64,
    pub conflict_token: U64,
    /// The address of the instruction that was being executed.
    pub instruction: U64,
    /// This and what follows is of program interruptions.
    pub exception_access_id: u8,
    pub data_exception_code: u8,
    reserved_22: U16,
    /// Instruction-length code and interruption code.
    pub program: U32,
    pub translation_exception_id: U64,
    pub breaking_event: U64,
    reserved_38: [U64; 9],
    /// General registers at the abort.
    pub general: [U64; 16],
}
const _: () = assert!(size_of::<DiagnosticBlock>() == 256);

impl DiagnosticBlock {
    /// In `flags`: the transaction was constrained.
    pub const CONSTRAINED: u8 = 0x40;
}
