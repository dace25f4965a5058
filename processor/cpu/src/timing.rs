//! CPU timer and clock comparator (POP, chapter 4, "Timing").

use crate::signals::attention;
use crate::state::{CpuTimer, State};
use base::Tod;

/// A clock comparator that never comes.
pub const FOREVER: u64 = u64::MAX;

impl State {
    /// The host's clock now.
    pub fn host_now(&self) -> Tod {
        self.held_clock.unwrap_or_else(|| self.shared.clock.now())
    }

    /// The CPU timer's value now.
    pub fn cpu_timer(&self) -> u64 {
        self.cpu_timer.value.wrapping_sub(self.present_run(|| self.host_now()))
    }

    /// How long the CPU has been run since its timer was set or it was last dispatched.
    fn present_run(&self, now: impl FnOnce() -> Tod) -> u64 {
        self.cpu_timer.since.map_or(0, |since| now().0.wrapping_sub(since.0))
    }

    /// SET CPU TIMER.
    pub fn set_cpu_timer(&mut self, value: u64) {
        let now = self.host_now();
        let ran = self.ran_until(now);
        let since = self.cpu_timer.since.map(|_| now);
        self.cpu_timer = CpuTimer { value, since, ran };
        self.timers_at(now);
    }

    /// SET CLOCK COMPARATOR.
    pub fn set_clock_comparator(&mut self, value: u64) {
        self.clock_comparator = value;
        self.timers_changed();
    }

    /// The CPU is being run (true) or not: the CPU timer counts or stands still.
    pub fn set_timer_running(&mut self, running: bool) {
        let now = self.host_now();
        let value = self.cpu_timer.value.wrapping_sub(self.present_run(|| now));
        let ran = self.ran_until(now);
        self.cpu_timer = CpuTimer { value, since: running.then_some(now), ran };
    }

    /// How long this CPU has been run, in units of the TOD clock (4096 a microsecond).
    pub fn running_time(&self) -> u64 {
        self.cpu_timer.ran.wrapping_add(self.present_run(|| self.host_now()))
    }

    fn ran_until(&self, now: Tod) -> u64 {
        self.cpu_timer.ran.wrapping_add(self.present_run(|| now))
    }

    /// Finds out which of the two timers is due, and sets or takes back their attention bits.
    pub fn timers_changed(&mut self) {
        self.timers_at(self.host_now());
    }

    fn timers_at(&mut self, now: Tod) {
        let mut due = 0;
        if self.tod_at(now) > self.clock_comparator {
            due |= attention::CLOCK_COMPARATOR;
        }
        if (self.cpu_timer.value.wrapping_sub(self.present_run(|| now)) as i64) < 0 {
            due |= attention::CPU_TIMER;
        }
        let told = self.signals().attention() & (attention::CLOCK_COMPARATOR | attention::CPU_TIMER);
        if due & !told != 0 {
            self.signals().raise(due);
        }
        if told & !due != 0 {
            self.signals().lower(told & !due);
        }
    }

    /// When the clock comparator would interrupt, in the host clock's time; `None` if it never will as things are.
    pub fn next_timer(&self) -> Option<Tod> {
        if self.open & attention::CLOCK_COMPARATOR == 0 || self.clock_comparator == FOREVER {
            return None;
        }
        let offset = self.shared.tod_offset.load(std::sync::atomic::Ordering::Relaxed);
        Some(Tod(self.clock_comparator.wrapping_sub(offset).wrapping_add(1)))
    }
}
