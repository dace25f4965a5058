//! Control registers.

use super::operand;
use crate::prelude::*;
use base::layout::{U32, U64};
use zerocopy::IntoBytes;

/// The registers from R1 to R3, wrapping around.
fn range(i: &Fields) -> impl Iterator<Item = usize> + use<> {
    let count = (i.r3.wrapping_sub(i.r1) & 15) as usize + 1;
    let first = i.r1 as usize;
    (0..count).map(move |n| (first + n) & 15)
}

/// What follows from a change of the registers from R1 to R3: most often only the spaces do.
fn changed(s: &mut State, i: &Fields) {
    if i.r1 == i.r3 && matches!(i.r1, 1 | 7 | 13) {
        s.fetch_stale = true;
        s.space_changed();
    } else {
        s.fetch_stale = true;
        s.control_changed();
    }
}

/// LCTL.
pub(crate) fn load_control(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let at = operand(s, i, 4)?;
    let mut words = [U32::ZERO; 16];
    s.read_bytes(at, words[..range(i).count()].as_mut_bytes())?;
    for (r, word) in range(i).zip(words) {
        s.cr[r] = s.cr[r] & !0xffff_ffff | u64::from(word.get());
    }
    changed(s, i);
    Ok(())
}

/// LCTLG.
pub(crate) fn load_control_64(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let at = operand(s, i, 8)?;
    if i.r1 == i.r3 {
        s.cr[i.r1 as usize] = s.load_u64(at)?;
        changed(s, i);
        return Ok(());
    }
    let mut words = [U64::ZERO; 16];
    s.read_bytes(at, words[..range(i).count()].as_mut_bytes())?;
    for (r, word) in range(i).zip(words) {
        s.cr[r] = word.get();
    }
    changed(s, i);
    Ok(())
}

/// STCTL.
pub(crate) fn store_control(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let at = operand(s, i, 4)?;
    let mut words = [U32::ZERO; 16];
    for (r, word) in range(i).zip(&mut words) {
        word.set(s.cr[r] as u32);
    }
    s.write_bytes(at, words[..range(i).count()].as_bytes())
}

/// STCTG.
pub(crate) fn store_control_64(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let at = operand(s, i, 8)?;
    let mut words = [U64::ZERO; 16];
    for (r, word) in range(i).zip(&mut words) {
        word.set(s.cr[r]);
    }
    s.write_bytes(at, words[..range(i).count()].as_bytes())
}

/// EPAR: the primary ASN.
pub(crate) fn extract_primary_asn(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    extraction_allowed(s)?;
    Cpu::set_gr(s, W32, i.r1, s.cr[4] & 0xffff);
    Ok(())
}

/// ESAR: the secondary ASN.
pub(crate) fn extract_secondary_asn(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    extraction_allowed(s)?;
    Cpu::set_gr(s, W32, i.r1, s.cr[3] & 0xffff);
    Ok(())
}

/// EPAR and ESAR need DAT, and in the problem state the extraction-authority control.
pub(super) fn extraction_allowed(s: &State) -> Result<(), Interruption> {
    if s.psw_mask() & arch::mask::DAT == 0 {
        return Err(Program::SpecialOperation.into());
    }
    if s.problem_state() && s.cr[0] & cpu::cr0::EXTRACTION_AUTHORITY == 0 {
        return Err(Program::PrivilegedOperation.into());
    }
    Ok(())
}
