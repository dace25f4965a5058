//! Arms: where a program leaves a trace for a few instructions and comes back to it, it stays in the trace's code. A
//! branch that goes either way, with no rule to guess it by, does so.
//!
//! An arm is emitted after the block, from a branch out of the block on, with the registers where that branch has them.
//! It ends with a jump into the block, which first brings the registers to where they are there. What the block knows
//! at that place the arm must know, too: the condition code, open spans, constants in registers. Mostly it does after
//! some of the block's instructions from there on. The arm has copies of those, until both agree. If they do not soon,
//! the arm ends as any way out of the block.
//!
//! In a loop the places are those of its second copy ([`crate::emit::loop_carried`]). Branches from after the loop back
//! into it are arms, too. An arm that comes back to an earlier place checks the budget.

use crate::plan::footprints::{Footprint, Round, goes_back};
use isa::Op;
use translator::Arm;

/// The arms of a block.
#[derive(Default, Debug)]
pub(crate) struct Arms {
    list: Vec<Arm>,
    /// The ways back: after which of the block's instructions each leaves, and to which it leads.
    ways: Vec<(usize, usize)>,
}

impl Arms {
    /// Those of `arms` in which no handler is called, and what leads back into the loop.
    pub(crate) fn of(arms: &[Arm], ops: &[Op], count: usize, footprints: &[Footprint], round: Option<Round>) -> Arms {
        let fit = |arm: &&Arm| footprints[arm.first..arm.end].iter().all(|print| !print.called);
        let list: Vec<Arm> = arms.iter().filter(fit).copied().collect();
        let mut ways: Vec<_> = list.iter().map(|arm| (arm.from, arm.to)).collect();
        if let Some(Round { first, last }) = round {
            for (n, op) in ops[..count].iter().enumerate() {
                // What stands before the loop leads to its start.
                let places = (0..=last.min(n)).filter(|&place| place != first && goes_back(op, ops[place].fields.at()));
                ways.extend(places.filter(|&place| place != n + 1).map(|place| (n, place.max(first))));
            }
        }
        Arms { list, ways }
    }

    pub(crate) fn list(&self) -> &[Arm] {
        &self.list
    }

    /// The arm that this instruction is of.
    pub(crate) fn with(&self, index: usize) -> Option<&Arm> {
        self.list.iter().find(|arm| (arm.first..arm.end).contains(&index))
    }

    /// The ways back: after which of the block's instructions each leaves, and to which it leads.
    pub(crate) fn ways(&self) -> &[(usize, usize)] {
        &self.ways
    }

    /// Whether an arm comes back to this instruction.
    pub(crate) fn joins(&self, index: usize) -> bool {
        self.ways.iter().any(|&(_, to)| to == index)
    }
}
