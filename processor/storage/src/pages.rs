//! Pages that storages of several configurations share: a file of the host without a name, and which storages have it.

use crate::Storage;
use base::Held;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, MutexGuard, Weak};

/// Pages of host storage that can be part of several configurations' storage at once ([`crate::Storage::attach`]). They
/// are zero until they are written, and take no room before.
pub struct Pages {
    file: File,
    len: u64,
    pub(crate) sharers: Arc<Sharers>,
}

impl Pages {
    /// Zero pages of `len` bytes in all.
    pub fn new(len: u64) -> io::Result<Pages> {
        let file = nameless()?;
        file.set_len(len)?;
        Ok(Pages { file, len, sharers: Arc::default() })
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.len
    }

    /// Writes bytes.
    pub fn write(&self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all_at(bytes, at)
    }

    pub(crate) fn descriptor(&self) -> i32 {
        self.file.as_raw_fd()
    }
}

/// The storages that have pages which all of them store into.
#[derive(Default)]
pub(crate) struct Sharers(Mutex<Vec<Sharer>>);

/// One of them.
pub(crate) struct Sharer {
    pub(crate) storage: Weak<Storage>,
    /// Where it has them.
    pub(crate) range: Range<u64>,
    /// The first of them that it has.
    pub(crate) from: u64,
}

impl Sharers {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Vec<Sharer>> {
        self.0.lock().held()
    }
}

#[cfg(target_os = "linux")]
fn nameless() -> io::Result<File> {
    // SAFETY: the name is a C string; nothing else is handed over.
    let descriptor = unsafe { libc::memfd_create(c"saved pages".as_ptr(), libc::MFD_CLOEXEC) };
    owned(descriptor)
}

#[cfg(not(target_os = "linux"))]
fn nameless() -> io::Result<File> {
    let mut name = *b"/tmp/endicott.XXXXXX\0";
    // SAFETY: the name is a C string that the call may change; the file it makes loses its name at once.
    let descriptor = unsafe {
        let descriptor = libc::mkstemp(name.as_mut_ptr().cast());
        libc::unlink(name.as_ptr().cast());
        descriptor
    };
    owned(descriptor)
}

fn owned(descriptor: i32) -> io::Result<File> {
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor was just opened, and nothing else has it.
    Ok(unsafe { File::from_raw_fd(descriptor) })
}
