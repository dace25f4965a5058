//! Channel programs, one after the other as POP chapter 15 tells of them.

mod machine;

use arch::Absolute;
use arch::io::{CcwFormat, DeviceStatus, Irb, Orb, orb_flag, scsw_flag as scsw, subchannel_status as status};
use machine::*;

const ENDED: DeviceStatus = DeviceStatus::ENDED;
const FULL_END: u32 = scsw::PRIMARY | scsw::SECONDARY | scsw::STATUS_PENDING;

/// CCW address, residual count, device and subchannel status.
fn end(irb: Irb) -> (u32, u16, DeviceStatus, u8) {
    (irb.scsw.ccw.get(), irb.scsw.count.get(), irb.scsw.device, irb.scsw.subchannel)
}

#[test]
fn a_read_stores_and_ends() {
    let mut m = Machine::new();
    m.record(b"ENDICOTT");
    m.program(0x1000, &[(READ, 0, 8, 0x2000)]);
    let irb = m.run(0);
    assert_eq!(end(irb), (0x1008, 0, ENDED, 0));
    assert_eq!(irb.scsw.control, scsw::FORMAT_1 | scsw::START_FUNCTION | FULL_END);
    assert_eq!(irb.esw.logout, 0x0080_0000, "last path used");
    assert_eq!(m.get(0x2000, 9), b"ENDICOTT\0");
    let after = m.css.store_subchannel(m.id).unwrap();
    assert_eq!(after.scsw.control & (scsw::FUNCTION | scsw::ACTIVITY | scsw::STATUS), 0, "the subchannel is idle");
    assert_eq!((after.pmcw.parameter.get(), after.pmcw.lpum), (0xcafe, 0x80));
}

#[test]
fn format_0_has_24_bit_addresses() {
    let mut m = Machine::new();
    m.put(0x2000, b"PRINT THIS");
    m.ccws(CcwFormat::Zero, 0x1000, &[(WRITE, CC, 5, 0x2000), (WRITE, 0, 5, 0x2005)]);
    let orb = Orb::new(0, 0xff00, 0x1000);
    assert_eq!(m.css.start_subchannel(m.id, &orb), Ok(0));
    assert_eq!(end(m.interrupted()), (0x1010, 0, ENDED, 0));
    assert_eq!(m.panel.lock().unwrap().log, [(WRITE, b"PRINT".to_vec()), (WRITE, b" THIS".to_vec())]);
}

#[test]
fn wrong_length_is_shown_unless_suppressed() {
    let mut m = Machine::new();
    // Short record, long record; without and with SLI.
    for (count, flags, expected) in [
        (10, 0, (0x1008, 2, ENDED, status::INCORRECT_LENGTH)),
        (10, SLI, (0x1008, 2, ENDED, 0)),
        (6, 0, (0x1008, 0, ENDED, status::INCORRECT_LENGTH)),
        (6, SLI, (0x1008, 0, ENDED, 0)),
        (8, 0, (0x1008, 0, ENDED, 0)),
    ] {
        m.record(b"ENDICOTT");
        m.program(0x1000, &[(READ, flags, count, 0x2000)]);
        assert_eq!(end(m.run(0)), expected, "count {count} flags {flags:02X}");
    }
    // It is an alert, and it stops command chaining.
    m.record(b"ENDICOTT");
    m.program(0x1000, &[(READ, CC, 10, 0x2000), (NOP, SLI, 1, 0)]);
    let irb = m.run(0);
    assert_eq!(end(irb), (0x1008, 2, ENDED, status::INCORRECT_LENGTH));
    assert!(irb.scsw.has(scsw::ALERT));
    // A device that wants four bytes and is given three.
    m.program(0x1000, &[(CONTROL, 0, 3, 0x2000)]);
    assert_eq!(m.status(0), (ENDED, status::INCORRECT_LENGTH));
}

#[test]
fn immediate_operations_have_rules_of_their_own() {
    let mut m = Machine::new();
    m.program(0x1000, &[(NOP, 0, 1, 0x2000)]);
    assert_eq!(m.status(0), (ENDED, status::INCORRECT_LENGTH), "format 1 checks the length");
    assert_eq!(m.status(orb_flag::SUPPRESS_LENGTH), (ENDED, 0), "unless in suppression mode");
    m.program(0x1000, &[(NOP, SLI, 1, 0x2000)]);
    assert_eq!(m.status(0), (ENDED, 0));
    m.program(0x1000, &[(NOP, 0, 0, 0)]);
    assert_eq!(m.status(0), (ENDED, 0), "a count of zero is allowed");
    m.ccws(CcwFormat::Zero, 0x1000, &[(NOP, 0, 1, 0x2000)]);
    let orb = Orb::new(0, 0xff00, 0x1000);
    assert_eq!(m.css.start_subchannel(m.id, &orb), Ok(0));
    assert_eq!(end(m.interrupted()), (0x1008, 1, ENDED, 0), "format 0 does not check it");
}

#[test]
fn data_chaining_scatters_and_gathers() {
    let mut m = Machine::new();
    m.record(b"ABCDEFGHIJ");
    m.program(0x1000, &[(READ, CD, 3, 0x2000), (0xff, CD | SKIP, 2, 0xffff), (0, CD, 1, 0x2010), (TIC, 0, 0, 0x1100)]);
    m.program(0x1100, &[(0, CC, 4, 0x2020), (NOP, SLI, 1, 0)]);
    assert_eq!(end(m.run(0)), (0x1110, 1, ENDED, 0));
    assert_eq!(
        (m.get(0x2000, 4), m.get(0x2010, 2), m.get(0x2020, 5)),
        (b"ABC\0".into(), b"F\0".into(), b"GHIJ\0".into())
    );

    // The record ends inside the chain: wrong length, even with SLI.
    m.record(b"ABCD");
    m.program(0x1000, &[(READ, CD | SLI, 3, 0x2000), (0, CD | SLI, 3, 0x2100), (0, SLI, 9, 0x2200)]);
    assert_eq!(end(m.run(0)), (0x1010, 2, ENDED, status::INCORRECT_LENGTH));

    m.put(0x3000, b"ONETWO");
    m.program(0x1000, &[(WRITE, CD, 3, 0x3003), (0, 0, 3, 0x3000)]);
    assert_eq!(m.status(0), (ENDED, 0));
    assert_eq!(m.panel.lock().unwrap().log.last(), Some(&(WRITE, b"TWOONE".to_vec())));

    // A zero count is invalid in a data chain.
    m.program(0x1000, &[(WRITE, CD, 3, 0x3003), (0, 0, 0, 0x3000)]);
    assert_eq!(end(m.run(0)), (0x1010, 0, ENDED, status::PROGRAM_CHECK));
}

#[test]
fn ccws_are_fetched_when_their_turn_comes() {
    let mut m = Machine::new();
    // The first read overlays the CCW after it, as IPL records do.
    m.record(&[WRITE, 0, 0, 4, 0, 0, 0x20, 0]);
    m.put(0x2000, b"LATE");
    m.program(0x1000, &[(READ, CC, 8, 0x1008), (0xff, 0, 0, 0)]);
    assert_eq!(m.status(0), (ENDED, 0));
    assert_eq!(m.panel.lock().unwrap().log.last(), Some(&(WRITE, b"LATE".to_vec())));
    // And in a data chain.
    m.record(&[&[0, 0, 0, 4, 0, 0, 0x21, 0][..], b"DATA"].concat());
    m.program(0x1000, &[(READ, CD, 8, 0x1008), (0xff, 0, 0, 0)]);
    assert_eq!(m.status(0), (ENDED, 0));
    assert_eq!(m.get(0x2100, 4), b"DATA");
}

#[test]
fn status_modifier_skips_a_ccw() {
    let mut m = Machine::new();
    m.put(0x2000, b"GOAL");
    m.program(0x1000, &[(SEARCH, CC, 4, 0x2000), (TIC, 0, 0, 0x1000), (NOP, SLI, 1, 0)]);
    assert_eq!(end(m.run(0)), (0x1018, 1, ENDED, 0));
    assert_eq!(m.panel.lock().unwrap().codes(), [SEARCH, NOP]);
    // As the last command's status it is just shown.
    m.program(0x1000, &[(SEARCH, 0, 4, 0x2000)]);
    let irb = m.run(0);
    assert_eq!(irb.scsw.device, ENDED | DeviceStatus::STATUS_MODIFIER);
}

#[test]
fn transfer_in_channel_has_its_limits() {
    let mut m = Machine::new();
    let check = (DeviceStatus(0), status::PROGRAM_CHECK);
    m.program(0x1000, &[(TIC, 0, 0, 0x1010)]);
    assert_eq!(m.status(0), check, "it must not be first");
    m.program(0x1000, &[(NOP, CC | SLI, 1, 0), (TIC, 0, 0, 0x1100)]);
    m.program(0x1100, &[(TIC, 0, 0, 0x1000)]);
    assert_eq!(end(m.run(0)), (0x1108, 0, ENDED, status::PROGRAM_CHECK), "nor lead to another");
    m.program(0x1008, &[(TIC, 0, 0, 0x1104)]);
    assert_eq!(end(m.run(0)), (0x1010, 0, ENDED, status::PROGRAM_CHECK), "nor to half a CCW");
    for wrong in [(0x18, 0, 0, 0x1100), (TIC, SLI, 0, 0x1100), (TIC, 0, 1, 0x1100), (TIC, 0, 0, 0x8000_1100)] {
        m.program(0x1008, &[wrong]);
        assert_eq!(m.run(0).scsw.subchannel, status::PROGRAM_CHECK, "format 1 wants zeros: {wrong:X?}");
    }
    // In format 0 only half the code counts.
    m.ccws(CcwFormat::Zero, 0x1000, &[(NOP, CC, 1, 0), (0xf8, 0xff, 0xffff, 0x1100)]);
    m.ccws(CcwFormat::Zero, 0x1100, &[(NOP, 0, 1, 0)]);
    let orb = Orb::new(0, 0xff00, 0x1000);
    assert_eq!(m.css.start_subchannel(m.id, &orb), Ok(0));
    assert_eq!(end(m.interrupted()), (0x1108, 1, ENDED, 0));
}

#[test]
fn invalid_ccws_are_program_checks() {
    let mut m = Machine::new();
    for (ccw, why) in [
        ((0x10, 0, 1, 0x2000), "no command in the low half"),
        ((READ, S, 1, 0x2000), "suspension is not allowed by the ORB"),
        ((READ, 0x01, 1, 0x2000), "modified IDAWs are not installed"),
        ((READ, 0, 1, 0x8000_2000), "31 bits of address"),
        ((READ, CD, 0, 0x2000), "no count"),
    ] {
        m.program(0x1000, &[ccw]);
        let irb = m.run(0);
        assert_eq!(end(irb), (0x1008, 0, DeviceStatus(0), status::PROGRAM_CHECK), "{why}");
        assert_eq!(irb.scsw.status_control(), scsw::ALERT | FULL_END, "{why}");
    }
    // Storage that is not there, for a CCW and for data.
    let orb = Orb::new(0, orb_flag::FORMAT_1 | 0xff00, SIZE as u32);
    assert_eq!(m.css.start_subchannel(m.id, &orb), Ok(0));
    assert_eq!(m.interrupted().scsw.subchannel, status::PROGRAM_CHECK);
    m.record(b"ENDICOTT");
    m.program(0x1000, &[(READ, 0, 8, SIZE as u32 - 3)]);
    assert_eq!(end(m.run(0)), (0x1008, 5, ENDED, status::PROGRAM_CHECK));
    assert_eq!(m.get(SIZE - 3, 3), b"END");
    let orb = Orb { program: 0x1004.into(), ..orb };
    assert_eq!(m.css.start_subchannel(m.id, &orb), Ok(0));
    assert_eq!(m.interrupted().scsw.subchannel, status::PROGRAM_CHECK, "not on a doubleword");
}

#[test]
fn keys_protect_storage_from_channel_programs() {
    let mut m = Machine::new();
    m.storage.set_key(Absolute(0x2000), 0x30).unwrap();
    m.storage.set_key(Absolute(0x3000), 0x38).unwrap();
    m.storage.set_key(Absolute(0x4000), 0x50).unwrap();
    let key = |key: u32| key << 28;
    for (address, k, code, expected) in [
        (0x2000, 0, READ, 0),
        (0x2000, 3, READ, 0),
        (0x2000, 5, READ, status::PROTECTION_CHECK),
        (0x2000, 5, WRITE, 0),
        (0x3000, 5, WRITE, status::PROTECTION_CHECK),
        (0x3000, 3, WRITE, 0),
    ] {
        m.record(b"ABCD");
        m.program(0x1000, &[(code, 0, 4, address)]);
        assert_eq!(m.status(key(k)), (ENDED, expected), "{code:02X} at {address:X} with key {k}");
    }
    // What lies before the protected page is stored.
    m.panel.lock().unwrap().records.clear();
    m.record(b"ABCD");
    m.storage.set_key(Absolute(0x4000), 0x30).unwrap();
    m.program(0x1000, &[(READ, 0, 4, 0x4ffe)]);
    m.storage.set_key(Absolute(0x5000), 0x40).unwrap();
    assert_eq!(end(m.run(key(3))), (0x1008, 2, ENDED, status::PROTECTION_CHECK));
    assert_eq!(m.get(0x4ffe, 4), b"AB\0\0");
    // CCWs are fetched with the key, too.
    m.storage.set_key(Absolute(0x1000), 0x98).unwrap();
    assert_eq!(m.status(key(3)), (DeviceStatus(0), status::PROTECTION_CHECK));
}

#[test]
fn indirect_addresses_of_31_bits_count_2k_blocks() {
    let mut m = Machine::new();
    let record: Vec<u8> = (0..3000u32).map(|n| n as u8).collect();
    m.record(&record);
    let words = [0x2700u32, 0x5000, 0x3800];
    m.put(0x1800, &words.map(u32::to_be_bytes).concat());
    m.program(0x1000, &[(READ, IDA, 3000, 0x1800)]);
    assert_eq!(m.status(0), (ENDED, 0));
    assert_eq!(m.get(0x2700, 0x100), record[..0x100]);
    assert_eq!(m.get(0x5000, 0x800), record[0x100..0x900]);
    assert_eq!(m.get(0x3800, 3000 - 0x900), record[0x900..]);

    m.record(&record);
    m.put(0x1804, &0x5004u32.to_be_bytes());
    assert_eq!(end(m.run(0)), (0x1008, 3000 - 0x100, ENDED, status::PROGRAM_CHECK), "later blocks are aligned");
    m.record(&record);
    m.put(0x1800, &0x8000_2700u32.to_be_bytes());
    assert_eq!(m.status(0), (ENDED, status::PROGRAM_CHECK), "bit 0 must be zero");
    m.record(&record);
    m.program(0x1000, &[(READ, IDA, 3000, 0x1802)]);
    assert_eq!(m.status(0), (ENDED, status::PROGRAM_CHECK), "the list is aligned");
}

#[test]
fn indirect_addresses_of_64_bits_count_4k_blocks() {
    let mut m = Machine::new();
    let record: Vec<u8> = (0..9000u32).map(|n| (n / 7) as u8).collect();
    m.record(&record);
    let words = [0x2100u64, 0x6000, 0x4000];
    m.put(0x1800, &words.map(u64::to_be_bytes).concat());
    m.program(0x1000, &[(READ, IDA, 9000, 0x1800)]);
    let wide = orb_flag::IDAW_FORMAT_2;
    assert_eq!(m.status(wide), (ENDED, 0));
    assert_eq!(m.get(0x2100, 0xf00), record[..0xf00]);
    assert_eq!(m.get(0x6000, 0x1000), record[0xf00..0x1f00]);
    assert_eq!(m.get(0x4000, 9000 - 0x1f00), record[0x1f00..]);
    // The same list with 2K blocks.
    m.record(&record[..5000]);
    m.put(0x1800, &[0x2100u64, 0x6800, 0x4000].map(u64::to_be_bytes).concat());
    m.program(0x1000, &[(READ, IDA, 5000, 0x1800)]);
    assert_eq!(m.status(wide | orb_flag::IDAW_2K), (ENDED, 0));
    assert_eq!(m.get(0x6800, 0x800), record[0x700..0xf00]);
    m.record(&record);
    m.put(0x1808, &(1u64 << 40).to_be_bytes());
    assert_eq!(m.status(wide), (ENDED, status::PROGRAM_CHECK), "not available");
}

#[test]
fn read_backward_fills_from_the_end() {
    let mut m = Machine::new();
    m.record(b"DCBA");
    m.program(0x1000, &[(READ_BACKWARD, 0, 4, 0x3001)]);
    assert_eq!(m.status(0), (ENDED, 0));
    assert_eq!(m.get(0x2ffd, 6), b"\0ABCD\0");
    m.record(b"FEDCBA");
    m.put(0x1800, &[0x4002u32, 0x57ff].map(u32::to_be_bytes).concat());
    m.program(0x1000, &[(READ_BACKWARD, IDA, 6, 0x1800)]);
    assert_eq!(m.status(0), (ENDED, 0));
    assert_eq!((m.get(0x4000, 3), m.get(0x57fd, 3)), (b"DEF".into(), b"ABC".into()));
    m.record(b"DCBA");
    m.program(0x1000, &[(READ_BACKWARD, 0, 4, 1)]);
    assert_eq!(end(m.run(0)), (0x1008, 2, ENDED, status::PROGRAM_CHECK), "below zero");
}

#[test]
fn program_controlled_interruption() {
    let mut m = Machine::new();
    m.program(0x1000, &[(NOP, CC | SLI, 1, 0), (WAIT, PCI, 5, 0x2000)]);
    m.start(0);
    let irb = m.interrupted();
    assert_eq!(end(irb), (0x1010, 0, DeviceStatus(0), status::PCI));
    assert_eq!(irb.scsw.status_control(), scsw::INTERMEDIATE | scsw::STATUS_PENDING);
    assert!(irb.scsw.has(scsw::START_FUNCTION) && irb.scsw.has(scsw::DEVICE_ACTIVE));
    assert_eq!(m.css.test_subchannel(m.id).0, 1);
    m.panel.lock().unwrap().released = true;
    m.css.signal(m.id);
    let irb = m.interrupted();
    assert_eq!(end(irb), (0x1010, 0, ENDED, 0));
    assert_eq!(irb.scsw.status_control(), FULL_END, "the PCI was taken before");
    // If it was not, one interruption tells both; also from a data chain.
    m.program(0x1000, &[(WAIT, CD, 2, 0x2000), (0, PCI, 3, 0x2100)]);
    let irb = m.run(0);
    assert_eq!(end(irb), (0x1010, 0, ENDED, status::PCI));
    assert_eq!(irb.scsw.status_control(), scsw::INTERMEDIATE | FULL_END);
}

#[test]
fn suspended_and_resumed() {
    let mut m = Machine::new();
    m.program(0x1000, &[(NOP, CC | SLI, 1, 0), (WRITE, S, 4, 0x2000)]);
    m.put(0x2000, b"WAIT");
    m.start(orb_flag::SUSPEND);
    let irb = m.interrupted();
    assert_eq!(irb.scsw.status_control(), scsw::INTERMEDIATE | scsw::STATUS_PENDING);
    assert_eq!((irb.scsw.ccw.get(), irb.scsw.control.get() & scsw::ACTIVITY), (0x1010, scsw::SUSPENDED));
    assert_eq!(m.panel.lock().unwrap().codes(), [NOP]);
    assert_eq!(m.css.resume_subchannel(m.id), 0);
    assert!(m.interrupted().scsw.has(scsw::SUSPENDED), "the flag is still on");
    m.program(0x1008, &[(WRITE, 0, 4, 0x2000)]);
    assert_eq!(m.css.resume_subchannel(m.id), 0);
    assert_eq!(end(m.interrupted()), (0x1010, 0, ENDED, 0));
    assert_eq!(m.css.resume_subchannel(m.id), 2, "nothing to resume");

    // Without an interruption, and cancelled.
    m.program(0x1000, &[(WRITE, S, 4, 0x2000)]);
    m.start(orb_flag::SUSPEND | orb_flag::SUPPRESS_SUSPENDED);
    assert_eq!(m.css.take_interruption(0xff), None);
    assert!(m.css.schib(m.id).unwrap().scsw.has(scsw::SUSPENDED));
    assert_eq!(m.css.cancel_subchannel(m.id), 0);
    assert_eq!(m.css.cancel_subchannel(m.id), 2);
    // And halted.
    m.start(orb_flag::SUSPEND);
    assert_eq!(m.css.halt_subchannel(m.id), 0);
    let irb = m.interrupted();
    assert_eq!(irb.scsw.status_control(), scsw::STATUS_PENDING);
    assert_eq!(irb.scsw.control & scsw::FUNCTION, scsw::START_FUNCTION | scsw::HALT_FUNCTION);
    assert_eq!(m.css.test_subchannel(m.id).0, 1);
    assert_eq!(m.css.cancel_subchannel(m.id), 2);
}

#[test]
fn an_initial_status_interruption() {
    let mut m = Machine::new();
    m.panel.lock().unwrap().released = true;
    m.program(0x1000, &[(WAIT, 0, 5, 0x2000)]);
    let irb = m.run(orb_flag::INITIAL_STATUS);
    assert!(irb.scsw.has(scsw::ZERO_STATUS) && irb.scsw.has(scsw::INTERMEDIATE));
    m.program(0x1000, &[(NOP, SLI, 5, 0x2000)]);
    assert!(!m.run(orb_flag::INITIAL_STATUS).scsw.has(scsw::ZERO_STATUS), "immediate operations have none");
}

#[test]
fn sense_follows_a_unit_check() {
    let mut m = Machine::new();
    let check = ENDED | DeviceStatus::UNIT_CHECK;
    m.program(0x1000, &[(0xc3, CC | SLI, 1, 0), (NOP, SLI, 1, 0)]);
    let irb = m.run(0);
    assert_eq!(end(irb), (0x1008, 1, check, 0));
    assert_eq!(irb.scsw.status_control(), scsw::ALERT | FULL_END);
    assert_eq!((irb.esw.sense_count(), irb.ecw), (0, [0; 32]));
    m.program(0x1100, &[(SENSE, SLI, 32, 0x2000)]);
    m.program(0x1000, &[(NOP, SLI | CC, 1, 0), (SENSE, SLI, 40, 0x2000)]);
    assert_eq!(end(m.run(0)), (0x1010, 8, ENDED, 0));
    let sense = m.get(0x2000, 32);
    assert_eq!((sense[0], sense[27]), (0x80, 0x80));
    m.run(0);
    assert_eq!(m.get(0x2000, 32), [0; 32], "it is given once");

    m.enable(3, true);
    m.program(0x1000, &[(0xc3, SLI, 1, 0)]);
    let irb = m.run(0);
    assert!(irb.scsw.has(scsw::EXTENDED_CONTROL));
    assert_eq!((irb.esw.sense_count(), irb.ecw[0], irb.ecw[27]), (32, 0x80, 0x80));
    m.program(0x1000, &[(SENSE, SLI, 32, 0x2000)]);
    let irb = m.run(0);
    assert!(!irb.scsw.has(scsw::EXTENDED_CONTROL));
    assert_eq!((irb.esw.sense_count(), m.get(0x2000, 1)[0]), (0, 0));
}

#[test]
fn sense_id_tells_what_it_is() {
    let mut m = Machine::new();
    m.program(0x1000, &[(SENSE_ID, SLI, 44, 0x2000)]);
    assert_eq!(end(m.run(0)), (0x1008, 37, ENDED, 0));
    assert_eq!(m.get(0x2000, 7), [0xff, 0x39, 0x90, 0xe9, 0x33, 0x90, 0x0a]);
}

#[test]
fn device_end_may_come_later() {
    let mut m = Machine::new();
    m.program(0x1000, &[(SEEK, 0, 6, 0x2000)]);
    m.start(0);
    let irb = m.interrupted();
    assert_eq!(end(irb), (0x1008, 0, DeviceStatus::CHANNEL_END, 0));
    assert_eq!(
        irb.scsw.control & (scsw::ACTIVITY | scsw::STATUS),
        scsw::DEVICE_ACTIVE | scsw::PRIMARY | scsw::STATUS_PENDING
    );
    m.panel.lock().unwrap().status.push_back(DeviceStatus::DEVICE_END);
    m.css.signal(m.id);
    let irb = m.interrupted();
    assert_eq!(
        (irb.scsw.device, irb.scsw.status_control()),
        (DeviceStatus::DEVICE_END, scsw::SECONDARY | scsw::STATUS_PENDING)
    );

    // Command chaining waits for it.
    m.program(0x1000, &[(SEEK, CC, 6, 0x2000), (NOP, SLI, 1, 0)]);
    m.start(0);
    assert_eq!(m.css.take_interruption(0xff), None);
    m.panel.lock().unwrap().status.push_back(DeviceStatus::DEVICE_END);
    m.css.signal(m.id);
    assert_eq!(end(m.interrupted()), (0x1010, 1, ENDED, 0));
    // Unless the device had bad news.
    m.start(0);
    m.panel.lock().unwrap().status.push_back(DeviceStatus::DEVICE_END | DeviceStatus::UNIT_CHECK);
    m.css.signal(m.id);
    assert_eq!(end(m.interrupted()), (0x1008, 0, ENDED | DeviceStatus::UNIT_CHECK, 0));
}

#[test]
fn an_endless_program_holds_nobody() {
    let mut m = Machine::new();
    m.program(0x1000, &[(NOP, CC | SLI, 1, 0), (TIC, 0, 0, 0x1000)]);
    m.start(0);
    assert!(m.css.pending().work());
    m.css.attend();
    assert!(m.css.pending().work());
    assert_eq!(m.css.counts().ccws, 2 * u64::from(css::ALLOWANCE));
    let orb = Orb::new(0, 0x0080_ff00, 0x1000);
    assert_eq!(m.css.start_subchannel(m.id, &orb), Ok(2), "busy");
    assert_eq!(m.css.halt_subchannel(m.id), 0);
    let irb = m.interrupted();
    assert_eq!(irb.scsw.control & scsw::FUNCTION, scsw::START_FUNCTION | scsw::HALT_FUNCTION);
    assert_eq!((irb.scsw.device, irb.scsw.status_control()), (ENDED, FULL_END));

    m.start(0);
    assert_eq!(m.css.clear_subchannel(m.id), 0);
    let irb = m.interrupted();
    assert_eq!(irb.scsw.control, scsw::CLEAR_FUNCTION | scsw::STATUS_PENDING);
    m.css.attend();
    assert!(!m.css.pending().work(), "nothing is left of it");
    assert_eq!(m.css.take_interruption(0xff), None);

    // Much data counts as much work.
    let before = m.css.counts().ccws;
    m.program(0x1000, &[(BULK, CC, 0xf000, 0x1000), (TIC, 0, 0, 0x1000)]);
    m.start(0);
    assert_eq!(m.css.counts().ccws - before, u64::from(css::ALLOWANCE / 16));
    m.css.clear_subchannel(m.id);
    m.interrupted();
    m.program(0x1000, &[(NOP, CC | SLI, 1, 0), (TIC, 0, 0, 0x1000)]);

    // The program may end itself.
    m.start(0);
    m.program(0x1000, &[(NOP, SLI, 1, 0)]);
    m.css.attend();
    assert_eq!(end(m.interrupted()), (0x1008, 1, ENDED, 0));
}
