//! The habits of guests that read: from what an image was asked for lately, what it will probably be asked for next.
//!
//! Two habits are known. A guest that reads one track after another will want the next ones. The other guest reads here
//! and there, but twice at one cylinder within a few hundred reads: it will want other tracks of that cylinder. On a
//! volume much larger than what is read at a time the second hardly ever happens.

use std::collections::VecDeque;
use std::ops::Range;

/// Tracks, or groups of blocks, that are staged ahead of a reader. A thread that has to wait for a processor is not
/// late at once.
pub(super) const WINDOW: u32 = 32;
/// Readers of one image that are told apart.
const STREAMS: usize = 4;
/// Reads in order before the first is staged.
const IN_ORDER: u32 = 2;
/// Cylinders that are remembered as read at lately.
const LATELY: usize = 256;

/// What is to be brought nearer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Wish {
    /// These units into the image's storage.
    Stage(Range<u32>),
    /// These units into the host's storage.
    Near(Range<u32>),
}

/// A sequential reader: one that reads one unit after another.
#[derive(Clone, Copy, Default)]
struct Stream {
    next: u32,
    run: u32,
    /// Everything before this was asked for.
    staged: u32,
    /// When it was used last, in reads.
    used: u64,
}

/// What is known of the reads of one image.
#[derive(Default)]
pub(super) struct Habits {
    streams: [Stream; STREAMS],
    /// Cylinders that reads missed at, and whether the host was told.
    lately: VecDeque<(u32, bool)>,
    reads: u64,
}

impl Habits {
    /// A unit is read, which was there already or is missing. `units` is how many the image has, `together` how many
    /// lie at one cylinder.
    pub(super) fn read(&mut self, unit: u32, missing: bool, units: u32, together: u32) -> Option<Wish> {
        self.reads += 1;
        let stream = self.streams.iter_mut().find(|stream| stream.used > 0 && stream.next.wrapping_sub(unit) <= 1);
        match stream {
            Some(stream) => {
                stream.used = self.reads;
                if stream.next == unit {
                    (stream.next, stream.run) = (unit + 1, stream.run + 1);
                }
                let from = stream.staged.max(stream.next);
                if stream.run >= IN_ORDER && from - stream.next <= WINDOW / 2 {
                    let to = units.min(stream.next + WINDOW);
                    stream.staged = to;
                    return (from < to).then_some(Wish::Stage(from..to));
                }
                // A step or two in order may be chance.
                if stream.run > 1 {
                    return None;
                }
            }
            None if missing => {
                let oldest = self.streams.iter_mut().min_by_key(|stream| stream.used).expect("there are some");
                *oldest = Stream { next: unit + 1, run: 0, staged: 0, used: self.reads };
            }
            None => {}
        }
        if missing { self.miss(unit / together, units, together) } else { None }
    }

    fn miss(&mut self, cylinder: u32, units: u32, together: u32) -> Option<Wish> {
        match self.lately.iter_mut().find(|(known, _)| *known == cylinder) {
            Some((_, told)) if *told => None,
            Some((_, told)) => {
                *told = true;
                let first = cylinder * together;
                Some(Wish::Near(first..units.min(first + together)))
            }
            None => {
                self.lately.truncate(LATELY - 1);
                self.lately.push_front((cylinder, false));
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_reads_in_order_has_the_next_tracks_staged_once_each() {
        let mut habits = Habits::default();
        let mut staged = Vec::new();
        for unit in 100..200 {
            // Requests of Linux end and begin in the midst of tracks.
            for missing in [!staged.contains(&unit), false] {
                if let Some(Wish::Stage(units)) = habits.read(unit, missing, 195, 15) {
                    staged.extend(units);
                }
            }
            let ahead = staged.iter().filter(|&&staged| staged > unit).count() as u32;
            assert!(unit < 102 || ahead >= (WINDOW / 2).min(194u32.saturating_sub(unit)), "{ahead} behind {unit}");
        }
        assert_eq!(staged, (103..195).collect::<Vec<u32>>());
    }

    #[test]
    fn several_readers_are_told_apart() {
        let mut habits = Habits::default();
        let mut staged = 0;
        for step in 0..100 {
            for reader in 0..STREAMS as u32 {
                let wish = habits.read(reader * 1000 + step, true, 10_000, 15);
                staged += matches!(wish, Some(Wish::Stage(_))) as u32;
            }
        }
        assert!(staged >= 4 * 100 / WINDOW, "{staged}");
    }

    #[test]
    fn a_cylinder_read_at_twice_is_wanted_once() {
        let mut habits = Habits::default();
        assert_eq!(habits.read(31, true, 1000, 15), None);
        assert_eq!(habits.read(500, true, 1000, 15), None);
        assert_eq!(habits.read(41, true, 1000, 15), Some(Wish::Near(30..45)));
        assert_eq!(habits.read(36, true, 1000, 15), None);
        // Long after, the first is forgotten.
        (0..LATELY as u32).for_each(|n| assert_eq!(habits.read(6000 + n * 15, true, 20_000, 15), None));
        assert_eq!(habits.read(510, true, 20_000, 15), None);
        // What is at hand needs no host.
        assert_eq!(habits.read(511, false, 20_000, 15), None);
    }
}
