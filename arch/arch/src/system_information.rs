//! What STORE SYSTEM INFORMATION stores: system-information blocks (POP, chapter 10). Texts are EBCDIC; a block is 4096
//! bytes, zeros after what is here.

use base::layout::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// SYSIB 1.1.1: the basic machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BasicMachine {
    /// X'00': reserved.
    pub reserved_00: [u8; 32],
    /// X'20': the manufacturer.
    pub manufacturer: [u8; 16],
    /// X'30': the four characters of the machine type.
    pub machine_type: [u8; 4],
    /// X'34': reserved.
    pub reserved_34: [u8; 12],
    /// X'40': the model-capacity identifier.
    pub model_capacity: [u8; 16],
    /// X'50': the sequence code.
    pub sequence: [u8; 16],
    /// X'60': the plant of manufacture.
    pub plant: [u8; 4],
    /// X'64': the model.
    pub model: [u8; 16],
    /// X'74': the model-permanent-capacity identifier.
    pub permanent_capacity: [u8; 16],
    /// X'84': the model-temporary-capacity identifier.
    pub temporary_capacity: [u8; 16],
}
const _: () = assert!(size_of::<BasicMachine>() == 148);

/// SYSIB 1.2.1 and 2.2.1: the CPU that asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct OneCpu {
    /// X'00': reserved.
    pub reserved_00: [u8; 80],
    /// X'50': the sequence code.
    pub sequence: [u8; 16],
    /// X'60': the plant of manufacture.
    pub plant: [u8; 4],
    /// X'64': in a logical partition, the CPU's number among all.
    pub cpu_id: U16,
    /// X'66': the CPU address.
    pub cpu_address: U16,
}
const _: () = assert!(size_of::<OneCpu>() == 104);

/// SYSIB 1.2.2: the CPUs of the basic machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct MachineCpus {
    /// X'00': reserved.
    pub reserved_00: [u8; 24],
    /// X'18': a smaller number is a faster CPU.
    pub nominal_capability: U32,
    /// X'1C': the secondary CPU capability; 0: there is none.
    pub secondary_capability: U32,
    /// X'20': how fast a CPU is; a smaller number is a faster CPU.
    pub capability: U32,
    /// X'24': CPUs.
    pub total: U16,
    /// X'26': of them, those configured.
    pub configured: U16,
}
const _: () = assert!(size_of::<MachineCpus>() == 40);

/// SYSIB 2.2.2: the CPUs of the logical partition.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Partition {
    /// X'00': reserved.
    pub reserved_00: [u8; 32],
    /// X'20': the partition's number.
    pub number: U16,
    /// X'22': reserved.
    pub reserved_22: u8,
    /// X'23': see [`DEDICATED`].
    pub characteristics: u8,
    /// X'24': CPUs.
    pub total: U16,
    /// X'26': of them, those configured.
    pub configured: U16,
    /// X'28': reserved.
    pub reserved_28: [u8; 4],
    /// X'2C': the partition's name.
    pub name: [u8; 8],
    /// X'34': thousandths of the machine's capability.
    pub capability_adjustment: U32,
    /// X'38': reserved.
    pub reserved_38: [u8; 16],
    /// X'48': CPUs that are dedicated.
    pub dedicated: U16,
    /// X'4A': CPUs that are shared.
    pub shared: U16,
}
const _: () = assert!(size_of::<Partition>() == 76);

/// In [`Partition::characteristics`]: CPUs are dedicated.
pub const DEDICATED: u8 = 0x80;

/// SYSIB 3.2.2: the levels of virtual machines, here one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct VirtualMachines {
    /// X'00': reserved.
    pub reserved_00: [u8; 31],
    /// X'1F': levels.
    pub count: u8,
    /// X'20': reserved.
    pub reserved_20: [u8; 4],
    /// X'24': CPUs.
    pub total: U16,
    /// X'26': of them, those configured.
    pub configured: U16,
    /// X'28': reserved.
    pub reserved_28: [u8; 4],
    /// X'2C': the virtual machine's name.
    pub name: [u8; 8],
    /// X'34': thousandths of the machine's capability.
    pub capability_adjustment: U32,
    /// X'38': what the control program says it is.
    pub control_program: [u8; 16],
}
const _: () = assert!(size_of::<VirtualMachines>() == 72);
