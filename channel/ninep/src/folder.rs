//! The folder, as the host has it: files by their places below it, in calls that no link leads out of it.

use crate::attributes::{SET_ID, file_type};
use rustix::fs::{CWD, Dir, FileType, Mode, OFlags, ResolveFlags, Stat};
use rustix::io::{Errno, Result};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// What is resolved in one call of the host; a longer path goes name by name.
const ONE_CALL: usize = 4000;
/// The longest path below the folder.
const LONGEST_PATH: usize = 16 << 10;

/// A folder of the host.
pub struct Folder {
    root: OwnedFd,
    writable: bool,
    /// The host has no openat2, or keeps it from us.
    by_names: AtomicBool,
}

/// The place of a file: names below the folder with slashes between them; empty for the folder itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Place(Vec<u8>);

impl Place {
    /// What has this name there.
    pub(crate) fn join(&self, name: &[u8]) -> Result<Place> {
        if self.0.len() + name.len() >= LONGEST_PATH {
            return Err(Errno::NAMETOOLONG);
        }
        let slash: &[u8] = if self.0.is_empty() { b"" } else { b"/" };
        Ok(Place([&self.0, slash, name].concat()))
    }

    /// What it lies in, and its name there. `None` for the folder itself.
    fn split(&self) -> Option<(&[u8], &[u8])> {
        let name = self.0.rsplit(|byte| *byte == b'/').next().filter(|name| !name.is_empty())?;
        Some((&self.0[..(self.0.len() - name.len()).saturating_sub(1)], name))
    }

    /// What it lies in; the folder itself for that.
    pub(crate) fn parent(&self) -> Place {
        Place(self.split().map_or(Vec::new(), |(parent, _)| parent.to_vec()))
    }

    pub(crate) fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// If it is `old` or lies below it, where it lies when that has become `new`.
    pub(crate) fn moved(&self, old: &Place, new: &Place) -> Option<Place> {
        let rest = self.0.strip_prefix(&old.0[..])?;
        (rest.is_empty() || rest[0] == b'/').then(|| Place([&new.0, rest].concat()))
    }
}

impl Folder {
    /// The folder of this name.
    pub fn open(path: &Path, writable: bool) -> std::io::Result<Folder> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = rustix::fs::openat(CWD, path, flags, Mode::empty())?;
        Ok(Folder { root, writable, by_names: AtomicBool::new(false) })
    }

    /// Whether anything in it may change.
    pub fn writable(&self) -> bool {
        self.writable
    }

    /// A descriptor that stands for what is at a place, without having it open.
    pub(crate) fn handle(&self, place: &Place) -> Result<OwnedFd> {
        self.resolve(&place.0)
    }

    fn resolve(&self, path: &[u8]) -> Result<OwnedFd> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        if path.is_empty() {
            return rustix::fs::openat(&self.root, c".", flags, Mode::empty());
        }
        if path.len() <= ONE_CALL && !self.by_names.load(Relaxed) {
            let within = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
            match rustix::fs::openat2(&self.root, path, flags, Mode::empty(), within) {
                Err(Errno::NOSYS | Errno::PERM) => self.by_names.store(true, Relaxed),
                Err(Errno::AGAIN) => {}
                result => return result,
            }
        }
        let mut names = path.split(|byte| *byte == b'/').peekable();
        let mut at: Option<OwnedFd> = None;
        while let Some(name) = names.next() {
            let flags = if names.peek().is_some() { flags | OFlags::DIRECTORY } else { flags };
            let from = at.as_ref().unwrap_or(&self.root).as_fd();
            at = Some(rustix::fs::openat(from, name, flags, Mode::empty())?);
        }
        at.ok_or(Errno::NOENT)
    }

    /// A descriptor of the folder that a file lies in, and the file's name there.
    fn parent<'a>(&self, place: &'a Place) -> Result<(OwnedFd, &'a [u8])> {
        // The folder itself is not renamed or taken away.
        let (parent, name) = place.split().ok_or(Errno::BUSY)?;
        Ok((self.resolve(parent)?, name))
    }

    /// Makes an ordinary file, which must not be there, and opens it.
    pub(crate) fn create(&self, place: &Place, flags: OFlags, mode: u32) -> Result<OwnedFd> {
        let (parent, name) = self.parent(place)?;
        let flags = flags | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::openat(parent, name, flags, Mode::from_raw_mode(mode))
    }

    pub(crate) fn make_folder(&self, place: &Place, mode: u32) -> Result<()> {
        let (parent, name) = self.parent(place)?;
        rustix::fs::mkdirat(parent, name, Mode::from_raw_mode(mode))
    }

    /// Makes a FIFO, a socket's name, or an ordinary file.
    pub(crate) fn make_special(&self, place: &Place, kind: FileType, mode: u32) -> Result<()> {
        let (parent, name) = self.parent(place)?;
        rustix::fs::mknodat(parent, name, kind, Mode::from_raw_mode(mode), 0)
    }

    pub(crate) fn make_link(&self, place: &Place, target: &[u8]) -> Result<()> {
        let (parent, name) = self.parent(place)?;
        rustix::fs::symlinkat(target, parent, name)
    }

    /// Gives a file a second name.
    pub(crate) fn link(&self, old: &Place, new: &Place) -> Result<()> {
        let ((from, old), (to, new)) = (self.parent(old)?, self.parent(new)?);
        rustix::fs::linkat(from, old, to, new, rustix::fs::AtFlags::empty())
    }

    pub(crate) fn rename(&self, old: &Place, new: &Place) -> Result<()> {
        let ((from, old), (to, new)) = (self.parent(old)?, self.parent(new)?);
        rustix::fs::renameat(from, old, to, new)
    }

    pub(crate) fn remove(&self, place: &Place, folder: bool) -> Result<()> {
        let (parent, name) = self.parent(place)?;
        let flags = if folder { rustix::fs::AtFlags::REMOVEDIR } else { rustix::fs::AtFlags::empty() };
        rustix::fs::unlinkat(parent, name, flags)
    }
}

/// The name by which the host opens what a descriptor stands for.
fn by_descriptor(handle: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", handle.as_raw_fd())
}

/// Attributes of a file.
pub(crate) fn stat(handle: &OwnedFd) -> Result<Stat> {
    rustix::fs::fstat(handle)
}

/// Opens an ordinary file.
pub(crate) fn open(handle: &OwnedFd, flags: OFlags) -> Result<OwnedFd> {
    let stat = stat(handle)?;
    match file_type(&stat) {
        FileType::RegularFile => {}
        FileType::Directory => return Err(Errno::ISDIR),
        FileType::Symlink => return Err(Errno::LOOP),
        // What a device, a FIFO or a socket does is the host's affair.
        _ => return Err(Errno::NXIO),
    }
    let writes = flags.intersects(OFlags::WRONLY | OFlags::RDWR | OFlags::TRUNC);
    if writes && stat.st_mode as u32 & SET_ID != 0 {
        // The host does this where the writer is not root. Where the file is another's, it cannot be done.
        let _ = set_mode(handle, stat.st_mode as u32 & !SET_ID);
    }
    reopen(handle, flags)
}

fn reopen(handle: &OwnedFd, flags: OFlags) -> Result<OwnedFd> {
    rustix::fs::openat(CWD, by_descriptor(handle), flags | OFlags::CLOEXEC | OFlags::NOCTTY, Mode::empty())
}

/// Opens a folder to list it.
pub(crate) fn open_folder(handle: &OwnedFd) -> Result<Dir> {
    Dir::new(reopen(handle, OFlags::RDONLY | OFlags::DIRECTORY)?)
}

/// Where a symbolic link leads.
pub(crate) fn read_link(handle: &OwnedFd) -> Result<Vec<u8>> {
    Ok(rustix::fs::readlinkat(handle, c"", Vec::new())?.into_bytes())
}

pub(crate) fn set_mode(handle: &OwnedFd, mode: u32) -> Result<()> {
    if file_type(&stat(handle)?) == FileType::Symlink {
        return Err(Errno::OPNOTSUPP);
    }
    let mode = Mode::from_raw_mode(mode & crate::attributes::MODE);
    rustix::fs::chmodat(CWD, by_descriptor(handle), mode, rustix::fs::AtFlags::empty())
}

pub(crate) fn set_times(handle: &OwnedFd, times: &rustix::fs::Timestamps) -> Result<()> {
    rustix::fs::utimensat(CWD, by_descriptor(handle), times, rustix::fs::AtFlags::empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(path: &str) -> Place {
        Place(path.as_bytes().to_vec())
    }

    #[test]
    fn places_are_joined_split_and_moved() {
        assert_eq!(place("").join(b"a").unwrap(), place("a"));
        assert_eq!(place("a").join(b"b").unwrap(), place("a/b"));
        assert_eq!(
            (place("a/b").parent(), place("a").parent(), place("").parent()),
            (place("a"), place(""), place(""))
        );
        assert_eq!(place("a/b").split(), Some((&b"a"[..], &b"b"[..])));
        assert_eq!(place("").split(), None);
        assert_eq!(place("a/b/c").moved(&place("a/b"), &place("x")), Some(place("x/c")));
        assert_eq!(place("a/b").moved(&place("a/b"), &place("x/y")), Some(place("x/y")));
        assert_eq!(place("a/bc").moved(&place("a/b"), &place("x")), None);
        assert_eq!(place("a").join(&[b'n'; LONGEST_PATH]), Err(Errno::NAMETOOLONG));
    }

    /// Name by name comes to the same as in one call.
    #[test]
    fn a_host_without_openat2_resolves_name_by_name() {
        let path = std::env::temp_dir().join(format!("endicott-names-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(path.join("a/b")).unwrap();
        std::fs::write(path.join("a/b/file"), b"x").unwrap();
        std::os::unix::fs::symlink("a", path.join("link")).unwrap();
        let folder = Folder::open(&path, false).unwrap();
        let results = [false, true].map(|by_names| {
            folder.by_names.store(by_names, Relaxed);
            ["", "a", "a/b/file", "link", "link/b", "a/b/file/c", "a/none/x", "none"].map(|name| {
                let handle = folder.handle(&place(name));
                handle.and_then(|handle| stat(&handle)).map(|stat| stat.st_ino).ok()
            })
        });
        assert_eq!(results[0], results[1]);
        assert_eq!(results[0].map(|found| found.is_some()), [true, true, true, true, false, false, false, false]);
        std::fs::remove_dir_all(&path).unwrap();
    }
}
