//! The map of a volume: what the directory has on it, what nothing has, and what two have.

use crate::policy::Policy;
use dasd::Kind;
use dasd::allocation::{Area, BLOCKS_OF_PAGE};
use directory::{DeviceKind, Extent, User};
use std::sync::Arc;

/// A row of a map, in the order of the volume.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The owner and device number; `None` for a gap.
    pub owner: Option<(String, u16)>,
    /// The first unit.
    pub start: u64,
    /// The last unit.
    pub end: u64,
    /// It begins before another has ended.
    pub overlaps: bool,
    /// It ends beyond the volume.
    pub outside: bool,
}

/// The rows of the volume `serial`, which has `units` cylinders or blocks, from all entries of the directory. Full
/// packs (0 END) are listed and make no overlaps.
pub fn rows(users: &[Arc<User>], serial: &str, units: u64) -> Vec<Row> {
    let mut rows = Vec::new();
    for user in users {
        for device in &user.devices {
            let DeviceKind::Mdisk(mdisk) = &device.kind else { continue };
            let Extent::Volume { volume, start, count } = &mdisk.extent else { continue };
            if volume == serial {
                let start = u64::from(*start);
                let end = count.map_or(units, |count| start + u64::from(count)).max(start + 1) - 1;
                rows.push((start, end, user.userid.clone(), device.vdev));
            }
        }
    }
    lay_out(rows, units)
}

/// The first and the last unit of an area as MDISK statements have them: cylinders, or blocks.
pub fn in_units(kind: Kind, area: &Area) -> (u64, u64) {
    let per = match kind {
        Kind::Ckd { .. } => 1,
        Kind::Fba { .. } => BLOCKS_OF_PAGE,
    };
    (u64::from(area.first) * per, (u64::from(area.last) + 1) * per - 1)
}

/// The minidisks of the directory that lie where an area of the volume `serial` is. Those that begin with the volume
/// are left out: they are full packs, for those who look after all of it.
pub fn on_area<'a>(
    users: impl IntoIterator<Item = &'a User>,
    serial: &str,
    kind: Kind,
    area: &Area,
) -> Vec<(String, u16)> {
    let (from, to) = in_units(kind, area);
    let mut found = Vec::new();
    for user in users {
        for device in &user.devices {
            let DeviceKind::Mdisk(mdisk) = &device.kind else { continue };
            let Extent::Volume { volume, start, count } = &mdisk.extent else { continue };
            let start = u64::from(*start);
            let end = count.map_or(u64::MAX, |count| start + u64::from(count.max(1)) - 1);
            if volume == serial && start > 0 && start <= to && from <= end {
                found.push((user.userid.clone(), device.vdev));
            }
        }
    }
    found
}

/// What lies where an area of the volume `serial` is: a minidisk of the directory, or what a TDISK statement has.
pub fn in_the_way<'a>(
    kind: Kind,
    serial: &str,
    users: impl Iterator<Item = &'a User>,
    policy: &Policy,
    area: &Area,
) -> Option<String> {
    if let Some((owner, vdev)) = on_area(users, serial, kind, area).first() {
        return Some(format!("minidisk {owner} {vdev:04X}"));
    }
    let (first, last) = in_units(kind, area);
    let temporary = policy.temporary.iter().find(|(on, start, count)| {
        let start = u64::from(*start);
        on == serial && start <= last && first < start + u64::from(*count)
    });
    temporary.map(|(_, start, count)| format!("TDISK {serial} {start} {count} of SYSTEM CONFIG"))
}

fn lay_out(mut rows: Vec<(u64, u64, String, u16)>, units: u64) -> Vec<Row> {
    // A full pack comes before what lies on it.
    rows.sort_by(|a, b| (a.0, std::cmp::Reverse(a.1), &a.2, a.3).cmp(&(b.0, std::cmp::Reverse(b.1), &b.2, b.3)));
    let mut map = Vec::new();
    let mut next = 0;
    for (start, end, userid, vdev) in rows {
        let whole = start == 0 && end + 1 >= units;
        if !whole && start > next {
            map.push(Row { owner: None, start: next, end: start - 1, overlaps: false, outside: false });
        }
        let overlaps = !whole && start < next;
        map.push(Row { owner: Some((userid, vdev)), start, end, overlaps, outside: end >= units });
        if !whole {
            next = next.max(end + 1);
        }
    }
    if next < units {
        map.push(Row { owner: None, start: next, end: units - 1, overlaps: false, outside: false });
    }
    map
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_and_overlaps_are_shown() {
        let row = |start, end, user: &str, vdev| (start, end, user.to_string(), vdev);
        let rows =
            vec![row(30, 39, "B", 0x192), row(0, 99, "M", 0x123), row(10, 34, "A", 0x191), row(95, 101, "C", 0x191)];
        let found: Vec<_> = lay_out(rows, 100)
            .into_iter()
            .map(|row| (row.owner.map(|o| o.0), row.start, row.end, row.overlaps, row.outside))
            .collect();
        let owner = |name: &str| Some(name.to_string());
        assert_eq!(
            found,
            [
                (owner("M"), 0, 99, false, false),
                (None, 0, 9, false, false),
                (owner("A"), 10, 34, false, false),
                (owner("B"), 30, 39, true, false),
                (None, 40, 94, false, false),
                (owner("C"), 95, 101, false, true),
            ]
        );
    }
}
