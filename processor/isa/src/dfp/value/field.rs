//! What a datum is, and its parts: the biased exponent, the significance, digits that are shifted, classes and groups
//! (POP, chapter 20). None of these raises an IEEE exception.

use super::format::{Class, Decimal, Number};
use super::wide::{Wide, digits, divide, power};

/// What stands for something that is no number, as EXTRACT BIASED EXPONENT and EXTRACT SIGNIFICANCE tell it.
fn special(class: Class) -> i64 {
    match class {
        Class::Finite => 0,
        Class::Infinite => -1,
        Class::Quiet => -2,
        Class::Signaling => -3,
    }
}

/// EXTRACT BIASED EXPONENT.
pub fn biased_exponent<D: Decimal>(source: D) -> i64 {
    let number = source.decode();
    if number.is_finite() { i64::from(number.exponent + D::BIAS) } else { special(number.class) }
}

/// EXTRACT SIGNIFICANCE: how many digits there are from the leftmost that is not zero.
pub fn significance<D: Decimal>(source: D) -> i64 {
    let number = source.decode();
    if number.is_finite() { digits(number.coefficient).into() } else { special(number.class) }
}

/// INSERT BIASED EXPONENT: the digits and the sign of a datum with another exponent, or as something that is no number.
/// What is no number keeps the digits that its format has room for.
pub fn with_biased_exponent<D: Decimal>(source: D, biased: i64) -> D {
    let number = source.decode();
    let (class, exponent) = match biased {
        -1 => (Class::Infinite, 0),
        -3 => (Class::Signaling, 0),
        0.. if biased <= D::BIASED_MAX.into() => (Class::Finite, biased as i32 - D::BIAS),
        _ => (Class::Quiet, 0),
    };
    D::encode(Number { class, exponent, ..number })
}

/// COMPARE BIASED EXPONENT: condition code 0 equal, 1 low, 2 high, 3 if they are not of one kind. Two infinities are
/// equal, and so are two NaNs.
pub fn compare_exponents<D: Decimal>(a: D, b: D) -> u8 {
    let (a, b) = (a.decode(), b.decode());
    match (a.is_finite(), b.is_finite()) {
        (true, true) => match a.exponent.cmp(&b.exponent) {
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Less => 1,
            std::cmp::Ordering::Greater => 2,
        },
        (false, false) if a.is_infinite() == b.is_infinite() => 0,
        _ => 3,
    }
}

/// How many digits a datum has room for.
fn room<D: Decimal>(number: Number) -> u32 {
    if number.is_finite() { D::DIGITS } else { D::DIGITS - 1 }
}

/// SHIFT SIGNIFICAND LEFT. Digits that leave are lost, and zeros come in.
pub fn shift_left<D: Decimal>(source: D, by: u32) -> D {
    let number = source.decode();
    let room = room::<D>(number);
    let coefficient = match room.checked_sub(by) {
        Some(left) => divide(number.coefficient, left).1 * power(by),
        None => 0,
    };
    D::encode(Number { coefficient, ..number })
}

/// SHIFT SIGNIFICAND RIGHT.
pub fn shift_right<D: Decimal>(source: D, by: u32) -> D {
    let number = source.decode();
    D::encode(Number { coefficient: Wide::new(number.coefficient).cut(by).0, ..number })
}

/// The bit, of twelve, for one of six kinds and a sign; the first kind is the leftmost.
fn bit(kind: u32, negative: bool) -> u64 {
    1 << (11 - 2 * kind - u32::from(negative))
}

/// TEST DATA CLASS: whether a datum is of a class that the mask selects.
pub fn data_class<D: Decimal>(source: D, mask: u64) -> u8 {
    let number = source.decode();
    let normal = number.exponent + digits(number.coefficient) as i32 > D::NORMAL_MIN;
    let kind = match number.class {
        Class::Finite if number.coefficient == 0 => 0,
        Class::Finite if !normal => 1,
        Class::Finite => 2,
        Class::Infinite => 3,
        Class::Quiet => 4,
        Class::Signaling => 5,
    };
    u8::from(mask & bit(kind, number.negative) != 0)
}

/// TEST DATA GROUP: the same for the groups. An extreme exponent is the least or the greatest.
pub fn data_group<D: Decimal>(source: D, mask: u64) -> u8 {
    let number = source.decode();
    let extreme = number.exponent == D::LEAST || number.exponent == D::GREATEST;
    let kind = match (number.coefficient, extreme) {
        _ if !number.is_finite() => 5,
        (0, false) => 0,
        (0, true) => 1,
        (_, true) => 2,
        (coefficient, false) if coefficient < power(D::DIGITS - 1) => 3,
        _ => 4,
    };
    u8::from(mask & bit(kind, number.negative) != 0)
}
