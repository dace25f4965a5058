//! The floating-point-control register, rounding, and what happens on an exception (POP, chapter 9,
//! "Floating-Point-Control (FPC) Register"; chapter 19, "BFP Rounding" and "IEEE Exceptions").

use super::format::{Binary, LEADING, shift_sticky};

/// Data-exception codes (POP, chapter 6, "Data-Exception Code (DXC)").
pub mod dxc {
    /// IEEE inexact, the result nearer to zero than the exact one.
    pub const INEXACT_TRUNCATED: u8 = 0x08;
    /// IEEE inexact, the result farther from zero than the exact one.
    pub const INEXACT_INCREMENTED: u8 = 0x0c;
    /// IEEE underflow, exact; the codes for inexact ones are added.
    pub const UNDERFLOW: u8 = 0x10;
    /// IEEE overflow, exact; the codes for inexact ones are added.
    pub const OVERFLOW: u8 = 0x20;
    /// IEEE division by zero.
    pub const DIVISION_BY_ZERO: u8 = 0x40;
    /// IEEE invalid operation.
    pub const INVALID: u8 = 0x80;
}

/// The floating-point-control register: masks in byte 0, flags in byte 1, DXC in byte 2, rounding modes in byte 3.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Fpc(pub u32);

impl Fpc {
    /// The flags, in the order of the masks eight bits to the left.
    pub const INVALID: u32 = 0x0080_0000;
    /// SFz: IEEE division by zero.
    pub const DIVISION_BY_ZERO: u32 = 0x0040_0000;
    /// SFo: IEEE overflow.
    pub const OVERFLOW: u32 = 0x0020_0000;
    /// SFu: IEEE underflow.
    pub const UNDERFLOW: u32 = 0x0010_0000;
    /// SFx: IEEE inexact.
    pub const INEXACT: u32 = 0x0008_0000;
    /// SFq: quantum, of decimal floating point.
    pub const QUANTUM: u32 = 0x0004_0000;
    /// Bits without a meaning, which must be zero in whatever is loaded.
    pub const UNASSIGNED: u32 = 0x0303_0088;

    /// Whether the exception with this flag interrupts.
    pub fn enables(self, flag: u32) -> bool {
        self.0 & (flag << 8) != 0
    }

    /// Whether this flag is on.
    pub fn flags(self, flag: u32) -> bool {
        self.0 & flag != 0
    }

    /// An IEEE-invalid-operation exception whose default result is `default`.
    pub fn invalid<T, R>(&mut self, default: T) -> Result<T, Trap<R>> {
        if self.enables(Fpc::INVALID) {
            return Err(Trap::Suppress(dxc::INVALID));
        }
        self.0 |= Fpc::INVALID;
        Ok(default)
    }

    /// An IEEE-division-by-zero exception.
    pub fn division_by_zero<T>(&mut self, default: T) -> Outcome<T> {
        if self.enables(Fpc::DIVISION_BY_ZERO) {
            return Err(Trap::Suppress(dxc::DIVISION_BY_ZERO));
        }
        self.0 |= Fpc::DIVISION_BY_ZERO;
        Ok(default)
    }

    /// Whether the value may be loaded: no unassigned bit, and an assigned rounding mode.
    pub fn is_valid(self) -> bool {
        self.0 & Self::UNASSIGNED == 0 && !matches!(self.0 & 7, 4..=6)
    }

    /// The current BFP rounding mode.
    pub fn rounding(self) -> Rounding {
        match self.0 & 7 {
            1 => Rounding::TowardZero,
            2 => Rounding::TowardPlusInfinity,
            3 => Rounding::TowardMinusInfinity,
            7 => Rounding::PrepareForShorter,
            _ => Rounding::NearestEven,
        }
    }
}

/// How an inexact result is made to fit (POP, chapter 19, "BFP Rounding").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounding {
    /// To the nearest number; of two, to the one whose last bit is 0.
    NearestEven,
    /// To the nearest number; of two, to the one farther from zero.
    NearestAway,
    /// Toward zero; if that is inexact, the last bit becomes 1, so that a later rounding is right.
    PrepareForShorter,
    /// To the nearest number that is no farther from zero.
    TowardZero,
    /// To the nearest number that is not less.
    TowardPlusInfinity,
    /// To the nearest number that is not greater.
    TowardMinusInfinity,
    /// To the nearest number; of two, to the one nearer to zero. Only PERFORM FLOATING-POINT OPERATION asks for it.
    NearestTowardZero,
    /// To the nearest number that is no nearer to zero. Likewise.
    AwayFromZero,
}

impl Rounding {
    /// The method an M3 (or M4) modifier selects; 0 means the mode in the FPC. `None`: specification exception.
    pub fn from_modifier(m: u8, fpc: Fpc) -> Option<Rounding> {
        Some(match m {
            0 => fpc.rounding(),
            1 => Rounding::NearestAway,
            3 => Rounding::PrepareForShorter,
            4 => Rounding::NearestEven,
            5 => Rounding::TowardZero,
            6 => Rounding::TowardPlusInfinity,
            7 => Rounding::TowardMinusInfinity,
            _ => return None,
        })
    }

    /// Discards the low `bits` of a significand.
    pub(crate) fn discard(self, negative: bool, significand: u128, bits: u32) -> Discarded {
        // More than everything is discarded: what remains is certainly less than half a unit.
        let (significand, bits) = if bits > 127 { (significand.min(1), 2) } else { (significand, bits) };
        let kept = significand >> bits;
        let rest = significand & ((1 << bits) - 1);
        if rest == 0 {
            return Discarded { kept, inexact: false, incremented: false };
        }
        let half = 1 << (bits - 1);
        let increment = match self {
            Rounding::NearestEven => rest > half || rest == half && kept & 1 == 1,
            Rounding::NearestAway => rest >= half,
            Rounding::NearestTowardZero => rest > half,
            Rounding::AwayFromZero => true,
            Rounding::PrepareForShorter => kept & 1 == 0,
            Rounding::TowardZero => false,
            Rounding::TowardPlusInfinity => !negative,
            Rounding::TowardMinusInfinity => negative,
        };
        Discarded { kept: kept + u128::from(increment), inexact: true, incremented: increment }
    }

    /// Whether a magnitude too large for the format becomes infinity, and not the largest finite number.
    fn overflows_to_infinity(self, negative: bool) -> bool {
        match self {
            Rounding::NearestEven | Rounding::NearestAway => true,
            Rounding::NearestTowardZero | Rounding::AwayFromZero => true,
            Rounding::PrepareForShorter | Rounding::TowardZero => false,
            Rounding::TowardPlusInfinity => !negative,
            Rounding::TowardMinusInfinity => negative,
        }
    }
}

/// A rounded significand, and what rounding did to its magnitude.
#[derive(Clone, Copy)]
pub(crate) struct Discarded {
    pub kept: u128,
    pub inexact: bool,
    pub incremented: bool,
}

impl Discarded {
    /// The part of a DXC that tells about inexactness.
    pub(crate) fn dxc(self) -> u8 {
        match (self.inexact, self.incremented) {
            (false, _) => 0,
            (true, false) => dxc::INEXACT_TRUNCATED,
            (true, true) => dxc::INEXACT_INCREMENTED,
        }
    }
}

/// An enabled IEEE exception: the program is interrupted with this data-exception code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trap<T> {
    /// The operation is suppressed: nothing but the DXC changes.
    Suppress(u8),
    /// The operation is completed with this result, and then interrupts.
    Complete(T, u8),
}

impl<T> Trap<T> {
    /// The same with another form of the result.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Trap<U> {
        match self {
            Trap::Suppress(dxc) => Trap::Suppress(dxc),
            Trap::Complete(value, dxc) => Trap::Complete(f(value), dxc),
        }
    }
}

/// What an operation yields.
pub type Outcome<T> = Result<T, Trap<T>>;

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
}

impl Environment {
    /// The environment of an instruction without modifiers.
    pub fn current(fpc: Fpc) -> Environment {
        Environment { fpc, rounding: fpc.rounding(), suppress_inexact: false }
    }

    /// The environment of an instruction with a rounding modifier and, in bit 1 of its last modifier, XxC. `None`: the
    /// rounding modifier is not assigned, a specification exception.
    pub fn modified(fpc: Fpc, rounding: u8, xxc: u8) -> Option<Environment> {
        let rounding = Rounding::from_modifier(rounding, fpc)?;
        Some(Environment { fpc, rounding, suppress_inexact: xxc & 4 != 0 })
    }

    /// An IEEE-invalid-operation exception whose default result is `default`.
    pub fn invalid<T, R>(&mut self, default: T) -> Result<T, Trap<R>> {
        self.fpc.invalid(default)
    }

    /// An IEEE-division-by-zero exception.
    pub fn division_by_zero<T>(&mut self, default: T) -> Outcome<T> {
        self.fpc.division_by_zero(default)
    }

    /// The inexact exception, last of all: `value` is the result already.
    pub(crate) fn inexact<T>(&mut self, value: T, rounded: Discarded) -> Outcome<T> {
        if !rounded.inexact || self.suppress_inexact {
            return Ok(value);
        }
        if self.fpc.enables(Fpc::INEXACT) {
            return Err(Trap::Complete(value, rounded.dxc()));
        }
        self.fpc.0 |= Fpc::INEXACT;
        Ok(value)
    }

    /// Makes a result of a precise intermediate one: `significand × 2^(exponent − 126)`, bit 2^126 on, the lowest bit
    /// sticky. Overflow, underflow and inexact arise here and nowhere else.
    pub fn round<B: Binary>(&mut self, negative: bool, exponent: i32, significand: u128) -> Outcome<B> {
        match self.round_wide::<B, B>(negative, exponent, significand, B::SCALE) {
            Ok(value) => Ok(value),
            Err(Rounded::Trap(trap)) => Err(trap),
            Err(Rounded::Range(value, dxc)) => Err(Trap::Complete(value, dxc)),
        }
    }

    /// [`round`](Self::round) for results of any size. Where an enabled overflow or underflow is so large that the
    /// adjusted exponent does not fit either, the interruption comes with the default result.
    pub(crate) fn round_far<B: Binary>(&mut self, negative: bool, exponent: i32, significand: u128) -> Outcome<B> {
        let (flag, code) = match exponent {
            _ if exponent - B::SCALE >= B::EMAX => (Fpc::OVERFLOW, dxc::OVERFLOW),
            _ if exponent + B::SCALE < B::EMIN => (Fpc::UNDERFLOW, dxc::UNDERFLOW),
            _ => return self.round(negative, exponent, significand),
        };
        if !self.fpc.enables(flag) {
            return self.round(negative, exponent, significand);
        }
        let mut silent = Environment { fpc: Fpc(0), ..*self };
        let value: B = silent.round(negative, exponent, significand)?;
        let incremented = value.magnitude() == B::INFINITY || flag == Fpc::UNDERFLOW && value.magnitude() != 0;
        let rounded = Discarded { kept: 0, inexact: true, incremented };
        Err(Trap::Complete(value, code | rounded.dxc()))
    }

    /// [`round`](Self::round), where an enabled overflow or underflow delivers its result, the exponent adjusted by
    /// `scale`, in another format `W` than the target (POP, *LOAD ROUNDED*: in the format of the source).
    pub(super) fn round_wide<B: Binary, W: Binary>(
        &mut self,
        negative: bool,
        exponent: i32,
        significand: u128,
        scale: i32,
    ) -> Result<B, Rounded<B, W>> {
        debug_assert!(significand >> LEADING == 1);
        let excess = LEADING + 1 - B::PRECISION;
        let mut rounded = self.rounding.discard(negative, significand, excess);
        let mut unbounded = exponent;
        if rounded.kept >> B::PRECISION != 0 {
            rounded.kept >>= 1;
            unbounded += 1;
        }
        if unbounded > B::EMAX {
            if self.fpc.enables(Fpc::OVERFLOW) {
                let value = pack::<B, W>(negative, unbounded - scale, rounded.kept);
                return Err(Rounded::Range(value, dxc::OVERFLOW | rounded.dxc()));
            }
            self.fpc.0 |= Fpc::OVERFLOW;
            let infinite = self.rounding.overflows_to_infinity(negative);
            let value = if infinite { B::infinity(negative) } else { B::largest(negative) };
            rounded = Discarded { kept: 0, inexact: true, incremented: infinite };
            return self.inexact(value, rounded).map_err(Rounded::Trap);
        }
        // Tininess is a property of the precise value, before rounding.
        if exponent >= B::EMIN {
            return self.inexact(pack::<B, B>(negative, unbounded, rounded.kept), rounded).map_err(Rounded::Trap);
        }
        if self.fpc.enables(Fpc::UNDERFLOW) {
            let value = pack::<B, W>(negative, unbounded + scale, rounded.kept);
            return Err(Rounded::Range(value, dxc::UNDERFLOW | rounded.dxc()));
        }
        let rounded = self.rounding.discard(negative, significand, excess + (B::EMIN - exponent) as u32);
        if rounded.inexact {
            self.fpc.0 |= Fpc::UNDERFLOW;
        }
        // A carry into the lowest normal exponent needs no care: it is the next bit pattern.
        self.inexact(B::signed(negative, rounded.kept), rounded).map_err(Rounded::Trap)
    }
}

/// Why [`Environment::round_wide`] yields no plain result.
pub(super) enum Rounded<B, W> {
    Trap(Trap<B>),
    /// An enabled overflow or underflow, with the adjusted result.
    Range(W, u8),
}

/// Packs a number of `B`'s precision into the format `W`, which is at least as precise. An adjusted exponent is always
/// that of a normal number.
fn pack<B: Binary, W: Binary>(negative: bool, exponent: i32, significand: u128) -> W {
    let wide = significand << (W::PRECISION - B::PRECISION);
    debug_assert!((W::EMIN..=W::EMAX).contains(&exponent));
    let biased = (exponent + W::EMAX) as u128;
    W::signed(negative, biased << (W::PRECISION - 1) | wide & W::FRACTION)
}

/// Normalizes a nonzero significand and adjusts its exponent.
pub(super) fn normalize(exponent: i32, significand: u128) -> (i32, u128) {
    let zeros = significand.leading_zeros();
    if zeros == 0 {
        return (exponent + 1, shift_sticky(significand, 1));
    }
    let shift = zeros - (127 - LEADING);
    (exponent - shift as i32, significand << shift)
}
