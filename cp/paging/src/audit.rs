//! What there is of everything, and whether it all adds up.

use crate::slots::SlotUse;
use crate::space::{Held, Megabyte, SEGMENT, SpaceId, Standing};
use crate::storage::{RealStorage, State};
use crate::transfer::Source;
use crate::{Frame, Place, Slot};
use std::collections::HashMap;
use std::ops::Range;

/// How many of each there are.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Census {
    /// Frames on the available list.
    pub available: u32,
    /// Frames with pages that can be taken: of guests, saved segments and CP.
    pub pageable: u32,
    /// Frames with locked pages.
    pub locked: u32,
    /// Frames on their way in or out.
    pub transit: u32,
    /// Frames of page management blocks.
    pub tables: u32,
    /// Frames of CP's free storage.
    pub free_storage: u32,
    /// Blocks of expanded storage with pages.
    pub blocks: u32,
    /// Slots with copies of pages, or on their way to that.
    pub slots: u32,
    /// Slots that failed.
    pub bad_slots: u32,
}

/// The slots of page space.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SlotCensus {
    /// All, but for those that failed.
    pub all: u32,
    /// Those with copies of pages, or on their way to that.
    pub used: u32,
}

/// What an address space has, and what has happened to its pages.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// Pages in frames.
    pub resident: u32,
    /// The working set.
    pub wss: u32,
    /// Locked pages.
    pub locked: u32,
    /// Pages that SET RESERVED keeps.
    pub reserved: u32,
    /// Pages in expanded storage.
    pub blocks: u32,
    /// Pages that are on slots alone.
    pub slots: u32,
    /// Pages read from page space, and written there.
    pub reads: u64,
    /// See `reads`.
    pub writes: u64,
    /// Pages from expanded storage, and to it.
    pub gets: u64,
    /// See `gets`.
    pub puts: u64,
    /// Pages that have gone from expanded storage to page space.
    pub migrated: u64,
}

impl RealStorage {
    /// The slots that can be used, and those that are.
    pub fn slots(&self) -> SlotCensus {
        let [page, spool] = [false, true].map(|overflow| self.tier(overflow));
        SlotCensus { all: page.all + spool.all, used: page.used + spool.used }
    }

    /// Those of page space, or of the spool space to which it overflows.
    pub fn tier(&self, overflow: bool) -> SlotCensus {
        let (all, used) = self.slots.tier(overflow);
        SlotCensus { all, used }
    }

    /// Whether a volume gets no more pages.
    pub fn is_drained(&self, volume: usize) -> bool {
        self.slots.is_drained(volume)
    }

    /// What is in use of these slots of a volume, in units of so many slots each.
    pub fn slot_use(&self, volume: usize, slots: Range<u32>, unit: u32) -> SlotUse {
        self.slots.usage(volume, slots, unit)
    }

    /// What an address space has.
    pub fn tally(&self, space: SpaceId) -> Option<Tally> {
        let known = self.spaces.get(&space.0)?;
        let (mut blocks, mut slots) = (0, 0);
        for megabyte in &known.megabytes {
            let Megabyte::Own(segment) = megabyte else { continue };
            for page in &segment.pages {
                match page.held {
                    Held::Expanded(_) | Held::Migrating(..) => blocks += 1,
                    Held::Away => slots += 1,
                    _ => (),
                }
            }
        }
        Some(Tally {
            resident: known.resident,
            wss: known.wss,
            locked: known.locked,
            reserved: known.reserved,
            blocks,
            slots,
            reads: known.reads,
            writes: known.writes,
            gets: known.gets,
            puts: known.puts,
            migrated: known.migrated,
        })
    }

    /// How many of each there are.
    pub fn census(&self) -> Census {
        let mut census = Census::default();
        for entry in &self.frames {
            let count = match entry.state {
                State::Available => &mut census.available,
                State::Owned | State::Withdrawn => &mut census.pageable,
                State::Locked => &mut census.locked,
                State::Transit | State::Doomed => &mut census.transit,
                State::Table => &mut census.tables,
                State::FreeStorage => &mut census.free_storage,
                State::Retired => continue,
            };
            *count += 1;
        }
        census.blocks = self.blocks.used();
        census.bad_slots = self.slots.bad();
        census.slots = self.slots.count() - self.slots.free() - census.bad_slots;
        census
    }

    /// The working set of an address space, its resident pages, and those that are locked.
    pub fn pages_of(&self, space: SpaceId) -> Option<(u32, u32, u32)> {
        self.spaces.get(&space.0).map(|space| (space.wss, space.resident, space.locked))
    }

    /// Whether a page is locked.
    pub fn is_locked(&self, at: Place) -> bool {
        let space = self.spaces.get(&at.space.0);
        match space.and_then(|space| space.megabytes.get((at.page / SEGMENT) as usize)) {
            Some(Megabyte::Own(segment)) => segment.pages[(at.page % SEGMENT) as usize].locks > 0,
            _ => false,
        }
    }

    /// The frame that a page is in.
    pub fn frame_of(&self, at: Place) -> Option<Frame> {
        let space = self.spaces.get(&at.space.0);
        match space.and_then(|space| space.megabytes.get((at.page / SEGMENT) as usize)) {
            Some(Megabyte::Own(segment)) => match segment.pages[(at.page % SEGMENT) as usize].held {
                Held::Resident(frame) => Some(frame),
                _ => None,
            },
            _ => None,
        }
    }

    /// How many pages are reserved for all address spaces but one.
    pub fn reserved_but(&self, space: SpaceId) -> u64 {
        let others = self.spaces.iter().filter(|(number, _)| **number != space.0);
        others.map(|(_, known)| u64::from(known.reserved)).sum()
    }

    /// Where the owner of the address space stands.
    pub fn standing(&self, space: SpaceId) -> Option<Standing> {
        self.spaces.get(&space.0).map(|space| space.standing)
    }

    /// Panics unless every frame is in one state, everything is had by one page, and all counts add up.
    pub fn audit(&self) {
        let mut frames: HashMap<u32, &'static str> = HashMap::new();
        let mut slots: HashMap<u32, Place> = HashMap::new();
        let (mut users, mut blocks) = (HashMap::<u32, u32>::new(), 0);
        let mut have = |frame: Frame, what| assert_eq!(frames.insert(frame.0, what), None, "{frame:?} is had twice");
        for (&number, space) in &self.spaces {
            let (mut resident, mut locked, mut withdrawn) = (0, 0, 0);
            for (megabyte, place) in space.megabytes.iter().enumerate() {
                let segment = match place {
                    Megabyte::Untouched => continue,
                    Megabyte::Attached(shared, _) => {
                        *users.entry(shared.0).or_default() += 1;
                        continue;
                    }
                    Megabyte::Own(segment) => segment,
                };
                let mut framed = 0;
                for (n, page) in segment.pages.iter().enumerate() {
                    let at = Place { space: SpaceId(number), page: megabyte as u32 * SEGMENT + n as u32 };
                    if let Some(slot) = page.copy {
                        assert_eq!(self.slots.owner(slot), Some(at));
                        assert_eq!(slots.insert(slot.0, at), None, "{slot:?} is had twice");
                    }
                    match page.held {
                        Held::Nothing => assert_eq!((page.copy, page.locks), (None, 0)),
                        Held::Away => assert!(page.copy.is_some() && page.locks == 0),
                        Held::Expanded(block) | Held::Migrating(block, _) => {
                            blocks += 1;
                            assert_eq!((self.blocks.owner(block), page.copy), (Some(at), None));
                        }
                        Held::Resident(frame) => {
                            (resident, framed) = (resident + 1, framed + 1);
                            locked += u32::from(page.locks > 0);
                            have(frame, if page.locks > 0 { "locked" } else { "owned" });
                            let entry = &self.frames[frame.0 as usize];
                            withdrawn += u32::from(entry.state == State::Withdrawn);
                            let state = match entry.state {
                                State::Withdrawn => State::Withdrawn,
                                _ if page.locks > 0 => State::Locked,
                                _ => State::Owned,
                            };
                            assert_eq!((entry.state, entry.at), (state, at));
                            assert!(!entry.changed || page.copy.is_none(), "a copy that is not one");
                        }
                        Held::Leaving(frame, transfer) | Held::Coming(frame, transfer) => {
                            framed += 1;
                            have(frame, "transit");
                            let entry = &self.frames[frame.0 as usize];
                            assert_eq!((entry.state, entry.at, entry.transfer), (State::Transit, at, transfer));
                            let under_way = &self.transfers[&transfer];
                            let part = |part: &&crate::Move| part.at == at && !part.cancelled;
                            assert_eq!(under_way.moves.iter().filter(part).count(), 1);
                            assert_eq!(under_way.out, matches!(page.held, Held::Leaving(..)));
                        }
                    }
                }
                assert_eq!(segment.framed, framed);
                assert_eq!(segment.frame.is_some(), framed > 0, "its own frame comes and goes with those of its pages");
                if let Some(frame) = segment.frame {
                    have(frame, "table");
                    assert_eq!(self.frames[frame.0 as usize].state, State::Table);
                }
            }
            assert_eq!((space.resident, space.locked), (resident, locked), "space {number}");
            assert_eq!(space.list.len(), resident - locked - withdrawn);
            let listed = self.links.upwards(&space.list).inspect(|&frame| {
                assert_eq!(self.frames[frame as usize].at.space.0, number);
            });
            assert_eq!(listed.count() as u32, space.list.len());
        }
        for (&number, space) in &self.spaces {
            assert_eq!(space.users, users.get(&number).copied().unwrap_or(0));
        }
        // Slots that no page has are those of transfers under way.
        for part in self.transfers.values().flat_map(|transfer| &transfer.moves) {
            if let Some(other) = slots.insert(part.slot.0, part.at) {
                assert_eq!(other, part.at, "{:?} is read for its page", part.slot);
            }
            if let (true, Source::Frame(frame)) = (part.cancelled, part.page)
                && self.frames[frame.0 as usize].state == State::Doomed
            {
                frames.entry(frame.0).or_insert("doomed");
            }
        }
        for (n, entry) in self.frames.iter().enumerate() {
            match entry.state {
                State::Available | State::FreeStorage | State::Retired => assert!(!frames.contains_key(&(n as u32))),
                _ => assert!(frames.contains_key(&(n as u32)), "frame {n} is {:?}, and nothing has it", entry.state),
            }
        }
        let census = self.census();
        assert_eq!(census.available, self.available.len());
        assert_eq!(self.links.upwards(&self.available).count() as u32, census.available);
        assert_eq!(self.frames.len(), self.count as usize + self.retired.len() + self.lent as usize);
        assert_eq!((census.blocks, census.slots), (blocks, slots.len() as u32));
        assert!(slots.keys().all(|&slot| self.slots.owner(Slot(slot)).is_some()));
    }
}
