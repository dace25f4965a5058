//! The spool as a whole: users' queues, the numbers of their files, and every command that changes one.
//!
//! All changes go one way: the new headers are written beside the old ones and forced to disk, then renamed over them,
//! and only then does anything change in storage. An error before the renaming leaves everything as it was.

use std::collections::btree_map::{BTreeMap, Entry};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::Error;
use crate::disk::{sync_folder, write_headers};
use crate::drop;
use crate::file::{Attributes, Device, HEADER, Queue, SpoolFile, field};
use crate::output::OutputFile;
use crate::reader::ReaderFile;
use crate::saved::SavedFiles;
use crate::splink::BLOCK;

/// The highest number of a spool file.
pub const MAX_SPID: u16 = 9999;

/// Which files of a queue a command is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Selection {
    /// All of them.
    All,
    /// The one with this number.
    Spid(u16),
    /// Those of this class.
    Class(char),
    /// Those of this form.
    Form(String),
    /// Those for this destination.
    Dest(String),
}

impl Selection {
    /// Whether the command is about `file`.
    pub fn takes(&self, file: &SpoolFile) -> bool {
        match self {
            Selection::All => true,
            Selection::Spid(spid) => file.spid == *spid,
            Selection::Class(class) => file.class == *class,
            Selection::Form(form) => file.form == *form,
            Selection::Dest(dest) => file.dest == *dest,
        }
    }
}

/// What CHANGE changes; `None` leaves a field as it is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs, reason = "each is the field of SpoolFile with the same name")]
pub struct Change {
    pub class: Option<char>,
    pub form: Option<String>,
    pub copies: Option<u16>,
    pub user_hold: Option<bool>,
    pub system_hold: Option<bool>,
    pub keep: Option<bool>,
    pub dist: Option<String>,
    pub dest: Option<String>,
    pub name: Option<String>,
    pub kind: Option<String>,
    pub tag: Option<String>,
}

impl Change {
    fn apply(&self, file: &mut SpoolFile) {
        let text = |to: &mut String, new: &Option<String>, length| {
            if let Some(new) = new {
                *to = field(new, length);
            }
        };
        file.class = self.class.filter(char::is_ascii_alphanumeric).unwrap_or(file.class);
        file.copies = self.copies.unwrap_or(file.copies);
        file.hold.user = self.user_hold.unwrap_or(file.hold.user);
        file.hold.system = self.system_hold.unwrap_or(file.hold.system);
        file.keep = self.keep.unwrap_or(file.keep);
        text(&mut file.form, &self.form, 8);
        text(&mut file.dist, &self.dist, 8);
        text(&mut file.dest, &self.dest, 8);
        text(&mut file.name, &self.name, 12);
        text(&mut file.kind, &self.kind, 12);
        text(&mut file.tag, &self.tag, 136);
    }
}

/// What becomes of a file when its reader closes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum After {
    /// It is purged, unless the file says KEEP.
    #[default]
    AsFile,
    /// It is purged (CLOSE NOKEEP NOHOLD).
    Purge,
    /// It stays as it is, to be read again (SPOOL or CLOSE with HOLD).
    Hold,
    /// It stays and gets USER hold, so that the reader goes on to the next file (SPOOL or CLOSE with KEEP).
    Keep,
}

/// A file that TRANSFER gave to another user.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moved {
    /// The number it had.
    pub was: u16,
    /// The number it has now.
    pub spid: u16,
}

/// An output file that could not be closed. Nothing is lost: it can be closed again, for another user perhaps.
#[derive(Debug)]
pub struct NotClosed {
    /// The file, still open.
    pub output: OutputFile,
    /// Why.
    pub error: Error,
}

/// What belongs to one user.
struct Owner {
    queues: [BTreeMap<i64, Arc<str>>; 3],
    /// Every number taken; `None`: by a file that is open for output.
    spids: BTreeMap<u16, Option<Arc<str>>>,
    /// The number given out last.
    last: u16,
    limit: u16,
}

impl Default for Owner {
    fn default() -> Self {
        Owner { queues: Default::default(), spids: BTreeMap::new(), last: 0, limit: MAX_SPID }
    }
}

impl Owner {
    /// Takes the next number: one more than the last, and after the highest again from 1, as CP does, so that a number
    /// is not used for another file soon.
    fn reserve(&mut self) -> Option<u16> {
        let next = |n: u16| if n >= self.limit { 1 } else { n + 1 };
        let mut n = next(self.last);
        for _ in 0..self.limit {
            if let Entry::Vacant(free) = self.spids.entry(n) {
                free.insert(None);
                self.last = n;
                return Some(n);
            }
            n = next(n);
        }
        None
    }

    /// A place after every file of `queue`.
    fn bottom(&self, queue: Queue) -> i64 {
        self.queues[queue as usize].last_key_value().map_or(0, |(p, _)| p + 1)
    }
}

/// What [`Spool::take_drops`] did.
#[derive(Debug, Default)]
pub struct Taken {
    /// Owner and number of each file that has come in: CP tells the owner and presents device end on the reader.
    pub files: Vec<(String, u16)>,
    /// Owners whose files stay outside, and the reason. They are tried again the next time.
    pub waiting: Vec<(String, Error)>,
}

/// All spool files of a system.
pub struct Spool {
    folder: PathBuf,
    /// Locked as long as it is open.
    _lock: fs::File,
    files: HashMap<Arc<str>, SpoolFile>,
    owners: BTreeMap<String, Owner>,
    next_id: u64,
    damaged: Vec<PathBuf>,
    /// Saved systems and segments.
    pub saved: SavedFiles,
}

impl Spool {
    /// Opens the spool in `folder`, which is made if it is not there, and takes in what lies in its drop folder. What
    /// is no good there is left alone and listed by [`damaged`](Spool::damaged).
    pub fn open(folder: &Path) -> Result<Spool, Error> {
        let drop = folder.join("drop");
        fs::create_dir_all(&drop).map_err(|e| Error::of(&drop, e))?;
        let path = folder.join("lock");
        let lock = base::file::open(&path, base::file::Access::Make);
        let lock = lock.map_err(|e| Error::of(&path, e))?;
        match base::file::lock(&lock, true) {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => return Err(Error::Locked(folder.into())),
            Err(fs::TryLockError::Error(e)) => return Err(Error::of(&path, e)),
        }
        let mut spool = Spool {
            folder: folder.into(),
            _lock: lock,
            files: HashMap::new(),
            owners: BTreeMap::new(),
            next_id: 1,
            damaged: Vec::new(),
            saved: SavedFiles::open(folder.join("saved"))?,
        };
        spool.read()?;
        spool.take_drops()?;
        drop::remove_abandoned(&drop)?;
        Ok(spool)
    }

    /// Host files in the spool folder that are not what they should be.
    pub fn damaged(&self) -> &[PathBuf] {
        &self.damaged
    }

    /// Reads all headers, and removes what was open when the system stopped.
    fn read(&mut self) -> Result<(), Error> {
        let mut found = Vec::new();
        let mut data = Vec::new();
        let list = fs::read_dir(&self.folder).map_err(|e| Error::of(&self.folder, e))?;
        for entry in list {
            let path = entry.map_err(|e| Error::of(&self.folder, e))?.path();
            let id = path.file_stem().and_then(|s| s.to_str()).unwrap_or_default().to_string();
            if let Some(n) = id.strip_prefix('f').and_then(|n| u64::from_str_radix(n, 16).ok()) {
                self.next_id = self.next_id.max(n.saturating_add(1));
            }
            match path.extension().and_then(|e| e.to_str()) {
                Some("meta") => found.push((id, path)),
                Some("data") => data.push((id, path)),
                Some("new") => drop(fs::remove_file(&path)),
                _ => {}
            }
        }
        let mut known: HashSet<String> = HashSet::new();
        let mut files = Vec::new();
        for (id, path) in found {
            let file = base::file::read_text(&path, HEADER).ok().and_then(|text| SpoolFile::from_text(&id, &text));
            let there = fs::metadata(self.folder.join(format!("{id}.data"))).map_or(0, |m| m.len());
            match file {
                Some(file) if there >= u64::from(file.blocks) * BLOCK as u64 => files.push(file),
                _ => self.damaged.push(path),
            }
            known.insert(id);
        }
        files.sort_by(|a, b| (a.position, &a.id).cmp(&(b.position, &b.id)));
        for mut file in files {
            let owner = self.owners.entry(file.owner.clone()).or_default();
            if owner.queues[file.queue as usize].contains_key(&file.position) {
                file.position = owner.bottom(file.queue);
            }
            if file.spid == 0 || owner.spids.contains_key(&file.spid) {
                let Some(spid) = owner.reserve() else {
                    self.damaged.push(self.folder.join(format!("{}.meta", file.id)));
                    continue;
                };
                file.spid = spid;
            }
            self.link(file);
        }
        for owner in self.owners.values_mut() {
            // The newest file has the number given out last; after that it does not matter.
            owner.last = owner.spids.last_key_value().map_or(0, |(&n, _)| n);
        }
        for (id, path) in data {
            let arriving = self.folder.join("drop").join(format!("{id}.meta"));
            if !known.contains(&id) && !arriving.exists() {
                fs::remove_file(&path).map_err(|e| Error::of(&path, e))?;
            }
        }
        Ok(())
    }

    fn link(&mut self, file: SpoolFile) {
        let owner = self.owners.entry(file.owner.clone()).or_default();
        owner.queues[file.queue as usize].insert(file.position, file.id.clone());
        owner.spids.insert(file.spid, Some(file.id.clone()));
        self.files.insert(file.id.clone(), file);
    }

    fn unlink(&mut self, id: &str) {
        if let Some(file) = self.files.remove(id)
            && let Some(owner) = self.owners.get_mut(&file.owner)
        {
            owner.queues[file.queue as usize].remove(&file.position);
            owner.spids.remove(&file.spid);
        }
    }

    /// Writes the headers of `files` to disk, then puts them in the place of those with the same names.
    fn replace(&mut self, files: Vec<SpoolFile>) -> Result<(), Error> {
        write_headers(&self.folder, &files)?;
        for file in &files {
            self.unlink(&file.id);
        }
        files.into_iter().for_each(|file| self.link(file));
        Ok(())
    }

    /// A number for a new file of `user`.
    fn reserve(&mut self, user: &str) -> Result<u16, Error> {
        let owner = self.owners.entry(user.into()).or_default();
        owner.reserve().ok_or_else(|| Error::NoSpid(user.into()))
    }

    fn bottom(&self, user: &str, queue: Queue) -> i64 {
        self.owners.get(user).map_or(0, |owner| owner.bottom(queue))
    }

    /// Gives back a number that no file has.
    fn release(&mut self, user: &str, spid: u16) {
        if let Some(owner) = self.owners.get_mut(user)
            && owner.spids.get(&spid) == Some(&None)
        {
            owner.spids.remove(&spid);
        }
    }

    fn has(&self, id: &str) -> bool {
        self.files.contains_key(id)
    }

    /// Lets `user` have spool files up to number `max` (SPOOLFILE MAXSPOOL of the directory).
    pub fn limit(&mut self, user: &str, max: u16) {
        self.owners.entry(user.into()).or_default().limit = max.clamp(1, MAX_SPID);
    }

    /// The files on a queue, first to be read first.
    pub fn files(&self, owner: &str, queue: Queue) -> impl Iterator<Item = &SpoolFile> {
        let ids = self.owners.get(owner).into_iter().flat_map(move |o| o.queues[queue as usize].values());
        ids.map(|id| &self.files[id])
    }

    /// Every file, by owner and queue: what class D users see.
    pub fn all_files(&self) -> impl Iterator<Item = &SpoolFile> {
        let queues = self.owners.values().flat_map(|owner| &owner.queues);
        queues.flat_map(|queue| queue.values()).map(|id| &self.files[id])
    }

    /// How many files are on a queue.
    pub fn count(&self, owner: &str, queue: Queue) -> usize {
        self.owners.get(owner).map_or(0, |o| o.queues[queue as usize].len())
    }

    /// The file of `owner` with the number `spid`.
    pub fn file(&self, owner: &str, spid: u16) -> Option<&SpoolFile> {
        self.files.get(self.owners.get(owner)?.spids.get(&spid)?.as_ref()?)
    }

    /// The file that follows `spid` on the queue; with 0 the first (DIAGNOSE X'14', subcode X'0FFF').
    pub fn file_after(&self, owner: &str, queue: Queue, spid: u16) -> Option<&SpoolFile> {
        let mut files = self.files(owner, queue);
        if spid == 0 { files.next() } else { files.skip_while(|f| f.spid != spid).nth(1) }
    }

    /// Opens an output file for `user`'s device. Its number is taken now, though the file is not there before it is
    /// closed.
    pub fn open_output(&mut self, user: &str, device: Device) -> Result<OutputFile, Error> {
        let spid = self.reserve(user)?;
        let id = format!("f{:016x}", self.next_id);
        self.next_id += 1;
        OutputFile::create(&self.folder, &id, user, spid, device).inspect_err(|_| self.release(user, spid))
    }

    /// Closes an output file: it is on the queue that `attributes` say when this returns, and on disk. It keeps its
    /// number if it stays with its writer, else it gets one of its new owner's. Of a file without records nothing
    /// comes (`None`).
    pub fn close_output(
        &mut self,
        mut output: OutputFile,
        attributes: &Attributes,
    ) -> Result<Option<SpoolFile>, Box<NotClosed>> {
        if output.records == 0 {
            self.discard_output(output);
            return Ok(None);
        }
        match self.try_close(&mut output, attributes) {
            Ok(file) => Ok(Some(file)),
            Err(error) => Err(Box::new(NotClosed { output, error })),
        }
    }

    fn try_close(&mut self, output: &mut OutputFile, attributes: &Attributes) -> Result<SpoolFile, Error> {
        output.finish()?;
        let mut file = SpoolFile::new(attributes, &output.user, output.device);
        file.id = output.id.clone();
        (file.records, file.blocks, file.record_length) = (output.records, output.blocks, output.record_length);
        file.position = self.bottom(&file.owner, file.queue);
        let stays = file.owner == output.user;
        file.spid = if stays { output.spid } else { self.reserve(&file.owner)? };
        if let Err(e) = self.replace(vec![file.clone()]) {
            if !stays {
                self.release(&file.owner, file.spid);
            }
            return Err(e);
        }
        output.closed = true;
        if !stays {
            self.release(&output.user, output.spid);
        }
        Ok(file)
    }

    /// Throws an output file away (CLOSE PURGE).
    pub fn discard_output(&mut self, output: OutputFile) {
        self.release(&output.user, output.spid);
        drop(output);
    }

    /// Opens the first file on `owner`'s reader queue that is not held, not in use, and of `class` (`*` is any). A
    /// file whose data cannot be opened gets SYSTEM hold, so that the next try finds the next file.
    pub fn open_reader(&mut self, owner: &str, class: char) -> Result<Option<ReaderFile>, Error> {
        let fits = |f: &&SpoolFile| !f.hold.any() && !f.in_use && (class == '*' || f.class == class);
        let first = self.files(owner, Queue::Reader).find(fits).map(|f| f.spid);
        match first {
            Some(spid) => self.open_file(owner, spid).map(Some),
            None => Ok(None),
        }
    }

    /// Opens a certain file, held or not, of any queue.
    pub fn open_file(&mut self, owner: &str, spid: u16) -> Result<ReaderFile, Error> {
        let file = self.file(owner, spid).ok_or_else(|| Error::NoFile(owner.into(), spid))?.clone();
        if file.in_use {
            return Err(Error::InUse(owner.into(), spid));
        }
        match ReaderFile::open(self.folder.join(format!("{}.data", file.id)), &file) {
            Ok(reader) => {
                self.files.get_mut(&file.id).expect("it was found above").in_use = true;
                Ok(reader)
            }
            Err(e) => {
                let mut held = file;
                held.hold.system = true;
                // Nothing better can be done if this fails too; the first error is the one to tell.
                let _ = self.replace(vec![held]);
                Err(e)
            }
        }
    }

    /// Closes a file that was read. What is left of it is returned; `None`: it was purged.
    pub fn close_reader(&mut self, reader: ReaderFile, after: After) -> Result<Option<&SpoolFile>, Error> {
        let (owner, spid) = (reader.owner.clone(), reader.spid);
        drop(reader);
        let Some(file) = self.file(&owner, spid) else { return Ok(None) };
        let (id, keep) = (file.id.clone(), file.keep);
        self.files.get_mut(&id).expect("it was found above").in_use = false;
        let mut file = self.files[&id].clone();
        match (after, keep) {
            (After::Purge, _) | (After::AsFile, false) => {
                self.remove(&[id])?;
                return Ok(None);
            }
            (After::Hold, _) => {}
            (After::Keep, _) | (After::AsFile, true) => {
                file.hold.user = true;
                self.replace(vec![file])?;
            }
        }
        Ok(self.files.get(&id))
    }

    /// The files on a queue that `selection` takes, in their order. Those in use are left out if `idle`.
    fn select(&self, owner: &str, queue: Queue, selection: &Selection, idle: bool) -> Vec<SpoolFile> {
        let takes = |f: &&SpoolFile| selection.takes(f) && !(idle && f.in_use);
        self.files(owner, queue).filter(takes).cloned().collect()
    }

    /// PURGE: removes files, but none that is in use. Returns how many.
    pub fn purge(&mut self, owner: &str, queue: Queue, selection: &Selection) -> Result<usize, Error> {
        let ids: Vec<_> = self.select(owner, queue, selection, true).into_iter().map(|f| f.id).collect();
        self.remove(&ids)?;
        Ok(ids.len())
    }

    fn remove(&mut self, ids: &[Arc<str>]) -> Result<(), Error> {
        for id in ids {
            // The header first: without it the data means nothing. A crash may bring a purged file back, whole.
            for extension in ["meta", "data"] {
                let path = self.folder.join(format!("{id}.{extension}"));
                match fs::remove_file(&path) {
                    Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(Error::of(&path, e)),
                    _ => {}
                }
            }
            self.unlink(id);
        }
        Ok(())
    }

    /// CHANGE: gives files other attributes. Returns how many.
    pub fn change(
        &mut self,
        owner: &str,
        queue: Queue,
        selection: &Selection,
        change: &Change,
    ) -> Result<usize, Error> {
        let mut files = self.select(owner, queue, selection, false);
        let count = files.len();
        // What changes nothing writes nothing: the boot loader of Linux changes all files at every IPL.
        files.retain_mut(|file| {
            let before = file.clone();
            change.apply(file);
            *file != before
        });
        self.replace(files)?;
        Ok(count)
    }

    /// TRANSFER: moves files after those of `to`'s `to_queue`, but none that is in use. All are moved or none.
    pub fn transfer(
        &mut self,
        owner: &str,
        queue: Queue,
        selection: &Selection,
        to: &str,
        to_queue: Queue,
    ) -> Result<Vec<Moved>, Error> {
        let to = field(to, 8);
        let mut files = self.select(owner, queue, selection, true);
        let mut moved = Vec::new();
        let bottom = self.bottom(&to, to_queue);
        let mut failed = None;
        for (n, file) in files.iter_mut().enumerate() {
            let was = file.spid;
            if to != owner {
                match self.reserve(&to) {
                    Ok(spid) => file.spid = spid,
                    Err(e) => {
                        failed = Some(e);
                        break;
                    }
                }
            }
            moved.push(Moved { was, spid: file.spid });
            file.position = bottom + n as i64;
            file.queue = to_queue;
            file.owner.clone_from(&to);
        }
        let done = match failed {
            None => self.replace(files),
            Some(e) => Err(e),
        };
        if let Err(e) = done {
            moved.iter().for_each(|m| self.release(&to, m.spid));
            return Err(e);
        }
        Ok(moved)
    }

    /// ORDER: puts files before all others of their queue, in the order of the selections. Returns how many.
    pub fn order(&mut self, owner: &str, queue: Queue, selections: &[Selection]) -> Result<usize, Error> {
        let mut files: Vec<SpoolFile> = Vec::new();
        for selection in selections {
            for file in self.select(owner, queue, selection, false) {
                if !files.iter().any(|f| f.id == file.id) {
                    files.push(file);
                }
            }
        }
        let count = files.len();
        let top = self.files(owner, queue).next().map_or(0, |f| f.position);
        for (n, file) in files.iter_mut().enumerate() {
            file.position = top - (count - n) as i64;
        }
        self.replace(files)?;
        Ok(count)
    }

    /// Takes in the files that other programs have put into the drop folder since the last time. It costs next to
    /// nothing if there are none.
    pub fn take_drops(&mut self) -> Result<Taken, Error> {
        let drop = self.folder.join("drop");
        let mut taken = Taken::default();
        for (header, file) in drop::waiting(&drop)? {
            let Some(file) = file else {
                let id = header.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                taken.waiting.push((id, Error::Damaged(header)));
                continue;
            };
            let owner = file.owner.clone();
            match self.take(&drop, file) {
                Ok(Some(spid)) => taken.files.push((owner, spid)),
                Ok(None) => {}
                Err(e) => {
                    taken.waiting.push((owner, e));
                    continue;
                }
            }
            fs::remove_file(&header).map_err(|e| Error::of(&header, e))?;
        }
        Ok(taken)
    }

    /// Takes in one file; `None` if that was done before a crash kept us from removing it from the drop folder.
    fn take(&mut self, drop: &Path, mut file: SpoolFile) -> Result<Option<u16>, Error> {
        if self.has(&file.id) {
            return Ok(None);
        }
        let name = format!("{}.data", file.id);
        let (from, to) = (drop.join(&name), self.folder.join(&name));
        if !to.exists() {
            fs::rename(&from, &to).map_err(|e| Error::of(&from, e))?;
            sync_folder(&self.folder)?;
        }
        let owner = file.owner.clone();
        file.spid = self.reserve(&owner)?;
        file.position = self.bottom(&owner, file.queue);
        let spid = file.spid;
        self.replace(vec![file]).inspect_err(|_| self.release(&owner, spid))?;
        Ok(Some(spid))
    }
}
