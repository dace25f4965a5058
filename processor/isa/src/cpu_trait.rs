//! `trait Cpu`: what an instruction may do to a CPU.
//!
//! A body reads registers and storage as [`Cpu::Word`]s, which it cannot look into: a question about the instruction's
//! text is an ordinary `if`, a question about a value goes through `select`, `branch_if` or `call_if`. So the same body
//! can be run at once or be recorded as host code.
//!
//! Rules for bodies:
//! - Fetch, check, then change: every operand is obtained and every store is sure to succeed before anything changes,
//!   so that an exception leaves the state as it was. `?` means "leave the instruction here".
//! - A word is valid until the register it was read from is set: read, `set_cc`, then `set_gr`.
//! - Widths are explicit. A word read as `W32` has zeros on its left; operations of a width look at that many low bits
//!   and give zeros on the left.

use crate::fields::Fields;
use cpu::{At, Interruption, State};

/// How many bits of a word an operation is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// A byte.
    W8,
    /// A halfword.
    W16,
    /// A word.
    W32,
    /// A doubleword.
    W64,
}

impl Width {
    /// The number of bits.
    pub const fn bits(self) -> u32 {
        match self {
            Width::W8 => 8,
            Width::W16 => 16,
            Width::W32 => 32,
            Width::W64 => 64,
        }
    }

    /// All bits of the width on.
    pub const fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }
}

/// Condition-code recipes: the setting is named, not computed. `width` is how many bits of the words count; `a` and `b`
/// are the operands in their order, `value` and the rest what the instruction made of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // of the fields: they are explained above, once
pub enum Cc<W> {
    /// A constant.
    Set(u8),
    /// A word that is 0-3.
    Value(W),
    /// 0 zero, 1 not zero.
    Zero { width: Width, value: W },
    /// 0 zero, 1 negative, 2 positive.
    Sign { width: Width, value: W },
    /// 0 equal, 1 first low, 2 first high; signed.
    Compare { width: Width, a: W, b: W },
    /// 0 equal, 1 first low, 2 first high; unsigned.
    CompareLogical { width: Width, a: W, b: W },
    /// Signed sum of `a` and `b`: 0 zero, 1 negative, 2 positive, 3 overflow.
    Add { width: Width, a: W, b: W, sum: W },
    /// Signed difference `a - b`: 0 zero, 1 negative, 2 positive, 3 overflow.
    Subtract { width: Width, a: W, b: W, difference: W },
    /// Unsigned sum of `a` and another: bit 0 of the code is "not zero", bit 1 "carry".
    AddLogical { width: Width, a: W, sum: W },
    /// Unsigned difference `a - b`: 1 not zero with borrow, 2 zero, 3 not zero without borrow.
    SubtractLogical { width: Width, a: W, b: W, difference: W },
    /// TEST UNDER MASK for bytes: 0 all selected bits zero, 1 mixed, 3 all ones.
    TestMask { value: W, mask: W },
    /// TEST UNDER MASK for halfwords: mixed is 1 or 2 by the leftmost selected bit.
    TestMaskHalf { value: W, mask: W },
}

/// How bits are combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bitwise {
    /// One where both are one.
    And,
    /// One where either is one.
    Or,
    /// One where they differ.
    ExclusiveOr,
}

impl Bitwise {
    /// Of two bytes.
    pub fn of(self, a: u8, b: u8) -> u8 {
        match self {
            Bitwise::And => a & b,
            Bitwise::Or => a | b,
            Bitwise::ExclusiveOr => a ^ b,
        }
    }
}

/// What a body returns: `Stop` when the instruction was left early.
pub type Step<C, T = ()> = Result<T, <C as Cpu>::Stop>;

/// A routine on the exact state, for what is long or rare.
pub type Routine = fn(&mut State, &Fields) -> Result<(), Interruption>;

/// A row's body for one kind of CPU.
pub type Body<C> = fn(&mut C, &Fields) -> Step<C>;

/// One CPU as an instruction body sees it.
pub trait Cpu: Sized {
    /// A 64-bit value that exists when the instruction runs.
    type Word: Copy;
    /// Why a body was left: `Interruption` when interpreting; uninhabited when recording.
    type Stop;

    /// A constant.
    fn imm(&mut self, v: u64) -> Self::Word;
    /// A general register; for a width under 64, its low bits with zeros on the left.
    fn gr(&mut self, width: Width, r: u8) -> Self::Word;
    /// Sets the low bits of a general register; the rest stays.
    fn set_gr(&mut self, width: Width, r: u8, v: Self::Word);
    /// Bits 0-31 of a general register (the high-word facility), as a 32-bit word.
    fn gr_high(&mut self, r: u8) -> Self::Word;
    /// Sets bits 0-31 of a general register; the rest stays.
    fn set_gr_high(&mut self, r: u8, v: Self::Word);
    /// A floating-point register as 64 bits.
    fn fpr(&mut self, r: u8) -> Self::Word;
    /// Sets a floating-point register, all 64 bits.
    fn set_fpr(&mut self, r: u8, v: Self::Word);
    /// A vector register as two halves of 64 bits.
    fn vector(&mut self, r: u8) -> [Self::Word; 2];
    /// Sets a vector register, from two halves of 64 bits.
    fn set_vector(&mut self, r: u8, v: [Self::Word; 2]);
    /// A data exception if vector instructions are not enabled; part of the mode, not a value.
    fn vector_allowed(&mut self) -> Step<Self>;
    /// An access register, as a 32-bit word.
    fn ar(&mut self, r: u8) -> Self::Word;
    /// Sets an access register from a 32-bit word.
    fn set_ar(&mut self, r: u8, v: Self::Word);

    /// The sum, without a carry out of the width.
    fn add(&mut self, width: Width, a: Self::Word, b: Self::Word) -> Self::Word;
    /// The difference `a - b`, without a borrow out of the width.
    fn sub(&mut self, width: Width, a: Self::Word, b: Self::Word) -> Self::Word;
    /// The low bits of the product.
    fn mul(&mut self, width: Width, a: Self::Word, b: Self::Word) -> Self::Word;
    /// Bit by bit, all 64.
    fn and(&mut self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// Bit by bit, all 64.
    fn or(&mut self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// Bit by bit, exclusive, all 64.
    fn xor(&mut self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// Shifts; the amount is used modulo 64, and 32-bit words shifted by 32 or more are 0 (or all sign).
    fn shift_left(&mut self, width: Width, a: Self::Word, amount: Self::Word) -> Self::Word;
    /// Zeros come in on the left; the amount is as in `shift_left`.
    fn shift_right(&mut self, width: Width, a: Self::Word, amount: Self::Word) -> Self::Word;
    /// Copies of the width's sign bit come in on the left; the amount is as in `shift_left`.
    fn shift_right_signed(&mut self, width: Width, a: Self::Word, amount: Self::Word) -> Self::Word;
    /// What leaves the width on the left comes in on the right.
    fn rotate_left(&mut self, width: Width, a: Self::Word, amount: Self::Word) -> Self::Word;
    /// Sign extension from `width` to 64 bits.
    fn sign_extend(&mut self, width: Width, a: Self::Word) -> Self::Word;
    /// The bytes of `width` reversed.
    fn reverse(&mut self, width: Width, a: Self::Word) -> Self::Word;

    /// 1 if the words are equal in `width`, else 0.
    fn equal(&mut self, width: Width, a: Self::Word, b: Self::Word) -> Self::Word;
    /// 1 if `a < b`, signed.
    fn less(&mut self, width: Width, a: Self::Word, b: Self::Word) -> Self::Word;
    /// 1 if `a < b`, unsigned.
    fn below(&mut self, width: Width, a: Self::Word, b: Self::Word) -> Self::Word;
    /// 1 if the condition code is one of `mask` (8 for 0, 4 for 1, 2 for 2, 1 for 3).
    fn cc_in(&mut self, mask: u8) -> Self::Word;
    /// The condition code itself.
    fn cc(&mut self) -> Self::Word;
    /// The program mask, four bits.
    fn program_mask(&mut self) -> Self::Word;
    /// `a` if `condition` is not 0, else `b`.
    fn select(&mut self, condition: Self::Word, a: Self::Word, b: Self::Word) -> Self::Word;

    /// The logical address of an operand: index, base and displacement, in the addressing mode.
    fn address(&mut self, x: u8, b: u8, d: i32) -> At<Self::Word>;
    /// The address in a general register, in the addressing mode.
    fn address_in(&mut self, r: u8) -> At<Self::Word>;
    /// Address arithmetic in the addressing mode.
    fn wrap(&mut self, a: Self::Word) -> Self::Word;
    /// Whether the 64-bit addressing mode is on; part of the mode, not a value.
    fn is_64_bit_mode(&mut self) -> bool;
    /// Whether the 31-bit addressing mode is on; likewise.
    fn is_31_bit_mode(&mut self) -> bool;
    /// The target of a relative operand.
    fn relative(&mut self, i: &Fields) -> At<Self::Word>;
    /// A big-endian value of `width`, zero-extended.
    fn load(&mut self, width: Width, at: At<Self::Word>) -> Step<Self, Self::Word>;
    /// The same, sign-extended to 64 bits.
    #[inline(always)]
    fn load_signed(&mut self, width: Width, at: At<Self::Word>) -> Step<Self, Self::Word> {
        let v = self.load(width, at)?;
        Ok(self.sign_extend(width, v))
    }
    /// Stores the low bits of a word, big-endian.
    fn store(&mut self, width: Width, at: At<Self::Word>, v: Self::Word) -> Step<Self>;
    /// Sixteen bytes as two halves.
    fn load_vector(&mut self, at: At<Self::Word>) -> Step<Self, [Self::Word; 2]>;
    /// Stores sixteen bytes, from two halves.
    fn store_vector(&mut self, at: At<Self::Word>, v: [Self::Word; 2]) -> Step<Self>;
    /// Combines a byte of storage with a mask, interlocked; what it becomes.
    fn update_byte(&mut self, how: Bitwise, at: At<Self::Word>, mask: u8) -> Step<Self, Self::Word>;
    /// A specification exception if the address is not a multiple of `n` (a power of two).
    fn aligned(&mut self, at: At<Self::Word>, n: u64) -> Step<Self>;

    /// Sets the condition code, by a recipe.
    fn set_cc(&mut self, cc: Cc<Self::Word>);
    /// After the result is in place: a fixed-point-overflow exception if the code is 3 and the program mask allows it.
    fn check_overflow(&mut self) -> Step<Self>;
    /// Leaves the instruction with a program interruption.
    fn stop(&mut self, why: Interruption) -> Step<Self>;

    /// Branches if `condition` is not 0.
    fn branch_if(&mut self, i: &Fields, condition: Self::Word, target: Self::Word);
    /// Branches.
    fn jump(&mut self, i: &Fields, target: Self::Word);
    /// A branch that leaves a link is going to `target`: it may be traced, before anything changes. An engine that
    /// makes host code need not: while branches are traced, instructions are interpreted one by one.
    #[inline(always)]
    fn trace_branch(&mut self, _target: Self::Word) -> Step<Self> {
        Ok(())
    }
    /// The address of the next sequential instruction, as a link address without mode bits.
    fn next_address(&mut self, i: &Fields) -> Self::Word;

    /// The whole instruction, done by a routine on the exact state.
    fn call(&mut self, f: Routine, i: &Fields) -> Step<Self>;
    /// When `condition` is not 0 the routine does the instruction (the cold case), else `otherwise`.
    fn call_if(
        &mut self,
        condition: Self::Word,
        f: Routine,
        i: &Fields,
        otherwise: impl FnOnce(&mut Self) -> Step<Self>,
    ) -> Step<Self>;
}
