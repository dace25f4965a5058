//! SEND, FOR and AT: lines and commands for another user, and for this system by its name.

use super::{Issuer, Origin, Response};
use crate::system::Cp;
use message::Message;
use message::words::Words;
use std::sync::Arc;
use virtualmachine::vmdbk::Vmdbk;

/// The virtual machine of a user whom the issuer may speak for: any with class C, else one whose secondary user the
/// issuer is. Whether it is with class C.
fn governed(cp: &Cp, issuer: &Issuer, userid: &str, module: &'static str) -> Result<(Arc<Vmdbk>, bool), Message> {
    let vmdbk = cp.vmdbk(userid).ok_or_else(|| message::not_logged_on(userid).from(module))?;
    let all = issuer.has("C");
    let secondary = {
        let console = vmdbk.console();
        !console.observed && console.secondary.as_deref() == Some(issuer.userid())
    };
    match all || secondary {
        true => Ok((vmdbk, all)),
        false => Err(message::not_authorised().from(module)),
    }
}

/// `SEND [CP] userid text`
///
/// Types a line at the console of a disconnected user whose secondary user you are (SET SECUSER); its response comes to
/// you as all of its output does. The virtual machine gets the line, or CP if it is CP that reads there. With CP the
/// line is a command of CP in any case. With class C the user may be any, at a terminal or not.
pub fn send(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let mut command = words.accept("CP");
    let userid = match words.is_empty() && command {
        // A user may be called CP.
        true => {
            command = false;
            "CP".into()
        }
        false => words.need_userid()?,
    };
    let (vmdbk, all) = governed(cp, issuer, &userid, "SND")?;
    if !all && !vmdbk.is_disconnected() {
        return Err(message::not_disconnected(&userid));
    }
    let text = words.verbatim();
    if command {
        if text.is_empty() {
            return Err(message::operand_missing().from("SND"));
        }
        cp.console_command(&vmdbk, text);
    } else {
        cp.type_line(&vmdbk, text);
    }
    Ok(Response::none())
}

/// `FOR userid|* CMD command`
///
/// Performs a command of CP as if that user had issued it, with that user's classes. The response comes to you. You are
/// the user's secondary user, or have class C; * is yourself.
pub fn act_for(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let vmdbk = match words.accept("*") {
        true => issuer.vmdbk.clone(),
        false => governed(cp, issuer, &words.need_userid()?, "FOR")?.0,
    };
    let command = named(&mut words)?;
    // The user's terminal asks for nothing: as for a program, what is missing is an error.
    super::execute(cp, &Issuer { vmdbk, origin: Origin::Diagnose, cpu: None }, command)
}

/// `AT system CMD command`
///
/// Performs a command of CP on the system of that name. There is this one: QUERY USERID shows its name.
pub fn at(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let system = words.need()?;
    if system.0 != "*" && system.upper() != cp.config.name {
        return Err(system.invalid());
    }
    let command = named(&mut words)?;
    super::execute(cp, issuer, command)
}

/// `CMD command`, to the end of the line.
fn named<'a>(words: &mut Words<'a>) -> Result<&'a str, Message> {
    let word = words.need()?;
    match (word.is("CMD"), words.verbatim()) {
        (false, _) => Err(word.invalid()),
        (true, "") => Err(message::operand_missing()),
        (true, command) => Ok(command),
    }
}

/// `VInput VMSG|PVMSG text`
///
/// Gives a line to the operating system of your virtual machine, as if it came from the console of the service
/// element. VMSG is a command; PVMSG, which would be one of priority, is given as one, too. An operating system that
/// does not listen to that console gets nothing, and you are told.
pub fn virtual_input(_: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let kind = words.need()?;
    if !kind.is("VMSG") && !kind.is("PVMSG") {
        return Err(kind.invalid());
    }
    let text = words.rest();
    if text.is_empty() {
        return Err(message::operand_missing());
    }
    match issuer.vmdbk.machine().configuration.service_command(text) {
        true => Ok(Response::none()),
        false => Err(message::no_service_console()),
    }
}
