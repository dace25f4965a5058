//! The condition code as a recipe: what it follows from, until something needs it.

use crate::emit::scratch::{CODE_OPERANDS, SPILL};
use crate::emit::words::Operand;
use cpu::State;
use isa::{Cc, Cpu, Width};

/// The condition code at one point of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Recipe {
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
pub(crate) enum Number {
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
    pub(crate) fn hosts(&self) -> u16 {
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
    pub(crate) fn possible(&self) -> u8 {
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
    pub(crate) fn byte(&self) -> u8 {
        let (kind, width, _) = self.parts();
        kind << 2 | size(width)
    }

    /// The recipe that such a byte stands for, of these operands.
    pub(crate) fn from_byte(byte: u8, mut next: impl FnMut() -> Operand) -> Recipe {
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
    pub(crate) fn parts(&self) -> (u8, Width, Vec<Operand>) {
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
    pub(crate) fn store(&self, s: &mut State) {
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
pub(crate) fn settle_code(s: &mut State) {
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
