//! A spool file while it is read: by records for a virtual reader, by blocks for DIAGNOSE X'14'.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::Error;
use crate::splink::{self, BLOCK, RECORDS};

/// How much is read from the host at once.
const AHEAD: usize = 16 * BLOCK;

/// A file that a reader has open. It needs no lock on the spool. Give it back with
/// [`Spool::close_reader`](crate::Spool::close_reader): until then the file is in use.
#[derive(Debug)]
pub struct ReaderFile {
    pub(crate) owner: String,
    pub(crate) spid: u16,
    pub(crate) path: PathBuf,
    record_length: u16,
    blocks: u32,
    /// The file's name on the host, if its blocks have check sums with it.
    sealed: Option<Arc<str>>,
    host: fs::File,
    /// What was read ahead, and the number of its first block.
    ahead: Vec<u8>,
    first: u32,
    /// The block that records are taken from.
    block: Box<[u8; BLOCK]>,
    /// The next block to be read (0 is the first), the next record in the current one, and how many it still has.
    next: u32,
    at: usize,
    left: u32,
}

/// A record: the command code it was written with, and its data without trailing blanks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record<'a> {
    /// The command code of the CCW that wrote it.
    pub op: u8,
    /// The data; a reader that wants more pads it with X'40' up to [`ReaderFile::record_length`].
    pub data: &'a [u8],
}

impl ReaderFile {
    pub(crate) fn open(path: PathBuf, file: &crate::SpoolFile) -> Result<ReaderFile, Error> {
        let host = base::file::open(&path, base::file::Access::Read).map_err(|e| Error::of(&path, e))?;
        Ok(ReaderFile {
            owner: file.owner.clone(),
            spid: file.spid,
            path,
            record_length: file.record_length,
            blocks: file.blocks,
            sealed: file.sealed.then(|| file.id.clone()),
            host,
            ahead: Vec::new(),
            first: 0,
            block: Box::new([0; BLOCK]),
            next: 0,
            at: RECORDS,
            left: 0,
        })
    }

    /// The file's number.
    pub fn spid(&self) -> u16 {
        self.spid
    }

    /// The length that records are padded to: 80 for cards.
    pub fn record_length(&self) -> u16 {
        self.record_length
    }

    /// How many blocks the file has.
    pub fn blocks(&self) -> u32 {
        self.blocks
    }

    /// The next record; `None` at the end of the file, where a reader shows unit exception.
    pub fn next_record(&mut self) -> Result<Option<Record<'_>>, Error> {
        while self.left == 0 {
            if !self.load()? {
                return Ok(None);
            }
        }
        let (op, data, next) =
            splink::get_record(&self.block, self.at).ok_or_else(|| Error::Damaged(self.path.clone()))?;
        self.at = next;
        self.left -= 1;
        Ok(Some(Record { op, data: &self.block[data] }))
    }

    /// The next block as DIAGNOSE X'14' shows it, into `to`; false at the end of the file.
    pub fn next_block(&mut self, to: &mut [u8; BLOCK]) -> Result<bool, Error> {
        if !self.load()? {
            return Ok(false);
        }
        // A program that reads by blocks does not read the records of this one as well.
        self.left = 0;
        to.copy_from_slice(&self.block[..]);
        splink::unseal(to);
        splink::set_record_length(to, self.record_length);
        splink::set_spid(to, self.spid);
        Ok(true)
    }

    /// Goes to block `number`, where 1 is the first: it is read next. False if there is no such block.
    pub fn position(&mut self, number: u32) -> bool {
        let there = (1..=self.blocks).contains(&number);
        if there {
            (self.next, self.left) = (number - 1, 0);
        }
        there
    }

    /// The number of the block read last, 0 before the first.
    pub fn block_number(&self) -> u32 {
        self.next
    }

    /// Goes back to the beginning.
    pub fn restart(&mut self) {
        (self.next, self.left) = (0, 0);
    }

    fn load(&mut self) -> Result<bool, Error> {
        if self.next >= self.blocks {
            return Ok(false);
        }
        let have = (self.ahead.len() / BLOCK) as u32;
        if self.next < self.first || self.next - self.first >= have {
            let length = AHEAD.min((self.blocks - self.next) as usize * BLOCK);
            self.ahead.resize(length, 0);
            self.first = self.next;
            if let Err(e) = self.host.read_exact_at(&mut self.ahead, u64::from(self.next) * BLOCK as u64) {
                self.ahead.clear();
                return Err(match e.kind() {
                    std::io::ErrorKind::UnexpectedEof => Error::Damaged(self.path.clone()),
                    _ => Error::of(&self.path, e),
                });
            }
        }
        let from = (self.next - self.first) as usize * BLOCK;
        self.block.copy_from_slice(&self.ahead[from..from + BLOCK]);
        if let Some(id) = &self.sealed
            && !splink::is_sealed(&self.block, id, self.next)
        {
            return Err(Error::Damaged(self.path.clone()));
        }
        self.next += 1;
        self.at = RECORDS;
        self.left = splink::count(&self.block);
        Ok(true)
    }
}
