//! SET MDCACHE: the minidisk cache.

use super::super::{Issuer, Response};
use crate::system::Cp;
use message::Message;
use message::words::{Word, Words};
use minidisk::cache::{DeviceMode, Size};
use minidisk::{Place, real};
use std::sync::atomic::Ordering::Relaxed;

/// `SET MDCache SYSTem ON|OFF|FLUSH | STORage [minM] maxM [BIAS n] | XSTore [0M] 0M [BIAS n] | RDEV
/// ON|DFLTON|DFLTOFF|OFF|FLUSH rdev | MDISK ON|OFF|DFLT|FLUSH vdev [userid] | INSert ON|OFF userid|*`
///
/// Controls the minidisk cache. SYSTEM is for all disks and guests; STORAGE says how many megabytes it takes at least
/// and at most, and with BIAS how much more (over 1) or less than usual it wants between them; XSTORE would do so for
/// expanded storage, which it does not use; RDEV is for the minidisks of one real disk (DFLTOFF: only those of MINIOPT
/// MDC), MDISK for one minidisk, INSERT for what one user reads. FLUSH throws out what is there. Users without class B
/// may set MDISK for their own minidisks, and INSERT OFF for themselves.
pub fn minidisk_cache(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let what = words.need()?;
    let privileged = issuer.has("B");
    let cache = &cp.disks.cache;
    match () {
        () if what.is("SYSTem") && privileged => {
            let word = words.need()?;
            words.end()?;
            if word.is("FLUSH") {
                let was = cache.is_on();
                cache.set_on(false);
                cache.set_on(was);
            } else {
                cache.set_on(word.on_or_off()?);
            }
        }
        () if what.is("STORage") && privileged => cache.set_size(sizes(words, cache.size())?),
        () if what.is("XSTore") && privileged => {
            if sizes(words, Size { minimum: 0, maximum: 0, bias: 1.0 })?.maximum > 0 {
                return Err(message::no_expanded_storage());
            }
        }
        () if what.is("RDEV") && privileged => {
            let how = words.need()?;
            let rdev = words.need_real_device()?;
            words.end()?;
            let reals = cp.disks.reals();
            let real = reals.iter().find(|real| real.number == rdev);
            let real = real.ok_or_else(|| message::no_real_device(format!("{rdev:04X}")))?;
            let mode = match () {
                () if how.is("ON") || how.is("DFLTON") => Some(DeviceMode::DefaultOn),
                () if how.is("DFLTOFF") => Some(DeviceMode::DefaultOff),
                () if how.is("OFF") => Some(DeviceMode::Off),
                () if how.is("FLUSH") => None,
                () => return Err(how.invalid()),
            };
            if let Some(mode) = mode {
                real.cache.set_mode(mode);
            }
            if mode.is_none_or(|mode| mode == DeviceMode::Off) {
                cache.flush(&real.cache, None, false);
            }
        }
        () if what.is("MDISK") => minidisk(cp, issuer, words, privileged)?,
        () if what.is("INSert") => {
            let on = words.need()?.on_or_off()?;
            let userid = match words.next() {
                Some(word) if word.0 != "*" => word.userid()?,
                _ => issuer.userid().to_string(),
            };
            words.end()?;
            if !privileged && (userid != issuer.userid() || on) {
                return Err(message::not_authorised());
            }
            let user = cp.disks.user_cache(&userid).ok_or_else(|| message::not_logged_on(&userid).from("MDS"))?;
            user.insert.store(on, Relaxed);
        }
        () => return Err(what.invalid()),
    }
    Ok(Response::none())
}

fn megabytes(word: Word<'_>) -> Result<u64, Message> {
    word.storage().ok_or_else(|| message::cache_size(word.upper()))
}

fn sizes(mut words: Words<'_>, before: Size) -> Result<Size, Message> {
    let mut size = before;
    if !words.peek().is_some_and(|word| word.is("BIAS")) {
        let first = words.need()?;
        // A minimum of 0 needs no unit.
        let one = if first.0 == "0" || first.0.eq_ignore_ascii_case("0M") { 0 } else { megabytes(first)? };
        match words.peek().filter(|word| !word.is("BIAS")) {
            Some(second) => {
                words.next();
                let zero = second.0.eq_ignore_ascii_case("0M");
                (size.minimum, size.maximum) = (one, if zero { 0 } else { megabytes(second)? });
            }
            None => (size.minimum, size.maximum) = (size.minimum.min(one), one),
        }
        if size.minimum > size.maximum || size.maximum > 1 << 40 {
            return Err(message::cache_size(first.upper()));
        }
    }
    if words.accept("BIAS") {
        let word = words.need()?;
        let bias = word.0.parse().ok().filter(|bias| (0.0..=100.0).contains(bias));
        size.bias = bias.ok_or_else(|| word.invalid())?;
    }
    words.end()?;
    Ok(size)
}

fn minidisk(cp: &Cp, issuer: &Issuer, mut words: Words<'_>, privileged: bool) -> Result<(), Message> {
    let how = words.need()?;
    let vdev = words.need_device()?;
    let userid = words.next().map_or_else(|| Ok(issuer.userid().to_string()), Word::userid)?;
    words.end()?;
    if !privileged && userid != issuer.userid() {
        return Err(message::not_authorised());
    }
    if cp.vmdbk(&userid).is_none() {
        return Err(message::not_logged_on(&userid).from("MDS"));
    }
    let absent = || message::device_absent(format!("{vdev:04X}")).from("MDS");
    let link = cp.disks.link(&userid, vdev).ok_or_else(absent)?;
    let (Some(disk), Place::Real { rdev, start, count }) = (&link.disk.cache, &link.disk.place) else {
        return Err(absent());
    };
    let flush = || {
        if let Some(real) = cp.disks.reals().iter().find(|real| real.number == *rdev) {
            let kind = real.volume.kind();
            let blocks = real::size(&kind).1 == "BLK";
            let heads = if let dasd::Kind::Ckd { heads, .. } = kind { heads.into() } else { 1 };
            let start = u64::from(*start) * heads;
            cp.disks.cache.flush(&real.cache, Some(start..start + u64::from(*count) * heads), blocks);
        }
    };
    match () {
        () if how.is("ON") => disk.set_wish(Some(true)),
        () if how.is("DFLT") => disk.set_wish(None),
        () if how.is("OFF") => {
            disk.set_wish(Some(false));
            flush();
        }
        () if how.is("FLUSH") => flush(),
        () => return Err(how.invalid()),
    }
    Ok(())
}
