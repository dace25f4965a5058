//! A track of a count-key-data volume: its home address and its records, in the order in which they pass the head.

use arch::dasd::Cchh;
use base::layout::U16;
use std::fmt;
use std::sync::Arc;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned, transmute};

/// The home address, with which a track begins.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct HomeAddress {
    flags: u8,
    place: Cchh,
}
const _: () = assert!(size_of::<HomeAddress>() == HOME_ADDRESS);

/// A count area as it lies on a track: [`Count`].
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct CountArea {
    place: Cchh,
    record: u8,
    key: u8,
    data: U16,
}
const _: () = assert!(size_of::<CountArea>() == Count::LEN);

/// The count area of a record (IBM 3990 Reference, "Track format"): where the record says it is, and how long it is.
///
/// A record's cylinder, head and number are data: usually those of the track, but software writes what it likes. On a
/// minidisk the cylinder in the count is the minidisk's, not the volume's.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Count {
    /// CC, the cylinder in the count.
    pub cylinder: u16,
    /// HH, the head in the count.
    pub head: u16,
    /// R, the record's number.
    pub record: u8,
    /// Bytes of the key area; 0: there is none.
    pub key: u8,
    /// Bytes of the data area; 0: the record is an end-of-file mark.
    pub data: u16,
}

impl Count {
    /// Bytes of a count area.
    pub const LEN: usize = 8;

    /// The count area that these bytes are.
    pub fn decode(bytes: [u8; 8]) -> Count {
        let CountArea { place, record, key, data } = transmute!(bytes);
        let (cylinder, head) = place.get();
        Count { cylinder, head, record, key, data: data.get() }
    }

    /// The eight bytes of the count area.
    pub fn encode(&self) -> [u8; 8] {
        let Count { cylinder, head, record, key, data } = *self;
        transmute!(CountArea { place: Cchh::new(cylinder, head), record, key, data: data.into() })
    }
}

impl fmt::Debug for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04X}{:04X}{:02X} K{:02X} D{:04X}", self.cylinder, self.head, self.record, self.key, self.data)
    }
}

/// One record as it lies on a track.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record<'a> {
    /// Its count area.
    pub count: Count,
    /// The bytes of its key area.
    pub key: &'a [u8],
    /// The bytes of its data area.
    pub data: &'a [u8],
    /// Where the count area begins in [`Track::image`]. The key follows it, and the data the key.
    pub at: usize,
}

/// How much of an image is the track, the end mark included; `None` if it is torn.
pub(crate) fn used(image: &[u8]) -> Option<usize> {
    let mut at = HOME_ADDRESS;
    let mut records = 0;
    loop {
        let count: [u8; 8] = image.get(at..at + 8)?.try_into().ok()?;
        if count == END {
            break;
        }
        let count = Count::decode(count);
        at += Count::LEN + usize::from(count.key) + usize::from(count.data);
        records += 1;
    }
    (records > 0 && image[0] == 0).then_some(at + END.len())
}

/// A track: the 5-byte home address (a zero byte, cylinder, head), record 0, further records, and 8 bytes of X'FF'
/// after the last. This is how the field's image formats keep it, so that most tracks go to the host's file unchanged.
///
/// A clone costs nothing until one of the two is changed. An update of one record copies the track once, however many
/// functions pass it on.
#[derive(Clone, PartialEq, Eq)]
pub struct Track {
    image: Arc<Vec<u8>>,
}

/// What follows the last record.
pub const END: [u8; 8] = [0xFF; 8];
/// Bytes of the home address.
pub const HOME_ADDRESS: usize = 5;

impl Track {
    /// A track with record 0 (8 bytes of zeros) and nothing else.
    pub fn new(cylinder: u16, head: u16) -> Track {
        let mut image = Vec::with_capacity(64);
        image.extend_from_slice(HomeAddress { flags: 0, place: Cchh::new(cylinder, head) }.as_bytes());
        image.extend_from_slice(&END);
        let mut track = Track { image: Arc::new(image) };
        track.append(Count { cylinder, head, record: 0, key: 0, data: 8 }, &[], &[0; 8]);
        track
    }

    /// A track from its image, of which everything after the end mark is ignored; `None` if the image is torn: too
    /// short for a home address and record 0, or a record runs beyond its end, or there is no end mark.
    pub fn from_image(mut image: Vec<u8>) -> Option<Track> {
        image.truncate(used(&image)?);
        Some(Track { image: Arc::new(image) })
    }

    /// The bytes of the track, from the home address to the end mark.
    pub fn image(&self) -> &[u8] {
        &self.image
    }

    /// Cylinder and head in the home address.
    pub fn home(&self) -> (u16, u16) {
        let (home, _) = HomeAddress::ref_from_prefix(&self.image).expect("a track begins with it");
        home.place.get()
    }

    /// Changes the home address: the same track as part of another volume.
    pub fn set_home(&mut self, cylinder: u16, head: u16) {
        if self.home() != (cylinder, head) {
            let image = Arc::make_mut(&mut self.image);
            let (home, _) = HomeAddress::mut_from_prefix(image).expect("a track begins with it");
            home.place = Cchh::new(cylinder, head);
        }
    }

    /// The record that has its count area at `at`; `None` at the end mark.
    pub fn record_at(&self, at: usize) -> Option<Record<'_>> {
        let count: [u8; 8] = self.image.get(at..at + Count::LEN)?.try_into().ok()?;
        if count == END {
            return None;
        }
        let count = Count::decode(count);
        let key = at + Count::LEN;
        let data = key + usize::from(count.key);
        let end = data + usize::from(count.data);
        Some(Record { count, key: &self.image[key..data], data: &self.image[data..end], at })
    }

    /// The records in their order, record 0 first.
    pub fn records(&self) -> impl Iterator<Item = Record<'_>> {
        let mut at = HOME_ADDRESS;
        std::iter::from_fn(move || {
            let record = self.record_at(at)?;
            at = record.end();
            Some(record)
        })
    }

    /// Writes over the key and data areas of the record at `at`, as far as `key` and `data` reach.
    pub fn update(&mut self, at: usize, key: Option<&[u8]>, data: Option<&[u8]>) {
        let Some(record) = self.record_at(at) else { return };
        let (key_at, data_at) = (at + Count::LEN, at + Count::LEN + record.key.len());
        let (key_len, data_len) = (record.key.len(), record.data.len());
        let image = Arc::make_mut(&mut self.image);
        if let Some(key) = key {
            let n = key.len().min(key_len);
            image[key_at..key_at + n].copy_from_slice(&key[..n]);
        }
        if let Some(data) = data {
            let n = data.len().min(data_len);
            image[data_at..data_at + n].copy_from_slice(&data[..n]);
        }
    }

    /// Format write: everything from `at` (the end of some record) on is erased, and this record stands there.
    pub fn format(&mut self, at: usize, count: Count, key: &[u8], data: &[u8]) {
        self.erase(at);
        self.append(count, key, data);
    }

    /// Erases everything from `at` (the end of some record) on.
    pub fn erase(&mut self, at: usize) {
        let image = Arc::make_mut(&mut self.image);
        image.truncate(at);
        image.extend_from_slice(&END);
    }

    fn append(&mut self, count: Count, key: &[u8], data: &[u8]) {
        assert!(key.len() == count.key.into() && data.len() == count.data.into(), "the count tells the lengths");
        let image = Arc::make_mut(&mut self.image);
        image.truncate(image.len() - END.len());
        image.extend_from_slice(&count.encode());
        image.extend_from_slice(key);
        image.extend_from_slice(data);
        image.extend_from_slice(&END);
    }
}

impl Record<'_> {
    /// Where the next record begins.
    pub fn end(&self) -> usize {
        self.at + Count::LEN + self.key.len() + self.data.len()
    }
}

impl fmt::Debug for Track {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (cylinder, head) = self.home();
        write!(f, "Track {cylinder:04X}{head:04X} ")?;
        f.debug_list().entries(self.records().map(|record| record.count)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(record: u8, key: u8, data: u16) -> Count {
        Count { cylinder: 7, head: 3, record, key, data }
    }

    #[test]
    fn records_follow_one_another() {
        let mut track = Track::new(7, 3);
        let end = track.records().last().expect("record 0").end();
        track.format(end, count(1, 4, 24), b"VOL1", &[1; 24]);
        let end = track.records().last().expect("record 1").end();
        track.format(end, count(2, 0, 0), &[], &[]);
        let found: Vec<u8> = track.records().map(|record| record.count.record).collect();
        assert_eq!(found, [0, 1, 2]);
        let first = track.records().nth(1).expect("record 1");
        assert_eq!((first.key, first.data), (&b"VOL1"[..], &[1; 24][..]));
        assert_eq!(Track::from_image(track.image().to_vec()), Some(track.clone()));

        let at = first.at;
        track.update(at, Some(b"VOL2"), Some(&[2; 30]));
        let first = track.record_at(at).expect("record 1");
        assert_eq!((first.key, first.data), (&b"VOL2"[..], &[2; 24][..]));
        // A format write takes what follows with it.
        track.format(at, count(9, 0, 1), &[], &[5]);
        assert_eq!(track.records().map(|record| record.count.record).collect::<Vec<u8>>(), [0, 9]);
    }

    #[test]
    fn a_torn_image_is_told_from_a_track() {
        let whole = Track::new(0, 0).image().to_vec();
        assert!(Track::from_image([&whole[..], &[0; 100]].concat()).is_some());
        assert!(Track::from_image(whole[..whole.len() - 1].to_vec()).is_none());
        assert!(Track::from_image(vec![0; 5]).is_none());
        assert!(Track::from_image([&[1], &whole[1..]].concat()).is_none());
        assert!(Track::from_image([&[0; 5][..], &END].concat()).is_none());
    }
}
