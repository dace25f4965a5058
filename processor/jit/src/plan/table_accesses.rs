//! Tables: accesses with a small number in the index register, as a byte shifted left, off a base that the trace does
//! not change. Such are the table of a loop, and the registers that an interpreter keeps in its frame.
//!
//! All of the table is taken for one operand that shares its TLB probe with others ([`crate::plan::spans`]). So only
//! the access itself waits for the index. A bound for all 64 bits of the index register is known from the instructions
//! before it in the same trace. Where a branch leads in between, nothing is known.

use crate::plan::footprints::{Access, Footprint, joined};
use arch::{PAGE, PAGE_MASK};
use isa::form::{Operation, Place};
use isa::{Fields, Form, Instruction, Op, Width::*};
use translator::Arm;

/// What an instruction accesses in a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    pub base: u8,
    /// The index is this at most.
    pub most: i32,
}

/// The tables that the instructions of a block use.
#[derive(Default)]
pub(crate) struct Tables(Vec<Option<Table>>);

/// A larger index is none of a table.
const MOST: u64 = 1023;

/// The length of the operand of an instruction that may fetch from a table.
fn length(row: &Instruction) -> Option<i32> {
    row.shape.composed?.fetches().map(|width| width.bits() as i32 / 8)
}

/// What the register that an instruction sets is at most, all of it, where `bounds` has what others are.
fn bound(row: &Instruction, i: &Fields, bounds: &[Option<u64>; 16]) -> Option<u64> {
    let of = |r: u8| bounds[r as usize & 15];
    let most = match (row.shape.form, row.shape.composed) {
        (Form::RotateThenInsert, _) if i.i4() & 0x80 != 0 => {
            let (first, last) = (i.i3 & 63, i.i4() & 63);
            (first <= last).then(|| u64::MAX >> first & u64::MAX << (63 - last))
        }
        (_, Some(composed)) if composed.sets() == Some(W64) => match (composed.operation, composed.first) {
            (Operation::Load, Some(Place::Storage(W8, false) | Place::R2(W8))) => Some(255),
            (Operation::Load, Some(Place::R2(W64))) => of(i.r2),
            (Operation::ShiftLeftLogical, Some(Place::R3(W64))) if i.b2 == 0 && (0..10).contains(&i.d2) => {
                of(i.r3).map(|most| most << i.d2)
            }
            _ => None,
        },
        _ => None,
    };
    most.filter(|&most| most <= MOST)
}

impl Tables {
    /// Finds the accesses and adds them to `footprints`. `gr` are the general registers where the block begins.
    pub(crate) fn of(
        ops: &[Op],
        arms: &[Arm],
        rows: &[Option<&'static Instruction>],
        footprints: &mut [Footprint],
        gr: &[u64; 16],
    ) -> Tables {
        let written = footprints.iter().fold(0, |all, print| all | print.written);
        let mut bounds = [None; 16];
        let mut tables = vec![None; ops.len()];
        for (n, (op, row)) in ops.iter().zip(rows).enumerate() {
            let i = &op.fields;
            if bounds != [None; 16] && joined(ops, arms, n) {
                bounds = [None; 16];
            }
            // What EXECUTE does is another instruction's business.
            let known = row.filter(|row| !footprints[n].called && !matches!(row.shape.form, Form::Execute { .. }));
            let Some(row) = known else {
                bounds = [None; 16];
                continue;
            };
            if let (Some(len), true) = (length(row), i.x2 != 0 && i.b2 != 0 && i.x2 != i.b2) {
                let places = [(i.x2, i.b2), (i.b2, i.x2)];
                let found = places.into_iter().find_map(|(index, base)| Some((bounds[index as usize & 15]?, base)));
                if let Some((most, base)) = found
                    && written >> base & 1 == 0
                {
                    let from = gr[base as usize & 15].wrapping_add_signed(i.d2.into());
                    let access = Access { base, disp: i.d2, len: most as i32 + len, store: false };
                    // For one that goes over the end of a page, a probe for each access is better.
                    if from & PAGE_MASK == from.wrapping_add(access.len as u64 - 1) & PAGE_MASK
                        && access.len < PAGE as i32
                    {
                        footprints[n].accesses.push(access);
                        tables[n] = Some(Table { base, most: most as i32 });
                    }
                }
            }
            let new = bound(row, i, &bounds);
            for (r, bound) in bounds.iter_mut().enumerate().filter(|(r, _)| footprints[n].written >> r & 1 == 1) {
                *bound = new.filter(|_| r == (i.r1 & 15) as usize);
            }
        }
        Tables(tables)
    }

    pub(crate) fn get(&self, index: usize) -> Option<Table> {
        self.0.get(index).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpu::{Architecture, Facilities};

    #[test]
    fn an_index_is_bounded_by_what_makes_it() {
        let mut bounds = [None; 16];
        bounds[3] = Some(255);
        let most = |text: [u8; 6]| {
            let row = isa::decode(text, Architecture::Z, &Facilities([u64::MAX; 4])).expect("a row");
            bound(row, &Fields::extract(row.format, text), &bounds)
        };
        // RISBG 1,2,54,128+61,2 leaves eight bits, shifted by two; without the zero bit the others stay.
        assert_eq!(most([0xec, 0x12, 54, 128 + 61, 2, 0x55]), Some(0x3fc));
        assert_eq!(most([0xec, 0x12, 54, 61, 2, 0x55]), None);
        assert_eq!(most([0xec, 0x12, 50, 128 + 61, 2, 0x55]), None);
        assert_eq!(most([0xec, 0x12, 61, 128 + 54, 2, 0x55]), None);
        assert_eq!(most([0xe3, 0x10, 0x20, 0, 0, 0x90]), Some(255));
        // SLLG 1,3,2: of a byte; of what is not known; too far; by another register.
        assert_eq!(most([0xeb, 0x13, 0, 2, 0, 0x0d]), Some(1020));
        assert_eq!(most([0xeb, 0x14, 0, 2, 0, 0x0d]), None);
        assert_eq!(most([0xeb, 0x13, 0, 3, 0, 0x0d]), None);
        assert_eq!(most([0xeb, 0x13, 0x50, 2, 0, 0x0d]), None);
        assert_eq!(most([0xb9, 0x04, 0, 0x13, 0, 0]), Some(255));
    }
}
