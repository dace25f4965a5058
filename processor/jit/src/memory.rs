//! Memory for generated code: the same pages twice, once writable and once executable, so that no address is ever both.
//!
//! The host maps a page where it is written to and where it is executed, and counts it as resident for each. What has been
//! written is seldom written to again, so the writable view's pages are given up when they have become many; what they hold stays.

use std::io;

/// One code cache.
pub struct CodeMemory {
    writable: *mut u8,
    executable: *const u8,
    len: usize,
    used: usize,
    /// Pages of the writable view that may be mapped, a bit each as far as any was, and how many they are.
    touched: Vec<u64>,
    mapped: usize,
}

/// Pages of the writable view that may stay mapped.
const MOST_MAPPED: usize = 64;
const PAGE: usize = 4096;

// SAFETY: the mappings belong to this value alone and stay until it is dropped.
unsafe impl Send for CodeMemory {}

impl CodeMemory {
    /// Room for `most` bytes, or for less where the host reserves no more addresses: a half, a quarter, down to a
    /// sixty-fourth.
    pub fn reserve(most: usize) -> io::Result<CodeMemory> {
        let smaller = (1..=6).map(|half| CodeMemory::new(most >> half));
        CodeMemory::new(most).or_else(|why| smaller.into_iter().find_map(Result::ok).ok_or(why))
    }

    /// Room for `len` bytes. Pages that are never written to cost nothing.
    pub fn new(len: usize) -> io::Result<CodeMemory> {
        // SAFETY: a new descriptor and two new mappings of it touch nothing that exists.
        unsafe {
            let file = libc::memfd_create(c"endicott-code".as_ptr(), libc::MFD_CLOEXEC);
            if file < 0 {
                return Err(io::Error::last_os_error());
            }
            let map = |protection| libc::mmap(std::ptr::null_mut(), len, protection, libc::MAP_SHARED, file, 0);
            let result = if libc::ftruncate(file, len as libc::off_t) == 0 {
                let writable = map(libc::PROT_READ | libc::PROT_WRITE);
                let executable = map(libc::PROT_READ | libc::PROT_EXEC);
                match (writable == libc::MAP_FAILED, executable == libc::MAP_FAILED) {
                    (false, false) => Ok(CodeMemory {
                        writable: writable.cast(),
                        executable: executable.cast(),
                        len,
                        used: 0,
                        touched: Vec::new(),
                        mapped: 0,
                    }),
                    (writable_failed, _) => {
                        let error = io::Error::last_os_error();
                        if !writable_failed {
                            libc::munmap(writable, len);
                        }
                        Err(error)
                    }
                }
            } else {
                Err(io::Error::last_os_error())
            };
            libc::close(file);
            result
        }
    }

    /// Bytes in use.
    pub fn used(&self) -> usize {
        self.used
    }

    /// Bytes left.
    pub fn left(&self) -> usize {
        self.len - self.used
    }

    /// Bytes in all.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Where the first code is executed.
    pub fn start(&self) -> u64 {
        self.executable as u64
    }

    /// The address at which the code that is put next will be executed.
    pub fn next(&self) -> u64 {
        self.executable as u64 + self.used as u64
    }

    /// Appends code, which must fit. Returns the address at which it can be executed.
    pub fn put(&mut self, code: &[u8]) -> u64 {
        assert!(code.len() + 16 <= self.left(), "the caller has looked whether there is room");
        let at = self.next();
        self.will_write(self.used, code.len());
        // SAFETY: the range lies in the writable mapping, behind everything that was put before.
        unsafe { std::ptr::copy_nonoverlapping(code.as_ptr(), self.writable.add(self.used), code.len()) };
        self.used = (self.used + code.len() + 15) & !15;
        at
    }

    /// Replaces the 32-bit displacement at the executable address `at`, which lies in code that was put.
    pub fn patch(&mut self, at: u64, displacement: i32) {
        let offset = (at - self.executable as u64) as usize;
        assert!(offset + 4 <= self.used, "what is patched was put");
        self.will_write(offset, 4);
        // SAFETY: the four bytes lie in the writable mapping. Nobody executes this cache now: it is one CPU's own.
        unsafe { self.writable.add(offset).cast::<i32>().write_unaligned(displacement) };
    }

    /// Replaces what is at the executable address `at`, which lies in code that was put, by a jump.
    pub fn jump(&mut self, at: u64, to: u64) {
        let offset = (at - self.executable as u64) as usize;
        assert!(offset + 5 <= self.used, "what is replaced was put");
        self.will_write(offset, 5);
        // SAFETY: as above.
        unsafe { self.writable.add(offset).write(0xe9) };
        self.patch(at + 1, (to as i64 - (at as i64 + 5)) as i32);
    }

    /// Forgets everything behind the first `keep` bytes; the host has its memory back.
    pub fn truncate(&mut self, keep: usize) {
        let from = keep.next_multiple_of(PAGE);
        self.advise(from, libc::MADV_REMOVE);
        self.used = keep;
        self.count_anew();
    }

    fn count_anew(&mut self) {
        self.touched.clear();
        self.mapped = 0;
    }

    /// So many bytes of the writable view are going to be written.
    fn will_write(&mut self, offset: usize, len: usize) {
        let pages = offset / PAGE..(offset + len).div_ceil(PAGE);
        let bit = |page: usize| (page / 64, 1 << (page % 64));
        let words = pages.end.div_ceil(64);
        if self.touched.len() < words {
            self.touched.resize(words, 0);
        }
        let new = |touched: &[u64]| pages.clone().map(bit).filter(|&(word, bit)| touched[word] & bit == 0).count();
        if self.mapped + new(&self.touched) > MOST_MAPPED {
            self.advise(0, libc::MADV_DONTNEED);
            self.touched.fill(0);
            self.mapped = 0;
        }
        self.mapped += new(&self.touched);
        for (word, bit) in pages.map(bit) {
            self.touched[word] |= bit;
        }
    }

    /// Advice on what is in use of the writable view from byte `from` on. A host that does not take it has less memory
    /// left, that is all.
    fn advise(&self, from: usize, advice: libc::c_int) {
        if let Some(len) = self.used.next_multiple_of(PAGE).checked_sub(from).filter(|&len| len > 0) {
            // SAFETY: the range lies in the writable mapping. It is shared: what is given up there is not lost, and only what
            // nobody executes any more is removed.
            unsafe { libc::madvise(self.writable.add(from).cast(), len, advice) };
        }
    }
}

impl Drop for CodeMemory {
    fn drop(&mut self) {
        // SAFETY: both mappings are ours, and nobody executes code of a cache that is dropped.
        unsafe {
            libc::munmap(self.writable.cast(), self.len);
            libc::munmap(self.executable.cast_mut().cast(), self.len);
        }
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
    fn code_stays_when_the_writable_view_gives_up_its_pages() {
        const PIECE: usize = 5000;
        let mut memory = CodeMemory::new(4 << 20).expect("the host has memory");
        let places: Vec<u64> = (0..400u32).map(|n| memory.put(&[n as u8; PIECE])).collect();
        assert!(mapped(memory.writable, memory.len) <= MOST_MAPPED);
        for (n, &at) in places.iter().enumerate() {
            memory.patch(at + 8, -(n as i32));
        }
        assert!(mapped(memory.writable, memory.len) <= MOST_MAPPED);
        for (n, &at) in places.iter().enumerate() {
            // SAFETY: the code was put there.
            let code = unsafe { std::slice::from_raw_parts(at as *const u8, PIECE) };
            assert_eq!(code[8..12], (-(n as i32)).to_le_bytes());
            assert!(code[..8].iter().chain(&code[12..]).all(|&byte| byte == n as u8));
        }
    }

    #[test]
    fn what_is_forgotten_is_the_hosts_again() {
        let mut memory = CodeMemory::new(1 << 20).expect("the host has memory");
        let first = memory.put(&[1; 100]);
        let keep = memory.used();
        memory.put(&[2; 500_000]);
        memory.truncate(keep);
        assert!(mapped(memory.executable, memory.len) <= 1 && mapped(memory.writable, memory.len) <= 1);
        assert_eq!(memory.put(&[3; 100]), first + 112);
        // SAFETY: both pieces were put there.
        let code = unsafe { std::slice::from_raw_parts(first as *const u8, 212) };
        assert_eq!((code[0], code[99], code[112], code[211]), (1, 1, 3, 3));
    }
}
