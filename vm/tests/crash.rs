//! The whole program is killed at any moment, with a guest that writes and waits for its disk, and in the midst of
//! compaction, snapshots and merges: whatever the guest was told to be on its disk is there at the next start, and the
//! checker finds nothing each time.
//!
//! One guest has its disk to itself, and what is done to the disk is done between its runs, by `endicott dasd`. The
//! other has a minidisk in a whole system, whose operator takes snapshots of the volume, merges them and throws them
//! away while the guest writes; the system is killed while the guest writes or in the midst of the operator's last
//! command.
//!
//! `ENDICOTT_KILL_ROUNDS` is how many guests are killed in each of the two (300 in the long run), and for each of the
//! first one's three tools; `ENDICOTT_KILL_SEED` is when. The disk is compressed, so that it grows, moves its tracks
//! about and has its tables changed all the time. The first guest is killed once more with a plain disk, where tracks
//! are written over in their places.

mod support;

use ::support::Random;
use std::collections::HashMap;
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use dasd::{Image, Options, Volume};
use support::line::Line;
use support::{Guest, System, change, console, endicott, guest, root_initrd, with_linux_disks};

/// Processes other than guests that are killed after each guest.
const TOOLS: usize = 3;
/// How many snapshots there are at a time.
const SNAPSHOTS: usize = 3;
/// Cylinders of a 3390 that hold the system, and the serial of the volume.
const CYLINDERS: &str = "230";
const SERIAL: &str = "LIN200";
/// A boot takes seconds; a busy machine gets time.
const BOOT: Duration = Duration::from_secs(300);

/// What is done to a disk besides writing on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    Compact,
    Snapshot,
    Merge,
    Discard,
}

/// The number that each file was acknowledged to have.
type Numbers = HashMap<u32, u64>;

struct Story {
    folder: PathBuf,
    guest: Guest,
    random: Random,
    acknowledged: Numbers,
    /// What was acknowledged when each of the snapshots that there are was asked for.
    kept: Vec<Numbers>,
    /// The number that is written next.
    next: u64,
    /// How many of the changes were found to be done, and how many not.
    changes: HashMap<String, usize>,
    /// The disk's format.
    format: &'static str,
}

impl Story {
    /// A disk with the system on it, in a folder of its own; `None`, and a line that says why, if there is no such
    /// system.
    fn begin(name: &str, format: &'static str) -> Option<Story> {
        let (guest, installer) = (guest()?, root_initrd()?);
        let folder = std::env::temp_dir().join(format!("endicott-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder for the test");
        let seed = std::env::var("ENDICOTT_KILL_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
        let (acknowledged, kept, changes) = <_>::default();
        let story = Story { folder, guest, random: Random::seeded(seed), acknowledged, kept, next: 1, changes, format };
        install(&story, &installer);
        Some(story)
    }

    /// All is well: the numbers, and nothing of it is left.
    fn end(self, killed: usize, guests: usize) {
        let mut changes: Vec<String> = self.changes.iter().map(|(what, count)| format!("{what} {count}")).collect();
        changes.sort();
        println!("{killed} processes killed, {} writes acknowledged; {}", self.next, changes.join(", "));
        assert!(self.next > guests as u64, "the guests were acknowledged {} writes only", self.next);
        fs::remove_dir_all(&self.folder).expect("it is ours");
    }

    fn disk(&self) -> PathBuf {
        self.folder.join("root.3390")
    }

    fn check(&self, when: &str) {
        let found = endicott().args(["dasd", "check"]).arg(self.disk()).output().expect("it starts");
        let said = String::from_utf8_lossy(&[found.stdout, found.stderr].concat()).into_owned();
        assert!(found.status.success() && said.contains("Nothing is wrong."), "{when}: {said}");
    }

    /// A guest has said what it finds: what was acknowledged is there.
    fn compare(&self, round: usize, said: &str) {
        let mut found: HashMap<u32, Vec<Option<u64>>> = HashMap::new();
        for line in said.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            if let ["SLOT", file, numbers @ ..] = &words[..] {
                let numbers = numbers.iter().map(|number| number.parse().ok());
                found.insert(file.parse().expect("a file's number"), numbers.collect());
            }
        }
        for (file, number) in &self.acknowledged {
            let there = found.get(file).map_or(&[][..], Vec::as_slice);
            // A write that was not acknowledged may be there, but only as a whole.
            assert!(
                matches!(there, [Some(n)] if n >= number),
                "round {round}: file {file}: {number}, not {there:?}: {said}"
            );
        }
    }

    /// A guest has said what it wrote.
    fn hear(&mut self, said: &str) {
        for line in said.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            if let ["ACK", file, number] = words[..]
                && let (Ok(file), Ok(number)) = (file.parse(), number.parse::<u64>())
            {
                self.acknowledged.insert(file, number);
                self.next = self.next.max(number + 1);
            }
        }
    }

    /// Whether a merge of the newest snapshot was begun and has not ended: then there is nothing to go back to.
    fn merging(&self) -> bool {
        self.folder.join(format!("root_s{}.3390.merging", self.kept.len())).exists()
    }

    /// Something about snapshots that may be done to the disk.
    fn change(&mut self) -> Change {
        match (self.random.below(5), self.kept.len()) {
            (0 | 1, snapshots) if snapshots < SNAPSHOTS => Change::Snapshot,
            (2, 1..) if !self.merging() => Change::Discard,
            (1..=3, 1..) => Change::Merge,
            (_, snapshots) if snapshots < SNAPSHOTS => Change::Snapshot,
            _ => Change::Merge,
        }
    }

    /// What was done to the disk, by a process that is no more: all of it, or nothing. `before` is what was
    /// acknowledged when it began.
    fn settle(&mut self, change: Change, before: Numbers, when: &str) {
        let there = (1..).take_while(|n| self.folder.join(format!("root_s{n}.3390")).exists()).count();
        let had = self.kept.len();
        let done = match change {
            Change::Snapshot if there == had + 1 => {
                self.kept.push(before);
                true
            }
            Change::Merge if there + 1 == had => self.kept.pop().is_some(),
            Change::Discard if there + 1 == had => {
                self.acknowledged = self.kept.pop().expect("there was one");
                true
            }
            _ => {
                assert_eq!(there, had, "{when}: snapshots");
                false
            }
        };
        *self.changes.entry(format!("{change:?}{}", if done { " done" } else { " not done" })).or_default() += 1;
    }

    /// All that is on the disk, or was at a snapshot of it.
    fn content(&self, snapshot: Option<usize>) -> u64 {
        let options = Options { read_only: true, snapshot, ..Options::default() };
        let image = Image::open(&self.disk(), options).expect("nobody has it to himself");
        let mut hasher = DefaultHasher::new();
        for track in 0..image.kind().tracks() {
            let track = image.read_track(track).expect("the disk is whole");
            for record in track.records() {
                hasher.write(&record.count.encode());
                hasher.write(record.key);
                hasher.write(record.data);
            }
        }
        hasher.finish()
    }

    /// A guest that says what it finds and then writes, killed some time later.
    fn guest(&mut self, round: usize) {
        let append = format!("quiet nokaslr vmb.mode=root vmb.work=write vmb.from={}", self.next);
        let mut command = endicott();
        command.args(["linux", "--memory", "256M", "--append", &append, "--kernel"]).arg(&self.guest.kernel);
        command.arg("--initrd").arg(&self.guest.initrd).arg("--disk").arg(self.disk());
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("endicott starts");
        let console = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut console = console.lines().map_while(Result::ok);
        let found: Vec<String> = console.by_ref().take_while(|line| !line.contains("WRITE-BEGIN")).collect();
        self.compare(round, &found.join("\n"));
        let rest = thread::spawn(move || console.collect::<Vec<String>>());
        thread::sleep(Duration::from_millis(100 + self.random.below(3_000)));
        child.kill().expect("it runs");
        let _ = child.wait();
        self.hear(&rest.join().expect("it only reads").join("\n"));
        // What was under way was not acknowledged.
        self.next += 1;
        self.check(&format!("guest {round}"));
    }

    /// Compaction or something about snapshots, killed at some moment of it.
    fn tool(&mut self, round: usize) {
        let compact = self.random.one_in(3) && self.format != "plain";
        let change = if compact { Change::Compact } else { self.change() };
        let (word, option) = match change {
            Change::Compact => ("compact", None),
            Change::Snapshot => ("snapshot", None),
            Change::Merge => ("snapshot", Some("--merge")),
            Change::Discard => ("snapshot", Some("--discard")),
        };
        let mut command = endicott();
        command.args(["dasd", word]).arg(self.disk()).args(option).stdout(Stdio::null());
        let mut child = command.stderr(Stdio::null()).spawn().expect("it starts");
        thread::sleep(Duration::from_millis(self.random.below(400)));
        let _ = child.kill();
        let _ = child.wait();
        let when = format!("{change:?} {round}");
        self.settle(change, self.acknowledged.clone(), &when);
        self.check(&when);
    }

    /// A guest that says what it finds and then writes, while the operator keeps its disk as it is, and puts it
    /// together again. The system is killed some time after the operator's last command has begun.
    fn system(&mut self, system: &mut System, round: usize) {
        let mut guest = Line::log_on(system, "linux1");
        guest.enter(&format!("ipl 200 parm vmb.work=write vmb.from={}", self.next));
        let found = guest.until_within("WRITE-BEGIN", BOOT);
        self.compare(round, &found);
        let mut operator = Line::connect(system);
        operator.say("logon operator operator", "RECONNECTED AT");
        for _ in 0..self.random.below(3) {
            let change = Some(self.change()).filter(|&change| change != Change::Discard).unwrap_or(Change::Merge);
            self.complete(&mut operator, &mut guest, change);
        }
        let change = [Change::Discard, Change::Merge, Change::Snapshot][round % 3];
        if change == Change::Snapshot && self.kept.len() == SNAPSHOTS || change == Change::Discard && self.merging() {
            self.complete(&mut operator, &mut guest, Change::Merge);
        }
        if change != Change::Snapshot && (self.kept.is_empty() || change == Change::Discard && self.merging()) {
            self.complete(&mut operator, &mut guest, Change::Snapshot);
        }
        self.pause(1_500);
        self.hear(&guest.lines());
        let mut thrown = None;
        if change == Change::Discard {
            // Of a disk that is in use, nothing is thrown away.
            operator.say("snapshot 0a00 discard", "HCPDTS124E DASD 0A00 in use by 1 users");
            operator.say("force linux1", "FORCED BY OPERATOR");
            thrown = Some(self.content(Some(self.kept.len())));
        }
        let before = self.acknowledged.clone();
        self.operate(&mut operator, change);
        // A snapshot takes milliseconds, a merge longer.
        let most = self.random.pick(&[8, 60, 600]);
        self.pause(most);
        system.kill();
        self.hear(&guest.until_the_end());
        // What was under way was not acknowledged.
        self.next += 1;
        let (when, had) = (format!("{change:?} and guest {round}"), self.kept.len());
        self.settle(change, before, &when);
        self.check(&when);
        if let Some(thrown) = thrown.filter(|_| self.kept.len() < had) {
            assert_eq!(self.content(None), thrown, "{when}: what the disk is after it, and was at the snapshot");
        }
    }

    /// A guest that says what it finds and then writes, in a system that has less storage than the guest, with spool
    /// files that come meanwhile. The system is killed while it pages.
    fn paged(&mut self, system: &mut System, pages: &Path, round: usize) {
        let mut operator = Line::connect(system);
        operator.say("logon operator operator", "RECONNECTED AT");
        let mut reader = Line::log_on(system, "maint");
        let files = if round == 0 { "  NO".into() } else { format!("{round:04}") };
        reader.say("query files", &format!("FILES: {files} RDR"));
        let said = operator.say("query alloc page", "INUSE=");
        assert!(said.contains("TOTAL=000200"), "{said}");
        let mut guest = Line::log_on(system, "linux1");
        guest.enter(&format!("ipl 200 parm vmb.work=write vmb.from={}", self.next));
        let found = guest.until_within("WRITE-BEGIN", BOOT);
        self.compare(round, &found);
        let cards = self.folder.join("cards");
        fs::write(&cards, format!("round {round}\n")).expect("the folder is there");
        system.punch("MAINT", &cards, true);
        reader.until("RDR FILE");
        self.pause(1_500);
        self.hear(&guest.lines());
        let said = operator.say("indicate user linux1", "WRITES=");
        println!("{said}");
        self.pause(300);
        system.kill();
        self.hear(&guest.until_the_end());
        self.next += 1;
        self.check(&format!("killed while it pages {round}"));
        let found = endicott().args(["dasd", "check"]).arg(pages).output().expect("it starts");
        let said = String::from_utf8_lossy(&[found.stdout, found.stderr].concat()).into_owned();
        assert!(found.status.success() && said.contains("Nothing is wrong."), "{round}: {said}");
    }

    /// The guest goes on for a while, and the operator does it and hears that it is done.
    fn complete(&mut self, operator: &mut Line, guest: &mut Line, change: Change) {
        self.pause(1_500);
        self.hear(&guest.lines());
        let before = self.acknowledged.clone();
        self.operate(operator, change);
        operator.until(if change == Change::Merge { "HCPSNP6307I" } else { "WRITTEN IN" });
        self.settle(change, before, "done while the guest writes");
    }

    /// The operator begins it.
    fn operate(&self, operator: &mut Line, change: Change) {
        operator.enter(match change {
            Change::Merge => "snapshot lin200 merge",
            Change::Discard => "snapshot lin200 discard",
            _ => "snapshot lin200",
        });
    }

    /// Up to so many milliseconds, and parts of one.
    fn pause(&mut self, milliseconds: u64) {
        thread::sleep(Duration::from_micros(self.random.below(1_000 * milliseconds)));
    }
}

/// How many guests are to be killed; `few` of them unless the environment says so.
fn rounds(few: usize) -> usize {
    std::env::var("ENDICOTT_KILL_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(few)
}

/// Guests and tools in turn, each killed.
fn alone(name: &str, format: &'static str) {
    let Some(mut story) = Story::begin(name, format) else { return };
    let rounds = rounds(2);
    for round in 0..rounds {
        story.guest(round);
        (0..TOOLS).for_each(|tool| story.tool(round * TOOLS + tool));
    }
    story.end(rounds * (1 + TOOLS), rounds);
}

#[test]
fn a_killed_system_loses_nothing_that_its_guest_was_promised() {
    alone("crash", "cckd");
}

#[test]
fn a_killed_system_loses_nothing_of_a_plain_disk() {
    alone("crash-plain", "plain");
}

#[test]
fn a_system_killed_while_its_operator_takes_snapshots_loses_nothing_either() {
    let Some(mut story) = Story::begin("crash-snapshots", "cckd") else { return };
    let disk = story.disk();
    let mut system = System::start("crash-system", |folder| with_disk(folder, &disk, ""));
    let rounds = rounds(3);
    for round in 0..rounds {
        if round > 0 {
            system.restart();
        }
        story.system(&mut system, round);
    }
    drop(system);
    story.end(rounds, rounds);
}

/// What is kept is the minidisk and the spool; page space is worth nothing to a later start, whatever is in it.
#[test]
fn a_system_killed_while_it_pages_loses_neither_minidisks_nor_spool_files() {
    let Some(mut story) = Story::begin("crash-paging", "plain") else { return };
    let disk = story.disk();
    let mut pages = PathBuf::new();
    let mut system = System::start("crash-paged", |folder| {
        // A boot of this guest refers to more than there is.
        pages = support::own_volume(folder, 0x300, 2, 301, "VMPAG1", &["PAGE=1-200", "SPOL=201-END"]);
        with_disk(folder, &disk, "STORAGE 80M\n");
    });
    let rounds = rounds(2);
    for round in 0..rounds {
        if round > 0 {
            system.restart();
        }
        story.paged(&mut system, &pages, round);
    }
    drop(system);
    story.end(rounds, rounds);
}

/// Gives LINUX1 of the sample system the disk with the system on it, and SYSTEM CONFIG these statements.
fn with_disk(folder: &Path, disk: &Path, statements: &str) {
    change(folder, "SYSTEM CONFIG", |text| format!("{text}\nDASD 0A00 {}\n{statements}", disk.display()));
    let mdisk = format!(" MDISK 200 3390 0 {CYLINDERS} {SERIAL} MR\n");
    change(folder, "USER DIRECT", |text| with_linux_disks(&text, &mdisk));
}

/// A disk with the system on it.
fn install(story: &Story, installer: &Path) {
    let mut create = endicott();
    create.args(["dasd", "create"]).arg(story.disk());
    create
        .args(["3390", "--cylinders", CYLINDERS, "--volser", SERIAL, "--linux", "--format", story.format])
        .stdout(Stdio::null());
    assert!(create.status().expect("it starts").success());
    let mut command: Command = endicott();
    command.args(["linux", "--memory", "512M", "--append", "quiet nokaslr vmb.disks=0200:cdl", "--kernel"]);
    command.arg(&story.guest.kernel).arg("--initrd").arg(installer).arg("--disk").arg(story.disk());
    let said = console(&mut command);
    assert!(said.contains("ROOT-READY 0200"), "{said}");
}
