//! Saved systems and segments: which users have them, and how they become part of a virtual machine's storage.
//!
//! The files are the spool's ([`spool::saved`]). A file in use has its pages in storage of the host once, whatever the
//! number of its users ([`storage::Pages`]). Pages that each user may change for himself are copied on write by the
//! host. A [`Use`] keeps them there; the last one to go takes them away, and a file that is pending with them.
//!
//! Pages of type SC are CP's to write, and of its users to read ([`ControlPages`]).
//!
//! Lock order: the table of files in use, the spool.

use arch::{Absolute, PAGE};
use base::{Held, Tod};
use complex::Configuration;
use spool::saved::{Class, Kind, PageKind, PageRange, SavedFile};
use spool::{Shared, Spool};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard};
use storage::{Pages, Sharing};

/// The end of the addresses that saved pages can have: storage of 31-bit programs.
pub const ROOM: u64 = 1 << 31;

/// Why a saved system or segment could not be used or saved.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The spool cannot give or take the file.
    #[error(transparent)]
    Spool(#[from] spool::Error),
    /// The host has no room for its pages.
    #[error(transparent)]
    Host(#[from] io::Error),
    /// The virtual machine that is to be saved has no page of this number.
    #[error("page {0:05X} is not there")]
    NoPage(u32),
}

/// The pages of a file that is in use.
struct Loaded {
    pages: Pages,
    keys: Vec<u8>,
}

struct InUse {
    loaded: Arc<Loaded>,
    /// In the order in which they came, each with a number of its own.
    users: BTreeMap<u64, String>,
}

/// Every file that is in use.
#[derive(Default)]
struct Table {
    files: HashMap<u16, InUse>,
    /// How many users have come, ever.
    came: u64,
}

/// The saved systems and segments of a spool, and which of them are in use.
#[derive(Clone)]
pub struct SavedFiles {
    spool: Shared,
    table: Arc<Mutex<Table>>,
}

/// A file that a virtual machine uses. A thread that drops one must have neither the table nor the spool locked.
pub struct Use {
    files: SavedFiles,
    /// The saved system or segment.
    pub file: SavedFile,
    /// Which of the file's users it is.
    number: u64,
    loaded: Arc<Loaded>,
    /// All pages are the machine's own copies.
    pub nonshared: bool,
    /// A program has loaded it, or the space that it is in, by that name; otherwise it came with another member of its
    /// space.
    pub asked: bool,
    /// A program has loaded its space by the space's name.
    pub space_asked: bool,
}

impl Drop for Use {
    fn drop(&mut self) {
        let mut table = self.files.table();
        let Some(entry) = table.files.get_mut(&self.file.id) else { return };
        entry.users.remove(&self.number);
        if entry.users.is_empty() {
            table.files.remove(&self.file.id);
            if let Some(spool) = &mut *spool::lock(&self.files.spool)
                && spool.saved.file(self.file.id).is_some_and(|file| file.class == Class::Pending)
            {
                // If the host refuses now, the next start of the system tries again.
                let _ = spool.saved.remove(self.file.id);
            }
        }
    }
}

impl SavedFiles {
    /// Those of this spool. None is in use.
    pub fn new(spool: Shared) -> SavedFiles {
        SavedFiles { spool, table: Arc::default() }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().held()
    }

    /// The users of the file: a user who uses it twice is named twice.
    pub fn users(&self, id: u16) -> Vec<String> {
        self.table().files.get(&id).map(|entry| entry.users.values().cloned().collect()).unwrap_or_default()
    }

    /// Every file in use, and how many users it has.
    pub fn in_use(&self) -> Vec<(u16, usize)> {
        let mut used: Vec<_> = self.table().files.iter().map(|(&id, entry)| (id, entry.users.len())).collect();
        used.sort_unstable();
        used
    }

    /// How many use the file.
    pub fn user_count(&self, id: u16) -> usize {
        self.table().files.get(&id).map_or(0, |entry| entry.users.len())
    }

    /// PURGE: a file that is not in use is removed, another is pending. Whether it is gone.
    pub fn purge(&self, id: u16) -> Result<bool, spool::Error> {
        let table = self.table();
        let used = table.files.contains_key(&id);
        spool::with(&self.spool, |spool| match used {
            true => spool.saved.set_class(id, Class::Pending),
            false => spool.saved.remove(id),
        })?;
        Ok(!used)
    }

    /// The files that a program gets when it asks for this segment, or segment space
    /// ([`spool::saved::SavedFiles::parts`]).
    pub fn parts(&self, name: &str) -> Vec<SavedFile> {
        spool::ask(&self.spool, |spool| spool.saved.parts(name))
    }

    /// The file that is active under the name.
    pub fn find(&self, name: &str) -> Option<SavedFile> {
        spool::ask(&self.spool, |spool| spool.saved.active(name).cloned())
    }

    /// Makes the user one of the file's. Its pages are read if it has no user yet.
    pub fn begin_use(&self, userid: &str, file: SavedFile, nonshared: bool) -> Result<Use, Error> {
        let mut table = self.table();
        table.came += 1;
        let number = table.came;
        let entry = match table.files.entry(file.id) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let spool = spool::lock(&self.spool);
                let loaded = Arc::new(read(spool.as_ref().ok_or(spool::Error::Absent)?, &file)?);
                entry.insert(InUse { loaded, users: BTreeMap::new() })
            }
        };
        entry.users.insert(number, userid.into());
        let loaded = entry.loaded.clone();
        drop(table);
        Ok(Use { files: self.clone(), file, number, loaded, nonshared, asked: false, space_asked: false })
    }

    /// SAVESYS, SAVESEG: saves what the skeleton `file` describes from the storage of `configuration`, and for a system
    /// the registers of `cpu`. `now` is the date of the file.
    pub fn save(&self, file: &SavedFile, configuration: &Configuration, cpu: u16, now: Tod) -> Result<(), Error> {
        let storage = configuration.storage();
        let missing = file.saved_pages().find(|&page| storage.key(Absolute(u64::from(page) * PAGE)).is_err());
        if let Some(page) = missing {
            return Err(Error::NoPage(page));
        }
        let registers = match file.kind {
            Kind::System => configuration.saved_cpu(cpu).to_bytes(),
            Kind::Segment => Vec::new(),
        };
        let key = |page: u32| storage.key(Absolute(u64::from(page) * PAGE)).unwrap_or(0) & 0xf8;
        let page = |page: u32, to: &mut [u8; PAGE as usize]| {
            storage.peek(Absolute(u64::from(page) * PAGE), to).expect("it was looked for before");
        };
        let older = spool::with(&self.spool, |spool| spool.saved.save(file.id, registers, now, key, page))?;
        older.into_iter().try_for_each(|id| self.purge(id).map(drop))?;
        Ok(())
    }
}

/// Whether a user with these NAMESAVE statements may have the file: one that is restricted, or for a group of virtual
/// machines, is for the users that the directory names.
pub fn admits(namesave: &[String], file: &SavedFile) -> bool {
    let named = |name: &String| namesave.contains(name);
    file.class != Class::Restricted && !file.vm_group || named(&file.name) || file.space.as_ref().is_some_and(named)
}

fn read(spool: &Spool, file: &SavedFile) -> Result<Loaded, Error> {
    let pages = Pages::new(u64::from(file.pages()) * PAGE)?;
    let mut refused = None;
    let read = spool.saved.read(file.id, |number, bytes| {
        if bytes.iter().any(|&b| b != 0) {
            let at = offset(file, number);
            refused = refused.take().or(pages.write(at, bytes).err());
        }
    });
    let keys = read?;
    match refused {
        Some(error) => Err(error.into()),
        None => Ok(Loaded { pages, keys }),
    }
}

/// Where a page of the file is among its pages.
fn offset(file: &SavedFile, number: u32) -> u64 {
    let mut before = 0;
    for range in &file.ranges {
        if (range.first..=range.last).contains(&number) {
            return u64::from(before + number - range.first) * PAGE;
        }
        before += range.count();
    }
    unreachable!("the page is one of the file's")
}

/// The addresses of a range of pages.
pub fn addresses(range: &PageRange) -> Range<u64> {
    u64::from(range.first) * PAGE..(u64::from(range.last) + 1) * PAGE
}

/// The first address of these files' pages and the last.
pub fn extent(files: &[SavedFile]) -> (u64, u64) {
    let ranges = || files.iter().flat_map(|file| &file.ranges);
    let first = ranges().map(|range| addresses(range).start).min().unwrap_or(0);
    let end = ranges().map(|range| addresses(range).end).max().unwrap_or(1);
    (first, end - 1)
}

/// Whether the two have addresses in common.
pub fn overlaps(file: &SavedFile, other: &SavedFile) -> bool {
    let apart = |a: &PageRange, b: &PageRange| a.last < b.first || b.last < a.first;
    file.ranges.iter().any(|a| other.ranges.iter().any(|b| !apart(a, b)))
}

/// Pages of a file in use that CP writes into (DEFSEG with SC). They are there as long as this is.
pub struct ControlPages {
    /// The segment.
    pub file: SavedFile,
    loaded: Arc<Loaded>,
}

impl ControlPages {
    /// Writes bytes that all users of the segment see, from byte `at` of it.
    pub fn write(&self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.loaded.pages.write(at, bytes)
    }
}

impl Use {
    /// The pages, for CP to write into. `None`: some are not of type SC, lie apart, or are the user's own copies.
    pub fn control_pages(&self) -> Option<ControlPages> {
        let one = self.file.ranges.len() == 1 && self.file.ranges[0].kind == PageKind::SharedCp;
        (one && !self.nonshared).then(|| ControlPages { file: self.file.clone(), loaded: self.loaded.clone() })
    }

    /// Puts the pages into the storage of the virtual machine.
    pub fn attach(&self, configuration: &Configuration) -> io::Result<()> {
        let storage = configuration.storage();
        let mut first = 0;
        for range in &self.file.ranges {
            let sharing = match range.kind {
                _ if self.nonshared => Sharing::Own,
                PageKind::ExclusiveWrite | PageKind::ExclusiveNoData => Sharing::Own,
                PageKind::SharedWrite | PageKind::SharedNoData => Sharing::Shared,
                PageKind::SharedRead | PageKind::ExclusiveRead | PageKind::SharedCp => Sharing::ReadOnly,
            };
            let zero = !range.kind.has_data() && sharing == Sharing::Own;
            let pages = (!zero).then_some((&self.loaded.pages, first as u64 * PAGE));
            storage.attach(addresses(range), pages, sharing)?;
            for (n, &key) in self.loaded.keys[first..first + range.count() as usize].iter().enumerate() {
                if key & 0xf8 != 0 {
                    let at = Absolute(addresses(range).start + n as u64 * PAGE);
                    storage.set_key(at, key & 0xf8).expect("the page was attached");
                }
            }
            first += range.count() as usize;
        }
        configuration.purge();
        Ok(())
    }

    /// Takes the pages out again.
    pub fn detach(&self, configuration: &Configuration) {
        for range in &self.file.ranges {
            let done = configuration.storage().detach(addresses(range));
            done.expect("pages of ours are mapped anew");
        }
        configuration.purge();
    }
}
