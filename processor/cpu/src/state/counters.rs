//! The CPU-measurement counters: which there are, and what has been counted.

use serde::{Deserialize, Serialize};

/// The rate at which running time is shown as cycles: that of a 5.2 GHz CPU.
pub const CYCLES_PER_MICROSECOND: u64 = 5200;

/// The authorized counter sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CounterSet {
    /// The basic set: counters 0 to 5, cycles and instructions in both states.
    Basic,
    /// The problem-state set: counters 32 to 37, cycles and instructions in that state alone.
    ProblemState,
}

impl CounterSet {
    /// Both, in the order of their counters.
    pub const ALL: [CounterSet; 2] = [CounterSet::Basic, CounterSet::ProblemState];
    /// How many counters a set has.
    pub const COUNTERS: u64 = 6;

    /// The set's control bit in authorization, enable and activation controls.
    pub const fn control(self) -> u16 {
        match self {
            CounterSet::Basic => 0x02,
            CounterSet::ProblemState => 0x04,
        }
    }

    /// The number of the set's first counter.
    pub const fn first(self) -> u64 {
        match self {
            CounterSet::Basic => 0,
            CounterSet::ProblemState => 32,
        }
    }

    /// The set that has counter `number`, and which of its counters it is.
    pub fn of(number: u64) -> Option<(CounterSet, usize)> {
        CounterSet::ALL.into_iter().find_map(|set| {
            let n = number.wrapping_sub(set.first());
            (n < CounterSet::COUNTERS).then_some((set, n as usize))
        })
    }
}

/// Enable and activation controls, and what has been counted.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Counters {
    /// The enable control: the bits of [`CounterSet::control`].
    pub enabled: u16,
    pub(crate) active: u16,
    /// By set. While a set is active, less its source at activation.
    pub(crate) values: [[u64; 6]; 2],
    /// Cycles and instructions spent in the problem state before the present stay in it.
    pub(crate) problem: [u64; 2],
    /// Cycles and instructions when the problem state was entered.
    pub(crate) entered: [u64; 2],
}

impl Counters {
    /// All control bits of authorized sets.
    pub const AUTHORIZED: u16 = CounterSet::Basic.control() | CounterSet::ProblemState.control();

    /// The activation controls.
    pub fn active(&self) -> u16 {
        self.active
    }

    /// Whether changes between problem and supervisor state matter.
    #[inline(always)]
    pub fn watches_problem_state(&self) -> bool {
        self.active & CounterSet::ProblemState.control() != 0
    }
}
