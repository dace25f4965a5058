//! QUERY PATHS, CHPIDS, TIMEZONES and CPLOAD: what the system consists of.

use super::super::{Issuer, Response};
use crate::system::Cp;
use message::Message;
use message::calendar::Date;
use message::words::Words;
use std::collections::BTreeMap;

/// The channel path identifications of a real device with so many paths: those that its user sees.
fn paths(rdev: u16, channels: u8) -> Vec<u8> {
    let mask = (0xff00_u16 >> channels.min(8)) as u8;
    css::channel_paths(rdev, mask).into_iter().take(channels.min(8).into()).collect()
}

/// Each real device: its number, its paths, and whether it is varied on.
fn devices(cp: &Cp) -> BTreeMap<u16, (Vec<u8>, bool)> {
    use minidisk::real::State;
    let disks = cp.disks.reals().into_iter();
    let disks = disks.map(|real| (real.number, (paths(real.number, real.channels), real.state != State::Offline)));
    let tapes = cp.tapes.reals().into_iter().map(|real| (real.number, (paths(real.number, 1), !real.offline)));
    disks.chain(tapes).collect()
}

/// `Query PATHs [TO] rdev[-rdev] ...`
///
/// Shows the channel paths to real disks and tape drives: those that are installed, and which of them are available and
/// online. Those of a device that is varied off are not online.
pub fn device_paths(cp: &Cp, _: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    words.accept("TO");
    let devices = devices(cp);
    let mut response = Response::none();
    let mut word = Some(words.need()?);
    while let Some(named) = word {
        let (first, last) = virtualmachine::examine::range(named.0, 0xffff, 16).map_err(|_| named.invalid())?;
        let range = first..=last.unwrap_or(first);
        let before = response.lines.len();
        for (rdev, (paths, online)) in devices.iter().filter(|(rdev, _)| range.contains(&u64::from(**rdev))) {
            let all = |text: &dyn Fn(&u8) -> String| paths.iter().map(text).collect::<Vec<_>>().join(" ");
            let mark = |on: bool| all(&|_| format!("{:<2}", if on { '+' } else { '-' }));
            response.push(format!("Device {rdev:04X}, Status {}", if *online { "ONLINE" } else { "OFFLINE" }));
            response.push(format!(" CHPIDs to Device {rdev:04X} (PIM)  : {}", all(&|path| format!("{path:02X}"))));
            response.push(format!("  Physically Available (PAM)  : {}", mark(true)).trim_end());
            response.push(format!("  Online               (LPM)  : {}", mark(*online)).trim_end());
        }
        if response.lines.len() == before {
            let last = last.map_or(String::new(), |last| format!("-{last:04X}"));
            return Err(message::no_real_device(format!("{first:04X}{last}")).from("QPA"));
        }
        word = words.next();
    }
    response.push("          Legend         + Yes - No");
    Ok(response)
}

/// `Query CHPIDS | Query CHPID nn`
///
/// Shows which channel paths there are, or which real devices have paths by one of them. A path is online as long as
/// the system is up.
pub fn channel_paths(cp: &Cp, _: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let devices = devices(cp);
    let Some(word) = words.next() else {
        let there: Vec<bool> =
            (0..=u8::MAX).map(|path| devices.values().any(|(paths, _)| paths.contains(&path))).collect();
        let columns: Vec<String> = (0..16).map(|n| format!("{n:X}")).collect();
        let mut lines = vec![format!("       {}", columns.join(" "))];
        for (n, row) in there.chunks(16).enumerate().filter(|(_, row)| row.contains(&true)) {
            let marks: Vec<&str> = row.iter().map(|there| if *there { "+" } else { "." }).collect();
            lines.push(format!(" {n:X}x    {}", marks.join(" ")));
        }
        lines.push("Legend  + Online  . Not configured".into());
        return Ok(lines.into());
    };
    let path = word.hexadecimal().filter(|_| word.0.len() <= 2).ok_or_else(|| word.invalid())? as u8;
    words.end()?;
    let on: Vec<String> =
        devices.iter().filter(|(_, (paths, _))| paths.contains(&path)).map(|(rdev, _)| format!("{rdev:04X}")).collect();
    if on.is_empty() {
        return Ok(format!("Path {path:02X} not configured").into());
    }
    let mut lines = vec![format!("Path {path:02X} online to devices {}", on[..on.len().min(8)].join(" "))];
    lines.extend(on.chunks(8).skip(1).map(|eight| format!("{:26}{}", "", eight.join(" "))));
    Ok(lines.into())
}

/// `Query TIMEZONEs`
///
/// Shows the time zones: UTC, GMT, and the one of SYSTEM CONFIG, which is active.
pub fn time_zones(cp: &Cp, _: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    let own = &cp.config.zone;
    let line = |name: &str, offset: i32| {
        let direction = match offset {
            0 => "----",
            offset if offset < 0 => "West",
            _ => "East",
        };
        let seconds = offset.unsigned_abs();
        let status = if *name == own.name { "Active" } else { "Inactive" };
        let offset = format!("{:02}.{:02}.{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
        format!("{name:<4} {direction:<9} {offset} {status}")
    };
    let mut lines = vec!["Zone Direction Offset   Status".to_string()];
    lines.extend(["UTC", "GMT"].into_iter().filter(|name| *name != own.name).map(|name| line(name, 0)));
    lines.push(line(&own.name, own.offset));
    Ok(lines.into())
}

/// `Query CPLOAD`
///
/// Shows which CP runs and how it was started. CP is the program endicott of the host, which no volume has.
pub fn cp_load(cp: &Cp, _: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    let ipl = Date::at(cp.started, &cp.config.zone);
    Ok(vec![
        format!("Module ENDICOTT {} was loaded from the host", env!("CARGO_PKG_VERSION")),
        format!("Last start was a system IPL at {} {} {}", ipl.short(), ipl.time(), cp.config.zone.name),
    ]
    .into())
}
