//! Packed decimal numbers in vector registers (POP, chapter 25) against a model that works on big integers and text.
//!
//! `PACKED=10000000` asks for that many cases instead of a few thousand of each instruction, `SEED=2` for others.
//!
//!     PACKED=10000000 cargo test --release -p isa --test packed_vectors

mod lone_cpu;

use arch::{Absolute, Program};
use cpu::{Architecture, Facilities, Interruption, State, cr0};
use lone_cpu::OPERAND;
use num_bigint::{BigInt, Sign};
use support::Random;

/// All rows, whatever facilities there are.
const FACILITIES: Facilities = Facilities([u64::MAX; 4]);
/// Cases of each instruction, if no number is asked for.
const FEW: u64 = 3000;
/// Bytes of storage that are looked at.
const AREA: usize = 40;

/// What an instruction finds, and what it leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Registers {
    /// Vector registers 1, 2 and 3.
    vr: [u128; 3],
    /// General register 4.
    gr: u64,
    cc: u8,
    program_mask: u8,
    area: [u8; AREA],
}

type Expected = (Registers, Result<(), Interruption>);

/// An instruction's immediates and modifiers, as the model sees them.
#[derive(Clone, Copy, Debug)]
struct Case {
    before: Registers,
    /// I3 or I4, which counts digits or places.
    count: u8,
    /// Another immediate.
    other: u8,
    modifiers: u8,
    /// M4 of VCVB.
    m4: u8,
}

const DATA: Interruption = Interruption::Data(0);
const SPECIFICATION: Interruption = Interruption::Program(Program::Specification);

/// The codes of a vector: digits from the left, and the sign.
fn codes(vector: u128) -> (Vec<u8>, u8) {
    let text = format!("{vector:032x}");
    let all: Vec<u8> = text.chars().map(|c| c.to_digit(16).expect("hexadecimal") as u8).collect();
    (all[..31].to_vec(), all[31])
}

fn negative(sign: u8) -> Option<bool> {
    match sign {
        0xb | 0xd => Some(true),
        0xa | 0xc | 0xe | 0xf => Some(false),
        _ => None,
    }
}

/// A number; the sign of one that counts as positive may be anything.
fn number(vector: u128, positive: bool) -> Result<BigInt, Interruption> {
    let (digits, sign) = codes(vector);
    if digits.iter().any(|&digit| digit > 9) {
        return Err(DATA);
    }
    let text: String = digits.iter().map(|digit| char::from(b'0' + digit)).collect();
    let magnitude: BigInt = text.parse().expect("digits");
    match negative(sign) {
        _ if positive => Ok(magnitude),
        None => Err(DATA),
        Some(true) => Ok(-magnitude),
        Some(false) => Ok(magnitude),
    }
}

/// The result of a calculation in vector register 1. `minus` is the sign where a zero has one by the rules.
fn delivered(case: &Case, value: &BigInt, minus: bool, digits: usize, modifiers: u8) -> Expected {
    let mut after = case.before;
    let text = value.magnitude().to_string();
    let padded = format!("{text:0>31}");
    let (lost, kept) = padded.split_at(padded.len() - digits);
    let overflow = lost.bytes().any(|digit| digit != b'0');
    let zero = kept.bytes().all(|digit| digit == b'0');
    let minus = minus && (!zero || overflow);
    let sign = match (modifiers & 2 != 0, minus) {
        (true, _) => 'f',
        (false, true) => 'd',
        (false, false) => 'c',
    };
    after.vr[0] = u128::from_str_radix(&format!("{kept}{sign}"), 16).expect("digits");
    if modifiers & 1 != 0 {
        after.cc = match () {
            _ if overflow => 3,
            _ if zero => 0,
            _ if minus && modifiers & 2 == 0 => 1,
            _ => 2,
        };
    }
    let interrupts = overflow && case.count & 0x80 == 0 && case.before.program_mask & 4 != 0;
    (after, if interrupts { Err(Program::DecimalOverflow.into()) } else { Ok(()) })
}

fn ten(power: u32) -> BigInt {
    BigInt::from(10).pow(power)
}

/// VAP and its kin, by their operation.
fn arithmetic(case: &Case, name: &str) -> Result<Expected, Interruption> {
    let places = u32::from(case.count & 31);
    let shifts = matches!(name, "VMSP" | "VSDP");
    if case.count & 0x60 != 0 || places == 0 && !shifts {
        return Err(SPECIFICATION);
    }
    let a = number(case.before.vr[1], case.modifiers & 8 != 0)?;
    let b = number(case.before.vr[2], case.modifiers & 4 != 0)?;
    let zero = BigInt::ZERO;
    let divides = matches!(name, "VDP" | "VRP" | "VSDP");
    if divides && b == zero {
        return Err(Program::DecimalDivide.into());
    }
    let signs = (a.sign() == Sign::Minus) != (b.sign() == Sign::Minus);
    let (value, minus) = match name {
        "VAP" => (&a + &b, None),
        "VSP" => (&a - &b, None),
        "VMP" => (&a * &b, None),
        // Division of big integers cuts off.
        "VMSP" => (&a * &b / ten(places), Some(signs)),
        "VDP" => (&a / &b, Some(signs)),
        "VRP" => (&a % &b, Some(a < zero)),
        "VSDP" => (&a * ten(places) / &b, Some(signs)),
        _ => unreachable!("{name} is no such operation"),
    };
    let minus = minus.unwrap_or(value < zero);
    Ok(delivered(case, &value, minus, if shifts { 31 } else { places as usize }, case.modifiers))
}

fn compare(case: &Case) -> Result<Expected, Interruption> {
    let a = number(case.before.vr[0], case.modifiers & 8 != 0)?;
    let b = number(case.before.vr[1], case.modifiers & 4 != 0)?;
    let cc = [1, 0, 2][(a.cmp(&b) as i8 + 1) as usize];
    Ok((Registers { cc, ..case.before }, Ok(())))
}

fn shift_and_round(case: &Case) -> Result<Expected, Interruption> {
    let digits = usize::from(case.count & 31);
    if digits == 0 || case.count & 0x20 != 0 {
        return Err(SPECIFICATION);
    }
    let n = number(case.before.vr[1], case.modifiers & 8 != 0)?;
    let by = case.other as i8;
    let minus = n.sign() == Sign::Minus;
    let magnitude = BigInt::from(n.magnitude().clone());
    let value = match by {
        0.. => magnitude * ten(by.unsigned_abs().into()),
        _ => {
            let round = BigInt::from(if case.count & 0x40 != 0 { 5 } else { 0 });
            (magnitude / ten(u32::from(by.unsigned_abs()) - 1) + round) / 10
        }
    };
    Ok(delivered(case, &value, minus, digits, case.modifiers))
}

fn sign_operation(case: &Case) -> Result<Expected, Interruption> {
    let count = usize::from(case.count & 31);
    if count == 0 || case.count & 0x60 != 0 {
        return Err(SPECIFICATION);
    }
    let (digits, sign) = codes(case.before.vr[1]);
    let has = |bit: u8| case.other & bit != 0;
    if !has(0x80) && digits.iter().any(|&digit| digit > 9) || has(1) && negative(sign).is_none() {
        return Err(DATA);
    }
    let (lost, kept) = digits.split_at(31 - count);
    let (overflow, zero) = (lost.iter().any(|&digit| digit != 0), kept.iter().all(|&digit| digit == 0));
    let minus = negative(sign).unwrap_or(false);
    let minus = [minus, !minus, false, true][usize::from(case.other >> 2 & 3)];
    let minus = minus && (!zero || overflow || has(0x40));
    let code = if minus { 0xd } else { 0xc | if has(2) { 3 } else { 0 } };
    let mut after = case.before;
    after.vr[0] = kept.iter().fold(0, |all, &digit| all << 4 | u128::from(digit)) << 4 | code;
    if case.modifiers & 1 != 0 {
        after.cc = match () {
            _ if overflow => 3,
            _ if zero => 0,
            _ if minus => 1,
            _ => 2,
        };
    }
    let interrupts = overflow && case.count & 0x80 == 0 && case.before.program_mask & 4 != 0;
    Ok((after, if interrupts { Err(Program::DecimalOverflow.into()) } else { Ok(()) }))
}

fn to_binary(case: &Case, bits: u32) -> Result<Expected, Interruption> {
    let n = number(case.before.vr[1], case.modifiers & 8 != 0)?;
    let one = BigInt::from(1);
    let (least, most) = match case.m4 & 1 != 0 {
        true => (BigInt::ZERO, (&one << bits) - &one),
        false => (-(&one << (bits - 1)), (&one << (bits - 1)) - &one),
    };
    let overflow = n < least || n > most;
    let modulus = &one << bits;
    let low: BigInt = ((&n % &modulus) + &modulus) % &modulus;
    let low = low.iter_u64_digits().next().unwrap_or(0);
    let mut after = case.before;
    after.gr = if bits == 32 { after.gr >> 32 << 32 | low } else { low };
    if case.modifiers & 1 != 0 {
        after.cc = if overflow { 3 } else { 0 };
    }
    let interrupts = overflow && case.m4 & 8 == 0 && case.before.program_mask & 8 != 0;
    Ok((after, if interrupts { Err(Program::FixedPointOverflow.into()) } else { Ok(()) }))
}

fn to_decimal(case: &Case, bits: u32) -> Result<Expected, Interruption> {
    let digits = usize::from(case.count & 31);
    if digits == 0 || case.count & 0x60 != 0 {
        return Err(SPECIFICATION);
    }
    let register = case.before.gr;
    let value = match (bits, case.modifiers & 8 != 0) {
        (32, true) => BigInt::from(register as u32),
        (32, false) => BigInt::from(register as i32),
        (_, true) => BigInt::from(register),
        _ => BigInt::from(register as i64),
    };
    let (mut after, result) = delivered(case, &value, value < BigInt::ZERO, digits, case.modifiers & 2);
    if case.modifiers & 1 != 0 {
        after.cc = if value.magnitude().to_string().len() > digits { 3 } else { 0 };
    }
    Ok((after, result))
}

/// What moves digits or bytes. The operand in storage is where the area begins.
fn moved(case: &Case, name: &str) -> Result<Expected, Interruption> {
    let most = if matches!(name, "VPKZ" | "VUPKZ") { 31 } else { 16 };
    let in_register = matches!(name, "VLRLR" | "VSTRLR");
    let length = match in_register {
        true => (case.before.gr as u32).min(15) as usize + 1,
        false => usize::from(case.count) + 1,
    };
    if length > most {
        return Err(SPECIFICATION);
    }
    let mut after = case.before;
    let vector = case.before.vr[0];
    let (digits, sign) = codes(vector);
    match name {
        "VPKZ" => {
            let zoned = &case.before.area[..length];
            let text: String = zoned.iter().map(|byte| format!("{:x}", byte & 15)).collect();
            after.vr[0] = u128::from_str_radix(&format!("{text}{:x}", zoned[length - 1] >> 4), 16).expect("digits");
        }
        "VUPKZ" => {
            for (byte, digit) in after.area.iter_mut().zip(&digits[31 - length..]) {
                *byte = 0xf0 | digit;
            }
            after.area[length - 1] = sign << 4 | digits[30];
        }
        "VLRL" | "VLRLR" => {
            let bytes = &case.before.area[..length];
            after.vr[0] = bytes.iter().fold(0, |all, &byte| all << 8 | u128::from(byte));
        }
        _ => after.area[..length].copy_from_slice(&vector.to_be_bytes()[16 - length..]),
    }
    Ok((after, Ok(())))
}

fn expected(name: &str, case: &Case) -> Expected {
    let outcome = match name {
        "VCP" => compare(case),
        "VSRP" => shift_and_round(case),
        "VPSOP" => sign_operation(case),
        "VCVB" => to_binary(case, 32),
        "VCVBG" => to_binary(case, 64),
        "VCVD" => to_decimal(case, 32),
        "VCVDG" => to_decimal(case, 64),
        "VTP" => {
            let (digits, sign) = codes(case.before.vr[0]);
            let cc = u8::from(negative(sign).is_none()) + 2 * u8::from(digits.iter().any(|&digit| digit > 9));
            Ok((Registers { cc, ..case.before }, Ok(())))
        }
        "VLIP" => {
            let digits = [case.count, case.other].map(|byte| format!("{byte:02x}")).concat();
            let sign = if case.modifiers & 8 != 0 { 'd' } else { 'c' };
            let text = format!("{digits}{}", "0000".repeat(usize::from(case.modifiers & 7)));
            let padded = format!("{text:0>31}");
            match digits.bytes().all(|digit| digit.is_ascii_digit()) {
                true => {
                    let mut after = case.before;
                    let kept = &padded[padded.len() - 31..];
                    after.vr[0] = u128::from_str_radix(&format!("{kept}{sign}"), 16).expect("digits");
                    Ok((after, Ok(())))
                }
                false => Err(DATA),
            }
        }
        "VPKZ" | "VUPKZ" | "VLRL" | "VLRLR" | "VSTRL" | "VSTRLR" => moved(case, name),
        _ => arithmetic(case, name),
    };
    outcome.unwrap_or_else(|why| (case.before, Err(why)))
}

/// The text: vector registers 1, 2 and 3, general register 4, storage by register 5.
fn text(row: &isa::Instruction, case: &Case) -> [u8; 6] {
    use isa::Format::*;
    let [c0, c1] = row.code.to_be_bytes();
    let (count, other, m) = (case.count, case.other, case.modifiers);
    let (left, right) = (count >> 4, count << 4);
    match row.format {
        VRIf => [c0, 0x12, 0x30, m << 4 | left, right, c1],
        VRIg => [c0, 0x12, other, m << 4 | left, right, c1],
        VRIi => [c0, 0x14, 0, m << 4 | left, right, c1],
        VRIh => [c0, 0x10, count, other, m << 4, c1],
        VRRi => [c0, 0x42, 0, m << 4 | case.m4, 0, c1],
        VRRh => [c0, 0x01, 0x20, m << 4, 0, c1],
        VRRg => [c0, 0x01, 0, 0, 0, c1],
        VSI => [c0, count, 0x50, 88, 0x10, c1],
        VRSd => [c0, 0x04, 0x50, 88, 0x10, c1],
        other => panic!("{}: {other:?}", row.mnemonic),
    }
}

fn some_digits(random: &mut Random) -> u128 {
    let count = random.below(32u32);
    let mut digits: Vec<u128> = (0..count).map(|_| random.below(10u64).into()).collect();
    let from = random.below(count + 1) as usize;
    match random.below(6u32) {
        0 => digits[from..].fill(0),
        1 => digits[from..].fill(9),
        2 => digits[..from].fill(0),
        _ => {}
    }
    if random.one_in(40) && count > 0 {
        digits[random.below(count) as usize] = 10 + u128::from(random.below(6u64));
    }
    digits.iter().fold(0, |all, digit| all << 4 | digit)
}

fn case(random: &mut Random, row: &isa::Instruction) -> Case {
    let sign = |random: &mut Random| {
        if random.one_in(30) { random.below(10u64) } else { random.pick(&[0xa, 0xb, 0xc, 0xd, 0xe, 0xf, 0xc, 0xd]) }
    };
    let mut vr = [0; 3];
    for vector in &mut vr {
        *vector = some_digits(random) << 4 | u128::from(sign(random));
    }
    if random.one_in(6) {
        // Magnitudes that are equal, or nearly.
        vr[2] = vr[1] ^ u128::from(random.pick(&[0u64, 1, 0x10]));
    }
    let gr = if random.one_in(2) { random.word() >> random.below(64u32) } else { random.word() };
    let gr = if row.format == isa::Format::VRSd { random.below(20u64) | gr << 32 } else { gr };
    let before = Registers {
        vr,
        gr: if random.one_in(3) { gr.wrapping_neg() } else { gr },
        cc: random.below(4u8),
        program_mask: random.below(16u8),
        area: std::array::from_fn(|_| random.byte()),
    };
    let mut count = random.byte();
    let mut other = random.byte();
    if !random.one_in(10) {
        count &= if row.mnemonic == "VSRP" { 0xdf } else { 0x9f };
    }
    match row.format {
        isa::Format::VSI if !random.one_in(10) => count &= 15,
        isa::Format::VSI => count &= 31,
        isa::Format::VRIh if !random.one_in(10) => {
            count = random.below(10u8) << 4 | random.below(10u8);
            other = random.below(10u8) << 4 | random.below(10u8);
        }
        // Places that matter.
        isa::Format::VRIg if row.mnemonic == "VSRP" && !random.one_in(4) => other = random.below(66u8).wrapping_sub(33),
        _ => {}
    }
    Case { before, count, other, modifiers: random.below(16u8), m4: random.below(16u8) }
}

fn execute(cpu: &mut State, row: &isa::Instruction, case: &Case) -> Expected {
    let text = text(row, case);
    let before = &case.before;
    for (n, &vector) in before.vr.iter().enumerate() {
        cpu.set_vr(n as u8 + 1, vector);
    }
    (cpu.gr[4], cpu.cc, cpu.program_mask) = (before.gr, before.cc, before.program_mask);
    cpu.storage().write(OPERAND, &before.area).expect("it is within storage");
    let fields = isa::Fields::extract(row.format, text);
    let result = isa::perform(row.run.expect("it is built"), cpu, &fields);
    let mut area = [0; AREA];
    cpu.storage().read(Absolute(OPERAND.0), &mut area).expect("it is within storage");
    let vr = [1, 2, 3].map(|n| cpu.vr(n));
    (Registers { vr, gr: cpu.gr[4], cc: cpu.cc, program_mask: cpu.program_mask, area }, result)
}

#[test]
fn packed_numbers_in_vectors_are_what_big_integers_say() {
    let asked = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let rows: Vec<&isa::Instruction> = isa::instructions()
        .filter(|row| row.facility == Some(134) && row.architectures.include(Architecture::Z))
        .collect();
    assert_eq!(rows.len(), 22);
    let count = asked("PACKED").map_or(FEW, |all| all / rows.len() as u64);
    let mut random = Random::seeded(asked("SEED").unwrap_or(1));
    let mut cpu = lone_cpu::cpu(FACILITIES);
    cpu.cr[0] |= cr0::VECTOR;
    cpu.control_changed();
    let mut wrong = 0;
    for row in &rows {
        let mut ended = [0u64; 2];
        for _ in 0..count {
            let case = case(&mut random, row);
            let expected = expected(row.mnemonic, &case);
            let found = execute(&mut cpu, row, &case);
            ended[usize::from(expected.1.is_err())] += 1;
            if found != expected {
                wrong += 1;
                if wrong < 10 {
                    println!(
                        "{} {:02x?}\n {case:x?}\n found    {found:x?}\n expected {expected:x?}",
                        row.mnemonic,
                        text(row, &case)
                    );
                }
            }
        }
        // Most cases have a result.
        assert!(ended[0] > count / 4, "{}: {ended:?}", row.mnemonic);
    }
    println!("packed decimal in vectors: {} cases, {wrong} differences", count * rows.len() as u64);
    assert_eq!(wrong, 0);
}
