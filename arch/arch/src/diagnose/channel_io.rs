//! Channel programs that CP performs for a program: DIAGNOSE X'18' and X'A8'.

use crate::io::DeviceStatus;
use base::layout::{U16, U24, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The channel-status word of S/370, which DIAGNOSE X'18' stores at real address 64 after an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Csw {
    /// X'00': the access key, in the left half.
    pub key: u8,
    /// X'01': address of the last CCW used, plus 8.
    pub ccw: U24,
    /// X'04': the device status.
    pub device: DeviceStatus,
    /// X'05': see [`subchannel_status`](crate::io::subchannel_status).
    pub subchannel: u8,
    /// X'06': residual count.
    pub count: U16,
}
const _: () = assert!(size_of::<Csw>() == 8);

/// The block of DIAGNOSE X'A8', named as the manual's macro HCPSGIOP.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Hcpsgiop {
    /// X'00': the virtual device number.
    pub device: U16,
    /// X'02': the access key, in the left half.
    pub key: u8,
    /// X'03': see [`sgio_flag`].
    pub flags: u8,
    /// X'04': must be zero.
    pub reserved: [u8; 4],
    /// X'08': address of the first CCW.
    pub program: U32,
    /// X'0C': what CP says of the end.
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
    /// X'00': reserved.
    pub reserved_0c: [u8; 4],
    /// X'04': address of the last CCW used, plus 8.
    pub ccw: U32,
    /// X'08': the device status at the end.
    pub status: DeviceStatus,
    /// X'09': see [`subchannel_status`](crate::io::subchannel_status).
    pub subchannel: u8,
    /// X'0A': residual count.
    pub count: U16,
    /// X'0C': the path that was used, as a mask.
    pub path: u8,
    /// X'0D': reserved.
    pub reserved_19: [u8; 5],
    /// X'12': how many of `sense` there are.
    pub sense_count: U16,
    /// X'14': reserved.
    pub reserved_20: [u8; 24],
    /// X'2C': sense bytes, if the status has unit check.
    pub sense: [u8; 32],
}
const _: () = assert!(size_of::<SgioEnd>() == 76);
