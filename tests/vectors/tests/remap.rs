//! A subroutine's page becomes another frame while its code is translated and its callers know where it begins.

use arch::{Absolute, mask};
use cpu::Architecture;
use vectors::machine::Machine;

const SEGMENTS: u64 = 0x1_0000;
const PAGES: u64 = 0x2_0000;
const CALLER: u64 = 0x3_0000;
const ONE: u64 = 0x4_0000;
const FIVE: u64 = 0x5_0000;
/// Where the caller sees the subroutine.
const SUBROUTINE: u64 = 0x6_0000;
const CALLS: u64 = 100;

/// What the subroutines have counted in register 1.
fn counted(patience: u8) -> u64 {
    let mut machine = Machine::new(Architecture::Z, 1 << 20);
    machine.set_patience(patience);
    machine.prepare_interruptions();
    let put = |at: u64, bytes: &[u8]| machine.storage.write(Absolute(at), bytes).expect("it is in storage");
    let loop_of_calls = [0xa7, 0x39, 0x00, CALLS as u8, 0x0d, 0xe2, 0xa7, 0x37, 0xff, 0xff]; // LGHI 3; BASR 14,2; BRCTG 3,*-2
    let mut text = loop_of_calls.to_vec();
    text.extend([0xb2, 0x21, 0x00, 0x45]); // IPTE 4,5
    text.extend([0xe3, 0x60, 0x70, 0x00, 0x00, 0x24]); // STG 6,0(0,7): its page is in another frame
    text.extend(loop_of_calls);
    text.extend([0, 0]); // the end
    put(CALLER, &text);
    put(ONE, &[0xa7, 0x1b, 0x00, 0x01, 0x07, 0xfe]); // AGHI 1,1; BR 14
    put(FIVE, &[0xa7, 0x1b, 0x00, 0x05, 0x07, 0xfe]); // AGHI 1,5; BR 14
    put(SEGMENTS, &PAGES.to_be_bytes());
    for page in 0..256u64 {
        put(PAGES + page * 8, &(page << 12).to_be_bytes());
    }
    put(PAGES + (SUBROUTINE >> 12) * 8, &ONE.to_be_bytes());
    let psw = machine.default_mask() | mask::DAT;
    let state = &mut machine.state;
    state.cr[1] = SEGMENTS | 3;
    state.control_changed();
    state.set_psw_mask(psw);
    state.ia = CALLER;
    for (r, v) in [(2, SUBROUTINE), (4, PAGES), (5, SUBROUTINE), (6, FIVE), (7, PAGES + (SUBROUTINE >> 12) * 8)] {
        state.gr[r] = v;
    }
    machine.run(20 * CALLS as i64);
    machine.state.gr[1]
}

#[test]
fn who_knew_where_the_old_subroutine_was_finds_the_new_one() {
    for patience in [0, 1, 7, 40] {
        assert_eq!(counted(patience), CALLS + 5 * CALLS, "patience {patience}");
    }
}
