//! Random operations on real storage, held against a model that knows nothing but what each page contains.
//!
//! The machine here has frames, blocks and slots of one word each, and a translation-lookaside buffer: once a page is
//! ready it is read and changed without a question, until it is withdrawn. So a frame that is given to another page too
//! early shows as a wrong word. Transfers take a while, overtake each other, and fail at times.
//!
//! `ENDICOTT_PAGES=10000000` is the long form: so many operations for each row of [`SIZES`].

use paging::*;
use std::collections::HashMap;
use support::Random;

/// What is there: frames, blocks of expanded storage, slots by volume.
const SIZES: &[(u32, u32, &[u32])] = &[
    (400, 0, &[3000, 2000]),
    (400, 500, &[5000]),
    (300, 64, &[700]),
    (500, 300, &[]),
    (250, 0, &[]),
    (400, 200, &[1500, 1500]),
];

/// So many frames are lent at most.
const LENT: u32 = 40;

/// The pages of a virtual machine, and of a saved segment.
const GUEST: u32 = 700;
const SEGMENT: u32 = 256;

#[derive(Default)]
struct Machine {
    frames: Vec<u64>,
    used: Vec<Use>,
    blocks: Vec<u64>,
    slots: Vec<u64>,
    /// What transfers have brought.
    landing: HashMap<Slot, u64>,
    /// What processors reach without asking.
    buffer: HashMap<Place, Frame>,
}

impl Mover for Machine {
    fn look(&mut self, at: Place, frame: Frame) -> Use {
        assert!(self.buffer.get(&at).is_none_or(|&known| known == frame));
        self.used[frame.0 as usize]
    }

    fn withdraw(&mut self, pages: &[(Place, Frame)], done: &mut Vec<Use>) {
        for (at, frame) in pages {
            self.buffer.remove(at);
            done.push(std::mem::take(&mut self.used[frame.0 as usize]));
        }
    }

    fn count_anew(&mut self, pages: &[(Place, Frame)], done: &mut Vec<Use>) {
        for (_, frame) in pages {
            let used = &mut self.used[frame.0 as usize];
            done.push(*used);
            used.referenced = false;
        }
    }

    fn is_blank(&mut self, at: Place, frame: Frame) -> bool {
        assert!(!self.buffer.contains_key(&at), "a processor reaches {at:?}");
        self.frames[frame.0 as usize] == 0
    }

    fn clear(&mut self, _: Place, frame: Frame) {
        self.used[frame.0 as usize] = Use::default();
        self.frames[frame.0 as usize] = 0;
    }

    fn vacate(&mut self, at: Place, frame: Frame) {
        assert!(!self.buffer.contains_key(&at), "a processor reaches {at:?}");
        self.frames[frame.0 as usize] = 0xdead_dead;
    }

    fn put(&mut self, _: Place, frame: Frame, block: Block) {
        self.blocks[block.0 as usize] = self.frames[frame.0 as usize];
    }

    fn get(&mut self, block: Block, _: Place, frame: Frame) {
        self.used[frame.0 as usize] = Use::default();
        self.frames[frame.0 as usize] = self.blocks[block.0 as usize];
    }

    fn land(&mut self, slot: Slot, _: Place, frame: Frame) {
        self.used[frame.0 as usize] = Use::default();
        self.frames[frame.0 as usize] = self.landing[&slot];
    }
}

struct Model {
    random: Random,
    real: RealStorage,
    machine: Machine,
    /// Pages that are not all zeros.
    content: HashMap<Place, u64>,
    guests: Vec<SpaceId>,
    shared: Vec<SpaceId>,
    locked: Vec<(Place, Frame)>,
    free_storage: Vec<Vec<Frame>>,
    /// Transfers under way, and the words that go out.
    flying: Vec<(Transfer, Vec<u64>)>,
    volumes: usize,
    /// How many slots have failed.
    spoiled: usize,
    now: u64,
    /// References that were made, and those for which there was no room.
    references: u64,
    given_up: u64,
}

impl Model {
    fn new(seed: u64, &(frames, blocks, volumes): &(u32, u32, &[u32])) -> Model {
        let mut real = RealStorage::new(&Limits {
            frames,
            blocks,
            volumes: volumes.iter().copied().map(Room::from).collect(),
            read_set: 64,
        });
        let mut random = Random::seeded(seed);
        let shared = (0..2).map(|_| real.create(Kind::Shared, SEGMENT)).collect();
        let guests = (0..8).map(|_| real.create(Kind::Guest, GUEST)).collect();
        let machine = Machine {
            frames: vec![0xdead; (frames + 2 * LENT) as usize],
            used: vec![Use::default(); (frames + 2 * LENT) as usize],
            blocks: (0..blocks).map(|_| random.word()).collect(),
            slots: vec![0xbad; volumes.iter().sum::<u32>() as usize],
            ..Machine::default()
        };
        let (content, locked, free_storage, flying) = (HashMap::new(), Vec::new(), Vec::new(), Vec::new());
        let (spoiled, now, references, given_up) = (0, 0, 0, 0);
        Model {
            random,
            real,
            machine,
            content,
            guests,
            shared,
            locked,
            free_storage,
            flying,
            volumes: volumes.len(),
            spoiled,
            now,
            references,
            given_up,
        }
    }

    /// Takes over what has been begun. Words that go out are copied at once.
    fn begin(&mut self) {
        for transfer in self.real.take_begun() {
            let word = |page: &Source| match page {
                Source::Frame(frame) => self.machine.frames[frame.0 as usize],
                Source::Block(block) => self.machine.blocks[block.0 as usize],
            };
            let words = transfer.moves.iter().map(|part| word(&part.page)).collect();
            self.flying.push((transfer, words));
        }
    }

    /// One transfer ends, any of them.
    fn land(&mut self) {
        self.begin();
        if self.flying.is_empty() {
            return;
        }
        let (transfer, words) = self.flying.swap_remove(self.random.below(self.flying.len()));
        // Slots that fail are lost for good: not too many of them.
        let may_fail = !transfer.out || self.spoiled < self.machine.slots.len() / 20;
        let failing: Vec<bool> = words.iter().map(|_| self.random.one_in(500) && may_fail).collect();
        self.spoiled += failing.iter().filter(|&&failed| failed && transfer.out).count();
        let mut bad = Vec::new();
        for ((part, word), failed) in transfer.moves.iter().zip(words).zip(failing) {
            match (transfer.out, failed) {
                (_, true) => bad.push(part.slot),
                (true, false) => self.machine.slots[part.slot.0 as usize] = word,
                (false, false) => {
                    self.machine.landing.insert(part.slot, self.machine.slots[part.slot.0 as usize]);
                }
            }
        }
        self.real.ended(transfer.number, |slot| !bad.contains(&slot), &mut self.machine);
        self.machine.landing.clear();
    }

    fn place(&mut self) -> Place {
        let space = match self.random.one_in(10) {
            true => self.shared[self.random.below(self.shared.len())],
            false => self.guests[self.random.below(self.guests.len())],
        };
        let pages = if self.shared.contains(&space) { SEGMENT } else { GUEST };
        // Most references go to few pages.
        let near = if self.random.one_in(4) { pages } else { 40 };
        Place { space, page: self.random.below(near) * if near == 40 { 5 } else { 1 } }
    }

    /// The frame of a page, if there is room for it.
    fn reach(&mut self, at: Place) -> Option<Frame> {
        let at = self.real.resolve(at).expect("the page exists");
        if let Some(&frame) = self.machine.buffer.get(&at) {
            return Some(frame);
        }
        let mut hopeless = 0;
        while hopeless < 3 {
            let at_once = self.real.lent() < LENT && self.random.one_in(20);
            let touched = match at_once {
                true => self.real.touch_at_once(at, &mut self.machine),
                false => self.real.touch(at, &mut self.machine),
            };
            let touched = touched.expect("the page exists");
            assert!(!at_once || touched != Touch::Deferred);
            self.begin();
            match touched {
                Touch::Ready(frame) => {
                    self.machine.buffer.insert(at, frame);
                    return Some(frame);
                }
                Touch::Wait(_) => self.land(),
                Touch::Deferred => {
                    self.real.scan(self.now, &mut self.machine);
                    self.begin();
                    hopeless += u32::from(self.flying.is_empty());
                    self.land();
                }
            }
        }
        self.given_up += 1;
        None
    }

    /// A reference that does not wait: what it begins is under way when other things happen to the page.
    fn want(&mut self, at: Place) {
        let at = self.real.resolve(at).expect("the page exists");
        if let Touch::Ready(frame) = self.real.touch(at, &mut self.machine).expect("the page exists") {
            self.machine.buffer.insert(at, frame);
        }
    }

    fn refer(&mut self, at: Place, store: bool) {
        self.references += 1;
        let Some(frame) = self.reach(at) else { return };
        let at = self.real.resolve(at).expect("the page exists");
        let (word, used) = (&mut self.machine.frames[frame.0 as usize], &mut self.machine.used[frame.0 as usize]);
        assert_eq!(*word, self.content.get(&at).copied().unwrap_or(0), "{at:?}");
        used.referenced = true;
        if store {
            *word = self.random.word();
            used.changed = true;
            self.content.insert(at, *word);
        }
    }

    fn lock(&mut self) {
        let at = self.place();
        let at = self.real.resolve(at).expect("the page exists");
        if self.locked.len() < 30 && self.reach(at).is_some() {
            let frame = self.real.lock(at).expect("it is resident");
            self.locked.push((at, frame));
        }
    }

    fn unlock(&mut self) {
        if let Some(n) = self.locked.len().checked_sub(1) {
            let (at, frame) = self.locked.swap_remove(self.random.below(n + 1));
            assert_eq!(self.real.touch(at, &mut self.machine), Ok(Touch::Ready(frame)), "a locked page stays");
            self.real.unlock(at).expect("it is locked");
        }
    }

    /// Pages are released, in half of the cases while some of them are on their way in.
    fn release(&mut self) {
        let space = self.guests[self.random.below(self.guests.len())];
        let first = self.random.below(GUEST);
        if self.random.one_in(2) {
            (first..(first + 4).min(GUEST)).for_each(|page| self.want(Place { space, page }));
            self.begin();
        }
        let end = (first + self.random.below(40u32)).min(GUEST);
        self.real.release(space, first..end, &mut self.machine).expect("the pages exist");
        for page in first..end {
            let at = Place { space, page };
            if self.locked.iter().all(|&(locked, _)| locked != at) {
                self.content.remove(&at);
            }
        }
    }

    /// Pages are made zeros where they are.
    fn blank(&mut self) {
        let space = self.guests[self.random.below(self.guests.len())];
        let first = self.random.below(GUEST - 10);
        for page in first..first + self.random.below(10u32) {
            let at = Place { space, page };
            if self.real.resolve(at) != Ok(at) {
                continue;
            }
            let Some(frame) = self.reach(at) else { continue };
            self.machine.frames[frame.0 as usize] = 0;
            self.machine.used[frame.0 as usize].changed = true;
            self.content.remove(&at);
            if self.random.one_in(3) {
                self.real.scan(self.now, &mut self.machine);
                self.begin();
            }
            self.real.blanked(space, page..page + 1, &mut self.machine).expect("the pages exist");
        }
    }

    /// A scan in parts: other things happen before a batch is put away, or it is given back.
    fn scan_in_parts(&mut self) {
        let Some(mut scan) = self.real.begin_scan() else { return };
        while let Some(batch) = self.real.next_batch(&mut scan, &mut self.machine) {
            // What was changed counts as changed until the page leaves its frame.
            let mut done = Vec::new();
            for (at, frame) in &batch.pages {
                self.machine.buffer.remove(at);
                done.push(self.machine.used[frame.0 as usize]);
            }
            for _ in 0..self.random.below(3) {
                let (at, _) = batch.pages[self.random.below(batch.pages.len())];
                match self.random.below(8) {
                    0 => self.want(at),
                    1 => self.lock(),
                    2 => self.release(),
                    3 => self.stand(),
                    4 => self.blank(),
                    _ => self.refer(at, self.now % 2 == 0),
                }
            }
            match self.random.one_in(10) {
                true => self.real.give_back(&mut scan, &batch),
                false => self.real.put_away(&mut scan, batch, &done, self.now, &mut self.machine),
            }
            self.begin();
        }
    }

    /// A user logs off, and another logs on.
    fn replace(&mut self) {
        let n = self.random.below(self.guests.len());
        let gone = self.guests[n];
        self.real.destroy(gone, &mut self.machine).expect("no other space uses it");
        self.content.retain(|at, _| at.space != gone);
        self.locked.retain(|(at, _)| at.space != gone);
        assert_eq!(self.real.touch(Place { space: gone, page: 0 }, &mut self.machine), Err(Refused::NoPage));
        self.guests[n] = self.real.create(Kind::Guest, GUEST);
    }

    /// A saved segment is loaded, or purged by its user.
    fn share(&mut self) {
        let (guest, shared) = (self.random.below(self.guests.len()), self.random.below(self.shared.len()));
        let (guest, shared) = (self.guests[guest], self.shared[shared]);
        if self.real.detach(guest, 1).is_err() && self.real.attach(guest, 1, shared, 0).is_ok() {
            assert_eq!(self.real.destroy(shared, &mut self.machine), Err(Refused::InUse));
            let at = Place { space: guest, page: SEGMENT + 7 };
            assert_eq!(self.real.resolve(at), Ok(Place { space: shared, page: 7 }));
            self.refer(at, false);
        }
    }

    fn stand(&mut self) {
        let space = self.guests[self.random.below(self.guests.len())];
        let standing = match self.random.below(4) {
            0 => Standing::Dormant(self.now),
            1 => Standing::Eligible(self.random.below(3u8) + 1),
            _ => Standing::Dispatch,
        };
        self.real.stand(space, standing, 300, &mut self.machine).expect("the space exists");
    }

    fn free_storage(&mut self) {
        match self.free_storage.pop() {
            Some(frames) => self.real.give_free_storage(&frames),
            None => self.free_storage.extend(self.real.take_free_storage(5)),
        }
    }

    /// A volume is drained, or used again; pages leave one that is drained. The last one has room for all.
    fn drain(&mut self) {
        let drained = self.random.one_in(2) && self.volumes > 1;
        let known = self.real.drain(0, drained);
        assert_eq!((known, self.real.is_drained(0)), (self.volumes > 0, drained));
        for _ in 0..self.random.below(20) {
            let Some(at) = self.real.next_to_leave(|_| true) else { break };
            self.want(at);
            self.land();
        }
    }

    fn step(&mut self) {
        self.now += 1;
        match self.random.below(1000) {
            0..600 => {
                let at = self.place();
                self.refer(at, false);
            }
            600..880 => {
                let at = self.place();
                self.refer(at, true);
            }
            880..930 => self.land(),
            930..950 => {
                let at = self.place();
                self.want(at);
            }
            950..960 => self.lock(),
            960..970 => self.unlock(),
            970..976 => self.release(),
            976..980 => self.blank(),
            980..988 => self.stand(),
            988..992 => self.share(),
            992..994 => self.free_storage(),
            994 => self.replace(),
            995..997 => {
                let space = self.guests[self.random.below(self.guests.len())];
                let pages = self.random.below(60);
                self.real.reserve(space, pages).expect("the space exists");
            }
            997 => self.drain(),
            _ => drop(self.real.migrate(self.now)),
        }
        match self.real.is_short() {
            true if self.random.one_in(4) => self.scan_in_parts(),
            true => drop(self.real.scan(self.now, &mut self.machine)),
            false => (),
        }
        self.begin();
    }

    /// Every page is what it should be, and nothing is left over when all are gone.
    fn finish(&mut self, frames: u32) {
        let mut all: Vec<Place> = self.content.keys().copied().collect();
        all.sort();
        all.into_iter().for_each(|at| self.refer(at, false));
        for guest in std::mem::take(&mut self.guests) {
            self.real.destroy(guest, &mut self.machine).expect("no other space uses it");
        }
        for shared in std::mem::take(&mut self.shared) {
            self.real.destroy(shared, &mut self.machine).expect("no other space uses it");
        }
        std::mem::take(&mut self.free_storage).iter().for_each(|frames| self.real.give_free_storage(frames));
        while !self.flying.is_empty() {
            self.land();
        }
        self.real.audit();
        let census = self.real.census();
        let all_free = Census { available: frames, bad_slots: census.bad_slots, ..Census::default() };
        assert_eq!(census, all_free);
    }
}

#[test]
fn every_page_is_what_was_stored_and_every_frame_is_in_one_state() {
    let steps = std::env::var("ENDICOTT_PAGES").ok().and_then(|n| n.parse().ok()).unwrap_or(12_000);
    for (seed, size) in SIZES.iter().enumerate() {
        let mut model = Model::new(seed as u64, size);
        for step in 0..steps {
            model.step();
            if step % 512 == 0 {
                model.real.audit();
            }
        }
        model.finish(size.0);
        let counts = model.real.counts();
        println!("{size:?}: {} references, {} without room; {counts:?}", model.references, model.given_up);
        assert!(counts.cleared > 0 && counts.dropped > 0 && counts.taken[0] > 0);
        match (size.1, size.2) {
            (0, []) => assert_eq!((counts.writes, counts.puts), (0, 0)),
            (_, []) => assert!(counts.puts > 0 && counts.gets > 0 && counts.writes == 0),
            (blocks, _) => {
                let out = counts.writes + counts.migrated;
                assert!(counts.reads > 0 && out > 0 && counts.failed > 0);
                assert!(counts.reads > counts.blocks_read && out > counts.blocks_written, "pages go in sets");
                assert!(counts.reclaimed > 0 || blocks > 0);
                assert_eq!(counts.migrated > 0, blocks > 0);
            }
        }
    }
}

/// The same seed comes to the same, however often.
#[test]
fn it_is_deterministic() {
    let run = || {
        let mut model = Model::new(7, &SIZES[1]);
        (0..5_000).for_each(|_| model.step());
        (model.real.counts(), model.real.census())
    };
    assert_eq!(run(), run());
}
