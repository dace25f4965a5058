//! The demand scan: from which address spaces frames are taken, and in which order.
//!
//! It runs when the available list is short, and ends when that has grown long enough, frames on their way out
//! included. The first pass takes what is hardly missed: unreferenced pages of saved segments, pages of users that have
//! nothing to do, unreferenced ones of the eligible list, and of the dispatch list those beyond a working set. The
//! second goes down to what SET RESERVED guarantees. The emergency pass takes whatever is not locked, when a reference
//! waits and no frame is available or on its way.
//!
//! A list is looked at from its bottom. A page that was referenced moves to the top and is withdrawn from processors,
//! so that its next reference is seen.

use crate::orders::Orders;
use crate::space::{Held, Kind, SpaceId, Standing};
use crate::storage::{RealStorage, Refused, State};
use crate::transfer::Source;
use crate::{Frame, Mover, Place, Use};
use std::vec::IntoIter;

/// Pages of one block set at most.
pub(crate) const BLOCK_SET: usize = 64;

/// What a visit may take.
#[derive(Clone, Copy, Debug)]
struct Terms {
    /// As many pages stay resident.
    floor: u32,
    /// Referenced pages are taken, too.
    all: bool,
}

/// A visit to an address space.
#[derive(Clone, Copy, Debug)]
struct Visit {
    space: SpaceId,
    terms: Terms,
    /// So many pages of its list have not been looked at.
    left: u32,
}

/// A demand scan under way.
#[derive(Debug)]
pub struct Scan {
    all: bool,
    goal: u32,
    taken: u32,
    pass: usize,
    places: IntoIter<(SpaceId, Terms)>,
    visit: Option<Visit>,
    /// Pages were given back.
    refused: bool,
}

impl Scan {
    /// How many frames it has taken so far, those on their way out included.
    pub fn taken(&self) -> u32 {
        self.taken
    }
}

/// Pages of one address space that a scan takes together. They are on no list until they are put away or given back.
#[derive(Debug)]
pub struct Batch {
    number: u32,
    /// The address space.
    pub space: SpaceId,
    /// The pages and their frames.
    pub pages: Vec<(Place, Frame)>,
}

impl RealStorage {
    /// Below so many available frames, the demand scan is due.
    pub fn low(&self) -> u32 {
        let frames = self.count;
        (frames / 512).max(self.orders.dispatch.len() as u32 * 2).clamp(48.min(frames / 8), frames / 4)
    }

    /// With so many available frames, it ends.
    pub fn high(&self) -> u32 {
        let frames = self.count;
        self.low() + (frames / 256).max(64.min(frames / 8))
    }

    /// Whether the demand scan is due.
    pub fn is_short(&self) -> bool {
        self.available.len() < self.low() || self.wanting || self.lent > 0
    }

    /// Frames on their way to the available list.
    fn leaving(&self) -> u32 {
        let out = self.transfers.values().filter(|transfer| transfer.out).flat_map(|transfer| &transfer.moves);
        out.filter(|part| !part.cancelled && matches!(part.page, Source::Frame(_))).count() as u32
    }

    /// Takes frames until there are enough. How many were taken, those on their way out included.
    pub fn scan(&mut self, now: u64, mover: &mut impl Mover) -> u32 {
        let Some(mut scan) = self.begin_scan() else { return 0 };
        while let Some(batch) = self.next_batch(&mut scan, mover) {
            let mut done = Vec::new();
            mover.withdraw(&batch.pages, &mut done);
            self.put_away(&mut scan, batch, &done, now, mover);
        }
        scan.taken
    }

    /// Begins a scan. None where nothing was found, as when page space is full: nothing is looked at again before
    /// something has changed.
    pub fn begin_scan(&mut self) -> Option<Scan> {
        let all = std::mem::take(&mut self.wanting) || self.lent > 0;
        if self.fruitless.is_some_and(|(changes, looked)| changes == self.changes && (looked || !all)) {
            return None;
        }
        let goal = (self.high() + self.lent).saturating_sub(self.available.len() + self.leaving());
        let places = self.victims(0).into_iter();
        Some(Scan { all, goal, taken: 0, pass: 0, places, visit: None, refused: false })
    }

    /// Whether the last scan looked for any frame at all and found none, and nothing has changed since.
    pub fn is_hopeless(&self) -> bool {
        self.fruitless == Some((self.changes, true)) && self.transfers.is_empty()
    }

    /// The next pages that the scan takes; none at its end. A page that is changed counts as changed until it leaves
    /// its frame, also if it is referred to before it is put away.
    pub fn next_batch(&mut self, scan: &mut Scan, mover: &mut impl Mover) -> Option<Batch> {
        while scan.taken < scan.goal {
            if let Some(visit) = &mut scan.visit {
                match self.choose(visit, scan.goal - scan.taken, mover) {
                    Some(batch) if batch.pages.is_empty() => continue,
                    Some(batch) => return Some(batch),
                    None => scan.visit = None,
                }
            } else if let Some((space, terms)) = scan.places.next() {
                let left = self.spaces.get(&space.0).map_or(0, |space| space.list.len());
                scan.visit = Some(Visit { space, terms, left });
            } else if scan.pass == 0 || scan.pass == 1 && scan.all && self.available.len() < 2 && self.leaving() == 0 {
                scan.pass += 1;
                scan.places = self.victims(scan.pass).into_iter();
            } else {
                break;
            }
        }
        scan.visit.take().iter().for_each(|visit| self.visited(visit.space));
        let fruitless = scan.taken == 0 && scan.goal > 0 && !scan.refused;
        self.fruitless = fruitless.then_some((self.changes, scan.all));
        None
    }

    /// The next round over the list begins after this address space.
    fn visited(&mut self, space: SpaceId) {
        match self.spaces.get(&space.0).map(|known| (known.kind, known.standing)) {
            Some((Kind::Guest, Standing::Dispatch)) => self.orders.cursors[0] = space.0,
            Some((Kind::Guest, _)) | None => (),
            Some(_) => self.orders.cursors[1] = space.0,
        }
    }

    /// The address spaces that a pass visits, in order, and what it may take of each.
    fn victims(&self, pass: usize) -> Vec<(SpaceId, Terms)> {
        let orders = &self.orders;
        let [dispatch, shared] = orders.cursors;
        let (dispatch, shared) = (Orders::round(&orders.dispatch, dispatch), Orders::round(&orders.shared, shared));
        let dormant = orders.dormant.iter().map(|&(_, space)| space);
        let eligible = orders.eligible.iter().map(|&(_, space)| space);
        let reserved = |space: SpaceId| self.space(space).reserved;
        let set = |space: SpaceId| self.space(space).wss.max(reserved(space));
        let terms = |floor, all| Terms { floor, all };
        let unreferenced = shared.iter().map(|&space| (space, terms(0, false)));
        match pass {
            0 => unreferenced
                .chain(dormant.map(|space| (space, terms(reserved(space), true))))
                .chain(eligible.map(|space| (space, terms(reserved(space), false))))
                .chain(dispatch.iter().map(|&space| (space, terms(set(space), false))))
                .collect(),
            1 => eligible
                .map(|space| (space, terms(reserved(space), true)))
                .chain(dispatch.iter().map(|&space| (space, terms(reserved(space), false))))
                .chain(unreferenced)
                .collect(),
            _ => dormant
                .chain(eligible)
                .chain(dispatch.iter().copied())
                .chain(shared.iter().copied())
                .chain(orders.system.iter().copied())
                .map(|space| (space, terms(0, true)))
                .collect(),
        }
    }

    /// The next pages of a visit: at most `want`, perhaps none. `None`: the visit is over.
    fn choose(&mut self, visit: &mut Visit, want: u32, mover: &mut impl Mover) -> Option<Batch> {
        let Visit { space, terms, .. } = *visit;
        let resident = self.spaces.get(&space.0).map_or(0, |space| space.resident);
        if visit.left == 0 || resident <= terms.floor {
            self.visited(space);
            return None;
        }
        let room = (resident - terms.floor).min(want).min(BLOCK_SET as u32) as usize;
        let (mut pages, mut spared) = (Vec::new(), Vec::new());
        while visit.left > 0 && pages.len() < room && spared.len() < BLOCK_SET {
            let Some(frame) = self.space(space).list.bottom().map(Frame) else {
                visit.left = 0;
                break;
            };
            let at = self.frames[frame.0 as usize].at;
            self.delist(at, frame);
            visit.left -= 1;
            match mover.look(at, frame).referenced && !terms.all {
                true => spared.push((at, frame)),
                false => pages.push((at, frame)),
            }
        }
        let mut done = Vec::new();
        mover.count_anew(&spared, &mut done);
        for (&(at, frame), used) in spared.iter().zip(&done) {
            self.note(at, frame, *used);
            self.enlist(at, frame, true);
        }
        let number = self.next_number();
        for (_, frame) in &pages {
            let entry = &mut self.frames[frame.0 as usize];
            (entry.state, entry.transfer) = (State::Withdrawn, number);
        }
        Some(Batch { number, space, pages })
    }

    /// Which of the batch's pages are still in it, by their places there.
    fn still_in(&self, batch: &Batch) -> Vec<usize> {
        let is_in = |&n: &usize| {
            let (at, frame) = batch.pages[n];
            let entry = &self.frames[frame.0 as usize];
            entry.state == State::Withdrawn && entry.transfer == batch.number && entry.at == at
        };
        (0..batch.pages.len()).filter(is_in).collect()
    }

    /// The pages of a batch have been withdrawn, and `done` says for each what was done with it. Those that nothing has
    /// referred to meanwhile leave their frames.
    pub fn put_away(&mut self, scan: &mut Scan, batch: Batch, done: &[Use], now: u64, mover: &mut impl Mover) {
        let still_in = self.still_in(&batch);
        for &n in &still_in {
            let (at, frame) = batch.pages[n];
            self.note(at, frame, done[n]);
        }
        let victims: Vec<_> = still_in.iter().map(|&n| batch.pages[n]).collect();
        let (count, full) = self.find_places(&victims, now, mover);
        scan.taken += count;
        self.counts.taken[scan.pass] += u64::from(count);
        let in_queue = |space: &crate::space::Space| (space.kind, space.standing) == (Kind::Guest, Standing::Dispatch);
        if self.spaces.get(&batch.space.0).is_some_and(in_queue) {
            self.counts.taken_in_queue += u64::from(count);
        }
        if let (true, Some(visit)) = (full, &mut scan.visit) {
            visit.left = 0;
        }
    }

    /// The pages of a batch cannot be withdrawn: they stay, and the scan goes on with another address space.
    pub fn give_back(&mut self, scan: &mut Scan, batch: &Batch) {
        scan.refused = true;
        for n in self.still_in(batch) {
            let (at, frame) = batch.pages[n];
            self.enlist(at, frame, true);
        }
        if let Some(visit) = &mut scan.visit {
            visit.left = 0;
        }
    }

    /// Remembers what was done with a page. A copy on a slot is of no use when the page was changed.
    pub(crate) fn note(&mut self, at: Place, frame: Frame, used: Use) {
        if used.changed {
            self.frames[frame.0 as usize].changed = true;
            if let Some(slot) = self.page_mut(at).copy.take() {
                self.slots.release(slot);
            }
        }
    }

    /// Finds other places for pages of one address space that are withdrawn and on no list. How many have left their
    /// frames or are about to, and whether page space is full: then the others stay.
    fn find_places(&mut self, victims: &[(Place, Frame)], now: u64, mover: &mut impl Mover) -> (u32, bool) {
        let (mut out, mut taken) = (Vec::new(), 0);
        for &(at, frame) in victims {
            let entry = self.frames[frame.0 as usize];
            let held = match self.page(at).copy {
                Some(_) => Some(Held::Away),
                None if entry.cleared && !entry.changed => Some(Held::Nothing),
                None if mover.is_blank(at, frame) => Some(Held::Nothing),
                None => self.blocks.take(at, now).map(Held::Expanded),
            };
            let Some(held) = held else {
                out.push((at, frame));
                continue;
            };
            match held {
                Held::Expanded(block) => {
                    mover.put(at, frame, block);
                    self.counts.puts += 1;
                    self.space_mut(at.space).puts += 1;
                }
                _ => self.counts.dropped += 1,
            }
            mover.vacate(at, frame);
            self.page_mut(at).held = held;
            self.space_mut(at.space).resident -= 1;
            self.free_frame(frame);
            self.frame_went(at);
            taken += 1;
        }
        let mut rest = out.as_slice();
        while !rest.is_empty() {
            let pages: Vec<Place> = rest.iter().map(|&(at, _)| at).collect();
            let found = self.slots.take(&pages).or_else(|| self.give_up_copies().then(|| self.slots.take(&pages))?);
            let Some((first, count)) = found else {
                self.counts.full += rest.len() as u64;
                rest.iter().for_each(|&(at, frame)| self.enlist(at, frame, true));
                return (taken, true);
            };
            let (now_out, later) = rest.split_at(count as usize);
            let slots = (first.0..first.0 + count).map(crate::Slot);
            let moves = now_out.iter().zip(slots).map(|(&(at, frame), slot)| (at, Source::Frame(frame), slot));
            let number = self.begin(true, moves);
            for &(at, frame) in now_out {
                let entry = &mut self.frames[frame.0 as usize];
                (entry.state, entry.transfer) = (State::Transit, number);
                self.page_mut(at).held = Held::Leaving(frame, number);
                self.space_mut(at.space).resident -= 1;
            }
            taken += count;
            rest = later;
        }
        (taken, false)
    }

    /// Page space is full: the copies of pages that are in frames give way. Whether there was one.
    fn give_up_copies(&mut self) -> bool {
        let mut found = false;
        for n in 0..self.frames.len() {
            let entry = self.frames[n];
            if !matches!(entry.state, State::Owned | State::Locked) {
                continue;
            }
            if let Some(slot) = self.page_mut(entry.at).copy.take() {
                self.slots.release(slot);
                self.frames[n].changed = true;
                found = true;
            }
        }
        found
    }

    /// Finds out the working set of an address space: what was referred to since this was done last, smoothed.
    /// References count from nothing.
    pub fn measure(&mut self, space: SpaceId, max_wss: u32, mover: &mut impl Mover) -> Result<u32, Refused> {
        let list = self.spaces.get(&space.0).ok_or(Refused::NoPage)?.list;
        let all: Vec<(Place, Frame)> =
            self.links.upwards(&list).map(|frame| (self.frames[frame as usize].at, Frame(frame))).collect();
        let mut done = Vec::new();
        mover.count_anew(&all, &mut done);
        let referenced = done.iter().filter(|used| used.referenced).count() as u32;
        for (&(at, frame), used) in all.iter().zip(&done) {
            self.note(at, frame, *used);
        }
        let known = self.space_mut(space);
        let floor = known.reserved.min(known.resident) + known.locked;
        known.wss = ((known.wss + referenced + known.locked) / 2).max(floor).min(max_wss);
        Ok(known.wss)
    }

    /// The owner of the address space is in another list of the scheduler. When it leaves the dispatch list, its
    /// working set is what it has referred to in its stay, and references count from nothing.
    pub fn stand(
        &mut self,
        space: SpaceId,
        standing: Standing,
        max_wss: u32,
        mover: &mut impl Mover,
    ) -> Result<(), Refused> {
        self.changes += 1;
        let known = self.spaces.get(&space.0).ok_or(Refused::NoPage)?;
        let (kind, before, list) = (known.kind, known.standing, known.list);
        if before == Standing::Dispatch && standing != Standing::Dispatch {
            self.measure(space, max_wss, mover)?;
        }
        if list.len() > 0 {
            self.orders.remove(space, kind, before);
            self.orders.insert(space, kind, standing);
        }
        self.space_mut(space).standing = standing;
        Ok(())
    }
}
