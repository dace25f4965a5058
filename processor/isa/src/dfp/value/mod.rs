//! Decimal-floating-point values: the results, exceptions and condition codes of POP chapter 20, without a CPU.
//!
//! A short, long or extended datum is its bit pattern, a `u32`, `u64` or `u128` ([`Decimal`]), in densely packed
//! decimal. An operation takes it apart into a sign, an integer coefficient and an exponent ([`Number`]), works on the
//! coefficients as binary integers of 128 or, before rounding, twice as many bits ([`Wide`]), and ends in the single
//! rounding step [`Environment::round`]. docs/decisions/0010-decimal-floating-point.md says why no library does it.

mod arithmetic;
mod convert;
mod declet;
mod environment;
mod field;
mod format;
mod short;
mod wide;

pub use arithmetic::{add, add_any, compare, compare_any, condition, divide, load_and_test, multiply, multiply_any};
pub use convert::{
    from_any_integer, from_integer, load_any_lengthened, load_fp_integer, load_lengthened, load_rounded, quantize,
    quantize_any, reround, to_integer,
};
pub use environment::{Environment, Precise, Rounding};
pub use field::{
    biased_exponent, compare_exponents, data_class, data_group, shift_left, shift_right, significance,
    with_biased_exponent,
};
pub use format::{Class, Decimal, Number, Short};
pub use wide::{Rest, Wide, digits, power};
