//! Pages that CP takes from a configuration: its CPUs must not reach them any more.
//!
//! A CPU purges its TLB between two instructions if it runs, and says so ([`cpu::Signals`]). Then it has nothing left
//! of what it had looked up before. If it does not run, its TLB is purged for it, as soon as nothing else has its
//! state: CP works with the states of CPUs that do not run, and reaches storage by them.

use crate::Configuration;
use std::cell::Cell;
use std::sync::TryLockError;
use std::time::{Duration, Instant};

thread_local! {
    /// Nanoseconds of paging on this thread that no virtual CPU has been charged for yet.
    static PAGING: Cell<u64> = const { Cell::new(0) };
}

/// Nanoseconds of paging on this thread since this was asked last.
pub(crate) fn take_paging() -> u64 {
    PAGING.take()
}

/// As if so many had been spent since it was asked last.
pub(crate) fn put_paging(ns: u64) {
    PAGING.set(ns);
}

impl Configuration {
    /// Brings pages by `work`, where a program that refers to them waits. Their time is CP's and not the program's: in
    /// the total time of the virtual CPU that this thread runs, not in its virtual time.
    pub fn bring_pages<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = self.now();
        let result = work();
        let spent = self.now().unix_nanos().saturating_sub(before.unix_nanos());
        PAGING.set(PAGING.get() + spent);
        result
    }

    /// Has all CPUs give up what they know of translations, and waits for it. False: one of them has not within that
    /// time, and may know them still.
    pub fn withdraw(&self, patience: Duration) -> bool {
        let tickets: Vec<u64> = self.shared.signals.iter().map(cpu::Signals::ask_purge).collect();
        let start = Instant::now();
        for (n, ticket) in tickets.into_iter().enumerate() {
            let signals = &self.shared.signals[n];
            let mut tries = 0;
            while !signals.has_purged(ticket) {
                let core = match self.cpus[n].core.try_lock() {
                    Ok(core) => Some(core),
                    Err(TryLockError::Poisoned(core)) => Some(core.into_inner()),
                    Err(TryLockError::WouldBlock) => None,
                };
                if let Some(mut core) = core {
                    let ticket = signals.purge_started();
                    core.state.purge_tlb();
                    signals.purge_finished(ticket);
                    break;
                }
                tries += 1;
                // A CPU that runs answers within a few microseconds.
                match tries {
                    ..1000 => std::hint::spin_loop(),
                    _ if start.elapsed() > patience => return false,
                    _ => std::thread::yield_now(),
                }
            }
        }
        true
    }

    /// Has all CPUs look for pages anew, sooner or later.
    pub fn purge_soon(&self) {
        self.shared.signals.iter().for_each(|signals| signals.raise(cpu::attention::PURGE));
    }
}
