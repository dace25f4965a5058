//! The agenda: what would otherwise be looked for among all users and terminals at every event.
//!
//! Consoles and terminals keep their own lines of it: whenever one is unlocked after a look or a change, what it is due
//! for then stands here ([`crate::ConsoleGuard`], [`crate::terminal`]). So an idle user costs nothing.
//!
//! The locks here are below a terminal's; nothing is called with them.

use base::{Held, Timers, Tod};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What CP has something to do for when time passes; terminals come before users.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Item {
    /// A terminal's page turns, or its alarm sounds.
    Terminal(u32),
    /// A user wakes up, is forced off, or has output for the secondary user.
    User(u32),
    /// A user's program has not said in time that it is still well (DIAGNOSE X'288').
    Watchdog(u32),
}

/// What is due when, and how many terminals are dialed.
#[derive(Default)]
pub struct Agenda {
    due: Mutex<Timers<Item>>,
    dialed: AtomicUsize,
}

impl Agenda {
    /// Something is due at this time from now on, or not at all.
    pub fn set(&self, item: Item, at: Option<Tod>) {
        self.due.lock().held().set(item, at);
    }

    /// When the first is due.
    pub fn deadline(&self) -> Option<Tod> {
        self.due.lock().held().first()
    }

    /// What is due at `now`.
    pub fn due(&self, now: Tod) -> Vec<Item> {
        self.due.lock().held().due(now)
    }

    /// One terminal more is dialed to a virtual machine, or one less.
    pub fn count_dialed(&self, more: bool) {
        match more {
            true => self.dialed.fetch_add(1, Ordering::AcqRel),
            false => self.dialed.fetch_sub(1, Ordering::AcqRel),
        };
    }

    /// How many terminals are dialed to virtual machines.
    pub fn dialed(&self) -> usize {
        self.dialed.load(Ordering::Acquire)
    }
}
