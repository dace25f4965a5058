//! LZ77: where bytes have been before. Chains of places with the same hash, newest first, and one look ahead.

use super::WINDOW;
use super::symbols::{LONGEST, SHORTEST};
use arch::deflate::HISTORY;

const HASHES: usize = 1 << 13;
/// Places that are tried for a match.
const TRIES: usize = 24;
/// A match that is good enough not to look for a better one at the next byte.
const GOOD: usize = 32;

/// What compressed data is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token {
    Literal(u8),
    Match { length: usize, distance: usize },
}

/// Finds matches in a window.
pub(super) struct Matcher<'a> {
    window: &'a [u8; WINDOW],
    end: usize,
    /// The newest place with a hash, and the one before each. Place 0 stands for none.
    heads: [u16; HASHES],
    before: [u16; HISTORY],
    /// Places up to here are in the chains.
    known: usize,
}

impl<'a> Matcher<'a> {
    /// For the bytes up to `end`.
    pub(super) fn new(window: &'a [u8; WINDOW], end: usize) -> Matcher<'a> {
        Matcher { window, end, heads: [0; HASHES], before: [0; HISTORY], known: 0 }
    }

    #[inline]
    fn hash(&self, at: usize) -> usize {
        let [a, b, c] = [0, 1, 2].map(|n| self.window[at + n] as u32);
        ((a << 16 | b << 8 | c).wrapping_mul(0x9e37_79b1) >> 19) as usize
    }

    /// Puts all places before `at` into their chains.
    fn learn(&mut self, at: usize) {
        while self.known < at.min(self.end.saturating_sub(SHORTEST - 1)) {
            let hash = self.hash(self.known);
            self.before[self.known % HISTORY] = self.heads[hash];
            self.heads[hash] = self.known as u16;
            self.known += 1;
        }
    }

    /// The longest match for what is at `at`, if it is longer than `least`.
    fn find(&mut self, at: usize, least: usize) -> Option<(usize, usize)> {
        let most = LONGEST.min(self.end - at);
        if most < SHORTEST {
            return None;
        }
        self.learn(at);
        let (mut best, mut found) = (least.max(SHORTEST - 1), None);
        let mut place = self.heads[self.hash(at)] as usize;
        let window = self.window;
        for _ in 0..TRIES {
            if place == 0 || best >= most || at - place > HISTORY {
                break;
            }
            if window[place + best] == window[at + best] {
                let length = (0..most).take_while(|&n| window[place + n] == window[at + n]).count();
                if length > best {
                    (best, found) = (length, Some((length, at - place)));
                }
            }
            let next = self.before[place % HISTORY] as usize;
            // A place that has been overwritten leads to a newer one.
            if next >= place {
                break;
            }
            place = next;
        }
        found
    }

    /// What to write for what is at `at`. `usable`: whether a match of that length and distance can be written.
    pub(super) fn next(&mut self, at: usize, usable: impl Fn(usize, usize) -> bool) -> Token {
        let literal = Token::Literal(self.window[at]);
        let Some((length, distance)) = self.find(at, 0).filter(|(length, distance)| usable(*length, *distance)) else {
            return literal;
        };
        // A match of three bytes far away costs more than they do.
        if length == SHORTEST && distance > 4096 {
            return literal;
        }
        if length < GOOD && at + 1 < self.end && self.find(at + 1, length).is_some() {
            return literal;
        }
        Token::Match { length, distance }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use support::Random;

    #[test]
    fn matches_are_true() {
        let mut window = Box::new([0; WINDOW]);
        let mut random = Random::seeded(1);
        window.iter_mut().for_each(|byte| *byte = random.below(16));
        window[40_000..40_300].fill(7);
        let mut matcher = Matcher::new(&window, WINDOW);
        let (mut at, mut tokens) = (100, 0);
        while at < WINDOW {
            tokens += 1;
            at += match matcher.next(at, |_, _| true) {
                Token::Literal(byte) => {
                    assert_eq!(byte, window[at]);
                    1
                }
                Token::Match { length, distance } => {
                    assert!(distance <= HISTORY && distance <= at);
                    assert_eq!(
                        window[at..at + length],
                        *(0..length).map(|n| window[at + n - distance]).collect::<Vec<_>>()
                    );
                    length
                }
            };
        }
        assert!(tokens < WINDOW / 2, "{tokens}");
    }
}
