//! The minidisk cache: tracks of real volumes in storage, one cache for the system.
//!
//! Any guest's reads are served from it, whatever program does them: a read that misses brings the whole track (of a
//! fixed-block volume: 64 blocks, 32 KB) into the cache. A write goes to the volume before it is acknowledged, and changes the cache
//! only if the track is there. A format write, which changes what records a track has, throws the track out and keeps it
//! out for its next read; tracks with a record over 32 KB never come in. A minidisk on which a guest uses RESERVE is cached
//! no longer. Entries are known by their place on the volume, so minidisks that overlap never disagree.
//!
//! The cache is as large as its arbiter allows: its bias times the ideal size, but between minimum and maximum. When it is
//! full, users share what is put in: as long as it takes to fill the cache once, nobody but the users of OPTION NOMDCFS puts
//! in more than an equal share.

use dasd::{Change, Kind, MediaError, Spot, Track, Volume};
use devices::dasd::Reservation;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Blocks of a fixed-block volume that are cached together.
const GROUP: u64 = 64;
/// A longer record makes its track ineligible.
const LONGEST_RECORD: usize = 32 << 10;
const SHARDS: usize = 16;
/// Tracks that were formatted and are kept out for their next read, for each shard.
const FORMATTED: usize = 64;
/// What the cache would take with a bias of 1, in bytes.
pub const IDEAL: u64 = 256 << 20;

/// A track or a group of blocks: the volume's number in this cache, and the track's or group's on the volume.
type Key = (u64, u64);

#[derive(Clone)]
enum Content {
    /// With the home address that whoever brought it in sees.
    Track(Arc<Track>),
    Blocks(Arc<[u8]>),
    /// Records of a track, by number: of a minidisk with MINIOPT RECORDMDC.
    Records(Arc<BTreeMap<u8, Arc<[u8]>>>),
}

impl Content {
    fn bytes(&self) -> u64 {
        (match self {
            Content::Track(track) => track.image().len(),
            Content::Blocks(blocks) => blocks.len(),
            Content::Records(records) => records.values().map(|record| record.len()).sum(),
        }) as u64
    }
}

struct Entry {
    content: Content,
    /// Used since the hand of the clock passed.
    used: bool,
}

#[derive(Default)]
struct Shard {
    entries: HashMap<Key, Entry>,
    /// The order in which entries came in or were given another turn.
    order: VecDeque<Key>,
    formatted: HashSet<Key>,
    /// Writes that have begun, and how many of them have not ended: what was read before one began may be old.
    begun: u64,
    writers: u32,
}

/// What was counted, by system, user or minidisk.
#[derive(Default)]
pub struct Counters {
    /// Virtual reads and writes: tracks, or runs of blocks.
    pub reads: AtomicU64,
    pub writes: AtomicU64,
    /// Reads served from the cache: I/Os avoided.
    pub hits: AtomicU64,
    /// Tracks brought in.
    pub inserts: AtomicU64,
    /// Writes that changed a track in the cache.
    pub modifications: AtomicU64,
    /// Reads that missed and brought nothing in, since the user had the fair share.
    pub refused: AtomicU64,
}

impl Counters {
    /// Hits in percent of the reads.
    pub fn hit_ratio(&self) -> u64 {
        (self.hits.load(Relaxed) * 100).checked_div(self.reads.load(Relaxed)).unwrap_or(0)
    }
}

/// How SET MDCACHE RDEV has set a real device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum DeviceMode {
    /// Minidisks are cached unless they say NOMDC.
    DefaultOn,
    /// Minidisks are cached if they say MDC.
    DefaultOff,
    Off,
}

/// A real device as the cache knows it.
pub struct DeviceCache {
    id: u64,
    mode: AtomicU8,
    pub counters: Counters,
}

impl DeviceCache {
    pub fn mode(&self) -> DeviceMode {
        match self.mode.load(Relaxed) {
            0 => DeviceMode::DefaultOn,
            1 => DeviceMode::DefaultOff,
            _ => DeviceMode::Off,
        }
    }

    pub fn set_mode(&self, mode: DeviceMode) {
        self.mode.store(mode as u8, Relaxed);
    }
}

/// A minidisk as the cache knows it.
#[derive(Default)]
pub struct DiskCache {
    /// 0: as the device says; 1: cached; 2: not cached. From the directory, or SET MDCACHE MDISK.
    wish: AtomicU8,
    /// A guest has used RESERVE.
    pub dropped: AtomicBool,
    /// Records are kept, not tracks.
    pub records: bool,
    pub counters: Counters,
}

impl DiskCache {
    pub fn new(wish: Option<bool>, records: bool) -> DiskCache {
        let disk = DiskCache { records, ..DiskCache::default() };
        disk.set_wish(wish);
        disk
    }

    pub fn wish(&self) -> Option<bool> {
        match self.wish.load(Relaxed) {
            0 => None,
            wish => Some(wish == 1),
        }
    }

    pub fn set_wish(&self, wish: Option<bool>) {
        self.wish.store(wish.map_or(0, |on| if on { 1 } else { 2 }), Relaxed);
    }
}

/// A user as the cache knows it, from LOGON to LOGOFF.
pub struct UserCache {
    pub userid: String,
    /// OPTION NOMDCFS.
    pub exempt: bool,
    /// SET MDCACHE INSERT.
    pub insert: AtomicBool,
    pub counters: Counters,
}

impl UserCache {
    pub fn new(userid: &str, exempt: bool) -> UserCache {
        UserCache { userid: userid.into(), exempt, insert: AtomicBool::new(true), counters: Counters::default() }
    }
}

/// The size of the cache, in bytes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Size {
    pub minimum: u64,
    pub maximum: u64,
    pub bias: f64,
}

impl Size {
    /// How large the cache may be now.
    pub fn limit(&self) -> u64 {
        ((IDEAL as f64 * self.bias) as u64).clamp(self.minimum.min(self.maximum), self.maximum)
    }
}

/// Who has put in how much since the cache was last filled once.
#[derive(Default)]
struct Round {
    bytes: u64,
    users: HashMap<String, u64>,
    /// How many users there were in the round before.
    before: usize,
}

/// The minidisk cache.
pub struct Cache {
    on: AtomicBool,
    size: Mutex<Size>,
    limit: AtomicU64,
    bytes: AtomicU64,
    shards: [Mutex<Shard>; SHARDS],
    round: Mutex<Round>,
    devices: AtomicU64,
    hand: AtomicU64,
    pub counters: Counters,
}

impl Default for Cache {
    fn default() -> Cache {
        let size = Size { minimum: 0, maximum: 128 << 20, bias: 1.0 };
        Cache {
            on: AtomicBool::new(true),
            limit: AtomicU64::new(size.limit()),
            size: Mutex::new(size),
            bytes: AtomicU64::new(0),
            shards: Default::default(),
            round: Mutex::default(),
            devices: AtomicU64::new(0),
            hand: AtomicU64::new(0),
            counters: Counters::default(),
        }
    }
}

pub(super) fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Cache {
    /// A real device that the cache has not known before.
    pub fn device(&self) -> Arc<DeviceCache> {
        let id = self.devices.fetch_add(1, Relaxed);
        Arc::new(DeviceCache { id, mode: AtomicU8::new(DeviceMode::DefaultOn as u8), counters: Counters::default() })
    }

    pub fn is_on(&self) -> bool {
        self.on.load(Relaxed)
    }

    /// SET MDCACHE SYSTEM: OFF empties the cache.
    pub fn set_on(&self, on: bool) {
        self.on.store(on, Relaxed);
        if !on {
            self.purge(|_| true);
        }
    }

    pub fn size(&self) -> Size {
        *hold(&self.size)
    }

    /// SET MDCACHE STORAGE: a cache that is too large now gives up what was not used for longest.
    pub fn set_size(&self, size: Size) {
        *hold(&self.size) = size;
        self.limit.store(size.limit(), Relaxed);
        self.shrink();
    }

    /// Bytes in the cache.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }

    /// Throws out everything of a device, or what lies in `units` (tracks or blocks) of it.
    pub fn flush(&self, device: &DeviceCache, units: Option<std::ops::Range<u64>>, blocks: bool) {
        let units = units.map(|units| match blocks {
            true => units.start / GROUP..units.end.div_ceil(GROUP),
            false => units,
        });
        self.purge(|key| key.0 == device.id && units.as_ref().is_none_or(|units| units.contains(&key.1)));
    }

    fn purge(&self, which: impl Fn(&Key) -> bool) {
        for shard in &self.shards {
            let mut shard = hold(shard);
            let keys: Vec<Key> = shard.entries.keys().copied().filter(&which).collect();
            keys.iter().for_each(|key| self.remove(&mut shard, key));
            // What is being read this moment is not to come in any more.
            shard.begun += 1;
        }
    }

    fn remove(&self, shard: &mut Shard, key: &Key) {
        if let Some(entry) = shard.entries.remove(key) {
            self.bytes.fetch_sub(entry.content.bytes(), Relaxed);
        }
    }

    fn shard(&self, key: &Key) -> &Mutex<Shard> {
        let hash = (key.0 << 32 ^ key.1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        &self.shards[(hash >> 60) as usize % SHARDS]
    }

    fn find(&self, key: &Key) -> Option<Content> {
        let mut shard = hold(self.shard(key));
        let entry = shard.entries.get_mut(key)?;
        entry.used = true;
        Some(entry.content.clone())
    }

    /// Before a read of the volume: what [`Cache::insert`] wants to know.
    fn ticket(&self, key: &Key) -> Option<u64> {
        let mut shard = hold(self.shard(key));
        // A track that was formatted is kept out once.
        if shard.formatted.remove(key) || shard.writers > 0 {
            return None;
        }
        Some(shard.begun)
    }

    fn insert(&self, key: Key, content: Content, ticket: u64) -> bool {
        {
            let mut shard = hold(self.shard(&key));
            if shard.begun != ticket || shard.writers > 0 || shard.entries.contains_key(&key) {
                return false;
            }
            self.bytes.fetch_add(content.bytes(), Relaxed);
            shard.entries.insert(key, Entry { content, used: false });
            shard.order.push_back(key);
        }
        self.shrink();
        true
    }

    /// Puts a record beside those of its track that are there.
    fn insert_record(&self, key: Key, number: u8, data: &[u8], ticket: u64) -> bool {
        {
            let mut shard = hold(self.shard(&key));
            if shard.begun != ticket || shard.writers > 0 {
                return false;
            }
            let (length, data) = (data.len() as u64, Arc::from(data));
            let replaced = match shard.entries.get_mut(&key) {
                Some(Entry { content: Content::Records(records), .. }) => Arc::make_mut(records).insert(number, data),
                Some(_) => return false,
                None => {
                    let content = Content::Records(Arc::new(BTreeMap::from([(number, data)])));
                    shard.entries.insert(key, Entry { content, used: false });
                    shard.order.push_back(key);
                    None
                }
            };
            self.bytes.fetch_add(length, Relaxed);
            self.bytes.fetch_sub(replaced.map_or(0, |old| old.len() as u64), Relaxed);
        }
        self.shrink();
        true
    }

    /// Gives up what was not used since the clock's hand last passed, until the cache is within its limit.
    fn shrink(&self) {
        let mut empty = 0;
        while self.bytes() > self.limit.load(Relaxed) && empty < SHARDS {
            let hand = self.hand.fetch_add(1, Relaxed) as usize % SHARDS;
            let mut shard = hold(&self.shards[hand]);
            let mut turns = shard.order.len();
            let victim = loop {
                let Some(key) = shard.order.pop_front() else { break None };
                match shard.entries.get_mut(&key) {
                    Some(entry) if entry.used && turns > 0 => entry.used = false,
                    Some(_) => break Some(key),
                    None => continue,
                }
                turns -= 1;
                shard.order.push_back(key);
            };
            match victim {
                Some(key) => {
                    empty = 0;
                    self.remove(&mut shard, &key);
                }
                None => empty += 1,
            }
        }
    }

    /// Whether `user` may put in so many bytes more now.
    fn fair(&self, user: &UserCache, bytes: u64) -> bool {
        let limit = self.limit.load(Relaxed).max(1);
        let mut round = hold(&self.round);
        if round.bytes >= limit {
            *round = Round { before: round.users.len(), ..Round::default() };
        }
        let full = self.bytes() + bytes > limit;
        let users = round.users.len().max(round.before).max(1) as u64;
        let own = round.users.entry(user.userid.clone()).or_default();
        if full && !user.exempt && users > 1 && *own + bytes > limit / users {
            // The round must end some time, or who is refused now is refused for ever.
            round.bytes += bytes;
            return false;
        }
        *own += bytes;
        round.bytes += bytes;
        true
    }

    /// A write of these tracks or groups begins; what it finds in the cache.
    fn begin_write(&self, key: &Key) -> (u64, Option<Content>) {
        let mut shard = hold(self.shard(key));
        shard.begun += 1;
        shard.writers += 1;
        (shard.begun, shard.entries.get(key).map(|entry| entry.content.clone()))
    }

    /// The write has ended: `content` is what the volume has now, `None` if that is not known. Whether it was there.
    fn end_write(&self, key: &Key, ticket: u64, content: Option<Content>, formatted: bool) -> bool {
        let mut shard = hold(self.shard(key));
        shard.writers -= 1;
        let alone = shard.begun == ticket;
        if formatted && shard.formatted.len() < FORMATTED {
            shard.formatted.insert(*key);
        }
        match (content, shard.entries.get_mut(key)) {
            (Some(content), Some(entry)) if alone => {
                let (old, new) = (entry.content.bytes(), content.bytes());
                entry.content = content;
                self.bytes.fetch_add(new.wrapping_sub(old), Relaxed);
                true
            }
            (_, Some(_)) => {
                self.remove(&mut shard, key);
                false
            }
            (_, None) => false,
        }
    }
}

/// A minidisk as one user's link reaches it: its extent, through the cache.
pub struct Cached {
    pub extent: Arc<dyn Volume>,
    /// The volume's number of the extent's first track or block.
    pub first: u64,
    pub cache: Arc<Cache>,
    pub device: Arc<DeviceCache>,
    pub disk: Arc<DiskCache>,
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
        // Two groups of one write may share a shard: each has its own number, so only the last is sure of itself.
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

#[cfg(test)]
mod tests {
    use super::*;
    use dasd::Memory;
    use dasd::model::CkdModel;

    /// A volume of 100 cylinders with tracks of about 4 KB, and a way for users to reach it.
    fn volume() -> (Arc<Cache>, impl Fn(&str, bool) -> Cached) {
        let pack: Arc<dyn Volume> = Arc::new(Memory::ckd(CkdModel::named("3390").expect("there is this model"), 100));
        for number in 0..1500 {
            let mut track = Track::clone(&pack.read_track(number).unwrap());
            let end = track.records().last().unwrap().end();
            let count = dasd::Count { cylinder: 0, head: 0, record: 1, key: 0, data: 4000 };
            track.format(end, count, &[], &[7; 4000]);
            pack.write_track(number, &track).unwrap();
        }
        let cache = Arc::new(Cache::default());
        let (device, shared) = (cache.device(), cache.clone());
        let reach = move |userid: &str, exempt: bool| Cached {
            extent: pack.clone(),
            first: 0,
            cache: shared.clone(),
            device: device.clone(),
            disk: Arc::new(DiskCache::new(None, false)),
            user: Arc::new(UserCache::new(userid, exempt)),
            reservation: Arc::default(),
        };
        (cache, reach)
    }

    fn hits(link: &Cached) -> u64 {
        link.user.counters.hits.load(Relaxed)
    }

    #[test]
    fn the_cache_keeps_its_size_and_what_is_used() {
        let (cache, reach) = volume();
        cache.set_size(Size { minimum: 0, maximum: 1 << 20, bias: 1.0 });
        let user = reach("A", false);
        for track in 0..1500 {
            user.read_track(track).unwrap();
            user.read_track(3).unwrap();
        }
        assert!(cache.bytes() <= 1 << 20 && cache.bytes() > 900 << 10, "{}", cache.bytes());
        assert!(hits(&user) > 1490, "track 3 was always in use: {}", hits(&user));
        cache.set_size(Size { minimum: 0, maximum: 1 << 16, bias: 1.0 });
        assert!(cache.bytes() <= 1 << 16);
        cache.set_on(false);
        assert_eq!(cache.bytes(), 0);
        user.read_track(0).unwrap();
        assert_eq!(cache.bytes(), 0);
    }

    /// One reads everything there is, the other a little again and again.
    #[test]
    fn nobody_but_the_exempt_takes_more_than_a_fair_share() {
        for exempt in [false, true] {
            let (cache, reach) = volume();
            cache.set_size(Size { minimum: 0, maximum: 1 << 20, bias: 1.0 });
            let (greedy, modest) = (reach("GREEDY", exempt), reach("MODEST", false));
            for track in 0..1500 {
                greedy.read_track(track).unwrap();
                modest.read_track(1400 + track % 50).unwrap();
            }
            let refused = greedy.user.counters.refused.load(Relaxed);
            assert_eq!(refused == 0, exempt, "{refused}");
        }
    }

    #[test]
    fn a_reserved_minidisk_is_cached_no_longer() {
        let (cache, reach) = volume();
        let user = reach("A", false);
        user.disk.dropped.store(true, Relaxed);
        user.read_track(0).unwrap();
        assert!(!user.eligible() && cache.bytes() == 0);
        user.disk.dropped.store(false, Relaxed);
        user.device.set_mode(DeviceMode::DefaultOff);
        assert!(!user.eligible());
        user.disk.set_wish(Some(true));
        assert!(user.eligible());
    }

    /// Readers and writers at once: what a reader sees after a write has ended is what was written.
    #[test]
    fn the_cache_never_serves_what_was_written_over() {
        let (_cache, reach) = volume();
        let (reader, writer) = (reach("R", false), reach("W", false));
        let written = AtomicU8::new(7);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut track = Track::clone(&writer.read_track_to_update(5).unwrap());
                let at = track.records().nth(1).unwrap().at;
                for value in 8..200u8 {
                    track.update(at, None, Some(&[value; 4000]));
                    writer.write_track(5, &track).unwrap();
                    written.store(value, Relaxed);
                }
            });
            while written.load(Relaxed) < 199 {
                let least = written.load(Relaxed);
                let seen = reader.read_track(5).unwrap().records().nth(1).unwrap().data[0];
                assert!(seen >= least, "{seen} after {least}");
            }
        });
    }
}
