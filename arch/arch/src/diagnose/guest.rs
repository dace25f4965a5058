//! Data about virtual machines: DIAGNOSE X'2FC'. Texts are EBCDIC.

use base::layout::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The parameter list.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct GuestDataRequest {
    /// Whose data are wanted, or `*`.
    pub userid: [u8; 8],
    pub group: [u8; 8],
    /// The address of a buffer for [`GuestData`].
    pub buffer: U64,
    /// Its bytes.
    pub size: U32,
    pub format: U32,
}
const _: () = assert!(size_of::<GuestDataRequest>() == 32);

/// A virtual machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct GuestData {
    /// 2.
    pub format: U32,
    pub reserved_04: [u8; 4],
    /// Processor time in microseconds.
    pub used_us: U64,
    /// Since it logged on.
    pub elapsed_us: U64,
    /// In KiB.
    pub least_storage: U64,
    pub most_storage: U64,
    pub shared_storage: U64,
    pub used_storage: U64,
    pub real_cpus: U32,
    pub logical_cpus: U32,
    pub virtual_cpus: U32,
    pub online_cpus: U32,
    pub most_cpus: U32,
    /// A relative share.
    pub share: U32,
    pub reserved_50: [u8; 24],
    pub userid: [u8; 8],
}
const _: () = assert!(size_of::<GuestData>() == 112);
