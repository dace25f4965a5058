//! RESUME PROGRAM and TRAP: a program goes on as a save area says, or goes to its trap program, which has one (POP,
//! chapter 10).

use super::linkage::home_switched;
use super::tracing::{entry_of_branch, record};
use crate::prelude::*;
use arch::{AddressSpaceControl, Psw, mask};
use base::layout::{U16, U32, U64};
use cpu::Architecture;
use zerocopy::IntoBytes;

/// Bits of the parameter list of RP, and of the trap control block: PSWs have 16 bytes, registers 64 bits; and, in the
/// list, the halves of the register lie apart.
mod flag {
    pub(super) const LONG_PSW: u16 = 4;
    pub(super) const WHOLE_REGISTERS: u16 = 2;
    pub(super) const HALVES_APART: u16 = 1;
    pub(super) const ALL: u16 = LONG_PSW | WHOLE_REGISTERS | HALVES_APART;
}

/// What RP loads.
struct Resumed {
    psw: Psw,
    access: u32,
    general: u64,
    width: Width,
}

fn fetch<const N: usize>(s: &mut State, i: &Fields, offset: u16) -> Result<[u8; N], Interruption> {
    let at = Cpu::address(s, 0, i.b2, i.d2);
    let mut bytes = [0; N];
    let address = at.address.wrapping_add(offset.into()) & s.address_mask;
    s.read_bytes(At { address, ..at }, &mut bytes)?;
    Ok(bytes)
}

/// The parameter list after the instruction, and what the save area has by it.
fn resumed(s: &mut State, i: &Fields) -> Result<Resumed, Interruption> {
    let mut list = [U16::ZERO; 5];
    let at = i.address(s).wrapping_add(4) & s.address_mask;
    s.read_in(at, Space::Instruction, s.key, list[..4].as_mut_bytes())?;
    let flags = list[0].get();
    let known = if s.architecture() == Architecture::Z { flag::ALL } else { 0 };
    if flags & !known != 0 {
        return Err(Program::Specification.into());
    }
    let whole = flags & flag::WHOLE_REGISTERS != 0;
    let apart = whole && flags & flag::HALVES_APART != 0;
    if apart {
        s.read_in(at.wrapping_add(8) & s.address_mask, Space::Instruction, s.key, list[4].as_mut_bytes())?;
    }
    let [_, psw_at, access_at, general_at, high_at] = list.map(U16::get);
    let psw = if flags & flag::LONG_PSW != 0 {
        let bytes: [u8; 16] = fetch(s, i, psw_at)?;
        let word = u128::from_be_bytes(bytes);
        Psw::from_long((word >> 64) as u64, word as u64)
    } else {
        let word = u64::from_be_bytes(fetch(s, i, psw_at)?);
        Psw::from_long(word & !0x7fff_ffff, word & 0x7fff_ffff)
    };
    let access = u32::from_be_bytes(fetch(s, i, access_at)?);
    let general = match whole {
        true if apart => {
            let low = u32::from_be_bytes(fetch(s, i, general_at)?);
            let high = u32::from_be_bytes(fetch(s, i, high_at)?);
            u64::from(high) << 32 | u64::from(low)
        }
        true => u64::from_be_bytes(fetch(s, i, general_at)?),
        false => u32::from_be_bytes(fetch(s, i, general_at)?).into(),
    };
    Ok(Resumed { psw, access, general, width: if whole { W64 } else { W32 } })
}

/// The bits of a PSW that RP loads.
const LOADED: u64 = mask::SPACE | mask::CC | mask::PROGRAM | mask::EXTENDED_ADDRESSING | mask::BASIC_ADDRESSING;

/// RP: the parameter list after the instruction says where in the save area, the second operand, a PSW and the
/// registers of the number B2 are. What of the PSW is a program's own is loaded: address, modes, condition code,
/// program mask.
pub(crate) fn resume_program(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let new = resumed(s, i)?;
    let esa = if s.architecture() == Architecture::Z { 0 } else { mask::EXTENDED_ADDRESSING };
    let loaded = LOADED & !esa;
    let psw = Psw { mask: new.psw.mask & loaded, ..new.psw };
    let reserved = new.psw.mask & 0x7fff_ffff != 0;
    if psw.address & 1 != 0 || reserved || psw.is_invalid() {
        return Err(Program::Specification.into());
    }
    let home = psw.space() == AddressSpaceControl::Home;
    if home && s.problem_state() {
        return Err(Program::PrivilegedOperation.into());
    }
    let mask = s.psw_mask() & !loaded | psw.mask;
    let next = Cpu::next_address(s, i);
    let entry = entry_of_branch(s, mask, psw.address, next, true);
    record(s, entry)?;
    let was_home = s.psw().space() == AddressSpaceControl::Home;
    s.ar[i.b2 as usize] = new.access;
    Cpu::set_gr(s, new.width, i.b2, new.general);
    s.cc = psw.cc();
    s.program_mask = (psw.mask >> 40 & 15) as u8;
    s.set_psw_mask(mask);
    s.jump(i, psw.address);
    if was_home == home { Ok(()) } else { home_switched(s, was_home) }
}

/// Where the dispatchable-unit control table has the trap control block's address, with E, which allows traps, in bit
/// 31.
const TRAP_CONTROL_BLOCK: u64 = 0x2c;
/// Words of the trap control block.
const SAVE_AREA: usize = 3;
const TRAP_PROGRAM: usize = 5;

/// Bits of the first word of the trap save area: the instruction was executed by EXECUTE; it was TRAP4.
const EXECUTED: u32 = 0x8000_0000;
const TRAP4: u32 = 0x4000_0000;

/// TRAP2.
pub(crate) fn trap_2(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    trap(s, i, None)
}

/// TRAP4: the second-operand address is for the trap program.
pub(crate) fn trap_4(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let operand = Cpu::address(s, 0, i.b2, i.d2).address;
    trap(s, i, Some(operand))
}

/// Does something with addresses of 31 bits, whatever the addressing mode.
fn with_31_bits<T>(s: &mut State, what: impl FnOnce(&mut State) -> T) -> T {
    let mode = std::mem::replace(&mut s.address_mask, 0x7fff_ffff);
    let done = what(s);
    s.address_mask = mode;
    done
}

/// Saves the PSW and the registers where the trap control block in the home space says, and goes to the trap program.
/// It finds the block by general register 15.
fn trap(s: &mut State, i: &Fields, operand: Option<u64>) -> Result<(), Interruption> {
    use AddressSpaceControl::{AccessRegister, Primary};
    if s.psw_mask() & mask::DAT == 0 || !matches!(s.psw().space(), Primary | AccessRegister) {
        return Err(Program::SpecialOperation.into());
    }
    let word = s.table_word(s.unit_control_table() + TRAP_CONTROL_BLOCK)?;
    if word & 1 == 0 {
        return Err(Program::SpecialOperation.into());
    }
    let block = u64::from(word & 0x7fff_fff8);
    let mut words = [U32::ZERO; 6];
    let key = s.key;
    with_31_bits(s, |s| s.read_in(block, Space::Home, key, words.as_mut_bytes()))?;
    let z = s.architecture() == Architecture::Z;
    let flags = if z { (words[0].get() >> 16) as u16 } else { 0 };
    let (long_psw, whole) = (flags & flag::LONG_PSW != 0, flags & flag::WHOLE_REGISTERS != 0);
    let wide = s.address_mask == u64::MAX;
    if wide && !long_psw {
        return Err(Program::SpecialOperation.into());
    }
    let area = u64::from(words[SAVE_AREA].get() & 0x7fff_fff8);
    let target = u64::from(words[TRAP_PROGRAM].get() & 0x7fff_ffff);
    let mut registers = [0; 128];
    let registers = if whole {
        registers.copy_from_slice(s.gr.map(U64::new).as_bytes());
        &registers[..]
    } else {
        let narrow = s.gr.map(|value| U32::new(value as u32));
        registers[..64].copy_from_slice(narrow.as_bytes());
        &registers[..64]
    };
    let head = head(s, i, operand, long_psw);
    let length = if long_psw { 32 } else { 24 };
    let primary = s.psw_mask() & !mask::SPACE | if wide { 0 } else { mask::BASIC_ADDRESSING };
    let entry = entry_of_branch(s, primary, target, 0, true);
    let slot = entry.map(|entry| s.trace_slot(entry.len())).transpose()?;
    with_31_bits(s, |s| {
        s.test_store(area, 32 + registers.len() as u64, Space::Home, key)?;
        s.write_in(area, Space::Home, key, &head.as_bytes()[..length])?;
        s.write_in(area + 32, Space::Home, key, registers)
    })?;
    if let (Some(slot), Some(entry)) = (slot, entry) {
        s.trace(slot, entry.bytes());
    }
    s.set_psw_mask(primary);
    Cpu::set_gr(s, if wide { W64 } else { W32 }, 15, block);
    s.jump(i, target);
    Ok(())
}

/// The trap save area up to its registers: what the instruction was, its operand's address, access register 15, and the
/// PSW.
fn head(s: &mut State, i: &Fields, operand: Option<u64>, long_psw: bool) -> [U32; 8] {
    let executed = if s.executed != 0 { EXECUTED } else { 0 };
    let kind = if operand.is_some() { TRAP4 } else { 0 };
    let length = u32::from(i.len) << 16;
    let operand = operand.unwrap_or(0);
    let psw = Psw { mask: s.psw_word(), address: Cpu::next_address(s, i) };
    let [first, second] = if long_psw { [psw.mask, psw.address] } else { [psw.to_short(), 0] };
    [
        executed | kind | length,
        (operand >> 32) as u32,
        operand as u32,
        s.ar[15],
        (first >> 32) as u32,
        first as u32,
        (second >> 32) as u32,
        second as u32,
    ]
    .map(U32::new)
}
