//! A volume in storage: temporary disks, virtual disks and tests.

use crate::model::{CkdModel, FbaModel};
use crate::{Change, Kind, MediaError, Track, Volume};
use std::collections::HashMap;
use std::sync::{Arc, RwLock};

/// Blocks of a fixed-block volume that are kept together, 60 KB as in the compressed formats.
const GROUP: usize = 120;

/// A disk that keeps its data in storage; the data is gone with the disk. Tracks and blocks that were never written
/// take none.
pub struct Memory {
    kind: Kind,
    data: RwLock<Data>,
}

#[derive(Default)]
struct Data {
    tracks: HashMap<u32, Arc<Track>>,
    groups: HashMap<u64, Box<[u8]>>,
}

impl Memory {
    /// An empty disk of this kind: tracks have record 0 alone, and blocks are zeros.
    pub fn new(kind: Kind) -> Memory {
        Memory { kind, data: RwLock::default() }
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
        let (cylinder, head) = self.kind.home(track)?;
        let data = self.data.read().expect("no panic while it is held");
        Ok(data.tracks.get(&track).cloned().unwrap_or_else(|| Arc::new(Track::new(cylinder, head))))
    }

    fn write_track(&self, track: u32, new: &Track) -> Result<(), MediaError> {
        let new = self.kind.fitting(track, new)?;
        self.data.write().expect("no panic while it is held").tracks.insert(track, Arc::new(new.into_owned()));
        Ok(())
    }

    fn update_track(&self, track: u32, change: Change<'_>) -> Result<(), MediaError> {
        let (cylinder, head) = self.kind.home(track)?;
        let mut data = self.data.write().expect("no panic while it is held");
        let mut new = match data.tracks.get(&track) {
            Some(found) => Track::clone(found),
            None => Track::new(cylinder, head),
        };
        if change(&mut new) {
            let new = self.kind.fitting(track, &new)?.into_owned();
            data.tracks.insert(track, Arc::new(new));
        }
        Ok(())
    }

    fn read_blocks(&self, block: u64, to: &mut [u8]) -> Result<(), MediaError> {
        self.kind.inside(block, to.len())?;
        let data = self.data.read().expect("no panic while it is held");
        for (n, to) in to.chunks_mut(Kind::BLOCK).enumerate() {
            let block = block + n as u64;
            let at = (block % GROUP as u64) as usize * Kind::BLOCK;
            match data.groups.get(&(block / GROUP as u64)) {
                Some(group) => to.copy_from_slice(&group[at..at + Kind::BLOCK]),
                None => to.fill(0),
            }
        }
        Ok(())
    }

    fn write_blocks(&self, block: u64, from: &[u8]) -> Result<(), MediaError> {
        self.kind.inside(block, from.len())?;
        let mut data = self.data.write().expect("no panic while it is held");
        for (n, from) in from.chunks(Kind::BLOCK).enumerate() {
            let block = block + n as u64;
            let at = (block % GROUP as u64) as usize * Kind::BLOCK;
            let group = data.groups.entry(block / GROUP as u64);
            group.or_insert_with(|| vec![0; GROUP * Kind::BLOCK].into())[at..at + Kind::BLOCK].copy_from_slice(from);
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
