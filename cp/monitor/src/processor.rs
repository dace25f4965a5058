//! What is counted of a real processor: where it happens, by the thread that is the processor.

use base::Tod;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Why interpretive execution ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// The time slice, or another virtual CPU's or CP's wish.
    Slice,
    /// An enabled wait.
    Wait,
    /// DIAGNOSE.
    Diagnose,
    /// IUCV.
    Iucv,
    /// An interruption of IUCV or VMCF to be presented.
    Message,
    /// A step of TRACE.
    Step,
    /// Stopped, a disabled wait, a program loop.
    Stop,
}

/// How many causes there are.
const CAUSES: usize = 7;

/// The counters of a processor.
#[derive(Default)]
pub struct Processor {
    /// Virtual CPUs that were dispatched.
    pub dispatched: AtomicU64,
    /// Microseconds that virtual CPUs ran.
    pub emulation: AtomicU64,
    /// Microseconds that users were charged for.
    pub users: AtomicU64,
    /// Microseconds that it had something to do.
    pub busy: AtomicU64,
    /// START SUBCHANNEL, and I/O by DIAGNOSE.
    pub started: AtomicU64,
    /// Failures of CP.
    pub soft_abends: AtomicU64,
    /// Pages that the host mapped, and pages that it read, when the processor referred to them.
    pub mapped: AtomicU64,
    /// Pages that the host read when the processor referred to them.
    pub read: AtomicU64,
    causes: [AtomicU64; CAUSES],
    /// When the host was asked for pages last: a TOD clock value.
    asked: AtomicU64,
}

impl Processor {
    /// Interpretive execution has ended.
    pub fn ended(&self, cause: Cause) {
        self.causes[cause as usize].fetch_add(1, Relaxed);
    }

    /// How often it ended for this.
    pub fn count(&self, cause: Cause) -> u64 {
        self.causes[cause as usize].load(Relaxed)
    }

    /// How often it was begun.
    pub fn interpreted(&self) -> u64 {
        self.causes.iter().map(|cause| cause.load(Relaxed)).sum()
    }

    /// Whether the host has not been asked for pages for a second, which it is now.
    pub fn is_behind(&self, now: Tod) -> bool {
        /// A second, in microseconds.
        const OFTEN: u64 = 1_000_000;
        let behind = now.micros_since(Tod(self.asked.load(Relaxed))) >= OFTEN;
        if behind {
            self.asked.store(now.0, Relaxed);
        }
        behind
    }

    /// A virtual CPU was run for `busy` microseconds: those that it ran, and those that its user is charged for.
    pub fn has_run(&self, busy: u64, emulation: u64, users: u64, started: u64) {
        self.dispatched.fetch_add(1, Relaxed);
        self.busy.fetch_add(busy, Relaxed);
        self.emulation.fetch_add(emulation, Relaxed);
        self.users.fetch_add(users, Relaxed);
        self.started.fetch_add(started, Relaxed);
    }
}
