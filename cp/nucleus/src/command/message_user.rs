//! MESSAGE, WARNING, MSGNOH and SMSG: lines from one user to others.

use super::{Issuer, Response};
use crate::console::display::Tone;
use crate::message::{self as messages, Message};
use crate::system::Cp;
use crate::vmdbk::Vmdbk;
use crate::words::Words;
use std::sync::Arc;

/// `Message userid|*|OPerator|ALL text`
///
/// Shows a line on another user's terminal; `*` is yourself, ALL is everybody (classes A and B). A user who has said SET MSG
/// OFF, or is disconnected, receives nothing, and you are told.
pub fn message(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    send(cp, issuer, words, "MSG", |vmdbk| vmdbk.lock().settings.messages)
}

/// `MSG userid|*|OPerator|ALL text`
///
/// The same as MESSAGE.
pub fn msg(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    message(cp, issuer, words)
}

/// `WARNing userid|*|OPerator|ALL text`
///
/// Shows a line on another user's terminal that SET MSG OFF does not stop, only SET WNG OFF.
pub fn warning(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    send(cp, issuer, words, "WNG", |vmdbk| vmdbk.lock().settings.warnings)
}

/// `WNG userid|*|OPerator|ALL text`
///
/// The same as WARNING.
pub fn wng(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    warning(cp, issuer, words)
}

/// `MSGNOH userid|*|OPerator|ALL text`
///
/// Shows a line on another user's terminal as it stands, without saying who sent it.
pub fn message_no_header(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    send(cp, issuer, words, "", |vmdbk| vmdbk.lock().settings.messages)
}

fn send(
    cp: &Cp,
    issuer: &Issuer,
    mut words: Words<'_>,
    kind: &str,
    receives: fn(&Vmdbk) -> bool,
) -> Result<Response, Message> {
    let target = words.next().ok_or_else(messages::userid_missing)?;
    let text = words.rest();
    if text.is_empty() {
        return Err(messages::operand_missing().from("MSG"));
    }
    let line = match kind {
        "" => text.to_string(),
        _ => format!("{}  * {kind} FROM {:<8} : {text}", cp.date().time(), issuer.userid()),
    };
    let now = cp.now();
    if target.is("ALL") && issuer.has("AB") {
        for vmdbk in cp.vmdbks() {
            if receives(&vmdbk) {
                vmdbk.write(&line, Tone::Urgent, now);
            }
        }
        return Ok(Response::none());
    }
    let vmdbk = receiver(cp, issuer, target)?;
    if !receives(&vmdbk) {
        return Err(messages::not_receiving(
            &vmdbk.userid,
            format!("{} OFF", if kind.is_empty() { "MSG" } else { kind }),
        ));
    }
    if vmdbk.is_disconnected() && vmdbk.console().secondary.is_none() && vmdbk.console().record.is_none() {
        return Err(messages::not_receiving(&vmdbk.userid, "disconnected"));
    }
    vmdbk.write(&line, Tone::Urgent, now);
    Ok(Response::none())
}

fn receiver(cp: &Cp, issuer: &Issuer, target: crate::words::Word<'_>) -> Result<Arc<Vmdbk>, Message> {
    let userid = match () {
        () if target.0 == "*" => issuer.userid().to_string(),
        () if target.is("OPerator") => cp.config.operator.clone(),
        () => target.userid()?,
    };
    cp.vmdbk(&userid).ok_or_else(|| messages::not_logged_on(&userid).from("MSG"))
}

/// `SMsg userid text`
///
/// Sends a special message to a program in another virtual machine. If no program there receives special messages, nothing is
/// shown and you are told.
pub fn special_message(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let target = words.next().ok_or_else(messages::userid_missing)?;
    let vmdbk = receiver(cp, issuer, target)?;
    if words.is_empty() {
        return Err(messages::operand_missing().from("MSG"));
    }
    Err(messages::not_receiving(&vmdbk.userid, "SMSG OFF"))
}
