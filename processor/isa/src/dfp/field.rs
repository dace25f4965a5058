//! The parts of decimal data: biased exponents, significance, digits that are shifted, classes and groups (POP, chapter
//! 20).

use super::operand::{Operand, dfp_allowed};
use super::value;
use crate::bfp::operand::Done;
use crate::prelude::*;

/// Puts a number that a datum has into general register R1.
fn extracted<D: Operand>(cpu: &mut State, i: &Fields, extract: impl FnOnce(D) -> i64) -> Done {
    dfp_allowed(cpu)?;
    D::check(i.r2)?;
    let number = extract(D::get(cpu, i.r2));
    cpu.set_gr(W64, i.r1, number as u64);
    Ok(())
}

/// EEDTR, EEXTR. EXTRACT BIASED EXPONENT: -1 of infinity, -2 of a quiet NaN, -3 of a signaling one.
pub(crate) fn extract_exponent<D: Operand>(cpu: &mut State, i: &Fields) -> Done {
    extracted::<D>(cpu, i, value::biased_exponent)
}

/// ESDTR, ESXTR. EXTRACT SIGNIFICANCE: the digits of a number without leading zeros. Others as above.
pub(crate) fn extract_significance<D: Operand>(cpu: &mut State, i: &Fields) -> Done {
    extracted::<D>(cpu, i, value::significance)
}

/// IEDTR, IEXTR. INSERT BIASED EXPONENT: the third operand with the exponent in general register R2.
pub(crate) fn insert_exponent<D: Operand>(cpu: &mut State, i: &Fields) -> Done {
    dfp_allowed(cpu)?;
    D::check(i.r1)?;
    D::check(i.r3)?;
    let biased = cpu.gr[(i.r2 & 15) as usize] as i64;
    value::with_biased_exponent(D::get(cpu, i.r3), biased).set(cpu, i.r1);
    Ok(())
}

/// The third operand shifted as many digits as the six low bits of the second-operand address say.
fn shifted<D: Operand>(cpu: &mut State, i: &Fields, shift: impl FnOnce(D, u32) -> D) -> Done {
    dfp_allowed(cpu)?;
    D::check(i.r1)?;
    D::check(i.r3)?;
    let by = cpu.address(i.x2, i.b2, i.d2).address as u32 & 63;
    shift(D::get(cpu, i.r3), by).set(cpu, i.r1);
    Ok(())
}

/// SLDT, SLXT. SHIFT SIGNIFICAND LEFT.
pub(crate) fn shift_left<D: Operand>(cpu: &mut State, i: &Fields) -> Done {
    shifted::<D>(cpu, i, value::shift_left)
}

/// SRDT, SRXT. SHIFT SIGNIFICAND RIGHT.
pub(crate) fn shift_right<D: Operand>(cpu: &mut State, i: &Fields) -> Done {
    shifted::<D>(cpu, i, value::shift_right)
}

/// Tests the first operand with the second-operand address, twelve bits of it.
fn tested<D: Operand>(cpu: &mut State, i: &Fields, test: impl FnOnce(D, u64) -> u8) -> Done {
    dfp_allowed(cpu)?;
    D::check(i.r1)?;
    let mask = cpu.address(i.x2, i.b2, i.d2).address;
    cpu.cc = test(D::get(cpu, i.r1), mask);
    Ok(())
}

/// TDCET, TDCDT, TDCXT. TEST DATA CLASS. CC 1 if the first operand is of a class that is selected, else 0.
pub(crate) fn test_class<D: Operand>(cpu: &mut State, i: &Fields) -> Done {
    tested::<D>(cpu, i, value::data_class)
}

/// TDGET, TDGDT, TDGXT. TEST DATA GROUP. CC 1 if the first operand is of a group that is selected, else 0.
pub(crate) fn test_group<D: Operand>(cpu: &mut State, i: &Fields) -> Done {
    tested::<D>(cpu, i, value::data_group)
}
