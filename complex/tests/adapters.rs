//! Instructions for adapters that the machine does not have; counters, and what the machine says of itself.

mod machine;

use cpu::{Architecture, Facilities};
use machine::*;

/// A machine with every facility of which the instructions are built.
fn everything() -> Machine {
    Machine::equipped(Architecture::Z, 1, Facilities([u64::MAX; 4]), Listener::default())
}

#[test]
fn no_subchannel_does_queued_io() {
    let machine = everything();
    machine.set(|s| (s.gr[0], s.gr[1]) = (1, 0x0001_0000));
    assert_eq!((machine.execute("SIGA 0(0)"), machine.cc()), (Ending::Done, 3));
    machine.set(|s| s.gr[0] = 5);
    assert_eq!(machine.execute("SIGA 0(0)"), program(0x15, 4, PROGRAM + 4), "no such function");
    machine.set(|s| (s.gr[0], s.gr[1]) = (0, 0));
    assert_eq!(machine.execute("SIGA 0(0)"), program(0x15, 4, PROGRAM + 4), "no subsystem identification");
    machine.set(|s| (s.gr[1], s.gr[2], s.gr[4]) = (0x8000_0000_0000_0000, 0, 16));
    assert_eq!(machine.execute("SQBS 2,4,1(0)"), Ending::Done);
    assert_eq!(machine.gr(4), 0x0000_0003_0000_0010);
    assert_eq!(machine.execute("EQBS 2,4,6"), Ending::Done);
    assert_eq!(machine.gr(4), 0x0000_0003_0000_0010);
}

#[test]
fn no_adjunct_processor_has_a_queue() {
    let machine = everything();
    for source in ["PQAP 0,0", "NQAP 2,4", "DQAP 2,4"] {
        machine.set(|s| (s.gr[0], s.gr[1]) = (0x0102, 0xffff_ffff_ffff_ffff));
        assert_eq!((machine.execute(source), machine.cc()), (Ending::Done, 3));
        assert_eq!(machine.gr(1), 0xffff_ffff_0001_0000, "response code 01");
    }
}

/// A CLP request for PCI, with a response block of `room` bytes after it: the response code.
fn call(machine: &Machine, command: u16, rest: &[u8], room: u16) -> u16 {
    let length = 16 + rest.len();
    machine.put(DATA, &[(length as u16).to_be_bytes(), command.to_be_bytes()].concat());
    machine.put(DATA + 4, &[0; 12]);
    machine.put(DATA + 16, rest);
    machine.put(DATA + length as u64, &[room.to_be_bytes(), [0, 0]].concat());
    machine.set(|s| s.gr[3] = DATA);
    // CLP 2,3 with the logical processor 2.
    assert_eq!((machine.execute("DC B9A00223"), machine.cc()), (Ending::Done, 0));
    machine.get16(DATA + length as u64 + 2)
}

#[test]
fn the_list_of_pci_functions_is_empty() {
    let machine = everything();
    assert_eq!((machine.execute("DC B9A08023"), machine.cc(), machine.gr(2)), (Ending::Done, 0, 1 << 61));
    assert_eq!(call(&machine, 2, &[0; 16], 64), 0x10);
    let response = DATA + 32;
    assert_eq!((machine.get16(response), machine.get64(response + 16)), (32, 0));
    assert_eq!(call(&machine, 2, &[0; 8], 64), 0x50);
    assert_eq!(call(&machine, 2, &[0; 16], 16), 0x50);
    assert_eq!(call(&machine, 2, &[1; 16], 64), 0x10a);
    assert_eq!(call(&machine, 3, &[0; 16], 64), 0x101);
    assert_eq!(call(&machine, 9, &[0; 16], 64), 0x20);
    machine.put(DATA, &[0, 8]);
    assert_eq!(machine.execute("DC B9A00223"), program(0x15, 4, PROGRAM + 4), "shorter than its header");
    assert_eq!((machine.execute("DC B9A00123"), machine.cc()), (Ending::Done, 3), "no such processor");
}

#[test]
fn every_pci_handle_is_unknown() {
    let machine = everything();
    for source in
        ["PCILG 2,4", "PCISTG 2,4", "RPCIT 2,4", "MPCIFC 2,0(0,6)", "STPCIFC 2,0(0,6)", "PCISTB 2,4,0(6)", "PCILGI 2,4"]
    {
        machine.set(|s| (s.gr[2], s.gr[4], s.gr[6]) = (0x8000_0001_0000_0000, 0x8000_0001_0000_0000, DATA));
        assert_eq!((machine.execute(source), machine.cc()), (Ending::Done, 3), "{source}");
    }
}

#[test]
fn the_levels_below_are_described() {
    let host = Listener {
        control_program: Some(complex::ControlProgram { machine: "A".into(), identification: "z/VM".into() }),
        ..Listener::default()
    };
    let machine = Machine::equipped(Architecture::Z, 2, Facilities([u64::MAX; 4]), host);
    machine.set(|s| (s.gr[2], s.gr[4], s.gr[5]) = (0, DATA, 7));
    assert_eq!((machine.execute("STHYI 2,4"), machine.cc(), machine.gr(5)), (Ending::Done, 0, 0));
    let text = |at: u64, n| base::ebcdic::to_string(&machine.get(DATA + at, n));
    assert_eq!(machine.get(DATA, 1), [0x20], "the control program is not described");
    let (of_machine, of_partition) = (machine.get16(DATA + 12) as u64, machine.get16(DATA + 16) as u64);
    assert_eq!((text(of_machine + 20, 4), text(of_partition + 16, 8)), ("2817".into(), "ENDICOTT".into()));
    // Sections begin at multiples of eight; counts and identifications are valid, and there is no name of the machine.
    assert_eq!((machine.get16(DATA + 10), of_machine, of_partition % 8), (48, 48, 0));
    assert_eq!((machine.get(DATA + of_machine + 2, 1)[0], machine.get(DATA + of_partition + 2, 1)[0]), (0xc0, 0x90));
    assert_eq!(machine.get64(DATA + of_machine + 12), 0);
    assert_eq!((machine.get16(DATA + of_machine + 4), machine.get16(DATA + of_partition + 6)), (2, 2));
    machine.set(|s| s.gr[2] = 1);
    assert_eq!((machine.execute("STHYI 2,4"), machine.cc(), machine.gr(5)), (Ending::Done, 3, 4));
    machine.set(|s| (s.gr[2], s.gr[4]) = (0, DATA + 8));
    assert_eq!(machine.execute("STHYI 2,4"), program(6, 4, PROGRAM + 4));
}

#[test]
fn instructions_and_cycles_are_counted() {
    let machine = everything();
    machine.put64(DATA, 0x0006_0006);
    machine.set(|s| (s.gr[6], s.gr[2], s.gr[3]) = (DATA, 1, 0));
    let source = "LCCTL 0(6);BCT 5,*+4;BCT 5,*+4;BCT 5,*+4;BCT 5,*+4;ECCTR 1,2;ECCTR 4,3";
    // BCT 5,... by relative branches: each one ends a block.
    let source = source.replace("BCT 5,*+4", "BRC 15,*+4");
    assert_eq!((machine.execute(&source), machine.cc()), (Ending::Done, 0));
    let counted = machine.gr(1);
    assert!((4..=6).contains(&counted), "{counted} instructions");
    assert!(machine.gr(4) > 0, "the clock went on");
    // A counter can be set, and counts on from there.
    machine.set(|s| s.gr[1] = 1000);
    assert_eq!((machine.execute("SCCTR 1,2;BRC 15,*+4;ECCTR 4,2"), machine.cc()), (Ending::Done, 0));
    assert!((1000..1010).contains(&machine.gr(4)));
    // Inactive, it stands still; disabled, it is not there.
    machine.put64(DATA, 0x0006_0000);
    assert_eq!(machine.execute("LCCTL 0(6);ECCTR 1,2;BRC 15,*+4;ECCTR 4,2"), Ending::Done);
    assert_eq!(machine.gr(1), machine.gr(4));
    machine.set(|s| s.gr[1] = 7);
    assert_eq!((machine.execute("STCCTM 1,1,16(6)"), machine.cc()), (Ending::Done, 1), "there are six");
    assert_eq!(machine.get64(DATA + 24), machine.gr(4));
    machine.put64(DATA, 0);
    assert_eq!((machine.execute("LCCTL 0(6);ECCTR 1,2"), machine.cc()), (Ending::Done, 3));
}

#[test]
fn the_problem_state_is_counted_by_itself() {
    let machine = everything();
    machine.put64(DATA, 0x0004_0004);
    machine.set(|s| (s.gr[6], s.gr[2]) = (DATA, 33));
    assert_eq!(machine.execute("LCCTL 0(6)"), Ending::Done);
    machine.text(0x5000, &"BRC 15,*+4;".repeat(20));
    machine.go(WIDE | arch::mask::PROBLEM, 0x5000);
    assert_eq!(machine.execute(&format!("{}ECCTR 1,2", "BRC 15,*+4;".repeat(50))), Ending::Done);
    assert!((19..=23).contains(&machine.gr(1)), "{} instructions", machine.gr(1));
}

#[test]
fn a_guarded_pointer_is_handed_to_the_program() {
    let machine = everything();
    // Sections of 512 KiB from 0 on, the fourth is guarded; parameters at DATA + 64, the handler at 5000.
    for (n, v) in [0, 25 | 2 << 8, 0x1000_0000_0000_0000, DATA + 64].into_iter().enumerate() {
        machine.put64(DATA + 8 * n as u64, v);
    }
    machine.put64(DATA + 72, 0x5000);
    machine.put64(DATA + 0x200, 0x18_0010);
    machine.put64(DATA + 0x208, 0x06_0004_0000_0000);
    machine.text(0x5000, "LA 1,7");
    machine.set(|s| (s.gr[6], s.gr[3], s.cr[2]) = (DATA, 3, 0x10));
    assert_eq!(machine.execute("LGSC 0,0(0,6);LGG 3,512(0,6);LA 2,9"), Ending::Done);
    assert_eq!((machine.gr(1), machine.gr(2), machine.gr(3)), (7, 0, 3), "the handler went on");
    assert_eq!(machine.get32(DATA + 64), 0x0003_0000, "64-bit mode, no DAT, register 6 is no access register");
    let list = [16, 24, 32, 40].map(|n| machine.get64(DATA + 64 + n));
    assert_eq!(list, [PROGRAM + 6, DATA + 0x200, 0x18_0010, PROGRAM + 6]);
    // A word is shifted by two.
    assert_eq!(machine.execute("LLGFSG 3,520(0,6)"), Ending::Done);
    assert_eq!((machine.get32(DATA + 64), machine.get64(DATA + 96)), (0x0003_0100, 0x18_0010));
    // Another section is not guarded.
    machine.put64(DATA + 0x200, 0x10_0010);
    assert_eq!(machine.execute("LGG 3,512(0,6);STGSC 0,0(0,6)"), Ending::Done);
    assert_eq!((machine.gr(3), machine.get64(DATA + 8)), (0x10_0010, 25 | 2 << 8));
}

#[test]
fn pages_keep_what_their_owner_says() {
    let machine = everything();
    machine.set(|s| s.gr[2] = DATA);
    assert_eq!(machine.execute("ESSA 1,2,2;ESSA 3,2,3;ESSA 4,2,1;ESSA 5,2"), Ending::Done);
    assert_eq!([1, 3, 4, 5].map(|r| machine.gr(r)), [0, 4, 12, 0], "stable, unused, volatile, stable");
}
