//! BRANCH IN SUBSPACE GROUP and BRANCH AND SET AUTHORITY: branches that change the space or the authority, and keep in
//! the dispatchable-unit control table what comes back (POP, chapters 5 and 10).

use super::linkage::{branch, link, set_link, set_problem_state, spaces_slot};
use super::tracing::{entry_of_branch, record, subspace_entry};
use crate::prelude::*;
use arch::{Absolute, mask};
use cpu::{Architecture, Traced};

/// Where the dispatchable-unit control table has them: the active subspace, its sequence number, and what a program
/// with reduced authority gets back: keys and state, and the address.
const SUBSPACE: u64 = 4;
const SEQUENCE: u64 = 12;
const AUTHORITY: u64 = 0x14;
const AUTHORITY_ESA: u64 = 0x24;
const RETURN: u64 = 0x20;

/// SA: the subspace is active.
const ACTIVE: u32 = 0x8000_0000;
/// RA: the authority is reduced; P: the problem state.
const REDUCED: u32 = 8;
const PROBLEM: u32 = 1;
/// The bit of an ASCE of a space in a subspace group.
const SUBSPACE_GROUP: u64 = 0x200;

fn special<T>() -> Result<T, Interruption> {
    Err(Program::SpecialOperation.into())
}

/// Where a word or doubleword of the dispatchable-unit control table is, to be stored into.
fn in_control_table(s: &mut State, offset: u64) -> Result<Absolute, Interruption> {
    let at = s.unit_control_table() + offset;
    s.frame(s.absolute(arch::Real(at)), Access::Store)
}

/// The PSW bits for the addressing mode that a branch to `address` leads to.
fn mode_after(s: &State, address: u64) -> u64 {
    let old = s.psw_mask();
    match () {
        _ if s.address_mask == u64::MAX => old,
        _ if address & 0x8000_0000 != 0 => old | mask::BASIC_ADDRESSING,
        _ => old & !mask::BASIC_ADDRESSING,
    }
}

/// The address alone, without a mode in bit 32.
fn address_alone(s: &State, address: u64) -> u64 {
    match s.address_mask {
        u64::MAX => address,
        _ if address & 0x8000_0000 != 0 => address & 0x7fff_ffff,
        _ => address & 0x00ff_ffff,
    }
}

/// BSG: to the space of the group that access register R2 designates: 0 the base space, 1 the last subspace, or one by
/// its entry in an access list.
pub(crate) fn branch_in_subspace_group(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let target = s.gr[i.r2 as usize];
    let alet = if i.r2 == 0 { 0 } else { s.ar[i.r2 as usize] };
    if s.psw_mask() & mask::DAT == 0 || !s.has_address_space_functions() {
        return special();
    }
    let (mode, address) = (mode_after(s, target), address_alone(s, target));
    let spaces = subspace_entry(mode, alet, address);
    let slot = spaces_slot(s, spaces.len())?;
    let branches = if slot.is_none() { entry_of_branch(s, mode, address, 0, true) } else { None };
    let branch_slot = branches.map(|entry| s.trace_slot(entry.len())).transpose()?;
    let table = s.unit_control_table();
    let primary = s.cr[5] & 0x7fff_ffc0;
    if u64::from(s.table_word(table)? & 0x7fff_ffc0) != primary {
        return special();
    }
    let last = s.table_word(table + SUBSPACE)?;
    // The word of the control table, the sequence number if it changes too, and what designates the space.
    let (word, sequence, asce) = match alet {
        0 => (last & !ACTIVE, None, s.second_table_entry(primary, s.cr[4] as u16)?.asce),
        1 if last & 0x7fff_ffc0 == 0 => return special(),
        1 => (last | ACTIVE, None, s.active_subspace(last)?.asce),
        _ => match s.entry_of_alet(alet, i.r2)? {
            (space, _) if space.origin == primary => (last & !ACTIVE, None, space.asce),
            (space, _) if space.is_base() || space.asce & SUBSPACE_GROUP == 0 => return special(),
            (space, sequence) => (space.origin as u32 | ACTIVE, Some(sequence), space.asce),
        },
    };
    let [at, sequence_at] = [in_control_table(s, SUBSPACE)?, in_control_table(s, SEQUENCE)?];
    if let Some(slot) = slot {
        s.trace(slot, spaces.bytes());
    }
    if let (Some(slot), Some(entry)) = (branch_slot, branches) {
        s.trace(slot, entry.bytes());
    }
    s.store_at(at, &word.to_be_bytes());
    if let Some(sequence) = sequence {
        s.store_at(sequence_at, &sequence.to_be_bytes());
    }
    let events = s.event_bits();
    s.cr[1] = asce & !events | s.cr[1] & events;
    s.cr[7] = s.cr[1];
    let instance = if s.reuses_numbers() { 0xffff_ffff_0000_ffff } else { 0xffff };
    s.cr[3] = s.cr[3] & !instance | s.cr[4] & instance;
    s.fetch_stale = true;
    s.space_changed();
    if i.r1 != 0 {
        let link = link(s, i);
        set_link(s, i.r1, link);
    }
    branch(s, i, target);
    Ok(())
}

/// BSA: with base authority, to the address in R2 with less of it, as R1 says; with reduced authority, back.
pub(crate) fn branch_and_set_authority(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    if !s.has_address_space_functions() {
        return special();
    }
    let offset = if s.architecture() == Architecture::Z { AUTHORITY } else { AUTHORITY_ESA };
    let word = s.table_word(s.unit_control_table() + offset)?;
    let at = in_control_table(s, offset)?;
    if word & REDUCED == 0 { reduce(s, i, at) } else { restore(s, i, at, word) }
}

/// Where the return address is in the control table, and whether it has 64 bits.
fn return_address(s: &mut State) -> Result<(Absolute, bool), Interruption> {
    let wide = s.address_mask == u64::MAX;
    let narrow = if s.architecture() == Architecture::Z { RETURN + 4 } else { RETURN };
    Ok((in_control_table(s, if wide { RETURN } else { narrow })?, wide))
}

fn reduce(s: &mut State, i: &Fields, at: Absolute) -> Result<(), Interruption> {
    let (operand, target) = (s.gr[i.r1 as usize], s.gr[i.r2 as usize]);
    if i.r2 == 0 {
        return special();
    }
    let key = operand >> 4 & 15;
    if s.problem_state() && s.cr[3] >> (31 - key) & 1 == 0 {
        return Err(Program::PrivilegedOperation.into());
    }
    let (back, wide) = return_address(s)?;
    trace(s, target)?;
    let link = link(s, i);
    let keys = s.cr[3] as u32 & 0xffff_0000;
    let state = if s.problem_state() { PROBLEM } else { 0 };
    let word = keys | u32::from(s.key) << 4 | REDUCED | state;
    s.store_at(at, &word.to_be_bytes());
    if wide {
        s.store_at(back, &link.to_be_bytes())
    } else {
        s.store_at(back, &(link as u32).to_be_bytes())
    }
    s.cr[3] &= operand | !0xffff_0000;
    s.set_psw_mask(s.psw_mask() & !mask::KEY | key << 52 | mask::PROBLEM);
    branch(s, i, target);
    Ok(())
}

fn restore(s: &mut State, i: &Fields, at: Absolute, word: u32) -> Result<(), Interruption> {
    if i.r2 != 0 {
        return special();
    }
    return_address(s)?;
    let table = s.unit_control_table();
    let target = match (s.architecture(), s.address_mask) {
        (Architecture::Z, u64::MAX) => {
            u64::from(s.table_word(table + RETURN)?) << 32 | u64::from(s.table_word(table + RETURN + 4)?)
        }
        (Architecture::Z, _) => s.table_word(table + RETURN + 4)?.into(),
        _ => s.table_word(table + RETURN)?.into(),
    };
    trace(s, target)?;
    if i.r1 != 0 {
        let link = link(s, i);
        set_link(s, i.r1, link);
    }
    s.store_at(at, &(word & !REDUCED).to_be_bytes());
    s.cr[3] = s.cr[3] & !0xffff_0000 | u64::from(word & 0xffff_0000);
    s.set_psw_mask(s.psw_mask() & !mask::KEY | u64::from(word >> 4 & 15) << 52);
    set_problem_state(s, word & PROBLEM != 0);
    branch(s, i, target);
    Ok(())
}

fn trace(s: &mut State, target: u64) -> Result<(), Interruption> {
    if !s.traces(Traced::Branches) {
        return Ok(());
    }
    let entry = entry_of_branch(s, mode_after(s, target), address_alone(s, target), 0, true);
    record(s, entry)
}
