//! ATTACH, DETACH and RETAIN XSTORE: what of the system's expanded storage virtual machines have.

use super::{Issuer, Response, target};
use crate::system::Cp;
use consoles::display::Tone;
use message::Message;
use message::words::{Word, Words};
use realstorage::expanded::Amount;
use std::sync::Arc;
use virtualmachine::vmdbk::Vmdbk;

/// A size such as 16M, of whole megabytes.
fn megabytes(word: Word<'_>) -> Result<u64, Message> {
    word.storage().filter(|bytes| bytes % (1 << 20) == 0).map(|bytes| bytes >> 20).ok_or_else(|| word.invalid())
}

/// What the directory's XSTORE statement says, at LOGON.
pub(crate) fn log_on(cp: &Cp, vmdbk: &Vmdbk) -> Result<(), Message> {
    match vmdbk.user.xstore {
        0 => Ok(()),
        u64::MAX => give(cp, vmdbk, Amount::All).map(drop),
        bytes => give(cp, vmdbk, Amount::Megabytes(bytes.div_ceil(1 << 20))).map(drop),
    }
}

/// Gives a virtual machine expanded storage. How many megabytes.
fn give(cp: &Cp, vmdbk: &Vmdbk, amount: Amount) -> Result<u64, Message> {
    let refused = |why: String| message::expanded_not_attached(&vmdbk.userid, why);
    let has = |megabytes| refused(format!("it has {megabytes}M already"));
    if let Some(megabytes) = vmdbk.expanded() {
        return Err(has(megabytes));
    }
    let partition = cp.expanded.attach(&vmdbk.userid, amount).map_err(|error| refused(error.to_string()))?;
    let megabytes = partition.megabytes;
    match vmdbk.attach_expanded(partition) {
        true => Ok(megabytes),
        // Another command was first, or the user logs off.
        false => Err(vmdbk.expanded().map_or_else(|| message::logoff_pending(&vmdbk.userid).from("ATX"), has)),
    }
}

/// Tells the user what was attached or detached, and the issuer if that is another.
fn told(cp: &Cp, issuer: &Issuer, vmdbk: &Arc<Vmdbk>, line: String) -> Response {
    if !Arc::ptr_eq(vmdbk, &issuer.vmdbk) {
        vmdbk.write(&line, Tone::Normal, cp.now());
    }
    line.into()
}

/// ATTACH XSTORE [TO] userid|* [nM|nG|*|ALL]
pub(super) fn attach(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    words.accept("TO");
    let to = words.need()?;
    let vmdbk = match to.0 {
        "*" => issuer.vmdbk.clone(),
        _ => target(cp, issuer, &to.userid()?)?,
    };
    let amount = match words.next() {
        None => Amount::All,
        Some(word) if word.0 == "*" || word.is("ALL") => Amount::All,
        Some(word) => Amount::Megabytes(megabytes(word)?),
    };
    words.end()?;
    let megabytes = give(cp, &vmdbk, amount)?;
    Ok(told(cp, issuer, &vmdbk, format!("XSTORE {megabytes}M ATTACHED TO {}", vmdbk.userid)))
}

/// DETACH XSTORE [[FROM] userid|*]
pub(super) fn detach(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let from = words.accept("FROM");
    let userid = match words.next() {
        None if from => return Err(message::userid_missing()),
        None => issuer.userid().to_string(),
        Some(word) if word.0 == "*" => issuer.userid().to_string(),
        Some(word) => word.userid()?,
    };
    words.end()?;
    if userid != issuer.userid() && !issuer.has("B") {
        return Err(message::not_authorised().from("DTX"));
    }
    let vmdbk = target(cp, issuer, &userid).map_err(|message| message.from("DTX"))?;
    let megabytes = vmdbk.detach_expanded().ok_or_else(|| message::expanded_not_detached(&userid))?;
    Ok(told(cp, issuer, &vmdbk, format!("XSTORE {megabytes}M DETACHED {userid}")))
}

/// `RETAIN XSTORe [SYSTEM] nM|nG|ALL|OFF`
///
/// Keeps so much of the system's expanded storage from being attached to users, ALL of it, or with OFF nothing. Where
/// users have too much of it now, the rest is pending until they give it back. The minidisk cache uses none: RETAIN
/// XSTORE MDC is refused.
pub fn retain(cp: &Cp, _: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    if !words.accept("XSTORe") {
        return Err(words.need()?.invalid());
    }
    if words.accept("MDC") {
        return Err(message::no_expanded_storage().from("RXS"));
    }
    words.accept("SYSTEM");
    let word = words.need()?;
    words.end()?;
    let amount = match () {
        () if word.is("ALL") => Amount::All,
        () if word.is("OFF") => Amount::Megabytes(0),
        () => Amount::Megabytes(megabytes(word)?),
    };
    let installed = cp.expanded.installed();
    if installed == 0 {
        return Err(message::expanded_absent().from("RXS"));
    }
    if matches!(amount, Amount::Megabytes(megabytes) if megabytes > installed) {
        return Err(word.invalid());
    }
    let system = cp.expanded.retain(amount);
    Ok(format!("XSTORE RETAINED= {}M PENDING= {}M", system.retained, system.pending).into())
}
