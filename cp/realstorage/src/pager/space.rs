//! One virtual machine's pages: faults, and what CP asks of them.

use super::flags::Flags;
use super::hands::Machine;
use super::state::{Inner, Notice, Pool};
use base::Held;
use complex::Configuration;
use paging::{Move, Place, SpaceId, Touch, Transfer};
use std::ops::Range;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, MutexGuard};
use std::time::Duration;
use storage::{Lost, Pager};

/// What the storage of a virtual machine knows of the pager.
pub(super) struct PagesOf {
    pub(super) inner: Arc<Inner>,
    pub(super) space: SpaceId,
    pub(super) flags: Arc<Flags>,
    pub(super) configuration: Machine,
}

impl Drop for PagesOf {
    fn drop(&mut self) {
        self.inner.gone.lock().held().push(self.space);
        self.inner.has_gone.store(true, SeqCst);
    }
}

impl Inner {
    /// Has a page be in a frame. False: it could not be read back.
    fn bring<'a>(&'a self, mut pool: MutexGuard<'a, Pool>, at: Place, flags: &Flags) -> (MutexGuard<'a, Pool>, bool) {
        loop {
            let Pool { real, hands, .. } = &mut *pool;
            match real.touch_at_once(at, hands) {
                Ok(Touch::Ready(_)) => {
                    if let Some(storage) = hands.storage(at.space) {
                        storage.admit(at.page.into());
                    }
                    return (pool, true);
                }
                Ok(Touch::Wait(_)) => (),
                Ok(Touch::Deferred) | Err(_) => return (pool, false),
            }
            flags.waiting.fetch_add(1, SeqCst);
            let told;
            (pool, told) = match real.take_begun().pop() {
                Some(transfer) => {
                    drop(pool);
                    self.fetch(&transfer)
                }
                None => (self.news.wait(pool).held(), Vec::new()),
            };
            flags.waiting.fetch_sub(1, SeqCst);
            if told.contains(&(at, false)) {
                return (pool, false);
            }
        }
    }

    /// Reads what a transfer brings, and has it told to what waits. Which pages have come, and which could not be read.
    pub(super) fn fetch(&self, transfer: &Transfer) -> (MutexGuard<'_, Pool>, Vec<(Place, bool)>) {
        let mut slots: Vec<_> = transfer.moves.iter().map(|part: &Move| part.slot).collect();
        slots.sort_unstable();
        let (pages, failure) = self.volumes.read(&slots);
        let mut pool = self.lock();
        let Pool { real, hands, .. } = &mut *pool;
        let landed = slots.into_iter().zip(pages).filter_map(|(slot, page)| Some((slot, page?)));
        let good: std::collections::HashMap<_, _> = landed.collect();
        let came: Vec<_> = good.keys().copied().collect();
        hands.landing.extend(good);
        let told = real.ended(transfer.number, |slot| came.contains(&slot), hands);
        hands.flush();
        came.iter().for_each(|slot| drop(hands.landing.remove(slot)));
        self.arrive(&mut pool, &told);
        if let Some((name, why)) = failure {
            self.notify(&mut pool, Notice::Trouble(name, "reading", why.to_string()));
        }
        self.news.notify_all();
        (pool, told)
    }
}

impl PagesOf {
    /// Brings a page; CPUs of the configuration leave their program if it owes frames now, or the page is lost.
    fn bring_for(&self, configuration: Option<&Configuration>, page: u64) -> Result<(), Lost> {
        let at = Place { space: self.space, page: page as u32 };
        let (pool, good) = self.inner.bring(self.inner.lock(), at, &self.flags);
        let lent = pool.real.lent() > 0;
        self.inner.ring(&pool);
        drop(pool);
        if lent {
            self.flags.owes.store(true, SeqCst);
        }
        if !good {
            self.flags.lost.store(page + 1, SeqCst);
        }
        if (lent || !good)
            && let Some(configuration) = configuration
        {
            configuration.cpus().for_each(|cpu| configuration.leave(cpu));
        }
        if good { Ok(()) } else { Err(Lost) }
    }

    /// Nothing is to come any more for what waits for one of the pages: they are there, as zeros.
    fn settle_for_zeros(&self, pool: &mut Pool, pages: &Range<u64>) {
        let waits = |at: &Place| at.space == self.space && pages.contains(&at.page.into());
        let tickets: Vec<u64> = pool.awaited.extract_if(|at, _| waits(at)).flat_map(|(_, tickets)| tickets).collect();
        if !tickets.is_empty() {
            pool.arrived.push((self.configuration.clone(), tickets));
            self.inner.reads.notify_one();
        }
    }
}

impl Pager for PagesOf {
    fn bring(&self, page: u64) -> Result<(), Lost> {
        match self.configuration.upgrade() {
            Some(configuration) => configuration.bring_pages(|| self.bring_for(Some(&configuration), page)),
            None => self.bring_for(None, page),
        }
    }

    fn bring_later(&self, page: u64, ticket: u64) -> bool {
        let at = Place { space: self.space, page: page as u32 };
        let mut pool = self.inner.lock();
        if !self.inner.has_readers(&mut pool) {
            return false;
        }
        let Pool { real, hands, .. } = &mut *pool;
        let comes = matches!(real.touch_at_once(at, hands), Ok(Touch::Wait(_)));
        let begun = real.take_begun();
        let lent = real.lent() > 0;
        if comes {
            pool.incoming.extend(begun);
            pool.awaited.entry(at).or_default().push(ticket);
            self.inner.reads.notify_one();
        }
        self.inner.ring(&pool);
        drop(pool);
        if comes && lent {
            self.flags.owes.store(true, SeqCst);
            if let Some(configuration) = self.configuration.upgrade() {
                configuration.cpus().for_each(|cpu| configuration.leave(cpu));
            }
        }
        comes
    }

    fn blank(&self, pages: Range<u64>, zero: &mut dyn FnMut()) {
        let mut pool = self.inner.lock();
        zero();
        let Pool { real, hands, .. } = &mut *pool;
        real.blanked(self.space, of(pages.clone()), hands).expect("the pages are of the address space");
        hands.flush();
        self.settle_for_zeros(&mut pool, &pages);
        self.inner.ring(&pool);
        self.inner.news.notify_all();
    }

    fn forget(&self, pages: Range<u64>, replace: &mut dyn FnMut()) {
        let mut pool = self.inner.lock();
        let Pool { real, hands, .. } = &mut *pool;
        real.forget_all(self.space, of(pages.clone()), hands).expect("the pages are of the address space");
        hands.flush();
        if let Some(storage) = hands.storage(self.space) {
            storage.forsake(pages.clone());
        }
        replace();
        self.settle_for_zeros(&mut pool, &pages);
        self.flags.lost.store(0, SeqCst);
        self.inner.news.notify_all();
    }
}

/// Page numbers as the policy has them.
fn of(pages: Range<u64>) -> Range<u32> {
    pages.start as u32..pages.end as u32
}

/// No frame can be found: page space is full, and so is expanded storage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Full;

/// The pages of one virtual machine, as CP knows them.
#[derive(Clone)]
pub struct Pages {
    pub(super) inner: Arc<Inner>,
    pub(super) space: SpaceId,
    pub(super) flags: Arc<Flags>,
}

/// Counts of one virtual machine's pages.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// Pages in frames.
    pub resident: u64,
    /// The working set.
    pub wss: u64,
    /// Locked pages.
    pub locked: u64,
    /// SET RESERVED.
    pub reserved: u64,
    /// Pages in blocks of expanded storage, and on slots.
    pub blocks: u64,
    /// See `blocks`.
    pub slots: u64,
    /// Pages read from page volumes, and written there.
    pub reads: u64,
    /// See `reads`.
    pub writes: u64,
    /// Pages from expanded storage, and to it.
    pub gets: u64,
    /// See `gets`.
    pub puts: u64,
    /// Pages that have migrated from there to page volumes.
    pub migrated: u64,
}

impl Tally {
    /// The working set. As long as none has been found out, it is what is resident.
    pub fn working_set(&self) -> u64 {
        if self.wss == 0 { self.resident } else { self.wss }
    }
}

impl Pages {
    /// Whether a CPU must not run before [`Pages::settle`].
    pub fn owes(&self) -> bool {
        self.flags.owes.load(SeqCst)
    }

    /// Whether something waits for one of the pages, or for a frame.
    pub fn is_waiting(&self) -> bool {
        self.flags.waits()
    }

    /// The number of a page that could not be read back, since the storage was cleared.
    pub fn lost(&self) -> Option<u64> {
        self.flags.lost.load(SeqCst).checked_sub(1)
    }

    /// Waits until as many frames are there as have been lent. The thread must not be in the middle of an instruction,
    /// and hold nothing.
    pub fn settle(&self) -> Result<(), Full> {
        /// The thread may have found out in between that there is no hope.
        const LOOK: Duration = Duration::from_millis(100);
        let inner = &self.inner;
        let mut pool = inner.lock();
        self.flags.waiting.fetch_add(1, SeqCst);
        let mut answer = Ok(());
        while pool.real.lent() > 0 && !pool.ended {
            if pool.real.is_hopeless() || inner.now() < pool.refused_until {
                answer = Err(Full);
                break;
            }
            inner.ring(&pool);
            pool = inner.news.wait_timeout(pool, LOOK).held().0;
        }
        self.flags.waiting.fetch_sub(1, SeqCst);
        self.flags.owes.store(false, SeqCst);
        answer
    }

    /// Finds out the working set anew, and says how many pages it has.
    pub fn measure(&self) -> u64 {
        let mut pool = self.inner.lock();
        let max = pool.max_wss;
        let Pool { real, hands, .. } = &mut *pool;
        let wss = real.measure(self.space, max, hands).expect("the address space is there as long as its storage");
        hands.flush();
        wss.into()
    }

    /// The counts.
    pub fn tally(&self) -> Tally {
        let pool = self.inner.lock();
        let Some(tally) = pool.real.tally(self.space) else { return Tally::default() };
        Tally {
            resident: tally.resident.into(),
            wss: tally.wss.into(),
            locked: tally.locked.into(),
            reserved: tally.reserved.into(),
            blocks: tally.blocks.into(),
            slots: tally.slots.into(),
            reads: tally.reads,
            writes: tally.writes,
            gets: tally.gets,
            puts: tally.puts,
            migrated: tally.migrated,
        }
    }

    /// SET RESERVED: so many pages that are in frames are not taken away, unless nothing else is left.
    pub fn reserve(&self, pages: u32) {
        let mut pool = self.inner.lock();
        pool.real.reserve(self.space, pages).expect("the address space is there as long as its storage");
        self.inner.ring(&pool);
    }

    /// LOCK: brings pages in, and has them stay. Those that are locked already stay so.
    pub fn lock(&self, pages: Range<u32>) -> Result<(), Unlockable> {
        let mut locked: Vec<Place> = Vec::new();
        for page in pages {
            let at = Place { space: self.space, page };
            let (mut pool, good) = self.inner.bring(self.inner.lock(), at, &self.flags);
            let is_locked = pool.real.is_locked(at);
            let done = match good {
                true if is_locked => Ok(()),
                true => pool.real.lock(at).map(|_| locked.push(at)).map_err(|_| Unlockable::NoPage(page)),
                false => Err(Unlockable::NoPage(page)),
            };
            let lent = pool.real.lent() > 0;
            self.inner.ring(&pool);
            drop(pool);
            let done = done.and_then(|()| match lent {
                true => self.settle().map_err(|Full| Unlockable::Full),
                false => Ok(()),
            });
            if done.is_err() {
                let real = &mut self.inner.lock().real;
                // A page that is forgotten meanwhile is not locked any more.
                locked.iter().for_each(|&at| _ = real.unlock(at));
                return done;
            }
        }
        Ok(())
    }

    /// The frames of those pages that are in frames.
    pub fn frames(&self, pages: Range<u32>) -> Vec<(u32, u32)> {
        let pool = self.inner.lock();
        let frame = |page| Some((page, pool.real.frame_of(Place { space: self.space, page })?.0));
        pages.filter_map(frame).collect()
    }

    /// UNLOCK. How many pages were locked.
    pub fn unlock(&self, pages: Range<u32>) -> u32 {
        let mut pool = self.inner.lock();
        let unlocked = pages.filter(|&page| pool.real.unlock(Place { space: self.space, page }).is_ok());
        unlocked.count() as u32
    }
}

/// Why pages cannot be locked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unlockable {
    /// There is no such page, or it could not be read back.
    NoPage(u32),
    /// There are no frames for all of them.
    Full,
}
