//! What an access exception says of itself (POP, chapter 3, "Suppression on protection"; facilities 75 and 131), and
//! pages that are forbidden to instructions (chapter 3, "Instruction-execution protection"; facility 130).

mod machine;

use arch::lowcore::z;
use arch::mask;
use cpu::{Architecture, Facilities, cr0};
use machine::*;

const DAT: u64 = WIDE | mask::DAT;
/// Where a page of a program's is, the frame that it is, and where the tests for instructions have theirs.
const VA: u64 = 0x10_0000;
const FRAME: u64 = 0x9000;
/// Bits of a page-table entry.
const NO_EXECUTE: u64 = 0x100;
const READ_ONLY: u64 = 0x200;
const INVALID: u64 = 0x400;
/// What bits 56, 60 and 61 say.
const BY_TABLE: u64 = 0x04;
const BY_KEY: u64 = 0x08;
const LOW_ADDRESS: u64 = 0x80;
const EXECUTION: u64 = 0x84;

/// The facilities without some.
fn without(bits: &[u32]) -> Facilities {
    let mut list = complex::FACILITIES;
    for &bit in bits {
        list.0[bit as usize / 64] &= !(1 << (63 - bit % 64));
    }
    list
}

/// A machine with [`VA`] at [`FRAME`], and the address of its page-table entry.
fn machine(facilities: Facilities) -> (Machine, u64) {
    let machine = Machine::equipped(Architecture::Z, 1, facilities, Listener::default());
    let mut tables = Tables::new(&machine);
    let asce = tables.space(SEGMENT);
    tables.map_low(asce);
    tables.map(asce, VA, FRAME);
    let page = tables.page(asce, VA);
    machine.set(|s| {
        s.cr[1] = asce;
        s.cr[0] |= cr0::EXECUTION_PROTECTION;
        s.gr[5] = VA;
    });
    (machine, page)
}

fn id(machine: &Machine) -> u64 {
    machine.get64(z::TRANSLATION_EXCEPTION_ID)
}

fn attempt(machine: &Machine, mode: u64, source: &str) -> u16 {
    machine.text(PROGRAM, source);
    match machine.go(mode, PROGRAM) {
        Ending::Program { code, .. } => code,
        Ending::Done => 0,
        other => panic!("{source}: {other:?}"),
    }
}

#[test]
fn an_exception_tells_a_fetch_from_a_store() {
    let sources = [
        ("L 1,0(0,5)", FETCHED),
        ("MVC 0(8,6),0(5)", FETCHED),
        ("LM 1,4,0(5)", FETCHED),
        ("EX 0,0(0,5)", FETCHED),
        ("ST 1,0(0,5)", STORED),
        ("MVC 0(8,5),0(6)", STORED),
        ("STM 1,4,0(5)", STORED),
        ("NI 0(5),1", STORED),
        ("CS 1,2,0(5)", STORED),
        ("ASI 0(5),1", STORED),
        ("VSTL 1,2,0(5)", STORED),
    ];
    for (list, indicated) in [(complex::FACILITIES, true), (without(&[75]), false)] {
        let (machine, page) = machine(list);
        machine.set(|s| {
            s.gr[6] = DATA;
            s.cr[0] |= cr0::AFP | cr0::VECTOR;
        });
        for (source, access) in sources {
            let indication = if indicated { access } else { 0 };
            machine.put64(page, INVALID);
            assert_eq!(attempt(&machine, DAT, source), 0x11, "{source}");
            assert_eq!(id(&machine), VA | indication, "{source}");
            if access == STORED {
                machine.put64(page, FRAME | READ_ONLY);
                assert_eq!(attempt(&machine, DAT, source), 4, "{source}");
                assert_eq!(id(&machine), VA | indication | BY_TABLE, "{source}");
            }
        }
    }
}

#[test]
fn an_exception_tells_what_protects() {
    for (list, all) in [(complex::FACILITIES, true), (without(&[131]), false)] {
        let (machine, page) = machine(list);
        let of = |bits: u64| if all { bits } else { 0 };
        machine.set(|s| s.cr[0] |= cr0::LOW_ADDRESS_PROTECTION);
        // The key: a store, and a fetch if the key says so, too.
        machine.set_key(FRAME, 0x38);
        for (source, indication) in [("STG 1,0(0,5)", STORED), ("LG 1,0(0,5)", FETCHED)] {
            assert_eq!(attempt(&machine, DAT | 4 << 52, source), 4);
            assert_eq!(id(&machine), VA | indication | of(BY_KEY), "{source}");
        }
        // A low address.
        assert_eq!(attempt(&machine, DAT, "STG 1,0x1a0(0,0)"), 4);
        assert_eq!(id(&machine), STORED | of(LOW_ADDRESS));
        // A table's entry comes before the key.
        machine.put64(page, FRAME | READ_ONLY);
        assert_eq!(attempt(&machine, DAT | 4 << 52, "PTLB;STG 1,0(0,5)"), 4);
        assert_eq!(id(&machine), VA | STORED | BY_TABLE);
    }
}

/// What stands at [`VA`]: `LA 1,7` and a program's end.
fn instructions(machine: &Machine) {
    machine.text(FRAME, "LA 1,7");
    machine.set(|s| s.gr[1] = 0);
}

#[test]
fn a_page_can_be_forbidden_to_instructions() {
    let (machine, page) = machine(complex::FACILITIES);
    instructions(&machine);
    assert_eq!((machine.go(DAT, VA), machine.gr(1)), (Ending::Done, 7));
    machine.put64(page, FRAME | NO_EXECUTE);
    // It is an operand as before, whichever comes first.
    assert_eq!(attempt(&machine, DAT, "PTLB;LG 3,0(0,5);STG 3,8(0,5)"), 0);
    assert_eq!((machine.gr(3), machine.get64(FRAME + 8)), (machine.get64(FRAME), machine.get64(FRAME)));
    machine.set(|s| s.gr[1] = 0);
    for _ in 0..2 {
        let Ending::Program { code: 4, ia, .. } = machine.go(DAT, VA) else { panic!("it is forbidden") };
        assert_eq!((ia & !7, id(&machine), machine.gr(1)), (VA, VA | FETCHED | EXECUTION, 0));
    }
    // A branch to it, over and over, so that it may be translated code that branches.
    let source = "LGHI 4,3000;LG 3,0(0,5);BRCTG 4,*-6;BCR 15,5";
    assert_eq!(attempt(&machine, DAT, source), 4);
    assert_eq!(id(&machine), VA | FETCHED | EXECUTION);
    // The target of EXECUTE is an instruction.
    assert_eq!(attempt(&machine, DAT, "EX 0,0(0,5)"), 4);
    assert_eq!(id(&machine), VA | FETCHED | EXECUTION);
    // Without DAT there is no table.
    assert_eq!((machine.go(WIDE, FRAME), machine.gr(1)), (Ending::Done, 7));
    // Nor is it forbidden without the control.
    instructions(&machine);
    machine.set(|s| s.cr[0] &= !cr0::EXECUTION_PROTECTION);
    assert_eq!((machine.go(DAT, VA), machine.gr(1)), (Ending::Done, 7));
    machine.set(|s| s.cr[0] |= cr0::EXECUTION_PROTECTION);
    assert!(matches!(machine.go(DAT, VA), Ending::Program { code: 4, .. }), "and again");
}

#[test]
fn an_instruction_may_reach_into_a_forbidden_page() {
    let (machine, page) = machine(complex::FACILITIES);
    let mut tables = Tables::further(&machine);
    let asce = machine.cpu(0).state.cr[1];
    tables.map(asce, VA - 4096, FRAME + 4096);
    machine.text(FRAME + 8188, "LGFI 1,7");
    let rest = machine.get(FRAME + 8192, 8);
    machine.put(FRAME, &rest);
    assert_eq!((machine.go(DAT, VA - 4), machine.gr(1)), (Ending::Done, 7));
    machine.put64(page, FRAME | NO_EXECUTE);
    machine.set(|s| {
        s.gr[1] = 0;
        s.purge_tlb();
    });
    let Ending::Program { code: 4, .. } = machine.go(DAT, VA - 4) else { panic!("half of it is forbidden") };
    assert_eq!((id(&machine), machine.gr(1)), (VA | FETCHED | EXECUTION, 0));
}

#[test]
fn large_pages_can_be_forbidden_to_instructions() {
    const MEGABYTE: u64 = 0x30_0000;
    let (machine, _) = machine(complex::FACILITIES);
    let mut tables = Tables::further(&machine);
    let asce = machine.cpu(0).state.cr[1];
    let entry = tables.entry(asce, VA + 0x10_0000, SEGMENT);
    machine.set(|s| s.cr[0] |= cr0::ENHANCED_DAT);
    machine.text(MEGABYTE, "LA 1,7");
    for (bits, code) in [(0x400, None), (0x400 | NO_EXECUTE, Some(4)), (0x400, None)] {
        machine.put64(entry, MEGABYTE | bits);
        machine.set(|s| {
            s.gr[1] = 0;
            s.purge_tlb();
        });
        let ending = machine.go(DAT, VA + 0x10_0000);
        match code {
            None => assert_eq!((ending, machine.gr(1)), (Ending::Done, 7)),
            Some(_) => assert!(matches!(ending, Ending::Program { code: 4, .. }), "{ending:?}"),
        }
        // A fetch is none of an instruction.
        machine.set(|s| s.gr[6] = VA + 0x10_0000);
        assert_eq!(attempt(&machine, DAT, "LG 3,0(0,6)"), 0);
    }
}

#[test]
fn without_the_facility_nothing_is_forbidden() {
    let (machine, page) = machine(without(&[130]));
    instructions(&machine);
    machine.put64(page, FRAME | NO_EXECUTE);
    assert_eq!((machine.go(DAT, VA), machine.gr(1)), (Ending::Done, 7));
}

/// The list of a guarded-storage event is no operand.
#[test]
fn an_exception_tells_a_side_effect() {
    for (list, bit) in [(complex::FACILITIES, 0x200), (without(&[131]), 0)] {
        let (machine, page) = machine(list);
        // Sections of 512 KiB from 0 on, the fourth is guarded; parameters at `VA`.
        for (n, v) in [0, 25 | 2 << 8, 0x1000_0000_0000_0000, VA].into_iter().enumerate() {
            machine.put64(DATA + 8 * n as u64, v);
        }
        machine.put64(DATA + 0x200, 0x18_0010);
        machine.set(|s| (s.gr[3], s.gr[6], s.cr[2]) = (3, DATA, 0x10));
        for (entry, code, said) in [(INVALID, 0x11, FETCHED), (FRAME | READ_ONLY, 4, STORED | BY_TABLE)] {
            machine.put64(page, entry);
            assert_eq!(attempt(&machine, DAT, "PTLB;LGSC 0,0(0,6);LGG 3,512(0,6)"), code);
            assert_eq!((id(&machine), machine.gr(3)), (VA | said | bit, 3));
        }
        // The pointer itself is an operand.
        machine.put64(page, INVALID);
        assert_eq!(attempt(&machine, DAT, "PTLB;LGG 3,0(0,5)"), 0x11);
        assert_eq!(id(&machine), VA | FETCHED);
    }
}
