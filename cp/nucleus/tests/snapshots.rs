//! SNAPSHOT: a real disk is kept as it is while a guest writes on its minidisk, and put together again.

mod time;

use dasd::model::CkdModel;
use dasd::{Format, Image, Kind, Method, Options, Tracks, Volume, create_with, label};
use directory::{Directory, Passwords};
use nucleus::console::terminal::{Kind as Screen, Silent, Terminal};
use nucleus::minidisk::real::Policy;
use nucleus::system::{Cp, SystemConfig};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use time::Time;

const DIRECTORY: &str = "\
USER OPERATOR OPERATOR 1M 1M ABCDEFG
 CONSOLE 009 3215 T
USER GUEST GUEST 1M 1M G
 CONSOLE 009 3215 T
 MDISK 191 3390 1 2 USR001 MR
";

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A disk in a file with a guest's minidisk on it, the guest and the operator logged on.
struct Site {
    cp: Cp,
    operator: Arc<Terminal>,
    file: PathBuf,
    _folder: Folder,
}

impl Site {
    fn new(format: Format, name: &str) -> Site {
        let folder = std::env::temp_dir().join(format!("endicott-snapshot-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("usr001.3390");
        create_with(&file, Kind::of_model(CkdModel::named("3390").unwrap(), 4), format, Tracks::Blocks).unwrap();
        label::write(&*Image::open(&file, Options::default()).unwrap(), "USR001").unwrap();
        let directory = Directory::parse("USER DIRECT", DIRECTORY, &Passwords::default()).unwrap();
        let cp = Cp::new(SystemConfig::default(), directory, None, Arc::new(Time::default()), Arc::new(Silent));
        cp.disks.set_policy(Policy { users: vec!["USR*".into()], ..Policy::default() });
        assert!(cp.disks.install(0x200, Image::open(&file, Options::default()).unwrap(), "usr001.3390".into()));
        let log_on = |userid: &str| {
            let terminal = cp.connect(Screen::Typewriter, None, "127.0.0.1", true);
            cp.line(terminal.id, &format!("logon {userid} {userid}"));
            terminal.take_output();
            terminal
        };
        let (operator, _) = (log_on("operator"), log_on("guest"));
        Site { operator, cp, file, _folder: Folder(folder) }
    }

    /// What the operator sees of a command.
    fn operator(&self, line: &str) -> String {
        self.cp.line(self.operator.id, line);
        self.operator.take_output()
    }

    /// The guest writes a byte into each block of a track, or reads it.
    fn write(&self, track: u32, byte: u8) {
        let link = self.cp.disks.link("GUEST", 0x191).unwrap();
        let change = &mut |found: &mut dasd::Track| {
            let at = found.records().nth(1).unwrap().at;
            found.update(at, None, Some(&[byte; 4096]));
            true
        };
        link.volume.update_track(track, change).unwrap();
    }

    fn read(&self, track: u32) -> u8 {
        let link = self.cp.disks.link("GUEST", 0x191).unwrap();
        byte_of(&*link.volume, track)
    }
}

fn byte_of(volume: &dyn Volume, track: u32) -> u8 {
    volume.read_track(track).unwrap().records().nth(1).unwrap().data[7]
}

#[test]
fn the_operator_keeps_a_disk_as_it_is_while_a_guest_writes_it() {
    for (name, format) in
        [("plain", Format::Plain), ("packed", Format::Compressed { wide: true, method: Method::Zlib })]
    {
        let site = Site::new(format, name);
        site.write(3, 1);
        let said = site.operator("snapshot usr001");
        assert!(said.contains("DASD 0200 USR001 SNAPSHOT 1: WRITTEN IN") && said.contains("usr001_s1.3390"), "{said}");
        site.write(3, 2);
        assert!(site.operator("query dasd details 200").contains("0200 SNAPSHOTS = 1"));
        // Another program of the host reads what was there, and not the whole.
        let at = |snapshot| Image::open(&site.file, Options { read_only: true, snapshot, ..Options::default() });
        assert_eq!(byte_of(&*at(Some(1)).unwrap(), 15 + 3), 1);
        assert!(at(None).err().unwrap().to_string().contains("is in use by"));
        assert!(at(Some(2)).err().unwrap().to_string().contains("has 1 snapshots, not 2"));
        // It is kept from being merged while it is read, and a disk in use is not thrown away.
        let reader = at(Some(1)).unwrap();
        site.operator("snapshot 200 merge");
        assert!(told(&site).contains("HCPSNP6306E DASD 0200 snapshot not possible:"), "{name}");
        drop(reader);
        assert!(site.operator("snapshot 200 discard").contains("HCPDTS124E DASD 0200 in use by 1 users"));
        assert!(site.operator("snapshot 200 merge").contains("DASD 0200 USR001 SNAPSHOT BEING MERGED"));
        site.write(4, 9);
        assert!(told(&site).contains("HCPSNP6307I DASD 0200 snapshot merged; 0 left"), "{name}");
        assert_eq!((site.read(3), site.read(4)), (2, 9));
        assert!(site.operator("snapshot 200 merge").contains("HCPSNP6306E"));
        assert!(!site.operator("query dasd details 200").contains("SNAPSHOTS"));
    }
}

/// What the operator hears some time later.
fn told(site: &Site) -> String {
    let began = Instant::now();
    while !site.cp.disks.has_troubles() && began.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(2));
    }
    site.cp.tick();
    site.operator.take_output()
}

#[test]
fn what_was_written_since_a_snapshot_is_thrown_away() {
    let site = Site::new(Format::Plain, "discard");
    site.write(3, 1);
    site.operator("snapshot 200");
    site.write(3, 2);
    assert_eq!(site.read(3), 2);
    site.operator("force guest");
    assert!(site.operator("snapshot 200 discard").contains("DASD 0200 USR001 SNAPSHOT DISCARDED"));
    let terminal = site.cp.connect(Screen::Typewriter, None, "127.0.0.1", true);
    site.cp.line(terminal.id, "logon guest guest");
    assert_eq!(site.read(3), 1, "nor does the minidisk cache have it");
    for line in ["snapshot 201", "snapshot nobody"] {
        assert!(site.operator(line).contains("HCPCQS040E"), "{line}");
    }
    assert!(site.operator("snapshot 200 sideways").contains("HCPCMD002E"));
}
