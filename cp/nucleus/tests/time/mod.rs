//! Time for tests: it stands until the test moves it, and the system and its disks have the same.

// Most tests leave it where it is.
#![allow(dead_code)]

use base::{Clock, Tod};
use devices::dasd::{Alarm, Call};
use std::sync::Mutex;

/// When it begins, in seconds of Unix: Wednesday, 20 November 1991, 08:00:00.
const BEGINNING: u64 = 690_624_000;

/// Nanoseconds since the beginning, and the calls that are wanted, each with its time.
#[derive(Default)]
pub(crate) struct Time(Mutex<(u64, Vec<(u64, Call)>)>);

impl Clock for Time {
    fn now(&self) -> Tod {
        Tod::from_unix_nanos(BEGINNING * 1_000_000_000 + self.0.lock().unwrap().0)
    }
}

impl Alarm for Time {
    fn now(&self) -> u64 {
        self.0.lock().unwrap().0
    }

    fn call(&self, at: u64, what: Call) {
        self.0.lock().unwrap().1.push((at, what));
    }
}

impl Time {
    pub(crate) fn pass(&self, milliseconds: u64) {
        let mut state = self.0.lock().unwrap();
        state.0 += milliseconds * 1_000_000;
        let now = state.0;
        let due: Vec<_> = state.1.extract_if(.., |(at, _)| *at <= now).collect();
        drop(state);
        due.into_iter().for_each(|(_, call)| call());
    }
}
