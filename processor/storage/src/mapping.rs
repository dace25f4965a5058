//! An anonymous private mapping of the host, zero until touched, with room after it; pages of files can take the place
//! of its own.

use crate::foresight::Foresight;
use crate::pages::Pages;
use std::io;
use std::ops::Range;

/// Storage of this size and more is backed with huge pages of the host where it has any. A system that is given so much
/// uses most of it, and each of its references then costs the host half the translation. Small machines stay small.
#[cfg(target_os = "linux")]
const LARGE: usize = 128 << 20;

pub(crate) struct Mapping {
    start: *mut u8,
    len: usize,
    /// Bytes of the host's address space that belong to it: `len` and more.
    room: usize,
    foresight: Foresight,
}

// SAFETY: the mapping is plain bytes; all access goes through `Storage`, which copies or uses atomics.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// `len` bytes, and addresses for as many as `room` if that is more. After `len`, nothing may be touched before it
    /// is mapped.
    pub(crate) fn new(len: usize, room: usize) -> io::Result<Mapping> {
        if len == 0 {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "storage of no size"));
        }
        let room = room.max(len);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let all = if room > len { libc::PROT_NONE } else { libc::PROT_READ | libc::PROT_WRITE };
        // SAFETY: a new anonymous mapping touches nothing that exists.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), room, all, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let mut mapping = Mapping { start: start.cast(), len, room, foresight: Foresight::default() };
        // SAFETY: the range is the beginning of the new mapping.
        if room > len && unsafe { libc::mprotect(start, len, libc::PROT_READ | libc::PROT_WRITE) } != 0 {
            return Err(io::Error::last_os_error());
        }
        #[cfg(target_os = "linux")]
        if len >= LARGE {
            // SAFETY: advice on the new mapping; a host that does not take it has small pages, that is all.
            unsafe { libc::madvise(start, len, libc::MADV_HUGEPAGE) };
            mapping.foresight = Foresight::new(start.addr(), len);
        }
        Ok(mapping)
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The host address of byte `offset`, which must lie in the mapping.
    #[inline(always)]
    pub(crate) fn at(&self, offset: u64) -> *mut u8 {
        debug_assert!(offset < self.room as u64);
        // SAFETY: callers check that there is storage at the offset, which is within `room`.
        unsafe { self.start.add(offset as usize) }
    }

    /// Pages will come and go one by one: none is prepared ahead or joined with others.
    pub(crate) fn in_single_pages(&self) {
        *self.foresight.hold() = true;
        #[cfg(target_os = "linux")]
        // SAFETY: advice on our own mapping; a host that does not know it has small pages anyway.
        unsafe {
            libc::madvise(self.start.cast(), self.len, libc::MADV_NOHUGEPAGE)
        };
    }

    /// Something is stored at `offset`, whether that lies in the mapping or not.
    #[inline]
    pub(crate) fn reached(&self, offset: u64) {
        self.foresight.reached(self.start.addr().wrapping_add(offset as usize));
    }

    /// Something will be stored all over these bytes soon.
    pub(crate) fn expect(&self, range: Range<u64>) {
        let [start, end] = [range.start, range.end].map(|offset| self.start.addr() + offset as usize);
        self.foresight.expect(start..end);
    }

    /// How many pages the host keeps in its storage.
    pub(crate) fn resident(&self) -> u64 {
        const PAGES: usize = 1 << 14;
        let mut states = [0u8; PAGES];
        let mut resident = 0;
        for offset in (0..self.len).step_by(PAGES * 4096) {
            let len = (self.len - offset).min(PAGES * 4096);
            // SAFETY: the range lies in our own mapping, and there is a byte for each of its pages.
            let rc = unsafe { libc::mincore(self.start.add(offset).cast(), len, states.as_mut_ptr()) };
            if rc == 0 {
                resident += states[..len.div_ceil(4096)].iter().filter(|&state| state & 1 != 0).count() as u64;
            }
        }
        resident
    }

    /// Makes page-aligned bytes zero and returns their memory to the host.
    pub(crate) fn zero(&self, offset: usize, len: usize) {
        assert!(offset.is_multiple_of(4096) && offset + len <= self.room, "the range is whole pages of the mapping");
        // SAFETY: the range lies in our own mapping; private anonymous pages read as zero after MADV_DONTNEED.
        let rc = unsafe { libc::madvise(self.start.add(offset).cast(), len, libc::MADV_DONTNEED) };
        assert_eq!(rc, 0, "the range is mapped and not locked");
        if len == self.len {
            self.foresight.forget();
        }
    }

    /// Puts pages of a file in the place of those that are there. They are the file's own, seen to change by all that
    /// have them (`shared`), or such as become the mapping's own when they change.
    pub(crate) fn map(&self, offset: usize, len: usize, pages: &Pages, from: u64, shared: bool) -> io::Result<()> {
        self.put(offset, len, if shared { libc::MAP_SHARED } else { libc::MAP_PRIVATE }, pages.descriptor(), from)
    }

    /// Puts anonymous pages, which are zero, in the place of those that are there.
    pub(crate) fn unmap(&self, offset: usize, len: usize) -> io::Result<()> {
        self.put(offset, len, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0)
    }

    fn put(&self, offset: usize, len: usize, flags: i32, file: i32, from: u64) -> io::Result<()> {
        assert!(offset.is_multiple_of(4096) && offset + len <= self.room, "the range is whole pages of the mapping");
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = flags | libc::MAP_FIXED | libc::MAP_NORESERVE;
        let _held = self.foresight.hold();
        // SAFETY: the range lies in our own mapping, and its pages stay readable and writable: a copy from or to them
        // meanwhile gets old bytes or new ones.
        let at =
            unsafe { libc::mmap(self.start.add(offset).cast(), len, protection, flags, file, from as libc::off_t) };
        if at == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        *self.foresight.hold() = true;
        // SAFETY: nothing can hold the storage any more.
        unsafe { libc::munmap(self.start.cast(), self.room) };
    }
}
