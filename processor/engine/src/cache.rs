//! Decoded blocks of one virtual CPU.

use crate::block::{Block, MAX_BLOCK, Profile, Way, digest};
use crate::choice::{self, Engine};
use crate::extent::{Dropped, Extent};
use crate::index::{Index, NONE};
use crate::shared_code::{Purpose, Same, SharedCode, Source};
use crate::shared_text::{self, Context};
use crate::spare::{self, Spare};
use crate::warm::{self, AGAIN, FIRST, Record, Setting};
use arch::{Absolute, PAGE};
use codefiles::Store;
use cpu::State;
use isa::{Decoded, Ends, Op, decode_op};
use std::sync::Arc;
use std::time::Instant;
use storage::Storage;
use translator::{Adoption, Statistics, Translator, Wishes};

/// Instructions of which statistics are told.
const MUCH: u64 = 1 << 20;

/// Executions after which a block is translated.
const HOT: u8 = 40;
/// Executions after which one is kept when room is made.
const WARM: u8 = 4;
/// The same where engines are compared: as much as possible is.
const HOT_COMPARED: u8 = 2;
/// Branches in a block that may not be taken. More would decode much that is never executed there.
const MAX_BRANCHES: usize = 4;

/// The blocks one CPU has decoded. It is empty until the CPU runs.
#[derive(Default)]
pub struct BlockCache {
    /// Numbers of blocks by their absolute addresses, the latest of each.
    index: Index,
    blocks: Vec<Block>,
    ops: Vec<Op>,
    /// How many of these are kept; `None`: nothing has been decoded yet.
    extent: Option<Extent>,
    dropped: Dropped,
    /// The translator and what it has made, from the first hot block on.
    translator: Option<Box<dyn Translator>>,
    /// The engine, and how often blocks are interpreted before they are translated (0: never); `None`: as the process
    /// has it.
    engine: Option<(Engine, u8)>,
    mistake: Option<(u8, u8)>,
    /// What has been done beside the translator's part since statistics were taken last: blocks that were found stale
    /// or went through files, instructions executed.
    news: Statistics,
    /// Files with code of earlier processes, since there was a block that could be there.
    store: Option<Arc<Store>>,
    /// A bit for each number of executions after which a block is looked for there.
    asks: u64,
    /// The storage of the CPU that ran last. It is kept, since a change of its count of references concerns all CPUs.
    storage: Option<Arc<Storage>>,
    /// Bytes of code that the translator may keep, if not as many as it likes.
    room: Option<usize>,
}

impl BlockCache {
    /// Nothing decoded, no memory used.
    pub fn new() -> BlockCache {
        BlockCache::default()
    }

    /// Blocks are translated when they have been interpreted so often; 0: never. For tests that want one engine.
    pub fn with_patience(executions: u8) -> BlockCache {
        let engine = if executions == 0 { Engine::Interpreter } else { Engine::Jit };
        BlockCache { engine: Some((engine, executions)), ..BlockCache::default() }
    }

    /// Blocks run on both engines from their first execution on.
    pub fn for_comparison() -> BlockCache {
        BlockCache { engine: Some((Engine::Compare, 1)), ..BlockCache::default() }
    }

    /// With instructions of the first byte `code` translated as if it were `other`: a comparison of the engines must
    /// find the difference.
    pub fn with_mistake(self, code: u8, other: u8) -> BlockCache {
        BlockCache { mistake: Some((code, other)), ..self }
    }

    /// Code is taken from these files and put there, whatever those of the process are.
    pub fn with_files(self, store: Arc<Store>) -> BlockCache {
        BlockCache { store: Some(store), ..self }
    }

    /// The engine, and how often blocks are interpreted before they are translated; 0 if they never are.
    pub(crate) fn engine(&self) -> (Engine, u8) {
        self.engine.unwrap_or_else(|| match choice::engine() {
            Engine::Interpreter => (Engine::Interpreter, 0),
            Engine::Jit => (Engine::Jit, if choice::is_eager() { 1 } else { HOT }),
            Engine::Compare => (Engine::Compare, HOT_COMPARED),
        })
    }

    /// Limits the code that is kept, so that it is used up soon. For tests, before the first block is translated.
    pub fn confine(&mut self, bytes: usize) {
        self.room = Some(bytes);
    }

    /// Forgets all blocks.
    pub fn clear(&mut self) {
        if let Some(translator) = &mut self.translator {
            translator.clear();
        }
        self.index.clear();
        self.blocks.clear();
        self.ops.clear();
    }

    /// Forgets all blocks and gives the host its storage back: the CPU has had nothing to do for a while. What it knows
    /// of common text it hands on.
    pub fn rest(&mut self, s: &State) {
        self.hand_on(s);
        let Self { engine, mistake, room, news, ref store, .. } = *self;
        let new = BlockCache { engine, mistake, room, news, store: store.clone(), ..BlockCache::default() };
        let old = std::mem::replace(self, new);
        let small = Extent { ops: old.ops.len(), blocks: old.blocks.len() }.is_small();
        let keeps = small && old.extent == Some(Extent::FIRST) && self.is_usual();
        let BlockCache { mut index, mut blocks, mut ops, translator, .. } = old;
        if let Some(mut translator) = translator.filter(|_| keeps)
            && translator.reuse()
        {
            index.clear();
            blocks.clear();
            ops.clear();
            spare::keep(Spare { index, blocks, ops, translator });
        }
    }

    /// It may have the room of another such CPU.
    fn is_usual(&self) -> bool {
        self.engine().0 == Engine::Jit && self.room.is_none() && self.mistake.is_none()
    }

    /// Makes room for the first block, where that is another's that has gone to rest if there is one.
    #[cold]
    fn wake(&mut self) {
        self.store = self.store.take().or_else(warm::store).filter(|_| self.mistake.is_none());
        self.asks = if self.store.is_some() { 1 << FIRST | 1 << AGAIN } else { 0 };
        if self.is_usual()
            && let Some(Spare { index, blocks, ops, translator }) = spare::take()
        {
            (self.index, self.blocks, self.ops, self.translator) = (index, blocks, ops, Some(translator));
        }
        self.keep(Extent::FIRST);
    }

    /// Hands on what is known of blocks of common text without code.
    fn hand_on(&self, s: &State) {
        if self.purpose(s).is_none() {
            return;
        }
        for block in self.blocks.iter().filter(|block| block.code == 0 && block.hits > 0 && !block.own) {
            let start = Absolute(block.absolute);
            let current = s.storage().code_version(start) == block.version;
            if let Some(context) = Context::of(s, start).filter(|_| current) {
                shared_text::ALL.note(&context, start, block.digest, block.profile());
            }
        }
    }

    /// Forgets the blocks that are stale and those that were hardly ever executed, and the instructions of those with
    /// code. If that leaves too much, all that have no code go, or everything. The others move together.
    fn make_room(&mut self, s: &State) {
        let storage = s.storage();
        let current = |block: &Block| storage.code_version(Absolute(block.absolute)) == block.version;
        let stays = |block: &Block, hits: u8| current(block) && (block.code != 0 || block.hits >= hits);
        // Blocks and instructions that would remain.
        let staying = |blocks: &[Block], hits: u8| {
            let staying = blocks.iter().filter(|block| stays(block, hits));
            staying.fold(Extent { ops: 0, blocks: 0 }, |Extent { ops, blocks }, block| {
                let count = if block.code == 0 && block.first != NONE { block.count as usize } else { 0 };
                Extent { ops: ops + count, blocks: blocks + 1 }
            })
        };
        let mut extent = self.extent();
        if self.dropped.takes_long(extent, s.instructions) {
            extent = extent.doubled();
            self.keep(extent);
        }
        let fits = |&hits: &u8| extent.has_room_beside(staying(&self.blocks, hits));
        let Some(hits) = [WARM, u8::MAX].into_iter().find(fits) else {
            return self.clear();
        };
        let dropped = &mut self.dropped;
        self.blocks.retain(|block| {
            let stays = stays(block, hits);
            if !stays && current(block) {
                dropped.note(block.absolute);
            }
            stays
        });
        let mut kept: Vec<&mut Block> = Vec::new();
        for block in &mut self.blocks {
            block.links = [NONE; 2];
            if block.code != 0 {
                block.first = NONE;
            } else if block.first != NONE {
                kept.push(block);
            }
        }
        kept.sort_unstable_by_key(|block| block.first);
        let mut next = 0;
        for block in kept {
            let first = block.first as usize;
            self.ops.copy_within(first..first + block.count as usize, next);
            block.first = next as u32;
            next += block.count as usize;
        }
        self.ops.truncate(next);
        self.index.rebuild(self.blocks.iter().map(|block| block.absolute));
    }

    fn extent(&self) -> Extent {
        self.extent.unwrap_or(Extent::FIRST)
    }

    /// From now on so many are kept. What is not used of the room costs nothing, and making it bit by bit would keep
    /// the instructions twice.
    fn keep(&mut self, extent: Extent) {
        if self.extent != Some(extent) {
            self.ops.reserve_exact(extent.ops - self.ops.len());
            self.blocks.reserve_exact(extent.blocks - self.blocks.len());
            self.extent = Some(extent);
        }
    }

    /// The instructions of another block may be more than are kept.
    fn is_full(&self) -> bool {
        let Extent { ops, blocks } = self.extent();
        self.ops.len() + MAX_BLOCK > ops || self.blocks.len() == blocks
    }

    /// The block at `absolute`, if it is decoded and its text has not been stored into since the frame's code had
    /// `version`. It is looked for first where it was when `last` was left before.
    #[inline(always)]
    pub fn find(&mut self, last: u32, absolute: Absolute, version: u32) -> Option<u32> {
        if let Some(before) = self.blocks.get(last as usize) {
            for link in before.links {
                if self.blocks.get(link as usize).is_some_and(|block| block.is(absolute, version)) {
                    return Some(link);
                }
            }
        }
        let number = self.latest(absolute).filter(|&number| self.blocks[number as usize].version == version)?;
        if let Some(before) = self.blocks.get_mut(last as usize) {
            before.links = [number, before.links[0]];
        }
        Some(number)
    }

    /// The block at `absolute` that was decoded last.
    #[inline(always)]
    fn latest(&self, absolute: Absolute) -> Option<u32> {
        self.index.find(absolute.0, |number| self.blocks[number as usize].absolute == absolute.0)
    }

    /// The block with that number, which `find` or `decode` just gave.
    #[inline(always)]
    pub fn block(&self, number: u32) -> &Block {
        &self.blocks[number as usize]
    }

    /// The block was interpreted. It was left after so many instructions, by a branch or not, to so many bytes after
    /// its start.
    #[inline(always)]
    pub fn left(&mut self, number: u32, count: usize, branched: bool, to: u64) {
        let Some(block) = self.blocks.get_mut(number as usize) else { return };
        let to = if to as i32 as u64 == to { to as i32 } else { 1 };
        let way = Way { count: count as u8, branched, to };
        // A majority vote: each vote for another way takes one away, so the way with more than half of all is left.
        (block.way, block.votes) = match block.votes {
            votes if block.way == way => (way, votes.saturating_add(1)),
            0 => (way, 1),
            votes => (block.way, votes - 1),
        };
    }

    /// The block at `absolute`, if it is decoded and current.
    pub fn at(&self, absolute: Absolute, version: u32) -> Option<&Block> {
        let block = &self.blocks[self.latest(absolute)? as usize];
        (block.version == version).then_some(block)
    }

    /// Where the text of a block is, and the version of its frame's code.
    pub fn place_of(&self, number: u32) -> (Absolute, u32) {
        let block = &self.blocks[number as usize];
        (Absolute(block.absolute), block.version)
    }

    /// The instructions of a block that [`BlockCache::recall`] has seen to.
    #[inline(always)]
    pub fn ops(&self, block: &Block) -> &[Op] {
        &self.ops[block.first as usize..block.first as usize + block.count as usize]
    }

    /// Sees to it that the instructions of a block are there, and answers the block's number from now on. `None`: its
    /// text is another, and so it is stale.
    #[inline(always)]
    pub fn recall(&mut self, s: &State, number: u32) -> Option<u32> {
        if self.blocks[number as usize].first != NONE { Some(number) } else { self.decode_again(s, number) }
    }

    #[cold]
    fn decode_again(&mut self, s: &State, number: u32) -> Option<u32> {
        let Block { absolute, version, .. } = self.blocks[number as usize];
        let number = if self.is_full() {
            self.make_room(s);
            self.find(NONE, Absolute(absolute), version)?
        } else {
            number
        };
        let block = &mut self.blocks[number as usize];
        let mut text = [0; MAX_BLOCK * 6];
        let text = &mut text[..block.bytes as usize];
        s.storage().load(Absolute(absolute), text).expect("it was decoded from there");
        if digest(text) != block.digest {
            block.version = block.version.wrapping_sub(1);
            return None;
        }
        block.first = self.ops.len() as u32;
        let mut at = 0;
        while at < text.len() {
            let len = isa::length(text[at]) as usize;
            let mut bytes = [0; 6];
            bytes[..len].copy_from_slice(&text[at..at + len]);
            self.ops.push(decode_op(s, bytes, at as i64).op);
            at += len;
        }
        Some(number)
    }

    /// The code of the block, with its outer and inner entry, if it is hot enough to have any.
    #[inline(always)]
    pub fn code(&mut self, s: &State, number: u32, patience: u8, comparing: bool) -> Option<(u64, u64)> {
        let block = &mut self.blocks[number as usize];
        if block.code == 0 {
            block.hits = block.hits.saturating_add(1);
            if block.hits != patience {
                // `AGAIN` is the last.
                if block.hits > AGAIN || self.asks >> block.hits & 1 == 0 {
                    return None;
                }
                self.restore(s, number, comparing);
            } else {
                self.translate(s, number, patience, comparing);
            }
        }
        let block = &self.blocks[number as usize];
        (block.code != 0 && block.mode == translator::mode(s))
            .then_some((block.code, block.code + u64::from(block.inner)))
    }

    /// Sees to it that there is a translator, with room for another block. `false`: there is none.
    fn has_translator(&mut self, s: &State, comparing: bool) -> bool {
        if self.translator.is_none() {
            let refuses = comparing.then_some(choice::only_once as fn(&_) -> bool);
            self.translator = choice::new_translator(Wishes { room: self.room, mistake: self.mistake, refuses });
        }
        let Some(translator) = &mut self.translator else { return false };
        if !translator.has_room() {
            let current = |block: &&Block| s.storage().code_version(Absolute(block.absolute)) == block.version;
            let useful = self.blocks.iter().filter(|block| block.has_code()).filter(current);
            if !translator.grow(useful.map(|block| u64::from(block.translated)).sum()) {
                translator.clear();
                for block in &mut self.blocks {
                    (block.code, block.inner, block.hits) = (0, 0, 0);
                }
            }
        }
        true
    }

    #[cold]
    fn translate(&mut self, s: &State, number: u32, patience: u8, comparing: bool) {
        if !self.has_translator(s, comparing) {
            return;
        }
        let block = self.block(number);
        let (start, own) = (Absolute(block.absolute), block.own);
        let shares = Context::of(s, start).filter(|_| !own).zip(self.purpose(s));
        if let Some((context, purpose)) = &shares
            && let Some(shared) = shared_text::ALL.code(context, *purpose, start)
            && self.adopt(s, number, &shared)
        {
            return;
        }
        if self.asks != 0 && self.take_from_file(s, number) {
            return;
        }
        // If its text was stored into, the block is stale.
        let Some(trace) = self.trace(s, number, patience) else { return };
        if comparing && trace.has_only_once() {
            return;
        }
        let block = &mut self.blocks[number as usize];
        block.translated = trace.count as u16;
        let translator = self.translator.as_mut().expect("it was made above");
        let place = (Absolute(block.absolute), block.version);
        let (code, inner) = translator.translate(s, place, trace.beside, trace.path());
        (block.code, block.inner) = (code, (inner - code).try_into().expect("a check of a version is short"));
        block.mode = translator::mode(s);
        if shares.is_none() && self.asks == 0 {
            return;
        }
        let (count, profile) = (trace.count as u16, block.profile());
        let source = Source { text: trace.text(), beside: trace.beside.is_some() };
        self.put_into_file(s, number, &source);
        if let Some((context, purpose)) = shares {
            let translator = self.translator.as_ref().expect("as above");
            match translator.relocatable().filter(|_| !source.beside) {
                Some(code) => {
                    let code = SharedCode { purpose, source, count, profile, code };
                    shared_text::ALL.keep_code(&context, start, code);
                }
                None => shared_text::ALL.leave_alone(&context, start),
            }
        }
    }

    /// What code is for that is in files, if this CPU's can be there.
    fn setting(&self, s: &State) -> Option<Setting> {
        let hasty = self.engine().1 <= choice::HASTE;
        Some(Setting::of(&Context::of_any(s)?, self.purpose(s)?, hasty))
    }

    /// Takes over what an earlier process has made of a block that was not executed often yet.
    #[cold]
    fn restore(&mut self, s: &State, number: u32, comparing: bool) {
        let (Some(store), Some(setting)) = (&self.store, self.setting(s)) else { return };
        let block = self.block(number);
        if store.has(setting.key(block)) && self.has_translator(s, comparing) {
            self.take_from_file(s, number);
        }
    }

    /// Takes over what is in a file of a block. `false`: there is nothing that is for this CPU, or not yet.
    fn take_from_file(&mut self, s: &State, number: u32) -> bool {
        let (Some(store), Some(setting)) = (self.store.clone(), self.setting(s)) else { return false };
        let began = Instant::now();
        let key = setting.key(self.block(number));
        let done = store.find(key, |record| {
            let block = self.block(number);
            let (place, whole) = (self.place_of(number), block.hits < AGAIN);
            let Record { count, profile, source, code } = setting.read(block, record)?;
            let beside = match source.watch(s, place.0, place.1) {
                Same::Yes(beside) => beside,
                Same::No => return None,
                Same::Unknown => return whole.then_some(false),
            };
            let translator = self.translator.as_mut()?;
            let code = translator.load(s, code)?;
            match translator.adopt(s, place, beside, &code, whole) {
                Adoption::Done(entries) => self.note_code(s, number, entries, count, profile),
                Adoption::Later => return Some(false),
                Adoption::Not => return None,
            }
            let shares = Context::of(s, place.0).filter(|_| !source.beside).zip(self.purpose(s));
            if let Some((context, purpose)) = shares {
                let code = SharedCode { purpose, source, count, profile, code };
                shared_text::ALL.keep_code(&context, place.0, code);
            }
            Some(true)
        });
        self.news.restored += u64::from(done == Some(true));
        self.news.restoring += began.elapsed().as_nanos() as u64;
        done == Some(true)
    }

    /// Puts what was translated last into a file, with the text that it is made of.
    fn put_into_file(&mut self, s: &State, number: u32, source: &Source) {
        let (Some(store), Some(setting)) = (&self.store, self.setting(s)) else { return };
        let began = Instant::now();
        let (block, translator) = (self.block(number), self.translator.as_ref().expect("it has translated"));
        let mut record = Vec::with_capacity(4096);
        setting.begin(block, source, &mut record);
        let saved = translator.save(&mut record) && store.keep(setting.key(block), &record);
        self.news.saved += u64::from(saved);
        self.news.time += began.elapsed().as_nanos() as u64;
    }

    /// A block has code now that another CPU has made of `count` instructions.
    fn note_code(&mut self, s: &State, number: u32, (code, inner): (u64, u64), count: u16, profile: Profile) {
        let block = &mut self.blocks[number as usize];
        (block.code, block.inner) = (code, (inner - code).try_into().expect("a check of a version is short"));
        (block.mode, block.translated) = (translator::mode(s), count);
        (block.way, block.votes) = (profile.way, profile.votes);
    }

    /// What code for the CPU is for, if it is to be that of others as well.
    fn purpose(&self, s: &State) -> Option<Purpose> {
        let (engine, patience) = self.engine();
        (patience != 0 && self.mistake.is_none()).then(|| Purpose::of(s, engine == Engine::Compare))
    }

    /// Takes over what another CPU has made of a block. `true`: for now there is nothing more to be done about its
    /// code.
    fn adopt(&mut self, s: &State, number: u32, shared: &SharedCode) -> bool {
        let translator = self.translator.as_mut().expect("the caller has seen to it");
        let block = &mut self.blocks[number as usize];
        let place = (Absolute(block.absolute), block.version);
        let Same::Yes(beside) = shared.source.watch(s, place.0, place.1) else {
            // It has to become hot, as a block of the machine's own.
            (block.own, block.hits) = (true, 0);
            return true;
        };
        match translator.adopt(s, place, beside, &shared.code, false) {
            Adoption::Done(entries) => self.note_code(s, number, entries, shared.count, shared.profile),
            Adoption::Later | Adoption::Not => return false,
        }
        true
    }

    /// There is so much code that what it takes of the host's caches counts: of gcc's, say, but no system's that
    /// booted.
    pub fn has_much_code(&self) -> bool {
        self.translator.as_ref().is_some_and(|translator| translator.has_grown())
    }

    /// The translator, which has made what [`BlockCache::code`] found.
    pub fn translator(&mut self) -> &mut dyn Translator {
        self.translator.as_deref_mut().expect("there is code, so a translator made it")
    }

    /// Runs the code of a block, the one at `s.ia`.
    pub fn enter(&mut self, s: &mut State, code: u64) -> translator::Exit {
        let translator = self.translator.as_mut().expect("there is code, so a translator made it");
        let exit = translator.enter(s, code);
        if let Some((absolute, code)) = translator.take_loosened() {
            self.translate_again(absolute, code);
        }
        exit
    }

    /// The code is not executed any more: its block is to have another as soon as it is wanted.
    #[cold]
    fn translate_again(&mut self, absolute: Absolute, code: u64) {
        let hits = self.engine().1 - 1;
        let latest = self.latest(absolute).map(|number| &mut self.blocks[number as usize]);
        if let Some(block) = latest.filter(|block| block.code == code) {
            (block.code, block.inner, block.hits) = (0, 0, hits);
        }
    }

    /// The storage of the CPU.
    pub(crate) fn storage(&mut self, s: &State) -> Arc<Storage> {
        match self.storage.take() {
            Some(storage) if Arc::ptr_eq(&storage, s.storage()) => storage,
            _ => s.storage().clone(),
        }
    }

    pub(crate) fn keep_storage(&mut self, storage: Arc<Storage>) {
        self.storage = Some(storage);
    }

    /// What has been done since statistics were taken last, with `executed` more instructions counted first. `None`
    /// where nothing is to be translated, or if this is asked `often` and it is not much yet.
    pub(crate) fn take_statistics(&mut self, executed: u64, often: bool) -> Option<translator::Statistics> {
        self.news.total += executed;
        if self.engine().0 == Engine::Interpreter || often && self.news.total < MUCH {
            return None;
        }
        let mut news = self.translator.as_mut().map(|t| t.take_statistics()).unwrap_or_default();
        news.add(&std::mem::take(&mut self.news));
        Some(news)
    }

    /// Decodes the block at `absolute`. `None` if its first instruction crosses the end of the page. Other CPUs may
    /// have had translations purged meanwhile.
    #[cold]
    pub fn decode(&mut self, s: &mut State, absolute: Absolute) -> Option<u32> {
        if self.extent.is_none() {
            self.wake();
        }
        if self.is_full() {
            self.make_room(s);
        }
        let mut text = [0; MAX_BLOCK * 6];
        let rest = (PAGE - absolute.0 % PAGE) as usize;
        let text = &mut text[..rest.min(MAX_BLOCK * 6)];
        let first = self.ops.len();
        let mut version = s.storage().code_version(absolute);
        s.storage().load(absolute, text).expect("the frame was translated, so it exists");
        // What others decoded does not end where a debugger wants this CPU to stop.
        let context = Context::of(s, absolute).filter(|_| s.stops().is_none());
        let purpose = self.purpose(s);
        let known = match context {
            Some(context) => shared_text::ALL.find(&context, purpose, absolute, text, &mut self.ops),
            None => None,
        };
        let at = known.map_or_else(|| self.decode_text(s, absolute, text), |known| known.bytes);
        if at > 0 {
            // Only now is the text watched. If it changed since it was read, the block is stale from the start.
            let watched = s.storage().mark_code(absolute, at);
            if watched.first {
                // Another CPU may have found the frame without marks, and store into it yet.
                s.meet_others();
                s.storage().watched(absolute, watched);
            }
            let mut again = [0; MAX_BLOCK * 6];
            s.storage().load(absolute, &mut again[..at]).expect("as above");
            let same = again[..at] == text[..at];
            version = if same { watched.version } else { version.wrapping_sub(1) };
            if let Some(context) = context.filter(|_| same && known.is_none()) {
                shared_text::ALL.keep(context, absolute, &text[..at], &self.ops[first..]);
            }
        }
        if at == 0 {
            return None;
        }
        let has_code = known.is_some_and(|known| known.code);
        let count = known.map_or(self.ops.len() - first, |known| known.count) as u16;
        let Profile { hits, way, votes } = known.filter(|_| purpose.is_some()).map_or(Profile::default(), |known| {
            // What there is code for does not wait; for the rest a last execution counts.
            let last = self.engine().1 - 1;
            Profile { hits: if has_code { last } else { known.profile.hits.min(last) }, ..known.profile }
        });
        let block = Block {
            absolute: absolute.0,
            version,
            first: if has_code { NONE } else { first as u32 },
            digest: digest(&text[..at]),
            count,
            bytes: at as u16,
            translated: count,
            hits,
            mode: 0,
            way,
            votes,
            own: false,
            links: [NONE; 2],
            code: 0,
            inner: 0,
        };
        let old = self.latest(absolute);
        self.news.invalidated += old.is_some_and(|old| self.blocks[old as usize].code != 0) as u64;
        self.dropped.decoded(absolute.0, block.count.into());
        let number = self.blocks.len() as u32;
        self.blocks.push(block);
        match old {
            Some(old) => self.index.replace(absolute.0, old, number),
            None if self.index.is_full() => self.index.rebuild(self.blocks.iter().map(|block| block.absolute)),
            None => self.index.insert(absolute.0, number),
        }
        Some(number)
    }

    /// Decodes the block whose text this begins with. Answers how many bytes of it are the block's.
    fn decode_text(&mut self, s: &State, absolute: Absolute, text: &[u8]) -> usize {
        let first = self.ops.len();
        let (mut at, mut branches) = (0, 0);
        while self.ops.len() - first < MAX_BLOCK {
            let Some(&first_byte) = text.get(at) else { break };
            let len = isa::length(first_byte) as usize;
            let stops = at > 0 && s.stops().is_some_and(|stops| stops.may_have(absolute.0 + at as u64));
            if stops || at + len > text.len() {
                break;
            }
            let mut bytes = [0; 6];
            bytes[..len].copy_from_slice(&text[at..at + len]);
            let Decoded { op, ends, .. } = decode_op(s, bytes, at as i64);
            self.ops.push(op);
            at += len;
            branches += (ends == Ends::IfTaken) as usize;
            if ends == Ends::Always || branches > MAX_BRANCHES {
                break;
            }
        }
        at
    }
}
