//! Transactional execution (POP, chapter 5, "Transactional-execution facility").

use base::layout::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The transaction-diagnostic block of format 1: what is said of an abort.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct DiagnosticBlock {
    /// X'00': 1; 0 if the block is not valid.
    pub format: u8,
    /// X'01': see [`DiagnosticBlock::CONSTRAINED`].
    pub flags: u8,
    reserved_02: [u8; 4],
    /// X'06': how deep transactions were nested.
    pub depth: U16,
    /// X'08': why it was: a code of the transaction-abort conditions.
    pub abort_code: U64,
    /// X'10': the address of a conflict, if it is known.
    pub conflict_token: U64,
    /// X'18': the address of the instruction that was being executed.
    pub instruction: U64,
    /// X'20': this and what follows is of program interruptions.
    pub exception_access_id: u8,
    /// X'21': the data-exception code.
    pub data_exception_code: u8,
    reserved_22: U16,
    /// X'24': instruction-length code and interruption code.
    pub program: U32,
    /// X'28': the address of an access exception.
    pub translation_exception_id: U64,
    /// X'30': the address of the last branch before.
    pub breaking_event: U64,
    reserved_38: [U64; 9],
    /// X'80': general registers at the abort.
    pub general: [U64; 16],
}
const _: () = assert!(size_of::<DiagnosticBlock>() == 256);

impl DiagnosticBlock {
    /// In `flags`: the transaction was constrained.
    pub const CONSTRAINED: u8 = 0x40;
}
