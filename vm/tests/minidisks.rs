//! Minidisks with Debian's kernel on them: its ECKD, FBA and DIAGNOSE X'250' drivers, two guests at one minidisk, and
//! what LINK says meanwhile.

mod support;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use base::ebcdic;
use dasd::model::CkdModel;
use dasd::{Count, Extent, Format, Kind, Track, Volume};
use support::line::Line;
use support::{Client, Guest, SHELL, System, change, guest, has_s3270, with_linux_disks};

/// A boot takes seconds; a busy machine gets time.
const BOOT: Duration = Duration::from_secs(300);
const ANSWER: Duration = Duration::from_secs(240);

/// Puts `label` into record 3 of track 0, after two records of IPL text.
fn label(volume: &dyn Volume, key: &str, label: &str, records: u8, size: u16) {
    let Kind::Ckd { cylinders, heads, .. } = volume.kind() else { panic!("it is count-key-data") };
    for number in 0..if records == 3 { 1 } else { cylinders * heads } {
        let (cylinder, head) = ((number / heads) as u16, (number % heads) as u16);
        let mut track = Track::new(cylinder, head);
        for record in 1..=records {
            let key = if record == 3 { ebcdic::from_str(key) } else { Vec::new() };
            let count = Count { cylinder, head, record, key: key.len() as u8, data: size };
            let mut data = vec![0; usize::from(size)];
            if number == 0 && record == 3 {
                let text = ebcdic::from_str(label);
                data.fill(0x40);
                data[..text.len()].copy_from_slice(&text);
            }
            let end = track.records().last().expect("there is record 0").end();
            track.format(end, count, &key, &data);
        }
        volume.write_track(number, &track).expect("the volume has this track");
    }
}

/// A volume LIN001 with two minidisks as `dasdfmt -d ldl` leaves them, on cylinders 1 to 10 and 11 to 20.
fn prepare(folder: &Path) {
    fs::create_dir_all(folder.join("volumes")).expect("the folder is there");
    let file = folder.join("volumes/lin001");
    let kind = Kind::of_model(CkdModel::named("3390").expect("there is this model"), 30);
    dasd::create(&file, kind, Format::Plain).expect("there is room");
    let volume: Arc<dyn Volume> = dasd::open(&file).expect("it was just made");
    label(&*volume, "VOL1", "VOL1LIN001", 3, 80);
    for first in [1, 11] {
        let disk = Extent::new(volume.clone(), first, 10, false).expect("it lies on the volume");
        label(&disk, "", "LNX10X0200", 12, 4096);
    }
    volume.flush().expect("the host has room");
    change(folder, "SYSTEM CONFIG", |text| format!("{text}\nDASD 0A00 volumes/lin001\nSUBSYSTEM 0A PATHS 4\n"));
    let mdisks = " MDISK 200 3390 1 10 LIN001 MR ALL WRITE MULT\n MDISK 201 3390 11 10 LIN001 MR ALL\n \
                  MDISK 202 3390 21 5 LIN001 MR\n \
                  MDISK 300 FB-512 V-DISK 8192 MR ALL\n";
    change(folder, "USER DIRECT", |text| with_linux_disks(&text, mdisks) + " LINK LINUX1 200 200 RR\n");
}

fn boot(system: &System, guest: &Guest, user: &str) -> Client {
    let mut client = Client::connect(system);
    client.log_on(user);
    system.fill_reader(user, guest, SHELL);
    client.ipl_reader(BOOT);
    let modules = "cd /modules; for m in dasd_mod dasd_eckd_mod dasd_fba_mod dasd_diag_mod; do insmod $m.ko; done; \
        echo END-OF-MODULES";
    client.say(modules, "\nEND-OF-MODULES", ANSWER);
    client
}

#[test]
fn linux_works_on_minidisks() {
    let Some(guest) = guest().filter(|_| has_s3270()) else { return };
    let system = System::start("minidisks", prepare);
    let mut first = boot(&system, &guest, "LINUX1");
    let modules = first.say("grep -c ^dasd /proc/modules; echo END-OF-0", "\nEND-OF-0", ANSWER);
    if !modules.lines().any(|line| line.trim() == "4") {
        println!("skipped: the guest has no modules for disks (cargo x guest makes one that has)");
        return;
    }
    first.say("#cp query virtual dasd", "0200 3390 LIN001 R/W         10 CYL ON DASD  0A00", ANSWER);

    // The ECKD driver writes, and reads back what it wrote.
    first.say(
        "cd /sys/bus/ccw/devices; echo 1 >0.0.0200/online; echo END-OF-1; cat 0.0.0200/discipline",
        "\nECKD",
        ANSWER,
    );
    // By four channel paths.
    first.say("cat $(readlink -f 0.0.0200)/../pimpampom", "\nf0 f0 ff", ANSWER);
    first.say("cat $(readlink -f 0.0.0200)/../chpids", "\n02 22 42 62", ANSWER);
    first.say("seq 1 50000 | head -c 262144 >/tmp/data; md5sum </tmp/data", "c", ANSWER);
    let write = "dd if=/tmp/data of=/dev/dasda bs=64k seek=1 conv=fsync 2>/dev/null; echo 3 \
        >/proc/sys/vm/drop_caches; echo END-OF-2";
    first.say(write, "\nEND-OF-2", ANSWER);
    let read = "dd if=/dev/dasda bs=64k skip=1 count=4 2>/dev/null | cmp - /tmp/data && echo SAME-ECKD";
    first.say(read, "\nSAME-ECKD", ANSWER);

    control_unit(&system, &mut first);

    // DIAGNOSE X'250', with its interruptions.
    let diag = "echo 1 >0.0.0201/use_diag; echo 1 >0.0.0201/online; cat 0.0.0201/discipline";
    first.say(diag, "\nDIAG", ANSWER);
    let write = "dd if=/tmp/data of=/dev/dasdb bs=64k seek=1 conv=fsync 2>/dev/null; echo 3 \
        >/proc/sys/vm/drop_caches; echo END-OF-3";
    first.say(write, "\nEND-OF-3", ANSWER);
    let read = "dd if=/dev/dasdb bs=64k skip=1 count=4 2>/dev/null | cmp - /tmp/data && echo SAME-DIAG";
    first.say(read, "\nSAME-DIAG", ANSWER);
    first.say("grep DSD /proc/interrupts", "DASD Diag", ANSWER);

    // A virtual disk by the FBA driver.
    first.say("echo 1 >0.0.0300/online; cat 0.0.0300/discipline", "\nFBA", ANSWER);
    let write = "dd if=/tmp/data of=/dev/dasdc bs=64k seek=1 conv=fsync 2>/dev/null; echo 3 \
        >/proc/sys/vm/drop_caches; echo END-OF-5";
    first.say(write, "\nEND-OF-5", ANSWER);
    let read = "dd if=/dev/dasdc bs=64k skip=1 count=4 2>/dev/null | cmp - /tmp/data && echo SAME-FBA";
    first.say(read, "\nSAME-FBA", ANSWER);

    // With the tools of s390-tools and e2fsprogs, a minidisk that was never formatted gets a file system.
    let tools = first.say("command -v dasdfmt fdasd mke2fs | grep -c .; echo END-OF-TOOLS", "\nEND-OF-TOOLS", ANSWER);
    if tools.lines().any(|line| line.trim() == "3") {
        first.say(
            "echo 1 >0.0.0202/online; dasdfmt -y -b 4096 -d cdl /dev/dasdd; echo RESULT-$?",
            "\nRESULT-0",
            ANSWER,
        );
        first.say("fdasd -a /dev/dasdd; mke2fs -q /dev/dasdd1; echo RESULT-$?", "\nRESULT-0", ANSWER);
        let mount =
            "mkdir /mnt/d; mount -t ext4 /dev/dasdd1 /mnt/d && cp /tmp/data /mnt/d/ && umount /mnt/d; echo RESULT-$?";
        first.say(mount, "\nRESULT-0", ANSWER);
        first.say("e2fsck -fn /dev/dasdd1; echo RESULT-$?", "\nRESULT-0", ANSWER);
    }

    // A neighbour reads what was written, and cannot write.
    let mut second = boot(&system, &guest, "LINUX2");
    second.say("#cp query links 200", "LINUX2   0200 R/O", ANSWER);
    second.say("cd /sys/bus/ccw/devices; echo 1 >0.0.0200/online; cat 0.0.0200/readonly", "\n1", ANSWER);
    second.say("seq 1 50000 | head -c 262144 >/tmp/data; echo END-OF-4", "\nEND-OF-4", ANSWER);
    let read = "dd if=/dev/dasda bs=64k skip=1 count=4 2>/dev/null | cmp - /tmp/data && echo SAME-LINK";
    second.say(read, "\nSAME-LINK", ANSWER);
    second.say(
        "#cp link linux1 200 291 w write",
        "HCPLNM106E LINUX1 0200 not linked; R/W by LINUX1, R/O by LINUX2",
        ANSWER,
    );
    second.say("#cp link linux1 201 291 rr", "DASD 0291 LINKED R/O; R/W BY LINUX1", ANSWER);
    // The kernel has seen it come.
    second.say("sleep 2; ls -d 0.0.0291", "\n0.0.0291", ANSWER);
    for mut client in [second, first] {
        client.say("poweroff -f", "CP READ", ANSWER);
        client.say("logoff", "LOGOFF AT", ANSWER);
    }
}

/// SET CACHE, NVS and DASDFW under a Linux that writes two whole tracks, block by block, or reads them: what the
/// control unit counts is what one would have found, kept and destaged.
fn control_unit(system: &System, linux: &mut Client) {
    const BLOCKS: i64 = 24;
    let mut maint = Line::log_on(system, "maint");
    // What succeeds says nothing, so something is asked after it.
    let mut set = |what: &str, query: &str, mark: &str| {
        maint.enter(&format!("set {what} a00"));
        maint.say(&format!("query {query} a00"), mark)
    };
    // Reads that the minidisk cache serves would not come as far as to the control unit.
    set("mdcache rdev off", "mdcache rdev", "REFUSED=");
    let mut done = 100;
    let mut linux = |what: &str| {
        done += 1;
        linux.say(&format!("{what} bs=4k count={BLOCKS}; echo DONE-$(({done}))"), &format!("\nDONE-{done}"), ANSWER);
    };
    let write = "dd if=/dev/zero of=/dev/dasda seek=960 oflag=direct";
    let read = "dd if=/dev/dasda of=/dev/null skip=960 iflag=direct";
    let mut before = [0i64; 8];
    // What is new of reads, hits, staged and bypassed tracks; of writes, fast hits, destaged and delayed ones.
    let mut counted = |shown: String| -> [i64; 8] {
        let names = ["READS=", " HITS=", "STAGED=", "BYPASSED=", "WRITES=", "FAST HITS=", "DESTAGED=", "DELAYED="];
        let now = names.map(|name| {
            let number =
                shown.split_once(name).and_then(|(_, rest)| rest.split_whitespace().next()?.parse::<i64>().ok());
            number.unwrap_or_else(|| panic!("{name} {shown}"))
        });
        let new = std::array::from_fn(|n| now[n] - before[n]);
        before = now;
        new
    };
    // What was written before does not wait any more.
    set("nvs off", "nvs", "0A00 NVS unavailable for subsystem");
    set("nvs on", "nvs", "0A00 NVS available for subsystem");
    counted(set("cache device on", "cache", "DELAYED="));
    // The first write of a track brings it into the cache; the others are over when they are in non-volatile storage.
    linux(write);
    assert_eq!(counted(set("cache device on", "cache", "DELAYED=")), [0, 0, 2, 0, BLOCKS, BLOCKS - 2, 0, 0]);
    linux(write);
    assert_eq!(counted(set("cache device on", "cache", "DELAYED=")), [0, 0, 0, 0, BLOCKS, BLOCKS, 0, 0]);
    linux(read);
    assert_eq!(counted(set("cache device on", "cache", "DELAYED=")), [BLOCKS, BLOCKS, 0, 0, 0, 0, 0, 0]);
    // Without fast write, without non-volatile storage, without the cache: what waited goes to the disk, and no write
    // is fast.
    for (what, query, off, on) in [
        ("dasdfw", "dasdfw", "0A00 DASDFW deactivated for device", "0A00 DASDFW activated for device"),
        ("nvs", "nvs", "0A00 NVS unavailable for subsystem", "0A00 NVS available for subsystem"),
        ("cache device", "cache", "0A00 CACHE deactivated for device", "0A00 CACHE activated for device"),
        ("cache subsystem", "cache", "0A00 CACHE unavailable for subsystem", "0A00 CACHE available for subsystem"),
    ] {
        let cached = query != "cache";
        let end = |mark| if cached { mark } else { "DELAYED=" };
        assert!(set(&format!("{what} off"), query, end(off)).contains(off), "{what} off");
        linux(write);
        linux(read);
        let hits = if cached { BLOCKS } else { 0 };
        let shown = set(&format!("{what} off"), "cache", "DELAYED=");
        assert_eq!(counted(shown), [BLOCKS, hits, 0, 0, BLOCKS, 0, 2, 0], "{what} off");
        assert!(set(&format!("{what} on"), query, end(on)).contains(on), "{what} on");
        linux(write);
        let staged = if cached { 0 } else { 2 };
        let shown = set(&format!("{what} on"), "cache", "DELAYED=");
        assert_eq!(counted(shown), [0, 0, staged, 0, BLOCKS, BLOCKS - staged, 0, 0], "{what} on");
    }
    set("mdcache rdev on", "mdcache rdev", "REFUSED=");
}
