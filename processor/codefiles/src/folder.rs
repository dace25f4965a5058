//! The folder with files of code, and the user's secret: nothing in them is used that another user could have written.

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, fstat, openat, renameat, statat, unlinkat};
use rustix::process::geteuid;
use std::ffi::OsString;
use std::fs::{DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::time::SystemTime;

/// A folder that is its user's alone. Files in it are reached by its descriptor, so that it does not matter what
/// becomes of its path.
pub(crate) struct Folder(File);

/// A file in the folder.
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) len: u64,
    pub(crate) changed: SystemTime,
}

fn refused(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, why)
}

/// Refuses what another user owns or may use.
fn check(file: &File, kind: FileType, what: &str) -> io::Result<()> {
    let found = fstat(file)?;
    if FileType::from_raw_mode(found.st_mode) != kind {
        return Err(refused(what));
    }
    if found.st_uid != geteuid().as_raw() {
        return Err(refused("it is another user's"));
    }
    if found.st_mode & 0o077 != 0 {
        return Err(refused("others may use it: its mode is to be 0700, and that of files 0600"));
    }
    Ok(())
}

impl Folder {
    /// The folder, which is made if it is not there.
    pub(crate) fn open(path: &Path) -> io::Result<Folder> {
        if !path.exists() {
            DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        }
        let folder = File::open(path)?;
        check(&folder, FileType::Directory, "it is no folder")?;
        Ok(Folder(folder))
    }

    /// A file of the folder, to be read.
    pub(crate) fn file(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(openat(&self.0, name, flags, Mode::empty())?);
        check(&file, FileType::RegularFile, "it is no file")?;
        Ok(file)
    }

    /// A new file, to be written and read.
    pub(crate) fn make(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(File::from(openat(&self.0, name, flags, Mode::RUSR | Mode::WUSR)?))
    }

    /// Whether that is the name of this file.
    pub(crate) fn has(&self, name: &str, file: &File) -> bool {
        let same = |a: Stat, b: Stat| (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino);
        statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|named| fstat(file).is_ok_and(|own| same(named, own)))
    }

    pub(crate) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(renameat(&self.0, from, &self.0, to)?)
    }

    /// Removes it. Another process may have done so.
    pub(crate) fn remove(&self, name: &str) {
        let _ = unlinkat(&self.0, name, AtFlags::empty());
    }

    /// What is in it, the oldest first.
    pub(crate) fn list(&self) -> Vec<Entry> {
        let Ok(entries) = rustix::fs::Dir::read_from(&self.0) else { return Vec::new() };
        let names = entries
            .filter_map(|entry| OsString::from_vec(entry.ok()?.file_name().to_bytes().into()).into_string().ok());
        let mut list: Vec<Entry> = names
            .filter(|name| !name.starts_with('.'))
            .filter_map(|name| {
                let found = self.file(&name).ok()?.metadata().ok()?;
                Some(Entry { name, len: found.len(), changed: found.modified().ok()? })
            })
            .collect();
        list.sort_by(|a, b| (a.changed, &a.name).cmp(&(b.changed, &b.name)));
        list
    }
}

/// So many random bytes that only the host can foretell.
pub(crate) fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes)
}

/// The user's secret, which is made if it is not there. It lies elsewhere than the files of code: to be able to write
/// those does not do to make some that are taken for ours.
pub fn secret(path: &Path) -> io::Result<[u8; 32]> {
    let read = || -> io::Result<[u8; 32]> {
        let mut file = File::options().read(true).custom_flags(OFlags::NOFOLLOW.bits() as i32).open(path)?;
        check(&file, FileType::RegularFile, "it is no file")?;
        let mut secret = [0; 32];
        file.read_exact(&mut secret)?;
        Ok(secret)
    };
    match read() {
        Err(why) if why.kind() == io::ErrorKind::NotFound => {}
        found => return found,
    }
    let folder = path.parent().ok_or_else(|| refused("it has no folder"))?;
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let name = format!(".{}.{:016x}", path.file_name().unwrap_or_default().display(), u64::from_le_bytes(random()?));
    let new = folder.join(name);
    let made = File::options().write(true).create_new(true).mode(0o600).open(&new).and_then(|mut file| {
        file.write_all(&random::<32>()?)?;
        file.sync_all()?;
        // If another process was faster, its secret is the one.
        match std::fs::hard_link(&new, path) {
            Err(why) if why.kind() != io::ErrorKind::AlreadyExists => Err(why),
            _ => Ok(()),
        }
    });
    let _ = std::fs::remove_file(&new);
    made?;
    read()
}
