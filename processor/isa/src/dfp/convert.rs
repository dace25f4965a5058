//! Conversions between decimal formats, and between them and binary integers (POP, chapter 20).

use super::operand::{Modifiers, Operand, dfp_allowed, first, modified, within};
use super::value;
use crate::bfp::convert::Integer;
use crate::bfp::operand::{Done, finish};
use crate::bfp::value::Narrowed;
use crate::prelude::*;

/// The bit of M4 with which a signaling NaN is converted as it is.
const KEEP_SIGNALING: u8 = 8;

/// CDGTR, CXGTR, CDFTR, CXFTR (CONVERT FROM FIXED) and CDLGTR, CXLGTR, CDLFTR, CXLFTR (CONVERT FROM LOGICAL). M3
/// rounding, M4 inexact suppression.
pub(crate) fn from_integer<T: Integer, D: Operand>(cpu: &mut State, i: &Fields) -> Done {
    dfp_allowed(cpu)?;
    D::check(i.r1)?;
    let env = modified(cpu, i.m3, i.m4, Modifiers::Extension);
    let source = T::of(cpu.gr[(i.r2 & 15) as usize]);
    first(cpu, i, env, |env| value::from_integer::<D>(env, source))
}

/// CGDTR, CGXTR, CFDTR, CFXTR (CONVERT TO FIXED) and CLGDTR, CLGXTR, CLFDTR, CLFXTR (CONVERT TO LOGICAL). M3 rounding,
/// M4 inexact suppression. CC 0 source zero, 1 less than zero, 2 greater than zero, 3 not convertible.
pub(crate) fn to_integer<D: Operand, T: Integer>(cpu: &mut State, i: &Fields) -> Done {
    dfp_allowed(cpu)?;
    D::check(i.r2)?;
    let env = modified(cpu, i.m3, i.m4, Modifiers::Always);
    let source = D::get(cpu, i.r2);
    let size = 1i128 << (T::BITS - u32::from(T::SIGNED));
    let least = if T::SIGNED { -size } else { 0 };
    let result = within(cpu, env, |env| value::to_integer(env, source, least, size - 1));
    let width = if T::BITS == 32 { W32 } else { W64 };
    finish(cpu, result, |cpu, (value, code)| {
        cpu.set_gr(width, i.r1, value as u64);
        cpu.cc = code;
    })
}

/// FIDTR, FIXTR. LOAD FP INTEGER. M3 rounding, M4 inexact suppression.
pub(crate) fn load_fp_integer<D: Operand>(cpu: &mut State, i: &Fields) -> Done {
    dfp_allowed(cpu)?;
    D::check(i.r1)?;
    D::check(i.r2)?;
    let env = modified(cpu, i.m3, i.m4, Modifiers::Always);
    let source = D::get(cpu, i.r2);
    first(cpu, i, env, |env| value::load_fp_integer(env, source))
}

/// LDETR, LXDTR. LOAD LENGTHENED. M4 says whether a signaling NaN is an exception.
pub(crate) fn load_lengthened<D: Operand, W: Operand>(cpu: &mut State, i: &Fields) -> Done {
    dfp_allowed(cpu)?;
    W::check(i.r1)?;
    let env = modified(cpu, 0, 0, Modifiers::Always);
    let source = D::get(cpu, i.r2);
    first(cpu, i, env, |env| value::load_lengthened::<D, W>(env, source, i.m4 & KEEP_SIGNALING != 0))
}

/// LEDTR, LDXTR. LOAD ROUNDED. M3 rounding, M4 inexact suppression and whether a signaling NaN is an exception. R1 must
/// be able to hold the format of the source, because an enabled overflow or underflow puts a number of that format
/// there.
pub(crate) fn load_rounded<W: Operand, D: Operand>(cpu: &mut State, i: &Fields) -> Done {
    dfp_allowed(cpu)?;
    W::check(i.r1)?;
    W::check(i.r2)?;
    let env = modified(cpu, i.m3, i.m4, Modifiers::Always);
    let source = W::get(cpu, i.r2);
    let keep = i.m4 & KEEP_SIGNALING != 0;
    let result = within(cpu, env, |env| value::load_rounded::<W, D>(env, source, keep));
    finish(cpu, result, |cpu, narrowed| match narrowed {
        Narrowed::Target(value) => value.set(cpu, i.r1),
        Narrowed::Source(value) => value.set(cpu, i.r1),
    })
}
