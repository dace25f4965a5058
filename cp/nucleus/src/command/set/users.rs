//! SET PRIVCLASS, SECUSER, MACHINE: who the user is, who looks after the console, what the machine is.

use super::super::{Issuer, Response, query, run};
use crate::class::Classes;
use crate::message::{self, Message};
use crate::system::Cp;
use crate::words::Words;

/// `SET PRIVclass [*|userid] [=|+|-]classes | RESET`
///
/// Gives up privilege classes, or takes them back: = sets them, + adds, - takes away, RESET is what the directory says. Your own
/// can only be some of those in the directory; another user's (class C) can be any.
pub fn privilege(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let mut word = words.need()?;
    let mut vmdbk = issuer.vmdbk.clone();
    let sign = |text: &str| text.starts_with(['=', '+', '-']);
    if !sign(word.0) && !word.is("RESET") {
        if word.0 != "*" {
            if !issuer.has("C") {
                return Err(message::not_authorised().from("SET"));
            }
            let userid = word.userid()?;
            vmdbk = cp.vmdbk(&userid).ok_or_else(|| message::not_logged_on(userid).from("SET"))?;
        }
        word = words.need()?;
    }
    words.end()?;
    let granted = Classes::from(vmdbk.user.classes);
    let now = vmdbk.lock().classes;
    let new = if word.is("RESET") {
        granted
    } else {
        let (sign, letters) = word.0.split_at_checked(1).ok_or_else(|| word.invalid())?;
        let legal = |b: u8| b.is_ascii_alphabetic() || (b'1'..=b'6').contains(&b);
        if letters.is_empty() || !letters.bytes().all(legal) {
            return Err(word.invalid());
        }
        let named = Classes::of(letters);
        match sign {
            "=" => named,
            "+" => now.with(named),
            "-" => now.without(named),
            _ => return Err(word.invalid()),
        }
    };
    if new.without(granted) != Classes::NONE && !issuer.has("C") {
        return Err(message::not_authorised().from("SET"));
    }
    vmdbk.lock().classes = new;
    let shown = Issuer { vmdbk, ..issuer.clone() };
    query::settings::privilege(cp, &shown, Words::new(""))
}

/// `SET SECUSER userid|OFF`
///
/// Who gets your console's output while you are disconnected.
pub fn secondary_user(_: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let word = words.need()?;
    words.end()?;
    let secondary = if word.is("OFF") { None } else { Some(word.userid()?) };
    issuer.vmdbk.console().secondary = secondary;
    Ok(Response::none())
}

/// `SET MACHine ESA|XA`
///
/// Sets the architecture that the virtual machine begins with, and resets it. ESA and XA are the same; a program goes on to
/// z/Architecture by itself. A 370 or XC machine cannot be had.
pub fn machine(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let word = words.need()?;
    words.end()?;
    if !word.is("ESA") && !word.is("XA") && !word.is("Z") {
        return Err(word.invalid());
    }
    run::system(cp, issuer, Words::new("RESET"))
}
