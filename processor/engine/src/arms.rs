//! Arms of a trace: the other ways of its branches, where they come back to it within a few instructions.
//!
//! A branch that cannot be guessed goes either way, and one that is nearly always taken is not always. Where the other
//! way is short, it is translated with the trace, and both stay in the same code ([`translator::Arm`]).

use crate::text::Text;
use crate::trace::{Trace, target};
use cpu::State;
use isa::{Decoded, Ends, Form, Op, decode_op};
use translator::Arm;

/// The longest.
const LONGEST: usize = 16;
/// Instructions of all arms of a trace.
const MOST: usize = 48;
/// An instruction and its text.
type Instruction = (Decoded, [u8; 6]);

impl Trace {
    /// Adds the arms of the trace's loop.
    pub(crate) fn add_arms(&mut self, s: &State, text: &mut Text) {
        let back = |op: &Op, to: i64| {
            op.fields.imm != 0 && op.fields.at() + op.fields.imm == to || i64::from(op.fields.next) == to
        };
        let first = self.round;
        let start = self.ops[first].fields.at();
        let Some(last) = (first..self.count).rev().find(|&n| back(&self.ops[n], start)) else { return };
        for from in first..self.count {
            let fields = &self.ops[from].fields;
            let Some(row) = self.rows[from].filter(|row| row.ends == Ends::IfTaken) else { continue };
            if decode_op(s, self.texts[from], fields.at()).ends != Ends::IfTaken {
                continue;
            }
            let next = fields.next as i64;
            let follows = self.ops[..self.count].get(from + 1).is_some_and(|op| op.fields.at() == next);
            let other = if follows { target(&self.ops[from], row) } else { Some(next) };
            let Some(other) = other.filter(|&other| other & 1 == 0 && !self.has(other)) else { continue };
            let Some((mut arm, to)) = self.arm(s, text, other, first..=last) else { continue };
            if self.ops.len() - self.count + arm.len() > MOST {
                continue;
            }
            let at = self.ops.len();
            self.arms.push(Arm { from, first: at, end: at + arm.len(), to });
            for (decoded, bytes) in arm.drain(..) {
                let fields = &decoded.op.fields;
                self.watch(fields.at(), fields.next.into());
                self.push(decoded, bytes);
            }
        }
    }

    /// The instructions from there to one of the loop's, and which one that is.
    fn arm(
        &self,
        s: &State,
        text: &mut Text,
        start: i64,
        round: std::ops::RangeInclusive<usize>,
    ) -> Option<(Vec<Instruction>, usize)> {
        let mut arm: Vec<Instruction> = Vec::new();
        let mut at = start;
        loop {
            if let Some(to) = self.number(at).filter(|to| *to < self.count) {
                return (round.contains(&to) && !arm.is_empty()).then_some((arm, to));
            }
            let known =
                text.has(at) && !text.is_between(at) && !arm.iter().any(|(decoded, _)| decoded.op.fields.at() == at);
            if arm.len() == LONGEST || !known {
                return None;
            }
            let (bytes, length) = text.instruction(at)?;
            let decoded = decode_op(s, bytes, at);
            let row = decoded.row?;
            // EXECUTE does another instruction, and a result may depend on how many have been executed: neither is for
            // an arm.
            if matches!(row.shape.form, Form::Execute { .. } | Form::Counts) {
                return None;
            }
            at = match decoded.ends {
                // A branch on any condition code.
                Ends::Always if row.ends == Ends::IfTaken => target(&decoded.op, row)?,
                Ends::Always => return None,
                _ => at + length as i64,
            };
            arm.push((decoded, bytes));
        }
    }
}
