//! Records in files that processes leave each other: code that one has translated and the next takes over.
//!
//! A record has a key, of which there may be several, and means nothing here. It comes back as it was written, or not
//! at all: each has a seal ([`segment`]) that is checked each time it is read. A process writes new records to a file
//! of its own, which gets its name when it is complete. So a process that ends before that leaves nothing that is read,
//! and several do not wait for each other. Small files become one; where all are too much, the oldest go.
//!
//! Nothing that fails here is an error of the caller's: then records are not found, or not kept.

mod folder;
mod segment;

pub use folder::secret;

use base::Held;
use folder::{Folder, random};
use segment::{Entry, HEADER, LONGEST, Sealer, Segment};
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Arc, RwLock};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

/// Names of files end so: of complete ones, and of those that are being written.
const COMPLETE: &str = ".code";
const NEW: &str = ".new";

/// Bytes of new records that are kept in memory until they are written.
const BUFFER: usize = 256 << 10;
/// A file is completed when it has so many bytes, or when its first record is so old: what a process has that is killed
/// is not lost altogether.
const FILE: u64 = 32 << 20;
const LONG: Duration = Duration::from_secs(300);
/// Bytes that a process writes, at most: code of guests' own translators is seldom wanted again.
const MOST: u64 = 64 << 20;
/// New records of one key, at most.
const SAME: usize = 8;
/// The indexes of the latest files, of so many bytes together, are read before the store is used; those of others
/// meanwhile. An index takes half a millisecond for 10 MB of file.
const AT_ONCE: u64 = 64 << 20;
/// How often a file is made anew that another process has removed at once.
const TRIES: u32 = 16;

/// The records of a folder that are good for one kind of process.
pub struct Store {
    folder: Arc<Folder>,
    sealer: Sealer,
    /// What names of files begin with.
    kind: String,
    /// Bytes that all files of the folder may have.
    limit: u64,
    inner: Arc<RwLock<Inner>>,
}

struct Inner {
    /// The files that were there, and those that this process has completed, the latest last.
    segments: Vec<Segment>,
    new: New,
    /// Bytes that were written, and whether there is nothing more to be written.
    written: u64,
    ended: bool,
}

/// New records, of which the last are still in memory.
#[derive(Default)]
struct New {
    /// The file that they are in, and its name, from the first bytes that were written on. It is locked.
    file: Option<(File, String)>,
    /// Where the buffer's bytes belong in the file.
    flushed: u64,
    buffer: Vec<u8>,
    entries: Vec<Entry>,
    by_key: HashMap<u64, Vec<u32>>,
    began: Option<Instant>,
    /// How many of them this process has made, if there are others after those.
    own: Option<usize>,
}

impl New {
    fn end(&self) -> u64 {
        self.flushed + self.buffer.len() as u64
    }

    /// A record's bytes.
    fn read(&self, entry: &Entry, sealer: &Sealer) -> Option<Vec<u8>> {
        let mut record = vec![0; entry.len as usize];
        match entry.at.checked_sub(self.flushed) {
            Some(at) => record.copy_from_slice(&self.buffer[at as usize..][..entry.len as usize]),
            None => self.file.as_ref()?.0.read_exact_at(&mut record, entry.at).ok()?,
        }
        // The file is one of the folder's until it is complete.
        entry.is(&record, sealer).then_some(record)
    }

    fn add(&mut self, key: u64, record: &[u8], seal: segment::Half) {
        if self.entries.is_empty() {
            (self.flushed, self.began) = (HEADER as u64, Some(Instant::now()));
        }
        let entry = Entry { key, at: self.end(), len: record.len() as u32, seal };
        self.by_key.entry(key).or_default().push(self.entries.len() as u32);
        self.entries.push(entry);
        self.buffer.extend_from_slice(record);
    }

    fn has(&self, key: u64, seal: &segment::Half) -> bool {
        let same = self.by_key.get(&key).map_or(&[][..], Vec::as_slice);
        same.iter().any(|&n| self.entries[n as usize].seal == *seal)
    }
}

impl Store {
    /// The records of the folder for processes of the same `kind` with the same secret. The folder is made if it is not
    /// there, and must be its user's alone.
    pub fn open(folder: &Path, secret: &[u8; 32], kind: &str, limit: u64) -> io::Result<Store> {
        Store::open_in_parts(folder, secret, kind, limit, AT_ONCE)
    }

    /// The same, with files of so many bytes read before this comes back, and one more.
    pub fn open_in_parts(folder: &Path, secret: &[u8; 32], kind: &str, limit: u64, at_once: u64) -> io::Result<Store> {
        let folder = Arc::new(Folder::open(folder)?);
        let sealer = Sealer::new(secret, kind);
        let name: String = sealer.record(0, b"name")[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        let kind = name + "-";
        let list = folder.list();
        let ours = list.into_iter().filter(|entry| entry.name.starts_with(&kind) && entry.name.ends_with(COMPLETE));
        let mut before = 0;
        let (first, rest): (Vec<_>, Vec<_>) = ours.rev().partition(|entry| {
            let now = before <= at_once;
            before += entry.len;
            now
        });
        let segments = first.iter().rev().filter_map(|entry| Segment::open(&folder, &entry.name, &sealer)).collect();
        let inner = Arc::new(RwLock::new(Inner { segments, new: New::default(), written: 0, ended: false }));
        if !rest.is_empty() {
            let (folder, sealer, inner) = (folder.clone(), sealer.clone(), inner.clone());
            let read = move || {
                for segment in rest.iter().filter_map(|entry| Segment::open(&folder, &entry.name, &sealer)) {
                    inner.write().held().segments.insert(0, segment);
                }
            };
            // Without a thread they are not found.
            let _ = thread::Builder::new().name("code files".to_owned()).spawn(read);
        }
        Ok(Store { folder, sealer, kind, limit, inner })
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        let inner = self.inner.read().held();
        inner.new.entries.len() + inner.segments.iter().map(|segment| segment.entries.len()).sum::<usize>()
    }

    /// There is no record.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether there may be a record with that key.
    pub fn has(&self, key: u64) -> bool {
        let inner = self.inner.read().held();
        inner.new.by_key.contains_key(&key) || inner.segments.iter().any(|segment| !segment.with(key).is_empty())
    }

    /// What `take` makes of the first record with that key of which it makes anything, the latest first.
    pub fn find<T>(&self, key: u64, mut take: impl FnMut(&[u8]) -> Option<T>) -> Option<T> {
        let inner = self.inner.read().held();
        let Inner { segments, new, .. } = &*inner;
        for &n in new.by_key.get(&key).into_iter().flatten().rev() {
            let record = new.read(&new.entries[n as usize], &self.sealer);
            if let Some(taken) = record.and_then(|record| take(&record)) {
                return Some(taken);
            }
        }
        for segment in segments.iter().rev() {
            let records = segment.with(key).iter().filter_map(|entry| segment.read(entry, &self.sealer));
            if let Some(taken) = records.into_iter().find_map(|record| take(&record)) {
                segment.note_use();
                return Some(taken);
            }
        }
        None
    }

    /// Keeps another record of that key. `false`: it is not kept.
    pub fn keep(&self, key: u64, record: &[u8]) -> bool {
        let seal = self.sealer.record(key, record);
        let mut inner = self.inner.write().held();
        let Inner { new, written, ended, .. } = &mut *inner;
        let many = new.by_key.get(&key).is_some_and(|same| same.len() >= SAME);
        if *ended || *written > MOST || record.len() > LONGEST || many || new.has(key, &seal) {
            return false;
        }
        new.add(key, record, seal);
        *written += record.len() as u64;
        let old = new.began.is_some_and(|began| began.elapsed() > LONG);
        let done = match (old || new.end() > FILE, new.buffer.len() > BUFFER) {
            (true, _) => self.complete(&mut inner),
            (false, true) => self.flush(new),
            (false, false) => Ok(()),
        };
        if done.is_err() {
            self.give_up(&mut inner);
        }
        true
    }

    /// The folder takes no more.
    fn give_up(&self, inner: &mut Inner) {
        if let Some((_, name)) = std::mem::take(&mut inner.new).file {
            self.folder.remove(&name);
        }
        inner.ended = true;
    }

    /// Writes what is in memory.
    fn flush(&self, new: &mut New) -> io::Result<()> {
        let (file, _) = match &mut new.file {
            Some(file) => file,
            none => none.insert(self.new_file()?),
        };
        file.write_all_at(&new.buffer, new.flushed)?;
        new.flushed += new.buffer.len() as u64;
        new.buffer.clear();
        Ok(())
    }

    /// A file for new records, which is locked, and its name.
    fn new_file(&self) -> io::Result<(File, String)> {
        for _ in 0..TRIES {
            let name = format!("{}{:016x}{NEW}", self.kind, u64::from_le_bytes(random()?));
            let file = self.folder.make(&name)?;
            // A process that finds it without a lock removes it: it may have done so before this one came to that.
            file.lock().inspect_err(|_| self.folder.remove(&name))?;
            if self.folder.has(&name, &file) {
                return Ok((file, name));
            }
        }
        Err(io::Error::other("files that are made do not stay"))
    }

    /// Gives the file with the new records its index and its name.
    fn complete(&self, inner: &mut Inner) -> io::Result<()> {
        if inner.new.entries.is_empty() {
            return Ok(());
        }
        self.flush(&mut inner.new)?;
        let (end, own) = (inner.new.end(), inner.new.own.unwrap_or(inner.new.entries.len()));
        let (file, _) = inner.new.file.as_ref().expect("it has been flushed");
        segment::complete(file, &mut inner.new.entries, own, end, &self.sealer)?;
        // Later than those that were used: hosts write files by a coarser clock.
        let _ = file.set_modified(SystemTime::now());
        let New { file, entries, .. } = std::mem::take(&mut inner.new);
        let (file, new) = file.expect("as above");
        let name = new.replace(NEW, COMPLETE);
        // It may have been removed.
        self.folder.rename(&new, &name).inspect_err(|_| self.folder.remove(&new))?;
        inner.segments.push(Segment::new(file, entries));
        self.make_room();
        Ok(())
    }

    /// The process ends: writes what is new, together with what small files have, and sees to the limit.
    pub fn finish(&self) {
        let mut inner = self.inner.write().held();
        let now = SystemTime::now();
        inner.segments.iter().for_each(|segment| segment.touch(now));
        if inner.ended || inner.new.entries.is_empty() {
            inner.ended = true;
            return;
        }
        let small = self.take_in(&mut inner.new);
        match small.and_then(|small| self.complete(&mut inner).map(|()| small)) {
            Ok(small) => small.iter().for_each(|name| self.folder.remove(name)),
            Err(_) => self.give_up(&mut inner),
        }
        inner.ended = true;
    }

    /// Takes the records of files in that are not much longer than what is new. So the number of files stays small.
    /// Answers their names.
    fn take_in(&self, new: &mut New) -> io::Result<Vec<String>> {
        let mut list = self.folder.list();
        list.retain(|entry| entry.name.starts_with(&self.kind) && entry.name.ends_with(COMPLETE));
        list.sort_by_key(|entry| entry.len);
        new.own = Some(new.entries.len());
        let mut names = Vec::new();
        for entry in list {
            if entry.len > 2 * new.end() || new.end() + entry.len > self.limit / 4 {
                break;
            }
            let Some(segment) = Segment::open(&self.folder, &entry.name, &self.sealer) else { continue };
            for entry in segment.entries.iter().filter(|entry| !new.has(entry.key, &entry.seal)).collect::<Vec<_>>() {
                if let Some(record) = segment.read(entry, &self.sealer) {
                    new.add(entry.key, &record, entry.seal);
                    if new.buffer.len() > BUFFER {
                        self.flush(new)?;
                    }
                }
            }
            names.push(entry.name);
        }
        Ok(names)
    }

    /// Removes what processes have left that were killed, and the oldest files as long as all are too much.
    fn make_room(&self) {
        let (new, complete): (Vec<_>, Vec<_>) =
            self.folder.list().into_iter().partition(|entry| entry.name.ends_with(NEW));
        for entry in new {
            // Locked until it is gone: a process that has just made it waits, and makes another.
            if let Ok(file) = self.folder.file(&entry.name)
                && file.try_lock().is_ok()
            {
                self.folder.remove(&entry.name);
            }
        }
        let complete = || complete.iter().filter(|entry| entry.name.ends_with(COMPLETE));
        let mut all: u64 = complete().map(|entry| entry.len).sum();
        for entry in complete() {
            if all <= self.limit {
                break;
            }
            self.folder.remove(&entry.name);
            all -= entry.len;
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        let mut inner = self.inner.write().held();
        self.give_up(&mut inner);
    }
}
