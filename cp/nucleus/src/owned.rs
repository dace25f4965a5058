//! The volumes that CP owns: what their allocation maps have them for, and paging to them.

use dasd::allocation::{Allocation, AllocationError, Area, Purpose};
use dasd::{Kind, MediaError, Pages};
use directory::User;
use minidisk::policy::Policy;
use minidisk::real::{Real, State};
use minidisk::{Disks, map};
use realstorage::pager::{PageVolume, Paging, SlotUse};
use std::io;
use std::sync::Arc;

/// Areas of a volume to which pages go.
#[derive(Clone)]
pub struct PageSpace {
    /// The real device number.
    pub rdev: u16,
    /// Spool space, to which paging overflows; else page space.
    pub spool: bool,
    /// The areas in slots.
    pub pages: Pages,
    serial: String,
    /// Its place among the page volumes, if the system pages.
    volume: Option<usize>,
}

/// What is in use of a part of a volume, in units of it and in pages.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SpaceUse {
    /// Units that have a page.
    pub units: u32,
    /// Pages that there is room for.
    pub slots: u32,
    /// Pages there are.
    pub used: u32,
    /// So many slots, from the first on, have been in use at all.
    pub high: u32,
}

/// All volumes that CP owns, and the page files.
#[derive(Default)]
pub struct OwnedVolumes {
    spaces: Vec<PageSpace>,
    /// Page files: their names, their slots, and their places among the page volumes.
    files: Vec<(String, u32, usize)>,
}

impl OwnedVolumes {
    /// Looks at the volumes that SYSTEM CONFIG gives to CP, and takes the areas that may be used. `system` is this
    /// system's name. What is wrong, a line for each: the system comes up without that.
    pub(crate) fn find(disks: &Disks, users: &[Arc<User>], system: &str) -> (OwnedVolumes, Vec<String>) {
        let (policy, reals) = (disks.policy(), disks.reals());
        let (mut owned, mut wrong) = (OwnedVolumes::default(), Vec::new());
        for (n, serial) in policy.owned.iter().enumerate().filter(|(_, serial)| !serial.is_empty()) {
            let Some(real) = reals.iter().find(|real| real.state == State::Owned && real.serial == *serial) else {
                wrong.push(format!(
                    "CP_OWNED SLOT {}: volume {serial} is not mounted: a DASD statement of SYSTEM CONFIG has to name \
                     its file",
                    n + 1
                ));
                continue;
            };
            let volume = &*real.volume;
            let users = users.iter().map(|user| &**user);
            let map = Allocation::read(volume);
            let (areas, why) = usable((volume.kind(), serial, volume.read_only()), &map, users, &policy, system);
            wrong.extend(why.into_iter().map(|why| format!("DASD {:04X} {serial}: {why}", real.number)));
            owned.add(real, &areas);
            let all = map.ok().flatten().map_or(Vec::new(), |map| map.areas().to_vec());
            disks.use_areas(real.number, all, areas);
        }
        (owned, wrong)
    }

    fn add(&mut self, real: &Real, areas: &[Area]) {
        for (purpose, spool) in [(Purpose::Page, false), (Purpose::Spool, true)] {
            let mine: Vec<Area> = areas.iter().copied().filter(|area| area.purpose == purpose).collect();
            if let Some(pages) = Pages::new(real.volume.clone(), mine).filter(|pages| pages.slots() > 0) {
                let (rdev, serial) = (real.number, real.serial.clone());
                self.spaces.push(PageSpace { rdev, spool, pages, serial, volume: None });
            }
        }
    }

    /// Whether there is page space, apart from spool space.
    pub(crate) fn has_pages(&self) -> bool {
        self.spaces.iter().any(|space| !space.spool)
    }

    /// A page file is the next of the page volumes.
    pub(crate) fn add_file(&mut self, volume: Box<dyn PageVolume>, to: &mut Vec<Box<dyn PageVolume>>) {
        self.files.push((volume.name(), volume.slots(), to.len()));
        to.push(volume);
    }

    /// The areas become page volumes.
    pub(crate) fn give(&mut self, disks: &Disks, to: &mut Vec<Box<dyn PageVolume>>) {
        for space in &mut self.spaces {
            space.volume = Some(to.len());
            to.push(Box::new(space.clone()));
            disks.page_to(space.rdev);
        }
    }

    /// The areas on a real disk to which pages go.
    pub fn on(&self, rdev: u16) -> impl Iterator<Item = &PageSpace> {
        self.spaces.iter().filter(move |space| space.rdev == rdev)
    }

    /// DRAIN and START: an area on a real disk gets no more pages, or some again. False if there is none.
    pub fn drain(&self, paging: &Paging, rdev: u16, spool: bool, drained: bool) -> bool {
        let volume = self.on(rdev).find(|space| space.spool == spool).and_then(|space| space.volume);
        volume.inspect(|&volume| paging.drain(volume, drained)).is_some()
    }

    /// Page files: the name of each, and what is in use of it.
    pub fn files<'a>(&'a self, paging: Option<&'a Arc<Paging>>) -> impl Iterator<Item = (&'a str, SpaceUse)> {
        self.files.iter().map(move |(name, slots, volume)| {
            let found = paging.map_or(SlotUse::default(), |paging| paging.slot_use(*volume, 0..*slots, 1));
            (name.as_str(), of(found, *slots))
        })
    }
}

fn of(found: SlotUse, slots: u32) -> SpaceUse {
    SpaceUse { units: found.units, slots: slots - found.bad.min(slots), used: found.slots, high: found.high }
}

impl PageSpace {
    /// What is in use of each area.
    pub fn usage(&self, paging: Option<&Arc<Paging>>) -> Vec<(Area, SpaceUse)> {
        let (unit, mut at) = (self.pages.per_unit(), 0);
        let of_area = |area: &Area| {
            let slots = at..at + area.units() * unit;
            at = slots.end;
            let found = paging.zip(self.volume).map(|(paging, volume)| paging.slot_use(volume, slots, unit));
            (*area, of(found.unwrap_or_default(), area.units() * unit))
        };
        self.pages.areas().iter().map(of_area).collect()
    }

    /// Whether no more pages go there.
    pub fn is_drained(&self, paging: Option<&Arc<Paging>>) -> bool {
        paging.zip(self.volume).is_some_and(|(paging, volume)| paging.is_drained(volume))
    }

    /// The error with the place where it happened.
    fn failed(&self, slot: u32, error: &MediaError) -> io::Error {
        let kind = match error {
            MediaError::Full(_) => io::ErrorKind::StorageFull,
            MediaError::Damaged(_) => io::ErrorKind::InvalidData,
            _ => io::ErrorKind::Other,
        };
        io::Error::new(kind, format!("{}: {error}", self.pages.describe(slot)))
    }
}

impl PageVolume for PageSpace {
    fn name(&self) -> String {
        format!("{} on DASD {:04X}", self.serial, self.rdev)
    }

    fn slots(&self) -> u32 {
        self.pages.slots()
    }

    fn overflow(&self) -> bool {
        self.spool
    }

    fn read(&self, slot: u32, to: &mut [u8]) -> io::Result<()> {
        self.pages.read(slot, to).map_err(|error| self.failed(slot, &error))
    }

    fn write(&self, slot: u32, from: &[u8]) -> io::Result<()> {
        self.pages.write(slot, from).map_err(|error| self.failed(slot, &error))
    }
}

/// What remains of a volume that CP cannot use itself.
const MINIDISKS: &str = "only minidisks of it are used";

/// The areas of a volume of CP's that a system with this name may use, those of minidisks apart, and what is wrong with
/// the others or with its map. The volume comes with its serial, and whether the system may only read it.
pub fn usable<'a>(
    (kind, serial, read_only): (Kind, &str, bool),
    map: &Result<Option<Allocation>, AllocationError>,
    users: impl Iterator<Item = &'a User> + Clone,
    policy: &Policy,
    system: &str,
) -> (Vec<Area>, Vec<String>) {
    let allocation = match map {
        Ok(Some(allocation)) => allocation,
        Ok(None) => return <_>::default(),
        Err(why) => return (Vec::new(), vec![format!("{why}; {MINIDISKS}")]),
    };
    if let Some(owner) = allocation.owner.as_ref().filter(|owner| !owner.eq_ignore_ascii_case(system)) {
        let why = format!(
            "it is of system {owner}, and this is {system}: endicott dasd cpfmtxa --owner {system} gives it to this \
             one; {MINIDISKS}"
        );
        return (Vec::new(), vec![why]);
    }
    let (mut areas, mut wrong) = (Vec::new(), Vec::new());
    for area in allocation.areas().iter().filter(|area| area.purpose != Purpose::Permanent) {
        match map::in_the_way(kind, serial, users.clone(), policy, area) {
            None => areas.push(*area),
            Some(what) => wrong.push(format!(
                "{} {}-{} is not used: {what} lies there; move it, or endicott dasd cpfmtxa --allocate PERM=...",
                area.purpose.name(),
                area.first,
                area.last
            )),
        }
    }
    if read_only && !areas.is_empty() {
        wrong.push(format!("it may only be read: its DASD statement says R/O, or its file; {MINIDISKS}"));
        areas.clear();
    }
    (areas, wrong)
}
