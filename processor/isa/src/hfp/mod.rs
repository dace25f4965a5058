//! Hexadecimal floating point (POP, chapter 18): the instructions. [`value`] has the arithmetic.

pub(crate) mod value;

use crate::bfp::operand::{Done, Operand, Source, register_allowed};
use crate::prelude::*;
use value::{Exception, Format, Mask, Outcome, Rounding};

pub(crate) use crate::bfp::operand::{Register, Storage};

/// A format as operands have it.
pub(crate) trait Hex: Operand + Format {}
impl Hex for u32 {}
impl Hex for u64 {}
impl Hex for u128 {}

fn mask(s: &State) -> Mask {
    Mask { underflow: s.program_mask & 2 != 0, significance: s.program_mask & 1 != 0 }
}

fn interruption(exception: Exception) -> Interruption {
    match exception {
        Exception::Overflow => Program::HfpExponentOverflow,
        Exception::Underflow => Program::HfpExponentUnderflow,
        Exception::Significance => Program::HfpSignificance,
        Exception::Divide => Program::HfpDivide,
        Exception::SquareRoot => Program::HfpSquareRoot,
    }
    .into()
}

/// Whether R1 can hold the format.
fn first<F: Hex>(s: &State, i: &Fields) -> Done {
    register_allowed(s, i.r1)?;
    F::check(i.r1)
}

/// Whether a register can be a source, and what is in it.
fn source<F: Hex>(s: &State, r: u8) -> Result<F, Interruption> {
    register_allowed(s, r)?;
    F::check(r)?;
    Ok(F::get(s, r))
}

/// The second operand, in a register or in storage.
fn second<F: Hex, S: Source>(s: &mut State, i: &Fields) -> Result<F, Interruption> {
    if S::IN_REGISTER {
        register_allowed(s, i.r2)?;
    }
    S::second::<F>(s, i)
}

/// The result goes to R1, and then its exception is taken.
fn finish<F: Hex>(s: &mut State, i: &Fields, outcome: Outcome<F>) -> Done {
    outcome.value.set(s, i.r1);
    outcome.exception.map_or(Ok(()), |exception| Err(interruption(exception)))
}

/// The same, with the condition code of the result.
fn finish_with_cc<F: Hex>(s: &mut State, i: &Fields, outcome: Outcome<F>) -> Done {
    s.cc = value::condition(outcome.value);
    finish(s, i, outcome)
}

/// AER, ADR, AXR, AE, AD. CC 0 result zero, 1 negative, 2 positive.
pub(crate) fn add<F: Hex, S: Source>(s: &mut State, i: &Fields) -> Done {
    first::<F>(s, i)?;
    let b = second::<F, S>(s, i)?;
    let outcome = value::add(F::get(s, i.r1), b, mask(s));
    finish_with_cc(s, i, outcome)
}

/// SER, SDR, SXR, SE, SD. CC as ADD.
pub(crate) fn subtract<F: Hex, S: Source>(s: &mut State, i: &Fields) -> Done {
    first::<F>(s, i)?;
    let b = second::<F, S>(s, i)?;
    let outcome = value::add(F::get(s, i.r1), value::negated(b), mask(s));
    finish_with_cc(s, i, outcome)
}

/// AUR, AWR, AU, AW: unnormalized. CC as ADD.
pub(crate) fn add_unnormalized<F: Hex, S: Source>(s: &mut State, i: &Fields) -> Done {
    first::<F>(s, i)?;
    let b = second::<F, S>(s, i)?;
    let outcome = value::add_unnormalized(F::get(s, i.r1), b, mask(s));
    finish_with_cc(s, i, outcome)
}

/// SUR, SWR, SU, SW: unnormalized. CC as ADD.
pub(crate) fn subtract_unnormalized<F: Hex, S: Source>(s: &mut State, i: &Fields) -> Done {
    first::<F>(s, i)?;
    let b = second::<F, S>(s, i)?;
    let outcome = value::add_unnormalized(F::get(s, i.r1), value::negated(b), mask(s));
    finish_with_cc(s, i, outcome)
}

/// CER, CDR, CXR, CE, CD. CC 0 equal, 1 first low, 2 first high.
pub(crate) fn compare<F: Hex, S: Source>(s: &mut State, i: &Fields) -> Done {
    first::<F>(s, i)?;
    let b = second::<F, S>(s, i)?;
    s.cc = value::compare(F::get(s, i.r1), b);
    Ok(())
}

/// MEER, MDER, MDR, MXDR, MXR, MEE, MDE, MD, MXD: the product may have a longer format.
pub(crate) fn multiply<F: Hex, R: Hex, S: Source>(s: &mut State, i: &Fields) -> Done {
    first::<R>(s, i)?;
    let b = second::<F, S>(s, i)?;
    let outcome = value::multiply::<F, R>(F::get(s, i.r1), b, mask(s));
    finish(s, i, outcome)
}

/// DER, DDR, DXR, DE, DD.
pub(crate) fn divide<F: Hex, S: Source>(s: &mut State, i: &Fields) -> Done {
    first::<F>(s, i)?;
    let b = second::<F, S>(s, i)?;
    let outcome = value::divide(F::get(s, i.r1), b, mask(s)).map_err(interruption)?;
    finish(s, i, outcome)
}

/// HER, HDR.
pub(crate) fn halve<F: Hex>(s: &mut State, i: &Fields) -> Done {
    first::<F>(s, i)?;
    let outcome = value::halve(source::<F>(s, i.r2)?, mask(s));
    finish(s, i, outcome)
}

/// SQER, SQDR, SQXR, SQE, SQD.
pub(crate) fn square_root<F: Hex, S: Source>(s: &mut State, i: &Fields) -> Done {
    first::<F>(s, i)?;
    let b = second::<F, S>(s, i)?;
    value::square_root(b).map_err(interruption)?.set(s, i.r1);
    Ok(())
}

/// The second operand with another sign. CC 0 zero, 1 negative, 2 positive.
fn sign<F: Hex>(s: &mut State, i: &Fields, negative: impl Fn(bool) -> bool) -> Done {
    first::<F>(s, i)?;
    let b = source::<F>(s, i.r2)?;
    let result = value::with_sign(b, negative(Format::unpack(b).negative));
    result.set(s, i.r1);
    s.cc = value::condition(result);
    Ok(())
}

/// LPER, LPDR, LPXR.
pub(crate) fn load_positive<F: Hex>(s: &mut State, i: &Fields) -> Done {
    sign::<F>(s, i, |_| false)
}

/// LNER, LNDR, LNXR.
pub(crate) fn load_negative<F: Hex>(s: &mut State, i: &Fields) -> Done {
    sign::<F>(s, i, |_| true)
}

/// LTER, LTDR, LTXR.
pub(crate) fn load_and_test<F: Hex>(s: &mut State, i: &Fields) -> Done {
    sign::<F>(s, i, |negative| negative)
}

/// LCER, LCDR, LCXR.
pub(crate) fn load_complement<F: Hex>(s: &mut State, i: &Fields) -> Done {
    sign::<F>(s, i, |negative| !negative)
}

/// LDER, LXDR, LXER, LDE, LXD, LXE.
pub(crate) fn load_lengthened<F: Hex, R: Hex, S: Source>(s: &mut State, i: &Fields) -> Done {
    first::<R>(s, i)?;
    let b = second::<F, S>(s, i)?;
    value::lengthened::<F, R>(b).set(s, i.r1);
    Ok(())
}

/// LEDR, LDXR, LEXR.
pub(crate) fn load_rounded<F: Hex, R: Hex>(s: &mut State, i: &Fields) -> Done {
    first::<R>(s, i)?;
    let b = source::<F>(s, i.r2)?;
    finish(s, i, value::shortened::<F, R>(b))
}

/// FIER, FIDR, FIXR.
pub(crate) fn load_fp_integer<F: Hex>(s: &mut State, i: &Fields) -> Done {
    first::<F>(s, i)?;
    let b = source::<F>(s, i.r2)?;
    value::integer(b).set(s, i.r1);
    Ok(())
}

/// CEFR, CDFR, CXFR.
pub(crate) fn from_fixed<F: Hex>(s: &mut State, i: &Fields) -> Done {
    first::<F>(s, i)?;
    value::from_fixed::<F>(s.gr[i.r2 as usize] as i32 as i64).set(s, i.r1);
    Ok(())
}

/// CEGR, CDGR, CXGR.
pub(crate) fn from_fixed_64<F: Hex>(s: &mut State, i: &Fields) -> Done {
    first::<F>(s, i)?;
    value::from_fixed::<F>(s.gr[i.r2 as usize] as i64).set(s, i.r1);
    Ok(())
}

/// To 32 or 64 bits. CC 0 zero, 1 negative, 2 positive, 3 it does not fit.
fn to_integer<F: Hex>(s: &mut State, i: &Fields, width: Width) -> Done {
    let b = source::<F>(s, i.r2)?;
    let rounding = Rounding::from_modifier(i.m3).ok_or(Program::Specification)?;
    let (value, cc) = value::to_fixed(b, rounding, width.bits());
    s.set_gr(width, i.r1, value as u64);
    s.cc = cc;
    Ok(())
}

/// CFER, CFDR, CFXR.
pub(crate) fn to_fixed<F: Hex>(s: &mut State, i: &Fields) -> Done {
    to_integer::<F>(s, i, W32)
}

/// CGER, CGDR, CGXR.
pub(crate) fn to_fixed_64<F: Hex>(s: &mut State, i: &Fields) -> Done {
    to_integer::<F>(s, i, W64)
}

/// The operands of MULTIPLY AND ADD: second, third and first.
fn three<F: Hex, S: Source>(s: &mut State, i: &Fields) -> Result<(F, F, F), Interruption> {
    first::<F>(s, i)?;
    register_allowed(s, i.r3)?;
    let b = second::<F, S>(s, i)?;
    Ok((b, F::get(s, i.r3), F::get(s, i.r1)))
}

/// MAER, MADR, MAE, MAD: the first operand becomes the third times the second, plus itself.
pub(crate) fn multiply_add<F: Hex, S: Source>(s: &mut State, i: &Fields) -> Done {
    let (b, c, a) = three::<F, S>(s, i)?;
    let outcome = value::multiply_add(c, b, a, mask(s));
    finish(s, i, outcome)
}

/// MSER, MSDR, MSE, MSD: minus itself.
pub(crate) fn multiply_subtract<F: Hex, S: Source>(s: &mut State, i: &Fields) -> Done {
    let (b, c, a) = three::<F, S>(s, i)?;
    let outcome = value::multiply_add(c, b, value::negated(a), mask(s));
    finish(s, i, outcome)
}

/// Which part of an extended result is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Both,
    High,
    Low,
}

/// The register that the left part of an extended number goes to, if `r` is either register of its pair.
fn left_of_pair(r: u8) -> u8 {
    r & !2
}

/// `add`: R1 is added to the product. Then it may be either register of the pair that both parts go to.
fn unnormalized<S: Source>(s: &mut State, i: &Fields, part: Part, add: bool) -> Done {
    register_allowed(s, i.r1)?;
    register_allowed(s, i.r3)?;
    if part == Part::Both && !add {
        <u128 as Operand>::check(i.r1)?;
    }
    let b = second::<u64, S>(s, i)?;
    let c = <u64 as Operand>::get(s, i.r3);
    let result = match add {
        false => value::multiply_unnormalized(c, b),
        true => value::multiply_add_unnormalized(c, b, <u64 as Operand>::get(s, i.r1)),
    };
    match part {
        Part::Both => result.set(s, left_of_pair(i.r1)),
        Part::High => ((result >> 64) as u64).set(s, i.r1),
        Part::Low => (result as u64).set(s, i.r1),
    }
    Ok(())
}

/// MYR, MY: the extended product of two long numbers, not normalized.
pub(crate) fn multiply_unnormalized<S: Source>(s: &mut State, i: &Fields) -> Done {
    unnormalized::<S>(s, i, Part::Both, false)
}

/// MYHR, MYH: its high-order part.
pub(crate) fn multiply_unnormalized_high<S: Source>(s: &mut State, i: &Fields) -> Done {
    unnormalized::<S>(s, i, Part::High, false)
}

/// MYLR, MYL: its low-order part.
pub(crate) fn multiply_unnormalized_low<S: Source>(s: &mut State, i: &Fields) -> Done {
    unnormalized::<S>(s, i, Part::Low, false)
}

/// MAYR, MAY: the same with the first operand added to the product.
pub(crate) fn multiply_add_unnormalized<S: Source>(s: &mut State, i: &Fields) -> Done {
    unnormalized::<S>(s, i, Part::Both, true)
}

/// MAYHR, MAYH: its high-order part.
pub(crate) fn multiply_add_unnormalized_high<S: Source>(s: &mut State, i: &Fields) -> Done {
    unnormalized::<S>(s, i, Part::High, true)
}

/// MAYLR, MAYL: its low-order part.
pub(crate) fn multiply_add_unnormalized_low<S: Source>(s: &mut State, i: &Fields) -> Done {
    unnormalized::<S>(s, i, Part::Low, true)
}
