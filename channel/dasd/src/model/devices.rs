//! The models of disks: geometry, and how many records fit on a track.
//!
//! The figures are those of IBM's device references (GC26-4574 for the 3390, GA26-1662 for the 3380, and their kin).
//! The control unit makes Sense ID and Read Device Characteristics from them; the tools, whole volumes.

use crate::model::track::{Count, HOME_ADDRESS};

/// How the length of a record with its gaps is reckoned, by generation. The names of the factors are those of Read
/// Device Characteristics, bytes 16 and up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Formula {
    /// 2311, 2314 (formula -2): a key costs `c`, a record that is not the last costs `x` and a tolerance of `d1`/`d2`.
    Tolerance {
        /// What a key costs, in bytes.
        c: u32,
        /// What a record costs that is not the last, in bytes.
        x: u32,
        /// The numerator of the tolerance.
        d1: u32,
        /// The denominator of the tolerance.
        d2: u32,
    },
    /// 3330, 3340, 3350 (formula -1): a key costs `key`, a record `record`.
    Gaps {
        /// What a key costs, in bytes.
        key: u32,
        /// What a record costs, in bytes.
        record: u32,
    },
    /// 3375, 3380 (formula 1): areas are rounded up to multiples of `f1`; `f2` is added to data, `f3` to keys.
    Rounded {
        /// What areas are rounded up to, in bytes.
        f1: u32,
        /// What is added to data, in bytes.
        f2: u32,
        /// What is added to keys, in bytes.
        f3: u32,
    },
    /// 3390, 9345 (formula 2): areas are split into segments, and rounded up to cells of `f1`.
    Segments {
        /// What areas are rounded up to, in bytes.
        f1: u32,
        /// What a record takes beside its data, in units of `f1`.
        f2: u32,
        /// What a key takes beside its bytes, in units of `f1`.
        f3: u32,
        /// Bytes that each segment costs.
        f4: u32,
        /// Half the bytes of a segment.
        f5: u32,
        /// Bytes that are added to each area.
        f6: u32,
    },
}

/// A model of count-key-data device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CkdModel {
    /// As it is written, and as the tools take it: 3390-3.
    pub name: &'static str,
    /// Device type and model number as Sense ID shows them: X'3390', X'0A'.
    pub device: u16,
    /// The model number of [`CkdModel::device`].
    pub model: u8,
    /// What Read Device Characteristics has in byte 11, the unit type.
    pub unit_type: u8,
    /// Primary cylinders, and the alternates after them.
    pub cylinders: u32,
    /// Alternate cylinders, after the primary ones.
    pub alternates: u32,
    /// Tracks of a cylinder.
    pub heads: u32,
    /// The longest record 0, and the longest record if it is alone on its track, in bytes of data.
    pub longest_r0: u32,
    /// The longest record that is alone on its track, in bytes of data.
    pub longest: u32,
    /// What [`Formula`] divides: the bytes of a track, gaps and all.
    pub track: u32,
    /// Sectors of a track for Set Sector; 0: the device has no sectors.
    pub sectors: u32,
    /// How much of the track a record takes.
    pub formula: Formula,
    /// The control unit it came with: X'3990'.
    pub control_unit: u16,
}

/// A model of fixed-block device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FbaModel {
    /// As it is written, and as the tools take it: 9336-20.
    pub name: &'static str,
    /// The device type as Sense ID shows it: X'9336'.
    pub device: u16,
    /// The model number as Sense ID shows it.
    pub model: u8,
    /// What Read Device Characteristics has in byte 3, the unit type.
    pub unit_type: u8,
    /// Blocks of a cyclical group (a track), and of an access position (a cylinder).
    pub per_group: u32,
    /// Blocks of an access position.
    pub per_position: u32,
    /// Blocks of 512 bytes that the device has.
    pub blocks: u64,
    /// The type of the control unit it came with: X'6310'.
    pub control_unit: u16,
}

const G2311: CkdModel = CkdModel {
    name: "2311-1",
    device: 0x2311,
    model: 0x00,
    unit_type: 0x01,
    cylinders: 200,
    alternates: 3,
    heads: 10,
    longest_r0: 3625,
    longest: 3625,
    track: 3625,
    sectors: 0,
    formula: Formula::Tolerance { c: 20, x: 61, d1: 537, d2: 512 },
    control_unit: 0x2841,
};
const G2314: CkdModel = CkdModel {
    name: "2314-1",
    device: 0x2314,
    unit_type: 0x08,
    heads: 20,
    longest_r0: 7294,
    longest: 7294,
    track: 7294,
    formula: Formula::Tolerance { c: 45, x: 101, d1: 2137, d2: 2048 },
    control_unit: 0x2314,
    ..G2311
};
const G2305: CkdModel = CkdModel {
    name: "2305-2",
    device: 0x2305,
    model: 0x02,
    unit_type: 0x07,
    cylinders: 96,
    alternates: 12,
    heads: 8,
    longest_r0: 14858,
    longest: 14660,
    track: 14858,
    sectors: 90,
    formula: Formula::Gaps { key: 91, record: 198 },
    control_unit: 0x2835,
};
const G3330: CkdModel = CkdModel {
    name: "3330-1",
    device: 0x3330,
    model: 0x01,
    unit_type: 0x09,
    cylinders: 404,
    alternates: 7,
    heads: 19,
    longest_r0: 13165,
    longest: 13030,
    track: 13165,
    sectors: 128,
    formula: Formula::Gaps { key: 56, record: 135 },
    control_unit: 0x3830,
};
const G3340: CkdModel = CkdModel {
    name: "3340-35",
    device: 0x3340,
    model: 0x01,
    unit_type: 0x0A,
    cylinders: 348,
    alternates: 1,
    heads: 12,
    longest_r0: 8535,
    longest: 8368,
    track: 8535,
    sectors: 64,
    formula: Formula::Gaps { key: 75, record: 167 },
    control_unit: 0x3830,
};
const G3350: CkdModel = CkdModel {
    name: "3350-1",
    device: 0x3350,
    model: 0x00,
    unit_type: 0x0B,
    cylinders: 555,
    alternates: 5,
    heads: 30,
    longest_r0: 19254,
    longest: 19069,
    track: 19254,
    sectors: 128,
    formula: Formula::Gaps { key: 82, record: 185 },
    control_unit: 0x3830,
};
const G3375: CkdModel = CkdModel {
    name: "3375-1",
    device: 0x3375,
    model: 0x02,
    unit_type: 0x0C,
    cylinders: 959,
    alternates: 3,
    heads: 12,
    longest_r0: 36000,
    longest: 35616,
    track: 36000,
    sectors: 196,
    formula: Formula::Rounded { f1: 32, f2: 384, f3: 160 },
    control_unit: 0x3880,
};
const G3380: CkdModel = CkdModel {
    name: "3380-A",
    device: 0x3380,
    model: 0x02,
    unit_type: 0x0E,
    cylinders: 885,
    alternates: 1,
    heads: 15,
    longest_r0: 47988,
    longest: 47476,
    track: 47968,
    sectors: 222,
    formula: Formula::Rounded { f1: 32, f2: 492, f3: 236 },
    control_unit: 0x3880,
};
const G3390: CkdModel = CkdModel {
    name: "3390-1",
    device: 0x3390,
    model: 0x02,
    unit_type: 0x26,
    cylinders: 1113,
    alternates: 1,
    heads: 15,
    longest_r0: 57326,
    longest: 56664,
    track: 58786,
    sectors: 224,
    formula: Formula::Segments { f1: 34, f2: 19, f3: 9, f4: 6, f5: 116, f6: 6 },
    control_unit: 0x3990,
};
const G9345: CkdModel = CkdModel {
    name: "9345-1",
    device: 0x9345,
    model: 0x04,
    unit_type: 0x04,
    cylinders: 1440,
    alternates: 0,
    heads: 15,
    longest_r0: 48174,
    longest: 46456,
    track: 48280,
    sectors: 213,
    formula: Formula::Segments { f1: 34, f2: 18, f3: 7, f4: 6, f5: 116, f6: 6 },
    control_unit: 0x9343,
};

/// The count-key-data models: those of one device type together, the smallest first.
pub static CKD: &[CkdModel] = &[
    G2305,
    G2311,
    G2314,
    G3330,
    CkdModel { name: "3330-11", model: 0x11, unit_type: 0x0D, cylinders: 808, ..G3330 },
    G3340,
    CkdModel { name: "3340-70", model: 0x02, cylinders: 696, alternates: 2, ..G3340 },
    G3350,
    G3375,
    G3380,
    CkdModel { name: "3380-D", model: 0x06, ..G3380 },
    CkdModel { name: "3380-J", model: 0x16, ..G3380 },
    CkdModel { name: "3380-E", model: 0x0A, cylinders: 1770, alternates: 2, ..G3380 },
    CkdModel { name: "3380-K", model: 0x1E, cylinders: 2655, alternates: 3, ..G3380 },
    G3390,
    CkdModel { name: "3390-2", model: 0x06, unit_type: 0x27, cylinders: 2226, ..G3390 },
    CkdModel { name: "3390-3", model: 0x0A, unit_type: 0x24, cylinders: 3339, ..G3390 },
    CkdModel { name: "3390-9", model: 0x0C, unit_type: 0x32, cylinders: 10017, alternates: 3, ..G3390 },
    CkdModel { name: "3390-27", model: 0x0C, unit_type: 0x32, cylinders: 32760, alternates: 3, ..G3390 },
    CkdModel { name: "3390-54", model: 0x0C, unit_type: 0x32, cylinders: 65520, alternates: 3, ..G3390 },
    // Extended address volumes: of any size up to a terabyte; this is that of their second generation (223 GB). That
    // their model number is X'0E' is how lists of such devices have it; no reference at hand says so.
    CkdModel { name: "3390-A", model: 0x0E, unit_type: 0x32, cylinders: 262_668, alternates: 0, ..G3390 },
    G9345,
    CkdModel { name: "9345-2", cylinders: 2156, ..G9345 },
];

const fn fba(
    name: &'static str,
    (device, model, unit_type): (u16, u8, u8),
    (per_group, per_position): (u32, u32),
    blocks: u64,
    control_unit: u16,
) -> FbaModel {
    FbaModel { name, device, model, unit_type, per_group, per_position, blocks, control_unit }
}

/// The fixed-block models.
pub static FBA: &[FbaModel] = &[
    fba("3310-1", (0x3310, 0x01, 0x01), (32, 352), 125_664, 0x4331),
    fba("3370-1", (0x3370, 0x00, 0x02), (62, 744), 558_000, 0x3880),
    fba("3370-2", (0x3370, 0x04, 0x05), (62, 744), 712_752, 0x3880),
    fba("9313-1", (0x9313, 0x00, 0x08), (96, 480), 246_240, 0x6310),
    fba("9332-400", (0x9332, 0x00, 0x07), (73, 292), 360_036, 0x6310),
    fba("9332-600", (0x9332, 0x01, 0x07), (73, 292), 554_800, 0x6310),
    fba("9335-1", (0x9335, 0x01, 0x06), (71, 426), 804_714, 0x6310),
    fba("9336-10", (0x9336, 0x00, 0x11), (63, 315), 920_115, 0x6310),
    fba("9336-20", (0x9336, 0x10, 0x11), (111, 777), 1_672_881, 0x6310),
    fba("0671-08", (0x0671, 0x00, 0x12), (63, 504), 513_072, 0x6310),
    fba("0671-00", (0x0671, 0x00, 0x12), (63, 504), 574_560, 0x6310),
    fba("0671-04", (0x0671, 0x00, 0x12), (63, 504), 624_456, 0x6310),
];

impl CkdModel {
    /// The most cylinders that a disk of this type has: a terabyte of 3390s, as DS8000s have them, and 65,535 of
    /// others.
    pub fn most_cylinders(device: u16) -> u32 {
        if device == 0x3390 { 1_182_006 } else { 0xffff }
    }

    /// The model called `name`: "3390-3", or "3390" for the smallest of them.
    pub fn named(name: &str) -> Option<&'static CkdModel> {
        let whole = CKD.iter().find(|model| model.name.eq_ignore_ascii_case(name));
        whole.or_else(|| CKD.iter().find(|model| model.name.split('-').next() == Some(name)))
    }

    /// The smallest model of device type `device` (X'3390') with so many cylinders, alternates included, or else the
    /// largest there is: software takes the number of cylinders from the device, not from the model.
    pub fn of_size(device: u16, cylinders: u32) -> Option<&'static CkdModel> {
        let mut of_type = CKD.iter().filter(|model| model.device == device);
        let largest = of_type.clone().next_back();
        of_type.find(|model| model.cylinders + model.alternates >= cylinders).or(largest)
    }

    /// The model of device type `device` and this model number, the smallest of them that has so many cylinders.
    pub fn of(device: u16, model: u8, cylinders: u32) -> Option<&'static CkdModel> {
        let mut like = CKD.iter().filter(|found| (found.device, found.model) == (device, model));
        let largest = like.clone().next_back();
        like.find(|found| found.cylinders + found.alternates >= cylinders).or(largest)
    }

    /// Bytes that image formats give a track: the home address, record 0, the longest record and the end mark, in whole
    /// 512-byte sectors.
    pub fn slot(&self) -> u32 {
        let head = (HOME_ADDRESS + 2 * Count::LEN + 8) as u32;
        (head + self.longest + 8).div_ceil(512) * 512
    }

    /// What a record takes of [`CkdModel::track`], its gaps included, if another one follows it.
    pub fn space(&self, key: u32, data: u32) -> u32 {
        let keyed = |cost: u32| if key > 0 { cost } else { 0 };
        match self.formula {
            Formula::Tolerance { c, x, d1, d2 } => (key + data) * d1 / d2 + keyed(c) + x,
            Formula::Gaps { key: c, record } => key + data + keyed(c) + record,
            Formula::Rounded { f1, f2, f3 } => up(data + f2, f1) + keyed(up(key + f3, f1)),
            Formula::Segments { f1, f2, f3, f4, f5, f6 } => {
                let segments = |length: u32| (length + f6).div_ceil(2 * f5);
                up(f1 * f2 + data + f6 + f4 * segments(data), f1)
                    + keyed(up(f1 * f3 + key + f6 + f4 * segments(key), f1))
            }
        }
    }

    /// What the last record of a track takes of it: early devices leave out what is only needed before another one.
    pub fn last_space(&self, key: u32, data: u32) -> u32 {
        match self.formula {
            Formula::Tolerance { c, .. } => key + data + if key > 0 { c } else { 0 },
            _ => self.space(key, data),
        }
    }

    /// How many records of one length a track holds beside record 0.
    pub fn records(&self, key: u32, data: u32) -> u32 {
        let last = self.last_space(key, data);
        if last > self.track { 0 } else { (self.track - last) / self.space(key, data) + 1 }
    }
}

impl FbaModel {
    /// The model called `name`: "9336-20", or "3370" for the first of them.
    pub fn named(name: &str) -> Option<&'static FbaModel> {
        let whole = FBA.iter().find(|model| model.name.eq_ignore_ascii_case(name));
        whole.or_else(|| FBA.iter().find(|model| model.name.split('-').next() == Some(name)))
    }

    /// The model that has just so many blocks; a 9336-20, which any size may be, if there is none. `device` may say
    /// which type it is to be.
    pub fn of_size(device: Option<u16>, blocks: u64) -> &'static FbaModel {
        let mut fits = FBA.iter().filter(|model| device.is_none_or(|device| model.device == device));
        let any = FBA.iter().find(|model| device == Some(model.device)).or_else(|| FbaModel::named("9336-20"));
        fits.find(|model| model.blocks == blocks).or(any).expect("the table has a 9336-20")
    }

    /// The model of device type `device` and this model number; of several, the one with so many blocks.
    pub fn of(device: u16, model: u8, blocks: u64) -> Option<&'static FbaModel> {
        let mut like = FBA.iter().filter(|found| (found.device, found.model) == (device, model));
        let first = like.clone().next();
        like.find(|found| found.blocks == blocks).or(first)
    }
}

fn up(length: u32, to: u32) -> u32 {
    length.div_ceil(to) * to
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(name: &str) -> &'static CkdModel {
        CkdModel::named(name).unwrap_or_else(|| panic!("no {name}"))
    }

    /// The table in every CMS user's guide: blocks of a track by block size.
    #[test]
    fn blocks_of_a_track() {
        for (name, sizes) in [
            ("3330", [20, 14, 11, 6, 3]),
            ("3340", [12, 8, 7, 3, 2]),
            ("3350", [27, 19, 15, 8, 4]),
            ("3375", [40, 30, 25, 14, 8]),
            ("3380", [46, 36, 31, 18, 10]),
            ("3390", [49, 39, 33, 21, 12]),
            ("9345", [41, 33, 28, 17, 10]),
        ] {
            let records = [512, 800, 1024, 2048, 4096].map(|data| model(name).records(0, data));
            assert_eq!(records, sizes, "{name}");
        }
    }

    #[test]
    fn keyed_records_and_the_longest() {
        // DSCBs, key 44 and data 96, of a VTOC track.
        let dscbs = ["2314", "3330", "3350", "3380", "3390"].map(|name| model(name).records(44, 96));
        assert_eq!(dscbs, [25, 39, 47, 53, 50]);
        assert_eq!(model("2311").records(0, 3625), 1);
        for model in CKD.iter().filter(|model| model.device != 0x9345) {
            assert!(model.records(0, model.longest) >= 1, "{}", model.name);
            assert!(model.records(0, 65535) == 0, "{}", model.name);
        }
    }

    /// What image files of the field have in their headers.
    #[test]
    fn track_slots() {
        for (name, slot) in [
            ("2311", 4096),
            ("2314", 7680),
            ("3330", 13312),
            ("3340", 8704),
            ("3350", 19456),
            ("3375", 35840),
            ("3380", 47616),
            ("3390", 56832),
            ("9345", 46592),
        ] {
            assert_eq!(model(name).slot(), slot, "{name}");
        }
    }

    #[test]
    fn models_by_size() {
        let name = |device, cylinders| CkdModel::of_size(device, cylinders).map(|model| model.name);
        assert_eq!(name(0x3390, 1), Some("3390-1"));
        assert_eq!(name(0x3390, 3339), Some("3390-3"));
        assert_eq!(name(0x3390, 3340), Some("3390-3"));
        assert_eq!(name(0x3390, 3341), Some("3390-9"));
        assert_eq!(name(0x3390, 65_523), Some("3390-54"));
        assert_eq!(name(0x3390, 65_524), Some("3390-A"));
        assert_eq!(name(0x3390, 1_182_006), Some("3390-A"));
        assert_eq!(name(0x3380, 2655), Some("3380-K"));
        assert_eq!(name(0x1234, 1), None);
        assert_eq!(FbaModel::of_size(None, 712_752).name, "3370-2");
        assert_eq!(FbaModel::of_size(None, 4096).name, "9336-20");
        assert_eq!(FbaModel::of_size(Some(0x3370), 4096).name, "3370-1");
        assert_eq!(FbaModel::named("0671-04").map(|model| model.blocks), Some(624_456));
        assert_eq!(FbaModel::of(0x0671, 0, 624_456).map(|model| model.name), Some("0671-04"));
        assert_eq!(FbaModel::of(0x0671, 0, 1000).map(|model| model.name), Some("0671-08"));
    }
}
