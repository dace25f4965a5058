//! Binary floating point against another machine: every instruction on interesting and random operands, under every
//! rounding mode, compared with what an s390x executes (`bfp_oracle/oracle.c` under QEMU's user emulation).
//!
//! Exceptions are not enabled here: QEMU interrupts without the result that POP asks for. The unit tests do that.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::Random;

use arch::Program;
use cpu::{Architecture, Facilities, Interruption};
use isa::Fields;
use isa::bfp::value::Binary;

mod bfp_oracle;
mod lone_cpu;
use bfp_oracle::{Form, INSTRUCTIONS, Instruction, SECOND, Width};

/// What an instruction finds and leaves: the record of `oracle.c`, general registers 1 and 4 being named.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Registers {
    fpr: [u64; 8],
    gr1: u64,
    gr4: u64,
    fpc: u32,
    cc: u32,
    operand: u128,
}

impl Registers {
    const BYTES: usize = 104;

    fn to_bytes(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(Self::BYTES);
        for word in self.fpr.into_iter().chain([self.gr1, self.gr4]) {
            bytes.extend(word.to_be_bytes());
        }
        bytes.extend(self.fpc.to_be_bytes());
        bytes.extend(self.cc.to_be_bytes());
        bytes.extend(self.operand.to_be_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Registers {
        let word = |at: usize| u64::from_be_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        Registers {
            fpr: std::array::from_fn(|n| word(8 * n)),
            gr1: word(64),
            gr4: word(72),
            fpc: (word(80) >> 32) as u32,
            cc: word(80) as u32,
            operand: u128::from(word(88)) << 64 | u128::from(word(96)),
        }
    }
}

impl std::fmt::Debug for Registers {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "f0-7={:016x?} r1={:016x} r4={:016x}", self.fpr, self.gr1, self.gr4)?;
        write!(f, " fpc={:08x} cc={} operand={:032x}", self.fpc, self.cc, self.operand)
    }
}

/// Numbers at which something changes, for a format of `precision` and `emax` in `width` bits.
fn interesting(width: Width) -> Vec<u128> {
    let (bits, precision, emax) = width.parameters();
    let fraction = precision - 1;
    let one = emax << fraction;
    let power = |e: i64| ((emax as i64 + e) as u128) << fraction;
    let infinity = (2 * emax + 1) << fraction;
    let last = (1 << fraction) - 1;
    let mut values = vec![
        0,
        1,
        2,
        last,          // largest subnormal
        1 << fraction, // Nmin
        (1 << fraction) + 1,
        1 << (fraction - 1),
        one,
        one + 1,
        one - 1,
        one + last,
        one | 1 << (fraction - 1),      // 1.5
        power(1) | 1 << (fraction - 2), // 2.5
        power(1) | 1 << (fraction - 1), // 3
        power(3) | 1 << (fraction - 2), // 10
        power(-1),
        power(-1) - 1,
        power(-1) + 1,
        power(-4) | 0x1999_9999_9999_9999_9999_9999_9999 >> (112 - fraction), // about 0.1
        power(23),
        power(24) + 1,
        power(31),
        power(31) - 1,
        power(31) + 1,
        power(32),
        power(32) - 1,
        power(52) + 1,
        power(53) - 1,
        power(63),
        power(63) - 1,
        power(64),
        power(64) - 1,
        power(emax as i64 / 2),
        power(-(emax as i64) / 2),
        infinity - 1, // Nmax
        infinity - 1 - last,
        infinity,
        infinity | 1 << (fraction - 1), // default quiet NaN
        infinity | 1 << (fraction - 1) | 0x5a << (fraction - 9),
        infinity | 1, // signaling NaN
        infinity | 0xa5 << (fraction - 10),
    ];
    // The values around the limits of the shorter formats.
    for emin in [-126i64, -149, -150, 127, 128, -1022, -1074, -1075, 1023, 1024] {
        if emin.unsigned_abs() < emax as u64 {
            values.extend([power(emin), power(emin) + 1, power(emin) - 1]);
            values.push(power(emin) | 1 << (fraction - 1));
        }
    }
    let signed: Vec<u128> = values.iter().map(|value| value | 1 << (bits - 1)).collect();
    values.extend(signed);
    values
}

/// A number of moderate exponent, so that operands interact, often with few significant bits.
fn moderate(random: &mut Random, width: Width) -> u128 {
    let (bits, precision, emax) = width.parameters();
    let fraction = precision - 1;
    let exponent = (emax as i64 + i64::from(random.below(140)) - 70) as u128;
    let mut digits = (u128::from(random.word()) << 64 | u128::from(random.word())) & ((1 << fraction) - 1);
    if random.one_in(2) {
        digits &= !0 << random.below(fraction);
    }
    exponent << fraction | digits | u128::from(random.word() & 1) << (bits - 1)
}

/// Puts an operand into floating-point register `n`, or a pair.
fn put(registers: &mut Registers, width: Width, n: usize, value: u128) {
    match width {
        Width::Short => registers.fpr[n] = (value as u64) << 32 | 0x1234_5678,
        Width::Long => registers.fpr[n] = value as u64,
        Width::Extended => {
            registers.fpr[n] = (value >> 64) as u64;
            registers.fpr[n + 2] = value as u64;
        }
    }
}

/// The operands of one instruction: what its form calls for, under all rounding modes of the FPC.
fn operands(instruction: &Instruction, random: &mut Random) -> Vec<Registers> {
    let values = interesting(instruction.source);
    let base = Registers {
        fpr: std::array::from_fn(|n| 0x1111_1111_1111_1111 * (n as u64 + 1)),
        gr1: 0x0102_0304_0506_0708,
        gr4: 0,
        fpc: 0,
        cc: 0,
        operand: 0,
    };
    let mut cases = Vec::new();
    let mut push = |registers: &mut Registers, random: &mut Random| {
        registers.fpc = random.pick(&[0, 0, 1, 2, 3, 7]) | random.pick(&[0, 0x0008_0000, 0x0008_0000, 0x00f8_0000]);
        cases.push(*registers);
    };
    let second = SECOND as usize;
    let mut pair = |a: u128, b: u128, random: &mut Random| {
        let mut registers = base;
        put(&mut registers, instruction.target, 0, a);
        if instruction.form.has_storage() {
            registers.operand = b << (128 - instruction.source.parameters().0);
        } else {
            put(&mut registers, instruction.source, second, b);
        }
        push(&mut registers, random);
    };
    match instruction.form {
        Form::Two | Form::TwoStorage => {
            for &a in &values {
                for &b in &values {
                    pair(a, b, random);
                }
            }
            for _ in 0..4000 {
                let (a, b) = (moderate(random, instruction.target), moderate(random, instruction.source));
                pair(a, b, random);
            }
        }
        Form::One | Form::OneStorage | Form::Modified => {
            for _ in 0..6 {
                for &b in &values {
                    pair(0, b, random);
                }
            }
            for _ in 0..2000 {
                let b = moderate(random, instruction.source);
                pair(0, b, random);
            }
        }
        Form::FromInteger => {
            let edges =
                [0u64, 1, 2, 3, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0xff_ffff, 0x0100_0001, 0x100_0003, 1 << 53];
            for _ in 0..12 {
                for edge in edges {
                    for value in
                        [edge, edge.wrapping_neg(), !edge, edge << 32, (edge << 10) + 1, (edge << 11).wrapping_sub(1)]
                    {
                        let mut registers = base;
                        registers.gr4 = value;
                        push(&mut registers, random);
                    }
                }
            }
            for _ in 0..2000 {
                let mut registers = base;
                registers.gr4 = random.word() >> random.below(64);
                push(&mut registers, random);
            }
        }
        Form::Class => {
            for &a in &values {
                pair(a, 0, random);
            }
        }
        Form::Three | Form::ThreeStorage | Form::CopySign => {
            for n in 0..20000 {
                let mut registers = base;
                let mut number =
                    || if n % 3 == 0 { moderate(random, instruction.source) } else { random.pick(&values) };
                let (a, b, mut c) = (number(), number(), number());
                if n % 9 == 0 {
                    // Close to the product, so that leading bits cancel.
                    let (bits, precision, emax) = instruction.source.parameters();
                    let (a, b) = (a & !(1 << (bits - 1)), b & !(1 << (bits - 1)));
                    c = (a + b).wrapping_sub(emax << (precision - 1)) & ((1 << bits) - 1) | c & 1 << (bits - 1);
                }
                put(&mut registers, instruction.source, 0, c);
                put(&mut registers, instruction.source, 4, a);
                if instruction.form.has_storage() {
                    registers.operand = b << (128 - instruction.source.parameters().0);
                } else {
                    put(&mut registers, instruction.source, second, b);
                }
                push(&mut registers, random);
            }
        }
    }
    cases
}

/// Builds the oracle; `None`, and says so, if this machine lacks a tool.
fn build_oracle() -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bfp_oracle/oracle.c");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bfp-oracle");
    for tool in ["s390x-linux-gnu-gcc", "qemu-s390x-static"] {
        if Command::new(tool).arg("--version").output().is_err() {
            // Not captured by the test harness, so that it is seen.
            let mut seen = std::io::stderr();
            let _ =
                writeln!(seen, "bfp: comparison SKIPPED: {tool} is not installed, there is no machine to compare with");
            return None;
        }
    }
    let status = Command::new("s390x-linux-gnu-gcc").args(["-static", "-O1", "-o"]).arg(&program).arg(source).status();
    assert!(status.expect("the compiler was there a moment ago").success(), "the oracle does not compile");
    Some(program)
}

/// What the other machine makes of the requests.
fn ask(program: &Path, texts: &[([u8; 8], Vec<Registers>)]) -> Vec<Registers> {
    let name = |suffix| Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("bfp-oracle.{suffix}"));
    let mut requests = Vec::new();
    for (text, cases) in texts {
        for registers in cases {
            requests.extend(text);
            requests.extend(registers.to_bytes());
        }
    }
    fs::write(name("in"), requests).expect("the target folder is writable");
    let status = Command::new("qemu-s390x-static")
        .args(["-cpu", "max"])
        .arg(program)
        .stdin(File::open(name("in")).expect("just written"))
        .stdout(File::create(name("out")).expect("the target folder is writable"))
        .status();
    assert!(status.expect("QEMU was there a moment ago").success(), "the oracle failed");
    let answers = fs::read(name("out")).expect("the oracle wrote it");
    answers.chunks_exact(Registers::BYTES).map(Registers::from_bytes).collect()
}

#[test]
fn every_instruction_does_what_another_machine_does() {
    let Some(program) = build_oracle() else { return };
    let mut random = Random::seeded(0x5eed_0fba_5e00);
    let mut texts = Vec::new();
    for instruction in INSTRUCTIONS {
        let cases = operands(instruction, &mut random);
        for text in instruction.texts() {
            // The table's names are without the A of the forms with more modifiers.
            let named = bfp_oracle::decode(&text).mnemonic;
            assert_eq!(named, instruction.mnemonic.trim_end_matches('A'));
            texts.push((text, cases.clone()));
        }
    }
    let answers = ask(&program, &texts);
    let mut answers = answers.iter();
    let mut cpu = bfp_oracle::cpu();
    let (mut compared, mut failures) = (0, 0);
    for (text, cases) in &texts {
        let mut shown = 0;
        for before in cases {
            let theirs = answers.next().expect("one answer for each request");
            if qemu_is_wrong(text, before) {
                continue;
            }
            compared += 1;
            let ours = bfp_oracle::execute(&mut cpu, text, before);
            if ours.as_ref() != Ok(theirs) {
                failures += 1;
                shown += 1;
                if shown <= 3 {
                    println!("{}:\n before {before:?}\n ours   {ours:?}\n theirs {theirs:?}", bfp_oracle::name(text));
                }
            }
        }
    }
    println!("{compared} results compared");
    assert_eq!(failures, 0, "results differ");
}

/// Where QEMU deviates from the architecture, always about NaNs: LOAD AND TEST does not notice a signaling one; of
/// several NaNs in a fused operation the first is preferred even if a later one is signaling; and infinity times zero
/// plus a NaN is not invalid there.
fn qemu_is_wrong(text: &[u8; 8], before: &Registers) -> bool {
    let long = |n: usize| before.fpr[n];
    let short = |n: usize| (before.fpr[n] >> 32) as u32;
    let code = if text[0] == 0xed { text[5] } else { text[1] };
    match (text[0], code) {
        (0xb3, 0x02) => short(1).is_signaling(),
        (0xb3, 0x12) => long(1).is_signaling(),
        (0xb3, 0x42) => (u128::from(long(1)) << 64 | u128::from(long(3))).is_signaling(),
        (0xb3, 0x0e | 0x0f) => fused_nans([short(4), short(1), short(0)]),
        (0xed, 0x0e | 0x0f) => fused_nans([short(4), (before.operand >> 96) as u32, short(0)]),
        (0xb3, 0x1e | 0x1f) => fused_nans([long(4), long(1), long(0)]),
        (0xed, 0x1e | 0x1f) => fused_nans([long(4), (before.operand >> 64) as u64, long(0)]),
        _ => false,
    }
}

/// Whether several of the factors and the addend are NaNs, one of them signaling; or the factors infinity and zero, and
/// the addend a NaN.
fn fused_nans<B: Binary>(numbers: [B; 3]) -> bool {
    let several = numbers.iter().any(|n| n.is_signaling()) && numbers.iter().filter(|n| n.is_nan()).count() > 1;
    let [a, b, c] = numbers;
    let indefinite = a == B::zero(a.is_negative()) && b.magnitude() == B::INFINITY
        || b == B::zero(b.is_negative()) && a.magnitude() == B::INFINITY;
    several || indefinite && c.is_nan()
}

/// Runs one instruction on registers that hold small numbers.
fn run(cpu: &mut cpu::State, text: [u8; 4]) -> Result<(), Interruption> {
    let text = [text[0], text[1], text[2], text[3], 0, 0];
    let all = Facilities::of(&[18, 37, 41]);
    let row = isa::decode(text, cpu.architecture(), &all).expect("the table has it");
    isa::perform(row.run.expect("it is built"), cpu, &Fields::extract(row.format, text))
}

const DATA_AFP_REGISTER: Result<(), Interruption> = Err(Interruption::Data(1));
const DATA_BFP: Result<(), Interruption> = Err(Interruption::Data(2));
const SPECIFICATION: Result<(), Interruption> = Err(Interruption::Program(Program::Specification));

#[test]
fn without_the_afp_register_control_there_are_four_registers_and_no_bfp() {
    let mut cpu = bfp_oracle::cpu();
    cpu.cr[0] &= !cpu::cr0::AFP;
    cpu.fpr[2] = 0x3ff0_0000_0000_0000;
    assert_eq!(run(&mut cpu, [0x28, 0x62, 0, 0]), Ok(()), "LDR 6,2");
    assert_eq!(cpu.fpr[6], cpu.fpr[2]);
    assert_eq!(run(&mut cpu, [0x28, 0x12, 0, 0]), DATA_AFP_REGISTER, "LDR 1,2");
    assert_eq!(run(&mut cpu, [0x28, 0x28, 0, 0]), DATA_AFP_REGISTER, "LDR 2,8");
    assert_eq!(run(&mut cpu, [0xb3, 0xc1, 0, 0x81]), DATA_AFP_REGISTER, "LDGR 8,1");
    assert_eq!(run(&mut cpu, [0xb3, 0x1a, 0, 0x02]), DATA_BFP, "ADBR 0,2");
    assert_eq!(run(&mut cpu, [0xb3, 0x84, 0, 0x10]), DATA_BFP, "SFPC 1");
    assert_eq!(run(&mut cpu, [0xb2, 0x99, 0, 1]), DATA_BFP, "SRNM 1");
}

#[test]
fn system_370_has_four_registers_by_specification() {
    let mut cpu = bfp_oracle::cpu();
    cpu.set_architecture(Architecture::S370);
    cpu.cr[0] = 0;
    assert_eq!(run(&mut cpu, [0x28, 0x42, 0, 0]), Ok(()), "LDR 4,2");
    assert_eq!(run(&mut cpu, [0x28, 0x12, 0, 0]), SPECIFICATION, "LDR 1,2");
}

#[test]
fn extended_numbers_need_a_pair_and_modifiers_must_be_assigned() {
    let mut cpu = bfp_oracle::cpu();
    assert_eq!(run(&mut cpu, [0xb3, 0x4a, 0, 0x02]), SPECIFICATION, "AXBR 0,2");
    assert_eq!(run(&mut cpu, [0xb3, 0x4a, 0, 0x35]), SPECIFICATION, "AXBR 3,5");
    assert_eq!(run(&mut cpu, [0xb3, 0x45, 0, 0x20]), SPECIFICATION, "LDXBR 2,0");
    assert_eq!(run(&mut cpu, [0xb3, 0x4a, 0, 0xdc]), Ok(()), "AXBR 13,12");
    assert_eq!(run(&mut cpu, [0xb3, 0x99, 0x20, 0x10]), SPECIFICATION, "CFDBR 1,2,0");
    assert_eq!(run(&mut cpu, [0xb3, 0x5b, 0x14, 0x10]), SPECIFICATION, "DIDBR 1,1,0,4");
}

#[test]
fn an_enabled_exception_suppresses_or_completes() {
    let mut cpu = bfp_oracle::cpu();
    cpu.fpc = 0xf800_0000;
    (cpu.fpr[0], cpu.fpr[2]) = (1f64.to_bits(), 0);
    assert_eq!(run(&mut cpu, [0xb3, 0x1d, 0, 0x02]), Err(Interruption::Data(0x40)), "DDBR 0,2");
    assert_eq!(cpu.fpr[0], 1f64.to_bits());
    cpu.fpr[2] = 10f64.to_bits();
    assert_eq!(run(&mut cpu, [0xb3, 0x1d, 0, 0x02]), Err(Interruption::Data(0x0c)), "DDBR 0,2");
    assert_eq!(cpu.fpr[0], 0.1f64.to_bits());
    // The condition code of a completed addition is set.
    cpu.fpr[2] = 1e300f64.to_bits();
    assert_eq!(run(&mut cpu, [0xb3, 0x1a, 0, 0x02]), Err(Interruption::Data(0x08)), "ADBR 0,2");
    assert_eq!((cpu.fpr[0], cpu.cc), (cpu.fpr[2], 2));
    assert_eq!(cpu.fpc, 0xf800_0000, "no flag when the exception is enabled");
}

#[test]
fn the_fpc_takes_assigned_bits_only() {
    let mut cpu = bfp_oracle::cpu();
    for (value, result) in [
        (0xf8f8_ff73, Ok(())),
        (0x0000_0007, Ok(())),
        (0x0000_0004, SPECIFICATION),
        (0x0000_0006, SPECIFICATION),
        (0x0100_0000, SPECIFICATION),
        (0x0000_0008, SPECIFICATION),
        (0x0000_0080, SPECIFICATION),
    ] {
        cpu.gr[1] = value;
        assert_eq!(run(&mut cpu, [0xb3, 0x84, 0, 0x10]), result, "SFPC of {value:08x}");
    }
    assert_eq!(cpu.fpc, 7);
    assert_eq!(run(&mut cpu, [0xb2, 0x99, 0, 2]), Ok(()), "SRNM 2");
    assert_eq!(cpu.fpc, 2);
    assert_eq!(run(&mut cpu, [0xb2, 0xb8, 0, 7]), Ok(()), "SRNMB 7");
    assert_eq!(cpu.fpc, 7);
    assert_eq!(run(&mut cpu, [0xb2, 0xb8, 0, 5]), SPECIFICATION, "SRNMB 5");
    assert_eq!(run(&mut cpu, [0xb2, 0xb8, 0, 8]), SPECIFICATION, "SRNMB 8");
    assert_eq!(run(&mut cpu, [0xb2, 0xb9, 0, 3]), Ok(()), "SRNMT 3");
    assert_eq!(cpu.fpc, 0x37);
    assert_eq!(run(&mut cpu, [0xb3, 0x8c, 0, 0x10]), Ok(()), "EFPC 1");
    assert_eq!(cpu.gr[1], 0x37);
}

#[test]
fn setting_the_fpc_and_signaling_simulates_what_is_flagged_and_enabled() {
    let mut cpu = bfp_oracle::cpu();
    for (before, operand, after, dxc) in [
        (0x0028_0000, 0xf880_0000u32, 0xf8a8_0000, Some(0x2b)),
        (0x0020_0000, 0xf800_0000, 0xf820_0000, Some(0x23)),
        (0x00c8_0000, 0x4800_0000, 0x48c8_0000, Some(0x43)),
        (0x0008_0000, 0x0800_0001, 0x0808_0001, Some(0x0b)),
        (0x0008_0000, 0xf080_0000, 0xf088_0000, None),
    ] {
        (cpu.fpc, cpu.gr[1]) = (before, operand.into());
        let expected = dxc.map_or(Ok(()), |dxc| Err(Interruption::Data(dxc)));
        assert_eq!(run(&mut cpu, [0xb3, 0x85, 0, 0x10]), expected, "SFASR of {operand:08x} after {before:08x}");
        assert_eq!(cpu.fpc, after);
    }
}

#[test]
fn what_the_other_machine_lacks() {
    let mut cpu = bfp_oracle::cpu();
    (cpu.fpr[1], cpu.fpr[2]) = (7f64.to_bits(), 2f64.to_bits());
    assert_eq!(run(&mut cpu, [0xb3, 0x5b, 0x35, 0x12]), Ok(()), "DIDBR 1,3,2,5");
    assert_eq!((f64::from_bits(cpu.fpr[3]), f64::from_bits(cpu.fpr[1]), cpu.cc), (3.0, 1.0, 0));
    assert_eq!(run(&mut cpu, [0xb3, 0x59, 0, 0x03]), Ok(()), "THDR 0,3");
    assert_eq!((cpu.fpr[0], cpu.cc), (0x4130_0000_0000_0000, 2));
    assert_eq!(run(&mut cpu, [0xb3, 0x51, 0x10, 0x40]), Ok(()), "TBDR 4,1,0");
    assert_eq!(f64::from_bits(cpu.fpr[4]), 3.0);
    // The operands of MDEBR are short, whatever lies to the right of them.
    cpu.fpr[0] = u64::from(1.5f32.to_bits()) << 32 | 0xdead_beef;
    cpu.fpr[2] = u64::from((-3f32).to_bits()) << 32 | 0xdead_beef;
    assert_eq!(run(&mut cpu, [0xb3, 0x0c, 0, 0x02]), Ok(()), "MDEBR 0,2");
    assert_eq!(f64::from_bits(cpu.fpr[0]), -4.5);
    (cpu.fpr[0], cpu.fpr[2]) = (1.5f64.to_bits(), 0xdead_beef);
    assert_eq!(run(&mut cpu, [0xb3, 0x07, 0, 0x00]), Ok(()), "MXDBR 0,0");
    assert_eq!((cpu.fpr[0], cpu.fpr[2]), (0x4000_2000_0000_0000, 0));
}
