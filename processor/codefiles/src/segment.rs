//! A file of records: their bytes, an index of them, and what shows that nothing of it was changed.
//!
//! ```text
//!  0  "ENDICODE"  the format  records  where the index is        8, 4, 4 and 8 bytes, the low byte first
//!     the records, one after another
//!     the index: of each record the key, the place, the length and the seal, in the order of their keys
//!     the seal of the first 24 bytes and the index
//! ```
//!
//! A *seal* is an HMAC-SHA-256 by a key that follows from the user's secret and from what the records are good for. So
//! records of another build, another processor or another user have none that fits.

use crate::folder::Folder;
use base::Held;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

const MAGIC: &[u8; 8] = b"ENDICODE";
const FORMAT: u32 = 1;
/// Bytes before the records, of an index entry, and of the seal after the index.
pub(crate) const HEADER: usize = 24;
const ENTRY: usize = 36;
const SEAL: usize = 32;
/// Bytes of a record, at most.
pub(crate) const LONGEST: usize = 1 << 20;

/// A half of a seal, which each record has.
pub(crate) type Half = [u8; SEAL / 2];

/// Makes seals.
#[derive(Clone)]
pub(crate) struct Sealer(Hmac<Sha256>);

impl Sealer {
    /// For what is good for `kind`.
    pub(crate) fn new(secret: &[u8; 32], kind: &str) -> Sealer {
        let mut derive = Self::by(secret);
        derive.update(kind.as_bytes());
        Sealer(Self::by(&derive.finalize().into_bytes()))
    }

    fn by(key: &[u8]) -> Hmac<Sha256> {
        Hmac::new_from_slice(key).expect("HMAC has keys of any length")
    }

    fn begin(&self, what: u8, parts: &[&[u8]]) -> Hmac<Sha256> {
        let mut seal = self.0.clone();
        seal.update(&[what]);
        parts.iter().for_each(|part| seal.update(part));
        seal
    }

    pub(crate) fn record(&self, key: u64, record: &[u8]) -> Half {
        let seal = self.begin(1, &[&key.to_le_bytes(), record]).finalize().into_bytes();
        seal[..SEAL / 2].try_into().expect("that is half of it")
    }

    fn is_record(&self, key: u64, record: &[u8], seal: &Half) -> bool {
        self.begin(1, &[&key.to_le_bytes(), record]).verify_truncated_left(seal).is_ok()
    }

    fn index(&self, header: &[u8], index: &[u8]) -> Hmac<Sha256> {
        self.begin(2, &[header, index])
    }
}

/// A record in a file.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) key: u64,
    pub(crate) at: u64,
    pub(crate) len: u32,
    pub(crate) seal: Half,
}

impl Entry {
    fn write(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(&self.key.to_le_bytes());
        to.extend_from_slice(&self.at.to_le_bytes());
        to.extend_from_slice(&self.len.to_le_bytes());
        to.extend_from_slice(&self.seal);
    }

    fn read(from: &[u8; ENTRY]) -> Entry {
        let part = |at: usize| u64::from_le_bytes(from[at..at + 8].try_into().expect("these are eight"));
        let len = u32::from_le_bytes(from[16..20].try_into().expect("these are four"));
        Entry { key: part(0), at: part(8), len, seal: from[20..].try_into().expect("these are sixteen") }
    }

    /// Whether these are its bytes.
    pub(crate) fn is(&self, record: &[u8], sealer: &Sealer) -> bool {
        sealer.is_record(self.key, record, &self.seal)
    }
}

/// What stands before the records.
fn header(records: usize, index: u64) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(MAGIC);
    header[8..12].copy_from_slice(&FORMAT.to_le_bytes());
    header[12..16].copy_from_slice(&(records as u32).to_le_bytes());
    header[16..].copy_from_slice(&index.to_le_bytes());
    header
}

/// Completes a file with these records, which end at `end`: the first of them are `own` new ones, the latest last.
pub(crate) fn complete(file: &File, entries: &mut [Entry], own: usize, end: u64, sealer: &Sealer) -> io::Result<()> {
    // Those of one key stay in this order.
    entries[..own].reverse();
    entries.sort_by_key(|entry| entry.key);
    let mut index = Vec::with_capacity(entries.len() * ENTRY + SEAL);
    entries.iter().for_each(|entry| entry.write(&mut index));
    let header = header(entries.len(), end);
    let seal = sealer.index(&header, &index).finalize().into_bytes();
    index.extend_from_slice(&seal);
    file.write_all_at(&index, end)?;
    file.write_all_at(&header, 0)
}

/// A file that is complete.
pub(crate) struct Segment {
    file: File,
    /// In the order of their keys, the latest first where they have the same.
    pub(crate) entries: Vec<Entry>,
    /// Something was taken from it.
    used: AtomicBool,
    window: Mutex<Window>,
}

/// A part of a file: what is wanted next may stand near what was wanted last.
#[derive(Default)]
struct Window {
    at: u64,
    bytes: Vec<u8>,
    /// Records that were found in it.
    found: usize,
}

/// Bytes of it, and how many of them stand before the record that it is read for: of a small one, and of one after a
/// window in which many were found. A system that boots wants records in their order, a compiler any.
const SMALL: (usize, u64) = (8 << 10, 2 << 10);
const LARGE: (usize, u64) = (64 << 10, 16 << 10);
const MANY: usize = 4;

impl Window {
    fn get(&mut self, entry: &Entry) -> Option<&[u8]> {
        let from = entry.at.checked_sub(self.at)?.try_into().ok()?;
        let record = self.bytes.get(from..)?.get(..entry.len as usize)?;
        self.found += 1;
        Some(record)
    }

    fn read(&mut self, file: &File, entry: &Entry) -> io::Result<()> {
        let (window, before) = if self.found >= MANY { LARGE } else { SMALL };
        (self.at, self.found) = (entry.at.saturating_sub(before), 0);
        let len = window.max((entry.at - self.at) as usize + (entry.len as usize).min(LONGEST));
        self.bytes.resize(len, 0);
        let mut read = 0;
        while read < len {
            match file.read_at(&mut self.bytes[read..], self.at + read as u64)? {
                0 => break,
                count => read += count,
            }
        }
        self.bytes.truncate(read);
        Ok(())
    }
}

impl Segment {
    /// The file of this name. `None`: it is damaged, or not for us.
    pub(crate) fn open(folder: &Folder, name: &str, sealer: &Sealer) -> Option<Segment> {
        let file = folder.file(name).ok()?;
        let len = file.metadata().ok()?.len();
        let mut first = [0; HEADER];
        file.read_exact_at(&mut first, 0).ok()?;
        let number = |at: usize| u32::from_le_bytes(first[at..at + 4].try_into().expect("these are four"));
        let (records, at) = (number(12) as usize, u64::from(number(16)) | u64::from(number(20)) << 32);
        let size = records.checked_mul(ENTRY)?.checked_add(SEAL)?;
        if first != header(records, at) || at.checked_add(size as u64) != Some(len) {
            return None;
        }
        let mut index = vec![0; size];
        file.read_exact_at(&mut index, at).ok()?;
        let (index, seal) = index.split_at(size - SEAL);
        sealer.index(&first, index).verify_slice(seal).ok()?;
        let entries = index.as_chunks::<ENTRY>().0.iter().map(Entry::read).collect();
        Some(Segment::new(file, entries))
    }

    /// A file with these records, in the order of their keys.
    pub(crate) fn new(file: File, entries: Vec<Entry>) -> Segment {
        Segment { file, entries, used: AtomicBool::new(false), window: Mutex::default() }
    }

    /// Notes that something was taken from it.
    pub(crate) fn note_use(&self) {
        self.used.store(true, Ordering::Relaxed);
    }

    /// If something was taken from it, it is not one of the oldest any more.
    pub(crate) fn touch(&self, now: SystemTime) {
        if self.used.load(Ordering::Relaxed) {
            let _ = self.file.set_modified(now);
        }
    }

    /// Its records with this key.
    pub(crate) fn with(&self, key: u64) -> &[Entry] {
        let first = self.entries.partition_point(|entry| entry.key < key);
        let count = self.entries[first..].iter().take_while(|entry| entry.key == key).count();
        &self.entries[first..first + count]
    }

    /// The bytes of a record. `None`: they are others by now.
    pub(crate) fn read(&self, entry: &Entry, sealer: &Sealer) -> Option<Vec<u8>> {
        let record = {
            let mut window = self.window.lock().held();
            match window.get(entry) {
                Some(record) => record.to_vec(),
                None => {
                    window.read(&self.file, entry).ok()?;
                    window.get(entry)?.to_vec()
                }
            }
        };
        entry.is(&record, sealer).then_some(record)
    }
}
