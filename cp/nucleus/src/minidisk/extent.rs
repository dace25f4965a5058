//! A part of a volume: the cylinders or blocks of one minidisk, and nothing beside them.
//!
//! Everything a guest does to its minidisk passes through here with a track or block number, which is compared with the
//! extent before the volume sees it. So no channel program, whatever it asks of its control unit, reaches a neighbour.
//! What a track says of itself is relocated on the way: its home address, and its record 0 as the factory wrote it, have
//! the volume's cylinder on the volume and the minidisk's in the guest. Counts of other records are the guest's own data.

use dasd::track::HOME_ADDRESS;
use dasd::{Kind, MediaError, Track, Volume};
use std::sync::Arc;

/// Cylinders (count-key-data) or blocks (fixed-block) of a volume, as a volume of their own.
#[derive(Clone)]
pub struct Extent {
    volume: Arc<dyn Volume>,
    kind: Kind,
    /// The first track or block on the volume.
    first: u64,
    /// How many tracks or blocks.
    count: u64,
    /// Tracks of a cylinder; 1 for blocks.
    heads: u32,
}

impl Extent {
    /// `count` units from unit `start` on, of cylinders or blocks; to the end of the volume if `count` is `None`. `None` if the
    /// volume does not have them all.
    pub fn new(volume: Arc<dyn Volume>, start: u32, count: Option<u32>) -> Option<Extent> {
        let (units, heads) = match volume.kind() {
            Kind::Ckd { cylinders, heads, .. } => (u64::from(cylinders), heads),
            Kind::Fba { blocks, .. } => (blocks, 1),
        };
        let left = units.checked_sub(start.into())?;
        let count = count.map_or(left, u64::from);
        if count == 0 || count > left {
            return None;
        }
        let kind = match volume.kind() {
            Kind::Ckd { device, model, heads, track, .. } => {
                Kind::Ckd { device, model, cylinders: count as u32, heads, track }
            }
            Kind::Fba { device, model, .. } => Kind::Fba { device, model, blocks: count },
        };
        let (first, count) = (u64::from(start) * u64::from(heads), count * u64::from(heads));
        Some(Extent { volume, kind, first, count, heads })
    }

    /// The volume's number of the extent's first track or block.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// The volume's track for one of the extent's.
    fn track(&self, track: u32) -> Result<u32, MediaError> {
        match u64::from(track) < self.count {
            true => Ok((self.first + u64::from(track)) as u32),
            false => Err(MediaError::Outside),
        }
    }

    /// The volume's block for one of the extent's, if it has `bytes` bytes from there on.
    fn block(&self, block: u64, bytes: usize) -> Result<u64, MediaError> {
        let end = block.checked_add(bytes.div_ceil(Kind::BLOCK) as u64);
        match end.is_some_and(|end| end <= self.count) {
            true => Ok(self.first + block),
            false => Err(MediaError::Outside),
        }
    }

    /// The cylinder of a track as a guest of this extent knows it.
    fn cylinder(&self, track: u32) -> u16 {
        (track / self.heads) as u16
    }
}

/// The track with another cylinder in its home address, and in the count of record 0 if that is the home address's.
pub fn relocate(track: &Track, cylinder: u16) -> Track {
    let mut image = track.image().to_vec();
    let (old, new) = (track.home().0.to_be_bytes(), cylinder.to_be_bytes());
    image[1..3].copy_from_slice(&new);
    let zero = HOME_ADDRESS..HOME_ADDRESS + 2;
    if image[zero.clone()] == old && image[HOME_ADDRESS + 4] == 0 {
        image[zero].copy_from_slice(&new);
    }
    Track::from_image(image).expect("only addresses have changed")
}

impl Volume for Extent {
    fn kind(&self) -> Kind {
        self.kind
    }

    fn read_only(&self) -> bool {
        self.volume.read_only()
    }

    fn read_track(&self, track: u32) -> Result<Arc<Track>, MediaError> {
        let found = self.volume.read_track(self.track(track)?)?;
        Ok(if self.first == 0 { found } else { Arc::new(relocate(&found, self.cylinder(track))) })
    }

    fn write_track(&self, track: u32, new: &Track) -> Result<(), MediaError> {
        let at = self.track(track)?;
        match self.first {
            0 => self.volume.write_track(at, new),
            _ => self.volume.write_track(at, &relocate(new, (at / self.heads) as u16)),
        }
    }

    fn read_blocks(&self, block: u64, to: &mut [u8]) -> Result<(), MediaError> {
        self.volume.read_blocks(self.block(block, to.len())?, to)
    }

    fn write_blocks(&self, block: u64, from: &[u8]) -> Result<(), MediaError> {
        self.volume.write_blocks(self.block(block, from.len())?, from)
    }

    fn flush(&self) -> Result<(), MediaError> {
        self.volume.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::super::memory::{Blocks, Tracks};
    use super::*;
    use dasd::Count;

    /// Numbers that look random and are the same every time.
    struct Numbers(u64);

    impl Numbers {
        fn next(&mut self) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0
        }
    }

    #[test]
    fn a_minidisk_has_cylinders_of_its_own_from_zero() {
        let pack = Arc::new(Tracks::new(0x3390, 20));
        let disk = Extent::new(pack.clone(), 5, Some(10)).unwrap();
        let mut track = Track::clone(&disk.read_track(15 + 2).unwrap());
        assert_eq!(track.home(), (1, 2));
        let end = track.records().next().unwrap().end();
        track.format(end, Count { cylinder: 1, head: 2, record: 1, key: 0, data: 3 }, &[], b"abc");
        disk.write_track(17, &track).unwrap();
        let real = pack.read_track(6 * 15 + 2).unwrap();
        assert_eq!(real.home(), (6, 2));
        let counts: Vec<_> = real.records().map(|r| (r.count.cylinder, r.count.record)).collect();
        assert_eq!(counts, [(6, 0), (1, 1)], "record 0 is the volume's, record 1 the guest's");
        assert_eq!(*disk.read_track(17).unwrap(), track);
        assert_eq!(disk.read_track(150), Err(MediaError::Outside));
    }

    #[test]
    fn an_extent_lies_on_its_volume() {
        let pack: Arc<dyn Volume> = Arc::new(Tracks::new(0x3390, 20));
        for (start, count, cylinders) in
            [(0, None, Some(20)), (19, Some(1), Some(1)), (19, Some(2), None), (20, None, None), (3, Some(0), None)]
        {
            let found = Extent::new(pack.clone(), start, count).map(|extent| match extent.kind() {
                Kind::Ckd { cylinders, .. } => cylinders,
                Kind::Fba { .. } => 0,
            });
            assert_eq!(found, cylinders, "{start} {count:?}");
        }
    }

    /// Whatever is asked of a minidisk, nothing outside it is read or changed.
    #[test]
    fn nobody_reaches_a_neighbour() {
        let mut numbers = Numbers(0x1991_1120);
        for _ in 0..200 {
            let pack = Arc::new(Blocks::new(0x9336, 256));
            let whole: Vec<u8> = (0..256 * 512).map(|n| (n / 512) as u8).collect();
            pack.write_blocks(0, &whole).unwrap();
            let start = numbers.next() % 200;
            let count = 1 + numbers.next() % (256 - start);
            let disk = Extent::new(pack.clone(), start as u32, Some(count as u32)).unwrap();
            let inside = |n: u64| (start..start + count).contains(&n);
            for _ in 0..50 {
                let odd = [u64::MAX, u64::MAX - 1, count, count - 1, 1 << 32, u64::MAX - start];
                let block =
                    if numbers.next() % 4 == 0 { odd[(numbers.next() % 6) as usize] } else { numbers.next() % 300 };
                let mut data = vec![0xee; ((numbers.next() % 300) * 512) as usize];
                if numbers.next() % 2 == 0 {
                    let _ = disk.write_blocks(block, &data);
                } else if disk.read_blocks(block, &mut data).is_ok() {
                    for (n, read) in data.chunks(512).enumerate() {
                        let (real, byte) = (start + block + n as u64, read[0]);
                        assert!(inside(real) && (byte == real as u8 || byte == 0xee));
                    }
                }
            }
            let mut after = vec![0; 256 * 512];
            pack.read_blocks(0, &mut after).unwrap();
            for n in (0..256).filter(|&n| !inside(n)) {
                let at = n as usize * 512..n as usize * 512 + 512;
                assert_eq!(after[at.clone()], whole[at], "block {n} is not of the minidisk {start}+{count}");
            }
            let pack = Arc::new(Tracks::new(0x3390, 256));
            let disk = Extent::new(pack.clone(), start as u32, Some(count as u32)).unwrap();
            for _ in 0..50 {
                let track = if numbers.next() % 4 == 0 {
                    u32::MAX - (numbers.next() % 3840) as u32
                } else {
                    (numbers.next() % 4000) as u32
                };
                let _ = disk.write_track(track, &Track::new((track / 15) as u16, (track % 15) as u16));
            }
            assert!(pack.written().all(|track| inside(u64::from(track) / 15)));
        }
    }
}
