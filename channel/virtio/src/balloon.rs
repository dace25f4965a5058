//! A balloon (specification, chapter 5.5): the program gives pages back, those that it is told to and those that are
//! free.

use crate::ring::{Broken, Chain};
use crate::transport::{Cause, Model, Queues};
use arch::virtio::{BalloonConfig, BalloonStatistic, balloon_feature as feature, balloon_statistic as statistic, kind};
use arch::{Absolute, PAGE};
use base::Held;
use base::layout::little::U32;
use css::{Doorbell, Unkept};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::{Arc, Mutex, MutexGuard};
use storage::Storage;
use zerocopy::{FromBytes, IntoBytes};

/// The queues: pages that are given back, pages that are taken again, statistics, free pages. Linux numbers those that
/// there are without a gap.
const GIVE: u16 = 0;
const TAKE: u16 = 1;
const STATISTICS: u16 = 2;
const FREE: u16 = 3;
/// Chains that are looked at in one turn, of each queue.
const BATCH: u16 = 64;
/// The longest list of pages, and of statistics.
const LONGEST: u64 = 64 << 10;

/// How much storage the program has, as it has said last. In bytes, all but the pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct BalloonFigures {
    /// Pages that it is to give back.
    pub wanted: u32,
    /// Pages that it has given back.
    pub given: u32,
    /// What nothing uses.
    pub free: u64,
    /// What could be had without paging.
    pub available: u64,
    /// What there is.
    pub total: u64,
    /// Bytes of free pages that were given back to the host, whether or not they are used again by now.
    pub reported: u64,
}

/// A balloon in a checkpoint.
#[derive(Serialize, Deserialize)]
struct Checkpoint {
    figures: BalloonFigures,
    statistics: Option<Chain>,
}

#[derive(Default)]
struct Shared {
    figures: BalloonFigures,
    bell: Option<Doorbell>,
    changed: bool,
    /// New statistics are wanted.
    ask: bool,
}

/// What a balloon and CP share. It stays when the virtual machine gets other hardware.
#[derive(Default)]
pub struct Valve(Mutex<Shared>);

impl Valve {
    /// A balloon's other side.
    pub fn new() -> Arc<Valve> {
        Arc::default()
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().held()
    }

    fn ring(shared: MutexGuard<'_, Shared>) {
        let bell = shared.bell.clone();
        drop(shared);
        if let Some(bell) = bell {
            bell.ring();
        }
    }

    /// The figures. The program is asked for new ones.
    pub fn figures(&self) -> BalloonFigures {
        let mut shared = self.lock();
        shared.ask = true;
        let figures = shared.figures;
        Valve::ring(shared);
        figures
    }

    /// Has the program give back so many pages in all.
    pub fn want(&self, pages: u32) {
        let mut shared = self.lock();
        shared.figures.wanted = pages;
        shared.changed = true;
        Valve::ring(shared);
    }
}

/// The model of a balloon.
pub struct Balloon {
    valve: Arc<Valve>,
    chain: Chain,
    bytes: Vec<u8>,
    /// The program's buffer for statistics is here until new ones are wanted.
    statistics: Option<Chain>,
}

impl Balloon {
    /// The balloon at this valve.
    pub fn new(valve: Arc<Valve>) -> Balloon {
        Balloon { valve, chain: Chain::default(), bytes: Vec::new(), statistics: None }
    }

    /// Pages that are given back.
    fn give(&mut self, queues: &mut Queues<'_>) -> Result<(), Broken> {
        let storage = queues.storage;
        for _ in 0..BATCH {
            if !queues.take(GIVE, &mut self.chain)? {
                return queues.publish(GIVE);
            }
            self.read(storage)?;
            for pages in runs(<[U32]>::ref_from_bytes(&self.bytes).map_err(|_| Broken)?) {
                discard(storage, pages.0 * PAGE, (pages.1 + 1) * PAGE)?;
            }
            queues.queue(GIVE).put(storage, &self.chain, 0)?;
        }
        queues.again();
        queues.publish(GIVE)
    }

    /// Pages that are taken again: they are there.
    fn take(&mut self, queues: &mut Queues<'_>) -> Result<(), Broken> {
        let storage = queues.storage;
        for _ in 0..BATCH {
            if !queues.take(TAKE, &mut self.chain)? {
                return queues.publish(TAKE);
            }
            queues.queue(TAKE).put(storage, &self.chain, 0)?;
        }
        queues.again();
        queues.publish(TAKE)
    }

    /// Free pages: the program waits for the answer before it uses them.
    fn free(&mut self, queues: &mut Queues<'_>) -> Result<(), Broken> {
        let storage = queues.storage;
        for _ in 0..BATCH {
            if !queues.take(FREE, &mut self.chain)? {
                return queues.publish(FREE);
            }
            for (at, length) in self.chain.writable_buffers() {
                let end = at.checked_add(u64::from(*length)).ok_or(Broken)?;
                discard(storage, *at, end)?;
                self.valve.lock().figures.reported += u64::from(*length);
            }
            queues.queue(FREE).put(storage, &self.chain, 0)?;
        }
        queues.again();
        queues.publish(FREE)
    }

    /// Reads statistics that have come, and gives the buffer back if new ones are wanted.
    fn look(&mut self, queues: &mut Queues<'_>) -> Result<(), Broken> {
        let storage = queues.storage;
        if self.statistics.is_none() && queues.take(STATISTICS, &mut self.chain)? {
            self.read(storage)?;
            let mut shared = self.valve.lock();
            for entry in self.bytes.chunks_exact(size_of::<BalloonStatistic>()) {
                let entry = BalloonStatistic::read_from_bytes(entry).map_err(|_| Broken)?;
                match entry.tag.get() {
                    statistic::FREE => shared.figures.free = entry.value.get(),
                    statistic::TOTAL => shared.figures.total = entry.value.get(),
                    statistic::AVAILABLE => shared.figures.available = entry.value.get(),
                    _ => {}
                }
            }
            drop(shared);
            self.statistics = Some(std::mem::take(&mut self.chain));
        }
        let asked = std::mem::take(&mut self.valve.lock().ask);
        if let Some(chain) = self.statistics.take_if(|_| asked) {
            queues.queue(STATISTICS).put(storage, &chain, 0)?;
            queues.publish(STATISTICS)?;
        }
        Ok(())
    }

    fn read(&mut self, storage: &Storage) -> Result<(), Broken> {
        if self.chain.readable() > LONGEST {
            return Err(Broken);
        }
        self.bytes.clear();
        self.chain.read(storage, 0, &mut self.bytes)
    }
}

/// Pages side by side, as their first and last.
fn runs(pages: &[U32]) -> impl Iterator<Item = (u64, u64)> {
    pages
        .chunk_by(|a, b| a.get().checked_add(1) == Some(b.get()))
        .map(|run| (run[0].get().into(), run[run.len() - 1].get().into()))
}

/// Gives the whole pages between two addresses back to the host.
fn discard(storage: &Storage, from: u64, to: u64) -> Result<(), Broken> {
    let (first, end) = (from.div_ceil(PAGE), to / PAGE);
    if first >= end {
        return Ok(());
    }
    // Pages that are others' as well stay what they are.
    if (first..end).any(|page| storage.is_read_only(Absolute(page * PAGE))) {
        return Err(Broken);
    }
    storage.discard(Absolute(first * PAGE), Absolute((end - 1) * PAGE)).map_err(|_| Broken)
}

impl Model for Balloon {
    fn kind(&self) -> u8 {
        kind::BALLOON
    }

    fn queues(&self) -> &'static [u16] {
        &[128, 128, 16, 64]
    }

    fn features(&self) -> u64 {
        feature::STATISTICS | feature::REPORTING
    }

    fn config(&self) -> Vec<u8> {
        let figures = self.valve.lock().figures;
        BalloonConfig { wanted: figures.wanted.into(), given: figures.given.into() }.as_bytes().to_vec()
    }

    fn write_config(&mut self, config: &[u8]) -> bool {
        let Ok((config, _)) = BalloonConfig::read_from_prefix(config) else { return false };
        self.valve.lock().figures.given = config.given.get();
        true
    }

    fn config_changed(&mut self) -> bool {
        std::mem::take(&mut self.valve.lock().changed)
    }

    fn attached(&mut self, bell: &Doorbell) {
        self.valve.lock().bell = Some(bell.clone());
    }

    fn start(&mut self, _: u64) {
        let mut shared = self.valve.lock();
        // A program that begins finds what it is to give back.
        shared.changed = shared.figures.wanted != 0;
    }

    fn stop(&mut self) {
        self.statistics = None;
        let mut shared = self.valve.lock();
        let (wanted, reported) = (shared.figures.wanted, shared.figures.reported);
        shared.figures = BalloonFigures { wanted, reported, ..BalloonFigures::default() };
    }

    fn checkpoint(&self) -> Result<Value, Unkept> {
        let held = Checkpoint { figures: self.valve.lock().figures, statistics: self.statistics.clone() };
        Ok(serde_json::to_value(held).expect("it is a record of numbers"))
    }

    fn resume(&mut self, from: &Value) -> Result<(), serde_json::Error> {
        let held = Checkpoint::deserialize(from)?;
        self.statistics = held.statistics;
        self.valve.lock().figures = held.figures;
        Ok(())
    }

    fn serve(&mut self, _: Cause, queues: &mut Queues<'_>) -> Result<(), Broken> {
        self.give(queues)?;
        self.take(queues)?;
        self.free(queues)?;
        self.look(queues)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_side_by_side_are_one_run() {
        let pages = [5, 6, 7, 9, 1, 0, u32::MAX, 0].map(U32::new);
        let runs: Vec<_> = runs(&pages).collect();
        let last = u64::from(u32::MAX);
        assert_eq!(runs, [(5, 7), (9, 9), (1, 1), (0, 0), (last, last), (0, 0)]);
    }
}
