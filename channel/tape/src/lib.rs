//! Tapes as media: a host file in the field's formats AWSTAPE and HET is a row of blocks and tape marks.
//!
//! Both formats are chunks, each after a header of six bytes: the length of the chunk, that of the chunk before it, and
//! flags. A block is one chunk or several; a tape mark is a header alone. In a HET file the chunks of a block, one
//! after the other, may be compressed (zlib, bzip2). A file is read once when it is opened, headers only, and the
//! place of every block is kept.
//!
//! A tape is written from its current place on: whatever followed is gone. The end of the file is the end of what is
//! recorded. A block that was written is in the host's file when [`Tape::write`] returns, so the end of this process
//! loses none.

mod check;
mod codec;
mod foreign;
mod scan;

pub use check::{Report, check};
pub use codec::Method;

use base::file::{self, Access};
use scan::{Rest, Scan, scan};
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// The longest block that the formats hold.
pub const LONGEST: usize = 0x1f_ffff;
/// The longest chunk.
const CHUNK: usize = 0xffff;
const HEADER: u64 = 6;

/// Flags of a header: a chunk begins a block, is a tape mark, ends a block.
const BEGINS: u8 = 0x80;
const MARK: u8 = 0x40;
const ENDS: u8 = 0x20;
/// How the block is compressed.
const METHOD: u8 = 0x03;
/// In the second byte of flags: zlib, as another maker's programs mark it.
const OTHER_ZLIB: u8 = 0x80;

/// Why a file cannot be used as a tape, or a block not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum TapeError {
    /// Another process has it.
    #[error("it is in use by another process")]
    InUse,
    /// The file is no tape of these formats, or of none; the text says what it is.
    #[error("it is not a tape in AWSTAPE or HET format{0}")]
    NotATape(String),
    /// What is at this place of the file cannot be a tape.
    #[error("it is damaged at byte {at}: {why}")]
    Damaged {
        /// Bytes from the beginning of the file.
        at: u64,
        /// What is wrong there.
        why: String,
    },
    /// The file may only be read.
    #[error("it may only be read")]
    ReadOnly,
    /// The block is longer than the format holds.
    #[error("a block has at most {LONGEST} bytes")]
    TooLong,
    /// The host refused.
    #[error("{0}")]
    Host(io::Error),
}

impl From<io::Error> for TapeError {
    fn from(error: io::Error) -> TapeError {
        TapeError::Host(error)
    }
}

/// What the tape has at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// A block's data.
    Block(Vec<u8>),
    /// A tape mark.
    Mark,
    /// Nothing is recorded here: after the last block, or in front of the first one when reading backward.
    Nothing,
}

/// A block or a tape mark in the file.
#[derive(Clone, Copy, Debug)]
struct Element {
    at: u64,
    mark: bool,
    method: Method,
    /// The length of its last chunk, which the next header repeats.
    last: u16,
}

/// A tape on a drive.
#[derive(Debug)]
pub struct Tape {
    file: File,
    path: PathBuf,
    writable: bool,
    elements: Vec<Element>,
    /// Where the file's last element ends.
    end: u64,
    /// What follows there.
    rest: Rest,
    /// How many elements the head has passed: the index of the next one.
    position: usize,
    /// How blocks are written.
    method: Method,
}

impl Tape {
    /// Mounts a tape; `ring`: it may be written, if the host lets us and nothing follows its last block that could be
    /// something's only copy. Blocks are written as the file's name says: compressed in one that ends in `.het`.
    pub fn open(path: &Path, ring: bool) -> Result<Tape, TapeError> {
        let both = || file::open(path, Access::Write);
        let (file, writable) = match ring.then(both) {
            Some(Ok(file)) => (file, true),
            Some(Err(error)) if error.kind() != io::ErrorKind::PermissionDenied => return Err(error.into()),
            _ => (file::open(path, Access::Read)?, false),
        };
        match file::lock(&file, writable) {
            Ok(()) => (),
            Err(TryLockError::WouldBlock) => return Err(TapeError::InUse),
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => (),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        let Scan { elements, end, rest } = scan(&file)?;
        let writable = writable && !rest.is_junk();
        let method = Method::of_name(path);
        Ok(Tape { file, path: path.into(), writable, elements, end, rest, position: 0, method })
    }

    /// Makes an empty tape; there must be no such file.
    pub fn create(path: &Path) -> Result<Tape, TapeError> {
        OpenOptions::new().write(true).create_new(true).open(path)?;
        Tape::open(path, true)
    }

    /// The host's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it may be written.
    pub fn writable(&self) -> bool {
        self.writable
    }

    /// What there is to tell of its file: what follows its last block. That is not on the tape.
    pub fn notice(&self) -> Option<String> {
        let rest = self.file.metadata().ok()?.len().saturating_sub(self.end);
        let what = self.rest.told(self.end, rest)?;
        Some(format!("{}, after block {}: {what}", self.path.display(), self.elements.len()))
    }

    /// How many blocks and tape marks lie between the beginning and the head: the number of the block that is read
    /// next.
    pub fn position(&self) -> u32 {
        self.position as u32
    }

    /// Blocks and tape marks on the tape.
    pub fn count(&self) -> u32 {
        self.elements.len() as u32
    }

    /// Goes to the beginning.
    pub fn rewind(&mut self) {
        self.position = 0;
    }

    /// Goes to where the block with this number is read next; after the last one if there is none. False: there is
    /// none.
    pub fn locate(&mut self, number: u32) -> bool {
        let there = number as usize <= self.elements.len();
        self.position = (number as usize).min(self.elements.len());
        there
    }

    /// Reads what comes next and goes past it.
    pub fn read(&mut self) -> Result<Item, TapeError> {
        let Some(element) = self.elements.get(self.position).copied() else { return Ok(Item::Nothing) };
        // A block that cannot be read was passed over all the same.
        self.position += 1;
        self.content(&element)
    }

    /// Reads what comes before the head and goes in front of it; the block is the right way round.
    pub fn read_backward(&mut self) -> Result<Item, TapeError> {
        let Some(element) = self.position.checked_sub(1).map(|n| self.elements[n]) else { return Ok(Item::Nothing) };
        self.position -= 1;
        self.content(&element)
    }

    /// Passes over one block or mark; says what it was, a block by one without bytes.
    pub fn space(&mut self, forward: bool) -> Item {
        let at = if forward { Some(self.position) } else { self.position.checked_sub(1) };
        let Some(element) = at.and_then(|at| self.elements.get(at)) else { return Item::Nothing };
        let item = if element.mark { Item::Mark } else { Item::Block(Vec::new()) };
        self.position = if forward { self.position + 1 } else { self.position - 1 };
        item
    }

    /// Writes a block; what followed is gone.
    pub fn write(&mut self, block: &[u8]) -> Result<(), TapeError> {
        if block.len() > LONGEST {
            return Err(TapeError::TooLong);
        }
        let (method, packed) = codec::pack(block, self.method);
        let mut chunks: Vec<&[u8]> = packed.chunks(CHUNK).collect();
        if chunks.is_empty() {
            chunks.push(&[]);
        }
        let (mut bytes, mut before) = (Vec::with_capacity(packed.len() + 12), self.before());
        let all = chunks.len();
        for (n, chunk) in chunks.into_iter().enumerate() {
            let begins = if n == 0 { BEGINS } else { 0 };
            let ends = if n + 1 == all { ENDS } else { 0 };
            bytes.extend(header(chunk.len() as u16, before, begins | ends | method.number()));
            bytes.extend_from_slice(chunk);
            before = chunk.len() as u16;
        }
        self.append(&bytes, Element { at: 0, mark: false, method, last: before })
    }

    /// Writes a tape mark; what followed is gone.
    pub fn write_mark(&mut self) -> Result<(), TapeError> {
        let bytes = header(0, self.before(), MARK);
        self.append(&bytes, Element { at: 0, mark: true, method: Method::None, last: 0 })
    }

    /// Erases the rest of the tape.
    pub fn erase(&mut self) -> Result<(), TapeError> {
        if !self.writable {
            return Err(TapeError::ReadOnly);
        }
        let end = self.place();
        self.file.set_len(end)?;
        self.elements.truncate(self.position);
        self.end = end;
        Ok(())
    }

    /// Has the host bring everything to its medium.
    pub fn sync(&self) -> Result<(), TapeError> {
        if self.writable {
            self.file.sync_data()?;
        }
        Ok(())
    }

    /// The length of the last chunk before the head.
    fn before(&self) -> u16 {
        self.position.checked_sub(1).map_or(0, |n| self.elements[n].last)
    }

    /// Where the head is in the file.
    fn place(&self) -> u64 {
        self.elements.get(self.position).map_or(self.end, |element| element.at)
    }

    fn append(&mut self, bytes: &[u8], element: Element) -> Result<(), TapeError> {
        if !self.writable {
            return Err(TapeError::ReadOnly);
        }
        let at = self.place();
        self.elements.truncate(self.position);
        self.end = at;
        // What is left of the old contents must not be taken for a block, wherever this process ends.
        self.file.set_len(at)?;
        self.file.write_all_at(bytes, at)?;
        self.elements.push(Element { at, ..element });
        self.position += 1;
        self.end = at + bytes.len() as u64;
        Ok(())
    }

    fn content(&self, element: &Element) -> Result<Item, TapeError> {
        if element.mark {
            return Ok(Item::Mark);
        }
        let mut stored = Vec::new();
        let mut at = element.at;
        loop {
            let head = Header::read(&self.file, at)?;
            let start = stored.len();
            stored.resize(start + usize::from(head.length), 0);
            self.file.read_exact_at(&mut stored[start..], at + HEADER)?;
            at += HEADER + u64::from(head.length);
            if head.flags & ENDS != 0 {
                break;
            }
        }
        let damaged = |why: String| TapeError::Damaged { at: element.at, why };
        codec::unpack(stored, element.method, LONGEST).map(Item::Block).map_err(damaged)
    }
}

fn header(length: u16, before: u16, flags: u8) -> [u8; 6] {
    let ([a, b], [c, d]) = (length.to_le_bytes(), before.to_le_bytes());
    [a, b, c, d, flags, 0]
}

/// A header as the file has it.
#[derive(Clone, Copy)]
pub(crate) struct Header {
    pub length: u16,
    pub before: u16,
    pub flags: u8,
    pub more: u8,
}

impl Header {
    pub(crate) fn of(bytes: [u8; 6]) -> Header {
        let word = |n: usize| u16::from_le_bytes([bytes[n], bytes[n + 1]]);
        Header { length: word(0), before: word(2), flags: bytes[4], more: bytes[5] }
    }

    fn read(file: &File, at: u64) -> Result<Header, TapeError> {
        let mut bytes = [0; HEADER as usize];
        file.read_exact_at(&mut bytes, at)?;
        Ok(Header::of(bytes))
    }

    pub(crate) fn method(&self) -> Result<Method, String> {
        if self.more & OTHER_ZLIB != 0 {
            return Ok(Method::Zlib);
        }
        Method::of(self.flags & METHOD).ok_or_else(|| "a compression that is not known".into())
    }
}
