//! What STORE SYSTEM INFORMATION stores: system-information blocks (POP, chapter 10). Texts are EBCDIC; a block is 4096
//! bytes, zeros after what is here.

use base::layout::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// SYSIB 1.1.1: the basic machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BasicMachine {
    pub reserved_00: [u8; 32],
    pub manufacturer: [u8; 16],
    pub machine_type: [u8; 4],
    pub reserved_34: [u8; 12],
    /// The model-capacity identifier.
    pub model_capacity: [u8; 16],
    /// The sequence code.
    pub sequence: [u8; 16],
    /// The plant of manufacture.
    pub plant: [u8; 4],
    pub model: [u8; 16],
    /// The model-permanent-capacity identifier.
    pub permanent_capacity: [u8; 16],
    /// The model-temporary-capacity identifier.
    pub temporary_capacity: [u8; 16],
}
const _: () = assert!(size_of::<BasicMachine>() == 148);

/// SYSIB 1.2.1 and 2.2.1: the CPU that asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct OneCpu {
    pub reserved_00: [u8; 80],
    /// The sequence code.
    pub sequence: [u8; 16],
    /// The plant of manufacture.
    pub plant: [u8; 4],
    /// In a logical partition, the CPU's number among all.
    pub cpu_id: U16,
    pub cpu_address: U16,
}
const _: () = assert!(size_of::<OneCpu>() == 104);

/// SYSIB 1.2.2: the CPUs of the basic machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct MachineCpus {
    pub reserved_00: [u8; 24],
    /// A smaller number is a faster CPU.
    pub nominal_capability: U32,
    pub secondary_capability: U32,
    pub capability: U32,
    /// CPUs.
    pub total: U16,
    /// Of them, those configured.
    pub configured: U16,
}
const _: () = assert!(size_of::<MachineCpus>() == 40);

/// SYSIB 2.2.2: the CPUs of the logical partition.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Partition {
    pub reserved_00: [u8; 32],
    /// The partition's number.
    pub number: U16,
    pub reserved_22: u8,
    /// See [`DEDICATED`].
    pub characteristics: u8,
    /// CPUs.
    pub total: U16,
    /// Of them, those configured.
    pub configured: U16,
    pub reserved_28: [u8; 4],
    pub name: [u8; 8],
    /// Thousandths of the machine's capability.
    pub capability_adjustment: U32,
    pub reserved_38: [u8; 16],
    /// CPUs that are dedicated.
    pub dedicated: U16,
    /// CPUs that are shared.
    pub shared: U16,
}
const _: () = assert!(size_of::<Partition>() == 76);

/// In [`Partition::characteristics`]: CPUs are dedicated.
pub const DEDICATED: u8 = 0x80;

/// SYSIB 3.2.2: the levels of virtual machines, here one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct VirtualMachines {
    pub reserved_00: [u8; 31],
    /// Levels.
    pub count: u8,
    pub reserved_20: [u8; 4],
    /// CPUs.
    pub total: U16,
    /// Of them, those configured.
    pub configured: U16,
    pub reserved_28: [u8; 4],
    /// The virtual machine's name.
    pub name: [u8; 8],
    /// Thousandths of the machine's capability.
    pub capability_adjustment: U32,
    /// What the control program says it is.
    pub control_program: [u8; 16],
}
const _: () = assert!(size_of::<VirtualMachines>() == 72);
