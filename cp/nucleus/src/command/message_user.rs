//! MESSAGE, WARNING, MSGNOH and SMSG: lines from one user to others.

use super::{Issuer, Response};
use crate::system::Cp;
use crate::tell::Kind;
use base::ebcdic;
use iucv::service::Line;
use message::words::Words;
use message::{self as messages, Message};
use std::sync::Arc;
use virtualmachine::vmdbk::{Receive, Vmdbk};

/// `Message userid|*|OPerator|ALL text`
///
/// Shows a line on another user's terminal; `*` is yourself, ALL is all users (classes A and B). A user who has said
/// SET MSG OFF, or is disconnected without a secondary user at a terminal, receives nothing, and you are told.
pub fn message(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    send(cp, issuer, words, Kind::Message)
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
    send(cp, issuer, words, Kind::Warning)
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
    send(cp, issuer, words, Kind::NoHeader)
}

fn send(cp: &Cp, issuer: &Issuer, mut words: Words<'_>, kind: Kind) -> Result<Response, Message> {
    let target = words.next().ok_or_else(messages::userid_missing)?;
    let text = words.rest();
    if text.is_empty() {
        return Err(messages::operand_missing().from("MSG"));
    }
    if target.is("ALL") && issuer.has("AB") {
        for vmdbk in cp.vmdbks() {
            // Users who receive no messages are passed over.
            let _ = cp.tell(&vmdbk, kind, issuer.userid(), text);
        }
        return Ok(Response::none());
    }
    let vmdbk = receiver(cp, issuer, target)?;
    cp.tell(&vmdbk, kind, issuer.userid(), text)?;
    Ok(Response::none())
}

fn receiver(cp: &Cp, issuer: &Issuer, target: message::words::Word<'_>) -> Result<Arc<Vmdbk>, Message> {
    let userid = match () {
        () if target.0 == "*" => issuer.userid().to_string(),
        () if target.is("OPerator") => cp.config.operator.clone(),
        () => target.userid()?,
    };
    cp.vmdbk(&userid).ok_or_else(|| messages::not_logged_on(&userid).from("MSG"))
}

/// `SMsg userid text`
///
/// Sends a special message to a program in another virtual machine: to one that is connected to *MSG if SET SMSG IUCV
/// was said there, to one that uses VMCF if SET SMSG ON was. If no program there receives special messages, nothing is
/// shown and you are told.
pub fn special_message(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let target = words.next().ok_or_else(messages::userid_missing)?;
    let vmdbk = receiver(cp, issuer, target)?;
    if words.is_empty() {
        return Err(messages::operand_missing().from("MSG"));
    }
    let receives = vmdbk.lock().settings.special_messages;
    let taken = {
        let mut iucv = vmdbk.iucv();
        let all = iucv.line(vmdbk.id, Line::Special, issuer.userid(), words.rest(), true);
        receives == Receive::Iucv && iucv.line(vmdbk.id, Line::Special, issuer.userid(), words.rest(), false) || all
    };
    let (from, text) = (ebcdic::padded(issuer.userid()), ebcdic::from_str(words.rest()));
    match receives {
        _ if taken => Ok(Response::none()),
        Receive::On if vmdbk.vmcf().special(vmdbk.id, from, &text) => Ok(Response::none()),
        Receive::On => Err(messages::not_receiving(&vmdbk.userid, "not authorized")),
        Receive::Off | Receive::Iucv => Err(messages::not_receiving(&vmdbk.userid, "SMSG OFF")),
    }
}
