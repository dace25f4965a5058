//! An extent of a volume as a volume of its own: the medium of a minidisk.

use crate::{Change, Kind, MediaError, Spot, Track, Volume};
use std::sync::Arc;

/// Cylinders, or blocks, of another volume, numbered from 0.
///
/// Home addresses are shown relative to the extent, as a guest sees its minidisk. Counts are what was written: software
/// that formats a minidisk writes the minidisk's cylinder numbers into them.
pub struct Extent {
    volume: Arc<dyn Volume>,
    kind: Kind,
    /// The first track, or block.
    first: u64,
    read_only: bool,
}

impl Extent {
    /// `length` cylinders (blocks) of `volume` from cylinder (block) `first` on; `None` if the volume ends before.
    pub fn new(volume: Arc<dyn Volume>, first: u64, length: u64, read_only: bool) -> Option<Extent> {
        let whole = volume.kind();
        let size = match whole {
            Kind::Ckd { cylinders, .. } => u64::from(cylinders),
            Kind::Fba { blocks, .. } => blocks,
        };
        if length == 0 || first.checked_add(length)? > size {
            return None;
        }
        let (kind, first) = match whole {
            Kind::Ckd { device, model, heads, track, .. } => {
                (Kind::Ckd { device, model, cylinders: length as u32, heads, track }, first * u64::from(heads))
            }
            Kind::Fba { device, model, .. } => (Kind::Fba { device, model, blocks: length }, first),
        };
        Some(Extent { volume, kind, first, read_only })
    }
}

impl Volume for Extent {
    fn kind(&self) -> Kind {
        self.kind
    }

    fn read_only(&self) -> bool {
        self.read_only || self.volume.read_only()
    }

    fn read_track(&self, track: u32) -> Result<Arc<Track>, MediaError> {
        let (cylinder, head) = self.kind.home(track)?;
        let mut found = self.volume.read_track(self.first as u32 + track)?;
        if found.home() != (cylinder, head) {
            Arc::make_mut(&mut found).set_home(cylinder, head);
        }
        Ok(found)
    }

    fn spot(&self, track: u32, id: [u8; 5]) -> Option<Spot> {
        self.kind.home(track).ok()?;
        self.volume.spot(self.first as u32 + track, id)
    }

    fn read_spot(&self, track: u32, spot: Spot) -> Result<Option<Vec<u8>>, MediaError> {
        self.kind.home(track)?;
        self.volume.read_spot(self.first as u32 + track, spot)
    }

    fn read_spots(&self, track: u32, spot: Spot, many: usize) -> Result<Option<Vec<u8>>, MediaError> {
        self.kind.home(track)?;
        self.volume.read_spots(self.first as u32 + track, spot, many)
    }

    fn write_spot(&self, track: u32, spot: Spot, data: &[u8]) -> Result<bool, MediaError> {
        self.kind.home(track)?;
        if self.read_only {
            return Err(MediaError::ReadOnly);
        }
        self.volume.write_spot(self.first as u32 + track, spot, data)
    }

    fn write_track(&self, track: u32, new: &Track) -> Result<(), MediaError> {
        self.kind.home(track)?;
        if self.read_only {
            return Err(MediaError::ReadOnly);
        }
        // The volume puts its own cylinder into the home address.
        self.volume.write_track(self.first as u32 + track, new)
    }

    fn update_track(&self, track: u32, change: Change<'_>) -> Result<(), MediaError> {
        let (cylinder, head) = self.kind.home(track)?;
        if self.read_only {
            return Err(MediaError::ReadOnly);
        }
        self.volume.update_track(self.first as u32 + track, &mut |found| {
            found.set_home(cylinder, head);
            change(found)
        })
    }

    fn read_blocks(&self, block: u64, to: &mut [u8]) -> Result<(), MediaError> {
        self.kind.inside(block, to.len())?;
        self.volume.read_blocks(self.first + block, to)
    }

    fn write_blocks(&self, block: u64, from: &[u8]) -> Result<(), MediaError> {
        self.kind.inside(block, from.len())?;
        if self.read_only {
            return Err(MediaError::ReadOnly);
        }
        self.volume.write_blocks(self.first + block, from)
    }

    fn flush(&self) -> Result<(), MediaError> {
        self.volume.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{CkdModel, FbaModel};
    use crate::{Count, Memory};

    #[test]
    fn a_minidisk_begins_with_its_own_cylinder_0() {
        let volume = Arc::new(Memory::ckd(CkdModel::named("3390").unwrap(), 10));
        let disk = Extent::new(volume.clone(), 4, 3, false).unwrap();
        let mut track = Track::new(2, 14);
        let end = track.records().last().unwrap().end();
        track.format(end, Count { cylinder: 2, head: 14, record: 1, key: 0, data: 1 }, &[], &[9]);
        disk.write_track(44, &track).unwrap();
        assert_eq!(*disk.read_track(44).unwrap(), track);
        // On the volume the home address is the volume's, and the count still the minidisk's.
        let real = volume.read_track(6 * 15 + 14).unwrap();
        assert_eq!(real.home(), (6, 14));
        assert_eq!(real.records().nth(1).unwrap().count.cylinder, 2);
        assert_eq!(disk.read_track(45).err(), Some(MediaError::Outside));
        assert_eq!(disk.write_track(45, &track).err(), Some(MediaError::Outside));

        let reader = Extent::new(volume.clone(), 4, 3, true).unwrap();
        assert_eq!(reader.write_track(0, &Track::new(0, 0)).err(), Some(MediaError::ReadOnly));
        assert!(Extent::new(volume.clone(), 8, 3, false).is_none());
        assert!(Extent::new(volume, u64::MAX, 3, false).is_none());
    }

    #[test]
    fn blocks_are_relative() {
        let volume = Arc::new(Memory::fba(FbaModel::named("9336").unwrap(), 100));
        let disk = Extent::new(volume.clone(), 50, 10, false).unwrap();
        disk.write_blocks(9, &[3; 512]).unwrap();
        let mut read = [0; 512];
        volume.read_blocks(59, &mut read).unwrap();
        assert_eq!(read, [3; 512]);
        assert_eq!(disk.write_blocks(9, &[3; 1024]).err(), Some(MediaError::Outside));
    }

    #[test]
    fn extents_that_overlap_lose_no_update() {
        let volume = Arc::new(Memory::ckd(CkdModel::named("3390").unwrap(), 10));
        let whole: Arc<dyn Volume> = Arc::new(Extent::new(volume.clone(), 0, 10, false).unwrap());
        let part: Arc<dyn Volume> = Arc::new(Extent::new(volume.clone(), 3, 2, false).unwrap());
        let mut track = Track::new(3, 0);
        for record in 1..=2 {
            let end = track.records().last().unwrap().end();
            track.format(end, Count { record, data: 8, ..Count::default() }, &[], &[0; 8]);
        }
        volume.write_track(45, &track).unwrap();
        // Each counts in a record of its own, and both in record 1.
        let count = |disk: &Arc<dyn Volume>, track: u32, own: usize| {
            for _ in 0..2000 {
                let add = &mut |track: &mut Track| {
                    for n in [1, own] {
                        let record = track.records().nth(n).unwrap();
                        let value = u64::from_be_bytes(record.data.try_into().unwrap()) + 1;
                        let at = record.at;
                        track.update(at, None, Some(&value.to_be_bytes()));
                    }
                    true
                };
                disk.update_track(track, add).unwrap();
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(|| count(&whole, 45, 0));
            scope.spawn(|| count(&part, 0, 2));
        });
        let track = volume.read_track(45).unwrap();
        let values: Vec<u64> =
            track.records().map(|record| u64::from_be_bytes(record.data.try_into().unwrap())).collect();
        assert_eq!(values, [2000, 4000, 2000]);
        assert_eq!(track.home(), (3, 0));
        let reader = Extent::new(volume, 3, 2, true).unwrap();
        assert_eq!(reader.update_track(0, &mut |_| true).err(), Some(MediaError::ReadOnly));
    }
}
