//! Packed decimal numbers in vector registers (POP, chapter 25): a register is a number of 31 digits with its sign.

use super::transfer::length;
use super::*;
use crate::dfp::value::{Wide, power};
use crate::general::{DECIMAL_DATA, pack_number, sign_of, unpack_number};
use crate::prelude::*;
use base::layout::U128;
use zerocopy::IntoBytes;

/// Digits of a number.
const DIGITS: u32 = 31;

/// Vector-packed-decimal-enhancement facility: CONVERT TO BINARY has M4.
const ENHANCEMENT: u32 = 152;

/// Bits of I3 or I4, as instructions have them.
mod control {
    /// Invalid or overflow: decimal overflow does not interrupt.
    pub(super) const OVERFLOW_MASK: u8 = 0x80;
    /// No meaning.
    pub(super) const UNASSIGNED: u8 = 0x60;
    /// How many digits the result has, or how far to shift.
    pub(super) const COUNT: u8 = 0x1f;
    /// Of SHIFT AND ROUND DECIMAL: the digit that rounds is 5, not 0.
    pub(super) const ROUND: u8 = 0x40;
}

/// Bits of M5 and its kin.
mod modifier {
    /// The second operand counts as positive.
    pub(super) const SECOND_POSITIVE: u8 = 8;
    /// The third does.
    pub(super) const THIRD_POSITIVE: u8 = 4;
    /// The result is positive, its sign 1111.
    pub(super) const RESULT_POSITIVE: u8 = 2;
    /// The condition code is set.
    pub(super) const SET_CODE: u8 = 1;
}

/// A number.
#[derive(Clone, Copy, Debug)]
struct Number {
    negative: bool,
    magnitude: u128,
}

/// The number in a vector register. The sign of one that counts as positive is not looked at.
fn number(vector: u128, positive: bool) -> Result<Number, Interruption> {
    let vector = if positive { vector & !15 | 0xc } else { vector };
    let (negative, magnitude) = unpack_number(vector)?;
    Ok(Number { negative, magnitude })
}

/// The second operand and the third, and the modifiers.
fn two(s: &State, i: &Fields) -> Result<(Number, Number), Interruption> {
    let a = number(s.vr(i.r2), i.m5() & modifier::SECOND_POSITIVE != 0)?;
    let b = number(s.vr(i.r3), i.m5() & modifier::THIRD_POSITIVE != 0)?;
    Ok((a, b))
}

/// How a result is delivered.
struct Delivery {
    /// Digits that it may have.
    digits: u32,
    /// Overflow does not interrupt.
    masked: bool,
    modifiers: u8,
}

impl Delivery {
    /// As I3 or I4 says, with the count of digits.
    fn counted(immediate: u8, unassigned: u8, modifiers: u8) -> Result<Delivery, Interruption> {
        let digits = u32::from(immediate & control::COUNT);
        specified(digits != 0 && immediate & unassigned == 0)?;
        Ok(Delivery { digits, masked: immediate & control::OVERFLOW_MASK != 0, modifiers })
    }

    /// The same where the count is how far to shift.
    fn whole(immediate: u8, modifiers: u8) -> Result<Delivery, Interruption> {
        specified(immediate & control::UNASSIGNED == 0)?;
        Ok(Delivery { digits: DIGITS, masked: immediate & control::OVERFLOW_MASK != 0, modifiers })
    }

    /// Puts a result into the register of the first operand. `overflow`: digits are lost already. CC, if it is set: 0
    /// zero, 1 less than zero, 2 greater than zero, 3 overflow.
    fn put(self, s: &mut State, i: &Fields, n: Number, overflow: bool) -> Done {
        let magnitude = n.magnitude % power(self.digits);
        let overflow = overflow || magnitude != n.magnitude;
        // A zero is positive, unless overflow made it of something else.
        let negative = n.negative && (magnitude != 0 || overflow);
        let vector = match self.modifiers & modifier::RESULT_POSITIVE != 0 {
            true => pack_number(false, magnitude) | 15,
            false => pack_number(negative, magnitude),
        };
        s.set_vr(i.r1, vector);
        if self.modifiers & modifier::SET_CODE != 0 {
            let negative = negative && self.modifiers & modifier::RESULT_POSITIVE == 0;
            s.cc = match (overflow, magnitude, negative) {
                (true, ..) => 3,
                (_, 0, _) => 0,
                (_, _, true) => 1,
                (_, _, false) => 2,
            };
        }
        if overflow && !self.masked { crate::decimal::overflow(s) } else { Ok(()) }
    }
}

/// The sum of two numbers.
fn sum(a: Number, b: Number) -> Number {
    match a.negative == b.negative {
        true => Number { negative: a.negative, magnitude: a.magnitude + b.magnitude },
        false if a.magnitude >= b.magnitude => Number { negative: a.negative, magnitude: a.magnitude - b.magnitude },
        false => Number { negative: b.negative, magnitude: b.magnitude - a.magnitude },
    }
}

/// VAP. VECTOR ADD DECIMAL.
pub(crate) fn add_packed(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let delivery = Delivery::counted(i.i4(), control::UNASSIGNED, i.m5())?;
    let (a, b) = two(s, i)?;
    delivery.put(s, i, sum(a, b), false)
}

/// VSP. VECTOR SUBTRACT DECIMAL.
pub(crate) fn subtract_packed(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let delivery = Delivery::counted(i.i4(), control::UNASSIGNED, i.m5())?;
    let (a, b) = two(s, i)?;
    delivery.put(s, i, sum(a, Number { negative: !b.negative, ..b }), false)
}

/// The rightmost 31 digits of a longer number, and whether others are lost.
fn rightmost(wide: Wide) -> (u128, bool) {
    wide.rightmost(DIGITS)
}

/// VMP. VECTOR MULTIPLY DECIMAL.
pub(crate) fn multiply_packed(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let delivery = Delivery::counted(i.i4(), control::UNASSIGNED, i.m5())?;
    let (a, b) = two(s, i)?;
    let (magnitude, overflow) = rightmost(Wide::product(a.magnitude, b.magnitude));
    delivery.put(s, i, Number { negative: a.negative != b.negative, magnitude }, overflow)
}

/// VMSP. VECTOR MULTIPLY AND SHIFT DECIMAL: the product of up to 62 digits goes to the right.
pub(crate) fn multiply_and_shift_packed(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let delivery = Delivery::whole(i.i4(), i.m5())?;
    let (a, b) = two(s, i)?;
    let product = Wide::product(a.magnitude, b.magnitude).shifted_right(u32::from(i.i4() & control::COUNT));
    let (magnitude, overflow) = rightmost(product);
    delivery.put(s, i, Number { negative: a.negative != b.negative, magnitude }, overflow)
}

/// The rightmost 31 digits of the quotient of `a`, with so many zeros after it, and `b`; and whether others are lost.
fn quotient(a: u128, zeros: u32, b: u128) -> (u128, bool) {
    /// Digits by which a number of 31 digits can grow.
    const STEP: u32 = 7;
    let (mut quotient, mut rest) = (a / b, a % b);
    let (mut left, mut overflow) = (zeros, false);
    while left > 0 {
        let by = left.min(STEP);
        let next = rest * power(by);
        let longer = quotient * power(by) + next / b;
        (quotient, rest) = (longer % power(DIGITS), next % b);
        overflow |= quotient != longer;
        left -= by;
    }
    (quotient, overflow)
}

/// The operands of a division.
fn dividend_and_divisor(s: &State, i: &Fields) -> Result<(Number, Number), Interruption> {
    let (a, b) = two(s, i)?;
    if b.magnitude == 0 { Err(Program::DecimalDivide.into()) } else { Ok((a, b)) }
}

/// VDP. VECTOR DIVIDE DECIMAL: the quotient, cut off.
pub(crate) fn divide_packed(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let delivery = Delivery::counted(i.i4(), control::UNASSIGNED, i.m5())?;
    let (a, b) = dividend_and_divisor(s, i)?;
    let magnitude = a.magnitude / b.magnitude;
    delivery.put(s, i, Number { negative: a.negative != b.negative, magnitude }, false)
}

/// VRP. VECTOR REMAINDER DECIMAL. It has the sign of the dividend.
pub(crate) fn remainder_packed(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let delivery = Delivery::counted(i.i4(), control::UNASSIGNED, i.m5())?;
    let (a, b) = dividend_and_divisor(s, i)?;
    delivery.put(s, i, Number { negative: a.negative, magnitude: a.magnitude % b.magnitude }, false)
}

/// VSDP. VECTOR SHIFT AND DIVIDE DECIMAL: zeros follow the dividend.
pub(crate) fn shift_and_divide_packed(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let delivery = Delivery::whole(i.i4(), i.m5())?;
    let (a, b) = dividend_and_divisor(s, i)?;
    let (magnitude, overflow) = quotient(a.magnitude, u32::from(i.i4() & control::COUNT), b.magnitude);
    delivery.put(s, i, Number { negative: a.negative != b.negative, magnitude }, overflow)
}

/// VCP. VECTOR COMPARE DECIMAL. CC 0 equal, 1 first operand low, 2 first operand high.
pub(crate) fn compare_packed(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let a = number(s.vr(i.r1), i.m3 & modifier::SECOND_POSITIVE != 0)?;
    let b = number(s.vr(i.r2), i.m3 & modifier::THIRD_POSITIVE != 0)?;
    let difference = sum(a, Number { negative: !b.negative, ..b });
    s.cc = match difference {
        Number { magnitude: 0, .. } => 0,
        Number { negative: true, .. } => 1,
        _ => 2,
    };
    Ok(())
}

/// VTP. VECTOR TEST DECIMAL. CC 0 digits and sign are valid, 1 the sign is not, 2 a digit is not, 3 neither.
pub(crate) fn test_packed(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let vector = s.vr(i.r1);
    let sign = sign_of(vector as u8).is_none();
    let digits = unpack_number(vector & !15 | 0xc).is_err();
    s.cc = u8::from(digits) * 2 + u8::from(sign);
    Ok(())
}

/// VSRP. VECTOR SHIFT AND ROUND DECIMAL: to the left by I4, or to the right by as much as it is below zero. To the
/// right, 5 may be added to the digit that is cut off last.
pub(crate) fn shift_and_round_packed(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let delivery = Delivery::counted(i.i3, control::UNASSIGNED & !control::ROUND, i.m5())?;
    let n = number(s.vr(i.r2), i.m5() & modifier::SECOND_POSITIVE != 0)?;
    let by = i.i4() as i8;
    let (magnitude, overflow) = match (u32::from(by.unsigned_abs()), by < 0) {
        (0, _) => (n.magnitude, false),
        (by @ 1..=DIGITS, false) => rightmost(Wide::shifted(n.magnitude, by)),
        (_, false) => (0, n.magnitude != 0),
        (by @ 1..=DIGITS, true) => {
            let round = if i.i3 & control::ROUND != 0 { 5 } else { 0 };
            ((n.magnitude / power(by - 1) + round) / 10, false)
        }
        _ => (0, false),
    };
    delivery.put(s, i, Number { magnitude, ..n }, overflow)
}

/// Bits of I4 of PERFORM SIGN OPERATION DECIMAL.
mod sign_control {
    /// Digits are not validated.
    pub(super) const NO_VALIDATION: u8 = 0x80;
    /// A zero may be negative.
    pub(super) const NEGATIVE_ZERO: u8 = 0x40;
    /// What becomes of the sign: kept, turned around, made positive, made negative.
    pub(super) const OPERATION: u8 = 0x0c;
    /// A plus sign is 1111, not 1100.
    pub(super) const PLUS_OF_ONES: u8 = 0x02;
    /// The sign is validated.
    pub(super) const VALIDATE_SIGN: u8 = 0x01;
}

/// VPSOP. VECTOR PERFORM SIGN OPERATION DECIMAL.
pub(crate) fn perform_sign_operation(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let delivery = Delivery::counted(i.i3, control::UNASSIGNED, i.m5())?;
    let vector = s.vr(i.r2);
    let has = |bit: u8| i.i4() & bit != 0;
    if !has(sign_control::NO_VALIDATION) {
        unpack_number(vector & !15 | 0xc)?;
    }
    let sign = sign_of(vector as u8);
    if has(sign_control::VALIDATE_SIGN) && sign.is_none() {
        return Err(DECIMAL_DATA);
    }
    let negative = sign == Some(true);
    let negative = match (i.i4() & sign_control::OPERATION) >> 2 {
        0 => negative,
        1 => !negative,
        2 => false,
        _ => true,
    };
    // Digits that are not validated need not be digits.
    let digits = vector >> 4;
    let kept = if delivery.digits == DIGITS { digits } else { digits & ((1 << (4 * delivery.digits)) - 1) };
    let overflow = kept != digits;
    let negative = negative && (kept != 0 || overflow || has(sign_control::NEGATIVE_ZERO));
    let code = match (negative, has(sign_control::PLUS_OF_ONES)) {
        (true, _) => 0xd,
        (false, false) => 0xc,
        (false, true) => 0xf,
    };
    s.set_vr(i.r1, kept << 4 | code);
    if i.m5() & modifier::SET_CODE != 0 {
        s.cc = match (overflow, kept, negative) {
            (true, ..) => 3,
            (_, 0, _) => 0,
            (_, _, true) => 1,
            (_, _, false) => 2,
        };
    }
    if overflow && !delivery.masked { crate::decimal::overflow(s) } else { Ok(()) }
}

/// VCVB, VCVBG. VECTOR CONVERT TO BINARY. CC, if it is set: 0 converted, 3 too large, and the low bits are the result.
/// With the enhancement facility M4 says whether that may interrupt, and whether the result has no sign.
pub(crate) fn to_binary<T: Element>(s: &mut State, i: &Fields) -> Done {
    const OVERFLOW_MASK: u8 = 8;
    const LOGICAL: u8 = 1;
    s.vector_allowed()?;
    let n = number(s.vr(i.r2), i.m3 & modifier::SECOND_POSITIVE != 0)?;
    let m4 = if s.has(ENHANCEMENT) { i.m4 } else { 0 };
    let value = if n.negative { -(n.magnitude as i128) } else { n.magnitude as i128 };
    let (least, most) = match m4 & LOGICAL != 0 {
        true => (0, (1i128 << T::BITS) - 1),
        false => (-1i128 << (T::BITS - 1), (1i128 << (T::BITS - 1)) - 1),
    };
    let overflow = !(least..=most).contains(&value);
    let width = if T::BITS == 32 { W32 } else { W64 };
    s.set_gr(width, i.r1, value as u64);
    if i.m3 & modifier::SET_CODE != 0 {
        s.cc = if overflow { 3 } else { 0 };
    }
    match overflow && m4 & OVERFLOW_MASK == 0 && s.program_mask & 8 != 0 {
        true => Err(Program::FixedPointOverflow.into()),
        false => Ok(()),
    }
}

/// VCVD, VCVDG. VECTOR CONVERT TO DECIMAL. M4: the source has no sign, the result is positive, the condition code is
/// set. CC 0 converted, 3 overflow.
pub(crate) fn to_decimal<T: Element>(s: &mut State, i: &Fields) -> Done {
    const LOGICAL: u8 = 8;
    s.vector_allowed()?;
    let delivery = Delivery::counted(i.i3, control::UNASSIGNED, i.m4 & modifier::RESULT_POSITIVE)?;
    let register = s.gr[(i.r2 & 15) as usize];
    let value = match (T::BITS, i.m4 & LOGICAL != 0) {
        (32, true) => i128::from(register as u32),
        (32, false) => i128::from(register as i32),
        (_, true) => i128::from(register),
        (_, false) => i128::from(register as i64),
    };
    let magnitude = value.unsigned_abs();
    let fits = magnitude < power(delivery.digits);
    let result = delivery.put(s, i, Number { negative: value < 0, magnitude }, false);
    if i.m4 & modifier::SET_CODE != 0 {
        s.cc = if fits { 0 } else { 3 };
    }
    result
}

/// VLIP. VECTOR LOAD IMMEDIATE DECIMAL: four digits, so many groups of four from the right as I3 says; its first bit is
/// the sign.
pub(crate) fn load_immediate_packed(s: &mut State, i: &Fields) -> Done {
    const NEGATIVE: u8 = 8;
    s.vector_allowed()?;
    let digits = i.imm as u128 & 0xffff;
    unpack_number(digits << 4 | 0xc)?;
    let sign = if i.i3 & NEGATIVE != 0 { 0xd } else { 0xc };
    s.set_vr(i.r1, digits << (16 * (i.i3 & 7)) << 4 | sign);
    Ok(())
}

/// The number of bytes that I3 designates, `most` at most.
fn immediate_length(i: &Fields, most: usize) -> Result<usize, Interruption> {
    let length = usize::from(i.i3) + 1;
    specified(length <= most)?;
    Ok(length)
}

/// The most zoned digits.
const ZONED: usize = DIGITS as usize;

/// VPKZ. VECTOR PACK ZONED. Zones and digits are not looked at; the last zone is the sign.
pub(crate) fn pack_zoned_to_vector(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let length = immediate_length(i, ZONED)?;
    let at = s.address(0, i.b2, i.d2);
    let mut bytes = [0; ZONED];
    s.read_bytes(at, &mut bytes[..length])?;
    let digits = bytes[..length].iter().fold(0u128, |digits, byte| digits << 4 | u128::from(byte & 15));
    s.set_vr(i.r1, digits << 4 | u128::from(bytes[length - 1] >> 4));
    Ok(())
}

/// VUPKZ. VECTOR UNPACK ZONED: the rightmost digits, which are not looked at, with the sign as the last zone.
pub(crate) fn unpack_vector_to_zoned(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let length = immediate_length(i, ZONED)?;
    let at = s.address(0, i.b2, i.d2);
    let vector = s.vr(i.r1);
    let mut bytes = [0; ZONED];
    for (n, byte) in bytes[..length].iter_mut().rev().enumerate() {
        let zone = if n == 0 { vector as u8 & 15 } else { 15 };
        *byte = zone << 4 | (vector >> (4 * n + 4)) as u8 & 15;
    }
    s.write_bytes(at, &bytes[..length])
}

/// Loads so many bytes into the right end of a vector register, the rest zero.
fn load_rightmost(s: &mut State, i: &Fields, length: usize) -> Done {
    let at = s.address(0, i.b2, i.d2);
    let mut vector = U128::ZERO;
    s.read_bytes(at, &mut vector.as_mut_bytes()[16 - length..])?;
    s.set_vr(i.r1, vector.get());
    Ok(())
}

/// Stores so many bytes from the right end of a vector register.
fn store_rightmost(s: &mut State, i: &Fields, length: usize) -> Done {
    let at = s.address(0, i.b2, i.d2);
    let vector = U128::new(s.vr(i.r1));
    s.write_bytes(at, &vector.as_bytes()[16 - length..])
}

/// VLRL. VECTOR LOAD RIGHTMOST WITH LENGTH, I3.
pub(crate) fn load_rightmost_immediate(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let length = immediate_length(i, 16)?;
    load_rightmost(s, i, length)
}

/// VSTRL. VECTOR STORE RIGHTMOST WITH LENGTH, I3.
pub(crate) fn store_rightmost_immediate(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let length = immediate_length(i, 16)?;
    store_rightmost(s, i, length)
}

/// VLRLR. The length is in general register R3.
pub(crate) fn load_rightmost_register(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    load_rightmost(s, i, length(s, i.r3))
}

/// VSTRLR. Likewise.
pub(crate) fn store_rightmost_register(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    store_rightmost(s, i, length(s, i.r3))
}
