//! Decimal results by decNumber, a library of the architecture's own authors, which the crate `dec` wraps.
//!
//! It knows all rounding modes and the preferred quantum, but no enabled exceptions. What these deliver follows from
//! the same operation done once more with hardly any limit to the exponent, and once more toward zero.

use crate::ieee::Ending;
use dec::{Context, Decimal, Decimal32, Decimal64, Decimal128, Rounding};
use std::cmp::Ordering;

/// Room for 120 digits: products have 68.
pub(crate) type Number = Decimal<40>;

/// A decimal format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    Short,
    Long,
    Extended,
}

use Format::*;

impl Format {
    /// The register format of the same size.
    pub(crate) fn size(self) -> crate::number::Format {
        match self {
            Short => crate::number::Format::Short,
            Long => crate::number::Format::Long,
            Extended => crate::number::Format::Extended,
        }
    }

    /// Digits of the coefficient.
    pub(crate) fn digits(self) -> i32 {
        match self {
            Short => 7,
            Long => 16,
            Extended => 34,
        }
    }

    /// The bias, and the greatest biased exponent.
    pub(crate) fn exponents(self) -> (i32, i32) {
        match self {
            Short => (101, 191),
            Long => (398, 767),
            Extended => (6176, 12287),
        }
    }

    /// The least exponent.
    pub(crate) fn least(self) -> i32 {
        -self.exponents().0
    }

    /// The greatest exponent.
    pub(crate) fn greatest(self) -> i32 {
        self.exponents().1 - self.exponents().0
    }

    /// Three quarters of all exponents: what an enabled overflow or underflow adjusts by.
    pub(crate) fn scale(self) -> i32 {
        (self.exponents().1 + 1) * 3 / 4
    }

    /// The adjusted exponent of the least normal number.
    pub(crate) fn normal(self) -> i32 {
        self.least() + self.digits() - 1
    }

    /// Bits of the number.
    pub(crate) fn width(self) -> u32 {
        self.size().width()
    }

    /// What a bit pattern is.
    pub(crate) fn number(self, bits: u128) -> Number {
        match self {
            Short => Number::from(Decimal32::from_be_bytes((bits as u32).to_be_bytes())),
            Long => Number::from(Decimal64::from_be_bytes((bits as u64).to_be_bytes())),
            Extended => Number::from(Decimal128::from_be_bytes(bits.to_be_bytes())),
        }
    }

    /// The canonical bit pattern of what fits.
    pub(crate) fn bits(self, number: &Number) -> u128 {
        match self {
            Short => u32::from_be_bytes(number.to_decimal32().to_be_bytes()).into(),
            Long => u64::from_be_bytes(number.to_decimal64().to_be_bytes()).into(),
            Extended => u128::from_be_bytes(number.to_decimal128().to_be_bytes()),
        }
    }

    /// A context of this format.
    pub(crate) fn context(self, rounding: Rounding) -> Context<Number> {
        let greatest = self.greatest() + self.digits() - 1;
        let mut context = self.unbounded(rounding);
        context.set_max_exponent(greatest as isize).expect("an exponent");
        context.set_min_exponent(1 - greatest as isize).expect("an exponent");
        context.set_clamp(true);
        context
    }

    /// A context of this precision, with hardly any limit to the exponent.
    pub(crate) fn unbounded(self, rounding: Rounding) -> Context<Number> {
        let mut context = Context::default();
        context.set_precision(self.digits() as usize).expect("a precision");
        context.set_max_exponent(99_999).expect("an exponent");
        context.set_min_exponent(-99_999).expect("an exponent");
        context.set_clamp(false);
        context.set_rounding(rounding);
        context
    }

    /// A datum by what it is written as.
    pub(crate) fn written(self, text: &str) -> u128 {
        let mut context = self.context(Rounding::HalfEven);
        self.bits(&context.parse(text).expect("a number"))
    }
}

/// How many digits the coefficient has; one of zero.
pub(crate) fn digits(number: &Number) -> i32 {
    number.digits() as i32
}

/// The coefficient as text.
pub(crate) fn coefficient(number: &Number) -> String {
    number.coefficient_digits().iter().map(|digit| char::from(b'0' + digit)).collect()
}

/// The order of two magnitudes.
fn magnitudes(a: &Number, b: &Number) -> Option<Ordering> {
    let mut context = Context::<Number>::default();
    let (mut a, mut b) = (*a, *b);
    context.abs(&mut a);
    context.abs(&mut b);
    context.partial_cmp(&a, &b)
}

/// What an instruction finds beside its operands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Environment {
    pub fpc: u32,
    pub rounding: Rounding,
    pub suppress_inexact: bool,
}

/// A result without an exception.
pub(crate) fn plain<T>(env: Environment, value: T) -> Ending<T> {
    Ending { value: Some(value), fpc: env.fpc, dxc: None }
}

pub(crate) const INVALID: u32 = 0x0080_0000;
pub(crate) const DIVISION: u32 = 0x0040_0000;
const OVERFLOW: u32 = 0x0020_0000;
const UNDERFLOW: u32 = 0x0010_0000;
const INEXACT: u32 = 0x0008_0000;
const QUANTUM: u32 = 0x0004_0000;

impl Environment {
    fn enables(self, flag: u32) -> bool {
        self.fpc & flag << 8 != 0
    }

    /// An exception that prevents the result, if it is enabled.
    pub(crate) fn prevents<T>(self, flag: u32, value: T) -> Ending<T> {
        match self.enables(flag) {
            true => Ending { value: None, fpc: self.fpc, dxc: Some((flag >> 16) as u8) },
            false => Ending { value: Some(value), fpc: self.fpc | flag, dxc: None },
        }
    }

    /// An exception that comes with a result.
    fn follows<T>(self, flag: u32, code: u8, value: T) -> Ending<T> {
        match self.enables(flag) {
            true => Ending { value: Some(value), fpc: self.fpc, dxc: Some(code) },
            false => Ending { value: Some(value), fpc: self.fpc | flag, dxc: None },
        }
    }

    /// The inexact exception.
    pub(crate) fn inexact<T>(self, inexact: bool, incremented: bool, value: T) -> Ending<T> {
        match inexact && !self.suppress_inexact {
            true => self.follows(INEXACT, if incremented { 0x0c } else { 0x08 }, value),
            false => plain(self, value),
        }
    }

    /// What a NaN among the operands makes of the result.
    pub(crate) fn nan(self, to: Format, operands: &[Number]) -> Option<Ending<u128>> {
        let signaling = operands.iter().find(|n| n.is_signaling_nan());
        let nan = signaling.or_else(|| operands.iter().find(|n| n.is_quiet_nan()))?;
        let quiet = payload(to, nan, "NaN");
        Some(if signaling.is_some() { self.prevents(INVALID, quiet) } else { plain(self, quiet) })
    }

    /// A result of an operation that is done in one context or another, with the preferred exponent. `scale` is what
    /// an enabled overflow or underflow adjusts the exponent by, which is put into format `wide` then. With it comes
    /// whether that happened.
    pub(crate) fn deliver(
        self,
        to: Format,
        (wide, scale): (Format, i32),
        preferred: i32,
        operation: impl Fn(&mut Context<Number>) -> Number,
    ) -> Ending<(u128, bool)> {
        let toward_zero = operation(&mut to.unbounded(Rounding::Down));
        let mut context = to.unbounded(self.rounding);
        let unbounded = operation(&mut context);
        let incremented = magnitudes(&unbounded, &toward_zero) == Some(Ordering::Greater);
        let code = match (context.status().inexact(), incremented) {
            (false, _) => 0,
            (true, false) => 0x08,
            (true, true) => 0x0c,
        };
        let mut context = to.context(self.rounding);
        let bounded = operation(&mut context);
        let status = context.status();
        let tiny = !toward_zero.is_zero() && toward_zero.exponent() + digits(&toward_zero) - 1 < to.normal();
        let scaled = |by: i32| {
            let mut number = unbounded;
            number.set_exponent(number.exponent() + by);
            let mut context = wide.context(self.rounding);
            context.plus(&mut number);
            (wide.bits(&number), true)
        };
        if status.overflow() && self.enables(OVERFLOW) {
            return Ending { value: Some(scaled(-scale)), fpc: self.fpc, dxc: Some(0x20 | code) };
        }
        if tiny && self.enables(UNDERFLOW) {
            return Ending { value: Some(scaled(scale)), fpc: self.fpc, dxc: Some(0x10 | code) };
        }
        let mut env = self;
        if status.overflow() {
            env.fpc |= OVERFLOW;
        }
        if tiny && status.inexact() {
            env.fpc |= UNDERFLOW;
        }
        let value = (to.bits(&bounded), false);
        if status.inexact() {
            let down = operation(&mut to.context(Rounding::Down));
            let incremented = bounded.is_infinite() || magnitudes(&bounded, &down) == Some(Ordering::Greater);
            return env.inexact(true, incremented, value);
        }
        match bounded.is_finite() && bounded.exponent() != preferred {
            true => env.follows(QUANTUM, 0x04, value),
            false => plain(env, value),
        }
    }
}

/// A NaN, or what stands for one, with the sign and as many digits of another one's payload as there is room for.
pub(crate) fn payload(to: Format, nan: &Number, name: &str) -> u128 {
    let digits = coefficient(nan);
    let kept = &digits[digits.len().saturating_sub(to.digits() as usize - 1)..];
    let sign = if nan.is_negative() { "-" } else { "" };
    to.written(&format!("{sign}{name}{kept}"))
}
