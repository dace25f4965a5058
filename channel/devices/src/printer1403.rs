//! 1403 printer.
//!
//! Bits of a command code say what the carriage does: space 0 to 3 lines or skip to channel 1 to 12, after printing
//! (write commands) or at once (control commands). Lines go to the [`RecordSink`] with their code, and the carriage
//! is the business of the program that prints the file.

use crate::{RecordSink, SENSE_BYTES};
use css::{Command, Data, Device, Outcome, Sense};

const LINE: usize = 132;
const NO_OPERATION: u8 = 0x03;

/// A 1403 of 132 print positions.
pub struct Printer1403 {
    sink: Box<dyn RecordSink>,
}

impl Printer1403 {
    /// A printer whose lines go to `sink`.
    pub fn new(sink: Box<dyn RecordSink>) -> Printer1403 {
        Printer1403 { sink }
    }

    fn record(&mut self, code: u8, line: &[u8]) -> Outcome {
        match self.sink.record(code, line) {
            Ok(()) => Outcome::ENDED,
            Err(_) => Outcome::intervention(SENSE_BYTES),
        }
    }
}

/// Whether bits 0-4 of a code are a carriage motion: space 0 to 3, or skip to channel 1 to 12.
fn is_motion(code: u8) -> bool {
    matches!(code >> 3, 0x00..=0x03 | 0x11..=0x1c)
}

impl Device for Printer1403 {
    fn is_spooled(&self) -> bool {
        true
    }

    fn command(&mut self, command: Command, data: &mut Data<'_>) -> Outcome {
        match command.code {
            NO_OPERATION => Outcome::ENDED,
            // WRITE, then space or skip.
            code if code & 7 == 1 && is_motion(code) => {
                let line = data.fetch_up_to(LINE);
                if data.ok() { self.record(code, &line) } else { Outcome::ENDED }
            }
            // Space or skip at once.
            code if code & 7 == 3 && is_motion(code) => self.record(code, &[]),
            // Forms-control buffer, universal character set: taken and ignored.
            0x63 | 0xf3 | 0xfb => {
                data.fetch_up_to(512);
                Outcome::ENDED
            }
            // UCS gate load, fold and unfold, block and allow data check.
            0xeb | 0x43 | 0x23 | 0x73 | 0x7b => Outcome::ENDED,
            _ => Outcome::reject(SENSE_BYTES),
        }
    }

    fn sense(&mut self) -> Sense {
        Sense::new(SENSE_BYTES)
    }
}
