//! What is known of a block's instructions before they are emitted. It may be wrong: nothing but speed depends on it.

use crate::plan::natives::{Bytes, Native};
use crate::plan::vector_forms;
use isa::form::{Operation, Place};
use isa::{Fields, Form, Instruction, Op, Width, Width::*};
use translator::Arm;

/// An access off a base register alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub base: u8,
    pub disp: i32,
    pub len: i32,
    pub store: bool,
}

/// What one instruction does to registers and storage, as far as it matters here.
#[derive(Default, Debug)]
pub(crate) struct Footprint {
    pub accesses: Vec<Access>,
    /// General registers of which it needs the values, and those that it sets.
    pub read: u16,
    pub written: u16,
    /// Floating-point registers of which it needs the values, as far as their numbers may be in the host's.
    pub floats: u16,
    /// All it does is to add this to a register.
    pub step: Option<(u8, i32)>,
    /// It is a call of its handler.
    pub called: bool,
}

/// The part of a block that the program goes round: the numbers of its first instruction, and of the last that leads
/// there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Round {
    pub first: usize,
    pub last: usize,
}

/// Whether the program may come to the place `to` from this instruction: it branches there, or stands before it,
/// perhaps with a call that returns.
pub(crate) fn goes_back(op: &Op, to: i64) -> bool {
    op.fields.imm != 0 && op.fields.at() + op.fields.imm == to || op.fields.next as i64 == to
}

impl Round {
    /// The loop that begins with an instruction of the block, if there is one.
    pub(crate) fn of(ops: &[Op], first: usize) -> Option<Round> {
        let start = ops[first].fields.at();
        let last = (first..ops.len()).rev().find(|&n| goes_back(&ops[n], start))?;
        Some(Round { first, last })
    }

    pub(crate) fn has(&self, index: usize) -> bool {
        (self.first..=self.last).contains(&index)
    }
}

/// Whether an instruction of a block may be reached otherwise than from the one before it.
pub(crate) fn joined(ops: &[Op], arms: &[Arm], index: usize) -> bool {
    let at = ops[index].fields.at();
    let before = &ops[..index.saturating_sub(1)];
    ops.iter().any(|op| op.fields.imm != 0 && op.fields.at() + op.fields.imm == at)
        || before.iter().any(|op| op.fields.next as i64 == at)
        || arms.iter().any(|arm| arm.first == index || arm.to == index)
}

/// Which registers the instructions of a block need.
#[derive(Default)]
pub(crate) struct Ahead {
    read: Vec<u16>,
    floats: Vec<u16>,
    /// The loop, if there is one: after its last instruction comes its first.
    round: Option<Round>,
    /// So many are the block's.
    count: usize,
    arms: Vec<Arm>,
}

impl Ahead {
    pub(crate) fn of(footprints: &[Footprint], count: usize, arms: &[Arm], round: Option<Round>) -> Ahead {
        let [read, floats] = [|print: &Footprint| print.read, |print: &Footprint| print.floats]
            .map(|of| footprints.iter().map(of).collect());
        Ahead { read, floats, round, count, arms: arms.to_vec() }
    }

    /// How many instructions from `index` on the value of `r` is needed, if it is.
    pub(crate) fn distance(&self, index: usize, r: u8) -> usize {
        self.until(&self.read, index, r)
    }

    /// The same of a floating-point register.
    pub(crate) fn distance_of_float(&self, index: usize, r: u8) -> usize {
        self.until(&self.floats, index, r)
    }

    fn until(&self, read: &[u16], index: usize, r: u8) -> usize {
        if let Some(arm) = self.arms.iter().find(|arm| (arm.first..arm.end).contains(&index)) {
            let found = read[index..arm.end].iter().position(|read| read >> r & 1 == 1);
            return found.unwrap_or_else(|| self.until(read, arm.to, r).saturating_add(arm.end - index));
        }
        let read = &read[..self.count];
        let (before, after) = read.split_at(index.min(read.len()));
        let (round, left, out) = match self.round {
            Some(Round { first, last }) if index <= last => {
                let (left, out) = after.split_at(last + 1 - index);
                (before.get(first..).unwrap_or_default(), left, out)
            }
            _ => (&[][..], after, &[][..]),
        };
        left.iter().chain(round).chain(out).position(|read| read >> r & 1 == 1).unwrap_or(usize::MAX)
    }
}

/// The register to which an instruction adds a constant, and nothing else, and the constant; in the 64-bit addressing
/// mode.
pub(crate) fn step(row: &Instruction, i: &Fields) -> Option<(u8, i32)> {
    let r = i.r1 & 15;
    if row.shape.form == Form::LoadAddress {
        // Register 0 is none of an address.
        let from_itself = r != 0 && (i.x2 == 0 && i.b2 == i.r1 || i.b2 == 0 && i.x2 == i.r1);
        return from_itself.then_some((r, i.d2));
    }
    let composed = row.shape.composed?;
    let adds = composed.operation == Operation::Add && composed.sets() == Some(W64);
    let constant = composed.first == Some(Place::R1(W64)) && composed.second == Some(Place::Immediate);
    (adds && constant).then_some((r, i.imm.try_into().ok()?))
}

/// What is emitted for an instruction in its body's stead: its accesses, and the registers it may set.
pub(crate) fn footprint(native: Native, i: &Fields) -> Footprint {
    let mut print = Footprint::default();
    let length = i.l as i32 + 1;
    let bytes = |width: Width| (width.bits() / 8) as i32;
    let mut access = |base: u8, disp: i32, len: i32, store: bool| {
        if base != 0 {
            print.accesses.push(Access { base, disp, len, store });
        }
    };
    let several = || -> (i32, u16) {
        let last = i.r3.wrapping_sub(i.r1) & 15;
        (last as i32 + 1, (0..=last).map(|k| 1 << ((i.r1 + k) & 15)).sum())
    };
    let pair = 1 << (i.r1 & 15) | 1u16 << (i.r1 + 1 & 15);
    let written = match native {
        Native::LoadMultiple(width) => {
            let (count, written) = several();
            access(i.b2, i.d2, bytes(width) * count, false);
            written
        }
        Native::StoreMultiple(width) => {
            access(i.b2, i.d2, bytes(width) * several().0, true);
            0
        }
        Native::Move | Native::Many(Bytes::Move) => {
            access(i.b1, i.d1, length, true);
            access(i.b2, i.d2, length, false);
            0
        }
        Native::Fill { period } => {
            access(i.b2, i.d2, length + period, true);
            0
        }
        Native::Clear | Native::Many(Bytes::Clear) => {
            access(i.b1, i.d1, length, true);
            0
        }
        Native::Compare(_) | Native::Many(Bytes::Compare) => {
            access(i.b1, i.d1, length, false);
            access(i.b2, i.d2, length, false);
            0
        }
        Native::AddInStorage { width, .. } => {
            access(i.b1, i.d1, bytes(width), true);
            0
        }
        Native::CompareAndSwap(width) => {
            access(i.b2, i.d2, bytes(width), true);
            1 << (i.r1 & 15)
        }
        Native::Float(float) => {
            if let (Some((len, store)), 0) = (float.access(), i.x2) {
                access(i.b2, i.d2, len, store);
            }
            (float.sets_general() as u16) << (i.r1 & 15)
        }
        Native::Vector(vector) => {
            if let (Some((len, store)), 0) = (vector_forms::access(vector), i.x2) {
                access(i.b2, i.d2, len, store);
            }
            vector_forms::sets(vector, i)
        }
        Native::Control(control) => {
            let (base, disp, len, store) = control.access(i);
            access(base, disp, len, store);
            0
        }
        Native::MultiplyLogical { storage: true } | Native::DivideLogical { storage: true } => {
            if i.x2 == 0 {
                access(i.b2, i.d2, 8, false);
            }
            pair
        }
        Native::AddWithCarry { width, storage }
        | Native::SubtractWithBorrow { width, storage }
        | Native::MultiplySingle { width, storage } => {
            if storage && i.x2 == 0 {
                access(i.b2, i.d2, bytes(width), false);
            }
            1 << (i.r1 & 15)
        }
        Native::CompareUnderMask(_) | Native::StoreUnderMask(_) => 0,
        _ => pair,
    };
    let named = [i.r1, i.r2, i.r3, i.x2, i.b1, i.b2].into_iter().filter(|&r| r != 0);
    if let Native::Float(float) = native {
        print.floats = float.reads(i);
    }
    print.read = match native {
        Native::Vector(vector) => vector_forms::reads(vector, i),
        _ => named.fold(0, |all, r| all | 1 << (r & 15)),
    };
    print.written = written;
    print
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_needed_next_is_found_around_a_loop_too() {
        let ahead =
            Ahead { read: vec![1 << 1, 1 << 2, 1 << 3], floats: vec![1 << 4, 0, 0], count: 3, ..Ahead::default() };
        assert_eq!([1, 2, 3, 4].map(|r| ahead.distance(1, r)), [usize::MAX, 0, 1, usize::MAX]);
        let around = |first, last| Some(Round { first, last });
        let ahead = Ahead { round: around(0, 2), ..ahead };
        assert_eq!([1, 2, 3, 4].map(|r| ahead.distance(1, r)), [2, 0, 1, usize::MAX]);
        assert_eq!((ahead.distance_of_float(1, 4), ahead.distance_of_float(1, 3)), (2, usize::MAX));
        // What stands before the loop does not come again, and what stands after it comes last.
        let ahead = Ahead { round: around(1, 2), ..ahead };
        assert_eq!([1, 2, 3].map(|r| ahead.distance(2, r)), [usize::MAX, 1, 0]);
        let ahead = Ahead { round: around(0, 1), ..ahead };
        assert_eq!([1, 2, 3].map(|r| ahead.distance(1, r)), [1, 0, 2]);
    }

    #[test]
    fn a_loop_ends_with_the_last_branch_to_its_start() {
        let op = |at: i32, imm: i64| {
            let fields = Fields { next: at + 4, len: 4, imm, ..Fields::default() };
            Op { run: |_, _, _| {}, fields }
        };
        let ops = [op(0, 0), op(4, 0), op(8, -4), op(12, -8), op(16, -16)];
        assert_eq!(Round::of(&ops, 1), Some(Round { first: 1, last: 3 }));
        assert_eq!(Round::of(&ops, 0), Some(Round { first: 0, last: 4 }));
        assert_eq!(Round::of(&ops[..3], 0), None);
        assert!(!Round { first: 1, last: 3 }.has(4) && Round { first: 1, last: 3 }.has(3));
    }
}
