//! 2540 card punch.

use crate::{RecordSink, SENSE_BYTES};
use css::{Command, Data, Device, Outcome, Sense};

const CARD: usize = 80;
const NO_OPERATION: u8 = 0x03;

/// A 2540 punch: each write punches one card, of as many columns as the program gives.
pub struct Punch2540 {
    sink: Box<dyn RecordSink>,
}

impl Punch2540 {
    /// A punch whose cards go to `sink`.
    pub fn new(sink: Box<dyn RecordSink>) -> Punch2540 {
        Punch2540 { sink }
    }
}

impl Device for Punch2540 {
    fn is_spooled(&self) -> bool {
        true
    }

    fn command(&mut self, command: Command, data: &mut Data<'_>) -> Outcome {
        match command.code {
            NO_OPERATION => Outcome::ENDED,
            // PUNCH, FEED, SELECT STACKER.
            0x01 | 0x41 | 0x81 => {
                let card = data.fetch_up_to(CARD);
                if !data.ok() {
                    return Outcome::ENDED;
                }
                match self.sink.record(command.code, &card) {
                    Ok(()) => Outcome::ENDED,
                    Err(_) => Outcome::intervention(SENSE_BYTES),
                }
            }
            _ => Outcome::reject(SENSE_BYTES),
        }
    }

    fn sense(&mut self) -> Sense {
        Sense::new(SENSE_BYTES)
    }
}
