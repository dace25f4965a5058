//! A count-key-data disk at its control unit: which command is performed by whom.

use super::identity;
use super::sense::Fault;
use super::{ControlUnit, Options, code};
use arch::io::SenseId;
use css::{Command, Data, Device, Doorbell, Outcome, Reset, Sense};
use dasd::{Kind, Volume};
use std::sync::Arc;

/// A count-key-data disk: 3390, 3380 and 9345 at control units of the 3990's class, older ones as 3880 and earlier
/// control units have them.
pub struct Eckd {
    kind: Kind,
    control_unit: ControlUnit,
    options: Options,
    /// This device's number among those that share the reservation.
    party: u64,
    bell: Option<Doorbell>,
}

impl Eckd {
    /// A device for a count-key-data volume. (With a fixed-block volume, every access ends with file protection.)
    pub fn new(volume: Arc<dyn Volume>, options: Options) -> Eckd {
        let kind = volume.kind();
        let control_unit = options.control_unit.unwrap_or_else(|| ControlUnit::usual(&kind));
        let party = options.reservation.join();
        Eckd { kind, control_unit, options, party, bell: None }
    }

    fn fault(&self, fault: Fault) -> Outcome {
        Outcome::check(fault.sense(self.control_unit.sense_bytes(), 0, 0))
    }
}

impl Device for Eckd {
    fn describe(&self) -> Option<SenseId> {
        identity::sense_id(&self.kind, self.control_unit)
    }

    fn attached(&mut self, bell: Doorbell) {
        self.bell = Some(bell);
    }

    fn command(&mut self, command: Command, data: &mut Data<'_>) -> Outcome {
        match command.code {
            code::NO_OPERATION => Outcome::ENDED,
            code::READ_DEVICE_CHARACTERISTICS => {
                data.store(&identity::characteristics(&self.kind, self.control_unit));
                Outcome::ENDED
            }
            code::READ_CONFIGURATION_DATA if self.control_unit.extended() => {
                data.store(&identity::configuration(&self.kind, self.control_unit, &self.options));
                Outcome::ENDED
            }
            _ => self.fault(Fault::INVALID_COMMAND),
        }
    }

    fn sense(&mut self) -> Sense {
        Sense::new(self.control_unit.sense_bytes())
    }

    fn reset(&mut self, kind: Reset) {
        if kind == Reset::System {
            self.options.reservation.release(self.party);
        }
    }
}
