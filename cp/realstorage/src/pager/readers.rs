//! Readers: threads that bring pages which no CPU waits for, and say when they have come.
//!
//! There are none before a program first asks for such a page. They alone tell what waits, with nothing locked.

use super::state::{Inner, Pool};
use base::Held;
use complex::Configuration;
use paging::Place;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

/// So many pages are read at the same time, each with those of its block set that come with it.
const READERS: usize = 4;

impl Inner {
    /// Whether there are readers. If not, the host has no threads for them.
    pub(super) fn has_readers(&self, pool: &mut Pool) -> bool {
        if pool.readers.is_empty() && !pool.ended {
            let reader = |_| {
                let inner = self.own.upgrade()?;
                std::thread::Builder::new().name("page reader".into()).spawn(move || inner.read()).ok()
            };
            pool.readers = (0..READERS).map_while(reader).collect();
        }
        !pool.readers.is_empty()
    }

    /// The pager has ended: waits until the readers have, too.
    pub(super) fn dismiss_readers(&self) {
        let readers = std::mem::take(&mut self.lock().readers);
        self.reads.notify_all();
        for reader in readers {
            // What a reader lets go of last may have been the pager's owner.
            if reader.thread().id() != std::thread::current().id() {
                let _ = reader.join();
            }
        }
    }

    /// Pages have come, or could not be read: what waits for them is told soon.
    pub(super) fn arrive(&self, pool: &mut Pool, told: &[(Place, bool)]) {
        for (at, good) in told {
            let Some(tickets) = pool.awaited.remove(at) else { continue };
            let Some(owner) = pool.hands.spaces.get(&at.space) else { continue };
            let (machine, flags) = (owner.configuration.clone(), owner.flags.clone());
            match good {
                true => pool.arrived.push((machine, tickets)),
                false => {
                    flags.lost.store(u64::from(at.page) + 1, SeqCst);
                    pool.arrived.push((machine, Vec::new()));
                }
            }
            self.reads.notify_one();
        }
    }

    /// What a reader does until the pager ends.
    fn read(&self) {
        let mut pool = self.lock();
        while !pool.ended {
            let arrived = std::mem::take(&mut pool.arrived);
            if !arrived.is_empty() {
                drop(pool);
                for (machine, tickets) in arrived {
                    machine.upgrade().iter().for_each(|machine| tell(machine, &tickets));
                }
                pool = self.lock();
            } else if let Some(transfer) = pool.incoming.pop_front() {
                drop(pool);
                pool = self.fetch(&transfer).0;
            } else {
                pool = self.reads.wait(pool).held();
            }
        }
    }
}

/// Tells a machine of its pages; without tickets, that one of them is lost, for which it stops.
fn tell(machine: &Arc<Configuration>, tickets: &[u64]) {
    tickets.iter().for_each(|&ticket| machine.page_came(ticket));
    if tickets.is_empty() {
        machine.cpus().for_each(|cpu| machine.summon(cpu));
    }
}
