//! Assigned storage locations: the prefix area (POP, chapter 3, "Assigned storage locations").

use base::layout::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Where STORE STATUS and a machine check store registers in z/Architecture: 512 bytes from [`z::SAVE_AREA`] on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SaveArea {
    pub floating_point: [U64; 16],
    pub general: [U64; 16],
    /// STORE STATUS alone stores the PSW and the prefix.
    pub psw: [U64; 2],
    reserved_110: U64,
    pub prefix: U32,
    pub fpc: U32,
    reserved_120: U32,
    pub tod_programmable: U32,
    pub cpu_timer: U64,
    /// Bits 0-55 of the clock comparator, on the right of a zero byte.
    pub clock_comparator: U64,
    reserved_138: U64,
    pub access: [U32; 16],
    pub control: [U64; 16],
}
const _: () = assert!(size_of::<SaveArea>() == 512);

/// The same in ESA/390: from [`esa::SAVE_AREA`] on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct EsaSaveArea {
    pub cpu_timer: U64,
    pub clock_comparator: U64,
    reserved_010: [U64; 3],
    /// STORE STATUS alone stores the PSW and the prefix.
    pub psw: U64,
    pub prefix: U32,
    reserved_034: [U32; 5],
    pub access: [U32; 16],
    /// Registers 0, 2, 4 and 6.
    pub floating_point: [U64; 4],
    pub general: [U32; 16],
    pub control: [U32; 16],
}
const _: () = assert!(size_of::<EsaSaveArea>() as u64 == 0x200 - esa::SAVE_AREA);

/// z/Architecture: real addresses in the 8 KiB prefix area.
pub mod z {
    pub const EXTERNAL_PARAMETER: u64 = 0x80;
    pub const EXTERNAL_CPU_ADDRESS: u64 = 0x84;
    pub const EXTERNAL_CODE: u64 = 0x86;
    pub const SVC_ILC: u64 = 0x88;
    pub const PROGRAM_ILC: u64 = 0x8c;
    pub const DATA_EXCEPTION_CODE: u64 = 0x90;
    pub const MONITOR_CLASS: u64 = 0x94;
    pub const PER_CODE: u64 = 0x96;
    pub const PER_ADDRESS: u64 = 0x98;
    pub const EXCEPTION_ACCESS_ID: u64 = 0xa0;
    pub const PER_ACCESS_ID: u64 = 0xa1;
    pub const OPERAND_ACCESS_ID: u64 = 0xa2;
    pub const ARCHITECTURE_MODE: u64 = 0xa3;
    pub const TRANSLATION_EXCEPTION_ID: u64 = 0xa8;
    pub const MONITOR_CODE: u64 = 0xb0;
    pub const SUBSYSTEM_ID: u64 = 0xb8;
    pub const IO_PARAMETER: u64 = 0xbc;
    pub const IO_IDENTIFICATION: u64 = 0xc0;
    pub const FACILITIES: u64 = 0xc8;
    pub const MACHINE_CHECK_CODE: u64 = 0xe8;
    pub const EXTERNAL_DAMAGE_CODE: u64 = 0xf4;
    pub const FAILING_STORAGE_ADDRESS: u64 = 0xf8;
    pub const BREAKING_EVENT_ADDRESS: u64 = 0x110;
    pub const RESTART_OLD: u64 = 0x120;
    pub const EXTERNAL_OLD: u64 = 0x130;
    pub const SVC_OLD: u64 = 0x140;
    pub const PROGRAM_OLD: u64 = 0x150;
    pub const MACHINE_CHECK_OLD: u64 = 0x160;
    pub const IO_OLD: u64 = 0x170;
    pub const RESTART_NEW: u64 = 0x1a0;
    pub const EXTERNAL_NEW: u64 = 0x1b0;
    pub const SVC_NEW: u64 = 0x1c0;
    pub const PROGRAM_NEW: u64 = 0x1d0;
    pub const MACHINE_CHECK_NEW: u64 = 0x1e0;
    pub const IO_NEW: u64 = 0x1f0;
    pub const EXTENDED_SAVE_AREA: u64 = 0x11b0;
    pub const EXTERNAL_PARAMETER_64: u64 = 0x11b8;
    /// A [`SaveArea`](super::SaveArea).
    pub const SAVE_AREA: u64 = 0x1200;
}

/// ESA/390: real addresses in the 4 KiB prefix area where they differ from z/Architecture's.
pub mod esa {
    pub const RESTART_NEW: u64 = 0x00;
    pub const RESTART_OLD: u64 = 0x08;
    pub const EXTERNAL_OLD: u64 = 0x18;
    pub const SVC_OLD: u64 = 0x20;
    pub const PROGRAM_OLD: u64 = 0x28;
    pub const MACHINE_CHECK_OLD: u64 = 0x30;
    pub const IO_OLD: u64 = 0x38;
    pub const EXTERNAL_NEW: u64 = 0x58;
    pub const SVC_NEW: u64 = 0x60;
    pub const PROGRAM_NEW: u64 = 0x68;
    pub const MACHINE_CHECK_NEW: u64 = 0x70;
    pub const IO_NEW: u64 = 0x78;
    pub const TRANSLATION_EXCEPTION_ID: u64 = 0x90;
    pub const MONITOR_CODE: u64 = 0x9c;
    pub const PER_ADDRESS: u64 = 0x98;
    /// An [`EsaSaveArea`](super::EsaSaveArea).
    pub const SAVE_AREA: u64 = 0xd8;
}
