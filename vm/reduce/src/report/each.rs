//! Tables with a line for each user or disk.

use super::{percent, ratio, text};
use crate::choice::{Choice, Name};
use crate::figures::Device;
use crate::gather::printable;
use crate::interval::{Interval, OfUser};
use crate::table::{Cell, Column, Table};
use arch::monitor::DeviceActivity;

/// A user's line.
struct Line<'a> {
    userid: String,
    of: &'a OfUser,
}

/// A column of numbers.
macro_rules! number {
    ($key:literal $head:literal $digits:literal |$of:ident| $value:expr) => {
        Column {
            key: $key,
            head: $head,
            of: |line| {
                let $of = line.of;
                Cell::Number($value, $digits)
            },
        }
    };
}

fn userid<'a>() -> Column<Line<'a>> {
    Column { key: "userid", head: "USERID", of: |line| text(line.userid.clone()) }
}

fn times<'a>() -> Vec<Column<Line<'a>>> {
    vec![
        userid(),
        number!("cpu_percent" "CPU%" 2 |of| of.figures.rate(100.0 * of.figures.total)),
        number!("virtual_percent" "VIRT%" 2 |of| of.figures.rate(100.0 * of.figures.emulation)),
        number!("cpu_seconds" "CPU S" 3 |of| Some(of.figures.total)),
        number!("virtual_seconds" "VIRT S" 3 |of| Some(of.figures.emulation)),
        number!("tv_ratio" "TVR" 2 |of| ratio(of.figures.total, of.figures.emulation)),
        number!("total_cpu" "TOTCPU" 2 |of| of.last.map(|_| of.total.0)),
        number!("total_virtual" "VIRTCPU" 2 |of| of.last.map(|_| of.total.1)),
        number!("resident_pages" "RES" 0 |of| ratio(of.figures.resident, of.figures.present)),
        number!("working_set" "WKSET" 0 |of| ratio(of.figures.working_set, of.figures.present)),
        number!("expanded_megabytes" "XST MB" 0 |of| ratio(of.figures.expanded, of.figures.present)),
        number!("storage_megabytes" "STOR MB" 0 |of| of.last.map(|last| (last.storage.get() >> 20) as f64)),
        number!("cpus" "CPUS" 0 |of| of.last.map(|_| of.cpus as f64)),
        Column { key: "share", head: "SHARE", of: |line| text(share(line.of)) },
        Column { key: "list", head: "LIST", of: |line| text(list(line.of)) },
    ]
}

fn io<'a>() -> Vec<Column<Line<'a>>> {
    vec![
        userid(),
        number!("io_rate" "I/O/S" 2 |of| of.figures.rate(of.figures.started)),
        number!("io" "I/O" 0 |of| Some(of.figures.started)),
        number!("ccw_rate" "CCW/S" 1 |of| of.figures.rate(of.figures.ccws)),
        number!("fast_percent" "FAST%" 1 |of| percent(of.figures.fast, of.figures.programs)),
        number!("diagnose_rate" "DIAG/S" 1 |of| of.figures.rate(of.figures.diagnoses)),
        number!("cache_read_rate" "MDC READS" 1 |of| of.figures.rate(of.figures.cache_reads)),
        number!("cache_hit_percent" "HIT%" 1 |of| percent(of.figures.cache_hits, of.figures.cache_reads)),
        number!("spool_read" "READ" 0 |of| Some(of.figures.read)),
        number!("spool_printed" "PRINTED" 0 |of| Some(of.figures.printed)),
        number!("spool_punched" "PUNCHED" 0 |of| Some(of.figures.punched)),
    ]
}

fn found<'a>() -> Vec<Column<Line<'a>>> {
    vec![
        userid(),
        number!("looks" "LOOKS" 0 |of| Some(of.states.looks)),
        number!("running_percent" "RUNNING" 1 |of| percent(of.states.running, of.states.looks)),
        number!("cpu_wait_percent" "CPU WAIT" 1 |of| percent(of.states.cpu_wait, of.states.looks)),
        number!("page_wait_percent" "PAGE WAIT" 1 |of| percent(of.states.page_wait, of.states.looks)),
        number!("eligible_percent" "E-LIST" 1 |of| percent(of.states.eligible, of.states.looks)),
        number!("limited_percent" "L-LIST" 1 |of| percent(of.states.limited, of.states.looks)),
        number!("test_idle_percent" "TEST IDLE" 1 |of| percent(of.states.test_idle, of.states.looks)),
        number!("dormant_percent" "DORMANT" 1 |of| percent(of.states.dormant, of.states.looks)),
    ]
}

/// A share, as QUERY SHARE has it.
fn share(of: &OfUser) -> String {
    let Some(last) = &of.last else { return "LOGGED OFF".into() };
    let value = last.share.get();
    let quick = if last.quick != 0 { " QUICK" } else { "" };
    match last.share_kind {
        0x80 => format!("ABSOLUTE {}.{}%{quick}", value / 10, value % 10),
        0x40 => format!("RELATIVE {value}{quick}"),
        _ => "?".into(),
    }
}

/// The list that a user is on, and the class of its transaction.
fn list(of: &OfUser) -> String {
    let Some(last) = &of.last else { return "-".into() };
    match printable(&[last.list]).as_str() {
        "" => "DORMANT".into(),
        "D" => format!("Q{}", last.class),
        letter => format!("{letter}{}", last.class),
    }
}

/// The lines of users that were chosen; most processor time first.
fn lines<'a>(interval: &'a Interval, choice: &Choice) -> Vec<Line<'a>> {
    let all = interval.users.iter().map(|(userid, of)| Line { userid: printable(userid), of });
    let mut lines: Vec<_> = all.filter(|line| choice.users.is_empty() || choice.users.contains(&line.userid)).collect();
    lines.sort_by(|a, b| b.of.figures.total.total_cmp(&a.of.figures.total).then(a.userid.cmp(&b.userid)));
    lines
}

/// USER.
pub(super) fn users(interval: &Interval, choice: &Choice, number: Option<usize>) -> Vec<Table> {
    if !choice.has(Name::User) {
        return Vec::new();
    }
    let lines = lines(interval, choice);
    let table = |title, columns: Vec<_>| Table::new(Name::User.name(), title, &columns, &lines).of_interval(number);
    vec![table("processor time and storage", times()), table("I/O and spool", io())]
}

/// STATES of users.
pub(super) fn states(interval: &Interval, choice: &Choice, number: Option<usize>) -> Vec<Table> {
    if !choice.has(Name::States) {
        return Vec::new();
    }
    let lines: Vec<_> = lines(interval, choice).into_iter().filter(|line| line.of.states.looks > 0.0).collect();
    let title = "what users were found doing, in percent of all looks";
    vec![Table::new(Name::States.name(), title, &found(), &lines).of_interval(number)]
}

/// A disk's line.
struct Disk {
    of: Device,
    record: DeviceActivity,
}

const DISKS: &[Column<Disk>] = &[
    Column { key: "device", head: "DEVICE", of: |disk| text(format!("{:04X}", disk.record.number.get())) },
    Column { key: "type", head: "TYPE", of: |disk| text(format!("{:04X}", disk.record.kind.get())) },
    Column { key: "volume", head: "VOLUME", of: |disk| text(printable(&disk.record.serial)) },
    Column { key: "state", head: "STATE", of: |disk| text(state(disk.record.state)) },
    number!("io_rate" "I/O/S" 2 |of| of.rate(of.started)),
    number!("io" "I/O" 0 |of| Some(of.started)),
    number!("read_rate" "READ/S" 2 |of| of.rate(of.reads)),
    number!("write_rate" "WRITE/S" 2 |of| of.rate(of.writes)),
    number!("hit_rate" "HIT/S" 2 |of| of.rate(of.hits)),
    number!("hit_percent" "HIT%" 1 |of| percent(of.hits, of.reads)),
    number!("insert_rate" "INSERT/S" 2 |of| of.rate(of.inserts)),
    number!("users" "USERS" 1 |of| of.rate(of.users)),
];

/// What a disk is used for.
fn state(state: u8) -> &'static str {
    match state {
        0x80 => "OWNED",
        0x40 => "SYSTEM",
        0x20 => "ATTACHED",
        0x10 => "OFFLINE",
        _ => "FREE",
    }
}

/// DASD.
pub(super) fn disks(interval: &Interval, choice: &Choice, number: Option<usize>) -> Vec<Table> {
    if !choice.has(Name::Dasd) {
        return Vec::new();
    }
    let lines: Vec<_> = interval.devices.values().map(|(of, record)| Disk { of: *of, record: *record }).collect();
    vec![Table::new(Name::Dasd.name(), "disks", DISKS, &lines).of_interval(number)]
}
