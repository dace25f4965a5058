//! Control units: which real disks share a cache and paths, and whether virtual disks are within their limits.
//!
//! Real disks with the same left half of the device number are at one control unit. If it is of the 3990's kind, it has
//! a cache and non-volatile storage, of the sizes that SYSTEM CONFIG says; other kinds may be chosen there. Its cache
//! is a model ([`devices::dasd::Cache`]): data is always on the volume, and what is counted is what such a control unit
//! would have done.

use crate::policy::{Limits, Settings};
use crate::real::{Real, device_type};
use crate::{Disks, Minidisk, Place, State};
use base::Held;
use dasd::Kind;
use devices::dasd::timing::{Paths, Timing};
use devices::dasd::{Alarm, Cache};
use std::sync::Arc;

/// The cache of a control unit that such a disk may be at.
fn cache(settings: Settings, kind: Kind) -> Option<Arc<Cache>> {
    let Kind::Ckd { device: 0x3380 | 0x3390 | 0x9345, track, .. } = kind else { return None };
    (settings.cache > 0).then(|| Arc::new(Cache::sized([settings.cache, settings.storage], track)))
}

impl State {
    /// Puts a new real disk at its control unit, with the neighbours that it has there; why it cannot be attached to it
    /// otherwise.
    pub(crate) fn place(&self, real: &mut Real) -> Result<(), String> {
        let number = (real.number >> 8) as u8;
        let settings = self.policy.subsystems.iter().find(|settings| settings.number == number).copied();
        let settings = settings.unwrap_or(Settings::usual(number));
        let kind = real.volume.kind();
        if let Some(model) = settings.model {
            let (Kind::Ckd { device, .. } | Kind::Fba { device, .. }) = kind;
            if !model.devices.contains(&device) {
                let device = device_type(&kind);
                return Err(format!("a {device} cannot be attached to a {} (SUBSYSTEM {number:02X})", model.name));
            }
            real.control_unit = model.unit;
        }
        real.channels = settings.paths.unwrap_or(1);
        let neighbours = || self.reals.iter().filter(|other| (other.number >> 8) as u8 == number);
        real.paths = match neighbours().next() {
            Some(neighbour) => neighbour.paths.clone(),
            None => Arc::new(Paths::of(real.control_unit, settings.paths.unwrap_or(u8::MAX))),
        };
        if kind.tracks() != 0 {
            real.subsystem = neighbours().find_map(|other| other.subsystem.clone()).or_else(|| cache(settings, kind));
            real.subsystem.iter().for_each(|cache| cache.attach(real.number as u8));
        }
        let timing = Timing::new(&kind, real.paths.clone());
        timing.set_on(settings.timed);
        real.timing = Arc::new(timing);
        Ok(())
    }

    /// Whether `blocks` more would be within the limits; otherwise which limit it is, the system's or the user's.
    pub(crate) fn may_have(&self, blocks: u64, owner: Option<&str>) -> Result<(), &'static str> {
        let within = |limit: Option<u64>, used: u64| limit.is_none_or(|limit| used + blocks <= limit);
        match () {
            () if !within(self.limits.system, self.links.virtual_blocks(None)) => Err("system"),
            () if owner.is_some() && !within(self.limits.user, self.links.virtual_blocks(owner)) => Err("user"),
            () => Ok(()),
        }
    }
}

impl Disks {
    /// The alarm that tells devices that take their time when it has passed; without one, none does. Before the first
    /// link.
    pub fn set_alarm(&self, alarm: Arc<dyn Alarm>) {
        *self.alarm.lock().held() = Some(alarm);
    }

    /// Does it when so many nanoseconds have passed.
    pub fn later(&self, nanoseconds: u64, what: impl FnOnce() + Send + 'static) {
        let alarm = self.alarm.lock().held().clone().filter(|_| nanoseconds > 0);
        match alarm {
            Some(alarm) => alarm.call(alarm.now() + nanoseconds, Box::new(what)),
            None => what(),
        }
    }

    /// SET VDISK: the limits from now on.
    pub fn set_virtual_limits(&self, limits: Limits) {
        self.state.lock().held().limits = limits;
    }

    /// The limits of virtual disks, and how many blocks of them there are.
    pub fn virtual_limits(&self) -> (Limits, u64) {
        let state = self.state.lock().held();
        (state.limits, state.links.virtual_blocks(None))
    }

    /// A real disk.
    pub fn real(&self, rdev: u16) -> Option<Real> {
        self.state.lock().held().reals.iter().find(|real| real.number == rdev).cloned()
    }
}

impl Minidisk {
    /// The volume's number of the first track or block.
    pub(crate) fn first(&self) -> u64 {
        let (Place::Real { start, .. } | Place::Temporary { on: Some((_, start)), .. }) = self.place else { return 0 };
        u64::from(start) * if let Kind::Ckd { heads, .. } = self.kind() { heads.into() } else { 1 }
    }
}
