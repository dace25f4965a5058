//! A fixed-block disk: 3370, 9336, 0671 and their kin (IBM 3880 description, "Fixed block commands").

use super::reservation::Turn;
use super::sense::Fault;
use super::timing::Access;
use super::work::{self, Clockwork};
use super::{ControlUnit, Options, code, identity};
use arch::dasd::{FbaDefineExtent, FbaLocate};
use arch::io::{Orb, SenseId};
use css::{Command, Data, Device, Doorbell, Outcome, Reset, Sense, Unkept};
use dasd::{Kind, Volume};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;
use zerocopy::{FromBytes, IntoBytes};

/// Sense bytes.
const SENSE: usize = 24;
/// Blocks that are moved at a time.
const PIECE: u64 = 128;

/// Which blocks DEFINE EXTENT lets the program reach: numbers in LOCATE are relative to a data set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Extent {
    /// Block of the volume that is block `first` of the data set.
    start: u64,
    first: u64,
    last: u64,
    writes: bool,
}

/// What LOCATE announced: `count` blocks of the volume from `block` on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Located {
    block: u64,
    count: u64,
    write: bool,
}

/// A fixed-block disk.
pub struct Fba {
    volume: Arc<dyn Volume>,
    kind: Kind,
    blocks: u64,
    control_unit: ControlUnit,
    options: Options,
    party: u64,
    bell: Option<Doorbell>,
    extent: Option<Extent>,
    located: Option<Located>,
    buffer: Vec<u8>,
    clock: Clockwork,
    /// What the channel program has used, if it takes its time.
    accesses: Vec<Access>,
}

impl Fba {
    /// A device for a fixed-block volume. (With another volume, every access ends with file protection.)
    pub fn new(volume: Arc<dyn Volume>, options: Options) -> Fba {
        let kind = volume.kind();
        let blocks = if let Kind::Fba { blocks, .. } = kind { blocks } else { 0 };
        let control_unit = options.control_unit.unwrap_or_else(|| ControlUnit::usual(&kind));
        let party = options.party.unwrap_or_else(|| options.reservation.join());
        let clock = Clockwork::new(options.timing.clone());
        Fba {
            volume,
            kind,
            blocks,
            control_unit,
            options,
            party,
            bell: None,
            extent: None,
            located: None,
            buffer: Vec::new(),
            clock,
            accesses: Vec::new(),
        }
    }

    fn perform(&mut self, command: Command, data: &mut Data<'_>) -> Result<(), Fault> {
        let located = self.located.take();
        match command.code {
            code::NO_OPERATION => Ok(()),
            code::READ_IPL => {
                // The rest of the volume may be read by the program that this brings in.
                let last = self.blocks.saturating_sub(1);
                self.extent.get_or_insert(Extent { start: 0, first: 0, last, writes: false });
                self.read(Located { block: 0, count: 1, write: false }, data)
            }
            code::DEFINE_EXTENT => self.define_extent(data),
            code::FIXED_LOCATE => self.locate(data),
            code::FIXED_READ => match located {
                Some(at) if !at.write => self.read(at, data),
                _ => Err(Fault::SEQUENCE),
            },
            code::FIXED_WRITE => match located {
                Some(at) if at.write => self.write(at, data),
                _ => Err(Fault::SEQUENCE),
            },
            code::READ_DEVICE_CHARACTERISTICS => {
                data.store(identity::fixed_characteristics(&self.kind).as_bytes());
                Ok(())
            }
            code::READ_AND_RESET_LOG => {
                data.store(&[0; SENSE]);
                Ok(())
            }
            code::DEVICE_RESERVE | code::UNCONDITIONAL_RESERVE => {
                let unconditional = command.code == code::UNCONDITIONAL_RESERVE;
                self.options.reservation.reserve(self.party, unconditional);
                data.store(&[0; SENSE]);
                Ok(())
            }
            code::DEVICE_RELEASE => {
                self.options.reservation.release(self.party);
                data.store(&[0; SENSE]);
                Ok(())
            }
            _ => Err(Fault::INVALID_COMMAND),
        }
    }

    fn define_extent(&mut self, data: &mut Data<'_>) -> Result<(), Fault> {
        if self.extent.is_some() {
            return Err(Fault::SEQUENCE);
        }
        let b = FbaDefineExtent::read_from_bytes(&data.fetch_up_to(16)).map_err(|_| Fault::SHORT)?;
        let writes = b.mask >> 6 != 1;
        let extent = Extent { start: b.start.into(), first: b.first.into(), last: b.last.into(), writes };
        let reversed = extent.first > extent.last;
        if b.mask >> 6 == 2 || !matches!(b.block_size.get(), 0 | 512) || reversed {
            return Err(Fault::PARAMETER);
        }
        if extent.start + (extent.last - extent.first) >= self.blocks {
            return Err(Fault::FileProtected);
        }
        self.extent = Some(extent);
        Ok(())
    }

    fn locate(&mut self, data: &mut Data<'_>) -> Result<(), Fault> {
        let extent = self.extent.ok_or(Fault::SEQUENCE)?;
        let b = FbaLocate::read_from_bytes(&data.fetch_up_to(8)).map_err(|_| Fault::SHORT)?;
        let write = match b.operation & 0x0f {
            1 | 5 => true,
            6 => false,
            _ => return Err(Fault::PARAMETER),
        };
        let (count, first) = (u64::from(b.count), u64::from(b.first));
        if count == 0 || b.operation & 0xf0 != 0 {
            return Err(Fault::PARAMETER);
        }
        if first < extent.first || first + count - 1 > extent.last || write && !extent.writes {
            return Err(Fault::FileProtected);
        }
        if write && (self.options.read_only || self.volume.read_only()) {
            return Err(Fault::WriteInhibited);
        }
        self.located = Some(Located { block: extent.start + (first - extent.first), count, write });
        Ok(())
    }

    /// Has room for the next blocks of `at` in the buffer, and says how many they are.
    fn room(&mut self, left: u64) -> usize {
        let bytes = left.min(PIECE) as usize * Kind::BLOCK;
        self.buffer.clear();
        self.buffer.resize(bytes, 0);
        bytes
    }

    /// These blocks go over; what the minidisk cache has, without the disk.
    fn uses(&mut self, at: Located) {
        let bytes = at.count as usize * Kind::BLOCK;
        if self.clock.runs() && (at.write || !self.volume.holds_blocks(at.block, bytes)) {
            self.accesses.push(work::blocks(self.options.first + at.block, bytes));
        }
    }

    fn read(&mut self, at: Located, data: &mut Data<'_>) -> Result<(), Fault> {
        self.uses(at);
        let mut done = 0;
        while done < at.count {
            let bytes = self.room(at.count - done);
            let read = self.volume.read_blocks(at.block + done, &mut self.buffer);
            read.map_err(|error| self.failed(at.block + done, &error))?;
            if data.store(&self.buffer) < bytes {
                break;
            }
            done += PIECE;
        }
        Ok(())
    }

    /// Blocks for which the program has no data become zeros.
    fn write(&mut self, at: Located, data: &mut Data<'_>) -> Result<(), Fault> {
        self.uses(at);
        let mut done = 0;
        while done < at.count {
            self.room(at.count - done);
            data.fetch(&mut self.buffer);
            if !data.ok() {
                break;
            }
            let written = self.volume.write_blocks(at.block + done, &self.buffer);
            written.map_err(|error| self.failed(at.block + done, &error))?;
            done += PIECE;
        }
        Ok(())
    }

    fn failed(&self, block: u64, error: &dasd::MediaError) -> Fault {
        if let Some(trouble) = &self.options.trouble {
            trouble(block, error);
        }
        Fault::from(error)
    }
}

fn outcome(ended: Result<(), Fault>) -> Outcome {
    match ended {
        Ok(()) => Outcome::ENDED,
        Err(fault) => Outcome::check(fault.sense(SENSE, 0, 0)),
    }
}

impl Device for Fba {
    fn describe(&self) -> Option<SenseId> {
        identity::sense_id(&self.kind, self.control_unit)
    }

    fn paths(&self) -> u8 {
        self.options.paths
    }

    fn attached(&mut self, bell: Doorbell) {
        self.bell = Some(bell);
    }

    fn begin(&mut self, _orb: &Orb) {
        (self.extent, self.located) = (None, None);
        self.accesses.clear();
        self.clock.rest();
    }

    fn command(&mut self, command: Command, data: &mut Data<'_>) -> Outcome {
        let first = !command.chained && command.code != code::UNCONDITIONAL_RESERVE;
        if first && let Err(why) = self.options.reservation.begin(self.party, self.bell.as_ref(), false) {
            return why.map_or(Outcome::Pending, |fault| outcome(Err(fault)));
        }
        outcome(self.perform(command, data))
    }

    fn fast(&mut self, program: &mut css::Program<'_>) -> bool {
        use code::{DEFINE_EXTENT, FIXED_LOCATE, FIXED_READ, FIXED_WRITE};
        if self.options.reservation.wait(self.party, None, false) != Turn::Now {
            return true;
        }
        while let Some(command) = program.next() {
            if !matches!(command.code, DEFINE_EXTENT | FIXED_LOCATE | FIXED_READ | FIXED_WRITE) {
                break;
            }
            let ended = self.perform(command, &mut program.data());
            if !program.end(outcome(ended)) {
                break;
            }
        }
        true
    }

    fn end(&mut self) -> Option<Sense> {
        self.clock.end(&self.accesses);
        None
    }

    fn busy(&mut self) -> bool {
        self.clock.busy(self.bell.as_ref())
    }

    fn left(&mut self) -> u64 {
        self.clock.left()
    }

    fn sense(&mut self) -> Sense {
        Sense::new(SENSE)
    }

    /// Whether it is reserved: nothing else outlasts a channel program.
    fn checkpoint(&self) -> Result<Value, Unkept> {
        Ok(self.options.reservation.held_by(self.party).into())
    }

    fn resume(&mut self, from: &Value) -> Result<(), serde_json::Error> {
        if bool::deserialize(from)? {
            self.options.reservation.reserve(self.party, false);
        }
        Ok(())
    }

    fn reset(&mut self, kind: Reset) {
        self.clock.rest();
        if kind == Reset::System {
            self.options.reservation.release(self.party);
        }
    }
}

impl Drop for Fba {
    fn drop(&mut self) {
        self.options.reservation.leave(self.party);
    }
}
