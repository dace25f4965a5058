//! Vector floating-point instructions (POP, chapter 24): the operations of binary floating point, element by element.
//!
//! An enabled IEEE exception in any element suppresses the whole instruction: a vector-processing exception with a code
//! that has the element's number and the exception. The flags of all elements are joined.

use super::transfer::ENHANCEMENTS_1;
use super::*;
use crate::bfp::value::{self, Binary, Environment, Fpc, Narrowed, Outcome, Rounding, Trap};
use crate::prelude::*;

/// Vector-enhancements facility 2.
const ENHANCEMENTS_2: u32 = 148;
/// In the modifier that says so: only element 0 takes part.
const SINGLE: u8 = 8;
/// XxC: an inexact result is no exception.
const NOT_INEXACT: u8 = 4;
const SET_CC: u8 = 1;

/// A format as elements have it.
pub(crate) trait Number: Binary + Element {}
impl<T: Binary + Element> Number for T {}

/// The vector-exception code: the element's number, and the exception.
fn exception<T>(n: usize, trap: Trap<T>) -> Interruption {
    let (Trap::Suppress(dxc) | Trap::Complete(_, dxc)) = trap;
    // Invalid operation, division by zero, overflow, underflow, inexact are 1 to 5.
    let kind = dxc.leading_zeros() as u8 + 1;
    Interruption::Vector((n as u8) << 4 | kind)
}

/// Runs `operation` for the elements 0 to `count` - 1 with a floating-point-control register of its own, which becomes
/// the CPU's if no element traps.
#[inline(always)]
fn each<T>(s: &mut State, count: usize, mut operation: impl FnMut(usize, &mut Fpc) -> Result<(), Trap<T>>) -> Done {
    let mut fpc = Fpc(s.fpc);
    for n in 0..count {
        operation(n, &mut fpc).map_err(|trap| exception(n, trap))?;
    }
    s.fpc = fpc.0;
    Ok(())
}

/// How many elements take part. What remains of the result is not foreseen; here it is zero.
#[inline(always)]
fn count<T: Element>(modifier: u8) -> usize {
    if modifier & SINGLE != 0 { 1 } else { T::COUNT }
}

/// Bits of a modifier that have no meaning must be zero.
#[inline(always)]
fn only(modifier: u8, assigned: u8) -> Done {
    specified(modifier & !assigned == 0)
}

/// Runs a block for the format that a modifier chooses: 3 long; with the vector-enhancements facility 1, 2 short and 4
/// extended. In it `B` is the format.
macro_rules! format {
    ($s:expr, $m:expr, { $($body:tt)* }) => {{
        let m = $m;
        if m != 3 && !(matches!(m, 2 | 4) && $s.has(ENHANCEMENTS_1)) {
            return specification();
        }
        match m {
            2 => {
                type B = u32;
                $($body)*
            }
            3 => {
                type B = u64;
                $($body)*
            }
            _ => {
                type B = u128;
                $($body)*
            }
        }
    }};
}

/// A result for each element of the first operand.
#[inline(always)]
fn results<B: Number>(
    s: &mut State,
    i: &Fields,
    modifier: u8,
    mut operation: impl FnMut(&mut Fpc, usize) -> Outcome<B>,
) -> Done {
    let mut v = 0;
    each(s, count::<B>(modifier), |n, fpc| {
        v = with_element(v, n, operation(fpc, n)?);
        Ok::<(), Trap<B>>(())
    })?;
    s.set_vr(i.r1, v);
    Ok(())
}

macro_rules! arithmetic {
    ($($(#[$doc:meta])* $name:ident $operation:ident;)*) => { $(
        $(#[$doc])*
        pub(crate) fn $name(s: &mut State, i: &Fields) -> Done {
            s.vector_allowed()?;
            only(i.m5(), SINGLE)?;
            let (a, b) = (s.vr(i.r2), s.vr(i.r3));
            format!(s, i.m4, {
                results::<B>(s, i, i.m5(), |fpc, n| value::$operation(fpc, element::<B>(a, n), element::<B>(b, n)))
            })
        }
    )* };
}

arithmetic! {
    /// VFA. VECTOR FP ADD.
    fp_add add;
    /// VFS. VECTOR FP SUBTRACT.
    fp_subtract subtract;
    /// VFM. VECTOR FP MULTIPLY.
    fp_multiply multiply;
    /// VFD. VECTOR FP DIVIDE.
    fp_divide divide;
}

/// VFSQ. VECTOR FP SQUARE ROOT.
pub(crate) fn fp_square_root(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    only(i.m4, SINGLE)?;
    let a = s.vr(i.r2);
    format!(s, i.m3, { results::<B>(s, i, i.m4, |fpc, n| value::square_root(fpc, element::<B>(a, n))) })
}

/// Multiplication with an addition: of the second and third operands, and the fourth.
macro_rules! fused {
    ($($(#[$doc:meta])* $name:ident $operation:ident $negate:literal;)*) => { $(
        $(#[$doc])*
        pub(crate) fn $name(s: &mut State, i: &Fields) -> Done {
            s.vector_allowed()?;
            only(i.m5(), SINGLE)?;
            let (a, b, c) = (s.vr(i.r2), s.vr(i.r3), s.vr(i.r4()));
            format!(s, i.m6(), {
                results::<B>(s, i, i.m5(), |fpc, n| {
                    // NaNs are looked for in the second operand first, as the scalar instruction does in its own.
                    let (x, y) = (element::<B>(b, n), element::<B>(a, n));
                    let result = value::$operation(fpc, x, y, element::<B>(c, n));
                    if $negate { result.map(negated) } else { result }
                })
            })
        }
    )* };
}

/// The sign reversed, of all but a NaN.
fn negated<B: Binary>(v: B) -> B {
    if v.is_nan() { v } else { B::from_bits(v.to_bits() ^ B::SIGN) }
}

fused! {
    /// VFMA. VECTOR FP MULTIPLY AND ADD.
    fp_multiply_add multiply_add false;
    /// VFMS. VECTOR FP MULTIPLY AND SUBTRACT.
    fp_multiply_subtract multiply_subtract false;
    /// VFNMA. VECTOR FP NEGATIVE MULTIPLY AND ADD.
    fp_negative_multiply_add multiply_add true;
    /// VFNMS. VECTOR FP NEGATIVE MULTIPLY AND SUBTRACT.
    fp_negative_multiply_subtract multiply_subtract true;
}

/// VFPSO. VECTOR FP PERFORM SIGN OPERATION: M5 says complement, negative, positive.
pub(crate) fn fp_perform_sign(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    only(i.m4, SINGLE)?;
    let (a, operation) = (s.vr(i.r2), i.m5());
    format!(s, i.m3, {
        specified(operation < 3)?;
        results::<B>(s, i, i.m4, |_, n| {
            let bits = element::<B>(a, n).to_bits();
            let sign = <B as Binary>::SIGN;
            Ok(B::from_bits(match operation {
                0 => bits ^ sign,
                1 => bits | sign,
                _ => bits & !sign,
            }))
        })
    })
}

/// VFI. VECTOR LOAD FP INTEGER. M4 has XxC, M5 the rounding.
pub(crate) fn fp_load_integer(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    only(i.m4, SINGLE | NOT_INEXACT)?;
    let a = s.vr(i.r2);
    format!(s, i.m3, {
        let rounding = rounding(s, i)?;
        results::<B>(s, i, i.m4, |fpc, n| {
            within(fpc, i, rounding, |env| value::load_fp_integer(env, element::<B>(a, n)))
        })
    })
}

/// The rounding that M5 chooses.
fn rounding(s: &State, i: &Fields) -> Result<Rounding, Interruption> {
    Rounding::from_modifier(i.m5(), Fpc(s.fpc)).ok_or(Program::Specification.into())
}

/// Runs an operation that M4 may forbid to be inexact.
#[inline(always)]
fn within<T>(fpc: &mut Fpc, i: &Fields, rounding: Rounding, operation: impl FnOnce(&mut Environment) -> T) -> T {
    let mut env = Environment { fpc: *fpc, rounding, suppress_inexact: i.m4 & NOT_INEXACT != 0 };
    let result = operation(&mut env);
    *fpc = env.fpc;
    result
}

/// Runs a block for the width of a conversion that M3 chooses: 3 long; 2 short with the vector-enhancements facility 2.
/// In it `B` is the format, `U` and `S` integers as wide.
macro_rules! conversion {
    ($s:expr, $i:expr, { $($body:tt)* }) => {
        match $i.m3 {
            3 => {
                type B = u64;
                #[allow(dead_code)]
                type S = i64;
                $($body)*
            }
            2 if $s.has(ENHANCEMENTS_2) => {
                type B = u32;
                #[allow(dead_code)]
                type S = i32;
                $($body)*
            }
            _ => specification(),
        }
    };
}

/// VCFPS. VECTOR FP CONVERT FROM FIXED.
pub(crate) fn fp_from_fixed(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    only(i.m4, SINGLE | NOT_INEXACT)?;
    let a = s.vr(i.r2);
    conversion!(s, i, {
        let rounding = rounding(s, i)?;
        results::<B>(s, i, i.m4, |fpc, n| {
            within(fpc, i, rounding, |env| value::from_integer(env, (element::<B>(a, n) as S).into()))
        })
    })
}

/// VCFPL. VECTOR FP CONVERT FROM LOGICAL.
pub(crate) fn fp_from_logical(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    only(i.m4, SINGLE | NOT_INEXACT)?;
    let a = s.vr(i.r2);
    conversion!(s, i, {
        let rounding = rounding(s, i)?;
        results::<B>(s, i, i.m4, |fpc, n| {
            within(fpc, i, rounding, |env| value::from_integer(env, element::<B>(a, n).into()))
        })
    })
}

/// An integer as an element, without the condition code that comes with it.
fn without_code<V, E>(converted: Outcome<(V, u8)>, element: impl Fn(V) -> E) -> Outcome<E> {
    converted.map(|(v, _)| element(v)).map_err(|trap| trap.map(|(v, _)| element(v)))
}

/// A conversion to an integer, `signed` or not.
fn to_integer(s: &mut State, i: &Fields, signed: bool) -> Done {
    s.vector_allowed()?;
    only(i.m4, SINGLE | NOT_INEXACT)?;
    let a = s.vr(i.r2);
    conversion!(s, i, {
        let rounding = rounding(s, i)?;
        results::<B>(s, i, i.m4, |fpc, n| {
            let (v, bits) = (element::<B>(a, n), <B as Element>::BITS);
            within(fpc, i, rounding, |env| match signed {
                true => without_code(value::to_signed(env, v, bits), |v| v as B),
                false => without_code(value::to_unsigned(env, v, bits), |v| v as B),
            })
        })
    })
}

/// VCSFP. VECTOR FP CONVERT TO FIXED.
pub(crate) fn fp_to_fixed(s: &mut State, i: &Fields) -> Done {
    to_integer(s, i, true)
}

/// VCLFP. VECTOR FP CONVERT TO LOGICAL.
pub(crate) fn fp_to_logical(s: &mut State, i: &Fields) -> Done {
    to_integer(s, i, false)
}

/// VFLL (VLDE). VECTOR FP LOAD LENGTHENED: from every second element.
pub(crate) fn fp_load_lengthened(s: &mut State, i: &Fields) -> Done {
    fn lengthen<B: Number, W: Number>(s: &mut State, i: &Fields) -> Done {
        let a = s.vr(i.r2);
        results::<W>(s, i, i.m4, |fpc, n| {
            let mut env = Environment::current(*fpc);
            let result = value::load_lengthened::<B, W>(&mut env, element::<B>(a, 2 * n));
            *fpc = env.fpc;
            result
        })
    }
    s.vector_allowed()?;
    only(i.m4, SINGLE)?;
    match i.m3 {
        2 => lengthen::<u32, u64>(s, i),
        3 if s.has(ENHANCEMENTS_1) => lengthen::<u64, u128>(s, i),
        _ => specification(),
    }
}

/// VFLR (VLED). VECTOR FP LOAD ROUNDED: to every second element.
pub(crate) fn fp_load_rounded(s: &mut State, i: &Fields) -> Done {
    fn round<W: Number, B: Number>(s: &mut State, i: &Fields) -> Done {
        let rounding = rounding(s, i)?;
        let a = s.vr(i.r2);
        let mut v = 0;
        each(s, count::<W>(i.m4), |n, fpc| {
            match within(fpc, i, rounding, |env| value::load_rounded::<W, B>(env, element::<W>(a, n)))? {
                Narrowed::Target(rounded) => v = with_element(v, 2 * n, rounded),
                Narrowed::Source(_) => unreachable!("only what interrupts is in the format of the source"),
            }
            Ok::<(), Trap<Narrowed<B, W>>>(())
        })?;
        s.set_vr(i.r1, v);
        Ok(())
    }
    s.vector_allowed()?;
    only(i.m4, SINGLE | NOT_INEXACT)?;
    match i.m3 {
        3 => round::<u64, u32>(s, i),
        4 if s.has(ENHANCEMENTS_1) => round::<u128, u64>(s, i),
        _ => specification(),
    }
}

/// Comparisons of the first elements. CC 0 equal, 1 first low, 2 first high, 3 unordered.
macro_rules! scalar {
    ($($(#[$doc:meta])* $name:ident $operation:ident;)*) => { $(
        $(#[$doc])*
        pub(crate) fn $name(s: &mut State, i: &Fields) -> Done {
            s.vector_allowed()?;
            only(i.m4, 0)?;
            let (a, b) = (s.vr(i.r1), s.vr(i.r2));
            let mut cc = 0;
            format!(s, i.m3, {
                each(s, 1, |_, fpc| {
                    cc = value::$operation(fpc, element::<B>(a, 0), element::<B>(b, 0))?;
                    Ok::<(), Trap<()>>(())
                })?
            });
            s.cc = cc;
            Ok(())
        }
    )* };
}

scalar! {
    /// WFC. VECTOR FP COMPARE SCALAR.
    fp_compare_scalar compare;
    /// WFK. VECTOR FP COMPARE AND SIGNAL SCALAR.
    fp_compare_and_signal_scalar compare_and_signal;
}

/// Comparisons that yield ones or zeros. M5 has SQ: quiet NaNs are invalid, too. With bit 3 of M6, CC 0 all true, 1
/// some, 3 none.
fn compare_elements(s: &mut State, i: &Fields, holds: impl Fn(u8) -> bool) -> Done {
    const SIGNAL: u8 = 4;
    s.vector_allowed()?;
    only(i.m5(), SINGLE | SIGNAL)?;
    only(i.m6(), SET_CC)?;
    let (a, b) = (s.vr(i.r2), s.vr(i.r3));
    let signal = i.m5() & SIGNAL != 0;
    let mut v = 0;
    let mut taking_part = 0;
    format!(s, i.m4, {
        each(s, count::<B>(i.m5()), |n, fpc| {
            let (x, y) = (element::<B>(a, n), element::<B>(b, n));
            let code = if signal { value::compare_and_signal(fpc, x, y) } else { value::compare(fpc, x, y) }?;
            v = with_element(v, n, if holds(code) { B::MAX } else { 0 });
            taking_part = with_element(taking_part, n, B::MAX);
            Ok::<(), Trap<()>>(())
        })?
    });
    if i.m6() & SET_CC != 0 {
        s.cc = if v == taking_part { 0 } else { all_some_none(v) };
    }
    s.set_vr(i.r1, v);
    Ok(())
}

/// VFCE. VECTOR FP COMPARE EQUAL.
pub(crate) fn fp_compare_equal(s: &mut State, i: &Fields) -> Done {
    compare_elements(s, i, |code| code == 0)
}

/// VFCH. VECTOR FP COMPARE HIGH.
pub(crate) fn fp_compare_high(s: &mut State, i: &Fields) -> Done {
    compare_elements(s, i, |code| code == 2)
}

/// VFCHE. VECTOR FP COMPARE HIGH OR EQUAL.
pub(crate) fn fp_compare_high_or_equal(s: &mut State, i: &Fields) -> Done {
    compare_elements(s, i, |code| code == 0 || code == 2)
}

/// VFTCI. VECTOR FP TEST DATA CLASS IMMEDIATE: ones where the class is among those of I3. CC 0 all, 1 some, 3 none.
pub(crate) fn fp_test_data_class(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    only(i.m5(), SINGLE)?;
    let a = s.vr(i.r2);
    let (mut v, mut taking_part) = (0, 0);
    format!(s, i.m4, {
        for n in 0..count::<B>(i.m5()) {
            let holds = value::data_class(element::<B>(a, n), i.imm as u64) == 1;
            v = with_element(v, n, if holds { B::MAX } else { 0 });
            taking_part = with_element(taking_part, n, B::MAX);
        }
    });
    s.cc = if v == taking_part { 0 } else { all_some_none(v) };
    s.set_vr(i.r1, v);
    Ok(())
}

/// How two numbers make a minimum or maximum: what M6 chooses, without the bit that means absolute values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Method {
    /// IEEE 754: a number rather than a quiet NaN.
    Ieee,
    /// Java's Math.max: any NaN wins.
    Java,
    /// The macro `a > b ? a : b`.
    Macro,
    /// C++'s std::max, `a < b ? b : a`.
    Algorithm,
    /// C's fmax.
    Library,
}

/// The smaller, or the greater, of two numbers; or that of smaller or greater magnitude, and only if these are equal
/// that which is less or greater itself.
fn extreme<B: Binary>(fpc: &mut Fpc, a: B, b: B, method: Method, of_magnitudes: bool, greater: bool) -> Outcome<B> {
    if a.is_nan() || b.is_nan() {
        let signaling = a.is_signaling() || b.is_signaling();
        let program = matches!(method, Method::Macro | Method::Algorithm);
        let nan = if a.is_signaling() || !b.is_signaling() && a.is_nan() { a } else { b };
        let result = match method {
            Method::Macro => b,
            Method::Algorithm => a,
            // A number, if there is one.
            Method::Library if !a.is_nan() => a,
            Method::Library if !b.is_nan() => b,
            Method::Java | Method::Library => nan.quieted(),
            _ if signaling => nan.quieted(),
            _ if a.is_nan() && !b.is_nan() => b,
            _ => a,
        };
        if !signaling && !program {
            return Ok(result);
        }
        let mut env = Environment::current(*fpc);
        let outcome = env.invalid(result);
        *fpc = env.fpc;
        return outcome;
    }
    let magnitude = |v: B| if of_magnitudes { B::from_bits(v.magnitude()) } else { v };
    let code = value::compare(&mut Fpc(0), magnitude(a), magnitude(b)).expect("no exception is enabled");
    let code = match code {
        0 if of_magnitudes => value::compare(&mut Fpc(0), a, b).expect("no exception is enabled"),
        code => code,
    };
    let (low, high) = (code == 1, code == 2);
    let first = if greater { high } else { low };
    let second = if greater { low } else { high };
    Ok(match method {
        Method::Macro => {
            if first {
                a
            } else {
                b
            }
        }
        Method::Algorithm => {
            if second {
                b
            } else {
                a
            }
        }
        _ if first => a,
        _ if second => b,
        // Equal: at most the signs of zeros differ.
        _ => {
            if a.is_negative() != greater {
                a
            } else {
                b
            }
        }
    })
}

fn extremes(s: &mut State, i: &Fields, greater: bool) -> Done {
    s.vector_allowed()?;
    only(i.m5(), SINGLE)?;
    let (a, b) = (s.vr(i.r2), s.vr(i.r3));
    // IEEE 754 knows a comparison of magnitudes; the others are made of absolute values.
    let (of_magnitudes, absolute) = (i.m6() == 8, i.m6() > 8);
    format!(s, i.m4, {
        let method = match i.m6() & 7 {
            0 => Method::Ieee,
            1 => Method::Java,
            2 => Method::Macro,
            3 => Method::Algorithm,
            4 => Method::Library,
            _ => return specification(),
        };
        results::<B>(s, i, i.m5(), |fpc, n| {
            let number = |v: u128| {
                let number = element::<B>(v, n);
                if absolute { <B as Binary>::from_bits(number.magnitude()) } else { number }
            };
            extreme(fpc, number(a), number(b), method, of_magnitudes, greater)
        })
    })
}

/// VFMAX. VECTOR FP MAXIMUM.
pub(crate) fn fp_maximum(s: &mut State, i: &Fields) -> Done {
    extremes(s, i, true)
}

/// VFMIN. VECTOR FP MINIMUM.
pub(crate) fn fp_minimum(s: &mut State, i: &Fields) -> Done {
    extremes(s, i, false)
}
