//! RECORDING: records that CP keeps for a program to collect.

use super::{Issuer, Response};
use crate::system::Cp;
use base::Held;
use message::Message;
use message::words::Words;

/// `RECording ACCOUNT|EREP|SYMPTOM ON|OFF|PURGE [QID userid]`
///
/// Begins or ends the recording of accounting records, of records of hardware errors (EREP) or of symptoms, or throws
/// away those that have not been collected. A virtual machine collects them by IUCV, connected to *ACCOUNT, *LOGREC or
/// *SYMPTOM. Of errors and symptoms there are none here. QID is accepted: there is one queue of each kind.
pub fn recording(cp: &Cp, _: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let kind = words.need()?;
    let account = kind.is("ACCOUNT");
    if !account && !kind.is("EREP") && !kind.is("SYMPTOM") {
        return Err(kind.invalid());
    }
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
        () if what.is("ON") => iucv.record_accounts(account, true),
        () if what.is("OFF") => iucv.record_accounts(account, false),
        () if what.is("PURGE") && account => iucv.purge_accounts(),
        () if what.is("PURGE") => (),
        () => return Err(what.invalid()),
    }
    Ok("Command complete".into())
}
