//! Keys that are set on a condition (POP, chapter 10, *SET STORAGE KEY EXTENDED*, *PERFORM FRAME MANAGEMENT FUNCTION*):
//! conditional SSKE, facility 10.

mod machine;

use cpu::{Architecture, Facilities};
use machine::*;

const FRAME: u64 = 0x30_0000;

fn machine(conditional: bool) -> Machine {
    let mut facilities = complex::FACILITIES;
    assert!(facilities.has(10) && facilities.consistent().has(10), "it is reported");
    if !conditional {
        facilities =
            Facilities([facilities.0[0] & !(1 << (63 - 10)), facilities.0[1], facilities.0[2], facilities.0[3]]);
    }
    Machine::equipped(Architecture::Z, 1, facilities, Listener::default())
}

/// Keys that differ in one part or none, by all four conditions.
#[test]
fn a_key_stays_if_all_of_it_that_counts_is_equal() {
    let machine = machine(true);
    let mut cases = 0;
    for (bypass, source) in [(0, "SSKE 1,2"), (4, "SSKE 1,2,4"), (2, "SSKE 1,2,2"), (6, "SSKE 1,2,6")] {
        machine.text(PROGRAM, &format!("{source};IPM 3"));
        for old in (0..=0xfe).step_by(6) {
            for new in [old, old ^ 2, old ^ 4, old ^ 6, old ^ 8, old ^ 0x10, 0x36] {
                machine.set_key(FRAME, old);
                let register = 0xaabb_0000_1111_cc00 | u64::from(new);
                machine.set(|s| (s.gr[1], s.gr[2], s.cc) = (register, FRAME, 3));
                assert_eq!(machine.go(WIDE | 3 << 44, PROGRAM), Ending::Done);
                let stays = bypass != 0 && (old ^ new) & (0xfe & !bypass) == 0;
                let code = if bypass == 0 { 3 } else { u64::from(!stays) };
                let shown = if bypass == 0 { register } else { register & !0xff00 | u64::from(old) << 8 };
                let expected = (if stays { old } else { new }, machine.gr(3) >> 28 & 3, machine.gr(1));
                assert_eq!((machine.key(FRAME), code, shown), expected, "{source}: {old:X} {new:X}");
                cases += 1;
            }
        }
    }
    assert_eq!(cases, 4 * 43 * 7);
}

#[test]
fn frames_keep_keys_on_the_same_condition() {
    // Set keys, all frames to the end of the megabyte, reference bits bypassed.
    const CONTROL: u64 = 0x2_0000 | 0x1000 | 0x400;
    for (conditional, kept) in [(true, 0x34), (false, 0x30)] {
        let machine = machine(conditional);
        machine.set_key(FRAME + 0xf_e000, 0x34);
        machine.set_key(FRAME + 0xf_f000, 0x44);
        machine.set(|s| (s.gr[1], s.gr[2]) = (CONTROL | 0x30, FRAME + 0xf_e000));
        assert_eq!(machine.execute("PFMF 1,2"), Ending::Done);
        assert_eq!((machine.key(FRAME + 0xf_e000), machine.key(FRAME + 0xf_f000)), (kept, 0x30));
    }
}

/// Without the facility the conditions are no bits of M3.
#[test]
fn without_the_facility_every_key_is_set() {
    let machine = machine(false);
    machine.set_key(FRAME, 0x34);
    machine.set(|s| (s.gr[1], s.gr[2]) = (0x30, FRAME));
    assert_eq!(machine.execute("SSKE 1,2,4"), Ending::Done);
    assert_eq!((machine.key(FRAME), machine.gr(1)), (0x30, 0x30));
}
