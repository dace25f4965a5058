//! The frame table and what is asked of it: references, releases, locks, the comings and goings of address spaces.

use crate::blocks::Blocks;
use crate::counts::Counts;
use crate::list::{Links, List};
use crate::orders::Orders;
use crate::slots::{Room, Slots};
use crate::space::{Held, Kind, Megabyte, Page, SEGMENT, Segment, Space, SpaceId, Standing};
use crate::transfer::{Move, Outcome, Source, Transfer};
use crate::{Block, Frame, Mover, Place, Slot, Use};
use std::collections::BTreeMap;
use std::ops::Range;

/// How large everything is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Frames of the dynamic paging area: real storage without what CP has of it for good.
    pub frames: u32,
    /// CP's blocks of expanded storage.
    pub blocks: u32,
    /// Page space, volume by volume.
    pub volumes: Vec<Room>,
    /// So many pages of a block set come back together at most: what refers to one of them waits for all.
    pub read_set: usize,
}

/// What of a frame is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    /// On the available list.
    Available,
    /// On a user-frame-owned list.
    Owned,
    /// On no list, since its page is in a batch of the demand scan.
    Withdrawn,
    /// Its page is locked, and on no list.
    Locked,
    /// On its way out or in.
    Transit,
    /// On its way, but for a page that is gone: it becomes available then.
    Doomed,
    /// A page management block.
    Table,
    /// CP's free storage.
    FreeStorage,
    /// It was lent and has been paid back: there is no such frame for the time being.
    Retired,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) state: State,
    /// The page in it.
    pub(crate) at: Place,
    /// The page was changed since it came, or since its copy was written.
    pub(crate) changed: bool,
    /// The page was all zeros when it came.
    pub(crate) cleared: bool,
    /// By which transfer it is on its way, or in which batch of the demand scan, if it is.
    pub(crate) transfer: u32,
}

/// How a reference to a page ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Touch {
    /// The page is in the frame: a processor may reach it.
    Ready(Frame),
    /// It comes by this transfer. If it has been begun just now, it is the caller's to do.
    Wait(u32),
    /// No frame is available. The demand scan finds one.
    Deferred,
}

/// Why something cannot be done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// There is no such page, or no such address space.
    NoPage,
    /// The page is not in a frame now.
    NotResident,
    /// The page is not locked.
    NotLocked,
    /// Others use the address space.
    InUse,
    /// There are not so many frames.
    NoFrames,
}

/// Real storage, expanded storage and page space, and who has what of them.
#[derive(Debug)]
pub struct RealStorage {
    /// How many frames there are. The table has entries for those that are lent as well.
    pub(crate) count: u32,
    read_set: usize,
    pub(crate) frames: Vec<Entry>,
    /// How many frames are lent, and entries of such as are not.
    pub(crate) lent: u32,
    pub(crate) retired: Vec<u32>,
    pub(crate) links: Links,
    pub(crate) available: List,
    pub(crate) blocks: Blocks,
    pub(crate) slots: Slots,
    pub(crate) spaces: BTreeMap<u32, Space>,
    pub(crate) orders: Orders,
    pub(crate) transfers: BTreeMap<u32, Transfer>,
    /// Transfers that have been begun, for the caller.
    pub(crate) begun: Vec<Transfer>,
    pub(crate) counts: Counts,
    /// A reference found no frame since the last scan.
    pub(crate) wanting: bool,
    /// How often something has changed that may let a scan find frames.
    pub(crate) changes: u64,
    /// The last scan found nothing: how often things had changed by then, and whether it looked for all.
    pub(crate) fruitless: Option<(u64, bool)>,
    next_space: u32,
    next_transfer: u32,
}

impl RealStorage {
    /// All frames available, nothing in expanded storage and page space.
    pub fn new(limits: &Limits) -> RealStorage {
        let (mut links, mut available) = (Links::new(limits.frames), List::default());
        (0..limits.frames).rev().for_each(|frame| links.push_bottom(&mut available, frame));
        let at = Place { space: SpaceId(u32::MAX), page: 0 };
        let entry = Entry { state: State::Available, at, changed: false, cleared: false, transfer: 0 };
        RealStorage {
            count: limits.frames,
            read_set: limits.read_set,
            lent: 0,
            retired: Vec::new(),
            frames: vec![entry; limits.frames as usize],
            links,
            available,
            blocks: Blocks::new(limits.blocks),
            slots: Slots::new(&limits.volumes),
            spaces: BTreeMap::new(),
            orders: Orders::default(),
            transfers: BTreeMap::new(),
            begun: Vec::new(),
            counts: Counts::default(),
            wanting: false,
            changes: 0,
            fruitless: None,
            next_space: 0,
            next_transfer: 0,
        }
    }

    /// What has happened so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The transfers that have been begun since the last call.
    pub fn take_begun(&mut self) -> Vec<Transfer> {
        std::mem::take(&mut self.begun)
    }

    pub(crate) fn space(&self, space: SpaceId) -> &Space {
        self.spaces.get(&space.0).expect("the address space exists")
    }

    pub(crate) fn space_mut(&mut self, space: SpaceId) -> &mut Space {
        self.spaces.get_mut(&space.0).expect("the address space exists")
    }

    fn segment_mut(&mut self, at: Place) -> &mut Segment {
        match &mut self.space_mut(at.space).megabytes[(at.page / SEGMENT) as usize] {
            Megabyte::Own(segment) => segment,
            _ => panic!("the page is in a megabyte of its space"),
        }
    }

    pub(crate) fn page(&self, at: Place) -> &Page {
        match &self.space(at.space).megabytes[(at.page / SEGMENT) as usize] {
            Megabyte::Own(segment) => &segment.pages[(at.page % SEGMENT) as usize],
            _ => panic!("the page is in a megabyte of its space"),
        }
    }

    pub(crate) fn page_mut(&mut self, at: Place) -> &mut Page {
        &mut self.segment_mut(at).pages[(at.page % SEGMENT) as usize]
    }

    /// Adds an address space of so many pages.
    pub fn create(&mut self, kind: Kind, pages: u32) -> SpaceId {
        let id = SpaceId(self.next_space);
        self.next_space += 1;
        let megabytes = (0..pages.div_ceil(SEGMENT)).map(|_| Megabyte::Untouched).collect();
        let space = Space {
            kind,
            pages,
            megabytes,
            list: List::default(),
            resident: 0,
            locked: 0,
            reserved: 0,
            wss: 0,
            standing: Standing::Dispatch,
            reads: 0,
            writes: 0,
            gets: 0,
            puts: 0,
            migrated: 0,
            users: 0,
        };
        self.spaces.insert(id.0, space);
        id
    }

    /// The page that is meant by a place: one of a saved segment, if the megabyte is attached.
    pub fn resolve(&self, at: Place) -> Result<Place, Refused> {
        let space = self.spaces.get(&at.space.0).filter(|space| at.page < space.pages).ok_or(Refused::NoPage)?;
        match space.megabytes[(at.page / SEGMENT) as usize] {
            Megabyte::Attached(other, segment) => {
                self.resolve(Place { space: other, page: segment * SEGMENT + at.page % SEGMENT })
            }
            _ => Ok(at),
        }
    }

    /// Puts a megabyte of a shared space in the place of one that was never referred to, or was released.
    pub fn attach(&mut self, to: SpaceId, megabyte: u32, from: SpaceId, segment: u32) -> Result<(), Refused> {
        let shared = self.spaces.get(&from.0).filter(|space| space.kind == Kind::Shared).ok_or(Refused::NoPage)?;
        if segment as usize >= shared.megabytes.len() {
            return Err(Refused::NoPage);
        }
        let space = self.spaces.get_mut(&to.0).filter(|space| space.kind != Kind::Shared).ok_or(Refused::NoPage)?;
        match space.megabytes.get_mut(megabyte as usize).ok_or(Refused::NoPage)? {
            own @ Megabyte::Untouched => *own = Megabyte::Attached(from, segment),
            _ => return Err(Refused::InUse),
        }
        self.space_mut(from).users += 1;
        Ok(())
    }

    /// Takes an attached megabyte away again.
    pub fn detach(&mut self, from: SpaceId, megabyte: u32) -> Result<(), Refused> {
        let space = self.spaces.get_mut(&from.0).ok_or(Refused::NoPage)?;
        let place = space.megabytes.get_mut(megabyte as usize).ok_or(Refused::NoPage)?;
        let Megabyte::Attached(shared, _) = *place else { return Err(Refused::NoPage) };
        *place = Megabyte::Untouched;
        self.space_mut(shared).users -= 1;
        Ok(())
    }

    /// A frame for the page, off the available list.
    pub(crate) fn take_frame(&mut self, at: Place, state: State) -> Option<Frame> {
        let frame = self.links.pop_bottom(&mut self.available)?;
        self.frames[frame as usize] = Entry { state, at, changed: false, cleared: false, transfer: 0 };
        Some(Frame(frame))
    }

    /// The frame, which is on no list, becomes available, or pays back one that is lent.
    pub(crate) fn free_frame(&mut self, frame: Frame) {
        self.changes += 1;
        let entry = &mut self.frames[frame.0 as usize];
        if self.lent > 0 {
            self.lent -= 1;
            entry.state = State::Retired;
            return self.retired.push(frame.0);
        }
        entry.state = State::Available;
        self.links.push_top(&mut self.available, frame.0);
    }

    /// One more frame is available than there are.
    fn lend(&mut self) {
        self.lent += 1;
        let frame = self.retired.pop().unwrap_or_else(|| {
            let at = Place { space: SpaceId(u32::MAX), page: 0 };
            self.frames.push(Entry { state: State::Retired, at, changed: false, cleared: false, transfer: 0 });
            self.links.grow();
            self.frames.len() as u32 - 1
        });
        self.frames[frame as usize].state = State::Available;
        self.links.push_top(&mut self.available, frame);
    }

    /// How many frames are lent: references that could not wait have so many more than there are.
    pub fn lent(&self) -> u32 {
        self.lent
    }

    /// A page has a frame, or has one on its way.
    pub(crate) fn frame_came(&mut self, at: Place) {
        self.segment_mut(at).framed += 1;
    }

    /// A page has no frame any more. The frame of its page management block is given back with its last.
    pub(crate) fn frame_went(&mut self, at: Place) {
        let segment = self.segment_mut(at);
        segment.framed -= 1;
        if segment.framed == 0
            && let Some(frame) = segment.frame.take()
        {
            self.free_frame(frame);
        }
    }

    /// Puts a resident page's frame on the list of its space: at the top, or at the bottom.
    pub(crate) fn enlist(&mut self, at: Place, frame: Frame, top: bool) {
        self.changes += 1;
        self.frames[frame.0 as usize].state = State::Owned;
        let space = self.spaces.get_mut(&at.space.0).expect("the address space exists");
        if space.list.len() == 0 {
            self.orders.insert(at.space, space.kind, space.standing);
        }
        match top {
            true => self.links.push_top(&mut space.list, frame.0),
            false => self.links.push_bottom(&mut space.list, frame.0),
        }
    }

    /// Takes it off again.
    pub(crate) fn delist(&mut self, at: Place, frame: Frame) {
        let space = self.spaces.get_mut(&at.space.0).expect("the address space exists");
        self.links.remove(&mut space.list, frame.0);
        if space.list.len() == 0 {
            self.orders.remove(at.space, space.kind, space.standing);
        }
    }

    /// Takes a resident page that is not locked off its list, or out of the batch that it is in.
    fn take_off(&mut self, at: Place, frame: Frame) {
        if self.frames[frame.0 as usize].state != State::Withdrawn {
            self.delist(at, frame);
        }
    }

    /// The page is resident from now on.
    pub(crate) fn settle(&mut self, at: Place, frame: Frame, top: bool) {
        self.page_mut(at).held = Held::Resident(frame);
        self.space_mut(at.space).resident += 1;
        self.enlist(at, frame, top);
    }

    /// A processor, a channel program or CP refers to a page that it does not reach.
    pub fn touch(&mut self, at: Place, mover: &mut impl Mover) -> Result<Touch, Refused> {
        self.refer(at, false, mover)
    }

    /// The same for what cannot wait for a frame: [`Touch::Deferred`] is no answer.
    pub fn touch_at_once(&mut self, at: Place, mover: &mut impl Mover) -> Result<Touch, Refused> {
        self.refer(at, true, mover)
    }

    fn refer(&mut self, at: Place, at_once: bool, mover: &mut impl Mover) -> Result<Touch, Refused> {
        let at = self.resolve(at)?;
        let megabyte = (at.page / SEGMENT) as usize;
        let untouched = matches!(self.space(at.space).megabytes[megabyte], Megabyte::Untouched);
        if untouched {
            self.space_mut(at.space).megabytes[megabyte] = Megabyte::Own(Box::new(Segment::new()));
        }
        let held = self.page(at).held;
        match held {
            Held::Resident(frame) => {
                if self.frames[frame.0 as usize].state == State::Withdrawn {
                    self.counts.reclaimed += 1;
                    self.enlist(at, frame, true);
                }
                return Ok(Touch::Ready(frame));
            }
            Held::Coming(_, transfer) => return Ok(Touch::Wait(transfer)),
            Held::Leaving(frame, transfer) => {
                self.cancel(transfer, at);
                self.counts.reclaimed += 1;
                self.settle(at, frame, true);
                return Ok(Touch::Ready(frame));
            }
            _ => (),
        }
        let table = self.segment_mut(at).frame.is_none();
        let needed = 1 + u32::from(table);
        if self.available.len() < needed {
            self.counts.deferred += 1;
            self.wanting = true;
            if !at_once {
                return Ok(Touch::Deferred);
            }
            (self.available.len()..needed).for_each(|_| self.lend());
        }
        if table {
            let frame = self.take_frame(at, State::Table);
            self.segment_mut(at).frame = frame;
        }
        let frame = self.take_frame(at, State::Transit).expect("one is available");
        self.frame_came(at);
        match held {
            Held::Nothing => {
                mover.clear(at, frame);
                self.frames[frame.0 as usize].cleared = true;
                self.counts.cleared += 1;
            }
            Held::Expanded(block) | Held::Migrating(block, _) => {
                if let Held::Migrating(_, transfer) = held {
                    self.cancel(transfer, at);
                }
                mover.get(block, at, frame);
                self.blocks.release(block);
                self.frames[frame.0 as usize].changed = true;
                self.counts.gets += 1;
                self.space_mut(at.space).gets += 1;
            }
            Held::Away => return Ok(Touch::Wait(self.fetch(at, frame))),
            _ => unreachable!("such pages have returned above"),
        }
        self.settle(at, frame, true);
        Ok(Touch::Ready(frame))
    }

    /// Begins to read a page from its slot, and others of its block set, as long as there are frames for them.
    fn fetch(&mut self, at: Place, frame: Frame) -> u32 {
        let slot = self.page(at).copy.expect("a page that is away has a slot");
        let mut others: Vec<(Slot, Place)> = self.slots.set(slot).filter(|&(_, other)| other != at).collect();
        // First those that went out after it.
        others.sort_by_key(|&(other, _)| (other < slot, other));
        let mut moves = vec![(at, frame, slot)];
        let spare = self.low() / 2;
        for (slot, other) in others {
            if moves.len() >= self.read_set {
                break;
            }
            if !self.is_away_on(other, slot) || self.available.len() <= spare {
                continue;
            }
            let frame = self.take_frame(other, State::Transit).expect("one is available");
            self.frame_came(other);
            moves.push((other, frame, slot));
        }
        let number = self.begin(false, moves.iter().map(|&(at, frame, slot)| (at, Source::Frame(frame), slot)));
        for (at, frame, slot) in moves {
            self.frames[frame.0 as usize].transfer = number;
            self.page_mut(at).held = Held::Coming(frame, number);
            self.slots.depart(slot);
        }
        number
    }

    /// Whether the page's bytes are on this slot alone, and its page management block has a frame. The slot may have
    /// been the page's before, and the address space gone.
    fn is_away_on(&self, at: Place, slot: Slot) -> bool {
        let space = self.spaces.get(&at.space.0);
        match space.and_then(|space| space.megabytes.get((at.page / SEGMENT) as usize)) {
            Some(Megabyte::Own(segment)) => {
                let page = &segment.pages[(at.page % SEGMENT) as usize];
                page.held == Held::Away && page.copy == Some(slot) && segment.frame.is_some()
            }
            _ => false,
        }
    }

    /// A number that no transfer under way and no batch has.
    pub(crate) fn next_number(&mut self) -> u32 {
        let number = self.next_transfer;
        self.next_transfer = number.wrapping_add(1);
        number
    }

    /// Begins a transfer.
    pub(crate) fn begin(&mut self, out: bool, moves: impl Iterator<Item = (Place, Source, Slot)>) -> u32 {
        let number = self.next_number();
        let moves = moves.map(|(at, page, slot)| Move { at, page, slot, cancelled: false }).collect();
        let transfer = Transfer { number, out, moves };
        let count = if out { &mut self.counts.blocks_written } else { &mut self.counts.blocks_read };
        *count += 1;
        self.begun.push(transfer.clone());
        self.transfers.insert(number, transfer);
        number
    }

    /// What comes of this page's part of a transfer does not matter any more.
    fn cancel(&mut self, transfer: u32, at: Place) {
        let transfer = self.transfers.get_mut(&transfer).expect("the transfer is under way");
        let part = transfer.moves.iter_mut().find(|part| part.at == at).expect("the page is one of its pages");
        part.cancelled = true;
    }

    /// Everything that a page has is given back: it is zeros again. Locks go, too.
    fn forget(&mut self, at: Place, mover: &mut impl Mover) {
        let Page { held, copy, locks } = *self.page(at);
        self.changes += 1;
        let mut spare = copy;
        match held {
            Held::Nothing | Held::Away => (),
            Held::Resident(frame) => {
                match locks {
                    0 => self.take_off(at, frame),
                    _ => self.space_mut(at.space).locked -= 1,
                }
                mover.withdraw(&[(at, frame)], &mut Vec::new());
                mover.vacate(at, frame);
                self.space_mut(at.space).resident -= 1;
                self.free_frame(frame);
                self.frame_went(at);
            }
            Held::Leaving(frame, transfer) => {
                self.cancel(transfer, at);
                mover.vacate(at, frame);
                self.frames[frame.0 as usize].state = State::Doomed;
                self.frame_went(at);
            }
            Held::Coming(frame, transfer) => {
                self.cancel(transfer, at);
                self.frames[frame.0 as usize].state = State::Doomed;
                self.frame_went(at);
                // The slot is read still.
                spare = None;
            }
            Held::Expanded(block) => self.blocks.release(block),
            Held::Migrating(block, transfer) => {
                self.cancel(transfer, at);
                self.blocks.release(block);
            }
        }
        spare.into_iter().for_each(|slot| self.slots.release(slot));
        *self.page_mut(at) = Page { held: Held::Nothing, copy: None, locks: 0 };
    }

    /// Pages become zeros, and what they had is given back (DIAGNOSE X'10'). Attached megabytes stay as they are, and
    /// so do locked pages.
    pub fn release(&mut self, space: SpaceId, pages: Range<u32>, mover: &mut impl Mover) -> Result<(), Refused> {
        let known = self.spaces.get(&space.0).ok_or(Refused::NoPage)?;
        if pages.end > known.pages {
            return Err(Refused::NoPage);
        }
        for page in pages {
            let own = matches!(self.space(space).megabytes[(page / SEGMENT) as usize], Megabyte::Own(_));
            let at = Place { space, page };
            if own && self.page(at).locks == 0 {
                self.forget(at, mover);
            }
        }
        Ok(())
    }

    /// What the pages were is forgotten, and locks go, too. No processor reaches them any more.
    pub fn forget_all(&mut self, space: SpaceId, pages: Range<u32>, mover: &mut impl Mover) -> Result<(), Refused> {
        let known = self.spaces.get(&space.0).ok_or(Refused::NoPage)?;
        if pages.end > known.pages {
            return Err(Refused::NoPage);
        }
        for page in pages {
            if matches!(self.space(space).megabytes[(page / SEGMENT) as usize], Megabyte::Own(_)) {
                self.forget(Place { space, page }, mover);
            }
        }
        Ok(())
    }

    /// Pages have been made zeros where they are, and processors may reach them still. Those that are in no frame have
    /// nothing any more; others are the first that the scan takes.
    pub fn blanked(&mut self, space: SpaceId, pages: Range<u32>, mover: &mut impl Mover) -> Result<(), Refused> {
        let known = self.spaces.get(&space.0).ok_or(Refused::NoPage)?;
        if pages.end > known.pages {
            return Err(Refused::NoPage);
        }
        for page in pages {
            let at = Place { space, page };
            if !matches!(self.space(space).megabytes[(page / SEGMENT) as usize], Megabyte::Own(_)) {
                continue;
            }
            let Held::Resident(frame) = self.page(at).held else {
                self.forget(at, mover);
                continue;
            };
            self.note(at, frame, Use { changed: true, ..Use::default() });
            if self.frames[frame.0 as usize].state == State::Owned {
                self.delist(at, frame);
                self.enlist(at, frame, false);
            }
        }
        Ok(())
    }

    /// Takes an address space away, with all that it has. Transfers under way end for nothing.
    pub fn destroy(&mut self, space: SpaceId, mover: &mut impl Mover) -> Result<(), Refused> {
        let known = self.spaces.get(&space.0).ok_or(Refused::NoPage)?;
        if known.users > 0 {
            return Err(Refused::InUse);
        }
        for megabyte in 0..known.megabytes.len() as u32 {
            match self.space(space).megabytes[megabyte as usize] {
                Megabyte::Untouched => (),
                Megabyte::Attached(..) => self.detach(space, megabyte)?,
                Megabyte::Own(_) => {
                    let end = ((megabyte + 1) * SEGMENT).min(self.space(space).pages);
                    (megabyte * SEGMENT..end).for_each(|page| self.forget(Place { space, page }, mover));
                }
            }
        }
        self.spaces.remove(&space.0);
        Ok(())
    }

    /// Locks a page that is in a frame: it is not taken away until it has been unlocked as often.
    pub fn lock(&mut self, at: Place) -> Result<Frame, Refused> {
        let at = self.resolve(at)?;
        let untouched = matches!(self.space(at.space).megabytes[(at.page / SEGMENT) as usize], Megabyte::Untouched);
        let Held::Resident(frame) = (if untouched { Held::Nothing } else { self.page(at).held }) else {
            return Err(Refused::NotResident);
        };
        if self.page(at).locks == 0 {
            self.take_off(at, frame);
            self.frames[frame.0 as usize].state = State::Locked;
            self.space_mut(at.space).locked += 1;
        }
        let page = self.page_mut(at);
        page.locks = page.locks.checked_add(1).ok_or(Refused::InUse)?;
        Ok(frame)
    }

    /// Takes one lock away.
    pub fn unlock(&mut self, at: Place) -> Result<(), Refused> {
        let at = self.resolve(at)?;
        if matches!(self.space(at.space).megabytes[(at.page / SEGMENT) as usize], Megabyte::Untouched) {
            return Err(Refused::NotLocked);
        }
        let page = self.page_mut(at);
        page.locks = page.locks.checked_sub(1).ok_or(Refused::NotLocked)?;
        if let (0, Held::Resident(frame)) = (page.locks, page.held) {
            self.space_mut(at.space).locked -= 1;
            self.enlist(at, frame, true);
        }
        Ok(())
    }

    /// SET RESERVED: so many resident pages of the space are not taken, unless nothing else is left.
    pub fn reserve(&mut self, space: SpaceId, pages: u32) -> Result<(), Refused> {
        self.changes += 1;
        self.spaces.get_mut(&space.0).ok_or(Refused::NoPage)?.reserved = pages;
        Ok(())
    }

    /// CP needs frames for its own blocks.
    pub fn take_free_storage(&mut self, count: u32) -> Result<Vec<Frame>, Refused> {
        if self.available.len() < count {
            self.wanting = true;
            return Err(Refused::NoFrames);
        }
        let nowhere = Place { space: SpaceId(u32::MAX), page: 0 };
        Ok((0..count).filter_map(|_| self.take_frame(nowhere, State::FreeStorage)).collect())
    }

    /// The same for what cannot wait: frames that are not available are lent.
    pub fn take_free_storage_at_once(&mut self, count: u32) -> Vec<Frame> {
        (self.available.len()..count).for_each(|_| self.lend());
        self.wanting |= self.lent > 0;
        self.take_free_storage(count).expect("so many are available now")
    }

    /// It gives them back.
    pub fn give_free_storage(&mut self, frames: &[Frame]) {
        for &frame in frames {
            assert_eq!(self.frames[frame.0 as usize].state, State::FreeStorage, "CP has the frame");
            self.free_frame(frame);
        }
    }

    /// A transfer has ended. `good` says of each slot whether its page was moved. The pages that are in frames now, or
    /// could not be read, are told: whatever waits for them looks again.
    pub fn ended<O: Into<Outcome>>(
        &mut self,
        number: u32,
        outcome: impl Fn(Slot) -> O,
        mover: &mut impl Mover,
    ) -> Vec<(Place, bool)> {
        let Some(transfer) = self.transfers.remove(&number) else { return Vec::new() };
        let mut told = Vec::new();
        self.changes += 1;
        for (n, part) in transfer.moves.iter().enumerate() {
            self.slots.landed(part.slot);
            let outcome = outcome(part.slot).into();
            let done = outcome == Outcome::Done;
            self.counts.failed += u64::from(!done);
            match (transfer.out, part.page) {
                (true, Source::Frame(frame)) => self.page_out_ended(number, part, frame, outcome, mover),
                (true, Source::Block(block)) => self.migration_ended(part, block, outcome),
                (false, Source::Frame(frame)) => {
                    if part.cancelled {
                        self.free_frame(frame);
                        self.slots.release(part.slot);
                        continue;
                    }
                    // The first is the one that was referred to.
                    self.page_in_ended(part, frame, done, n == 0, mover);
                    told.push((part.at, done));
                }
                (false, Source::Block(_)) => unreachable!("pages come from page space into frames alone"),
            }
        }
        told
    }

    /// Frees a slot that was written, or was to be; one that could not be is not used again.
    pub(crate) fn give_up_slot(&mut self, slot: Slot, outcome: Outcome) {
        match outcome {
            Outcome::Done | Outcome::Refused => self.slots.release(slot),
            Outcome::Bad => self.slots.spoil(slot),
        }
    }

    fn page_out_ended(&mut self, number: u32, part: &Move, frame: Frame, outcome: Outcome, mover: &mut impl Mover) {
        let (at, slot) = (part.at, part.slot);
        let entry = &self.frames[frame.0 as usize];
        if part.cancelled {
            if entry.state == State::Doomed && entry.transfer == number {
                self.free_frame(frame);
            }
            return self.give_up_slot(slot, outcome);
        }
        match outcome == Outcome::Done {
            true => {
                mover.vacate(at, frame);
                self.free_frame(frame);
                let page = self.page_mut(at);
                (page.held, page.copy) = (Held::Away, Some(slot));
                self.frame_went(at);
                self.counts.writes += 1;
                self.space_mut(at.space).writes += 1;
            }
            false => {
                self.give_up_slot(slot, outcome);
                self.settle(at, frame, true);
            }
        }
    }

    fn migration_ended(&mut self, part: &Move, block: Block, outcome: Outcome) {
        match (part.cancelled, outcome == Outcome::Done) {
            (true, _) => self.give_up_slot(part.slot, outcome),
            (false, true) => {
                self.blocks.release(block);
                let page = self.page_mut(part.at);
                (page.held, page.copy) = (Held::Away, Some(part.slot));
                self.counts.migrated += 1;
                self.space_mut(part.at.space).migrated += 1;
            }
            (false, false) => {
                self.give_up_slot(part.slot, outcome);
                self.blocks.end_migration(block);
                self.page_mut(part.at).held = Held::Expanded(block);
            }
        }
    }

    fn page_in_ended(&mut self, part: &Move, frame: Frame, good: bool, wanted: bool, mover: &mut impl Mover) {
        let (at, slot) = (part.at, part.slot);
        if !good {
            self.page_mut(at).held = Held::Away;
            self.free_frame(frame);
            return self.frame_went(at);
        }
        mover.land(slot, at, frame);
        self.counts.reads += 1;
        self.space_mut(at.space).reads += 1;
        self.settle(at, frame, wanted);
        if self.slots.is_left(slot) {
            self.leave(at);
        }
    }
}
