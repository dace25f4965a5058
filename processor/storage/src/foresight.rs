//! Storage that is about to be stored into for the first time is found and cleared by a thread, ahead of the stores.
//!
//! A system fills its storage from one end to the other. Its kernel unpacks itself there, makes its tables, and has
//! what it reads put after them. Each huge page of the host has to be found and cleared when it is first reached. That
//! takes as long as a million instructions. So of each such piece it is known whether a CPU or input has stored
//! anything there. When one is reached after another, or after one that was passed over, the next ones are prepared
//! meanwhile, if nothing of them is there. It is more than one, since the thread may have to wait for a processor. They
//! are as zero then as they were before. Some are never reached; there are no more than [`VAIN`] of them.
//!
//! A host that is a virtual machine itself may have given back the pages that it did not use. To get one again takes
//! fifty times as long as clearing it. A program that streams through storage reaches pieces faster than a thread can
//! prepare them. There more of them are prepared, before.
//!
//! Small machines, which are kept small, are left alone, as is everything on hosts that cannot do this.

use base::Held;
use std::ops::Range;
#[cfg(target_os = "linux")]
use std::sync::atomic::AtomicU64;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

/// What is prepared at a time: a huge page.
pub(crate) const PIECE: usize = 2 << 20;
/// How many pieces are prepared ahead.
const AHEAD: usize = 2;
/// As many once one of them was dear: took so long to prepare.
const FAR: usize = 7;
const DEAR: Duration = Duration::from_millis(1);
/// So many pieces may have been prepared that were not reached.
const VAIN: usize = 8;

/// What became of a piece.
const UNTOUCHED: u8 = 0;
const PREPARED: u8 = 1;
const REACHED: u8 = 2;

/// The pieces of a mapping.
#[derive(Default)]
pub(crate) struct Foresight {
    /// Where the first of them begins.
    start: usize,
    pieces: Arc<[AtomicU8]>,
    /// How many are prepared and not reached.
    vain: AtomicUsize,
    mark: Arc<Mark>,
}

/// What a mapping and the thread tell each other.
#[derive(Default)]
struct Mark {
    /// Whether the mapping has gone. It does not go, and no other pages take the place of its own, while this is held.
    gone: Mutex<bool>,
    /// Whether a piece was dear.
    dear: AtomicBool,
}

/// A piece that is to be prepared.
struct Request {
    mark: Arc<Mark>,
    pieces: Arc<[AtomicU8]>,
    piece: usize,
    at: usize,
}

impl Request {
    fn perform(self) {
        let gone = self.mark.gone.lock().held();
        // The store that has reached it meanwhile is having it cleared: twice would be in vain.
        if *gone || self.pieces[self.piece].load(Relaxed) != PREPARED {
            return;
        }
        let began = Instant::now();
        if prepare(self.at, PIECE) && began.elapsed() >= DEAR {
            self.mark.dear.store(true, Relaxed);
        }
    }
}

/// Finds and clears the pages of a piece of some mapping, if none of them is there; whether that was so.
#[cfg(target_os = "linux")]
fn prepare(at: usize, len: usize) -> bool {
    let at = std::ptr::without_provenance_mut(at);
    let mut states = vec![0u8; len / 4096];
    let mut there = |wanted: u8| {
        // SAFETY: the mapping is there, as its mark says, and there is a byte for each of its pages.
        let asked = unsafe { libc::mincore(at, len, states.as_mut_ptr()) };
        asked == 0 && states.iter().all(|state| state & 1 == wanted)
    };
    if !there(0) {
        return false;
    }
    // The host clears a huge page when something is stored there. While it does so it lets others change what is
    // mapped, as it does not below. SAFETY: as above; what is zero is set to zero, if nothing else has been stored
    // there meanwhile.
    let _ = unsafe { AtomicU64::from_ptr(at.cast()) }.compare_exchange(0, 0, Relaxed, Relaxed);
    if !there(1) {
        // SAFETY: as above; this changes no byte of it. A host that does not know how says so, and that is all.
        unsafe { libc::madvise(at, len, libc::MADV_POPULATE_WRITE) };
    }
    true
}

#[cfg(not(target_os = "linux"))]
fn prepare(_: usize, _: usize) -> bool {
    false
}

/// To the thread that prepares pieces.
fn requests() -> Option<&'static Mutex<Sender<Request>>> {
    static REQUESTS: OnceLock<Option<Mutex<Sender<Request>>>> = OnceLock::new();
    let start = || {
        let (sender, receiver) = channel::<Request>();
        let run = move || receiver.into_iter().for_each(Request::perform);
        // Without the thread nothing is prepared.
        std::thread::Builder::new().name("storage ahead".into()).spawn(run).ok().map(|_| Mutex::new(sender))
    };
    REQUESTS.get_or_init(start).as_ref()
}

impl Foresight {
    /// Of a mapping of `len` bytes at the host address `start`: all whole pieces in it.
    pub(crate) fn new(start: usize, len: usize) -> Foresight {
        let first = start.next_multiple_of(PIECE);
        let count = (start + len).saturating_sub(first) / PIECE;
        Foresight {
            start: first,
            pieces: (0..count).map(|_| AtomicU8::new(UNTOUCHED)).collect(),
            ..Foresight::default()
        }
    }

    /// Something is stored at the host address `at`, in the mapping or not.
    #[inline]
    pub(crate) fn reached(&self, at: usize) {
        let piece = at.wrapping_sub(self.start) / PIECE;
        if self.pieces.get(piece).is_some_and(|state| state.load(Relaxed) != REACHED) {
            self.first(piece);
        }
    }

    #[cold]
    fn first(&self, piece: usize) {
        let reached = |piece: &usize| self.pieces[*piece].load(Relaxed) == REACHED;
        if self.pieces[piece].swap(REACHED, Relaxed) == PREPARED {
            self.vain.fetch_sub(1, Relaxed);
        }
        if (piece.saturating_sub(2)..piece).any(|below| reached(&below)) {
            let ahead = if self.mark.dear.load(Relaxed) { FAR } else { AHEAD };
            (piece + 1..self.pieces.len())
                .take(ahead)
                .take_while(|next| !reached(next))
                .for_each(|next| self.ask(next));
        }
    }

    /// What lies between these host addresses will be stored into soon.
    pub(crate) fn expect(&self, range: Range<usize>) {
        let [first, end] =
            [range.start, range.end.next_multiple_of(PIECE)].map(|at| at.saturating_sub(self.start) / PIECE);
        let count = if range.is_empty() { 0 } else { self.pieces.len() };
        (first..end.min(count)).for_each(|piece| self.ask(piece));
    }

    /// Has the piece prepared, if it is untouched.
    fn ask(&self, piece: usize) {
        let asked = || self.pieces[piece].compare_exchange(UNTOUCHED, PREPARED, Relaxed, Relaxed).is_ok();
        if self.vain.load(Relaxed) < VAIN && asked() {
            self.vain.fetch_add(1, Relaxed);
            if let Some(requests) = requests() {
                let (mark, pieces) = (self.mark.clone(), self.pieces.clone());
                let request = Request { mark, pieces, piece, at: self.start + piece * PIECE };
                let _ = requests.lock().held().send(request);
            }
        }
    }

    /// Nothing of the mapping is there any more.
    pub(crate) fn forget(&self) {
        self.pieces.iter().for_each(|state| state.store(UNTOUCHED, Relaxed));
        self.vain.store(0, Relaxed);
    }

    /// Nothing is being prepared as long as this is held.
    pub(crate) fn hold(&self) -> MutexGuard<'_, bool> {
        self.mark.gone.lock().held()
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::mapping::Mapping;
    use crate::{Storage, key};
    use arch::Absolute;

    const PIECE: u64 = super::PIECE as u64;
    const AHEAD: u64 = super::AHEAD as u64;

    /// Waits until so many pieces are there, and says how many that is in the end.
    fn pieces(storage: &Storage, enough: u64) -> u64 {
        settled(|| storage.resident_pages(), enough)
    }

    fn prepared(mapping: &Mapping, enough: usize) -> usize {
        settled(|| mapping.resident(), enough as u64) as usize
    }

    fn settled(pages: impl Fn() -> u64, enough: u64) -> u64 {
        let pieces = || pages() / (PIECE / 4096);
        let began = Instant::now();
        while pieces() < enough && began.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(50));
        pieces()
    }

    #[test]
    fn what_input_will_reach_next_is_prepared() {
        let storage = Storage::new(256 << 20).unwrap();
        // Up by one piece: the pieces after it are there soon. Whole, whatever pages the host has.
        for at in (PIECE..3 * PIECE).step_by(4096) {
            storage.write(Absolute(at), &[1; 64]).unwrap();
        }
        assert_eq!(pieces(&storage, 2 + AHEAD), 2 + AHEAD);
        let mut read = [7; 4096];
        for at in (3 * PIECE..6 * PIECE).step_by(4096) {
            storage.read(Absolute(at), &mut read).unwrap();
            assert_eq!(read, [0; 4096]);
        }
    }

    #[test]
    fn what_a_cpu_will_reach_next_is_prepared() {
        let storage = Storage::new(256 << 20).unwrap();
        let store = |piece: u64, bits: u8| {
            storage.mark_key(Absolute(piece * PIECE), bits);
            let frame = storage.frame(Absolute(piece * PIECE), false).unwrap();
            // SAFETY: a frame of the storage, which nothing else uses.
            unsafe { frame.write_volatile(1) };
        };
        // Here and there: nothing. One after the other, or the next but one: those after it.
        store(20, key::REFERENCE | key::CHANGE);
        store(10, key::REFERENCE | key::CHANGE);
        let before = pieces(&storage, 1);
        store(12, key::REFERENCE | key::CHANGE);
        assert!(pieces(&storage, AHEAD) >= AHEAD, "13 and 14 are there");
        let there = pieces(&storage, 1);
        storage.mark_key(Absolute(14 * PIECE), key::REFERENCE);
        assert_eq!((before, pieces(&storage, 1)), (there - AHEAD - 1, there), "who only looks is not prepared for");
    }

    /// A mapping, and a foresight of its pieces that nothing else uses.
    fn foreseen() -> (Mapping, Foresight) {
        let mapping = Mapping::new(256 << 20, 0).unwrap();
        let start = mapping.at(0).addr().next_multiple_of(super::PIECE);
        (mapping, Foresight::new(start, 200 << 20))
    }

    #[test]
    fn dear_pieces_are_prepared_further_ahead() {
        for (dear, ahead) in [(false, super::AHEAD), (true, FAR)] {
            let (mapping, foresight) = foreseen();
            foresight.mark.dear.store(dear, Relaxed);
            // The thread finds out for itself what they cost, but has nothing to do before both are reached.
            let held = foresight.hold();
            (0..2).for_each(|piece| foresight.reached(foresight.start + piece * super::PIECE));
            drop(held);
            assert_eq!(prepared(&mapping, ahead), ahead);
        }
    }

    #[test]
    fn what_was_reached_meanwhile_is_not_prepared() {
        let (mapping, foresight) = foreseen();
        let held = foresight.hold();
        let at = |piece: usize| foresight.start + piece * super::PIECE;
        foresight.expect(at(4)..at(7));
        foresight.reached(at(4));
        drop(held);
        assert_eq!(prepared(&mapping, 2), 2);
    }

    #[test]
    fn few_pieces_are_prepared_in_vain() {
        let storage = Storage::new(512 << 20).unwrap();
        for piece in (0..250).step_by(10) {
            storage.write(Absolute(piece * PIECE), &[1]).unwrap();
            storage.write(Absolute((piece + 1) * PIECE), &[1]).unwrap();
        }
        let most = 50 + super::VAIN as u64;
        assert!(pieces(&storage, most) <= most);
        // After a clear reset all is as at the beginning.
        storage.clear();
        storage.write(Absolute(PIECE), &[1; 4096]).unwrap();
        storage.write(Absolute(2 * PIECE), &[1; 4096]).unwrap();
        assert!(pieces(&storage, AHEAD) >= AHEAD);
    }

    #[test]
    fn what_will_be_loaded_is_prepared() {
        let storage = Storage::new(256 << 20).unwrap();
        storage.expect(Absolute(3 * PIECE), 1);
        storage.expect(Absolute(6 * PIECE + 4), PIECE);
        storage.expect(Absolute(PIECE + 4), 0);
        assert_eq!(pieces(&storage, 3), 3);
    }

    #[test]
    fn small_machines_stay_small() {
        let storage = Storage::new(64 << 20).unwrap();
        for at in (0..32 << 20).step_by(1 << 20) {
            storage.write(Absolute(at), &[1; 64]).unwrap();
        }
        storage.expect(Absolute(0), 32 << 20);
        std::thread::sleep(Duration::from_millis(50));
        assert!(storage.resident_pages() <= 64, "{}", storage.resident_pages());
    }
}
