//! Host files: reading and writing at an offset, which process holds a file, and fault injection.
//!
//! Everything an image does to its file goes through [`HostFile`], so that a test can make any request fail or fall
//! short ([`Faults`]). A failure carries the file's name and the host's reason: it becomes the operator's message.

mod direct;

pub(crate) use direct::{Once, Room};

use crate::error::{ImageError, MediaError};
use base::file::{self, Access};
use direct::PAGE;
use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io;
use std::num::NonZeroU64;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

/// A request to the host, for [`Faults`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// Bytes are to be read.
    Read {
        /// The first byte's place in the file.
        offset: u64,
        /// How many bytes.
        length: usize,
    },
    /// Bytes are to be written.
    Write {
        /// The first byte's place in the file.
        offset: u64,
        /// How many bytes.
        length: usize,
    },
    /// What was written is to reach the host's medium.
    Sync,
    /// The file is to have so many bytes.
    SetLength(u64),
}

/// What becomes of a request.
#[derive(Debug)]
pub enum Outcome {
    /// The host does it.
    Pass,
    /// Only so many bytes are read or written, as the host may do at any time.
    Short(usize),
    /// It fails with this error.
    Fail(io::Error),
}

/// Fault injection: tests decide what becomes of each request.
pub trait Faults: Send + Sync {
    /// What becomes of `request`. It is asked before the host does anything.
    fn outcome(&self, request: Request) -> Outcome;
}

impl<F: Fn(Request) -> Outcome + Send + Sync> Faults for F {
    fn outcome(&self, request: Request) -> Outcome {
        self(request)
    }
}

/// An open host file that is locked: alone if it may be written, together with other readers if not.
pub struct HostFile {
    file: File,
    path: PathBuf,
    writable: bool,
    faults: Option<Arc<dyn Faults>>,
    /// The same file, opened when it is first wanted, for reading past the host's storage, where that is done.
    past: OnceLock<Option<File>>,
}

impl HostFile {
    /// Opens and locks `path`; without write permission it is opened for reading, which [`HostFile::writable`] tells.
    pub fn open(path: &Path, write: bool, faults: Option<Arc<dyn Faults>>) -> Result<HostFile, ImageError> {
        loop {
            let host = HostFile::open_and_lock(path, write, faults.clone())?;
            // While it waited for the lock, another file may have taken its place: what is written would be nowhere.
            let place = |metadata: Metadata| (metadata.dev(), metadata.ino());
            if host.file.metadata().map(place).ok() == std::fs::metadata(path).map(place).ok() {
                return Ok(host);
            }
        }
    }

    fn open_and_lock(path: &Path, write: bool, faults: Option<Arc<dyn Faults>>) -> Result<HostFile, ImageError> {
        let fail = |error: &io::Error| ImageError::Host(format!("{}: {error}", path.display()));
        let mut writable = write;
        let mut opened = file::open(path, if write { Access::Write } else { Access::Read });
        let refused = |error: &io::Error| {
            matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
        };
        if write && opened.as_ref().is_err_and(refused) {
            writable = false;
            opened = file::open(path, Access::Read);
        }
        let file = opened.map_err(|error| match file::is_not_ordinary(&error) {
            true => ImageError::NotAnImage { path: path.into(), why: error.to_string() },
            false => fail(&error),
        })?;
        let host = HostFile { file, path: path.into(), writable, faults, past: OnceLock::new() };
        host.lock()?;
        Ok(host)
    }

    /// Makes a new file, which must not exist yet, and locks it.
    pub fn create(path: &Path, faults: Option<Arc<dyn Faults>>) -> Result<HostFile, ImageError> {
        let opened = OpenOptions::new().read(true).write(true).create_new(true).open(path);
        let file = opened.map_err(|error| ImageError::Host(format!("{}: {error}", path.display())))?;
        let host = HostFile { file, path: path.into(), writable: true, faults, past: OnceLock::new() };
        host.lock()?;
        Ok(host)
    }

    /// Opens a file that belongs to an image which is locked already; `None` if it is not there, or cannot be opened.
    pub(crate) fn open_beside(path: &Path, write: bool, faults: Option<Arc<dyn Faults>>) -> Option<HostFile> {
        let written = file::open(path, if write { Access::Write } else { Access::Read });
        let writable = write && written.is_ok();
        let file = written.or_else(|_| file::open(path, Access::Read)).ok()?;
        Some(HostFile { file, path: path.into(), writable, faults, past: OnceLock::new() })
    }

    fn lock(&self) -> Result<(), ImageError> {
        match file::lock(&self.file, self.writable) {
            Ok(()) => Ok(()),
            Err(TryLockError::WouldBlock) => {
                let holder = holder(&self.file).unwrap_or_else(|| "another process".into());
                Err(ImageError::InUse { path: self.path.clone(), holder })
            }
            // A file system without locks (some network file systems): better a disk without protection than none.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
            Err(TryLockError::Error(error)) => Err(ImageError::Host(format!("{}: {error}", self.path.display()))),
        }
    }

    /// From now on no process writes this file, and others may read it: it has become part of a snapshot.
    pub fn share(&self) -> Result<(), MediaError> {
        // Taken while the exclusive lock is held, this turns one into the other.
        self.file.lock_shared().map_err(|error| self.fail(&error))
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it was opened for writing: not if only reading was asked for or allowed.
    pub fn writable(&self) -> bool {
        self.writable
    }

    #[cfg(test)]
    fn file(&self) -> &File {
        &self.file
    }

    /// The file for reading past the host's storage.
    pub(crate) fn past(&self) -> Option<&File> {
        let open = || if self.faults.is_some() { None } else { direct::open(&self.file, &self.path) };
        self.past.get_or_init(open).as_ref()
    }

    #[cfg(test)]
    pub(crate) fn set_past(&self, past: Option<File>) {
        self.past.set(past).expect("it was not wanted yet");
    }

    /// Bytes of the file, as the host says now.
    #[expect(clippy::len_without_is_empty, reason = "a length that has to be asked of the host, and may fail")]
    pub fn len(&self) -> Result<u64, MediaError> {
        Ok(self.file.metadata().map_err(|error| self.fail(&error))?.len())
    }

    /// When it was written last.
    pub(crate) fn modified(&self) -> Result<SystemTime, MediaError> {
        self.file.metadata().and_then(|metadata| metadata.modified()).map_err(|error| self.fail(&error))
    }

    /// When it was made, by which it is told from another file that had its name; the epoch if the host does not say.
    pub(crate) fn made(&self) -> SystemTime {
        self.file.metadata().and_then(|metadata| metadata.created()).unwrap_or(SystemTime::UNIX_EPOCH)
    }

    fn fail(&self, error: &io::Error) -> MediaError {
        let text = format!("{}: {error}", self.path.display());
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => MediaError::Full(text),
            _ => MediaError::Host(text),
        }
    }

    fn outcome(&self, request: Request) -> Outcome {
        self.faults.as_ref().map_or(Outcome::Pass, |faults| faults.outcome(request))
    }

    /// Reads all of `to`; a file that ends before is damaged.
    pub fn read_at(&self, mut offset: u64, mut to: &mut [u8]) -> Result<(), MediaError> {
        while !to.is_empty() {
            let length = match self.outcome(Request::Read { offset, length: to.len() }) {
                Outcome::Pass => to.len(),
                Outcome::Short(n) => n.min(to.len()),
                Outcome::Fail(error) => return Err(self.fail(&error)),
            };
            match self.file.read_at(&mut to[..length], offset) {
                Ok(0) => {
                    return Err(MediaError::Damaged(format!("{} ends at byte {offset}", self.path.display())));
                }
                Ok(n) => {
                    offset += n as u64;
                    to = &mut to[n..];
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.fail(&error)),
            }
        }
        Ok(())
    }

    /// Reads `length` bytes; a file that ends before is damaged.
    pub fn read_new(&self, offset: u64, length: usize) -> Result<Vec<u8>, MediaError> {
        let mut bytes = Vec::with_capacity(length);
        if self.faults.is_none() {
            // What the host writes over need not be zeros before. It may give more than was asked for, or less.
            match rustix::io::pread(&self.file, rustix::buffer::spare_capacity(&mut bytes), offset) {
                Ok(_) => bytes.truncate(length),
                Err(error) if error == rustix::io::Errno::INTR => {}
                Err(error) => return Err(self.fail(&error.into())),
            }
        }
        let done = bytes.len();
        bytes.resize(length, 0);
        self.read_at(offset + done as u64, &mut bytes[done..])?;
        Ok(bytes)
    }

    /// Reads `length` bytes, all of which will be wanted, past the host's storage unless it has them or is to `keep`
    /// them. A file that ends before is damaged.
    pub(crate) fn read_run<'a>(
        &self,
        offset: u64,
        length: usize,
        keep: bool,
        room: &'a mut Room,
    ) -> Result<&'a [u8], MediaError> {
        let skip = (offset % PAGE as u64) as usize;
        let from = offset - skip as u64;
        let bytes = room.of((skip + length).next_multiple_of(PAGE));
        let found = match keep {
            false => self.past().map_or(0, |past| direct::fetch(&self.file, past, from, bytes)),
            true => {
                // Probably what follows was read before, too.
                self.will_need(offset + length as u64, length as u64);
                0
            }
        };
        if found < skip + length {
            self.read_at(from + found as u64, &mut bytes[found..skip + length])?;
        }
        Ok(&bytes[skip..skip + length])
    }

    /// Tells the host that this will be read soon, so that it may fetch it meanwhile. A host that cannot does not.
    pub fn will_need(&self, offset: u64, length: u64) {
        let _ = rustix::fs::fadvise(&self.file, offset, NonZeroU64::new(length), rustix::fs::Advice::WillNeed);
    }

    /// Writes all of `from`; after an error any part of it may have been written.
    pub fn write_at(&self, mut offset: u64, mut from: &[u8]) -> Result<(), MediaError> {
        while !from.is_empty() {
            let length = match self.outcome(Request::Write { offset, length: from.len() }) {
                Outcome::Pass => from.len(),
                Outcome::Short(n) => n.min(from.len()),
                Outcome::Fail(error) => return Err(self.fail(&error)),
            };
            match self.file.write_at(&from[..length], offset) {
                Ok(0) => return Err(self.fail(&io::ErrorKind::WriteZero.into())),
                Ok(n) => {
                    offset += n as u64;
                    from = &from[n..];
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.fail(&error)),
            }
        }
        Ok(())
    }

    /// What was written is on the host's medium.
    pub fn sync(&self) -> Result<(), MediaError> {
        match self.outcome(Request::Sync) {
            Outcome::Fail(error) => Err(self.fail(&error)),
            _ => self.file.sync_data().map_err(|error| self.fail(&error)),
        }
    }

    /// Gives the file this length in bytes: it is cut, or zeros are added.
    pub fn set_len(&self, length: u64) -> Result<(), MediaError> {
        match self.outcome(Request::SetLength(length)) {
            Outcome::Fail(error) => Err(self.fail(&error)),
            _ => self.file.set_len(length).map_err(|error| self.fail(&error)),
        }
    }
}

/// The folder `path` is in is as safe as the host can make it: names made, changed and removed there stay so.
pub fn sync_folder(path: &Path) -> Result<(), MediaError> {
    file::sync_folder(path).map_err(|error| MediaError::Host(format!("{}: {error}", path.display())))
}

/// The process that holds a lock of `file`, from the host's list of locks (Linux).
fn holder(file: &File) -> Option<String> {
    let metadata = file.metadata().ok()?;
    let device = metadata.dev();
    // The numbers as the kernel packs them for user programs (makedev).
    let major = (device >> 8 & 0xFFF) | (device >> 32 & !0xFFF);
    let minor = (device & 0xFF) | (device >> 12 & !0xFF);
    let wanted = format!("{major:02x}:{minor:02x}:{}", metadata.ino());
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    for line in locks.lines() {
        // 1: FLOCK  ADVISORY  WRITE 1234 fe:01:5678 0 EOF
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(at) = words.iter().position(|word| *word == wanted) else { continue };
        let pid: u32 = words.get(at.checked_sub(1)?)?.parse().ok()?;
        if pid == std::process::id() {
            return Some("this process".into());
        }
        let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        return Some(match name.trim() {
            "" => format!("process {pid}"),
            name => format!("process {pid} ({name})"),
        });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    #[test]
    fn short_reads_and_writes_go_on_where_they_stopped() {
        let folder = support::folder::Folder::empty("short");
        let count = Arc::new(AtomicUsize::new(0));
        let counted = count.clone();
        let faults = move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
            Outcome::Short(3)
        };
        let file = HostFile::create(&folder.path("x"), Some(Arc::new(faults))).unwrap();
        file.write_at(5, b"0123456789").unwrap();
        let mut read = [0; 12];
        file.read_at(3, &mut read).unwrap();
        assert_eq!(&read, b"\0\x000123456789");
        assert_eq!(count.load(Ordering::Relaxed), 4 + 4);
        assert!(matches!(file.read_at(14, &mut read), Err(MediaError::Damaged(_))));
    }

    #[test]
    fn a_file_in_use_is_refused_and_its_holder_named() {
        let folder = support::folder::Folder::empty("lock");
        let path = folder.path("x");
        let first = HostFile::create(&path, None).unwrap();
        for write in [true, false] {
            let refused = HostFile::open(&path, write, None).err();
            assert_eq!(refused, Some(ImageError::InUse { path: path.clone(), holder: "this process".into() }));
        }
        drop(first);
        let readers = [HostFile::open(&path, false, None).unwrap(), HostFile::open(&path, false, None).unwrap()];
        assert!(HostFile::open(&path, true, None).is_err());
        drop(readers);
        assert!(HostFile::open(&path, true, None).is_ok());
    }

    #[test]
    fn a_file_that_gets_another_one_s_name_is_what_is_opened() {
        let folder = support::folder::Folder::empty("renamed");
        let (path, new) = (folder.path("x"), folder.path("new"));
        for round in 0..5 {
            let old = HostFile::open(&path, true, None).or_else(|_| HostFile::create(&path, None)).unwrap();
            std::thread::scope(|scope| {
                let opened = scope.spawn(|| HostFile::open(&path, true, None).unwrap());
                // Meanwhile it waits for the lock.
                std::thread::sleep(Duration::from_millis(25));
                std::fs::write(&new, [round]).unwrap();
                std::fs::rename(&new, &path).unwrap();
                drop(old);
                let mut byte = [0xff];
                opened.join().unwrap().read_at(0, &mut byte).unwrap();
                assert_eq!(byte, [round]);
            });
        }
    }
}
