//! Fragments of datagrams, put together.

use std::net::IpAddr;
use std::time::Duration;

/// The most datagrams that are put together at a time.
const MOST: usize = 16;
/// How long a datagram may take (RFC 791 has 15 seconds at least).
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest payload of a datagram.
const LONGEST: usize = 65_535;

/// What fragments of one datagram have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Whole {
    pub(crate) from: IpAddr,
    pub(crate) to: IpAddr,
    pub(crate) protocol: u8,
    pub(crate) identification: u32,
}

/// A datagram that is not complete.
#[derive(Debug)]
struct Partial {
    whole: Whole,
    began: Duration,
    bytes: Vec<u8>,
    /// The pieces that are there, from and to, in no order.
    pieces: Vec<(usize, usize)>,
    /// How long the datagram is, once its last piece came.
    length: Option<usize>,
}

/// What became of a fragment.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// It waits for others.
    Kept,
    /// The datagram is complete.
    Complete(Vec<u8>),
    /// It went, with the rest of its datagram.
    Dropped,
}

/// Datagrams that are not complete.
#[derive(Debug, Default)]
pub(crate) struct Reassembly {
    partial: Vec<Partial>,
}

impl Reassembly {
    /// A fragment has come. Fragments that overlap are an attack, or damaged: the whole datagram goes (RFC 5722).
    pub(crate) fn add(&mut self, now: Duration, whole: Whole, at: usize, more: bool, bytes: &[u8]) -> Piece {
        self.partial.retain(|partial| now.saturating_sub(partial.began) < PATIENCE);
        let end = at + bytes.len();
        let place = self.partial.iter().position(|partial| partial.whole == whole);
        // All pieces but the last have a multiple of eight bytes.
        if bytes.is_empty() || end > LONGEST || (more && bytes.len() % 8 != 0) {
            if let Some(place) = place {
                self.partial.swap_remove(place);
            }
            return Piece::Dropped;
        }
        let place = place.unwrap_or_else(|| {
            if self.partial.len() == MOST {
                self.partial.remove(0);
            }
            let new = Partial { whole, began: now, bytes: Vec::new(), pieces: Vec::new(), length: None };
            self.partial.push(new);
            self.partial.len() - 1
        });
        let partial = &mut self.partial[place];
        let overlaps = partial.pieces.iter().any(|&(from, to)| at < to && from < end);
        let beyond = partial.length.is_some_and(|length| end > length || !more);
        let before = !more && partial.pieces.iter().any(|&(_, to)| to > end);
        if overlaps || beyond || before {
            self.partial.remove(place);
            return Piece::Dropped;
        }
        if !more {
            partial.length = Some(end);
        }
        if partial.bytes.len() < end {
            partial.bytes.resize(end, 0);
        }
        partial.bytes[at..end].copy_from_slice(bytes);
        partial.pieces.push((at, end));
        let there: usize = partial.pieces.iter().map(|&(from, to)| to - from).sum();
        if partial.length == Some(there) { Piece::Complete(self.partial.remove(place).bytes) } else { Piece::Kept }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use support::Random;

    fn whole(identification: u32) -> Whole {
        let any = IpAddr::from([10, 0, 2, 15]);
        Whole { from: any, to: any, protocol: 17, identification }
    }

    #[test]
    fn pieces_in_any_order_make_the_datagram() {
        let mut random = Random::seeded(1);
        for round in 0..500u32 {
            let length = random.below(65_536usize).max(1);
            let bytes = random.bytes(length);
            let size = (random.below(1_480usize) + 8) & !7;
            let mut pieces: Vec<usize> = (0..bytes.len()).step_by(size).collect();
            for at in 0..pieces.len() {
                let other = random.below(pieces.len());
                pieces.swap(at, other);
            }
            let mut reassembly = Reassembly::default();
            for (number, &at) in pieces.iter().enumerate() {
                let end = (at + size).min(bytes.len());
                let got = reassembly.add(Duration::ZERO, whole(round), at, end < bytes.len(), &bytes[at..end]);
                match number + 1 == pieces.len() {
                    true => assert_eq!(got, Piece::Complete(bytes.clone())),
                    false => assert_eq!(got, Piece::Kept),
                }
            }
        }
    }

    #[test]
    fn overlapping_late_and_overlong_pieces_go() {
        let mut reassembly = Reassembly::default();
        let mut add = |seconds, id, at, more, length| {
            reassembly.add(Duration::from_secs(seconds), whole(id), at, more, &vec![0; length])
        };
        assert_eq!(add(0, 1, 0, true, 16), Piece::Kept);
        assert_eq!(add(0, 1, 8, true, 16), Piece::Dropped);
        // The first piece went with the one that overlapped it.
        assert_eq!(add(0, 1, 16, false, 16), Piece::Kept);
        assert_eq!(add(0, 2, 65_528, false, 8), Piece::Dropped);
        assert_eq!(add(0, 2, 0, true, 7), Piece::Dropped);
        assert_eq!(add(0, 3, 8, false, 8), Piece::Kept);
        assert_eq!(add(31, 3, 0, true, 8), Piece::Kept);
        assert_eq!(add(31, 4, 16, true, 8), Piece::Kept);
        assert_eq!(add(31, 4, 0, false, 8), Piece::Dropped);
    }

    #[test]
    fn a_flood_of_first_pieces_is_bounded() {
        let mut reassembly = Reassembly::default();
        for id in 0..100_000 {
            reassembly.add(Duration::ZERO, whole(id), 0, true, &[0; 1_480]);
        }
        assert_eq!(reassembly.partial.len(), MOST);
    }
}
