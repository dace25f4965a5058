//! What the tests of images share: folders and tracks.
#![allow(dead_code, reason = "each test uses a part of it")]

use dasd::{Count, Kind, Track};
use support::Random;

pub(crate) use support::folder::Folder;

/// A 3390 of so many cylinders.
pub(crate) fn small_3390(cylinders: u32) -> Kind {
    Kind::of_model(dasd::model::CkdModel::named("3390").expect("there is one"), cylinders)
}

/// A track with contents that follow from `seed`: empty, or up to twelve records that compress well or not at all.
pub(crate) fn track_of(kind: Kind, track: u32, seed: u64) -> Track {
    let (cylinder, head) = kind.home(track).expect("inside the volume");
    let mut random = Random::seeded(seed);
    let mut made = Track::new(cylinder, head);
    for record in 1..=random.below(13) {
        let key = if random.one_in(4) { 8 } else { 0 };
        let data = random.pick(&[0, 80, 800, 4096]);
        let fill = random.word();
        let byte =
            |n: u64| if fill.is_multiple_of(3) { (fill ^ n.wrapping_mul(fill)) as u8 } else { (fill >> 8) as u8 };
        let bytes: Vec<u8> = (0..data as u64).map(byte).collect();
        let end = made.records().last().expect("record 0").end();
        made.format(end, Count { cylinder, head, record, key, data: data as u16 }, &vec![record; key.into()], &bytes);
    }
    made
}

/// A group of blocks with contents that follow from `seed`.
pub(crate) fn blocks_of(count: usize, seed: u64) -> Vec<u8> {
    let mut random = Random::seeded(seed);
    let fill = random.word();
    let byte = |n: u64| if fill.is_multiple_of(3) { (fill ^ n.wrapping_mul(fill)) as u8 } else { (fill >> 8) as u8 };
    (0..count as u64 * 512).map(byte).collect()
}
