//! XAUTOLOG and AUTOLOG.

use super::{Issuer, Response};
use crate::logon;
use crate::system::Cp;
use message::Message;
use message::words::Words;

/// `XAUTOLOG userid`
///
/// Logs a user on without a terminal: the directory's IPL statement is performed. Class G users need an XAUTOLOG or
/// AUTOLOG statement in the directory entry of that user.
pub fn xautolog(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let userid = words.need_userid()?;
    words.end()?;
    let user = cp.user(&userid).ok_or_else(|| message::not_in_directory(&userid).from("XAU"))?;
    if !issuer.has("AB") && !user.xautolog.iter().any(|other| other == issuer.userid()) {
        return Err(message::not_authorised().from("XAU"));
    }
    logon::autolog(cp, user)?;
    Ok("Command accepted".into())
}

/// `AUTOLOG userid password`
///
/// The same as XAUTOLOG; the password is not looked at.
pub fn autolog(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let userid = words.need_userid()?;
    xautolog(cp, issuer, Words::new(&userid))
}
