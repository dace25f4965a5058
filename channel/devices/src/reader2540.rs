//! 2540 card reader.
//!
//! Cards come from a [`RecordSource`]: a spool file, or a file of the host. The end of a file is shown as unit
//! exception on the read that finds no card, with the full count left; a reader without a file shows unit check,
//! intervention required. A program that reads one file after the other (the Linux IPL loader) depends on both.

use crate::SENSE_BYTES;
use arch::io::DeviceStatus;
use base::Held;
use css::{Command, Data, Device, Doorbell, Outcome, Sense, sense};
use std::sync::{Arc, Mutex};

const CARD: usize = 80;
const BLANK: u8 = 0x40;

const NO_OPERATION: u8 = 0x03;
const READ_NO_FEED: u8 = 0xc2;

/// What a record source has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Card {
    /// The next record; one shorter than 80 bytes is filled with blanks.
    Record(Vec<u8>),
    /// The current file is at its end. The next read is of the next file.
    EndOfFile,
    /// There is no file.
    Empty,
    /// The record cannot be read.
    Damaged,
}

/// Where a reader's cards come from.
pub trait RecordSource: Send {
    /// Feeds the next card.
    fn read(&mut self) -> Card;
}

#[derive(Default)]
struct Switch {
    pressed: bool,
    bell: Option<Doorbell>,
}

/// The reader's start key, from any thread: says that there is something to read.
#[derive(Clone, Default)]
pub struct ReadySwitch(Arc<Mutex<Switch>>);

impl ReadySwitch {
    /// Has the reader present device end (not ready to ready) as soon as its subchannel is idle.
    pub fn press(&self) {
        let mut switch = self.0.lock().held();
        switch.pressed = true;
        let bell = switch.bell.clone();
        drop(switch);
        if let Some(bell) = bell {
            bell.ring();
        }
    }
}

/// A 2540 reader.
pub struct Reader2540 {
    source: Box<dyn RecordSource>,
    /// The card that READ, NO FEED has shown and that no command has fed yet.
    card: Option<Vec<u8>>,
    ready: ReadySwitch,
}

impl Reader2540 {
    /// A reader of these cards.
    pub fn new(source: Box<dyn RecordSource>) -> Reader2540 {
        Reader2540 { source, card: None, ready: ReadySwitch::default() }
    }

    /// The key that tells of a new file.
    pub fn ready_switch(&self) -> ReadySwitch {
        self.ready.clone()
    }

    /// The source of cards, to be changed by the program that supplied it.
    pub fn source(&mut self) -> &mut dyn RecordSource {
        self.source.as_mut()
    }

    /// The card at the reading station, or how the command ends without one.
    fn card(&mut self) -> Result<Vec<u8>, Outcome> {
        if let Some(card) = self.card.take() {
            return Ok(card);
        }
        match self.source.read() {
            Card::Record(mut card) => {
                if card.len() < CARD {
                    card.resize(CARD, BLANK);
                }
                Ok(card)
            }
            Card::EndOfFile => Err(Outcome::Done(DeviceStatus::ENDED | DeviceStatus::UNIT_EXCEPTION)),
            Card::Empty => Err(Outcome::intervention(SENSE_BYTES)),
            Card::Damaged => Err(Outcome::check(Sense::new(SENSE_BYTES).with(0, sense::DATA_CHECK))),
        }
    }
}

impl Device for Reader2540 {
    fn is_spooled(&self) -> bool {
        true
    }

    fn attached(&mut self, bell: Doorbell) {
        self.ready.0.lock().held().bell = Some(bell);
    }

    fn command(&mut self, command: Command, data: &mut Data<'_>) -> Outcome {
        match command.code {
            NO_OPERATION => Outcome::ENDED,
            // READ, FEED, SELECT STACKER: of the stackers nothing is left but their codes.
            0x02 | 0x42 | 0x82 => match self.card() {
                Ok(card) => {
                    data.store(&card);
                    Outcome::ENDED
                }
                Err(outcome) => outcome,
            },
            READ_NO_FEED => match self.card() {
                Ok(card) => {
                    data.store(&card);
                    self.card = Some(card);
                    Outcome::ENDED
                }
                Err(outcome) => outcome,
            },
            // FEED, SELECT STACKER.
            0x23 | 0x63 | 0xa3 => match self.card() {
                Ok(_) => Outcome::ENDED,
                Err(outcome) => outcome,
            },
            _ => Outcome::reject(SENSE_BYTES),
        }
    }

    fn sense(&mut self) -> Sense {
        Sense::new(SENSE_BYTES)
    }

    fn attention(&mut self) -> Option<DeviceStatus> {
        let mut switch = self.ready.0.lock().held();
        std::mem::take(&mut switch.pressed).then_some(DeviceStatus::DEVICE_END)
    }

    fn reset(&mut self, kind: css::Reset) {
        self.card = None;
        if kind == css::Reset::System {
            // Pending status is gone as well: an IPL must find no device end in its way.
            self.ready.0.lock().held().pressed = false;
        }
    }
}
