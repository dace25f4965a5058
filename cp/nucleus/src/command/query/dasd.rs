//! QUERY DASD, LINKS, MDISK: real disks, minidisks, and the users who have them.

use super::super::{Issuer, Response};
use crate::system::Cp;
use directory::{DasdControl, DeviceKind, Extent};
use message::Message;
use message::words::{Word, Words};
use minidisk::real::{Real, State, device_type, size};
use minidisk::{Link, Place, map};

/// Which real disks an operand of QUERY DASD means.
struct Choice {
    word: &'static str,
    /// What is said if there are none.
    none: &'static str,
    wanted: fn(&Real) -> bool,
    /// A line for each, with who has it; otherwise four on a line.
    lines: bool,
}

const CHOICES: [Choice; 5] = [
    Choice {
        word: "ACTIVE",
        none: "An active",
        wanted: |real| !matches!(real.state, State::Free | State::Offline),
        lines: true,
    },
    Choice { word: "SYStem", none: "A system", wanted: Real::has_minidisks, lines: true },
    Choice {
        word: "ATTAched",
        none: "An attached",
        wanted: |real| matches!(real.state, State::Attached { .. }),
        lines: true,
    },
    Choice { word: "FREE", none: "A free", wanted: |real| real.state == State::Free, lines: false },
    Choice { word: "OFFLINE", none: "An offline", wanted: |real| real.state == State::Offline, lines: false },
];

/// What ALL means: every disk once.
const ALL: [&str; 3] = ["ACTIVE", "FREE", "OFFLINE"];

/// `Query DASD [ALL|ACTIVE|SYStem|ATTAched|FREE|OFFLINE|DETAILS rdev[-rdev]|rdev[-rdev]|volid]`
///
/// Shows the real disks: CP's own and the system's with the number of links to them, those that a user has, and those
/// that are free or offline. DETAILS tells, besides, the type and model of its control unit and the channel paths to
/// it, the host's file, how soon it survives the end of the host what is written (THROUGH, SAFE, LAZY), and how many
/// snapshots there are.
pub fn dasd(cp: &Cp, _: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let reals = cp.disks.reals();
    let what = words.next().unwrap_or(Word("ALL"));
    let mut response = Response::none();
    let all = what.is("ALL");
    let chosen = CHOICES.iter().filter(|choice| if all { ALL.contains(&choice.word) } else { what.is(choice.word) });
    let chosen: Vec<&Choice> = chosen.collect();
    if !chosen.is_empty() {
        words.end()?;
        chosen.into_iter().for_each(|choice| list(cp, &reals, choice, &mut response));
        return Ok(response);
    }
    let details = what.is("DETails");
    let which = if details { words.need()? } else { what };
    words.end()?;
    let found: Vec<&Real> = named(&reals, which, !details).collect();
    if found.is_empty() {
        return Err(message::no_real_device(which.upper()));
    }
    for real in found {
        if details {
            response.lines.extend(self::details(cp, real));
        } else {
            response.push(active_line(cp, real));
        }
    }
    Ok(response)
}

fn list(cp: &Cp, reals: &[Real], choice: &Choice, response: &mut Response) {
    let chosen: Vec<_> = reals.iter().filter(|real| (choice.wanted)(real)).collect();
    if chosen.is_empty() {
        response.push(format!("{} DASD was not found.", choice.none));
    } else if choice.lines {
        chosen.iter().for_each(|real| response.push(active_line(cp, real)));
    } else {
        let shown = |real: &&Real| match real.state {
            State::Offline => format!("DASD {:04X} OFFLINE", real.number),
            _ => format!("DASD {:04X} {:<6}", real.number, real.serial),
        };
        for four in chosen.chunks(4) {
            response.push(four.iter().map(shown).collect::<Vec<_>>().join(" , "));
        }
    }
}

/// The real disks of a device number or a range of them, or, if it may be one, of a volume serial.
fn named<'a>(reals: &'a [Real], which: Word<'_>, serial: bool) -> impl Iterator<Item = &'a Real> {
    let range = virtualmachine::examine::range(which.0, 0xffff, 16).ok();
    let range = range.map(|(first, last)| first..=last.unwrap_or(first));
    let name = which.upper();
    reals.iter().filter(move |real| {
        serial && real.serial == name || range.as_ref().is_some_and(|range| range.contains(&real.number.into()))
    })
}

fn active_line(cp: &Cp, real: &Real) -> String {
    let (number, serial) = (real.number, &real.serial);
    match &real.state {
        State::Owned => format!("DASD {number:04X} CP OWNED  {serial:<6} {:>3}", cp.disks.users_of(number)),
        State::System => format!("DASD {number:04X} CP SYSTEM {serial:<6} {:>3}", cp.disks.users_of(number)),
        State::Attached { userid, vdev, read_only } => {
            let mode = if *read_only { "R/O" } else { "R/W" };
            format!("DASD {number:04X} ATTACHED TO {userid:<8} {vdev:04X} {mode} {serial:<6}").trim_end().into()
        }
        State::Free => format!("DASD {number:04X} {serial:<6}").trim_end().into(),
        State::Offline => format!("DASD {number:04X} OFFLINE"),
    }
}

fn details(cp: &Cp, real: &Real) -> Vec<String> {
    let kind = real.volume.kind();
    let (units, unit) = size(&kind);
    let access = if real.volume.read_only() { "R/O" } else { "R/W" };
    let snapshots = real.volume.snapshots();
    let snapshots = (snapshots > 0).then(|| format!("     {:04X} SNAPSHOTS = {snapshots}", real.number));
    let writes = real.volume.policy().map(|policy| format!("     {:04X} WRITES = {}", real.number, policy.name()));
    let lines = vec![
        active_line(cp, real),
        format!("     {:04X} DEVTYPE = {} SIZE = {units} {unit} ACCESS = {access}", real.number, device_type(&kind)),
        format!("     {:04X} CUTYPE = {} PATHS = {}", real.number, real.control_unit.name(), real.channels),
        format!("     {:04X} FILE = {}", real.number, real.file),
        format!("     {:04X} MDC = {}", real.number, super::minidisk_cache::device_mode(real)),
    ];
    lines.into_iter().chain(writes).chain(snapshots).collect()
}

/// `Query LInks vdev`
///
/// Shows all users who have a link to what your virtual device vdev is, with their device numbers and how they may use
/// it.
pub fn links(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let vdev = words.need_device()?;
    words.end()?;
    let link = cp.disks.link(issuer.userid(), vdev);
    let link = link.ok_or_else(|| message::device_absent(format!("{vdev:04X}")).from("LNK"))?;
    let links = cp.disks.links_to(&link.disk.place);
    let shown = |link: &std::sync::Arc<Link>| format!("{:<8} {:04X} {}", link.userid, link.vdev(), link.access());
    let lines = links.chunks(4).map(|four| four.iter().map(shown).collect::<Vec<_>>().join(", "));
    Ok(lines.collect::<Vec<_>>().into())
}

/// `Query MDisk [USER userid] vdev [LOCation] | MAP volid`
///
/// Shows where a minidisk of your directory entry lies: the volume, the first cylinder or block, and how many there
/// are. With class B, USER shows another user's, and MAP everything that the directory has on a volume, with the gaps,
/// what overlaps and what lies outside.
pub fn minidisk(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let privileged = issuer.has("B");
    if words.accept("MAP") {
        if !privileged {
            return Err(message::not_authorised());
        }
        let volume = words.need()?.upper();
        words.end()?;
        return show_map(cp, &volume);
    }
    let mut userid = issuer.userid().to_string();
    if words.accept("USER") {
        userid = words.need_userid()?;
        if userid != issuer.userid() && !privileged {
            return Err(message::not_authorised());
        }
    }
    let vdev = words.need_device()?;
    words.accept("LOCation");
    words.end()?;
    let user = cp.user(&userid).ok_or_else(|| message::not_in_directory(&userid).from("QMD"))?;
    let absent = || message::device_absent(format!("{vdev:04X}")).from("QMD");
    let (owner, number, mdisk) = match &user.device(vdev).ok_or_else(absent)?.kind {
        DeviceKind::Mdisk(mdisk) => (userid.clone(), vdev, mdisk.clone()),
        DeviceKind::Link { userid: to, vdev: theirs, .. } => {
            let to = if to == "*" { &userid } else { to };
            let owner = cp.user(to).ok_or_else(absent)?;
            match &owner.device(*theirs).ok_or_else(absent)?.kind {
                DeviceKind::Mdisk(mdisk) => (to.clone(), *theirs, mdisk.clone()),
                _ => return Err(absent()),
            }
        }
        _ => return Err(absent()),
    };
    let rdev = |serial: &str| {
        let real = cp.disks.reals().into_iter().find(|real| real.has_minidisks() && real.serial == serial);
        real.map_or("----".into(), |real| format!("{:04X}", real.number))
    };
    let end = |count: &Option<u32>| count.map_or("END".into(), |count| count.to_string());
    let (volume, rdev, start, count) = match &mdisk.extent {
        Extent::Volume { volume, start, count } => (volume.clone(), rdev(volume), start.to_string(), end(count)),
        Extent::Device(rdev) => ("DEVNO".into(), format!("{rdev:04X}"), "0".into(), "END".into()),
        Extent::Temporary(count) => ("(TEMP)".into(), "----".into(), "----".into(), count.to_string()),
        Extent::Virtual(count) => ("(VDSK)".into(), "----".into(), "----".into(), count.to_string()),
    };
    Ok(vec![
        "TargetID Tdev OwnerID  Odev Dtype  Vol-ID Rdev   StartLoc       Size".to_string(),
        format!(
            "{userid:<8} {vdev:04X} {owner:<8} {number:04X} {:<6} {volume:<6} {rdev:<4} {start:>10} {count:>10}",
            mdisk.device
        ),
    ]
    .into())
}

fn show_map(cp: &Cp, volume: &str) -> Result<Response, Message> {
    let real = cp.disks.reals().into_iter().find(|real| real.serial == volume);
    let real = real.ok_or_else(|| message::no_real_device(volume))?;
    let kind = real.volume.kind();
    let (units, unit) = size(&kind);
    let mut lines = vec![
        format!("VOLUME {volume} ON DASD {:04X}, {} OF {units} {unit}", real.number, device_type(&kind)),
        "OWNER    VDEV      START        END       SIZE".to_string(),
    ];
    for row in map::rows(&cp.users(), volume, units) {
        let owner = row.owner.map_or(format!("{:13}", ""), |(userid, vdev)| format!("{userid:<8} {vdev:04X}"));
        let note = match (owner.trim().is_empty(), row.outside, row.overlaps) {
            (true, ..) => " GAP",
            (_, true, _) => " OUTSIDE",
            (_, _, true) => " OVERLAP",
            _ => "",
        };
        lines.push(format!("{owner} {:>10} {:>10} {:>10}{note}", row.start, row.end, row.end + 1 - row.start));
    }
    Ok(lines.into())
}

/// The line of QUERY VIRTUAL for a disk, and with `details` the lines after it.
pub(super) fn virtual_lines(issuer: &Issuer, link: &Link, details: bool) -> Vec<String> {
    let vdev = link.vdev();
    let machine = issuer.vmdbk.machine();
    let (subchannel, assisted) = {
        let css = machine.configuration.css();
        (css.find(vdev), css.allows_fast_path(vdev))
    };
    let subchannel = subchannel.map_or("NONE".into(), |id| format!("{:04X}", id.number()));
    let kind = link.disk.kind();
    let (units, unit) = size(&kind);
    let (name, on) = match link.disk.place {
        Place::Virtual { .. } => ("(VDSK)", "VDSK".to_string()),
        Place::Temporary { .. } => ("(TEMP)", link.disk.rdev().map_or("STOR".into(), |rdev| format!("{rdev:04X}"))),
        _ => (link.disk.volume.as_str(), link.disk.rdev().map_or("----".into(), |rdev| format!("{rdev:04X}"))),
    };
    let (kind, access) = (device_type(&kind), link.access());
    let first = format!(
        "DASD {vdev:04X} {kind:<4} {name:<6} {access} {units:>10} {unit} ON DASD  {on} SUBCHANNEL = {subchannel}"
    );
    if !details {
        return vec![first];
    }
    let cached = match link.is_cached() {
        None => "NOT ELIGIBLE",
        Some(true) => "ACTIVE",
        Some(false) => "OFF",
    };
    let control = match link.dasd.control {
        DasdControl::None => "NODEVCTL",
        DasdControl::Device => "DEVCTL",
        DasdControl::Subsystem => "SYSCTL",
    };
    let mode = directory::Access::ALL.iter().find(|row| row.1 == link.mode.access).map_or("", |row| row.0);
    let reserve = if link.mode.reserve { "V" } else { "" };
    let what = match link.disk.place {
        Place::Whole { .. } => "WHOLE DEVICE".to_string(),
        Place::Real { start, .. } => format!("START = {start}"),
        Place::Temporary { on: Some((_, start)), .. } => format!("START = {start}"),
        _ => "IN STORAGE".to_string(),
    };
    vec![
        first,
        format!("     {vdev:04X} OWNER = {} {:04X} MODE = {mode}{reserve} {what}", link.disk.owner, link.disk.vdev),
        format!(
            "     {vdev:04X} MDC {cached}, {control}, IOASSIST {}, {}",
            if assisted { "ON" } else { "OFF" },
            match link.disk.reserved() {
                true => "RESERVED",
                false => "NOT RESERVED",
            }
        ),
    ]
}
