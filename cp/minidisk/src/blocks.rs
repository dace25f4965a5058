//! A link's disk as numbered blocks of one size, for the services that read and write it without a channel program
//! (DIAGNOSE X'A4', X'250', *BLOCKIO). Which record is which block, [`dasd::Blocks`] knows.

use crate::Link;
use dasd::{BlockError as Wrong, Blocks, Kind, Volume};
use devices::dasd::{Meter, Request, Trouble};
use std::sync::Arc;

/// A minidisk in blocks.
#[derive(Clone)]
pub struct BlockDisk {
    blocks: Blocks,
    /// The same without the minidisk cache.
    direct: Blocks,
    /// Whether the disk may only be read.
    pub read_only: bool,
    /// What reads go through, to ask whether they need I/O, and the meter that counts what is used.
    volume: Arc<dyn Volume>,
    meter: Arc<Meter>,
    /// What is told of a failing medium, beside the guest.
    trouble: Option<Trouble>,
}

/// What was wrong with a block, with the status that all services give.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum BlockError {
    /// No such block.
    Number = 1,
    /// The program's storage does not have the address.
    Addressing = 2,
    /// A write to a disk that may only be read.
    ReadOnly = 3,
    /// The record on the track is of another size, or not there.
    RecordSize = 4,
    /// The disk, or its file, did not do it.
    Medium = 5,
    /// The request is not one that exists.
    Type = 6,
    /// The program's storage is protected from the request's key.
    Protection = 7,
    /// Another user has the disk reserved.
    Reserved = 11,
}

impl From<Wrong> for BlockError {
    fn from(error: Wrong) -> BlockError {
        match error {
            Wrong::Number => BlockError::Number,
            Wrong::ReadOnly => BlockError::ReadOnly,
            Wrong::RecordSize => BlockError::RecordSize,
            Wrong::Medium(_) | Wrong::Interrupted => BlockError::Medium,
        }
    }
}

impl BlockDisk {
    /// The disk of a link in blocks of `size` bytes: 512, 1024, 2048 or 4096, else `None`.
    pub fn new(link: &Link, size: u32) -> Option<BlockDisk> {
        let (blocks, direct) = (Blocks::new(link.volume.clone(), size)?, Blocks::new(link.disk.direct.clone(), size)?);
        let (volume, meter, trouble) = (link.volume.clone(), link.meter.clone(), link.options.trouble.clone());
        Some(BlockDisk { blocks, direct, read_only: link.read_only, volume, meter, trouble })
    }

    /// How many blocks there are.
    pub fn count(&self) -> u64 {
        self.blocks.count()
    }

    /// Bytes of a block.
    pub fn size(&self) -> usize {
        self.blocks.size()
    }

    /// What one request to a service uses of the disk.
    pub fn request(&self) -> Request<'_> {
        self.meter.request()
    }

    /// Whether a read of a block would need no I/O.
    fn held(&self, block: u64) -> bool {
        let (unit, _) = self.blocks.medium(block);
        match self.volume.kind() {
            Kind::Ckd { .. } => self.volume.holds(unit as u32),
            Kind::Fba { .. } => self.volume.holds_blocks(unit, self.size()),
        }
    }

    /// Reads block `block`, counted from 0; with `bypass` not from the minidisk cache.
    pub fn read(&self, block: u64, to: &mut [u8], bypass: bool, request: &mut Request<'_>) -> Result<(), BlockError> {
        self.free(block)?;
        let held = self.meter.counts() && block < self.count() && !bypass && self.held(block);
        let read = if bypass { &self.direct } else { &self.blocks }.read(block, to);
        read.map_err(|error| self.failed(block, error))?;
        if !held {
            self.used(block, false, request);
        }
        Ok(())
    }

    fn used(&self, block: u64, wrote: bool, request: &mut Request<'_>) {
        if self.meter.counts() {
            let (unit, at) = self.blocks.medium(block);
            request.used(unit, at, self.size(), wrote);
        }
    }

    /// Writes block `block`, counted from 0.
    pub fn write(&self, block: u64, from: &[u8], request: &mut Request<'_>) -> Result<(), BlockError> {
        if block < self.count() && self.read_only {
            return Err(BlockError::ReadOnly);
        }
        self.free(block)?;
        self.blocks.write(block, from).map_err(|error| self.failed(block, error))?;
        self.used(block, true, request);
        Ok(())
    }

    /// An error if another user has the disk reserved.
    fn free(&self, block: u64) -> Result<(), BlockError> {
        if block < self.count() && self.meter.kept_out() { Err(BlockError::Reserved) } else { Ok(()) }
    }

    /// What the guest is told; the operator is told what is wrong with the medium.
    fn failed(&self, block: u64, error: Wrong) -> BlockError {
        if let (Wrong::Medium(error), Some(trouble)) = (&error, &self.trouble) {
            trouble(self.blocks.medium(block).0, error);
        }
        error.into()
    }
}
