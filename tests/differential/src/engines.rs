//! The translator against the interpreter: the same generated programs on both, everything compared.

use crate::campaign;
use crate::generate::{Generator, Row, Sequence};
use crate::image::text_address;
use crate::ours::{Ours, Outcome};
use crate::random::Random;
use vectors::Registers;

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
        // An endless loop: engines are stopped between blocks, and do not make the same blocks of it.
        if a.is_endless() && b.is_endless() {
            return None;
        }
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

/// Some floating-point registers get numbers whose products and quotients are, or just are not, tiny: they lie about
/// the least normal number and about 1, a few units of the last place away.
fn tiny(before: &mut Registers, random: &mut Random) {
    for n in 0..6 {
        let near = random.below(9u64).wrapping_sub(4);
        let sign = random.bits() & 1 << 63;
        before.fpr[n] = match random.below(5) {
            0 | 1 => sign | 0x0010_0000_0000_0000u64.wrapping_add(near),
            2 | 3 => sign | 0x3ff0_0000_0000_0000u64.wrapping_add(near),
            // Short ones.
            _ => sign | random.pick(&[0x0080_0000u64, 0x3f80_0000]).wrapping_add(near) << 32,
        };
    }
}

/// Sequences of a generator, each of several of its own, so that registers and condition codes live across
/// instructions.
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

/// A loop of a few instructions on registers 0 to 5 and storage, which counts in register 7: sequences of all rows
/// hardly ever branch back.
pub fn turns(random: &mut Random) -> Vec<u8> {
    const RR: [u8; 14] = [0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b, 0x1e, 0x1f];
    const RRE: [u8; 20] = [
        0x02, 0x03, 0x04, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x14, 0x16, 0x20, 0x21, 0x80, 0x81, 0x82, 0x84, 0x88, 0x89,
        0x98, 0x99,
    ];
    let register = |random: &mut Random| random.below(6) as u8;
    let one = |random: &mut Random| -> Vec<u8> {
        let (r1, r2) = (register(random), register(random));
        let both = r1 << 4 | r2;
        let (base, displacement) = (10 + random.below(5) as u8, random.below(64) as u8 * 4);
        match random.below(12) {
            0 | 1 => vec![random.pick(&RR), both],
            2 | 3 => vec![0xb9, random.pick(&RRE), 0, both],
            4 => vec![
                0xa7,
                r1 << 4 | random.pick(&[0, 1, 8, 9, 10, 11, 14, 15]),
                random.bits() as u8,
                random.bits() as u8,
            ],
            5 | 6 => {
                // L, ST, A, C, CL, N, IC, STC, and CVD, which is always done by its handler.
                let op = random.pick(&[0x58, 0x50, 0x5a, 0x59, 0x55, 0x54, 0x43, 0x42, 0x4e]);
                vec![op, r1 << 4, base << 4, displacement]
            }
            7 => {
                // LG, STG, AG, ALG, CG, LLGC
                let op = random.pick(&[0x04, 0x24, 0x08, 0x0a, 0x20, 0x90]);
                vec![0xe3, r1 << 4, base << 4, displacement, 0, op]
            }
            8 => vec![0xeb, both, 0, random.below(64) as u8, 0, random.pick(&[0x0c, 0x0d, 0x0a])], // SRLG, SLLG, SRAG
            9 => vec![0xec, both, random.below(64) as u8, random.below(256) as u8, random.below(64) as u8, 0x55], // RISBG
            10 => vec![0xb2, 0x22, 0, r1 << 4],                                                                   // IPM
            _ => vec![0xa7, (random.below(16) as u8) << 4 | 4, 0, 4, 0xa7, r1 << 4 | 0xa, 0, 7], // BRC around AHI
        }
    };
    around(random, one)
}

/// The same on floating-point registers 0 to 5, whose numbers are what they become.
pub fn float_turns(random: &mut Random) -> Vec<u8> {
    // LPEBR to LTEBR, LCEBR, LDEBR, KEBR, CEBR, AEBR, SEBR, DEBR, the same long; SQEBR, SQDBR, MEEBR, MDBR, LPDFR,
    // LNDFR, LCDFR.
    const RRE: [u8; 27] = [
        0x00, 0x01, 0x02, 0x03, 0x04, 0x08, 0x09, 0x0a, 0x0b, 0x0d, 0x10, 0x11, 0x12, 0x13, 0x18, 0x19, 0x1a, 0x1b,
        0x1a, 0x1d, 0x14, 0x15, 0x17, 0x1c, 0x70, 0x71, 0x73,
    ];
    // LEDBR, FIEBR, FIDBR; CEFBR, CDFBR, CFEBR, CFDBR, CEGBR, CDGBR, CGEBR, CGDBR.
    const RRF: [u8; 11] = [0x44, 0x57, 0x5f, 0x94, 0x95, 0x98, 0x99, 0xa4, 0xa5, 0xa8, 0xa9];
    // LDEB, KDB, CEB, AEB, SEB, MEEB, DEB, CDB, ADB, SDB, MDB, DDB, SQDB.
    const RXE: [u8; 13] = [0x04, 0x18, 0x09, 0x0a, 0x0b, 0x17, 0x0d, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x15];
    // MAE, MSE, MAD, MSD.
    const MULTIPLY_AND: [u8; 4] = [0x0e, 0x0f, 0x1e, 0x1f];
    let one = |random: &mut Random| -> Vec<u8> {
        let [r1, r2, r3] = std::array::from_fn(|_| random.below(6) as u8);
        let both = r1 << 4 | r2;
        let (base, displacement) = ((10 + random.below(5) as u8) << 4, random.below(32) as u8 * 8);
        match random.below(16) {
            0..=3 => vec![0xb3, random.pick(&RRE), 0, both],
            4 | 5 => vec![0xb3, random.pick(&RRF), random.pick(&[0, 0, 0, 1, 4, 5, 6, 7]) << 4, both],
            6 | 7 => vec![0xb3, random.pick(&MULTIPLY_AND), r1 << 4, r3 << 4 | r2],
            8 => vec![0xed, r3 << 4, base, displacement, r1 << 4, random.pick(&MULTIPLY_AND)],
            9 | 10 => vec![0xed, r1 << 4, base, displacement, 0, random.pick(&RXE)],
            // LD, LE, STD, STE.
            11 | 12 => vec![random.pick(&[0x68, 0x68, 0x78, 0x60, 0x60, 0x70]), r1 << 4, base, displacement],
            // LDR, LER.
            13 => vec![random.pick(&[0x28, 0x38]), both],
            // LZER, LZDR, LDGR, LGDR, EFPC.
            14 => vec![0xb3, random.pick(&[0x74, 0x75, 0xc1, 0xcd, 0x8c]), 0, both],
            _ => match random.below(8) {
                // SRNM; CVD, which is always done by its handler; VLR, VX; BRC around LDR.
                0 => vec![0xb2, 0x99, 0, random.below(4) as u8],
                1 => vec![0x4e, r1 << 4, base, displacement],
                2 => vec![0xe7, both, 0, 0, 0, 0x56],
                3 => vec![0xe7, both, r3 << 4, 0, 0, 0x6d],
                _ => vec![0xa7, (random.below(16) as u8) << 4 | 4, 0, 3, 0x28, both],
            },
        }
    };
    around(random, one)
}

/// A loop over numbers side by side, which counts in register 7: rounds of such a loop may be done by fours.
pub fn stream_turns(random: &mut Random) -> Vec<u8> {
    let mut text = vec![0xa7, 0x79, 0, 1 + random.below(40) as u8]; // LGHI 7,n
    let start = text.len();
    let bases: Vec<u8> = (0..1 + random.below(3)).map(|n| 10 + n as u8).collect();
    // AGHI before or after what is done, or LA.
    let before: Vec<bool> = bases.iter().map(|_| random.one_in(2)).collect();
    let step = |random: &mut Random, base: u8| match random.below(3) {
        0 => vec![0x41, base << 4, base << 4, 8],
        _ => vec![0xa7, base << 4 | 0xb, 0, 8],
    };
    for (&base, _) in bases.iter().zip(&before).filter(|(_, before)| **before) {
        text.extend(step(random, base));
    }
    // LDY, STDY and their displacement.
    let access = |random: &mut Random, op: u8, r: u8, off: Option<i32>| {
        let n = random.below(bases.len() as u64) as usize;
        let disp = off.unwrap_or(0) - if before[n] { 8 } else { 0 };
        vec![0xed, r << 4, bases[n] << 4 | (disp >> 8 & 15) as u8, disp as u8, (disp >> 12) as u8, op]
    };
    let off = if random.one_in(4) { Some(8 * random.below(3)) } else { None };
    let made = random.below(2) as u8;
    text.extend(access(random, 0x65, made, off));
    for _ in 0..random.below(3) {
        let r2 = random.pick(&[made, 2, 3, 4]);
        text.extend(match random.below(4) {
            // MADBR, MSDBR.
            0 => vec![0xb3, random.pick(&[0x1e, 0x1f]), made << 4, random.pick(&[2, 3, made]) << 4 | r2],
            // MADB, ADB off a base that is stepped after it.
            1 if before.contains(&false) => {
                let base = bases[before.iter().position(|before| !before).expect("there is one")];
                let (op, r1, r3) = if random.one_in(2) { (0x1e, made, 2) } else { (0x1a, 0, made) };
                vec![0xed, r3 << 4, base << 4, 0, r1 << 4, op]
            }
            // ADBR, SDBR, MDBR, DDBR, LDR.
            2 => vec![0x28, made << 4 | r2],
            _ => vec![0xb3, random.pick(&[0x1a, 0x1b, 0x1c, 0x1d]), 0, made << 4 | r2],
        });
    }
    text.extend(access(random, 0x67, made, None));
    for (&base, _) in bases.iter().zip(&before).filter(|(_, before)| !**before) {
        text.extend(step(random, base));
    }
    let back = if random.one_in(4) { 0x76 } else { 0x77 };
    let distance = (start as i16 - text.len() as i16) / 2;
    text.extend([0xa7, back]);
    text.extend(distance.to_be_bytes());
    text
}

/// A loop of a few of these, which counts in register 7.
fn around(random: &mut Random, one: impl Fn(&mut Random) -> Vec<u8>) -> Vec<u8> {
    let mut text = vec![0xa7, 0x79, 0, 2 + random.below(5) as u8]; // LGHI 7,n
    let start = text.len();
    for _ in 0..1 + random.below(7) {
        text.extend(one(random));
    }
    let mut back = match random.below(3) {
        0 => vec![0xa7, 0x76],                         // BRCT
        1 => vec![0xa7, 0x77],                         // BRCTG
        _ => vec![0xa7, 0x7b, 0xff, 0xff, 0xa7, 0x74], // AGHI -1, BRC not zero
    };
    let distance = (start as i16 - (text.len() + back.len() - 2) as i16) / 2;
    back.extend(distance.to_be_bytes());
    text.extend(back);
    text
}

/// Compares the engines on `count` sequences; what differs, shrunk, the first few. Two of three are loops of what most
/// programs do, unless it is the rows that are asked for, `alone`.
pub fn compare(rows: &[Row], alone: bool, seed: u64, count: usize) -> Vec<String> {
    let mut pair = Pair::default();
    let mut generator = Generator::new(seed, rows);
    let mut random = Random::new(seed);
    let mut found = Vec::new();
    for n in 0..count {
        let mut sequence = sequence(&mut generator, 1 + n % 6);
        let kind = if alone { 2 } else { n % 3 };
        if kind == 0 {
            sequence.units = (0..1 + random.below(3)).map(|_| turns(&mut random)).collect();
        } else if kind == 1 {
            let turns: fn(&mut Random) -> Vec<u8> = if random.one_in(4) { stream_turns } else { float_turns };
            sequence.units = (0..1 + random.below(3)).map(|_| turns(&mut random)).collect();
            // As in most programs; or anything.
            if !random.one_in(3) {
                sequence.before.fpc = random.pick(&[0, 0, 0x0008_0000, 0x00f8_0000, 0x8008_0000, 0x1000_0000, 2]);
            }
            if random.one_in(3) {
                tiny(&mut sequence.before, &mut random);
            }
        }
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
            // The state before, as a line of a vector has it.
            let before: Vec<String> = campaign::settings(&small).iter().map(ToString::to_string).collect();
            found.push(format!("{}: {why}\n  {} ->", text.join("; "), before.join(" ")));
            if found.len() >= 8 {
                break;
            }
        }
    }
    found
}
