//! A disk as numbered blocks of one size, for programs that know no channel programs: CP's block services, and tools
//! that read and write a minidisk from outside.
//!
//! On a count-key-data disk, block n is a record without key. As many records lie on a track as the device's capacity
//! allows of that size, numbered from 1, track after track. This is how CMS and Linux format disks. On a fixed-block
//! disk a block is as many blocks of the device as its size needs.
//!
//! ```
//! # use dasd::{Blocks, Extent, Kind, Memory, Volume, model::CkdModel};
//! # use std::sync::Arc;
//! # let volume: Arc<dyn Volume> = Arc::new(Memory::ckd(CkdModel::named("3390").unwrap(), 30));
//! // A minidisk is an extent of its volume: here 20 cylinders from cylinder 5 on.
//! let minidisk = Arc::new(Extent::new(volume, 5, 20, false).expect("it lies on the volume"));
//! let blocks = Blocks::new(minidisk, 4096).expect("such blocks fit");
//! blocks.format(&mut |_, _| true)?;
//! blocks.write(2, &[7; 4096])?;
//! # let mut back = [0; 4096];
//! blocks.read(2, &mut back)?;
//! assert_eq!((blocks.count(), back), (20 * 15 * 12, [7; 4096]));
//! # Ok::<(), dasd::BlockError>(())
//! ```

use crate::model::CkdModel;
use crate::{Count, Kind, MediaError, Track, Volume};
use std::sync::Arc;

/// A disk in blocks, which are counted from 0.
#[derive(Clone)]
pub struct Blocks {
    volume: Arc<dyn Volume>,
    size: usize,
    /// Records of a track; of fixed-block disks, blocks of the device for one of these.
    factor: u32,
    count: u64,
}

/// Why a block was not read or written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BlockError {
    /// There is no such block.
    #[error("the disk has no such block")]
    Number,
    /// A write to a disk that may only be read.
    #[error("the disk is read-only")]
    ReadOnly,
    /// The record on the track is of another size, or not there: the disk is not formatted with such blocks.
    #[error("the disk is not formatted with blocks of this size")]
    RecordSize,
    /// The disk, or its file, did not do it.
    #[error("{0}")]
    Medium(MediaError),
    /// The caller's progress callback ended it.
    #[error("interrupted")]
    Interrupted,
}

impl From<MediaError> for BlockError {
    fn from(error: MediaError) -> BlockError {
        match error {
            MediaError::Outside => BlockError::Number,
            MediaError::ReadOnly => BlockError::ReadOnly,
            error => BlockError::Medium(error),
        }
    }
}

impl Blocks {
    /// `volume` in blocks of `size` bytes: 512, 1024, 2048 or 4096, else `None`.
    pub fn new(volume: Arc<dyn Volume>, size: u32) -> Option<Blocks> {
        if ![512, 1024, 2048, 4096].contains(&size) {
            return None;
        }
        let (factor, count) = match volume.kind() {
            Kind::Ckd { device, model, cylinders, .. } => {
                let found = CkdModel::of(device, model, cylinders).or_else(|| CkdModel::of_size(device, cylinders))?;
                let records = found.records(0, size);
                (records, u64::from(records) * u64::from(volume.kind().tracks()))
            }
            Kind::Fba { blocks, .. } => {
                let factor = size / Kind::BLOCK as u32;
                (factor, blocks / u64::from(factor))
            }
        };
        Some(Blocks { volume, size: size as usize, factor, count })
    }

    /// How many blocks there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Bytes of a block.
    pub fn size(&self) -> usize {
        self.size
    }

    fn is_ckd(&self) -> bool {
        matches!(self.volume.kind(), Kind::Ckd { .. })
    }

    /// Where a block is on the medium: the track, and where on it about; of a fixed-block disk, the device's block.
    pub fn medium(&self, block: u64) -> (u64, usize) {
        if !self.is_ckd() {
            return (block * u64::from(self.factor), 0);
        }
        let (track, number) = self.place(block);
        (track.into(), usize::from(number) * (self.size + Count::LEN))
    }

    /// Track and record of a block.
    fn place(&self, block: u64) -> (u32, u8) {
        let factor = u64::from(self.factor);
        ((block / factor) as u32, (block % factor + 1) as u8)
    }

    /// The record that is a block, if it is one of this size: where it is in the track's image.
    fn find(&self, track: &Track, number: u8) -> Option<usize> {
        let record = track.records().skip(1).find(|record| record.count.record == number)?;
        (record.key.is_empty() && record.data.len() == self.size).then_some(record.at)
    }

    fn check(&self, block: u64, length: usize) -> Result<(), BlockError> {
        assert_eq!(length, self.size, "requests are for one block");
        if block < self.count { Ok(()) } else { Err(BlockError::Number) }
    }

    /// Reads a block.
    pub fn read(&self, block: u64, to: &mut [u8]) -> Result<(), BlockError> {
        self.check(block, to.len())?;
        if !self.is_ckd() {
            return Ok(self.volume.read_blocks(block * u64::from(self.factor), to)?);
        }
        let (track, number) = self.place(block);
        if self.volume.read_record(track, number, to)? { Ok(()) } else { Err(BlockError::RecordSize) }
    }

    /// Writes a block.
    pub fn write(&self, block: u64, from: &[u8]) -> Result<(), BlockError> {
        self.check(block, from.len())?;
        if !self.is_ckd() {
            return Ok(self.volume.write_blocks(block * u64::from(self.factor), from)?);
        }
        let (track, number) = self.place(block);
        let mut found = None;
        self.volume.update_track(track, &mut |track| {
            found = self.find(track, number);
            found.inspect(|&at| track.update(at, None, Some(from))).is_some()
        })?;
        found.map(|_| ()).ok_or(BlockError::RecordSize)
    }

    /// Formats the disk: every block is there afterwards, and zero. It goes on while `progress`, told how far it is
    /// (done, of), says so.
    pub fn format(&self, progress: crate::Progress<'_>) -> Result<(), BlockError> {
        let kind = self.volume.kind();
        if !self.is_ckd() {
            let group = vec![0; 120 * Kind::BLOCK];
            let mut at = 0;
            while at < kind.blocks() {
                let length = (kind.blocks() - at).min(120);
                self.volume.write_blocks(at, &group[..length as usize * Kind::BLOCK])?;
                at += length;
                if !progress(at, kind.blocks()) {
                    return Err(BlockError::Interrupted);
                }
            }
            return Ok(());
        }
        let data = vec![0; self.size];
        for number in 0..kind.tracks() {
            let (cylinder, head) = kind.home(number)?;
            let mut track = Track::new(cylinder, head);
            for record in 1..=self.factor as u8 {
                let end = track.records().last().map_or(0, |last| last.end());
                track.format(end, Count { cylinder, head, record, key: 0, data: self.size as u16 }, &[], &data);
            }
            self.volume.write_track(number, &track)?;
            if !progress(u64::from(number) + 1, kind.tracks().into()) {
                return Err(BlockError::Interrupted);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::FbaModel;
    use crate::{Extent, Memory};

    #[test]
    fn blocks_are_records_of_the_minidisks_tracks() {
        let volume = Arc::new(Memory::ckd(CkdModel::named("3380").unwrap(), 10));
        let minidisk = Arc::new(Extent::new(volume.clone(), 4, 2, false).unwrap());
        let blocks = Blocks::new(minidisk.clone(), 1024).unwrap();
        assert_eq!(blocks.count(), 2 * 15 * 31);
        assert_eq!(blocks.read(40, &mut [0; 1024]), Err(BlockError::RecordSize));
        assert_eq!(blocks.write(40, &[0; 1024]), Err(BlockError::RecordSize));
        blocks.format(&mut |_, _| true).unwrap();
        blocks.write(40, &[4; 1024]).unwrap();
        // Block 40 is record 10 of the second track, which is the volume's track 61.
        let track = volume.read_track(61).unwrap();
        let record = track.records().nth(10).unwrap();
        assert_eq!((record.count.cylinder, record.count.head, record.count.record), (0, 1, 10));
        assert_eq!(record.data, [4; 1024]);
        assert_eq!(blocks.write(blocks.count(), &[0; 1024]), Err(BlockError::Number));
        assert_eq!(Blocks::new(minidisk, 4096).unwrap().read(0, &mut [0; 4096]), Err(BlockError::RecordSize));
        let reader = Blocks::new(Arc::new(Extent::new(volume, 4, 2, true).unwrap()), 1024).unwrap();
        assert_eq!(reader.write(1, &[0; 1024]), Err(BlockError::ReadOnly));
    }

    #[test]
    fn blocks_of_a_fixed_block_disk_are_some_of_its_blocks() {
        let volume = Arc::new(Memory::fba(FbaModel::named("9336").unwrap(), 1001));
        let blocks = Blocks::new(volume.clone(), 2048).unwrap();
        assert_eq!(blocks.count(), 250);
        volume.write_blocks(1000, &[9; 512]).unwrap();
        blocks.write(249, &[5; 2048]).unwrap();
        let mut back = [0; 512];
        volume.read_blocks(999, &mut back).unwrap();
        assert_eq!(back, [5; 512]);
        assert_eq!(blocks.format(&mut |done, _| done < 600), Err(BlockError::Interrupted));
        blocks.format(&mut |_, _| true).unwrap();
        volume.read_blocks(1000, &mut back).unwrap();
        assert_eq!(back, [0; 512]);
        assert!(Blocks::new(volume, 800).is_none());
    }
}
