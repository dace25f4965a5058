//! Targets of indirect branches that are remembered. Generated code finds its way to another block by the address, the
//! space and the mode. How often the block's page was forgotten must be the same, too.
//!
//! The table grows where targets often drive out each other: 64 KiB for a CMS, up to 2 MiB for gcc or Java. With it 20
//! million of Java's branches are looked for in [`crate::runtime::known_blocks`], of 28 million with 8192 places. Of
//! gcc's 12 million it is 8 (`jit_found` of `make bench ARGS="real"`).

use crate::emit::targets::{NOTHING, Target};
use cpu::State;

/// Places of a table: at first, and at most.
const FEWEST: usize = 1 << 11;
const MOST: usize = 1 << 16;
/// The table grows if a target drives out another more often than once in so many instructions. That is reckoned over
/// the time in which as many are driven out as the table has places.
const SELDOM: u64 = 500;

/// The table of one virtual CPU.
pub(crate) struct Targets {
    places: Vec<Target>,
    /// Targets that have driven out another since so many instructions had been executed.
    driven_out: usize,
    since: u64,
}

impl Targets {
    pub(crate) fn new() -> Targets {
        Targets { places: vec![NOTHING; FEWEST], driven_out: 0, since: 0 }
    }

    /// Forgets all. A table that has grown is one of the first size again.
    pub(crate) fn clear(&mut self) {
        self.places.truncate(FEWEST);
        self.places.shrink_to_fit();
        self.places.fill(NOTHING);
        (self.driven_out, self.since) = (0, 0);
    }

    /// Where the first place is, and twice the greatest number of one: what generated code goes by until another is
    /// remembered.
    pub(crate) fn table(&self) -> [u64; 2] {
        [self.places.as_ptr() as u64, (self.places.len() as u64 - 1) << 1]
    }

    /// The place of a target: pages are like each other, and so are spaces, so each begins elsewhere.
    fn place(&self, ia: u64, key: u64) -> usize {
        ((ia ^ ia >> 7 ^ key) >> 1) as usize & (self.places.len() - 1)
    }

    /// The block at `ia` has its code at `code`, where the key is this one and the page was forgotten so often. So many
    /// instructions have been executed. Answers the target.
    pub(crate) fn remember(&mut self, ia: u64, key: u64, code: u64, forgotten: u32, executed: u64) -> Target {
        let place = self.place(ia, key);
        self.driven_out += (self.places[place].key != u64::MAX && self.places[place].ia != ia) as usize;
        let target = Target { ia, code, key, forgotten, row: (ia >> 12) as u32 & 0xff };
        self.put(target);
        let count = self.places.len();
        if self.driven_out >= count {
            let often = executed.wrapping_sub(self.since) < SELDOM * count as u64;
            if often && count < MOST {
                let before = std::mem::replace(&mut self.places, vec![NOTHING; 2 * count]);
                before.into_iter().filter(|target| target.key != u64::MAX).for_each(|target| self.put(target));
            }
            (self.driven_out, self.since) = (0, executed);
        }
        target
    }

    /// Where the code of the block at `s.ia` is, if that is remembered: as generated code looks for it.
    pub(crate) fn find(&self, s: &State, key: u64) -> Option<u64> {
        let target = &self.places[self.place(s.ia, key)];
        let same = target.ia == s.ia && target.key == key && target.forgotten == s.forgotten(s.ia);
        same.then_some(target.code)
    }

    fn put(&mut self, target: Target) {
        let place = self.place(target.ia, target.key);
        self.places[place] = target;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(targets: &Targets, ia: u64, key: u64) -> Option<(u64, u32, u32)> {
        let target = targets.places[targets.place(ia, key)];
        (target.ia == ia && target.key == key).then_some((target.code, target.forgotten, target.row))
    }

    #[test]
    fn a_target_is_one_in_its_space_alone_until_all_are_forgotten() {
        let mut targets = Targets::new();
        let (ia, user, kernel) = (0x12_3456_789a, 0x1235, 0x0015);
        targets.remember(ia, user, 0x1000, 3, 0);
        targets.remember(ia, kernel, 0x2000, 4, 0);
        assert_eq!(found(&targets, ia, user), Some((0x1000, 3, 0x67)));
        assert_eq!(found(&targets, ia, kernel), Some((0x2000, 4, 0x67)));
        assert_eq!(found(&targets, ia, 0x2225), None);
        targets.clear();
        assert_eq!(found(&targets, ia, user), None);
        // An empty place is nothing's target, not even that of address 0.
        assert_ne!(targets.places[targets.place(0, 0)].key, 0);
    }

    #[test]
    fn a_table_grows_where_targets_drive_out_each_other_often() {
        // More targets than there are places, round and round, so many instructions apart.
        let remembered = |apart: u64| {
            let mut targets = Targets::new();
            let wanted = (0..20_000u64).map(|n| 0x10_0000 + n * 22);
            for (n, ia) in std::iter::repeat_n(wanted, 20).flatten().enumerate() {
                targets.remember(ia, 5, ia * 3, 1, n as u64 * apart);
            }
            let known = (0..20_000).map(|n| 0x10_0000 + n * 22);
            let known = known.filter(|&ia| found(&targets, ia, 5).is_some_and(|(code, ..)| code == ia * 3)).count();
            (targets.places.len(), known)
        };
        assert_eq!(remembered(2 * SELDOM).0, FEWEST);
        let (places, known) = remembered(10);
        assert!(places > 8 * FEWEST && places <= MOST, "{places}");
        assert!(known > 15_000, "{known}");
    }
}
