//! Storage keys, and frames as a whole.

use crate::prelude::*;
use arch::{Absolute, PAGE, Real};
use storage::key;

/// The frame at the real address in R2.
fn frame(s: &mut State, i: &Fields) -> Result<Absolute, Interruption> {
    let address = Cpu::address_in(s, i.r2).address & arch::PAGE_MASK;
    s.real(address, Access::Fetch)
}

/// ISKE: the key goes to bits 56-62 of R1.
pub(crate) fn insert_storage_key(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let at = frame(s, i)?;
    let found = s.storage().key(at).expect("the frame exists");
    Cpu::set_gr(s, W8, i.r1, found as u64);
    Ok(())
}

/// IVSK: as ISKE for a virtual address, without reference and change bits. Special operation with DAT off.
pub(crate) fn insert_virtual_storage_key(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    if s.problem_state() && s.cr[0] & cpu::cr0::EXTRACTION_AUTHORITY == 0 {
        return Err(Program::PrivilegedOperation.into());
    }
    if s.psw_mask() & arch::mask::DAT == 0 {
        return Err(Program::SpecialOperation.into());
    }
    let at = Cpu::address_in(s, i.r2);
    let page = s.page_in(at.address, Space::Mode { ar: i.r2 }, 0, Access::Fetch)?;
    let found = s.storage().key(s.absolute_of(page)).expect("the frame exists");
    Cpu::set_gr(s, W8, i.r1, (found & 0xf8) as u64);
    Ok(())
}

/// Sets a frame's key if it differs. True if translations that rely on the old one must go.
fn set_key(s: &mut State, at: Absolute, new: u8) -> bool {
    let old = s.storage().key(at).expect("the frame exists");
    if old == new {
        return false;
    }
    s.storage().set_key(at, new).expect("the frame exists");
    // Bits that only turned on are allowed by every translation made before.
    old & 0xf8 != new & 0xf8 || old & !new & (key::REFERENCE | key::CHANGE) != 0
}

/// Conditional SSKE: which of reference bit and change bit need not be equal for a key to stay as it is. 0: every key
/// is set.
fn bypassed(s: &State, reference: bool, change: bool) -> u8 {
    const CONDITIONAL_SSKE: u32 = 10;
    if !s.has(CONDITIONAL_SSKE) {
        return 0;
    }
    let bit = |on, bit| if on { bit } else { 0 };
    bit(reference, key::REFERENCE) | bit(change, key::CHANGE)
}

/// Sets a key as [`set_key`], unless it may stay. True if translations that rely on the old one must go.
fn set_key_unless_equal(s: &mut State, at: Absolute, new: u8, bypassed: u8) -> bool {
    let old = s.storage().key(at).expect("the frame exists");
    !stays(old, new, bypassed) && set_key(s, at, new)
}

/// Whether everything of a key that counts is as it shall be.
fn stays(old: u8, new: u8, bypassed: u8) -> bool {
    bypassed != 0 && (old ^ new) & !bypassed & !1 == 0
}

/// SSKE. With the multiple-block control: every frame from the absolute address to the end of its megabyte. With
/// conditions, R1 gets the old key in bits 48-55, and the code says whether it is still there: 0 yes, 1 it was set.
pub(crate) fn set_storage_key(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let new = s.gr[i.r1 as usize] as u8 & 0xfe;
    let multiple = i.m3 & 1 != 0 && s.has(8);
    let bypassed = bypassed(s, i.m3 & 4 != 0, i.m3 & 2 != 0);
    let mut purge = false;
    if multiple {
        let mut address = Cpu::address_in(s, i.r2).address & arch::PAGE_MASK;
        loop {
            let at = s.frame(Absolute(address), Access::Fetch)?;
            purge |= set_key_unless_equal(s, at, new, bypassed);
            address = address.wrapping_add(PAGE);
            if address.is_multiple_of(1 << 20) {
                break;
            }
        }
        // The last twelve bits of the register stay.
        let width = if Cpu::is_64_bit_mode(s) { W64 } else { W32 };
        let next = address & s.address_mask | s.gr[i.r2 as usize] & (PAGE - 1);
        Cpu::set_gr(s, width, i.r2, next);
    } else {
        let at = frame(s, i)?;
        if bypassed != 0 {
            let old = s.storage().key(at).expect("the frame exists");
            let register = &mut s.gr[i.r1 as usize];
            *register = *register & !0xff00 | u64::from(old) << 8;
            s.cc = if stays(old, new, bypassed) { 0 } else { 1 };
        }
        purge = set_key_unless_equal(s, at, new, bypassed);
    }
    if purge {
        s.purge_all();
    }
    Ok(())
}

/// RRBE: the reference bit off. CC: reference bit times 2 plus change bit, as they were.
pub(crate) fn reset_reference_bit(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let at = frame(s, i)?;
    let old = s.storage().clear_key_bits(at, key::REFERENCE).expect("the frame exists");
    s.cc = old >> 1 & 3;
    if old & key::REFERENCE != 0 {
        s.purge_all();
    }
    Ok(())
}

/// The reference bits of 64 frames from the real address in R2 on, the first one leftmost, with `bits` turned off.
fn reference_bits(s: &mut State, i: &Fields, reset: bool) -> Result<u64, Interruption> {
    s.supervisor_only()?;
    let first = Cpu::address_in(s, i.r2).address & !(64 * PAGE - 1);
    let mut found = 0;
    for n in 0..64 {
        let at = s.real(first + n * PAGE, Access::Fetch)?;
        let off = if reset { key::REFERENCE } else { 0 };
        let old = s.storage().clear_key_bits(at, off).expect("the frame exists");
        found = found << 1 | (old & key::REFERENCE != 0) as u64;
    }
    Ok(found)
}

/// RRBM: reference bits are inserted and turned off.
pub(crate) fn reset_reference_bits_multiple(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    // Nothing is turned off unless all of it is there.
    reference_bits(s, i, false)?;
    s.gr[i.r1 as usize] = reference_bits(s, i, true)?;
    if s.gr[i.r1 as usize] != 0 {
        s.purge_all();
    }
    Ok(())
}

/// IRBM: reference bits are inserted.
pub(crate) fn insert_reference_bits_multiple(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.gr[i.r1 as usize] = reference_bits(s, i, false)?;
    Ok(())
}

/// ESSA: the use the guest makes of the frame at the real address in R2. M3: 0 no change, 1 stable, 2 unused, 3
/// volatile, 4 potentially volatile, 5 stable and resident, 6 stable if resident, 7 stable without address translation.
/// R1 gets what it was: use times 4 plus where the contents are, which is always in storage (0).
pub(crate) fn extract_and_set_storage_attributes(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    const NO_DAT: u8 = 8;
    let new = match i.m3 {
        0 => None,
        1 | 5 | 6 => Some(0),
        2 => Some(1),
        3 => Some(3),
        4 => Some(2),
        7 if s.has(147) => Some(NO_DAT),
        _ => return Err(Program::Specification.into()),
    };
    let at = frame(s, i)?;
    let old = s.storage().set_page_state(at, new).expect("the frame exists");
    s.gr[i.r1 as usize] = ((old & 3) << 2 | (old & NO_DAT) << 2) as u64;
    Ok(())
}

/// TB: storage here is always usable; the frame becomes zero.
pub(crate) fn test_block(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let address = Cpu::address_in(s, i.r2).address & arch::PAGE_MASK;
    let at = s.real(address, Access::Store)?;
    clear_frame(s, at);
    s.gr[0] = 0;
    s.cc = 0;
    Ok(())
}

fn clear_frame(s: &mut State, at: Absolute) {
    s.note_code(at, PAGE as usize);
    s.storage().store(at, &[0; PAGE as usize]).expect("the frame exists");
}

/// Control bits of PFMF's first operand.
mod frame_management {
    pub(super) const SET_KEY: u64 = 0x2_0000;
    pub(super) const CLEAR: u64 = 0x1_0000;
    pub(super) const SIZE: u64 = 0x7000;
    pub(super) const NON_QUIESCING: u64 = 0x800;
    /// Conditional SSKE.
    pub(super) const REFERENCE_BYPASS: u64 = 0x400;
    pub(super) const CHANGE_BYPASS: u64 = 0x200;
    pub(super) const RESERVED: u64 = 0xfffc_0101;
}

/// PFMF: clears frames and sets their keys, one of 4 KiB or all to the end of the megabyte.
pub(crate) fn perform_frame_management(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    use frame_management::*;
    s.supervisor_only()?;
    let control = s.gr[i.r1 as usize];
    // Non-quiescing key setting is a facility of its own.
    if control & RESERVED != 0 || control & NON_QUIESCING != 0 && !s.has(14) {
        return Err(Program::Specification.into());
    }
    let first = Cpu::address_in(s, i.r2).address & arch::PAGE_MASK;
    let end = match (control & SIZE) >> 12 {
        0 => first.wrapping_add(PAGE),
        1 => (first | 0xf_ffff).wrapping_add(1),
        _ => return Err(Program::Specification.into()),
    };
    let one = control & SIZE == 0;
    let bypassed = bypassed(s, control & REFERENCE_BYPASS != 0, control & CHANGE_BYPASS != 0);
    let mut purge = false;
    let mut address = first;
    while address != end {
        // Only the single-frame form is subject to prefixing; a large frame is absolute.
        let at = if one { s.absolute(Real(address)) } else { Absolute(address) };
        let at = s.frame(at, Access::Store)?;
        if control & CLEAR != 0 {
            if one {
                s.real(address, Access::Store)?;
            }
            clear_frame(s, at);
        }
        if control & SET_KEY != 0 {
            purge |= set_key_unless_equal(s, at, control as u8 & 0xfe, bypassed);
        }
        address = address.wrapping_add(PAGE);
    }
    if (control & SIZE) >> 12 == 1 {
        let end = end & s.address_mask;
        let width = if Cpu::is_64_bit_mode(s) { W64 } else { W32 };
        Cpu::set_gr(s, width, i.r2, end);
    }
    if purge {
        s.purge_all();
    }
    Ok(())
}

/// A block, in the expanded storage that has it.
type Block = (std::sync::Arc<storage::Storage>, Absolute);

/// The frame at the real address in R1, and the block of expanded storage whose number is in R2, if there is one.
fn frame_and_block(s: &mut State, i: &Fields, access: Access) -> Result<(Absolute, Option<Block>), Interruption> {
    s.supervisor_only()?;
    let address = Cpu::address_in(s, i.r1).address & arch::PAGE_MASK;
    let at = s.real(address, access)?;
    let block = Absolute(u64::from(s.gr[i.r2 as usize] as u32) * PAGE);
    let expanded = s.shared().expanded.get().filter(|expanded| expanded.key(block).is_ok());
    Ok((at, expanded.map(|expanded| (expanded, block))))
}

/// Copies a page from one storage to another.
fn copy_page(from: &storage::Storage, source: Absolute, to: &storage::Storage, target: Absolute) {
    let mut page = [0; PAGE as usize];
    from.read(source, &mut page).expect("the frame exists");
    to.store(target, &page).expect("the frame exists");
}

/// PGIN: a block of expanded storage becomes a page. CC 0 moved, 3 there is no such block.
pub(crate) fn page_in(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let (at, block) = frame_and_block(s, i, Access::Store)?;
    s.cc = 3;
    if let Some((expanded, block)) = block {
        s.note_code(at, PAGE as usize);
        copy_page(&expanded, block, s.storage(), at);
        s.storage().mark_key(at, key::REFERENCE | key::CHANGE);
        s.cc = 0;
    }
    Ok(())
}

/// PGOUT: a page goes into a block of expanded storage. CC as PGIN.
pub(crate) fn page_out(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let (at, block) = frame_and_block(s, i, Access::Fetch)?;
    s.cc = 3;
    if let Some((expanded, block)) = block {
        copy_page(s.storage(), at, &expanded, block);
        s.storage().mark_key(at, key::REFERENCE);
        s.cc = 0;
    }
    Ok(())
}
