//! QUERY NAMES, USERS, FILES: which users are logged on.

use super::super::{Issuer, Response};
use crate::system::Cp;
use message::Message;
use message::words::Words;
use spool::Queue;
use virtualmachine::vmdbk::Vmdbk;

/// A user and where: `MAINT    -L0003`, `OPERSYMP - DSC`.
pub fn entry(vmdbk: &Vmdbk) -> String {
    let place = vmdbk.place();
    format!("{:<9}-{}", vmdbk.userid, if place.starts_with('L') { place } else { format!(" {place}") })
}

/// `Query Names`
///
/// Lists the users who are logged on and the terminal of each; DSC is a user who is disconnected.
pub fn names(cp: &Cp, _: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    let entries: Vec<String> = cp.vmdbks().iter().map(|vmdbk| entry(vmdbk)).collect();
    Ok(entries.chunks(4).map(|four| four.join(", ")).collect::<Vec<_>>().into())
}

/// `Query Users [userid]`
///
/// Shows how many users are logged on, or where one is.
pub fn users(cp: &Cp, _: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let Some(word) = words.next() else {
        return Ok(format!("{:>5} USERS, {:>5} DIALED, {:>5} NET", cp.user_count(), cp.dialed_count(), 0).into());
    };
    let userid = word.userid()?;
    words.end()?;
    match cp.vmdbk(&userid) {
        Some(vmdbk) => Ok(entry(&vmdbk).into()),
        None if cp.user(&userid).is_none() => Err(message::not_in_directory(userid).from("CQU")),
        None => Err(message::not_logged_on(userid).from("CQU")),
    }
}

/// `Query FIles`
///
/// Shows how many spool files you have in your reader, printer and punch queues.
pub fn files(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    Ok(files_line(cp, issuer.userid()).into())
}

/// `FILES: 0003 RDR,   NO PRT,   NO PUN`
pub fn files_line(cp: &Cp, userid: &str) -> String {
    let spool = spool::lock(&cp.spool);
    let count = |queue| match spool.as_ref().map_or(0, |spool| spool.count(userid, queue)) {
        0 => "  NO".to_string(),
        n => format!("{n:04}"),
    };
    let (readers, printers, punches) = (count(Queue::Reader), count(Queue::Printer), count(Queue::Punch));
    format!("FILES: {readers} RDR, {printers} PRT, {punches} PUN")
}
