//! QUERY ALLOC and CPOWNED: what the volumes that CP owns are for, and how much of that is in use.

use super::super::{Issuer, Response, drain};
use crate::system::Cp;
use dasd::Kind;
use dasd::allocation::{Area, BLOCKS_OF_PAGE, Purpose};
use message::Message;
use message::words::Words;
use minidisk::map;
use minidisk::real::{Real, State, device_type, size};

/// What can be asked for: the operand, what the line says, and what it is.
const KINDS: [(&str, &str, Purpose); 4] = [
    ("TDisk", "TDISK", Purpose::Temporary),
    ("PAGE", "PAGE", Purpose::Page),
    ("SPool", "SPOOL", Purpose::Spool),
    ("DRct", "DRCT", Purpose::Directory),
];

/// How much there is of something, and how much of that is in use.
#[derive(Clone, Copy, Default)]
struct Amount {
    total: u64,
    used: u64,
}

impl Amount {
    fn line(self, name: &str) -> String {
        let Amount { total, used } = self;
        format!("     {name:<5} TOTAL={total:06} INUSE={used:06} AVAIL={:06}", total.saturating_sub(used))
    }
}

/// `Query ALLOC [PAGE|SPool|TDisk|DRct|ALL|MAP]`
///
/// Shows what CP has its volumes for: page space, spool space, temporary disks, the directory. It shows how much there
/// is of each, and how much is in use, in cylinders, or in pages of fixed-block volumes. A cylinder is in use if
/// anything on it is. Page files of the host, temporary space in its storage and what its spool folder has are shown,
/// too. MAP shows each area: page space and spool space in pages, all else in cylinders or pages. HIGH is how much of
/// it was in use at all since the system came up.
///
/// Spool files lie in the spool folder of the system. Spool space of volumes takes the pages that page space has no
/// room for. The directory is USER DIRECT, so that nothing of DRCT is in use. DRAINED says that nothing more comes
/// there, as DRAIN wants it.
pub fn alloc(cp: &Cp, _: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let word = words.next();
    words.end()?;
    if word.is_some_and(|word| word.is("MAP")) {
        return Ok(show_map(cp).into());
    }
    let wanted: Vec<_> = match word.filter(|word| !word.is("ALL")) {
        None => KINDS.iter().collect(),
        Some(word) => {
            let found = KINDS.iter().find(|kind| word.is(kind.0));
            vec![found.ok_or_else(|| word.invalid())?]
        }
    };
    let mut response = Response::none();
    for real in cp.disks.reals().iter().filter(|real| real.has_minidisks()) {
        let lines: Vec<String> = wanted
            .iter()
            .map(|kind| (kind, amount(cp, real, kind.2)))
            .filter(|(_, amount)| amount.total > 0)
            .map(|(kind, amount)| amount.line(kind.1) + note(cp, real, kind.2))
            .collect();
        if !lines.is_empty() {
            response.push(header(real));
            response.lines.extend(lines);
        }
    }
    for &&(_, name, purpose) in &wanted {
        of_the_host(cp, name, purpose, &mut response);
    }
    if response.lines.is_empty() {
        response.push(Amount::default().line(wanted[0].1));
    }
    Ok(response)
}

/// What a line ends in if DRAIN has been said for such areas of a volume.
fn note(cp: &Cp, real: &Real, purpose: Purpose) -> &'static str {
    if drain::is_drained(cp, real, purpose) { " DRAINED" } else { "" }
}

fn header(real: &Real) -> String {
    let kind = real.volume.kind();
    let (format, unit) = match kind {
        Kind::Ckd { .. } => ("CKD-ECKD", "CYLINDERS)"),
        Kind::Fba { .. } => ("FBA", "PAGES    )"),
    };
    format!("DASD {:04X} {:<6} {} {format:<8} (UNITS IN {unit}", real.number, real.serial, device_type(&kind))
}

/// Blocks or cylinders as units of an allocation: cylinders, or pages.
fn in_units(kind: &Kind, count: u64) -> u64 {
    match kind {
        Kind::Ckd { .. } => count,
        Kind::Fba { .. } => count.div_ceil(BLOCKS_OF_PAGE),
    }
}

/// How much of a volume is for something.
fn amount(cp: &Cp, real: &Real, purpose: Purpose) -> Amount {
    let kind = real.volume.kind();
    match purpose {
        Purpose::Temporary => {
            let total: u64 = cp.disks.temporary_space(real.number).map(|(_, count)| u64::from(count)).sum();
            let used = cp.disks.temporary_units(Some(real.number));
            Amount { total: in_units(&kind, total), used: in_units(&kind, used) }
        }
        Purpose::Page | Purpose::Spool => {
            let spaces = cp.owned.on(real.number).filter(|space| space.spool == (purpose == Purpose::Spool));
            spaces.flat_map(|space| space.usage(cp.paging.as_ref())).fold(Amount::default(), |sum, (area, found)| {
                Amount { total: sum.total + u64::from(area.units()), used: sum.used + u64::from(found.units) }
            })
        }
        Purpose::Directory | Purpose::Permanent => {
            let areas = real.areas.iter().filter(|area| area.purpose == purpose);
            Amount { total: areas.map(|area| u64::from(area.units())).sum(), used: 0 }
        }
    }
}

/// What the host has of something.
fn of_the_host(cp: &Cp, name: &str, purpose: Purpose, response: &mut Response) {
    match purpose {
        Purpose::Temporary => {
            let total = cp.disks.policy().temporary_storage;
            if total > 0 {
                response.push("STORAGE OF THE HOST (UNITS IN MEGABYTES)");
                response.push(format!("     TDISK TOTAL={total:06}"));
            }
        }
        Purpose::Page => {
            for (file, found) in cp.owned.files(cp.paging.as_ref()) {
                response.push(format!("FILE {file} (UNITS IN PAGES)"));
                response.push(Amount { total: found.slots.into(), used: found.used.into() }.line(name));
            }
        }
        Purpose::Spool => {
            let blocks = |spool: &spool::Spool| spool.all_files().map(|file| u64::from(file.blocks)).sum::<u64>();
            let used = spool::ask(&cp.spool, blocks);
            if used > 0 {
                response.push("SPOOL FOLDER OF THE HOST (UNITS IN PAGES)");
                response.push(format!("     {name:<5} INUSE={used:06}"));
            }
        }
        Purpose::Directory | Purpose::Permanent => (),
    }
}

/// One line for each area of the volumes with an allocation map.
fn show_map(cp: &Cp) -> Vec<String> {
    let mut lines = vec![
        "                EXTENT     EXTENT".to_string(),
        "VOLID  RDEV      START        END  TOTAL IN USE   HIGH USED TYPE".to_string(),
        "------ ---- ---------- ---------- ------ ------ ------ ---- ----".to_string(),
    ];
    let users = cp.users();
    for real in cp.disks.reals().iter().filter(|real| real.state == State::Owned) {
        let kind = real.volume.kind();
        let rows = map::rows(&users, &real.serial, size(&kind).0);
        let pages: Vec<_> = cp.owned.on(real.number).flat_map(|space| space.usage(cp.paging.as_ref())).collect();
        let temporary: Vec<_> = cp.disks.temporary_taken(real.number);
        for area in &real.map {
            let taken = |places: &mut dyn Iterator<Item = (u64, u64)>| taken(&kind, area, places);
            let (total, used, high) = match area.purpose {
                Purpose::Page | Purpose::Spool => match pages.iter().find(|(other, _)| other == area) {
                    Some((_, found)) => (found.slots.into(), found.used.into(), u64::from(found.high)),
                    // It is not used: the operator was told why.
                    None => (0, 0, 0),
                },
                Purpose::Temporary => {
                    let mut places =
                        temporary.iter().map(|&(start, count)| (start.into(), u64::from(start + count) - 1));
                    let (used, high) = taken(&mut places);
                    (area.units().into(), used, high)
                }
                Purpose::Permanent => {
                    let whole = |row: &&map::Row| row.start > 0;
                    let minidisks = rows.iter().filter(|row| row.owner.is_some()).filter(whole);
                    let (used, high) = taken(&mut minidisks.map(|row| (row.start, row.end)));
                    (area.units().into(), used, high)
                }
                Purpose::Directory => (u64::from(area.units()), 0, 0),
            };
            let percent = (used * 100).checked_div(total).unwrap_or(0);
            lines.push(format!(
                "{:<6} {:04X} {:>10} {:>10} {total:>6} {used:>6} {high:>6} {percent:>3}% {}{}",
                real.serial,
                real.number,
                area.first,
                area.last,
                area.purpose.name(),
                note(cp, real, area.purpose)
            ));
        }
    }
    lines
}

/// How many units of an area these places, in the volume's own units, take; and up to which, counted from its first.
fn taken(kind: &Kind, area: &Area, places: &mut dyn Iterator<Item = (u64, u64)>) -> (u64, u64) {
    let (first, last) = map::in_units(*kind, area);
    let mut inside: Vec<(u64, u64)> = places
        .filter(|&(from, to)| from <= last && first <= to)
        .map(|(from, to)| (from.max(first), to.min(last)))
        .collect();
    inside.sort_unstable();
    let (mut used, mut next) = (0, first);
    for (from, to) in inside {
        used += (to + 1).saturating_sub(from.max(next));
        next = next.max(to + 1);
    }
    (in_units(kind, used), in_units(kind, next - first))
}

/// `Query CPOWNed`
///
/// Shows the volumes that the system configuration gives to CP, slot by slot.
pub fn cp_owned(cp: &Cp, _: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    let reals = cp.disks.reals();
    let mut lines = vec!["SLOT  VOL-ID  RDEV  TYPE   STATUS".to_string()];
    for (n, serial) in cp.disks.policy().owned.iter().enumerate().filter(|(_, serial)| !serial.is_empty()) {
        let real = reals.iter().find(|real| real.state == State::Owned && real.serial == *serial);
        let place = real.map_or("----".into(), |real| format!("{:04X}", real.number));
        let status = if real.is_some() { "ONLINE AND ATTACHED" } else { "NOT MOUNTED" };
        lines.push(format!("{:>4}  {serial:<6}  {place}  OWN    {status}", n + 1));
    }
    Ok(lines.into())
}
