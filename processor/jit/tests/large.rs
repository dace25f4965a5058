//! Programs larger than the first room for code, as gcc is: they are decoded and translated once.

#![cfg(translator)]

use arch::{Absolute, Psw};
use cpu::Architecture;
use engine::Exit;
use vectors::machine::Machine;

const TEXT: u64 = 0x8000;
/// AGR 1,2; AGR 3,1; LGR 4,3; SLLG 5,4,3; XGR 6,5; BRC 15,the next.
const PIECE: [u8; 26] = [
    0xb9, 0x08, 0, 0x12, 0xb9, 0x08, 0, 0x31, 0xb9, 0x04, 0, 0x43, 0xeb, 0x54, 0, 3, 0, 0x0d, 0xb9, 0x82, 0, 0x65,
    0xa7, 0xf4, 0, 2,
];
const PIECES: u64 = 40_000;
const ROUNDS: u64 = 100;

#[test]
fn a_large_program_is_translated_once() {
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
    assert_eq!(now.emptied, 0);
    assert!(now.grown > 0, "{} bytes are more than the first room", now.bytes);
    let [all, decoded] = [now.total, now.total - now.executed];
    assert_eq!(all, PIECES * ROUNDS * 6 + ROUNDS * 2);
    assert!(decoded < all / 10, "{decoded} of {all} instructions were interpreted");
    // Code of 64 instructions ends within a piece, so other blocks begin there: some rounds long, until all are known.
    assert!(now.blocks < 3 * PIECES, "{now:?}");
}
