//! Domain 10, APPLDATA: data of programs, and how DIAGNOSE X'DC' names them.

use super::records;
use base::layout::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

records! { TABLE:
    /// Data of a program that it gives at once, or that ended. They follow.
    APLEDT = ApplicationEvent 10 1 Event 52 {
        /// Bytes of data.
        20 length: U32,
        /// The user ID.
        24 userid: [u8; 8],
        /// Which product, function, record and level it is of, as the program says it.
        32 product: [u8; 16],
        /// Where the data are, from the beginning of the record.
        48 data: U32,
    }
    /// Data of a program, as they are at the interval. They follow.
    APLSDT = ApplicationSample 10 2 Sample 52 {
        /// Bytes of data.
        20 length: U32,
        /// The user ID.
        24 userid: [u8; 8],
        /// Which product, function, record and level it is of, as the program says it.
        32 product: [u8; 16],
        /// Where the data are, from the beginning of the record.
        48 data: U32,
    }
    /// Data of a program, for readers that begin. They follow.
    APLCDT = ApplicationConfiguration 10 3 Configuration 52 {
        /// Bytes of data.
        20 length: U32,
        /// The user ID.
        24 userid: [u8; 8],
        /// Which product, function, record and level it is of, as the program says it.
        32 product: [u8; 16],
        /// Where the data are, from the beginning of the record.
        48 data: U32,
    }
}

/// The functions of DIAGNOSE X'DC'.
pub mod function {
    /// Data are to be taken at each interval.
    pub const START_INTERVAL: u8 = 0x80;
    /// No longer.
    pub const STOP: u8 = 0x81;
    /// Data are to be taken now.
    pub const EVENT: u8 = 0x82;
    /// Data are to be taken whenever a reader gets configuration records.
    pub const START_CONFIGURATION: u8 = 0x83;
}

/// The parameter list of DIAGNOSE X'DC', with 31-bit addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct ApplicationList {
    /// X'00DC'.
    pub code: U16,
    /// The function, as [`function`] has them.
    pub function: u8,
    /// Bytes of the list.
    pub length: u8,
    /// The address of the product ID.
    pub product: U32,
    /// Zero.
    pub reserved_08: U16,
    /// Bytes of the buffer.
    pub buffer_length: U16,
    /// The address of the buffer.
    pub buffer: U32,
}
const _: () = assert!(size_of::<ApplicationList>() == 16);

/// The parameter list of DIAGNOSE X'DC', with 64-bit addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct ApplicationWideList {
    /// X'00DC'.
    pub code: U16,
    /// The function, as [`function`] has them.
    pub function: u8,
    /// Bytes of the list.
    pub length: u8,
    /// Zero.
    pub reserved_04: [u8; 6],
    /// Bytes of the buffer.
    pub buffer_length: U16,
    /// Zero.
    pub reserved_0c: [u8; 4],
    /// The address of the product ID.
    pub product: U64,
    /// The address of the buffer.
    pub buffer: U64,
}
const _: () = assert!(size_of::<ApplicationWideList>() == 32);
