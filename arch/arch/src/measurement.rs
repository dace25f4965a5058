//! The CPU-measurement facilities (SA23-2260).

use base::layout::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// What QUERY COUNTER INFORMATION stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct CounterInformation {
    /// The version of the first sets' layout.
    pub first_version: U16,
    pub authorized: U16,
    pub enabled: U16,
    pub active: U16,
    reserved_08: U16,
    /// The version of the other sets' layout.
    pub second_version: U16,
    reserved_0c: [U16; 26],
}
const _: () = assert!(size_of::<CounterInformation>() == 64);

/// What QUERY SAMPLING INFORMATION stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SamplingInformation {
    /// Which kinds of sampling are authorized, enabled and active.
    pub controls: U32,
    /// Bytes of a basic-sampling data entry.
    pub basic_entry: U16,
    reserved_06: [U16; 19],
    /// The CPU's speed in megahertz.
    pub speed: U32,
    reserved_30: [U64; 2],
}
const _: () = assert!(size_of::<SamplingInformation>() == 64);
