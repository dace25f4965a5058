//! QUERY MDCACHE: the minidisk cache.

use super::super::{Issuer, Response};
use crate::system::Cp;
use message::Message;
use message::words::{Word, Words};
use minidisk::cache::{Counters, DeviceMode};
use minidisk::real::Real;
use std::sync::atomic::Ordering::Relaxed;

/// `Query MDCache [ALL|SYSTem|STORage|XSTore|RDEV rdev|MDISK vdev [userid]|INSert [userid|*]|STATistics [userid|ALL]]`
///
/// Shows the minidisk cache: whether it is on, how large it may be and how much of that is used, whether a real device,
/// a minidisk or a user takes part, and what was counted: virtual reads and writes, reads that needed no I/O (HITS),
/// tracks brought in. Without class B it shows your own minidisks and yourself.
pub fn minidisk_cache(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let cache = &cp.disks.cache;
    let privileged = issuer.has("B");
    let what = words.next().unwrap_or(Word("SYSTem"));
    let on = |on: bool| if on { "ON" } else { "OFF" };
    let system = format!("Minidisk cache {} for system", on(cache.is_on()));
    let storage = || {
        let size = cache.size();
        let usage = (cache.bytes() * 100).checked_div(size.maximum).unwrap_or(0);
        let (minimum, maximum) = (size.minimum >> 20, size.maximum >> 20);
        format!("Storage MDC min={minimum}M max={maximum}M, usage={usage}%, bias={:.2}", size.bias)
    };
    let xstore = "Xstore MDC min=0M max=0M, usage=0%, bias=1.00";
    match () {
        () if what.is("ALL") || what.is("SYSTem") => {
            words.end()?;
            Ok(vec![system, storage(), xstore.to_string(), counted("SYSTEM", &cache.counters)].into())
        }
        () if what.is("STORage") => {
            words.end()?;
            Ok(storage().into())
        }
        () if what.is("XSTore") => {
            words.end()?;
            Ok(xstore.into())
        }
        () if what.is("RDEV") && privileged => {
            let rdev = words.need_real_device()?;
            words.end()?;
            let reals = cp.disks.reals();
            let real = reals.iter().find(|real| real.number == rdev);
            let real = real.ok_or_else(|| message::no_real_device(format!("{rdev:04X}")))?;
            let counters = counted(&format!("{rdev:04X}"), &real.cache.counters);
            Ok(vec![format!("{rdev:04X} minidisk cache {}", device_mode(real)), counters].into())
        }
        () if what.is("MDISK") => {
            let vdev = words.need_device()?;
            let link = cp.disks.link(&user(issuer, words, privileged)?, vdev);
            let link = link.ok_or_else(|| message::device_absent(format!("{vdev:04X}")).from("QMC"))?;
            let state = match link.is_cached() {
                None => "ineligible",
                Some(cached) => on(cached),
            };
            let mut lines = vec![format!("{vdev:04X} minidisk cache {state}")];
            if let Some(disk) = &link.disk.cache {
                lines.push(counted(&format!("{vdev:04X}"), &disk.counters));
            }
            Ok(lines.into())
        }
        () if what.is("INSert") => {
            let userid = user(issuer, words, privileged)?;
            let user = cp.disks.user_cache(&userid).ok_or_else(|| message::not_logged_on(&userid).from("QMC"))?;
            let fair = if user.exempt { ", no fair share limit" } else { "" };
            Ok(format!("{userid} minidisk cache insertion {}{fair}", on(user.insert.load(Relaxed))).into())
        }
        () if what.is("STATistics") => {
            if privileged && words.accept("ALL") {
                words.end()?;
                let users = cp.disks.user_caches();
                return Ok(users.iter().map(|user| counted(&user.userid, &user.counters)).collect::<Vec<_>>().into());
            }
            let userid = user(issuer, words, privileged)?;
            let user = cp.disks.user_cache(&userid).ok_or_else(|| message::not_logged_on(&userid).from("QMC"))?;
            Ok(counted(&userid, &user.counters).into())
        }
        () => Err(what.invalid()),
    }
}

fn user(issuer: &Issuer, mut words: Words<'_>, privileged: bool) -> Result<String, Message> {
    let userid = match words.next() {
        Some(word) if word.0 != "*" => word.userid()?,
        _ => issuer.userid().to_string(),
    };
    words.end()?;
    match privileged || userid == issuer.userid() {
        true => Ok(userid),
        false => Err(message::not_authorised()),
    }
}

/// How SET MDCACHE RDEV has set a real device.
pub(super) fn device_mode(real: &Real) -> &'static str {
    match real.cache.mode() {
        DeviceMode::DefaultOn => "DFLTON",
        DeviceMode::DefaultOff => "DFLTOFF",
        DeviceMode::Off => "OFF",
    }
}

fn counted(name: &str, counters: &Counters) -> String {
    let value = |counter: &std::sync::atomic::AtomicU64| counter.load(Relaxed);
    format!(
        "{name:<8} READS={} WRITES={} HITS={} HIT RATIO={}% INSERTS={} MODS={} REFUSED={}",
        value(&counters.reads),
        value(&counters.writes),
        value(&counters.hits),
        counters.hit_ratio(),
        value(&counters.inserts),
        value(&counters.modifications),
        value(&counters.refused)
    )
}
