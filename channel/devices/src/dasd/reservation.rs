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
    /// Devices that joined, ever.
    parties: u64,
    holder: Option<u64>,
    /// Whose channel program is in progress, if others are to wait for that.
    worker: Option<u64>,
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
        state.parties
    }

    /// The device is no more.
    pub(super) fn leave(&self, party: u64) {
        self.rest(party);
        self.release(party);
    }

    /// Whether anybody has the disk reserved.
    pub fn reserved(&self) -> bool {
        self.state().holder.is_some()
    }

    /// Whether `party` may use the disk.
    pub(super) fn free_for(&self, party: u64) -> bool {
        self.state().free_for(party)
    }

    pub(super) fn held_by(&self, party: u64) -> bool {
        self.state().holder == Some(party)
    }

    /// As [`Reservation::free_for`]; if not, `bell` rings when that may have changed. With `work` the others wait from now on
    /// until [`Reservation::rest`].
    pub(super) fn wait(&self, party: u64, bell: Option<&Doorbell>, work: bool) -> bool {
        let mut state = self.state();
        if state.free_for(party) {
            if work {
                state.worker = Some(party);
            }
            return true;
        }
        state.waiting.extend(bell.cloned());
        false
    }

    /// The channel program of `party` is over.
    pub(super) fn rest(&self, party: u64) {
        let mut state = self.state();
        if state.worker == Some(party) {
            state.worker = None;
            ring(state);
        }
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
        ring(state);
    }
}

impl State {
    fn free_for(&self, party: u64) -> bool {
        [self.holder, self.worker].iter().flatten().all(|who| *who == party)
    }
}

/// Tells those who wait, with nothing locked.
fn ring(mut state: MutexGuard<'_, State>) {
    let waiting = std::mem::take(&mut state.waiting);
    drop(state);
    waiting.iter().for_each(Doorbell::ring);
}

impl fmt::Debug for Reservation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reservation({:?})", self.state().holder)
    }
}
