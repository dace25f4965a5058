//! Dual address spaces: the basic PROGRAM CALL, PROGRAM TRANSFER, and what sets the numbers of the spaces (POP,
//! chapters 5 and 10).
//!
//! Each tests everything in the order of POP's tables of priority, and only then changes registers.

use super::tracing::{program_call_entry, program_transfer_entry};
use crate::prelude::*;
use arch::{AddressSpaceControl, mask};
use base::layout::{U16, U32};
use cpu::{Architecture, SecondTableEntry, TraceSlot, Traced, cr14};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Control register 5 has an ASTE's origin there.
const PRIMARY_ENTRY: u64 = 0x7fff_ffc0;

fn is_64_bit_mode(s: &State) -> bool {
    s.address_mask == u64::MAX
}

/// The right half of the low word of a control register, and of what goes there.
fn low_halves(left: u16, right: u16) -> u64 {
    u64::from(left) << 16 | u64::from(right)
}

/// Replaces the low word of a register of numbers; the left half has an instance, if numbers have them.
fn numbered(s: &State, register: u64, instance: u32, low: u64) -> u64 {
    if s.reuses_numbers() { u64::from(instance) << 32 | low } else { register & !0xffff_ffff | low }
}

/// The instance in the left half of a register, if numbers have them.
fn instance_in(s: &State, register: u64) -> u32 {
    if s.reuses_numbers() { (register >> 32) as u32 } else { 0 }
}

fn asn_translation_allowed(s: &State) -> Result<(), Interruption> {
    if s.cr[14] & cr14::ASN_TRANSLATION == 0 { Err(Program::SpecialOperation.into()) } else { Ok(()) }
}

/// A special-operation exception with DAT off, or in an address-space-control mode that is none of `modes`.
fn translating(s: &State, modes: &[AddressSpaceControl]) -> Result<(), Interruption> {
    let allowed = s.psw_mask() & mask::DAT != 0 && modes.contains(&s.psw().space());
    if allowed { Ok(()) } else { Err(Program::SpecialOperation.into()) }
}

/// The place of an entry in the trace table, if changes of spaces are traced.
pub(super) fn spaces_slot(s: &mut State, length: u64) -> Result<Option<TraceSlot>, Interruption> {
    s.traces(Traced::Spaces).then(|| s.trace_slot(length)).transpose()
}

/// Makes a space the primary one: its number, authorization index, linkage and ASCE.
fn set_primary(s: &mut State, asn: u16, space: &SecondTableEntry) {
    s.cr[4] = numbered(s, s.cr[4], space.instance, low_halves(space.index(), asn));
    s.cr[5] = match s.has_address_space_functions() {
        true => s.cr[5] & !PRIMARY_ENTRY | space.origin & PRIMARY_ENTRY,
        false => space.linkage.into(),
    };
    s.cr[1] = space.asce;
}

/// Makes `asce` the secondary space, with a PSW-key mask beside its number.
fn set_secondary(s: &mut State, keys: u16, asn: u16, instance: u32, asce: u64) {
    s.cr[3] = numbered(s, s.cr[3], instance, low_halves(keys, asn));
    s.cr[7] = asce;
}

fn spaces_changed(s: &mut State) {
    s.fetch_stale = true;
    s.space_changed();
}

/// The bit of an ASCE (or segment-table designation) that asks for space-switch events.
pub(super) fn space_switch_control(s: &State) -> u64 {
    if s.architecture() == Architecture::Z { 0x40 } else { 0x8000_0000 }
}

/// The program has gone from a space with this number and ASCE to one with another ASCE. It is completed; an event
/// follows if one of the spaces asks for it, or if a PER event goes with it.
fn space_left(s: &mut State, asn: u16, from: u64, to: u64) -> Result<(), Interruption> {
    let control = space_switch_control(s);
    let id = u32::from(from & control != 0) << 31 | u32::from(asn);
    if (from | to) & control != 0 {
        return Err(s.identified(Program::SpaceSwitchEvent, id));
    }
    s.space_left = (s.per_events() != 0).then_some(id);
    Ok(())
}

/// The program has come from the home space, or gone there: an event if either space asks for it. The home space has no
/// number.
pub(super) fn home_switched(s: &mut State, was_home: bool) -> Result<(), Interruption> {
    let (asn, from, to) = match was_home {
        true => (0, s.cr[13], s.cr[1]),
        false => (s.cr[4] as u16, s.cr[1], s.cr[13]),
    };
    space_left(s, asn, from, to)
}

/// Branches to an address with an addressing mode in bit 32, or in the 64-bit addressing mode.
pub(super) fn branch(s: &mut State, i: &Fields, address: u64) {
    if is_64_bit_mode(s) {
        s.jump(i, address);
    } else {
        s.set_addressing_mode(if address & 0x8000_0000 != 0 { 31 } else { 24 });
        s.jump(i, address & s.address_mask);
    }
}

/// Sets the problem-state bit of the PSW.
pub(super) fn set_problem_state(s: &mut State, on: bool) {
    s.set_psw_mask(s.psw_mask() & !mask::PROBLEM | if on { mask::PROBLEM } else { 0 });
}

/// The next instruction's address as link information: with the addressing mode in bit 32, unless it is that of 64
/// bits.
pub(super) fn link(s: &mut State, i: &Fields) -> u64 {
    let mode = if s.address_mask == 0x7fff_ffff { 0x8000_0000 } else { 0 };
    Cpu::next_address(s, i) | mode
}

/// Puts link information in a general register: all of it in the 64-bit addressing mode, else the right half.
pub(super) fn set_link(s: &mut State, r: u8, link: u64) {
    let width = if is_64_bit_mode(s) { W64 } else { W32 };
    Cpu::set_gr(s, width, r, link);
}

/// PC: calls the entry point whose number is the second-operand address. This is the basic operation, which needs no
/// linkage stack; an entry that wants the stacking one is an operation exception.
pub(crate) fn program_call(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    use AddressSpaceControl::{AccessRegister, Primary};
    let number = Cpu::address(s, 0, i.b2, i.d2).address as u32;
    translating(s, &[Primary, AccessRegister])?;
    let link = link(s, i) | u64::from(s.problem_state());
    let traced = program_call_entry(s, number, link);
    let slot = spaces_slot(s, traced.len())?;
    let linkage = s.subsystem_linkage()?;
    let entry = s.translate_pc_number(linkage, number)?;
    if entry.stacking && s.has_address_space_functions() {
        return Err(Program::Operation.into());
    }
    if s.psw().space() != Primary || entry.extended != is_64_bit_mode(s) {
        return Err(Program::SpecialOperation.into());
    }
    if !entry.extended && entry.address & 0x8000_0000 == 0 && entry.address & 0x7f00_0000 != 0 {
        return Err(Program::PcTranslationSpecification.into());
    }
    let keys = (s.cr[3] >> 16) as u16;
    if s.problem_state() && keys & entry.authorization == 0 {
        return Err(Program::PrivilegedOperation.into());
    }
    let mut space = None;
    if entry.asn != 0 {
        asn_translation_allowed(s)?;
        let found = match s.has_address_space_functions() {
            true => s.second_table_entry(entry.aste, entry.asn)?,
            false => s.translate_asn(entry.asn)?,
        };
        space = Some(s.with_subspace(found)?);
    }
    if let Some(slot) = slot {
        s.trace(slot, traced.bytes());
    }
    let (old, asce) = (s.cr[4], s.cr[1]);
    s.gr[3] = numbered(s, s.gr[3], (old >> 32) as u32, low_halves(keys, old as u16));
    Cpu::set_gr(s, if entry.extended { W64 } else { W32 }, 4, entry.parameter);
    set_link(s, 14, link);
    set_secondary(s, keys | entry.keys, old as u16, (old >> 32) as u32, asce);
    if let Some(space) = &space {
        set_primary(s, entry.asn, space);
    }
    spaces_changed(s);
    set_problem_state(s, entry.address & 1 != 0);
    branch(s, i, entry.address & !1);
    if space.is_some() { space_left(s, old as u16, asce, s.cr[1]) } else { Ok(()) }
}

/// PT: to the space and with the keys in R1, to the address in R2.
pub(crate) fn program_transfer(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    transfer(s, i, false)
}

/// PTI: the same, with the instance of the space's number in bits 0-31 of R1.
pub(crate) fn program_transfer_with_instance(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    transfer(s, i, true)
}

fn transfer(s: &mut State, i: &Fields, instance: bool) -> Result<(), Interruption> {
    let (operand, target) = (s.gr[i.r1 as usize], s.gr[i.r2 as usize]);
    translating(s, &[AddressSpaceControl::Primary])?;
    let asn = operand as u16;
    let traced = program_transfer_entry(s, asn, target, instance);
    let slot = spaces_slot(s, traced.len())?;
    s.subsystem_linkage()?;
    if target & 1 == 0 && s.problem_state() {
        return Err(Program::PrivilegedOperation.into());
    }
    if !is_64_bit_mode(s) && target & 0x8000_0000 == 0 && target & 0x7f00_0000 != 0 {
        return Err(Program::Specification.into());
    }
    let old = s.cr[4];
    let mut space = None;
    if asn != old as u16 {
        asn_translation_allowed(s)?;
        let found = s.translate_asn(asn)?;
        by_number(s, &found, asn, instance.then_some((operand >> 32) as u32))?;
        if !s.may_be_primary(&found, (old >> 16) as u16)? {
            return Err(s.identified(Program::PrimaryAuthority, asn.into()));
        }
        space = Some(s.with_subspace(found)?);
    } else if instance && s.reuses_numbers() && operand >> 32 != old >> 32 {
        return Err(s.identified(Program::AsteInstance, asn.into()));
    }
    if let Some(slot) = slot {
        s.trace(slot, traced.bytes());
    }
    let asce = s.cr[1];
    if let Some(space) = &space {
        set_primary(s, asn, space);
    }
    let keys = (s.cr[3] & operand & 0xffff_0000) >> 16;
    set_secondary(s, keys as u16, asn, instance_in(s, s.cr[4]), s.cr[1]);
    spaces_changed(s);
    set_problem_state(s, target & 1 != 0);
    branch(s, i, target & !1);
    if space.is_some() { space_left(s, old as u16, asce, s.cr[1]) } else { Ok(()) }
}

/// Whether the program may go to a space by its number, where numbers are used again: with the right instance, if it
/// names one.
fn by_number(s: &mut State, space: &SecondTableEntry, asn: u16, instance: Option<u32>) -> Result<(), Interruption> {
    if !s.reuses_numbers() {
        return Ok(());
    }
    if space.is_controlled() && s.problem_state() || space.is_reusable() && instance.is_none() {
        return Err(Program::SpecialOperation.into());
    }
    match instance {
        Some(instance) if instance != space.instance => Err(s.identified(Program::AsteInstance, asn.into())),
        _ => Ok(()),
    }
}

/// SSAR: the secondary space is that of the number in R1.
pub(crate) fn set_secondary_asn(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    set_secondary_space(s, i, false)
}

/// SSAIR: the same, with the instance of the number in bits 0-31 of R1.
pub(crate) fn set_secondary_asn_with_instance(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    set_secondary_space(s, i, true)
}

fn set_secondary_space(s: &mut State, i: &Fields, instance: bool) -> Result<(), Interruption> {
    let operand = s.gr[i.r1 as usize];
    let asn = operand as u16;
    if s.psw_mask() & mask::DAT == 0 {
        return Err(Program::SpecialOperation.into());
    }
    asn_translation_allowed(s)?;
    let slot = spaces_slot(s, 4)?;
    let (asce, number) = if asn == s.cr[4] as u16 {
        if instance && s.reuses_numbers() && operand >> 32 != s.cr[4] >> 32 {
            return Err(s.identified(Program::AsteInstance, asn.into()));
        }
        (s.cr[1], instance_in(s, s.cr[4]))
    } else {
        let found = s.translate_asn(asn)?;
        by_number(s, &found, asn, instance.then_some((operand >> 32) as u32))?;
        if !s.may_be_secondary(&found, (s.cr[4] >> 16) as u16)? {
            return Err(s.identified(Program::SecondaryAuthority, asn.into()));
        }
        (s.with_subspace(found)?.asce, found.instance)
    };
    if let Some(slot) = slot {
        let [left, right] = asn.to_be_bytes();
        s.trace(slot, &[0x10, instance.into(), left, right]);
    }
    set_secondary(s, (s.cr[3] >> 16) as u16, asn, number, asce);
    spaces_changed(s);
    Ok(())
}

/// What LASP loads, as control registers 3 and 4 have it.
#[derive(FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
struct Parameters {
    keys: U16,
    secondary: U16,
    index: U16,
    primary: U16,
}

/// The same with instances of the numbers.
#[derive(FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
struct ParametersWithInstances {
    secondary_instance: U32,
    keys: U16,
    secondary: U16,
    primary_instance: U32,
    index: U16,
    primary: U16,
}

/// What keeps LASP from loading a space: an exception of the program's tables is a condition code.
fn available(found: Result<SecondTableEntry, Interruption>) -> Result<Option<SecondTableEntry>, Interruption> {
    use Program::{AfxTranslation, AsteSequence, AsteValidity, AsxTranslation};
    match found {
        Ok(space) => Ok(Some(space)),
        Err(Interruption::Program(AfxTranslation | AsxTranslation | AsteValidity | AsteSequence)) => Ok(None),
        Err(why) => Err(why),
    }
}

/// A space by its number, with the subspace that takes its place.
fn space_of(s: &mut State, asn: u16, instance: u32) -> Result<Option<SecondTableEntry>, Interruption> {
    let Some(found) = available(s.translate_asn(asn))? else { return Ok(None) };
    if found.instance != instance {
        return Ok(None);
    }
    let found = s.with_subspace(found);
    available(found)
}

/// LASP: loads the numbers of both spaces, and what belongs to them. Bits 61-63 of the second-operand address:
/// translate the numbers even if they stay the same; the authorization index is the operand's; no test of authority for
/// the secondary space. CC 0 loaded; 1 no primary space; 2 no secondary space, or not authorized; 3 there would be a
/// space-switch event.
pub(crate) fn load_address_space_parameters(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    asn_translation_allowed(s)?;
    let at = Cpu::address(s, 0, i.b1, i.d1);
    let options = Cpu::address(s, 0, i.b2, i.d2).address;
    Cpu::aligned(s, at, 8)?;
    let (new, instances) = if s.reuses_numbers() {
        let new = s.read_layout::<ParametersWithInstances>(at)?;
        let ParametersWithInstances { keys, secondary, index, primary, .. } = new;
        (Parameters { keys, secondary, index, primary }, [new.secondary_instance.get(), new.primary_instance.get()])
    } else {
        (s.read_layout::<Parameters>(at)?, [0, 0])
    };
    let [secondary, primary] = [new.secondary.get(), new.primary.get()];
    let (force, own_index, skip) = (options & 4 != 0, options & 2 != 0, options & 1 != 0);
    let same = |register: u64, asn: u16, instance| asn == register as u16 && instance == instance_in(s, register);
    let keep_primary = same(s.cr[4], primary, instances[1]) && !force;
    let same_secondary = same(s.cr[3], secondary, instances[0]);
    let mut space = None;
    if !keep_primary {
        let Some(found) = space_of(s, primary, instances[1])? else {
            s.cc = 1;
            return Ok(());
        };
        if (s.cr[1] | found.asce) & space_switch_control(s) != 0 {
            s.cc = 3;
            return Ok(());
        }
        space = Some(found);
    }
    let index = match &space {
        _ if own_index => new.index.get(),
        Some(space) => space.index(),
        None => (s.cr[4] >> 16) as u16,
    };
    let asce = if secondary == primary && instances[0] == instances[1] {
        space.map_or(s.cr[1], |space| space.asce)
    } else if same_secondary && !force && skip {
        s.cr[7]
    } else {
        let found = space_of(s, secondary, instances[0])?;
        let Some(found) = found else {
            s.cc = 2;
            return Ok(());
        };
        if !skip && !s.may_be_secondary(&found, index)? {
            s.cc = 2;
            return Ok(());
        }
        found.asce
    };
    if let Some(space) = &space {
        set_primary(s, primary, space);
    }
    s.cr[4] = s.cr[4] & !0xffff_0000 | u64::from(index) << 16;
    set_secondary(s, new.keys.get(), secondary, instances[0], asce);
    spaces_changed(s);
    s.cc = 0;
    Ok(())
}

/// Extraction of a number with its instance: DAT must be on, and in the problem state the extraction authority.
fn extract(s: &mut State, i: &Fields, register: usize) -> Result<(), Interruption> {
    super::extraction_allowed(s)?;
    s.gr[i.r1 as usize] = s.cr[register] & !0xffff_0000;
    Ok(())
}

/// EPAIR: the primary ASN and its instance.
pub(crate) fn extract_primary_asn_and_instance(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    extract(s, i, 4)
}

/// ESAIR: the secondary ASN and its instance.
pub(crate) fn extract_secondary_asn_and_instance(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    extract(s, i, 3)
}

/// ESEA: the extended authorization index comes into bits 32-47 of R1, and is replaced by bits 48-63.
pub(crate) fn extract_and_set_extended_authority(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let (old, register) = (s.cr[8] & 0xffff_0000, s.gr[i.r1 as usize]);
    s.gr[i.r1 as usize] = register & !0xffff_0000 | old;
    s.cr[8] = s.cr[8] & !0xffff_0000 | (register & 0xffff) << 16;
    Ok(())
}
