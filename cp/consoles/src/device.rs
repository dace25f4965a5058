//! The virtual console as a device of its virtual machine, and the paper that a 3215 writes on: the user's terminal.

use crate::display::Tone;
use crate::glass::{Glass, display_id};
use crate::{Console, ConsoleGuard, FLOOD};
use arch::io::{DeviceStatus, Orb, SenseId};
use base::{Clock, Held, ebcdic};
use css::{Command, Data, Device, Doorbell, Outcome, Reset, Sense, Unkept};
use devices::{Console3215, ConsoleHost, ConsoleInput};
use serde_json::Value;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// What the hardware of a virtual machine writes to its user on: the console, as CP and the hardware share it.
#[derive(Clone)]
pub struct Paper {
    /// The console, which CP shares.
    pub console: Arc<Mutex<Console>>,
    /// The guest's own screen, the console's.
    pub glass: Arc<Glass>,
    /// The virtual machine has written more than its terminal has shown, and does not run until the user has caught up.
    pub flooded: Arc<AtomicBool>,
    /// The clock by which lines are shown.
    pub clock: Arc<dyn Clock>,
    /// Has every virtual CPU that runs come back soon. Called without the console locked.
    pub hold: Arc<dyn Fn() + Send + Sync>,
}

impl Paper {
    fn console(&self) -> ConsoleGuard<'_> {
        ConsoleGuard::new(self.console.lock().held())
    }

    /// A line of the service element's console.
    pub fn line(&self, line: &str) {
        self.console().print(&format!("{line}\n"), self.clock.now());
    }

    /// Whether there is an integrated ASCII console.
    pub fn has_ascii(&self) -> bool {
        self.console().ascii.is_some()
    }

    /// What the guest writes to the integrated ASCII console.
    pub fn ascii(&self, bytes: &[u8]) {
        let mut console = self.console();
        console.print_ascii(bytes, self.clock.now());
        self.wait(console);
    }

    /// A guest that is far ahead of what its terminal shows stops until that has caught up.
    fn wait(&self, console: ConsoleGuard<'_>) {
        if console.backlog() > FLOOD && !self.flooded.swap(true, Ordering::AcqRel) {
            // The terminal may have shown all of it just before that, when no guest was held yet.
            if console.backlog() < FLOOD / 2 {
                self.flooded.store(false, Ordering::Release);
                return;
            }
            drop(console);
            (self.hold)();
        }
    }
}

impl ConsoleHost for Paper {
    fn write(&mut self, characters: &[u8], carriage_return: bool) {
        let mut console = self.console();
        console.glass.end_call();
        let mut text: String = characters
            .iter()
            .map(|&b| if b == ebcdic::NEW_LINE { '\n' } else { ebcdic::TO_LATIN1[usize::from(b)] as char })
            .collect();
        if (carriage_return || console.settings.auto_return) && !text.ends_with('\n') {
            text.push('\n');
        }
        console.print(&text, self.clock.now());
        self.wait(console);
    }

    fn reading(&mut self, waits: bool) {
        let mut console = self.console();
        if waits {
            console.glass.end_call();
        }
        console.set_vm_read(waits);
    }

    fn cut(&mut self, taken: usize) {
        // The VMDBK's own lock, with EMSG under it, is above the channel subsystem's, which is held here.
        self.console().write(&message::line_cut(taken).to_string(), Tone::Normal, self.clock.now());
    }
}

/// The console: a 3215, or after TERMINAL CONMODE 3270 a 3270.
pub struct VirtualConsole {
    printer: Console3215,
    paper: Paper,
    bell: Option<Doorbell>,
}

impl VirtualConsole {
    /// The console that writes on `paper`, with what the user types in `keyboard`.
    pub fn new(paper: Paper, keyboard: ConsoleInput) -> VirtualConsole {
        VirtualConsole { printer: Console3215::with_input(Box::new(paper.clone()), keyboard), paper, bell: None }
    }

    /// What rings when the console has something to say.
    pub fn bell(&self) -> Option<Doorbell> {
        self.bell.clone()
    }
}

impl Device for VirtualConsole {
    fn is_spooled(&self) -> bool {
        true
    }

    fn describe(&self) -> Option<SenseId> {
        if self.paper.glass.is_on() { Some(display_id()) } else { self.printer.describe() }
    }

    fn attached(&mut self, bell: Doorbell) {
        self.bell = Some(bell.clone());
        self.printer.attached(bell);
    }

    fn begin(&mut self, orb: &Orb) {
        self.printer.begin(orb);
    }

    fn command(&mut self, command: Command, data: &mut Data<'_>) -> Outcome {
        let glass = &self.paper.glass;
        if !glass.is_on() {
            return self.printer.command(command, data);
        }
        let terminal = self.paper.console().terminal.clone();
        glass.command(command, data, self.bell.clone(), || {
            terminal.iter().filter(|terminal| terminal.is_display()).for_each(|terminal| terminal.touch());
        })
    }

    fn sense(&mut self) -> Sense {
        self.printer.sense()
    }

    fn attention(&mut self) -> Option<DeviceStatus> {
        let glass = &self.paper.glass;
        let status = glass.take_report();
        let status = status.or_else(|| glass.take_attention().then_some(DeviceStatus::ATTENTION));
        if status.is_some() || glass.is_on() { status } else { self.printer.attention() }
    }

    fn halt(&mut self) -> DeviceStatus {
        self.printer.halt()
    }

    fn checkpoint(&self) -> Result<Value, Unkept> {
        match self.paper.glass.is_on() {
            true => Err(Unkept::Never("a console that is a 3270 cannot be saved")),
            false => Ok(Value::Null),
        }
    }

    fn reset(&mut self, kind: Reset) {
        self.paper.glass.reset();
        self.printer.reset(kind);
    }
}
