//! THROUGH, SAFE and LAZY as SYSTEM CONFIG gives them to volumes: when what Linux writes is on the host's medium, what
//! it has to wait for, and what is there when the system's process has been killed.
//!
//! A library in front of the C library tells which file is being brought to the medium (fdatasync), and lets nothing
//! come so far while the test holds it up: then only what the host has in its storage is left of a write.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use dasd::model::CkdModel;
use dasd::{Format, Image, Kind, Method, Options, Tracks, Volume};
use support::line::{ANSWER, Line};
use support::{SHELL, System, change, endicott, guest, with_linux_disks};

/// A boot takes seconds; a busy machine gets time.
const BOOT: Duration = Duration::from_secs(300);

/// fdatasync writes the file's name to a log and waits as long as there is a file "hold" beside it.
const SYNCS: &str = r#"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int fdatasync(int fd)
{
    char link[64], file[4096], log[4096], hold[4096];
    const char *folder = getenv("SYNCS");
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, file, sizeof file - 1);
    if (folder && length > 0) {
        snprintf(log, sizeof log, "%s/log", folder);
        snprintf(hold, sizeof hold, "%s/hold", folder);
        file[length++] = '\n';
        int to = open(log, O_WRONLY | O_CREAT | O_APPEND, 0666);
        if (to < 0 || write(to, file, length) != length)
            abort();
        close(to);
        while (access(hold, F_OK) == 0)
            usleep(5000);
    }
    return syscall(SYS_fdatasync, fd);
}
"#;

/// The volumes: their names, what SYSTEM CONFIG says after their files, and what they run under; each policy in a
/// plain and in a compressed file.
const VOLUMES: [(&str, &str, &str); 6] = [
    ("LIN001", "THROUGH", "THROUGH"),
    ("LIN002", "R/W", "SAFE"),
    ("LIN003", "LAZY", "LAZY"),
    ("LIN004", "R/W THROUGH", "THROUGH"),
    ("LIN005", "SAFE", "SAFE"),
    ("LIN006", "lazy", "LAZY"),
];

fn prepare(folder: &Path) {
    let (mut config, mut mdisks) = (String::new(), String::new());
    for (n, (serial, options, _)) in VOLUMES.iter().enumerate() {
        let file = folder.join("volumes").join(serial);
        let kind = Kind::of_model(CkdModel::named("3390").expect("there is this model"), 30);
        let format = if n < 3 { Format::Plain } else { Format::Compressed { wide: true, method: Method::Zlib } };
        dasd::create_with(&file, kind, format, Tracks::Blocks, &mut |_, _| true).expect("there is room");
        let image = Image::open(&file, Options::default()).expect("it was just made");
        dasd::label::write(&*image, serial).expect("there is room");
        config += &format!("DASD 0A0{n} volumes/{serial} {options}\n");
        mdisks += &format!(" MDISK 20{n} 3390 0 30 {serial} MR\n");
    }
    change(folder, "SYSTEM CONFIG", |text| format!("{text}\n{config}"));
    change(folder, "USER DIRECT", |text| with_linux_disks(&text, &mdisks));
}

/// The library, if there is a C compiler.
fn library(folder: &Path) -> Option<PathBuf> {
    let (source, library) = (folder.join("syncs.c"), folder.join("syncs.so"));
    fs::write(&source, SYNCS).expect("the folder is there");
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-O1", "-D_GNU_SOURCE", "-o"]).arg(&library).arg(&source);
    match cc.stdout(Stdio::null()).status() {
        Ok(status) => {
            assert!(status.success(), "it is compiled");
            Some(library)
        }
        Err(_) => {
            println!("skipped: there is no C compiler (cc)");
            None
        }
    }
}

struct Story {
    system: System,
    linux: Line,
    /// How many writes there were.
    writes: u32,
    /// What each volume has from the blocks on that were written.
    written: Vec<(usize, u32, u32)>,
}

impl Story {
    /// How often a volume's file, or the journal of it, was on its way to the medium.
    fn syncs(&self, volume: usize) -> usize {
        self.syncs_of(volume, &["", ".journal"])
    }

    /// The same, of its check sums as well, which go before it.
    fn all_syncs(&self, volume: usize) -> usize {
        self.syncs_of(volume, &["", ".journal", ".sums"])
    }

    fn syncs_of(&self, volume: usize, ends: &[&str]) -> usize {
        let log = fs::read_to_string(self.system.folder.join("log")).unwrap_or_default();
        let files: Vec<String> = ends.iter().map(|end| format!("/volumes/{}{end}", VOLUMES[volume].0)).collect();
        log.lines().filter(|line| files.iter().any(|file| line.ends_with(file))).count()
    }

    /// Linux begins to write three blocks past its own cache; what it says when they are on its disk.
    fn begin(&mut self, volume: usize) -> String {
        self.writes += 1;
        let (n, at, disk) = (self.writes, 36 + 5 * self.writes, (b'a' + volume as u8) as char);
        self.written.push((volume, at, n));
        let write = format!("dd if=/tmp/data of=/dev/dasd{disk} bs=4k count=3 seek={at} oflag=direct");
        self.linux.enter(&format!("yes write-{n} | head -c 12288 >/tmp/data; {write} && echo WRITTEN-$(({n}))"));
        format!("\nWRITTEN-{n}\r")
    }

    fn write(&mut self, volume: usize) {
        let done = self.begin(volume);
        self.linux.until(&done);
    }

    fn hold(&self, hold: bool) {
        let file = self.system.folder.join("hold");
        if hold {
            fs::write(file, []).expect("the folder is there")
        } else {
            fs::remove_file(file).expect("it is held")
        }
    }

    /// Everything that was written is on the volumes.
    fn compare(&self) {
        for (volume, at, n) in &self.written {
            let (serial, _, policy) = VOLUMES[*volume];
            let file = self.system.folder.join("volumes").join(serial);
            let image = Image::open(&file, Options { read_only: true, ..Options::default() }).expect("nobody has it");
            let expected: Vec<u8> = format!("write-{n}\n").bytes().cycle().take(12_288).collect();
            for (block, data) in (*at..).zip(expected.chunks(4096)) {
                let track = image.read_track(block / 12).unwrap_or_else(|error| panic!("{policy}: {error}"));
                let found = track.records().nth((block % 12 + 1) as usize).expect("twelve of them").data;
                assert!(found == data, "{policy}, {serial}: write {n} is lost: block {block}");
            }
        }
    }
}

#[test]
fn volumes_run_under_the_policies_of_the_system_config() {
    let Some(guest) = guest() else { return };
    let mut library_there = false;
    let system = System::start_in("policies", "127.0.0.1", |folder| {
        prepare(folder);
        let library = library(folder);
        library_there = library.is_some();
        library
            .map(|library| ("LD_PRELOAD".into(), library))
            .into_iter()
            .chain([("SYNCS".into(), folder.into())])
            .collect()
    });
    if !library_there {
        return;
    }
    // The operator is told what they run under.
    let mut maint = Line::log_on(&system, "maint");
    for (n, (serial, _, policy)) in VOLUMES.iter().enumerate() {
        let said = maint.say(&format!("query dasd details a0{n}"), "WRITES = ");
        assert!(said.contains(&format!("CP SYSTEM {serial}")), "{said}");
        assert!(said.trim_end().ends_with(&format!("0A0{n} WRITES = {policy}")), "{said}");
    }
    let mut linux = Line::log_on(&system, "linux1");
    system.fill_reader("LINUX1", &guest, SHELL);
    linux.until("RDR FILE 0003");
    linux.enter("ipl 00c");
    linux.until_within("SHELL-START", BOOT);
    linux.enter(
        "cd /modules; insmod dasd_mod.ko; insmod dasd_eckd_mod.ko; cd /sys/bus/ccw/devices; ls /modules | \
        grep -c ^dasd; echo HAS-$((1))",
    );
    if linux.until("\nHAS-1").lines().any(|line| line.trim() == "0") {
        println!("skipped: the guest has no modules for disks (cargo x guest makes one that has)");
        return;
    }
    linux.say("for n in 0 1 2 3 4 5; do echo 1 >0.0.020$n/online; done; ls /dev/dasdf && echo ALL-$((6))", "\nALL-6");
    let mut story = Story { system, linux, writes: 0, written: Vec::new() };

    // THROUGH: it was on the medium when Linux heard of its end. SAFE: soon. LAZY: not before it is wanted.
    let lazy = |story: &Story| {
        [2, 5].iter().for_each(|&volume| {
            assert_eq!(story.all_syncs(volume), 0, "{} is brought to the medium", VOLUMES[volume].0)
        });
    };
    for (volume, (serial, _, policy)) in VOLUMES.iter().enumerate() {
        for _ in 0..2 {
            let before = story.syncs(volume);
            story.write(volume);
            if *policy == "THROUGH" {
                assert!(story.syncs(volume) > before, "{serial}: Linux goes on, and it is not on the medium");
            }
            let began = Instant::now();
            while *policy == "SAFE" && story.syncs(volume) == before {
                assert!(began.elapsed() < Duration::from_secs(20), "{serial} is not brought to the medium");
                thread::sleep(Duration::from_millis(20));
            }
        }
    }
    thread::sleep(Duration::from_secs(3));
    lazy(&story);

    // While the host cannot reach its medium, only writes to THROUGH wait.
    for volume in [0, 3] {
        story.hold(true);
        let before = story.all_syncs(volume);
        let done = story.begin(volume);
        let began = Instant::now();
        while story.all_syncs(volume) == before {
            assert!(began.elapsed() < ANSWER, "nothing is written");
            thread::sleep(Duration::from_millis(20));
        }
        thread::sleep(Duration::from_secs(1));
        let said = story.linux.lines();
        assert!(!said.contains(&done), "{}: Linux does not wait: {said}", VOLUMES[volume].0);
        story.hold(false);
        story.linux.until(&done);
    }

    // Nothing reaches it any more, and the process is killed: what was acknowledged is there under every policy.
    story.hold(true);
    for round in 0..8 {
        [1, 2, 4, 5].iter().for_each(|&volume| story.write(volume));
        thread::sleep(Duration::from_millis(300 * (round % 2)));
    }
    lazy(&story);
    story.system.kill();
    story.hold(false);
    story.compare();
    for (serial, ..) in VOLUMES {
        let file = story.system.folder.join("volumes").join(serial);
        let found = endicott().args(["dasd", "check"]).arg(file).output().expect("it starts");
        let said = String::from_utf8_lossy(&[found.stdout, found.stderr].concat()).into_owned();
        assert!(found.status.success() && said.contains("Nothing is wrong."), "{serial}: {said}");
    }
    // And there is a system again that comes up with them.
    story.system.restart();
    let mut operator = Line::connect(&story.system);
    operator.say("logon operator operator", "RECONNECTED AT");
    assert!(operator.say("query dasd details a05", "WRITES = ").contains("WRITES = LAZY"));
}
