//! The records of a VMDUMP file: a header, one for each virtual CPU, and the parts of storage that are not zero. They
//! are Endicott's own. Texts are EBCDIC.

use base::layout::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Bytes of storage in one record. A page with its address would not fit into a block of the spool.
pub const PART: usize = 2048;

/// The first record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct DumpHeader {
    /// `VMDUMP`.
    pub name: [u8; 8],
    /// FORMAT.
    pub format: [u8; 8],
    /// Whose virtual machine it is.
    pub userid: [u8; 8],
    /// The TOD clock.
    pub time: U64,
    /// Bytes of storage of the virtual machine.
    pub storage: U64,
    /// How many records of virtual CPUs follow.
    pub cpus: U32,
    /// Bytes of storage in the records after those.
    pub part: U32,
    /// The text after the asterisk.
    pub text: DumpText,
}
const _: () = assert!(size_of::<DumpHeader>() == 148);

/// What the user says of a dump.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct DumpText(pub [u8; 100]);

impl Default for DumpText {
    fn default() -> DumpText {
        DumpText([base::ebcdic::BLANK; 100])
    }
}

/// A virtual CPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct DumpCpu {
    /// The CPU address.
    pub address: U16,
    /// 0: S/370, 1: ESA/390, 2: z/Architecture.
    pub architecture: U16,
    /// Where the prefix area lies.
    pub prefix: U32,
    /// Mask and address, in the form of z/Architecture.
    pub psw: [U64; 2],
    /// General registers.
    pub general: [U64; 16],
    /// Control registers.
    pub control: [U64; 16],
    /// Floating-point registers.
    pub floating_point: [U64; 16],
    /// Access registers.
    pub access: [U32; 16],
    /// Not blank, so that it ends the record.
    pub end: U32,
}
const _: () = assert!(size_of::<DumpCpu>() == 476);

/// A part of storage.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct DumpPart {
    /// The real address, of the first virtual CPU.
    pub address: U64,
    /// What lies there.
    pub data: [u8; PART],
}
const _: () = assert!(size_of::<DumpPart>() == 8 + PART);
