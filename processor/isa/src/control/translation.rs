//! Translation, its tables and its lookaside buffers; real addresses.

use super::privileged_operand;
use crate::prelude::*;
use arch::{PAGE, Real};
use cpu::{Architecture, PageTableEntry, Translation};

/// LRA, LRAY, LRAG. CC 0: the real address, or the absolute one in a large page; 1: the segment-table entry is invalid;
/// 2: the page-table entry is, and the register gets the real address of that entry; 3: a table is too short, a region
/// is invalid or there is no such space, and the register says which exception it would be.
fn load_real(s: &mut State, i: &Fields, width: Width) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let at = Cpu::address(s, i.x2, i.b2, i.d2);
    let reach = if width == W64 { u64::MAX } else { 0x7fff_ffff };
    match s.translate_only(at.address, Space::Mode { ar: i.b2 })? {
        Translation::Found(place) if place.address() > reach => return Err(Program::SpecialOperation.into()),
        Translation::Found(place) => {
            Cpu::set_gr(s, width, i.r1, place.address());
            s.cc = 0;
        }
        Translation::Missing { code, entry: Some(entry) } if entry.0 <= reach => {
            Cpu::set_gr(s, width, i.r1, entry.0);
            s.cc = if code == Program::SegmentTranslation { 1 } else { 2 };
        }
        Translation::Missing { code, .. } => {
            Cpu::set_gr(s, W32, i.r1, 0x8000_0000 | code as u64);
            s.cc = 3;
        }
    }
    Ok(())
}

/// LRA, LRAY: 64 bits in the 64-bit addressing mode.
pub(crate) fn load_real_address(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let width = if Cpu::is_64_bit_mode(s) { W64 } else { W32 };
    load_real(s, i, width)
}

/// LRAG.
pub(crate) fn load_real_address_64(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    load_real(s, i, W64)
}

/// LPTEA: the address of the page-table entry for the address in R2, in the space that M4 names. CC 0: that, and 1 if
/// the tables before it protect the page; 2: that of a segment-table entry that is invalid or for a large page; 3: a
/// table is too short, a region is invalid or there is no such space, and the register says which exception it would
/// be.
pub(crate) fn load_page_table_entry_address(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let space = match i.m4 {
        0 => Space::Primary,
        1 => Space::Register(i.r2),
        2 => Space::Secondary,
        3 => Space::Home,
        4 => Space::Mode { ar: i.r2 },
        _ => return Err(Program::Specification.into()),
    };
    let address = Cpu::address_in(s, i.r2).address;
    let (cc, value) = match s.page_table_entry(address, space)? {
        PageTableEntry::Found { at, protected } => (protected.into(), at),
        PageTableEntry::None { segment } => (2, segment),
        PageTableEntry::Missing(code) => (3, code as u64),
    };
    s.gr[i.r1 as usize] = value;
    s.cc = cc;
    Ok(())
}

/// The operand of LURA and STURA: a real address in R2, subject to protection.
fn real_operand(s: &mut State, i: &Fields, n: u64, access: Access) -> Result<arch::Absolute, Interruption> {
    s.supervisor_only()?;
    let at = Cpu::address_in(s, i.r2);
    Cpu::aligned(s, at, n)?;
    let page = s.page_in(at.address, Space::Real, s.key, access)?;
    Ok(s.absolute_of(page))
}

/// LURA.
pub(crate) fn load_using_real_address(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = real_operand(s, i, 4, Access::Fetch)?;
    let word = s.storage().load_u32(at).expect("the frame exists");
    Cpu::set_gr(s, W32, i.r1, word as u64);
    Ok(())
}

/// LURAG.
pub(crate) fn load_using_real_address_64(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = real_operand(s, i, 8, Access::Fetch)?;
    s.gr[i.r1 as usize] = s.storage().load_u64(at).expect("the frame exists");
    Ok(())
}

/// STURA.
pub(crate) fn store_using_real_address(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = real_operand(s, i, 4, Access::Store)?;
    s.note_code(at, 4);
    s.storage().store_u32(at, s.gr[i.r1 as usize] as u32).expect("the frame exists");
    Ok(())
}

/// STURG.
pub(crate) fn store_using_real_address_64(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = real_operand(s, i, 8, Access::Store)?;
    s.note_code(at, 8);
    s.storage().store_u64(at, s.gr[i.r1 as usize]).expect("the frame exists");
    Ok(())
}

/// PTLB: this CPU's buffer alone.
pub(crate) fn purge_tlb(s: &mut State, _: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    s.purge_tlb();
    Ok(())
}

/// PALB: nothing of access-register translation is kept.
pub(crate) fn purge_alb(s: &mut State, _: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()
}

/// Turns bits of a table entry on; the entry is at a real address.
fn invalidate(s: &mut State, entry: u64, bit: u64, width: Width) -> Result<(), Interruption> {
    let at = s.frame(s.absolute(Real(entry)), Access::Store)?;
    let storage = s.storage().clone();
    // The table belongs to this configuration's control program; other CPUs only fetch from it while it is changed.
    if width == W64 {
        let v = storage.load_u64(at).map_err(|_| Program::Addressing)?;
        storage.store_u64(at, v | bit).map_err(|_| Program::Addressing)?;
    } else {
        let v = storage.load_u32(at).map_err(|_| Program::Addressing)?;
        storage.store_u32(at, v | bit as u32).map_err(|_| Program::Addressing)?;
    }
    Ok(())
}

/// IPTE: the page-table entry becomes invalid, and no CPU knows the page any more. With the IPTE-range facility and a
/// register in R3, as many entries after it as bits 56-63 of R3 say: the address in R2 moves on, R3 counts down to 255.
pub(crate) fn invalidate_page_table_entry(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    const IPTE_RANGE: u32 = 13;
    s.supervisor_only()?;
    let (table, address) = (s.gr[i.r1 as usize], s.gr[i.r2 as usize]);
    if i.r3 == 0 || !s.has(IPTE_RANGE) || s.architecture() != Architecture::Z {
        invalidate_page(s, table, address)?;
        s.purge_others();
        return Ok(());
    }
    let more = s.gr[i.r3 as usize] & 0xff;
    if (address >> 12 & 0xff) + more > 0xff {
        return Err(Program::Specification.into());
    }
    for n in 0..=more {
        invalidate_page(s, table, address.wrapping_add(n * PAGE))?;
    }
    s.purge_others();
    s.gr[i.r2 as usize] = address.wrapping_add((more + 1) * PAGE);
    s.gr[i.r3 as usize] |= 0xff;
    Ok(())
}

/// Turns the invalid bit of a page's entry on, and has this CPU forget the page.
fn invalidate_page(s: &mut State, table: u64, address: u64) -> Result<(), Interruption> {
    let page = address >> 12 & 0xff;
    if s.architecture() == Architecture::Z {
        invalidate(s, (table & !0x7ff) + page * 8, 0x400, W64)?;
    } else {
        invalidate(s, ((table & 0x7fff_ffc0) + page * 4) & 0x7fff_ffff, 0x400, W32)?;
    }
    s.purge_page(address);
    Ok(())
}

/// RDP: the page-table entry of the address in R2, in the table at R1, protects the page no more, and no CPU keeps a
/// translation that does; with bit 3 of M4 on, this one does not. R3 has the space's ASCE, which is a hint.
pub(crate) fn reset_dat_protection(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    const PROTECTED: u64 = 0x200;
    const LOCAL: u8 = 1;
    s.supervisor_only()?;
    let (table, address) = (s.gr[i.r1 as usize], s.gr[i.r2 as usize]);
    let entry = (table & !0x7ff).wrapping_add((address >> 12 & 0xff) * 8);
    loop {
        let at = s.frame(s.absolute(Real(entry)), Access::Store)?;
        let old = s.storage().load_u64(at).map_err(|_| Program::Addressing)?;
        if s.compare_and_swap_real(entry, old, old & !PROTECTED)? == old {
            break;
        }
    }
    s.purge_page(address);
    if i.m4 & LOCAL == 0 {
        s.purge_others();
    }
    Ok(())
}

/// IDTE: invalidates region- or segment-table entries and forgets what was made of them; or, with bit 52 of R2 on, only
/// forgets all of the space whose ASCE R3 holds.
pub(crate) fn invalidate_dat_table_entry(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let (table, option) = (s.gr[i.r1 as usize], s.gr[i.r2 as usize]);
    if option & 0x800 != 0 {
        s.purge_space(s.gr[i.r3 as usize]);
        return Ok(());
    }
    if option & 0xff000 != 0 {
        return Err(Program::Specification.into());
    }
    // The designation type says which index of the address is meant.
    let level = table >> 2 & 3;
    let first = option >> (20 + 11 * level) & 0x7ff;
    let additional = option & 0x7ff;
    for n in first..=(first + additional).min(0x7ff) {
        invalidate(s, (table & !0xfff).wrapping_add(n * 8), 0x20, W64)?;
    }
    s.purge_all();
    Ok(())
}

/// CRDTE: replaces the table entry that translates the address in R2+1, if it is what R1 says, by what R1+1 says, and
/// no CPU keeps what was made of it. R2 has the table's origin and, in bits 59-61, its kind. CC 0 replaced; 1 not, and
/// R1 gets the entry.
pub(crate) fn compare_and_replace_table_entry(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    if (i.r1 | i.r2) & 1 != 0 {
        return Err(Program::Specification.into());
    }
    let (table, address) = (s.gr[i.r2 as usize], s.gr[i.r2 as usize + 1]);
    // A page table, or a segment or region table by its designation type.
    let (origin, index) = match table >> 2 & 7 {
        0 => (table & !0x7ff, address >> 12 & 0xff),
        kind @ 4.. => (table & !0xfff, address >> (20 + 11 * (kind & 3)) & 0x7ff),
        _ => return Err(Program::Specification.into()),
    };
    let (old, new) = (s.gr[i.r1 as usize], s.gr[i.r1 as usize + 1]);
    let found = s.compare_and_swap_real(origin.wrapping_add(8 * index), old, new)?;
    swapped(s, found == old, true, |s| s.gr[i.r1 as usize] = found);
    Ok(())
}

/// CSP: compare and swap a word, R1 with R1+1; if equal and bit 63 of R2 is on, no CPU keeps any translation.
pub(crate) fn compare_and_swap_and_purge(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    if i.r1 & 1 != 0 {
        return Err(Program::Specification.into());
    }
    let at = Cpu::address_in(s, i.r2);
    let options = at.address & 3;
    let at = At { address: at.address & !3, ..at };
    let old = s.gr[i.r1 as usize] as u32;
    let new = s.gr[i.r1 as usize + 1] as u32;
    let found = s.compare_and_swap_u32(at, old, new)?;
    swapped(s, found == old, options != 0, |s| Cpu::set_gr(s, W32, i.r1, found as u64));
    Ok(())
}

/// CSPG: the same with a doubleword.
pub(crate) fn compare_and_swap_and_purge_64(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    if i.r1 & 1 != 0 {
        return Err(Program::Specification.into());
    }
    let at = Cpu::address_in(s, i.r2);
    let options = at.address & 3;
    let at = At { address: at.address & !7, ..at };
    let (old, new) = (s.gr[i.r1 as usize], s.gr[i.r1 as usize + 1]);
    let found = s.compare_and_swap_u64(at, old, new)?;
    swapped(s, found == old, options != 0, |s| s.gr[i.r1 as usize] = found);
    Ok(())
}

fn swapped(s: &mut State, equal: bool, purge: bool, keep: impl FnOnce(&mut State)) {
    if equal {
        s.cc = 0;
        if purge {
            s.purge_all();
        }
    } else {
        keep(s);
        s.cc = 1;
    }
}

/// TPROT. CC 0 fetch and store permitted, 1 fetch only, 2 neither, 3 the address does not translate.
pub(crate) fn test_protection(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let at = Cpu::address(s, 0, i.b1, i.d1);
    let key = (Cpu::address(s, 0, i.b2, i.d2).address >> 4 & 15) as u8;
    let space = Space::Mode { ar: i.b1 };
    s.cc = match s.test_access(at.address, space, key, Access::Store) {
        Ok(_) => 0,
        Err(Interruption::Program(Program::Protection)) => match s.test_access(at.address, space, key, Access::Fetch) {
            Ok(_) => 1,
            Err(_) => 2,
        },
        Err(Interruption::Program(Program::Addressing)) => return Err(Program::Addressing.into()),
        Err(Interruption::Program(Program::TranslationSpecification)) => {
            return Err(Program::TranslationSpecification.into());
        }
        Err(Interruption::Host) => return Err(Interruption::Host),
        Err(_) => 3,
    };
    Ok(())
}

/// SPX.
pub(crate) fn set_prefix(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = privileged_operand(s, i, 4)?;
    let prefix = s.load_u32(at)?;
    s.set_prefix(prefix as u64).map_err(|_| Program::Addressing)?;
    Ok(())
}

/// STPX.
pub(crate) fn store_prefix(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = privileged_operand(s, i, 4)?;
    s.store_u32(at, s.prefix as u32)
}

/// STRAG: the real address of the first operand goes to the second.
pub(crate) fn store_real_address(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let to = Cpu::address(s, 0, i.b1, i.d1);
    Cpu::aligned(s, to, 8)?;
    let from = Cpu::address(s, 0, i.b2, i.d2);
    match s.translate_only(from.address, Space::Mode { ar: i.b2 })? {
        Translation::Found(place) => s.store_u64(to, place.address()),
        // As a fetch would end, with the translation-exception identification in place.
        Translation::Missing { code, .. } => {
            s.page_in(from.address, Space::Mode { ar: i.b2 }, s.key, Access::Fetch)?;
            Err(code.into())
        }
    }
}
