//! What the table says of an instruction to what watches programs from outside, as [`crate::watch`] tells it.
//!
//! A row may say what kind of instruction it is. That is the last thing in it:
//!
//! ```text
//! 0x83   DIAG    RSa   ALL  -   { ends call diagnose }                     [- P] is [Diagnose]
//! ```
//!
//! How many bytes an operand in storage has stands after its letter, where the row's body is a routine and the format
//! does not say it: a number, or one of [`Extent`]'s names.
//!
//! ```text
//! 0xb234 STSCH   S     ESAZ -   { ends call store_subchannel }             [03 S2(52) W2 P OP] is [InputOutput]
//! 0x90   STM     RSa   ALL  -   { call store_multiple }                    [- S2(Words)] as [StoreMultiple(W32)]
//! ```

use crate::outcome::Exception;

/// What an instruction is to what watches programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// An address that is computed and not accessed is one: a branch goes there, or a register has it afterwards.
    Plain,
    /// What is computed as an address and not accessed is a number: how far to shift, a rounding mode.
    Number,
    /// SUPERVISOR CALL, which CP counts as an interruption.
    SupervisorCall,
    /// What is computed as an address is a code.
    Diagnose,
    /// It is for a channel subsystem, or for a channel.
    InputOutput,
    /// START SUBCHANNEL.
    StartSubchannel,
    /// A PSW is loaded: a breaking event, and no branch.
    LoadPsw,
    /// It stores at a real address.
    StoreReal,
}

/// How many bytes an operand in storage has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// What the format says; otherwise how many is not known before.
    Text,
    /// So many bytes.
    Bytes(u16),
    /// The word that the address lies in.
    Word,
    /// The doubleword that the address lies in.
    Doubleword,
    /// The page that the address lies in.
    Page,
    /// It is tested for stores, and nothing is stored.
    Tested,
    /// A word for each register from R1 to R3.
    Words,
    /// A doubleword for each of them.
    Doublewords,
    /// A quadword for each of them.
    Quadwords,
    /// A byte for each one in M3.
    Mask,
    /// What is in the register beside R1.
    Pair,
    /// Of that, the rightmost 24 bits.
    Pair24,
    /// Two for each byte of that.
    PairTwice,
    /// One for two bytes of that.
    PairHalf,
    /// What is in the register beside R2.
    SecondPair,
    /// What is in R1, 256 at most.
    R1To256,
    /// What is in R3, 4096 at most.
    R3To4096,
    /// What is in R3, 16 at most.
    R3To16,
    /// One more than the rightmost byte of general register 0.
    Register0,
    /// So many doublewords.
    Doublewords0,
    /// As the function code of PERFORM LOCKED OPERATION in general register 0 says.
    Locked,
    /// The fourth operand of PERFORM LOCKED OPERATION, as its function code says; of a parameter list, as much as gets
    /// operands that are not equal.
    LockedOther,
    /// What COMPARE AND SWAP AND STORE swaps, as its function code says.
    Swapped,
    /// What COMPARE AND SWAP AND STORE stores, as its store characteristic says.
    Stored,
}

/// Extents of the operands by their numbers, from the first.
pub(crate) type Extents = [Extent; 4];

/// Extents of the operands, by the letters of a row that have one.
pub(crate) const fn extents(letters: &[(Exception, Extent)]) -> Extents {
    let mut found = [Extent::Text; 4];
    let mut n = 0;
    while n < letters.len() {
        match letters[n].0 {
            Exception::Fetch(operand @ 1..=4) | Exception::Store(operand @ 1..=4) => {
                found[operand as usize - 1] = letters[n].1;
            }
            _ => panic!("an extent belongs to the access exceptions of an operand with a number"),
        }
        n += 1;
    }
    found
}

/// Extents by the name of a composition's result.
#[allow(non_upper_case_globals)]
pub(crate) mod result {
    use super::Extent::*;
    use super::Extents;

    macro_rules! results {
        ($($($name:ident)* = [$first:expr, $second:expr];)*) => {
            $($(pub(crate) const $name: Extents = [$first, $second, Text, Text];)*)*
        };
    }

    results! {
        r1_8 r1_16 r1_32 r1_64 r1_hh r1_hl r1_lh r1_h a1 = [Text, Text];
        m1_8 = [Bytes(1), Text];
        m1_16 = [Bytes(2), Text];
        m1_32 = [Bytes(4), Text];
        m1_64 = [Bytes(8), Text];
        m2_8 = [Text, Bytes(1)];
        m2_16 rel_16 = [Text, Bytes(2)];
        m2_32 rel_32a = [Text, Bytes(4)];
        m2_64 rel_64a = [Text, Bytes(8)];
    }
}
