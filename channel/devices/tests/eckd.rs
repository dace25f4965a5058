//! Channel programs for count-key-data disks, as Linux, CMS and systems of the 370's time write them.

mod disk;

use arch::io::DeviceStatus;
use devices::dasd::{Cache, ControlUnit, ControlUnitModel, Eckd, Options, Reservation};
use disk::{Machine, Memory, Step, extent, get, locate, locate_bytes, put, search, seek, tic};
use std::sync::Arc;

fn machine(volume: &Arc<Memory>) -> Machine {
    Machine::new(Box::new(Eckd::new(volume.clone(), Options::default())))
}

/// A volume of two cylinders with three records of 512 bytes on each track, filled with track and record number.
fn filled() -> Arc<Memory> {
    let volume = Memory::d3390(2);
    for track in 0..30 {
        let data = [1, 2, 3].map(|record| [track as u8 * 4 + record; 512]);
        volume.fill(track, &[(&[], &data[0]), (&[], &data[1]), (&[], &data[2])]);
    }
    volume
}

fn count(track: u32, record: u8, key: u8, data: u16) -> Vec<u8> {
    let [d1, d2] = data.to_be_bytes();
    [&disk::cchh(track)[..], &[record, key, d1, d2]].concat()
}

#[test]
fn the_device_says_what_it_is() {
    let mut m = machine(&Memory::d3390(3339));
    m.good(&[get(0xe4, 20), get(0x64, 64), get(0xfa, 256)]);
    assert_eq!(m.data(0, 12)[..7], [0xff, 0x39, 0x90, 0xe9, 0x33, 0x90, 0x0a]);
    assert_eq!(m.data(0, 12)[8..], [0x40, 0xfa, 0x01, 0x00]);
    let rdc = m.data(1, 64);
    assert_eq!(rdc[..6], [0x39, 0x90, 0xe9, 0x33, 0x90, 0x0a]);
    assert_eq!(rdc[12..24], [0x0d, 0x0b, 0, 15, 224, 0x00, 0xe5, 0xa2, 0xdf, 0xee, 2, 34]);
    assert_eq!(rdc[60..], [0, 0, 0x0d, 0x0b]);
    // The device's descriptor and the general qualifier are where drivers look.
    let rcd = m.data(2, 256);
    assert_eq!((rcd[0] >> 6, rcd[1], rcd[224] >> 6), (3, 1, 2));
    // All three serial numbers are said to be valid; the second is that of the control unit.
    assert_eq!(([0, 32, 64].map(|at| rcd[at] & 0x10), rcd[33], rcd[65]), ([0x10; 3], 2, 0));
    // LOCATE RECORD EXTENDED takes maps of two bytes, and records of one track.
    assert_eq!((rdc[6], rdc[8], rdc[43], rdc[47]), (0xda, 0x0a, 2, 1));
    assert_eq!(rcd[96..128], [0; 32]);
    let options = Options { token: Some([7; 16]), ..Options::default() };
    let mut m = Machine::new(Box::new(Eckd::new(Memory::d3390(10), options)));
    m.good(&[get(0xfa, 256)]);
    assert_eq!(m.data(0, 121)[96..], [&[0x40, 0, 0, 4, 0, 0, 0, 0][..], &[7; 16], &[0]].concat());
}

/// IBM 3990 Reference, "Locate Record", operation 0B: record 0 is updated, and the track is written anew after it.
#[test]
fn write_track_begins_with_the_data_of_record_0() {
    let volume = filled();
    let mut m = machine(&volume);
    m.good(&[extent(0xc0, 0, 5), locate(0x0b, 1, 3, 0), put(0x05, &[7; 8])]);
    let records = |track| volume.track(track).records().map(|record| record.data.to_vec()).collect::<Vec<_>>();
    assert_eq!(records(3), [vec![7; 8]]);
    // With a count of n, n - 1 records follow.
    let write = |record, data: &[u8]| put(0x1d, &[&count(4, record, 0, data.len() as u16)[..], data].concat());
    m.good(&[extent(0xc0, 0, 5), locate(0x0b, 3, 4, 0), put(0x05, &[8; 8]), write(1, &[1; 100]), write(2, &[2; 50])]);
    assert_eq!(records(4), [vec![8; 8], vec![1; 100], vec![2; 50]]);
    assert_eq!(records(5).len(), 4, "another track");
    // Not of another record, not again, and not without being allowed to format.
    for program in [
        vec![extent(0xc0, 0, 5), locate(0x0b, 1, 5, 1), put(0x05, &[9; 512])],
        vec![extent(0xc0, 0, 5), locate(0x0b, 2, 5, 0), put(0x05, &[8; 8]), put(0x05, &[9; 512])],
        vec![extent(0x80, 0, 5), locate(0x0b, 1, 5, 0), put(0x05, &[9; 8])],
        vec![extent(0xc0, 0, 5), locate(0x0b, 1, 5, 0), put(0x85, &[9; 8])],
    ] {
        m.bad(&program);
        assert!(records(5).iter().all(|data| !data.contains(&9)));
    }
}

#[test]
fn records_of_several_tracks_are_read_in_one_domain() {
    let mut m = machine(&filled());
    let mut program = vec![extent(0x40, 14, 15), locate(0x06, 4, 14, 2)];
    program.extend((0..4).map(|_| get(0x86, 512)));
    m.good(&program);
    let found: Vec<u8> = (2..6).map(|step| m.data(step, 512)[511]).collect();
    assert_eq!(found, [58, 59, 61, 62]);
    // The domain is used up.
    program.push(get(0x86, 512));
    assert_eq!(m.bad(&program).0[..8], [0x80, 0, 0, 0, 0, 1, 0, 2]);
}

#[test]
fn records_are_written_and_only_those() {
    let volume = filled();
    let mut m = machine(&volume);
    m.good(&[extent(0x80, 3, 3), locate(0x01, 2, 3, 2), put(0x85, &[0xaa; 512]), put(0x85, &[0xbb; 512])]);
    let track = volume.track(3);
    let found: Vec<u8> = track.records().skip(1).map(|record| record.data[100]).collect();
    assert_eq!(found, [13, 0xaa, 0xbb]);
    assert_eq!(*volume.written.lock().unwrap(), 1, "a track is written once");
}

#[test]
fn a_short_write_is_filled_with_zeros_and_shows_incorrect_length() {
    let volume = filled();
    let mut m = machine(&volume);
    let irb = m.run(&[extent(0x80, 3, 3), locate(0x01, 1, 3, 1), put(0x05, &[0xaa; 100])]);
    assert_eq!((irb.scsw.device, irb.scsw.subchannel), (DeviceStatus::ENDED, 0x40));
    let track = volume.track(3);
    let record = track.records().nth(1).unwrap();
    assert_eq!((record.data[99], record.data[100]), (0xaa, 0));
}

#[test]
fn linux_formats_tracks_and_analyses_them() {
    let volume = Memory::d3390(2);
    let mut m = machine(&volume);
    // Not formatted: no record found.
    let mut analysis = vec![extent(0x40, 0, 1), locate(0x06, 4, 0, 0)];
    analysis.extend((0..4).map(|_| get(0x12, 8)));
    analysis.extend([locate(0x06, 1, 1, 0), get(0x12, 8)]);
    assert_eq!(m.bad(&analysis).0[1], 0x08);
    // Twelve records of 4096 bytes on each of two tracks.
    let mut format = vec![extent(0x00, 14, 15), locate(0x43, 24, 14, 0)];
    for track in 14..16 {
        for record in 1..=12 {
            let code = if record == 1 && track == 15 { 0x9d } else { 0x1d };
            format.push(put(code, &count(track, record, 0, 4096)).sli());
        }
    }
    m.good(&format);
    for track in 14..16 {
        let track = volume.track(track);
        assert_eq!(track.records().map(|r| r.data.len()).collect::<Vec<_>>()[1..], [4096; 12]);
    }
    // A thirteenth does not fit.
    let more = [extent(0x00, 15, 15), locate(0x03, 1, 15, 12), put(0x1d, &count(15, 13, 0, 4096)).sli()];
    assert_eq!(m.bad(&more).0[1], 0x40);
    // Record 0 and one record.
    let r0 = [&count(0, 0, 0, 8)[..], &[0; 8]].concat();
    let zero = [extent(0xc2, 0, 1), locate(0xc3, 2, 0, 0), put(0x15, &r0), put(0x1d, &count(0, 1, 0, 0)).sli()];
    m.good(&zero);
    assert_eq!(volume.track(0).records().count(), 2);
}

#[test]
fn a_key_stands_before_its_data() {
    let volume = Memory::d3390(1);
    volume.fill(0, &[(b"IPL1", &[1; 24]), (b"IPL2", &[2; 144]), (b"VOL1", &[3; 80]), (&[], &[4; 4096])]);
    let mut m = machine(&volume);
    m.good(&[
        extent(0x40, 0, 1),
        locate(0x06, 4, 0, 0),
        get(0x12, 8),
        get(0x12, 8),
        get(0x12, 8),
        get(0x12, 8),
        locate(0x06, 1, 0, 3),
        get(0x8e, 84),
    ]);
    assert_eq!(m.data(4, 8), count(0, 3, 4, 80));
    assert_eq!((&m.data(7, 84)[..4], m.data(7, 84)[83]), (&b"VOL1"[..], 3));
    m.good(&[extent(0x80, 0, 0), locate(0x01, 1, 0, 3), put(0x8d, &[&b"VOLX"[..], &[5; 80]].concat())]);
    let track = volume.track(0);
    let record = track.records().nth(3).unwrap();
    assert_eq!((record.key, record.data[0]), (&b"VOLX"[..], 5));
}

#[test]
fn seek_search_read_as_cms_and_ipl_do_it() {
    let volume = filled();
    let mut m = machine(&volume);
    m.good(&[seek(16), search(16, 2), tic(1), get(0x06, 512)]);
    assert_eq!(m.data(3, 1), [66]);
    m.good(&[seek(16), search(16, 3), tic(1), put(0x05, &[0xcc; 512])]);
    assert_eq!(volume.track(16).records().nth(3).unwrap().data[0], 0xcc);
    // What is not there is not found, after the index has passed twice.
    let (sense, used) = m.bad(&[seek(16), search(16, 9), tic(1), get(0x06, 512)]);
    assert_eq!((sense[1], used), (0x08, 2));
    // Multitrack: to the end of the cylinder, no further.
    m.good(&[seek(16), put(0xb1, &[0, 1, 0, 14, 3]), tic(1), get(0x06, 512)]);
    assert_eq!(m.data(3, 1), [119]);
    let (sense, _) = m.bad(&[seek(16), put(0xb1, &[0, 2, 0, 0, 1]), tic(1), get(0x06, 512)]);
    assert_eq!(sense[1], 0x20);
    // High, and equal or high.
    m.good(&[seek(16), put(0x51, &[0, 1, 0, 1, 2]), tic(1), get(0x06, 512)]);
    assert_eq!(m.data(3, 1), [0xcc]);
}

#[test]
fn keys_are_searched() {
    let volume = Memory::d3390(1);
    volume.fill(4, &[(b"ALFA", b"one"), (b"BETA", b"two"), (b"GAMA", b"thr")]);
    let mut m = machine(&volume);
    m.good(&[seek(4), put(0x29, b"GAMA"), tic(1), get(0x06, 3)]);
    assert_eq!(m.data(3, 3), b"thr");
    m.good(&[seek(4), put(0x69, b"BAAA"), tic(1), get(0x06, 3)]);
    assert_eq!(m.data(3, 3), b"two");
    m.good(&[seek(4), put(0x29, b"BETA"), tic(1), put(0x05, b"TWO")]);
    assert_eq!(volume.track(4).records().nth(2).unwrap().data, b"TWO");
    let (sense, _) = m.bad(&[seek(4), put(0x29, b"ZETA"), tic(1), get(0x06, 3)]);
    assert_eq!(sense[1], 0x08);
}

#[test]
fn writes_need_a_search_and_a_mask_that_allows_them() {
    let volume = filled();
    let mut m = machine(&volume);
    assert_eq!(m.bad(&[seek(3), put(0x05, &[0; 512])]).0[7], 2);
    assert_eq!(m.bad(&[put(0x1f, &[0x40]), seek(3), search(3, 1), tic(2), put(0x05, &[0; 512])]).0[1], 0x04);
    assert_eq!(m.bad(&[extent(0x80, 3, 3), locate(0x03, 1, 3, 1), put(0x1d, &[0; 8])]).0[1], 0x04);
    assert_eq!(m.bad(&[extent(0x80, 3, 3), locate(0x06, 1, 3, 1), put(0x05, &[0; 512])]).0[7], 2);
    assert_eq!(m.bad(&[extent(0x80, 3, 3), locate(0x06, 1, 4, 1)]).0[1], 0x04);
    assert_eq!(m.bad(&[extent(0x80, 3, 30)]).0[7], 4);
    assert_eq!(m.bad(&[put(0x63, &[0; 8])]).0[7], 3);
    assert_eq!(m.bad(&[put(0xff, &[0; 8])]).0[7], 1);
    assert_eq!(m.bad(&[locate(0x06, 1, 4, 1)]).0[7], 2);
    assert_eq!(*volume.written.lock().unwrap(), 0);
    let options = Options { read_only: true, ..Options::default() };
    let mut m = Machine::new(Box::new(Eckd::new(volume, options)));
    let (sense, _) = m.bad(&[extent(0x80, 3, 3), locate(0x01, 1, 3, 1), put(0x05, &[0; 512])]);
    assert_eq!((sense[0], sense[1]), (0x80, 0x02));
}

#[test]
fn whole_tracks_are_read_and_written() {
    let volume = filled();
    let mut m = machine(&volume);
    let irb = m.run(&[extent(0x40, 3, 4), locate(0x4c, 2, 3, 0), get(0xde, 0xffff).sli(), get(0xde, 0xffff).sli()]);
    assert_eq!((irb.scsw.device, irb.scsw.subchannel), (DeviceStatus::ENDED, 0));
    let image = volume.track(4).image()[5..].to_vec();
    assert_eq!(m.data(3, image.len()), image);
    // All of it but record 0, without the end.
    m.good(&[seek(4), get(0x5e, 0xffff).sli()]);
    assert_eq!(m.data(1, image.len() - 24), image[16..image.len() - 8]);
    // And as it stands to another track, by LOCATE RECORD EXTENDED.
    let mut extended = locate_bytes(0x3f, 1, 5, 0);
    extended.extend([0, 0x11, 0, 1, 0x80]);
    m.good(&[extent(0x00, 5, 5), put(0x4b, &extended), put(0x95, &image).sli()]);
    assert_eq!(volume.track(5).image()[5..], image);
}

/// A PREFIX with an extent and a LOCATE RECORD EXTENDED.
fn prefix(mask: u8, first: u32, last: u32, locate: &[u8], operation: u8, length: u16) -> Step {
    let mut b = vec![1, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    b.extend(extent(mask, first, last).bytes);
    b.resize(44, 0);
    b.extend(locate);
    b[45] = 0x80;
    b[58..60].copy_from_slice(&length.to_be_bytes());
    b.extend([0, operation, 0, 0]);
    put(0xe7, &b)
}

#[test]
fn linux_moves_the_data_of_tracks() {
    let volume = filled();
    let mut m = machine(&volume);
    let locate = locate_bytes(0x0c, 3, 3, 2);
    m.good(&[prefix(0x40, 3, 5, &locate, 0, 512), get(0xa6, 1024), get(0xa6, 1536), get(0xa6, 512)]);
    assert_eq!([0, 512].map(|n| m.data(1, 1024)[n]), [14, 15]);
    assert_eq!([0, 512, 1024].map(|n| m.data(2, 1536)[n]), [17, 18, 19]);
    assert_eq!(m.data(3, 1), [21]);
    let locate = locate_bytes(0x3f, 2, 3, 3);
    m.good(&[prefix(0x80, 3, 4, &locate, 0x23, 512), put(0xa5, &[0xaa; 512]), put(0xa5, &[0xbb; 1024])]);
    let found = [3, 4].map(|track| volume.track(track).records().skip(1).map(|r| r.data[511]).collect::<Vec<_>>());
    assert_eq!(found, [vec![13, 14, 0xaa], vec![0xbb, 0xbb, 19]]);
}

#[test]
fn an_end_of_file_mark_is_unit_exception() {
    let volume = Memory::d3390(1);
    volume.fill(2, &[(&[], &[])]);
    let mut m = machine(&volume);
    let irb = m.run(&[seek(2), get(0x06, 100).sli()]);
    assert_eq!(irb.scsw.device, DeviceStatus::ENDED | DeviceStatus::UNIT_EXCEPTION);
    m.good(&[seek(2), get(0x1e, 8)]);
}

#[test]
fn path_groups_are_established() {
    let mut m = machine(&Memory::d3390(1));
    m.good(&[get(0x34, 12)]);
    assert_eq!(m.data(0, 12), [0; 12]);
    let id = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
    m.good(&[put(0xaf, &[&[0x80][..], &id].concat())]);
    m.good(&[get(0x34, 12)]);
    assert_eq!(m.data(0, 12), [&[0xc8][..], &id].concat());
    m.good(&[put(0xaf, &[&[0x20][..], &id].concat())]);
    m.good(&[get(0x34, 12)]);
    assert_eq!(m.data(0, 1), [0x80]);
}

#[test]
fn each_of_several_paths_is_in_the_group_or_not() {
    let options = Options { paths: 4, ..Options::default() };
    let mut m = Machine::new(Box::new(Eckd::new(Memory::d3390(1), options)));
    let pmcw = m.css.store_subchannel(m.id).unwrap().pmcw;
    assert_eq!((pmcw.pim, pmcw.pam, &pmcw.chpid[..5]), (0xf0, 0xf0, &[0x02, 0x22, 0x42, 0x62, 0][..]));
    let by = |m: &mut Machine, path: u8, step: Step| {
        let mut orb = m.lay(&[step]);
        orb.flags = orb.flags & 0xffff_00ff | u32::from(path) << 8;
        assert_eq!(m.css.start_subchannel(m.id, &orb), Ok(0));
        assert_eq!(m.finish(m.id).scsw.device, DeviceStatus::ENDED);
        assert_eq!(m.css.store_subchannel(m.id).unwrap().pmcw.lpum, path);
        m.data(0, 12)
    };
    let id = [7; 11];
    by(&mut m, 0x40, put(0xaf, &[&[0x80][..], &id].concat()));
    assert_eq!(by(&mut m, 0x40, get(0x34, 12))[0], 0xc8);
    assert_eq!(by(&mut m, 0x20, get(0x34, 12)), [0; 12]);
    by(&mut m, 0x20, put(0xaf, &[&[0x80][..], &id].concat()));
    by(&mut m, 0x40, put(0xaf, &[&[0x40][..], &id].concat()));
    assert_eq!([0x80, 0x40, 0x20].map(|path| by(&mut m, path, get(0x34, 12))[0]), [0, 0x80, 0xc8]);
    // Another identification does not join the group.
    assert_eq!(m.bad(&[put(0xaf, &[&[0x80][..], &[8; 11]].concat())]).0[0], 0x80);
}

#[test]
fn a_reserved_disk_makes_others_wait() {
    let volume = filled();
    let reservation = Arc::new(Reservation::default());
    let device = || {
        let options = Options { reservation: reservation.clone(), ..Options::default() };
        Box::new(Eckd::new(volume.clone(), options))
    };
    let (mut one, mut other) = (Machine::new(device()), Machine::new(device()));
    one.good(&[get(0xb4, 32)]);
    other.good(&[get(0x34, 12)]);
    assert_eq!(other.data(0, 1), [0x20]);
    let orb = other.lay(&[seek(16), search(16, 2), tic(1), get(0x06, 512)]);
    assert_eq!(other.css.start_subchannel(other.id, &orb), Ok(0));
    assert_eq!(other.css.test_subchannel(other.id).0, 1, "it waits");
    one.good(&[seek(16), search(16, 2), tic(1), put(0x05, &[0x77; 512])]);
    one.good(&[get(0x94, 32)]);
    let irb = other.finish(other.id);
    assert_eq!(irb.scsw.device, DeviceStatus::ENDED);
    assert_eq!(other.data(3, 1), [0x77]);
    // It can be taken away: the device that had it hears so once, by environmental data, and then waits as others do.
    one.good(&[get(0xb4, 32)]);
    other.good(&[get(0x14, 32)]);
    one.good(&[get(0x34, 12)]);
    assert_eq!(one.data(0, 1), [0x20]);
    let lost = one.bad(&[seek(16), search(16, 2), tic(1), get(0x06, 512)]).0;
    assert_eq!((&lost[..3], lost[7], lost[27] & 0x80), (&[0, 0, 0x10][..], 0x3f, 0x80));
    let orb = one.lay(&[seek(16), search(16, 2), tic(1), get(0x06, 512)]);
    assert_eq!(one.css.start_subchannel(one.id, &orb), Ok(0));
    assert_eq!(one.css.test_subchannel(one.id).0, 1, "it waits");
    other.good(&[get(0x94, 32)]);
    assert_eq!(one.finish(one.id).scsw.device, DeviceStatus::ENDED);
    // A device that takes it back by itself has lost nothing.
    one.good(&[get(0xb4, 32)]);
    other.good(&[get(0x14, 32)]);
    one.good(&[get(0x14, 32)]);
    one.good(&[seek(16), search(16, 2), tic(1), get(0x06, 512)]);
    // A reset gives it back.
    other.good(&[get(0x14, 32)]);
    other.css.reset();
    assert!(!reservation.reserved());
}

#[test]
fn two_who_write_records_of_one_track_lose_neither() {
    let volume = filled();
    let reservation = Arc::new(Reservation::default());
    let device = || {
        let options = Options { reservation: reservation.clone(), ..Options::default() };
        Box::new(Eckd::new(volume.clone(), options))
    };
    let (mut one, mut other) = (Machine::new(device()), Machine::new(device()));
    // The first is suspended with the track in hand, because its program asks for that.
    let mut steps = vec![extent(0x80, 3, 3), locate(0x01, 2, 3, 1), put(0x05, &[0xaa; 512]), put(0x05, &[0xbb; 512])];
    steps[3].flags |= arch::io::ccw_flag::SUSPEND;
    let mut orb = one.lay(&steps);
    orb.flags |= arch::io::orb_flag::SUSPEND | arch::io::orb_flag::SUPPRESS_SUSPENDED;
    assert_eq!(one.css.start_subchannel(one.id, &orb), Ok(0));
    other.good(&[extent(0x80, 3, 3), locate(0x01, 1, 3, 3), put(0x05, &[0xcc; 512])]);
    one.lay(&[steps[0].clone(), steps[1].clone(), steps[2].clone(), put(0x05, &[0xbb; 512])]);
    assert_eq!(one.css.resume_subchannel(one.id), 0);
    assert_eq!(one.finish(one.id).scsw.device, DeviceStatus::ENDED);
    let found: Vec<u8> = volume.track(3).records().skip(1).map(|record| record.data[0]).collect();
    assert_eq!(found, [0xaa, 0xbb, 0xcc]);
}

#[test]
fn a_failing_medium_shows_in_the_status_of_the_program_that_wrote() {
    let volume = filled();
    let mut m = machine(&volume);
    let program = [extent(0x80, 3, 3), locate(0x01, 1, 3, 1), put(0x05, &[0xaa; 512])];
    *volume.failing.lock().unwrap() = Some(dasd::MediaError::Damaged("torn".into()));
    assert_eq!(m.bad(&program).0[..2], [0x08, 0x80]);
    *volume.failing.lock().unwrap() = None;
    m.good(&program);
    // Reading goes well, writing does not: the last status tells.
    struct Full(Arc<Memory>);
    impl dasd::Volume for Full {
        fn kind(&self) -> dasd::Kind {
            self.0.kind()
        }
        fn read_track(&self, track: u32) -> Result<Arc<dasd::Track>, dasd::MediaError> {
            self.0.read_track(track)
        }
        fn write_track(&self, _: u32, _: &dasd::Track) -> Result<(), dasd::MediaError> {
            Err(dasd::MediaError::Host("no space left on device".into()))
        }
        fn update_track(&self, track: u32, _: dasd::Change<'_>) -> Result<(), dasd::MediaError> {
            self.write_track(track, &dasd::Track::new(0, 0))
        }
    }
    let mut m = Machine::new(Box::new(Eckd::new(Arc::new(Full(volume)), Options::default())));
    let (sense, used) = m.bad(&program);
    assert_eq!((sense[0], used), (0x10, 3));
}

#[test]
fn older_disks_have_what_they_had() {
    let volume = Memory::ckd(0x2314, 1, 2, 20);
    volume.fill(3, &[(&[], &[9; 829])]);
    let mut m = machine(&volume);
    m.good(&[put(0x07, &[0, 0, 0, 0, 0, 3]), put(0x31, &[0, 0, 0, 3, 1]), tic(1), get(0x06, 829)]);
    assert_eq!(m.data(3, 1), [9]);
    // Six sense bytes, and neither Sense ID nor DEFINE EXTENT.
    assert_eq!(m.bad(&[get(0xe4, 7)]).0[..8], [0x80, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(m.bad(&[extent(0, 0, 1)]).0[0], 0x80);
    let options = Options { control_unit: Some(ControlUnit::C3880), ..Options::default() };
    let mut m = Machine::new(Box::new(Eckd::new(Memory::ckd(0x3380, 2, 2, 15), options)));
    m.good(&[get(0xe4, 7), get(0x64, 64)]);
    assert_eq!(m.data(0, 7), [0xff, 0x38, 0x80, 5, 0x33, 0x80, 2]);
    assert_eq!(m.bad(&[extent(0, 0, 1)]).0[7], 1);
}

#[test]
fn a_3880_has_count_key_data_and_one_with_a_cache_says_how_that_is_used() {
    let at = |name: &str, cache| {
        let unit = ControlUnitModel::named(name).expect("there is this model").unit;
        let volume = Memory::ckd(0x3380, 0x02, 2, 15);
        volume.fill(1, &[(&[], &[7; 512])]);
        let options = Options { control_unit: Some(unit), cache, ssid: 3, ..Options::default() };
        Machine::new(Box::new(Eckd::new(volume, options)))
    };
    let read = [put(0x07, &[0, 0, 0, 0, 0, 1]), put(0x31, &[0, 0, 0, 1, 1]), tic(1), get(0x06, 512)];
    // Seven bytes of Sense ID, and no facilities in READ DEVICE CHARACTERISTICS, which names the control unit, too.
    let ids = |m: &mut Machine| {
        m.good(&[get(0xe4, 20).sli(), get(0x64, 64)]);
        (m.data(0, 12), m.data(1, 10))
    };
    let cache = Arc::new(Cache::new(4, 0));
    let (mut plain, mut cached) = (at("3880-3", None), at("3880-23", Some(cache.clone())));
    for (m, model) in [(&mut plain, 0xc3), (&mut cached, 0x23)] {
        let (id, characteristics) = ids(m);
        assert_eq!(id, [0xff, 0x38, 0x80, model, 0x33, 0x80, 2, 0, 0, 0, 0, 0]);
        assert_eq!(characteristics, [0x38, 0x80, model, 0x33, 0x80, 2, 0, 0, 0, 0]);
        m.good(&read);
        assert_eq!(m.data(3, 512), [7; 512]);
        // LOCATE RECORD, READ CONFIGURATION DATA, PERFORM SUBSYSTEM FUNCTION, READ SUBSYSTEM DATA, PREFIX, READ TRACK
        // DATA and others: command reject.
        for code in
            [0x47, 0xfa, 0x27, 0x3e, 0xe7, 0xa6, 0xa5, 0x4b, 0xde, 0x5e, 0x95, 0x9d, 0x85, 0x8d, 0xa4, 0x44, 0x4e]
        {
            let (sense, _) = m.bad(&[put(code, &[0; 64])]);
            assert_eq!((sense[0], sense[7], sense[27]), (0x80, 1, 0), "{code:02X}");
        }
        // 24 bytes of sense; path groups are there.
        m.good(&[get(0x04, 24), get(0x34, 12)]);
        assert_eq!(m.run(&[get(0x04, 32).sli()]).scsw.count, 32 - 24);
    }
    for code in [0x63, 0x54, 0x87] {
        assert_eq!(plain.bad(&[put(code, &[0; 16])]).0[7], 1, "{code:02X}");
    }
    // DEFINE EXTENT, before SEEK and SEARCH, says that the cache is to be bypassed; what follows stays within the
    // extent.
    let mut define = extent(0x40, 0, 1);
    define.bytes[1] = 0x04;
    cached.good(&[&[define.clone()], &[read[0].clone(), read[1].clone(), tic(2), read[3].clone()][..]].concat());
    let counts = cache.statistics(0);
    assert_eq!((counts.reads, counts.read_hits, counts.bypassed), (2, 0, 1));
    assert_eq!(cached.bad(&[define, put(0x07, &[0, 0, 0, 0, 0, 2])]).0[1], 0x04);
    // It has no non-volatile storage, and its cache is turned off and on.
    cached.good(&[put(0x87, &[0xc0, 0]), get(0x54, 40)]);
    assert_eq!(cached.data(1, 40)[4..6], [0x80, 0x80]);
    assert_eq!(cached.bad(&[put(0x87, &[0x20, 0])]).0[7], 4);
    cached.good(&[put(0x87, &[0x80, 0])]);
}

#[test]
fn the_control_unit_answers_what_drivers_ask() {
    let options = Options { unit: 3, ssid: 0x1234, ..Options::default() };
    let mut m = Machine::new(Box::new(Eckd::new(Memory::d3390(1), options)));
    let ask = |suborder: u8| put(0x27, &[0x18, 0, 0, 0, 0, 0, suborder, 0, 0, 0, 0, 0]);
    m.good(&[ask(0x0e), get(0x3e, 512), ask(0x41), get(0x3e, 256), get(0x54, 40)]);
    assert_eq!(m.data(1, 512)[6..8], [1, 3]);
    assert_eq!(m.data(3, 256)[8] & 1, 1);
    assert_eq!(m.data(4, 40)[38..], [0x12, 0x34]);
    // Volume Storage Query: not space-efficient, so all of its cylinders are allocated.
    m.good(&[ask(0x52), get(0x3e, 28)]);
    assert_eq!(m.data(1, 28), [&[0; 16][..], &[0, 0, 0, 1].repeat(3)].concat());
    // Logical Configuration Query: no pools of extents, so extents have no size.
    m.good(&[ask(0x53), get(0x3e, 64)]);
    assert_eq!(m.data(1, 64), [&[0, 64][..], &[0; 62]].concat());
    let (sense, _) = m.bad(&[ask(0x99)]);
    assert_eq!((sense[0], sense[7], sense[27]), (0x80, 4, 0x80));
    assert_eq!(m.bad(&[get(0x3e, 64)]).0[7], 2);
}

#[test]
fn the_cache_counts_hits_bypasses_and_destages() {
    let cache = Arc::new(Cache::new(4, 2));
    let options = Options { cache: Some(cache.clone()), ..Options::default() };
    let mut m = Machine::new(Box::new(Eckd::new(filled(), options)));
    let read = |m: &mut Machine, track: u32, attributes: u8| {
        let mut define = extent(0x40, 0, 29);
        define.bytes[1] |= attributes;
        m.good(&[define, locate(0x06, 1, track, 1), get(0x06, 512)]);
    };
    let write = |m: &mut Machine, track: u32| {
        m.good(&[extent(0x80, 0, 29), locate(0x01, 1, track, 1), put(0x05, &[1; 512])]);
    };
    read(&mut m, 1, 0);
    read(&mut m, 1, 0);
    // Bypass; sequential access.
    read(&mut m, 1, 0x04);
    read(&mut m, 1, 0x10);
    let counts = cache.statistics(0);
    assert_eq!((counts.reads, counts.read_hits, counts.bypassed), (3, 1, 1));
    assert_eq!((counts.sequential_reads, counts.sequential_read_hits, counts.staged), (1, 1, 1));
    // The first write of a track brings it in; non-volatile storage has room for two.
    write(&mut m, 1);
    (2..5).for_each(|track| write(&mut m, track));
    let counts = cache.statistics(0);
    assert_eq!((counts.writes, counts.fast_write_hits, counts.delayed, counts.destaged), (4, 1, 2, 2));
    cache.set_storage(false);
    write(&mut m, 1);
    let counts = cache.statistics(0);
    assert_eq!((counts.writes, counts.fast_write_hits, counts.destaged), (5, 1, 4));
    // A device that is not cached any more has nothing left to be destaged, nor to be found later.
    cache.set_storage(true);
    write(&mut m, 1);
    cache.set_device(0, false);
    assert_eq!(cache.statistics(0).destaged, 5);
    cache.set_device(0, true);
    read(&mut m, 1, 0x10);
    let counts = cache.statistics(0);
    assert_eq!((counts.fast_write_hits, counts.sequential_reads, counts.sequential_read_hits), (2, 2, 1));
    // Programs read the same.
    m.good(&[put(0x27, &[0x18, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]), get(0x3e, 192)]);
    assert_eq!(m.data(1, 24)[4..], [0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 6, 0, 0, 0, 2, 0, 0, 0, 2]);
}

#[test]
fn subsystem_status_shows_what_subsystem_mode_set() {
    use devices::dasd::Control;
    let cache = Arc::new(Cache::sized([32 << 20, 4 << 20], 57_344));
    cache.attach(1);
    let with = |control| {
        let options = Options { cache: Some(cache.clone()), unit: 2, ssid: 0x02, control, ..Options::default() };
        Machine::new(Box::new(Eckd::new(Memory::d3390(1), options)))
    };
    let status = |m: &mut Machine| {
        m.good(&[get(0x54, 40)]);
        m.data(0, 40)
    };
    // Overall caching status (4), non-volatile storage status (5), available cache (14-17), device status (26).
    let short = |m: &mut Machine| {
        let b = status(m);
        (b[4], b[5], b[14..18] == b[10..14], b[26])
    };
    let mode = |modes: u8| put(0x87, &[modes, 0]);
    let mut m = with(Control::Subsystem);
    // Format 0 of unit 2, one of two; statistics of 192 bytes; 32 MB, all available; 4 MB of non-volatile storage; SSID
    // 0002.
    let mut all = [0; 40];
    for (at, bytes) in
        [(1, [2, 1, 1]), (5, [0, 0, 192]), (10, [2, 0, 0]), (14, [2, 0, 0]), (28, [0, 0x40, 0]), (37, [0, 0, 2])]
    {
        all[at..at + 3].copy_from_slice(&bytes);
    }
    assert_eq!(status(&mut m), all);
    // Subsystem caching off and on.
    m.good(&[mode(0xc0)]);
    assert_eq!(short(&mut m), (0x80, 0, false, 0));
    assert_eq!(cache.status(2), (false, true, true, true));
    m.good(&[mode(0x80)]);
    // Non-volatile storage off, caching and DASD fast write for the device off, by one command; then on again.
    m.good(&[mode(0x3f)]);
    assert_eq!(short(&mut m), (0, 0x80, true, 0xf0));
    assert_eq!((cache.status(2), cache.status(1)), ((true, false, false, false), (true, false, true, true)));
    m.good(&[mode(0x2a)]);
    m.good(&[mode(0x03)]);
    assert_eq!(short(&mut m), (0, 0, true, 0x30));
    // With authority for the device alone nothing else is changed, nor anything along with it. Without any, reading is
    // allowed.
    let mut m = with(Control::Device);
    m.good(&[mode(0x02), mode(0)]);
    assert_eq!(m.bad(&[mode(0xcc)]).0[7], 1);
    assert_eq!(short(&mut m), (0, 0, true, 0));
    let mut m = with(Control::None);
    assert_eq!(m.bad(&[mode(0x03)]).0[7], 1);
    assert_eq!(short(&mut m), (0, 0, true, 0));
    // A code or a byte that means nothing; one byte; a control unit without non-volatile storage, and one without a
    // cache.
    let mut m = with(Control::Subsystem);
    assert_eq!([mode(0x01), put(0x87, &[0, 1]), put(0x87, &[0])].map(|step| m.bad(&[step]).0[7]), [4, 4, 3]);
    let options = Options { cache: Some(Arc::new(Cache::new(4, 0))), ..Options::default() };
    let mut m = Machine::new(Box::new(Eckd::new(filled(), options)));
    assert_eq!((m.bad(&[mode(0x20)]).0[7], short(&mut m)), (4, (0, 0x80, true, 0)));
    m.good(&[mode(0x0c)]);
    let mut m = machine(&filled());
    assert_eq!((m.bad(&[mode(0x0c)]).0[7], short(&mut m)), (4, (0x80, 0x80, true, 0xf0)));
}

/// A clock that stands until the test moves it.
#[derive(Default)]
struct Still {
    now: std::sync::atomic::AtomicU64,
    bells: std::sync::Mutex<Vec<(u64, devices::dasd::Call)>>,
}

impl devices::dasd::Alarm for Still {
    fn now(&self) -> u64 {
        self.now.load(std::sync::atomic::Ordering::Relaxed)
    }

    fn call(&self, at: u64, what: devices::dasd::Call) {
        self.bells.lock().unwrap().push((at, what));
    }
}

impl Still {
    fn pass(&self, time: u64) {
        let now = self.now.fetch_add(time, std::sync::atomic::Ordering::Relaxed) + time;
        let due: Vec<_> = self.bells.lock().unwrap().extract_if(.., |(at, _)| *at <= now).collect();
        due.into_iter().for_each(|(_, call)| call());
    }
}

#[test]
fn a_channel_program_takes_its_time_if_that_is_wanted() {
    use devices::dasd::timing::{MILLISECOND, Paths, Timing};
    let volume = filled();
    let clock = Arc::new(Still::default());
    let timing = Arc::new(Timing::new(&dasd::Volume::kind(&*volume), Arc::new(Paths::new(1, 4_200_000))));
    let timed = devices::dasd::Timed { device: timing.clone(), alarm: clock.clone() };
    let mut m = Machine::new(Box::new(Eckd::new(volume, Options { timing: Some(timed), ..Options::default() })));
    let program = [extent(0x40, 3, 3), locate(0x06, 1, 3, 1), get(0x86, 512)];
    // Off, as it is until it is turned on.
    m.good(&program);
    assert_eq!(timing.total().0, 0);
    timing.set_on(true);
    for fast in [true, false] {
        m.css.allow_fast_path(0x200, fast);
        let orb = m.lay(&program);
        assert_eq!(m.css.start_subchannel(m.id, &orb), Ok(0));
        let attend = |m: &mut Machine| {
            while m.css.pending().work() {
                m.css.attend();
            }
            m.css.test_subchannel(m.id)
        };
        assert_eq!(attend(&mut m).0, 1, "nothing is pending yet");
        assert_eq!(m.css.start_subchannel(m.id, &orb), Ok(2), "it is busy");
        let taken = timing.total().1;
        clock.pass(MILLISECOND / 100);
        assert_eq!(attend(&mut m).0, 1);
        clock.pass(40 * MILLISECOND);
        let (cc, irb) = attend(&mut m);
        assert_eq!((cc, irb.scsw.device, irb.scsw.ccw.get()), (0, DeviceStatus::ENDED, disk::PROGRAM + 24));
        assert!(taken.connect > 0 && m.data(2, 1) != [0]);
    }
    let done = m.css.counts().fast.done;
    assert_eq!((timing.total().0, done), (2, 2), "the program that was held has taken the fast path");
    // HALT ends what is held, CLEAR forgets it, and a synchronous service does not wait.
    let orb = m.lay(&program);
    assert_eq!(m.css.start_subchannel(m.id, &orb), Ok(0));
    assert_eq!(m.css.halt_subchannel(m.id), 0);
    assert_eq!(m.finish(m.id).scsw.device, DeviceStatus::ENDED);
    assert_eq!(m.css.start_subchannel(m.id, &orb), Ok(0));
    assert_eq!(m.css.clear_subchannel(m.id), 0);
    m.finish(m.id);
    let performed = m.css.perform(m.id, &orb);
    assert!(matches!(performed, Ok((irb, None)) if irb.scsw.device == DeviceStatus::ENDED));
    clock.pass(1000 * MILLISECOND);
    m.css.attend();
    assert_eq!(m.css.test_subchannel(m.id).0, 1, "old bells say nothing");
}
