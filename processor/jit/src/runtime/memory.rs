//! Memory for generated code: a part of a file without a name, mapped where it is executed. No address is ever writable
//! and executable. Its beginning has a second, writable view, the rest is written to by calls of the host.
//!
//! A call costs less than a page of a writable view that has to be mapped first. The translator makes 1.2 million
//! pieces and links for gcc -O2, mostly where no page was mapped. The calls save 4 % of its time (`make bench
//! ARGS="real cc"`, with and without). But a CPU that has rested puts and links for one command where others did so
//! before it ([`CodeMemory::rewind`]). There a store saves the call.
//!
//! Half of the time that gcc -O2 spends in code is spread over 565 pages, and four fifths over 2136. The host's own TLB
//! has no room for so many. So each 2 MiB of code that are full are made one large page of the host's.

use crate::plan::passes::Pass;
use base::Held;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

/// The files of the process. CPUs share them, since a host may let a process have a thousand files and CPUs are more.
/// There are several, since the host writes to one file for one CPU at a time.
static FILES: [CodeFile; 16] = [const { CodeFile { file: OnceLock::new(), parts: Mutex::new(Parts::NONE) } }; 16];

struct CodeFile {
    file: OnceLock<File>,
    parts: Mutex<Parts>,
}

/// The parts of a file that are taken: where the last one ends, and the free ones before that.
struct Parts {
    end: u64,
    free: Vec<(u64, usize)>,
}

impl Parts {
    const NONE: Parts = Parts { end: 0, free: Vec::new() };

    fn take(&mut self, len: usize) -> u64 {
        match self.free.iter().position(|&(_, free)| free == len) {
            Some(n) => self.free.swap_remove(n).0,
            None => {
                self.end += len as u64;
                self.end - len as u64
            }
        }
    }

    fn give_back(&mut self, from: u64, len: usize) {
        if from + len as u64 == self.end {
            self.end = from;
        } else {
            self.free.push((from, len));
        }
    }
}

impl CodeFile {
    fn file(&self) -> io::Result<&File> {
        if let Some(file) = self.file.get() {
            return Ok(file);
        }
        // SAFETY: a new descriptor, which the file then owns.
        let new = unsafe {
            match libc::memfd_create(c"endicott-code".as_ptr(), libc::MFD_CLOEXEC) {
                ..0 => return Err(io::Error::last_os_error()),
                descriptor => File::from_raw_fd(descriptor),
            }
        };
        Ok(self.file.get_or_init(|| new))
    }

    /// A part of so many bytes, and where it can be executed.
    fn map(&self, len: usize) -> io::Result<(u64, *const u8)> {
        let file = self.file()?;
        let mut parts = self.parts.lock().held();
        let from = parts.take(len);
        let place = aligned(len);
        let mapped = file.set_len(parts.end).map(|()| {
            let fixed = if place.is_null() { 0 } else { libc::MAP_FIXED };
            let (protection, flags) = (libc::PROT_READ | libc::PROT_EXEC, libc::MAP_SHARED | fixed);
            // SAFETY: a new mapping touches nothing that exists but addresses that were reserved for it.
            unsafe { libc::mmap(place, len, protection, flags, file.as_raw_fd(), from as libc::off_t) }
        });
        match mapped {
            Ok(at) if at != libc::MAP_FAILED => Ok((from, at.cast())),
            failed => {
                let why = failed.map(|_| io::Error::last_os_error()).unwrap_or_else(|why| why);
                parts.give_back(from, len);
                if !place.is_null() {
                    // SAFETY: addresses that were reserved for what is not there.
                    unsafe { libc::munmap(place, len) };
                }
                Err(why)
            }
        }
    }

    /// Another view of these bytes, where they can be written to; null, if the host has none.
    fn view(&self, from: u64, len: usize) -> *mut u8 {
        let Some(file) = self.file.get() else { return std::ptr::null_mut() };
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping touches nothing that exists.
        let at = unsafe {
            libc::mmap(std::ptr::null_mut(), len, protection, libc::MAP_SHARED, file.as_raw_fd(), from as libc::off_t)
        };
        if at == libc::MAP_FAILED { std::ptr::null_mut() } else { at.cast() }
    }

    /// The host has the memory back of these pages, which read as zeros. One that does not take it has less memory
    /// left.
    fn punch(&self, from: u64, len: usize) {
        let Some(file) = self.file.get() else { return };
        let how = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        // SAFETY: it is a descriptor of ours; the pages are those of code that is not executed any more.
        unsafe { libc::fallocate(file.as_raw_fd(), how, from as libc::off_t, len as libc::off_t) };
    }
}

/// Addresses for `len` bytes, whole large pages, that begin with one; null if there are none.
fn aligned(len: usize) -> *mut libc::c_void {
    if len % LARGE != 0 {
        return std::ptr::null_mut();
    }
    // SAFETY: a new mapping touches nothing that exists, and what of it is given back is only known here.
    unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let start = libc::mmap(std::ptr::null_mut(), len + LARGE, libc::PROT_NONE, flags, -1, 0);
        if start == libc::MAP_FAILED {
            return std::ptr::null_mut();
        }
        let before = start.addr().next_multiple_of(LARGE) - start.addr();
        if before > 0 {
            libc::munmap(start, before);
        }
        let place = start.byte_add(before);
        libc::munmap(place.byte_add(len), LARGE - before);
        place
    }
}

/// One code cache.
pub(crate) struct CodeMemory {
    file: &'static CodeFile,
    /// Where its part of the file begins.
    from: u64,
    executable: *const u8,
    /// The first [`VIEW`] bytes, where they are written to; null: by calls.
    writable: *mut u8,
    len: usize,
    used: usize,
    /// Large pages that the host was asked to make.
    large: usize,
}

const PAGE: usize = 4096;
/// The host's large pages.
const LARGE: usize = 2 << 20;
/// `MADV_COLLAPSE` (Linux, include/uapi/asm-generic/mman-common.h), which the crate has not for all C libraries. It is
/// done whatever the host's settings for files in memory are, which mostly refuse large pages.
const COLLAPSE: libc::c_int = 25;
/// What most commands of CMS need.
const VIEW: usize = 1 << 20;

// SAFETY: the mapping belongs to this value alone and stays until it is dropped.
unsafe impl Send for CodeMemory {}

impl CodeMemory {
    /// Room for `most` bytes, or for less where the host reserves no more addresses: a half, a quarter, down to a
    /// sixty-fourth.
    pub(crate) fn reserve(most: usize) -> io::Result<CodeMemory> {
        let smaller = (1..=6).map(|half| CodeMemory::new(most >> half));
        CodeMemory::new(most).or_else(|why| smaller.into_iter().find_map(Result::ok).ok_or(why))
    }

    /// Room for `len` bytes, whole pages. Those that are never written to cost nothing.
    pub(crate) fn new(len: usize) -> io::Result<CodeMemory> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let file = &FILES[NEXT.fetch_add(1, Ordering::Relaxed) % FILES.len()];
        let (from, executable) = file.map(len)?;
        let writable = file.view(from, len.min(VIEW));
        Ok(CodeMemory { file, from, executable, writable, len, used: 0, large: 0 })
    }

    /// Bytes in use.
    pub(crate) fn used(&self) -> usize {
        self.used
    }

    /// Bytes left.
    pub(crate) fn left(&self) -> usize {
        self.len - self.used
    }

    /// Bytes in all.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Where the first code is executed.
    pub(crate) fn start(&self) -> u64 {
        self.executable as u64
    }

    /// The address at which the code that is put next will be executed.
    pub(crate) fn next(&self) -> u64 {
        self.start() + self.used as u64
    }

    /// Appends code, which must fit. Returns the address at which it can be executed.
    pub(crate) fn put(&mut self, code: &[u8]) -> u64 {
        assert!(code.len() + 16 <= self.left(), "the caller has looked whether there is room");
        let at = self.next();
        self.write(self.used, code);
        self.used = (self.used + code.len() + 15) & !15;
        if self.used / LARGE > self.large {
            self.join_pages();
        }
        at
    }

    /// Makes one page of each 2 MiB that are full. A host that does not do so has small ones (Linux does since 6.1).
    #[cold]
    fn join_pages(&mut self) {
        let full = self.used / LARGE;
        if Pass::Large.is_on() && self.start().is_multiple_of(LARGE as u64) && self.from.is_multiple_of(LARGE as u64) {
            let (from, len) = (self.large * LARGE, (full - self.large) * LARGE);
            // SAFETY: advice on what is ours.
            unsafe { libc::madvise(self.executable.add(from).cast_mut().cast(), len, COLLAPSE) };
        }
        self.large = full;
    }

    /// Replaces the 32-bit displacement at the executable address `at`, which lies in code that was put.
    pub(crate) fn patch(&mut self, at: u64, displacement: i32) {
        self.replace(at, &displacement.to_le_bytes());
    }

    /// Replaces what is at the executable address `at`, which lies in code that was put, by a jump.
    pub(crate) fn jump(&mut self, at: u64, to: u64) {
        let [a, b, c, d] = ((to as i64 - (at as i64 + 5)) as i32).to_le_bytes();
        self.replace(at, &[0xe9, a, b, c, d]);
    }

    fn replace(&mut self, at: u64, bytes: &[u8]) {
        let offset = (at - self.start()) as usize;
        assert!(offset + bytes.len() <= self.used, "what is replaced was put");
        self.write(offset, bytes);
    }

    /// This cache is one CPU's own: it executes nothing now.
    fn write(&self, offset: usize, bytes: &[u8]) {
        if !self.writable.is_null() && offset + bytes.len() <= self.len.min(VIEW) {
            // SAFETY: that is within the view.
            return unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.writable.add(offset), bytes.len()) };
        }
        let written = self.file.file().and_then(|file| file.write_all_at(bytes, self.from + offset as u64));
        written.expect("the host has memory for the file's pages");
    }

    /// Forgets everything after the first `keep` bytes. The host has the memory back of what has no view; what has
    /// stays mapped for what is put next.
    pub(crate) fn rewind(&mut self, keep: usize) {
        let before = std::mem::replace(&mut self.used, keep);
        self.large = self.large.min(keep / LARGE);
        let from = if self.writable.is_null() { keep } else { keep.max(self.len.min(VIEW)) };
        self.punch(from, before);
    }

    fn punch(&self, from: usize, to: usize) {
        let from = from.next_multiple_of(PAGE);
        if let Some(len) = to.next_multiple_of(PAGE).checked_sub(from).filter(|&len| len > 0) {
            self.file.punch(self.from + from as u64, len);
        }
    }

    /// Forgets everything after the first `keep` bytes; the host has its memory back.
    pub(crate) fn truncate(&mut self, keep: usize) {
        self.punch(keep, self.used);
        (self.used, self.large) = (keep, self.large.min(keep / LARGE));
    }
}

impl Drop for CodeMemory {
    fn drop(&mut self) {
        self.truncate(0);
        // SAFETY: the mappings are ours, and code of a cache that is dropped is not executed.
        unsafe {
            libc::munmap(self.executable.cast_mut().cast(), self.len);
            if !self.writable.is_null() {
                libc::munmap(self.writable.cast(), self.len.min(VIEW));
            }
        }
        self.file.parts.lock().held().give_back(self.from, self.len);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many pages of `len` bytes at `at` this process has mapped (Linux, Documentation/admin-guide/mm/pagemap.rst).
    fn mapped(at: *const u8, len: usize) -> usize {
        use std::os::unix::fs::FileExt;
        let mut entries = vec![0; len / PAGE * 8];
        let map = std::fs::File::open("/proc/self/pagemap").expect("Linux has it");
        map.read_exact_at(&mut entries, (at as usize / PAGE * 8) as u64).expect("there is an entry for each page");
        entries.chunks(8).filter(|entry| entry[7] & 0x80 != 0).count()
    }

    #[test]
    fn code_stays_as_it_was_put_but_for_its_patches() {
        const PIECE: usize = 5000;
        let mut memory = CodeMemory::new(4 << 20).expect("the host has memory");
        let places: Vec<u64> = (0..400u32).map(|n| memory.put(&[n as u8; PIECE])).collect();
        for (n, &at) in places.iter().enumerate() {
            memory.patch(at + 8, -(n as i32));
        }
        for (n, &at) in places.iter().enumerate() {
            // SAFETY: the code was put there.
            let code = unsafe { std::slice::from_raw_parts(at as *const u8, PIECE) };
            assert_eq!(code[8..12], (-(n as i32)).to_le_bytes());
            assert!(code[..8].iter().chain(&code[12..]).all(|&byte| byte == n as u8));
        }
    }

    #[test]
    fn full_large_pages_have_the_same_code_and_go_as_small_ones_do() {
        const PIECE: usize = 60_000;
        let mut memory = CodeMemory::new(8 << 20).expect("the host has memory");
        assert_eq!(memory.start() % LARGE as u64, 0, "the host has addresses");
        let keep = memory.used();
        for round in 0..3u8 {
            let places: Vec<u64> = (0..100u8).map(|n| memory.put(&[n ^ round; PIECE])).collect();
            assert_eq!(memory.large, 2);
            for (n, &at) in places.iter().enumerate() {
                memory.patch(at + 30_000, n as i32);
                // SAFETY: the code was put there.
                let code = unsafe { std::slice::from_raw_parts(at as *const u8, PIECE) };
                assert_eq!(code[30_000..30_004], (n as i32).to_le_bytes());
                assert!(code[..30_000].iter().chain(&code[30_004..]).all(|&byte| byte == n as u8 ^ round));
            }
            match round {
                0 => memory.truncate(keep),
                _ => memory.rewind(keep),
            }
            assert_eq!(memory.large, 0);
            // SAFETY: it is mapped.
            let after = unsafe { *memory.executable.add(3 << 20) };
            assert_eq!(after, 0, "the host has it back");
        }
        assert!(aligned(LARGE + PAGE).is_null(), "what is no whole large page lies anywhere");
    }

    #[test]
    fn what_is_written_after_a_rewind_is_what_is_executed() {
        let mut memory = CodeMemory::new(4 << 20).expect("the host has memory");
        let keep = memory.used();
        // Within the view, across its end and after it.
        for round in 0..3u8 {
            let places: Vec<u64> = (0..250u8).map(|n| memory.put(&[n ^ round; 6000])).collect();
            for (n, &at) in places.iter().enumerate() {
                memory.patch(at + 4000, n as i32);
                // SAFETY: the code was put there.
                let code = unsafe { std::slice::from_raw_parts(at as *const u8, 6000) };
                assert_eq!(code[4000..4004], (n as i32).to_le_bytes());
                assert!(code[..4000].iter().chain(&code[4004..]).all(|&byte| byte == n as u8 ^ round));
            }
            memory.rewind(keep);
            assert_eq!(memory.used(), keep);
        }
        // SAFETY: it is mapped.
        let last = unsafe { *memory.executable.add(1_200_000) };
        assert_eq!(last, 0, "what has no view is the host's again");
    }

    #[test]
    fn what_is_forgotten_is_the_hosts_again() {
        let mut memory = CodeMemory::new(1 << 20).expect("the host has memory");
        let first = memory.put(&[1; 100]);
        let keep = memory.used();
        memory.put(&[2; 500_000]);
        memory.truncate(keep);
        assert!(mapped(memory.executable, memory.len) <= 1);
        assert_eq!(memory.put(&[3; 100]), first + 112);
        // SAFETY: both pieces were put there.
        let code = unsafe { std::slice::from_raw_parts(first as *const u8, 212) };
        assert_eq!((code[0], code[99], code[112], code[211]), (1, 1, 3, 3));
    }

    #[test]
    fn parts_that_are_given_back_are_used_again_and_hold_nothing() {
        let mut parts = Parts::NONE;
        let taken = [8, 4, 8].map(|len| parts.take(len * PAGE));
        assert_eq!(taken.map(|at| at / PAGE as u64), [0, 8, 12]);
        parts.give_back(taken[0], 8 * PAGE);
        parts.give_back(taken[1], 4 * PAGE);
        assert_eq!([4, 4, 8].map(|len| parts.take(len * PAGE) / PAGE as u64), [8, 20, 0]);
        // What was last makes the file shorter: where one is too long a shorter one is tried.
        parts.give_back(20 * PAGE as u64, 4 * PAGE);
        assert_eq!(parts.end, 20 * PAGE as u64);

        let mut all: Vec<_> = (0..100).map(|_| CodeMemory::new(1 << 20).expect("the host has addresses")).collect();
        for memory in &mut all {
            memory.put(&[7; 1000]);
        }
        drop(all);
        let again = CodeMemory::new(1 << 20).expect("as before");
        // SAFETY: the bytes are mapped.
        let code = unsafe { std::slice::from_raw_parts(again.executable, 1000) };
        assert!(code.iter().all(|&byte| byte == 0));
    }
}
