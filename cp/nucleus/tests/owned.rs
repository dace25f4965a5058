//! Volumes that CP owns: their allocation maps, paging to them, and what is wrong with them.

mod system;

use arch::Absolute;
use consoles::terminal::{Kind, Terminal};
use dasd::allocation::{Allocation, Area, Purpose};
use dasd::model::{CkdModel, FbaModel};
use dasd::{Change, Format, Kind as DiskKind, MediaError, Memory, Method, Track, Volume, create, label};
use minidisk::policy::Policy;
use nucleus::system::{Cp, SystemConfig};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::time::{Duration, Instant};
use storage::Storage;

const DIRECTORY: &str = "\
USER OPERATOR OPERATOR 1M 1M ABCDEFG
 CONSOLE 009 3215 T
USER SMALL SMALL 64M 64M G
 CONSOLE 009 3215 T
 MDISK 191 3390 50 5 VMRES MR
 MDISK 192 3390 0 END VMRES RR
USER OTHER OTHER 64M 64M G
 CONSOLE 009 3215 T
";

/// A volume whose host can be made to fail, or that may only be read.
struct Shaky {
    medium: Memory,
    no_reads: AtomicBool,
    no_writes: AtomicBool,
    full: AtomicBool,
    read_only: bool,
}

impl Shaky {
    fn new(medium: Memory) -> Shaky {
        let [no_reads, no_writes, full] = [const { AtomicBool::new(false) }; 3];
        Shaky { medium, no_reads, no_writes, full, read_only: false }
    }

    fn writes(&self) -> Result<(), MediaError> {
        match (self.full.load(SeqCst), self.no_writes.load(SeqCst)) {
            (true, _) => Err(MediaError::Full("no space left on device".into())),
            (_, true) => Err(MediaError::Host("input/output error".into())),
            _ => Ok(()),
        }
    }
}

impl Volume for Shaky {
    fn kind(&self) -> dasd::Kind {
        self.medium.kind()
    }

    fn read_only(&self) -> bool {
        self.read_only
    }

    fn read_track(&self, track: u32) -> Result<Arc<Track>, MediaError> {
        match self.no_reads.load(SeqCst) && track > 0 {
            true => Err(MediaError::Host("input/output error".into())),
            false => self.medium.read_track(track),
        }
    }

    fn write_track(&self, track: u32, new: &Track) -> Result<(), MediaError> {
        self.writes().and_then(|()| self.medium.write_track(track, new))
    }

    fn update_track(&self, track: u32, change: Change<'_>) -> Result<(), MediaError> {
        self.writes().and_then(|()| self.medium.update_track(track, change))
    }

    fn read_blocks(&self, block: u64, to: &mut [u8]) -> Result<(), MediaError> {
        self.medium.read_blocks(block, to)
    }

    fn write_blocks(&self, block: u64, from: &[u8]) -> Result<(), MediaError> {
        self.writes().and_then(|()| self.medium.write_blocks(block, from))
    }
}

fn area(purpose: Purpose, first: u32, last: u32) -> Area {
    Area { purpose, first, last }
}

/// A volume with a label and an allocation map.
fn owned(medium: Memory, serial: &str, owner: Option<&str>, areas: &[Area]) -> Shaky {
    label::write(&medium, serial).expect("it is empty");
    let mut allocation = Allocation::new(medium.kind());
    allocation.allocate(areas).expect("the areas are right");
    owner.iter().for_each(|owner| allocation.set_owner(owner).expect("it is a name"));
    allocation.write(&medium).expect("the label is there");
    Shaky::new(medium)
}

fn ckd(cylinders: u32) -> Memory {
    Memory::ckd(CkdModel::named("3390").expect("there is this model"), cylinders)
}

/// A system with 16 MB of real storage and these volumes.
struct Site {
    cp: Arc<Cp>,
    operator: Arc<Terminal>,
    time: Arc<system::Hand>,
    wrong: Vec<String>,
    /// The page file, which is made where there is no other page space.
    file: PathBuf,
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.file);
    }
}

impl Site {
    fn new(slots: &[&str], volumes: Vec<(u16, Arc<dyn Volume>)>) -> Site {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let directory = directory::Directory::parse("USER DIRECT", DIRECTORY, &directory::Passwords::default());
        let number = NUMBER.fetch_add(1, SeqCst);
        let file = std::env::temp_dir().join(format!("endicott-owned-test-{}-{number}", std::process::id()));
        let page_file = Some((file.clone(), 64 << 20));
        let config = SystemConfig { real: Some(16 << 20), page_file, ..SystemConfig::default() };
        let (clock, host) = (system::Hand::new(), Arc::new(consoles::host::Silent));
        let mut cp = Cp::new(config, directory.expect("the directory is right"), None, clock.clone(), host);
        let owned = slots.iter().map(|serial| serial.to_string()).collect();
        cp.disks.set_policy(Policy { owned, ..Policy::default() });
        for (number, volume) in volumes {
            cp.disks.install(number, volume, format!("{number:04x}")).expect("it can be there");
        }
        let wrong = cp.begin_paging().expect("the host makes a file");
        let cp = Arc::new(cp);
        let operator = log_on(&cp, "OPERATOR");
        Site { cp, operator, time: clock, wrong, file }
    }

    /// What the operator sees after a line; notices that came before are not in it.
    fn says(&self, line: &str) -> Vec<String> {
        self.operator.take_output();
        self.cp.line(self.operator.id, line);
        self.operator.take_output().lines().map(str::to_string).filter(|line| !line.trim().is_empty()).collect()
    }

    /// What the operator has been told, after all that waits.
    fn told(&self) -> String {
        self.cp.tick();
        self.operator.take_output()
    }

    fn storage(&self, userid: &str) -> Arc<Storage> {
        self.cp.vmdbk(userid).expect("it is logged on").machine().configuration.storage().clone()
    }

    /// Waits until a frame is available; false if none comes.
    fn has_room(&self) -> bool {
        let (began, paging) = (Instant::now(), self.cp.paging.as_ref().expect("the system pages"));
        while paging.picture().census.available == 0 {
            if began.elapsed() > Duration::from_secs(3) {
                return false;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        true
    }

    /// Stores into pages; how many, until no frame is available any more.
    fn fill(&self, userid: &str, pages: u64) -> u64 {
        let storage = self.storage(userid);
        for page in 0..pages {
            if page % 64 == 0 && !self.has_room() {
                return page;
            }
            storage.write(Absolute(page * 4096 + 8), &(page ^ 0x5a5a).to_be_bytes()).expect("it lies in storage");
        }
        pages
    }

    /// How many of these pages are as they were stored, and how many cannot be had.
    fn look(&self, userid: &str, pages: std::ops::Range<u64>) -> (u64, u64) {
        let storage = self.storage(userid);
        let (mut right, mut lost) = (0, 0);
        for page in pages {
            assert!(page % 64 != 0 || self.has_room());
            let mut bytes = [0; 8];
            match storage.read(Absolute(page * 4096 + 8), &mut bytes) {
                Ok(()) => right += u64::from(u64::from_be_bytes(bytes) == page ^ 0x5a5a),
                Err(_) => lost += 1,
            }
        }
        (right, lost)
    }
}

fn log_on(cp: &Cp, userid: &str) -> Arc<Terminal> {
    let terminal = cp.connect(Kind::Typewriter, None, "127.0.0.1", true);
    cp.line(terminal.id, &format!("logon {userid} {userid}"));
    terminal.take_output();
    terminal
}

/// Numbers of a line of QUERY ALLOC: TOTAL, INUSE and AVAIL.
fn numbers(line: &str) -> Vec<u64> {
    line.split('=').skip(1).map(|rest| rest[..6].parse().expect("six digits")).collect()
}

#[test]
fn pages_go_to_areas_of_volumes_and_all_is_counted() {
    let areas = [
        area(Purpose::Page, 10, 19),
        area(Purpose::Temporary, 30, 34),
        area(Purpose::Directory, 40, 41),
        area(Purpose::Spool, 52, 60),
        area(Purpose::Spool, 70, 79),
    ];
    let fixed = Memory::fba(FbaModel::named("9336").expect("there is this model"), 2000);
    let site = Site::new(
        &["VMRES", "VMPAG1", "", "VMPAG2"],
        vec![
            (0x200, Arc::new(owned(ckd(100), "VMRES", Some("endicott"), &areas))),
            (0x201, Arc::new(owned(ckd(20), "VMPAG1", None, &[area(Purpose::Page, 1, 19)]))),
            (0x202, Arc::new(owned(fixed, "VMPAG2", None, &[area(Purpose::Page, 4, 199)]))),
        ],
    );
    let way = "DASD 0200 VMRES: SPOL 52-60 is not used: minidisk SMALL 0191 lies there; move it, or endicott dasd \
               cpfmtxa --allocate PERM=...";
    assert_eq!(site.wrong, [way]);
    assert!(!site.file.exists(), "there is page space on volumes");
    let empty = [
        "DASD 0200 VMRES  3390 CKD-ECKD (UNITS IN CYLINDERS)",
        "     TDISK TOTAL=000005 INUSE=000000 AVAIL=000005",
        "     PAGE  TOTAL=000010 INUSE=000000 AVAIL=000010",
        "     SPOOL TOTAL=000010 INUSE=000000 AVAIL=000010",
        "     DRCT  TOTAL=000002 INUSE=000000 AVAIL=000002",
        "DASD 0201 VMPAG1 3390 CKD-ECKD (UNITS IN CYLINDERS)",
        "     PAGE  TOTAL=000019 INUSE=000000 AVAIL=000019",
        "DASD 0202 VMPAG2 9336 FBA      (UNITS IN PAGES    )",
        "     PAGE  TOTAL=000196 INUSE=000000 AVAIL=000196",
    ];
    assert_eq!(site.says("query alloc"), empty);
    assert_eq!(site.says("query alloc all"), empty);
    assert_eq!(site.says("query alloc drct"), [empty[0], empty[4]]);
    assert_eq!(site.says("query alloc spool"), [empty[0], empty[3]]);
    assert_eq!(site.says("query alloc parm"), ["HCPCMD002E Invalid operand - PARM"]);
    assert_eq!(
        site.says("query cpowned"),
        [
            "SLOT  VOL-ID  RDEV  TYPE   STATUS",
            "   1  VMRES   0200  OWN    ONLINE AND ATTACHED",
            "   2  VMPAG1  0201  OWN    ONLINE AND ATTACHED",
            "   4  VMPAG2  0202  OWN    ONLINE AND ATTACHED",
        ]
    );
    let small = log_on(&site.cp, "SMALL");
    site.cp.line(small.id, "define t3390 300 3#define t3390 301 3");
    let said = small.take_output();
    assert!(said.contains("DASD 0300 DEFINED") && said.contains("HCPDEF091E DASD 0301 not defined"), "{said}");
    assert_eq!(site.says("query alloc tdisk")[1], "     TDISK TOTAL=000005 INUSE=000003 AVAIL=000002");
    assert_eq!(site.fill("SMALL", 7000), 7000);
    assert_eq!(site.look("SMALL", 0..7000), (7000, 0));
    let page = site.says("query alloc page");
    for (n, total) in [(1, 10), (3, 19), (5, 196)] {
        let found = numbers(&page[n]);
        assert!(found[0] == total && found[1] > 0 && found[1] + found[2] == total, "{page:?}");
    }
    let map = site.says("query alloc map");
    let rows: Vec<Vec<&str>> = map[3..].iter().map(|line| line.split_whitespace().collect()).collect();
    let used: u64 =
        rows.iter().filter(|row| ["PAGE", "SPOL"].contains(&row[8])).map(|row| row[5].parse::<u64>().unwrap()).sum();
    let picture = site.cp.paging.as_ref().expect("it pages").picture();
    assert_eq!((used, used > 3000), (picture.slots.1, true), "{map:?}");
    let find = |first: &str| rows.iter().find(|row| row[1] == "0200" && row[2] == first).expect("it is there");
    assert_eq!(find("10")[..5], ["VMRES", "0200", "10", "19", "1800"]);
    assert_eq!(find("30")[3..], ["34", "5", "3", "3", "60%", "TDSK"]);
    // Minidisk 191 has cylinders 50 to 54, of which 52 to 54 are of an area that is not used.
    assert_eq!(find("42")[3..], ["51", "10", "2", "10", "20%", "PERM"]);
    assert_eq!(find("52")[4..], ["0", "0", "0", "0%", "SPOL"]);
    // CP uses them: they cannot be taken away, nor what they were at a snapshot be put back.
    assert_eq!(site.says("detach 201 system"), ["HCPDTS124E DASD 0201 in use by 1 users"]);
    assert_eq!(site.says("query dasd 201"), ["DASD 0201 CP OWNED  VMPAG1   1"]);
    assert_eq!(site.says("snapshot vmpag1 discard"), ["HCPDTS124E DASD 0201 in use by 1 users"]);
    site.cp.line(small.id, "logoff");
    assert!(site.has_room());
    assert!(site.says("query alloc page").iter().filter(|line| line.contains('=')).all(|line| numbers(line)[1] == 0));
}

#[test]
fn what_is_wrong_with_a_volume_is_told_and_the_system_does_without() {
    let all = [area(Purpose::Page, 1, 9)];
    let torn = owned(ckd(10), "VMPAG3", None, &all);
    let map = torn.medium.read_track(0).expect("it is there");
    let cut = Shaky::new(ckd(5));
    label::write(&cut.medium, "VMPAG4").expect("it is empty");
    let mut short = (*cut.medium.read_track(0).expect("it is there")).clone();
    let record = map.records().last().expect("the map");
    let end = short.records().last().expect("the label").end();
    short.format(end, record.count, &[], record.data);
    cut.medium.write_track(0, &short).expect("it fits");
    torn.medium
        .update_track(0, &mut |track| {
            let at = track.records().last().expect("the map").at;
            let data = [&track.records().last().expect("the map").data[..100], &[7; 3996]].concat();
            track.update(at, None, Some(&data));
            true
        })
        .expect("it is there");
    let mut read_only = owned(ckd(10), "VMPAG5", None, &all);
    read_only.read_only = true;
    let again = owned(ckd(10), "VMPAG2", None, &all);
    let site = Site::new(
        &["VMPAG1", "VMPAG2", "VMPAG3", "VMPAG4", "VMPAG5"],
        vec![
            (0x202, Arc::new(owned(ckd(10), "VMPAG2", Some("OTHERVM"), &all))),
            (0x203, Arc::new(torn)),
            (0x204, Arc::new(cut)),
            (0x205, Arc::new(read_only)),
            // The same serial again: it is not used.
            (0x206, Arc::new(again)),
        ],
    );
    let expected = [
        "CP_OWNED SLOT 1: volume VMPAG1 is not mounted: a DASD statement",
        "DASD 0202 VMPAG2: it is of system OTHERVM, and this is ENDICOTT: endicott dasd cpfmtxa --owner ENDICOTT",
        "DASD 0203 VMPAG3: its allocation map is damaged (its check sum differs): endicott dasd cpfmtxa --new",
        "DASD 0204 VMPAG4: its allocation map is of a volume of 10 cylinders, and it has 5: endicott dasd cpfmtxa",
        "DASD 0205 VMPAG5: it may only be read: its DASD statement says R/O",
    ];
    assert_eq!(site.wrong.len(), expected.len(), "{:?}", site.wrong);
    for (said, expected) in site.wrong.iter().zip(expected) {
        assert!(said.starts_with(expected), "{said}");
    }
    // Page space is the file, as in a system without such volumes.
    let _small = log_on(&site.cp, "SMALL");
    assert_eq!((site.fill("SMALL", 5000), site.look("SMALL", 0..5000)), (5000, (5000, 0)));
    let alloc = site.says("query alloc page");
    assert_eq!((alloc.len(), alloc[0].as_str()), (2, &*format!("FILE {} (UNITS IN PAGES)", site.file.display())));
    assert!(numbers(&alloc[1])[0] == 16_384 && numbers(&alloc[1])[1] > 1000, "{alloc:?}");
    assert_eq!(site.says("query alloc map").len(), 3 + 2 + 2, "those of 0202 and 0205, whose maps are whole");
}

#[test]
fn a_volume_that_fails_is_told_with_its_place_and_harms_its_owner_alone() {
    let volume = Arc::new(owned(ckd(60), "VMPAG1", None, &[area(Purpose::Page, 1, 59)]));
    let site = Site::new(&["VMPAG1"], vec![(0x201, volume.clone())]);
    let (_small, _other) = (log_on(&site.cp, "SMALL"), log_on(&site.cp, "OTHER"));
    assert_eq!(site.fill("SMALL", 3500), 3500);
    // A host without room: nothing is lost, and it goes on when there is room.
    volume.full.store(true, SeqCst);
    assert!(site.fill("SMALL", 7000) < 7000);
    let told = site.told();
    assert!(told.contains("HCPPGT415E Paging error, writing VMPAG1 on DASD 0201: cylinder "), "{told}");
    assert!(told.contains(": no space left on device"), "{told}");
    volume.full.store(false, SeqCst);
    // Nothing is tried for a second.
    site.time.pass(2);
    assert_eq!(site.fill("SMALL", 5000), 5000);
    assert_eq!(site.look("SMALL", 0..5000), (5000, 0));
    // A write that fails costs its slots.
    volume.no_writes.store(true, SeqCst);
    site.fill("OTHER", 1000);
    volume.no_writes.store(false, SeqCst);
    site.time.pass(2);
    assert_eq!(site.fill("OTHER", 1000), 1000);
    let told = site.told();
    assert!(told.contains("writing VMPAG1 on DASD 0201: cylinder ") && told.contains("input/output error"), "{told}");
    assert_eq!((site.look("SMALL", 0..5000), site.look("OTHER", 0..1000)), ((5000, 0), (1000, 0)));
    // A page that cannot be read is lost to its owner.
    volume.no_reads.store(true, SeqCst);
    let storage = site.storage("SMALL");
    let lost = (0..5000).find(|page| storage.read(Absolute(page * 4096 + 8), &mut [0; 8]).is_err());
    let lost = lost.expect("many pages are on the volume");
    volume.no_reads.store(false, SeqCst);
    let told = site.told();
    assert!(told.contains("HCPPGT415E Paging error, reading VMPAG1 on DASD 0201: cylinder "), "{told}");
    assert_eq!(site.look("OTHER", 0..1000), (1000, 0));
    let (right, gone) = site.look("SMALL", 0..5000);
    assert!(right + gone == 5000 && gone < 100, "page {lost}: {right} right, {gone} lost");
}

#[test]
fn paging_overflows_into_spool_space_and_stops_when_that_is_full() {
    let areas = [area(Purpose::Page, 1, 3), area(Purpose::Spool, 4, 9)];
    let volume = Arc::new(owned(ckd(10), "VMPAG1", None, &areas));
    let site = Site::new(&["VMPAG1"], vec![(0x201, volume)]);
    let small = log_on(&site.cp, "SMALL");
    assert_eq!(site.fill("SMALL", 3000 + 700), 3700);
    let done = site.fill("SMALL", 9000);
    assert!((4000..6000).contains(&done), "{done}: 3280 frames, 540 slots of page space, 1080 of spool space");
    let told = site.told();
    let mut at = 0;
    for expected in [
        "percent of paging space is in use",
        "HCPPGT400I All available paging space is in use; paging continues with spooling space",
        "percent of spooling space is in use",
        "HCPPGT400I All available paging space is in use\r\n",
    ] {
        let found = told[at..].find(expected.trim_end());
        at += found.unwrap_or_else(|| panic!("no {expected} in {told}"));
    }
    let paging = site.cp.paging.as_ref().expect("it pages");
    // Copies of pages that are in frames are given up meanwhile, so that it may be more often than once.
    assert!(paging.times_nearly_full().iter().all(|&times| times >= 1));
    assert_eq!([false, true].map(|spool| paging.slots(spool).all), [540, 1080]);
    let alloc = site.says("query alloc");
    assert_eq!(
        alloc[1..],
        ["     PAGE  TOTAL=000003 INUSE=000003 AVAIL=000000", "     SPOOL TOTAL=000006 INUSE=000006 AVAIL=000000"]
    );
    // What was stored is there, and another user's storage is, when this one has gone.
    site.cp.line(small.id, "logoff");
    let _other = log_on(&site.cp, "OTHER");
    assert_eq!((site.fill("OTHER", 3700), site.look("OTHER", 0..3700)), (3700, (3700, 0)));
}

#[test]
fn a_drained_volume_becomes_empty_and_nothing_is_lost() {
    let areas = [area(Purpose::Page, 1, 9), area(Purpose::Spool, 10, 11), area(Purpose::Temporary, 12, 15)];
    let first = Arc::new(owned(ckd(16), "VMPAG1", None, &areas));
    let site = Site::new(
        &["VMPAG1", "VMPAG2"],
        vec![
            (0x201, first.clone()),
            (0x202, Arc::new(owned(ckd(80), "VMPAG2", None, &[area(Purpose::Page, 1, 79)]))),
            (0x203, Arc::new(ckd(5))),
        ],
    );
    let small = log_on(&site.cp, "SMALL");
    assert_eq!(site.fill("SMALL", 9000), 9000);
    let line = |what: &str| {
        let said = site.says("query alloc");
        let mut of_first = said.iter().skip(1).take_while(|line| !line.starts_with("DASD"));
        of_first.find(|line| line.contains(what)).expect("there is such a line").clone()
    };
    assert!(numbers(&line("PAGE"))[1] > 3 && !line("PAGE").contains("DRAINED"));
    // What cannot be.
    for (wrong, said) in [
        ("drain", "HCPCMD026E Operand missing or invalid"),
        ("drain dasd", "HCPCMD026E Operand missing or invalid"),
        ("drain disk 201", "HCPCMD002E Invalid operand - DISK"),
        ("drain dasd 300", "HCPCQS040E Device 0300 does not exist"),
        ("drain dasd 202-201", "HCPCMD002E Invalid operand - 202-201"),
        ("drain volid vmpag9", "HCPDRN126E Volume VMPAG9 is not attached to the system"),
        ("drain dasd 201 drct", "HCPCMD002E Invalid operand - DRCT"),
        (
            "drain dasd 201 page spool",
            "HCPCMD003E Invalid option - command contains extra option(s) starting with SPOOL",
        ),
        ("drain dasd 203", "HCPDRN125E DASD 0203 has no PAGE, SPOL or TDSK space in use"),
        ("drain dasd 202 spool", "HCPDRN125E DASD 0202 has no SPOL space in use"),
    ] {
        assert_eq!(site.says(wrong), [said], "{wrong}");
    }
    site.cp.line(small.id, "define t3390 300 2");
    assert_eq!(
        site.says("drain dasd 201-203"),
        [
            "DASD 0201 VMPAG1 PAGE DRAINED",
            "DASD 0201 VMPAG1 SPOL DRAINED",
            "DASD 0201 VMPAG1 TDSK DRAINED",
            "DASD 0202 VMPAG2 PAGE DRAINED",
        ]
    );
    assert_eq!(site.says("start volid vmpag2 page"), ["DASD 0202 VMPAG2 PAGE STARTED"]);
    // It becomes empty by itself, and stays so however much is asked for.
    let began = Instant::now();
    while numbers(&line("PAGE"))[1] > 0 {
        assert!(began.elapsed() < Duration::from_secs(30), "{}", line("PAGE"));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(line("PAGE"), "     PAGE  TOTAL=000009 INUSE=000000 AVAIL=000009 DRAINED");
    assert!(site.says("query alloc map").iter().any(|line| line.ends_with("PAGE DRAINED")));
    assert_eq!(site.fill("SMALL", 12_000), 12_000);
    assert_eq!((site.look("SMALL", 0..12_000), numbers(&line("PAGE"))[1]), ((12_000, 0), 0));
    small.take_output();
    site.cp.line(small.id, "define t3390 301 1");
    let said = small.take_output();
    assert!(said.contains("HCPDEF091E DASD 0301 not defined; temporary space not available"), "{said}");
    assert_eq!(line("TDISK"), "     TDISK TOTAL=000004 INUSE=000002 AVAIL=000002 DRAINED");
    site.says("start dasd 201");
    site.cp.line(small.id, "define t3390 301 1");
    assert!(small.take_output().contains("DASD 0301 DEFINED"));
    site.fill("SMALL", 14_000);
    assert!(!line("PAGE").contains("DRAINED"));
    // A page that its volume does not give back stays there, and is its owner's trouble; others leave.
    first.no_reads.store(true, SeqCst);
    site.says("drain volid vmpag1");
    let began = Instant::now();
    while !site.told().contains("HCPPGT415E Paging error, reading VMPAG1") && began.elapsed() < Duration::from_secs(10)
    {
        std::thread::sleep(Duration::from_millis(5));
    }
    first.no_reads.store(false, SeqCst);
    site.says("drain volid vmpag1");
    assert_eq!(site.look("SMALL", 0..12_000), (12_000, 0));
    // QUERY ALLOC MAP tells of what CP uses, whatever is on the volume by now.
    let before = site.says("query alloc map").len();
    Allocation::new(first.medium.kind()).write(&first.medium).expect("the label is there");
    assert_eq!(site.says("query alloc map").len(), before);
}

/// How long a fault takes from a volume in the host's cache: `cargo test --release ... -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn faults_are_measured() {
    let packed = Format::Compressed { wide: false, method: Method::Zlib };
    for (what, format) in [("page file", None), ("plain", Some(Format::Plain)), ("compressed", Some(packed))] {
        let path = std::env::temp_dir().join(format!("endicott-owned-measured-{}", std::process::id()));
        let volumes: Vec<(u16, Arc<dyn Volume>)> = match format {
            None => Vec::new(),
            Some(format) => {
                let model = CkdModel::named("3390").expect("there is this model");
                create(&path, DiskKind::of_model(model, 120), format).expect("the host makes files");
                let volume = dasd::open(&path).expect("it is whole");
                label::write(&*volume, "VMPAG1").expect("it is empty");
                let mut allocation = Allocation::new(volume.kind());
                allocation.allocate(&[area(Purpose::Page, 1, 119)]).expect("it has them");
                allocation.write(&*volume).expect("the label is there");
                vec![(0x201, volume)]
            }
        };
        let site = Site::new(&["VMPAG1"], volumes);
        let _small = log_on(&site.cp, "SMALL");
        let begun = Instant::now();
        site.fill("SMALL", 16_000);
        println!("{what}: 16,000 pages stored into in {:?}", begun.elapsed());
        let (storage, mut times, mut random) = (site.storage("SMALL"), Vec::new(), support::Random::seeded(3));
        let paging = site.cp.paging.as_ref().expect("it pages");
        for _ in 0..400 {
            std::thread::sleep(Duration::from_millis(5));
            for _ in 0..8 {
                let (page, before) = (random.below(16_000u64), paging.picture().counts);
                let start = Instant::now();
                storage.read(Absolute(page * 4096), &mut [0]).expect("it is there");
                let time = start.elapsed();
                if paging.picture().counts.since(&before).reads > 0 {
                    times.push(time);
                }
            }
        }
        times.sort();
        if let (Some(median), Some(most)) = (times.get(times.len() / 2), times.get(times.len() * 99 / 100)) {
            println!("{what}: a fault takes {median:?} (median), 99 % within {most:?}, of {}", times.len());
        }
        drop(site);
        let _ = std::fs::remove_file(&path);
        let _ = std::fs::remove_file(path.with_added_extension("sums"));
    }
}
