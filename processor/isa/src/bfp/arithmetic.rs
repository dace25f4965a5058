//! Binary-floating-point arithmetic and comparison (POP, chapter 19).

use super::operand::{Done, Operand, Source, bfp_allowed, finish, finish_first, finish_with_cc, with_fpc};
use super::value::{self, Binary, Fpc, Outcome, Rounding, Trap};
use crate::prelude::*;

/// The first and the second operand of an instruction that needs both.
#[inline(always)]
fn both<B: Operand, S: Source>(cpu: &mut State, i: &Fields) -> Result<(B, B), Interruption> {
    bfp_allowed(cpu)?;
    B::check(i.r1)?;
    let b = S::second::<B>(cpu, i)?;
    Ok((B::get(cpu, i.r1), b))
}

/// The second operand, where the first is only a result.
#[inline(always)]
fn second<B: Operand, S: Source>(cpu: &mut State, i: &Fields) -> Result<B, Interruption> {
    bfp_allowed(cpu)?;
    B::check(i.r1)?;
    S::second::<B>(cpu, i)
}

/// AEBR, AEB, ADBR, ADB, AXBR. ADD. CC 0 zero, 1 less than zero, 2 greater than zero, 3 NaN.
pub(crate) fn add<B: Operand, S: Source>(cpu: &mut State, i: &Fields) -> Done {
    let (a, b) = both::<B, S>(cpu, i)?;
    let sum = with_fpc(cpu, |fpc| value::add(fpc, a, b));
    finish_with_cc(cpu, i, sum)
}

/// SEBR, SEB, SDBR, SDB, SXBR. SUBTRACT. CC as for ADD.
pub(crate) fn subtract<B: Operand, S: Source>(cpu: &mut State, i: &Fields) -> Done {
    let (a, b) = both::<B, S>(cpu, i)?;
    let difference = with_fpc(cpu, |fpc| value::subtract(fpc, a, b));
    finish_with_cc(cpu, i, difference)
}

/// MEEBR, MEEB, MDBR, MDB, MXBR. MULTIPLY within one format.
pub(crate) fn multiply<B: Operand, S: Source>(cpu: &mut State, i: &Fields) -> Done {
    let (a, b) = both::<B, S>(cpu, i)?;
    let product = with_fpc(cpu, |fpc| value::multiply(fpc, a, b));
    finish_first(cpu, i, product)
}

/// MDEBR, MDEB, MXDBR, MXDB. MULTIPLY into the next longer format.
pub(crate) fn multiply_longer<B: Operand, W: Operand, S: Source>(cpu: &mut State, i: &Fields) -> Done {
    bfp_allowed(cpu)?;
    W::check(i.r1)?;
    let b = S::second::<B>(cpu, i)?;
    let a = B::get(cpu, i.r1);
    let product = with_fpc(cpu, |fpc| value::multiply_longer::<B, W>(fpc, a, b));
    finish_first(cpu, i, product)
}

/// DEBR, DEB, DDBR, DDB, DXBR. DIVIDE.
pub(crate) fn divide<B: Operand, S: Source>(cpu: &mut State, i: &Fields) -> Done {
    let (a, b) = both::<B, S>(cpu, i)?;
    let quotient = with_fpc(cpu, |fpc| value::divide(fpc, a, b));
    finish_first(cpu, i, quotient)
}

/// SQEBR, SQEB, SQDBR, SQDB, SQXBR. SQUARE ROOT.
pub(crate) fn square_root<B: Operand, S: Source>(cpu: &mut State, i: &Fields) -> Done {
    let b = second::<B, S>(cpu, i)?;
    let root = with_fpc(cpu, |fpc| value::square_root(fpc, b));
    finish_first(cpu, i, root)
}

/// MAEBR, MAEB, MADBR, MADB. MULTIPLY AND ADD: the third operand times the second, plus the first, rounded once.
pub(crate) fn multiply_add<B: Operand, S: Source>(cpu: &mut State, i: &Fields) -> Done {
    let (c, b) = both::<B, S>(cpu, i)?;
    let a = B::get(cpu, i.r3);
    let sum = with_fpc(cpu, |fpc| value::multiply_add(fpc, a, b, c));
    finish_first(cpu, i, sum)
}

/// MSEBR, MSEB, MSDBR, MSDB. MULTIPLY AND SUBTRACT: the third operand times the second, minus the first, rounded once.
pub(crate) fn multiply_subtract<B: Operand, S: Source>(cpu: &mut State, i: &Fields) -> Done {
    let (c, b) = both::<B, S>(cpu, i)?;
    let a = B::get(cpu, i.r3);
    let difference = with_fpc(cpu, |fpc| value::multiply_subtract(fpc, a, b, c));
    finish_first(cpu, i, difference)
}

#[inline(always)]
fn compared<B: Operand, S: Source>(
    cpu: &mut State,
    i: &Fields,
    compare: impl FnOnce(&mut Fpc, B, B) -> Result<u8, Trap<()>>,
) -> Done {
    let (a, b) = both::<B, S>(cpu, i)?;
    match with_fpc(cpu, |fpc| compare(fpc, a, b)) {
        Ok(cc) => {
            cpu.cc = cc;
            Ok(())
        }
        Err(Trap::Suppress(dxc) | Trap::Complete((), dxc)) => Err(Interruption::Data(dxc)),
    }
}

/// CEBR, CEB, CDBR, CDB, CXBR. COMPARE. CC 0 equal, 1 first operand low, 2 first operand high, 3 unordered.
pub(crate) fn compare<B: Operand, S: Source>(cpu: &mut State, i: &Fields) -> Done {
    compared::<B, S>(cpu, i, value::compare)
}

/// KEBR, KEB, KDBR, KDB, KXBR. COMPARE AND SIGNAL: as COMPARE, any NaN being an invalid operation.
pub(crate) fn compare_and_signal<B: Operand, S: Source>(cpu: &mut State, i: &Fields) -> Done {
    compared::<B, S>(cpu, i, value::compare_and_signal)
}

/// TCEB, TCDB, TCXB. TEST DATA CLASS. CC 1 if the first operand is of a class that the twelve low bits of the
/// second-operand address select, else 0.
pub(crate) fn test_data_class<B: Operand>(cpu: &mut State, i: &Fields) -> Done {
    bfp_allowed(cpu)?;
    B::check(i.r1)?;
    let mask = cpu.address(i.x2, i.b2, i.d2).address;
    cpu.cc = value::data_class(B::get(cpu, i.r1), mask);
    Ok(())
}

/// LTEBR, LTDBR, LTXBR. LOAD AND TEST. CC 0 zero, 1 less than zero, 2 greater than zero, 3 NaN.
pub(crate) fn load_and_test<B: Operand>(cpu: &mut State, i: &Fields) -> Done {
    let b = second::<B, super::Register>(cpu, i)?;
    let loaded = with_fpc(cpu, |fpc| value::load_and_test(fpc, b));
    finish_with_cc(cpu, i, loaded)
}

#[inline(always)]
fn signed<B: Operand>(cpu: &mut State, i: &Fields, sign: impl FnOnce(u128) -> u128) -> Done {
    let b = second::<B, super::Register>(cpu, i)?;
    let result: Outcome<B> = Ok(B::from_bits(sign(b.to_bits())));
    finish_with_cc(cpu, i, result)
}

/// LCEBR, LCDBR, LCXBR. LOAD COMPLEMENT, of a NaN too. CC as for LOAD AND TEST.
pub(crate) fn load_complement<B: Operand>(cpu: &mut State, i: &Fields) -> Done {
    signed::<B>(cpu, i, |bits| bits ^ <B as Binary>::SIGN)
}

/// LNEBR, LNDBR, LNXBR. LOAD NEGATIVE, of a NaN too. CC 0 zero, 1 less than zero, 3 NaN.
pub(crate) fn load_negative<B: Operand>(cpu: &mut State, i: &Fields) -> Done {
    signed::<B>(cpu, i, |bits| bits | <B as Binary>::SIGN)
}

/// LPEBR, LPDBR, LPXBR. LOAD POSITIVE, of a NaN too. CC 0 zero, 2 greater than zero, 3 NaN.
pub(crate) fn load_positive<B: Operand>(cpu: &mut State, i: &Fields) -> Done {
    signed::<B>(cpu, i, |bits| bits & !<B as Binary>::SIGN)
}

/// DIEBR, DIDBR. DIVIDE TO INTEGER: the first operand becomes the remainder, the third the integer quotient, which M4
/// rounds. CC 0 complete, 1 complete with quotient overflow or NaN, 2 and 3 the same with the remainder incomplete.
pub(crate) fn divide_to_integer<B: Operand>(cpu: &mut State, i: &Fields) -> Done {
    bfp_allowed(cpu)?;
    if i.r1 == i.r2 || i.r1 == i.r3 || i.r2 == i.r3 {
        return Err(Program::Specification.into());
    }
    let rounding = Rounding::from_modifier(i.m4, Fpc(cpu.fpc)).ok_or(Program::Specification)?;
    let (a, b) = (B::get(cpu, i.r1), B::get(cpu, i.r2));
    let division = with_fpc(cpu, |fpc| value::divide_to_integer(fpc, a, b, rounding));
    finish(cpu, division, |cpu, division| {
        division.remainder.set(cpu, i.r1);
        division.quotient.set(cpu, i.r3);
        cpu.cc = division.cc;
    })
}
