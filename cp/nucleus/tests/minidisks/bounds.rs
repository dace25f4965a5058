//! Cylinder relocation and extents: whatever is asked of a minidisk, nothing outside it is reached.

use super::fixed;
use dasd::model::CkdModel;
use dasd::{Count, Extent, Memory, Track, Volume};
use std::sync::Arc;
use support::Random;

/// Whatever is asked of a minidisk, nothing outside it is read or changed.
#[test]
fn nobody_reaches_a_neighbour() {
    let mut random = Random::seeded(0x1991_1120);
    for _ in 0..100 {
        let pack = fixed("FBA002", 256);
        let whole: Vec<u8> = (0..256 * 512).map(|n| (n / 512) as u8).collect();
        pack.write_blocks(0, &whole).unwrap();
        let start = random.below(200);
        let count = 1 + random.below(256 - start);
        let disk = Extent::new(pack.clone(), start, count, false).unwrap();
        let inside = |n: u64| (start..start + count).contains(&n);
        for _ in 0..50 {
            let odd = [u64::MAX, u64::MAX - 1, count, count - 1, 1 << 32, u64::MAX - start];
            let block = if random.one_in(4) { random.pick(&odd) } else { random.below(300) };
            let mut data = vec![0xee; ((1 + random.below(300)) * 512) as usize];
            if random.one_in(2) {
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
        let pack = pack_of(256);
        let disk = Extent::new(pack.clone(), start, count, false).unwrap();
        let mark = Count { cylinder: 0xbad, head: 0, record: 1, key: 0, data: 0 };
        for _ in 0..50 {
            let track = match random.below(4) {
                0 => u32::MAX - random.below(3840u32),
                _ => random.below(4000u32),
            };
            let mut new = Track::new((track / 15) as u16, (track % 15) as u16);
            let end = new.records().last().unwrap().end();
            new.format(end, mark, &[], &[]);
            let _ = disk.write_track(track, &new);
        }
        for track in (0..256 * 15).filter(|&track| !inside(u64::from(track) / 15)) {
            assert_eq!(pack.read_track(track).unwrap().records().count(), 1, "track {track} is a neighbour's");
        }
    }
}

/// An unlabelled volume.
fn pack_of(cylinders: u32) -> Arc<Memory> {
    Arc::new(Memory::ckd(CkdModel::named("3390").expect("there is this model"), cylinders))
}
