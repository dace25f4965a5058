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
    /// A Read Buffer of the guest's that the terminal is to answer.
    asked: Option<Asked>,
    attention: bool,
    bell: Option<Doorbell>,
}

impl Inner {
    /// Whether the guest may have a screen of its own.
    fn active(&self) -> bool {
        self.on || self.called
    }

    /// The key that the guest has not read yet.
    fn aid(&self) -> Aid {
        self.input.as_ref().and_then(|record| record.first()).map_or(Aid::None, |&aid| Aid::from_byte(aid))
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

/// How far a Read Buffer is: the terminal alone knows where nulls lie, and what was typed before a PA key.
enum Asked {
    /// It is still to be sent.
    Now,
    /// The terminal has it.
    Sent,
    /// This is the answer.
    Answered(Vec<u8>),
    /// None comes: the display is not the guest's any more.
    Lost,
}

/// What a Read Buffer brings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Buffer {
    /// The contents of the display's buffer, as it sends them.
    Here(Vec<u8>),
    /// The terminal has been asked; [`Glass::inbound`] says when the answer is here.
    Awaited,
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
                asked: None,
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
            ring(inner);
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
        lose(inner);
    }

    /// CP has a line to show: it takes the display if the guest has it. Returns whether it did.
    pub fn break_in(&self) -> bool {
        let mut inner = self.lock();
        let had = inner.shown;
        if had {
            (inner.taken, inner.shown) = (true, false);
            lose(inner);
        }
        had
    }

    /// The terminal has gone: what it was asked it does not answer.
    pub fn hang_up(&self) {
        lose(self.lock());
    }

    /// What is to be sent to the terminal, if the guest has the display.
    pub fn take_records(&self) -> Option<Vec<Vec<u8>>> {
        let mut inner = self.lock();
        if !inner.active() || !inner.shown {
            return None;
        }
        let output = std::mem::take(&mut inner.output);
        let mut records = if std::mem::take(&mut inner.whole) { vec![whole(&inner.screen)] } else { output };
        if matches!(inner.asked, Some(Asked::Now)) {
            inner.asked = Some(Asked::Sent);
            records.push(vec![command::RB]);
        }
        Some(records)
    }

    /// The display has sent something for the guest. Returns whether it answers a Read Buffer that was awaited; else it
    /// is an attention.
    pub fn inbound(&self, record: &[u8]) -> bool {
        let mut inner = self.lock();
        if matches!(inner.asked, Some(Asked::Sent)) && inner.screen.accept_buffer(record) {
            inner.asked = Some(Asked::Answered(record.to_vec()));
            ring(inner);
            return true;
        }
        let Ok(inbound) = Inbound::parse(record) else { return false };
        if matches!(inner.asked, Some(Asked::Answered(_) | Asked::Lost)) {
            inner.asked = None;
        }
        inner.screen.accept(&inbound);
        inner.input = Some(record.to_vec());
        inner.attention = true;
        ring(inner);
        false
    }

    /// Read Buffer. The terminal is asked if the guest has it; otherwise the screen in memory answers, and so it does
    /// with `at_once` if the terminal has not answered by now.
    pub fn read_buffer(&self, at_once: bool) -> Buffer {
        let mut inner = self.lock();
        match inner.asked.take() {
            Some(Asked::Answered(record)) => return Buffer::Here(record),
            None if inner.active() && inner.shown && !at_once => {
                inner.asked = Some(Asked::Now);
                return Buffer::Awaited;
            }
            Some(waits @ (Asked::Now | Asked::Sent)) if !at_once => {
                inner.asked = Some(waits);
                return Buffer::Awaited;
            }
            _ => (),
        }
        Buffer::Here(inner.screen.read_buffer(inner.aid()))
    }

    /// Whether a Read Buffer waits for the terminal.
    pub fn is_asked(&self) -> bool {
        matches!(self.lock().asked, Some(Asked::Now | Asked::Sent))
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

    /// Read Modified, or with `all` Read Modified All.
    fn read_modified(&self, all: bool) -> Vec<u8> {
        let mut inner = self.lock();
        match all {
            true => inner.screen.read_modified_all(inner.aid()),
            false => inner.input.take().unwrap_or_else(|| inner.screen.read_modified(Aid::None)),
        }
    }

    /// A command of a channel program. The screen is here, whether there is a display to show it or not: a guest
    /// without a terminal, or at one that only writes lines, goes on, and the display that comes later shows what is on
    /// it. (Linux asks again and again for ever when its console wants intervention.) Read Buffer alone is the
    /// terminal's to answer. `touch` is called when there is something to send.
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
        if code == command::RB {
            let buffer = self.read_buffer(false);
            touch();
            let Buffer::Here(record) = buffer else { return Outcome::Pending };
            data.store(&record);
            return Outcome::ENDED;
        }
        if matches!(code, command::RM | command::RMA) {
            data.store(&self.read_modified(code == command::RMA));
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

    /// What was modified, for DIAGNOSE X'58'.
    pub fn called_read(&self) -> Vec<u8> {
        self.read_modified(false)
    }

    /// The guest writes or reads a line: what it had by DIAGNOSE X'58' is gone.
    pub fn end_call(&self) {
        let mut inner = self.lock();
        if inner.called {
            (inner.called, inner.shown, inner.written, inner.whole) = (false, false, false, false);
            (inner.input, inner.attention, inner.asked) = (None, false, None);
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
        (inner.attention, inner.input, inner.asked) = (false, None, None);
    }
}

/// A Read Buffer that waits is answered from the screen in memory.
fn lose(mut inner: MutexGuard<'_, Inner>) {
    if matches!(inner.asked, Some(Asked::Now | Asked::Sent)) {
        inner.asked = Some(Asked::Lost);
        ring(inner);
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
        assert_eq!(glass.called_read(), [Aid::Pf(3).byte(), 0x40, 0x40]);
        assert_eq!(glass.called_read()[0], Aid::None.byte());
    }

    #[test]
    fn a_query_is_answered_by_the_screen_in_memory() {
        let glass = glass();
        assert_eq!(glass.write(vec![command::WSF, 0, 5, 1, 0xff, 2], None), Outcome::ENDED);
        assert!(glass.take_attention());
        assert_eq!(glass.called_read()[0], Aid::StructuredField.byte());
    }

    #[test]
    fn the_terminal_answers_a_read_buffer_as_long_as_the_guest_has_it() {
        let glass = glass();
        glass.write(hello(), None);
        let mut display = empty(Size::new(43, 80));
        let shows = |glass: &Glass, display: &mut Screen| {
            let records = glass.take_records().expect("the guest has the display");
            records.iter().fold(None, |reply, record| display.apply(record).expect("it obeys").reply.or(reply))
        };
        assert_eq!(shows(&glass, &mut display), None);
        // A PA key tells nothing of what was typed, the buffer does, and where.
        display.set_cursor(10);
        assert!(display.type_text("X"));
        let key = display.press(Aid::Pa(2)).expect("the keyboard is free");
        assert!(!glass.inbound(&key) && glass.read_buffer(false) == Buffer::Awaited && glass.is_asked());
        let answer = shows(&glass, &mut display).expect("the buffer");
        assert_eq!((answer[0], answer.len()), (Aid::Pa(2).byte(), 1923));
        assert!(glass.inbound(&answer));
        assert_eq!(glass.read_buffer(false), Buffer::Here(answer));
        assert_eq!(glass.lock().screen.row(0), "HELLO\0\0\0\0\0X".replace('\0', " "));
        // CP takes the display: what it shows is known.
        assert_eq!(glass.read_buffer(false), Buffer::Awaited);
        glass.hide();
        assert!(matches!(glass.read_buffer(false), Buffer::Here(record) if record.len() == 1923));
        // The terminal does not answer.
        glass.show();
        assert_eq!(glass.read_buffer(false), Buffer::Awaited);
        assert!(matches!(glass.read_buffer(true), Buffer::Here(_)) && !glass.is_asked());
    }

    #[test]
    fn rubbish_is_an_operation_check() {
        assert_ne!(glass().write(vec![command::W, 0xc0, 0x11], None), Outcome::ENDED);
    }
}
