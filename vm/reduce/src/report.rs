//! The reports: each is a list of columns, whose names are those of VM's own reports where they have one.

mod each;
mod overall;

use crate::choice::{Choice, Name, NoSuch};
use crate::gather::{Monitor, described, printable};
use crate::interval::Interval;
use crate::table::{Cell, Column, Table};
use base::{Tod, ebcdic};
use message::calendar::{Date, Zone};
use serde::Serialize;
use std::fmt::Write;

/// What is printed.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Report {
    /// The system's name; nothing if the files do not have it.
    pub system: Option<String>,
    /// Its control program.
    pub level: Option<String>,
    /// When it came up, in UTC.
    pub up_since: Option<String>,
    /// How many samples there are.
    pub samples: usize,
    /// The intervals that were chosen.
    pub intervals: Vec<Span>,
    /// What is to be known of the data.
    pub notes: Vec<String>,
    /// The tables.
    pub tables: Vec<Table>,
}

/// An interval.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Span {
    /// Its number, from 1.
    pub number: usize,
    /// Its beginning, in UTC.
    pub from: String,
    /// Its end, in UTC.
    pub to: String,
    /// How long it was.
    pub seconds: f64,
}

impl Report {
    /// The report as text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let or = |value: &Option<String>| value.clone().unwrap_or("not known".into());
        let _ = writeln!(text, "System {}, {}, up since {}", or(&self.system), or(&self.level), or(&self.up_since));
        if let (Some(first), Some(last)) = (self.intervals.first(), self.intervals.last()) {
            let (count, samples) = (self.intervals.len(), self.samples);
            let _ = writeln!(text, "{count} intervals of {samples} samples, from {} to {}", first.from, last.to);
        }
        self.notes.iter().for_each(|note| {
            let _ = writeln!(text, "Note: {note}");
        });
        for table in &self.tables {
            let _ = write!(text, "\n{}", table.lines());
        }
        text
    }

    /// A table, by its report and title.
    pub fn table(&self, report: Name, title: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.report == report.name() && table.title == title)
    }
}

/// A ratio, if there is one.
fn ratio(of: f64, to: f64) -> Option<f64> {
    (to > 0.0).then(|| of / to)
}

/// The same in percent.
fn percent(of: f64, to: f64) -> Option<f64> {
    ratio(of * 100.0, to)
}

fn text(text: impl Into<String>) -> Cell {
    Cell::Text(text.into())
}

/// As `2026-11-29T14:30:00Z`.
fn utc(at: Tod) -> String {
    let date = Date::at(at, &Zone::default());
    format!("{:04}-{:02}-{:02}T{}Z", date.year, date.month, date.day, date.time())
}

/// The report of what was gathered.
pub(crate) fn report(monitor: &Monitor, intervals: &[Interval], choice: &Choice) -> Result<Report, NoSuch> {
    let offset = monitor.system.as_ref().map_or(0, |system| system.zone.get());
    let zone = Zone { name: String::new(), offset };
    let chosen = choice.intervals(intervals, &zone)?;
    let mut all = Interval::default();
    chosen.iter().for_each(|(_, interval)| all.add(interval));
    for user in &choice.users {
        let userid: [u8; 8] = ebcdic::padded(user);
        if user.len() > userid.len() || !all.users.contains_key(&userid) {
            return Err(NoSuch::User(user.clone()));
        }
    }
    let mut tables = Vec::new();
    if choice.has(Name::System) {
        tables.extend(overall::system(&chosen, &all, &zone));
    }
    tables.extend(each::users(&all, choice, None));
    tables.extend(each::disks(&all, choice, None));
    if choice.has(Name::Paging) {
        tables.extend(overall::paging(&chosen, &all, &zone));
    }
    if choice.has(Name::States) {
        tables.push(overall::states(&chosen, &all, &zone));
    }
    tables.extend(each::states(&all, choice, None));
    if choice.each {
        for (number, interval) in &chosen {
            tables.extend(each::users(interval, choice, Some(*number)));
            tables.extend(each::disks(interval, choice, Some(*number)));
            tables.extend(each::states(interval, choice, Some(*number)));
        }
    }
    if choice.has(Name::Records) {
        let rows: Vec<_> = monitor.records.iter().map(|(which, count)| (*which, *count)).collect();
        tables.push(Table::new(Name::Records.name(), "what the files have", RECORDS, &rows));
    }
    let system = monitor.system.as_ref();
    Ok(Report {
        system: system.map(|system| printable(&system.name)),
        level: system.map(|system| printable(&system.level)),
        up_since: system.map(|system| utc(Tod(system.started.get()))),
        samples: monitor.samples.len(),
        intervals: chosen
            .iter()
            .map(|(number, interval)| Span {
                number: *number,
                from: utc(interval.from),
                to: utc(interval.to),
                seconds: interval.seconds,
            })
            .collect(),
        notes: notes(monitor, intervals),
        tables,
    })
}

const RECORDS: &[Column<((u8, u16), u64)>] = &[
    Column { key: "record", head: "RECORD", of: |((domain, record), _)| text(format!("{domain}.{record}")) },
    Column { key: "name", head: "NAME", of: |(which, _)| text(described(*which).map_or("?", |(id, ..)| id)) },
    Column { key: "count", head: "COUNT", of: |(_, count)| Cell::Number(Some(*count as f64), 0) },
    Column {
        key: "kind",
        head: "KIND",
        of: |(which, _)| text(described(*which).map_or("not known".into(), |(_, kind, _)| format!("{kind:?}"))),
    },
];

/// As many commands are told.
const COMMANDS: usize = 20;

/// What is to be known of the data.
fn notes(monitor: &Monitor, intervals: &[Interval]) -> Vec<String> {
    let mut notes = Vec::new();
    if monitor.system.is_none() {
        notes.push("there are no configuration records: the files begin in the middle; times are UTC".into());
    }
    if let Some(profile) = &monitor.profile {
        let wanted = crate::counters::seconds(profile.interval.get());
        let long = intervals.iter().filter(|interval| wanted > 0.0 && interval.seconds > 1.5 * wanted).count();
        if long > 0 {
            notes.push(format!(
                "{long} intervals are longer than the {wanted} s that are set: the reader had not replied in time"
            ));
        }
    }
    let back = monitor.samples.windows(2).filter(|two| two[0].at >= two[1].at).count();
    if back > 0 {
        notes.push(format!("{back} times a sample is not later than the one before: no interval is made of the two"));
    }
    let anew = monitor.samples.len().saturating_sub(1 + back + intervals.len());
    if anew > 0 {
        notes.push(format!("{anew} times the system came up anew between two samples: no interval is made of the two"));
    }
    for (at, lost) in &monitor.lost {
        let since = utc(Tod(lost.since.get()));
        notes.push(format!("{} events were lost from {since} to {}", lost.lost, utc(*at)));
    }
    for (at, command) in monitor.commands.iter().take(COMMANDS) {
        notes.push(format!("{}: {command}", utc(*at)));
    }
    if monitor.commands.len() > COMMANDS {
        notes.push(format!("and {} MONITOR commands more", monitor.commands.len() - COMMANDS));
    }
    notes
}
