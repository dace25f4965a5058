//! Decimal digits that are converted to floating point and back: in general registers and in storage.

use crate::decimal::{condition, parts};
use crate::decnumber::Format;
use crate::machine::{AREA, Case, Expected, Registers};
use cpu::Interruption;
use support::Random;

use Format::*;
use Place::*;

/// Where digits lie that are converted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// In a general register or two, without a sign.
    Unsigned,
    /// With one.
    Signed,
    /// In storage, a digit in each byte.
    Zoned,
    /// In storage, two digits in each byte.
    Packed,
}

/// Digits of a coefficient, of one of some kinds.
pub(crate) fn some_digits(random: &mut Random, count: usize) -> String {
    let kind = random.below(5u32);
    let mut text: String = (0..count).map(|_| char::from(b'0' + random.below(10u8))).collect();
    let zeros = random.below(count as u32 + 1) as usize;
    match kind {
        // Zeros, nines, or a five and zeros on the right.
        0 => text.replace_range(count - zeros.., &"0".repeat(zeros)),
        1 => text.replace_range(count - zeros.., &"9".repeat(zeros)),
        2 if zeros > 0 => text.replace_range(count - zeros.., &format!("5{}", "0".repeat(zeros - 1))),
        3 => text.replace_range(..count - zeros, &"0".repeat(count - zeros)),
        _ => {}
    }
    text
}

/// One less than the most bytes that digits in storage have.
pub(crate) fn length(place: Place, f: Format) -> u16 {
    match (place, f) {
        (Zoned, Extended) => 33,
        (Zoned, _) => 15,
        (Packed, Extended) => 17,
        _ => 8,
    }
}

/// How many digits, and whether there is a sign.
fn room(place: Place, f: Format, l: u16, m3: u8) -> (usize, bool) {
    let bytes = usize::from(l) + 1;
    let whole = if f == Extended { 32 } else { 16 };
    match place {
        Unsigned => (whole, false),
        Signed => (whole - 1, true),
        Zoned => (bytes, m3 & 8 != 0),
        Packed => (2 * bytes - usize::from(m3 & 8 != 0), m3 & 8 != 0),
    }
}

/// Puts codes, the leftmost first, where they are converted from or to.
fn lay(registers: &mut Registers, place: Place, f: Format, codes: &[u8]) {
    let packed = |codes: &[u8]| codes.iter().fold(0u128, |all, code| all << 4 | u128::from(*code));
    match place {
        Unsigned | Signed if f == Extended => {
            let all = packed(codes);
            registers.pair = [(all >> 64) as u64, all as u64];
        }
        Unsigned | Signed => registers.gr1 = packed(codes) as u64,
        Zoned => registers.area[..codes.len()].copy_from_slice(codes),
        Packed => {
            for (byte, pair) in registers.area.iter_mut().zip(codes.chunks_exact(2)) {
                *byte = pair[0] << 4 | pair[1];
            }
        }
    }
}

/// Digits to be converted, mostly good ones.
pub(crate) fn digits_for(registers: &mut Registers, random: &mut Random, place: Place, f: Format, l: u16, m3: u8) {
    let (count, signed) = room(place, f, l, m3);
    let mut codes: Vec<u8> = some_digits(random, count).bytes().map(|digit| digit - b'0').collect();
    if place == Packed && count > f.digits() as usize && !random.one_in(8) {
        // More than there is room for.
        let more = count - f.digits() as usize;
        codes[..more].fill(0);
    }
    if random.one_in(16) {
        codes[random.below(count as u32) as usize] = 10 + random.below(6u8);
    }
    let sign = if random.one_in(16) { random.below(16u8) } else { 10 + random.below(6u8) };
    match place {
        Zoned => {
            for code in &mut codes {
                *code |= random.byte() & 0xf0;
            }
            if let (true, Some(last)) = (signed, codes.last_mut()) {
                *last = sign << 4 | *last & 15;
            }
        }
        _ if signed => codes.push(sign),
        _ => {}
    }
    lay(registers, place, f, &codes);
    registers.gr4 = registers.gr1;
}

/// Where digits that are converted from lie, taken apart again.
pub(crate) fn from_digits(before: &Registers, place: Place, f: Format, case: &Case) -> Expected {
    let (count, signed) = room(place, f, case.mask, case.m3);
    let nibbles = |bytes: &[u8]| -> Vec<u8> { bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).collect() };
    let bytes = usize::from(case.mask) + 1;
    let mut sign = None;
    let mut codes = match place {
        Unsigned | Signed if f == Extended => {
            nibbles(&[before.pair[0].to_be_bytes(), before.pair[1].to_be_bytes()].concat())
        }
        Unsigned | Signed => nibbles(&before.gr4.to_be_bytes()),
        Packed => nibbles(&before.area[..bytes]),
        Zoned => {
            sign = Some(before.area[bytes - 1] >> 4);
            before.area[..bytes].iter().map(|byte| byte & 15).collect()
        }
    };
    if signed && place != Zoned {
        sign = codes.pop();
    }
    assert_eq!(codes.len(), count);
    let sign = sign.filter(|_| signed);
    let lost = count.saturating_sub(f.digits() as usize);
    let bad = codes.iter().any(|&code| code > 9)
        || sign.is_some_and(|sign| sign < 10)
        || codes[..lost].iter().any(|&code| code != 0);
    if bad {
        return (*before, Err(Interruption::Data(0)));
    }
    let text: String = codes[lost..].iter().map(|code| char::from(b'0' + code)).collect();
    let minus = if matches!(sign, Some(0xb | 0xd)) { "-" } else { "" };
    let mut after = *before;
    after.put(f.size(), 0, f.written(&format!("{minus}{text}")));
    (after, Ok(()))
}

pub(crate) fn to_digits(before: &Registers, place: Place, f: Format, case: &Case) -> Expected {
    let in_storage = matches!(place, Zoned | Packed);
    let bits = before.get(f.size(), usize::from(!in_storage));
    let (negative, kind, all) = parts(f, bits);
    let (count, signed) = room(place, f, case.mask, case.m3);
    let padded = format!("{all:0>count$}");
    let (lost, kept) = padded.split_at(padded.len() - count);
    let zero = kept.bytes().all(|digit| digit == b'0');
    let plus_of_ones = if in_storage { case.m3 & 2 } else { case.m4 & 1 } != 0;
    let minus = negative && !(in_storage && zero && case.m3 & 1 != 0);
    let sign = match minus {
        true => 0xd,
        false if plus_of_ones => 0xf,
        false => 0xc,
    };
    let mut codes: Vec<u8> = kept.bytes().map(|digit| digit - b'0').collect();
    if place == Zoned {
        let zone = if case.m3 & 4 != 0 { 0x30 } else { 0xf0 };
        codes.iter_mut().for_each(|code| *code |= zone);
        if let (true, Some(last)) = (signed, codes.last_mut()) {
            *last = sign << 4 | *last & 15;
        }
    } else if signed {
        codes.push(sign);
    }
    let mut after = *before;
    lay(&mut after, place, f, &codes);
    if in_storage {
        let partial = lost.bytes().any(|digit| digit != b'0');
        after.cc = match kind.is_some() || partial {
            true => 3,
            false => condition(&f.number(bits)),
        };
    }
    (after, Ok(()))
}

/// The longest operand fits.
const _: () = assert!(AREA >= 34);
