//! Interlocked updates: COMPARE AND SWAP, LOAD AND ADD, TEST AND SET, PERFORM LOCKED OPERATION.

use super::fetch_number;
use super::registers::pair;
use crate::prelude::*;

/// CS, CSY. CC: 0 equal and replaced, 1 the second operand was loaded.
pub(crate) fn compare_and_swap(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = s.address(0, i.b2, i.d2);
    s.aligned(at, 4)?;
    let (old, new) = (s.gr[i.r1 as usize] as u32, s.gr[i.r3 as usize] as u32);
    let found = s.compare_and_swap_u32(at, old, new)?;
    s.cc = (found != old) as u8;
    s.set_gr(W32, i.r1, found as u64);
    Ok(())
}

/// CSG.
pub(crate) fn compare_and_swap_long(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = s.address(0, i.b2, i.d2);
    s.aligned(at, 8)?;
    let old = s.gr[i.r1 as usize];
    let found = s.compare_and_swap_u64(at, old, s.gr[i.r3 as usize])?;
    s.cc = (found != old) as u8;
    s.gr[i.r1 as usize] = found;
    Ok(())
}

/// CDS, CDSY: a doubleword, in the low halves of even-odd pairs.
pub(crate) fn compare_double_and_swap(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    pair(i.r1 | i.r3)?;
    let at = s.address(0, i.b2, i.d2);
    s.aligned(at, 8)?;
    let both = |s: &State, r: u8| s.gr[r as usize] << 32 | s.gr[r as usize + 1] & 0xffff_ffff;
    let (old, new) = (both(s, i.r1), both(s, i.r3));
    let found = s.compare_and_swap_u64(at, old, new)?;
    s.cc = (found != old) as u8;
    s.set_gr(W32, i.r1, found >> 32);
    s.set_gr(W32, i.r1 + 1, found);
    Ok(())
}

/// A quadword in an even-odd pair.
fn quadword(s: &State, r: u8) -> u128 {
    (s.gr[r as usize] as u128) << 64 | s.gr[r as usize + 1] as u128
}

fn set_quadword(s: &mut State, r: u8, v: u128) {
    s.gr[r as usize] = (v >> 64) as u64;
    s.gr[r as usize + 1] = v as u64;
}

/// CDSG.
pub(crate) fn compare_double_and_swap_long(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    pair(i.r1 | i.r3)?;
    let at = s.address(0, i.b2, i.d2);
    s.aligned(at, 16)?;
    let old = quadword(s, i.r1);
    let found = s.compare_and_swap_u128(at, old, quadword(s, i.r3))?;
    s.cc = (found != old) as u8;
    set_quadword(s, i.r1, found);
    Ok(())
}

/// CSST: a compare and swap at the first operand and, if it swaps, a store at the second. What and how long is in
/// register 0; the new values are in a parameter list at the address in register 1.
pub(crate) fn compare_and_swap_and_store(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let (function, characteristic) = (s.gr[0] as u8, (s.gr[0] >> 8) as u8);
    if function > 2 || characteristic > 4 || function == 2 && i.r3 & 1 != 0 {
        return Err(Program::Specification.into());
    }
    let first = s.address(0, i.b1, i.d1);
    let second = s.address(0, i.b2, i.d2);
    let list = s.address_in(1);
    s.aligned(first, 4 << function)?;
    s.aligned(second, 1 << characteristic)?;
    s.aligned(list, 16)?;
    let size = 1usize << characteristic;
    let mut store = [0; 16];
    s.read_bytes(s.further(list, 16), &mut store[..size])?;
    s.test_write(second, size as u64)?;
    let equal = match function {
        0 => {
            let (old, new) = (s.gr[i.r3 as usize] as u32, s.load_u32(list)?);
            let found = s.compare_and_swap_u32(first, old, new)?;
            s.set_gr(W32, i.r3, found as u64);
            found == old
        }
        1 => {
            let (old, new) = (s.gr[i.r3 as usize], s.load_u64(list)?);
            let found = s.compare_and_swap_u64(first, old, new)?;
            s.gr[i.r3 as usize] = found;
            found == old
        }
        _ => {
            let new = fetch_number(s, list, 16)?;
            let old = quadword(s, i.r3);
            let found = s.compare_and_swap_u128(first, old, new)?;
            set_quadword(s, i.r3, found);
            found == old
        }
    };
    if equal {
        s.write_bytes(second, &store[..size])?;
    }
    s.cc = !equal as u8;
    Ok(())
}

/// TS: the byte becomes all ones. CC: its leftmost bit before.
pub(crate) fn test_and_set(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = s.address(0, i.b2, i.d2);
    s.cc = s.update_u8(at, |_| 0xff)? >> 7;
    Ok(())
}

/// The operand of LOAD AND ADD and its kin, of 32 bits.
fn update_word(s: &mut State, i: &Fields, f: impl Fn(u32, u32) -> u32) -> Result<(u32, u32), Interruption> {
    let at = s.address(0, i.b2, i.d2);
    s.aligned(at, 4)?;
    let b = s.gr[i.r3 as usize] as u32;
    let old = s.update_u32(at, |old| f(old, b))?;
    s.set_gr(W32, i.r1, old as u64);
    Ok((old, b))
}

fn update_doubleword(s: &mut State, i: &Fields, f: impl Fn(u64, u64) -> u64) -> Result<(u64, u64), Interruption> {
    let at = s.address(0, i.b2, i.d2);
    s.aligned(at, 8)?;
    let b = s.gr[i.r3 as usize];
    let old = s.update_u64(at, |old| f(old, b))?;
    s.gr[i.r1 as usize] = old;
    Ok((old, b))
}

/// LAA. CC and overflow as ADD has them.
pub(crate) fn load_and_add(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let (a, b) = update_word(s, i, u32::wrapping_add)?;
    s.set_cc(Cc::Add { width: W32, a: a as u64, b: b as u64, sum: a.wrapping_add(b) as u64 });
    s.check_overflow()
}

/// LAAG.
pub(crate) fn load_and_add_long(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let (a, b) = update_doubleword(s, i, u64::wrapping_add)?;
    s.set_cc(Cc::Add { width: W64, a, b, sum: a.wrapping_add(b) });
    s.check_overflow()
}

/// LAAL.
pub(crate) fn load_and_add_logical(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let (a, b) = update_word(s, i, u32::wrapping_add)?;
    s.set_cc(Cc::AddLogical { width: W32, a: a as u64, sum: a.wrapping_add(b) as u64 });
    Ok(())
}

/// LAALG.
pub(crate) fn load_and_add_logical_long(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let (a, b) = update_doubleword(s, i, u64::wrapping_add)?;
    s.set_cc(Cc::AddLogical { width: W64, a, sum: a.wrapping_add(b) });
    Ok(())
}

/// LAN.
pub(crate) fn load_and_and(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let (a, b) = update_word(s, i, |a, b| a & b)?;
    s.cc = (a & b != 0) as u8;
    Ok(())
}

/// LANG.
pub(crate) fn load_and_and_long(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let (a, b) = update_doubleword(s, i, |a, b| a & b)?;
    s.cc = (a & b != 0) as u8;
    Ok(())
}

/// LAO.
pub(crate) fn load_and_or(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let (a, b) = update_word(s, i, |a, b| a | b)?;
    s.cc = (a | b != 0) as u8;
    Ok(())
}

/// LAOG.
pub(crate) fn load_and_or_long(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let (a, b) = update_doubleword(s, i, |a, b| a | b)?;
    s.cc = (a | b != 0) as u8;
    Ok(())
}

/// LAX.
pub(crate) fn load_and_exclusive_or(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let (a, b) = update_word(s, i, |a, b| a ^ b)?;
    s.cc = (a != b) as u8;
    Ok(())
}

/// LAXG.
pub(crate) fn load_and_exclusive_or_long(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let (a, b) = update_doubleword(s, i, |a, b| a ^ b)?;
    s.cc = (a != b) as u8;
    Ok(())
}

/// A byte of storage combined with the immediate field: interlocked (interlocked-access facility 2). CC 0 zero, 1 not
/// zero.
#[inline(always)]
fn update_byte<C: Cpu>(cpu: &mut C, i: &Fields, how: Bitwise) -> Step<C> {
    let at = cpu.address(0, i.b1, i.d1);
    let value = cpu.update_byte(how, at, i.imm as u8)?;
    cpu.set_cc(Cc::Zero { width: W8, value });
    Ok(())
}

/// NI, NIY.
pub(crate) fn and_immediate<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    update_byte(cpu, i, Bitwise::And)
}

/// OI, OIY.
pub(crate) fn or_immediate<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    update_byte(cpu, i, Bitwise::Or)
}

/// XI, XIY.
pub(crate) fn exclusive_or_immediate<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    update_byte(cpu, i, Bitwise::ExclusiveOr)
}

/// An immediate added in storage: interlocked if the operand is aligned and there is another CPU to lock out.
fn add_immediate(s: &mut State, i: &Fields, width: Width) -> Result<(u64, u64, u64), Interruption> {
    let at = s.address(0, i.b1, i.d1);
    let b = i.imm as i8 as i64 as u64;
    let bytes = (width.bits() / 8) as u64;
    let a = if !at.address.is_multiple_of(bytes) || s.shared().alone {
        let a = if width == W32 { s.load_for_update_u32(at)?.into() } else { s.load_for_update_u64(at)? };
        s.store(width, at, a.wrapping_add(b))?;
        a
    } else if width == W32 {
        s.update_u32(at, |a| a.wrapping_add(b as u32))? as u64
    } else {
        s.update_u64(at, |a| a.wrapping_add(b))?
    };
    Ok((a, b, a.wrapping_add(b)))
}

/// ASI.
pub(crate) fn add_immediate_to_word(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let (a, b, sum) = add_immediate(s, i, W32)?;
    s.set_cc(Cc::Add { width: W32, a, b, sum });
    s.check_overflow()
}

/// AGSI.
pub(crate) fn add_immediate_to_doubleword(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let (a, b, sum) = add_immediate(s, i, W64)?;
    s.set_cc(Cc::Add { width: W64, a, b, sum });
    s.check_overflow()
}

/// ALSI.
pub(crate) fn add_logical_immediate_to_word(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let (a, _, sum) = add_immediate(s, i, W32)?;
    s.set_cc(Cc::AddLogical { width: W32, a, sum });
    Ok(())
}

/// ALGSI.
pub(crate) fn add_logical_immediate_to_doubleword(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let (a, _, sum) = add_immediate(s, i, W64)?;
    s.set_cc(Cc::AddLogical { width: W64, a, sum });
    Ok(())
}

/// LPD, LPDG: two operands that no other CPU changed in between (CC 0). Storing CPUs are seen by looking twice; CC 3
/// says that it did not work out.
pub(crate) fn load_pair_disjoint(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    pair_disjoint(s, i, W32)
}

/// LPDG.
pub(crate) fn load_pair_disjoint_long(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    pair_disjoint(s, i, W64)
}

fn pair_disjoint(s: &mut State, i: &Fields, width: Width) -> Result<(), Interruption> {
    pair(i.r3)?;
    let first = s.address(0, i.b1, i.d1);
    let second = s.address(0, i.b2, i.d2);
    let bytes = (width.bits() / 8) as u64;
    s.aligned(first, bytes)?;
    s.aligned(second, bytes)?;
    let a = s.load(width, first)?;
    let b = s.load(width, second)?;
    s.cc = if s.load(width, first)? == a { 0 } else { 3 };
    s.set_gr(width, i.r3, a);
    s.set_gr(width, i.r3 + 1, b);
    Ok(())
}
