//! The access path: from a logical address to bytes.
//!
//! The fast path is one TLB probe and a copy. Everything unusual (no entry, a page boundary, protection, access
//! registers, PER) goes through one cold function. What the guest did wrong comes back as an [`Interruption`], with the
//! translation-exception identification left in the `State`.

use crate::dat::{Fault, Place, asce};
use crate::exception_id::{self, Guard};
use crate::state::tlb::{Asid, Entry, Tlb};
use crate::state::{Access, Architecture, At, Interruption, Space, State, cr0, local};
use arch::{Absolute, AddressSpaceControl, PAGE, PAGE_MASK, Program, Real, mask};
use storage::{Code, key, order};
use zerocopy::{FromBytes, IntoBytes};

/// What a translation that touches nothing found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Translation {
    /// The real address, or the absolute one that a large page gives.
    Found(Place),
    /// The exception that an access would end in; and, if an invalid segment- or page-table entry is the reason, the
    /// real address of that entry.
    Missing {
        /// The exception.
        code: Program,
        /// The real address of the invalid entry.
        entry: Option<Real>,
    },
}

/// The entry of a page table for an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PageTableEntry {
    /// Its address, and whether the tables before it protect the page.
    Found {
        /// Its real address.
        at: u64,
        /// The segment or a region is protected.
        protected: bool,
    },
    /// There is no page table.
    None {
        /// The real address of the segment-table entry, which is invalid or stands for a large page.
        segment: u64,
    },
    /// The exception that a translation would end in before it comes so far.
    Missing(Program),
}

/// An access that is permitted.
struct Checked {
    absolute: Absolute,
    /// The first 512 bytes of the page must not be stored into.
    low: bool,
    /// Only fetch-protection override permits it, and it ends in the middle of the page.
    overridden: bool,
}

/// A page of an operand: bytes from the address to the end of the page may be touched.
#[derive(Clone, Copy)]
pub struct Page {
    pub host: *mut u8,
    code: *const Code,
}

macro_rules! typed {
    ($find:ident, $find_for_update:ident, $put:ident, $load:ident, $update:ident, $store:ident, $t:ty) => {
        /// A big-endian value, if the TLB has its page and it does not cross into another.
        #[inline(always)]
        pub fn $find(&self, at: At) -> Option<$t> {
            let entry = self.tlb.entry(at.address, self.data_asid);
            if entry.read != Tlb::tag_of_operand(at.address, size_of::<$t>(), self.data_asid) {
                return None;
            }
            let host = entry.host.wrapping_add(at.address) as *const $t;
            // SAFETY: the TLB holds frames of our storage, and the operand does not cross the frame's end.
            let v = <$t>::from_be(unsafe { host.read_unaligned() });
            order::fetched();
            Some(v)
        }

        /// The same, if the same place can be stored into just as easily.
        #[inline(always)]
        pub fn $find_for_update(&self, at: At) -> Option<$t> {
            let entry = self.tlb.entry(at.address, self.data_asid);
            if entry.write != Tlb::tag_of_operand(at.address, size_of::<$t>(), self.data_asid) || entry.has_code() {
                return None;
            }
            let host = entry.host.wrapping_add(at.address) as *const $t;
            // SAFETY: as above.
            let v = <$t>::from_be(unsafe { host.read_unaligned() });
            order::fetched();
            Some(v)
        }

        /// Stores a big-endian value, if the TLB has its page, it does not cross into another, and no instructions
        /// were decoded from the frame.
        #[inline(always)]
        pub fn $put(&mut self, at: At, v: $t) -> Option<()> {
            let entry = self.tlb.entry(at.address, self.data_asid);
            if entry.write != Tlb::tag_of_operand(at.address, size_of::<$t>(), self.data_asid) || entry.has_code() {
                return None;
            }
            let host = entry.host.wrapping_add(at.address) as *mut $t;
            order::storing();
            // SAFETY: as above; other CPUs see the bytes as the host's stores make them.
            unsafe { host.write_unaligned(v.to_be()) };
            Some(())
        }

        /// Loads a big-endian value; it may lie anywhere.
        #[inline]
        pub fn $load(&mut self, at: At) -> Result<$t, Interruption> {
            if let Some(v) = self.$find(at) {
                return Ok(v);
            }
            let mut v: $t = 0;
            self.load_slow(at, v.as_mut_bytes())?;
            Ok(<$t>::from_be(v))
        }

        /// Loads a value that is going to be stored back: the store to the same place is sure to succeed.
        #[inline]
        pub fn $update(&mut self, at: At) -> Result<$t, Interruption> {
            if let Some(v) = self.$find_for_update(at) {
                return Ok(v);
            }
            self.test_update(at, size_of::<$t>() as u64)?;
            self.$load(at)
        }

        /// Stores a big-endian value; it may lie anywhere. Nothing is stored if any of it must not be.
        #[inline]
        pub fn $store(&mut self, at: At, v: $t) -> Result<(), Interruption> {
            match self.$put(at, v) {
                Some(()) => Ok(()),
                None => self.store_slow(at, v.to_be().as_bytes()),
            }
        }
    };
}

impl State {
    typed!(find_u8, find_for_update_u8, put_u8, load_u8, load_for_update_u8, store_u8, u8);
    typed!(find_u16, find_for_update_u16, put_u16, load_u16, load_for_update_u16, store_u16, u16);
    typed!(find_u32, find_for_update_u32, put_u32, load_u32, load_for_update_u32, store_u32, u32);
    typed!(find_u64, find_for_update_u64, put_u64, load_u64, load_for_update_u64, store_u64, u64);
    typed!(find_u128, find_for_update_u128, put_u128, load_u128, load_for_update_u128, store_u128, u128);

    /// How far the host's addresses are from the guest's, for the bytes from `from` to `last` bytes after it. The TLB
    /// must have all in one page and allow the access; for stores, the frame must have no code.
    pub fn distance(&self, from: u64, last: u64, store: bool) -> Option<u64> {
        let entry = self.tlb.entry(from, self.data_asid);
        let found = if store { entry.write } else { entry.read };
        let there = found == Tlb::tag(from.wrapping_add(last), self.data_asid);
        (there && !(store && entry.has_code())).then_some(entry.host)
    }

    #[inline(never)]
    fn load_slow(&mut self, at: At, to: &mut [u8]) -> Result<(), Interruption> {
        self.note_fetch(at.address, to.len() as u64);
        self.read_in(at.address, Space::Mode { ar: at.ar }, self.key, to)
    }

    /// Pages 0 and 1 beyond the bytes that low-address protection covers: most of Linux's prefix area.
    #[inline]
    fn low_page(&self, address: u64, len: u64) -> Option<Entry> {
        if address >= 2 * PAGE || address % PAGE < 512 || address % PAGE + len > PAGE {
            return None;
        }
        let low = self.tlb.low(address, self.data_asid);
        (low.write == Tlb::tag(address, self.data_asid)).then_some(*low)
    }

    #[inline(never)]
    fn test_update(&mut self, at: At, len: u64) -> Result<(), Interruption> {
        if self.low_page(at.address, len).is_some() {
            return Ok(());
        }
        self.test_store(at.address, len, Space::Mode { ar: at.ar }, self.key)
    }

    #[inline(never)]
    fn store_slow(&mut self, at: At, from: &[u8]) -> Result<(), Interruption> {
        if let Some(low) = self.low_page(at.address, from.len() as u64) {
            let page = Page { host: low.host.wrapping_add(at.address) as *mut u8, code: low.code };
            order::storing();
            // SAFETY: the frame is one of our storage and the bytes lie in it.
            unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), page.host, from.len()) };
            self.note_code(self.absolute_of(page), from.len());
            return Ok(());
        }
        self.write_in(at.address, Space::Mode { ar: at.ar }, self.key, from)
    }

    /// Copies bytes in from an operand. They may cross pages; wrap-around follows the addressing mode.
    #[inline]
    pub fn read_bytes(&mut self, at: At, to: &mut [u8]) -> Result<(), Interruption> {
        self.note_fetch(at.address, to.len() as u64);
        if at.address % PAGE + to.len() as u64 <= PAGE && at.address >= 2048 {
            let page = self.page(at, Access::Fetch)?;
            // SAFETY: the operand lies in the frame.
            unsafe { std::ptr::copy_nonoverlapping(page.host, to.as_mut_ptr(), to.len()) };
            order::fetched();
            return Ok(());
        }
        self.read_in(at.address, Space::Mode { ar: at.ar }, self.key, to)
    }

    /// Copies bytes out to an operand. Nothing is stored if any byte must not be.
    #[inline]
    pub fn write_bytes(&mut self, at: At, from: &[u8]) -> Result<(), Interruption> {
        if at.address % PAGE + from.len() as u64 <= PAGE {
            let page = self.page(at, Access::Store)?;
            order::storing();
            // SAFETY: the operand lies in the frame.
            unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), page.host, from.len()) };
            self.stored(page, at.address, from.len());
            return Ok(());
        }
        self.write_in(at.address, Space::Mode { ar: at.ar }, self.key, from)
    }

    /// Copies a layout in (see `arch`). It is copied out by [`State::write_bytes`] of its bytes.
    #[inline]
    pub fn read_layout<T: FromBytes + IntoBytes>(&mut self, at: At) -> Result<T, Interruption> {
        let mut layout = T::new_zeroed();
        self.read_bytes(at, layout.as_mut_bytes())?;
        Ok(layout)
    }

    /// [`State::read_bytes`] in a space and with a key of one's own choice.
    pub fn read_in(&mut self, address: u64, space: Space, key: u8, to: &mut [u8]) -> Result<(), Interruption> {
        let mut done = 0;
        while done < to.len() {
            let va = address.wrapping_add(done as u64) & self.address_mask;
            // Fetch-protection override ends in the middle of the first page.
            let end = if va < 2048 && self.cr[0] & cr0::FETCH_PROTECTION_OVERRIDE != 0 { 2048 } else { PAGE };
            let n = (to.len() - done).min((end - va % PAGE) as usize);
            let page = self.page_in(va, space, key, Access::Fetch)?;
            // SAFETY: `n` bytes from there lie in the frame.
            unsafe { std::ptr::copy_nonoverlapping(page.host, to[done..].as_mut_ptr(), n) };
            done += n;
        }
        order::fetched();
        Ok(())
    }

    /// [`State::write_bytes`] in a space and with a key of one's own choice.
    pub fn write_in(&mut self, address: u64, space: Space, key: u8, from: &[u8]) -> Result<(), Interruption> {
        self.test_store(address, from.len() as u64, space, key)?;
        order::storing();
        let mut done = 0;
        while done < from.len() {
            let va = address.wrapping_add(done as u64) & self.address_mask;
            let n = (from.len() - done).min((PAGE - va % PAGE) as usize);
            let page = self.page_in(va, space, key, Access::Store)?;
            // SAFETY: `n` bytes from there lie in the frame.
            unsafe { std::ptr::copy_nonoverlapping(from[done..].as_ptr(), page.host, n) };
            self.note_code(self.absolute_of(page), n);
            done += n;
        }
        self.note_store(address, from.len() as u64);
        Ok(())
    }

    /// Checks that `len` bytes may be stored, without storing: operands longer than a page must be checked before the
    /// first byte changes.
    pub fn test_store(&mut self, address: u64, len: u64, space: Space, key: u8) -> Result<(), Interruption> {
        let mut done = 0;
        while done < len {
            let va = address.wrapping_add(done) & self.address_mask;
            self.page_in(va, space, key, Access::Store)?;
            done += PAGE - va % PAGE;
        }
        Ok(())
    }

    /// The page of an operand, checked for `access`, for instructions that move many bytes. After storing through it
    /// call [`State::stored`].
    #[inline(always)]
    pub fn page(&mut self, at: At, access: Access) -> Result<Page, Interruption> {
        let entry = self.tlb.entry(at.address, self.data_asid);
        let found = match access {
            Access::Fetch => entry.read,
            Access::Store => entry.write,
        };
        if found == Tlb::tag(at.address, self.data_asid) {
            return Ok(Page { host: entry.host.wrapping_add(at.address) as *mut u8, code: entry.code });
        }
        self.page_slow(at, access)
    }

    #[inline(never)]
    fn page_slow(&mut self, at: At, access: Access) -> Result<Page, Interruption> {
        if access == Access::Fetch {
            // How many bytes of the page are fetched is not known here.
            self.note_fetch(at.address, 1);
        }
        if access == Access::Store
            && let Some(low) = self.low_page(at.address, 1)
        {
            return Ok(Page { host: low.host.wrapping_add(at.address) as *mut u8, code: low.code });
        }
        self.page_in(at.address, Space::Mode { ar: at.ar }, self.key, access)
    }

    /// Bytes at `address` were stored through a [`Page`].
    #[inline]
    pub fn stored(&mut self, page: Page, address: u64, len: usize) {
        // SAFETY: pages are given out with what our storage, which lives as long as we do, keeps about their code.
        if unsafe { (*page.code).is_marked() } {
            self.note_code(self.absolute_of(page), len);
        }
        self.note_store(address, len as u64);
    }

    /// Where in the configuration's storage the first byte of `page` is.
    pub fn absolute_of(&self, page: Page) -> Absolute {
        self.shared.storage.absolute_of(page.host)
    }

    /// Bytes were stored at `absolute`: if instructions were decoded there, the block being executed ends after the
    /// instruction that stored.
    pub fn note_code(&mut self, absolute: Absolute, len: usize) {
        if self.shared.storage.stored(absolute, len) {
            self.block_stale = true;
        }
    }

    /// Keeps what PER storage alteration has to look at.
    #[inline]
    fn note_store(&mut self, address: u64, len: u64) {
        if self.per_store_active() && len > 0 {
            self.per_stored |= self.per_range_touches(address, address.wrapping_add(len - 1));
        }
        self.note_access(address, len, true);
    }

    /// Bytes at `address` are fetched as an operand: what a debugger watches for is kept in `touched`.
    #[inline]
    pub fn note_fetch(&mut self, address: u64, len: u64) {
        self.note_access(address, len, false);
    }

    /// Keeps what a debugger is to be told of an access.
    #[inline]
    fn note_access(&mut self, address: u64, len: u64, store: bool) {
        if self.local & local::WATCH != 0 {
            self.note_watched(address, len, store);
        }
    }

    #[cold]
    fn note_watched(&mut self, address: u64, len: u64, store: bool) {
        let touched = self.stops.as_ref().and_then(|stops| stops.touched(address, len, store));
        // Of an instruction that fetches and stores, the store is what matters.
        if touched.is_some() && (store || self.touched.is_none()) {
            self.touched = touched;
        }
    }

    /// The place of the byte at `address` in `space`, checked for `access` with `key`. The rest of its page is there,
    /// too. Low-address protection, though, was checked only for that byte and those after it in the same half.
    #[inline]
    pub fn page_in(&mut self, address: u64, space: Space, key: u8, access: Access) -> Result<Page, Interruption> {
        let (asce, fetch_only) = match self.resolve_space(space) {
            Ok(found) => found,
            Err(code) => return Err(self.access_exception(code, address, space, access)),
        };
        let asid = match asce {
            Some(asce) if space == Space::Instruction => self.tlb.space(asce, self.instruction_key(key)),
            Some(asce) => self.tlb.space(asce, key),
            None => self.tlb.real_space(key),
        };
        let tag = Tlb::tag(address, asid);
        let entry = self.tlb.entry(address, asid);
        let hit = match access {
            Access::Fetch => entry.read == tag,
            Access::Store => entry.write == tag && !fetch_only,
        };
        if hit {
            return Ok(Page { host: entry.host.wrapping_add(address) as *mut u8, code: entry.code });
        }
        self.translate(address, space, asce, asid, key, access, fetch_only)
    }

    /// The ASCE of a space (`None`: real storage), and whether an access-list entry allows fetches only.
    pub(crate) fn resolve_space(&mut self, space: Space) -> Result<(Option<u64>, bool), Fault> {
        let dat = self.psw_mask & mask::DAT != 0;
        let mode = self.psw().space();
        match space {
            Space::Real => Ok((None, false)),
            Space::Mode { .. } | Space::Instruction if !dat => Ok((None, false)),
            Space::Instruction => {
                Ok((Some(if mode == AddressSpaceControl::Home { self.cr[13] } else { self.cr[1] }), false))
            }
            Space::Primary => Ok((Some(self.cr[1]), false)),
            Space::Secondary => Ok((Some(self.cr[7]), false)),
            Space::Home => Ok((Some(self.cr[13]), false)),
            Space::Register(ar) => self.asce_of_access_register(ar).map(|(asce, f)| (Some(asce), f)),
            Space::Mode { ar } => match mode {
                AddressSpaceControl::Primary => Ok((Some(self.cr[1]), false)),
                AddressSpaceControl::Secondary => Ok((Some(self.cr[7]), false)),
                AddressSpaceControl::Home => Ok((Some(self.cr[13]), false)),
                AddressSpaceControl::AccessRegister => {
                    self.asce_of_access_register(ar).map(|(asce, f)| (Some(asce), f))
                }
            },
        }
    }

    /// What goes into bits 62-63 of the translation-exception identification.
    fn space_code(&self, space: Space) -> u64 {
        let mode = self.psw().space();
        match space {
            Space::Primary | Space::Real => 0,
            Space::Register(_) => 1,
            Space::Secondary => 2,
            Space::Home => 3,
            // Instructions come from the primary space in the secondary-space mode; the access-register mode has a
            // code of its own.
            Space::Instruction if mode == AddressSpaceControl::Secondary => 0,
            Space::Instruction | Space::Mode { .. } => mode as u64,
        }
    }

    /// Stores what identifies an access exception, and makes it one.
    #[cold]
    pub(crate) fn access_exception(
        &mut self,
        fault: impl Into<Fault>,
        address: u64,
        space: Space,
        access: Access,
    ) -> Interruption {
        let code = match fault.into() {
            Fault::Own { code, .. } => code,
            Fault::Host(fault) => return self.host_fault(fault),
        };
        self.translation_exception_id = address & PAGE_MASK | self.space_code(space);
        if self.architecture == Architecture::Z && self.has(exception_id::FETCH_STORE_INDICATION) {
            self.translation_exception_id |= exception_id::indication(access);
        }
        self.operand_access_id = 0;
        self.exception_access_id = match space {
            Space::Mode { ar } if self.psw().space() == AddressSpaceControl::AccessRegister => ar,
            Space::Register(ar) => ar,
            _ => 0,
        };
        Interruption::Program(code)
    }

    /// A protection exception, and what the identification has of its reason.
    #[cold]
    fn protection_exception(&mut self, by: Guard, address: u64, space: Space, access: Access) -> Interruption {
        let exception = self.access_exception(Program::Protection, address, space, access);
        let suppression2 = self.has(exception_id::SUPPRESSION_ON_PROTECTION_2);
        self.translation_exception_id |= by.bits(self.architecture, suppression2);
        exception
    }

    /// Notes that the access that has ended in `why` was none of the instruction's own operands.
    pub(crate) fn side_effect(&mut self, why: Interruption) -> Interruption {
        if self.has(exception_id::SUPPRESSION_ON_PROTECTION_2) {
            self.translation_exception_id |= exception_id::SIDE_EFFECT;
        }
        why
    }

    /// Whether pages may be forbidden to instructions.
    pub(crate) fn protects_execution(&self) -> bool {
        self.cr[0] & cr0::EXECUTION_PROTECTION != 0
            && self.architecture == Architecture::Z
            && self.has(exception_id::EXECUTION_PROTECTION)
    }

    /// The access key by which the TLB knows the pages of a space that instructions come from. A page that is forbidden
    /// to them may be an operand, so then the two have numbers of their own.
    pub(crate) fn instruction_key(&self, key: u8) -> u8 {
        if self.protects_execution() { Tlb::instructions(key) } else { key }
    }

    /// The slow way: tables, prefixing, protection; then the TLB knows.
    #[cold]
    #[allow(clippy::too_many_arguments)]
    fn translate(
        &mut self,
        address: u64,
        space: Space,
        asce: Option<u64>,
        asid: Asid,
        access_key: u8,
        access: Access,
        fetch_only: bool,
    ) -> Result<Page, Interruption> {
        if self.tlb.take_renumbered() {
            self.space_changed();
        }
        let store = access == Access::Store;
        if !(store && fetch_only)
            && let Some(entry) = self.tlb.recall(address, asid, store)
        {
            return Ok(Page { host: entry.host.wrapping_add(address) as *mut u8, code: entry.code });
        }
        let checked = self.check(address, space, asce, access_key, access, fetch_only)?;
        let (absolute, low) = (checked.absolute, checked.low);
        if self.storage().is_away(absolute) && self.goes_on_without(absolute) {
            return Err(Interruption::Host);
        }
        self.storage().mark_key(absolute, if store { key::REFERENCE | key::CHANGE } else { key::REFERENCE });
        let frame = absolute.0 & PAGE_MASK;
        if store {
            self.note_frame(frame);
        }
        // The frame has a key, so it exists; its page may be lost.
        let Ok(host) = self.storage().frame(absolute, store).map(|host| host as u64) else {
            return Err(self.access_exception(Program::Addressing, address, space, access));
        };
        let code: *const Code = self.shared.storage.code(absolute);
        if !checked.overridden {
            self.tlb.insert(address, asid, host, code, store && !low);
        }
        // Translated code looks for these pages there, whether some of their bytes are protected or not.
        if store && address < 2 * PAGE {
            self.tlb.insert_low(address, asid, host, code);
        }
        Ok(Page { host: (host + address % PAGE) as *mut u8, code })
    }

    /// Whether low-address protection covers the first 512 bytes of the page of `address`. It looks at the effective
    /// address, before translation, and private spaces have none (POP, chapter 3, "Low-address protection").
    fn low_addresses_protected(&self, address: u64, asce: Option<u64>) -> bool {
        self.cr[0] & cr0::LOW_ADDRESS_PROTECTION != 0
            && address < self.architecture.prefix_area()
            && asce.is_none_or(|a| a & asce::PRIVATE == 0)
    }

    /// What TEST PROTECTION asks: whether an access would be permitted. Reference and change bits stay.
    pub fn test_access(
        &mut self,
        address: u64,
        space: Space,
        access_key: u8,
        access: Access,
    ) -> Result<(), Interruption> {
        let (asce, fetch_only) = match self.resolve_space(space) {
            Ok(found) => found,
            Err(code) => return Err(self.access_exception(code, address, space, access)),
        };
        self.check(address, space, asce, access_key, access, fetch_only).map(drop)
    }

    /// Translates and checks an access in the order of the manual (POP, chapter 6, "Priority of access exceptions"),
    /// without leaving a trace.
    fn check(
        &mut self,
        address: u64,
        space: Space,
        asce: Option<u64>,
        access_key: u8,
        access: Access,
        fetch_only: bool,
    ) -> Result<Checked, Interruption> {
        let store = access == Access::Store;
        let private = asce.is_some_and(|a| a & asce::PRIVATE != 0);
        let low = self.low_addresses_protected(address, asce);
        if store && low && address % PAGE < 512 {
            return Err(self.protection_exception(Guard::LowAddress, address, space, access));
        }
        let (place, protected, own_key) = match asce {
            None => (Place::Real(Real(address)), false, None),
            Some(asce) => match self.walk(asce, address) {
                Ok(walk) if walk.no_execute && space == Space::Instruction && self.protects_execution() => {
                    return Err(self.protection_exception(Guard::Execution, address, space, access));
                }
                Ok(walk) => (walk.place, walk.protected, walk.key),
                Err(fault) => return Err(self.access_exception(fault, address, space, access)),
            },
        };
        if store && (protected || fetch_only) {
            let by = if fetch_only { Guard::AccessList } else { Guard::Table };
            return Err(self.protection_exception(by, address, space, access));
        }
        let absolute = match self.reach(self.placed(place), access) {
            Ok(absolute) => absolute,
            Err(fault) => return Err(self.access_exception(fault, address, space, access)),
        };
        let Ok(storage_key) = self.storage().key(absolute) else {
            return Err(self.access_exception(Program::Addressing, address, space, access));
        };
        let storage_key = own_key.unwrap_or(storage_key);
        let same_key = access_key == 0
            || storage_key >> 4 == access_key
            || self.cr[0] & cr0::STORAGE_PROTECTION_OVERRIDE != 0 && storage_key >> 4 == 9;
        let override_fetch = self.cr[0] & cr0::FETCH_PROTECTION_OVERRIDE != 0 && address < 2048 && !private;
        let refused = !same_key && (store || storage_key & key::FETCH != 0 && !override_fetch);
        if refused || store && self.storage().is_read_only(absolute) {
            return Err(self.protection_exception(Guard::Key, address, space, access));
        }
        Ok(Checked { absolute, low, overridden: !same_key && override_fetch })
    }

    /// The absolute address of an instruction, if the TLB has its page.
    #[inline]
    pub fn find_instruction(&self, address: u64) -> Option<Absolute> {
        let entry = self.tlb.entry(address, self.fetch_asid);
        let found = entry.read == Tlb::tag(address, self.fetch_asid);
        found.then(|| self.shared.storage.absolute_of(entry.host.wrapping_add(address) as *const u8))
    }

    /// The absolute address of an instruction.
    #[inline]
    pub fn instruction_address(&mut self, address: u64) -> Result<Absolute, Interruption> {
        if let Some(absolute) = self.find_instruction(address) {
            return Ok(absolute);
        }
        self.page_in(address, Space::Instruction, self.key, Access::Fetch).map(|page| self.absolute_of(page))
    }

    /// Where a logical address leads in `space` without touching it: LRA and its family.
    pub fn translate_only(&mut self, address: u64, space: Space) -> Result<Translation, Interruption> {
        let asce = match self.resolve_dat_space(space) {
            Ok(asce) => asce,
            Err(fault @ (Fault::Host(_) | Fault::Own { code: Program::Addressing, .. })) => {
                return Err(self.access_exception(fault, address, space, Access::Fetch));
            }
            Err(Fault::Own { code, .. }) => return Ok(Translation::Missing { code, entry: None }),
        };
        match self.walk(asce, address) {
            Ok(walk) => Ok(Translation::Found(walk.place)),
            Err(
                fault @ (Fault::Host(_)
                | Fault::Own { code: Program::Addressing | Program::TranslationSpecification, .. }),
            ) => Err(self.access_exception(fault, address, space, Access::Fetch)),
            Err(Fault::Own { code, entry }) => Ok(Translation::Missing { code, entry: entry.map(Real) }),
        }
    }

    /// Where the page-table entry for an address in `space` is, whatever it has.
    pub fn page_table_entry(&mut self, address: u64, space: Space) -> Result<PageTableEntry, Interruption> {
        let found = self.resolve_dat_space(space).and_then(|asce| {
            if asce & asce::REAL_SPACE != 0 {
                return Err(Program::SpecialOperation.into());
            }
            self.walk_to_page_table(asce, address)
        });
        match found {
            Ok(found) => Ok(found),
            Err(Fault::Own { code: Program::SpecialOperation, .. }) => Err(Program::SpecialOperation.into()),
            Err(
                fault @ (Fault::Host(_)
                | Fault::Own { code: Program::Addressing | Program::TranslationSpecification, .. }),
            ) => Err(self.access_exception(fault, address, space, Access::Fetch)),
            Err(Fault::Own { code: Program::SegmentTranslation, entry: Some(segment) }) => {
                Ok(PageTableEntry::None { segment })
            }
            Err(Fault::Own { code, .. }) => Ok(PageTableEntry::Missing(code)),
        }
    }

    /// The space that LRA translates in: as the PSW's space bits say even if DAT is off.
    fn resolve_dat_space(&mut self, space: Space) -> Result<u64, Fault> {
        match (space, self.psw().space()) {
            (Space::Mode { .. }, AddressSpaceControl::Primary) | (Space::Primary, _) => Ok(self.cr[1]),
            (Space::Mode { .. }, AddressSpaceControl::Secondary) | (Space::Secondary, _) => Ok(self.cr[7]),
            (Space::Mode { .. }, AddressSpaceControl::Home) | (Space::Home, _) => Ok(self.cr[13]),
            (Space::Mode { ar } | Space::Register(ar), _) => self.asce_of_access_register(ar).map(|(asce, _)| asce),
            (Space::Instruction | Space::Real, _) => Ok(self.cr[1]),
        }
    }

    /// An access to a real address with prefixing but without key checks (ISKE, TB and their like), after the check
    /// that it exists.
    pub fn real(&mut self, address: u64, access: Access) -> Result<Absolute, Interruption> {
        let low = self.low_addresses_protected(address, None) && address % PAGE < 512;
        if access == Access::Store && low {
            return Err(self.protection_exception(Guard::LowAddress, address, Space::Real, access));
        }
        self.frame(self.absolute(Real(address)), access)
    }

    /// Drops translations of a whole space (IDTE), here and on the other CPUs.
    pub fn purge_space(&mut self, asce: u64) {
        self.tlb.purge_space(asce);
        self.fetch_stale = true;
        self.space_changed();
        self.purge_others();
    }
}
