//! What a control unit says of its caches and volumes.

use base::layout::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// What SENSE SUBSYSTEM STATUS gives, format 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SubsystemStatus {
    pub reserved_00: u8,
    /// The device's unit address.
    pub unit: u8,
    /// Other devices.
    pub more_devices: u8,
    /// Sets of statistics of each.
    pub statistics: u8,
    /// X'80': a program has turned the cache off.
    pub cache_status: u8,
    /// X'80': a program has turned non-volatile storage off.
    pub storage_status: u8,
    /// Bytes of a set.
    pub statistics_length: U16,
    pub reserved_08: [u8; 2],
    /// Bytes of the cache.
    pub cache: U32,
    /// Bytes of it that may be used.
    pub available: U32,
    /// Bytes of it that are pinned.
    pub pinned: U32,
    /// Bytes of it that are offline.
    pub offline: U32,
    /// X'C0': no caching of the device; X'30': no DASD fast write.
    pub device_status: u8,
    pub reserved_1b: u8,
    /// Bytes of non-volatile storage.
    pub storage: U32,
    /// Bytes of it that are pinned.
    pub storage_pinned: U32,
    pub reserved_24: [u8; 2],
    /// The subsystem's identification.
    pub ssid: U16,
}
const _: () = assert!(size_of::<SubsystemStatus>() == 40);

/// A set of subsystem statistics. A request is the use of one track by a channel program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SubsystemStatistics {
    pub reserved_00: u8,
    /// The device's unit address.
    pub unit: u8,
    pub reserved_02: [u8; 2],
    pub reads: U32,
    pub read_hits: U32,
    pub writes: U32,
    /// Writes that were over when they were in non-volatile storage.
    pub fast_write_hits: U32,
    pub sequential_reads: U32,
    pub sequential_read_hits: U32,
    pub sequential_writes: U32,
    pub sequential_fast_write_hits: U32,
    /// Reads, hits, writes and hits of cache fast write.
    pub cache_fast_write: [U32; 4],
    /// Requests that asked for the cache not to be loaded.
    pub inhibited: U32,
    /// Requests that asked for the cache not to be used.
    pub bypassed: U32,
    pub sequential_staged: U32,
    /// Tracks brought into the cache.
    pub staged: U32,
    /// Tracks destaged from it.
    pub destaged: U32,
    /// Writes that had to wait for room in non-volatile storage.
    pub delayed: U32,
    pub fast_writes: U32,
    pub sequential_fast_writes: U32,
    /// As `staged`.
    pub staged_54: U32,
    pub reserved_58: [u8; 6],
    /// The subsystem's identification.
    pub ssid: U16,
    pub reserved_60: [u8; 96],
}
const _: () = assert!(size_of::<SubsystemStatistics>() == 192);

/// What Volume Storage Query gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct VolumeStorage {
    /// Neither track- nor extent-space-efficient if zero.
    pub flags: u8,
    pub reserved_01: [u8; 15],
    /// Cylinders.
    pub allocated: U32,
    /// Cylinders that may be allocated.
    pub limit: U32,
    /// Cylinders of the volume.
    pub size: U32,
}
const _: () = assert!(size_of::<VolumeStorage>() == 28);
