//! From instruction text to a row of the table.

use crate::fields::Format;
use crate::outcome::Outcome;
use crate::table;
use crate::threaded::Handler;
use cpu::{Architecture, Facilities};
use std::sync::OnceLock;

/// Which architectures have an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Architectures(u8);

impl Architectures {
    pub const S370: Architectures = Architectures(1);
    pub const ESA: Architectures = Architectures(2);
    pub const Z: Architectures = Architectures(4);
    /// System/370 and everything since.
    pub const ALL: Architectures = Architectures(7);
    /// ESA/390 and z/Architecture.
    pub const ESAZ: Architectures = Architectures(6);
    /// Gone in z/Architecture.
    pub const OLD: Architectures = Architectures(3);

    /// Whether `architecture` is one of them.
    pub fn include(self, architecture: Architecture) -> bool {
        self.0 >> architecture as u8 & 1 == 1
    }
}

/// One row of the instruction table.
pub struct Instruction {
    /// First byte; or first byte and extension (second byte, low nibble of the second byte, or sixth byte) as
    /// the manual writes it: `1E`, `B90A`, `A74`, `E304`.
    pub code: u16,
    pub mnemonic: &'static str,
    pub format: Format,
    pub architectures: Architectures,
    /// The facility bit it comes with; `None` for what every CPU of the architecture has.
    pub facility: Option<u8>,
    /// `None` if it is not built: it ends in an operation exception.
    pub run: Option<Handler>,
    pub ends: Ends,
    /// The condition codes it can set and the exceptions it can raise.
    pub outcome: Outcome,
}

/// Whether a block of decoded instructions ends behind one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ends {
    No,
    /// A branch on a condition: what stands behind it may be executed next.
    IfTaken,
    /// It branches, or changes what the next instruction means or whether it may be interrupted.
    Always,
}

/// The length of an instruction in bytes, by its first byte (POP, chapter 5, "Instruction length").
pub const fn length(first: u8) -> u8 {
    match first >> 6 {
        0 => 2,
        3 => 6,
        _ => 4,
    }
}

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

/// Rows by first byte and extension; one index for each architecture.
type Index = Vec<Option<&'static Instruction>>;

fn index(architecture: Architecture) -> &'static Index {
    static INDEX: [OnceLock<Index>; 3] = [const { OnceLock::new() }; 3];
    INDEX[architecture as usize].get_or_init(|| {
        let mut index: Index = vec![None; 0x1_0000];
        for row in instructions().filter(|row| row.architectures.include(architecture)) {
            let place = place_of(row.code);
            assert!(index[place].is_none(), "{} has the operation code of another instruction", row.mnemonic);
            index[place] = Some(row);
        }
        index
    })
}

/// The place in the index of an operation code as the table writes it.
fn place_of(code: u16) -> usize {
    match code {
        ..=0xff if extension(code as u8) == Extension::None => (code as usize) << 8,
        0x100..=0x1ff => code as usize,
        0xa50..=0xfff => (code as usize >> 4) << 8 | code as usize & 15,
        _ => code as usize,
    }
}

/// The instruction that `text` begins with, if the architecture has it and its facility is installed.
pub fn decode(text: [u8; 6], architecture: Architecture, facilities: &Facilities) -> Option<&'static Instruction> {
    let ext = match extension(text[0]) {
        Extension::None => 0,
        Extension::SecondByte => text[1],
        Extension::SecondNibble => text[1] & 15,
        Extension::LastByte => text[5],
    };
    let row = index(architecture)[(text[0] as usize) << 8 | ext as usize]?;
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
