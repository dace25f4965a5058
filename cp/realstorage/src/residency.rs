//! When the resident pages of a virtual machine are counted, and when it gives up what it does not need.
//!
//! Takes the times at which it runs, and gives answers; counting and resting are for the caller.

use base::Tod;
use std::sync::atomic::{AtomicU64, Ordering};

/// How often the working set of a virtual machine that runs is measured, in microseconds.
const MEASURED_EVERY: u64 = 10_000_000;

/// How long a virtual machine has nothing to do before it gives up what its processors know of its programs, in
/// microseconds.
const AWAKE: u64 = 10_000_000;

/// Whether a virtual machine that last ran at `ran` has had nothing to do for so long that it rests.
pub fn rests(ran: Tod, now: Tod) -> bool {
    now.micros_since(ran) > AWAKE
}

/// What is known of one virtual machine.
#[derive(Default)]
pub struct Residency {
    /// When its working set is measured next: a TOD clock value.
    measured: AtomicU64,
    /// When it last ran, if it has not rested since: a TOD clock value.
    ran: AtomicU64,
}

impl Residency {
    /// Whether it is time to measure the working set; if so, it will be again after a while.
    pub fn is_measured_at(&self, now: Tod) -> bool {
        let due = self.measured.load(Ordering::Relaxed) <= now.0;
        if due {
            self.measured.store(now.plus_micros(MEASURED_EVERY).0, Ordering::Relaxed);
        }
        due
    }

    /// A virtual CPU has just run; whether it is the first time since the virtual machine rested.
    pub fn has_run(&self, now: Tod) -> bool {
        self.ran.swap(now.0, Ordering::AcqRel) == 0
    }

    /// The virtual machine rests from now on, if it has had nothing to do for a while. If that has not been so long
    /// yet, this says when it last ran.
    pub fn rest(&self, now: Tod) -> Result<(), Tod> {
        let ran = self.ran.load(Ordering::Acquire);
        if !rests(Tod(ran), now) {
            return Err(Tod(ran));
        }
        self.ran.compare_exchange(ran, 0, Ordering::AcqRel, Ordering::Acquire).map(drop).map_err(Tod)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_rests_once_when_it_has_not_run_for_a_while() {
        let start = Tod::from_unix_nanos(690_624_000 * 1_000_000_000);
        let after = |seconds: u64| start.plus_micros(seconds * 1_000_000);
        let one = Residency::default();
        assert!(one.has_run(start) && !one.has_run(after(1)));
        assert_eq!(one.rest(after(11)), Err(after(1)));
        assert_eq!(one.rest(after(12)), Ok(()));
        assert!(one.has_run(after(13)), "it runs again");
    }

    #[test]
    fn pages_are_counted_from_time_to_time() {
        let one = Residency::default();
        let at = |micros: u64| Tod::from_unix_nanos(690_624_000 * 1_000_000_000).plus_micros(micros);
        assert!(one.is_measured_at(at(0)) && !one.is_measured_at(at(9_999_999)) && one.is_measured_at(at(10_000_000)));
    }
}
