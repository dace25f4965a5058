//! A transaction's stores, which only its own CPU sees.
//!
//! A transaction stores in place. Before its first store into a frame a copy is kept here. Until the transaction ends,
//! all others work with the copies. Channel programs, the service element and CP read what is in them, and store into
//! them as well as into storage. So an abort, which puts the copies back, undoes what the transaction has stored and
//! nothing else. A store by one of these also disturbs the transaction. A disturbed one only aborts, since it may have
//! fetched what is no longer so.
//!
//! An access begins with [`Isolation::enter`]: as long as one is inside, no transaction begins, so none sees half of
//! it.

use crate::Storage;
use arch::{Absolute, PAGE};
use base::Held;
use std::sync::atomic::{
    AtomicBool, AtomicU32,
    Ordering::{Relaxed, SeqCst},
};
use std::sync::{Mutex, MutexGuard};

type Frame = Box<[u8; PAGE as usize]>;

/// The transaction of a configuration: there is one at a time.
#[derive(Default)]
pub(crate) struct Isolation {
    active: AtomicBool,
    disturbed: AtomicBool,
    /// Accesses that began while there was none.
    inside: AtomicU32,
    kept: Mutex<Vec<(u64, Frame)>>,
}

/// An access while there is no transaction.
pub(crate) struct Inside<'a>(&'a AtomicU32);

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

impl Isolation {
    /// The beginning of an access by anything but the transaction's CPU. `None`: there is a transaction, with copies
    /// that are then to be looked at.
    #[inline]
    pub(crate) fn enter(&self) -> Option<Inside<'_>> {
        // A beginning transaction sets `active`, and then waits for those inside.
        self.inside.fetch_add(1, SeqCst);
        let inside = Inside(&self.inside);
        if self.active.load(SeqCst) { None } else { Some(inside) }
    }

    /// The copies; the transaction does not end while they are held.
    pub(crate) fn kept(&self) -> MutexGuard<'_, Vec<(u64, Frame)>> {
        // A copy is whole between any two statements.
        self.kept.lock().held()
    }

    pub(crate) fn begin(&self) {
        let before = self.active.swap(true, SeqCst);
        assert!(!before, "the CPU with a transaction holds all others");
        self.disturbed.store(false, SeqCst);
        while self.inside.load(SeqCst) != 0 {
            std::hint::spin_loop();
            std::thread::yield_now();
        }
    }

    pub(crate) fn end(&self, kept: &mut Vec<(u64, Frame)>) {
        kept.clear();
        self.active.store(false, SeqCst);
    }

    /// Something else than the transaction's CPU stores. With the copies held.
    pub(crate) fn disturb(&self) {
        // The last one may have ended before the copies were there to be held.
        if self.active.load(SeqCst) {
            self.disturbed.store(true, SeqCst);
        }
    }

    pub(crate) fn is_disturbed(&self) -> bool {
        self.disturbed.load(Relaxed)
    }
}

impl Storage {
    /// A transaction begins: until [`Storage::settle`] others do not see what its CPU stores into frames that are kept.
    /// All other CPUs of the configuration must be held.
    pub fn isolate(&self) {
        self.isolation.begin();
    }

    /// The transaction is going to store into a frame, which must exist.
    pub fn keep_frame(&self, frame: u64) {
        let mut kept = self.isolation.kept();
        if kept.iter().all(|(known, _)| *known != frame) {
            let mut copy = Box::new([0; PAGE as usize]);
            self.load(Absolute(frame), &mut copy[..]).expect("the frame exists");
            kept.push((frame, copy));
        }
    }

    /// How many frames are kept.
    pub fn kept_frames(&self) -> usize {
        self.isolation.kept().len()
    }

    /// Whether anything but the transaction's CPU has stored since it began: then it can only be undone.
    pub fn is_disturbed(&self) -> bool {
        self.isolation.is_disturbed()
    }

    /// The transaction ends. False: what it has stored into kept frames is undone, because it is to be, or since
    /// something else has stored.
    pub fn settle(&self, undo: bool) -> bool {
        let mut kept = self.isolation.kept();
        let undo = undo || self.isolation.is_disturbed();
        if undo {
            for (frame, copy) in kept.iter() {
                self.store(Absolute(*frame), &copy[..]).expect("the frame exists");
            }
        }
        self.isolation.end(&mut kept);
        !undo
    }
}

/// The bytes that `len` bytes at `a` have in common with a frame: where in the frame, and where among them.
pub(crate) fn common(frame: u64, a: u64, len: usize) -> Option<(std::ops::Range<usize>, std::ops::Range<usize>)> {
    let (from, to) = (frame.max(a), (frame + PAGE).min(a + len as u64));
    if from >= to {
        return None;
    }
    let n = (to - from) as usize;
    let (there, here) = ((from - frame) as usize, (from - a) as usize);
    Some((there..there + n, here..here + n))
}
