//! Branches by the text go to blocks of other pages without a look among the targets. Statistics are the whole
//! process's, so one test has both programs.

#![cfg(translator)]

use arch::{Absolute, PAGE, Psw, mask};
use cpu::cr0;
use engine::Exit;
use vectors::machine::Machine;

const TEXT: u64 = 0x8000;
const PAGES: u64 = 48;
/// Together more blocks than there are places for targets at first.
const IN_EACH: u64 = 100;
const ROUNDS: u64 = 60;

#[test]
fn a_branch_to_another_page_is_a_link() {
    a_branch_to_another_page_is_not_looked_for_among_the_targets();
    a_link_leads_to_the_newest_code();
}

/// BRCL 15 (first byte pair C0F4) or BRASL 14 (C0E5) at `from` to `to`.
fn far(code: [u8; 2], from: u64, to: u64) -> Vec<u8> {
    [&code[..], &((to as i64 - from as i64) as i32 / 2).to_be_bytes()].concat()
}

fn a_link_leads_to_the_newest_code() {
    const BETWEEN: u64 = 0x4_0000;
    const ROUTINE: u64 = 0x8_0000;
    const MANY: u64 = 20_000;
    const TIMES: u64 = 4;
    // STC 5,0(0,7): the constant of AGHI is stored again, so that the routine's code is stale. LGHI 1,MANY; BRASL
    // 14,BETWEEN; BRCTG 1,*-6; BRCTG 3,the first; no instruction. BETWEEN is BRCL 15,ROUTINE; that is AGHI 2,1; BCR
    // 15,14.
    let [high, low] = (MANY as u16).to_be_bytes();
    let first = [0x42, 0x50, 0x70, 0x00, 0xa7, 0x19, high, low];
    let text =
        [&first[..], &far([0xc0, 0xe5], TEXT + 8, BETWEEN), &[0xa7, 0x17, 0xff, 0xfd, 0xa7, 0x37, 0xff, 0xf7, 0, 0]];
    let mut machine = Machine::executing(&text.concat(), TEXT, 4);
    let put = |at: u64, text: &[u8]| machine.storage.write(Absolute(at), text).expect("it is storage");
    put(BETWEEN, &far([0xc0, 0xf4], BETWEEN, ROUTINE));
    put(ROUTINE, &[0xa7, 0x2b, 0, 1, 0x07, 0xfe]);
    let before = engine::statistics().entries;
    (machine.state.gr[3], machine.state.gr[5], machine.state.gr[7]) = (TIMES, 1, ROUTINE + 3);
    assert_eq!(machine.resume(10 * (MANY * TIMES) as i64), Exit::Wait);
    assert_eq!(machine.state.gr[2], MANY * TIMES);
    drop(machine);
    let entries = engine::statistics().entries - before;
    assert!(entries < MANY / 10, "it was entered {entries} times");
}

/// With and without pages that can be forbidden to instructions. Pages of instructions have numbers of their own then,
/// and the guards of links look there (POP, chapter 3, "Instruction-execution protection").
fn a_branch_to_another_page_is_not_looked_for_among_the_targets() {
    for protected in [false, true] {
        let before = engine::statistics();
        go_through_pages(protected);
        let after = engine::statistics();
        let executed = after.executed - before.executed;
        assert!(executed > PAGES * IN_EACH * ROUNDS, "{executed} instructions in code");
        let looked_for = after.found + after.lookups - before.found - before.lookups;
        assert!(looked_for < PAGES * IN_EACH / 4, "{looked_for} were looked for, protected: {protected}");
    }
}

fn go_through_pages(protected: bool) {
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
    if protected {
        // A real-space designation: virtual addresses are real ones.
        machine.state.cr[1] = 0x20;
        machine.state.cr[0] |= cr0::EXECUTION_PROTECTION;
        machine.state.set_psw(Psw { mask: machine.default_mask() | mask::DAT, address: TEXT });
        machine.state.control_changed();
    }
    machine.state.gr[1] = ROUNDS;
    assert_eq!(machine.resume(2_000_000), Exit::Wait);
    assert_eq!(machine.state.gr[2], PAGES * IN_EACH * ROUNDS);
}
