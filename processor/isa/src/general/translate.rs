//! Translating through tables: TR, TRT, TRE, TROO and their kin.

use super::registers::{Operand, UNIT, long, pair, set_address};
use crate::prelude::*;

/// A table, or an operand that is looked at from one end. All of it is read at once if it can be; otherwise only what
/// is needed, as bytes that are not used may lie where no access is possible.
struct Table {
    at: At,
    all: Option<[u8; 256]>,
}

impl Table {
    /// A table of 256 bytes.
    fn new(s: &mut State, at: At) -> Table {
        Table::of(s, at, 256)
    }

    /// `len` bytes, at most 256.
    fn of(s: &mut State, at: At, len: usize) -> Table {
        let mut all = [0; 256];
        let id = (s.translation_exception_id, s.exception_access_id);
        let all = s.read_bytes(at, &mut all[..len]).ok().map(|()| all);
        (s.translation_exception_id, s.exception_access_id) = id;
        Table { at, all }
    }

    fn entry(&self, s: &mut State, n: u8) -> Result<u8, Interruption> {
        match &self.all {
            Some(all) => Ok(all[n as usize]),
            None => s.load_u8(s.further(self.at, n as u64)),
        }
    }
}

/// TR: each byte of the first operand becomes the byte that it selects in the second. A result that is part of the
/// table is looked up by the bytes after it.
pub(crate) fn translate(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let to = s.address(0, i.b1, i.d1);
    let at = s.address(0, i.b2, i.d2);
    let len = i.l as usize + 1;
    let mut bytes = [0; 256];
    s.test_write(to, len as u64)?;
    s.read_bytes(to, &mut bytes[..len])?;
    let overlap = at.address.wrapping_sub(to.address) < len as u64 || to.address.wrapping_sub(at.address) < 256;
    if overlap {
        for (k, &byte) in bytes[..len].iter().enumerate() {
            // Anew each time: the table may have changed.
            let function = Table::new(s, at).entry(s, byte)?;
            let place = s.further(to, k as u64);
            s.write_bytes(place, &[function])?;
        }
        return Ok(());
    }
    let table = Table::new(s, at);
    for byte in &mut bytes[..len] {
        *byte = table.entry(s, *byte)?;
    }
    s.write_bytes(to, &bytes[..len])
}

/// TRT: looks for the first byte whose function byte in the table is not zero; register 1 gets its address, register
/// 2 the function byte. CC: 0 none, 1 found before the last byte, 2 it is the last byte.
pub(crate) fn translate_and_test(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let first = s.address(0, i.b1, i.d1);
    let at = s.address(0, i.b2, i.d2);
    let len = i.l as usize + 1;
    let operand = Table::of(s, first, len);
    let table = Table::new(s, at);
    for k in 0..len {
        let byte = operand.entry(s, k as u8)?;
        let function = table.entry(s, byte)?;
        if function != 0 {
            let found = s.further(first, k as u64);
            report(s, found.address, function);
            s.cc = if k + 1 == len { 2 } else { 1 };
            return Ok(());
        }
    }
    s.cc = 0;
    Ok(())
}

/// TRTR: TRT from right to left; the first operand is named by its rightmost byte.
pub(crate) fn translate_and_test_reverse(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let last = s.address(0, i.b1, i.d1);
    let at = s.address(0, i.b2, i.d2);
    let len = i.l as usize + 1;
    let first = At { address: last.address.wrapping_sub(i.l as u64) & s.address_mask, ar: last.ar };
    let operand = Table::of(s, first, len);
    let table = Table::new(s, at);
    for k in (0..len).rev() {
        let byte = operand.entry(s, k as u8)?;
        let function = table.entry(s, byte)?;
        if function != 0 {
            let found = s.further(first, k as u64);
            report(s, found.address, function);
            s.cc = if k == 0 { 2 } else { 1 };
            return Ok(());
        }
    }
    s.cc = 0;
    Ok(())
}

/// What TRT found: register 2 gets the function byte.
fn report(s: &mut State, address: u64, function: u8) {
    set_found_address(s, address);
    s.set_gr(W8, 2, function as u64);
}

/// Register 1 gets the address that TRT or EDMK found. In the 24-bit mode bits 0-39 stay.
pub(crate) fn set_found_address(s: &mut State, address: u64) {
    if s.address_mask == 0x00ff_ffff {
        s.gr[1] = s.gr[1] & !0x00ff_ffff | address;
    } else {
        set_address(s, 1, address);
    }
}

/// TRE: translates until a byte equals the one in register 0. CC: 0 all translated, 1 that byte found, 3 not yet.
pub(crate) fn translate_extended(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let mut operand = Operand::of(s, i.r1)?;
    let test = s.gr[0] as u8;
    let at = s.address_in(i.r2);
    let table = Table::new(s, at);
    let mut unit = UNIT;
    let mut found = false;
    while operand.length > 0 && unit > 0 && !found {
        let mut bytes = [0; 256];
        let max = operand.length.min(256) as usize;
        let n = s.read_within_page(operand.at, &mut bytes[..max])?;
        let take = memchr::memchr(test, &bytes[..n]).unwrap_or(n);
        found = take < n;
        for byte in &mut bytes[..take] {
            *byte = table.entry(s, *byte)?;
        }
        s.write_bytes(operand.at, &bytes[..take])?;
        operand.pass(s, take as u64);
        operand.save(s);
        unit = unit.saturating_sub(n as u64);
    }
    operand.save(s);
    s.cc = if found {
        1
    } else if operand.length > 0 {
        3
    } else {
        0
    };
    Ok(())
}

/// TROO: one byte to one.
pub(crate) fn translate_one_to_one(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    translate_characters(s, i, 1, 1)
}

/// TROT: one byte to two.
pub(crate) fn translate_one_to_two(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    translate_characters(s, i, 1, 2)
}

/// TRTO: two bytes to one.
pub(crate) fn translate_two_to_one(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    translate_characters(s, i, 2, 1)
}

/// TRTT: two bytes to two.
pub(crate) fn translate_two_to_two(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    translate_characters(s, i, 2, 2)
}

/// The length beside the first operand is the second operand's. Ends when a character would be translated to the one
/// in register 0, unless the mask says not to look. CC: 0 all translated, 1 that character met, 3 not yet.
fn translate_characters(s: &mut State, i: &Fields, from_size: u64, to_size: u64) -> Result<(), Interruption> {
    let mut operand = Operand::of(s, i.r1)?;
    if operand.length % from_size != 0 {
        return Err(Program::Specification.into());
    }
    let mut to = operand.at;
    operand.at = s.address_in(i.r2);
    let table = s.address_in(1);
    let table = At { address: table.address & !7, ar: 1 };
    let test = if to_size == 1 { s.gr[0] as u8 as u16 } else { s.gr[0] as u16 };
    let look = i.m3 & 1 == 0;
    for _ in 0..4096 {
        if operand.length == 0 {
            s.cc = 0;
            return Ok(());
        }
        let character = if from_size == 1 { s.load_u8(operand.at)? as u64 } else { s.load_u16(operand.at)? as u64 };
        let entry = s.further(table, character * to_size);
        let function = if to_size == 1 { s.load_u8(entry)? as u16 } else { s.load_u16(entry)? };
        if look && function == test {
            s.cc = 1;
            return Ok(());
        }
        if to_size == 1 {
            s.store_u8(to, function as u8)?
        } else {
            s.store_u16(to, function)?
        }
        to = s.further(to, to_size);
        operand.pass(s, from_size);
        // The registers are right after each character, so an exception at the next one loses nothing.
        set_address(s, i.r1, to.address);
        super::registers::set_length(s, i.r1 + 1, operand.length);
        set_address(s, i.r2, operand.at.address);
    }
    s.cc = if operand.length == 0 { 0 } else { 3 };
    Ok(())
}

/// TRTE: from left to right.
pub(crate) fn translate_and_test_extended(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    test_characters(s, i, false)
}

/// TRTRE: from right to left; the address is that of the rightmost character.
pub(crate) fn translate_and_test_reverse_extended(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    test_characters(s, i, true)
}

/// Looks for a character whose function code is not zero; the second register gets the code. The mask says: 8 two-byte
/// characters, 4 two-byte codes, 2 characters above 255 have code 0. CC: 0 none, and the second register is 0; 1 found,
/// 3 not yet.
fn test_characters(s: &mut State, i: &Fields, reverse: bool) -> Result<(), Interruption> {
    pair(i.r1)?;
    let mut operand = Operand::of(s, i.r1)?;
    let size = if i.m3 & 8 != 0 { 2 } else { 1 };
    if operand.length % size != 0 {
        return Err(Program::Specification.into());
    }
    let table = s.address_in(1);
    let table = At { address: table.address & !7, ar: 1 };
    let set_code = |s: &mut State, code: u64| {
        if long(s) { s.gr[i.r2 as usize] = code } else { s.set_gr(W32, i.r2, code) }
    };
    for _ in 0..4096 {
        if operand.length == 0 {
            break;
        }
        let character = if size == 2 { s.load_u16(operand.at)? as u64 } else { s.load_u8(operand.at)? as u64 };
        let code = if size == 2 && i.m3 & 2 != 0 && character > 255 {
            0
        } else if i.m3 & 4 != 0 {
            s.load_u16(s.further(table, 2 * character))? as u64
        } else {
            s.load_u8(s.further(table, character))? as u64
        };
        if code != 0 {
            operand.save(s);
            set_code(s, code);
            s.cc = 1;
            return Ok(());
        }
        operand.pass(s, size);
        if reverse {
            operand.at = s.further(operand.at, (2 * size).wrapping_neg());
        }
        operand.save(s);
    }
    if operand.length > 0 {
        s.cc = 3;
    } else {
        set_code(s, 0);
        s.cc = 0;
    }
    Ok(())
}
