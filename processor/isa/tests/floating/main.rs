//! Floating point against independent arithmetic: every instruction of POP chapters 18, 19 and 20, every class of
//! operands by every other, all rounding modes, each exception enabled alone and all of them.
//!
//! Expected values of binary floating point are a software-float library's (`ieee`), those of hexadecimal floating
//! point a model's that works digit by digit (`hexadecimal`), those of decimal floating point another library's
//! (`decnumber`). `FLOATS=100000000` asks for that many cases instead of
//! a few of each instruction: at least all combinations once. `SEED=2` asks for others.
//!
//!     FLOATS=100000000 cargo test --release -p isa --test floating -- --nocapture

mod binary;
mod decimal;
mod decnumber;
mod digits;
mod hexadecimal;
mod hfp;
mod ieee;
#[path = "../lone_cpu/mod.rs"]
mod lone_cpu;
mod machine;
mod number;

use machine::{Case, Combination, Expected};
use std::collections::BTreeSet;
use support::Random;

/// Cases of each instruction, if no number is asked for.
const FEW: u64 = 4000;
/// Differences that are shown of each instruction.
const SHOWN: u64 = 3;

fn asked(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// An operation of one chapter, as the sweep sees it.
trait Operation: Copy {
    /// Limits of what can be chosen, one after another.
    fn combinations(self) -> Vec<usize>;
    fn case(self, row: &isa::Instruction, random: &mut Random, of: Combination) -> Case;
    fn expected(self, row: &isa::Instruction, case: &Case) -> Expected;
}

macro_rules! operation {
    ($($type:ty)*) => { $(
        impl Operation for $type {
            fn combinations(self) -> Vec<usize> {
                self.combinations()
            }
            fn case(self, row: &isa::Instruction, random: &mut Random, of: Combination) -> Case {
                self.case(row, random, of)
            }
            fn expected(self, row: &isa::Instruction, case: &Case) -> Expected {
                self.expected(row, case)
            }
        }
    )* };
}

operation! { binary::Operation hfp::Operation decimal::Operation }

/// Compares as many cases of an instruction, and returns how many differ.
fn compare(operation: impl Operation, row: &isa::Instruction, count: u64, random: &mut Random) -> u64 {
    let combinations: u64 = operation.combinations().iter().map(|&limit| limit as u64).product();
    // A step that has no divisor in common with any number of combinations, and is spread over all of them.
    let step = (combinations as f64 * 0.618_034) as u64 | 1;
    let step = (step..).find(|&step| gcd(step, combinations) == 1).expect("a prime number comes");
    let mut cpu = machine::cpu();
    let mut differences = 0;
    let mut at = random.below(combinations);
    for _ in 0..count {
        at = (at + step) % combinations;
        let case = operation.case(row, random, Combination(at));
        let expected = operation.expected(row, &case);
        let found = machine::execute(&mut cpu, case.text, &case.before);
        if found != expected {
            differences += 1;
            if differences <= SHOWN {
                println!(
                    "{} {:02x?}\n before   {:x?}\n found    {:x?}\n expected {:x?}",
                    row.mnemonic, case.text, case.before, found, expected
                );
            }
        }
    }
    differences
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Compares all instructions of a table, and prints a line for each: mnemonic, cases, differences.
fn sweep<O: Operation>(chapter: &str, table: &[(&str, O)], share: f64) -> u64 {
    let rows: Vec<(&isa::Instruction, O)> =
        table.iter().flat_map(|(names, operation)| names.split(' ').map(|name| (row(name), *operation))).collect();
    let each = asked("FLOATS").map(|all| (all as f64 * share / rows.len() as f64) as u64);
    let mut random = Random::seeded(asked("SEED").unwrap_or(1));
    let (mut cases, mut wrong) = (0, 0);
    println!("\n| instruction | cases | differences |\n|---|---:|---:|");
    for (row, operation) in rows {
        let combinations: u64 = operation.combinations().iter().map(|&limit| limit as u64).product();
        let count = each.map_or(FEW, |each| each.max(combinations));
        let differences = compare(operation, row, count, &mut random);
        if each.is_some() || differences > 0 {
            println!("| {} | {count} | {differences} |", row.mnemonic);
        }
        cases += count;
        wrong += differences;
    }
    println!("{chapter}: {cases} cases, {wrong} differences");
    wrong
}

fn row(name: &str) -> &'static isa::Instruction {
    isa::instructions().find(|row| row.mnemonic == name).unwrap_or_else(|| panic!("there is no row {name}"))
}

/// How much of all cases is of binary floating point.
const BINARY: f64 = 0.6;
/// How much is of decimal floating point.
const DECIMAL: f64 = 0.2;

#[test]
fn binary_floating_point_is_what_a_library_says() {
    assert_eq!(sweep("binary", binary::INSTRUCTIONS, BINARY), 0);
}

#[test]
fn hexadecimal_floating_point_is_what_digits_say() {
    assert_eq!(sweep("hexadecimal", hfp::INSTRUCTIONS, 1.0 - BINARY - DECIMAL), 0);
}

#[test]
fn decimal_floating_point_is_what_a_library_says() {
    assert_eq!(sweep("decimal", decimal::INSTRUCTIONS, DECIMAL), 0);
}

/// Instructions of chapter 9 that compute nothing: `tests/vectors` has them. PFPO is compared in `tests/radix.rs`.
const SUPPORT: &str = "LDR LER LXR LD LE LDY LEY STD STE STDY STEY LZER LZDR LZXR LPDFR LNDFR LCDFR CPSDR LDGR LGDR \
    EFPC STFPC SFPC LFPC SFASR LFAS SRNM SRNMB SRNMT PFPO";

/// No instruction that uses floating-point registers is forgotten.
#[test]
fn every_instruction_of_the_chapters_is_compared() {
    let names = |text: &'static str| text.split_whitespace();
    let binary = binary::INSTRUCTIONS.iter().flat_map(|(text, _)| names(text));
    let hexadecimal = hfp::INSTRUCTIONS.iter().flat_map(|(text, _)| names(text));
    let decimal = decimal::INSTRUCTIONS.iter().flat_map(|(text, _)| names(text));
    let compared: BTreeSet<&str> = binary.chain(hexadecimal).chain(decimal).chain(names(SUPPORT)).collect();
    let floating = |row: &&isa::Instruction| {
        use isa::Exception::{AfpRegister, BfpInstruction, DfpInstruction};
        let floating = |why| matches!(why, AfpRegister | BfpInstruction | DfpInstruction);
        row.run.is_some() && row.outcome.exceptions().any(floating)
    };
    let missing: Vec<&str> = isa::instructions()
        .filter(floating)
        .map(|row| row.mnemonic)
        .filter(|&mnemonic| !compared.contains(mnemonic))
        .collect();
    assert_eq!(missing, [""; 0], "of {} instructions", compared.len());
}
