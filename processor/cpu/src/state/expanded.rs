//! Expanded storage of a configuration: it comes and goes while CPUs run.

use base::Held;
use std::sync::{Arc, Mutex};
use storage::Storage;

/// Blocks of 4 KiB that PAGE IN and PAGE OUT move, or none.
#[derive(Default)]
pub struct Expanded(Mutex<Option<Arc<Storage>>>);

impl Expanded {
    /// With these blocks.
    pub fn new(blocks: Option<Arc<Storage>>) -> Expanded {
        Expanded(Mutex::new(blocks))
    }

    /// The blocks that there are now.
    pub fn get(&self) -> Option<Arc<Storage>> {
        self.0.lock().held().clone()
    }

    /// Has other blocks from now on. An instruction that is moving a page ends with those that it found.
    pub fn set(&self, blocks: Option<Arc<Storage>>) {
        *self.0.lock().held() = blocks;
    }
}
