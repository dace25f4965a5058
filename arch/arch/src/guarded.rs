//! The guarded-storage facility (POP, chapter 4, "Guarded-storage facility").

use base::layout::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// What LGSC loads and STGSC stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Controls {
    reserved_00: U64,
    pub designation: U64,
    /// Which of the 64 sections are guarded.
    pub sections: U64,
    /// The logical address of an [`EventList`].
    pub parameters: U64,
}
const _: () = assert!(size_of::<Controls>() == 32);

/// The guarded-storage-event parameter list. An event reads the handler's address and stores the rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct EventList {
    reserved_00: u8,
    /// The addressing mode: extended and basic.
    pub mode: u8,
    /// Which instruction it was.
    pub cause: u8,
    /// DAT, the address space and the access register.
    pub access: u8,
    reserved_04: U32,
    pub handler: U64,
    pub instruction: U64,
    pub operand: U64,
    /// What would have been loaded.
    pub pointer: U64,
    pub return_address: U64,
}
const _: () = assert!(size_of::<EventList>() == 48);
