//! Vector loads and stores, and transfers between vector and general registers (POP, chapter 21).

use super::*;
use crate::prelude::*;
use base::layout::U128;
use zerocopy::IntoBytes;

/// VL. VECTOR LOAD.
#[inline(always)]
pub(crate) fn load<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    cpu.vector_allowed()?;
    let at = cpu.address(i.x2, i.b2, i.d2);
    let v = cpu.load_vector(at)?;
    cpu.set_vector(i.r1, v);
    Ok(())
}

/// VST. VECTOR STORE.
#[inline(always)]
pub(crate) fn store<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    cpu.vector_allowed()?;
    let at = cpu.address(i.x2, i.b2, i.d2);
    let v = cpu.vector(i.r1);
    cpu.store_vector(at, v)
}

/// VLR. VECTOR LOAD from a register.
#[inline(always)]
pub(crate) fn load_register<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    cpu.vector_allowed()?;
    let v = cpu.vector(i.r2);
    cpu.set_vector(i.r1, v);
    Ok(())
}

/// VLVGP. VECTOR LOAD VR FROM GRS DISJOINT.
#[inline(always)]
pub(crate) fn load_pair<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    cpu.vector_allowed()?;
    let v = [cpu.gr(W64, i.r2), cpu.gr(W64, i.r3)];
    cpu.set_vector(i.r1, v);
    Ok(())
}

/// VLEG. VECTOR LOAD ELEMENT of 64 bits.
#[inline(always)]
pub(crate) fn load_doubleword<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    cpu.vector_allowed()?;
    if i.m3 > 1 {
        return cpu.stop(Program::Specification.into());
    }
    let at = cpu.address(i.x2, i.b2, i.d2);
    let loaded = cpu.load(W64, at)?;
    let mut v = cpu.vector(i.r1);
    v[i.m3 as usize & 1] = loaded;
    cpu.set_vector(i.r1, v);
    Ok(())
}

/// VSTEG. VECTOR STORE ELEMENT of 64 bits.
#[inline(always)]
pub(crate) fn store_doubleword<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    cpu.vector_allowed()?;
    if i.m3 > 1 {
        return cpu.stop(Program::Specification.into());
    }
    let at = cpu.address(i.x2, i.b2, i.d2);
    let v = cpu.vector(i.r1)[i.m3 as usize & 1];
    cpu.store(W64, at, v)
}

/// VLEB, VLEH, VLEF. VECTOR LOAD ELEMENT: M3 is its number.
pub(crate) fn load_element<T: Element>(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    specified((i.m3 as usize) < T::COUNT)?;
    let at = s.address(i.x2, i.b2, i.d2);
    let loaded = T::load(s, at)?;
    s.set_vr(i.r1, with_element(s.vr(i.r1), i.m3 as usize, loaded));
    Ok(())
}

/// VSTEB, VSTEH, VSTEF. VECTOR STORE ELEMENT.
pub(crate) fn store_element<T: Element>(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    specified((i.m3 as usize) < T::COUNT)?;
    let at = s.address(i.x2, i.b2, i.d2);
    element::<T>(s.vr(i.r1), i.m3 as usize).store(s, at)
}

/// VLEIB, VLEIH, VLEIF, VLEIG. VECTOR LOAD ELEMENT IMMEDIATE: I2, sign-extended or truncated.
pub(crate) fn load_element_immediate<T: Element>(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    specified((i.m3 as usize) < T::COUNT)?;
    let mask = u128::MAX >> (128 - T::BITS);
    s.set_vr(i.r1, with_element(s.vr(i.r1), i.m3 as usize, T::of(i.imm as i128 as u128 & mask)));
    Ok(())
}

/// VLREP. VECTOR LOAD AND REPLICATE.
pub(crate) fn load_and_replicate(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let v = sized!(i.m3, [0 1 2 3], {
        let at = s.address(i.x2, i.b2, i.d2);
        replicate(U::load(s, at)?)
    });
    s.set_vr(i.r1, v);
    Ok(())
}

/// Vector-enhancements facility 1.
pub(super) const ENHANCEMENTS_1: u32 = 135;

/// VLLEZ. VECTOR LOAD LOGICAL ELEMENT AND ZERO: to the right end of the left half; M3 of 6 means a word to the left
/// end.
pub(crate) fn load_logical_element_and_zero(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let left = i.m3 == 6 && s.has(ENHANCEMENTS_1);
    let v = sized!(if left { 2 } else { i.m3 }, [0 1 2 3], {
        let at = s.address(i.x2, i.b2, i.d2);
        U::load(s, at)?.wide() << if left { 96 } else { 64 }
    });
    s.set_vr(i.r1, v);
    Ok(())
}

/// The registers R1 to R3 of VLM and VSTM, as a count.
fn range(i: &Fields) -> Result<usize, Interruption> {
    specified(i.r3 >= i.r1 && i.r3 - i.r1 < 16)?;
    Ok((i.r3 - i.r1) as usize + 1)
}

/// VLM. VECTOR LOAD MULTIPLE, 16 registers at most.
pub(crate) fn load_multiple(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let count = range(i)?;
    let at = s.address(0, i.b2, i.d2);
    s.load_vectors(at, i.r1, count)
}

/// VSTM. VECTOR STORE MULTIPLE.
pub(crate) fn store_multiple(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let count = range(i)?;
    let at = s.address(0, i.b2, i.d2);
    s.store_vectors(at, i.r1, count)
}

/// The leftmost `count` bytes of a vector from storage, the rest zero.
pub(super) fn load_bytes(s: &mut State, at: At, count: usize) -> Result<u128, Interruption> {
    let mut v = U128::ZERO;
    s.read_bytes(at, &mut v.as_mut_bytes()[..count])?;
    Ok(v.get())
}

/// VLBB. VECTOR LOAD TO BLOCK BOUNDARY of 64 bytes to 4 KiB. What lies beyond the boundary becomes zero.
pub(crate) fn load_to_block_boundary(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    specified(i.m3 <= 6)?;
    let at = s.address(i.x2, i.b2, i.d2);
    let block = 64u64 << i.m3;
    let count = (block - at.address % block).min(16) as usize;
    let v = if count == 16 { s.load_u128(at)? } else { load_bytes(s, at, count)? };
    s.set_vr(i.r1, v);
    Ok(())
}

/// The number of bytes of VLL, VSTL, VLRLR and VSTRLR: R3 has the number of the last.
pub(super) fn length(s: &State, r3: u8) -> usize {
    (s.gr[(r3 & 15) as usize] as u32).min(15) as usize + 1
}

/// VLL. VECTOR LOAD WITH LENGTH.
pub(crate) fn load_with_length(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let at = s.address(0, i.b2, i.d2);
    let count = length(s, i.r3);
    let v = load_bytes(s, at, count)?;
    s.set_vr(i.r1, v);
    Ok(())
}

/// VSTL. VECTOR STORE WITH LENGTH.
pub(crate) fn store_with_length(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let at = s.address(0, i.b2, i.d2);
    let count = length(s, i.r3);
    let v = U128::new(s.vr(i.r1));
    s.write_bytes(at, &v.as_bytes()[..count])
}

/// VLGV. VECTOR LOAD GR FROM VR ELEMENT: the second-operand address is the element's number.
pub(crate) fn load_gr_from_element(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let v = sized!(i.m4, [0 1 2 3], {
        let n = s.address(0, i.b2, i.d2).address as usize % U::COUNT;
        element::<U>(s.vr(i.r3), n).wide() as u64
    });
    s.set_gr(W64, i.r1, v);
    Ok(())
}

/// VLVG. VECTOR LOAD VR ELEMENT FROM GR.
pub(crate) fn load_element_from_gr(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    let v = sized!(i.m4, [0 1 2 3], {
        let n = s.address(0, i.b2, i.d2).address as usize % U::COUNT;
        with_element(s.vr(i.r1), n, s.gr[(i.r3 & 15) as usize] as U)
    });
    s.set_vr(i.r1, v);
    Ok(())
}

/// The address of an element that another vector's element displaces.
fn displaced<T: Element>(s: &mut State, i: &Fields) -> At {
    let at = s.address(0, i.b2, i.d2);
    let by = element::<T>(s.vr(i.r2), i.m3 as usize).wide() as u64;
    s.further(at, by)
}

/// VGEF, VGEG. VECTOR GATHER ELEMENT.
pub(crate) fn gather<T: Element>(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    specified((i.m3 as usize) < T::COUNT)?;
    let at = displaced::<T>(s, i);
    let loaded = T::load(s, at)?;
    s.set_vr(i.r1, with_element(s.vr(i.r1), i.m3 as usize, loaded));
    Ok(())
}

/// VSCEF, VSCEG. VECTOR SCATTER ELEMENT.
pub(crate) fn scatter<T: Element>(s: &mut State, i: &Fields) -> Done {
    s.vector_allowed()?;
    specified((i.m3 as usize) < T::COUNT)?;
    let at = displaced::<T>(s, i);
    element::<T>(s.vr(i.r1), i.m3 as usize).store(s, at)
}
