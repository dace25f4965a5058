//! Conversions between decimal floating point and packed or zoned decimal numbers, in general registers and in storage
//! (POP, chapter 20).

use super::operand::{Operand, dfp_allowed, even};
use super::value::{Number, power};
use crate::bfp::operand::Done;
use crate::general::{DECIMAL_DATA, are_digits, digits_of, number_of, sign_of};
use crate::prelude::*;

/// Digits in a doubleword.
const DOUBLEWORD: u32 = 16;

/// The rightmost 32 digits of a number, four bits each.
fn packed_digits(coefficient: u128) -> u128 {
    let half = |number: u128| u128::from(digits_of((number % power(DOUBLEWORD)) as u64));
    half(coefficient / power(DOUBLEWORD)) << 64 | half(coefficient)
}

/// The number that 32 digits are.
fn unpacked(digits: u128) -> Result<u128, Interruption> {
    let (left, right) = ((digits >> 64) as u64, digits as u64);
    match are_digits(left) && are_digits(right) {
        true => Ok(u128::from(number_of(left)) * power(DOUBLEWORD) + u128::from(number_of(right))),
        false => Err(DECIMAL_DATA),
    }
}

/// Digits in one general register, or in two that are a pair.
pub(crate) trait Registers: Operand {
    fn general(cpu: &State, r: u8) -> Result<u128, Interruption>;
    fn set_general(cpu: &mut State, r: u8, digits: u128);
    /// Whether the register number will do.
    fn check_general(r: u8) -> Done;
}

impl Registers for u64 {
    fn check_general(_: u8) -> Done {
        Ok(())
    }
    fn general(cpu: &State, r: u8) -> Result<u128, Interruption> {
        Ok(cpu.gr[(r & 15) as usize].into())
    }
    fn set_general(cpu: &mut State, r: u8, digits: u128) {
        cpu.gr[(r & 15) as usize] = digits as u64;
    }
}

impl Registers for u128 {
    fn check_general(r: u8) -> Done {
        even(r)
    }
    fn general(cpu: &State, r: u8) -> Result<u128, Interruption> {
        even(r)?;
        Ok(u128::from(cpu.gr[(r & 14) as usize]) << 64 | u128::from(cpu.gr[(r & 14 | 1) as usize]))
    }
    fn set_general(cpu: &mut State, r: u8, digits: u128) {
        cpu.gr[(r & 14) as usize] = (digits >> 64) as u64;
        cpu.gr[(r & 14 | 1) as usize] = digits as u64;
    }
}

/// CDUTR, CXUTR. CONVERT FROM UNSIGNED PACKED.
pub(crate) fn from_unsigned<D: Registers>(cpu: &mut State, i: &Fields) -> Done {
    dfp_allowed(cpu)?;
    D::check(i.r1)?;
    let coefficient = unpacked(D::general(cpu, i.r2)?)?;
    D::encode(Number::finite(false, coefficient, 0)).set(cpu, i.r1);
    Ok(())
}

/// CDSTR, CXSTR. CONVERT FROM SIGNED PACKED.
pub(crate) fn from_signed<D: Registers>(cpu: &mut State, i: &Fields) -> Done {
    dfp_allowed(cpu)?;
    D::check(i.r1)?;
    let packed = D::general(cpu, i.r2)?;
    let coefficient = unpacked(packed >> 4)?;
    let negative = sign_of(packed as u8).ok_or(DECIMAL_DATA)?;
    D::encode(Number::finite(negative, coefficient, 0)).set(cpu, i.r1);
    Ok(())
}

/// CUDTR, CUXTR. CONVERT TO UNSIGNED PACKED: the rightmost digits, of what is no number as well.
pub(crate) fn to_unsigned<D: Registers>(cpu: &mut State, i: &Fields) -> Done {
    dfp_allowed(cpu)?;
    D::check(i.r2)?;
    D::check_general(i.r1)?;
    D::set_general(cpu, i.r1, packed_digits(D::get(cpu, i.r2).decode().coefficient));
    Ok(())
}

/// CSDTR, CSXTR. CONVERT TO SIGNED PACKED: the rightmost digits and the sign. Bit 3 of M4 makes a plus sign 1111.
pub(crate) fn to_signed<D: Registers>(cpu: &mut State, i: &Fields) -> Done {
    dfp_allowed(cpu)?;
    D::check(i.r2)?;
    D::check_general(i.r1)?;
    let number = D::get(cpu, i.r2).decode();
    let sign = sign_code(number.negative, i.m4 & 1 != 0);
    D::set_general(cpu, i.r1, packed_digits(number.coefficient) << 4 | u128::from(sign));
    Ok(())
}

/// The code of a sign.
fn sign_code(negative: bool, plus_of_ones: bool) -> u8 {
    match (negative, plus_of_ones) {
        (true, _) => 0xd,
        (false, false) => 0xc,
        (false, true) => 0xf,
    }
}

/// M3 of the instructions below.
mod modifier {
    /// There is a sign.
    pub(super) const SIGNED: u8 = 8;
    /// Zones are 0011, not 1111.
    pub(super) const ASCII_ZONES: u8 = 4;
    /// A plus sign is 1111, not 1100.
    pub(super) const PLUS_OF_ONES: u8 = 2;
    /// A zero is never negative.
    pub(super) const POSITIVE_ZERO: u8 = 1;
}

/// How numbers lie in storage: a digit in each byte, or two.
pub(crate) trait Layout {
    /// One less than the most bytes, of a long and of an extended number.
    const LONG: u8;
    const EXTENDED: u8;
    /// How many digits so many bytes have.
    fn digits(bytes: usize, signed: bool) -> usize;
    /// Digits, the leftmost first, and the code of the sign, into bytes.
    fn lay(digits: &[u8], sign: Option<u8>, m3: u8, bytes: &mut [u8]);
    /// The other way.
    fn pick(bytes: &[u8], signed: bool, digits: &mut [u8]) -> Option<u8>;
}

/// Zoned numbers. The sign is the zone of the last digit.
pub(crate) struct Zoned;

impl Layout for Zoned {
    const LONG: u8 = 15;
    const EXTENDED: u8 = 33;

    fn digits(bytes: usize, _: bool) -> usize {
        bytes
    }

    fn lay(digits: &[u8], sign: Option<u8>, m3: u8, bytes: &mut [u8]) {
        let zone = if m3 & modifier::ASCII_ZONES != 0 { 0x30 } else { 0xf0 };
        for (byte, digit) in bytes.iter_mut().zip(digits) {
            *byte = zone | digit;
        }
        if let (Some(sign), Some(last)) = (sign, bytes.last_mut()) {
            *last = sign << 4 | *last & 15;
        }
    }

    fn pick(bytes: &[u8], signed: bool, digits: &mut [u8]) -> Option<u8> {
        for (digit, byte) in digits.iter_mut().zip(bytes) {
            *digit = byte & 15;
        }
        if signed { bytes.last().map(|last| last >> 4) } else { None }
    }
}

/// Packed numbers. The sign stands where the last digit would.
pub(crate) struct Packed;

impl Layout for Packed {
    const LONG: u8 = 8;
    const EXTENDED: u8 = 17;

    fn digits(bytes: usize, signed: bool) -> usize {
        2 * bytes - usize::from(signed)
    }

    fn lay(digits: &[u8], sign: Option<u8>, _: u8, bytes: &mut [u8]) {
        let mut codes = digits.iter().copied().chain(sign);
        for byte in bytes {
            let (left, right) = (codes.next(), codes.next());
            *byte = left.unwrap_or_default() << 4 | right.unwrap_or_default();
        }
    }

    fn pick(bytes: &[u8], signed: bool, digits: &mut [u8]) -> Option<u8> {
        for (n, digit) in digits.iter_mut().enumerate() {
            *digit = bytes[n / 2] >> (4 * (1 - n % 2)) & 15;
        }
        if signed { bytes.last().map(|last| last & 15) } else { None }
    }
}

/// The most bytes that an operand has.
const BYTES: usize = 34;
/// The most digits.
const DIGITS: usize = 36;

/// How many bytes the operand in storage has.
fn length<D: Operand, L: Layout>(i: &Fields) -> Result<usize, Interruption> {
    let most = if <D as super::value::Decimal>::DIGITS == 34 { L::EXTENDED } else { L::LONG };
    if i.l > most { Err(Program::Specification.into()) } else { Ok(usize::from(i.l) + 1) }
}

/// CZDT, CZXT (CONVERT TO ZONED) and CPDT, CPXT (CONVERT TO PACKED): the rightmost digits of the first operand, and its
/// sign if M3 says so. CC 0 zero, 1 less than zero, 2 greater than zero, 3 infinity, NaN, or digits that are lost.
pub(crate) fn to_storage<D: Operand, L: Layout>(cpu: &mut State, i: &Fields) -> Done {
    dfp_allowed(cpu)?;
    D::check(i.r1)?;
    let length = length::<D, L>(i)?;
    let at = cpu.address(0, i.b2, i.d2);
    let number = D::get(cpu, i.r1).decode();
    let signed = i.m3 & modifier::SIGNED != 0;
    let mut digits = [0; DIGITS];
    let digits = &mut digits[..L::digits(length, signed)];
    let mut left = number.coefficient;
    for digit in digits.iter_mut().rev() {
        *digit = (left % 10) as u8;
        left /= 10;
    }
    let zero = digits.iter().all(|&digit| digit == 0);
    let negative = number.negative && !(zero && i.m3 & modifier::POSITIVE_ZERO != 0);
    let sign = signed.then(|| sign_code(negative, i.m3 & modifier::PLUS_OF_ONES != 0));
    let mut bytes = [0; BYTES];
    L::lay(digits, sign, i.m3, &mut bytes[..length]);
    cpu.write_bytes(at, &bytes[..length])?;
    cpu.cc = match () {
        _ if !number.is_finite() || left != 0 => 3,
        _ if number.is_zero() => 0,
        _ if number.negative => 1,
        _ => 2,
    };
    Ok(())
}

/// CDZT, CXZT (CONVERT FROM ZONED) and CDPT, CXPT (CONVERT FROM PACKED). M3 says whether there is a sign. Digits that
/// the format has no room for must be zeros.
pub(crate) fn from_storage<D: Operand, L: Layout>(cpu: &mut State, i: &Fields) -> Done {
    dfp_allowed(cpu)?;
    D::check(i.r1)?;
    let length = length::<D, L>(i)?;
    let at = cpu.address(0, i.b2, i.d2);
    let mut bytes = [0; BYTES];
    cpu.read_bytes(at, &mut bytes[..length])?;
    let signed = i.m3 & modifier::SIGNED != 0;
    let mut digits = [0; DIGITS];
    let digits = &mut digits[..L::digits(length, signed)];
    let sign = L::pick(&bytes[..length], signed, digits);
    let negative = match sign {
        Some(sign) => sign_of(sign).ok_or(DECIMAL_DATA)?,
        None => false,
    };
    let most = <D as super::value::Decimal>::DIGITS as usize;
    let lost = &digits[..digits.len().saturating_sub(most)];
    if digits.iter().any(|&digit| digit > 9) || lost.iter().any(|&digit| digit != 0) {
        return Err(DECIMAL_DATA);
    }
    let coefficient = digits.iter().fold(0, |number: u128, &digit| number * 10 + u128::from(digit));
    D::encode(Number::finite(negative, coefficient, 0)).set(cpu, i.r1);
    Ok(())
}
