//! Copies of registers that are not made.
//!
//! Compilers for a machine of two-operand instructions copy a register, or set it to a constant, only to change the
//! copy with the next instruction. Such a copy waits: the next instruction reads the original in its place, and sets
//! the register itself. Only that one instruction may read the copy: it has registers alone for operands, and no branch
//! leads to it.
//!
//! Host registers are never changed in place, with one exception. An instruction of the same kind may take its first
//! operand from the register that it sets. If nothing else has the value, it is changed where it is.

use crate::plan::footprints::joined;
use crate::plan::natives::Native;
use crate::plan::passes::Pass;
use isa::{Instruction, Op};
use translator::Arm;

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
pub(crate) struct Copies {
    waits: Vec<bool>,
    changes: Vec<Option<u8>>,
}

impl Copies {
    pub(crate) fn of(
        ops: &[Op],
        count: usize,
        arms: &[Arm],
        rows: &[Option<&Instruction>],
        natives: &[Option<Native>],
    ) -> Copies {
        let of = |(row, native): (&Option<&Instruction>, &Option<Native>)| match row {
            Some(row) if native.is_none() && Pass::Copies.is_on() => kind(row),
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

    /// The copy that this instruction makes waits for the next.
    pub(crate) fn waits(&self, index: usize) -> bool {
        self.waits[index]
    }

    /// The register that this instruction may change in place.
    pub(crate) fn changes(&self, index: usize) -> Option<u8> {
        self.changes[index]
    }
}
