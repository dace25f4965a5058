//! Page volumes: host files with slots of a page each, and what is known of each slot's bytes.
//!
//! What lies there is of no use to a later start of the system, and is not trusted: for each slot that was written a
//! sum of its bytes is kept. A page that comes back otherwise is lost.

use arch::PAGE;
use base::file::Access;
use paging::{Outcome, Room, Slot};
use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The bytes of a page.
pub(super) type Page = [u8; PAGE as usize];

/// Room for pages.
pub trait PageVolume: Send + Sync {
    /// What to call it in messages.
    fn name(&self) -> String;
    /// How many slots it has.
    fn slots(&self) -> u32;
    /// It is spool space, to which paging overflows when all other volumes are full.
    fn overflow(&self) -> bool {
        false
    }
    /// Reads slots in a row.
    fn read(&self, slot: u32, to: &mut [u8]) -> io::Result<()>;
    /// Writes slots in a row.
    fn write(&self, slot: u32, from: &[u8]) -> io::Result<()>;
}

/// A host file as a page volume.
pub struct FileVolume {
    file: File,
    path: PathBuf,
    slots: u32,
}

/// Why a file cannot be a page volume.
#[derive(Debug, thiserror::Error)]
pub enum NoVolume {
    /// Another system has it, or this one twice.
    #[error("{0}: in use as a page volume already; each PAGE statement needs a file of its own")]
    InUse(PathBuf),
    /// It is something else.
    #[error("{0}: is no page volume, and has something in it; name a new file in the PAGE statement")]
    Other(PathBuf),
    /// The host refuses.
    #[error("{0}: {1}")]
    Host(PathBuf, io::Error),
}

/// What a page volume begins with, in a page of its own.
const LABEL: &[u8] = b"ENDICOTT PAGE SPACE\n";

impl FileVolume {
    /// Opens or makes a page volume of so many bytes. What is in it from before goes. Its host has to give it room only
    /// as it is used.
    pub fn open(path: &Path, bytes: u64) -> Result<FileVolume, NoVolume> {
        let host = |error| NoVolume::Host(path.into(), error);
        let file = base::file::open(path, Access::Make).map_err(host)?;
        match base::file::lock(&file, true) {
            Ok(()) => (),
            Err(TryLockError::WouldBlock) => return Err(NoVolume::InUse(path.into())),
            Err(TryLockError::Error(error)) => return Err(host(error)),
        }
        let mut label = vec![0; LABEL.len()];
        if file.metadata().map_err(host)?.len() > 0 {
            let read = file.read_exact_at(&mut label, 0);
            if read.is_err() || label != LABEL {
                return Err(NoVolume::Other(path.into()));
            }
        }
        file.set_len(0).and_then(|()| file.write_all_at(LABEL, 0)).map_err(host)?;
        let slots = u32::try_from(bytes / PAGE).unwrap_or(u32::MAX / 4);
        Ok(FileVolume { file, path: path.into(), slots })
    }
}

/// Where a slot begins: after the label.
fn place(slot: u32) -> u64 {
    (u64::from(slot) + 1) * PAGE
}

impl PageVolume for FileVolume {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn slots(&self) -> u32 {
        self.slots
    }

    fn read(&self, slot: u32, to: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(to, place(slot))
    }

    fn write(&self, slot: u32, from: &[u8]) -> io::Result<()> {
        self.file.write_all_at(from, place(slot))
    }
}

struct Volume {
    volume: Box<dyn PageVolume>,
    /// The number of its first slot among all.
    first: u32,
    /// The sums of its slots' bytes.
    sums: Box<[AtomicU64]>,
}

/// All page volumes.
pub(super) struct Volumes(Vec<Volume>);

/// What a transfer failed with: the volume's name, and why.
pub(super) type Failure = (String, io::Error);

/// A sum that tells pages apart: it depends on the order of their words.
fn sum(page: &[u8]) -> u64 {
    let mix =
        |sum: u64, word: &[u8; 8]| (sum.rotate_left(5) ^ u64::from_ne_bytes(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    page.as_chunks::<8>().0.iter().fold(1, mix)
}

impl Volumes {
    pub(super) fn new(volumes: Vec<Box<dyn PageVolume>>) -> Volumes {
        let mut first = 0;
        let volume = |volume: Box<dyn PageVolume>| {
            let (at, sums) = (first, (0..volume.slots()).map(|_| AtomicU64::new(0)).collect());
            first += volume.slots();
            Volume { volume, first: at, sums }
        };
        Volumes(volumes.into_iter().map(volume).collect())
    }

    pub(super) fn rooms(&self) -> Vec<Room> {
        let room = |volume: &Volume| Room { slots: volume.volume.slots(), overflow: volume.volume.overflow() };
        self.0.iter().map(room).collect()
    }

    fn of(&self, slot: Slot) -> (&Volume, u32) {
        let volume = self.0.iter().rfind(|volume| volume.first <= slot.0).expect("each slot is on a volume");
        (volume, slot.0 - volume.first)
    }

    /// Reads slots, each run of neighbours at once. A page that cannot be read, or is not what was written, is none.
    pub(super) fn read(&self, slots: &[Slot]) -> (Vec<Option<Box<Page>>>, Option<Failure>) {
        let (mut pages, mut failure) = (Vec::new(), None);
        let mut bytes = Vec::new();
        for run in slots.chunk_by(|a, b| a.0 + 1 == b.0 && self.of(*a).0.first == self.of(*b).0.first) {
            let (volume, first) = self.of(run[0]);
            bytes.resize(run.len() * PAGE as usize, 0);
            let read = volume.volume.read(first, &mut bytes);
            for (n, bytes) in bytes.as_chunks::<{ PAGE as usize }>().0.iter().enumerate() {
                let slot = first + n as u32;
                let mut page = Box::new(*bytes);
                // One bad slot of a run is no reason to give up the others.
                let good = read.is_ok() || run.len() > 1 && volume.volume.read(slot, &mut page[..]).is_ok();
                let same = sum(&page[..]) == volume.sums[slot as usize].load(Relaxed);
                pages.push((good && same).then_some(page));
            }
            if let Err(error) = read {
                failure = Some((volume.volume.name(), error));
            }
        }
        if failure.is_none() && pages.iter().any(Option::is_none) {
            let name = slots.first().map_or(String::new(), |&slot| self.of(slot).0.volume.name());
            failure = Some((name, io::Error::new(ErrorKind::InvalidData, "a page is not what was written")));
        }
        (pages, failure)
    }

    /// Writes pages to slots in a row of one volume.
    pub(super) fn write(&self, first: Slot, pages: &[u8]) -> (Outcome, Option<Failure>) {
        let (volume, slot) = self.of(first);
        for (n, page) in pages.as_chunks::<{ PAGE as usize }>().0.iter().enumerate() {
            volume.sums[slot as usize + n].store(sum(page), Relaxed);
        }
        match volume.volume.write(slot, pages) {
            Ok(()) => (Outcome::Done, None),
            Err(error) => {
                let full = matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded);
                let outcome = if full { Outcome::Refused } else { Outcome::Bad };
                (outcome, Some((volume.volume.name(), error)))
            }
        }
    }
}
