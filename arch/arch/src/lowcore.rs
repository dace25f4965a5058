//! Assigned storage locations: the prefix area (POP, chapter 3, "Assigned storage locations").

use base::layout::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Where STORE STATUS and a machine check store registers in z/Architecture: 512 bytes from [`z::SAVE_AREA`] on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SaveArea {
    /// X'000': the floating-point registers.
    pub floating_point: [U64; 16],
    /// X'080': the general registers.
    pub general: [U64; 16],
    /// X'100': STORE STATUS alone stores the PSW and the prefix.
    pub psw: [U64; 2],
    reserved_110: U64,
    /// X'118': the prefix.
    pub prefix: U32,
    /// X'11C': the floating-point-control register.
    pub fpc: U32,
    reserved_120: U32,
    /// X'124': the TOD programmable register.
    pub tod_programmable: U32,
    /// X'128': the CPU timer.
    pub cpu_timer: U64,
    /// X'130': bits 0-55 of the clock comparator, on the right of a zero byte.
    pub clock_comparator: U64,
    reserved_138: U64,
    /// X'140': the access registers.
    pub access: [U32; 16],
    /// X'180': the control registers.
    pub control: [U64; 16],
}
const _: () = assert!(size_of::<SaveArea>() == 512);

/// The same in ESA/390: from [`esa::SAVE_AREA`] on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct EsaSaveArea {
    /// X'000': the CPU timer.
    pub cpu_timer: U64,
    /// X'008': the clock comparator.
    pub clock_comparator: U64,
    reserved_010: [U64; 3],
    /// X'028': STORE STATUS alone stores the PSW and the prefix.
    pub psw: U64,
    /// X'030': the prefix.
    pub prefix: U32,
    reserved_034: [U32; 5],
    /// X'048': the access registers.
    pub access: [U32; 16],
    /// X'088': registers 0, 2, 4 and 6.
    pub floating_point: [U64; 4],
    /// X'0A8': the general registers, their right halves.
    pub general: [U32; 16],
    /// X'0E8': the control registers, their right halves.
    pub control: [U32; 16],
}
const _: () = assert!(size_of::<EsaSaveArea>() as u64 == 0x200 - esa::SAVE_AREA);

/// z/Architecture: real addresses in the 8 KiB prefix area.
pub mod z {
    /// External interruption: a parameter of 4 bytes.
    pub const EXTERNAL_PARAMETER: u64 = 0x80;
    /// External interruption: the CPU address, 2 bytes.
    pub const EXTERNAL_CPU_ADDRESS: u64 = 0x84;
    /// External interruption: its code, 2 bytes.
    pub const EXTERNAL_CODE: u64 = 0x86;
    /// SUPERVISOR CALL: the instruction length, 2 bytes; its code follows, 2 bytes.
    pub const SVC_ILC: u64 = 0x88;
    /// Program interruption: the instruction length, 2 bytes; its code follows, 2 bytes.
    pub const PROGRAM_ILC: u64 = 0x8c;
    /// Data exception or vector-processing exception: its code, 4 bytes.
    pub const DATA_EXCEPTION_CODE: u64 = 0x90;
    /// Monitor event: its class, 2 bytes.
    pub const MONITOR_CLASS: u64 = 0x94;
    /// PER event: what happened, 1 byte; the mode it happened in follows, 1 byte.
    pub const PER_CODE: u64 = 0x96;
    /// PER event: the address of the instruction, 8 bytes.
    pub const PER_ADDRESS: u64 = 0x98;
    /// Access exception: the access register, 1 byte.
    pub const EXCEPTION_ACCESS_ID: u64 = 0xa0;
    /// PER event: the access register of the storage it was in, 1 byte.
    pub const PER_ACCESS_ID: u64 = 0xa1;
    /// Access exception: the registers of the operands of some instructions, 1 byte.
    pub const OPERAND_ACCESS_ID: u64 = 0xa2;
    /// What STORE STATUS and a machine check say of the architecture: 1 for z/Architecture. 1 byte.
    pub const ARCHITECTURE_MODE: u64 = 0xa3;
    /// Access exception: the address, and which space it is of, 8 bytes.
    pub const TRANSLATION_EXCEPTION_ID: u64 = 0xa8;
    /// Monitor event: its code, 8 bytes.
    pub const MONITOR_CODE: u64 = 0xb0;
    /// I/O interruption: the subsystem-identification word, 4 bytes.
    pub const SUBSYSTEM_ID: u64 = 0xb8;
    /// I/O interruption: the interruption parameter, 4 bytes.
    pub const IO_PARAMETER: u64 = 0xbc;
    /// I/O interruption: the identification word, 4 bytes.
    pub const IO_IDENTIFICATION: u64 = 0xc0;
    /// What STORE FACILITY LIST stores, 4 bytes.
    pub const FACILITIES: u64 = 0xc8;
    /// Machine check: its code, 8 bytes.
    pub const MACHINE_CHECK_CODE: u64 = 0xe8;
    /// Machine check: what external damage it is, 4 bytes.
    pub const EXTERNAL_DAMAGE_CODE: u64 = 0xf4;
    /// Machine check: the storage that failed, 8 bytes.
    pub const FAILING_STORAGE_ADDRESS: u64 = 0xf8;
    /// Program interruption: the address of the last branch, 8 bytes.
    pub const BREAKING_EVENT_ADDRESS: u64 = 0x110;
    /// The PSW before a restart, 16 bytes.
    pub const RESTART_OLD: u64 = 0x120;
    /// The PSW before an external interruption, 16 bytes.
    pub const EXTERNAL_OLD: u64 = 0x130;
    /// The PSW before a supervisor-call interruption, 16 bytes.
    pub const SVC_OLD: u64 = 0x140;
    /// The PSW before a program interruption, 16 bytes.
    pub const PROGRAM_OLD: u64 = 0x150;
    /// The PSW before a machine check, 16 bytes.
    pub const MACHINE_CHECK_OLD: u64 = 0x160;
    /// The PSW before an I/O interruption, 16 bytes.
    pub const IO_OLD: u64 = 0x170;
    /// The PSW that a restart loads, 16 bytes.
    pub const RESTART_NEW: u64 = 0x1a0;
    /// The PSW that an external interruption loads, 16 bytes.
    pub const EXTERNAL_NEW: u64 = 0x1b0;
    /// The PSW that a supervisor-call interruption loads, 16 bytes.
    pub const SVC_NEW: u64 = 0x1c0;
    /// The PSW that a program interruption loads, 16 bytes.
    pub const PROGRAM_NEW: u64 = 0x1d0;
    /// The PSW that a machine check loads, 16 bytes.
    pub const MACHINE_CHECK_NEW: u64 = 0x1e0;
    /// The PSW that an I/O interruption loads, 16 bytes.
    pub const IO_NEW: u64 = 0x1f0;
    /// Where a machine check stores vector registers: an address, 8 bytes.
    pub const EXTENDED_SAVE_AREA: u64 = 0x11b0;
    /// External interruption: a parameter of 8 bytes.
    pub const EXTERNAL_PARAMETER_64: u64 = 0x11b8;
    /// A [`SaveArea`](super::SaveArea).
    pub const SAVE_AREA: u64 = 0x1200;
}

/// ESA/390: real addresses in the 4 KiB prefix area where they differ from z/Architecture's.
pub mod esa {
    /// The PSW that a restart loads, 8 bytes.
    pub const RESTART_NEW: u64 = 0x00;
    /// The PSW before a restart, 8 bytes.
    pub const RESTART_OLD: u64 = 0x08;
    /// The PSW before an external interruption, 8 bytes.
    pub const EXTERNAL_OLD: u64 = 0x18;
    /// The PSW before a supervisor-call interruption, 8 bytes.
    pub const SVC_OLD: u64 = 0x20;
    /// The PSW before a program interruption, 8 bytes.
    pub const PROGRAM_OLD: u64 = 0x28;
    /// The PSW before a machine check, 8 bytes.
    pub const MACHINE_CHECK_OLD: u64 = 0x30;
    /// The PSW before an I/O interruption, 8 bytes.
    pub const IO_OLD: u64 = 0x38;
    /// The PSW that an external interruption loads, 8 bytes.
    pub const EXTERNAL_NEW: u64 = 0x58;
    /// The PSW that a supervisor-call interruption loads, 8 bytes.
    pub const SVC_NEW: u64 = 0x60;
    /// The PSW that a program interruption loads, 8 bytes.
    pub const PROGRAM_NEW: u64 = 0x68;
    /// The PSW that a machine check loads, 8 bytes.
    pub const MACHINE_CHECK_NEW: u64 = 0x70;
    /// The PSW that an I/O interruption loads, 8 bytes.
    pub const IO_NEW: u64 = 0x78;
    /// Access exception: the address, and which space it is of, 4 bytes.
    pub const TRANSLATION_EXCEPTION_ID: u64 = 0x90;
    /// Monitor event: its code, 4 bytes.
    pub const MONITOR_CODE: u64 = 0x9c;
    /// PER event: the address of the instruction, 4 bytes.
    pub const PER_ADDRESS: u64 = 0x98;
    /// An [`EsaSaveArea`](super::EsaSaveArea).
    pub const SAVE_AREA: u64 = 0xd8;
}
