//! The alarm of disks that take their time: a thread that rings their bells.

use css::Doorbell;
use devices::dasd::Alarm;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What is to be rung, and when.
pub struct HostAlarm {
    start: Instant,
    bells: Mutex<Vec<(u64, Doorbell)>>,
    changed: Condvar,
}

impl HostAlarm {
    /// An alarm and its thread, which is there as long as the process.
    pub fn start() -> std::io::Result<Arc<HostAlarm>> {
        let alarm = HostAlarm { start: Instant::now(), bells: Mutex::default(), changed: Condvar::new() };
        let alarm = Arc::new(alarm);
        let running = alarm.clone();
        std::thread::Builder::new().name("disk alarm".into()).spawn(move || running.run())?;
        Ok(alarm)
    }

    fn bells(&self) -> MutexGuard<'_, Vec<(u64, Doorbell)>> {
        self.bells.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut bells = self.bells();
        loop {
            let now = self.now();
            let mut due = Vec::new();
            bells.retain(|(at, bell)| {
                let later = *at > now;
                if !later {
                    due.push(bell.clone());
                }
                later
            });
            let next = bells.iter().map(|(at, _)| *at).min();
            if !due.is_empty() {
                // Bells wake threads: not with anything locked.
                drop(bells);
                due.iter().for_each(Doorbell::ring);
                bells = self.bells();
                continue;
            }
            bells = match next {
                None => self.changed.wait(bells).unwrap_or_else(PoisonError::into_inner),
                Some(at) => {
                    let pause = Duration::from_nanos(at.saturating_sub(now));
                    self.changed.wait_timeout(bells, pause).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}

impl Alarm for HostAlarm {
    fn now(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }

    fn ring(&self, at: u64, bell: Doorbell) {
        self.bells().push((at, bell));
        self.changed.notify_one();
    }
}
