//! LOGON, where a user is logged on already. The real one is in [`crate::logon`].

use super::{Issuer, Response};
use crate::system::Cp;
use message::Message;
use message::words::Words;

/// `Logon userid [password] [HERE] [NOIPL] [BY userid]`
///
/// Begins a session, at a terminal that is not in use: the directory's virtual machine for the user is made, and its
/// IPL statement performed. Without the password, you are asked for it, and what you type is not shown. A virtual
/// machine that was left with DISCONNECT is there again as it is now. HERE takes it from another terminal, NOIPL does
/// without the IPL statement, BY gives the password of another user whom the directory lets in (LOGONBY).
pub fn logon(_: &Cp, issuer: &Issuer, _: Words<'_>) -> Result<Response, Message> {
    Err(message::already_logged_on(issuer.vmdbk.place()))
}

/// `LOGIN userid [password] [HERE] [NOIPL] [BY userid]`
///
/// The same as LOGON.
pub fn login(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    logon(cp, issuer, words)
}
