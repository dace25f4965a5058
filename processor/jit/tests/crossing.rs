//! How often code is left. Statistics are the whole process's, so this is a program of its own.

#![cfg(translator)]

use arch::PAGE;
use engine::Exit;
use vectors::machine::Machine;

const TEXT: u64 = 0x8000;

#[test]
fn code_is_not_left_for_an_instruction_across_pages() {
    // LR 0,0; AHI 1,1 across the end of a page; BRCT 4,the first; no instruction.
    let text = [0x18, 0x00, 0xa7, 0x1a, 0x00, 0x01, 0xa7, 0x46, 0xff, 0xfd, 0x00, 0x00];
    let mut machine = Machine::executing(&text, TEXT + PAGE - 4, 1);
    machine.state.gr[4] = 1000;
    assert_eq!(machine.resume(100_000), Exit::Wait);
    assert_eq!(machine.state.gr[1], 1000);
    let entries = engine::statistics().entries;
    assert!((1..50).contains(&entries), "it was entered {entries} times");
}
