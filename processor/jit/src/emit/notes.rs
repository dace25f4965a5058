//! What the emitter notes at one instruction for others that come later.

use crate::emit::map::Map;
use crate::emit::recipes::Recipe;
use crate::emit::words::Word;
use dynasmrt::DynamicLabel;
use isa::Width;

/// Where the second copy of a loop begins, what is where then, and where it goes when it must not go on.
#[derive(Clone, Copy)]
pub(crate) struct Carried {
    /// The number of its first instruction, and where that is, from the start of the block.
    pub first: usize,
    pub at: i64,
    pub label: DynamicLabel,
    pub over: DynamicLabel,
    pub map: Map,
    pub cc: Recipe,
    /// Where the branch is that leads there, if the state does not have it.
    pub broke: Option<i64>,
}

/// What is where before an instruction of the block.
pub(crate) struct Place {
    pub index: usize,
    pub label: DynamicLabel,
    pub map: Map,
    pub cc: Recipe,
    pub broke: Option<i64>,
    pub near: [Option<i64>; 16],
    pub known: [Option<u64>; 16],
}

/// The arms as far as they have been emitted.
#[derive(Default)]
pub(crate) struct BranchedOff {
    /// What is being emitted is one.
    pub now: bool,
    /// Ways out that have been looked at, and how many there were when the block was done.
    pub looked: usize,
    pub own: usize,
    /// The last instruction of the block before the arm, if it came straight from there.
    pub after: Option<usize>,
    /// Instructions emitted, of all of them and of the block's in this one.
    pub emitted: usize,
    pub again: usize,
    /// How many came back.
    pub back: u64,
}

/// A copy that has not been made.
#[derive(Clone, Copy)]
pub(crate) struct Waiting {
    /// The number of its instruction.
    pub index: usize,
    pub r: u8,
    pub width: Width,
    pub value: Word,
}

impl Waiting {
    /// Whether it is `r` that has not been set.
    pub(crate) fn is(&self, r: u8) -> bool {
        self.r == r
    }
}

/// Constants of 32 bytes, which stand after the code: the order of a number's bytes the other way round, and
/// those that numbers are tested with ([`crate::idiom::side_by_side`]).
#[derive(Clone, Copy)]
pub(crate) struct Constants(pub [DynamicLabel; 5]);
