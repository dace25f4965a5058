//! Systems of Debian's packages on disks of every kind: zipl in a guest makes them bootable, they start from the disk,
//! are put to work (a package from a local folder is installed, a C program compiled) and power themselves off; then
//! e2fsck of this machine looks at their file systems.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use support::line::Line;
use support::{
    Client, Guest, System, change, console, endicott, file_system, guest, has_s3270, root_initrd, with_linux_disks,
};

/// Cylinders of a 3390, and blocks, that hold the root file system.
const CYLINDERS: &str = "230";
const BLOCKS: &str = "330000";

/// A folder with disks, gone when the test has passed.
struct Folder {
    path: PathBuf,
    guest: Guest,
    installer: PathBuf,
}

impl Folder {
    /// `None`, and a line that says why, if there is nothing to start or to check with.
    fn new(name: &str) -> Option<Folder> {
        let (guest, installer) = (guest()?, root_initrd()?);
        let path = std::env::temp_dir().join(format!("endicott-roots-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder for the test");
        Some(Folder { path, guest, installer })
    }

    /// `endicott dasd` with these words, which must find nothing wrong.
    fn dasd(&self, line: &str) -> String {
        let output = endicott().arg("dasd").args(line.split(' ')).current_dir(&self.path).output().expect("it starts");
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(output.status.success(), "{line}: {said}");
        said
    }

    /// What a guest with these disks says until it has powered off.
    fn run(&self, disks: &[&str], words: &[&str]) -> String {
        let mut command = endicott();
        command.args(["linux", "--memory", "512M"]).args(words).current_dir(&self.path);
        for disk in disks {
            command.args(["--disk", disk]);
        }
        console(&mut command)
    }

    /// Puts the system on a disk and makes it bootable.
    fn install(&self, disk: &str, how: &str) {
        let append = format!("quiet nokaslr vmb.disks=0200:{how}");
        let (kernel, initrd) = (text(&self.guest.kernel), text(&self.installer));
        let said = self.run(&[disk], &["--kernel", kernel, "--initrd", initrd, "--append", &append]);
        assert!(said.contains("ROOT-READY 0200"), "{said}");
    }

    /// Starts the system from its disk and lets it work.
    fn work(&self, disk: &str) {
        self.worked(disk, &self.run(&[disk], &[]));
    }

    /// What it has to say when it worked; then its disk is whole.
    fn worked(&self, disk: &str, said: &str) {
        assert!(said.contains("WORK-PACKAGE Hello, world!"), "{said}");
        assert!(said.contains("WORK-COMPILED 333338333350000"), "{said}");
        assert!(said.contains("WORK-DONE"), "{said}");
        assert!(self.dasd(&format!("check {disk}")).contains("Nothing is wrong."));
        file_system::check(&self.path.join(disk));
    }

    /// A system in which LINUX1 has a copy of `root.3390` as minidisk 200; `more` is what stands after it in its
    /// directory entry.
    fn system(&self, name: &str, more: &str) -> System {
        System::start(name, |system| {
            fs::copy(self.path.join("root.3390"), system.join("volumes/lin200")).expect("there is room");
            change(system, "SYSTEM CONFIG", |text| format!("{text}\nDASD 0A00 volumes/lin200\n"));
            let mdisk = format!(" MDISK 200 3390 0 {CYLINDERS} LIN200 {more}\n");
            change(system, "USER DIRECT", |text| with_linux_disks(&text, &mdisk));
        })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the folder's name is text")
}

#[test]
fn a_3390_of_our_making_starts_with_stock_zipl() {
    let Some(folder) = Folder::new("ours") else { return };
    folder.dasd(&format!("create root.3390 3390 --cylinders {CYLINDERS} --volser LIN200 --linux --format plain"));
    folder.install("root.3390", "cdl");
    let shown = folder.dasd("show root.3390");
    assert!(shown.contains("volume serial LIN200") && shown.contains("LINUX.VLIN200.PART0001.NATIVE"), "{shown}");
    // As `endicott debian` starts the disks that it makes.
    fs::rename(folder.path.join("root.3390"), folder.path.join("demo.3390")).expect("it is ours");
    let mut run = endicott();
    run.args(["debian", "demo", "--run", "--memory", "512M"]).current_dir(&folder.path);
    folder.worked("demo.3390", &console(&mut run));
}

#[test]
fn a_3390_formatted_by_dasdfmt_and_fdasd_starts() {
    let Some(folder) = Folder::new("dasdfmt") else { return };
    folder.dasd(&format!("create root.3390 3390 --cylinders {CYLINDERS}"));
    folder.install("root.3390", "cdl:format");
    folder.work("root.3390");
}

#[test]
fn a_fixed_block_disk_starts() {
    let Some(folder) = Folder::new("fba") else { return };
    folder.dasd(&format!("create root.9336 9336-20 --blocks {BLOCKS}"));
    folder.install("root.9336", "fba");
    folder.work("root.9336");
}

#[test]
fn a_system_reaches_its_disk_by_diagnose_250() {
    let Some(folder) = Folder::new("diag") else { return };
    folder.dasd(&format!("create root.3390 3390 --cylinders {CYLINDERS} --format plain"));
    folder.install("root.3390", "ldl:format:diag");
    folder.work("root.3390");
}

#[test]
fn a_compressed_disk_with_a_shadow_file_starts_and_its_base_stays_as_it_is() {
    let Some(folder) = Folder::new("shadow") else { return };
    folder.dasd(&format!("create root.3390 3390 --cylinders {CYLINDERS} --volser LIN200 --linux --format cckd"));
    folder.install("root.3390", "cdl");
    folder.dasd("snapshot root.3390");
    let base = folder.path.join("root.3390");
    let before = fs::read(&base).expect("the disk is a file");
    folder.work("root.3390");
    assert!(fs::read(&base).expect("the disk is a file") == before, "the base has changed");
    // Merged, it is one file again, with what the system did.
    folder.dasd("snapshot root.3390 --merge");
    assert!(fs::read(&base).expect("the disk is a file") != before, "nothing was merged");
    folder.dasd("check root.3390");
    file_system::check(&folder.path.join("root.3390"));
}

/// How long a guest takes at most that waits for its disk as it would for a real one.
const PATIENCE: Duration = Duration::from_secs(400);

#[test]
fn a_system_on_a_minidisk_works_when_disks_take_their_time() {
    let Some(folder) = Folder::new("timing").filter(|_| has_s3270()) else { return };
    folder.dasd(&format!("create root.3390 3390 --cylinders {CYLINDERS} --volser LIN200 --linux"));
    folder.install("root.3390", "cdl");
    let system = folder.system("timing", "MR ALL");
    let mut operator = Client::connect(&system);
    operator.log_on("MAINT");
    operator.enter("set timing on a00");
    operator.say("query timing a00", "0A00 TIMING ON PROGRAMS=0", PATIENCE);
    let mut client = Client::connect(&system);
    client.log_on("LINUX1");
    let said = client.say("ipl 200", "WORK-DONE", PATIENCE);
    assert!(said.contains("WORK-PACKAGE Hello, world!") && said.contains("WORK-COMPILED 333338333350000"), "{said}");
    client.until("CP READ", PATIENCE);
    client.say("logoff", "LOGOFF AT", PATIENCE);
    // Thousands of channel programs, each of which took a while.
    let shown = operator.say("query timing a00", "0A00 TIMING ON PROGRAMS=", PATIENCE);
    let word = |name: &str| {
        let rest = shown.rsplit(name).next().unwrap_or_default();
        rest.split_whitespace().next().and_then(|number| number.parse::<f64>().ok()).unwrap_or_default()
    };
    assert!(word("PROGRAMS=") > 100.0 && word("RESPONSE=") > 0.5, "{shown}");
    // It is killed, and nothing is lost.
    let disk = folder.path.join("root.3390");
    fs::remove_file(&disk).expect("it is ours");
    fs::hard_link(system.folder.join("volumes/lin200"), &disk).expect("one file system holds both");
    drop(system);
    assert!(folder.dasd("check root.3390").contains("Nothing is wrong."));
    file_system::check(&folder.path.join("root.3390"));
}

/// Compares what the programs of s390-tools have printed with what is recorded in a file; BLESS=1 records it.
fn as_recorded(said: &str, name: &str) {
    let printed = said.split("TOOLS-BEGIN\n").nth(1).and_then(|rest| rest.split("TOOLS-END").next());
    let printed = printed.unwrap_or_else(|| panic!("the programs did not run: {said}"));
    // The day, and the moment, the test runs.
    let masked = |line: &str| match (line.split_once("year "), line.split_once("start time")) {
        (Some((front, _)), _) => format!("{front}YEAR AND DAY"),
        (_, Some((front, _))) => format!("{front}start time"),
        _ => line.trim_end().to_owned(),
    };
    let printed: String = printed.lines().map(|line| masked(line) + "\n").collect();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts").join(name);
    if std::env::var_os("BLESS").is_some() {
        fs::write(&file, &printed).expect("the folder is there");
    }
    let expected = fs::read_to_string(&file).expect("the transcript is there");
    let differs = expected.lines().zip(printed.lines()).enumerate().find(|(_, (expected, found))| expected != found);
    assert!(expected == printed, "it differs from {} (BLESS=1 accepts) at {differs:?}:\n{printed}", file.display());
}

/// lsdasd's extent_size is 0, and what is allocated is the capacity: a 3990's volumes come from no pool of extents. Of
/// volumes that get their space as they need it (ESE), at control units that are younger, it is 21 or 1113 cylinders.
#[test]
fn the_programs_of_s390_tools_print_what_they_print_elsewhere() {
    let Some(folder) = Folder::new("tools") else { return };
    folder.dasd(&format!("create root.3390 3390 --cylinders {CYLINDERS} --volser LIN200 --linux --format plain"));
    folder.dasd("create work.3390 3390-3 --cylinders 20");
    folder.install("root.3390", "cdl");
    // On a 3215 Linux prints blanks for tabs.
    let said = folder.run(&["root.3390", "work.3390"], &["--console", "3215", "--append", "vmb.work=tools"]);
    as_recorded(&said, "s390-tools.txt");
}

/// One minidisk, twice: to the control unit those are two systems.
#[test]
fn tunedasd_takes_a_disk_away_from_who_has_it_reserved() {
    let Some(folder) = Folder::new("steal") else { return };
    folder.dasd(&format!("create root.3390 3390 --cylinders {CYLINDERS} --volser LIN200 --linux"));
    folder.install("root.3390", "cdl");
    let system = folder.system("steal", "MR\n MDISK 201 3390 241 20 VMRES MW\n LINK * 201 202 MW");
    let mut linux = Line::log_on(&system, "linux1");
    linux.enter("ipl 200 parm vmb.work=steal");
    let said = linux.until_within("TOOLS-END", PATIENCE).replace('\r', "");
    as_recorded(&said, "tunedasd.txt");
    linux.until_within("WORK-DONE", PATIENCE);
}

#[test]
fn loader_parameters_are_as_long_as_they_may_be() {
    let refused = |words: &[&str], length: usize, room: &str| {
        let mut command = endicott();
        command.args(["linux", "--disk", "/nonexistent"]).args(words).stdin(Stdio::null());
        let output = command.args(["--append", &"x".repeat(length)]).output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && said.contains(room), "{said}");
    };
    refused(&["--console", "3215"], 65, "64 characters");
    refused(&["--console", "3215"], 64, "/nonexistent");
    // The names of the console are among them.
    refused(&[], 39, "38 characters, or up to 64 with --console 3215");
    refused(&[], 38, "/nonexistent");
}
