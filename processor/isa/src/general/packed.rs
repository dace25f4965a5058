//! Conversions between binary, packed decimal, and characters: CVB, CVD, PACK, UNPK and their kin (POP, chapter 7;
//! "Decimal-number formats" in chapter 8).

use super::{fetch_number, store_number};
use crate::prelude::*;

/// A data exception for decimal operands: code 0.
pub(crate) const DECIMAL_DATA: Interruption = Interruption::Data(0);

/// The sign that a code stands for: `None` if it is a digit.
pub(crate) fn sign_of(code: u8) -> Option<bool> {
    match code & 15 {
        0xb | 0xd => Some(true),
        0xa | 0xc | 0xe | 0xf => Some(false),
        _ => None,
    }
}

/// Sixteen packed digits that are all digits.
pub(crate) fn are_digits(digits: u64) -> bool {
    // More than 9 is 8 and 4, or 8 and 2.
    digits & (digits << 1 | digits << 2) & 0x8888_8888_8888_8888 == 0
}

/// The number that sixteen packed digits are: neighbours are put together, four times.
pub(crate) fn number_of(digits: u64) -> u64 {
    const PAIRS: u64 = 0x0f0f_0f0f_0f0f_0f0f;
    const FOURS: u64 = 0x00ff_00ff_00ff_00ff;
    const EIGHTS: u64 = 0x0000_ffff_0000_ffff;
    let v = digits - (digits >> 4 & PAIRS) * 6;
    let v = (v & FOURS) + (v >> 8 & FOURS) * 100;
    let v = (v & EIGHTS) + (v >> 16 & EIGHTS) * 10_000;
    (v & 0xffff_ffff) + (v >> 32) * 100_000_000
}

/// The other way, of a number under 10^16: halves are divided, four times.
pub(crate) fn digits_of(number: u64) -> u64 {
    const HALVES: u64 = 0x0000_ffff_0000_ffff;
    const BYTES: u64 = 0x00ff_00ff_00ff_00ff;
    let (left, right) = (number / 100_000_000, number % 100_000_000);
    // Quotient and remainder side by side: what was a number n becomes n + q (place of q - divisor).
    let quotients = (left / 10_000) << 32 | right / 10_000;
    let v = (left << 32 | right) + quotients * ((1 << 16) - 10_000);
    let hundreds = |v: u64| (v & HALVES) * 5243 >> 19 & 0x0000_007f_0000_007f;
    let v = v + (hundreds(v) | hundreds(v >> 16) << 16) * ((1 << 8) - 100);
    let tens = |v: u64| (v & BYTES) * 103 >> 10 & 0x000f_000f_000f_000f;
    v + (tens(v) | tens(v >> 8) << 8) * ((1 << 4) - 10)
}

const SIXTEEN_DIGITS: u128 = 10_000_000_000_000_000;

/// The value of packed digits with their sign: whether it is negative, and its size.
pub(crate) fn unpack_number(all: u128) -> Result<(bool, u128), Interruption> {
    let (left, right) = ((all >> 68) as u64, (all >> 4) as u64);
    if !are_digits(left) || !are_digits(right) {
        return Err(DECIMAL_DATA);
    }
    Ok((sign_of(all as u8).ok_or(DECIMAL_DATA)?, number_of_digits(all >> 4)))
}

/// The number that up to 32 digits are.
pub(crate) fn number_of_digits(digits: u128) -> u128 {
    let (left, right) = ((digits >> 64) as u64, digits as u64);
    let size = u128::from(number_of(right));
    // Most numbers are short.
    if left == 0 { size } else { size + u128::from(number_of(left)) * SIXTEEN_DIGITS }
}

/// Packed digits of `value`, with the preferred sign codes; digits that do not fit are lost.
pub(crate) fn pack_number(negative: bool, value: u128) -> u128 {
    let (left, right) = match u64::try_from(value) {
        Ok(value) if u128::from(value) < SIXTEEN_DIGITS => (0, value),
        _ => ((value / SIXTEEN_DIGITS % SIXTEEN_DIGITS) as u64, (value % SIXTEEN_DIGITS) as u64),
    };
    let digits = u128::from(digits_of(left)) << 64 | u128::from(digits_of(right));
    digits << 4 | if negative { 0xd } else { 0xc }
}

/// CVB, CVBY. A value that 32 bits do not hold leaves its low bits and is a fixed-point-divide exception.
pub(crate) fn convert_to_binary(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = s.address(i.x2, i.b2, i.d2);
    let (negative, value) = unpack_number(s.load_u64(at)?.into())?;
    let value = if negative { -(value as i128) } else { value as i128 };
    s.set_gr(W32, i.r1, value as u64);
    if i32::try_from(value).is_err() { Err(Program::FixedPointDivide.into()) } else { Ok(()) }
}

/// CVBG: 16 bytes to 64 bits. Too large a value is a fixed-point-divide exception and nothing changes.
pub(crate) fn convert_to_binary_long(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = s.address(i.x2, i.b2, i.d2);
    let (negative, value) = unpack_number(fetch_number(s, at, 16)?)?;
    let value = if negative { -(value as i128) } else { value as i128 };
    match i64::try_from(value) {
        Ok(v) => {
            s.gr[i.r1 as usize] = v as u64;
            Ok(())
        }
        Err(_) => Err(Program::FixedPointDivide.into()),
    }
}

/// CVD, CVDY.
pub(crate) fn convert_to_decimal(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = s.address(i.x2, i.b2, i.d2);
    let v = s.gr[i.r1 as usize] as i32;
    s.store_u64(at, pack_number(v < 0, v.unsigned_abs() as u128) as u64)
}

/// CVDG.
pub(crate) fn convert_to_decimal_long(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = s.address(i.x2, i.b2, i.d2);
    let v = s.gr[i.r1 as usize] as i64;
    store_number(s, at, 16, pack_number(v < 0, v.unsigned_abs() as u128))
}

/// The digits in sixteen bytes with zones.
fn without_zones(bytes: u128) -> u64 {
    let half = |v: u64| {
        let v = v & 0x0f0f_0f0f_0f0f_0f0f;
        let v = (v | v >> 4) & 0x00ff_00ff_00ff_00ff;
        let v = (v | v >> 8) & 0x0000_ffff_0000_ffff;
        (v | v >> 16) & 0xffff_ffff
    };
    half((bytes >> 64) as u64) << 32 | half(bytes as u64)
}

/// The other way; zones are ones.
fn with_zones(digits: u64) -> u128 {
    let half = |v: u64| {
        let v = (v | v << 16) & 0x0000_ffff_0000_ffff;
        let v = (v | v << 8) & 0x00ff_00ff_00ff_00ff;
        (v | v << 4) & 0x0f0f_0f0f_0f0f_0f0f
    };
    let digits = u128::from(half(digits >> 32)) << 64 | u128::from(half(digits & 0xffff_ffff));
    digits | 0xf0f0_f0f0_f0f0_f0f0_f0f0_f0f0_f0f0_f0f0
}

/// PACK: drops the zones of the second operand, and exchanges the halves of its last byte.
pub(crate) fn pack_zoned(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let Zoned { to, from, l1, l2, bytes, apart } = zoned(s, i)?;
    if apart {
        let packed = u128::from(without_zones(bytes)) << 4 | bytes >> 4 & 15;
        return store_number(s, to, l1 as usize + 1, packed);
    }
    // Right to left: operands that overlap show what was stored before.
    let byte = s.load_u8(s.further(from, l2))?;
    s.store_u8(s.further(to, l1), byte.rotate_left(4))?;
    let mut left = l2;
    for k in (0..l1).rev() {
        let mut byte = 0;
        for shift in [0, 4] {
            if left > 0 {
                left -= 1;
                byte |= (s.load_u8(s.further(from, left))? & 15) << shift;
            }
        }
        s.store_u8(s.further(to, k), byte)?;
    }
    Ok(())
}

/// UNPK: digits get zones of ones, and the halves of the last byte are exchanged.
pub(crate) fn unpack_zoned(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let Zoned { to, from, l1, l2, bytes, apart } = zoned(s, i)?;
    if apart {
        let text = with_zones((bytes >> 4) as u64) & !0xf0 | (bytes & 15) << 4;
        return store_number(s, to, l1 as usize + 1, text);
    }
    // As above.
    let byte = s.load_u8(s.further(from, l2))?;
    s.store_u8(s.further(to, l1), byte.rotate_left(4))?;
    let mut left = l2;
    let mut k = l1;
    while k > 0 {
        let byte = if left > 0 {
            left -= 1;
            s.load_u8(s.further(from, left))?
        } else {
            0
        };
        for digit in [byte & 15, byte >> 4] {
            if k > 0 {
                k -= 1;
                s.store_u8(s.further(to, k), 0xf0 | digit)?;
            }
        }
    }
    Ok(())
}

/// Both operands of PACK or UNPK, known to be accessible.
struct Zoned {
    to: At,
    from: At,
    /// How long they are, less one.
    l1: u64,
    l2: u64,
    /// The second, with zeros on its left.
    bytes: u128,
    /// They do not overlap.
    apart: bool,
}

fn zoned(s: &mut State, i: &Fields) -> Result<Zoned, Interruption> {
    let to = s.address(0, i.b1, i.d1);
    let from = s.address(0, i.b2, i.d2);
    let (l1, l2) = (i.l1() as u64, i.l2() as u64);
    let bytes = fetch_number(s, from, l2 as usize + 1)?;
    s.test_write(to, l1 + 1)?;
    let behind = |a: At, b: At| a.address.wrapping_sub(b.address) & s.address_mask;
    let apart = behind(to, from) > l2 && behind(from, to) > l1;
    Ok(Zoned { to, from, l1, l2, bytes, apart })
}

/// PKA: up to 32 ASCII digits to 31 packed digits with a plus sign.
pub(crate) fn pack_ascii(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    pack_characters(s, i, 1)
}

/// PKU: PKA for two-byte characters.
pub(crate) fn pack_unicode(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    pack_characters(s, i, 2)
}

fn pack_characters(s: &mut State, i: &Fields, size: usize) -> Result<(), Interruption> {
    let len = i.l as usize + 1;
    if len > 32 * size || !len.is_multiple_of(size) {
        return Err(Program::Specification.into());
    }
    let to = s.address(0, i.b1, i.d1);
    let from = s.address(0, i.b2, i.d2);
    let mut characters = [0; 64];
    s.read_bytes(from, &mut characters[..len])?;
    let mut packed = 0xcu128;
    for (k, character) in characters[..len].chunks_exact(size).rev().take(31).enumerate() {
        packed |= ((character[size - 1] & 15) as u128) << (4 * (k + 1));
    }
    store_number(s, to, 16, packed)
}

/// UNPKA: 31 packed digits to ASCII, with zeros on the left. CC: 0 plus, 1 minus, 3 no sign.
pub(crate) fn unpack_ascii(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    unpack_characters(s, i, 1)
}

/// UNPKU: UNPKA to two-byte characters.
pub(crate) fn unpack_unicode(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    unpack_characters(s, i, 2)
}

fn unpack_characters(s: &mut State, i: &Fields, size: usize) -> Result<(), Interruption> {
    let len = i.l as usize + 1;
    if len > 32 * size || !len.is_multiple_of(size) {
        return Err(Program::Specification.into());
    }
    let to = s.address(0, i.b1, i.d1);
    let from = s.address(0, i.b2, i.d2);
    let packed = fetch_number(s, from, 16)?;
    let mut characters = [0; 64];
    for (k, character) in characters[..len].chunks_exact_mut(size).rev().enumerate() {
        let digit = if k < 31 { (packed >> (4 * (k + 1))) as u8 & 15 } else { 0 };
        character[size - 1] = 0x30 | digit;
    }
    s.write_bytes(to, &characters[..len])?;
    s.cc = match sign_of(packed as u8) {
        Some(negative) => negative as u8,
        None => 3,
    };
    Ok(())
}

/// TP. CC: 0 digits and sign are valid, 1 the sign is not, 2 a digit is not, 3 neither.
pub(crate) fn test_decimal(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = s.address(0, i.b1, i.d1);
    let len = i.l as usize + 1;
    let mut bytes = [0; 16];
    s.read_bytes(at, &mut bytes[..len])?;
    let bad_sign = sign_of(bytes[len - 1]).is_none();
    let bad_digit = bytes[len - 1] >> 4 > 9 || bytes[..len - 1].iter().any(|b| b >> 4 > 9 || b & 15 > 9);
    s.cc = bad_digit as u8 * 2 + bad_sign as u8;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use support::Random;

    fn unpack(bytes: &[u8]) -> Result<(bool, u128), Interruption> {
        unpack_number(bytes.iter().fold(0, |number, byte| number << 8 | u128::from(*byte)))
    }

    fn pack<const N: usize>(negative: bool, value: u128) -> [u8; N] {
        *pack_number(negative, value).to_be_bytes().last_chunk().expect("16 bytes are the longest")
    }

    #[test]
    fn packed_digits_and_values() {
        assert_eq!(pack::<8>(true, 25_594), [0, 0, 0, 0, 0, 0x25, 0x59, 0x4d]);
        assert_eq!(unpack(&[0, 0, 0, 0, 0, 0x25, 0x59, 0x4b]), Ok((true, 25_594)));
        assert_eq!(unpack(&[0x1a]), Ok((false, 1)));
        assert_eq!(unpack(&[0xa0]), Err(DECIMAL_DATA));
        assert_eq!(unpack(&[0x12]), Err(DECIMAL_DATA));
        for place in 0..31 {
            for digit in 0..16u128 {
                let bytes = (digit << (4 * place + 4) | 0xc).to_be_bytes();
                let expected = if digit < 10 { Ok((false, digit * 10u128.pow(place))) } else { Err(DECIMAL_DATA) };
                assert_eq!(unpack(&bytes), expected);
                if digit < 10 {
                    assert_eq!(pack::<16>(false, digit * 10u128.pow(place)), bytes);
                }
            }
        }
        assert_eq!(
            unpack(&pack::<16>(false, 9_999_999_999_999_999_999_999_999_999_999)),
            Ok((false, 10u128.pow(31) - 1))
        );
        // Digits that do not fit are lost.
        assert_eq!(pack::<2>(false, 98_765), [0x76, 0x5c]);
        assert_eq!(pack::<16>(true, 10u128.pow(31) + 5), pack::<16>(true, 5));
    }

    #[test]
    fn every_number_of_digits_is_what_is_printed() {
        let mut random = Random::seeded(1);
        for n in 0..200_000 {
            let value = random.below(10u64.pow(n % 17));
            let digits = u64::from_str_radix(&value.to_string(), 16).expect("decimal digits are hexadecimal ones");
            assert_eq!((digits_of(value), number_of(digits)), (digits, value));
        }
        assert_eq!(digits_of(9_999_999_999_999_999), 0x9999_9999_9999_9999);
    }
}
