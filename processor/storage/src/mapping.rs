//! An anonymous private mapping of the host, zero until touched.

use std::io;

/// Storage of this size and more is backed with huge pages of the host where it has any: a system that is given so much uses
/// most of it, and each of its references then costs the host half the translation. Small machines stay small.
#[cfg(target_os = "linux")]
const LARGE: usize = 128 << 20;

pub struct Mapping {
    start: *mut u8,
    len: usize,
}

// SAFETY: the mapping is plain bytes; all access goes through `Storage`, which copies or uses atomics.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    pub fn new(len: usize) -> io::Result<Mapping> {
        if len == 0 {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "storage of no size"));
        }
        // SAFETY: a new anonymous mapping touches nothing that exists.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                len,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        #[cfg(target_os = "linux")]
        if len >= LARGE {
            // SAFETY: advice on the new mapping; a host that does not take it has small pages, that is all.
            unsafe { libc::madvise(start, len, libc::MADV_HUGEPAGE) };
        }
        Ok(Mapping { start: start.cast(), len })
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// The host address of byte `offset`, which must lie in the mapping.
    #[inline(always)]
    pub fn at(&self, offset: u64) -> *mut u8 {
        debug_assert!(offset < self.len as u64);
        // SAFETY: callers check the offset against `len`.
        unsafe { self.start.add(offset as usize) }
    }

    /// How many pages the host keeps in its storage.
    pub fn resident(&self) -> u64 {
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
    pub fn zero(&self, offset: usize, len: usize) {
        assert!(offset.is_multiple_of(4096) && offset + len <= self.len, "the range is whole pages of the mapping");
        // SAFETY: the range lies in our own mapping; private anonymous pages read as zero after MADV_DONTNEED.
        let rc = unsafe { libc::madvise(self.start.add(offset).cast(), len, libc::MADV_DONTNEED) };
        assert_eq!(rc, 0, "the range is mapped and not locked");
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: nobody can hold the storage any more.
        unsafe { libc::munmap(self.start.cast(), self.len) };
    }
}
