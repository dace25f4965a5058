//! VLBB, LCBB, VLL, VSTL and VLGV, as code and interpreted, beside a model: at each place around the ends of blocks and
//! pages, where the page after them may not be fetched from.

#![cfg(translator)]

use arch::{Absolute, Psw};
use base::Held;
use cpu::cr0;
use std::sync::{Mutex, MutexGuard};
use vectors::machine::{Event, Machine};

const TEXT: u64 = 0x8000;
/// What is fetched ends with this page; the next is protected.
const PAGE: u64 = 0x20000;
const SIZE: u64 = 0x1000;
const RESULTS: u64 = 0x40000;
const RECORD: u64 = 32;

/// One test at a time: statistics are the whole process's.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().held()
}

/// A byte of storage that tells its place from others.
fn byte(at: u64) -> u8 {
    (at.wrapping_mul(0x9e37_79b9) >> 11) as u8 | 1
}

/// A program at the beginning of a machine that may fetch from the page alone, with vectors enabled.
fn machine(text: &[u8], patience: u8) -> Machine {
    let mut machine = Machine::executing(text, TEXT, patience);
    machine.state.cr[0] |= cr0::AFP | cr0::VECTOR;
    machine.state.control_changed();
    let bytes: Vec<u8> = (PAGE..PAGE + 2 * SIZE).map(byte).collect();
    machine.storage.write(Absolute(PAGE), &bytes).expect("it is storage");
    // Key 1 and the fetch-protection bit.
    machine.storage.set_key(Absolute(PAGE + SIZE), 0x18).expect("it is storage");
    for page in (0..1 << 20).step_by(4096).filter(|&page| page != PAGE + SIZE) {
        machine.storage.set_key(Absolute(page), 0x20).expect("it is storage");
    }
    let mask = machine.default_mask() | 2 << 52;
    machine.state.set_psw(Psw { mask, address: TEXT });
    machine
}

/// VLBB 17,0(3),m; LCBB 4,0(3),m; IPM 5; VST 17,0(13); STMG 4,5,16(13); LA 13,32(13); LA 3,1(3); BRCTG 12,the first; no
/// instruction. With an index, VLBB and LCBB have it in 6.
fn text(m: u8, index: u8) -> Vec<u8> {
    let all = [
        &[0xe7, 0x10 | index, 0x30, 0, m << 4 | 8, 0x07][..],
        &[0xe7, 0x40 | index, 0x30, 0, m << 4, 0x27],
        &[0xb2, 0x22, 0, 0x50],
        &[0xe7, 0x10, 0xd0, 0, 8, 0x0e],
        &[0xeb, 0x45, 0xd0, 16, 0, 0x24],
        &[0x41, 0xd0, 0xd0, RECORD as u8, 0x41, 0x30, 0x30, 1, 0xa7, 0xc7],
    ]
    .concat();
    let back = -(all.len() as i16 - 2) / 2;
    [&all[..], &back.to_be_bytes(), &[0, 0]].concat()
}

#[test]
fn what_lies_beyond_a_block_is_neither_fetched_nor_counted() {
    let _alone = alone();
    for (patience, index) in [(0, 0), (1, 0), (1, 6), (40, 6)] {
        for m in 0..=6 {
            let mut machine = machine(&text(m, index), patience);
            let (first, count) = (PAGE + SIZE - 400, 400);
            let gr = &mut machine.state.gr;
            (gr[3], gr[4], gr[5], gr[6]) = (first - 16, u64::MAX, 0, 16);
            (gr[12], gr[13]) = (count, RESULTS);
            let first = if index == 0 { first - 16 } else { first };
            assert_eq!(machine.run(1_000_000), Event::Program { code: 1, ilc: 1, dxc: 0 }, "{m} {patience}");
            for n in 0..count {
                let at = first + n;
                let end = (at / (64 << m) + 1) * (64 << m);
                let bytes = (end - at).min(16);
                let vector: Vec<u8> = (at..at + 16).map(|at| if at < end { byte(at) } else { 0 }).collect();
                let mut found = [0; 32];
                machine.storage.read(Absolute(RESULTS + n * RECORD), &mut found).expect("it is storage");
                let count = 0xffff_ffff_0000_0000 | bytes;
                let code = if bytes == 16 { 0u64 } else { 3 << 28 };
                let expected = [&vector[..], &count.to_be_bytes(), &code.to_be_bytes()].concat();
                assert_eq!(found[..], expected[..], "M3 {m}, {at:x}, patience {patience}");
            }
        }
    }
}

#[test]
fn the_page_after_is_a_protection_exception_where_the_block_begins_in_it() {
    let _alone = alone();
    for patience in [0, 1, 40] {
        for m in 0..=6 {
            let mut machine = machine(&text(m, 0), patience);
            let gr = &mut machine.state.gr;
            (gr[3], gr[12], gr[13]) = (PAGE + SIZE - 60, 1000, RESULTS);
            assert_eq!(machine.run(1_000_000), Event::Program { code: 4, ilc: 3, dxc: 0 });
            assert_eq!((machine.state.ia, machine.state.gr[3]), (TEXT + 6, PAGE + SIZE), "M3 {m}, patience {patience}");
        }
        // There is no block that long.
        let mut machine = machine(&text(7, 0), patience);
        machine.state.gr[3] = PAGE;
        assert_eq!(machine.run(1000), Event::Program { code: 6, ilc: 3, dxc: 0 });
    }
}

#[test]
fn elements_are_fetched_by_the_text_or_by_a_register() {
    let _alone = alone();
    let vector: Vec<u8> = (1..=16).map(|n| n * 15).collect();
    for (patience, base) in [(0, 0), (1, 0), (1, 7), (40, 0)] {
        for m in 0..=4u8 {
            for number in [0, 1, 2, 3, 5, 7, 8, 13, 15, 16, 17, 255, 2048, 4095u16] {
                // VLGV 4,18,number(base),m; BRCTG 12,the first; no instruction.
                let [high, low] = number.to_be_bytes();
                let text = [0xe7, 0x42, base << 4 | high, low, m << 4 | 4, 0x21, 0xa7, 0xc7, 0xff, 0xfd, 0, 0];
                let mut machine = machine(&text, patience);
                let half = |n| u64::from_be_bytes(vector[n..n + 8].try_into().expect("eight bytes"));
                machine.state.fpr.0[18] = [half(0), half(8)];
                let gr = &mut machine.state.gr;
                (gr[4], gr[7], gr[12]) = (u64::MAX, 3, 60);
                let event = machine.run(100_000);
                if m > 3 {
                    assert_eq!(event, Event::Program { code: 6, ilc: 3, dxc: 0 });
                    continue;
                }
                assert_eq!(event, Event::Program { code: 1, ilc: 1, dxc: 0 });
                let size = 1 << m;
                let n = (number as usize + if base == 0 { 0 } else { 3 }) % (16 / size);
                let bytes = &vector[n * size..(n + 1) * size];
                let expected = bytes.iter().fold(0, |all, &byte| all << 8 | u64::from(byte));
                assert_eq!(machine.state.gr[4], expected, "M4 {m}, {number}, patience {patience}");
            }
        }
    }
}

#[test]
fn where_no_block_ends_no_handler_is_called() {
    let _alone = alone();
    const ROUNDS: u64 = 1000;
    let before = engine::statistics();
    let mut machine = machine(&text(6, 6), 1);
    let gr = &mut machine.state.gr;
    (gr[3], gr[6], gr[12], gr[13]) = (PAGE + 8, 100, ROUNDS, RESULTS);
    assert_eq!(machine.run(1_000_000), Event::Program { code: 1, ilc: 1, dxc: 0 });
    drop(machine);
    let after = engine::statistics();
    assert!(after.executed - before.executed > 7 * ROUNDS, "most of it is code");
    let elsewhere = after.called - before.called + after.sites - before.sites;
    // VLBB alone is called where the host has no vectors for it.
    let most = if is_x86_feature_detected!("avx2") { ROUNDS / 10 } else { ROUNDS + ROUNDS / 10 };
    assert!(elsewhere < most, "{elsewhere} in handlers");
}

/// VLL 17,0(3),5; VSTL 17,0(13),5; LA 3,0(4,3); LA 13,0(4,13); BRCTG 12,the first; no instruction.
const SOME_BYTES: [u8; 26] = [
    0xe7, 0x15, 0x30, 0, 8, 0x37, 0xe7, 0x15, 0xd0, 0, 8, 0x3f, 0x41, 0x34, 0x30, 0, 0x41, 0xd4, 0xd0, 0, 0xa7, 0xc7,
    0xff, 0xf6, 0, 0,
];

/// So many bytes go from one place to another; a step earlier, others from so much less, in both.
fn some_bytes(from: u64, to: u64, last: u64, patience: u8) -> (Event, u64, Vec<u8>) {
    const STEP: u64 = 128;
    let mut machine = machine(&SOME_BYTES, patience);
    let gr = &mut machine.state.gr;
    let rounds = 8;
    (gr[3], gr[13], gr[4], gr[5], gr[12]) = (from - 7 * STEP, to - 7 * STEP, STEP, last, rounds);
    let event = machine.run(10_000);
    let mut found = vec![0; 40];
    machine.storage.read(Absolute(to - 8), &mut found).expect("it is storage");
    (event, machine.state.ia, found)
}

#[test]
fn some_bytes_of_a_vector_go_up_to_the_end_of_a_page_and_no_further() {
    let _alone = alone();
    let end = PAGE + SIZE;
    for (patience, last) in [(0, 0), (1, 0), (40, 0), (1, 1), (1, 2), (1, 3), (1, 6), (1, 7), (1, 14)] {
        let lasts = [last, 15, 16, u64::from(u32::MAX)];
        for last in lasts {
            let bytes = last.min(15) + 1;
            for back in (0..40).filter(|back| *back < 20 || back % 7 == 0) {
                let fits = back >= bytes;
                let (event, ia, found) = some_bytes(end - back, RESULTS + 0x2000, last, patience);
                let case = format!("{bytes} bytes {back} before the end, patience {patience}");
                assert_eq!(
                    event,
                    Event::Program { code: if fits { 1 } else { 4 }, ilc: if fits { 1 } else { 3 }, dxc: 0 }
                );
                let stored: Vec<u8> =
                    if fits { (end - back..end - back + bytes).map(byte).collect() } else { Vec::new() };
                let expected = [&[0; 8][..], &stored, &[0; 40][..32 - stored.len()]].concat();
                assert_eq!((ia, found), (TEXT + if fits { 26 } else { 6 }, expected), "from {case}");

                let from = PAGE + 0x800;
                let (event, ia, found) = some_bytes(from, end - back, last, patience);
                assert_eq!(
                    event,
                    Event::Program { code: if fits { 1 } else { 4 }, ilc: if fits { 1 } else { 3 }, dxc: 0 }
                );
                let stored: Vec<u8> = if fits { (from..from + bytes).map(byte).collect() } else { Vec::new() };
                let at = end - back;
                let rest = (at + stored.len() as u64..at + 32).map(byte);
                let expected: Vec<u8> = (at - 8..at).map(byte).chain(stored.iter().copied()).chain(rest).collect();
                assert_eq!((ia, found), (TEXT + if fits { 26 } else { 12 }, expected), "to {case}");
            }
        }
    }
}
