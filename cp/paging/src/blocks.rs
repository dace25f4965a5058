//! CP's part of expanded storage: which blocks are free, and which page is in each of the others since when.

use crate::list::{Links, List};
use crate::{Block, Place};

#[derive(Clone, Copy, Debug)]
struct Taken {
    at: Place,
    /// When the page came, in the unit of the clock that is passed in.
    since: u64,
    /// It is on its way to page space; a reference still finds it here.
    migrating: bool,
}

/// The blocks that CP has.
#[derive(Debug)]
pub(crate) struct Blocks {
    taken: Vec<Option<Taken>>,
    links: Links,
    free: List,
    /// Those that are taken and not migrating; the oldest is at the bottom.
    aged: List,
    migrating: u32,
    /// So many may be taken; there may be more that are.
    limit: u32,
}

impl Blocks {
    pub(crate) fn new(count: u32) -> Blocks {
        let (mut links, mut free) = (Links::new(count), List::default());
        (0..count).for_each(|block| links.push_top(&mut free, block));
        Blocks { taken: vec![None; count as usize], links, free, aged: List::default(), migrating: 0, limit: count }
    }

    /// How many may be taken.
    pub(crate) fn limit(&self) -> u32 {
        self.limit
    }

    /// From now on so many may be taken, if there are so many.
    pub(crate) fn set_limit(&mut self, limit: u32) {
        self.limit = limit.min(self.taken.len() as u32);
    }

    /// How many are taken.
    pub(crate) fn used(&self) -> u32 {
        self.taken.len() as u32 - self.free.len()
    }

    pub(crate) fn migrating(&self) -> u32 {
        self.migrating
    }

    pub(crate) fn take(&mut self, at: Place, now: u64) -> Option<Block> {
        if self.used() >= self.limit {
            return None;
        }
        let block = self.links.pop_bottom(&mut self.free)?;
        self.taken[block as usize] = Some(Taken { at, since: now, migrating: false });
        self.links.push_top(&mut self.aged, block);
        Some(Block(block))
    }

    /// Frees a block, whether it is migrating or not.
    pub(crate) fn release(&mut self, block: Block) {
        let taken = self.taken[block.0 as usize].take().expect("a page has the block");
        match taken.migrating {
            true => self.migrating -= 1,
            false => self.links.remove(&mut self.aged, block.0),
        }
        self.links.push_top(&mut self.free, block.0);
    }

    /// The block's page begins its way to page space.
    pub(crate) fn begin_migration(&mut self, block: Block) {
        let taken = self.taken[block.0 as usize].as_mut().expect("a page has the block");
        assert!(!taken.migrating, "it has not begun before");
        taken.migrating = true;
        self.links.remove(&mut self.aged, block.0);
        self.migrating += 1;
    }

    /// It has not got there; the block is as old as before, but the last to be tried again.
    pub(crate) fn end_migration(&mut self, block: Block) {
        let taken = self.taken[block.0 as usize].as_mut().expect("a page has the block");
        assert!(taken.migrating, "it has begun");
        taken.migrating = false;
        self.migrating -= 1;
        self.links.push_top(&mut self.aged, block.0);
    }

    /// The blocks with pages, the oldest first: the block, its page, and when that came.
    pub(crate) fn oldest(&self) -> impl Iterator<Item = (Block, Place, u64)> + '_ {
        self.links.upwards(&self.aged).filter_map(|block| {
            let taken = self.taken[block as usize].as_ref()?;
            Some((Block(block), taken.at, taken.since))
        })
    }

    /// The page in a block.
    pub(crate) fn owner(&self, block: Block) -> Option<Place> {
        self.taken[block.0 as usize].as_ref().map(|taken| taken.at)
    }
}
