//! What takes long: a bar at a terminal shows how far it is, and Ctrl-C ends it with every disk as it was.

mod support;

use ::support::Random;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use dasd::model::CkdModel;
use dasd::{Format, Image, Kind, Method, Options, Policy, Tracks, Volume};
use support::signals::{SIGHUP, SIGINT, SIGTERM, hearing, hears, is_pending, send};

/// How long something may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A folder with disks.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("endicott-long-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder for the test");
        Folder(path)
    }

    /// A compressed disk whose tracks are worth some work.
    fn make(&self, name: &str, cylinders: u32) {
        let path = self.0.join(name);
        let kind = Kind::of_model(CkdModel::named("3390").expect("there is this model"), cylinders);
        let format = Format::Compressed { wide: true, method: Method::Zlib };
        dasd::create_with(&path, kind, format, Tracks::Blocks, &mut |_, _| true).expect("there is room");
        self.fill(name, 1);
    }

    /// Other data in all blocks.
    fn fill(&self, name: &str, seed: u64) {
        let image = Image::open(&self.0.join(name), Options { policy: Policy::Lazy, ..Options::default() });
        let image = image.expect("it is ours");
        let mut random = Random::seeded(seed);
        for number in 0..image.kind().tracks() {
            let mut write = |track: &mut dasd::Track| {
                let places: Vec<usize> = track.records().skip(1).map(|record| record.at).collect();
                for at in places {
                    // Of few values, so that there is something to be compressed.
                    let data: Vec<u8> = (0..4096).map(|_| random.below(64)).collect();
                    track.update(at, None, Some(&data));
                }
                true
            };
            image.update_track(number, &mut write).expect("there is room");
        }
        image.close().expect("there is room");
    }

    /// Where programs are looked for: what is in the folder comes first.
    fn path(&self) -> String {
        format!("{}:{}", self.0.display(), std::env::var("PATH").unwrap_or_default())
    }

    fn names(&self) -> Vec<String> {
        let names = fs::read_dir(&self.0).expect("it is ours").map(|file| file.expect("it is ours").file_name());
        let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// What is in the folder: names, and what the files contain.
    fn files(&self) -> Vec<(String, Vec<u8>)> {
        let with_content = |name: String| fs::read(self.0.join(&name)).map(|content| (name, content));
        self.names().into_iter().map(|name| with_content(name).expect("a file")).collect()
    }

    /// The folder is again what [`Folder::files`] found.
    fn put_back(&self, files: &[(String, Vec<u8>)]) {
        for name in self.names() {
            fs::remove_file(self.0.join(name)).expect("it is ours");
        }
        for (name, content) in files {
            fs::write(self.0.join(name), content).expect("there is room");
        }
    }

    fn begin(&self, line: &str) -> Child {
        let mut command = hearing(env!("CARGO_BIN_EXE_endicott"));
        command.args(line.split(' ')).current_dir(&self.0).env("PATH", self.path()).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
    }

    fn run(&self, line: &str) -> Output {
        self.begin(line).wait_with_output().expect("it ends")
    }

    /// What it says, which must be that all is well.
    fn good(&self, line: &str) -> String {
        let output = self.run(line);
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Sends a signal some time after there is a file of this name, or else after signals are heard; the sentence of
    /// the end, if it came before the work was done.
    fn interrupt(&self, line: &str, signal: &str, sign: Option<&str>, pause: Duration) -> Option<String> {
        let mut child = self.begin(line);
        let began = Instant::now();
        while !hears(child.id(), &[SIGINT, SIGTERM]) || sign.is_some_and(|name| !self.0.join(name).exists()) {
            assert!(began.elapsed() < PATIENCE, "{line} does not begin");
            if child.try_wait().expect("it is ours").is_some() {
                break;
            }
        }
        thread::sleep(pause);
        // It may have come to its end.
        send(child.id(), signal);
        let ended = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        match ended.status.code() {
            Some(0) => None,
            code => {
                assert_eq!(code, Some(130), "{line} after {pause:?}: {said}");
                assert!(said.lines().count() == 1, "{line} after {pause:?}: {said}");
                Some(said)
            }
        }
    }

    /// The same at several moments, as far as the host takes that long; each time all files are what they were.
    fn untouched(&self, line: &str, sign: Option<&str>) {
        let (names, before) = (self.names(), self.files());
        for (n, milliseconds) in [0, 3, 10, 30, 60, 100].into_iter().enumerate() {
            let signal = ["INT", "TERM"][n % 2];
            let Some(said) = self.interrupt(line, signal, sign, Duration::from_millis(milliseconds)) else {
                assert!(n >= 2, "{line} is over after {milliseconds} ms");
                return self.put_back(&before);
            };
            assert_eq!(said, "endicott: interrupted; every disk is as it was, and nothing new is left\n", "{line}");
            assert_eq!(self.names(), names, "{line} after {milliseconds} ms");
            assert!(self.files() == before, "{line} after {milliseconds} ms: a disk has changed");
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn ctrl_c_leaves_disks_as_they_were_and_nothing_else() {
    let folder = Folder::new("interrupt");
    folder.make("vol.3390", 40);
    folder.good("dasd create old.3390 3390 --cylinders 1 --volser WORK02 --format plain");
    for (line, sign) in [
        ("dasd create new.3390 3390-9 --volser NEW001 --linux --format plain", Some("new.3390.unfinished")),
        ("dasd copy vol.3390 new.3390", Some("new.3390.unfinished")),
        ("dasd convert vol.3390 new.3390 --to cckd --compression bzip2", Some("new.3390.unfinished")),
        ("dasd restore vol.3390 old.3390", None),
        ("dasd restore vol.3390 old.3390", Some("old.3390.unfinished")),
        ("dasd compact vol.3390", None),
        ("dasd compact vol.3390", Some("vol.3390.unfinished")),
        ("dasd check vol.3390", None),
        ("dasd minidisk vol.3390 --extent 1.39 --get out", Some("out.unfinished")),
    ] {
        folder.untouched(line, sign);
    }
}

/// The second signal does not wait for the place where the first would stop the work: it has no sentence to say, and
/// leaves what is not finished.
#[test]
fn a_second_hang_up_ends_the_work_at_once() {
    let folder = Folder::new("twice");
    folder.make("vol.3390", 40);
    let unfinished = folder.0.join("new.3390.unfinished");
    let mut at_once = 0;
    // How far the work is when they come is not ours to say: between two tracks the first is enough.
    for _ in 0..40 {
        let mut child = folder.begin("dasd convert vol.3390 new.3390 --to cckd --compression bzip2");
        let (began, pid) = (Instant::now(), child.id());
        while !hears(pid, &[SIGHUP]) || !unfinished.exists() {
            assert!(began.elapsed() < PATIENCE, "it does not begin");
            assert!(child.try_wait().expect("it is ours").is_none(), "it takes longer");
        }
        // Two that are pending are one.
        send(pid, "HUP");
        while is_pending(pid, SIGHUP) {}
        send(pid, "HUP");
        let ended = child.wait_with_output().expect("it ends");
        assert_eq!(ended.status.code(), Some(130), "{ended:?}");
        let said = String::from_utf8_lossy(&ended.stderr);
        match said.contains("interrupted") {
            true => assert!(!unfinished.exists()),
            false => at_once += 1,
        }
        let _ = fs::remove_file(&unfinished);
        assert_eq!(folder.names(), ["vol.3390"], "{said}");
    }
    assert!(at_once > 0, "each of 40 pairs came between two tracks");
}

#[test]
fn ctrl_c_in_a_repair_leaves_the_damaged_disk() {
    let folder = Folder::new("repair");
    folder.make("vol.3390", 15);
    folder.good("dasd snapshot vol.3390");
    folder.fill("vol.3390", 2);
    // A track's place in the table of each file leads into another track.
    for name in ["vol.3390", "vol_s1.3390"] {
        let path = folder.0.join(name);
        let mut bytes = fs::read(&path).expect("it is there");
        let at = bytes.len() - 10_000;
        bytes[at..at + 2000].fill(0x5a);
        fs::write(&path, bytes).expect("it is ours");
    }
    let found = folder.run("dasd check vol.3390");
    assert_eq!(found.status.code(), Some(1), "{}", String::from_utf8_lossy(&found.stdout));
    for sign in [None, Some("vol.3390.unfinished"), Some("vol_s1.3390.unfinished")] {
        folder.untouched("dasd check vol.3390 --repair", sign);
    }
    let said = folder.good("dasd check vol.3390 --repair");
    assert!(said.contains("it is empty now") && said.contains("The disk is whole again"), "{said}");
    assert!(folder.good("dasd check vol.3390").contains("Nothing is wrong."));
    assert_eq!(folder.names(), ["vol.3390", "vol.3390.damaged", "vol_s1.3390", "vol_s1.3390.damaged"]);
}

/// What all tracks of a disk have.
fn content(image: &Image) -> Vec<Vec<u8>> {
    (0..image.kind().tracks()).map(|track| image.read_track(track).expect("it is whole").image().to_vec()).collect()
}

#[test]
fn ctrl_c_in_a_merge_leaves_the_disk_as_it_was_and_the_merge_to_be_ended() {
    let folder = Folder::new("merge");
    folder.make("vol.3390", 20);
    folder.good("dasd snapshot vol.3390");
    folder.fill("vol.3390", 2);
    let open = || Image::open(&folder.0.join("vol.3390"), Options { read_only: true, ..Options::default() });
    let before = content(&open().expect("nobody has it"));
    for milliseconds in [0, 3, 10, 30, 60, 100] {
        let pause = Duration::from_millis(milliseconds);
        let said = folder.interrupt("dasd snapshot vol.3390 --merge", "INT", None, pause).expect("it takes longer");
        assert_eq!(said, "endicott: interrupted; the disk is as it was, and another --merge goes on with it\n");
        let image = open().expect("nobody has it");
        assert!(image.shadows() == 1 && content(&image) == before, "after {milliseconds} ms");
        drop(image);
        let refused = folder.run("dasd snapshot vol.3390 --discard");
        assert_eq!(refused.status.code(), Some(1));
    }
    assert!(folder.good("dasd snapshot vol.3390 --merge").contains("0 shadow files are left"));
    assert!(content(&open().expect("nobody has it")) == before);
    assert_eq!(folder.names(), ["vol.3390"]);
}

/// Runs a command at a terminal of so many columns; all that comes to the terminal.
fn at_terminal(folder: &Folder, columns: u16, line: &str) -> String {
    let shell = format!("stty cols {columns} rows 24; exec {} {line}", env!("CARGO_BIN_EXE_endicott"));
    let mut command = Command::new("script");
    command.args(["-qec", &shell, "/dev/null"]).current_dir(&folder.0).env("TERM", "xterm").env("PATH", folder.path());
    let output = command.stdin(Stdio::null()).output().expect("script starts");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A terminal as wide as this, on which a line that is longer goes on in the next one: every look that its bottom line
/// had, and what is on it at the end.
fn screen(columns: usize, said: &str) -> (Vec<String>, Vec<String>) {
    let (mut rows, mut row, mut column, mut looks) = (vec![String::new()], 0, 0, Vec::new());
    let mut chars = said.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' => {
                looks.push(String::clone(&rows[row]));
                column = 0;
            }
            '\n' => {
                row += 1;
                rows.resize(rows.len().max(row + 1), String::new());
            }
            '\u{1b}' => {
                assert_eq!(chars.next(), Some('['), "only such sequences are known");
                let mut number = String::new();
                while let Some(digit) = chars.next_if(char::is_ascii_digit) {
                    number.push(digit);
                }
                match chars.next() {
                    Some('K') => rows[row].clear(),
                    Some('A') => row -= number.parse().unwrap_or(1),
                    Some('m') => {}
                    other => panic!("{number}{other:?} is not known"),
                }
            }
            c => {
                if column == columns {
                    (row, column) = (row + 1, 0);
                    rows.resize(rows.len().max(row + 1), String::new());
                }
                let mut line: Vec<char> = rows[row].chars().collect();
                line.resize(line.len().max(column + 1), ' ');
                line[column] = c;
                rows[row] = line.into_iter().collect();
                column += 1;
            }
        }
    }
    (looks, rows)
}

fn has_script() -> bool {
    let there =
        Command::new("script").arg("--version").stdout(Stdio::null()).status().is_ok_and(|status| status.success());
    if !there {
        println!("skipped: script is not installed (Debian package bsdutils)");
    }
    there
}

/// Of a bar: what is before it, its length, how much of it is done, and what follows it.
fn bar(look: &str) -> Option<(&str, usize, usize, &str)> {
    let (before, rest) = look.split_once(" [")?;
    let (bar, behind) = rest.split_once("] ")?;
    let done = bar.find([' ']).unwrap_or(bar.len());
    let whole = bar.chars().all(|c| "=> ".contains(c));
    whole.then_some((before, bar.len(), done, behind))
}

#[test]
fn a_bar_fits_its_terminal_and_goes_when_the_work_is_done() {
    if !has_script() {
        return;
    }
    let folder = Folder::new("bar");
    folder.make("vol.3390", 40);
    for columns in [40, 80, 200] {
        let said = at_terminal(&folder, columns, "dasd compact vol.3390");
        let (looks, rows) = screen(columns.into(), &said);
        let bars: Vec<_> = looks.iter().filter_map(|look| bar(look)).collect();
        let (first, last) = (bars.first().expect("there is a bar"), bars.last().expect("there is a bar"));
        assert!(bars.iter().all(|bar| bar.0 == "Compacting"), "{looks:?}");
        // All of the line is used, and the bar is most of it where there is room.
        for look in looks.iter().filter(|look| bar(look).is_some()) {
            assert_eq!(look.chars().count(), usize::from(columns), "{look}");
        }
        assert!(last.1 >= usize::from(columns) - 36 && first.2 < last.2 && last.2 == last.1, "{looks:?}");
        let behind: Vec<&str> = last.3.split(' ').collect();
        assert!(
            matches!(behind[..], ["100%", time, "(still", rest] if time.ends_with('s') && rest.ends_with("s)")),
            "{last:?}"
        );
        // Then it is gone, and there is the line that says what was done.
        let rows = rows.concat();
        assert!(bar(&rows).is_none() && rows.starts_with("vol.3390: ") && rows.ends_with(" now"), "{rows:?}");
    }
}

/// Packages are fetched by a program that takes a while and fails.
#[test]
fn the_bar_of_a_system_that_is_being_made_leaves_room_for_what_is_done() {
    if !has_script() {
        return;
    }
    let folder = Folder::new("fetching");
    let program = folder.0.join("apt-get");
    fs::write(&program, "#!/bin/sh\nsleep 3\necho 'E: no way' >&2\nexit 100\n").expect("the folder is ours");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it is ours");
    for (columns, shown) in [(40, "Fetching packages"), (80, "Fetching packages into packages/host")] {
        let said = at_terminal(&folder, columns, "debian demo --cache packages");
        let (looks, rows) = screen(columns.into(), &said);
        let bars: Vec<_> = looks.iter().filter(|look| bar(look).is_some()).collect();
        assert!(bars.iter().all(|look| look.trim_end().chars().count() <= columns.into()), "{bars:?}");
        let (before, length, done, behind) = bar(bars.last().expect("there is a bar")).expect("it is one");
        assert!(before.ends_with('s') && length == usize::from(columns) / 4 && done < 2, "{bars:?}");
        assert!(behind.starts_with(&format!("0% {shown}")), "{bars:?}");
        let rows = rows.concat();
        assert!(rows.contains(" 0:00 Fetching packages into packages/host") && rows.contains("endicott: "), "{rows}");
        assert_eq!(bar(&rows), None, "{rows}");
    }
    let said = folder.interrupt("debian demo --cache packages", "INT", None, Duration::ZERO).expect("it takes longer");
    assert_eq!(said, "endicott: interrupted; nothing is left of the disk, and what was fetched is kept\n");
    assert_eq!(folder.names(), ["apt-get", "packages"]);
}

#[test]
fn there_is_no_bar_where_nobody_sees_it() {
    let folder = Folder::new("no-bar");
    folder.make("vol.3390", 10);
    for line in
        ["dasd check vol.3390", "dasd compact vol.3390", "dasd copy vol.3390 new.3390", "dasd create more.3390 3390-1"]
    {
        let output = folder.run(line);
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && output.stderr.is_empty(), "{line}: {output:?}");
        assert!(!said.contains(['\r', '\u{1b}']) && bar(&said).is_none(), "{line}: {said}");
    }
}
