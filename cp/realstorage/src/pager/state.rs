//! What a pager has: the policy, the hands, and what waits.

use super::hands::{Hands, Machine};
use super::volume::Volumes;
use crate::expanded::Expanded;
use base::{Clock, Held};
use paging::{Counts, Place, RealStorage, SpaceId, Standing, Transfer};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, Weak};
use std::thread::JoinHandle;

/// So many percent of page space, or of spool space, in use are worth a notice.
const MUCH: u64 = 90;
/// After such a notice, it is due again when it has been so few.
const LESS: u64 = 80;

/// What the operator is to be told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Notice {
    /// So many percent are in use, of page space or of spool space.
    Much {
        /// How many percent.
        percent: u64,
        /// It is spool space.
        spool: bool,
    },
    /// All of page space is in use, and pages go to spool space.
    Overflow,
    /// All of page space is in use, and of spool space, if there is some.
    Full,
    /// A page volume could not be read or written: its name, what failed, and why.
    Trouble(String, &'static str, String),
}

/// Which users are in the dispatch list or the eligible list, by their numbers; all others are dormant.
pub type Standings = dyn Fn() -> Vec<(u32, Standing)> + Send + Sync;

/// What has been told of how much is in use.
#[derive(Clone, Copy, Default)]
pub(super) struct Told {
    /// How often it was nearly all.
    pub(super) times: u64,
    /// That it is nearly all.
    much: bool,
    /// That it is all.
    all: bool,
}

/// All that changes.
pub(super) struct Pool {
    pub(super) real: RealStorage,
    pub(super) hands: Hands,
    /// Transfers to page volumes that have not begun.
    pub(super) outgoing: VecDeque<Transfer>,
    /// Transfers from page volumes that have not begun, and that no fault waits for.
    pub(super) incoming: VecDeque<Transfer>,
    /// Pages on their way in, and the tickets of the faults that are told when they have come.
    pub(super) awaited: HashMap<Place, Vec<u64>>,
    /// Tickets of pages that have come, and their machines.
    pub(super) arrived: Vec<(Machine, Vec<u64>)>,
    pub(super) readers: Vec<JoinHandle<()>>,
    /// Pages that were to leave a drained volume, and could not be read.
    pub(super) stuck: HashSet<Place>,
    pub(super) notices: Vec<Notice>,
    /// What has been told of page space, and of spool space.
    pub(super) told: [Told; 2],
    /// Writes fail one after another, or a page volume's host has no room: until then, in microseconds of the clock,
    /// nothing is written.
    pub(super) refused_until: u64,
    /// How many writes have failed one after another.
    pub(super) failures: u32,
    /// The most that a working set may be, in pages.
    pub(super) max_wss: u32,
    /// What the counts were, from time to time: microseconds of the clock, and the counts.
    pub(super) samples: VecDeque<(u64, Counts)>,
    pub(super) asleep: bool,
    pub(super) ended: bool,
}

pub(super) struct Inner {
    pub(super) pool: Mutex<Pool>,
    /// Frames or pages have come, or hope has gone.
    pub(super) news: Condvar,
    /// The thread has something to do.
    pub(super) bell: Condvar,
    /// So have those that read what no fault waits for.
    pub(super) reads: Condvar,
    /// What readers hold of this.
    pub(super) own: Weak<Inner>,
    /// Address spaces whose storage has gone, and whether there are such.
    pub(super) gone: Mutex<Vec<SpaceId>>,
    pub(super) has_gone: AtomicBool,
    pub(super) volumes: Volumes,
    pub(super) expanded: Expanded,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) alarm: Box<dyn Fn() + Send + Sync>,
    pub(super) standings: OnceLock<Box<Standings>>,
}

impl Inner {
    pub(super) fn lock(&self) -> MutexGuard<'_, Pool> {
        let mut pool = self.pool.lock().held();
        if self.has_gone.swap(false, SeqCst) {
            let gone = std::mem::take(&mut *self.gone.lock().held());
            let Pool { real, hands, awaited, .. } = &mut *pool;
            awaited.retain(|at, _| !gone.contains(&at.space));
            for space in gone {
                let owner = hands.spaces.remove(&space);
                real.destroy(space, hands).expect("nothing else has the address space");
                owner.iter().for_each(|owner| real.give_free_storage(&owner.blocks));
            }
            hands.flush();
            self.news.notify_all();
        }
        pool
    }

    pub(super) fn now(&self) -> u64 {
        self.clock.now().unix_nanos() / 1000
    }

    /// Wakes the thread if it has something to do.
    pub(super) fn ring(&self, pool: &Pool) {
        if pool.asleep && (pool.real.is_short() || pool.real.is_short_of_blocks() || !pool.outgoing.is_empty()) {
            self.bell.notify_one();
        }
    }

    pub(super) fn notify(&self, pool: &mut Pool, notice: Notice) {
        if pool.notices.last() != Some(&notice) {
            pool.notices.push(notice);
            (self.alarm)();
        }
    }

    /// Looks how much is in use of page space, and of spool space.
    pub(super) fn look_at_slots(&self, pool: &mut Pool) {
        for spool in [false, true] {
            let census = pool.real.tier(spool);
            let percent = (u64::from(census.used) * 100).checked_div(census.all.into()).unwrap_or(0);
            let overflows = !spool && pool.real.tier(true).all > 0;
            let told = &mut pool.told[usize::from(spool)];
            let (much, all) = (percent >= MUCH && !told.much, percent >= 100 && overflows && !told.all);
            told.times += u64::from(much);
            told.much = percent >= LESS && (told.much || much);
            told.all = percent >= LESS && (told.all || all);
            if much {
                self.notify(pool, Notice::Much { percent, spool });
            }
            if all {
                self.notify(pool, Notice::Overflow);
            }
        }
    }
}

impl Pool {
    /// Keeps what the counts are, at most once a second, for eight seconds.
    pub(super) fn sample(&mut self, now: u64) {
        const SECOND: u64 = 1_000_000;
        if self.samples.back().is_none_or(|(at, _)| at + SECOND <= now) {
            self.samples.push_back((now, self.real.counts()));
        }
        while self.samples.len() > 1 && self.samples.front().is_some_and(|(at, _)| at + 8 * SECOND < now) {
            self.samples.pop_front();
        }
    }
}
