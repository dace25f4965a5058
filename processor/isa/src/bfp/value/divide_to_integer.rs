//! DIVIDE TO INTEGER (POP, chapter 19): an integer quotient and the remainder that belongs to it.

use super::arithmetic::{product, propagate, quotient, sum};
use super::environment::{Environment, Fpc, Outcome, Rounding, normalize};
use super::format::{Binary, Class, LEADING, Unpacked};

/// The two results and the condition code: bit 2 (value 2) tells that the remainder is incomplete, bit 1 (value 1) that
/// the quotient overflowed, its exponent being adjusted, or is a NaN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Division<B> {
    /// The quotient, an integer.
    pub quotient: B,
    /// What is left of the dividend.
    pub remainder: B,
    /// The condition code, 0 to 3.
    pub cc: u8,
}

/// Divides `a` by `b`; the complete quotient is rounded to an integer as `rounding` says, the remainder as the FPC
/// says.
///
/// A quotient of more bits than the format has is truncated to them, and the remainder is incomplete unless it is zero:
/// the program divides it again.
pub fn divide_to_integer<B: Binary>(fpc: &mut Fpc, a: B, b: B, rounding: Rounding) -> Outcome<Division<B>> {
    let mut env = Environment::current(*fpc);
    let outcome = divide(&mut env, a, b, rounding);
    *fpc = env.fpc;
    outcome
}

fn divide<B: Binary>(env: &mut Environment, a: B, b: B, rounding: Rounding) -> Outcome<Division<B>> {
    let both = |nan| Division { quotient: nan, remainder: nan, cc: 1 };
    if let Some(nan) = propagate::<B, B, 2>(env, [a, b]) {
        return nan.map(both).map_err(|trap| trap.map(both));
    }
    let (dividend, divisor) = (a.unpack(), b.unpack());
    let negative = dividend.negative != divisor.negative;
    match (dividend.class, divisor.class) {
        (Class::Infinity, _) | (_, Class::Zero) => return env.invalid(both(B::default_nan())),
        (Class::Zero, _) => return Ok(Division { quotient: B::zero(negative), remainder: a, cc: 0 }),
        _ => {}
    }
    let truncated = if divisor.is_infinite() { None } else { Some(quotient(dividend, divisor, B::PRECISION)) };
    let (integer, complete) = match truncated {
        None => (None, true),
        Some((exponent, significand)) if exponent < B::PRECISION as i32 => {
            let rounded = rounding.discard(negative, significand, (LEADING as i32 - exponent) as u32).kept;
            ((rounded != 0).then(|| normalize(LEADING as i32, rounded)), true)
        }
        Some((exponent, significand)) => {
            let bits = LEADING + 1 - B::PRECISION;
            (Some((exponent, significand >> bits << bits)), false)
        }
    };
    let Some((exponent, significand)) = integer else {
        let keep = |remainder| Division { quotient: B::zero(negative), remainder, cc: 0 };
        let remainder = env.round::<B>(dividend.negative, dividend.exponent, dividend.significand);
        return remainder.map(keep).map_err(|trap| trap.map(keep));
    };
    let overflow = exponent > B::EMAX;
    let adjusted = if overflow { exponent - B::SCALE } else { exponent };
    let quotient = Environment::current(Fpc(0)).round(negative, adjusted, significand);
    let quotient = quotient.expect("an integer of the format's precision, and no exception is enabled");
    let subtrahend = product(Unpacked { negative, class: Class::Normal, exponent, significand }, divisor);
    let keep = |remainder: B| {
        let zero = remainder.magnitude() == 0;
        // An exactly zero remainder has the sign of the dividend.
        let remainder = if zero { B::zero(dividend.negative) } else { remainder };
        let cc = if complete || zero { 0 } else { 2 } | u8::from(overflow);
        Division { quotient, remainder, cc }
    };
    sum(env, dividend, subtrahend.negate()).map(keep).map_err(|trap| trap.map(keep))
}
