//! What the guest sees of a file's attributes, and which of them it may change.

use crate::wire::{Attributes, Qid, Time, kind};
use rustix::fs::{FileType, Stat};
use rustix::io::{self, Errno};

/// The owner and the group that files of others than root have in the guest: Linux's overflow identity.
pub const NOBODY: u32 = 65_534;

/// Bits of a mode: set-user-ID and set-group-ID.
pub(crate) const SET_ID: u32 = 0o6000;
/// The bits of a mode that are permissions.
pub(crate) const PERMISSIONS: u32 = 0o777;
/// The bits of a mode that chmod knows.
pub(crate) const MODE: u32 = 0o7777;

/// GETATTR: what `stat` shows. The reply has all of it, whatever was asked for.
const BASIC: u64 = 0x7ff;

/// Bits of SETATTR.
pub(crate) mod change {
    pub(crate) const MODE: u32 = 0x001;
    pub(crate) const UID: u32 = 0x002;
    pub(crate) const GID: u32 = 0x004;
    pub(crate) const SIZE: u32 = 0x008;
    pub(crate) const ACCESSED: u32 = 0x010;
    pub(crate) const MODIFIED: u32 = 0x020;
    pub(crate) const ACCESSED_SET: u32 = 0x080;
    pub(crate) const MODIFIED_SET: u32 = 0x100;
}

/// How the host's owners, devices and file numbers look in the guest.
pub(crate) struct Mapping {
    /// The user and the group that this program runs as.
    uid: u32,
    gid: u32,
    /// File systems of the host that were met, the folder's own first.
    devices: Vec<u64>,
}

impl Mapping {
    /// The mapping of a folder that lies on this device.
    pub(crate) fn new(device: u64) -> io::Result<Mapping> {
        // A pipe that was just made belongs to the user that makes files here.
        let (ours, _) = std::io::pipe().map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::MFILE))?;
        let ours = rustix::fs::fstat(ours)?;
        Ok(Mapping { uid: ours.st_uid, gid: ours.st_gid, devices: vec![device] })
    }

    /// The owner as the guest sees it.
    pub(crate) fn uid(&self, stat: &Stat) -> u32 {
        if [0, self.uid].contains(&stat.st_uid) { 0 } else { NOBODY }
    }

    /// The group as the guest sees it.
    pub(crate) fn gid(&self, stat: &Stat) -> u32 {
        if [0, self.gid].contains(&stat.st_gid) { 0 } else { NOBODY }
    }

    /// The number of a file, different for files of different file systems.
    pub(crate) fn number(&mut self, device: u64, inode: u64) -> u64 {
        let known = self.devices.iter().position(|other| *other == device);
        let index = known.unwrap_or_else(|| {
            // So many file systems below one folder there are not; the last ones would share numbers.
            if self.devices.len() < 1 << 15 {
                self.devices.push(device);
            }
            self.devices.len() - 1
        });
        inode ^ (index as u64) << 48
    }

    pub(crate) fn qid(&mut self, stat: &Stat) -> Qid {
        // A client that keeps what it has read sees by this that the file is another one.
        let version = stat.st_mtime as u32 ^ (stat.st_size as u32) << 8;
        let path = self.number(stat.st_dev, stat.st_ino);
        Qid { kind: qid_kind(file_type(stat)), version: version.into(), path: path.into() }
    }

    #[allow(clippy::unnecessary_cast, reason = "counts of links have 32 bits on other hosts")]
    pub(crate) fn attributes(&mut self, stat: &Stat) -> Attributes {
        let time =
            |seconds: i64, nanoseconds: u64| Time { seconds: (seconds as u64).into(), nanoseconds: nanoseconds.into() };
        Attributes {
            valid: BASIC.into(),
            qid: self.qid(stat),
            mode: stat.st_mode.into(),
            uid: self.uid(stat).into(),
            gid: self.gid(stat).into(),
            links: (stat.st_nlink as u64).into(),
            device: stat.st_rdev.into(),
            size: (stat.st_size as u64).into(),
            block: (stat.st_blksize as u64).into(),
            blocks: (stat.st_blocks as u64).into(),
            accessed: time(stat.st_atime, stat.st_atime_nsec),
            modified: time(stat.st_mtime, stat.st_mtime_nsec),
            changed: time(stat.st_ctime, stat.st_ctime_nsec),
            ..Attributes::default()
        }
    }
}

/// What kind of file it is.
pub(crate) fn file_type(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

/// That kind in a [`Qid`].
pub(crate) fn qid_kind(kind: FileType) -> u8 {
    match kind {
        FileType::Directory => kind::FOLDER,
        FileType::Symlink => kind::LINK,
        _ => kind::FILE,
    }
}

/// The mode that a file of mode `now` gets: a set-ID bit that it has not cannot be set.
pub(crate) fn new_mode(now: u32, wanted: u32) -> Result<u32, Errno> {
    let wanted = wanted & MODE;
    if wanted & SET_ID & !now != 0 { Err(Errno::PERM) } else { Ok(wanted) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_id_bit_stays_or_goes_and_does_not_come() {
        assert_eq!(new_mode(0o100_755, 0o4755), Err(Errno::PERM));
        assert_eq!(new_mode(0o042_755, 0o6755), Err(Errno::PERM));
        assert_eq!(new_mode(0o042_755, 0o42_700), Ok(0o2700));
        assert_eq!(new_mode(0o104_755, 0o755), Ok(0o755));
        assert_eq!(new_mode(0o040_755, 0o1777), Ok(0o1777));
    }

    #[test]
    fn files_of_two_file_systems_have_two_numbers() {
        let mut mapping = Mapping::new(5).unwrap();
        let numbers = [(5, 10), (6, 10), (5, 11), (6, 11)].map(|(device, inode)| mapping.number(device, inode));
        assert_eq!(numbers, [10, 10 | 1 << 48, 11, 11 | 1 << 48]);
    }
}
