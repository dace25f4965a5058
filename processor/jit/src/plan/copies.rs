//! Copies of registers that are not made.
//!
//! Compilers for a machine of two-operand instructions copy a register, or set it to a constant, only to change the
//! copy with the next instruction. Such a copy waits: the next instruction reads the original in its place, and sets
//! the register itself. Only that one instruction may read the copy: it has registers alone for operands, and no branch
//! leads to it.
//!
//! Host registers are never changed in place, with one exception. An instruction of the same kind may take its first
//! operand from the register that it sets. If nothing else has the value, it is changed where it is.

use crate::Arm;
use crate::emit::assembler::asm;
use crate::emit::emitter::Emitter;
use crate::emit::words::*;
use crate::plan::footprints::joined;
use crate::plan::natives::Native;
use dynasmrt::{DynasmApi, dynasm};
use isa::{Instruction, Op, Width, Width::*};

/// What is known of an instruction that copies a register, or changes one, and no more.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Copies,
    /// It works out the new value of its first register from the old one, and touches no storage.
    Changes,
    /// So it does, and the old value is not wanted afterwards, not even for the condition code.
    ChangesInPlace,
    /// The same, with an operand in storage.
    ChangesByStorage,
    Other,
}

fn kind(row: &Instruction) -> Kind {
    match row.shape.composed {
        Some(composed) if composed.copies() => Kind::Copies,
        Some(composed) if composed.changes() && composed.fetches().is_none() => {
            if composed.forgets_operands() {
                Kind::ChangesInPlace
            } else {
                Kind::Changes
            }
        }
        Some(composed) if composed.changes() && composed.forgets_operands() => Kind::ChangesByStorage,
        _ => Kind::Other,
    }
}

/// The instructions of a block with copies that wait, and those that may change their register in place.
#[derive(Default)]
pub struct Copies {
    waits: Vec<bool>,
    changes: Vec<Option<u8>>,
}

/// A copy that has not been made.
#[derive(Clone, Copy)]
pub struct Waiting {
    /// The number of its instruction.
    index: usize,
    r: u8,
    width: Width,
    value: Word,
}

impl Waiting {
    /// Whether it is `r` that has not been set.
    pub fn is(&self, r: u8) -> bool {
        self.r == r
    }
}

impl Copies {
    pub fn of(
        ops: &[Op],
        count: usize,
        arms: &[Arm],
        rows: &[Option<&Instruction>],
        natives: &[Option<Native>],
    ) -> Copies {
        let of = |(row, native): (&Option<&Instruction>, &Option<Native>)| match row {
            Some(row) if native.is_none() => kind(row),
            _ => Kind::Other,
        };
        let kinds: Vec<Kind> = rows.iter().zip(natives).map(of).collect();
        let together =
            |n: usize| n < count || arms.iter().any(|arm| (arm.first..arm.end).contains(&n) && n + 1 < arm.end);
        let waits = |n: usize| {
            let next = n + 1;
            next < ops.len()
                && next != count
                && kinds[n] == Kind::Copies
                && matches!(kinds[next], Kind::Changes | Kind::ChangesInPlace)
                && together(n)
                && ops[n].fields.next as i64 == ops[next].fields.at()
                && ops[n].fields.r1 == ops[next].fields.r1
                && !joined(ops, arms, next)
        };
        let in_place = |kind: Kind| matches!(kind, Kind::ChangesInPlace | Kind::ChangesByStorage);
        let changes = |n: usize| in_place(kinds[n]).then_some(ops[n].fields.r1 & 15);
        Copies { waits: (0..ops.len()).map(waits).collect(), changes: (0..ops.len()).map(changes).collect() }
    }
}

impl Emitter<'_> {
    /// If `r` need not have this value yet, as the next instruction changes it, it waits.
    pub fn put_off(&mut self, width: Width, r: u8, v: Word) -> bool {
        let original = match v {
            Word::Reg { host, .. } => matches!(self.owner(host), Owner::Guest(_)),
            Word::Const(_) => true,
            _ => false,
        };
        let waits = original && self.plan.copies.waits[self.index] && self.waiting.is_none();
        if waits {
            self.waiting = Some(Waiting { index: self.index, r, width, value: v });
        }
        waits
    }

    /// The value of `r`, if a copy that would have it waits.
    pub fn original(&mut self, width: Width, r: u8) -> Option<Word> {
        let waiting = self.waiting.filter(|waiting| waiting.r == r)?;
        if matches!(width, W8 | W16) || width == W64 && waiting.width == W32 {
            self.copy_now();
            return None;
        }
        Some(match waiting.value {
            Word::Const(c) => Word::Const(c & width.mask()),
            Word::Reg { host, age, left } => {
                let left = if width == W32 && left == Left::Valid { Left::Garbage } else { left };
                Word::Reg { host: self.fresh(host, age), age, left }
            }
            _ => unreachable!("nothing else waits"),
        })
    }

    /// So many bits of `r` are set: a copy that waits is either not wanted any more, or made.
    pub fn overwrites(&mut self, width: Width, r: u8) {
        match self.waiting {
            Some(waiting) if waiting.r == r && width.bits() >= waiting.width.bits() => self.waiting = None,
            Some(_) => self.copy_now(),
            None => {}
        }
    }

    /// Makes the copy that waits, if there is one.
    pub fn copy_now(&mut self) {
        if let Some(Waiting { r, width, value, .. }) = self.waiting.take() {
            self.put_general(width, r, value);
        }
    }

    /// An instruction begins: what waits for it is not to be lost.
    pub fn keep_original(&mut self) {
        if let Some(Waiting { value: Word::Reg { host, age, .. }, .. }) = self.waiting {
            self.fresh(host, age);
        }
    }

    /// An instruction ends: what has waited for it waits no longer.
    pub fn end_waiting(&mut self) {
        if self.waiting.is_some_and(|waiting| waiting.index != self.index) {
            self.copy_now();
        }
    }

    /// A register with the value of `h`, to be changed: `h` itself, if the instruction changes it and nothing else
    /// wants it.
    pub fn changeable(&mut self, h: u8, width: Width) -> u8 {
        let changes = self.plan.copies.changes[self.index].filter(|&r| self.owner(h) == Owner::Guest(r));
        if let Some(r) = changes {
            let (full, clear) = (self.map.full >> r & 1 == 1, self.map.clear >> r & 1 == 1);
            // What is on the left of it would be lost.
            let fits = if width == W64 { full } else { !full || clear };
            if fits && self.map.host[r as usize] == h && self.cc.hosts() >> h & 1 == 0 && self.waiting.is_none() {
                self.own(h, Owner::Temp);
                return h;
            }
        }
        let t = self.temp();
        if width == W64 {
            asm!(self, mov Rq(t), Rq(h))
        } else {
            asm!(self, mov Rd(t), Rd(h))
        }
        t
    }
}
