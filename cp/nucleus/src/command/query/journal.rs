//! QUERY JOURNAL.

use super::super::{Issuer, Response};
use crate::system::Cp;
use message::Message;
use message::words::Words;
use std::sync::atomic::Ordering::Relaxed;

/// `Query JOURnal`
///
/// Shows whether LOGON and LINK are journalled (SET JOURNAL).
pub fn journal(cp: &Cp, _: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    let shown = |on| if on { "ON" } else { "OFF" };
    let (logon, link) = (cp.journal.logon.load(Relaxed), cp.journal.link.load(Relaxed));
    Ok(format!("JOURNAL: LOGON-{}, LINK-{}", shown(logon), shown(link)).into())
}
