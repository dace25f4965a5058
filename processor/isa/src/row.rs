//! One row of the instruction table: what it says of an instruction.

use crate::fields::{Fields, Format};
use crate::form::{Form, Shape};
use crate::outcome::Outcome;
use crate::threaded::Handler;
use cpu::Architecture;

const _: () = assert!(size_of::<Instruction>() == 64);

/// Which architectures have an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Architectures(u8);

impl Architectures {
    /// System/370 alone.
    pub const S370: Architectures = Architectures(1);
    /// ESA/390 alone.
    pub const ESA: Architectures = Architectures(2);
    /// z/Architecture alone.
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
    /// The mnemonic of the assembler language, in capitals.
    pub mnemonic: &'static str,
    /// Where its fields lie.
    pub format: Format,
    /// Which architectures have it.
    pub architectures: Architectures,
    /// The facility bit it comes with; `None` for what every CPU of the architecture has.
    pub facility: Option<u8>,
    /// `None` if it is not built: it ends in an operation exception.
    pub run: Option<Handler>,
    /// Whether a block ends with it.
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

    /// Whether its second operand is in storage, at an address with an index.
    pub fn indexes(&self) -> bool {
        matches!(self.format, Format::RXa | Format::RXE | Format::RXF | Format::RXYa)
    }

    /// Whether these fields make it a branch that looks at the condition code, and is taken at some codes only.
    pub fn looks_at_code(&self, fields: &Fields) -> bool {
        matches!(self.shape.form, Form::BranchOnCondition(_)) && !matches!(fields.r1, 0 | 15)
    }
}

/// Whether a block of decoded instructions ends after one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ends {
    /// It does not.
    No,
    /// A branch on a condition: what follows it may be executed next.
    IfTaken,
    /// It branches, or changes what the next instruction means or whether it may be interrupted.
    Always,
}
