//! The one spool of a system, as its devices and commands share it: locked for each use, and perhaps not there.

use crate::{Error, Spool};
use base::Held;
use std::sync::{Arc, Mutex, MutexGuard};

/// The system's spool; `None` in a system that has none, where readers are empty and punches not ready.
pub type Shared = Arc<Mutex<Option<Spool>>>;

/// Locks the spool.
pub fn lock(spool: &Shared) -> MutexGuard<'_, Option<Spool>> {
    spool.lock().held()
}

/// Does something with the spool, or says that there is none.
pub fn with<T>(spool: &Shared, action: impl FnOnce(&mut Spool) -> Result<T, Error>) -> Result<T, Error> {
    lock(spool).as_mut().ok_or(Error::Absent).and_then(action)
}

/// Asks something of the spool; without one there are no files.
pub fn ask<T: Default>(spool: &Shared, question: impl FnOnce(&Spool) -> T) -> T {
    lock(spool).as_ref().map(question).unwrap_or_default()
}
