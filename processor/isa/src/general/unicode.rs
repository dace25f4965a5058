//! Conversions among UTF-8, UTF-16 and UTF-32: CU12, CU14, CU21, CU24, CU41, CU42.

use super::registers::Operand;
use crate::prelude::*;
use base::layout::{U16, U32};
use zerocopy::FromBytes;

/// How characters are encoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Utf8,
    Utf16,
    Utf32,
}

/// What came of looking at the beginning of some text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Character {
    /// A character and the number of its bytes.
    Is(u32, usize),
    /// It takes more bytes than there are.
    Short,
    Invalid,
}

impl Form {
    /// The character that `text` begins with. `check` asks for well-formedness in all that the instructions leave
    /// unchecked otherwise.
    fn decode(self, text: &[u8], check: bool) -> Character {
        use Character::*;
        match self {
            Form::Utf8 => decode_utf8(text, check),
            Form::Utf16 => {
                let Ok((first, rest)) = U16::read_from_prefix(text) else { return Short };
                let first = u32::from(first.get());
                match first {
                    0xd800..=0xdbff => {
                        let Ok((second, _)) = U16::read_from_prefix(rest) else { return Short };
                        let second = u32::from(second.get());
                        if check && second >> 10 != 0x37 {
                            return Invalid;
                        }
                        Is(((first & 0x3ff) << 10 | second & 0x3ff) + 0x1_0000, 4)
                    }
                    0xdc00..=0xdfff if check => Invalid,
                    _ => Is(first, 2),
                }
            }
            Form::Utf32 => match U32::read_from_prefix(text).map(|(c, _)| c.get()) {
                Err(_) => Short,
                Ok(0xd800..=0xdbff | 0x11_0000..) => Invalid,
                Ok(0xdc00..=0xdfff) if check => Invalid,
                Ok(c) => Is(c, 4),
            },
        }
    }

    /// The bytes of `c`, and how many they are.
    fn encode(self, c: u32) -> ([u8; 4], usize) {
        let six = |shift: u32| 0x80 | (c >> shift & 0x3f) as u8;
        match self {
            Form::Utf8 => match c {
                ..0x80 => ([c as u8, 0, 0, 0], 1),
                0x80..0x800 => ([0xc0 | (c >> 6) as u8, six(0), 0, 0], 2),
                0x800..0x1_0000 => ([0xe0 | (c >> 12) as u8, six(6), six(0), 0], 3),
                _ => ([0xf0 | (c >> 18 & 7) as u8, six(12), six(6), six(0)], 4),
            },
            Form::Utf16 => match c {
                ..0x1_0000 => ([(c >> 8) as u8, c as u8, 0, 0], 2),
                _ => {
                    // Characters beyond the last plane lose their high bits, as POP's picture of the bits has it.
                    let v = c.wrapping_sub(0x1_0000) & 0xf_ffff;
                    let (high, low) = (0xd800 | v >> 10, 0xdc00 | v & 0x3ff);
                    (U32::new(high << 16 | low).to_bytes(), 4)
                }
            },
            Form::Utf32 => (U32::new(c).to_bytes(), 4),
        }
    }
}

fn decode_utf8(text: &[u8], check: bool) -> Character {
    use Character::*;
    let Some(&first) = text.first() else { return Short };
    let size = match first {
        0x00..=0x7f => return Is(first as u32, 1),
        0x80..=0xbf | 0xf8.. => return Invalid,
        0xc0 | 0xc1 | 0xf5..=0xf7 if check => return Invalid,
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf7 => 4,
    };
    let Some(rest) = text.get(1..size) else { return Short };
    if check {
        let second = match first {
            0xe0 => 0xa0..=0xbf,
            0xed => 0x80..=0x9f,
            0xf0 => 0x90..=0xbf,
            0xf4 => 0x80..=0x8f,
            _ => 0x80..=0xbf,
        };
        if !second.contains(&rest[0]) || rest[1..].iter().any(|byte| byte >> 6 != 2) {
            return Invalid;
        }
    }
    let lead = first as u32 & (0x7f >> size);
    Is(rest.iter().fold(lead, |c, &byte| c << 6 | byte as u32 & 0x3f), size)
}

/// CU12 (CUTFU).
pub(crate) fn convert_utf8_to_utf16(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    convert(s, i, Form::Utf8, Form::Utf16, i.m3 & 1 != 0)
}

/// CU14.
pub(crate) fn convert_utf8_to_utf32(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    convert(s, i, Form::Utf8, Form::Utf32, i.m3 & 1 != 0)
}

/// CU21 (CUUTF).
pub(crate) fn convert_utf16_to_utf8(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    convert(s, i, Form::Utf16, Form::Utf8, i.m3 & 1 != 0)
}

/// CU24.
pub(crate) fn convert_utf16_to_utf32(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    convert(s, i, Form::Utf16, Form::Utf32, i.m3 & 1 != 0)
}

/// CU41.
pub(crate) fn convert_utf32_to_utf8(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    convert(s, i, Form::Utf32, Form::Utf8, false)
}

/// CU42.
pub(crate) fn convert_utf32_to_utf16(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    convert(s, i, Form::Utf32, Form::Utf16, false)
}

/// CC: 0 the second operand is used up (or ends in part of a character), 1 there is no room in the first operand,
/// 2 not a character, 3 not yet at the end.
fn convert(s: &mut State, i: &Fields, from_form: Form, to_form: Form, check: bool) -> Result<(), Interruption> {
    const CHUNK: usize = 256;
    let mut to = Operand::of(s, i.r1)?;
    let mut from = Operand::of(s, i.r2)?;
    for _ in 0..16 {
        let mut text = [0; CHUNK];
        let max = from.length.min(CHUNK as u64) as usize;
        let mut n = s.read_within_page(from.at, &mut text[..max])?;
        if n < max && from_form.decode(&text[..n], check) == Character::Short {
            // A character across two pages.
            n = max.min(4);
            s.read_bytes(from.at, &mut text[..n])?;
        }
        let (mut used, mut made) = (0, 0);
        let mut out = [0; 4 * CHUNK];
        let end = loop {
            match from_form.decode(&text[used..n], check) {
                Character::Short if n as u64 == from.length => break Some(0),
                Character::Short => break None,
                Character::Invalid => break Some(2),
                Character::Is(c, size) => {
                    let (bytes, len) = to_form.encode(c);
                    if (made + len) as u64 > to.length {
                        break Some(1);
                    }
                    out[made..made + len].copy_from_slice(&bytes[..len]);
                    used += size;
                    made += len;
                }
            }
        };
        if made > 0 {
            s.write_bytes(to.at, &out[..made])?;
        }
        to.pass(s, made as u64);
        from.pass(s, used as u64);
        from.save(s);
        to.save(s);
        if let Some(cc) = end {
            s.cc = cc;
            return Ok(());
        }
    }
    s.cc = 3;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_survives_every_form() {
        for c in (0..0x11_0000u32).filter_map(char::from_u32) {
            for form in [Form::Utf8, Form::Utf16, Form::Utf32] {
                let (bytes, n) = form.encode(c as u32);
                assert_eq!(form.decode(&bytes[..n], true), Character::Is(c as u32, n), "{c:?} {form:?}");
                assert_eq!(form.decode(&bytes[..n - 1], true), Character::Short, "{c:?} {form:?}");
            }
        }
    }

    #[test]
    fn well_formedness_is_checked_when_asked_for() {
        let utf8 = |bytes: &[u8], check| Form::Utf8.decode(bytes, check);
        assert_eq!(utf8(&[0xc0, 0x80], false), Character::Is(0, 2));
        assert_eq!(utf8(&[0xc0, 0x80], true), Character::Invalid);
        assert_eq!(utf8(&[0xed, 0xa0, 0x80], true), Character::Invalid);
        assert_eq!(utf8(&[0xf4, 0x90, 0x80, 0x80], true), Character::Invalid);
        assert_eq!(utf8(&[0x80], false), Character::Invalid);
        assert_eq!(Form::Utf16.decode(&[0xdc, 0x00], false), Character::Is(0xdc00, 2));
        assert_eq!(Form::Utf16.decode(&[0xdc, 0x00], true), Character::Invalid);
    }
}
