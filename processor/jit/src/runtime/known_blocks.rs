//! Which blocks have code, by absolute address: what generated code asks before it asks the engine.
//!
//! A new address space, such as every new program has, remembers no targets; what they lead to is mostly known.

use crate::emit::exits::LOOKUP;
use crate::emit::scratch::*;
use crate::emit::targets;
use crate::runtime::branch_targets::Targets;
use crate::runtime::page_crossing::{Crossed, cross};
use crate::runtime::perform::executed;
use arch::Absolute;
use cpu::State;
use isa::Instruction;

/// As many as a line of the host's cache has room for: one of them, whichever.
type Line = [Entry; 4];

/// Code checks itself whether it is that of the text as it is now.
#[derive(Clone, Copy, Default)]
struct Entry {
    /// The block's absolute address and the mode its code is for; 0: nothing.
    block: u64,
    /// Where it is entered from outside.
    code: u64,
}

/// The table of one virtual CPU. It grows with the number of blocks.
pub(crate) struct Known {
    lines: Vec<Line>,
    /// How many places are taken.
    taken: usize,
    /// Which place of a full line is given up next.
    next: usize,
    /// Which instructions across pages are the engine's.
    refuses: fn(&Instruction) -> bool,
}

const FEWEST_LINES: usize = 64;
const MANY_LINES: usize = 1 << 11;

impl Known {
    /// Instructions across pages are left to the engine where `refuses` says so.
    pub(crate) fn new(refuses: fn(&Instruction) -> bool) -> Known {
        Known { lines: vec![Line::default(); FEWEST_LINES], taken: 0, next: 0, refuses }
    }

    /// Forgets all. A table that has grown much is one of the first size again.
    pub(crate) fn clear(&mut self) {
        if self.lines.len() > MANY_LINES {
            return *self = Known::new(self.refuses);
        }
        self.lines.fill(Line::default());
        (self.taken, self.next) = (0, 0);
    }

    /// Addresses are even, and modes have four bits. The bit between is on: no block is 0.
    fn block(absolute: Absolute, mode: u64) -> u64 {
        absolute.0 << 4 | 1 << 4 | mode
    }

    fn line(&self, block: u64) -> usize {
        (block >> 5 ^ block >> 16) as usize & (self.lines.len() - 1)
    }

    /// The block at `absolute` has code for this mode, which is entered at `code`.
    pub(crate) fn note(&mut self, absolute: Absolute, mode: u64, code: u64) {
        if self.taken * 2 > self.lines.len() * size_of::<Line>() / size_of::<Entry>() {
            let twice = vec![Line::default(); self.lines.len() * 2];
            let before = std::mem::replace(&mut self.lines, twice);
            self.taken = 0;
            before.into_iter().flatten().filter(|entry| entry.block != 0).for_each(|entry| self.put(entry));
        }
        self.put(Entry { block: Known::block(absolute, mode), code });
    }

    /// The block has this code no more.
    pub(crate) fn forget(&mut self, absolute: Absolute, mode: u64, code: u64) {
        let block = Known::block(absolute, mode);
        let at = self.line(block);
        let entries = self.lines[at].iter_mut();
        // The place stays taken, by a block that does not exist.
        entries.filter(|entry| (entry.block, entry.code) == (block, code)).for_each(|entry| entry.block = u64::MAX);
    }

    fn put(&mut self, entry: Entry) {
        let at = self.line(entry.block);
        let line = &mut self.lines[at];
        let same = line.iter().position(|old| old.block == entry.block);
        let place = same.or_else(|| line.iter().position(|old| old.block == 0));
        self.taken += place.is_some_and(|place| line[place].block == 0) as usize;
        self.next = self.next.wrapping_add(1);
        line[place.unwrap_or(self.next % line.len())] = entry;
    }

    /// The outer entry of the block's code, if that is known.
    pub(crate) fn find(&self, absolute: Absolute, mode: u64) -> Option<u64> {
        let block = Known::block(absolute, mode);
        self.lines[self.line(block)].iter().find(|entry| entry.block == block).map(|entry| entry.code)
    }
}

/// The block at `ia` is wanted, and not among the targets. Answers where its code is entered, or 0: the engine must
/// see, and `ANSWER` says why. `place` is that of the branch by a register that leads there, or 0.
pub(crate) extern "sysv64" fn at_lookup(s: *mut State, place: u64) -> u64 {
    // SAFETY: generated code passes the state it was entered with, which nothing else uses meanwhile.
    look_up(unsafe { &mut *s }, false, place)
}

/// The same, `first` among the targets: those that generated code has not looked among.
pub(crate) fn look_up(s: &mut State, mut first: bool, mut place: u64) -> u64 {
    loop {
        // SAFETY: `enter` has put the addresses of the tables there, and nothing holds them. Generated code reads the
        // targets.
        let (known, targets) =
            unsafe { (&*(s.scratch[KNOWN] as *const Known), &mut *(s.scratch[REMEMBERED] as *mut Targets)) };
        let key = s.scratch[KEY];
        if first && let Some(code) = targets.find(s, key) {
            return code;
        }
        s.scratch[ANSWER] = LOOKUP as u64;
        let Some(absolute) = s.find_instruction(s.ia) else { return 0 };
        // An instruction across pages is never known: a look would miss the host's cache.
        match cross(s, absolute, known.refuses) {
            Crossed::Done => {
                // Where the branch has led is done. This is where that leads.
                (first, place) = (true, 0);
                continue;
            }
            Crossed::Left => return 0,
            Crossed::Not => {}
        }
        let code = known.find(absolute, key & 15);
        if let Some(code) = code {
            let target = targets.remember(s.ia, key, code, s.forgotten(s.ia), executed(s));
            // SAFETY: it is that of a branch in the code being executed.
            unsafe { targets::lead(place, target) };
            if place != 0 {
                s.scratch[LATEST] = place;
            }
            [s.scratch[TARGETS], s.scratch[TARGET_MASK]] = targets.table();
            s.scratch[FOUND] += 1;
        }
        return code.unwrap_or(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_noted_is_found_until_all_is_forgotten() {
        let mut known = Known::new(|_| false);
        let blocks: Vec<u64> = (0..20_000).map(|n| 0x10_0000 + n * 22).collect();
        for &at in &blocks {
            known.note(Absolute(at), 5, at * 2);
            known.note(Absolute(at), 5, at * 3);
        }
        let found = |known: &Known| blocks.iter().filter(|&&at| known.find(Absolute(at), 5) == Some(at * 3)).count();
        assert!(found(&known) > blocks.len() * 95 / 100, "lines that are full are few: {}", found(&known));
        assert_eq!(known.find(Absolute(blocks[0]), 4), None, "another mode");
        assert_eq!(known.find(Absolute(0), 0), None, "a place that is not taken");
        assert!(known.lines.len() < 1 << 15);
        known.clear();
        assert_eq!((found(&known), known.lines.len()), (0, FEWEST_LINES));
        known.note(Absolute(blocks[0]), 5, 1);
        known.clear();
        assert_eq!(known.find(Absolute(blocks[0]), 5), None);
    }
}
