//! Symbols of lengths and distances (RFC 1951, 3.2.5).

/// A length's or a distance's least value, and its number of extra bits.
type Range = (u16, u8);

/// Lengths, by symbol from 257 on.
pub(super) const LENGTHS: [Range; 29] = {
    let mut all = ranges::<29>(3, 4);
    // The longest match has a symbol of its own.
    all[28] = (258, 0);
    all
};
/// Distances by symbol.
pub(super) const DISTANCES: [Range; 30] = ranges::<30>(1, 2);

/// Ranges that begin at `first`; the number of extra bits grows with every `step` symbols, but for the first ones.
const fn ranges<const N: usize>(first: u16, step: usize) -> [Range; N] {
    let mut all = [(0, 0); N];
    let (mut least, mut n) = (first, 0);
    while n < N {
        let extra = (n / step).saturating_sub(1) as u8;
        all[n] = (least, extra);
        least = least.wrapping_add(1 << extra);
        n += 1;
    }
    all
}

/// The shortest and the longest match.
pub(super) const SHORTEST: usize = 3;
pub(super) const LONGEST: usize = 258;

/// Symbol, extra bits and their number, of a length.
#[inline]
pub(super) fn of_length(length: usize) -> (usize, u32, u32) {
    if length == LONGEST {
        return (285, 0, 0);
    }
    let (symbol, value, extra) = group(length - SHORTEST, 2);
    (257 + symbol, value, extra)
}

/// Symbol, extra bits and their number, of a distance.
#[inline]
pub(super) fn of_distance(distance: usize) -> (usize, u32, u32) {
    group(distance - 1, 1)
}

/// Groups of `1 << bits` symbols, whose ranges double from group to group.
#[inline]
fn group(value: usize, bits: u32) -> (usize, u32, u32) {
    let extra = (value >> bits).checked_ilog2().unwrap_or(0);
    let symbol = ((extra as usize) << bits) + (value >> extra);
    (symbol, value as u32 & ((1 << extra) - 1), extra)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_and_distance_has_its_symbol() {
        for length in SHORTEST..=LONGEST {
            let (symbol, extra, n) = of_length(length);
            let (least, bits) = LENGTHS[symbol - 257];
            assert_eq!((least as u32 + extra, bits as u32), (length as u32, n));
        }
        for distance in 1..=0x8000 {
            let (symbol, extra, n) = of_distance(distance);
            let (least, bits) = DISTANCES[symbol];
            assert_eq!((least as u32 + extra, bits as u32), (distance as u32, n), "{distance}");
        }
        assert_eq!((LENGTHS[27], DISTANCES[29]), ((227, 5), (24577, 13)));
    }
}
