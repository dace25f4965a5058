//! Dynamic address translation, prefixing and protection, and the instructions that serve them (POP, chapters 3 and
//! 10).

mod machine;

use arch::lowcore::z;
use arch::{Psw, mask};
use cpu::{Architecture, cr0};
use machine::*;

const DAT: u64 = WIDE | mask::DAT;
const REFERENCED: u8 = 4;
const CHANGED: u8 = 2;

/// A machine with a primary space that has a table of `level` at the top, with low storage mapped to itself; DAT is
/// allowed everything it needs.
fn machine(level: u64) -> (Machine, u64) {
    let machine = Machine::new();
    let mut tables = Tables::new(&machine);
    let asce = tables.space(level);
    tables.map_low(asce);
    machine.set(|s| s.cr[1] = asce);
    (machine, asce)
}

/// Tables continue where the machine's first ones ended: well above.
fn tables(machine: &Machine) -> Tables<'_> {
    Tables::further(machine)
}

/// Loads from `va` with DAT on.
fn fetch(machine: &Machine, va: u64) -> Ending {
    machine.set(|s| s.gr[5] = va);
    machine.text(PROGRAM, "LG 1,0(0,5)");
    machine.go(DAT, PROGRAM)
}

/// Stores to `va` with DAT on.
fn store(machine: &Machine, va: u64) -> Ending {
    machine.set(|s| s.gr[5] = va);
    machine.text(PROGRAM, "STG 1,0(0,5)");
    machine.go(DAT, PROGRAM)
}

/// Nullified with this code: the old PSW designates the instruction.
fn nullified(code: u16) -> Ending {
    program(code, 6, PROGRAM)
}

fn suppressed(code: u16) -> Ending {
    program(code, 6, PROGRAM + 6)
}

#[test]
fn every_level_translates() {
    for (level, va) in [
        (SEGMENT, 0x7ff1_2345),
        (REGION3, 0x3ff_8123_4567),
        (REGION2, 0x1f_ff00_0012_3456),
        (REGION1, 0xffe0_0000_0012_3456),
    ] {
        let (machine, asce) = machine(level);
        tables(&machine).map(asce, va, 0x9000);
        machine.put64(0x9000 + va % 4096, 0x0123_4567_89ab_cdef);
        assert_eq!(fetch(&machine, va), Ending::Done, "level {level}");
        assert_eq!(machine.gr(1), 0x0123_4567_89ab_cdef);
    }
}

#[test]
fn what_is_missing_has_a_code_of_its_own() {
    let va = 0x0020_4010_0030_5678;
    let (machine, asce) = machine(REGION1);
    let mut t = tables(&machine);
    t.map(asce, va, 0x9000);
    let page = t.page(asce, va);
    let entries = [
        (t.entry(asce, va, REGION1), 0x20, 0x39),
        (t.entry(asce, va, REGION2), 0x20, 0x3a),
        (t.entry(asce, va, REGION3), 0x20, 0x3b),
        (t.entry(asce, va, SEGMENT), 0x20, 0x10),
        (page, 0x400, 0x11),
    ];
    for (at, invalid, code) in entries {
        let entry = machine.get64(at);
        machine.put64(at, entry | invalid);
        assert_eq!(fetch(&machine, va), nullified(code));
        assert_eq!(machine.get64(z::TRANSLATION_EXCEPTION_ID), va & !0xfff | FETCHED, "the page");
        assert_eq!(machine.get(z::EXCEPTION_ACCESS_ID, 1), [0]);
        machine.put64(at, entry);
    }
    // Wrong types and bits that must be zero: suppressed.
    for (at, wrong) in
        [(entries[0].0, 0x4), (entries[1].0, 0x8), (entries[2].0, 0x8), (entries[3].0, 0x4), (entries[4].0, 0x800)]
    {
        let entry = machine.get64(at);
        machine.put64(at, entry ^ wrong);
        assert_eq!(fetch(&machine, va), suppressed(0x12), "{at:X}");
        machine.put64(at, entry);
    }
    assert_eq!(fetch(&machine, va), Ending::Done);
}

#[test]
fn an_address_above_the_highest_table_is_an_asce_type_exception() {
    for (level, va) in [(SEGMENT, 1 << 31), (REGION3, 1 << 42), (REGION2, 1 << 53)] {
        let (machine, _) = machine(level);
        assert_eq!(fetch(&machine, va), nullified(0x38));
        assert_eq!(machine.get64(z::TRANSLATION_EXCEPTION_ID), va | FETCHED);
    }
}

#[test]
fn tables_have_an_offset_and_a_length() {
    let (machine, asce) = machine(REGION3);
    let mut t = tables(&machine);
    // The third quarter of a segment table.
    let va = (2 * 512) << 20;
    t.map(asce, va, 0x9000);
    let at = t.entry(asce, va, REGION3);
    let entry = machine.get64(at);
    for (offset, length, code) in [(0, 3, None), (2, 2, None), (3, 3, Some(0x10)), (0, 1, Some(0x10))] {
        machine.put64(at, entry & !0xc3 | offset << 6 | length);
        // The program itself is in the first quarter: it is fetched with DAT off.
        machine.set(|s| s.gr[5] = va);
        machine.text(PROGRAM, "LRAG 1,0(0,5)");
        assert_eq!(machine.go(WIDE, PROGRAM), Ending::Done);
        match code {
            None => assert_eq!((machine.cc(), machine.gr(1)), (0, 0x9000)),
            Some(code) => assert_eq!((machine.cc(), machine.gr(1) as u32), (3, 0x8000_0000 | code)),
        }
    }
    // The designation's own length.
    machine.put64(at, entry);
    machine.set(|s| s.cr[1] = asce & !3);
    assert_eq!(fetch(&machine, 512 << 31), nullified(0x3b));
}

#[test]
fn large_pages_need_the_control() {
    let (machine, asce) = machine(SEGMENT);
    let mut t = tables(&machine);
    let va = 0x0410_0000;
    t.map(asce, va, 0x9000);
    let at = t.entry(asce, va, SEGMENT);
    let entry = machine.get64(at);
    machine.put64(0x30_0008, 0x1111);
    machine.put64(at, 0x30_0000 | 0x400);
    machine.set(|s| s.cr[0] |= cr0::ENHANCED_DAT);
    assert_eq!(fetch(&machine, va + 8), Ending::Done);
    assert_eq!(machine.gr(1), 0x1111);
    // The protection bit of such an entry.
    machine.put64(at, 0x30_0000 | 0x600);
    assert_eq!(store(&machine, va + 8), suppressed(4));
    assert_eq!(machine.get64(z::TRANSLATION_EXCEPTION_ID), va | STORED | 4);
    // The entry may have a key of its own, which goes before the frames'.
    machine.set_key(0x30_0000, 0x30);
    machine.set(|s| s.gr[5] = va);
    for (entry, key, ending) in [
        (0x30_0000 | 0x400, 3, Ending::Done),
        (0x30_0000 | 0x1_4c00, 3, suppressed(4)),
        (0x30_0000 | 0x1_4c00, 4, Ending::Done),
        (0x30_0000 | 0x1_4400, 3, Ending::Done),
    ] {
        machine.put64(at, entry);
        machine.set(|_| ());
        machine.text(PROGRAM, "LG 1,0(0,5)");
        assert_eq!(machine.go(DAT | key << 52, PROGRAM), ending, "{entry:X}");
    }
    // Region entries protect, too, with enhanced DAT only.
    machine.set(|s| s.cr[0] &= !cr0::ENHANCED_DAT);
    machine.put64(at, entry | 0x400);
    machine.put64(0x9008, 0x2222);
    assert_eq!(fetch(&machine, va + 8), Ending::Done);
    assert_eq!(machine.gr(1), 0x2222, "bit 53 is nothing without it");
}

/// POP, chapter 3, "Dynamic address translation": the address that a large page gives is absolute, that of a page is
/// real.
#[test]
fn prefixing_is_not_applied_to_what_a_large_page_gives() {
    let (machine, asce) = machine(SEGMENT);
    let mut t = tables(&machine);
    let va = 0x0410_0000;
    t.map(asce, va, 0);
    t.map(asce, va + 0x10_0000, 0);
    let (large, small) = (t.entry(asce, va, SEGMENT), t.entry(asce, va + 0x10_0000, SEGMENT));
    assert_ne!(large, small);
    // The prefix area is a megabyte on, with the new PSWs of the usual one.
    machine.put(0x10_01a0, &machine.get(0x1a0, 0x60));
    machine.put64(0x10_0300, 1);
    machine.put64(0x300, 2);
    machine.set(|s| {
        s.set_prefix(0x10_0000).expect("it is in storage");
        s.cr[0] |= cr0::ENHANCED_DAT;
    });
    // What a fetch ends in stands in the prefix area.
    let fetched = |va: u64| {
        fetch(&machine, va);
        (machine.get32(0x10_0000 + z::PROGRAM_ILC) as u16, machine.gr(1))
    };
    assert_eq!(fetched(va + 0x10_0300), (1, 1), "a page");
    machine.put64(large, 0x400);
    machine.set(|s| s.purge_tlb());
    assert_eq!(fetched(va + 0x300), (1, 2), "absolute 0");
    machine.put64(large, 0x10_0400);
    machine.set(|s| s.purge_tlb());
    assert_eq!(fetched(va + 0x300), (1, 1), "the prefix area by its own address");
    // LOAD REAL ADDRESS says the same, and stores go there, too.
    machine.set(|s| s.gr[5] = va + 0x300);
    machine.text(PROGRAM, "LRAG 2,0(0,5);LGHI 3,7;STG 3,0(0,5)");
    machine.go(DAT, PROGRAM);
    assert_eq!((machine.gr(2), machine.get64(0x10_0300), machine.get64(0x300)), (0x10_0300, 7, 2));
}

/// POP, chapter 3, "Operand Access Identification": the R1 and R2 fields of MOVE PAGE.
#[test]
fn a_page_that_move_page_misses_is_told_with_its_registers() {
    let (machine, asce) = machine(SEGMENT);
    let mut t = tables(&machine);
    let (there, missing) = (0x0410_0000, 0x0410_1000);
    t.map(asce, there, 0x9000);
    let page = t.page(asce, missing);
    machine.put64(page, 0x400);
    for (first, second, source) in [(missing, there, "MVPG 6,9"), (there, missing, "MVPG 6,9")] {
        machine.put(z::OPERAND_ACCESS_ID, &[0xff]);
        machine.set(|s| (s.gr[0], s.gr[6], s.gr[9]) = (0, first, second));
        machine.text(PROGRAM, source);
        assert_eq!(machine.go(DAT, PROGRAM), program(0x11, 4, PROGRAM), "nullified");
        assert_eq!(machine.get(z::OPERAND_ACCESS_ID, 1), [0x69]);
        assert_eq!(machine.get64(z::TRANSLATION_EXCEPTION_ID) & !0xfff, missing);
    }
    // Of another instruction it says nothing.
    assert_eq!(fetch(&machine, missing), nullified(0x11));
    assert_eq!(machine.get(z::OPERAND_ACCESS_ID, 1), [0]);
}

#[test]
fn protection_by_tables_sets_bit_61() {
    let va = 0x0234_5678;
    let (machine, asce) = machine(REGION3);
    let mut t = tables(&machine);
    t.map(asce, va, 0x9000);
    let (page, segment, region) = (t.page(asce, va), t.entry(asce, va, SEGMENT), t.entry(asce, va, REGION3));
    for at in [page, segment, region] {
        let entry = machine.get64(at);
        machine.put64(at, entry | 0x200);
        if at == region {
            // A region entry's bit counts with enhanced DAT alone. The program, in the same region, is only fetched.
            assert_eq!(store(&machine, va), Ending::Done);
            machine.set(|s| s.cr[0] |= cr0::ENHANCED_DAT);
        }
        assert_eq!(store(&machine, va), suppressed(4));
        assert_eq!(machine.get64(z::TRANSLATION_EXCEPTION_ID), va & !0xfff | STORED | 4);
        assert_eq!(fetch(&machine, va), Ending::Done);
        machine.put64(at, entry);
    }
    // An update of a protected page is refused before the operand is used: nothing changes.
    machine.put64(page, 0x9200);
    machine.put32(0x9678, 5);
    machine.set(|s| (s.gr[5], s.gr[1], s.gr[2]) = (va, 5, 7));
    machine.text(PROGRAM, "CS 1,2,0(5)");
    assert_eq!(machine.go(DAT, PROGRAM), program(4, 4, PROGRAM + 4));
    assert_eq!(machine.get32(0x9678), 5);
}

#[test]
fn low_addresses_are_protected_exactly() {
    let machine = Machine::new();
    machine.set(|s| s.cr[0] |= cr0::LOW_ADDRESS_PROTECTION);
    let attempt = |at: u64| {
        machine.set(|s| s.gr[5] = at);
        machine.text(PROGRAM, "MVI 0(5),0");
        machine.go(WIDE, PROGRAM)
    };
    // Bytes that no new PSW needs.
    for at in [0, 0x90, 0x19f, 4096, 4607] {
        assert_eq!(attempt(at), program(4, 4, PROGRAM + 4), "{at:X}");
        assert_eq!(machine.get64(z::TRANSLATION_EXCEPTION_ID) & 4, 0);
    }
    for at in [512, 4095, 4608, 8191, 8192, 8703] {
        assert_eq!(attempt(at), Ending::Done, "{at:X}");
    }
    // An operand that reaches into the range: nothing is stored.
    machine.put64(4088, 0);
    machine.set(|s| (s.gr[1], s.gr[5]) = (u64::MAX, 4092));
    assert_eq!(machine.execute("STG 1,0(0,5)"), suppressed(4));
    assert_eq!(machine.get64(4088), 0);
    machine.set(|s| s.gr[5] = 4092);
    machine.text(PROGRAM, "XC 0(8,5),0(5)");
    assert_eq!(machine.go(WIDE, PROGRAM), suppressed(4));
    // Interruptions themselves store there; so does a fetch-only access.
    machine.set(|s| s.gr[5] = 0x1d0);
    assert_eq!(machine.execute("LG 1,0(0,5)"), Ending::Done);
    // Real addresses are subject to it.
    machine.set(|s| s.gr[5] = 0x90);
    assert_eq!(machine.execute("STURA 1,5"), program(4, 4, PROGRAM + 4));
    machine.set(|s| s.gr[5] = 0x1000);
    assert_eq!(machine.execute("TB 0,5"), program(4, 4, PROGRAM + 4));
}

#[test]
fn private_spaces_have_no_low_address_protection() {
    let (machine, asce) = machine(SEGMENT);
    machine.set(|s| s.cr[0] |= cr0::LOW_ADDRESS_PROTECTION);
    assert_eq!(store(&machine, 0x90), suppressed(4));
    machine.set(|s| s.cr[1] = asce | 0x100);
    assert_eq!(store(&machine, 0x90), Ending::Done);
    // And no common segments.
    let at = tables(&machine).entry(asce, 0, SEGMENT);
    let entry = machine.get64(at);
    machine.put64(at, entry | 0x10);
    machine.set(|s| s.cr[1] = asce);
    assert_eq!(fetch(&machine, DATA), Ending::Done);
    machine.set(|s| (s.cr[1], s.gr[5]) = (asce | 0x100, DATA));
    machine.text(PROGRAM, "LRAG 1,0(0,5)");
    assert_eq!(machine.go(WIDE, PROGRAM), suppressed(0x12));
}

#[test]
fn a_real_space_is_not_translated() {
    let machine = Machine::new();
    machine.set(|s| (s.cr[1], s.cr[0]) = (0x20, s.cr[0] | cr0::LOW_ADDRESS_PROTECTION));
    machine.put64(0x30_0000, 7);
    assert_eq!(fetch(&machine, 0x30_0000), Ending::Done);
    assert_eq!(machine.gr(1), 7);
    assert_eq!(fetch(&machine, 1 << 40), suppressed(5), "beyond storage");
}

#[test]
fn prefixing_exchanges_two_blocks() {
    let machine = Machine::new();
    machine.put32(DATA, 0x0010_0000);
    machine.put64(0x10_0208, 1);
    machine.put64(0x208, 2);
    machine.put64(0x1ff8, 3);
    // The new PSWs of the new prefix area.
    machine.put(0x10_01a0, &machine.get(0x1a0, 0x60));
    machine.set(|s| s.gr[6] = DATA);
    machine.text(PROGRAM, "SPX 0(6);STPX 4(6);LG 1,0x208(0,0);LGHI 5,16;SLLG 5,5,16(0);LG 2,0x208(0,5)");
    machine.go(WIDE, PROGRAM);
    assert_eq!(machine.get32(DATA + 4), 0x0010_0000);
    assert_eq!((machine.gr(1), machine.gr(2)), (1, 2));
    assert_eq!(machine.get16(0x10_008e), 1, "the interruption went to the new prefix area");
    // The area must be in storage, the operand on a word.
    machine.set(|s| s.prefix = 0);
    machine.put32(DATA, 0x0080_0000);
    assert_eq!(machine.execute("SPX 0(6)"), program(5, 4, PROGRAM + 4));
    assert_eq!(machine.execute("SPX 2(6)"), program(6, 4, PROGRAM + 4));
    // Bits that no prefix has are not looked at.
    machine.put32(DATA, 0x8000_1fff);
    assert_eq!(machine.execute("SPX 0(6);STPX 4(6)"), Ending::Done);
    assert_eq!(machine.get32(DATA + 4), 0);
}

#[test]
fn keys_protect() {
    let machine = Machine::new();
    let attempt = |key: u8, access: u64, instruction: &str| {
        machine.set_key(0x9000, key);
        machine.set(|s| s.gr[5] = 0x9000);
        machine.text(PROGRAM, instruction);
        // The program's own page can be fetched with any key.
        machine.go(WIDE | access << 52, PROGRAM)
    };
    let (load, store) = ("LG 1,0(0,5)", "STG 1,0(0,5)");
    assert_eq!(attempt(0x30, 3, store), Ending::Done);
    assert_eq!(attempt(0x30, 0, store), Ending::Done);
    assert_eq!(attempt(0x30, 4, store), suppressed(4));
    assert_eq!(machine.get64(z::TRANSLATION_EXCEPTION_ID) & 4, 0, "not by tables");
    assert_eq!(attempt(0x30, 4, load), Ending::Done);
    assert_eq!(attempt(0x38, 4, load), suppressed(4));
    assert_eq!(attempt(0x38, 3, load), Ending::Done);
    // Key 9 is open to all with storage-protection override.
    assert_eq!(attempt(0x98, 4, store), suppressed(4));
    machine.set(|s| s.cr[0] |= cr0::STORAGE_PROTECTION_OVERRIDE);
    assert_eq!(attempt(0x98, 4, store), Ending::Done);
    assert_eq!(attempt(0xa8, 4, load), suppressed(4));
    // Fetch-protection override: the first 2048 bytes.
    machine.set_key(0, 0x38);
    machine.text(PROGRAM, "LG 1,2040(0,0)");
    assert_eq!(machine.go(WIDE | 4 << 52, PROGRAM), suppressed(4));
    machine.set(|s| s.cr[0] |= cr0::FETCH_PROTECTION_OVERRIDE);
    assert_eq!(machine.go(WIDE | 4 << 52, PROGRAM), Ending::Done);
    machine.text(PROGRAM, "LG 1,2048(0,0)");
    assert_eq!(machine.go(WIDE | 4 << 52, PROGRAM), suppressed(4));
    machine.text(PROGRAM, "LG 1,2041(0,0)");
    assert_eq!(machine.go(WIDE | 4 << 52, PROGRAM), suppressed(4), "its last byte is not among them");
    // LURA and STURA have a real address, and a key.
    machine.set_key(0x9000, 0x38);
    machine.set(|s| s.gr[5] = 0x9000);
    for instruction in ["LURA 1,5", "LURAG 1,5", "STURA 1,5", "STURG 1,5"] {
        machine.text(PROGRAM, instruction);
        assert_eq!(machine.go(WIDE | 4 << 52, PROGRAM), program(4, 4, PROGRAM + 4), "{instruction}");
        assert_eq!(machine.go(WIDE | 3 << 52, PROGRAM), Ending::Done, "{instruction}");
    }
    // An instruction is fetched with the PSW's key, too.
    machine.set_key(PROGRAM, 0x38);
    let Ending::Program { code: 4, ilc, ia } = machine.go(WIDE | 4 << 52, PROGRAM) else { panic!("protection") };
    assert!(ilc > 0 && ia == PROGRAM + ilc as u64);
}

#[test]
fn reference_and_change_are_recorded() {
    let machine = Machine::new();
    let bits = || machine.key(0x9000) & (REFERENCED | CHANGED);
    machine.set(|s| s.gr[5] = 0x9000);
    for (instruction, expected) in [
        ("LG 1,0(0,5)", REFERENCED),
        ("STG 1,0(0,5)", REFERENCED | CHANGED),
        ("MVC 0(8,5),0(5)", REFERENCED | CHANGED),
        ("TPROT 0(5),0(0)", 0),
        ("LRAG 1,0(0,5)", 0),
        ("ISKE 1,5", 0),
        ("LURA 1,5", REFERENCED),
        ("STURG 1,5", REFERENCED | CHANGED),
    ] {
        machine.set_key(0x9000, 0);
        machine.set(|_| ());
        assert_eq!(machine.execute(instruction), Ending::Done);
        assert_eq!(bits(), expected, "{instruction}");
    }
    // RRBE: the condition code is the two bits, and the reference bit is off. Translations made before do not hide the
    // next reference.
    for (key, cc) in [(0, 0), (CHANGED, 1), (REFERENCED, 2), (REFERENCED | CHANGED, 3)] {
        machine.set_key(0x9000, 0x70 | key);
        assert_eq!(machine.execute("RRBE 0,5"), Ending::Done);
        assert_eq!((machine.cc(), machine.key(0x9000)), (cc, 0x70 | key & CHANGED));
    }
    assert_eq!(machine.execute("LG 1,0(0,5);RRBE 0,5;LG 1,0(0,5)"), Ending::Done);
    assert_eq!(machine.cc(), 3);
    assert_eq!(bits(), REFERENCED | CHANGED);
    // SSKE turns the change bit off; the next store turns it on.
    assert_eq!(machine.execute("STG 1,0(0,5);LGHI 2,0;SSKE 2,5;STG 1,0(0,5)"), Ending::Done);
    assert_eq!(bits(), REFERENCED | CHANGED);
}

#[test]
fn keys_are_set_and_inserted() {
    let machine = Machine::new();
    machine.set(|s| (s.gr[1], s.gr[2], s.gr[5]) = (0xff, u64::MAX, 0x9abc));
    // Bit 63 is no part of it, and the byte index does not matter.
    assert_eq!(machine.execute("SSKE 1,5;ISKE 2,5"), Ending::Done);
    assert_eq!((machine.key(0x9000), machine.gr(2)), (0xfe, 0xffff_ffff_ffff_fffe));
    // IVSK: a virtual address, with DAT on; without reference and change.
    assert_eq!(machine.execute("IVSK 3,5"), program(0x13, 4, PROGRAM + 4));
    let (machine, _) = self::machine(SEGMENT);
    machine.set(|s| s.gr[5] = 0x9000);
    machine.set_key(0x9000, 0x5e);
    machine.text(PROGRAM, "IVSK 3,5");
    assert_eq!(machine.go(DAT, PROGRAM), Ending::Done);
    assert_eq!(machine.gr(3), 0x58);
    assert_eq!(machine.go(DAT | mask::PROBLEM, PROGRAM), program(2, 4, PROGRAM + 4));
    machine.set(|s| s.cr[0] |= cr0::EXTRACTION_AUTHORITY);
    assert_eq!(machine.go(DAT | mask::PROBLEM, PROGRAM), Ending::Done);
    // All frames to the end of the megabyte; the address is absolute, the register's last twelve bits stay.
    machine.set(|s| (s.gr[1], s.gr[5]) = (0x40, 0x2f_e123));
    assert_eq!(machine.execute("SSKE 1,5,1"), Ending::Done);
    assert_eq!([0x2f_d000, 0x2f_e000, 0x2f_f000, 0x30_0000].map(|a| machine.key(a)), [0, 0x40, 0x40, 0]);
    assert_eq!(machine.gr(5), 0x30_0123);
    machine.set(|s| s.gr[5] = 0x80_0000);
    for instruction in ["ISKE 1,5", "SSKE 1,5", "RRBE 0,5", "TB 0,5", "LURA 1,5", "STURA 1,5"] {
        assert_eq!(machine.execute(instruction), program(5, 4, PROGRAM + 4), "{instruction}");
    }
}

#[test]
fn frames_are_cleared_and_managed() {
    let machine = Machine::new();
    machine.put(0x9000, &[1; 0x2000]);
    machine.set(|s| (s.gr[0], s.gr[5]) = (9, 0x9008));
    assert_eq!(machine.execute("TB 0,5"), Ending::Done);
    assert_eq!(
        (machine.gr(0), machine.cc(), machine.get64(0x9ff8), machine.get64(0xa000)),
        (0, 0, 0, 0x0101 * 0x1_0001_0001_0001)
    );
    // PFMF: clear and set the key of one frame, then of the rest of a megabyte.
    machine.put(0x9000, &[1; 0x1000]);
    machine.set(|s| (s.gr[1], s.gr[5]) = (0x3_0050, 0x9000));
    assert_eq!(machine.execute("PFMF 1,5"), Ending::Done);
    assert_eq!((machine.key(0x9000) & 0xf8, machine.get64(0x9000), machine.gr(5)), (0x50, 0, 0x9000));
    machine.put(0x2f_f000, &[1; 0x1000]);
    machine.set(|s| (s.gr[1], s.gr[5]) = (0x3_1060, 0x2f_e000));
    assert_eq!(machine.execute("PFMF 1,5"), Ending::Done);
    assert_eq!((machine.key(0x2f_f000) & 0xf8, machine.get64(0x2f_f000), machine.gr(5)), (0x60, 0, 0x30_0000));
    // Without quiescing, which is a hint.
    machine.set(|s| (s.gr[1], s.gr[5]) = (0x2_0870, 0x9000));
    assert_eq!((machine.execute("PFMF 1,5"), machine.key(0x9000) & 0xf8), (Ending::Done, 0x70));
    for wrong in [0x2_0101, 0x4_0000, 0x2_2000] {
        machine.set(|s| s.gr[1] = wrong);
        assert_eq!(machine.execute("PFMF 1,5"), program(6, 4, PROGRAM + 4), "{wrong:X}");
    }
}

#[test]
fn protection_can_be_tested() {
    let (machine, asce) = machine(SEGMENT);
    let mut t = tables(&machine);
    t.map(asce, 0x10_0000, 0x9000);
    t.map(asce, 0x10_1000, 0x9200);
    machine.set(|s| s.cr[0] |= cr0::LOW_ADDRESS_PROTECTION);
    let test = |va: u64, storage_key: u8, cc: Option<u8>| {
        machine.set_key(0x9000, storage_key);
        machine.set(|s| s.gr[5] = va);
        machine.text(PROGRAM, "TPROT 0(5),0x40(0)");
        let ending = machine.go(DAT, PROGRAM);
        match cc {
            Some(cc) => assert_eq!((ending, machine.cc()), (Ending::Done, cc), "{va:X} {storage_key:X}"),
            None => assert_eq!(ending, suppressed(5)),
        }
    };
    test(0x10_0000, 0x40, Some(0));
    test(0x10_0000, 0x30, Some(1));
    test(0x10_0000, 0x38, Some(2));
    test(0x10_1000, 0x48, Some(1));
    test(0x10_1000, 0x38, Some(2));
    test(0x10_2000, 0, Some(3));
    test(1 << 40, 0, Some(3));
    test(0x100, 0, Some(1));
    t.map(asce, 0x10_3000, 1 << 40);
    test(0x10_3000, 0, None);
}

#[test]
fn load_real_address() {
    let (machine, asce) = machine(REGION3);
    let mut t = tables(&machine);
    t.map(asce, 0x10_0000, 0x9000);
    t.map(asce, 0x10_1000, 1 << 32);
    let missing_page = t.page(asce, 0x10_2000);
    let missing_segment = t.entry(asce, 0x20_0000, SEGMENT);
    let load = |instruction: &str, mask: u64, va: u64| {
        machine.set(|s| (s.gr[1], s.gr[5]) = (0xffff_ffff_ffff_ffff, va));
        machine.text(PROGRAM, &format!("{instruction} 1,0(0,5)"));
        let ending = machine.go(mask, PROGRAM);
        (ending, machine.cc(), machine.gr(1))
    };
    let narrow = mask::BASIC_ADDRESSING;
    const LEFT: u64 = 0xffff_ffff_0000_0000;
    for instruction in ["LRA", "LRAY", "LRAG"] {
        // DAT need not be on.
        assert_eq!(load(instruction, WIDE, 0x10_0123), (Ending::Done, 0, 0x9123));
        assert_eq!(load(instruction, WIDE, 0x10_1123), (Ending::Done, 0, 1 << 32 | 0x123));
        assert_eq!(load(instruction, WIDE, 0x20_0000), (Ending::Done, 1, missing_segment));
        assert_eq!(load(instruction, WIDE, 0x10_2000), (Ending::Done, 2, missing_page));
        assert_eq!(load(instruction, WIDE, 1 << 31), (Ending::Done, 3, LEFT | 0x8000_003b));
        assert_eq!(load(instruction, WIDE, 1 << 42), (Ending::Done, 3, LEFT | 0x8000_0038));
        assert_eq!(
            load(instruction, WIDE | mask::PROBLEM, 0).0,
            program(2, if instruction == "LRA" { 4 } else { 6 }, PROGRAM + if instruction == "LRA" { 4 } else { 6 })
        );
    }
    assert_eq!(load("LRA", narrow, 0x10_0123), (Ending::Done, 0, LEFT | 0x9123));
    assert_eq!(load("LRA", narrow, 0x10_2000), (Ending::Done, 2, LEFT | missing_page));
    assert_eq!(load("LRA", narrow, 0x10_1000).0, program(0x13, 4, PROGRAM + 4), "31 bits are not enough");
    assert_eq!(load("LRAG", narrow, 0x10_1000), (Ending::Done, 0, 1 << 32));
    // The space is the one that the PSW would use.
    let home = t.space(SEGMENT);
    t.map(home, 0x10_0000, 0xa000);
    machine.set(|s| s.cr[13] = home);
    assert_eq!(load("LRAG", WIDE | mask::SPACE, 0x10_0000), (Ending::Done, 0, 0xa000));
    // STRAG stores it.
    machine.set(|s| (s.gr[5], s.gr[6]) = (0x10_0123, DATA));
    assert_eq!(machine.execute("STRAG 0(6),0(5)"), Ending::Done);
    assert_eq!(machine.get64(DATA), 0x9123);
}

#[test]
fn invalidated_entries_are_forgotten() {
    let va = 0x0123_4000;
    let (machine, asce) = machine(SEGMENT);
    let mut t = tables(&machine);
    t.map(asce, va, 0x9000);
    let (page, segment) = (t.page(asce, va), t.entry(asce, va, SEGMENT));
    let table = page & !0x7ff;
    // IPTE turns the entry's invalid bit on, and the next access notices.
    machine.set(|s| (s.gr[2], s.gr[5]) = (table, va));
    machine.text(PROGRAM, "LG 1,0(0,5);IPTE 2,5;LG 1,0(0,5)");
    assert_eq!(machine.go(DAT, PROGRAM), program(0x11, 6, PROGRAM + 10));
    assert_eq!(machine.get64(page), 0x9400);
    // A table changed without a purge may be used as it was; PTLB makes it known.
    machine.put64(page, 0x9000);
    machine.set(|s| (s.gr[1], s.gr[2]) = (0x400, page));
    machine.text(PROGRAM, "LG 3,0(0,5);LURAG 4,2;OGR 4,1;STURG 4,2;PTLB;LG 3,0(0,5)");
    assert_eq!(machine.go(DAT, PROGRAM), program(0x11, 6, PROGRAM + 22));
    // IDTE with the segment table's origin.
    machine.put64(page, 0x9000);
    machine.set(|s| (s.gr[2], s.gr[4]) = (asce & !0xfff, va & !0xf_ffff));
    machine.text(PROGRAM, "LG 1,0(0,5);IDTE 2,3,4;LG 1,0(0,5)");
    assert_eq!(machine.go(DAT, PROGRAM), program(0x10, 6, PROGRAM + 10));
    assert_eq!(machine.get64(segment) & 0x20, 0x20);
    machine.put64(segment, table);
    // More than one entry, by the count in R2.
    machine.set(|s| s.gr[4] |= 2);
    machine.text(PROGRAM, "IDTE 2,3,4");
    assert_eq!(machine.go(DAT, PROGRAM), Ending::Done);
    assert_eq!([0, 8, 16].map(|n| machine.get64(segment + n) & 0x20), [0x20; 3]);
    machine.put64(segment, table);
    machine.set(|s| s.gr[4] = 0x1000);
    assert_eq!(machine.go(DAT, PROGRAM), program(6, 4, PROGRAM + 4), "reserved bits");
    // By designation: everything of one space.
    machine.set(|s| (s.gr[3], s.gr[4], s.gr[6], s.gr[7]) = (asce, 0x800, page, 0x9400));
    machine.text(PROGRAM, "LG 1,0(0,5);STURG 7,6;IDTE 2,3,4;LG 1,0(0,5)");
    assert_eq!(machine.go(DAT, PROGRAM), program(0x11, 6, PROGRAM + 14));
    assert_eq!(machine.get64(segment), table, "and no entry changes");
}

/// Two pages 64 MiB from each other have one place in the lookaside buffer. Going back and forth between them reads no
/// table again; but what is forgotten is so wherever it is kept.
#[test]
fn of_two_pages_of_one_place_both_are_kept_until_they_are_invalidated() {
    let (one, other) = (0x0123_4000, 0x0523_4000);
    let (machine, asce) = machine(SEGMENT);
    let mut t = tables(&machine);
    t.map(asce, one, 0x9000);
    t.map(asce, other, 0xa000);
    let page = t.page(asce, one);
    let go = |text: &str| {
        machine.put64(page, 0x9000);
        machine.set(|s| (s.gr[2], s.gr[4], s.gr[5], s.gr[6]) = (page & !0x7ff, 0x0123_0000, one, other));
        machine.set(|s| (s.gr[3], s.gr[7], s.gr[8]) = (asce, page, 0x9400));
        machine.text(PROGRAM, text);
        machine.go(DAT, PROGRAM)
    };
    machine.put64(0x9000, 111);
    machine.put64(0xa000, 222);
    // Its entry is invalid now, and no CPU has been told.
    for text in ["LG 9,0(0,5);LG 10,0(0,6);STURG 8,7;LG 9,0(0,5)", "STG 9,0(0,5);STG 10,0(0,6);STURG 8,7;STG 9,0(0,5)"]
    {
        assert_eq!(go(text), Ending::Done, "{text}");
        assert_eq!((machine.gr(9), machine.gr(10)), (111, 222));
        assert_eq!((machine.get64(0x9000), machine.get64(0xa000)), (111, 222));
        machine.text(PROGRAM, "PTLB");
        assert_eq!(machine.go(DAT, PROGRAM), Ending::Done);
    }
    // IPTE, PTLB, and IDTE by designation.
    assert_eq!(go("LG 9,0(0,5);LG 10,0(0,6);IPTE 2,5;LG 9,0(0,5)"), program(0x11, 6, PROGRAM + 16));
    assert_eq!(go("LG 9,0(0,5);LG 10,0(0,6);STURG 8,7;PTLB;LG 9,0(0,5)"), program(0x11, 6, PROGRAM + 20));
    let text = "LG 9,0(0,5);LG 10,0(0,6);STURG 8,7;LGHI 4,2048;IDTE 2,3,4;LG 9,0(0,5)";
    assert_eq!(go(text), program(0x11, 6, PROGRAM + 24));
    // What may be fetched may not be stored into where the table protects it, also when it comes back.
    machine.put64(page, 0x9200);
    machine.text(PROGRAM, "PTLB;LG 9,0(0,5);LG 10,0(0,6);STG 9,0(0,5)");
    assert_eq!(machine.go(DAT, PROGRAM), program(4, 6, PROGRAM + 22));
}

#[test]
fn compare_and_swap_and_purge() {
    let va = 0x0123_4000;
    let (machine, asce) = machine(SEGMENT);
    let mut t = tables(&machine);
    t.map(asce, va, 0x9000);
    let page = t.page(asce, va);
    // The table is mapped, so that it can be changed.
    t.map(asce, 0x10_0000, page & !0xfff);
    let at = 0x10_0000 | page & 0xfff;
    machine.set(|s| (s.gr[2], s.gr[3], s.gr[4], s.gr[5]) = (0x9000, 0x9400, at | 1, va));
    machine.text(PROGRAM, "LG 1,0(0,5);CSPG 2,4;LG 1,0(0,5)");
    assert_eq!(machine.go(DAT, PROGRAM), program(0x11, 6, PROGRAM + 10));
    assert_eq!(machine.old().cc(), 0);
    // Unequal: the first operand gets what is there.
    machine.text(PROGRAM, "CSPG 2,4");
    assert_eq!(machine.go(DAT, PROGRAM), Ending::Done);
    assert_eq!((machine.cc(), machine.gr(2)), (1, 0x9400));
    machine.set(|s| (s.gr[2], s.gr[3], s.gr[4]) = (0x1111_1111_0000_9400, 0x2222_2222_0000_9000, at + 4));
    machine.text(PROGRAM, "CSP 2,4");
    assert_eq!(machine.go(DAT, PROGRAM), Ending::Done);
    assert_eq!((machine.cc(), machine.get64(page)), (0, 0x9000));
    for instruction in ["CSP 1,4", "CSPG 1,4"] {
        assert_eq!(machine.execute(instruction), program(6, 4, PROGRAM + 4));
    }
}

#[test]
fn esa_390_translates_with_words() {
    let machine = Machine::with(Architecture::Esa, 1);
    // A segment table of 16 entries at 20000, a page table of 16 entries at 21000: one megabyte, 64 KiB of it mapped.
    let (segments, pages) = (0x2_0000, 0x2_1000);
    for n in 0..16 {
        machine.put32(segments + 4 * n, 0x20);
        machine.put32(pages + 4 * n, (n as u32) << 12);
    }
    machine.put32(segments, pages as u32);
    machine.set(|s| s.cr[1] = segments);
    let narrow = mask::BASIC_ADDRESSING | mask::DAT;
    let attempt = |va: u64, instruction: &str| {
        machine.set(|s| s.gr[5] = va);
        machine.text(PROGRAM, instruction);
        machine.go(narrow, PROGRAM)
    };
    machine.put32(DATA, 77);
    assert_eq!(attempt(DATA, "L 1,0(0,5)"), Ending::Done);
    assert_eq!(machine.gr(1), 77);
    assert_eq!(attempt(0x10_0000, "L 1,0(0,5)"), program(0x10, 4, PROGRAM), "invalid");
    assert_eq!(machine.get32(0x90), 0x10_0000);
    assert_eq!(attempt(0x100_0000, "L 1,0(0,5)"), program(0x10, 4, PROGRAM), "beyond the table");
    assert_eq!(attempt(0x1_0000, "L 1,0(0,5)"), program(0x11, 4, PROGRAM), "beyond the page table");
    machine.put32(pages + 4 * 7, 0x7400);
    assert_eq!(attempt(0x7000, "L 1,0(0,5)"), program(0x11, 4, PROGRAM));
    machine.put32(pages + 4 * 7, 0x7200);
    assert_eq!(attempt(0x7000, "ST 1,0(0,5)"), program(4, 4, PROGRAM + 4));
    assert_eq!(machine.get32(0x90), 0x7004);
    for wrong in [0x8000_7000, 0x7800, 0x7100] {
        machine.put32(pages + 4 * 7, wrong);
        assert_eq!(attempt(0x7000, "L 1,0(0,5)"), program(0x12, 4, PROGRAM + 4));
    }
    assert_eq!(attempt(0x10_0000, "LRA 1,0(0,5)"), Ending::Done);
    assert_eq!((machine.gr(1), Psw::from_short(machine.get64(0x28)).cc()), (segments + 4, 1));
    // The 4 KiB prefix area.
    machine.put32(DATA, 0x0003_1000);
    machine.put64(0x3_1300, 5);
    machine.put(0x3_1068, &machine.get(0x68, 8));
    machine.set(|s| s.gr[6] = DATA);
    machine.text(PROGRAM, "SPX 0(6);L 1,0x304(0,0)");
    machine.go(mask::BASIC_ADDRESSING, PROGRAM);
    assert_eq!(machine.gr(1), 5);
}

#[test]
fn what_reaches_into_a_missing_page_changes_nothing() {
    let (machine, asce) = machine(SEGMENT);
    let mut t = tables(&machine);
    // The page after 100000 is missing; register 5 points 4 bytes before it, 6 at operands that are there.
    t.map(asce, 0x10_0000, 0x9000);
    // Decimal zeros: four bytes, and eight bytes at 8.
    let mut data = [0; 32];
    (data[3], data[15]) = (0x0c, 0x0c);
    let (before, registers): (Vec<u8>, [u64; 16]) =
        ((0..4096).map(|n| n as u8 | 1).collect(), std::array::from_fn(|r| 0x0101_0101_0101_0101 * r as u64));
    for instruction in [
        "STG 1,0(0,5)",
        "STMG 8,11,0(5)",
        "STM 8,11,0(5)",
        "STCM 1,15,2(5)",
        "STCMH 1,15,2(5)",
        "STAM 8,11,0(5)",
        "STCTG 8,9,0(7)",
        "STD 0,0(0,5)",
        "MVC 0(8,5),0(6)",
        "MVC 0(8,6),0(5)",
        "MVCIN 0(8,5),7(6)",
        "XC 0(8,5),0(6)",
        "OC 0(8,6),0(5)",
        "NC 0(8,5),0(5)",
        "CLC 0(8,5),0(5)",
        "TR 0(8,5),0(6)",
        "PACK 0(8,5),0(8,6)",
        "UNPK 0(8,5),0(4,6)",
        "AP 8(8,6),0(8,5)",
        "ZAP 0(8,5),0(4,6)",
        "CVD 1,0(0,5)",
        "CVDG 1,0(0,5)",
        "STCKE 0(5)",
        "LG 1,0(0,5)",
        "LMG 8,11,0(5)",
        "LM 8,11,0(5)",
        "LAM 8,11,0(5)",
        "ICM 1,15,2(5)",
        "AG 1,0(0,5)",
        "LCTLG 8,9,0(7)",
        "MVCOS 0(5),0(6),12",
        "MVCK 0(12,5),0(6),13",
        "KDB 0,0(0,5)",
        "STRV 1,2(0,5)",
        "MVCLE 8,10,0(0)",
    ] {
        machine.put(0x9000, &before);
        machine.put(DATA, &data);
        machine.set(|s| {
            s.gr = registers;
            (s.gr[5], s.gr[6], s.gr[7], s.gr[12], s.gr[13]) = (0x10_0ffc, DATA, 0x10_0ff8, 8, 0);
            if instruction.starts_with("MVCLE") {
                // Its first byte is already missing.
                (s.gr[8], s.gr[9], s.gr[10], s.gr[11]) = (0x10_1000, 8, DATA, 8);
            }
            s.cr[0] |= cr0::AFP | cr0::SECONDARY_SPACE;
        });
        let length = isa::length(assemble(instruction)[0]);
        machine.text(PROGRAM, instruction);
        let (gr, cr, ar) = {
            let core = machine.cpu(0);
            (core.state.gr, core.state.cr, core.state.ar)
        };
        assert_eq!(machine.go(DAT | 0x2000 << 32, PROGRAM), program(0x11, length, PROGRAM), "{instruction}");
        assert_eq!(machine.get64(z::TRANSLATION_EXCEPTION_ID) & !0xfff, 0x10_1000, "{instruction}");
        assert_eq!(machine.get(0x9000, 4096), before, "{instruction}");
        assert_eq!(machine.get(DATA, 32), data, "{instruction}");
        let core = machine.cpu(0);
        assert_eq!((core.state.gr, core.state.cr, core.state.ar), (gr, cr, ar), "{instruction}");
        drop(core);
        assert_eq!(machine.old().cc(), 2, "{instruction}");
    }
}
