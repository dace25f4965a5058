//! SNAPSHOT: a real disk is kept as it is while a guest writes on its minidisk, and put together again.

use super::{Folder, log_on};
use dasd::model::CkdModel;
use dasd::{Format, Image, Kind, Method, Options, Tracks, Volume};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A disk in a file with a guest's minidisk on it.
struct Site {
    site: super::Site,
    file: PathBuf,
    _folder: Folder,
}

impl Site {
    fn new(format: Format, name: &str) -> Site {
        let folder = Folder::new(&format!("snapshot-{name}"));
        let kind = Kind::of_model(CkdModel::named("3390").expect("there is this model"), 4);
        folder.make("USR001", kind, format, Tracks::Blocks);
        let disks = " MDISK 191 3390 1 2 USR001 MR\n";
        let site = super::Site::new(&folder, disks, &[(0x200, "USR001")], &Options::default());
        Site { site, file: folder.file("USR001"), _folder: folder }
    }

    /// What the operator sees of a command.
    fn operator(&self, line: &str) -> String {
        self.site.cp.line(self.site.operator.id, line);
        self.site.operator.take_output()
    }

    /// The guest writes a byte into each block of a track, or reads it.
    fn write(&self, track: u32, byte: u8) {
        let link = self.site.cp.disks.link("GUEST", 0x191).unwrap();
        let change = &mut |found: &mut dasd::Track| {
            let at = found.records().nth(1).unwrap().at;
            found.update(at, None, Some(&[byte; 4096]));
            true
        };
        link.volume.update_track(track, change).unwrap();
    }

    fn read(&self, track: u32) -> u8 {
        let link = self.site.cp.disks.link("GUEST", 0x191).unwrap();
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
        assert!(said.contains("DASD 0200 USR001 SNAPSHOT 1: WRITTEN IN") && said.contains("USR001_s1"), "{said}");
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

/// What the operator is told some time later.
fn told(site: &Site) -> String {
    let began = Instant::now();
    while !site.site.cp.disks.has_troubles() && began.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(2));
    }
    site.site.cp.tick();
    site.site.operator.take_output()
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
    log_on(&site.site.cp, "guest");
    assert_eq!(site.read(3), 1, "nor does the minidisk cache have it");
    for line in ["snapshot 201", "snapshot nobody"] {
        assert!(site.operator(line).contains("HCPCQS040E"), "{line}");
    }
    assert!(site.operator("snapshot 200 sideways").contains("HCPCMD002E"));
}
