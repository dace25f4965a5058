//! Operands: the classes of binary numbers, with the values at which something changes.

use support::Random;

/// A binary format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    Short,
    Long,
    Extended,
}

impl Format {
    /// Bits of the number.
    pub(crate) fn width(self) -> u32 {
        match self {
            Format::Short => 32,
            Format::Long => 64,
            Format::Extended => 128,
        }
    }

    /// Bits of the fraction.
    pub(crate) fn fraction(self) -> u32 {
        match self {
            Format::Short => 23,
            Format::Long => 52,
            Format::Extended => 112,
        }
    }

    /// The bias, which is the largest exponent.
    pub(crate) fn bias(self) -> i64 {
        match self {
            Format::Short => 127,
            Format::Long => 1023,
            Format::Extended => 16383,
        }
    }

    /// What an enabled overflow or underflow adds to or takes from the exponent (POP, figure "Scale factors").
    pub(crate) fn scale(self) -> i32 {
        match self {
            Format::Short => 192,
            Format::Long => 1536,
            Format::Extended => 24576,
        }
    }

    pub(crate) fn sign(self) -> u128 {
        1 << (self.width() - 1)
    }

    /// Plus infinity.
    pub(crate) fn infinity(self) -> u128 {
        (2 * self.bias() as u128 + 1) << self.fraction()
    }

    /// The bit that makes a NaN a quiet one.
    pub(crate) fn quiet(self) -> u128 {
        1 << (self.fraction() - 1)
    }

    pub(crate) fn default_nan(self) -> u128 {
        self.infinity() | self.quiet()
    }

    pub(crate) fn is_nan(self, bits: u128) -> bool {
        bits & !self.sign() > self.infinity()
    }

    pub(crate) fn is_signaling(self, bits: u128) -> bool {
        self.is_nan(bits) && bits & self.quiet() == 0
    }

    pub(crate) fn is_zero(self, bits: u128) -> bool {
        bits & !self.sign() == 0
    }

    pub(crate) fn is_infinite(self, bits: u128) -> bool {
        bits & !self.sign() == self.infinity()
    }

    /// A power of two, as far as the format has normal numbers.
    fn power(self, exponent: i64) -> u128 {
        ((self.bias() + exponent).clamp(1, 2 * self.bias()) as u128) << self.fraction()
    }
}

/// How many classes [`operand`] knows, signs apart.
pub(crate) const CLASSES: usize = 21;

/// Exponents at which formats and integers begin and end.
const LIMITS: [i64; 26] = [
    -16494, -16445, -16382, -1075, -1074, -1022, -150, -149, -126, -25, -24, -1, 23, 24, 31, 32, 52, 53, 63, 64, 112,
    127, 128, 1023, 1024, 16383,
];

/// A number without its sign, of the class `class`.
pub(crate) fn magnitude(random: &mut Random, format: Format, class: usize) -> u128 {
    let fraction = format.fraction();
    let ones = (1 << fraction) - 1;
    let any = (u128::from(random.word()) << 64 | u128::from(random.word())) & ones;
    let few = u128::from(random.below(4u32));
    let step = |at: u128, by: u128, up: bool| if up { at + by } else { at - by };
    let up = random.one_in(2);
    let moderate = format.power(i64::from(random.below(140u32)) - 70);
    match class {
        0 => 0,
        1 => 1,
        2 => (any >> random.below(fraction)).max(1),
        3 => ones - few,
        4 => 1 << fraction,
        5 => format.power(1 - format.bias() + i64::from(random.below(60u32))) | any,
        6 => format.power(0),
        7 => step(format.power(i64::from(random.below(9u32)) - 4), few, up),
        // Halves: integers and what lies between two.
        8 => format.power(1 + i64::from(random.below(8u32))) | any >> (fraction - 9) << (fraction - 9),
        9 => step(format.power(random.pick(&[31, 32, 63, 64])), random.pick(&[0, 1, 2, 1 << (fraction / 2)]), up),
        10 => {
            let at = format.power(random.pick(&LIMITS));
            random.pick(&[at, at + 1, at - 1, at | 1 << (fraction - 1), at | ones])
        }
        11 => moderate | any,
        12 => moderate | any & !0 << random.below(fraction),
        // Halfway between two numbers of a shorter format, or nearly.
        13 => {
            let half = random.pick(&[fraction - 1, 88, 59, 28, 3]).min(fraction - 1);
            let tie = any >> half << half & !(1 << half) | 1 << half.saturating_sub(1);
            step(moderate | tie, few & 1, up)
        }
        14 => format.infinity() - 1 - few,
        15 => format.power(format.bias() - i64::from(random.below(3u32))) | any,
        16 => format.infinity(),
        17 => format.default_nan(),
        18 => format.default_nan() | any >> 1,
        19 => format.infinity() | (any & !format.quiet()).max(1),
        _ => any | u128::from(random.word()) << 64 & format.infinity() | u128::from(random.word()) & format.infinity(),
    }
}

/// The same with the sign that `negative` tells.
pub(crate) fn signed(format: Format, negative: bool, magnitude: u128) -> u128 {
    magnitude & !format.sign() | if negative { format.sign() } else { 0 }
}

/// A number close to `other`, so that their difference loses its leading bits.
pub(crate) fn near(random: &mut Random, format: Format, other: u128) -> u128 {
    let by = 1u128 << random.below(format.fraction());
    let other = other & !format.sign();
    if random.one_in(2) { other.saturating_sub(by) } else { (other + by).min(format.infinity() - 1) }
}
