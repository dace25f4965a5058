//! Chance from a seed, and what the targets make of it: the same seed always gives the same inputs.

/// A source of chance: SplitMix64 (Steele, Lea and Flood, 2014), small and good enough to choose inputs with.
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Chance {
        Chance(seed)
    }

    /// 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ (word >> 31)
    }

    /// A number below `limit`, which is at least 1.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.word() % limit as u64) as usize
    }

    /// True once in `times` on average.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of `choices`, which are not empty.
    pub fn one_of<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }

    /// A byte that more often than not is one where programs go wrong.
    pub fn byte(&mut self) -> u8 {
        const EDGES: [u8; 12] = [0x00, 0x01, 0x0D, 0x15, 0x20, 0x40, 0x7F, 0x80, 0xEF, 0xF0, 0xFE, 0xFF];
        if self.once_in(2) { EDGES[self.below(EDGES.len())] } else { self.word() as u8 }
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
                _ => bytes.extend(self.one_of(words).bytes()),
            }
            bytes.push(if self.once_in(8) { b'\n' } else { b' ' });
        }
        if self.once_in(4) {
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
