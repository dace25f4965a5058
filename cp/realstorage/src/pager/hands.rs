//! What moves pages: the [`Mover`] between guests' storage, blocks of expanded storage and what came from a volume.

use super::flags::Flags;
use super::volume::Page;
use arch::PAGE;
use complex::Configuration;
use paging::{Block, Frame, Mover, Place, Slot, SpaceId, Use};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Weak};
use storage::Storage;

/// A configuration that may have gone.
pub(super) type Machine = Weak<Configuration>;

/// Whose pages an address space has.
pub(super) struct Owner {
    pub(super) storage: Weak<Storage>,
    pub(super) configuration: Machine,
    /// The number of the user.
    pub(super) user: u32,
    pub(super) flags: Arc<Flags>,
    /// Frames of CP's own blocks for it.
    pub(super) blocks: Vec<Frame>,
}

pub(super) struct Hands {
    pub(super) spaces: HashMap<SpaceId, Owner>,
    /// CP's blocks of expanded storage.
    blocks: Option<Storage>,
    /// Pages whose bytes the host may have back.
    vacated: Vec<Place>,
    /// Address spaces whose CPUs must look for pages anew, so that references are seen.
    stale: BTreeSet<SpaceId>,
    /// What has been read from slots.
    pub(super) landing: HashMap<Slot, Box<Page>>,
}

impl Hands {
    pub(super) fn new(blocks: Option<Storage>) -> Hands {
        let (spaces, vacated, stale, landing) = (HashMap::new(), Vec::new(), BTreeSet::new(), HashMap::new());
        Hands { spaces, blocks, vacated, stale, landing }
    }

    /// The storage of an address space; none if it has gone, and nothing reaches its pages any more.
    pub(super) fn storage(&self, space: SpaceId) -> Option<Arc<Storage>> {
        self.spaces.get(&space)?.storage.upgrade()
    }

    fn blocks(&self) -> &Storage {
        self.blocks.as_ref().expect("there is expanded storage where there are blocks")
    }

    /// The bytes of a block.
    pub(super) fn block(&self, block: Block, page: &mut Page) {
        self.blocks().take(block.0.into(), page);
    }

    /// Gives the host back what has been vacated, neighbours together, and has CPUs look anew. To be called before the
    /// pool is unlocked.
    pub(super) fn flush(&mut self) {
        let mut vacated = std::mem::take(&mut self.vacated);
        vacated.sort_unstable();
        for pages in vacated.chunk_by(|a, b| a.space == b.space && a.page + 1 == b.page) {
            let (first, last) = (pages[0], pages[pages.len() - 1]);
            if let Some(storage) = self.storage(first.space) {
                storage.vacate(first.page.into()..u64::from(last.page) + 1);
            }
        }
        vacated.clear();
        self.vacated = vacated;
        for space in std::mem::take(&mut self.stale) {
            if let Some(configuration) = self.spaces.get(&space).and_then(|owner| owner.configuration.upgrade()) {
                configuration.purge_soon();
            }
        }
    }
}

fn of(uses: storage::Uses) -> Use {
    Use { referenced: uses.referenced, changed: uses.changed }
}

impl Mover for Hands {
    fn look(&mut self, at: Place, _: Frame) -> Use {
        self.storage(at.space).map_or(Use::default(), |storage| of(storage.uses(at.page.into())))
    }

    fn count_anew(&mut self, pages: &[(Place, Frame)], done: &mut Vec<Use>) {
        for (at, _) in pages {
            self.stale.insert(at.space);
            let storage = self.storage(at.space);
            done.push(storage.map_or(Use::default(), |storage| of(storage.count_anew(at.page.into()))));
        }
    }

    fn is_blank(&mut self, at: Place, _: Frame) -> bool {
        self.storage(at.space).is_none_or(|storage| storage.is_blank(at.page.into()))
    }

    /// Only for pages that are forgotten. Pages that are taken away are withdrawn with nothing locked.
    fn withdraw(&mut self, pages: &[(Place, Frame)], done: &mut Vec<Use>) {
        for &(at, frame) in pages {
            if let Some(storage) = self.storage(at.space) {
                storage.withhold(std::iter::once(at.page.into()));
            }
            done.push(self.look(at, frame));
        }
    }

    fn clear(&mut self, at: Place, _: Frame) {
        if let Some(storage) = self.storage(at.space) {
            storage.arrive(at.page.into(), None);
        }
    }

    fn vacate(&mut self, at: Place, _: Frame) {
        self.vacated.push(at);
    }

    fn put(&mut self, at: Place, _: Frame, block: Block) {
        let mut page = [0; PAGE as usize];
        if let Some(storage) = self.storage(at.space) {
            storage.take(at.page.into(), &mut page);
        }
        self.blocks().keep(block.0.into(), &page);
    }

    fn get(&mut self, block: Block, at: Place, _: Frame) {
        let mut page = [0; PAGE as usize];
        self.block(block, &mut page);
        if let Some(storage) = self.storage(at.space) {
            storage.arrive(at.page.into(), Some(&page));
        }
    }

    fn land(&mut self, slot: Slot, at: Place, _: Frame) {
        let page = self.landing.remove(&slot).expect("the page was read");
        if let Some(storage) = self.storage(at.space) {
            storage.arrive(at.page.into(), Some(&page));
        }
    }
}
