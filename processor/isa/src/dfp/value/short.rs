//! Numbers of few digits, which 64 bits hold: sums, products, comparisons and quanta of them are done without wider
//! integers. Most numbers of programs are of that kind.
//!
//! Each function here answers `None` where it is not sure, and then the function of the same purpose in
//! [`super::arithmetic`] or [`super::convert`] does all of it. Where it answers, both agree; tests/decimal_short.rs
//! tries that.

use super::environment::Environment;
use super::format::{Decimal, Short};
use super::wide::{Rest, power};
use crate::bfp::value::Outcome;
use std::cmp::Ordering;

/// Digits that six declets have, and that a product with a sign leaves room for.
const DIGITS: u32 = 18;

/// Powers of ten, as far as such a number goes.
const POWERS: [u64; DIGITS as usize + 1] = {
    let mut table = [0; DIGITS as usize + 1];
    let mut n = 0;
    while n <= DIGITS {
        table[n as usize] = power(n) as u64;
        n += 1;
    }
    table
};

/// How many digits a short number of a format can have.
const fn room<D: Decimal>() -> u32 {
    if D::DIGITS < DIGITS { D::DIGITS } else { DIGITS }
}

impl Short {
    /// The coefficient moved to the left, if it fits.
    #[inline(always)]
    fn shifted(self, by: u32) -> Option<u64> {
        let fits = by < DIGITS && self.coefficient < POWERS[(DIGITS - by) as usize];
        fits.then(|| self.coefficient * POWERS[by as usize])
    }

    /// The result that is exact and has its preferred quantum: if it is not zero, normal whatever its digits, and fits.
    #[inline(always)]
    fn plain<D: Decimal>(self) -> Option<D> {
        let fits = self.coefficient != 0 && self.coefficient < POWERS[room::<D>() as usize];
        (fits && (D::NORMAL_MIN..=D::GREATEST).contains(&self.exponent)).then(|| D::from_short(self))
    }
}

/// Both coefficients with the smaller exponent, and that exponent.
#[inline(always)]
fn aligned(a: Short, b: Short) -> Option<(u64, u64, i32)> {
    // Exponents are far from the ends of 32 bits.
    let distance = a.exponent - b.exponent;
    match distance {
        0 => Some((a.coefficient, b.coefficient, a.exponent)),
        1.. => Some((a.shifted(distance as u32)?, b.coefficient, b.exponent)),
        _ => Some((a.coefficient, b.shifted(distance.unsigned_abs())?, a.exponent)),
    }
}

/// With the sign, as an integer.
#[inline(always)]
fn signed(negative: bool, coefficient: u64) -> i64 {
    if negative { -(coefficient as i64) } else { coefficient as i64 }
}

/// The sum, or the difference.
#[inline(always)]
pub(super) fn sum<D: Decimal>(a: D, b: D, subtract: bool) -> Option<D> {
    let (a, b) = (a.short()?, b.short()?);
    let (x, y, exponent) = aligned(a, b)?;
    let sum = signed(a.negative, x) + signed(b.negative != subtract, y);
    Short { negative: sum < 0, coefficient: sum.unsigned_abs(), exponent }.plain()
}

/// The product.
#[inline(always)]
pub(super) fn product<D: Decimal>(a: D, b: D) -> Option<D> {
    let (a, b) = (a.short()?, b.short()?);
    let coefficient = a.coefficient.checked_mul(b.coefficient)?;
    Short { negative: a.negative != b.negative, coefficient, exponent: a.exponent + b.exponent }.plain()
}

/// The order.
#[inline(always)]
pub(super) fn order<D: Decimal>(a: D, b: D) -> Option<Ordering> {
    let (a, b) = (a.short()?, b.short()?);
    let (x, y, _) = aligned(a, b)?;
    Some(signed(a.negative, x).cmp(&signed(b.negative, y)))
}

/// A number with the quantum of another.
#[inline(always)]
pub(super) fn quantized<D: Decimal>(env: &mut Environment, number: D, like: D) -> Option<Outcome<D>> {
    let (number, like) = (number.short()?, like.short()?);
    let fewer = like.exponent - number.exponent;
    let with = |coefficient| D::from_short(Short { negative: number.negative, coefficient, exponent: like.exponent });
    if fewer <= 0 {
        let coefficient = number.shifted(fewer.unsigned_abs())?;
        return (coefficient < POWERS[room::<D>() as usize]).then(|| Ok(with(coefficient)));
    }
    if fewer > DIGITS as i32 {
        return None;
    }
    let unit = POWERS[fewer as usize];
    let (kept, lost) = (number.coefficient / unit, number.coefficient % unit);
    let rest = match lost.cmp(&(unit / 2)) {
        _ if lost == 0 => Rest::Zero,
        Ordering::Less => Rest::Less,
        Ordering::Equal => Rest::Half,
        Ordering::Greater => Rest::More,
    };
    let rounded = env.rounding.rounded(number.negative, kept.into(), rest);
    // One digit is gone, so that a carry fits.
    Some(env.inexact(with(rounded.kept as u64), rounded))
}

/// An integer.
#[inline(always)]
pub(super) fn integer<D: Decimal>(value: i128) -> Option<D> {
    let coefficient = u64::try_from(value.unsigned_abs()).ok().filter(|&n| n < POWERS[room::<D>() as usize])?;
    Some(D::from_short(Short { negative: value < 0, coefficient, exponent: 0 }))
}

/// The number in a longer format.
#[inline(always)]
pub(super) fn lengthened<D: Decimal, W: Decimal>(source: D) -> Option<W> {
    source.short().map(W::from_short)
}
