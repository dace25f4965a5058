//! A small machine with a disk: volumes in storage, channel programs as lists of commands.

#![allow(dead_code)]

pub(crate) mod random;

use arch::Absolute;
use arch::io::{Ccw, CcwFormat, DeviceStatus, Irb, Orb, SubsystemId, ccw_flag, orb_flag, pmcw_flag};
use css::{ChannelSubsystem, Device};
use dasd::{Count, Kind, MediaError, Track, Volume};
use std::sync::{Arc, Mutex};
use storage::Storage;

/// A volume in storage.
pub(crate) struct Memory {
    kind: Kind,
    pub tracks: Mutex<Vec<Arc<Track>>>,
    pub blocks: Mutex<Vec<u8>>,
    /// What accesses end with, if not well.
    pub failing: Mutex<Option<MediaError>>,
    pub written: Mutex<u64>,
}

impl Memory {
    /// A count-key-data volume; its tracks have record 0 only.
    pub(crate) fn ckd(device: u16, model: u8, cylinders: u32, heads: u32) -> Arc<Memory> {
        let kind = Kind::Ckd { device, model, cylinders, heads, track: 65_000 };
        let tracks = (0..cylinders * heads).map(|n| Arc::new(Track::new((n / heads) as u16, (n % heads) as u16)));
        Arc::new(Memory {
            kind,
            tracks: Mutex::new(tracks.collect()),
            blocks: Mutex::default(),
            failing: Mutex::default(),
            written: Mutex::default(),
        })
    }

    pub(crate) fn d3390(cylinders: u32) -> Arc<Memory> {
        Memory::ckd(0x3390, 0x0a, cylinders, 15)
    }

    pub(crate) fn fba(blocks: u64) -> Arc<Memory> {
        Arc::new(Memory {
            kind: Kind::Fba { device: 0x9336, model: 0x10, blocks },
            tracks: Mutex::default(),
            blocks: Mutex::new(vec![0; blocks as usize * Kind::BLOCK]),
            failing: Mutex::default(),
            written: Mutex::default(),
        })
    }

    /// Replaces the records of a track: key and data of R1, R2 and so on.
    pub(crate) fn fill(&self, track: u32, records: &[(&[u8], &[u8])]) {
        let Kind::Ckd { heads, .. } = self.kind else { panic!("it has tracks") };
        let (cylinder, head) = ((track / heads) as u16, (track % heads) as u16);
        let mut new = Track::new(cylinder, head);
        for (n, (key, data)) in records.iter().enumerate() {
            let end = new.records().last().unwrap().end();
            let (key_length, data_length) = (key.len() as u8, data.len() as u16);
            let count = Count { cylinder, head, record: n as u8 + 1, key: key_length, data: data_length };
            new.format(end, count, key, data);
        }
        self.tracks.lock().unwrap()[track as usize] = Arc::new(new);
    }

    pub(crate) fn track(&self, track: u32) -> Arc<Track> {
        self.tracks.lock().unwrap()[track as usize].clone()
    }

    fn failure(&self) -> Result<(), MediaError> {
        self.failing.lock().unwrap().clone().map_or(Ok(()), Err)
    }
}

impl Volume for Memory {
    fn kind(&self) -> Kind {
        self.kind
    }

    fn read_track(&self, track: u32) -> Result<Arc<Track>, MediaError> {
        self.failure()?;
        self.tracks.lock().unwrap().get(track as usize).cloned().ok_or(MediaError::Outside)
    }

    fn write_track(&self, track: u32, new: &Track) -> Result<(), MediaError> {
        self.failure()?;
        *self.written.lock().unwrap() += 1;
        let new = self.kind.fitting(track, new)?.into_owned();
        *self.tracks.lock().unwrap().get_mut(track as usize).ok_or(MediaError::Outside)? = Arc::new(new);
        Ok(())
    }

    fn update_track(&self, track: u32, change: dasd::Change<'_>) -> Result<(), MediaError> {
        self.failure()?;
        let mut tracks = self.tracks.lock().unwrap();
        let place = tracks.get_mut(track as usize).ok_or(MediaError::Outside)?;
        let mut new = Track::clone(place);
        if change(&mut new) {
            *self.written.lock().unwrap() += 1;
            *place = Arc::new(self.kind.fitting(track, &new)?.into_owned());
        }
        Ok(())
    }

    fn read_blocks(&self, block: u64, to: &mut [u8]) -> Result<(), MediaError> {
        self.failure()?;
        let at = block as usize * Kind::BLOCK;
        let blocks = self.blocks.lock().unwrap();
        to.copy_from_slice(blocks.get(at..at + to.len()).ok_or(MediaError::Outside)?);
        Ok(())
    }

    fn write_blocks(&self, block: u64, from: &[u8]) -> Result<(), MediaError> {
        self.failure()?;
        let at = block as usize * Kind::BLOCK;
        let mut blocks = self.blocks.lock().unwrap();
        blocks.get_mut(at..at + from.len()).ok_or(MediaError::Outside)?.copy_from_slice(from);
        Ok(())
    }
}

/// Where the data of the commands of a program begins, and how far apart it is.
pub(crate) const DATA: u32 = 0x10000;
pub(crate) const STEP: u32 = 0x10000;
/// Where channel programs are.
pub(crate) const PROGRAM: u32 = 0x1000;

/// One command of a channel program.
#[derive(Clone)]
pub(crate) struct Step {
    pub code: u8,
    pub flags: u8,
    pub count: u16,
    /// Output data.
    pub bytes: Vec<u8>,
    /// TIC: the step to go to.
    pub to: Option<usize>,
}

/// A command that gets these bytes from the program.
pub(crate) fn put(code: u8, bytes: &[u8]) -> Step {
    Step { code, flags: 0, count: bytes.len() as u16, bytes: bytes.to_vec(), to: None }
}

/// A command that stores up to `count` bytes.
pub(crate) fn get(code: u8, count: u16) -> Step {
    Step { code, flags: 0, count, bytes: Vec::new(), to: None }
}

/// TIC to a step of the program.
pub(crate) fn tic(to: usize) -> Step {
    Step { code: 8, flags: 0, count: 0, bytes: Vec::new(), to: Some(to) }
}

impl Step {
    pub(crate) fn sli(mut self) -> Step {
        self.flags |= ccw_flag::SUPPRESS_LENGTH;
        self
    }
}

/// A Define Extent for these tracks of a device with 15 heads.
pub(crate) fn extent(mask: u8, first: u32, last: u32) -> Step {
    let mut b = vec![mask, 0xc0, 0, 0, 0, 0, 0, 0];
    for track in [first, last] {
        b.extend(cchh(track));
    }
    put(0x63, &b)
}

pub(crate) fn cchh(track: u32) -> [u8; 4] {
    let ([c1, c2], [h1, h2]) = (((track / 15) as u16).to_be_bytes(), ((track % 15) as u16).to_be_bytes());
    [c1, c2, h1, h2]
}

/// A Locate Record for `count` records from record `record` of a track on.
pub(crate) fn locate(operation: u8, count: u8, track: u32, record: u8) -> Step {
    put(0x47, &locate_bytes(operation, count, track, record))
}

pub(crate) fn locate_bytes(operation: u8, count: u8, track: u32, record: u8) -> Vec<u8> {
    let mut b = vec![operation, 0, 0, count];
    b.extend(cchh(track));
    b.extend(cchh(track));
    b.extend([record, 0xff, 0, 0]);
    b
}

/// A Seek.
pub(crate) fn seek(track: u32) -> Step {
    put(0x07, &[&[0, 0][..], &cchh(track)].concat())
}

/// A Search ID Equal.
pub(crate) fn search(track: u32, record: u8) -> Step {
    put(0x31, &[&cchh(track)[..], &[record]].concat())
}

pub(crate) struct Machine {
    pub storage: Arc<Storage>,
    pub css: ChannelSubsystem,
    pub id: SubsystemId,
    pub ids: Vec<SubsystemId>,
}

impl Machine {
    pub(crate) fn new(device: Box<dyn Device>) -> Machine {
        Machine::with(vec![device])
    }

    /// Devices at 0200, 0201 and so on, enabled, with concurrent sense.
    pub(crate) fn with(devices: Vec<Box<dyn Device>>) -> Machine {
        let storage = Arc::new(Storage::new(8 << 20).unwrap());
        let mut css = ChannelSubsystem::new(storage.clone());
        let mut ids = Vec::new();
        for (n, device) in devices.into_iter().enumerate() {
            let id = css.attach(0x200 + n as u16, device).unwrap();
            let mut schib = css.store_subchannel(id).unwrap();
            schib.pmcw.flags |= pmcw_flag::ENABLED;
            schib.pmcw.characteristics.set(1);
            assert_eq!(css.modify_subchannel(id, &schib), Ok(0));
            ids.push(id);
        }
        Machine { storage, css, id: ids[0], ids }
    }

    /// Lays a program of format 1 down.
    pub(crate) fn lay(&mut self, steps: &[Step]) -> Orb {
        for (n, step) in steps.iter().enumerate() {
            let chain = if n + 1 < steps.len() && step.to.is_none() { ccw_flag::CHAIN_COMMAND } else { 0 };
            let at = DATA + n as u32 * STEP;
            let address = step.to.map_or(at, |to| PROGRAM + 8 * to as u32);
            let ccw = Ccw { command: step.code, flags: step.flags | chain, count: step.count, address };
            let place = Absolute(u64::from(PROGRAM) + 8 * n as u64);
            self.storage.write(place, &ccw.encode(CcwFormat::One)).unwrap();
            self.storage.write(Absolute(u64::from(at)), &step.bytes).unwrap();
        }
        Orb::new(0, orb_flag::FORMAT_1 | 0xff00, PROGRAM)
    }

    /// Runs a program to its end.
    pub(crate) fn run(&mut self, steps: &[Step]) -> Irb {
        let orb = self.lay(steps);
        assert_eq!(self.css.start_subchannel(self.id, &orb), Ok(0));
        self.finish(self.id)
    }

    pub(crate) fn finish(&mut self, id: SubsystemId) -> Irb {
        while self.css.pending().work() {
            self.css.attend();
        }
        let (cc, irb) = self.css.test_subchannel(id);
        assert_eq!(cc, 0, "the channel program has ended");
        irb
    }

    /// Runs a program that must end well.
    pub(crate) fn good(&mut self, steps: &[Step]) {
        let irb = self.run(steps);
        let done = irb.scsw.ccw.get().wrapping_sub(PROGRAM) / 8;
        let ended = (irb.scsw.device, irb.scsw.subchannel);
        assert_eq!(ended, (DeviceStatus::ENDED, 0), "after {done} CCWs, sense {:02X?}", irb.ecw);
    }

    /// Runs a program that must end with unit check; the sense bytes, and how many CCWs were used.
    pub(crate) fn bad(&mut self, steps: &[Step]) -> ([u8; 32], u32) {
        let irb = self.run(steps);
        assert!(irb.scsw.device.has(DeviceStatus::UNIT_CHECK), "{:?}", irb.scsw);
        (irb.ecw, irb.scsw.ccw.get().wrapping_sub(PROGRAM) / 8)
    }

    /// What a step has stored.
    pub(crate) fn data(&self, step: usize, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        let at = u64::from(DATA) + step as u64 * u64::from(STEP);
        self.storage.read(Absolute(at), &mut bytes).unwrap();
        bytes
    }
}
