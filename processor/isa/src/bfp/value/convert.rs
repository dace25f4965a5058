//! CONVERT FROM FIXED and LOGICAL, CONVERT TO FIXED and LOGICAL, LOAD FP INTEGER, LOAD LENGTHENED, LOAD ROUNDED (POP,
//! chapter 19).

use super::arithmetic::propagate;
use super::compare::condition;
use super::environment::{Discarded, Environment, Outcome, Rounded, Rounding, Trap, normalize};
use super::format::{Binary, Class, LEADING, Unpacked};

/// Numbers below are in range of the host's conversion.
const TWO_62: f64 = (1u64 << 62) as f64;

/// CONVERT FROM FIXED and CONVERT FROM LOGICAL: any integer of up to 64 bits, signed or not.
pub fn from_integer<B: Binary>(env: &mut Environment, value: i128) -> Outcome<B> {
    // Small enough to be exact.
    if value.unsigned_abs() >> B::PRECISION.min(53) == 0
        && let Some(number) = B::host_number(value as i64 as f64)
    {
        return Ok(number);
    }
    if value == 0 {
        return Ok(B::zero(false));
    }
    let (exponent, significand) = normalize(LEADING as i32, value.unsigned_abs());
    env.round(value < 0, exponent, significand)
}

/// The magnitude of a finite number rounded to an integer, unless it has more than 64 bits.
fn integral(env: &Environment, number: Unpacked) -> Option<Discarded> {
    if number.is_zero() {
        return Some(Discarded { kept: 0, inexact: false, incremented: false });
    }
    if number.exponent >= 64 {
        return None;
    }
    let discarded = (LEADING as i32 - number.exponent) as u32;
    Some(env.rounding.discard(number.negative, number.significand, discarded))
}

/// An integer and the condition code: 0, 1 or 2 as the source is zero, less or greater, 3 if it did not fit.
type Fixed<T> = (T, u8);

#[inline]
fn to_integer<B: Binary>(env: &mut Environment, source: B, least: i128, most: i128) -> Outcome<Fixed<i128>> {
    // What a cast in a program is: truncation, and the host's number is in range.
    if env.rounding == Rounding::TowardZero
        && let Some(number) = source.host_value()
        && number.abs() < TWO_62
    {
        let integer = number as i64;
        if (least..=most).contains(&integer.into()) {
            let truncated = Discarded { kept: 0, inexact: integer as f64 != number, incremented: false };
            return env.inexact((integer.into(), condition(source)), truncated);
        }
    }
    to_integer_exactly(env, source, least, most)
}

fn to_integer_exactly<B: Binary>(env: &mut Environment, source: B, least: i128, most: i128) -> Outcome<Fixed<i128>> {
    let number = source.unpack();
    let rounded = if number.class.is_finite() { integral(env, number) } else { None };
    let value = rounded.map(|rounded| {
        let magnitude = rounded.kept as i128;
        (if number.negative { -magnitude } else { magnitude }, rounded)
    });
    match value {
        Some((value, rounded)) if (least..=most).contains(&value) => env.inexact((value, condition(source)), rounded),
        // A NaN counts as minus infinity. A number out of range is reported as inexact, too, unless that is suppressed
        // (POP, figure "Results: CONVERT TO FIXED").
        _ if number.class.is_nan() => env.invalid((least, 3)),
        _ => {
            let value = env.invalid((if number.negative { least } else { most }, 3))?;
            env.inexact(value, Discarded { kept: 0, inexact: true, incremented: false })
        }
    }
}

/// CONVERT TO FIXED into `bits` bits, 32 or 64.
pub fn to_signed<B: Binary>(env: &mut Environment, source: B, bits: u32) -> Outcome<Fixed<i64>> {
    let most = (1i128 << (bits - 1)) - 1;
    let narrow = |(value, cc)| (value as i64, cc);
    to_integer(env, source, -most - 1, most).map(narrow).map_err(|trap| trap.map(narrow))
}

/// CONVERT TO LOGICAL into `bits` bits, 32 or 64.
pub fn to_unsigned<B: Binary>(env: &mut Environment, source: B, bits: u32) -> Outcome<Fixed<u64>> {
    let narrow = |(value, cc)| (value as u64, cc);
    to_integer(env, source, 0, (1i128 << bits) - 1).map(narrow).map_err(|trap| trap.map(narrow))
}

/// LOAD FP INTEGER: the number rounded to an integer in the same format. A zero keeps the sign of the source.
pub fn load_fp_integer<B: Binary>(env: &mut Environment, source: B) -> Outcome<B> {
    if let Some(number) = source.host_value()
        && number.abs() < TWO_62
    {
        let truncated = number as i64 as f64;
        let integer = match env.rounding {
            Rounding::TowardZero => truncated,
            Rounding::TowardPlusInfinity if truncated < number => truncated + 1.0,
            Rounding::TowardMinusInfinity if truncated > number => truncated - 1.0,
            Rounding::TowardPlusInfinity | Rounding::TowardMinusInfinity => truncated,
            // Zero: take the exact path.
            _ => 0.0,
        };
        if integer != 0.0
            && let Some(result) = B::host_number(integer)
        {
            let incremented = integer.abs() > number.abs();
            let rounded = Discarded { kept: 0, inexact: integer != number, incremented };
            return env.inexact(result, rounded);
        }
    }
    if let Some(nan) = propagate(env, [source]) {
        return nan;
    }
    let number = source.unpack();
    if !number.class.is_finite() || number.is_zero() || number.exponent >= B::PRECISION as i32 - 1 {
        return Ok(source);
    }
    let discarded = (LEADING as i32 - number.exponent) as u32;
    let rounded = env.rounding.discard(number.negative, number.significand, discarded);
    if rounded.kept == 0 {
        return env.inexact(B::zero(number.negative), rounded);
    }
    let (exponent, significand) = normalize(LEADING as i32, rounded.kept);
    // The integer has no more bits than the source, so this rounds nothing.
    let value = env.round(number.negative, exponent, significand)?;
    env.inexact(value, rounded)
}

/// LOAD LENGTHENED: exact, but a signaling NaN is an invalid operation.
pub fn load_lengthened<B: Binary, W: Binary>(env: &mut Environment, source: B) -> Outcome<W> {
    if let Some(number) = source.host_value().and_then(W::host_number) {
        return Ok(number);
    }
    if let Some(nan) = propagate(env, [source]) {
        return nan;
    }
    convert(source.unpack(), |negative, exponent, significand| env.round(negative, exponent, significand))
}

/// What LOAD ROUNDED leaves in the register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Narrowed<B, W> {
    /// The result in the shorter format.
    Target(B),
    /// After an enabled overflow or underflow: rounded to the precision of the shorter format, scaled, in the format of
    /// the source.
    Source(W),
}

/// LOAD ROUNDED from the format `W` to the shorter `B`.
pub fn load_rounded<W: Binary, B: Binary>(env: &mut Environment, source: W) -> Outcome<Narrowed<B, W>> {
    if env.rounding == Rounding::NearestEven
        && let Some(wide) = source.host_value()
        && let Some(number) = B::host_number(wide)
        && let Some(narrow) = number.host_value()
    {
        let rounded = Discarded { kept: 0, inexact: narrow != wide, incremented: narrow.abs() > wide.abs() };
        return env.inexact(Narrowed::Target(number), rounded);
    }
    if let Some(nan) = propagate::<W, B, 1>(env, [source]) {
        return nan.map(Narrowed::Target).map_err(|trap| trap.map(Narrowed::Target));
    }
    convert(source.unpack(), |negative, exponent, significand| {
        env.round_wide::<B, W>(negative, exponent, significand, W::ROUNDED_SCALE)
    })
    .map(Narrowed::Target)
    .map_err(|rounded| match rounded {
        Rounded::Trap(trap) => trap.map(Narrowed::Target),
        Rounded::Range(value, dxc) => Trap::Complete(Narrowed::Source(value), dxc),
    })
}

/// A number that is no NaN in another format.
fn convert<B: Binary, E>(number: Unpacked, finite: impl FnOnce(bool, i32, u128) -> Result<B, E>) -> Result<B, E> {
    match number.class {
        Class::Zero => Ok(B::zero(number.negative)),
        Class::Infinity => Ok(B::infinity(number.negative)),
        _ => finite(number.negative, number.exponent, number.significand),
    }
}
