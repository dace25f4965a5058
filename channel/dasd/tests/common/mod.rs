//! What the tests of images share: folders, tracks, and a small generator of numbers.
#![allow(dead_code, reason = "each test uses a part of it")]

use dasd::{Count, Kind, Track};

#[path = "../../src/scratch.rs"]
mod scratch;
pub use scratch::Folder;

/// Numbers from a seed (splitmix64).
pub struct Chance(pub u64);

impl Chance {
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.word() % limit
    }
}

/// A 3390 of so many cylinders.
pub fn small_3390(cylinders: u32) -> Kind {
    Kind::of_model(dasd::model::CkdModel::named("3390").expect("there is one"), cylinders)
}

/// A track whose contents follow from `seed`: empty, or up to twelve records that compress well or not at all.
pub fn track_of(kind: Kind, track: u32, seed: u64) -> Track {
    let (cylinder, head) = kind.home(track).expect("inside the volume");
    let mut chance = Chance(seed);
    let mut made = Track::new(cylinder, head);
    for record in 1..=chance.below(13) as u8 {
        let key = if chance.below(4) == 0 { 8 } else { 0 };
        let data = [0, 80, 800, 4096][chance.below(4) as usize];
        let fill = chance.word();
        let byte =
            |n: u64| if fill.is_multiple_of(3) { (fill ^ n.wrapping_mul(fill)) as u8 } else { (fill >> 8) as u8 };
        let bytes: Vec<u8> = (0..data as u64).map(byte).collect();
        let end = made.records().last().expect("record 0").end();
        made.format(end, Count { cylinder, head, record, key, data: data as u16 }, &vec![record; key.into()], &bytes);
    }
    made
}

/// A group of blocks whose contents follow from `seed`.
pub fn blocks_of(count: usize, seed: u64) -> Vec<u8> {
    let mut chance = Chance(seed);
    let fill = chance.word();
    let byte = |n: u64| if fill.is_multiple_of(3) { (fill ^ n.wrapping_mul(fill)) as u8 } else { (fill >> 8) as u8 };
    (0..count as u64 * 512).map(byte).collect()
}
