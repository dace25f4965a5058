//! What STORE HYPERVISOR INFORMATION stores (POP, chapter 10). Texts are EBCDIC.

use base::layout::U16;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The header: which sections there are, and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct HypervisorHeader {
    /// See [`INCOMPLETE`].
    pub flags: u8,
    pub reserved_01: [u8; 7],
    /// Bytes of all.
    pub total: U16,
    /// Bytes of the header.
    pub length: U16,
    pub machine_offset: U16,
    pub machine_length: U16,
    pub partition_offset: U16,
    pub partition_length: U16,
    pub reserved_14: [u8; 24],
}
const _: () = assert!(size_of::<HypervisorHeader>() == 44);

/// In [`HypervisorHeader::flags`]: the stack of levels is not complete.
pub const INCOMPLETE: u8 = 0x20;

/// The machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct MachineSection {
    pub reserved_00: [u8; 2],
    /// See [`MACHINE_IDENTIFIED`] and [`MACHINE_COUNTED`].
    pub valid: u8,
    pub reserved_03: u8,
    /// Shared and dedicated CPUs.
    pub cpus: U16,
    pub reserved_06: [u8; 14],
    pub machine_type: [u8; 4],
    pub manufacturer: [u8; 16],
    /// The sequence code.
    pub sequence: [u8; 16],
    /// The plant of manufacture.
    pub plant: [u8; 4],
    pub reserved_3c: [u8; 4],
}
const _: () = assert!(size_of::<MachineSection>() == 64);

/// In [`MachineSection::valid`]: its identification is.
pub const MACHINE_IDENTIFIED: u8 = 0x40;
/// In [`MachineSection::valid`]: its counts of CPUs are.
pub const MACHINE_COUNTED: u8 = 0x20;

/// The logical partition.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct PartitionSection {
    pub reserved_00: [u8; 2],
    /// See [`PARTITION_COUNTED`] and [`PARTITION_IDENTIFIED`].
    pub valid: u8,
    pub reserved_03: u8,
    /// The partition's number.
    pub number: U16,
    /// Its CPUs.
    pub cpus: U16,
    pub reserved_08: [u8; 8],
    pub name: [u8; 8],
    pub reserved_18: [u8; 32],
}
const _: () = assert!(size_of::<PartitionSection>() == 56);

/// In [`PartitionSection::valid`]: its counts of CPUs are.
pub const PARTITION_COUNTED: u8 = 0x80;
/// In [`PartitionSection::valid`]: its identification is.
pub const PARTITION_IDENTIFIED: u8 = 0x40;

/// All of it, for a machine with one level.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct HypervisorInformation {
    pub header: HypervisorHeader,
    pub machine: MachineSection,
    pub partition: PartitionSection,
}
const _: () = assert!(size_of::<HypervisorInformation>() == 164);
