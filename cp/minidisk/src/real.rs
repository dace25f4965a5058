//! Real disks: the volumes the system was given, under their device numbers, and what each is used for.

use crate::cache::{Cache, DeviceCache};
use base::ebcdic;
use dasd::allocation::Area;
use dasd::{Kind, Volume};
use devices::dasd::ControlUnit;
use devices::dasd::timing::{Paths, Timing};
use std::sync::Arc;

/// A real disk.
#[derive(Clone)]
pub struct Real {
    /// The real device number.
    pub number: u16,
    /// What the disk holds.
    pub volume: Arc<dyn Volume>,
    /// The volume serial from the label; empty if there is none.
    pub serial: String,
    /// The host's file, for messages.
    pub file: String,
    /// What it is used for.
    pub state: State,
    /// Its allocation map, as it was when the system came up.
    pub map: Vec<Area>,
    /// The areas of it that CP uses, those of minidisks apart.
    pub areas: Vec<Area>,
    /// It gets no more temporary disks.
    pub drained: bool,
    /// CP has pages on it.
    pub paged: bool,
    /// The disk, as the minidisk cache knows it.
    pub cache: Arc<DeviceCache>,
    /// Which parts of it are reserved, and by which devices.
    pub reservations: Arc<devices::dasd::Reservations>,
    /// The control unit it is at.
    pub control_unit: ControlUnit,
    /// Channel paths that its user sees.
    pub channels: u8,
    /// The cache of its control unit, if that has one.
    pub subsystem: Option<Arc<devices::dasd::Cache>>,
    /// How long its channel programs take, and the paths to its control unit.
    pub timing: Arc<Timing>,
    /// The paths to its control unit, which other disks there share.
    pub paths: Arc<Paths>,
}

/// What a real disk is used for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum State {
    /// CP's own: minidisks, and temporary space.
    Owned,
    /// Of the system: minidisks.
    System,
    /// Free: may be attached.
    Free,
    /// A user's, as this virtual device.
    Attached {
        /// The user ID.
        userid: String,
        /// The virtual device number.
        vdev: u16,
        /// Whether the user may only read it.
        read_only: bool,
    },
    /// Varied off.
    Offline,
}

impl Real {
    /// A volume; its serial is read from its label.
    pub fn new(number: u16, volume: Arc<dyn Volume>, file: String, cache: &Cache) -> Real {
        let serial = serial(&*volume).unwrap_or_default();
        let control_unit = ControlUnit::usual(&volume.kind());
        let paths = Arc::new(Paths::of(control_unit, u8::MAX));
        let timing = Arc::new(Timing::new(&volume.kind(), paths.clone()));
        Real {
            number,
            volume,
            serial,
            file,
            state: State::Free,
            map: Vec::new(),
            areas: Vec::new(),
            drained: false,
            paged: false,
            cache: cache.device(),
            reservations: Arc::default(),
            control_unit,
            channels: 1,
            subsystem: None,
            timing,
            paths,
        }
    }

    /// Whether minidisks may lie on it.
    pub fn has_minidisks(&self) -> bool {
        matches!(self.state, State::Owned | State::System)
    }
}

/// The device type as users write it: `3390`.
pub fn device_type(kind: &Kind) -> String {
    let (Kind::Ckd { device, .. } | Kind::Fba { device, .. }) = kind;
    format!("{device:04X}")
}

/// How many cylinders or blocks, and which of the two: `CYL`, `BLK`.
pub fn size(kind: &Kind) -> (u64, &'static str) {
    match kind {
        Kind::Ckd { cylinders, .. } => ((*cylinders).into(), "CYL"),
        Kind::Fba { blocks, .. } => (*blocks, "BLK"),
    }
}

/// The serial in a volume's label: VOL1 of the standard label, LNX1 of Linux, CMS1 of CMS. On count-key-data volumes it
/// is a record of track 0, on fixed-block ones block 1.
pub fn serial(volume: &dyn Volume) -> Option<String> {
    let of = |label: &[u8]| {
        let known = ["VOL1", "LNX1", "CMS1"].map(ebcdic::from_str);
        let found = known.iter().any(|id| label.starts_with(id));
        found.then(|| ebcdic::to_string(label.get(4..10).unwrap_or_default()).trim().to_string())
    };
    let serial = match volume.kind() {
        Kind::Ckd { .. } => volume.read_track(0).ok()?.records().find_map(|record| of(record.data)),
        Kind::Fba { .. } => {
            let mut block = [0; Kind::BLOCK];
            volume.read_blocks(1, &mut block).ok()?;
            of(&block)
        }
    };
    serial.filter(|serial| !serial.is_empty() && serial.chars().all(|c| c.is_ascii_graphic()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dasd::model::{CkdModel, FbaModel};
    use dasd::{Count, Memory, Track};

    #[test]
    fn a_volume_is_known_by_its_label() {
        let pack = Memory::ckd(CkdModel::named("3390").unwrap(), 1);
        assert_eq!(serial(&pack), None);
        let mut track = Track::new(0, 0);
        let end = track.records().last().unwrap().end();
        let label = [ebcdic::from_str("VOL1USR001"), vec![0x40; 70]].concat();
        track.format(end, Count { record: 3, key: 4, data: 80, ..Count::default() }, &label[..4], &label);
        pack.write_track(0, &track).unwrap();
        assert_eq!(serial(&pack).as_deref(), Some("USR001"));
        let blocks = Memory::fba(FbaModel::named("9336").unwrap(), 8);
        let mut block = [0; 512];
        block[..10].copy_from_slice(&ebcdic::from_str("CMS1DISK7 "));
        blocks.write_blocks(1, &block).unwrap();
        assert_eq!(serial(&blocks).as_deref(), Some("DISK7"));
    }
}
