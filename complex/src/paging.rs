//! Pages that CP takes from a configuration: its CPUs must not reach them any more.
//!
//! A CPU purges its TLB between two instructions if it runs, and says so ([`cpu::Signals`]). Then it has nothing left
//! of what it had looked up before. If it does not run, its TLB is purged for it, as soon as nothing else has its
//! state: CP works with the states of CPUs that do not run, and reaches storage by them.

use crate::Configuration;
use std::sync::TryLockError;
use std::time::{Duration, Instant};

impl Configuration {
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
