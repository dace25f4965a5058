//! Where values are while a block is being emitted.

use crate::emit::floating::Floats;
use crate::plan::spans::CLOSED;
use cpu::State;
use isa::{Cc, Cpu, Width};

/// No host register.
pub const NONE: u8 = 0xff;
/// Host registers that hold values: rbx, rsi, rdi, r8-r14. rax, rcx and rdx are scratch inside one operation. rbp leads
/// to the `State`, where `ia` is the address of the block. r15 holds the portion of the budget at hand.
pub const POOL: [u8; 10] = [3, 6, 7, 8, 9, 10, 11, 12, 13, 14];

/// What is known of bits 32-63 (the left half) of a host register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Left {
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
pub enum Cond {
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
    pub fn not(self) -> Cond {
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
pub enum Operand {
    Const(u64),
    Host(u8),
}

/// A yes or no that has not been worked out yet.
#[derive(Clone, Copy, Debug)]
pub enum Truth {
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
pub enum Word {
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
pub enum Owner {
    Free,
    Temp,
    Guest(u8),
    /// An operand of the condition code's recipe that is no guest register any more.
    Code,
}

/// The condition code at one point of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recipe {
    /// In the `State`.
    Stored,
    Named(Cc<Operand>),
    /// That of a floating-point number, as additions and such set it.
    Float {
        long: bool,
        number: Number,
    },
}

/// Where a number is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    /// In a floating-point register of the guest, in the state or the host's.
    Register(u8),
    /// These are its bits.
    Bits(Operand),
}

impl Number {
    fn operand(self) -> Operand {
        match self {
            Number::Register(r) => Operand::Const(r.into()),
            Number::Bits(bits) => bits,
        }
    }
}

impl Recipe {
    /// The host registers that it is made of.
    pub fn hosts(&self) -> u16 {
        let bit = |operand: &Operand| if let Operand::Host(h) = operand { 1 << h } else { 0 };
        let cc = match self {
            Recipe::Stored => return 0,
            Recipe::Float { number, .. } => return bit(&number.operand()),
            Recipe::Named(cc) => cc,
        };
        match cc {
            Cc::Set(_) => 0,
            Cc::Value(v) => bit(v),
            Cc::Zero { value, .. } | Cc::Sign { value, .. } => bit(value),
            Cc::Compare { a, b, .. } | Cc::CompareLogical { a, b, .. } | Cc::SubtractLogical { a, b, .. } => {
                bit(a) | bit(b)
            }
            Cc::Add { b, sum, .. } => bit(b) | bit(sum),
            Cc::Subtract { b, difference, .. } => bit(b) | bit(difference),
            Cc::AddLogical { a, sum, .. } => bit(a) | bit(sum),
            Cc::TestMask { value, mask } | Cc::TestMaskHalf { value, mask } => bit(value) | bit(mask),
        }
    }

    /// The codes that it can be, as a mask of a branch.
    pub fn possible(&self) -> u8 {
        let Recipe::Named(cc) = self else { return 15 };
        match cc {
            Cc::Set(code) => 8 >> code,
            Cc::Zero { .. } => 12,
            Cc::Sign { .. } | Cc::Compare { .. } | Cc::CompareLogical { .. } => 14,
            Cc::SubtractLogical { .. } => 7,
            Cc::TestMask { .. } => 13,
            _ => 15,
        }
    }

    /// What the byte for the condition code in the `State` is while generated code runs, if the code is not worked out.
    /// It says how the code follows from the words at [`CODE_OPERANDS`]. A byte of 0 to 3 is the code itself.
    pub fn byte(&self) -> u8 {
        let (kind, width, _) = self.parts();
        kind << 2 | size(width)
    }

    /// The recipe that such a byte stands for, of these operands.
    pub fn from_byte(byte: u8, mut next: impl FnMut() -> Operand) -> Recipe {
        use Width::*;
        let width = [W8, W16, W32, W64][(byte & 3) as usize];
        let unused = Operand::Const(0);
        Recipe::Named(match byte >> 2 {
            0 => return Recipe::Stored,
            1 => match next() {
                Operand::Const(code) => Cc::Set(code as u8),
                Operand::Host(_) => unreachable!("a constant was put"),
            },
            2 => Cc::Value(next()),
            3 => Cc::Zero { width, value: next() },
            4 => Cc::Sign { width, value: next() },
            5 => Cc::Compare { width, a: next(), b: next() },
            6 => Cc::CompareLogical { width, a: next(), b: next() },
            7 => Cc::Add { width, a: unused, b: next(), sum: next() },
            8 => Cc::Subtract { width, a: unused, b: next(), difference: next() },
            9 => Cc::AddLogical { width, a: next(), sum: next() },
            10 => Cc::SubtractLogical { width, a: next(), b: next(), difference: unused },
            11 => Cc::TestMask { value: next(), mask: next() },
            12 => Cc::TestMaskHalf { value: next(), mask: next() },
            13 => match next() {
                Operand::Const(r) => {
                    return Recipe::Float { long: width == W64, number: Number::Register(r as u8) };
                }
                Operand::Host(_) => unreachable!("a constant was put"),
            },
            _ => return Recipe::Float { long: width == W64, number: Number::Bits(next()) },
        })
    }

    /// The kind as a number, the width, and the operands, without the first of a sum: that follows from the others.
    pub fn parts(&self) -> (u8, Width, Vec<Operand>) {
        use Width::*;
        let cc = match self {
            Recipe::Stored => return (0, W8, vec![]),
            Recipe::Float { long, number } => {
                let kind = if matches!(number, Number::Register(_)) { 13 } else { 14 };
                return (kind, if *long { W64 } else { W32 }, vec![number.operand()]);
            }
            Recipe::Named(cc) => cc,
        };
        match *cc {
            Cc::Set(code) => (1, W8, vec![Operand::Const(code as u64)]),
            Cc::Value(v) => (2, W8, vec![v]),
            Cc::Zero { width, value } => (3, width, vec![value]),
            Cc::Sign { width, value } => (4, width, vec![value]),
            Cc::Compare { width, a, b } => (5, width, vec![a, b]),
            Cc::CompareLogical { width, a, b } => (6, width, vec![a, b]),
            Cc::Add { width, b, sum, .. } => (7, width, vec![b, sum]),
            Cc::Subtract { width, b, difference, .. } => (8, width, vec![b, difference]),
            Cc::AddLogical { width, a, sum } => (9, width, vec![a, sum]),
            Cc::SubtractLogical { width, a, b, .. } => (10, width, vec![a, b]),
            Cc::TestMask { value, mask } => (11, W8, vec![value, mask]),
            Cc::TestMaskHalf { value, mask } => (12, W16, vec![value, mask]),
        }
    }

    /// Puts the code into the state; `spill` has the host registers.
    pub fn store(&self, s: &mut State) {
        let v = |operand| match operand {
            Operand::Const(v) => v,
            Operand::Host(h) => s.scratch[SPILL + h as usize],
        };
        let cc = match *self {
            Recipe::Stored => return,
            Recipe::Float { long, number } => {
                let bits = match number {
                    Number::Register(r) if long => s.fpr[r as usize],
                    Number::Register(r) => s.fpr[r as usize] >> 32,
                    Number::Bits(bits) => v(bits),
                };
                let number = if long { f64::from_bits(bits) } else { f32::from_bits(bits as u32).into() };
                s.cc = number.partial_cmp(&0.0).map_or(3, |order| [1, 0, 2][(order as i8 + 1) as usize]);
                return;
            }
            Recipe::Named(cc) => cc,
        };
        let cc = match cc {
            Cc::Set(code) => Cc::Set(code),
            Cc::Value(a) => Cc::Value(v(a)),
            Cc::Zero { width, value } => Cc::Zero { width, value: v(value) },
            Cc::Sign { width, value } => Cc::Sign { width, value: v(value) },
            Cc::Compare { width, a, b } => Cc::Compare { width, a: v(a), b: v(b) },
            Cc::CompareLogical { width, a, b } => Cc::CompareLogical { width, a: v(a), b: v(b) },
            Cc::Add { width, b, sum, .. } => {
                let (b, sum) = (v(b), v(sum));
                Cc::Add { width, a: sum.wrapping_sub(b), b, sum }
            }
            Cc::Subtract { width, b, difference, .. } => {
                let (b, difference) = (v(b), v(difference));
                Cc::Subtract { width, a: difference.wrapping_add(b), b, difference }
            }
            Cc::AddLogical { width, a, sum } => Cc::AddLogical { width, a: v(a), sum: v(sum) },
            Cc::SubtractLogical { width, a, b, .. } => {
                let (a, b) = (v(a), v(b));
                Cc::SubtractLogical { width, a, b, difference: a.wrapping_sub(b) }
            }
            Cc::TestMask { value, mask } => Cc::TestMask { value: v(value), mask: v(mask) },
            Cc::TestMaskHalf { value, mask } => Cc::TestMaskHalf { value: v(value), mask: v(mask) },
        };
        s.set_cc(cc);
    }
}

fn size(width: Width) -> u8 {
    match width {
        Width::W8 => 0,
        Width::W16 => 1,
        Width::W32 => 2,
        Width::W64 => 3,
    }
}

/// The condition code is in the `State` afterwards, and not only what it follows from.
#[inline(always)]
pub fn settle_code(s: &mut State) {
    if s.cc > 3 {
        work_out_code(s);
    }
}

#[inline(never)]
fn work_out_code(s: &mut State) {
    let mut operands = s.scratch[CODE_OPERANDS..].iter().map(|&operand| Operand::Const(operand));
    let recipe = Recipe::from_byte(s.cc, || operands.next().expect("there are two"));
    recipe.store(s);
}

/// Where the guest's registers are at one point of a block.
#[derive(Clone, Copy, Debug)]
pub struct Map {
    /// The host register of each general register, or `NONE`.
    pub host: [u8; 16],
    /// The host register is newer than the `State`.
    pub dirty: u16,
    /// The host register holds all 64 bits; else only the right half, and the left half is in the `State`.
    pub full: u16,
    /// The left half of the host register is zero.
    pub clear: u16,
    pub floats: Floats,
    /// The spans that are open off each general register, for fetches and for stores ([`crate::plan::spans`]).
    pub read: [u8; 16],
    pub write: [u8; 16],
    /// Registers that may have been stepped out of the page their slot was made for.
    pub moved: u16,
    /// The page beside the block's is known to be the one that its text was read from.
    pub crossed: bool,
}

impl Map {
    pub const EMPTY: Map = Map {
        host: [NONE; 16],
        dirty: 0,
        full: 0,
        clear: 0,
        floats: Floats::EMPTY,
        read: [CLOSED; 16],
        write: [CLOSED; 16],
        moved: 0,
        crossed: false,
    };
}

// What `State::scratch` is used for.
/// Where generated code leaves to, with its answer in rax.
pub const LEAVE: usize = 0;
/// Where a site goes, with its number in eax.
pub const AT_SITE: usize = 1;
/// Where a call goes, with its site's number in eax.
pub const AT_CALL: usize = 2;
/// The table of targets of indirect branches.
pub const TARGETS: usize = 3;
/// What a target's key must be now.
pub const KEY: usize = 4;
/// Leads to the sites.
pub const SITES: usize = 5;
/// The answer of a site or call that leaves.
pub const ANSWER: usize = 6;
/// Whether the page that instructions were fetched from may now be another's.
pub const MOVED: usize = 28;
/// How often pages were forgotten, by the low byte of their number.
pub const ROWS: usize = 27;
/// The routines for many bytes.
pub const MOVE_BYTES: usize = 24;
pub const CLEAR_BYTES: usize = 25;
pub const COMPARE_BYTES: usize = 26;
/// The routines for strings.
pub const FIND_BYTE: usize = 30;
pub const COMPARE_STRINGS: usize = 31;
/// Where a site goes that has floating-point registers in the host's.
pub const AT_FLOAT_SITE: usize = 29;
/// The host's registers for them at a site, from the first on.
pub const SPILL_FLOATS: usize = 32;
/// The routines for accesses with a TLB probe of their own.
pub const FETCH_ALONE: usize = 48;
pub const STORE_ALONE: usize = 49;
/// 1 in the first byte: flags of the guest are in the host's MXCSR; the second is [`crate::emit::floating::MODEST`]. In
/// the left half what that is without flags.
pub const FLOATED: usize = 50;
/// The routine that looks whether the host may do floating-point arithmetic.
pub const FLOATS_READY: usize = 51;
/// A sign and nothing else; a short number's is in the left half.
pub const SIGN: usize = 52;
/// Everything but the sign of a long number.
pub const MAGNITUDE: usize = 53;
/// Everything but the sign of a short number, and in the left half the least short number that is normal.
pub const SHORT_LEAST: usize = 54;
/// The least long number that is normal.
pub const LEAST: usize = 55;
/// Bits of exponents, for long and for short numbers: of those that are off or on only in the least and the greatest
/// numbers, and all.
pub const EXTREME: usize = 65;
pub const ENDLESS: usize = 69;
/// The order of a number's bytes the other way round, likewise.
pub const ORDER: usize = 73;
/// The routine that moves a field over the ends of pages.
pub const MOVE_FIELD: usize = 77;
/// What of the budget is not in the portion at hand, and the routine that brings the next.
pub const RESERVE: usize = 78;
pub const REFILL: usize = 79;
/// How many instructions will have been executed when the budget is used up.
pub const WHEN: usize = 80;
/// What a site that comes back has in rcx.
pub const DISTANCE: usize = 81;
/// Twice the greatest number of a place in the table of targets.
pub const TARGET_MASK: usize = 82;
/// Leads to the targets that are remembered.
pub const REMEMBERED: usize = 83;
/// The operands of a condition code that is not worked out yet.
pub const CODE_OPERANDS: usize = 56;
/// The routines that work it out, without and with floating-point registers in the host's.
pub const SETTLE_CODE: usize = 58;
/// Where a block is left to when its target is not remembered.
pub const AT_LOOKUP: usize = 60;
/// The address of what blocks have code, and how often one was found there.
pub const KNOWN: usize = 61;
pub const FOUND: usize = 62;
/// How often a site was reached, and how often a handler called.
pub const REACHED: usize = 63;
pub const CALLED: usize = 64;
/// The MXCSR before some rounds of a loop: rax is never spilled.
pub const SAVED: usize = SPILL;
/// Host registers at a site, by number.
pub const SPILL: usize = 8;
