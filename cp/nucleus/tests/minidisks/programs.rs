//! Programs in virtual machines that use disks: IPL, DIAGNOSE, *BLOCKIO, RESERVE, and channel programs on both ways.

use super::*;

#[test]
fn programs_are_loaded_from_disks() {
    let site = Site::new();
    let (maint, _) = site.log_on("maint");
    let disk = |vdev: u16| site.cp.disks.link("MAINT", vdev).expect("it is linked").volume.clone();
    format(&*disk(0x190));
    perform(&site, &maint, "MAINT", &[], &[]);
    let mut block = [0; 512];
    block[..8].copy_from_slice(&0x000a_0000_0000_0fba_u64.to_be_bytes());
    block[8..16].copy_from_slice(&0x0300_0000_2000_0001_u64.to_be_bytes());
    disk(0x193).write_blocks(0, &block).unwrap();
    maint.says("ipl 193 loadparm x parm y");
    (0..100).for_each(|_| {
        site.cp.step(0);
    });
    assert!(maint.1.take_output().contains("disabled wait PSW 000A0000 00000FBA"));
    assert_eq!(maint.says("ipl 191"), ["HCPVMI232E IPL I/O error on device 0191"]);
}

#[test]
fn diagnoses_read_and_write_blocks() {
    let site = Site::new();
    let (maint, _) = site.log_on("maint");
    let disk = site.cp.disks.link("MAINT", 0x190).expect("it is linked").volume.clone();
    format(&*disk);
    // X'A4' reads blocks 13 and 14 (track 1), writes block 15, and finds no record of its size on track 0.
    let read = words(&[0x0190_0002, 4096, 0x480, 2, 0, 0, 0]);
    let write = words(&[0x0190_0001, 4096, 0x490, 1, 0, 0, 0]);
    let wrong = words(&[0x0190_0002, 4096, 0x498, 1, 0, 0, 0]);
    let list = words(&[13, 0x2000, 14, 0x3000, 15, 0x2000, 1, 0x4000]);
    let blank = [0; 88];
    let program = [
        0x4110_0800,
        0x8312_00a4,
        0xb222_0040,
        0x5040_0500,
        0x50f0_0504, // LA 1; DIAG; IPM 4; ST 4; ST 15
        0x4110_0880,
        0x8312_00a4,
        0xb222_0040,
        0x5040_0508,
        0x50f0_050c, //
        0x4110_0900,
        0x8312_00a4,
        0xb222_0040,
        0x5040_0510,
        0x50f0_0514,
    ];
    let data = [
        (0x800, &blank[..]),
        (0x880, &blank[..]),
        (0x900, &blank[..]),
        (0x800, &read[..]),
        (0x880, &write[..]),
        (0x900, &wrong[..]),
        (0x480, &list[..]),
    ];
    let started = || site.cp.vmdbk("MAINT").unwrap().machine().configuration.css().counts().starts;
    let before = started();
    let guest = perform(&site, &maint, "MAINT", &program, &data);
    assert_eq!(started() - before, 3, "each is counted as I/O");
    let word = |at: u64| guest.read_u32(arch::Absolute(at)).unwrap();
    let (cc, code) = (|n: u64| word(0x500 + 8 * n) >> 28, |n: u64| word(0x504 + 8 * n));
    assert_eq!([(cc(0), code(0)), (cc(1), code(1)), (cc(2), code(2))], [(0, 0), (0, 0), (3, 13)]);
    assert_eq!([word(0x810), word(0x890), word(0x910)], [2, 1, 0], "blocks done");
    assert_eq!((word(0x2000), word(0x3000)), (0x1111_1111, 0x1212_1212));
    assert_eq!(disk.read_track(1).unwrap().records().nth(3).unwrap().data, [0x11; 4096]);

    // X'250' with addresses of 31 bits: INIT, one request that reads and one that does not exist, and REMOVE.
    let init = words(&[0x0190_0000, 0, 0, 0, 0, 0, 4096, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let request = words(&[0x0190_0000, 0, 0, 0, 0, 0, 0, 2, 0, 0xa80, 0, 0, 0, 0, 0, 0]);
    let entries = words(&[0x0200_0000, 24, 0, 0x5000, 0x0200_0000, 3601, 0, 0x5000]);
    let program = [
        0x4120_0a00,
        0x4140_0000,
        0x8324_0250,
        0xb222_0050,
        0x5050_0500,
        0x5030_0504, // LA 2; LA 4; DIAG; IPM 5; ST 5; ST 3
        0x4120_0a40,
        0x4140_0001,
        0x8324_0250,
        0xb222_0050,
        0x5050_0508,
        0x5030_050c, //
        0x4120_0a00,
        0x4140_0002,
        0x8324_0250,
        0xb222_0050,
        0x5050_0510,
        0x5030_0514,
    ];
    let before = started();
    let guest =
        perform(&site, &maint, "MAINT", &program, &[(0xa00, &init[..]), (0xa40, &request[..]), (0xa80, &entries[..])]);
    assert_eq!(started() - before, 1, "INIT and REMOVE do no I/O");
    let word = |at: u64| guest.read_u32(arch::Absolute(at)).unwrap();
    assert_eq!([0u64, 8, 16].map(|n| (word(0x500 + n) >> 28, word(0x504 + n))), [(0, 0), (1, 12), (0, 0)]);
    assert_eq!((word(0xa20), word(0xa24)), (1, 20 * 15 * 12), "the first and the last block");
    assert_eq!((word(0xa80), word(0xa90), word(0x5000)), (0x0200_0000, 0x0201_0000, 0x1c1c_1c1c));

    // X'18' and X'A8': seek, search, read.
    let ccws = words(&[0x0700_0c40, 0x4000_0006, 0x3100_0c42, 0x4000_0005, 0x0800_0c08, 0, 0x0600_6000, 0x2000_1000]);
    let seek = [0, 0, 0, 0, 0, 2, 5];
    let more = words(&[0x0700_0c40, 0x4000_0006, 0x3100_0c42, 0x4000_0005, 0x0800_0c88, 0, 0x0600_7000, 0x2000_1000]);
    let general = words(&[0x0190_0000, 0, 0xc80, 0, 0, 0, 0]);
    let program = [
        0x4110_0190,
        0x4120_0c00,
        0x41f0_0001,
        0x8312_0018,
        0xb222_0050,
        0x5050_0500, // LA 1; LA 2; LA 15; DIAG; IPM 5; ST 5
        0x4110_0d00,
        0x8312_00a8,
        0xb222_0050,
        0x5050_0508,
    ];
    let data = [(0xc00, &ccws[..]), (0xc80, &more[..]), (0xc40, &seek[..]), (0xd00, &blank[..]), (0xd00, &general[..])];
    let before = started();
    let guest = perform(&site, &maint, "MAINT", &program, &data);
    assert_eq!(started() - before, 2);
    let word = |at: u64| guest.read_u32(arch::Absolute(at)).unwrap();
    assert_eq!((word(0x500) >> 28, word(0x508) >> 28, word(0x6000), word(0x7000)), (0, 0, 0x2525_2525, 0x2525_2525));
    assert_eq!((word(0xd10), word(0xd14)), (0xca0, 0x0c00_0000), "channel end, device end, nothing left");
}

#[test]
fn the_block_service_reads_and_writes_on_a_path() {
    let site = Site::new();
    let (maint, _) = site.log_on("maint");
    let disk = site.cp.disks.link("MAINT", 0x190).expect("it is linked").volume.clone();
    format(&*disk);
    let connect = |vdev: u32, size: u32, offset: u32| {
        let mut list = words(&[0x0000_8000, 0, 0, 0, vdev << 16, size, offset, 0, 0, 0]);
        list[8..16].copy_from_slice(&ebcdic::padded::<8>("*BLOCKIO"));
        list
    };
    let send = |path: u32, class: u32, number: u32, buffer: u32, tag: u32| {
        words(&[path << 16 | 0x8000, 0, class, number, buffer, 7, tag, 0, 0, 0])
    };
    // DECLARE BUFFER; four paths, of which the first and the last come about; sends on them; and what they came to.
    let lists: Vec<(u32, Vec<u8>)> = vec![
        (12, words(&[0, 0, 0, 0x1800, 0, 0, 0, 0, 0, 0])),
        (11, connect(0x190, 4096, 0)),
        (11, connect(0x190, 4096, 0)),
        (11, connect(0x777, 4096, 0)),
        (11, connect(0x193, 512, 100)),
        (4, send(0, 0x0200_0000, 13, 0x5000, 0xa)),
        (4, send(0, 0x0100_0000, 14, 0x5000, 0xb)),
        (4, send(0, 0x0200_0000, 3601, 0x5000, 0xc)),
        (4, send(1, 0x0200_0000, 1, 0x5000, 0xd)),
        (4, words(&[0, 0, 0x0300_0000, 0xe00, 48, 7, 0xe, 0, 0, 0])),
        (4, send(3, 0x0200_0000, 0xffff_ff9d, 0x6000, 0xf)),
        (7, words(&[0; 10])),
        (7, words(&[0; 10])),
        (7, words(&[0; 10])),
        (7, words(&[0; 10])),
        (7, words(&[0; 10])),
        (7, words(&[0; 10])),
    ];
    let requests = words(&[0x0200_0000, 15, 0, 0x7000, 0x0100_0000, 16, 0, 0x5000, 0x0900_0000, 17, 0, 0x5000]);
    let (mut program, mut data) = (Vec::new(), vec![(0xe00, &requests[..])]);
    for (n, (function, list)) in lists.iter().enumerate() {
        let at = 0xa00 + 40 * n as u32;
        // LA 0; LA 1; IUCV; IPM 5; ST 5
        program.extend([
            0x4100_0000 | function,
            0x4110_0000 | at,
            0xb2f0_0000,
            0xb222_0050,
            0x5050_0600 | 4 * n as u32,
        ]);
        data.push((u64::from(at), &list[..]));
    }
    let guest = perform(&site, &maint, "MAINT", &program, &data);
    let word = |at: u64| guest.read_u32(arch::Absolute(at)).unwrap();
    let list = |n: u64, offset: u64| word(0xa00 + 40 * n + offset);
    let cc: Vec<u32> = (0..17).map(|n| word(0x600 + 4 * n) >> 28).collect();
    assert_eq!(cc, [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2]);
    assert_eq!((list(4, 0) >> 16, list(8, 0) & 0xff), (3, 1), "the path to nowhere takes no messages");
    // Status and blocks done, in the order in which they were asked for.
    let replies: Vec<_> = (11..16).map(|n| (list(n, 24), list(n, 12), list(n, 16))).collect();
    assert_eq!(replies, [(0xa, 0, 1), (0xb, 0, 1), (0xc, 1, 0), (0xe, 12, 2), (0xf, 0, 1)]);
    assert_eq!((word(0x5000), word(0x7000)), (0x1111_1111, 0x1313_1313));
    let record = |n: usize| disk.read_track(1).unwrap().records().nth(n).unwrap().data.to_vec();
    assert_eq!([record(2), record(4)], [[0x11; 4096], [0x11; 4096]]);
    assert_eq!([0xe00, 0xe10, 0xe20].map(word), [0x0200_0000, 0x0100_0000, 0x0906_0000]);
    // What the program was not told as its CPU was disabled.
    let vmdbk = site.cp.vmdbk("MAINT").unwrap();
    let told = |id: u32| {
        site.cp.iucv.lock().unwrap().take(id, 0).map(|i| (i.list.kind(), i.list.path(), i.list.user()[..9].to_vec()))
    };
    let user = |first: u32, last: u32| [&first.to_be_bytes()[..], &last.to_be_bytes()[..], &[0]].concat();
    let why = |reason: u8| [vec![reason], vec![0; 8]].concat();
    assert_eq!(told(vmdbk.id), Some((2, 0, user(1, 3600))));
    assert_eq!(told(vmdbk.id), Some((3, 1, why(28))));
    assert_eq!(told(vmdbk.id), Some((3, 2, why(16))));
    assert_eq!(told(vmdbk.id), Some((2, 3, user(0xffff_ff9d, 0))));
    // A disk that goes takes its path with it.
    maint.says("detach 193");
    assert_eq!(told(vmdbk.id), Some((3, 3, why(16))));
    assert_eq!(told(vmdbk.id), None);
}

#[test]
fn channel_programs_are_assisted_unless_told_otherwise() {
    let site = Site::new();
    let (maint, _) = site.log_on("maint");
    let disk = site.cp.disks.link("MAINT", 0x190).expect("it is linked").volume.clone();
    format(&*disk);
    // X'A8': seek, search, read.
    let ccws = words(&[0x0700_0c40, 0x4000_0006, 0x3100_0c42, 0x4000_0005, 0x0800_0c88, 0, 0x0600_7000, 0x2000_1000]);
    let general = words(&[0x0190_0000, 0, 0xc80, 0, 0, 0, 0]);
    let (seek, blank) = ([0, 0, 0, 0, 0, 2, 5], [0; 88]);
    let data = [(0xc80, &ccws[..]), (0xc40, &seek[..]), (0xd00, &blank[..]), (0xd00, &general[..])];
    let counted = || {
        let line = maint.says("query ioassist").remove(0);
        let number = |word: &str| {
            let rest = line.split_once(word).unwrap().1;
            rest.split(' ').next().unwrap().parse::<u64>().unwrap()
        };
        (line.contains("IOASSIST ON"), number("DONE="), number("NOT ELIGIBLE="))
    };
    let run = || {
        let before = counted();
        let guest = perform(&site, &maint, "MAINT", &[0x4110_0d00, 0x8312_00a8], &data);
        assert_eq!(guest.read_u32(arch::Absolute(0x7000)).unwrap(), 0x2525_2525);
        counted().1 - before.1
    };
    assert_eq!((counted().0, run()), (true, 1));
    maint.says("set ioassist off");
    assert_eq!((counted().0, run()), (false, 0));
    // A disk that comes later, too.
    maint.says("detach 190");
    maint.says("link * 190 190 mr");
    assert_eq!(run(), 0);
    maint.says("set ioassist on");
    assert_eq!(run(), 1);
    assert_eq!(maint.says("set ccwtran off"), ["HCPCMD002E Invalid operand - OFF"]);
    assert_eq!(maint.says("query ccwtran"), ["CCWTRAN ON"]);
}

/// A RESERVE of a minidisk keeps out users who have a part of it, or what it is a part of. It ends with RELEASE or the
/// link.
#[test]
fn a_reserve_is_seen_wherever_minidisks_overlap() {
    let site = Site::new();
    let (maint, _) = site.log_on("maint");
    let (u1, _) = site.log_on("u1");
    format(&*site.cp.disks.link("MAINT", 0x190).expect("it is linked").volume.clone());
    // X'A8' with one command that transfers 32 bytes: RESERVE, RELEASE, or READ DEVICE CHARACTERISTICS.
    let blank = [0; 88];
    let command = |seat: &Seat<'_>, user: &str, vdev: u32, code: u32| {
        let ccw = words(&[code << 24 | 0x7000, 0x2000_0020]);
        let general = words(&[vdev << 16, 0, 0xc80, 0, 0, 0, 0]);
        let program = [0x4110_0d00, 0x8312_00a8, 0xb222_0050, 0x5050_0500, 0x50f0_0504];
        let data = [(0xc80, &ccw[..]), (0xd00, &blank[..]), (0xd00, &general[..])];
        let guest = perform(&site, seat, user, &program, &data);
        let word = |at: u64| guest.read_u32(arch::Absolute(at)).unwrap();
        (word(0x500) >> 28, if word(0x500) >> 28 == 0 { 0 } else { word(0x504) })
    };
    const RESERVE: u32 = 0xb4;
    const RELEASE: u32 = 0x94;
    const READ: u32 = 0x64;
    const BUSY: (u32, u32) = (1, 5);
    // X'18' and X'20' with seek, search and a read.
    let service = |code: u32| {
        let ccws =
            words(&[0x0700_0c40, 0x4000_0006, 0x3100_0c42, 0x4000_0005, 0x0800_0c88, 0, 0x0600_7000, 0x2000_1000]);
        let (list, ready) = ([0x4110_0191, 0x4120_0c80, 0x41f0_0001], 0x8312_0000 | code);
        let program = [&list[..], &[ready, 0xb222_0050, 0x5050_0500, 0x50f0_0504]].concat();
        let data = [(0xc80, &ccws[..]), (0xc40, &[0, 0, 0, 0, 0, 2, 5])];
        let guest = perform(&site, &u1, "U1", &program, &data);
        let word = |at: u64| guest.read_u32(arch::Absolute(at)).unwrap();
        (word(0x500) >> 28, word(0x504))
    };
    // MAINT 191 is cylinders 30 to 34 and U1 191 is 32 to 35; both have 190, which lies elsewhere.
    assert!(service(0x18) != BUSY && service(0x20) != BUSY);
    assert_eq!(command(&maint, "MAINT", 0x191, RESERVE), (0, 0));
    assert_eq!(command(&u1, "U1", 0x191, READ), BUSY);
    assert_eq!((service(0x18), service(0x20)), (BUSY, BUSY));
    assert_eq!(command(&u1, "U1", 0x190, READ), (0, 0));
    let details = |seat: &Seat<'_>, vdev: &str| seat.says(&format!("query virtual {vdev} details")).remove(2);
    assert!(details(&u1, "191").ends_with(", RESERVED") && details(&u1, "190").ends_with(", NOT RESERVED"));
    assert!(details(&maint, "123").ends_with(", RESERVED"), "the whole volume has a part that is");
    // A reset releases.
    maint.says("system reset");
    assert_eq!(command(&u1, "U1", 0x191, READ), (0, 0));
    assert_eq!(command(&maint, "MAINT", 0x123, RESERVE), (0, 0));
    assert!(["190", "191"].iter().all(|vdev| details(&u1, vdev).ends_with(", RESERVED")));
    maint.says("detach 123");
    assert_eq!(command(&u1, "U1", 0x191, READ), (0, 0));
    assert_eq!(command(&u1, "U1", 0x191, RESERVE), (0, 0));
    assert_eq!(command(&maint, "MAINT", 0x191, READ), BUSY);
    assert_eq!(command(&u1, "U1", 0x191, RELEASE), (0, 0));
    assert_eq!(command(&maint, "MAINT", 0x191, READ), (0, 0));
}

#[test]
fn disks_take_their_time_when_they_are_told_to() {
    let site = Site::new();
    let clock = Arc::new(Time::default());
    site.cp.disks.set_alarm(clock.clone());
    let (maint, _) = site.log_on("maint");
    format(&*site.cp.disks.link("MAINT", 0x190).expect("it is linked").volume.clone());
    assert_eq!(maint.says("query timing 201")[0], "0201 TIMING OFF PROGRAMS=0 RESPONSE=0.0");
    assert_eq!(maint.says("set timing on 200-2ff"), Vec::<String>::new());
    let machine = site.cp.vmdbk("MAINT").unwrap().machine();
    let id = machine.configuration.css().find(0x190).expect("it is there").number();
    let guest = machine.configuration.storage().clone();
    let put = |at: u64, words: &[u32]| {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        guest.write(arch::Absolute(at), &bytes).unwrap();
    };
    // L 1; STSCH, OI, MSCH: enabled; LCTL 6; SSCH; a wait for its interruption; the new PSW is another wait.
    put(0x200, &[0x5810_0600, 0xb234_0680, 0x9680_0685, 0xb232_0680, 0xb766_0610, 0xb233_0700, 0x8200_0608]);
    put(0x78, &[0x000a_0000, 0x0000_0abc]);
    put(0x600, &[0x0001_0000 | u32::from(id), 0, 0x020a_0000, 0x8000_0000, 0x8000_0000]);
    put(0x700, &[0, 0x0080_ff00, 0xc00, 0, 0, 0, 0, 0]);
    put(0xc00, &[0x0740_0006, 0xc40, 0x3140_0005, 0xc42, 0x0800_0000, 0xc08, 0x0620_1000, 0x6000]);
    put(0xc40, &[0, 0x0002_0500]);
    let steps = || {
        (0..50).for_each(|_| {
            site.cp.step(0);
        });
        maint.1.take_output().contains("disabled wait PSW 000A0000 00000ABC")
    };
    // IPL itself does not wait; the program waits for its record until it has come round.
    maint.says("ipl 190");
    assert!(!steps());
    clock.pass(1);
    assert!(!steps());
    clock.pass(60);
    assert!(steps());
    assert_eq!(guest.read_u32(arch::Absolute(0x6000)).unwrap(), 0x2525_2525);
    let line = maint.says("query timing 201").remove(0);
    let response: f64 = line.split_once("RESPONSE=").unwrap().1.parse().unwrap();
    assert!(line.starts_with("0201 TIMING ON PROGRAMS=2 ") && (1.0..60.0).contains(&response), "{line}");
    // What the minidisk cache has needs no disk.
    maint.says("ipl 190");
    assert!(steps());
}

#[test]
fn a_program_may_have_passwords_rejected_on_the_command_line() {
    let site = Site::new();
    let (_maint, _) = site.log_on("maint");
    format(&*site.cp.disks.link("MAINT", 0x190).expect("it is linked").volume.clone());
    let (u1, _) = site.log_on("u1");
    let text = base::ebcdic::from_str("LINK MAINT 191 291 RR READ");
    let length = text.len() as u32;
    let flags = words(&[0x8000_0000 | length, length]);
    // LA 1; L 2; DIAG; ST 2: first with X'80', then without.
    let program =
        [0x4110_0800, 0x5820_0880, 0x8312_0008, 0x5020_0500, 0x4110_0800, 0x5820_0884, 0x8312_0008, 0x5020_0504];
    let guest = perform(&site, &u1, "U1", &program, &[(0x800, &text[..]), (0x880, &flags[..])]);
    let word = |at: u64| guest.read_u32(arch::Absolute(at)).unwrap();
    assert_eq!((word(0x500), word(0x504)), (118, 0));
}

#[test]
fn general_io_is_over_when_the_instruction_is() {
    let site = Site::new();
    let (maint, _) = site.log_on("maint");
    format(&*site.cp.disks.link("MAINT", 0x190).expect("it is linked").volume.clone());
    // Seek, search, and a read into X'6000': of the record, of a part of it without and with a wish to be told, and no
    // command.
    let program_at = |at: u32, command: u32, flags: u32, count: u32| {
        let ccws = [0x0700_0c00, 0x4000_0006, 0x3100_0c02, 0x4000_0005, 0x0800_0008 + at, 0];
        words(&[&ccws[..], &[command << 24 | 0x6000, flags << 24 | count]].concat())
    };
    let programs = [
        (0xc40, program_at(0xc40, 0x06, 0, 4096)),
        (0xc80, program_at(0xc80, 0x06, 0x20, 8)),
        (0xcc0, program_at(0xcc0, 0x06, 0, 8)),
        (0xd00, program_at(0xd00, 0xff, 0x20, 8)),
    ];
    let seek = [0, 0, 0, 0, 0, 2, 5];
    let calls = [(0x190, 0xc40), (0x190, 0xc80), (0x190, 0xcc0), (0x190, 0xd00), (0x777, 0xc40), (0x009, 0xc40)];
    let mut program = Vec::new();
    for (n, (vdev, at)) in calls.iter().enumerate() {
        // LA 1; LA 2; XR 15,15 and NOPR; DIAG; IPM 5; ST 5; ST 15
        let store = 0x500 + 8 * n as u32;
        program.extend([0x4110_0000 | vdev, 0x4120_0000 | at, 0x17ff_0700, 0x8312_0020, 0xb222_0050]);
        program.extend([0x5050_0000 | store, 0x50f0_0004 | store]);
    }
    let mut data = vec![(0xc00, &seek[..])];
    data.extend(programs.iter().map(|(at, bytes)| (*at, &bytes[..])));
    let guest = perform(&site, &maint, "MAINT", &program, &data);
    let word = |at: u64| guest.read_u32(arch::Absolute(at)).unwrap();
    let answers: Vec<(u32, u32)> = (0..6).map(|n| (word(0x500 + 8 * n) >> 28, word(0x504 + 8 * n))).collect();
    // Command reject is the first sense byte.
    assert_eq!(answers, [(0, 0), (0, 0), (2, 2), (3, 0x8000_000d), (1, 1), (1, 1)]);
    assert_eq!((word(0x6000), word(0x6ffc)), (0x2525_2525, 0x2525_2525));
}
