//! Disks: the real ones, the minidisks on them, and the links that users have to those.
//!
//! A real disk ([`real::Real`]) is a volume under a real device number. A [`Minidisk`] is what an MDISK statement or
//! DEFINE describes: an extent of such a volume, temporary space, or storage. It is there as long as a user has a
//! [`Link`] to it; the link is a virtual device of one user. What a link's device reads and writes goes through these,
//! from above: the device of the `devices` crate; the minidisk cache ([`cache`]); the extent ([`dasd::Extent`]),
//! outside which nothing is read or written; the volume.
//!
//! Minidisks are the same if they lie in the same place, whatever users the directory gives them to: LINK's modes and
//! the cache look at that; only MINIOPT is each statement's own. (Minidisks that merely overlap are the administrator's
//! business, and QUERY MDISK MAP shows them.) A RESERVE is seen by all users of the minidisk or one that overlaps it,
//! as by all systems that share a real disk, and of two changes to one track none is lost
//! ([`dasd::Volume::update_track`]).
//!
//! [`place`] finds a minidisk where it lies, [`link`] says which users may have it, [`device`] gives it to virtual
//! machines and takes it away. A virtual machine is here a [`Guest`]: its directory entry and its configuration. What
//! the operator is to know waits in [`trouble`].
//!
//! The lock in [`Disks`] is held for data only; no other is taken while it is held.

pub mod blocks;
pub mod cache;
mod device;
pub mod link;
mod links;
pub mod map;
mod place;
pub mod policy;
pub mod real;
mod snapshot;
mod subsystem;
mod temporary;
mod trouble;

use base::{Clock, Held, Tod};
use cache::{Cache, Cached, DeviceCache, DiskCache, UserCache};
use dasd::allocation::Area;
use dasd::{Kind, Volume};
pub use device::{Entries, Guest};
use devices::dasd::{Alarm, Meter, Options, Reservation};
use directory::{DasdOptions, LinkMode};
use link::Level;
use links::Links;
use message::Message;
use policy::{Limits, Policy};
use real::Real;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use trouble::Troubles;

/// Where a minidisk lies.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// Units of a real disk.
    Real {
        /// The real device number.
        rdev: u16,
        /// The first unit: a cylinder, or a block of a fixed-block disk.
        start: u32,
        /// How many units.
        count: u32,
    },
    /// A real disk as such: MDISK DEVNO, or dedicated. It is never cached.
    Whole {
        /// The real device number.
        rdev: u16,
    },
    /// Temporary space, of a real disk from a unit on, or of the host's storage.
    Temporary {
        /// A number that no other temporary space has.
        number: u64,
        /// The real device number and the first unit there; `None`: the host's storage.
        on: Option<(u16, u32)>,
        /// How many units.
        count: u32,
    },
    /// Storage.
    Virtual {
        /// A number that no other virtual disk has.
        number: u64,
    },
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
    /// The user with the MDISK statement, and the number there.
    pub owner: String,
    /// The device number of the MDISK statement.
    pub vdev: u16,
    /// Where it lies.
    pub place: Place,
    /// The serial of the volume, `(VDSK)` or `(TEMP)`.
    pub volume: String,
    /// The minidisk without the cache.
    pub direct: Arc<dyn Volume>,
    /// What the minidisk cache knows of it; `None` if it is never cached.
    pub cache: Option<Arc<DiskCache>>,
    /// Which device has it reserved.
    pub reservation: Arc<Reservation>,
    /// MINIOPT NOCACHE: the control unit's cache is bypassed.
    pub bypass: bool,
    /// The volume's number of the first track or block, and the volume as the cache knows it.
    cacheable: Option<(u64, Arc<DeviceCache>)>,
    since: OnceLock<Tod>,
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

    /// What kind of disk it is, and how large.
    pub fn kind(&self) -> Kind {
        self.direct.kind()
    }

    /// Since when a user has a link to it. Of temporary and virtual disks: since when it is there.
    pub fn since(&self) -> Option<Tod> {
        self.since.get().copied()
    }

    /// Whether a user has it reserved.
    pub fn reserved(&self) -> bool {
        self.reservation.reserved()
    }
}

/// A user's virtual device that is a minidisk.
pub struct Link {
    /// The place among all links in the order in which they were made.
    number: u64,
    /// The user who has the virtual device.
    pub userid: String,
    vdev: AtomicU16,
    /// The minidisk.
    pub disk: Arc<Minidisk>,
    /// When the link was made.
    pub since: Tod,
    /// Whether the link allows reading alone.
    pub read_only: bool,
    /// The mode that was asked for.
    pub mode: LinkMode,
    /// What the DASDOPT statement says.
    pub dasd: DasdOptions,
    /// What the device reads and writes: the minidisk, through the cache if it may be cached.
    pub volume: Arc<dyn Volume>,
    cached: Option<Arc<Cached>>,
    /// How the device is attached, and what block services use of the disk.
    options: Options,
    meter: Arc<Meter>,
    /// What DIAGNOSE X'250' has set up.
    block_io: Mutex<Option<BlockEnvironment>>,
    /// Its device is there. Until then no path or block service finds it, as it goes again if the number is taken.
    attached: AtomicBool,
}

/// What DIAGNOSE X'250' INIT leaves for its requests.
#[derive(Clone)]
pub struct BlockEnvironment {
    /// The minidisk in blocks.
    pub disk: blocks::BlockDisk,
    /// To be added to block numbers for the minidisk's, which begin with 1.
    pub offset: i64,
    /// The virtual machine's generation: a reset ends it.
    pub generation: u64,
}

impl Link {
    /// The virtual device number.
    pub fn vdev(&self) -> u16 {
        self.vdev.load(Ordering::Acquire)
    }

    /// Whether reads go through the minidisk cache now; `None` if they never do.
    pub fn is_cached(&self) -> Option<bool> {
        self.cached.as_ref().map(|cached| cached.eligible())
    }

    /// The set-up of DIAGNOSE X'250'.
    pub fn block_io(&self) -> MutexGuard<'_, Option<BlockEnvironment>> {
        self.block_io.lock().held()
    }

    /// `R/O` or `R/W`.
    pub fn access(&self) -> &'static str {
        if self.read_only { "R/O" } else { "R/W" }
    }
}

/// A link that has ended.
pub struct Ended {
    /// The link.
    pub link: Arc<Link>,
    /// No user has one to the same minidisk any more: a temporary or virtual disk is gone.
    pub last: bool,
}

/// What LINK is to do.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The user with the minidisk in the directory entry, and its number there.
    pub owner: &'a str,
    /// The minidisk's device number in the owner's directory entry.
    pub vdev: u16,
    /// The number it is to have.
    pub as_vdev: u16,
    /// The access mode that is asked for.
    pub mode: LinkMode,
    /// The password that was given; `None`: none was.
    pub password: Option<&'a str>,
    /// From the directory: no password is asked for.
    pub trusted: bool,
    /// What the DASDOPT statement says.
    pub dasd: DasdOptions,
}

/// Why there is no link.
pub enum Refusal {
    /// The message that says why.
    Message(Message),
    /// It needs this password, and none was given.
    Password(Level),
    /// The password is wrong: so many have been since LOGON, and so many may be.
    Wrong {
        /// This one included.
        count: u32,
        /// After these LINK is refused.
        limit: u32,
    },
}

impl From<Message> for Refusal {
    fn from(message: Message) -> Refusal {
        Refusal::Message(message)
    }
}

/// A link was made; what the user is told, and LINK's return code.
pub struct Linked {
    /// What the user is told; `None`: nothing.
    pub notice: Option<String>,
    /// LINK's return code: 0, or the number of the message in `notice`.
    pub code: u16,
    /// The minidisk is another user's.
    pub foreign: Option<Foreign>,
}

/// Another user's minidisk, for the journal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Foreign {
    /// Its owner.
    pub owner: String,
    /// Its number with the owner.
    pub vdev: u16,
    /// LINK needed a password.
    pub protected: bool,
}

#[derive(Default)]
struct State {
    policy: Policy,
    reals: Vec<Real>,
    links: Links,
    users: HashMap<String, Arc<UserCache>>,
    wrong: HashMap<String, u32>,
    limits: Limits,
    next: u64,
}

/// Has what waits for the operator told, soon and by another thread.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// All disks of the system.
pub struct Disks {
    state: Mutex<State>,
    /// The minidisk cache.
    pub cache: Arc<Cache>,
    alarm: Mutex<Option<Arc<dyn Alarm>>>,
    troubles: Arc<Troubles>,
    clock: Arc<dyn Clock>,
    wake: Wake,
}

impl Disks {
    /// No disks yet. `clock` says when a medium has failed.
    pub fn new(clock: Arc<dyn Clock>, wake: Wake) -> Disks {
        Disks {
            state: Mutex::default(),
            cache: Arc::default(),
            alarm: Mutex::default(),
            troubles: Arc::default(),
            clock,
            wake,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().held()
    }

    // Real disks.

    /// Which volumes are CP's and its users'; before the first [`Disks::install`].
    pub fn set_policy(&self, policy: Policy) {
        let mut state = self.state();
        state.limits = policy.limits;
        state.policy = policy;
    }

    /// Which volumes CP takes for itself and its users, as set last.
    pub fn policy(&self) -> Policy {
        self.state().policy.clone()
    }

    /// A real disk is there from now on; why it cannot be otherwise.
    pub fn install(&self, number: u16, volume: Arc<dyn Volume>, file: String) -> Result<(), String> {
        let mut real = Real::new(number, volume, file, &self.cache);
        let mut state = self.state();
        if state.reals.iter().any(|other| other.number == number) {
            return Err(format!("DASD {number:04X} is defined twice"));
        }
        real.state = state.policy.state(&real.serial);
        state.place(&mut real).map_err(|why| format!("DASD {number:04X} is not there: {why}"))?;
        // Of two volumes with one serial, the second is not used before an operator says so.
        if real.has_minidisks() && state.reals.iter().any(|r| r.has_minidisks() && r.serial == real.serial) {
            real.state = real::State::Offline;
        }
        state.reals.push(real);
        state.reals.sort_by_key(|real| real.number);
        Ok(())
    }

    /// The real disks, in the order of their numbers.
    pub fn reals(&self) -> Vec<Real> {
        self.state().reals.clone()
    }

    /// How many users a real disk has: links to it and its minidisks, and CP if pages are on it.
    pub fn users_of(&self, rdev: u16) -> usize {
        self.state().users_of(rdev)
    }

    /// The allocation map of a real disk that CP owns, and what CP uses of that, minidisks apart.
    pub fn use_areas(&self, rdev: u16, map: Vec<Area>, areas: Vec<Area>) {
        if let Some(real) = self.state().reals.iter_mut().find(|real| real.number == rdev) {
            (real.map, real.areas) = (map, areas);
        }
    }

    /// DRAIN and START: a real disk gets no more temporary disks, or some again.
    pub fn drain(&self, rdev: u16, drained: bool) {
        if let Some(real) = self.state().reals.iter_mut().find(|real| real.number == rdev) {
            real.drained = drained;
        }
    }

    /// CP has pages on a real disk, so that it cannot be taken away any more.
    pub fn page_to(&self, rdev: u16) {
        if let Some(real) = self.state().reals.iter_mut().find(|real| real.number == rdev) {
            real.paged = true;
        }
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

    /// The system ends: everything written is as safe as the host can make it, and the files are as other programs
    /// expect them.
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
        let mut links: Vec<_> = self.state().links.of(userid).cloned().collect();
        links.sort_by_key(|link| link.vdev());
        links
    }

    /// A user's link with this number, which is a device already.
    pub fn link(&self, userid: &str, vdev: u16) -> Option<Arc<Link>> {
        let there = |link: &&Arc<Link>| link.vdev() == vdev && link.attached.load(Ordering::Acquire);
        self.state().links.of(userid).find(there).cloned()
    }

    /// All users' links to what lies in the same place.
    pub fn links_to(&self, place: &Place) -> Vec<Arc<Link>> {
        self.state().links.to(place)
    }

    /// The temporary space of a real disk: the first units, and how many there are.
    pub fn temporary_space(&self, rdev: u16) -> impl Iterator<Item = (u32, u32)> {
        let state = self.state();
        let here = state.temporary_space().filter(|(real, ..)| real.number == rdev);
        here.map(|(_, first, count)| (first, count)).collect::<Vec<_>>().into_iter()
    }

    /// What of the temporary space of a real disk is taken: first units, and how many.
    pub fn temporary_taken(&self, rdev: u16) -> Vec<(u32, u32)> {
        self.state().links.temporary(rdev).collect()
    }

    /// How many units of temporary space are taken on a real disk, or in the host's storage.
    pub fn temporary_units(&self, rdev: Option<u16>) -> u64 {
        let state = self.state();
        match rdev {
            Some(rdev) => state.links.temporary(rdev).map(|(_, count)| u64::from(count)).sum(),
            None => state.links.temporary_in_storage().1,
        }
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

    /// Whether it was the last link to its minidisk.
    fn remove(&self, link: &Arc<Link>) -> bool {
        self.state().links.remove(link)
    }
}

impl State {
    fn users_of(&self, rdev: u16) -> usize {
        let paged = self.reals.iter().any(|real| real.number == rdev && real.paged);
        self.links.to_real(rdev) + usize::from(paged)
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }
}
