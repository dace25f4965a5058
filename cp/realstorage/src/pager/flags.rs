//! What of a virtual machine's pages is looked at without the pool.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::SeqCst};

/// What others are to see of a virtual machine's pages without the pool.
#[derive(Default)]
pub(super) struct Flags {
    /// A fault was lent a frame.
    pub(super) owes: AtomicBool,
    /// The number of a page that could not be read back, plus 1; 0: none.
    pub(super) lost: AtomicU64,
    /// Faults that wait, and CPUs that wait for frames.
    pub(super) waiting: AtomicU32,
}

impl Flags {
    pub(super) fn waits(&self) -> bool {
        self.waiting.load(SeqCst) > 0
    }
}
