//! Blocks of disks: DIAGNOSE X'A4' and X'250', and the IUCV service *BLOCKIO. Forms of 31 and of 64 bits are two
//! structs.

use crate::io::DeviceStatus;
use base::layout::{I32, I64, U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The block of DIAGNOSE X'A4'.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SyncBlockIo {
    /// X'00': the virtual device number.
    pub device: U16,
    /// X'02': the access key, in the left half.
    pub key: u8,
    /// X'03': 1 writes, 2 reads.
    pub operation: u8,
    /// X'04': bytes of a block.
    pub block_size: U32,
    /// X'08': the address of [`SyncBlock`]s.
    pub list: U32,
    /// X'0C': how many there are.
    pub count: U32,
    /// X'10': blocks that were done.
    pub done: U32,
    /// X'14': the device status at the end.
    pub status: DeviceStatus,
    /// X'15': reserved.
    pub reserved_15: [u8; 3],
    /// X'18': the path that was used, as a mask.
    pub path: u8,
    /// X'19': must be zero.
    pub zeros: [u8; 5],
    /// X'1E': how many of `sense` there are.
    pub sense_count: U16,
    /// X'20': reserved.
    pub reserved_20: [u8; 24],
    /// X'38': sense bytes, if the status has unit check.
    pub sense: [u8; 32],
}
const _: () = assert!(size_of::<SyncBlockIo>() == 88);

/// A block of DIAGNOSE X'A4'.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SyncBlock {
    /// X'00': from 1.
    pub number: U32,
    /// X'04': the address of its data.
    pub buffer: U32,
}
const _: () = assert!(size_of::<SyncBlock>() == 8);

/// The beginning of each list of DIAGNOSE X'250'.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BlockIo {
    /// X'00': the virtual device number.
    pub device: U16,
    /// X'02': flags; X'80': addresses have 64 bits.
    pub mode: u8,
    /// X'03': reserved.
    pub reserved_03: [u8; 21],
}
const _: () = assert!(size_of::<BlockIo>() == 24);

/// INIT, 31 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BlockInit {
    /// X'00': the device and the mode.
    pub start: BlockIo,
    /// X'18': bytes of a block.
    pub block_size: U32,
    /// X'1C': added to the program's block numbers.
    pub offset: I32,
    /// X'20': the first block number.
    pub first: I32,
    /// X'24': the last one.
    pub last: I32,
    /// X'28': reserved.
    pub reserved_28: [u8; 24],
}
const _: () = assert!(size_of::<BlockInit>() == 64);

/// INIT, 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BlockInit64 {
    /// X'00': the device and the mode.
    pub start: BlockIo,
    /// X'18': bytes of a block.
    pub block_size: U32,
    /// X'1C': reserved.
    pub reserved_1c: [u8; 4],
    /// X'20': added to the program's block numbers.
    pub offset: I64,
    /// X'28': the first block number.
    pub first: I64,
    /// X'30': the last one.
    pub last: I64,
    /// X'38': reserved.
    pub reserved_38: [u8; 8],
}
const _: () = assert!(size_of::<BlockInit64>() == 64);

/// IOREQ, 31 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BlockRequests {
    /// X'00': the device and the mode.
    pub start: BlockIo,
    /// X'18': the access key, in the left half.
    pub key: u8,
    /// X'19': 1: not by caches; 2: the program goes on meanwhile.
    pub flags: u8,
    /// X'1A': reserved.
    pub reserved_1a: [u8; 2],
    /// X'1C': requests.
    pub count: U32,
    /// X'20': reserved.
    pub reserved_20: [u8; 4],
    /// X'24': the address of [`BlockRequest`]s.
    pub list: U32,
    /// X'28': of the interruption at the end.
    pub parameter: U32,
    /// X'2C': reserved.
    pub reserved_2c: [u8; 20],
}
const _: () = assert!(size_of::<BlockRequests>() == 64);

/// IOREQ, 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BlockRequests64 {
    /// X'00': the device and the mode.
    pub start: BlockIo,
    /// X'18': the access key, in the left half.
    pub key: u8,
    /// X'19': 1: not by caches; 2: the program goes on meanwhile.
    pub flags: u8,
    /// X'1A': reserved.
    pub reserved_1a: [u8; 2],
    /// X'1C': requests.
    pub count: U32,
    /// X'20': reserved.
    pub reserved_20: [u8; 8],
    /// X'28': of the interruption at the end.
    pub parameter: U64,
    /// X'30': the address of [`BlockRequest64`]s.
    pub list: U64,
    /// X'38': reserved.
    pub reserved_38: [u8; 8],
}
const _: () = assert!(size_of::<BlockRequests64>() == 64);

/// A request, 31 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BlockRequest {
    /// X'00': 1 writes, 2 reads.
    pub kind: u8,
    /// X'01': how the request ended; 0: well.
    pub status: u8,
    /// X'02': reserved.
    pub reserved_02: [u8; 2],
    /// X'04': the block's number.
    pub number: I32,
    /// X'08': reserved.
    pub reserved_08: [u8; 4],
    /// X'0C': the address of its data.
    pub buffer: U32,
}
const _: () = assert!(size_of::<BlockRequest>() == 16);

/// A request, 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BlockRequest64 {
    /// X'00': 1 writes, 2 reads.
    pub kind: u8,
    /// X'01': how the request ended; 0: well.
    pub status: u8,
    /// X'02': reserved.
    pub reserved_02: [u8; 6],
    /// X'08': the block's number.
    pub number: I64,
    /// X'10': the address of its data.
    pub buffer: U64,
}
const _: () = assert!(size_of::<BlockRequest64>() == 24);

/// IPUSER of a CONNECT to *BLOCKIO.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BlockConnect {
    /// X'00': the virtual device number.
    pub device: U16,
    /// X'02': reserved.
    pub reserved_02: [u8; 2],
    /// X'04': bytes of a block.
    pub block_size: U32,
    /// X'08': added to the program's block numbers.
    pub offset: I32,
    /// X'0C': reserved.
    pub reserved_0c: [u8; 4],
}
const _: () = assert!(size_of::<BlockConnect>() == 16);

/// IPPRMMSG of a message to *BLOCKIO.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BlockMessage {
    /// X'00': the block's number.
    pub number: I32,
    /// X'04': the address of its data.
    pub buffer: U32,
}
const _: () = assert!(size_of::<BlockMessage>() == 8);

/// The reply of *BLOCKIO.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BlockReply {
    /// X'00': how the request ended; 0: well.
    pub status: U32,
    /// X'04': blocks that were done.
    pub done: U32,
}
const _: () = assert!(size_of::<BlockReply>() == 8);
