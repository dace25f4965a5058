//! Returns go by the return stack. Statistics are the whole process's, so this is a program of its own.

#![cfg(translator)]

use arch::Absolute;
use engine::Exit;
use vectors::machine::Machine;

const TEXT: u64 = 0x8000;
const ROUTINE: u64 = 0x4_0000;
/// More than there are places for targets at first.
const CALLS: u64 = 3000;
const ROUNDS: u64 = 60;

#[test]
fn a_return_is_not_looked_for_among_the_targets() {
    // BASR 14,6; AGHI 2,1: so many times. BRCTG 1,the first; no instruction. The routine is BCR 15,14.
    let mut text: Vec<u8> = [0x0d, 0xe6, 0xa7, 0x2b, 0x00, 0x01].repeat(CALLS as usize);
    let back = -(text.len() as i64 / 2) as i16;
    text.extend([0xa7, 0x17]);
    text.extend(back.to_be_bytes());
    text.extend([0, 0]);
    let mut machine = Machine::executing(&text, TEXT, 4);
    machine.storage.write(Absolute(ROUTINE), &[0x07, 0xfe]).expect("it is storage");
    (machine.state.gr[1], machine.state.gr[6]) = (ROUNDS, ROUTINE);
    assert_eq!(machine.resume(1_000_000), Exit::Wait);
    assert_eq!(machine.state.gr[2], CALLS * ROUNDS);
    drop(machine);
    let statistics = engine::statistics();
    assert!(statistics.executed > CALLS * ROUNDS, "{} instructions in code", statistics.executed);
    assert!(statistics.found < CALLS / 4, "{} returns were looked for", statistics.found);
}
