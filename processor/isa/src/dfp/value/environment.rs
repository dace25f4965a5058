//! Rounding, and what happens on an exception (POP, chapter 20, "DFP Rounding" and "IEEE Exceptions"; chapter 9,
//! "Quantum Exception").

use super::format::{Decimal, Number};
use super::wide::{Rest, Wide, digits, divide, power};
use crate::bfp::value::{Fpc, Outcome, Trap, dxc};

/// The code of an enabled quantum exception.
const QUANTUM: u8 = 0x04;

/// How an inexact result is made to fit, in the order of the codes of the DFP rounding mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounding {
    /// To the nearest number; of two, to the one whose last digit is even.
    NearestEven,
    /// To the nearest number that is no farther from zero.
    TowardZero,
    /// To the nearest number that is not less.
    TowardPlusInfinity,
    /// To the nearest number that is not greater.
    TowardMinusInfinity,
    /// To the nearest number; of two, to the one farther from zero.
    NearestAway,
    /// To the nearest number; of two, to the one nearer to zero.
    NearestTowardZero,
    /// To the nearest number that is no nearer to zero.
    AwayFromZero,
    /// Toward zero, unless the last digit would be 0 or 5: then away from it. A later rounding is right so.
    PrepareForShorter,
}

use Rounding::*;

/// The DFP rounding modes by their codes.
const MODES: [Rounding; 8] = [
    NearestEven,
    TowardZero,
    TowardPlusInfinity,
    TowardMinusInfinity,
    NearestAway,
    NearestTowardZero,
    AwayFromZero,
    PrepareForShorter,
];

/// What a rounding modifier chooses; nothing is the current mode. Those on the left half came with the floating-point
/// extension.
const METHODS: [Option<Rounding>; 16] = [
    None,
    Some(NearestAway),
    None,
    Some(PrepareForShorter),
    Some(NearestEven),
    Some(TowardZero),
    Some(TowardPlusInfinity),
    Some(TowardMinusInfinity),
    Some(NearestEven),
    Some(TowardZero),
    Some(TowardPlusInfinity),
    Some(TowardMinusInfinity),
    Some(NearestAway),
    Some(NearestTowardZero),
    Some(AwayFromZero),
    Some(PrepareForShorter),
];

impl Rounding {
    /// The current DFP rounding mode.
    #[inline]
    pub fn current(fpc: Fpc) -> Rounding {
        MODES[(fpc.0 >> 4 & 7) as usize]
    }

    /// The method that a modifier selects. Without the floating-point extension those below 8 mean the current mode.
    #[inline]
    pub fn from_modifier(m: u8, fpc: Fpc, extension: bool) -> Rounding {
        let method = if extension || m > 7 { METHODS[usize::from(m & 15)] } else { None };
        method.unwrap_or(Rounding::current(fpc))
    }

    /// Cuts the rightmost `n` digits off a coefficient.
    #[inline]
    pub(super) fn cut(self, negative: bool, coefficient: Wide, n: u32) -> Rounded {
        let (kept, rest) = coefficient.cut(n);
        self.rounded(negative, kept, rest)
    }

    /// What is kept of a coefficient, and what is lost, become a rounded one.
    #[inline]
    pub(super) fn rounded(self, negative: bool, kept: u128, rest: Rest) -> Rounded {
        if rest == Rest::Zero {
            return Rounded { kept, inexact: false, incremented: false };
        }
        let incremented = match self {
            NearestEven => rest == Rest::More || rest == Rest::Half && kept % 2 == 1,
            NearestAway => rest != Rest::Less,
            NearestTowardZero => rest == Rest::More,
            TowardZero => false,
            AwayFromZero => true,
            TowardPlusInfinity => !negative,
            TowardMinusInfinity => negative,
            PrepareForShorter => kept % 5 == 0,
        };
        Rounded { kept: kept + u128::from(incremented), inexact: true, incremented }
    }

    /// Whether a magnitude too large for the format becomes infinity, and not the largest finite number.
    fn overflows_to_infinity(self, negative: bool) -> bool {
        match self {
            NearestEven | NearestAway | NearestTowardZero | AwayFromZero => true,
            TowardZero | PrepareForShorter => false,
            TowardPlusInfinity => !negative,
            TowardMinusInfinity => negative,
        }
    }
}

/// A rounded coefficient, and what rounding did to its magnitude.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounded {
    pub kept: u128,
    pub inexact: bool,
    pub incremented: bool,
}

impl Rounded {
    /// The part of a data-exception code that tells about inexactness.
    fn dxc(self) -> u8 {
        match (self.inexact, self.incremented) {
            (false, _) => 0,
            (true, false) => dxc::INEXACT_TRUNCATED,
            (true, true) => dxc::INEXACT_INCREMENTED,
        }
    }
}

/// A result before it is rounded: coefficient × 10^exponent.
#[derive(Clone, Copy, Debug)]
pub struct Precise {
    /// Whether the sign is minus.
    pub negative: bool,
    /// The digits. Where more follow they are more than any format has, and the last one is neither 0 nor 5.
    pub coefficient: Wide,
    /// The power of ten of the last digit.
    pub exponent: i32,
}

/// Where an enabled overflow or underflow puts its result.
pub(super) enum Failed<D, W> {
    /// In the target's format, as anything else.
    Trap(Trap<D>),
    /// In another one, with a data-exception code.
    Scaled(W, u8),
}

/// What an operation finds beside its operands: the FPC, and the rounding and inexact suppression that the instruction
/// may have chosen itself.
#[derive(Clone, Copy, Debug)]
pub struct Environment {
    /// The FPC, for masks and flags.
    pub fpc: Fpc,
    /// How the result is rounded.
    pub rounding: Rounding,
    /// IEEE-inexact-exception control (XxC): an inexact result is neither flagged nor does it interrupt.
    pub suppress_inexact: bool,
    /// The floating-point extension is installed, and with it the quantum exception.
    pub extension: bool,
}

impl Environment {
    /// An IEEE-invalid-operation exception whose default result is the default NaN.
    pub(super) fn invalid<D: Decimal, R>(&mut self) -> Result<D, Trap<R>> {
        self.fpc.invalid(D::encode(Number::DEFAULT_NAN))
    }

    /// The inexact exception, last of all: `value` is the result already.
    #[inline]
    pub(super) fn inexact<T>(&mut self, value: T, rounded: Rounded) -> Outcome<T> {
        if !rounded.inexact || self.suppress_inexact {
            return Ok(value);
        }
        self.signal(value, Fpc::INEXACT, rounded.dxc())
    }

    /// The quantum exception: a value is exact, and its quantum not the preferred one.
    #[inline]
    fn quantum<T>(&mut self, value: T, preferred: bool) -> Outcome<T> {
        if preferred || !self.extension { Ok(value) } else { self.signal(value, Fpc::QUANTUM, QUANTUM) }
    }

    /// An exception that comes with a result: a flag, or an interruption.
    fn signal<T>(&mut self, value: T, flag: u32, code: u8) -> Outcome<T> {
        if self.fpc.enables(flag) {
            return Err(Trap::Complete(value, code));
        }
        self.fpc.0 |= flag;
        Ok(value)
    }

    /// Makes a result of a precise one. Of an exact result's cohort it is the member whose quantum is nearest to the
    /// preferred one. Overflow, underflow, inexact and quantum exceptions arise here.
    #[inline]
    pub fn round<D: Decimal>(&mut self, precise: Precise, preferred: i32) -> Outcome<D> {
        self.round_wide::<D, D>(precise, preferred, D::SCALE).map_err(|failed| match failed {
            Failed::Trap(trap) => trap,
            Failed::Scaled(value, code) => Trap::Complete(value, code),
        })
    }

    /// [`round`](Self::round) for results of any size. Where an enabled overflow or underflow is so large that the
    /// adjusted exponent does not fit either, the interruption comes with the default result.
    pub fn round_far<D: Decimal>(&mut self, precise: Precise, preferred: i32) -> Outcome<D> {
        let left = precise.exponent + precise.coefficient.digits() as i32 - 1;
        let (flag, code) = match left {
            _ if left - D::SCALE >= D::EXPONENT_MAX => (Fpc::OVERFLOW, dxc::OVERFLOW),
            _ if left + D::SCALE < D::NORMAL_MIN => (Fpc::UNDERFLOW, dxc::UNDERFLOW),
            _ => return self.round(precise, preferred),
        };
        if !self.fpc.enables(flag) || precise.coefficient.digits() == 0 {
            return self.round(precise, preferred);
        }
        let mut silent = Environment { fpc: Fpc(0), ..*self };
        let value: D = silent.round(precise, preferred)?;
        let number = value.decode();
        let incremented = number.is_infinite() || flag == Fpc::UNDERFLOW && !number.is_zero();
        let rounded = Rounded { kept: 0, inexact: true, incremented };
        Err(Trap::Complete(value, code | rounded.dxc()))
    }

    /// [`round`](Self::round), where an enabled overflow or underflow delivers its result, the exponent adjusted by
    /// `scale`, in another format `W` than the target (POP, *LOAD ROUNDED*: in the format of the source).
    pub(super) fn round_wide<D: Decimal, W: Decimal>(
        &mut self,
        precise: Precise,
        preferred: i32,
        scale: i32,
    ) -> Result<D, Failed<D, W>> {
        let Precise { negative, coefficient, exponent } = precise;
        let digits_before = coefficient.digits();
        if digits_before == 0 {
            let exponent = preferred.clamp(D::LEAST, D::GREATEST);
            let zero = D::encode(Number::finite(negative, 0, exponent));
            return self.quantum(zero, exponent == preferred).map_err(Failed::Trap);
        }
        let excess = digits_before.saturating_sub(D::DIGITS);
        let mut rounded = self.rounding.cut(negative, coefficient, excess);
        let mut at = exponent + excess as i32;
        if rounded.kept == power(D::DIGITS) {
            rounded.kept = power(D::DIGITS - 1);
            at += 1;
        }
        if at + digits(rounded.kept) as i32 - 1 > D::EXPONENT_MAX {
            return self.overflow(negative, rounded, at, preferred, scale);
        }
        // Tininess is a property of the precise value, before rounding.
        if exponent + digits_before as i32 - 1 < D::NORMAL_MIN {
            if self.fpc.enables(Fpc::UNDERFLOW) {
                let value = scaled::<D, W>(negative, rounded, at + scale, preferred + scale);
                return Err(Failed::Scaled(value, dxc::UNDERFLOW | rounded.dxc()));
            }
            let more = (D::LEAST - exponent).max(0);
            rounded = self.rounding.cut(negative, coefficient, more as u32);
            at = exponent + more;
            if rounded.inexact {
                self.fpc.0 |= Fpc::UNDERFLOW;
            }
        }
        if rounded.inexact {
            let value = D::encode(Number::finite(negative, rounded.kept, at));
            return self.inexact(value, rounded).map_err(Failed::Trap);
        }
        let (kept, at) = nearest_quantum::<D>(rounded.kept, at, preferred, D::DIGITS);
        let value = D::encode(Number::finite(negative, kept, at));
        self.quantum(value, at == preferred).map_err(Failed::Trap)
    }

    #[cold]
    fn overflow<D: Decimal, W: Decimal>(
        &mut self,
        negative: bool,
        rounded: Rounded,
        at: i32,
        preferred: i32,
        scale: i32,
    ) -> Result<D, Failed<D, W>> {
        if self.fpc.enables(Fpc::OVERFLOW) {
            let value = scaled::<D, W>(negative, rounded, at - scale, preferred - scale);
            return Err(Failed::Scaled(value, dxc::OVERFLOW | rounded.dxc()));
        }
        self.fpc.0 |= Fpc::OVERFLOW;
        let infinite = self.rounding.overflows_to_infinity(negative);
        let value = if infinite { Number::infinity(negative) } else { D::nmax(negative) };
        let rounded = Rounded { kept: 0, inexact: true, incremented: infinite };
        self.inexact(D::encode(value), rounded).map_err(Failed::Trap)
    }
}

/// The result of an enabled overflow or underflow, the exponents adjusted already. It has no more digits than the
/// target could have.
fn scaled<D: Decimal, W: Decimal>(negative: bool, rounded: Rounded, at: i32, preferred: i32) -> W {
    let (kept, at) = match rounded.inexact {
        true => (rounded.kept, at),
        false => nearest_quantum::<W>(rounded.kept, at, preferred, D::DIGITS),
    };
    W::encode(Number::finite(negative, kept, at))
}

/// The member of a number's cohort whose quantum is nearest to the preferred one, of those that the format has and
/// whose coefficients have `room` for their digits.
#[inline]
fn nearest_quantum<D: Decimal>(mut coefficient: u128, mut exponent: i32, preferred: i32, room: u32) -> (u128, i32) {
    let preferred = preferred.clamp(D::LEAST, D::GREATEST);
    while exponent < preferred {
        let (quotient, rest) = divide(coefficient, 1);
        if rest != 0 {
            break;
        }
        (coefficient, exponent) = (quotient, exponent + 1);
    }
    if exponent > preferred {
        let by = ((exponent - preferred) as u32).min(room - digits(coefficient));
        coefficient *= power(by);
        exponent -= by as i32;
    }
    (coefficient, exponent)
}
