//! Channel reports (POP, chapter 17).

use base::layout::U16;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Channel-report word (POP, chapter 17): what STORE CHANNEL REPORT WORD stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Crw {
    /// X'00': byte 0: [`crw_flag`]s, and RSC, the reporting source, in the right half.
    pub source: u8,
    /// X'01': byte 1: [`crw_flag::ANCILLARY`], and ERC, the error-recovery code.
    pub error: u8,
    /// X'02': reporting-source identification, such as a subchannel number.
    pub id: U16,
}
const _: () = assert!(size_of::<Crw>() == 4);

/// Bits of a CRW beside the codes.
pub mod crw_flag {
    /// S, in [`super::Crw::source`]: a program has asked for what is reported.
    pub const SOLICITED: u8 = 0x40;
    /// R, in [`super::Crw::source`]: words before this one were lost.
    pub const OVERFLOW: u8 = 0x20;
    /// C, in [`super::Crw::source`]: the next word belongs to this one.
    pub const CHAINED: u8 = 0x10;
    /// A, in [`super::Crw::error`].
    pub const ANCILLARY: u8 = 0x80;
}

impl Crw {
    /// RSC of a subchannel. Others: 2 monitoring facility, 9 configuration alert, 11 channel subsystem.
    pub const SUBCHANNEL: u8 = 3;
    /// RSC of a channel path.
    pub const CHANNEL_PATH: u8 = 4;
    /// ERC of a finished reset. Others: 0 event pending, 1 available, 3 temporary error, 5 terminal, 6 and 7 permanent
    /// error, 8 installed parameters modified.
    pub const INITIALIZED: u8 = 2;
    /// ERC of a device that came or went.
    pub const PARAMETERS_INITIALIZED: u8 = 4;

    /// The report about one thing, of a source and with an error-recovery code.
    pub fn new(source: u8, error: u8, id: u16) -> Crw {
        Crw { source, error, id: U16::new(id) }
    }
}
