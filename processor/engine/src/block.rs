//! A decoded block, and what is known of it.

use arch::Absolute;

/// Instructions of a block, at most.
pub(crate) const MAX_BLOCK: usize = 64;

/// A decoded block, in one line of the host's caches: most have left those by the time that they are looked for again.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct Block {
    pub absolute: u64,
    pub version: u32,
    /// Where its instructions are among those that are kept; [`NONE`](crate::index::NONE): they are decoded again when
    /// they are wanted, which is seldom where there is code.
    pub first: u32,
    /// A digest of its text: another CPU that stores into the text raises the frame's version only a moment later.
    pub digest: u64,
    pub count: u16,
    /// Length of its text.
    pub bytes: u16,
    /// Instructions that its code is made of: these may be others ([`crate::trace`]).
    pub translated: u16,
    /// How often it has been interpreted.
    pub hits: u8,
    /// The mode of the CPU that its code is for.
    pub mode: u8,
    /// How it was mostly left, and how much more often so than otherwise.
    pub way: Way,
    pub votes: u8,
    /// The code that others have made is of other text.
    pub own: bool,
    /// Blocks that came after it, the latest first.
    pub links: [u32; 2],
    /// Where its code is entered from outside, 0 if it has none, and how far after that it is entered from its own
    /// page.
    pub code: u64,
    pub inner: u16,
}

const _: () = assert!(size_of::<Block>() == 64);

/// How a block is left: after so many of its instructions, and whether by a branch.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Way {
    pub count: u8,
    pub branched: bool,
    /// How far after the block's start it went on; odd: too far.
    pub to: i32,
}

/// What is known of a block from its executions.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Profile {
    /// How often it has been interpreted.
    pub hits: u8,
    /// How it was mostly left, and how much more often so than otherwise.
    pub way: Way,
    pub votes: u8,
}

impl Profile {
    pub(crate) fn bytes(&self) -> [u8; 8] {
        let Profile { hits, way: Way { count, branched, to }, votes } = *self;
        let [a, b, c, d] = to.to_le_bytes();
        [hits, count, branched.into(), votes, a, b, c, d]
    }

    pub(crate) fn of([hits, count, branched, votes, a, b, c, d]: [u8; 8]) -> Profile {
        let to = i32::from_le_bytes([a, b, c, d]);
        Profile { hits, way: Way { count, branched: branched != 0, to }, votes }
    }
}

impl Block {
    pub fn has_code(&self) -> bool {
        self.code != 0
    }

    pub fn profile(&self) -> Profile {
        Profile { hits: self.hits, way: self.way, votes: self.votes }
    }

    #[inline(always)]
    pub fn is(&self, absolute: Absolute, version: u32) -> bool {
        self.absolute == absolute.0 && self.version == version
    }
}

/// A number that another text hardly has.
pub(crate) fn digest(text: &[u8]) -> u64 {
    let word = |bytes: &[u8]| bytes.iter().fold(0u64, |word, &byte| word << 8 | u64::from(byte));
    let mix = |sum: u64, word: u64| (sum.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let (words, rest) = text.as_chunks::<8>();
    let sum = words.iter().fold(text.len() as u64, |sum, bytes| mix(sum, u64::from_le_bytes(*bytes)));
    mix(sum, word(rest))
}
