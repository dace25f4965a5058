//! Vector support instructions within registers: masks, merging, packing, permuting, selecting (POP, chapter 21).

use super::*;
use crate::prelude::*;
use base::layout::U128;
use zerocopy::transmute;

/// VGBM. VECTOR GENERATE BYTE MASK: a byte of ones for each bit of I2.
#[inline(always)]
pub(crate) fn generate_byte_mask<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    cpu.vector_allowed()?;
    let half = |bits: u64| (0..8).filter(|n| bits >> n & 1 == 1).fold(0, |v, n| v | 0xff << (8 * n));
    let bits = i.imm as u64;
    // Mostly all or nothing: a vector of zeros or of ones.
    let v = match bits & 0xffff {
        0 => [0, 0],
        0xffff => [u64::MAX; 2],
        _ => [half(bits >> 8 & 0xff), half(bits & 0xff)],
    };
    let v = [cpu.imm(v[0]), cpu.imm(v[1])];
    cpu.set_vector(i.r1, v);
    Ok(())
}

/// VGM. VECTOR GENERATE MASK: bits I2 to I3 of each element, which may go around its end.
pub(crate) fn generate_mask(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let v = sized!(i.m4, [0 1 2 3], {
        let (from, to) = (i.imm as u32 % U::BITS, u32::from(i.i3) % U::BITS);
        let (left, right) = (U::MAX >> from, U::MAX << (U::BITS - 1 - to));
        replicate(if from <= to { left & right } else { left | right })
    });
    s.set_vr(i.r1, v);
    Ok(())
}

/// VREPI. VECTOR REPLICATE IMMEDIATE.
pub(crate) fn replicate_immediate(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let v = sized!(i.m3, [0 1 2 3], { replicate(i.imm as U) });
    s.set_vr(i.r1, v);
    Ok(())
}

/// VREP. VECTOR REPLICATE: element I2 of the third operand.
pub(crate) fn replicate_element(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let v = sized!(i.m4, [0 1 2 3], {
        specified((i.imm as usize) < U::COUNT)?;
        replicate(element::<U>(s.vr(i.r3), i.imm as usize))
    });
    s.set_vr(i.r1, v);
    Ok(())
}

/// The elements of two vectors in turn, from `from` on.
#[inline(always)]
fn merge<T: Element>(a: u128, b: u128, from: usize) -> u128 {
    build(|n| element::<T>(if n % 2 == 0 { a } else { b }, from + n / 2))
}

/// VMRH. VECTOR MERGE HIGH.
pub(crate) fn merge_high(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let (a, b) = (s.vr(i.r2), s.vr(i.r3));
    let v = sized!(i.m4, [0 1 2 3], { merge::<U>(a, b, 0) });
    s.set_vr(i.r1, v);
    Ok(())
}

/// VMRL. VECTOR MERGE LOW.
pub(crate) fn merge_low(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let (a, b) = (s.vr(i.r2), s.vr(i.r3));
    let v = sized!(i.m4, [0 1 2 3], { merge::<U>(a, b, U::COUNT / 2) });
    s.set_vr(i.r1, v);
    Ok(())
}

/// Element `n` of two vectors one after the other.
#[inline(always)]
fn element_of_two<T: Element>(a: u128, b: u128, n: usize) -> T {
    if n < T::COUNT { element(a, n) } else { element(b, n - T::COUNT) }
}

/// VPK. VECTOR PACK: the right halves of the elements of both operands.
pub(crate) fn pack(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let (a, b) = (s.vr(i.r2), s.vr(i.r3));
    let v = sized!(i.m4, [1 2 3], { build(|n| element_of_two::<U>(a, b, n) as Half) });
    s.set_vr(i.r1, v);
    Ok(())
}

/// The condition code of a saturating pack: 0 none was saturated, 1 some, 3 all of the elements that M4 means.
fn saturation(s: &mut State, i: &Fields, saturated: usize) {
    if i.m5() & 1 != 0 {
        let all = saturated == 32 >> i.m4;
        s.cc = if saturated == 0 { 0 } else { 1 + 2 * u8::from(all) };
    }
}

/// VPKS. VECTOR PACK SATURATE, signed.
pub(crate) fn pack_saturate(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let (a, b) = (s.vr(i.r2), s.vr(i.r3));
    let mut saturated = 0;
    let v = sized!(i.m4, [1 2 3], {
        build(|n| {
            let source = element_of_two::<U>(a, b, n) as S;
            let fits = source.clamp(HalfS::MIN as S, HalfS::MAX as S);
            saturated += usize::from(fits != source);
            fits as Half
        })
    });
    saturation(s, i, saturated);
    s.set_vr(i.r1, v);
    Ok(())
}

/// VPKLS. VECTOR PACK LOGICAL SATURATE.
pub(crate) fn pack_logical_saturate(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let (a, b) = (s.vr(i.r2), s.vr(i.r3));
    let mut saturated = 0;
    let v = sized!(i.m4, [1 2 3], {
        build(|n| {
            let source = element_of_two::<U>(a, b, n);
            let fits = source.min(Half::MAX as U);
            saturated += usize::from(fits != source);
            fits as Half
        })
    });
    saturation(s, i, saturated);
    s.set_vr(i.r1, v);
    Ok(())
}

/// Unpacking: half as large elements of the second operand from `from` (0 the left half, 1 the right) on, extended.
macro_rules! unpack {
    ($($(#[$doc:meta])* $name:ident $half:literal $from:ident as $to:ident;)*) => { $(
        $(#[$doc])*
        pub(crate) fn $name(s: &mut State, i: &Fields) -> Done {
            s.vector_allowed()?;
            let a = s.vr(i.r2);
            let v = sized!(i.m3, [0 1 2], {
                build(|n| element::<U>(a, n + $half * U::COUNT / 2) as $from as $to as Double)
            });
            s.set_vr(i.r1, v);
            Ok(())
        }
    )* };
}

unpack! {
    /// VUPH. VECTOR UNPACK HIGH, with the sign.
    unpack_high 0 S as DoubleS;
    /// VUPLH. VECTOR UNPACK LOGICAL HIGH.
    unpack_logical_high 0 U as Double;
    /// VUPL. VECTOR UNPACK LOW, with the sign.
    unpack_low 1 S as DoubleS;
    /// VUPLL. VECTOR UNPACK LOGICAL LOW.
    unpack_logical_low 1 U as Double;
}

/// VSEG. VECTOR SIGN EXTEND TO DOUBLEWORD: the rightmost element of each doubleword.
pub(crate) fn sign_extend(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let a = s.vr(i.r2);
    let v = sized!(i.m3, [0 1 2], { map::<u64>(a, |a| a as S as u64) });
    s.set_vr(i.r1, v);
    Ok(())
}

/// VPERM. VECTOR PERMUTE: each byte of the fourth operand chooses one of 32.
pub(crate) fn permute(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let bytes: [u8; 32] = transmute!([s.vr(i.r2), s.vr(i.r3)].map(U128::new));
    let chosen = U128::new(s.vr(i.r4())).to_bytes().map(|n| bytes[n as usize & 31]);
    s.set_vr(i.r1, U128::from_bytes(chosen).get());
    Ok(())
}

/// VPDI. VECTOR PERMUTE DOUBLEWORD IMMEDIATE.
pub(crate) fn permute_doubleword(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let left = element::<u64>(s.vr(i.r2), usize::from(i.m4 & 4 != 0));
    let right = element::<u64>(s.vr(i.r3), usize::from(i.m4 & 1 != 0));
    s.set_vr(i.r1, u128::from(left) << 64 | u128::from(right));
    Ok(())
}

/// VBPERM. VECTOR BIT PERMUTE: each byte of the third operand chooses a bit of the second; above 127 it is zero.
pub(crate) fn permute_bits(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let a = s.vr(i.r2);
    let bit = |n: u8| if n < 128 { (a >> (127 - n) & 1) as u64 } else { 0 };
    let bits = U128::new(s.vr(i.r3)).to_bytes().into_iter().fold(0, |v, n| v << 1 | bit(n));
    s.set_vr(i.r1, u128::from(bits) << 64);
    Ok(())
}

/// VSEL. VECTOR SELECT: bits of the second operand where the fourth has ones, else of the third.
pub(crate) fn select(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let (a, b, mask) = (s.vr(i.r2), s.vr(i.r3), s.vr(i.r4()));
    s.set_vr(i.r1, a & mask | b & !mask);
    Ok(())
}
