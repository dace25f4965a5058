//! Which block is the latest at an address: numbers of blocks in a table that is never more than half full.
//!
//! No block loses its place in it. One that did would be decoded and translated again; and where a program goes round
//! more blocks than have places, so would others, for ever.

/// The number of no block.
pub(crate) const NONE: u32 = u32::MAX;

/// Places of a table at first.
const FEWEST: usize = 1 << 12;

/// It begins empty and uses no memory.
#[derive(Default)]
pub(crate) struct Index {
    places: Vec<u32>,
    taken: usize,
}

impl Index {
    /// Where an address is looked for first; the places after that come next.
    #[inline(always)]
    fn home(&self, absolute: u64) -> usize {
        (absolute.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & (self.places.len() - 1)
    }

    /// The number of the block at `absolute`, where `is` tells whether the block with a number is there.
    #[inline(always)]
    pub(crate) fn find(&self, absolute: u64, is: impl Fn(u32) -> bool) -> Option<u32> {
        if self.places.is_empty() {
            return None;
        }
        let mut at = self.home(absolute);
        loop {
            match self.places[at] {
                NONE => return None,
                number if is(number) => return Some(number),
                _ => at = (at + 1) & (self.places.len() - 1),
            }
        }
    }

    /// Whether another block needs a larger table.
    pub(crate) fn is_full(&self) -> bool {
        (self.taken + 1) * 2 > self.places.len()
    }

    /// The block with that number is the latest at an address where there was none.
    pub(crate) fn insert(&mut self, absolute: u64, number: u32) {
        let mut at = self.home(absolute);
        while self.places[at] != NONE {
            at = (at + 1) & (self.places.len() - 1);
        }
        self.places[at] = number;
        self.taken += 1;
    }

    /// The block with the number `new` is the latest at an address where `old` was.
    pub(crate) fn replace(&mut self, absolute: u64, old: u32, new: u32) {
        let mut at = self.home(absolute);
        while self.places[at] != old {
            at = (at + 1) & (self.places.len() - 1);
        }
        self.places[at] = new;
    }

    /// Holds the blocks at these addresses, numbered from 0 on, the latest of each address, and has room for as many
    /// more.
    pub(crate) fn rebuild(&mut self, blocks: impl ExactSizeIterator<Item = u64> + Clone) {
        let places = (4 * blocks.len()).next_power_of_two().max(FEWEST);
        self.clear();
        self.places.resize(places, NONE);
        // From the last on: of an address that comes again, the earlier ones are passed over.
        let all = blocks.clone().collect::<Vec<u64>>();
        for (number, &absolute) in all.iter().enumerate().rev() {
            if self.find(absolute, |other| all[other as usize] == absolute).is_none() {
                self.insert(absolute, number as u32);
            }
        }
    }

    /// Holds nothing.
    pub(crate) fn clear(&mut self) {
        self.places.clear();
        self.taken = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_block_is_found_however_many_there_are() {
        let (mut index, mut blocks) = (Index::default(), Vec::<u64>::new());
        // Neighbours, blocks at the same places of pages, and each third one once more.
        let addresses = (0..60_000u64).map(|n| [0x10_0000 + n * 2, n << 12, (n / 3) << 13][n as usize % 3]);
        for absolute in addresses {
            let number = blocks.len() as u32;
            let old = index.find(absolute, |other| blocks[other as usize] == absolute);
            assert_eq!(
                old,
                blocks.iter().rposition(|&other| other == absolute).filter(|_| number < 3000).map(|n| n as u32).or(old)
            );
            blocks.push(absolute);
            match old {
                Some(old) => index.replace(absolute, old, number),
                None if index.is_full() => index.rebuild(blocks.iter().copied()),
                None => index.insert(absolute, number),
            }
            assert_eq!(index.find(absolute, |other| blocks[other as usize] == absolute), Some(number));
        }
        let latest: std::collections::HashMap<u64, u32> = blocks.iter().copied().zip(0..).collect();
        for rebuilt in [false, true] {
            for (&absolute, &number) in &latest {
                assert_eq!(index.find(absolute, |other| blocks[other as usize] == absolute), Some(number), "{rebuilt}");
            }
            assert_eq!(index.find(0x7, |other| blocks[other as usize] == 0x7), None);
            index.rebuild(blocks.iter().copied());
        }
        assert!(index.places.len() <= 8 * latest.len().next_power_of_two());
    }
}
