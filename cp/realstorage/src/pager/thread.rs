//! The thread that takes pages away and writes them.

use super::state::{Inner, Notice, Pool};
use arch::PAGE;
use base::Held;
use paging::{Batch, Outcome, Place, Scan, Source, Standing, Touch, Transfer, Use};
use std::collections::HashMap;
use std::sync::MutexGuard;
use std::time::Duration;

/// How long the CPUs of a virtual machine have to give pages up.
const PATIENCE: Duration = Duration::from_millis(20);
/// How often the thread looks without being called: counts of the last seconds are kept.
const LOOK: Duration = Duration::from_secs(1);
/// So many writes that fail one after another are no matter of single slots.
const FAILURES: u32 = 3;
/// How long nothing is written then, or when the host of a page volume has no room, in microseconds.
const PAUSE: u64 = 1_000_000;

impl Inner {
    /// Until the pager ends.
    pub(super) fn work(&self) {
        let mut pool = self.lock();
        while !pool.ended {
            let now = self.now();
            pool.sample(now);
            if let Some(transfer) = pool.outgoing.pop_front() {
                pool = self.write(pool, &transfer);
                continue;
            }
            drop(pool);
            let blocks = (self.expanded.system().megabytes << 20) / PAGE;
            pool = self.lock();
            pool.real.limit_blocks(u32::try_from(blocks).unwrap_or(u32::MAX));
            if now >= pool.refused_until && pool.real.migrate(now) > 0 {
                pool.take_begun();
                continue;
            }
            let taken;
            (pool, taken) = if now >= pool.refused_until && pool.real.is_short() { self.scan(pool) } else { (pool, 0) };
            if taken == 0
                && pool.outgoing.is_empty()
                && now >= pool.refused_until
                && let Some(at) = pool.next_to_leave()
            {
                if pool.real.has_spare_frames() {
                    pool = self.recall(pool, at);
                    continue;
                }
                let taken;
                (pool, taken) = self.scan(pool);
                if taken > 0 {
                    continue;
                }
            }
            if taken == 0 && pool.outgoing.is_empty() && !pool.ended {
                pool.asleep = true;
                pool = self.bell.wait_timeout(pool, LOOK).held().0;
                pool.asleep = false;
            }
        }
    }

    /// Where users stand now.
    fn stand<'a>(&'a self, mut pool: MutexGuard<'a, Pool>) -> MutexGuard<'a, Pool> {
        let Some(standings) = self.standings.get() else { return pool };
        drop(pool);
        let queued: HashMap<u32, Standing> = standings().into_iter().collect();
        let now = self.now();
        pool = self.lock();
        let max = pool.max_wss;
        let Pool { real, hands, .. } = &mut *pool;
        let spaces: Vec<_> = hands.spaces.iter().map(|(&space, owner)| (space, owner.user)).collect();
        for (space, user) in spaces {
            let before = real.standing(space);
            let standing = match (queued.get(&user), before) {
                (Some(&standing), _) => standing,
                (None, Some(dormant @ Standing::Dormant(_))) => dormant,
                (None, _) => Standing::Dormant(now),
            };
            if before.is_some_and(|before| before != standing) {
                real.stand(space, standing, max, hands).expect("the address space is there");
            }
        }
        hands.flush();
        pool
    }

    /// A demand scan. How many frames it has taken.
    fn scan<'a>(&'a self, pool: MutexGuard<'a, Pool>) -> (MutexGuard<'a, Pool>, u32) {
        let mut pool = self.stand(pool);
        let Some(mut scan) = pool.real.begin_scan() else { return (pool, 0) };
        let before = pool.real.counts().full;
        loop {
            let Pool { real, hands, ended, .. } = &mut *pool;
            let Some(batch) = real.next_batch(&mut scan, hands) else { break };
            hands.flush();
            if *ended {
                real.give_back(&mut scan, &batch);
                break;
            }
            pool = self.take(pool, &mut scan, batch);
            while let Some(transfer) = pool.outgoing.pop_front() {
                pool = self.write(pool, &transfer);
            }
        }
        if scan.taken() == 0 {
            if pool.real.counts().full > before && pool.real.is_hopeless() {
                self.notify(&mut pool, Notice::Full);
            }
            self.news.notify_all();
        }
        (pool, scan.taken())
    }

    /// Brings a page that is to leave a drained volume.
    fn recall<'a>(&'a self, mut pool: MutexGuard<'a, Pool>, at: Place) -> MutexGuard<'a, Pool> {
        let Pool { real, hands, .. } = &mut *pool;
        let began = matches!(real.touch(at, hands), Ok(Touch::Wait(_)));
        match real.take_begun().pop() {
            Some(transfer) if began => {
                drop(pool);
                let (mut pool, told) = self.fetch(&transfer);
                // They stay where they are, for their owners to find out.
                pool.stuck.extend(told.iter().filter(|(_, good)| !good).map(|&(at, _)| at));
                pool
            }
            _ => pool,
        }
    }

    /// Takes the pages of a batch from the CPUs, and puts them away.
    fn take<'a>(&'a self, mut pool: MutexGuard<'a, Pool>, scan: &mut Scan, batch: Batch) -> MutexGuard<'a, Pool> {
        let owner = pool.hands.spaces.get(&batch.space);
        let configuration = owner.and_then(|owner| owner.configuration.upgrade());
        if let Some(storage) = pool.hands.storage(batch.space) {
            storage.withhold(batch.pages.iter().map(|(at, _)| at.page.into()));
        }
        drop(pool);
        let answered = configuration.is_none_or(|configuration| configuration.withdraw(PATIENCE));
        pool = self.lock();
        let now = self.now();
        let Pool { real, hands, .. } = &mut *pool;
        match answered {
            true => {
                let storage = hands.storage(batch.space);
                let used = |page: u32| storage.as_ref().map(|storage| storage.uses(page.into())).unwrap_or_default();
                let done: Vec<Use> = batch
                    .pages
                    .iter()
                    .map(|(at, _)| used(at.page))
                    .map(|uses| Use { referenced: uses.referenced, changed: uses.changed })
                    .collect();
                real.put_away(scan, batch, &done, now, hands);
            }
            false => real.give_back(scan, &batch),
        }
        hands.flush();
        pool.take_begun();
        self.look_at_slots(&mut pool);
        self.news.notify_all();
        pool
    }

    /// Writes what goes to a page volume.
    fn write<'a>(&'a self, pool: MutexGuard<'a, Pool>, transfer: &Transfer) -> MutexGuard<'a, Pool> {
        let mut bytes = vec![0; transfer.moves.len() * PAGE as usize];
        for (part, page) in transfer.moves.iter().zip(bytes.as_chunks_mut::<{ PAGE as usize }>().0) {
            match part.page {
                Source::Block(block) => pool.hands.block(block, page),
                Source::Frame(_) => {
                    if let Some(storage) = pool.hands.storage(part.at.space) {
                        storage.take(part.at.page.into(), page);
                    }
                }
            }
        }
        drop(pool);
        let (outcome, failure) = self.volumes.write(transfer.moves[0].slot, &bytes);
        let mut pool = self.lock();
        let Pool { real, hands, .. } = &mut *pool;
        real.ended(transfer.number, |_| outcome, hands);
        hands.flush();
        pool.failures = if outcome == Outcome::Done { 0 } else { pool.failures + 1 };
        if outcome == Outcome::Refused || pool.failures >= FAILURES {
            pool.refused_until = self.now() + PAUSE;
        }
        if let Some((name, why)) = failure {
            self.notify(&mut pool, Notice::Trouble(name, "writing", why.to_string()));
        }
        self.look_at_slots(&mut pool);
        self.news.notify_all();
        pool
    }
}

impl Pool {
    fn next_to_leave(&mut self) -> Option<Place> {
        let Pool { real, stuck, .. } = self;
        real.next_to_leave(|at| !stuck.contains(&at))
    }

    /// Transfers to page volumes that have just been begun.
    fn take_begun(&mut self) {
        self.outgoing.extend(self.real.take_begun());
    }
}
