//! What a subchannel is: its path-management-control word and its information block (POP, chapter 15).

use super::Scsw;
use base::layout::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Bits of word 1 of a PMCW (the device number is its low half).
pub mod pmcw_flag {
    /// Interruption subclass, three bits; see [`super::Pmcw::isc`].
    pub const ISC: u32 = 0x3800_0000;
    /// E: the subchannel is enabled.
    pub const ENABLED: u32 = 0x0080_0000;
    /// LM: address-limit mode.
    pub const LIMIT_MODE: u32 = 0x0060_0000;
    /// MM: measurement mode.
    pub const MEASUREMENT_MODE: u32 = 0x0018_0000;
    /// The measurement mode's left bit: the measurement block is updated.
    pub const BLOCK_UPDATE: u32 = 0x0010_0000;
    /// D: multipath mode.
    pub const MULTIPATH: u32 = 0x0004_0000;
    /// T: timing facility.
    pub const TIMING: u32 = 0x0002_0000;
    /// V: the device number is valid.
    pub const VALID: u32 = 0x0001_0000;
    /// Bits that must be zero in MODIFY SUBCHANNEL: 0, 1, 6 and 7.
    pub const RESERVED: u32 = 0xc300_0000;
}

/// Bits of word 6 of a PMCW.
pub mod pmcw_characteristic {
    /// ST: kind of subchannel, zero for I/O.
    pub const TYPE: u32 = 0x00e0_0000;
    /// F: measurement-block format.
    pub const MEASUREMENT_FORMAT: u32 = 0x0000_0004;
    /// X: extended-measurement words wanted.
    pub const EXTENDED_MEASUREMENT: u32 = 0x0000_0002;
    /// S: concurrent sense wanted.
    pub const CONCURRENT_SENSE: u32 = 0x0000_0001;
    /// Bits that must be zero in MODIFY SUBCHANNEL: all that have no meaning.
    pub const RESERVED: u32 = 0xff1f_fff8;
}

/// Path-management-control word (POP, chapter 15).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Pmcw {
    /// X'00': interruption parameter.
    pub parameter: U32,
    /// X'04': word 1: [`pmcw_flag`]s and device number.
    pub flags: U32,
    /// X'08': logical-path mask.
    pub lpm: u8,
    /// X'09': path-not-operational mask.
    pub pnom: u8,
    /// X'0A': last-path-used mask.
    pub lpum: u8,
    /// X'0B': path-installed mask.
    pub pim: u8,
    /// X'0C': measurement-block index.
    pub mbi: U16,
    /// X'0E': path-operational mask.
    pub pom: u8,
    /// X'0F': path-available mask.
    pub pam: u8,
    /// X'10': channel-path identifiers of the eight paths.
    pub chpid: [u8; 8],
    /// X'18': word 6: [`pmcw_characteristic`]s.
    pub characteristics: U32,
}
const _: () = assert!(size_of::<Pmcw>() == 28);

impl Pmcw {
    /// Interruption subclass, 0 to 7.
    pub fn isc(&self) -> u8 {
        (self.flags.get() >> 27 & 7) as u8
    }

    /// Sets the interruption subclass.
    pub fn set_isc(&mut self, isc: u8) {
        self.flags = self.flags & !pmcw_flag::ISC | u32::from(isc & 7) << 27;
    }

    /// Whether functions may be performed, and status be presented.
    pub fn enabled(&self) -> bool {
        self.flags & pmcw_flag::ENABLED != 0
    }

    /// Whether a device is connected to the subchannel; then the device number is valid.
    pub fn valid(&self) -> bool {
        self.flags & pmcw_flag::VALID != 0
    }

    /// Whether sense bytes come with unit check, in the extended-control word.
    pub fn concurrent_sense(&self) -> bool {
        self.characteristics & pmcw_characteristic::CONCURRENT_SENSE != 0
    }

    /// The device number.
    pub fn device(&self) -> u16 {
        self.flags.get() as u16
    }
}

/// Subchannel-information block (POP, chapter 15): what STORE SUBCHANNEL stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Schib {
    /// X'00': the path-management-control word.
    pub pmcw: Pmcw,
    /// X'1C': the subchannel-status word.
    pub scsw: Scsw,
    /// X'28': measurement-block address.
    pub mba: U64,
    /// X'30': what each model has for itself.
    pub model_dependent: [u8; 4],
}
const _: () = assert!(size_of::<Schib>() == 52);
