//! Parts of a volume as slots of a page each: what CP pages to. On a count-key-data volume a slot is a record of 4096
//! bytes without a key, as many as a track holds. On a fixed-block volume it is eight blocks.
//!
//! A track that has no such records gets them with the first slot that is written there: page space need not be
//! formatted.

use super::Volume;
use super::allocation::{Area, BLOCKS_OF_PAGE, units};
use crate::error::MediaError;
use crate::model::track::{Count, Track};
use crate::model::{CkdModel, Kind};
use std::sync::Arc;

/// Bytes of a page.
const PAGE: usize = 4096;

/// Areas of a volume in slots, which are numbered from 0.
#[derive(Clone)]
pub struct Pages {
    volume: Arc<dyn Volume>,
    areas: Vec<Area>,
    /// Slots of a unit.
    per_unit: u32,
    /// Slots of a track; of a fixed-block volume, of a page.
    per_track: u32,
    slots: u32,
}

/// Slots of one track, or of a fixed-block volume's neighbours: where they lie, and how many there are.
struct Run {
    /// The track, or the first block.
    at: u64,
    /// The first record.
    record: u8,
    count: usize,
}

impl Pages {
    /// The slots of these areas; `None` if the volume does not have them, or they are too many.
    pub fn new(volume: Arc<dyn Volume>, areas: Vec<Area>) -> Option<Pages> {
        let (all, _) = units(volume.kind());
        let (per_unit, per_track) = match volume.kind() {
            Kind::Ckd { device, model, cylinders, heads, .. } => {
                let found = CkdModel::of(device, model, cylinders).or_else(|| CkdModel::of_size(device, cylinders))?;
                let records = found.records(0, PAGE as u32);
                (records * heads, records)
            }
            Kind::Fba { .. } => (1, 1),
        };
        if areas.iter().any(|area| area.first > area.last || area.last >= all) || per_track == 0 {
            return None;
        }
        let units: u64 = areas.iter().map(|area| u64::from(area.units())).sum();
        let slots = u32::try_from(units * u64::from(per_unit)).ok()?;
        Some(Pages { volume, areas, per_unit, per_track, slots })
    }

    /// How many slots there are.
    pub fn slots(&self) -> u32 {
        self.slots
    }

    /// Slots of a cylinder; 1 of a fixed-block volume.
    pub fn per_unit(&self) -> u32 {
        self.per_unit
    }

    /// The areas.
    pub fn areas(&self) -> &[Area] {
        &self.areas
    }

    /// The unit of a slot, and its number in that.
    fn place(&self, mut slot: u32) -> Option<(u32, u32)> {
        for area in &self.areas {
            let here = area.units() * self.per_unit;
            if slot < here {
                return Some((area.first + slot / self.per_unit, slot % self.per_unit));
            }
            slot -= here;
        }
        None
    }

    /// Slots from `slot` on, as far as they lie in one track or side by side.
    fn run(&self, slot: u32, count: usize) -> Result<Run, MediaError> {
        let (unit, within) = self.place(slot).ok_or(MediaError::Outside)?;
        let Kind::Ckd { heads, .. } = self.volume.kind() else {
            let side_by_side = |n: &usize| self.place(slot + *n as u32) == Some((unit + *n as u32, 0));
            let count = (1..count).take_while(side_by_side).count() + 1;
            return Ok(Run { at: u64::from(unit) * BLOCKS_OF_PAGE, record: 1, count });
        };
        let (head, record) = (within / self.per_track, within % self.per_track);
        let left = (self.per_track - record) as usize;
        Ok(Run { at: u64::from(unit * heads + head), record: record as u8 + 1, count: count.min(left) })
    }

    /// Where a slot lies, in words.
    pub fn describe(&self, slot: u32) -> String {
        match (self.volume.kind(), self.place(slot)) {
            (Kind::Ckd { .. }, Some((cylinder, within))) => {
                let (head, record) = (within / self.per_track, within % self.per_track + 1);
                format!("cylinder {cylinder} head {head} record {record}")
            }
            (Kind::Fba { .. }, Some((page, _))) => format!("block {}", u64::from(page) * BLOCKS_OF_PAGE),
            (_, None) => format!("slot {slot}"),
        }
    }

    /// Reads slots in a row. What a slot that was never written has is not said.
    pub fn read(&self, mut slot: u32, to: &mut [u8]) -> Result<(), MediaError> {
        let mut rest = to;
        while !rest.is_empty() {
            let run = self.run(slot, rest.len() / PAGE)?;
            let (here, after) = rest.split_at_mut(run.count * PAGE);
            match self.volume.kind() {
                Kind::Fba { .. } => self.volume.read_blocks(run.at, here)?,
                Kind::Ckd { .. } => self.read_records(&run, here)?,
            }
            slot += run.count as u32;
            rest = after;
        }
        Ok(())
    }

    fn read_records(&self, run: &Run, to: &mut [u8]) -> Result<(), MediaError> {
        let number = run.at as u32;
        // Few records are read alone, where the volume knows that they are there.
        let few = run.count * 2 <= self.per_track as usize;
        let spot = if few { self.volume.spot(number, self.id(number, run.record)?) } else { None };
        if let Some(spot) = spot.filter(|spot| usize::from(spot.count.data) == PAGE)
            && let Some(read) = self.volume.read_spots(number, spot, run.count)?
        {
            for (page, record) in to.chunks_mut(PAGE).zip(read.chunks(Count::LEN + PAGE)) {
                page.copy_from_slice(&record[Count::LEN..]);
            }
            return Ok(());
        }
        let track = self.volume.read_track(number)?;
        for (n, page) in to.chunks_mut(PAGE).enumerate() {
            let found = find(&track, run.record + n as u8);
            let at = found.ok_or_else(|| MediaError::damaged("the track is not formatted for pages"))?;
            page.copy_from_slice(track.record_at(at).expect("it was found there").data);
        }
        Ok(())
    }

    /// Writes slots in a row.
    pub fn write(&self, mut slot: u32, from: &[u8]) -> Result<(), MediaError> {
        let mut rest = from;
        while !rest.is_empty() {
            let run = self.run(slot, rest.len() / PAGE)?;
            let (here, after) = rest.split_at(run.count * PAGE);
            match self.volume.kind() {
                Kind::Fba { .. } => self.volume.write_blocks(run.at, here)?,
                Kind::Ckd { .. } => self.write_records(&run, here)?,
            }
            slot += run.count as u32;
            rest = after;
        }
        Ok(())
    }

    fn write_records(&self, run: &Run, from: &[u8]) -> Result<(), MediaError> {
        let number = run.at as u32;
        let home = self.volume.kind().home(number)?;
        if run.count == self.per_track as usize {
            return self.volume.write_track(number, &self.formatted(home, from));
        }
        let put = |track: &mut Track| {
            for (n, page) in from.chunks(PAGE).enumerate() {
                let at = find(track, run.record + n as u8).expect("the track has all records");
                track.update(at, None, Some(page));
            }
        };
        let updated = self.volume.update_track(number, &mut |track| {
            if !(1..=self.per_track as u8).all(|number| find(track, number).is_some()) {
                *track = self.formatted(home, &[]);
            }
            put(track);
            true
        });
        match updated {
            // What is there can be used by nothing; its slots are told by their own sums.
            Err(MediaError::Damaged(_)) => {
                let mut track = self.formatted(home, &[]);
                put(&mut track);
                self.volume.write_track(number, &track)
            }
            other => other,
        }
    }

    /// What the count area of a record begins with.
    fn id(&self, track: u32, record: u8) -> Result<[u8; 5], MediaError> {
        let [c1, c2, h1, h2, record, ..] = count(self.volume.kind().home(track)?, record).encode();
        Ok([c1, c2, h1, h2, record])
    }

    /// A track at this cylinder and head with all its records: these pages, and then zeros.
    fn formatted(&self, (cylinder, head): (u16, u16), pages: &[u8]) -> Track {
        let mut track = Track::new(cylinder, head);
        let pages = pages.chunks(PAGE).chain(std::iter::repeat(&[0; PAGE][..]));
        for (record, page) in (1..=self.per_track as u8).zip(pages) {
            let end = track.records().last().expect("record 0").end();
            track.format(end, count((cylinder, head), record), &[], page);
        }
        track
    }

    /// Formats all slots with zeros. It goes on while `progress`, told how far it is (done, of), says so; whether it
    /// came to the end.
    pub fn format(&self, progress: crate::Progress<'_>) -> Result<bool, MediaError> {
        let zeros = vec![0; self.per_track as usize * 12 * PAGE];
        let mut slot = 0;
        while slot < self.slots {
            let count = (self.slots - slot).min(self.per_track * 12);
            self.write(slot, &zeros[..count as usize * PAGE])?;
            slot += count;
            if !progress(slot.into(), self.slots.into()) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The count area of a record that is a slot.
fn count((cylinder, head): (u16, u16), record: u8) -> Count {
    Count { cylinder, head, record, key: 0, data: PAGE as u16 }
}

/// The record that is a slot: where it is in the track's image.
fn find(track: &Track, number: u8) -> Option<usize> {
    let record = track.records().skip(1).find(|record| record.count.record == number)?;
    (record.key.is_empty() && record.data.len() == PAGE).then_some(record.at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::FbaModel;
    use crate::volume::allocation::Purpose;
    use crate::{Extent, Memory};

    fn areas(places: &[(u32, u32)]) -> Vec<Area> {
        places.iter().map(|&(first, last)| Area { purpose: Purpose::Page, first, last }).collect()
    }

    fn fill(slot: u32, count: usize, round: u8) -> Vec<u8> {
        (0..count).flat_map(|n| vec![(slot as usize + n) as u8 ^ round; PAGE]).collect()
    }

    #[test]
    fn slots_are_records_of_areas_and_nothing_else_is_written() {
        let ckd = |model: &str| Arc::new(Memory::ckd(CkdModel::named(model).unwrap(), 9)) as Arc<dyn Volume>;
        let fixed = Arc::new(Memory::fba(FbaModel::named("9336").unwrap(), 2000)) as Arc<dyn Volume>;
        for (volume, per_unit, places) in [
            (ckd("3390"), 180, [(1, 2), (5, 5)]),
            (ckd("3380"), 150, [(1, 2), (5, 5)]),
            (ckd("3350"), 120, [(1, 2), (5, 5)]),
            (fixed, 1, [(10, 59), (100, 163)]),
        ] {
            let pages = Pages::new(volume.clone(), areas(&places)).unwrap();
            let units: u32 = places.iter().map(|(first, last)| last - first + 1).sum();
            assert_eq!((pages.per_unit(), pages.slots()), (per_unit, units * per_unit));
            // Runs that begin and end anywhere, over tracks and areas, written twice.
            for (round, step) in [(0, 7), (1, 41)] {
                for slot in (0..pages.slots()).step_by(step) {
                    let count = step.min((pages.slots() - slot) as usize);
                    pages.write(slot, &fill(slot, count, round)).unwrap();
                }
            }
            let mut back = vec![0; pages.slots() as usize * PAGE];
            pages.read(0, &mut back).unwrap();
            assert!(back == fill(0, pages.slots() as usize, 1));
            for slot in [0, 5, pages.slots() - 1] {
                let mut page = [0; PAGE];
                pages.read(slot, &mut page).unwrap();
                assert_eq!(page[..], fill(slot, 1, 1));
            }
            assert_eq!(pages.write(pages.slots(), &[0; PAGE]), Err(MediaError::Outside));
            assert_eq!(pages.read(pages.slots() - 1, &mut [0; 2 * PAGE]), Err(MediaError::Outside));
            match volume.kind() {
                Kind::Ckd { heads, .. } => {
                    for cylinder in [0, 3, 4, 6, 7, 8] {
                        for head in 0..heads {
                            assert_eq!(volume.read_track(cylinder * heads + head).unwrap().records().count(), 1);
                        }
                    }
                    assert!(pages.describe(pages.slots() - 1).starts_with("cylinder 5 head "));
                }
                Kind::Fba { .. } => {
                    for (block, count) in [(0, 80), (480, 320), (1312, 688)] {
                        let mut bytes = vec![1; count * Kind::BLOCK];
                        volume.read_blocks(block, &mut bytes).unwrap();
                        assert!(bytes.iter().all(|&byte| byte == 0), "block {block}");
                    }
                    assert_eq!(pages.describe(50), "block 800");
                }
            }
        }
        assert!(Pages::new(ckd("3390"), areas(&[(5, 9)])).is_none());
    }

    #[test]
    fn a_track_with_other_records_becomes_page_space_when_it_is_written() {
        let volume = Arc::new(Memory::ckd(CkdModel::named("3390").unwrap(), 3));
        let minidisk = Arc::new(Extent::new(volume.clone(), 1, 1, false).unwrap());
        crate::Blocks::new(minidisk, 1024).unwrap().format(&mut |_, _| true).unwrap();
        let pages = Pages::new(volume.clone(), areas(&[(1, 1)])).unwrap();
        assert!(matches!(pages.read(3, &mut [0; PAGE]), Err(MediaError::Damaged(_))));
        pages.write(3, &[7; PAGE]).unwrap();
        let mut back = [1; 2 * PAGE];
        pages.read(2, &mut back).unwrap();
        assert!(back[..PAGE] == [0; PAGE] && back[PAGE..] == [7; PAGE]);
        let mut told = 0;
        let mut look = |done: u64, of: u64| {
            told = done;
            done < of
        };
        assert_eq!(pages.format(&mut look), Ok(false));
        assert_eq!(told, 180);
        let track = volume.read_track(15).unwrap();
        assert!(track.records().skip(1).all(|record| record.count.cylinder == 1 && record.data == [0; PAGE]));
    }

    #[test]
    fn slots_of_files_come_back_however_many_are_read_at_once() {
        let folder = support::folder::Folder::empty("pages");
        let packed = crate::Format::Compressed { wide: false, method: crate::Method::Zlib };
        for (name, format) in [("plain", crate::Format::Plain), ("packed", packed)] {
            let path = folder.path(name);
            let kind = Kind::of_model(CkdModel::named("3390").unwrap(), 20);
            crate::create(&path, kind, format).unwrap();
            let volume: Arc<dyn Volume> = crate::open(&path).unwrap();
            let pages = Pages::new(volume, areas(&[(1, 9), (15, 19)])).unwrap();
            for slot in (0..pages.slots()).step_by(63) {
                pages.write(slot, &fill(slot, 63, 0)).unwrap();
            }
            for count in [1, 2, 4, 7, 13, 64] {
                for slot in (0..pages.slots() - 64).step_by(97) {
                    let mut back = vec![0; count * PAGE];
                    pages.read(slot, &mut back).unwrap();
                    assert!(back == fill(slot, count, 0), "{name}: {count} from {slot}");
                    pages.write(slot, &fill(slot, count, 3)).unwrap();
                    pages.read(slot, &mut back).unwrap();
                    assert!(back == fill(slot, count, 3), "{name}: {count} from {slot}");
                    pages.write(slot, &fill(slot, count, 0)).unwrap();
                }
            }
        }
    }
}
