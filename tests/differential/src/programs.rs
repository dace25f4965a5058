//! Whole programs on both engines, in a machine where everything happens: loops, branches into the middle of blocks,
//! stores into the program's own text, EXECUTE of what was changed, pages that go away, interruptions, storage keys,
//! access registers and other address spaces, and a code cache that is too small.
//!
//! A program runs on two CPUs that differ in their engine, in the supervisor state. Every new PSW waits, so the CPUs
//! come back at every interruption, and whenever their budgets end, which they do at random points. There everything is
//! compared: registers, all of storage, keys. Then the same happens to both: a page is mapped again, an instruction
//! passed over, an interruption made pending, a byte of the text changed from outside.
//!
//! The tables map most pages where they really are; in the other address space two pairs of pages change places.

mod writer;

pub use writer::Writer;

use crate::generate::Row;
use crate::random::Random;
use arch::lowcore::z;
use arch::{Absolute, PAGE, PAGE_MASK, Psw, mask};
use cpu::{Architecture, State, attention, cr0};
use engine::{BlockCache, Exit};
use std::collections::BTreeMap;
use std::fmt::Write;
use storage::Sharing;
use vectors::machine::Machine;
use vectors::{Registers, SCRATCH};

/// Where the text begins: near the end of a page.
const TEXT: u64 = 0x4_0e80;
/// Pages of text: the program is not longer.
const TEXT_END: u64 = 0x4_2000;
/// Bits 0 and 2-4 of the PSW. STOSM of them leaves them in the old PSW of its specification exception; with such a PSW
/// no CPU executes anything.
const NEVER: u64 = 0xb8 << 56;
/// Counters of loops, an aligned doubleword each item.
const COUNTERS: u64 = 0x3_0000;
/// PSWs and control registers that programs load, 16 bytes each item.
const SLOTS: u64 = 0x3_1000;
/// Segment and page tables of the two spaces.
const TABLES: [(u64, u64); 2] = [(0x1_0000, 0x1_1000), (0x1_2000, 0x1_3000)];
/// All storage, and all pages that are mapped.
const SIZE: u64 = 0x8_0000;
const PAGES: u64 = SIZE / PAGE;
/// Where new PSWs wait, 16 bytes each class.
const HANDLERS: u64 = 0xe00;
const CLASSES: [(u64, u64); 5] = [
    (z::PROGRAM_NEW, z::PROGRAM_OLD),
    (z::SVC_NEW, z::SVC_OLD),
    (z::EXTERNAL_NEW, z::EXTERNAL_OLD),
    (z::IO_NEW, z::IO_OLD),
    (z::MACHINE_CHECK_NEW, z::MACHINE_CHECK_NEW - 0x80),
];
const WIDE: u64 = mask::EXTENDED_ADDRESSING | mask::BASIC_ADDRESSING;
const PAGE_INVALID: u64 = 0x400;
const PAGE_PROTECTED: u64 = 0x200;
/// How often one engine goes on to where the other is.
const CATCHES: usize = 400;
/// How often a program is stopped at most, and how many instructions it may execute.
const STOPS: usize = 60;
const MOST: u64 = 20_000;

/// A piece of a program. `to` is the number of another.
#[derive(Clone, Debug)]
enum Item {
    /// Instructions as they are.
    Plain(Vec<u8>),
    /// BRCL; `skew` bytes after the start of the target.
    Branch {
        mask: u8,
        to: usize,
        skew: u64,
    },
    /// Counts down in storage, and branches until it is zero.
    Loop {
        to: usize,
    },
    /// BRCT.
    Count {
        r: u8,
        to: usize,
    },
    /// LARL and BCR, or BRASL; and the way back.
    Jump {
        mask: u8,
        to: usize,
    },
    Call {
        to: usize,
    },
    /// Changes `at` bytes after the start of another item: XIY, MVIY, STHRL, or a copy of a third.
    Change {
        to: usize,
        at: u64,
        how: Change,
    },
    /// LPSWE of a PSW with this mask; it goes on with the next item.
    Load {
        mask: u64,
    },
    /// LCTLG of control register 1: one of the two spaces.
    Space {
        which: usize,
    },
    /// IPTE of a page of the scratch storage.
    Invalidate {
        r: u8,
        which: usize,
    },
}

#[derive(Clone, Copy, Debug)]
enum Change {
    Exclusive(u8),
    Move(u8),
    Register(u8),
    Copy(usize),
}

/// A program with everything that happens to it.
#[derive(Clone)]
pub struct Program {
    before: Registers,
    items: Vec<Item>,
    /// What happens at its stops.
    fate: Random,
    /// The PSW it begins with.
    psw: u64,
    /// Instructions between two stops, more or less.
    budget: u64,
    /// Nothing happens from outside.
    quiet: bool,
}

/// A 20-bit displacement in the place that it has in RSY and SIY instructions, without a base.
fn far(text: &mut [u8], to: u64) {
    text[2] = (to >> 8 & 15) as u8;
    text[3] = to as u8;
    text[4] = (to >> 12) as u8;
}

fn relative(text: &mut [u8], at: u64, to: u64) {
    text[2..6].copy_from_slice(&((to.wrapping_sub(at) as i64 / 2) as i32).to_be_bytes());
}

impl Item {
    fn len(&self) -> u64 {
        match self {
            Item::Plain(text) => text.len() as u64,
            Item::Branch { .. } | Item::Call { .. } | Item::Space { .. } => 6,
            Item::Loop { .. } | Item::Load { .. } | Item::Invalidate { .. } => 10,
            Item::Count { .. } => 4,
            Item::Jump { .. } => 8,
            Item::Change { .. } => 6,
        }
    }

    /// The text, where all items stand at `places`, and this one is number `n`.
    fn text(&self, n: usize, places: &[u64]) -> Vec<u8> {
        let at = places[n];
        let slot = SLOTS + 16 * n as u64;
        match self {
            Item::Plain(text) => text.clone(),
            Item::Branch { mask, to, skew } => {
                let mut text = [0xc0, mask << 4 | 4, 0, 0, 0, 0];
                relative(&mut text, at, places[*to] + skew);
                text.to_vec()
            }
            Item::Loop { to } => {
                let mut text = [0xeb, 0xff, 0, 0, 0, 0x6a, 0xa7, 0x24, 0, 0];
                far(&mut text, COUNTERS + 8 * n as u64);
                let distance = (places[*to].wrapping_sub(at + 6) as i64 / 2) as i16;
                text[8..].copy_from_slice(&distance.to_be_bytes());
                text.to_vec()
            }
            Item::Count { r, to } => {
                let distance = ((places[*to].wrapping_sub(at) as i64 / 2) as i16).to_be_bytes();
                vec![0xa7, r << 4 | 6, distance[0], distance[1]]
            }
            Item::Jump { mask, to } => {
                let mut text = [0xc0, 0x70, 0, 0, 0, 0, 0x07, mask << 4 | 7];
                relative(&mut text, at, places[*to]);
                text.to_vec()
            }
            Item::Call { to } => {
                let mut text = [0xc0, 0x75, 0, 0, 0, 0];
                relative(&mut text, at, places[*to]);
                text.to_vec()
            }
            Item::Change { to, at: offset, how } => {
                let target = places[*to] + offset;
                match how {
                    Change::Exclusive(v) | Change::Move(v) => {
                        let code = if matches!(how, Change::Move(_)) { 0x52 } else { 0x57 };
                        let mut text = [0xeb, *v, 0, 0, 0, code];
                        far(&mut text, target);
                        text.to_vec()
                    }
                    Change::Register(r) => {
                        let mut text = [0xc4, r << 4 | 7, 0, 0, 0, 0];
                        relative(&mut text, at, target & !1);
                        text.to_vec()
                    }
                    Change::Copy(from) => {
                        let base = |to: u64| (0x8000 | (to - TEXT) as u16 & 0xfff).to_be_bytes();
                        let ([a, b], [c, d]) = (base(places[*to]), base(places[*from]));
                        vec![0xd2, 5, a, b, c, d]
                    }
                }
            }
            Item::Load { .. } => {
                let mut text = [0xc0, 0x70, 0, 0, 0, 0, 0xb2, 0xb2, 0x70, 0];
                relative(&mut text, at, slot);
                text.to_vec()
            }
            Item::Space { .. } => {
                let mut text = [0xeb, 0x11, 0, 0, 0, 0x2f];
                far(&mut text, slot);
                text.to_vec()
            }
            Item::Invalidate { r, which } => {
                let mut text = [0xc0, 0x7f, 0, 0, 0, 0, 0xb2, 0x21, 0, 0x70 | r];
                text[2..6].copy_from_slice(&(TABLES[*which].1 as u32).to_be_bytes());
                text.to_vec()
            }
        }
    }
}

/// One CPU with its storage.
struct Side {
    machine: Machine,
}

impl Side {
    /// `attached`: as pages of a saved system, the text's may be other machines' as well.
    fn new(cache: BlockCache, attached: bool) -> Side {
        let mut machine = Machine::new(Architecture::Z, SIZE);
        machine.set_cache(cache);
        if attached {
            let pages = TEXT & PAGE_MASK..TEXT_END;
            machine.storage.attach(pages, None, Sharing::Own).expect("the host has pages");
        }
        Side { machine }
    }

    fn state(&mut self) -> &mut State {
        &mut self.machine.state
    }

    fn put(&self, at: u64, bytes: &[u8]) {
        self.machine.storage.write(Absolute(at), bytes).expect("programs know the storage's size");
    }

    fn put64(&self, at: u64, v: u64) {
        self.put(at, &v.to_be_bytes());
    }

    fn get64(&self, at: u64) -> u64 {
        self.machine.storage.read_u64(Absolute(at)).expect("programs know the storage's size")
    }

    /// The entry of a page in a page table.
    fn entry(which: usize, page: u64) -> u64 {
        TABLES[which].1 + 8 * (page % 256)
    }

    /// Everything as it is when a program begins.
    fn load(&mut self, program: &Program, text: &[u8], places: &[u64]) {
        self.put(0, &vec![0; SIZE as usize]);
        for (n, (new, _)) in CLASSES.iter().enumerate() {
            self.put64(*new, mask::WAIT | WIDE);
            self.put64(new + 8, HANDLERS + 16 * n as u64);
        }
        for (which, (segments, pages)) in TABLES.into_iter().enumerate() {
            self.put64(segments, pages);
            for n in 1..512 {
                self.put64(segments + 8 * n, 0x20);
            }
            for page in 0..256 {
                // The other space has other pages of scratch storage.
                let frame = if which == 1 && page & !5 == 0x20 { page ^ 4 } else { page };
                let bits = match page {
                    0x23 => PAGE_INVALID,
                    0x33 => PAGE_PROTECTED,
                    _ if page >= PAGES => PAGE_INVALID,
                    _ => 0,
                };
                self.put64(Side::entry(which, page), frame << 12 | bits);
            }
        }
        for (n, item) in program.items.iter().enumerate() {
            self.put64(COUNTERS + 8 * n as u64, (2 + n as u64 % 7) << 32);
            let slot = SLOTS + 16 * n as u64;
            match item {
                Item::Load { mask } => {
                    self.put64(slot, *mask);
                    self.put64(slot + 8, places.get(n + 1).copied().unwrap_or(TEXT));
                }
                Item::Space { which } => self.put64(slot, TABLES[*which].0),
                _ => {}
            }
        }
        self.put(TEXT, text);
        for page in 0..PAGES {
            let key = match page {
                0x32 => 0x10,
                0x22 => 0xf8,
                _ => 0x80,
            };
            self.machine.storage.set_key(Absolute(page << 12), key).expect("the frame exists");
        }
        let s = self.state();
        s.initial_reset();
        s.stopped = false;
        s.shared().floating.set_io_subclasses(0);
        s.set_clock_comparator(cpu::FOREVER);
        s.set_cpu_timer(i64::MAX as u64);
        s.cr[0] |= cr0::AFP
            | cr0::VECTOR
            | cr0::SECONDARY_SPACE
            | cr0::EXTRACTION_AUTHORITY
            | cr0::EMERGENCY_SIGNAL
            | cr0::EXTERNAL_CALL
            | cr0::CLOCK_COMPARATOR
            | cr0::CPU_TIMER
            | if program.budget.is_multiple_of(1000) { cr0::LOW_ADDRESS_PROTECTION } else { 0 };
        (s.cr[1], s.cr[7], s.cr[13]) = (TABLES[0].0, TABLES[1].0, TABLES[0].0);
        s.cr[3] = 0xffff_0000;
        s.cr[6] = 0xff00_0000;
        self.machine.load(&program.before);
        let s = self.state();
        s.breaking_event = 1;
        s.control_changed();
        s.purge_tlb();
        s.set_psw(Psw { mask: program.psw, address: TEXT });
        s.cc = program.before.cc;
        s.program_mask = program.before.program_mask;
    }
}

/// The two engines.
pub struct Duel {
    sides: [Side; 2],
    /// Programs until both begin anew.
    left: usize,
    /// Instructions executed by both.
    pub executed: u64,
    /// How often what happened.
    pub happened: BTreeMap<&'static str, u64>,
    /// What the sides of new machines keep code in.
    caches: fn(&mut Random) -> [BlockCache; 2],
    /// The text is in attached pages.
    attached: bool,
    /// Each program is executed twice: code is that of the first time.
    twice: bool,
}

impl Default for Duel {
    fn default() -> Duel {
        Duel::of(|random| {
            let mut cache = BlockCache::with_patience(1);
            // A code cache that is used up all the time, too.
            if let Some(room) = random.pick(&[None, None, Some(3000), Some(20_000)]) {
                cache.confine(room);
            }
            [BlockCache::with_patience(0), cache]
        })
    }
}

/// How a program went.
struct Run<'p> {
    program: &'p Program,
    places: Vec<u64>,
    text: Vec<u8>,
    fate: Random,
    /// Where the last program interruption was, to pass over what cannot be helped.
    last_fault: u64,
}

impl Duel {
    /// Two sides with these caches.
    pub fn of(caches: fn(&mut Random) -> [BlockCache; 2]) -> Duel {
        let sides = caches(&mut Random::new(0)).map(|cache| Side::new(cache, false));
        Duel { sides, left: 0, executed: 0, happened: BTreeMap::new(), caches, attached: false, twice: false }
    }

    /// The same with their text in attached pages: the second time that a program is executed its code is what another
    /// CPU might have made.
    pub fn attached(self) -> Duel {
        Duel { left: 0, attached: true, twice: true, ..self }
    }

    /// Each program is executed twice.
    pub fn twice(self) -> Duel {
        Duel { twice: true, ..self }
    }

    /// How the engines differ on a program, in words.
    pub fn difference(&mut self, program: &Program) -> Option<String> {
        if self.left == 0 {
            self.left = 400;
            let mut random = program.fate.clone();
            self.sides = (self.caches)(&mut random).map(|cache| Side::new(cache, self.attached));
        }
        self.left -= 1;
        *self.happened.entry("program").or_default() += 1;
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let again = self.twice.then_some(());
            self.run(program).or_else(|| again.and_then(|()| self.run(program)))
        }));
        let found = found.unwrap_or_else(|panic| {
            self.left = 0;
            let why = panic.downcast_ref::<String>().map(String::as_str);
            Some(format!("panic: {}", why.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message")))
        });
        if found.is_some() {
            // What they are now may differ.
            self.left = 0;
        }
        found
    }

    fn run(&mut self, program: &Program) -> Option<String> {
        let places: Vec<u64> =
            program.items.iter().scan(TEXT, |at, item| Some(std::mem::replace(at, *at + item.len()))).collect();
        let mut text: Vec<u8> = program.items.iter().enumerate().flat_map(|(n, item)| item.text(n, &places)).collect();
        text.extend_from_slice(&[0, 0]);
        assert!(TEXT + text.len() as u64 <= TEXT_END, "a program fits its pages");
        for side in &mut self.sides {
            side.load(program, &text, &places);
        }
        let began = self.sides[0].state().instructions;
        let other = self.sides[1].state().instructions;
        // Both count from where the first does.
        self.sides[1].state().instructions = began;
        let mut run = Run { program, places, text, fate: program.fate.clone(), last_fault: 0 };
        let mut found = None;
        for _ in 0..STOPS {
            let budget = 1 + run.fate.below(program.budget) as i64;
            let exits = self.resume(budget);
            found = self.compare(exits);
            if found.is_some() || self.sides[0].state().instructions - began > MOST {
                break;
            }
            if !self.happen(exits[0], &mut run) {
                break;
            }
        }
        let executed = self.sides[1].state().instructions - began;
        self.executed += executed;
        self.sides[1].state().instructions = other + executed;
        found
    }

    /// Runs both until their budgets end or something else stops them. Budgets end between blocks, and translated ones
    /// are others: the side that has done less goes on until both have done as much.
    fn resume(&mut self, budget: i64) -> [Exit; 2] {
        let mut exits = [0, 1].map(|n| self.sides[n].machine.resume(budget));
        for _ in 0..CATCHES {
            let done = [0, 1].map(|n| self.sides[n].state().instructions);
            let behind = (done[1] < done[0]) as usize;
            if done[0] == done[1] || exits[behind] != Exit::Budget {
                break;
            }
            exits[behind] = self.sides[behind].machine.resume((done[1 - behind] - done[behind]) as i64);
        }
        exits
    }

    /// What differs at a stop.
    fn compare(&mut self, exits: [Exit; 2]) -> Option<String> {
        let [a, b] = &mut self.sides;
        let mut text = String::new();
        if exits[0] != exits[1] {
            let _ = write!(text, "{:?} / {:?}, ", exits[0], exits[1]);
        }
        for (name, a, b) in a.state().snapshot().differences(&b.state().snapshot()) {
            let _ = write!(text, "{name} {a} / {b}, ");
        }
        let mut pages = [[0; PAGE as usize]; 2];
        for frame in (0..SIZE).step_by(PAGE as usize) {
            for (side, page) in [&*a, &*b].into_iter().zip(&mut pages) {
                side.machine.storage.peek(Absolute(frame), page).expect("the frame exists");
            }
            if pages[0] != pages[1] {
                let at = (0..PAGE as usize).find(|&n| pages[0][n] != pages[1][n]).unwrap_or_default();
                let end = (at + 8).min(PAGE as usize);
                let at_both = frame + at as u64;
                let _ = write!(text, "storage {at_both:X} {:02X?} / {:02X?}, ", &pages[0][at..end], &pages[1][at..end]);
            }
            // Which accesses make a page referenced is the TLB's business.
            let keys = [&*a, &*b].map(|side| side.machine.storage.key(Absolute(frame)).expect("it exists") & 0xfa);
            if keys[0] != keys[1] {
                let _ = write!(text, "key of {frame:X} {:02X} / {:02X}, ", keys[0], keys[1]);
            }
        }
        (!text.is_empty()).then_some(text)
    }

    fn both(&mut self, mut what: impl FnMut(&mut Side)) {
        self.sides.iter_mut().for_each(&mut what);
    }

    /// What happens at a stop, to both. False: the program has ended.
    fn happen(&mut self, exit: Exit, run: &mut Run<'_>) -> bool {
        let mut note = |what| *self.happened.entry(what).or_default() += 1;
        match exit {
            Exit::Budget => {
                note("end of the budget");
                if !run.program.quiet {
                    self.event(run);
                }
                true
            }
            Exit::Instruction { ilc, .. } => {
                note("interception");
                self.both(|side| {
                    let _ = engine::complete(side.state(), Ok(()), ilc);
                });
                true
            }
            Exit::Io => {
                note("I/O interruption");
                self.both(|side| {
                    side.state().shared().floating.set_io_subclasses(0);
                    let result = side.state().io_interruption(0x1_0001, 0x1234_5678, 0);
                    let _ = engine::complete(side.state(), result, 0);
                });
                true
            }
            Exit::Wait => self.interrupted(run),
            _ => false,
        }
    }

    /// Something from outside.
    fn event(&mut self, run: &mut Run<'_>) {
        let name = [
            "external call",
            "emergency signal",
            "clock comparator",
            "CPU timer",
            "I/O",
            "store into the text from outside",
            "change of a page",
            "change of a key",
        ];
        let (what, value, place) = (run.fate.below(12), run.fate.bits(), run.fate.below(run.text.len() as u64));
        if let Some(name) = name.get(what as usize) {
            *self.happened.entry(name).or_default() += 1;
        }
        self.both(|side| match what {
            0 => drop(side.state().signals().external_call(1)),
            1 => side.state().signals().emergency_signal(2),
            2 => side.state().set_clock_comparator(0),
            3 => side.state().set_cpu_timer(u64::MAX),
            4 => {
                side.state().shared().floating.set_io_subclasses(0x80);
                side.state().signals().raise(attention::IO);
            }
            // As a channel program stores.
            5 => {
                let at = TEXT + place;
                let old = side.machine.storage.read_array::<1>(Absolute(at)).expect("it is text")[0];
                side.put(at, &[old ^ 1 << (value & 7)]);
            }
            // As another CPU's IPTE or SSKE.
            6 => {
                let page = [0x20, 0x21, 0x40, 0x41, 0x30][(value % 5) as usize];
                let at = Side::entry((value >> 8 & 1) as usize, page);
                side.put64(at, side.get64(at) ^ if value >> 9 & 1 == 0 { PAGE_INVALID } else { PAGE_PROTECTED });
                side.state().purge_tlb();
            }
            7 => {
                let page = [0x20, 0x21, 0x40, 0x41][(value % 4) as usize];
                let key = [0x80, 0x80, 0x90, 0x88, 0x10][(value >> 8) as usize % 5];
                side.machine.storage.set_key(Absolute(page << 12), key).expect("the frame exists");
                side.state().purge_tlb();
            }
            _ => {}
        });
    }

    /// An interruption has been taken: what it needs is done, and the old PSW is loaded again.
    fn interrupted(&mut self, run: &mut Run<'_>) -> bool {
        let ia = self.sides[0].state().ia;
        let class = (ia.wrapping_sub(HANDLERS) / 16) as usize;
        let Some((_, old)) = CLASSES.get(class).copied() else { return false };
        let side = &self.sides[0];
        let (mask, mut address) = (side.get64(old), side.get64(old + 8));
        let mut repair = None;
        match class {
            0 => {
                let word = side.get64(z::PROGRAM_ILC);
                let (ilc, code) = (word >> 49 & 3, (word >> 32) as u16 & 0xff);
                let nullified = matches!(code, 0x10 | 0x11 | 0x38..=0x3b | 0x20..=0x2f);
                let id = side.get64(z::TRANSLATION_EXCEPTION_ID);
                let page = (id & PAGE_MASK) >> 12;
                let again = run.last_fault == address ^ page << 32;
                run.last_fault = address ^ page << 32;
                let name = match code {
                    0x01 => "operation exception",
                    0x04 => "protection exception",
                    0x06 => "specification exception",
                    0x10 | 0x11 | 0x38..=0x3b => "translation exception",
                    _ => "another program interruption",
                };
                *self.happened.entry(name).or_default() += 1;
                if code == 0x11 && page < PAGES && !again {
                    repair = Some(page);
                } else if nullified || !(TEXT..TEXT_END).contains(&address) {
                    address = address.wrapping_add(2 * ilc);
                }
            }
            2 => match side.machine.storage.read_u16(Absolute(z::EXTERNAL_CODE)).expect("low storage exists") {
                0x1004 => self.both(|side| side.state().set_clock_comparator(cpu::FOREVER)),
                0x1005 => self.both(|side| side.state().set_cpu_timer(i64::MAX as u64)),
                _ => {}
            },
            _ => {}
        }
        let end = TEXT + run.text.len() as u64 - 2;
        let text = run.text.clone();
        // A program that has come to its end begins again; one that is lost goes on somewhere.
        let restart = !(TEXT..end).contains(&address);
        if restart {
            let n = run.fate.below(run.places.len() as u64) as usize;
            address = run.places[n] & !1;
        }
        let heal = run.fate.one_in(4);
        self.both(|side| {
            if let Some(page) = repair {
                for which in [0, 1] {
                    let at = Side::entry(which, page);
                    side.put64(at, side.get64(at) & !PAGE_INVALID);
                }
                side.state().purge_tlb();
            }
            if restart && heal {
                side.put(TEXT, &text);
            }
            side.state().set_psw(Psw { mask: mask & !(mask::PER | mask::WAIT | NEVER), address });
        });
        true
    }

    /// The program without what does not matter to the difference.
    pub fn shrink(&mut self, mut program: Program) -> Program {
        let still = |duel: &mut Duel, program: &Program| {
            // A new machine each time: what was translated before must not matter.
            duel.left = 0;
            duel.difference(program).is_some()
        };
        if !still(self, &program) {
            return program;
        }
        let mut quiet = program.clone();
        quiet.quiet = true;
        if still(self, &quiet) {
            program = quiet;
        }
        for n in 0..program.items.len() {
            let mut smaller = program.clone();
            smaller.items[n] = Item::Plain(Vec::new());
            if still(self, &smaller) {
                program = smaller;
                continue;
            }
            if let Item::Plain(text) = program.items[n].clone() {
                let mut at = 0;
                while let Some(&first) = text.get(at) {
                    let len = (isa::length(first) as usize).min(text.len() - at);
                    let mut smaller = program.clone();
                    let mut less = text.clone();
                    less[at..at + len].copy_from_slice(&[0x07, 0, 0x07, 0, 0x07, 0][..len]);
                    smaller.items[n] = Item::Plain(less);
                    if still(self, &smaller) {
                        program = smaller;
                    }
                    at += len;
                }
            }
        }
        program
    }
}

impl Program {
    /// The program in words: its listing, and the registers before it as a vector line has them.
    pub fn text(&self) -> String {
        let places: Vec<u64> =
            self.items.iter().scan(TEXT, |at, item| Some(std::mem::replace(at, *at + item.len()))).collect();
        let mut out =
            format!("psw {:016X}, budget {}{}\n", self.psw, self.budget, if self.quiet { ", quiet" } else { "" });
        for (n, item) in self.items.iter().enumerate().filter(|(_, item)| item.len() > 0) {
            let _ = writeln!(out, "  {n}: {}", format!("{item:?}").split(['(', '{']).next().unwrap_or_default());
            out += &crate::campaign::listing(&item.text(n, &places), places[n]);
        }
        let sequence = crate::generate::Sequence { before: self.before.clone(), units: Vec::new() };
        let settings: Vec<String> = crate::campaign::settings(&sequence).iter().map(ToString::to_string).collect();
        let _ = writeln!(out, "  {} ->", settings.join(" "));
        out
    }
}

/// Runs programs until they have executed `count` instructions on each side; what differs, shrunk, the first few.
pub fn compare(duel: &mut Duel, rows: &[Row], seed: u64, count: u64) -> Vec<String> {
    let mut writer = Writer::new(seed, rows);
    let mut found = Vec::new();
    let mut number = 0;
    while duel.executed < count && found.len() < 4 {
        let program = writer.program();
        number += 1;
        if let Some(why) = duel.difference(&program) {
            let small = duel.shrink(program);
            duel.left = 0;
            let again = duel.difference(&small).unwrap_or("not so on a new machine".into());
            found.push(format!("seed {seed}, program {number}: {why}\nsmall: {again}\n{}", small.text()));
        }
    }
    found
}

/// The scratch storage is in the two pages that change places.
const _: () = assert!(SCRATCH + vectors::SCRATCH_LEN as u64 <= 0x2_2000 && SCRATCH >= 0x2_0000);
