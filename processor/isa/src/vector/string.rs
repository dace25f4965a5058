//! Vector string instructions (POP, chapter 23).
//!
//! Their last modifier holds IN (invert), RT (result is a mask, not an index), ZS (look for zeros too) and CS (set the
//! condition code). An index counts bytes; 16 means that nothing was found.

use super::*;
use crate::prelude::*;

const INVERT: u8 = 8;
const RESULT_MASK: u8 = 4;
const ZERO_SEARCH: u8 = 2;
const SET_CC: u8 = 1;

/// The byte index of the first element that is not zero in a vector of ones and zeros; 16 if there is none.
#[inline(always)]
fn first(matches: u128, size: usize) -> usize {
    matches.leading_zeros() as usize / 8 / size * size
}

/// An index as a result: in byte 7.
#[inline(always)]
fn index(n: usize) -> u128 {
    (n as u128) << 64
}

/// Ones for the elements that are zero.
#[inline(always)]
fn zeros<T: Element>(a: u128) -> u128 {
    map::<T>(a, |a| T::of(if a.wide() == 0 { u128::MAX } else { 0 }))
}

/// The condition code of a search: 0 a zero comes first or at the same place, 1 found, no zero, 2 found before a zero,
/// 3 neither found.
#[inline(always)]
fn search_code(found: usize, zero: usize) -> u8 {
    match (found < 16, zero < 16) {
        (false, false) => 3,
        (true, false) => 1,
        _ if found < zero => 2,
        _ => 0,
    }
}

/// The end of VFAE and VSTRC: `matches` has ones for matching elements.
#[inline(always)]
fn finish<T: Element>(s: &mut State, i: &Fields, flags: u8, matches: u128) {
    let matches = if flags & INVERT != 0 { !matches } else { matches };
    let zero = if flags & ZERO_SEARCH != 0 { first(zeros::<T>(s.vr(i.r2)), T::SIZE) } else { 16 };
    let found = first(matches, T::SIZE);
    s.set_vr(i.r1, if flags & RESULT_MASK != 0 { matches } else { index(found.min(zero)) });
    if flags & SET_CC != 0 {
        s.cc = search_code(found, zero);
    }
}

/// VFAE. VECTOR FIND ANY ELEMENT EQUAL: elements of the second operand that the third has anywhere.
pub(crate) fn find_any_equal(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let (a, b) = (s.vr(i.r2), s.vr(i.r3));
    sized!(i.m4, [0 1 2], {
        let matches = (0..U::COUNT).fold(0, |matches, n| {
            let wanted = element::<U>(b, n);
            matches | map::<U>(a, |a| ((a == wanted) as U).wrapping_neg())
        });
        finish::<U>(s, i, i.m5(), matches);
    });
    Ok(())
}

/// VSTRC. VECTOR STRING RANGE COMPARE: elements of the second operand that lie in a range. The third operand has the
/// ranges' limits in pairs, the fourth how to compare with each.
pub(crate) fn range_compare(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let (a, b, c) = (s.vr(i.r2), s.vr(i.r3), s.vr(i.r4()));
    sized!(i.m5(), [0 1 2], {
        let matches = map::<U>(a, |a| {
            let holds = |n: usize| {
                let (limit, how) = (element::<U>(b, n), element::<U>(c, n) >> (U::BITS - 3));
                a == limit && how & 4 != 0 || a < limit && how & 2 != 0 || a > limit && how & 1 != 0
            };
            let within = (0..U::COUNT / 2).any(|pair| holds(2 * pair) && holds(2 * pair + 1));
            (within as U).wrapping_neg()
        });
        finish::<U>(s, i, i.m6(), matches);
    });
    Ok(())
}

/// VFEE. VECTOR FIND ELEMENT EQUAL: the first at which the operands agree.
pub(crate) fn find_equal(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    specified(i.m5() < 4)?;
    let (a, b) = (s.vr(i.r2), s.vr(i.r3));
    sized!(i.m4, [0 1 2], {
        let found = first(map2::<U>(a, b, |a, b| ((a == b) as U).wrapping_neg()), U::SIZE);
        let zero = if i.m5() & ZERO_SEARCH != 0 { first(zeros::<U>(a), U::SIZE) } else { 16 };
        s.set_vr(i.r1, index(found.min(zero)));
        if i.m5() & SET_CC != 0 {
            s.cc = search_code(found, zero);
        }
    });
    Ok(())
}

/// VFENE. VECTOR FIND ELEMENT NOT EQUAL. CC 0 a zero in both comes first, 1 the first that differs is low, 2 high, 3
/// all are equal.
pub(crate) fn find_not_equal(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    specified(i.m5() < 4)?;
    let (a, b) = (s.vr(i.r2), s.vr(i.r3));
    sized!(i.m4, [0 1 2], {
        let found = first(a ^ b, U::SIZE);
        let zero = if i.m5() & ZERO_SEARCH != 0 { first(zeros::<U>(a), U::SIZE) } else { 16 };
        s.set_vr(i.r1, index(found.min(zero)));
        if i.m5() & SET_CC != 0 {
            s.cc = match () {
                _ if zero < found => 0,
                _ if found == 16 => 3,
                // All to the left is equal, so the vectors compare as the elements do.
                _ => 1 + u8::from(a > b),
            };
        }
    });
    Ok(())
}

/// VISTR. VECTOR ISOLATE STRING: zeros from the first zero on. CC 0 there is one, 3 there is none.
pub(crate) fn isolate_string(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    specified(i.m5() < 2)?;
    let a = s.vr(i.r2);
    let zero = sized!(i.m3, [0 1 2], { first(zeros::<U>(a), U::SIZE) });
    let kept = if zero == 0 { 0 } else { u128::MAX << (8 * (16 - zero)) };
    s.set_vr(i.r1, a & kept);
    if i.m5() & SET_CC != 0 {
        s.cc = if zero < 16 { 0 } else { 3 };
    }
    Ok(())
}

/// VSTRS. VECTOR STRING SEARCH: where in the second operand the third begins, of which the fourth has the length in
/// byte 7. With ZS, a zero ends either. CC 0 nowhere, 1 nowhere and the string has ended, 2 found, 3 perhaps: it begins
/// where the string ends.
pub(crate) fn string_search(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let (a, b) = (s.vr(i.r2), s.vr(i.r3));
    specified(i.m6() & !ZERO_SEARCH == 0)?;
    let zero_search = i.m6() & ZERO_SEARCH != 0;
    let bytes = usize::from(element::<u8>(s.vr(i.r4()), 7));
    let (found, code) = sized!(i.m5(), [0 1 2], {
        let end = |v: u128| if zero_search { first(zeros::<U>(v), U::SIZE) / U::SIZE } else { U::COUNT };
        let wanted = if zero_search { (bytes / U::SIZE).min(end(b)) } else { bytes / U::SIZE };
        let length = end(a);
        let agree = |from: usize| (0..wanted.min(length - from)).all(|n| element::<U>(a, from + n) == element::<U>(b, n));
        match (0..length).find(|from| agree(*from)) {
            _ if wanted == 0 => (0, 2),
            Some(from) if from + wanted <= length => (from * U::SIZE, 2),
            Some(from) if length == U::COUNT => (from * U::SIZE, 3),
            _ => (16, u8::from(length < U::COUNT)),
        }
    });
    s.set_vr(i.r1, index(found));
    s.cc = code;
    Ok(())
}
