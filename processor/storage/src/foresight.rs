//! Storage that input is about to reach for the first time is found and cleared by a thread, ahead of it.
//!
//! A system that reads much fills its free storage from one end to the other, and what channel programs bring is the first to touch it: each
//! time a huge page of the host is reached, it has to be found and cleared, which takes as long as some hundred reads. So when input goes
//! from one such piece to the next one up, the two behind that are prepared meanwhile, if nothing of them is there: while input goes through one, a
//! thread may have to wait for a processor. They are as zero then as they were before, and no more than two pieces are ever prepared in vain.
//!
//! Small machines, which are kept small, are left alone, as is everything on hosts that cannot do this.

use crate::mapping::Mapping;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// What is prepared at a time: a huge page.
pub const PIECE: usize = 2 << 20;
/// How many pieces are prepared ahead of input.
const AHEAD: usize = 2;

/// Where input went last in a mapping.
#[derive(Default)]
pub struct Foresight {
    last: AtomicUsize,
    /// Whether the mapping has gone. It does not go, and no other pages take the place of its own, while this is held.
    gone: Arc<Mutex<bool>>,
}

type Request = (Arc<Mutex<bool>>, usize);

/// To the thread that prepares pieces: the mapping's mark and a host address.
fn requests() -> Option<&'static Mutex<Sender<Request>>> {
    static REQUESTS: OnceLock<Option<Mutex<Sender<Request>>>> = OnceLock::new();
    let start = || {
        let (sender, receiver) = channel::<Request>();
        let run = move || {
            for (gone, at) in receiver {
                let gone = gone.lock().unwrap_or_else(PoisonError::into_inner);
                if !*gone {
                    Mapping::prepare(at, PIECE);
                }
            }
        };
        // Without the thread nothing is prepared.
        std::thread::Builder::new().name("storage ahead".into()).spawn(run).ok().map(|_| Mutex::new(sender))
    };
    REQUESTS.get_or_init(start).as_ref()
}

impl Foresight {
    /// Input has reached the host address `at` of a mapping of `len` bytes from `start` on.
    #[inline]
    pub fn reached(&self, at: usize, start: usize, len: usize) {
        let piece = at / PIECE;
        let last = self.last.load(Relaxed);
        if piece != last {
            self.last.store(piece, Relaxed);
            if piece == last + 1 {
                let behind = (piece + 1..).map(|number| number * PIECE).take(AHEAD);
                behind.filter(|at| *at >= start && at + PIECE <= start + len).for_each(|at| self.ask(at));
            }
        }
    }

    #[cold]
    fn ask(&self, at: usize) {
        if let Some(requests) = requests() {
            let _ = requests.lock().unwrap_or_else(PoisonError::into_inner).send((self.gone.clone(), at));
        }
    }

    /// Nothing is being prepared as long as this is held.
    pub fn hold(&self) -> MutexGuard<'_, bool> {
        self.gone.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use crate::Storage;
    use arch::Absolute;
    use std::time::{Duration, Instant};

    #[test]
    fn what_input_will_reach_next_is_prepared() {
        const PIECE: u64 = super::PIECE as u64;
        let storage = Storage::new(256 << 20).unwrap();
        let resident = |storage: &Storage| storage.resident_pages();
        // Up by one piece, and up again: the pieces after the last are there soon. Whole, whatever pages the host has.
        for at in (PIECE..3 * PIECE).step_by(4096) {
            storage.write(Absolute(at), &[1; 64]).unwrap();
        }
        let enough = (2 + super::AHEAD as u64) * PIECE / 4096;
        let began = Instant::now();
        while resident(&storage) < enough && began.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(5));
        }
        let found = resident(&storage);
        assert!((enough..=enough + 2 * PIECE / 4096).contains(&found), "{found} pages, not {enough}");
        let mut read = [7; 4096];
        for at in (3 * PIECE..6 * PIECE).step_by(4096) {
            storage.read(Absolute(at), &mut read).unwrap();
            assert_eq!(read, [0; 4096]);
        }
    }

    #[test]
    fn small_machines_stay_small() {
        let storage = Storage::new(64 << 20).unwrap();
        for at in (0..32 << 20).step_by(1 << 20) {
            storage.write(Absolute(at), &[1; 64]).unwrap();
        }
        std::thread::sleep(Duration::from_millis(50));
        assert!(storage.resident_pages() <= 64, "{}", storage.resident_pages());
    }
}
