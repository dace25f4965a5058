//! From instruction text to a row of the table.

use crate::fields::{Fields, Format};
use crate::form::{Form, Shape};
use crate::outcome::Outcome;
use crate::table;
use crate::threaded::Handler;
use cpu::{Architecture, Facilities};
use std::sync::OnceLock;

const _: () = assert!(size_of::<Instruction>() == 64);

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

/// One row of the instruction table: a line of the host's caches.
#[repr(align(64))]
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
    /// What an engine that makes host code of it may know.
    pub shape: &'static Shape,
}

impl Instruction {
    /// How far from its own address it branches, where its text says so and nothing else.
    pub fn distance(&self, fields: &Fields) -> Option<i64> {
        use Format::*;
        let relative = matches!(self.format, RIb | RIc | RIEb | RIEc | RIEe | RILb | RILc | RSI);
        let executes = matches!(self.shape.form, Form::Execute { .. });
        (relative && !executes && self.ends != Ends::No).then_some(fields.imm)
    }

    /// Whether these fields make it a branch that looks at the condition code, and is taken at some codes only.
    pub fn looks_at_code(&self, fields: &Fields) -> bool {
        matches!(self.shape.form, Form::BranchOnCondition(_)) && !matches!(fields.r1, 0 | 15)
    }

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
