//! What programs are loaded with: the IPL parameter block of DIAGNOSE X'308', and the parameter area of a Linux kernel
//! (its `Documentation/arch/s390`).

use base::layout::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The IPL parameter block of a CCW device. Texts are EBCDIC.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct IplBlock {
    /// X'00': bytes of the block.
    pub length: U32,
    /// X'04': reserved.
    pub reserved_04: [u8; 4],
    /// X'08': bytes after the first 8.
    pub parameters_length: U32,
    /// X'0C': see [`CCW_DEVICE`].
    pub kind: u8,
    /// X'0D': see [`LOAD_PARAMETER_VALID`].
    pub flags: u8,
    /// X'0E': reserved.
    pub reserved_0e: [u8; 2],
    /// X'10': the load parameter.
    pub load_parameter: [u8; 8],
    /// X'18': reserved.
    pub reserved_18: [u8; 86],
    /// X'6E': the device number.
    pub device: U16,
    /// X'70': see [`PARM_VALID`].
    pub vm_flags: u8,
    /// X'71': reserved.
    pub reserved_71: [u8; 3],
    /// X'74': characters of `parm`.
    pub parm_length: U32,
    /// X'78': reserved.
    pub reserved_78: [u8; 8],
    /// X'80': what stood after PARM in CP's IPL command.
    pub parm: [u8; 64],
    /// X'C0': reserved.
    pub reserved_c0: [u8; 8],
}
const _: () = assert!(size_of::<IplBlock>() == 200);

/// [`IplBlock::kind`] of a device that channel programs load from.
pub const CCW_DEVICE: u8 = 2;
/// In [`IplBlock::flags`].
pub const LOAD_PARAMETER_VALID: u8 = 0x80;
/// In [`IplBlock::vm_flags`].
pub const PARM_VALID: u8 = 0x40;

/// The parameter area of a Linux kernel, at absolute 0x10400.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct KernelParameters {
    /// X'00': reserved.
    pub reserved_00: [u8; 8],
    /// X'08': where the initial ramdisk lies.
    pub initrd_start: U64,
    /// X'10': bytes of it; 0: there is none.
    pub initrd_size: U64,
    /// X'18': reserved.
    pub reserved_18: [u8; 24],
    /// X'30': bytes that the kernel has for its command line; 0: it is older than this field.
    pub command_line_size: U64,
}
const _: () = assert!(size_of::<KernelParameters>() == 56);
