//! LOCATE RECORD EXTENDED and PREFIX (IBM Internal Disk Subsystem Reference Guide, SA22-1025, chapter 4).

mod disk;

use arch::io::DeviceStatus;
use devices::dasd::{Eckd, Options};
use disk::{Machine, Memory, Step, extent, get, locate_bytes, put};
use std::sync::Arc;

fn machine(volume: &Arc<Memory>) -> Machine {
    Machine::new(Box::new(Eckd::new(volume.clone(), Options::default())))
}

/// Three cylinders; three records of 512 bytes on each track but the last, which has none.
fn filled() -> Arc<Memory> {
    let volume = Memory::d3390(3);
    for track in 0..44u8 {
        let [a, b, c] = [1, 2, 3].map(|record| [4 * track + record; 512]);
        volume.fill(track.into(), &[(&[][..], &a[..]), (&[], &b), (&[], &c)]);
    }
    volume
}

/// A LOCATE RECORD EXTENDED with its extended parameter.
fn located(operation: u8, extended: u8, [auxiliary, count]: [u8; 2], track: u32, parameter: &[u8]) -> Step {
    let mut b = locate_bytes(operation, count, track, 1);
    b[1] = auxiliary;
    b.extend([0, extended, 0, parameter.len() as u8]);
    b.extend(parameter);
    put(0x4b, &b)
}

/// Sense bytes that say what was wrong: 0, 1 and 7.
fn fault(m: &mut Machine, steps: &[Step]) -> [u8; 3] {
    let (sense, _) = m.bad(steps);
    [sense[0], sense[1], sense[7]]
}

const SEQUENCE: [u8; 3] = [0x80, 0, 2];
const PARAMETER: [u8; 3] = [0x80, 0, 4];
const PROTECTED: [u8; 3] = [0, 4, 0];
const NOT_FOUND: [u8; 3] = [0, 8, 0];

#[test]
fn read_any_takes_the_records_of_a_track_round_and_round() {
    let mut m = machine(&filled());
    let any = |auxiliary, count| located(0x3f, 0x0a, [auxiliary, count], 7, &[1]);
    m.good(&[extent(0x40, 7, 7), any(0, 4), get(0x86, 512), get(0x92, 8), get(0x9e, 520), get(0x86, 512)]);
    assert_eq!([m.data(2, 512), m.data(5, 512)], [[29; 512], [29; 512]]);
    assert_eq!(m.data(3, 8), [0, 0, 0, 7, 2, 0, 2, 0]);
    assert_eq!((m.data(4, 9)[..8].to_vec(), m.data(4, 9)[8]), (vec![0, 0, 0, 7, 3, 0, 2, 0], 31));
    // The count suffix tells which record follows: after all of them, the first.
    m.good(&[extent(0x40, 7, 7), any(1, 4), get(0x86, 512), get(0x86, 512), get(0x86, 512), get(0x92, 8)]);
    assert_eq!(m.data(5, 8), [0, 0, 0, 7, 1, 0, 2, 0]);
    // Nothing else follows, and no more than was counted.
    for code in [0x06, 0x0e, 0x8e, 0x12, 0x1e, 0xde, 0xa6, 0x07, 0x47] {
        assert_eq!(fault(&mut m, &[extent(0x40, 7, 7), any(0, 2), get(code, 512)]), SEQUENCE, "{code:02X}");
    }
    assert_eq!(fault(&mut m, &[extent(0x40, 7, 7), any(0, 1), get(0x86, 512), get(0x86, 512)]), SEQUENCE);
    assert_eq!(fault(&mut m, &[extent(0x40, 7, 7), any(1, 2), get(0x86, 512), get(0x86, 512)]), SEQUENCE);
    // A set of one track, one byte long; a track outside the extent, and one without records.
    for parameter in [&[][..], &[0], &[2], &[1, 0]] {
        let located = located(0x3f, 0x0a, [0, 1], 7, parameter);
        assert_eq!(fault(&mut m, &[extent(0x40, 7, 7), located]), PARAMETER, "{parameter:?}");
    }
    let at = |track| located(0x3f, 0x0a, [0, 1], track, &[1]);
    assert_eq!(fault(&mut m, &[extent(0x40, 7, 7), at(8)]), PROTECTED);
    assert_eq!(fault(&mut m, &[extent(0x40, 0, 44), at(44)]), NOT_FOUND);
}

#[test]
fn write_any_updates_records_and_tells_which() {
    let volume = filled();
    let mut m = machine(&volume);
    let any = |auxiliary, count| located(0x3f, 0x09, [auxiliary, count], 7, &[1]);
    let [a, b] = [0xaa, 0xbb].map(|byte| put(0x85, &[byte; 512]));
    m.good(&[extent(0x80, 7, 7), any(1, 3), a.clone(), b.clone(), get(0x92, 8)]);
    assert_eq!(m.data(4, 8), [0, 0, 0, 7, 3, 0, 2, 0]);
    let found = |track| volume.track(track).records().skip(1).map(|record| record.data[0]).collect::<Vec<_>>();
    assert_eq!(found(7), [0xaa, 0xbb, 31]);
    // The fourth is the first again.
    m.good(&[extent(0x80, 7, 7), any(0, 4), b.clone(), b.clone(), b.clone(), a.clone()]);
    assert_eq!((found(7), found(8)), (vec![0xaa, 0xbb, 0xbb], vec![33, 34, 35]));
    // A mask that inhibits writes; other commands.
    assert_eq!(fault(&mut m, &[extent(0x40, 7, 7), any(0, 1), a.clone()]), SEQUENCE);
    for code in [0x05, 0x0d, 0x8d, 0x1d, 0xa5] {
        assert_eq!(fault(&mut m, &[extent(0x80, 7, 7), any(0, 2), put(code, &[0; 512])]), SEQUENCE, "{code:02X}");
    }
    assert_eq!(fault(&mut m, &[extent(0x80, 7, 7), any(0, 2), get(0x92, 8)]), SEQUENCE);
}

#[test]
fn a_count_suffix_follows_updates_and_reads() {
    let mut m = machine(&filled());
    let update = |n: u8| put(0x85, &[n; 512]);
    for locate in [0x47, 0x4b] {
        let mut step = located(0x01, 0, [1, 4], 7, &[]);
        step.code = locate;
        // After the last record of a track it is the first of the next.
        m.good(&[extent(0x80, 7, 8), step.clone().sli(), update(1), update(2), update(3), get(0x92, 8)]);
        assert_eq!(m.data(5, 8), [0, 0, 0, 8, 1, 0, 2, 0]);
        assert_eq!(fault(&mut m, &[extent(0x80, 7, 8), step.sli(), update(1), get(0x92, 8)]), SEQUENCE);
    }
    let read = located(0x16, 0, [1, 2], 7, &[]);
    m.good(&[extent(0x40, 7, 8), read.clone(), get(0x86, 512), get(0x92, 8)]);
    assert_eq!(m.data(3, 8), [0, 0, 0, 7, 2, 0, 2, 0]);
    assert_eq!(fault(&mut m, &[extent(0x40, 7, 8), read, get(0x86, 512), get(0x86, 512)]), SEQUENCE);
}

#[test]
fn sets_of_tracks_are_read_and_written() {
    let volume = filled();
    let mut m = machine(&volume);
    let image = |track| volume.track(track).image()[5..].to_vec();
    let length = image(7).len();
    let tracks = |m: &Machine, steps: &[usize]| steps.iter().map(|step| m.data(*step, length)).collect::<Vec<_>>();
    // 7, 9, 10 and 16, of those from 7 to 22.
    let (map, set) = ([0b1011_0000, 0b0100_0000], [7, 9, 10, 16]);
    let read = |operation, map: &[u8], count| located(operation, 0x0e, [0, count], 7, map);
    let track = || get(0xde, length as u16);
    m.good(&[extent(0x40, 7, 16), read(0x7f, &map, 4), track(), track(), track(), track()]);
    assert_eq!(tracks(&m, &[2, 3, 4, 5]), set.map(image));
    // Written elsewhere, with nothing between them touched.
    let write = |map: &[u8], count| located(0x3f, 0x11, [0, count], 30, map);
    let (two, three) = (image(31), image(33));
    m.good(&[extent(0x00, 30, 36), write(&[0b1010_1000], 3), put(0x95, &two), put(0x95, &three), put(0x95, &two)]);
    assert_eq!([30, 31, 32, 33, 34].map(image), [two.clone(), two.clone(), three.clone(), three, two.clone()]);
    // As many bits as are counted, the first of them the track that is sought, all of them in the extent.
    for (map, count) in
        [(&[0b1011_0000][..], 2), (&[0b1011_0000], 4), (&[0b0111_0000], 3), (&[0x80, 0, 0], 1), (&[], 0)]
    {
        let steps = [extent(0x40, 7, 30), read(0x3f, map, count)];
        assert_eq!(fault(&mut m, &steps), PARAMETER, "{map:?}, {count}");
    }
    assert_eq!(fault(&mut m, &[extent(0x40, 7, 15), read(0x3f, &map, 4)]), PROTECTED);
    assert_eq!(fault(&mut m, &[extent(0x00, 30, 33), write(&[0b1010_1000], 3)]), PROTECTED);
    // Whole tracks alone, and a mask that permits format writes.
    assert_eq!(fault(&mut m, &[extent(0x40, 7, 16), read(0x3f, &map, 4), get(0xa6, 512)]), SEQUENCE);
    for mask in [0x40, 0x80] {
        assert_eq!(fault(&mut m, &[extent(mask, 30, 36), write(&[0x80], 1), put(0x95, &two)]), SEQUENCE);
    }
}

/// Reports of z/VM had READ COUNT (92) end with File Protected on a track with fewer records than were counted. So it
/// does: the next record is on a track outside the extent. What a program wants that takes as many as it likes is Read
/// Any.
#[test]
fn more_records_than_a_track_has_lead_out_of_the_extent() {
    let mut m = machine(&filled());
    let pairs = |first: Step| {
        let mut steps = vec![extent(0x40, 7, 7), first];
        (0..4).for_each(|_| steps.extend([get(0x92, 8), get(0x86, 512)]));
        steps
    };
    for track in [7, 8] {
        let mut steps = pairs(located(0x16, 0, [0, 8], track, &[]));
        steps[0] = extent(0x40, track, track);
        let (sense, done) = m.bad(&steps);
        // Record 1 was found, READ COUNT takes the two after it; then it is at the last track still.
        assert_eq!((sense[0], sense[1], sense[7], done), (0, 4, 0, 7));
        assert_eq!(sense[29..], [0, 0, track as u8]);
    }
    m.good(&pairs(located(0x3f, 0x0a, [0, 8], 7, &[1])));
}

/// "Write Home Address": it is verified, as ICKDSF's channel programs expect.
#[test]
fn a_home_address_is_written_where_it_is_found_and_only_there() {
    let volume = filled();
    let mut m = machine(&volume);
    let home = |flags: u8, track: u32| put(0x19, &[&[flags][..], &disk::cchh(track)].concat());
    let r0 = put(0x15, &[&disk::cchh(7)[..], &[0, 0, 0, 8], &[0; 8]].concat());
    let located = |operation: u8, count: u8| disk::locate(operation, count, 7, 0);
    m.good(&[extent(0xc0, 7, 7), located(0x43, 2), home(0, 7), r0.clone()]);
    assert_eq!(volume.track(7).records().count(), 1);
    // After a search, without a domain; not after none, nor in another domain.
    m.good(&[disk::seek(8), put(0x1f, &[0xc0]), put(0x39, &disk::cchh(8)), disk::tic(2), home(0, 8)]);
    assert_eq!(volume.track(8).records().count(), 1);
    assert_eq!(fault(&mut m, &[disk::seek(9), put(0x1f, &[0xc0]), home(0, 9)]), SEQUENCE);
    assert_eq!(fault(&mut m, &[extent(0xc0, 9, 9), disk::locate(0x03, 1, 9, 0), home(0, 9)]), SEQUENCE);
    // Another track's address, flags that are not zero, too few bytes, a mask that does not permit it.
    let found = |step: Step, mask| [extent(mask, 9, 9), disk::locate(0x43, 1, 9, 0), step];
    assert_eq!(fault(&mut m, &found(home(0, 10), 0xc0)), PARAMETER);
    assert_eq!(fault(&mut m, &found(home(2, 9), 0xc0)), PARAMETER);
    assert_eq!(fault(&mut m, &found(put(0x19, &[0, 0, 0, 0]), 0xc0)), [0x80, 0, 3]);
    assert_eq!(fault(&mut m, &found(home(0, 9), 0x00)), PROTECTED);
    assert_eq!(volume.track(9).records().count(), 4);
}

/// Tables 4-13 and 4-16: every operation byte with every extended operation, and every auxiliary byte with those that
/// are valid.
#[test]
fn no_other_operation_is_taken() {
    // The operation bytes, byte 17, the lengths of the extended parameter, and whether there may be a count suffix.
    let table: &[(&[u8], u8, &[u8], bool)] = &[
        (&[0x01, 0x81], 0x00, &[0], true),
        (&[0x03, 0x43], 0x00, &[0], false),
        // Of Linux and z/VM.
        (&[0x06, 0x46, 0x86, 0xc6], 0x00, &[0], false),
        (&[0x0b], 0x00, &[0], false),
        (&[0x0c, 0x4c], 0x00, &[0], false),
        (&[0x16, 0x56, 0x96, 0xd6], 0x00, &[0], true),
        (&[0x3f], 0x09, &[1], true),
        (&[0x3f], 0x0a, &[1], true),
        (&[0x3f, 0x7f], 0x0e, &[1, 2], false),
        (&[0x3f], 0x11, &[1, 2], false),
        // Of Linux.
        (&[0x3f], 0x23, &[0], false),
    ];
    let row = |operation: u8, extended: u8| table.iter().find(|row| row.0.contains(&operation) && row.1 == extended);
    let mut m = machine(&filled());
    let mut outcome = |[operation, extended]: [u8; 2], [auxiliary, count]: [u8; 2], parameter: &[u8]| {
        let irb = m.run(&[extent(0xc0, 0, 43), located(operation, extended, [auxiliary, count], 7, parameter).sli()]);
        match irb.scsw.device {
            DeviceStatus::ENDED => None,
            _ => Some([irb.ecw[0], irb.ecw[1], irb.ecw[7]]),
        }
    };
    let (mut taken, mut cases) = (0, 0);
    for codes in 0..=0xffff_u16 {
        let [operation, extended] = codes.to_be_bytes();
        let row = row(operation, extended);
        for (length, map) in [(0, [0x80, 0]), (1, [0x80, 0]), (1, [1, 0]), (2, [0x80, 0])] {
            let any = matches!((operation, extended), (0x3f, 0x09 | 0x0a));
            let fits = length == 0 || (map[0] == 1) == any;
            let valid = row.is_some_and(|row| row.2.contains(&length)) && fits;
            let found = outcome([operation, extended], [0, 1], &map[..length.into()]);
            assert_eq!(found, (!valid).then_some(PARAMETER), "{codes:04X}, {length} bytes, {map:?}");
            (taken, cases) = (taken + u32::from(valid), cases + 1);
        }
    }
    assert_eq!((taken, cases), (15 + 2 + 4 + 2 + 1, 4 * 0x1_0000));
    for (operations, extended, lengths, suffix) in table {
        let map = if matches!(extended, 0x09 | 0x0a) { [1, 0] } else { [0xc0, 0] };
        let parameter = &map[..lengths[0].into()];
        for (auxiliary, count) in (0..=0xff).flat_map(|auxiliary| [(auxiliary, 1), (auxiliary, 2)]) {
            let map = if count == 1 && map[0] == 0xc0 { &[0x80, 0][..lengths[0].into()] } else { parameter };
            let valid = match auxiliary {
                0x00 | 0x80 => true,
                0x01 | 0x81 => *suffix && count == 2,
                _ => false,
            };
            let found = outcome([operations[0], *extended], [auxiliary, count], map);
            assert_eq!(found, (!valid).then_some(PARAMETER), "{extended:02X}, {auxiliary:02X}, {count}");
        }
    }
}

/// z/VM's CDPFX: formats 0 and 1, with or without an extent. Whatever else the first bytes say, nothing is done that
/// was not understood.
#[test]
fn a_prefix_of_another_format_is_refused() {
    let mut m = machine(&filled());
    let read = locate_bytes(0x06, 1, 7, 2);
    let prefix = |format: u8, valid: u8| {
        let mut b = vec![format, valid, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        b.extend(extent(0x40, 7, 7).bytes);
        b.resize(44, 0);
        b.extend(&read);
        b.resize(64, 0);
        put(0xe7, &b)
    };
    for format in 0..=255 {
        for valid in 0..=255 {
            let step = prefix(format, valid);
            let defined = valid & 0x80 != 0;
            if format > 1 || valid & 0x20 != 0 {
                assert_eq!(fault(&mut m, &[step]), PARAMETER, "{format}, {valid:02X}");
            } else if format == 1 && !defined {
                assert_eq!(fault(&mut m, &[step]), SEQUENCE, "{valid:02X}");
            } else if format == 1 {
                m.good(&[step, get(0x86, 512)]);
                assert_eq!(m.data(1, 512), [30; 512]);
            } else {
                m.good(&[step.sli()]);
            }
        }
    }
    let short = |format, length: usize| put(0xe7, &prefix(format, 0x80).bytes[..length]);
    assert_eq!([short(0, 27), short(1, 63)].map(|step| fault(&mut m, &[step])), [[0x80, 0, 3]; 2]);
}
