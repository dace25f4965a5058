//! Every instruction of POP chapter 20: operands, and what is expected of them.

use crate::decnumber::{DIVISION, Environment, Format, INVALID, Number, coefficient, digits, payload, plain};
use crate::digits::{Place, digits_for, from_digits, length, some_digits, to_digits};
use crate::ieee::{Dyadic, Ending};
use crate::machine::{Case, Combination, Expected, Registers};
use cpu::Interruption;
use dec::{Context, Rounding};
use isa::Instruction;
use support::Random;

use Format::*;
use Operation::*;

/// What an instruction does, of which formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operation {
    Arithmetic(Dyadic, Format),
    Compare(Format),
    CompareAndSignal(Format),
    CompareExponents(Format),
    LoadAndTest(Format),
    Quantize(Format),
    Reround(Format),
    LoadInteger(Format),
    /// From and to.
    Lengthen(Format, Format),
    Shorten(Format, Format),
    /// Of so many bits, signed or not, to a format.
    FromInteger(u32, bool, Format),
    /// From a format to so many bits, signed or not.
    ToInteger(Format, u32, bool),
    Exponent(Format),
    Significance(Format),
    InsertExponent(Format),
    ShiftLeft(Format),
    ShiftRight(Format),
    DataClass(Format),
    DataGroup(Format),
    FromDigits(Place, Format),
    ToDigits(Place, Format),
}

use Place::*;

#[rustfmt::skip]
pub(crate) const INSTRUCTIONS: &[(&str, Operation)] = &[
    ("ADTR", Arithmetic(Dyadic::Add, Long)), ("AXTR", Arithmetic(Dyadic::Add, Extended)),
    ("SDTR", Arithmetic(Dyadic::Subtract, Long)), ("SXTR", Arithmetic(Dyadic::Subtract, Extended)),
    ("MDTR", Arithmetic(Dyadic::Multiply, Long)), ("MXTR", Arithmetic(Dyadic::Multiply, Extended)),
    ("DDTR", Arithmetic(Dyadic::Divide, Long)), ("DXTR", Arithmetic(Dyadic::Divide, Extended)),
    ("CDTR", Compare(Long)), ("CXTR", Compare(Extended)),
    ("KDTR", CompareAndSignal(Long)), ("KXTR", CompareAndSignal(Extended)),
    ("CEDTR", CompareExponents(Long)), ("CEXTR", CompareExponents(Extended)),
    ("LTDTR", LoadAndTest(Long)), ("LTXTR", LoadAndTest(Extended)),
    ("QADTR", Quantize(Long)), ("QAXTR", Quantize(Extended)),
    ("RRDTR", Reround(Long)), ("RRXTR", Reround(Extended)),
    ("FIDTR", LoadInteger(Long)), ("FIXTR", LoadInteger(Extended)),
    ("LDETR", Lengthen(Short, Long)), ("LXDTR", Lengthen(Long, Extended)),
    ("LEDTR", Shorten(Long, Short)), ("LDXTR", Shorten(Extended, Long)),
    ("CDGTR", FromInteger(64, true, Long)), ("CXGTR", FromInteger(64, true, Extended)),
    ("CDFTR", FromInteger(32, true, Long)), ("CXFTR", FromInteger(32, true, Extended)),
    ("CDLGTR", FromInteger(64, false, Long)), ("CXLGTR", FromInteger(64, false, Extended)),
    ("CDLFTR", FromInteger(32, false, Long)), ("CXLFTR", FromInteger(32, false, Extended)),
    ("CGDTR", ToInteger(Long, 64, true)), ("CGXTR", ToInteger(Extended, 64, true)),
    ("CFDTR", ToInteger(Long, 32, true)), ("CFXTR", ToInteger(Extended, 32, true)),
    ("CLGDTR", ToInteger(Long, 64, false)), ("CLGXTR", ToInteger(Extended, 64, false)),
    ("CLFDTR", ToInteger(Long, 32, false)), ("CLFXTR", ToInteger(Extended, 32, false)),
    ("EEDTR", Exponent(Long)), ("EEXTR", Exponent(Extended)),
    ("ESDTR", Significance(Long)), ("ESXTR", Significance(Extended)),
    ("IEDTR", InsertExponent(Long)), ("IEXTR", InsertExponent(Extended)),
    ("SLDT", ShiftLeft(Long)), ("SLXT", ShiftLeft(Extended)),
    ("SRDT", ShiftRight(Long)), ("SRXT", ShiftRight(Extended)),
    ("TDCET", DataClass(Short)), ("TDCDT", DataClass(Long)), ("TDCXT", DataClass(Extended)),
    ("TDGET", DataGroup(Short)), ("TDGDT", DataGroup(Long)), ("TDGXT", DataGroup(Extended)),
    ("CDUTR", FromDigits(Unsigned, Long)), ("CXUTR", FromDigits(Unsigned, Extended)),
    ("CDSTR", FromDigits(Signed, Long)), ("CXSTR", FromDigits(Signed, Extended)),
    ("CUDTR", ToDigits(Unsigned, Long)), ("CUXTR", ToDigits(Unsigned, Extended)),
    ("CSDTR", ToDigits(Signed, Long)), ("CSXTR", ToDigits(Signed, Extended)),
    ("CDZT", FromDigits(Zoned, Long)), ("CXZT", FromDigits(Zoned, Extended)),
    ("CDPT", FromDigits(Packed, Long)), ("CXPT", FromDigits(Packed, Extended)),
    ("CZDT", ToDigits(Zoned, Long)), ("CZXT", ToDigits(Zoned, Extended)),
    ("CPDT", ToDigits(Packed, Long)), ("CPXT", ToDigits(Packed, Extended)),
];

/// The DFP rounding modes by their codes.
const MODES: [Rounding; 8] = [
    Rounding::HalfEven,
    Rounding::Down,
    Rounding::Ceiling,
    Rounding::Floor,
    Rounding::HalfUp,
    Rounding::HalfDown,
    Rounding::Up,
    Rounding::ZeroFiveUp,
];

/// What a rounding modifier chooses: a code of these modes, or the current mode.
const METHODS: [Option<usize>; 16] = [
    None,
    Some(4),
    None,
    Some(7),
    Some(0),
    Some(1),
    Some(2),
    Some(3),
    Some(0),
    Some(1),
    Some(2),
    Some(3),
    Some(4),
    Some(5),
    Some(6),
    Some(7),
];

/// Exceptions that are enabled: none, each alone, all.
const TRAPS: [u32; 8] = [0, 0x8000_0000, 0x4000_0000, 0x2000_0000, 0x1000_0000, 0x0800_0000, 0x0400_0000, 0xfc00_0000];

/// Classes of operands, the signs included.
const OPERAND: usize = 2 * 14;

/// An operand of a class, of `like`'s kin if it can be.
fn operand(random: &mut Random, format: Format, class: usize, like: Option<u128>) -> u128 {
    let sign = if class % 2 == 1 { "-" } else { "" };
    let p = format.digits() as usize;
    let (least, greatest) = (format.least(), format.greatest());
    let few = |random: &mut Random, range: i32| random.below(2 * range as u32 + 1) as i32 - range;
    let any = |random: &mut Random| least + random.below((greatest - least + 1) as u32) as i32;
    let some = 1 + random.below(p as u32) as usize;
    let (digits, exponent) = match class / 2 {
        0 => ("0".to_string(), if random.one_in(2) { few(random, 40) } else { any(random) }),
        1 => (random.below(100u32).to_string(), few(random, 3)),
        2 => (some_digits(random, some), few(random, p as i32)),
        3 => (some_digits(random, p), few(random, p as i32 + 3)),
        4 => (format!("{}{}", random.pick(&[1, 5, 25, 125]), "0".repeat(some / 2)), few(random, p as i32 + 3)),
        5 => ("9".repeat(some), few(random, p as i32 + 3)),
        6 => (some_digits(random, some), greatest - random.below(p as u32 + 3) as i32),
        7 => (some_digits(random, some), least + random.below(p as u32 + 3) as i32),
        8 => (some_digits(random, p), any(random)),
        // About half of all exponents: the product is about where overflow or underflow begins.
        9 => {
            let half = random.pick(&[least, greatest]) / 2;
            (some_digits(random, some), half + few(random, p as i32))
        }
        10 => {
            let infinity = payload(format, &format.number(format.written("NaN")), "NaN") & !(1 << (format.width() - 7));
            let rest = if random.one_in(2) { 0 } else { random.word() as u128 & 0xfffff };
            return infinity | rest | u128::from(class as u64 & 1) << (format.width() - 1);
        }
        11 => return format.written(&format!("{sign}NaN{}", &some_digits(random, p)[1..])),
        12 => return format.written(&format!("{sign}sNaN{}", &some_digits(random, p)[1..])),
        _ => match like {
            // Digits and an exponent near the other operand's.
            Some(bits) if format.number(bits).is_finite() => {
                let other = format.number(bits);
                let exponent = (other.exponent() + few(random, p as i32)).clamp(least, greatest);
                let digits = match random.below(3u32) {
                    0 => coefficient(&other),
                    1 => coefficient(&other)[..1].to_string(),
                    _ => some_digits(random, some),
                };
                (digits, exponent)
            }
            // Any pattern of bits, with declets that are not canonical among them.
            _ => {
                let bits = u128::from(random.word()) << 64 | u128::from(random.word());
                return bits >> (128 - format.width());
            }
        },
    };
    let exponent = exponent.clamp(least, greatest);
    let digits = &digits[..digits.len().min(p)];
    format.written(&format!("{sign}{digits}E{exponent}"))
}

impl Operation {
    /// The format of the operands.
    fn from(self) -> Format {
        match self {
            Arithmetic(_, f) | Compare(f) | CompareAndSignal(f) | CompareExponents(f) | LoadAndTest(f) => f,
            Quantize(f) | Reround(f) | LoadInteger(f) | Lengthen(f, _) | Shorten(f, _) | ToInteger(f, ..) => f,
            Exponent(f) | Significance(f) | InsertExponent(f) | ShiftLeft(f) | ShiftRight(f) => f,
            DataClass(f) | DataGroup(f) | FromDigits(_, f) | ToDigits(_, f) | FromInteger(_, _, f) => f,
        }
    }

    /// How many combinations there are of operands, rounding modes, enabled exceptions, and modifiers.
    pub(crate) fn combinations(self) -> Vec<usize> {
        let environment = [MODES.len(), TRAPS.len()];
        let own: &[usize] = match self {
            Arithmetic(..) | Quantize(_) => &[OPERAND, OPERAND, METHODS.len()],
            Compare(_) | CompareAndSignal(_) | CompareExponents(_) => &[OPERAND, OPERAND],
            LoadInteger(_) | Lengthen(..) | Shorten(..) | ToInteger(..) => &[OPERAND, METHODS.len(), 4],
            FromInteger(..) => &[12, METHODS.len(), 2],
            Reround(_) => &[OPERAND, METHODS.len(), 36],
            ShiftLeft(_) | ShiftRight(_) => &[OPERAND, 64],
            InsertExponent(_) => &[OPERAND, 8],
            DataClass(_) | DataGroup(_) => &[OPERAND, 12],
            FromDigits(..) => &[16, 36],
            ToDigits(..) => &[OPERAND, 16, 36],
            _ => &[OPERAND],
        };
        [&environment[..], own].concat()
    }

    /// An instruction with operands.
    pub(crate) fn case(self, row: &Instruction, random: &mut Random, mut of: Combination) -> Case {
        let (mode, traps) = (of.next(MODES.len()) as u32, TRAPS[of.next(TRAPS.len())]);
        let flags = if random.one_in(2) { 0 } else { random.word() as u32 & 0x00fc_0000 };
        let mut before = Registers::any(random);
        before.fpc = mode << 4 | traps | flags | random.pick(&[0, 1, 2, 3, 7]);
        let from = self.from();
        let second = operand(random, from, of.next(OPERAND), None);
        let put = |before: &mut Registers, n: usize, bits: u128| before.put(from.size(), n, bits);
        let (mut m3, mut m4, mut mask) = (0, 0, 0);
        if !matches!(self, FromInteger(..) | FromDigits(..)) {
            put(&mut before, 1, second);
        }
        match self {
            Arithmetic(..) | Quantize(_) => {
                let third = operand(random, from, of.next(OPERAND), Some(second));
                put(&mut before, 4, third);
                m4 = of.next(METHODS.len()) as u8;
            }
            Compare(_) | CompareAndSignal(_) | CompareExponents(_) => {
                let first = operand(random, from, of.next(OPERAND), Some(second));
                put(&mut before, 0, first);
            }
            LoadInteger(_) | Shorten(..) | ToInteger(..) | Lengthen(..) => {
                m3 = of.next(METHODS.len()) as u8;
                m4 = 4 * of.next(4) as u8;
            }
            FromInteger(..) => {
                before.gr4 = crate::binary::integer(random, of.next(12));
                m3 = of.next(METHODS.len()) as u8;
                m4 = 4 * of.next(2) as u8;
            }
            Reround(_) => {
                put(&mut before, 4, second);
                m4 = of.next(METHODS.len()) as u8;
                before.gr4 = before.gr4 << 6 | of.next(36) as u64;
            }
            ShiftLeft(_) | ShiftRight(_) => {
                put(&mut before, 4, second);
                mask = of.next(64) as u16 | random.word() as u16 & 0xfc0;
            }
            InsertExponent(_) => {
                put(&mut before, 4, second);
                let greatest = from.exponents().1 as u64;
                before.gr4 = match of.next(8) {
                    n @ 0..=3 => (n as u64 + 1).wrapping_neg(),
                    4 => greatest,
                    5 => greatest + 1,
                    6 => random.word(),
                    _ => random.below(greatest),
                };
            }
            DataClass(_) | DataGroup(_) => {
                put(&mut before, 0, second);
                mask = 1 << of.next(12) | random.word() as u16 & random.word() as u16 & 0xfff;
            }
            FromDigits(place, _) => {
                m3 = of.next(16) as u8;
                mask = (of.next(36) as u16).min(length(place, from));
                digits_for(&mut before, random, place, from, mask, m3);
            }
            ToDigits(place, _) => {
                m3 = of.next(16) as u8;
                m4 = m3;
                mask = (of.next(36) as u16).min(length(place, from));
                if matches!(place, Zoned | Packed) {
                    put(&mut before, 0, second);
                }
            }
            LoadAndTest(_) | Exponent(_) | Significance(_) => {}
        }
        Case { text: self.text(row, m3, m4, mask), before, m3, m4, mask }
    }

    /// The text of an instruction. R1 is 0, R2 is 1, R3 is 4; a general register that is R1 is 1, and one that is R2 is
    /// 4; a pair is 6 and 7. Digits in storage lie after the place of the other operands.
    fn text(self, row: &Instruction, m3: u8, m4: u8, mask: u16) -> [u8; 6] {
        use isa::Format::*;
        let [c0, c1] = row.code.to_be_bytes();
        let pair = self.from() == Extended;
        let r1 = match self {
            ToDigits(Unsigned | Signed, _) if pair => 6,
            ToDigits(Unsigned | Signed, _) | ToInteger(..) | Exponent(_) | Significance(_) => 1,
            _ => 0,
        };
        let r2 = match self {
            FromDigits(..) if pair => 6,
            FromDigits(..) | FromInteger(..) | Reround(_) | InsertExponent(_) => 4,
            _ => 1,
        };
        let [a0, a1] = mask.to_be_bytes();
        match row.format {
            RRE => [c0, c1, 0, r1 << 4 | r2, 0, 0],
            RRFa | RRFb => [c0, c1, 4 << 4 | m4, r1 << 4 | r2, 0, 0],
            RRFd => [c0, c1, m4, r1 << 4 | r2, 0, 0],
            RRFe => [c0, c1, m3 << 4 | m4, r1 << 4 | r2, 0, 0],
            RXE => [c0, r1 << 4, a0, a1, 0, c1],
            RXF => [c0, 4 << 4, a0, a1, r1 << 4, c1],
            RSLb => [c0, a1, 0x50, 88 + 16, r1 << 4 | m3, c1],
            other => panic!("{}: {other:?}", row.mnemonic),
        }
    }

    /// What the instruction leaves.
    pub(crate) fn expected(self, _: &Instruction, case: &Case) -> Expected {
        let before = &case.before;
        let from = self.from();
        let bits = |n: usize| before.get(from.size(), n);
        let number = |n: usize| from.number(bits(n));
        let mode = (before.fpc >> 4 & 7) as usize;
        let current = Environment { fpc: before.fpc, rounding: MODES[mode], suppress_inexact: false };
        let by = |method: u8, xxc: u8| {
            let rounding = MODES[METHODS[method as usize].unwrap_or(mode)];
            Environment { rounding, suppress_inexact: xxc & 4 != 0, ..current }
        };
        let put = |ending: Ending<u128>| after(before, ending, |after, value| after.put(from.size(), 0, value));
        let with_code = |ending: Ending<u128>| {
            after(before, ending, |after, value| {
                after.put(from.size(), 0, value);
                after.cc = condition(&from.number(value));
            })
        };
        let register = |value: i64| after(before, plain(current, value), |after, value| after.gr1 = value as u64);
        let code = |code: u8| after(before, plain(current, code), |after, code| after.cc = code);
        match self {
            Arithmetic(dyadic, f) => {
                let ending = arithmetic(by(case.m4, 0), dyadic, f, number(1), number(4));
                if matches!(dyadic, Dyadic::Add | Dyadic::Subtract) { with_code(ending) } else { put(ending) }
            }
            Compare(_) | CompareAndSignal(_) => {
                let signal = matches!(self, CompareAndSignal(_));
                let (a, b) = (number(0), number(1));
                let ordering = Context::<Number>::default().partial_cmp(&a, &b);
                let ending = match ordering {
                    Some(ordering) => plain(current, [1, 0, 2][(ordering as i8 + 1) as usize]),
                    None if signal || a.is_signaling_nan() || b.is_signaling_nan() => current.prevents(INVALID, 3),
                    None => plain(current, 3),
                };
                after(before, ending, |after, code| after.cc = code)
            }
            CompareExponents(_) => code(match (number(0), number(1)) {
                (a, b) if a.is_finite() && b.is_finite() => match a.exponent() - b.exponent() {
                    0 => 0,
                    ..0 => 1,
                    _ => 2,
                },
                (a, b) if a.is_nan() && b.is_nan() || a.is_infinite() && b.is_infinite() => 0,
                _ => 3,
            }),
            LoadAndTest(f) => {
                let source = number(1);
                with_code(current.nan(f, &[source]).unwrap_or_else(|| plain(current, f.bits(&source))))
            }
            Quantize(f) => put(quantize(by(case.m4, 0), f, number(4), number(1))),
            Reround(f) => put(reround(by(case.m4, 0), f, number(4), before.gr4 as usize & 63)),
            LoadInteger(f) => put(integral(by(case.m3, case.m4), f, number(1))),
            Lengthen(_, to) | Shorten(_, to) => {
                let env = if matches!(self, Shorten(..)) { by(case.m3, case.m4) } else { current };
                let ending = convert(env, number(1), from, to, case.m4 & 8 != 0);
                after(before, ending, |after, (value, scaled)| {
                    after.put(if scaled { from } else { to }.size(), 0, value);
                })
            }
            FromInteger(bits, signed, f) => {
                let value = crate::binary::source(before.gr4, bits, signed);
                let operation = |context: &mut Context<Number>| {
                    let mut number = Number::try_from(value).expect("it has room");
                    context.plus(&mut number);
                    number
                };
                let env = by(case.m3, case.m4);
                put(env.deliver(f, (f, f.scale()), 0, operation).map(|(value, _)| value))
            }
            ToInteger(_, bits, signed) => {
                let range = crate::binary::range(bits, signed);
                let ending = to_integer(by(case.m3, case.m4), number(1), range);
                after(before, ending, |after, (value, code)| {
                    let kept = if bits == 32 { after.gr1 >> 32 << 32 } else { 0 };
                    after.gr1 = kept | if bits == 32 { u64::from(value as u32) } else { value as u64 };
                    after.cc = code;
                })
            }
            Exponent(f) => register(special(&number(1)).unwrap_or((number(1).exponent() + f.exponents().0).into())),
            Significance(_) => {
                let source = number(1);
                let count = if source.is_zero() { 0 } else { digits(&source) };
                register(special(&source).unwrap_or(count.into()))
            }
            InsertExponent(f) => put(plain(current, with_exponent(f, bits(4), before.gr4 as i64))),
            ShiftLeft(f) | ShiftRight(f) => {
                let left = matches!(self, ShiftLeft(_));
                put(plain(current, shifted(f, bits(4), usize::from(case.mask & 63), left)))
            }
            DataClass(f) => code((case.mask >> (11 - class(f, &number(0))) & 1) as u8),
            DataGroup(f) => code((case.mask >> (11 - group(f, &number(0))) & 1) as u8),
            FromDigits(place, f) => from_digits(before, place, f, case),
            ToDigits(place, f) => to_digits(before, place, f, case),
        }
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

/// 0 zero, 1 negative, 2 positive, 3 a NaN.
pub(crate) fn condition(number: &Number) -> u8 {
    match () {
        _ if number.is_nan() => 3,
        _ if number.is_zero() => 0,
        _ if number.is_negative() => 1,
        _ => 2,
    }
}

/// What stands for something that is no number.
fn special(number: &Number) -> Option<i64> {
    match () {
        _ if number.is_infinite() => Some(-1),
        _ if number.is_quiet_nan() => Some(-2),
        _ if number.is_signaling_nan() => Some(-3),
        _ => None,
    }
}

/// The default NaN.
fn default_nan(format: Format) -> u128 {
    format.written("NaN")
}

fn arithmetic(env: Environment, dyadic: Dyadic, f: Format, a: Number, b: Number) -> Ending<u128> {
    if let Some(nan) = env.nan(f, &[a, b]) {
        return nan;
    }
    let operation = |context: &mut Context<Number>| {
        let mut result = a;
        match dyadic {
            Dyadic::Add => context.add(&mut result, &b),
            Dyadic::Subtract => context.sub(&mut result, &b),
            Dyadic::Multiply => context.mul(&mut result, &b),
            Dyadic::Divide => context.div(&mut result, &b),
        }
        result
    };
    let mut context = f.context(env.rounding);
    let result = operation(&mut context);
    let status = context.status();
    if result.is_nan() {
        return env.prevents(INVALID, default_nan(f));
    }
    if status.division_by_zero() {
        return env.prevents(DIVISION, f.bits(&result));
    }
    if a.is_infinite() || b.is_infinite() {
        return plain(env, f.bits(&result));
    }
    let preferred = match dyadic {
        Dyadic::Add | Dyadic::Subtract => a.exponent().min(b.exponent()),
        Dyadic::Multiply => a.exponent() + b.exponent(),
        Dyadic::Divide => a.exponent() - b.exponent(),
    };
    env.deliver(f, (f, f.scale()), preferred, operation).map(|(value, _)| value)
}

fn quantize(env: Environment, f: Format, number: Number, like: Number) -> Ending<u128> {
    if let Some(nan) = env.nan(f, &[like, number]) {
        return nan;
    }
    let operation = |rounding: Rounding| {
        let (mut context, mut result) = (f.context(rounding), number);
        context.quantize(&mut result, &like);
        (result, context.status())
    };
    let (result, status) = operation(env.rounding);
    if status.invalid_operation() {
        return env.prevents(INVALID, default_nan(f));
    }
    let incremented = coefficient(&operation(Rounding::Down).0) != coefficient(&result);
    env.inexact(status.inexact(), incremented, f.bits(&result))
}

fn reround(env: Environment, f: Format, number: Number, significance: usize) -> Ending<u128> {
    if let Some(nan) = env.nan(f, &[number]) {
        return nan;
    }
    if significance == 0 || !number.is_finite() || digits(&number) <= significance as i32 {
        return plain(env, f.bits(&number));
    }
    let operation = |rounding: Rounding| {
        let (mut context, mut result) = (f.unbounded(rounding), number);
        context.set_precision(significance).expect("a precision");
        context.plus(&mut result);
        (result, context.status())
    };
    let (result, status) = operation(env.rounding);
    if result.exponent() > f.greatest() {
        return env.prevents(INVALID, default_nan(f));
    }
    let down = operation(Rounding::Down).0;
    let incremented = (coefficient(&down), down.exponent()) != (coefficient(&result), result.exponent());
    env.inexact(status.inexact(), incremented, f.bits(&result))
}

/// A number rounded to an integer, whether that is inexact, and whether away from zero.
fn rounded(rounding: Rounding, number: &Number) -> (Number, bool, bool) {
    let operation = |rounding: Rounding| {
        let (mut context, mut result) = (Extended.unbounded(rounding), *number);
        context.set_precision(100).expect("a precision");
        context.rescale(&mut result, &Number::from(0));
        (result, context.status().inexact())
    };
    let (result, inexact) = operation(rounding);
    (result, inexact, coefficient(&operation(Rounding::Down).0) != coefficient(&result))
}

fn integral(env: Environment, f: Format, number: Number) -> Ending<u128> {
    if let Some(nan) = env.nan(f, &[number]) {
        return nan;
    }
    if !number.is_finite() || number.exponent() >= 0 {
        return plain(env, f.bits(&number));
    }
    let (result, inexact, incremented) = rounded(env.rounding, &number);
    env.inexact(inexact, incremented, f.bits(&result))
}

fn to_integer(env: Environment, number: Number, (least, most): (i128, i128)) -> Ending<(i128, u8)> {
    if number.is_nan() {
        return env.prevents(INVALID, (least, 3));
    }
    let small = number.is_finite() && (number.is_zero() || number.exponent() + digits(&number) <= 30);
    let fits = small.then(|| {
        let (result, inexact, incremented) = rounded(env.rounding, &number);
        let text = if result.is_zero() { "0".to_string() } else { result.to_standard_notation_string() };
        (text.parse::<i128>().expect("an integer"), inexact, incremented)
    });
    match fits {
        Some((value, inexact, incremented)) if value >= least && value <= most => {
            env.inexact(inexact, incremented, (value, condition(&number)))
        }
        _ => {
            let limit = if number.is_negative() { least } else { most };
            let invalid = env.prevents(INVALID, (limit, 3));
            match invalid.value {
                Some(value) => Environment { fpc: invalid.fpc, ..env }.inexact(true, false, value),
                None => invalid,
            }
        }
    }
}

/// LOAD LENGTHENED and LOAD ROUNDED, and whether the result is in the format of the source.
fn convert(env: Environment, number: Number, from: Format, to: Format, keep: bool) -> Ending<(u128, bool)> {
    if keep && number.is_signaling_nan() {
        return plain(env, (payload(to, &number, "sNaN"), false));
    }
    if let Some(nan) = env.nan(to, &[number]) {
        return nan.map(|nan| (nan, false));
    }
    let operation = |context: &mut Context<Number>| {
        let mut result = number;
        context.plus(&mut result);
        // It takes the sign off a zero.
        if number.is_zero() && number.is_negative() && !result.is_negative() {
            context.neg(&mut result);
        }
        result
    };
    if number.is_infinite() {
        return plain(env, (to.bits(&number), false));
    }
    env.deliver(to, (from, from.scale() / 3), number.exponent(), operation)
}

/// The bits that are the declets of a format.
fn declets(f: Format) -> u128 {
    match f {
        Short => (1 << 20) - 1,
        Long => (1 << 50) - 1,
        Extended => (1 << 110) - 1,
    }
}

/// A datum as its sign, its kind and its digits: what is no number has one digit less.
pub(crate) fn parts(f: Format, bits: u128) -> (bool, Option<&'static str>, String) {
    let number = f.number(bits);
    let negative = bits >> (f.width() - 1) & 1 == 1;
    let kind = match special(&number) {
        None => return (negative, None, coefficient(&number)),
        Some(-1) => "Infinity",
        Some(-2) => "NaN",
        Some(_) => "sNaN",
    };
    // The digits of an infinity are those of the NaN with the same declets.
    let nan = f.number(f.written("NaN") | bits & declets(f));
    (negative, Some(kind), coefficient(&nan))
}

/// A datum of such parts.
fn assembled(f: Format, negative: bool, kind: Option<&str>, digits: &str, exponent: i32) -> u128 {
    let sign = if negative { "-" } else { "" };
    match kind {
        None => f.written(&format!("{sign}{digits}E{exponent}")),
        Some(kind) => {
            let room = f.digits() as usize - 1;
            let kept = &digits[digits.len().saturating_sub(room)..];
            f.written(&format!("{sign}{kind}")) | f.written(&format!("NaN{kept}")) & declets(f)
        }
    }
}

fn with_exponent(f: Format, bits: u128, biased: i64) -> u128 {
    let (negative, _, digits) = parts(f, bits);
    let (bias, greatest) = f.exponents();
    match biased {
        -1 => assembled(f, negative, Some("Infinity"), &digits, 0),
        -3 => assembled(f, negative, Some("sNaN"), &digits, 0),
        0.. if biased <= greatest.into() => assembled(f, negative, None, &digits, biased as i32 - bias),
        _ => assembled(f, negative, Some("NaN"), &digits, 0),
    }
}

fn shifted(f: Format, bits: u128, by: usize, left: bool) -> u128 {
    let (negative, kind, digits) = parts(f, bits);
    let room = f.digits() as usize - usize::from(kind.is_some());
    let all = format!("{digits:0>room$}");
    let kept = by.min(room);
    let digits = match left {
        true => format!("{}{}", &all[kept..], "0".repeat(kept)),
        false => format!("0{}", &all[..room - kept]),
    };
    assembled(f, negative, kind, &digits, if kind.is_none() { f.number(bits).exponent() } else { 0 })
}

/// The number of a class's bit.
fn class(f: Format, number: &Number) -> usize {
    let kind = match special(number) {
        Some(kind) => 2 - kind as isize,
        None if number.is_zero() => 0,
        None if number.exponent() + digits(number) - 1 < f.normal() => 1,
        None => 2,
    };
    2 * kind as usize + usize::from(number.is_negative())
}

/// The number of a group's bit.
fn group(f: Format, number: &Number) -> usize {
    let extreme = number.exponent() == f.least() || number.exponent() == f.greatest();
    let kind = match (number.is_zero(), extreme) {
        _ if special(number).is_some() => 5,
        (true, false) => 0,
        (true, true) => 1,
        (false, true) => 2,
        (false, false) if digits(number) < f.digits() => 3,
        _ => 4,
    };
    2 * kind + usize::from(number.is_negative())
}
