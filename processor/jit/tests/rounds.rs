//! A loop sets the base of what it fetches, and stores there in its next round: translated, it does what it does
//! interpreted.

#![cfg(translator)]

use arch::Absolute;
use engine::Exit;
use vectors::machine::Machine;

const TEXT: u64 = 0x8000;
const DATA: u64 = 0x10000;
const LENGTH: usize = 1 << 18;

#[test]
fn what_one_round_fetches_the_next_one_stores_whichever_way_it_comes() {
    // BRCT 4,*+6; the end; STH 3,2(1).
    let start = [0xa7, 0x46, 0, 3, 0, 0, 0x40, 0x30, 0x10, 2];
    // LGR 1,5; LH 6,2(1); AR 3,6; TMLL 3,4; BRC 7,the first; STH 6,6(1); AHI 3,7; BRC 15,the first.
    let rest = [
        0xb9, 4, 0, 0x15, 0x48, 0x60, 0x10, 2, 0x1a, 0x36, 0xa7, 0x31, 0, 4, 0xa7, 0x74, 0xff, 0xf2, 0x40, 0x60, 0x10,
        6, 0xa7, 0x3a, 0, 7, 0xa7, 0xf4, 0xff, 0xec,
    ];
    // AGHI 5: within a page, and sometimes across its end, from page to page, and back over what was stored.
    for by in [6i16, 1365, 4090, -2047] {
        let text = [&start[..], &[0xa7, 0x5b], &by.to_be_bytes(), &rest].concat();
        let [interpreted, eager, hot] = [0, 1, 40].map(|patience| {
            let mut machine = Machine::executing(&text, TEXT, patience);
            let data: Vec<u8> = (0..LENGTH as u32).map(|n| (n.wrapping_mul(0x9e37_79b1) >> 21) as u8).collect();
            machine.storage.write(Absolute(DATA), &data).expect("so do the numbers");
            let first = if by < 0 { DATA + LENGTH as u64 - 16 } else { DATA };
            let count = (LENGTH as u64 - 32) / by.unsigned_abs() as u64;
            let s = &mut machine.state;
            (s.gr[1], s.gr[3], s.gr[4], s.gr[5]) = (first, 5, count.min(2000), first);
            assert_eq!(machine.resume(1_000_000), Exit::Wait);
            let mut data = vec![0; LENGTH];
            machine.storage.read(Absolute(DATA), &mut data).expect("they lie in storage");
            (machine.state.gr, data)
        });
        assert!(interpreted == eager && interpreted == hot, "{by}");
    }
}
