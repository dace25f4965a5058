//! The prefix area, interpreted and translated: it is stored into where low-address protection lets it be.

#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use arch::{Absolute, Program, Psw};
use cpu::{Architecture, cr0};
use engine::Exit;
use vectors::machine::Machine;

const TEXT: u64 = 0x8000;
/// No instruction: the program's end.
const END: [u8; 2] = [0, 0];

/// A machine that is going to execute `text` at `address`: interpreted, and translated at the first execution.
fn both(text: &[u8], address: u64, prepare: impl Fn(&mut Machine)) -> [Machine; 2] {
    [0, 1].map(|patience| {
        let mut machine = Machine::new(Architecture::Z, 1 << 20);
        machine.set_patience(patience);
        machine.prepare_interruptions();
        machine.storage.write(Absolute(address), &[text, &END].concat()).expect("the text lies in storage");
        machine.state.set_psw(Psw { mask: machine.default_mask(), address });
        prepare(&mut machine);
        assert_eq!(machine.resume(100_000), Exit::Wait);
        machine
    })
}

fn bytes(machine: &Machine, at: u64, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    machine.storage.read(Absolute(at), &mut bytes).expect("it lies in storage");
    bytes
}

/// The code of the program interruption that ended it.
fn why(machine: &Machine) -> u16 {
    u16::from_be_bytes(bytes(machine, 0x8e, 2).try_into().expect("these are two"))
}

#[test]
fn the_prefix_area_is_stored_into_behind_what_is_protected() {
    // ST 2,to; L 3,to; AR 2,3; BRCT 4,the first.
    let stores = |to: u16| {
        let [high, low] = to.to_be_bytes();
        [0x50, 0x20, high, low, 0x58, 0x30, high, low, 0x1a, 0x23, 0xa7, 0x46, 0xff, 0xfb]
    };
    for (to, protected, stored) in
        [(0x300, true, true), (0x1fc, true, false), (0x1fc, false, true), (0x200, true, true)]
    {
        let machines = both(&stores(to), TEXT, |machine| {
            let s = &mut machine.state;
            (s.gr[2], s.gr[4]) = (1, 5);
            if protected {
                s.cr[0] |= cr0::LOW_ADDRESS_PROTECTION;
                s.control_changed();
            }
        });
        for machine in &machines {
            let reason = if stored { Program::Operation } else { Program::Protection };
            let value = if stored { 16u32 } else { 0 };
            assert_eq!(why(machine), reason as u16, "{to:X}");
            assert_eq!(bytes(machine, to.into(), 4), value.to_be_bytes(), "{to:X}");
        }
    }
}
