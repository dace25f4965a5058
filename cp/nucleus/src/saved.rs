//! Saved systems and segments: which users have them, and how they become part of a virtual machine's storage.
//!
//! The files are the spool's ([`spool::saved`]). A file in use has its pages in storage of the host once, whatever the
//! number of its users ([`storage::Pages`]). Pages that each user may change for himself are copied on write by the
//! host. A [`Use`] keeps them there; the last one to go takes them away, and a file that is pending with them.

use crate::message::{self, Message};
use crate::spooling::{self, SharedSpool, message_of};
use crate::system::Cp;
use crate::vmdbk::Vmdbk;
use arch::{Absolute, PAGE, Psw};
use base::Held;
use complex::{Configuration, SavedCpu};
use cpu::Architecture;
use spool::saved::{Class, Kind, PageKind, PageRange, SavedFile};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard};
use storage::{Pages, Sharing};

/// The end of the addresses that saved pages can have: storage of 31-bit programs.
pub const ROOM: u64 = 1 << 31;

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
pub struct Table {
    spool: SharedSpool,
    files: HashMap<u16, InUse>,
    /// How many users have come, ever.
    came: u64,
}

/// The table, shared with the uses that are in it.
pub type Shared = Arc<Mutex<Table>>;

/// A table without users.
pub fn table(spool: &SharedSpool) -> Shared {
    Arc::new(Mutex::new(Table { spool: spool.clone(), files: HashMap::new(), came: 0 }))
}

fn lock(table: &Shared) -> MutexGuard<'_, Table> {
    table.lock().held()
}

/// A file that a virtual machine uses. A thread that drops one must have neither the table nor the spool locked.
pub struct Use {
    table: Shared,
    pub file: SavedFile,
    /// Which of the file's users it is.
    number: u64,
    loaded: Arc<Loaded>,
    /// All pages are the machine's own copies.
    pub nonshared: bool,
    /// A program has loaded it, or the space that it is in, by that name; otherwise it came with another member of its
    /// space.
    pub asked: bool,
    pub space_asked: bool,
}

impl Drop for Use {
    fn drop(&mut self) {
        let mut table = lock(&self.table);
        let Some(entry) = table.files.get_mut(&self.file.id) else { return };
        entry.users.remove(&self.number);
        if entry.users.is_empty() {
            table.files.remove(&self.file.id);
            if let Some(spool) = &mut *spooling::lock(&table.spool)
                && spool.saved.file(self.file.id).is_some_and(|file| file.class == Class::Pending)
            {
                // If the host refuses now, the next start of the system tries again.
                let _ = spool.saved.remove(self.file.id);
            }
        }
    }
}

/// The users of the file: a user who uses it twice is named twice.
pub fn users(cp: &Cp, id: u16) -> Vec<String> {
    lock(&cp.saved).files.get(&id).map(|entry| entry.users.values().cloned().collect()).unwrap_or_default()
}

/// How many use the file.
pub fn user_count(cp: &Cp, id: u16) -> usize {
    lock(&cp.saved).files.get(&id).map_or(0, |entry| entry.users.len())
}

/// PURGE: a file that is not in use is removed, another is pending. Whether it is gone.
pub fn purge(cp: &Cp, id: u16) -> Result<bool, Message> {
    let table = lock(&cp.saved);
    let used = table.files.contains_key(&id);
    spooling::with(cp, |spool| {
        let done = if used { spool.saved.set_class(id, Class::Pending) } else { spool.saved.remove(id) };
        done.map_err(|error| message_of(&error))
    })?;
    Ok(!used)
}

/// The files that a program gets when it asks for this segment, or segment space ([`spool::saved::SavedFiles::parts`]).
pub fn parts(cp: &Cp, name: &str) -> Vec<SavedFile> {
    spooling::ask(cp, |spool| spool.saved.parts(name))
}

/// The file that is active under the name.
pub fn find(cp: &Cp, name: &str) -> Option<SavedFile> {
    spooling::ask(cp, |spool| spool.saved.active(name).cloned())
}

/// Whether the user may have the file: one that is restricted, or for a group of virtual machines, is for those whom
/// the directory names.
pub fn admits(vmdbk: &Vmdbk, file: &SavedFile) -> bool {
    let named = |name: &String| vmdbk.user.namesave.contains(name);
    file.class != Class::Restricted && !file.vm_group || named(&file.name) || file.space.as_ref().is_some_and(named)
}

/// Makes the user one of the file's. Its pages are read if it has no user yet.
pub fn begin_use(cp: &Cp, vmdbk: &Vmdbk, file: SavedFile, nonshared: bool) -> Result<Use, Message> {
    let mut table = lock(&cp.saved);
    table.came += 1;
    let number = table.came;
    let entry = match table.files.entry(file.id) {
        Entry::Occupied(entry) => entry.into_mut(),
        Entry::Vacant(entry) => {
            let loaded = Arc::new(spooling::with(cp, |spool| read(spool, &file))?);
            entry.insert(InUse { loaded, users: BTreeMap::new() })
        }
    };
    entry.users.insert(number, vmdbk.userid.clone());
    let loaded = entry.loaded.clone();
    drop(table);
    Ok(Use { table: cp.saved.clone(), file, number, loaded, nonshared, asked: false, space_asked: false })
}

fn read(spool: &spool::Spool, file: &SavedFile) -> Result<Loaded, Message> {
    let pages = Pages::new(u64::from(file.pages()) * PAGE).map_err(message::spool_error)?;
    let mut refused = None;
    let keys = spool.saved.read(file.id, |number, bytes| {
        if bytes.iter().any(|&b| b != 0) {
            let at = offset(file, number);
            refused = refused.take().or(pages.write(at, bytes).err());
        }
    });
    let keys = keys.map_err(|error| message_of(&error))?;
    match refused {
        Some(error) => Err(message::spool_error(error)),
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

impl Use {
    /// Puts the pages into the storage of the virtual machine.
    pub fn attach(&self, configuration: &Configuration) -> Result<(), Message> {
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
            storage.attach(addresses(range), pages, sharing).map_err(message::spool_error)?;
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

/// The virtual machine gives all that it uses back: it is reset for IPL, or goes.
pub fn release_all(vmdbk: &Vmdbk) {
    let used = std::mem::take(&mut *vmdbk.segments());
    if !used.is_empty() {
        let machine = vmdbk.machine();
        used.iter().for_each(|used| used.detach(&machine.configuration));
    }
}

/// SAVESYS, SAVESEG: saves what the skeleton `id` describes from the virtual machine's storage.
pub fn save(cp: &Cp, vmdbk: &Vmdbk, file: &SavedFile, cpu: u16) -> Result<(), Message> {
    let machine = vmdbk.machine();
    let storage = machine.configuration.storage();
    let missing = file.saved_pages().find(|&page| storage.key(Absolute(u64::from(page) * PAGE)).is_err());
    if let Some(page) = missing {
        return Err(message::saved_page(format!("{page:05X}")));
    }
    let registers = match file.kind {
        Kind::System => to_bytes(&machine.configuration.saved_cpu(cpu)),
        Kind::Segment => Vec::new(),
    };
    let key = |page: u32| storage.key(Absolute(u64::from(page) * PAGE)).unwrap_or(0) & 0xf8;
    let page = |page: u32, to: &mut [u8; PAGE as usize]| {
        storage.peek(Absolute(u64::from(page) * PAGE), to).expect("it was looked for before");
    };
    let now = cp.now();
    let older = spooling::with(cp, |spool| {
        spool.saved.save(file.id, registers, now, key, page).map_err(|error| message_of(&error))
    })?;
    older.into_iter().try_for_each(|id| purge(cp, id).map(drop))
}

/// The registers of a saved system in the form in which they are kept.
fn to_bytes(saved: &SavedCpu) -> Vec<u8> {
    let architecture = match saved.architecture {
        Architecture::S370 => 0,
        Architecture::Esa => 1,
        Architecture::Z => 2,
    };
    let words = [architecture, saved.psw.mask, saved.psw.address, saved.prefix];
    let all = words.into_iter().chain(saved.general).chain(saved.control).chain(saved.floating);
    let access = saved.access.iter().flat_map(|ar| ar.to_be_bytes());
    all.flat_map(u64::to_be_bytes).chain(access).collect()
}

/// And back; `None` if that is none.
pub fn from_bytes(bytes: &[u8]) -> Option<SavedCpu> {
    let (long, short) = bytes.split_at_checked((4 + 3 * 16) * 8)?;
    let long: Vec<u64> = long.as_chunks().0.iter().map(|bytes| u64::from_be_bytes(*bytes)).collect();
    let short: Vec<u32> = short.as_chunks().0.iter().map(|bytes| u32::from_be_bytes(*bytes)).collect();
    let registers = |from: usize| long[from..from + 16].try_into().ok();
    Some(SavedCpu {
        architecture: match long[0] {
            0 => Architecture::S370,
            1 => Architecture::Esa,
            2 => Architecture::Z,
            _ => return None,
        },
        psw: Psw { mask: long[1], address: long[2] },
        prefix: long[3],
        general: registers(4)?,
        control: registers(20)?,
        floating: registers(36)?,
        access: short.try_into().ok()?,
    })
}
