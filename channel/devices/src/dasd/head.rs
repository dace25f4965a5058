//! The access mechanism: which track is under the head, and which part of it has just passed.
//!
//! A [`Head`] gives commands the image of the current track, reads it when it is first needed and writes it back when
//! it has changed. Every access goes through [`Head::image`], which knows the extent: no command reaches a track
//! outside.

use super::cache::{Cache, Usage};
use super::sense::Fault;
use super::timing::{Access, Found, Timing};
use super::{Options, Trouble};
use arch::dasd::Cchh;
use dasd::model::track::HOME_ADDRESS;
use dasd::{Count, Kind, MediaError, Record, Spot, Track, Volume};
use std::sync::Arc;

/// What has just passed the head. Records are named by where their count area begins in the track's image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    Index,
    Home,
    Count(usize),
    Key(usize),
    Data(usize),
}

/// A range of tracks, the last one included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Extent {
    pub first: u32,
    pub last: u32,
}

impl Extent {
    pub(super) fn has(&self, track: u32) -> bool {
        (self.first..=self.last).contains(&track)
    }
}

struct Held {
    track: u32,
    base: Arc<Track>,
    /// The track as commands have changed it.
    new: Option<Track>,
    /// Records were written or erased, not only updated.
    formatted: bool,
    /// It came out of storage, without the control unit.
    held: bool,
}

/// A record that is used without its track.
struct Single {
    track: u32,
    spot: Spot,
    used: bool,
    /// Its data as commands have written it.
    new: Option<Vec<u8>>,
}

pub(super) struct Head {
    volume: Arc<dyn Volume>,
    trouble: Option<Trouble>,
    kind: Kind,
    heads: u32,
    tracks: u32,
    /// Tracks that may be reached; `None`: all.
    pub extent: Option<Extent>,
    /// The control unit's cache, which hears what was used, and how it is to be used: as DEFINE EXTENT says, or as
    /// always.
    cache: Option<(Arc<Cache>, u8)>,
    usage: Usage,
    bypass: bool,
    first_track: u32,
    pub track: u32,
    pub place: Place,
    /// What is read next is to be changed, so that no cache need keep it.
    pub to_change: bool,
    held: Option<Held>,
    /// Then no track is held.
    single: Option<Single>,
    /// The device takes its time: what was transferred of the track in hand, from where on it, and what the channel
    /// program has used so far.
    timed: Option<Arc<Timing>>,
    moved: (u32, u32),
    accesses: Vec<Access>,
}

impl Head {
    pub(super) fn new(volume: Arc<dyn Volume>, options: &Options) -> Head {
        let kind = volume.kind();
        let (heads, tracks) = match kind {
            Kind::Ckd { cylinders, heads, .. } => (heads.max(1), cylinders.saturating_mul(heads.max(1))),
            Kind::Fba { .. } => (1, 0),
        };
        Head {
            volume,
            kind,
            trouble: options.trouble.clone(),
            heads,
            tracks,
            extent: None,
            cache: options.cache.clone().map(|cache| (cache, options.unit)),
            usage: Usage::default(),
            bypass: options.bypass_cache,
            first_track: options.first as u32,
            track: 0,
            place: Place::Index,
            to_change: false,
            held: None,
            single: None,
            timed: options.timing.as_ref().map(|timed| timed.device.clone()),
            moved: (0, 0),
            accesses: Vec::new(),
        }
    }

    pub(super) fn read_only(&self) -> bool {
        self.volume.read_only()
    }

    pub(super) fn cylinder(&self) -> u32 {
        self.track / self.heads
    }

    pub(super) fn head(&self) -> u32 {
        self.track % self.heads
    }

    /// The track of an address; `None` if the device has no such track.
    pub(super) fn address(&self, cchh: Cchh) -> Option<u32> {
        self.kind.track_at(cchh)
    }

    /// The track of another head at the same cylinder; `None` if the device has no such head.
    pub(super) fn at_head(&self, head: u16) -> Option<u32> {
        let (_, head) = Cchh::new(0, head).place(self.kind.wide());
        (head < self.heads).then_some(self.track - self.head() + head)
    }

    /// The address of the current track, as home addresses have it.
    pub(super) fn home(&self) -> Cchh {
        Cchh::of(self.cylinder(), self.head())
    }

    /// Whether the extent lets a program reach a track.
    pub(super) fn may(&self, track: u32) -> bool {
        track < self.tracks && self.extent.is_none_or(|extent| extent.has(track))
    }

    /// Goes to the beginning of a track.
    pub(super) fn seek(&mut self, track: u32) -> Result<(), Fault> {
        if !self.may(track) {
            return Err(Fault::FileProtected);
        }
        (self.track, self.place) = (track, Place::Index);
        Ok(())
    }

    /// A new channel program: others may have written since.
    pub(super) fn forget(&mut self) {
        (self.held, self.single) = (None, None);
        self.accesses.clear();
        self.to_change = false;
        self.extent = None;
        self.use_cache(Usage::default());
    }

    /// How DEFINE EXTENT wants the cache to be used.
    pub(super) fn use_cache(&mut self, usage: Usage) {
        self.usage = if self.bypass { Usage::BYPASS } else { usage };
    }

    /// The current track.
    pub(super) fn image(&mut self) -> Result<&Track, Fault> {
        self.hold()?;
        let held = self.held.as_ref().expect("hold has read it");
        Ok(held.new.as_ref().unwrap_or(&held.base))
    }

    fn holds(&self) -> bool {
        self.held.as_ref().is_some_and(|held| held.track == self.track)
    }

    fn hold(&mut self) -> Result<(), Fault> {
        if self.holds() {
            return Ok(());
        }
        let found = self.single.as_ref().filter(|single| single.track == self.track).map(|single| single.spot);
        self.flush()?;
        if !self.may(self.track) {
            return Err(Fault::FileProtected);
        }
        let held = (self.cache.is_some() || self.timed.is_some()) && self.volume.holds(self.track);
        self.moved = (0, 0);
        let read = match self.to_change {
            true => self.volume.read_track_to_update(self.track),
            false => self.volume.read_track(self.track),
        };
        let base = read.map_err(|error| self.failed(self.track, &error))?;
        // A search that found a record before the track was read goes on at that record, if it is still there.
        let there =
            found.is_none_or(|spot| base.records().any(|record| (record.at, record.count) == (spot.at, spot.count)));
        self.held = Some(Held { track: self.track, base, new: None, formatted: false, held });
        if !there {
            self.place = Place::Index;
            return Err(Fault::NoRecordFound);
        }
        Ok(())
    }

    /// Where the record of this ID begins on the current track; `alone` if nothing else of the track will be wanted, as
    /// far as one can tell, if the record has at least so many bytes of data.
    pub(super) fn find(&mut self, id: [u8; 5], alone: Option<u16>) -> Result<Option<usize>, Fault> {
        if let Some(least) = alone
            && !self.holds()
            && self.may(self.track)
        {
            self.flush()?;
            if let Some(spot) = self.volume.spot(self.track, id).filter(|spot| spot.count.data >= least) {
                self.moved = (0, 0);
                self.single = Some(Single { track: self.track, spot, used: false, new: None });
                return Ok(Some(spot.at));
            }
        }
        Ok(self.image()?.records().find(|record| record.count.encode()[..5] == id).map(|record| record.at))
    }

    fn single(&mut self, at: usize) -> Option<&mut Single> {
        let track = self.track;
        self.single.as_mut().filter(|single| (single.track, single.spot.at) == (track, at))
    }

    /// The count area of the record at `at`.
    pub(super) fn count(&mut self, at: usize) -> Result<Count, Fault> {
        match self.single(at) {
            Some(single) => Ok(single.spot.count),
            None => Ok(self.record(at)?.count),
        }
    }

    /// How many bytes of data the record at `at` has, if it may be used without its track.
    pub(super) fn length_alone(&mut self, at: usize) -> Option<usize> {
        self.single(at).map(|single| single.spot.count.data.into())
    }

    /// Count area and data of the record at `at`, if they are to be had without the track.
    pub(super) fn read_alone(&mut self, at: usize) -> Result<Option<Vec<u8>>, Fault> {
        let Some(single) = self.single(at).filter(|single| single.new.is_none()) else { return Ok(None) };
        let (track, spot) = (single.track, single.spot);
        match self.volume.read_spot(track, spot) {
            Ok(found) => {
                self.single(at).expect("it is still there").used |= found.is_some();
                Ok(found)
            }
            Err(error) => Err(self.failed(track, &error)),
        }
    }

    /// Writes all data of the record at `at`; false if that needs the track.
    pub(super) fn write_alone(&mut self, at: usize, data: &[u8]) -> bool {
        let Some(single) = self.single(at).filter(|single| usize::from(single.spot.count.data) == data.len()) else {
            return false;
        };
        (single.used, single.new) = (true, Some(data.to_vec()));
        true
    }

    fn flush_single(&mut self, single: Single) -> Result<(), Fault> {
        let Single { track, spot, used, new } = single;
        if used {
            self.account(track, new.is_some());
        }
        let Some(new) = new else { return Ok(()) };
        let written = self.volume.write_spot(track, spot, &new).and_then(|written| match written {
            true => Ok(()),
            false => self.volume.update_track(track, &mut |now| {
                let there = now.records().any(|record| (record.at, record.count) == (spot.at, spot.count));
                if there {
                    now.update(spot.at, None, Some(&new));
                }
                there
            }),
        });
        written.map_err(|error| self.failed(track, &error))
    }

    /// The control unit has used a track.
    fn account(&mut self, track: u32, wrote: bool) {
        let place = self.first_track + track;
        let found = match &self.cache {
            Some((cache, unit)) => cache.used(*unit, place, wrote, self.usage),
            None => Found::Disk { stage: false },
        };
        if self.timed.as_ref().is_some_and(|timing| timing.is_on()) {
            let (at, bytes) = self.moved;
            self.accesses.push(Access { track: place, at, bytes, found });
        }
    }

    /// The current track, to be changed; `format` if its records are not to stay where they are.
    pub(super) fn change(&mut self, format: bool) -> Result<&mut Track, Fault> {
        self.hold()?;
        let held = self.held.as_mut().expect("hold has read it");
        held.formatted |= format;
        Ok(held.new.get_or_insert_with(|| Track::clone(&held.base)))
    }

    /// Lets go of the track in hand, and writes it back if it has changed.
    pub(super) fn flush(&mut self) -> Result<(), Fault> {
        if let Some(single) = self.single.take() {
            self.flush_single(single)?;
        }
        let Some(Held { track, base, new, formatted, held }) = self.held.take() else { return Ok(()) };
        if !(held && new.is_none()) {
            self.account(track, new.is_some());
        }
        let Some(mut new) = new else { return Ok(()) };
        // Another device of this volume may have changed other records of the track since it was read.
        let written = match formatted {
            true => self.volume.write_track(track, &new),
            false => self.volume.update_track(track, &mut |now| {
                match *now == *base {
                    true => std::mem::swap(now, &mut new),
                    false => *now = merged(&base, &new, now),
                }
                true
            }),
        };
        written.map_err(|error| self.failed(track, &error))
    }

    /// So many bytes of the track in hand go over, from `at` on.
    pub(super) fn transfer(&mut self, at: usize, bytes: usize) {
        if self.moved.1 == 0 {
            self.moved.0 = at as u32;
        }
        self.moved.1 += bytes as u32;
    }

    /// What the channel program has used, but for the track in hand.
    pub(super) fn accesses(&mut self) -> &mut Vec<Access> {
        &mut self.accesses
    }

    fn failed(&self, track: u32, error: &MediaError) -> Fault {
        if let Some(trouble) = &self.trouble {
            trouble(u64::from(track), error);
        }
        Fault::from(error)
    }

    /// The record at `at` in the image, which has one there.
    pub(super) fn record(&mut self, at: usize) -> Result<Record<'_>, Fault> {
        self.image()?.record_at(at).ok_or(Fault::InvalidTrackFormat)
    }

    /// Where the next record begins that passes the head before the index does, record 0 included.
    pub(super) fn following(&mut self) -> Result<Option<usize>, Fault> {
        let place = self.place;
        let image = self.image()?;
        let at = match place {
            Place::Index | Place::Home => HOME_ADDRESS,
            Place::Count(at) | Place::Key(at) | Place::Data(at) => match image.record_at(at) {
                Some(record) => record.end(),
                None => return Ok(None),
            },
        };
        Ok(image.record_at(at).map(|_| at))
    }

    /// Where the record that just passed ends: a format write goes there. Before record 0 it is the end of record 0.
    pub(super) fn behind(&mut self) -> Result<usize, Fault> {
        let at = match self.place {
            Place::Index | Place::Home => HOME_ADDRESS,
            Place::Count(at) | Place::Key(at) | Place::Data(at) => at,
        };
        Ok(self.record(at)?.end())
    }

    /// Goes on with the next head. `within` keeps to the cylinder.
    pub(super) fn advance(&mut self, within: bool) -> Result<(), Fault> {
        if within && self.head() + 1 == self.heads || self.track + 1 >= self.tracks {
            return Err(Fault::EndOfCylinder);
        }
        self.seek(self.track + 1)
    }
}

/// `now` with the updates that made `new` of `base`, as far as the records are still there.
fn merged(base: &Track, new: &Track, now: &Track) -> Track {
    let mut track = now.clone();
    for record in new.records() {
        let old = base.record_at(record.at);
        let changed = old.is_none_or(|old| old != record);
        if changed && now.record_at(record.at).is_some_and(|there| there.count == record.count) {
            track.update(record.at, Some(record.key), Some(record.data));
        }
    }
    track
}
