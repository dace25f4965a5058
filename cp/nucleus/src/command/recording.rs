//! RECORDING: records that CP keeps for a program to collect.

use super::{Issuer, Response};
use crate::system::Cp;
use base::Held;
use iucv::records::{KINDS, MOST};
use message::Message;
use message::words::Words;

/// `RECording ACCOUNT|EREP|SYMPTOM [ON|OFF] [LIMIT n|*] [PURGE] [QID userid|*|ALL]`
///
/// Begins or ends the recording of accounting records, of records of hardware errors (EREP) or of symptoms, or throws
/// away those that have not been collected. A virtual machine collects them by IUCV, connected to *ACCOUNT, *LOGREC or
/// *SYMPTOM. LIMIT: the operator, and the user that should collect them, are told when so many wait, and at each
/// multiple; * is never. Of errors and symptoms there are none here: the host has them. QID is accepted: there is one
/// queue of each kind. QUERY RECORDING shows them.
pub fn recording(cp: &Cp, _: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let kind = words.need()?;
    let service = KINDS.iter().find(|(name, _)| kind.is(name)).ok_or_else(|| kind.invalid())?.1;
    let (mut on, mut limit, mut purge) = (None, None, false);
    words.peek().ok_or_else(message::operand_missing)?;
    while let Some(what) = words.next() {
        match () {
            () if what.is("ON") => on = Some(true),
            () if what.is("OFF") => on = Some(false),
            () if what.is("PURGE") => purge = true,
            () if what.is("LIMIT") => {
                let word = words.need()?;
                let number = word.0.parse().ok().filter(|n| (1..=MOST).contains(n));
                limit = Some(if word.0 == "*" { None } else { Some(number.ok_or_else(|| word.invalid())?) });
            }
            () if what.is("QID") => {
                let word = words.need()?;
                if word.0 != "*" {
                    word.userid()?;
                }
            }
            () => return Err(what.invalid()),
        }
    }
    if (on, limit, purge) == (None, None, false) {
        return Err(message::operand_missing());
    }
    let mut iucv = cp.iucv.lock().held();
    if let Some(on) = on {
        iucv.record(service, on);
    }
    if let Some(limit) = limit {
        iucv.limit_records(service, limit);
    }
    if purge {
        iucv.purge_records(service);
    }
    Ok("Command complete".into())
}
