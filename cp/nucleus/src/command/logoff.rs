//! LOGOFF and LOGOUT.

use super::{Issuer, Response};
use crate::logon::{self, Reason};
use crate::system::Cp;
use message::Message;
use message::words::Words;

/// `LOGoff [HOld]`
///
/// Ends your session: the virtual machine is gone, spool files that are open are closed. The last line says how much
/// time was used.
pub fn logoff(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    words.accept("HOld");
    words.end()?;
    logon::log_off(cp, &issuer.vmdbk, Reason::LogOff);
    Ok(Response::none())
}

/// `LOGOUT [HOld]`
///
/// The same as LOGOFF.
pub fn logout(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    logoff(cp, issuer, words)
}
