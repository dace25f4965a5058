//! Bits counted from the left, as the Principles of Operation count them (POP, chapter 3, "Bit numbering").

/// The mask of bit `n` of a doubleword; bit 0 is the leftmost.
pub const fn bit64(n: u32) -> u64 {
    1 << (63 - n)
}

/// The mask of bit `n` of a word; bit 0 is the leftmost.
pub const fn bit32(n: u32) -> u32 {
    1 << (31 - n)
}

/// Bits `from` to `to` (inclusive, counted from the left) of a doubleword, right-aligned.
pub const fn field64(word: u64, from: u32, to: u32) -> u64 {
    (word << from) >> (from + 63 - to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_count_from_the_left() {
        assert_eq!(bit64(0), 0x8000_0000_0000_0000);
        assert_eq!(bit64(63), 1);
        assert_eq!(bit32(31), 1);
        assert_eq!(field64(0x0007_0000_8000_0000, 13, 15), 7);
        assert_eq!(field64(0xff, 56, 63), 0xff);
    }
}
