//! CP for tests: over a directory, with a clock of the test's, and without the host's console.

// Each test has one of the clocks, or its own.
#![allow(dead_code)]

use base::{Clock, Tod};
use consoles::host::Silent;
use directory::{Directory, Passwords};
use nucleus::system::{Cp, SystemConfig};
use spool::Spool;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A system with the users of this source, which must have no mistakes.
pub(crate) fn system(users: &str, spool: Option<Spool>, clock: Arc<dyn Clock>) -> Cp {
    let directory = Directory::parse("USER DIRECT", users, &Passwords::default()).expect("the directory is right");
    engine::provide(jit::translator);
    Cp::new(SystemConfig::default(), directory, spool, clock, Arc::new(Silent))
}

/// Wednesday, 20 November 1991, 08:00:00.
fn morning() -> AtomicU64 {
    AtomicU64::new(Tod::from_unix_nanos(690_624_000_000_000_000).0)
}

/// A clock that stands until it is set forward.
pub(crate) struct Hand(AtomicU64);

impl Hand {
    pub(crate) fn new() -> Arc<Hand> {
        Arc::new(Hand(morning()))
    }

    pub(crate) fn pass(&self, seconds: u64) {
        self.set(self.now().plus_micros(seconds * 1_000_000));
    }

    /// Sets it to a time, unless it is later already.
    pub(crate) fn set(&self, at: Tod) {
        self.0.fetch_max(at.0, Ordering::Relaxed);
    }
}

impl Clock for Hand {
    fn now(&self) -> Tod {
        Tod(self.0.load(Ordering::Relaxed))
    }
}

/// A clock that goes on by a tenth of a millisecond at each look.
pub(crate) struct Ticking(AtomicU64);

impl Ticking {
    pub(crate) fn new() -> Arc<Ticking> {
        Arc::new(Ticking(morning()))
    }

    /// Lets so many microseconds pass.
    pub(crate) fn pass(&self, micros: u64) {
        self.0.fetch_add(Tod(0).plus_micros(micros).0, Ordering::Relaxed);
    }
}

impl Clock for Ticking {
    fn now(&self) -> Tod {
        let step = Tod(0).plus_micros(100).0;
        Tod(self.0.fetch_add(step, Ordering::Relaxed) + step)
    }
}
