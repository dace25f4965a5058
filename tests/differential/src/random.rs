//! What tests are made of, from a seed: the same seed gives the same tests everywhere.

use std::ops::{Deref, DerefMut};

/// Random numbers, and what instructions make of them.
#[derive(Clone)]
pub struct Random(support::Random);

impl Deref for Random {
    type Target = support::Random;

    fn deref(&self) -> &support::Random {
        &self.0
    }
}

impl DerefMut for Random {
    fn deref_mut(&mut self) -> &mut support::Random {
        &mut self.0
    }
}

impl Random {
    /// From a seed; each seed has a sequence of its own.
    pub fn new(seed: u64) -> Random {
        Random(support::Random::seeded(seed))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.word()
    }

    /// A word that instructions find interesting: the ends of ranges, powers of two, small numbers, decimals.
    pub fn word64(&mut self) -> u64 {
        let v = match self.below(16) {
            0 => 0,
            1 => 1,
            2 => u64::MAX,
            3 => self.pick(&[i64::MAX as u64, i64::MIN as u64, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x1_0000_0000]),
            4 => 1 << self.below(64),
            5 => (1u64 << self.below(64)).wrapping_sub(1),
            6 => (1u64 << self.below(64)).wrapping_neg(),
            7 => self.below(256),
            8 => self.below(256u64).wrapping_neg(),
            9 => u64::from(self.word32()) << 32 | u64::from(self.word32()),
            10 => u64::from(self.word32()),
            11 => i64::from(self.word32() as i32) as u64,
            12 => self.bits() & self.bits() & self.bits(),
            13 => self.below(0x1_0000),
            _ => self.bits(),
        };
        if self.one_in(16) { v ^ 1 } else { v }
    }

    /// 32 bits of the same kind.
    pub fn word32(&mut self) -> u32 {
        match self.below(8) {
            0 => self.pick(&[0, 1, u32::MAX, 0x7fff_ffff, 0x8000_0000, 0xffff, 0x8000, 0x7fff, 0xffff_8000]),
            1 => 1 << self.below(32),
            2 => self.below(256) as u32,
            3 => (self.below(256) as u32).wrapping_neg(),
            _ => self.bits() as u32,
        }
    }

    /// Eight bytes that may be a binary floating-point number in one of the formats.
    pub fn float(&mut self) -> u64 {
        match self.below(8) {
            0 => u64::from(self.short()) << 32 | if self.one_in(4) { self.bits() >> 32 } else { 0 },
            1 => self.extended_high(),
            2 => self.word64(),
            3 => (self.word64() as i64 as f64).to_bits(),
            4 => u64::from((self.word32() as i32 as f32).to_bits()) << 32,
            5 => u64::from(self.short()) << 32 | u64::from(self.short()),
            _ => self.long(),
        }
    }

    /// A short BFP number.
    pub fn short(&mut self) -> u32 {
        let sign = (self.bits() as u32) & 0x8000_0000;
        let fraction = match self.below(4) {
            0 => 0,
            1 => 0x7f_ffff,
            2 => 1 << self.below(23),
            _ => self.bits() as u32 & 0x7f_ffff,
        };
        let exponent = match self.below(8) {
            0 => 0,
            1 => 255,
            2 => 1,
            3 => 254,
            4 => 127,
            5 => 127 + self.below(70) as u32 - 3,
            6 => 127 - self.below(30) as u32,
            _ => self.below(256) as u32,
        };
        sign | exponent << 23 | fraction
    }

    /// A long BFP number.
    pub fn long(&mut self) -> u64 {
        let sign = self.bits() & 1 << 63;
        let fraction = match self.below(6) {
            0 => 0,
            1 => (1 << 52) - 1,
            2 => 1 << self.below(52),
            3 => self.bits() & 0x000f_ffff_e000_0000,
            4 => self.bits() & self.bits() & self.bits() & ((1 << 52) - 1),
            _ => self.bits() & ((1 << 52) - 1),
        };
        let exponent = match self.below(10) {
            0 => 0,
            1 => 2047,
            2 => 1,
            3 => 2046,
            4 => 1023,
            5 => 1023 + self.below(70) - 3,
            6 => 1023 - self.below(30),
            7 => 1023 - 126 - 24 + self.below(26), // around the short format's smallest
            8 => 1023 + 126 + self.below(4),       // and its largest
            _ => self.below(2048),
        };
        sign | exponent << 52 | fraction
    }

    /// The left half of an extended BFP number.
    fn extended_high(&mut self) -> u64 {
        let sign = self.bits() & 1 << 63;
        let fraction = match self.below(4) {
            0 => 0,
            1 => (1 << 48) - 1,
            _ => self.bits() & ((1 << 48) - 1),
        };
        let exponent = match self.below(9) {
            0 => 0,
            1 => 32767,
            2 => 1,
            3 => 32766,
            4 => 16383,
            5 => 16383 + self.below(130) - 3,
            6 => 16383 - self.below(130),
            7 => 16383 + self.pick(&[0u64, 1]) * 1024 + self.below(8),
            _ => 16383 - 1022 - self.below(56),
        };
        sign | exponent << 48 | fraction
    }
}
