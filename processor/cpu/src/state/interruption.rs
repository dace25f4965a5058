//! Why an instruction was left early.

use arch::Program;

/// Why an instruction body was left before its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interruption {
    /// A program interruption. What goes beside the code (translation-exception identification and the like) is in
    /// the `State`.
    Program(Program),
    /// A data exception with its data-exception code.
    Data(u8),
    /// A vector-processing exception with its vector-exception code.
    Vector(u8),
    /// The PSW just loaded is not valid: specification exception, recognised early, instruction length 0.
    EarlySpecification,
    /// The instruction is not the CPU's to perform: `State::intercepted` says what it is. It counts as completed.
    Intercept,
    /// The CPU is interpreted, and its host lacks a frame of its storage: nothing has changed, and the instruction is
    /// executed again when the host has one. What the host is to know is in `State::interpretation`.
    Host,
}

impl Interruption {
    /// Whether the instruction is to be executed again from its beginning.
    pub fn nullifies(self) -> bool {
        match self {
            Interruption::Program(code) => code.nullifies(),
            Interruption::Host => true,
            _ => false,
        }
    }
}

impl From<Program> for Interruption {
    fn from(p: Program) -> Interruption {
        Interruption::Program(p)
    }
}

/// A program-event-recording event that has not yet interrupted (POP, chapter 4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PerEvent {
    /// Bits as in the PER code's first byte.
    pub code: u8,
    /// See [`crate::State::per_atmid`].
    pub atmid: u8,
    /// The instruction's address.
    pub address: u64,
}
