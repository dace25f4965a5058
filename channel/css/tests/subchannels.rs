//! Subchannels, interruptions, channel reports, IPL, and the channel subsystem call.

mod machine;

use arch::io::{
    Crw, DeviceStatus, IoInterruption, Orb, SubsystemId, crw_flag, orb_flag, pmcw_characteristic, pmcw_flag,
    scsw_flag as scsw, subchannel_status as status,
};
use arch::{Absolute, Program};
use css::{AttachError, ChannelSubsystem, Ipl, Notice, Reset};
use machine::*;
use std::sync::{Arc, Mutex};
use storage::Storage;

fn probe() -> Box<Probe> {
    Box::new(Probe(Arc::new(Mutex::new(Panel::default()))))
}

#[test]
fn subchannels_are_dense_and_devices_come_and_go() {
    let mut css = ChannelSubsystem::new(Arc::new(Storage::new(SIZE).unwrap()));
    assert_eq!(css.attach(0x009, probe()), Ok(SubsystemId::new(0)));
    assert_eq!(css.attach(0x00c, probe()), Ok(SubsystemId::new(1)));
    assert_eq!(css.attach(0x00d, probe()), Ok(SubsystemId::new(2)));
    assert_eq!(css.attach(0x00c, probe()), Err(AttachError::NumberInUse(0x00c)));
    assert_eq!(css.store_subchannel(SubsystemId::new(3)), None, "the first number without a subchannel ends a scan");
    css.reset();
    assert_eq!(css.store_channel_report_word(), (1, Crw::default()), "a reset leaves no reports");

    assert!(css.detach(0x00c).is_some());
    assert!(css.detach(0x00c).is_none());
    let hole = css.store_subchannel(SubsystemId::new(1)).expect("the number stays provided");
    assert!(!hole.pmcw.valid());
    assert_eq!(css.find(0x00d), Some(SubsystemId::new(2)));
    assert!(css.pending().channel_report());
    assert_eq!(css.store_channel_report_word(), (0, Crw::new(3, 4, 1)));
    assert!(!css.pending().channel_report());
    assert_eq!(css.store_channel_report_word(), (1, Crw::default()));

    assert_eq!(css.attach(0x600, probe()), Ok(SubsystemId::new(3)), "the hole rests");
    assert!(css.renumber(0x600, 0x601) && !css.renumber(0x601, 0x00d) && !css.renumber(0x777, 1));
    assert_eq!(css.devices().map(|(_, number)| number).collect::<Vec<_>>(), [0x009, 0x00d, 0x601]);
    assert!(css.pending().take_channel_report() && !css.pending().take_channel_report(), "one machine check for both");
    for n in 0..100 {
        css.report(Crw::new(Crw::SUBCHANNEL, 0, n));
    }
    let words: Vec<_> = std::iter::from_fn(|| Some(css.store_channel_report_word()).filter(|w| w.0 == 0)).collect();
    assert_eq!(words.len(), 64);
    assert!(words[63].1.source & crw_flag::OVERFLOW != 0, "lost reports are told");
}

/// Linux looks at a subchannel a while after the report. Another device that is there by then is added to the one that
/// has gone.
#[test]
fn a_subchannel_rests_until_thirty_two_others_have_gone_after_it() {
    let mut css = ChannelSubsystem::new(Arc::new(Storage::new(SIZE).unwrap()));
    for n in 0..33 {
        assert_eq!(css.attach(0x600, probe()), Ok(SubsystemId::new(n)));
        assert!(css.detach(0x600).is_some());
    }
    for n in [0, 1, 2] {
        assert_eq!(css.attach(0x600, probe()), Ok(SubsystemId::new(n)), "it has rested for longest");
        assert!(css.detach(0x600).is_some());
    }
    assert_eq!(css.store_subchannel(SubsystemId::new(33)), None, "no more are wanted");
}

#[test]
fn modify_subchannel_changes_what_programs_may() {
    let mut m = Machine::new();
    let mut schib = m.css.store_subchannel(m.id).unwrap();
    assert_eq!((schib.pmcw.device(), schib.pmcw.pim, schib.pmcw.pam, schib.pmcw.chpid[0]), (0x500, 0x80, 0x80, 5));
    schib.pmcw.parameter.set(0x1234);
    schib.pmcw.flags |= pmcw_flag::MULTIPATH | 0xffff;
    schib.pmcw.pim = 0;
    schib.pmcw.mbi.set(7);
    schib.pmcw.characteristics.set(pmcw_characteristic::CONCURRENT_SENSE | pmcw_characteristic::MEASUREMENT_FORMAT);
    schib.mba.set(0x4000);
    assert_eq!(m.css.modify_subchannel(m.id, &schib), Ok(0));
    let after = m.css.store_subchannel(m.id).unwrap();
    assert_eq!((after.pmcw.device(), after.pmcw.pim), (0x500, 0x80), "these are not for programs");
    assert_eq!((after.pmcw.parameter.get(), after.pmcw.mbi.get()), (0x1234, 7));
    assert_eq!((after.mba.get(), after.pmcw.characteristics.get()), (0x4000, 5));

    schib.pmcw.flags |= pmcw_flag::LIMIT_MODE;
    assert_eq!(m.css.modify_subchannel(m.id, &schib), Err(Program::Operand));
    schib = after;
    assert_eq!(m.css.modify_subchannel(SubsystemId::new(9), &schib), Ok(3));

    m.program(0x1000, &[(WAIT, SLI, 5, 0x2000)]);
    m.start(0);
    assert_eq!(m.css.modify_subchannel(m.id, &schib), Ok(2), "busy");
    m.panel.lock().unwrap().released = true;
    m.css.signal(m.id);
    assert_eq!(m.css.modify_subchannel(m.id, &schib), Ok(1), "status pending");
    m.interrupted();
    schib.pmcw.flags &= !pmcw_flag::ENABLED;
    assert_eq!(m.css.modify_subchannel(m.id, &schib), Ok(0));
    let orb = Orb::new(0, 0x0080_ff00, 0x1000);
    assert_eq!(m.css.start_subchannel(m.id, &orb), Ok(3));
    assert_eq!(m.css.test_subchannel(m.id).0, 3);
    for cc in [m.css.halt_subchannel(m.id), m.css.clear_subchannel(m.id), m.css.resume_subchannel(m.id)] {
        assert_eq!(cc, 3, "not enabled");
    }
}

/// POP, chapter 14, *MODIFY SUBCHANNEL*: bits 0, 1, 6 and 7 of word 1, those of word 6 without a meaning, and both bits
/// of the address-limit mode.
#[test]
fn bits_that_must_be_zero_are_looked_at_one_by_one() {
    let mut m = Machine::new();
    let schib = m.css.store_subchannel(m.id).unwrap();
    for bit in (0..32).map(|n| 1u32 << n) {
        let mut changed = schib;
        changed.pmcw.flags ^= bit;
        let limits = changed.pmcw.flags & pmcw_flag::LIMIT_MODE == pmcw_flag::LIMIT_MODE;
        let expected = if bit & 0xc300_0000 != 0 || limits { Err(Program::Operand) } else { Ok(0) };
        assert_eq!(m.css.modify_subchannel(m.id, &changed), expected, "word 1: {bit:08x}");
        let mut changed = schib;
        changed.pmcw.characteristics ^= bit;
        let expected = if bit & 0xff1f_fff8 != 0 { Err(Program::Operand) } else { Ok(0) };
        assert_eq!(m.css.modify_subchannel(m.id, &changed), expected, "word 6: {bit:08x}");
        // A block of format 1 lies on a boundary of 64 bytes.
        let mut changed = schib;
        changed.mba.set(bit.into());
        assert_eq!(m.css.modify_subchannel(m.id, &changed), Ok(0));
        changed.pmcw.characteristics |= pmcw_characteristic::MEASUREMENT_FORMAT;
        let expected = if bit < 64 { Err(Program::Operand) } else { Ok(0) };
        assert_eq!(m.css.modify_subchannel(m.id, &changed), expected, "address {bit:08x}");
    }
    // SET CHANNEL MONITOR: only the key, and the two modes; a boundary of 32 bytes if blocks are to be updated.
    for bit in (0..32).map(|n| 1u32 << n) {
        let expected = if bit & 0x0fff_fffc != 0 { Err(Program::Operand) } else { Ok(()) };
        assert_eq!(m.css.set_channel_monitor(bit, 0x4000), expected, "{bit:08x}");
        assert_eq!(m.css.set_channel_monitor(0, bit.into()), Ok(()), "no origin is wanted");
        let expected = if bit < 32 { Err(Program::Operand) } else { Ok(()) };
        assert_eq!(m.css.set_channel_monitor(2, bit.into()), expected, "origin {bit:08x}");
    }
}

#[test]
fn measurement_blocks_count_starts_and_resumptions() {
    let mut m = Machine::new();
    let measured = |m: &mut Machine, mode: u32, format: u32| {
        let mut schib = m.css.store_subchannel(m.id).unwrap();
        schib.pmcw.flags = schib.pmcw.flags & !pmcw_flag::MEASUREMENT_MODE | mode;
        schib.pmcw.characteristics.set(format);
        schib.pmcw.mbi.set(3);
        schib.mba.set(0x5000);
        assert_eq!(m.css.modify_subchannel(m.id, &schib), Ok(0));
    };
    let update = |m: &Machine| m.css.schib(m.id).unwrap().pmcw.flags & pmcw_flag::BLOCK_UPDATE != 0;
    let (block, own) = (0x4000 + 3 * 32, 0x5000);
    m.put(block, &[0xff, 0xff, 0, 7]);
    m.put(own, &[0, 0, 0xff, 0xff, 0, 0, 0, 7]);
    m.program(0x1000, &[(NOP, SLI, 1, 0)]);
    // Not before SET CHANNEL MONITOR, and not for a subchannel that is not in the mode.
    measured(&mut m, pmcw_flag::BLOCK_UPDATE, 0);
    m.run(0);
    assert_eq!(m.css.set_channel_monitor(2, 0x4000), Ok(()));
    measured(&mut m, 0, 0);
    m.run(0);
    assert_eq!(m.get(block, 4), [0xff, 0xff, 0, 7]);
    // The count goes on from zero after X'FFFF'; nothing else is stored.
    measured(&mut m, pmcw_flag::BLOCK_UPDATE, 0);
    m.run(0);
    m.run(0);
    assert_eq!(m.get(block, 4), [0, 1, 0, 7]);
    assert_eq!(m.get(block + 4, 28), [0; 28]);
    // Format 1 has an address of its own, and a longer count.
    measured(&mut m, pmcw_flag::BLOCK_UPDATE, pmcw_characteristic::MEASUREMENT_FORMAT);
    m.run(0);
    assert_eq!(m.get(own, 8), [0, 1, 0, 0, 0, 0, 0, 7]);
    // RESUME SUBCHANNEL counts, too; a start that is refused does not.
    m.program(0x1000, &[(NOP, CC | SLI, 1, 0), (NOP, SLI | S, 1, 0)]);
    m.start(orb_flag::SUSPEND);
    assert_eq!(m.get(own, 4), [0, 1, 0, 1]);
    m.interrupted();
    let orb = Orb::new(0, 0x0080_ff00, 0x1000);
    assert_eq!(m.css.start_subchannel(m.id, &orb), Ok(2), "suspended");
    m.program(0x1008, &[(NOP, SLI, 1, 0)]);
    assert_eq!(m.css.resume_subchannel(m.id), 0);
    assert_eq!(m.get(own, 4), [0, 1, 0, 2]);
    m.interrupted();
    // The key is that of SET CHANNEL MONITOR; where it does not match, the subchannel leaves the mode.
    m.storage.set_key(Absolute(own), 0x30).unwrap();
    assert_eq!(m.css.set_channel_monitor(0x3000_0002, 0x4000), Ok(()));
    m.program(0x1000, &[(NOP, SLI, 1, 0)]);
    m.run(0);
    assert_eq!((m.get(own, 4), update(&m)), (vec![0, 1, 0, 3], true));
    assert_eq!(m.css.set_channel_monitor(0x4000_0002, 0x4000), Ok(()));
    m.run(0);
    assert_eq!((m.get(own, 4), update(&m)), (vec![0, 1, 0, 3], false));
    // So does one whose block is not in storage. A reset ends it all.
    assert_eq!(m.css.set_channel_monitor(2, SIZE), Ok(()));
    measured(&mut m, pmcw_flag::BLOCK_UPDATE, 0);
    m.run(0);
    assert!(!update(&m));
    assert_eq!(m.css.set_channel_monitor(2, 0x4000), Ok(()));
    m.css.reset();
    m.enable(3, false);
    measured(&mut m, pmcw_flag::BLOCK_UPDATE, 0);
    m.run(0);
    assert_eq!(m.get(block, 4), [0, 1, 0, 7]);
}

#[test]
fn start_subchannel_looks_before_it_starts() {
    let mut m = Machine::new();
    m.program(0x1000, &[(NOP, SLI, 1, 0)]);
    let orb = Orb::new(0, 0x0080_ff00, 0x1000);
    assert_eq!(m.css.start_subchannel(m.id, &Orb::new(0, 0x0080_7f00, 0x1000)), Ok(3), "no path");
    assert_eq!(m.css.start_subchannel(m.id, &Orb::new(0, 0x0080_ff20, 0x1000)), Err(Program::Operand));
    assert_eq!(m.css.start_subchannel(m.id, &Orb::new(0, 0x0080_ff00, 0x8000_1000)), Err(Program::Operand));
    assert_eq!(m.css.start_subchannel(SubsystemId::new(5), &orb), Ok(3));
    assert_eq!(m.css.start_subchannel(m.id, &orb), Ok(0));
    assert_eq!(m.css.start_subchannel(m.id, &orb), Ok(1), "status pending");
    assert_eq!(m.css.halt_subchannel(m.id), 1);
    assert_eq!(m.css.resume_subchannel(m.id), 1);
    assert_eq!(m.css.cancel_subchannel(m.id), 1);
    m.interrupted();
    assert_eq!(m.css.test_subchannel(m.id).0, 1);
}

#[test]
fn interruptions_queue_by_subclass() {
    let storage = Arc::new(Storage::new(SIZE).unwrap());
    let mut css = ChannelSubsystem::new(storage.clone());
    let notices = Arc::new(Mutex::new(Vec::new()));
    let heard = notices.clone();
    css.pending().listen(move |notice| heard.lock().unwrap().push(notice));
    let ids: Vec<_> = (0..3).map(|n| css.attach(n, probe()).unwrap()).collect();
    css.reset();
    notices.lock().unwrap().clear();
    for (&id, isc) in ids.iter().zip([3, 1, 3]) {
        let mut schib = css.store_subchannel(id).unwrap();
        schib.pmcw.flags |= pmcw_flag::ENABLED;
        schib.pmcw.set_isc(isc);
        css.modify_subchannel(id, &schib).unwrap();
    }
    storage.write(Absolute(0x1000), &[NOP, SLI, 0, 1, 0, 0, 0, 0]).unwrap();
    for n in [2, 1, 0] {
        let orb = Orb::new(0x100 + n, 0x0080_ff00, 0x1000);
        assert_eq!(css.start_subchannel(ids[n as usize], &orb), Ok(0));
    }
    assert_eq!(css.pending().iscs(), 0x50);
    assert_eq!(*notices.lock().unwrap(), [Notice::Interruptions(0x10), Notice::Interruptions(0x50)]);
    assert_eq!(css.take_interruption(0x80), None, "subclass 0 has none");
    let code = css.take_interruption(0xff).unwrap();
    assert_eq!(code, IoInterruption::new(ids[1], 0x101.into(), 1));
    assert_eq!(css.take_interruption(0x10).unwrap().subsystem_id, ids[2].encode(), "first come, first served");
    assert_eq!(css.pending().iscs(), 0x10);
    // TEST SUBCHANNEL withdraws an interruption that was not taken.
    assert_eq!(css.test_subchannel(ids[0]).0, 0);
    assert_eq!(css.pending().iscs(), 0);
    assert_eq!(css.take_interruption(0xff), None);
    assert_eq!(css.test_subchannel(ids[2]).0, 0, "status stays until tested");
    assert_eq!(css.counts().starts, 3);
}

#[test]
fn a_device_speaks_up_when_the_subchannel_is_idle() {
    let mut m = Machine::new();
    let say = |m: &Machine, s| m.panel.lock().unwrap().status.push_back(s);
    say(&m, DeviceStatus::ATTENTION);
    m.css.signal(m.id);
    let code = m.css.take_interruption(0x10).expect("an interruption");
    assert_eq!(code.parameter, 0);
    let (cc, irb) = m.css.test_subchannel(m.id);
    assert_eq!((cc, irb.scsw.device), (0, DeviceStatus::ATTENTION));
    assert_eq!(irb.scsw.control & 0xffff, scsw::ALERT | scsw::STATUS_PENDING);

    // While a command is pending and while its end has not been taken, the device waits.
    m.program(0x1000, &[(WAIT, SLI, 5, 0x2000)]);
    m.start(0);
    say(&m, DeviceStatus::ATTENTION);
    m.css.signal(m.id);
    assert_eq!(m.css.pending().iscs(), 0);
    m.panel.lock().unwrap().released = true;
    m.css.signal(m.id);
    assert_eq!(m.interrupted().scsw.device, DeviceStatus::ENDED);
    assert_eq!(m.interrupted().scsw.device, DeviceStatus::ATTENTION);

    // A disabled subchannel takes no status; the device is asked when it is enabled.
    let mut schib = m.css.store_subchannel(m.id).unwrap();
    schib.pmcw.flags &= !pmcw_flag::ENABLED;
    m.css.modify_subchannel(m.id, &schib).unwrap();
    say(&m, DeviceStatus::ATTENTION);
    m.css.signal(m.id);
    assert_eq!(m.css.pending().iscs(), 0);
    m.enable(5, false);
    assert_eq!(m.css.pending().iscs(), 0x04);
}

#[test]
fn a_doorbell_needs_no_lock() {
    let mut m = Machine::new();
    m.program(0x1000, &[(WAIT, SLI, 8, 0x2000)]);
    m.start(0);
    let panel = m.panel.clone();
    let bell = panel.lock().unwrap().bell.clone().unwrap();
    std::thread::spawn(move || {
        panel.lock().unwrap().released = true;
        bell.ring();
    })
    .join()
    .unwrap();
    assert!(m.css.pending().work());
    assert_eq!(m.css.pending().iscs(), 0);
    m.css.attend();
    assert!(!m.css.pending().work());
    assert_eq!(m.interrupted().scsw.count, 3);
    assert_eq!(m.get(0x2000, 5), b"HELLO");
}

#[test]
fn halt_and_clear() {
    let mut m = Machine::new();
    // Nothing in progress.
    assert_eq!(m.css.halt_subchannel(m.id), 0);
    assert_eq!(m.css.halt_subchannel(m.id), 1);
    assert_eq!(m.interrupted().scsw.control, scsw::HALT_FUNCTION | scsw::STATUS_PENDING);
    assert!(!m.panel.lock().unwrap().halted);
    // A command that waits.
    m.program(0x1000, &[(WAIT, CC, 5, 0x2000), (NOP, SLI, 1, 0)]);
    m.start(0);
    assert_eq!(m.css.cancel_subchannel(m.id), 2, "the device has it");
    assert_eq!(m.css.halt_subchannel(m.id), 0);
    let irb = m.interrupted();
    assert!(m.panel.lock().unwrap().halted);
    assert_eq!((irb.scsw.ccw.get(), irb.scsw.count.get(), irb.scsw.device), (0x1008, 5, DeviceStatus::ENDED));
    assert!(irb.scsw.has(scsw::PRIMARY) && irb.scsw.has(scsw::SECONDARY) && irb.scsw.has(scsw::HALT_FUNCTION));
    // Clear abandons everything, pending status too.
    m.start(0);
    assert_eq!(m.css.clear_subchannel(m.id), 0);
    assert_eq!(m.panel.lock().unwrap().resets.last(), Some(&Reset::Clear));
    assert_eq!(m.css.clear_subchannel(m.id), 0);
    assert_eq!(m.interrupted().scsw.control, scsw::CLEAR_FUNCTION | scsw::STATUS_PENDING);
    m.panel.lock().unwrap().released = true;
    m.css.signal(m.id);
    assert_eq!(m.css.take_interruption(0xff), None, "the command is forgotten");
}

#[test]
fn reset_is_as_power_on() {
    let mut m = Machine::new();
    m.program(0x1000, &[(WAIT, SLI, 5, 0x2000)]);
    m.start(0);
    m.css.reset();
    let schib = m.css.store_subchannel(m.id).unwrap();
    assert_eq!((schib.pmcw.device(), schib.pmcw.enabled(), schib.scsw.control.get()), (0x500, false, 0));
    assert_eq!((m.css.pending().iscs(), m.css.test_subchannel(m.id).0), (0, 3));
    assert_eq!(m.panel.lock().unwrap().resets, [Reset::System]);
    assert_eq!(m.css.reset_channel_path(5), 0);
    assert_eq!(m.css.reset_channel_path(9), 3);
}

#[test]
fn ipl_reads_24_bytes_and_goes_on_at_8() {
    let mut m = Machine::new();
    m.css.reset();
    // As vmlinuz does it: the second record overlays the CCW that follows.
    let mut first = [0; 80];
    first[..8].copy_from_slice(&[0, 8, 0, 0, 0x80, 0, 2, 0]);
    first[8..16].copy_from_slice(&[READ, 0, 0, 0x18, 0x60, 0, 0, 80]);
    first[16..24].copy_from_slice(&[READ, 0, 1, 0, 0x60, 0, 0, 80]);
    let mut second = [0; 80];
    second[..8].copy_from_slice(&[READ, 0, 1, 0x50, 0x20, 0, 0, 80]);
    for card in [first, second, [3; 80], [4; 80]] {
        m.record(&card);
    }
    assert_eq!(m.css.start_ipl(m.id), Ipl::Loaded);
    assert_eq!(m.get(0, 8), [0, 8, 0, 0, 0x80, 0, 2, 0]);
    assert_eq!((m.get(0x100, 1), m.get(0x150, 1)), (vec![3], vec![4]));
    assert_eq!(m.css.take_interruption(0xff), None);
    assert_eq!(m.css.test_ipl(m.id), Ipl::NotOperational, "it is told once");
    let schib = m.css.store_subchannel(m.id).unwrap();
    assert!(schib.pmcw.enabled());
    assert_eq!(schib.scsw.control & 0x0fff, 0, "the loader waits for these bits to be zero");

    // An empty reader, a device that waits, an endless program, no device.
    m.css.reset();
    let Ipl::Failed(irb) = m.css.start_ipl(m.id) else { panic!("nothing to read") };
    assert!(irb.scsw.device.has(DeviceStatus::UNIT_EXCEPTION));
    m.css.reset();
    m.record(&first);
    m.put(8, &[0; 16]);
    first[8..16].copy_from_slice(&[WAIT, 0, 0x20, 0, 0x20, 0, 0, 5]);
    m.panel.lock().unwrap().records = [first.to_vec()].into();
    assert_eq!(m.css.start_ipl(m.id), Ipl::Running);
    m.panel.lock().unwrap().released = true;
    m.css.signal(m.id);
    assert_eq!(m.css.test_ipl(m.id), Ipl::Loaded);
    m.css.reset();
    first[8..16].copy_from_slice(&[NOP, 0, 0, 0, 0x60, 0, 0, 1]);
    first[16..24].copy_from_slice(&[TIC, 0, 0, 8, 0, 0, 0, 0]);
    m.record(&first);
    assert_eq!(m.css.start_ipl(m.id), Ipl::Running);
    m.css.attend();
    assert_eq!(m.css.test_ipl(m.id), Ipl::Running);
    m.css.reset();
    m.css.attend();
    assert!(!m.css.pending().work());
    assert_eq!(m.css.start_ipl(SubsystemId::new(7)), Ipl::NotOperational);
}

#[test]
fn a_synchronous_program_leaves_no_trace() {
    let mut m = Machine::new();
    m.record(b"ABCD");
    m.program(0x1000, &[(READ, 0, 4, 0x2000)]);
    let orb = Orb::new(5, 0x0080_ff00, 0x1000);
    let before = m.css.store_subchannel(m.id);
    let (irb, _) = m.css.perform(m.id, &orb).unwrap();
    assert_eq!((irb.scsw.device, irb.scsw.subchannel, irb.scsw.count.get()), (DeviceStatus::ENDED, 0, 0));
    assert_eq!(m.css.take_interruption(0xff), None);
    let after = m.css.store_subchannel(m.id);
    assert_eq!(
        (before.unwrap().pmcw.parameter, before.unwrap().scsw),
        (after.unwrap().pmcw.parameter, after.unwrap().scsw)
    );
    m.program(0x1000, &[(WAIT, 0, 4, 0x2000)]);
    assert_eq!(m.css.perform(m.id, &orb).err(), Some(2), "it cannot wait");
    m.program(0x1000, &[(0x10, 0, 4, 0x2000)]);
    assert_eq!(m.css.perform(m.id, &orb).unwrap().0.scsw.subchannel, status::PROGRAM_CHECK);
    m.start(0);
    assert_eq!(m.css.perform(m.id, &orb), Err(1));
}

#[test]
fn channel_subsystem_calls_are_answered() {
    let mut m = Machine::new();
    let mut call = |request: &[u8]| {
        let mut block = [0xee; arch::io::chsc::BLOCK];
        block[..request.len()].copy_from_slice(request);
        m.css.channel_subsystem_call(&mut block).map(|cc| {
            assert_eq!(cc, 0);
            let at = request.len();
            let len = usize::from(u16::from_be_bytes([block[at], block[at + 1]]));
            (u16::from_be_bytes([block[at + 2], block[at + 3]]), block[at + 8..at + len].to_vec())
        })
    };
    // General characteristics: bit 41, adapter interruptions, and bit 67, those of network adapters. Then those of the
    // call, from byte 2040 on: bit 8, 0024, and bit 107, 0021.
    let (code, data) = call(&[0, 0x10, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]).unwrap();
    assert_eq!((code, data.len()), (1, 4096 - 24));
    let there: Vec<(usize, u8)> = data.iter().copied().enumerate().filter(|(_, byte)| *byte != 0).collect();
    assert_eq!(there, [(5, 0x40), (8, 0x10), (2041, 0x80), (2053, 0x10)]);
    // Subchannels 0 and 1.
    let (code, data) = call(&[0, 0x10, 0, 4, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]).unwrap();
    assert_eq!((code, data.len()), (1, 64));
    assert_eq!(data[..9], [0xc0, 0, 5, 0, 0x80, 0, 0, 0, 5]);
    assert_eq!(data[32], 0);
    // Channel path 5.
    let (code, data) = call(&[0, 0x10, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0xff, 0, 0, 0, 0]).unwrap();
    assert_eq!((code, data.len(), data), (1, 8, vec![0x80, 0, 1, 5, 0, 0, 0, 0]));
    assert_eq!(call(&[0, 0x10, 0, 2, 0x11, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 0]).unwrap().0, 3, "another format");
    // Enabling multiple subchannel sets; an unknown command; a broken block.
    assert_eq!(call(&[&[4, 0, 0, 0x31][..], &[0; 1020]].concat()).unwrap(), (0x0101, vec![]));
    assert_eq!(call(&[0, 0x10, 0x7f, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]).unwrap(), (4, vec![]));
    assert_eq!(call(&[0, 7, 0, 0x10]), Err(Program::Operand));
}

#[test]
fn a_checkpoint_that_cannot_be_is_refused() {
    let storage = || Arc::new(Storage::new(SIZE).unwrap());
    let mut css = ChannelSubsystem::new(storage());
    css.attach(0x600, probe()).unwrap();
    assert_eq!(css.checkpoint().unwrap_err().to_string(), "device 0600: what it holds cannot be saved");
    css.detach(0x600).unwrap();
    let good = serde_json::to_value(css.checkpoint().unwrap()).unwrap();
    let resume = |value: &serde_json::Value, devices: &[u16]| {
        let mut css = ChannelSubsystem::new(storage());
        devices.iter().for_each(|&number| _ = css.attach(number, probe()).unwrap());
        css.resume(&serde_json::from_value(value.clone()).unwrap()).map_err(|error| error.to_string())
    };
    assert_eq!(resume(&good, &[]), Ok(()));
    assert_eq!(resume(&good, &[0x600]), Err("device 0600 is not in the checkpoint".into()));
    for field in ["free", "queues"] {
        let mut wrong = good.clone();
        match field {
            "free" => wrong[field] = serde_json::json!([1]),
            _ => wrong[field][3] = serde_json::json!([1]),
        }
        assert_eq!(resume(&wrong, &[]), Err("the checkpoint has no subchannel 1, of which it speaks".into()));
    }
    let mut missing = good.clone();
    missing["subchannels"][0]["device"] = serde_json::json!([0x700, null]);
    assert_eq!(resume(&missing, &[]), Err("the checkpoint has a device 0700, and there is none here".into()));
}
