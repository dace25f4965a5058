//! Every instruction of POP chapter 19, and the conversions between radixes of chapter 9: operands, and what is
//! expected of them.

use crate::ieee::{self, Dyadic, Ending, Environment, Number, plain};
use crate::machine::{Case, Combination, Expected, Registers, text};
use crate::number::{CLASSES, Format, magnitude, near, signed};
use cpu::Interruption;
use isa::Instruction;
use rustc_apfloat::ieee::{DoubleS, QuadS, SingleS};
use support::Random;

use Format::*;
use Operation::*;

/// What an instruction does, of which formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operation {
    /// From and to.
    Arithmetic(Dyadic, Format, Format),
    MultiplyAdd(Format),
    MultiplySubtract(Format),
    SquareRoot(Format),
    Compare(Format),
    CompareAndSignal(Format),
    DataClass(Format),
    LoadAndTest(Format),
    Complement(Format),
    Negative(Format),
    Positive(Format),
    DivideToInteger(Format),
    LoadInteger(Format),
    Lengthen(Format, Format),
    Shorten(Format, Format),
    /// Of so many bits, signed or not, to a format.
    FromInteger(u32, bool, Format),
    /// From a format to so many bits, signed or not.
    ToInteger(Format, u32, bool),
    FromHexadecimal(Format),
    ToHexadecimal(Format),
}

const ADD: Dyadic = Dyadic::Add;
const SUBTRACT: Dyadic = Dyadic::Subtract;
const MULTIPLY: Dyadic = Dyadic::Multiply;
const DIVIDE: Dyadic = Dyadic::Divide;

#[rustfmt::skip]
pub(crate) const INSTRUCTIONS: &[(&str, Operation)] = &[
    ("AEBR AEB", Arithmetic(ADD, Short, Short)), ("ADBR ADB", Arithmetic(ADD, Long, Long)),
    ("AXBR", Arithmetic(ADD, Extended, Extended)),
    ("SEBR SEB", Arithmetic(SUBTRACT, Short, Short)), ("SDBR SDB", Arithmetic(SUBTRACT, Long, Long)),
    ("SXBR", Arithmetic(SUBTRACT, Extended, Extended)),
    ("MEEBR MEEB", Arithmetic(MULTIPLY, Short, Short)), ("MDBR MDB", Arithmetic(MULTIPLY, Long, Long)),
    ("MXBR", Arithmetic(MULTIPLY, Extended, Extended)),
    ("MDEBR MDEB", Arithmetic(MULTIPLY, Short, Long)), ("MXDBR MXDB", Arithmetic(MULTIPLY, Long, Extended)),
    ("DEBR DEB", Arithmetic(DIVIDE, Short, Short)), ("DDBR DDB", Arithmetic(DIVIDE, Long, Long)),
    ("DXBR", Arithmetic(DIVIDE, Extended, Extended)),
    ("MAEBR MAEB", MultiplyAdd(Short)), ("MADBR MADB", MultiplyAdd(Long)),
    ("MSEBR MSEB", MultiplySubtract(Short)), ("MSDBR MSDB", MultiplySubtract(Long)),
    ("SQEBR SQEB", SquareRoot(Short)), ("SQDBR SQDB", SquareRoot(Long)), ("SQXBR", SquareRoot(Extended)),
    ("CEBR CEB", Compare(Short)), ("CDBR CDB", Compare(Long)), ("CXBR", Compare(Extended)),
    ("KEBR KEB", CompareAndSignal(Short)), ("KDBR KDB", CompareAndSignal(Long)), ("KXBR", CompareAndSignal(Extended)),
    ("TCEB", DataClass(Short)), ("TCDB", DataClass(Long)), ("TCXB", DataClass(Extended)),
    ("LTEBR", LoadAndTest(Short)), ("LTDBR", LoadAndTest(Long)), ("LTXBR", LoadAndTest(Extended)),
    ("LCEBR", Complement(Short)), ("LCDBR", Complement(Long)), ("LCXBR", Complement(Extended)),
    ("LNEBR", Negative(Short)), ("LNDBR", Negative(Long)), ("LNXBR", Negative(Extended)),
    ("LPEBR", Positive(Short)), ("LPDBR", Positive(Long)), ("LPXBR", Positive(Extended)),
    ("DIEBR", DivideToInteger(Short)), ("DIDBR", DivideToInteger(Long)),
    ("FIEBR", LoadInteger(Short)), ("FIDBR", LoadInteger(Long)), ("FIXBR", LoadInteger(Extended)),
    ("LDEBR LDEB", Lengthen(Short, Long)), ("LXEBR LXEB", Lengthen(Short, Extended)),
    ("LXDBR LXDB", Lengthen(Long, Extended)),
    ("LEDBR", Shorten(Long, Short)), ("LEXBR", Shorten(Extended, Short)), ("LDXBR", Shorten(Extended, Long)),
    ("CEFBR", FromInteger(32, true, Short)), ("CDFBR", FromInteger(32, true, Long)),
    ("CXFBR", FromInteger(32, true, Extended)), ("CEGBR", FromInteger(64, true, Short)),
    ("CDGBR", FromInteger(64, true, Long)), ("CXGBR", FromInteger(64, true, Extended)),
    ("CELFBR", FromInteger(32, false, Short)), ("CDLFBR", FromInteger(32, false, Long)),
    ("CXLFBR", FromInteger(32, false, Extended)), ("CELGBR", FromInteger(64, false, Short)),
    ("CDLGBR", FromInteger(64, false, Long)), ("CXLGBR", FromInteger(64, false, Extended)),
    ("CFEBR", ToInteger(Short, 32, true)), ("CFDBR", ToInteger(Long, 32, true)),
    ("CFXBR", ToInteger(Extended, 32, true)), ("CGEBR", ToInteger(Short, 64, true)),
    ("CGDBR", ToInteger(Long, 64, true)), ("CGXBR", ToInteger(Extended, 64, true)),
    ("CLFEBR", ToInteger(Short, 32, false)), ("CLFDBR", ToInteger(Long, 32, false)),
    ("CLFXBR", ToInteger(Extended, 32, false)), ("CLGEBR", ToInteger(Short, 64, false)),
    ("CLGDBR", ToInteger(Long, 64, false)), ("CLGXBR", ToInteger(Extended, 64, false)),
    ("TBEDR", FromHexadecimal(Short)), ("TBDR", FromHexadecimal(Long)),
    ("THDER", ToHexadecimal(Short)), ("THDR", ToHexadecimal(Long)),
];

/// A function of `ieee` for a format.
macro_rules! of {
    ($format:expr, $function:ident($($operand:expr),*)) => {
        match $format {
            Short => ieee::$function::<SingleS>($($operand),*),
            Long => ieee::$function::<DoubleS>($($operand),*),
            Extended => ieee::$function::<QuadS>($($operand),*),
        }
    };
}

/// Rounding modes of the FPC.
const MODES: [u32; 5] = [0, 1, 2, 3, 7];
/// Exceptions that are enabled: none, each alone, all.
const TRAPS: [u32; 7] = [0, 0x8000_0000, 0x4000_0000, 0x2000_0000, 0x1000_0000, 0x0800_0000, 0xf800_0000];
/// Rounding methods of M3 and M4.
const METHODS: [u8; 7] = [0, 1, 3, 4, 5, 6, 7];
/// Classes of integers.
const INTEGERS: usize = 12;
/// Classes of long hexadecimal numbers.
const HEXADECIMAL: usize = 8;

/// What of an operand is taken: its class and sign.
const OPERAND: usize = 2 * CLASSES;

impl Operation {
    /// The format of the operands.
    fn from(self) -> Format {
        match self {
            Arithmetic(_, from, _) | Lengthen(from, _) | Shorten(from, _) | ToInteger(from, ..) => from,
            MultiplyAdd(f) | MultiplySubtract(f) | SquareRoot(f) | Compare(f) | CompareAndSignal(f) => f,
            DataClass(f) | LoadAndTest(f) | Complement(f) | Negative(f) | Positive(f) => f,
            DivideToInteger(f) | LoadInteger(f) | ToHexadecimal(f) => f,
            FromInteger(..) | FromHexadecimal(_) => Long,
        }
    }

    /// How many combinations there are of operands, rounding modes, enabled exceptions, and modifiers.
    pub(crate) fn combinations(self) -> Vec<usize> {
        let environment = [MODES.len(), TRAPS.len()];
        let own: &[usize] = match self {
            Arithmetic(..) | Compare(_) | CompareAndSignal(_) => &[OPERAND, OPERAND],
            MultiplyAdd(_) | MultiplySubtract(_) => &[OPERAND, OPERAND, OPERAND],
            DivideToInteger(_) => &[OPERAND, OPERAND, METHODS.len()],
            DataClass(_) => &[OPERAND, 12],
            LoadInteger(_) | Shorten(..) | ToInteger(..) => &[OPERAND, METHODS.len(), 2],
            FromInteger(..) => &[INTEGERS, METHODS.len(), 2],
            FromHexadecimal(_) => &[2 * HEXADECIMAL, METHODS.len()],
            _ => &[OPERAND],
        };
        [&environment[..], own].concat()
    }

    /// An instruction with operands.
    pub(crate) fn case(self, row: &Instruction, random: &mut Random, mut of: Combination) -> Case {
        let (mode, traps) = (MODES[of.next(MODES.len())], TRAPS[of.next(TRAPS.len())]);
        let flags = if random.one_in(2) { 0 } else { random.word() as u32 & 0x00f8_0000 };
        let decimal = random.word() as u32 & 0x70;
        let mut before = Registers::any(random);
        before.fpc = mode | traps | flags | decimal;
        let from = self.from();
        let operand = |of: &mut Combination, random: &mut Random| {
            let n = of.next(OPERAND);
            (signed(from, n % 2 == 1, magnitude(random, from, n / 2)), n / 2)
        };
        let (mut m3, mut m4, mut mask) = (0, 0, 0);
        match self {
            FromInteger(..) => {
                let class = of.next(INTEGERS);
                before.gr4 = integer(random, class);
            }
            FromHexadecimal(_) => {
                let class = of.next(2 * HEXADECIMAL);
                before.put(Long, 1, hexadecimal(random, class).into());
            }
            _ => {
                let (second, _) = operand(&mut of, random);
                before.second(row, from, second);
                if matches!(self, DataClass(_)) {
                    // Its only operand is the first.
                    before.put(from, 0, second);
                }
                if matches!(self, Arithmetic(..) | Compare(_) | CompareAndSignal(_) | DivideToInteger(_)) {
                    let (mut first, class) = operand(&mut of, random);
                    if class == 11 && random.one_in(2) {
                        first = signed(from, first & from.sign() != 0, near(random, from, second));
                    }
                    before.put(from, 0, first);
                }
                if matches!(self, MultiplyAdd(_) | MultiplySubtract(_)) {
                    let (third, _) = operand(&mut of, random);
                    let (mut first, class) = operand(&mut of, random);
                    if class == 11 && random.one_in(2) {
                        // Close to the product.
                        let one = (from.bias() as u128) << from.fraction();
                        let product = (second & !from.sign()) + (third & !from.sign());
                        let product = product.saturating_sub(one) & (from.sign() - 1);
                        first = signed(from, first & from.sign() != 0, near(random, from, product));
                    }
                    before.put(from, 4, third);
                    before.put(from, 0, first);
                }
            }
        }
        match self {
            DataClass(_) => mask = 1 << of.next(12) | random.word() as u16 & random.word() as u16 & 0xfff,
            DivideToInteger(_) => m4 = METHODS[of.next(METHODS.len())],
            LoadInteger(_) | Shorten(..) | ToInteger(..) | FromInteger(..) => {
                m3 = METHODS[of.next(METHODS.len())];
                m4 = 4 * of.next(2) as u8;
            }
            FromHexadecimal(_) => m3 = METHODS[of.next(METHODS.len())],
            _ => {}
        }
        let general = [matches!(self, ToInteger(..)), matches!(self, FromInteger(..))];
        let address = matches!(self, DataClass(_)).then_some(mask);
        Case { text: text(row, general, m3, m4, address), before, m3, m4, mask }
    }

    /// What the instruction leaves.
    pub(crate) fn expected(self, row: &Instruction, case: &Case) -> Expected {
        let before = &case.before;
        let from = self.from();
        let (first, third) = (before.get(from, 0), before.get(from, 4));
        let second = before.get_second(row, from);
        let current = Environment::current(before.fpc);
        let modified = Environment::modified(before.fpc, case.m3, case.m4);
        let bare = |ending: Ending<Number>| number(before, ending);
        let with_code = |ending: Ending<Number>| number_with_code(before, ending);
        match self {
            Arithmetic(operation, from, to) => {
                let ending = of!(to, two(current, operation, from, first, second));
                if matches!(operation, ADD | SUBTRACT) { with_code(ending) } else { bare(ending) }
            }
            MultiplyAdd(f) => bare(of!(f, three(current, false, first, second, third))),
            MultiplySubtract(f) => bare(of!(f, three(current, true, first, second, third))),
            SquareRoot(f) => bare(of!(f, square_root(current, second))),
            Compare(f) | CompareAndSignal(f) => {
                let signal = matches!(self, CompareAndSignal(_));
                let ending = of!(f, compare(current, signal, first, second));
                after(before, ending, |after, code| after.cc = code)
            }
            DataClass(f) => {
                let code = ieee::data_class(f, first, case.mask.into());
                after(before, plain(current, code), |after, code| after.cc = code)
            }
            LoadAndTest(f) => {
                let same = Number { format: f, bits: second };
                with_code(ieee::nan(current, f, f, [second]).unwrap_or_else(|| plain(current, same)))
            }
            Complement(f) => with_code(plain(current, Number { format: f, bits: second ^ f.sign() })),
            Negative(f) => with_code(plain(current, Number { format: f, bits: second | f.sign() })),
            Positive(f) => with_code(plain(current, Number { format: f, bits: second & !f.sign() })),
            DivideToInteger(f) => {
                let ending = of!(f, divide_to_integer(current, case.m4, first, second));
                after(before, ending, |after, division| {
                    after.put(f, 0, division.remainder);
                    after.put(f, 4, division.quotient);
                    after.cc = division.cc;
                })
            }
            LoadInteger(f) => bare(of!(f, load_integer(modified, second))),
            Lengthen(from, to) => bare(of!(to, lengthen(current, from, second))),
            Shorten(from, to) => bare(match (from, to) {
                (Long, _) => ieee::shorten::<DoubleS, SingleS>(modified, second),
                (_, Short) => ieee::shorten::<QuadS, SingleS>(modified, second),
                _ => ieee::shorten::<QuadS, DoubleS>(modified, second),
            }),
            FromInteger(bits, signed, to) => {
                let value = source(before.gr4, bits, signed);
                bare(of!(to, from_integer(modified, value)))
            }
            ToInteger(from, bits, signed) => {
                let (least, most) = range(bits, signed);
                let ending = of!(from, to_integer(modified, second, least, most));
                after(before, ending, |after, (value, code)| {
                    let kept = if bits == 32 { after.gr1 >> 32 << 32 } else { 0 };
                    after.gr1 = kept | if bits == 32 { u64::from(value as u32) } else { value as u64 };
                    after.cc = code;
                })
            }
            FromHexadecimal(f) => {
                let (value, code) = of!(f, from_hexadecimal(before.fpc, case.m3, second as u64));
                after(before, plain(current, value), |after, value| {
                    after.put(f, 0, value);
                    after.cc = code;
                })
            }
            ToHexadecimal(f) => {
                let (value, code) = ieee::to_hexadecimal(f, second);
                after(before, plain(current, value), |after, value| {
                    after.put(Long, 0, value.into());
                    after.cc = code;
                })
            }
        }
    }
}

/// The integer of so many bits in a general register.
pub(crate) fn source(register: u64, bits: u32, signed: bool) -> i128 {
    match (bits, signed) {
        (32, true) => i128::from(register as i32),
        (32, false) => i128::from(register as u32),
        (_, true) => i128::from(register as i64),
        _ => i128::from(register),
    }
}

/// The least integer of so many bits and the greatest.
pub(crate) fn range(bits: u32, signed: bool) -> (i128, i128) {
    match signed {
        true => (-1 << (bits - 1), (1 << (bits - 1)) - 1),
        false => (0, (1 << bits) - 1),
    }
}

/// The registers after an operation that ended so.
fn after<T>(before: &Registers, ending: Ending<T>, put: impl FnOnce(&mut Registers, T)) -> Expected {
    let mut after = *before;
    if let Some(value) = ending.value {
        put(&mut after, value);
        after.fpc = ending.fpc;
    }
    (after, ending.dxc.map_or(Ok(()), |dxc| Err(Interruption::Data(dxc))))
}

fn number(before: &Registers, ending: Ending<Number>) -> Expected {
    after(before, ending, |after, number| after.put(number.format, 0, number.bits))
}

fn number_with_code(before: &Registers, ending: Ending<Number>) -> Expected {
    after(before, ending, |after, number| {
        after.put(number.format, 0, number.bits);
        after.cc = number.condition();
    })
}

/// An integer of one of the classes.
pub(crate) fn integer(random: &mut Random, class: usize) -> u64 {
    let few = random.below(3u64);
    let bit = 1u64 << random.below(64u32);
    let value = match class {
        0 => 0,
        1 => 1 + few,
        2 => 0x7fff_ffff - few,
        3 => 0x8000_0000 + few,
        4 => 0xffff_ffff - few,
        5 => (1 << 63) - 1 - few,
        6 => bit + few,
        7 => bit.wrapping_sub(few + 1),
        // Halfway between two numbers of 24 or 53 digits, or nearly.
        8 => (random.word() >> 40 << 1 | 1) << random.below(40u32) | few,
        9 => (random.word() >> 11 << 1 | 1) << random.below(11u32) | few & 1,
        10 => random.word() >> random.below(64u32),
        _ => random.word(),
    };
    if random.one_in(2) { value.wrapping_neg() } else { value }
}

/// A long hexadecimal number of one of the classes, signs included.
fn hexadecimal(random: &mut Random, class: usize) -> u64 {
    let fraction = random.word() >> 8;
    let few = random.below(4u64);
    let (characteristic, fraction) = match class / 2 {
        0 => (random.below(128u64), 0),
        1 => (0, fraction),
        2 => (127 - few, fraction),
        // About where short numbers begin and end: 16^32, 16^-31, 16^-37.
        3 => (64 + 31 + few, fraction),
        4 => (64 - 38 + random.below(10u64), fraction),
        5 => (64 + random.below(20u64), fraction >> (4 * random.below(14u32))),
        6 => (64 - 10 + random.below(20u64), fraction >> 27 << 27 | random.pick(&[0, 1, 1 << 26, (1 << 26) + 1])),
        _ => (random.below(128u64), fraction),
    };
    (class as u64 & 1) << 63 | characteristic << 56 | fraction
}
