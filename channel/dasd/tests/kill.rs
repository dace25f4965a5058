//! A process that writes is killed at any moment: what it was told to be written is there, and the image is clean.
//!
//! The test runs itself as the process to be killed. ENDICOTT_KILL_ROUNDS is the number of rounds (300 in the long
//! run).

mod common;

use common::{Folder, small_3390, track_of};
use dasd::{Format, Image, Kind, Method, Options, Policy, Track, Volume, check, create};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use support::Random;

const ROUNDS: &str = "ENDICOTT_KILL_ROUNDS";
const IMAGE: &str = "ENDICOTT_KILL_IMAGE";
const SEED: &str = "ENDICOTT_KILL_SEED";

fn kind() -> Kind {
    small_3390(20)
}

/// What the child writes as version `version` of a track: most versions change a few bytes only, as updates do.
fn version_of(track: u32, version: u64) -> Track {
    track_of(kind(), track, u64::from(track) + version / 3).with_version(version)
}

trait Versioned {
    fn with_version(self, version: u64) -> Self;
}

impl Versioned for Track {
    /// The version in record 0, and in every other record that has room, so that an update touches several pages.
    fn with_version(mut self, version: u64) -> Track {
        let places: Vec<usize> =
            self.records().filter(|record| record.data.len() >= 8).map(|record| record.at).collect();
        for at in places {
            self.update(at, None, Some(&version.to_be_bytes()));
        }
        self
    }
}

fn version_in(track: &Track) -> u64 {
    let first = track.records().next().expect("record 0");
    u64::from_be_bytes(first.data.try_into().expect("record 0 has 8 bytes"))
}

/// The child: writes for ever, and says so on its standard output before and after each write.
#[test]
#[ignore = "the process that the other test kills"]
fn child() {
    let (Ok(path), Ok(seed)) = (std::env::var(IMAGE), std::env::var(SEED)) else { return };
    let seed: u64 = seed.parse().expect("a number");
    let mut random = Random::seeded(seed);
    let policy = [Policy::Safe, Policy::Lazy, Policy::Safe, Policy::Through][random.below(4)];
    let image = Image::open(Path::new(&path), Options { policy, ..Options::default() }).expect("it opens");
    let mut out = std::io::stdout();
    let mut say = |text: String| {
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).expect("the parent listens");
    };
    // In every other process another thread makes and merges snapshots while this one writes.
    let others = image.clone();
    std::thread::spawn(move || {
        while seed.is_multiple_of(2) {
            // Either may be refused: there are eight, or the other one is merging.
            let _ = others.snapshot();
            let _ = others.merge(&mut |_, _| true);
        }
    });
    for n in 0.. {
        match random.below(60) {
            0 => drop(image.compact(&mut |_, _| true)),
            1 => drop(image.snapshot()),
            2 => drop(image.merge(&mut |_, _| true)),
            3 => image.flush().expect("a flush"),
            _ => {
                let track = random.below(40u32) * 7;
                // Larger than any version of an earlier round.
                let version = seed * 1_000_000 + n;
                say(format!("begin {track} {version}\n"));
                image.write_track(track, &version_of(track, version)).expect("a write");
                say(format!("done {track} {version}\n"));
            }
        }
    }
}

/// One process, killed after some time. Takes note of what it was told.
fn round(path: &Path, seed: u64, wait: Duration, done: &mut HashMap<u32, u64>, begun: &mut HashMap<u32, u64>) {
    let me = std::env::current_exe().expect("this test's program");
    let mut child = Command::new(me)
        .args(["--exact", "child", "--ignored", "--nocapture"])
        .env(IMAGE, path)
        .env(SEED, seed.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the test runs itself");
    let output = child.stdout.take().expect("it is piped");
    let lines = std::thread::spawn(move || BufReader::new(output).lines().map_while(Result::ok).collect::<Vec<_>>());
    std::thread::sleep(wait);
    child.kill().expect("it runs");
    let ended = child.wait_with_output().expect("it has ended");
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(!said.contains("panicked"), "{said}");
    for line in lines.join().expect("the reader ends") {
        let words: Vec<&str> = line.split(' ').collect();
        // The test harness prints lines, too, and the last one may be cut.
        let [what @ ("begin" | "done"), track, version] = words[..] else { continue };
        let (Ok(track), Ok(version)) = (track.parse(), version.parse()) else { continue };
        if what == "begin" {
            begun.insert(track, version)
        } else {
            done.insert(track, version)
        };
    }
}

fn story(format: Format, name: &str, rounds: u64) {
    let folder = Folder::empty(&format!("kill-{name}"));
    let path = folder.path("vol.3390");
    create(&path, kind(), format).unwrap();
    let (mut done, mut begun) = (HashMap::new(), HashMap::new());
    let mut random = Random::seeded(rounds);
    for n in 1..=rounds {
        let wait = Duration::from_micros(3_000 + random.below(120_000));
        round(&path, n, wait, &mut done, &mut begun);
        let image = Image::open(&path, Options::default()).unwrap_or_else(|error| panic!("round {n}: {error}"));
        for (track, version) in done.clone() {
            let found = image.read_track(track).unwrap_or_else(|error| panic!("round {n}: {error}"));
            let now = version_in(&found);
            // A write that was begun and not acknowledged may be there, too, but only as a whole.
            assert!(
                now == version || Some(&now) == begun.get(&track),
                "round {n}: track {track}: {version}, not {now}"
            );
            assert!(*found == version_of(track, now), "round {n}: track {track} is torn");
            done.insert(track, now);
        }
        begun = done.clone();
        drop(image);
        let report = check(&path, &Options::default(), true, &mut |_, _| true).unwrap();
        assert!(report.clean(), "round {n}: {report:?}");
    }
    assert!(done.len() > 10, "the child wrote {} tracks only", done.len());
}

#[test]
fn a_killed_process_loses_no_acknowledged_write() {
    let rounds = std::env::var(ROUNDS).ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(60);
    story(Format::Plain, "plain", rounds);
    story(Format::Compressed { wide: false, method: Method::Zlib }, "cckd", rounds);
    story(Format::Compressed { wide: true, method: Method::None }, "cckd64", rounds);
}
