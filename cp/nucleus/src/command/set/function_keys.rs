//! SET PFnn.

use super::super::{Issuer, Response};
use crate::system::Cp;
use consoles::PfKey;
use message::Message;
use message::words::{Word, Words};

/// The number in `PFnn`, if `word` is that.
pub fn number(word: Word<'_>) -> Option<usize> {
    let upper = word.upper();
    upper.strip_prefix("PF")?.parse().ok().filter(|n| (1..=24).contains(n))
}

/// `SET PFnn [RETrieve [FORward] | [DELayed|IMMed] text]`
///
/// Gives a PF key something to do: RETRIEVE brings back what you entered before, IMMED enters the text as if you had
/// typed it, DELAYED (what you get if you say nothing) puts it into the input area. Without operands the key does
/// nothing again.
pub fn pf(_: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let key = words.need()?;
    let number = key.decimal().filter(|n| (1..=24).contains(n)).ok_or_else(|| key.invalid())?;
    set(issuer, number as usize, words)
}

/// SET PF for key `number`.
pub fn set(issuer: &Issuer, number: usize, mut words: Words<'_>) -> Result<Response, Message> {
    let key = match words.peek() {
        None => PfKey::Undefined,
        Some(word) if word.is("RETrieve") => {
            words.next();
            let forward = words.accept("FORward");
            words.end()?;
            PfKey::Retrieve { forward }
        }
        Some(_) if words.accept("IMMed") => PfKey::Immediate(words.rest().into()),
        Some(_) => {
            words.accept("DELayed");
            PfKey::Delayed(words.rest().into())
        }
    };
    issuer.vmdbk.console().pf[number - 1] = key;
    Ok(Response::none())
}
