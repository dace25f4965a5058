//! Vector shifts and rotations, of elements and of whole vectors (POP, chapter 22).

use super::*;
use crate::prelude::*;

elementwise! {
    /// VESLV. VECTOR ELEMENT SHIFT LEFT, each by its own amount.
    element_shift_left_by(m4 [0 1 2 3]) |a, b| a.wrapping_shl(b as u32);
    /// VESRLV. VECTOR ELEMENT SHIFT RIGHT LOGICAL.
    element_shift_right_logical_by(m4 [0 1 2 3]) |a, b| a.wrapping_shr(b as u32);
    /// VESRAV. VECTOR ELEMENT SHIFT RIGHT ARITHMETIC.
    element_shift_right_by(m4 [0 1 2 3]) |a, b| (a as S).wrapping_shr(b as u32) as U;
    /// VERLLV. VECTOR ELEMENT ROTATE LEFT LOGICAL.
    element_rotate_by(m4 [0 1 2 3]) |a, b| a.rotate_left(b as u32 % U::BITS);
}

/// All elements by the second-operand address.
macro_rules! together {
    ($($(#[$doc:meta])* $name:ident |$a:ident, $n:ident| $body:expr;)*) => { $(
        $(#[$doc])*
        pub(crate) fn $name(s: &mut State, i: &Fields) -> Done {
            s.vector_allowed()?;
            let $n = s.address(0, i.b2, i.d2).address as u32;
            let a = s.vr(i.r3);
            let v = sized!(i.m4, [0 1 2 3], { map::<U>(a, |$a: U| -> U { $body }) });
            s.set_vr(i.r1, v);
            Ok(())
        }
    )* };
}

together! {
    /// VESL. VECTOR ELEMENT SHIFT LEFT.
    element_shift_left |a, n| a.wrapping_shl(n);
    /// VESRL. VECTOR ELEMENT SHIFT RIGHT LOGICAL.
    element_shift_right_logical |a, n| a.wrapping_shr(n);
    /// VESRA. VECTOR ELEMENT SHIFT RIGHT ARITHMETIC.
    element_shift_right |a, n| (a as S).wrapping_shr(n) as U;
    /// VERLL. VECTOR ELEMENT ROTATE LEFT LOGICAL.
    element_rotate |a, n| a.rotate_left(n % U::BITS);
}

/// VERIM. VECTOR ELEMENT ROTATE AND INSERT UNDER MASK.
pub(crate) fn rotate_and_insert(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let (old, a, mask) = (s.vr(i.r1), s.vr(i.r2), s.vr(i.r3));
    let rotated = sized!(i.m5(), [0 1 2 3], { map::<U>(a, |a: U| a.rotate_left(u32::from(i.i4()) % U::BITS)) });
    s.set_vr(i.r1, rotated & mask | old & !mask);
    Ok(())
}

/// A whole vector shifted left, each byte by its own number of bits: bits come in from the byte on the right.
fn shift_left_by_bits(a: u128, amounts: u128) -> u128 {
    let next = a << 8;
    build(|n| {
        let pair = u16::from(element::<u8>(a, n)) << 8 | u16::from(element::<u8>(next, n));
        (pair << (element::<u8>(amounts, n) & 7) >> 8) as u8
    })
}

/// The same to the right. `sign` comes in from the left.
fn shift_right_by_bits(a: u128, amounts: u128, sign: u8) -> u128 {
    let previous = a >> 8 | u128::from(sign) << 120;
    build(|n| {
        let pair = u16::from(element::<u8>(previous, n)) << 8 | u16::from(element::<u8>(a, n));
        (pair >> (element::<u8>(amounts, n) & 7)) as u8
    })
}

/// Eight times the sign bit.
fn sign_byte(a: u128) -> u8 {
    (a as i128 >> 127) as u8
}

/// The number of bits in byte 7 of a vector that says a number of bytes.
fn bytes(amount: u128) -> u32 {
    u32::from(element::<u8>(amount, 7)) & 0x78
}

/// Whole vectors.
macro_rules! whole {
    ($($(#[$doc:meta])* $name:ident |$a:ident, $b:ident| $body:expr;)*) => { $(
        $(#[$doc])*
        pub(crate) fn $name(s: &mut State, i: &Fields) -> Done {
            s.vector_allowed()?;
            let ($a, $b) = (s.vr(i.r2), s.vr(i.r3));
            s.set_vr(i.r1, $body);
            Ok(())
        }
    )* };
}

whole! {
    /// VSL. VECTOR SHIFT LEFT by 0 to 7 bits.
    shift_left |a, b| shift_left_by_bits(a, b);
    /// VSRL. VECTOR SHIFT RIGHT LOGICAL.
    shift_right_logical |a, b| shift_right_by_bits(a, b, 0);
    /// VSRA. VECTOR SHIFT RIGHT ARITHMETIC.
    shift_right |a, b| shift_right_by_bits(a, b, sign_byte(a));
    /// VSLB. VECTOR SHIFT LEFT BY BYTE.
    shift_left_by_byte |a, b| a << bytes(b);
    /// VSRLB. VECTOR SHIFT RIGHT LOGICAL BY BYTE.
    shift_right_logical_by_byte |a, b| a >> bytes(b);
    /// VSRAB. VECTOR SHIFT RIGHT ARITHMETIC BY BYTE.
    shift_right_by_byte |a, b| (a as i128 >> bytes(b)) as u128;
}

/// Sixteen bytes of two vectors one after the other, `bits` bits further on.
fn funnel(a: u128, b: u128, bits: u32) -> u128 {
    if bits == 0 { a } else { a << bits | b >> (128 - bits) }
}

/// VSLDB. VECTOR SHIFT LEFT DOUBLE BY BYTE.
pub(crate) fn shift_left_double_by_byte(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    specified(i.i4() < 16)?;
    s.set_vr(i.r1, funnel(s.vr(i.r2), s.vr(i.r3), u32::from(i.i4()) * 8));
    Ok(())
}

/// VSLD. VECTOR SHIFT LEFT DOUBLE BY BIT.
pub(crate) fn shift_left_double_by_bit(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    specified(i.i4() < 8)?;
    s.set_vr(i.r1, funnel(s.vr(i.r2), s.vr(i.r3), i.i4().into()));
    Ok(())
}

/// VSRD. VECTOR SHIFT RIGHT DOUBLE BY BIT.
pub(crate) fn shift_right_double_by_bit(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    specified(i.i4() < 8)?;
    let (a, b) = (s.vr(i.r2), s.vr(i.r3));
    s.set_vr(i.r1, if i.i4() == 0 { b } else { funnel(a, b, 128 - u32::from(i.i4())) });
    Ok(())
}
