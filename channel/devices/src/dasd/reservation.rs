//! RESERVE and RELEASE: which of the devices that stand for a disk, or for parts of one, has it for itself.
//!
//! A volume has one table ([`Reservations`]); a [`Reservation`] is a range of the volume in it. Ranges that have a unit
//! in common exclude one another. A device that has reserved a whole volume has its minidisks, too. One that has
//! reserved a minidisk keeps out devices that would reach it through the whole volume.

use super::sense::Fault;
use base::Held;
use css::Doorbell;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// Which devices have reserved which ranges of one volume.
#[derive(Default)]
pub struct Reservations {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Devices that joined, ever.
    parties: u64,
    holders: Vec<Hold>,
    /// Whose channel programs are in progress, if others are to wait for those.
    workers: Vec<Hold>,
    waiting: Vec<Doorbell>,
    /// Parties whose reservation was taken away, and that have not been told.
    robbed: Vec<u64>,
}

/// Whether a device may begin a channel program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Turn {
    Now,
    /// When others let go of the disk.
    Later,
    /// Not before it has heard that its reservation was taken away.
    Robbed,
}

/// A device has a range of the volume.
struct Hold {
    party: u64,
    range: Range<u64>,
}

impl Hold {
    fn meets(&self, range: &Range<u64>) -> bool {
        self.range.start < range.end && range.start < self.range.end
    }
}

/// A disk that may be reserved. One for each disk that guests share, in the [`Options`](super::Options) of every device
/// that stands for it.
pub struct Reservation {
    volume: Arc<Reservations>,
    range: Range<u64>,
    /// It has been reserved once.
    used: AtomicBool,
}

/// A disk of its own.
impl Default for Reservation {
    fn default() -> Reservation {
        Reservations::part(&Arc::default(), 0..u64::MAX)
    }
}

impl Reservations {
    /// The disk that is this range of the volume, in whatever units all its ranges are.
    pub fn part(volume: &Arc<Reservations>, range: Range<u64>) -> Reservation {
        Reservation { volume: volume.clone(), range, used: AtomicBool::new(false) }
    }
}

impl Reservation {
    fn state(&self) -> MutexGuard<'_, State> {
        self.volume.state.lock().held()
    }

    /// A new device of this disk, or a user of it; the number stands for it in the other calls.
    pub fn join(&self) -> u64 {
        let mut state = self.state();
        state.parties += 1;
        state.parties
    }

    /// The device is no more.
    pub(super) fn leave(&self, party: u64) {
        self.rest(party);
        self.release(party);
        self.state().robbed.retain(|robbed| *robbed != party);
    }

    /// Whether another party has reserved the disk, or a part of it, or what it is a part of.
    pub(super) fn kept_from(&self, party: u64) -> bool {
        self.state().holders.iter().any(|hold| hold.party != party && hold.meets(&self.range))
    }

    /// Whether any party has reserved the disk, or a part of it, or what it is a part of.
    pub fn reserved(&self) -> bool {
        self.state().holders.iter().any(|hold| hold.meets(&self.range))
    }

    /// Whether the disk is reserved, or was since it is there, be it for a moment.
    pub fn was_reserved(&self) -> bool {
        self.used.load(Ordering::Relaxed) || self.reserved()
    }

    /// Whether `party` may use the disk.
    pub(super) fn free_for(&self, party: u64) -> bool {
        self.state().free_for(party, &self.range)
    }

    pub(super) fn held_by(&self, party: u64) -> bool {
        self.state().holders.iter().any(|hold| hold.party == party)
    }

    /// Whether `party` may use the disk now; if it is to wait, `bell` rings when that may have changed. With `work` the
    /// others wait from now on until [`Reservation::rest`].
    pub(super) fn wait(&self, party: u64, bell: Option<&Doorbell>, work: bool) -> Turn {
        let mut state = self.state();
        if !state.robbed.is_empty() && state.robbed.contains(&party) {
            return Turn::Robbed;
        }
        if state.free_for(party, &self.range) {
            if work {
                state.workers.push(Hold { party, range: self.range.clone() });
            }
            return Turn::Now;
        }
        state.waiting.extend(bell.cloned());
        Turn::Later
    }

    /// The same where the first command of a channel program is performed. The error is that it waits, or what the
    /// command ends in: `party` has heard then that its reservation was taken away.
    pub(super) fn begin(&self, party: u64, bell: Option<&Doorbell>, work: bool) -> Result<(), Option<Fault>> {
        match self.wait(party, bell, work) {
            Turn::Now => Ok(()),
            Turn::Later => Err(None),
            Turn::Robbed => {
                self.state().robbed.retain(|robbed| *robbed != party);
                Err(Some(Fault::ReservationLost))
            }
        }
    }

    /// The channel program of `party` is over.
    pub(super) fn rest(&self, party: u64) {
        let mut state = self.state();
        let before = state.workers.len();
        state.workers.retain(|hold| hold.party != party);
        if state.workers.len() < before {
            ring(state);
        }
    }

    /// Reserves the disk for `party`, which may use it; `unconditional` takes it from the party that has it.
    pub(super) fn reserve(&self, party: u64, unconditional: bool) -> bool {
        self.used.store(true, Ordering::Relaxed);
        let mut state = self.state();
        let mine = |hold: &Hold| hold.party == party;
        state.robbed.retain(|robbed| *robbed != party);
        if unconditional {
            let State { holders, robbed, .. } = &mut *state;
            let taken = holders.extract_if(.., |hold| hold.meets(&self.range));
            robbed.extend(taken.map(|hold| hold.party).filter(|&taken| taken != party));
        } else if state.holders.iter().any(|hold| hold.meets(&self.range) && !mine(hold)) {
            return false;
        }
        if !state.holders.iter().any(mine) {
            state.holders.push(Hold { party, range: self.range.clone() });
        }
        true
    }

    /// Gives back what `party` has reserved, if anything; devices that wait are told.
    pub(super) fn release(&self, party: u64) {
        let mut state = self.state();
        let before = state.holders.len();
        state.holders.retain(|hold| hold.party != party);
        if state.holders.len() < before {
            ring(state);
        }
    }
}

impl State {
    fn free_for(&self, party: u64, range: &Range<u64>) -> bool {
        self.holders.iter().chain(&self.workers).all(|hold| hold.party == party || !hold.meets(range))
    }
}

/// Tells the devices that wait, with nothing locked.
fn ring(mut state: MutexGuard<'_, State>) {
    let waiting = std::mem::take(&mut state.waiting);
    drop(state);
    waiting.iter().for_each(Doorbell::ring);
}

impl fmt::Debug for Reservation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let holders: Vec<_> = self.state().holders.iter().map(|hold| (hold.party, hold.range.clone())).collect();
        write!(f, "Reservation({:?} of {holders:?})", self.range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_meet_exclude_one_another() {
        let volume = Arc::default();
        let [whole, one, two] = [0..100, 10..20, 20..30].map(|range| Reservations::part(&volume, range));
        let (w, a, b) = (whole.join(), one.join(), two.join());
        assert!(one.reserve(a, false) && two.reserve(b, false));
        assert!(!whole.reserve(w, false) && !whole.free_for(w) && whole.reserved());
        assert!(one.free_for(a) && one.held_by(a));
        one.release(a);
        assert!(!whole.reserve(w, false), "two is still reserved");
        two.release(b);
        assert!(whole.reserve(w, false) && whole.reserve(w, false), "again is no other");
        assert!(!one.free_for(a) && one.reserved() && !one.reserve(a, false));
        // Taken away: of the volume only `one` is reserved.
        assert!(one.reserve(a, true) && two.free_for(b) && !whole.free_for(w));
        whole.release(w);
        assert!(one.held_by(a));
        // A party that has lost the disk hears of it once, whether it is free again or not.
        assert_eq!(whole.wait(w, None, false), Turn::Robbed);
        assert!(matches!(whole.begin(w, None, false), Err(Some(Fault::ReservationLost))));
        assert!(matches!(whole.begin(w, None, false), Err(None)), "it waits");
        assert!(whole.kept_from(w) && !one.kept_from(a) && !two.kept_from(b));
        one.leave(a);
        assert!(whole.free_for(w) && !whole.reserved() && !whole.kept_from(w));
        // Not if it has taken the disk back before.
        assert!(whole.reserve(w, false) && one.reserve(a, true) && whole.reserve(w, true));
        assert_eq!([whole.wait(w, None, false), one.wait(a, None, false)], [Turn::Now, Turn::Robbed]);
    }

    #[test]
    fn who_works_keeps_others_waiting_and_no_longer() {
        let volume = Arc::default();
        let [whole, one, two] = [0..100, 10..20, 20..30].map(|range| Reservations::part(&volume, range));
        let (w, a, b) = (whole.join(), one.join(), two.join());
        assert_eq!([one.wait(a, None, true), two.wait(b, None, true)], [Turn::Now; 2]);
        assert_eq!(whole.wait(w, None, true), Turn::Later);
        one.rest(a);
        assert_eq!(whole.wait(w, None, true), Turn::Later);
        two.rest(b);
        assert!(whole.wait(w, None, true) == Turn::Now && !one.free_for(a));
        whole.leave(w);
        assert!(one.free_for(a));
    }
}
