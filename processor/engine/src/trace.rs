//! Which instructions the code of a block is made of: those that the program executes one after another.
//!
//! A block ends at a branch that is always taken, say. Many are left by a branch on a condition that is nearly always
//! taken. When one is to be translated it has been interpreted some forty times. Each time [`BlockCache::left`] has
//! noted how it was left. So its *trace* goes on at the branch's target. The block that begins there says how it is
//! left itself, and so on. The trace ends at a branch to where it has been, or where nothing is known. A target in a
//! register is where the block has led so far. A return in a trace goes on after the trace's own call, wherever else
//! that routine has returned to. Through calls and returns a trace goes only if it comes back to its start: for loops.
//! Ways out of it that were hardly ever taken become exits. A trace may have an inner loop, which does not come back to
//! the trace's start. That is gone round often if the block that it begins with has code already.
//!
//! A trace has text of the page that its block begins in and of one other. That is the next, the one before, or one
//! with a routine, if the program now has that page there. [`translator`] sees to it that the code is executed only
//! where it still is. The instruction between two pages is no block's, but a trace's like any other.
//!
//! The interpreter has no use for traces: it executes the blocks as they are.

use crate::block::{Block, MAX_BLOCK, Way, digest};
use crate::cache::BlockCache;
use crate::choice::{HASTE, only_once};
use crate::text::{FAR, Text};
use arch::{Absolute, PAGE};
use cpu::State;
use isa::form::Target::*;
use isa::{Decoded, Ends, Form, Instruction, Op, decode_op};
use translator::{Arm, Beside, Path};

/// Instructions with their text, the first at 0 from the start of the block.
#[derive(Default)]
pub struct Trace {
    pub ops: Vec<Op>,
    pub texts: Vec<[u8; 6]>,
    pub rows: Vec<Option<&'static Instruction>>,
    /// So many of them are the trace; the rest are of arms.
    pub count: usize,
    pub arms: Vec<Arm>,
    /// Pieces of text that follow each other: where they begin and end, from the start of the block.
    pieces: Vec<(i64, i64)>,
    /// The other page that it has text of.
    pub beside: Option<Beside>,
    /// The number of the instruction that its loop begins with, if it has one; else that of the first.
    pub round: usize,
    /// It ends with a branch that has led back to its start so far; the instruction's copy here says so as one of the
    /// text would.
    led_back: bool,
}

impl Trace {
    /// These are the first so many instructions of the block's text, and no others.
    pub fn is_block(&self, count: usize) -> bool {
        self.pieces.len() == 1 && self.ops.len() == count && !self.led_back
    }

    /// Whether it has an instruction that cannot be executed twice.
    pub fn has_only_once(&self) -> bool {
        self.rows.iter().flatten().any(|row| only_once(row))
    }

    /// All of it, for the translator.
    pub fn path(&self) -> Path<'_> {
        let Trace { ops, texts, rows, count, round, arms, .. } = self;
        Path { ops, texts, rows, count: *count, first: *round, arms }
    }

    pub fn has(&self, at: i64) -> bool {
        self.number(at).is_some()
    }

    /// One more instruction.
    pub fn push(&mut self, decoded: Decoded, text: [u8; 6]) {
        self.ops.push(decoded.op);
        self.texts.push(text);
        self.rows.push(decoded.row);
    }

    /// Its text is still what it was made of.
    fn is_as_it_was(&self, text: &mut Text) -> bool {
        let mut all = self.ops.iter().zip(&self.texts);
        all.all(|(op, &bytes)| text.instruction(op.fields.at()).is_some_and(|(now, _)| now == bytes))
    }

    /// Its pieces of text, from the start of the block on.
    pub fn text(&self) -> Vec<(i64, Box<[u8]>)> {
        let pieces = self.pieces.iter().map(|&(from, to)| {
            let mut bytes = vec![0; (to - from) as usize];
            for (op, text) in self.ops.iter().zip(&self.texts).filter(|(op, _)| (from..to).contains(&op.fields.at())) {
                // One that another piece has whole may reach over this one's end: a branch led into another
                // instruction.
                let to = &mut bytes[(op.fields.at() - from) as usize..];
                let len = to.len().min(op.fields.len as usize);
                to[..len].copy_from_slice(&text[..len]);
            }
            (from, bytes.into())
        });
        pieces.collect()
    }

    /// What [`digest`] makes of its text.
    fn digest(&self) -> u64 {
        let (mut all, mut len) = ([0; MAX_BLOCK * 6], 0);
        for (op, text) in self.ops.iter().zip(&self.texts) {
            let next = len + op.fields.len as usize;
            all[len..next].copy_from_slice(&text[..op.fields.len as usize]);
            len = next;
        }
        digest(&all[..len])
    }

    /// That piece of text has been read, too.
    pub fn watch(&mut self, from: i64, to: i64) {
        match self.pieces.last_mut() {
            Some((_, end)) if *end == from => *end = to,
            _ => self.pieces.push((from, to)),
        }
    }

    /// The number of the instruction there.
    pub fn number(&self, at: i64) -> Option<usize> {
        self.ops.iter().position(|op| op.fields.at() == at)
    }
}

/// What is known of the way that a program takes through a block.
#[derive(Clone, Copy)]
enum Known {
    /// It is nearly always left so.
    Way(Way),
    /// It has so many instructions, and is left in several ways.
    Until(usize),
    /// As one will: for tests, which translate what has never been executed.
    Any,
    /// It is the one instruction between two pages.
    Between,
}

/// Interpretations after which a block's way is known.
const KNOWN: u8 = 8;

/// Where a branch leads if its text says so, from the start of the block.
pub(crate) fn target(op: &Op, row: &Instruction) -> Option<i64> {
    row.distance(&op.fields).map(|distance| op.fields.at() + distance)
}

/// The register that a branch takes its target from, and nothing else.
fn register(op: &Op, form: Form) -> Option<u8> {
    let branches = matches!(form, Form::BranchOnCondition(Register) | Form::BranchAndSave(Register));
    Some(op.fields.r2).filter(|&r| branches && r != 0)
}

/// Whether a branch to that register's address is mostly a return: programs return by 14 or whatever they had it
/// restored to, and have 1 for other things.
fn returns(op: &Op, form: Form) -> bool {
    form == Form::BranchOnCondition(Register) && !matches!(op.fields.r2, 0 | 1)
}

impl BlockCache {
    fn known(&self, absolute: Absolute, version: u32, patience: u8) -> Option<Known> {
        if patience <= HASTE {
            return Some(Known::Any);
        }
        let block = self.at(absolute, version).filter(|block| block.hits >= KNOWN)?;
        // Three of four times.
        let sure = block.votes >= block.hits.min(patience) / 2;
        Some(if sure { Known::Way(block.way) } else { Known::Until(block.count as usize) })
    }

    /// The trace of a block that has waited `patience` times, the one at `s.ia`, or `None` if its text has been stored
    /// into.
    pub fn trace(&self, s: &State, number: u32, patience: u8) -> Option<Trace> {
        let (start, version) = self.place_of(number);
        let block = self.block(number);
        let whole = block.count as usize;
        let known = self.known(start, version, patience).unwrap_or(Known::Until(whole));
        let mut course = Course::of(Text::of(s, start, version), known);
        while course.trace.ops.len() < MAX_BLOCK && course.goes_on(self, patience) {}
        let Course { mut text, mut trace, loops, round, .. } = course.end(patience);
        if !loops {
            trace.round = round.unwrap_or_else(|| self.inner_loop(&trace, &mut text));
        }
        trace.count = trace.ops.len();
        trace.add_arms(s, &mut text);
        if trace.is_block(whole) {
            // That is watched already.
            let same = trace.digest() == block.digest && s.storage().code_version(start) == version;
            return same.then_some(trace);
        }
        let own = |at: i64| text.place(at).0 == 0;
        let used = trace.pieces.iter().any(|&(from, to)| !own(from) || !own(to - 1));
        trace.beside = text.beside().filter(|_| used);
        // Only now is all of the text watched. If it changed since it was read, the block is stale.
        let watched = trace.pieces.iter().all(|&(from, to)| text.watch(from, to));
        (watched && trace.is_as_it_was(&mut text)).then_some(trace)
    }

    /// The number of the instruction that the first loop within a trace begins with, if that is gone round often; else
    /// 0.
    fn inner_loop(&self, trace: &Trace, text: &mut Text) -> usize {
        let mut inner = trace.ops.iter().zip(&trace.rows).enumerate().filter_map(|(n, (op, row))| {
            let to = target(op, (*row)?)?;
            let first = trace.number(to).filter(|&first| first <= n)?;
            let (place, version) = text.absolute(to)?;
            self.at(place, version).is_some_and(|block| first != 0 && block.has_code()).then_some(first)
        });
        inner.next().unwrap_or(0)
    }
}

/// How the program leaves the block at hand after an instruction.
enum Leaves {
    Not,
    So {
        branches: bool,
    },
    /// It is not known how.
    Somehow,
}

/// A trace as far as it has been followed.
struct Course<'a> {
    text: Text<'a>,
    trace: Trace,
    /// Where the next instruction is, and where its piece of text began.
    at: i64,
    began: i64,
    /// What is known of the block at hand, where it begins, and how many of its instructions there have been.
    known: Known,
    block_at: i64,
    count: usize,
    /// Where those return that have been called.
    called: Vec<i64>,
    /// It goes back to its start.
    loops: bool,
    /// The number of the instruction that its end leads back to.
    round: Option<usize>,
    /// How far it was before it first went through a call or a return, and before it came to what has code.
    through: Option<Extent>,
    joined: Option<Extent>,
}

/// How far a trace was once.
#[derive(Clone, Copy)]
struct Extent {
    ops: usize,
    pieces: usize,
    began: i64,
    at: i64,
    beside: Option<(i64, Absolute, u32)>,
}

impl<'a> Course<'a> {
    fn of(text: Text<'a>, known: Known) -> Course<'a> {
        let trace = Trace {
            ops: Vec::with_capacity(MAX_BLOCK),
            texts: Vec::with_capacity(MAX_BLOCK),
            rows: Vec::with_capacity(MAX_BLOCK),
            ..Trace::default()
        };
        Course {
            text,
            trace,
            at: 0,
            began: 0,
            known,
            block_at: 0,
            count: 0,
            called: Vec::new(),
            loops: false,
            round: None,
            through: None,
            joined: None,
        }
    }

    /// One more instruction. `false`: that was the last, or there is no other.
    fn goes_on(&mut self, cache: &BlockCache, patience: u8) -> bool {
        if self.at == 0 && !self.trace.ops.is_empty() {
            // Its text goes on with its start.
            self.loops = true;
            return false;
        }
        let Some((bytes, length)) = self.text.instruction(self.at) else { return false };
        let decoded = decode_op(self.text.s, bytes, self.at);
        // A trace counts its instructions all at once, so an instruction that reads the count begins one.
        if !self.trace.ops.is_empty() && decoded.row.is_some_and(|row| row.shape.form == Form::Counts) {
            return false;
        }
        self.trace.push(decoded, bytes);
        self.at += length as i64;
        self.count += 1;
        match self.leaves(&decoded) {
            Leaves::Not => true,
            Leaves::So { branches } => self.leave(cache, patience, &decoded, branches),
            Leaves::Somehow => false,
        }
    }

    fn leaves(&self, &Decoded { op, row, ends }: &Decoded) -> Leaves {
        let form = row.map_or(Form::Own, |row| row.shape.form);
        let branches = match self.known {
            Known::Way(way) if way.count as usize == self.count => way.branched,
            Known::Way(_) => return Leaves::Not,
            // A routine's return, which leads to each of its callers: the trace knows the one that it came from.
            Known::Until(all)
                if all == self.count && op.fields.r1 == 15 && returns(&op, form) && !self.called.is_empty() =>
            {
                true
            }
            Known::Until(all) if all == self.count => return Leaves::Somehow,
            Known::Until(_) => return Leaves::Not,
            Known::Any if ends == Ends::No => return Leaves::Not,
            Known::Any => {
                let place = self.text.start().wrapping_add_signed(self.at);
                ends == Ends::Always || place.wrapping_mul(0x9e37_79b9) >> 16 & 1 == 1
            }
            Known::Between if ends == Ends::No => false,
            Known::Between => return Leaves::Somehow,
        };
        Leaves::So { branches }
    }

    /// The block at hand is left after this instruction, which `branches` or does not. `false`: the trace ends there.
    fn leave(
        &mut self,
        cache: &BlockCache,
        patience: u8,
        &Decoded { op, row, ends }: &Decoded,
        branches: bool,
    ) -> bool {
        // EXECUTE ends a block, and mostly does not branch.
        let form = row.map_or(Form::Own, |row| row.shape.form);
        let executes = matches!(form, Form::Execute { .. });
        let target = row.and_then(|row| target(&op, row)).filter(|to| to & 1 == 0);
        let went = match self.known {
            Known::Way(way) => Some(self.block_at + way.to as i64),
            Known::Any => register(&op, form).map(|r| self.text.s.gr[r as usize].wrapping_sub(self.text.s.ia) as i64),
            _ => None,
        };
        let named = register(&op, form).is_some() || form == Form::BranchAndSave(Address);
        let near = |to: &i64| to & 1 == 0 && to.unsigned_abs() < FAR as u64 * PAGE;
        let went = went.filter(|to| named && near(to));
        let back = if branches && returns(&op, form) { self.called.pop() } else { None };
        let next = match (branches, target.or(back).or(went)) {
            (true, Some(to)) => to,
            (false, _) if executes || ends != Ends::Always => self.at,
            _ => return false,
        };
        if branches && matches!(form, Form::BranchAndSave(_)) {
            self.called.push(self.at);
        }
        if next == 0
            && target.is_none()
            && branches
            && let Some(op) = self.trace.ops.last_mut()
        {
            op.fields.imm = -op.fields.at();
            self.trace.led_back = true;
        }
        self.round = self.trace.number(next);
        if self.round.is_some() {
            self.loops = next == 0;
            return false;
        }
        let (ops, pieces) = (self.trace.ops.len(), self.trace.pieces.len());
        let here = Extent { ops, pieces, began: self.began, at: self.at, beside: self.text.beside };
        if branches && (target.is_none() || self.text.place(next).0.abs() > 1) {
            self.through.get_or_insert(here);
        }
        if self.joined.is_none() && cache.has_much_code() && self.has_code(cache, next) {
            self.joined = Some(here);
        }
        self.go(cache, patience, next)
    }

    /// What stands there begins a block that has code.
    fn has_code(&mut self, cache: &BlockCache, next: i64) -> bool {
        let place = self.text.absolute(next);
        place.and_then(|(place, version)| cache.at(place, version)).is_some_and(Block::has_code)
    }

    /// The trace goes on at `next`, if anything is known of what stands there.
    fn go(&mut self, cache: &BlockCache, patience: u8, next: i64) -> bool {
        let Some((place, version)) = self.text.absolute(next) else { return false };
        match cache.known(place, version, patience) {
            Some(then) => self.known = then,
            None if self.text.is_between(next) => self.known = Known::Between,
            None => return false,
        }
        (self.count, self.block_at) = (0, next);
        if next != self.at {
            self.trace.pieces.push((self.began, self.at));
            (self.began, self.at) = (next, next);
        }
        true
    }

    /// All of it, or what comes before the first call or return: a copy of a routine for each of its callers would be
    /// much code. In a loop it pays. Where there is much code already, only loops have copies of what has code.
    fn end(mut self, patience: u8) -> Course<'a> {
        let through = self.through.filter(|_| !self.loops);
        let joined = self.joined.filter(|_| !self.loops && self.round.is_none());
        let ends = through.into_iter().chain(joined).min_by_key(|extent| extent.ops);
        if let Some(extent) = ends.filter(|_| patience > HASTE) {
            let Trace { ops, texts, rows, pieces, .. } = &mut self.trace;
            ops.truncate(extent.ops);
            texts.truncate(extent.ops);
            rows.truncate(extent.ops);
            pieces.truncate(extent.pieces);
            (self.began, self.at, self.text.beside) = (extent.began, extent.at, extent.beside);
            self.round = None;
        }
        if self.trace.ops.last().is_some_and(|op| op.fields.at() >= self.began) {
            self.trace.pieces.push((self.began, self.at));
        }
        self
    }
}
