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

/// Pages of one block set at most.
pub(crate) const BLOCK_SET: usize = 64;

/// What a visit may take.
#[derive(Clone, Copy)]
struct Terms {
    /// As many pages stay resident.
    floor: u32,
    /// Referenced pages are taken, too.
    all: bool,
    pass: usize,
}

impl RealStorage {
    /// Below so many available frames, the demand scan is due.
    pub fn low(&self) -> u32 {
        let frames = self.frames.len() as u32;
        (frames / 512).max(self.orders.dispatch.len() as u32 * 2).clamp(48.min(frames / 8), frames / 4)
    }

    /// With so many available frames, it ends.
    pub fn high(&self) -> u32 {
        let frames = self.frames.len() as u32;
        self.low() + (frames / 256).max(64.min(frames / 8))
    }

    /// Whether the demand scan is due.
    pub fn is_short(&self) -> bool {
        self.available.len() < self.low() || self.wanting
    }

    /// Frames on their way to the available list.
    fn leaving(&self) -> u32 {
        let out = self.transfers.values().filter(|transfer| transfer.out).flat_map(|transfer| &transfer.moves);
        out.filter(|part| !part.cancelled && matches!(part.page, Source::Frame(_))).count() as u32
    }

    /// Takes frames until there are enough. How many were taken, those on their way out included. Where nothing was
    /// found, as when page space is full, nothing is looked at again before something has changed.
    pub fn scan(&mut self, now: u64, mover: &mut impl Mover) -> u32 {
        let all = std::mem::take(&mut self.wanting);
        if self.fruitless.is_some_and(|(changes, looked)| changes == self.changes && (looked || !all)) {
            return 0;
        }
        let goal = self.high().saturating_sub(self.available.len() + self.leaving());
        let mut taken = 0;
        for pass in 0..3 {
            if pass == 2 && !(all && self.available.len() < 2 && self.leaving() == 0) {
                break;
            }
            for (space, terms) in self.victims(pass) {
                if taken >= goal {
                    break;
                }
                taken += self.steal(space, goal - taken, terms, now, mover);
            }
        }
        self.fruitless = (taken == 0 && goal > 0).then_some((self.changes, all));
        taken
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
        let terms = |floor, all| Terms { floor, all, pass };
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

    /// Takes at most `want` frames of one address space. How many it were.
    fn steal(&mut self, space: SpaceId, want: u32, terms: Terms, now: u64, mover: &mut impl Mover) -> u32 {
        let (mut left, mut taken) = (self.space(space).list.len(), 0);
        while left > 0 && taken < want && self.space(space).resident > terms.floor {
            let room = (self.space(space).resident - terms.floor).min(want - taken).min(BLOCK_SET as u32) as usize;
            let (mut victims, mut spared) = (Vec::new(), Vec::new());
            while left > 0 && victims.len() < room && spared.len() < BLOCK_SET {
                let Some(frame) = self.space(space).list.bottom().map(Frame) else { break };
                let at = self.frames[frame.0 as usize].at;
                self.delist(at, frame);
                left -= 1;
                match mover.look(at, frame).referenced && !terms.all {
                    true => spared.push((at, frame)),
                    false => victims.push((at, frame)),
                }
            }
            let mut done = Vec::new();
            let both: Vec<_> = victims.iter().chain(&spared).copied().collect();
            mover.withdraw(&both, &mut done);
            for (&(at, frame), used) in both.iter().zip(&done) {
                self.note(at, frame, *used);
            }
            spared.iter().for_each(|&(at, frame)| self.enlist(at, frame, true));
            let (count, full) = self.put_away(&victims, now, mover);
            taken += count;
            self.counts.taken[terms.pass] += u64::from(count);
            if full {
                break;
            }
        }
        let kind_of_guest = self.space(space).kind == Kind::Guest;
        match self.space(space).standing {
            _ if !kind_of_guest => self.orders.cursors[1] = space.0,
            Standing::Dispatch => {
                self.orders.cursors[0] = space.0;
                self.counts.taken_in_queue += u64::from(taken);
            }
            _ => (),
        }
        taken
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
    fn put_away(&mut self, victims: &[(Place, Frame)], now: u64, mover: &mut impl Mover) -> (u32, bool) {
        let (mut out, mut taken) = (Vec::new(), 0);
        for &(at, frame) in victims {
            let entry = self.frames[frame.0 as usize];
            let held = match self.page(at).copy {
                Some(_) => Some(Held::Away),
                None if entry.cleared && !entry.changed => Some(Held::Nothing),
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
            let Some((first, count)) = self.slots.take(&pages) else {
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
            let all: Vec<(Place, Frame)> =
                self.links.upwards(&list).map(|frame| (self.frames[frame as usize].at, Frame(frame))).collect();
            let mut done = Vec::new();
            mover.withdraw(&all, &mut done);
            let referenced = done.iter().filter(|used| used.referenced).count() as u32;
            for (&(at, frame), used) in all.iter().zip(&done) {
                self.note(at, frame, *used);
            }
            let known = self.space_mut(space);
            let floor = known.reserved.min(known.resident) + known.locked;
            known.wss = ((known.wss + referenced + known.locked) / 2).max(floor).min(max_wss);
        }
        if list.len() > 0 {
            self.orders.remove(space, kind, before);
            self.orders.insert(space, kind, standing);
        }
        self.space_mut(space).standing = standing;
        Ok(())
    }
}
