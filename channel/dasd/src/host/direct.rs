//! Reading past the host's storage (direct I/O, past the page cache). What is read ahead of a guest is kept by the
//! guest. So a copy of it in the host's storage is mostly kept in vain. A large read from the medium to a place of ours
//! costs the host a quarter of what it costs through its storage. No page of it need be found, filled, mapped and
//! looked up.
//!
//! What the host has in its storage already is read from there, up to the first page that it has not. File systems that
//! read through their storage only (those in storage, most networks') are read so. Before such a read the host writes
//! to the medium what it has of the same place and has not written yet. So what is read is what was written last,
//! whichever way.

use rustix::fs::{Advice, OFlags};
use rustix::io::{Errno, ReadWriteFlags, pread, preadv2};
use std::fs::{File, Metadata, OpenOptions};
use std::io::IoSliceMut;
use std::ops::Range;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};

/// What hosts keep at a time; reads past that begin and end at such a place, in the file and in our storage.
pub(super) const PAGE: usize = 4096;

/// Where runs are read to, one after another: it is found and cleared once.
#[derive(Default)]
pub(crate) struct Room {
    bytes: Vec<u8>,
}

impl Room {
    pub(super) fn of(&mut self, length: usize) -> &mut [u8] {
        if self.bytes.len() < length + PAGE {
            self.bytes = vec![0; length + PAGE];
        }
        let at = self.bytes.as_ptr().addr();
        &mut self.bytes[at.next_multiple_of(PAGE) - at..][..length]
    }
}

/// Units that were read past the host's storage. What is read again so soon that this is still known is wanted there:
/// the host is to keep it.
#[derive(Default)]
pub(crate) struct Once {
    units: Vec<u64>,
}

impl Once {
    /// These units are read: whether any of them was before, which is forgotten then.
    pub(crate) fn again(&mut self, units: &Range<u32>) -> bool {
        let place = |unit: u32| (unit as usize / 64, 1 << (unit % 64));
        if self.units.len() <= place(units.end).0 {
            self.units.resize(place(units.end).0 + 1, 0);
        }
        let known = |(word, bit): (usize, u64)| self.units[word] & bit != 0;
        let again = units.clone().map(place).any(known);
        for (word, bit) in units.clone().map(place) {
            self.units[word] = if again { self.units[word] & !bit } else { self.units[word] | bit };
        }
        again
    }
}

/// The file of `host` once more, for reading past the host's storage; `None` where that is not done.
pub(super) fn open(host: &File, path: &std::path::Path) -> Option<File> {
    let flags = OFlags::DIRECT.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path).ok()?;
    let place = |metadata: Metadata| (metadata.dev(), metadata.ino());
    if file.metadata().map(place).ok()? != host.metadata().map(place).ok()? {
        return None;
    }
    // The host need not guess any more what will be read: what it brought into its storage so would have to be read
    // from there.
    let _ = rustix::fs::fadvise(host, 0, None, Advice::Random);
    Some(file)
}

/// Reads past the host's storage, by `past`, what `host` has not there. How many bytes were read.
pub(super) fn fetch(host: &File, past: &File, at: u64, to: &mut [u8]) -> usize {
    // One page in the midst stands for all. A host that has not got it begins to read it, so it is not asked for
    // more.
    let middle = at + (to.len() / PAGE / 2 * PAGE) as u64;
    match preadv2(host, &mut [IoSliceMut::new(&mut to[..PAGE])], middle, ReadWriteFlags::NOWAIT) {
        Err(Errno::AGAIN) => pread(past, to, at).unwrap_or(0),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MediaError;
    use crate::host::HostFile;
    use crate::model::CkdModel;
    use crate::{Format, Kind, Tracks, create_with, open};
    use std::time::Duration;
    use support::folder::Folder;

    /// Bytes that tell where they are from.
    fn content(length: usize) -> Vec<u8> {
        (0..length).map(|n| (n / 7 ^ n / 4096 * 31) as u8).collect()
    }

    /// A new file, of which nothing is in the host's storage.
    fn file(folder: &Folder, content: &[u8]) -> HostFile {
        let host = HostFile::create(&folder.path("x"), None).unwrap();
        host.write_at(0, content).unwrap();
        host.sync().unwrap();
        forget(&host);
        host
    }

    fn forget(host: &HostFile) {
        rustix::fs::fadvise(host.file(), 0, None, Advice::DontNeed).unwrap();
    }

    /// Whether the page at `at` is in the host's storage; asking brings it there some time.
    fn has(host: &File, at: u64) -> bool {
        preadv2(host, &mut [IoSliceMut::new(&mut [0; 16])], at, ReadWriteFlags::NOWAIT).is_ok()
    }

    #[test]
    fn runs_are_what_was_written_last_to_the_end_of_the_file() {
        let folder = Folder::empty("past");
        let mut content = content(1_000_003);
        let host = file(&folder, &content);
        let mut room = Room::default();
        let places = [(0, 1_000_003), (512, 8 * 56_832), (4096, 8192), (999_000, 1003), (4095, 1), (999_999, 1)];
        for keep in [false, true, false] {
            for (at, length) in places {
                assert!(host.read_run(at, length, keep, &mut room).unwrap() == &content[at as usize..][..length]);
                forget(&host);
                // Now a part of it is in the host's storage alone.
                let middle = at as usize + length / 2;
                content[middle] = !content[middle];
                host.write_at(middle as u64, &content[middle..=middle]).unwrap();
                assert!(host.read_run(at, length, keep, &mut room).unwrap() == &content[at as usize..][..length]);
            }
        }
        for (at, length) in [(999_000, 1004), (1_000_003, 1), (2_000_000, 500)] {
            let read = host.read_run(at, length, false, &mut room);
            assert!(matches!(read, Err(MediaError::Damaged(_))), "{at} {length}");
        }
    }

    #[test]
    fn the_host_has_what_it_is_to_keep_and_nothing_else() {
        const FAR: u64 = 80 * 4096;
        let folder = Folder::empty("past-kept");
        let content = content(100 * 4096);
        let host = file(&folder, &content);
        if host.past().is_none() || has(host.file(), 10 * 4096) {
            println!("skipped: {} is in a file system that keeps all it has in storage", host.path().display());
            return;
        }
        let mut room = Room::default();
        for keep in [false, true] {
            forget(&host);
            assert_eq!(host.read_run(4096, 90 * 4096, keep, &mut room).unwrap(), &content[4096..][..90 * 4096]);
            assert_eq!(has(host.file(), FAR), keep);
        }
    }

    #[test]
    fn a_host_does_not_guess_what_is_read_of_a_plain_image() {
        let folder = Folder::empty("past-guess");
        let path = folder.path("x");
        let kind = Kind::of_model(CkdModel::named("3390").unwrap(), 4);
        create_with(&path, kind, Format::Plain, Tracks::Blocks, &mut |_, _| true).unwrap();
        let middle = |track: u64| 512 + track * 56_832 + 28_000;
        let host = HostFile::open(&path, false, None).unwrap();
        host.sync().unwrap();
        forget(&host);
        if host.past().is_none() || has(host.file(), middle(50)) {
            println!("skipped: {} is in a file system that keeps all it has in storage", path.display());
            return;
        }
        drop(host);
        // Two in order, the second at the next cylinder, is less than has us read ahead ourselves, and what the host
        // would guess from.
        let image = open(&path).unwrap();
        (14..16).for_each(|track| drop(image.read_track(track).unwrap()));
        // What it had begun to read would be there.
        std::thread::sleep(Duration::from_millis(50));
        assert!(!has(&File::open(&path).unwrap(), middle(16)));
    }

    #[test]
    fn a_host_that_cannot_reads_through_its_storage() {
        let folder = Folder::empty("past-refused");
        let content = content(300_000);
        let path = folder.path("x");
        drop(file(&folder, &content));
        let mut room = Room::default();
        // Not even opened so, and opened, but each read is refused.
        for refused in [None, Some(OpenOptions::new().write(true).open(&path).unwrap())] {
            let host = HostFile::open(&path, true, None).unwrap();
            forget(&host);
            host.set_past(refused);
            assert_eq!(host.read_run(512, 299_000, false, &mut room).unwrap(), &content[512..][..299_000]);
        }
        // Another file has got the name.
        let host = HostFile::open(&path, true, None).unwrap();
        std::fs::rename(&path, folder.path("y")).unwrap();
        std::fs::write(&path, [7; 300_000]).unwrap();
        forget(&host);
        assert!(host.past().is_none());
        assert_eq!(host.read_run(512, 299_000, false, &mut room).unwrap(), &content[512..][..299_000]);
    }

    #[test]
    fn every_other_time_what_is_read_again_is_kept() {
        let mut once = Once::default();
        assert!(!once.again(&(60..70)));
        assert!(!once.again(&(70..80)));
        assert!(once.again(&(64..72)), "some of both");
        assert!(!once.again(&(64..72)), "the host has it, or it was long ago");
        assert!(once.again(&(60..64)));
        assert!(!once.again(&(100_000..100_008)));
    }
}
