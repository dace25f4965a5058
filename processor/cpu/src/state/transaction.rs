//! A transaction under way, how one begins and how it fails (POP, chapter 5, "Transactional-execution facility").

use super::operand::At;
use arch::{Absolute, Program};

/// Abort codes (POP, chapter 5, "Transaction abort codes").
pub mod abort {
    /// An external interruption.
    pub const EXTERNAL: u64 = 2;
    /// A program interruption that was not filtered.
    pub const PROGRAM: u64 = 4;
    /// A machine check.
    pub const MACHINE_CHECK: u64 = 5;
    /// An I/O interruption.
    pub const IO: u64 = 6;
    /// More stores than the CPU keeps.
    pub const STORE_OVERFLOW: u64 = 8;
    /// Another CPU stored into what was fetched.
    pub const FETCH_CONFLICT: u64 = 9;
    /// An instruction that a transaction may not have.
    pub const RESTRICTED: u64 = 11;
    /// A program-interruption condition that was filtered.
    pub const FILTERED: u64 = 12;
    /// More transactions within one another than [`DEPTH`].
    pub const NESTING: u64 = 13;
    /// What the CPU does not say more about.
    pub const MISCELLANEOUS: u64 = 255;
}

/// How deep transactions nest.
pub const DEPTH: u16 = 15;

/// A transaction under way.
pub struct Transaction {
    /// How deep it nests: 1 for the outermost alone.
    pub depth: u16,
    /// TBEGINC began it.
    pub constrained: bool,
    /// Which pairs of general registers an abort restores, and what they were.
    pub(crate) save: u8,
    pub(crate) gr: [u64; 16],
    /// Where the diagnostic block goes.
    pub(crate) block: Option<At>,
    /// Where execution goes on after an abort.
    pub(crate) resume: u64,
    /// The highest program-interruption-filtering control of all levels.
    pub filtering: u8,
    /// Whether access registers may be changed, whether floating point may be used: at every level.
    pub access_registers: bool,
    /// Whether floating-point registers and the FPC register may be used, at every level.
    pub floating_point: bool,
    /// Instructions executed.
    pub instructions: u32,
    /// Stores that an abort does not undo.
    pub(crate) kept: Vec<(Absolute, u64)>,
}

/// What TBEGIN or TBEGINC asks for.
#[derive(Clone, Copy, Debug)]
pub struct Beginning {
    /// It is TBEGINC.
    pub constrained: bool,
    /// Which pairs of general registers an abort restores: bit 0 is registers 0 and 1.
    pub save: u8,
    /// Where the diagnostic block goes, if one is wanted.
    pub block: Option<At>,
    /// Where execution goes on after an abort.
    pub resume: u64,
    /// The program-interruption-filtering control, 0 to 2.
    pub filtering: u8,
    /// Access registers may be changed.
    pub access_registers: bool,
    /// Floating-point instructions may be used.
    pub floating_point: bool,
}

/// How a transaction failed, for its diagnostic block.
#[derive(Clone, Copy, Debug, Default)]
pub struct Diagnosis {
    /// Why: one of [`abort`], or what TABORT gave.
    pub code: u64,
    /// The condition code that execution goes on with.
    pub cc: u8,
    /// Address of the instruction.
    pub instruction: u64,
    /// Instruction-length code and program-interruption code, when that is the reason; and a data-exception code.
    pub program: u32,
    /// The data-exception code, 0 if that was not the reason.
    pub dxc: u8,
}

/// Whether a program-interruption condition in a transaction is filtered, and the condition code of the abort.
pub fn filtered(program: Program, filtering: u8) -> (bool, u8) {
    use Program::*;
    match program {
        // Conditions of data and arithmetic.
        Data | VectorProcessing | FixedPointOverflow | FixedPointDivide | DecimalOverflow | DecimalDivide
        | HfpExponentOverflow | HfpExponentUnderflow | HfpSignificance | HfpDivide | HfpSquareRoot => {
            (filtering >= 1, 3)
        }
        // Conditions of access.
        Protection
        | Addressing
        | SegmentTranslation
        | PageTranslation
        | AsceType
        | RegionFirstTranslation
        | RegionSecondTranslation
        | RegionThirdTranslation
        | AletSpecification
        | AlenTranslation
        | AleSequence
        | AsteValidity
        | AsteSequence
        | ExtendedAuthority => (filtering >= 2, 2),
        _ => (false, 3),
    }
}
