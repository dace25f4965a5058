//! Where the records of tracks lie, remembered of tracks that were read or written once. One record of such a track is
//! then read and written alone, for a tenth of what the track costs.
//!
//! No other program writes the file, so what is remembered stays true until the track is written anew; the record's
//! count area is compared all the same. Most tracks of a disk are formatted alike: a few shapes are kept, and for a
//! track which it is and what cylinder and head its count areas name. Only plain files without a snapshot are used so.
//! A track that is wanted again soon is read whole, and kept among the recent tracks.

use super::{HELD, Image, ahead};
use crate::image::layer::Layer;
use crate::{Count, Kind, MediaError, Spot, Track};
use std::collections::{HashMap, VecDeque};

/// Shapes, and tracks, that are remembered.
const SHAPES: usize = 8;
const TRACKS: usize = 1 << 15;
/// Tracks of which a record was wanted last.
const LATELY: usize = 16;

#[derive(Default)]
pub(super) struct Places {
    /// Where the records lie, each with what is left of its count area without cylinder and head.
    shapes: Vec<Vec<Spot>>,
    /// Cylinder and head in the count areas of a track, and its shape.
    known: HashMap<u32, (u16, u16, u8)>,
    lately: VecDeque<u32>,
}

impl Places {
    /// The track is like this now.
    pub fn learn(&mut self, unit: u32, track: &Track) {
        let named = |count: &Count| (count.cylinder, count.head);
        let spots = || {
            let apart = |count| Count { cylinder: 0, head: 0, ..count };
            track.records().map(move |record| Spot { at: record.at, count: apart(record.count) })
        };
        let first = track.records().next().map(|record| named(&record.count));
        let Some(home) = first.filter(|first| track.records().all(|record| named(&record.count) == *first)) else {
            return self.forget(unit);
        };
        let mut shape = self.shapes.iter().position(|shape| spots().eq(shape.iter().copied()));
        if shape.is_none() && self.shapes.len() < SHAPES {
            self.shapes.push(spots().collect());
            shape = Some(self.shapes.len() - 1);
        }
        match shape {
            Some(shape) if self.known.len() < TRACKS || self.known.contains_key(&unit) => {
                self.known.insert(unit, (home.0, home.1, shape as u8));
            }
            _ => self.forget(unit),
        }
    }

    pub fn forget(&mut self, unit: u32) {
        self.known.remove(&unit);
    }

    fn find(&self, unit: u32, id: [u8; 5]) -> Option<Spot> {
        let &(cylinder, head, shape) = self.known.get(&unit)?;
        let spot = self.shapes[usize::from(shape)].iter().find(|spot| spot.count.record == id[4])?;
        let spot = Spot { count: Count { cylinder, head, ..spot.count }, ..*spot };
        (spot.count.encode()[..5] == id && spot.count.key == 0 && spot.count.data > 0).then_some(spot)
    }

    fn has(&self, unit: u32, spot: Spot) -> bool {
        let [c1, c2, h1, h2, record, ..] = spot.count.encode();
        self.find(unit, [c1, c2, h1, h2, record]) == Some(spot)
    }

    /// Whether a record of the track was wanted lately; now one is.
    fn wanted(&mut self, unit: u32) -> bool {
        if let Some(at) = self.lately.iter().position(|&lately| lately == unit) {
            self.lately.remove(at);
            return true;
        }
        self.lately.truncate(LATELY - 1);
        self.lately.push_front(unit);
        false
    }
}

impl Image {
    /// What the records of a track are like now.
    pub(super) fn learn(&self, stack: &[Layer], unit: u32, track: &Track) {
        if let [Layer::Ckd(_)] = stack {
            self.files.recent().places.learn(unit, track);
        }
    }

    pub(super) fn place(&self, unit: u32, id: [u8; 5]) -> Option<Spot> {
        let Kind::Ckd { heads, .. } = self.kind else { return None };
        let mut recent = self.files.recent();
        let spot = recent.places.find(unit, id)?;
        if recent.has(unit) || recent.places.wanted(unit) {
            return None;
        }
        let wish = recent.habits.read(unit, true, self.kind.tracks(), heads);
        drop(recent);
        if let Some(wish) = wish.filter(|_| self.files.ahead) {
            ahead::ask(&self.files, wish);
        }
        Some(spot)
    }

    pub(super) fn read_place(&self, unit: u32, spot: Spot) -> Result<Option<Vec<u8>>, MediaError> {
        // Held until it is read, so that no write comes between.
        let stack = self.shared();
        match stack.as_slice() {
            [Layer::Ckd(ckd)] if self.files.recent().places.has(unit, spot) => ckd.read_record(unit, spot),
            _ => Ok(None),
        }
    }

    pub(super) fn write_place(&self, unit: u32, spot: Spot, data: &[u8]) -> Result<bool, MediaError> {
        self.may_write()?;
        let mut stack = self.files.stack.write().expect(HELD);
        let [Layer::Ckd(ckd)] = stack.as_mut_slice() else { return Ok(false) };
        {
            let recent = self.files.recent();
            // A copy of the track in storage must get this change, too.
            if recent.has(unit) || !recent.places.has(unit, spot) {
                return Ok(false);
            }
        }
        self.note_write();
        let done = ckd.write_record(unit, spot, data);
        if done.is_err() {
            self.forget(unit);
        }
        done
    }
}

#[cfg(test)]
mod tests {
    use crate::image::{Options, open};
    use crate::model::CkdModel;
    use crate::scratch::Folder;
    use crate::{Count, Format, Image, Kind, Method, Track, Volume, create};

    fn with_records(track: u32, length: u16, fill: u8) -> Track {
        let (cylinder, head) = ((track / 15) as u16, (track % 15) as u16);
        let mut new = Track::new(cylinder, head);
        for record in 1..=10 {
            let end = new.records().last().unwrap().end();
            let count = Count { cylinder, head, record, key: 0, data: length };
            new.format(end, count, &[], &vec![fill; length.into()]);
        }
        new
    }

    fn id(track: u32, record: u8) -> [u8; 5] {
        [0, (track / 15) as u8, 0, (track % 15) as u8, record]
    }

    #[test]
    fn a_record_of_a_known_track_is_moved_alone() {
        let folder = Folder::new("places");
        let path = folder.path("a.3390");
        let kind = Kind::of_model(CkdModel::named("3390").unwrap(), 20);
        create(&path, kind, Format::Plain).unwrap();
        let image = open(&path).unwrap();
        assert_eq!(image.spot(17, id(17, 3)), None, "nothing is known of it");
        (0..300).for_each(|track| image.write_track(track, &with_records(track, 4096, 1)).unwrap());
        let spot = image.spot(17, id(17, 3)).expect("it was written long ago");
        assert_eq!(spot.count, Count { cylinder: 1, head: 2, record: 3, key: 0, data: 4096 });
        let read = image.read_spot(17, spot).unwrap().expect("it is there");
        assert_eq!((&read[..8], &read[8..]), (&spot.count.encode()[..], &[1; 4096][..]));
        assert_eq!(image.write_spot(17, spot, &[2; 4096]), Ok(true));
        assert_eq!(image.write_spot(17, spot, &[2; 4095]), Ok(false), "all of it or nothing");
        assert_eq!(image.spot(17, id(17, 4)), None, "who comes back has the track");
        let track = image.read_track(17).unwrap();
        let fills: Vec<u8> = track.records().skip(1).map(|record| record.data[4095]).collect();
        assert_eq!(fills, [1, 1, 2, 1, 1, 1, 1, 1, 1, 1]);
        assert_eq!(image.write_spot(17, spot, &[3; 4096]), Ok(false), "the track is in storage");
        assert_eq!(image.spot(18, id(18, 11)), None, "there is none such");
        assert_eq!(image.spot(18, id(17, 1)), None, "it is not on this track");
        // The track is formatted otherwise: the old record is not found.
        let spot = image.spot(20, id(20, 3)).unwrap();
        image.write_track(20, &with_records(20, 2000, 4)).unwrap();
        (100..200).for_each(|track| drop(image.read_track(track).unwrap()));
        assert_eq!((image.read_spot(20, spot), image.write_spot(20, spot, &[5; 4096])), (Ok(None), Ok(false)));
        assert_eq!(image.spot(20, id(20, 3)), None, "who comes back has the track");
        assert_eq!(image.spot(20, id(20, 3)).unwrap().count.data, 2000);
        drop(image);
        let image = Image::open(&path, Options { read_only: true, ..Options::default() }).unwrap();
        assert_eq!(image.read_track(17).unwrap().records().nth(3).unwrap().data, [2; 4096]);
        assert_eq!(*image.read_track(20).unwrap(), with_records(20, 2000, 4));
    }

    #[test]
    fn compressed_files_and_snapshots_have_whole_tracks() {
        let folder = Folder::new("places-snapshot");
        let kind = Kind::of_model(CkdModel::named("3390").unwrap(), 20);
        let write = |image: &dyn Volume| {
            (0..300).for_each(|track| image.write_track(track, &with_records(track, 4096, 1)).unwrap());
        };
        let packed = folder.path("packed.3390");
        create(&packed, kind, Format::Compressed { wide: true, method: Method::Zlib }).unwrap();
        let image = open(&packed).unwrap();
        write(&*image);
        assert_eq!(image.spot(17, id(17, 3)), None);
        let plain = folder.path("plain.3390");
        create(&plain, kind, Format::Plain).unwrap();
        let image = open(&plain).unwrap();
        write(&*image);
        let spot = image.spot(17, id(17, 3)).unwrap();
        image.snapshot().unwrap();
        assert_eq!((image.read_spot(17, spot), image.write_spot(17, spot, &[5; 4096])), (Ok(None), Ok(false)));
        write(&*image);
        assert_eq!(image.spot(17, id(17, 3)), None);
    }
}
