//! The translation-lookaside buffer: which page of which address space is which frame.
//!
//! Entries are tagged with the page and with a small number that stands for the space (its ASCE) and the access key.
//! So a change of control register 1, of the key or of the PSW's space bits changes the number that is looked for and
//! drops nothing. Purging everything gives every space a new number.
//!
//! An entry is only there if the access that it allows needs no further check. Protection by key, table or low address
//! was checked when it was made, and the reference and change bits are set.

use super::architecture::Architecture;
use arch::{PAGE, PAGE_MASK};
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};
use storage::{Code, Row, Table};

/// The number of an address space with an access key, in the low 12 bits of tags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Asid(pub u64);

impl Asid {
    /// Never in the TLB: every access takes the slow path.
    pub(crate) const NONE: Asid = Asid(0xfff);
    const LAST: u64 = 0xffe;

    /// Where the window of the space begins in the table.
    #[inline(always)]
    fn window(self) -> usize {
        self.0 as usize % WINDOWS * ROWS
    }
}

/// One translation. A tag that cannot match stands for "no such access": zero, since no space has the number 0, or all
/// ones.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct Entry {
    pub read: u64,
    pub write: u64,
    /// Host address of the frame minus the page's address: add the logical address.
    pub host: u64,
    /// What the storage keeps about code in the frame.
    pub code: *const Code,
}

impl Entry {
    /// Whether instructions were decoded from the frame. The entry's tag must have been found.
    #[inline(always)]
    pub(crate) fn has_code(&self) -> bool {
        // SAFETY: an entry with a tag that can be found was made by `insert` from a frame of the CPU's storage.
        unsafe { (*self.code).is_marked() }
    }
}

/// No space has the number 0, so this tag is never looked for.
const NOWHERE: u64 = 0;
const EMPTY: Entry = Entry { read: NOWHERE, write: NOWHERE, host: 0, code: std::ptr::null() };
/// 256 rows by the low byte of the page number (so that IPTE finds its page), 64 columns by the rest of it. Pages 16
/// MiB from each other, as the two halves of a copy often are, have places of their own.
const ROWS: usize = 256;
const COLUMNS: usize = 64;
/// A space looks through one of so many windows of that size. Each begins a column after the one before. So pages of
/// the same address in several spaces have places of their own.
const WINDOWS: usize = 8;
const PLACES: usize = ROWS * (COLUMNS + WINDOWS - 1);
/// After them, each as far from its window, are entries of pages 0 and 1 for stores that low-address protection allows.
/// Most stores into Linux's prefix area are such. They say nothing about fetches.
const LOW_PAGES: usize = 2;
/// And for each row the entry that was replaced last. A program may go back and forth between two pages of one place:
/// then both are kept. So does a system call where a stack of Linux's lies a multiple of 64 MiB above its own data.
const REPLACED: usize = PLACES + ROWS * (WINDOWS - 1) + LOW_PAGES;
const ALL_PLACES: usize = REPLACED + ROWS;

/// Bits for how often the numbers of a TLB begin anew: with the 12 of a number, the four of a mode and those that tell
/// TLBs apart they are 64.
const RENUMBERED: u32 = 24;

// SAFETY: zeros are `EMPTY`.
unsafe impl Row for Entry {}

/// The places of a TLB. The many virtual CPUs that exist and never run, or have nothing to do, occupy none of their 632
/// KiB.
struct Entries(Table<Entry>);

impl Deref for Entries {
    type Target = [Entry; ALL_PLACES];

    #[inline(always)]
    fn deref(&self) -> &[Entry; ALL_PLACES] {
        // SAFETY: the table has so many rows.
        unsafe { &*self.0.as_ptr().cast() }
    }
}

impl DerefMut for Entries {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [Entry; ALL_PLACES] {
        // SAFETY: as above.
        unsafe { &mut *self.0.as_mut_ptr().cast() }
    }
}

#[derive(Clone, Copy)]
struct Known {
    asce: u64,
    key: u8,
    asid: Asid,
}

/// The TLB of one CPU.
#[repr(C)]
pub(crate) struct Tlb {
    entries: Entries,
    /// For each row, the columns with an entry, so that not all have to be looked at.
    taken: Box<[u128; ROWS]>,
    /// Spaces by a hash of ASCE and key. A space that loses its place gets a new number when it comes back.
    spaces: [Option<Known>; 64],
    next: u64,
    /// Raised whenever something is forgotten.
    epoch: u64,
    /// For each low byte of a page number, how often such pages were forgotten. What was derived from the translation
    /// of a page holds as long as its row's count and its space's number stay the same.
    rows: Box<[u32; ROWS]>,
    /// How often numbers began anew. The left part is the TLB's own: a cache of code may know targets of several CPUs
    /// that a host runs in turn for a guest of its guest, and each has numbers of its own.
    numbering: u64,
    format: (Architecture, u64),
    /// Numbers began anew: those that the CPU remembers for its spaces may now be others'.
    renumbered: bool,
}

/// Stands for real storage, where there is no ASCE. Its low bits are no valid designation type and length.
const REAL: u64 = u64::MAX;

// SAFETY: the pointers in entries lead to atomics in the storage that all CPUs share.
unsafe impl Send for Tlb {}

impl Tlb {
    /// All bits of an entry's distance from the first of its window.
    pub(crate) const PLACES: u64 = ((ROWS * COLUMNS - 1) * size_of::<Entry>()) as u64;

    /// How far after the first entry of a window the entry for stores into page 0 is, in bytes; page 1's comes next.
    pub(crate) const LOW: u64 = (PLACES * size_of::<Entry>()) as u64;

    /// The host's address of the first entry of a space's window. The entries stay where they are as long as the TLB
    /// is.
    pub(crate) fn window(&self, asid: Asid) -> u64 {
        std::ptr::from_ref(&self.entries[asid.window()]) as u64
    }

    pub(crate) fn new() -> Tlb {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let entries = Entries(Table::new(ALL_PLACES).expect("the host has addresses for another table"));
        Tlb {
            entries,
            taken: Box::new([0; ROWS]),
            spaces: [None; 64],
            next: 0,
            epoch: 0,
            rows: Box::new([0; ROWS]),
            numbering: NEXT.fetch_add(1, Ordering::Relaxed) << RENUMBERED,
            format: (Architecture::Esa, 0),
            renumbered: false,
        }
    }

    /// Forgets everything and gives the host its storage back, but for what it remembers of having forgotten.
    pub(crate) fn rest(&mut self) {
        self.purge();
        self.taken.fill(0);
        self.entries.0.vacate();
    }

    /// Forgets everything.
    pub(crate) fn purge(&mut self) {
        self.epoch += 1;
        self.spaces = [None; 64];
    }

    /// Forgets that anything may be stored: the next store into each page is looked up anew.
    pub(crate) fn forbid_stores(&mut self) {
        for row in 0..ROWS {
            self.taken_in(row).for_each(|place| self.entries[place].write = NOWHERE);
            self.entries[REPLACED + row].write = NOWHERE;
        }
        self.forget_low();
    }

    /// The places of a row that may have an entry.
    fn taken_in(&self, row: usize) -> impl Iterator<Item = usize> + use<> {
        let mut columns = self.taken[row];
        std::iter::from_fn(move || {
            let column = columns.trailing_zeros() as usize;
            (columns != 0).then(|| {
                columns &= columns - 1;
                column * ROWS + row
            })
        })
    }

    /// Forgets the pages of a row.
    fn forget_row(&mut self, row: usize) {
        self.taken_in(row).for_each(|place| self.entries[place] = EMPTY);
        self.taken[row] = 0;
        self.entries[REPLACED + row] = EMPTY;
    }

    /// Forgets pages 0 and 1 where only they are.
    fn forget_low(&mut self) {
        for asid in 0..WINDOWS as u64 {
            for page in 0..LOW_PAGES as u64 {
                let entry = &mut self.entries[Self::low_index(page * PAGE, Asid(asid))];
                if entry.read | entry.write != NOWHERE {
                    *entry = EMPTY;
                }
            }
        }
    }

    /// What of the mode decides how tables are read: a change purges.
    pub(crate) fn set_format(&mut self, architecture: Architecture, cr0: u64) {
        use super::control::cr0::*;
        let bits = cr0
            & (LOW_ADDRESS_PROTECTION
                | FETCH_PROTECTION_OVERRIDE
                | STORAGE_PROTECTION_OVERRIDE
                | ENHANCED_DAT
                | 0x00f8_0000);
        if self.format != (architecture, bits) {
            self.format = (architecture, bits);
            self.purge();
        }
    }

    /// The number of the space with this ASCE, for accesses with `key`.
    #[inline]
    pub(crate) fn space(&mut self, asce: u64, key: u8) -> Asid {
        let slot = ((asce >> 12 ^ asce >> 18 ^ key as u64) & 63) as usize;
        match self.spaces[slot] {
            Some(known) if known.asce == asce && known.key == key => known.asid,
            _ => self.new_space(slot, asce, key),
        }
    }

    /// What stands for an access key in a space's pages that instructions come from, where operands' are kept apart.
    pub(crate) fn instructions(key: u8) -> u8 {
        key | 0x20
    }

    /// Whether numbers began anew since this was asked last.
    #[inline]
    pub(crate) fn take_renumbered(&mut self) -> bool {
        std::mem::take(&mut self.renumbered)
    }

    /// Changes whenever a translation may have been forgotten: what was derived from translations holds as long as it
    /// stays the same.
    #[inline(always)]
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch
    }

    /// How often numbers of spaces began anew, and which TLB it is.
    #[inline(always)]
    pub(crate) fn numbering(&self) -> u64 {
        self.numbering
    }

    /// How often the page of `address`, or one like it, was forgotten.
    #[inline(always)]
    pub(crate) fn forgotten(&self, address: u64) -> u32 {
        self.rows[(address >> 12) as usize & (ROWS - 1)]
    }

    /// The host's address of those counts, which stay where they are as long as the TLB is.
    pub(crate) fn rows(&self) -> u64 {
        self.rows.as_ptr() as u64
    }

    /// The number of real storage.
    pub(crate) fn real_space(&mut self, key: u8) -> Asid {
        self.space(REAL, key)
    }

    #[cold]
    fn new_space(&mut self, slot: usize, asce: u64, key: u8) -> Asid {
        if self.next == Asid::LAST {
            for row in 0..ROWS {
                self.forget_row(row);
            }
            self.forget_low();
            self.spaces = [None; 64];
            self.next = 0;
            self.numbering += 1;
            self.epoch += 1;
            self.renumbered = true;
        }
        self.next += 1;
        let asid = Asid(self.next);
        self.spaces[slot] = Some(Known { asce, key, asid });
        asid
    }

    #[inline(always)]
    fn index(address: u64, asid: Asid) -> usize {
        asid.window() + ((address >> 12) as usize & (ROWS * COLUMNS - 1))
    }

    /// The place where the page of `address` in `asid` would be.
    #[inline(always)]
    pub(crate) fn entry(&self, address: u64, asid: Asid) -> &Entry {
        &self.entries[Self::index(address, asid)]
    }

    fn low_index(address: u64, asid: Asid) -> usize {
        PLACES + asid.window() + (address / PAGE) as usize % LOW_PAGES
    }

    /// The place for what may be stored into page 0 or 1 after its first 512 bytes.
    #[inline(always)]
    pub(crate) fn low(&self, address: u64, asid: Asid) -> &Entry {
        &self.entries[Self::low_index(address, asid)]
    }

    /// Notes that page 0 or 1 is the frame at `host`, and may be stored into after its first 512 bytes.
    pub(crate) fn insert_low(&mut self, address: u64, asid: Asid, host: u64, code: *const Code) {
        if asid != Asid::NONE {
            let host = host.wrapping_sub(address & PAGE_MASK);
            self.entries[Self::low_index(address, asid)] =
                Entry { read: NOWHERE, write: Self::tag(address, asid), host, code };
        }
    }

    /// What `Entry::read` or `Entry::write` holds for that page.
    #[inline(always)]
    pub(crate) fn tag(address: u64, asid: Asid) -> u64 {
        address & PAGE_MASK | asid.0
    }

    /// The tag that an operand of `len` bytes looks for at the place of its first byte's page: that of its last byte.
    /// So an operand that crosses into another page finds nothing.
    #[inline(always)]
    pub(crate) fn tag_of_operand(address: u64, len: usize, asid: Asid) -> u64 {
        Self::tag(address.wrapping_add(len as u64 - 1), asid)
    }

    /// Notes that the page of `address` is the frame at `host`; with write access too if `write`. `code` lives as long
    /// as the frame.
    pub(crate) fn insert(&mut self, address: u64, asid: Asid, host: u64, code: *const Code, write: bool) {
        if asid == Asid::NONE {
            return;
        }
        let place = Self::index(address, asid);
        let tag = Self::tag(address, asid);
        let before = self.entries[place];
        if before.read != NOWHERE && before.read != tag {
            self.entries[REPLACED + place % ROWS] = before;
        }
        self.taken[place % ROWS] |= 1 << (place / ROWS);
        let entry = &mut self.entries[place];
        let host = host.wrapping_sub(address & PAGE_MASK);
        let write = write || entry.read == tag && entry.write == tag && entry.host == host;
        *entry = Entry { read: tag, write: if write { tag } else { NOWHERE }, host, code };
    }

    /// If the entry of that page, good for a fetch or for a store, is what another one has replaced last, the two
    /// change places.
    pub(crate) fn recall(&mut self, address: u64, asid: Asid, store: bool) -> Option<Entry> {
        let place = Self::index(address, asid);
        let kept = REPLACED + place % ROWS;
        let entry = self.entries[kept];
        let found = if store { entry.write } else { entry.read };
        (found == Self::tag(address, asid)).then(|| {
            self.entries.swap(place, kept);
            self.taken[place % ROWS] |= 1 << (place / ROWS);
            entry
        })
    }

    /// Forgets the page with these low eight bits of the page number, in all spaces and segments.
    pub(crate) fn purge_page(&mut self, address: u64) {
        let row = (address >> 12) as usize & (ROWS - 1);
        self.forget_row(row);
        if row < LOW_PAGES {
            self.forget_low();
        }
        self.rows[row] = self.rows[row].wrapping_add(1);
        self.epoch += 1;
    }

    /// Forgets all pages of the spaces with this ASCE, whatever the key (IDTE by ASCE).
    pub(crate) fn purge_space(&mut self, asce: u64) {
        self.epoch += 1;
        for known in &mut self.spaces {
            if known.is_some_and(|k| (k.asce ^ asce) & PAGE_MASK == 0) {
                *known = None;
            }
        }
    }
}
