//! SET JOURNAL: whether LOGON and LINK are journalled.

use super::{Issuer, Response};
use crate::system::Cp;
use message::Message;
use message::words::Words;
use std::sync::atomic::Ordering::Relaxed;

/// `SET JOURnal LOGON|LINK|ALL ON|OFF`
///
/// Begins or ends the journal of LOGON, of LINK or of both: accounting records. LOGON: a terminal has offered as many
/// wrong passwords as it may (type 04). LINK: a user has a minidisk of another by a password (05) or without one (08),
/// or has offered as many wrong passwords as it may (06). JOURNALING FACILITY ON in SYSTEM CONFIG begins both.
pub fn journal(cp: &Cp, _: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let which = words.need()?;
    let (logon, link) = match () {
        () if which.is("LOGON") => (true, false),
        () if which.is("LINK") => (false, true),
        () if which.is("ALL") => (true, true),
        () => return Err(which.invalid()),
    };
    let what = words.need()?;
    let on = match () {
        () if what.is("ON") => true,
        () if what.is("OFF") => false,
        () => return Err(what.invalid()),
    };
    words.end()?;
    if logon {
        cp.journal.logon.store(on, Relaxed);
    }
    if link {
        cp.journal.link.store(on, Relaxed);
    }
    Ok(Response::none())
}
