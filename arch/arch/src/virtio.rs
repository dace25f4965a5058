//! Virtio over channel I/O (Virtual I/O Device specification 1.2, chapter 4.3), and what lies in storage for it.
//!
//! What commands carry is big-endian, as all of channel I/O. Rings, configurations and heads of packets are
//! little-endian, as the specification has them from version 1 on.

use base::layout::little;
use base::layout::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The type of the control unit. Its model is the kind of the device.
pub const CONTROL_UNIT: u16 = 0x3832;

/// Kinds of devices.
pub mod kind {
    /// A network card.
    pub const NET: u8 = 1;
    /// A disk.
    pub const DISK: u8 = 2;
    /// A console.
    pub const CONSOLE: u8 = 3;
    /// A source of random numbers.
    pub const RNG: u8 = 4;
    /// A balloon: pages that the program gives back.
    pub const BALLOON: u8 = 5;
    /// A shared folder, by 9P.
    pub const SHARE: u8 = 9;
    /// Sockets between the program and its host.
    pub const SOCKETS: u8 = 19;
}

/// Commands.
pub mod command {
    /// WRITE FEATURES: one word of the features that the driver wants.
    pub const WRITE_FEATURES: u8 = 0x11;
    /// READ FEATURES: one word of the features there are.
    pub const READ_FEATURES: u8 = 0x12;
    /// SET VQ: where a queue lies.
    pub const SET_QUEUE: u8 = 0x13;
    /// WRITE CONFIG.
    pub const WRITE_CONFIG: u8 = 0x21;
    /// READ CONFIG.
    pub const READ_CONFIG: u8 = 0x22;
    /// WRITE STATUS: how far the driver is.
    pub const WRITE_STATUS: u8 = 0x31;
    /// READ VQ CONF: how long a queue can be.
    pub const READ_QUEUE: u8 = 0x32;
    /// RESET.
    pub const RESET: u8 = 0x33;
    /// SET IND: where queues are indicated.
    pub const SET_INDICATORS: u8 = 0x43;
    /// SET CONF IND: where changes of the configuration are indicated.
    pub const SET_CONFIG_INDICATORS: u8 = 0x53;
    /// READ STATUS.
    pub const READ_STATUS: u8 = 0x72;
    /// SET IND ADAPTER: where queues are indicated, with adapter interruptions.
    pub const SET_ADAPTER_INDICATORS: u8 = 0x73;
    /// SET VIRTIO REVISION.
    pub const SET_REVISION: u8 = 0x83;
}

/// Bits of the device's status.
pub mod status {
    /// The driver has seen the device.
    pub const ACKNOWLEDGE: u8 = 0x01;
    /// The driver knows how to drive it.
    pub const DRIVER: u8 = 0x02;
    /// The driver is ready: the device works.
    pub const DRIVER_OK: u8 = 0x04;
    /// The features are settled.
    pub const FEATURES_OK: u8 = 0x08;
    /// The device has found something wrong and wants a reset.
    pub const NEEDS_RESET: u8 = 0x40;
    /// The driver has given up.
    pub const FAILED: u8 = 0x80;
}

/// Features of all devices.
pub mod feature {
    /// Descriptors may be in a table of their own.
    pub const INDIRECT_DESC: u64 = 1 << 28;
    /// Each side says by an index when it wants to be told.
    pub const EVENT_IDX: u64 = 1 << 29;
    /// Version 1 of the specification.
    pub const VERSION_1: u64 = 1 << 32;
}

/// Features of network cards.
pub mod net_feature {
    /// The device computes check sums that the driver leaves open.
    pub const CSUM: u64 = 1 << 0;
    /// The driver takes frames whose check sums are left open.
    pub const GUEST_CSUM: u64 = 1 << 1;
    /// The configuration says the longest packet.
    pub const MTU: u64 = 1 << 3;
    /// The configuration says the address.
    pub const MAC: u64 = 1 << 5;
    /// The driver takes long segments of TCP over IPv4.
    pub const GUEST_TSO4: u64 = 1 << 7;
    /// The driver takes long segments of TCP over IPv6.
    pub const GUEST_TSO6: u64 = 1 << 8;
    /// The device cuts long segments of TCP over IPv4.
    pub const HOST_TSO4: u64 = 1 << 11;
    /// The device cuts long segments of TCP over IPv6.
    pub const HOST_TSO6: u64 = 1 << 12;
    /// A frame may lie in several buffers of the driver.
    pub const MRG_RXBUF: u64 = 1 << 15;
    /// The configuration says whether the link is up.
    pub const STATUS: u64 = 1 << 16;
}

/// Features of shared folders.
pub mod share_feature {
    /// The configuration says the tag: its length in two bytes, then the tag.
    pub const MOUNT_TAG: u64 = 1 << 0;
}

/// Features of balloons.
pub mod balloon_feature {
    /// There is a queue of statistics.
    pub const STATISTICS: u64 = 1 << 1;
    /// There is a queue by which the program says which pages are free.
    pub const REPORTING: u64 = 1 << 5;
}

/// The configuration of a balloon.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BalloonConfig {
    /// X'00': pages that the program is to give back.
    pub wanted: little::U32,
    /// X'04': pages that it has given back; the program writes it.
    pub given: little::U32,
}
const _: () = assert!(size_of::<BalloonConfig>() == 8);

/// A statistic of a program's storage.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BalloonStatistic {
    /// X'00': which: see [`balloon_statistic`].
    pub tag: little::U16,
    /// X'02': its value.
    pub value: little::U64,
}
const _: () = assert!(size_of::<BalloonStatistic>() == 10);

/// Which statistics there are, of those that are used here.
pub mod balloon_statistic {
    /// Bytes that nothing uses.
    pub const FREE: u16 = 4;
    /// Bytes of storage.
    pub const TOTAL: u16 = 5;
    /// Bytes that could be had without paging.
    pub const AVAILABLE: u16 = 6;
}

/// Features of disks.
pub mod disk_feature {
    /// The configuration says the longest segment.
    pub const SIZE_MAX: u64 = 1 << 1;
    /// The configuration says the most segments of a request.
    pub const SEG_MAX: u64 = 1 << 2;
    /// It cannot be written.
    pub const READ_ONLY: u64 = 1 << 5;
    /// The configuration says the size of a block.
    pub const BLOCK_SIZE: u64 = 1 << 6;
    /// There is a request that what was written lasts.
    pub const FLUSH: u64 = 1 << 9;
    /// There is a request that gives sectors up.
    pub const DISCARD: u64 = 1 << 13;
    /// There is a request that makes sectors zeros.
    pub const WRITE_ZEROES: u64 = 1 << 14;
}

/// Types of a disk's requests.
pub mod disk_request {
    /// Reads.
    pub const READ: u32 = 0;
    /// Writes.
    pub const WRITE: u32 = 1;
    /// What was written before lasts.
    pub const FLUSH: u32 = 4;
    /// Reads the serial number.
    pub const ID: u32 = 8;
    /// Gives sectors up.
    pub const DISCARD: u32 = 11;
    /// Makes sectors zeros.
    pub const WRITE_ZEROES: u32 = 13;
}

/// How a disk's request went: the last byte of its answer.
pub mod disk_status {
    /// Well.
    pub const DONE: u8 = 0;
    /// Not.
    pub const ERROR: u8 = 1;
    /// There is no such request.
    pub const UNSUPPORTED: u8 = 2;
}

/// The configuration of a disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct DiskConfig {
    /// X'00': its sectors of 512 bytes.
    pub sectors: little::U64,
    /// X'08': the longest segment of a request.
    pub longest: little::U32,
    /// X'0C': the most segments of a request.
    pub segments: little::U32,
    /// X'10': cylinders, heads and sectors, of disks that have them.
    pub geometry: [u8; 4],
    /// X'14': bytes of a block.
    pub block: little::U32,
    /// X'18': how blocks lie, and the cache.
    pub reserved_18: [u8; 12],
    /// X'24': the most sectors of a part of DISCARD.
    pub discard_sectors: little::U32,
    /// X'28': the most parts of DISCARD.
    pub discard_parts: little::U32,
    /// X'2C': sectors that DISCARD is to begin at a multiple of.
    pub discard_alignment: little::U32,
    /// X'30': the most sectors of a part of WRITE ZEROES.
    pub zero_sectors: little::U32,
    /// X'34': the most parts of WRITE ZEROES.
    pub zero_parts: little::U32,
    /// X'38': 1: WRITE ZEROES may give sectors up.
    pub zero_discards: u8,
    /// X'39': reserved.
    pub reserved_39: [u8; 3],
}
const _: () = assert!(size_of::<DiskConfig>() == 60);

/// What each of a disk's requests begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct DiskRequest {
    /// X'00': see [`disk_request`].
    pub kind: little::U32,
    /// X'04': reserved.
    pub reserved_04: little::U32,
    /// X'08': the first sector.
    pub sector: little::U64,
}
const _: () = assert!(size_of::<DiskRequest>() == 16);

/// A part of DISCARD and WRITE ZEROES.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct DiskPart {
    /// X'00': the first sector.
    pub sector: little::U64,
    /// X'08': how many.
    pub count: little::U32,
    /// X'0C': 1: they may be given up.
    pub flags: little::U32,
}
const _: () = assert!(size_of::<DiskPart>() == 16);

/// What packets of sockets are about.
pub mod socket_operation {
    /// A connection is wanted.
    pub const REQUEST: u16 = 1;
    /// It is there.
    pub const RESPONSE: u16 = 2;
    /// It is not there, or not any more.
    pub const RESET: u16 = 3;
    /// One side will send or take no more: see [`super::socket_flag`].
    pub const SHUTDOWN: u16 = 4;
    /// Data.
    pub const DATA: u16 = 5;
    /// How much room there is.
    pub const CREDIT: u16 = 6;
    /// How much room is there?
    pub const ASK_CREDIT: u16 = 7;
}

/// Flags of SHUTDOWN.
pub mod socket_flag {
    /// The sender takes no more.
    pub const TAKES_NO_MORE: u32 = 1;
    /// The sender sends no more.
    pub const SENDS_NO_MORE: u32 = 2;
}

/// What each packet of sockets begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SocketHeader {
    /// X'00': where it comes from.
    pub from: little::U64,
    /// X'08': where it goes.
    pub to: little::U64,
    /// X'10': the port there.
    pub from_port: little::U32,
    /// X'14': the port here.
    pub to_port: little::U32,
    /// X'18': bytes of data that follow.
    pub length: little::U32,
    /// X'1C': 1: a stream.
    pub kind: little::U16,
    /// X'1E': see [`socket_operation`].
    pub operation: little::U16,
    /// X'20': see [`socket_flag`].
    pub flags: little::U32,
    /// X'24': bytes for which the sender has room in all.
    pub room: little::U32,
    /// X'28': bytes that the sender has handed on so far.
    pub handed_on: little::U32,
}
const _: () = assert!(size_of::<SocketHeader>() == 44);

/// What SET VIRTIO REVISION takes; data of the revision would follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Revision {
    /// X'00': the revision.
    pub revision: U16,
    /// X'02': bytes that follow.
    pub length: U16,
}
const _: () = assert!(size_of::<Revision>() == 4);

/// What READ FEATURES and WRITE FEATURES transfer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Features {
    /// X'00': 32 features.
    pub word: little::U32,
    /// X'04': which 32 of them.
    pub index: u8,
}
const _: () = assert!(size_of::<Features>() == 5);

/// What READ VQ CONF transfers: the index is read before the block is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct QueueSize {
    /// X'00': which queue.
    pub index: U16,
    /// X'02': its most descriptors; 0: there is no such queue.
    pub size: U16,
}
const _: () = assert!(size_of::<QueueSize>() == 4);

/// What SET VQ takes from revision 1 on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct QueueParts {
    /// X'00': the address of the descriptors.
    pub descriptors: U64,
    /// X'08': reserved.
    pub reserved_08: U32,
    /// X'0C': which queue.
    pub index: U16,
    /// X'0E': how many descriptors; 0: the queue is not used any more.
    pub size: U16,
    /// X'10': the address of what the driver makes available.
    pub available: U64,
    /// X'18': the address of what the device has used.
    pub used: U64,
}
const _: () = assert!(size_of::<QueueParts>() == 32);

/// What SET IND ADAPTER takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct AdapterIndicators {
    /// X'00': the address of the byte that says that there is an indication.
    pub summary: U64,
    /// X'08': the address of the indicators, a bit for each queue.
    pub indicators: U64,
    /// X'10': which bit is the first queue's, counted from the left.
    pub first: U64,
    /// X'18': the interruption subclass.
    pub isc: u8,
}
const _: () = assert!(size_of::<AdapterIndicators>() == 25);

/// A descriptor: a buffer of the driver's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Descriptor {
    /// X'00': its address.
    pub address: little::U64,
    /// X'08': its bytes.
    pub length: little::U32,
    /// X'0C': see [`descriptor_flag`].
    pub flags: little::U16,
    /// X'0E': the descriptor after it, if it has one.
    pub next: little::U16,
}
const _: () = assert!(size_of::<Descriptor>() == 16);

/// Flags of descriptors.
pub mod descriptor_flag {
    /// Another one follows.
    pub const NEXT: u16 = 1;
    /// The device writes; else it reads.
    pub const WRITE: u16 = 2;
    /// It is no buffer but a table of descriptors.
    pub const INDIRECT: u16 = 4;
}

/// What the two rings of a queue begin with. Of the driver's, entries are indexes of descriptors, two bytes each; of
/// the device's they are [`Used`]. Two bytes follow, at which index that side wants to be told.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Ring {
    /// X'00': 1: this side wants not to be told.
    pub flags: little::U16,
    /// X'02': how many entries there have been.
    pub index: little::U16,
}
const _: () = assert!(size_of::<Ring>() == 4);

/// What the device has done with buffers of the driver's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Used {
    /// X'00': the index of the first of their descriptors.
    pub id: little::U32,
    /// X'04': bytes that were written into them.
    pub length: little::U32,
}
const _: () = assert!(size_of::<Used>() == 8);

/// The configuration of a network card.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct NetConfig {
    /// X'00': its address.
    pub mac: [u8; 6],
    /// X'06': 1: the link is up.
    pub status: little::U16,
    /// X'08': pairs of queues.
    pub pairs: little::U16,
    /// X'0A': the longest packet.
    pub mtu: little::U16,
}
const _: () = assert!(size_of::<NetConfig>() == 12);

/// In the flags of [`NetHeader`]: the check sum is left open.
pub const NEEDS_SUM: u8 = 1;

/// How a long segment is cut, in [`NetHeader`].
pub mod segmentation {
    /// It is not.
    pub const NONE: u8 = 0;
    /// TCP over IPv4.
    pub const TCP4: u8 = 1;
    /// TCP over IPv6.
    pub const TCP6: u8 = 4;
}

/// What stands before each frame in buffers of a network card.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct NetHeader {
    /// X'00': what is to be done about its check sum.
    pub flags: u8,
    /// X'01': see [`segmentation`].
    pub segmentation: u8,
    /// X'02': bytes of its heads, about.
    pub head: little::U16,
    /// X'04': bytes of data of each part.
    pub part: little::U16,
    /// X'06': where the check sum begins.
    pub sum_from: little::U16,
    /// X'08': where the check sum goes, from there.
    pub sum_at: little::U16,
    /// X'0A': in how many buffers the frame lies.
    pub buffers: little::U16,
}
const _: () = assert!(size_of::<NetHeader>() == 12);
