//! A volume in storage: temporary disks, virtual disks, what is written over a disk that stays as it is, and tests.

use crate::model::{CkdModel, FbaModel};
use crate::{Change, Kind, MediaError, Track, Volume};
use base::Held;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, RwLock};

/// Blocks of a fixed-block volume that are kept together, 60 KB as in the compressed formats.
const GROUP: usize = 120;

/// A disk that keeps its data in storage; the data is gone with the disk. Tracks and blocks that were never written
/// take none.
pub struct Memory {
    kind: Kind,
    data: RwLock<Data>,
    /// What has not been written is as it is there.
    below: Option<Arc<dyn Volume>>,
}

#[derive(Default)]
struct Data {
    tracks: HashMap<u32, Arc<Track>>,
    groups: HashMap<u64, Box<[u8]>>,
}

impl Memory {
    /// An empty disk of this kind: tracks have record 0 alone, and blocks are zeros.
    pub fn new(kind: Kind) -> Memory {
        Memory { kind, data: RwLock::default(), below: None }
    }

    /// A disk that is like `below` until it is written. That is only read.
    pub fn over(below: Arc<dyn Volume>) -> Memory {
        Memory { kind: below.kind(), data: RwLock::default(), below: Some(below) }
    }

    /// A track that was never written.
    fn unwritten(&self, track: u32) -> Result<Arc<Track>, MediaError> {
        let (cylinder, head) = self.kind.home(track)?;
        self.below.as_ref().map_or_else(|| Ok(Arc::new(Track::new(cylinder, head))), |below| below.read_track(track))
    }

    /// Blocks that were never written.
    fn unwritten_blocks(&self, block: u64, to: &mut [u8]) -> Result<(), MediaError> {
        match &self.below {
            Some(below) => below.read_blocks(block, to),
            None => {
                to.fill(0);
                Ok(())
            }
        }
    }

    /// A count-key-data volume of so many cylinders, its tracks empty but for record 0.
    pub fn ckd(model: &CkdModel, cylinders: u32) -> Memory {
        Memory::new(Kind::of_model(model, cylinders))
    }

    /// A fixed-block volume of zeros.
    pub fn fba(model: &FbaModel, blocks: u64) -> Memory {
        Memory::new(Kind::Fba { device: model.device, model: model.model, blocks })
    }
}

impl Volume for Memory {
    fn kind(&self) -> Kind {
        self.kind
    }

    fn read_track(&self, track: u32) -> Result<Arc<Track>, MediaError> {
        let written = self.data.read().held().tracks.get(&track).cloned();
        written.map_or_else(|| self.unwritten(track), Ok)
    }

    fn write_track(&self, track: u32, new: &Track) -> Result<(), MediaError> {
        let new = self.kind.fitting(track, new)?;
        self.data.write().held().tracks.insert(track, Arc::new(new.into_owned()));
        Ok(())
    }

    fn update_track(&self, track: u32, change: Change<'_>) -> Result<(), MediaError> {
        let mut data = self.data.write().held();
        let mut new = match data.tracks.get(&track) {
            Some(found) => Track::clone(found),
            None => Track::clone(&*self.unwritten(track)?),
        };
        if change(&mut new) {
            let new = self.kind.fitting(track, &new)?.into_owned();
            data.tracks.insert(track, Arc::new(new));
        }
        Ok(())
    }

    fn read_blocks(&self, block: u64, to: &mut [u8]) -> Result<(), MediaError> {
        self.kind.inside(block, to.len())?;
        let data = self.data.read().held();
        for (n, to) in to.chunks_mut(Kind::BLOCK).enumerate() {
            let block = block + n as u64;
            let at = (block % GROUP as u64) as usize * Kind::BLOCK;
            match data.groups.get(&(block / GROUP as u64)) {
                Some(group) => to.copy_from_slice(&group[at..at + Kind::BLOCK]),
                None => self.unwritten_blocks(block, to)?,
            }
        }
        Ok(())
    }

    fn write_blocks(&self, block: u64, from: &[u8]) -> Result<(), MediaError> {
        self.kind.inside(block, from.len())?;
        let mut data = self.data.write().held();
        for (n, from) in from.chunks(Kind::BLOCK).enumerate() {
            let block = block + n as u64;
            let at = (block % GROUP as u64) as usize * Kind::BLOCK;
            let number = block / GROUP as u64;
            let group = match data.groups.entry(number) {
                Entry::Occupied(there) => there.into_mut(),
                Entry::Vacant(free) => {
                    let mut group = vec![0; GROUP * Kind::BLOCK];
                    let first = number * GROUP as u64;
                    let there = self.kind.blocks().saturating_sub(first).min(GROUP as u64) as usize;
                    self.unwritten_blocks(first, &mut group[..there * Kind::BLOCK])?;
                    free.insert(group.into())
                }
            };
            group[at..at + Kind::BLOCK].copy_from_slice(from);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Count;

    #[test]
    fn tracks_are_empty_until_written() {
        let volume = Memory::ckd(CkdModel::named("3390").unwrap(), 2);
        assert_eq!(volume.read_track(16).unwrap().home(), (1, 1));
        let mut track = Track::new(1, 1);
        let end = track.records().last().unwrap().end();
        track.format(end, Count { cylinder: 1, head: 1, record: 1, key: 0, data: 4096 }, &[], &[7; 4096]);
        volume.write_track(16, &track).unwrap();
        assert_eq!(*volume.read_track(16).unwrap(), track);
        assert_eq!(volume.read_track(30).err(), Some(MediaError::Outside));
        assert_eq!(volume.write_track(30, &track).err(), Some(MediaError::Outside));
        assert_eq!(volume.read_blocks(0, &mut [0; 512]).err(), Some(MediaError::WrongKind));
    }

    #[test]
    fn what_is_written_over_a_disk_is_seen_and_the_disk_stays_as_it_is() {
        let below = Arc::new(Memory::fba(FbaModel::named("9336-20").unwrap(), 250));
        below.write_blocks(0, &[1; 250 * 512]).unwrap();
        let over = Memory::over(below.clone());
        over.write_blocks(130, &[2; 512]).unwrap();
        over.write_blocks(249, &[3; 512]).unwrap();
        let mut all = vec![0; 250 * 512];
        over.read_blocks(0, &mut all).unwrap();
        for (block, bytes) in all.chunks(512).enumerate() {
            let expected = match block {
                130 => 2,
                249 => 3,
                _ => 1,
            };
            assert!(bytes.iter().all(|&byte| byte == expected), "{block}");
        }
        below.read_blocks(0, &mut all).unwrap();
        assert!(all.iter().all(|&byte| byte == 1));

        let below = Arc::new(Memory::ckd(CkdModel::named("3390").unwrap(), 2));
        let over = Memory::over(below.clone());
        let mut track = Track::new(1, 1);
        let end = track.records().last().unwrap().end();
        track.format(end, Count { cylinder: 1, head: 1, record: 1, key: 0, data: 4 }, &[], &[7; 4]);
        below.write_track(16, &track).unwrap();
        assert_eq!(*over.read_track(16).unwrap(), track);
        over.update_track(16, &mut |track: &mut Track| {
            let end = track.records().last().unwrap().end();
            track.format(end, Count { cylinder: 1, head: 1, record: 2, key: 0, data: 4 }, &[], &[8; 4]);
            true
        })
        .unwrap();
        assert_eq!(*below.read_track(16).unwrap(), track);
        assert_eq!(over.read_track(16).unwrap().records().count(), 3, "records 0, 1 and 2");
    }

    #[test]
    fn blocks_are_zeros_until_written() {
        let volume = Memory::fba(FbaModel::named("9336-20").unwrap(), 250);
        let mut read = vec![1; 3 * 512];
        volume.write_blocks(119, &[[1; 512], [2; 512]].concat()).unwrap();
        volume.read_blocks(118, &mut read).unwrap();
        assert_eq!(read, [[0; 512], [1; 512], [2; 512]].concat());
        assert_eq!(volume.read_blocks(249, &mut [0; 1024]).err(), Some(MediaError::Outside));
        assert_eq!(volume.read_blocks(u64::MAX, &mut [0; 512]).err(), Some(MediaError::Outside));
        assert_eq!(volume.read_track(0).err(), Some(MediaError::WrongKind));
    }
}
