//! A count-key-data disk at its control unit: the state of a channel program, and which module performs each command.
//!
//! Records are read, written and searched in [`records`](super::records), what concerns the control unit as a whole is
//! in [`subsystem`](super::subsystem). Commands end in a status or a [`Fault`], which becomes unit check with sense
//! bytes.

use super::cache::Usage;
use super::domain::{self, Domain, Extended, Mask, Operation, Orientation};
use super::head::{Head, Place};
use super::identity;
use super::reservation::Turn;
use super::sense::Fault;
use super::work::Clockwork;
use super::{ControlUnit, Options, code};
use crate::paths::{self, PathGroups};
use arch::dasd::{DefineExtent, LocateRecord, LocateRecordExtended, Prefix, Seek};
use arch::io::{DeviceStatus, Orb, SenseId};
use css::{Command, Data, Device, Doorbell, Outcome, Reset, Sense, Unkept};
use dasd::model::CkdModel;
use dasd::{Kind, Volume};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::mem::offset_of;
use std::sync::Arc;
use zerocopy::{FromBytes, IntoBytes};

/// What a search has found last, as far as it decides whether a write may follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Found {
    #[default]
    Nothing,
    /// The ID of the record that just passed.
    Id,
    /// Its key.
    Key,
    Home,
    /// The record was found, and read or written since.
    Passed,
}

/// What commands of one channel program leave to later ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Program {
    pub mask: Mask,
    /// SET FILE MASK or DEFINE EXTENT was there.
    masked: bool,
    /// DEFINE EXTENT was there.
    defined: bool,
    pub domain: Option<Domain>,
    pub found: Found,
    /// Times that the index passed since the last command that found what it wanted.
    pub turns: u8,
}

impl Program {
    const NEW: Program =
        Program { mask: Mask(0), masked: false, defined: false, domain: None, found: Found::Nothing, turns: 0 };
}

/// A count-key-data disk: 3390, 3380 and 9345 at control units of the 3990's class, older ones as 3880 and earlier
/// control units have them.
pub struct Eckd {
    pub(super) kind: Kind,
    pub(super) control_unit: ControlUnit,
    pub(super) model: Option<&'static CkdModel>,
    /// Sectors of a track; 0: the device has none.
    sectors: u32,
    pub(super) options: Options,
    /// This device's number among those that share the reservation.
    pub(super) party: u64,
    bell: Option<Doorbell>,
    pub(super) head: Head,
    pub(super) program: Program,
    /// What READ SUBSYSTEM DATA will give.
    pub(super) prepared: Option<Vec<u8>>,
    pub(super) paths: PathGroups,
    /// Data on its way to the medium.
    pub(super) buffer: Vec<u8>,
    /// It has the disk for the channel program in progress.
    working: bool,
    /// When the channel program that was performed is over.
    clock: Clockwork,
}

/// A disk in a checkpoint: what outlasts a channel program.
#[derive(Serialize, Deserialize)]
struct Checkpoint {
    paths: PathGroups,
    reserved: bool,
    track: u32,
}

/// How commands end: with a status, or badly.
pub(super) type Ended = Result<DeviceStatus, Fault>;

impl Eckd {
    /// A device for a count-key-data volume. (With a fixed-block volume, every access ends with file protection.)
    pub fn new(volume: Arc<dyn Volume>, options: Options) -> Eckd {
        let kind = volume.kind();
        let control_unit = options.control_unit.unwrap_or_else(|| ControlUnit::usual(&kind));
        let model = identity::model(&kind);
        Eckd {
            kind,
            control_unit,
            model,
            sectors: model.map_or(0, |model| model.sectors),
            party: options.party.unwrap_or_else(|| options.reservation.join()),
            bell: None,
            head: Head::new(volume, &options),
            clock: Clockwork::new(options.timing.clone()),
            options,
            program: Program::NEW,
            prepared: None,
            paths: PathGroups::default(),
            buffer: Vec::new(),
            working: false,
        }
    }

    pub(super) fn sense_bytes(&self, fault: Fault) -> Sense {
        fault.sense(self.control_unit.sense_bytes(), self.head.cylinder(), self.head.head())
    }

    /// Parameters that a command must have, all of them.
    pub(super) fn parameters<T: FromBytes + IntoBytes>(data: &mut Data<'_>) -> Result<T, Fault> {
        let mut parameters = T::new_zeroed();
        if data.fetch_some(parameters.as_mut_bytes()) == size_of::<T>() { Ok(parameters) } else { Err(Fault::SHORT) }
    }

    fn set_path_group(&mut self, data: &mut Data<'_>) -> Ended {
        let parameters = Self::parameters(data)?;
        self.paths.set(parameters).map(|()| DeviceStatus::ENDED).map_err(|paths::Unfit| Fault::PARAMETER)
    }

    fn sense_path_group(&mut self, data: &mut Data<'_>) -> Ended {
        let reservation = &self.options.reservation;
        let reserved = match (reservation.held_by(self.party), reservation.free_for(self.party)) {
            (true, _) => 0x30,
            (false, true) => 0x00,
            (false, false) => 0x20,
        };
        data.store(&self.paths.sense(reserved));
        Ok(DeviceStatus::ENDED)
    }

    fn outcome(&self, ended: Ended) -> Outcome {
        match ended {
            Ok(status) => Outcome::Done(status),
            Err(fault) => Outcome::check(self.sense_bytes(fault)),
        }
    }

    /// The fast path's commands: what Linux, CMS and VSE make their channel programs of, most of the time.
    fn perform_ordinary(&mut self, command: Command, data: &mut Data<'_>) -> Option<Ended> {
        let extended = self.control_unit.extended();
        let multitrack = command.code & code::MULTITRACK != 0;
        let found = std::mem::take(&mut self.program.found);
        if !self.permits(command) {
            return Some(Err(Fault::SEQUENCE));
        }
        Some(match command.code {
            code::READ_DATA | 0x86 => self.read_data(data, multitrack, found),
            code::WRITE_DATA => self.write_data(data, false, false, found),
            code::WRITE_UPDATE_DATA if extended => self.write_data(data, false, true, found),
            code::SEARCH_ID_EQUAL | 0xb1 => self.search_id(command.code, data),
            code::SEEK => self.seek(data, Mask::allows_seek),
            code::READ_TRACK_DATA if extended => self.read_track_data(command, data),
            code::WRITE_TRACK_DATA if extended => self.write_track_data(command, data),
            code::DEFINE_EXTENT if self.control_unit.defines() => self.define_extent(data),
            code::LOCATE_RECORD if extended => self.locate_record(data),
            code::PREFIX if extended => self.prefix(command, data),
            code::READ_KEY_AND_DATA | 0x8e => self.read_key_and_data(data, multitrack, found),
            code::WRITE_KEY_AND_DATA => self.write_data(data, true, false, found),
            code::WRITE_UPDATE_KEY_AND_DATA if extended => self.write_data(data, true, true, found),
            code::SET_SECTOR if self.sectors != 0 => self.set_sector(data),
            code::SET_FILE_MASK => self.set_file_mask(data),
            _ => {
                self.program.found = found;
                return None;
            }
        })
    }

    fn perform(&mut self, command: Command, data: &mut Data<'_>) -> Ended {
        let found = std::mem::take(&mut self.program.found);
        if !self.permits(command) {
            return Err(Fault::SEQUENCE);
        }
        let multitrack = command.code & code::MULTITRACK != 0;
        match command.code {
            code::NO_OPERATION | code::RESTORE => Ok(DeviceStatus::ENDED),
            code::READ_IPL => self.read_ipl(data),
            code::READ_DATA | 0x86 => self.read_data(data, multitrack, found),
            code::READ_KEY_AND_DATA | 0x8e => self.read_key_and_data(data, multitrack, found),
            code::READ_COUNT | 0x92 => self.read_count(data, multitrack),
            code::READ_CKD | 0x9e => self.read_ckd(data, multitrack),
            code::READ_R0 | 0x96 => self.read_r0(data, multitrack),
            code::READ_HOME_ADDRESS | 0x9a => self.read_home_address(data, multitrack),
            code::SPACE_COUNT => self.space_count(data),
            code::SEARCH_ID_EQUAL | code::SEARCH_ID_HIGH | code::SEARCH_ID_EQUAL_OR_HIGH | 0xb1 | 0xd1 | 0xf1 => {
                self.search_id(command.code, data)
            }
            code::SEARCH_KEY_EQUAL | code::SEARCH_KEY_HIGH | code::SEARCH_KEY_EQUAL_OR_HIGH | 0xa9 | 0xc9 | 0xe9 => {
                self.search_key(command.code, data)
            }
            code::SEARCH_HOME_ADDRESS | 0xb9 => self.search_home_address(multitrack, data),
            code::WRITE_DATA => self.write_data(data, false, false, found),
            code::WRITE_KEY_AND_DATA => self.write_data(data, true, false, found),
            code::WRITE_CKD => self.write_ckd(data, false, found),
            code::WRITE_R0 => self.write_r0(data, found),
            code::WRITE_HOME_ADDRESS => self.write_home_address(data, found),
            code::ERASE => self.erase(data, found),
            code::SEEK => self.seek(data, Mask::allows_seek),
            code::SEEK_CYLINDER => self.seek(data, Mask::allows_seek_cylinder),
            code::SEEK_HEAD => self.seek_head(data),
            code::RECALIBRATE => self.recalibrate(),
            code::SET_FILE_MASK => self.set_file_mask(data),
            code::SET_SECTOR if self.sectors != 0 => self.set_sector(data),
            code::READ_SECTOR if self.sectors != 0 => {
                data.store(&[self.sector()]);
                Ok(DeviceStatus::ENDED)
            }
            code::DEVICE_RESERVE | code::UNCONDITIONAL_RESERVE | code::DEVICE_RELEASE => {
                self.reserve(command.code, data)
            }
            _ if self.control_unit.kind == 0x3880 || self.control_unit.extended() => {
                self.perform_newer(command, data, found)
            }
            _ => Err(Fault::INVALID_COMMAND),
        }
    }

    /// Commands that control units have since the 3880.
    fn perform_newer(&mut self, command: Command, data: &mut Data<'_>, found: Found) -> Ended {
        match command.code {
            code::READ_DEVICE_CHARACTERISTICS => {
                data.store(identity::characteristics(&self.kind, self.control_unit).as_bytes());
                Ok(DeviceStatus::ENDED)
            }
            code::SENSE_PATH_GROUP_ID => self.sense_path_group(data),
            code::SET_PATH_GROUP_ID => self.set_path_group(data),
            code::SUSPEND_MULTIPATH_RECONNECTION => Ok(DeviceStatus::ENDED),
            code::DEFINE_EXTENT if self.control_unit.defines() => self.define_extent(data),
            code::SENSE_SUBSYSTEM_STATUS | code::SET_SUBSYSTEM_MODE if self.control_unit.older_cache() => {
                self.perform_subsystem(command, data)
            }
            _ if !self.control_unit.extended() => Err(Fault::INVALID_COMMAND),
            code::LOCATE_RECORD => self.locate_record(data),
            code::LOCATE_RECORD_EXTENDED => self.locate_record_extended(data),
            code::PREFIX => self.prefix(command, data),
            code::WRITE_UPDATE_DATA => self.write_data(data, false, true, found),
            code::WRITE_UPDATE_KEY_AND_DATA => self.write_data(data, true, true, found),
            code::WRITE_CKD_NEXT_TRACK => self.write_ckd(data, true, found),
            code::READ_MULTIPLE_CKD => self.read_multiple(data),
            code::READ_TRACK => self.read_track(data),
            code::READ_TRACK_DATA => self.read_track_data(command, data),
            code::WRITE_TRACK_DATA => self.write_track_data(command, data),
            code::WRITE_FULL_TRACK => self.write_full_track(data),
            _ => self.perform_subsystem(command, data),
        }
    }

    fn define_extent(&mut self, data: &mut Data<'_>) -> Ended {
        self.define(&Self::parameters(data)?)
    }

    fn define(&mut self, b: &DefineExtent) -> Ended {
        if self.program.masked {
            return Err(Fault::SEQUENCE);
        }
        let (mask, extent) = domain::define_extent(b, &self.head)?;
        self.head.extent = Some(extent);
        self.head.use_cache(Usage::of(b.attributes));
        if !extent.has(self.head.track) {
            self.head.seek(extent.first)?;
        }
        self.program = Program { mask, masked: true, defined: true, ..Program::NEW };
        Ok(DeviceStatus::ENDED)
    }

    fn locate_record(&mut self, data: &mut Data<'_>) -> Ended {
        self.locate(&Self::parameters(data)?, None)
    }

    fn locate_record_extended(&mut self, data: &mut Data<'_>) -> Ended {
        let b: LocateRecordExtended = Self::parameters(data)?;
        self.locate_extended(&b, data)
    }

    /// What the extended parameters say. Only extended operations have bytes after them.
    fn locate_extended(&mut self, b: &LocateRecordExtended, data: &mut Data<'_>) -> Ended {
        let length = b.more.get();
        let more = if b.record.operation & 0x3f == 0x3f { usize::from(length) } else { 0 };
        let given = data.fetch_up_to(more);
        if given.len() < more {
            return Err(Fault::SHORT);
        }
        let at = |n: usize| given.get(n).copied().unwrap_or(0);
        self.locate(&b.record, Some(Extended { operation: b.operation, parameter: [at(0), at(1)], length }))
    }

    /// PREFIX: DEFINE EXTENT and LOCATE RECORD EXTENDED in one, after 12 bytes that say what of it there is.
    fn prefix(&mut self, command: Command, data: &mut Data<'_>) -> Ended {
        if command.chained && self.program.masked {
            return Err(Fault::SEQUENCE);
        }
        let b = data.fetch_up_to(size_of::<Prefix>() + size_of::<LocateRecordExtended>());
        let (format, valid) = (b.first().copied().unwrap_or(0), b.get(1).copied().unwrap_or(0));
        let needed = if format == 0 { Prefix::BASIC } else { size_of::<Prefix>() + size_of::<LocateRecordExtended>() };
        if b.len() < needed {
            return Err(Fault::SHORT);
        }
        // Format 2 has PERFORM SUBSYSTEM FUNCTION in place of LOCATE RECORD EXTENDED; no text at hand says where. Nor
        // are there aliases, whose base could be verified.
        if format > 1 || valid & Prefix::VERIFY_BASE != 0 {
            return Err(Fault::PARAMETER);
        }
        if valid & Prefix::EXTENT != 0 {
            let at = offset_of!(Prefix, extent);
            let (define, _) = DefineExtent::ref_from_prefix(&b[at..]).expect("the length was compared");
            self.define(define)?;
        }
        if format == 0 {
            return Ok(DeviceStatus::ENDED);
        }
        let locate = &b[size_of::<Prefix>()..];
        let (locate, _) = LocateRecordExtended::read_from_prefix(locate).expect("the length was compared");
        self.locate_extended(&locate, data)
    }

    fn locate(&mut self, b: &LocateRecord, extended: Option<Extended>) -> Ended {
        if !self.program.defined {
            return Err(Fault::SEQUENCE);
        }
        let domain = domain::locate_record(b, extended, &self.head)?;
        if domain.operation.wants().is_some_and(|write| !self.program.mask.allows(write)) {
            return Err(Fault::SEQUENCE);
        }
        if !self.head.may(domain.track + domain.reach()) {
            return Err(Fault::FileProtected);
        }
        self.head.seek(domain.track)?;
        self.program.turns = 0;
        self.program.domain = None;
        self.head.to_change = !domain.operation.reads();
        match domain.orientation {
            Orientation::Index => {}
            Orientation::Home => self.head.place = Place::Home,
            // Nothing is searched for: the first record is as good as any.
            Orientation::Count if domain.operation.any() => {
                self.head.image()?.records().nth(1).ok_or(Fault::NoRecordFound)?;
            }
            Orientation::Count | Orientation::Data => {
                let counted = domain.orientation == Orientation::Count;
                let one = counted && domain.left == 1;
                let alone = match domain.operation {
                    Operation::ReadData | Operation::WriteData | Operation::WriteTrackData if one => Some(0),
                    // All data that go over are those of the record.
                    Operation::ReadTracks if one => domain.length,
                    _ => None,
                };
                let at = self.head.find(domain.search, alone)?.ok_or(Fault::NoRecordFound)?;
                self.head.place = if counted { Place::Count(at) } else { Place::Data(at) };
            }
        }
        self.program.domain = Some(domain);
        Ok(DeviceStatus::ENDED)
    }

    /// Whether the domain, if there is one, lets the command come next.
    fn permits(&self, command: Command) -> bool {
        self.program.domain.is_none_or(|domain| domain.permits(command.code))
    }

    fn set_file_mask(&mut self, data: &mut Data<'_>) -> Ended {
        let [mask] = Self::parameters::<[u8; 1]>(data)?;
        if self.program.masked {
            return Err(Fault::SEQUENCE);
        }
        if mask & 0x20 != 0 {
            return Err(Fault::PARAMETER);
        }
        (self.program.mask, self.program.masked) = (Mask(mask), true);
        Ok(DeviceStatus::ENDED)
    }

    /// Seek and Seek Cylinder, of which the mask must allow the one at hand.
    fn seek(&mut self, data: &mut Data<'_>, allowed: fn(Mask) -> bool) -> Ended {
        let seek: Seek = Self::parameters(data)?;
        if !allowed(self.program.mask) {
            return Err(Fault::FileProtected);
        }
        let track = self.head.address(seek.track).filter(|_| seek.zeros == 0).ok_or(Fault::PARAMETER)?;
        self.go(track)
    }

    fn seek_head(&mut self, data: &mut Data<'_>) -> Ended {
        let seek: Seek = Self::parameters(data)?;
        if !self.program.mask.allows_seek_head() {
            return Err(Fault::FileProtected);
        }
        let track = self.head.at_head(seek.track.head.get()).ok_or(Fault::PARAMETER)?;
        self.go(track)
    }

    fn recalibrate(&mut self) -> Ended {
        if !self.program.mask.allows_seek() {
            return Err(Fault::FileProtected);
        }
        self.go(0)
    }

    /// A seek by the program: what LOCATE RECORD announced is over.
    fn go(&mut self, track: u32) -> Ended {
        self.program.domain = None;
        self.program.turns = 0;
        self.head.seek(track)?;
        Ok(DeviceStatus::ENDED)
    }

    fn set_sector(&mut self, data: &mut Data<'_>) -> Ended {
        let [sector] = Self::parameters::<[u8; 1]>(data)?;
        if sector != 0xff && u32::from(sector) >= self.sectors {
            return Err(Fault::PARAMETER);
        }
        // Nothing turns: the sector is there at once.
        Ok(DeviceStatus::ENDED)
    }

    /// The sector of what has just passed the head.
    fn sector(&self) -> u8 {
        let at = match self.head.place {
            Place::Index | Place::Home => 0,
            Place::Count(at) | Place::Key(at) | Place::Data(at) => at as u32,
        };
        let track = self.model.map_or(1, |model| model.track);
        (at * self.sectors / track).min(self.sectors - 1) as u8
    }

    fn reserve(&mut self, code: u8, data: &mut Data<'_>) -> Ended {
        let reservation = &self.options.reservation;
        match code {
            code::DEVICE_RELEASE => reservation.release(self.party),
            // Whether another device holds it was asked before the first command of the channel program.
            code => {
                reservation.reserve(self.party, code == code::UNCONDITIONAL_RESERVE);
            }
        }
        data.store(Sense::new(self.control_unit.sense_bytes()).bytes());
        Ok(DeviceStatus::ENDED)
    }

    /// The channel program is over: others need not wait for it any more.
    fn rest(&mut self) {
        if std::mem::take(&mut self.working) {
            self.options.reservation.rest(self.party);
        }
    }

    /// Whether a command is performed though another device has the disk reserved.
    fn despite_reservation(code: u8) -> bool {
        use code::{RESET_ALLEGIANCE, SENSE_PATH_GROUP_ID, SET_PATH_GROUP_ID, UNCONDITIONAL_RESERVE};
        matches!(code, UNCONDITIONAL_RESERVE | RESET_ALLEGIANCE | SENSE_PATH_GROUP_ID | SET_PATH_GROUP_ID)
    }
}

impl Device for Eckd {
    fn describe(&self) -> Option<SenseId> {
        identity::sense_id(&self.kind, self.control_unit)
    }

    fn paths(&self) -> u8 {
        self.options.paths
    }

    fn attached(&mut self, bell: Doorbell) {
        self.bell = Some(bell);
    }

    fn begin(&mut self, orb: &Orb) {
        self.working = false;
        self.clock.rest();
        self.head.forget();
        self.program = Program::NEW;
        self.prepared = None;
        self.paths.select(orb.lpm());
    }

    fn command(&mut self, command: Command, data: &mut Data<'_>) -> Outcome {
        let first = !command.chained && !Self::despite_reservation(command.code);
        let works = self.options.working_allegiance;
        if first && let Err(why) = self.options.reservation.begin(self.party, self.bell.as_ref(), works) {
            return why.map_or(Outcome::Pending, |fault| self.outcome(Err(fault)));
        }
        self.working |= first && works;
        let ended = self.perform(command, data);
        self.outcome(ended)
    }

    fn fast(&mut self, program: &mut css::Program<'_>) -> bool {
        if self.options.reservation.wait(self.party, None, self.options.working_allegiance) != Turn::Now {
            return true;
        }
        self.working = self.options.working_allegiance;
        while let Some(command) = program.next() {
            // SEARCH ID EQUAL, TRANSFER IN CHANNEL: one way through the track.
            let search = command.code == code::SEARCH_ID_EQUAL && command.count == 5;
            let most = if search { program.repeats().unwrap_or(1) } else { 1 };
            let data = &mut program.data();
            let (ended, times) = if most > 1 {
                self.program.found = Found::Nothing;
                let (ended, times) = self.search_ids(command.code, data, most);
                (Some(ended), times)
            } else {
                (self.perform_ordinary(command, data), 1)
            };
            let Some(ended) = ended else { break };
            program.repeated(times - 1, times > 1 && ended.is_err());
            if !program.end(self.outcome(ended)) {
                break;
            }
        }
        true
    }

    fn end(&mut self) -> Option<Sense> {
        let ended = self.head.flush();
        self.clock.end(self.head.accesses());
        self.rest();
        ended.err().map(|fault| self.sense_bytes(fault))
    }

    fn busy(&mut self) -> bool {
        self.clock.busy(self.bell.as_ref())
    }

    fn left(&mut self) -> u64 {
        self.clock.left()
    }

    fn sense(&mut self) -> Sense {
        Sense::new(self.control_unit.sense_bytes())
    }

    fn checkpoint(&self) -> Result<Value, Unkept> {
        let reserved = self.options.reservation.held_by(self.party);
        let held = Checkpoint { paths: self.paths.clone(), reserved, track: self.head.track };
        Ok(serde_json::to_value(held).expect("it is a record of numbers"))
    }

    fn resume(&mut self, from: &Value) -> Result<(), serde_json::Error> {
        let held = Checkpoint::deserialize(from)?;
        (self.paths, self.head.track) = (held.paths, held.track);
        if held.reserved {
            self.options.reservation.reserve(self.party, false);
        }
        Ok(())
    }

    fn reset(&mut self, kind: Reset) {
        // What a program wrote before it was cleared stays written. No program is left to which a failure could be
        // told.
        let _ = self.head.flush();
        self.clock.rest();
        self.rest();
        if kind == Reset::System {
            self.options.reservation.release(self.party);
            self.paths = PathGroups::default();
        }
    }
}

impl Drop for Eckd {
    fn drop(&mut self) {
        let _ = self.head.flush();
        self.options.reservation.leave(self.party);
    }
}
