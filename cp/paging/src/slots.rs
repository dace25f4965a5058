//! Page space: which slots are free, and which page's copy is on each of the others.
//!
//! Each volume has a cursor that sweeps over it. A block set takes the next free slots in a row at or after the cursor,
//! and is cut shorter where there is no such row. Of several volumes, the one with the fewest transfers under way is
//! asked first.

use crate::{Place, Slot};
use std::ops::Range;

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// The page whose copy is there.
    at: Option<Place>,
    /// The first slot of its block set, and how many slots that has.
    set: (u32, u32),
}

/// The slots of one volume.
#[derive(Debug)]
struct Volume {
    slots: Range<u32>,
    cursor: u32,
    free: u32,
    in_flight: u32,
}

/// All slots.
#[derive(Debug)]
pub(crate) struct Slots {
    entries: Vec<Entry>,
    /// A bit for each slot that is taken, or cannot be used.
    busy: Vec<u64>,
    volumes: Vec<Volume>,
    bad: u32,
}

impl Slots {
    pub(crate) fn new(volumes: &[u32]) -> Slots {
        let mut first = 0;
        let volumes: Vec<Volume> = volumes
            .iter()
            .map(|&count| {
                let slots = first..first + count;
                first = slots.end;
                Volume { cursor: slots.start, slots, free: count, in_flight: 0 }
            })
            .collect();
        let entries = vec![Entry::default(); first as usize];
        Slots { entries, busy: vec![0; first.div_ceil(64) as usize], volumes, bad: 0 }
    }

    pub(crate) fn count(&self) -> u32 {
        self.entries.len() as u32
    }

    pub(crate) fn free(&self) -> u32 {
        self.volumes.iter().map(|volume| volume.free).sum()
    }

    /// Slots that failed, and are not used any more.
    pub(crate) fn bad(&self) -> u32 {
        self.bad
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
        let mut order: Vec<usize> = (0..self.volumes.len()).filter(|&n| self.volumes[n].free > 0).collect();
        order.sort_by_key(|&n| (self.volumes[n].in_flight, n));
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
                let volume = &mut self.volumes[n];
                volume.free -= count;
                volume.in_flight += count;
                volume.cursor = if first + count == slots.end { slots.start } else { first + count };
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
        self.bad += 1;
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
