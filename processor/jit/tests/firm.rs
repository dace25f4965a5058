//! Accesses that share a TLB probe and take the result for granted: where that cannot be, or not any more, the program
//! does not notice.

#![cfg(translator)]

use arch::{Absolute, Psw};
use base::Held;
use engine::{BlockCache, Exit};
use std::sync::{Mutex, MutexGuard};
use vectors::machine::Machine;

const TEXT: u64 = 0x8000;
const ROUNDS: u64 = 5000;

/// LG 1,0(3); AG 1,64(3); STG 1,128(3); AGR 5,1; LA 3,0(4,3); BRCTG 12,the first.
const SUM: [u8; 34] = [
    0xe3, 0x10, 0x30, 0, 0, 0x04, 0xe3, 0x10, 0x30, 64, 0, 0x08, 0xe3, 0x10, 0x30, 128, 0, 0x24, 0xb9, 0x08, 0, 0x51,
    0x41, 0x34, 0x30, 0, 0xa7, 0xc7, 0xff, 0xf3, 0, 0, 0, 0,
];

/// One test at a time: statistics are the whole process's, and other tests' instructions are not to be counted.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().held()
}

/// What comes of it where the fields begin there and go on so far each time, and how many instructions were done
/// elsewhere than in code.
fn sum(from: u64, by: u64, patience: u8) -> ([u64; 16], u64) {
    let mut machine = Machine::executing(&SUM, TEXT, patience);
    for at in (0x10000..0x60000).step_by(8) {
        let value = at * 0x9e37_79b9;
        machine.storage.write(Absolute(at), &value.to_be_bytes()).expect("it is storage");
    }
    let gr = &mut machine.state.gr;
    (gr[3], gr[4], gr[12]) = (from, by, ROUNDS);
    let before = engine::statistics();
    assert_eq!(machine.resume(1_000_000), Exit::Wait);
    let gr = machine.state.gr;
    drop(machine);
    let now = engine::statistics();
    (gr, now.total - before.total - (now.executed - before.executed) + now.sites - before.sites)
}

#[test]
fn fields_in_two_pages_are_each_looked_for_before_long() {
    let _alone = alone();
    // The first field is in one page, the others are in the next.
    let from = 0x21000 - 40;
    let (interpreted, _) = sum(from, 0, 0);
    let (translated, elsewhere) = sum(from, 0, 1);
    assert_eq!(translated, interpreted);
    assert!(elsewhere < ROUNDS / 4, "{elsewhere} of {ROUNDS} rounds");
}

#[test]
fn fields_that_come_to_the_end_of_a_page_now_and_then_are_what_they_were() {
    let _alone = alone();
    for by in [8, 24, 40] {
        let (interpreted, _) = sum(0x20000, by, 0);
        for patience in [1, 40] {
            assert_eq!(sum(0x20000, by, patience).0, interpreted, "{by}");
        }
    }
}

/// Java looks so whether its stack has room: TMY -4096(15),0; TMY -8192(15),0; TMY -12288(15),0; BRCTG 12,the first.
const LOOKS_AT_THE_STACK: [u8; 24] = [
    0xeb, 0, 0xf0, 0, 0xff, 0x51, 0xeb, 0, 0xf0, 0, 0xfe, 0x51, 0xeb, 0, 0xf0, 0, 0xfd, 0x51, 0xa7, 0xc7, 0xff, 0xf7,
    0, 0,
];

#[test]
fn pages_below_the_stack_that_must_not_be_stored_into_are_looked_at_in_code() {
    let _alone = alone();
    for stack in [0x30000, 0x30ff8, 0x30123] {
        let mut machine = Machine::executing(&LOOKS_AT_THE_STACK, TEXT, 1);
        // Storage with key 1 may be fetched from with key 2, and not stored into.
        for page in (0x20000..0x40000).step_by(4096) {
            machine.storage.set_key(Absolute(page), 0x10).expect("it is storage");
        }
        let mask = machine.default_mask() | 2 << 52;
        machine.state.set_psw(Psw { mask, address: TEXT });
        (machine.state.gr[15], machine.state.gr[12]) = (stack, ROUNDS);
        let before = engine::statistics();
        assert_eq!(machine.resume(1_000_000), Exit::Wait);
        assert_eq!(machine.state.gr[12], 0);
        drop(machine);
        let now = engine::statistics();
        let elsewhere = now.total - before.total - (now.executed - before.executed) + now.sites - before.sites;
        assert!(elsewhere < 100, "{stack:x}: {elsewhere} of {} instructions", 4 * ROUNDS);
    }
}

/// AGR 1,2; BRC 15,*+8; two halfwords that are not executed; LG 1,0(3); AG 1,64(3); STG 1,128(3); no instruction.
const TWO_BLOCKS: [u8; 32] = [
    0xb9, 0x08, 0, 0x12, 0xa7, 0xf4, 0, 4, 0, 0, 0, 0, 0xe3, 0x10, 0x30, 0, 0, 0x04, 0xe3, 0x10, 0x30, 64, 0, 0x08,
    0xe3, 0x10, 0x30, 128, 0, 0x24, 0, 0,
];

#[test]
fn links_to_a_block_that_is_translated_again_lead_to_what_it_has_now() {
    let _alone = alone();
    let (first, second, one_page, two_pages) = (TEXT, TEXT + 12, 0x20000, 0x21000 - 40);
    let mut cache = BlockCache::with_patience(12);
    // Where so much code may be kept, a block goes on at another by a link, not with a copy of its own.
    cache.confine(64 << 20);
    let mut machine = Machine::executing(&TWO_BLOCKS, TEXT, 12);
    machine.set_cache(cache);
    let before = engine::statistics();
    for (address, fields, rounds) in [(second, one_page, 24), (first, one_page, 24), (first, two_pages, ROUNDS)] {
        for _ in 0..rounds {
            machine.state.set_psw(Psw { mask: machine.default_mask(), address });
            machine.state.gr[3] = fields;
            assert_eq!(machine.resume(1_000_000), Exit::Wait);
        }
    }
    drop(machine);
    let now = engine::statistics();
    let sites = now.sites - before.sites;
    assert!(sites > 4 && sites < 100, "it is translated again: {sites}");
    let found = now.found - before.found;
    assert!(found < 100, "{found} of {ROUNDS} went by the code before");
}
