//! Loops over long numbers that lie side by side. [`crate::idiom::side_by_side`] does four of their rounds at once.
//!
//! A loop that does the same with number after number has loads, arithmetic and stores off registers which step by
//! eight bytes, and a count.

use crate::plan::natives::Native;
use isa::form::{Arithmetic as Op, Float};
use isa::{Fields, Form, Width::*};

/// An array: each round takes the number at this offset from the register's value when the round begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stream {
    pub base: u8,
    pub at: i32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Second {
    Register(u8),
    Stream(Stream),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    Load(u8, Stream),
    Store(u8, Stream),
    Copy(u8, u8),
    Arithmetic { op: Op, to: u8, second: Second, third: u8 },
}

/// A loop that can be done so.
#[derive(Debug)]
pub(crate) struct Lanes {
    pub steps: Vec<Step>,
    /// Instructions of a round.
    pub length: u32,
    /// The register that counts the rounds left, and whether all of it does.
    pub count: u8,
    pub long_count: bool,
    /// Floating-point registers that each round sets, and those that no round does.
    pub made: u16,
    pub given: u16,
    /// Registers that step.
    pub bases: u16,
}

/// What is known of one instruction: its form, its fields, what is done inline, and what it adds to a register.
pub(crate) type Described<'a> = (Form, &'a Fields, Option<Native>, Option<(u8, i32)>);

impl Lanes {
    /// The loop that these instructions are, if they are one of that kind. They begin at `start`.
    pub(crate) fn of(block: &[Described], start: i64) -> Option<Lanes> {
        let (&(Form::BranchOnCount(width), i, ..), body) = block.split_last()? else { return None };
        if i.at() + i.imm != start {
            return None;
        }
        let (count, long_count, length) = (i.r1 & 15, width == W64, block.len() as u32);
        let mut lanes = Lanes { steps: Vec::new(), length, count, long_count, made: 0, given: 0, bases: 0 };
        let mut stepped = [0i32; 16];
        let mut stored = Vec::new();
        for &(_, i, native, step) in body {
            if let Some((r, by)) = step {
                stepped[r as usize] += by;
                continue;
            }
            let Some(Native::Float(float)) = native else { return None };
            let stream = || {
                (i.x2 == 0 && i.b2 != 0).then(|| Stream { base: i.b2 & 15, at: i.d2 + stepped[(i.b2 & 15) as usize] })
            };
            let (r1, r2, r3) = (i.r1 & 15, i.r2 & 15, i.r3 & 15);
            let step = match float {
                Float::Load { long: true } => Step::Load(r1, stream()?),
                Float::Store { long: true } => Step::Store(r1, stream()?),
                Float::Copy { long: true } => Step::Copy(r1, r2),
                Float::Arithmetic { op, long: true, storage } if op != Op::SquareRoot => {
                    let second = if storage { Second::Stream(stream()?) } else { Second::Register(r2) };
                    Step::Arithmetic { op, to: r1, second, third: r3 }
                }
                _ => return None,
            };
            lanes.take(step, &mut stored)?;
        }
        // A loop that takes a number from the round before, or from no array, is of another kind.
        let streams: Vec<Stream> = lanes.streams().collect();
        let bases = streams.iter().fold(0u16, |all, stream| all | 1 << stream.base);
        let steps = (0..16).all(|r| stepped[r] == if bases >> r & 1 == 1 { 8 } else { 0 });
        let apart = stored.iter().all(|s: &Stream| streams.iter().all(|t| t.base != s.base || t == s));
        lanes.bases = bases;
        let good = steps && apart && lanes.made & lanes.given == 0 && bases >> lanes.count & 1 == 0;
        (good && !stored.is_empty()).then_some(lanes)
    }

    fn take(&mut self, step: Step, stored: &mut Vec<Stream>) -> Option<()> {
        let reads = |lanes: &mut Lanes, r: u8| lanes.given |= !lanes.made & 1 << r;
        let fetches = |stream: &Stream, stored: &[Stream]| (!stored.contains(stream)).then_some(());
        let made = match step {
            Step::Load(r, stream) => {
                fetches(&stream, stored)?;
                r
            }
            Step::Store(r, stream) => {
                reads(self, r);
                stored.push(stream);
                self.steps.push(step);
                return Some(());
            }
            Step::Copy(r, from) => {
                reads(self, from);
                r
            }
            Step::Arithmetic { op, to, second, third } => {
                reads(self, to);
                match second {
                    Second::Register(r) => reads(self, r),
                    Second::Stream(stream) => fetches(&stream, stored)?,
                }
                if matches!(op, Op::MultiplyAdd | Op::MultiplySubtract) {
                    reads(self, third);
                }
                to
            }
        };
        // Stores come last here.
        if self.steps.iter().any(|step| matches!(step, Step::Store(r, _) if *r == made)) {
            return None;
        }
        self.made |= 1 << made;
        self.steps.push(step);
        Some(())
    }

    pub(crate) fn streams(&self) -> impl Iterator<Item = Stream> + '_ {
        self.steps.iter().filter_map(|step| match *step {
            Step::Load(_, stream) | Step::Store(_, stream) => Some(stream),
            Step::Arithmetic { second: Second::Stream(stream), .. } => Some(stream),
            _ => None,
        })
    }

    pub(crate) fn stores(&self) -> impl Iterator<Item = (u8, Stream)> + '_ {
        self.steps.iter().filter_map(|step| match *step {
            Step::Store(r, stream) => Some((r, stream)),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(r1: u8, b2: u8, d2: i32) -> Fields {
        Fields { r1, b2, d2, ..Fields::default() }
    }

    #[test]
    fn a_loop_over_arrays_is_one_and_a_sum_is_not() {
        let step = fields(4, 0, 0);
        let load = fields(0, 4, -8);
        let add = Fields { r3: 2, ..fields(0, 5, 0) };
        let store = fields(0, 4, -8);
        let back = Fields { r1: 7, next: 34, len: 4, imm: -30, ..Fields::default() };
        let float = |float| Some(Native::Float(float));
        let madb = float(Float::Arithmetic { op: Op::MultiplyAdd, long: true, storage: true });
        let all: [Described; 6] = [
            (Form::Own, &step, None, Some((4, 8))),
            (Form::Own, &load, float(Float::Load { long: true }), None),
            (Form::Own, &add, madb, None),
            (Form::Own, &store, float(Float::Store { long: true }), None),
            (Form::Own, &step, None, Some((5, 8))),
            (Form::BranchOnCount(W64), &back, None, None),
        ];
        let lanes = Lanes::of(&all, 0).expect("it is such a loop");
        assert_eq!((lanes.made, lanes.given, lanes.bases, lanes.count), (1, 1 << 2, 3 << 4, 7));
        let streams: Vec<Stream> = lanes.streams().collect();
        assert_eq!(streams, [(4, 0), (5, 0), (4, 0)].map(|(base, at)| Stream { base, at }));
        // Without the load the sum goes on from round to round.
        let mut sum = all.to_vec();
        sum.remove(1);
        assert!(Lanes::of(&sum, 0).is_none());
        // The other array does not step.
        let mut stays = all.to_vec();
        stays.remove(4);
        assert!(Lanes::of(&stays, 0).is_none());
        // What is stored is fetched in the next round.
        let mut follows = all.to_vec();
        let before = fields(0, 4, -16);
        follows[1].1 = &before;
        assert!(Lanes::of(&follows, 0).is_none());
    }
}
