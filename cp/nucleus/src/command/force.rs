//! FORCE.

use super::{Issuer, Response};
use crate::logon::{self, Reason};
use crate::system::Cp;
use message::Message;
use message::words::Words;

/// `FORCE userid [IMMEDIATE]`
///
/// Logs another user off. What the virtual machine was doing is lost.
pub fn force(cp: &Cp, _: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let userid = words.need_userid()?;
    words.accept("IMMediate");
    words.end()?;
    let vmdbk = cp.vmdbk(&userid).ok_or_else(|| message::not_logged_on(&userid).from("FRC"))?;
    logon::log_off(cp, &vmdbk, Reason::ForcedByOperator);
    Ok(Response::none())
}
