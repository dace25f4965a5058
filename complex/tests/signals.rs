//! SIGNAL PROCESSOR, the states of a CPU, and the change of architecture (POP, chapter 4).

mod machine;

use arch::interruption::external;
use arch::lowcore::z;
use arch::{Absolute, Psw, mask};
use complex::Exit;
use cpu::{Architecture, cr0};
use machine::*;

const SENSE: u8 = 0x01;
const EXTERNAL_CALL: u8 = 0x02;
const EMERGENCY_SIGNAL: u8 = 0x03;
const START: u8 = 0x04;
const STOP: u8 = 0x05;
const RESTART: u8 = 0x06;
const STOP_AND_STORE: u8 = 0x09;
const INITIAL_RESET: u8 = 0x0b;
const RESET: u8 = 0x0c;
const SET_PREFIX: u8 = 0x0d;
const STORE_STATUS: u8 = 0x0e;
const SET_ARCHITECTURE: u8 = 0x12;
const SENSE_RUNNING: u8 = 0x15;

/// CPU 0 signals `target`: condition code and status.
fn signal(machine: &Machine, target: u16, order: u8, parameter: u64) -> (u8, u32) {
    machine.set(|s| (s.gr[2], s.gr[3], s.gr[4]) = (0, parameter, target as u64));
    assert_eq!(machine.execute(&format!("SIGP 2,4,{order}(0)")), Ending::Done);
    (machine.cc(), machine.gr(2) as u32)
}

#[test]
fn states_are_sensed() {
    let machine = Machine::with(Architecture::Z, 2);
    assert_eq!(signal(&machine, 0, SENSE, 0), (0, 0), "who asks is operating");
    assert_eq!(signal(&machine, 1, SENSE, 0), (1, 0x40), "stopped");
    assert_eq!(signal(&machine, 2, SENSE, 0), (3, 0), "not operational");
    assert_eq!(signal(&machine, 1, EXTERNAL_CALL, 0), (0, 0));
    assert_eq!(signal(&machine, 1, SENSE, 0), (1, 0xc0), "stopped, external call pending");
    assert_eq!(signal(&machine, 1, EXTERNAL_CALL, 0), (1, 0x80), "one at a time");
    assert_eq!(signal(&machine, 1, 0x3f, 0), (1, 0x02), "no such order");
    assert_eq!(signal(&machine, 1, SENSE_RUNNING, 0), (1, 0x400));
    assert_eq!(signal(&machine, 0, SENSE_RUNNING, 0), (0, 0));
    // It is for the supervisor, and the order is in the address's last byte.
    machine.text(PROGRAM, "SIGP 2,4,1(0)");
    assert_eq!(machine.go(WIDE | mask::PROBLEM, PROGRAM), program(2, 4, PROGRAM + 4));
    machine.set(|s| (s.gr[4], s.gr[5]) = (1, 0x1_2300));
    assert_eq!(machine.execute("SIGP 2,4,1(5)"), Ending::Done);
    assert_eq!(machine.cc(), 1);
}

#[test]
fn signals_interrupt() {
    let machine = Machine::with(Architecture::Z, 3);
    machine.text(0x5000, "");
    machine.cpu(1).state.cr[0] = cr0::EMERGENCY_SIGNAL | cr0::EXTERNAL_CALL;
    machine.cpu(1).state.control_changed();
    assert_eq!(signal(&machine, 1, EMERGENCY_SIGNAL, 0), (0, 0));
    assert_eq!(signal(&machine, 1, EXTERNAL_CALL, 0), (0, 0));
    // Another CPU's emergency signal is kept beside the first.
    machine.cpu(2).state.gr[4] = 1;
    machine.text(0x5100, "SIGP 2,4,3(0)");
    machine.begin(2, WIDE, 0x5100);
    assert_eq!(machine.run(2), Ending::Done);
    let mut taken = Vec::new();
    for _ in 0..3 {
        machine.begin(1, WIDE | mask::EXTERNAL, 0x5000);
        let Ending::External(code) = machine.run(1) else { panic!("an interruption") };
        taken.push((code, machine.get16(z::EXTERNAL_CPU_ADDRESS)));
    }
    let emergency = external::EMERGENCY_SIGNAL;
    assert_eq!(taken, [(emergency, 0), (emergency, 2), (external::EXTERNAL_CALL, 0)]);
    machine.begin(1, WIDE | mask::EXTERNAL, 0x5000);
    assert_eq!(machine.run(1), Ending::Done);
}

#[test]
fn cpus_start_and_stop() {
    let machine = Machine::with(Architecture::Z, 2);
    machine.text(0x5000, "");
    machine.cpu(1).state.set_psw(Psw { mask: WIDE, address: 0x5000 });
    assert_eq!(machine.run(1), Ending::Exit(Exit::Stopped));
    assert_eq!(signal(&machine, 1, START, 0), (0, 0));
    assert_eq!(signal(&machine, 1, SENSE, 0), (0, 0));
    assert_eq!(machine.run(1), Ending::Done);
    assert_eq!(signal(&machine, 1, STOP, 0), (0, 0));
    assert_eq!(signal(&machine, 1, SENSE, 0), (1, 0x40));
    assert_eq!(machine.run(1), Ending::Exit(Exit::Stopped));
    // A CPU stops itself after the instruction.
    machine.set(|s| s.gr[4] = 0);
    assert_eq!(machine.execute("SIGP 2,4,5(0);LR 1,1"), Ending::Exit(Exit::Stopped));
    assert_eq!(machine.cpu(0).state.psw().address, PROGRAM + 4);
}

#[test]
fn restart_exchanges_psws() {
    let machine = Machine::with(Architecture::Z, 2);
    machine.put64(z::RESTART_NEW, WIDE | 0x3000 << 32);
    machine.put64(z::RESTART_NEW + 8, 0x5000);
    machine.text(0x5000, "");
    machine.cpu(1).state.set_psw(Psw { mask: WIDE, address: 0x1234 });
    assert_eq!(signal(&machine, 1, RESTART, 0), (0, 0));
    assert_eq!((machine.get64(z::RESTART_OLD), machine.get64(z::RESTART_OLD + 8)), (WIDE, 0x1234));
    assert_eq!(machine.run(1), Ending::Done);
    // Oneself: the condition code 0 is in the old PSW, the new one has its own.
    machine.set(|s| s.gr[4] = 0);
    machine.text(PROGRAM, "SIGP 2,4,6(0)");
    assert_eq!(machine.go(WIDE | 0x1000 << 32, PROGRAM), Ending::Done);
    assert_eq!(machine.old(), Psw { mask: WIDE | 0x3000 << 32, address: 0x5002 });
    assert_eq!((machine.get64(z::RESTART_OLD), machine.get64(z::RESTART_OLD + 8)), (WIDE, PROGRAM + 4));
}

#[test]
fn resets_leave_what_the_manual_says() {
    let machine = Machine::with(Architecture::Z, 2);
    let prepare = || {
        let mut core = machine.cpu(1);
        let s = &mut core.state;
        (s.gr[7], s.fpr[7], s.ar[7], s.cr[7], s.fpc) = (7, 7, 7, 7, 7);
        s.set_prefix(0x10_0000).expect("it is in storage");
        s.set_clock_comparator(9);
        s.set_psw(Psw { mask: WIDE, address: 0x5000 });
        s.signals().external_call(0);
    };
    prepare();
    assert_eq!(signal(&machine, 1, RESET, 0), (0, 0));
    {
        let core = machine.cpu(1);
        let s = &core.state;
        assert_eq!((s.gr[7], s.cr[7], s.prefix, s.psw().address, s.stopped), (7, 7, 0x10_0000, 0x5000, true));
        assert!(!s.signals().external_call_pending());
    }
    prepare();
    assert_eq!(signal(&machine, 1, INITIAL_RESET, 0), (0, 0));
    let core = machine.cpu(1);
    let s = &core.state;
    assert_eq!((s.gr[7], s.fpr[7], s.ar[7]), (7, 7, 7), "kept");
    assert_eq!((s.cr[7], s.prefix, s.psw(), s.fpc, s.clock_comparator), (0, 0, Psw::default(), 0, 0));
    assert_eq!((s.cr[0], s.cr[14]), (0xe0, 0xc200_0000));
    assert_eq!(s.architecture(), Architecture::Z);
}

#[test]
fn vector_registers_are_stored() {
    const STORE_ADDITIONAL_STATUS: u8 = 0x17;
    const GUARDED_STORAGE: u32 = 133;
    let machine = Machine::with(Architecture::Z, 2);
    machine.cpu(1).state.set_vr(3, 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff);
    machine.cpu(1).state.set_vr(31, 31);
    assert_eq!(signal(&machine, 1, STORE_ADDITIONAL_STATUS, 0x3_0000), (0, 0));
    assert_eq!((machine.get64(0x3_0030), machine.get64(0x3_0038)), (0x0011_2233_4455_6677, 0x8899_aabb_ccdd_eeff));
    assert_eq!(machine.get64(0x3_01f8), 31);
    assert_eq!(signal(&machine, 1, STORE_ADDITIONAL_STATUS, 1 << 40), (1, 0x100), "beyond storage");
    // No multiple of 1024, or a length code without guarded storage: nothing is stored.
    let mut facilities = complex::FACILITIES;
    facilities.0[2] &= !(1 << (63 - (GUARDED_STORAGE - 128)));
    let machine = Machine::equipped(Architecture::Z, 2, facilities, Listener::default());
    machine.put(0x3_0000, &[0xee; 0x2000]);
    for parameter in (1..1024).map(|n| 0x3_0000 + n) {
        assert_eq!(signal(&machine, 1, STORE_ADDITIONAL_STATUS, parameter), (1, 0x100), "{parameter:x}");
    }
    assert_eq!(machine.get(0x3_0000, 0x2000), [0xee; 0x2000]);
    machine.configuration.start(1);
    assert_eq!(signal(&machine, 1, STORE_ADDITIONAL_STATUS, 0x3_0000), (1, 0x200), "not stopped");
}

#[test]
fn additional_status_has_guarded_storage_where_there_is_room() {
    const STORE_ADDITIONAL_STATUS: u8 = 0x17;
    let machine = Machine::equipped(Architecture::Z, 2, cpu::Facilities([u64::MAX; 4]), Listener::default());
    machine.cpu(1).state.guarded = cpu::Guarded { designation: 0x1111, sections: 0x2222, parameters: 0x3333 };
    for code in 0..16 {
        machine.put(0x3_0000, &[0xee; 0x2000]);
        let answer = signal(&machine, 1, STORE_ADDITIONAL_STATUS, 0x3_0000 | code);
        assert_eq!(answer, if [0, 10, 11, 12].contains(&code) { (0, 0) } else { (1, 0x100) }, "{code}");
        let guarded = if code > 10 && answer.0 == 0 { 0x2222 } else { 0xeeee_eeee_eeee_eeee };
        assert_eq!(machine.get64(0x3_0410), guarded, "{code}");
    }
    // The area's boundary is its length.
    assert_eq!(signal(&machine, 1, STORE_ADDITIONAL_STATUS, 0x3_0800 | 11), (0, 0));
    assert_eq!(signal(&machine, 1, STORE_ADDITIONAL_STATUS, 0x3_0800 | 12), (1, 0x100));
}

/// POP, chapter 4, "Conditions precluding interpretation of the order code": a CPU that has accepted an order and not
/// carried it out yet is busy for every other order that wants something of it.
#[test]
fn a_cpu_with_an_order_not_carried_out_yet_is_busy() {
    let machine = Machine::with(Architecture::Z, 2);
    machine.put64(z::RESTART_NEW, WIDE);
    machine.put64(z::RESTART_NEW + 8, 0x5000);
    machine.text(0x5000, "");
    let others = [
        SENSE,
        EXTERNAL_CALL,
        EMERGENCY_SIGNAL,
        START,
        STOP,
        RESTART,
        STOP_AND_STORE,
        INITIAL_RESET,
        RESET,
        SET_PREFIX,
        STORE_STATUS,
        0x13,
        0x17,
    ];
    let mut cases = 0;
    for order in [STOP, RESTART, STOP_AND_STORE, INITIAL_RESET, RESET] {
        machine.configuration.start(1);
        machine.cpu(1).state.set_psw(Psw { mask: WIDE, address: 0x5678 });
        machine.cpu(1).state.cr[7] = 7;
        {
            // The host has the CPU, so that the order must wait.
            let _held = machine.cpu(1);
            assert_eq!(signal(&machine, 1, order, 0), (0, 0), "{order:x}");
            for other in others {
                assert_eq!(signal(&machine, 1, other, 0x3_0000).0, 2, "{other:x} after {order:x}");
                cases += 1;
            }
        }
        // The host has let go of it, and it does not run yet.
        for other in others {
            assert_eq!(signal(&machine, 1, other, 0x3_0000).0, 2, "{other:x} after {order:x}");
            cases += 1;
        }
        let ending = machine.run(1);
        if order == RESTART {
            assert_eq!(ending, Ending::Done);
            continue;
        }
        assert_eq!(ending, Ending::Exit(Exit::Stopped));
        assert_eq!(signal(&machine, 1, SENSE, 0), (1, 0x40));
        // The status stored now is what the order has left.
        assert_eq!(signal(&machine, 1, STORE_STATUS, 0x3_0000), (0, 0));
        let reset = order == INITIAL_RESET;
        let (address, control) = if reset { (0, 0) } else { (0x5678, 7) };
        assert_eq!((machine.get64(0x3_0108), machine.get64(0x3_01b8)), (address, control), "{order:x}");
    }
    assert_eq!(cases, 5 * 2 * 13);
}

#[test]
fn status_is_stored() {
    let machine = Machine::with(Architecture::Z, 2);
    {
        let mut core = machine.cpu(1);
        let s = &mut core.state;
        (s.gr[3], s.ar[3], s.cr[3], s.fpr[3], s.fpc) = (33, 34, 35, 36, 0x0010_0000);
        s.set_prefix(0x10_0000).expect("it is in storage");
        s.set_psw(Psw { mask: WIDE, address: 0x5678 });
        s.set_clock_comparator(0x1234_5600);
    }
    // Reserved bytes of the areas are not touched.
    const RESERVED: [u64; 2] = [0x110, 0x138];
    for area in [0x1200, 0x3_0000, 0x600] {
        RESERVED.iter().for_each(|offset| machine.put64(area + offset, 0xeeee_eeee_eeee_eeee));
    }
    let check = |at: u64| {
        assert_eq!(RESERVED.map(|offset| machine.get64(at + offset)), [0xeeee_eeee_eeee_eeee; 2]);
        // Distances from the area's beginning.
        assert_eq!(machine.get64(at + 0x18), 36);
        assert_eq!(machine.get64(at + 0x80 + 0x18), 33);
        assert_eq!((machine.get64(at + 0x100), machine.get64(at + 0x108)), (WIDE, 0x5678));
        assert_eq!((machine.get32(at + 0x118), machine.get32(at + 0x11c)), (0x10_0000, 0x0010_0000));
        assert_eq!(machine.get64(at + 0x130), 0x12_3456);
        assert_eq!((machine.get32(at + 0x14c), machine.get64(at + 0x198)), (34, 35));
    };
    assert_eq!(signal(&machine, 1, STOP_AND_STORE, 0), (0, 0));
    check(0x1200);
    assert_eq!(machine.get(z::ARCHITECTURE_MODE, 1), [1]);
    assert_eq!(signal(&machine, 1, STORE_STATUS, 0x3_0000), (0, 0));
    check(0x3_0000);
    // An area before the usual one's place.
    assert_eq!(signal(&machine, 1, STORE_STATUS, 0x600), (0, 0));
    check(0x600);
    assert_eq!(signal(&machine, 1, STORE_STATUS, 0x80_0000), (1, 0x100), "beyond storage");
    machine.configuration.start(1);
    assert_eq!(signal(&machine, 1, STORE_STATUS, 0x3_0000), (1, 0x200), "not stopped");
}

#[test]
fn status_is_stored_in_esa_390() {
    let machine = Machine::with(Architecture::Esa, 2);
    {
        let mut core = machine.cpu(1);
        let s = &mut core.state;
        (s.gr[3], s.ar[3], s.cr[3], s.fpr[6]) = (33, 34, 35, 36);
        s.set_prefix(0x10_0000).expect("it is in storage");
        s.set_psw(Psw { mask: mask::BASIC_ADDRESSING, address: 0x5678 });
        s.set_clock_comparator(0x1234_5600);
    }
    const RESERVED: [u64; 3] = [0xe8, 0xf8, 0x110];
    RESERVED.iter().for_each(|&at| machine.put64(at, 0xeeee_eeee_eeee_eeee));
    assert_eq!(signal(&machine, 1, STOP_AND_STORE, 0), (0, 0));
    assert_eq!(machine.get64(0xe0), 0x1234_5600, "the clock comparator");
    assert_eq!((machine.get64(0x100), machine.get32(0x108)), (0x0008_0000_8000_5678, 0x10_0000), "PSW and prefix");
    assert_eq!((machine.get32(0x12c), machine.get64(0x178)), (34, 36), "access and floating-point registers");
    assert_eq!((machine.get32(0x18c), machine.get32(0x1cc)), (33, 35), "general and control registers");
    assert_eq!(RESERVED.map(|at| machine.get64(at)), [0xeeee_eeee_eeee_eeee; 3], "reserved bytes are not touched");
}

#[test]
fn a_stopped_cpus_prefix_can_be_set() {
    let machine = Machine::with(Architecture::Z, 2);
    assert_eq!(signal(&machine, 1, SET_PREFIX, 0x8010_2fff), (0, 0));
    assert_eq!(machine.cpu(1).state.prefix, 0x10_2000);
    assert_eq!(signal(&machine, 1, SET_PREFIX, 0x80_0000), (1, 0x100));
    assert_eq!(machine.cpu(1).state.prefix, 0x10_2000);
    assert_eq!(signal(&machine, 0, SET_PREFIX, 0), (1, 0x200), "oneself is not stopped");
    machine.configuration.start(1);
    assert_eq!(signal(&machine, 1, SET_PREFIX, 0), (1, 0x200));
}

#[test]
fn the_architecture_changes_both_ways() {
    let machine = Machine::with(Architecture::Esa, 2);
    // z/Architecture's new PSWs lie elsewhere.
    let wait = Psw { mask: mask::WAIT, address: 0xe00 };
    machine.put64(z::PROGRAM_NEW, wait.mask);
    machine.put64(z::PROGRAM_NEW + 8, wait.address);
    machine.put64(DATA, WIDE);
    machine.put64(DATA + 8, 0x5000);
    machine.text(0x5000, "LGHI 1,-1");
    machine.set(|s| {
        (s.gr[1], s.gr[3], s.gr[4], s.gr[6]) = (0, 1, 0, DATA);
        s.cr[5] = 0x1234_5678_8765_4321;
        s.prefix = 0;
    });
    machine.cpu(1).state.set_prefix(0x3000).expect("it is in storage");
    // LGHI is no instruction of ESA/390.
    machine.text(PROGRAM, "LGHI 1,-1");
    let narrow = mask::BASIC_ADDRESSING;
    let Ending::Program { code: 1, .. } = machine.go(narrow, PROGRAM) else { panic!("an operation exception") };
    assert_eq!(machine.gr(1), 0);
    machine.text(PROGRAM, "SIGP 2,4,18(0);LPSWE 0(6)");
    assert_eq!(machine.go(narrow, PROGRAM), Ending::Done);
    assert_eq!(machine.gr(1), u64::MAX);
    assert_eq!(machine.old(), Psw { mask: WIDE, address: 0x5006 });
    for n in 0..2 {
        assert_eq!(machine.cpu(n).state.architecture(), Architecture::Z, "CPU {n}");
    }
    assert_eq!((machine.cpu(0).state.cr[5], machine.cpu(1).state.prefix), (0x8765_4321, 0x2000));
    // It is so already; and there are no others.
    assert_eq!(signal(&machine, 0, SET_ARCHITECTURE, 1), (1, 0x100));
    assert_eq!(signal(&machine, 0, SET_ARCHITECTURE, 7), (1, 0x100));
    // All others must be stopped.
    machine.configuration.start(1);
    assert_eq!(signal(&machine, 0, SET_ARCHITECTURE, 0), (1, 0x200));
    machine.configuration.stop(1);
    // Back: not from 64-bit addressing, which ESA/390's PSW cannot say.
    assert_eq!(signal(&machine, 0, SET_ARCHITECTURE, 0), (1, 0x100));
    machine.set(|s| (s.gr[3], s.gr[4]) = (0, 0));
    machine.text(PROGRAM, "SIGP 2,4,18(0)");
    assert_eq!(machine.go(narrow, PROGRAM), Ending::Done);
    assert_eq!(machine.cpu(0).state.architecture(), Architecture::Esa);
    assert_eq!(machine.get64(0x28), 0x0008_0000_8000_0000 | PROGRAM + 6);
    assert_eq!(machine.configuration.storage().read_u16(Absolute(0x8e)), Ok(1));
    // The facility list says which is active.
    machine.text(PROGRAM, "STFL 0(0)");
    assert_eq!(machine.go(narrow, PROGRAM), Ending::Done);
    assert_eq!(machine.get32(z::FACILITIES) & 0x6000_0000, 0x4000_0000);
}

#[test]
fn a_running_cpu_carries_orders_out() {
    let machine = Machine::with(Architecture::Z, 2);
    // CPU 1 counts for ever.
    machine.text(0x5000, "AGHI 1,1;BRC 15,*-4");
    machine.cpu(1).state.set_psw(Psw { mask: WIDE, address: 0x5000 });
    machine.configuration.start(1);
    machine.put64(z::RESTART_NEW, WIDE);
    machine.put64(z::RESTART_NEW + 8, 0x5100);
    machine.text(0x5100, "AGHI 2,1;BRC 15,*-4");
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            loop {
                match machine.configuration.run(1, 1000) {
                    Exit::SliceEnd | Exit::Left => {}
                    Exit::Stopped if machine.cpu(1).state.gr[15] != 0 => break,
                    Exit::Stopped => std::thread::yield_now(),
                    exit => panic!("{exit:?}"),
                }
            }
        });
        // Ask again while the CPU is busy, as programs do.
        let signal = |order: u8, parameter: u64| {
            loop {
                let (cc, status) = signal(&machine, 1, order, parameter);
                if cc != 2 {
                    return (cc, status);
                }
            }
        };
        let stopped = || while signal(SENSE, 0) != (1, 0x40) {};
        for _ in 0..50 {
            assert_eq!(signal(STOP, 0), (0, 0));
            stopped();
            assert_eq!(signal(START, 0), (0, 0));
            assert_eq!(signal(SENSE, 0), (0, 0), "it is not lost");
        }
        assert_eq!(signal(RESTART, 0), (0, 0));
        while machine.get64(z::RESTART_OLD + 8) == 0 {
            std::thread::yield_now();
        }
        assert!((0x5000..0x5008).contains(&machine.get64(z::RESTART_OLD + 8)));
        assert_eq!(signal(STOP_AND_STORE, 0), (0, 0));
        stopped();
        assert!((0x5100..0x5108).contains(&machine.get64(0x1308)));
        assert_eq!(signal(START, 0), (0, 0));
        assert_eq!(signal(INITIAL_RESET, 0), (0, 0));
        stopped();
        assert_eq!(machine.cpu(1).state.psw(), Psw::default());
        machine.cpu(1).state.gr[15] = 1;
        other.join().expect("the other CPU's thread ends");
    });
}
