//! Which vector instructions are done inline, by the host's vectors; [`crate::emit::vectors`] emits them.
//!
//! A guest's vector lies in the `State` as two halves in the host's order. So the elements of a half have the host's
//! places from right to left, and what is done to each element alone needs no other order.

use isa::Fields;
use isa::form::Vector;

/// An operation of the host's on vectors, in its VEX form with the prefix 66: the map of its opcode and the opcode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Packed(u16);

impl Packed {
    pub(crate) const PRODUCT_OF_WORDS: Packed = Packed(0x1f4);
    /// The first operand is a general register, and of no other use.
    pub(crate) const BITS_OF_BYTES: Packed = Packed(0x1d7);
    /// Sixteen of the second operand's and the first's one after the other, after as many as a byte of text says.
    pub(crate) const BYTES_OF_BOTH: Packed = Packed(0x30f);
    /// A half of each, as a byte of text says.
    pub(crate) const HALVES_OF_BOTH: Packed = Packed(0x1c6);
    pub(crate) const CHOICE_OF_BYTES: Packed = Packed(0x200);

    pub(crate) fn map(self) -> u8 {
        (self.0 >> 8) as u8
    }

    pub(crate) fn code(self) -> u8 {
        self.0 as u8
    }
}

/// What the host has in one instruction: for bytes, halfwords, words and doublewords. 0: nothing. Of the first and the
/// second operand of the host's, except that merging and the complement want them the other way round.
const PACKED: [(Vector, [u16; 4]); 16] = [
    (Vector::And, [0x1db; 4]),
    (Vector::AndComplement, [0x1df; 4]),
    (Vector::Or, [0x1eb; 4]),
    (Vector::ExclusiveOr, [0x1ef; 4]),
    (Vector::Sums, [0x1fc, 0x1fd, 0x1fe, 0x1d4]),
    (Vector::Differences, [0x1f8, 0x1f9, 0x1fa, 0x1fb]),
    (Vector::Products, [0, 0x1d5, 0x240, 0]),
    (Vector::Equal, [0x174, 0x175, 0x176, 0x229]),
    (Vector::Greater, [0x164, 0x165, 0x166, 0x237]),
    (Vector::Greatest, [0x23c, 0x1ee, 0x23d, 0]),
    (Vector::GreatestLogical, [0x1de, 0x23e, 0x23f, 0]),
    (Vector::Least, [0x238, 0x1ea, 0x239, 0]),
    (Vector::LeastLogical, [0x1da, 0x23a, 0x23b, 0]),
    (Vector::MergedLeft, [0x160, 0x161, 0x162, 0x16c]),
    (Vector::MergedRight, [0x168, 0x169, 0x16a, 0x16d]),
    // From the rightmost element of what it is given.
    (Vector::Repeated, [0x278, 0x279, 0x258, 0x259]),
];

/// The host's instruction for elements of 1, 2, 4 or 8 bytes, as the modifier 0 to 3 says.
pub(crate) fn packed(what: Vector, size: u8) -> Option<Packed> {
    let (_, codes) = PACKED.iter().find(|(of, _)| *of == what)?;
    codes.get(size as usize).filter(|&&code| code != 0).map(|&code| Packed(code))
}

/// Shifts of elements by a constant: of halfwords, words and doublewords.
#[derive(Clone, Copy)]
pub(crate) enum Shift {
    Right = 2,
    RightSigned = 4,
    Left = 6,
}

/// Bits of M5: the condition code is set, and zeros are looked for, too.
pub(crate) const SETS_CODE: u8 = 1;
pub(crate) const SEEKS_ZERO: u8 = 2;

/// Whether an instruction with these fields is done inline.
pub(crate) fn inline(what: Vector, i: &Fields) -> bool {
    use Vector::*;
    // The address of the second operand is a number in the text.
    let number = i.b2 == 0;
    let form = match what {
        Fetched | Stored | Copied | And | AndComplement | Or | ExclusiveOr => true,
        Selected | Halves | Chosen | Pair | ByteMask | FetchedBytes | StoredBytes => true,
        FetchedToBoundary => i.m3 <= 6,
        Sums | Differences | Products | Equal | Greater => packed(what, i.m4).is_some(),
        Greatest | GreatestLogical | Least | LeastLogical => packed(what, i.m4).is_some(),
        MergedLeft | MergedRight => packed(what, i.m4).is_some(),
        GreaterLogical => i.m4 <= 2,
        ProductsEven | ProductsOdd => i.m4 == 2,
        ProductsEvenAdded | ProductsOddAdded => i.m5() == 2,
        Rotated | ShiftedLeft | ShiftedRight => number && (1..=3).contains(&i.m4),
        ShiftedRightSigned => number && (1..=2).contains(&i.m4),
        FirstEqual => i.m4 <= 2 && i.m5() < 4,
        // Which of two elements is the greater, one byte tells of bytes alone.
        FirstDifferent => i.m4 <= 2 && i.m5() < 4 && (i.m4 == 0 || i.m5() & SETS_CODE == 0),
        Joined => i.i4() < 16,
        Repeated => i.m4 <= 3 && i.imm < 16 >> i.m4,
        RepeatedImmediate => i.m3 <= 3,
        Element | ElementSet => number && i.m4 <= 3,
    };
    form && is_x86_feature_detected!("avx2")
}

/// What it fetches or stores, if it does: so many bytes, and whether they are stored.
pub(crate) fn access(what: Vector) -> Option<(i32, bool)> {
    match what {
        Vector::Fetched | Vector::FetchedToBoundary | Vector::FetchedBytes => Some((16, false)),
        Vector::Stored => Some((16, true)),
        // How many bytes VSTL stores is not known: it has a probe of its own.
        _ => None,
    }
}

/// The general registers that it reads or needs for an address.
pub(crate) fn reads(what: Vector, i: &Fields) -> u16 {
    let registers = match what {
        Vector::Fetched | Vector::FetchedToBoundary | Vector::Stored => [i.x2, i.b2],
        Vector::FetchedBytes | Vector::StoredBytes => [i.r3, i.b2],
        Vector::Pair => [i.r2, i.r3],
        Vector::ElementSet => [i.r3, 0],
        _ => [0, 0],
    };
    registers.into_iter().filter(|&r| r != 0).fold(0, |all, r| all | 1 << (r & 15))
}

/// The general register that it sets, as a bit.
pub(crate) fn sets(what: Vector, i: &Fields) -> u16 {
    if what == Vector::Element { 1 << (i.r1 & 15) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_the_host_has_no_instruction_for_are_none() {
        assert_eq!(packed(Vector::Sums, 3), Some(Packed(0x1d4)));
        assert_eq!(packed(Vector::Sums, 4), None);
        assert_eq!(packed(Vector::Products, 0), None);
        assert_eq!(packed(Vector::Fetched, 0), None);
    }
}
