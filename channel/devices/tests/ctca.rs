//! Channel-to-channel adapters: two virtual machines, each with one side.

mod machine;

use arch::io::{DeviceStatus, Irb};
use devices::CtcaPlug;
use machine::{CC_SLI, ENDED, Machine, SLI};
use std::sync::Arc;
use support::Random;

const WRITE: u8 = 0x01;
const READ: u8 = 0x02;
const NO_OPERATION: u8 = 0x03;
const CONTROL: u8 = 0x07;
const SENSE_COMMAND_BYTE: u8 = 0x14;
const WRITE_END_OF_FILE: u8 = 0x81;
const SET_BASIC: u8 = 0x43;
const SET_EXTENDED: u8 = 0xc3;
const PREPARE: u8 = 0xe3;

/// Two sides, coupled.
struct Two {
    one: Machine,
    two: Machine,
    plugs: [Arc<CtcaPlug>; 2],
}

fn two() -> Two {
    let plugs = [CtcaPlug::new(), CtcaPlug::new()];
    let [one, two] = plugs.each_ref().map(|plug| Machine::new(plug.device()));
    assert!(CtcaPlug::couple(&plugs[0], &plugs[1]));
    Two { one, two, plugs }
}

impl Two {
    /// Both look at what has rung, until nothing does.
    fn settle(&mut self) {
        for _ in 0..8 {
            self.one.stand.css.attend();
            self.two.stand.css.attend();
        }
    }
}

/// The status that is pending, if there is some.
fn status(machine: &mut Machine) -> Option<Irb> {
    let (cc, irb) = machine.stand.css.test_subchannel(machine.id);
    (cc == 0).then_some(irb)
}

/// The status of the program that has ended: residual count and device status.
fn ended(machine: &mut Machine) -> (u16, DeviceStatus) {
    let scsw = status(machine).expect("it has ended").scsw;
    (scsw.count.get(), scsw.device)
}

/// One command; then its sense byte.
fn sense_after(machine: &mut Machine, command: u8) -> u8 {
    machine.sense_after(command)
}

#[test]
fn what_is_coupled_to_nothing_is_not_ready() {
    let plug = CtcaPlug::new();
    let mut machine = Machine::new(plug.device());
    for command in [WRITE, READ, NO_OPERATION, CONTROL, SENSE_COMMAND_BYTE, SET_EXTENDED] {
        assert_eq!(sense_after(&mut machine, command), 0x40, "{command:02X}");
    }
    let id = machine.run(&[(0xe4, SLI, 7, 0x3000)]);
    assert_eq!((id.2, &machine.stand.get(0x3000, 4)[..]), (ENDED, &[0xff, 0x30, 0x88, 0x08][..]));
    assert!(!CtcaPlug::couple(&plug, &plug));
}

#[test]
fn a_block_goes_from_a_write_to_a_read_whichever_is_first() {
    for write_first in [true, false] {
        let mut m = two();
        m.one.stand.put(0x4000, b"a block of 22 bytes...");
        let write = |m: &mut Two| m.one.start(&[(WRITE, SLI, 22, 0x4000)]);
        let read = |m: &mut Two| m.two.start(&[(READ, SLI, 30, 0x5000)]);
        if write_first {
            write(&mut m);
            m.settle();
            assert!(status(&mut m.one).is_none());
            let attention = status(&mut m.two).expect("it is told");
            assert_eq!(attention.scsw.device, DeviceStatus::ATTENTION);
            assert_eq!(m.two.run(&[(SENSE_COMMAND_BYTE, 0, 1, 0x3000)]).2, ENDED);
            assert_eq!(m.two.stand.get(0x3000, 1), [WRITE]);
            read(&mut m);
        } else {
            read(&mut m);
            m.settle();
            assert_eq!(ended(&mut m.one).1, DeviceStatus::ATTENTION);
            write(&mut m);
        }
        m.settle();
        assert_eq!((ended(&mut m.one), ended(&mut m.two)), ((0, ENDED), (8, ENDED)), "{write_first}");
        assert_eq!(m.two.stand.get(0x5000, 22), b"a block of 22 bytes...");
    }
}

/// The shorter count is what moves; each side sees how much is left of its own.
#[test]
fn counts_that_differ_are_seen_by_both() {
    let mut m = two();
    m.two.start(&[(READ, 0, 10, 0x5000)]);
    m.settle();
    ended(&mut m.one);
    m.one.start(&[(WRITE, 0, 25, 0x4000)]);
    m.settle();
    let (writer, reader) = (status(&mut m.one).unwrap().scsw, status(&mut m.two).unwrap().scsw);
    assert_eq!((writer.count.get(), writer.subchannel), (15, 0x40), "incorrect length");
    assert_eq!((reader.count.get(), reader.subchannel), (0, 0));
}

#[test]
fn control_ends_when_it_is_looked_at() {
    let mut m = two();
    m.one.start(&[(CONTROL, CC_SLI, 1, 0x4000), (NO_OPERATION, SLI, 1, 0x4000)]);
    m.settle();
    assert!(status(&mut m.one).is_none(), "channel end lets the chain wait");
    assert_eq!(ended(&mut m.two).1, DeviceStatus::ATTENTION);
    // What does not go with it is refused.
    for command in [WRITE, READ, CONTROL, NO_OPERATION] {
        let (.., device, _) = m.two.run(&[(command, SLI, 1, 0x3000)]);
        assert_eq!(device, DeviceStatus::BUSY | DeviceStatus::ATTENTION, "{command:02X}");
    }
    assert_eq!(m.two.run(&[(SENSE_COMMAND_BYTE, 0, 1, 0x3000)]).2, ENDED);
    assert_eq!(m.two.stand.get(0x3000, 1), [CONTROL]);
    m.settle();
    assert_eq!(ended(&mut m.one).1, ENDED);
    assert_eq!(m.two.run(&[(SENSE_COMMAND_BYTE, 0, 1, 0x3000)]).2, ENDED);
    assert_eq!(m.two.stand.get(0x3000, 1), [0]);
}

/// Without a chain, channel end comes at once and device end later.
#[test]
fn control_alone_has_two_statuses() {
    let mut m = two();
    m.one.start(&[(CONTROL, SLI, 1, 0x4000)]);
    assert_eq!(ended(&mut m.one).1, DeviceStatus::CHANNEL_END);
    m.settle();
    ended(&mut m.two);
    m.two.run(&[(SENSE_COMMAND_BYTE, 0, 1, 0x3000)]);
    m.settle();
    assert_eq!(ended(&mut m.one).1, DeviceStatus::DEVICE_END);
}

/// The channel programs of Linux's driver, on both sides.
#[test]
fn extended_mode_as_linux_uses_it() {
    let mut m = two();
    for machine in [&mut m.one, &mut m.two] {
        assert_eq!(machine.run(&[(SET_EXTENDED, CC_SLI, 0, 0), (NO_OPERATION, SLI, 0, 0)]).2, ENDED);
    }
    m.two.start(&[(PREPARE, CC_SLI, 0, 0), (READ, SLI, 100, 0x5000)]);
    m.settle();
    assert!(status(&mut m.one).is_none() && status(&mut m.two).is_none(), "PREPARE tells nothing");
    m.one.stand.put(0x4000, b"packet");
    m.one.start(&[(PREPARE, CC_SLI, 0, 0), (WRITE, CC_SLI, 6, 0x4000), (NO_OPERATION, SLI, 0, 0)]);
    m.settle();
    assert_eq!((ended(&mut m.one), ended(&mut m.two)), ((0, ENDED), (94, ENDED)));
    assert_eq!(m.two.stand.get(0x5000, 6), b"packet");
    // The end of a file, and back to basic mode.
    m.two.start(&[(READ, SLI, 100, 0x5000)]);
    m.settle();
    ended(&mut m.one);
    assert_eq!(m.one.run(&[(WRITE_END_OF_FILE, SLI, 1, 0x4000)]).2, ENDED);
    m.settle();
    assert_eq!(ended(&mut m.two), (100, ENDED | DeviceStatus::UNIT_EXCEPTION));
    assert_eq!(m.one.run(&[(SET_BASIC, SLI, 1, 0x4000)]).2, ENDED);
    assert_eq!(m.one.run(&[(PREPARE, SLI, 1, 0x4000)]).2, ENDED, "it is NO OPERATION now");
}

#[test]
fn uncoupling_and_resets_end_what_waits() {
    let mut m = two();
    m.one.start(&[(READ, SLI, 10, 0x5000)]);
    m.settle();
    ended(&mut m.two);
    m.plugs[1].uncouple();
    m.settle();
    assert!(ended(&mut m.one).1.has(DeviceStatus::UNIT_CHECK));
    // What waited ends as by a reset; what begins is told that nothing is there.
    m.one.run(&[(0x04, SLI, 1, 0x3000)]);
    assert_eq!(m.one.stand.get(0x3000, 1), [0x41]);
    assert_eq!(sense_after(&mut m.one, READ), 0x40);
    assert_eq!(sense_after(&mut m.two, WRITE), 0x40);
    assert!(m.plugs[0].peer().is_none());

    assert!(CtcaPlug::couple(&m.plugs[0], &m.plugs[1]));
    assert_eq!(m.one.run(&[(NO_OPERATION, SLI, 1, 0x4000)]).2, ENDED);
    m.two.stand.css.reset();
    // The reset is told once.
    assert_eq!(sense_after(&mut m.one, WRITE), 0x41);
    assert_eq!(m.one.run(&[(NO_OPERATION, SLI, 1, 0x4000)]).2, ENDED);
    // One whose command waits is told then.
    m.one.start(&[(CONTROL, CC_SLI, 1, 0x4000), (NO_OPERATION, SLI, 1, 0x4000)]);
    m.two.stand.css.reset();
    m.settle();
    assert!(ended(&mut m.one).1.has(DeviceStatus::UNIT_CHECK));
    m.one.run(&[(0x04, SLI, 1, 0x3000)]);
    assert_eq!(m.one.stand.get(0x3000, 1), [0x41]);
}

#[test]
fn halted_and_cleared_commands_are_withdrawn() {
    let mut m = two();
    for clear in [false, true] {
        m.one.start(&[(WRITE, SLI, 10, 0x4000)]);
        let cc = match clear {
            true => m.one.stand.css.clear_subchannel(m.one.id),
            false => m.one.stand.css.halt_subchannel(m.one.id),
        };
        assert_eq!(cc, 0);
        m.settle();
        status(&mut m.one).expect("it has ended");
        assert_eq!(status(&mut m.two).map(|irb| irb.scsw.device), None, "there is nothing to look at any more");
        assert_eq!(sense_after(&mut m.two, READ), 0x41);
    }
}

/// Random programs on both sides, with halts, clears, resets, and cables pulled: nothing hangs, and what both sides
/// have waits for each other.
#[test]
fn random_programs() {
    let rounds = std::env::var("FUZZ_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(20_000);
    let mut random = Random::seeded(3088);
    let mut m = two();
    let (mut moved, commands) =
        (0, [0x01, 0x02, 0x03, 0x07, 0x0c, 0x14, 0x17, 0x43, 0x81, 0xc3, 0xe3, 0xe4, 0x04, 0xff]);
    for _ in 0..rounds {
        let machine = if random.one_in(2) { &mut m.one } else { &mut m.two };
        match random.below(16) {
            0 => _ = machine.stand.css.halt_subchannel(machine.id),
            1 => _ = machine.stand.css.clear_subchannel(machine.id),
            2 if random.one_in(8) => {
                machine.stand.css.reset();
                let mut schib = machine.stand.css.store_subchannel(machine.id).unwrap();
                schib.pmcw.flags |= arch::io::pmcw_flag::ENABLED;
                machine.stand.css.modify_subchannel(machine.id, &schib).unwrap();
            }
            3 if random.one_in(8) => m.plugs[0].uncouple(),
            4 => _ = CtcaPlug::couple(&m.plugs[0], &m.plugs[1]),
            5..9 => {
                let irb = status(machine);
                moved += usize::from(irb.is_some_and(|irb| irb.scsw.device == ENDED));
            }
            _ => {
                let idle = machine.stand.css.schib(machine.id).is_some_and(|schib| schib.scsw.control.get() == 0);
                if idle {
                    let count = 1 + random.below(4);
                    let programs: Vec<_> = (0..count)
                        .map(|n| {
                            let command = commands[random.below(commands.len())];
                            let flags = [SLI, CC_SLI, 0x00, 0x40, 0xa0][random.below(5)];
                            let flags = if n + 1 == count { flags & 0x20 } else { flags };
                            (command, flags, random.below(300) as u16 + 1, 0x4000 + random.below(0x8000u32))
                        })
                        .collect();
                    machine.start(&programs);
                }
            }
        }
        if random.one_in(2) {
            m.settle();
        }
    }
    assert!(moved > rounds / 100, "{moved}");
}
