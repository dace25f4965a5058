//! CONVERT BFP TO HFP and CONVERT HFP TO BFP (POP, chapter 9). Neither recognizes an IEEE or HFP exception.
//!
//! A long hexadecimal number is a sign, a characteristic (power of 16, excess 64) and a fraction of 14 digits.

use super::environment::{Environment, Fpc, Rounding, normalize};
use super::format::{Binary, LEADING};

const SIGN: u64 = 1 << 63;
const FRACTION_BITS: u32 = 56;

/// CONVERT BFP TO HFP: a short or long number as a long hexadecimal one, and the condition code: 0, 1 or 2 as the
/// source is zero, less or greater, 3 if it does not fit and the result is the largest magnitude. Every fraction fits.
pub fn to_hexadecimal<B: Binary>(source: B) -> (u64, u8) {
    let number = source.unpack();
    let sign = if number.negative { SIGN } else { 0 };
    if number.is_zero() {
        return (sign, 0);
    }
    let too_large = (sign | (SIGN - 1), 3);
    if number.class.is_nan() {
        return (SIGN - 1, 3);
    }
    if !number.class.is_finite() {
        return too_large;
    }
    // 1.x × 2^e is 0.1x × 2^(e+1); the exponent is raised to a multiple of four, the fraction shifted as much.
    let power = (number.exponent + 1 + 3).div_euclid(4);
    let shift = (4 * power - (number.exponent + 1)) as u32;
    let fraction = (number.significand >> (LEADING + 1 - FRACTION_BITS)) as u64 >> shift;
    let cc = if number.negative { 1 } else { 2 };
    match power + 64 {
        characteristic @ 0..=127 => (sign | (characteristic as u64) << FRACTION_BITS | fraction, cc),
        128.. => too_large,
        _ => (sign, cc),
    }
}

/// CONVERT HFP TO BFP: a long hexadecimal number as a short or long one, and the condition code as above; 3 means
/// overflow, with infinity or the largest number as `rounding` demands.
pub fn from_hexadecimal<B: Binary>(source: u64, rounding: Rounding) -> (B, u8) {
    let negative = source & SIGN != 0;
    let fraction = source & ((1 << FRACTION_BITS) - 1);
    if fraction == 0 {
        return (B::zero(negative), 0);
    }
    let characteristic = (source >> FRACTION_BITS & 0x7f) as i32;
    let exponent = 4 * (characteristic - 64) + (LEADING - FRACTION_BITS) as i32;
    let (exponent, significand) = normalize(exponent, fraction.into());
    let mut env = Environment { fpc: Fpc(0), rounding, suppress_inexact: true };
    let value = env.round(negative, exponent, significand).expect("no exception is enabled");
    let cc = if env.fpc.flags(Fpc::OVERFLOW) {
        3
    } else if negative {
        1
    } else {
        2
    };
    (value, cc)
}
