//! The tracks, or groups of blocks, of an image that were used last, kept in storage. Their use says what will be
//! wanted next.

use super::habits::{Habits, Wish};
use super::places::Places;
use crate::format::unit;
use crate::model::Kind;
use crate::model::track::Track;
use std::collections::VecDeque;
use std::sync::Arc;

/// A track, or a group of blocks of a compressed fixed-block image.
#[derive(Clone)]
pub(super) enum Unit {
    Track(Arc<Track>),
    Group(Arc<Vec<u8>>),
}

/// The units used last.
#[derive(Default)]
pub(super) struct Recent {
    units: VecDeque<(u32, Unit)>,
    pub habits: Habits,
    pub places: Places,
}

impl Recent {
    /// Up to 5.5 MB of 3390 tracks: what is staged ahead of a few readers, and what they come back to.
    const LIMIT: usize = 96;

    pub(super) fn has(&self, unit: u32) -> bool {
        self.units.iter().any(|(found, _)| *found == unit)
    }

    /// As [`Recent::find`], and what should be brought nearer as this is read.
    pub(super) fn read(&mut self, unit: u32, kind: Kind) -> (Option<Unit>, Option<Wish>) {
        let together = match kind {
            Kind::Ckd { heads, .. } => heads,
            Kind::Fba { .. } => 16,
        };
        let found = self.find(unit);
        let wish = self.habits.read(unit, found.is_none(), unit::count(kind), together);
        (found, wish)
    }

    pub(super) fn find(&mut self, unit: u32) -> Option<Unit> {
        let at = self.units.iter().position(|(found, _)| *found == unit)?;
        let found = self.units.remove(at)?;
        let data = found.1.clone();
        self.units.push_front(found);
        Some(data)
    }

    pub(super) fn put(&mut self, unit: u32, data: Unit) {
        self.remove(unit);
        self.units.truncate(Self::LIMIT - 1);
        self.units.push_front((unit, data));
    }

    pub(super) fn remove(&mut self, unit: u32) {
        self.units.retain(|(found, _)| *found != unit);
    }
}
