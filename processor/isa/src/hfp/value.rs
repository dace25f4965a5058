//! Hexadecimal-floating-point values: results, exceptions and condition codes of POP chapter 18, without a CPU.
//!
//! A number is a sign, a characteristic (the power of 16, plus 64) and a fraction of 6, 14 or 28 hexadecimal digits.
//! While it is worked on, the fraction is an integer of so many digits and the characteristic may leave its seven bits.

/// A number taken apart: fraction × 16^(characteristic − 64 − digits).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Number {
    pub negative: bool,
    pub characteristic: i32,
    pub fraction: u128,
}

/// An exception that goes with a result, or prevents one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Exception {
    Overflow,
    Underflow,
    Significance,
    Divide,
    SquareRoot,
}

/// What the program mask allows to interrupt.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Mask {
    pub underflow: bool,
    pub significance: bool,
}

/// A result in place, perhaps with an exception that is taken afterwards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Outcome<T> {
    pub value: T,
    pub exception: Option<Exception>,
}

/// The bits of a fraction of `digits` digits.
const fn bits(digits: u32) -> u32 {
    4 * digits
}

/// One of the three formats.
pub(crate) trait Format: Copy {
    const DIGITS: u32;
    fn unpack(self) -> Number;
    /// The characteristic counts modulo 128.
    fn pack(n: Number) -> Self;

    /// Fraction zero, characteristic zero, and a sign.
    fn zero(negative: bool) -> Self {
        Self::pack(Number { negative, characteristic: 0, fraction: 0 })
    }
}

impl Format for u32 {
    const DIGITS: u32 = 6;
    fn unpack(self) -> Number {
        let characteristic = (self >> 24 & 0x7f) as i32;
        Number { negative: self >> 31 != 0, characteristic, fraction: (self & 0xff_ffff).into() }
    }
    fn pack(n: Number) -> u32 {
        (n.negative as u32) << 31 | (n.characteristic as u32 & 0x7f) << 24 | n.fraction as u32
    }
}

impl Format for u64 {
    const DIGITS: u32 = 14;
    fn unpack(self) -> Number {
        let characteristic = (self >> 56 & 0x7f) as i32;
        let fraction = (self & (1 << bits(14)) - 1).into();
        Number { negative: self >> 63 != 0, characteristic, fraction }
    }
    fn pack(n: Number) -> u64 {
        (n.negative as u64) << 63 | (n.characteristic as u64 & 0x7f) << 56 | n.fraction as u64
    }
}

/// Two long numbers: the second has the sign of the first and a characteristic less by 14, or zero with a true zero.
impl Format for u128 {
    const DIGITS: u32 = 28;
    fn unpack(self) -> Number {
        let (high, low) = (((self >> 64) as u64).unpack(), (self as u64).unpack());
        Number { fraction: high.fraction << bits(14) | low.fraction, ..high }
    }
    fn pack(n: Number) -> u128 {
        let part = |fraction, less: i32| {
            // Only a true zero has a zero on its right.
            let less = if n.fraction == 0 && n.characteristic == 0 { 0 } else { less };
            u64::pack(Number { characteristic: n.characteristic - less, fraction, ..n }) as u128
        };
        part(n.fraction >> bits(14), 0) << 64 | part(n.fraction & (1 << bits(14)) - 1, 14)
    }
}

impl Number {
    /// The fraction's leftmost digit becomes other than zero; a zero stays.
    fn normalized(mut self, digits: u32) -> Number {
        if self.fraction != 0 {
            let shift = (bits(digits) - (128 - self.fraction.leading_zeros()).min(bits(digits))) / 4;
            self.fraction <<= 4 * shift;
            self.characteristic -= shift as i32;
        }
        self
    }
}

/// 0 zero, 1 negative, 2 positive.
pub(super) fn condition<F: Format>(value: F) -> u8 {
    let n = value.unpack();
    if n.fraction == 0 { 0 } else { 2 - n.negative as u8 }
}

/// A result whose fraction fits: exponent overflow and underflow.
fn delivered<F: Format>(n: Number, mask: Mask) -> Outcome<F> {
    match n.characteristic {
        0..=127 => Outcome { value: F::pack(n), exception: None },
        128.. => Outcome { value: F::pack(n), exception: Some(Exception::Overflow) },
        _ if mask.underflow => Outcome { value: F::pack(n), exception: Some(Exception::Underflow) },
        _ => Outcome { value: F::zero(false), exception: None },
    }
}

/// A fraction of `digits` digits, normalized and cut off. Zero is a true zero.
fn rounded_down<F: Format>(n: Number, digits: u32, mask: Mask) -> Outcome<F> {
    if n.fraction == 0 {
        return Outcome { value: F::zero(false), exception: None };
    }
    let n = n.normalized(digits);
    delivered(Number { fraction: n.fraction >> bits(digits - F::DIGITS), ..n }, mask)
}

/// The sum of two fractions of `digits` digits, with a guard digit on the right: aligned to the higher characteristic,
/// and shifted if there is a carry. The digits are one more.
fn sum(a: Number, b: Number) -> Number {
    let (high, low) = if a.characteristic >= b.characteristic { (a, b) } else { (b, a) };
    let distance = (high.characteristic - low.characteristic) as u32;
    let (x, y) = (high.fraction << 4, (low.fraction << 4).checked_shr(4 * distance.min(40)).unwrap_or(0));
    let same = high.negative == low.negative;
    let (negative, fraction) = match () {
        _ if same => (high.negative, x + y),
        _ if x >= y => (high.negative, x - y),
        _ => (low.negative, y - x),
    };
    Number { negative: negative && fraction != 0, characteristic: high.characteristic, fraction }
}

/// After a carry everything goes one digit to the right.
fn carried(n: Number, digits: u32) -> Number {
    if n.fraction >> bits(digits) == 0 {
        return n;
    }
    Number { fraction: n.fraction >> 4, characteristic: n.characteristic + 1, ..n }
}

/// ADD NORMALIZED.
pub(super) fn add<F: Format>(a: F, b: F, mask: Mask) -> Outcome<F> {
    let sum = sum(a.unpack(), b.unpack());
    let digits = F::DIGITS + 1;
    if sum.fraction == 0 {
        return insignificant(sum, mask);
    }
    rounded_down(carried(sum, digits), digits, mask)
}

/// A sum of zero: a significance exception with the characteristic as it is, or a true zero.
fn insignificant<F: Format>(sum: Number, mask: Mask) -> Outcome<F> {
    if mask.significance {
        let n = Number { negative: false, fraction: 0, ..sum };
        Outcome { value: F::pack(n), exception: Some(Exception::Significance) }
    } else {
        Outcome { value: F::zero(false), exception: None }
    }
}

/// ADD UNNORMALIZED: the guard digit does not take part in the recognition of zero.
pub(super) fn add_unnormalized<F: Format>(a: F, b: F, mask: Mask) -> Outcome<F> {
    let sum = sum(a.unpack(), b.unpack());
    let sum = carried(sum, F::DIGITS + 1);
    let n = Number { fraction: sum.fraction >> 4, ..sum };
    if n.fraction == 0 { insignificant(n, mask) } else { delivered(n, mask) }
}

/// The sign turned around.
pub(super) fn negated<F: Format>(a: F) -> F {
    let n = a.unpack();
    F::pack(Number { negative: !n.negative, ..n })
}

/// COMPARE: 0 equal, 1 first low, 2 first high. Equal is what a normalized subtraction finds no digit of, the guard
/// digit included.
pub(super) fn compare<F: Format>(a: F, b: F) -> u8 {
    let b = b.unpack();
    let difference = sum(a.unpack(), Number { negative: !b.negative, ..b });
    if difference.fraction == 0 { 0 } else { 2 - difference.negative as u8 }
}

/// A product of 256 bits: high, low.
fn wide_product(a: u128, b: u128) -> (u128, u128) {
    const LOW: u128 = u64::MAX as u128;
    let (ah, al, bh, bl) = (a >> 64, a & LOW, b >> 64, b & LOW);
    let (ll, lh, hl, hh) = (al * bl, al * bh, ah * bl, ah * bh);
    let middle = (ll >> 64) + (lh & LOW) + (hl & LOW);
    (hh + (lh >> 64) + (hl >> 64) + (middle >> 64), middle << 64 | ll & LOW)
}

/// MULTIPLY, to the format of the operands or a longer one: operands normalized first, the product cut off.
pub(super) fn multiply<F: Format, R: Format>(a: F, b: F, mask: Mask) -> Outcome<R> {
    let (a, b) = (a.unpack(), b.unpack());
    if a.fraction == 0 || b.fraction == 0 {
        return Outcome { value: R::zero(false), exception: None };
    }
    let (a, b) = (a.normalized(F::DIGITS), b.normalized(F::DIGITS));
    let (negative, characteristic) = (a.negative != b.negative, a.characteristic + b.characteristic - 64);
    // Twice as many digits, of which the first may be zero; then as many as the result has, and one more.
    let (high, low) = wide_product(a.fraction, b.fraction);
    let (digits, fraction) = match F::DIGITS {
        28 => (29, high << (128 - bits(27)) | low >> bits(27)),
        digits if 2 * digits > R::DIGITS => (2 * digits, low),
        digits => (R::DIGITS, low << bits(R::DIGITS - 2 * digits)),
    };
    rounded_down(Number { negative, characteristic, fraction }, digits, mask)
}

/// DIVIDE: operands normalized first, the quotient cut off. No quotient without a divisor.
pub(super) fn divide<F: Format>(a: F, b: F, mask: Mask) -> Result<Outcome<F>, Exception> {
    let (a, b) = (a.unpack(), b.unpack());
    if b.fraction == 0 {
        return Err(Exception::Divide);
    }
    if a.fraction == 0 {
        return Ok(Outcome { value: F::zero(false), exception: None });
    }
    let (a, b) = (a.normalized(F::DIGITS), b.normalized(F::DIGITS));
    // One digit before the point, then as many as there are, by long division.
    let (mut quotient, mut rest) = (a.fraction / b.fraction, a.fraction % b.fraction);
    for _ in 0..F::DIGITS {
        rest <<= 4;
        quotient = quotient << 4 | rest / b.fraction;
        rest %= b.fraction;
    }
    let characteristic = a.characteristic - b.characteristic + 65;
    let n = Number { negative: a.negative != b.negative, characteristic, fraction: quotient };
    Ok(rounded_down(n, F::DIGITS + 1, mask))
}

/// HALVE: the bit that goes out on the right stays in the guard digit.
pub(super) fn halve<F: Format>(a: F, mask: Mask) -> Outcome<F> {
    let n = a.unpack();
    rounded_down(Number { fraction: n.fraction << 3, ..n }, F::DIGITS + 1, mask)
}

/// SQUARE ROOT, rounded.
pub(super) fn square_root<F: Format>(a: F) -> Result<F, Exception> {
    let n = a.unpack();
    if n.fraction == 0 {
        return Ok(F::zero(false));
    }
    if n.negative {
        return Err(Exception::SquareRoot);
    }
    let n = n.normalized(F::DIGITS);
    // An even power of 16 under the root, and one bit more than the result has.
    let odd = (n.characteristic & 1) as u32;
    let characteristic = (n.characteristic + odd as i32) / 2 + 32;
    let root = root_of(n.fraction, bits(F::DIGITS) + 2 - bits(odd), bits(F::DIGITS) + 1);
    let fraction = (root + 1) >> 1;
    Ok(F::pack(Number { negative: false, characteristic, fraction }))
}

/// The integer part of the square root of `v` × 2^`shift`; the root has at most `width` bits.
fn root_of(v: u128, shift: u32, width: u32) -> u128 {
    let mut root = 0u128;
    let square_fits = |root: u128| {
        let (high, low) = wide_product(root, root);
        let target =
            if shift >= 128 { (v << (shift - 128), 0) } else { (v.checked_shr(128 - shift).unwrap_or(0), v << shift) };
        (high, low) <= target
    };
    for bit in (0..width).rev() {
        if square_fits(root | 1 << bit) {
            root |= 1 << bit;
        }
    }
    root
}

/// LOAD LENGTHENED. An extended zero is a true zero with its sign.
pub(super) fn lengthened<F: Format, R: Format>(a: F) -> R {
    let n = a.unpack();
    if R::DIGITS == 28 && n.fraction == 0 {
        return R::zero(n.negative);
    }
    R::pack(Number { fraction: n.fraction << bits(R::DIGITS - F::DIGITS), ..n })
}

/// LOAD ROUNDED: half of the last digit is added, and the rest cut off. Nothing is normalized.
pub(super) fn shortened<F: Format, R: Format>(a: F) -> Outcome<R> {
    let n = a.unpack();
    let cut = bits(F::DIGITS - R::DIGITS);
    let n = Number { fraction: (n.fraction >> (cut - 1)).wrapping_add(1) >> 1, ..n };
    delivered(carried(n, R::DIGITS), Mask::default())
}

/// A number with its sign changed: as LOAD POSITIVE and its kin leave an extended one.
pub(super) fn with_sign<F: Format>(a: F, negative: bool) -> F {
    let n = Number { negative, ..a.unpack() };
    if F::DIGITS == 28 && n.fraction == 0 { F::zero(negative) } else { F::pack(n) }
}

/// LOAD FP INTEGER: towards zero, normalized.
pub(super) fn integer<F: Format>(a: F) -> F {
    let n = a.unpack();
    if n.characteristic <= 64 || n.fraction == 0 {
        return F::zero(false);
    }
    let below = (F::DIGITS as i32 - (n.characteristic - 64)).max(0) as u32;
    let fraction = n.fraction >> bits(below) << bits(below);
    rounded_down(Number { fraction, ..n }, F::DIGITS, Mask::default()).value
}

/// CONVERT FROM FIXED: normalized, cut off.
pub(super) fn from_fixed<F: Format>(v: i64) -> F {
    if v == 0 {
        return F::zero(false);
    }
    // Sixteen digits, or more if the format has more.
    let digits = F::DIGITS.max(16);
    let fraction = (v.unsigned_abs() as u128) << bits(digits - 16);
    let n = Number { negative: v < 0, characteristic: 64 + 16, fraction };
    rounded_down(n, digits, Mask::default()).value
}

/// How CONVERT TO FIXED rounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rounding {
    TowardZero,
    /// To nearest; the one away from zero of two as near.
    Away,
    /// To nearest; the even one of two as near.
    Even,
    Up,
    Down,
}

impl Rounding {
    /// By the M3 field.
    pub(super) fn from_modifier(m3: u8) -> Option<Rounding> {
        Some(match m3 {
            0 | 5 => Rounding::TowardZero,
            1 => Rounding::Away,
            4 => Rounding::Even,
            6 => Rounding::Up,
            7 => Rounding::Down,
            _ => return None,
        })
    }
}

/// CONVERT TO FIXED, to `width` bits: the integer, and the condition code: 3 if it does not fit, and is the largest.
pub(super) fn to_fixed<F: Format>(a: F, rounding: Rounding, width: u32) -> (i64, u8) {
    let n = a.unpack();
    if n.fraction == 0 {
        return (0, 0);
    }
    let (least, most) = (i64::MIN >> (64 - width), i64::MAX >> (64 - width));
    let overflow = (if n.negative { least } else { most }, 3);
    let before = n.characteristic - 64;
    let point = F::DIGITS as i32 - before;
    // The integer part, the first bit after the point, whether there is more after that.
    let (whole, half, rest) = match point {
        ..=0 => match n.fraction.leading_zeros() as i32 >= -4 * point {
            true => (n.fraction << (-4 * point), false, false),
            false => return overflow,
        },
        1..=31 => {
            let shift = 4 * point as u32;
            let below = n.fraction & (1 << shift) - 1;
            (n.fraction >> shift, below >> (shift - 1) != 0, below & (1 << (shift - 1)) - 1 != 0)
        }
        _ => (0, false, true),
    };
    let up = match rounding {
        Rounding::TowardZero => false,
        Rounding::Away => half,
        Rounding::Even => half && (rest || whole & 1 == 1),
        Rounding::Up => !n.negative && (half || rest),
        Rounding::Down => n.negative && (half || rest),
    };
    let size = whole + up as u128;
    let limit = if n.negative { least.unsigned_abs() } else { most as u64 };
    if size > limit as u128 {
        return overflow;
    }
    let value = if n.negative { (size as i64).wrapping_neg() } else { size as i64 };
    (value, 2 - n.negative as u8)
}

/// The exact product of two short or long numbers, not normalized: twice the digits.
fn product<F: Format>(a: F, b: F) -> Number {
    let (a, b) = (a.unpack(), b.unpack());
    Number {
        negative: a.negative != b.negative,
        characteristic: a.characteristic + b.characteristic - 64,
        fraction: a.fraction * b.fraction,
    }
}

/// MULTIPLY AND ADD (`a` × `b` + `c`) and, with `c` negated before, not after, MULTIPLY AND SUBTRACT. The sum has twice
/// the digits and a guard digit; then it is normalized and cut off.
pub(super) fn multiply_add<F: Format>(a: F, b: F, c: F, mask: Mask) -> Outcome<F> {
    let c = c.unpack();
    let wide = Number { fraction: c.fraction << bits(F::DIGITS), ..c };
    let product = product(a, b);
    let sum = match (product.fraction, wide.fraction) {
        // A zero has no power of 16 to align to.
        (0, _) => sum(wide, Number { fraction: 0, ..wide }),
        (_, 0) => sum(product, Number { fraction: 0, ..product }),
        _ => sum(product, wide),
    };
    let digits = 2 * F::DIGITS + 1;
    rounded_down(carried(sum, digits), digits, mask)
}

/// MULTIPLY UNNORMALIZED: the product of two long numbers, exponents modulo 128.
pub(super) fn multiply_unnormalized(a: u64, b: u64) -> u128 {
    unnormalized(product(a, b))
}

/// MULTIPLY AND ADD UNNORMALIZED: `a` × `b` + `c`, where `c` is moved to where the product's characteristic has it.
/// What leaves the 28 digits of the product on either side is lost. A sum of zero has the sign of the product.
pub(super) fn multiply_add_unnormalized(a: u64, b: u64, c: u64) -> u128 {
    const DIGITS: u32 = 28;
    const ALL: u128 = (1 << bits(DIGITS)) - 1;
    let (product, c) = (product(a, b), c.unpack());
    // The product's characteristic counts modulo 128 here already.
    let by = c.characteristic - (product.characteristic & 127);
    let digits = bits(by.unsigned_abs().min(DIGITS));
    let wide = c.fraction << bits(14);
    let addend = if by >= 0 { wide << digits & ALL } else { wide >> digits };
    let (negative, fraction) = match () {
        _ if product.negative == c.negative => (c.negative, product.fraction + addend & ALL),
        _ if addend > product.fraction => (c.negative, addend - product.fraction),
        _ => (product.negative, product.fraction - addend),
    };
    unnormalized(Number { negative, fraction, ..product })
}

/// Both parts with characteristics of their own, even those of a zero.
fn unnormalized(n: Number) -> u128 {
    let part = |fraction, less| u64::pack(Number { characteristic: n.characteristic - less, fraction, ..n }) as u128;
    part(n.fraction >> bits(14), 0) << 64 | part(n.fraction & (1 << bits(14)) - 1, 14)
}

#[cfg(test)]
mod tests {
    use super::*;
    use support::Random;

    /// An exact number: an integer times 16^-64, as wide as short numbers near 1 need.
    fn exact(v: u32) -> i128 {
        let n = v.unpack();
        let shift = 4 * (n.characteristic - 64 - 6 + 24);
        let size = (n.fraction << shift) as i128;
        if n.negative { -size } else { size }
    }

    /// Short numbers between 16^-9 and 16, normalized and not, from a sequence without end.
    fn numbers() -> impl Iterator<Item = (u32, u32)> {
        let mut random = Random::seeded(1);
        let mut next = move || {
            let bits = random.word() as u32;
            let fraction = bits & 0xff_ffff >> (bits >> 24 & 3) * 4 * (bits >> 30 & 1);
            bits & 0x8000_0000 | (62 + (bits >> 26 & 3)) << 24 | fraction
        };
        std::iter::repeat_with(move || (next(), next())).take(20_000)
    }

    /// Whether `v` is `exact` cut off after six digits: not larger in size, and by less than its last digit, and its
    /// first digit is not zero. `unit` is what `exact` counts in, as a power of 16.
    fn is_cut_off(v: u32, size: u128, unit: i32) -> bool {
        let n = v.unpack();
        if size == 0 {
            return n.fraction == 0 && n.characteristic == 0;
        }
        let shift = 4 * (n.characteristic - 64 - 6 - unit);
        let (low, high) = match shift {
            0.. => (n.fraction << shift, n.fraction + 1 << shift),
            _ => return size << -shift == n.fraction,
        };
        n.fraction >> 20 != 0 && low <= size && size < high
    }

    #[test]
    fn products_and_quotients_are_the_exact_ones_cut_off() {
        for (a, b) in numbers() {
            let (x, y) = (exact(a).unsigned_abs() >> 64, exact(b).unsigned_abs() >> 64);
            let product: Outcome<u32> = multiply(a, b, Mask::default());
            assert!(is_cut_off(product.value, x * y, 2 * (16 - 24)), "{a:08X} × {b:08X}: {:08X}", product.value);
            if y == 0 {
                assert_eq!(divide(a, b, Mask::default()), Err(Exception::Divide));
                continue;
            }
            let quotient = divide(a, b, Mask::default()).expect("a divisor");
            // Sixteen digits after the point are enough to check all but the smallest.
            let enough = quotient.value.unpack().characteristic >= 54;
            let exact = (x << 64) / y;
            assert!(!enough || is_cut_off(quotient.value, exact, -16), "{a:08X} ÷ {b:08X}: {:08X}", quotient.value);
            assert!(product.exception.is_none() && quotient.exception.is_none());
        }
    }

    #[test]
    fn sums_are_within_the_guard_digit() {
        for (a, b) in numbers() {
            let sum = add(a, b, Mask::default()).value;
            let (x, y, s) = (exact(a), exact(b), exact(sum));
            // What is shifted out after the guard digit is lost, and what is cut off of the sum: less than a digit of
            // the result, and a guard digit's last part of the larger operand.
            let unit = |v: u32| 1i128 << (4 * (v.unpack().characteristic - 64 - 6 + 24));
            let lost = unit(a).max(unit(b)) / 16 + if sum == 0 { 0 } else { unit(sum) };
            assert!((x + y - s).abs() <= lost, "{a:08X} + {b:08X}: {sum:08X}");
            let expected = if x + y == 0 {
                0
            } else if x + y < 0 {
                1
            } else {
                2
            };
            assert!(compare(a, negated(b)) == expected || (x + y).abs() < unit(a).max(unit(b)) / 16);
        }
    }

    #[test]
    fn roots_are_rounded() {
        for (a, _) in numbers() {
            let a = a & 0x7fff_ffff;
            let root = square_root(a).expect("it is not negative");
            let n = root.unpack();
            if a.unpack().fraction == 0 {
                assert_eq!(root, 0);
                continue;
            }
            // Twice the root plus or minus one, squared, encloses four times the number.
            let shift = 4 * (2 * (n.characteristic - 64 - 6) + 16);
            let square = |v: u128| if shift >= 0 { v * v << shift } else { v * v >> -shift };
            let four = 4 * (exact(a) as u128 >> 32);
            assert!(square(2 * n.fraction - 1) <= four && four <= square(2 * n.fraction + 1), "√{a:08X}: {root:08X}");
        }
        assert_eq!(square_root(0xc110_0000u32), Err(Exception::SquareRoot));
    }

    #[test]
    fn integers_come_and_go() {
        for v in [0, 1, -1, 255, -256, 0x7fff_ffff, i32::MIN as i64] {
            assert_eq!(to_fixed(from_fixed::<u64>(v), Rounding::TowardZero, 32).0, v);
            assert_eq!(to_fixed(from_fixed::<u128>(v << 31), Rounding::TowardZero, 64).0, v << 31);
        }
        // 2.5 and -2.5, 3.5.
        let rounded = |v: u32| {
            [Rounding::TowardZero, Rounding::Away, Rounding::Even, Rounding::Up, Rounding::Down]
                .map(|r| to_fixed(v, r, 32).0)
        };
        assert_eq!(rounded(0x4128_0000), [2, 3, 2, 3, 2]);
        assert_eq!(rounded(0xc128_0000), [-2, -3, -2, -2, -3]);
        assert_eq!(rounded(0x4138_0000), [3, 4, 4, 4, 3]);
        assert_eq!(to_fixed(0x4880_0000u32, Rounding::TowardZero, 32), (0x7fff_ffff, 3));
        assert_eq!(to_fixed(0xc880_0000u32, Rounding::TowardZero, 32), (i32::MIN as i64, 1));
    }
}
