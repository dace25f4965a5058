//! Multiplication and division with a result in two registers, and the counting of bits.

use super::registers::pair;
use crate::prelude::*;

/// The second operand of RR and RRE forms, or of RX and RXY forms, of 32 bits.
fn register_32(s: &mut State, i: &Fields) -> Result<u64, Interruption> {
    Ok(s.gr(W32, i.r2))
}
fn storage_32(s: &mut State, i: &Fields) -> Result<u64, Interruption> {
    let at = s.address(i.x2, i.b2, i.d2);
    s.load(W32, at)
}
fn register_64(s: &mut State, i: &Fields) -> Result<u64, Interruption> {
    Ok(s.gr(W64, i.r2))
}
fn storage_64(s: &mut State, i: &Fields) -> Result<u64, Interruption> {
    let at = s.address(i.x2, i.b2, i.d2);
    s.load(W64, at)
}

/// Where the second operand comes from.
type Second = fn(&mut State, &Fields) -> Result<u64, Interruption>;

/// Puts a quotient or a left half into the odd or even register as the caller orders them.
fn set_pair(s: &mut State, width: Width, r: u8, even: u64, odd: u64) {
    s.set_gr(width, r, even);
    s.set_gr(width, r + 1, odd);
}

/// The product of the odd register and a word; its halves become the right halves of both registers of the pair.
fn multiply_32<C: Cpu>(
    cpu: &mut C,
    i: &Fields,
    signed: bool,
    second: impl FnOnce(&mut C) -> Step<C, C::Word>,
) -> Step<C> {
    if i.r1 & 1 == 1 {
        return cpu.stop(Program::Specification.into());
    }
    let (b, a) = (second(cpu)?, cpu.gr(W32, i.r1 + 1));
    let [a, b] = if signed { [a, b].map(|word| cpu.sign_extend(W32, word)) } else { [a, b] };
    let product = cpu.mul(W64, a, b);
    let half = cpu.imm(32);
    let left = cpu.shift_right(W64, product, half);
    cpu.set_gr(W32, i.r1, left);
    cpu.set_gr(W32, i.r1 + 1, product);
    Ok(())
}

/// A word of storage.
fn word<C: Cpu>(i: &Fields) -> impl FnOnce(&mut C) -> Step<C, C::Word> {
    let (x2, b2, d2) = (i.x2, i.b2, i.d2);
    move |cpu| {
        let at = cpu.address(x2, b2, d2);
        cpu.load(W32, at)
    }
}

/// MR.
pub(crate) fn multiply_register<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let r2 = i.r2;
    multiply_32(cpu, i, true, |cpu| Ok(cpu.gr(W32, r2)))
}

/// M, MFY.
pub(crate) fn multiply<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    multiply_32(cpu, i, true, word(i))
}

/// MLR.
pub(crate) fn multiply_logical_register<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let r2 = i.r2;
    multiply_32(cpu, i, false, |cpu| Ok(cpu.gr(W32, r2)))
}

/// ML.
pub(crate) fn multiply_logical<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    multiply_32(cpu, i, false, word(i))
}

fn multiply_logical_64(s: &mut State, i: &Fields, second: Second) -> Result<(), Interruption> {
    pair(i.r1)?;
    let product = second(s, i)? as u128 * s.gr[i.r1 as usize + 1] as u128;
    set_pair(s, W64, i.r1, (product >> 64) as u64, product as u64);
    Ok(())
}

/// MLGR.
pub(crate) fn multiply_logical_long_register(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    multiply_logical_64(s, i, register_64)
}

/// MLG.
pub(crate) fn multiply_logical_long(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    multiply_logical_64(s, i, storage_64)
}

/// MG: 64 by 64 bits, signed.
pub(crate) fn multiply_long(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    pair(i.r1)?;
    let product = storage_64(s, i)? as i64 as i128 * s.gr[i.r1 as usize + 1] as i64 as i128;
    set_pair(s, W64, i.r1, (product >> 64) as u64, product as u64);
    Ok(())
}

/// MGRK: the product of the second and third operand, signed.
pub(crate) fn multiply_long_distinct(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    pair(i.r1)?;
    let product = s.gr[i.r2 as usize] as i64 as i128 * s.gr[i.r3 as usize] as i64 as i128;
    set_pair(s, W64, i.r1, (product >> 64) as u64, product as u64);
    Ok(())
}

/// The product in 32 or 64 bits. CC: 0 zero, 1 negative, 2 positive, 3 overflow.
fn multiply_single_cc(s: &mut State, width: Width, r1: u8, a: u64, b: u64) -> Result<(), Interruption> {
    let (product, fits) = if width == W32 {
        let (v, overflow) = (a as i32).overflowing_mul(b as i32);
        (v as i64, !overflow)
    } else {
        let (v, overflow) = (a as i64).overflowing_mul(b as i64);
        (v, !overflow)
    };
    s.set_gr(width, r1, product as u64);
    s.cc = if !fits { 3 } else { super::compare_code(product.cmp(&0)) };
    s.check_overflow()
}

/// MSRKC.
pub(crate) fn multiply_single_distinct(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    multiply_single_cc(s, W32, i.r1, s.gr[i.r2 as usize], s.gr[i.r3 as usize])
}

/// MSGRKC.
pub(crate) fn multiply_single_long_distinct(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    multiply_single_cc(s, W64, i.r1, s.gr[i.r2 as usize], s.gr[i.r3 as usize])
}

/// MSC.
pub(crate) fn multiply_single_storage(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let b = storage_32(s, i)?;
    multiply_single_cc(s, W32, i.r1, s.gr[i.r1 as usize], b)
}

/// MSGC.
pub(crate) fn multiply_single_long_storage(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let b = storage_64(s, i)?;
    multiply_single_cc(s, W64, i.r1, s.gr[i.r1 as usize], b)
}

fn divide_32(s: &mut State, i: &Fields, second: Second) -> Result<(), Interruption> {
    pair(i.r1)?;
    let divisor = second(s, i)? as i32 as i64;
    let dividend = (s.gr[i.r1 as usize] << 32 | s.gr[i.r1 as usize + 1] & 0xffff_ffff) as i64;
    let quotient = dividend.checked_div(divisor).filter(|&q| i32::try_from(q).is_ok());
    let Some(quotient) = quotient else {
        return Err(Program::FixedPointDivide.into());
    };
    set_pair(s, W32, i.r1, (dividend % divisor) as u64, quotient as u64);
    Ok(())
}

/// DR: remainder in the even register, quotient in the odd one.
pub(crate) fn divide_register(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    divide_32(s, i, register_32)
}

/// D.
pub(crate) fn divide(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    divide_32(s, i, storage_32)
}

fn divide_logical_32(s: &mut State, i: &Fields, second: Second) -> Result<(), Interruption> {
    pair(i.r1)?;
    let divisor = second(s, i)?;
    let dividend = s.gr[i.r1 as usize] << 32 | s.gr[i.r1 as usize + 1] & 0xffff_ffff;
    let quotient = dividend.checked_div(divisor).filter(|&q| q >> 32 == 0);
    let Some(quotient) = quotient else {
        return Err(Program::FixedPointDivide.into());
    };
    set_pair(s, W32, i.r1, dividend % divisor, quotient);
    Ok(())
}

/// DLR.
pub(crate) fn divide_logical_register(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    divide_logical_32(s, i, register_32)
}

/// DL.
pub(crate) fn divide_logical(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    divide_logical_32(s, i, storage_32)
}

fn divide_logical_64(s: &mut State, i: &Fields, second: Second) -> Result<(), Interruption> {
    pair(i.r1)?;
    let divisor = second(s, i)?;
    let (high, low) = (s.gr[i.r1 as usize], s.gr[i.r1 as usize + 1]);
    if high >= divisor {
        // This includes a divisor of zero: the quotient does not fit.
        return Err(Program::FixedPointDivide.into());
    }
    if high == 0 {
        set_pair(s, W64, i.r1, low % divisor, low / divisor);
    } else {
        let (dividend, divisor) = ((high as u128) << 64 | low as u128, divisor as u128);
        set_pair(s, W64, i.r1, (dividend % divisor) as u64, (dividend / divisor) as u64);
    }
    Ok(())
}

/// DLGR.
pub(crate) fn divide_logical_long_register(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    divide_logical_64(s, i, register_64)
}

/// DLG.
pub(crate) fn divide_logical_long(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    divide_logical_64(s, i, storage_64)
}

fn divide_single(s: &mut State, i: &Fields, divisor: i64) -> Result<(), Interruption> {
    let dividend = s.gr[i.r1 as usize + 1] as i64;
    let (Some(quotient), Some(remainder)) = (dividend.checked_div(divisor), dividend.checked_rem(divisor)) else {
        return Err(Program::FixedPointDivide.into());
    };
    set_pair(s, W64, i.r1, remainder as u64, quotient as u64);
    Ok(())
}

/// DSGR: a 64-bit dividend in the odd register.
pub(crate) fn divide_single_long_register(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    pair(i.r1)?;
    divide_single(s, i, s.gr[i.r2 as usize] as i64)
}

/// DSGFR: DSGR by 32 bits.
pub(crate) fn divide_single_long_by_word_register(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    pair(i.r1)?;
    divide_single(s, i, s.gr[i.r2 as usize] as i32 as i64)
}

/// DSG.
pub(crate) fn divide_single_long(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    pair(i.r1)?;
    let divisor = storage_64(s, i)? as i64;
    divide_single(s, i, divisor)
}

/// DSGF.
pub(crate) fn divide_single_long_by_word(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    pair(i.r1)?;
    let divisor = storage_32(s, i)? as i32 as i64;
    divide_single(s, i, divisor)
}

/// FLOGR: the number of zeros on the left, and the operand without its leftmost one. CC: 0 no one, 2 a one.
pub(crate) fn find_leftmost_one(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    pair(i.r1)?;
    let v = s.gr[i.r2 as usize];
    let zeros = v.leading_zeros();
    let rest = if v == 0 { 0 } else { v & !(1 << 63 >> zeros) };
    set_pair(s, W64, i.r1, zeros as u64, rest);
    s.cc = if v == 0 { 0 } else { 2 };
    Ok(())
}

/// POPCNT: the number of ones in each byte, in that byte; with bit 0 of M3 on, of the whole register. CC: 0 none, 1
/// some.
pub(crate) fn population_count(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let v = s.gr[i.r2 as usize];
    // A modifier came with the third miscellaneous-instruction extension.
    let whole = i.m3 & 8 != 0 && s.has(61);
    s.gr[i.r1 as usize] = if whole {
        v.count_ones() as u64
    } else {
        u64::from_ne_bytes(v.to_ne_bytes().map(|byte| byte.count_ones() as u8))
    };
    s.cc = (v != 0) as u8;
    Ok(())
}
