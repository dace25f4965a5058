//! ADD, SUBTRACT, MULTIPLY, DIVIDE, SQUARE ROOT, MULTIPLY AND ADD, MULTIPLY AND SUBTRACT (POP, chapter 19).

use super::environment::{Environment, Fpc, Outcome, Rounding, normalize};
use super::format::{Binary, Class, LEADING, Unpacked, shift_sticky};

/// ADD.
#[inline]
pub fn add<B: Binary>(fpc: &mut Fpc, a: B, b: B) -> Outcome<B> {
    match B::host_add(*fpc, a, b) {
        Some(sum) => Ok(sum),
        None => softly(fpc, |env| soft_add(env, a, b, false)),
    }
}

/// SUBTRACT: `a − b`.
#[inline]
pub fn subtract<B: Binary>(fpc: &mut Fpc, a: B, b: B) -> Outcome<B> {
    match B::host_subtract(*fpc, a, b) {
        Some(difference) => Ok(difference),
        None => softly(fpc, |env| soft_add(env, a, b, true)),
    }
}

/// MULTIPLY within one format.
#[inline]
pub fn multiply<B: Binary>(fpc: &mut Fpc, a: B, b: B) -> Outcome<B> {
    match B::host_multiply(*fpc, a, b) {
        Some(product) => Ok(product),
        None => softly(fpc, |env| soft_multiply(env, a, b)),
    }
}

/// MULTIPLY short to long or long to extended. The product always fits.
#[inline]
pub fn multiply_longer<B: Binary, W: Binary>(fpc: &mut Fpc, a: B, b: B) -> Outcome<W> {
    // The product of two short numbers is exact on the host, too.
    if B::PRECISION == 24
        && let (Some(x), Some(y)) = (a.host_value(), b.host_value())
        && let Some(product) = W::host_number(x * y)
    {
        return Ok(product);
    }
    softly(fpc, |env| soft_multiply(env, a, b))
}

/// DIVIDE: `a ÷ b`.
#[inline]
pub fn divide<B: Binary>(fpc: &mut Fpc, a: B, b: B) -> Outcome<B> {
    match B::host_divide(*fpc, a, b) {
        Some(quotient) => Ok(quotient),
        None => softly(fpc, |env| soft_divide(env, a, b)),
    }
}

/// SQUARE ROOT.
#[inline]
pub fn square_root<B: Binary>(fpc: &mut Fpc, a: B) -> Outcome<B> {
    match B::host_square_root(*fpc, a) {
        Some(root) => Ok(root),
        None => softly(fpc, |env| soft_square_root(env, a)),
    }
}

/// MULTIPLY AND ADD: `a × b + c` with one rounding.
#[inline]
pub fn multiply_add<B: Binary>(fpc: &mut Fpc, a: B, b: B, c: B) -> Outcome<B> {
    match B::host_multiply_add(*fpc, a, b, c) {
        Some(sum) => Ok(sum),
        None => softly(fpc, |env| soft_multiply_add(env, a, b, c, false)),
    }
}

/// MULTIPLY AND SUBTRACT: `a × b − c` with one rounding.
#[inline]
pub fn multiply_subtract<B: Binary>(fpc: &mut Fpc, a: B, b: B, c: B) -> Outcome<B> {
    match B::host_multiply_subtract(*fpc, a, b, c) {
        Some(difference) => Ok(difference),
        None => softly(fpc, |env| soft_multiply_add(env, a, b, c, true)),
    }
}

#[cold]
#[inline(never)]
fn softly<T>(fpc: &mut Fpc, operation: impl FnOnce(&mut Environment) -> Outcome<T>) -> Outcome<T> {
    let mut env = Environment::current(*fpc);
    let outcome = operation(&mut env);
    *fpc = env.fpc;
    outcome
}

/// The result when an operand is a NaN: the first signaling one, made quiet, with an invalid operation; else the first
/// quiet one (POP, chapter 19, "NaN propagation").
pub(super) fn propagate<B: Binary, W: Binary, const N: usize>(
    env: &mut Environment,
    operands: [B; N],
) -> Option<Outcome<W>> {
    if !operands.iter().any(|operand| operand.is_nan()) {
        return None;
    }
    if let Some(signaling) = operands.iter().find(|operand| operand.is_signaling()) {
        return Some(env.invalid(W::nan_from(signaling.unpack())));
    }
    let quiet = operands.iter().find(|operand| operand.is_nan()).expect("one operand is a NaN");
    Some(Ok(W::nan_from(quiet.unpack())))
}

/// The sign of an exact zero sum of two numbers that do not agree in sign.
fn zero_difference<B: Binary>(env: &Environment) -> B {
    B::zero(env.rounding == Rounding::TowardMinusInfinity)
}

pub(super) fn soft_add<B: Binary>(env: &mut Environment, a: B, b: B, negate: bool) -> Outcome<B> {
    if let Some(nan) = propagate(env, [a, b]) {
        return nan;
    }
    let b = b.unpack();
    sum(env, a.unpack(), if negate { b.negate() } else { b })
}

/// The rounded sum of two numbers that are no NaNs.
pub(super) fn sum<B: Binary>(env: &mut Environment, a: Unpacked, b: Unpacked) -> Outcome<B> {
    match (a.class, b.class) {
        (Class::Infinity, Class::Infinity) if a.negative != b.negative => return env.invalid(B::default_nan()),
        (Class::Infinity, _) => return Ok(B::infinity(a.negative)),
        (_, Class::Infinity) => return Ok(B::infinity(b.negative)),
        (Class::Zero, Class::Zero) if a.negative == b.negative => return Ok(B::zero(a.negative)),
        (Class::Zero, Class::Zero) => return Ok(zero_difference(env)),
        (Class::Zero, _) => return env.round(b.negative, b.exponent, b.significand),
        (_, Class::Zero) => return env.round(a.negative, a.exponent, a.significand),
        _ => {}
    }
    let (high, low) = if (a.exponent, a.significand) >= (b.exponent, b.significand) { (a, b) } else { (b, a) };
    // Bits are lost here only if the exponents differ by two or more; then at most one leading bit cancels, and the
    // sticky bit stays below every rounding position.
    let aligned = shift_sticky(low.significand, (high.exponent - low.exponent) as u32);
    let significand = if a.negative == b.negative { high.significand + aligned } else { high.significand - aligned };
    if significand == 0 {
        return Ok(zero_difference(env));
    }
    let (exponent, significand) = normalize(high.exponent, significand);
    env.round(high.negative, exponent, significand)
}

/// The exact product of two finite nonzero numbers; inexact (sticky) only for extended operands.
pub(super) fn product(a: Unpacked, b: Unpacked) -> Unpacked {
    let (high, low) = wide_product(a.significand, b.significand);
    let significand = high << 2 | low >> LEADING | u128::from(low << 2 != 0);
    let (exponent, significand) = normalize(a.exponent + b.exponent, significand);
    Unpacked { negative: a.negative != b.negative, class: Class::Normal, exponent, significand }
}

/// The 256-bit product as two halves.
fn wide_product(a: u128, b: u128) -> (u128, u128) {
    const LOW: u128 = u64::MAX as u128;
    let (a1, a0, b1, b0) = (a >> 64, a & LOW, b >> 64, b & LOW);
    let low = a0 * b0;
    let middle = a1 * b0 + (low >> 64);
    let (middle, carry) = middle.overflowing_add(a0 * b1);
    let high = a1 * b1 + (middle >> 64) + (u128::from(carry) << 64);
    (high, middle << 64 | low & LOW)
}

pub(super) fn soft_multiply<B: Binary, W: Binary>(env: &mut Environment, a: B, b: B) -> Outcome<W> {
    if let Some(nan) = propagate(env, [a, b]) {
        return nan;
    }
    let (a, b) = (a.unpack(), b.unpack());
    let negative = a.negative != b.negative;
    match (a.class, b.class) {
        (Class::Infinity, Class::Zero) | (Class::Zero, Class::Infinity) => env.invalid(W::default_nan()),
        (Class::Infinity, _) | (_, Class::Infinity) => Ok(W::infinity(negative)),
        (Class::Zero, _) | (_, Class::Zero) => Ok(W::zero(negative)),
        _ => {
            let product = product(a, b);
            env.round(negative, product.exponent, product.significand)
        }
    }
}

pub(super) fn soft_multiply_add<B: Binary>(env: &mut Environment, a: B, b: B, c: B, negate: bool) -> Outcome<B> {
    // Infinity times zero is invalid whatever the addend is, a NaN too (POP, figure "Results: MULTIPLY AND ADD").
    if matches!((a.class(), b.class()), (Class::Infinity, Class::Zero) | (Class::Zero, Class::Infinity)) {
        return env.invalid(B::default_nan());
    }
    // The second operand of the instruction, the multiplicand, comes first.
    if let Some(nan) = propagate(env, [b, a, c]) {
        return nan;
    }
    let (a, b, c) = (a.unpack(), b.unpack(), c.unpack());
    let c = if negate { c.negate() } else { c };
    let negative = a.negative != b.negative;
    let special = |class| Unpacked { negative, class, exponent: 0, significand: 0 };
    let product = match (a.class, b.class) {
        (Class::Infinity, _) | (_, Class::Infinity) => special(Class::Infinity),
        (Class::Zero, _) | (_, Class::Zero) => special(Class::Zero),
        // The product of extended numbers is longer than what `Unpacked` holds.
        _ if B::PRECISION > 62 && c.class.is_finite() && c.class != Class::Zero => return long_sum(env, a, b, c),
        _ => product(a, b),
    };
    sum(env, product, c)
}

/// A significand of 256 bits as two halves, the leading bit at the place of that of an [`Unpacked`] in the left one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Long {
    exponent: i32,
    left: u128,
    right: u128,
}

impl Long {
    /// Shifted right, what is lost in the lowest bit.
    fn aligned(self, by: u32) -> (u128, u128) {
        let (left, right) = (self.left, self.right);
        match by {
            0 => (left, right),
            1..128 => {
                let sticky = right << (128 - by) != 0;
                (left >> by, left << (128 - by) | right >> by | u128::from(sticky))
            }
            128 => (0, left | u128::from(right != 0)),
            129..256 => {
                let sticky = left << (256 - by) != 0 || right != 0;
                (0, left >> (by - 128) | u128::from(sticky))
            }
            _ => (0, 1),
        }
    }
}

/// The rounded sum of a product and a number, all of them finite and nonzero.
fn long_sum<B: Binary>(env: &mut Environment, a: Unpacked, b: Unpacked, c: Unpacked) -> Outcome<B> {
    let negative = a.negative != b.negative;
    let (left, right) = wide_product(a.significand, b.significand);
    // The product of two numbers of one bit before the point has one or two of them.
    let carry = left >> (2 * LEADING + 1 - 128);
    let shift = 2 - carry as u32;
    let exponent = a.exponent + b.exponent + carry as i32;
    let product = Long { exponent, left: left << shift | right >> (128 - shift), right: right << shift };
    let addend = Long { exponent: c.exponent, left: c.significand, right: 0 };
    let (high, low, sign) = if product >= addend { (product, addend, negative) } else { (addend, product, c.negative) };
    let (left, right) = low.aligned((high.exponent - low.exponent) as u32);
    let (left, right) = if negative == c.negative {
        let (right, carry) = high.right.overflowing_add(right);
        (high.left + left + u128::from(carry), right)
    } else {
        let (right, borrow) = high.right.overflowing_sub(right);
        (high.left - left - u128::from(borrow), right)
    };
    if left | right == 0 {
        return Ok(zero_difference(env));
    }
    let (exponent, left, right) = match left {
        0 => (high.exponent - 128, right, 0),
        _ => (high.exponent, left, right),
    };
    let zeros = left.leading_zeros();
    let (exponent, left, right) = if zeros > 1 {
        let shift = zeros - 1;
        (exponent - shift as i32, left << shift | right >> (128 - shift), right << shift)
    } else {
        (exponent, left, right)
    };
    let (exponent, significand) = normalize(exponent, left | u128::from(right != 0));
    env.round(sign, exponent, significand)
}

pub(super) fn soft_divide<B: Binary>(env: &mut Environment, a: B, b: B) -> Outcome<B> {
    if let Some(nan) = propagate(env, [a, b]) {
        return nan;
    }
    let (a, b) = (a.unpack(), b.unpack());
    let negative = a.negative != b.negative;
    match (a.class, b.class) {
        (Class::Infinity, Class::Infinity) | (Class::Zero, Class::Zero) => return env.invalid(B::default_nan()),
        (Class::Infinity, _) => return Ok(B::infinity(negative)),
        (_, Class::Infinity) | (Class::Zero, _) => return Ok(B::zero(negative)),
        (_, Class::Zero) => return env.division_by_zero(B::infinity(negative)),
        _ => {}
    }
    let (exponent, significand) = quotient(a, b, B::PRECISION);
    env.round(negative, exponent, significand)
}

/// The magnitude of the quotient of two finite nonzero numbers: normalized, `precision` bits and a guard bit of it
/// correct, the lowest bit sticky.
pub(super) fn quotient(a: Unpacked, b: Unpacked, precision: u32) -> (i32, u128) {
    // The quotient of a and 2b is below 1 and at least 1/4: a fraction of 64 or 128 bits.
    let divisor = b.significand << 1;
    let (high, remainder) = quotient_digit(a.significand, divisor);
    let (low, remainder) = if precision < 62 { (0, remainder) } else { quotient_digit(remainder, divisor) };
    let significand = high << 64 | low | u128::from(remainder != 0);
    normalize(a.exponent - b.exponent - 1, significand)
}

/// One step of long division in 64-bit digits: the digit, and the remainder, of `dividend × 2^64` by a greater
/// `divisor`, the leftmost bit of which is on (Knuth, algorithm D).
fn quotient_digit(dividend: u128, divisor: u128) -> (u128, u128) {
    let (high, low) = (divisor >> 64, divisor & u64::MAX as u128);
    let (mut digit, mut rest) = (dividend / high, dividend % high);
    while digit >> 64 != 0 || digit * low > rest << 64 {
        digit -= 1;
        rest += high;
        if rest >> 64 != 0 {
            break;
        }
    }
    // The remainder is below the divisor, so what overflows here cancels.
    (digit, (dividend << 64).wrapping_sub(digit.wrapping_mul(divisor)))
}

pub(super) fn soft_square_root<B: Binary>(env: &mut Environment, a: B) -> Outcome<B> {
    if let Some(nan) = propagate(env, [a]) {
        return nan;
    }
    let a = a.unpack();
    match a.class {
        Class::Zero => return Ok(B::zero(a.negative)),
        _ if a.negative => return env.invalid(B::default_nan()),
        Class::Infinity => return Ok(B::infinity(false)),
        _ => {}
    }
    // The radicand is 1.x or, with an odd exponent, 1x.x: its root has 64 bits, the first of which is on.
    let radicand = a.significand << (a.exponent & 1);
    let mut root = radicand.isqrt();
    let mut remainder = radicand - root * root;
    // More bits one by one, each consuming two zeros after the radicand.
    let more = (B::PRECISION + 2).saturating_sub(64);
    for _ in 0..more {
        remainder <<= 2;
        let trial = root << 2 | 1;
        root <<= 1;
        if remainder >= trial {
            remainder -= trial;
            root |= 1;
        }
    }
    let significand = root << (LEADING - 63 - more) | u128::from(remainder != 0);
    env.round(false, a.exponent >> 1, significand)
}
