//! Vector multiplication: of integers, with addition, and without carries (POP, chapter 22).

use super::*;
use crate::prelude::*;

elementwise! {
    /// VML. VECTOR MULTIPLY LOW.
    multiply_low(m4 [0 1 2]) |a, b| a.wrapping_mul(b);
    /// VMH. VECTOR MULTIPLY HIGH.
    multiply_high(m4 [0 1 2]) |a, b| ((a as S as DoubleS * b as S as DoubleS) >> U::BITS) as U;
    /// VMLH. VECTOR MULTIPLY LOGICAL HIGH.
    multiply_logical_high(m4 [0 1 2]) |a, b| ((a as Double * b as Double) >> U::BITS) as U;
}

elementwise! {
    /// VMAL. VECTOR MULTIPLY AND ADD LOW.
    multiply_add_low(i5 [0 1 2]) |a, b, c| a.wrapping_mul(b).wrapping_add(c);
    /// VMAH. VECTOR MULTIPLY AND ADD HIGH.
    multiply_add_high(i5 [0 1 2]) |a, b, c|
        ((a as S as DoubleS * b as S as DoubleS + c as S as DoubleS) >> U::BITS) as U;
    /// VMALH. VECTOR MULTIPLY AND ADD LOGICAL HIGH.
    multiply_add_logical_high(i5 [0 1 2]) |a, b, c|
        ((a as Double * b as Double + c as Double) >> U::BITS) as U;
}

/// Products of every second element, from `first` (0 even, 1 odd) on, as elements of twice the size; with an addend or
/// none.
macro_rules! products {
    ($($(#[$doc:meta])* $name:ident($m:ident) $first:literal $from:ident as $to:ident $(+ $r4:ident)?;)*) => { $(
        $(#[$doc])*
        pub(crate) fn $name(s: &mut State, i: &Fields) -> Done {
            s.vector_allowed()?;
            let (a, b) = (s.vr(i.r2), s.vr(i.r3));
            let v = sized!(i.$m, [0 1 2], {
                build(|n| {
                    let factor = |v: u128| element::<U>(v, 2 * n + $first) as $from as $to;
                    let product = (factor(a) * factor(b)) as Double;
                    $( let product = product.wrapping_add(element::<Double>(s.vr(i.$r4()), n)); )?
                    product
                })
            });
            s.set_vr(i.r1, v);
            Ok(())
        }
    )* };
}

products! {
    /// VME. VECTOR MULTIPLY EVEN.
    multiply_even(m4) 0 S as DoubleS;
    /// VMLE. VECTOR MULTIPLY LOGICAL EVEN.
    multiply_logical_even(m4) 0 U as Double;
    /// VMO. VECTOR MULTIPLY ODD.
    multiply_odd(m4) 1 S as DoubleS;
    /// VMLO. VECTOR MULTIPLY LOGICAL ODD.
    multiply_logical_odd(m4) 1 U as Double;
    /// VMAE. VECTOR MULTIPLY AND ADD EVEN.
    multiply_add_even(i5) 0 S as DoubleS + r4;
    /// VMALE. VECTOR MULTIPLY AND ADD LOGICAL EVEN.
    multiply_add_logical_even(i5) 0 U as Double + r4;
    /// VMAO. VECTOR MULTIPLY AND ADD ODD.
    multiply_add_odd(i5) 1 S as DoubleS + r4;
    /// VMALO. VECTOR MULTIPLY AND ADD LOGICAL ODD.
    multiply_add_logical_odd(i5) 1 U as Double + r4;
}

/// VMSL. VECTOR MULTIPLY SUM LOGICAL: both products of doublewords, either of them doubled as M6 says, and the fourth
/// operand.
pub(crate) fn multiply_sum_logical(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    specified(i.m5() == 3)?;
    let (a, b) = (s.vr(i.r2), s.vr(i.r3));
    let product = |n, double: u8| {
        let product = u128::from(element::<u64>(a, n)) * u128::from(element::<u64>(b, n));
        product << u8::from(i.m6() & double != 0)
    };
    let sum = product(0, 8).wrapping_add(product(1, 4)).wrapping_add(s.vr(i.r4()));
    s.set_vr(i.r1, sum);
    Ok(())
}

/// The product of two polynomials over the field of two elements.
fn carryless(a: u64, b: u64) -> u128 {
    (0..64).filter(|n| b >> n & 1 == 1).fold(0, |product, n| product ^ u128::from(a) << n)
}

/// The sums of the products of even and odd elements.
fn galois(s: &mut State, a: u128, b: u128, size: u8) -> Result<u128, Interruption> {
    s.vector_allowed()?;
    Ok(sized!(size, [0 1 2 3], {
        build(|n| {
            let product = |n| carryless(element::<U>(a, n).wide() as u64, element::<U>(b, n).wide() as u64);
            (product(2 * n) ^ product(2 * n + 1)) as Double
        })
    }))
}

/// VGFM. VECTOR GALOIS FIELD MULTIPLY SUM.
pub(crate) fn galois_multiply_sum(s: &mut State, i: &Fields) -> Done {
    let v = galois(s, s.vr(i.r2), s.vr(i.r3), i.m4)?;
    s.set_vr(i.r1, v);
    Ok(())
}

/// VGFMA. VECTOR GALOIS FIELD MULTIPLY SUM AND ACCUMULATE.
pub(crate) fn galois_multiply_sum_accumulate(s: &mut State, i: &Fields) -> Done {
    let v = galois(s, s.vr(i.r2), s.vr(i.r3), i.m5())?;
    s.set_vr(i.r1, v ^ s.vr(i.r4()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_without_carries() {
        assert_eq!(carryless(3, 3), 5, "(x + 1) squared is x squared + 1");
        assert_eq!(carryless(u64::MAX, 2), u128::from(u64::MAX) << 1);
    }
}
