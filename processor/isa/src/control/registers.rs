//! Control registers.

use super::operand;
use crate::prelude::*;

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
pub fn load_control(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let at = operand(s, i, 4)?;
    let mut bytes = [0; 64];
    let len = range(i).count() * 4;
    s.read_bytes(at, &mut bytes[..len])?;
    for (r, word) in range(i).zip(bytes.chunks_exact(4)) {
        let word = u32::from_be_bytes(word.try_into().expect("four bytes"));
        s.cr[r] = s.cr[r] & !0xffff_ffff | word as u64;
    }
    changed(s, i);
    Ok(())
}

/// LCTLG.
pub fn load_control_64(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let at = operand(s, i, 8)?;
    if i.r1 == i.r3 {
        s.cr[i.r1 as usize] = s.load_u64(at)?;
        changed(s, i);
        return Ok(());
    }
    let mut bytes = [0; 128];
    let len = range(i).count() * 8;
    s.read_bytes(at, &mut bytes[..len])?;
    for (r, word) in range(i).zip(bytes.chunks_exact(8)) {
        s.cr[r] = u64::from_be_bytes(word.try_into().expect("eight bytes"));
    }
    changed(s, i);
    Ok(())
}

/// STCTL.
pub fn store_control(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let at = operand(s, i, 4)?;
    let mut bytes = [0; 64];
    let len = range(i).count() * 4;
    for (r, word) in range(i).zip(bytes.chunks_exact_mut(4)) {
        word.copy_from_slice(&(s.cr[r] as u32).to_be_bytes());
    }
    s.write_bytes(at, &bytes[..len])
}

/// STCTG.
pub fn store_control_64(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let at = operand(s, i, 8)?;
    let mut bytes = [0; 128];
    let len = range(i).count() * 8;
    for (r, word) in range(i).zip(bytes.chunks_exact_mut(8)) {
        word.copy_from_slice(&s.cr[r].to_be_bytes());
    }
    s.write_bytes(at, &bytes[..len])
}

/// EPAR: the primary ASN.
pub fn extract_primary_asn(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    extraction_allowed(s)?;
    Cpu::set_gr(s, W32, i.r1, s.cr[4] & 0xffff);
    Ok(())
}

/// ESAR: the secondary ASN.
pub fn extract_secondary_asn(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    extraction_allowed(s)?;
    Cpu::set_gr(s, W32, i.r1, s.cr[3] & 0xffff);
    Ok(())
}

/// EPAR and ESAR need DAT, and in the problem state the extraction-authority control.
fn extraction_allowed(s: &State) -> Result<(), Interruption> {
    if s.psw_mask() & arch::mask::DAT == 0 {
        return Err(Program::SpecialOperation.into());
    }
    if s.problem_state() && s.cr[0] & cpu::cr0::EXTRACTION_AUTHORITY == 0 {
        return Err(Program::PrivilegedOperation.into());
    }
    Ok(())
}
