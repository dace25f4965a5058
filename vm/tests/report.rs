//! `endicott report`: the short form of experiments. What is measured moves with what is different, and a report that
//! is there is gone on with.

mod support;

use base::Held;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use support::endicott;

/// One report is made at a time: each wants a processor for itself.
static ALONE: Mutex<()> = Mutex::new(());

/// The report of these experiments: one run of a second each, with few users.
fn report(out: &Path, names: &[&str]) -> Value {
    report_by(endicott(), "12", out, names)
}

/// The same by a program with options, with so many users.
fn report_by(mut command: Command, users: &str, out: &Path, names: &[&str]) -> Value {
    command.args(["report", "--json", "--runs", "1", "--seconds", "1", "--users", users, "--out"]).arg(out).args(names);
    let output = command.output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The experiment of this name.
fn experiment<'a>(report: &'a Value, name: &str) -> &'a Value {
    let all = report["experiments"].as_array().expect("a list");
    all.iter().find(|one| one["name"] == name).unwrap_or_else(|| panic!("no {name} in {report}"))
}

/// What was measured in the row that begins so.
fn measured(report: &Value, name: &str, row: &str) -> f64 {
    let experiment = experiment(report, name);
    assert_eq!(experiment["valid"], true, "{experiment:#}");
    let rows = experiment["rows"].as_array().expect("a list");
    let found = rows.iter().find(|found| found["name"].as_str().is_some_and(|found| found.starts_with(row)));
    found.and_then(|row| row["runs"][0].as_f64()).unwrap_or_else(|| panic!("no {row} in {experiment:#}"))
}

/// A folder for results of a test.
fn results(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("endicott-report-{name}-{}", std::process::id()))
}

#[test]
fn rows_are_measured_and_kept() {
    if cms::nucleus().is_none() {
        return;
    }
    let _alone = ALONE.lock().held();
    let folder = results("kept");
    let names = ["share-limithard", "share-limitsoft", "cms-instructions", "cms-own-pages", "pipelines-instructions"];
    let first = report(&folder, &names);
    // The same loop is held by LIMITHARD and is not by LIMITSOFT.
    let hard = measured(&first, "share-limithard", "processor of a loop");
    let soft = measured(&first, "share-limitsoft", "processor of a loop");
    assert!((25.0..35.0).contains(&hard) && soft > 80.0, "{hard} and {soft}");
    // All that a command executes was counted, and CMS's commands differ.
    let [set, compare, all] = ["SET", "COMPARE", "all"].map(|row| measured(&first, "cms-instructions", row));
    assert!(set > 1000.0 && compare > 2.0 * set && all > set + compare, "{set} {compare} {all}");
    assert!(measured(&first, "pipelines-instructions", "6: a file of 30 records, typed: pipeline over") < 0.8);
    assert!(folder.join("report.md").is_file());
    // What is there is not measured anew: it took the same time to the last digit.
    let again = report(&folder, &names);
    let seconds = |report: &Value| experiment(report, "share-limithard")["seconds"].as_f64();
    assert_eq!(seconds(&first), seconds(&again));
    std::fs::remove_dir_all(&folder).expect("it can be removed");
}

/// Of each family of experiments what is measured is off and on, and the rows tell the one from the other.
#[test]
fn rows_move_with_what_is_different() {
    if cms::nucleus().is_none() {
        return;
    }
    let _alone = ALONE.lock().held();
    let folder = results("moves");
    let names = [
        "cms-directories",
        "cms-preloaded",
        "fast-path-minidisk",
        "fast-path-dedicated",
        "cache-hits",
        "fast-write",
        "set-reserved",
        "lock-pages",
        "dispatch-buffer",
        "time-slice",
        "fs7e-c",
    ];
    let found = report(&folder, &names);
    let row = |name: &str, row: &str| measured(&found, name, row);
    // A figure is a file, and the page links it.
    let page = std::fs::read_to_string(folder.join("report.md")).expect("the page");
    assert!(page.contains("](time-slice-1.svg)"), "{page}");
    let figure = std::fs::read_to_string(folder.join("time-slice-1.svg")).expect("the figure");
    assert!(figure.contains(">minor time slice, ms<") && figure.contains(">dispatches in a second<"), "{figure}");
    // Commands: the same from storage and from disk.
    assert!(row("cms-directories", "I/O, in a segment over") < 0.9 && row("cms-preloaded", "a module: instr") < 0.9);
    // Disks: the fast path, caches and fast writes off and on.
    for name in ["fast-path-minidisk", "fast-path-dedicated"] {
        let [off, on] = ["off", "on"].map(|what| row(name, &format!("on the fast path, IOASSIST {what}")));
        assert!(off == 0.0 && on > 99.0, "{name}: {off} and {on}");
    }
    let [disk, unit, cache] =
        ["disk", "control unit", "minidisk"].map(|from| row("cache-hits", &format!("an I/O, from the {from}")));
    assert!(disk > 2.0 * unit && unit > 10.0 * cache, "{disk} {unit} {cache}");
    assert!(row("fast-write", "Resp, on over off") < 0.5);
    // Storage: what is kept for a guest.
    assert!(row("set-reserved", "server's pages moved, on over off") < 0.5);
    let [free, locked] = ["not locked", "locked"]
        .map(|what| row("lock-pages", &format!("pages moved for 1000 touches of the guest, {what}")));
    assert!(locked < 1.0 && free > 10.0 * (locked + 1.0), "{free} and {locked}");
    let [wide, narrow] = [16, 4].map(|most| row("dispatch-buffer", &format!("AVG ELIST SIZE, DSPBUF {most}")));
    assert!(wide < 0.5 && narrow > 2.0, "{wide} and {narrow}");
    // Processors: the slice; and all that is executed, without the translator.
    let [short, long] = [1, 50].map(|slice| row("time-slice", &format!("dispatches, DSPSLICE {slice} ms")));
    assert!(short > 5.0 * long, "{short} and {long}");
    let mut interpreter = endicott();
    interpreter.args(["--engine", "interpreter"]);
    let slow = report_by(interpreter, "12", &folder, &["time-slice"]);
    let [fast, slow_rate] = [&found, &slow].map(|report| measured(report, "time-slice", "ITR, DSPSLICE 5 ms"));
    assert!(fast > 2.0 * slow_rate, "{fast} and {slow_rate}");
    // Users at terminals: twice as many enter twice as many commands, and each asks the same of CP.
    let more = report_by(endicott(), "24", &folder, &["fs7e-c"]);
    let of = |what: &str| [&found, &more].map(|report| measured(report, "fs7e-c", what));
    let ([few, many], [asked, by_many]) = (of("ETR"), of("DIAG/CMD"));
    assert!((1.5..2.7).contains(&(many / few)), "{few} and {many}");
    assert!(asked > 1.0 && (by_many / asked - 1.0).abs() < 0.5, "{asked} and {by_many}");
    let rows = experiment(&slow, "time-slice")["rows"].as_array().expect("a list");
    assert!(rows.iter().filter(|row| row["point"]["at"].is_number()).count() == 5, "{rows:?}");
    std::fs::remove_dir_all(&folder).expect("it can be removed");
}

#[test]
fn a_build_is_set_against_another() {
    let program = endicott().get_program().to_owned();
    for (build, told) in [("/nowhere/endicott", "cannot be run"), ("/bin/true", "is no endicott")] {
        let output = endicott().args(["report", "time-slice", "--against", build]).output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(told), "{build}: {said}");
    }
    if cms::nucleus().is_none() {
        return;
    }
    // Against itself.
    let _alone = ALONE.lock().held();
    let folder = results("against");
    let mut command = endicott();
    command.args(["report", "--runs", "2", "--seconds", "1", "--out"]).arg(&folder);
    command.arg("--against").arg(program).args(["users", "share-limithard"]);
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let whole = std::fs::read_to_string(folder.join("report.json")).expect("JSON");
    let whole: Value = serde_json::from_str(&whole).expect("JSON");
    // What has no throughput is not compared.
    let pairs = whole["capacity"]["pairs"].as_array().expect("a list");
    assert_eq!(pairs.len(), 2, "{pairs:?}");
    for pair in pairs {
        for kind in ["itrr", "etrr"] {
            let [ratio, least, most] = ["ratio", "least", "most"].map(|of| pair[kind][of].as_f64().expect("a number"));
            assert!((0.1..10.0).contains(&ratio) && least <= most, "{pair:#}");
        }
    }
    let page = std::fs::read_to_string(folder.join("report.md")).expect("the page");
    assert!(
        page.contains("## Relative capacity")
            && page.contains("| 2 | users, 100 users at once | ")
            && page.contains("| pairs 1 to 2 |"),
        "{page}"
    );
    std::fs::remove_dir_all(&folder).expect("it can be removed");
}

#[test]
fn names_are_listed_and_checked() {
    let output = endicott().args(["report", "--list"]).output().expect("it starts");
    let list = String::from_utf8(output.stdout).expect("text");
    assert!(list.lines().any(|line| line.starts_with("storage-steps ") && line.contains(" 34 ")), "{list}");
    // Forty and more, without those that wait for file pools; what cannot be run has its reason.
    let (waiting, others): (Vec<&str>, Vec<&str>) =
        list.lines().partition(|line| line.contains("waits for file pools"));
    assert!(others.len() >= 40 && waiting.len() >= 4, "{list}");
    assert!(list.lines().any(|line| line.starts_with("isfc ") && line.contains("(there is no ISFC")), "{list}");
    let output = endicott().args(["report", "storage-stepped"]).output().expect("it starts");
    let said = String::from_utf8(output.stderr).expect("text");
    assert!(!output.status.success() && said.contains("no experiment storage-stepped"), "{said}");
}
