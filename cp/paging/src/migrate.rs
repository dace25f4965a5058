//! Migration: when few blocks of expanded storage are free, the pages that have been there longest go to page space.

use crate::scan::BLOCK_SET;
use crate::space::{Held, Kind, Standing};
use crate::storage::RealStorage;
use crate::transfer::Source;
use crate::{Block, Place};

impl RealStorage {
    /// Below so many free blocks, migration is due.
    fn few_blocks(&self) -> u32 {
        let count = self.blocks.limit();
        (count / 100).max(64).min(count / 4)
    }

    /// How many blocks must migrate until so many are free.
    fn blocks_missing(&self, free: u32) -> u32 {
        (self.blocks.used() + free).saturating_sub(self.blocks.limit() + self.blocks.migrating())
    }

    /// CP has so many blocks from now on. If it uses more, those migrate.
    pub fn limit_blocks(&mut self, count: u32) {
        if count != self.blocks.limit() {
            self.changes += 1;
            self.blocks.set_limit(count);
        }
    }

    /// Whether migration is due.
    pub fn is_short_of_blocks(&self) -> bool {
        self.blocks_missing(self.few_blocks()) > 0
    }

    /// Begins to migrate pages until twice as many blocks are free, or about to be, as are few. How many pages it are.
    pub fn migrate(&mut self, now: u64) -> u32 {
        if !self.is_short_of_blocks() {
            return 0;
        }
        let mut begun = 0;
        loop {
            let missing = self.blocks_missing(2 * self.few_blocks());
            let chosen = self.oldest_blocks((missing as usize).min(BLOCK_SET));
            if chosen.is_empty() {
                return begun;
            }
            let pages: Vec<Place> = chosen.iter().map(|&(_, at, _)| at).collect();
            let Some((first, count)) = self.slots.take(&pages) else {
                self.counts.full += 1;
                return begun;
            };
            let chosen = &chosen[..count as usize];
            let slots = (first.0..first.0 + count).map(crate::Slot);
            let moves = chosen.iter().zip(slots).map(|(&(block, at, _), slot)| (at, Source::Block(block), slot));
            let number = self.begin(true, moves);
            for &(block, at, since) in chosen {
                self.page_mut(at).held = Held::Migrating(block, number);
                self.blocks.begin_migration(block);
                self.counts.migrated_age += now.saturating_sub(since);
            }
            begun += count;
        }
    }

    /// The oldest blocks: first those of users that are dormant, then of others, of saved segments, and of CP.
    fn oldest_blocks(&self, count: usize) -> Vec<(Block, Place, u64)> {
        let rank = |at: &Place| {
            let space = self.space(at.space);
            match (space.kind, space.standing) {
                (Kind::Guest, Standing::Dormant(_)) => 0,
                (Kind::Guest, _) => 1,
                (Kind::Shared, _) => 2,
                (Kind::System, _) => 3,
            }
        };
        let of_rank = |wanted: u32| self.blocks.oldest().filter(move |(_, at, _)| rank(at) == wanted);
        (0..4).flat_map(of_rank).take(count).collect()
    }
}
