//! The three binary formats and how a bit pattern is taken apart and put together (POP, chapter 19, "BFP Data
//! Formats").

use super::host::Host;

/// Where the leading bit of a nonzero [`Unpacked::significand`] stands. One bit is left above it for a carry, and at
/// least 14 below the longest significand for rounding.
pub(super) const LEADING: u32 = 126;

/// A binary format, implemented for the integer that holds it: `u32` short, `u64` long, `u128` extended.
pub trait Binary: Copy + Eq + std::fmt::Debug + Host {
    /// Bits of the significand, the implied one included.
    const PRECISION: u32;
    /// Bits of the whole number.
    const WIDTH: u32;
    /// The largest exponent of a finite number; also the bias.
    const EMAX: i32;
    /// How much an enabled overflow or underflow adjusts the exponent (POP, "Scaled value").
    const SCALE: i32;
    /// The same for LOAD ROUNDED from this format: 512 for long, 8192 for extended numbers (POP, *LOAD ROUNDED*).
    const ROUNDED_SCALE: i32 = Self::SCALE / 3;
    /// The number as its bits, on the right.
    fn to_bits(self) -> u128;
    /// Takes the low [`Self::WIDTH`] bits.
    fn from_bits(bits: u128) -> Self;

    /// The smallest exponent of a normal number.
    const EMIN: i32 = 1 - Self::EMAX;
    /// The bits of the fraction.
    const FRACTION: u128 = (1 << (Self::PRECISION - 1)) - 1;
    /// The sign bit.
    const SIGN: u128 = 1 << (Self::WIDTH - 1);
    /// An infinity without its sign: all bits of the exponent.
    const INFINITY: u128 = (2 * Self::EMAX as u128 + 1) << (Self::PRECISION - 1);
    /// The bit of the fraction that tells a quiet NaN.
    const QUIET: u128 = 1 << (Self::PRECISION - 2);

    /// The default quiet NaN: plus, with a zero payload.
    fn default_nan() -> Self {
        Self::from_bits(Self::INFINITY | Self::QUIET)
    }

    /// An infinity.
    fn infinity(negative: bool) -> Self {
        Self::signed(negative, Self::INFINITY)
    }

    /// Nmax, the largest finite number.
    fn largest(negative: bool) -> Self {
        Self::signed(negative, Self::INFINITY - 1)
    }

    /// A zero.
    fn zero(negative: bool) -> Self {
        Self::signed(negative, 0)
    }

    /// The number with this sign and these other bits.
    fn signed(negative: bool, magnitude: u128) -> Self {
        Self::from_bits(magnitude | if negative { Self::SIGN } else { 0 })
    }

    /// Whether the sign is minus, of a NaN and a zero as well.
    fn is_negative(self) -> bool {
        self.to_bits() & Self::SIGN != 0
    }

    /// Everything but the sign.
    fn magnitude(self) -> u128 {
        self.to_bits() & (Self::SIGN - 1)
    }

    /// Whether it is a NaN, quiet or signaling.
    fn is_nan(self) -> bool {
        self.magnitude() > Self::INFINITY
    }

    /// Whether it is a signaling NaN.
    fn is_signaling(self) -> bool {
        self.is_nan() && self.to_bits() & Self::QUIET == 0
    }

    /// Which data class it is of.
    fn class(self) -> Class {
        let magnitude = self.magnitude();
        if magnitude == 0 {
            Class::Zero
        } else if magnitude > Self::INFINITY {
            if magnitude & Self::QUIET == 0 { Class::SignalingNan } else { Class::QuietNan }
        } else if magnitude == Self::INFINITY {
            Class::Infinity
        } else if magnitude <= Self::FRACTION {
            Class::Subnormal
        } else {
            Class::Normal
        }
    }

    /// A signaling NaN becomes the corresponding quiet one.
    fn quieted(self) -> Self {
        Self::from_bits(self.to_bits() | Self::QUIET)
    }

    /// Takes the number apart. The fraction of a NaN is left-aligned below the leading bit, so that it can be packed
    /// into another format; an infinity or zero has no significand.
    fn unpack(self) -> Unpacked {
        let negative = self.is_negative();
        let magnitude = self.magnitude();
        let class = self.class();
        let up = LEADING + 1 - Self::PRECISION;
        let (exponent, significand) = match class {
            Class::Zero | Class::Infinity => (0, 0),
            Class::QuietNan | Class::SignalingNan => (0, (magnitude & Self::FRACTION) << up),
            Class::Subnormal => {
                let shift = magnitude.leading_zeros() - (127 - LEADING);
                (Self::EMIN - (shift - up) as i32, magnitude << shift)
            }
            Class::Normal => {
                let exponent = (magnitude >> (Self::PRECISION - 1)) as i32 - Self::EMAX;
                (exponent, ((magnitude & Self::FRACTION) | (Self::FRACTION + 1)) << up)
            }
        };
        Unpacked { negative, class, exponent, significand }
    }

    /// The quiet NaN with the sign and as much of the payload of the unpacked NaN as fits.
    fn nan_from(nan: Unpacked) -> Self {
        let fraction = nan.significand >> (LEADING + 1 - Self::PRECISION) & Self::FRACTION;
        Self::signed(nan.negative, Self::INFINITY | fraction | Self::QUIET)
    }
}

/// The data classes (POP, chapter 19, "Classes of BFP Data").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Plus or minus zero.
    Zero,
    /// A finite number with an implied one.
    Normal,
    /// A finite number of the least exponent, without one.
    Subnormal,
    /// Plus or minus infinity.
    Infinity,
    /// A NaN that operations hand on.
    QuietNan,
    /// A NaN that is an invalid operand.
    SignalingNan,
}

impl Class {
    /// Whether it is one of the two kinds of NaN.
    pub fn is_nan(self) -> bool {
        matches!(self, Class::QuietNan | Class::SignalingNan)
    }

    /// Whether it is a number: neither infinite nor a NaN.
    pub fn is_finite(self) -> bool {
        matches!(self, Class::Zero | Class::Normal | Class::Subnormal)
    }
}

/// A number taken apart. A finite nonzero one is `significand × 2^(exponent − 126)` with bit 2^126 of the significand
/// on: subnormal numbers are normalized here.
#[derive(Clone, Copy, Debug)]
pub struct Unpacked {
    /// Whether the sign is minus.
    pub negative: bool,
    /// Which data class it is of.
    pub class: Class,
    /// The exponent of the leading bit, without bias; 0 of what is not finite, and of zero.
    pub exponent: i32,
    /// The significand, its leading bit at 2^126; of a NaN the fraction below that.
    pub significand: u128,
}

impl Unpacked {
    /// Whether it is plus or minus zero.
    pub fn is_zero(&self) -> bool {
        self.class == Class::Zero
    }

    /// Whether it is plus or minus infinity.
    pub fn is_infinite(&self) -> bool {
        self.class == Class::Infinity
    }

    /// The same with the other sign.
    pub fn negate(mut self) -> Unpacked {
        self.negative = !self.negative;
        self
    }
}

/// Shifts right and keeps in the lowest bit whether a one was lost ("sticky bit").
pub(super) fn shift_sticky(significand: u128, by: u32) -> u128 {
    if by == 0 {
        significand
    } else if by >= 128 {
        u128::from(significand != 0)
    } else {
        significand >> by | u128::from(significand << (128 - by) != 0)
    }
}

impl Binary for u32 {
    const PRECISION: u32 = 24;
    const WIDTH: u32 = 32;
    const EMAX: i32 = 127;
    const SCALE: i32 = 192;
    fn to_bits(self) -> u128 {
        self.into()
    }
    fn from_bits(bits: u128) -> Self {
        bits as u32
    }
}

impl Binary for u64 {
    const PRECISION: u32 = 53;
    const WIDTH: u32 = 64;
    const EMAX: i32 = 1023;
    const SCALE: i32 = 1536;
    fn to_bits(self) -> u128 {
        self.into()
    }
    fn from_bits(bits: u128) -> Self {
        bits as u64
    }
}

impl Binary for u128 {
    const PRECISION: u32 = 113;
    const WIDTH: u32 = 128;
    const EMAX: i32 = 16383;
    const SCALE: i32 = 24576;
    fn to_bits(self) -> u128 {
        self
    }
    fn from_bits(bits: u128) -> Self {
        bits
    }
}
