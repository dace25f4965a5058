//! How much decoded text one virtual CPU keeps.

use crate::cache::digest;

/// What is kept of decoded text. Where it is full, instructions of blocks with code are forgotten, and blocks that are
/// seldom executed. Twice as much is kept from then on where what is left is more than half, or a quarter had been
/// decoded before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    pub ops: usize,
    pub blocks: usize,
}

impl Extent {
    /// What a booted Linux needs, and most guests.
    pub const FIRST: Extent = Extent { ops: 1 << 16, blocks: 3 << 14 };
    /// 112 MiB of them. gcc, compiling one file after the other, executes 230,000 instructions more than seldom.
    pub const MOST: Extent = Extent { ops: 1 << 20, blocks: 3 << 18 };

    pub fn doubled(self) -> Extent {
        Extent { ops: Self::MOST.ops.min(self.ops * 2), blocks: Self::MOST.blocks.min(self.blocks * 2) }
    }

    /// Whether these are so few that there is room for what comes.
    pub fn has_room_beside(self, used: Extent, share: usize) -> bool {
        used.ops * 8 <= self.ops * share && used.blocks * 8 <= self.blocks * share
    }
}

/// Which blocks were dropped, by a hash of their addresses: a program that goes through more text than is kept, round
/// and round, executes none of it often before it is dropped, and is told from one that executes everything once.
#[derive(Default)]
pub struct Dropped {
    bits: Vec<u64>,
    /// How many bits are on.
    count: usize,
    /// Instructions that have been decoded again since room was made.
    pub again: usize,
}

impl Dropped {
    /// 128 KiB, once anything has been dropped.
    const BITS: usize = 1 << 20;

    fn bit(absolute: u64) -> (usize, u64) {
        let n = digest(&absolute.to_be_bytes()) as usize >> 8 & (Self::BITS - 1);
        (n / 64, 1 << (n % 64))
    }

    pub fn note(&mut self, absolute: u64) {
        // When half of the bits are on they say nothing any more.
        if self.bits.is_empty() || self.count > Self::BITS / 2 {
            (self.bits, self.count) = (vec![0; Self::BITS / 64], 0);
        }
        let (word, bit) = Self::bit(absolute);
        self.count += usize::from(self.bits[word] & bit == 0);
        self.bits[word] |= bit;
    }

    /// So many instructions are decoded there.
    pub fn decoded(&mut self, absolute: u64, count: usize) {
        let (word, bit) = Self::bit(absolute);
        if self.bits.get(word).is_some_and(|bits| bits & bit != 0) {
            self.again += count;
        }
    }
}
