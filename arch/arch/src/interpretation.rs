//! What START INTERPRETIVE EXECUTION and its program say to each other in storage: the state description, 512 bytes at
//! an absolute address (Interpretive Execution, SA22-7095; extended for z/Architecture).
//!
//! The program that issues SIE is the *host*, the machine that the description is of is its *guest*. General registers
//! 0 to 13, access, floating-point and vector registers are the host's at the time; the rest of the guest is here.

use base::layout::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The state description.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct StateDescription {
    /// X'000': what the guest's CPU is in, and what others want of it: [`flag`]. Changed by others meanwhile.
    pub flags: U32,
    /// X'004': the guest's prefix, in bits 1-18.
    pub prefix: U32,
    /// X'008': reserved.
    pub reserved_008: [u8; 32],
    /// X'028': the CPU timer.
    pub cpu_timer: U64,
    /// X'030': the clock comparator.
    pub clock_comparator: U64,
    /// X'038': added to the host's TOD clock to give the guest's.
    pub epoch: U64,
    /// X'040': reserved.
    pub reserved_040: [u8; 4],
    /// X'044': LCTL and LCTLG are intercepted for these control registers, 0 leftmost.
    pub load_control: U16,
    /// X'046': reserved.
    pub reserved_046: [u8; 2],
    /// X'048': which instructions and interruptions are intercepted: [`intercept`].
    pub interceptions: U32,
    /// X'04C': execution controls A: [`control`].
    pub controls: U32,
    /// X'050': why interpretive execution ended: [`code`].
    pub code: u8,
    /// X'051': of an intercepted instruction, whether it was the target of EXECUTE: [`EXECUTED`].
    pub status: u8,
    /// X'052': the host CPU that ran the guest last, which may still know its translations.
    pub host_cpu: U16,
    /// X'054': reserved.
    pub reserved_054: [u8; 2],
    /// X'056': the first halfword of an intercepted instruction.
    pub instruction: U16,
    /// X'058': the rest of it; or, in the left half, why the description is not valid.
    pub parameters: U32,
    /// X'05C': the left half of the address of the system-control area.
    pub control_area_high: U32,
    /// X'060': reserved.
    pub reserved_060: [u8; 4],
    /// X'064': the address of the system-control area; 0: none.
    pub control_area: U32,
    /// X'068': reserved.
    pub reserved_068: [u8; 4],
    /// X'06C': the TOD programmable register.
    pub tod_programmable: U32,
    /// X'070': reserved.
    pub reserved_070: [u8; 16],
    /// X'080': the host virtual address of the guest's absolute 0, a multiple of a megabyte.
    pub origin: U64,
    /// X'088': the host virtual address of the last megabyte of the guest's storage.
    pub limit: U64,
    /// X'090': the PSW.
    pub psw: [U64; 2],
    /// X'0A0': general registers 14 and 15.
    pub general: [U64; 2],
    /// X'0B0': reserved.
    pub reserved_0b0: [u8; 20],
    /// X'0C4': of an external interruption, the CPU address.
    pub external_cpu: U16,
    /// X'0C6': its code.
    pub external_code: U16,
    /// X'0C8': reserved.
    pub reserved_0c8: [u8; 4],
    /// X'0CC': of a program interruption, the instruction length in bytes.
    pub program_length: U16,
    /// X'0CE': its code.
    pub program_code: U16,
    /// X'0D0': the data- or vector-exception code.
    pub data_code: U32,
    /// X'0D4': the monitor class.
    pub monitor_class: U16,
    /// X'0D6': PER events.
    pub per_code: u8,
    /// X'0D7': and the mode they happened in.
    pub per_atmid: u8,
    /// X'0D8': the address of the instruction that caused a PER event.
    pub per_address: U64,
    /// X'0E0': the access register of an access exception.
    pub exception_access: u8,
    /// X'0E1': reserved.
    pub reserved_0e1: u8,
    /// X'0E2': the registers of MOVE PAGE, if that is what a page was missing for.
    pub operand_access: u8,
    /// X'0E3': reserved.
    pub reserved_0e3: [u8; 5],
    /// X'0E8': the translation-exception identification, or monitor code.
    pub translation_exception: U64,
    /// X'0F0': reserved.
    pub reserved_0f0: [u8; 16],
    /// X'100': the control registers.
    pub control: [U64; 16],
    /// X'180': the breaking-event address.
    pub breaking_event: U64,
    /// X'188': reserved.
    pub reserved_188: [u8; 24],
    /// X'1A0': the address of the guest's facility list; 0: none.
    pub facilities: U32,
    /// X'1A4': reserved.
    pub reserved_1a4: [u8; 92],
}
const _: () = assert!(size_of::<StateDescription>() == StateDescription::SIZE);

impl StateDescription {
    /// Its size; it lies on a boundary of as much.
    pub const SIZE: usize = 512;

    /// X'0C0': of a MOVE PAGE that was executed in part, instead of what an interruption leaves there: where the host's
    /// tables have the first operand, and where they have the second ([`entry`]).
    pub const ENTRIES: usize = 0xc0;

    /// The guest absolute address of the prefix area.
    pub fn prefix(&self) -> u64 {
        u64::from(self.prefix) & 0x7fff_e000
    }

    /// The host virtual address of the last byte of the guest's storage.
    pub fn last_byte(&self) -> u64 {
        self.limit.get() | 0xf_ffff
    }

    /// The host virtual address of the guest's absolute 0.
    pub fn first_byte(&self) -> u64 {
        self.origin.get() & !0xf_ffff
    }

    /// The host absolute address of the system-control area.
    pub fn system_control_area(&self) -> Option<u64> {
        let address = u64::from(self.control_area_high) << 32 | u64::from(self.control_area);
        (address & !7 != 0).then_some(address & !7)
    }
}

/// Bits of [`StateDescription::flags`].
pub mod flag {
    /// Intervention requests: stop; an I/O interruption; an external one. The last two wait until the PSW lets them in.
    pub const STOP: u32 = 0x0400_0000;
    /// An I/O interruption is requested.
    pub const IO: u32 = 0x0200_0000;
    /// An external interruption is requested.
    pub const EXTERNAL: u32 = 0x0100_0000;
    /// The guest is in z/Architecture.
    pub const Z: u32 = 0x0000_0800;
    /// Storage-limit suppression: the guest's storage ends where the host's tables end it.
    pub const NO_LIMIT: u32 = 0x0000_0080;
    /// PER events are the host's: program interruptions with one are intercepted.
    pub const PER: u32 = 0x0000_0001;
}

/// Bits of [`StateDescription::controls`].
pub mod control {
    /// MOVE PAGE is interpreted. Without it, it is intercepted.
    pub const MOVE_PAGE: u32 = 0x0100_0000;
}

/// What stands beside the address of a table entry at [`StateDescription::ENTRIES`].
pub mod entry {
    /// It forbids stores, or one above it does.
    pub const PROTECTED: u64 = 2;
    /// It is none of a page table: the tables end there, or the page is a large one.
    pub const NO_PAGE_TABLE: u64 = 4;
}

/// Bits of [`StateDescription::interceptions`].
pub mod intercept {
    /// Operation exceptions.
    pub const OPERATION_EXCEPTION: u32 = 0x8000_0000;
    /// Program interruptions.
    pub const PROGRAM_INTERRUPTION: u32 = 0x2000_0000;
    /// LOAD PSW and LOAD PSW EXTENDED in all their forms.
    pub const LOAD_PSW: u32 = 0x0040_0000;
    /// STORE CONTROL, both lengths.
    pub const STORE_CONTROL: u32 = 0x0004_0000;
    /// INSERT STORAGE KEY EXTENDED, INSERT REFERENCE BITS MULTIPLE.
    pub const INSERT_KEY: u32 = 0x0000_4000;
    /// SET STORAGE KEY EXTENDED.
    pub const SET_KEY: u32 = 0x0000_2000;
    /// RESET REFERENCE BIT EXTENDED, RESET REFERENCE BITS MULTIPLE.
    pub const RESET_REFERENCE: u32 = 0x0000_1000;
    /// TEST PROTECTION.
    pub const TEST_PROTECTION: u32 = 0x0000_0200;
}

/// Values of [`StateDescription::code`]. 0: a host interruption, or nothing yet.
pub mod code {
    /// An instruction that is intercepted.
    pub const INSTRUCTION: u8 = 0x04;
    /// A program interruption.
    pub const PROGRAM: u8 = 0x08;
    /// An external interruption that was requested, with the PSW enabled for it.
    pub const EXTERNAL_REQUEST: u8 = 0x10;
    /// An external interruption that the guest cannot take here.
    pub const EXTERNAL_INTERRUPTION: u8 = 0x14;
    /// An I/O interruption that was requested, with the PSW enabled for it.
    pub const IO_REQUEST: u8 = 0x18;
    /// The guest's PSW is a wait state.
    pub const WAIT: u8 = 0x1c;
    /// The description is not valid: [`validity`].
    pub const VALIDITY: u8 = 0x20;
    /// A stop that was requested.
    pub const STOP: u8 = 0x28;
    /// An operation exception.
    pub const OPERATION_EXCEPTION: u8 = 0x2c;
    /// An instruction that was executed in part: MOVE PAGE, of which the host lacks a page.
    pub const PARTIAL_EXECUTION: u8 = 0x38;
}

/// Why a description is not valid, in the left half of [`StateDescription::parameters`].
pub mod validity {
    /// The guest is in an architecture that is not interpreted.
    pub const ARCHITECTURE: u16 = 0x0001;
    /// The storage's limit lies before its origin.
    pub const EXTENT: u16 = 0x0004;
    /// The prefix area lies outside the guest's storage.
    pub const PREFIX: u16 = 0x0037;
}

/// [`StateDescription::status`] of an instruction that EXECUTE fetched; the length of EXECUTE in bytes is added,
/// shifted left by four bits.
pub const EXECUTED: u8 = 0x01;

/// In the first doubleword of the system-control area: another CPU looks into the guest's translation tables, and
/// instructions that change them are intercepted.
pub const TABLES_LOCKED: u64 = 0x8000_0000_0000_0000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_where_programs_put_them() {
        let mut bytes = [0u8; StateDescription::SIZE];
        bytes[0x90..0x98].copy_from_slice(&[0, 1, 0, 1, 0x80, 0, 0, 0]);
        bytes[0x17f] = 15;
        bytes[0x04..0x08].fill(0xff);
        bytes[0x5f] = 1;
        bytes[0x66..0x68].copy_from_slice(&[0x20, 0x04]);
        let description: StateDescription = zerocopy::transmute!(bytes);
        assert_eq!(description.psw[0], 0x0001_0001_8000_0000);
        assert_eq!(description.control[15], 15);
        assert_eq!(description.prefix(), 0x7fff_e000);
        assert_eq!(description.system_control_area(), Some(0x1_0000_2000));
    }
}
