//! START INTERPRETIVE EXECUTION with state descriptions written by hand: a guest in a machine's own program.
//!
//! The host's primary space maps the guest's storage, a megabyte from `GUEST` on, to frames from 1 MiB on. The guest's
//! program stands at its absolute 4000, and its new PSWs are disabled waits as the host's are.

mod machine;

use arch::interpretation::{StateDescription, code, control, entry, flag, intercept};
use arch::lowcore::z;
use arch::{Absolute, mask};
use base::bits::bit64;
use base::layout::U64;
use cpu::State;
use machine::*;
use support::Random;
use zerocopy::FromBytes;

/// Where a field of a state description lies.
macro_rules! at {
    ($field:ident) => {
        std::mem::offset_of!(StateDescription, $field) as u64
    };
}

/// The state description.
const DESCRIPTION: u64 = 0xa000;
/// Where the guest's storage is in the host's primary space, and in storage.
const GUEST: u64 = 0x4000_0000;
const FRAMES: u64 = 1 << 20;
/// The guest's program, and a page of data.
const TEXT: u64 = 0x4000;
const GUEST_DATA: u64 = 0x6000;
const DAT: u64 = WIDE | mask::DAT;

struct Host {
    machine: Machine,
    asce: u64,
}

impl Host {
    fn new() -> Host {
        let machine = Machine::new();
        let mut t = Tables::new(&machine);
        let asce = t.space(SEGMENT);
        t.map_low(asce);
        for page in 0..256 {
            t.map(asce, GUEST + (page << 12), FRAMES + (page << 12));
        }
        machine.set(|s| s.cr[1] = asce);
        let host = Host { machine, asce };
        host.put32(at!(flags), flag::Z);
        host.put64(at!(origin), GUEST);
        host.put64(at!(limit), GUEST);
        host.put64(at!(clock_comparator), u64::MAX);
        host.put64(at!(cpu_timer), 1 << 50);
        host.put64(at!(control), 0xe0);
        for (n, class) in [z::PROGRAM_NEW, z::SVC_NEW, z::EXTERNAL_NEW].into_iter().enumerate() {
            host.machine.put64(FRAMES + class, mask::WAIT);
            host.machine.put64(FRAMES + class + 8, 0xe00 + 16 * n as u64);
        }
        host
    }

    fn put32(&self, offset: u64, v: u32) {
        self.machine.put32(DESCRIPTION + offset, v);
    }

    fn put64(&self, offset: u64, v: u64) {
        self.machine.put64(DESCRIPTION + offset, v);
    }

    /// Runs the guest from `source`, once. The host's registers 0 to 13 are the guest's.
    fn run(&self, source: &str) -> Ending {
        self.machine.text(FRAMES + TEXT, source);
        self.put64(at!(psw), WIDE);
        self.put64(at!(psw) + 8, TEXT);
        self.again()
    }

    /// Issues SIE for what the description says.
    fn again(&self) -> Ending {
        self.machine.text(PROGRAM, "SIE 0(14)");
        self.machine.set(|s| (s.gr[11], s.gr[12], s.gr[14]) = (TEXT, GUEST_DATA, DESCRIPTION));
        self.machine.go(DAT, PROGRAM)
    }

    fn description(&self) -> StateDescription {
        let bytes = self.machine.get(DESCRIPTION, StateDescription::SIZE);
        StateDescription::read_from_bytes(&bytes).expect("its size was asked for")
    }

    fn set(&self, change: impl FnOnce(&mut State)) {
        self.machine.set(change);
    }
}

#[test]
fn a_guest_runs_until_an_instruction_is_the_hosts() {
    let host = Host::new();
    host.set(|s| s.gr[3] = 100);
    host.put64(at!(general), 7);
    let ending = host.run("LA 2,0; AGR 2,3; BRCTG 3,*-4; STG 2,0(0,12); LA 14,1(14); DIAG 2,5,0x500");
    assert_eq!(ending, Ending::Done);
    let d = host.description();
    assert_eq!(
        (d.code, d.status, d.instruction.get(), d.parameters.get()),
        (code::INSTRUCTION, 0, 0x8325, 0x0500_0000)
    );
    assert_eq!(host.machine.gr(2), 5050, "registers are shared");
    assert_eq!(host.machine.get64(FRAMES + GUEST_DATA), 5050, "storage is the guest's");
    assert_eq!(d.general[0], 8, "14 and 15 are in the description");
    assert_eq!(host.machine.gr(14), DESCRIPTION);
    assert_eq!(d.psw[1], TEXT + 4 + 4 + 4 + 6 + 4 + 4, "behind the instruction");
}

#[test]
fn the_target_of_execute_is_told() {
    let host = Host::new();
    host.machine.put(FRAMES + GUEST_DATA, &[0x83, 0x20, 0x05, 0x00]);
    host.set(|s| s.gr[1] = 5);
    assert_eq!(host.run("EX 1,0(0,12)"), Ending::Done);
    let d = host.description();
    assert_eq!((d.code, d.instruction.get(), d.parameters.get()), (code::INSTRUCTION, 0x8325, 0x0500_0000));
    assert_eq!(d.status, 0x41, "an EXECUTE of four bytes");
    assert_eq!(d.psw[1], TEXT + 4);
}

#[test]
fn the_guests_own_interruptions_are_the_guests() {
    let host = Host::new();
    assert_eq!(host.run("SVC 17"), Ending::Done);
    let d = host.description();
    assert_eq!((d.code, d.psw.map(U64::get)), (code::WAIT, [mask::WAIT, 0xe10]));
    assert_eq!(host.machine.get32(FRAMES + z::SVC_ILC), 0x0002_0011);
    assert_eq!(host.machine.get64(FRAMES + z::SVC_OLD + 8), TEXT + 2);
    // A program interruption, with the prefix area elsewhere.
    host.put32(at!(prefix), 0x8000);
    host.machine.put64(FRAMES + 0x8000 + z::PROGRAM_NEW, mask::WAIT);
    host.machine.put64(FRAMES + 0x8000 + z::PROGRAM_NEW + 8, 0xbad);
    assert_eq!(host.run("LG 1,0(0,2)"), Ending::Done, "address 0 is the prefix area");
    host.set(|s| s.gr[2] = 0x10_0000);
    assert_eq!(host.run("LG 1,0(0,2)"), Ending::Done);
    let d = host.description();
    assert_eq!((d.code, d.psw.map(U64::get)), (code::WAIT, [mask::WAIT, 0xbad]));
    assert_eq!(host.machine.get32(FRAMES + 0x8000 + z::PROGRAM_ILC), 0x0006_0005, "outside the guest's storage");
}

#[test]
fn privileged_instructions_of_the_problem_state_are_the_guests_exceptions() {
    let host = Host::new();
    host.machine.text(FRAMES + TEXT, "DIAG 1,2,0");
    host.put64(at!(psw), WIDE | mask::PROBLEM);
    host.put64(at!(psw) + 8, TEXT);
    assert_eq!(host.again(), Ending::Done);
    assert_eq!(host.description().code, code::WAIT);
    assert_eq!(host.machine.get32(FRAMES + z::PROGRAM_ILC), 0x0004_0002);
}

#[test]
fn a_page_that_the_host_lacks_is_its_own_exception() {
    let host = Host::new();
    let mut t = Tables::further(&host.machine);
    let entry = t.page(host.asce, GUEST + GUEST_DATA);
    host.machine.put64(entry, 0x400);
    host.set(|s| s.gr[2] = 9);
    assert_eq!(host.run("LA 2,1(2); STG 2,8(0,12); DIAG 1,2,0"), program(0x11, 4, PROGRAM), "at SIE");
    assert_eq!(host.machine.get64(z::TRANSLATION_EXCEPTION_ID), GUEST + GUEST_DATA | STORED);
    let d = host.description();
    assert_eq!((d.code, d.psw[1].get()), (0, TEXT + 4), "the store is to be executed again");
    assert_eq!(host.machine.gr(2), 10);
    // Protected, it can be fetched from, and not be stored into.
    host.machine.put64(entry, FRAMES + GUEST_DATA | 0x200);
    host.set(|_| ());
    assert_eq!(host.again(), program(0x04, 4, PROGRAM + 4));
    assert_eq!(host.machine.get64(z::TRANSLATION_EXCEPTION_ID), GUEST + GUEST_DATA | STORED | 4);
    host.machine.put64(entry, FRAMES + GUEST_DATA);
    host.set(|_| ());
    assert_eq!(host.again(), Ending::Done);
    assert_eq!(host.description().code, code::INSTRUCTION);
    assert_eq!(host.machine.get64(FRAMES + GUEST_DATA + 8), 10);
}

#[test]
fn translations_of_the_guest_go_with_those_of_the_host() {
    let host = Host::new();
    host.machine.put64(FRAMES + GUEST_DATA, 1);
    host.machine.put64(FRAMES + 0x7000, 2);
    assert_eq!(host.run("LG 5,0(0,12); DIAG 1,2,0"), Ending::Done);
    assert_eq!(host.machine.gr(5), 1);
    // The host invalidates the page with IPTE, and gives the guest another.
    let mut t = Tables::further(&host.machine);
    let entry = t.page(host.asce, GUEST + GUEST_DATA);
    host.machine.set(|s| {
        s.gr[6] = entry & !0x7ff;
        s.gr[7] = GUEST + GUEST_DATA;
        s.gr[8] = FRAMES + 0x7000;
        s.gr[9] = entry;
        s.gr[14] = DESCRIPTION;
    });
    host.put64(at!(psw) + 8, TEXT);
    host.machine.text(PROGRAM, "IPTE 6,7; STURG 8,9; SIE 0(14)");
    assert_eq!(host.machine.go(DAT, PROGRAM), Ending::Done);
    assert_eq!(host.machine.gr(5), 2);
}

#[test]
fn a_guest_with_tables_of_its_own_is_translated_twice() {
    let host = Host::new();
    // A segment table at 10000 and a page table at 14000 of the guest map its page 0x100 to its frame 6000.
    for n in 0..2048 {
        host.machine.put64(FRAMES + 0x1_0000 + 8 * n, 0x20);
    }
    for n in 0..256 {
        let entry = match n {
            0..=15 => n << 12,
            0x80 => 0x6000,
            0x81 => 0x1f_f000,
            _ => 0x400,
        };
        host.machine.put64(FRAMES + 0x1_4000 + 8 * n, entry);
    }
    host.machine.put64(FRAMES + 0x1_0000, 0x1_4000);
    host.put64(at!(control) + 8, 0x1_0000 | 3);
    host.machine.put64(FRAMES + GUEST_DATA, 0xfeed);
    host.set(|s| (s.gr[2], s.gr[3]) = (0x8_0000, 0x8_2000));
    host.machine.text(FRAMES + TEXT, "LG 5,0(0,2); LRAG 7,0(0,2); LG 8,0(0,3); DIAG 1,2,0");
    host.put64(at!(psw), DAT);
    host.put64(at!(psw) + 8, TEXT);
    assert_eq!(host.again(), Ending::Done);
    assert_eq!((host.machine.gr(5), host.machine.gr(7)), (0xfeed, 0x6000), "a real address is the guest's");
    assert_eq!(host.description().code, code::WAIT);
    assert_eq!(host.machine.get32(FRAMES + z::PROGRAM_ILC), 0x0006_0011, "its own tables, its own exception");
    assert_eq!(host.machine.get64(FRAMES + z::TRANSLATION_EXCEPTION_ID), 0x8_2000 | FETCHED);
    // A frame that lies outside its storage.
    host.set(|s| s.gr[3] = 0x8_1000);
    host.put64(at!(psw), DAT);
    host.put64(at!(psw) + 8, TEXT);
    assert_eq!(host.again(), Ending::Done);
    assert_eq!(host.machine.get32(FRAMES + z::PROGRAM_ILC), 0x0006_0005);
}

#[test]
fn descriptions_that_are_not_valid() {
    let host = Host::new();
    for (offset, bad, good, why) in [
        (at!(flags), 0, flag::Z, 0x0001),
        (at!(prefix), 0x10_0000, 0, 0x0037),
        (at!(limit) + 4, 0x3000_0000, GUEST as u32, 0x0004),
    ] {
        host.put32(offset, bad);
        assert_eq!(host.run("DIAG 1,2,0"), Ending::Done);
        let d = host.description();
        assert_eq!((d.code, d.parameters.get() >> 16), (code::VALIDITY, why), "{why:X}");
        assert_eq!(d.psw[1], TEXT, "nothing was executed");
        host.put32(offset, good);
    }
    assert_eq!(host.run("DIAG 1,2,0"), Ending::Done);
    assert_eq!(host.description().code, code::INSTRUCTION);
}

#[test]
fn nothing_in_a_description_harms_the_machine() {
    let host = Host::new();
    let mut random = Random::seeded(1);
    for _ in 0..300 {
        (0..64).for_each(|n| host.put64(8 * n, random.word()));
        let word = random.word();
        host.put32(at!(flags), word as u32 | flag::Z);
        if word & 1 == 0 {
            host.put64(at!(origin), GUEST);
            host.put64(at!(limit), GUEST);
            host.put32(at!(prefix), 0);
            host.put64(at!(psw), WIDE | word & (mask::IO | mask::EXTERNAL | mask::PROBLEM));
            host.put64(at!(psw) + 8, word >> 40 & !1);
        }
        let ending = host.again();
        assert!(matches!(ending, Ending::Done | Ending::Program { .. } | Ending::External(_)), "{ending:?}");
    }
}

#[test]
fn requests_wait_until_the_guest_lets_them_in() {
    let host = Host::new();
    for (request, byte, code) in [(flag::EXTERNAL, "01", code::EXTERNAL_REQUEST), (flag::IO, "02", code::IO_REQUEST)] {
        host.put32(at!(flags), flag::Z | request);
        host.put64(at!(control) + 8 * 6, 0xff00_0000);
        assert_eq!(host.run(&format!("LA 2,1; STOSM 0(12),0x{byte}; LA 2,2; DIAG 1,2,0")), Ending::Done);
        let d = host.description();
        assert_eq!((d.code, d.psw[1].get()), (code, TEXT + 8), "between two instructions");
        assert_eq!(host.machine.gr(2), 1);
    }
    host.put32(at!(flags), flag::Z | flag::STOP);
    assert_eq!(host.run("LA 2,3; DIAG 1,2,0"), Ending::Done);
    assert_eq!(host.description().code, code::STOP);
    assert_eq!(host.machine.gr(2), 1, "at once");
}

#[test]
fn timers_of_the_guest_interrupt_the_guest() {
    let host = Host::new();
    host.put64(at!(control), 0xe0 | cpu::cr0::CLOCK_COMPARATOR);
    host.put64(at!(clock_comparator), 0);
    assert_eq!(host.run("STOSM 0(12),1; DIAG 1,2,0"), Ending::Done);
    let d = host.description();
    assert_eq!((d.code, d.psw.map(U64::get)), (code::WAIT, [mask::WAIT, 0xe20]));
    assert_eq!(host.machine.get16(FRAMES + z::EXTERNAL_CODE), 0x1004);
    // With a new PSW that lets it in again it would never end.
    host.machine.put64(FRAMES + z::EXTERNAL_NEW, WIDE | mask::EXTERNAL);
    host.machine.text(FRAMES + TEXT, "DIAG 1,2,0");
    host.put64(at!(psw), WIDE | mask::EXTERNAL);
    host.put64(at!(psw) + 8, TEXT);
    assert_eq!(host.again(), Ending::Done);
    let d = host.description();
    assert_eq!((d.code, d.external_code.get(), d.psw[1].get()), (code::EXTERNAL_INTERRUPTION, 0x1004, TEXT));
}

#[test]
fn the_clock_is_the_hosts_with_the_epoch() {
    let host = Host::new();
    host.put64(at!(epoch), bit64(0));
    assert_eq!(host.run("STCK 0(12); STPT 8(12); DIAG 1,2,0"), Ending::Done);
    assert_eq!(host.machine.get64(FRAMES + GUEST_DATA) >> 56, (NOON ^ bit64(0)) >> 56);
    let left = host.description().cpu_timer;
    assert!(left < 1 << 50 && left > 1 << 49, "it counts: {left:X}");
}

#[test]
fn a_host_interruption_leaves_sie_to_be_executed_again() {
    let host = Host::new();
    host.set(|s| {
        s.cr[0] |= cpu::cr0::CLOCK_COMPARATOR;
        s.set_clock_comparator(NOON + (20_000 << 12));
        s.gr[2] = 0;
        (s.gr[11], s.gr[12], s.gr[14]) = (TEXT, GUEST_DATA, DESCRIPTION);
    });
    host.machine.text(FRAMES + TEXT, "LA 2,1(2); BRC 15,*-4");
    host.put64(at!(psw), WIDE);
    host.put64(at!(psw) + 8, TEXT);
    host.machine.text(PROGRAM, "SIE 0(14)");
    assert_eq!(host.machine.go(DAT | mask::EXTERNAL, PROGRAM), Ending::External(0x1004));
    assert_eq!(host.machine.external_old().address, PROGRAM);
    let (d, counted) = (host.description(), host.machine.gr(2));
    assert_eq!(d.code, 0);
    assert!(counted > 1000 && d.psw[1] >= TEXT && d.psw[1] < TEXT + 8);
}

#[test]
fn the_description_says_what_else_is_intercepted() {
    let host = Host::new();
    let ending = |interceptions, load_control: u16, source: &str| {
        host.put32(at!(interceptions), interceptions);
        host.machine.put(DESCRIPTION + at!(load_control), &load_control.to_be_bytes());
        assert_eq!(host.run(source), Ending::Done);
        (host.description().code, host.description().instruction.get())
    };
    let end = "; DIAG 0,0,0";
    for (what, source, first) in [
        (intercept::INSERT_KEY, "ISKE 1,2", 0xb229),
        (intercept::SET_KEY, "SSKE 1,2,0", 0xb22b),
        (intercept::RESET_REFERENCE, "RRBE 1,2", 0xb22a),
        (intercept::TEST_PROTECTION, "TPROT 0(0),0(0)", 0xe501),
        (intercept::STORE_CONTROL, "STCTG 0,0,0(12)", 0xeb00),
    ] {
        assert_eq!(ending(what, 0, &format!("{source}{end}")), (code::INSTRUCTION, first), "{source}");
        assert_eq!(ending(0, 0, &format!("{source}{end}")), (code::INSTRUCTION, 0x8300), "{source}");
    }
    host.machine.put64(FRAMES + 0x6000, 0xe0);
    host.machine.put64(FRAMES + 0x6008, 0);
    let load = format!("LCTLG 0,1,0(12){end}");
    assert_eq!(ending(0, 0x4000, &load), (code::INSTRUCTION, 0xeb01));
    assert_eq!(ending(0, 0x2000, &load), (code::INSTRUCTION, 0x8300));
    assert_eq!(ending(intercept::OPERATION_EXCEPTION, 0, "DC 0000"), (code::OPERATION_EXCEPTION, 0));
    assert_eq!(host.description().psw[1], TEXT + 2);
    assert_eq!(ending(0, 0, "DC 0000").0, code::WAIT);
    assert_eq!(ending(intercept::PROGRAM_INTERRUPTION, 0, "LPSWE 1(12)").0, code::PROGRAM);
    let d = host.description();
    assert_eq!((d.program_code.get(), d.program_length.get(), d.psw[1].get()), (6, 4, TEXT + 4));
}

#[test]
fn tables_that_somebody_looks_at_are_not_changed() {
    let host = Host::new();
    host.put32(at!(control_area), 0xb000);
    host.machine.put64(0xb000, bit64(0));
    assert_eq!(host.run("IPTE 1,2; DIAG 0,0,0"), Ending::Done);
    assert_eq!(host.description().instruction, 0xb221);
    host.machine.put64(0xb000, 0);
    assert_eq!(host.run("IPTE 1,2; DIAG 0,0,0"), Ending::Done);
    assert_eq!(host.description().instruction, 0x8300);
}

#[test]
fn the_guest_is_told_the_facilities_of_its_list() {
    let host = Host::new();
    // Without a list, those of the host.
    assert_eq!(host.run("LGHI 0,3; STFLE 0(12); DIAG 0,0,0"), Ending::Done);
    let has = complex::FACILITIES.consistent().0;
    assert_eq!(host.machine.get64(FRAMES + GUEST_DATA), has[0] & !bit64(50));
    assert_eq!(host.machine.get64(FRAMES + GUEST_DATA + 8), has[1] & !bit64(73 - 64));
    // Without general-instructions extension (34) and with bits that the machine does not have.
    host.machine.put64(0xc000, !bit64(34));
    host.machine.put64(0xc008, u64::MAX);
    host.put32(at!(facilities), 0xc000);
    assert_eq!(host.run("LGHI 0,1; STFLE 0(12); DIAG 0,0,0"), Ending::Done);
    // The list as it is; but transactions (50 and 73) are not offered.
    assert_eq!(host.machine.get64(FRAMES + GUEST_DATA), !bit64(34) & !bit64(50));
    assert_eq!(host.machine.get64(FRAMES + GUEST_DATA + 8), !bit64(73 - 64));
    // No instruction is switched off by it.
    host.set(|s| (s.gr[1], s.gr[2]) = (1, 1));
    assert_eq!(host.run("CRJ 1,2,8,*+10; DIAG 0,0,0; LA 3,77; DIAG 0,0,0"), Ending::Done);
    assert_eq!((host.description().instruction.get(), host.machine.gr(3)), (0x8300, 77));
}

/// The host's tables give an absolute address by a large page, which the host's prefix does not move.
#[test]
fn the_hosts_prefix_does_not_move_its_large_pages() {
    let host = Host::new();
    let machine = &host.machine;
    machine.put(2 * FRAMES + 0x1a0, &machine.get(0x1a0, 0x60));
    host.set(|s| {
        s.cr[0] |= cpu::cr0::ENHANCED_DAT;
        s.set_prefix(2 * FRAMES).expect("it is in storage");
    });
    // The guest's storage is the megabyte at the host's prefix.
    let mut t = Tables::further(machine);
    let entry = t.entry(host.asce, GUEST, SEGMENT);
    machine.put64(entry, 2 * FRAMES | 0x400);
    machine.put(2 * FRAMES + GUEST_DATA, &[0; 16]);
    machine.text(2 * FRAMES + TEXT, "STG 2,0(0,12); LG 3,0(0,0); DIAG 0,0,0");
    machine.put64(2 * FRAMES, 0x1234_5678);
    machine.put64(0, 0x8765_4321);
    host.set(|s| s.gr[2] = 42);
    host.put64(at!(psw), WIDE);
    host.put64(at!(psw) + 8, TEXT);
    // How it ended stands in the host's prefix area.
    host.again();
    assert_eq!(machine.get32(2 * FRAMES + z::PROGRAM_ILC) as u16, 1, "after SIE");
    assert_eq!(host.description().instruction.get(), 0x8300);
    assert_eq!((machine.get64(2 * FRAMES + GUEST_DATA), machine.gr(3)), (42, 0x1234_5678));
}

#[test]
fn what_the_guest_stores_into_its_code_is_executed() {
    let host = Host::new();
    // The store turns "LA 2,1" into "LA 2,2" after it, many times over, so that it is translated, too.
    host.set(|s| (s.gr[3], s.gr[4]) = (200, 0));
    let source = "STC 3,7(0,11); LA 2,0(0); ALGR 4,2; BRCTG 3,*-12; DIAG 0,0,0";
    assert_eq!(host.run(source), Ending::Done);
    assert_eq!(host.machine.gr(4), (1..=200).sum::<u64>());
    assert_eq!(host.machine.configuration.storage().read_u16(Absolute(FRAMES + TEXT + 6)), Ok(0x0001));
}

#[test]
fn the_service_element_announces_it() {
    let machine = Machine::new();
    machine.put(DATA, &[0x10, 0]);
    machine.set(|s| (s.gr[1], s.gr[2]) = (0x0002_0001, DATA));
    assert_eq!(machine.execute("SERVC 1,2"), Ending::Done);
    assert_eq!(machine.get16(DATA + 6), 0x0010, "there is information");
    assert_eq!(machine.get(DATA + 85, 1), [0x82], "enhanced suppression on protection, no storage limit");
    let first = u64::from(machine.get16(DATA + 18));
    assert_eq!(machine.get(DATA + first, 4), [0, 0, 0x08, 0], "CPU 0: format 2, no assists");
}

#[test]
fn a_page_that_the_guest_invalidates_is_gone_on_every_cpu() {
    let host = Host::new();
    // The guest's page 0x80 is its frame 6000; its page table is at 14000.
    for n in 0..2048 {
        host.machine.put64(FRAMES + 0x1_0000 + 8 * n, if n == 0 { 0x1_4000 } else { 0x20 });
    }
    for n in 0..256 {
        host.machine.put64(FRAMES + 0x1_4000 + 8 * n, if n < 16 { n << 12 } else { 0x400 });
    }
    host.machine.put64(FRAMES + 0x1_4000 + 8 * 0x80, 0x6000);
    host.put64(at!(control) + 8, 0x1_0000 | 3);
    host.set(|s| (s.gr[1], s.gr[2]) = (0x1_4000, 0x8_0000));
    host.machine.text(FRAMES + TEXT, "LG 5,0(0,2); IPTE 1,2; LA 6,1; LG 5,0(0,2); DIAG 0,0,0");
    host.put64(at!(psw), DAT);
    host.put64(at!(psw) + 8, TEXT);
    let before = host.machine.cpu(0).state.translation_epoch();
    assert_eq!(host.again(), Ending::Done);
    assert_eq!(host.machine.gr(6), 1);
    assert_eq!(host.description().code, code::WAIT);
    assert_eq!(host.machine.get32(FRAMES + z::PROGRAM_ILC), 0x0006_0011);
    assert_eq!(host.machine.get64(FRAMES + z::PROGRAM_OLD + 8), TEXT + 6 + 4 + 4);
    // The epoch of the host's translations has changed, so other CPUs that interpret the guest purge their TLBs for it.
    assert!(host.machine.cpu(0).state.translation_epoch() > before + 1);
}

#[test]
fn per_events_are_the_hosts_if_it_says_so() {
    let host = Host::new();
    let per = 1 << 62;
    for (flags, code) in [(flag::Z | flag::PER, code::PROGRAM), (flag::Z, code::WAIT)] {
        host.put32(at!(flags), flags);
        host.put64(at!(control) + 8 * 9, 0x4000_0000);
        host.put64(at!(control) + 8 * 10, TEXT + 4);
        host.put64(at!(control) + 8 * 11, TEXT + 7);
        host.machine.text(FRAMES + TEXT, "LA 2,1; LA 2,2; LA 2,3; DIAG 0,0,0");
        host.put64(at!(psw), WIDE | per);
        host.put64(at!(psw) + 8, TEXT);
        assert_eq!(host.again(), Ending::Done);
        let d = host.description();
        assert_eq!((d.code, host.machine.gr(2)), (code, 2));
        if flags & flag::PER != 0 {
            assert_eq!((d.program_code.get(), d.program_length.get()), (0x80, 4));
            assert_eq!((d.per_code, d.per_address.get(), d.psw[1].get()), (0x40, TEXT + 4, TEXT + 8));
        } else {
            assert_eq!(host.machine.get32(FRAMES + z::PROGRAM_ILC), 0x0004_0080);
        }
    }
}

/// Where the host's page-table entries for MOVE PAGE's operands are told, and a second page of data.
const ENTRIES: u64 = DESCRIPTION + StateDescription::ENTRIES as u64;
const SOURCE: u64 = 0x7000;

#[test]
fn a_page_that_the_host_lacks_for_move_page_is_told_with_its_entries() {
    let host = Host::new();
    host.put32(at!(controls), control::MOVE_PAGE);
    let mut t = Tables::further(&host.machine);
    let entries = [GUEST_DATA, SOURCE].map(|page| t.page(host.asce, GUEST + page));
    let frames = [GUEST_DATA, SOURCE].map(|page| FRAMES + page);
    host.machine.put(frames[1], &[0x5a; 4096]);
    host.machine.put(frames[0], &[0; 4096]);
    const INVALID: u64 = 0x400;
    const READ_ONLY: u64 = 0x200;
    for (first, second, told) in [
        (INVALID, 0, [0, 0]),
        (0, INVALID, [0, 0]),
        (INVALID, INVALID, [0, 0]),
        (READ_ONLY, INVALID, [entry::PROTECTED, 0]),
        (INVALID, READ_ONLY, [0, entry::PROTECTED]),
    ] {
        for (n, bits) in [first, second].into_iter().enumerate() {
            host.machine.put64(entries[n], frames[n] | bits);
        }
        host.set(|s| (s.gr[0], s.gr[2], s.gr[3]) = (0, GUEST_DATA, SOURCE));
        assert_eq!(host.run("MVPG 2,3; DIAG 0,0,0"), Ending::Done);
        let d = host.description();
        assert_eq!((d.code, d.status, d.instruction.get()), (code::PARTIAL_EXECUTION, 0, 0xb254));
        assert_eq!((d.parameters.get(), d.psw[1].get()), (0x0023_0000, TEXT + 4), "the PSW is past it");
        let found = [0, 8].map(|at| host.machine.get64(ENTRIES + at));
        assert_eq!(found, [entries[0] | told[0], entries[1] | told[1]], "{first:X} {second:X}");
        assert_eq!(host.machine.get(frames[0], 4096), [0; 4096], "nothing has been moved");
    }
    // By way of EXECUTE.
    host.machine.put64(entries[0], frames[0]);
    host.machine.put64(entries[1], frames[1] | INVALID);
    host.machine.text(FRAMES + TEXT + 16, "MVPG 2,3");
    host.set(|s| s.gr[1] = 0);
    assert_eq!(host.run("EX 1,16(0,11); DIAG 0,0,0"), Ending::Done);
    assert_eq!((host.description().code, host.description().status), (code::PARTIAL_EXECUTION, 0x41));
    // The host provides the pages, and the guest executes it again.
    host.machine.put64(entries[1], frames[1]);
    assert_eq!(host.run("MVPG 2,3; DIAG 0,0,0"), Ending::Done);
    assert_eq!((host.description().code, host.description().instruction.get()), (code::INSTRUCTION, 0x8300));
    assert_eq!(host.machine.get(frames[0], 4096), [0x5a; 4096]);
}

#[test]
fn tables_that_end_early_are_told_with_enhanced_dat_alone() {
    let host = Host::new();
    host.put32(at!(controls), control::MOVE_PAGE);
    host.put32(at!(flags), flag::Z | flag::NO_LIMIT);
    let mut t = Tables::further(&host.machine);
    let there = t.page(host.asce, GUEST + GUEST_DATA);
    let missing = t.entry(host.asce, GUEST + 0x10_0000, SEGMENT);
    host.set(|s| (s.gr[0], s.gr[2], s.gr[3]) = (0, GUEST_DATA, 0x10_0000));
    assert_eq!(host.run("MVPG 2,3; DIAG 0,0,0"), program(0x10, 4, PROGRAM), "a segment, at SIE");
    host.set(|s| s.cr[0] |= cpu::cr0::ENHANCED_DAT);
    assert_eq!(host.run("MVPG 2,3; DIAG 0,0,0"), Ending::Done);
    assert_eq!(host.description().code, code::PARTIAL_EXECUTION);
    let found = [0, 8].map(|at| host.machine.get64(ENTRIES + at));
    assert_eq!(found, [there, missing | entry::NO_PAGE_TABLE]);
}

#[test]
fn move_page_is_intercepted_unless_it_is_interpreted() {
    let host = Host::new();
    host.machine.put(FRAMES + SOURCE, &[0x5a; 4096]);
    host.set(|s| (s.gr[0], s.gr[2], s.gr[3]) = (0, GUEST_DATA, SOURCE));
    // In the problem state, too.
    for mode in [0, mask::PROBLEM] {
        host.machine.text(FRAMES + TEXT, "MVPG 2,3; DIAG 0,0,0");
        host.put64(at!(psw), WIDE | mode);
        host.put64(at!(psw) + 8, TEXT);
        assert_eq!(host.again(), Ending::Done);
        let d = host.description();
        assert_eq!((d.code, d.instruction.get(), d.psw[1].get()), (code::INSTRUCTION, 0xb254, TEXT + 4));
    }
    host.put32(at!(controls), control::MOVE_PAGE);
    assert_eq!(host.run("MVPG 2,3; DIAG 0,0,0"), Ending::Done);
    assert_eq!((host.description().instruction.get(), host.machine.get(FRAMES + GUEST_DATA, 1)), (0x8300, vec![0x5a]));
}

#[test]
fn without_a_storage_limit_the_hosts_tables_are_the_limit() {
    let host = Host::new();
    let mut t = Tables::further(&host.machine);
    let beyond = 0x12_3000;
    t.map(host.asce, GUEST + beyond, FRAMES + SOURCE);
    host.machine.put64(FRAMES + SOURCE, 0xfeed);
    host.set(|s| s.gr[2] = beyond);
    assert_eq!(host.run("LG 5,0(0,2); DIAG 0,0,0"), Ending::Done);
    assert_eq!((host.description().code, host.machine.get32(FRAMES + z::PROGRAM_ILC)), (code::WAIT, 0x0006_0005));
    host.put32(at!(flags), flag::Z | flag::NO_LIMIT);
    assert_eq!(host.run("LG 5,0(0,2); DIAG 0,0,0"), Ending::Done);
    assert_eq!((host.description().code, host.machine.gr(5)), (code::INSTRUCTION, 0xfeed));
    // What the tables do not have is the host's exception; a limit before the origin does not matter.
    host.put64(at!(limit), 0);
    host.set(|s| s.gr[2] = beyond + 0x1000);
    assert_eq!(host.run("LG 5,0(0,2); DIAG 0,0,0"), program(0x11, 4, PROGRAM));
    assert_eq!(host.machine.get64(z::TRANSLATION_EXCEPTION_ID), GUEST + beyond + 0x1000 | FETCHED);
}
