//! CLOSE.

use super::spool::units;
use super::{Issuer, Origin, Response};
use crate::spooling::options::{Of, Options};
use crate::spooling::{close as closing, lock_unit};
use crate::system::Cp;
use directory::SpoolKind;
use message::Message;
use message::words::Words;
use spool::After;

/// `Close CONsole|Reader|PRinter|PUnch|ALL|vdev [operand ...]`
///
/// Makes a spool file of what has been printed or punched, and gives it to whom SPOOL said: TO userid, NAme fn ft,
/// CLass c, FORM f, DISt d, DEST d, COpy n, HOld and KEEP are for this file only, and PURge throws it away. Closes the
/// file that a reader was reading: it is purged, unless the file, SPOOL, or KEEP or HOld here want it to stay.
pub fn close(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let (units, _) = units(issuer, &mut words)?;
    let vmdbk = &issuer.vmdbk;
    let options = Options::parse(cp, issuer.userid(), &vmdbk.user.distribution, Of::Close, words)?;
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
            response.add(closing::output(cp, vmdbk, unit, &options)?);
        }
    }
    if issuer.origin == Origin::Console && response.code == 0 && !vmdbk.lock().settings.information {
        response.lines.clear();
    }
    Ok(response)
}
