//! DIAL: a terminal without an owner becomes a virtual machine's own 3270, until UNDIAL, the virtual machine's end, or
//! its own.
//!
//! While the guest has the display every key is the guest's. The Sys Req key brings CP's screen, where UNDIAL, MESSAGE
//! and, with nothing typed, the way back are to be had.

use crate::system::Cp;
use consoles::display::{Action, Key, Tone, Turn};
use consoles::graf::Line;
use consoles::terminal::Terminal;
use message::Message;
use message::words::Words;
use std::sync::Arc;
use virtualmachine::vmdbk::Vmdbk;

/// `Dial userid [vdev]`, at a terminal.
pub fn dial(cp: &Cp, terminal: &Arc<Terminal>, mut words: Words<'_>) -> Result<(), Message> {
    let userid = words.need_userid()?;
    let wanted = match words.peek() {
        Some(_) => Some(words.need_device()?),
        None => None,
    };
    words.end()?;
    let vmdbk = cp.vmdbk(&userid).filter(|vmdbk| !vmdbk.is_leaving());
    let vmdbk = vmdbk.ok_or_else(|| message::not_logged_on(&userid))?;
    let Some(size) = terminal.size() else { return Err(message::no_line("Line(s)", &userid)) };
    let graf = vmdbk
        .grafs()
        .into_iter()
        .find(|graf| wanted.is_none_or(|vdev| graf.vdev() == vdev) && graf.connect(terminal.handle(), size.into()));
    let Some(graf) = graf else {
        let line = wanted.map_or("Line(s)".into(), |vdev| format!("Line {vdev:04X}"));
        return Err(message::no_line(line, &userid));
    };
    let vdev = graf.vdev();
    terminal.set_line(Some(Line { userid: userid.clone(), graf }));
    terminal.set_turn(Turn::Running);
    terminal.write(&format!("DIALED TO {userid} {vdev:04X}"), Tone::Normal, cp.now());
    notify(cp, terminal, &format!("DIALED TO {userid:<8}"));
    Ok(())
}

/// The terminal at one of a virtual machine's lines, if there is one, is dropped: UNDIAL, RESET, DETACH, LOGOFF, or it
/// is about to go.
pub fn drop_line(cp: &Cp, line: &Line) {
    let Some(terminal) = line.graf.disconnect().and_then(|id| cp.terminal(id)) else { return };
    let vdev = line.graf.vdev();
    terminal.set_line(None);
    terminal.write(&format!("DROP FROM {} {vdev:04X}", line.userid), Tone::Normal, cp.now());
    notify(cp, &terminal, &format!("DROP FROM {:<8}", line.userid));
}

/// Every terminal that is dialed to a virtual machine is dropped.
pub fn drop_all(cp: &Cp, vmdbk: &Vmdbk) {
    for graf in vmdbk.grafs() {
        drop_line(cp, &Line { userid: vmdbk.userid.clone(), graf });
    }
}

fn notify(cp: &Cp, terminal: &Terminal, what: &str) {
    cp.notify_operator(&format!("{} {what} DIALED = {:04}", terminal.device(), cp.dialed_count()));
}

/// The Sys Req key: CP takes the display.
pub fn system_request(cp: &Cp, terminal: &Terminal, line: &Line) {
    line.graf.glass.hide();
    terminal.set_turn(Turn::CpRead);
    terminal.write("UNDIAL ends the connection, ENTER goes back to it", Tone::Normal, cp.now());
}

/// A key while CP has the display of a terminal that is dialed.
pub fn key(cp: &Cp, terminal: &Arc<Terminal>, line: &Line, key: Key, typed: &str) {
    if key == Key::Pa1 {
        return match terminal.turn() {
            Turn::CpRead => go_back(terminal, line),
            _ => system_request(cp, terminal, line),
        };
    }
    if let Action::Line(text) = terminal.key(key, typed, cp.now()) {
        let mut words = Words::new(&text);
        match words.next() {
            None => go_back(terminal, line),
            Some(word) if word.is("UNDial") => drop_line(cp, line),
            Some(word) if word.is("Message") || word.is("MSG") => {
                if let Err(message) = cp.tell_from_terminal(terminal, words) {
                    terminal.write(&message.to_string(), Tone::Normal, cp.now());
                }
            }
            Some(word) => {
                let message = message::unknown_command(word.upper());
                terminal.write(&message.to_string(), Tone::Normal, cp.now());
            }
        }
    } else if matches!(key, Key::Clear | Key::Pa2) && terminal.backlog() == 0 && terminal.turn() != Turn::CpRead {
        line.graf.glass.show();
        terminal.touch();
    }
}

fn go_back(terminal: &Terminal, line: &Line) {
    terminal.set_turn(Turn::Running);
    line.graf.glass.show();
    terminal.touch();
}
