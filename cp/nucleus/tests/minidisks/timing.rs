//! Disks that take their time (SET TIMING), as block services and fixed-block disks do too, and what the control unit's
//! cache counts of them. And block services where another user has the disk reserved.

use super::{Seat, Site, format, words};
use arch::interruption::external;
use base::ebcdic;
use dasd::{Extent, Track};
use std::sync::Arc;

const DIRECTORY: &str = "\
USER OPERATOR OPERATOR 1M 1M ABCDEFG
 CONSOLE 009 3215 T
USER MAINT MAINT 1M 2M BG
 CONSOLE 009 3215 T
 MDISK 190 3390 1 20 USR001 MR
 MDISK 191 3390 1 19 USR001 MR
 MINIOPT NOCACHE
 MDISK 193 FB-512 64 1024 FBA001 MR
 MDISK 194 FB-512 V-DISK 512
USER OTHER OTHER 1M 2M G
 CONSOLE 009 3215 T
 LINK MAINT 190 190 MW
 MDISK 195 3390 1 20 USR001 MW
 MINIOPT NOMDC NOCACHE
";

/// MAINT is logged on, and its count-key-data disks have cylinder 0 formatted.
struct Maint<'a> {
    site: &'a Site,
    seat: Seat<'a>,
}

impl Maint<'_> {
    fn log_on(site: &Site) -> Maint<'_> {
        let reals = site.cp.disks.reals();
        let pack = reals.iter().find(|real| real.number == 0x201).expect("it is installed").volume.clone();
        format(&Extent::new(pack, 1, 20, false).expect("it lies on the volume"));
        Maint { site, seat: site.log_on("maint").0 }
    }

    fn says(&self, line: &str) -> Vec<String> {
        self.seat.says(line)
    }

    fn guest(&self) -> Arc<storage::Storage> {
        self.site.cp.vmdbk("MAINT").expect("it is logged on").machine().configuration.storage().clone()
    }

    fn put(&self, at: u64, data: &[u32]) {
        self.guest().write(arch::Absolute(at), &words(data)).unwrap();
    }

    /// Whether a program that was started has come to its end.
    fn ends(&self) -> bool {
        (0..50).for_each(|_| {
            self.site.cp.step(0);
        });
        self.seat.1.take_output().contains("disabled wait PSW 000A0000 00000ABC")
    }

    /// Starts a program that ends in a disabled wait.
    fn start(&self, program: &[u32]) {
        self.put(0x200, &[program, &[0x8200_05f0]].concat());
        self.put(0x5f0, &[0x000a_0000, 0xabc]);
        self.says("ipl 190");
    }

    /// Runs a program, and tells whether it had to wait for a disk.
    fn waits(&self, program: &[u32]) -> bool {
        self.start(program);
        if self.ends() {
            return false;
        }
        self.site.time.pass(1);
        assert!(!self.ends(), "not after a millisecond");
        self.site.time.pass(80);
        assert!(self.ends(), "the disk has come round");
        true
    }
}

/// LA 1; DIAGNOSE X'A4' of a list of `blocks`, to write or to read.
fn a4(maint: &Maint<'_>, vdev: u32, size: u32, write: bool, blocks: &[u32]) -> Vec<u32> {
    let kind = if write { 1 } else { 2 };
    maint.put(0x800, &[vdev << 16 | kind, size, 0x480, blocks.len() as u32, 0, 0, 0]);
    let list: Vec<u32> = blocks.iter().flat_map(|&block| [block, 0x4000]).collect();
    maint.put(0x480, &list);
    vec![0x4110_0800, 0x8312_00a4]
}

/// INIT and IOREQ of DIAGNOSE X'250' that read one block; with `asynchronous` the end is an external interruption.
fn x250(maint: &Maint<'_>, vdev: u32, block: u32, asynchronous: bool) -> Vec<u32> {
    let flags = if asynchronous { 0x0002_0000 } else { 0 };
    maint.put(0xa00, &[vdev << 16, 0, 0, 0, 0, 0, 4096, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    maint.put(0xa40, &[vdev << 16, 0, 0, 0, 0, 0, flags, 1, 0, 0xa80, 0x1234_5678, 0, 0, 0, 0, 0]);
    maint.put(0xa80, &[0x0200_0000, block, 0, 0x5000]);
    vec![0x4120_0a00, 0x4140_0000, 0x8324_0250, 0x4120_0a40, 0x4140_0001, 0x8324_0250]
}

#[test]
fn block_services_take_the_time_of_their_disks() {
    let site = Site::with(DIRECTORY);
    let maint = Maint::log_on(&site);
    assert!(!maint.waits(&a4(&maint, 0x190, 4096, false, &[13, 14])), "as long as nobody has said so");
    maint.says("set mdcache system flush");
    maint.says("set timing on 200-2ff");
    for program in [a4(&maint, 0x190, 4096, false, &[25, 26]), x250(&maint, 0x190, 40, false)] {
        assert!(maint.waits(&program));
        assert!(!maint.waits(&program), "the minidisk cache has it");
    }
    // A write goes to the disk whatever the cache has.
    assert!(maint.waits(&a4(&maint, 0x190, 4096, true, &[25])));
    // X'A8': seek, search, transfer in channel, read.
    maint.put(0xc80, &[0x0700_0c40, 0x4000_0006, 0x3100_0c42, 0x4000_0005, 0x0800_0c88, 0, 0x0600_7000, 0x2000_1000]);
    maint.put(0xc40, &[0, 0x0005_0500]);
    maint.put(0xd00, &[0x0190_0000, 0, 0xc80, 0, 0, 0, 0]);
    assert!(maint.waits(&[0x4110_0d00, 0x8312_00a8]));
    // Nothing turns in a virtual disk.
    assert!(!maint.waits(&a4(&maint, 0x194, 512, false, &[5])));
    let line = maint.says("query timing 201").remove(0);
    assert!(line.starts_with("0201 TIMING ON PROGRAMS="), "{line}");
}

#[test]
fn fixed_block_disks_take_their_time() {
    let site = Site::with(DIRECTORY);
    let maint = Maint::log_on(&site);
    maint.says("set timing on 202");
    assert!(maint.waits(&a4(&maint, 0x193, 512, false, &[5, 6, 7])));
    assert!(!maint.waits(&a4(&maint, 0x193, 512, false, &[9])), "one group of 64 blocks is in the cache");
    assert!(maint.waits(&a4(&maint, 0x193, 512, true, &[9])));
    let line = maint.says("query timing 202").remove(0);
    assert!(line.starts_with("0202 TIMING ON PROGRAMS=2 RESPONSE="), "{line}");
    // A channel program: DEFINE EXTENT, LOCATE, READ; the program waits for its interruption.
    let machine = site.cp.vmdbk("MAINT").unwrap().machine();
    let id = machine.configuration.css().find(0x193).expect("it is there").number();
    maint.put(0x600, &[0x0001_0000 | u32::from(id), 0, 0x020a_0000, 0x8000_0000, 0x8000_0000]);
    maint.put(0x700, &[0, 0x0080_ff00, 0xc00, 0, 0, 0, 0, 0]);
    maint.put(0xc00, &[0x6340_0010, 0xc40, 0x4340_0008, 0xc50, 0x4200_0400, 0x6000]);
    maint.put(0xc40, &[0x4000_0000, 0, 0, 1023, 0x0600_0002, 400]);
    // L 1; STSCH, OI, MSCH: enabled; LCTL 6; SSCH; a wait for its interruption; the new PSW is another wait.
    let program = [0x5810_0600, 0xb234_0680, 0x9680_0685, 0xb232_0680, 0xb766_0610, 0xb233_0700, 0x8200_0608];
    maint.put(0x78, &[0x000a_0000, 0x0000_0abc]);
    for cached in [false, true] {
        assert_eq!(maint.waits(&program), !cached);
    }
}

#[test]
fn the_end_of_block_io_that_goes_on_meanwhile_comes_later() {
    let site = Site::with(DIRECTORY);
    let maint = Maint::log_on(&site);
    maint.says("set timing on 200-2ff");
    // The new PSW of external interruptions is the end; LCTL 0 opens them, and the program waits.
    maint.put(0x58, &[0x000a_0000, 0x0000_0abc]);
    maint.put(0x600, &[0x0000_0200, 0, 0x010a_0000, 0x8000_0000]);
    let program = [x250(&maint, 0x190, 40, true), vec![0x5030_0500, 0xb700_0600, 0x8200_0608]].concat();
    assert!(maint.waits(&program));
    let word = |at: u64| maint.guest().read_u32(arch::Absolute(at)).unwrap();
    assert_eq!((word(0x500), word(0x84) & 0xffff, word(0x80)), (8, external::CP_SERVICE.into(), 0x1234_5678));
    // A reset meanwhile: no program is left to be told of it.
    maint.says("set mdcache system flush");
    maint.start(&program);
    assert!(!maint.ends());
    maint.says("#cp system reset");
    site.time.pass(80);
    assert!(!maint.ends());
}

/// DECLARE BUFFER; CONNECT to *BLOCKIO for blocks of a disk; interruptions only of what is complete; SEND for one
/// block.
fn block_path(maint: &Maint<'_>, vdev: u32, block: u32) -> Vec<u32> {
    let service = ebcdic::padded::<8>("*BLOCKIO");
    let word = |n: usize| u32::from_be_bytes([service[n], service[n + 1], service[n + 2], service[n + 3]]);
    let lists: [(u32, [u32; 10]); 4] = [
        (12, [0, 0, 0, 0x1800, 0, 0, 0, 0, 0, 0]),
        (11, [0x0000_8000, 0, word(0), word(4), vdev << 16, 4096, 0, 0, 0, 0]),
        (16, [0x2000_0000, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        (4, [0x0000_8000, 0, 0x0200_0000, block, 0x5000, 7, 0xabc, 0, 0, 0]),
    ];
    let mut program = Vec::new();
    for ((function, list), at) in lists.iter().zip((0xe00..).step_by(40)) {
        maint.put(u64::from(at), list);
        program.extend([0x4100_0000 | function, 0x4110_0000 | at, 0xb2f0_0000]);
    }
    program
}

#[test]
fn the_block_service_answers_when_the_disk_has_come_round() {
    let site = Site::with(DIRECTORY);
    let maint = Maint::log_on(&site);
    // The new PSW of external interruptions is the end; LCTL 0 opens those of IUCV.
    let set_up = || {
        maint.put(0x58, &[0x000a_0000, 0x0000_0abc]);
        maint.put(0x600, &[0x0000_0002, 0, 0x010a_0000, 0x8000_0000]);
        [block_path(&maint, 0x190, 40), vec![0xb700_0600, 0x8200_0608]].concat()
    };
    assert!(!maint.waits(&set_up()), "as long as nobody has said so");
    maint.says("set mdcache system flush");
    maint.says("set timing on 200-2ff");
    assert!(maint.waits(&set_up()));
    assert!(!maint.waits(&set_up()), "the minidisk cache has it");
    let word = |at: u64| maint.guest().read_u32(arch::Absolute(at)).unwrap();
    // The interruption's parameter list: the status, one block done, and the tag.
    assert_eq!((word(0x84) & 0xffff, word(0x180c), word(0x1810), word(0x1818)), (0x4000, 0, 1, 0xabc));
    assert_eq!(word(0x5000), 0x3434_3434);
    // A reset meanwhile: no program is left to be told of it.
    maint.says("set mdcache system flush");
    maint.start(&set_up());
    assert!(!maint.ends());
    maint.says("#cp system reset");
    site.time.pass(80);
    assert!(!maint.ends());
}

#[test]
fn block_services_leave_alone_what_others_have_reserved() {
    const RESERVE: u32 = 0xb4;
    const RELEASE: u32 = 0x94;
    let site = Site::with(DIRECTORY);
    let maint = Maint::log_on(&site);
    let (_other, _) = site.log_on("other");
    let order = |userid: &str, code: u32| {
        let machine = site.cp.vmdbk(userid).expect("it is logged on").machine();
        let program = words(&[code << 24 | 0x7000, 0x2000_0020]);
        machine.configuration.storage().write(arch::Absolute(0xc80), &program).unwrap();
        let mut css = machine.configuration.css();
        let id = css.find(0x190).expect("it has the disk");
        let orb = arch::io::Orb::new(0, 0x8000, 0xc80);
        assert!(css.perform(id, &orb).is_ok_and(|(_, sense)| sense.is_none()));
    };
    let word = |at: u64| maint.guest().read_u32(arch::Absolute(at)).unwrap();
    // What each service says of block 40: X'A4' condition code and register 15; X'250' return code and the block's
    // status; *BLOCKIO its status and how many blocks were done.
    let answers = || {
        maint.start(&[a4(&maint, 0x190, 4096, false, &[40]), vec![0xb222_0050, 0x5050_0500, 0x50f0_0504]].concat());
        assert!(maint.ends());
        let a4 = (word(0x500) >> 28, word(0x504));
        maint.start(&[x250(&maint, 0x190, 40, false), vec![0x5030_0500]].concat());
        assert!(maint.ends());
        let x250 = (word(0x500), word(0xa80) >> 16 & 0xff);
        // TEST COMPLETION tells what came of it, whatever interruptions are open.
        maint.put(0xf00, &[0; 10]);
        maint.start(&[block_path(&maint, 0x190, 40), vec![0x4100_0007, 0x4110_0f00, 0xb2f0_0000]].concat());
        assert!(maint.ends());
        (a4, x250, (word(0xf0c), word(0xf10)))
    };
    const GOOD: ((u32, u32), (u32, u32), (u32, u32)) = ((0, 0), (0, 0), (0, 1));
    assert_eq!(answers(), GOOD);
    order("OTHER", RESERVE);
    // IPL needs the disk, too.
    maint.start(&[]);
    assert!(!maint.ends(), "the first block is somebody else's");
    order("OTHER", RELEASE);
    assert_eq!(answers(), GOOD);
    let disk = minidisk::blocks::BlockDisk::new(&site.cp.disks.link("MAINT", 0x190).unwrap(), 4096).unwrap();
    let read = |block: u64| disk.read(block, &mut [0; 4096], false, &mut disk.request());
    order("OTHER", RESERVE);
    use minidisk::blocks::BlockError;
    assert_eq!((read(40), read(90_000)), (Err(BlockError::Reserved), Err(BlockError::Number)));
    assert_eq!(disk.write(40, &[1; 4096], &mut disk.request()), Err(BlockError::Reserved));
    order("OTHER", RELEASE);
    // One's own keeps one from nothing.
    order("MAINT", RESERVE);
    assert_eq!(read(40), Ok(()));
}

/// Two MDISK statements for one place: one minidisk to LINK, RESERVE and the cache, but each with a MINIOPT of its own.
#[test]
fn identical_minidisks_have_options_of_their_own() {
    let site = Site::with(DIRECTORY);
    let maint = Maint::log_on(&site);
    let (other, _) = site.log_on("other");
    let link = |userid: &str, vdev: u16| site.cp.disks.link(userid, vdev).expect("it is linked");
    let (one, same, two) = (link("MAINT", 0x190), link("OTHER", 0x190), link("OTHER", 0x195));
    assert!(one.disk.place == two.disk.place && Arc::ptr_eq(&one.disk, &same.disk));
    assert_eq!([&one, &same, &two].map(|link| link.is_cached()), [Some(true), Some(true), Some(false)]);
    assert!(!one.disk.bypass && two.disk.bypass);
    let details = |vdev: &str| other.says(&format!("query virtual {vdev} details")).join(" ");
    assert!(details("190").contains("MDC ACTIVE") && details("195").contains("MDC OFF"));
    // What is written past the cache is what the cache has, too.
    let first = |track: Arc<Track>| track.records().nth(1).expect("record 1").data[0];
    assert_eq!(first(one.volume.read_track(3).unwrap()), 0x31);
    two.volume
        .update_track(3, &mut |track| {
            let record = track.records().nth(1).expect("record 1").at;
            track.update(record, None, Some(&[0x77; 4096]));
            true
        })
        .unwrap();
    assert_eq!(first(one.volume.read_track(3).unwrap()), 0x77);
    assert!(maint.says("query links 190").join(" ").contains("OTHER    0195 R/W"));
    assert!(Arc::ptr_eq(&one.disk.reservation, &two.disk.reservation));
}

#[test]
fn the_control_units_cache_counts_blocks() {
    let site = Site::with(DIRECTORY);
    let maint = Maint::log_on(&site);
    maint.says("set mdcache system off");
    let reads = || {
        let said = maint.says("query cache 201").join(" ");
        let number = |name: &str| -> u64 {
            let at = said.find(&format!("{name}=")).unwrap_or_else(|| panic!("{name} in {said}")) + name.len() + 1;
            said[at..].split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
        };
        ["READS", "WRITES", "BYPASSED"].map(number)
    };
    maint.start(&[]);
    assert!(maint.ends());
    let [before_reads, before_writes, before_bypassed] = reads();
    // IPL itself reads one track; two blocks of a track are one request, a third of another track a second one.
    maint.start(&a4(&maint, 0x190, 4096, false, &[13, 14, 25]));
    assert!(maint.ends());
    let [now, ..] = reads();
    let ipl = 1;
    assert_eq!(now - before_reads, 2 + ipl);
    maint.start(&a4(&maint, 0x190, 4096, true, &[13]));
    assert!(maint.ends());
    assert_eq!(reads()[1] - before_writes, 1);
    // MINIOPT NOCACHE goes past the cache in this way, too.
    maint.start(&a4(&maint, 0x191, 4096, false, &[13]));
    assert!(maint.ends());
    assert_eq!(reads()[2] - before_bypassed, 1);
}
