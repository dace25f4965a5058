//! What programs that control a machine do all the time, interpreted and translated. Storage is filled, instructions
//! stand across pages, masks of interruptions are closed and opened. The prefix area is stored into where low-address
//! protection lets it be.

#![cfg(translator)]

use arch::{Absolute, PAGE, Program, mask};
use cpu::{attention, cr0};
use engine::Exit;
use vectors::machine::Machine;

const TEXT: u64 = 0x8000;
const DATA: u64 = 0x2_0000;
/// No instruction: the program's end.
const END: [u8; 2] = [0, 0];

/// A machine that is going to execute `text` at `address`: interpreted, and translated at the first execution.
fn both(text: &[u8], address: u64, prepare: impl Fn(&mut Machine)) -> [Machine; 2] {
    [0, 1].map(|patience| {
        let mut machine = Machine::executing(&[text, &END].concat(), address, patience);
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
fn moves_onto_themselves_fill_storage() {
    for period in [1, 2, 3, 4, 8, 16] {
        for length in [1, 9, 17, 24, 31, 63, 64, 65, 100, 200, 247, 248, 255, 256usize] {
            // MVC period(length,1),0(1); BRCT 4,*-6
            let text = [0xd2, (length - 1) as u8, 0x10, period, 0x10, 0x00, 0xa7, 0x46, 0xff, 0xfd];
            // In the middle of a page, and over the end of one.
            for at in [DATA + 3, DATA + PAGE - 40] {
                let source: Vec<u8> = (1..=20).collect();
                let machines = both(&text, TEXT, |machine| {
                    machine.storage.write(Absolute(at), &source).expect("it lies in storage");
                    (machine.state.gr[1], machine.state.gr[4]) = (at, 5);
                });
                let mut expected = vec![0; 300];
                expected[..20].copy_from_slice(&source);
                (0..length).for_each(|n| expected[n + period as usize] = expected[n]);
                for (machine, engine) in machines.iter().zip(["interpreted", "translated"]) {
                    assert_eq!(bytes(machine, at, 300), expected, "{engine}, {length} bytes to {period} after");
                }
            }
        }
    }
}

#[test]
fn an_instruction_across_pages_is_executed_as_it_stands_there_now() {
    // AHI 1,0 across the end of a page; LH 2,0(3); AHI 2,1; STH 2,0(3); BRCT 4,the first. It adds 1, 2, and so on.
    let text = [
        0xa7, 0x1a, 0x00, 0x00, 0x48, 0x20, 0x30, 0x00, 0xa7, 0x2a, 0x00, 0x01, 0x40, 0x20, 0x30, 0x00, 0xa7, 0x46,
        0xff, 0xf8,
    ];
    let start = TEXT + PAGE - 2;
    let machines = both(&text, start, |machine| {
        (machine.state.gr[3], machine.state.gr[4]) = (TEXT + PAGE, 100);
    });
    for machine in &machines {
        assert_eq!((machine.state.gr[1], machine.state.gr[2]), (4950, 100));
        assert_eq!(machine.state.instructions, machines[0].state.instructions);
    }
}

#[test]
fn what_an_instruction_across_pages_does_wrong_is_told() {
    // LH 1,0(2) across the end of a page, with an address that does not exist; before it LA 2,8(2), two bytes after LR.
    let text = [0x18, 0x11, 0x48, 0x10, 0x20, 0x00, 0xa7, 0x2a, 0x10, 0x00, 0xa7, 0xf4, 0xff, 0xfb];
    let machines = both(&text, TEXT + PAGE - 4, |machine| machine.state.gr[2] = DATA);
    for machine in &machines {
        assert_eq!((why(machine), machine.state.gr[2]), (Program::Addressing as u16, 1 << 20));
        assert_eq!(bytes(machine, 0x150, 16), bytes(&machines[0], 0x150, 16), "the old PSW");
        assert_eq!(machine.state.instructions, machines[0].state.instructions);
    }
}

/// STNSM 0(1),252; AHI 2,1; STOSM 1(1),3; BRCT 4,the first.
const MASKS: [u8; 16] =
    [0xac, 0xfc, 0x10, 0x00, 0xa7, 0x2a, 0x00, 0x01, 0xad, 0x03, 0x10, 0x01, 0xa7, 0x46, 0xff, 0xfa];

#[test]
fn masks_are_stored_closed_and_opened() {
    let machines = both(&MASKS, TEXT, |machine| (machine.state.gr[1], machine.state.gr[4]) = (DATA, 50));
    for machine in &machines {
        assert_eq!((bytes(machine, DATA, 2), machine.state.gr[2]), (vec![3, 0], 50));
        // The old PSW has what STOSM made.
        assert_eq!(bytes(machine, 0x150, 1), [3]);
    }
}

#[test]
fn an_interruption_is_taken_where_the_mask_is_opened() {
    let machines = both(&MASKS, TEXT, |machine| {
        let s = &mut machine.state;
        (s.gr[1], s.gr[4]) = (DATA, 50);
        s.cr[0] |= cr0::EMERGENCY_SIGNAL;
        s.control_changed();
        s.signals().emergency_signal(0);
        assert!(s.attention() & attention::EMERGENCY_SIGNAL != 0);
    });
    for machine in &machines {
        // The external old PSW has the address after STOSM.
        assert_eq!(bytes(machine, 0x138, 8), (TEXT + 12).to_be_bytes());
        assert_eq!(machine.state.gr[2], 1);
    }
}

#[test]
fn masks_and_breaking_events_are_not_the_problem_states() {
    // STNSM; STOSM; LBEAR 0(1); STBEAR 0(1).
    for text in [[0xac, 0xfc, 0x10, 0], [0xad, 3, 0x10, 0], [0xb2, 0, 0x10, 0], [0xb2, 1, 0x10, 0]] {
        let machines = both(&text, TEXT, |machine| {
            machine.state.gr[1] = DATA;
            machine.state.set_psw_mask(machine.default_mask() | mask::PROBLEM);
        });
        for machine in &machines {
            assert_eq!((why(machine), bytes(machine, DATA, 8)), (Program::PrivilegedOperation as u16, vec![0; 8]));
        }
    }
}

#[test]
fn breaking_events_are_loaded_and_stored() {
    // LBEAR 0(1); STBEAR 8(1); BRCT 4,the first; STBEAR 16(1); LBEAR 1(1).
    let text = [
        0xb2, 0x00, 0x10, 0x00, 0xb2, 0x01, 0x10, 0x08, 0xa7, 0x46, 0xff, 0xfc, 0xb2, 0x01, 0x10, 0x10, 0xb2, 0x00,
        0x10, 0x01,
    ];
    let machines = both(&text, TEXT, |machine| {
        machine.storage.write(Absolute(DATA), &0x1234_5678u64.to_be_bytes()).expect("it lies in storage");
        (machine.state.gr[1], machine.state.gr[4]) = (DATA, 10);
    });
    for machine in &machines {
        let stored = [0x1234_5678u64.to_be_bytes(), 0x1234_5678u64.to_be_bytes()].concat();
        assert_eq!(bytes(machine, DATA + 8, 16), stored);
        assert_eq!(why(machine), Program::Specification as u16, "an odd address");
    }
}

#[test]
fn the_prefix_area_is_stored_into_after_what_is_protected() {
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
