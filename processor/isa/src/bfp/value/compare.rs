//! COMPARE, COMPARE AND SIGNAL, TEST DATA CLASS, LOAD AND TEST, and the condition code of a result (POP, chapter 19).

use super::environment::{Environment, Fpc, Outcome, Trap};
use super::format::{Binary, Class};

/// The condition code of a result: 0 zero, 1 less than zero, 2 greater than zero, 3 NaN.
#[inline]
pub fn condition<B: Binary>(value: B) -> u8 {
    if value.magnitude() == 0 {
        0
    } else if value.is_nan() {
        3
    } else if value.is_negative() {
        1
    } else {
        2
    }
}

/// COMPARE. CC 0 equal, 1 first operand low, 2 first operand high, 3 unordered. Only a signaling NaN is an invalid
/// operation.
#[inline]
pub fn compare<B: Binary>(fpc: &mut Fpc, a: B, b: B) -> Result<u8, Trap<()>> {
    if a.is_nan() || b.is_nan() {
        return unordered(fpc, a.is_signaling() || b.is_signaling());
    }
    Ok(ordered(a, b))
}

/// COMPARE AND SIGNAL: as COMPARE, but any NaN is an invalid operation.
#[inline]
pub fn compare_and_signal<B: Binary>(fpc: &mut Fpc, a: B, b: B) -> Result<u8, Trap<()>> {
    if a.is_nan() || b.is_nan() {
        return unordered(fpc, true);
    }
    Ok(ordered(a, b))
}

#[cold]
fn unordered(fpc: &mut Fpc, invalid: bool) -> Result<u8, Trap<()>> {
    if !invalid {
        return Ok(3);
    }
    let mut env = Environment::current(*fpc);
    let outcome = env.invalid(3);
    *fpc = env.fpc;
    outcome
}

fn ordered<B: Binary>(a: B, b: B) -> u8 {
    let (left, right) = (a.magnitude(), b.magnitude());
    if left | right == 0 {
        return 0;
    }
    match (a.is_negative(), b.is_negative()) {
        (true, false) => 1,
        (false, true) => 2,
        (false, false) if left == right => 0,
        (false, false) => 1 + u8::from(left > right),
        (true, true) if left == right => 0,
        (true, true) => 1 + u8::from(left < right),
    }
}

/// TEST DATA CLASS. CC 1 if the operand is of a class selected in the twelve low bits of `mask`, else 0.
pub fn data_class<B: Binary>(value: B, mask: u64) -> u8 {
    let pair = match value.class() {
        Class::Zero => 0,
        Class::Normal => 1,
        Class::Subnormal => 2,
        Class::Infinity => 3,
        Class::QuietNan => 4,
        Class::SignalingNan => 5,
    };
    (mask >> (11 - 2 * pair - u32::from(value.is_negative())) & 1) as u8
}

/// LOAD AND TEST: the operand, a signaling NaN made quiet.
#[inline]
pub fn load_and_test<B: Binary>(fpc: &mut Fpc, value: B) -> Outcome<B> {
    if !value.is_signaling() {
        return Ok(value);
    }
    let mut env = Environment::current(*fpc);
    let outcome = env.invalid(value.quieted());
    *fpc = env.fpc;
    outcome
}
