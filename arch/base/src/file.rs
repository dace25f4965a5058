//! The one way to files of the host that a user names: what is no ordinary file is refused at once.
//!
//! To open a FIFO waits until its other end is open, to read `/dev/zero` never ends, and some devices do something
//! when they are opened. None of them is a disk, a tape, a text or a kernel. So the host is asked what is there before
//! it is opened, and again afterwards, as the name may be another file's by then. Where a pipe is good enough
//! ([`source`]), it is one that has its other end already: `<(zcat kernel.gz)` of a shell.

use rustix::fs::OFlags;
use std::fs::{File, FileType, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;
use std::thread;
use std::time::Duration;

/// The most bytes that a text may have which a person writes: a directory of a hundred thousand users has a fifth of
/// it.
pub const TEXT: u64 = 64 << 20;

/// What is done with a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Reading alone.
    Read,
    /// Reading and writing.
    Write,
    /// The same; the file is made if it is not there.
    Make,
}

/// Opens an ordinary file.
pub fn open(path: &Path, access: Access) -> io::Result<File> {
    match path.metadata() {
        Ok(found) => ordinary(&found)?,
        Err(error) if access == Access::Make && error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let file =
        at_once(path, OpenOptions::new().read(true).write(access != Access::Read).create(access == Access::Make))?;
    ordinary(&file.metadata()?)?;
    Ok(file)
}

/// Opens what is only read from its beginning to its end: an ordinary file, or a pipe without a name of its own.
pub fn source(path: &Path) -> io::Result<File> {
    if !connected(path, &path.metadata()?) {
        return open(path, Access::Read);
    }
    let file = at_once(path, OpenOptions::new().read(true))?;
    // It is to wait for what the other end has not written yet.
    rustix::io::ioctl_fionbio(&file, false)?;
    Ok(file)
}

/// The contents of an ordinary file, of at most so many bytes.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    all_of(open(path, Access::Read)?, most)
}

/// As [`read`], of a text.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    let text = String::from_utf8(read(path, most)?);
    text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not text in UTF-8"))
}

/// What is left of a file, of at most so many bytes.
pub fn all_of(file: File, most: u64) -> io::Result<Vec<u8>> {
    let too_large = || io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {most} bytes"));
    if file.metadata()?.len() > most {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large()) } else { Ok(bytes) }
}

/// Writes a file as a whole. It may be a terminal or `/dev/null`, too.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Ok(found) = path.metadata()
        && !found.file_type().is_char_device()
        && !connected(path, &found)
    {
        ordinary(&found)?;
    }
    let mut file = at_once(path, OpenOptions::new().write(true).create(true).truncate(true))?;
    rustix::io::ioctl_fionbio(&file, false)?;
    file.write_all(bytes)
}

/// Gives a file these contents, whole or not at all: a process or a host that stops meanwhile leaves it as it was, or
/// as it is to be. They are written beside it first, under its name with the extension `new`. `mode` has the
/// permissions, of which the process's mask takes some.
pub fn replace(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    may_be_replaced(path)?;
    let new = path.with_extension("new");
    let written = || -> io::Result<()> {
        let mut file = at_once(&new, OpenOptions::new().write(true).create(true).truncate(true).mode(mode))?;
        ordinary(&file.metadata()?)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&new, path)
    };
    written().inspect_err(|_| _ = std::fs::remove_file(&new))?;
    sync_folder(path)
}

/// Forces the names in the folder that a file is in to the medium: those made, changed and removed there stay so.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

/// Whether a new file may take this name: nothing has it, or an ordinary file.
pub fn may_be_replaced(path: &Path) -> io::Result<()> {
    match path.metadata() {
        Ok(found) => ordinary(&found),
        Err(_) => Ok(()),
    }
}

/// Locks an open file until it is closed: for this holder alone, or for all that only read it.
///
/// A process that is just being started holds for a moment what the one that starts it had open, with the locks. So
/// what is locked is asked for again for a quarter of a second.
pub fn lock(file: &File, alone: bool) -> Result<(), TryLockError> {
    let attempt = || if alone { file.try_lock() } else { file.try_lock_shared() };
    for pause in LOCK_PAUSES {
        match attempt() {
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(pause)),
            answer => return answer,
        }
    }
    attempt()
}

/// Milliseconds between one attempt to lock a file and the next.
const LOCK_PAUSES: [u64; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

/// Whether this is the error about what is no ordinary file.
pub fn is_not_ordinary(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|why| why.is::<NotOrdinary>())
}

/// Does not wait for the other end of a pipe.
fn at_once(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    options.custom_flags(flags.bits() as i32).open(path)
}

/// A pipe that was opened for us has no place in a folder.
fn connected(path: &Path, found: &Metadata) -> bool {
    found.file_type().is_fifo() && path.canonicalize().is_err()
}

fn ordinary(found: &Metadata) -> io::Result<()> {
    match found.is_file() {
        true => Ok(()),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, NotOrdinary(name(found.file_type())))),
    }
}

fn name(kind: FileType) -> &'static str {
    match () {
        () if kind.is_dir() => "a folder",
        () if kind.is_fifo() => "a FIFO",
        () if kind.is_socket() => "a socket",
        () => "a device",
    }
}

/// What it is instead.
#[derive(Debug, thiserror::Error)]
#[error("it is not an ordinary file but {0}")]
struct NotOrdinary(&'static str);

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;
    use std::process::Command;

    /// In each way, each thing that is no ordinary file: told at once.
    #[test]
    fn what_is_no_ordinary_file_is_refused() {
        let folder = std::env::temp_dir().join(format!("endicott-file-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let path = |name: &str| folder.join(name);
        assert!(Command::new("mkfifo").arg(path("fifo")).status().unwrap().success());
        let _socket = UnixListener::bind(path("socket")).unwrap();
        std::os::unix::fs::symlink(path("fifo"), path("link")).unwrap();
        let strange = [
            (path("fifo"), "a FIFO"),
            (path("link"), "a FIFO"),
            (path("socket"), "a socket"),
            (folder.clone(), "a folder"),
            ("/dev/zero".into(), "a device"),
            ("/dev/null".into(), "a device"),
        ];
        for (path, what) in &strange {
            let refused = [
                open(path, Access::Read).err(),
                open(path, Access::Write).err(),
                open(path, Access::Make).err(),
                source(path).err(),
                read(path, 10).err(),
                may_be_replaced(path).err(),
            ];
            for error in refused {
                let error = error.unwrap_or_else(|| panic!("{} was opened", path.display()));
                assert!(is_not_ordinary(&error) && error.to_string().ends_with(&format!("but {what}")), "{error}");
            }
        }
        assert!(write(&path("fifo"), b"x").is_err() && write(&folder, b"x").is_err());
        write(Path::new("/dev/null"), b"x").unwrap();
        assert!(write(Path::new("/dev/full"), b"x").is_err());
        write(&path("new"), b"12345").unwrap();
        assert_eq!(read(&path("new"), 5).unwrap(), b"12345");
        assert_eq!(read(&path("new"), 4).unwrap_err().to_string(), "it has more than 4 bytes");
        assert!(open(&path("none"), Access::Write).is_err() && !path("none").exists());
        open(&path("none"), Access::Make).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_file_is_replaced_as_a_whole() {
        use std::os::unix::fs::PermissionsExt;
        let folder = std::env::temp_dir().join(format!("endicott-replace-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("folder")).unwrap();
        let (path, new) = (folder.join("a.meta"), folder.join("a.new"));
        // What a killed process left is in no way.
        std::fs::write(&new, "left over, and longer").unwrap();
        replace(&path, b"one", 0o600).unwrap();
        std::fs::remove_file(&path).unwrap();
        for contents in [&b"one"[..], b"2"] {
            replace(&path, contents, 0o600).unwrap();
            assert_eq!((read(&path, 10).unwrap().as_slice(), new.exists()), (contents, false));
        }
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert!(is_not_ordinary(&replace(&folder.join("folder"), b"x", 0o600).unwrap_err()));
        // Where it cannot be written, what was there stays.
        std::fs::create_dir(&new).unwrap();
        assert!(replace(&path, b"three", 0o600).is_err());
        assert_eq!(read(&path, 10).unwrap(), b"2");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    /// What holds a lock for a moment is waited for, what keeps it is not.
    #[test]
    fn a_lock_that_is_given_back_soon_is_waited_for() {
        let path = std::env::temp_dir().join(format!("endicott-lock-{}", std::process::id()));
        let opened = || open(&path, Access::Make).unwrap();
        let first = opened();
        lock(&first, true).unwrap();
        for alone in [true, false] {
            assert!(matches!(lock(&opened(), alone), Err(TryLockError::WouldBlock)));
        }
        let holder = thread::spawn(move || {
            thread::sleep(Duration::from_millis(20));
            drop(first);
        });
        lock(&opened(), true).unwrap();
        holder.join().unwrap();
        let (one, other) = (opened(), opened());
        lock(&one, false).and_then(|()| lock(&other, false)).unwrap();
        assert!(matches!(lock(&opened(), true), Err(TryLockError::WouldBlock)));
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_pipe_that_has_its_other_end_is_read_to_its_end() {
        use std::os::fd::AsRawFd;
        let (from, mut to) = io::pipe().unwrap();
        let path = format!("/proc/self/fd/{}", from.as_raw_fd());
        let writer = std::thread::spawn(move || {
            for _ in 0..3 {
                std::thread::sleep(std::time::Duration::from_millis(20));
                to.write_all(&[7; 100_000]).unwrap();
            }
        });
        assert_eq!(all_of(source(Path::new(&path)).unwrap(), 1 << 20).unwrap(), vec![7; 300_000]);
        writer.join().unwrap();
        assert!(open(Path::new(&path), Access::Read).is_err());
    }
}
