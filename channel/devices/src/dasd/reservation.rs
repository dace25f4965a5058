//! RESERVE and RELEASE: which of the devices that stand for one disk has it for itself.

use css::Doorbell;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Who has a disk reserved. One for each disk that guests share, in the [`Options`](super::Options) of every device
/// that stands for it.
#[derive(Default)]
pub struct Reservation {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Devices that joined, ever and now.
    parties: u64,
    present: u64,
    holder: Option<u64>,
    waiting: Vec<Doorbell>,
}

impl Reservation {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new device of this disk; the number stands for it in the other calls.
    pub(super) fn join(&self) -> u64 {
        let mut state = self.state();
        state.parties += 1;
        state.present += 1;
        state.parties
    }

    /// The device is no more.
    pub(super) fn leave(&self, party: u64) {
        self.release(party);
        self.state().present -= 1;
    }

    /// Whether anybody has the disk reserved.
    pub fn reserved(&self) -> bool {
        self.state().holder.is_some()
    }

    /// Whether `party` may use the disk.
    pub(super) fn free_for(&self, party: u64) -> bool {
        self.state().holder.is_none_or(|holder| holder == party)
    }

    pub(super) fn held_by(&self, party: u64) -> bool {
        self.state().holder == Some(party)
    }

    /// As [`Reservation::free_for`]; if not, `bell` rings when the disk is released.
    pub(super) fn wait(&self, party: u64, bell: Option<&Doorbell>) -> bool {
        let mut state = self.state();
        if state.holder.is_none_or(|holder| holder == party) {
            return true;
        }
        state.waiting.extend(bell.cloned());
        false
    }

    /// Reserves the disk for `party`, who may use it; `unconditional` takes it from whoever has it.
    pub(super) fn reserve(&self, party: u64, unconditional: bool) -> bool {
        let mut state = self.state();
        if !unconditional && state.holder.is_some_and(|holder| holder != party) {
            return false;
        }
        state.holder = Some(party);
        true
    }

    /// Gives back what `party` has reserved, if anything; those who wait are told.
    pub(super) fn release(&self, party: u64) {
        let mut state = self.state();
        if state.holder != Some(party) {
            return;
        }
        state.holder = None;
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        for bell in waiting {
            bell.ring();
        }
    }
}

impl fmt::Debug for Reservation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reservation({:?})", self.state().holder)
    }
}
