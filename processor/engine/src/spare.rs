//! Rooms of CPUs that have gone to rest, for those that wake: lists, tables and code memory that the host has mapped
//! already. They hold nothing. A CPU that wakes for one command would have the host map and zero them page by page.

use crate::block::Block;
use crate::index::Index;
use base::Held;
use isa::Op;
use std::sync::Mutex;
use translator::Translator;

/// So many are kept, whatever the number of machines: some 2 MiB each.
const MOST: usize = 16;

/// What one CPU has decoded and translated things in.
pub(crate) struct Spare {
    pub(crate) index: Index,
    pub(crate) blocks: Vec<Block>,
    pub(crate) ops: Vec<Op>,
    pub(crate) translator: Box<dyn Translator>,
}

static SPARES: Mutex<Vec<Spare>> = Mutex::new(Vec::new());

/// One, if there is any.
pub(crate) fn take() -> Option<Spare> {
    SPARES.lock().held().pop()
}

/// Keeps it, if there are not enough.
pub(crate) fn keep(spare: Spare) {
    let mut spares = SPARES.lock().held();
    if spares.len() < MOST {
        spares.push(spare);
    } else {
        // What it had is given back to the host while nothing waits for the list.
        drop(spares);
        drop(spare);
    }
}
