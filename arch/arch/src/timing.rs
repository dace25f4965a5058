//! What clock instructions store (POP, chapter 4, "Timing").

use base::layout::{U16, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The TOD clock as STORE CLOCK EXTENDED shows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct ExtendedClock {
    /// X'00': how often the TOD clock has carried out of bit 0.
    pub epoch_index: u8,
    /// X'01': the TOD clock, bits 0-63.
    pub tod: U64,
    reserved_09: [u8; 3],
    /// X'0C': never zero, and another for each CPU.
    pub distinct: U16,
    /// X'0E': the TOD programmable field.
    pub programmable: U16,
}
const _: () = assert!(size_of::<ExtendedClock>() == 16);

/// What PTFF's query of the TOD offset stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct TodOffset {
    /// X'00': the physical clock.
    pub physical_clock: U64,
    /// X'08': the TOD offset, which is added to the physical clock.
    pub offset: U64,
    /// X'10': the logical TOD offset.
    pub logical_offset: U64,
    /// X'18': the TOD epoch difference.
    pub epoch_difference: U64,
}
const _: () = assert!(size_of::<TodOffset>() == 32);
