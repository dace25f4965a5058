//! A guest's disks in a checkpoint: how their files were when it was made.
//!
//! A guest goes on with what it has in storage of a disk, so the disk must be what it was. A file with the same size,
//! time and place is taken for the same; another one is read, and its check sum decides.

use serde::{Deserialize, Serialize};
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

/// How much of a file is read at once.
const PART: usize = 4 << 20;

/// The file of a disk as it was.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Disk {
    /// Its path, from the root.
    pub path: PathBuf,
    size: u64,
    /// When it was written last: nanoseconds since 1970.
    written: i128,
    device: u64,
    inode: u64,
    /// Check sum of all that is in it.
    sum: u64,
}

/// Why a file is not the disk of a checkpoint.
#[derive(Debug, thiserror::Error)]
pub enum Change {
    /// The host says no.
    #[error("{0}: {1}")]
    Host(PathBuf, io::Error),
    /// Something else is in it.
    #[error("{0} has been written since the checkpoint was made")]
    Written(PathBuf),
}

fn written(metadata: &Metadata) -> i128 {
    i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec())
}

impl Disk {
    /// What stands in a draft for a file that is not looked at yet: nothing that is said of it later is longer.
    pub fn to_come(path: &Path) -> io::Result<Disk> {
        let most = u64::MAX;
        Ok(Disk { path: path.canonicalize()?, size: most, written: i128::MIN, device: most, inode: most, sum: most })
    }

    /// The file as it is now, all of which is read. `progress` hears how many bytes were.
    pub fn of(path: &Path, progress: &mut dyn FnMut(u64)) -> io::Result<Disk> {
        let path = path.canonicalize()?;
        let file = File::open(&path)?;
        let metadata = file.metadata()?;
        let (size, written) = (metadata.size(), written(&metadata));
        Ok(Disk { path, size, written, device: metadata.dev(), inode: metadata.ino(), sum: sum(file, progress)? })
    }

    /// Its bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Whether a file is what it was then.
    pub fn check(&self, now: &Path, progress: &mut dyn FnMut(u64)) -> Result<(), Change> {
        let host = |error| Change::Host(now.to_owned(), error);
        let file = File::open(now).map_err(host)?;
        let metadata = file.metadata().map_err(host)?;
        let there = (self.size, self.written, self.device, self.inode);
        if there == (metadata.size(), written(&metadata), metadata.dev(), metadata.ino()) {
            return Ok(());
        }
        let same = metadata.size() == self.size && sum(file, progress).map_err(host)? == self.sum;
        if same { Ok(()) } else { Err(Change::Written(now.to_owned())) }
    }
}

fn sum(mut file: File, progress: &mut dyn FnMut(u64)) -> io::Result<u64> {
    let mut part = vec![0; PART];
    let (mut sum, mut done) = (Xxh3::new(), 0);
    loop {
        let count = file.read(&mut part)?;
        if count == 0 {
            return Ok(sum.digest());
        }
        sum.update(&part[..count]);
        done += count as u64;
        progress(done);
    }
}
