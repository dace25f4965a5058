//! Searching and comparing: SRST, CLST, CLC, CLCL and their kin.

use super::registers::{Operand, UNIT, compare_padded, set_address};
use crate::prelude::*;
use base::layout::{U16, U32};
use zerocopy::FromBytes;

/// The byte in register 0 that ends a string; the 24 bits on its left must be zero.
pub(crate) fn ending_byte(s: &State) -> Result<u8, Interruption> {
    if s.gr[0] & 0xffff_ff00 != 0 { Err(Program::Specification.into()) } else { Ok(s.gr[0] as u8) }
}

/// SRST. CC: 1 found, and the first register has its address; 2 not found up to the address in the first register;
/// 3 not yet, the second register says where to go on.
pub(crate) fn search_string(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let byte = ending_byte(s)?;
    let end = s.address_in(i.r1).address;
    let mut at = s.address_in(i.r2);
    let mut unit = UNIT;
    let mut size = 64;
    while unit > 0 {
        let left = end.wrapping_sub(at.address) & s.address_mask;
        if left == 0 {
            s.cc = 2;
            return Ok(());
        }
        let mut bytes = [0; 4096];
        let want = left.min(size) as usize;
        let n = match s.read_within_page(at, &mut bytes[..want]) {
            Ok(n) => n,
            Err(why) => {
                set_address(s, i.r2, at.address);
                return Err(why);
            }
        };
        if let Some(k) = memchr::memchr(byte, &bytes[..n]) {
            let found = s.further(at, k as u64);
            set_address(s, i.r1, found.address);
            s.cc = 1;
            return Ok(());
        }
        at = s.further(at, n as u64);
        unit = unit.saturating_sub(n as u64);
        size = 4096;
    }
    set_address(s, i.r2, at.address);
    s.cc = 3;
    Ok(())
}

/// SRSTU: SRST for a two-byte character in register 0. Where start and end differ in parity, the search ends past the
/// end.
pub(crate) fn search_string_unicode(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    if s.gr[0] & 0xffff_0000 != 0 {
        return Err(Program::Specification.into());
    }
    let character = s.gr[0] as u16;
    let end = s.address_in(i.r1).address;
    let mut at = s.address_in(i.r2);
    let mut left = end.wrapping_sub(at.address) & s.address_mask;
    for _ in 0..UNIT / 2 {
        if left == 0 {
            s.cc = 2;
            return Ok(());
        }
        if s.load_u16(at)? == character {
            set_address(s, i.r1, at.address);
            s.cc = 1;
            return Ok(());
        }
        at = s.further(at, 2);
        left = left.saturating_sub(2);
    }
    set_address(s, i.r2, at.address);
    s.cc = 3;
    Ok(())
}

/// CLST. CC: 0 equal; 1 first low, 2 first high, with both registers at the bytes that differ; 3 not yet. The string
/// that ends first is low.
pub(crate) fn compare_logical_string(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let end = ending_byte(s)?;
    let (mut a, mut b) = (s.address_in(i.r1), s.address_in(i.r2));
    let mut unit = UNIT as usize;
    let mut size = 32;
    while unit > 0 {
        let (mut x, mut y) = ([0; 1024], [0; 1024]);
        let read = s.read_within_page(a, &mut x[..size]).and_then(|n| s.read_within_page(b, &mut y[..n]));
        let n = match read {
            Ok(n) => n,
            Err(why) => {
                set_address(s, i.r1, a.address);
                set_address(s, i.r2, b.address);
                return Err(why);
            }
        };
        for k in 0..n {
            if x[k] == y[k] {
                if x[k] == end {
                    s.cc = 0;
                    return Ok(());
                }
                continue;
            }
            let low = x[k] == end || y[k] != end && x[k] < y[k];
            let (a, b) = (s.further(a, k as u64), s.further(b, k as u64));
            set_address(s, i.r1, a.address);
            set_address(s, i.r2, b.address);
            s.cc = if low { 1 } else { 2 };
            return Ok(());
        }
        a = s.further(a, n as u64);
        b = s.further(b, n as u64);
        unit = unit.saturating_sub(n);
        size = 1024;
    }
    set_address(s, i.r1, a.address);
    set_address(s, i.r2, b.address);
    s.cc = 3;
    Ok(())
}

/// CLC. CC: 0 equal, 1 first low, 2 first high.
pub(crate) fn compare_logical_characters(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let a = s.address(0, i.b1, i.d1);
    let b = s.address(0, i.b2, i.d2);
    let len = i.l as usize + 1;
    let (mut x, mut y) = ([0; 256], [0; 256]);
    s.read_bytes(a, &mut x[..len])?;
    s.read_bytes(b, &mut y[..len])?;
    s.cc = super::compare_code(x[..len].cmp(&y[..len]));
    Ok(())
}

/// CLCL. CC: 0 equal, 1 first low, 2 first high; the registers are left at the bytes that differ.
pub(crate) fn compare_logical_long(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let mut a = Operand::short(s, i.r1)?;
    let mut b = Operand::short(s, i.r2)?;
    let pad = (s.gr[i.r2 as usize + 1] >> 24) as u8;
    let found = compare_padded(s, &mut a, &mut b, [pad; 2], 1, u64::MAX);
    b.save_short(s);
    a.save_short(s);
    s.cc = super::compare_code(found?.unwrap_or(std::cmp::Ordering::Equal));
    Ok(())
}

/// CLCLE. CC as CLCL, and 3 when it is not known yet.
pub(crate) fn compare_logical_long_extended(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let pad = s.address(0, i.b2, i.d2).address as u8;
    compare_extended(s, i, [pad; 2], 1)
}

/// CLCLU: CLCLE for two-byte characters.
pub(crate) fn compare_logical_long_unicode(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let pad = U16::new(s.address(0, i.b2, i.d2).address as u16).to_bytes();
    compare_extended(s, i, pad, 2)
}

fn compare_extended(s: &mut State, i: &Fields, pad: [u8; 2], step: usize) -> Result<(), Interruption> {
    let mut a = Operand::of(s, i.r1)?;
    let mut b = Operand::of(s, i.r3)?;
    if (a.length | b.length) % step as u64 != 0 {
        return Err(Program::Specification.into());
    }
    let found = compare_padded(s, &mut a, &mut b, pad, step, UNIT);
    b.save(s);
    a.save(s);
    s.cc = match found? {
        Some(order) => super::compare_code(order),
        None if a.length == 0 && b.length == 0 => 0,
        None => 3,
    };
    Ok(())
}

/// CUSE: looks for a substring of the length in register 0 that both operands have at the same place; the shorter one
/// is padded with the byte in register 1. CC: 0 found, the registers are at its beginning; 1 the operands end in equal
/// bytes that are too few, the registers are at their beginning; 2 they end in unequal bytes; 3 not known yet.
pub(crate) fn compare_until_substring_equal(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let mut a = Operand::of(s, i.r1)?;
    let mut b = Operand::of(s, i.r2)?;
    let want = s.gr[0] as u8 as u64;
    let pad = s.gr[1] as u8;
    // Where the run of equal bytes began.
    let mut start = (a, b);
    let mut run = 0;
    let mut unit = 4096;
    s.cc = loop {
        if run == want {
            break 0;
        }
        if a.length == 0 && b.length == 0 {
            break if run > 0 { 1 } else { 2 };
        }
        if unit == 0 {
            break 3;
        }
        unit -= 1;
        let x = if a.length > 0 { s.load_u8(a.at)? } else { pad };
        let y = if b.length > 0 { s.load_u8(b.at)? } else { pad };
        for operand in [&mut a, &mut b] {
            let n = operand.length.min(1);
            operand.pass(s, n);
        }
        if x == y {
            run += 1;
        } else {
            run = 0;
            start = (a, b);
        }
    };
    start.1.save(s);
    start.0.save(s);
    Ok(())
}

/// CKSM: adds words into the first operand, the carry out of the left to the right. CC: 0 done, 3 not yet.
pub(crate) fn checksum(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let mut from = Operand::of(s, i.r2)?;
    let mut sum = s.gr[i.r1 as usize] as u32 as u64;
    let mut unit = UNIT;
    let mut done = Ok(());
    while from.length > 0 && unit > 0 {
        let mut bytes = [0; 1024];
        let max = from.length.min(1024) as usize;
        let read = s.read_within_page(from.at, &mut bytes[..max]).and_then(|n| {
            if n as u64 == from.length || n % 4 == 0 {
                return Ok(n);
            }
            if n > 4 {
                return Ok(n & !3);
            }
            // A word across two pages.
            let n = from.length.min(4) as usize;
            s.read_bytes(from.at, &mut bytes[..n]).map(|()| n)
        });
        let n = match read {
            Ok(n) => n,
            Err(why) => {
                done = Err(why);
                break;
            }
        };
        // The last word is filled with zeros on its right.
        bytes[n..n.next_multiple_of(4)].fill(0);
        let words = <[U32]>::ref_from_bytes(&bytes[..n.next_multiple_of(4)]).expect("whole words");
        sum += words.iter().map(|word| u64::from(word.get())).sum::<u64>();
        while sum >> 32 != 0 {
            sum = (sum >> 32) + (sum as u32 as u64);
        }
        from.pass(s, n as u64);
        unit = unit.saturating_sub(n as u64);
    }
    s.set_gr(W32, i.r1, sum);
    from.save(s);
    done?;
    s.cc = if from.length > 0 { 3 } else { 0 };
    Ok(())
}

/// CLM, CLMY: the bytes of a register that the mask selects, against as many in storage. With no byte selected it is
/// equal, and the first byte of the operand is looked at all the same.
pub(crate) fn compare_logical_characters_under_mask(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    compare_under_mask(s, i, s.gr[i.r1 as usize] as u32)
}

/// CLMH: CLM with bits 0-31 of the register.
pub(crate) fn compare_logical_characters_under_mask_high(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    compare_under_mask(s, i, (s.gr[i.r1 as usize] >> 32) as u32)
}

fn compare_under_mask(s: &mut State, i: &Fields, register: u32) -> Result<(), Interruption> {
    let at = s.address(0, i.b2, i.d2);
    let (bytes, n) = super::selected(register, i.m3);
    let mut operand = [0; 4];
    s.read_bytes(at, &mut operand[..n.max(1)])?;
    s.cc = super::compare_code(bytes[..n].cmp(&operand[..n]));
    Ok(())
}
