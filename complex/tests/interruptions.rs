//! Interruptions: what is stored, where execution goes on, and which comes first (POP, chapter 6); program-event
//! recording (chapter 4).

mod machine;

use arch::interruption::external;
use arch::io::{Ccw, CcwFormat, Orb, ccw_flag, pmcw_flag};
use arch::lowcore::z;
use arch::{Psw, mask};
use complex::Exit;
use cpu::{Architecture, External, attention, cr0};
use devices::{Card, Reader2540, RecordSource};
use machine::*;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use zerocopy::IntoBytes;

#[test]
fn the_length_code_and_the_address_say_what_happened() {
    let machine = Machine::new();
    let run = |source: &str| {
        machine.set(|s| (s.gr[1], s.gr[2], s.gr[3], s.gr[5]) = (1, 0, 0, 1 << 40));
        machine.execute(source)
    };
    // Suppressed: the address is that of the next instruction; addresses beyond storage are addressing exceptions.
    assert_eq!(run("LG 1,0(0,5)"), program(5, 6, PROGRAM + 6));
    assert_eq!(run("L 1,0(0,5)"), program(5, 4, PROGRAM + 4));
    assert_eq!(run("DR 0,2"), program(9, 2, PROGRAM + 2));
    assert_eq!(run("DR 1,2"), program(6, 2, PROGRAM + 2));
    assert_eq!(run("DC B2FE0000"), program(1, 4, PROGRAM + 4));
    assert_eq!(run("DC E3000000 00FF"), program(1, 6, PROGRAM + 6));
    // Completed: fixed-point overflow, with the result in place.
    machine.set(|s| (s.gr[1], s.gr[2]) = (0x7fff_ffff, 1));
    machine.text(PROGRAM, "AR 1,2");
    assert_eq!(machine.go(WIDE | mask::FIXED_POINT_OVERFLOW, PROGRAM), program(8, 2, PROGRAM + 2));
    assert_eq!((machine.gr(1), machine.cc()), (0x8000_0000, 3));
    // In the middle of a block.
    assert_eq!(run("LR 1,1;LR 1,1;L 1,0(0,5)"), program(5, 4, PROGRAM + 8));
}

/// A virtio device that takes a millisecond over what it is notified of.
struct Slow(Arc<Counting>);

impl css::Device for Slow {
    fn command(&mut self, _: css::Command, _: &mut css::Data<'_>) -> css::Outcome {
        css::Outcome::ENDED
    }

    fn notified(&mut self, queue: u16, _: &mut css::Adapter<'_>) -> bool {
        self.0.0.fetch_add(1000 << 12, SeqCst);
        queue == 0
    }
}

#[test]
fn what_a_device_does_when_it_is_notified_is_not_the_guests_time() {
    let machine = Machine::new();
    let css = || machine.configuration.css();
    let id = css().attach(0x1000, Box::new(Slow(machine.clock.clone()))).expect("it is the only device");
    let mut schib = css().store_subchannel(id).expect("it is attached");
    schib.pmcw.flags |= pmcw_flag::ENABLED;
    css().modify_subchannel(id, &schib).expect("the SCHIB is valid");
    machine.set(|s| (s.gr[1], s.gr[2], s.gr[3]) = (3, u64::from(id.encode()), 0));
    machine.execute("DIAG 2,4,0x500");
    assert_eq!(machine.gr(2), u64::from(id.number()));
    let (own, all) = machine.configuration.times(0);
    assert!(own < 100 && all > 1000, "{own} of {all} microseconds");
}

#[test]
fn under_execute_the_length_is_executes() {
    let machine = Machine::new();
    machine.text(0x5000, "LG 1,0(0,5)");
    machine.text(0x5010, "LR 1,5");
    machine.set(|s| (s.gr[5], s.gr[6]) = (1 << 40, 0x5000));
    assert_eq!(machine.execute("EX 0,0(0,6)"), program(5, 4, PROGRAM + 4));
    assert_eq!(machine.execute("EXRL 0,*+4096"), program(5, 6, PROGRAM + 6));
    assert_eq!(machine.execute("EX 0,1(0,6)"), program(6, 4, PROGRAM + 4), "the target is odd");
    assert_eq!(machine.execute("EX 0,0(0,5)"), program(5, 4, PROGRAM + 4), "the target cannot be fetched");
    // The target is EXECUTE itself.
    machine.text(0x5000, "EX 0,0(0,6)");
    assert_eq!(machine.execute("EX 0,0(0,6)"), program(3, 4, PROGRAM + 4));
    machine.text(0x5000, "EXRL 0,*+16");
    assert_eq!(machine.execute("EX 0,0(0,6)"), program(3, 4, PROGRAM + 4));
    // A register's byte is ORed into the second byte.
    machine.set(|s| (s.gr[1], s.gr[2], s.gr[7]) = (0, 99, 0x12));
    machine.text(0x5000, "LR 0,0");
    assert_eq!(machine.execute("EX 7,0(0,6)"), Ending::Done);
    assert_eq!(machine.gr(1), 99);
    // A branch goes from the target's own address, and links to the instruction after EXECUTE.
    machine.text(0x5000, "BRAS 14,*+256");
    machine.text(0x5100, "");
    assert_eq!(machine.execute("EX 0,0(0,6)"), Ending::Done);
    assert_eq!((machine.old().address, machine.gr(14)), (0x5102, PROGRAM + 4));
    // SVC under EXECUTE: its old PSW is past EXECUTE, the length EXECUTE's.
    machine.text(0x5000, "SVC 0");
    machine.set(|s| s.gr[7] = 0x21);
    assert_eq!(machine.execute("EX 7,0(0,6)"), Ending::Svc(0x21));
    assert_eq!((machine.get32(z::SVC_ILC), machine.get64(z::SVC_OLD + 8)), (0x0004_0021, PROGRAM + 4));
}

#[test]
fn supervisor_calls() {
    let machine = Machine::new();
    assert_eq!(machine.execute("SVC 17"), Ending::Svc(17));
    assert_eq!((machine.get32(z::SVC_ILC), machine.get64(z::SVC_OLD + 8)), (0x0002_0011, PROGRAM + 2));
    assert_eq!(machine.get64(z::SVC_OLD), WIDE);
    let machine = Machine::with(Architecture::Esa, 1);
    machine.text(PROGRAM, "SVC 17");
    assert_eq!(machine.go(0x2000 << 32 | mask::BASIC_ADDRESSING, PROGRAM), Ending::Svc(17));
    assert_eq!(machine.get64(0x20), 0x0008_2000_8000_0000 | PROGRAM + 2);
}

#[test]
fn monitor_events() {
    let machine = Machine::new();
    machine.set(|s| (s.cr[8], s.gr[5]) = (0x0000_2000, 0x1234_5678_9abc));
    assert_eq!(machine.execute("MC 1(5),3"), Ending::Done, "class 3 is not asked for");
    assert_eq!(machine.execute("MC 1(5),2"), program(0x40, 4, PROGRAM + 4));
    assert_eq!((machine.get16(z::MONITOR_CLASS), machine.get64(z::MONITOR_CODE)), (2, 0x1234_5678_9abd));
    assert_eq!(machine.execute("MC 0(5),16"), program(6, 4, PROGRAM + 4));
}

#[test]
fn data_exceptions_have_a_code() {
    let machine = Machine::new();
    machine.set(|s| s.cr[0] |= cr0::AFP);
    // Division by zero with that exception enabled.
    machine.set(|s| (s.fpr[1], s.fpr[2], s.fpc) = (0x3ff0 << 48, 0, 0x4000_0000));
    assert_eq!(machine.execute("DDBR 1,2"), program(7, 4, PROGRAM + 4));
    assert_eq!(machine.get32(z::DATA_EXCEPTION_CODE), 0x40);
    assert_eq!(machine.cpu(0).state.fpc, 0x4000_4000);
    // Without the additional registers no binary floating point.
    machine.set(|s| (s.cr[0], s.fpc) = (0, 0));
    assert_eq!(machine.execute("DDBR 1,2"), program(7, 4, PROGRAM + 4));
    assert_eq!((machine.get32(z::DATA_EXCEPTION_CODE), machine.cpu(0).state.fpc), (2, 0));
}

#[test]
fn the_last_branch_is_kept_for_program_interruptions() {
    let machine = Machine::new();
    machine.text(0x5000, "");
    assert_eq!(machine.execute("LR 0,0;BRC 15,*+4094"), Ending::Done);
    assert_eq!(machine.get64(z::BREAKING_EVENT_ADDRESS), PROGRAM + 2);
    // So is a load of the PSW.
    machine.put64(DATA, WIDE);
    machine.put64(DATA + 8, 0x5000);
    machine.set(|s| s.gr[6] = DATA);
    assert_eq!(machine.execute("LR 0,0;LPSWE 0(6)"), Ending::Done);
    assert_eq!(machine.get64(z::BREAKING_EVENT_ADDRESS), PROGRAM + 2);
}

#[test]
fn an_invalid_program_new_psw_is_a_loop() {
    let machine = Machine::new();
    machine.put64(z::PROGRAM_NEW, 1 << 63);
    assert_eq!(machine.execute(""), Ending::Exit(Exit::ProgramLoop));
    // Another class's invalid new PSW is an early exception.
    let machine = Machine::new();
    machine.put64(z::SVC_NEW, 1 << 63);
    machine.put64(z::SVC_NEW + 8, 0x5000);
    assert_eq!(machine.execute("SVC 1"), program(6, 0, 0x5000));
}

/// Enables for external interruptions of these classes and waits for one.
fn wait(machine: &Machine, classes: u64) -> Ending {
    machine.set(|s| s.cr[0] = classes);
    machine.go(WIDE | mask::EXTERNAL | mask::WAIT, PROGRAM)
}

#[test]
fn external_interruptions_have_an_order() {
    let machine = Machine::new();
    let all = cr0::MALFUNCTION_ALERT
        | cr0::EMERGENCY_SIGNAL
        | cr0::EXTERNAL_CALL
        | cr0::CLOCK_COMPARATOR
        | cr0::CPU_TIMER
        | cr0::SERVICE_SIGNAL
        | cr0::INTERRUPT_KEY;
    let pend = |code: u16, parameter: Option<u32>| {
        machine.configuration.external(External { code, subcode: 0, parameter, parameter64: None });
    };
    pend(external::SERVICE_SIGNAL, Some(0x1230));
    pend(external::INTERRUPT_KEY, None);
    {
        let mut core = machine.cpu(0);
        core.state.set_clock_comparator(0);
        core.state.set_cpu_timer(u64::MAX);
        core.state.signals().external_call(0);
        core.state.signals().emergency_signal(0);
    }
    assert_eq!(wait(&machine, all), Ending::External(external::INTERRUPT_KEY));
    assert_eq!(wait(&machine, all), Ending::External(external::EMERGENCY_SIGNAL));
    assert_eq!(machine.get16(z::EXTERNAL_CPU_ADDRESS), 0);
    assert_eq!(wait(&machine, all), Ending::External(external::EXTERNAL_CALL));
    // The timers stay pending as long as they are due; a class that is not enabled waits.
    assert_eq!(wait(&machine, all), Ending::External(external::CLOCK_COMPARATOR));
    assert_eq!(wait(&machine, all), Ending::External(external::CLOCK_COMPARATOR));
    assert_eq!(wait(&machine, all & !cr0::CLOCK_COMPARATOR), Ending::External(external::CPU_TIMER));
    let rest = all & !cr0::CLOCK_COMPARATOR & !cr0::CPU_TIMER;
    assert_eq!(wait(&machine, rest & !cr0::SERVICE_SIGNAL), Ending::Exit(Exit::Wait { until: None }));
    assert_eq!(wait(&machine, rest), Ending::External(external::SERVICE_SIGNAL));
    assert_eq!(machine.get32(z::EXTERNAL_PARAMETER), 0x1230);
    assert_eq!(wait(&machine, rest), Ending::Exit(Exit::Wait { until: None }));
    assert_eq!(machine.external_old(), Psw { mask: WIDE | mask::EXTERNAL | mask::WAIT, address: PROGRAM });
}

/// What CP has for a CPU waits until the CPU is enabled for it, whatever other interruptions come meanwhile.
#[test]
fn a_message_waits_for_its_class() {
    for (class, own, other) in [(attention::IUCV, cr0::IUCV, cr0::VMCF), (attention::VMCF, cr0::VMCF, cr0::IUCV)] {
        let machine = Machine::new();
        let exit = Ending::Exit(Exit::Message);
        machine.configuration.message(0, class);
        for code in [external::SERVICE_SIGNAL, external::INTERRUPT_KEY] {
            machine.configuration.external(External { code, subcode: 0, parameter: None, parameter64: None });
            let open = cr0::SERVICE_SIGNAL | cr0::INTERRUPT_KEY | other;
            assert_eq!(wait(&machine, open), Ending::External(code));
        }
        machine.configuration.external(External {
            code: external::INTERRUPT_KEY,
            subcode: 0,
            parameter: None,
            parameter64: None,
        });
        assert_eq!(wait(&machine, own | cr0::INTERRUPT_KEY), Ending::External(external::INTERRUPT_KEY));
        assert_eq!(wait(&machine, own), exit);
        assert_eq!(wait(&machine, own), Ending::Exit(Exit::Wait { until: None }), "CP has been asked");
    }
}

/// POP, chapter 6, "Priority of interruptions": each new PSW lets the next class in, so that the old PSWs are a chain.
#[test]
fn classes_have_an_order() {
    let machine = Machine::new();
    let reader = Reader2540::new(Box::new(NoCards));
    machine.configuration.css().attach(0x00c, Box::new(reader)).expect("it is free");
    let enable = |at: u64, classes: u64, address: u64| {
        machine.put64(at, WIDE | classes);
        machine.put64(at + 8, address);
    };
    enable(z::SVC_NEW, mask::MACHINE_CHECK | mask::EXTERNAL | mask::IO, 0x5000);
    enable(z::MACHINE_CHECK_NEW, mask::EXTERNAL | mask::IO, 0x5100);
    enable(z::EXTERNAL_NEW, mask::IO, 0x5200);
    pend_io(&machine);
    machine.configuration.shared().floating.machine_check(0x0040_0f1d_4033_0000);
    machine.cpu(0).state.signals().raise(attention::MACHINE_CHECK);
    let key = External { code: external::INTERRUPT_KEY, subcode: 0, parameter: None, parameter64: None };
    machine.configuration.external(key);
    machine.set(|s| (s.cr[0], s.cr[6], s.cr[14]) = (cr0::INTERRUPT_KEY, 0xff00_0000, cpu::cr14::CHANNEL_REPORT));
    // The supervisor call comes first, as it is the instruction's own.
    machine.text(PROGRAM, "SVC 7");
    assert_eq!(machine.go(WIDE, PROGRAM), Ending::Io);
    assert_eq!(machine.get64(z::SVC_OLD + 8), PROGRAM + 2);
    assert_eq!(machine.get64(z::MACHINE_CHECK_OLD + 8), 0x5000);
    assert_eq!(machine.get64(z::EXTERNAL_OLD + 8), 0x5100);
    assert_eq!(machine.get64(z::IO_OLD + 8), 0x5200);
    // Where all of them are let in at once nothing is executed before the first.
    pend_io(&machine);
    machine.configuration.external(key);
    machine.text(PROGRAM, "LA 1,1;");
    machine.set(|s| s.gr[1] = 0);
    assert_eq!(machine.go(WIDE | mask::EXTERNAL | mask::IO, PROGRAM), Ending::Io);
    assert_eq!((machine.get64(z::EXTERNAL_OLD + 8), machine.gr(1)), (PROGRAM, 0));
}

/// A program interruption of an instruction comes before what is pending and let in by its new PSW.
#[test]
fn program_interruptions_come_before_external_ones() {
    let machine = Machine::new();
    machine.put64(z::PROGRAM_NEW, WIDE | mask::EXTERNAL);
    machine.put64(z::PROGRAM_NEW + 8, 0x5000);
    let key = External { code: external::INTERRUPT_KEY, subcode: 0, parameter: None, parameter64: None };
    machine.configuration.external(key);
    machine.set(|s| (s.cr[0], s.gr[1], s.gr[2]) = (cr0::INTERRUPT_KEY, 1, 0));
    machine.text(PROGRAM, "DR 0,2");
    assert_eq!(machine.go(WIDE, PROGRAM), Ending::External(external::INTERRUPT_KEY));
    assert_eq!((machine.get16(z::PROGRAM_ILC + 2), machine.external_old().address), (9, 0x5000));
}

/// A reader without cards.
struct NoCards;

impl RecordSource for NoCards {
    fn read(&mut self) -> Card {
        Card::Empty
    }
}

/// An I/O interruption of subclass 3 from the reader, which has nothing to read.
fn pend_io(machine: &Machine) {
    let id = machine.configuration.css().find(0x00c).expect("it is attached");
    let mut schib = machine.configuration.css().store_subchannel(id).expect("it is attached");
    schib.pmcw.flags |= pmcw_flag::ENABLED;
    schib.pmcw.set_isc(3);
    machine.configuration.css().modify_subchannel(id, &schib).expect("the SCHIB is valid");
    let sense = Ccw { command: 0x03, flags: ccw_flag::SUPPRESS_LENGTH, count: 1, address: 0 };
    machine.put(0x7000, &sense.encode(CcwFormat::One));
    machine.put(0x7100, Orb::new(0, 0x0080_ff00, 0x7000).as_bytes());
    // What an earlier one left is cleared away.
    machine.set(|s| (s.gr[1], s.gr[6], s.gr[8]) = (id.encode() as u64, DATA, 0x7100));
    assert_eq!(machine.execute("TSCH 0(6);SSCH 0(8)"), Ending::Done);
    assert_eq!(machine.cc(), 0, "started");
}

#[test]
fn a_clock_comparator_that_is_set_ahead_does_not_interrupt() {
    let machine = Machine::new();
    machine.put64(DATA, u64::MAX);
    machine.set(|s| (s.gr[6], s.cr[0]) = (DATA, cr0::CLOCK_COMPARATOR));
    machine.cpu(0).state.set_clock_comparator(0);
    // Setting it takes the pending condition back before the PSW lets it in.
    machine.text(PROGRAM, "SCKC 0(6);STCKC 8(6);STOSM 16(6),1");
    assert_eq!(machine.go(WIDE, PROGRAM), Ending::Done);
    assert_eq!(machine.get64(DATA + 8), u64::MAX);
    machine.put64(DATA, 1);
    assert_eq!(machine.go(WIDE, PROGRAM), Ending::External(external::CLOCK_COMPARATOR));
    assert_eq!(machine.external_old().address, PROGRAM + 12);
    // One in the future: the wait says until when.
    machine.cpu(0).state.set_clock_comparator(NOON + (1 << 50));
    let ending = wait(&machine, cr0::CLOCK_COMPARATOR);
    assert_eq!(ending, Ending::Exit(Exit::Wait { until: Some(base::Tod(NOON + (1 << 50) + 1)) }));
}

#[test]
fn a_wait_without_a_way_out_is_said() {
    let machine = Machine::new();
    let psw = Psw { mask: WIDE | mask::WAIT, address: 0x1234 };
    assert_eq!(machine.go(psw.mask, psw.address), Ending::Exit(Exit::DisabledWait(psw)));
}

#[test]
fn a_channel_report_is_a_machine_check() {
    let machine = Machine::new();
    machine.set(|s| {
        (s.cr[14], s.gr[3], s.ar[4], s.fpr[5], s.cr[9]) = (cpu::cr14::CHANNEL_REPORT, 33, 44, 55, 99);
        (s.fpc, s.tod_programmable, s.clock_comparator) = (0x0070_0000, 7, 0x1234_5600);
        s.set_vr(17, 17);
    });
    machine.put64(0x1308, 66);
    machine.put(0x1318, &[0, 0, 0, 77]);
    machine.put64(z::EXTENDED_SAVE_AREA, 0x3_0000);
    machine.configuration.shared().floating.machine_check(0x0040_0f1d_4033_0000);
    machine.cpu(0).state.signals().raise(attention::MACHINE_CHECK);
    machine.text(PROGRAM, "");
    assert_eq!(machine.go(WIDE, PROGRAM), Ending::Done, "disabled");
    assert_eq!(machine.go(WIDE | mask::MACHINE_CHECK, PROGRAM), Ending::MachineCheck);
    assert_eq!(machine.get64(z::MACHINE_CHECK_CODE), 0x0040_0f5d_4033_0000, "vector registers are valid");
    assert_eq!((machine.get64(0x3_0118), machine.get64(0x3_0050)), (17, 55));
    assert_eq!(machine.get64(z::MACHINE_CHECK_OLD + 8), PROGRAM);
    assert_eq!((machine.get64(0x1308), machine.get32(0x1318)), (66, 77), "the PSW's and the prefix's places stay");
    assert_eq!((machine.get64(0x1298), machine.get32(0x1350)), (33, 44), "general and access registers");
    assert_eq!((machine.get64(0x1228), machine.get64(0x13c8)), (55, 99), "floating-point and control registers");
    assert_eq!((machine.get32(0x131c), machine.get32(0x1324)), (0x0070_0000, 7), "FPC and TOD programmable register");
    assert_eq!(machine.get64(0x1330), 0x12_3456, "the clock comparator");
    assert_eq!(machine.get(z::ARCHITECTURE_MODE, 1), [1]);
    assert_eq!(machine.go(WIDE | mask::MACHINE_CHECK, PROGRAM), Ending::Done, "it is no longer pending");
}

/// PER with these events in CR9 for addresses from `from` to `to`.
fn per(machine: &Machine, events: u64, from: u64, to: u64) {
    machine.set(|s| (s.cr[9], s.cr[10], s.cr[11]) = (events, from, to));
}

const BRANCH: u64 = 0x8000_0000;
const FETCH: u64 = 0x4000_0000;
const STORE: u64 = 0x2000_0000;
const STORE_REAL: u64 = 0x0800_0000;
const INTO_RANGE: u64 = 0x0080_0000;
const PER: u64 = WIDE | mask::PER;

/// What a PER event left: its code, and the instruction's address.
fn event(machine: &Machine) -> (u8, u64) {
    (machine.get(z::PER_CODE, 1)[0], machine.get64(z::PER_ADDRESS))
}

#[test]
fn per_sees_instructions_being_fetched() {
    let machine = Machine::new();
    per(&machine, FETCH, PROGRAM + 4, PROGRAM + 7);
    machine.text(PROGRAM, "LHI 1,1;LHI 2,2;LHI 3,3");
    machine.set(|s| s.gr[1..4].fill(0));
    assert_eq!(machine.go(WIDE, PROGRAM), Ending::Done);
    machine.set(|s| s.gr[1..4].fill(0));
    assert_eq!(machine.go(PER, PROGRAM), program(0x80, 4, PROGRAM + 8));
    assert_eq!((machine.gr(2), machine.gr(3)), (2, 0), "the instruction is completed, the next is not begun");
    assert_eq!(event(&machine), (0x40, PROGRAM + 4));
    // The mode: validity, 64-bit addressing, no DAT, primary space.
    assert_eq!(machine.get(z::PER_CODE + 1, 1), [0xe0]);
    // The target of EXECUTE counts as well.
    per(&machine, FETCH, 0x5000, 0x5001);
    machine.text(0x5000, "LR 1,1");
    machine.set(|s| s.gr[6] = 0x5000);
    machine.text(PROGRAM + 0x100, "LR 1,1;EX 0,0(0,6)");
    assert_eq!(machine.go(PER, PROGRAM + 0x100), program(0x80, 4, PROGRAM + 0x106));
    assert_eq!(event(&machine), (0x40, PROGRAM + 0x102));
    // A range that wraps around.
    per(&machine, FETCH, PROGRAM + 8, PROGRAM - 1);
    assert_eq!(machine.go(PER, PROGRAM), program(0x80, 4, PROGRAM + 12));
    assert_eq!(event(&machine), (0x40, PROGRAM + 8));
}

#[test]
fn per_sees_branches() {
    let machine = Machine::new();
    machine.text(0x5000, "");
    per(&machine, BRANCH, 0, 0);
    machine.text(PROGRAM, "LHI 1,1;BRC 0,*+8;BRC 15,*+4088");
    assert_eq!(machine.go(PER, PROGRAM), program(0x80, 4, 0x5000));
    assert_eq!(event(&machine), (0x80, PROGRAM + 8));
    // A branch to the next instruction is one; a load of the PSW is none.
    machine.text(PROGRAM, "BRC 15,*+4;LHI 1,1");
    assert_eq!(machine.go(PER, PROGRAM), program(0x80, 4, PROGRAM + 4));
    machine.put64(DATA, PER);
    machine.put64(DATA + 8, 0x5000);
    machine.set(|s| s.gr[6] = DATA);
    machine.text(PROGRAM, "LPSWE 0(6)");
    assert_eq!(machine.go(PER, PROGRAM), Ending::Done);
    // Only into the range.
    per(&machine, BRANCH | INTO_RANGE, 0x5000, 0x5001);
    machine.text(PROGRAM, "BRC 15,*+4;BRC 15,*+4092");
    assert_eq!(machine.go(PER, PROGRAM), program(0x80, 4, 0x5000));
    assert_eq!(event(&machine), (0x80, PROGRAM + 4));
    assert_eq!(machine.get64(z::BREAKING_EVENT_ADDRESS), PROGRAM + 4);
}

#[test]
fn per_sees_storage_being_altered() {
    let machine = Machine::new();
    per(&machine, STORE, DATA + 0x100, DATA + 0x10f);
    machine.set(|s| (s.gr[5], s.gr[6], s.gr[7]) = (DATA, DATA + 0x108, 0x9000));
    machine.text(PROGRAM, "STG 1,0(0,5);STG 1,0xf9(0,5);STG 1,0(0,5)");
    assert_eq!(machine.go(PER, PROGRAM), program(0x80, 6, PROGRAM + 12));
    assert_eq!(event(&machine), (0x20, PROGRAM + 6));
    for (instruction, seen) in [
        ("MVC 0xf8(8,5),0(7)", false),
        ("MVC 0xf8(9,5),0(7)", true),
        ("MVC 0x80(256,5),0(7)", true),
        ("STMG 0,15,0xa0(5)", true),
        ("CS 1,1,0x100(5)", true),
        ("MVI 0x110(5),1", false),
        ("LG 1,0x100(0,5)", false),
        ("XC 0x10f(1,5),0x10f(5)", true),
    ] {
        machine.text(PROGRAM, instruction);
        let ending = machine.go(PER, PROGRAM);
        let length = isa::length(machine.get(PROGRAM, 1)[0]);
        let expected = if seen { program(0x80, length, PROGRAM + length as u64) } else { Ending::Done };
        assert_eq!(ending, expected, "{instruction}");
    }
    // The space that was stored into, with DAT on.
    let mut t = Tables::new(&machine);
    let asce = t.space(SEGMENT);
    t.map_low(asce);
    machine.set(|s| (s.cr[7], s.cr[1]) = (asce, asce));
    machine.text(PROGRAM, "MVI 0x100(5),1");
    assert_eq!(machine.go(PER | mask::DAT | 2 << 46, PROGRAM), program(0x80, 4, PROGRAM + 4));
    assert_eq!(machine.get(z::PER_CODE, 2), [0x20, 0xfa]);
    // A long move: the event is in its middle.
    machine.set(|s| (s.gr[2], s.gr[3], s.gr[4], s.gr[5]) = (DATA, 0x1800, 0x9000, 0x1800));
    machine.text(PROGRAM, "MVCL 2,4");
    assert!(matches!(machine.go(PER, PROGRAM), Ending::Program { code: 0x80, .. }));
    // Real addresses: an event of its own, wherever it stores.
    per(&machine, STORE | STORE_REAL, 0, 0);
    machine.set(|s| s.gr[7] = 0x9000);
    for instruction in ["STURA 1,7", "STURG 1,7"] {
        machine.text(PROGRAM, instruction);
        assert_eq!(machine.go(PER, PROGRAM), program(0x80, 4, PROGRAM + 4));
        assert_eq!(event(&machine), (0x28, PROGRAM));
    }
}

#[test]
fn per_events_go_with_other_interruptions() {
    let machine = Machine::new();
    per(&machine, FETCH, PROGRAM, PROGRAM + 0xff);
    machine.set(|s| (s.gr[2], s.gr[5], s.gr[6]) = (0, 1 << 40, DATA));
    machine.text(PROGRAM, "L 1,0(0,5)");
    assert_eq!(machine.go(PER, PROGRAM), program(0x85, 4, PROGRAM + 4));
    assert_eq!(event(&machine), (0x40, PROGRAM));
    // SVC: its interruption comes first, the event finds its new PSW in place.
    machine.text(PROGRAM, "SVC 5");
    let Ending::Program { code: 0x80, ilc: 2, ia } = machine.go(PER, PROGRAM) else { panic!("an event") };
    assert_eq!((machine.get16(z::SVC_ILC + 2), ia), (5, machine.get64(z::SVC_NEW + 8)));
    // An instruction that the configuration performs.
    machine.set(|s| s.gr[0..2].fill(0));
    machine.text(PROGRAM, "STSI 0(0)");
    assert_eq!(machine.go(PER, PROGRAM), program(0x80, 4, PROGRAM + 4));
    assert_eq!(machine.gr(0), 0x2000_0000);
    machine.set(|s| s.gr[0] = 0x0100_0000);
    assert_eq!(machine.go(PER, PROGRAM), program(0x86, 4, PROGRAM + 4));
    // The mode shown is the one that the instruction began in.
    machine.text(PROGRAM, "SAM31");
    assert_eq!(machine.go(PER, PROGRAM), program(0x80, 2, PROGRAM + 2));
    assert_eq!(machine.get(z::PER_CODE + 1, 1), [0xe0]);
    // An instruction that turns PER off is still seen; the one that turns it on is not.
    machine.text(PROGRAM, "STNSM 0(6),0xBF");
    assert_eq!(machine.go(PER, PROGRAM), program(0x80, 4, PROGRAM + 4));
    machine.text(PROGRAM, "STOSM 0(6),0x40;LR 1,1");
    assert_eq!(machine.go(WIDE, PROGRAM), program(0x80, 2, PROGRAM + 6));
}

/// Alteration of storage keys, zero-address detection and nullified fetches (PER 3) are not built. No bit of the
/// facility list stands for them; their bits in control register 9 mean nothing, and no event has their codes.
#[test]
fn events_that_are_not_built_are_never_told() {
    const NULLIFIED: u64 = 0x0100_0000;
    let machine = Machine::new();
    machine.put(DATA, &[0; 16]);
    for bit in (16..32).map(|n| 1 << n) {
        if [BRANCH, FETCH, STORE].contains(&bit) {
            continue;
        }
        per(&machine, bit, 0, u64::MAX);
        machine.set(|s| (s.gr[1], s.gr[2], s.gr[7]) = (0x30, 0, 0x9000));
        // Another key; an operand at address 0 by register 2; a store at a real address.
        machine.text(PROGRAM, "SSKE 1,7;L 3,0(0,2);STURA 1,7;BRC 15,*+4");
        assert_eq!(machine.go(PER, PROGRAM), Ending::Done, "{bit:X}");
    }
    // A fetch is told after the instruction, with its own code.
    per(&machine, FETCH | NULLIFIED, PROGRAM, PROGRAM + 3);
    machine.text(PROGRAM, "LHI 3,3");
    machine.set(|s| s.gr[3] = 0);
    assert_eq!(machine.go(PER, PROGRAM), program(0x80, 4, PROGRAM + 4));
    assert_eq!((event(&machine), machine.gr(3)), ((0x40, PROGRAM), 3));
}
