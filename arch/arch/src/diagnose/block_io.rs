//! Blocks of disks: DIAGNOSE X'A4' and X'250', and the IUCV service *BLOCKIO. Forms of 31 and of 64 bits are two
//! structs.

use crate::io::DeviceStatus;
use base::layout::{I32, I64, U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The block of DIAGNOSE X'A4'.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SyncBlockIo {
    /// The virtual device number.
    pub device: U16,
    /// The access key, in the left half.
    pub key: u8,
    /// 1 writes, 2 reads.
    pub operation: u8,
    pub block_size: U32,
    /// The address of [`SyncBlock`]s.
    pub list: U32,
    /// How many there are.
    pub count: U32,
    /// Blocks that were done.
    pub done: U32,
    pub status: DeviceStatus,
    pub reserved_15: [u8; 3],
    /// The path that was used, as a mask.
    pub path: u8,
    /// Must be zero.
    pub zeros: [u8; 5],
    /// How many of `sense` there are.
    pub sense_count: U16,
    pub reserved_20: [u8; 24],
    pub sense: [u8; 32],
}
const _: () = assert!(size_of::<SyncBlockIo>() == 88);

/// A block of DIAGNOSE X'A4'.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SyncBlock {
    /// From 1.
    pub number: U32,
    pub buffer: U32,
}
const _: () = assert!(size_of::<SyncBlock>() == 8);

/// The beginning of each list of DIAGNOSE X'250'.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BlockIo {
    /// The virtual device number.
    pub device: U16,
    /// X'80': addresses have 64 bits.
    pub mode: u8,
    pub reserved_03: [u8; 21],
}
const _: () = assert!(size_of::<BlockIo>() == 24);

/// INIT, 31 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BlockInit {
    pub start: BlockIo,
    pub block_size: U32,
    /// Added to the program's block numbers.
    pub offset: I32,
    /// The first block number.
    pub first: I32,
    /// The last one.
    pub last: I32,
    pub reserved_28: [u8; 24],
}
const _: () = assert!(size_of::<BlockInit>() == 64);

/// INIT, 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BlockInit64 {
    pub start: BlockIo,
    pub block_size: U32,
    pub reserved_1c: [u8; 4],
    /// Added to the program's block numbers.
    pub offset: I64,
    /// The first block number.
    pub first: I64,
    /// The last one.
    pub last: I64,
    pub reserved_38: [u8; 8],
}
const _: () = assert!(size_of::<BlockInit64>() == 64);

/// IOREQ, 31 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BlockRequests {
    pub start: BlockIo,
    /// The access key, in the left half.
    pub key: u8,
    /// 1: not by caches; 2: the program goes on meanwhile.
    pub flags: u8,
    pub reserved_1a: [u8; 2],
    /// Requests.
    pub count: U32,
    pub reserved_20: [u8; 4],
    /// The address of [`BlockRequest`]s.
    pub list: U32,
    /// Of the interruption at the end.
    pub parameter: U32,
    pub reserved_2c: [u8; 20],
}
const _: () = assert!(size_of::<BlockRequests>() == 64);

/// IOREQ, 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BlockRequests64 {
    pub start: BlockIo,
    /// The access key, in the left half.
    pub key: u8,
    /// 1: not by caches; 2: the program goes on meanwhile.
    pub flags: u8,
    pub reserved_1a: [u8; 2],
    /// Requests.
    pub count: U32,
    pub reserved_20: [u8; 8],
    /// Of the interruption at the end.
    pub parameter: U64,
    /// The address of [`BlockRequest64`]s.
    pub list: U64,
    pub reserved_38: [u8; 8],
}
const _: () = assert!(size_of::<BlockRequests64>() == 64);

/// A request, 31 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BlockRequest {
    /// 1 writes, 2 reads.
    pub kind: u8,
    pub status: u8,
    pub reserved_02: [u8; 2],
    /// The block's number.
    pub number: I32,
    pub reserved_08: [u8; 4],
    pub buffer: U32,
}
const _: () = assert!(size_of::<BlockRequest>() == 16);

/// A request, 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BlockRequest64 {
    /// 1 writes, 2 reads.
    pub kind: u8,
    pub status: u8,
    pub reserved_02: [u8; 6],
    /// The block's number.
    pub number: I64,
    pub buffer: U64,
}
const _: () = assert!(size_of::<BlockRequest64>() == 24);

/// IPUSER of a CONNECT to *BLOCKIO.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BlockConnect {
    /// The virtual device number.
    pub device: U16,
    pub reserved_02: [u8; 2],
    pub block_size: U32,
    /// Added to the program's block numbers.
    pub offset: I32,
    pub reserved_0c: [u8; 4],
}
const _: () = assert!(size_of::<BlockConnect>() == 16);

/// IPPRMMSG of a message to *BLOCKIO.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BlockMessage {
    /// The block's number.
    pub number: I32,
    pub buffer: U32,
}
const _: () = assert!(size_of::<BlockMessage>() == 8);

/// The reply of *BLOCKIO.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BlockReply {
    pub status: U32,
    /// Blocks that were done.
    pub done: U32,
}
const _: () = assert!(size_of::<BlockReply>() == 8);
