//! Where values are while a block is being emitted.

use isa::Width;

/// No host register.
pub(crate) const NONE: u8 = 0xff;
/// Host registers that hold values: rbx, rsi, rdi, r8-r14. rax, rcx and rdx are scratch inside one operation. rbp leads
/// to the `State`, where `ia` is the address of the block. r15 holds the portion of the budget at hand.
pub(crate) const POOL: [u8; 10] = [3, 6, 7, 8, 9, 10, 11, 12, 13, 14];

/// What is known of bits 32-63 (the left half) of a host register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Left {
    /// They belong to the value.
    Valid,
    /// They are zero, and so they are in the value.
    Zero,
    /// They are zero in the value, but not in the register.
    Garbage,
}

/// An x86 condition, with the encoding of its condition-code field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Cond {
    Overflow = 0,
    NoOverflow = 1,
    Below = 2,
    AboveEqual = 3,
    Equal = 4,
    NotEqual = 5,
    BelowEqual = 6,
    Above = 7,
    Sign = 8,
    NoSign = 9,
    Less = 12,
    GreaterEqual = 13,
    LessEqual = 14,
    Greater = 15,
}

impl Cond {
    /// The opposite condition.
    pub(crate) fn not(self) -> Cond {
        use Cond::*;
        match self {
            Overflow => NoOverflow,
            NoOverflow => Overflow,
            Below => AboveEqual,
            AboveEqual => Below,
            Equal => NotEqual,
            NotEqual => Equal,
            BelowEqual => Above,
            Above => BelowEqual,
            Sign => NoSign,
            NoSign => Sign,
            Less => GreaterEqual,
            GreaterEqual => Less,
            LessEqual => Greater,
            Greater => LessEqual,
        }
    }
}

/// A value in a register, or known when translating.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operand {
    Const(u64),
    Host(u8),
}

/// A yes or no that has not been worked out yet.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Truth {
    Known(bool),
    /// `a` compares with `b` as `cond` says.
    Compare {
        width: Width,
        cond: Cond,
        a: Operand,
        b: Operand,
    },
    /// The condition code is one of the mask.
    Code(u8),
}

/// A value of the guest's program while its code is emitted: good until the register it was read from is set, or the
/// instruction ends.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Word {
    Const(u64),
    /// `age` guards against use after the register was given a new value.
    Reg {
        host: u8,
        age: u32,
        left: Left,
    },
    /// An address that has not been summed up. `own`: the block's address is part of it.
    Sum {
        base: Option<(u8, u32)>,
        index: Option<(u8, u32)>,
        disp: i64,
        own: bool,
    },
    Truth(Truth),
}

/// What a host register is used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Owner {
    Free,
    Temp,
    Guest(u8),
    /// An operand of the condition code's recipe that is no guest register any more.
    Code,
}

/// How long an operand is.
#[derive(Clone, Copy)]
pub(crate) enum Len {
    Bytes(i32),
    /// One byte more than this host register says.
    Register(u8),
}

impl From<i32> for Len {
    fn from(bytes: i32) -> Len {
        Len::Bytes(bytes)
    }
}
