//! The trace table in real storage, where control register 12 has the CPU note branches, changes of the addressing mode
//! and of address spaces, and what TRACE says (POP, chapter 4, "Tracing").

use crate::state::control::cr12;
use crate::state::{Access, Architecture, Interruption, State, local};
use arch::{Absolute, PAGE, PAGE_MASK, Program};
use storage::key;

/// What is traced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Traced {
    /// Branches that leave a link.
    Branches,
    /// Changes to and from the 64-bit addressing mode.
    Modes,
    /// Changes of address spaces.
    Spaces,
    /// TRACE.
    Explicit,
}

/// The place of an entry that can be made.
#[derive(Clone, Copy, Debug)]
pub struct TraceSlot {
    at: Absolute,
    real: u64,
}

impl State {
    /// Whether control register 12 asks for it.
    pub fn traces(&self, what: Traced) -> bool {
        let z = self.architecture() == Architecture::Z;
        let bit = match what {
            Traced::Branches if z => cr12::BRANCHES,
            Traced::Branches => cr12::BRANCHES_ESA,
            Traced::Modes if z => cr12::MODES,
            Traced::Modes => 0,
            Traced::Spaces => cr12::SPACES,
            Traced::Explicit => cr12::EXPLICIT,
        };
        self.cr[12] & bit != 0
    }

    /// To be called after control register 12 changed: each instruction is looked at while branches are traced.
    pub(crate) fn trace_changed(&mut self) {
        let on = self.traces(Traced::Branches) || self.traces(Traced::Modes);
        self.local = self.local & !local::TRACE | if on { local::TRACE } else { 0 };
    }

    /// The bits of control register 12 that are the address of the next entry.
    fn trace_address_bits(&self) -> u64 {
        if self.architecture() == Architecture::Z { 0x3fff_ffff_ffff_fffc } else { 0x7fff_fffc }
    }

    /// The place of the next entry, of `length` bytes at most: it must not reach the end of its page. Nothing is stored
    /// yet.
    pub fn trace_slot(&mut self, length: u64) -> Result<TraceSlot, Interruption> {
        let real = self.cr[12] & self.trace_address_bits();
        let at = self.real(real, Access::Store)?;
        if real % PAGE + length >= PAGE {
            return Err(Program::TraceTable.into());
        }
        Ok(TraceSlot { at, real })
    }

    /// Makes an entry. The next one comes after it.
    pub fn trace(&mut self, slot: TraceSlot, entry: &[u8]) {
        self.store_at(slot.at, entry);
        let bits = self.trace_address_bits();
        self.cr[12] = self.cr[12] & !bits | (slot.real + entry.len() as u64) & bits;
    }

    /// Stores at a place that [`State::real`] gave, in one page.
    pub fn store_at(&mut self, at: Absolute, bytes: &[u8]) {
        self.watch_frame(at.0 & PAGE_MASK);
        self.storage().mark_key(at, key::REFERENCE | key::CHANGE);
        self.note_code(at, bytes.len());
        self.storage().store(at, bytes).expect("the frame exists");
    }
}
