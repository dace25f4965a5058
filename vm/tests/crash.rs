//! The whole program is killed at any moment, with a guest that writes and waits for its disk, and in the midst of
//! compaction, snapshots and merges: whatever the guest was told to be on its disk is there at the next start, and the
//! checker finds nothing each time.
//!
//! `ENDICOTT_KILL_ROUNDS` is how many processes are killed (300 in the long run), `ENDICOTT_KILL_SEED` when. The disk is
//! compressed, so that it grows, moves its tracks about and has its tables changed all the time.

mod support;

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use support::{Guest, console, endicott, guest, root_initrd};

/// Processes other than guests that are killed after each guest.
const TOOLS: usize = 3;

/// Numbers from a seed (splitmix64).
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % limit
    }
}

struct Story {
    folder: PathBuf,
    guest: Guest,
    chance: Chance,
    /// The number that each file was acknowledged to have.
    acknowledged: HashMap<u32, u64>,
    /// The number that is written next.
    next: u64,
}

impl Story {
    fn disk(&self) -> PathBuf {
        self.folder.join("root.3390")
    }

    fn check(&self, when: &str) {
        let found = endicott().args(["dasd", "check"]).arg(self.disk()).output().expect("it starts");
        let said = String::from_utf8_lossy(&[found.stdout, found.stderr].concat()).into_owned();
        assert!(found.status.success() && said.contains("Nothing is wrong."), "{when}: {said}");
    }

    /// A guest that says what it finds and then writes, killed some time later.
    fn guest(&mut self, round: usize) {
        let append = format!("quiet nokaslr vmb.mode=root vmb.work=write vmb.from={}", self.next);
        let mut command = endicott();
        command.args(["linux", "--memory", "256M", "--append", &append, "--kernel"]).arg(&self.guest.kernel);
        command.arg("--initrd").arg(&self.guest.initrd).arg("--disk").arg(self.disk());
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("endicott starts");
        let console = BufReader::new(child.stdout.take().expect("it is piped"));
        let (mut found, mut said) = (HashMap::new(), String::new());
        let mut console = console.lines().map_while(Result::ok);
        for line in console.by_ref() {
            if line.contains("WRITE-BEGIN") {
                break;
            }
            let words: Vec<&str> = line.split_whitespace().collect();
            if let ["SLOT", file, numbers @ ..] = &words[..] {
                found.insert(file.parse::<u32>().expect("a file's number"), numbers.join(" "));
            }
            said += &(line + "\n");
        }
        for (file, number) in &self.acknowledged {
            let there: Vec<u64> = found
                .get(file)
                .map(|text| text.split(' ').filter_map(|n| n.parse().ok()).collect())
                .unwrap_or_default();
            // A write that was not acknowledged may be there, but only as a whole.
            assert!(
                matches!(there[..], [n] if n >= *number),
                "round {round}: file {file}: {number}, not {there:?}: {said}"
            );
        }
        let rest = thread::spawn(move || console.collect::<Vec<String>>());
        thread::sleep(Duration::from_millis(100 + self.chance.below(3_000)));
        child.kill().expect("it runs");
        let _ = child.wait();
        for line in rest.join().expect("it only reads") {
            let words: Vec<&str> = line.split_whitespace().collect();
            if let ["ACK", file, number] = words[..]
                && let (Ok(file), Ok(number)) = (file.parse(), number.parse::<u64>())
            {
                self.acknowledged.insert(file, number);
                self.next = self.next.max(number + 1);
            }
        }
        // What was under way was not acknowledged.
        self.next += 1;
        self.check(&format!("guest {round}"));
    }

    /// Compaction, a snapshot, or its merge, killed at some moment of it.
    fn tool(&mut self, round: usize) {
        let shadows = fs::read_dir(&self.folder).expect("it is ours").flatten();
        let names = shadows.map(|file| file.file_name().to_string_lossy().into_owned());
        let shadows = names.filter(|name| name.starts_with("root_s") && name.ends_with(".3390")).count();
        let words: &[&str] = match self.chance.below(3) {
            0 if shadows < 3 => &["snapshot"],
            1 if shadows > 0 => &["snapshot", "--merge"],
            _ => &["compact"],
        };
        let mut command = endicott();
        command.args(["dasd", words[0]]).arg(self.disk()).args(&words[1..]).stdout(Stdio::null());
        let mut child = command.stderr(Stdio::null()).spawn().expect("it starts");
        thread::sleep(Duration::from_millis(self.chance.below(400)));
        let _ = child.kill();
        let _ = child.wait();
        self.check(&format!("{words:?} {round}"));
    }
}

#[test]
fn a_killed_system_loses_nothing_that_its_guest_was_promised() {
    let (Some(guest), Some(installer)) = (guest(), root_initrd()) else { return };
    let rounds = std::env::var("ENDICOTT_KILL_ROUNDS").ok().and_then(|rounds| rounds.parse().ok());
    let rounds: usize = rounds.map_or(4, |rounds: usize| rounds.div_ceil(1 + TOOLS));
    let folder = std::env::temp_dir().join(format!("endicott-crash-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the test");
    let seed = std::env::var("ENDICOTT_KILL_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut story = Story { folder, guest, chance: Chance(seed), acknowledged: HashMap::new(), next: 1 };
    install(&story, &installer);
    for round in 0..rounds {
        story.guest(round);
        (0..TOOLS).for_each(|tool| story.tool(round * TOOLS + tool));
    }
    println!("{} processes killed, {} writes acknowledged", rounds * (1 + TOOLS), story.next);
    assert!(story.next > rounds as u64, "the guests were acknowledged {} writes only", story.next);
    fs::remove_dir_all(&story.folder).expect("it is ours");
}

/// A compressed disk with the system on it.
fn install(story: &Story, installer: &Path) {
    let mut create = endicott();
    create.args(["dasd", "create"]).arg(story.disk());
    create.args(["3390", "--cylinders", "230", "--volser", "LIN200", "--linux"]).stdout(Stdio::null());
    assert!(create.status().expect("it starts").success());
    let mut command: Command = endicott();
    command.args(["linux", "--memory", "512M", "--append", "quiet nokaslr vmb.disks=0200:cdl", "--kernel"]);
    command.arg(&story.guest.kernel).arg("--initrd").arg(installer).arg("--disk").arg(story.disk());
    let said = console(&mut command);
    assert!(said.contains("ROOT-READY 0200"), "{said}");
}
