//! Densely packed decimal: three digits in ten bits, a declet (POP, chapter 20, "DFP Data Formats").
//!
//! Of the 1,024 declets 24 are second ways to write numbers that have an 8 or a 9 in each place. They are understood
//! and never made.

/// How many numbers a declet can tell.
pub(super) const THOUSAND: u64 = 1000;

/// Declets by their numbers.
const DECLETS: [u16; 1000] = {
    let mut table = [0; 1000];
    let mut n = 0;
    while n < 1000 {
        table[n as usize] = encode(n / 100, n / 10 % 10, n % 10);
        n += 1;
    }
    table
};

/// Numbers by their declets.
const NUMBERS: [u16; 1024] = {
    let mut table = [0; 1024];
    let mut n = 0;
    while n < 1024 {
        table[n as usize] = decode(n);
        n += 1;
    }
    table
};

/// The declet of three digits. Digits up to 7 stand with their three bits, 8 and 9 with their last one.
const fn encode(a: u16, b: u16, c: u16) -> u16 {
    let (low_a, low_b, low_c) = (a & 7, b & 7, c & 7);
    let (one_a, one_b, one_c) = (a & 1, b & 1, c & 1);
    match (a > 7, b > 7, c > 7) {
        (false, false, false) => low_a << 7 | low_b << 4 | low_c,
        (false, false, true) => low_a << 7 | low_b << 4 | 0b1000 | one_c,
        (false, true, false) => low_a << 7 | (low_c & 6) << 4 | one_b << 4 | 0b1010 | one_c,
        (true, false, false) => (low_c & 6) << 7 | one_a << 7 | low_b << 4 | 0b1100 | one_c,
        (true, true, false) => (low_c & 6) << 7 | one_a << 7 | one_b << 4 | 0b1110 | one_c,
        (true, false, true) => (low_b & 6) << 7 | one_a << 7 | 0b010_0000 | one_b << 4 | 0b1110 | one_c,
        (false, true, true) => low_a << 7 | 0b100_0000 | one_b << 4 | 0b1110 | one_c,
        (true, true, true) => one_a << 7 | 0b110_0000 | one_b << 4 | 0b1110 | one_c,
    }
}

/// The number of a declet.
const fn decode(declet: u16) -> u16 {
    // Three bits, or the two that a small digit has elsewhere and its last one.
    let (first, second, third) = (declet >> 7 & 7, declet >> 4 & 7, declet & 7);
    let (one_a, one_b, one_c) = (first & 1, second & 1, third & 1);
    let (a, b, c) = if declet & 8 == 0 {
        (first, second, third)
    } else {
        match declet >> 1 & 3 {
            0 => (first, second, 8 | one_c),
            1 => (first, 8 | one_b, second & 6 | one_c),
            2 => (8 | one_a, second, first & 6 | one_c),
            _ => match second >> 1 {
                0 => (8 | one_a, 8 | one_b, first & 6 | one_c),
                1 => (8 | one_a, first & 6 | one_b, 8 | one_c),
                2 => (first, 8 | one_b, 8 | one_c),
                _ => (8 | one_a, 8 | one_b, 8 | one_c),
            },
        }
    };
    a * 100 + b * 10 + c
}

/// The rightmost `count` declets, six at most, as a number.
#[inline]
pub(super) fn number(declets: u64, count: u32) -> u64 {
    // Two together are independent of the others.
    let one = |n: u32| u64::from(NUMBERS[(declets >> (10 * n) & 0x3ff) as usize]);
    let two = |n: u32| if 2 * n + 1 < count { one(2 * n) + one(2 * n + 1) * THOUSAND } else { one(2 * n) };
    let mut number = 0;
    let mut scale = 1;
    for n in 0..count.div_ceil(2) {
        number += two(n) * scale;
        scale *= THOUSAND * THOUSAND;
    }
    number
}

/// A number as `count` declets, six at most; digits that do not fit are lost.
#[inline]
pub(super) fn declets(number: u64, count: u32) -> u64 {
    // The halves are independent of each other.
    const HALF: u64 = THOUSAND * THOUSAND * THOUSAND;
    let three = |mut number: u64, count: u32| {
        let mut declets = 0;
        for n in 0..count {
            declets |= u64::from(DECLETS[(number % THOUSAND) as usize]) << (10 * n);
            number /= THOUSAND;
        }
        declets
    };
    let right = three(number % HALF, count.min(3));
    if count > 3 { three(number / HALF, count - 3) << 30 | right } else { right }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the standard (IEEE 754-2008, table 3.3 and 3.4) and of POP.
    #[test]
    fn known_declets() {
        let known = [
            (5, 0x005),
            (9, 0x009),
            (55, 0x055),
            (79, 0x079),
            (80, 0x00a),
            (99, 0x05f),
            (555, 0x2d5),
            (999, 0x0ff),
            (888, 0x06e),
            (899, 0x07f),
        ];
        for (number, declet) in known {
            assert_eq!(DECLETS[number], declet, "{number}");
        }
    }

    #[test]
    fn every_number_has_a_declet_and_every_declet_a_number() {
        for n in 0..1000 {
            assert_eq!(usize::from(NUMBERS[usize::from(DECLETS[n])]), n);
        }
        let second = (0..1024).filter(|&n| usize::from(DECLETS[usize::from(NUMBERS[n])]) != n);
        assert_eq!(second.count(), 24);
        assert_eq!(number(declets(123_456_789_012_345_678, 6), 6), 123_456_789_012_345_678);
        assert_eq!(number(declets(1_234_567, 2), 2), 234_567, "what does not fit is lost");
    }
}
