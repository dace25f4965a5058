//! Real storage that pages come to and go from: the policy of the crate `paging`, with storage of virtual machines,
//! blocks of expanded storage and page volumes.
//!
//! **A fault** is a reference of a CPU, of a channel program or of CP to a page that is not there. It comes from the
//! storage itself ([`storage::Pager`]), with any lock held and perhaps in the middle of an instruction. So it never
//! waits for a frame. If none is available it is lent one, and its virtual machine *owes*: at the next instruction's
//! end its CPUs come back to CP, which waits until frames are there ([`Pages::settle`]). A fault does wait for the page
//! itself. It reads that from its page volume on its own thread. A program that has agreed to be told does not wait
//! ([`storage::Pager::bring_later`]): readers bring its page meanwhile.
//!
//! **Pages leave** on a thread of the pager's. It is woken when few frames are available. It chooses pages of one
//! virtual machine, and withholds them. Then it has the CPUs of that give up their translations, with nothing locked.
//! What has not been referred to meanwhile goes to expanded storage, or is written to a page volume. If CPUs do not
//! answer in time, as when CP works with one of them, their pages stay. So no lock that CP holds can make the thread
//! wait for ever.
//!
//! **When page space is full**, pages go to spool space. When that is full, too, pages stay where they are, and what
//! asks for a frame is stopped: nothing is lost.
//!
//! The pool's lock is taken with any other held, and nothing is taken with it but the list of what has gone, and the
//! gate of a storage.

mod flags;
mod hands;
mod readers;
mod space;
mod state;
mod thread;
mod volume;

pub use space::{Full, Pages, Tally, Unlockable};
pub use state::{Notice, Standings};
pub use volume::{FileVolume, PageVolume};

use crate::expanded::Expanded;
use arch::PAGE;
use base::Clock;
use complex::Configuration;
use flags::Flags;
use hands::{Hands, Owner};
pub use paging::{Census, Counts, SlotCensus, SlotUse, Standing};
use paging::{Kind, Limits, RealStorage};
use space::PagesOf;
use state::{Inner, Pool, Told};
use std::collections::{HashMap, HashSet, VecDeque};
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, OnceLock};
use std::thread::JoinHandle;
use storage::Storage;
use volume::Volumes;

/// So many pages of a block set come back together at most: a fault waits for all of them, 3 microseconds each.
const READ_SET: usize = 4;

/// SET SRM MAXWSS with no effect.
pub const UNLIMITED: u64 = 9999;

/// What a system has for its pages.
pub struct Resources {
    /// Frames of the dynamic paging area.
    pub frames: u64,
    /// Expanded storage, of which the pager uses what no virtual machine has.
    pub expanded: Expanded,
    /// The page volumes.
    pub volumes: Vec<Box<dyn PageVolume>>,
    /// By which the ages of pages are known.
    pub clock: Arc<dyn Clock>,
    /// Called when there is a notice for the operator, with the pool locked: it must only take a note.
    pub alarm: Box<dyn Fn() + Send + Sync>,
}

/// The pager of a system. Its thread ends with it.
pub struct Paging {
    inner: Arc<Inner>,
    frames: u64,
    /// SET SRM MAXWSS, in percent.
    max_wss: AtomicU64,
    thread: Option<JoinHandle<()>>,
}

/// What there is of everything, for INDICATE and QUERY.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Frames by their states.
    pub census: Census,
    /// Slots of page space, and how many of them are in use.
    pub slots: (u64, u64),
    /// What has happened since the system came up.
    pub counts: Counts,
    /// What has happened lately, and in how many microseconds.
    pub lately: (Counts, u64),
    /// Users who wait for a page, or for a frame.
    pub waiting: Vec<u32>,
}

impl Paging {
    /// Starts the pager of a system without users. Fails if the host has no thread or no storage for it.
    pub fn start(resources: Resources) -> io::Result<Paging> {
        let Resources { frames, expanded, volumes, clock, alarm } = resources;
        let volumes = Volumes::new(volumes);
        let number = |count: u64| u32::try_from(count).unwrap_or(u32::MAX / 2);
        let blocks = number((expanded.installed() << 20) / PAGE);
        let limits = Limits { frames: number(frames), blocks, volumes: volumes.rooms(), read_set: READ_SET };
        let pool = Pool {
            real: RealStorage::new(&limits),
            hands: Hands::new(match blocks {
                0 => None,
                blocks => Some(Storage::new(u64::from(blocks) * PAGE)?),
            }),
            outgoing: VecDeque::new(),
            incoming: VecDeque::new(),
            awaited: HashMap::new(),
            arrived: Vec::new(),
            readers: Vec::new(),
            stuck: HashSet::new(),
            notices: Vec::new(),
            told: [Told::default(); 2],
            refused_until: 0,
            failures: 0,
            max_wss: u32::MAX,
            samples: VecDeque::new(),
            asleep: false,
            ended: false,
        };
        let inner = Arc::new_cyclic(|own| Inner {
            pool: Mutex::new(pool),
            news: Condvar::new(),
            bell: Condvar::new(),
            reads: Condvar::new(),
            own: own.clone(),
            gone: Mutex::default(),
            has_gone: AtomicBool::new(false),
            volumes,
            expanded,
            clock,
            alarm,
            standings: OnceLock::new(),
        });
        let runs = inner.clone();
        let thread = std::thread::Builder::new().name("pager".into()).spawn(move || runs.work())?;
        Ok(Paging { inner, frames, max_wss: AtomicU64::new(UNLIMITED), thread: Some(thread) })
    }

    /// Says how to find out where users stand. Until then all are taken for users in the dispatch list.
    pub fn ask(&self, standings: Box<Standings>) {
        let _ = self.inner.standings.set(standings);
    }

    /// Has the pager see to the storage of a configuration that has just been made, for this user. CP's own blocks for
    /// it take so many frames.
    pub fn adopt(&self, configuration: &Arc<Configuration>, user: u32, blocks: u64) -> io::Result<Pages> {
        let storage = configuration.storage();
        let pages = u32::try_from(storage.size() / PAGE)
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "so much storage cannot be paged"))?;
        let flags = Arc::new(Flags::default());
        let mut pool = self.inner.lock();
        let Pool { real, hands, .. } = &mut *pool;
        let space = real.create(Kind::Guest, pages);
        let blocks = real.take_free_storage_at_once(u32::try_from(blocks).unwrap_or(u32::MAX));
        let owner = Owner {
            storage: Arc::downgrade(storage),
            configuration: Arc::downgrade(configuration),
            user,
            flags: flags.clone(),
            blocks,
        };
        hands.spaces.insert(space, owner);
        self.inner.ring(&pool);
        drop(pool);
        let pager = PagesOf {
            inner: self.inner.clone(),
            space,
            flags: flags.clone(),
            configuration: Arc::downgrade(configuration),
        };
        storage.set_pager(Box::new(pager))?;
        Ok(Pages { inner: self.inner.clone(), space, flags })
    }

    /// The slots of page space, or of the spool space to which it overflows.
    pub fn slots(&self, overflow: bool) -> SlotCensus {
        self.inner.lock().real.tier(overflow)
    }

    /// How often page space has become nearly full, and how often spool space has.
    pub fn times_nearly_full(&self) -> [u64; 2] {
        self.inner.lock().told.map(|told| told.times)
    }

    /// What is in use of these slots of a volume, by its place in [`Resources::volumes`], in units of so many slots.
    pub fn slot_use(&self, volume: usize, slots: Range<u32>, unit: u32) -> SlotUse {
        self.inner.lock().real.slot_use(volume, slots, unit)
    }

    /// Has a page volume, by its place in [`Resources::volumes`], get no more pages (true), or some again. What it has
    /// leaves it, as far as others have room.
    pub fn drain(&self, volume: usize, drained: bool) {
        let mut pool = self.inner.lock();
        pool.stuck.clear();
        pool.real.drain(volume, drained);
        self.inner.look_at_slots(&mut pool);
        self.inner.bell.notify_one();
        self.inner.news.notify_all();
    }

    /// Whether it gets no more.
    pub fn is_drained(&self, volume: usize) -> bool {
        self.inner.lock().real.is_drained(volume)
    }

    /// What the operator is to be told since this was asked last.
    pub fn take_notices(&self) -> Vec<Notice> {
        std::mem::take(&mut self.inner.lock().notices)
    }

    /// Whether there is something to tell.
    pub fn has_notices(&self) -> bool {
        !self.inner.lock().notices.is_empty()
    }

    /// Frames of the dynamic paging area.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// SET SRM MAXWSS: no working set counts as more than so many percent of the dynamic paging area.
    pub fn set_max_wss(&self, percent: u64) {
        self.max_wss.store(percent, SeqCst);
        self.inner.lock().max_wss = u32::try_from(self.frames * percent / 100).unwrap_or(u32::MAX);
    }

    /// What it is: [`UNLIMITED`] at first.
    pub fn max_wss(&self) -> u64 {
        self.max_wss.load(SeqCst)
    }

    /// How many frames may be kept by SET RESERVED and LOCK, and how many are reserved for virtual machines other than
    /// this one, and locked. Some are left for all others.
    pub fn keepable(&self, but: &Pages) -> (u64, u64) {
        let pool = self.inner.lock();
        let reserved = pool.real.reserved_but(but.space);
        (self.frames - self.frames / 8, u64::from(pool.real.census().locked) + reserved)
    }

    /// What there is of everything.
    pub fn picture(&self) -> Picture {
        let now = self.inner.now();
        let mut pool = self.inner.lock();
        pool.sample(now);
        let (census, slots, counts) = (pool.real.census(), pool.real.slots(), pool.real.counts());
        let (since, before) = pool.samples.front().copied().unwrap_or((now, counts));
        let waiting = pool.hands.spaces.values().filter(|owner| owner.flags.waits()).map(|owner| owner.user);
        Picture {
            census,
            slots: (slots.all.into(), slots.used.into()),
            counts,
            lately: (counts.since(&before), now.saturating_sub(since)),
            waiting: waiting.collect(),
        }
    }
}

impl Drop for Paging {
    fn drop(&mut self) {
        self.inner.lock().ended = true;
        self.inner.bell.notify_all();
        self.inner.news.notify_all();
        self.inner.dismiss_readers();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
