//! Data about virtual machines: DIAGNOSE X'2FC'. Texts are EBCDIC.

use base::layout::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The parameter list.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct GuestDataRequest {
    /// X'00': whose data are wanted, or `*`.
    pub userid: [u8; 8],
    /// X'08': a group of virtual machines.
    pub group: [u8; 8],
    /// X'10': the address of a buffer for [`GuestData`].
    pub buffer: U64,
    /// X'18': its bytes.
    pub size: U32,
    /// X'1C': which form of the data is wanted.
    pub format: U32,
}
const _: () = assert!(size_of::<GuestDataRequest>() == 32);

/// A virtual machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct GuestData {
    /// X'00': 2.
    pub format: U32,
    /// X'04': reserved.
    pub reserved_04: [u8; 4],
    /// X'08': processor time in microseconds.
    pub used_us: U64,
    /// X'10': since it logged on.
    pub elapsed_us: U64,
    /// X'18': in KiB.
    pub least_storage: U64,
    /// X'20': the most it may have, in KiB.
    pub most_storage: U64,
    /// X'28': what it shares, in KiB.
    pub shared_storage: U64,
    /// X'30': what it uses, in KiB.
    pub used_storage: U64,
    /// X'38': CPUs of the machine.
    pub real_cpus: U32,
    /// X'3C': CPUs of the system that CP runs in.
    pub logical_cpus: U32,
    /// X'40': its CPUs.
    pub virtual_cpus: U32,
    /// X'44': of them, those online.
    pub online_cpus: U32,
    /// X'48': the most it may have.
    pub most_cpus: U32,
    /// X'4C': a relative share.
    pub share: U32,
    /// X'50': reserved.
    pub reserved_50: [u8; 24],
    /// X'68': its user ID, in EBCDIC.
    pub userid: [u8; 8],
}
const _: () = assert!(size_of::<GuestData>() == 112);
