//! A tape drive at a 3480- or 3490-class control unit ("3480 Magnetic Tape Subsystem Reference"), or a 3420 at a 3803
//! ("3803/3420 Magnetic Tape Subsystems"), which moves the tape in the same ways and knows no block numbers.
//!
//! The drive ([`Drive`]) is there with or without a tape on it; mounting one makes it ready, which the device reports,
//! and REWIND UNLOAD takes it off. Nothing is buffered: a block that was written is in the host's file when the command
//! ends, so SYNCHRONIZE has only the host to wait for. A tape has no end but the host's; a program that wants one
//! counts.

use crate::paths::{PathGroups, Unfit};
use arch::io::{DeviceStatus, SenseId};
use arch::tape::{BlockIds, TapeCharacteristics};
use base::Held;
use base::layout::U32;
use css::{Command, Data, Device, Doorbell, Outcome, Reset, Sense, sense};
use std::sync::{Arc, Mutex, MutexGuard};
use tape::{Item, LONGEST, Tape, TapeError};
use zerocopy::{FromBytes, FromZeros, IntoBytes};

/// Command codes.
mod code {
    pub(super) const WRITE: u8 = 0x01;
    pub(super) const READ: u8 = 0x02;
    pub(super) const NO_OPERATION: u8 = 0x03;
    pub(super) const REWIND: u8 = 0x07;
    pub(super) const READ_BACKWARD: u8 = 0x0c;
    pub(super) const REWIND_UNLOAD: u8 = 0x0f;
    pub(super) const ERASE_GAP: u8 = 0x17;
    pub(super) const WRITE_TAPE_MARK: u8 = 0x1f;
    pub(super) const READ_BLOCK_ID: u8 = 0x22;
    pub(super) const READ_BUFFERED_LOG: u8 = 0x24;
    pub(super) const BACKSPACE_BLOCK: u8 = 0x27;
    pub(super) const BACKSPACE_FILE: u8 = 0x2f;
    pub(super) const SENSE_PATH_GROUP_ID: u8 = 0x34;
    pub(super) const FORWARD_SPACE_BLOCK: u8 = 0x37;
    pub(super) const FORWARD_SPACE_FILE: u8 = 0x3f;
    pub(super) const SYNCHRONIZE: u8 = 0x43;
    pub(super) const LOCATE_BLOCK: u8 = 0x4f;
    pub(super) const READ_DEVICE_CHARACTERISTICS: u8 = 0x64;
    pub(super) const DATA_SECURITY_ERASE: u8 = 0x97;
    pub(super) const LOAD_DISPLAY: u8 = 0x9f;
    pub(super) const SET_PATH_GROUP_ID: u8 = 0xaf;
    pub(super) const ASSIGN: u8 = 0xb7;
    pub(super) const UNASSIGN: u8 = 0xc7;
    pub(super) const SET_WRITE_IMMEDIATE: u8 = 0xc3;
    pub(super) const MODE_SET: u8 = 0xdb;
    pub(super) const CONTROL_ACCESS: u8 = 0xe3;

    /// Those of a 3803: density (1600, 800 and 6250 bytes an inch), which here is the file's, and the tracks in error.
    pub(super) const REQUEST_TRACK_IN_ERROR: u8 = 0x1b;
    pub(super) const SET_1600: u8 = 0xc3;
    pub(super) const SET_800: u8 = 0xcb;
    pub(super) const SET_6250: u8 = 0xd3;
    /// Of the commands above, what a 3803 knows.
    pub(super) const OF_3803: [u8; 14] = [
        WRITE,
        READ,
        NO_OPERATION,
        REWIND,
        READ_BACKWARD,
        REWIND_UNLOAD,
        ERASE_GAP,
        WRITE_TAPE_MARK,
        BACKSPACE_BLOCK,
        BACKSPACE_FILE,
        FORWARD_SPACE_BLOCK,
        FORWARD_SPACE_FILE,
        DATA_SECURITY_ERASE,
        SET_1600,
    ];
}

/// Error recovery actions, in byte 3 of the sense.
mod action {
    pub(super) const PATH_EQUIPMENT_CHECK: u8 = 0x2c;
    pub(super) const READ_DATA_CHECK: u8 = 0x23;
    pub(super) const WRITE_DATA_CHECK: u8 = 0x25;
    pub(super) const COMMAND_REJECT: u8 = 0x27;
    pub(super) const WRITE_PROTECTED: u8 = 0x30;
    pub(super) const TAPE_VOID: u8 = 0x31;
    pub(super) const BACKWARD_AT_BEGINNING: u8 = 0x39;
    pub(super) const NOT_READY: u8 = 0x43;
    pub(super) const LOCATE_FAILED: u8 = 0x44;
}

/// Sense byte 1.
const LOCATE_FAILURE: u8 = 0x80;
const ONLINE: u8 = 0x40;
const LOAD_POINT: u8 = 0x08;
const PROTECTED: u8 = 0x02;

const SENSE_BYTES: usize = 32;

/// Sense bytes of a 3803, in which byte 1 has the same bits, and one for a drive that is not ready; byte 3 that the
/// drive is set to 1600 bytes an inch, byte 5 that this is no 2803, byte 6 that the drive has two densities.
const SENSE_BYTES_3803: usize = 24;
const NOT_READY: u8 = 0x20;
const OF_1600: u8 = 0x04;
const NEW_SUBSYSTEM: u8 = 0xc0;
const DUAL_DENSITY: u8 = 0x20;

/// The model of drives and control units, in hexadecimal digits.
pub const MODEL: u8 = 0x10;

/// The types there are: that of the control unit and of the drive.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Model {
    /// 3420 drives, of reels, at a 3803.
    T3420,
    /// 3480 drives and control units.
    T3480,
    /// 3490 drives and control units.
    #[default]
    T3490,
}

impl Model {
    /// The type in hexadecimal digits: X'3490'.
    pub fn number(self) -> u16 {
        match self {
            Model::T3420 => 0x3420,
            Model::T3480 => 0x3480,
            Model::T3490 => 0x3490,
        }
    }
}

#[derive(Default)]
struct Mounted {
    tape: Option<Tape>,
    /// A tape was mounted, and the program has not been told yet.
    news: bool,
    bell: Option<Doorbell>,
}

/// A drive, with or without a tape, that a device and the operator share.
#[derive(Default)]
pub struct Drive(Mutex<Mounted>);

/// What is on a drive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// The host's file.
    pub file: String,
    /// Whether the tape may be written.
    pub writable: bool,
    /// Blocks and marks before the head, and in all.
    pub position: u32,
    /// Blocks and marks of the whole tape.
    pub count: u32,
}

impl Drive {
    fn lock(&self) -> MutexGuard<'_, Mounted> {
        self.0.lock().held()
    }

    /// Puts a tape on the drive, in the place of what is there.
    pub fn mount(&self, tape: Tape) {
        let mut mounted = self.lock();
        mounted.tape = Some(tape);
        mounted.news = true;
        let bell = mounted.bell.clone();
        drop(mounted);
        if let Some(bell) = bell {
            bell.ring();
        }
    }

    /// Takes the tape off. False if there is none.
    pub fn unload(&self) -> bool {
        self.lock().tape.take().is_some()
    }

    /// Takes the tape to its beginning. False if there is none.
    pub fn rewind(&self) -> bool {
        self.lock().tape.as_mut().map(Tape::rewind).is_some()
    }

    /// What is on the drive now; `None` if no tape is mounted.
    pub fn state(&self) -> Option<State> {
        let mounted = self.lock();
        let tape = mounted.tape.as_ref()?;
        Some(State {
            file: tape.path().display().to_string(),
            writable: tape.writable(),
            position: tape.position(),
            count: tape.count(),
        })
    }
}

/// The device of a drive.
pub struct TapeDrive {
    drive: Arc<Drive>,
    model: Model,
    read_only: bool,
    paths: PathGroups,
}

impl TapeDrive {
    /// With `read_only`, nothing is written whatever the tape allows.
    pub fn new(drive: Arc<Drive>, model: Model, read_only: bool) -> TapeDrive {
        TapeDrive { drive, model, read_only, paths: PathGroups::default() }
    }

    /// What all sense bytes of a drive in its present state have in common.
    fn sense_common(&self, tape: Option<&Tape>) -> Sense {
        let sense = match self.model {
            Model::T3420 => {
                let ready = if tape.is_some() { ONLINE } else { NOT_READY };
                let sense = Sense::new(SENSE_BYTES_3803).with(1, ready).with(3, OF_1600);
                sense.with(5, NEW_SUBSYSTEM).with(6, DUAL_DENSITY)
            }
            Model::T3480 | Model::T3490 => {
                let [high, low] = self.model.number().to_be_bytes();
                Sense::new(SENSE_BYTES).with(1, ONLINE).with(7, 0x20).with(26, high).with(27, low)
            }
        };
        let Some(tape) = tape else { return sense };
        let load_point = if tape.position() == 0 { LOAD_POINT } else { 0 };
        let protected = if self.read_only || !tape.writable() { PROTECTED } else { 0 };
        sense.with(1, load_point | protected)
    }

    /// The sense bytes of a drive that nothing has gone wrong with.
    fn sense_of(&self, tape: Option<&Tape>) -> Sense {
        let sense = self.sense_common(tape);
        match tape {
            None => self.act(sense.with(0, sense::INTERVENTION_REQUIRED), action::NOT_READY),
            Some(_) => sense,
        }
    }

    fn fail(&self, tape: Option<&Tape>, fault: &Fault) -> Outcome {
        let sense = self.sense_common(tape);
        Outcome::check(self.act(sense.with(0, fault.check).with(1, fault.detail), fault.action))
    }

    /// Sense bytes with what a program is to do; a 3803 leaves that to the program.
    fn act(&self, sense: Sense, action: u8) -> Sense {
        if self.model == Model::T3420 { sense } else { sense.with(3, action) }
    }

    /// What a 3420 does otherwise than later drives.
    fn perform_3420(&mut self, code: u8, data: &mut Data<'_>) -> Option<Outcome> {
        match code {
            code::SET_800 | code::SET_6250 => Some(Outcome::ENDED),
            code::REQUEST_TRACK_IN_ERROR => {
                let _ = data.fetch_up_to(1);
                Some(Outcome::ENDED)
            }
            code if code::OF_3803.contains(&code) => None,
            _ => Some(self.fail(self.drive.lock().tape.as_ref(), &Fault::REJECT)),
        }
    }

    fn perform(&mut self, command: Command, data: &mut Data<'_>) -> Outcome {
        if self.model == Model::T3420
            && let Some(outcome) = self.perform_3420(command.code, data)
        {
            return outcome;
        }
        match command.code {
            code::NO_OPERATION | code::SET_WRITE_IMMEDIATE => return Outcome::ENDED,
            // Whether the drive may buffer and compress: it is asked for, and what the tape's file is decides.
            code::MODE_SET => {
                let _ = data.fetch_up_to(1);
                return Outcome::ENDED;
            }
            code::SENSE_PATH_GROUP_ID => {
                data.store(&self.paths.sense(0));
                return Outcome::ENDED;
            }
            code::SET_PATH_GROUP_ID => {
                let parameters: Result<[u8; 12], _> = data.fetch_up_to(12).try_into();
                return match parameters.map(|parameters| self.paths.set(parameters)) {
                    Ok(Ok(())) => Outcome::ENDED,
                    Ok(Err(Unfit)) | Err(_) => self.fail(self.drive.lock().tape.as_ref(), &Fault::REJECT),
                };
            }
            // Only one system has the drive.
            code::ASSIGN | code::UNASSIGN | code::CONTROL_ACCESS => {
                let _ = data.fetch_up_to(12);
                return Outcome::ENDED;
            }
            // The drive's display is not shown anywhere.
            code::LOAD_DISPLAY => {
                let _ = data.fetch_up_to(17);
                return Outcome::ENDED;
            }
            code::READ_BUFFERED_LOG => {
                data.store(&[0; 64]);
                return Outcome::ENDED;
            }
            code::READ_DEVICE_CHARACTERISTICS => {
                let mut told = TapeCharacteristics::new_zeroed();
                told.control_unit.set(self.model.number());
                told.device.set(self.model.number());
                (told.control_unit_model, told.device_model) = (MODEL, MODEL);
                told.features = 0x80;
                data.store(told.as_bytes());
                return Outcome::ENDED;
            }
            _ => (),
        }
        let drive = self.drive.clone();
        let mut mounted = drive.lock();
        let Some(tape) = mounted.tape.as_mut() else { return Outcome::check(self.sense_of(None)) };
        let unloaded = command.code == code::REWIND_UNLOAD;
        match move_tape(tape, command.code, self.read_only, data) {
            Ok(status) => {
                if unloaded {
                    mounted.tape = None;
                }
                Outcome::Done(status)
            }
            Err(fault) => self.fail(Some(tape), &fault),
        }
    }
}

/// What went wrong: bits for bytes 0 and 1 of the sense, and the action for byte 3.
struct Fault {
    check: u8,
    detail: u8,
    action: u8,
}

impl Fault {
    const REJECT: Fault = Fault::new(sense::COMMAND_REJECT, action::COMMAND_REJECT);
    const PROTECTED: Fault = Fault::new(sense::COMMAND_REJECT, action::WRITE_PROTECTED);
    const AT_BEGINNING: Fault = Fault::new(0, action::BACKWARD_AT_BEGINNING);
    /// Nothing is recorded where it was to read.
    const VOID: Fault = Fault::new(sense::DATA_CHECK, action::TAPE_VOID);

    const fn new(check: u8, action: u8) -> Fault {
        Fault { check, detail: 0, action }
    }

    fn of(error: &TapeError, writing: bool) -> Fault {
        match error {
            TapeError::ReadOnly => Fault::PROTECTED,
            TapeError::TooLong => Fault::REJECT,
            TapeError::Damaged { .. } if !writing => Fault::new(sense::DATA_CHECK, action::READ_DATA_CHECK),
            TapeError::Host(_) if writing => Fault::new(sense::DATA_CHECK, action::WRITE_DATA_CHECK),
            _ => Fault::new(sense::EQUIPMENT_CHECK, action::PATH_EQUIPMENT_CHECK),
        }
    }
}

const EXCEPTION: DeviceStatus = DeviceStatus(DeviceStatus::ENDED.0 | DeviceStatus::UNIT_EXCEPTION.0);

/// A command that needs a tape.
fn move_tape(tape: &mut Tape, code: u8, read_only: bool, data: &mut Data<'_>) -> Result<DeviceStatus, Fault> {
    let reading = |error| Fault::of(&error, false);
    let writing = |error| Fault::of(&error, true);
    let may_write = !read_only && tape.writable();
    match code {
        code::READ => match tape.read().map_err(reading)? {
            Item::Block(block) => {
                data.store(&block);
                Ok(DeviceStatus::ENDED)
            }
            Item::Mark => Ok(EXCEPTION),
            Item::Nothing => Err(Fault::VOID),
        },
        code::READ_BACKWARD => match tape.read_backward().map_err(reading)? {
            Item::Block(mut block) => {
                block.reverse();
                data.store(&block);
                Ok(DeviceStatus::ENDED)
            }
            Item::Mark => Ok(EXCEPTION),
            Item::Nothing => Err(Fault::AT_BEGINNING),
        },
        code::WRITE => {
            if !may_write {
                return Err(Fault::PROTECTED);
            }
            let block = data.fetch_up_to(LONGEST + 1);
            tape.write(&block).map_err(writing)?;
            Ok(DeviceStatus::ENDED)
        }
        code::WRITE_TAPE_MARK => {
            if !may_write {
                return Err(Fault::PROTECTED);
            }
            tape.write_mark().map_err(writing)?;
            Ok(DeviceStatus::ENDED)
        }
        // A gap is nothing in the file; what it erases is what would be read next.
        code::ERASE_GAP | code::DATA_SECURITY_ERASE => {
            if !may_write {
                return Err(Fault::PROTECTED);
            }
            tape.erase().map_err(writing)?;
            Ok(DeviceStatus::ENDED)
        }
        code::SYNCHRONIZE => {
            tape.sync().map_err(writing)?;
            Ok(DeviceStatus::ENDED)
        }
        code::REWIND | code::REWIND_UNLOAD => {
            tape.rewind();
            Ok(DeviceStatus::ENDED)
        }
        code::FORWARD_SPACE_BLOCK | code::BACKSPACE_BLOCK => {
            let forward = code == code::FORWARD_SPACE_BLOCK;
            match tape.space(forward) {
                Item::Block(_) => Ok(DeviceStatus::ENDED),
                Item::Mark => Ok(EXCEPTION),
                Item::Nothing if forward => Err(Fault::VOID),
                Item::Nothing => Err(Fault::AT_BEGINNING),
            }
        }
        code::FORWARD_SPACE_FILE | code::BACKSPACE_FILE => {
            let forward = code == code::FORWARD_SPACE_FILE;
            loop {
                match tape.space(forward) {
                    Item::Block(_) => (),
                    Item::Mark => return Ok(DeviceStatus::ENDED),
                    Item::Nothing if forward => return Err(Fault::VOID),
                    Item::Nothing => return Err(Fault::AT_BEGINNING),
                }
            }
        }
        code::READ_BLOCK_ID => {
            let number = tape.position() & 0x3f_ffff;
            // The reference value of the place on the medium: all of it is in the first segment.
            let id = U32::new(number | if number == 0 { 0 } else { 0x0100_0000 });
            data.store(BlockIds { channel: id, device: id }.as_bytes());
            Ok(DeviceStatus::ENDED)
        }
        code::LOCATE_BLOCK => {
            let id = U32::read_from_bytes(&data.fetch_up_to(4)).map_err(|_| Fault::REJECT)?;
            match tape.locate(id.get() & 0x3f_ffff) {
                true => Ok(DeviceStatus::ENDED),
                false => Err(Fault { detail: LOCATE_FAILURE, ..Fault::new(0, action::LOCATE_FAILED) }),
            }
        }
        _ => Err(Fault::REJECT),
    }
}

impl Device for TapeDrive {
    fn describe(&self) -> Option<SenseId> {
        let number = self.model.number();
        // SENSE ID is younger than the 3803.
        (self.model != Model::T3420).then(|| SenseId::new(number, MODEL, number, MODEL))
    }

    fn attached(&mut self, bell: Doorbell) {
        let mut mounted = self.drive.lock();
        mounted.bell = Some(bell);
        mounted.news = false;
    }

    fn command(&mut self, command: Command, data: &mut Data<'_>) -> Outcome {
        self.perform(command, data)
    }

    fn sense(&mut self) -> Sense {
        let drive = self.drive.clone();
        let mounted = drive.lock();
        self.sense_of(mounted.tape.as_ref())
    }

    fn attention(&mut self) -> Option<DeviceStatus> {
        let news = std::mem::take(&mut self.drive.lock().news);
        let status = match self.model {
            Model::T3420 => DeviceStatus::DEVICE_END,
            _ => DeviceStatus::ATTENTION | DeviceStatus::DEVICE_END | DeviceStatus::UNIT_EXCEPTION,
        };
        news.then_some(status)
    }

    fn reset(&mut self, kind: Reset) {
        if kind == Reset::System {
            self.paths = PathGroups::default();
            self.drive.lock().news = false;
        }
    }
}
