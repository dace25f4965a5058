//! Access registers and moves between address spaces (POP, chapters 5 and 10).

mod machine;

use arch::lowcore::z;
use arch::mask;
use cpu::cr0;
use machine::*;

const DAT: u64 = WIDE | mask::DAT;
const ACCESS_REGISTERS: u64 = DAT | 1 << 46;
const SECONDARY: u64 = DAT | 2 << 46;
const HOME: u64 = DAT | 3 << 46;
/// Where each space has a page of its own.
const VA: u64 = 0x10_0000;
/// The dispatchable-unit control table, an access list, and ASN-second-table entries.
const DUCT: u64 = 0x1_0000;
const LIST: u64 = 0x1_1000;
const ENTRIES: u64 = 0x1_2000;
const AUTHORITY: u64 = 0x1_3000;

/// Primary, secondary and home space, with `VA` at 9000, A000 and B000, which hold 1, 2 and 3. The access list's entry
/// 2 leads to a fourth space with `VA` at C000, which holds 4.
fn machine() -> Machine {
    let machine = Machine::new();
    let mut t = Tables::new(&machine);
    let mut spaces = [0; 4];
    for (n, asce) in spaces.iter_mut().enumerate() {
        *asce = t.space(SEGMENT);
        t.map_low(*asce);
        let frame = 0x9000 + 0x1000 * n as u64;
        t.map(*asce, VA, frame);
        machine.put64(frame, n as u64 + 1);
    }
    machine.put32(DUCT + 16, LIST as u32);
    for n in 0..8 {
        machine.put32(LIST + 16 * n, 0x8000_0000);
    }
    machine.put32(LIST + 32, 0x0007_0000);
    machine.put32(LIST + 40, ENTRIES as u32);
    machine.put32(LIST + 44, 0x1234);
    machine.put32(ENTRIES, AUTHORITY as u32);
    machine.put32(ENTRIES + 4, 0);
    machine.put64(ENTRIES + 8, spaces[3]);
    machine.put32(ENTRIES + 20, 0x1234);
    machine.set(|s| {
        (s.cr[1], s.cr[7], s.cr[13]) = (spaces[0], spaces[1], spaces[2]);
        s.cr[2] = DUCT;
        s.cr[0] |= cr0::SECONDARY_SPACE;
        s.gr[5] = VA;
    });
    machine
}

/// The ALET of the list's entry 2 with the right sequence number.
const ALET: u32 = 0x0007_0002;

#[test]
fn the_mode_says_which_space() {
    let machine = machine();
    machine.text(PROGRAM, "LG 1,0(0,5)");
    for (mode, value) in [(DAT, 1), (SECONDARY, 2), (HOME, 3), (ACCESS_REGISTERS, 1)] {
        assert_eq!(machine.go(mode, PROGRAM), Ending::Done);
        assert_eq!(machine.gr(1), value);
    }
}

#[test]
fn exceptions_name_the_space() {
    let machine = machine();
    machine.set(|s| s.gr[5] = VA + 0x1000);
    machine.text(PROGRAM, "LG 1,0(0,5)");
    for (mode, code) in [(DAT, 0), (ACCESS_REGISTERS, 1), (SECONDARY, 2), (HOME, 3)] {
        assert_eq!(machine.go(mode, PROGRAM), program(0x11, 6, PROGRAM));
        assert_eq!(machine.get64(z::TRANSLATION_EXCEPTION_ID), VA + 0x1000 | code);
        let register = if mode == ACCESS_REGISTERS { 5 } else { 0 };
        assert_eq!(machine.get(z::EXCEPTION_ACCESS_ID, 1), [register]);
    }
    // Instructions: from the primary space in all modes but home.
    for (mode, code) in [(DAT, 0), (ACCESS_REGISTERS, 1), (SECONDARY, 0), (HOME, 3)] {
        let Ending::Program { code: 0x11, ilc, ia } = machine.go(mode, VA + 0x1000) else { panic!("no page") };
        assert!(ilc != 0 && ia == VA + 0x1000);
        assert_eq!(machine.get64(z::TRANSLATION_EXCEPTION_ID), VA + 0x1000 | code);
    }
}

#[test]
fn access_registers_designate_spaces() {
    let machine = machine();
    machine.text(PROGRAM, "LG 1,0(0,5)");
    for (alet, value) in [(0, 1), (1, 2), (ALET, 4)] {
        machine.set(|s| s.ar[5] = alet);
        assert_eq!(machine.go(ACCESS_REGISTERS, PROGRAM), Ending::Done);
        assert_eq!(machine.gr(1), value);
    }
    // Access register 0 stands for the primary space whatever it holds; an index has no part in it.
    machine.set(|s| (s.ar[0], s.ar[5], s.gr[6]) = (ALET, ALET, 0));
    machine.text(PROGRAM, "LG 1,0(5,0)");
    assert_eq!(machine.go(ACCESS_REGISTERS, PROGRAM), Ending::Done);
    assert_eq!(machine.gr(1), 1);
    // Both operands of a move have registers of their own.
    machine.set(|s| (s.gr[6], s.ar[6]) = (VA, 1));
    machine.text(PROGRAM, "MVC 8(8,5),0(6)");
    assert_eq!(machine.go(ACCESS_REGISTERS, PROGRAM), Ending::Done);
    assert_eq!(machine.get64(0xc008), 2);
}

#[test]
fn access_register_translation_has_exceptions() {
    let machine = machine();
    machine.text(PROGRAM, "LG 1,0(0,5)");
    let attempt = |alet: u32| {
        machine.set(|s| s.ar[5] = alet);
        machine.go(ACCESS_REGISTERS, PROGRAM)
    };
    for (alet, code) in [
        (0x0207_0002, 0x28), // bits 0-6
        (0x0007_0008, 0x29), // beyond the list
        (0x0007_0003, 0x29), // an invalid entry
        (0x0008_0002, 0x2a), // another sequence number
    ] {
        assert_eq!(attempt(alet), program(code, 6, PROGRAM), "nullified");
        assert_eq!(machine.get(z::EXCEPTION_ACCESS_ID, 1), [5]);
    }
    machine.put32(ENTRIES, 0x8000_0000 | AUTHORITY as u32);
    assert_eq!(attempt(ALET), program(0x2b, 6, PROGRAM));
    machine.put32(ENTRIES, AUTHORITY as u32);
    machine.put32(ENTRIES + 20, 0x1235);
    assert_eq!(attempt(ALET), program(0x2c, 6, PROGRAM));
    machine.put32(ENTRIES + 20, 0x1234);
    // A private entry: for its own index, or one that the authority table lets in by its secondary bit.
    machine.put32(LIST + 32, 0x0107_0005);
    machine.set(|s| s.cr[8] = 5 << 16);
    assert_eq!(attempt(ALET), Ending::Done);
    machine.set(|s| s.cr[8] = 3 << 16);
    assert_eq!(attempt(ALET), program(0x2d, 6, PROGRAM));
    machine.put(AUTHORITY, &[0x01]);
    assert_eq!(attempt(ALET), Ending::Done);
    machine.set(|s| s.cr[8] = 16 << 16);
    assert_eq!(attempt(ALET), program(0x2d, 6, PROGRAM), "beyond the authority table");
    // LRA says what it would be.
    machine.set(|s| (s.ar[5], s.gr[1]) = (0x0007_0003, 0));
    machine.text(PROGRAM, "LRA 1,0(0,5)");
    assert_eq!(machine.go(ACCESS_REGISTERS, PROGRAM), Ending::Done);
    assert_eq!((machine.cc(), machine.gr(1)), (3, 0x8000_0029));
}

#[test]
fn access_can_be_tested() {
    let machine = machine();
    machine.put32(ENTRIES + 0x40 + 16, LIST as u32);
    let test = |alet: u32, index: u64| {
        machine.set(|s| (s.ar[5], s.gr[2], s.cr[5]) = (alet, index << 16, ENTRIES + 0x40));
        assert_eq!(machine.execute("TAR 5,2"), Ending::Done);
        machine.cc()
    };
    for (alet, cc) in [(0, 0), (1, 3), (ALET, 1), (ALET | 0x0100_0000, 2), (0x0007_0003, 3), (0x0008_0002, 3)] {
        assert_eq!(test(alet, 0), cc, "{alet:X}");
    }
    machine.put32(LIST + 32, 0x0107_0005);
    assert_eq!((test(ALET, 5), test(ALET, 4)), (1, 3), "the index is the one given");
}

#[test]
fn an_access_list_entry_may_allow_fetches_only() {
    let machine = machine();
    machine.put32(LIST + 32, 0x0207_0000);
    machine.set(|s| s.ar[5] = ALET);
    machine.text(PROGRAM, "LG 1,0(0,5);STG 1,8(0,5)");
    assert_eq!(machine.go(ACCESS_REGISTERS, PROGRAM), program(4, 6, PROGRAM + 12));
    assert_eq!(machine.get64(z::TRANSLATION_EXCEPTION_ID), VA | 5);
    assert_eq!(machine.gr(1), 4);
}

#[test]
fn the_primary_list_is_the_primary_spaces() {
    let machine = machine();
    // Bit 7 of the ALET: the list of the primary ASTE.
    machine.put32(ENTRIES + 0x40 + 16, LIST as u32);
    machine.put32(DUCT + 16, 0);
    machine.set(|s| (s.cr[5], s.ar[5]) = (ENTRIES + 0x40, ALET | 0x0100_0000));
    machine.text(PROGRAM, "LG 1,0(0,5)");
    assert_eq!(machine.go(ACCESS_REGISTERS, PROGRAM), Ending::Done);
    assert_eq!(machine.gr(1), 4);
}

#[test]
fn mvcp_and_mvcs_cross_spaces() {
    let machine = machine();
    let run = |mode: u64, instruction: &str, length: u64| {
        machine.put(0x9000, &[0x11; 0x1000]);
        machine.put(0xa000, &[0x22; 0x1000]);
        machine.set(|s| (s.gr[1], s.gr[3], s.gr[6]) = (length, 0, VA));
        machine.text(PROGRAM, instruction);
        (machine.go(mode, PROGRAM), machine.cc())
    };
    assert_eq!(run(DAT, "MVCP 0(1,5),0(6),3", 8), (Ending::Done, 0));
    assert_eq!((machine.get64(0x9000), machine.get(0x9008, 1)), (0x2222_2222_2222_2222, vec![0x11]));
    // The true length may be longer than what is moved.
    assert_eq!(run(SECONDARY, "MVCS 0(1,5),0(6),3", 257), (Ending::Done, 3));
    assert_eq!(machine.get(0xa0ff, 2), [0x11, 0x22]);
    assert_eq!(run(DAT, "MVCS 0(1,5),0(6),3", 0), (Ending::Done, 0));
    assert_eq!(machine.get(0xa000, 1), [0x22]);
    for mode in [WIDE, ACCESS_REGISTERS, HOME] {
        assert_eq!(run(mode, "MVCP 0(1,5),0(6),3", 8).0, program(0x13, 6, PROGRAM + 6));
    }
    // The source's key, and in the problem state the mask that allows it.
    machine.set_key(0xa000, 0x38);
    let with_key = |key: u64, mode: u64| {
        machine.set(|s| (s.gr[1], s.gr[3]) = (8, key << 4));
        machine.text(PROGRAM, "MVCP 0(1,5),0(6),3");
        machine.go(mode, PROGRAM)
    };
    assert_eq!(with_key(3, DAT), Ending::Done);
    assert_eq!(with_key(4, DAT), program(4, 6, PROGRAM + 6));
    assert_eq!(machine.get64(z::TRANSLATION_EXCEPTION_ID) & 3, 2, "in the secondary space");
    assert_eq!(with_key(3, DAT | mask::PROBLEM), program(2, 6, PROGRAM + 6));
    machine.set(|s| s.cr[3] = 0x1000_0000);
    assert_eq!(with_key(3, DAT | mask::PROBLEM), Ending::Done);
    machine.set(|s| s.cr[0] &= !cr0::SECONDARY_SPACE);
    assert_eq!(with_key(3, DAT), program(0x13, 6, PROGRAM + 6));
}

#[test]
fn moves_with_keys() {
    let machine = machine();
    machine.set_key(0x6000, 0x38);
    machine.put(DATA, b"abcdefgh");
    let run = |instruction: &str, r0: u64, r1: u64, r3: u64, mode: u64| {
        machine.put(0x9000, &[0; 16]);
        machine.set(|s| (s.gr[0], s.gr[1], s.gr[3], s.gr[5], s.gr[6]) = (r0, r1, r3, 0x9000, DATA));
        machine.text(PROGRAM, instruction);
        (machine.go(mode, PROGRAM), machine.get(0x9000, 5))
    };
    let key4 = WIDE | 4 << 52;
    machine.set_key(0x9000, 0x40);
    assert_eq!(run("MVCK 0(1,5),0(6),3", 0, 4, 0x30, key4), (Ending::Done, b"abcd\0".to_vec()));
    assert_eq!(run("MVCK 0(1,5),0(6),3", 0, 4, 0x40, key4).0, program(4, 6, PROGRAM + 6));
    assert_eq!(run("MVCSK 0(5),0(6)", 3, 0x30, 0, key4), (Ending::Done, b"abcd\0".to_vec()));
    assert_eq!(run("MVCSK 0(5),0(6)", 3, 0x40, 0, key4).0, program(4, 6, PROGRAM + 6));
    assert_eq!(run("MVCDK 0(5),0(6)", 3, 0x40, 0, WIDE | 3 << 52), (Ending::Done, b"abcd\0".to_vec()));
    assert_eq!(run("MVCDK 0(5),0(6)", 3, 0x50, 0, WIDE | 3 << 52).0, program(4, 6, PROGRAM + 6));
    assert_eq!(run("MVCSK 0(5),0(6)", 3, 0x30, 0, key4 | mask::PROBLEM).0, program(2, 6, PROGRAM + 6));
}

#[test]
fn mvcos_moves_between_any_spaces() {
    let machine = machine();
    // Operand-access controls: key in bits 0-3, space in bits 8-9, and which of them count in bits 14 and 15.
    const PRIMARY: u64 = 0x01;
    const REGISTER: u64 = 0x41;
    const SECOND: u64 = 0x81;
    const AT_HOME: u64 = 0xc1;
    let run = |to: u64, from: u64, length: u64, mode: u64| {
        for (frame, byte) in [(0x9000, 0x11), (0xa000, 0x22), (0xb000, 0x33), (0xc000, 0x44)] {
            machine.put(frame, &[byte; 0x1000]);
        }
        machine.set(|s| {
            (s.gr[0], s.gr[3], s.gr[6]) = (to << 16 | from, length, VA);
            (s.ar[5], s.ar[6]) = (ALET, ALET);
        });
        machine.text(PROGRAM, "MVCOS 0(5),0(6),3");
        (machine.go(mode, PROGRAM), machine.cc())
    };
    assert_eq!(run(PRIMARY, SECOND, 8, DAT), (Ending::Done, 0));
    assert_eq!(machine.get(0x9007, 2), [0x22, 0x11]);
    assert_eq!(run(SECOND, AT_HOME, 8, DAT), (Ending::Done, 0));
    assert_eq!(machine.get(0xa000, 1), [0x33]);
    assert_eq!(run(AT_HOME, REGISTER, 8, DAT), (Ending::Done, 0));
    assert_eq!(machine.get(0xb000, 1), [0x44]);
    assert_eq!(run(0, SECOND, 8, HOME), (Ending::Done, 0));
    assert_eq!(machine.get(0xb000, 1), [0x22], "as the PSW says");
    // At most a page; the rest is the program's to do.
    assert_eq!(run(PRIMARY, SECOND, 4096, DAT), (Ending::Done, 0));
    assert_eq!(run(PRIMARY, SECOND, 0, DAT), (Ending::Done, 0));
    assert_eq!(run(PRIMARY, SECOND, 4097, DAT), (Ending::Done, 3));
    assert_eq!(machine.get(0x9fff, 1), [0x22]);
    // In the problem state the home space may be read, not written.
    assert_eq!(run(PRIMARY, AT_HOME, 8, DAT | mask::PROBLEM).0, Ending::Done);
    assert_eq!(run(AT_HOME, PRIMARY, 8, DAT | mask::PROBLEM).0, program(0x13, 6, PROGRAM + 6));
    assert_eq!(run(PRIMARY, SECOND, 8, WIDE).0, program(0x13, 6, PROGRAM + 6));
    // Keys: given and valid, in the problem state subject to the mask.
    machine.set_key(0xa000, 0x38);
    assert_eq!(run(PRIMARY, SECOND | 0x4002, 8, DAT).0, program(4, 6, PROGRAM + 6));
    assert_eq!(run(PRIMARY, SECOND | 0x3002, 8, DAT).0, Ending::Done);
    assert_eq!(run(PRIMARY, SECOND | 0x3002, 8, DAT | mask::PROBLEM).0, program(2, 6, PROGRAM + 6));
    machine.set(|s| s.cr[0] &= !cr0::SECONDARY_SPACE);
    assert_eq!(run(PRIMARY, SECOND, 8, DAT).0, program(0x13, 6, PROGRAM + 6));
    assert_eq!(run(PRIMARY, AT_HOME, 8, DAT).0, Ending::Done);
}
