//! DRAIN and START: areas of the volumes that CP owns which get nothing more, and which do again.

use super::{Issuer, Response};
use crate::system::Cp;
use dasd::allocation::Purpose;
use message::Message;
use message::words::Words;
use minidisk::real::Real;

/// What can be drained: the operand, and what the areas are for.
const KINDS: [(&str, Purpose); 3] = [("PAGe", Purpose::Page), ("SPool", Purpose::Spool), ("TDisk", Purpose::Temporary)];

/// Whether nothing more goes to such areas of a volume.
pub(super) fn is_drained(cp: &Cp, real: &Real, purpose: Purpose) -> bool {
    match purpose {
        Purpose::Temporary => real.drained,
        Purpose::Page | Purpose::Spool => {
            let mut spaces = cp.owned.on(real.number).filter(|space| space.spool == (purpose == Purpose::Spool));
            spaces.any(|space| space.is_drained(cp.paging.as_ref()))
        }
        Purpose::Directory | Purpose::Permanent => false,
    }
}

/// `DRain DASD rdev[-rdev]|VOLid volid [ALL|PAGe|SPool|TDisk]`
///
/// Has page space, spool space or temporary space on volumes get nothing more; without an operand, all of it. Pages
/// that are there leave by and by, as far as other page space has room, and temporary disks when their users detach
/// them. QUERY ALLOC shows DRAINED, and what is in use still. When that is nothing, the system can be started without
/// the volume. START has it used again. Both last until the system ends.
pub fn drain(cp: &Cp, _: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    set(cp, words, true)
}

/// `STArt DASD rdev[-rdev]|VOLid volid [ALL|PAGe|SPool|TDisk]`
///
/// Has page space, spool space or temporary space on volumes be used again that DRAIN was said for; without an operand,
/// all of it.
pub fn start(cp: &Cp, _: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    set(cp, words, false)
}

/// The volumes that an operand names.
fn volumes(cp: &Cp, words: &mut Words<'_>) -> Result<Vec<Real>, Message> {
    let how = words.need()?;
    let what = words.need()?;
    let reals = cp.disks.reals().into_iter();
    let found: Vec<Real> = match () {
        () if how.is("DASD") => {
            let (first, last) = virtualmachine::examine::range(what.0, 0xffff, 16).map_err(|_| what.invalid())?;
            let range = first..=last.unwrap_or(first);
            let found: Vec<_> = reals.filter(|real| range.contains(&real.number.into())).collect();
            match found.is_empty() {
                true => return Err(message::no_real_device(format!("{first:04X}"))),
                false => found,
            }
        }
        () if how.is("VOLid") => reals.filter(|real| real.has_minidisks() && real.serial == what.upper()).collect(),
        () => return Err(how.invalid()),
    };
    match found.is_empty() {
        true => Err(message::no_volume(what.upper())),
        false => Ok(found),
    }
}

fn set(cp: &Cp, mut words: Words<'_>, drained: bool) -> Result<Response, Message> {
    let reals = volumes(cp, &mut words)?;
    let word = words.next();
    words.end()?;
    let kinds: Vec<_> = match word.filter(|word| !word.is("ALL")) {
        None => KINDS.iter().collect(),
        Some(word) => {
            let found = KINDS.iter().find(|kind| word.is(kind.0));
            vec![found.ok_or_else(|| word.invalid())?]
        }
    };
    let mut response = Response::none();
    for real in &reals {
        for &&(_, purpose) in &kinds {
            let done = match purpose {
                Purpose::Temporary => {
                    let there = cp.disks.temporary_space(real.number).next().is_some();
                    if there {
                        cp.disks.drain(real.number, drained);
                    }
                    there
                }
                _ => cp
                    .paging
                    .as_ref()
                    .is_some_and(|paging| cp.owned.drain(paging, real.number, purpose == Purpose::Spool, drained)),
            };
            if done {
                let how = if drained { "DRAINED" } else { "STARTED" };
                response.push(format!("DASD {:04X} {:<6} {} {how}", real.number, real.serial, purpose.name()));
            }
        }
    }
    if response.lines.is_empty() {
        let what =
            word.filter(|word| !word.is("ALL")).map_or("PAGE, SPOL or TDSK".into(), |_| kinds[0].1.name().to_string());
        return Err(message::no_such_area(format!("{:04X}", reals[0].number), what));
    }
    Ok(response)
}
