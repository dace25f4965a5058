//! CPUs that a host runs in turn have their code in one cache: what one has learned of its addresses holds for no
//! other.

#![cfg(translator)]

use arch::{Absolute, Psw, mask};
use cpu::{Architecture, State};
use engine::Exit;
use vectors::machine::Machine;

const TEXT: u64 = 0x8000;
/// The page that each CPU has in a frame of its own.
const PAGE: u64 = 0x3000;
const MANY: u64 = 1000;

#[test]
fn a_target_of_one_cpu_is_none_of_another() {
    // BASR 14,6; BRCTG 1,the first; no instruction: the call's target is a register's, and that of its return, too.
    for (branch, returns) in [([0x0d, 0xe6], 0xfe), ([0x0d, 0x96], 0xf9)] {
        let text = [&branch[..], &[0xa7, 0x17, 0xff, 0xff, 0, 0]].concat();
        let mut machine = Machine::executing(&text, TEXT, 4);
        let put = |at: u64, bytes: &[u8]| machine.storage.write(Absolute(at), bytes).expect("it is storage");
        // The routine is AGHI 2,1 or AGHI 2,3, and the return.
        let cpus = [(0x1_0000u64, 0x4000u64, 1), (0x2_0000, 0x5000, 3)].map(|(table, frame, sum)| {
            put(table, &(table + 0x1000).to_be_bytes());
            put(table + 0x1000 + (TEXT >> 12) * 8, &TEXT.to_be_bytes());
            put(table + 0x1000 + (PAGE >> 12) * 8, &frame.to_be_bytes());
            put(frame, &[0xa7, 0x2b, 0x00, sum, 0x07, returns]);
            let mut state = State::new(0, Architecture::Z, machine.state.shared().clone());
            state.stopped = false;
            state.cr[1] = table;
            let mask = machine.default_mask() | mask::DAT;
            state.set_psw(Psw { mask, address: TEXT });
            state.control_changed();
            (state.gr[1], state.gr[6]) = (MANY, PAGE);
            (state, u64::from(sum))
        });
        for (state, sum) in cpus {
            machine.state = state;
            assert_eq!(machine.resume(10 * MANY as i64), Exit::Wait);
            assert_eq!(machine.state.gr[2], sum * MANY, "it executed the other's routine");
        }
    }
}
