//! Assigned storage locations: the prefix area (POP, chapter 3, "Assigned storage locations").

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
    pub const SAVE_FPR: u64 = 0x1200;
    pub const SAVE_GPR: u64 = 0x1280;
    pub const SAVE_PSW: u64 = 0x1300;
    pub const SAVE_PREFIX: u64 = 0x1318;
    pub const SAVE_FPC: u64 = 0x131c;
    pub const SAVE_TOD_PROGRAMMABLE: u64 = 0x1324;
    pub const SAVE_CPU_TIMER: u64 = 0x1328;
    pub const SAVE_CLOCK_COMPARATOR: u64 = 0x1330;
    pub const SAVE_ACCESS: u64 = 0x1340;
    pub const SAVE_CONTROL: u64 = 0x1380;
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
    pub const SAVE_CPU_TIMER: u64 = 0xd8;
    pub const SAVE_CLOCK_COMPARATOR: u64 = 0xe0;
    pub const SAVE_PSW: u64 = 0x100;
    pub const SAVE_PREFIX: u64 = 0x108;
    pub const SAVE_ACCESS: u64 = 0x120;
    pub const SAVE_FPR: u64 = 0x160;
    pub const SAVE_GPR: u64 = 0x180;
    pub const SAVE_CONTROL: u64 = 0x1c0;
}
