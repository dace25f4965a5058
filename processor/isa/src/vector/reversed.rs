//! Loads and stores that reverse bytes or elements: the vector-enhancements facility 2 (POP, chapter 21).

use super::*;
use crate::prelude::*;

/// VLEBRH, VLEBRF, VLEBRG. VECTOR LOAD BYTE REVERSED ELEMENT.
pub(crate) fn load_reversed_element<T: Element>(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    specified((i.m3 as usize) < T::COUNT)?;
    let at = s.address(i.x2, i.b2, i.d2);
    let loaded = reverse(T::load(s, at)?);
    s.set_vr(i.r1, with_element(s.vr(i.r1), i.m3 as usize, loaded));
    Ok(())
}

/// VSTEBRH, VSTEBRF, VSTEBRG. VECTOR STORE BYTE REVERSED ELEMENT.
pub(crate) fn store_reversed_element<T: Element>(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    specified((i.m3 as usize) < T::COUNT)?;
    let at = s.address(i.x2, i.b2, i.d2);
    reverse(element::<T>(s.vr(i.r1), i.m3 as usize)).store(s, at)
}

fn reverse<T: Element>(v: T) -> T {
    T::of(v.wide().swap_bytes() >> (128 - T::BITS))
}

/// VLLEBRZ. VECTOR LOAD BYTE REVERSED ELEMENT AND ZERO: as VLLEZ.
pub(crate) fn load_reversed_and_zero(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let left = i.m3 == 6;
    let v = sized!(if left { 2 } else { i.m3 }, [1 2 3], {
        let at = s.address(i.x2, i.b2, i.d2);
        U::load(s, at)?.swap_bytes().wide() << if left { 96 } else { 64 }
    });
    s.set_vr(i.r1, v);
    Ok(())
}

/// VLBRREP. VECTOR LOAD BYTE REVERSED ELEMENT AND REPLICATE.
pub(crate) fn load_reversed_and_replicate(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let v = sized!(i.m3, [1 2 3], {
        let at = s.address(i.x2, i.b2, i.d2);
        replicate(U::load(s, at)?.swap_bytes())
    });
    s.set_vr(i.r1, v);
    Ok(())
}

/// The bytes of each element reversed.
fn bytes_reversed(v: u128, size: u8) -> Result<u128, Interruption> {
    Ok(sized!(size, [1 2 3 4], { map::<U>(v, |a: U| a.swap_bytes()) }))
}

/// The elements in reverse order.
fn elements_reversed(v: u128, size: u8) -> Result<u128, Interruption> {
    Ok(sized!(size, [1 2 3], { build(|n| element::<U>(v, U::COUNT - 1 - n)) }))
}

/// VLBR. VECTOR LOAD BYTE REVERSED ELEMENTS.
pub(crate) fn load_bytes_reversed(s: &mut State, i: &Fields) -> Done {
    load_with(s, i, bytes_reversed)
}

/// VLER. VECTOR LOAD ELEMENTS REVERSED.
pub(crate) fn load_elements_reversed(s: &mut State, i: &Fields) -> Done {
    load_with(s, i, elements_reversed)
}

/// VSTBR. VECTOR STORE BYTE REVERSED ELEMENTS.
pub(crate) fn store_bytes_reversed(s: &mut State, i: &Fields) -> Done {
    store_with(s, i, bytes_reversed)
}

/// VSTER. VECTOR STORE ELEMENTS REVERSED.
pub(crate) fn store_elements_reversed(s: &mut State, i: &Fields) -> Done {
    store_with(s, i, elements_reversed)
}

type Reversal = fn(u128, u8) -> Result<u128, Interruption>;

fn load_with(s: &mut State, i: &Fields, reversed: Reversal) -> Done {
    s.vector_allowed()?;
    reversed(0, i.m3)?;
    let at = s.address(i.x2, i.b2, i.d2);
    let v = reversed(s.load_u128(at)?, i.m3)?;
    s.set_vr(i.r1, v);
    Ok(())
}

fn store_with(s: &mut State, i: &Fields, reversed: Reversal) -> Done {
    s.vector_allowed()?;
    let v = reversed(s.vr(i.r1), i.m3)?;
    let at = s.address(i.x2, i.b2, i.d2);
    s.store_u128(at, v)
}
