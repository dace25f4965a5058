//! ROTATE THEN ... SELECTED BITS: the range of bits and the amount are in the instruction's text, so the masks are
//! known when it is decoded.

use crate::prelude::*;

/// Ones from bit `first` to bit `last` of 64, around the end if `last` is before `first`.
fn range(first: u8, last: u8) -> u64 {
    let (from, to) = (u64::MAX >> first, u64::MAX << (63 - last));
    if first <= last { from & to } else { from | to }
}

/// R2 rotated left, as far as the bits of `mask` are concerned: where they are the right half's, nothing depends on the
/// left one, which a translator may have elsewhere.
fn rotated<C: Cpu>(cpu: &mut C, i: &Fields, mask: u64) -> C::Word {
    let amount = i.i5 & 63;
    let width = if mask.rotate_right(amount.into()) >> 32 == 0 { W32 } else { W64 };
    let (v, n) = (cpu.gr(width, i.r2), cpu.imm(amount.into()));
    if amount == 0 { v } else { cpu.rotate_left(W64, v, n) }
}

/// The bits of `mask` from `new`, the others from R1 or zero.
fn inserted<C: Cpu>(cpu: &mut C, i: &Fields, new: C::Word, mask: u64, zero: bool) -> C::Word {
    let (inside, outside) = (cpu.imm(mask), cpu.imm(!mask));
    let new = cpu.and(new, inside);
    if zero {
        return new;
    }
    let old = cpu.gr(W64, i.r1);
    let old = cpu.and(old, outside);
    cpu.or(old, new)
}

/// All of what RISBG sets, where that is a shift: whatever is not selected is zero, and what is goes to an end of the
/// register.
fn shifted<C: Cpu>(cpu: &mut C, i: &Fields, mask: u64) -> Option<C::Word> {
    let amount = u32::from(i.i5 & 63);
    let source = mask.rotate_right(amount);
    let by = |cpu: &mut C, n: u32| cpu.imm(n.into());
    if i.i4() & 0x80 == 0 || amount == 0 {
        None
    } else if source == u64::from(u32::MAX) && amount <= 32 {
        let (v, word, n) = (cpu.gr(W32, i.r2), cpu.imm(source), by(cpu, amount));
        let v = cpu.and(v, word);
        Some(cpu.shift_left(W64, v, n))
    } else if mask == u64::MAX << amount {
        let (v, n) = (cpu.gr(W64, i.r2), by(cpu, amount));
        Some(cpu.shift_left(W64, v, n))
    } else if mask == u64::MAX >> (64 - amount) {
        let (v, n) = (cpu.gr(W64, i.r2), by(cpu, 64 - amount));
        Some(cpu.shift_right(W64, v, n))
    } else if amount > 32 && mask == u64::from(u32::MAX >> (64 - amount)) {
        let (v, n) = (cpu.gr(W32, i.r2), by(cpu, 64 - amount));
        Some(cpu.shift_right(W32, v, n))
    } else {
        None
    }
}

/// What RISBG sets R1 to.
fn selected<C: Cpu>(cpu: &mut C, i: &Fields, mask: u64) -> C::Word {
    if let Some(value) = shifted(cpu, i, mask) {
        return value;
    }
    let new = rotated(cpu, i, mask);
    inserted(cpu, i, new, mask, i.i4() & 0x80 != 0)
}

/// RISBG. CC of the whole result: 0 zero, 1 negative, 2 positive.
pub(crate) fn rotate_then_insert<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let mask = range(i.i3 & 63, i.i4() & 63);
    let value = selected(cpu, i, mask);
    cpu.set_cc(Cc::Sign { width: W64, value });
    cpu.set_gr(W64, i.r1, value);
    Ok(())
}

/// RISBGN: RISBG without a condition code.
pub(crate) fn rotate_then_insert_no_cc<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let mask = range(i.i3 & 63, i.i4() & 63);
    let value = selected(cpu, i, mask);
    cpu.set_gr(W64, i.r1, value);
    Ok(())
}

/// RISBHG: into bits 0-31 only.
pub(crate) fn rotate_then_insert_high<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let mask = range(i.i3 & 31, i.i4() & 31) & 0xffff_ffff_0000_0000;
    rotate_then_insert_half(cpu, i, mask, 0xffff_ffff_0000_0000)
}

/// RISBLG: into bits 32-63 only.
pub(crate) fn rotate_then_insert_low<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let mask = range(i.i3 & 31 | 32, i.i4() & 31 | 32) & 0xffff_ffff;
    rotate_then_insert_half(cpu, i, mask, 0xffff_ffff)
}

fn rotate_then_insert_half<C: Cpu>(cpu: &mut C, i: &Fields, mask: u64, half: u64) -> Step<C> {
    let new = rotated(cpu, i, mask);
    let inside = cpu.imm(mask);
    let new = cpu.and(new, inside);
    let keep = cpu.imm(if i.i4() & 0x80 != 0 { !half } else { !mask });
    let old = cpu.gr(W64, i.r1);
    let old = cpu.and(old, keep);
    let value = cpu.or(old, new);
    cpu.set_gr(W64, i.r1, value);
    Ok(())
}

macro_rules! boolean {
    ($(#[$doc:meta] $name:ident $op:ident $outside:expr;)*) => { $(
        #[$doc]
        pub(crate) fn $name<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
            let mask = range(i.i3 & 63, i.i4() & 63);
            let new = rotated(cpu, i, mask);
            let old = cpu.gr(W64, i.r1);
            // Bits that are not selected meet the neutral element.
            let inside = cpu.imm(mask);
            let new = cpu.and(new, inside);
            let neutral = cpu.imm($outside(mask));
            let new = cpu.or(new, neutral);
            let result = cpu.$op(old, new);
            let value = cpu.and(result, inside);
            cpu.set_cc(Cc::Zero { width: W64, value });
            if i.i3 & 0x80 == 0 {
                cpu.set_gr(W64, i.r1, result);
            }
            Ok(())
        }
    )* };
}

boolean! {
    /// RNSBG. CC of the selected bits: 0 zero, 1 not zero. With bit 0 of I3 on, only the condition code is set.
    rotate_then_and and |mask: u64| !mask;
    /// ROSBG. CC as RNSBG.
    rotate_then_or or |_: u64| 0;
    /// RXSBG. CC as RNSBG.
    rotate_then_exclusive_or xor |_: u64| 0;
}

#[cfg(test)]
mod tests {
    use super::range;

    #[test]
    fn ranges_of_bits_may_wrap() {
        assert_eq!(range(0, 63), u64::MAX);
        assert_eq!(range(48, 63), 0xffff);
        assert_eq!(range(63, 0), 0x8000_0000_0000_0001);
        assert_eq!(range(32, 31), u64::MAX);
    }
}
