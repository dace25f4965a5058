//! SET PRIVCLASS, SECUSER, OBSERVER, MACHINE, LOGMSG: the user's classes, who else gets the console's output, the
//! machine's mode, and what users read at logon.

use super::super::{Issuer, Response, query, run};
use crate::system::Cp;
use message::Message;
use message::words::Words;
use virtualmachine::class::Classes;

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

/// `SET SECUSER [targetid] userid|*|RESET|OFF`
///
/// Who gets your console's output while you are disconnected, and may answer it (SEND): each line after your userid and
/// a colon, at the other user's terminal. While that user has none, the lines are lost; they do not go on to the other
/// user's own secondary user. RESET is what the CONSOLE statement of the directory says, OFF ends it, * is yourself.
/// With class A or C a targetid is another user whose output it is. Without, you can only be released: targetid OFF,
/// where you are its secondary user. A user has a secondary user or an observer (SET OBSERVER), not both.
pub fn secondary_user(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    reader(cp, issuer, words, false)
}

/// `SET OBServer [targetid] userid|*|RESET|OFF`
///
/// Who gets all output of your console, whether or not you are disconnected, and cannot answer it. Otherwise it is as
/// SET SECUSER. QUERY OBSERVER shows it.
pub fn observer(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    reader(cp, issuer, words, true)
}

/// SET SECUSER, and SET OBSERVER for an observer.
fn reader(cp: &Cp, issuer: &Issuer, mut words: Words<'_>, observer: bool) -> Result<Response, Message> {
    let mut word = words.need()?;
    let mut vmdbk = issuer.vmdbk.clone();
    let privileged = issuer.has("AC");
    if let Some(next) = words.next() {
        let userid = word.userid()?;
        vmdbk = cp.vmdbk(&userid).ok_or_else(|| message::not_logged_on(userid).from("SET"))?;
        word = next;
        let released = word.is("OFF") && {
            let console = vmdbk.console();
            console.secondary.as_deref() == Some(issuer.userid()) && console.observed == observer
        };
        if !privileged && !released {
            return Err(message::not_authorised().from("SET"));
        }
    }
    words.end()?;
    let new = match () {
        () if word.is("OFF") => None,
        () if word.is("RESET") => {
            let statement = vmdbk.user.console().map(|(_, console)| console);
            statement.filter(|console| console.observer == observer).and_then(|console| console.secondary.clone())
        }
        () if word.0 == "*" => Some(issuer.userid().to_string()),
        () => Some(word.userid()?),
    };
    if let Some(userid) = new.as_ref().filter(|userid| cp.user(userid).is_none()) {
        return Err(message::not_in_directory(userid).from("SET"));
    }
    // Output until now goes to the user who gets it until now.
    cp.forward(&vmdbk);
    let mut console = vmdbk.console();
    // OFF and an empty RESET end nothing of the other kind.
    if new.is_some() || console.observed == observer {
        console.observed = observer && new.is_some();
        console.secondary = new;
    }
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
