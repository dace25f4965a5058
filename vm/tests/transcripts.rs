//! CMS's transcripts once more, by people at real 3270s (`s3270`) of the whole program: what is typed is typed there,
//! and what the stories of `tests/cms` say is on the screen, page by page.
//!
//! The clock is the host's, so dates are shown as n, too. What a machine shows in the middle of something may come a
//! line earlier or later. A system that runs keeps its disks to itself and has the host's clock, so stories in which a
//! disk is damaged, time passes or the date matters are not played, nor those that are about a typewriter.
//! `ENDICOTT_STORIES=tape,mail` plays only these.

mod support;

use cms::story::{Step, Story, What, masked};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};
use support::site::{CONFIG, done, make};
use support::{Client, System, endicott, has_s3270};

/// Rows of a model 4, and those below its output area: two for what is typed, with the status at the end of the second.
const COLUMNS: usize = 80;
const BELOW: usize = 2;

/// How long nothing may have changed before an answer is taken to be whole: while the machine reads or CMS is ready,
/// and while it runs.
const READS: Duration = Duration::from_millis(150);
const RUNS: Duration = Duration::from_millis(1500);
const LIMIT: Duration = Duration::from_secs(60);

/// How many stories are played beside each other: they mostly wait.
const STAGES: usize = 6;

/// Their tape drive, in SYSTEM CONFIG.
const TAPE: &str = "TAPE 0580 3490 WORK.HET R/W\n";

/// The system of the stories: its directory, its volume with their disks, its tapes.
fn prepare(folder: &Path, story: &Story, nucleus: &[PathBuf; 2]) {
    let volume = make(folder, &format!("{CONFIG}{TAPE}"), &cms::system::directory(), 20);
    for tape in ["WORK.HET", "OTHER.AWS"] {
        fs::create_dir_all(folder.join("tapes")).expect("the folder is ours");
        done(endicott().args(["tape", "create"]).arg(folder.join("tapes").join(tape)));
    }
    cms::system::torn_tape(&folder.join("tapes"));
    let images = cms::system::images(nucleus, folder, &story.system(), &story.user());
    for (disk, image) in ["MAINT.190", "CMSUSER.191"].iter().zip(&images) {
        volume.put(disk, image);
    }
}

/// A person, who is logged on or is about to.
struct Person {
    client: Client,
    /// The output area when the last answer was taken.
    seen: Vec<String>,
}

impl Person {
    /// Types a line on an empty screen; what the screens show until nothing happens any more.
    fn types(&mut self, text: &str) -> Vec<String> {
        let mut pages = self.news();
        // The logo has fields for a LOGON, and CLEAR would turn it away.
        match text.strip_prefix("logon ").and_then(|words| words.split(' ').next()) {
            Some(user) if self.client.rows().iter().any(|row| row.contains("PASSWORD ===>")) => {
                self.client.sign_on(user);
            }
            _ => {
                self.client.act("Clear()");
                self.client.enter(text);
            }
        }
        let typed = pages.len();
        let (began, mut since, mut last) = (Instant::now(), Instant::now(), Vec::new());
        loop {
            let rows = self.client.rows();
            let status = rows.last().cloned().unwrap_or_default();
            if status.contains("MORE...") || status.contains("HOLDING") {
                pages.extend(rows[..rows.len() - BELOW].iter().cloned());
                self.client.act("Clear()");
                since = Instant::now();
                continue;
            }
            if rows != last {
                (last, since) = (rows, Instant::now());
            }
            // An empty line is not echoed: the read that it ends may still be on the screen.
            let begun = last[..last.len() - BELOW].iter().any(|row| !row.trim().is_empty());
            let enough = if begun && (status.contains(" READ") || at_ready(&last)) { READS } else { RUNS };
            if since.elapsed() > enough {
                self.seen = last[..last.len() - BELOW].to_vec();
                pages.extend(self.seen.iter().cloned());
                // What was typed is on the screen, too; of a LOGON, the user ID.
                let user = format!("LOGON {}", text.split(' ').nth(1).unwrap_or_default().to_uppercase());
                for echo in [rows_of(text), vec![user]] {
                    let on = &pages[typed..];
                    if on.len() >= echo.len() && on.iter().zip(&echo).all(|(is, was)| is.trim_end() == was.trim_end()) {
                        pages.drain(typed..typed + echo.len());
                        break;
                    }
                }
                return pages;
            }
            assert!(began.elapsed() < LIMIT, "{text}: it does not end:\n{}", last.join("\n"));
            thread::sleep(Duration::from_millis(30));
        }
    }

    /// What has come to the screen since the last answer was taken: messages of others.
    fn news(&mut self) -> Vec<String> {
        let rows = self.client.rows();
        let rows = &rows[..rows.len() - BELOW];
        let known = whole(self.seen.clone()).len();
        if self.seen.is_empty() || !rows.starts_with(&self.seen[..known]) {
            return Vec::new();
        }
        whole(rows[known..].to_vec())
    }
}

/// Dates and days of the week are those of today.
fn undated(line: &str) -> String {
    let mut line = masked(line);
    for day in ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"] {
        line = line.replace(day, "DAY");
    }
    let mut bytes = line.into_bytes();
    for at in 0..bytes.len() {
        let is = |n: usize, what: fn(&u8) -> bool| bytes.get(at + n).is_some_and(what);
        let date = is(0, u8::is_ascii_digit) && is(1, u8::is_ascii_digit) && is(2, |b| *b == b'/');
        if date && is(3, u8::is_ascii_digit) && is(4, u8::is_ascii_digit) {
            [0, 1, 3, 4].into_iter().for_each(|n| bytes[at + n] = b'n');
            let year = [6, 7].into_iter().all(|n| bytes.get(at + n).is_some_and(u8::is_ascii_digit));
            if bytes.get(at + 5) == Some(&b'/') && year {
                [6, 7].into_iter().for_each(|n| bytes[at + n] = b'n');
            }
        }
    }
    String::from_utf8(bytes).expect("digits were replaced by letters").trim_end().to_owned()
}

/// Whether CMS is ready: at a display it reads a command when it has been typed.
fn at_ready(rows: &[String]) -> bool {
    let last = rows[..rows.len() - BELOW].iter().rfind(|row| !row.trim().is_empty());
    last.is_some_and(|row| row.starts_with("Ready") || row.trim_end() == "CMS")
}

/// Without empty lines at the end, which a screen does not show.
fn whole(mut lines: Vec<String>) -> Vec<String> {
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    lines
}

/// What a screen shows of a line: rows.
fn rows_of(line: &str) -> Vec<String> {
    let characters: Vec<char> = line.chars().collect();
    match characters.is_empty() {
        true => vec![String::new()],
        false => characters.chunks(COLUMNS).map(|row| row.iter().collect()).collect(),
    }
}

/// Plays a story; what was otherwise.
fn play(name: &str, text: &str, nucleus: &[PathBuf; 2]) -> Vec<String> {
    let story = Story::parse(text);
    let moved = |step: &Step| matches!(step.what, What::Damage(_) | What::Wait(_));
    if story.dated || story.typewriter || story.steps.iter().any(moved) {
        return Vec::new();
    }
    let system = System::start(&format!("story-{name}"), |folder| prepare(folder, &story, nucleus));
    let mut people: HashMap<String, Person> = HashMap::new();
    let (mut wrong, mut is, mut was) = (Vec::new(), Vec::new(), Vec::new());
    for Step { line, what, shown } in &story.steps {
        let What::Type { who, text, slices } = what else { continue };
        let person =
            people.entry(who.clone()).or_insert_with(|| Person { client: Client::connect(&system), seen: Vec::new() });
        is.extend(whole(person.types(text).iter().map(|row| undated(row)).collect()));
        was.extend(whole(shown.iter().flat_map(|line| rows_of(line)).map(|row| undated(&row)).collect()));
        if slices.is_some() {
            continue;
        }
        if is != was {
            wrong.push(format!("{name}: {line}\n  was {was:#?}\n  is {is:#?}"));
        }
        is.clear();
        was.clear();
    }
    wrong
}

#[test]
fn stories_at_a_3270() {
    let (true, Some(nucleus)) = (has_s3270(), cms::nucleus()) else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cms/tests/transcripts");
    let wanted = std::env::var("ENDICOTT_STORIES").unwrap_or_default();
    let mut stories: Vec<(String, String)> = Vec::new();
    for entry in fs::read_dir(folder).expect("there are stories") {
        let path = entry.expect("it can be read").path();
        let name = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
        if wanted.is_empty() || wanted.split(',').any(|wanted| wanted == name) {
            stories.push((name, fs::read_to_string(&path).expect("it is a text")));
        }
    }
    assert!(!stories.is_empty());
    let (left, wrong) = (Mutex::new(stories), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..STAGES {
            scope.spawn(|| {
                loop {
                    let story = left.lock().expect("nobody fails with it").pop();
                    let Some((name, text)) = story else { return };
                    let all = play(&name, &text, &nucleus);
                    wrong.lock().expect("nobody fails with it").extend(all);
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("all have ended");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
