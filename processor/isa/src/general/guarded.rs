//! The guarded-storage facility: pointers that lead into guarded storage are handed to the program (POP, chapter 7).

use crate::prelude::*;
use arch::guarded::Controls;
use cpu::Guarded;
use zerocopy::IntoBytes;

fn enabled(s: &State) -> Result<(), Interruption> {
    if s.guarded_storage_enabled() { Ok(()) } else { Err(Program::SpecialOperation.into()) }
}

/// LGSC: a reserved doubleword, the designation, the section mask, and the address of the parameter list.
pub(crate) fn load_guarded_storage_controls(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    enabled(s)?;
    let at = s.address(i.x2, i.b2, i.d2);
    s.guarded = Guarded::of(s.read_layout::<Controls>(at)?);
    Ok(())
}

/// STGSC.
pub(crate) fn store_guarded_storage_controls(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    enabled(s)?;
    let at = s.address(i.x2, i.b2, i.d2);
    let controls = s.guarded.controls();
    s.write_bytes(at, controls.as_bytes())
}

/// LGG: a doubleword.
pub(crate) fn load_guarded(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = s.address(i.x2, i.b2, i.d2);
    let pointer = s.load_u64(at)?;
    load(s, i, at, pointer, false)
}

/// LLGFSG: a word, shifted left as the designation says.
pub(crate) fn load_logical_and_shift_guarded(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = s.address(i.x2, i.b2, i.d2);
    let word = s.load_u32(at)? as u64;
    let shift = if s.guarded_storage_enabled() { s.guarded.load_shift() } else { 0 };
    load(s, i, at, word << shift, true)
}

fn load(s: &mut State, i: &Fields, at: At, pointer: u64, logical: bool) -> Result<(), Interruption> {
    if s.guarded_storage_enabled() && s.guarded.guards(pointer & s.address_mask) {
        let instruction = s.ia.wrapping_add(i.next as u64).wrapping_sub(i.len as u64) & s.address_mask;
        return s.guarded_storage_event(instruction, at, pointer, logical);
    }
    s.gr[i.r1 as usize] = pointer;
    Ok(())
}
