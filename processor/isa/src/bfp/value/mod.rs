//! Binary-floating-point values: the results, exceptions and condition codes of POP chapter 19, without a CPU.
//!
//! A short, long or extended number is its bit pattern, a `u32`, `u64` or `u128` ([`Binary`]). Every operation takes
//! the floating-point-control register ([`Fpc`]) and may set its flags. What an operation yields is an [`Outcome`]: a
//! result, or a [`Trap`] when the program enabled the exception.
//!
//! There are two ways to a result. [`host`] lets the host's own floating point do the work, and answers only where its
//! result is certainly ours: round to nearest, an ordinary result, and an inexact exception that is already flagged or
//! can be excluded. Everything else goes through exact arithmetic on [`Unpacked`] numbers and the single rounding step
//! [`Environment::round`]. No soft-float library is used for that, because none delivers what an enabled overflow or
//! underflow requires (a scaled result), tells truncation from incrementation, or rounds to prepare for shorter
//! precision.

mod arithmetic;
mod compare;
mod convert;
mod divide_to_integer;
mod environment;
mod format;
mod hexadecimal;
mod host;
#[cfg(test)]
mod tests;

pub use arithmetic::{add, divide, multiply, multiply_add, multiply_longer, multiply_subtract, square_root, subtract};
pub use compare::{compare, compare_and_signal, condition, data_class, load_and_test};
pub use convert::{Narrowed, from_integer, load_fp_integer, load_lengthened, load_rounded, to_signed, to_unsigned};
pub use divide_to_integer::{Division, divide_to_integer};
pub(crate) use environment::Discarded;
pub use environment::{Environment, Fpc, Outcome, Rounding, Trap, dxc};
pub use format::{Binary, Class, Unpacked};
pub use hexadecimal::{from_hexadecimal, to_hexadecimal};
