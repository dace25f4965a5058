//! The minidisk cache: tracks of real volumes in storage, one cache for the system.
//!
//! Any guest's reads are served from it, whatever program does them: a read that misses brings the whole track (of a
//! fixed-block volume: 64 blocks, 32 KB) into the cache. A write goes to the volume before it is acknowledged, and
//! changes the cache only if the track is there. A format write, which changes what records a track has, throws the
//! track out and keeps it out for its next read; tracks with a record over 32 KB never come in. A minidisk on which a
//! guest uses RESERVE is cached no longer. Entries are known by their place on the volume, so minidisks that overlap
//! never disagree.
//!
//! The cache is as large as its arbiter allows: its bias times the ideal size, but between minimum and maximum. When it
//! is full, users share what is put in. In the time that it takes to fill the cache once, no user puts in more than an
//! equal share. OPTION NOMDCFS exempts a user from that.

mod cached;

use base::Held;
pub use cached::Cached;
use dasd::Track;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

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
    /// With the home address as the user who brought it in sees it.
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
    /// Used since the hand of the replacement clock passed.
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
    /// Virtual writes, counted as the reads are.
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
    /// No minidisk on it is cached.
    Off,
}

/// A real device as the cache knows it.
pub struct DeviceCache {
    id: u64,
    mode: AtomicU8,
    /// What was counted of its minidisks.
    pub counters: Counters,
}

impl DeviceCache {
    /// How SET MDCACHE RDEV has set it.
    pub fn mode(&self) -> DeviceMode {
        match self.mode.load(Relaxed) {
            0 => DeviceMode::DefaultOn,
            1 => DeviceMode::DefaultOff,
            _ => DeviceMode::Off,
        }
    }

    /// Sets it as SET MDCACHE RDEV says.
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
    /// What was counted of it.
    pub counters: Counters,
}

impl DiskCache {
    /// A minidisk that the directory says is to be cached or not; `None`: it says neither. `records`: records are kept,
    /// not tracks.
    pub fn new(wish: Option<bool>, records: bool) -> DiskCache {
        let disk = DiskCache { records, ..DiskCache::default() };
        disk.set_wish(wish);
        disk
    }

    /// Whether it is to be cached; `None`: as the device says.
    pub fn wish(&self) -> Option<bool> {
        match self.wish.load(Relaxed) {
            0 => None,
            wish => Some(wish == 1),
        }
    }

    /// Says whether it is to be cached; `None`: as the device says.
    pub fn set_wish(&self, wish: Option<bool>) {
        self.wish.store(wish.map_or(0, |on| if on { 1 } else { 2 }), Relaxed);
    }
}

/// A user as the cache knows it, from LOGON to LOGOFF.
pub struct UserCache {
    /// The user ID.
    pub userid: String,
    /// OPTION NOMDCFS.
    pub exempt: bool,
    /// SET MDCACHE INSERT.
    pub insert: AtomicBool,
    /// What was counted of the user's links.
    pub counters: Counters,
}

impl UserCache {
    /// The user at LOGON, with INSERT on; `exempt`: OPTION NOMDCFS.
    pub fn new(userid: &str, exempt: bool) -> UserCache {
        UserCache { userid: userid.into(), exempt, insert: AtomicBool::new(true), counters: Counters::default() }
    }
}

/// The size of the cache, in bytes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Size {
    /// The cache is never made smaller than this.
    pub minimum: u64,
    /// The cache is never made larger than this.
    pub maximum: u64,
    /// What the ideal size is multiplied by; 1 leaves it as it is.
    pub bias: f64,
}

impl Size {
    /// How large the cache may be now.
    pub fn limit(&self) -> u64 {
        ((IDEAL as f64 * self.bias) as u64).clamp(self.minimum.min(self.maximum), self.maximum)
    }
}

/// How much each user has put in since the cache was last filled once.
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
    /// What was counted of the whole system.
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

impl Cache {
    /// A real device that the cache has not known before.
    pub fn device(&self) -> Arc<DeviceCache> {
        let id = self.devices.fetch_add(1, Relaxed);
        Arc::new(DeviceCache { id, mode: AtomicU8::new(DeviceMode::DefaultOn as u8), counters: Counters::default() })
    }

    /// Whether SET MDCACHE SYSTEM is ON.
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

    /// The size as SET MDCACHE STORAGE has it.
    pub fn size(&self) -> Size {
        *self.size.lock().held()
    }

    /// SET MDCACHE STORAGE: a cache that is too large now gives up what was not used for longest.
    pub fn set_size(&self, size: Size) {
        *self.size.lock().held() = size;
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
            let mut shard = shard.lock().held();
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
        let mut shard = self.shard(key).lock().held();
        let entry = shard.entries.get_mut(key)?;
        entry.used = true;
        Some(entry.content.clone())
    }

    /// Before a read of the volume: what [`Cache::insert`] wants to know.
    fn ticket(&self, key: &Key) -> Option<u64> {
        let mut shard = self.shard(key).lock().held();
        // A track that was formatted is kept out once.
        if shard.formatted.remove(key) || shard.writers > 0 {
            return None;
        }
        Some(shard.begun)
    }

    fn insert(&self, key: Key, content: Content, ticket: u64) -> bool {
        {
            let mut shard = self.shard(&key).lock().held();
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
            let mut shard = self.shard(&key).lock().held();
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
            let mut shard = self.shards[hand].lock().held();
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
        let mut round = self.round.lock().held();
        if round.bytes >= limit {
            *round = Round { before: round.users.len(), ..Round::default() };
        }
        let full = self.bytes() + bytes > limit;
        let users = round.users.len().max(round.before).max(1) as u64;
        let own = round.users.entry(user.userid.clone()).or_default();
        if full && !user.exempt && users > 1 && *own + bytes > limit / users {
            // The round must end some time, or a user who is refused now is refused for ever.
            round.bytes += bytes;
            return false;
        }
        *own += bytes;
        round.bytes += bytes;
        true
    }

    /// A write of these tracks or groups begins; what it finds in the cache.
    fn begin_write(&self, key: &Key) -> (u64, Option<Content>) {
        let mut shard = self.shard(key).lock().held();
        shard.begun += 1;
        shard.writers += 1;
        (shard.begun, shard.entries.get(key).map(|entry| entry.content.clone()))
    }

    /// The write has ended: `content` is what the volume has now, `None` if that is not known. Whether it was there.
    fn end_write(&self, key: &Key, ticket: u64, content: Option<Content>, formatted: bool) -> bool {
        let mut shard = self.shard(key).lock().held();
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

#[cfg(test)]
mod tests;
