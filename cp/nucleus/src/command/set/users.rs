//! SET PRIVCLASS, SECUSER, MACHINE, LOGMSG: the user's classes, the secondary user of the console, the machine's mode,
//! and what users read at logon.

use super::super::{Issuer, Response, query, run};
use crate::class::Classes;
use crate::system::Cp;
use message::Message;
use message::words::Words;

/// `SET PRIVclass [*|userid] [=|+|-]classes | RESET`
///
/// Gives up privilege classes, or takes them back: = sets them, + adds, - takes away, RESET is what the directory says.
/// Your own can only be some of those in the directory; another user's (class C) can be any.
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
/// Who gets your console's output while you are disconnected: each line after your userid and a colon, at the other
/// user's terminal. While that user has none, the lines are lost; they do not go on to the other user's own secondary
/// user. You can be your own secondary user, which is of no use.
pub fn secondary_user(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let word = words.need()?;
    words.end()?;
    let secondary = if word.is("OFF") { None } else { Some(word.userid()?) };
    if let Some(userid) = secondary.as_ref().filter(|userid| cp.user(userid).is_none()) {
        return Err(message::not_in_directory(userid).from("SET"));
    }
    // Output until now goes to the secondary user until now.
    cp.forward(&issuer.vmdbk);
    issuer.vmdbk.console().secondary = secondary;
    Ok(Response::none())
}

/// The most lines of the log message.
const LOG_LINES: usize = 100;

/// `SET LOGMSG [n text] | [n] NULL`
///
/// Changes line n of the log message that users see when they log on; a number beyond the last adds a line. With NULL
/// after it the line goes, NULL alone takes all away. What the system configuration says comes back when the system is
/// started again.
pub fn log_message(cp: &Cp, _: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let word = words.need()?;
    if word.is("NULL") {
        words.end()?;
        cp.set_log_message(Vec::clear);
        return Ok(Response::none());
    }
    let line = word.decimal().filter(|n| (1..=LOG_LINES as u64).contains(n)).ok_or_else(|| word.invalid())? as usize;
    let text = words.rest();
    if text.is_empty() {
        return Err(message::operand_missing());
    }
    cp.set_log_message(|lines| match text.eq_ignore_ascii_case("NULL") {
        true if line <= lines.len() => drop(lines.remove(line - 1)),
        true => (),
        false if line <= lines.len() => lines[line - 1] = format!("* {text}"),
        false => lines.push(format!("* {text}")),
    });
    Ok(Response::none())
}

/// `SET MACHine 370|ESA|XA|XC|Z`
///
/// Sets the architecture that the virtual machine begins with, and resets it. ESA, XA and Z are the same: a program
/// goes on to z/Architecture by itself. In XC mode the control program may give it data spaces; otherwise it is as ESA.
/// 370 makes it a System/370: its storage is cleared.
pub fn machine(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    use directory::Machine as Mode;
    let word = words.need()?;
    words.end()?;
    let mode = match () {
        () if word.is("370") => Mode::S370,
        () if word.is("ESA") => Mode::Esa,
        () if word.is("XA") => Mode::Xa,
        () if word.is("XC") => Mode::Xc,
        () if word.is("Z") => Mode::Z,
        () => return Err(word.invalid()),
    };
    let before = std::mem::replace(&mut issuer.vmdbk.lock().machine, mode);
    if (before == Mode::S370) == (mode == Mode::S370) {
        return run::system(cp, issuer, Words::new("RESET"));
    }
    let storage = issuer.vmdbk.machine().configuration.storage().size();
    super::super::define::rebuild(cp, issuer, storage)?;
    Ok("STORAGE CLEARED - SYSTEM RESET.".into())
}
