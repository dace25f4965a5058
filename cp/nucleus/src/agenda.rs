//! The agenda: what would otherwise be looked for among all users and terminals at every event.
//!
//! Consoles and terminals keep their own lines of it: whenever one is unlocked after a look or a change, what it is due
//! for then stands here ([`crate::console::ConsoleGuard`], [`crate::console::terminal`]). So an idle user costs
//! nothing.
//!
//! The locks here are below a terminal's; nothing is called with them.

use crate::timers::Timers;
use base::{Held, Tod};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What [`crate::system::Cp::tick`] has something to do for; terminals come before users.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Item {
    /// A terminal's page turns, or its alarm sounds.
    Terminal(u32),
    /// A user wakes up, is forced off, or has output for the secondary user.
    User(u32),
}

/// What is due when, which users have run, and how many terminals are dialed.
#[derive(Default)]
pub struct Agenda {
    due: Mutex<Timers<Item>>,
    /// Users with virtual machines that have run since they rested, each with a time at which it did.
    ran: Mutex<Timers<u32>>,
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

    /// The virtual machine of a user ran at this time; it may have run later without telling.
    pub fn has_run(&self, user: u32, at: Tod) {
        self.ran.lock().held().set(user, Some(at));
    }

    /// Takes a user of whom nothing is known later than a time that is `over`.
    pub fn take_idle(&self, over: impl FnOnce(Tod) -> bool) -> Option<u32> {
        self.ran.lock().held().take(over)
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
