//! Bits of compressed data: the first one is the rightmost of the first byte.

/// Bits that have been taken out of bytes, but not yet processed.
#[derive(Clone, Copy, Default)]
pub(super) struct Bits {
    hold: u64,
    count: u32,
}

/// As many as are asked for at most: one symbol with its distance has 48.
pub(super) const ENOUGH: u32 = 56;

impl Bits {
    /// Of what a continuation state says: it may say anything.
    pub(super) fn restore(hold: u64, count: u8) -> Bits {
        let count = (count as u32).min(63);
        Bits { hold: hold & !(u64::MAX << count), count }
    }

    pub(super) fn hold(&self) -> u64 {
        self.hold
    }

    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Adds a byte; there must be room.
    #[inline]
    pub(super) fn add(&mut self, byte: u8) {
        self.hold |= (byte as u64) << self.count;
        self.count += 8;
    }

    /// Adds as many of eight bytes as there is room for, and says how many.
    #[inline]
    pub(super) fn add_word(&mut self, bytes: [u8; 8]) -> usize {
        let n = (63 - self.count) / 8;
        let word = u64::from_le_bytes(bytes) & (1 << (8 * n)) - 1;
        self.hold |= word << self.count;
        self.count += 8 * n;
        n as usize
    }

    /// Passes over bits, of which there must be as many.
    #[inline]
    pub(super) fn pass(&mut self, n: u32) {
        self.hold >>= n;
        self.count -= n;
    }

    /// Passes over what is left of a byte.
    pub(super) fn align(&mut self) {
        self.pass(self.count % 8);
    }

    /// Takes a number of so many bits, if there are as many.
    #[inline]
    pub(super) fn take(&mut self, n: u32) -> Option<u32> {
        if self.count < n {
            return None;
        }
        let v = self.hold & (1 << n) - 1;
        self.pass(n);
        Some(v as u32)
    }
}

/// Where compressed data comes from.
pub(super) trait Input {
    /// All bits that can be had, up to [`ENOUGH`] of them.
    fn fill(&mut self) -> &mut Bits;
}

/// Bits of bytes in hand.
pub(super) struct Slice<'a> {
    pub bytes: &'a [u8],
    pub bits: Bits,
}

impl Input for Slice<'_> {
    fn fill(&mut self) -> &mut Bits {
        while self.bits.count < ENOUGH
            && let Some((byte, rest)) = self.bytes.split_first()
        {
            self.bits.add(*byte);
            self.bytes = rest;
        }
        &mut self.bits
    }
}

/// Bits that are to become bytes.
#[derive(Default)]
pub(super) struct Writer {
    hold: u64,
    count: u32,
}

impl Writer {
    pub(super) fn restore(hold: u8, count: u8) -> Writer {
        let count = (count & 7) as u32;
        Writer { hold: hold as u64 & (1 << count) - 1, count }
    }

    /// The bits of the last byte, and how many: fewer than eight.
    pub(super) fn rest(&self) -> (u8, u8) {
        (self.hold as u8, self.count as u8)
    }

    /// Writes the rightmost `n` bits of `v`, 32 at most, and hands on what bytes are full.
    #[inline]
    pub(super) fn put(&mut self, v: u32, n: u32, mut byte: impl FnMut(u8)) {
        self.hold |= (v as u64) << self.count;
        self.count += n;
        while self.count >= 8 {
            byte(self.hold as u8);
            self.hold >>= 8;
            self.count -= 8;
        }
    }
}
