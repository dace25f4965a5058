//! Reports of files that a test has made: both forms, what is reckoned, what is wrong with a file.

mod data;

use arch::monitor::{DeviceActivity, EventsSuspended, LogoffData, LogonData, SystemConfiguration, UserInteraction};
use base::ebcdic;
use data::{File, Form, SECOND, START, configuration, plain, sample, user};
use reduce::table::Cell;
use reduce::{Choice, Error, Fault, Name, Report, Source, Which, reduce};
use support::Random;

fn of(bytes: &[u8]) -> Result<Report, Error> {
    with(bytes, &Choice::default())
}

fn with(bytes: &[u8], choice: &Choice) -> Result<Report, Error> {
    reduce(&[Source { name: "monitor.data", bytes }], choice)
}

const TIMES: &str = "processor time and storage";
const PROCESSORS: &str = "processors, in percent of one";

/// The cells of a column.
fn column(report: &Report, name: Name, title: &str, key: &str) -> Vec<Cell> {
    let table = report.table(name, title).unwrap_or_else(|| panic!("there is no table {title}"));
    table.column(key).unwrap_or_else(|| panic!("there is no column {key}")).cloned().collect()
}

fn numbers(report: &Report, name: Name, title: &str, key: &str) -> Vec<f64> {
    let number = |cell| match cell {
        Cell::Number(Some(number), _) => (number * 1000.0).round() / 1000.0,
        other => panic!("{key}: {other:?}"),
    };
    column(report, name, title, key).into_iter().map(number).collect()
}

fn words(report: &Report, name: Name, title: &str, key: &str) -> Vec<String> {
    let word = |cell| match cell {
        Cell::Text(text) => text,
        other => panic!("{key}: {other:?}"),
    };
    column(report, name, title, key).into_iter().map(word).collect()
}

#[test]
fn both_forms_give_the_same_report() {
    let [read, written] = [Form::Monreader, Form::Monwrite].map(|form| of(&plain(form)).expect("it is good"));
    assert_eq!(read, written);
    assert_eq!((read.system.as_deref(), read.level.as_deref()), (Some("TESTSYS"), Some("A level")));
    assert_eq!((read.samples, read.intervals.len()), (3, 2));
    let text = read.text();
    assert!(text.contains("System TESTSYS, A level, up since 2023-11-14T22:13:20Z"), "{text}");
    for (_, name) in Name::ALL {
        assert!(text.contains(&format!("\n{name}: ")), "{name}: {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 150), "{text}");
}

#[test]
fn rates_are_differences_over_the_time_of_the_records() {
    let report = of(&plain(Form::Monreader)).expect("it is good");
    let system = |key| numbers(&report, Name::System, PROCESSORS, key);
    // 10 seconds, then 20: the lines of the two intervals, and that of both.
    assert_eq!(system("seconds"), [10.0, 20.0, 30.0]);
    // Each sample has emulation for 2 seconds more, 3 charged to users and 1 more to none, on each of two processors.
    assert_eq!(system("total_percent"), [80.0, 40.0, 53.333]);
    assert_eq!(system("utilization_percent"), [40.0, 20.0, 26.667]);
    assert_eq!(system("emulation_percent"), [40.0, 20.0, 26.667]);
    assert_eq!(system("tv_ratio"), [2.0, 2.0, 2.0]);
    // A counter that wraps around between the first and the second.
    assert_eq!(system("diagnose_rate"), [20.0, 10.0, 13.333]);
    let user = |key| numbers(&report, Name::User, TIMES, key);
    assert_eq!(words(&report, Name::User, TIMES, "userid"), ["ALICE", "BOB"]);
    assert_eq!(user("cpu_seconds"), [4.0, 2.0]);
    assert_eq!(user("total_cpu"), [6.0, 3.0]);
    assert_eq!(user("cpu_percent"), [13.333, 6.667]);
    assert_eq!(words(&report, Name::User, TIMES, "share"), ["RELATIVE 100", "ABSOLUTE 12.5% QUICK"]);
    let disk = |key| numbers(&report, Name::Dasd, "disks", key);
    assert_eq!((disk("io_rate"), disk("hit_percent")), (vec![5.0], vec![25.0]));
    let found = |key| numbers(&report, Name::States, "what users were found doing, in percent of all looks", key);
    assert_eq!(found("running_percent"), [50.0, 50.0]);
    assert_eq!(found("dormant_percent"), [50.0, 50.0]);
}

#[test]
fn intervals_users_and_reports_are_chosen() {
    let bytes = plain(Form::Monreader);
    let second = Choice { which: Which::Numbers(2, 2), ..Choice::default() };
    let report = with(&bytes, &second).expect("there is one");
    assert_eq!(numbers(&report, Name::System, PROCESSORS, "seconds"), [20.0, 20.0]);
    assert_eq!(words(&report, Name::System, PROCESSORS, "interval"), ["2", "ALL"]);
    // The zone is an hour ahead of UTC.
    let by_time = Choice { which: "23:13:41-23:14:30".parse().unwrap(), ..Choice::default() };
    assert_eq!(with(&bytes, &by_time).expect("there is one").intervals, report.intervals);
    let none = Choice { which: Which::Numbers(3, 9), ..Choice::default() };
    let said = with(&bytes, &none).unwrap_err().to_string();
    assert_eq!(said, "no such interval is there: there are 2, which end at 23:13:40 to 23:14:00");
    let one = Choice { reports: vec![Name::User], users: vec!["BOB".into()], each: true, ..Choice::default() };
    let report = with(&bytes, &one).expect("BOB is there");
    assert_eq!(words(&report, Name::User, TIMES, "userid"), ["BOB"]);
    assert_eq!(report.tables.len(), 6, "two for both intervals, and two for each");
    let eve = Choice { users: vec!["EVE".into()], ..Choice::default() };
    assert!(with(&bytes, &eve).unwrap_err().to_string().contains("no records of user EVE"));
}

#[test]
fn json_has_what_the_text_has() {
    let report = of(&plain(Form::Monwrite)).expect("it is good");
    let json: serde_json::Value = serde_json::to_value(&report).expect("it is JSON");
    let tables = json["tables"].as_array().expect("there are tables");
    let users = tables.iter().find(|table| table["report"] == "USER" && table["title"] == TIMES).expect("USER");
    assert_eq!(users["rows"][0]["userid"], "ALICE");
    assert_eq!(users["rows"][0]["cpu_seconds"], 4);
    assert_eq!(json["intervals"][1]["from"], "2023-11-14T22:13:40Z");
    // What was not recorded is null.
    let paging = tables.iter().find(|table| table["report"] == "PAGING").expect("PAGING");
    assert!(paging["rows"][0]["installed_frames"].is_null(), "{paging}");
}

#[test]
fn users_come_and_go() {
    let mut file = File::new(Form::Monreader);
    file.put(b'S', START, configuration);
    file.put(b'S', START + 10 * SECOND, |to| sample(to, 1, &[user("ALICE", 5), user("BOB", 7)]));
    // BOB logs off after two seconds more of time, EVE has come and gone, and CAROL comes.
    let off = |userid: &str, total: u64| LogoffData {
        userid: ebcdic::padded(userid),
        total: (total * SECOND).into(),
        ..LogoffData::default()
    };
    file.put(b'E', START + 15 * SECOND, |to| {
        to.put(LogonData { userid: ebcdic::padded("CAROL"), ..LogonData::default() });
        to.put(off("BOB", 9));
        to.put(off("EVE", 1));
        to.put(EventsSuspended { since: START.into(), lost: 12.into(), ..EventsSuspended::default() });
    });
    // ALICE's time has gone back: she has another session, of which nothing else is known.
    file.put(b'S', START + 20 * SECOND, |to| sample(to, 2, &[user("ALICE", 1), user("CAROL", 3)]));
    let report = of(&file.bytes).expect("it is good");
    assert_eq!(words(&report, Name::User, TIMES, "userid"), ["CAROL", "BOB", "ALICE", "EVE"]);
    assert_eq!(numbers(&report, Name::User, TIMES, "cpu_seconds"), [3.0, 2.0, 1.0, 1.0]);
    assert_eq!(words(&report, Name::User, TIMES, "share")[1], "LOGGED OFF");
    assert!(report.notes.iter().any(|note| note.contains("12 events were lost")), "{:?}", report.notes);
}

#[test]
fn nothing_is_reckoned_across_a_new_start_or_a_clock_set_back() {
    let up = |to: &mut monitor::frames::Frames, at: u64| {
        to.put(SystemConfiguration { name: ebcdic::padded("AGAIN"), started: at.into(), ..Default::default() });
    };
    let mut file = File::new(Form::Monwrite);
    let samples = |file: &mut File, at: u64, n: u64| {
        file.put(b'S', at, |to| sample(to, n, &[user("ALICE", n)]));
    };
    file.put(b'S', START, configuration);
    samples(&mut file, START + 10 * SECOND, 1);
    samples(&mut file, START + 20 * SECOND, 2);
    file.put(b'S', START + 31 * SECOND, |to| up(to, START + 30 * SECOND));
    samples(&mut file, START + 40 * SECOND, 1);
    samples(&mut file, START + 50 * SECOND, 2);
    samples(&mut file, START + 45 * SECOND, 3);
    let report = of(&file.bytes).expect("it is good");
    assert_eq!(report.intervals.len(), 2);
    assert_eq!(report.system.as_deref(), Some("AGAIN"));
    assert!(report.notes.iter().any(|note| note.starts_with("1 times a sample is not later")), "{:?}", report.notes);
    assert!(report.notes.iter().any(|note| note.contains("came up anew")), "{:?}", report.notes);
}

#[test]
fn files_are_put_into_the_order_of_their_times() {
    let mut files = [1, 2, 3].map(|n| {
        let mut file = File::new(Form::Monreader);
        file.put(b'S', START + n * 10 * SECOND, |to| sample(to, n, &[user("ALICE", n)]));
        file.bytes
    });
    let sources = |files: &[Vec<u8>; 3]| {
        let sources = files.each_ref().map(|bytes| Source { name: "part", bytes });
        reduce(&sources, &Choice::default()).expect("they are good")
    };
    let report = sources(&files);
    assert_eq!(report.intervals.len(), 2);
    assert!(report.notes[0].contains("begin in the middle"), "{:?}", report.notes);
    files.reverse();
    assert_eq!(sources(&files), report);
    assert_eq!(of(&files[0]), Err(Error::TooFew(1)));
}

/// What is said of a bad file.
fn said(bytes: &[u8]) -> String {
    of(bytes).expect_err("it is bad").to_string()
}

#[test]
fn what_is_wrong_is_told_with_its_place_and_a_remedy() {
    assert_eq!(
        said(&[]),
        "monitor.data: at offset 0: it is empty; read /dev/monreader until the first interval has passed"
    );
    let other = said(b"TEXT1234 a file of another kind");
    assert!(other.starts_with("monitor.data: at offset 0: this is no monitor data; give files of"), "{other}");
    for form in [Form::Monreader, Form::Monwrite] {
        let good = plain(form);
        let control = form.control();
        // The second message begins after the control record and a page.
        let second = control + 4096;
        let cut = said(&good[..second + control + 100]);
        let place = format!("monitor.data: at offset {}: it ends in the middle of pages of records", second + control);
        assert!(cut.starts_with(&place), "{cut}");
        assert!(cut.ends_with(&format!("take what is before: head -c {second} FILE")), "{cut}");
        let cut = said(&good[..second + 7]);
        assert!(cut.contains(&format!("at offset {second}: it ends in the middle of a control")), "{cut}");
        // A record that is longer than its page, in the second message.
        let mut bad = good.clone();
        bad[second + control..second + control + 2].copy_from_slice(&[0x7f, 0xff]);
        let told = said(&bad);
        assert!(told.contains(&format!("at offset {}: a record's length is 32767", second + control)), "{told}");
        // One that is too short for its layout, with the end of the page after it.
        let mut bad = good.clone();
        bad[second + control..second + control + 2].copy_from_slice(&[0, 20]);
        bad[second + control + 20..second + control + 28].copy_from_slice(&[0, 20, 0, 0, 1, 0, 0, 13]);
        let told = said(&bad);
        assert!(told.contains("record 0.1 has 20 bytes, and 96 are its layout's"), "{told}");
    }
    // A control element that names no whole pages, and one of another kind.
    let mut bad = plain(Form::Monreader);
    bad[11] ^= 1;
    assert!(said(&bad).contains("no whole pages of 4096; copy it anew"), "{}", said(&bad));
    let mut bad = plain(Form::Monreader);
    bad[12 + 4096] = 0x40;
    assert!(said(&bad).contains(&format!("at offset {}: {}", 12 + 4096, Fault::Element)), "{}", said(&bad));
}

#[test]
fn damaged_files_are_told_or_reduced() {
    let good = [Form::Monreader, Form::Monwrite].map(plain);
    let choice = Choice { each: true, ..Choice::default() };
    let mut random = Random::seeded(28);
    let (mut refused, mut reduced) = (0, 0);
    for n in 0..100_000 {
        let mut bytes = good[n % 2].clone();
        for _ in 0..=random.below(3u8) {
            damage(&mut random, &mut bytes);
        }
        match with(&bytes, &choice) {
            Ok(report) => {
                reduced += 1;
                // All that is printed, of some: it takes its time.
                if random.one_in(8) {
                    let text = report.text();
                    assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{n}: {text}");
                    serde_json::to_string(&report).expect("it is JSON");
                }
            }
            Err(error) => {
                refused += 1;
                assert!(!error.to_string().is_empty());
            }
        }
    }
    assert!(refused > 10_000 && reduced > 10_000, "{refused} were refused, {reduced} reduced");
}

fn damage(random: &mut Random, bytes: &mut Vec<u8>) {
    if bytes.is_empty() {
        return;
    }
    let at = random.below(bytes.len());
    match random.below(8u8) {
        0 => bytes.truncate(at),
        1 => {
            let count = random.below(200usize).min(bytes.len() - at);
            bytes.drain(at..at + count);
        }
        2 => {
            let count = random.below(200usize);
            let more = random.bytes(count);
            bytes.splice(at..at, more);
        }
        // Where records are, a page has much that is zero.
        3 | 4 => {
            let at = at / 4096 * 4096 + at % 4096 % 400;
            let to = (at + 1 + random.below(8usize)).min(bytes.len());
            let new = random.bytes(to.saturating_sub(at));
            bytes[to - new.len()..to].copy_from_slice(&new);
        }
        5 => bytes[at] = random.pick(&[0, 1, 0x7f, 0x80, 0xff]),
        _ => bytes[at] ^= 1 << random.below(8u8),
    }
}

#[test]
fn records_of_other_levels_are_counted_and_may_be_longer() {
    let mut file = File::new(Form::Monreader);
    for n in 1..3 {
        file.put(b'S', START + n * 10 * SECOND, |to| {
            sample(to, n, &[user("ALICE", n)]);
            let more =
                UserInteraction { userid: ebcdic::padded("ALICE"), looks: (n as u32).into(), ..Default::default() };
            to.put_with(more, &[0xff; 100]).expect("it fits");
            to.put(DeviceActivity::default());
        });
    }
    let mut bytes = file.bytes;
    // The record of the device becomes one that is not known: 6.99.
    let mut places = bytes.windows(8).enumerate().filter(|(_, it)| *it == [0, 72, 0, 0, 6, 0, 0, 3]).map(|(at, _)| at);
    let at = places.next().expect("it is there");
    drop(places);
    bytes[at + 7] = 99;
    let report = of(&bytes).expect("it is good");
    let which = words(&report, Name::Records, "what the files have", "record");
    let kinds = words(&report, Name::Records, "what the files have", "kind");
    let unknown = which.iter().position(|which| which == "6.99").expect("it is counted");
    assert_eq!(kinds[unknown], "not known");
}
