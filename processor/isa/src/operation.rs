//! Operations that rows compose with operands. Each sets its condition code and gives the result.

use crate::prelude::*;

/// LOAD, STORE, MOVE: the operand is the result; the condition code stays.
#[inline(always)]
pub fn load<C: Cpu>(_: &mut C, _: Width, v: C::Word) -> Step<C, C::Word> {
    Ok(v)
}

/// ADD. CC 0 zero, 1 negative, 2 positive, 3 overflow.
#[inline(always)]
pub fn add<C: Cpu>(cpu: &mut C, width: Width, a: C::Word, b: C::Word) -> Step<C, C::Word> {
    let sum = cpu.add(width, a, b);
    cpu.set_cc(Cc::Add { width, a, b, sum });
    Ok(sum)
}

/// ADD LOGICAL. CC 0 zero, no carry; 1 not zero, no carry; 2 zero, carry; 3 not zero, carry.
#[inline(always)]
pub fn add_logical<C: Cpu>(cpu: &mut C, width: Width, a: C::Word, b: C::Word) -> Step<C, C::Word> {
    let sum = cpu.add(width, a, b);
    cpu.set_cc(Cc::AddLogical { width, a, sum });
    Ok(sum)
}

/// AND. CC 0 zero, 1 not zero.
#[inline(always)]
pub fn and<C: Cpu>(cpu: &mut C, width: Width, a: C::Word, b: C::Word) -> Step<C, C::Word> {
    let value = cpu.and(a, b);
    cpu.set_cc(Cc::Zero { width, value });
    Ok(value)
}

/// COMPARE. CC 0 equal, 1 first low, 2 first high.
#[inline(always)]
pub fn compare<C: Cpu>(cpu: &mut C, width: Width, a: C::Word, b: C::Word) -> Step<C> {
    cpu.set_cc(Cc::Compare { width, a, b });
    Ok(())
}

/// TEST UNDER MASK, one byte. CC 0 selected bits all zero, 1 mixed, 3 all ones.
#[inline(always)]
pub fn test_under_mask<C: Cpu>(cpu: &mut C, _: Width, value: C::Word, mask: C::Word) -> Step<C> {
    let selected = cpu.and(value, mask);
    let zero = cpu.imm(0);
    let none = cpu.equal(W8, selected, zero);
    let all = cpu.equal(W8, selected, mask);
    let (one, three) = (cpu.imm(1), cpu.imm(3));
    let some = cpu.select(all, three, one);
    let code = cpu.select(none, zero, some);
    cpu.set_cc(Cc::Value(code));
    Ok(())
}
