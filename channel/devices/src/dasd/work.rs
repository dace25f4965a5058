//! What a disk is used for, told to its control unit's cache and to the model of its time: by channel programs, and by
//! CP's services that move blocks without one.

use super::cache::{Cache, Usage};
use super::timing::{Access, Found};
use super::{Options, Reservation, Timed};
use css::Doorbell;
use dasd::Kind;
use std::sync::Arc;

/// Until when a device is at it, if it takes its time.
pub(super) struct Clockwork {
    timed: Option<Timed>,
    until: Option<u64>,
}

impl Clockwork {
    pub(super) fn new(timed: Option<Timed>) -> Clockwork {
        Clockwork { timed, until: None }
    }

    /// Whether the model of the disk's time is on, and wants to know what is used.
    pub(super) fn runs(&self) -> bool {
        self.timed.as_ref().is_some_and(|timed| timed.device.is_on())
    }

    /// It is at nothing.
    pub(super) fn rest(&mut self) {
        self.until = None;
    }

    /// A channel program has used this much, and ends when that would have been over.
    pub(super) fn end(&mut self, accesses: &[Access]) {
        let Some(timed) = self.timed.as_ref().filter(|_| !accesses.is_empty()) else { return };
        let now = timed.alarm.now();
        self.until = Some(now + timed.device.serve(now, accesses).response());
    }

    /// Whether it is at it still; `bell` rings when it no longer is.
    pub(super) fn busy(&mut self, bell: Option<&Doorbell>) -> bool {
        let (Some(until), Some(timed), Some(bell)) = (self.until, &self.timed, bell) else { return false };
        if timed.alarm.now() >= until {
            self.until = None;
            return false;
        }
        timed.alarm.ring(until, bell.clone());
        true
    }

    /// How long it will be at it still, in nanoseconds. This also ends the wait, so a second call gives 0.
    pub(super) fn left(&mut self) -> u64 {
        let (Some(until), Some(timed)) = (self.until.take(), &self.timed) else { return 0 };
        until.saturating_sub(timed.alarm.now())
    }
}

/// The pieces of a fixed-block disk that the model of its time takes for tracks: 80 blocks.
pub(super) const PIECE: u64 = 80;

/// Blocks of a fixed-block disk, as the model of its time sees them. They go over in one stream, so they count as what
/// the first piece holds of them and all that follows.
pub(super) fn blocks(block: u64, bytes: usize) -> Access {
    Access {
        track: u32::try_from(block / PIECE).unwrap_or(u32::MAX),
        at: (block % PIECE) as u32 * Kind::BLOCK as u32,
        bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
        found: Found::Disk { stage: false },
    }
}

/// A disk as services use it that move blocks.
pub struct Meter {
    cache: Option<(Arc<Cache>, u8)>,
    usage: Usage,
    timed: Option<Timed>,
    /// The volume's number of the first track or block.
    first: u64,
    fixed: bool,
    /// The disk's reservation, and this device's number in it.
    reservation: Arc<Reservation>,
    party: Option<u64>,
}

/// One request to such a service.
pub struct Request<'a> {
    meter: &'a Meter,
    /// The track in hand, and whether it is written.
    now: Option<(Access, bool)>,
    accesses: Vec<Access>,
}

impl Meter {
    /// A disk of this kind whose device has these options.
    pub fn new(kind: &Kind, options: &Options) -> Meter {
        Meter {
            cache: options.cache.clone().map(|cache| (cache, options.unit)),
            usage: if options.bypass_cache { Usage::BYPASS } else { Usage::default() },
            timed: options.timing.clone(),
            first: options.first,
            fixed: matches!(kind, Kind::Fba { .. }),
            reservation: options.reservation.clone(),
            party: options.party,
        }
    }

    /// Whether another party has the disk reserved.
    pub fn kept_out(&self) -> bool {
        self.reservation.kept_from(self.party.unwrap_or(0))
    }

    /// Whether the cache or the model of the disk's time wants to know what is used.
    pub fn counts(&self) -> bool {
        self.cache.is_some() || self.timed.as_ref().is_some_and(|timed| timed.device.is_on())
    }

    /// Begins the count of one channel program's use of the disk.
    pub fn request(&self) -> Request<'_> {
        Request { meter: self, now: None, accesses: Vec::new() }
    }
}

impl Request<'_> {
    /// So many bytes at `at` of a track, or from a block on, were moved between the disk and storage.
    pub fn used(&mut self, unit: u64, at: usize, bytes: usize, wrote: bool) {
        let place = self.meter.first + unit;
        if self.meter.fixed {
            self.accesses.push(blocks(place, bytes));
            return;
        }
        let track = place as u32;
        match &mut self.now {
            Some((access, before)) if access.track == track && *before == wrote => access.bytes += bytes as u32,
            _ => {
                self.pass();
                let found = Found::Disk { stage: false };
                self.now = Some((Access { track, at: at as u32, bytes: bytes as u32, found }, wrote));
            }
        }
    }

    /// The track in hand is done with.
    fn pass(&mut self) {
        let Some((mut access, wrote)) = self.now.take() else { return };
        if let Some((cache, unit)) = &self.meter.cache {
            access.found = cache.used(*unit, access.track, wrote, self.meter.usage);
        }
        self.accesses.push(access);
    }

    /// The request is done; how long that would have taken, in nanoseconds.
    pub fn end(mut self) -> u64 {
        self.pass();
        match &self.meter.timed {
            Some(timed) if timed.device.is_on() && !self.accesses.is_empty() => {
                timed.device.serve(timed.alarm.now(), &self.accesses).response()
            }
            _ => 0,
        }
    }
}
