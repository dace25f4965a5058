//! Conversions of binary-floating-point numbers (POP, chapter 19), and between them and hexadecimal ones (chapter 9).

use super::operand::{Done, Operand, Source, bfp_allowed, finish, finish_first, register_allowed};
use super::value::{self, Environment, Fpc, Narrowed, Outcome, Rounding};
use crate::prelude::*;

/// The facility that gave instructions rounding modifiers and inexact suppression they did not have.
const FLOATING_POINT_EXTENSION: u32 = 37;

/// The environment of an instruction whose M3 chooses the rounding. Without the floating-point-extension facility only
/// some instructions (`always`) have it, and M4 is ignored.
#[inline(always)]
fn modified(cpu: &State, i: &Fields, always: bool) -> Result<Environment, Interruption> {
    let fpc = Fpc(cpu.fpc);
    let environment = if cpu.has(FLOATING_POINT_EXTENSION) {
        Environment::modified(fpc, i.m3, i.m4)
    } else if !always {
        Some(Environment::current(fpc))
    } else if i.m3 == 3 {
        None
    } else {
        Environment::modified(fpc, i.m3, 0)
    };
    environment.ok_or(Program::Specification.into())
}

/// Runs an operation in an environment and keeps the flags.
#[inline(always)]
fn within<T>(cpu: &mut State, mut env: Environment, operation: impl FnOnce(&mut Environment) -> T) -> T {
    let result = operation(&mut env);
    cpu.fpc = env.fpc.0;
    result
}

/// A 32- or 64-bit integer in a general register.
pub(crate) trait Integer {
    const BITS: u32;
    const SIGNED: bool;
    /// The value of the low bits of a general register.
    fn of(register: u64) -> i128;
}

macro_rules! integer {
    ($($t:ty)*) => { $(
        impl Integer for $t {
            const BITS: u32 = <$t>::BITS;
            #[allow(unused_comparisons)]
            const SIGNED: bool = <$t>::MIN < 0;
            #[inline(always)]
            fn of(register: u64) -> i128 {
                register as $t as i128
            }
        }
    )* };
}

integer! { i32 u32 i64 u64 }

/// CEFBR, CDFBR, CXFBR, CEGBR, CDGBR, CXGBR (CONVERT FROM FIXED) and CELFBR, CDLFBR, CXLFBR, CELGBR, CDLGBR, CXLGBR
/// (CONVERT FROM LOGICAL). M3 rounding, M4 inexact suppression.
pub(crate) fn from_integer<T: Integer, B: Operand>(cpu: &mut State, i: &Fields) -> Done {
    bfp_allowed(cpu)?;
    B::check(i.r1)?;
    let env = modified(cpu, i, false)?;
    let source = T::of(cpu.gr[(i.r2 & 15) as usize]);
    let result = within(cpu, env, |env| value::from_integer::<B>(env, source));
    finish_first(cpu, i, result)
}

/// CFEBR, CFDBR, CFXBR, CGEBR, CGDBR, CGXBR (CONVERT TO FIXED) and CLFEBR, CLFDBR, CLFXBR, CLGEBR, CLGDBR, CLGXBR
/// (CONVERT TO LOGICAL). CC 0 source zero, 1 less than zero, 2 greater than zero, 3 not convertible.
pub(crate) fn to_integer<B: Operand, T: Integer>(cpu: &mut State, i: &Fields) -> Done {
    bfp_allowed(cpu)?;
    B::check(i.r2)?;
    let env = modified(cpu, i, true)?;
    let source = B::get(cpu, i.r2);
    let result = within(cpu, env, |env| -> Outcome<(u64, u8)> {
        if T::SIGNED {
            let unsigned = |(value, cc)| (value as u64, cc);
            value::to_signed(env, source, T::BITS).map(unsigned).map_err(|trap| trap.map(unsigned))
        } else {
            value::to_unsigned(env, source, T::BITS)
        }
    });
    let width = if T::BITS == 32 { W32 } else { W64 };
    finish(cpu, result, |cpu, (value, cc)| {
        cpu.set_gr(width, i.r1, value);
        cpu.cc = cc;
    })
}

/// FIEBR, FIDBR, FIXBR. LOAD FP INTEGER. M3 rounding, M4 inexact suppression.
pub(crate) fn load_fp_integer<B: Operand>(cpu: &mut State, i: &Fields) -> Done {
    bfp_allowed(cpu)?;
    B::check(i.r1)?;
    B::check(i.r2)?;
    let env = modified(cpu, i, true)?;
    let source = B::get(cpu, i.r2);
    let result = within(cpu, env, |env| value::load_fp_integer(env, source));
    finish_first(cpu, i, result)
}

/// LDEBR, LDEB, LXDBR, LXDB, LXEBR, LXEB. LOAD LENGTHENED.
pub(crate) fn load_lengthened<B: Operand, W: Operand, S: Source>(cpu: &mut State, i: &Fields) -> Done {
    bfp_allowed(cpu)?;
    W::check(i.r1)?;
    let source = S::second::<B>(cpu, i)?;
    let env = Environment::current(Fpc(cpu.fpc));
    let result = within(cpu, env, |env| value::load_lengthened::<B, W>(env, source));
    finish_first(cpu, i, result)
}

/// LEDBR, LDXBR, LEXBR. LOAD ROUNDED. M3 rounding, M4 inexact suppression. R1 must be able to hold the format of the
/// source, because an enabled overflow or underflow puts a number of that format there.
pub(crate) fn load_rounded<W: Operand, B: Operand>(cpu: &mut State, i: &Fields) -> Done {
    bfp_allowed(cpu)?;
    W::check(i.r1)?;
    W::check(i.r2)?;
    let env = modified(cpu, i, false)?;
    let source = W::get(cpu, i.r2);
    let result = within(cpu, env, |env| value::load_rounded::<W, B>(env, source));
    finish(cpu, result, |cpu, narrowed| match narrowed {
        Narrowed::Target(value) => value.set(cpu, i.r1),
        Narrowed::Source(value) => value.set(cpu, i.r1),
    })
}

/// The conversions between radixes are floating-point-support instructions: registers 0, 2, 4 and 6 are always theirs.
fn registers_allowed(cpu: &State, i: &Fields) -> Done {
    register_allowed(cpu, i.r1)?;
    register_allowed(cpu, i.r2)
}

/// THDER, THDR. CONVERT BFP TO HFP, always long. CC 0 source zero, 1 less than zero, 2 greater than zero, 3 not
/// convertible.
pub(crate) fn to_hexadecimal<B: Operand>(cpu: &mut State, i: &Fields) -> Done {
    registers_allowed(cpu, i)?;
    let (result, cc) = value::to_hexadecimal(B::get(cpu, i.r2));
    result.set(cpu, i.r1);
    cpu.cc = cc;
    Ok(())
}

/// TBEDR, TBDR. CONVERT HFP TO BFP, from long. M3 rounding, where 0 means toward zero. CC as above.
pub(crate) fn from_hexadecimal<B: Operand>(cpu: &mut State, i: &Fields) -> Done {
    registers_allowed(cpu, i)?;
    let rounding = match i.m3 {
        0 => Some(Rounding::TowardZero),
        3 if !cpu.has(FLOATING_POINT_EXTENSION) => None,
        m3 => Rounding::from_modifier(m3, Fpc(cpu.fpc)),
    };
    let rounding = rounding.ok_or(Program::Specification)?;
    let (result, cc) = value::from_hexadecimal::<B>(u64::get(cpu, i.r2), rounding);
    result.set(cpu, i.r1);
    cpu.cc = cc;
    Ok(())
}
