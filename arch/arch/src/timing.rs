//! What clock instructions store (POP, chapter 4, "Timing").

use base::layout::{U16, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The TOD clock as STORE CLOCK EXTENDED shows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct ExtendedClock {
    pub epoch_index: u8,
    pub tod: U64,
    reserved_09: [u8; 3],
    /// Never zero, and another for each CPU.
    pub distinct: U16,
    pub programmable: U16,
}
const _: () = assert!(size_of::<ExtendedClock>() == 16);

/// What PTFF's query of the TOD offset stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct TodOffset {
    pub physical_clock: U64,
    pub offset: U64,
    pub logical_offset: U64,
    pub epoch_difference: U64,
}
const _: () = assert!(size_of::<TodOffset>() == 32);
