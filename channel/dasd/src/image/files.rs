//! The files of an open image and what of them is in storage, with the locks that order their use.

use super::layer::Layer;
use super::options::Options;
use super::recent::{Recent, Unit};
use crate::error::MediaError;
use crate::host::Once;
use crate::model::Kind;
use crate::volume::Policy;
use base::Held;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The files of an image, how far they are on the host's medium, and what of them is in storage.
pub(super) struct Files {
    pub kind: Kind,
    /// The base file.
    pub path: PathBuf,
    pub options: Options,
    /// The base first. Empty when the image has been closed.
    pub stack: RwLock<Vec<Layer>>,
    pub recent: Mutex<Recent>,
    /// Units that are being brought into storage, and the condition variable that tells when some of that has ended.
    pub staging: Mutex<Vec<Range<u32>>>,
    pub staged: Condvar,
    /// What was read past the host's storage.
    pub once: Mutex<Once>,
    /// Whether what will be read next is brought nearer.
    pub ahead: bool,
    /// Something was written since the last sync.
    pub dirty: AtomicBool,
    /// One sync at a time: it frees what was given back before it began.
    pub syncing: Mutex<()>,
    /// Units that were written without being compressed, and in which round they were.
    pub loose: Mutex<HashMap<u32, u64>>,
    pub round: AtomicU64,
    /// While the newest shadow file is merged into the file below: units written since they were, or before their turn.
    pub merging: Mutex<Option<BTreeSet<u32>>>,
    /// The error of a sync in the background: the next flush returns it.
    pub failed: Mutex<Option<MediaError>>,
}

/// Units that may be uncompressed at a time, at most 4 MB.
pub(super) const LOOSE: usize = 64;

impl Files {
    pub(super) fn new(path: PathBuf, options: Options, stack: Vec<Layer>) -> Files {
        Files {
            kind: stack[0].kind(),
            ahead: options.faults.is_none(),
            path,
            options,
            stack: RwLock::new(stack),
            recent: Mutex::default(),
            staging: Mutex::default(),
            staged: Condvar::new(),
            once: Mutex::default(),
            dirty: AtomicBool::default(),
            syncing: Mutex::default(),
            loose: Mutex::default(),
            round: AtomicU64::default(),
            merging: Mutex::default(),
            failed: Mutex::default(),
        }
    }

    pub(super) fn recent(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock().held()
    }

    /// The stack, to read.
    pub(super) fn shared(&self) -> RwLockReadGuard<'_, Vec<Layer>> {
        self.stack.read().held()
    }

    /// The stack, to write.
    pub(super) fn alone(&self) -> RwLockWriteGuard<'_, Vec<Layer>> {
        self.stack.write().held()
    }

    /// Something will have been written when the next sync comes.
    pub(super) fn note_write(&self) {
        self.dirty.store(true, Ordering::Release);
    }

    pub(super) fn may_write(&self) -> Result<(), MediaError> {
        if self.options.read_only { Err(MediaError::ReadOnly) } else { Ok(()) }
    }

    /// A unit that is kept in storage.
    pub(super) fn recall(&self, unit: u32) -> Option<Unit> {
        self.recent().find(unit)
    }

    pub(super) fn remember(&self, unit: u32, data: Unit) {
        self.recent().put(unit, data);
    }

    /// What was kept of a unit may be wrong now.
    pub(super) fn forget(&self, unit: u32) {
        let mut recent = self.recent();
        recent.remove(unit);
        recent.places.forget(unit);
    }

    /// Writes a unit. It stays uncompressed for now if a sync will compress it later, and if not too many wait for
    /// that.
    pub(super) fn store(
        &self,
        stack: &mut [Layer],
        unit: u32,
        new: &[u8],
        old: Option<&[u8]>,
    ) -> Result<(), MediaError> {
        if let Some(written) = self.merging.lock().held().as_mut() {
            written.insert(unit);
        }
        let mut loose = self.loose.lock().held();
        let watched = self.options.policy == Policy::Safe;
        if watched && (loose.len() < LOOSE || loose.contains_key(&unit)) {
            if top(stack).write_quickly(unit, new, old)? {
                loose.insert(unit, self.round.load(Ordering::Relaxed));
            }
            return Ok(());
        }
        top(stack).write(unit, new, old)
    }
}

/// The newest file of the stack.
pub(super) fn top(stack: &mut [Layer]) -> &mut Layer {
    stack.last_mut().expect("an image has a file")
}

/// Track or group `unit`, from the newest file that has it.
pub(super) fn read_unit(stack: &[Layer], unit: u32) -> Result<Vec<u8>, MediaError> {
    for layer in stack.iter().rev() {
        if let Some(found) = layer.read(unit)? {
            return Ok(found);
        }
    }
    Err(MediaError::Damaged(format!("no file has unit {unit}")))
}
