//! ADD, SUBTRACT, MULTIPLY, DIVIDE, COMPARE (POP, chapter 20).

use super::environment::{Environment, Precise, Rounding};
use super::format::{Class, Decimal, Number};
use super::short;
use super::wide::{Wide, digits, power};
use crate::bfp::value::{Fpc, Outcome, Trap, dxc};
use std::cmp::Ordering;

/// What a NaN among the operands makes of the result: the first signaling one, quieted, or the first quiet one.
pub(super) fn propagate<D: Decimal, const N: usize>(
    env: &mut Environment,
    operands: [Number; N],
) -> Option<Outcome<D>> {
    let of = |class: Class| operands.into_iter().find(|operand| operand.class == class);
    let nan = of(Class::Signaling).or_else(|| of(Class::Quiet))?;
    let quiet = D::encode(Number { class: Class::Quiet, ..nan });
    Some(if nan.class == Class::Signaling { env.fpc.invalid(quiet) } else { Ok(quiet) })
}

/// ADD and, with the sign of the second operand turned around, SUBTRACT.
#[inline]
pub fn add<D: Decimal>(env: &mut Environment, a: D, b: D, subtract: bool) -> Outcome<D> {
    short::sum(a, b, subtract).map_or_else(|| add_any(env, a, b, subtract), Ok)
}

/// [`add`], whatever the operands are.
#[inline(never)]
pub fn add_any<D: Decimal>(env: &mut Environment, a: D, b: D, subtract: bool) -> Outcome<D> {
    let (a, mut b) = (a.decode(), b.decode());
    // The sign of a NaN stays.
    b.negative ^= subtract && !b.is_nan();
    if let Some(sum) = plain_sum::<D>(a, b) {
        return Ok(sum);
    }
    if let Some(nan) = propagate(env, [a, b]) {
        return nan;
    }
    match (a.is_infinite(), b.is_infinite()) {
        (true, true) if a.negative != b.negative => return env.invalid(),
        (true, _) => return Ok(D::encode(a.canonical())),
        (false, true) => return Ok(D::encode(b.canonical())),
        (false, false) => {}
    }
    let preferred = a.exponent.min(b.exponent);
    let (high, low, exponent) = aligned(a, b);
    let (precise, zero) = if a.negative == b.negative {
        (Precise { negative: a.negative, coefficient: high.plus(low), exponent }, false)
    } else {
        let (first, second) = if a.exponent >= b.exponent { (a, b) } else { (b, a) };
        match high.cmp(&low) {
            Ordering::Greater => (Precise { negative: first.negative, coefficient: high.minus(low), exponent }, false),
            Ordering::Less => (Precise { negative: second.negative, coefficient: low.minus(high), exponent }, false),
            Ordering::Equal => (Precise { negative: false, coefficient: Wide::new(0), exponent }, true),
        }
    };
    let negative = if zero { env.rounding == Rounding::TowardMinusInfinity } else { precise.negative };
    env.round(Precise { negative, ..precise }, preferred)
}

/// A sum without a case of its own: it is exact, has its preferred quantum, and is neither zero nor subnormal.
#[inline]
fn plain_sum<D: Decimal>(a: Number, b: Number) -> Option<D> {
    if !a.is_finite() || !b.is_finite() {
        return None;
    }
    let (high, low) = if a.exponent >= b.exponent { (a, b) } else { (b, a) };
    let distance = (high.exponent - low.exponent) as u32;
    if distance >= D::DIGITS || high.coefficient >= power(D::DIGITS - distance) {
        return None;
    }
    let (first, second) = (high.coefficient * power(distance), low.coefficient);
    let (negative, coefficient) = match high.negative == low.negative {
        true => (high.negative, first + second),
        false if first >= second => (high.negative, first - second),
        false => (low.negative, second - first),
    };
    plain::<D>(negative, coefficient, low.exponent)
}

/// A result that is exact and has its preferred quantum, if it is not zero, normal whatever its digits, and fits.
#[inline]
fn plain<D: Decimal>(negative: bool, coefficient: u128, exponent: i32) -> Option<D> {
    let fits = coefficient != 0 && coefficient < power(D::DIGITS);
    (fits && (D::NORMAL_MIN..=D::GREATEST).contains(&exponent))
        .then(|| D::encode(Number::finite(negative, coefficient, exponent)))
}

/// The coefficients of two numbers with one exponent, first of the one whose exponent is not less. Of a number that is
/// far below the other there is as much as rounding needs.
fn aligned(a: Number, b: Number) -> (Wide, Wide, i32) {
    /// More digits than rounding looks at, with one to spare for a carry.
    const ROOM: u32 = 67;
    let (high, low) = if a.exponent >= b.exponent { (a, b) } else { (b, a) };
    let distance = (high.exponent - low.exponent) as u32;
    match (high.coefficient, low.coefficient) {
        (0, _) => return (Wide::new(0), Wide::new(low.coefficient), low.exponent),
        (_, 0) => return (Wide::new(high.coefficient), Wide::new(0), high.exponent),
        _ => {}
    }
    let room = ROOM - digits(high.coefficient);
    if distance <= room {
        return (Wide::shifted(high.coefficient, distance), Wide::new(low.coefficient), low.exponent);
    }
    let lost = Rounding::PrepareForShorter.cut(false, Wide::new(low.coefficient), distance - room);
    (Wide::shifted(high.coefficient, room), Wide::new(lost.kept), high.exponent - room as i32)
}

/// MULTIPLY.
#[inline]
pub fn multiply<D: Decimal>(env: &mut Environment, a: D, b: D) -> Outcome<D> {
    short::product(a, b).map_or_else(|| multiply_any(env, a, b), Ok)
}

/// [`multiply`], whatever the operands are.
#[inline(never)]
pub fn multiply_any<D: Decimal>(env: &mut Environment, a: D, b: D) -> Outcome<D> {
    let (a, b) = (a.decode(), b.decode());
    if a.is_finite()
        && b.is_finite()
        && let (Ok(x), Ok(y)) = (u64::try_from(a.coefficient), u64::try_from(b.coefficient))
        && let Some(product) =
            plain::<D>(a.negative != b.negative, u128::from(x) * u128::from(y), a.exponent + b.exponent)
    {
        return Ok(product);
    }
    if let Some(nan) = propagate(env, [a, b]) {
        return nan;
    }
    let negative = a.negative != b.negative;
    if a.is_infinite() || b.is_infinite() {
        return match a.is_zero() || b.is_zero() {
            true => env.invalid(),
            false => Ok(D::encode(Number::infinity(negative))),
        };
    }
    let exponent = a.exponent + b.exponent;
    let coefficient = Wide::product(a.coefficient, b.coefficient);
    env.round(Precise { negative, coefficient, exponent }, exponent)
}

/// DIVIDE: `a ÷ b`.
pub fn divide<D: Decimal>(env: &mut Environment, a: D, b: D) -> Outcome<D> {
    let (a, b) = (a.decode(), b.decode());
    if let Some(nan) = propagate(env, [a, b]) {
        return nan;
    }
    let negative = a.negative != b.negative;
    match (a.is_infinite(), b.is_infinite()) {
        (true, true) => return env.invalid(),
        (true, false) => return Ok(D::encode(Number::infinity(negative))),
        (false, true) => return Ok(D::encode(Number::finite(negative, 0, D::LEAST))),
        (false, false) => {}
    }
    if b.coefficient == 0 {
        return match a.coefficient {
            0 => env.invalid(),
            _ => env.fpc.division_by_zero(D::encode(Number::infinity(negative))),
        };
    }
    let preferred = a.exponent - b.exponent;
    let (coefficient, more) = quotient(a.coefficient, b.coefficient, D::DIGITS);
    env.round(Precise { negative, coefficient: Wide::new(coefficient), exponent: preferred - more }, preferred)
}

/// A quotient and how many digits of it stand after the decimal point: all digits if they end, or one more than
/// `precision` at least, whose last one says that others follow.
fn quotient(a: u128, b: u128, precision: u32) -> (u128, i32) {
    /// Digits that 128 bits always have room for.
    const ROOM: u32 = 38;
    let (mut quotient, mut rest) = (a / b, a % b);
    let step = ROOM - digits(b);
    let mut more = 0;
    while rest != 0 {
        let have = digits(quotient);
        if have > precision {
            // Whatever is cut off later includes this digit.
            quotient += u128::from(quotient % 5 == 0);
            break;
        }
        let by = step.min(ROOM - have).min(precision + 2 - have);
        let next = rest * power(by);
        quotient = quotient * power(by) + next / b;
        rest = next % b;
        more += by as i32;
    }
    (quotient, more)
}

/// The order of two numbers.
fn order(a: Number, b: Number) -> Ordering {
    let sign = |n: Number| match (n.is_zero(), n.negative) {
        (true, _) => 0,
        (false, false) => 1,
        (false, true) => -1,
    };
    if sign(a) != sign(b) || a.is_zero() {
        return sign(a).cmp(&sign(b));
    }
    let magnitude = match (a.is_infinite(), b.is_infinite()) {
        (false, false) => {
            let left = |n: Number| n.exponent + digits(n.coefficient) as i32;
            left(a).cmp(&left(b)).then_with(|| {
                // The leftmost digits are at one place, so the exponents differ by 33 at most.
                let least = a.exponent.min(b.exponent);
                let wide = |n: Number| Wide::shifted(n.coefficient, (n.exponent - least) as u32);
                wide(a).cmp(&wide(b))
            })
        }
        (a, b) => a.cmp(&b),
    };
    if a.negative { magnitude.reverse() } else { magnitude }
}

/// COMPARE and, if `signal`, COMPARE AND SIGNAL: condition code 0 equal, 1 low, 2 high, 3 unordered. The latter takes
/// any NaN for an invalid operation.
#[inline]
pub fn compare<D: Decimal>(env: &mut Environment, a: D, b: D, signal: bool) -> Result<u8, Trap<()>> {
    short::order(a, b).map_or_else(|| compare_any(env, a, b, signal), |order| Ok(code_of(order)))
}

/// [`compare`], whatever the operands are.
#[inline(never)]
pub fn compare_any<D: Decimal>(env: &mut Environment, a: D, b: D, signal: bool) -> Result<u8, Trap<()>> {
    let (a, b) = (a.decode(), b.decode());
    if a.is_nan() || b.is_nan() {
        if signal || a.class == Class::Signaling || b.class == Class::Signaling {
            if env.fpc.enables(Fpc::INVALID) {
                return Err(Trap::Suppress(dxc::INVALID));
            }
            env.fpc.0 |= Fpc::INVALID;
        }
        return Ok(3);
    }
    Ok(code_of(order(a, b)))
}

/// The condition code of a comparison.
#[inline]
fn code_of(order: Ordering) -> u8 {
    match order {
        Ordering::Equal => 0,
        Ordering::Less => 1,
        Ordering::Greater => 2,
    }
}

/// The condition code of a result: 0 zero, 1 less than zero, 2 greater than zero, 3 NaN.
pub fn condition<D: Decimal>(value: D) -> u8 {
    let (class, zero, negative) = value.glance();
    match class {
        Class::Quiet | Class::Signaling => 3,
        Class::Finite if zero => 0,
        _ if negative => 1,
        _ => 2,
    }
}

/// LOAD AND TEST.
pub fn load_and_test<D: Decimal>(env: &mut Environment, source: D) -> Outcome<D> {
    let number = source.decode();
    propagate(env, [number]).unwrap_or_else(|| Ok(D::encode(number.canonical())))
}
