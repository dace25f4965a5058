//! An instruction added to the table is fast without a second file: rows once more under free operation codes are
//! translated as the originals are.
//!
//! The rows are there with the feature `copies` only, so `cargo test -p jit --features copies --test new_rows` runs
//! this.

#![cfg(all(translator, feature = "copies"))]

use arch::Absolute;
use engine::Exit;
use vectors::machine::Machine;

const TEXT: u64 = 0x8000;
const ROUNDS: u64 = 1000;

/// The originals: LR 5,4; L 6,0(3); A 6,4(3); CLST 8,10; BRCL 15,*+8 over two bytes; AR 7,6; LGR 8,1; LGR 10,2;
/// BRCTG 12,the first; no instruction.
const ORIGINALS: [u8; 42] = [
    0x18, 0x54, 0x58, 0x60, 0x30, 0, 0x5a, 0x60, 0x30, 4, 0xb2, 0x5d, 0, 0x8a, 0xc0, 0xf4, 0, 0, 0, 4, 0, 0, 0x1a,
    0x76, 0xb9, 0x04, 0, 0x81, 0xb9, 0x04, 0, 0xa2, 0xa7, 0xc7, 0xff, 0xf0, 0, 0, 0, 0, 0, 0,
];

/// Where their operation codes differ from those of the copies, and what stands there.
const COPIES: [(usize, u8); 5] = [(0, 0x02), (2, 0x52), (6, 0x53), (11, 0xfd), (15, 0xf2)];

/// The registers in the end, and what the translator has done, counted.
fn executed(text: &[u8], patience: u8) -> ([u64; 16], Vec<(&'static str, u64)>) {
    let before = engine::statistics();
    let mut machine = Machine::executing(text, TEXT, patience);
    for (at, bytes) in [(0x10000, &[0, 0, 0, 7, 0, 0, 0, 9][..]), (0x11000, b"one text\0"), (0x12000, b"one tree\0")] {
        machine.storage.write(Absolute(at), bytes).expect("it is storage");
    }
    let gr = &mut machine.state.gr;
    (gr[1], gr[2], gr[3], gr[4]) = (0x11000, 0x12000, 0x10000, 0x1234);
    (gr[0], gr[7], gr[8], gr[10], gr[12]) = (0, 0, gr[1], gr[2], ROUNDS);
    assert_eq!(machine.resume(1_000_000), Exit::Wait);
    let gr = machine.state.gr;
    drop(machine);
    let now = engine::statistics();
    let counts = now.counters().zip(before.counters()).map(|((name, now), (_, before))| (name, now - before));
    (gr, counts.filter(|&(name, _)| !["time", "restoring"].contains(&name)).collect())
}

#[test]
fn rows_under_other_codes_are_translated_as_the_originals() {
    let mut copies = ORIGINALS;
    for (at, code) in COPIES {
        assert_ne!(copies[at], code);
        copies[at] = code;
    }
    for patience in [1, 40] {
        let (gr, originals) = executed(&ORIGINALS, patience);
        assert_eq!((gr[5], gr[6], gr[7]), (0x1234, 16, 16 * ROUNDS));
        let count = |name: &str| originals.iter().find(|&&(other, _)| other == name).map_or(0, |&(_, count)| count);
        assert!(count("executed") > ROUNDS * 8 && count("bytes") > 0, "{originals:?}");
        assert_eq!(executed(&copies, patience), (gr, originals));
    }
    assert_eq!(executed(&copies, 0).0, executed(&ORIGINALS, 1).0);
}
