//! Commands that concern the control unit as a whole: what it can do, how its cache is set, what it has counted (IBM
//! 3990 Reference, "Perform Subsystem Function", "Read Subsystem Data", "Sense Subsystem Status", "Set Subsystem
//! Mode").

use super::eckd::{Eckd, Ended};
use super::sense::Fault;
use super::{Cache, Control, cache, code, identity};
use arch::dasd::VolumeStorage;
use arch::io::DeviceStatus;
use base::layout::U32;
use css::{Command, Data};
use dasd::Kind;
use zerocopy::IntoBytes;

/// Orders of PERFORM SUBSYSTEM FUNCTION.
mod order {
    pub(super) const PREPARE_FOR_READ: u8 = 0x18;
    pub(super) const SET_CHARACTERISTICS: u8 = 0x1d;
}

/// What PREPARE FOR READ SUBSYSTEM DATA may ask for.
mod suborder {
    pub(super) const STORAGE_PATH: u8 = 0x00;
    pub(super) const STATISTICS: u8 = 0x01;
    pub(super) const UNIT_ADDRESSES: u8 = 0x0e;
    pub(super) const FEATURES: u8 = 0x41;
    pub(super) const VOLUME_STORAGE: u8 = 0x52;
    pub(super) const LOGICAL_CONFIGURATION: u8 = 0x53;
}

/// Feature codes, as (byte, bit): commands that a program may use.
const FEATURES: [(usize, u8); 3] = [
    // Prefix.
    (8, 0x01),
    // Read Track Data, Write Track Data.
    (9, 0x20),
    (12, 0x40),
];

/// What SET SUBSYSTEM MODE sets: where its two bits are in the first byte, which authority it takes, and how it is done
/// for a unit.
struct Mode {
    shift: u32,
    needs: Control,
    set: fn(&Cache, u8, bool),
}

/// 00 leaves it as it is, 10 makes it available, 11 unavailable. Which bits are which is ours.
const MODES: [Mode; 4] = [
    Mode { shift: 6, needs: Control::Subsystem, set: |cache, _, on| cache.set_cache(on) },
    Mode { shift: 4, needs: Control::Subsystem, set: |cache, _, on| cache.set_storage(on) },
    Mode { shift: 2, needs: Control::Device, set: Cache::set_device },
    Mode { shift: 0, needs: Control::Device, set: Cache::set_fast_write },
];

/// The modes of non-volatile storage.
const OF_STORAGE: u8 = 0x33;

impl Eckd {
    pub(super) fn perform_subsystem(&mut self, command: Command, data: &mut Data<'_>) -> Ended {
        let needs = match command.code {
            code::SET_SUBSYSTEM_MODE => Control::Device,
            code::DIAGNOSTIC_CONTROL => Control::Subsystem,
            _ => Control::None,
        };
        if self.options.control < needs {
            return Err(Fault::INVALID_COMMAND);
        }
        match command.code {
            code::READ_CONFIGURATION_DATA => {
                data.store(identity::configuration(&self.kind, self.control_unit, &self.options).as_bytes());
                Ok(DeviceStatus::ENDED)
            }
            code::PERFORM_SUBSYSTEM_FUNCTION => self.perform_subsystem_function(data),
            code::READ_SUBSYSTEM_DATA => {
                let answer = self.prepared.take().ok_or(Fault::SEQUENCE)?;
                data.store(&answer);
                Ok(DeviceStatus::ENDED)
            }
            code::READ_MESSAGE_ID => {
                // There is no message.
                data.store(&[0; 8]);
                Ok(DeviceStatus::ENDED)
            }
            code::SENSE_SUBSYSTEM_STATUS => {
                data.store(
                    cache::sense(self.options.cache.as_deref(), self.options.unit, self.options.ssid).as_bytes(),
                );
                Ok(DeviceStatus::ENDED)
            }
            code::SET_SUBSYSTEM_MODE => {
                let [modes, rest] = Self::parameters(data)?;
                if rest == 0 { self.set_subsystem_mode(modes) } else { Err(Fault::PARAMETER) }
            }
            code::READ_AND_RESET_LOG => {
                data.store(&[0; 32]);
                Ok(DeviceStatus::ENDED)
            }
            code::RESET_ALLEGIANCE => {
                self.options.reservation.reserve(self.party, true);
                self.options.reservation.release(self.party);
                data.store(&[0; 32]);
                Ok(DeviceStatus::ENDED)
            }
            code::SET_INTERFACE_IDENTIFIER => {
                data.fetch_up_to(64);
                Ok(DeviceStatus::ENDED)
            }
            code::DIAGNOSTIC_CONTROL => {
                // Nothing here needs a diagnosis; of the subcommands, only resetting an offline path does no harm.
                let [subcommand, ..] = Self::parameters::<[u8; 4]>(data)?;
                if subcommand == 0x02 { Ok(DeviceStatus::ENDED) } else { Err(Fault::PARAMETER) }
            }
            _ => Err(Fault::INVALID_COMMAND),
        }
    }

    /// The order and what belongs to it; what it asks for is there for READ SUBSYSTEM DATA.
    fn perform_subsystem_function(&mut self, data: &mut Data<'_>) -> Ended {
        let b = data.fetch_up_to(256);
        match b.first() {
            None => return Err(Fault::SHORT),
            Some(&order::PREPARE_FOR_READ) => {
                let suborder = *b.get(6).filter(|_| b.len() >= 12).ok_or(Fault::SHORT)?;
                self.prepared = Some(self.prepare(suborder).ok_or(Fault::PARAMETER)?);
            }
            // Parallel access volumes are not installed, so nothing that may be set would change anything.
            Some(&order::SET_CHARACTERISTICS) => {}
            Some(_) => return Err(Fault::PARAMETER),
        }
        Ok(DeviceStatus::ENDED)
    }

    fn prepare(&self, suborder: u8) -> Option<Vec<u8>> {
        match suborder {
            suborder::STORAGE_PATH => Some(vec![0; 16]),
            suborder::STATISTICS => {
                let counts = self.options.cache.as_ref().map(|cache| cache.statistics(self.options.unit));
                let told = counts.unwrap_or_default().told(self.options.unit, self.options.ssid);
                Some(told.as_bytes().to_vec())
            }
            // For each of 256 unit addresses, what it is and its base: 1 is a base device.
            suborder::UNIT_ADDRESSES => {
                let mut answer = vec![0; 512];
                answer[2 * usize::from(self.options.unit)] = 1;
                answer[2 * usize::from(self.options.unit) + 1] = self.options.unit;
                Some(answer)
            }
            suborder::FEATURES => {
                let mut answer = vec![0; 256];
                if self.control_unit.whole_tracks() {
                    FEATURES.iter().for_each(|&(byte, bit)| answer[byte] |= bit);
                }
                Some(answer)
            }
            suborder::VOLUME_STORAGE => self.volume_storage(),
            suborder::LOGICAL_CONFIGURATION => self.logical_configuration(),
            _ => None,
        }
    }

    /// Volume Storage Query: the volume is neither track- nor extent-space-efficient, so all of it is allocated.
    fn volume_storage(&self) -> Option<Vec<u8>> {
        let Kind::Ckd { cylinders, .. } = self.kind else { return None };
        let size = U32::new(cylinders);
        let answer = VolumeStorage { allocated: size, limit: size, size, ..VolumeStorage::default() };
        Some(answer.as_bytes().to_vec()).filter(|_| self.control_unit.whole_tracks())
    }

    /// Logical Configuration Query, 64 bytes: its length (0-1), and how many extent pools there are (2-3), each of
    /// which would follow. There are none: no volume is thin, so none has a size of extents.
    fn logical_configuration(&self) -> Option<Vec<u8>> {
        const LENGTH: u8 = 64;
        let mut answer = vec![0; LENGTH.into()];
        answer[1] = LENGTH;
        Some(answer).filter(|_| self.control_unit.whole_tracks())
    }

    /// All of what is asked for is set, or nothing.
    fn set_subsystem_mode(&self, modes: u8) -> Ended {
        let asked = || MODES.iter().map(|mode| (mode, modes >> mode.shift & 3)).filter(|&(_, how)| how != 0);
        if asked().any(|(_, how)| how == 1) {
            return Err(Fault::PARAMETER);
        }
        if asked().any(|(mode, _)| mode.needs > self.options.control) {
            return Err(Fault::INVALID_COMMAND);
        }
        if modes == 0 {
            return Ok(DeviceStatus::ENDED);
        }
        let cache = self.options.cache.as_ref().filter(|cache| modes & OF_STORAGE == 0 || cache.has_storage());
        let cache = cache.ok_or(Fault::PARAMETER)?;
        asked().for_each(|(mode, how)| (mode.set)(cache, self.options.unit, how == 2));
        Ok(DeviceStatus::ENDED)
    }
}
