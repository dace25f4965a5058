//! Tables with a line for each interval, and one for all: the system, its storage, its virtual CPUs.

use super::{percent, ratio, text};
use crate::choice::Name;
use crate::interval::Interval;
use crate::table::{Cell, Column, Table};
use message::calendar::{Date, Zone};

/// A line: an interval, its number, and when it ended; or all of them.
struct Line<'a> {
    number: Option<usize>,
    time: String,
    of: &'a Interval,
}

/// The columns of a table, after the number and the time.
macro_rules! columns {
    ($name:ident, $($key:literal $head:literal $digits:literal |$of:ident| $value:expr;)+) => {
        fn $name<'a>() -> Vec<Column<Line<'a>>> { vec![
            Column {
                key: "interval",
                head: "N",
                of: |line| text(line.number.map_or("ALL".into(), |number| number.to_string())),
            },
            Column { key: "time", head: "TIME", of: |line| text(line.time.clone()) },
            $(Column { key: $key, head: $head, of: |line| {
                let $of = line.of;
                Cell::Number($value, $digits)
            } },)+
        ] }
    };
}

columns! { processors,
    "seconds" "SECONDS" 1 |of| Some(of.seconds);
    "processors" "CPUS" 0 |of| Some(of.count as f64);
    "total_percent" "TOTAL" 1 |of| of.processors.rate(100.0 * busy(of));
    "utilization_percent" "UTIL" 1 |of| of.processors.rate(100.0 * busy(of)).and_then(|p| ratio(p, of.count as f64));
    "emulation_percent" "EMUL" 1 |of| of.processors.rate(100.0 * of.processors.emulation);
    "cp_percent" "CP" 1 |of| of.processors.rate(100.0 * (of.processors.users - of.processors.emulation).max(0.0));
    "system_percent" "SYST" 1 |of| of.processors.rate(100.0 * of.processors.system);
    "wait_percent" "WAIT" 1 |of| of.processors.rate(100.0 * of.processors.wait);
    "tv_ratio" "TVR" 2 |of| ratio(busy(of), of.processors.emulation);
    "sie_rate" "SIE/S" 0 |of| of.processors.rate(of.processors.interpreted);
    "intercept_rate" "INTCPT/S" 0 |of| of.interceptions.rate(of.interceptions.intercepted);
    "dispatch_rate" "DISP/S" 0 |of| of.processors.rate(of.processors.dispatched);
    "diagnose_rate" "DIAG/S" 1 |of| of.processors.rate(of.processors.diagnoses);
    "iucv_rate" "IUCV/S" 1 |of| of.processors.rate(of.processors.iucv);
    "io_rate" "I/O/S" 1 |of| of.processors.rate(of.processors.started);
}

columns! { work,
    "users" "USERS" 1 |of| of.work.rate(of.work.users);
    "etr" "ETR" 2 |of| of.work.rate(of.work.trivial + of.work.other);
    "trivial_rate" "TRIV/S" 2 |of| of.work.rate(of.work.trivial);
    "trivial_seconds" "TRIV INT" 3 |of| ratio(of.work.trivial_time, of.work.trivial);
    "nontrivial_rate" "NONTRIV/S" 2 |of| of.work.rate(of.work.other);
    "nontrivial_seconds" "NONTRIV INT" 3 |of| ratio(of.work.other_time, of.work.other);
    "q0" "Q0" 1 |of| of.lists.rate(of.lists.q0);
    "q1" "Q1" 1 |of| of.lists.rate(of.lists.q1);
    "q2" "Q2" 1 |of| of.lists.rate(of.lists.q2);
    "q3" "Q3" 1 |of| of.lists.rate(of.lists.q3);
    "eligible" "E-LIST" 1 |of| of.lists.rate(of.lists.eligible);
    "limited" "L-LIST" 1 |of| of.lists.rate(of.lists.limited);
}

columns! { storage,
    "installed_frames" "FRAMES" 0 |of| of.frames.rate(of.frames.installed);
    "nucleus_frames" "NUCLEUS" 0 |of| of.frames.rate(of.frames.nucleus);
    "free_storage_frames" "FREEPGS" 0 |of| of.frames.rate(of.frames.free_storage);
    "shared_pages" "SHRPGS" 0 |of| of.frames.rate(of.frames.shared);
    "pageable_frames" "USED" 0 |of| of.frames.rate(of.frames.pageable);
    "available_frames" "AVAIL" 0 |of| of.frames.rate(of.frames.available);
    "defined_pages" "DEFINED" 0 |of| of.machines.rate(of.machines.defined);
    "resident_pages" "RESIDENT" 0 |of| of.machines.rate(of.machines.resident);
    "segments" "NSS" 1 |of| of.machines.rate(of.machines.segments);
    "expanded_megabytes" "XSTOR MB" 0 |of| of.machines.rate(of.machines.expanded);
    "host_read_rate" "READ/S" 1 |of| of.host.rate(of.host.reads);
    "host_clear_rate" "CLEAR/S" 1 |of| of.host.rate(of.host.cleared);
    "spool_pages" "SPOOL" 0 |of| of.spool.rate(of.spool.pages);
    "spool_files" "FILES" 0 |of| of.spool.rate(of.spool.files);
}

columns! { cache,
    "reads" "MDC READS" 1 |of| of.cache.rate(of.cache.reads);
    "writes" "MDC WRITES" 1 |of| of.cache.rate(of.cache.writes);
    "hits" "HITS" 1 |of| of.cache.rate(of.cache.hits);
    "hit_percent" "HIT%" 1 |of| percent(of.cache.hits, of.cache.reads);
    "inserts" "INSERTS" 1 |of| of.cache.rate(of.cache.inserts);
    "refused" "FAIR SHARE" 1 |of| of.cache.rate(of.cache.refused);
    "megabytes" "MB" 1 |of| of.cache.rate(of.cache.bytes / f64::from(1 << 20));
}

columns! { states_of,
    "looks" "LOOKS" 0 |of| (of.states.seconds > 0.0).then_some(of.states.looks);
    "running" "RUNNING" 2 |of| ratio(of.states.running, of.states.looks);
    "cpu_wait" "CPU WAIT" 2 |of| ratio(of.states.cpu_wait, of.states.looks);
    "page_wait" "PAGE WAIT" 2 |of| ratio(of.states.page_wait, of.states.looks);
    "eligible_or_limited" "E- AND L-LIST" 2 |of| ratio(of.states.eligible, of.states.looks);
    "test_idle" "TEST IDLE" 2 |of| ratio(of.states.test_idle, of.states.looks);
}

/// Seconds that processors were busy.
fn busy(of: &Interval) -> f64 {
    of.processors.users + of.processors.system
}

type Chosen<'a> = [(usize, &'a Interval)];

fn table<'a>(name: Name, title: &'static str, columns: &[Column<Line<'a>>], lines: &[Line<'a>]) -> Table {
    Table::new(name.name(), title, columns, lines)
}

fn lines<'a>(chosen: &Chosen<'a>, all: &'a Interval, zone: &Zone) -> Vec<Line<'a>> {
    let time = |interval: &Interval| Date::at(interval.to, zone).time();
    let each = chosen.iter().map(|(number, of)| Line { number: Some(*number), time: time(of), of });
    each.chain([Line { number: None, time: time(all), of: all }]).collect()
}

/// SYSTEM.
pub(super) fn system(chosen: &Chosen<'_>, all: &Interval, zone: &Zone) -> Vec<Table> {
    let lines = lines(chosen, all, zone);
    vec![
        table(Name::System, "processors, in percent of one", &processors(), &lines),
        table(Name::System, "users, transactions and queues", &work(), &lines),
    ]
}

/// PAGING.
pub(super) fn paging(chosen: &Chosen<'_>, all: &Interval, zone: &Zone) -> Vec<Table> {
    let lines = lines(chosen, all, zone);
    vec![
        table(Name::Paging, "storage in pages, and spool", &storage(), &lines),
        table(Name::Paging, "the minidisk cache, a second", &cache(), &lines),
    ]
}

/// STATES of the system.
pub(super) fn states(chosen: &Chosen<'_>, all: &Interval, zone: &Zone) -> Table {
    table(Name::States, "virtual CPUs in each state, mean of all looks", &states_of(), &lines(chosen, all, zone))
}
