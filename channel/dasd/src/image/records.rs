//! Records that are read and written without their tracks, in the [places](super::places) that are remembered of them.

use super::ahead;
use super::files::Files;
use super::layer::Layer;
use crate::error::MediaError;
use crate::model::Kind;
use crate::model::track::Track;
use crate::volume::Spot;
use std::sync::Arc;

impl Files {
    /// What the records of a track are like now.
    pub(super) fn learn(&self, stack: &[Layer], unit: u32, track: &Track) {
        if let [Layer::Ckd(_)] = stack {
            self.recent().places.learn(unit, track);
        }
    }

    pub(super) fn place(self: &Arc<Files>, unit: u32, id: [u8; 5]) -> Option<Spot> {
        let Kind::Ckd { heads, .. } = self.kind else { return None };
        let mut recent = self.recent();
        let spot = recent.places.find(unit, id)?;
        if recent.has(unit) || recent.places.wanted(unit) {
            return None;
        }
        let wish = recent.habits.read(unit, true, self.kind.tracks(), heads);
        drop(recent);
        if let Some(wish) = wish.filter(|_| self.ahead) {
            ahead::ask(self, wish);
        }
        Some(spot)
    }

    /// Count area and data of so many records that follow each other.
    pub(super) fn read_places(&self, unit: u32, spot: Spot, many: usize) -> Result<Option<Vec<u8>>, MediaError> {
        // Held until it is read, so that no write comes between.
        let stack = self.shared();
        let [Layer::Ckd(ckd)] = stack.as_slice() else { return Ok(None) };
        let known = {
            let recent = self.recent();
            (0..many).all(|n| recent.places.has(unit, spot.after(n)))
        };
        if known { ckd.read_records(unit, spot, many) } else { Ok(None) }
    }

    pub(super) fn write_place(&self, unit: u32, spot: Spot, data: &[u8]) -> Result<bool, MediaError> {
        self.may_write()?;
        let mut stack = self.alone();
        let [Layer::Ckd(ckd)] = stack.as_mut_slice() else { return Ok(false) };
        {
            let recent = self.recent();
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
    use crate::{Count, Format, Image, Kind, Method, Track, Volume, create};
    use support::folder::Folder;

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
        let folder = Folder::empty("places");
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
        assert_eq!(image.spot(17, id(17, 4)), None, "wanted again, the track is read whole");
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
        assert_eq!(image.spot(20, id(20, 3)), None, "wanted again, the track is read whole");
        assert_eq!(image.spot(20, id(20, 3)).unwrap().count.data, 2000);
        drop(image);
        let image = Image::open(&path, Options { read_only: true, ..Options::default() }).unwrap();
        assert_eq!(image.read_track(17).unwrap().records().nth(3).unwrap().data, [2; 4096]);
        assert_eq!(*image.read_track(20).unwrap(), with_records(20, 2000, 4));
    }

    #[test]
    fn compressed_files_and_snapshots_have_whole_tracks() {
        let folder = Folder::empty("places-snapshot");
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
