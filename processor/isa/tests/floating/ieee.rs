//! What POP chapter 19 makes of operands, on a software-float library (LLVM's APFloat).
//!
//! The library gives numbers and whether they are exact. It knows no enabled exceptions, and finds tininess after
//! rounding. So each operation is done three times: in its format; rounded to as many digits with hardly any limit to
//! the exponent ([`Wide`]); and so rounded, toward zero. What follows from these three is chapter 19's business:
//! overflow, underflow, scaled results, flags, data-exception codes. NaNs are not the library's either.

use crate::number::Format;
use rustc_apfloat::ieee::{Double, DoubleS, IeeeFloat, Quad, QuadS, Semantics, Single, SingleS};
use rustc_apfloat::{Float, FloatConvert as _, Round, Status, StatusAnd};
use std::cmp::Ordering;
use std::marker::PhantomData;

const INVALID: u32 = 0x0080_0000;
const DIVISION_BY_ZERO: u32 = 0x0040_0000;
const OVERFLOW: u32 = 0x0020_0000;
const UNDERFLOW: u32 = 0x0010_0000;
const INEXACT: u32 = 0x0008_0000;

/// A format with the precision of another, and exponents of 20 bits.
pub(crate) struct WideS<S>(PhantomData<S>);

impl<S: Semantics> Semantics for WideS<S> {
    const BITS: usize = S::PRECISION + 20;
    const EXP_BITS: usize = 20;
}

/// A format in which quotients and roots have all the digits that decide how they are rounded.
pub(crate) struct RoomyS;

impl Semantics for RoomyS {
    const BITS: usize = 140;
    const EXP_BITS: usize = 20;
}

type Roomy = IeeeFloat<RoomyS>;

/// A format of the library that instructions have.
pub(crate) trait Layout: Semantics {
    const FORMAT: Format;
}

impl Layout for SingleS {
    const FORMAT: Format = Format::Short;
}

impl Layout for DoubleS {
    const FORMAT: Format = Format::Long;
}

impl Layout for QuadS {
    const FORMAT: Format = Format::Extended;
}

type Narrow<S> = IeeeFloat<S>;
type Wide<S> = IeeeFloat<WideS<S>>;

/// A number in another format.
fn converted<S: Semantics, T: Semantics>(value: IeeeFloat<S>, round: Round) -> StatusAnd<IeeeFloat<T>> {
    value.convert_r(round, &mut false)
}

/// A number in another format, which loses nothing.
fn exactly<S: Semantics, T: Semantics>(value: IeeeFloat<S>) -> IeeeFloat<T> {
    let mut lost = false;
    let converted = value.convert_r(Round::TowardZero, &mut lost).value;
    assert!(!lost, "the format has the digits");
    converted
}

/// The six ways to round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    Library(Round),
    /// Prepare for shorter precision: toward zero, the last digit 1 if that is inexact.
    Shorter,
}

impl Mode {
    /// By the rounding mode in the FPC.
    fn current(fpc: u32) -> Mode {
        match fpc & 7 {
            0 => Mode::Library(Round::NearestTiesToEven),
            1 => Mode::Library(Round::TowardZero),
            2 => Mode::Library(Round::TowardPositive),
            3 => Mode::Library(Round::TowardNegative),
            7 => Mode::Shorter,
            other => panic!("{other} is no rounding mode"),
        }
    }

    fn modified(fpc: u32, modifier: u8) -> Mode {
        match modifier {
            0 => Mode::current(fpc),
            1 => Mode::Library(Round::NearestTiesToAway),
            3 => Mode::Shorter,
            4 => Mode::Library(Round::NearestTiesToEven),
            5 => Mode::Library(Round::TowardZero),
            6 => Mode::Library(Round::TowardPositive),
            7 => Mode::Library(Round::TowardNegative),
            other => panic!("{other} is no rounding method"),
        }
    }
}

/// What an instruction finds beside its operands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Environment {
    pub fpc: u32,
    pub mode: Mode,
    /// Inexactness is neither flagged nor does it interrupt.
    pub suppress: bool,
}

impl Environment {
    pub(crate) fn current(fpc: u32) -> Environment {
        Environment { fpc, mode: Mode::current(fpc), suppress: false }
    }

    pub(crate) fn modified(fpc: u32, m3: u8, m4: u8) -> Environment {
        Environment { fpc, mode: Mode::modified(fpc, m3), suppress: m4 & 4 != 0 }
    }

    fn traps(&self, flag: u32) -> bool {
        self.fpc & flag << 8 != 0
    }
}

/// How an operation ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ending<T> {
    /// `None`: it is suppressed.
    pub value: Option<T>,
    pub fpc: u32,
    /// The data-exception code of an interruption.
    pub dxc: Option<u8>,
}

impl<T> Ending<T> {
    pub(crate) fn map<U>(self, f: impl FnOnce(T) -> U) -> Ending<U> {
        Ending { value: self.value.map(f), fpc: self.fpc, dxc: self.dxc }
    }
}

pub(crate) fn plain<T>(env: Environment, value: T) -> Ending<T> {
    Ending { value: Some(value), fpc: env.fpc, dxc: None }
}

/// An exception that suppresses if it is enabled, and else leaves `value`.
fn serious<T>(env: Environment, flag: u32, dxc: u8, value: T) -> Ending<T> {
    match env.traps(flag) {
        true => Ending { value: None, fpc: env.fpc, dxc: Some(dxc) },
        false => Ending { value: Some(value), fpc: env.fpc | flag, dxc: None },
    }
}

pub(crate) fn invalid<T>(env: Environment, value: T) -> Ending<T> {
    serious(env, INVALID, 0x80, value)
}

/// Completed with `value`, which is inexact: farther from zero than the exact result, or nearer.
fn inexact<T>(env: Environment, value: T, incremented: bool) -> Ending<T> {
    match (env.suppress, env.traps(INEXACT)) {
        (true, _) => plain(env, value),
        (_, true) => Ending { value: Some(value), fpc: env.fpc, dxc: Some(inexact_code(true, incremented)) },
        _ => Ending { value: Some(value), fpc: env.fpc | INEXACT, dxc: None },
    }
}

fn inexact_code(inexact: bool, incremented: bool) -> u8 {
    match (inexact, incremented) {
        (false, _) => 0,
        (true, false) => 0x08,
        (true, true) => 0x0c,
    }
}

/// A result in a format: of LOAD ROUNDED it may be that of the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Number {
    pub format: Format,
    pub bits: u128,
}

impl Number {
    fn of<S: Layout>(value: Narrow<S>) -> Number {
        Number { format: S::FORMAT, bits: value.to_bits() }
    }

    /// The condition code of an arithmetic result.
    pub(crate) fn condition(self) -> u8 {
        match self.format {
            f if f.is_nan(self.bits) => 3,
            f if f.is_zero(self.bits) => 0,
            f => 2 - u8::from(self.bits & f.sign() != 0),
        }
    }
}

/// What one operation comes to in a format and in the wide one, rounded as the library can.
pub(crate) trait Rounded<S: Layout> {
    fn narrow(&self, round: Round) -> StatusAnd<Narrow<S>>;
    fn wide(&self, round: Round) -> StatusAnd<Wide<S>>;
}

impl<S: Layout, F, G> Rounded<S> for (F, G)
where
    F: Fn(Round) -> StatusAnd<Narrow<S>>,
    G: Fn(Round) -> StatusAnd<Wide<S>>,
{
    fn narrow(&self, round: Round) -> StatusAnd<Narrow<S>> {
        self.0(round)
    }
    fn wide(&self, round: Round) -> StatusAnd<Wide<S>> {
        self.1(round)
    }
}

/// A wide number in its format, its exponent changed by `by`.
fn scaled<S: Layout>(wide: Wide<S>, by: i32) -> Narrow<S> {
    exactly(wide.scalbn(by))
}

/// The wide number with its last digit 1.
fn with_last_digit<S: Layout>(wide: Wide<S>) -> Wide<S> {
    let exponent = wide.ilogb();
    let digits = Narrow::<S>::from_bits(scaled::<S>(wide, -exponent).to_bits() | 1);
    exactly::<S, WideS<S>>(digits).scalbn(exponent)
}

fn wide<S: Layout>(operation: &impl Rounded<S>, mode: Mode) -> StatusAnd<Wide<S>> {
    match mode {
        Mode::Library(round) => operation.wide(round),
        Mode::Shorter => {
            let result = operation.wide(Round::TowardZero);
            let is_inexact = result.status.contains(Status::INEXACT);
            result.map(|value| if is_inexact { with_last_digit::<S>(value) } else { value })
        }
    }
}

fn narrow<S: Layout>(operation: &impl Rounded<S>, mode: Mode) -> StatusAnd<Narrow<S>> {
    match mode {
        Mode::Library(round) => operation.narrow(round),
        Mode::Shorter => {
            let result = operation.narrow(Round::TowardZero);
            let is_inexact = result.status.contains(Status::INEXACT);
            result.map(|value| if is_inexact { Narrow::<S>::from_bits(value.to_bits() | 1) } else { value })
        }
    }
}

/// Where the result of an enabled overflow or underflow goes, and by how much its exponent is changed.
pub(crate) trait Scaled<S: Layout> {
    fn deliver(&self, wide: Wide<S>, direction: i32) -> Number;
}

/// In the format of the result.
pub(crate) struct Same;

impl<S: Layout> Scaled<S> for Same {
    fn deliver(&self, wide: Wide<S>, direction: i32) -> Number {
        Number::of(scaled::<S>(wide, direction * S::FORMAT.scale()))
    }
}

/// In the format of the source, by 512 of a long one and 8192 of an extended one (POP, *LOAD ROUNDED*).
pub(crate) struct Source<T>(PhantomData<T>);

impl<S: Layout, T: Layout> Scaled<S> for Source<T> {
    fn deliver(&self, wide: Wide<S>, direction: i32) -> Number {
        let by = if T::FORMAT == Format::Long { 512 } else { 8192 };
        Number::of(exactly::<WideS<S>, T>(wide.scalbn(direction * by)))
    }
}

/// A finite operation on finite operands.
pub(crate) fn finish<S: Layout>(
    env: Environment,
    operation: &impl Rounded<S>,
    scaled: &impl Scaled<S>,
) -> Ending<Number> {
    let exact = operation.wide(Round::TowardZero);
    let value = Number::of(narrow(operation, env.mode).value);
    if !exact.value.is_finite_non_zero() {
        return plain(env, value);
    }
    let rounded = wide(operation, env.mode);
    let is_inexact = rounded.status.contains(Status::INEXACT);
    let grew = rounded.value.abs().partial_cmp(&exact.value.abs()) == Some(Ordering::Greater);
    if rounded.value.ilogb() > S::MAX_EXP {
        if env.traps(OVERFLOW) {
            let value = scaled.deliver(rounded.value, -1);
            return Ending { value: Some(value), fpc: env.fpc, dxc: Some(0x20 | inexact_code(is_inexact, grew)) };
        }
        let env = Environment { fpc: env.fpc | OVERFLOW, ..env };
        return inexact(env, value, S::FORMAT.is_infinite(value.bits));
    }
    if exact.value.ilogb() < S::MIN_EXP {
        if env.traps(UNDERFLOW) {
            let value = scaled.deliver(rounded.value, 1);
            return Ending { value: Some(value), fpc: env.fpc, dxc: Some(0x10 | inexact_code(is_inexact, grew)) };
        }
        let (tiny, cut) = (narrow(operation, env.mode), operation.narrow(Round::TowardZero));
        if !cut.status.contains(Status::INEXACT) {
            return plain(env, value);
        }
        let grew = tiny.value.abs().partial_cmp(&cut.value.abs()) == Some(Ordering::Greater);
        // Where the digit that was 0 has become 1, it is so of the number that was cut off, too.
        let grew = grew || env.mode == Mode::Shorter && tiny.value.to_bits() != cut.value.to_bits();
        return inexact(Environment { fpc: env.fpc | UNDERFLOW, ..env }, value, grew);
    }
    if is_inexact { inexact(env, value, grew) } else { plain(env, value) }
}

/// The NaN that is the result in `to` if an operand is one: the first signaling one, made quiet, else the first.
pub(crate) fn nan<const COUNT: usize>(
    env: Environment,
    from: Format,
    to: Format,
    operands: [u128; COUNT],
) -> Option<Ending<Number>> {
    let quieted = |bits: u128| {
        let fraction = bits & ((1 << from.fraction()) - 1) | from.quiet();
        let moved = match to.fraction() >= from.fraction() {
            true => fraction << (to.fraction() - from.fraction()),
            false => fraction >> (from.fraction() - to.fraction()),
        };
        let sign = if bits & from.sign() != 0 { to.sign() } else { 0 };
        Number { format: to, bits: sign | to.infinity() | moved }
    };
    if let Some(&signaling) = operands.iter().find(|&&bits| from.is_signaling(bits)) {
        return Some(invalid(env, quieted(signaling)));
    }
    operands.iter().find(|&&bits| from.is_nan(bits)).map(|&first| plain(env, quieted(first)))
}

fn default_nan(env: Environment, format: Format) -> Ending<Number> {
    invalid(env, Number { format, bits: format.default_nan() })
}

/// A number of a format in the wide one.
fn widened<S: Layout>(value: Narrow<S>) -> Wide<S> {
    exactly(value)
}

/// The arithmetic operations of two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dyadic {
    Add,
    Subtract,
    Multiply,
    Divide,
}

fn dyadic<F: Float>(operation: Dyadic, a: F, b: F, round: Round) -> StatusAnd<F> {
    match operation {
        Dyadic::Add => a.add_r(b, round),
        Dyadic::Subtract => a.sub_r(b, round),
        Dyadic::Multiply => a.mul_r(b, round),
        Dyadic::Divide => a.div_r(b, round),
    }
}

/// Operands of `from`, which are converted to the result's format first, exactly.
pub(crate) fn two<S: Layout>(env: Environment, operation: Dyadic, from: Format, a: u128, b: u128) -> Ending<Number> {
    if let Some(nan) = nan(env, from, S::FORMAT, [a, b]) {
        return nan;
    }
    let (a, b) = (lengthened::<S>(from, a), lengthened::<S>(from, b));
    let probe = dyadic(operation, a, b, Round::NearestTiesToEven);
    if probe.status.contains(Status::INVALID_OP) {
        return default_nan(env, S::FORMAT);
    }
    if probe.status.contains(Status::DIV_BY_ZERO) {
        return serious(env, DIVISION_BY_ZERO, 0x40, Number::of(probe.value));
    }
    let (x, y) = (widened(a), widened(b));
    finish::<S>(env, &(|round| dyadic(operation, a, b, round), |round| dyadic(operation, x, y, round)), &Same)
}

/// A number of a shorter format, or the same, in a longer one; it is no NaN.
fn lengthened<S: Layout>(from: Format, bits: u128) -> Narrow<S> {
    exactly(roomy(from, bits))
}

/// A number that is no NaN with more digits than any format has.
pub(crate) fn roomy(from: Format, bits: u128) -> Roomy {
    match from {
        Format::Short => exactly(Single::from_bits(bits)),
        Format::Long => exactly(Double::from_bits(bits)),
        Format::Extended => exactly(Quad::from_bits(bits)),
    }
}

/// MULTIPLY AND ADD and MULTIPLY AND SUBTRACT: `third` times `second`, plus or minus `first`.
pub(crate) fn three<S: Layout>(
    env: Environment,
    subtract: bool,
    first: u128,
    second: u128,
    third: u128,
) -> Ending<Number> {
    let f = S::FORMAT;
    let indefinite = |a: u128, b: u128| f.is_infinite(a) && f.is_zero(b);
    if indefinite(second, third) || indefinite(third, second) {
        return default_nan(env, f);
    }
    if let Some(nan) = nan(env, f, f, [second, third, first]) {
        return nan;
    }
    let (a, b) = (Narrow::<S>::from_bits(third), Narrow::<S>::from_bits(second));
    let c = Narrow::<S>::from_bits(if subtract { first ^ f.sign() } else { first });
    if a.mul_add_r(b, c, Round::NearestTiesToEven).status.contains(Status::INVALID_OP) {
        return default_nan(env, f);
    }
    let (x, y, z) = (widened(a), widened(b), widened(c));
    finish::<S>(env, &(|round| a.mul_add_r(b, c, round), |round| x.mul_add_r(y, z, round)), &Same)
}

/// SQUARE ROOT. The library has none. A root that is cut off is proved by its square and that of its successor.
pub(crate) fn square_root<S: Layout>(env: Environment, bits: u128) -> Ending<Number> {
    let f = S::FORMAT;
    if let Some(nan) = nan(env, f, f, [bits]) {
        return nan;
    }
    let value = Narrow::<S>::from_bits(bits);
    if value.is_zero() || value.is_pos_infinity() {
        return plain(env, Number::of(value));
    }
    if value.is_negative() {
        return default_nan(env, f);
    }
    let radicand = roomy(f, bits);
    let half = radicand.ilogb().div_euclid(2);
    // From 1 to below 4.
    let radicand = radicand.scalbn(-2 * half);
    let root = |round| {
        let (root, is_inexact) = root(radicand, S::PRECISION, round);
        let status = if is_inexact { Status::INEXACT } else { Status::OK };
        status.and(root.scalbn(half))
    };
    let narrow = |round| root(round).map(exactly);
    let wide = |round| root(round).map(exactly);
    finish::<S>(env, &(narrow, wide), &Same)
}

/// The root of a number from 1 to below 4, rounded to so many digits, and whether that is inexact.
fn root(radicand: Roomy, precision: usize, round: Round) -> (Roomy, bool) {
    let unit = Roomy::from_u128(1).value.scalbn(1 - precision as i32);
    let nearest = Round::NearestTiesToEven;
    let guess: Double = converted(radicand, nearest).value;
    let guess = f64::from_bits(guess.to_bits() as u64).sqrt();
    let mut root: Roomy = exactly(Double::from_bits(guess.to_bits().into()));
    if precision > 50 {
        root = root.add_r(radicand.div_r(root, nearest).value, nearest).value.scalbn(-1);
    }
    // To whole units: they are a power of two.
    let cut = root.scalbn(precision as i32 - 1).round_to_integral(Round::TowardZero).value;
    let mut root = cut.scalbn(1 - precision as i32);
    let beyond = |candidate: Roomy| {
        let difference = candidate.mul_add_r(candidate, -radicand, Round::TowardNegative).value;
        difference.is_finite_non_zero() && !difference.is_negative()
    };
    while beyond(root) {
        root = root.sub_r(unit, nearest).value;
    }
    while !beyond(root.add_r(unit, nearest).value) {
        root = root.add_r(unit, nearest).value;
    }
    let is_inexact = !root.mul_add_r(root, -radicand, Round::TowardNegative).value.is_zero();
    let up = match round {
        Round::TowardPositive => is_inexact,
        // There is no tie: the square of half a unit more has more digits than a radicand.
        Round::NearestTiesToEven | Round::NearestTiesToAway => {
            is_inexact && !beyond(root.add_r(unit.scalbn(-1), nearest).value)
        }
        Round::TowardZero | Round::TowardNegative => false,
    };
    (if up { root.add_r(unit, nearest).value } else { root }, is_inexact)
}

/// LOAD LENGTHENED.
pub(crate) fn lengthen<S: Layout>(env: Environment, from: Format, bits: u128) -> Ending<Number> {
    nan(env, from, S::FORMAT, [bits]).unwrap_or_else(|| plain(env, Number::of(lengthened::<S>(from, bits))))
}

/// LOAD ROUNDED from the format `T`.
pub(crate) fn shorten<T: Layout, S: Layout>(env: Environment, bits: u128) -> Ending<Number> {
    if let Some(nan) = nan(env, T::FORMAT, S::FORMAT, [bits]) {
        return nan;
    }
    let source = Narrow::<T>::from_bits(bits);
    finish::<S>(env, &(|round| converted(source, round), |round| converted(source, round)), &Source::<T>(PhantomData))
}

/// CONVERT FROM FIXED and FROM LOGICAL.
pub(crate) fn from_integer<S: Layout>(env: Environment, value: i128) -> Ending<Number> {
    finish::<S>(
        env,
        &(|round| Narrow::<S>::from_i128_r(value, round), |round| Wide::<S>::from_i128_r(value, round)),
        &Same,
    )
}

/// A finite number rounded to an integer, whether that is inexact, and whether it is larger in size.
fn integral<F: Float>(value: F, mode: Mode) -> (F, bool, bool) {
    let cut = value.round_to_integral(Round::TowardZero);
    let is_inexact = cut.status.contains(Status::INEXACT);
    let rounded = match mode {
        Mode::Library(round) => value.round_to_integral(round).value,
        Mode::Shorter if is_inexact => {
            let one = F::from_u128(1).value;
            // Whether the last digit is 1 already.
            let half = cut.value.scalbn(-1);
            let odd = half.round_to_integral(Round::TowardZero).value != half;
            let up = cut.value.abs().add_r(one, Round::NearestTiesToEven).value;
            if odd { cut.value } else { up.copy_sign(value) }
        }
        Mode::Shorter => cut.value,
    };
    let grew = rounded.abs().partial_cmp(&cut.value.abs()) == Some(Ordering::Greater);
    (rounded, is_inexact, grew)
}

/// LOAD FP INTEGER.
pub(crate) fn load_integer<S: Layout>(env: Environment, bits: u128) -> Ending<Number> {
    if let Some(nan) = nan(env, S::FORMAT, S::FORMAT, [bits]) {
        return nan;
    }
    let value = Narrow::<S>::from_bits(bits);
    if !value.is_finite_non_zero() {
        return plain(env, Number::of(value));
    }
    let (rounded, is_inexact, grew) = integral(value, env.mode);
    if is_inexact { inexact(env, Number::of(rounded), grew) } else { plain(env, Number::of(rounded)) }
}

/// CONVERT TO FIXED and TO LOGICAL: the integer and the condition code.
pub(crate) fn to_integer<S: Layout>(env: Environment, bits: u128, least: i128, most: i128) -> Ending<(i128, u8)> {
    let f = S::FORMAT;
    if f.is_nan(bits) {
        return invalid(env, (least, 3));
    }
    let value = Narrow::<S>::from_bits(bits);
    let extreme = if value.is_negative() { least } else { most };
    let (rounded, is_inexact, grew) = if value.is_finite() { integral(value, env.mode) } else { (value, false, false) };
    let small = rounded.is_finite() && (rounded.is_zero() || rounded.ilogb() < 100);
    let integer = small.then(|| rounded.to_i128_r(128, Round::TowardZero, &mut false).value);
    match integer.filter(|integer| (least..=most).contains(integer)) {
        Some(integer) => {
            let result = (integer, Number { format: f, bits }.condition());
            if is_inexact { inexact(env, result, grew) } else { plain(env, result) }
        }
        // It counts as inexact, cut off (POP, figure "Results: CONVERT TO FIXED").
        None => match invalid(env, (extreme, 3)) {
            Ending { value: Some(value), fpc, dxc: None } => inexact(Environment { fpc, ..env }, value, false),
            suppressed => suppressed,
        },
    }
}

/// COMPARE, and COMPARE AND SIGNAL: the condition code.
pub(crate) fn compare<S: Layout>(env: Environment, signal: bool, a: u128, b: u128) -> Ending<u8> {
    let f = S::FORMAT;
    let unordered = f.is_nan(a) || f.is_nan(b);
    if f.is_signaling(a) || f.is_signaling(b) || signal && unordered {
        return invalid(env, 3);
    }
    let code = match Narrow::<S>::from_bits(a).partial_cmp(&Narrow::<S>::from_bits(b)) {
        Some(Ordering::Equal) => 0,
        Some(Ordering::Less) => 1,
        Some(Ordering::Greater) => 2,
        None => 3,
    };
    plain(env, code)
}

/// What DIVIDE TO INTEGER leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Division {
    pub quotient: u128,
    pub remainder: u128,
    pub cc: u8,
}

/// DIVIDE TO INTEGER; `mode` is that of the quotient.
pub(crate) fn divide_to_integer<S: Layout>(env: Environment, mode: u8, a: u128, b: u128) -> Ending<Division> {
    let f = S::FORMAT;
    let both = |number: Number| Division { quotient: number.bits, remainder: number.bits, cc: 1 };
    if let Some(nan) = nan(env, f, f, [a, b]) {
        return nan.map(both);
    }
    let negative = (a ^ b) & f.sign();
    if f.is_infinite(a) || f.is_zero(b) {
        return default_nan(env, f).map(both);
    }
    if f.is_zero(a) {
        return plain(env, Division { quotient: negative, remainder: a, cc: 0 });
    }
    let mode = Mode::modified(env.fpc, mode);
    let (dividend, divisor) = (roomy(f, a), roomy(f, b));
    let precision = S::PRECISION as i32;
    // Cut off after 120 digits. Between such a quotient and an integer, or a half, there are always more, unless they
    // are equal: it is one of two numbers of at most 53 digits.
    let quotient = dividend.div_r(divisor, Round::TowardZero).value;
    let (integer, complete) = if quotient.is_zero() || quotient.ilogb() < precision {
        (if quotient.is_zero() { quotient } else { integral(quotient, mode).0 }, true)
    } else {
        let unit = quotient.ilogb() - precision + 1;
        (quotient.scalbn(-unit).round_to_integral(Round::TowardZero).value.scalbn(unit), false)
    };
    let overflows = integer.is_finite_non_zero() && integer.ilogb() > S::MAX_EXP;
    let adjusted = if overflows { integer.scalbn(-f.scale()) } else { integer };
    let delivered = exactly::<RoomyS, S>(adjusted).to_bits() & !f.sign() | negative;
    // The remainder is the dividend less the product, rounded as the FPC says. It is a multiple of the least number, so
    // that it is exact where it is tiny.
    let (x, n): (Wide<S>, Wide<S>) = (exactly(dividend), exactly(-integer));
    let wide = |round| match integer.is_zero() {
        true => Status::OK.and(x),
        false => n.mul_add_r(exactly(divisor), x, round),
    };
    let narrow = |round| {
        let wide: StatusAnd<Wide<S>> = wide(round);
        let narrow = converted::<WideS<S>, S>(wide.value, round);
        (wide.status | narrow.status).and(narrow.value)
    };
    finish::<S>(env, &(narrow, wide), &Same).map(|number| {
        let zero = f.is_zero(number.bits);
        let remainder = if zero { a & f.sign() } else { number.bits };
        let cc = if complete || zero { 0 } else { 2 } | u8::from(overflows);
        Division { quotient: delivered, remainder, cc }
    })
}

/// TEST DATA CLASS: whether `mask` selects the class.
pub(crate) fn data_class(f: Format, bits: u128, mask: u64) -> u8 {
    let magnitude = bits & !f.sign();
    let pair = match magnitude {
        0 => 0,
        _ if f.is_signaling(bits) => 5,
        _ if f.is_nan(bits) => 4,
        _ if f.is_infinite(bits) => 3,
        _ if magnitude >> f.fraction() == 0 => 2,
        _ => 1,
    };
    let bit = 2 * pair + u32::from(bits & f.sign() != 0);
    (mask >> (11 - bit) & 1) as u8
}

/// A long hexadecimal number's sign, and its size as a number of 120 digits.
fn hexadecimal_size(number: u64) -> (bool, Roomy) {
    let fraction = number & ((1 << 56) - 1);
    let characteristic = (number >> 56 & 0x7f) as i32;
    let size = Roomy::from_u128(fraction.into()).value.scalbn(4 * (characteristic - 64 - 14));
    (number >> 63 != 0, size)
}

/// CONVERT HFP TO BFP: the number and the condition code. M3 0 is toward zero, and no exception is recognized.
pub(crate) fn from_hexadecimal<S: Layout>(fpc: u32, m3: u8, number: u64) -> (u128, u8) {
    let f = S::FORMAT;
    let (negative, size) = hexadecimal_size(number);
    let sign = if negative { f.sign() } else { 0 };
    if size.is_zero() {
        return (sign, 0);
    }
    let mode = if m3 == 0 { Mode::Library(Round::TowardZero) } else { Mode::modified(fpc, m3) };
    let value = if negative { -size } else { size };
    let conversion = (|round| converted(value, round), |round| converted(value, round));
    // The library calls it an overflow only where infinity comes of it.
    let overflows = wide::<S>(&conversion, mode).value.ilogb() > S::MAX_EXP;
    let code = if overflows { 3 } else { 2 - u8::from(negative) };
    (narrow::<S>(&conversion, mode).value.to_bits(), code)
}

/// CONVERT BFP TO HFP: the long number and the condition code. What does not fit is cut off.
pub(crate) fn to_hexadecimal(f: Format, bits: u128) -> (u64, u8) {
    let sign = if bits & f.sign() != 0 { 1u64 << 63 } else { 0 };
    if f.is_nan(bits) {
        return (u64::MAX >> 1, 3);
    }
    if f.is_infinite(bits) {
        return (sign | u64::MAX >> 1, 3);
    }
    if f.is_zero(bits) {
        return (sign, 0);
    }
    let size = roomy(f, bits).abs();
    let code = if sign != 0 { 1 } else { 2 };
    // The least power of 16 that is greater.
    let power = (0..).map(|n| n - 300).find(|&n| size.scalbn(-4 * n) < Roomy::from_u128(1).value);
    let power = power.expect("a long number is below 2^1024");
    let digits = size.scalbn(4 * (14 - power)).to_u128_r(64, Round::TowardZero, &mut false).value as u64;
    match power + 64 {
        characteristic @ 0..=127 => (sign | (characteristic as u64) << 56 | digits, code),
        128.. => (sign | u64::MAX >> 1, 3),
        _ => (sign, code),
    }
}
