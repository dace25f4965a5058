//! The journal of a plain image, a write-ahead log of one write: the end of this process never tears a track.
//!
//! A plain image keeps a track in one place and so must write over it. The host copies a write page by page and a
//! killed process may stop between two of them. Every write that touches more than one page is therefore first written
//! whole to a file beside the image (`NAME.journal`). Opening the image finds it, and if the pages there are partly the
//! old and partly the new ones, finishes the write. Pages that are neither (another program wrote the image since) are
//! left alone. So is a file that was written long before or after the journal: it is another one, or an older copy.
//!
//! In the file are a [`Head`], the CRC of each page's old bytes, and the new bytes.

use crate::error::ImageError;
use crate::host::{Faults, HostFile};
use crate::{MediaError, Policy};
use flate2::Crc;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use zerocopy::little_endian::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

const MAGIC: [u8; 8] = *b"ENDJRNL1";
const HEAD: usize = size_of::<Head>();
/// More than any journal has.
const LONGEST: u64 = 1 << 20;
/// What the host copies at once.
const PAGE: u64 = 4096;

/// What the file begins with.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Head {
    magic: [u8; 8],
    write: Write,
    /// A CRC of `write`, and of all that follows the head.
    sum: U32,
    reserved_1c: [u8; 4],
}
const _: () = assert!(size_of::<Head>() == 32);

/// Which bytes of the image are written.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Write {
    offset: U64,
    length: U32,
    /// How many pages they lie in.
    pages: U32,
}
const _: () = assert!(size_of::<Write>() == 16);

/// The journal of one file; made when it is first needed.
pub(super) struct Journal {
    path: PathBuf,
    faults: Option<Arc<dyn Faults>>,
    file: Option<HostFile>,
    /// The file describes a write. It is invalidated before a write that needs no journal, or it would undo that.
    live: bool,
}

/// The journal's name beside an image.
pub(crate) fn path_of(image: &Path) -> PathBuf {
    let mut name = image.as_os_str().to_owned();
    name.push(".journal");
    name.into()
}

impl Journal {
    pub(super) fn new(image: &Path, faults: Option<Arc<dyn Faults>>) -> Journal {
        Journal { path: path_of(image), faults, file: None, live: false }
    }

    /// Writes `new` at `offset` of `host`, where now are `old` (of the same length): all or nothing if this process
    /// ends meanwhile. After an error of the host the old bytes are put back.
    pub(super) fn write(
        &mut self,
        host: &HostFile,
        offset: u64,
        new: &[u8],
        old: &[u8],
        policy: Policy,
    ) -> Result<(), MediaError> {
        assert_eq!(new.len(), old.len(), "a write replaces as many bytes");
        let one_page = offset / PAGE == (offset + new.len() as u64 - 1) / PAGE;
        if !one_page {
            self.note(offset, new, old, policy)?;
        } else if self.live {
            self.forget()?;
        }
        if let Err(error) = host.write_at(offset, new) {
            // The pages are there, so this needs no new space. If it fails, too, the track is found damaged, not wrong.
            let _ = host.write_at(offset, old);
            let _ = self.forget();
            return Err(error);
        }
        if policy == Policy::Through {
            host.sync()?;
        }
        Ok(())
    }

    fn note(&mut self, offset: u64, new: &[u8], old: &[u8], policy: Policy) -> Result<(), MediaError> {
        let file = match &self.file {
            Some(file) => file,
            None => {
                let _ = std::fs::remove_file(&self.path);
                let made = HostFile::create(&self.path, self.faults.clone());
                self.file.insert(made.map_err(|error| MediaError::Host(error.to_string()))?)
            }
        };
        let pages = pages(offset, new.len());
        let mut bytes = vec![0; HEAD];
        for (from, to) in &pages {
            bytes.extend_from_slice(U32::new(crc(&[&old[*from..*to]])).as_bytes());
        }
        bytes.extend_from_slice(new);
        let (length, pages) = ((new.len() as u32).into(), (pages.len() as u32).into());
        let write = Write { offset: offset.into(), length, pages };
        let sum = crc(&[write.as_bytes(), &bytes[HEAD..]]).into();
        bytes[..HEAD].copy_from_slice(Head { magic: MAGIC, write, sum, reserved_1c: [0; 4] }.as_bytes());
        self.live = true;
        file.write_at(0, &bytes)?;
        if policy == Policy::Through {
            file.sync()?;
        }
        Ok(())
    }

    fn forget(&mut self) -> Result<(), MediaError> {
        if let Some(file) = &self.file {
            file.write_at(0, &[0; 8])?;
        }
        self.live = false;
        Ok(())
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        if self.file.is_some() {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Finishes the write that was in flight when a process that wrote this image ended. An image that may not be written
/// is refused if there is one. Whether there was one.
pub(super) fn recover(host: &HostFile) -> Result<bool, ImageError> {
    let path = path_of(host.path());
    let Ok(bytes) = base::file::read(&path, LONGEST) else { return Ok(false) };
    let found = if written_then(host, &path)? { in_flight(host, &bytes)? } else { None };
    if let Some((offset, new)) = found {
        if !host.writable() {
            let why = "a write was in flight when its last user was killed; endicott dasd check finishes it".into();
            return Err(ImageError::Damaged { path: host.path().into(), why });
        }
        host.write_at(offset, new)?;
        host.sync()?;
    }
    if host.writable() {
        let _ = std::fs::remove_file(&path);
    }
    Ok(found.is_some())
}

/// Whether the image was written last when the journal was, or soon afterwards. Its copies are made one after the
/// other.
fn written_then(host: &HostFile, journal: &Path) -> Result<bool, ImageError> {
    const BEFORE: Duration = Duration::from_secs(2);
    const BEHIND: Duration = Duration::from_secs(1);
    let fail = |error| ImageError::Host(format!("{}: {error}", journal.display()));
    let (image, noted) = (host.modified()?, journal.metadata().and_then(|found| found.modified()).map_err(fail)?);
    Ok(image + BEFORE >= noted && image <= noted + BEHIND)
}

/// The write that the journal describes, if some pages are as before it and some as after it.
fn in_flight<'a>(host: &HostFile, bytes: &'a [u8]) -> Result<Option<(u64, &'a [u8])>, ImageError> {
    let Ok((head, rest)) = Head::ref_from_prefix(bytes) else { return Ok(None) };
    if head.magic != MAGIC {
        return Ok(None);
    }
    let (offset, length) = (head.write.offset.get(), head.write.length.get() as usize);
    let Ok((sums, new)) = <[U32]>::ref_from_prefix_with_elems(rest, head.write.pages.get() as usize) else {
        return Ok(None);
    };
    let Some(new) = new.get(..length) else { return Ok(None) };
    let follows = &rest[..size_of_val(sums) + length];
    let fits = offset.checked_add(length as u64).is_some_and(|end| host.len().is_ok_and(|len| end <= len));
    if length == 0 || !fits || crc(&[head.write.as_bytes(), follows]) != head.sum.get() {
        return Ok(None);
    }
    let pages = pages(offset, length);
    if pages.len() != sums.len() {
        return Ok(None);
    }
    let mut now = vec![0; length];
    host.read_at(offset, &mut now)?;
    let (mut old, mut fresh) = (0, 0);
    for ((from, to), before) in pages.iter().zip(sums) {
        let (is_new, before) = (now[*from..*to] == new[*from..*to], before.get());
        if is_new && crc(&[&new[*from..*to]]) == before {
            // Nothing of this page was to change: it says nothing.
        } else if is_new {
            fresh += 1;
        } else if crc(&[&now[*from..*to]]) == before {
            old += 1;
        } else {
            return Ok(None);
        }
    }
    Ok((old > 0 && fresh > 0).then_some((offset, new)))
}

/// The ranges that lie in one page each, of `length` bytes at `offset`.
fn pages(offset: u64, length: usize) -> Vec<(usize, usize)> {
    let mut pages = Vec::with_capacity(length / PAGE as usize + 2);
    let mut from = 0;
    while from < length {
        let rest = PAGE - (offset + from as u64) % PAGE;
        let to = length.min(from + rest as usize);
        pages.push((from, to));
        from = to;
    }
    pages
}

fn crc(parts: &[&[u8]]) -> u32 {
    let mut crc = Crc::new();
    parts.iter().for_each(|part| crc.update(part));
    crc.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{Outcome, Request};
    use std::io;
    use support::folder::Folder;

    fn filled(folder: &Folder, byte: u8) -> PathBuf {
        let path = folder.path("image");
        std::fs::write(&path, vec![byte; 40_000]).unwrap();
        path
    }

    /// What a killed process leaves: the journal, and some of the pages.
    fn killed(path: &Path, pages_written: usize) {
        let host = HostFile::open(path, true, None).unwrap();
        let mut journal = Journal::new(path, None);
        journal.note(5000, &[2; 9000], &[1; 9000], Policy::Safe).unwrap();
        let (_, end) = pages(5000, 9000)[pages_written - 1];
        host.write_at(5000, &vec![2; end]).unwrap();
        std::mem::forget(journal);
    }

    #[test]
    fn a_torn_write_is_finished_when_the_image_is_opened() {
        let folder = Folder::empty("journal");
        let path = filled(&folder, 1);
        killed(&path, 2);
        let reader = HostFile::open(&path, false, None).unwrap();
        assert!(matches!(recover(&reader), Err(ImageError::Damaged { .. })));
        drop(reader);
        recover(&HostFile::open(&path, true, None).unwrap()).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert!(bytes[5000..14_000].iter().all(|byte| *byte == 2));
        assert!(bytes[..5000].iter().chain(&bytes[14_000..]).all(|byte| *byte == 1));
        assert!(!path_of(&path).exists());
    }

    #[test]
    fn what_somebody_else_wrote_since_is_left_alone() {
        let folder = Folder::empty("journal-alien");
        let path = filled(&folder, 1);
        killed(&path, 1);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[9000] = 7;
        std::fs::write(&path, &bytes).unwrap();
        recover(&HostFile::open(&path, true, None).unwrap()).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }

    #[test]
    fn a_full_host_disk_leaves_the_old_bytes() {
        let folder = Folder::empty("journal-full");
        let path = filled(&folder, 1);
        // The third write of the request fails halfway: the journal is the first.
        let calls = std::sync::Mutex::new(0);
        let faults = move |request| match request {
            Request::Write { length: 9000, .. } => {
                *calls.lock().unwrap() += 1;
                if *calls.lock().unwrap() == 1 { Outcome::Short(5000) } else { Outcome::Pass }
            }
            Request::Write { length: 4000, .. } => Outcome::Fail(io::ErrorKind::StorageFull.into()),
            _ => Outcome::Pass,
        };
        let host = HostFile::open(&path, true, Some(Arc::new(faults))).unwrap();
        let mut journal = Journal::new(&path, None);
        let failed = journal.write(&host, 5000, &[2; 9000], &[1; 9000], Policy::Safe);
        assert!(matches!(failed, Err(MediaError::Full(_))));
        assert!(std::fs::read(&path).unwrap().iter().all(|byte| *byte == 1));
    }
}
