//! Consoles: what stands between a user's terminal and the user's virtual machine.
//!
//! A [`terminal::Terminal`] is what a person sits at: a 3270 [`display`] or a typewriter (telnet's line mode, or the
//! program's own standard input). A [`Console`] belongs to a virtual machine, and outlives the terminal when the user
//! disconnects. It knows which side's turn it is (CP READ, VM READ, RUNNING), what has been typed ahead, and the
//! settings of TERMINAL and SET PF.
//!
//! The guest's side is [`Console::print`] and [`Console::set_vm_read`], called by the virtual console device while the
//! channel subsystem is locked ([`device`]). A console's lock is therefore below everything but a terminal's.
//!
//! CP is known here by what it gives: a clock, numbers of users and terminals, [`host::Host`], [`Record`]. What is due
//! when, it finds in the [`agenda`]. The program around CP knows it as [`sessions::Sessions`].

pub mod agenda;
pub mod ascii;
pub mod device;
pub mod display;
pub mod edit;
pub mod glass;
pub mod graf;
pub mod host;
pub mod sessions;
pub mod tail;
pub mod terminal;

use agenda::{Agenda, Item};
use ascii::AsciiConsole;
use base::Tod;
use display::{Tone, Turn};
use edit::Editing;
use glass::Glass;
use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, MutexGuard};
use tail::Tail;
use terminal::Terminal;

/// Lines that a guest may be ahead of what its terminal shows. A guest that writes more waits for its user.
pub const FLOOD: usize = 2000;

/// Minutes after which a disconnected user is logged off if the virtual machine waits for CP.
pub const FORCED_OFF_AFTER_MINUTES: u64 = 15;

/// How many lines may be on their way to a secondary user.
const FORWARDED: usize = 1024;

/// What SET PFnn has given a PF key to do.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum PfKey {
    /// Nothing: the key is not defined.
    #[default]
    Undefined,
    /// Bring back an earlier input line.
    Retrieve {
        /// To the line after the one shown last, and not the one before.
        forward: bool,
    },
    /// Into the input area, to be changed and entered.
    Delayed(String),
    /// As if typed and entered.
    Immediate(String),
}

/// The settings of TERMINAL.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The characters of line editing: LINEND, LINEDEL, CHARDEL and ESCAPE.
    pub editing: Editing,
    /// LINEDIT: whether CP edits at all.
    pub edit: bool,
    /// TABCHAR, `None` is OFF; it is shown, and nothing depends on it.
    pub tab: Option<char>,
    /// LINESIZE, in characters.
    pub line_size: u16,
    /// CONMODE 3270 instead of 3215.
    pub full_screen: bool,
    /// MODE CP; it is shown, and nothing depends on it.
    pub mode_cp: bool,
    /// BREAKIN GUESTCTL instead of IMMED.
    pub guest_controls: bool,
    /// The break key: `PA1`, `PFnn` or `NONE`.
    pub break_key: String,
    /// AUTOCR: a line from the guest ends even if its channel command does not say so.
    pub auto_return: bool,
    /// MORE: seconds until the alarm, and from then until the page turns.
    pub more: (u64, u64),
    /// HOLD: a full page with an urgent line stays until the user turns it.
    pub hold: bool,
    /// ATTN; it is shown, and nothing depends on it.
    pub attention: bool,
    /// APL; it is shown, and nothing depends on it.
    pub apl: bool,
    /// TEXT; it is shown, and nothing depends on it.
    pub text: bool,
    /// HILIGHT; it is shown, and nothing depends on it.
    pub highlight: bool,
    /// SCRNSAVE; it is shown, and nothing depends on it.
    pub screen_save: bool,
    /// TIMESTAMP; it is shown, and nothing depends on it.
    pub timestamp: bool,
    /// SYS3270; it is shown, and nothing depends on it.
    pub sys3270: bool,
    /// PROMPT; nothing depends on it.
    pub prompt: bool,
}

/// The usual character of TABCHAR ON.
pub const TAB: char = '\t';

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            editing: Editing::default(),
            edit: true,
            tab: Some(TAB),
            line_size: 80,
            full_screen: false,
            mode_cp: false,
            guest_controls: false,
            break_key: "PA1".into(),
            auto_return: true,
            more: (50, 10),
            hold: true,
            attention: false,
            apl: false,
            text: false,
            highlight: false,
            screen_save: false,
            timestamp: false,
            sys3270: false,
            prompt: true,
        }
    }
}

/// SPOOL CONSOLE START: what else gets the lines of a console.
pub trait Record: Send {
    /// A whole line.
    fn line(&mut self, text: &str);
    /// What the guest writes: new lines separate lines, and what follows the last one is not ended yet.
    fn print(&mut self, text: &str);
}

/// A virtual machine's console.
#[derive(Default)]
pub struct Console {
    /// The guest's own screen, with CONMODE 3270.
    pub glass: Arc<Glass>,
    /// The integrated ASCII console, if the virtual machine has one.
    pub ascii: Option<AsciiConsole>,
    /// Where the user sits; none when disconnected.
    pub terminal: Option<Arc<Terminal>>,
    /// The settings of TERMINAL.
    pub settings: Settings,
    /// PF1 to PF24.
    pub pf: [PfKey; 24],
    /// CP reads: the virtual machine does not run unless SET RUN ON.
    pub cp_read: bool,
    /// The user said SLEEP; neither CP nor the virtual machine reads until then (`None` inside: until ENTER).
    pub asleep: Option<Option<Tod>>,
    /// ECHO: how often each line that is typed is shown.
    pub echo: Option<u32>,
    /// CP has asked for a password: the beginning of the command that it completes.
    question: Option<String>,
    /// The guest has a read outstanding that no line has answered.
    vm_read: bool,
    /// SPOOL CONSOLE START: where the lines go as well.
    pub record: Option<Box<dyn Record>>,
    /// The last lines, once something has asked for them.
    pub tail: Option<Box<Tail>>,
    /// SPOOL CONSOLE NOTERM: record without showing.
    pub silent: bool,
    /// The user who gets the output while this one is disconnected (SET SECUSER). That may be a user who is not there,
    /// or this one, who then gets nothing.
    pub secondary: Option<String>,
    /// That user is an observer (SET OBSERVER): gets the output also while this user is at a terminal, and cannot
    /// answer it.
    pub observed: bool,
    /// Output on its way to the secondary user: CP takes it there when it is due, since two consoles are never locked
    /// at once.
    pub forward: VecDeque<String>,
    /// The last disconnection, if no terminal has come back, for the forced logoff of users that are left alone.
    pub disconnected: Option<Tod>,
    /// How often it has been locked: tests check that an idle user is not looked at.
    looks: u64,
    /// Where it says what it is due for, as long as its user is logged on.
    listed: Option<Listed>,
}

/// A user's line of the agenda.
struct Listed {
    agenda: Arc<Agenda>,
    user: u32,
    /// The user is never forced off.
    stays: bool,
    /// What the agenda knows.
    at: Option<Tod>,
}

/// A console that is locked. When it is unlocked, the agenda is told what the user is due for.
pub struct ConsoleGuard<'a>(MutexGuard<'a, Console>);

impl ConsoleGuard<'_> {
    /// Guards a console that was just locked.
    pub fn new(mut console: MutexGuard<'_, Console>) -> ConsoleGuard<'_> {
        console.looks += 1;
        ConsoleGuard(console)
    }
}

impl Deref for ConsoleGuard<'_> {
    type Target = Console;

    fn deref(&self) -> &Console {
        &self.0
    }
}

impl DerefMut for ConsoleGuard<'_> {
    fn deref_mut(&mut self) -> &mut Console {
        &mut self.0
    }
}

impl Drop for ConsoleGuard<'_> {
    fn drop(&mut self) {
        let at = self.0.deadline();
        if let Some(listed) = self.0.listed.as_mut().filter(|listed| listed.at != at) {
            listed.at = at;
            listed.agenda.set(Item::User(listed.user), at);
        }
    }
}

impl Console {
    /// Its user is logged on: from now on the agenda knows what is due. A user who `stays` is never forced off.
    pub fn enlist(&mut self, agenda: &Arc<Agenda>, user: u32, stays: bool) {
        self.listed = Some(Listed { agenda: agenda.clone(), user, stays, at: None });
    }

    /// Its user is gone: nothing is due any more.
    pub fn delist(&mut self) {
        if let Some(listed) = self.listed.take() {
            listed.agenda.set(Item::User(listed.user), None);
        }
    }

    /// When CP has something to do for the user.
    pub fn deadline(&self) -> Option<Tod> {
        let waking = if self.forward.is_empty() { self.asleep.flatten() } else { Some(Tod(0)) };
        waking.into_iter().chain(self.forced_off_at()).min()
    }

    /// The time at which a disconnected user is logged off. CP reads, no answer comes, and so the virtual machine
    /// stands still.
    pub fn forced_off_at(&self) -> Option<Tod> {
        let answered = self.secondary.is_some() && !self.observed;
        let waits = self.terminal.is_none() && self.cp_read && !answered;
        let goes = self.listed.as_ref().is_some_and(|listed| !listed.stays);
        let since = self.disconnected.filter(|_| waits && goes);
        since.map(|since| since.plus_micros(FORCED_OFF_AFTER_MINUTES * 60_000_000))
    }

    /// How often it has been looked at.
    pub fn looks(&self) -> u64 {
        self.looks
    }

    /// CP asks for a password, which is not shown; with it, `command` is complete.
    pub fn ask(&mut self, command: String) {
        self.question = Some(command);
        if let Some(terminal) = &self.terminal {
            terminal.hide_input(true);
        }
    }

    /// The command that the next line completes, if CP has asked for one.
    pub fn take_question(&mut self) -> Option<String> {
        let question = self.question.take()?;
        if let Some(terminal) = &self.terminal {
            terminal.hide_input(false);
        }
        Some(question)
    }

    /// Which side's turn it is.
    pub fn turn(&self) -> Turn {
        match () {
            () if self.asleep.is_some() => Turn::Running,
            () if self.cp_read => Turn::CpRead,
            () if self.vm_read => Turn::VmRead,
            () => Turn::Running,
        }
    }

    /// Tells the terminal which side's turn it is now.
    pub fn show_turn(&self) {
        if let Some(terminal) = &self.terminal {
            terminal.set_turn(self.turn());
        }
    }

    /// A line for the user: a response of CP, a message, or a whole line of the guest's.
    pub fn write(&mut self, text: &str, tone: Tone, now: Tod) {
        self.put(text, tone, now);
        if self.observed || self.terminal.is_none() {
            self.forward(text);
        }
    }

    /// Shows a line on the terminal, and records it.
    fn put(&mut self, text: &str, tone: Tone, now: Tod) {
        if let Some(record) = &mut self.record {
            record.line(text);
        }
        if let Some(tail) = &mut self.tail {
            tail.line(text);
        }
        match &self.terminal {
            Some(terminal) if !self.silent || tone == Tone::Urgent => {
                let broken_in = !self.settings.guest_controls && self.glass.break_in();
                terminal.write(text, tone, now);
                if broken_in {
                    // MORE... says how the guest's screen comes back, and it does so by itself.
                    terminal.keep(now);
                }
            }
            _ => (),
        }
    }

    /// What the user typed stands in the console's file as well.
    pub fn record_input(&mut self, line: &str) {
        if let Some(record) = self.record.as_mut().filter(|_| !line.is_empty()) {
            record.line(line);
        }
    }

    /// A line of a disconnected user that has this one as its secondary user. Without a terminal it is lost. It is
    /// never passed on, or two users who are each other's secondary user would hand it to and fro for ever. A terminal
    /// that has much to show yet gets no more.
    pub fn receive(&mut self, line: &str, now: Tod) {
        if self.terminal.is_some() && self.backlog() <= FLOOD {
            self.put(line, Tone::Normal, now);
        }
    }

    fn forward(&mut self, line: &str) {
        if self.secondary.is_some() && self.forward.len() < FORWARDED {
            self.forward.push_back(line.to_string());
        }
    }

    /// The guest writes `text` to its console; new lines separate lines, and what follows the last one is not ended
    /// yet.
    pub fn print(&mut self, text: &str, now: Tod) {
        if let Some(record) = &mut self.record {
            record.print(text);
        }
        if let Some(tail) = &mut self.tail {
            tail.print(text);
        }
        match &self.terminal {
            Some(terminal) if !self.silent => terminal.print(text, now),
            _ => (),
        }
        if self.observed || self.terminal.is_none() {
            text.lines().for_each(|line| self.forward(line));
        }
    }

    /// The guest writes to the integrated ASCII console.
    pub fn print_ascii(&mut self, bytes: &[u8], now: Tod) {
        if let (Some(ascii), Some(terminal)) = (&mut self.ascii, &self.terminal) {
            terminal.show(&ascii.text(bytes), now);
        }
    }

    /// The guest waits for a line with a read outstanding, or no longer.
    pub fn set_vm_read(&mut self, waits: bool) {
        self.vm_read = waits;
        self.show_turn();
    }

    /// How many rows the terminal has still to show; a guest that writes faster waits for it.
    pub fn backlog(&self) -> usize {
        self.terminal.as_ref().map_or(0, |terminal| terminal.backlog())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cp_reads_before_the_guest() {
        let mut console = Console::default();
        assert_eq!(console.turn(), Turn::Running);
        console.set_vm_read(true);
        assert_eq!(console.turn(), Turn::VmRead);
        console.cp_read = true;
        assert_eq!(console.turn(), Turn::CpRead);
        console.asleep = Some(None);
        assert_eq!(console.turn(), Turn::Running, "nobody reads while the user sleeps");
    }
}
