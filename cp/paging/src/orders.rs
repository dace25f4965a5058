//! The orders in which the demand scan visits address spaces.

use crate::space::{Kind, SpaceId, Standing};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Address spaces with frames on their lists, in the orders in which the scan visits them.
#[derive(Debug, Default)]
pub(crate) struct Orders {
    pub(crate) shared: BTreeSet<SpaceId>,
    pub(crate) system: BTreeSet<SpaceId>,
    /// The longest dormant first.
    pub(crate) dormant: BTreeSet<(u64, SpaceId)>,
    /// The highest class first.
    pub(crate) eligible: BTreeSet<(Reverse<u8>, SpaceId)>,
    pub(crate) dispatch: BTreeSet<SpaceId>,
    /// Where the last round over the dispatch list, and over the shared spaces, ended.
    pub(crate) cursors: [u32; 2],
}

impl Orders {
    pub(crate) fn insert(&mut self, space: SpaceId, kind: Kind, standing: Standing) {
        match (kind, standing) {
            (Kind::Shared, _) => self.shared.insert(space),
            (Kind::System, _) => self.system.insert(space),
            (Kind::Guest, Standing::Dispatch) => self.dispatch.insert(space),
            (Kind::Guest, Standing::Eligible(class)) => self.eligible.insert((Reverse(class), space)),
            (Kind::Guest, Standing::Dormant(since)) => self.dormant.insert((since, space)),
        };
    }

    pub(crate) fn remove(&mut self, space: SpaceId, kind: Kind, standing: Standing) {
        match (kind, standing) {
            (Kind::Shared, _) => self.shared.remove(&space),
            (Kind::System, _) => self.system.remove(&space),
            (Kind::Guest, Standing::Dispatch) => self.dispatch.remove(&space),
            (Kind::Guest, Standing::Eligible(class)) => self.eligible.remove(&(Reverse(class), space)),
            (Kind::Guest, Standing::Dormant(since)) => self.dormant.remove(&(since, space)),
        };
    }

    /// All of a set, from after the cursor on.
    pub(crate) fn round(set: &BTreeSet<SpaceId>, cursor: u32) -> Vec<SpaceId> {
        let after = SpaceId(cursor);
        let (passed, next): (Vec<_>, Vec<_>) = set.iter().partition(|&&space| space <= after);
        next.into_iter().chain(passed).copied().collect()
    }
}
