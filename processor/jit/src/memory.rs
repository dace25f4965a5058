//! Memory for generated code: the same pages twice, once writable and once executable, so that no address is ever both.

use std::io;

/// One code cache.
pub struct CodeMemory {
    writable: *mut u8,
    executable: *const u8,
    len: usize,
    used: usize,
}

// SAFETY: the mappings belong to this value alone and stay until it is dropped.
unsafe impl Send for CodeMemory {}

impl CodeMemory {
    /// Room for `len` bytes. Pages that are never written to cost nothing.
    pub fn new(len: usize) -> io::Result<CodeMemory> {
        // SAFETY: a new descriptor and two new mappings of it touch nothing that exists.
        unsafe {
            let file = libc::memfd_create(c"endicott-code".as_ptr(), libc::MFD_CLOEXEC);
            if file < 0 {
                return Err(io::Error::last_os_error());
            }
            let map = |protection| libc::mmap(std::ptr::null_mut(), len, protection, libc::MAP_SHARED, file, 0);
            let mut result = Err(io::Error::last_os_error());
            if libc::ftruncate(file, len as libc::off_t) == 0 {
                let writable = map(libc::PROT_READ | libc::PROT_WRITE);
                let executable = map(libc::PROT_READ | libc::PROT_EXEC);
                result = match (writable == libc::MAP_FAILED, executable == libc::MAP_FAILED) {
                    (false, false) => {
                        Ok(CodeMemory { writable: writable.cast(), executable: executable.cast(), len, used: 0 })
                    }
                    (writable_failed, _) => {
                        let error = io::Error::last_os_error();
                        if !writable_failed {
                            libc::munmap(writable, len);
                        }
                        Err(error)
                    }
                };
            }
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

    /// The address at which the code that is put next will be executed.
    pub fn next(&self) -> u64 {
        self.executable as u64 + self.used as u64
    }

    /// Appends code, which must fit. Returns the address at which it can be executed.
    pub fn put(&mut self, code: &[u8]) -> u64 {
        assert!(code.len() + 16 <= self.left(), "the caller has looked whether there is room");
        let at = self.next();
        // SAFETY: the range lies in the writable mapping, behind everything that was put before.
        unsafe { std::ptr::copy_nonoverlapping(code.as_ptr(), self.writable.add(self.used), code.len()) };
        self.used = (self.used + code.len() + 15) & !15;
        at
    }

    /// Replaces the 32-bit displacement at the executable address `at`, which lies in code that was put.
    pub fn patch(&mut self, at: u64, displacement: i32) {
        let offset = (at - self.executable as u64) as usize;
        assert!(offset + 4 <= self.used, "what is patched was put");
        // SAFETY: the four bytes lie in the writable mapping. Nobody executes this cache now: it is one CPU's own.
        unsafe { self.writable.add(offset).cast::<i32>().write_unaligned(displacement) };
    }

    /// Forgets everything behind the first `keep` bytes.
    pub fn truncate(&mut self, keep: usize) {
        self.used = keep;
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
