//! A program of more instructions than an engine keeps: what is executed often stays translated, what was executed once
//! goes, and everything does what it did.

use arch::Absolute;
use cpu::Architecture;
use vectors::machine::Machine;

const START: u64 = 0x1_0000;
const COLD: u64 = 0x2_0000;
/// More than twice what is kept.
const COUNT: u64 = 300_000;
const ROUNDS: u64 = 4;
const TURNS: u64 = 100;
const DECIMAL: u64 = 0x8000;

/// Counts in register 1 through 300,000 instructions, and in register 2 in a loop whose CVD is always done by its
/// handler.
fn program() -> (Vec<u8>, Vec<u8>) {
    let mut first = Vec::new();
    // Instructions that go, in front of what stays.
    for _ in 0..50 {
        first.extend([0xa7, 0x4b, 0x00, 0x01]); // AGHI 4,1
    }
    first.extend([0xa7, 0x39, 0x00, TURNS as u8]); // LGHI 3,TURNS
    first.extend([0xa7, 0x2b, 0x00, 0x03]); // AGHI 2,3
    first.extend([0x4e, 0x20, 0x60, 0x00]); // CVD 2,0(0,6)
    first.extend([0xa7, 0x37, 0xff, 0xfc]); // BRCTG 3,*-8
    first.extend([0xc0, 0xf4]); // BRCL 15,COLD
    let at = START + first.len() as u64 - 2;
    first.extend((((COLD - at) / 2) as u32).to_be_bytes());
    let mut second = [0xa7, 0x1b, 0x00, 0x01].repeat(COUNT as usize); // AGHI 1,1
    // BCTG 5,0(0,7)
    second.extend([0xe3, 0x50, 0x70, 0x00, 0x00, 0x46]);
    second.extend([0x07, 0x07, 0x00, 0x00]); // and the end
    (first, second)
}

fn outcome(patience: u8) -> ([u64; 16], u64) {
    let mut machine = Machine::new(Architecture::Z, 4 << 20);
    machine.set_patience(patience);
    machine.prepare_interruptions();
    let (first, second) = program();
    machine.storage.write(Absolute(START), &first).expect("it is in storage");
    machine.storage.write(Absolute(COLD), &second).expect("it is in storage");
    machine.state.set_psw_mask(machine.default_mask());
    machine.state.ia = START;
    (machine.state.gr[5], machine.state.gr[6], machine.state.gr[7]) = (ROUNDS, DECIMAL, START);
    machine.run(2 * ROUNDS as i64 * (COUNT + 4 * TURNS) as i64);
    (machine.state.gr, machine.storage.read_u64(Absolute(DECIMAL)).expect("it is in storage"))
}

#[test]
fn what_is_executed_often_goes_on_when_the_rest_is_forgotten() {
    let (interpreted, decimal) = outcome(0);
    assert_eq!((interpreted[1], interpreted[2]), (ROUNDS * COUNT, ROUNDS * TURNS * 3));
    assert_eq!(decimal, 0x1200c);
    assert_eq!(outcome(40), (interpreted, decimal));
    assert_eq!(outcome(1), (interpreted, decimal));
}
