//! The PSW: its formats, what loads and changes it, and when that is found out to be wrong (POP, chapters 4 and 10).

mod machine;

use arch::{Psw, mask};
use cpu::Architecture;
use machine::*;

#[test]
fn lpswe_loads_a_psw() {
    let machine = Machine::new();
    machine.put64(DATA, WIDE | 0x0000_2f00_0000_0000);
    machine.put64(DATA + 8, 0x5000);
    machine.text(0x5000, "EPSW 1,2");
    machine.set(|s| s.gr[6] = DATA);
    assert_eq!(machine.execute("LPSWE 0(6)"), Ending::Done);
    assert_eq!(machine.old(), Psw { mask: WIDE | 0x0000_2f00_0000_0000, address: 0x5006 });
    assert_eq!((machine.gr(1), machine.gr(2)), (0x0000_2f01, 0x8000_0000));
}

#[test]
fn a_wrong_psw_is_found_out_early_and_kept() {
    for (new, address) in [
        (1 << 63 | WIDE, 0x5000),
        (1 << 61 | WIDE, 0x5000),
        (mask::SHORT | WIDE, 0x5000),
        (mask::EXTENDED_ADDRESSING, 0x5000),
        (WIDE | 1 << 33, 0x5000),
        (WIDE | 1, 0x5000),
        (mask::BASIC_ADDRESSING, 0x8000_5000),
        (0, 0x0100_5000),
    ] {
        let machine = Machine::new();
        machine.put64(DATA, new);
        machine.put64(DATA + 8, address);
        machine.set(|s| s.gr[6] = DATA);
        let ending = machine.execute("LPSWE 0(6)");
        assert_eq!(ending, program(6, 0, address), "{new:016X}");
        assert_eq!(machine.old(), Psw { mask: new, address });
    }
}

#[test]
fn an_odd_address_is_found_out_when_it_is_used() {
    let machine = Machine::new();
    machine.put64(DATA, WIDE);
    machine.put64(DATA + 8, 0x5001);
    machine.set(|s| s.gr[6] = DATA);
    let Ending::Program { code: 6, ilc, ia } = machine.execute("LPSWE 0(6)") else {
        panic!("a specification exception")
    };
    assert!(ilc != 0 && ia == 0x5001 + ilc as u64, "the length code says by how much the address went on");
    // It comes before the access exception of the page, which does not exist.
    let machine = Machine::new();
    let Ending::Program { code, .. } = machine.go(WIDE, 0x4000_0001) else { panic!("an exception") };
    assert_eq!(code, 6);
}

#[test]
fn lpsw_loads_the_short_format() {
    let machine = Machine::new();
    machine.put64(DATA, 0x0008_1000_8000_5000);
    machine.text(0x5000, "");
    machine.set(|s| s.gr[6] = DATA);
    assert_eq!(machine.execute("LPSW 0(6)"), Ending::Done);
    assert_eq!(machine.old(), Psw { mask: mask::BASIC_ADDRESSING | 0x1000 << 32, address: 0x5002 });
    // Bit 12 must be one in it; bit 31 may be: that is 64-bit addressing.
    machine.put64(DATA, 0x0000_0000_8000_5000);
    assert_eq!(machine.execute("LPSW 0(6)"), program(6, 0, 0x5000));
    assert_eq!(machine.old().mask, mask::SHORT | mask::BASIC_ADDRESSING);
    machine.put64(DATA, 0x0008_0001_8000_5000);
    assert_eq!(machine.execute("LPSW 0(6)"), Ending::Done);
    assert_eq!(machine.old().mask, WIDE);
}

#[test]
fn operands_of_psw_instructions_are_aligned() {
    let machine = Machine::new();
    machine.set(|s| s.gr[6] = DATA + 4);
    assert_eq!(machine.execute("LPSWE 0(6)"), program(6, 4, PROGRAM + 4));
    assert_eq!(machine.execute("LPSW 0(6)"), program(6, 4, PROGRAM + 4));
}

#[test]
fn esa_390_has_no_extended_addressing() {
    let machine = Machine::with(Architecture::Esa, 1);
    machine.put64(DATA, 0x0008_0001_8000_5000);
    machine.text(PROGRAM, "LPSW 0(6)");
    machine.set(|s| s.gr[6] = DATA);
    assert_eq!(machine.go(mask::BASIC_ADDRESSING, PROGRAM), program(6, 0, 0x5000));
    assert_eq!(machine.get64(0x28), 0x0008_0001_8000_5000, "the old PSW is what was loaded");
    // EPSW shows bit 12 on.
    machine.text(PROGRAM, "EPSW 1,2");
    assert_eq!(machine.go(mask::BASIC_ADDRESSING, PROGRAM), Ending::Done);
    assert_eq!((machine.gr(1), machine.gr(2)), (0x0008_0000, 0x8000_0000));
}

#[test]
fn system_mask_instructions() {
    let machine = Machine::new();
    machine.set(|s| s.gr[6] = DATA);
    // STNSM stores the old mask and ANDs; STOSM ORs; SSM replaces. The program stays without DAT and interruptions.
    machine.text(PROGRAM, "STOSM 0(6),0x40\nSTNSM 1(6),0xBF\nSTNSM 2(6),0xFF");
    assert_eq!(machine.go(WIDE, PROGRAM), Ending::Done);
    assert_eq!(machine.get(DATA, 3), [0, 0x40, 0]);
    // A bit that must be zero: the instruction is completed, and its length is known.
    assert_eq!(machine.execute("STOSM 0(6),0x80"), program(6, 4, PROGRAM + 4));
    assert_eq!(machine.old().mask, WIDE | 1 << 63);
    machine.put(DATA, &[0x08]);
    assert_eq!(machine.execute("SSM 0(6)"), program(6, 4, PROGRAM + 4));
    machine.put(DATA, &[0]);
    assert_eq!(machine.execute("SSM 0(6)"), Ending::Done);
    machine.set(|s| s.cr[0] |= cpu::cr0::SSM_SUPPRESSION);
    assert_eq!(machine.execute("SSM 0(6)"), program(0x13, 4, PROGRAM + 4));
    for instruction in ["STOSM 0(6),0", "STNSM 0(6),0xFF", "SSM 0(6)", "LPSW 0(6)", "LPSWE 0(6)"] {
        machine.text(PROGRAM, instruction);
        assert_eq!(machine.go(WIDE | mask::PROBLEM, PROGRAM), program(2, 4, PROGRAM + 4), "{instruction}");
    }
}

#[test]
fn keys_in_the_psw() {
    let machine = Machine::new();
    assert_eq!(machine.execute("SPKA 0x70(0)\nIPK\nSPKA 0(0)"), Ending::Done);
    assert_eq!(machine.gr(2) & 0xff, 0x70);
    // In the problem state CR3 says which keys, and CR0 whether the key may be asked for.
    let problem = WIDE | mask::PROBLEM;
    machine.set(|s| s.cr[3] = 0x0100_0000);
    machine.text(PROGRAM, "SPKA 0x70(0)");
    assert_eq!(machine.go(problem, PROGRAM), Ending::Done);
    assert_eq!(machine.old().key(), 7);
    machine.text(PROGRAM, "SPKA 0x60(0)");
    assert_eq!(machine.go(problem, PROGRAM), program(2, 4, PROGRAM + 4));
    machine.text(PROGRAM, "IPK");
    assert_eq!(machine.go(problem, PROGRAM), program(2, 4, PROGRAM + 4));
    machine.set(|s| s.cr[0] |= cpu::cr0::EXTRACTION_AUTHORITY);
    assert_eq!(machine.go(problem, PROGRAM), Ending::Done);
}

#[test]
fn address_space_control() {
    let machine = Machine::new();
    let mut tables = Tables::new(&machine);
    let asce = tables.space(SEGMENT);
    tables.map_low(asce);
    machine.set(|s| (s.cr[1], s.cr[7], s.cr[13]) = (asce, asce, asce));
    machine.text(PROGRAM, "SAC 0x100(0);IAC 1;LR 9,1;SAC 0x200(0);IAC 2;SACF 0x300(0);IAC 3;SAC 0(0);IAC 4");
    assert_eq!(machine.go(WIDE | mask::DAT, PROGRAM), program(0x13, 4, PROGRAM + 4), "CR0 must allow it");
    machine.set(|s| s.cr[0] |= cpu::cr0::SECONDARY_SPACE);
    assert_eq!(machine.go(WIDE, PROGRAM), program(0x13, 4, PROGRAM + 4), "and DAT be on");
    assert_eq!(machine.go(WIDE | mask::DAT, PROGRAM), Ending::Done);
    assert_eq!([1, 2, 3, 4].map(|r| machine.gr(r)), [0x100, 0x200, 0x300, 0]);
    machine.text(PROGRAM, "SAC 0x400(0)");
    assert_eq!(machine.go(WIDE | mask::DAT, PROGRAM), program(6, 4, PROGRAM + 4));
    machine.text(PROGRAM, "SAC 0x300(0)");
    assert_eq!(machine.go(WIDE | mask::DAT | mask::PROBLEM, PROGRAM), program(2, 4, PROGRAM + 4));
    machine.text(PROGRAM, "IAC 1");
    assert_eq!(machine.go(WIDE, PROGRAM), program(0x13, 4, PROGRAM + 4));
    // To the home space and back is a space-switch event if one of the spaces asks for it; the change is made.
    machine.set(|s| s.cr[13] |= 0x40);
    machine.text(PROGRAM, "SAC 0x300(0)");
    assert_eq!(machine.go(WIDE | mask::DAT, PROGRAM), program(0x1c, 4, PROGRAM + 4));
    assert_eq!(machine.old().mask & mask::SPACE, mask::SPACE);
}

#[test]
fn control_registers_wrap_around() {
    let machine = Machine::new();
    machine.set(|s| s.gr[6] = DATA);
    for n in 0..4 {
        machine.put64(DATA + 8 * n, 0x1111_0000_2222_0000 + n);
    }
    machine.text(PROGRAM, "LCTLG 14,1,0(6)\nSTCTG 14,1,0x100(6)\nSTCTL 15,0,0x200(6)");
    machine.set(|s| s.cr[0] = 0xe0);
    assert_eq!(machine.go(WIDE, PROGRAM), Ending::Done);
    assert_eq!(machine.get(DATA + 0x100, 32), machine.get(DATA, 32));
    assert_eq!(machine.get64(DATA + 0x200), 0x2222_0001_2222_0002);
    // LCTL leaves the left halves.
    machine.put32(DATA, 0x3333_3333);
    assert_eq!(machine.execute("LCTL 15,15,0(6)"), Ending::Done);
    assert_eq!(machine.cpu(0).state.cr[15], 0x1111_0000_3333_3333);
    assert_eq!(machine.execute("LCTL 0,0,2(6)"), program(6, 4, PROGRAM + 4));
    assert_eq!(machine.execute("LCTLG 0,0,4(6)"), program(6, 6, PROGRAM + 6));
}
