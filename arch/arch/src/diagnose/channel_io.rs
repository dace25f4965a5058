//! Channel programs that CP performs for a program: DIAGNOSE X'18' and X'A8'.

use crate::io::DeviceStatus;
use base::layout::{U16, U24, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The channel-status word of S/370, which DIAGNOSE X'18' stores at real address 64 after an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Csw {
    /// The access key, in the left half.
    pub key: u8,
    /// Address of the last CCW used, plus 8.
    pub ccw: U24,
    pub device: DeviceStatus,
    /// See [`subchannel_status`](crate::io::subchannel_status).
    pub subchannel: u8,
    /// Residual count.
    pub count: U16,
}
const _: () = assert!(size_of::<Csw>() == 8);

/// The block of DIAGNOSE X'A8', named as the manual's macro HCPSGIOP.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Hcpsgiop {
    /// The virtual device number.
    pub device: U16,
    /// The access key, in the left half.
    pub key: u8,
    /// See [`sgio_flag`].
    pub flags: u8,
    /// Must be zero.
    pub reserved: [u8; 4],
    /// Address of the first CCW.
    pub program: U32,
    /// What CP says of the end.
    pub ended: SgioEnd,
}
const _: () = assert!(size_of::<Hcpsgiop>() == 88);

/// Bits of [`Hcpsgiop::flags`].
pub mod sgio_flag {
    /// CCWs are of format 1.
    pub const FORMAT_1: u8 = 0x80;
    /// Bits that must be zero.
    pub const RESERVED: u8 = 0x7f;
}

/// How a channel program of DIAGNOSE X'A8' ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SgioEnd {
    pub reserved_0c: [u8; 4],
    /// Address of the last CCW used, plus 8.
    pub ccw: U32,
    pub status: DeviceStatus,
    /// See [`subchannel_status`](crate::io::subchannel_status).
    pub subchannel: u8,
    /// Residual count.
    pub count: U16,
    /// The path that was used, as a mask.
    pub path: u8,
    pub reserved_19: [u8; 5],
    /// How many of `sense` there are.
    pub sense_count: U16,
    pub reserved_20: [u8; 24],
    pub sense: [u8; 32],
}
const _: () = assert!(size_of::<SgioEnd>() == 76);
