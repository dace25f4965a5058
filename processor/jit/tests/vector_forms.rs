//! Vector instructions that code does by the host's vectors are what the interpreter makes of them: chance programs of
//! all that have a form, with floating point and condition codes in between. And code calls no handler for them.

#![cfg(translator)]

use arch::Absolute;
use base::Held;
use cpu::cr0;
use isa::form::{Form, Vector};
use isa::{Format, Instruction, instructions};
use std::sync::{Mutex, MutexGuard};
use support::Random;
use vectors::encode::{Field, blank, fields, put_field};
use vectors::machine::{Event, Machine};

const TEXT: u64 = 0x8000;
const ROUNDS: u64 = 12;
/// Operands lie there and up to two pages further on.
const OPERANDS: u64 = 0x20f80;
const AREA: (u64, usize) = (0x20000, 0x4000);

/// The rows that say what the host's vectors may do for them.
fn rows() -> Vec<&'static Instruction> {
    instructions().filter(|row| matches!(row.shape.form, Form::Vector(_))).collect()
}

/// Vector registers that programs use: few, so that results are operands; their left halves are also floating-point
/// registers or are not.
const VECTORS: [u64; 8] = [0, 1, 2, 5, 16, 17, 30, 31];

/// An instruction of this row with chance operands: modifiers may be none that it has.
fn instruction(row: &Instruction, random: &mut Random) -> Vec<u8> {
    let mut text = blank(row);
    let lengths = matches!(row.shape.form, Form::Vector(Vector::FetchedBytes | Vector::StoredBytes));
    let storage = row.format == Format::VRX || lengths;
    for field in fields(row) {
        let value = match field.0 {
            Field::V1 | Field::V2 | Field::V3 | Field::V4 => random.pick(&VECTORS),
            // The number of the last byte, or a great number.
            Field::R3 if lengths => random.pick(&[2, 3, 4]),
            Field::R1 | Field::R2 | Field::R3 => 4 + random.below(6u64),
            Field::M3 | Field::M4 | Field::M5 | Field::M6 => random.below(7u64),
            Field::X2 => random.pick(&[0, 0, 2]),
            Field::B2 if storage => 1,
            Field::B2 => random.pick(&[0, 0, 3]),
            Field::D2 if storage || random.one_in(4) => random.below(4096u64),
            Field::D2 => random.below(70u64),
            Field::I2 if random.one_in(2) => random.below(16u64),
            Field::I2 => random.pick(&[0, 0xffff, 0xff00, 0x8001]) ^ random.below(3u64),
            _ => random.below(17u64),
        };
        put_field(&mut text, field, value);
    }
    text
}

/// ADBR, MEEBR, LDR, LER, CDBR, LDGR, LGDR, LPDBR, CGR: what else is done with the left halves and with the code.
fn other(random: &mut Random) -> Vec<u8> {
    let [a, b] = [0, 0].map(|_: u8| random.pick(&[0u8, 1, 2, 5]));
    let r = 4 + random.below(6u8);
    match random.below(9u8) {
        0 => vec![0xb3, 0x1a, 0, a << 4 | b],
        1 => vec![0xb3, 0x17, 0, a << 4 | b],
        2 => vec![0x28, a << 4 | b],
        3 => vec![0x38, a << 4 | b],
        4 => vec![0xb3, 0x19, 0, a << 4 | b],
        5 => vec![0xb3, 0xc1, 0, a << 4 | r],
        6 => vec![0xb3, 0xcd, 0, r << 4 | a],
        7 => vec![0xb3, 0x10, 0, a << 4 | b],
        _ => vec![0xb9, 0x20, 0, r << 4 | 4],
    }
}

/// IPM 10; XGR 11,10; BRCTG 12,the first; no instruction.
fn program(instructions: &[Vec<u8>]) -> Vec<u8> {
    let all = [&instructions.concat()[..], &[0xb2, 0x22, 0, 0xa0, 0xb9, 0x82, 0, 0xba, 0xa7, 0xc7]].concat();
    let back = -(all.len() as i16 - 2) / 2;
    [&all[..], &back.to_be_bytes(), &[0, 0]].concat()
}

/// A machine that is going to execute this, with registers and storage that follow from the seed.
fn machine(text: &[u8], seed: u64, patience: u8) -> Machine {
    let mut machine = Machine::executing(text, TEXT, patience);
    machine.state.cr[0] |= cr0::AFP | cr0::VECTOR;
    machine.state.control_changed();
    let mut random = Random::seeded(seed);
    machine.storage.write(Absolute(AREA.0), &random.bytes(AREA.1)).expect("it is storage");
    let edges =
        [0, u64::MAX, 1 << 63, u64::MAX >> 1, 0x8080_8080_8080_8080, 0x7fff_7fff_7fff_7fff, 0x0102_0304_0506_0708];
    for r in 0..32 {
        let half = |random: &mut Random| if random.one_in(3) { random.pick(&edges) } else { random.word() };
        machine.state.fpr.0[r] = [half(&mut random), half(&mut random)];
    }
    for r in 4..10 {
        machine.state.gr[r] = random.word();
    }
    let gr = &mut machine.state.gr;
    (gr[1], gr[2], gr[3], gr[11], gr[12]) = (OPERANDS, random.below(18), random.below(70), 0, ROUNDS);
    machine
}

/// Instructions of which each ends when the others before it have ended: no modifier is wrong.
fn chance(seed: u64) -> Vec<Vec<u8>> {
    let mut random = Random::seeded(seed);
    let rows = rows();
    let mut machine = machine(&[0, 0], seed, 0);
    let mut found = Vec::new();
    while found.len() < 14 {
        let text = if random.one_in(5) { other(&mut random) } else { instruction(random.pick(&rows), &mut random) };
        machine.storage.write(Absolute(TEXT), &text).expect("it is storage");
        machine.state.ia = TEXT;
        machine.set_patience(0);
        if machine.step() == Event::None {
            found.push(text);
        }
    }
    found
}

/// All that a program can have changed.
type Changed = (Event, [u64; 16], Vec<[u64; 2]>, (u8, u32, u64), Vec<u8>);

fn executed(text: &[u8], seed: u64, patience: u8) -> Changed {
    let mut machine = machine(text, seed, patience);
    let event = machine.run(100_000);
    let mut area = vec![0; AREA.1];
    machine.storage.read(Absolute(AREA.0), &mut area).expect("it is storage");
    let s = &machine.state;
    (event, s.gr, s.fpr.0.to_vec(), (s.cc, s.fpc, s.ia), area)
}

/// One test at a time: statistics are the whole process's.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().held()
}

#[test]
fn chance_programs_do_what_they_do_interpreted() {
    let _alone = alone();
    for seed in 0..600 {
        let instructions = chance(seed);
        let text = program(&instructions);
        let interpreted = executed(&text, seed, 0);
        assert_eq!(interpreted.0, Event::Program { code: 1, ilc: 1, dxc: 0 }, "seed {seed}");
        for patience in [1, 3] {
            let translated = executed(&text, seed, patience);
            let same = translated == interpreted;
            assert!(same, "seed {seed}, patience {patience}: {:02x?}", differing(&instructions, seed));
        }
    }
}

/// Those of the instructions that alone, too, come to something else, and the vector registers that differ then.
fn differing(instructions: &[Vec<u8>], seed: u64) -> Vec<(&Vec<u8>, String)> {
    let differs = |text: &Vec<u8>| {
        let [interpreted, translated] = [0, 1].map(|patience| executed(&program(&[text.to_vec()]), seed, patience));
        let vectors = interpreted.2.iter().zip(&translated.2).enumerate().filter(|(_, (one, other))| one != other);
        (interpreted != translated).then(|| format!("{:016x?}", vectors.collect::<Vec<_>>()))
    };
    instructions.iter().filter_map(|text| Some((text, differs(text)?))).collect()
}

#[test]
fn each_row_with_a_form_is_done_in_code_with_some_modifier() {
    let _alone = alone();
    if !is_x86_feature_detected!("avx2") {
        return;
    }
    let seed = 1;
    for row in rows() {
        let mut random = Random::seeded(2);
        // In handlers, for each instruction of this row that is tried.
        let called = (0..60).map(|_| {
            let text = program(&[instruction(row, &mut random)]);
            let before = engine::statistics();
            executed(&text, seed, 1);
            let after = engine::statistics();
            let code = after.executed - before.executed > 2 * ROUNDS;
            if code { after.called - before.called + after.sites - before.sites } else { u64::MAX }
        });
        assert!(called.min() < Some(3), "{}", row.mnemonic);
    }
}

#[test]
fn where_vectors_are_not_enabled_code_ends_in_a_data_exception() {
    let _alone = alone();
    for (patience, bits) in [(0, cr0::AFP), (1, cr0::AFP), (0, 0), (1, 0)] {
        // VX 1,2,3; VA 4,1,1,2; no instruction.
        let text = [0xe7, 0x12, 0x30, 0, 0, 0x6d, 0xe7, 0x41, 0x10, 0, 0x20, 0xf3, 0, 0];
        let mut machine = machine(&text, 1, patience);
        let mask = machine.default_mask();
        let all = cr0::AFP | cr0::VECTOR;
        for enabled in [all, all, all, all, bits, all, bits, bits, all] {
            machine.state.cr[0] = machine.state.cr[0] & !all | enabled;
            machine.state.control_changed();
            machine.state.set_psw(arch::Psw { mask, address: TEXT });
            machine.state.fpr.0[1] = [1, 2];
            let event = machine.run(1000);
            let [a, b] = [2, 3].map(|r| machine.state.fpr.0[r]);
            if enabled == all {
                assert_eq!(event, Event::Program { code: 1, ilc: 1, dxc: 0 }, "patience {patience}");
                assert_eq!(machine.state.fpr.0[1], [a[0] ^ b[0], a[1] ^ b[1]]);
            } else {
                assert_eq!(event, Event::Program { code: 7, ilc: 3, dxc: 0xfe }, "patience {patience}");
                assert_eq!(machine.state.fpr.0[1], [1, 2], "patience {patience}");
            }
        }
    }
}
