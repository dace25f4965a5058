//! The virtual console as a 3270 (TERMINAL CONMODE 3270): the guest's own screen, on the same display as CP's.
//!
//! The guest's writes go to a screen in memory ([`tn3270::Screen`]), and while the guest has the display to the
//! terminal as well. So CP can take the display at any time (the break key, a message with TERMINAL BREAKIN IMMED) and
//! give it back as it was, or as the guest has changed it meanwhile, and a guest never has to draw its screen again.

use arch::io::{DeviceStatus, SenseId};
use base::Held;
use css::{Command, Data, Doorbell, Outcome, Sense};
use std::sync::{Mutex, MutexGuard};
use tn3270::datastream::{Aid, command};
use tn3270::{Inbound, Screen, Size};

/// The most data that one channel command writes.
const LONGEST: usize = 65_536;
/// Records that wait for the terminal; with more, the whole screen is sent instead.
const WAITING: usize = 64;
/// Sense bytes of a 3270.
pub const SENSE_BYTES: usize = 1;
const NO_OPERATION: u8 = 0x03;
const SELECT: u8 = 0x0b;
/// Sense byte 0: the data stream is not valid.
const OPERATION_CHECK: u8 = 0x01;

struct Inner {
    /// CONMODE 3270.
    on: bool,
    /// With CONMODE 3215: the guest has a screen of its own by DIAGNOSE X'58'.
    called: bool,
    /// Status that the console has to present.
    report: Option<DeviceStatus>,
    /// The guest has the display.
    shown: bool,
    /// CP has taken it: a write of the guest does not take it back.
    taken: bool,
    /// The guest has written something.
    written: bool,
    /// The terminal shows something else still: it needs the whole screen.
    whole: bool,
    screen: Screen,
    output: Vec<Vec<u8>>,
    /// What the display has sent and the guest not read.
    input: Option<Vec<u8>>,
    attention: bool,
    bell: Option<Doorbell>,
}

impl Inner {
    /// Whether the guest may have a screen of its own.
    fn active(&self) -> bool {
        self.on || self.called
    }
}

/// How a write by DIAGNOSE X'58' went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Called {
    /// It was written.
    Done,
    /// Nothing of the guest's is on the display: it has to begin with an erase.
    Erased,
    /// The data stream is not valid.
    Invalid,
}

/// A guest's 3270.
pub struct Glass {
    inner: Mutex<Inner>,
}

/// The default size of every display.
const DEFAULT: (u16, u16) = (24, 80);

fn empty(size: Size) -> Screen {
    Screen::new(Size::new(DEFAULT.0, DEFAULT.1), size)
}

impl Default for Glass {
    fn default() -> Glass {
        Glass {
            inner: Mutex::new(Inner {
                on: false,
                called: false,
                report: None,
                shown: false,
                taken: false,
                written: false,
                whole: false,
                screen: empty(Size::new(DEFAULT.0, DEFAULT.1)),
                output: Vec::new(),
                input: None,
                attention: false,
                bell: None,
            }),
        }
    }
}

impl Glass {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().held()
    }

    /// CONMODE 3270 (true) or 3215, on a display of this size. `taken`: CP has the display now.
    pub fn set_mode(&self, on: bool, size: Size, taken: bool) {
        let mut inner = self.lock();
        if inner.on != on {
            let bell = inner.bell.take();
            let fresh = Glass::default().inner.into_inner().held();
            *inner = Inner { on, taken, bell, screen: empty(size), ..fresh };
        }
    }

    /// Whether the console is a 3270.
    pub fn is_on(&self) -> bool {
        self.lock().on
    }

    /// The user is at a display of this size now. One of another size has nothing on it: the guest gets CLEAR.
    pub fn resize(&self, size: Size) {
        let mut inner = self.lock();
        if inner.active() {
            inner.screen = empty(size);
            inner.whole = true;
            inner.input = Some(vec![Aid::Clear.byte()]);
            inner.attention = true;
            ring(inner);
        }
    }

    /// The guest gets the display, if it has a screen of its own.
    pub fn show(&self) {
        let mut inner = self.lock();
        inner.taken = false;
        if inner.active() && inner.written && !inner.shown {
            (inner.shown, inner.whole) = (true, true);
        }
    }

    /// CP takes the display, to read or to show a line.
    pub fn hide(&self) {
        let mut inner = self.lock();
        (inner.taken, inner.shown) = (true, false);
    }

    /// CP has a line to show: it takes the display if the guest has it. Returns whether it did.
    pub fn break_in(&self) -> bool {
        let mut inner = self.lock();
        let had = inner.shown;
        if had {
            (inner.taken, inner.shown) = (true, false);
        }
        had
    }

    /// What is to be sent to the terminal, if the guest has the display.
    pub fn take_records(&self) -> Option<Vec<Vec<u8>>> {
        let mut inner = self.lock();
        if !inner.active() || !inner.shown {
            return None;
        }
        let output = std::mem::take(&mut inner.output);
        Some(if std::mem::take(&mut inner.whole) { vec![whole(&inner.screen)] } else { output })
    }

    /// The display has sent something for the guest.
    pub fn inbound(&self, record: &[u8]) {
        let mut inner = self.lock();
        let Ok(inbound) = Inbound::parse(record) else { return };
        inner.screen.accept(&inbound);
        inner.input = Some(record.to_vec());
        inner.attention = true;
        ring(inner);
    }

    /// A write of the guest's: the command as the terminal knows it, then the data.
    fn write(&self, record: Vec<u8>, bell: Option<Doorbell>) -> Outcome {
        let mut inner = self.lock();
        inner.bell = bell;
        let Ok(effect) = inner.screen.apply(&record) else {
            return Outcome::check(Sense::new(SENSE_BYTES).with(0, OPERATION_CHECK));
        };
        if let Some(reply) = effect.reply {
            // A query: what the screen in memory can do is what the guest may use.
            inner.input = Some(reply);
            inner.attention = true;
            ring(inner);
            return Outcome::ENDED;
        }
        inner.written = true;
        if !inner.taken && !inner.shown {
            (inner.shown, inner.whole) = (true, true);
        }
        if inner.shown && !inner.whole {
            inner.output.push(record);
            if inner.output.len() > WAITING {
                inner.output.clear();
                inner.whole = true;
            }
        }
        Outcome::ENDED
    }

    fn read(&self, code: u8) -> Vec<u8> {
        let mut inner = self.lock();
        let aid = inner.input.as_ref().and_then(|record| record.first()).map_or(Aid::None, |&aid| Aid::from_byte(aid));
        match code {
            command::RB => inner.screen.read_buffer(aid),
            command::RMA => inner.screen.read_modified_all(aid),
            _ => inner.input.take().unwrap_or_else(|| inner.screen.read_modified(Aid::None)),
        }
    }

    /// A command of a channel program. The screen is here, whether there is a display to show it or not: a guest
    /// without a terminal, or at one that only writes lines, goes on, and the display that comes later shows what is on
    /// it. (Linux asks again and again for ever when its console wants intervention.) After a write `touch` is called.
    pub fn command(
        &self,
        command: Command,
        data: &mut Data<'_>,
        bell: Option<Doorbell>,
        touch: impl FnOnce(),
    ) -> Outcome {
        if command.code == NO_OPERATION {
            return Outcome::ENDED;
        }
        if command.code == SELECT {
            return Outcome::ENDED;
        }
        let Some(code) = command::of_channel_command(command.code) else { return Outcome::reject(SENSE_BYTES) };
        if matches!(code, command::RB | command::RM | command::RMA) {
            data.store(&self.read(code));
            return Outcome::ENDED;
        }
        let mut record = vec![code];
        if code != command::EAU {
            record.extend(data.fetch_up_to(LONGEST));
        }
        let outcome = self.write(record, bell);
        touch();
        outcome
    }

    /// A write by DIAGNOSE X'58' to a display of this size. The first that erases gives the guest a screen of its own.
    pub fn call(&self, record: Vec<u8>, size: Option<Size>, bell: Option<Doorbell>) -> Called {
        {
            let mut inner = self.lock();
            let erases = matches!(record[0], command::EW | command::EWA);
            if !inner.active() || !inner.written {
                if !erases {
                    return Called::Erased;
                }
                if !inner.on {
                    inner.called = true;
                    inner.screen = empty(size.unwrap_or(Size::new(DEFAULT.0, DEFAULT.1)));
                    // CP's lines are on the display because the guest had no screen, not because CP has taken it.
                    inner.taken = false;
                }
            }
        }
        if self.write(record, bell) == Outcome::ENDED { Called::Done } else { Called::Invalid }
    }

    /// Whether the guest has no screen: the next write by DIAGNOSE X'58' gives it one.
    pub fn has_none(&self) -> bool {
        let inner = self.lock();
        !inner.active() || !inner.written
    }

    /// A read by DIAGNOSE X'58': nothing if the guest has no screen.
    pub fn called_read(&self, code: u8) -> Option<Vec<u8>> {
        let there = {
            let inner = self.lock();
            inner.active() && inner.written
        };
        there.then(|| self.read(code))
    }

    /// The guest writes or reads a line: what it had by DIAGNOSE X'58' is gone.
    pub fn end_call(&self) {
        let mut inner = self.lock();
        if inner.called {
            (inner.called, inner.shown, inner.written, inner.whole) = (false, false, false, false);
            (inner.input, inner.attention) = (None, false);
            inner.output.clear();
        }
    }

    /// The console presents this status next.
    pub fn report(&self, status: DeviceStatus) {
        self.lock().report = Some(status);
    }

    /// The status to be presented, taken: it is reported once.
    pub fn take_report(&self) -> Option<DeviceStatus> {
        self.lock().report.take()
    }

    /// Whether there is an attention to be presented, taken: it is reported once.
    pub fn take_attention(&self) -> bool {
        std::mem::take(&mut self.lock().attention)
    }

    /// Forgets input and attention, as a reset of the device does.
    pub fn reset(&self) {
        let mut inner = self.lock();
        (inner.attention, inner.input) = (false, None);
    }
}

/// Rings after the screen was unlocked, because the listener may run anything.
fn ring(inner: MutexGuard<'_, Inner>) {
    let bell = inner.bell.clone();
    drop(inner);
    if let Some(bell) = bell {
        bell.ring();
    }
}

/// The record that draws a whole screen.
fn whole(screen: &Screen) -> Vec<u8> {
    use tn3270::datastream::code::{IC, SBA};
    /// Set Reply Mode: character mode, with colour and highlighting, so that the buffer tells everything.
    const EVERYTHING: [u8; 8] = [command::WSF, 0, 7, 0x09, 0, 2, 0x41, 0x42];
    /// Write control characters: restore the keyboard or not.
    const WCC: (u8, u8) = (0xc2, 0xc0);
    let mut copy = screen.clone();
    // The copy is our own: if the command fails, colours are missing and nothing else.
    let _ = copy.apply(&EVERYTHING);
    let size = screen.size();
    let erase = if size == Size::new(DEFAULT.0, DEFAULT.1) { command::EW } else { command::EWA };
    let mut record = vec![erase, if screen.is_locked() { WCC.1 } else { WCC.0 }, SBA];
    record.extend(size.encode(0));
    record.extend(copy.read_buffer(Aid::None).get(3..).unwrap_or_default());
    record.push(SBA);
    record.extend(size.encode(screen.cursor()));
    record.push(IC);
    record
}

/// What every virtual 3270 says that it is: a 3278 model 2 at a 3274 control unit.
pub fn display_id() -> SenseId {
    SenseId::new(0x3274, 0x1d, 0x3278, 0x02)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glass() -> Glass {
        let glass = Glass::default();
        glass.set_mode(true, Size::new(43, 80), false);
        glass
    }

    /// Erase/Write, keyboard restored, a text at the beginning.
    fn hello() -> Vec<u8> {
        let mut record = vec![command::EW, 0xc2];
        record.extend(base::ebcdic::from_str("HELLO"));
        record
    }

    #[test]
    fn a_guest_takes_the_display_and_has_it_back_as_it_was() {
        let glass = glass();
        assert_eq!(glass.take_records(), None, "nothing written yet");
        assert_eq!(glass.write(hello(), None), Outcome::ENDED);
        let first = glass.take_records().expect("the guest has the display");
        assert_eq!(first.len(), 1, "the whole screen");
        assert_eq!(glass.write(vec![command::W, 0xc0, 0xc1], None), Outcome::ENDED);
        assert_eq!(glass.take_records(), Some(vec![vec![command::W, 0xc0, 0xc1]]));
        glass.hide();
        glass.write(hello(), None);
        assert_eq!(glass.take_records(), None, "CP has the display");
        glass.show();
        let again = glass.take_records().expect("the guest has it again");
        let mut screen = empty(Size::new(43, 80));
        screen.apply(&again[0]).expect("a record that a display obeys");
        assert_eq!(screen.text(), "HELLO");
        assert!(!screen.is_locked());
    }

    #[test]
    fn what_is_typed_is_read_once() {
        let glass = glass();
        glass.write(hello(), None);
        glass.inbound(&[Aid::Pf(3).byte(), 0x40, 0x40]);
        assert!(glass.take_attention() && !glass.take_attention());
        assert_eq!(glass.read(command::RM), [Aid::Pf(3).byte(), 0x40, 0x40]);
        assert_eq!(glass.read(command::RM)[0], Aid::None.byte());
    }

    #[test]
    fn a_query_is_answered_by_the_screen_in_memory() {
        let glass = glass();
        assert_eq!(glass.write(vec![command::WSF, 0, 5, 1, 0xff, 2], None), Outcome::ENDED);
        assert!(glass.take_attention());
        assert_eq!(glass.read(command::RM)[0], Aid::StructuredField.byte());
    }

    #[test]
    fn rubbish_is_an_operation_check() {
        assert_ne!(glass().write(vec![command::W, 0xc0, 0x11], None), Outcome::ENDED);
    }
}
