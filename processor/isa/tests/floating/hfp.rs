//! Every instruction of POP chapter 18: operands, and what is expected of them.

use crate::hexadecimal::{self, EXTENDED, Exception, LONG, Mask, Outcome, Paper, SHORT};
use crate::machine::{Case, Combination, Expected, Registers, text};
use crate::number::Format;
use arch::Program;
use isa::Instruction;
use support::Random;

use Operation::*;

/// What an instruction does. Numbers are digits of formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operation {
    Add(usize),
    Subtract(usize),
    AddUnnormalized(usize),
    SubtractUnnormalized(usize),
    Compare(usize),
    /// From and to.
    Multiply(usize, usize),
    Divide(usize),
    Halve(usize),
    SquareRoot(usize),
    Positive(usize),
    Negative(usize),
    Test(usize),
    Complement(usize),
    Lengthen(usize, usize),
    Shorten(usize, usize),
    Integer(usize),
    /// Bits, and the format.
    FromFixed(u32, usize),
    ToFixed(usize, u32),
    MultiplyAdd(usize),
    MultiplySubtract(usize),
    /// Both halves, the left one, the right one.
    MultiplyUnnormalized(bool, bool),
    /// Likewise, with the first operand added.
    MultiplyAddUnnormalized(bool, bool),
}

#[rustfmt::skip]
pub(crate) const INSTRUCTIONS: &[(&str, Operation)] = &[
    ("AER AE", Add(SHORT)), ("ADR AD", Add(LONG)), ("AXR", Add(EXTENDED)),
    ("SER SE", Subtract(SHORT)), ("SDR SD", Subtract(LONG)), ("SXR", Subtract(EXTENDED)),
    ("AUR AU", AddUnnormalized(SHORT)), ("AWR AW", AddUnnormalized(LONG)),
    ("SUR SU", SubtractUnnormalized(SHORT)), ("SWR SW", SubtractUnnormalized(LONG)),
    ("CER CE", Compare(SHORT)), ("CDR CD", Compare(LONG)), ("CXR", Compare(EXTENDED)),
    ("MEER MEE", Multiply(SHORT, SHORT)), ("MDER MDE", Multiply(SHORT, LONG)), ("MDR MD", Multiply(LONG, LONG)),
    ("MXDR MXD", Multiply(LONG, EXTENDED)), ("MXR", Multiply(EXTENDED, EXTENDED)),
    ("DER DE", Divide(SHORT)), ("DDR DD", Divide(LONG)), ("DXR", Divide(EXTENDED)),
    ("HER", Halve(SHORT)), ("HDR", Halve(LONG)),
    ("SQER SQE", SquareRoot(SHORT)), ("SQDR SQD", SquareRoot(LONG)), ("SQXR", SquareRoot(EXTENDED)),
    ("LPER", Positive(SHORT)), ("LPDR", Positive(LONG)), ("LPXR", Positive(EXTENDED)),
    ("LNER", Negative(SHORT)), ("LNDR", Negative(LONG)), ("LNXR", Negative(EXTENDED)),
    ("LTER", Test(SHORT)), ("LTDR", Test(LONG)), ("LTXR", Test(EXTENDED)),
    ("LCER", Complement(SHORT)), ("LCDR", Complement(LONG)), ("LCXR", Complement(EXTENDED)),
    ("LDER LDE", Lengthen(SHORT, LONG)), ("LXER LXE", Lengthen(SHORT, EXTENDED)),
    ("LXDR LXD", Lengthen(LONG, EXTENDED)),
    ("LEDR", Shorten(LONG, SHORT)), ("LDXR", Shorten(EXTENDED, LONG)), ("LEXR", Shorten(EXTENDED, SHORT)),
    ("FIER", Integer(SHORT)), ("FIDR", Integer(LONG)), ("FIXR", Integer(EXTENDED)),
    ("CEFR", FromFixed(32, SHORT)), ("CDFR", FromFixed(32, LONG)), ("CXFR", FromFixed(32, EXTENDED)),
    ("CEGR", FromFixed(64, SHORT)), ("CDGR", FromFixed(64, LONG)), ("CXGR", FromFixed(64, EXTENDED)),
    ("CFER", ToFixed(SHORT, 32)), ("CFDR", ToFixed(LONG, 32)), ("CFXR", ToFixed(EXTENDED, 32)),
    ("CGER", ToFixed(SHORT, 64)), ("CGDR", ToFixed(LONG, 64)), ("CGXR", ToFixed(EXTENDED, 64)),
    ("MAER MAE", MultiplyAdd(SHORT)), ("MADR MAD", MultiplyAdd(LONG)),
    ("MSER MSE", MultiplySubtract(SHORT)), ("MSDR MSD", MultiplySubtract(LONG)),
    ("MYR MY", MultiplyUnnormalized(true, true)), ("MYHR MYH", MultiplyUnnormalized(true, false)),
    ("MYLR MYL", MultiplyUnnormalized(false, true)),
    ("MAYR MAY", MultiplyAddUnnormalized(true, true)), ("MAYHR MAYH", MultiplyAddUnnormalized(true, false)),
    ("MAYLR MAYL", MultiplyAddUnnormalized(false, true)),
];

/// Classes of fractions and of characteristics.
const FRACTIONS: usize = 8;
const CHARACTERISTICS: usize = 6;
const OPERAND: usize = FRACTIONS * CHARACTERISTICS;
/// Rounding methods of CONVERT TO FIXED.
const METHODS: [u8; 6] = [0, 1, 4, 5, 6, 7];
/// Bits of the program mask: exponent underflow and significance, none, each and both.
const MASKS: usize = 4;

fn format(digits: usize) -> Format {
    match digits {
        SHORT => Format::Short,
        LONG => Format::Long,
        _ => Format::Extended,
    }
}

/// A number of a format; the right part of an extended one has any sign and characteristic.
fn number(random: &mut Random, digits: usize, class: usize) -> u128 {
    let all = 4 * digits as u32;
    let any = (u128::from(random.word()) << 64 | u128::from(random.word())) & ((1 << all) - 1);
    let top = 1u128 << (all - 4);
    let fraction = match class % FRACTIONS {
        0 => 0,
        1 => 1 + u128::from(random.below(3u32)),
        2 => any | top,
        3 => any >> (4 * random.below(digits as u32)),
        4 => (1 << all) - 1 - u128::from(random.below(3u32)),
        5 => top * u128::from(random.pick(&[1u8, 8, 15])),
        6 => any >> (all - 12) << (4 * random.below(digits as u32 - 2)),
        // About half of what is cut off where the next shorter format, or an integer, ends.
        _ => {
            let cut = 4 * random.pick(&[1u32, 2, 8, 14, 22]).min(digits as u32 - 1);
            let half = 1u128 << (cut - 1);
            any >> cut << cut | random.pick(&[half, half - 1, half + 1, (1 << cut) - 1])
        }
    };
    let few = random.below(4u64);
    let characteristic = match class / FRACTIONS {
        0 => few,
        1 => 127 - few,
        2 => 62 + few,
        3 => 58 + random.below(14u64),
        4 => 64 + random.below(20u64),
        _ => random.below(128u64),
    };
    let sign = random.word() & 1 << 63;
    let long = |fraction: u128, characteristic: u64, sign: u64| sign | characteristic << 56 | fraction as u64;
    match digits {
        SHORT => u128::from(long(fraction << 32, characteristic, sign) >> 32),
        LONG => long(fraction, characteristic, sign).into(),
        _ => {
            let right = fraction & ((1 << 56) - 1);
            let left = u128::from(long(fraction >> 56, characteristic, sign)) << 64;
            left | u128::from(long(right, random.below(128u64), random.word() & 1 << 63))
        }
    }
}

impl Operation {
    /// Digits of the operands.
    fn from(self) -> usize {
        match self {
            Add(f) | Subtract(f) | AddUnnormalized(f) | SubtractUnnormalized(f) | Compare(f) | Divide(f) => f,
            Multiply(from, _) | Lengthen(from, _) | Shorten(from, _) | ToFixed(from, _) => from,
            Halve(f) | SquareRoot(f) | Positive(f) | Negative(f) | Test(f) | Complement(f) | Integer(f) => f,
            MultiplyAdd(f) | MultiplySubtract(f) => f,
            FromFixed(..) | MultiplyUnnormalized(..) | MultiplyAddUnnormalized(..) => LONG,
        }
    }

    /// How many operands count: the second, the first, the third.
    fn operands(self) -> usize {
        match self {
            FromFixed(..) => 0,
            MultiplyAdd(_) | MultiplySubtract(_) | MultiplyUnnormalized(..) | MultiplyAddUnnormalized(..) => 3,
            Add(_) | Subtract(_) | AddUnnormalized(_) | SubtractUnnormalized(_) | Compare(_) | Divide(_) => 2,
            Multiply(..) => 2,
            _ => 1,
        }
    }

    /// How many combinations there are of operands, program masks and rounding methods.
    pub(crate) fn combinations(self) -> Vec<usize> {
        let mut all = vec![MASKS];
        all.extend([OPERAND].repeat(self.operands()));
        match self {
            ToFixed(..) => all.push(METHODS.len()),
            FromFixed(..) => all.push(64),
            _ => {}
        }
        all
    }

    /// An instruction with operands.
    pub(crate) fn case(self, row: &Instruction, random: &mut Random, mut of: Combination) -> Case {
        let mut before = Registers::any(random);
        before.program_mask = of.next(MASKS) as u8;
        let (digits, f) = (self.from(), format(self.from()));
        for n in 0..self.operands() {
            let mut bits = number(random, digits, of.next(OPERAND));
            // Often the characteristics are close, so that digits meet.
            if n > 0 && random.one_in(2) {
                let shift = f.width() - 8;
                let second = before.get_second(row, f) >> shift & 0x7f;
                let close = (second + u128::from(random.below(7u32))).saturating_sub(3).min(127);
                bits = bits & !(0x7f << shift) | close << shift;
            }
            match n {
                0 => before.second(row, f, bits),
                1 => before.put(f, 0, bits),
                _ => before.put(f, 4, bits),
            }
        }
        let mut m3 = 0;
        match self {
            ToFixed(..) => m3 = METHODS[of.next(METHODS.len())],
            FromFixed(..) => {
                let size = random.word() >> of.next(64);
                before.gr4 = if random.one_in(2) { size } else { size.wrapping_neg() };
            }
            _ => {}
        }
        let general = [matches!(self, ToFixed(..)), matches!(self, FromFixed(..))];
        Case { text: text(row, general, m3, 0, None), before, m3, m4: 0, mask: 0 }
    }

    /// What the instruction leaves.
    pub(crate) fn expected(self, row: &Instruction, case: &Case) -> Expected {
        let before = &case.before;
        let (digits, f) = (self.from(), format(self.from()));
        let read = |n: usize| Paper::read(before.get(f, n), digits);
        let (a, b, c) = (read(0), Paper::read(before.get_second(row, f), digits), read(4));
        let mask = Mask { underflow: before.program_mask & 2 != 0, significance: before.program_mask & 1 != 0 };
        let done = |paper: Paper| (paper, None);
        let mut after = *before;
        let (outcome, code): (Outcome, bool) = match self {
            Add(_) => (hexadecimal::add(&a, &b, mask), true),
            Subtract(_) => (hexadecimal::add(&a, &b.negated(), mask), true),
            AddUnnormalized(_) => (hexadecimal::add_unnormalized(&a, &b, mask), true),
            SubtractUnnormalized(_) => (hexadecimal::add_unnormalized(&a, &b.negated(), mask), true),
            Compare(_) => {
                after.cc = hexadecimal::compare(&a, &b);
                return (after, Ok(()));
            }
            Multiply(_, to) => (hexadecimal::multiply(&a, &b, to, mask), false),
            Divide(_) => (hexadecimal::divide(&a, &b, mask), false),
            Halve(_) => (hexadecimal::halve(&b, mask), false),
            SquareRoot(_) => (hexadecimal::square_root(&b), false),
            Positive(_) => (done(hexadecimal::with_sign(&b, false)), true),
            Negative(_) => (done(hexadecimal::with_sign(&b, true)), true),
            Test(_) => (done(hexadecimal::with_sign(&b, b.negative)), true),
            Complement(_) => (done(hexadecimal::with_sign(&b, !b.negative)), true),
            Lengthen(_, to) => (done(hexadecimal::lengthened(&b, to)), false),
            Shorten(_, to) => (hexadecimal::shortened(&b, to), false),
            Integer(_) => (done(hexadecimal::integer(&b)), false),
            FromFixed(bits, to) => {
                let value = if bits == 32 { i64::from(before.gr4 as i32) } else { before.gr4 as i64 };
                (done(hexadecimal::from_fixed(value, to)), false)
            }
            ToFixed(_, bits) => {
                let (value, code) = hexadecimal::to_fixed(&b, case.m3, bits);
                after.gr1 = if bits == 32 { after.gr1 >> 32 << 32 | u64::from(value as u32) } else { value as u64 };
                after.cc = code;
                return (after, Ok(()));
            }
            MultiplyAdd(_) => (hexadecimal::multiply_add(&c, &b, &a, mask), false),
            MultiplySubtract(_) => (hexadecimal::multiply_add(&c, &b, &a.negated(), mask), false),
            MultiplyUnnormalized(left, right) | MultiplyAddUnnormalized(left, right) => {
                let halves = match self {
                    MultiplyUnnormalized(..) => hexadecimal::multiply_unnormalized(&c, &b),
                    _ => hexadecimal::multiply_add_unnormalized(&c, &b, &a),
                };
                let [high, low] = halves.map(|half| half.write());
                after.put(Format::Long, 0, if left { high } else { low });
                if left && right {
                    after.put(Format::Long, 2, low);
                }
                return (after, Ok(()));
            }
        };
        let (paper, exception) = outcome;
        let why = match exception {
            None => return (delivered(after, &paper, code), Ok(())),
            Some(Exception::Divide) => return (after, Err(Program::HfpDivide.into())),
            Some(Exception::SquareRoot) => return (after, Err(Program::HfpSquareRoot.into())),
            Some(Exception::Overflow) => Program::HfpExponentOverflow,
            Some(Exception::Underflow) => Program::HfpExponentUnderflow,
            Some(Exception::Significance) => Program::HfpSignificance,
        };
        (delivered(after, &paper, code), Err(why.into()))
    }
}

/// The result in place.
fn delivered(mut after: Registers, paper: &Paper, code: bool) -> Registers {
    after.put(format(paper.digits.len()), 0, paper.write());
    if code {
        after.cc = paper.condition();
    }
    after
}
