//! The CPU-measurement counter facility: what this CPU counts of itself.
//!
//! Two counter sets are authorized, basic and problem-state, in the first version of their layout. Each has six
//! counters: cycles, instructions, and four about cache directories, which stay zero here. Instructions are those the
//! engine executed. A block of instructions counts for the state (problem or supervisor) that it leaves the CPU in.
//! Cycles are running time at a fixed rate.

use crate::state::{CYCLES_PER_MICROSECOND, CounterSet, State};

impl State {
    /// Cycles and instructions of this CPU since it exists.
    fn counted(&self) -> [u64; 2] {
        let cycles = self.running_time() as u128 * CYCLES_PER_MICROSECOND as u128 >> 12;
        [cycles as u64, self.instructions]
    }

    fn counted_in_problem_state(&self) -> [u64; 2] {
        let (now, c) = (self.counted(), &self.counters);
        if !self.problem_state() {
            return c.problem;
        }
        [0, 1].map(|n| c.problem[n] + now[n].wrapping_sub(c.entered[n]))
    }

    fn source(&self, set: CounterSet) -> [u64; 2] {
        match set {
            CounterSet::Basic => self.counted(),
            CounterSet::ProblemState => self.counted_in_problem_state(),
        }
    }

    /// The PSW's problem bit has changed, while that is counted.
    pub(crate) fn problem_state_changed(&mut self) {
        let now = self.counted();
        if self.problem_state() {
            self.counters.entered = now;
        } else {
            for (n, now) in now.into_iter().enumerate() {
                self.counters.problem[n] += now.wrapping_sub(self.counters.entered[n]);
            }
        }
    }

    /// LOAD COUNTER CONTROLS: only bits of authorized sets may be on, and only enabled sets can be active. Sets that
    /// become enabled begin at zero.
    pub fn set_counter_controls(&mut self, enabled: u16, active: u16) {
        let active = active & enabled;
        for (n, set) in CounterSet::ALL.into_iter().enumerate() {
            let is = |controls: u16| controls & set.control() != 0;
            if is(enabled) && !is(self.counters.enabled) {
                self.counters.values[n] = [0; 6];
            }
            if is(active) == is(self.counters.active) {
                continue;
            }
            if set == CounterSet::ProblemState && is(active) {
                // Not watched until now.
                self.counters.problem = [0; 2];
                self.counters.entered = self.counted();
            }
            let source = self.source(set);
            for (value, source) in self.counters.values[n].iter_mut().zip(source) {
                *value = if is(active) { value.wrapping_sub(source) } else { value.wrapping_add(source) };
            }
        }
        (self.counters.enabled, self.counters.active) = (enabled, active);
    }

    /// A counter's value; none if there is no such counter or its set is not enabled.
    pub fn counter(&self, number: u64) -> Option<u64> {
        let (set, n) = CounterSet::of(number)?;
        if self.counters.enabled & set.control() == 0 {
            return None;
        }
        let counting = self.counters.active & set.control() != 0 && n < 2;
        let source = if counting { self.source(set)[n] } else { 0 };
        Some(self.counters.values[set as usize][n].wrapping_add(source))
    }

    /// Sets a counter; false if there is no such counter or its set is not enabled.
    pub fn set_counter(&mut self, number: u64, value: u64) -> bool {
        let (Some(now), Some((set, n))) = (self.counter(number), CounterSet::of(number)) else { return false };
        let cell = &mut self.counters.values[set as usize][n];
        *cell = cell.wrapping_add(value.wrapping_sub(now));
        true
    }
}
