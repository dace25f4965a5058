//! A debugger's hold on the virtual CPUs: stops, watched storage, steps; and that the guest sees nothing of it.

mod machine;

use complex::Exit;
use complex::debug::{Action, Event};
use cpu::{Area, Stops, Touched};
use engine::Stop;
use machine::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

/// Stores register 3, which counts to 5,000, and fetches it again. It is hot soon.
const LOOP: &str = "LHI 3,0;LA 2,1;AR 3,2;ST 3,0(0,6);L 4,0(0,6);MVC 16(4,6),0(6);CHI 3,5000;BRC 4,*-20";
/// The instructions of the loop, in bytes from its begin.
const ADD: u64 = PROGRAM + 8;
const STORE: u64 = ADD + 2;
const LOAD: u64 = STORE + 4;
const MOVE: u64 = LOAD + 4;
const COMPARE: u64 = MOVE + 6;
/// All of them that are executed in a round.
const ROUND: [u64; 6] = [ADD, STORE, LOAD, MOVE, COMPARE, COMPARE + 4];

struct Debugged {
    machine: Machine,
    told: Arc<AtomicU32>,
}

/// The loop, with CPU 0 frozen before its first instruction.
fn debugged() -> Debugged {
    let machine = Machine::new();
    machine.set(|s| s.gr[6] = DATA);
    machine.text(PROGRAM, LOOP);
    machine.begin(0, WIDE, PROGRAM);
    let told = Arc::new(AtomicU32::new(0));
    let count = told.clone();
    machine.configuration.debug(move || {
        count.fetch_add(1, SeqCst);
    });
    Debugged { machine, told }
}

impl Debugged {
    fn stops(&self, instructions: &[u64], areas: &[Area]) {
        self.machine.configuration.set_stops(Some(Arc::new(Stops::new(instructions.to_vec(), areas.to_vec()))));
    }

    /// Lets CPU 0 go; the event that it comes to and where it is then.
    fn go(&self, action: Action) -> (Option<Event>, u64) {
        let configuration = &self.machine.configuration;
        configuration.go(vec![action]);
        for _ in 0..10_000 {
            if let Exit::Wait { until: None } = configuration.run(0, 1000) {
                break;
            }
        }
        let event = configuration.take_event().map(|(cpu, event)| {
            assert_eq!(cpu, 0);
            event
        });
        (event, self.machine.cpu(0).state.ia)
    }

    fn count(&self) -> u64 {
        self.machine.gr(3)
    }
}

fn step() -> Action {
    Action::Step(0..0)
}

const STOP: Option<Event> = Some(Event::Stop(Stop::Instruction));

fn area(first: u64, length: u64, fetches: bool, stores: bool) -> Area {
    Area { first, last: first + length - 1, fetches, stores }
}

#[test]
fn a_frozen_cpu_executes_nothing() {
    let d = debugged();
    for _ in 0..3 {
        assert_eq!(d.machine.configuration.run(0, 1000), Exit::Wait { until: None });
    }
    let executed = d.machine.cpu(0).state.instructions;
    assert_eq!((d.machine.cpu(0).state.ia, executed), (PROGRAM, 0));
    assert_eq!(d.go(Action::Hold), (None, PROGRAM));
    d.machine.configuration.end_debugging();
    assert_eq!(d.machine.run(0), Ending::Done);
    assert_eq!(d.told.load(SeqCst), 0);
}

#[test]
fn a_cpu_stops_before_an_instruction_each_time() {
    let d = debugged();
    d.stops(&[LOAD], &[]);
    for round in 1..=3000 {
        assert_eq!(d.go(Action::Run), (STOP, LOAD));
        assert_eq!((d.count(), d.machine.get32(DATA)), (round, round as u32));
        assert_eq!(d.go(step()), (Some(Event::Stepped), MOVE), "a step goes over the stop where it begins");
    }
    // Two stops in one block, then none in the middle of what has been decoded and translated.
    d.stops(&[ADD, MOVE], &[]);
    for at in [ADD, MOVE] {
        assert_eq!(d.go(step()).0, Some(Event::Stepped));
        assert_eq!(d.go(Action::Run), (STOP, at));
    }
    d.machine.configuration.set_stops(None);
    let (event, _) = d.go(Action::Run);
    assert!(matches!(event, Some(Event::DisabledWait(_))), "{event:?}");
    assert_eq!((d.count(), d.told.load(SeqCst)), (5000, 6005));
    // The next time CP hears of the end.
    d.machine.configuration.go(Vec::new());
    assert_eq!(d.machine.run(0), Ending::Done);
}

#[test]
fn a_step_is_one_instruction_or_a_range() {
    let d = debugged();
    let mut at = vec![PROGRAM + 4];
    at.extend(ROUND.iter().chain(&ROUND));
    for at in at {
        assert_eq!(d.go(step()), (Some(Event::Stepped), at));
    }
    assert_eq!(d.machine.cpu(0).state.instructions, 13);
    let rounds = ADD..COMPARE + 8;
    d.stops(&[COMPARE], &[]);
    assert_eq!(d.go(Action::Step(rounds.clone())), (STOP, COMPARE), "a stop in the range");
    d.machine.configuration.set_stops(None);
    assert_eq!(d.go(Action::Step(rounds)), (Some(Event::Stepped), COMPARE + 8));
    assert_eq!(d.count(), 5000);
}

#[test]
fn a_cpu_stops_after_an_access() {
    let d = debugged();
    let touched =
        |area: Area, address: u64, store: bool| Some(Event::Stop(Stop::Access(Touched { area, address, store })));
    let (word, copy) = (area(DATA, 4, false, true), area(DATA + 18, 1, false, true));
    d.stops(&[], &[word, copy]);
    for round in 1..=50 {
        assert_eq!(d.go(Action::Run), (touched(word, DATA, true), LOAD));
        assert_eq!(d.machine.get32(DATA), round);
        assert_eq!(d.go(Action::Run), (touched(copy, DATA + 18, true), COMPARE));
    }
    // Of the four bytes that MVC fetches, the last.
    let last = area(DATA + 3, 1, true, false);
    d.stops(&[], &[last]);
    for _ in 0..50 {
        assert_eq!(d.go(Action::Run), (touched(last, DATA + 3, false), MOVE));
        assert_eq!(d.go(Action::Run), (touched(last, DATA + 3, false), COMPARE));
    }
    // Beside what the program touches.
    d.stops(&[], &[area(DATA + 4, 12, true, true), area(DATA - 1, 1, true, true)]);
    assert!(matches!(d.go(Action::Run).0, Some(Event::DisabledWait(_))));
    assert_eq!(d.count(), 5000);
}

/// An external interruption that is pending does not come before the instruction of a step. A CPU that waits takes it.
#[test]
fn a_step_takes_no_interruption_unless_the_cpu_waits() {
    let d = debugged();
    let due = |on: bool| {
        let mut core = d.machine.cpu(0);
        core.state.cr[0] |= cpu::cr0::CLOCK_COMPARATOR;
        core.state.clock_comparator = if on { 0 } else { u64::MAX };
        core.state.control_changed();
        let mask = core.state.psw_mask();
        core.state.set_psw_mask(mask | arch::mask::EXTERNAL);
    };
    due(true);
    assert_eq!(d.go(step()), (Some(Event::Stepped), PROGRAM + 4));
    assert_eq!(d.go(step()), (Some(Event::Stepped), ADD));
    {
        let mut core = d.machine.cpu(0);
        let mask = core.state.psw_mask();
        core.state.set_psw_mask(mask | arch::mask::WAIT);
    }
    let handler = d.machine.get64(arch::lowcore::z::EXTERNAL_NEW + 8);
    assert_eq!(d.go(step()), (Some(Event::Stepped), handler));
}

/// The first of two CPUs that stops freezes the other, which has executed less than it was given time for.
#[test]
fn all_cpus_freeze_together() {
    let machine = Machine::with(cpu::Architecture::Z, 2);
    machine.text(PROGRAM, LOOP);
    for n in 0..2 {
        machine.cpu(n).state.gr[6] = DATA + u64::from(n) * 0x100;
        machine.begin(n, WIDE, PROGRAM);
    }
    let configuration = &machine.configuration;
    configuration.debug(|| {});
    configuration.set_stops(Some(Arc::new(Stops::new(vec![LOAD], Vec::new()))));
    configuration.go(Vec::new());
    configuration.run(0, 1000);
    assert_eq!(configuration.run(1, 1000), Exit::Wait { until: None });
    assert_eq!(configuration.take_event(), Some((0, Event::Stop(Stop::Instruction))));
    assert_eq!(machine.cpu(1).state.instructions, 0);
    // CPU 1 goes alone.
    configuration.go(vec![Action::Hold, Action::Run]);
    assert_eq!(configuration.run(0, 1000), Exit::Wait { until: None });
    // It was told to leave the engine when CPU 0 stopped.
    while let Exit::Left | Exit::SliceEnd = configuration.run(1, 1000) {}
    assert_eq!(configuration.take_event(), Some((1, Event::Stop(Stop::Instruction))));
    let first = machine.cpu(0).state.ia;
    assert_eq!((first, machine.cpu(1).state.ia), (LOAD, LOAD));
}
