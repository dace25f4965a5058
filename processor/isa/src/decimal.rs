//! Decimal instructions (POP, chapter 8): packed decimal numbers of up to 31 digits and a sign, in storage.
//!
//! Sums, comparisons and shifts are done with the digits as they are, four bits each, all at once. Products and
//! quotients fit 128 bits and are the host's. What is left to do is the architecture's opinion of signs, of digits that
//! do not fit, and of codes that are no digits. Both operands are fetched completely before anything is stored, so they
//! may overlap as the manual allows.

use crate::general::{are_digits, compare_code, fetch_number, number_of_digits, pack_number, sign_of, store_number};
use crate::prelude::*;
use std::cmp::Ordering;

const DATA: Interruption = Interruption::Data(0);

/// A decimal number: its digits, four bits each, up to 31 of them; a sum may have one more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Decimal {
    negative: bool,
    digits: u128,
}

/// The bit of each digit but the first to which the digit on its right carries.
const CARRIES: u128 = 0x1111_1111_1111_1111_1111_1111_1111_1110;
/// Six in each digit but the first.
const SIXES: u128 = 0x0666_6666_6666_6666_6666_6666_6666_6666;

/// The sum of 31 digits and 31 digits. Six more in each digit has it carry at ten; those that do not carry have them
/// taken away again.
fn sum_of(a: u128, b: u128) -> u128 {
    let sum = a + SIXES + b;
    let still = !(sum ^ (a + SIXES) ^ b) & CARRIES;
    sum - (still >> 2 | still >> 3)
}

/// The difference of digits and digits that are not greater: a digit that borrows has sixteen, not ten.
fn difference_of(a: u128, b: u128) -> u128 {
    let difference = a - b;
    let borrowed = (difference ^ a ^ b) & CARRIES;
    difference - (borrowed >> 2 | borrowed >> 3)
}

/// Digits of a number without the last ones.
fn without_last(digits: u128, n: usize) -> u128 {
    if n < 32 { digits >> (4 * n) } else { 0 }
}

/// The digits that `len` bytes hold.
fn mask(len: usize) -> u128 {
    u128::MAX >> (132 - 8 * len)
}

impl Decimal {
    /// The operand of `len` bytes at `at`.
    #[inline]
    fn fetch(s: &mut State, at: At, len: usize) -> Result<Decimal, Interruption> {
        let all = fetch_number(s, at, len)?;
        let digits = all >> 4;
        if !are_digits((digits >> 64) as u64) || !are_digits(digits as u64) {
            return Err(DATA);
        }
        Ok(Decimal { negative: sign_of(all as u8).ok_or(DATA)?, digits })
    }

    /// With the other sign, if `changed`.
    fn negated(self, changed: bool) -> Decimal {
        Decimal { negative: self.negative != changed, ..self }
    }

    fn plus(self, other: Decimal) -> Decimal {
        let (a, b) = (self.digits, other.digits);
        if self.negative == other.negative {
            Decimal { digits: sum_of(a, b), ..self }
        } else if a >= b {
            Decimal { digits: difference_of(a, b), ..self }
        } else {
            Decimal { digits: difference_of(b, a), ..other }
        }
    }

    /// The number that the digits are.
    fn size(self) -> u128 {
        number_of_digits(self.digits)
    }

    /// In the last `len` bytes, with a preferred sign; digits that do not fit are lost.
    #[inline]
    fn store(self, s: &mut State, at: At, len: usize) -> Result<(), Interruption> {
        store_number(s, at, len, self.digits << 4 | if self.negative { 0xd } else { 0xc })
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
#[inline]
fn finish(s: &mut State, at: At, len: usize, mut result: Decimal, lost: bool) -> Result<(), Interruption> {
    let overflow = lost || result.digits & !mask(len) != 0;
    if result.digits == 0 && !overflow {
        result.negative = false;
    }
    result.store(s, at, len)?;
    s.cc = match result {
        _ if overflow => 3,
        Decimal { digits: 0, .. } => 0,
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
    let b = Decimal::fetch(s, second, len2)?;
    let a = Decimal::fetch(s, first, len)?;
    finish(s, first, len, a.plus(b.negated(subtract)), false)
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
    let b = Decimal::fetch(s, second, len2)?;
    let a = Decimal::fetch(s, first, len)?;
    let order = match (a.negative, b.negative) {
        (false, false) => a.digits.cmp(&b.digits),
        (true, true) => b.digits.cmp(&a.digits),
        _ if a.digits | b.digits == 0 => Ordering::Equal,
        (false, true) => Ordering::Greater,
        (true, false) => Ordering::Less,
    };
    s.cc = compare_code(order);
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
    if a.digits & !mask(len - len2) != 0 {
        return Err(DATA);
    }
    store_number(s, first, len, pack_number(a.negative != b.negative, a.size() * b.size()))
}

/// DP: quotient and remainder stand side by side in the first operand; the remainder is as long as the divisor and has
/// the dividend's sign.
pub(crate) fn divide_decimal(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let (first, len, second, len2) = places(s, i);
    lengths_of_product(len, len2)?;
    let b = Decimal::fetch(s, second, len2)?;
    let a = Decimal::fetch(s, first, len)?;
    let (quotient, remainder) = match b.size() {
        0 => (u128::MAX, 0),
        size => divided(a.size(), size),
    };
    if quotient >= limit(len - len2) {
        return Err(Program::DecimalDivide.into());
    }
    let quotient = pack_number(a.negative != b.negative, quotient);
    let remainder = pack_number(a.negative, remainder);
    store_number(s, first, len, quotient << (8 * len2) | remainder)
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
    if amount < 32 {
        let stays = (2 * len - 1).saturating_sub(amount as usize);
        let lost = without_last(v.digits, stays) != 0;
        let digits = if stays == 0 { 0 } else { v.digits << (4 * amount) & mask(len) };
        return finish(s, first, len, Decimal { digits, ..v }, lost);
    }
    let shifted = without_last(v.digits, 63 - amount as usize);
    let round = (shifted as u8 & 15) + i.i3 > 9;
    let digits = sum_of(shifted >> 4, round.into());
    finish(s, first, len, Decimal { digits, ..v }, false)
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

/// Bytes of an operand that are fetched one after the other: some at once, where their page is at hand.
struct Ahead {
    bytes: u64,
    left: u8,
}

impl Ahead {
    /// The byte at `at`, which comes after the one before.
    fn next(&mut self, s: &mut State, at: At) -> Result<u8, Interruption> {
        if self.left == 0 {
            let Some(bytes) = s.find_u64(at) else { return s.load_u8(at) };
            (self.bytes, self.left) = (bytes, 8);
        }
        let byte = (self.bytes >> 56) as u8;
        (self.bytes, self.left) = (self.bytes << 8, self.left - 1);
        Ok(byte)
    }
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
    let mut ahead = Ahead { bytes: 0, left: 0 };
    let mut marked = None;
    for (n, character) in text[..len].iter_mut().enumerate() {
        match *character {
            code @ (pattern::DIGIT_SELECTOR | pattern::SIGNIFICANCE_STARTER) => {
                let mut plus = false;
                let digit = match pending.take() {
                    Some(digit) => digit,
                    None => {
                        let byte = ahead.next(s, source)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use support::Random;

    /// The digits as they are printed.
    fn digits(number: u128) -> u128 {
        u128::from_str_radix(&number.to_string(), 16).expect("digits are digits in hexadecimal, too")
    }

    #[test]
    fn digits_are_added_and_subtracted_as_they_are() {
        let mut random = Random::seeded(31);
        let mut number = |n: usize| {
            let any = u128::from(random.below(10_000_000_000_000_000u64)) * 1_000_000_000_000_000;
            let number = any + u128::from(random.below(1_000_000_000_000_000u64));
            // One in eight has nines and zeros alone, where carries go far.
            let number = if n % 8 == 0 { POWERS[n / 8 % 32] - (number & 1) } else { number };
            number % POWERS[n % 32].max(2)
        };
        for n in 0..200_000 {
            let (a, b) = (number(n), number(n / 32 + n));
            assert_eq!(sum_of(digits(a), digits(b)), digits(a + b), "{a} {b}");
            let (greater, less) = (a.max(b), a.min(b));
            assert_eq!(difference_of(digits(greater), digits(less)), digits(greater - less), "{greater} {less}");
            assert_eq!(number_of_digits(digits(a)), a);
        }
    }
}
