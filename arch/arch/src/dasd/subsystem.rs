//! What a control unit says of its caches and volumes.

use base::layout::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// What SENSE SUBSYSTEM STATUS gives, format 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SubsystemStatus {
    /// X'00': reserved.
    pub reserved_00: u8,
    /// X'01': the device's unit address.
    pub unit: u8,
    /// X'02': other devices.
    pub more_devices: u8,
    /// X'03': sets of statistics of each.
    pub statistics: u8,
    /// X'04': flags; X'80': a program has turned the cache off.
    pub cache_status: u8,
    /// X'05': flags; X'80': a program has turned non-volatile storage off.
    pub storage_status: u8,
    /// X'06': bytes of a set.
    pub statistics_length: U16,
    /// X'08': reserved.
    pub reserved_08: [u8; 2],
    /// X'0A': bytes of the cache.
    pub cache: U32,
    /// X'0E': bytes of it that may be used.
    pub available: U32,
    /// X'12': bytes of it that are pinned.
    pub pinned: U32,
    /// X'16': bytes of it that are offline.
    pub offline: U32,
    /// X'1A': flags; X'C0': no caching of the device; X'30': no DASD fast write.
    pub device_status: u8,
    /// X'1B': reserved.
    pub reserved_1b: u8,
    /// X'1C': bytes of non-volatile storage.
    pub storage: U32,
    /// X'20': bytes of it that are pinned.
    pub storage_pinned: U32,
    /// X'24': reserved.
    pub reserved_24: [u8; 2],
    /// X'26': the subsystem's identification.
    pub ssid: U16,
}
const _: () = assert!(size_of::<SubsystemStatus>() == 40);

/// A set of subsystem statistics. A request is the use of one track by a channel program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SubsystemStatistics {
    /// X'00': reserved.
    pub reserved_00: u8,
    /// X'01': the device's unit address.
    pub unit: u8,
    /// X'02': reserved.
    pub reserved_02: [u8; 2],
    /// X'04': normal reads.
    pub reads: U32,
    /// X'08': normal reads of tracks that were in the cache.
    pub read_hits: U32,
    /// X'0C': normal writes.
    pub writes: U32,
    /// X'10': writes that were over when they were in non-volatile storage.
    pub fast_write_hits: U32,
    /// X'14': sequential reads.
    pub sequential_reads: U32,
    /// X'18': sequential reads of tracks that were in the cache.
    pub sequential_read_hits: U32,
    /// X'1C': sequential writes.
    pub sequential_writes: U32,
    /// X'20': sequential writes that were over when they were in non-volatile storage.
    pub sequential_fast_write_hits: U32,
    /// X'24': reads, hits, writes and hits of cache fast write.
    pub cache_fast_write: [U32; 4],
    /// X'34': requests that asked for the cache not to be loaded.
    pub inhibited: U32,
    /// X'38': requests that asked for the cache not to be used.
    pub bypassed: U32,
    /// X'3C': tracks brought into the cache ahead of sequential reads.
    pub sequential_staged: U32,
    /// X'40': tracks brought into the cache.
    pub staged: U32,
    /// X'44': tracks destaged from it.
    pub destaged: U32,
    /// X'48': writes that had to wait for room in non-volatile storage.
    pub delayed: U32,
    /// X'4C': writes by DASD fast write, hits or not.
    pub fast_writes: U32,
    /// X'50': sequential writes by DASD fast write, hits or not.
    pub sequential_fast_writes: U32,
    /// X'54': as `staged`.
    pub staged_54: U32,
    /// X'58': reserved.
    pub reserved_58: [u8; 6],
    /// X'5E': the subsystem's identification.
    pub ssid: U16,
    /// X'60': reserved.
    pub reserved_60: [u8; 96],
}
const _: () = assert!(size_of::<SubsystemStatistics>() == 192);

/// What Volume Storage Query gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct VolumeStorage {
    /// X'00': neither track- nor extent-space-efficient if zero.
    pub flags: u8,
    /// X'01': reserved.
    pub reserved_01: [u8; 15],
    /// X'10': cylinders.
    pub allocated: U32,
    /// X'14': cylinders that may be allocated.
    pub limit: U32,
    /// X'18': cylinders of the volume.
    pub size: U32,
}
const _: () = assert!(size_of::<VolumeStorage>() == 28);
