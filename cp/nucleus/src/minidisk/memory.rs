//! Disks in storage: virtual disks (V-DISK), and temporary disks that lie on no volume.
//!
//! What was never written is zeros (blocks) or a track with record 0 alone, and takes no room.

use dasd::{Kind, MediaError, Track, Volume};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Blocks that are kept together.
const CHUNK: usize = 128;

type Chunk = Option<Box<[u8]>>;

/// A fixed-block disk in storage.
pub struct Blocks {
    device: u16,
    blocks: u64,
    chunks: Vec<Mutex<Chunk>>,
}

impl Blocks {
    /// A disk of `blocks` blocks of zeros; `device` is its type (9336) in hexadecimal digits.
    pub fn new(device: u16, blocks: u32) -> Blocks {
        let chunks = (0..(blocks as usize).div_ceil(CHUNK)).map(|_| Mutex::default()).collect();
        Blocks { device, blocks: blocks.into(), chunks }
    }

    /// Bytes that are kept in storage.
    pub fn resident(&self) -> u64 {
        self.chunks.iter().filter(|chunk| hold(chunk).is_some()).count() as u64 * (CHUNK * Kind::BLOCK) as u64
    }

    /// The pieces of `bytes` bytes from `block` on: chunk, where in it, where in the data.
    fn pieces(
        &self,
        block: u64,
        bytes: usize,
    ) -> Result<impl Iterator<Item = (usize, usize, usize, usize)>, MediaError> {
        let end = block.checked_add(bytes.div_ceil(Kind::BLOCK) as u64).filter(|&end| end <= self.blocks);
        end.ok_or(MediaError::Outside)?;
        let (start, chunk) = (block as usize * Kind::BLOCK, CHUNK * Kind::BLOCK);
        let mut done = 0;
        Ok(std::iter::from_fn(move || {
            let at = start + done;
            let length = (bytes - done).min(chunk - at % chunk);
            let piece = (at / chunk, at % chunk, done, length);
            done += length;
            (length > 0).then_some(piece)
        }))
    }
}

fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Volume for Blocks {
    fn kind(&self) -> Kind {
        Kind::Fba { device: self.device, model: 0x10, blocks: self.blocks }
    }

    fn read_blocks(&self, block: u64, to: &mut [u8]) -> Result<(), MediaError> {
        for (chunk, at, from, length) in self.pieces(block, to.len())? {
            match &*hold(&self.chunks[chunk]) {
                Some(bytes) => to[from..from + length].copy_from_slice(&bytes[at..at + length]),
                None => to[from..from + length].fill(0),
            }
        }
        Ok(())
    }

    fn write_blocks(&self, block: u64, from: &[u8]) -> Result<(), MediaError> {
        for (chunk, at, start, length) in self.pieces(block, from.len())? {
            let mut chunk = hold(&self.chunks[chunk]);
            let bytes = chunk.get_or_insert_with(|| vec![0; CHUNK * Kind::BLOCK].into());
            bytes[at..at + length].copy_from_slice(&from[start..start + length]);
        }
        Ok(())
    }
}

/// A count-key-data disk in storage, with the geometry of its device type.
pub struct Tracks {
    kind: Kind,
    heads: u32,
    tracks: Vec<Mutex<Option<Arc<Track>>>>,
}

impl Tracks {
    /// A disk of `cylinders` cylinders; `device` is its type (3390, 3380, 9345) in hexadecimal digits.
    pub fn new(device: u16, cylinders: u32) -> Tracks {
        let (model, track) = match device {
            0x3380 => (0x02, 47_616),
            0x9345 => (0x04, 46_592),
            _ => (if cylinders > 3339 { 0x0c } else { 0x0a }, 56_832),
        };
        let heads = 15;
        let kind = Kind::Ckd { device, model, cylinders, heads, track };
        Tracks { kind, heads, tracks: (0..cylinders * heads).map(|_| Mutex::default()).collect() }
    }

    /// The tracks that have been written.
    pub fn written(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.tracks.len() as u32).filter(|&track| hold(&self.tracks[track as usize]).is_some())
    }
}

impl Volume for Tracks {
    fn kind(&self) -> Kind {
        self.kind
    }

    fn read_track(&self, track: u32) -> Result<Arc<Track>, MediaError> {
        let kept = hold(self.tracks.get(track as usize).ok_or(MediaError::Outside)?).clone();
        Ok(kept.unwrap_or_else(|| Arc::new(Track::new((track / self.heads) as u16, (track % self.heads) as u16))))
    }

    fn write_track(&self, track: u32, new: &Track) -> Result<(), MediaError> {
        let kept = self.tracks.get(track as usize).ok_or(MediaError::Outside)?;
        let Kind::Ckd { track: capacity, .. } = self.kind else { return Err(MediaError::WrongKind) };
        if new.image().len() > capacity as usize {
            return Err(MediaError::TrackFull);
        }
        *hold(kept) = Some(Arc::new(new.clone()));
        Ok(())
    }
}

/// Temporary space: what its user has not written is not there, whoever used the space before.
pub struct Cleared {
    space: Arc<dyn Volume>,
    written: Mutex<Vec<u64>>,
}

impl Cleared {
    pub fn new(space: Arc<dyn Volume>) -> Cleared {
        let units = match space.kind() {
            Kind::Ckd { cylinders, heads, .. } => u64::from(cylinders) * u64::from(heads),
            Kind::Fba { blocks, .. } => blocks,
        };
        Cleared { space, written: Mutex::new(vec![0; units.div_ceil(64) as usize]) }
    }

    fn has(written: &[u64], unit: u64) -> bool {
        written.get(unit as usize / 64).is_some_and(|word| word >> (unit % 64) & 1 != 0)
    }

    fn mark(&self, first: u64, count: u64) {
        let mut written = hold(&self.written);
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
        let Kind::Ckd { cylinders, heads, .. } = self.kind() else { return Err(MediaError::WrongKind) };
        if track < cylinders * heads && !Cleared::has(&hold(&self.written), track.into()) {
            return Ok(Arc::new(Track::new((track / heads) as u16, (track % heads) as u16)));
        }
        self.space.read_track(track)
    }

    fn write_track(&self, track: u32, new: &Track) -> Result<(), MediaError> {
        self.space.write_track(track, new)?;
        self.mark(track.into(), 1);
        Ok(())
    }

    fn read_blocks(&self, block: u64, to: &mut [u8]) -> Result<(), MediaError> {
        self.space.read_blocks(block, to)?;
        let written = hold(&self.written);
        for (n, bytes) in to.chunks_mut(Kind::BLOCK).enumerate() {
            if !Cleared::has(&written, block + n as u64) {
                bytes.fill(0);
            }
        }
        Ok(())
    }

    fn write_blocks(&self, block: u64, from: &[u8]) -> Result<(), MediaError> {
        self.space.write_blocks(block, from)?;
        self.mark(block, from.len().div_ceil(Kind::BLOCK) as u64);
        Ok(())
    }

    fn flush(&self) -> Result<(), MediaError> {
        self.space.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_virtual_disk_takes_room_for_what_is_written() {
        let disk = Blocks::new(0x9336, 1000);
        let data: Vec<u8> = (0..512 * 200).map(|n| (n % 251) as u8).collect();
        disk.write_blocks(100, &data).unwrap();
        let mut back = vec![1; 512 * 202];
        disk.read_blocks(99, &mut back).unwrap();
        assert_eq!(
            (&back[..512], &back[512..512 * 201], &back[512 * 201..]),
            (&[0; 512][..], &data[..], &[0; 512][..])
        );
        assert_eq!(disk.resident(), 3 * 128 * 512);
        assert_eq!(disk.read_blocks(999, &mut [0; 1024]), Err(MediaError::Outside));
        assert_eq!(disk.write_blocks(u64::MAX, &[0; 512]), Err(MediaError::Outside));
    }

    #[test]
    fn temporary_space_does_not_show_what_was_there() {
        let space = Arc::new(Blocks::new(0x9336, 100));
        space.write_blocks(0, &[7; 512 * 100]).unwrap();
        let disk = Cleared::new(space);
        disk.write_blocks(10, &[1; 512]).unwrap();
        let mut back = [9; 512 * 3];
        disk.read_blocks(9, &mut back).unwrap();
        assert_eq!((back[0], back[512], back[1024]), (0, 1, 0));
    }
}
