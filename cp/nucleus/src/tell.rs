//! Lines from one user to another: on the terminal, or to a program that gets its user's messages.

use crate::system::Cp;
use consoles::display::Tone;
use consoles::terminal::Terminal;
use iucv::service::Line;
use message::Message;
use message::words::Words;
use virtualmachine::vmdbk::{Receive, Vmdbk};

/// What kind of message it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Message,
    Warning,
    NoHeader,
}

impl Kind {
    /// Its name in the receiver's line and in SET.
    fn name(self) -> &'static str {
        match self {
            Kind::Message | Kind::NoHeader => "MSG",
            Kind::Warning => "WNG",
        }
    }

    fn receive(self, vmdbk: &Vmdbk) -> Receive {
        let settings = &vmdbk.lock().settings;
        match self {
            Kind::Message | Kind::NoHeader => settings.messages,
            Kind::Warning => settings.warnings,
        }
    }
}

impl Cp {
    /// Gives a user a line from `from`: on the terminal, or to a program that gets the user's messages. The terminal is
    /// the secondary user's if this one is disconnected. Fails if neither gets the line.
    pub fn tell(&self, vmdbk: &Vmdbk, kind: Kind, from: &str, text: &str) -> Result<(), Message> {
        let receive = kind.receive(vmdbk);
        let class = if kind == Kind::Warning { Line::Warning } else { Line::Message };
        let (one, all) = {
            let mut iucv = vmdbk.iucv();
            let all = iucv.line(vmdbk.id, class, from, text, true);
            (receive == Receive::Iucv && iucv.line(vmdbk.id, class, from, text, false), all)
        };
        let read = receive != Receive::Off && self.is_read(vmdbk);
        match () {
            () if one || all && !read => Ok(()),
            () if receive == Receive::Off => Err(message::not_receiving(&vmdbk.userid, format!("{} OFF", kind.name()))),
            () if !read => Err(message::not_receiving(&vmdbk.userid, "disconnected")),
            () => {
                let line = match kind {
                    Kind::NoHeader => text.to_string(),
                    _ => format!("{}  * {} FROM {from:<8} : {text}", self.date().time(), kind.name()),
                };
                vmdbk.write(&line, Tone::Urgent, self.now());
                Ok(())
            }
        }
    }

    /// MESSAGE of a terminal without an owner.
    pub fn tell_from_terminal(&self, terminal: &Terminal, mut words: Words<'_>) -> Result<(), Message> {
        let userid = words.need_userid()?;
        let target = self.vmdbk(&userid).ok_or_else(|| message::not_logged_on(&userid).from("MSG"))?;
        let text = words.rest();
        self.tell(&target, Kind::Message, &terminal.name, text)
    }
}
