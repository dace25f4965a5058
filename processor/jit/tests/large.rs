//! Programs larger than the first room for code, as gcc is: they are decoded and translated once.

#![cfg(translator)]

use arch::{Absolute, Psw};
use base::Held;
use cpu::Architecture;
use engine::{BlockCache, Exit};
use std::sync::{Mutex, MutexGuard};
use vectors::machine::Machine;

const TEXT: u64 = 0x8000;
/// AGR 1,2; AGR 3,1; LGR 4,3; SLLG 5,4,3; XGR 6,5; BRC 15,the next.
const PIECE: [u8; 26] = [
    0xb9, 0x08, 0, 0x12, 0xb9, 0x08, 0, 0x31, 0xb9, 0x04, 0, 0x43, 0xeb, 0x54, 0, 3, 0, 0x0d, 0xb9, 0x82, 0, 0x65,
    0xa7, 0xf4, 0, 2,
];
const PIECES: u64 = 40_000;
const ROUNDS: u64 = 100;

/// One test at a time: statistics are the whole process's.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().held()
}

#[test]
fn a_large_program_is_translated_once() {
    let _alone = alone();
    let before = engine::statistics();
    let mut text = PIECE.repeat(PIECES as usize);
    // BRCTG 12,*+6; no instruction; BRCL 15,the first.
    text.extend([0xa7, 0xc7, 0, 3, 0, 0, 0xc0, 0xf4]);
    let back = -((text.len() as i32 - 2) / 2);
    text.extend(back.to_be_bytes());
    let mut machine = Machine::new(Architecture::Z, 4 << 20);
    machine.set_patience(2);
    machine.prepare_interruptions();
    machine.storage.write(Absolute(TEXT), &text).expect("the text lies in storage");
    machine.state.set_psw(Psw { mask: machine.default_mask(), address: TEXT });
    (machine.state.gr[1], machine.state.gr[2], machine.state.gr[12]) = (0, 1, ROUNDS);
    assert_eq!(machine.resume(i64::MAX), Exit::Wait);
    assert_eq!(machine.state.gr[1], PIECES * ROUNDS);
    drop(machine);
    let now = engine::statistics();
    assert_eq!(now.emptied, before.emptied);
    assert!(now.grown > before.grown, "{} bytes are more than the first room", now.bytes - before.bytes);
    let all = now.total - before.total;
    let decoded = all - (now.executed - before.executed);
    assert_eq!(all, PIECES * ROUNDS * 6 + ROUNDS * 2);
    assert!(decoded < all / 10, "{decoded} of {all} instructions were interpreted");
    // Code of 64 instructions ends within a piece, so other blocks begin there: some rounds long, until all are known.
    assert!(now.blocks - before.blocks < 3 * PIECES, "{now:?}");
}

/// AGR 1,2; BRC 15,*+8; two halfwords that are not executed; AGR 1,2; AGR 1,2; no instruction.
const LINE: [u8; 22] =
    [0xb9, 0x08, 0, 0x12, 0xa7, 0xf4, 0, 4, 0, 0, 0, 0, 0xb9, 0x08, 0, 0x12, 0xb9, 0x08, 0, 0x12, 0, 0];
/// Where the second part begins.
const SECOND: u64 = 12;

/// How many instructions are translated if the second part has code before the first, and so many bytes of code may be
/// kept.
fn translated(room: usize) -> u64 {
    const PATIENCE: u8 = 12;
    let mut cache = BlockCache::with_patience(PATIENCE);
    cache.confine(room);
    let mut machine = Machine::executing(&LINE, TEXT, PATIENCE);
    machine.set_cache(cache);
    let before = engine::statistics();
    for address in [SECOND, 0].into_iter().flat_map(|at| [TEXT + at; 2 * PATIENCE as usize]) {
        machine.state.set_psw(Psw { mask: machine.default_mask(), address });
        assert_eq!(machine.resume(i64::MAX), Exit::Wait);
    }
    drop(machine);
    engine::statistics().instructions - before.instructions
}

#[test]
fn where_there_is_much_code_what_has_code_is_not_copied() {
    let _alone = alone();
    // The second part are three instructions, the last of which does not exist, and the first are two.
    assert_eq!(translated(1 << 20), 3 + 2 + 3);
    assert_eq!(translated(64 << 20), 3 + 2);
}
