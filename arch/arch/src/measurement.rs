//! The CPU-measurement facilities (SA23-2260).

use base::layout::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// What QUERY COUNTER INFORMATION stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct CounterInformation {
    /// X'00': the version of the first sets' layout.
    pub first_version: U16,
    /// X'02': a bit for each counter set that the CPU may use.
    pub authorized: U16,
    /// X'04': a bit for each counter set that is enabled.
    pub enabled: U16,
    /// X'06': a bit for each counter set that counts.
    pub active: U16,
    reserved_08: U16,
    /// X'0A': the version of the other sets' layout.
    pub second_version: U16,
    reserved_0c: [U16; 26],
}
const _: () = assert!(size_of::<CounterInformation>() == 64);

/// What QUERY SAMPLING INFORMATION stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SamplingInformation {
    /// X'00': which kinds of sampling are authorized, enabled and active.
    pub controls: U32,
    /// X'04': bytes of a basic-sampling data entry.
    pub basic_entry: U16,
    reserved_06: [U16; 19],
    /// X'2C': the CPU's speed in megahertz.
    pub speed: U32,
    reserved_30: [U64; 2],
}
const _: () = assert!(size_of::<SamplingInformation>() == 64);
