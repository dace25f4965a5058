//! ACNT: accounting records now.

use super::{Issuer, Response};
use crate::system::Cp;
use message::Message;
use message::words::Words;

/// `ACNT ALL|userid...`
///
/// Writes the accounting record of what these users, or all who are logged on, have used so far; their counts begin
/// anew. Otherwise there is one at LOGOFF. Programs collect the records by IUCV, connected to *ACCOUNT; QUERY RECORDING
/// shows whether one does.
pub fn acnt(cp: &Cp, _: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let users = match words.accept("ALL") {
        true => {
            words.end()?;
            cp.vmdbks()
        }
        false => {
            let mut users = vec![words.need_userid()?];
            while words.peek().is_some() {
                users.push(words.need_userid()?);
            }
            let found = |userid: &String| cp.vmdbk(userid).ok_or_else(|| message::not_logged_on(userid).from("ACN"));
            users.iter().map(found).collect::<Result<Vec<_>, _>>()?
        }
    };
    users.iter().for_each(|vmdbk| cp.account_use(vmdbk, cp.now()));
    Ok("Command complete".into())
}
