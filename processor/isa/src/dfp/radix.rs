//! PERFORM FLOATING-POINT OPERATION: conversion between the radixes, correctly rounded (POP, chapter 9).
//!
//! Between binary and decimal numbers lie integers of up to 20,000 bits. They are rare, so they are a library's
//! (`num-bigint`), and the only ones here that take space from the heap.

use super::operand::dfp_allowed;
use super::value::{self, Class, Decimal, Number, Precise, Wide, power};
use crate::bfp::operand::{Done, Operand};
use crate::bfp::value::{self as binary, Binary, Fpc, Outcome, Trap, dxc};
use crate::hfp::value as hexadecimal;
use crate::prelude::*;
use num_bigint::BigUint;

/// The result goes to floating-point register 0, or 0 and 2.
const TARGET: u8 = 0;
/// The source is in floating-point register 4, or 4 and 6.
const SOURCE: u8 = 4;
/// The only operation: convert floating-point radix.
const CONVERT: u32 = 1;

/// Number bases, in the order of the format codes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Radix {
    Hexadecimal,
    Binary,
    Decimal,
}

/// A radix and a size: 0 short, 1 long, 2 extended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Format {
    radix: Radix,
    size: u32,
}

impl Format {
    fn of(code: u32) -> Option<Format> {
        Some(match code {
            0..=2 => Format { radix: Radix::Hexadecimal, size: code },
            5..=7 => Format { radix: Radix::Binary, size: code - 5 },
            8..=10 => Format { radix: Radix::Decimal, size: code - 8 },
            _ => return None,
        })
    }
}

/// Fields of general register 0.
mod control {
    /// The function is tested, not performed.
    pub(super) const TEST: u32 = 1 << 31;
    /// Inexact suppression.
    pub(super) const SUPPRESS_INEXACT: u32 = 0x80;
    /// What would interrupt ends in a condition code.
    pub(super) const ALTERNATE_ACTION: u32 = 0x40;
    /// Of a hexadecimal target: overflow is an IEEE invalid operation.
    pub(super) const OVERFLOW: u32 = 0x20;
    /// Of a hexadecimal target: underflow is that of IEEE.
    pub(super) const UNDERFLOW: u32 = 0x10;
    /// Of a decimal target: the preferred quantum is one, otherwise the greatest that the number has.
    pub(super) const QUANTUM_ONE: u32 = 0x10;
}

/// A valid function.
#[derive(Clone, Copy, Debug)]
struct Function {
    target: Format,
    source: Format,
    controls: u32,
    rounding: value::Rounding,
    binary_rounding: binary::Rounding,
}

/// The rounding of a function, as both radixes name it: 0 is the DFP mode, 1 the BFP mode.
fn rounding(code: u32, fpc: Fpc) -> Option<(value::Rounding, binary::Rounding)> {
    use binary::Rounding as B;
    use value::Rounding as D;
    let decimal = match code {
        0 => D::current(fpc),
        1 => match fpc.rounding() {
            B::TowardZero => D::TowardZero,
            B::TowardPlusInfinity => D::TowardPlusInfinity,
            B::TowardMinusInfinity => D::TowardMinusInfinity,
            B::PrepareForShorter => D::PrepareForShorter,
            _ => D::NearestEven,
        },
        8..=15 => D::from_modifier(code as u8, fpc, true),
        _ => return None,
    };
    let binary = match decimal {
        D::NearestEven => B::NearestEven,
        D::TowardZero => B::TowardZero,
        D::TowardPlusInfinity => B::TowardPlusInfinity,
        D::TowardMinusInfinity => B::TowardMinusInfinity,
        D::NearestAway => B::NearestAway,
        D::NearestTowardZero => B::NearestTowardZero,
        D::AwayFromZero => B::AwayFromZero,
        D::PrepareForShorter => B::PrepareForShorter,
    };
    Some((decimal, binary))
}

impl Function {
    /// What general register 0 says, if it is valid.
    fn of(word: u32, fpc: Fpc) -> Option<Function> {
        let (target, source) = (Format::of(word >> 16 & 0xff)?, Format::of(word >> 8 & 0xff)?);
        let (rounding, binary_rounding) = rounding(word & 0xf, fpc)?;
        let assigned = match target.radix {
            Radix::Hexadecimal => control::OVERFLOW | control::UNDERFLOW,
            Radix::Binary => 0,
            Radix::Decimal => control::QUANTUM_ONE,
        };
        let valid = word >> 24 & 0x7f == CONVERT && target.radix != source.radix && word & 0x30 & !assigned == 0;
        valid.then_some(Function { target, source, controls: word, rounding, binary_rounding })
    }
}

/// What a source is. A number is significand × radix^exponent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    Number { negative: bool, significand: u128, decimal: bool, exponent: i32 },
    Infinity { negative: bool },
    Nan { negative: bool, signaling: bool },
}

fn hexadecimal_source<F: hexadecimal::Format>(source: F) -> Source {
    let n = source.unpack();
    let exponent = 4 * (n.characteristic - 64 - F::DIGITS as i32);
    Source::Number { negative: n.negative, significand: n.fraction, decimal: false, exponent }
}

fn binary_source<B: Binary>(source: B) -> Source {
    let n = source.unpack();
    let negative = n.negative;
    match n.class {
        class if class.is_nan() => Source::Nan { negative, signaling: class == binary::Class::SignalingNan },
        binary::Class::Infinity => Source::Infinity { negative },
        _ => Source::Number { negative, significand: n.significand, decimal: false, exponent: n.exponent - 126 },
    }
}

fn decimal_source<D: Decimal>(source: D) -> Source {
    let n = source.decode();
    let negative = n.negative;
    match n.class {
        Class::Finite => Source::Number { negative, significand: n.coefficient, decimal: true, exponent: n.exponent },
        Class::Infinite => Source::Infinity { negative },
        class => Source::Nan { negative, signaling: class == Class::Signaling },
    }
}

fn source(cpu: &State, format: Format) -> Source {
    let (short, long, extended) = (u32::get(cpu, SOURCE), u64::get(cpu, SOURCE), u128::get(cpu, SOURCE));
    match (format.radix, format.size) {
        (Radix::Hexadecimal, 0) => hexadecimal_source(short),
        (Radix::Hexadecimal, 1) => hexadecimal_source(long),
        (Radix::Hexadecimal, _) => hexadecimal_source(extended),
        (Radix::Binary, 0) => binary_source(short),
        (Radix::Binary, 1) => binary_source(long),
        (Radix::Binary, _) => binary_source(extended),
        (Radix::Decimal, 0) => decimal_source(short),
        (Radix::Decimal, 1) => decimal_source(long),
        (Radix::Decimal, _) => decimal_source(extended),
    }
}

/// A number as decimal digits: all of them, or 66 and more, whose last one says that others follow.
fn decimal_digits(significand: u128, decimal: bool, exponent: i32) -> (Wide, i32) {
    const ENOUGH: u64 = 66;
    if decimal || significand == 0 {
        return (Wide::new(significand), if significand == 0 { 0 } else { exponent });
    }
    // An odd significand has no zeros on the right of its digits that could be left out.
    let zeros = significand.trailing_zeros();
    let (significand, exponent) = (BigUint::from(significand >> zeros), exponent + zeros as i32);
    let (mut number, mut exponent) = match u32::try_from(exponent) {
        Ok(twos) => (significand << twos, 0),
        Err(_) => (significand * BigUint::from(5u32).pow(exponent.unsigned_abs()), exponent),
    };
    // At least so many digits; the logarithm of 2 is a little more than 30102 / 100000.
    let digits = number.bits() * 30102 / 100_000;
    if digits > ENOUGH {
        let drop = (digits - ENOUGH) as u32;
        let divisor = BigUint::from(10u32).pow(drop);
        let quotient = &number / &divisor;
        let exact = &quotient * &divisor == number;
        let last = low_part(&(&quotient % 5u32));
        number = if exact || last != 0 { quotient } else { quotient + 1u32 };
        exponent += drop as i32;
    }
    let base = BigUint::from(power(34));
    (Wide::shifted(low_part(&(&number / &base)), 34).plus(Wide::new(low_part(&(number % base)))), exponent)
}

/// A number that 128 bits hold.
fn low_part(number: &BigUint) -> u128 {
    number.iter_u64_digits().take(2).enumerate().fold(0, |sum, (n, digit)| sum | u128::from(digit) << (64 * n))
}

/// A number that is not zero as `significand × 2^(exponent − 126)`, bit 2^126 on, the lowest bit sticky.
fn binary_digits(significand: u128, decimal: bool, exponent: i32) -> (u128, i32) {
    const BITS: u64 = 127;
    let mut number = BigUint::from(significand);
    let (mut at, mut sticky) = (exponent, false);
    if decimal {
        let tens = BigUint::from(10u32).pow(exponent.unsigned_abs());
        at = 0;
        if exponent >= 0 {
            number *= tens;
        } else {
            let shift = (BITS + 1 + tens.bits()).saturating_sub(number.bits());
            number <<= shift;
            at = -(shift as i32);
            let quotient = &number / &tens;
            sticky = &quotient * &tens != number;
            number = quotient;
        }
    }
    let bits = number.bits();
    if bits > BITS {
        let drop = bits - BITS;
        sticky |= number.trailing_zeros().is_some_and(|zeros| zeros < drop);
        number >>= drop;
    } else {
        number <<= BITS - bits;
    }
    (low_part(&number) | u128::from(sticky), at + bits as i32 - 1)
}

/// To a decimal format.
fn to_decimal<D: Decimal>(fpc: &mut Fpc, function: &Function, source: Source) -> Outcome<D> {
    let suppress_inexact = function.controls & control::SUPPRESS_INEXACT != 0;
    let mut env = value::Environment { fpc: *fpc, rounding: function.rounding, suppress_inexact, extension: true };
    let result = match source {
        Source::Infinity { negative } => Ok(D::encode(Number::infinity(negative))),
        Source::Nan { negative, signaling } => {
            let nan = D::encode(Number { negative, ..Number::DEFAULT_NAN });
            if signaling { env.fpc.invalid(nan) } else { Ok(nan) }
        }
        Source::Number { negative, significand, decimal, exponent } => {
            let (coefficient, exponent) = decimal_digits(significand, decimal, exponent);
            let precise = Precise { negative, coefficient, exponent };
            let preferred = match function.controls & control::QUANTUM_ONE != 0 || significand == 0 {
                true => 0,
                false => (exponent + coefficient.trailing_zeros() as i32).clamp(D::LEAST, D::GREATEST),
            };
            env.round_far(precise, preferred)
        }
    };
    *fpc = env.fpc;
    result
}

/// To a binary format.
fn to_binary<B: Binary>(fpc: &mut Fpc, function: &Function, source: Source) -> Outcome<B> {
    let suppress_inexact = function.controls & control::SUPPRESS_INEXACT != 0;
    let mut env = binary::Environment { fpc: *fpc, rounding: function.binary_rounding, suppress_inexact };
    let result = match source {
        Source::Infinity { negative } => Ok(B::infinity(negative)),
        Source::Nan { negative, signaling } => {
            let nan = B::signed(negative, B::default_nan().magnitude());
            if signaling { env.fpc.invalid(nan) } else { Ok(nan) }
        }
        Source::Number { negative, significand: 0, .. } => Ok(B::zero(negative)),
        Source::Number { negative, significand, decimal, exponent } => {
            let (significand, exponent) = binary_digits(significand, decimal, exponent);
            env.round_far(negative, exponent, significand)
        }
    };
    *fpc = env.fpc;
    result
}

/// A result of hexadecimal floating point, and the program interruption that it ends in.
struct Hexadecimal<F> {
    result: Outcome<F>,
    program: Option<Program>,
}

/// To a hexadecimal format. What is no number becomes the greatest one, with an invalid operation.
fn to_hexadecimal<F: hexadecimal::Format>(
    fpc: &mut Fpc,
    underflow: bool,
    function: &Function,
    source: Source,
) -> Hexadecimal<F> {
    let bits = 4 * F::DIGITS;
    let greatest = |negative| F::pack(hexadecimal::Number { negative, characteristic: 127, fraction: (1 << bits) - 1 });
    let ieee = |result| Hexadecimal { result, program: None };
    let (negative, significand, decimal, exponent) = match source {
        Source::Infinity { negative } | Source::Nan { negative, .. } => return ieee(fpc.invalid(greatest(negative))),
        Source::Number { negative, significand: 0, .. } => return ieee(Ok(F::zero(negative))),
        Source::Number { negative, significand, decimal, exponent } => (negative, significand, decimal, exponent),
    };
    let (significand, exponent) = binary_digits(significand, decimal, exponent);
    // The leading bit is one of the four of the leftmost digit.
    let mut characteristic = 65 + exponent.div_euclid(4);
    let drop = 130 - bits - exponent.rem_euclid(4) as u32;
    let mut rounded = function.binary_rounding.discard(negative, significand, drop);
    if rounded.kept >> bits != 0 {
        rounded.kept >>= 4;
        characteristic += 1;
    }
    let number = hexadecimal::Number { negative, characteristic, fraction: rounded.kept };
    let wrapped = |program| Hexadecimal { result: Ok(F::pack(number)), program: Some(program) };
    match characteristic {
        128.. if function.controls & control::OVERFLOW != 0 => ieee(fpc.invalid(greatest(negative))),
        128.. => wrapped(Program::HfpExponentOverflow),
        ..0 if function.controls & control::UNDERFLOW != 0 => {
            let code = dxc::UNDERFLOW | rounded.dxc();
            if fpc.enables(Fpc::UNDERFLOW) {
                return ieee(Err(Trap::Complete(F::pack(number), code)));
            }
            fpc.0 |= Fpc::UNDERFLOW;
            let lost = binary::Discarded { kept: 0, inexact: true, incremented: false };
            ieee(inexact(fpc, function, F::zero(negative), lost))
        }
        ..0 if underflow => wrapped(Program::HfpExponentUnderflow),
        ..0 => ieee(Ok(F::zero(negative))),
        _ => ieee(inexact(fpc, function, F::pack(number), rounded)),
    }
}

fn inexact<T>(fpc: &mut Fpc, function: &Function, value: T, rounded: binary::Discarded) -> Outcome<T> {
    let suppress_inexact = function.controls & control::SUPPRESS_INEXACT != 0;
    let mut env = binary::Environment { fpc: *fpc, rounding: function.binary_rounding, suppress_inexact };
    let result = env.inexact(value, rounded);
    *fpc = env.fpc;
    result
}

/// Puts a result into the target's register. What would interrupt is a condition code and a return code instead, if the
/// function says so.
fn finish<T: Operand>(cpu: &mut State, function: &Function, result: Outcome<T>) -> Done {
    let (value, code, condition) = match result {
        Ok(value) => (Some(value), 0, 0),
        Err(Trap::Complete(value, code)) => (Some(value), code, 1),
        Err(Trap::Suppress(code)) => (None, code, 2),
    };
    let interrupts = code != 0 && function.controls & control::ALTERNATE_ACTION == 0;
    if let Some(value) = value {
        value.set(cpu, TARGET);
    }
    if interrupts {
        return Err(Interruption::Data(code));
    }
    cpu.set_gr(W32, 1, code.into());
    cpu.cc = condition;
    Ok(())
}

fn hexadecimal_target<F: hexadecimal::Format + Operand>(cpu: &mut State, function: &Function, from: Source) -> Done {
    let mut fpc = Fpc(cpu.fpc);
    let underflow = cpu.program_mask & EXPONENT_UNDERFLOW != 0;
    let Hexadecimal { result, program } = to_hexadecimal::<F>(&mut fpc, underflow, function, from);
    cpu.fpc = fpc.0;
    finish(cpu, function, result)?;
    program.map_or(Ok(()), |program| Err(program.into()))
}

/// The mask bit of HFP exponent underflow in the program mask.
const EXPONENT_UNDERFLOW: u8 = 2;

fn binary_target<B: Operand>(cpu: &mut State, function: &Function, from: Source) -> Done {
    let mut fpc = Fpc(cpu.fpc);
    let result = to_binary::<B>(&mut fpc, function, from);
    cpu.fpc = fpc.0;
    finish(cpu, function, result)
}

fn decimal_target<D: Decimal + Operand>(cpu: &mut State, function: &Function, from: Source) -> Done {
    let mut fpc = Fpc(cpu.fpc);
    let result = to_decimal::<D>(&mut fpc, function, from);
    cpu.fpc = fpc.0;
    finish(cpu, function, result)
}

/// PFPO. CC 0 done, or the function that is tested is valid; 1 done, with the exception whose data-exception code is in
/// general register 1; 2 suppressed, likewise; 3 the function that is tested is not valid.
pub(crate) fn perform(cpu: &mut State, _: &Fields) -> Done {
    dfp_allowed(cpu)?;
    let word = cpu.gr[0] as u32;
    let function = Function::of(word, Fpc(cpu.fpc));
    if word & control::TEST != 0 {
        cpu.set_gr(W32, 1, 0);
        cpu.cc = if function.is_some() { 0 } else { 3 };
        return Ok(());
    }
    let function = function.ok_or(Program::Specification)?;
    let from = source(cpu, function.source);
    match (function.target.radix, function.target.size) {
        (Radix::Hexadecimal, 0) => hexadecimal_target::<u32>(cpu, &function, from),
        (Radix::Hexadecimal, 1) => hexadecimal_target::<u64>(cpu, &function, from),
        (Radix::Hexadecimal, _) => hexadecimal_target::<u128>(cpu, &function, from),
        (Radix::Binary, 0) => binary_target::<u32>(cpu, &function, from),
        (Radix::Binary, 1) => binary_target::<u64>(cpu, &function, from),
        (Radix::Binary, _) => binary_target::<u128>(cpu, &function, from),
        (Radix::Decimal, 0) => decimal_target::<u32>(cpu, &function, from),
        (Radix::Decimal, 1) => decimal_target::<u64>(cpu, &function, from),
        (Radix::Decimal, _) => decimal_target::<u128>(cpu, &function, from),
    }
}
