//! 3215 console printer-keyboard.
//!
//! Writing goes to a [`ConsoleHost`] as it is, EBCDIC with new-line characters (X'15') inside it. A line that the host
//! enters ([`ConsoleInput::enter`]) makes the console present attention, and the program answers with READ INQUIRY; if
//! it reads before there is a line, the command waits, and the console is busy, until one is entered.
//!
//! Attention is presented once for each line that no read was waiting for. So a program that answers each attention by
//! one read never finds itself waiting. Like the original, the console rejects Sense ID.

use crate::SENSE_BYTES;
use arch::io::DeviceStatus;
use base::Held;
use css::{Command, Data, Device, Doorbell, Outcome, Reset, Sense};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

const WRITE: u8 = 0x01;
const WRITE_CARRIER_RETURN: u8 = 0x09;
const READ_INQUIRY: u8 = 0x0a;
const ALARM: u8 = 0x0b;
const NO_OPERATION: u8 = 0x03;

/// The most that one command writes; longer data shows as incorrect length.
const LINE: usize = 65_536;

/// The paper and the operator's lamp: where a console's output goes.
///
/// It is called with the channel subsystem locked, so it must not use it.
pub trait ConsoleHost: Send {
    /// Characters in EBCDIC to be typed; `carriage_return` if the carrier returns to a new line after them.
    fn write(&mut self, characters: &[u8], carriage_return: bool);

    /// The program rang the bell.
    fn alarm(&mut self) {}

    /// The program began (true) or gave up (false) waiting for a line.
    fn reading(&mut self, _waits: bool) {}

    /// The program's area took only the first `taken` characters of a line, and the rest is lost.
    fn cut(&mut self, _taken: usize) {}
}

#[derive(Default)]
struct Keyboard {
    lines: VecDeque<Vec<u8>>,
    /// Attention is still to be presented.
    attention: bool,
    /// A read waits for a line.
    reading: bool,
    bell: Option<Doorbell>,
}

/// The console's keyboard: lines are entered here, from any thread.
#[derive(Clone, Default)]
pub struct ConsoleInput {
    keyboard: Arc<Mutex<Keyboard>>,
}

impl ConsoleInput {
    fn keyboard(&self) -> MutexGuard<'_, Keyboard> {
        self.keyboard.lock().held()
    }

    /// Enters a line, EBCDIC without an end character.
    pub fn enter(&self, line: &[u8]) {
        let mut keyboard = self.keyboard();
        keyboard.lines.push_back(line.to_vec());
        keyboard.attention |= !keyboard.reading;
        ring(keyboard);
    }

    /// Presses the request key: attention without a line.
    pub fn attention(&self) {
        let mut keyboard = self.keyboard();
        keyboard.attention |= !keyboard.reading;
        ring(keyboard);
    }

    /// Whether the program waits for a line.
    pub fn reading(&self) -> bool {
        self.keyboard().reading
    }

    /// Lines that the program has not read yet.
    pub fn queued(&self) -> usize {
        self.keyboard().lines.len()
    }

    /// Forgets all lines that the program has not read.
    pub fn clear(&self) {
        let mut keyboard = self.keyboard();
        keyboard.lines.clear();
        keyboard.attention = false;
    }
}

/// Rings after the keyboard was unlocked, because the listener may run anything.
fn ring(keyboard: MutexGuard<'_, Keyboard>) {
    let bell = keyboard.bell.clone();
    drop(keyboard);
    if let Some(bell) = bell {
        bell.ring();
    }
}

/// A 3215.
pub struct Console3215 {
    host: Box<dyn ConsoleHost>,
    input: ConsoleInput,
}

impl Console3215 {
    /// A console that writes to `host`; its input is at [`Console3215::input`].
    pub fn new(host: Box<dyn ConsoleHost>) -> Console3215 {
        Console3215 { host, input: ConsoleInput::default() }
    }

    /// The same with a keyboard that is there already.
    pub fn with_input(host: Box<dyn ConsoleHost>, input: ConsoleInput) -> Console3215 {
        Console3215 { host, input }
    }

    /// The keyboard.
    pub fn input(&self) -> ConsoleInput {
        self.input.clone()
    }

    fn wait(&mut self, waits: bool) {
        if std::mem::replace(&mut self.input.keyboard().reading, waits) != waits {
            self.host.reading(waits);
        }
    }

    /// No read waits any more: lines that came for the read get their attention.
    fn give_up(&mut self) {
        self.wait(false);
        let mut keyboard = self.input.keyboard();
        keyboard.attention |= !keyboard.lines.is_empty();
    }

    fn read(&mut self, data: &mut Data<'_>) -> Outcome {
        let line = {
            let mut keyboard = self.input.keyboard();
            let line = keyboard.lines.pop_front();
            // Further lines need an attention of their own.
            keyboard.attention = !keyboard.lines.is_empty();
            line
        };
        self.wait(line.is_none());
        match line {
            Some(line) => {
                let taken = data.store(&line);
                if taken < line.len() {
                    self.host.cut(taken);
                }
                Outcome::ENDED
            }
            None => Outcome::Pending,
        }
    }
}

impl Device for Console3215 {
    fn is_spooled(&self) -> bool {
        true
    }

    fn attached(&mut self, bell: Doorbell) {
        self.input.keyboard().bell = Some(bell);
    }

    fn command(&mut self, command: Command, data: &mut Data<'_>) -> Outcome {
        match command.code {
            WRITE | WRITE_CARRIER_RETURN => {
                let characters = data.fetch_up_to(LINE);
                if data.ok() || !characters.is_empty() {
                    self.host.write(&characters, command.code == WRITE_CARRIER_RETURN);
                }
                Outcome::ENDED
            }
            READ_INQUIRY => self.read(data),
            ALARM => {
                self.host.alarm();
                Outcome::ENDED
            }
            NO_OPERATION => Outcome::ENDED,
            _ => Outcome::reject(SENSE_BYTES),
        }
    }

    fn sense(&mut self) -> Sense {
        Sense::new(SENSE_BYTES)
    }

    fn attention(&mut self) -> Option<DeviceStatus> {
        std::mem::take(&mut self.input.keyboard().attention).then_some(DeviceStatus::ATTENTION)
    }

    fn halt(&mut self) -> DeviceStatus {
        self.give_up();
        DeviceStatus::ENDED
    }

    fn reset(&mut self, _kind: Reset) {
        self.give_up();
    }
}
