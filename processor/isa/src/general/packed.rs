//! Conversions between binary, packed decimal, and characters: CVB, CVD, PACK, UNPK and their kin (POP, chapter 7;
//! "Decimal-number formats" in chapter 8).

use crate::prelude::*;

/// A data exception for decimal operands: code 0.
pub const DECIMAL_DATA: Interruption = Interruption::Data(0);

/// The sign that a code stands for: `None` if it is a digit.
pub fn sign_of(code: u8) -> Option<bool> {
    match code & 15 {
        0xb | 0xd => Some(true),
        0xa | 0xc | 0xe | 0xf => Some(false),
        _ => None,
    }
}

/// The value of packed digits with their sign: whether it is negative, and its size. A size too large for 128 bits
/// cannot come of the 31 digits that fit 16 bytes.
pub fn unpack(bytes: &[u8]) -> Result<(bool, u128), Interruption> {
    let (&last, rest) = bytes.split_last().ok_or(DECIMAL_DATA)?;
    let mut value = 0u128;
    let digits = rest.iter().flat_map(|byte| [byte >> 4, byte & 15]).chain([last >> 4]);
    for digit in digits {
        if digit > 9 {
            return Err(DECIMAL_DATA);
        }
        value = value * 10 + digit as u128;
    }
    Ok((sign_of(last).ok_or(DECIMAL_DATA)?, value))
}

/// Packed digits of `value`, with the preferred sign codes.
pub fn pack<const N: usize>(negative: bool, mut value: u128) -> [u8; N] {
    let mut bytes = [0; N];
    bytes[N - 1] = if negative { 0xd } else { 0xc } | ((value % 10) as u8) << 4;
    value /= 10;
    for byte in bytes[..N - 1].iter_mut().rev() {
        *byte = (value % 10) as u8 | ((value / 10 % 10) as u8) << 4;
        value /= 100;
    }
    bytes
}

/// CVB, CVBY. A value that 32 bits do not hold leaves its low bits and is a fixed-point-divide exception.
pub fn convert_to_binary(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = s.address(i.x2, i.b2, i.d2);
    let (negative, value) = unpack(&s.load_u64(at)?.to_be_bytes())?;
    let value = if negative { -(value as i128) } else { value as i128 };
    s.set_gr(W32, i.r1, value as u64);
    if i32::try_from(value).is_err() { Err(Program::FixedPointDivide.into()) } else { Ok(()) }
}

/// CVBG: 16 bytes to 64 bits. Too large a value is a fixed-point-divide exception and nothing changes.
pub fn convert_to_binary_long(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = s.address(i.x2, i.b2, i.d2);
    let mut bytes = [0; 16];
    s.read_bytes(at, &mut bytes)?;
    let (negative, value) = unpack(&bytes)?;
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
pub fn convert_to_decimal(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = s.address(i.x2, i.b2, i.d2);
    let v = s.gr[i.r1 as usize] as i32;
    s.store_u64(at, u64::from_be_bytes(pack(v < 0, v.unsigned_abs() as u128)))
}

/// CVDG.
pub fn convert_to_decimal_long(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = s.address(i.x2, i.b2, i.d2);
    let v = s.gr[i.r1 as usize] as i64;
    s.write_bytes(at, &pack::<16>(v < 0, v.unsigned_abs() as u128))
}

/// PACK: drops the zones of the second operand, and exchanges the halves of its last byte. Right to left, so that
/// overlapping operands show what was stored before.
pub fn pack_zoned(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let (to, from, l1, l2) = checked(s, i)?;
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

/// UNPK: digits get zones of ones, and the halves of the last byte are exchanged. Right to left.
pub fn unpack_zoned(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let (to, from, l1, l2) = checked(s, i)?;
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

/// Both operands of PACK and UNPK, known to be accessible, and their lengths less one.
fn checked(s: &mut State, i: &Fields) -> Result<(At, At, u64, u64), Interruption> {
    let to = s.address(0, i.b1, i.d1);
    let from = s.address(0, i.b2, i.d2);
    let (l1, l2) = (i.l1() as u64, i.l2() as u64);
    let mut bytes = [0; 16];
    s.read_bytes(from, &mut bytes[..l2 as usize + 1])?;
    s.test_write(to, l1 + 1)?;
    Ok((to, from, l1, l2))
}

/// PKA: up to 32 ASCII digits to 31 packed digits with a plus sign.
pub fn pack_ascii(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    pack_characters(s, i, 1)
}

/// PKU: PKA for two-byte characters.
pub fn pack_unicode(s: &mut State, i: &Fields) -> Result<(), Interruption> {
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
    s.write_bytes(to, &packed.to_be_bytes())
}

/// UNPKA: 31 packed digits to ASCII, with zeros on the left. CC: 0 plus, 1 minus, 3 no sign.
pub fn unpack_ascii(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    unpack_characters(s, i, 1)
}

/// UNPKU: UNPKA to two-byte characters.
pub fn unpack_unicode(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    unpack_characters(s, i, 2)
}

fn unpack_characters(s: &mut State, i: &Fields, size: usize) -> Result<(), Interruption> {
    let len = i.l as usize + 1;
    if len > 32 * size || !len.is_multiple_of(size) {
        return Err(Program::Specification.into());
    }
    let to = s.address(0, i.b1, i.d1);
    let from = s.address(0, i.b2, i.d2);
    let mut bytes = [0; 16];
    s.read_bytes(from, &mut bytes)?;
    let packed = u128::from_be_bytes(bytes);
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
pub fn test_decimal(s: &mut State, i: &Fields) -> Result<(), Interruption> {
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

    #[test]
    fn packed_digits_and_values() {
        assert_eq!(pack::<8>(true, 25_594), [0, 0, 0, 0, 0, 0x25, 0x59, 0x4d]);
        assert_eq!(unpack(&[0, 0, 0, 0, 0, 0x25, 0x59, 0x4b]), Ok((true, 25_594)));
        assert_eq!(unpack(&[0x1a]), Ok((false, 1)));
        assert_eq!(unpack(&[0xa0]), Err(DECIMAL_DATA));
        assert_eq!(unpack(&[0x12]), Err(DECIMAL_DATA));
        assert_eq!(
            unpack(&pack::<16>(false, 9_999_999_999_999_999_999_999_999_999_999)),
            Ok((false, 10u128.pow(31) - 1))
        );
    }
}
