//! Vector integer instructions: addition, logic, comparison, counting (POP, chapter 22).

use super::*;
use crate::prelude::*;

elementwise! {
    /// VLC. VECTOR LOAD COMPLEMENT.
    complement(m3 [0 1 2 3]) |a| a.wrapping_neg();
    /// VLP. VECTOR LOAD POSITIVE.
    positive(m3 [0 1 2 3]) |a| (a as S).wrapping_abs() as U;
    /// VCLZ. VECTOR COUNT LEADING ZEROS.
    count_leading_zeros(m3 [0 1 2 3]) |a| a.leading_zeros() as U;
    /// VCTZ. VECTOR COUNT TRAILING ZEROS.
    count_trailing_zeros(m3 [0 1 2 3]) |a| a.trailing_zeros() as U;
    /// VPOPCT. VECTOR POPULATION COUNT.
    population_count(m3 [0 1 2 3]) |a| a.count_ones() as U;
}

elementwise! {
    /// VA. VECTOR ADD.
    add(m4 [0 1 2 3 4]) |a, b| a.wrapping_add(b);
    /// VACC. VECTOR ADD COMPUTE CARRY.
    add_carry(m4 [0 1 2 3 4]) |a, b| a.overflowing_add(b).1 as U;
    /// VS. VECTOR SUBTRACT.
    subtract(m4 [0 1 2 3 4]) |a, b| a.wrapping_sub(b);
    /// VSCBI. VECTOR SUBTRACT COMPUTE BORROW INDICATION: 1 without a borrow.
    subtract_borrow(m4 [0 1 2 3 4]) |a, b| (a >= b) as U;
    /// VAVG. VECTOR AVERAGE, rounded up.
    average(m4 [0 1 2 3]) |a, b| ((a as S as DoubleS + b as S as DoubleS + 1) >> 1) as U;
    /// VAVGL. VECTOR AVERAGE LOGICAL, rounded up.
    average_logical(m4 [0 1 2 3]) |a, b| ((a as Double + b as Double + 1) >> 1) as U;
    /// VMX. VECTOR MAXIMUM.
    maximum(m4 [0 1 2 3]) |a, b| (a as S).max(b as S) as U;
    /// VMXL. VECTOR MAXIMUM LOGICAL.
    maximum_logical(m4 [0 1 2 3]) |a, b| a.max(b);
    /// VMN. VECTOR MINIMUM.
    minimum(m4 [0 1 2 3]) |a, b| (a as S).min(b as S) as U;
    /// VMNL. VECTOR MINIMUM LOGICAL.
    minimum_logical(m4 [0 1 2 3]) |a, b| a.min(b);
}

/// Bit by bit, in halves.
macro_rules! logical {
    ($($(#[$doc:meta])* $name:ident |$cpu:ident, $a:ident, $b:ident| $body:expr;)*) => { $(
        $(#[$doc])*
        #[inline(always)]
        pub(crate) fn $name<C: Cpu>($cpu: &mut C, i: &Fields) -> Step<C> {
            $cpu.vector_allowed()?;
            let (a, b) = ($cpu.vector(i.r2), $cpu.vector(i.r3));
            let v = [0, 1].map(|n| {
                let ($a, $b) = (a[n], b[n]);
                $body
            });
            $cpu.set_vector(i.r1, v);
            Ok(())
        }
    )* };
}

fn not<C: Cpu>(cpu: &mut C, a: C::Word) -> C::Word {
    let ones = cpu.imm(u64::MAX);
    cpu.xor(a, ones)
}

logical! {
    /// VN. VECTOR AND.
    and |cpu, a, b| cpu.and(a, b);
    /// VO. VECTOR OR.
    or |cpu, a, b| cpu.or(a, b);
    /// VX. VECTOR EXCLUSIVE OR.
    exclusive_or |cpu, a, b| cpu.xor(a, b);
    /// VNC. VECTOR AND WITH COMPLEMENT.
    and_complement |cpu, a, b| {
        let b = not(cpu, b);
        cpu.and(a, b)
    };
    /// VOC. VECTOR OR WITH COMPLEMENT.
    or_complement |cpu, a, b| {
        let b = not(cpu, b);
        cpu.or(a, b)
    };
    /// VNO. VECTOR NOR.
    nor |cpu, a, b| {
        let v = cpu.or(a, b);
        not(cpu, v)
    };
    /// VNN. VECTOR NAND.
    nand |cpu, a, b| {
        let v = cpu.and(a, b);
        not(cpu, v)
    };
    /// VNX. VECTOR NOT EXCLUSIVE OR.
    not_exclusive_or |cpu, a, b| {
        let v = cpu.xor(a, b);
        not(cpu, v)
    };
}

/// The operands of the instructions on quadwords with a carry: the second, the third, and the rightmost bit of the
/// fourth.
fn with_carry(s: &mut State, i: &Fields) -> Result<(u128, u128, bool), Interruption> {
    s.vector_allowed()?;
    specified(i.m5() == 4)?;
    Ok((s.vr(i.r2), s.vr(i.r3), s.vr(i.r4()) & 1 == 1))
}

/// A sum and its carry.
fn sum(a: u128, b: u128, carry: bool) -> (u128, bool) {
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(carry.into());
    (sum, first | second)
}

/// VAC. VECTOR ADD WITH CARRY.
pub(crate) fn add_with_carry(s: &mut State, i: &Fields) -> Done {
    let (a, b, carry) = with_carry(s, i)?;
    s.set_vr(i.r1, sum(a, b, carry).0);
    Ok(())
}

/// VACCC. VECTOR ADD WITH CARRY COMPUTE CARRY.
pub(crate) fn add_with_carry_carry(s: &mut State, i: &Fields) -> Done {
    let (a, b, carry) = with_carry(s, i)?;
    s.set_vr(i.r1, sum(a, b, carry).1.into());
    Ok(())
}

/// VSBI. VECTOR SUBTRACT WITH BORROW INDICATION.
pub(crate) fn subtract_with_borrow(s: &mut State, i: &Fields) -> Done {
    let (a, b, carry) = with_carry(s, i)?;
    s.set_vr(i.r1, sum(a, !b, carry).0);
    Ok(())
}

/// VSBCBI. VECTOR SUBTRACT WITH BORROW COMPUTE BORROW INDICATION.
pub(crate) fn subtract_with_borrow_borrow(s: &mut State, i: &Fields) -> Done {
    let (a, b, carry) = with_carry(s, i)?;
    s.set_vr(i.r1, sum(a, !b, carry).1.into());
    Ok(())
}

/// VCKSM. VECTOR CHECKSUM: words are added with carries coming around, word 1 of the third operand too.
pub(crate) fn checksum(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let (a, b) = (s.vr(i.r2), s.vr(i.r3));
    let add = |sum: u32, n: u32| {
        let (sum, carry) = sum.overflowing_add(n);
        sum + u32::from(carry)
    };
    let sum = (0..4).fold(element::<u32>(b, 1), |sum, n| add(sum, element(a, n)));
    s.set_vr(i.r1, u128::from(sum) << 64);
    Ok(())
}

/// Sums of the elements of each part of the second operand, and the rightmost one of the same part of the third.
macro_rules! sums {
    ($($(#[$doc:meta])* $name:ident $sizes:tt $part:ty;)*) => { $(
        $(#[$doc])*
        pub(crate) fn $name(s: &mut State, i: &Fields) -> Done {
            s.vector_allowed()?;
            let (a, b) = (s.vr(i.r2), s.vr(i.r3));
            let v = sized!(i.m4, $sizes, {
                map2::<$part>(a, b, |a, b| {
                    let elements = <$part>::SIZE / U::SIZE;
                    (0..elements as u32).fold(b as U as $part, |sum, n| sum.wrapping_add((a >> (n * U::BITS)) as U as $part))
                })
            });
            s.set_vr(i.r1, v);
            Ok(())
        }
    )* };
}

sums! {
    /// VSUM. VECTOR SUM ACROSS WORD.
    sum_across_word [0 1] u32;
    /// VSUMG. VECTOR SUM ACROSS DOUBLEWORD.
    sum_across_doubleword [1 2] u64;
    /// VSUMQ. VECTOR SUM ACROSS QUADWORD.
    sum_across_quadword [2 3] u128;
}

/// VEC. VECTOR ELEMENT COMPARE: the rightmost element of the left half. CC 0 equal, 1 first low, 2 first high.
pub(crate) fn element_compare(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let (a, b) = (s.vr(i.r1) >> 64, s.vr(i.r2) >> 64);
    s.cc = sized!(i.m3, [0 1 2 3], { order(a as S, b as S) });
    Ok(())
}

/// VECL. VECTOR ELEMENT COMPARE LOGICAL. CC as above.
pub(crate) fn element_compare_logical(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let (a, b) = (s.vr(i.r1) >> 64, s.vr(i.r2) >> 64);
    s.cc = sized!(i.m3, [0 1 2 3], { order(a as U, b as U) });
    Ok(())
}

fn order<T: Ord>(a: T, b: T) -> u8 {
    u8::from(a < b) + 2 * u8::from(a > b)
}

/// Comparisons that yield ones or zeros. With bit 3 of M5, CC 0 all true, 1 some, 3 none.
macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident |$a:ident, $b:ident| $body:expr;)*) => { $(
        $(#[$doc])*
        pub(crate) fn $name(s: &mut State, i: &Fields) -> Done {
            s.vector_allowed()?;
            let (a, b) = (s.vr(i.r2), s.vr(i.r3));
            let v = sized!(i.m4, [0 1 2 3], {
                map2::<U>(a, b, |$a: U, $b: U| {
                    let holds: bool = $body;
                    (holds as U).wrapping_neg()
                })
            });
            if i.m5() & 1 != 0 {
                s.cc = all_some_none(v);
            }
            s.set_vr(i.r1, v);
            Ok(())
        }
    )* };
}

comparisons! {
    /// VCEQ. VECTOR COMPARE EQUAL.
    compare_equal |a, b| a == b;
    /// VCH. VECTOR COMPARE HIGH.
    compare_high |a, b| a as S > b as S;
    /// VCHL. VECTOR COMPARE HIGH LOGICAL.
    compare_high_logical |a, b| a > b;
}

/// VTM. VECTOR TEST UNDER MASK. CC 0 the selected bits are zeros, 1 mixed, 3 ones.
pub(crate) fn test_under_mask(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let (a, mask) = (s.vr(i.r1), s.vr(i.r2));
    s.cc = match a & mask {
        0 => 0,
        ones if ones == mask => 3,
        _ => 1,
    };
    Ok(())
}
