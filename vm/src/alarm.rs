//! The alarm of disks that take their time: a thread that says when some of it has passed.

use devices::dasd::{Alarm, Call};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What is to be done, and when.
pub struct HostAlarm {
    start: Instant,
    calls: Mutex<Vec<(u64, Call)>>,
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

    fn calls(&self) -> MutexGuard<'_, Vec<(u64, Call)>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut calls = self.calls();
        loop {
            let now = self.now();
            let due: Vec<_> = calls.extract_if(.., |(at, _)| *at <= now).collect();
            let next = calls.iter().map(|(at, _)| *at).min();
            if !due.is_empty() {
                // They take locks and wake threads: not with anything locked.
                drop(calls);
                due.into_iter().for_each(|(_, call)| call());
                calls = self.calls();
                continue;
            }
            calls = match next {
                None => self.changed.wait(calls).unwrap_or_else(PoisonError::into_inner),
                Some(at) => {
                    let pause = Duration::from_nanos(at.saturating_sub(now));
                    self.changed.wait_timeout(calls, pause).unwrap_or_else(PoisonError::into_inner).0
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
        self.calls().push((at, what));
        self.changed.notify_one();
    }
}
