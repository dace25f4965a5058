//! Decimal instructions (POP, chapter 8): packed decimal numbers of up to 31 digits and a sign, in storage.
//!
//! Values fit 128 bits, so arithmetic is the host's; what is left to do is the architecture's opinion of signs, of
//! digits that do not fit, and of codes that are no digits. Both operands are fetched completely before anything is
//! stored, so they may overlap as the manual allows.

use crate::general::{pack, sign_of, unpack};
use crate::prelude::*;
use std::cmp::Ordering;

const DATA: Interruption = Interruption::Data(0);

/// A decimal number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Decimal {
    negative: bool,
    size: u128,
}

impl Decimal {
    /// The operand of `len` bytes at `at`.
    fn fetch(s: &mut State, at: At, len: usize) -> Result<Decimal, Interruption> {
        let mut bytes = [0; 16];
        s.read_bytes(at, &mut bytes[..len])?;
        let (negative, size) = unpack(&bytes[..len])?;
        Ok(Decimal { negative, size })
    }

    fn value(self) -> i128 {
        if self.negative { -(self.size as i128) } else { self.size as i128 }
    }

    /// The number in the last `len` bytes with a preferred sign; digits that do not fit are lost.
    fn bytes(self) -> [u8; 16] {
        pack(self.negative, self.size)
    }

    fn store(self, s: &mut State, at: At, len: usize) -> Result<(), Interruption> {
        s.write_bytes(at, &self.bytes()[16 - len..])
    }
}

/// Powers of ten.
const POWERS: [u128; 32] = {
    let mut powers = [1; 32];
    let mut n = 1;
    while n < 32 {
        powers[n] = powers[n - 1] * 10;
        n += 1;
    }
    powers
};

/// Ten to the power of the number of digits that `len` bytes hold.
fn limit(len: usize) -> u128 {
    POWERS[2 * len - 1]
}

/// Quotient and remainder. Most numbers are short, and hosts divide those much faster.
fn divided(a: u128, b: u128) -> (u128, u128) {
    match (u64::try_from(a), u64::try_from(b)) {
        (Ok(a), Ok(b)) => ((a / b).into(), (a % b).into()),
        _ => (a / b, a % b),
    }
}

/// Stores a sum. A zero is positive, except what overflow made one. CC: 0 zero, 1 negative, 2 positive, 3 overflow.
fn finish(s: &mut State, at: At, len: usize, mut result: Decimal, lost: bool) -> Result<(), Interruption> {
    let overflow = lost || result.size >= limit(len);
    if overflow {
        result.size %= limit(len);
    }
    if result.size == 0 && !overflow {
        result.negative = false;
    }
    result.store(s, at, len)?;
    s.cc = match result {
        _ if overflow => 3,
        Decimal { size: 0, .. } => 0,
        Decimal { negative: true, .. } => 1,
        _ => 2,
    };
    if overflow { self::overflow(s) } else { Ok(()) }
}

/// Decimal overflow interrupts if the program mask says so.
pub(crate) fn overflow(s: &State) -> Result<(), Interruption> {
    if s.program_mask & 4 != 0 { Err(Program::DecimalOverflow.into()) } else { Ok(()) }
}

/// Both operands of a two-length instruction: where they are and how many bytes they have.
fn places(s: &mut State, i: &Fields) -> (At, usize, At, usize) {
    let first = s.address(0, i.b1, i.d1);
    let second = s.address(0, i.b2, i.d2);
    (first, i.l1() as usize + 1, second, i.l2() as usize + 1)
}

fn sum(s: &mut State, i: &Fields, subtract: bool) -> Result<(), Interruption> {
    let (first, len, second, len2) = places(s, i);
    let b = Decimal::fetch(s, second, len2)?.value();
    let a = Decimal::fetch(s, first, len)?.value();
    let sum = if subtract { a - b } else { a + b };
    finish(s, first, len, Decimal { negative: sum < 0, size: sum.unsigned_abs() }, false)
}

/// AP.
pub(crate) fn add_decimal(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    sum(s, i, false)
}

/// SP.
pub(crate) fn subtract_decimal(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    sum(s, i, true)
}

/// ZAP: the first operand is not looked at.
pub(crate) fn zero_and_add(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let (first, len, second, len2) = places(s, i);
    let v = Decimal::fetch(s, second, len2)?;
    finish(s, first, len, v, false)
}

/// CP. CC: 0 equal (whatever the signs of zeros), 1 first low, 2 first high.
pub(crate) fn compare_decimal(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let (first, len, second, len2) = places(s, i);
    let b = Decimal::fetch(s, second, len2)?.value();
    let a = Decimal::fetch(s, first, len)?.value();
    s.cc = match a.cmp(&b) {
        Ordering::Equal => 0,
        Ordering::Less => 1,
        Ordering::Greater => 2,
    };
    Ok(())
}

/// MP and DP want a second operand of up to 15 digits that is shorter than the first.
fn lengths_of_product(len: usize, len2: usize) -> Result<(), Interruption> {
    if len2 > 8 || len2 >= len { Err(Program::Specification.into()) } else { Ok(()) }
}

/// MP: the first operand must have as many bytes of zeros on its left as the second has bytes. The sign follows the
/// rules of algebra even for zero.
pub(crate) fn multiply_decimal(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let (first, len, second, len2) = places(s, i);
    lengths_of_product(len, len2)?;
    let b = Decimal::fetch(s, second, len2)?;
    let a = Decimal::fetch(s, first, len)?;
    if a.size >= limit(len - len2) {
        return Err(DATA);
    }
    let product = Decimal { negative: a.negative != b.negative, size: a.size * b.size };
    product.store(s, first, len)
}

/// DP: quotient and remainder stand side by side in the first operand; the remainder is as long as the divisor and has
/// the dividend's sign.
pub(crate) fn divide_decimal(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let (first, len, second, len2) = places(s, i);
    lengths_of_product(len, len2)?;
    let b = Decimal::fetch(s, second, len2)?;
    let a = Decimal::fetch(s, first, len)?;
    let (quotient, remainder) = match b.size {
        0 => (u128::MAX, 0),
        size => divided(a.size, size),
    };
    if quotient >= limit(len - len2) {
        return Err(Program::DecimalDivide.into());
    }
    let quotient = Decimal { negative: a.negative != b.negative, size: quotient };
    let remainder = Decimal { negative: a.negative, size: remainder };
    let mut bytes = [0; 16];
    bytes[16 - len..16 - len2].copy_from_slice(&quotient.bytes()[16 - (len - len2)..]);
    bytes[16 - len2..].copy_from_slice(&remainder.bytes()[16 - len2..]);
    s.write_bytes(first, &bytes[16 - len..])
}

/// SRP: shifts digits left, or right with rounding, by a signed amount in the low six bits of the second-operand
/// address.
pub(crate) fn shift_and_round_decimal(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let first = s.address(0, i.b1, i.d1);
    let amount = s.address(0, i.b2, i.d2).address & 63;
    let len = i.l1() as usize + 1;
    let v = Decimal::fetch(s, first, len)?;
    if i.i3 > 9 {
        return Err(DATA);
    }
    let digits = 2 * len as u32 - 1;
    if amount < 32 {
        let stays = digits.saturating_sub(amount as u32);
        let (_, kept) = divided(v.size, POWERS[stays as usize]);
        let size = if stays == 0 { 0 } else { kept * POWERS[amount as usize] };
        return finish(s, first, len, Decimal { size, ..v }, kept != v.size);
    }
    let right = 64 - amount as usize;
    let (shifted, _) = divided(v.size, POWERS[right - 1]);
    let (size, last) = divided(shifted, 10);
    let round = last + i.i3 as u128 > 9;
    finish(s, first, len, Decimal { size: size + round as u128, ..v }, false)
}

/// ED.
pub(crate) fn edit(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    edit_and(s, i, false)
}

/// EDMK: register 1 gets the address of a digit that turned significance on.
pub(crate) fn edit_and_mark(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    edit_and(s, i, true)
}

/// Pattern characters that mean something.
mod pattern {
    pub(super) const DIGIT_SELECTOR: u8 = 0x20;
    pub(super) const SIGNIFICANCE_STARTER: u8 = 0x21;
    pub(super) const FIELD_SEPARATOR: u8 = 0x22;
}

/// Replaces pattern characters by digits, the fill character or themselves. CC of the last field: 0 zero or empty, 1
/// not zero and significant at its end (negative), 2 not zero.
fn edit_and(s: &mut State, i: &Fields, mark: bool) -> Result<(), Interruption> {
    let first = s.address(0, i.b1, i.d1);
    let mut source = s.address(0, i.b2, i.d2);
    let len = i.l as usize + 1;
    let mut text = [0; 256];
    s.test_write(first, len as u64)?;
    s.read_bytes(first, &mut text[..len])?;
    let fill = text[0];
    let mut significant = false;
    let mut zero = true;
    // The right half of a source byte that is still to come.
    let mut pending = None;
    let mut marked = None;
    for (n, character) in text[..len].iter_mut().enumerate() {
        match *character {
            code @ (pattern::DIGIT_SELECTOR | pattern::SIGNIFICANCE_STARTER) => {
                let mut plus = false;
                let digit = match pending.take() {
                    Some(digit) => digit,
                    None => {
                        let byte = s.load_u8(source)?;
                        source = s.further(source, 1);
                        if byte >> 4 > 9 {
                            return Err(DATA);
                        }
                        match sign_of(byte) {
                            Some(negative) => plus = !negative,
                            None => pending = Some(byte & 15),
                        }
                        byte >> 4
                    }
                };
                if digit != 0 {
                    zero = false;
                    if !significant {
                        marked = Some(n as u64);
                    }
                }
                *character = if significant || digit != 0 { 0xf0 | digit } else { fill };
                significant = (significant || digit != 0 || code == pattern::SIGNIFICANCE_STARTER) && !plus;
            }
            pattern::FIELD_SEPARATOR => {
                *character = fill;
                significant = false;
                zero = true;
            }
            _ if !significant => *character = fill,
            _ => {}
        }
    }
    s.write_bytes(first, &text[..len])?;
    if let (true, Some(n)) = (mark, marked) {
        let at = s.further(first, n);
        crate::general::set_found_address(s, at.address);
    }
    s.cc = match (zero, significant) {
        (true, _) => 0,
        (false, true) => 1,
        (false, false) => 2,
    };
    Ok(())
}
