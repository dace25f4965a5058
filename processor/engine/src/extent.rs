//! How much decoded text one virtual CPU keeps.

/// What is kept of decoded text. Where it is full, instructions of blocks with code are forgotten, and blocks that are
/// seldom executed. Twice as much is kept from then on where that [takes long](Dropped::takes_long).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Extent {
    pub ops: usize,
    pub blocks: usize,
}

impl Extent {
    /// What a booted Linux needs, and most guests.
    pub(crate) const FIRST: Extent = Extent { ops: 1 << 16, blocks: 3 << 14 };
    /// 90 MiB of them.
    pub(crate) const MOST: Extent = Extent { ops: 1 << 20, blocks: 3 << 18 };

    pub(crate) fn doubled(self) -> Extent {
        Extent { ops: Self::MOST.ops.min(self.ops * 2), blocks: Self::MOST.blocks.min(self.blocks * 2) }
    }

    /// So much is decoded for a few commands, and not by a system that booted.
    pub(crate) fn is_small(self) -> bool {
        self.ops < Self::FIRST.ops / 2 && self.blocks < Self::FIRST.blocks / 4
    }

    /// Whether there is room for what comes beside so much: seven of eight at most, so that room is not wanted again at
    /// once.
    pub(crate) fn has_room_beside(self, used: Extent) -> bool {
        used.ops <= self.ops / 8 * 7 && used.blocks <= self.blocks / 8 * 7
    }
}

/// Which blocks were dropped, by a hash of their addresses. A program may go through more text than is kept, round and
/// round: each block is dropped before it is executed often. That is told from a program that executes everything once.
#[derive(Default)]
pub(crate) struct Dropped {
    bits: Vec<u64>,
    /// How many bits are on.
    count: usize,
    /// Instructions that have been decoded, and decoded again, since so many had been executed.
    decoded: u64,
    again: u64,
    since: u64,
    /// That took long when it was asked last.
    long: bool,
}

impl Dropped {
    /// 128 KiB, once anything has been dropped.
    const BITS: usize = 1 << 20;

    fn bit(absolute: u64) -> (usize, u64) {
        let n = (absolute.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 44) as usize;
        (n / 64, 1 << (n % 64))
    }

    pub(crate) fn note(&mut self, absolute: u64) {
        // When half of the bits are on they say nothing any more.
        if self.bits.is_empty() || self.count > Self::BITS / 2 {
            (self.bits, self.count) = (vec![0; Self::BITS / 64], 0);
        }
        let (word, bit) = Self::bit(absolute);
        self.count += usize::from(self.bits[word] & bit == 0);
        self.bits[word] |= bit;
    }

    /// Whether half of what was decoded since this was asked last was decoded again, and that took a good part of the
    /// time. `executed` instructions have been executed by now. Where most of the room is taken by what was executed
    /// before, little is decoded each time; so it is no part of what is `kept` that counts, but it must be an
    /// eighteenth: what is found there by chance is less. It must have been so the time before, too: a program that
    /// begins, as at the end of a boot, does so once. To decode one takes some 0.2 microseconds, as long as 500 take in
    /// code.
    pub(crate) fn takes_long(&mut self, kept: Extent, executed: u64) -> bool {
        const GOOD_PART: u64 = 2000;
        let passed = executed.wrapping_sub(std::mem::replace(&mut self.since, executed));
        let (decoded, again) = (std::mem::take(&mut self.decoded), std::mem::take(&mut self.again));
        let long = again * 2 > decoded && again * 18 > kept.ops as u64 && again * GOOD_PART > passed;
        long & std::mem::replace(&mut self.long, long)
    }

    /// So many instructions are decoded there.
    pub(crate) fn decoded(&mut self, absolute: u64, count: u64) {
        self.decoded += count;
        let (word, bit) = Self::bit(absolute);
        if self.bits.get(word).is_some_and(|bits| bits & bit != 0) {
            self.again += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_dropped_is_known_and_hardly_anything_else() {
        let mut dropped = Dropped::default();
        let blocks = (0..20_000u64).map(|n| 0x10_0000 + n * 22);
        blocks.clone().for_each(|at| dropped.note(at));
        assert!(dropped.count > 19_000, "{} bits", dropped.count);
        blocks.clone().for_each(|at| dropped.decoded(at, 1));
        assert_eq!(dropped.again, 20_000);
        blocks.for_each(|at| dropped.decoded(at + (1 << 20), 1));
        assert!(dropped.again < 22_000, "{} were never dropped", dropped.again - 20_000);
        // Of 30,000 they are more than half, of 60,000 less; and it took all the time, or hardly any.
        let again = dropped.again;
        let mut asked = |decoded, executed| {
            (dropped.decoded, dropped.again, dropped.since) = (decoded, again, 0);
            dropped.takes_long(Extent::FIRST, executed)
        };
        assert!(!asked(30_000, again), "once is no reason");
        assert!(asked(30_000, again) && asked(30_000, again), "twice one after the other is");
        assert!(!asked(60_000, again) && !asked(30_000, again));
        assert!(asked(30_000, again) && !asked(30_000, again * 10_000));
        // Where most of the room is taken, an eighth of it is what is decoded in between.
        let mut turns = |again| {
            [(); 2].map(|()| {
                (dropped.decoded, dropped.again, dropped.since) = (8000, again, 0);
                dropped.takes_long(Extent::FIRST, 100_000)
            })
        };
        assert_eq!(turns(7000), [false, true], "what goes round and round in the rest has more room");
        assert_eq!((turns(3500), turns(200)), ([false; 2], [false; 2]));
        assert_eq!(Extent::MOST.doubled(), Extent::MOST);
    }
}
