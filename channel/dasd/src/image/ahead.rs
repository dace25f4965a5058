//! Reading ahead: what a guest will probably want next is brought into storage by a thread of its own, while the guest
//! works on what it has.
//!
//! Two habits are known. A guest that reads one track after another has the next ones *staged*: read, unpacked and kept
//! among the image's recent tracks. They are read in [runs](crate::host), or the host is told meanwhile of the tracks
//! after them. The other guest reads here and there, but twice at one cylinder within a few hundred reads. For that
//! guest the host is told that the cylinder is wanted ([`HostFile::will_need`](crate::host::HostFile::will_need)). Its
//! other tracks are then in the host's storage when they are read. On a volume much larger than what is read at a time
//! the second hardly ever happens.
//!
//! What goes wrong here is found again, and told, when the guest itself reads. Images with injected failures of the
//! host do not read ahead: tests count their requests.

use crate::host::Room;
use crate::image::Files;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, OnceLock, Weak};

/// Tracks, or groups of blocks, that are staged ahead of a reader. A thread that has to wait for a processor is not
/// late at once.
const WINDOW: u32 = 32;
/// As many of them are one piece of work: where the host has processors, several threads unpack.
const PIECE: usize = 4;
/// As many where they are read in one run.
const RUN: usize = 8;
/// Threads at most.
const THREADS: usize = 4;
/// Readers of one image that are told apart.
const STREAMS: usize = 4;
/// Reads in order before the first is staged.
const IN_ORDER: u32 = 2;
/// Cylinders that are remembered as read at lately.
const LATELY: usize = 256;
/// Requests that wait for the thread; what comes when there are more is not read ahead.
const WAITING: usize = 64;

/// What is to be brought nearer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wish {
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
pub struct Habits {
    streams: [Stream; STREAMS],
    /// Cylinders that reads missed at, and whether the host was told.
    lately: VecDeque<(u32, bool)>,
    reads: u64,
}

impl Habits {
    /// A unit is read, which was there already or is missing. `units` is how many the image has, `together` how many
    /// lie at one cylinder.
    pub fn read(&mut self, unit: u32, missing: bool, units: u32, together: u32) -> Option<Wish> {
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

type Queue = (Mutex<VecDeque<(Weak<Files>, Wish)>>, Condvar);

static QUEUE: OnceLock<Queue> = OnceLock::new();

const HELD: &str = "no panic while it is held";

/// Has a thread do it, some time soon.
pub fn ask(files: &Arc<Files>, wish: Wish) {
    let (queue, bell) = QUEUE.get_or_init(|| {
        let processors = std::thread::available_parallelism().map_or(1, |number| number.get());
        for _ in 0..(processors / 2).clamp(1, THREADS) {
            // Without threads nothing is read ahead.
            let _ = std::thread::Builder::new().name("dasd ahead".into()).spawn(run);
        }
        Queue::default()
    });
    let pieces = match wish {
        Wish::Stage(units) => {
            let past = files.reads_past();
            let piece = if past { RUN } else { PIECE };
            // The host fetches what comes after these, while they are unpacked.
            let behind = (!past).then(|| Wish::Near(units.end..units.end.saturating_add(WINDOW)));
            let pieces = units.clone().step_by(piece).map(move |at| at..units.end.min(at + piece as u32));
            pieces.map(Wish::Stage).chain(behind).collect()
        }
        near => vec![near],
    };
    let mut queue = queue.lock().expect(HELD);
    if queue.len() < WAITING {
        queue.extend(pieces.into_iter().map(|wish| (Arc::downgrade(files), wish)));
        bell.notify_all();
    }
}

fn run() {
    let (queue, bell) = QUEUE.wait();
    let mut room = Room::default();
    loop {
        let next = bell.wait_while(queue.lock().expect(HELD), |queue| queue.is_empty()).expect(HELD).pop_front();
        let Some((files, wish)) = next.and_then(|(files, wish)| Some((files.upgrade()?, wish))) else { continue };
        match wish {
            Wish::Stage(units) => files.stage(units, &mut room),
            Wish::Near(units) => files.will_need(units),
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
