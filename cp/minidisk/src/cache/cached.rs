//! A minidisk through the cache: what its reads and writes find there, bring in and change, and what is counted.

use super::{Cache, Content, Counters, DeviceCache, DeviceMode, DiskCache, GROUP, Key, LONGEST_RECORD, UserCache};
use dasd::{Change, Kind, MediaError, Spot, Track, Volume};
use devices::dasd::Reservation;
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A minidisk as one user's link reaches it: its extent, through the cache.
pub struct Cached {
    /// The minidisk without the cache.
    pub extent: Arc<dyn Volume>,
    /// The volume's number of the extent's first track or block.
    pub first: u64,
    /// The cache of the whole system.
    pub cache: Arc<Cache>,
    /// The real device, as the cache knows it.
    pub device: Arc<DeviceCache>,
    /// The minidisk, as the cache knows it.
    pub disk: Arc<DiskCache>,
    /// The user, as the cache knows it.
    pub user: Arc<UserCache>,
    /// The minidisk's reservation: once it was used, the minidisk is cached no longer.
    pub reservation: Arc<Reservation>,
}

impl Cached {
    /// Whether reads and writes go through the cache now.
    pub fn eligible(&self) -> bool {
        let wanted = match self.device.mode() {
            DeviceMode::Off => false,
            DeviceMode::DefaultOn => self.disk.wish() != Some(false),
            DeviceMode::DefaultOff => self.disk.wish() == Some(true),
        };
        if !wanted || !self.cache.is_on() {
            return false;
        }
        if self.reservation.was_reserved() {
            self.disk.dropped.store(true, Relaxed);
        }
        !self.disk.dropped.load(Relaxed)
    }

    fn count(&self, which: impl Fn(&Counters) -> &AtomicU64) {
        for counters in [&self.cache.counters, &self.device.counters, &self.disk.counters, &self.user.counters] {
            which(counters).fetch_add(1, Relaxed);
        }
    }

    fn key(&self, unit: u64) -> Key {
        (self.device.id, unit)
    }

    fn may_insert(&self, bytes: u64) -> bool {
        if !self.user.insert.load(Relaxed) {
            return false;
        }
        let fair = self.cache.fair(&self.user, bytes);
        if !fair {
            self.count(|counters| &counters.refused);
        }
        fair
    }

    fn put(&self, key: Key, content: Content, ticket: Option<u64>) {
        let Some(ticket) = ticket else { return };
        if self.may_insert(content.bytes()) && self.cache.insert(key, content, ticket) {
            self.count(|counters| &counters.inserts);
        }
    }

    /// What the cache has of a track, as this minidisk sees it.
    fn cached_track(&self, key: &Key, home: (u16, u16)) -> Option<Arc<Track>> {
        let Content::Track(mut track) = self.cache.find(key)? else { return None };
        if track.home() != home {
            Arc::make_mut(&mut track).set_home(home.0, home.1);
        }
        Some(track)
    }

    fn read(&self, track: u32, stage: bool) -> Result<Arc<Track>, MediaError> {
        self.count(|counters| &counters.reads);
        if !self.eligible() {
            return self.extent.read_track(track);
        }
        let key = self.key(self.first + u64::from(track));
        let home = self.extent.kind().home(track)?;
        if let Some(found) = self.cached_track(&key, home) {
            self.count(|counters| &counters.hits);
            return Ok(found);
        }
        let ticket = if stage && !self.disk.records { self.cache.ticket(&key) } else { None };
        let found = self.extent.read_track(track)?;
        if found.records().all(|record| record.data.len() + record.key.len() <= LONGEST_RECORD) {
            self.put(key, Content::Track(found.clone()), ticket);
        }
        Ok(found)
    }

    /// A write of a track: `write` does it, told whether the cache has the track, and gives what the track is then.
    fn through<'a>(
        &self,
        track: u32,
        write: impl FnOnce(bool) -> Result<Option<Cow<'a, Track>>, MediaError>,
    ) -> Result<(), MediaError> {
        self.count(|counters| &counters.writes);
        let key = self.key(self.first + u64::from(track));
        let (ticket, before) = self.cache.begin_write(&key);
        let done = write(before.is_some());
        let (content, formatted) = match (&done, &before) {
            (Ok(Some(new)), Some(Content::Track(old))) if same_records(old, new) => {
                (Some(Content::Track(Arc::new(Track::clone(new)))), false)
            }
            (Ok(Some(_)), Some(Content::Track(_))) => (None, true),
            // Nothing was changed.
            (Ok(None), _) => (before, false),
            _ => (None, false),
        };
        if self.cache.end_write(&key, ticket, content, formatted) {
            self.count(|counters| &counters.modifications);
        }
        done.map(|_| ())
    }

    /// The blocks of a group that lie on the volume as this minidisk has them: where they begin here, and how many.
    fn group(&self, group: u64) -> Option<(u64, u64)> {
        let Kind::Fba { blocks, .. } = self.extent.kind() else { return None };
        let first = (group * GROUP).checked_sub(self.first)?;
        (first + GROUP <= blocks).then_some((first, GROUP))
    }
}

/// Whether two tracks have the same records, whatever is in them.
fn same_records(one: &Track, other: &Track) -> bool {
    one.image().len() == other.image().len() && one.records().map(|r| r.count).eq(other.records().map(|r| r.count))
}

impl Volume for Cached {
    fn kind(&self) -> Kind {
        self.extent.kind()
    }

    fn read_only(&self) -> bool {
        self.extent.read_only()
    }

    fn read_track(&self, track: u32) -> Result<Arc<Track>, MediaError> {
        self.read(track, true)
    }

    fn read_track_to_update(&self, track: u32) -> Result<Arc<Track>, MediaError> {
        self.read(track, false)
    }

    fn holds(&self, track: u32) -> bool {
        let key = self.key(self.first + u64::from(track));
        self.eligible() && matches!(self.cache.find(&key), Some(Content::Track(_)))
    }

    fn holds_blocks(&self, block: u64, bytes: usize) -> bool {
        let start = self.first.saturating_add(block);
        let end = start.saturating_add(bytes.div_ceil(Kind::BLOCK) as u64);
        let mut groups = start / GROUP..end.div_ceil(GROUP);
        // What is longer goes past the cache.
        bytes as u64 <= GROUP * Kind::BLOCK as u64
            && self.eligible()
            && groups.all(|group| self.cache.find(&self.key(group)).is_some())
    }

    fn read_record(&self, track: u32, number: u8, to: &mut [u8]) -> Result<bool, MediaError> {
        let of = |track: &Track, to: &mut [u8]| {
            let found = track.records().skip(1).find(|record| record.count.record == number);
            let found = found.filter(|record| record.key.is_empty() && record.data.len() == to.len());
            found.inspect(|record| to.copy_from_slice(record.data)).is_some()
        };
        if !self.disk.records || !self.eligible() {
            return Ok(of(&*self.read(track, true)?, to));
        }
        self.count(|counters| &counters.reads);
        let key = self.key(self.first + u64::from(track));
        match self.cache.find(&key) {
            Some(Content::Track(track)) => {
                self.count(|counters| &counters.hits);
                return Ok(of(&track, to));
            }
            Some(Content::Records(records)) => {
                if let Some(data) = records.get(&number).filter(|data| data.len() == to.len()) {
                    to.copy_from_slice(data);
                    self.count(|counters| &counters.hits);
                    return Ok(true);
                }
            }
            _ => {}
        }
        let ticket = self.cache.ticket(&key);
        let found = self.extent.read_record(track, number, to)?;
        if let Some(ticket) = ticket.filter(|_| found)
            && self.may_insert(to.len() as u64)
            && self.cache.insert_record(key, number, to, ticket)
        {
            self.count(|counters| &counters.inserts);
        }
        Ok(found)
    }

    // The cache wants whole tracks; where it is not used, records come and go alone.
    fn spot(&self, track: u32, id: [u8; 5]) -> Option<Spot> {
        if self.eligible() { None } else { self.extent.spot(track, id) }
    }

    fn read_spot(&self, track: u32, spot: Spot) -> Result<Option<Vec<u8>>, MediaError> {
        if self.eligible() {
            return Ok(None);
        }
        let found = self.extent.read_spot(track, spot)?;
        if found.is_some() {
            self.count(|counters| &counters.reads);
        }
        Ok(found)
    }

    fn write_spot(&self, track: u32, spot: Spot, data: &[u8]) -> Result<bool, MediaError> {
        if self.eligible() {
            return Ok(false);
        }
        let key = self.key(self.first + u64::from(track));
        let (ticket, before) = self.cache.begin_write(&key);
        // What another link has brought into the cache is to change, too.
        let written = if before.is_some() { Ok(false) } else { self.extent.write_spot(track, spot, data) };
        self.cache.end_write(&key, ticket, before, false);
        if written == Ok(true) {
            self.count(|counters| &counters.writes);
        }
        written
    }

    fn write_track(&self, track: u32, new: &Track) -> Result<(), MediaError> {
        self.through(track, |_| {
            self.extent.write_track(track, new)?;
            Ok(Some(Cow::Borrowed(new)))
        })
    }

    fn update_track(&self, track: u32, change: Change<'_>) -> Result<(), MediaError> {
        self.through(track, |keep| {
            let mut now = None;
            self.extent.update_track(track, &mut |found| {
                let changed = change(found);
                now = (changed && keep).then(|| Cow::Owned(found.clone()));
                changed
            })?;
            Ok(now)
        })
    }

    fn read_blocks(&self, block: u64, to: &mut [u8]) -> Result<(), MediaError> {
        self.count(|counters| &counters.reads);
        let end = block.checked_add(to.len().div_ceil(Kind::BLOCK) as u64).ok_or(MediaError::Outside)?;
        let Kind::Fba { blocks, .. } = self.extent.kind() else { return Err(MediaError::WrongKind) };
        // A read of more than a group's size gains nothing, and would push out much.
        if !self.eligible() || end > blocks || to.len() as u64 > GROUP * Kind::BLOCK as u64 {
            return self.extent.read_blocks(block, to);
        }
        let (mut at, mut done, mut missed) = (block, 0, false);
        while at < end {
            let group = (self.first + at) / GROUP;
            let length = ((end - at).min(GROUP - (self.first + at) % GROUP)) as usize * Kind::BLOCK;
            let length = length.min(to.len() - done);
            let piece = &mut to[done..done + length];
            let key = self.key(group);
            match (self.group(group), self.cache.find(&key)) {
                (_, Some(Content::Blocks(cached))) => {
                    let offset = ((self.first + at) % GROUP) as usize * Kind::BLOCK;
                    piece.copy_from_slice(&cached[offset..offset + length]);
                }
                (Some((first, count)), _) => {
                    missed = true;
                    let ticket = self.cache.ticket(&key);
                    let mut bytes = vec![0; count as usize * Kind::BLOCK];
                    self.extent.read_blocks(first, &mut bytes)?;
                    let offset = (at - first) as usize * Kind::BLOCK;
                    piece.copy_from_slice(&bytes[offset..offset + length]);
                    self.put(key, Content::Blocks(bytes.into()), ticket);
                }
                (None, _) => {
                    missed = true;
                    self.extent.read_blocks(at, piece)?;
                }
            }
            at += length.div_ceil(Kind::BLOCK) as u64;
            done += length;
        }
        if !missed && !to.is_empty() {
            self.count(|counters| &counters.hits);
        }
        Ok(())
    }

    fn write_blocks(&self, block: u64, from: &[u8]) -> Result<(), MediaError> {
        self.count(|counters| &counters.writes);
        let start = self.first.saturating_add(block);
        let end = start.saturating_add(from.len().div_ceil(Kind::BLOCK) as u64);
        let Kind::Fba { blocks, .. } = self.extent.kind() else { return Err(MediaError::WrongKind) };
        if end > self.first + blocks || from.is_empty() {
            return self.extent.write_blocks(block, from);
        }
        let groups: Vec<_> = (start / GROUP..=(end - 1) / GROUP).map(|group| self.key(group)).collect();
        let begun: Vec<_> = groups.iter().map(|key| self.cache.begin_write(key)).collect();
        let done = self.extent.write_blocks(block, from);
        // Two groups of one write may share a shard: each has its own number, so only the last is known to be current.
        for (key, (ticket, before)) in groups.iter().zip(begun) {
            let content = before.filter(|_| done.is_ok()).and_then(|before| {
                let Content::Blocks(old) = before else { return None };
                let mut bytes = old.to_vec();
                let group = key.1 * GROUP;
                let (low, high) = (start.max(group), end.min(group + GROUP));
                let source =
                    (low - start) as usize * Kind::BLOCK..((high - start) as usize * Kind::BLOCK).min(from.len());
                let at = (low - group) as usize * Kind::BLOCK;
                bytes[at..at + source.len()].copy_from_slice(&from[source]);
                Some(Content::Blocks(bytes.into()))
            });
            if self.cache.end_write(key, ticket, content, false) {
                self.count(|counters| &counters.modifications);
            }
        }
        done
    }

    fn flush(&self) -> Result<(), MediaError> {
        self.extent.flush()
    }
}
