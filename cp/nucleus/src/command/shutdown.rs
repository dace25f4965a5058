//! SHUTDOWN.

use super::{Issuer, Response};
use crate::system::Cp;
use message::Message;
use message::words::Words;

/// `SHUTDOWN`
///
/// Ends the whole system: every user is logged off, spool files are kept, the program ends.
pub fn shutdown(cp: &Cp, _: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    cp.shut_down();
    Ok(Response::none())
}
