//! What is counted of transactions, and which way virtual CPUs go between the lists, for the monitor.

use crate::VcpuId;
use base::Tod;

/// How many moves are kept for a reader that is late.
const KEPT: usize = 65_536;

/// Transactions of a kind that have ended.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Ended {
    /// How many.
    pub count: u64,
    /// Microseconds that they took, together.
    pub time: u64,
}

/// Transactions that have ended, by the number of the user's virtual CPUs (one, several), trivial ones before others. A
/// trivial one ended in class 1, or of a class 0 within its time slice.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Transactions {
    /// Of users with one virtual CPU: trivial, others.
    pub one: [Ended; 2],
    /// Of users with several.
    pub several: [Ended; 2],
}

impl Transactions {
    pub(crate) fn count(&mut self, several: bool, trivial: bool, time: u64) {
        let kinds = if several { &mut self.several } else { &mut self.one };
        let ended = &mut kinds[usize::from(!trivial)];
        ended.count += 1;
        ended.time += time;
    }
}

/// Which list a virtual CPU has come to or left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// It came into the dispatch list.
    AddDispatch,
    /// It left the dispatch list.
    DropDispatch,
    /// It came into the eligible list.
    AddEligible,
}

/// A virtual CPU has changed its list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    /// When.
    pub at: Tod,
    /// Which.
    pub vcpu: VcpuId,
    /// How.
    pub way: Way,
    /// The class of its transaction.
    pub class: u8,
}

/// Moves that have not been read, while they are wanted.
#[derive(Debug, Default)]
pub(crate) struct Moves {
    wanted: bool,
    at: Tod,
    moves: Vec<Move>,
}

impl Moves {
    pub(crate) fn set_time(&mut self, at: Tod) {
        self.at = at;
    }

    pub(crate) fn add(&mut self, vcpu: VcpuId, way: Way, class: usize) {
        if self.wanted && self.moves.len() < KEPT {
            self.moves.push(Move { at: self.at, vcpu, way, class: class as u8 });
        }
    }

    pub(crate) fn want(&mut self, wanted: bool) {
        self.wanted = wanted;
        if !wanted {
            self.moves = Vec::new();
        }
    }

    pub(crate) fn take(&mut self) -> Vec<Move> {
        std::mem::take(&mut self.moves)
    }
}
