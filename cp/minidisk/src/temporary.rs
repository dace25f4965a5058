//! Temporary space (T-DISK): a part of a volume that has another user every day.

use base::Held;
use dasd::{Change, Kind, MediaError, Track, Volume};
use std::sync::{Arc, Mutex};

/// Temporary space: what its user has not written is not there, whatever an earlier user wrote.
pub(crate) struct Cleared {
    space: Arc<dyn Volume>,
    written: Mutex<Vec<u64>>,
}

impl Cleared {
    pub(crate) fn new(space: Arc<dyn Volume>) -> Cleared {
        let units = match space.kind() {
            Kind::Ckd { cylinders, heads, .. } => u64::from(cylinders) * u64::from(heads),
            Kind::Fba { blocks, .. } => blocks,
        };
        Cleared { space, written: Mutex::new(vec![0; units.div_ceil(64) as usize]) }
    }

    fn has(written: &[u64], unit: u64) -> bool {
        written.get(unit as usize / 64).is_some_and(|word| word >> (unit % 64) & 1 != 0)
    }

    fn mark(written: &mut [u64], first: u64, count: u64) {
        for unit in first..first + count {
            if let Some(word) = written.get_mut(unit as usize / 64) {
                *word |= 1 << (unit % 64);
            }
        }
    }
}

impl Volume for Cleared {
    fn kind(&self) -> Kind {
        self.space.kind()
    }

    fn read_track(&self, track: u32) -> Result<Arc<Track>, MediaError> {
        let (cylinder, head) = self.kind().home(track)?;
        if !Cleared::has(&self.written.lock().held(), track.into()) {
            return Ok(Arc::new(Track::new(cylinder, head)));
        }
        self.space.read_track(track)
    }

    fn write_track(&self, track: u32, new: &Track) -> Result<(), MediaError> {
        self.space.write_track(track, new)?;
        Cleared::mark(&mut self.written.lock().held(), track.into(), 1);
        Ok(())
    }

    fn update_track(&self, track: u32, change: Change<'_>) -> Result<(), MediaError> {
        let (cylinder, head) = self.kind().home(track)?;
        // Held for all of it: of two first changes the second finds what the first wrote.
        let mut written = self.written.lock().held();
        let fresh = !Cleared::has(&written, track.into());
        self.space.update_track(track, &mut |found| {
            if fresh {
                *found = Track::new(cylinder, head);
            }
            change(found)
        })?;
        Cleared::mark(&mut written, track.into(), 1);
        Ok(())
    }

    fn read_blocks(&self, block: u64, to: &mut [u8]) -> Result<(), MediaError> {
        self.space.read_blocks(block, to)?;
        let written = self.written.lock().held();
        for (n, bytes) in to.chunks_mut(Kind::BLOCK).enumerate() {
            if !Cleared::has(&written, block + n as u64) {
                bytes.fill(0);
            }
        }
        Ok(())
    }

    fn write_blocks(&self, block: u64, from: &[u8]) -> Result<(), MediaError> {
        self.space.write_blocks(block, from)?;
        Cleared::mark(&mut self.written.lock().held(), block, from.len().div_ceil(Kind::BLOCK) as u64);
        Ok(())
    }

    fn flush(&self) -> Result<(), MediaError> {
        self.space.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dasd::Memory;
    use dasd::model::FbaModel;

    #[test]
    fn temporary_space_does_not_show_what_was_there() {
        let space = Arc::new(Memory::fba(FbaModel::named("9336").expect("there is one"), 100));
        space.write_blocks(0, &[7; 512 * 100]).unwrap();
        let disk = Cleared::new(space);
        disk.write_blocks(10, &[1; 512]).unwrap();
        let mut back = [9; 512 * 3];
        disk.read_blocks(9, &mut back).unwrap();
        assert_eq!((back[0], back[512], back[1024]), (0, 1, 0));
    }
}
