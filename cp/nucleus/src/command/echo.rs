//! ECHO.

use super::{Issuer, Origin, Response};
use crate::system::Cp;
use message::Message;
use message::words::Words;

/// `ECho [n]`
///
/// Shows every line that you type once, or n times, up to 99: to see what a terminal does to it. The line END ends it.
pub fn echo(_: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let times = match words.next() {
        None => 1,
        Some(word) => word.decimal().filter(|n| (1..=99).contains(n)).ok_or_else(|| word.invalid())?,
    };
    words.end()?;
    if issuer.origin != Origin::Console {
        return Ok(Response::none());
    }
    issuer.vmdbk.console().echo = Some(times as u32);
    Ok("Echo entered; to terminate echo, enter END".into())
}
