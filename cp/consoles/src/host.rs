//! What CP asks of the program around it, and what it tells it.

use arch::Psw;
use std::sync::Arc;

/// What the program around CP does for it. Called with all kinds of locks held: it must only take a note and return.
pub trait Host: Send + Sync {
    /// A terminal has something new to show.
    fn changed(&self, terminal: u32);
    /// There is work for the processors, or an earlier time to wake up at.
    fn work(&self) {}
    /// This thread begins to run a virtual machine, for a few milliseconds at most: what changes and what there is to
    /// do because of it may be told at once, when it [has run](Host::has_run).
    fn runs(&self) {}
    /// This thread has run a virtual machine.
    fn has_run(&self) {}
    /// How many pages the host has mapped and has read, ever, because this thread referred to them; `None` if it does
    /// not say.
    fn faults(&self) -> Option<(u64, u64)> {
        None
    }
    /// A virtual machine has come to an end by itself; its user is in CP READ.
    fn ended(&self, _userid: &str, _how: &Ending) {}
    /// The password of a user, if it was changed since the directory was read.
    fn password(&self, _userid: &str) -> Option<directory::Password> {
        None
    }
    /// SHUTDOWN: the program is to end.
    fn shut_down(&self) {}
}

/// How a guest came to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// It stopped all its CPUs: powered off.
    Stopped,
    /// A wait that no interruption can end, with this PSW.
    DisabledWait(Psw),
    /// Program interruptions without end.
    ProgramLoop,
    /// Endicott failed.
    CheckStop,
    /// It asked to be loaded again and there is nothing to load from.
    NothingToLoad,
}

/// A host that does nothing, for tests that ask by themselves.
pub struct Silent;

impl Host for Silent {
    fn changed(&self, _: u32) {}
}

/// A terminal as its host knows it.
#[derive(Clone)]
pub struct Handle {
    /// The terminal's number at its host.
    pub terminal: u32,
    /// The host that has the terminal.
    pub host: Arc<dyn Host>,
}

impl Handle {
    /// Has the host look at what is to be seen.
    pub fn touch(&self) {
        self.host.changed(self.terminal);
    }
}
