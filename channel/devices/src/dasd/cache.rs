//! A control unit's cache and non-volatile storage: what they would have held, and counts of that (IBM 3990 Reference,
//! "Cache", "DASD fast write", "Subsystem statistics").
//!
//! Data is always on the volume when a channel program ends, so nothing here keeps any. It is a model: which tracks
//! would be in the cache, which of them would wait in non-volatile storage to be destaged. Programs and CP see its
//! counts, and a timing model would ask it.

use super::timing::Found;
use arch::dasd::{SubsystemStatistics, SubsystemStatus};
use base::Held;
use base::layout::{U16, U32};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};
use zerocopy::FromZeros;

/// How DEFINE EXTENT says that the cache is to be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Usage {
    /// Byte 1, bits 3-5.
    mode: u8,
    /// Byte 1, bit 7: writes wait for the disk.
    no_fast_write: bool,
}

impl Usage {
    /// Past the cache.
    pub(super) const BYPASS: Usage = Usage { mode: 1, no_fast_write: false };

    pub(super) fn of(attributes: u8) -> Usage {
        Usage { mode: attributes >> 2 & 7, no_fast_write: attributes & 1 != 0 }
    }

    fn bypasses(self) -> bool {
        self.mode == 1
    }

    fn loads(self) -> bool {
        !matches!(self.mode, 1 | 2)
    }

    fn sequential(self) -> bool {
        matches!(self.mode, 3 | 4)
    }
}

/// What a device has counted, as READ SUBSYSTEM DATA gives it. A request is the use of one track by a channel program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Read requests outside sequential access.
    pub reads: u64,
    /// Of these, those whose track was in the cache.
    pub read_hits: u64,
    /// Write requests outside sequential access.
    pub writes: u64,
    /// Writes that were over when they were in non-volatile storage.
    pub fast_write_hits: u64,
    /// Read requests of sequential access.
    pub sequential_reads: u64,
    /// Of these, those whose track was in the cache.
    pub sequential_read_hits: u64,
    /// Write requests of sequential access.
    pub sequential_writes: u64,
    /// Of these, those that were over when they were in non-volatile storage.
    pub sequential_fast_write_hits: u64,
    /// Requests that asked for the cache not to be loaded, or not to be used.
    pub inhibited: u64,
    /// Requests that asked for the cache not to be used.
    pub bypassed: u64,
    /// Tracks brought into the cache, and tracks destaged from it.
    pub staged: u64,
    /// Tracks destaged from the cache.
    pub destaged: u64,
    /// Writes that had to wait for room in non-volatile storage.
    pub delayed: u64,
}

#[derive(Clone, Copy)]
struct Slot {
    key: (u8, u32),
    used: bool,
    /// In non-volatile storage, too.
    modified: bool,
}

struct Device {
    cache: bool,
    fast_write: bool,
    counts: Statistics,
}

impl Default for Device {
    fn default() -> Device {
        Device { cache: true, fast_write: true, counts: Statistics::default() }
    }
}

struct State {
    cache: bool,
    storage: bool,
    slots: Vec<Slot>,
    index: HashMap<(u8, u32), usize>,
    hand: usize,
    modified: usize,
    devices: HashMap<u8, Device>,
}

/// The cache of one control unit, shared by its devices. They are told apart by their unit addresses.
pub struct Cache {
    tracks: usize,
    /// Tracks of non-volatile storage; 0: there is none.
    storage: usize,
    /// Bytes of both.
    bytes: [u64; 2],
    state: Mutex<State>,
}

impl Cache {
    /// A cache for so many tracks of 64 KB, with non-volatile storage for so many; both are on.
    pub fn new(tracks: usize, storage: usize) -> Cache {
        Cache::sized([tracks, storage].map(|tracks| (tracks as u64) << 16), 1 << 16)
    }

    /// A cache of so many bytes, with so many of non-volatile storage, for tracks of this length; both are on.
    pub fn sized(bytes: [u64; 2], track: u32) -> Cache {
        let [tracks, storage] = bytes.map(|bytes| (bytes / u64::from(track.max(1))) as usize);
        let state = State {
            cache: true,
            storage: true,
            slots: Vec::new(),
            index: HashMap::new(),
            hand: 0,
            modified: 0,
            devices: HashMap::new(),
        };
        Cache { tracks: tracks.max(1), storage, bytes, state: Mutex::new(state) }
    }

    /// A device is at the control unit.
    pub fn attach(&self, unit: u8) {
        self.state().devices.entry(unit).or_default();
    }

    /// Whether the control unit has non-volatile storage, on or off.
    pub fn has_storage(&self) -> bool {
        self.storage > 0
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().held()
    }

    /// Turns the cache of the whole control unit on or off. Off, everything in it is destaged and gone.
    pub fn set_cache(&self, on: bool) {
        let mut state = self.state();
        state.cache = on;
        if !on {
            state.destage(None);
            state.slots.clear();
            state.index.clear();
            state.hand = 0;
        }
    }

    /// Turns non-volatile storage on or off. Off, what it holds is destaged.
    pub fn set_storage(&self, on: bool) {
        let mut state = self.state();
        state.storage = on;
        if !on {
            state.destage(None);
        }
    }

    /// Turns caching for one device on or off. Off, everything of its in the cache is destaged and gone.
    pub fn set_device(&self, unit: u8, on: bool) {
        let mut state = self.state();
        state.devices.entry(unit).or_default().cache = on;
        if !on {
            state.destage(Some(unit));
            state.forget(unit);
        }
    }

    /// Turns DASD fast write for one device on or off; off, what waits is destaged.
    pub fn set_fast_write(&self, unit: u8, on: bool) {
        let mut state = self.state();
        state.devices.entry(unit).or_default().fast_write = on;
        if !on {
            state.destage(Some(unit));
        }
    }

    /// Whether the cache and non-volatile storage are on, and for this device caching and fast write.
    pub fn status(&self, unit: u8) -> (bool, bool, bool, bool) {
        let mut state = self.state();
        let device = state.devices.entry(unit).or_default();
        let (cache, fast_write) = (device.cache, device.fast_write);
        (state.cache, state.storage && self.has_storage(), cache, fast_write)
    }

    /// What a device has counted.
    pub fn statistics(&self, unit: u8) -> Statistics {
        self.state().devices.entry(unit).or_default().counts
    }

    /// A channel program has used a track; where that was found.
    pub(super) fn used(&self, unit: u8, track: u32, wrote: bool, usage: Usage) -> Found {
        let state = &mut *self.state();
        let device = state.devices.entry(unit).or_default();
        let active = state.cache && device.cache && !usage.bypasses();
        let fast = active && wrote && state.storage && self.has_storage() && device.fast_write && !usage.no_fast_write;
        let hit = active && state.index.contains_key(&(unit, track));
        let c = &mut device.counts;
        let (requests, hits) = match (wrote, usage.sequential()) {
            (false, false) => (&mut c.reads, &mut c.read_hits),
            (false, true) => (&mut c.sequential_reads, &mut c.sequential_read_hits),
            (true, false) => (&mut c.writes, &mut c.fast_write_hits),
            (true, true) => (&mut c.sequential_writes, &mut c.sequential_fast_write_hits),
        };
        *requests += 1;
        *hits += u64::from(hit && (!wrote || fast));
        c.bypassed += u64::from(usage.bypasses());
        c.inhibited += u64::from(usage.mode == 2);
        let on_disk = Found::Disk { stage: active && usage.loads() };
        if !active {
            return on_disk;
        }
        let slot = match state.index.get(&(unit, track)) {
            Some(&slot) => slot,
            None if usage.loads() => {
                c.staged += 1;
                state.stage((unit, track), self.tracks)
            }
            None => return on_disk,
        };
        state.slots[slot].used = true;
        let destage = fast && !state.slots[slot].modified;
        if fast && !state.slots[slot].modified {
            if state.modified >= self.storage {
                state.devices.entry(unit).or_default().counts.delayed += 1;
                state.destage_one();
            }
            state.slots[slot].modified = true;
            state.modified += 1;
        }
        if hit && (!wrote || fast) { Found::Cache { destage } } else { on_disk }
    }
}

impl State {
    /// A slot for a track, if need be that of one that was not used for long.
    fn stage(&mut self, key: (u8, u32), most: usize) -> usize {
        let new = Slot { key, used: true, modified: false };
        if self.slots.len() < most {
            self.slots.push(new);
            self.index.insert(key, self.slots.len() - 1);
            return self.slots.len() - 1;
        }
        while std::mem::take(&mut self.slots[self.hand].used) {
            self.hand = (self.hand + 1) % most;
        }
        let slot = self.hand;
        self.hand = (slot + 1) % most;
        self.write_back(slot);
        self.index.remove(&self.slots[slot].key);
        self.slots[slot] = new;
        self.index.insert(key, slot);
        slot
    }

    fn write_back(&mut self, slot: usize) {
        if std::mem::take(&mut self.slots[slot].modified) {
            self.modified -= 1;
            self.devices.entry(self.slots[slot].key.0).or_default().counts.destaged += 1;
        }
    }

    fn destage_one(&mut self) {
        let n = self.slots.len();
        let next = (0..n).map(|k| (self.hand + k) % n).find(|&slot| self.slots[slot].modified);
        if let Some(slot) = next {
            self.write_back(slot);
        }
    }

    /// Destages what waits of one device, or of all.
    fn destage(&mut self, unit: Option<u8>) {
        for slot in 0..self.slots.len() {
            if unit.is_none_or(|unit| self.slots[slot].key.0 == unit) {
                self.write_back(slot);
            }
        }
    }

    /// Nothing of a device's is in the cache any more.
    fn forget(&mut self, unit: u8) {
        self.slots.retain(|slot| slot.key.0 != unit);
        self.index = self.slots.iter().enumerate().map(|(at, slot)| (slot.key, at)).collect();
        self.hand = 0;
    }
}

/// The answer to SENSE SUBSYSTEM STATUS for a device of a control unit with or without a cache.
pub(super) fn sense(cache: Option<&Cache>, unit: u8, ssid: u16) -> SubsystemStatus {
    /// Of the subsystem: a program has turned it off.
    const OFF: u8 = 0x80;
    /// Of a device: caching, and DASD fast write, are deactivated.
    const NO_CACHING: u8 = 0xc0;
    const NO_FAST_WRITE: u8 = 0x30;
    let (on, storage_on, caching, fast_write) = cache.map_or((false, false, false, false), |cache| cache.status(unit));
    let [bytes, storage] = cache.map_or([0; 2], |cache| cache.bytes);
    let devices = cache.map_or(1, |cache| cache.state().devices.len());
    let unless = |is: bool, bits: u8| if is { 0 } else { bits };
    let word = |bytes: u64| U32::new(u32::try_from(bytes).unwrap_or(u32::MAX));
    SubsystemStatus {
        // The device, how many more there are, and one set of statistics for each, so long.
        unit,
        more_devices: (devices - 1) as u8,
        statistics: 1,
        statistics_length: U16::new(size_of::<SubsystemStatistics>() as u16),
        cache_status: unless(on, OFF),
        storage_status: unless(storage_on, OFF),
        device_status: unless(caching, NO_CACHING) | unless(fast_write, NO_FAST_WRITE),
        // What there is, and what may be used of it. Nothing is pinned or offline.
        cache: word(bytes),
        available: word(if on { bytes } else { 0 }),
        storage: word(storage),
        ssid: U16::new(ssid),
        ..SubsystemStatus::default()
    }
}

impl Statistics {
    /// Subsystem statistics of a device.
    pub(super) fn told(&self, unit: u8, ssid: u16) -> SubsystemStatistics {
        let count = |n: u64| U32::new(n as u32);
        let mut told = SubsystemStatistics::new_zeroed();
        told.unit = unit;
        told.reads = count(self.reads);
        told.read_hits = count(self.read_hits);
        told.writes = count(self.writes);
        told.fast_write_hits = count(self.fast_write_hits);
        told.sequential_reads = count(self.sequential_reads);
        told.sequential_read_hits = count(self.sequential_read_hits);
        told.sequential_writes = count(self.sequential_writes);
        told.sequential_fast_write_hits = count(self.sequential_fast_write_hits);
        told.inhibited = count(self.inhibited);
        told.bypassed = count(self.bypassed);
        told.staged = count(self.staged);
        told.destaged = count(self.destaged);
        told.delayed = count(self.delayed);
        told.fast_writes = told.fast_write_hits;
        told.sequential_fast_writes = told.sequential_fast_write_hits;
        told.staged_54 = told.staged;
        told.ssid.set(ssid);
        told
    }
}
