//! Decimal operands: floating-point numbers, and packed digits in general and in vector registers.

use crate::random::Random;
use vectors::Registers;

/// Packed digits, `count` of them at most.
fn digits(r: &mut Random, count: u64) -> u128 {
    let some = r.below(count + 1);
    (0..some).fold(0, |all, _| all << 4 | u128::from(if r.one_in(3) { r.pick(&[0u64, 9]) } else { r.below(10) }))
}

/// The code of a sign, mostly.
fn sign(r: &mut Random) -> u128 {
    r.pick(&[0xc, 0xd, 0xf, 0xc, 0xd, 0xf, 0xa, 0xb, 0xe, 3])
}

/// A long number: a sign, a combination field, the rest of the exponent, declets.
fn long(r: &mut Random) -> u64 {
    let combination = match r.below(12) {
        0 => r.pick(&[0b11110, 0b11111]),
        1 => r.below(32),
        _ => 0b01000 | r.below(8),
    };
    // Near the exponent 0, or anywhere.
    let exponent = if r.one_in(4) { r.below(256) } else { 0x8e + r.below(24u64) - 12 };
    let rest = match r.below(4) {
        0 => 0,
        1 => r.below(1024),
        2 => r.bits() & r.bits(),
        _ => r.bits(),
    };
    (r.bits() & 1) << 63 | combination << 58 | exponent << 50 | rest & ((1 << 50) - 1)
}

/// The left half of an extended number.
fn extended(r: &mut Random) -> u64 {
    let combination = if r.one_in(10) { r.below(32) } else { 0b01000 | r.below(8) };
    let exponent = if r.one_in(4) { r.below(4096) } else { 0x800 + 0x20 + r.below(24) - 12 };
    let rest = if r.one_in(2) { 0 } else { r.bits() };
    (r.bits() & 1) << 63 | combination << 58 | exponent << 46 | rest & ((1 << 46) - 1)
}

/// Puts decimal operands into half of the registers.
pub(super) fn registers(r: &mut Random, b: &mut Registers) {
    if r.one_in(4) {
        return;
    }
    let wide = r.one_in(2);
    for n in 0..16 {
        if r.one_in(5) {
            continue;
        }
        // Of a pair the second half has declets.
        b.fpr[n] = match (wide, n & 2) {
            (true, 0) => extended(r),
            (true, _) => {
                if r.one_in(2) {
                    r.below(1024)
                } else {
                    r.bits()
                }
            }
            (false, _) if r.one_in(4) => long(r) >> 32 << 32 | r.bits() >> 32,
            (false, _) => long(r),
        };
    }
    for n in 0..8 {
        if r.one_in(2) {
            b.gr[n] = if r.one_in(2) { digits(r, 16) as u64 } else { (digits(r, 15) << 4 | sign(r)) as u64 };
        }
        if r.one_in(4) {
            b.gr[n] = r.below(800u64).wrapping_sub(3);
        }
    }
    for n in 16..32 {
        if !r.one_in(4) {
            let number = digits(r, 31) << 4 | sign(r);
            b.fpr.0[n] = [(number >> 64) as u64, number as u64];
        }
    }
    for n in 0..6 {
        if !wide && r.one_in(2) {
            let number = digits(r, 31) << 4 | sign(r);
            b.fpr.0[n] = [(number >> 64) as u64, number as u64];
        }
    }
    b.fpc |= (r.below(8) as u32) << 4;
    if r.one_in(6) {
        b.fpc |= r.bits() as u32 & 0xfc00_0000;
    }
}
