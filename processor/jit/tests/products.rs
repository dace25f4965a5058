//! Products of words, as code and interpreted, beside a model that multiplies in 128 bits: registers, condition codes,
//! and the interruption after an overflow. Code calls no handler for them.

#![cfg(translator)]

use arch::{Absolute, Psw};
use base::Held;
use std::sync::{Mutex, MutexGuard};
use support::Random;
use vectors::machine::{Event, Machine};

const TEXT: u64 = 0x8000;
const RECORDS: u64 = 0x10000;
/// A record has operands and then what became of them.
const SIZE: u64 = 64;
const COUNT: usize = 1500;

/// The word in storage is at 24(13).
const AT: [u8; 3] = [0xd0, 24, 0];

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Registers 2 and 3 become the product of 3 and the second operand.
    Pair { signed: bool },
    /// Register 2 becomes the product, as far as it fits, of the register that is named and the second operand.
    Single { first: usize, bits: u32 },
}

/// An instruction: its text, what it does, and where its second operand is (`None`: in storage).
struct Form {
    name: &'static str,
    text: Vec<u8>,
    kind: Kind,
    second: Option<usize>,
}

fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    let mut add = |name, text: &[u8], kind, second| forms.push(Form { name, text: text.to_vec(), kind, second });
    let [b, low, high] = AT;
    for (second, r2) in [(2, 2), (3, 3), (4, 4)] {
        add("MR", &[0x1c, 0x20 | r2], Kind::Pair { signed: true }, Some(second));
        add("MLR", &[0xb9, 0x96, 0, 0x20 | r2], Kind::Pair { signed: false }, Some(second));
    }
    add("M", &[0x5c, 0x20, b, low], Kind::Pair { signed: true }, None);
    add("MFY", &[0xe3, 0x20, b, low, high, 0x5c], Kind::Pair { signed: true }, None);
    add("ML", &[0xe3, 0x20, b, low, high, 0x96], Kind::Pair { signed: false }, None);
    for (first, second) in [(2, 2), (2, 3), (3, 2), (3, 4), (4, 4)] {
        for (name, code, bits) in [("MSRKC", 0xfd, 32), ("MSGRKC", 0xed, 64)] {
            let text = [0xb9, code, (second as u8) << 4, 0x20 | first as u8];
            add(name, &text, Kind::Single { first, bits }, Some(second));
        }
    }
    add("MSC", &[0xe3, 0x20, b, low, high, 0x53], Kind::Single { first: 2, bits: 32 }, None);
    add("MSGC", &[0xe3, 0x20, b, low, high, 0x83], Kind::Single { first: 2, bits: 64 }, None);
    forms
}

/// What is right: registers 2 and 3, the condition code, and whether it has overflowed (POP, chapter 7).
fn model(form: &Form, [r2, r3, r4, stored]: [u64; 4], cc: u8) -> ([u64; 2], u8, bool) {
    let registers = [0, 0, r2, r3, r4];
    // The word of storage is on the left of its doubleword.
    let second = |bits| match form.second {
        Some(r) => registers[r],
        None if bits == 32 => stored >> 32,
        None => stored,
    };
    let signed = |v: u64, bits| if bits == 32 { v as i32 as i128 } else { v as i64 as i128 };
    match form.kind {
        Kind::Pair { signed: signs } => {
            let [a, b] = [r3, second(32)].map(|v| if signs { signed(v, 32) } else { v as u32 as i128 });
            let product = a * b;
            let [left, right] = [product >> 32, product].map(|v| v as u32 as u64);
            let half = |old: u64, new: u64| old & !0xffff_ffff | new;
            ([half(r2, left), half(r3, right)], cc, false)
        }
        Kind::Single { first, bits } => {
            let product = signed(registers[first], bits) * signed(second(bits), bits);
            let kept = signed(product as u64, bits);
            let r2 = if bits == 32 { r2 & !0xffff_ffff | kept as u32 as u64 } else { kept as u64 };
            let overflow = kept != product;
            let cc = if overflow { 3 } else { (product < 0) as u8 + 2 * (product > 0) as u8 };
            ([r2, r3], cc, overflow)
        }
    }
}

/// LMG 2,4,0(13); LTGR 6,2; the instruction; IPM 5; STMG 2,5,32(13); LA 13,64(13); BRCTG 12,the first; no instruction.
fn text(form: &Form) -> Vec<u8> {
    let before = [0xeb, 0x24, 0xd0, 0, 0, 0x04, 0xb9, 0x02, 0, 0x62];
    let after = [0xb2, 0x22, 0, 0x50, 0xeb, 0x25, 0xd0, 32, 0, 0x24, 0x41, 0xd0, 0xd0, SIZE as u8, 0xa7, 0xc7];
    let all = [&before[..], &form.text, &after].concat();
    let back = -(all.len() as i16 - 2) / 2;
    [&all[..], &back.to_be_bytes(), &[0, 0]].concat()
}

/// Operands, half of them at an edge of what words or doublewords can say.
fn operands(random: &mut Random) -> Vec<[u64; 4]> {
    let words = [0, 1, 2, 46340, 46341, 65535, 65536, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_ffff, 0xffff_4afb];
    let doublewords = [0, 1, 0xb504_f333, 0xb504_f334, u64::MAX >> 1, 1 << 63, 1 << 63 | 1, u64::MAX];
    let operand = |random: &mut Random| match random.below(4u8) {
        0 => random.pick(&words) << 32 | random.pick(&words),
        1 => random.pick(&doublewords),
        // Either half is a small number with a sign.
        2 => (random.word() as i8 as u32 as u64) << 32 | random.word() as i16 as u32 as u64,
        _ => random.word(),
    };
    let mut pairs = doublewords.iter().flat_map(|&a| doublewords.map(|b| [a, b, a, b])).collect::<Vec<_>>();
    pairs.extend(words.iter().flat_map(|&a| words.map(|b| [a << 32 | b, b << 32 | a, b << 32 | b, a << 32 | a])));
    pairs.extend(std::iter::repeat_with(|| [(); 4].map(|()| operand(random))).take(COUNT - pairs.len()));
    pairs
}

fn check(form: &Form, records: &[[u64; 4]], patience: u8, interrupts: bool) {
    let mut machine = Machine::executing(&text(form), TEXT, patience);
    for (at, record) in (RECORDS..).step_by(SIZE as usize).zip(records) {
        let bytes: Vec<u8> = record.iter().flat_map(|v| v.to_be_bytes()).collect();
        machine.storage.write(Absolute(at), &bytes).expect("it is storage");
    }
    // Bit 20 of the PSW: fixed-point overflow.
    let mask = machine.default_mask() | (interrupts as u64) << 43;
    machine.state.set_psw(Psw { mask, address: TEXT });
    (machine.state.gr[5], machine.state.gr[12], machine.state.gr[13]) = (0, records.len() as u64, RECORDS);
    let after = TEXT + 10 + form.text.len() as u64;
    for (at, &record) in (RECORDS..).step_by(SIZE as usize).zip(records) {
        let sign = record[0] as i64;
        let (registers, cc, overflow) = model(form, record, (sign < 0) as u8 + 2 * (sign > 0) as u8);
        if overflow && interrupts {
            let event = machine.run(1_000_000);
            let ilc = form.text.len() as u8 / 2;
            assert_eq!(event, Event::Program { code: 8, ilc, dxc: 0 }, "{} {record:x?} {patience}", form.name);
            let s = &machine.state;
            assert_eq!((s.ia, s.gr[13], [s.gr[2], s.gr[3]], s.cc), (after, at, registers, cc), "{}", form.name);
        }
    }
    assert_eq!(machine.run(1_000_000), Event::Program { code: 1, ilc: 1, dxc: 0 });
    for (at, &record) in (RECORDS..).step_by(SIZE as usize).zip(records) {
        let sign = record[0] as i64;
        let (registers, cc, _) = model(form, record, (sign < 0) as u8 + 2 * (sign > 0) as u8);
        let found = [32, 40, 48, 56].map(|n| machine.storage.read_u64(Absolute(at + n)).expect("it is storage"));
        let program_mask = (interrupts as u64) << 27;
        let expected = [registers[0], registers[1], record[2], u64::from(cc) << 28 | program_mask];
        assert_eq!(found, expected, "{} {:02x?} of {record:x?}, patience {patience}", form.name, form.text);
    }
}

/// One test at a time: statistics are the whole process's.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().held()
}

#[test]
fn products_and_their_condition_codes_are_those_of_the_model() {
    let _alone = alone();
    let records = operands(&mut Random::seeded(22));
    for form in &forms() {
        for (patience, interrupts) in [(0, false), (1, false), (40, false), (0, true), (1, true)] {
            check(form, &records, patience, interrupts);
        }
    }
}

#[test]
fn products_of_words_are_no_calls_of_handlers() {
    let _alone = alone();
    // Small numbers: nothing overflows.
    let mut random = Random::seeded(23);
    let small = |random: &mut Random| random.below(40_000u64) << 32 | random.below(40_000u64);
    let records: Vec<_> = (0..COUNT).map(|_| [(); 4].map(|()| small(&mut random))).collect();
    let words = |form: &&Form| matches!(form.kind, Kind::Pair { .. } | Kind::Single { bits: 32, .. });
    for form in forms().iter().filter(words) {
        let before = engine::statistics();
        check(form, &records, 1, false);
        let after = engine::statistics();
        assert!(after.executed - before.executed > 5 * COUNT as u64, "{}: most of it is code", form.name);
        let elsewhere = after.called - before.called + after.sites - before.sites;
        assert!(elsewhere < COUNT as u64 / 4, "{}: {elsewhere} in handlers", form.name);
    }
}
