//! `*` and `CP`: a comment, and the prefix that makes anything a CP command.

use super::{Issuer, Origin, Response, execute};
use crate::system::Cp;
use message::Message;
use message::words::Words;

/// `* [anything]`
///
/// A comment: nothing happens.
pub fn comment(_: &Cp, _: &Issuer, _: Words<'_>) -> Result<Response, Message> {
    Ok(Response::none())
}

/// `CP [command]`
///
/// Performs a CP command. Without one, the virtual machine stops and CP reads your next command (CP READ).
pub fn cp(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    if words.is_empty() {
        if issuer.origin != Origin::System {
            cp.set_cp_read(&issuer.vmdbk, true);
        }
        return Ok(Response::none());
    }
    execute(cp, issuer, words.rest())
}
