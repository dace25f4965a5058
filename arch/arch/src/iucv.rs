//! What programs and IUCV say to each other beside the parameter list (CP Programming Services, SC24-5520, "IUCV").

use base::layout::U32;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// An entry of a list of buffers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BufferEntry {
    /// X'00': the address of a buffer.
    pub address: U32,
    /// X'04': in bytes; bit 0 must be zero.
    pub length: U32,
}
const _: () = assert!(size_of::<BufferEntry>() == 8);

/// IPUSER when a connection to *BLOCKIO is complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BlockIoUser {
    /// X'00': the first block number.
    pub first: U32,
    /// X'04': the last one.
    pub last: U32,
    /// X'08': flags; X'80': the disk may only be read.
    pub flags: u8,
    /// X'09': reserved.
    pub reserved_09: [u8; 7],
}
const _: () = assert!(size_of::<BlockIoUser>() == 16);
