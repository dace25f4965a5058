//! Moving bytes: MVC and its kin, from one storage location to another.

use super::registers::{Operand, UNIT, move_padded, pair, set_address};
use crate::prelude::*;
use base::layout::{U16, U32};
use zerocopy::IntoBytes;

/// MVC. Bytes move one at a time from left to right, as an overlap can show.
pub(crate) fn move_characters(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let to = s.address(0, i.b1, i.d1);
    let from = s.address(0, i.b2, i.d2);
    s.move_left_to_right(to, from, i.l as usize + 1)
}

/// MVCIN. The second operand is named by its rightmost byte and comes out reversed.
pub(crate) fn move_inverse(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let to = s.address(0, i.b1, i.d1);
    let from = s.address(0, i.b2, i.d2);
    let len = i.l as usize + 1;
    let mut bytes = [0; 256];
    let first = At { address: from.address.wrapping_sub(i.l as u64) & s.address_mask, ar: from.ar };
    s.read_bytes(first, &mut bytes[..len])?;
    bytes[..len].reverse();
    s.write_bytes(to, &bytes[..len])
}

/// MVCRL: from right to left, as many bytes as bits 56-63 of register 0 say and one more.
pub(crate) fn move_right_to_left(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let to = s.address(0, i.b1, i.d1);
    let from = s.address(0, i.b2, i.d2);
    let len = s.gr[0] as u8 as usize + 1;
    let mut bytes = [0; 256];
    s.read_bytes(from, &mut bytes[..len])?;
    // Where the second operand begins in the first, bytes on the right are moved before they are fetched again.
    let distance = from.address.wrapping_sub(to.address) & s.address_mask;
    if distance != 0 && distance < len as u64 {
        for k in (0..len - distance as usize).rev() {
            bytes[k] = bytes[k + distance as usize];
        }
    }
    s.write_bytes(to, &bytes[..len])
}

/// The two operands of an instruction with one length, fetched, with the first known to be writable.
fn two_operands(s: &mut State, i: &Fields) -> Result<(At, [u8; 256], [u8; 256], u64), Interruption> {
    let to = s.address(0, i.b1, i.d1);
    let from = s.address(0, i.b2, i.d2);
    let len = i.l as usize + 1;
    let (mut a, mut b) = ([0; 256], [0; 256]);
    s.read_bytes(from, &mut b[..len])?;
    s.test_write(to, len as u64)?;
    s.read_bytes(to, &mut a[..len])?;
    Ok((to, a, b, to.address.wrapping_sub(from.address) & s.address_mask))
}

/// Changes the first operand byte by byte from left to right; a second operand that runs into the first sees the bytes
/// already changed.
#[inline(always)]
fn combine(s: &mut State, i: &Fields, f: impl Fn(u8, u8) -> u8) -> Result<bool, Interruption> {
    let (to, mut a, b, distance) = two_operands(s, i)?;
    let len = i.l as usize + 1;
    if distance >= len as u64 || distance == 0 {
        for k in 0..len {
            a[k] = f(a[k], b[k]);
        }
    } else {
        let distance = distance as usize;
        for k in 0..len {
            a[k] = f(a[k], if k < distance { b[k] } else { a[k - distance] });
        }
    }
    s.write_bytes(to, &a[..len])?;
    Ok(a[..len].iter().any(|&byte| byte != 0))
}

/// MVN: the right halves of bytes.
pub(crate) fn move_numerics(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    combine(s, i, |a, b| a & 0xf0 | b & 0x0f).map(drop)
}

/// MVZ: the left halves of bytes.
pub(crate) fn move_zones(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    combine(s, i, |a, b| a & 0x0f | b & 0xf0).map(drop)
}

/// NC. CC: 0 zero, 1 not zero.
pub(crate) fn and_characters(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.cc = combine(s, i, |a, b| a & b)? as u8;
    Ok(())
}

/// OC. CC: 0 zero, 1 not zero.
pub(crate) fn or_characters(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.cc = combine(s, i, |a, b| a | b)? as u8;
    Ok(())
}

/// XC. CC: 0 zero, 1 not zero. Storage XORed with itself is the usual way to clear it.
pub(crate) fn exclusive_or_characters(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    if i.b1 == i.b2 && i.d1 == i.d2 {
        let to = s.address(0, i.b1, i.d1);
        s.write_bytes(to, &[0; 256][..i.l as usize + 1])?;
        s.cc = 0;
        return Ok(());
    }
    s.cc = combine(s, i, |a, b| a ^ b)? as u8;
    Ok(())
}

/// MVO: the digits of the second operand beside the rightmost half byte of the first, right to left.
pub(crate) fn move_with_offset(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let to = s.address(0, i.b1, i.d1);
    let from = s.address(0, i.b2, i.d2);
    let (l1, l2) = (i.l1() as u64, i.l2() as u64);
    let mut check = [0; 16];
    s.read_bytes(from, &mut check[..l2 as usize + 1])?;
    s.test_write(to, l1 + 1)?;
    let mut low = s.load_u8(s.further(to, l1))? & 15;
    for k in 0..=l1 {
        // Bytes are fetched as they are needed: an overlap sees what was stored before.
        let byte = if k <= l2 { s.load_u8(s.further(from, l2 - k))? } else { 0 };
        s.store_u8(s.further(to, l1 - k), byte << 4 | low)?;
        low = byte >> 4;
    }
    Ok(())
}

/// MVCL. CC: 0 equal lengths, 1 first shorter, 2 first longer, 3 nothing moved because the movement would destroy its
/// own source.
pub(crate) fn move_long(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let mut to = Operand::short(s, i.r1)?;
    let mut from = Operand::short(s, i.r2)?;
    let pad = (s.gr[i.r2 as usize + 1] >> 24) as u8;
    let distance = to.at.address.wrapping_sub(from.at.address) & s.address_mask;
    let both = to.length.min(from.length);
    if distance != 0 && distance < both {
        set_address(s, i.r1, to.at.address);
        set_address(s, i.r2, from.at.address);
        s.cc = 3;
        return Ok(());
    }
    let cc = super::compare_code(to.length.cmp(&from.length));
    let done = move_padded(s, &mut to, &mut from, [pad; 2], u64::MAX);
    from.save_short(s);
    to.save_short(s);
    done?;
    s.cc = cc;
    Ok(())
}

/// MVCLE, with a padding byte in the second-operand address. CC: 0 equal lengths, 1 first shorter, 2 first longer,
/// 3 not yet at the end.
pub(crate) fn move_long_extended(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let pad = s.address(0, i.b2, i.d2).address as u8;
    move_extended(s, i, [pad; 2])
}

/// MVCLU: MVCLE of two-byte characters.
pub(crate) fn move_long_unicode(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let pad = U16::new(s.address(0, i.b2, i.d2).address as u16).to_bytes();
    let (to, from) = (Operand::of(s, i.r1)?, Operand::of(s, i.r3)?);
    if (to.length | from.length) & 1 != 0 {
        return Err(Program::Specification.into());
    }
    move_extended(s, i, pad)
}

fn move_extended(s: &mut State, i: &Fields, pad: [u8; 2]) -> Result<(), Interruption> {
    let mut to = Operand::of(s, i.r1)?;
    let mut from = Operand::of(s, i.r3)?;
    let cc = super::compare_code(to.length.cmp(&from.length));
    let done = move_padded(s, &mut to, &mut from, pad, UNIT);
    from.save(s);
    to.save(s);
    done?;
    s.cc = if to.length > 0 { 3 } else { cc };
    Ok(())
}

/// MVST: moves up to and including the byte that register 0 holds. CC: 1 moved, the first register is at the ending
/// byte; 3 not yet.
pub(crate) fn move_string(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let end = super::strings::ending_byte(s)?;
    let (mut to, mut from) = (s.address_in(i.r1), s.address_in(i.r2));
    let mut unit = UNIT as usize;
    let mut size = 64;
    while unit > 0 {
        let mut bytes = [0; 4096];
        let n = s.read_within_page(from, &mut bytes[..size])?;
        let found = memchr::memchr(end, &bytes[..n]);
        let take = found.map_or(n, |k| k + 1);
        // A move that destroys its own source goes byte by byte, as the bytes to come are those being stored.
        let distance = to.address.wrapping_sub(from.address) & s.address_mask;
        let take = if distance != 0 && distance < take as u64 { distance as usize } else { take };
        if let Err(why) = s.write_bytes(to, &bytes[..take]) {
            set_address(s, i.r1, to.address);
            set_address(s, i.r2, from.address);
            return Err(why);
        }
        if found.is_some_and(|k| k + 1 == take) {
            let last = s.further(to, take as u64 - 1);
            set_address(s, i.r1, last.address);
            s.cc = 1;
            return Ok(());
        }
        to = s.further(to, take as u64);
        from = s.further(from, take as u64);
        unit = unit.saturating_sub(take);
        size = 4096;
    }
    set_address(s, i.r1, to.address);
    set_address(s, i.r2, from.address);
    s.cc = 3;
    Ok(())
}

/// MVPG: a page. Register 0 may ask for another access key for one of the operands (bits 52 and 53, key in 56-59), and
/// that an invalid page is told by the condition code (bit 55): 1 the first operand's, 2 the second's. CC 0: moved.
pub(crate) fn move_page(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let control = s.gr[0] as u32;
    let (first_key, second_key) = (control & 0x800 != 0, control & 0x400 != 0);
    if control & 0xf000 != 0 || first_key && second_key {
        return Err(Program::Specification.into());
    }
    let key = (control >> 4 & 15) as u8;
    // The problem program may use the keys that the PSW-key mask in control register 3 allows.
    if (first_key || second_key) && s.problem_state() && s.cr[3] as u32 & 0x8000_0000 >> key == 0 {
        return Err(Program::PrivilegedOperation.into());
    }
    let page = |at: At| At { address: at.address & !0xfff, ar: at.ar };
    let (to, from) = (page(s.address_in(i.r1)), page(s.address_in(i.r2)));
    let to_key = if first_key { key } else { s.key };
    let from_key = if second_key { key } else { s.key };
    let mut bytes = [0; 4096];
    let (to_space, from_space) = (Space::Mode { ar: to.ar }, Space::Mode { ar: from.ar });
    let ready = s
        .test_store(to.address, 4096, to_space, to_key)
        .map_err(|why| (why, 1))
        .and_then(|()| s.read_in(from.address, from_space, from_key, &mut bytes).map_err(|why| (why, 2)));
    match ready {
        Ok(()) => s.write_in(to.address, to_space, to_key, &bytes)?,
        Err((Interruption::Program(Program::PageTranslation), cc)) if control & 0x100 != 0 => {
            // If both are invalid it is the second's.
            let second = s.read_in(from.address, from_space, from_key, &mut bytes);
            s.cc = if second == Err(Interruption::Program(Program::PageTranslation)) { 2 } else { cc };
            return Ok(());
        }
        Err((why, _)) => {
            // An interruption tells which registers they are (POP, chapter 3, "Operand Access Identification").
            s.operand_access_id = i.r1 << 4 | i.r2;
            return Err(why);
        }
    }
    s.cc = 0;
    Ok(())
}

/// How many registers there are from R1 to R3, going from 15 on to 0.
fn count(i: &Fields) -> usize {
    (i.r3.wrapping_sub(i.r1) & 15) as usize + 1
}

/// A word for each register, the first `count` of them from storage.
#[inline]
fn load_words(s: &mut State, at: At, count: usize) -> Result<[U32; 16], Interruption> {
    let mut words = [U32::ZERO; 16];
    s.read_bytes(at, words[..count].as_mut_bytes())?;
    Ok(words)
}

/// Stores a word of each register from R1 to R3.
#[inline]
fn store_words(s: &mut State, at: At, i: &Fields, word: impl Fn(&State, usize) -> u32) -> Result<(), Interruption> {
    let mut words = [U32::ZERO; 16];
    let words = &mut words[..count(i)];
    for (k, to) in words.iter_mut().enumerate() {
        to.set(word(s, (i.r1 as usize + k) & 15));
    }
    s.write_bytes(at, words.as_bytes())
}

/// LM, LMY: registers `r1` to `r3`, going from 15 on to 0. 32 bits each.
pub(crate) fn load_multiple(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = s.address(0, i.b2, i.d2);
    let words = load_words(s, at, count(i))?;
    for (k, word) in words[..count(i)].iter().enumerate() {
        s.set_gr(W32, (i.r1 + k as u8) & 15, word.get() as u64);
    }
    Ok(())
}

/// LMH: the left halves of registers.
pub(crate) fn load_multiple_high(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = s.address(0, i.b2, i.d2);
    let words = load_words(s, at, count(i))?;
    for (k, word) in words[..count(i)].iter().enumerate() {
        s.set_gr_high((i.r1 + k as u8) & 15, word.get() as u64);
    }
    Ok(())
}

/// LMG: whole registers.
pub(crate) fn load_multiple_long(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = s.address(0, i.b2, i.d2);
    s.load_registers(at, i.r1, i.r3)
}

/// LMD: left halves from the second operand, right halves from the fourth.
pub(crate) fn load_multiple_disjoint(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let left = s.address(0, i.b1, i.d1);
    let right = s.address(0, i.b2, i.d2);
    let (high, low) = (load_words(s, left, count(i))?, load_words(s, right, count(i))?);
    for (k, (high, low)) in high.into_iter().zip(low).take(count(i)).enumerate() {
        s.gr[(i.r1 as usize + k) & 15] = u64::from(high.get()) << 32 | u64::from(low.get());
    }
    Ok(())
}

/// STM, STMY: 32 bits of each register from `r1` to `r3`.
pub(crate) fn store_multiple(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = s.address(0, i.b2, i.d2);
    store_words(s, at, i, |s, r| s.gr[r] as u32)
}

/// STMH: the left halves of registers.
pub(crate) fn store_multiple_high(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = s.address(0, i.b2, i.d2);
    store_words(s, at, i, |s, r| (s.gr[r] >> 32) as u32)
}

/// STMG: whole registers.
pub(crate) fn store_multiple_long(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = s.address(0, i.b2, i.d2);
    s.store_registers(at, i.r1, i.r3)
}

/// LAM, LAMY: access registers. The operand must be on a word boundary.
pub(crate) fn load_access_multiple(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = s.address(0, i.b2, i.d2);
    s.aligned(at, 4)?;
    let words = load_words(s, at, count(i))?;
    for (k, word) in words[..count(i)].iter().enumerate() {
        s.ar[(i.r1 as usize + k) & 15] = word.get();
    }
    Ok(())
}

/// STAM, STAMY: access registers. The operand must be on a word boundary.
pub(crate) fn store_access_multiple(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = s.address(0, i.b2, i.d2);
    s.aligned(at, 4)?;
    store_words(s, at, i, |s, r| s.ar[r])
}

/// LPQ: a quadword fetched as one, into an even-odd pair.
pub(crate) fn load_pair_from_quadword(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    pair(i.r1)?;
    let at = s.address(i.x2, i.b2, i.d2);
    s.aligned(at, 16)?;
    let v = s.load_quadword(at)?;
    s.gr[i.r1 as usize] = (v >> 64) as u64;
    s.gr[i.r1 as usize + 1] = v as u64;
    Ok(())
}

/// STPQ: an even-odd pair stored as one.
pub(crate) fn store_pair_to_quadword(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    pair(i.r1)?;
    let at = s.address(i.x2, i.b2, i.d2);
    s.aligned(at, 16)?;
    let v = (s.gr[i.r1 as usize] as u128) << 64 | s.gr[i.r1 as usize + 1] as u128;
    s.update_u128(at, |_| v).map(drop)
}
