//! MOUNT, UNLOAD and REWIND: tapes.

use super::{Issuer, Response};
use crate::system::Cp;
use message::Message;
use message::words::Words;

/// `MOUNT rdev tape [R/O|R/W]`
///
/// Puts a tape on a real tape drive, in the place of the one that is there; the system that has the drive is told.
/// Tapes are files of the folder "tapes" of the system, in AWSTAPE or HET format; `endicott tape create` makes new
/// ones. With R/O it cannot be written.
pub fn mount(cp: &Cp, _: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let rdev = words.need_real_device()?;
    let name = words.need()?;
    let ring = match words.next() {
        None => true,
        Some(word) if word.is("R/W") => true,
        Some(word) if word.is("R/O") => false,
        Some(word) => return Err(word.invalid()),
    };
    words.end()?;
    let (real, notice) = cp.tapes.mount(rdev, name.0, ring)?;
    notice.into_iter().for_each(|notice| cp.notify_operator(&notice));
    Ok(format!("TAPE {rdev:04X} MOUNTED {} {}", name.0, real.access()).into())
}

/// `UNLOad rdev`
///
/// Takes the tape off a real tape drive.
pub fn unload(cp: &Cp, _: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let rdev = words.need_real_device()?;
    words.end()?;
    let shown = format!("{rdev:04X}");
    let real = cp.tapes.real(rdev).ok_or_else(|| message::no_real_device(&shown))?;
    match real.drive.unload() {
        true => Ok(format!("TAPE {shown} UNLOADED").into()),
        false => Err(message::no_tape(shown)),
    }
}

/// `REWind vdev`
///
/// Takes the tape on your drive to its beginning.
pub fn rewind(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let vdev = words.need_device()?;
    words.end()?;
    let shown = format!("{vdev:04X}");
    let real = cp.tapes.held(issuer.userid(), vdev);
    let real = real.ok_or_else(|| message::device_absent(&shown).from("RWD"))?;
    match real.drive.rewind() {
        true => Ok("REWIND COMPLETE".into()),
        false => Err(message::no_tape(shown)),
    }
}
