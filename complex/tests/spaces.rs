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
        assert_eq!(machine.get64(z::TRANSLATION_EXCEPTION_ID), VA + 0x1000 | FETCHED | code);
        let register = if mode == ACCESS_REGISTERS { 5 } else { 0 };
        assert_eq!(machine.get(z::EXCEPTION_ACCESS_ID, 1), [register]);
    }
    // Instructions: from the primary space in all modes but home.
    for (mode, code) in [(DAT, 0), (ACCESS_REGISTERS, 1), (SECONDARY, 0), (HOME, 3)] {
        let Ending::Program { code: 0x11, ilc, ia } = machine.go(mode, VA + 0x1000) else { panic!("no page") };
        assert!(ilc != 0 && ia == VA + 0x1000);
        assert_eq!(machine.get64(z::TRANSLATION_EXCEPTION_ID), VA + 0x1000 | FETCHED | code);
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
    assert_eq!(machine.get64(z::TRANSLATION_EXCEPTION_ID), VA | STORED | 0xd, "the access list");
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

/// ASNs, linkage, entry points and authority.
const FIRST_TABLE: u64 = 0x1_4000;
const SECOND_TABLE: u64 = 0x1_5000;
const LINKAGE: u64 = 0x1_6000;
const ENTRY: u64 = 0x1_6100;
/// Where PROGRAM CALL leads to.
const CALLED: u64 = PROGRAM + 0x100;

/// The primary space has number 1, and what was the secondary one has number 2. PC number 0 leads there, to a program
/// that loads `VA` and returns.
fn two_spaces() -> (Machine, [u64; 2]) {
    let machine = machine();
    let mut spaces = [0; 2];
    machine.set(|s| spaces = [s.cr[1], s.cr[7]]);
    machine.put32(FIRST_TABLE, SECOND_TABLE as u32);
    for (n, asce) in (1..).zip(spaces) {
        let entry = SECOND_TABLE + 64 * n;
        machine.put32(entry, AUTHORITY as u32);
        machine.put32(entry + 4, (n as u32) << 16);
        machine.put64(entry + 8, asce);
        machine.put32(entry + 24, 0x8000_0000 | LINKAGE as u32);
    }
    machine.put(AUTHORITY, &[0xff]);
    machine.put32(LINKAGE, ENTRY as u32);
    machine.put64(ENTRY, CALLED);
    machine.put64(ENTRY + 8, 0x0000_0002_0000_0000);
    machine.put64(ENTRY + 16, 0x4000_0000_0000_0000 | SECOND_TABLE + 128);
    machine.put64(ENTRY + 24, 0);
    machine.set(|s| {
        s.cr[14] |= cpu::cr14::ASN_TRANSLATION | FIRST_TABLE >> 12;
        s.cr[4] = 0x0001_0001;
        s.cr[3] = 0x8000_0001;
        s.cr[5] = SECOND_TABLE + 64;
    });
    // LG 1,0(0,5); PT 3,14.
    machine.put(CALLED, &[0xe3, 0x10, 0x50, 0, 0, 0x04, 0xb2, 0x28, 0, 0x3e]);
    (machine, spaces)
}

#[test]
fn a_program_calls_another_space_and_comes_back() {
    let (machine, spaces) = two_spaces();
    // PC 0; BRCT 7 to it.
    machine.put(PROGRAM, &[0xb2, 0x18, 0, 0, 0xa7, 0x76, 0xff, 0xfe, 0, 0]);
    machine.set(|s| s.gr[7] = 200);
    assert_eq!(machine.go(DAT, PROGRAM), Ending::Done);
    assert_eq!((machine.gr(1), machine.gr(7)), (2, 0));
    machine.set(|s| {
        assert_eq!([s.cr[1], s.cr[7]], [spaces[0]; 2]);
        assert_eq!((s.cr[3] as u16, s.cr[4], s.cr[5]), (1, 0x0001_0001, SECOND_TABLE + 64));
    });
}

#[test]
fn going_to_another_space_is_an_event_if_it_is_asked_for() {
    let (machine, spaces) = two_spaces();
    machine.text(PROGRAM, "PC 0(0)");
    let event = |code: u16| Ending::Program { code, ilc: 4, ia: CALLED };
    machine.set(|s| s.cr[1] |= 0x40);
    assert_eq!(machine.go(DAT, PROGRAM), event(0x1c));
    assert_eq!(machine.get32(z::TRANSLATION_EXCEPTION_ID + 4), 0x8000_0001);
    // With a branch that is recorded.
    machine.set(|s| {
        (s.cr[1], s.cr[4], s.cr[5]) = (spaces[0], 0x0001_0001, SECOND_TABLE + 64);
        (s.cr[9], s.cr[10], s.cr[11]) = (0x8000_0000, 0, u64::MAX);
    });
    assert_eq!(machine.go(DAT | mask::PER, PROGRAM), event(0x9c));
    assert_eq!(machine.get32(z::TRANSLATION_EXCEPTION_ID + 4), 1);
    assert_eq!((machine.get(z::PER_CODE, 1), machine.get64(z::PER_ADDRESS)), (vec![0x80], PROGRAM));
}

#[test]
fn branches_are_traced_while_they_are() {
    const TABLE: u64 = 0x1_8000;
    let (machine, _) = two_spaces();
    machine.set(|s| {
        s.cr[12] = cpu::cr12::BRANCHES | cpu::cr12::SPACES | TABLE;
        (s.gr[7], s.gr[8]) = (2, PROGRAM + 2);
    });
    // BASR 6,8; PC 0; BRCT 7 to the BASR; all in a loop of two rounds.
    machine.put(PROGRAM, &[0x0d, 0x68, 0xb2, 0x18, 0, 0, 0xa7, 0x76, 0xff, 0xfd, 0, 0]);
    assert_eq!(machine.go(DAT, PROGRAM), Ending::Done);
    let target = 0x8000_0000 | PROGRAM as u32 + 2;
    for round in 0..2 {
        let at = TABLE + 24 * round;
        assert_eq!(machine.get32(at), target);
        assert_eq!((machine.get32(at + 4), machine.get64(at + 8)), (0x2200_0000, PROGRAM + 6));
        assert_eq!((machine.get32(at + 16), machine.get32(at + 20)), (0x3108_0001, PROGRAM as u32 + 6));
    }
    machine.set(|s| assert_eq!(s.cr[12] & 0xf_fffc, TABLE + 48));
    // When the page is full, the instruction is nullified.
    machine.set(|s| s.cr[12] = cpu::cr12::BRANCHES | TABLE | 0xffc);
    assert_eq!(machine.go(DAT, PROGRAM), program(0x16, 2, PROGRAM));
}
