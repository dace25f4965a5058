//! How long a disk would have taken: a model of its arm, its rotation, the paths of its control unit and the cache.
//!
//! Off unless a disk is defined with it. Data is moved as ever, and the model only says when the channel program would
//! have been over. Time is an argument, so it runs on any clock: a system's, which makes guests wait, or an
//! experiment's.
//!
//! **What a channel program goes through.** It waits until the device is free (*queue*) and a path to it (*pending*).
//! What the cache has goes over the path at the channel's rate (*connect*). For the rest the arm moves (*seek*), the
//! sector comes round (*latency*); if no path is free that moment it comes round again (*reconnect*); then the data
//! goes at the device's rate. A read that missed keeps the device until the rest of the track is staged; a fast write
//! leaves it a track to destage, which it does when it is idle.
//!
//! The figures are those that were published of the devices. What measured systems say of them is in the test: service
//! times of 3390s with and without DASD fast write, a hit in the cache of a 3990-3, a virtual disk instead of a real
//! one, a cache of 0, 16 and 48 MB, 3380s at 3880s with a cache and without.

use super::ControlUnit;
use base::Held;
use dasd::Kind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// A millisecond, in the nanoseconds that times here are.
pub const MILLISECOND: u64 = 1_000_000;

/// What moves in a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mechanics {
    /// To the next cylinder, and to one that may be any.
    pub least_seek: u64,
    /// To a cylinder that may be any.
    pub average_seek: u64,
    /// One turn of the disk.
    pub rotation: u64,
    /// Bytes in a second.
    pub rate: u64,
}

const fn mechanics(least: u64, average: u64, rotation: u64, rate: u64) -> Mechanics {
    // In tenths of milliseconds, and kilobytes in a second.
    let tenth = MILLISECOND / 10;
    Mechanics {
        least_seek: least * tenth,
        average_seek: average * tenth,
        rotation: rotation * tenth,
        rate: rate * 1000,
    }
}

impl Mechanics {
    /// Those of a device of this kind.
    pub fn of(kind: &Kind) -> Mechanics {
        match *kind {
            Kind::Ckd { device: 0x3390, cylinders, .. } => match cylinders {
                0..=1113 => mechanics(15, 95, 141, 4200),
                1114..=2226 => mechanics(15, 125, 141, 4200),
                _ => mechanics(15, 150, 141, 4200),
            },
            Kind::Ckd { device: 0x3380, cylinders, .. } => match cylinders {
                0..=885 => mechanics(30, 150, 167, 3000),
                886..=1770 => mechanics(30, 170, 167, 3000),
                _ => mechanics(20, 160, 167, 3000),
            },
            Kind::Ckd { device: 0x9345, .. } => mechanics(15, 100, 111, 4400),
            Kind::Ckd { device: 0x3375, .. } | Kind::Fba { device: 0x3370, .. } => mechanics(40, 190, 202, 1859),
            Kind::Ckd { device: 0x3350, .. } => mechanics(100, 250, 167, 1198),
            Kind::Ckd { device: 0x3330 | 0x3340, .. } => mechanics(100, 300, 167, 806),
            Kind::Ckd { device: 0x2314 | 0x2311, .. } => mechanics(250, 600, 250, 312),
            Kind::Ckd { .. } | Kind::Fba { .. } => mechanics(15, 120, 111, 4400),
        }
    }
}

/// Where a track was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// In the control unit's cache; or a write that was over when it was in non-volatile storage. `destage`: the disk
    /// is to get it later.
    Cache {
        /// The disk is to get the track later.
        destage: bool,
    },
    /// On the disk. `stage`: the cache gets the whole track.
    Disk {
        /// The cache gets the whole track.
        stage: bool,
    },
}

/// A track's use by a channel program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The track's number on the disk.
    pub track: u32,
    /// Where on the track it begins, and how much goes over.
    pub at: u32,
    /// How many bytes go over.
    pub bytes: u32,
    /// Where the track was found.
    pub found: Found,
}

/// What a channel program took, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Service {
    /// Until the device was free.
    pub queue: u64,
    /// Until a path to it was free.
    pub pending: u64,
    /// While the arm moved.
    pub seek: u64,
    /// Until the sector came round.
    pub latency: u64,
    /// Rotations for want of a path when the sector came round.
    pub reconnect: u64,
    /// While the path was in use.
    pub connect: u64,
}

impl Service {
    /// Pending, disconnect and connect time.
    pub fn service(&self) -> u64 {
        self.pending + self.disconnect() + self.connect
    }

    /// While it holds no path.
    pub fn disconnect(&self) -> u64 {
        self.seek + self.latency + self.reconnect
    }

    /// From START SUBCHANNEL to the end.
    pub fn response(&self) -> u64 {
        self.queue + self.service()
    }

    fn add(&mut self, other: &Service) {
        self.queue += other.queue;
        self.pending += other.pending;
        self.seek += other.seek;
        self.latency += other.latency;
        self.reconnect += other.reconnect;
        self.connect += other.connect;
    }
}

/// The paths to a control unit's devices.
pub struct Paths {
    /// Before a command reaches the control unit, and what it and the channel say to one another.
    pending: u64,
    protocol: u64,
    /// Bytes that a path moves in a second.
    rate: u64,
    /// When each is in use.
    used: Mutex<Vec<Vec<(u64, u64)>>>,
}

fn transfer(bytes: u32, rate: u64) -> u64 {
    u64::from(bytes) * 1_000_000_000 / rate.max(1)
}

impl Paths {
    /// So many paths, each of `rate` bytes in a second: 3,000,000 of a parallel channel, 4,500,000 of one with data
    /// streaming.
    pub fn new(count: usize, rate: u64) -> Paths {
        let (pending, protocol) = (3 * MILLISECOND / 10, 4 * MILLISECOND / 10);
        Paths { pending, protocol, rate, used: Mutex::new(vec![Vec::new(); count.max(1)]) }
    }

    /// Those of a control unit, as many as it uses at once; no more than the channel paths to it.
    pub fn of(unit: ControlUnit, channels: u8) -> Paths {
        let (count, rate) = unit.transfers();
        Paths::new(count.min(channels.into()), rate)
    }

    /// Takes a path for `length` from `from` on, or as soon after that as one is free, `step` by `step`; when that is.
    fn take(&self, from: u64, length: u64, step: u64) -> u64 {
        let mut used = self.used.lock().held();
        let mut at = from;
        loop {
            let meets = |&(begin, end): &(u64, u64)| begin < at + length && at < end;
            if let Some(path) = used.iter_mut().find(|path| !path.iter().any(meets)) {
                path.retain(|&(_, end)| end + 1000 * MILLISECOND > at);
                path.push((at, at + length));
                return at;
            }
            at += step;
        }
    }
}

#[derive(Default)]
struct State {
    cylinder: u32,
    free_at: u64,
    /// Tracks to be destaged.
    destages: u32,
    programs: u64,
    total: Service,
}

/// One device's times.
pub struct Timing {
    mechanics: Mechanics,
    cylinders: u32,
    heads: u32,
    track: u32,
    paths: Arc<Paths>,
    on: AtomicBool,
    state: Mutex<State>,
}

impl Timing {
    /// A device of `kind` with `paths` to it; its channel programs take no time until [`Timing::set_on`].
    pub fn new(kind: &Kind, paths: Arc<Paths>) -> Timing {
        let (cylinders, heads, track) = match *kind {
            Kind::Ckd { cylinders, heads, track, .. } => (cylinders, heads, track),
            Kind::Fba { blocks, .. } => ((blocks / 1200).max(1) as u32, 15, 40_000),
        };
        let (cylinders, heads, track) = (cylinders.max(1), heads.max(1), track.max(1));
        let (mechanics, on) = (Mechanics::of(kind), AtomicBool::new(false));
        Timing { mechanics, cylinders, heads, track, paths, on, state: Mutex::default() }
    }

    /// Whether channel programs take their time.
    pub fn is_on(&self) -> bool {
        self.on.load(Ordering::Relaxed)
    }

    /// Has channel programs take their time from now on, or no longer.
    pub fn set_on(&self, on: bool) {
        self.on.store(on, Ordering::Relaxed);
    }

    /// How many channel programs there were, and what they took together.
    pub fn total(&self) -> (u64, Service) {
        let state = self.state.lock().held();
        (state.programs, state.total)
    }

    /// How long the arm takes: the time grows with the root of the distance, and is the average one between cylinders
    /// that may be any.
    fn seek(&self, from: u32, to: u32) -> u64 {
        let distance = from.abs_diff(to);
        if distance == 0 {
            return 0;
        }
        let Mechanics { least_seek, average_seek, .. } = self.mechanics;
        // The mean of the root of the distance is 8/15 of the whole's.
        let usual = (f64::from(self.cylinders) * 64.0 / 225.0).max(1.0);
        least_seek + ((average_seek - least_seek) as f64 * (f64::from(distance - 1) / usual).sqrt()) as u64
    }

    /// A channel program that begins at `now` and uses these tracks; what it takes.
    pub fn serve(&self, now: u64, accesses: &[Access]) -> Service {
        let mut state = self.state.lock().held();
        let mut service = Service::default();
        let Mechanics { rotation, average_seek, rate, .. } = self.mechanics;
        // What was left to destage goes to the disk while it is idle. A channel program that comes meanwhile waits.
        let destage = average_seek / 2 + rotation / 2 + rotation / 4;
        while state.destages > 0 && state.free_at < now {
            state.destages -= 1;
            state.free_at += destage;
        }
        let on_disk = accesses.iter().any(|access| matches!(access.found, Found::Disk { .. }));
        if on_disk {
            service.queue = state.free_at.saturating_sub(now);
        }
        let begun = now + service.queue + self.paths.pending;
        let mut at = self.paths.take(begun, self.paths.protocol, MILLISECOND / 10);
        service.pending = at - now - service.queue;
        service.connect += self.paths.protocol;
        at += self.paths.protocol;
        let mut staged = 0;
        for access in accesses {
            match access.found {
                Found::Cache { destage } => {
                    let length = transfer(access.bytes, self.paths.rate);
                    let free = self.paths.take(at, length, MILLISECOND / 10);
                    service.pending += free - at;
                    service.connect += length;
                    at = free + length;
                    state.destages += u32::from(destage);
                }
                Found::Disk { stage } => {
                    let cylinder = access.track / self.heads;
                    let seek = self.seek(state.cylinder, cylinder);
                    state.cylinder = cylinder;
                    service.seek += seek;
                    at += seek;
                    let sector = u64::from(access.at.min(self.track)) * rotation / u64::from(self.track);
                    let latency = (sector + rotation - at % rotation) % rotation;
                    service.latency += latency;
                    at += latency;
                    let length = transfer(access.bytes, rate.min(self.paths.rate));
                    let free = self.paths.take(at, length, rotation);
                    service.reconnect += free - at;
                    service.connect += length;
                    at = free + length;
                    if stage {
                        staged += rotation - sector.min(rotation) / 2 - rotation / 4;
                    }
                }
            }
        }
        if on_disk {
            state.free_at = at + staged;
        }
        state.programs += 1;
        state.total.add(&service);
        service
    }
}

#[cfg(test)]
mod tests;
