//! Page space: which slots are free, and which page's copy is on each of the others.
//!
//! Each volume has a cursor that sweeps over it. A block set takes the next free slots in a row at or after the cursor,
//! and is cut shorter where there is no such row. Of several volumes, the one with the fewest transfers under way is
//! asked first, and of those with as few, the one that was used longest ago. Volumes for overflow, which are spool
//! space, are used when all others are full. A drained volume gets no more pages, and has as much room as it has pages.

use crate::{Place, Slot};
use std::ops::Range;

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// The page whose copy is there.
    at: Option<Place>,
    /// The first slot of its block set, and how many slots that has.
    set: (u32, u32),
}

/// What a page volume has room for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// Slots.
    pub slots: u32,
    /// It is used when the volumes without this are full.
    pub overflow: bool,
}

impl From<u32> for Room {
    fn from(slots: u32) -> Room {
        Room { slots, overflow: false }
    }
}

/// What is in use of some slots of a volume.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SlotUse {
    /// Slots with copies of pages, or on their way to that.
    pub slots: u32,
    /// Units, such as cylinders, that have such a slot.
    pub units: u32,
    /// So many slots, from the first on, have been in use at all.
    pub high: u32,
    /// Slots that failed.
    pub bad: u32,
}

/// The slots of one volume.
#[derive(Debug)]
struct Volume {
    slots: Range<u32>,
    overflow: bool,
    drained: bool,
    cursor: u32,
    free: u32,
    in_flight: u32,
    bad: u32,
    /// The one after the last that was ever taken.
    high: u32,
    /// When it was used last, by a count of uses.
    turn: u64,
}

/// All slots.
#[derive(Debug)]
pub(crate) struct Slots {
    entries: Vec<Entry>,
    /// A bit for each slot that is taken, or cannot be used.
    busy: Vec<u64>,
    volumes: Vec<Volume>,
    turns: u64,
    /// Where the search for pages that are to leave drained volumes goes on.
    leaving: u32,
}

impl Slots {
    pub(crate) fn new(volumes: &[Room]) -> Slots {
        let mut first = 0;
        let volumes: Vec<Volume> = volumes
            .iter()
            .map(|&Room { slots: count, overflow }| {
                let slots = first..first + count;
                first = slots.end;
                let (cursor, high) = (slots.start, slots.start);
                Volume { slots, overflow, drained: false, cursor, free: count, in_flight: 0, bad: 0, high, turn: 0 }
            })
            .collect();
        let entries = vec![Entry::default(); first as usize];
        Slots { entries, busy: vec![0; first.div_ceil(64) as usize], volumes, turns: 0, leaving: 0 }
    }

    /// Has a volume get no more pages, or get some again. False if there is no such volume.
    pub(crate) fn drain(&mut self, volume: usize, drained: bool) -> bool {
        self.volumes.get_mut(volume).map(|volume| volume.drained = drained).is_some()
    }

    /// Whether it gets no more.
    pub(crate) fn is_drained(&self, volume: usize) -> bool {
        self.volumes.get(volume).is_some_and(|volume| volume.drained)
    }

    /// The slots of a volume that pages have copies on.
    pub(crate) fn owned(&self, volume: usize) -> impl Iterator<Item = (Slot, Place)> + '_ {
        let slots = self.volumes.get(volume).map_or(0..0, |volume| volume.slots.clone());
        slots.filter_map(|slot| Some((Slot(slot), self.entries[slot as usize].at?)))
    }

    /// Whether any volume has room.
    pub(crate) fn has_room(&self) -> bool {
        self.volumes.iter().any(|volume| !volume.drained && volume.free > 0)
    }

    /// The next page with a copy on a drained volume for which `choose` is true.
    pub(crate) fn next_to_leave(&mut self, choose: impl Fn(Slot, Place) -> bool) -> Option<Place> {
        let chosen =
            |slot: u32| self.entries[slot as usize].at.filter(|&at| choose(Slot(slot), at)).map(|at| (slot, at));
        let left = || self.volumes.iter().filter(|volume| volume.drained).flat_map(|volume| volume.slots.clone());
        let after = left().filter(|&slot| slot >= self.leaving).find_map(chosen);
        let (slot, at) = after.or_else(|| left().find_map(chosen))?;
        self.leaving = slot + 1;
        Some(at)
    }

    /// Whether a page that comes from this slot leaves it for good.
    pub(crate) fn is_left(&self, slot: Slot) -> bool {
        self.volumes.iter().any(|volume| volume.drained && volume.slots.contains(&slot.0))
    }

    pub(crate) fn count(&self) -> u32 {
        self.entries.len() as u32
    }

    pub(crate) fn free(&self) -> u32 {
        self.volumes.iter().map(|volume| volume.free).sum()
    }

    /// Slots that failed, and are not used any more.
    pub(crate) fn bad(&self) -> u32 {
        self.volumes.iter().map(|volume| volume.bad).sum()
    }

    /// All slots that have not failed, and those of them that are in use: of page space, or of what it overflows to. Of
    /// drained volumes only those count that are in use.
    pub(crate) fn tier(&self, overflow: bool) -> (u32, u32) {
        let of = self.volumes.iter().filter(|volume| volume.overflow == overflow);
        of.fold((0, 0), |(all, used), volume| {
            let mine = volume.slots.len() as u32 - volume.bad - volume.free;
            (all + mine + if volume.drained { 0 } else { volume.free }, used + mine)
        })
    }

    /// What is in use of these slots of a volume, which are units of so many slots each.
    pub(crate) fn usage(&self, volume: usize, slots: Range<u32>, unit: u32) -> SlotUse {
        let Some(volume) = self.volumes.get(volume) else { return SlotUse::default() };
        let base = volume.slots.start;
        let (first, end) = (base + slots.start, (base + slots.end).min(volume.slots.end));
        let mut found = SlotUse { high: volume.high.clamp(first, end.max(first)) - first, ..SlotUse::default() };
        let mut at = first;
        while at < end {
            let next = (at + unit.max(1)).min(end);
            let used = (at..next).filter(|&slot| self.entries[slot as usize].at.is_some()).count() as u32;
            let busy = (at..next).filter(|&slot| self.is_busy(slot)).count() as u32;
            found.slots += used;
            found.bad += busy - used;
            found.units += u32::from(used > 0);
            at = next;
        }
        found
    }

    fn is_busy(&self, slot: u32) -> bool {
        self.busy[slot as usize / 64] >> (slot % 64) & 1 == 1
    }

    /// The first free slot in the range.
    fn next_free(&self, range: Range<u32>) -> Option<u32> {
        let mut slot = range.start;
        while slot < range.end {
            let free = !(self.busy[slot as usize / 64] >> (slot % 64));
            // Bits that were shifted in on the left count as free here, and lie in the next word.
            let step = free.trailing_zeros().min(64 - slot % 64);
            if step == 0 {
                return Some(slot);
            }
            slot += step;
        }
        None
    }

    /// The first row of `count` free slots in the range.
    fn row(&self, range: Range<u32>, count: u32) -> Option<u32> {
        let mut first = self.next_free(range.clone())?;
        loop {
            if range.end - first < count {
                return None;
            }
            match (first..first + count).find(|&slot| self.is_busy(slot)) {
                None => return Some(first),
                Some(busy) => first = self.next_free(busy + 1..range.end)?,
            }
        }
    }

    /// Takes the next free slots in a row for these pages, or for the first of them where there is no longer row. The
    /// first slot and their number; none if page space is full. They are in flight until [`Slots::landed`].
    pub(crate) fn take(&mut self, pages: &[Place]) -> Option<(Slot, u32)> {
        self.take_of(pages, false).or_else(|| self.take_of(pages, true))
    }

    /// Takes them of page space, or of what it overflows to.
    fn take_of(&mut self, pages: &[Place], overflow: bool) -> Option<(Slot, u32)> {
        let usable = |volume: &Volume| volume.free > 0 && volume.overflow == overflow && !volume.drained;
        let mut order: Vec<usize> = (0..self.volumes.len()).filter(|&n| usable(&self.volumes[n])).collect();
        order.sort_by_key(|&n| (self.volumes[n].in_flight, self.volumes[n].turn, n));
        let mut count = pages.len() as u32;
        while count > 0 {
            for &n in &order {
                let Volume { slots, cursor, .. } = &self.volumes[n];
                let (slots, cursor) = (slots.clone(), *cursor);
                let found = self.row(cursor..slots.end, count).or_else(|| self.row(slots.clone(), count));
                let Some(first) = found else { continue };
                for (slot, &at) in (first..first + count).zip(pages) {
                    self.busy[slot as usize / 64] |= 1 << (slot % 64);
                    self.entries[slot as usize] = Entry { at: Some(at), set: (first, count) };
                }
                self.turns += 1;
                let volume = &mut self.volumes[n];
                volume.free -= count;
                volume.in_flight += count;
                volume.cursor = if first + count == slots.end { slots.start } else { first + count };
                volume.high = volume.high.max(first + count);
                volume.turn = self.turns;
                return Some((Slot(first), count));
            }
            count = if count > 1 { count.div_ceil(2) } else { 0 };
        }
        None
    }

    fn volume(&mut self, slot: Slot) -> &mut Volume {
        self.volumes.iter_mut().find(|volume| volume.slots.contains(&slot.0)).expect("every slot is on a volume")
    }

    /// A transfer to or from the slot begins.
    pub(crate) fn depart(&mut self, slot: Slot) {
        self.volume(slot).in_flight += 1;
    }

    /// A transfer to or from the slot has ended.
    pub(crate) fn landed(&mut self, slot: Slot) {
        self.volume(slot).in_flight -= 1;
    }

    /// Frees a slot.
    pub(crate) fn release(&mut self, slot: Slot) {
        let entry = std::mem::take(&mut self.entries[slot.0 as usize]);
        assert!(entry.at.is_some(), "a page has the slot");
        self.busy[slot.0 as usize / 64] &= !(1 << (slot.0 % 64));
        self.volume(slot).free += 1;
    }

    /// The slot cannot be written: it is never used again.
    pub(crate) fn spoil(&mut self, slot: Slot) {
        self.entries[slot.0 as usize] = Entry::default();
        self.volume(slot).bad += 1;
    }

    /// The page whose copy is on the slot.
    pub(crate) fn owner(&self, slot: Slot) -> Option<Place> {
        self.entries[slot.0 as usize].at
    }

    /// The slots of the block set that this one belongs to, those whose pages have left it apart.
    pub(crate) fn set(&self, slot: Slot) -> impl Iterator<Item = (Slot, Place)> + '_ {
        let set @ (first, count) = self.entries[slot.0 as usize].set;
        (first..first + count).filter_map(move |slot| {
            let entry = &self.entries[slot as usize];
            entry.at.filter(|_| entry.set == set).map(|at| (Slot(slot), at))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SpaceId;

    #[test]
    fn a_drained_volume_gets_no_pages() {
        let mut slots = Slots::new(&[Room::from(10), Room::from(10), Room { slots: 10, overflow: true }]);
        assert_eq!(slots.take(&pages(4)), Some((Slot(0), 4)));
        assert!(slots.drain(0, true) && slots.is_drained(0) && !slots.drain(3, true) && !slots.is_drained(3));
        assert_eq!((slots.tier(false), slots.is_left(Slot(3)), slots.is_left(Slot(13))), ((14, 4), true, false));
        assert_eq!(slots.owned(0).map(|(slot, _)| slot.0).collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert_eq!(slots.take(&pages(10)), Some((Slot(10), 10)));
        // Nothing is left but spool space.
        assert_eq!(slots.take(&pages(2)), Some((Slot(20), 2)));
        slots.drain(2, true);
        assert_eq!(slots.take(&pages(2)), None);
        slots.drain(0, false);
        assert_eq!(slots.take(&pages(2)), Some((Slot(4), 2)));
        assert_eq!((slots.tier(false), slots.tier(true)), ((20, 16), (2, 2)));
    }

    fn pages(count: u32) -> Vec<Place> {
        (0..count).map(|page| Place { space: SpaceId(1), page }).collect()
    }

    #[test]
    fn volumes_are_used_in_turn_and_overflow_when_they_are_full() {
        let room = |slots, overflow| Room { slots, overflow };
        let mut slots = Slots::new(&[room(100, true), room(64, false), room(96, false)]);
        let mut taken = Vec::new();
        for _ in 0..5 {
            let (first, count) = slots.take(&pages(32)).expect("there is room");
            (first.0..first.0 + count).for_each(|slot| slots.landed(Slot(slot)));
            taken.push((first.0, count));
        }
        assert_eq!(taken, [(100, 32), (164, 32), (132, 32), (196, 32), (228, 32)]);
        assert_eq!((slots.tier(false), slots.tier(true)), ((160, 160), (100, 0)));
        // What is left of page space is used before spool space, however small it is.
        slots.release(Slot(150));
        slots.release(Slot(200));
        assert_eq!(slots.take(&pages(64)), Some((Slot(150), 1)));
        assert_eq!(slots.take(&pages(64)), Some((Slot(200), 1)));
        assert_eq!(slots.take(&pages(64)), Some((Slot(0), 64)));
        slots.spoil(Slot(3));
        assert_eq!((slots.tier(true), slots.bad()), ((99, 63), 1));
        slots.release(Slot(63));
        let spool = slots.usage(0, 0..100, 10);
        assert_eq!(spool, SlotUse { slots: 62, units: 7, high: 64, bad: 1 });
        assert_eq!(slots.usage(0, 70..100, 10), SlotUse::default());
        assert_eq!(slots.usage(2, 32..96, 64), SlotUse { slots: 64, units: 1, high: 64, bad: 0 });
        assert_eq!(slots.usage(7, 0..10, 1), SlotUse::default());
    }
}
