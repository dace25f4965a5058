//! What disks say they are: Read Device Characteristics, Read Configuration Data. Texts are EBCDIC.

use base::layout::{U16, U24, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Characteristics of a count-key-data disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct CkdCharacteristics {
    /// X'00': its type.
    pub control_unit: U16,
    /// X'02': the model of the control unit.
    pub control_unit_model: u8,
    /// X'03': its type.
    pub device: U16,
    /// X'05': the model of the device.
    pub device_model: u8,
    /// X'06': flags. X'80': errors of several bursts are corrected; X'40', X'10': LOCATE RECORD has Read Tracks, and
    /// Read; X'08': SET SUBSYSTEM CHARACTERISTICS is there; X'02': so is PREFIX.
    pub facilities: u8,
    /// X'07': flags; X'80': LOCATE RECORD EXTENDED has Prestage Trackset.
    pub facilities_07: u8,
    /// X'08': flags. X'08': READ TRACK DATA is there; X'04', X'02': LOCATE RECORD EXTENDED has Update Write Trackset,
    /// and Write Trackset.
    pub facilities_08: u8,
    /// X'09': reserved.
    pub reserved_09: u8,
    /// X'0A': the device class; X'20' is direct access.
    pub device_class: u8,
    /// X'0B': a code for the type of the device.
    pub unit_type: u8,
    /// X'0C': cylinders; X'FFFE': more than fit.
    pub cylinders: U16,
    /// X'0E': tracks of a cylinder.
    pub heads: U16,
    /// X'10': of a track.
    pub sectors: u8,
    /// X'11': bytes of a track.
    pub track: U24,
    /// X'14': bytes of the longest record 0.
    pub longest_r0: U16,
    /// X'16': how the length of records is reckoned: 1 by [`RoundedFactors`], 2 by six bytes.
    pub formula: u8,
    /// X'17': of the formula, the factors 1 to 5.
    pub factors: [u8; 5],
    /// X'1C': reserved.
    pub reserved_1c: [u8; 12],
    /// X'28': identification of records of errors.
    pub mdr_record: u8,
    /// X'29': another.
    pub obr_record: u8,
    /// X'2A': a code for the class of the control unit.
    pub control_unit_class: u8,
    /// X'2B': of LOCATE RECORD EXTENDED, the most bytes of a map of tracks.
    pub longest_trackset: u8,
    /// X'2C': as `longest_r0`.
    pub longest_r0_2c: U16,
    /// X'2E': reserved.
    pub reserved_2e: u8,
    /// X'2F': of LOCATE RECORD EXTENDED, how many tracks Read Any and Write Any take records from.
    pub any_tracks: u8,
    /// X'30': of formula 2, the factor 6.
    pub factor_6: u8,
    /// X'31': reserved.
    pub reserved_31: [u8; 11],
    /// X'3C': cylinders of a disk of any size.
    pub long_cylinders: U32,
}
const _: () = assert!(size_of::<CkdCharacteristics>() == 64);

/// [`CkdCharacteristics::factors`] of formula 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RoundedFactors {
    /// X'00': the factor 1.
    pub f1: u8,
    /// X'01': the factor 2.
    pub f2: U16,
    /// X'03': the factor 3.
    pub f3: U16,
}
const _: () = assert!(size_of::<RoundedFactors>() == 5);

/// Characteristics of a fixed-block disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct FbaCharacteristics {
    /// X'00': flags; X'20': data chaining within a block is possible.
    pub modes: u8,
    /// X'01': flags; X'08': the device may be shared.
    pub features: u8,
    /// X'02': the device class; X'21' is fixed blocks.
    pub device_class: u8,
    /// X'03': a code for the type of the device.
    pub unit_type: u8,
    /// X'04': bytes of a block.
    pub block_size: U16,
    /// X'06': blocks of a cyclical group.
    pub per_group: U32,
    /// X'0A': blocks of an access position.
    pub per_position: U32,
    /// X'0E': blocks of the device.
    pub blocks: U32,
    /// X'12': reserved.
    pub reserved_12: [u8; 14],
}
const _: () = assert!(size_of::<FbaCharacteristics>() == 32);

/// A node-element descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct NodeElement {
    /// X'00': what kind of descriptor it is, and in which form the serial number is. X'10': that is valid; X'08': it is
    /// a substitute.
    pub flags: u8,
    /// X'01': which kind of node: 1 an I/O device, 2 a control unit.
    pub kind: u8,
    /// X'02': of a device, its class: 1 direct access.
    pub class: u8,
    /// X'03': reserved.
    pub reserved_03: u8,
    /// X'04': six characters of the type, three of the model.
    pub model: [u8; 9],
    /// X'0D': manufacturer, plant and serial number.
    pub serial: [u8; 17],
    /// X'1E': what tells the node from others with its serial number: of a device, its unit address.
    pub tag: U16,
}
const _: () = assert!(size_of::<NodeElement>() == 32);

/// A specific node-element qualifier, here that of a virtual disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct TokenQualifier {
    /// X'00': what kind of qualifier it is, in bits 0-1.
    pub flags: u8,
    /// X'01': reserved.
    pub reserved_01: [u8; 2],
    /// X'03': 4: a token follows.
    pub format: u8,
    /// X'04': reserved.
    pub reserved_04: [u8; 4],
    /// X'08': the token, which tells the virtual disk from others.
    pub token: [u8; 16],
    /// X'18': reserved.
    pub reserved_18: [u8; 8],
}
const _: () = assert!(size_of::<TokenQualifier>() == 32);

/// The general node-element qualifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct GeneralQualifier {
    /// X'00': what kind of qualifier it is, in bits 0-1.
    pub flags: u8,
    /// X'01': reserved.
    pub reserved_01: [u8; 5],
    /// X'06': the missing-interruption time; X'03' is 30 seconds.
    pub interval: u8,
    /// X'07': reserved.
    pub reserved_07: u8,
    /// X'08': the subsystem's identification.
    pub ssid: U16,
    /// X'0A': reserved.
    pub reserved_0a: [u8; 22],
}
const _: () = assert!(size_of::<GeneralQualifier>() == 32);

/// Read Configuration Data.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct ConfigurationData {
    /// X'00': device, control unit, token.
    pub elements: [NodeElement; 3],
    /// X'60': qualifies the third element: the token of a virtual disk, or zeros.
    pub specific: TokenQualifier,
    /// X'80': reserved.
    pub reserved_80: [u8; 96],
    /// X'E0': what is so of the control unit as a whole.
    pub general: GeneralQualifier,
}
const _: () = assert!(size_of::<ConfigurationData>() == 256);
