//! Control units: what each kind is called, what can be attached to it, and which commands it has.

use dasd::Kind;

/// A control unit, as Sense ID names it: type in hexadecimal digits, and model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ControlUnit {
    /// The type: X'3990'.
    pub kind: u16,
    /// The model: X'EC'.
    pub model: u8,
}

/// A control unit that can be asked for by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ControlUnitModel {
    /// Type and model as they are written: 3880-23.
    pub name: &'static str,
    /// Its type and model, as Sense ID names them.
    pub unit: ControlUnit,
    /// The types of disks that can be attached to it.
    pub devices: &'static [u16],
    /// Bytes of its cache and of its non-volatile storage, unless the configuration says how many; 0: it has none.
    pub cache: u64,
    /// Bytes of its non-volatile storage; 0: it has none.
    pub storage: u64,
}

const fn model(
    name: &'static str,
    (kind, model): (u16, u8),
    devices: &'static [u16],
    [cache, storage]: [u64; 2],
) -> ControlUnitModel {
    ControlUnitModel { name, unit: ControlUnit { kind, model }, devices, cache: cache << 20, storage: storage << 20 }
}

const NONE: [u64; 2] = [0, 0];

/// What there is. The model bytes of Sense ID are those published of 3880-3, 3990 and 9343; the others' are the digits
/// of the model. Caches are of the largest size that was sold, but for those of a 3990: 64 MB and 4 MB.
static MODELS: &[ControlUnitModel] = &[
    model("2841", (0x2841, 0x00), &[0x2311], NONE),
    model("2314", (0x2314, 0x00), &[0x2314], NONE),
    model("3830-2", (0x3830, 0x02), &[0x3330, 0x3340, 0x3350], NONE),
    model("3880-1", (0x3880, 0x01), &[0x3330, 0x3340, 0x3350, 0x3370, 0x3375], NONE),
    model("3880-2", (0x3880, 0x02), &[0x3330, 0x3340, 0x3350, 0x3370, 0x3375, 0x3380], NONE),
    model("3880-3", (0x3880, 0xc3), &[0x3380], NONE),
    model("3880-4", (0x3880, 0x04), &[0x3375], NONE),
    model("3880-13", (0x3880, 0x13), &[0x3380], [8, 0]),
    model("3880-23", (0x3880, 0x23), &[0x3380], [64, 0]),
    model("3990-2", (0x3990, 0xc2), &[0x3380, 0x3390], NONE),
    model("3990-3", (0x3990, 0xec), &[0x3380, 0x3390], [64, 4]),
    model("3990-6", (0x3990, 0xe9), &[0x3380, 0x3390], [64, 4]),
    model("9343", (0x9343, 0xe0), &[0x9345], [64, 4]),
    model("6310", (0x6310, 0x80), &[0x0671, 0x3310, 0x9313, 0x9332, 0x9335, 0x9336], NONE),
];

impl ControlUnitModel {
    /// All models that can be asked for.
    pub fn all() -> &'static [ControlUnitModel] {
        MODELS
    }

    /// The one that is called so.
    pub fn named(name: &str) -> Option<&'static ControlUnitModel> {
        MODELS.iter().find(|model| model.name.eq_ignore_ascii_case(name))
    }
}

impl ControlUnit {
    /// 3990 model 6: extended count key data, and all its commands.
    pub const C3990_6: ControlUnit = ControlUnit { kind: 0x3990, model: 0xe9 };
    /// 3990 model 3: without Prefix and what moves the data of whole tracks, so that drivers go record by record.
    pub const C3990_3: ControlUnit = ControlUnit { kind: 0x3990, model: 0xec };
    /// 3880 without a cache: count key data.
    pub const C3880: ControlUnit = ControlUnit { kind: 0x3880, model: 0x05 };
    /// 9343, for 9345 disks: count key data.
    pub const C9343: ControlUnit = ControlUnit { kind: 0x9343, model: 0xe0 };
    /// 6310, for fixed-block disks.
    pub const C6310: ControlUnit = ControlUnit { kind: 0x6310, model: 0x80 };

    /// The one that such a disk usually has.
    pub fn usual(kind: &Kind) -> ControlUnit {
        match *kind {
            Kind::Ckd { device: 0x3390 | 0x3380, .. } => ControlUnit::C3990_6,
            Kind::Ckd { device: 0x9345, .. } => ControlUnit::C9343,
            Kind::Ckd { device: 0x3330 | 0x3340 | 0x3350, .. } => ControlUnit { kind: 0x3830, model: 2 },
            Kind::Ckd { device: 0x2311, .. } => ControlUnit { kind: 0x2841, model: 0 },
            Kind::Ckd { device: 0x2314, .. } => ControlUnit { kind: 0x2314, model: 0 },
            Kind::Ckd { .. } => ControlUnit::C3880,
            Kind::Fba { device: 0x3370, .. } => ControlUnit { kind: 0x3880, model: 0x01 },
            Kind::Fba { .. } => ControlUnit::C6310,
        }
    }

    /// Type and model as they are written; of one without a name, what Sense ID has.
    pub fn name(self) -> String {
        let known = MODELS.iter().find(|model| model.unit == self);
        known.map_or_else(|| format!("{:04X}-{:02X}", self.kind, self.model), |model| model.name.into())
    }

    /// Whether it knows DEFINE EXTENT, LOCATE RECORD and what goes with them.
    pub fn extended(self) -> bool {
        matches!(self.kind, 0x3990 | 0x9343 | 0x2105 | 0x2107 | 0x1750)
    }

    /// Whether it knows DEFINE EXTENT: a 3880 with a cache does, to be told how that is to be used.
    pub fn defines(self) -> bool {
        self.extended() || self.older_cache()
    }

    /// Whether it is a 3880 with a cache.
    pub fn older_cache(self) -> bool {
        self.kind == 0x3880 && matches!(self.model, 0x13 | 0x23)
    }

    /// Whether it has Prefix and what moves the data of whole tracks.
    pub fn whole_tracks(self) -> bool {
        self.extended() && !matches!((self.kind, self.model), (0x3990, 0xc2 | 0xec))
    }

    /// How many transfers it has in progress at once, and how many bytes in a second a path to it moves: a 3990 has
    /// four storage paths, for channels of
    /// 4.5 MB/s; a 3880 two storage directors, for data streaming of 3 MB/s; older ones one, for 1.5 MB/s.
    pub fn transfers(self) -> (usize, u64) {
        match self.kind {
            0x3880 => (2, 3_000_000),
            0x3830 | 0x2841 | 0x2314 => (1, 1_500_000),
            _ => (4, 4_500_000),
        }
    }

    /// Control units older than 1978 do not know Sense ID.
    pub fn tells(self) -> bool {
        self.extended() || matches!(self.kind, 0x3880 | 0x6310)
    }

    /// Sense bytes.
    pub fn sense_bytes(self) -> usize {
        match self.kind {
            0x2314 | 0x2841 => 6,
            _ if self.extended() => 32,
            _ => 24,
        }
    }
}
