//! A link's disk as numbered blocks of one size, for the services that read and write it without a channel program (DIAGNOSE
//! X'A4', X'250', *BLOCKIO). Which record is which block, [`dasd::Blocks`] knows.

use super::Link;
use dasd::{BlockError as Wrong, Blocks};

/// A minidisk in blocks.
#[derive(Clone)]
pub struct BlockDisk {
    blocks: Blocks,
    /// The same without the minidisk cache.
    direct: Blocks,
    pub read_only: bool,
}

/// What was wrong with a block, with the status that all services give.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum BlockError {
    /// No such block.
    Number = 1,
    /// The program's storage does not have the address.
    Addressing = 2,
    ReadOnly = 3,
    /// The record on the track is of another size, or not there.
    RecordSize = 4,
    Medium = 5,
    /// The request is not one that exists.
    Type = 6,
    Protection = 7,
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
    /// The disk behind a link in blocks of `size` bytes: 512, 1024, 2048 or 4096, else `None`.
    pub fn new(link: &Link, size: u32) -> Option<BlockDisk> {
        let (blocks, direct) = (Blocks::new(link.volume.clone(), size)?, Blocks::new(link.disk.direct.clone(), size)?);
        Some(BlockDisk { blocks, direct, read_only: link.read_only })
    }

    /// How many blocks there are.
    pub fn count(&self) -> u64 {
        self.blocks.count()
    }

    /// Bytes of a block.
    pub fn size(&self) -> usize {
        self.blocks.size()
    }

    /// Reads block `block`, counted from 0; with `bypass` not from the minidisk cache.
    pub fn read(&self, block: u64, to: &mut [u8], bypass: bool) -> Result<(), BlockError> {
        Ok(if bypass { &self.direct } else { &self.blocks }.read(block, to)?)
    }

    /// Writes block `block`, counted from 0.
    pub fn write(&self, block: u64, from: &[u8]) -> Result<(), BlockError> {
        if block < self.count() && self.read_only {
            return Err(BlockError::ReadOnly);
        }
        Ok(self.blocks.write(block, from)?)
    }
}
