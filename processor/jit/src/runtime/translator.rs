//! The code cache of one virtual CPU: entry and exit, sites and calls, links between blocks.

use crate::emit::exits::{FAULT, LOOK, LOOKUP, OUT, STALE, Way};
use crate::emit::float_flags;
use crate::emit::recipes::settle_code;
use crate::emit::relocations::{Relocation, Value, fill};
use crate::emit::return_stack;
use crate::emit::scratch::*;
use crate::emit::targets;
use crate::emit::targets::{LatestTargets, NOTHING};
use crate::plan::block::Plan;
use crate::plan::passes::Pass;
use crate::runtime::branch_targets::Targets;
use crate::runtime::known_blocks::Known;
use crate::runtime::memory::CodeMemory;
use crate::runtime::perform::{key, mode, note_key};
use crate::runtime::room::{self, Room};
use crate::runtime::side_exits::{Firm, Lists, Sites};
use crate::runtime::stubs::{PORTION, Stubs};
use crate::translate::{Made, Workshop};
use arch::{Absolute, PAGE};
use cpu::State;
use isa::Instruction;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use translator::{Adoption, Beside, Exit, Link, Path, Relocatable, Statistics, Translator, Wishes};

/// More than a block can need.
const MAX_CODE: usize = 256 << 10;
/// Code of a command, not of a system: the room of a cache with no more is worth keeping for another CPU.
const SMALL: usize = 1 << 20;

/// What the host's processor lacks, if it lacks anything that translated code counts on.
fn lacking(movbe: bool, bmi2: bool) -> Option<&'static str> {
    match (movbe, bmi2) {
        (true, true) => None,
        (false, true) => Some("the host's processor lacks MOVBE"),
        (true, false) => Some("the host's processor lacks BMI2"),
        (false, false) => Some("the host's processor lacks MOVBE and BMI2"),
    }
}

/// Another number each time, and never 0.
fn new_era() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Code that is not executed any more, for there is other: its inner entry, and the version of its text.
struct Retired {
    inner: u64,
    version: u32,
}

/// The code of a block as each CPU can have it: with nothing in the places of what is one's own.
#[derive(Clone, Default)]
pub(crate) struct Block {
    pub bytes: Vec<u8>,
    /// How far after its start the inner entry is.
    pub head: u64,
    pub relocations: Vec<Relocation>,
    pub sites: Lists,
    pub links: Vec<Way>,
    /// Where its pages begin, from the start of the block: its own, the one beside it, those that it leads to.
    pub pages: Vec<i64>,
    /// It has text of two pages.
    pub beside: bool,
    /// How many instructions it is of.
    pub count: u64,
    /// Accesses take it for granted that their spans are open.
    pub firm: bool,
}

/// The number of a page's frame, and the version of its code.
type Frame = (u32, u32);

/// An exit of a block that was put.
struct Linked {
    /// Where the displacement is that is changed when the target has been translated, from the start of all code.
    patch: u32,
    /// The target's frame; `None`: it is not known, and the exit is never taken.
    frame: Option<Frame>,
    /// It goes to the entry that compares the version.
    outer: bool,
}

/// Hot blocks of one virtual CPU as host code.
pub(crate) struct CodeCache {
    memory: CodeMemory,
    stubs: Stubs,
    /// Bytes of `memory` that these are.
    first: usize,
    workshop: Workshop,
    /// The block that was translated last, and room for the code of the one that is being put.
    made: Block,
    code: Vec<u8>,
    sites: Sites,
    links: Vec<Linked>,
    /// The frames of the pages of the block that is being put.
    frames: Vec<Option<Frame>>,
    latest: LatestTargets,
    targets: Targets,
    known: Known,
    /// Blocks that were left too often as firm ones, and so are loose: their addresses and modes, and the code that
    /// each had before.
    loose: HashMap<(u64, u64), Retired>,
    /// The last block that became loose, and its code before, until the engine takes it.
    loosened: Option<(Absolute, u64)>,
    /// No other cache has had this number, nor this one before it was emptied.
    era: u64,
    /// An operation code that is translated as another, to test the comparison of the engines.
    mistake: Option<(u8, u8)>,
    /// How much code may be kept, and how many instructions it has been made of since it was emptied.
    room: Room,
    kept: u64,
    /// What has been done since this was last taken.
    statistics: Statistics,
}

/// An empty code cache, or why there can be none on this host.
pub fn translator(wishes: Wishes) -> io::Result<Box<dyn Translator>> {
    Ok(Box::new(CodeCache::new(wishes)?))
}

impl CodeCache {
    fn new(wishes: Wishes) -> io::Result<CodeCache> {
        if let Some(why) = lacking(is_x86_feature_detected!("movbe"), is_x86_feature_detected!("bmi2")) {
            return Err(io::Error::new(io::ErrorKind::Unsupported, why));
        }
        let mut memory = CodeMemory::reserve(room::MOST)?;
        let sites = Sites::new(memory.start());
        let stubs = Stubs::put(&mut memory);
        Ok(CodeCache {
            sites,
            known: Known::new(wishes.refuses.unwrap_or(|_| false)),
            room: wishes.room.map_or_else(|| Room::new(memory.len()), Room::confined),
            first: memory.used(),
            memory,
            stubs,
            workshop: Workshop::new(),
            made: Block::default(),
            code: Vec::new(),
            kept: 0,
            links: Vec::new(),
            frames: Vec::new(),
            latest: LatestTargets::new(),
            targets: Targets::new(),
            loose: HashMap::new(),
            loosened: None,
            era: new_era(),
            mistake: wishes.mistake,
            statistics: Statistics::default(),
        })
    }

    /// The rows of these instructions, with the first byte `code` read as `other`.
    fn mistaken(s: &State, texts: &[[u8; 6]], (code, other): (u8, u8)) -> Vec<Option<&'static Instruction>> {
        let first = |byte: u8| if byte == code { other } else { byte };
        let texts = texts.iter().map(|&[byte, rest @ ..]| {
            let mut text = [first(byte); 6];
            text[1..].copy_from_slice(&rest);
            text
        });
        texts.map(|text| isa::decode(text, s.architecture(), &s.shared().facilities)).collect()
    }

    /// Forgets what leads to code, which is gone.
    fn forget(&mut self) {
        self.links.clear();
        self.latest.clear();
        self.targets.clear();
        self.known.clear();
        self.loose.clear();
        self.loosened = None;
        self.kept = 0;
        self.era = new_era();
    }

    /// Puts the code of the block at `absolute`, with its text of this version, and what it needs beside it. `frames`
    /// has those of its pages. Answers its entries. `None`: the page beside it is not known.
    fn put(&mut self, s: &State, (absolute, version): (Absolute, u32), block: &Block) -> Option<(u64, u64)> {
        let (storage, latest, frames) = (s.storage(), &mut self.latest, &self.frames);
        let (sites, links) = (self.sites.len() as u64, self.links.len() as u64);
        self.code.clear();
        self.code.extend_from_slice(&block.bytes);
        fill(&mut self.code, &block.relocations, |value| {
            Some(match value {
                Value::VersionAt(page) => {
                    let (frame, _) = frames[page as usize]?;
                    let code = storage.code(Absolute(u64::from(frame) * PAGE));
                    std::ptr::from_ref(code) as u64 + storage::Code::VERSION_AT as u64
                }
                Value::Version(page) => frames[page as usize]?.1.into(),
                Value::Host { page, offset } => match frames[page as usize] {
                    Some((frame, _)) => {
                        storage.place(Absolute(u64::from(frame) * PAGE)).ok()? as u64 + u64::from(offset)
                    }
                    // A guard that lets nothing pass.
                    None => 0,
                },
                Value::Site(n) => sites + u64::from(n),
                Value::Link(n) => links + u64::from(n),
                Value::Latest => latest.give(),
            })
        })?;
        let at = self.memory.put(&self.code);
        self.kept += block.count;
        let (mode, inner) = (mode(s), at + block.head);
        // Links that lead to the code before lead here: ten million times in gcc.
        if let Some(before) = self.loose.get(&(absolute.0, mode)).filter(|before| before.version == version) {
            self.memory.jump(before.inner, inner);
        }
        // So do links to the outer entry of code that is stale: a page of a guest's translator changes often.
        if let Some(stale) = self.known.find(absolute, mode) {
            self.memory.jump(stale, at);
        }
        if block.firm {
            self.sites.begin_firm((absolute, version), mode, at, block.head);
        }
        self.sites.add(&block.sites, at);
        let start = (at - self.memory.start()) as u32;
        self.links.extend(block.links.iter().map(|way| Linked {
            patch: way.patch + start,
            frame: self.frames[way.page as usize],
            outer: way.outer,
        }));
        self.known.note(absolute, mode, at);
        Some((at, inner))
    }

    /// Sees to it that a block that is left too often is not executed any more.
    fn loosen(&mut self) {
        let Some(&Firm { absolute, version, mode, code, head, .. }) = self.sites.take_unsteady() else { return };
        let inner = code + head;
        self.loose.insert((absolute.0, mode), Retired { inner, version });
        self.known.forget(absolute, mode, code);
        self.memory.jump(inner, self.stubs.at_lookup);
        self.loosened = Some((absolute, code));
    }
}

impl Translator for CodeCache {
    fn has_room(&self) -> bool {
        self.memory.left() > MAX_CODE && self.memory.used() - self.first < self.room.bytes()
    }

    fn grow(&mut self, useful: u64) -> bool {
        let grows = useful * 2 > self.kept && self.memory.left() > MAX_CODE && self.room.double();
        self.statistics.grown += u64::from(grows);
        grows
    }

    fn has_grown(&self) -> bool {
        self.room.has_grown()
    }

    fn clear(&mut self) {
        self.memory.truncate(self.first);
        self.sites.clear();
        self.room.shrink();
        self.forget();
        self.statistics.emptied += 1;
    }

    fn reuse(&mut self) -> bool {
        let small = self.memory.used() < SMALL && !self.room.has_grown();
        if small {
            self.memory.rewind(self.first);
            self.sites.forget();
            self.forget();
        }
        small
    }

    fn translate(
        &mut self,
        s: &State,
        (absolute, version): (Absolute, u32),
        beside: Option<Beside>,
        path: Path<'_>,
    ) -> (u64, u64) {
        let began = std::time::Instant::now();
        let (ops, texts, count) = (path.ops, path.texts, path.count);
        let mistaken;
        let rows = match self.mistake {
            Some(mistake) => {
                mistaken = Self::mistaken(s, texts, mistake);
                &mistaken
            }
            None => path.rows,
        };
        let loose = self.loose.contains_key(&(absolute.0, mode(s)));
        let mut plan = Plan::of(s, (absolute, version), beside, path, rows, loose);
        let Made { bytes, head, arms } = self.workshop.make(&mut plan);
        let mut block = std::mem::take(&mut self.made);
        let firm = !plan.loose;
        block.sites.set(&self.workshop.sites, (ops, texts), firm.then_some(&plan.spans));
        std::mem::swap(&mut block.relocations, &mut self.workshop.relocations);
        std::mem::swap(&mut block.links, &mut self.workshop.links);
        let pages = &self.workshop.pages;
        block.pages.clear();
        block.pages.extend(pages.iter().map(|page| page.at));
        self.frames.clear();
        self.frames.extend(pages.iter().map(|page| Some((page.number, page.version))));
        block.beside = beside.is_some();
        (block.bytes, block.head, block.count, block.firm) = (bytes, head, count as u64, firm);
        let entries = self.put(s, (absolute, version), &block).expect("it was made of what is there");
        self.statistics.blocks += 1;
        self.statistics.instructions += ops.len() as u64;
        self.statistics.calls += plan.unfit.count_ones() as u64;
        self.statistics.arms += arms;
        self.statistics.bytes += block.bytes.len() as u64;
        self.statistics.time += began.elapsed().as_nanos() as u64;
        self.made = block;
        entries
    }

    fn relocatable(&self) -> Option<Relocatable> {
        let shares = Pass::Shared.is_on() && self.mistake.is_none();
        shares.then(|| Arc::new(self.made.clone()) as Relocatable)
    }

    fn save(&self, to: &mut Vec<u8>) -> bool {
        let saves = self.mistake.is_none();
        if saves {
            self.made.write(to);
        }
        saves
    }

    fn load(&self, s: &State, saved: &[u8]) -> Option<Relocatable> {
        Some(Arc::new(Block::read(s, saved)?))
    }

    fn adopt(
        &mut self,
        s: &State,
        place: (Absolute, u32),
        beside: Option<Beside>,
        code: &Relocatable,
        whole: bool,
    ) -> Adoption {
        let Some(block) = code.downcast_ref::<Block>() else { return Adoption::Not };
        let retired = block.firm && self.loose.contains_key(&(place.0.0, mode(s)));
        if retired || self.mistake.is_some() || block.beside != beside.is_some() {
            return Adoption::Not;
        }
        let (absolute, version) = place;
        self.frames.clear();
        self.frames.push(Some(((absolute.0 / PAGE) as u32, version)));
        self.frames.extend(beside.map(|Beside { frame, version, .. }| Some(((frame.0 / PAGE) as u32, version))));
        let known = self.frames.len();
        self.frames.extend(block.pages[known..].iter().map(|&at| {
            let frame = s.find_instruction(s.ia.wrapping_add_signed(at) & s.address_mask)?;
            // Links to other pages look at the version themselves.
            Some(((frame.0 / PAGE) as u32, 0))
        }));
        if whole && !self.frames.iter().all(Option::is_some) {
            return Adoption::Later;
        }
        let Some(entries) = self.put(s, place, block) else { return Adoption::Not };
        self.statistics.adopted += 1;
        Adoption::Done(entries)
    }

    fn connect(&mut self, link: Link, absolute: Absolute, version: u32, (outer, inner): (u64, u64)) {
        if link.era != self.era {
            return;
        }
        let exit = &self.links[link.number as usize];
        // The outer entry compares the version itself.
        let leads = |(frame, then)| u64::from(frame) == absolute.0 / PAGE && (exit.outer || then == version);
        if exit.frame.is_some_and(leads) {
            let at = self.memory.start() + exit.patch as u64;
            let code = if exit.outer { outer } else { inner };
            self.memory.patch(at, (code as i64 - (at as i64 + 4)) as i32);
        }
    }

    fn take_statistics(&mut self) -> Statistics {
        std::mem::take(&mut self.statistics)
    }

    fn take_loosened(&mut self) -> Option<(Absolute, u64)> {
        self.loosened.take()
    }

    fn remember(&mut self, s: &State, code: u64) {
        let ia = s.ia;
        self.targets.remember(ia, key(s), code, s.forgotten(ia), s.instructions);
    }

    fn enter(&mut self, s: &mut State, code: u64) -> Exit {
        self.stubs.tell(s);
        s.scratch[KNOWN] = std::ptr::from_ref(&self.known) as u64;
        s.scratch[FOUND..=CALLED].fill(0);
        s.scratch[REMEMBERED] = std::ptr::from_mut(&mut self.targets) as u64;
        [s.scratch[TARGETS], s.scratch[TARGET_MASK]] = self.targets.table();
        s.scratch[SITES] = std::ptr::from_ref(&self.sites) as u64;
        note_key(s);
        if s.scratch[RETURN_ERA] != self.era {
            return_stack::clear(s);
            s.scratch[RETURN_ERA] = self.era;
        }
        (s.scratch[MOVED], s.scratch[LATEST]) = (0, 0);
        s.scratch[ROWS] = s.forgotten_rows();
        let budget = s.budget;
        s.budget = budget.min(PORTION);
        s.scratch[RESERVE] = (budget - s.budget) as u64;
        s.scratch[WHEN] = s.instructions.wrapping_add_signed(budget);
        // SAFETY: the stub is a function of this type, and `code` is an entry of a block in our memory.
        let answer = unsafe {
            let enter: extern "sysv64" fn(*mut State, u64) -> u64 = std::mem::transmute(self.stubs.enter);
            enter(s, code)
        };
        s.budget = s.budget.wrapping_add_unsigned(s.scratch[RESERVE]);
        if float_flags::owes_flags(s) {
            float_flags::take_flags(s);
        }
        settle_code(s);
        s.instructions = s.instructions.wrapping_add((budget - s.budget) as u64);
        s.fetch_stale |= s.scratch[MOVED] != 0;
        self.statistics.entries += 1;
        self.statistics.found += s.scratch[FOUND];
        self.statistics.sites += s.scratch[REACHED];
        self.statistics.called += s.scratch[CALLED];
        self.statistics.executed += (budget - s.budget) as u64;
        self.loosen();
        match answer as u32 {
            answer @ (LOOKUP | STALE) => {
                if answer == STALE {
                    // SAFETY: it is that of a branch in this code, which has led to what is stale, or is none's.
                    unsafe { targets::lead(s.scratch[LATEST], NOTHING) };
                }
                self.statistics.lookups += 1;
                Exit::Lookup
            }
            OUT | LOOK => {
                self.statistics.looks += 1;
                Exit::Look
            }
            FAULT => {
                self.statistics.faults += 1;
                let what = s.scratch[SPILL];
                Exit::Fault { next: (what >> 8) as i32, len: what as u8 }
            }
            link => {
                self.statistics.links += 1;
                Exit::Link(Link { number: link, era: self.era })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_without_an_instruction_is_named() {
        assert_eq!(lacking(true, true), None);
        assert_eq!(lacking(false, true), Some("the host's processor lacks MOVBE"));
        assert_eq!(lacking(true, false), Some("the host's processor lacks BMI2"));
        assert_eq!(lacking(false, false), Some("the host's processor lacks MOVBE and BMI2"));
    }
}
