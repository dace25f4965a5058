//! RECORDING: records that CP keeps for a program to collect.

use super::{Issuer, Response};
use crate::system::Cp;
use base::Held;
use iucv::service::Service;
use message::Message;
use message::words::Words;

/// The kinds of records, and the services that collect them.
pub const KINDS: [(&str, Service); 3] =
    [("ACCOUNT", Service::Account), ("EREP", Service::Logrec), ("SYMPTOM", Service::Symptom)];

/// `RECording ACCOUNT|EREP|SYMPTOM ON|OFF|PURGE [QID userid]`
///
/// Begins or ends the recording of accounting records, of records of hardware errors (EREP) or of symptoms, or throws
/// away those that have not been collected. A virtual machine collects them by IUCV, connected to *ACCOUNT, *LOGREC or
/// *SYMPTOM. Of errors and symptoms there are none here: the host has them. QID is accepted: there is one queue of each
/// kind. QUERY RECORDING shows them.
pub fn recording(cp: &Cp, _: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let kind = words.need()?;
    let service = KINDS.iter().find(|(name, _)| kind.is(name)).ok_or_else(|| kind.invalid())?.1;
    let what = words.need()?;
    if words.accept("QID") {
        let word = words.need()?;
        if word.0 != "*" {
            word.userid()?;
        }
    }
    words.end()?;
    let mut iucv = cp.iucv.lock().held();
    match () {
        () if what.is("ON") => iucv.record(service, true),
        () if what.is("OFF") => iucv.record(service, false),
        () if what.is("PURGE") => iucv.purge_records(service),
        () => return Err(what.invalid()),
    }
    Ok("Command complete".into())
}
