//! Pages of two gigabytes, and the instruction that replaces entries of all tables: enhanced-DAT facility 2 (POP,
//! chapter 3, "Dynamic address translation"; chapter 10, *COMPARE AND REPLACE DAT TABLE ENTRY*).

mod machine;

use arch::lowcore::z;
use arch::mask;
use cpu::{Architecture, Facilities, cr0};
use machine::*;

const DAT: u64 = WIDE | mask::DAT;
/// A virtual address whose third region is no other's.
const VA: u64 = 0x1_8000_0000;
/// Format control of a region-third-table entry; validity of its key; common region.
const LARGE: u64 = 0x400;
const KEY_VALID: u64 = 0x1_0000;
const COMMON: u64 = 0x10;
const REGION_THIRD: u64 = REGION3 << 2;

/// A machine with enhanced DAT in a space of two levels, and the address of the entry for [`VA`].
fn machine(facilities: Facilities) -> (Machine, u64, u64) {
    let machine = Machine::equipped(Architecture::Z, 1, facilities, Listener::default());
    let mut tables = Tables::new(&machine);
    let asce = tables.space(REGION3);
    tables.map_low(asce);
    let entry = tables.entry(asce, VA, REGION3);
    machine.set(|s| {
        s.cr[0] |= cr0::ENHANCED_DAT;
        s.cr[1] = asce;
    });
    (machine, asce, entry)
}

/// Executes `source` with DAT and this access key; register 5 has [`VA`].
fn go(machine: &Machine, key: u64, source: &str) -> Ending {
    machine.set(|s| s.gr[5] = VA);
    machine.text(PROGRAM, source);
    machine.go(DAT | key << 52, PROGRAM)
}

#[test]
fn a_region_may_be_one_page() {
    let (machine, asce, entry) = machine(complex::FACILITIES);
    machine.put64(0x12_3458, 0x1111);
    machine.put64(entry, REGION_THIRD | LARGE);
    assert_eq!(go(&machine, 0, "LG 1,0x458(0,5)"), Ending::Done, "absolute 0 on");
    machine.set(|s| s.gr[6] = VA + 0x12_3000);
    assert_eq!(go(&machine, 0, "LG 1,0x458(0,6);LGHI 2,7;STG 2,0x460(0,6);LRAG 3,0x458(0,6)"), Ending::Done);
    assert_eq!((machine.gr(1), machine.get64(0x12_3460), machine.gr(3)), (0x1111, 7, 0x12_3458));
    // DAT protection.
    machine.put64(entry, REGION_THIRD | LARGE | 0x200);
    assert_eq!(go(&machine, 0, "STG 2,0x460(0,6)"), program(4, 6, PROGRAM + 6));
    assert_eq!(machine.get64(z::TRANSLATION_EXCEPTION_ID), VA + 0x12_3000 | STORED | 4);
    // A key of its own goes before those of the frames.
    machine.set_key(0x12_3000, 0x30);
    for (bits, key, ending) in [
        (0, 3, Ending::Done),
        (KEY_VALID | 0x4800, 3, program(4, 6, PROGRAM + 6)),
        (KEY_VALID | 0x4800, 4, Ending::Done),
        (KEY_VALID | 0x4000, 3, Ending::Done),
    ] {
        machine.put64(entry, REGION_THIRD | LARGE | bits);
        assert_eq!(go(&machine, key, "LG 1,0x458(0,6)"), ending, "{bits:X}");
    }
    // A common region in a private space.
    machine.put64(entry, REGION_THIRD | LARGE | COMMON);
    assert_eq!(go(&machine, 0, "LG 1,0x458(0,6)"), Ending::Done);
    machine.set(|s| s.cr[1] = asce | 0x100);
    assert_eq!(go(&machine, 0, "LG 1,0x458(0,6)"), program(0x12, 6, PROGRAM + 6));
}

/// Each bit of the format control means nothing without what it comes with.
#[test]
fn without_the_control_or_the_facility_it_is_a_table() {
    let list = complex::FACILITIES;
    let without = Facilities([list.0[0], list.0[1] & !(1 << (127 - 78)), list.0[2], list.0[3]]);
    for (facilities, control) in [(list, 0), (without, cr0::ENHANCED_DAT)] {
        let (machine, asce, entry) = machine(facilities);
        machine.set(|s| s.cr[0] = s.cr[0] & !cr0::ENHANCED_DAT | control);
        let mut tables = Tables::further(&machine);
        tables.map(asce, VA, 0x9000);
        machine.put64(entry, machine.get64(entry) | LARGE);
        machine.put64(0x9008, 0x2222);
        assert_eq!(go(&machine, 0, "LG 1,8(0,5)"), Ending::Done);
        assert_eq!(machine.gr(1), 0x2222);
    }
}

#[test]
fn entries_of_every_table_are_compared_and_replaced() {
    let (machine, asce, entry) = machine(complex::FACILITIES);
    let large = REGION_THIRD | LARGE;
    machine.put64(entry, large);
    machine.put64(0x458, 1);
    machine.put64(0x10_0458, 2);
    // A region-third-table entry; the space is named by its ASCE.
    machine.set(|s| {
        (s.gr[2], s.gr[3]) = (large, 0x20 | REGION_THIRD);
        (s.gr[6], s.gr[7], s.gr[8]) = (asce & !0xfff | 0x14, VA, asce);
    });
    let source = "LG 1,0x458(0,5);CRDTE 2,8,6;IPM 4;LG 1,0x458(0,5)";
    assert_eq!(go(&machine, 0, source), program(0x3b, 6, PROGRAM + 14), "the second fetch finds no region");
    assert_eq!((machine.gr(1), machine.gr(4) >> 28 & 3, machine.get64(entry)), (1, 0, 0x20 | REGION_THIRD));
    // Another one is there: it comes into the register.
    machine.set(|s| s.gr[2] = large);
    assert_eq!(go(&machine, 0, "CRDTE 2,8,6;IPM 4"), Ending::Done);
    assert_eq!((machine.gr(2), machine.gr(4) >> 28 & 3), (0x20 | REGION_THIRD, 1));
}

/// CRDTE comes with this facility, not with clearing of one CPU's TLB (51).
#[test]
fn instructions_come_with_their_facility() {
    let list = complex::FACILITIES;
    for bit in [51u32, 78] {
        let mut without = list;
        without.0[bit as usize / 64] &= !(1 << (63 - bit % 64));
        let machine = Machine::equipped(Architecture::Z, 1, without, Listener::default());
        machine.put64(0x9000, 5);
        machine.set(|s| (s.gr[2], s.gr[3], s.gr[6], s.gr[7]) = (5, 6, 0x9000, 0));
        machine.put(PROGRAM, &[0xb9, 0x8f, 0x00, 0x26, 0, 0]);
        let ending = machine.go(WIDE, PROGRAM);
        assert_eq!(ending, if bit == 78 { program(1, 4, PROGRAM + 4) } else { Ending::Done }, "without {bit}");
    }
}
