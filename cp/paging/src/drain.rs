//! Volumes that are to be empty: they get no more pages, and those that they have leave them one by one.

use crate::space::{Held, Megabyte, SEGMENT};
use crate::storage::RealStorage;
use crate::{Place, Slot};

impl RealStorage {
    /// Has a volume, by its place in [`crate::Limits::volumes`], get no more pages (true), or get some again. False if
    /// there is no such volume. The copies of pages that are in frames are given up. A page that is on the volume alone
    /// leaves it when it comes back, or by [`RealStorage::next_to_leave`].
    pub fn drain(&mut self, volume: usize, drained: bool) -> bool {
        self.changes += 1;
        if !self.slots.drain(volume, drained) {
            return false;
        }
        if drained {
            let owned: Vec<(Slot, Place)> = self.slots.owned(volume).collect();
            for (slot, at) in owned {
                if self.spaces.contains_key(&at.space.0) && self.page(at).copy == Some(slot) {
                    self.leave(at);
                }
            }
        }
        true
    }

    /// A page in a frame gives up its copy on a slot.
    pub(crate) fn leave(&mut self, at: Place) {
        if let Held::Resident(frame) = self.page(at).held
            && let Some(slot) = self.page_mut(at).copy.take()
        {
            self.slots.release(slot);
            self.frames[frame.0 as usize].changed = true;
        }
    }

    /// Whether so many frames are available that some can be had for pages that nothing refers to.
    pub fn has_spare_frames(&self) -> bool {
        !self.is_short() && self.available.len() >= self.low() + 8
    }

    /// A page that is on a drained volume alone, and is to come back so that it leaves that; one of those that `may`
    /// allows. None where no other volume has room for it.
    pub fn next_to_leave(&mut self, may: impl Fn(Place) -> bool) -> Option<Place> {
        if !self.slots.has_room() {
            return None;
        }
        let spaces = &self.spaces;
        let is_away = |slot: Slot, at: Place| {
            let space = spaces.get(&at.space.0);
            match space.and_then(|space| space.megabytes.get((at.page / SEGMENT) as usize)) {
                Some(Megabyte::Own(segment)) => {
                    let page = &segment.pages[(at.page % SEGMENT) as usize];
                    page.held == Held::Away && page.copy == Some(slot) && may(at)
                }
                _ => false,
            }
        };
        self.slots.next_to_leave(is_away)
    }
}
