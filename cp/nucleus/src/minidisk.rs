//! Disks: the real ones, the minidisks on them, and the links that users have to those.
//!
//! A real disk ([`real::Real`]) is a volume under a real device number. A [`Minidisk`] is what an MDISK statement or DEFINE
//! describes: an extent of such a volume, temporary space, or storage. It is there as long as somebody has a [`Link`] to
//! it; the link is a virtual device of one user. What a link's device reads and writes goes through these, from above:
//! the device of the `devices` crate; the minidisk cache ([`cache`]); the extent ([`dasd::Extent`]), which nobody leaves; the volume.
//!
//! Minidisks are the same if they lie in the same place, whatever users the directory gives them to: LINK's modes and
//! the cache look at that; only MINIOPT is each statement's own. (Minidisks that merely overlap are the administrator's business, and QUERY MDISK MAP shows them.)
//! A RESERVE is seen by all who have the minidisk or one that overlaps it, as by all systems that share a real disk, and of two
//! changes to one track none is lost ([`dasd::Volume::update_track`]).
//!
//! The lock in [`Disks`] is held for data only; no other is taken while it is held.

pub mod blocks;
pub mod cache;
pub mod link;
pub mod map;
pub mod real;
mod snapshot;
pub mod subsystem;
pub mod temporary;
pub mod trouble;

use crate::console::display::Tone;
use crate::console::terminal::Host;
use crate::message::{self, Message};
use crate::system::Cp;
use crate::vmdbk::Vmdbk;
use base::{Clock, Tod};
use cache::{Cache, Cached, DeviceCache, DiskCache, UserCache};
use complex::Configuration;
use dasd::model::{CkdModel, FbaModel};
use dasd::{Extent, Kind, MediaError, Memory, Volume};
use devices::dasd::{Alarm, Control, Meter, Options, Reservation, Reservations, Timed, Trouble};
use directory::{Access, DasdControl, DasdOptions, DeviceKind, LinkMode, LinkPassword, Mdisk, Opt, RealDevice};
use link::{Grant, Level, Others};
use real::{Policy, Real, device_type};
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use trouble::Troubles;

/// Wrong link passwords after which a user's links that need one are refused.
const WRONG_PASSWORDS: u32 = 10;

/// LINK statements that lead to LINK statements are followed so far.
const INDIRECT: usize = 8;

/// Where a minidisk lies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// Units of a real disk.
    Real { rdev: u16, start: u32, count: u32 },
    /// A real disk as such: MDISK DEVNO, or dedicated. It is never cached.
    Whole { rdev: u16 },
    /// Temporary space, of a real disk from a unit on, or of the host's storage.
    Temporary { number: u64, on: Option<(u16, u32)>, count: u32 },
    /// Storage.
    Virtual { number: u64 },
}

impl Place {
    /// What tells minidisks of one real disk apart in configuration data.
    fn token(&self) -> Option<[u8; 16]> {
        let (high, low) = match *self {
            Place::Real { start, count, .. } => (u64::from(start) << 32 | u64::from(count), 0),
            Place::Whole { .. } => return None,
            Place::Temporary { number, .. } => (0, number),
            Place::Virtual { number } => (1, number),
        };
        Some((u128::from(high) << 64 | u128::from(low)).to_be_bytes())
    }
}

/// A minidisk, or a real disk that is used as one.
pub struct Minidisk {
    /// Whose MDISK statement it is, and the number there.
    pub owner: String,
    pub vdev: u16,
    pub place: Place,
    /// The serial of the volume, `(VDSK)` or `(TEMP)`.
    pub volume: String,
    /// The minidisk without the cache.
    pub direct: Arc<dyn Volume>,
    pub cache: Option<Arc<DiskCache>>,
    pub reservation: Arc<Reservation>,
    /// MINIOPT NOCACHE: the control unit's cache is bypassed.
    pub bypass: bool,
    /// The volume's number of the first track or block, and the volume as the cache knows it.
    cacheable: Option<(u64, Arc<DeviceCache>)>,
}

impl Minidisk {
    /// The real device, if there is one.
    pub fn rdev(&self) -> Option<u16> {
        match self.place {
            Place::Real { rdev, .. } | Place::Whole { rdev } => Some(rdev),
            Place::Temporary { on, .. } => on.map(|(rdev, _)| rdev),
            Place::Virtual { .. } => None,
        }
    }

    pub fn kind(&self) -> Kind {
        self.direct.kind()
    }

    /// Whether somebody has it reserved.
    pub fn reserved(&self) -> bool {
        self.reservation.reserved()
    }
}

/// A user's virtual device that is a minidisk.
pub struct Link {
    pub userid: String,
    vdev: AtomicU16,
    pub disk: Arc<Minidisk>,
    pub read_only: bool,
    /// The mode that was asked for.
    pub mode: LinkMode,
    pub dasd: DasdOptions,
    /// What the device reads and writes: the minidisk, through the cache if it may be cached.
    pub volume: Arc<dyn Volume>,
    cached: Option<Arc<Cached>>,
    /// How the device is attached, and what block services use of the disk.
    options: Options,
    meter: Arc<Meter>,
    /// What DIAGNOSE X'250' has set up.
    block_io: Mutex<Option<BlockEnvironment>>,
}

/// What DIAGNOSE X'250' INIT leaves for its requests.
#[derive(Clone)]
pub struct BlockEnvironment {
    pub disk: blocks::BlockDisk,
    /// To be added to block numbers for the minidisk's, which begin with 1.
    pub offset: i64,
    /// The virtual machine's generation: a reset ends it.
    pub generation: u64,
}

impl Link {
    pub fn vdev(&self) -> u16 {
        self.vdev.load(Ordering::Acquire)
    }

    /// Whether reads go through the minidisk cache now; `None` if they never do.
    pub fn is_cached(&self) -> Option<bool> {
        self.cached.as_ref().map(|cached| cached.eligible())
    }

    /// The set-up of DIAGNOSE X'250'.
    pub fn block_io(&self) -> MutexGuard<'_, Option<BlockEnvironment>> {
        hold(&self.block_io)
    }

    /// `R/O` or `R/W`.
    pub fn access(&self) -> &'static str {
        if self.read_only { "R/O" } else { "R/W" }
    }
}

/// What LINK is to do.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The user in whose directory entry the minidisk is, and its number there.
    pub owner: &'a str,
    pub vdev: u16,
    /// The number it is to have.
    pub as_vdev: u16,
    pub mode: LinkMode,
    pub password: Option<&'a str>,
    /// From the directory: no password is asked for.
    pub trusted: bool,
    pub dasd: DasdOptions,
}

/// Why there is no link.
pub enum Refusal {
    Message(Message),
    /// It needs this password, and none was given.
    Password(Level),
}

impl From<Message> for Refusal {
    fn from(message: Message) -> Refusal {
        Refusal::Message(message)
    }
}

/// A link was made; what the user is told, and LINK's return code.
pub struct Linked {
    pub notice: Option<String>,
    pub code: u16,
}

#[derive(Default)]
struct State {
    policy: Policy,
    reals: Vec<Real>,
    links: Vec<Arc<Link>>,
    users: HashMap<String, Arc<UserCache>>,
    wrong: HashMap<String, u32>,
    limits: subsystem::Limits,
    next: u64,
}

/// All disks of the system.
#[derive(Default)]
pub struct Disks {
    state: Mutex<State>,
    pub cache: Arc<Cache>,
    alarm: Mutex<Option<Arc<dyn Alarm>>>,
    troubles: Arc<Troubles>,
}

fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Disks {
    fn state(&self) -> MutexGuard<'_, State> {
        hold(&self.state)
    }

    // Real disks.

    /// Which volumes are CP's and its users'; before the first [`Disks::install`].
    pub fn set_policy(&self, policy: Policy) {
        let mut state = self.state();
        state.limits = policy.limits;
        state.policy = policy;
    }

    pub fn policy(&self) -> Policy {
        self.state().policy.clone()
    }

    /// A real disk is there from now on. False if there is one with its number already.
    pub fn install(&self, number: u16, volume: Arc<dyn Volume>, file: String) -> bool {
        let mut real = Real::new(number, volume, file, &self.cache);
        let mut state = self.state();
        if state.reals.iter().any(|other| other.number == number) {
            return false;
        }
        real.state = state.policy.state(&real.serial);
        state.place(&mut real);
        // Of two volumes with one serial, the second is not used before somebody says so.
        if real.has_minidisks() && state.reals.iter().any(|r| r.has_minidisks() && r.serial == real.serial) {
            real.state = real::State::Offline;
        }
        state.reals.push(real);
        state.reals.sort_by_key(|real| real.number);
        true
    }

    /// The real disks, in the order of their numbers.
    pub fn reals(&self) -> Vec<Real> {
        self.state().reals.clone()
    }

    /// How many links there are to a real disk and its minidisks.
    pub fn users_of(&self, rdev: u16) -> usize {
        self.state().links.iter().filter(|link| link.disk.rdev() == Some(rdev)).count()
    }

    /// ATTACH ... SYSTEM, DETACH ... FROM SYSTEM, VARY: gives a real disk another use. `label` is read again.
    pub fn set_real(&self, rdev: u16, to: real::State) -> Result<Real, Message> {
        let in_use = self.users_of(rdev);
        let mut state = self.state();
        let real = state.reals.iter_mut().find(|real| real.number == rdev);
        let real = real.ok_or_else(|| message::no_real_device(format!("{rdev:04X}")))?;
        if in_use > 0 {
            return Err(message::volume_in_use(format!("{rdev:04X}"), in_use));
        }
        real.state = to;
        if let Some(serial) = real::serial(&*real.volume) {
            real.serial = serial;
        }
        Ok(real.clone())
    }

    /// The system ends: everything written is as safe as the host can make it, and the files are as other programs expect them.
    pub fn close(&self, now: Tod) {
        for real in self.reals() {
            if let Err(error) = real.volume.close() {
                let number = format!("{:04X}", real.number);
                self.troubles.report(now, &number, &real.serial, "", "its end", &error);
            }
        }
    }

    /// What the operator has not been told yet.
    pub fn take_troubles(&self) -> VecDeque<Message> {
        self.troubles.take()
    }

    /// Whether [`Disks::take_troubles`] has something.
    pub fn has_troubles(&self) -> bool {
        self.troubles.any()
    }

    // Links.

    /// A user's links, in the order of their numbers.
    pub fn links_of(&self, userid: &str) -> Vec<Arc<Link>> {
        let mut links: Vec<_> = self.state().links.iter().filter(|link| link.userid == userid).cloned().collect();
        links.sort_by_key(|link| link.vdev());
        links
    }

    /// A user's link with this number.
    pub fn link(&self, userid: &str, vdev: u16) -> Option<Arc<Link>> {
        self.state().links.iter().find(|link| link.userid == userid && link.vdev() == vdev).cloned()
    }

    /// Everybody's links to what lies in the same place.
    pub fn links_to(&self, place: &Place) -> Vec<Arc<Link>> {
        self.state().links.iter().filter(|link| link.disk.place == *place).cloned().collect()
    }

    /// DEFINE vdev AS. False if the user has no link with that number.
    pub fn renumber(&self, userid: &str, old: u16, new: u16) -> bool {
        let link = self.link(userid, old);
        link.as_ref().inspect(|link| link.vdev.store(new, Ordering::Release)).is_some()
    }

    /// What the cache knows of a user who is logged on.
    pub fn user_cache(&self, userid: &str) -> Option<Arc<UserCache>> {
        self.state().users.get(userid).cloned()
    }

    /// What the cache knows of all users.
    pub fn user_caches(&self) -> Vec<Arc<UserCache>> {
        let mut users: Vec<_> = self.state().users.values().cloned().collect();
        users.sort_by(|a, b| a.userid.cmp(&b.userid));
        users
    }

    fn remove(&self, link: &Arc<Link>) {
        self.state().links.retain(|other| !Arc::ptr_eq(other, link));
    }
}

impl State {
    fn others(&self, disk: &Minidisk) -> Others {
        let mut others = Others::default();
        for link in self.links.iter().filter(|link| link.disk.place == disk.place) {
            let list = if link.read_only { &mut others.readers } else { &mut others.writers };
            list.push(link.userid.clone());
            others.stable |= link::is_stable(link.mode.access);
            others.exclusive |= link::is_exclusive(link.mode.access);
        }
        others
    }

    fn live(&self, found: impl Fn(&Minidisk) -> bool) -> Option<Arc<Minidisk>> {
        self.links.iter().map(|link| &link.disk).find(|disk| found(disk)).cloned()
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// The minidisk of an MDISK statement: one that is there, or a new one.
    fn open(&mut self, owner: &str, vdev: u16, mdisk: &Mdisk) -> Result<Arc<Minidisk>, Message> {
        use directory::Extent::{Device, Temporary, Virtual, Volume};
        let shown = format!("{vdev:04X}");
        match &mdisk.extent {
            Virtual(blocks) => {
                let same = |disk: &Minidisk| {
                    matches!(disk.place, Place::Virtual { .. }) && disk.owner == owner && disk.vdev == vdev
                };
                match self.live(same) {
                    Some(disk) => Ok(disk),
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
                Ok(self.live(|disk| disk.place == place).unwrap_or_else(|| Minidisk::whole(owner, vdev, real)))
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
                let here = |disk: &Minidisk| disk.place == place;
                if let Some(disk) = self.live(|disk| here(disk) && disk.owner == owner && disk.vdev == vdev) {
                    return Ok(disk);
                }
                // Another MDISK statement for the same place has options of its own, and the same reservation.
                let shared = self.live(here).map(|disk| disk.reservation.clone());
                let reservation = shared.unwrap_or_else(|| part(real, (*start).into(), count.into()));
                Ok(Arc::new(Minidisk {
                    owner: owner.into(),
                    vdev,
                    place,
                    volume: volume.clone(),
                    direct: Arc::new(extent),
                    cache: Some(Arc::new(DiskCache::new(mdisk.cache, mdisk.records))),
                    reservation,
                    bypass: mdisk.bypass,
                    cacheable: Some((u64::from(*start) * u64::from(heads), real.cache.clone())),
                }))
            }
        }
    }

    fn virtual_disk(&mut self, owner: &str, vdev: u16, blocks: u32) -> Arc<Minidisk> {
        let place = Place::Virtual { number: self.number() };
        let model = FbaModel::named("9336-20").expect("there is this model");
        let volume = Arc::new(Memory::fba(model, blocks.into()));
        Minidisk::uncached(owner, vdev, place, "(VDSK)", volume, Arc::default())
    }

    /// Temporary space of `count` units for a disk of type `device`.
    fn temporary_disk(&mut self, owner: &str, vdev: u16, device: &str, count: u32) -> Result<Arc<Minidisk>, Message> {
        let number = self.number();
        let taken = |rdev: u16| {
            let on = self.links.iter().filter_map(move |link| match link.disk.place {
                Place::Temporary { on: Some((on, start)), count, .. } if on == rdev => Some((start, count)),
                _ => None,
            });
            let mut taken: Vec<(u32, u32)> = on.collect();
            taken.sort_unstable();
            taken
        };
        for (serial, first, units) in &self.policy.temporary {
            let owned = self.reals.iter().find(|real| real.has_minidisks() && real.serial == *serial);
            let Some(real) = owned else { continue };
            let kind = real.volume.kind();
            let fixed = matches!(kind, Kind::Fba { .. });
            if device != device_type(&kind) && !(fixed && device == "FB-512") {
                continue;
            }
            let mut start = *first;
            for (other, length) in taken(real.number) {
                if start.saturating_add(count) <= other {
                    break;
                }
                start = start.max(other + length);
            }
            if start.saturating_add(count) > first.saturating_add(*units) {
                continue;
            }
            let Some(extent) = extent(&real.volume, start, Some(count)) else { continue };
            let place = Place::Temporary { number, on: Some((real.number, start)), count };
            let volume = Arc::new(temporary::Cleared::new(Arc::new(extent)));
            let reservation = part(real, start.into(), count.into());
            return Ok(Minidisk::uncached(owner, vdev, place, "(TEMP)", volume, reservation));
        }
        let bytes = |kind: &Kind| match *kind {
            Kind::Ckd { cylinders, heads, track, .. } => u64::from(cylinders) * u64::from(heads) * u64::from(track),
            Kind::Fba { blocks, .. } => blocks * Kind::BLOCK as u64,
        };
        let in_storage = |link: &&Arc<Link>| matches!(link.disk.place, Place::Temporary { on: None, .. });
        let used: u64 = self.links.iter().filter(in_storage).map(|link| bytes(&link.disk.kind())).sum();
        let left = (self.policy.temporary_storage << 20).saturating_sub(used);
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
        let (cache, cacheable) = (None, None);
        Arc::new(Minidisk { owner, vdev, place, volume, direct, cache, reservation, bypass: false, cacheable })
    }

    fn whole(owner: &str, vdev: u16, real: &Real) -> Arc<Minidisk> {
        let (place, all) = (Place::Whole { rdev: real.number }, part(real, 0, u64::MAX));
        Minidisk::uncached(owner, vdev, place, &real.serial, real.volume.clone(), all)
    }
}

/// The reservation of `count` units of a real disk from unit `start` on.
fn part(real: &Real, start: u64, count: u64) -> Arc<Reservation> {
    Arc::new(Reservations::part(&real.reservations, start..start.saturating_add(count)))
}

/// `count` units of a volume from unit `start` on, to its end if there is no count; `None` if it does not have them.
fn extent(volume: &Arc<dyn Volume>, start: u32, count: Option<u32>) -> Option<Extent> {
    let units = real::size(&volume.kind()).0;
    let count = count.map_or(units.saturating_sub(start.into()), u64::from);
    Extent::new(volume.clone(), start.into(), count, false)
}

/// The MDISK statement that a user's device number leads to, through LINK statements if need be.
fn resolve(cp: &Cp, owner: &str, vdev: u16) -> Result<(String, u16, Mdisk, DasdOptions), Message> {
    let absent = || message::link_not_in_directory(owner, format!("{vdev:04X}"));
    let (mut at, mut number) = (owner.to_string(), vdev);
    for _ in 0..INDIRECT {
        let user = cp.user(&at).ok_or_else(|| message::not_in_directory(&at).from("LNM"))?;
        let device = user.device(number).ok_or_else(absent)?;
        match &device.kind {
            DeviceKind::Mdisk(mdisk) => return Ok((at, number, mdisk.clone(), device.dasd)),
            DeviceKind::Link { userid, vdev, .. } => {
                number = *vdev;
                if userid != "*" {
                    at.clone_from(userid);
                }
            }
            _ => return Err(absent()),
        }
    }
    Err(absent())
}

/// Whether `vmdbk` may link with this mode; the owner may, and who knows the password.
fn authorize(cp: &Cp, vmdbk: &Vmdbk, owner: &str, mdisk: &Mdisk, request: &Request<'_>) -> Result<(), Refusal> {
    let access = request.mode.access;
    let options = &vmdbk.user.options;
    let (stable, exclusive) = (link::is_stable(access), link::is_exclusive(access));
    let may = !stable && !exclusive || options.has(Opt::LnkExclu) || stable && options.has(Opt::LnkStabl);
    if !may && !request.trusted {
        return Err(message::not_authorised().from("LNM").into());
    }
    if request.trusted || owner == vmdbk.userid || options.has(Opt::LnkNoPas) {
        return Ok(());
    }
    let level = link::level(access);
    let password = match level {
        Level::Read => &mdisk.read,
        Level::Write => &mdisk.write,
        Level::Multiple => &mdisk.multiple,
    };
    let shown = format!("{:04X}", request.vdev);
    let wrong = |count: u32| cp.disks.state().wrong.insert(vmdbk.userid.clone(), count).is_some();
    let before = cp.disks.state().wrong.get(&vmdbk.userid).copied().unwrap_or(0);
    match (password, request.password) {
        (LinkPassword::All, _) => Ok(()),
        (LinkPassword::Nobody, _) => Err(match level {
            Level::Read => message::no_read_password(request.owner, shown),
            Level::Write => message::no_write_password(request.owner, shown),
            Level::Multiple => message::no_multiple_password(request.owner, shown),
        }
        .into()),
        _ if before >= WRONG_PASSWORDS => Err(message::link_excessive().into()),
        (_, None) => Err(Refusal::Password(level)),
        (hash, given) if hash.admits(given.map(str::to_ascii_uppercase).as_deref()) => Ok(()),
        _ => {
            wrong(before + 1);
            Err(message::link_password(request.owner, shown).into())
        }
    }
}

/// LINK, and the links of the directory.
pub fn link(cp: &Cp, vmdbk: &Arc<Vmdbk>, request: &Request<'_>) -> Result<Linked, Refusal> {
    let (owner, number, mdisk, dasd) = resolve(cp, request.owner, request.vdev)?;
    let shown = format!("{:04X}", request.vdev);
    let own = owner == vmdbk.userid;
    if matches!(mdisk.extent, directory::Extent::Temporary(_)) && !(own && request.trusted) {
        return Err(message::link_not_in_directory(request.owner, shown).into());
    }
    authorize(cp, vmdbk, &owner, &mdisk, request)?;
    if vmdbk.machine().configuration.css().find(request.as_vdev).is_some() {
        return Err(message::link_defined(request.owner, format!("{:04X}", request.as_vdev)).into());
    }
    let mode = LinkMode { reserve: mdisk.mode.reserve, ..request.mode };
    let dasd = if request.dasd == DasdOptions::default() { dasd } else { request.dasd };
    let (link, linked) = {
        let mut state = cp.disks.state();
        let disk = state.open(&owner, number, &mdisk)?;
        let others = state.others(&disk);
        let granted = link::grant(request.mode.access, &others);
        let as_vdev = request.as_vdev;
        let writes = granted == Grant::Write;
        // A volume that can only be read is not written by whatever mode.
        let writes = writes && !disk.direct.read_only();
        let linked = match granted {
            Grant::Nothing => return Err(others.refusal(request.owner, request.vdev).into()),
            Grant::ForcedRead => {
                let message = others.forced(as_vdev);
                Linked { code: message.number, notice: Some(message.to_string()) }
            }
            _ => Linked { code: 0, notice: others.notice(as_vdev, writes) },
        };
        let link = Arc::new(make(cp, &mut state, vmdbk, disk, as_vdev, !writes, mode, dasd));
        state.links.push(link.clone());
        (link, linked)
    };
    if !attach(vmdbk, &vmdbk.machine().configuration, &link) {
        cp.disks.remove(&link);
        return Err(message::link_defined(request.owner, format!("{:04X}", request.as_vdev)).into());
    }
    Ok(linked)
}

#[allow(clippy::too_many_arguments, reason = "it gives every field its value")]
fn make(
    cp: &Cp,
    state: &mut State,
    vmdbk: &Vmdbk,
    disk: Arc<Minidisk>,
    vdev: u16,
    read_only: bool,
    mode: LinkMode,
    dasd: DasdOptions,
) -> Link {
    let user = state
        .users
        .entry(vmdbk.userid.clone())
        .or_insert_with(|| Arc::new(UserCache::new(&vmdbk.userid, vmdbk.user.options.has(Opt::NoMdcFs))));
    let cached = match (&disk.cacheable, &disk.cache) {
        (Some((first, device)), Some(cache)) => Some(Arc::new(Cached {
            extent: disk.direct.clone(),
            first: *first,
            cache: cp.disks.cache.clone(),
            device: device.clone(),
            disk: cache.clone(),
            user: user.clone(),
            reservation: disk.reservation.clone(),
        })),
        _ => None,
    };
    let volume: Arc<dyn Volume> = match &cached {
        Some(cached) => cached.clone(),
        None => disk.direct.clone(),
    };
    let real = disk.rdev().and_then(|rdev| state.reals.iter().find(|real| real.number == rdev));
    let alarm = hold(&cp.disks.alarm).clone();
    let options = Options { trouble: Some(trouble(cp, &disk)), ..options(&disk, real, alarm, read_only, dasd) };
    let meter = Arc::new(Meter::new(&disk.kind(), &options));
    let (userid, vdev) = (vmdbk.userid.clone(), AtomicU16::new(vdev));
    let block_io = Mutex::default();
    Link { userid, vdev, disk, read_only, mode, dasd, volume, cached, options, meter, block_io }
}

/// How the device of a link is attached.
fn options(
    disk: &Minidisk,
    real: Option<&Real>,
    alarm: Option<Arc<dyn Alarm>>,
    read_only: bool,
    dasd: DasdOptions,
) -> Options {
    Options {
        read_only,
        reservation: disk.reservation.clone(),
        party: Some(disk.reservation.join()),
        ssid: disk.rdev().unwrap_or(0) >> 8,
        unit: disk.rdev().unwrap_or(0) as u8,
        serial: disk.volume.chars().filter(char::is_ascii_alphanumeric).collect(),
        token: disk.place.token(),
        cache: real.and_then(|real| real.subsystem.clone()),
        timing: real.and_then(|real| Some(Timed { device: real.timing.clone(), alarm: alarm? })),
        first: disk.first(),
        bypass_cache: disk.bypass,
        control: match dasd.control {
            DasdControl::None => Control::None,
            DasdControl::Device => Control::Device,
            DasdControl::Subsystem => Control::Subsystem,
        },
        working_allegiance: dasd.working_allegiance,
        ..Options::default()
    }
}

/// The operator hears of what is wrong with a minidisk's medium.
fn trouble(cp: &Cp, disk: &Minidisk) -> Trouble {
    let (troubles, clock): (_, Arc<dyn Clock>) = (cp.disks.troubles.clone(), cp.clock.clone());
    let host: Arc<dyn Host> = cp.host.clone();
    let (rdev, name) = (disk.rdev().map_or("VDSK".into(), |rdev| format!("{rdev:04X}")), disk.volume.clone());
    let owner = format!("{} {:04X}", disk.owner, disk.vdev);
    let unit = if matches!(disk.kind(), Kind::Fba { .. }) { "block" } else { "track" };
    Arc::new(move |at: u64, error: &MediaError| {
        troubles.report(clock.now(), &rdev, &name, &owner, &format!("{unit} {at} of {owner}"), error);
        host.work();
    })
}

/// Puts the device of a link into a configuration. False if its number is in use.
fn attach(vmdbk: &Vmdbk, configuration: &Configuration, link: &Link) -> bool {
    let mut options = link.options.clone();
    if link.disk.rdev().is_none() {
        options.unit = link.vdev() as u8;
    }
    let fast = vmdbk.lock().settings.assists();
    let device = devices::dasd::device(link.volume.clone(), options);
    let mut css = configuration.css();
    let attached = css.attach(link.vdev(), device).is_ok();
    if attached {
        css.allow_fast_path(link.vdev(), fast);
    }
    attached
}

/// The disks of the directory, at LOGON. What went wrong, or is worth knowing, is written to the console.
pub fn log_on(cp: &Cp, vmdbk: &Arc<Vmdbk>) {
    let tell = |text: &str| vmdbk.write(text, Tone::Normal, cp.now());
    for device in &vmdbk.user.devices {
        let (owner, vdev, mode) = match &device.kind {
            DeviceKind::Mdisk(mdisk) => (vmdbk.userid.as_str(), device.vdev, mdisk.mode),
            DeviceKind::Link { userid, vdev, mode } if userid == "*" => (vmdbk.userid.as_str(), *vdev, *mode),
            DeviceKind::Link { userid, vdev, mode } => (userid.as_str(), *vdev, *mode),
            DeviceKind::Dedicate { real, read_only } => {
                let rdev = match real {
                    RealDevice::Number(rdev) => Some(*rdev),
                    RealDevice::Volume(serial) => {
                        let reals = cp.disks.reals();
                        reals.iter().find(|real| real.serial == *serial).map(|real| real.number)
                    }
                };
                let Some(rdev) = rdev else {
                    let RealDevice::Volume(serial) = real else { continue };
                    let shown = format!("{:04X}", device.vdev);
                    tell(&message::link_not_mounted(&vmdbk.userid, shown, serial).to_string());
                    continue;
                };
                if crate::tape::dedicate(cp, vmdbk, rdev, device.vdev, *read_only) {
                    continue;
                }
                if let Err(message) = dedicate(cp, vmdbk, rdev, device.vdev, *read_only, device.dasd) {
                    tell(&message.to_string());
                }
                continue;
            }
            _ => continue,
        };
        let (as_vdev, dasd) = (device.vdev, device.dasd);
        let request = Request { owner, vdev, as_vdev, mode, password: None, trusted: true, dasd };
        match link(cp, vmdbk, &request) {
            Ok(linked) => linked.notice.iter().for_each(|notice| tell(notice)),
            Err(Refusal::Message(message)) => tell(&message.to_string()),
            Err(Refusal::Password(_)) => (),
        }
    }
    // The disks are there from the beginning: nothing is to be reported of their arrival.
    vmdbk.machine().configuration.css().reset();
}

/// All links of a user end, at LOGOFF.
pub fn log_off(cp: &Cp, vmdbk: &Vmdbk) {
    for link in cp.disks.links_of(&vmdbk.userid) {
        release(cp, vmdbk, &link);
    }
    let mut state = cp.disks.state();
    state.users.remove(&vmdbk.userid);
    state.wrong.remove(&vmdbk.userid);
}

/// Ends a link; its device goes.
fn release(cp: &Cp, vmdbk: &Vmdbk, link: &Arc<Link>) {
    vmdbk.machine().configuration.css().detach(link.vdev());
    vmdbk.iucv().sever_blocks(vmdbk.id, link);
    cp.disks.remove(link);
    if let (Place::Whole { rdev }, true) = (&link.disk.place, link.mode.access == DEDICATED.access) {
        let mut state = cp.disks.state();
        let free = |real: &&mut Real| {
            real.number == *rdev
                && matches!(&real.state, real::State::Attached { userid, .. } if *userid == link.userid)
        };
        if let Some(real) = state.reals.iter_mut().find(free) {
            real.state = real::State::Free;
        }
    }
}

/// DETACH of a virtual device that is a disk; `None` if there is none with this number.
pub fn detach(cp: &Cp, vmdbk: &Vmdbk, vdev: u16) -> Option<String> {
    let link = cp.disks.link(&vmdbk.userid, vdev)?;
    release(cp, vmdbk, &link);
    Some(format!("DASD {vdev:04X} DETACHED"))
}

/// The hardware was made anew (DEFINE STORAGE): its disks come with it. `old` no longer has them.
pub fn move_to_new_machine(cp: &Cp, vmdbk: &Vmdbk, old: &Configuration) {
    for link in cp.disks.links_of(&vmdbk.userid) {
        old.css().detach(link.vdev());
        attach(vmdbk, &vmdbk.machine().configuration, &link);
    }
    vmdbk.machine().configuration.css().reset();
}

/// How a real device is linked that is dedicated to one user.
const DEDICATED: LinkMode = LinkMode { access: Access::EW, reserve: true };

/// DEDICATE and ATTACH: a real disk becomes a user's virtual device.
pub fn dedicate(
    cp: &Cp,
    vmdbk: &Arc<Vmdbk>,
    rdev: u16,
    vdev: u16,
    read_only: bool,
    dasd: DasdOptions,
) -> Result<(), Message> {
    let shown = format!("{rdev:04X}");
    if vmdbk.machine().configuration.css().find(vdev).is_some() {
        return Err(message::device_defined(format!("DASD {vdev:04X}")).from("ATS"));
    }
    let link = {
        let mut state = cp.disks.state();
        let real = state.reals.iter_mut().find(|real| real.number == rdev);
        let real = real.ok_or_else(|| message::no_real_device(&shown))?;
        match &real.state {
            real::State::Free => (),
            real::State::Attached { userid, .. } => {
                return Err(message::real_device_in_use(&shown, format!("attached to {userid}")));
            }
            real::State::Offline => return Err(message::real_device_in_use(&shown, "offline")),
            real::State::Owned | real::State::System => {
                return Err(message::real_device_in_use(&shown, "attached to SYSTEM"));
            }
        }
        let disk = Minidisk::whole(&vmdbk.userid, vdev, real);
        real.state = real::State::Attached { userid: vmdbk.userid.clone(), vdev, read_only };
        let read_only = read_only || disk.direct.read_only();
        let link = Arc::new(make(cp, &mut state, vmdbk, disk, vdev, read_only, DEDICATED, dasd));
        state.links.push(link.clone());
        link
    };
    if !attach(vmdbk, &vmdbk.machine().configuration, &link) {
        release(cp, vmdbk, &link);
        return Err(message::device_defined(format!("DASD {vdev:04X}")).from("ATS"));
    }
    Ok(())
}

/// DEFINE of a temporary (`device` is a type) or virtual (`None`) disk of `count` cylinders or blocks.
pub fn define(cp: &Cp, vmdbk: &Arc<Vmdbk>, vdev: u16, device: Option<&str>, count: u32) -> Result<(), Message> {
    let defined = || message::device_defined(format!("DASD {vdev:04X}"));
    if vmdbk.machine().configuration.css().find(vdev).is_some() {
        return Err(defined());
    }
    let link = {
        let mut state = cp.disks.state();
        let disk = match device {
            Some(device) => state.temporary_disk(&vmdbk.userid, vdev, device, count)?,
            None => {
                let blocks = count.next_multiple_of(8);
                let shown = || format!("{vdev:04X}");
                state
                    .may_have(blocks.into(), Some(&vmdbk.userid))
                    .map_err(|whose| message::virtual_limit(shown(), whose))?;
                state.virtual_disk(&vmdbk.userid, vdev, blocks)
            }
        };
        let mode = LinkMode { access: Access::MW, reserve: false };
        let link = Arc::new(make(cp, &mut state, vmdbk, disk, vdev, false, mode, DasdOptions::default()));
        state.links.push(link.clone());
        link
    };
    if !attach(vmdbk, &vmdbk.machine().configuration, &link) {
        cp.disks.remove(&link);
        return Err(defined());
    }
    Ok(())
}
