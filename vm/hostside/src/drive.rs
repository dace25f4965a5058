//! `--drive`: a file of the host whose bytes are a virtio disk's sectors.

use base::file::{self, Access};
use rustix::fs::{FallocateFlags, fallocate};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::str::FromStr;
use virtio::{Geometry, Medium, SECTOR, Sectors};

/// What `--drive` says.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Drive {
    pub(crate) file: PathBuf,
    pub(crate) read_only: bool,
}

impl FromStr for Drive {
    type Err = String;

    fn from_str(text: &str) -> Result<Drive, String> {
        let (file, read_only) = match text.rsplit_once(':') {
            Some((file, "ro")) => (file, true),
            Some((file, "rw")) => (file, false),
            _ => (text, false),
        };
        match file {
            "" => Err(format!("{text} names no file; a drive is FILE, FILE:ro or FILE:rw")),
            _ => Ok(Drive { file: file.into(), read_only }),
        }
    }
}

impl Drive {
    /// Opens the file: what the disk is, and what does its requests.
    pub(crate) fn open(&self) -> Result<(Geometry, Sectors<Raw>), String> {
        let wrong = |error: &dyn std::fmt::Display| format!("--drive {}: {error}", self.file.display());
        let access = if self.read_only { Access::Read } else { Access::Write };
        let file = file::open(&self.file, access).map_err(|error| wrong(&error))?;
        file::lock(&file, !self.read_only).map_err(|error| match error {
            TryLockError::WouldBlock => wrong(&"it is in use"),
            TryLockError::Error(error) => wrong(&error),
        })?;
        let length = file.metadata().map_err(|error| wrong(&error))?.len();
        if length == 0 || length % SECTOR != 0 {
            let why = format!("it has {length} bytes; a drive's file is one or more whole sectors of {SECTOR}");
            return Err(wrong(&why));
        }
        let serial = self.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let geometry = Geometry { sectors: length / SECTOR, read_only: self.read_only, serial };
        Ok((geometry.clone(), Sectors::new(geometry, Raw(file))))
    }
}

/// A file as it is.
pub(crate) struct Raw(File);

impl Medium for Raw {
    fn read(&mut self, at: u64, to: &mut [u8]) -> io::Result<()> {
        self.0.read_exact_at(to, at)
    }

    fn write(&mut self, at: u64, from: &[u8]) -> io::Result<()> {
        self.0.write_all_at(from, at)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn discard(&mut self, at: u64, length: u64) -> io::Result<()> {
        if length == 0 {
            return Ok(());
        }
        match fallocate(&self.0, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, at, length) {
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => Err(io::ErrorKind::Unsupported.into()),
            result => Ok(result?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use virtio::Service;

    #[test]
    fn a_drive_is_a_file_and_what_may_be_done() {
        let drive = |file: &str, read_only| Ok(Drive { file: file.into(), read_only });
        assert_eq!("a.img".parse(), drive("a.img", false));
        assert_eq!("a.img:ro".parse(), drive("a.img", true));
        assert_eq!("a:b.img:rw".parse(), drive("a:b.img", false));
        assert!(":ro".parse::<Drive>().is_err_and(|said| said.contains("names no file")));
    }

    #[test]
    fn a_file_is_whole_sectors_and_belongs_to_one_writer() {
        let path = std::env::temp_dir().join(format!("endicott-drive-{}", std::process::id()));
        let open = |read_only| Drive { file: path.clone(), read_only }.open();
        let refused = |read_only, why: &str| {
            let said = open(read_only).err().unwrap_or_default();
            assert!(said.contains(why), "{said}");
        };
        refused(true, "No such file");
        for length in [0, 513] {
            std::fs::write(&path, vec![0; length]).unwrap();
            refused(false, "whole sectors");
        }
        std::fs::write(&path, [7; 2048]).unwrap();
        let (geometry, mut disk) = open(false).unwrap();
        assert_eq!(geometry.sectors, 4);
        refused(true, "in use");
        // A part is given up and reads as zeros, whether or not the file system has holes.
        let part = [&[13, 0, 0, 0][..], &[0; 12], &[1, 0, 0, 0, 0, 0, 0, 0], &[2, 0, 0, 0], &[0; 4]].concat();
        let mut answer = Vec::new();
        disk.answer(&part, 1, &mut answer);
        assert_eq!(answer, [0]);
        assert_eq!(std::fs::read(&path).unwrap(), [&[7; 512][..], &[0; 1024], &[7; 512]].concat());
        drop(disk);
        open(true).map(|_| ()).unwrap();
        std::fs::remove_file(&path).unwrap();
    }
}
