//! DISCONNECT.

use super::{Issuer, Response};
use crate::logon;
use crate::system::Cp;
use message::Message;
use message::words::Words;

/// `DISConnect [HOld]`
///
/// Leaves the terminal and lets the virtual machine run on without one. LOGON brings you back to it. While you are away
/// its console output goes to the terminal of the secondary user (SET SECUSER), to the console spool file, or nowhere.
pub fn disconnect(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    words.accept("HOld");
    words.end()?;
    logon::disconnect(cp, &issuer.vmdbk);
    Ok(Response::none())
}
