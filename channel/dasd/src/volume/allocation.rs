//! What the cylinders of a volume that CP owns are for: minidisks, page space, spool space, temporary disks, the
//! directory. Fixed-block volumes are measured in pages of eight blocks.

use super::{Volume, label};
use crate::error::MediaError;
use crate::format::allocation::{AllocationMap, MapArea};
use crate::model::Kind;
use crate::model::track::{Count, Track};
use base::ebcdic;
use xxhash_rust::xxh3::xxh3_64;
use zerocopy::{FromBytes, FromZeros, IntoBytes};

/// Blocks of a page, in which areas of fixed-block volumes are measured.
pub const BLOCKS_OF_PAGE: u64 = 8;

/// The record of track 0 that is the map, and the page of a fixed-block volume.
const RECORD: u8 = 4;
const MAP_PAGE: u64 = 2;

/// What an area is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Purpose {
    /// Minidisks, or nothing yet.
    Permanent,
    /// Pages of virtual machines.
    Page,
    /// Spool space.
    Spool,
    /// Temporary disks.
    Temporary,
    /// The directory.
    Directory,
}

impl Purpose {
    /// Their names, as ALLOCATE has them.
    pub const ALL: [(&str, Purpose); 5] = [
        ("PERM", Purpose::Permanent),
        ("PAGE", Purpose::Page),
        ("SPOL", Purpose::Spool),
        ("TDSK", Purpose::Temporary),
        ("DRCT", Purpose::Directory),
    ];

    /// The name in [`Purpose::ALL`].
    pub fn name(self) -> &'static str {
        Purpose::ALL.iter().find(|row| row.1 == self).expect("all are there").0
    }

    /// What has this name.
    pub fn named(name: &str) -> Option<Purpose> {
        Purpose::ALL.iter().find(|row| row.0.eq_ignore_ascii_case(name)).map(|row| row.1)
    }
}

/// A part of a volume: units from the first to the last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Area {
    /// What it is for.
    pub purpose: Purpose,
    /// Its first unit.
    pub first: u32,
    /// Its last unit.
    pub last: u32,
}

impl Area {
    /// How many units it has.
    pub fn units(&self) -> u32 {
        self.last - self.first + 1
    }

    /// Whether the two have a unit in common.
    pub fn meets(&self, first: u32, last: u32) -> bool {
        self.first <= last && first <= self.last
    }
}

/// Why there is no map, or it cannot be as wanted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AllocationError {
    /// The disk, or its file, did not do it.
    #[error("{0}")]
    Medium(#[from] MediaError),
    /// The volume has no VOL1 label.
    #[error("it has no VOL1 label: make one with endicott dasd create --volser")]
    NoLabel,
    /// The map cannot be trusted.
    #[error("its allocation map is damaged ({0}): endicott dasd cpfmtxa --new writes another one")]
    Damaged(&'static str),
    /// The volume was cut, or the map is another volume's.
    #[error("its allocation map is of a volume of {0} {2}, and it has {1}: endicott dasd cpfmtxa --new writes another")]
    Cut(u32, u32, &'static str),
    /// Track 0 has other records where the map should be.
    #[error("track 0 has no room for an allocation map: its record 4 is something else")]
    NoRoom,
    /// An area that the volume does not have.
    #[error("{purpose} {first}-{last} lies beyond the volume, whose last is {end}", purpose = .0.purpose.name(),
            first = .0.first, last = .0.last, end = .1)]
    Outside(Area, u32),
    /// An area that begins after its end.
    #[error("{purpose} {first}-{last} ends before it begins", purpose = .0.purpose.name(), first = .0.first,
            last = .0.last)]
    Backwards(Area),
    /// An area that has the label or the map in it.
    #[error("{purpose} {first}-{last} begins before {least}: label and map lie there", purpose = .0.purpose.name(),
            first = .0.first, last = .0.last, least = .1)]
    Label(Area, u32),
    /// Two areas that have something in common.
    #[error("{purpose} {first}-{last} overlaps {other} {of}-{to}", purpose = .0.purpose.name(), first = .0.first,
            last = .0.last, other = .1.purpose.name(), of = .1.first, to = .1.last)]
    Overlap(Area, Area),
    /// There are too many areas.
    #[error("an allocation map has at most {most} areas", most = AllocationMap::AREAS)]
    TooMany,
    /// Not a name of a system.
    #[error("{0} is not the name of a system: one to eight letters, digits or $#@-:._+")]
    Owner(String),
}

/// What a volume's units are called, and how many there are.
pub fn units(kind: Kind) -> (u32, &'static str) {
    match kind {
        Kind::Ckd { cylinders, .. } => (cylinders, "cylinders"),
        Kind::Fba { blocks, .. } => (u32::try_from(blocks / BLOCKS_OF_PAGE).unwrap_or(u32::MAX), "pages"),
    }
}

/// The first unit that may be something else than PERM: label and map lie before.
fn least(kind: Kind) -> u32 {
    match kind {
        Kind::Ckd { .. } => 1,
        Kind::Fba { .. } => 4,
    }
}

/// The allocation of a volume: areas from its first unit to its last, one after the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Allocation {
    /// The system whose volume it is; `None`: any system's.
    pub owner: Option<String>,
    kind: Kind,
    areas: Vec<Area>,
}

impl Allocation {
    /// All of it is for minidisks.
    pub fn new(kind: Kind) -> Allocation {
        let last = units(kind).0.saturating_sub(1);
        Allocation { owner: None, kind, areas: vec![Area { purpose: Purpose::Permanent, first: 0, last }] }
    }

    /// All areas, in the order of the volume.
    pub fn areas(&self) -> &[Area] {
        &self.areas
    }

    /// The areas for something.
    pub fn of(&self, purpose: Purpose) -> impl Iterator<Item = Area> + '_ {
        self.areas.iter().copied().filter(move |area| area.purpose == purpose)
    }

    /// Allocates areas anew, all of them or, if one is wrong, none; what they do not have stays as it was.
    pub fn allocate(&mut self, new: &[Area]) -> Result<(), AllocationError> {
        let (end, least) = (units(self.kind).0.saturating_sub(1), least(self.kind));
        for (n, area) in new.iter().enumerate() {
            match area {
                _ if area.first > area.last => return Err(AllocationError::Backwards(*area)),
                _ if area.last > end => return Err(AllocationError::Outside(*area, end)),
                _ if area.purpose != Purpose::Permanent && area.first < least => {
                    return Err(AllocationError::Label(*area, least));
                }
                _ => (),
            }
            if let Some(other) = new[..n].iter().find(|other| other.meets(area.first, area.last)) {
                return Err(AllocationError::Overlap(*area, *other));
            }
        }
        let mut areas = self.areas.clone();
        for area in new {
            let cut = areas.iter().flat_map(|old| {
                let before = (old.first < area.first).then(|| Area { last: old.last.min(area.first - 1), ..*old });
                let after = (old.last > area.last).then(|| Area { first: old.first.max(area.last + 1), ..*old });
                before.into_iter().chain(after)
            });
            areas = cut.chain([*area]).collect();
        }
        areas.sort_by_key(|area| area.first);
        areas.dedup_by(|next, before| {
            let same = next.purpose == before.purpose;
            if same {
                before.last = next.last;
            }
            same
        });
        if areas.iter().filter(|area| area.purpose != Purpose::Permanent).count() > AllocationMap::AREAS {
            return Err(AllocationError::TooMany);
        }
        self.areas = areas;
        Ok(())
    }

    /// Says whose volume it is: a name that SYSTEM_IDENTIFIER can have.
    pub fn set_owner(&mut self, name: &str) -> Result<(), AllocationError> {
        let name = name.to_ascii_uppercase();
        let is_of_names = |c: char| c.is_ascii_alphanumeric() || "$#@-:._+".contains(c);
        if !(1..=8).contains(&name.len()) || !name.chars().all(is_of_names) {
            return Err(AllocationError::Owner(name));
        }
        self.owner = Some(name);
        Ok(())
    }

    /// The allocation of a volume; `None` if it has no map.
    pub fn read(volume: &dyn Volume) -> Result<Option<Allocation>, AllocationError> {
        let kind = volume.kind();
        let mut bytes = vec![0; size_of::<AllocationMap>()];
        let there = match kind {
            Kind::Ckd { .. } => {
                let track = volume.read_track(0)?;
                let found = track.records().find(|record| record.count.record == RECORD && record.key.is_empty());
                let found = found.filter(|record| record.data.len() == bytes.len());
                found.inspect(|record| bytes.copy_from_slice(record.data)).is_some()
            }
            Kind::Fba { blocks, .. } if blocks < u64::from(least(kind)) * BLOCKS_OF_PAGE => false,
            Kind::Fba { .. } => {
                volume.read_blocks(MAP_PAGE * BLOCKS_OF_PAGE, &mut bytes)?;
                true
            }
        };
        let map = AllocationMap::read_from_bytes(&bytes).expect("it is as long");
        if !there || map.id != ebcdic::padded::<8>(AllocationMap::ID) {
            return Ok(None);
        }
        Allocation::decode(kind, map).map(Some)
    }

    fn decode(kind: Kind, map: AllocationMap) -> Result<Allocation, AllocationError> {
        let sum = xxh3_64(AllocationMap { sum: 0.into(), ..map }.as_bytes());
        if sum != map.sum.get() {
            return Err(AllocationError::Damaged("its check sum differs"));
        }
        if map.version.get() != AllocationMap::VERSION {
            return Err(AllocationError::Damaged("it is of another Endicott"));
        }
        let (units, name) = units(kind);
        if map.units.get() > units {
            return Err(AllocationError::Cut(map.units.get(), units, name));
        }
        let owner = ebcdic::to_string(&map.owner).trim_end().to_string();
        let mut allocation = Allocation { owner: (!owner.is_empty()).then_some(owner), ..Allocation::new(kind) };
        let count = usize::from(map.count.get());
        let areas = map.areas.get(..count).ok_or(AllocationError::Damaged("it has too many areas"))?;
        let area = |found: &MapArea| {
            let purpose = Purpose::named(&ebcdic::to_string(&found.what));
            let purpose = purpose.ok_or(AllocationError::Damaged("an area is for something unknown"))?;
            Ok(Area { purpose, first: found.first.get(), last: found.last.get() })
        };
        let areas = areas.iter().map(area).collect::<Result<Vec<_>, AllocationError>>()?;
        allocation.allocate(&areas)?;
        Ok(allocation)
    }

    /// Writes the map to its volume, which must have a VOL1 label.
    pub fn write(&self, volume: &dyn Volume) -> Result<(), AllocationError> {
        if label::read(volume)?.is_none_or(|label| label.kind != "VOL1") {
            return Err(AllocationError::NoLabel);
        }
        let mut map = AllocationMap::new_zeroed();
        map.id = ebcdic::padded(AllocationMap::ID);
        map.version = AllocationMap::VERSION.into();
        map.units = units(self.kind).0.into();
        map.owner = ebcdic::padded(self.owner.as_deref().unwrap_or_default());
        let areas = self.areas.iter().filter(|area| area.purpose != Purpose::Permanent);
        for (slot, area) in map.areas.iter_mut().zip(areas) {
            let what = ebcdic::padded(area.purpose.name());
            *slot = MapArea { what, first: area.first.into(), last: area.last.into(), reserved_0c: [0; 4] };
            map.count = (map.count.get() + 1).into();
        }
        map.sum = xxh3_64(map.as_bytes()).into();
        match self.kind {
            Kind::Fba { .. } => volume.write_blocks(MAP_PAGE * BLOCKS_OF_PAGE, map.as_bytes())?,
            Kind::Ckd { .. } => {
                let mut done = false;
                volume.update_track(0, &mut |track| {
                    done = put(track, map.as_bytes());
                    done
                })?;
                if !done {
                    return Err(AllocationError::NoRoom);
                }
            }
        }
        Ok(())
    }
}

/// Puts the map onto track 0; false if its record is something else.
fn put(track: &mut Track, map: &[u8]) -> bool {
    let found = track.records().find(|record| record.count.record == RECORD);
    match found.map(|record| (record.at, record.key.is_empty() && record.data.len() == map.len())) {
        Some((at, true)) => track.update(at, None, Some(map)),
        Some((_, false)) => return false,
        None => {
            let last = track.records().last().expect("record 0");
            if last.count.record != RECORD - 1 {
                return false;
            }
            let (end, count) = (last.end(), Count { record: RECORD, data: map.len() as u16, ..Count::default() });
            track.format(end, count, &[], map);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Memory;
    use crate::model::{CkdModel, FbaModel};

    fn area(purpose: Purpose, first: u32, last: u32) -> Area {
        Area { purpose, first, last }
    }

    fn labelled(model: &str, cylinders: u32) -> Memory {
        let volume = Memory::ckd(CkdModel::named(model).unwrap(), cylinders);
        label::write(&volume, "VMPAG1").unwrap();
        volume
    }

    #[test]
    fn a_map_comes_back_as_it_was_written() {
        let fixed = Memory::fba(FbaModel::named("9336").unwrap(), 800);
        label::write(&fixed, "VMPAG1").unwrap();
        for volume in [labelled("3390", 100), labelled("3380", 100), labelled("3350", 100), fixed] {
            assert_eq!(Allocation::read(&volume), Ok(None));
            let mut allocation = Allocation::new(volume.kind());
            let areas = [area(Purpose::Page, 10, 49), area(Purpose::Spool, 50, 59), area(Purpose::Directory, 60, 60)];
            allocation.allocate(&areas).unwrap();
            allocation.set_owner("vm1").unwrap();
            allocation.write(&volume).unwrap();
            allocation.allocate(&[area(Purpose::Temporary, 40, 52)]).unwrap();
            allocation.write(&volume).unwrap();
            let back = Allocation::read(&volume).unwrap().unwrap();
            assert_eq!((back.owner.as_deref(), &back), (Some("VM1"), &allocation));
            let found: Vec<_> = back.areas().iter().map(|area| (area.purpose.name(), area.first, area.last)).collect();
            let expected = [
                ("PERM", 0, 9),
                ("PAGE", 10, 39),
                ("TDSK", 40, 52),
                ("SPOL", 53, 59),
                ("DRCT", 60, 60),
                ("PERM", 61, 99),
            ];
            assert_eq!(found, expected);
            assert_eq!(label::read(&volume).unwrap().unwrap().volser, "VMPAG1");
            // A volume that is labelled anew keeps its map.
            label::write(&volume, "VMPAG2").unwrap();
            assert_eq!(Allocation::read(&volume).unwrap().unwrap(), allocation);
            // The same kind again is one area.
            allocation.allocate(&[area(Purpose::Page, 30, 60)]).unwrap();
            assert_eq!(allocation.of(Purpose::Page).collect::<Vec<_>>(), [area(Purpose::Page, 10, 60)]);
        }
    }

    #[test]
    fn areas_that_cannot_be_are_refused_and_nothing_is_changed() {
        let mut allocation = Allocation::new(labelled("3390", 100).kind());
        allocation.allocate(&[area(Purpose::Page, 1, 10)]).unwrap();
        let before = allocation.clone();
        for (wrong, why) in [
            (vec![area(Purpose::Page, 0, 10)], "PAGE 0-10 begins before 1: label and map lie there"),
            (vec![area(Purpose::Spool, 90, 100)], "SPOL 90-100 lies beyond the volume, whose last is 99"),
            (vec![area(Purpose::Page, 9, 8)], "PAGE 9-8 ends before it begins"),
            (vec![area(Purpose::Page, 20, 30), area(Purpose::Temporary, 30, 31)], "TDSK 30-31 overlaps PAGE 20-30"),
        ] {
            assert_eq!(allocation.allocate(&wrong).unwrap_err().to_string(), why);
            assert_eq!(allocation, before);
        }
        let single = |n| area(if n % 2 == 0 { Purpose::Page } else { Purpose::Spool }, n, n);
        let mut large = Allocation::new(labelled("3390", 400).kind());
        let many: Vec<_> = (1..=255).map(single).collect();
        assert_eq!(large.allocate(&many), Err(AllocationError::TooMany));
        assert_eq!(large.allocate(&many[1..]), Ok(()));
    }

    #[test]
    fn a_map_that_cannot_be_trusted_is_refused() {
        let whole = labelled("3390", 100);
        let mut allocation = Allocation::new(whole.kind());
        allocation.allocate(&[area(Purpose::Page, 1, 99)]).unwrap();
        allocation.write(&whole).unwrap();
        let cut = labelled("3390", 50);
        cut.write_track(0, &whole.read_track(0).unwrap()).unwrap();
        let said = Allocation::read(&cut).unwrap_err().to_string();
        assert!(said.contains("is of a volume of 100 cylinders, and it has 50"), "{said}");
        let larger = labelled("3390", 150);
        larger.write_track(0, &whole.read_track(0).unwrap()).unwrap();
        let back = Allocation::read(&larger).unwrap().unwrap();
        assert_eq!(back.areas().last(), Some(&area(Purpose::Permanent, 100, 149)));
        whole
            .update_track(0, &mut |track| {
                let at = track.records().nth(4).unwrap().at + Count::LEN + 40;
                let mut image = track.image().to_vec();
                image[at] ^= 1;
                *track = Track::from_image(image).unwrap();
                true
            })
            .unwrap();
        assert_eq!(Allocation::read(&whole), Err(AllocationError::Damaged("its check sum differs")));
        let bare = Memory::ckd(CkdModel::named("3390").unwrap(), 10);
        assert_eq!(Allocation::new(bare.kind()).write(&bare), Err(AllocationError::NoLabel));
    }
}
