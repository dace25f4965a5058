//! The three decimal formats, and how a bit pattern is taken apart and put together (POP, chapter 20, "DFP Data
//! Formats").

use super::declet::{declets, number};
use super::wide::power;

/// What a datum is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// A number: coefficient × 10^exponent.
    Finite,
    /// Plus or minus infinity.
    Infinite,
    /// A NaN that operations hand on.
    Quiet,
    /// A NaN that is an invalid operand.
    Signaling,
}

/// A datum taken apart. Of an infinity or a NaN the coefficient is what its declets say, one digit less than a number
/// has, and the exponent is 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Number {
    /// Whether the sign is minus.
    pub negative: bool,
    /// What it is.
    pub class: Class,
    /// The digits, an integer.
    pub coefficient: u128,
    /// The power of ten of the rightmost digit: the quantum.
    pub exponent: i32,
}

impl Number {
    /// The default NaN: plus, quiet, with a zero payload.
    pub const DEFAULT_NAN: Number = Number { negative: false, class: Class::Quiet, coefficient: 0, exponent: 0 };

    /// A number.
    pub fn finite(negative: bool, coefficient: u128, exponent: i32) -> Number {
        Number { negative, class: Class::Finite, coefficient, exponent }
    }

    /// An infinity, its declets zero.
    pub fn infinity(negative: bool) -> Number {
        Number { negative, class: Class::Infinite, coefficient: 0, exponent: 0 }
    }

    /// Whether it is a number.
    pub fn is_finite(&self) -> bool {
        self.class == Class::Finite
    }

    /// Whether it is an infinity.
    pub fn is_infinite(&self) -> bool {
        self.class == Class::Infinite
    }

    /// Whether it is plus or minus zero.
    pub fn is_zero(&self) -> bool {
        self.is_finite() && self.coefficient == 0
    }

    /// Whether it is a NaN of either kind.
    pub fn is_nan(&self) -> bool {
        matches!(self.class, Class::Quiet | Class::Signaling)
    }

    /// As results have it: an infinity has no digits.
    pub fn canonical(self) -> Number {
        if self.is_infinite() { Number::infinity(self.negative) } else { self }
    }
}

/// A finite number of few digits: coefficient × 10^exponent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Short {
    /// Whether the sign is minus.
    pub negative: bool,
    /// The digits, 18 of them at most.
    pub coefficient: u64,
    /// The power of ten of the rightmost digit.
    pub exponent: i32,
}

/// A decimal format, implemented for the integer that holds it: `u32` short, `u64` long, `u128` extended.
pub trait Decimal: Copy + Eq + std::fmt::Debug {
    /// Digits of the coefficient.
    const DIGITS: u32;
    /// The biased exponent is the exponent and this.
    const BIAS: i32;
    /// The greatest biased exponent.
    const BIASED_MAX: i32;
    /// How much an enabled overflow or underflow adjusts the exponent (POP, "Scaled value").
    const SCALE: i32;

    /// The least exponent.
    const LEAST: i32 = -Self::BIAS;
    /// The greatest exponent.
    const GREATEST: i32 = Self::BIASED_MAX - Self::BIAS;
    /// The greatest exponent of a leftmost digit.
    const EXPONENT_MAX: i32 = Self::GREATEST + Self::DIGITS as i32 - 1;
    /// The least exponent of a normal number's leftmost digit.
    const NORMAL_MIN: i32 = Self::LEAST + Self::DIGITS as i32 - 1;
    /// How much LOAD ROUNDED from this format adjusts it: 192 for long, 3072 for extended numbers.
    const ROUNDED_SCALE: i32 = Self::SCALE / 3;

    /// Takes a datum apart.
    fn decode(self) -> Number;
    /// What kind of datum it is, whether all its digits are zero, and whether it is negative.
    fn glance(self) -> (Class, bool, bool);
    /// Takes a number of few digits apart; `None` for others, and for what is no number.
    fn short(self) -> Option<Short>;
    /// Puts a number of few digits together, which has to fit.
    fn from_short(number: Short) -> Self;
    /// Puts a datum together. It has to fit, but for the digits of what is no number: those that do not are lost.
    fn encode(number: Number) -> Self;

    /// Nmax, the largest number.
    fn nmax(negative: bool) -> Number {
        Number::finite(negative, power(Self::DIGITS) - 1, Self::GREATEST)
    }
}

/// The leftmost digit, the two leftmost bits of the biased exponent and what kind of datum it is, as the five bits of
/// the combination field tell (POP, chapter 20, figure "Encoding and Layout of the Combination Field").
struct Combination {
    class: Class,
    exponent: u32,
    digit: u32,
}

/// `bits`: the combination field, and one bit more.
#[inline]
fn combination(bits: u32) -> Combination {
    let class = match bits {
        0b11_1110 | 0b11_1111 => {
            if bits & 1 == 0 {
                Class::Quiet
            } else {
                Class::Signaling
            }
        }
        0b11_1100 | 0b11_1101 => Class::Infinite,
        _ => Class::Finite,
    };
    match bits >> 1 {
        0b11110 | 0b11111 => Combination { class, exponent: 0, digit: 0 },
        field @ 0b11000.. => Combination { class, exponent: field >> 1 & 3, digit: 8 | field & 1 },
        field => Combination { class, exponent: field >> 3, digit: field & 7 },
    }
}

/// The six leftmost bits after the sign, of what is no number.
fn special(class: Class) -> u64 {
    match class {
        Class::Finite => unreachable!("numbers have a combination field of their own"),
        Class::Infinite => 0b11_1100,
        Class::Quiet => 0b11_1110,
        Class::Signaling => 0b11_1111,
    }
}

/// The five bits of the combination field of a number.
#[inline]
fn field(exponent: u64, digit: u64) -> u64 {
    if digit > 7 { 0b11000 | exponent << 1 | digit & 1 } else { exponent << 3 | digit }
}

macro_rules! narrow {
    ($type:ty: $digits:literal digits in $declets:literal declets, bias $bias:literal to $max:literal,
     scale $scale:literal,
        exponent $continuation:literal bits) => {
        impl Decimal for $type {
            const DIGITS: u32 = $digits;
            const BIAS: i32 = $bias;
            const BIASED_MAX: i32 = $max;
            const SCALE: i32 = $scale;

            #[inline]
            fn decode(self) -> Number {
                let bits = u64::from(self);
                let top = <$type>::BITS - 1;
                let negative = bits >> top != 0;
                let Combination { class, exponent, digit } = combination((bits >> (top - 6)) as u32 & 0x3f);
                let coefficient = number(bits, $declets);
                if class != Class::Finite {
                    return Number { negative, class, coefficient: coefficient.into(), exponent: 0 };
                }
                let continuation = (bits >> (10 * $declets)) as u32 & ((1 << $continuation) - 1);
                Number {
                    negative,
                    class,
                    coefficient: (coefficient + u64::from(digit) * power($digits - 1) as u64).into(),
                    exponent: (exponent << $continuation | continuation) as i32 - $bias,
                }
            }

            #[inline]
            fn glance(self) -> (Class, bool, bool) {
                let bits = u64::from(self);
                let top = <$type>::BITS - 1;
                let Combination { class, digit, .. } = combination((bits >> (top - 6)) as u32 & 0x3f);
                (class, digit == 0 && bits & ((1 << (10 * $declets)) - 1) == 0, bits >> top != 0)
            }

            #[inline(always)]
            fn short(self) -> Option<Short> {
                let bits = u64::from(self);
                let top = <$type>::BITS - 1;
                let field = (bits >> (top - 5)) as u32 & 0x1f;
                let (exponent, digit) = match field {
                    0b11110.. => return None,
                    0b11000.. => (field >> 1 & 3, 8 | field & 1),
                    _ => (field >> 3, field & 7),
                };
                let continuation = (bits >> (10 * $declets)) as u32 & ((1 << $continuation) - 1);
                Some(Short {
                    negative: bits >> top != 0,
                    coefficient: number(bits, $declets) + u64::from(digit) * power($digits - 1) as u64,
                    exponent: (exponent << $continuation | continuation) as i32 - $bias,
                })
            }

            #[inline(always)]
            fn from_short(n: Short) -> $type {
                let top = <$type>::BITS - 1;
                let sign = u64::from(n.negative) << top;
                let rest = declets(n.coefficient, $declets);
                debug_assert!((Self::LEAST..=Self::GREATEST).contains(&n.exponent), "{n:?}");
                let digit = n.coefficient / power($digits - 1) as u64;
                debug_assert!(digit < 10, "{n:?}");
                let biased = (n.exponent + $bias) as u64;
                let continuation = biased & ((1 << $continuation) - 1);
                let field = field(biased >> $continuation, digit);
                (sign | field << (top - 5) | continuation << (10 * $declets) | rest) as $type
            }

            #[inline]
            fn encode(n: Number) -> $type {
                let top = <$type>::BITS - 1;
                let sign = u64::from(n.negative) << top;
                if n.class != Class::Finite {
                    // It may be a longer format's.
                    let rest = declets((n.coefficient % power($digits - 1)) as u64, $declets);
                    return (sign | special(n.class) << (top - 6) | rest) as $type;
                }
                let (negative, coefficient, exponent) = (n.negative, n.coefficient as u64, n.exponent);
                Self::from_short(Short { negative, coefficient, exponent })
            }
        }
    };
}

narrow!(u32: 7 digits in 2 declets, bias 101 to 191, scale 192, exponent 6 bits);
narrow!(u64: 16 digits in 5 declets, bias 398 to 767, scale 576, exponent 8 bits);

/// What six declets can tell, as a power of ten.
const SIX: u128 = power(18);

impl Decimal for u128 {
    const DIGITS: u32 = 34;
    const BIAS: i32 = 6176;
    const BIASED_MAX: i32 = 12287;
    const SCALE: i32 = 9216;

    #[inline]
    fn decode(self) -> Number {
        let left = (self >> 64) as u64;
        let negative = left >> 63 != 0;
        let Combination { class, exponent, digit } = combination((left >> 57) as u32 & 0x3f);
        // Eleven declets: six on the right, of which four bits are in the left half, and five.
        let right = number(self as u64 & ((1 << 60) - 1), 6);
        let middle = number((self >> 60) as u64, 5);
        let coefficient = u128::from(middle + u64::from(digit) * power(15) as u64) * SIX + u128::from(right);
        let exponent = match class {
            Class::Finite => (exponent << 12 | (left >> 46) as u32 & 0xfff) as i32 - Self::BIAS,
            _ => 0,
        };
        Number { negative, class, coefficient, exponent }
    }

    #[inline]
    fn glance(self) -> (Class, bool, bool) {
        let Combination { class, digit, .. } = combination((self >> 121) as u32 & 0x3f);
        (class, digit == 0 && self & ((1 << 110) - 1) == 0, self >> 127 != 0)
    }

    #[inline(always)]
    fn short(self) -> Option<Short> {
        let (left, right) = ((self >> 64) as u64, self as u64);
        // The leftmost digit is zero, and so are the five declets after it.
        let field = (left >> 58) as u32 & 0x1f;
        let zero = left & ((1 << 46) - 1) == 0 && right >> 60 == 0;
        (zero && field & 7 == 0 && field < 0b11000).then(|| Short {
            negative: left >> 63 != 0,
            coefficient: number(right, 6),
            exponent: (field >> 3 << 12 | (left >> 46) as u32 & 0xfff) as i32 - Self::BIAS,
        })
    }

    #[inline(always)]
    fn from_short(n: Short) -> u128 {
        debug_assert!((Self::LEAST..=Self::GREATEST).contains(&n.exponent), "{n:?}");
        let biased = (n.exponent + Self::BIAS) as u64;
        let left = u64::from(n.negative) << 63 | field(biased >> 12, 0) << 58 | (biased & 0xfff) << 46;
        u128::from(left) << 64 | u128::from(declets(n.coefficient, 6))
    }

    #[inline]
    fn encode(n: Number) -> u128 {
        let left = (n.coefficient / SIX) as u64;
        let right = (n.coefficient - u128::from(left) * SIX) as u64;
        let rest = u128::from(declets(left, 5)) << 60 | u128::from(declets(right, 6));
        let sign = u64::from(n.negative) << 63;
        let head = if n.is_finite() {
            debug_assert!((Self::LEAST..=Self::GREATEST).contains(&n.exponent), "{n:?}");
            let digit = left / power(15) as u64;
            debug_assert!(digit < 10, "{n:?}");
            let biased = (n.exponent + Self::BIAS) as u64;
            field(biased >> 12, digit) << 58 | (biased & 0xfff) << 46
        } else {
            special(n.class) << 57
        };
        u128::from(sign | head) << 64 | rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_numbers() {
        assert_eq!(0x2238_0000_0000_0001u64.decode(), Number::finite(false, 1, 0));
        assert_eq!(u64::encode(Number::finite(true, 1, 0)), 0xa238_0000_0000_0001);
        assert_eq!(u64::encode(u64::nmax(false)), 0x77fc_ff3f_cff3_fcff);
        assert_eq!(u32::encode(u32::nmax(true)), 0xf7f3_fcff);
        assert_eq!(u128::encode(u128::nmax(false)), 0x77ff_cff3_fcff_3fcf_f3fc_ff3f_cff3_fcff);
        assert_eq!(u128::encode(Number::finite(false, 0, 0)), 0x2208_0000 << 96);
        assert_eq!(u32::encode(Number::finite(false, 0, 0)), 0x2250_0000);
        assert_eq!(u64::encode(Number::DEFAULT_NAN), 0x7c00 << 48);
        assert_eq!(u64::encode(Number::infinity(true)), 0xf800 << 48);
        assert_eq!(0x7e00_0000u32.decode().class, Class::Signaling);
    }

    /// Limits of the exponent, whatever the leftmost digit.
    #[test]
    fn what_is_put_together_can_be_taken_apart() {
        fn all<D: Decimal>() {
            for digit in 0..10 {
                for exponent in [D::LEAST, D::LEAST + 1, -1, 0, 1, D::GREATEST - 1, D::GREATEST] {
                    let coefficient = digit * power(D::DIGITS - 1) + 123_456;
                    let number = Number::finite(digit % 2 == 0, coefficient, exponent);
                    assert_eq!(D::encode(number).decode(), number);
                }
            }
            for class in [Class::Infinite, Class::Quiet, Class::Signaling] {
                let number = Number { negative: true, class, coefficient: 987_654, exponent: 0 };
                assert_eq!(D::encode(number).decode(), number);
            }
        }
        all::<u32>();
        all::<u64>();
        all::<u128>();
    }
}
