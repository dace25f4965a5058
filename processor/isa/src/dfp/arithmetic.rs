//! Decimal-floating-point arithmetic and comparison (POP, chapter 20).

use super::operand::{Modifiers, Operand, current, dfp_allowed, first, first_with_code, modified, within};
use super::value::{self, Environment};
use crate::bfp::operand::{Done, finish};
use crate::prelude::*;

/// The second and the third operand of an instruction with three, and its environment: M4 rounds.
#[inline(always)]
fn three<D: Operand>(cpu: &State, i: &Fields) -> Result<(D, D, Environment), Interruption> {
    dfp_allowed(cpu)?;
    D::check(i.r1)?;
    D::check(i.r2)?;
    D::check(i.r3)?;
    Ok((D::get(cpu, i.r2), D::get(cpu, i.r3), modified(cpu, i.m4, 0, Modifiers::Extension)))
}

/// ADTR, AXTR. ADD. CC 0 zero, 1 less than zero, 2 greater than zero, 3 NaN.
pub(crate) fn add<D: Operand>(cpu: &mut State, i: &Fields) -> Done {
    let (a, b, env) = three::<D>(cpu, i)?;
    first_with_code(cpu, i, env, |env| value::add(env, a, b, false))
}

/// SDTR, SXTR. SUBTRACT. CC as for ADD.
pub(crate) fn subtract<D: Operand>(cpu: &mut State, i: &Fields) -> Done {
    let (a, b, env) = three::<D>(cpu, i)?;
    first_with_code(cpu, i, env, |env| value::add(env, a, b, true))
}

/// MDTR, MXTR. MULTIPLY.
pub(crate) fn multiply<D: Operand>(cpu: &mut State, i: &Fields) -> Done {
    let (a, b, env) = three::<D>(cpu, i)?;
    first(cpu, i, env, |env| value::multiply(env, a, b))
}

/// DDTR, DXTR. DIVIDE.
pub(crate) fn divide<D: Operand>(cpu: &mut State, i: &Fields) -> Done {
    let (a, b, env) = three::<D>(cpu, i)?;
    first(cpu, i, env, |env| value::divide(env, a, b))
}

/// The first and the second operand, where neither is a result.
#[inline(always)]
fn two<D: Operand>(cpu: &State, i: &Fields) -> Result<(D, D), Interruption> {
    dfp_allowed(cpu)?;
    D::check(i.r1)?;
    D::check(i.r2)?;
    Ok((D::get(cpu, i.r1), D::get(cpu, i.r2)))
}

#[inline(always)]
fn compared<D: Operand>(cpu: &mut State, i: &Fields, signal: bool) -> Done {
    let (a, b) = two::<D>(cpu, i)?;
    let env = current(cpu);
    let code = within(cpu, env, |env| value::compare(env, a, b, signal));
    // An enabled exception is suppressed: there is no code to set with it.
    finish(cpu, code.map_err(|trap| trap.map(|()| 3)), |cpu, code| cpu.cc = code)
}

/// CDTR, CXTR. COMPARE. CC 0 equal, 1 first operand low, 2 first operand high, 3 unordered.
pub(crate) fn compare<D: Operand>(cpu: &mut State, i: &Fields) -> Done {
    compared::<D>(cpu, i, false)
}

/// KDTR, KXTR. COMPARE AND SIGNAL: as COMPARE, any NaN being an invalid operation.
pub(crate) fn compare_and_signal<D: Operand>(cpu: &mut State, i: &Fields) -> Done {
    compared::<D>(cpu, i, true)
}

/// CEDTR, CEXTR. COMPARE BIASED EXPONENT. CC 0 equal, 1 first operand low, 2 first operand high, 3 not of one kind.
pub(crate) fn compare_exponents<D: Operand>(cpu: &mut State, i: &Fields) -> Done {
    let (a, b) = two::<D>(cpu, i)?;
    cpu.cc = value::compare_exponents(a, b);
    Ok(())
}

/// LTDTR, LTXTR. LOAD AND TEST. CC 0 zero, 1 less than zero, 2 greater than zero, 3 NaN.
pub(crate) fn load_and_test<D: Operand>(cpu: &mut State, i: &Fields) -> Done {
    dfp_allowed(cpu)?;
    D::check(i.r1)?;
    D::check(i.r2)?;
    let (source, env) = (D::get(cpu, i.r2), current(cpu));
    first_with_code(cpu, i, env, |env| value::load_and_test(env, source))
}

/// QADTR, QAXTR. QUANTIZE: the third operand with the quantum of the second. M4 rounds.
pub(crate) fn quantize<D: Operand>(cpu: &mut State, i: &Fields) -> Done {
    let (like, number, _) = three::<D>(cpu, i)?;
    let env = modified(cpu, i.m4, 0, Modifiers::Always);
    first(cpu, i, env, |env| value::quantize(env, number, like))
}

/// RRDTR, RRXTR. REROUND: the third operand to as many digits as the six low bits of general register R2 say. M4
/// rounds.
pub(crate) fn reround<D: Operand>(cpu: &mut State, i: &Fields) -> Done {
    dfp_allowed(cpu)?;
    D::check(i.r1)?;
    D::check(i.r3)?;
    let env = modified(cpu, i.m4, 0, Modifiers::Always);
    let (number, significance) = (D::get(cpu, i.r3), cpu.gr[(i.r2 & 15) as usize] as u32 & 63);
    first(cpu, i, env, |env| value::reround(env, number, significance))
}
