//! The guarded-storage facility (POP, chapter 4, "Guarded-storage facility").

use base::layout::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// What LGSC loads and STGSC stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Controls {
    reserved_00: U64,
    /// X'08': the guarded-storage designation: origin, and how large a section is.
    pub designation: U64,
    /// X'10': which of the 64 sections are guarded.
    pub sections: U64,
    /// X'18': the logical address of an [`EventList`].
    pub parameters: U64,
}
const _: () = assert!(size_of::<Controls>() == 32);

/// The guarded-storage-event parameter list. An event reads the handler's address and stores the rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct EventList {
    reserved_00: u8,
    /// X'01': the addressing mode: extended and basic.
    pub mode: u8,
    /// X'02': which instruction it was.
    pub cause: u8,
    /// X'03': DAT, the address space and the access register.
    pub access: u8,
    reserved_04: U32,
    /// X'08': the address of the handler, which the instruction address becomes.
    pub handler: U64,
    /// X'10': the address of the instruction that recognized the event.
    pub instruction: U64,
    /// X'18': the logical address of the operand it wanted to load.
    pub operand: U64,
    /// X'20': what would have been loaded.
    pub pointer: U64,
    /// X'28': where a program goes on after it.
    pub return_address: U64,
}
const _: () = assert!(size_of::<EventList>() == 48);
