//! What becomes of a guest's channel program when the host cannot read or write, and what the operator is told of it.

use super::{Folder, opened};
use css::Sense;
use dasd::host::{Faults, Outcome, Request};
use dasd::model::{CkdModel, FbaModel};
use dasd::{Format, Kind, Method, Options, Tracks, Volume};
use minidisk::blocks::{BlockDisk, BlockError};
use std::fs;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Arc, Mutex};

const DISKS: &str = "\
 MDISK 191 3390 1 10 USR001 MR
 MINIOPT NOMDC
 MDISK 192 FB-512 16 1000 FBA001 MR
 MINIOPT NOMDC
";

/// What the host does at the moment.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Host {
    Well,
    /// Every request is done in pieces.
    Short,
    Full,
    CannotRead,
}

struct Moody(Mutex<Host>);

impl Faults for Moody {
    fn outcome(&self, request: Request) -> Outcome {
        match (*self.0.lock().unwrap(), request) {
            (Host::Short, Request::Read { length, .. } | Request::Write { length, .. }) if length > 1 => {
                Outcome::Short(length / 2)
            }
            (Host::Full, Request::Write { .. } | Request::SetLength(_)) => {
                Outcome::Fail(io::ErrorKind::StorageFull.into())
            }
            (Host::CannotRead, Request::Read { .. }) => Outcome::Fail(io::Error::other("the cable is out")),
            _ => Outcome::Pass,
        }
    }
}

/// Two disks in files.
fn disks(name: &str, format: Format) -> Folder {
    let folder = Folder::new(&format!("failing-{name}"));
    let model = CkdModel::named("3390").expect("there is this model");
    folder.make("USR001", Kind::of_model(model, 20), format, Tracks::Blocks);
    let FbaModel { device, model, .. } = *FbaModel::named("9336").expect("there is this model");
    folder.make("FBA001", Kind::Fba { device, model, blocks: 2000 }, format, Tracks::Empty);
    folder
}

/// What the guest reads lies in the files, and in no cache of this program.
fn fill(folder: &Folder) {
    let disk = opened(&folder.file("USR001"));
    disk.update_track(15 + 20, &mut |track| {
        let first = track.records().nth(1).expect("record 1").at;
        track.update(first, None, Some(&[0x33; 4096]));
        true
    })
    .expect("there is room");
    opened(&folder.file("FBA001")).write_blocks(16 + 707, &[0x33; 512]).expect("there is room");
}

/// A guest that has a minidisk on each, and a host that can be made to fail.
struct Site {
    site: super::Site,
    host: Arc<Moody>,
}

impl Site {
    fn new(folder: &Folder, read_only: bool) -> Site {
        let host = Arc::new(Moody(Mutex::new(Host::Well)));
        let options = Options { read_only, faults: Some(host.clone()), ..Options::default() };
        let site = super::Site::new(folder, DISKS, &[(0x200, "USR001"), (0x300, "FBA001")], &options);
        Site { site, host }
    }

    /// From now on the host is so.
    fn host(&self, state: Host) {
        *self.host.0.lock().unwrap() = state;
    }

    /// A channel program on a device of the guest's. `None`: all is well.
    fn program(&self, vdev: u16, ccws: &[(u8, u32, u8, u16)], data: &[(u64, &[u8])]) -> Option<Sense> {
        const AT: u64 = 0x1000;
        let machine = self.site.cp.vmdbk("GUEST").expect("it is logged on").machine();
        let storage = machine.configuration.storage().clone();
        let put = |at: u64, bytes: &[u8]| storage.write(arch::Absolute(at), bytes).expect("it lies in storage");
        for (n, &(command, address, flags, count)) in ccws.iter().enumerate() {
            let ccw = u64::from(command) << 56 | u64::from(address) << 32 | u64::from(flags) << 24 | u64::from(count);
            put(AT + 8 * n as u64, &ccw.to_be_bytes());
        }
        data.iter().for_each(|(at, bytes)| put(*at, bytes));
        let mut css = machine.configuration.css();
        let id = css.find(vdev).expect("the guest has the disk");
        let orb = arch::io::Orb::new(0, 0x8000, AT as u32);
        let (irb, sense) = css.perform(id, &orb).unwrap_or_else(|cc| panic!("condition code {cc}"));
        let checked = irb.scsw.device.0 & arch::io::DeviceStatus::UNIT_CHECK.0 != 0;
        assert_eq!(checked, sense.is_some(), "sense comes with unit check");
        assert_eq!(irb.scsw.subchannel, 0, "no fault of the channel's");
        sense
    }

    /// Reads (6) or writes (5) record 1 of a track of minidisk 191.
    fn record(&self, command: u8, track: u16) -> Option<Sense> {
        let (cylinder, head) = ((track / 15) as u8, (track % 15) as u8);
        // The records were written on the whole volume, so their cylinder is the volume's.
        let place = [0, 0, 0, cylinder, 0, head, 0, 0, 0, cylinder + 1, 0, head, 1];
        // SEEK, SEARCH ID EQUAL, TRANSFER IN CHANNEL.
        let begin = [(0x07, 0x2000, 0x40, 6), (0x31, 0x2008, 0x40, 5), (0x08, 0x1008, 0, 0)];
        let end = [(command, 0x3000, 0, 4096)];
        self.program(0x191, &[&begin[..], &end].concat(), &[(0x2000, &place)])
    }

    /// Reads (X'42') or writes (X'41') block 707 of minidisk 192.
    fn block(&self, command: u8) -> Option<Sense> {
        let write = command == 0x41;
        let extent = [if write { 0xc0 } else { 0 }, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0xe7];
        let locate = [if write { 1 } else { 6 }, 0, 0, 1, 0, 0, 2, 0xc3];
        let ccws = [(0x63, 0x2000, 0x40, 16), (0x43, 0x2010, 0x40, 8), (command, 0x3000, 0, 512)];
        self.program(0x192, &ccws, &[(0x2000, &extent), (0x2010, &locate)])
    }

    fn storage(&self, bytes: &[u8]) {
        let machine = self.site.cp.vmdbk("GUEST").expect("it is logged on").machine();
        machine.configuration.storage().write(arch::Absolute(0x3000), bytes).expect("it lies in storage");
    }

    /// What the operator has been told since.
    fn told(&self) -> Vec<String> {
        self.site.cp.tick();
        let said = self.site.operator.take_output();
        said.lines().filter(|line| line.contains("HCP")).map(|line| line.trim().to_string()).collect()
    }
}

const FORMATS: [(&str, Format); 2] =
    [("plain", Format::Plain), ("packed", Format::Compressed { wide: true, method: Method::Zlib })];

/// The first byte of sense: EQUIPMENT CHECK, DATA CHECK, and the second: WRITE INHIBITED.
fn sense(found: Option<Sense>) -> (u8, u8) {
    let found = found.expect("the program fails");
    (found.bytes()[0], found.bytes()[1])
}

#[track_caller]
fn good(found: Option<Sense>) {
    assert!(found.is_none(), "{:02X?}", found.expect("there is sense").bytes());
}

const EQUIPMENT: u8 = 0x10;
const DATA: u8 = 0x08;

#[test]
fn requests_done_in_pieces_are_done() {
    for (name, format) in FORMATS {
        let folder = disks(&format!("short-{name}"), format);
        let site = Site::new(&folder, false);
        site.host(Host::Short);
        site.storage(&[0xaa; 4096]);
        good(site.record(0x05, 20));
        good(site.block(0x41));
        site.storage(&[0; 4096]);
        good(site.record(0x06, 20));
        let disk = site.site.cp.disks.link("GUEST", 0x191).expect("it is linked").volume.clone();
        assert_eq!(disk.read_track(20).expect("it is whole").records().nth(1).expect("record 1").data, [0xaa; 4096]);
        assert_eq!(site.told(), [""; 0]);
    }
}

#[test]
fn a_full_host_disk_is_an_equipment_check_and_one_message() {
    for (name, format) in FORMATS {
        let folder = disks(&format!("full-{name}"), format);
        let site = Site::new(&folder, false);
        site.storage(&[0x11; 4096]);
        good(site.record(0x05, 20));
        good(site.block(0x41));
        site.host(Host::Full);
        // A guest tries again and again, and elsewhere, too.
        for track in (20..60).chain(20..60) {
            site.storage(&[0x22; 4096]);
            assert_eq!(sense(site.record(0x05, track)).0 & EQUIPMENT, EQUIPMENT, "{name}: track {track}");
        }
        let told = site.told();
        let [told] = &told[..] else { panic!("{name}: one message, not {told:?}") };
        assert!(told.contains("HCPERP6303I DASD 0200 USR001 I/O error at track 20 of GUEST 0191"), "{told}");
        assert!(told.contains("no storage space") || told.contains("No space"), "{told}");
        assert_eq!(sense(site.block(0x41)).0 & EQUIPMENT, EQUIPMENT, "{name}");
        let told = site.told();
        let [told] = &told[..] else { panic!("{name}: one message, not {told:?}") };
        assert!(told.contains("DASD 0300 FBA001 I/O error at block 707 of GUEST 0192"), "{told}");
        // What was there is there, and when there is room again, the guest goes on without help.
        let disk = site.site.cp.disks.link("GUEST", 0x191).expect("it is linked").volume.clone();
        let first = |n: u32| disk.read_track(n).expect("it is whole").records().nth(1).expect("record 1").data.to_vec();
        assert_eq!((first(20), first(21)), (vec![0x11; 4096], vec![0; 4096]));
        site.host(Host::Well);
        good(site.record(0x05, 20));
        good(site.block(0x41));
        assert_eq!((first(20), site.told()), (vec![0x22; 4096], vec![]));
    }
}

#[test]
fn what_cannot_be_read_is_an_equipment_check_and_one_message() {
    for (name, format) in FORMATS {
        let folder = disks(&format!("unread-{name}"), format);
        fill(&folder);
        let site = Site::new(&folder, false);
        site.host(Host::CannotRead);
        for _ in 0..300 {
            assert_eq!(sense(site.record(0x06, 20)).0 & EQUIPMENT, EQUIPMENT, "{name}");
        }
        let told = site.told();
        let [told] = &told[..] else { panic!("{name}: one message, not {told:?}") };
        assert!(told.contains("track 20 of GUEST 0191") && told.contains("the cable is out"), "{told}");
        assert_eq!(sense(site.block(0x42)).0 & EQUIPMENT, EQUIPMENT, "{name}");
        assert_eq!(site.told().len(), 1);
        site.host(Host::Well);
        good(site.record(0x06, 20));
        good(site.block(0x42));
        assert_eq!(site.told(), [""; 0]);
    }
}

/// The services that move blocks without a channel program (DIAGNOSE X'A4', X'250', *BLOCKIO).
#[test]
fn block_services_tell_the_operator_what_channel_programs_do() {
    for (name, format) in FORMATS {
        let folder = disks(&format!("blocks-{name}"), format);
        fill(&folder);
        let site = Site::new(&folder, false);
        let disk = |vdev: u16, size: u32| {
            let link = site.site.cp.disks.link("GUEST", vdev).expect("it is linked");
            BlockDisk::new(&link, size).expect("such blocks fit")
        };
        let (tracks, blocks) = (disk(0x191, 4096), disk(0x192, 512));
        site.host(Host::CannotRead);
        // Blocks 240 to 251 are track 20.
        for block in (240..252).chain(240..252) {
            let mut data = [0; 4096];
            let read = tracks.read(block, &mut data, false, &mut tracks.request());
            assert_eq!(read, Err(BlockError::Medium), "{name}: block {block}");
        }
        assert_eq!(sense(site.record(0x06, 20)).0 & EQUIPMENT, EQUIPMENT, "{name}");
        let told = site.told();
        let [told] = &told[..] else { panic!("{name}: one message for both ways, not {told:?}") };
        assert!(told.contains("HCPERP6303I DASD 0200 USR001 I/O error at track 20 of GUEST 0191"), "{told}");
        site.host(Host::Full);
        assert_eq!(blocks.write(707, &[1; 512], &mut blocks.request()), Err(BlockError::Medium), "{name}");
        let told = site.told();
        let [told] = &told[..] else { panic!("{name}: one message, not {told:?}") };
        assert!(told.contains("DASD 0300 FBA001 I/O error at block 707 of GUEST 0192"), "{told}");
        // What a program does wrong is no trouble of the medium's.
        site.host(Host::Well);
        assert_eq!(blocks.read(5000, &mut [0; 512], false, &mut blocks.request()), Err(BlockError::Number));
        assert_eq!(site.told(), [""; 0]);
    }
}

#[test]
fn a_damaged_track_is_a_data_check_and_never_served() {
    let folder = disks("damaged", Format::Plain);
    // Track 20 of the minidisk, which begins at cylinder 1.
    damage(&folder.file("USR001"), 15 + 20);
    let site = Site::new(&folder, false);
    let found = sense(site.record(0x06, 20));
    assert_eq!(found.0 & DATA, DATA);
    let told = site.told();
    let [told] = &told[..] else { panic!("one message, not {told:?}") };
    assert!(told.contains("HCPERP6303I DASD 0200 USR001 I/O error at track 20 of GUEST 0191"), "{told}");
    good(site.record(0x06, 21));
}

/// Overwrites the home address and the beginning of a track in a plain file.
fn damage(path: &Path, track: u64) {
    let file = fs::OpenOptions::new().write(true).open(path).expect("it is there");
    let slot = CkdModel::named("3390").expect("there is this model").slot();
    file.write_all_at(&[0x5a; 64], 512 + track * u64::from(slot)).expect("there is room");
}

#[test]
fn a_file_that_is_only_read_is_a_disk_that_is_only_read() {
    let folder = disks("read-only", Format::Plain);
    let site = Site::new(&folder, true);
    good(site.record(0x06, 20));
    let (first, second) = sense(site.record(0x05, 20));
    assert_eq!((first, second), (0x80, 0x02), "command reject, write inhibited");
    assert_eq!(site.told(), [""; 0], "the operator knows");
    good(site.record(0x06, 20));
}
