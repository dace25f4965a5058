//! Chance from a seed, and what the targets make of it: the same seed always gives the same inputs.

use std::ops::{Deref, DerefMut};
use support::Random;

/// A source of chance, good enough to choose inputs with.
pub struct Chance(Random);

impl Deref for Chance {
    type Target = Random;

    fn deref(&self) -> &Random {
        &self.0
    }
}

impl DerefMut for Chance {
    fn deref_mut(&mut self) -> &mut Random {
        &mut self.0
    }
}

impl Chance {
    /// The random choices of this seed.
    pub fn new(seed: u64) -> Chance {
        Chance(Random::seeded(seed))
    }

    /// A byte that more often than not is one where programs go wrong.
    pub fn byte(&mut self) -> u8 {
        const EDGES: [u8; 12] = [0x00, 0x01, 0x0D, 0x15, 0x20, 0x40, 0x7F, 0x80, 0xEF, 0xF0, 0xFE, 0xFF];
        if self.one_in(2) { EDGES[self.below(EDGES.len())] } else { self.word() as u8 }
    }

    /// Bytes of any value, fewer than `limit`.
    pub fn bytes(&mut self, limit: usize) -> Vec<u8> {
        (0..self.below(limit)).map(|_| self.byte()).collect()
    }

    /// Damages `bytes` in a few places: changed, lost, doubled, moved, cut off.
    pub fn damage(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..self.below(6) {
            if bytes.is_empty() {
                bytes.push(self.byte());
                continue;
            }
            let place = self.below(bytes.len());
            let end = (place + 1 + self.below(16)).min(bytes.len());
            match self.below(7) {
                0 => bytes[place] = self.byte(),
                1 => bytes[place] ^= 1 << self.below(8),
                2 => bytes.insert(place, self.byte()),
                3 => drop(bytes.drain(place..end)),
                4 => {
                    let part = bytes[place..end].to_vec();
                    let to = self.below(bytes.len());
                    bytes.splice(to..to, part);
                }
                5 => bytes.truncate(place),
                _ => bytes[place..end].fill(self.byte()),
            }
        }
    }

    /// A text put together from `words`, most of them whole, some damaged, with blanks and line ends between.
    pub fn text(&mut self, words: &[&str], longest: usize) -> String {
        let mut bytes = Vec::new();
        for _ in 0..=self.below(longest) {
            match self.below(12) {
                0 => bytes.extend(self.bytes(12)),
                1 => bytes.extend(self.word().to_string().bytes()),
                2 => bytes.extend(format!("{:X}", self.word() >> self.below(64)).bytes()),
                _ => bytes.extend(self.pick(words).bytes()),
            }
            bytes.push(if self.one_in(8) { b'\n' } else { b' ' });
        }
        if self.one_in(4) {
            self.damage(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_inputs() {
        let inputs = |seed| {
            let mut chance = Chance::new(seed);
            let mut bytes = chance.bytes(1000);
            chance.damage(&mut bytes);
            (bytes, chance.text(&["QUERY", "SET"], 20))
        };
        assert_eq!(inputs(7), inputs(7));
        assert_ne!(inputs(7), inputs(8));
    }
}
