//! From instruction text to a row of the table.

use crate::row::Instruction;
use crate::table;
use cpu::{Architecture, Facilities};
use std::sync::OnceLock;

/// Where the rest of an operation code lies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extension {
    None,
    SecondByte,
    SecondNibble,
    LastByte,
}

fn extension(first: u8) -> Extension {
    match first {
        0x01 | 0x9c..=0x9f | 0xb2 | 0xb3 | 0xb9 | 0xe5 => Extension::SecondByte,
        0xa5 | 0xa7 | 0xc0 | 0xc2 | 0xc4 | 0xc6 | 0xc8 | 0xcc => Extension::SecondNibble,
        0xe3 | 0xe6 | 0xe7 | 0xeb | 0xec | 0xed => Extension::LastByte,
        _ => Extension::None,
    }
}

/// All rows, in the order of the table files.
pub fn instructions() -> impl Iterator<Item = &'static Instruction> {
    table::ALL.iter().flat_map(|rows| rows.iter())
}

impl Instruction {
    /// Its number among all rows, in the order of the table files: for tables of what belongs to each.
    pub fn number(&self) -> usize {
        let mut before = 0;
        for rows in table::ALL {
            let from = rows.as_ptr().addr();
            let distance = std::ptr::from_ref(self).addr().wrapping_sub(from);
            if distance < size_of_val(*rows) {
                return before + distance / size_of::<Instruction>();
            }
            before += rows.len();
        }
        unreachable!("every instruction is a row of the table")
    }
}

/// Where the rows of a first byte are, and which byte of the text, and what of that, is the rest of their operation
/// codes.
#[derive(Clone, Copy, Default)]
struct First {
    rows: u16,
    byte: u8,
    mask: u8,
}

/// Rows by first byte and extension; one index for each architecture. It is small, so that the host's caches keep it.
struct Index {
    firsts: [First; 256],
    rows: Vec<Option<&'static Instruction>>,
}

impl Index {
    fn of(architecture: Architecture) -> Index {
        let mut index = Index { firsts: [First::default(); 256], rows: Vec::new() };
        for (first, entry) in (0..=255).zip(&mut index.firsts) {
            let (byte, mask) = match extension(first) {
                Extension::None => (0, 0),
                Extension::SecondByte => (1, 0xff),
                Extension::SecondNibble => (1, 15),
                Extension::LastByte => (5, 0xff),
            };
            *entry = First { rows: index.rows.len() as u16, byte, mask };
            index.rows.resize(index.rows.len() + mask as usize + 1, None);
        }
        for row in instructions().filter(|row| row.architectures.include(architecture)) {
            let (first, extension) = parts_of(row.code);
            let place = &mut index.rows[index.firsts[first].rows as usize + extension];
            assert!(place.is_none(), "{} has the operation code of another instruction", row.mnemonic);
            *place = Some(row);
        }
        index
    }

    fn find(&self, text: [u8; 6]) -> Option<&'static Instruction> {
        let First { rows, byte, mask } = self.firsts[text[0] as usize];
        self.rows[rows as usize + (text[byte as usize] & mask) as usize]
    }
}

fn index(architecture: Architecture) -> &'static Index {
    static INDEX: [OnceLock<Index>; 3] = [const { OnceLock::new() }; 3];
    INDEX[architecture as usize].get_or_init(|| Index::of(architecture))
}

/// The first byte and the extension of an operation code as the table writes it.
fn parts_of(code: u16) -> (usize, usize) {
    let code = code as usize;
    match code {
        ..=0xff if extension(code as u8) == Extension::None => (code, 0),
        0xa50..=0xfff => (code >> 4, code & 15),
        _ => (code >> 8, code & 0xff),
    }
}

/// The instruction that `text` begins with, if the architecture has it and its facility is installed.
pub fn decode(text: [u8; 6], architecture: Architecture, facilities: &Facilities) -> Option<&'static Instruction> {
    let row = index(architecture).find(text)?;
    row.facility.is_none_or(|f| facilities.has(f as u32)).then_some(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_rows_share_a_code() {
        for architecture in [Architecture::S370, Architecture::Esa, Architecture::Z] {
            index(architecture);
        }
    }

    #[test]
    fn rows_are_numbered_in_their_order() {
        assert!(instructions().enumerate().all(|(n, row)| row.number() == n));
    }

    #[test]
    fn codes_of_every_shape_are_found() {
        let all = Facilities([u64::MAX; 4]);
        let name = |text| decode(text, Architecture::Z, &all).map(|row| row.mnemonic);
        assert_eq!(name([0x1e, 0x12, 0, 0, 0, 0]), Some("ALR"));
        assert_eq!(name([0xb9, 0x0a, 0, 0x12, 0, 0]), Some("ALGR"));
        assert_eq!(name([0xa7, 0xf4, 0, 0, 0, 0]), Some("BRC"));
        assert_eq!(name([0xe3, 0x10, 0, 0, 0, 0x04]), Some("LG"));
        assert_eq!(name([0xc0, 0x10, 0, 0, 0, 0]), Some("LARL"));
        assert_eq!(name([0xff; 6]), None);
        assert_eq!(name([0; 6]), None);
    }
}
