//! Absolute storage of one configuration: its bytes, its storage keys, and the marks that say where code was decoded.
//!
//! Guest storage is written by several CPUs and by channel programs at once, so it is never borrowed. No `&mut [u8]`
//! leads into it: there are only copies in and out, and atomics for interlocked updates. Bytes are big-endian, as the
//! guest left them; the typed accessors convert.
//!
//! **Code marks.** An engine that decodes instructions of a frame marks the doublewords it read. A store into a marked
//! doubleword raises the frame's version, and blocks remember the version they were decoded at. So a block is valid if
//! its version is the frame's, and self-modifying code costs other frames nothing. Doublewords, not larger pieces:
//! Linux returns to programs through an instruction among the busiest fields of its prefix area.
//!
//! A store looks at the marks after it has stored, and decoding reads the text after it has marked. Between the two
//! there is a fence on either side, so one sees the other. Only CPUs that store into frames *without* marks look before
//! the store (or at what they have found out some instructions ago). So when a frame gets its first mark, the engine
//! first has every CPU of the configuration pass between two instructions. Only then it reads the text
//! ([`Watched::first`], [`Storage::watched`]).
//!
//! **Two views.** `load` and `store` are a CPU's own, as is what it does through [`Storage::frame`]. `read` and `write`
//! are for all others, and know nothing of a transaction that may yet be undone ([`Storage::isolate`]).
//!
//! Storage comes from one anonymous mapping without reserve: untouched pages cost no host memory. [`Pages`] can take
//! the place of parts of it, and lie after its end as well: so several configurations share pages
//! ([`Storage::attach`]). With a [`Pager`], pages can be away: see [`Storage::set_pager`].

mod attached;
mod foresight;
mod heap;
mod isolation;
mod mapping;
pub mod order;
mod paged;
mod pages;
mod table;

pub use attached::Sharing;
pub use heap::give_back_free;
pub use paged::{Lost, Pager, Uses};
pub use pages::Pages;
pub use table::{Row, Table};

use arch::{Absolute, PAGE};
use base::layout::{U16, U32, U64};
use isolation::{Isolation, common};
use mapping::Mapping;
use std::io;
use std::sync::atomic::{
    AtomicU8, AtomicU64,
    Ordering::{Relaxed, SeqCst},
    fence,
};
use std::sync::{Mutex, OnceLock};
use zerocopy::{FromBytes, IntoBytes};

/// An address outside the configuration's storage (an addressing exception, or a program check of the channel).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotAvailable(pub Absolute);

impl std::fmt::Display for NotAvailable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "absolute address {:X} is not available in this configuration", self.0.0)
    }
}

/// Storage key bits as ISKE shows them: access key, fetch protection, reference, change.
pub mod key {
    /// ACC: the access-control bits.
    pub const ACCESS: u8 = 0xf0;
    /// F: fetches are protected, too.
    pub const FETCH: u8 = 0x08;
    /// R: the frame was referred to.
    pub const REFERENCE: u8 = 0x04;
    /// C: something was stored into the frame.
    pub const CHANGE: u8 = 0x02;
    /// What of a byte is the guest's key.
    pub(crate) const ALL: u8 = 0xfe;
    /// The frame was referred to since [`crate::Storage::forget_references`].
    pub(crate) const REFERRED: u8 = 0x01;
}

/// How many pages were referred to: those of the configuration's own, and shared ones.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct References {
    /// Pages of the configuration's own.
    pub own: u64,
    /// Others have them, too.
    pub shared: u64,
}

/// What the engines keep about a frame's code: on the right its version, raised by each store into marked bytes; on the
/// left whether any doubleword of it is marked.
#[derive(Default)]
pub struct Code(AtomicU64);

/// A doubleword is marked, and some CPU may not have noticed.
const NEWS: u64 = 1 << 32;
/// A doubleword is marked, and all CPUs know.
const KNOWN: u64 = 2 << 32;
const MARKED: u64 = NEWS | KNOWN;
/// Other configurations store into the page as well, and their CPUs are not waited for: stores are told, marked or not.
const TOLD: u64 = 4 << 32;

impl Code {
    /// Whether instructions were decoded from the frame, or others may have decoded some: then a store into it must be
    /// told ([`Storage::stored`]).
    #[inline(always)]
    pub fn is_marked(&self) -> bool {
        self.0.load(Relaxed) & (MARKED | TOLD) != 0
    }

    fn set_told(&self, told: bool) {
        let _ = if told { self.0.fetch_or(TOLD, SeqCst) } else { self.0.fetch_and(!TOLD, SeqCst) };
    }

    /// Where a 32-bit host word with the version, and a byte that is not 0 if the frame is marked, stand within it.
    pub const VERSION_AT: usize = if cfg!(target_endian = "little") { 0 } else { 4 };
    /// Where the byte stands that is not 0 if the frame is marked.
    pub const MARKED_AT: usize = if cfg!(target_endian = "little") { 4 } else { 3 };

    /// As [`Storage::code_version`].
    #[inline(always)]
    pub fn version(&self) -> u32 {
        self.0.load(Relaxed) as u32
    }
}

/// Bytes of a frame are marked as decoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Watched {
    /// The frame's version.
    pub version: u32,
    /// Other CPUs may take the frame for one without marks for some instructions more. Have each pass between two
    /// instructions, then call [`Storage::watched`], before the text is read.
    pub first: bool,
}

/// The storage of a configuration.
pub struct Storage {
    bytes: Mapping,
    keys: Table<AtomicU8>,
    /// What the guest says of each page's use (collaborative memory management): see [`Storage::set_page_state`].
    states: Table<AtomicU8>,
    code: Table<Code>,
    /// A bit for each doubleword that instructions were decoded from; `MARKS` words for each frame.
    marks: Table<AtomicU64>,
    isolation: Isolation,
    /// What is attached in each frame there is room for: see [`Storage::attach`].
    attached: Table<AtomicU8>,
    attached_ranges: Mutex<Vec<attached::Attached>>,
    paged: OnceLock<paged::Paged>,
}

const MARKS: usize = (PAGE / 8 / 64) as usize;

/// Which of a frame's words of marks `len` bytes at `offset` in it belong to, and which bits in them.
fn marks_of(offset: u64, len: u64) -> impl Iterator<Item = (usize, u64)> {
    let (first, last) = (offset / 8, (offset + len - 1) / 8);
    (first / 64..=last / 64).map(move |word| {
        let from = first.max(word * 64) % 64;
        let to = last.min(word * 64 + 63) % 64;
        (word as usize, u64::MAX << from & u64::MAX >> (63 - to))
    })
}

impl Storage {
    /// Storage of `size` bytes, rounded up to a page, all zero, all keys zero.
    pub fn new(size: u64) -> io::Result<Storage> {
        Storage::with_room(size, 0)
    }

    /// As [`Storage::new`], and pages can be attached at addresses below `room`.
    pub fn with_room(size: u64, room: u64) -> io::Result<Storage> {
        let size = size.next_multiple_of(PAGE);
        let room = room.next_multiple_of(PAGE).max(size);
        let frames = (room / PAGE) as usize;
        Ok(Storage {
            bytes: Mapping::new(size as usize, room as usize)?,
            // Ten bytes and the marks for a frame, of which the host gives none before they are used.
            keys: Table::new(frames)?,
            states: Table::new(frames)?,
            code: Table::new(frames)?,
            marks: Table::new(frames * MARKS)?,
            isolation: Isolation::default(),
            attached: Table::new(frames)?,
            attached_ranges: Mutex::default(),
            paged: OnceLock::new(),
        })
    }

    /// Size in bytes, a multiple of the page size.
    pub fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn check(&self, a: Absolute, len: usize) -> Result<(), NotAvailable> {
        match a.0.checked_add(len as u64) {
            Some(end) if end <= self.size() => Ok(()),
            end => self.check_attached(a, end),
        }
    }

    /// Copies `to.len()` bytes out of storage and marks their frames as referenced.
    pub fn read(&self, a: Absolute, to: &mut [u8]) -> Result<(), NotAvailable> {
        if let Some(_inside) = self.isolation.enter() {
            return self.load(a, to);
        }
        let kept = self.isolation.kept();
        self.load(a, to)?;
        for (frame, copy) in kept.iter() {
            if let Some((there, here)) = common(*frame, a.0, to.len()) {
                to[here].copy_from_slice(&copy[there]);
            }
        }
        Ok(())
    }

    /// [`Storage::read`] by a CPU, which sees what its transaction has stored.
    pub fn load(&self, a: Absolute, to: &mut [u8]) -> Result<(), NotAvailable> {
        self.check(a, to.len())?;
        if to.is_empty() {
            return Ok(());
        }
        self.touch(a, to.len(), key::REFERENCE);
        self.peek(a, to)
    }

    /// Copies `to.len()` bytes out of storage without being seen: no frame becomes referenced.
    pub fn peek(&self, a: Absolute, to: &mut [u8]) -> Result<(), NotAvailable> {
        self.check(a, to.len())?;
        self.in_pieces(a, to.len(), false, |at, part| {
            let to = &mut to[part];
            // SAFETY: the range was checked to lie in the mapping; others make bytes torn, never unsound to copy.
            unsafe { std::ptr::copy_nonoverlapping(self.bytes.at(at), to.as_mut_ptr(), to.len()) }
        })?;
        order::fetched();
        Ok(())
    }

    /// Whether the frame that begins at `a` has these contents now. The look leaves no trace in the storage key.
    pub fn holds(&self, a: Absolute, page: &[u8; PAGE as usize]) -> Result<bool, NotAvailable> {
        self.check(a, page.len())?;
        let _there = self.hold(a.0 / PAGE, false)?;
        let now = self.bytes.at(a.0).cast::<[u8; 64]>();
        // SAFETY: the whole frame was checked to lie in the mapping; pieces are copied out, torn or not.
        let same = |(n, piece): (usize, &[u8; 64])| unsafe { now.add(n).read_unaligned() } == *piece;
        Ok(page.as_chunks::<64>().0.iter().enumerate().all(same))
    }

    /// Copies `from` into storage, marks its frames as referenced and changed, and makes code there stale.
    pub fn write(&self, a: Absolute, from: &[u8]) -> Result<(), NotAvailable> {
        if let Some(_inside) = self.isolation.enter() {
            return self.store(a, from);
        }
        let mut kept = self.isolation.kept();
        self.store(a, from)?;
        for (frame, copy) in kept.iter_mut() {
            if let Some((there, here)) = common(*frame, a.0, from.len()) {
                copy[there].copy_from_slice(&from[here]);
            }
        }
        self.isolation.disturb();
        Ok(())
    }

    /// [`Storage::write`] by a CPU, which an abort undoes if its frame has been kept.
    pub fn store(&self, a: Absolute, from: &[u8]) -> Result<(), NotAvailable> {
        self.check(a, from.len())?;
        if from.is_empty() {
            return Ok(());
        }
        self.touch(a, from.len(), key::REFERENCE | key::CHANGE);
        order::storing();
        self.in_pieces(a, from.len(), true, |at, part| {
            let from = &from[part];
            // SAFETY: as in `peek`.
            unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), self.bytes.at(at), from.len()) }
        })?;
        // A writer that is no CPU never passes between two instructions: so it looks at the mark after its store.
        fence(SeqCst);
        self.stored(a, from.len());
        Ok(())
    }

    /// Turns bits of a byte on, as one access with no other between its parts, and returns the byte as it was. For all
    /// but CPUs.
    pub fn or_byte(&self, a: Absolute, bits: u8) -> Result<u8, NotAvailable> {
        let or = || {
            self.check(a, 1)?;
            self.touch(a, 1, key::REFERENCE | key::CHANGE);
            order::storing();
            let _there = self.hold(a.0 / PAGE, true)?;
            // SAFETY: the byte was checked to lie in the mapping, and CPUs change it by atomics or plain stores.
            let before = unsafe { AtomicU8::from_ptr(self.bytes.at(a.0)) }.fetch_or(bits, SeqCst);
            self.stored(a, 1);
            Ok(before)
        };
        if let Some(_inside) = self.isolation.enter() {
            return or();
        }
        let mut kept = self.isolation.kept();
        let mut before = or()?;
        for (frame, copy) in kept.iter_mut() {
            if let Some((there, _)) = common(*frame, a.0, 1) {
                before = copy[there.start];
                copy[there.start] |= bits;
            }
        }
        self.isolation.disturb();
        Ok(before)
    }

    /// Whether `len` bytes at `a` are storage of this configuration.
    pub fn contains(&self, a: Absolute, len: u64) -> bool {
        usize::try_from(len).is_ok_and(|len| self.check(a, len).is_ok())
    }

    fn touch(&self, a: Absolute, len: usize, bits: u8) {
        if len == 0 {
            return;
        }
        for frame in a.0 / PAGE..=(a.0 + len as u64 - 1) / PAGE {
            self.mark_key(Absolute(frame * PAGE), bits);
        }
    }

    /// All of these `len` bytes will be written soon: where that takes the host some time, it begins now.
    pub fn expect(&self, a: Absolute, len: u64) {
        self.bytes.expect(a.0..a.0 + len);
    }

    /// A layout that lies at `a`, for a CPU.
    fn load_layout<T: FromBytes + IntoBytes>(&self, a: Absolute) -> Result<T, NotAvailable> {
        let mut layout = T::new_zeroed();
        self.load(a, layout.as_mut_bytes())?;
        Ok(layout)
    }

    /// The word at `a`, for a CPU.
    pub fn load_u32(&self, a: Absolute) -> Result<u32, NotAvailable> {
        self.load_layout(a).map(U32::get)
    }

    /// The doubleword at `a`, for a CPU.
    pub fn load_u64(&self, a: Absolute) -> Result<u64, NotAvailable> {
        self.load_layout(a).map(U64::get)
    }

    /// Stores a word, for a CPU.
    pub fn store_u32(&self, a: Absolute, v: u32) -> Result<(), NotAvailable> {
        self.store(a, U32::new(v).as_bytes())
    }

    /// Stores a doubleword, for a CPU.
    pub fn store_u64(&self, a: Absolute, v: u64) -> Result<(), NotAvailable> {
        self.store(a, U64::new(v).as_bytes())
    }

    /// A layout that lies at `a`. A layout is stored by [`Storage::write`] of its bytes.
    pub fn read_layout<T: FromBytes + IntoBytes>(&self, a: Absolute) -> Result<T, NotAvailable> {
        let mut layout = T::new_zeroed();
        self.read(a, layout.as_mut_bytes())?;
        Ok(layout)
    }

    /// Bytes of storage as an array.
    pub fn read_array<const N: usize>(&self, a: Absolute) -> Result<[u8; N], NotAvailable> {
        self.read_layout(a)
    }

    /// The halfword at `a`.
    pub fn read_u16(&self, a: Absolute) -> Result<u16, NotAvailable> {
        self.read_layout(a).map(U16::get)
    }

    /// The word at `a`.
    pub fn read_u32(&self, a: Absolute) -> Result<u32, NotAvailable> {
        self.read_layout(a).map(U32::get)
    }

    /// The doubleword at `a`.
    pub fn read_u64(&self, a: Absolute) -> Result<u64, NotAvailable> {
        self.read_layout(a).map(U64::get)
    }

    /// Stores a word.
    pub fn write_u32(&self, a: Absolute, v: u32) -> Result<(), NotAvailable> {
        self.write(a, U32::new(v).as_bytes())
    }

    /// Stores a doubleword.
    pub fn write_u64(&self, a: Absolute, v: u64) -> Result<(), NotAvailable> {
        self.write(a, U64::new(v).as_bytes())
    }

    /// The host address of the frame that holds `a`, for the CPU's access path, whose page is there to be fetched from
    /// or stored into. Everything read or written through it is shared with other CPUs and channel programs. The
    /// address is valid as long as the storage is. The page is there until the CPU has purged its TLB.
    pub fn frame(&self, a: Absolute, store: bool) -> Result<*mut u8, NotAvailable> {
        let host = self.place(a)?;
        if self.paged.get().is_some() {
            self.have(a.0 / PAGE, store)?;
        }
        Ok(host)
    }

    /// The host address of the frame that holds `a`, whether its page is there or not.
    pub fn place(&self, a: Absolute) -> Result<*mut u8, NotAvailable> {
        self.check(a, 1)?;
        Ok(self.bytes.at(a.0 & arch::PAGE_MASK))
    }

    /// The host address of absolute 0; frames lie after it without gaps.
    pub fn base(&self) -> *mut u8 {
        self.bytes.at(0)
    }

    /// The storage key of the frame that holds `a`: access key, fetch, reference and change bits (see [`key`]).
    pub fn key(&self, a: Absolute) -> Result<u8, NotAvailable> {
        self.check(a, 1)?;
        Ok(self.keys[(a.0 / PAGE) as usize].load(Relaxed) & key::ALL)
    }

    /// Sets the storage key of the frame that holds `a` and returns the old one.
    pub fn set_key(&self, a: Absolute, key: u8) -> Result<u8, NotAvailable> {
        self.check(a, 1)?;
        let cell = &self.keys[(a.0 / PAGE) as usize];
        let referred = cell.load(Relaxed) & key::REFERRED;
        Ok(cell.swap(key & key::ALL | referred, Relaxed) & key::ALL)
    }

    /// Turns key bits on (`reference`, `change`) in the frame that holds `a`; the frame must exist.
    pub fn mark_key(&self, a: Absolute, bits: u8) {
        let (key, bits) = (&self.keys[(a.0 / PAGE) as usize], bits | key::REFERRED);
        if key.load(Relaxed) & bits != bits {
            key.fetch_or(bits, Relaxed);
            if bits & key::CHANGE != 0 {
                self.bytes.reached(a.0);
            }
        }
    }

    /// Turns key bits off and returns the key as it was (RRBE).
    pub fn clear_key_bits(&self, a: Absolute, bits: u8) -> Result<u8, NotAvailable> {
        self.check(a, 1)?;
        Ok(self.keys[(a.0 / PAGE) as usize].fetch_and(!(bits & key::ALL), Relaxed) & key::ALL)
    }

    /// Has [`Storage::references`] count from nothing. What CPUs remember of translations must be purged afterwards: a
    /// page is counted when it is next looked for.
    pub fn forget_references(&self) {
        for cell in self.keys.iter().filter(|cell| cell.load(Relaxed) & key::REFERRED != 0) {
            cell.fetch_and(!key::REFERRED, Relaxed);
        }
    }

    /// The pages that CPUs, channel programs or CP have referred to. No reference bit of the guest's has anything to do
    /// with it.
    pub fn references(&self) -> References {
        let referred = |frame: &usize| self.keys[*frame].load(Relaxed) & key::REFERRED != 0;
        (0..self.keys.len()).filter(referred).fold(References::default(), |mut sum, frame| {
            match self.is_shared(Absolute(frame as u64 * PAGE)) {
                true => sum.shared += 1,
                false => sum.own += 1,
            }
            sum
        })
    }

    /// Sets what the guest says of the use of the frame that holds `a`, and returns what it was; with `None` it stays.
    /// EXTRACT AND SET STORAGE ATTRIBUTES has 0 stable, 1 unused, 2 potentially volatile, 3 volatile. 8 is added for a
    /// frame without dynamic address translation. Clear reset makes all frames stable.
    pub fn set_page_state(&self, a: Absolute, state: Option<u8>) -> Result<u8, NotAvailable> {
        self.check(a, 1)?;
        let cell = &self.states[(a.0 / PAGE) as usize];
        Ok(match state {
            Some(state) => cell.swap(state, Relaxed),
            None => cell.load(Relaxed),
        })
    }

    fn marks_of_frame(&self, frame: u64) -> &[AtomicU64] {
        &self.marks[frame as usize * MARKS..][..MARKS]
    }

    /// Marks `len` bytes at `a` (at least one, within one frame) as decoded. The version stands for what is read of
    /// them after this. If other configurations store into the page, too, the marks are set in their storage as well.
    pub fn mark_code(&self, a: Absolute, len: usize) -> Watched {
        self.in_all(a.0 / PAGE, |storage, frame| storage.mark_own_code(Absolute(frame * PAGE + a.0 % PAGE), len))
    }

    fn mark_own_code(&self, a: Absolute, len: usize) -> Watched {
        let code = &self.code(a).0;
        let marks = self.marks_of_frame(a.0 / PAGE);
        loop {
            for (word, bits) in marks_of(a.0 % PAGE, len as u64) {
                marks[word].fetch_or(bits, SeqCst);
            }
            let marked = |seen: u64| seen | if seen & TOLD == 0 { NEWS } else { KNOWN };
            let seen = code.fetch_update(SeqCst, SeqCst, |seen| (seen & MARKED == 0).then_some(marked(seen)));
            let now = seen.map_or_else(|seen| seen, marked);
            // Another CPU that stores into the frame's code takes all marks away before it raises the version.
            let there = |(word, bits): (usize, u64)| marks[word].load(SeqCst) & bits == bits;
            if marks_of(a.0 % PAGE, len as u64).all(there) && code.load(SeqCst) as u32 == now as u32 {
                fence(SeqCst);
                return Watched { version: now as u32, first: now & MARKED == NEWS };
            }
        }
    }

    /// All CPUs have passed between two instructions since `mark_code` gave this for the frame that holds `a`.
    pub fn watched(&self, a: Absolute, watched: Watched) {
        // If it has another version by now, its marks are new ones, and this is called for those, too.
        let version = u64::from(watched.version);
        let _ = self.code(a).0.compare_exchange(version | NEWS, version | KNOWN, SeqCst, SeqCst);
    }

    /// What is known of code in the frame that holds `a`, which must exist; it stays at its place as long as the
    /// storage.
    #[inline(always)]
    pub fn code(&self, a: Absolute) -> &Code {
        &self.code[(a.0 / PAGE) as usize]
    }

    /// The absolute address of a byte that lies at `host`, an address got from [`Storage::frame`].
    #[inline(always)]
    pub fn absolute_of(&self, host: *const u8) -> Absolute {
        Absolute(host as u64 - self.bytes.at(0) as u64)
    }

    /// The version of the code of the frame that holds `a`; the frame must exist.
    #[inline(always)]
    pub fn code_version(&self, a: Absolute) -> u32 {
        self.code(a).version()
    }

    /// To be called after a store of `len` bytes at `a` that went through [`Storage::frame`]. True if decoded
    /// instructions were among them: what follows in the block being executed may be stale.
    #[inline(always)]
    pub fn stored(&self, a: Absolute, len: usize) -> bool {
        if self.code(a).is_marked() || a.0 % PAGE + len as u64 > PAGE { self.stored_slow(a, len) } else { false }
    }

    #[cold]
    fn stored_slow(&self, a: Absolute, len: usize) -> bool {
        if len == 0 {
            return false;
        }
        // The other half is `mark_code`: the store comes before the look at the marks.
        fence(SeqCst);
        let mut stale = false;
        let end = a.0 + len as u64;
        for frame in a.0 / PAGE..=(end - 1) / PAGE {
            let code = &self.code[frame as usize];
            if !code.is_marked() {
                continue;
            }
            let from = a.0.max(frame * PAGE);
            let to = end.min((frame + 1) * PAGE);
            let marks = self.marks_of_frame(frame);
            if marks_of(from % PAGE, to - from).any(|(word, bits)| marks[word].load(Relaxed) & bits != 0) {
                // Every block of the frame becomes stale; those still wanted are decoded and marked again.
                self.in_all(frame, Storage::forget_code);
                stale = true;
            }
        }
        stale
    }

    fn forget_code(&self, frame: u64) {
        for marks in self.marks_of_frame(frame) {
            marks.store(0, SeqCst);
        }
        let next = |seen: u64| Some(seen & TOLD | u64::from((seen as u32).wrapping_add(1)));
        let _ = self.code[frame as usize].0.fetch_update(SeqCst, SeqCst, next);
    }

    /// Zeroes the pages from `first` to `last` (addresses within them) and gives their memory back to the host.
    pub fn discard(&self, first: Absolute, last: Absolute) -> Result<(), NotAvailable> {
        self.check(last, 1)?;
        let start = first.0 & arch::PAGE_MASK;
        if start > last.0 {
            return Ok(());
        }
        self.check(Absolute(start), (last.0 - start) as usize)?;
        let len = (last.0 & arch::PAGE_MASK) + PAGE - start;
        let zero = || {
            self.blank(start..start + len, &mut || {
                if !self.zero_attached(start..start + len) {
                    self.bytes.zero(start as usize, len as usize);
                    fence(SeqCst);
                    self.stored(Absolute(start), len as usize);
                }
            });
        };
        if let Some(_inside) = self.isolation.enter() {
            zero();
            return Ok(());
        }
        let mut kept = self.isolation.kept();
        zero();
        for (_, copy) in kept.iter_mut().filter(|(frame, _)| (start..start + len).contains(frame)) {
            copy.fill(0);
        }
        self.isolation.disturb();
        Ok(())
    }

    /// How many pages of it the host keeps in its own storage now: those that were touched and not given back.
    pub fn resident_pages(&self) -> u64 {
        self.bytes.resident()
    }

    /// Clear reset: all bytes zero, all keys zero, all code stale, nothing attached.
    pub fn clear(&self) {
        assert!(self.kept_frames() == 0, "a reset has ended any transaction");
        self.detach_all().expect("pages of ours are mapped anew");
        self.replace(0..self.size(), &mut || self.bytes.zero(0, self.bytes.len()));
        // What was never touched is not touched now: it would occupy host storage.
        let frames = self.bytes.len() / PAGE as usize;
        for cell in self.keys[..frames].iter().chain(&self.states[..frames]) {
            if cell.load(Relaxed) != 0 {
                cell.store(0, Relaxed);
            }
        }
        for frame in 0..frames as u64 {
            if self.code[frame as usize].is_marked() {
                self.forget_code(frame);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_big_endian_and_bounded() {
        let s = Storage::new(10_000).unwrap();
        assert_eq!(s.size(), 12_288);
        s.write_u32(Absolute(4094), 0x0102_0304).unwrap();
        assert_eq!(s.read_u16(Absolute(4095)), Ok(0x0203));
        assert_eq!(s.read_u64(Absolute(12_281)), Err(NotAvailable(Absolute(12_281))));
        assert_eq!(s.write(Absolute(12_288), &[]), Ok(()), "nothing, at the very end");
        assert_eq!(s.write(Absolute(u64::MAX), &[1, 2]), Err(NotAvailable(Absolute(u64::MAX))));
        assert_eq!(s.key(Absolute(4096)), Ok(key::REFERENCE | key::CHANGE));
    }

    #[test]
    fn pages_that_are_referred_to_are_counted_beside_the_guests_bits() {
        let s = std::sync::Arc::new(Storage::with_room(4 * PAGE, 8 * PAGE).unwrap());
        s.attach(6 * PAGE..7 * PAGE, Some((&Pages::new(PAGE).unwrap(), 0)), Sharing::ReadOnly).unwrap();
        s.write(Absolute(PAGE), &[1]).unwrap();
        s.read_u16(Absolute(6 * PAGE)).unwrap();
        assert_eq!(s.references(), References { own: 1, shared: 1 });
        s.forget_references();
        assert_eq!(s.references(), References::default());
        assert_eq!(s.key(Absolute(PAGE)), Ok(key::REFERENCE | key::CHANGE));
        s.mark_key(Absolute(PAGE), key::REFERENCE);
        assert_eq!(s.set_key(Absolute(PAGE), 0xff), Ok(key::REFERENCE | key::CHANGE));
        assert_eq!(s.clear_key_bits(Absolute(PAGE), key::REFERENCE), Ok(0xfe));
        assert_eq!((s.key(Absolute(PAGE)), s.references().own), (Ok(0xfa), 1));
    }

    #[test]
    fn a_store_into_decoded_bytes_makes_the_frame_stale() {
        let s = Storage::new(3 * PAGE).unwrap();
        let version = s.mark_code(Absolute(PAGE + 0x100), 20).version;
        s.write(Absolute(PAGE + 0xf8), &[0; 8]).unwrap();
        s.write(Absolute(PAGE + 0x118), &[0; 0x200]).unwrap();
        assert_eq!(s.code_version(Absolute(PAGE)), version, "beside the code");
        s.write(Absolute(PAGE - 4), &[0; 261]).unwrap();
        assert_ne!(s.code_version(Absolute(PAGE)), version, "one byte into it, across the boundary");
        let version = s.mark_code(Absolute(PAGE + 0x1fe), 6).version;
        s.write(Absolute(PAGE + 0x203), &[0]).unwrap();
        assert_ne!(s.code_version(Absolute(PAGE)), version, "the last byte, in another word of marks");
    }

    #[test]
    fn the_first_mark_of_a_frame_is_news_until_all_have_come_by() {
        let s = Storage::new(2 * PAGE).unwrap();
        let code = s.code(Absolute(PAGE));
        let first = s.mark_code(Absolute(PAGE), 8);
        assert_eq!((first.first, code.is_marked()), (true, true));
        assert!(s.mark_code(Absolute(PAGE + 64), 8).first, "somebody else decodes there before they have");
        s.watched(Absolute(PAGE), first);
        assert_eq!(s.mark_code(Absolute(PAGE + 128), 8), Watched { first: false, ..first });
        s.write(Absolute(PAGE + 128), &[1]).unwrap();
        assert_eq!((code.is_marked(), code.version()), (false, first.version + 1));
        let again = s.mark_code(Absolute(PAGE), 8);
        assert_eq!(again, Watched { version: first.version + 1, first: true });
        s.watched(Absolute(PAGE), first);
        assert!(s.mark_code(Absolute(PAGE), 8).first, "they came by before it was marked again");
    }

    #[test]
    fn a_transaction_is_undone_and_nothing_else() {
        let s = Storage::new(3 * PAGE).unwrap();
        let at = |n: u64| Absolute(PAGE + n);
        s.write(at(0), &[1; 16]).unwrap();
        s.isolate();
        s.keep_frame(PAGE);
        s.store(at(0), &[2; 8]).unwrap();
        let mut all = [0; 24];
        s.read(at(0), &mut all).unwrap();
        assert_eq!(all[..17], [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0], "nobody else sees it");
        s.load(at(0), &mut all).unwrap();
        assert_eq!((all[7], all[8], s.is_disturbed()), (2, 1, false));
        assert!(s.settle(false), "it stays");
        assert_eq!(s.read_u64(at(0)), Ok(0x0202_0202_0202_0202));
        // Something else stores into the same frame, and over its end.
        s.isolate();
        s.keep_frame(PAGE);
        s.keep_frame(PAGE);
        s.store(at(0), &[3; 8]).unwrap();
        s.write(at(4), &[4; 8]).unwrap();
        s.write(Absolute(2 * PAGE - 4), &[5; 8]).unwrap();
        assert_eq!((s.kept_frames(), s.is_disturbed(), s.settle(false)), (1, true, false));
        assert_eq!(s.read_array(at(0)), Ok([2, 2, 2, 2, 4, 4, 4, 4, 4, 4, 4, 4, 1]));
        assert_eq!(s.read_u64(Absolute(2 * PAGE - 4)), Ok(0x0505_0505_0505_0505));
        s.isolate();
        s.keep_frame(PAGE);
        s.store(at(0), &[6; 8]).unwrap();
        s.discard(at(0), at(0)).unwrap();
        assert!(!s.settle(true));
        assert_eq!(s.read_u64(at(0)), Ok(0));
    }

    #[test]
    fn bits_are_turned_on_by_many_at_once() {
        let s = std::sync::Arc::new(Storage::new(2 * PAGE).unwrap());
        let at = Absolute(PAGE + 3);
        let first = std::sync::atomic::AtomicU64::new(0);
        std::thread::scope(|scope| {
            for n in 0..8 {
                let (s, first) = (&s, &first);
                scope.spawn(move || {
                    let before = s.or_byte(at, 1 << n).unwrap();
                    first.fetch_add(u64::from(before == 0), Relaxed);
                });
            }
        });
        assert_eq!((s.read_array(at), first.into_inner()), (Ok([0xff]), 1));
        assert_eq!(s.or_byte(Absolute(2 * PAGE), 1), Err(NotAvailable(Absolute(2 * PAGE))));
        // A transaction that has stored there is disturbed, and undone.
        s.isolate();
        s.keep_frame(PAGE);
        s.store(at, &[0]).unwrap();
        s.write(at, &[0x01]).unwrap();
        assert_eq!(s.or_byte(at, 0x80), Ok(0x01));
        assert!(!s.settle(false));
        assert_eq!(s.read_array(at), Ok([0x81]));
        assert!(s.contains(Absolute(0), 2 * PAGE) && !s.contains(Absolute(1), 2 * PAGE));
        assert!(!s.contains(Absolute(u64::MAX), 2) && !s.contains(Absolute(0), u64::MAX));
    }

    #[test]
    fn discarded_pages_read_as_zero() {
        let s = Storage::new(4 * PAGE).unwrap();
        s.write(Absolute(0), &[0xff; 4 * PAGE as usize]).unwrap();
        s.discard(Absolute(PAGE), Absolute(2 * PAGE)).unwrap();
        assert_eq!(s.read_u64(Absolute(PAGE - 8)), Ok(u64::MAX));
        assert_eq!(s.read_u64(Absolute(PAGE)), Ok(0));
        assert_eq!(s.read_u64(Absolute(3 * PAGE - 8)), Ok(0));
        assert_eq!(s.read_u64(Absolute(3 * PAGE)), Ok(u64::MAX));
    }
}
