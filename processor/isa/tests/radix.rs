//! PERFORM FLOATING-POINT OPERATION (POP, chapter 9) against exact fractions: every pair of formats of two radixes,
//! every rounding method.
//!
//! A source is a fraction of two big integers. What is expected comes from dividing them, once, at the place where the
//! target's last digit is. `RADIX=1000000` asks for that many cases instead of a few thousand, `SEED=2` for others.
//!
//!     RADIX=1000000 cargo test --release -p isa --test radix

mod lone_cpu;

use cpu::{Facilities, Interruption, State};
use dec::{Decimal32, Decimal64, Decimal128};
use num_bigint::BigUint;
use support::Random;

/// All rows, whatever facilities there are.
const FACILITIES: Facilities = Facilities([u64::MAX; 4]);
/// Cases, if no number is asked for.
const FEW: u64 = 20_000;

/// A format: its code for the instruction, the base, digits, the exponents of the last digit of the least and the
/// greatest numbers.
#[derive(Clone, Copy, Debug)]
struct Format {
    code: u32,
    base: u32,
    digits: u32,
    least: i32,
    greatest: i32,
    width: u32,
}

const FORMATS: [Format; 9] = [
    Format { code: 0, base: 16, digits: 6, least: -64 - 6, greatest: 63 - 6, width: 32 },
    Format { code: 1, base: 16, digits: 14, least: -64 - 14, greatest: 63 - 14, width: 64 },
    Format { code: 2, base: 16, digits: 28, least: -64 - 28, greatest: 63 - 28, width: 128 },
    Format { code: 5, base: 2, digits: 24, least: -149, greatest: 104, width: 32 },
    Format { code: 6, base: 2, digits: 53, least: -1074, greatest: 971, width: 64 },
    Format { code: 7, base: 2, digits: 113, least: -16494, greatest: 16271, width: 128 },
    Format { code: 8, base: 10, digits: 7, least: -101, greatest: 90, width: 32 },
    Format { code: 9, base: 10, digits: 16, least: -398, greatest: 369, width: 64 },
    Format { code: 10, base: 10, digits: 34, least: -6176, greatest: 6111, width: 128 },
];

/// Rounding methods by their codes less 8.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rounding {
    NearestEven,
    TowardZero,
    Up,
    Down,
    NearestAway,
    NearestTowardZero,
    AwayFromZero,
    PrepareForShorter,
}

use Rounding::*;

const ROUNDINGS: [Rounding; 8] =
    [NearestEven, TowardZero, Up, Down, NearestAway, NearestTowardZero, AwayFromZero, PrepareForShorter];

/// coefficient × base^exponent.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Number {
    negative: bool,
    coefficient: BigUint,
    exponent: i32,
}

fn power(base: u32, exponent: u32) -> BigUint {
    BigUint::from(base).pow(exponent)
}

/// The quotient of two integers as a number of a format without limits to its exponent above `least`, whether that is
/// exact, and whether it has become greater.
fn rounded(format: Format, negative: bool, n: &BigUint, d: &BigUint, how: Rounding) -> (Number, bool, bool) {
    let log = |number: &BigUint| number.bits() as f64 * 2f64.ln() / f64::from(format.base).ln();
    let mut exponent = (log(n) - log(d)) as i32 - format.digits as i32 - 2;
    loop {
        exponent = exponent.max(format.least);
        let (n, d) = match u32::try_from(exponent) {
            Ok(exponent) => (n.clone(), d * power(format.base, exponent)),
            Err(_) => (n * power(format.base, exponent.unsigned_abs()), d.clone()),
        };
        let (quotient, rest) = (&n / &d, &n % &d);
        if quotient >= power(format.base, format.digits) {
            exponent += 1;
            continue;
        }
        let exact = rest == BigUint::ZERO;
        let half = (&rest * 2u32).cmp(&d);
        let odd = quotient.bit(0);
        let last = &quotient % 10u32;
        let prepared = match format.base {
            10 => last == BigUint::ZERO || last == BigUint::from(5u32),
            // The last bit, of hexadecimal digits as well.
            _ => !odd,
        };
        let more = !exact
            && match how {
                NearestEven => half.is_gt() || half.is_eq() && odd,
                TowardZero => false,
                Up => !negative,
                Down => negative,
                NearestAway => half.is_ge(),
                NearestTowardZero => half.is_gt(),
                AwayFromZero => true,
                PrepareForShorter => prepared,
            };
        let mut coefficient = quotient + u32::from(more);
        if coefficient == power(format.base, format.digits) {
            coefficient /= format.base;
            exponent += 1;
        }
        return (Number { negative, coefficient, exponent }, exact, more);
    }
}

/// The bits of a number, which fits.
fn bits(format: Format, number: &Number) -> u128 {
    let low = number.coefficient.iter_u64_digits().enumerate().fold(0, |all, (n, d)| all | u128::from(d) << (64 * n));
    let sign = u128::from(number.negative) << (format.width - 1);
    match format.base {
        10 => written(format, &format!("{}{low}E{}", if number.negative { "-" } else { "" }, number.exponent)),
        2 if low >> (format.digits - 1) == 0 => sign | low,
        2 => {
            let biased = (number.exponent - format.least + 1) as u128;
            sign | biased << (format.digits - 1) | low & ((1 << (format.digits - 1)) - 1)
        }
        _ => hexadecimal(format, number.negative, number.exponent + format.digits as i32 + 64, low),
    }
}

/// A hexadecimal number that is normalized, or zero.
fn hexadecimal(format: Format, negative: bool, mut characteristic: i32, mut fraction: u128) -> u128 {
    if fraction == 0 {
        return u128::from(negative) << (format.width - 1)
            | if format.width == 128 { u128::from(negative) << 63 } else { 0 };
    }
    while fraction >> (4 * format.digits - 4) == 0 {
        fraction <<= 4;
        characteristic -= 1;
    }
    let half = |characteristic: i32| u128::from(negative) << 63 | ((characteristic & 0x7f) as u128) << 56;
    match format.width {
        128 => (half(characteristic) | fraction >> 56) << 64 | half(characteristic - 14) | fraction & ((1 << 56) - 1),
        width => half(characteristic) >> (64 - width) | fraction,
    }
}

/// A decimal number as text, in its format.
fn written(format: Format, text: &str) -> u128 {
    match format.width {
        32 => u32::from_be_bytes(text.parse::<Decimal32>().expect("a number").to_be_bytes()).into(),
        64 => u64::from_be_bytes(text.parse::<Decimal64>().expect("a number").to_be_bytes()).into(),
        _ => u128::from_be_bytes(text.parse::<Decimal128>().expect("a number").to_be_bytes()),
    }
}

/// Some number of a format, with its bits.
fn source(random: &mut Random, format: Format) -> Number {
    let digits = 1 + random.below(format.digits);
    let mut coefficient = BigUint::from(u128::from(random.word()) << 64 | u128::from(random.word()));
    coefficient %= power(format.base, digits);
    if random.one_in(4) {
        coefficient = BigUint::from(random.below(1000u64));
    }
    let middle = (format.least + format.greatest) / 2;
    let mut exponent = match random.below(4u32) {
        0 => format.least + random.below((format.greatest - format.least) as u32 + 1) as i32,
        1 => random.pick(&[format.least, format.greatest]),
        _ => (random.below(2 * format.digits) as i32 - format.digits as i32).clamp(format.least, format.greatest),
    };
    let top = power(format.base, format.digits - 1);
    if coefficient == BigUint::ZERO {
        exponent = if format.base == 10 { exponent } else { middle };
    } else if format.base != 10 {
        // Binary numbers are normalized where they can be, and hexadecimal ones need no others.
        while coefficient < top && exponent > format.least {
            coefficient *= format.base;
            exponent -= 1;
        }
        if format.base == 16 && coefficient < top {
            coefficient = top;
        }
    }
    Number { negative: random.one_in(2), coefficient, exponent }
}

const OVERFLOW: u32 = 0x0020_0000;
const UNDERFLOW: u32 = 0x0010_0000;
const INEXACT: u32 = 0x0008_0000;

/// The bits of the result and the flags, without enabled exceptions.
fn expected(to: Format, number: &Number, from: Format, how: Rounding, one: bool) -> (u128, u32) {
    let (n, d) = match u32::try_from(number.exponent) {
        Ok(exponent) => (&number.coefficient * power(from.base, exponent), BigUint::from(1u32)),
        Err(_) => (number.coefficient.clone(), power(from.base, number.exponent.unsigned_abs())),
    };
    let negative = number.negative;
    if n == BigUint::ZERO {
        let exponent = if to.base == 10 { 0 } else { to.least };
        return (bits(to, &Number { negative, coefficient: n, exponent }), 0);
    }
    let (mut result, exact, _) = rounded(to, negative, &n, &d, how);
    if result.exponent > to.greatest {
        // Into what is greatest, or beyond.
        let fits = to.base == 10 && {
            let digits = result.coefficient.to_string().len() as i32;
            result.exponent - to.greatest <= to.digits as i32 - digits
        };
        if !fits {
            let infinite = match how {
                NearestEven | NearestAway | NearestTowardZero | AwayFromZero => true,
                Up => !negative,
                Down => negative,
                _ => false,
            };
            let nmax = Number { negative, coefficient: power(to.base, to.digits) - 1u32, exponent: to.greatest };
            let sign = u128::from(negative) << (to.width - 1);
            let value = match (infinite, to.base) {
                (true, 10) => written(to, if negative { "-Infinity" } else { "Infinity" }),
                (true, _) => sign | ((1u128 << (to.width - to.digits)) - 1) << (to.digits - 1),
                _ => bits(to, &nmax),
            };
            return (value, OVERFLOW | INEXACT);
        }
    }
    let least_normal = power(to.base, to.digits - 1);
    let tiny = match u32::try_from(to.least) {
        Ok(_) => unreachable!("all formats have fractions"),
        Err(_) => &n * power(to.base, to.least.unsigned_abs()) < &least_normal * &d,
    };
    if to.base == 16 && tiny {
        // Without the control it is a zero and no exception.
        return (hexadecimal(to, negative, 0, 0), 0);
    }
    let mut flags = if exact { 0 } else { INEXACT };
    if tiny && !exact {
        flags |= UNDERFLOW;
    }
    if to.base == 10 && exact {
        // Nearest to the preferred quantum: of one, or as great as there is.
        while (!one || result.exponent < 0)
            && result.exponent < to.greatest
            && &result.coefficient % 10u32 == BigUint::ZERO
        {
            result.coefficient /= 10u32;
            result.exponent += 1;
        }
        let limit = power(10, to.digits - 1);
        while (one && result.exponent > 0 || result.exponent > to.greatest) && result.coefficient < limit {
            result.coefficient *= 10u32;
            result.exponent -= 1;
        }
    }
    (bits(to, &result), flags)
}

fn put(cpu: &mut State, format: Format, register: usize, bits: u128) {
    match format.width {
        32 => cpu.fpr[register] = (bits as u64) << 32,
        64 => cpu.fpr[register] = bits as u64,
        _ => (cpu.fpr[register], cpu.fpr[register + 2]) = ((bits >> 64) as u64, bits as u64),
    }
}

fn get(cpu: &State, format: Format, register: usize) -> u128 {
    match format.width {
        32 => (cpu.fpr[register] >> 32).into(),
        64 => cpu.fpr[register].into(),
        _ => u128::from(cpu.fpr[register]) << 64 | u128::from(cpu.fpr[register + 2]),
    }
}

#[test]
fn conversions_between_radixes_are_what_fractions_say() {
    let asked = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let row = isa::instructions().find(|row| row.mnemonic == "PFPO").expect("it is there");
    let run = row.run.expect("it is built");
    let fields = isa::Fields::extract(row.format, [0x01, 0x0a, 0, 0, 0, 0]);
    let mut cpu = lone_cpu::cpu(FACILITIES);
    let mut random = Random::seeded(asked("SEED").unwrap_or(1));
    let pairs: Vec<(Format, Format)> =
        FORMATS.iter().flat_map(|a| FORMATS.iter().map(move |b| (*a, *b))).filter(|(a, b)| a.base != b.base).collect();
    assert_eq!(pairs.len(), 54);
    let (mut wrong, count) = (0, asked("RADIX").unwrap_or(FEW));
    for n in 0..count {
        let (from, to) = pairs[(n % 54) as usize];
        let number = source(&mut random, from);
        let mode = random.below(8usize);
        // By a method of its own, or the decimal rounding mode.
        let current = random.one_in(4);
        let one = to.base == 10 && random.one_in(2);
        let word =
            1 << 24 | to.code << 16 | from.code << 8 | u32::from(one) << 4 | if current { 0 } else { 8 + mode as u32 };
        cpu.fpc = (mode as u32) << 4;
        (cpu.gr[0], cpu.gr[1], cpu.cc, cpu.program_mask) = (word.into(), u64::MAX, 3, 0);
        (0..8).for_each(|n| cpu.fpr[n] = 0x5555_5555_5555_5555);
        put(&mut cpu, from, 4, bits(from, &number));
        let result = isa::perform(run, &mut cpu, &fields);
        let (value, flags) = expected(to, &number, from, ROUNDINGS[mode], one);
        // Hexadecimal numbers that are too great are an interruption of their own.
        let overflow = to.base == 16 && flags & OVERFLOW != 0;
        let quantum = 0x0004_0000;
        let found = (get(&cpu, to, 0), cpu.fpc & 0x00f8_0000, result);
        let right = match overflow {
            true => found.2 == Err(Interruption::Program(arch::Program::HfpExponentOverflow)),
            false => found == (value, flags, Ok(())) && cpu.gr[1] == 0xffff_ffff_0000_0000 && cpu.cc == 0,
        };
        if !right || !one && cpu.fpc & quantum != 0 && to.base != 10 {
            wrong += 1;
            if wrong < 10 {
                println!(
                    "{word:08x} {:?} {number:?}\n found {found:x?}\n expected {value:x} {flags:x}",
                    ROUNDINGS[mode]
                );
            }
        }
    }
    println!("conversions between radixes: {count} cases, {wrong} differences");
    assert_eq!(wrong, 0);
}
