//! What CP says of virtual devices: DIAGNOSE X'24' and X'210'.

use base::layout::U16;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// A virtual device, in a register or a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct VirtualType {
    /// X'00': the device class, a bit of one byte.
    pub class: u8,
    /// X'01': the device type, a bit of its class.
    pub kind: u8,
    /// X'02': how the device is at the moment.
    pub status: u8,
    /// X'03': what the device can do.
    pub flags: u8,
}
const _: () = assert!(size_of::<VirtualType>() == 4);

/// The real device of a virtual one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RealType {
    /// X'00': the device class, a bit of one byte.
    pub class: u8,
    /// X'01': the device type, a bit of its class.
    pub kind: u8,
    /// X'02': the model number.
    pub model: u8,
    /// X'03': features, bits of the class.
    pub features: u8,
}
const _: () = assert!(size_of::<RealType>() == 4);

/// The terminal of a console in line mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct TerminalType {
    /// X'00': the device class, a bit of one byte.
    pub class: u8,
    /// X'01': the device type, a bit of its class.
    pub kind: u8,
    /// X'02': characters of a line.
    pub line_size: U16,
}
const _: () = assert!(size_of::<TerminalType>() == 4);

/// The block of DIAGNOSE X'210'.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct DeviceInformation {
    /// X'00': the virtual device number.
    pub device: U16,
    /// X'02': bytes of the block.
    pub length: U16,
    /// X'04': the virtual device.
    pub virtual_type: VirtualType,
    /// X'08': the real device it stands on; zeros if there is none.
    pub real_type: RealType,
}
const _: () = assert!(size_of::<DeviceInformation>() == 12);

/// Flags of [`DisplayInformation`].
pub mod display_flag {
    /// Fields and characters can have colours.
    pub const COLOUR: u8 = 0x80;
    /// Fields and characters can blink, be reversed or underlined.
    pub const HIGHLIGHT: u8 = 0x40;
}

/// What DIAGNOSE X'8C' tells of a display; the replies to READ PARTITION (QUERY) would follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct DisplayInformation {
    /// X'00': what it has, as [`display_flag`].
    pub flags: u8,
    /// X'01': how many partitions it has.
    pub partitions: u8,
    /// X'02': columns of the screen.
    pub columns: U16,
    /// X'04': its rows.
    pub rows: U16,
}
const _: () = assert!(size_of::<DisplayInformation>() == 6);
