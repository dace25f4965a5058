//! Where minidisks lie: what an MDISK statement or DEFINE describes is found on a real disk, made in temporary space,
//! or in storage.

use crate::cache::DiskCache;
use crate::real::{self, Real, device_type};
use crate::{Minidisk, Place, State, map, temporary};
use dasd::allocation::Purpose;
use dasd::model::{CkdModel, FbaModel};
use dasd::{Extent, Kind, Memory, Volume};
use devices::dasd::{Reservation, Reservations};
use directory::Mdisk;
use message::Message;
use std::sync::{Arc, OnceLock};

impl State {
    /// The minidisk of an MDISK statement: one that is there, or a new one.
    pub(crate) fn open(&mut self, owner: &str, vdev: u16, mdisk: &Mdisk) -> Result<Arc<Minidisk>, Message> {
        use directory::Extent::{Device, Temporary, Virtual, Volume};
        let shown = format!("{vdev:04X}");
        match &mdisk.extent {
            Virtual(blocks) => {
                match self.links.statement(owner, vdev, |place| matches!(place, Place::Virtual { .. })) {
                    Some(disk) => Ok(disk.clone()),
                    None => match self.may_have((*blocks).into(), None) {
                        Ok(()) => Ok(self.virtual_disk(owner, vdev, *blocks)),
                        Err(whose) => {
                            let why = format!("{whose} virtual disk limit exceeded");
                            Err(message::link_not_there(owner, &shown, why))
                        }
                    },
                }
            }
            Temporary(count) => self.temporary_disk(owner, vdev, &mdisk.device, *count),
            Device(rdev) => {
                let real = self.reals.iter().find(|real| real.number == *rdev);
                let real = real.filter(|real| real.has_minidisks() || real.state == real::State::Free);
                let real = real.ok_or_else(|| message::link_not_mounted(owner, &shown, format!("{rdev:04X}")))?;
                let place = Place::Whole { rdev: *rdev };
                Ok(self.links.at(&place).cloned().unwrap_or_else(|| Minidisk::whole(owner, vdev, real)))
            }
            Volume { volume, start, count } => {
                let real = self.reals.iter().find(|real| real.has_minidisks() && real.serial == *volume);
                let real = real.ok_or_else(|| message::link_not_mounted(owner, &shown, volume))?;
                let kind = real.volume.kind();
                let fits = match kind {
                    Kind::Ckd { .. } => mdisk.device == device_type(&kind),
                    Kind::Fba { .. } => mdisk.device == "FB-512" || mdisk.device == device_type(&kind),
                };
                if !fits {
                    let why = format!("volid {volume} is a {}", device_type(&kind));
                    return Err(message::link_not_there(owner, &shown, why));
                }
                let extent = extent(&real.volume, *start, *count).ok_or_else(|| {
                    message::link_not_there(owner, &shown, format!("it does not lie on volid {volume}"))
                })?;
                let count = real::size(&extent.kind()).0 as u32;
                let heads = if let Kind::Ckd { heads, .. } = kind { heads } else { 1 };
                let place = Place::Real { rdev: real.number, start: *start, count };
                if let Some(disk) = self.links.statement(owner, vdev, |other| *other == place) {
                    return Ok(disk.clone());
                }
                // Another MDISK statement for the same place has options of its own, and the same reservation.
                let shared = self.links.at(&place).map(|disk| disk.reservation.clone());
                let reservation = shared.unwrap_or_else(|| part(real, (*start).into(), count.into()));
                let cacheable = in_whole_pages(&kind, *start, count);
                Ok(Arc::new(Minidisk {
                    owner: owner.into(),
                    vdev,
                    place,
                    volume: volume.clone(),
                    direct: Arc::new(extent),
                    cache: cacheable.then(|| Arc::new(DiskCache::new(mdisk.cache, mdisk.records))),
                    reservation,
                    bypass: mdisk.bypass,
                    cacheable: cacheable.then(|| (u64::from(*start) * u64::from(heads), real.cache.clone())),
                    since: OnceLock::new(),
                }))
            }
        }
    }

    pub(crate) fn virtual_disk(&mut self, owner: &str, vdev: u16, blocks: u32) -> Arc<Minidisk> {
        let place = Place::Virtual { number: self.number() };
        let model = FbaModel::named("9336-20").expect("there is this model");
        let volume = Arc::new(Memory::fba(model, blocks.into()));
        Minidisk::uncached(owner, vdev, place, "(VDSK)", volume, Arc::default())
    }

    /// Temporary space: real disks, first units, and how many there are. TDISK statements come before allocation maps.
    pub(crate) fn temporary_space(&self) -> impl Iterator<Item = (&Real, u32, u32)> {
        let stated = self.policy.temporary.iter().filter_map(|(serial, first, units)| {
            let real = self.reals.iter().find(|real| real.has_minidisks() && real.serial == *serial)?;
            Some((real, *first, *units))
        });
        let mapped = self.reals.iter().filter(|real| real.has_minidisks()).flat_map(|real| {
            let temporary = real.areas.iter().filter(|area| area.purpose == Purpose::Temporary);
            temporary.filter_map(move |area| {
                let (first, last) = map::in_units(real.volume.kind(), area);
                Some((real, u32::try_from(first).ok()?, u32::try_from(last - first + 1).ok()?))
            })
        });
        stated.chain(mapped)
    }

    /// Temporary space of `count` units for a disk of type `device`.
    pub(crate) fn temporary_disk(
        &mut self,
        owner: &str,
        vdev: u16,
        device: &str,
        count: u32,
    ) -> Result<Arc<Minidisk>, Message> {
        let number = self.number();
        for (real, first, units) in self.temporary_space() {
            let kind = real.volume.kind();
            let fixed = matches!(kind, Kind::Fba { .. });
            if real.drained || device != device_type(&kind) && !(fixed && device == "FB-512") {
                continue;
            }
            let mut start = first;
            for (other, length) in self.links.temporary(real.number) {
                if start.saturating_add(count) <= other {
                    break;
                }
                start = start.max(other + length);
            }
            if start.saturating_add(count) > first.saturating_add(units) {
                continue;
            }
            let Some(extent) = extent(&real.volume, start, Some(count)) else { continue };
            let place = Place::Temporary { number, on: Some((real.number, start)), count };
            let volume = Arc::new(temporary::Cleared::new(Arc::new(extent)));
            let reservation = part(real, start.into(), count.into());
            return Ok(Minidisk::uncached(owner, vdev, place, "(TEMP)", volume, reservation));
        }
        let left = (self.policy.temporary_storage << 20).saturating_sub(self.links.temporary_in_storage().0);
        let none = || message::no_temporary_space(format!("{vdev:04X}"));
        let device = match device {
            "FB-512" => 0x9336,
            _ => u16::from_str_radix(device, 16).map_err(|_| none())?,
        };
        let wanted = match device {
            0x9336 => u64::from(count) * Kind::BLOCK as u64,
            _ => u64::from(count) * 15 * 56_832,
        };
        if wanted > left {
            return Err(none());
        }
        let volume: Arc<dyn Volume> = match device {
            0x9336 => Arc::new(Memory::fba(FbaModel::of_size(Some(device), count.into()), count.into())),
            _ => Arc::new(Memory::ckd(CkdModel::of_size(device, count).ok_or_else(none)?, count)),
        };
        let place = Place::Temporary { number, on: None, count };
        Ok(Minidisk::uncached(owner, vdev, place, "(TEMP)", volume, Arc::default()))
    }
}

impl Minidisk {
    fn uncached(
        owner: &str,
        vdev: u16,
        place: Place,
        name: &str,
        direct: Arc<dyn Volume>,
        reservation: Arc<Reservation>,
    ) -> Arc<Minidisk> {
        let (owner, volume) = (owner.to_string(), name.to_string());
        let (cache, cacheable, since) = (None, None, OnceLock::new());
        Arc::new(Minidisk { owner, vdev, place, volume, direct, cache, reservation, bypass: false, cacheable, since })
    }

    pub(crate) fn whole(owner: &str, vdev: u16, real: &Real) -> Arc<Minidisk> {
        let (place, all) = (Place::Whole { rdev: real.number }, part(real, 0, u64::MAX));
        Minidisk::uncached(owner, vdev, place, &real.serial, real.volume.clone(), all)
    }
}

/// The reservation of `count` units of a real disk from unit `start` on.
fn part(real: &Real, start: u64, count: u64) -> Arc<Reservation> {
    Arc::new(Reservations::part(&real.reservations, start..start.saturating_add(count)))
}

/// Whether the minidisk cache takes such a minidisk: one of fixed blocks must begin and end with a page, eight blocks.
fn in_whole_pages(kind: &Kind, start: u32, count: u32) -> bool {
    match kind {
        Kind::Ckd { .. } => true,
        Kind::Fba { .. } => start.is_multiple_of(8) && count.is_multiple_of(8),
    }
}

/// `count` units of a volume from unit `start` on, to its end if there is no count; `None` if it does not have them.
fn extent(volume: &Arc<dyn Volume>, start: u32, count: Option<u32>) -> Option<Extent> {
    let units = real::size(&volume.kind()).0;
    let count = count.map_or(units.saturating_sub(start.into()), u64::from);
    Extent::new(volume.clone(), start.into(), count, false)
}
