//! The host's floating point, where its result is provably ours.
//!
//! IEEE 754 fixes the result of the basic operations under round to nearest, so the host's is right whenever no
//! exception but inexact can arise: the result is a normal number clear of both ends of the range, or an exact zero.
//! NaNs, infinities and subnormal numbers are left to the exact path, and so are all other rounding modes.
//!
//! The host does not tell cheaply whether its result is inexact. It does not matter once the inexact flag is on, and it
//! stays on from a program's first division. Before that, the error of the result is computed; it is itself a
//! floating-point number for each of these operations (Dekker, Knuth), and must be zero.

use super::environment::Fpc;

/// What of arithmetic the host can do for a format. `None`: take the exact path.
pub trait Host: Sized {
    fn host_add(_fpc: Fpc, _a: Self, _b: Self) -> Option<Self> {
        None
    }
    fn host_subtract(_fpc: Fpc, _a: Self, _b: Self) -> Option<Self> {
        None
    }
    fn host_multiply(_fpc: Fpc, _a: Self, _b: Self) -> Option<Self> {
        None
    }
    fn host_divide(_fpc: Fpc, _a: Self, _b: Self) -> Option<Self> {
        None
    }
    fn host_square_root(_fpc: Fpc, _a: Self) -> Option<Self> {
        None
    }
    /// `a × b + c`.
    fn host_multiply_add(_fpc: Fpc, _a: Self, _b: Self, _c: Self) -> Option<Self> {
        None
    }
    /// `a × b − c`.
    fn host_multiply_subtract(_fpc: Fpc, _a: Self, _b: Self, _c: Self) -> Option<Self> {
        None
    }
    /// The number as the host has it, if it is zero or ordinary.
    fn host_value(self) -> Option<f64> {
        None
    }
    /// The nearest number of this format, if it is zero or ordinary.
    fn host_number(_value: f64) -> Option<Self> {
        None
    }
}

/// No host has extended numbers in hardware.
impl Host for u128 {}

/// Round to nearest with ties to even, and an inexact result does not interrupt.
#[inline(always)]
fn usable(fpc: Fpc) -> bool {
    fpc.0 & (Fpc::INEXACT << 8 | 7) == 0
}

#[inline(always)]
fn flagged(fpc: Fpc) -> bool {
    fpc.0 & Fpc::INEXACT != 0
}

/// Whether Knuth's two-sum finds no error in `sum = a + b`.
macro_rules! sum_is_exact {
    ($a:expr, $b:expr, $sum:expr) => {{
        let (a, b, sum) = ($a, $b, $sum);
        let part = sum - a;
        (a - (sum - part)) + (b - part) == 0.0
    }};
}

macro_rules! host {
    ($bits:ty, $float:ty, $fraction_bits:literal, $exponent_mask:literal, $product_is_exact:expr, $lowest_exact:literal) => {
        impl Host for $bits {
            #[inline(always)]
            fn host_add(fpc: Fpc, a: Self, b: Self) -> Option<Self> {
                if !usable(fpc) {
                    return None;
                }
                let (x, y) = (<$float>::from_bits(a), <$float>::from_bits(b));
                let sum = x + y;
                // A sum is never inexact and tiny, so zero is exact; the range test is for overflow and NaNs.
                if !(ordinary(sum.to_bits()) || sum == 0.0) {
                    return None;
                }
                (flagged(fpc) || sum_is_exact!(x, y, sum)).then(|| sum.to_bits())
            }

            #[inline(always)]
            fn host_subtract(fpc: Fpc, a: Self, b: Self) -> Option<Self> {
                // Negation is exact; a NaN must keep its sign, but never gets through.
                Self::host_add(fpc, a, b ^ 1 << (Self::BITS - 1))
            }

            #[inline(always)]
            fn host_multiply(fpc: Fpc, a: Self, b: Self) -> Option<Self> {
                if !usable(fpc) {
                    return None;
                }
                let (x, y) = (<$float>::from_bits(a), <$float>::from_bits(b));
                let product = x * y;
                if !ordinary(product.to_bits()) {
                    return (product == 0.0 && (x == 0.0 || y == 0.0)).then(|| product.to_bits());
                }
                (flagged(fpc) || certain(product.to_bits()) && $product_is_exact(x, y, product))
                    .then(|| product.to_bits())
            }

            #[inline(always)]
            fn host_divide(fpc: Fpc, a: Self, b: Self) -> Option<Self> {
                if !usable(fpc) {
                    return None;
                }
                let (x, y) = (<$float>::from_bits(a), <$float>::from_bits(b));
                let quotient = x / y;
                if !ordinary(quotient.to_bits()) {
                    return None;
                }
                (flagged(fpc) || certain(a) && $product_is_exact(quotient, y, x)).then(|| quotient.to_bits())
            }

            #[inline(always)]
            fn host_square_root(fpc: Fpc, a: Self) -> Option<Self> {
                let x = <$float>::from_bits(a);
                let root = x.sqrt();
                if !usable(fpc) || !ordinary(root.to_bits()) {
                    return None;
                }
                (flagged(fpc) || certain(a) && $product_is_exact(root, root, x)).then(|| root.to_bits())
            }

            #[inline(always)]
            fn host_multiply_add(fpc: Fpc, a: Self, b: Self, c: Self) -> Option<Self> {
                if !usable(fpc) || !flagged(fpc) {
                    return None;
                }
                // The standard library's fused operation: one host instruction where the C library finds it.
                let sum = <$float>::from_bits(a).mul_add(<$float>::from_bits(b), <$float>::from_bits(c));
                ordinary(sum.to_bits()).then(|| sum.to_bits())
            }

            #[inline(always)]
            fn host_multiply_subtract(fpc: Fpc, a: Self, b: Self, c: Self) -> Option<Self> {
                Self::host_multiply_add(fpc, a, b, c ^ 1 << (Self::BITS - 1))
            }

            #[inline(always)]
            fn host_value(self) -> Option<f64> {
                (ordinary(self) || self << 1 == 0).then(|| <$float>::from_bits(self).into())
            }

            #[inline(always)]
            fn host_number(value: f64) -> Option<Self> {
                let number = value as $float;
                (ordinary(number.to_bits()) || value == 0.0).then(|| number.to_bits())
            }
        }

        const _: () = {
            assert!($exponent_mask == (1 << (<$bits>::BITS - 1 - $fraction_bits)) - 1);
        };
    };
}

/// The range tests of one format, in a module for each because two functions have one name.
macro_rules! format {
    ($module:ident, $bits:ty, $float:ty, $fraction_bits:literal, $exponent_mask:literal, $product_is_exact:expr, $lowest_exact:literal) => {
        mod $module {
            use super::{Fpc, Host, flagged, usable};

            /// A finite number so large that it cannot have been tiny before rounding.
            #[inline(always)]
            fn ordinary(bits: $bits) -> bool {
                (bits >> $fraction_bits & $exponent_mask).wrapping_sub(2) < $exponent_mask - 2
            }

            /// Ordinary, and so large that the error of a product rounded to it is a normal number, too.
            #[inline(always)]
            fn certain(bits: $bits) -> bool {
                (bits >> $fraction_bits & $exponent_mask).wrapping_sub($lowest_exact) < $exponent_mask - $lowest_exact
            }

            host!($bits, $float, $fraction_bits, $exponent_mask, $product_is_exact, $lowest_exact);
        }
    };
}

format!(short, u32, f32, 23, 0xff, |x: f32, y: f32, product: f32| f64::from(x) * f64::from(y) == f64::from(product), 2);
format!(long, u64, f64, 52, 0x7ff, |x: f64, y: f64, product: f64| x.mul_add(y, -product) == 0.0, 110);
