//! Branches by the text go to blocks of other pages without a look among the targets. Statistics are the whole
//! process's, so this is a program of its own.

#![cfg(translator)]

use arch::{Absolute, PAGE};
use engine::Exit;
use vectors::machine::Machine;

const TEXT: u64 = 0x8000;
const PAGES: u64 = 48;
/// Together more blocks than there are places for targets at first.
const IN_EACH: u64 = 100;
const ROUNDS: u64 = 60;

#[test]
fn a_branch_to_another_page_is_not_looked_for_among_the_targets() {
    // AGHI 2,1; BRCL 15,the same place of the next page. From the last page it goes to the next place of the first; in
    // the last place there stands BRCTG 1,the first instead, and no instruction.
    let place = |page: u64, n: u64| TEXT + page * PAGE + n * 16;
    let mut machine = Machine::executing(&[0xa7, 0x2b, 0, 1], TEXT, 4);
    let put = |at: u64, text: &[u8]| machine.storage.write(Absolute(at), text).expect("it is storage");
    for n in 0..IN_EACH {
        for page in 0..PAGES {
            let to = if page + 1 < PAGES { place(page + 1, n) } else { place(0, n + 1) };
            let at = place(page, n) + 4;
            put(at - 4, &[0xa7, 0x2b, 0, 1]);
            put(at, &[0xc0, 0xf4]);
            put(at + 2, &((to as i64 - at as i64) as i32 / 2).to_be_bytes());
        }
    }
    let end = place(0, IN_EACH);
    put(end, &[0xa7, 0x17]);
    put(end + 2, &((TEXT as i64 - end as i64) as i16 / 2).to_be_bytes());
    put(end + 4, &[0, 0]);
    machine.state.gr[1] = ROUNDS;
    assert_eq!(machine.resume(2_000_000), Exit::Wait);
    assert_eq!(machine.state.gr[2], PAGES * IN_EACH * ROUNDS);
    drop(machine);
    let statistics = engine::statistics();
    assert!(statistics.executed > PAGES * IN_EACH * ROUNDS, "{} instructions in code", statistics.executed);
    let looked_for = statistics.found + statistics.lookups;
    assert!(looked_for < PAGES * IN_EACH / 4, "{looked_for} were looked for");
}
