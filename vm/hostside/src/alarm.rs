//! The alarm of disks that take their time: a thread that says when some of it has passed.

use base::Held;
use devices::dasd::{Alarm, Call};
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// What is to be done, by its time and a number of its own.
#[derive(Default)]
struct Calls {
    by_time: BTreeMap<(u64, u64), Call>,
    asked: u64,
}

/// What is to be done, and when.
pub struct HostAlarm {
    start: Instant,
    calls: Mutex<Calls>,
    changed: Condvar,
}

impl HostAlarm {
    /// An alarm and its thread, which is there as long as the process.
    pub fn start() -> std::io::Result<Arc<HostAlarm>> {
        let alarm = HostAlarm { start: Instant::now(), calls: Mutex::default(), changed: Condvar::new() };
        let alarm = Arc::new(alarm);
        let running = alarm.clone();
        std::thread::Builder::new().name("disk alarm".into()).spawn(move || running.run())?;
        Ok(alarm)
    }

    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().held()
    }

    fn run(&self) {
        let mut calls = self.calls();
        loop {
            let now = self.now();
            let later = calls.by_time.split_off(&(now + 1, 0));
            let due = std::mem::replace(&mut calls.by_time, later);
            let next = calls.by_time.first_key_value().map(|(&(at, _), _)| at);
            if !due.is_empty() {
                // They take locks and wake threads: not with anything locked.
                drop(calls);
                due.into_values().for_each(|call| call());
                calls = self.calls();
                continue;
            }
            calls = match next {
                None => self.changed.wait(calls).held(),
                Some(at) => {
                    let pause = Duration::from_nanos(at.saturating_sub(now));
                    self.changed.wait_timeout(calls, pause).held().0
                }
            };
        }
    }
}

impl Alarm for HostAlarm {
    fn now(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }

    fn call(&self, at: u64, what: Call) {
        let mut calls = self.calls();
        calls.asked += 1;
        let number = calls.asked;
        calls.by_time.insert((at, number), what);
        drop(calls);
        self.changed.notify_one();
    }
}
