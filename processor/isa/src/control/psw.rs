//! Instructions that load or change parts of the PSW.

use super::linkage::home_switched;
use super::{operand, privileged_operand};
use crate::prelude::*;
use arch::{AddressSpaceControl, Psw, mask};
use base::layout::U64;
use cpu::{Architecture, cr0};

/// Loads a PSW; execution goes on where it says. If it is not valid it is in place all the same, and the early
/// exception stores it as the old one.
fn load(s: &mut State, new: Psw) -> Result<(), Interruption> {
    s.set_psw(new);
    if s.psw_is_invalid() { Err(Interruption::EarlySpecification) } else { Ok(()) }
}

/// Loading a PSW is a breaking event, as a branch is.
fn breaks(s: &mut State, i: &Fields) {
    s.breaking_event = i.address(s);
}

/// LPSW.
pub(crate) fn load_psw(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = privileged_operand(s, i, 8)?;
    let word = s.load_u64(at)?;
    breaks(s, i);
    load(s, Psw::from_short(word))
}

/// LPSWE.
pub(crate) fn load_psw_extended(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = privileged_operand(s, i, 8)?;
    if at.address % 4096 <= 4080 {
        let mask = s.load_u64(at)?;
        let address = s.load_u64(At { address: at.address + 8, ..at })?;
        breaks(s, i);
        return load(s, Psw::from_long(mask, address));
    }
    let [mask, address] = s.read_layout::<[U64; 2]>(at)?.map(U64::get);
    breaks(s, i);
    load(s, Psw::from_long(mask, address))
}

/// LPSWEY: LPSWE with a long displacement, and no breaking event.
pub(crate) fn load_psw_extended_long(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let at = Cpu::address(s, 0, i.b1, i.d1);
    Cpu::aligned(s, at, 8)?;
    let [mask, address] = s.read_layout::<[U64; 2]>(at)?.map(U64::get);
    load(s, Psw::from_long(mask, address))
}

/// LBEAR: the breaking-event-address register.
pub(crate) fn load_breaking_event_address(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = privileged_operand(s, i, 8)?;
    s.breaking_event = s.load_u64(at)?;
    Ok(())
}

/// STBEAR.
pub(crate) fn store_breaking_event_address(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = privileged_operand(s, i, 8)?;
    s.store_u64(at, s.breaking_event)
}

/// Replaces PSW bits 0-7.
fn set_system_mask(s: &mut State, bits: u8) -> Result<(), Interruption> {
    s.set_psw_mask(s.psw_mask() & !(0xff << 56) | (bits as u64) << 56);
    // Bits 0 and 2-4 must be zero in the formats of ESA/390 and z/Architecture.
    if bits & 0xb8 != 0 && s.architecture() != Architecture::S370 {
        return Err(Program::Specification.into());
    }
    Ok(())
}

/// SSM.
pub(crate) fn set_system_mask_from_storage(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = privileged_operand(s, i, 1)?;
    if s.cr[0] & cr0::SSM_SUPPRESSION != 0 {
        return Err(Program::SpecialOperation.into());
    }
    let bits = s.load_u8(at)?;
    set_system_mask(s, bits)
}

/// STNSM.
pub(crate) fn store_then_and_system_mask(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let at = Cpu::address(s, 0, i.b1, i.d1);
    let old = (s.psw_mask() >> 56) as u8;
    s.store_u8(at, old)?;
    set_system_mask(s, old & i.imm as u8)
}

/// STOSM.
pub(crate) fn store_then_or_system_mask(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let at = Cpu::address(s, 0, i.b1, i.d1);
    let old = (s.psw_mask() >> 56) as u8;
    s.store_u8(at, old)?;
    set_system_mask(s, old | i.imm as u8)
}

/// EPSW: not privileged.
pub(crate) fn extract_psw(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let mut word = s.psw_word();
    if s.architecture() != Architecture::Z {
        word ^= mask::SHORT;
    }
    Cpu::set_gr(s, W32, i.r1, word >> 32);
    if i.r2 != 0 {
        Cpu::set_gr(s, W32, i.r2, word);
    }
    Ok(())
}

/// SPKA. In the problem state the PSW-key mask must allow the key.
pub(crate) fn set_psw_key_from_address(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let key = Cpu::address(s, 0, i.b2, i.d2).address >> 4 & 15;
    if s.problem_state() && s.cr[3] >> (31 - key) & 1 == 0 {
        return Err(Program::PrivilegedOperation.into());
    }
    s.set_psw_mask(s.psw_mask() & !mask::KEY | key << 52);
    Ok(())
}

/// IPK. In the problem state the extraction-authority control must be on.
pub(crate) fn insert_psw_key(s: &mut State, _: &Fields) -> Result<(), Interruption> {
    if s.problem_state() && s.cr[0] & cr0::EXTRACTION_AUTHORITY == 0 {
        return Err(Program::PrivilegedOperation.into());
    }
    s.gr[2] = s.gr[2] & !0xff | (s.key as u64) << 4;
    Ok(())
}

/// SAC, SACF: the code is in bits 52-55 of the address.
pub(crate) fn set_address_space_control(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = operand(s, i, 1)?;
    if s.psw_mask() & mask::DAT == 0 || s.cr[0] & cr0::SECONDARY_SPACE == 0 {
        return Err(Program::SpecialOperation.into());
    }
    // 0 primary, 1 secondary, 2 access-register, 3 home.
    let space = match at.address >> 8 & 15 {
        0 => AddressSpaceControl::Primary,
        1 => AddressSpaceControl::Secondary,
        2 => AddressSpaceControl::AccessRegister,
        3 if s.problem_state() => return Err(Program::PrivilegedOperation.into()),
        3 => AddressSpaceControl::Home,
        _ => return Err(Program::Specification.into()),
    };
    let was_home = s.psw().space() == AddressSpaceControl::Home;
    s.set_psw_mask(s.psw_mask() & !mask::SPACE | (space as u64) << 46);
    if was_home == (space == AddressSpaceControl::Home) { Ok(()) } else { home_switched(s, was_home) }
}

/// IAC. CC and the register's byte say which space control is on.
pub(crate) fn insert_address_space_control(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    if s.psw_mask() & mask::DAT == 0 {
        return Err(Program::SpecialOperation.into());
    }
    if s.problem_state() && s.cr[0] & cr0::EXTRACTION_AUTHORITY == 0 {
        return Err(Program::PrivilegedOperation.into());
    }
    let code: u64 = match s.psw().space() {
        AddressSpaceControl::Primary => 0,
        AddressSpaceControl::Secondary => 1,
        AddressSpaceControl::AccessRegister => 2,
        AddressSpaceControl::Home => 3,
    };
    let register = &mut s.gr[i.r1 as usize];
    *register = *register & !0xff00 | code << 8;
    s.cc = code as u8;
    Ok(())
}
