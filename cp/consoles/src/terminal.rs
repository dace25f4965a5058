//! A terminal: a person's 3270 or typewriter, owned by a virtual machine or without an owner.
//!
//! Keys and lines come in through CP, which knows the owner by the number that is kept here; what is to be seen is
//! fetched with [`Terminal::screen`] or [`Terminal::take_output`] after [`Host::changed`] has said that there is
//! something new. A 3270 without an owner shows the logo. Its three fields ([`LOGO_FIELDS`]) are the only other form a
//! screen has.

use super::display::{Action, Display, Key, Screen, Size, Tone, Turn};
use super::glass::Glass;
use super::graf::Line;
use super::host::{Handle, Host};
use crate::agenda::{Agenda, Item};
use base::{Held, Tod};
use std::sync::{Arc, Mutex, MutexGuard};

/// The fields of the logo, in the order in which their contents come with a key.
pub const LOGO_FIELDS: [&str; 3] = ["USERID", "PASSWORD", "COMMAND"];

/// What a terminal is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A 3270 of this size.
    Display(Size),
    /// Lines in, lines out.
    Typewriter,
    /// A typewriter in lines, with a screen that guests may use as a VT220's. What is to be printed has CR and LF where
    /// lines end.
    Ascii,
}

/// A LOGON command.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Logon {
    /// The user to be logged on, in capitals.
    pub userid: String,
    /// BY: the user whose password is given instead.
    pub by: Option<String>,
    /// HERE: from another terminal, if need be.
    pub here: bool,
    /// NOIPL: without the directory's IPL.
    pub no_ipl: bool,
}

/// Where a terminal without an owner stands on its way to one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    /// The logo is shown.
    Logo,
    /// `Enter one of the following commands`.
    Command,
    /// A password is awaited for this LOGON.
    Password(Logon),
    /// The user has gone; the last lines stay until ENTER or CLEAR.
    Parting,
    /// A virtual machine owns the terminal.
    Owned,
    /// It is a virtual machine's own 3270 (DIAL).
    Dialed,
}

/// What a typewriter has still to print.
#[derive(Default)]
pub struct Typewriter {
    output: String,
    /// Whether the last thing printed was not ended by a new line.
    open: bool,
    hidden: bool,
    turn: Turn,
    /// Whether each line ends with CR and LF.
    ascii: bool,
    /// CP's messages, if they are to be apart from what else is printed.
    messages: Option<String>,
}

impl Typewriter {
    /// Prints text that is to be seen as it is.
    fn show(&mut self, text: &str) {
        self.output.push_str(text);
        let last = text.rsplit_once('\n').map(|(_, last)| last);
        self.open = !last.unwrap_or(text).trim_matches('\r').is_empty() || last.is_none() && self.open;
    }

    /// Prints text in lines that end with LF.
    fn print(&mut self, text: &str) {
        if self.ascii { self.show(&text.replace('\n', "\r\n")) } else { self.show(text) }
    }
}

enum Face {
    Display(Box<Display>),
    Typewriter(Typewriter),
}

/// The virtual machine that a terminal belongs to.
pub struct Owner {
    /// Its number.
    pub user: u32,
    /// The guest's own screen.
    pub glass: Arc<Glass>,
}

struct Inner {
    face: Face,
    entry: Entry,
    owner: Option<Owner>,
    line: Option<Line>,
    wrong_passwords: u32,
    /// How often it has been locked: tests hold that an idle terminal is not looked at.
    looks: u64,
    /// The agenda that says what is due, as long as the terminal is connected, and what it says.
    agenda: Option<Arc<Agenda>>,
    due: Option<Tod>,
}

impl Inner {
    fn deadline(&self) -> Option<Tod> {
        match &self.face {
            Face::Display(display) => display.deadline(),
            Face::Typewriter(_) => None,
        }
    }

    /// Tells the agenda what the terminal is due for, if that has changed.
    fn tell(&mut self, id: u32) {
        let due = self.deadline();
        if let Some(agenda) = self.agenda.as_ref().filter(|_| self.due != due) {
            agenda.set(Item::Terminal(id), due);
            self.due = due;
        }
    }
}

/// A terminal.
pub struct Terminal {
    /// The number by which [`Host`] and CP name it.
    pub id: u32,
    /// Where it is, as QUERY NAMES shows it: `L0003`.
    pub name: String,
    /// Whether its user is on this host: initial passwords are good only here.
    pub local: bool,
    /// Where it comes from, for QUERY CONSOLE: a network address, or nothing.
    pub origin: String,
    host: Arc<dyn Host>,
    inner: Mutex<Inner>,
}

impl Terminal {
    /// A terminal with the logo on it. The first operands are the fields of these names; `system` is the system
    /// identifier that a display shows.
    pub fn new(
        id: u32,
        name: String,
        kind: Kind,
        origin: String,
        local: bool,
        system: &str,
        host: Arc<dyn Host>,
    ) -> Terminal {
        let face = match kind {
            Kind::Display(size) => {
                let mut display = Display::new(size, system);
                display.private = true;
                Face::Display(Box::new(display))
            }
            Kind::Typewriter => Face::Typewriter(Typewriter::default()),
            Kind::Ascii => Face::Typewriter(Typewriter { ascii: true, ..Typewriter::default() }),
        };
        let entry = if matches!(face, Face::Display(_)) { Entry::Logo } else { Entry::Command };
        let inner =
            Inner { face, entry, owner: None, line: None, wrong_passwords: 0, looks: 0, agenda: None, due: None };
        Terminal { id, name, local, origin, host, inner: Mutex::new(inner) }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        let mut inner = self.inner.lock().held();
        inner.looks += 1;
        inner
    }

    /// The terminal is connected: from now on the agenda knows what is due.
    pub fn enlist(&self, agenda: &Arc<Agenda>) {
        let mut inner = self.lock();
        inner.agenda = Some(agenda.clone());
        inner.tell(self.id);
    }

    /// The terminal is gone: nothing is due any more, and it is dialed to nothing that counts.
    pub fn delist(&self) {
        let mut inner = self.lock();
        if let Some(agenda) = inner.agenda.take() {
            agenda.set(Item::Terminal(self.id), None);
            if inner.line.is_some() {
                agenda.count_dialed(false);
            }
        }
    }

    /// How often it has been looked at.
    pub fn looks(&self) -> u64 {
        self.lock().looks
    }

    /// Changes the face and tells the agenda and the host.
    fn change<T>(&self, f: impl FnOnce(&mut Inner) -> T) -> T {
        let result = {
            let mut inner = self.lock();
            let result = f(&mut inner);
            inner.tell(self.id);
            result
        };
        self.host.changed(self.id);
        result
    }

    /// What a virtual 3270 knows of the terminal at it.
    pub fn handle(&self) -> Handle {
        Handle { terminal: self.id, host: self.host.clone() }
    }

    /// Has the host look at what is to be seen.
    pub fn touch(&self) {
        self.host.changed(self.id);
    }

    /// What the guest's own screen has for the display, if the guest has the display: records of the 3270 data stream.
    pub fn guest_records(&self) -> Option<Vec<Vec<u8>>> {
        match &self.lock().face {
            Face::Display(display) if !display.is_kept() => (),
            _ => return None,
        }
        match self.line() {
            Some(line) => line.graf.glass.take_records(),
            None => {
                let glass = self.lock().owner.as_ref()?.glass.clone();
                glass.take_records()
            }
        }
    }

    /// The size of a display.
    pub fn size(&self) -> Option<Size> {
        match &self.lock().face {
            Face::Display(display) => Some(display.screen().size),
            Face::Typewriter(_) => None,
        }
    }

    /// Whether it is a 3270, and not a typewriter or an ASCII terminal.
    pub fn is_display(&self) -> bool {
        matches!(self.lock().face, Face::Display(_))
    }

    /// How far its user has come.
    pub fn entry(&self) -> Entry {
        self.lock().entry.clone()
    }

    /// Says how far its user has come. A password is typed unseen, and the logo begins with an empty display.
    pub fn set_entry(&self, entry: Entry) {
        self.change(|inner| {
            let hidden = matches!(entry, Entry::Password(_));
            match &mut inner.face {
                Face::Display(display) => {
                    display.hide_input(hidden);
                    if matches!(entry, Entry::Logo | Entry::Command) {
                        display.erase();
                        display.set_turn(Turn::CpRead);
                    }
                }
                Face::Typewriter(typewriter) => typewriter.hidden = hidden,
            }
            inner.entry = entry;
        });
    }

    /// The number of the virtual machine that owns the terminal.
    pub fn owner(&self) -> Option<u32> {
        self.lock().owner.as_ref().map(|owner| owner.user)
    }

    /// Gives the terminal to a virtual machine, or with `None` leaves it without an owner.
    pub fn set_owner(&self, owner: Option<Owner>) {
        self.change(|inner| {
            inner.entry = if owner.is_some() { Entry::Owned } else { Entry::Parting };
            inner.wrong_passwords = 0;
            inner.owner = owner;
            match &mut inner.face {
                Face::Display(display) => {
                    display.hide_input(false);
                    display.private = inner.owner.is_none();
                }
                Face::Typewriter(typewriter) => typewriter.hidden = false,
            }
        });
    }

    /// What the terminal is dialed to.
    pub fn line(&self) -> Option<Line> {
        self.lock().line.clone()
    }

    /// The terminal is dialed to a virtual machine, or with `None` not any more.
    pub fn set_line(&self, line: Option<Line>) {
        self.change(|inner| {
            inner.entry = if line.is_some() { Entry::Dialed } else { Entry::Parting };
            if let Some(agenda) = inner.agenda.as_ref().filter(|_| inner.line.is_some() != line.is_some()) {
                agenda.count_dialed(line.is_some());
            }
            inner.line = line;
        });
    }

    /// Whether what is typed is to be shown.
    pub fn hide_input(&self, hidden: bool) {
        self.change(|inner| match &mut inner.face {
            Face::Display(display) => display.hide_input(hidden),
            Face::Typewriter(typewriter) => typewriter.hidden = hidden,
        });
    }

    /// Counts a wrong password; how many there have been in a row.
    pub fn wrong_password(&self) -> u32 {
        let mut inner = self.lock();
        inner.wrong_passwords += 1;
        inner.wrong_passwords
    }

    /// Says which side is to act: [`Display::set_turn`].
    pub fn set_turn(&self, turn: Turn) {
        self.change(|inner| match &mut inner.face {
            Face::Display(display) => display.set_turn(turn),
            Face::Typewriter(typewriter) => typewriter.turn = turn,
        });
    }

    /// TERMINAL MORE and HOLD.
    pub fn set_paging(&self, more: (u64, u64), hold: bool) {
        let mut inner = self.lock();
        if let Face::Display(display) = &mut inner.face {
            (display.more, display.hold) = (more, hold);
        }
        inner.tell(self.id);
    }

    /// A line.
    pub fn write(&self, text: &str, tone: Tone, now: Tod) {
        self.change(|inner| match &mut inner.face {
            Face::Display(display) => display.write(text, tone, now),
            Face::Typewriter(Typewriter { messages: Some(messages), .. }) if text.starts_with("HCP") => {
                messages.push_str(text);
                messages.push('\n');
            }
            Face::Typewriter(typewriter) => {
                if typewriter.open {
                    typewriter.print("\n");
                }
                typewriter.print(text);
                typewriter.print("\n");
            }
        });
    }

    /// The guest's output: lines, the last of them perhaps unfinished.
    pub fn print(&self, text: &str, now: Tod) {
        self.change(|inner| match &mut inner.face {
            Face::Display(display) => display.print(text, now),
            Face::Typewriter(typewriter) => typewriter.print(text),
        });
    }

    /// The guest's output on the integrated ASCII console: as it is, where that can be.
    pub fn show(&self, text: &str, now: Tod) {
        self.change(|inner| match &mut inner.face {
            Face::Display(display) => display.print(&text.replace('\r', ""), now),
            Face::Typewriter(typewriter) => typewriter.show(text),
        });
    }

    /// Puts lines where they are wanted in the output area of a display.
    pub fn place(&self, first: usize, lines: &[String]) {
        self.change(|inner| {
            if let Face::Display(display) = &mut inner.face {
                display.place(first, lines);
            }
        });
    }

    /// The guest has a screen to show: lines that have been shown stay until the page is turned.
    pub fn keep(&self, now: Tod) {
        self.change(|inner| {
            if let Face::Display(display) = &mut inner.face {
                display.keep(now);
            }
        });
    }

    /// Whether lines stay until the page is turned before the guest gets its screen.
    pub fn is_kept(&self) -> bool {
        matches!(&self.lock().face, Face::Display(display) if display.is_kept())
    }

    /// Erases the output area of a display.
    pub fn erase(&self) {
        self.change(|inner| {
            if let Face::Display(display) = &mut inner.face {
                display.erase();
            }
        });
    }

    /// A key of a display, with what stood in the input area.
    pub fn key(&self, key: Key, typed: &str, now: Tod) -> Action {
        self.change(|inner| match &mut inner.face {
            Face::Display(display) => display.key(key, typed, now),
            Face::Typewriter(_) => match key {
                Key::Enter => Action::Line(typed.to_string()),
                Key::Pa1 => Action::Break,
                _ => Action::None,
            },
        })
    }

    /// Redisplays a line that was entered before the terminal has an owner; what is secret has been left out.
    pub fn echo(&self, line: &str, now: Tod) {
        if self.is_display() {
            self.write(line, Tone::Input, now);
        }
    }

    /// RETRIEVE.
    pub fn retrieve(&self, forward: bool) {
        self.change(|inner| {
            if let Face::Display(display) = &mut inner.face {
                display.retrieve(forward);
            }
        });
    }

    /// Puts `text` into the input area.
    pub fn put_input(&self, text: String) {
        self.change(|inner| {
            if let Face::Display(display) = &mut inner.face {
                display.put_input(text);
            }
        });
    }

    /// Redisplays `line` as if it had been typed and entered.
    pub fn accept(&self, line: &str, now: Tod) {
        self.change(|inner| {
            if let Face::Display(display) = &mut inner.face {
                display.accept(line, now);
            }
        });
    }

    /// Lets time pass; when there is more to do.
    pub fn tick(&self, now: Tod) -> Option<Tod> {
        self.change(|inner| match &mut inner.face {
            Face::Display(display) => {
                display.tick(now);
                display.deadline()
            }
            Face::Typewriter(_) => None,
        })
    }

    /// When [`Terminal::tick`] has something to do next.
    pub fn deadline(&self) -> Option<Tod> {
        self.lock().deadline()
    }

    /// How many rows wait to be shown; of a typewriter, 80 characters count as one.
    pub fn backlog(&self) -> usize {
        match &self.lock().face {
            Face::Display(display) => display.backlog(),
            Face::Typewriter(typewriter) => typewriter.output.len() / 80,
        }
    }

    /// Where the terminal is, as messages say it: `LDEV L0003`.
    pub fn device(&self) -> String {
        let class = if self.name.starts_with('L') { "LDEV" } else { "GRAF" };
        format!("{class} {}", self.name)
    }

    /// Whether the logo is to be shown instead of the screen.
    pub fn shows_logo(&self) -> bool {
        self.is_display() && self.entry() == Entry::Logo
    }

    /// What a display shows; `None` for a typewriter.
    pub fn screen(&self) -> Option<Screen> {
        match &self.lock().face {
            Face::Display(display) => Some(display.screen()),
            Face::Typewriter(_) => None,
        }
    }

    /// What a typewriter has to print now: it is gone from here afterwards.
    pub fn take_output(&self) -> String {
        match &mut self.lock().face {
            Face::Display(_) => String::new(),
            Face::Typewriter(typewriter) => std::mem::take(&mut typewriter.output),
        }
    }

    /// From now on CP's messages, which begin with their numbers, are not among what a typewriter prints but for
    /// [`Terminal::take_messages`].
    pub fn part_messages(&self) {
        if let Face::Typewriter(typewriter) = &mut self.lock().face {
            typewriter.messages.get_or_insert_default();
        }
    }

    /// CP's messages since the last time, in lines, if they are kept apart.
    pub fn take_messages(&self) -> String {
        match &mut self.lock().face {
            Face::Typewriter(Typewriter { messages: Some(messages), .. }) => std::mem::take(messages),
            _ => String::new(),
        }
    }

    /// Whether what is typed next must not be seen.
    pub fn hidden(&self) -> bool {
        match &self.lock().face {
            Face::Display(display) => display.screen().input.hidden,
            Face::Typewriter(typewriter) => typewriter.hidden,
        }
    }

    /// Which side's turn it is.
    pub fn turn(&self) -> Turn {
        match &self.lock().face {
            Face::Display(display) => display.turn(),
            Face::Typewriter(typewriter) => typewriter.turn,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Silent;

    fn terminal(kind: Kind) -> Terminal {
        Terminal::new(1, "0009".into(), kind, String::new(), true, "TEST", Arc::new(Silent))
    }

    #[test]
    fn messages_are_apart_where_they_are_to_be() {
        let now = Tod(0);
        let terminal = terminal(Kind::Ascii);
        terminal.write("HCPGIR450W CP entered", Tone::Normal, now);
        terminal.part_messages();
        terminal.print("boot", now);
        terminal.write("HCPGIR453W CP entered", Tone::Normal, now);
        terminal.write("STORAGE = 1G", Tone::Normal, now);
        terminal.print("HCPXXX000I is the guest's", now);
        let guest = "HCPGIR450W CP entered\r\nboot\r\nSTORAGE = 1G\r\nHCPXXX000I is the guest's";
        assert_eq!(
            (terminal.take_output().as_str(), terminal.take_messages().as_str()),
            (guest, "HCPGIR453W CP entered\n")
        );
        assert_eq!(terminal.take_messages(), "");
    }

    #[test]
    fn an_ascii_terminal_has_cr_and_lf_where_lines_end_and_what_guests_write_as_it_is() {
        let terminal = terminal(Kind::Ascii);
        terminal.print("a 3215's\nline", Tod(0));
        terminal.write("CP", Tone::Normal, Tod(0));
        terminal.show("\x1b[Hdown\nonly\r\n", Tod(0));
        terminal.write("CP again", Tone::Normal, Tod(0));
        terminal.show("the kernel's\n\r", Tod(0));
        terminal.write("no empty line", Tone::Normal, Tod(0));
        assert_eq!(
            terminal.take_output(),
            "a 3215's\r\nline\r\nCP\r\n\x1b[Hdown\nonly\r\nCP again\r\nthe kernel's\n\rno empty line\r\n"
        );
    }

    #[test]
    fn a_typewriter_has_lines() {
        let terminal = terminal(Kind::Typewriter);
        terminal.print("one\nand", Tod(0));
        terminal.print(" more", Tod(0));
        terminal.write("CP", Tone::Normal, Tod(0));
        assert_eq!(terminal.take_output(), "one\nand more\nCP\n");
    }
}
