//! What STORE HYPERVISOR INFORMATION stores (POP, chapter 10). Texts are EBCDIC.

use base::layout::U16;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The header: which sections there are, and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct HypervisorHeader {
    /// X'00': see [`INCOMPLETE`].
    pub flags: u8,
    /// X'01': reserved.
    pub reserved_01: [u8; 7],
    /// X'08': bytes of all.
    pub total: U16,
    /// X'0A': bytes of the header.
    pub length: U16,
    /// X'0C': where the [`MachineSection`] begins, in bytes from the header's beginning.
    pub machine_offset: U16,
    /// X'0E': bytes of the [`MachineSection`].
    pub machine_length: U16,
    /// X'10': where the [`PartitionSection`] begins, in bytes from the header's beginning.
    pub partition_offset: U16,
    /// X'12': bytes of the [`PartitionSection`].
    pub partition_length: U16,
    /// X'14': places and lengths of sections for three levels of control programs, of which there are none here.
    pub levels: [u8; 24],
    /// X'2C': reserved.
    pub reserved_2c: [u8; 4],
}
const _: () = assert!(size_of::<HypervisorHeader>() == 48);

/// In [`HypervisorHeader::flags`]: the stack of levels is not complete.
pub const INCOMPLETE: u8 = 0x20;

/// The machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct MachineSection {
    /// X'00': reserved.
    pub reserved_00: [u8; 2],
    /// X'02': see [`MACHINE_IDENTIFIED`] and [`MACHINE_COUNTED`].
    pub valid: u8,
    /// X'03': reserved.
    pub reserved_03: u8,
    /// X'04': shared and dedicated CPUs.
    pub cpus: U16,
    /// X'06': reserved.
    pub reserved_06: [u8; 6],
    /// X'0C': the machine's name, if it is valid, which it is not here.
    pub name: [u8; 8],
    /// X'14': the four characters of the machine type, in EBCDIC.
    pub machine_type: [u8; 4],
    /// X'18': the manufacturer, in EBCDIC.
    pub manufacturer: [u8; 16],
    /// X'28': the sequence code.
    pub sequence: [u8; 16],
    /// X'38': the plant of manufacture.
    pub plant: [u8; 4],
    /// X'3C': reserved.
    pub reserved_3c: [u8; 4],
}
const _: () = assert!(size_of::<MachineSection>() == 64);

/// In [`MachineSection::valid`]: its identification is.
pub const MACHINE_IDENTIFIED: u8 = 0x40;
/// In [`MachineSection::valid`]: its counts of CPUs are.
pub const MACHINE_COUNTED: u8 = 0x80;

/// The logical partition.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct PartitionSection {
    /// X'00': reserved.
    pub reserved_00: [u8; 2],
    /// X'02': see [`PARTITION_COUNTED`] and [`PARTITION_IDENTIFIED`].
    pub valid: u8,
    /// X'03': reserved.
    pub reserved_03: u8,
    /// X'04': the partition's number.
    pub number: U16,
    /// X'06': its CPUs.
    pub cpus: U16,
    /// X'08': reserved.
    pub reserved_08: [u8; 8],
    /// X'10': the partition's name, in EBCDIC.
    pub name: [u8; 8],
    /// X'18': reserved.
    pub reserved_18: [u8; 32],
}
const _: () = assert!(size_of::<PartitionSection>() == 56);

/// In [`PartitionSection::valid`]: its counts of CPUs are.
pub const PARTITION_COUNTED: u8 = 0x80;
/// In [`PartitionSection::valid`]: its identification is.
pub const PARTITION_IDENTIFIED: u8 = 0x10;

/// All of it, for a machine with one level.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct HypervisorInformation {
    /// X'00': which sections there are, and where.
    pub header: HypervisorHeader,
    /// X'30': the machine.
    pub machine: MachineSection,
    /// X'70': the partition.
    pub partition: PartitionSection,
}
const _: () = assert!(size_of::<HypervisorInformation>() == 168);
