//! `endicott work`: short runs of a load by TN3270 and inside the process, a system that dies, and loads with mistakes.

mod support;

use ::support::folder::Folder;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use support::{System, endicott};

/// A folder that goes with its test.
struct Scratch(Folder);

impl Scratch {
    fn new(name: &str) -> Scratch {
        Scratch(Folder::empty(&format!("work-{name}")))
    }

    fn at(&self, name: &str) -> String {
        self.0.path(name).display().to_string()
    }
}

fn work(words: &[&str]) -> Output {
    endicott().arg("work").args(words).output().expect("it starts")
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// A system for users of a load.
fn make(load: &str, folder: &Path, users: &str) {
    let output = work(&["system", load, &folder.display().to_string(), "--users", users]);
    assert!(output.status.success(), "{}", said(&output));
}

/// What a run prints as JSON, and its exit status.
fn run(words: &[&str]) -> (Value, Option<i32>) {
    let output = work(&[&["run", "--json"], words].concat());
    let figures = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output)));
    (figures, output.status.code())
}

/// The same seed gives the same run, command by command and to the microsecond.
#[test]
fn a_clock_of_its_own_repeats_a_run() {
    if cms::nucleus().is_none() {
        return;
    }
    let scratch = Scratch::new("inside");
    let system = scratch.at("system");
    make("lines", Path::new(&system), "6");
    let once = |seed: &str, log: &str| {
        let log = scratch.at(log);
        let clock = ["--clock", "own", "--phases", "30,30,240", "--users", "6"];
        let (figures, code) =
            run(&[&["lines", "--system", &system, "--seed", seed, "--log", &log], &clock[..]].concat());
        assert_eq!(code, Some(0), "{figures:#}");
        (figures, fs::read_to_string(log).expect("a log"))
    };
    let (figures, first) = once("7", "first");
    // Six users with 15 seconds of think time between commands for 240 seconds.
    let commands = figures["commands"].as_u64().expect("a number");
    assert!((60..140).contains(&commands), "{figures:#}");
    assert!(figures["itr"].as_f64().is_some_and(|itr| itr > 1.0), "{figures:#}");
    let (_, again) = once("7", "again");
    let lines =
        |log: &str| log.lines().filter(|line| !line.starts_with("{\"line\":\"end\"")).map(str::to_owned).collect();
    let (one, other): (Vec<String>, Vec<String>) = (lines(&first), lines(&again));
    for (one, other) in one.iter().zip(&other) {
        assert_eq!(one, other);
    }
    assert_eq!(one.len(), other.len());
    let (_, different) = once("8", "different");
    assert_ne!(one, lines(&different));
    // What is printed once more is the same.
    let output = work(&["reduce", "--json", &scratch.at("again")]);
    let reduced: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&reduced["commands"], &reduced["last"]), (&figures["commands"], &figures["last"]));
}

/// A running system for the load of lines.
fn running(name: &str, users: &str) -> System {
    System::start(name, |folder| {
        fs::remove_dir_all(folder).expect("it is ours");
        make("lines", folder, users);
    })
}

#[test]
fn users_work_by_tn3270_and_classic_tn3270() {
    if cms::nucleus().is_none() {
        return;
    }
    let system = running("work", "10");
    let (place, process) = (format!("127.0.0.1:{}", system.port), system.process().to_string());
    for way in [&["--terminal", "IBM-3279-2-E"][..], &["--classic", "--terminal", "IBM-3278-2"]] {
        let common = ["lines", "--tn3270", &place, "--process", &process, "--users", "10", "--scale", "30"];
        let (figures, code) = run(&[&common[..], &["--phases", "60,15,120"], way].concat());
        assert_eq!(code, Some(0), "{figures:#}");
        let commands = figures["commands"].as_u64().expect("a number");
        assert!(commands > 20 && figures["failed"] == 0, "{figures:#}");
        assert!(figures["pbt"].as_f64().is_some_and(|pbt| pbt > 0.0), "{figures:#}");
        let time = |name: &str, part: &str| figures[name][part].as_f64().expect("a number");
        assert!(time("first", "mean") <= time("last", "mean") && time("last", "p50") <= time("last", "p99"));
    }
}

#[test]
fn a_screen_that_is_not_as_it_should_be_is_a_failure() {
    if cms::nucleus().is_none() {
        return;
    }
    let system = running("work-wrong", "4");
    let scratch = Scratch::new("wrong");
    let text = String::from_utf8(work(&["show", "lines"]).stdout).expect("text");
    let (load, log) = (scratch.at("mine.toml"), scratch.at("log"));
    // One command of one script shows something else.
    fs::write(&load, text.replace("see = [\"MNT190\"", "see = [\"MNT199\"")).expect("the folder is ours");
    let place = format!("127.0.0.1:{}", system.port);
    let (figures, code) =
        run(&[&load, "--tn3270", &place, "--users", "4", "--scale", "60", "--phases", "60,0,480", "--log", &log]);
    assert_eq!(code, Some(1), "{figures:#}");
    assert!(figures["failed"].as_u64().is_some_and(|failed| failed > 0), "{figures:#}");
    let why = figures["failures"][0].as_str().expect("a line");
    assert!(why.contains("QUERIES step 1: \"MNT199\" is not there"), "{why}");
    // Users go on with the next script, and the log has the screen.
    let log = fs::read_to_string(&log).expect("a log");
    assert!(log.contains("MNT190") && log.contains("\"script\":\"LISTS\""), "{log}");
}

#[test]
fn a_system_that_dies_is_told() {
    if cms::nucleus().is_none() {
        return;
    }
    let mut system = running("work-dies", "4");
    let scratch = Scratch::new("dies");
    let (place, log) = (format!("127.0.0.1:{}", system.port), scratch.at("log"));
    let mut command: Command = endicott();
    command.args(["work", "run", "lines", "--tn3270", &place, "--users", "4", "--scale", "30", "--log", &log]);
    let child = command.args(["--phases", "60,0,100000"]).stdout(Stdio::piped()).spawn().expect("it starts");
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(5) {
        thread::sleep(Duration::from_millis(100));
    }
    system.kill();
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let text = said(&output);
    assert!(text.contains("The run is not valid: the system is gone"), "{text}");
    // Nothing answers there now.
    let (figures, code) = run(&["lines", "--tn3270", &place, "--users", "1"]);
    assert_eq!(code, Some(1));
    assert!(
        figures["invalid"][0].as_str().is_some_and(|why| why.contains("nothing answers at 127.0.0.1")),
        "{figures:#}"
    );
}

#[test]
fn loads_that_come_with_the_program_have_no_mistakes() {
    let list = String::from_utf8(work(&["show"]).stdout).expect("text");
    assert!(list.lines().count() >= 2 && list.contains("fs7e-c"), "{list}");
    for load in list.lines().filter_map(|line| line.split_whitespace().next()) {
        let output = work(&["check", load]);
        assert!(output.status.success(), "{}", said(&output));
    }
    // The weights are those of the report.
    let text = String::from_utf8(work(&["show", "fs7e-c"]).stdout).expect("text");
    let weights = text.lines().filter_map(|line| line.strip_prefix("weight = ")?.parse::<u32>().ok());
    assert_eq!((weights.clone().count(), weights.sum::<u32>()), (17, 100));
    assert!(!text.contains("name = \"FS7B"), "the name is another");
}

#[test]
fn mistakes_are_told_with_their_line_and_what_to_do() {
    let text = String::from_utf8(work(&["show", "lines"]).stdout).expect("text");
    let scratch = Scratch::new("mistakes");
    let path = scratch.at("mine.toml");
    for (good, bad, line, told) in [
        ("key = \"PF8\"", "key = \"PF25\"", "key = \"PF25\"", "there is no key PF25: ENTER, CLEAR"),
        ("kind = \"exponential\"\nmean = 15", "kind = \"poisson\"", "kind = \"poisson\"", "unknown variant"),
        ("name = \"LISTS\"", "name = \"QUERIES\"", "", "there are two scripts QUERIES: give one another name"),
        ("weight = 50", "weight = 0", "", "QUERIES: a weight is more than 0"),
        ("{user} | reverse", "{usr} | reverse", "{usr} | reverse", "{usr} has no meaning: {user}"),
        ("USER####", "USER", "name = \"USER\"", "is no pattern of user IDs: USER#### gives"),
        ("logons = 20", "logons = 20\nlogon = 3", "logon = 3", "unknown field `logon`"),
        ("rows = { 1 =", "rows = { 99 =", "rows = { 99", "99 is no row of a screen"),
        ("type = \"query search\"", "see = [\"x\"]", "see = [\"x\"]", "add \"type\", \"at\" or \"key\""),
        ("weight = 20", "weight = 20\ncannot = \"why\"", "", "has steps and \"cannot\""),
        ("[think]", "[think", "[think", "docs/measuring.md"),
    ] {
        assert!(text.contains(good), "{good}");
        let wrong = text.replacen(good, bad, 1);
        fs::write(&path, &wrong).expect("the folder is ours");
        let output = work(&["check", &path]);
        let said = said(&output);
        assert!(!output.status.success() && said.contains(told), "{bad}: {said}");
        let place = format!("{path}:");
        let (_, rest) = said.split_once(&place).unwrap_or_else(|| panic!("{bad}: no place in {said}"));
        let number: usize = rest.split(':').next().and_then(|number| number.parse().ok()).expect("a line's number");
        if !line.is_empty() {
            let found = wrong.lines().nth(number - 1).expect("there is this line");
            assert!(found.contains(line), "{bad}: line {number} is {found}");
        }
    }
    for (words, told) in [
        (&["check", "nothing"][..], "there is no load nothing"),
        (&["run", "lines"], "--tn3270"),
        (&["run", "lines", "--tn3270", "nowhere"], "as in 127.0.0.1:3270"),
        (&["run", "lines", "--tn3270", "127.0.0.1:1", "--terminal", "vt100"], "VT100 is no 3270"),
        (&["run", "lines", "--tn3270", "127.0.0.1:1", "--scale", "0"], "--scale 0 is no scale"),
        (&["run", "lines", "--tn3270", "127.0.0.1:1", "--users", "99999"], "room for 4 digits"),
        (&["run", "lines", "--system", "/nowhere"], "endicott sample"),
        (&["run", "lines", "--system", "/nowhere", "--clock", "own", "--processors", "2"], "--processors is for"),
        (&["reduce", "/nowhere"], "/nowhere"),
    ] {
        let output = work(words);
        assert!(!output.status.success() && said(&output).contains(told), "{words:?}: {}", said(&output));
    }
}
