//! The run loop: interruptions, the block at hand, its code or its instructions, and again.

use crate::block::Block;
use crate::cache::BlockCache;
use crate::choice::{self, Engine};
use crate::exit::{Exit, fault, fetch_address, unfetched};
use crate::index::NONE;
use crate::{compare, interruptions, step, transaction};
use arch::{Absolute, PAGE, PAGE_MASK, Program};
use cpu::State;
use storage::{Code, Storage};

/// The page that instructions come from, as translated last.
struct FetchPage<'a> {
    page: u64,
    frame: u64,
    code: &'a Code,
}

/// How translated code was left, until the block it wanted has been found.
enum Left {
    Nowhere,
    /// By a link to the block at this address.
    Link(translator::Link, u64),
    Lookup,
}

/// Runs until something is not the CPU's own. The budget is `s.budget` instructions, kept between calls.
pub fn run(s: &mut State, cache: &mut BlockCache) -> Exit {
    let before = s.instructions;
    let storage = cache.storage(s);
    s.in_engine = true;
    let exit = execute(s, cache, &storage);
    s.in_engine = false;
    cache.keep_storage(storage);
    // All CPUs add their statistics in one place: not each time that a budget is used up.
    let executed = s.instructions.wrapping_sub(before);
    let often = exit == Exit::Budget && executed > 4096;
    if let Some(news) = cache.take_statistics(executed, often) {
        choice::count(&news);
    }
    exit
}

/// What comes of a part of a round, or why there is no more of the round: an exit, or another round.
type Part<T> = Result<T, Option<Exit>>;

/// What is kept from one round to the next.
struct Rounds<'a> {
    storage: &'a Storage,
    /// Interpretations after which a block is translated, 0: never; and whether both engines are compared.
    patience: u8,
    comparing: bool,
    /// The number of the block that was interpreted last.
    last: u32,
    fetch: FetchPage<'a>,
    left: Left,
    /// The last that happened was a stretch of both engines.
    compared: bool,
}

fn execute(s: &mut State, cache: &mut BlockCache, storage: &Storage) -> Exit {
    s.fetch_stale = true;
    let (engine, patience) = cache.engine();
    let comparing = engine == Engine::Compare;
    let mut rounds = Rounds {
        storage,
        // A guest that is interpreted shares its storage with its host: nothing of it could be done twice.
        // Where a debugger has stops, each block is looked at.
        patience: if comparing && s.interpretation.is_some() || s.stops().is_some() { 0 } else { patience },
        comparing,
        last: NONE,
        fetch: FetchPage { page: 1, frame: 0, code: storage.code(Absolute(0)) },
        left: Left::Nowhere,
        compared: false,
    };
    loop {
        if let Err(Some(exit)) = rounds.one(s, cache) {
            return exit;
        }
    }
}

/// Another round, or the exit that this came to.
#[inline(always)]
fn again(exit: Option<Exit>) -> Part<()> {
    match exit {
        None => Ok(()),
        exit => Err(exit),
    }
}

impl Rounds<'_> {
    /// One round: whatever is pending, or one block.
    #[inline(always)]
    fn one(&mut self, s: &mut State, cache: &mut BlockCache) -> Part<()> {
        let follows = std::mem::take(&mut self.compared);
        if s.budget <= 0 && s.transaction.is_none() {
            return Err(Some(Exit::Budget));
        }
        // Translated code would stop again and again for what is pending and not taken: I/O of a subclass that is not
        // let in, say.
        let mut pressed = false;
        if (s.attention() & s.open) | s.local != 0 {
            pressed = look(s)?;
        }
        let ia = s.ia;
        let absolute = self.find_text(s, cache, ia)?;
        self.find_block(s, cache, absolute)?;
        if self.patience != 0
            && !pressed
            && let Some(code) = cache.code(s, self.last, self.patience, self.comparing)
            && self.enter(s, cache, absolute, code, follows)?
        {
            return Ok(());
        }
        self.left = Left::Nowhere;
        let Some(block) = cache.recall(s, self.last) else { return Ok(()) };
        self.last = block;
        interpret(s, cache, block, ia)
    }

    /// Where the next instruction is. The page that it comes from is translated again if it must be.
    #[inline(always)]
    fn find_text(&mut self, s: &mut State, cache: &mut BlockCache, ia: u64) -> Part<Absolute> {
        if ia & PAGE_MASK != self.fetch.page || s.fetch_stale {
            if s.blocks_stale {
                cache.clear();
                s.blocks_stale = false;
                self.left = Left::Nowhere;
            }
            match fetch_address(s, ia) {
                Ok(absolute) => {
                    let frame = absolute.0 & PAGE_MASK;
                    self.fetch = FetchPage { page: ia & PAGE_MASK, frame, code: self.storage.code(absolute) };
                }
                Err(why) => return Err(unfetched(s, why, ia)),
            }
            s.fetch_stale = false;
        }
        if ia & 1 != 0 {
            return Err(unfetched(s, Program::Specification.into(), ia));
        }
        Ok(Absolute(self.fetch.frame | ia & (PAGE - 1)))
    }

    /// `last` becomes the number of the block at `absolute`.
    #[inline(always)]
    fn find_block(&mut self, s: &mut State, cache: &mut BlockCache, absolute: Absolute) -> Part<()> {
        self.last = match cache.find(self.last, absolute, self.fetch.code.version()) {
            Some(block) => block,
            None => match cache.decode(s, absolute) {
                // Another CPU wanted translations purged while this one decoded.
                Some(_) if s.fetch_stale => return Err(None),
                Some(block) => block,
                // The instruction crosses a page: by itself, with both pages translated now.
                None => return Err(step::crossing(s)),
            },
        };
        Ok(())
    }

    /// Runs the code of the block at hand, with its outer and inner entry, and what that leads to. `false`: the rest of
    /// the budget may not do for a whole block, and nothing has been done.
    #[inline(always)]
    fn enter(
        &mut self,
        s: &mut State,
        cache: &mut BlockCache,
        absolute: Absolute,
        (code, inner): (u64, u64),
        follows: bool,
    ) -> Part<bool> {
        let count = cache.block(self.last).translated as i64;
        let translator = cache.translator();
        match std::mem::replace(&mut self.left, Left::Nowhere) {
            Left::Link(link, wanted) if wanted == s.ia => {
                translator.connect(link, absolute, self.fetch.code.version(), (code, inner));
            }
            Left::Link(..) => {}
            Left::Lookup => translator.remember(s, code),
            Left::Nowhere => {}
        }
        if s.budget < count {
            return Ok(false);
        }
        let exit = if self.comparing {
            self.compared = true;
            compare::enter(s, cache, code, count, follows)
        } else {
            cache.enter(s, code)
        };
        match exit {
            translator::Exit::Link(link) => self.left = Left::Link(link, s.ia),
            translator::Exit::Lookup => self.left = Left::Lookup,
            translator::Exit::Look => {}
            translator::Exit::Fault { next, len } => {
                let why = s.failed.take().expect("a fault has a reason");
                let ia = s.ia;
                self.compared = false;
                again(fault(s, why, ia, next, len))?;
            }
        }
        self.last = NONE;
        Ok(true)
    }
}

/// Takes what is pending. Else execution goes on; `true`: something is pending still.
fn look(s: &mut State) -> Part<bool> {
    match interruptions::look(s) {
        interruptions::Next::Go => Ok(s.attention() & s.open != 0),
        interruptions::Next::Again => {
            s.budget -= 1;
            Err((s.local & cpu::local::STEP != 0 && s.interrupted != 0).then_some(Exit::Step))
        }
        interruptions::Next::Exit(exit) => Err(Some(exit)),
        interruptions::Next::Transaction => {
            again(transaction::step(s))?;
            // CP is not shown a transaction's instructions one by one: all of it is one step.
            Err((s.local & cpu::local::STEP != 0 && s.transaction.is_none()).then_some(Exit::Step))
        }
        interruptions::Next::Step => Err(step::step(s)),
    }
}

/// Interprets a block, which begins at `ia`.
#[inline(always)]
fn interpret(s: &mut State, cache: &mut BlockCache, number: u32, ia: u64) -> Part<()> {
    let block: &Block = cache.block(number);
    let after = ia.wrapping_add(block.bytes as u64) & s.address_mask;
    s.next_ia = after;
    let ops = cache.ops(block);
    s.block_stale = false;
    let (first, rest) = ops.split_first().expect("a block has an instruction");
    (first.run)(s, &first.fields, rest);
    let n = ops.len() - s.left;
    s.instructions += n as u64;
    s.budget -= n as i64;
    match s.failed {
        None if s.left == 0 || !s.block_stale => {
            s.ia = s.next_ia;
            cache.left(number, n, s.ia != after, s.ia.wrapping_sub(ia));
        }
        // The instruction stored into code, perhaps into what follows: that is decoded anew.
        None => s.ia = ia.wrapping_add(ops[n - 1].fields.next as u64) & s.address_mask,
        Some(why) => {
            s.failed = None;
            let fields = &ops[n - 1].fields;
            return again(fault(s, why, ia, fields.next, fields.len));
        }
    }
    Ok(())
}
