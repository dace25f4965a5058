//! SET CACHE, NVS, DASDFW: the control units of real disks; SET VDISK: the limits of virtual disks.

use super::super::{Issuer, Response};
use crate::system::Cp;
use devices::dasd::Cache;
use devices::dasd::timing::Timing;
use message::Message;
use message::words::{Word, Words};
use minidisk::real::Real;
use std::sync::Arc;

/// The real devices that the rest of a command names, numbers, or ranges of them, with what `of` finds of each.
fn chosen<T>(
    cp: &Cp,
    mut words: Words<'_>,
    of: impl Fn(&Real) -> Option<T>,
    without: fn(String) -> Message,
) -> Result<Vec<(Real, T)>, Message> {
    let mut found = Vec::new();
    let mut word = Some(words.need()?);
    while let Some(named) = word {
        let (first, last) = virtualmachine::examine::range(named.0, 0xffff, 16).map_err(|_| named.invalid())?;
        match last {
            None => {
                let shown = format!("{first:04X}");
                let real = cp.disks.real(first as u16).ok_or_else(|| message::no_real_device(&shown))?;
                let what = of(&real).ok_or_else(|| without(shown))?;
                found.push((real, what));
            }
            Some(last) => {
                let mut reals = cp.disks.reals();
                reals.retain(|real| (first..=last).contains(&real.number.into()));
                let shown = format!("{first:04X}-{last:04X}");
                if reals.is_empty() {
                    return Err(message::no_real_device(shown));
                }
                let before = found.len();
                found.extend(reals.into_iter().filter_map(|real| of(&real).map(|what| (real, what))));
                if found.len() == before {
                    return Err(without(shown));
                }
            }
        }
        word = words.next();
    }
    Ok(found)
}

/// The real devices that the rest of a command names, and the caches of their control units.
pub fn devices(cp: &Cp, words: Words<'_>) -> Result<Vec<(Real, Arc<Cache>)>, Message> {
    chosen(cp, words, |real| real.subsystem.clone(), message::no_subsystem_cache)
}

/// The real devices that the rest of a command names, and how long they take.
pub fn timed(cp: &Cp, words: Words<'_>) -> Result<Vec<(Real, Arc<Timing>)>, Message> {
    chosen(cp, words, |real| Some(real.timing.clone()), message::no_real_device)
}

/// `SET TIMING ON|OFF rdev [rdev-rdev ...]`
///
/// Whether channel programs, and services that move blocks, take as long for real disks, and minidisks on them, as they
/// would on real devices: seek, rotation, busy paths, transfer, with hits of the control unit's cache and fast writes
/// much sooner over. Off, as it is unless SYSTEM CONFIG says otherwise, they take no time. QUERY TIMING shows what they
/// took. IPL is counted, and waits for nothing.
pub fn timing(cp: &Cp, _: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let on = words.need()?.on_or_off()?;
    timed(cp, words)?.iter().for_each(|(_, timing)| timing.set_on(on));
    Ok(Response::none())
}

/// `SET CACHE DEVice|SUBSYStem ON|OFF rdev [rdev-rdev ...]`
///
/// Turns caching by the control unit on or off, for devices or for all devices of their control units. Off, nothing is
/// a hit, and what waited in non-volatile storage is destaged. The cache is a model of a 3990's, as large as SYSTEM
/// CONFIG says: data is always on the volume, and QUERY CACHE shows what such a control unit would have found in its
/// cache.
pub fn cache(cp: &Cp, _: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let what = words.need()?;
    let device = what.is("DEVice");
    if !device && !what.is("SUBSYStem") {
        return Err(what.invalid());
    }
    let on = words.need()?.on_or_off()?;
    for (real, cache) in devices(cp, words)? {
        if device { cache.set_device(real.number as u8, on) } else { cache.set_cache(on) }
    }
    Ok(Response::none())
}

/// The real devices that the rest of a command names, and the caches of their control units, which have non-volatile
/// storage: without it neither it nor fast writes can be turned on or off.
fn stored(cp: &Cp, words: Words<'_>) -> Result<Vec<(Real, Arc<Cache>)>, Message> {
    devices(cp, words)?;
    let of = |real: &Real| real.subsystem.clone().filter(|cache| cache.has_storage());
    chosen(cp, words, of, message::no_subsystem_storage)
}

/// `SET NVS ON|OFF rdev [rdev-rdev ...]`
///
/// Turns the non-volatile storage of the devices' control units on or off. While it is off no write is a fast write;
/// what waits in it is destaged. SYSTEM CONFIG says which control units have some.
pub fn non_volatile_storage(cp: &Cp, _: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let on = words.need()?.on_or_off()?;
    stored(cp, words)?.iter().for_each(|(_, cache)| cache.set_storage(on));
    Ok(Response::none())
}

/// `SET DASDFW ON|OFF rdev [rdev-rdev ...]`
///
/// Turns DASD fast write on or off for devices: whether a write is over when it is in the control unit's cache and its
/// non-volatile storage. It needs both (SET CACHE, SET NVS).
pub fn fast_write(cp: &Cp, _: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let on = words.need()?.on_or_off()?;
    stored(cp, words)?.iter().for_each(|(real, cache)| cache.set_fast_write(real.number as u8, on));
    Ok(Response::none())
}

/// Blocks of 512 bytes: a number, perhaps with BLK after it, or an amount of storage.
fn blocks(word: Word<'_>) -> Option<u64> {
    word.decimal().or_else(|| word.storage().map(|bytes| bytes / 512))
}

/// `SET VDISK SYSLIM|USERLIM INFinite|DEFault|n [BLK]|nM|nG`
///
/// Limits virtual disks in storage: SYSLIM all of them together, USERLIM those that one user makes with DEFINE. In
/// blocks of 512 bytes, or megabytes or gigabytes. DEFAULT is what SYSTEM CONFIG says. Disks that are there stay.
pub fn virtual_disks(cp: &Cp, _: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let (mut limits, _) = cp.disks.virtual_limits();
    let default = cp.disks.policy().limits;
    let (what, value) = (words.need()?, words.need()?);
    words.accept("BLK");
    words.end()?;
    let (limit, usual) = match () {
        () if what.is("SYSLIM") => (&mut limits.system, default.system),
        () if what.is("USERLIM") => (&mut limits.user, default.user),
        () => return Err(what.invalid()),
    };
    *limit = match () {
        () if value.is("INFinite") => None,
        () if value.is("DEFault") => usual,
        () => Some(blocks(value).ok_or_else(|| value.invalid())?),
    };
    cp.disks.set_virtual_limits(limits);
    Ok(Response::none())
}
