//! Check sums of a plain image, in a file beside it (`NAME.sums`): the field's plain formats have no place for them.
//!
//! A file is taken in pieces of 4096 bytes, counted from the beginning of each track's slot, or of the file. Of each
//! piece the table has the sum of what is there and of what was there before the last write. It has which write that
//! was, too. The entry is written before the piece. So the piece is one of the two, whenever this process ends. All
//! pieces of one write are the same of the two, which the [journal](crate::image::layer::journal) sees to. Anything
//! else is damage: a write that the end of the host tore, or what the host's medium made of it. A piece without an
//! entry is taken as it is when it is read for the first time.
//!
//! Programs that keep no such table may write the image, too. When it is closed, the table's head takes note of when
//! the image was written last. If it was written later, the table begins anew, and the program that opens the image is
//! told. Another file with the name was made at another time: the table says nothing of it.
//!
//! ```text
//!    0 magic 8 | 1: in use, 0: closed 4 | bytes of a slot 4 | image's length 8 | host's boot id 16
//!   40 when the image was written last: s 8, ns 8 | when it was made: s 8, ns 8 | shadow file over it 8
//! 4096 for each piece: sum now 4, sum before 4, number of the write 8
//! ```

use crate::error::ImageError;
use crate::host::{Faults, HostFile};
use crate::{MediaError, Policy};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use xxhash_rust::xxh3::xxh3_64;

/// What has a sum of its own: what the host keeps at a time.
pub(super) const PIECE: usize = 4096;

const MAGIC: &[u8; 8] = b"ENDSUMS1";
const HEAD: usize = 80;
const TABLE: u64 = 4096;
const ENTRY: usize = 16;

/// How much later than its entry a piece is written at most, of a process that was killed between the two.
const BETWEEN: Duration = Duration::from_millis(100);

/// The name of the table beside an image.
pub(crate) fn path_of(image: &Path) -> PathBuf {
    image.with_added_extension("sums")
}

/// The sum of a piece; 0 is none.
pub(super) fn sum(piece: &[u8]) -> u32 {
    (xxh3_64(piece) as u32).max(1)
}

/// Where the pieces of a file lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Grid {
    /// Where the first slot begins.
    pub start: u64,
    /// Bytes of a slot, each of which begins with a piece.
    pub slot: u64,
    pub slots: u64,
    /// The pieces of a write are all there or none, rather than each.
    pub together: bool,
}

impl Grid {
    fn pieces(&self) -> u64 {
        self.slots * self.slot.div_ceil(PIECE as u64)
    }

    /// The number of the piece that begins at `at` of the file.
    fn index(&self, at: u64) -> u64 {
        let at = at - self.start;
        at / self.slot * self.slot.div_ceil(PIECE as u64) + at % self.slot / PIECE as u64
    }
}

/// What a write does to a piece: the sums before it, if that is known, and after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Change {
    pub before: Option<u32>,
    pub now: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Entry {
    now: u32,
    before: u32,
    write: u64,
}

impl Entry {
    fn decode(bytes: &[u8]) -> Entry {
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        Entry { now: word(0), before: word(4), write: u64::from(word(8)) | u64::from(word(12)) << 32 }
    }

    fn encode(&self) -> [u8; ENTRY] {
        let mut bytes = [0; ENTRY];
        bytes[..4].copy_from_slice(&self.now.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.before.to_le_bytes());
        bytes[8..].copy_from_slice(&self.write.to_le_bytes());
        bytes
    }
}

/// The table of one file.
pub(crate) struct Sums {
    grid: Grid,
    /// `None`: the image may only be read and has none, or none can be made.
    table: Option<Arc<HostFile>>,
    /// The image may be written.
    writable: bool,
    /// Another program has written the image since, and the image may only be read.
    alien: bool,
    /// The head says that the image is in use.
    in_use: bool,
    /// The process that had the image last was killed: of an entry's two sums, either may be that of what is there.
    either: bool,
    /// The number of the last write; those of an earlier process are smaller.
    write: u64,
    /// What is wrong with the table itself.
    broken: Option<String>,
    /// The number that identifies the shadow file over the image, if the image's format has no place for it; `None`: it
    /// is not known.
    covered: Option<u64>,
    notice: Option<String>,
}

impl Sums {
    /// The table of `image`, which is as the process that used it last has left it.
    pub(super) fn open(image: &HostFile, grid: Grid, faults: Option<Arc<dyn Faults>>) -> Result<Sums, ImageError> {
        let since = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        let writable = image.writable();
        let write = since.as_nanos() as u64;
        let mut sums = Sums {
            grid,
            table: None,
            writable,
            alien: false,
            in_use: false,
            either: false,
            write,
            broken: None,
            covered: None,
            notice: None,
        };
        let path = path_of(image.path());
        let found = HostFile::open_beside(&path, writable, faults.clone());
        let found = found.filter(|table| !writable || table.writable());
        let mut head = found.as_ref().and_then(|table| Head::read(table, grid));
        if let Some(table) = &found {
            let begun = table.read_new(0, HEAD).is_ok_and(|bytes| bytes.iter().any(|byte| *byte != 0));
            if head.as_ref().map_or(begun, |head| !head.whole(table, grid)) {
                let why = "is damaged or cut: nothing is known of what the disk should hold";
                sums.broken = Some(format!("{} {why}, until it is next written", path.display()));
                head = None;
            }
        }
        sums.covered = head.as_ref().filter(|head| head.made == image.made()).map(|head| head.covered);
        match (found, head) {
            (Some(table), Some(head)) if head.is_of(image, &table)? => {
                (sums.in_use, sums.either) = (head.in_use, head.in_use);
                sums.table = Some(table.into());
            }
            (Some(table), Some(head)) if !writable => {
                sums.alien = head.made == image.made();
                sums.table = (sums.alien && head.length == image.len()?).then(|| table.into());
            }
            (None, _) | (_, None) if !writable => {}
            (_, head) => {
                let _ = std::fs::remove_file(&path);
                sums.alien = head.is_some_and(|head| head.made == image.made());
                if let Ok(table) = HostFile::create(&path, faults) {
                    let sized = table.set_len(TABLE + grid.pieces() * ENTRY as u64);
                    sums.table = Some(table.into());
                    // Where there is no room for one the image is used without.
                    if sized.and_then(|()| sums.write_head(image, false)).is_err() {
                        sums.table = None;
                        let _ = std::fs::remove_file(&path);
                    }
                }
            }
        }
        if sums.alien {
            let name = image.path().display();
            let what = "has been written by another program since Endicott used it last";
            sums.notice = Some(format!("{name} {what}, and is taken as it is now"));
        }
        sums.notice = sums.notice.or(sums.broken.clone());
        sums.alien &= !writable;
        Ok(sums)
    }

    /// What the program that opened the image is to be told.
    pub(crate) fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    /// What is wrong with the table itself.
    pub(crate) fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    /// The number that identifies the shadow file over the image, if that is known.
    pub(super) fn covered(&self) -> Option<u64> {
        self.covered
    }

    /// Takes note of the shadow file over the image, which its format has no place for.
    pub(super) fn set_covered(&mut self, image: &HostFile, covered: u64) -> Result<(), MediaError> {
        self.covered = Some(covered);
        self.in_use = true;
        self.write_head(image, true)
    }

    /// The image is written, other than piece by piece.
    pub(super) fn begin(&mut self, image: &HostFile) -> Result<(), MediaError> {
        if !self.in_use {
            self.write_head(image, true)?;
            self.in_use = true;
        }
        Ok(())
    }

    /// Another program has written the image, and no use of it has made that good since.
    pub(crate) fn alien(&self) -> bool {
        self.alien
    }

    pub(super) fn host(&self) -> Option<&Arc<HostFile>> {
        self.table.as_ref()
    }

    fn write_head(&self, image: &HostFile, in_use: bool) -> Result<(), MediaError> {
        let Some(table) = &self.table else { return Ok(()) };
        let (length, modified, made) = (image.len()?, image.modified()?, image.made());
        let (slot, covered) = (self.grid.slot, self.covered.unwrap_or(0));
        table.write_at(0, &Head { in_use, slot, length, boot: boot_id(), modified, made, covered }.encode())
    }

    fn entries(&self, table: &HostFile, at: u64, bytes: usize) -> Result<Vec<Entry>, MediaError> {
        let place = TABLE + self.grid.index(at) * ENTRY as u64;
        let entries = table.read_new(place, bytes.div_ceil(PIECE) * ENTRY)?;
        Ok(entries.chunks(ENTRY).map(Entry::decode).collect())
    }

    fn write_entries(&self, at: u64, entries: impl Iterator<Item = Entry>) -> Result<(), MediaError> {
        let Some(table) = &self.table else { return Ok(()) };
        let bytes: Vec<u8> = entries.flat_map(|entry| entry.encode()).collect();
        table.write_at(TABLE + self.grid.index(at) * ENTRY as u64, &bytes)
    }

    /// Whether `bytes`, whole pieces from `at` of the file on, are what was written there.
    pub(super) fn good(&self, at: u64, bytes: &[u8]) -> Result<bool, MediaError> {
        if self.alien { Ok(true) } else { self.same(at, bytes) }
    }

    /// As [`Sums::good`], whichever program has written it.
    pub(super) fn same(&self, at: u64, bytes: &[u8]) -> Result<bool, MediaError> {
        let Some(table) = &self.table else { return Ok(true) };
        let entries = self.entries(table, at, bytes.len())?;
        let pieces = || entries.iter().zip(bytes.chunks(PIECE));
        let (mut old, mut new) = (false, false);
        for (entry, piece) in pieces() {
            let sum = sum(piece);
            match *entry {
                Entry { now: 0, .. } => new = true,
                Entry { now, .. } if now == sum => {}
                Entry { before, .. } if before == sum => old = true,
                _ => return Ok(false),
            }
        }
        if old && self.grid.together && torn(&entries, bytes) {
            return Ok(false);
        }
        if new && self.writable {
            let learnt = |(entry, piece): (&Entry, &[u8])| match entry.now {
                0 => Entry { now: sum(piece), before: sum(piece), write: 0 },
                _ => *entry,
            };
            // Where there is no room for that, it is read all the same.
            let _ = self.write_entries(at, pieces().map(learnt));
        }
        Ok(true)
    }

    /// Takes note of a write to whole pieces from `at` on, which comes next.
    pub(super) fn note(
        &mut self,
        image: &HostFile,
        at: u64,
        changes: &[Change],
        policy: Policy,
    ) -> Result<(), MediaError> {
        let Some(table) = self.table.clone() else { return Ok(()) };
        self.begin(image)?;
        let known = match changes.iter().all(|change| change.before.is_some()) {
            true => Vec::new(),
            false => self.entries(&table, at, changes.len() * PIECE)?,
        };
        let mut entries = Vec::with_capacity(changes.len());
        for (n, change) in changes.iter().enumerate() {
            let before = match (change.before, known.get(n)) {
                (Some(before), _) => before,
                (None, Some(entry)) if entry.now != 0 && !self.either => entry.now,
                (None, _) => {
                    let at = at + (n * PIECE) as u64;
                    sum(&image.read_new(at, (image.len()? - at).min(PIECE as u64) as usize)?)
                }
            };
            self.write += u64::from(n == 0 || !self.grid.together);
            entries.push(Entry { now: change.now, before, write: self.write });
        }
        self.write_entries(at, entries.into_iter())?;
        if policy == Policy::Through { table.sync() } else { Ok(()) }
    }

    /// Whole pieces from `at` on are `bytes`, and were never anything else.
    pub(super) fn settle(&self, at: u64, bytes: &[u8]) -> Result<(), MediaError> {
        let sums = bytes.chunks(PIECE).map(sum);
        self.write_entries(at, sums.map(|sum| Entry { now: sum, before: sum, write: 0 }))
    }

    /// From now on other programs may write the image.
    pub(super) fn close(&mut self, image: &HostFile) -> Result<(), MediaError> {
        if self.in_use && self.writable {
            self.write_head(image, false)?;
            self.in_use = false;
        }
        Ok(())
    }

    /// The image has been changed as the table has it, by the journal.
    pub(super) fn reopen(&mut self) {
        self.in_use = true;
    }
}

/// How long the image was when the table was written last, if that is longer than now and the table is about it. That
/// is, about this file, or about one with the same first pieces, as after a copy that was interrupted. A piece that was
/// never written is the same where it holds nothing.
pub(super) fn longer(image: &HostFile, grid: Grid) -> Result<Option<u64>, MediaError> {
    const FIRST: u64 = 64;
    let length = image.len()?;
    let Some(table) = HostFile::open_beside(&path_of(image.path()), false, None) else { return Ok(None) };
    let Some(head) = Head::read(&table, grid).filter(|head| head.length > length) else { return Ok(None) };
    if head.made == image.made() {
        return Ok(Some(head.length));
    }
    let (mut known, mut empty, mut at) = (false, true, grid.start);
    for n in 0..FIRST {
        let slot_end = grid.start + ((at - grid.start) / grid.slot + 1) * grid.slot;
        let piece = (slot_end - at).min(PIECE as u64);
        if at + piece > length {
            break;
        }
        let Ok(entry) = table.read_new(TABLE + n * ENTRY as u64, ENTRY).map(|bytes| Entry::decode(&bytes)) else {
            break;
        };
        let bytes = image.read_new(at, piece as usize)?;
        if entry.now == 0 {
            empty &= bytes.iter().all(|byte| *byte == 0);
        } else if [entry.now, entry.before].contains(&sum(&bytes)) {
            known = true;
        } else {
            return Ok(None);
        }
        at += piece;
    }
    // Where no sum is known all must be empty; of a disk that has less than a piece nothing can be compared.
    Ok((known || empty).then_some(head.length))
}

/// Whether a write has changed some of its pieces and not others.
fn torn(entries: &[Entry], bytes: &[u8]) -> bool {
    let states = || {
        let sums = bytes.chunks(PIECE).map(sum);
        let differing = entries.iter().zip(sums).filter(|(entry, _)| entry.now != entry.before);
        differing.map(|(entry, sum)| (entry.write, entry.now == sum))
    };
    states().any(|(write, new)| states().any(|(other, newer)| other == write && newer != new))
}

/// What the table says about the image as a whole.
struct Head {
    in_use: bool,
    slot: u64,
    length: u64,
    boot: [u8; 16],
    modified: SystemTime,
    /// The same for all files of a host that does not tell.
    made: SystemTime,
    covered: u64,
}

impl Head {
    /// The head of a table for such an image, if it is one.
    fn read(table: &HostFile, grid: Grid) -> Option<Head> {
        let bytes = table.read_new(0, HEAD).ok()?;
        let long = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        let time = |at: usize| {
            let since = Duration::from_secs(long(at)).checked_add(Duration::from_nanos(long(at + 8)))?;
            SystemTime::UNIX_EPOCH.checked_add(since)
        };
        let head = Head {
            in_use: bytes[8] != 0,
            slot: long(8) >> 32,
            length: long(16),
            boot: bytes[24..40].try_into().expect("sixteen bytes"),
            modified: time(40)?,
            made: time(56)?,
            covered: long(72),
        };
        (&bytes[..8] == MAGIC && head.slot == grid.slot).then_some(head)
    }

    /// Whether the table has an entry for each piece of the image that it is of.
    fn whole(&self, table: &HostFile, grid: Grid) -> bool {
        let slots = self.length.saturating_sub(grid.start).div_ceil(grid.slot);
        let entries = Grid { slots, ..grid }.pieces().saturating_mul(ENTRY as u64);
        table.len().is_ok_and(|length| length >= entries.saturating_add(TABLE))
    }

    fn encode(&self) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8] = self.in_use.into();
        bytes[12..16].copy_from_slice(&(self.slot as u32).to_le_bytes());
        bytes[16..24].copy_from_slice(&self.length.to_le_bytes());
        bytes[24..40].copy_from_slice(&self.boot);
        for (at, time) in [(40, self.modified), (56, self.made)] {
            let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            bytes[at..at + 8].copy_from_slice(&since.as_secs().to_le_bytes());
            bytes[at + 8..at + 16].copy_from_slice(&u64::from(since.subsec_nanos()).to_le_bytes());
        }
        bytes[72..80].copy_from_slice(&self.covered.to_le_bytes());
        bytes
    }

    /// Whether the image has not been written since the table was.
    fn is_of(&self, image: &HostFile, table: &HostFile) -> Result<bool, MediaError> {
        let modified = image.modified()?;
        Ok(self.length == image.len()?
            && match self.in_use {
                false => self.modified == modified,
                true if self.boot == boot_id() => modified <= table.modified()? + BETWEEN,
                // The host ended, and may have kept the two in any order; what was written since it came up again is
                // not ours.
                true => booted().is_none_or(|booted| modified < booted),
            })
    }
}

/// What the host calls this time of its being up.
fn boot_id() -> [u8; 16] {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let digits: Vec<u8> = text.chars().filter_map(|c| c.to_digit(16)).map(|digit| digit as u8).collect();
    std::array::from_fn(|n| digits.get(2 * n..2 * n + 2).map_or(0, |pair| pair[0] << 4 | pair[1]))
}

/// When the host came up.
fn booted() -> Option<SystemTime> {
    let text = std::fs::read_to_string("/proc/uptime").ok()?;
    let seconds: f64 = text.split(' ').next()?.parse().ok()?;
    SystemTime::now().checked_sub(Duration::try_from_secs_f64(seconds).ok()?)
}
