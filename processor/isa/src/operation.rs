//! Operations that rows compose with operands. Each sets its condition code and gives the result.

use crate::prelude::*;

/// LOAD, STORE, MOVE: the operand is the result; the condition code stays.
#[inline(always)]
pub(crate) fn load<C: Cpu>(_: &mut C, _: Width, v: C::Word) -> Step<C, C::Word> {
    Ok(v)
}

/// ADD. CC 0 zero, 1 negative, 2 positive, 3 overflow.
#[inline(always)]
pub(crate) fn add<C: Cpu>(cpu: &mut C, width: Width, a: C::Word, b: C::Word) -> Step<C, C::Word> {
    let sum = cpu.add(width, a, b);
    cpu.set_cc(Cc::Add { width, a, b, sum });
    Ok(sum)
}

/// ADD LOGICAL. CC 0 zero, no carry; 1 not zero, no carry; 2 zero, carry; 3 not zero, carry.
#[inline(always)]
pub(crate) fn add_logical<C: Cpu>(cpu: &mut C, width: Width, a: C::Word, b: C::Word) -> Step<C, C::Word> {
    let sum = cpu.add(width, a, b);
    cpu.set_cc(Cc::AddLogical { width, a, sum });
    Ok(sum)
}

/// AND. CC 0 zero, 1 not zero.
#[inline(always)]
pub(crate) fn and<C: Cpu>(cpu: &mut C, width: Width, a: C::Word, b: C::Word) -> Step<C, C::Word> {
    let value = cpu.and(a, b);
    cpu.set_cc(Cc::Zero { width, value });
    Ok(value)
}

/// COMPARE. CC 0 equal, 1 first low, 2 first high.
#[inline(always)]
pub(crate) fn compare<C: Cpu>(cpu: &mut C, width: Width, a: C::Word, b: C::Word) -> Step<C> {
    cpu.set_cc(Cc::Compare { width, a, b });
    Ok(())
}

/// TEST UNDER MASK, one byte. CC 0 selected bits all zero, 1 mixed, 3 all ones.
#[inline(always)]
pub(crate) fn test_under_mask<C: Cpu>(cpu: &mut C, _: Width, value: C::Word, mask: C::Word) -> Step<C> {
    cpu.set_cc(Cc::TestMask { value, mask });
    Ok(())
}

/// SUBTRACT. CC 0 zero, 1 negative, 2 positive, 3 overflow.
#[inline(always)]
pub(crate) fn subtract<C: Cpu>(cpu: &mut C, width: Width, a: C::Word, b: C::Word) -> Step<C, C::Word> {
    let difference = cpu.sub(width, a, b);
    cpu.set_cc(Cc::Subtract { width, a, b, difference });
    Ok(difference)
}

/// SUBTRACT LOGICAL. CC 1 not zero, borrow; 2 zero; 3 not zero, no borrow.
#[inline(always)]
pub(crate) fn subtract_logical<C: Cpu>(cpu: &mut C, width: Width, a: C::Word, b: C::Word) -> Step<C, C::Word> {
    let difference = cpu.sub(width, a, b);
    cpu.set_cc(Cc::SubtractLogical { width, a, b, difference });
    Ok(difference)
}

/// ALSIHN: an addition that leaves the condition code alone.
#[inline(always)]
pub(crate) fn add_without_cc<C: Cpu>(cpu: &mut C, width: Width, a: C::Word, b: C::Word) -> Step<C, C::Word> {
    Ok(cpu.add(width, a, b))
}

/// ADD LOGICAL WITH CARRY: the carry is the left one of the condition code's two bits. CC as ADD LOGICAL.
#[inline(always)]
pub(crate) fn add_logical_with_carry<C: Cpu>(cpu: &mut C, width: Width, a: C::Word, b: C::Word) -> Step<C, C::Word> {
    let (cc, one) = (cpu.cc(), cpu.imm(1));
    let carry = cpu.shift_right(W8, cc, one);
    let part = cpu.add(width, a, b);
    let sum = cpu.add(width, part, carry);
    let (first, second) = (cpu.below(width, part, a), cpu.below(width, sum, part));
    let out = cpu.or(first, second);
    carry_code(cpu, width, out, sum);
    Ok(sum)
}

/// SUBTRACT LOGICAL WITH BORROW: the borrow is the opposite of the carry. CC 0 zero, borrow; else as SUBTRACT LOGICAL.
#[inline(always)]
pub(crate) fn subtract_logical_with_borrow<C: Cpu>(
    cpu: &mut C,
    width: Width,
    a: C::Word,
    b: C::Word,
) -> Step<C, C::Word> {
    let (cc, one) = (cpu.cc(), cpu.imm(1));
    let carry = cpu.shift_right(W8, cc, one);
    let borrow = cpu.xor(carry, one);
    let part = cpu.sub(width, a, b);
    let difference = cpu.sub(width, part, borrow);
    let (first, second) = (cpu.below(width, a, b), cpu.below(width, part, borrow));
    let out = cpu.or(first, second);
    let no_borrow = cpu.xor(out, one);
    carry_code(cpu, width, no_borrow, difference);
    Ok(difference)
}

/// The condition code `2 * carry + (result is not zero)`.
#[inline(always)]
fn carry_code<C: Cpu>(cpu: &mut C, width: Width, carry: C::Word, result: C::Word) {
    let (zero, one) = (cpu.imm(0), cpu.imm(1));
    let none = cpu.equal(width, result, zero);
    let some = cpu.xor(none, one);
    let two = cpu.add(W8, carry, carry);
    let code = cpu.or(two, some);
    cpu.set_cc(Cc::Value(code));
}

/// OR. CC 0 zero, 1 not zero.
#[inline(always)]
pub(crate) fn or<C: Cpu>(cpu: &mut C, width: Width, a: C::Word, b: C::Word) -> Step<C, C::Word> {
    let value = cpu.or(a, b);
    cpu.set_cc(Cc::Zero { width, value });
    Ok(value)
}

/// EXCLUSIVE OR. CC 0 zero, 1 not zero.
#[inline(always)]
pub(crate) fn exclusive_or<C: Cpu>(cpu: &mut C, width: Width, a: C::Word, b: C::Word) -> Step<C, C::Word> {
    let value = cpu.xor(a, b);
    cpu.set_cc(Cc::Zero { width, value });
    Ok(value)
}

/// An AND, OR or EXCLUSIVE OR of which an operand or the result is complemented. CC 0 zero, 1 not zero.
macro_rules! complemented {
    ($($name:ident $doc:literal |$cpu:ident, $all:ident, $a:ident, $b:ident| $value:expr;)*) => { $(
        #[doc = $doc]
        #[inline(always)]
        pub(crate) fn $name<C: Cpu>($cpu: &mut C, width: Width, $a: C::Word, $b: C::Word) -> Step<C, C::Word> {
            let $all = $cpu.imm(width.mask());
            let value = $value;
            $cpu.set_cc(Cc::Zero { width, value });
            Ok(value)
        }
    )* };
}

complemented! {
    and_with_complement "AND WITH COMPLEMENT: of the second operand." |cpu, all, a, b| { let b = cpu.xor(b, all); cpu.and(a, b) };
    or_with_complement "OR WITH COMPLEMENT: of the second operand." |cpu, all, a, b| { let b = cpu.xor(b, all); cpu.or(a, b) };
    not_and "NAND." |cpu, all, a, b| { let v = cpu.and(a, b); cpu.xor(v, all) };
    not_or "NOR." |cpu, all, a, b| { let v = cpu.or(a, b); cpu.xor(v, all) };
    not_exclusive_or "NOT EXCLUSIVE OR." |cpu, all, a, b| { let v = cpu.xor(a, b); cpu.xor(v, all) };
}

/// COMPARE LOGICAL. CC 0 equal, 1 first low, 2 first high.
#[inline(always)]
pub(crate) fn compare_logical<C: Cpu>(cpu: &mut C, width: Width, a: C::Word, b: C::Word) -> Step<C> {
    cpu.set_cc(Cc::CompareLogical { width, a, b });
    Ok(())
}

/// LOAD AND TEST. CC 0 zero, 1 negative, 2 positive.
#[inline(always)]
pub(crate) fn load_and_test<C: Cpu>(cpu: &mut C, width: Width, value: C::Word) -> Step<C, C::Word> {
    cpu.set_cc(Cc::Sign { width, value });
    Ok(value)
}

/// LOAD COMPLEMENT. CC 0 zero, 1 negative, 2 positive, 3 overflow.
#[inline(always)]
pub(crate) fn load_complement<C: Cpu>(cpu: &mut C, width: Width, v: C::Word) -> Step<C, C::Word> {
    let zero = cpu.imm(0);
    subtract(cpu, width, zero, v)
}

/// LOAD POSITIVE. CC 0 zero, 2 positive, 3 overflow.
#[inline(always)]
pub(crate) fn load_positive<C: Cpu>(cpu: &mut C, width: Width, v: C::Word) -> Step<C, C::Word> {
    // With the sign in all bits: what is not negative less 0, or the complement's predecessor less -1.
    let places = cpu.imm(width.bits() as u64 - 1);
    let sign = cpu.shift_right_signed(width, v, places);
    let value = cpu.xor(v, sign);
    subtract(cpu, width, value, sign)
}

/// LOAD NEGATIVE. CC 0 zero, 1 negative.
#[inline(always)]
pub(crate) fn load_negative<C: Cpu>(cpu: &mut C, width: Width, v: C::Word) -> Step<C, C::Word> {
    let zero = cpu.imm(0);
    let negative = cpu.less(width, v, zero);
    let complement = cpu.sub(width, zero, v);
    let value = cpu.select(negative, v, complement);
    cpu.set_cc(Cc::Sign { width, value });
    Ok(value)
}

/// LOAD REVERSED, STORE REVERSED.
#[inline(always)]
pub(crate) fn reversed<C: Cpu>(cpu: &mut C, width: Width, v: C::Word) -> Step<C, C::Word> {
    Ok(cpu.reverse(width, v))
}

/// LOAD LOGICAL THIRTY ONE BITS.
#[inline(always)]
pub(crate) fn thirty_one_bits<C: Cpu>(cpu: &mut C, _: Width, v: C::Word) -> Step<C, C::Word> {
    let mask = cpu.imm(0x7fff_ffff);
    Ok(cpu.and(v, mask))
}

/// LOAD AND ZERO RIGHTMOST BYTE.
#[inline(always)]
pub(crate) fn zero_rightmost_byte<C: Cpu>(cpu: &mut C, _: Width, v: C::Word) -> Step<C, C::Word> {
    let mask = cpu.imm(!0xff);
    Ok(cpu.and(v, mask))
}

/// MULTIPLY SINGLE, MULTIPLY HALFWORD: the low bits; no condition code.
#[inline(always)]
pub(crate) fn multiply<C: Cpu>(cpu: &mut C, width: Width, a: C::Word, b: C::Word) -> Step<C, C::Word> {
    Ok(cpu.mul(width, a, b))
}

/// TEST UNDER MASK of a halfword. CC 0 selected bits all zero, 1 mixed with the leftmost zero, 2 mixed with the
/// leftmost one, 3 all ones.
#[inline(always)]
pub(crate) fn test_under_mask_half<C: Cpu>(cpu: &mut C, _: Width, value: C::Word, mask: C::Word) -> Step<C> {
    cpu.set_cc(Cc::TestMaskHalf { value, mask });
    Ok(())
}

/// SLL, SLLG, SLLK.
#[inline(always)]
pub(crate) fn shift_left_logical<C: Cpu>(cpu: &mut C, width: Width, v: C::Word, n: C::Word) -> Step<C, C::Word> {
    Ok(cpu.shift_left(width, v, n))
}

/// SRL, SRLG, SRLK.
#[inline(always)]
pub(crate) fn shift_right_logical<C: Cpu>(cpu: &mut C, width: Width, v: C::Word, n: C::Word) -> Step<C, C::Word> {
    Ok(cpu.shift_right(width, v, n))
}

/// SRA, SRAG, SRAK. CC 0 zero, 1 negative, 2 positive.
#[inline(always)]
pub(crate) fn shift_right<C: Cpu>(cpu: &mut C, width: Width, v: C::Word, n: C::Word) -> Step<C, C::Word> {
    let value = cpu.shift_right_signed(width, v, n);
    cpu.set_cc(Cc::Sign { width, value });
    Ok(value)
}

/// SLA, SLAG, SLAK: the sign stays. CC 0 zero, 1 negative, 2 positive, 3 a bit unlike the sign was shifted out.
#[inline(always)]
pub(crate) fn shift_left<C: Cpu>(cpu: &mut C, width: Width, v: C::Word, n: C::Word) -> Step<C, C::Word> {
    let sign_bit = 1 << (width.bits() - 1);
    let (sign, numeric) = (cpu.imm(sign_bit), cpu.imm(!sign_bit));
    let sign = cpu.and(v, sign);
    let shifted = cpu.shift_left(width, v, n);
    let shifted = cpu.and(shifted, numeric);
    let value = cpu.or(shifted, sign);
    // Shifted back it is the same exactly if nothing but copies of the sign was lost.
    let back = cpu.shift_right_signed(width, value, n);
    let fits = cpu.equal(width, back, v);
    let (zero, one, two, three) = (cpu.imm(0), cpu.imm(1), cpu.imm(2), cpu.imm(3));
    // A word shifted by 32 and more loses the zeros too that came in from the right.
    let fits = if width == W32 {
        let all = cpu.imm(32);
        let (nothing, some_stays) = (cpu.equal(W32, v, zero), cpu.below(W64, n, all));
        let harmless = cpu.or(nothing, some_stays);
        cpu.and(fits, harmless)
    } else {
        fits
    };
    let (none, negative) = (cpu.equal(width, value, zero), cpu.less(width, value, zero));
    let code = cpu.select(negative, one, two);
    let code = cpu.select(none, zero, code);
    let code = cpu.select(fits, code, three);
    cpu.set_cc(Cc::Value(code));
    Ok(value)
}

/// RLL, RLLG.
#[inline(always)]
pub(crate) fn rotate_left<C: Cpu>(cpu: &mut C, width: Width, v: C::Word, n: C::Word) -> Step<C, C::Word> {
    Ok(cpu.rotate_left(width, v, n))
}
