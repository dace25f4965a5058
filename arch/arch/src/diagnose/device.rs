//! What CP says of virtual devices: DIAGNOSE X'24' and X'210'.

use base::layout::U16;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// A virtual device, in a register or a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct VirtualType {
    pub class: u8,
    pub kind: u8,
    pub status: u8,
    pub flags: u8,
}
const _: () = assert!(size_of::<VirtualType>() == 4);

/// The real device of a virtual one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RealType {
    pub class: u8,
    pub kind: u8,
    pub model: u8,
    pub features: u8,
}
const _: () = assert!(size_of::<RealType>() == 4);

/// The terminal of a console in line mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct TerminalType {
    pub class: u8,
    pub kind: u8,
    /// Characters of a line.
    pub line_size: U16,
}
const _: () = assert!(size_of::<TerminalType>() == 4);

/// The block of DIAGNOSE X'210'.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct DeviceInformation {
    /// The virtual device number.
    pub device: U16,
    /// Bytes of the block.
    pub length: U16,
    pub virtual_type: VirtualType,
    pub real_type: RealType,
}
const _: () = assert!(size_of::<DeviceInformation>() == 12);
