//! CPU: a command for another virtual CPU.

use super::{Issuer, Response, execute};
use crate::system::Cp;
use message::Message;
use message::words::Words;

/// `CPU n|ALL command`
///
/// Performs a command for virtual CPU n, or for each of them in turn: DISPLAY, STORE, BEGIN, STOP and others work on
/// that one instead of the base CPU. The CPU's address stands before each line of the response.
pub fn cpu(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let which = words.need()?;
    let machine = issuer.vmdbk.machine();
    let cpus: Vec<u16> =
        if which.is("ALL") { machine.configuration.cpus().collect() } else { vec![address(issuer, which)?] };
    words.peek().ok_or_else(message::operand_missing)?;
    let mut all = Response::none();
    for cpu in cpus {
        let issuer = Issuer { cpu: Some(cpu), ..issuer.clone() };
        let response = execute(cp, &issuer, words.rest())?;
        all.code = response.code;
        all.lines.extend(response.lines.iter().map(|line| format!("{cpu:02X}: {line}")));
    }
    Ok(all)
}

/// The address of a virtual CPU that exists.
pub fn address(issuer: &Issuer, word: message::words::Word<'_>) -> Result<u16, Message> {
    let cpu = word.hexadecimal().and_then(|n| u16::try_from(n).ok()).ok_or_else(|| word.invalid())?;
    if issuer.vmdbk.machine().configuration.is_defined(cpu) {
        Ok(cpu)
    } else {
        Err(message::no_cpu(format!("{cpu:02X}")))
    }
}
