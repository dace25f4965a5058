//! Where the records of tracks lie, remembered of tracks that were read or written once. One record of such a track is
//! then read and written alone, for a tenth of what the track costs.
//!
//! No other program writes the file, so what is remembered stays true until the track is written anew. The record's
//! count area is compared all the same. Most tracks of a disk are formatted alike. So a few shapes are kept, and for a
//! track which of them it has and what cylinder and head its count areas name. Only plain files without a snapshot are
//! used so. A track that is wanted again soon is read whole, and kept among the recent tracks.

use crate::model::track::{Count, Track};
use crate::volume::Spot;
use std::collections::{HashMap, VecDeque};

/// Shapes, and tracks, that are remembered.
const SHAPES: usize = 8;
const TRACKS: usize = 1 << 15;
/// Tracks of which a record was wanted last.
const LATELY: usize = 16;

#[derive(Default)]
pub(super) struct Places {
    /// Where the records lie, each with what is left of its count area without cylinder and head.
    shapes: Vec<Vec<Spot>>,
    /// Cylinder and head in the count areas of a track, and its shape.
    known: HashMap<u32, (u16, u16, u8)>,
    lately: VecDeque<u32>,
}

impl Places {
    /// The track is like this now.
    pub(super) fn learn(&mut self, unit: u32, track: &Track) {
        let named = |count: &Count| (count.cylinder, count.head);
        let spots = || {
            let apart = |count| Count { cylinder: 0, head: 0, ..count };
            track.records().map(move |record| Spot { at: record.at, count: apart(record.count) })
        };
        let first = track.records().next().map(|record| named(&record.count));
        let Some(home) = first.filter(|first| track.records().all(|record| named(&record.count) == *first)) else {
            return self.forget(unit);
        };
        let mut shape = self.shapes.iter().position(|shape| spots().eq(shape.iter().copied()));
        if shape.is_none() && self.shapes.len() < SHAPES {
            self.shapes.push(spots().collect());
            shape = Some(self.shapes.len() - 1);
        }
        match shape {
            Some(shape) if self.known.len() < TRACKS || self.known.contains_key(&unit) => {
                self.known.insert(unit, (home.0, home.1, shape as u8));
            }
            _ => self.forget(unit),
        }
    }

    pub(super) fn forget(&mut self, unit: u32) {
        self.known.remove(&unit);
    }

    pub(super) fn find(&self, unit: u32, id: [u8; 5]) -> Option<Spot> {
        let &(cylinder, head, shape) = self.known.get(&unit)?;
        let spot = self.shapes[usize::from(shape)].iter().find(|spot| spot.count.record == id[4])?;
        let spot = Spot { count: Count { cylinder, head, ..spot.count }, ..*spot };
        (spot.count.encode()[..5] == id && spot.count.key == 0 && spot.count.data > 0).then_some(spot)
    }

    pub(super) fn has(&self, unit: u32, spot: Spot) -> bool {
        let [c1, c2, h1, h2, record, ..] = spot.count.encode();
        self.find(unit, [c1, c2, h1, h2, record]) == Some(spot)
    }

    /// Whether a record of the track was wanted lately; now one is.
    pub(super) fn wanted(&mut self, unit: u32) -> bool {
        if let Some(at) = self.lately.iter().position(|&lately| lately == unit) {
            self.lately.remove(at);
            return true;
        }
        self.lately.truncate(LATELY - 1);
        self.lately.push_front(unit);
        false
    }
}
