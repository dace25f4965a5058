//! QUERY CACHE, NVS, DASDFW: the control units of real disks; QUERY VDISK, IOASSIST and CCWTRAN.

use super::super::set::control_unit::{devices, timed};
use super::super::{Issuer, Response};
use crate::system::Cp;
use devices::dasd::Statistics;
use message::Message;
use message::words::Words;

fn state(on: bool) -> &'static str {
    if on { "activated" } else { "deactivated" }
}

fn there(on: bool) -> &'static str {
    if on { "available" } else { "unavailable" }
}

/// `Query CACHE rdev [rdev-rdev ...]`
///
/// Shows whether the control units of real disks have their caches on, for all and for these devices, and what was
/// counted since the system came up: tracks used by channel programs, how many of those were in the cache (hits) or
/// came into it (staged), fast writes and how many of those went on to the disk (destaged) or had to wait for room
/// (delayed), and uses that asked for the cache not to be used (bypassed) or loaded (inhibited). Reads that the
/// minidisk cache serves do not come so far.
pub fn cache(cp: &Cp, _: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    let mut lines = Vec::new();
    for (real, cache) in devices(cp, words)? {
        let number = real.number;
        let (subsystem, _, device, _) = cache.status(number as u8);
        let Statistics { reads, read_hits, writes, fast_write_hits, .. } = cache.statistics(number as u8);
        let s = cache.statistics(number as u8);
        let (all, hits) = (reads + s.sequential_reads, read_hits + s.sequential_read_hits);
        lines.push(format!("{number:04X} CACHE {} for subsystem", there(subsystem)));
        lines.push(format!("{number:04X} CACHE {} for device", state(device)));
        let ratio = (hits * 100).checked_div(all).unwrap_or(0);
        lines.push(format!(
            "{number:04X} READS={all} HITS={hits} HIT RATIO={ratio}% STAGED={} BYPASSED={} INHIBITED={}",
            s.staged, s.bypassed, s.inhibited
        ));
        lines.push(format!(
            "{number:04X} WRITES={} FAST HITS={} DESTAGED={} DELAYED={}",
            writes + s.sequential_writes,
            fast_write_hits + s.sequential_fast_write_hits,
            s.destaged,
            s.delayed
        ));
    }
    Ok(lines.into())
}

/// `Query NVS rdev [rdev-rdev ...]`
///
/// Shows whether the control units of real disks have their non-volatile storage on.
pub fn non_volatile_storage(cp: &Cp, _: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    let line = |(real, cache): &(minidisk::real::Real, std::sync::Arc<devices::dasd::Cache>)| {
        format!("{:04X} NVS {} for subsystem", real.number, there(cache.status(real.number as u8).1))
    };
    Ok(devices(cp, words)?.iter().map(line).collect::<Vec<_>>().into())
}

/// `Query DASDFW rdev [rdev-rdev ...]`
///
/// Shows whether DASD fast write is on for real disks.
pub fn fast_write(cp: &Cp, _: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    let line = |(real, cache): &(minidisk::real::Real, std::sync::Arc<devices::dasd::Cache>)| {
        format!("{:04X} DASDFW {} for device", real.number, state(cache.status(real.number as u8).3))
    };
    Ok(devices(cp, words)?.iter().map(line).collect::<Vec<_>>().into())
}

/// `Query TIMING rdev [rdev-rdev ...]`
///
/// Shows whether channel programs for real disks take their time (SET TIMING), and what they took on the average, in
/// milliseconds: waiting for the device (QUEUE) and a path to it (PENDING), seek, rotation (LATENCY) and rotations lost
/// as no path was free (RECONNECT), and on the path (CONNECT).
pub fn timing(cp: &Cp, _: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    let mut lines = Vec::new();
    for (real, timing) in timed(cp, words)? {
        let (programs, s) = timing.total();
        let each = |time: u64| time as f64 / programs.max(1) as f64 / 1e6;
        let (number, on) = (real.number, if timing.is_on() { "ON" } else { "OFF" });
        lines.push(format!("{number:04X} TIMING {on} PROGRAMS={programs} RESPONSE={:.1}", each(s.response())));
        lines.push(format!(
            "{number:04X} QUEUE={:.1} PENDING={:.1} SEEK={:.1} LATENCY={:.1} RECONNECT={:.1} CONNECT={:.1}",
            each(s.queue),
            each(s.pending),
            each(s.seek),
            each(s.latency),
            each(s.reconnect),
            each(s.connect)
        ));
    }
    Ok(lines.into())
}

/// `Query VDISK [SYSLIM|USERLIM]`
///
/// Shows the limits of virtual disks in storage, and how many blocks of 512 bytes there are of them.
pub fn virtual_disks(cp: &Cp, _: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let (limits, used) = cp.disks.virtual_limits();
    let shown = |limit: Option<u64>| limit.map_or("INFINITE".into(), |blocks| format!("{blocks} BLK"));
    let system = format!("VDISK SYSTEM LIMIT IS {}, {used} BLK IN USE", shown(limits.system));
    let user = format!("VDISK USER LIMIT IS {}", shown(limits.user));
    let what = words.next();
    words.end()?;
    match what {
        None => Ok(vec![system, user].into()),
        Some(word) if word.is("SYSLIM") => Ok(system.into()),
        Some(word) if word.is("USERLIM") => Ok(user.into()),
        Some(word) => Err(word.invalid()),
    }
}

/// `Query IOASSIST [ALL]`
///
/// Shows whether channel programs for your disks take the fast path (SET IOASSIST), and how many did to their end
/// (done), at their beginning only (aborted), or not at all, of those for devices that have one (not eligible). ALL,
/// for class E, shows all users.
pub fn io_assist(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let all = words.accept("ALL");
    words.end()?;
    if all && !issuer.has("E") {
        return Err(message::not_authorised());
    }
    let vmdbks = if all { cp.vmdbks() } else { vec![issuer.vmdbk.clone()] };
    let lines = vmdbks.iter().map(|vmdbk| {
        let on = if vmdbk.lock().settings.assists() { "ON" } else { "OFF" };
        let fast = vmdbk.machine().configuration.css().counts().fast;
        format!(
            "{:<8} IOASSIST {on}, FAST CCW TRANSLATION DONE={} ABORTED={} NOT ELIGIBLE={}",
            vmdbk.userid, fast.done, fast.aborted, fast.not_eligible
        )
    });
    Ok(lines.collect::<Vec<_>>().into())
}

/// `Query CCWTRAN`
///
/// Shows whether your channel programs are translated, which they always are.
pub fn ccw_translation(_: &Cp, _: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    Ok("CCWTRAN ON".into())
}
