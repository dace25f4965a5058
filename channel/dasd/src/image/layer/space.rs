//! Which bytes of a compressed image's file are free.

use std::collections::{BTreeMap, BTreeSet};

/// The free spaces between the first-level table and the end of the file.
///
/// No two free spaces touch. What is given back under [`Policy::Safe`](crate::Policy) waits until the tables that no
/// longer name it are on the host's medium.
#[derive(Debug, Default)]
pub(super) struct Space {
    by_start: BTreeMap<u64, u64>,
    by_length: BTreeSet<(u64, u64)>,
    waiting: Vec<(u64, u64)>,
    /// Where the file ends: everything after it is free, too.
    end: u64,
    /// A remainder smaller than this is not left over.
    least: u64,
    /// The file must not become larger.
    limit: u64,
}

/// A piece of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    pub at: u64,
    /// At least what was asked for.
    pub length: u64,
}

impl Space {
    /// The spaces between `used`, pieces as (start, length) in any order, of a file with data from `begin` to `end`.
    /// Pieces that overlap, or lie outside, are returned as well.
    pub(super) fn new(
        mut used: Vec<(u64, u64)>,
        begin: u64,
        end: u64,
        least: u64,
        limit: u64,
    ) -> (Space, Vec<(u64, u64)>) {
        let mut space = Space { end, least, limit, ..Space::default() };
        let mut wrong = Vec::new();
        used.sort_unstable();
        let mut at = begin;
        for (start, length) in used {
            match start.checked_add(length) {
                Some(stop) if start >= at && stop <= end => {
                    space.insert(at, start - at);
                    at = stop;
                }
                _ => wrong.push((start, length)),
            }
        }
        space.insert(at, end.saturating_sub(at));
        (space, wrong)
    }

    fn insert(&mut self, at: u64, length: u64) {
        if length > 0 {
            self.by_start.insert(at, length);
            self.by_length.insert((length, at));
        }
    }

    fn remove(&mut self, at: u64) -> u64 {
        let length = self.by_start.remove(&at).expect("both sets have the same spaces");
        self.by_length.remove(&(length, at));
        length
    }

    /// Takes `length` bytes, or a few more (never more than `most`) if what would be left over is too small to be kept.
    /// `None`: the file would be too large.
    pub(super) fn take(&mut self, length: u64, most: u64) -> Option<Piece> {
        let found = self.by_length.range((length, 0)..).find(|(whole, _)| {
            let rest = whole - length;
            rest == 0 || rest >= self.least || *whole <= most
        });
        if let Some(&(whole, at)) = found {
            self.remove(at);
            let rest = whole - length;
            if rest >= self.least {
                self.insert(at + length, rest);
                return Some(Piece { at, length });
            }
            return Some(Piece { at, length: whole });
        }
        self.extend(length)
    }

    /// Takes `length` bytes below `below`, exactly or leaving enough, for what is to be moved down; `None` if there is
    /// no such space.
    pub(super) fn take_below(&mut self, length: u64, most: u64, below: u64) -> Option<Piece> {
        let fits = |whole: u64| whole == length || whole >= length + self.least || (whole >= length && whole <= most);
        let at = self.by_start.range(..below).find(|(_, whole)| fits(**whole)).map(|(at, _)| *at)?;
        let whole = self.remove(at);
        let rest = whole - length;
        if rest >= self.least {
            self.insert(at + length, rest);
            return Some(Piece { at, length });
        }
        Some(Piece { at, length: whole })
    }

    /// Takes `length` bytes at a place that `fits`; candidates are the starts of free spaces and multiples of 16 in
    /// them.
    pub(super) fn take_where(&mut self, length: u64, fits: impl Fn(u64) -> bool) -> Option<Piece> {
        let least = self.least;
        let place = |start: u64, whole: u64| {
            let later = (start + least).next_multiple_of(16);
            [start, later].into_iter().find(|at| {
                let end = at + length;
                let rest = (start + whole).checked_sub(end);
                fits(*at) && rest.is_some_and(|rest| rest == 0 || rest >= least)
            })
        };
        let found = self.by_length.range((length, 0)..).find_map(|&(whole, at)| Some((at, place(at, whole)?)));
        if let Some((start, at)) = found {
            let whole = self.remove(start);
            self.insert(start, at - start);
            self.insert(at + length, start + whole - (at + length));
            return Some(Piece { at, length });
        }
        let start = self.last_free().unwrap_or(self.end);
        let at = [start, (start + least).next_multiple_of(16)].into_iter().find(|at| fits(*at))?;
        let end = at.checked_add(length).filter(|end| *end <= self.limit)?;
        if start < self.end {
            self.remove(start);
        }
        self.insert(start, at - start);
        self.end = self.end.max(end);
        if end < self.end {
            self.insert(end, self.end - end);
        }
        Some(Piece { at, length })
    }

    /// Where the free space begins that ends with the file, if there is one.
    fn last_free(&self) -> Option<u64> {
        self.by_start.last_key_value().filter(|(at, length)| *at + *length == self.end).map(|(at, _)| *at)
    }

    fn extend(&mut self, length: u64) -> Option<Piece> {
        let at = self.last_free().unwrap_or(self.end);
        let end = at.checked_add(length).filter(|end| *end <= self.limit)?;
        if at < self.end {
            self.remove(at);
        }
        // A last space that was large enough but had too small a rest begins where this ends.
        if end < self.end {
            self.insert(end, self.end - end);
        } else {
            self.end = end;
        }
        Some(Piece { at, length })
    }

    /// Gives back a piece; it may be taken again at once.
    pub(super) fn give(&mut self, at: u64, length: u64) {
        if length == 0 {
            return;
        }
        let (mut start, mut whole) = (at, length);
        if let Some((&before, &size)) = self.by_start.range(..at).next_back()
            && before + size == at
        {
            self.remove(before);
            (start, whole) = (before, size + whole);
        }
        if self.by_start.contains_key(&(at + length)) {
            whole += self.remove(at + length);
        }
        self.insert(start, whole);
    }

    /// Gives back a piece that may be taken when [`Space::settle`] is called.
    pub(super) fn give_later(&mut self, at: u64, length: u64) {
        self.waiting.push((at, length));
    }

    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// The first `count` pieces that were given back later are free now.
    pub(super) fn settle(&mut self, count: usize) {
        let settled: Vec<_> = self.waiting.drain(..count.min(self.waiting.len())).collect();
        for (at, length) in settled {
            self.give(at, length);
        }
    }

    /// The end of the file, less the free space it ends with, which is no longer part of it.
    pub(super) fn cut(&mut self) -> u64 {
        if let Some(at) = self.last_free() {
            self.remove(at);
            self.end = at;
        }
        self.end
    }

    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// The free spaces in their order.
    pub(super) fn free(&self) -> impl Iterator<Item = (u64, u64)> {
        self.by_start.iter().map(|(at, length)| (*at, *length))
    }

    /// All bytes in free spaces, what waits included.
    pub(super) fn total(&self) -> u64 {
        self.by_start.values().sum::<u64>() + self.waiting.iter().map(|(_, length)| length).sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(used: &[(u64, u64)]) -> Space {
        let (space, wrong) = Space::new(used.to_vec(), 1000, 2000, 8, 10_000);
        assert_eq!(wrong, []);
        space
    }

    fn free(space: &Space) -> Vec<(u64, u64)> {
        space.free().collect()
    }

    #[test]
    fn pieces_are_taken_and_given_back() {
        let mut space = space(&[(1100, 100), (1300, 700)]);
        assert_eq!(free(&space), [(1000, 100), (1200, 100)]);
        assert_eq!(space.take(40, 99), Some(Piece { at: 1000, length: 40 }));
        // 4 bytes would be left over: they go with it, unless the piece would become too long.
        assert_eq!(space.take(56, 99), Some(Piece { at: 1040, length: 60 }));
        assert_eq!(space.take(96, 99), Some(Piece { at: 2000, length: 96 }));
        assert_eq!(space.take(96, 100), Some(Piece { at: 1200, length: 100 }));
        assert_eq!(free(&space), []);
        space.give(1040, 60);
        space.give(1000, 40);
        assert_eq!(free(&space), [(1000, 100)]);
        space.give_later(1100, 100);
        assert_eq!(space.total(), 200);
        space.settle(9);
        assert_eq!(free(&space), [(1000, 200)]);
    }

    #[test]
    fn the_file_grows_to_its_limit_and_is_cut() {
        let mut space = space(&[(1000, 900)]);
        // The free space at the end is the beginning of what is taken there.
        assert_eq!(space.take(300, 300), Some(Piece { at: 1900, length: 300 }));
        assert_eq!(space.end(), 2200);
        assert_eq!(space.take(8000, 8000), None);
        space.give(1900, 300);
        assert_eq!(space.cut(), 1900);
        assert_eq!(free(&space), []);
    }

    #[test]
    fn places_may_have_to_fit() {
        let mut space = space(&[(1000, 4), (1400, 600)]);
        let aligned = |at: u64| at % 16 == 0;
        assert_eq!(space.take_where(100, aligned), Some(Piece { at: 1024, length: 100 }));
        assert_eq!(free(&space), [(1004, 20), (1124, 276)]);
        assert_eq!(space.take_where(300, aligned), Some(Piece { at: 2000, length: 300 }));
        assert_eq!(space.take_where(300, |at| at % 3 == 0), None);
    }

    #[test]
    fn what_overlaps_or_lies_outside_is_told() {
        let (_, wrong) =
            Space::new(vec![(1000, 50), (1040, 5), (500, 10), (1990, 20), (u64::MAX, 2)], 1000, 2000, 8, 9999);
        assert_eq!(wrong, [(500, 10), (1040, 5), (1990, 20), (u64::MAX, 2)]);
    }
}
