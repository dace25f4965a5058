//! What disks say they are: Read Device Characteristics, Read Configuration Data. Texts are EBCDIC.

use base::layout::{U16, U24, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Characteristics of a count-key-data disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct CkdCharacteristics {
    /// Its type.
    pub control_unit: U16,
    pub control_unit_model: u8,
    /// Its type.
    pub device: U16,
    pub device_model: u8,
    /// X'80' Define Extent and X'40' Locate Record are there; X'10': so are read-track operations.
    pub facilities: u8,
    pub reserved_07: [u8; 3],
    /// X'20': direct access.
    pub device_class: u8,
    pub unit_type: u8,
    /// X'FFFE': more than fit.
    pub cylinders: U16,
    /// Tracks of a cylinder.
    pub heads: U16,
    /// Of a track.
    pub sectors: u8,
    /// Bytes of a track.
    pub track: U24,
    /// Bytes of the longest record 0.
    pub longest_r0: U16,
    /// How the length of records is reckoned: 1 by [`RoundedFactors`], 2 by six bytes.
    pub formula: u8,
    /// Of the formula, the factors 1 to 5.
    pub factors: [u8; 5],
    pub reserved_1c: [u8; 12],
    /// Identification of records of errors.
    pub mdr_record: u8,
    /// Another.
    pub obr_record: u8,
    pub control_unit_class: u8,
    pub reserved_2b: u8,
    /// As `longest_r0`.
    pub longest_r0_2c: U16,
    pub reserved_2e: [u8; 2],
    pub factor_6: u8,
    pub reserved_31: [u8; 11],
    /// Cylinders of a disk of any size.
    pub long_cylinders: U32,
}
const _: () = assert!(size_of::<CkdCharacteristics>() == 64);

/// [`CkdCharacteristics::factors`] of formula 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RoundedFactors {
    pub f1: u8,
    pub f2: U16,
    pub f3: U16,
}
const _: () = assert!(size_of::<RoundedFactors>() == 5);

/// Characteristics of a fixed-block disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct FbaCharacteristics {
    /// X'20': data chaining within a block is possible.
    pub modes: u8,
    /// X'08': the device may be shared.
    pub features: u8,
    /// X'21': fixed blocks.
    pub device_class: u8,
    pub unit_type: u8,
    pub block_size: U16,
    /// Blocks of a cyclical group.
    pub per_group: U32,
    /// Blocks of an access position.
    pub per_position: U32,
    /// Blocks of the device.
    pub blocks: U32,
    pub reserved_12: [u8; 14],
}
const _: () = assert!(size_of::<FbaCharacteristics>() == 32);

/// A node-element descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct NodeElement {
    pub flags: u8,
    pub kind: u8,
    pub class: u8,
    pub reserved_03: u8,
    /// Six characters of the type, three of the model.
    pub model: [u8; 9],
    /// Manufacturer, plant and serial number.
    pub serial: [u8; 17],
    pub tag: U16,
}
const _: () = assert!(size_of::<NodeElement>() == 32);

/// A specific node-element qualifier, here that of a virtual disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct TokenQualifier {
    pub flags: u8,
    pub reserved_01: [u8; 2],
    /// 4: a token follows.
    pub format: u8,
    pub reserved_04: [u8; 4],
    pub token: [u8; 16],
    pub reserved_18: [u8; 8],
}
const _: () = assert!(size_of::<TokenQualifier>() == 32);

/// The general node-element qualifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct GeneralQualifier {
    pub flags: u8,
    pub reserved_01: [u8; 5],
    /// The missing-interruption time; X'03' is 30 seconds.
    pub interval: u8,
    pub reserved_07: u8,
    /// The subsystem's identification.
    pub ssid: U16,
    pub reserved_0a: [u8; 22],
}
const _: () = assert!(size_of::<GeneralQualifier>() == 32);

/// Read Configuration Data.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct ConfigurationData {
    /// Device, control unit, token.
    pub elements: [NodeElement; 3],
    pub specific: TokenQualifier,
    pub reserved_80: [u8; 96],
    pub general: GeneralQualifier,
}
const _: () = assert!(size_of::<ConfigurationData>() == 256);
