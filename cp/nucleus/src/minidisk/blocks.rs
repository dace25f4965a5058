//! A minidisk as numbered blocks of one size, for the services that read and write it without a channel program (DIAGNOSE
//! X'A4', X'250', *BLOCKIO).
//!
//! On a count-key-data minidisk, block n is a record without key: as many records lie on a track as the device's capacity allows of that size,
//! numbered from 1, track after track. On a fixed-block minidisk a block is as many blocks of the device as its size needs.

use super::Link;
use dasd::model::CkdModel;
use dasd::{Kind, MediaError, Volume};
use devices::dasd::Reservation;
use std::sync::Arc;

/// A minidisk in blocks.
#[derive(Clone)]
pub struct BlockDisk {
    volume: Arc<dyn Volume>,
    /// The same without the minidisk cache.
    direct: Arc<dyn Volume>,
    reservation: Arc<Reservation>,
    size: usize,
    /// Records of a track; of fixed-block disks, blocks of the device for one of these.
    factor: u32,
    count: u64,
    pub read_only: bool,
}

/// What was wrong with a block, with the status that all services give.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum BlockError {
    /// No such block.
    Number = 1,
    /// The program's storage does not have the address.
    Addressing = 2,
    ReadOnly = 3,
    /// The record on the track is of another size, or not there.
    RecordSize = 4,
    Medium = 5,
    /// The request is not one that exists.
    Type = 6,
    Protection = 7,
}

impl From<MediaError> for BlockError {
    fn from(error: MediaError) -> BlockError {
        match error {
            MediaError::Outside => BlockError::Number,
            MediaError::ReadOnly => BlockError::ReadOnly,
            _ => BlockError::Medium,
        }
    }
}

impl BlockDisk {
    /// The disk behind a link in blocks of `size` bytes: 512, 1024, 2048 or 4096, else `None`.
    pub fn new(link: &Link, size: u32) -> Option<BlockDisk> {
        if ![512, 1024, 2048, 4096].contains(&size) {
            return None;
        }
        let (factor, count) = match link.disk.kind() {
            Kind::Ckd { device, model, cylinders, heads, .. } => {
                let model = CkdModel::of(device, model, cylinders).or_else(|| CkdModel::of_size(device, cylinders))?;
                let records = model.records(0, size);
                (records, u64::from(records) * u64::from(cylinders) * u64::from(heads))
            }
            Kind::Fba { blocks, .. } => {
                let factor = size / Kind::BLOCK as u32;
                (factor, blocks / u64::from(factor))
            }
        };
        Some(BlockDisk {
            volume: link.volume.clone(),
            direct: link.disk.direct.clone(),
            reservation: link.disk.reservation.clone(),
            size: size as usize,
            factor,
            count,
            read_only: link.read_only,
        })
    }

    /// How many blocks there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Bytes of a block.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Track and record of block `block` (from 0).
    fn place(&self, block: u64) -> (u32, u8) {
        let factor = u64::from(self.factor);
        ((block / factor) as u32, (block % factor + 1) as u8)
    }

    fn is_ckd(&self) -> bool {
        matches!(self.volume.kind(), Kind::Ckd { .. })
    }

    /// Reads block `block`, counted from 0; with `bypass` not from the minidisk cache.
    pub fn read(&self, block: u64, to: &mut [u8], bypass: bool) -> Result<(), BlockError> {
        if block >= self.count {
            return Err(BlockError::Number);
        }
        let volume = if bypass { &self.direct } else { &self.volume };
        if !self.is_ckd() {
            return Ok(volume.read_blocks(block * u64::from(self.factor), to)?);
        }
        let (track, number) = self.place(block);
        let track = volume.read_track(track)?;
        let record = track.records().skip(1).find(|record| record.count.record == number);
        match record {
            Some(record) if record.key.is_empty() && record.data.len() == self.size => to.copy_from_slice(record.data),
            _ => return Err(BlockError::RecordSize),
        }
        Ok(())
    }

    /// Writes block `block`, counted from 0.
    pub fn write(&self, block: u64, from: &[u8]) -> Result<(), BlockError> {
        if block >= self.count {
            return Err(BlockError::Number);
        }
        if self.read_only {
            return Err(BlockError::ReadOnly);
        }
        let _writing = self.reservation.writing();
        if !self.is_ckd() {
            return Ok(self.volume.write_blocks(block * u64::from(self.factor), from)?);
        }
        let (number, record) = self.place(block);
        let mut track = self.volume.read_track_to_update(number)?;
        let found = track.records().skip(1).find(|found| found.count.record == record);
        let at = match found {
            Some(found) if found.key.is_empty() && found.data.len() == self.size => found.at,
            _ => return Err(BlockError::RecordSize),
        };
        Arc::make_mut(&mut track).update(at, None, Some(from));
        Ok(self.volume.write_track(number, &track)?)
    }
}
