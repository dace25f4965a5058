//! CLOSE.

use super::spool_files::message_of;
use super::spool_options::units;
use super::spool_options::{self, Of};
use super::{Issuer, Origin, Response};
use crate::system::Cp;
use consoles::display::Tone;
use directory::SpoolKind;
use message::Message;
use message::words::Words;
use spool::{After, Queue, SpoolFile};
use unitrecord::close::{self as closing, Closed};
use unitrecord::options::Options;
use unitrecord::{SharedUnit, lock_unit};

/// `Close CONsole|Reader|PRinter|PUnch|ALL|vdev [operand ...]`
///
/// Makes a spool file of what has been printed or punched, and gives it to whom SPOOL said: TO userid, NAme fn ft,
/// CLass c, FORM f, DISt d, DEST d, COpy n, HOld and KEEP are for this file only, and PURge throws it away. Closes the
/// file that a reader was reading: it is purged, unless the file, SPOOL, or KEEP or HOld here want it to stay.
pub fn close(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let (units, _) = units(issuer, &mut words)?;
    let vmdbk = &issuer.vmdbk;
    let options = spool_options::parse(cp, issuer.userid(), &vmdbk.user.distribution, Of::Close, words)?;
    let after = match (options.hold, options.keep, options.purge) {
        (_, _, true) => Some(After::Purge),
        (Some(true), ..) => Some(After::Hold),
        (_, Some(true), _) => Some(After::Keep),
        (Some(false), Some(false), _) => Some(After::Purge),
        _ => None,
    };
    let mut response = Response::none();
    for unit in &units {
        if lock_unit(unit).kind == SpoolKind::Reader {
            lock_unit(unit).close_input(&cp.spool, after);
        } else {
            response.add(output(cp, unit, &options)?);
        }
    }
    if issuer.origin == Origin::Console && response.code == 0 && !vmdbk.lock().settings.information {
        response.lines.clear();
    }
    Ok(response)
}

/// Closes a punch, printer or console with CLOSE's operands, and tells the receiver. The lines are for the device's
/// user. If the receiver can have no more files, the file stays with its writer, and the return code says so.
pub fn output(cp: &Cp, unit: &SharedUnit, options: &Options) -> Result<Response, Message> {
    let userid = lock_unit(unit).userid.clone();
    let closed = closing::output(unit, options, &cp.spool, cp.now()).map_err(|error| message_of(&error))?;
    let Some(Closed { file, was, refused }) = closed else { return Ok(Response::none()) };
    let from = file.device.name();
    announce(cp, &userid, &file, from, was);
    let mut response = Response::from(closing::line(&userid, &file, from, was));
    if let Some(refused) = refused {
        let message = message_of(&refused);
        response.code = message.number;
        response.push(message.to_string());
    }
    Ok(response)
}

/// Closes a device that is detached, or whose user logs off. Output goes where CLOSE would send it; a file that is
/// being read stays, held.
pub fn end(cp: &Cp, unit: &SharedUnit) -> Result<Response, Message> {
    {
        let mut unit = lock_unit(unit);
        unit.settings.cont = false;
        unit.close_input(&cp.spool, Some(After::Hold));
    }
    output(cp, unit, &Options::default())
}

/// Tells a file's owner, unless that is `sender`, and the owner's readers. `from` is the device or queue it comes from,
/// `was` its number there.
pub fn announce(cp: &Cp, sender: &str, file: &SpoolFile, from: &str, was: u16) {
    let Some(owner) = cp.vmdbk(&file.owner) else { return };
    let informed = owner.lock().settings.information;
    if informed && file.owner != sender {
        owner.write(&closing::received(file, from, was), Tone::Normal, cp.now());
    }
    if file.queue == Queue::Reader && !file.hold.any() {
        closing::make_ready(&owner.units(), file.class);
    }
}
