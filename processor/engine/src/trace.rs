//! Which instructions the code of a block is made of: those that the program executes one behind the other.
//!
//! A block ends where its text does, at a branch that is always taken, say, and many are left by a branch on a condition that is
//! nearly always taken. When one is to be translated it has been interpreted some forty times, and each time [`BlockCache::left`]
//! has noted how it was left. So its *trace* goes on at the branch's target, where the block that begins there says how that is left,
//! and so on, within a page: until a branch whose target is not known now, to where the trace has been, or until nothing is known.
//! Ways out of it that were hardly ever taken become exits.
//!
//! The interpreter has no use for traces: it executes the blocks as they are.

use crate::cache::{BlockCache, MAX_BLOCK, Way, digest};
use arch::{Absolute, PAGE, PAGE_MASK};
use cpu::State;
use isa::{Ends, Format, Instruction, Op, decode_op};

/// Instructions with their text, the first at 0 from the start of the block.
#[derive(Default)]
pub struct Trace {
    pub ops: Vec<Op>,
    pub texts: Vec<[u8; 6]>,
    /// Pieces of text that follow each other: where they begin and end, from the start of the block.
    pieces: Vec<(i64, i64)>,
}

impl Trace {
    /// These are the first so many instructions of the block's text, and no others.
    pub fn is_block(&self, count: usize) -> bool {
        self.pieces.len() == 1 && self.ops.len() == count
    }

    /// Whether it has an instruction that cannot be executed twice.
    pub fn has_only_once(&self, s: &State) -> bool {
        let rows = self.texts.iter().filter_map(|&bytes| isa::decode_for(s, bytes));
        rows.map(|(row, _)| row.mnemonic).any(crate::compare::only_once)
    }

    fn has(&self, at: i64) -> bool {
        self.ops.iter().any(|op| op.fields.at == at)
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
}

/// Interpretations behind which a block's way is known.
const KNOWN: u8 = 8;
/// Who waits no longer before translating knows nothing.
const HASTE: u8 = 2;

/// What looks at how many instructions have been executed, which is told at the end of a trace.
const COUNTERS: [&str; 4] = ["ECCTR", "EPCTR", "SCCTR", "STCCTM"];

/// Where a branch leads if its text says so, from the start of the block.
fn target(op: &Op, row: &Instruction) -> Option<i64> {
    use Format::*;
    let relative = matches!(row.format, RIb | RIc | RIEb | RIEc | RIEe | RILb | RILc | RSI) && row.mnemonic != "EXRL";
    (relative && row.ends != Ends::No).then_some(op.fields.at + op.fields.imm)
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

    /// The trace of a block that has waited `patience` times, or `None` if its text has been stored into.
    pub fn trace(&self, s: &State, number: u32, patience: u8) -> Option<Trace> {
        let (start, version) = self.place_of(number);
        let page = (start.0 % PAGE) as i64;
        let frame = Absolute(start.0 & PAGE_MASK);
        let absolute = |at: i64| Absolute(start.0.wrapping_add_signed(at));
        let load =
            |text: &mut [u8; PAGE as usize]| s.storage().load(frame, text).expect("a block was decoded from there");
        let mut text = [0; PAGE as usize];
        load(&mut text);
        let block = self.block(number);
        let changed = digest(&text[page as usize..page as usize + block.bytes as usize]) != block.digest;
        if changed || s.storage().code_version(start) != version {
            return None;
        }
        let whole = block.count as usize;
        let most = if self.has_place(MAX_BLOCK) { MAX_BLOCK } else { whole };
        let mut known = self.known(start, version, patience).unwrap_or(Known::Until(whole));
        if most == whole {
            known = Known::Until(whole);
        }
        let mut trace = Trace::default();
        // Where the next instruction is, where its piece of text began, and how many there have been of the block at hand.
        let (mut at, mut began, mut count) = (0, 0, 0);
        while trace.ops.len() < most {
            let from = (page + at) as usize;
            let length = text.get(from).map_or(0, |&first| isa::length(first) as usize);
            let Some(here) = text.get(from..from + length).filter(|here| !here.is_empty()) else { break };
            let mut bytes = [0; 6];
            bytes[..length].copy_from_slice(here);
            let (op, ends) = decode_op(s, bytes, at);
            let row = isa::decode_for(s, bytes).map(|(row, _)| row);
            if !trace.ops.is_empty() && row.is_some_and(|row| COUNTERS.contains(&row.mnemonic)) {
                break;
            }
            trace.ops.push(op);
            trace.texts.push(bytes);
            at += length as i64;
            count += 1;
            let target = row
                .and_then(|row| target(&op, row))
                .filter(|to| to & 1 == 0 && (0..PAGE as i64).contains(&(page + to)));
            let branches = match known {
                Known::Way(way) if way.count as usize == count => way.branched,
                Known::Way(_) => continue,
                Known::Until(all) if count == all => break,
                Known::Until(_) => continue,
                Known::Any if ends == Ends::No => continue,
                Known::Any => ends == Ends::Always || absolute(at).0.wrapping_mul(0x9e37_79b9) >> 16 & 1 == 1,
            };
            // EXECUTE ends a block, and mostly does not branch.
            let executes = row.is_some_and(|row| matches!(row.mnemonic, "EX" | "EXRL"));
            let next = match (branches, target) {
                (true, Some(to)) => to,
                (false, _) if executes || ends != Ends::Always => at,
                _ => break,
            };
            if trace.has(next) {
                break;
            }
            match self.known(absolute(next), version, patience) {
                Some(then) => known = then,
                None => break,
            }
            count = 0;
            if next != at {
                trace.pieces.push((began, at));
                (began, at) = (next, next);
            }
        }
        if trace.ops.last().is_some_and(|op| op.fields.at >= began) {
            trace.pieces.push((began, at));
        }
        if trace.is_block(whole) {
            return Some(trace);
        }
        // Only now is all of the text watched. If it changed since it was read, the block is stale.
        let watched = |&(from, to): &(i64, i64)| {
            let watched = s.storage().mark_code(absolute(from), (to - from) as usize);
            !watched.first && watched.version == version
        };
        let watched = trace.pieces.iter().all(watched);
        let mut again = [0; PAGE as usize];
        load(&mut again);
        let same = |&(from, to): &(i64, i64)| {
            let range = (page + from) as usize..(page + to) as usize;
            text[range.clone()] == again[range]
        };
        (watched && trace.pieces.iter().all(same)).then_some(trace)
    }
}
