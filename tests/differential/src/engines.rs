//! The translator against the interpreter: the same generated programs on both, everything compared.

use crate::generate::{Generator, Row, Sequence};
use crate::image::text_address;
use crate::ours::{Ours, Outcome};

/// Two of our own processors that differ in their engine.
pub struct Pair {
    interpreter: Ours,
    jit: Ours,
}

impl Default for Pair {
    fn default() -> Pair {
        let (mut interpreter, mut jit) = (Ours::new(), Ours::new());
        interpreter.set_patience(0);
        jit.set_patience(1);
        Pair { interpreter, jit }
    }
}

impl Pair {
    /// How the engines differ on a sequence, in words.
    pub fn difference(&mut self, sequence: &Sequence) -> Option<String> {
        let (test, address) = (sequence.test(), text_address(0));
        let one = |ours: &mut Ours| {
            let (before, _) = ours.counts();
            let outcome = ours.run(&test, address);
            let (after, breaking) = ours.counts();
            (outcome, after - before, breaking)
        };
        let (a, count_a, breaking_a) = one(&mut self.interpreter);
        let (b, count_b, breaking_b) = one(&mut self.jit);
        let mut found = differences(&a, &b);
        if count_a != count_b {
            found.push(format!("instructions {count_a} / {count_b}"));
        }
        if breaking_a != breaking_b {
            found.push(format!("breaking event {breaking_a:x} / {breaking_b:x}"));
        }
        (!found.is_empty()).then(|| found.join(", "))
    }

    /// The sequence with as few instructions as still show a difference.
    pub fn shrink(&mut self, mut sequence: Sequence) -> Sequence {
        let mut n = 0;
        while n < sequence.units.len() {
            let mut shorter = sequence.clone();
            shorter.units.remove(n);
            if !shorter.units.is_empty() && self.difference(&shorter).is_some() {
                sequence = shorter;
            } else {
                n += 1;
            }
        }
        sequence
    }
}

fn differences(a: &Outcome, b: &Outcome) -> Vec<String> {
    let mut found = Vec::new();
    let mut number = |what: String, a: u64, b: u64| {
        if a != b {
            found.push(format!("{what} {a:016x} / {b:016x}"));
        }
    };
    for n in 0..16 {
        number(format!("r{n}"), a.after.gr[n], b.after.gr[n]);
        number(format!("f{n}"), a.after.fpr[n], b.after.fpr[n]);
        number(format!("a{n}"), a.after.ar[n].into(), b.after.ar[n].into());
    }
    number("cc".into(), a.after.cc.into(), b.after.cc.into());
    number("fpc".into(), a.after.fpc.into(), b.after.fpc.into());
    number("program mask".into(), a.after.program_mask.into(), b.after.program_mask.into());
    number("address".into(), a.address, b.address);
    for (n, (a, b)) in a.after.scratch.iter().zip(&b.after.scratch).enumerate() {
        number(format!("storage +{n:x}"), u64::from(*a), u64::from(*b));
    }
    if a.event != b.event {
        found.push(format!("{:?} / {:?}", a.event, b.event));
    }
    found
}

/// Sequences of a generator, each of several of its own, so that registers and condition codes live across instructions.
pub fn sequence(generator: &mut Generator, parts: usize) -> Sequence {
    let mut whole = generator.sequence(None, text_address(0));
    for _ in 1..parts {
        let more = generator.sequence(None, text_address(0));
        if whole.units.iter().chain(&more.units).map(Vec::len).sum::<usize>() > crate::image::TEXT_MAX {
            break;
        }
        whole.units.extend(more.units);
    }
    whole
}

/// Compares the engines on `count` sequences; what differs, shrunk, the first few.
pub fn compare(rows: &[Row], seed: u64, count: usize) -> Vec<String> {
    let mut pair = Pair::default();
    let mut generator = Generator::new(seed, rows);
    let mut found = Vec::new();
    for n in 0..count {
        let sequence = sequence(&mut generator, 1 + n % 6);
        if pair.difference(&sequence).is_some() {
            let small = pair.shrink(sequence);
            let why = pair.difference(&small).unwrap_or("not again".into());
            let text: Vec<String> = small
                .units
                .iter()
                .map(|unit| {
                    let hex: String = unit.iter().map(|byte| format!("{byte:02x}")).collect();
                    let mut text = [0; 6];
                    text[..unit.len().min(6)].copy_from_slice(&unit[..unit.len().min(6)]);
                    format!("{hex} {}", isa::disassemble(text, cpu::Architecture::Z).unwrap_or_default())
                })
                .collect();
            found.push(format!("{}: {why}\n   gr {:x?} cc {}", text.join("; "), small.before.gr, small.before.cc));
            if found.len() >= 8 {
                break;
            }
        }
    }
    found
}
