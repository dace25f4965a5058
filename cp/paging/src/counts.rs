//! What has happened.

/// What has happened, ever. Pages, unless something else is said.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// First references: a frame was cleared.
    pub cleared: u64,
    /// Read from page space, and written there.
    pub reads: u64,
    /// See `reads`.
    pub writes: u64,
    /// Transfers from page space, and to it.
    pub blocks_read: u64,
    /// See `blocks_read`.
    pub blocks_written: u64,
    /// From expanded storage.
    pub gets: u64,
    /// To expanded storage.
    pub puts: u64,
    /// From expanded storage to page space.
    pub migrated: u64,
    /// How long the migrated ones had been in expanded storage, all together.
    pub migrated_age: u64,
    /// Reclaimed while they were on their way out.
    pub reclaimed: u64,
    /// References that found no frame, those that were lent one among them.
    pub deferred: u64,
    /// Frames taken by the first pass, the second, and the emergency pass.
    pub taken: [u64; 3],
    /// Of all these, how many from the dispatch list.
    pub taken_in_queue: u64,
    /// Frames that needed no transfer and no block.
    pub dropped: u64,
    /// Pages that could not leave because page space is full.
    pub full: u64,
    /// Transfers of pages that failed.
    pub failed: u64,
}

impl Counts {
    /// What has happened since they were `before`.
    pub fn since(&self, before: &Counts) -> Counts {
        Counts {
            cleared: self.cleared - before.cleared,
            reads: self.reads - before.reads,
            writes: self.writes - before.writes,
            blocks_read: self.blocks_read - before.blocks_read,
            blocks_written: self.blocks_written - before.blocks_written,
            gets: self.gets - before.gets,
            puts: self.puts - before.puts,
            migrated: self.migrated - before.migrated,
            migrated_age: self.migrated_age - before.migrated_age,
            reclaimed: self.reclaimed - before.reclaimed,
            deferred: self.deferred - before.deferred,
            taken: std::array::from_fn(|pass| self.taken[pass] - before.taken[pass]),
            taken_in_queue: self.taken_in_queue - before.taken_in_queue,
            dropped: self.dropped - before.dropped,
            full: self.full - before.full,
            failed: self.failed - before.failed,
        }
    }
}
