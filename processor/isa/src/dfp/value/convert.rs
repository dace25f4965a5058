//! Conversions: CONVERT FROM and TO FIXED and LOGICAL, LOAD FP INTEGER, LOAD LENGTHENED, LOAD ROUNDED, QUANTIZE,
//! REROUND (POP, chapter 20).

use super::arithmetic::propagate;
use super::environment::{Environment, Failed, Precise, Rounded};
use super::format::{Class, Decimal, Number};
use super::short;
use super::wide::{Wide, digits, power};
use crate::bfp::value::{Narrowed, Outcome, Trap};

/// CONVERT FROM FIXED and CONVERT FROM LOGICAL: any integer of up to 64 bits, signed or not.
#[inline]
pub fn from_integer<D: Decimal>(env: &mut Environment, value: i128) -> Outcome<D> {
    short::integer(value).map_or_else(|| from_any_integer(env, value), Ok)
}

/// [`from_integer`], whatever its size.
#[inline(never)]
pub fn from_any_integer<D: Decimal>(env: &mut Environment, value: i128) -> Outcome<D> {
    let coefficient = Wide::new(value.unsigned_abs());
    env.round(Precise { negative: value < 0, coefficient, exponent: 0 }, 0)
}

/// The magnitude of a number rounded to an integer, unless it has more than 20 digits.
fn integral(env: &Environment, number: Number) -> Option<Rounded> {
    match u32::try_from(number.exponent) {
        Err(_) => {
            let places = number.exponent.unsigned_abs();
            Some(env.rounding.cut(number.negative, Wide::new(number.coefficient), places))
        }
        Ok(_) if number.coefficient == 0 => Some(Rounded { kept: 0, inexact: false, incremented: false }),
        Ok(zeros) if zeros + digits(number.coefficient) > 20 => None,
        Ok(zeros) => Some(Rounded { kept: number.coefficient * power(zeros), inexact: false, incremented: false }),
    }
}

/// CONVERT TO FIXED and CONVERT TO LOGICAL: an integer from `least` to `most`, and the condition code: 0, 1 or 2 as the
/// source is zero, less or greater, 3 if it did not fit.
pub fn to_integer<D: Decimal>(env: &mut Environment, source: D, least: i128, most: i128) -> Outcome<(i128, u8)> {
    let number = source.decode();
    let rounded = if number.is_finite() { integral(env, number) } else { None };
    let value = rounded.map(|rounded| {
        let magnitude = rounded.kept as i128;
        (if number.negative { -magnitude } else { magnitude }, rounded)
    });
    match value {
        Some((value, rounded)) if (least..=most).contains(&value) => {
            let code = match (number.is_zero(), number.negative) {
                (true, _) => 0,
                (false, true) => 1,
                (false, false) => 2,
            };
            env.inexact((value, code), rounded)
        }
        // A NaN counts as minus infinity. A number out of range is reported as inexact, too, unless that is suppressed
        // (POP, figure "Results: CONVERT TO FIXED").
        _ if number.is_nan() => env.fpc.invalid((least, 3)),
        _ => {
            let value = env.fpc.invalid((if number.negative { least } else { most }, 3))?;
            env.inexact(value, Rounded { kept: 0, inexact: true, incremented: false })
        }
    }
}

/// LOAD FP INTEGER: the number rounded to an integer in the same format. A quantum of one or more stays.
pub fn load_fp_integer<D: Decimal>(env: &mut Environment, source: D) -> Outcome<D> {
    let number = source.decode();
    if let Some(nan) = propagate(env, [number]) {
        return nan;
    }
    if !number.is_finite() || number.exponent >= 0 {
        return Ok(D::encode(number.canonical()));
    }
    let places = number.exponent.unsigned_abs();
    let rounded = env.rounding.cut(number.negative, Wide::new(number.coefficient), places);
    env.inexact(D::encode(Number::finite(number.negative, rounded.kept, 0)), rounded)
}

/// A NaN for another format. A signaling one stays what it is if `keep`, and is an invalid operation otherwise.
fn foreign_nan<D: Decimal>(env: &mut Environment, number: Number, keep: bool) -> Option<Outcome<D>> {
    match number.class {
        Class::Signaling if keep => Some(Ok(D::encode(number))),
        _ => propagate(env, [number]),
    }
}

/// LOAD LENGTHENED: exact. `keep`: a signaling NaN is loaded as it is.
#[inline]
pub fn load_lengthened<D: Decimal, W: Decimal>(env: &mut Environment, source: D, keep: bool) -> Outcome<W> {
    short::lengthened(source).map_or_else(|| load_any_lengthened(env, source, keep), Ok)
}

/// [`load_lengthened`], whatever the operand is.
#[inline(never)]
pub fn load_any_lengthened<D: Decimal, W: Decimal>(env: &mut Environment, source: D, keep: bool) -> Outcome<W> {
    let number = source.decode();
    foreign_nan(env, number, keep).unwrap_or_else(|| Ok(W::encode(number.canonical())))
}

/// LOAD ROUNDED from the format `W` to the shorter `D`. `keep`: as above.
pub fn load_rounded<W: Decimal, D: Decimal>(env: &mut Environment, source: W, keep: bool) -> Outcome<Narrowed<D, W>> {
    let number = source.decode();
    if let Some(nan) = foreign_nan::<D>(env, number, keep) {
        return nan.map(Narrowed::Target).map_err(|trap| trap.map(Narrowed::Target));
    }
    let Number { negative, coefficient, exponent, .. } = number;
    if number.is_infinite() {
        return Ok(Narrowed::Target(D::encode(Number::infinity(negative))));
    }
    let precise = Precise { negative, coefficient: Wide::new(coefficient), exponent };
    env.round_wide::<D, W>(precise, exponent, W::ROUNDED_SCALE).map(Narrowed::Target).map_err(|failed| match failed {
        Failed::Trap(trap) => trap.map(Narrowed::Target),
        Failed::Scaled(value, code) => Trap::Complete(Narrowed::Source(value), code),
    })
}

/// QUANTIZE: `number` with the quantum of `like`. It must have room.
#[inline]
pub fn quantize<D: Decimal>(env: &mut Environment, number: D, like: D) -> Outcome<D> {
    short::quantized(env, number, like).unwrap_or_else(|| quantize_any(env, number, like))
}

/// [`quantize`], whatever the operands are.
#[inline(never)]
pub fn quantize_any<D: Decimal>(env: &mut Environment, number: D, like: D) -> Outcome<D> {
    let (number, like) = (number.decode(), like.decode());
    if let Some(nan) = propagate(env, [like, number]) {
        return nan;
    }
    match (number.is_infinite(), like.is_infinite()) {
        (true, true) => return Ok(D::encode(number.canonical())),
        (false, false) => {}
        _ => return env.invalid(),
    }
    let zeros = number.exponent - like.exponent;
    let rounded = match u32::try_from(zeros) {
        Err(_) => env.rounding.cut(number.negative, Wide::new(number.coefficient), zeros.unsigned_abs()),
        Ok(_) if number.coefficient == 0 => Rounded { kept: 0, inexact: false, incremented: false },
        Ok(zeros) if zeros + digits(number.coefficient) > D::DIGITS => return env.invalid(),
        Ok(zeros) => Rounded { kept: number.coefficient * power(zeros), inexact: false, incremented: false },
    };
    if rounded.kept >= power(D::DIGITS) {
        return env.invalid();
    }
    env.inexact(D::encode(Number::finite(number.negative, rounded.kept, like.exponent)), rounded)
}

/// REROUND: a number to `significance` digits. One that has no more, or a significance of zero, leaves it as it is. A
/// quantum that would be too large is an invalid operation.
pub fn reround<D: Decimal>(env: &mut Environment, number: D, significance: u32) -> Outcome<D> {
    let number = number.decode();
    if let Some(nan) = propagate(env, [number]) {
        return nan;
    }
    let excess = digits(number.coefficient).saturating_sub(significance);
    if !number.is_finite() || significance == 0 || excess == 0 {
        return Ok(D::encode(number.canonical()));
    }
    let mut rounded = env.rounding.cut(number.negative, Wide::new(number.coefficient), excess);
    let mut exponent = number.exponent + excess as i32;
    if rounded.kept == power(significance) {
        rounded.kept = power(significance - 1);
        exponent += 1;
    }
    if exponent > D::GREATEST {
        return env.invalid();
    }
    env.inexact(D::encode(Number::finite(number.negative, rounded.kept, exponent)), rounded)
}
