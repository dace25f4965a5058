//! Fuzz targets: everything that reads what strangers write must never panic and never hang.
//!
//! A target makes its inputs from a seed and a number, so a failure is repeated by naming the two. Inputs are put
//! together from the words and bytes of the thing itself and then damaged: most reach well past the first check.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

pub mod chance;
pub mod target;

use chance::Chance;
pub use target::{TARGETS, Target};

/// No input takes longer than this, unless something hangs. (It is noticed after one to two of these.)
const HANG: Duration = Duration::from_secs(10);

/// How long a target runs.
#[derive(Clone, Copy)]
pub enum Extent {
    /// As many inputs as fit into the time.
    Time(Duration),
    /// This many inputs.
    Inputs(u64),
}

/// Runs `target` on inputs number `first` and up of `seed`.
///
/// Returns how many there were, or the number of the input on which the target panicked or hung.
pub fn run(target: &'static Target, seed: u64, first: u64, extent: Extent) -> Result<u64, Failed> {
    let progress = std::sync::Arc::new(AtomicU64::new(first));
    let (done, finished) = channel();
    let worker = {
        let progress = progress.clone();
        move || {
            let began = Instant::now();
            let mut number = first;
            loop {
                let more = match extent {
                    Extent::Time(limit) => began.elapsed() < limit,
                    Extent::Inputs(count) => number - first < count,
                };
                if !more {
                    break;
                }
                progress.store(number, Ordering::Relaxed);
                let mut chance = Chance::new(seed.wrapping_add(number.wrapping_mul(0xD134_2543_DE82_EF95)));
                if catch_unwind(AssertUnwindSafe(|| (target.run)(&mut chance))).is_err() {
                    let _ = done.send(Err(Failed { number, hung: false }));
                    return;
                }
                number += 1;
            }
            let _ = done.send(Ok(number - first));
        }
    };
    thread::spawn(worker);
    let mut last = None;
    loop {
        match finished.recv_timeout(HANG) {
            Ok(result) => return result,
            Err(RecvTimeoutError::Timeout) => {
                let number = progress.load(Ordering::Relaxed);
                if last == Some(number) {
                    return Err(Failed { number, hung: true });
                }
                last = Some(number);
            }
            // The worker always sends before it ends.
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failed { number: progress.load(Ordering::Relaxed), hung: false });
            }
        }
    }
}

/// The input that showed the fault.
#[derive(Debug)]
pub struct Failed {
    /// The number of the input, which with the seed makes it again.
    pub number: u64,
    /// It did not come back, rather than panic.
    pub hung: bool,
}
