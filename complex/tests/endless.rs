//! A guest whose program, exceptions or channel program never end: its slice ends all the same, and its instructions
//! and channel programs go on side by side.

use arch::io::{Ccw, CcwFormat, Orb, SubsystemId, ccw_flag, pmcw_flag};
use arch::{Absolute, Psw, mask};
use base::{Clock, Tod};
use complex::{Configuration, ControlProgram, Exit, Host, Specification};
use cpu::Architecture;
use devices::{NotReady, Punch2540, RecordSink};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Goes on by a microsecond at each look.
struct Counting(AtomicU64);

impl Clock for Counting {
    fn now(&self) -> Tod {
        Tod(self.0.fetch_add(1 << 12, Ordering::Relaxed))
    }
}

struct Nobody;

impl Host for Nobody {
    fn runnable(&self, _cpu: u16) {}

    fn control_program(&self) -> Option<ControlProgram> {
        None
    }

    fn service_message(&self, _line: &str) {}
}

struct Stacker;

impl RecordSink for Stacker {
    fn record(&mut self, _command: u8, _data: &[u8]) -> Result<(), NotReady> {
        Ok(())
    }
}

const PROGRAM: u64 = 0x4000;

/// A z/Architecture machine with its CPU about to execute `text` in the supervisor state.
fn machine(text: &[u8]) -> Arc<Configuration> {
    let specification = Specification { storage: 1 << 20, architecture: Architecture::Z, ..Specification::default() };
    let clock = Arc::new(Counting(AtomicU64::new(1 << 60)));
    engine::provide(jit::translator);
    let machine = Configuration::new(specification, clock, Arc::new(Nobody)).expect("a megabyte can be had");
    machine.storage().write(Absolute(PROGRAM), text).expect("it is in storage");
    let modes = mask::EXTENDED_ADDRESSING | mask::BASIC_ADDRESSING;
    machine.cpu(0).state.set_psw(Psw { mask: modes, address: PROGRAM });
    machine.start(0);
    machine
}

#[test]
fn a_branch_to_itself_ends_its_slice() {
    assert_eq!(machine(&[0xA7, 0xF4, 0x00, 0x00]).run(0, 50), Exit::SliceEnd);
}

#[test]
fn program_interruptions_without_an_instruction_end_their_slice() {
    // The program new PSW leads to where there is no storage, or to no instruction. As long as it is enabled for other
    // interruptions, one may come.
    for address in [1 << 40, 0x2000] {
        let machine = machine(&[0x00, 0x00]);
        let modes = mask::EXTENDED_ADDRESSING | mask::BASIC_ADDRESSING;
        machine.storage().write_u64(Absolute(0x1D0), modes | mask::EXTERNAL).expect("it is in storage");
        machine.storage().write_u64(Absolute(0x1D8), address).expect("it is in storage");
        assert_eq!(machine.run(0, 50), Exit::SliceEnd);
        machine.storage().write_u64(Absolute(0x1D0), modes).expect("it is in storage");
        assert_eq!(machine.run(0, 50), Exit::ProgramLoop, "nothing can end it");
    }
}

#[test]
fn new_psws_that_were_cleared_are_a_loop_that_is_told() {
    // Zeros are a valid PSW in z/Architecture: there is no instruction at 0.
    let machine = machine(&[0x00, 0x00]);
    assert_eq!(machine.storage().read_u64(Absolute(0x1D0)), Ok(0));
    assert_eq!(machine.run(0, 50), Exit::ProgramLoop);
}

/// A channel program on device 00D that chains to itself has been started.
fn start_endless_program(machine: &Configuration) -> SubsystemId {
    let no_operation =
        Ccw { command: 0x03, flags: ccw_flag::CHAIN_COMMAND | ccw_flag::SUPPRESS_LENGTH, count: 1, address: 0 };
    let back = Ccw { command: 0x08, flags: 0, count: 0, address: 0x6000 };
    for (place, ccw) in [(0x6000, no_operation), (0x6008, back)] {
        machine.storage().write(Absolute(place), &ccw.encode(CcwFormat::One)).expect("it is in storage");
    }
    let id = machine.css().attach(0x00D, Box::new(Punch2540::new(Box::new(Stacker)))).expect("it is the only device");
    let mut schib = machine.css().store_subchannel(id).expect("it is attached");
    schib.pmcw.flags |= pmcw_flag::ENABLED;
    machine.css().modify_subchannel(id, &schib).expect("the SCHIB is valid");
    let orb = Orb::new(0, 0x0080_FF00, 0x6000);
    assert_eq!(machine.css().start_subchannel(id, &orb), Ok(0));
    id
}

#[test]
fn a_channel_program_that_chains_to_itself_leaves_time_for_the_cpu() {
    // AGHI 1,1 and a branch back.
    let machine = machine(&[0xA7, 0x1B, 0x00, 0x01, 0xA7, 0xF4, 0xFF, 0xFE]);
    let id = start_endless_program(&machine);
    let mut before = (0, machine.css().counts().ccws);
    for _ in 0..3 {
        assert_eq!(machine.run(0, 50), Exit::SliceEnd);
        let after = (machine.cpu(0).state.gr[1], machine.css().counts().ccws);
        assert!(after.0 > before.0 && after.1 > before.1, "from {before:?} to {after:?}");
        before = after;
    }
    // Clearing it ends it.
    machine.css().clear_subchannel(id);
    assert_eq!(machine.css().test_subchannel(id).0, 0);
}

#[test]
fn a_channel_program_goes_on_while_the_cpu_waits() {
    let machine = machine(&[]);
    let modes = mask::EXTENDED_ADDRESSING | mask::BASIC_ADDRESSING;
    machine.cpu(0).state.set_psw(Psw { mask: modes | mask::WAIT | mask::IO, address: PROGRAM });
    let id = start_endless_program(&machine);
    let mut before = machine.css().counts().ccws;
    for _ in 0..3 {
        assert_eq!(machine.run(0, 50), Exit::SliceEnd);
        let after = machine.css().counts().ccws;
        assert!(after > before, "from {before} to {after}");
        before = after;
    }
    machine.css().clear_subchannel(id);
    assert_eq!(machine.run(0, 50), Exit::Wait { until: None });
}
