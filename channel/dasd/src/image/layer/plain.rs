//! Plain images: a track, or a block, in a place of its own.
//!
//! Count-key-data (`CKD_P370`, `CKD_P064`): the header, then a slot for each track. A volume may be several files
//! (`NAME_1`, `NAME_2`, ...), each with a header of its own. Fixed-block: the blocks, and nothing else. Neither has a
//! place for check sums: they are [beside it](crate::image::layer::sums).

use crate::error::ImageError;
use crate::format::header::{self, Form, Header, Packing};
use crate::format::unit::GROUP_BYTES;
use crate::host::{HostFile, Room};
use crate::image::layer::journal::{self, Journal};
use crate::image::layer::sums::{self, Change, Grid, PIECE, Sums, sum};
use crate::image::options::Options;
use crate::model::{Cchh, track};
use crate::progress::{Progress, went_on};
use crate::{Count, Kind, MediaError, Policy, Spot, Track};
use base::contents;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A count-key-data volume in slots.
pub(crate) struct Ckd {
    parts: Vec<Part>,
    slot: u64,
    policy: Policy,
    pub kind: Kind,
    /// A tool fills it, and starts again if it is ended: no journal.
    pub bulk: bool,
    covered: u64,
    /// How much of a slot is probably in use: so much is read at first.
    expected: AtomicUsize,
}

struct Part {
    host: Arc<HostFile>,
    /// Its first track, and the one after its last.
    first: u32,
    end: u32,
    journal: Journal,
    sums: Sums,
}

impl Drop for Part {
    fn drop(&mut self) {
        // Else the table is found as a killed process leaves it.
        let _ = self.sums.close(&self.host);
    }
}

impl Ckd {
    /// The volume that begins in `host`, a file with this header.
    pub(super) fn open(host: HostFile, header: Header, options: &Options) -> Result<Ckd, ImageError> {
        let path = host.path().to_path_buf();
        let slot = u64::from(header.slot);
        let mut parts: Vec<Part> = Vec::new();
        let mut cylinders = 0;
        let (mut host, mut now) = (host, header);
        loop {
            let damaged = |why: &str| ImageError::Damaged { path: host.path().into(), why: why.into() };
            if (now.heads, now.slot, now.device, now.form.packing)
                != (header.heads, header.slot, header.device, Packing::Plain)
            {
                return Err(damaged("its header differs from that of the volume's first file"));
            }
            // Checks the geometry before anything is divided by it.
            header.ckd(host.path(), 1)?;
            whole(&host, &now)?;
            let length = host.len()?.saturating_sub(header::LEN as u64);
            let here = u32::try_from(length / slot / u64::from(header.heads)).unwrap_or(u32::MAX);
            let first = cylinders * header.heads;
            cylinders = u32::saturating_add(cylinders, here);
            header.ckd(&path, cylinders)?;
            if now.last != 0 && u32::from(now.last) + 1 != cylinders {
                return Err(damaged(&format!("it ends with cylinder {}, not {}", cylinders - 1, now.last)));
            }
            let mut sums = Sums::open(&host, grid(slot, here * header.heads), options.faults.clone())?;
            if journal::recover(&host)? {
                sums.reopen();
            }
            let journal = Journal::new(host.path(), options.faults.clone());
            parts.push(Part { host: host.into(), first, end: cylinders * header.heads, journal, sums });
            if now.last == 0 || now.sequence == 0 || now.sequence == 0xFF {
                break;
            }
            let next = next_file(&path, parts.len() + 1)?;
            host = HostFile::open(&next, !options.read_only, options.faults.clone())?;
            let mut bytes = [0; header::LEN];
            host.read_at(0, &mut bytes)?;
            now = Header::decode(&bytes)
                .ok_or_else(|| ImageError::NotAnImage { path: next, why: "it has no header".into() })?;
        }
        let kind = header.ckd(&path, cylinders)?;
        let (policy, covered) = (options.policy, header.covered);
        Ok(Ckd { parts, slot, policy, kind, bulk: false, covered, expected: AtomicUsize::new(slot as usize) })
    }

    /// Writes the header and the length of a new volume, with all tracks as `track` makes them.
    pub(crate) fn format(
        host: &HostFile,
        kind: Kind,
        mut track: impl FnMut(u32) -> Result<Vec<u8>, ImageError>,
    ) -> Result<(), ImageError> {
        let Kind::Ckd { cylinders, heads, track: slot, .. } = kind else { return Err(MediaError::WrongKind.into()) };
        let header = Header::of_kind(kind, Packing::Plain, false);
        host.write_at(0, &header.encode())?;
        host.set_len(header::LEN as u64 + u64::from(cylinders * heads) * u64::from(slot))?;
        let mut sums = Sums::open(host, grid(slot.into(), cylinders * heads), None)?;
        for n in 0..cylinders * heads {
            let at = header::LEN as u64 + u64::from(n) * u64::from(slot);
            let mut track = track(n)?;
            host.write_at(at, &track)?;
            track.resize(track.len().next_multiple_of(PIECE).min(slot as usize), 0);
            sums.settle(at, &track)?;
        }
        sums.reopen();
        Ok(sums.close(host)?)
    }

    fn place(&self, track: u32) -> (usize, u64) {
        let part = self.parts.iter().position(|part| track < part.end).expect("the track is inside the volume");
        (part, header::LEN as u64 + u64::from(track - self.parts[part].first) * self.slot)
    }

    /// A track, with or without what is after its end in its slot.
    pub(super) fn read(&self, track: u32) -> Result<Vec<u8>, MediaError> {
        let (part, at) = self.place(track);
        let Part { host, sums, .. } = &self.parts[part];
        let (slot, expected) = (self.slot as usize, self.expected.load(Ordering::Relaxed));
        let mut bytes = host.read_new(at, expected)?;
        let mut used = track::used(&bytes);
        if used.is_none() && expected < slot {
            bytes.extend(host.read_new(at + expected as u64, slot - expected)?);
            used = track::used(&bytes);
        }
        // Grows at once and shrinks slowly: to read twice costs more than to read a little too much.
        if let Some(used) = used {
            let wanted = pieces(0, used, slot).end;
            let next = wanted.max(expected - expected.saturating_sub(wanted) / 8);
            self.expected.store(pieces(0, next, slot).end, Ordering::Relaxed);
        }
        // A track without structure is an error only where its records are looked for.
        match used.map(|used| sums.good(at, &bytes[..pieces(0, used, slot).end])).transpose()? {
            Some(false) => Err(self.changed(track)),
            _ => Ok(bytes),
        }
    }

    fn changed(&self, track: u32) -> MediaError {
        let (cylinder, head) = self.kind.home(track).expect("the track is inside the volume");
        MediaError::Damaged(format!(
            "track {track} (cylinder {cylinder}, head {head}) is not what was written there: its check sums differ"
        ))
    }

    /// Whether tracks are read in runs past the host's storage: if that is done with its files, and most of a slot is
    /// in use.
    pub(crate) fn reads_past(&self) -> bool {
        let full = self.expected.load(Ordering::Relaxed) >= self.slot as usize / 2;
        full && self.parts.iter().all(|part| part.host.past().is_some())
    }

    /// The run that these tracks begin with: those in one file, if they are read so.
    pub(crate) fn run(&self, tracks: Range<u32>) -> Range<u32> {
        if !self.reads_past() {
            return tracks.start..tracks.start + 1;
        }
        let (part, _) = self.place(tracks.start);
        tracks.start..tracks.end.min(self.parts[part].end)
    }

    /// Tracks that lie together, each with what is after its end in its slot. The host is to `keep` them in its own
    /// storage, or need not.
    pub(crate) fn read_run<'a>(
        &self,
        tracks: &Range<u32>,
        keep: bool,
        room: &'a mut Room,
    ) -> Result<impl Iterator<Item = Result<&'a [u8], MediaError>>, MediaError> {
        let (part, at) = self.place(tracks.start);
        let Part { host, sums, .. } = &self.parts[part];
        let slots = host.read_run(at, tracks.len() * self.slot as usize, keep, room)?.chunks(self.slot as usize);
        Ok(tracks.clone().zip(slots).map(move |(track, slot)| {
            let used = track::used(slot).unwrap_or(0);
            match sums.good(self.place(track).1, &slot[..pieces(0, used, slot.len()).end])? {
                true => Ok(&slot[..used]),
                false => Err(self.changed(track)),
            }
        }))
    }

    /// The whole slot of a track.
    fn read_slot(&self, track: u32) -> Result<Vec<u8>, MediaError> {
        let (part, at) = self.place(track);
        self.parts[part].host.read_new(at, self.slot as usize)
    }

    /// Tells the host that tracks will be read soon: from the first to the last, which lie together.
    pub(super) fn will_need(&self, tracks: &[u32]) {
        let mut rest = tracks;
        while let Some(&first) = rest.first() {
            let (part, at) = self.place(first);
            let (here, there) = rest.split_at(rest.partition_point(|&track| track < self.parts[part].end));
            let count = here.last().map_or(0, |last| last - first + 1);
            self.parts[part].host.will_need(at, u64::from(count) * self.slot);
            rest = there;
        }
    }

    /// Writes a track, as much of it as differs from `old`, what is there now.
    pub(super) fn write(&mut self, track: u32, new: &[u8], old: Option<&[u8]>) -> Result<(), MediaError> {
        if self.bulk {
            let (part, at) = self.place(track);
            self.parts[part].host.write_at(at, new)?;
            return self.accept(track, new.len());
        }
        let slot;
        let old = match old {
            Some(old) if old.len() >= new.len() => old,
            _ => {
                slot = self.read_slot(track)?;
                &slot
            }
        };
        let Some((from, to)) = difference(new, &old[..new.len()]) else { return Ok(()) };
        let (part, at) = self.place(track);
        let changed = pieces(from, to, self.slot as usize);
        // What is after the track in its last piece stays there.
        let after = match changed.end.saturating_sub(new.len()) {
            0 => Vec::new(),
            length => self.parts[part].host.read_new(at + new.len() as u64, length)?,
        };
        let whole = |track: &[u8]| [&track[changed.start..changed.end.min(new.len())], &after].concat();
        let (new, old, start) = (whole(new), whole(old), changed.start);
        self.replace(part, at + start as u64, &new, &old, (from - start, to - start))
    }

    /// Writes what differs, of whole pieces, from what is there now: where that begins and ends.
    fn replace(
        &mut self,
        part: usize,
        at: u64,
        new: &[u8],
        old: &[u8],
        (from, to): (usize, usize),
    ) -> Result<(), MediaError> {
        let changed = pieces(from, to, new.len());
        let Part { host, journal, sums, .. } = &mut self.parts[part];
        let chunks = new[changed.clone()].chunks(PIECE).zip(old[changed.clone()].chunks(PIECE));
        let changes: Vec<Change> = chunks.map(|(new, old)| Change { before: Some(sum(old)), now: sum(new) }).collect();
        sums.note(host, at + changed.start as u64, &changes, self.policy)?;
        let written = journal.write(host, at + from as u64, &new[from..to], &old[from..to], self.policy);
        if written.is_err() {
            let _ = sums.settle(at + changed.start as u64, &old[changed]);
        }
        written
    }

    /// The first `length` bytes of a track are what they should be, whatever was known of them.
    fn accept(&self, track: u32, length: usize) -> Result<(), MediaError> {
        let (part, at) = self.place(track);
        let Part { host, sums, .. } = &self.parts[part];
        sums.settle(at, &host.read_new(at, pieces(0, length, self.slot as usize).end)?)
    }

    /// Whether a track is as this program has written it last. A program that opens the image to write takes the track
    /// as it is.
    pub(super) fn is_ours(&self, track: u32) -> Result<bool, MediaError> {
        let (part, at) = self.place(track);
        let slot = self.read_slot(track)?;
        let used = pieces(0, track::used(&slot).unwrap_or(slot.len()), slot.len());
        self.parts[part].sums.same(at, &slot[used])
    }

    /// Takes a track for what was written there, if it is one and only its sums differ; else it becomes an empty one.
    pub(super) fn mend(&mut self, track: u32) -> Result<Mended, MediaError> {
        let home = self.kind.home(track)?;
        let slot = self.read_slot(track)?;
        let used = track::used(&slot);
        match Track::from_image(slot).filter(|found| found.home() == home) {
            Some(_) => self.accept(track, used.unwrap_or(0)).map(|()| Mended::Taken),
            None => {
                let empty = Track::new(home.0, home.1);
                self.write(track, empty.image(), None)?;
                self.accept(track, empty.image().len()).map(|()| Mended::Lost)
            }
        }
    }

    /// Count area and data of so many records from this one on; `None` if other ones are there.
    pub(crate) fn read_records(&self, track: u32, spot: Spot, many: usize) -> Result<Option<Vec<u8>>, MediaError> {
        let Some((from, mut bytes)) = self.around(track, spot, many)? else { return Ok(None) };
        let (at, length) = (spot.at - from, spot.after(many).at - spot.at);
        bytes.copy_within(at..at + length, 0);
        bytes.truncate(length);
        Ok(Some(bytes))
    }

    /// The pieces that records lie in, and where they begin in the slot; `None` if other records are there.
    fn around(&self, track: u32, spot: Spot, many: usize) -> Result<Option<(usize, Vec<u8>)>, MediaError> {
        let (part, at) = self.place(track);
        let Part { host, sums, .. } = &self.parts[part];
        let Range { start, end } = pieces(spot.at, spot.after(many).at, self.slot as usize);
        let bytes = host.read_new(at + start as u64, end - start)?;
        let there = |spot: Spot| bytes[spot.at - start..][..Count::LEN] == spot.count.encode();
        if !(0..many).all(|n| there(spot.after(n))) {
            return Ok(None);
        }
        match sums.good(at + start as u64, &bytes)? {
            true => Ok(Some((start, bytes))),
            false => Err(self.changed(track)),
        }
    }

    /// Writes the data of a record, as much of it as differs; false if another one is there.
    pub(crate) fn write_record(&mut self, track: u32, spot: Spot, data: &[u8]) -> Result<bool, MediaError> {
        if self.bulk || data.len() != usize::from(spot.count.data) {
            return Ok(false);
        }
        let Some((from, old)) = self.around(track, spot, 1)? else { return Ok(false) };
        let mut new = old.clone();
        new[spot.at + Count::LEN - from..][..data.len()].copy_from_slice(data);
        let Some(differing) = difference(&new, &old) else { return Ok(true) };
        let (part, at) = self.place(track);
        self.replace(part, at + from as u64, &new, &old, differing).map(|()| true)
    }

    /// The number that identifies the shadow file over it; 0: there is none.
    pub(super) fn covered(&self) -> u64 {
        self.covered
    }

    pub(super) fn set_covered(&mut self, covered: u64) -> Result<(), MediaError> {
        let Part { host, sums, .. } = &mut self.parts[0];
        sums.begin(host)?;
        host.write_at(header::COVERED, &covered.to_le_bytes())?;
        self.covered = covered;
        if self.policy == Policy::Through { host.sync() } else { Ok(()) }
    }

    /// The tables of check sums, if there are any.
    pub(super) fn sums(&self) -> impl Iterator<Item = &Sums> {
        self.parts.iter().map(|part| &part.sums)
    }

    /// From now on other programs may write the files.
    pub(super) fn close(&mut self) -> Result<(), MediaError> {
        self.parts.iter_mut().try_for_each(|part| part.sums.close(&part.host))
    }

    pub(super) fn hosts(&self) -> Vec<Arc<HostFile>> {
        self.parts.iter().map(|part| part.host.clone()).collect()
    }
}

/// What became of a damaged unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mended {
    /// It is taken as it is now.
    Taken,
    /// It is empty now.
    Lost,
}

/// An error if the file was longer once: by its header, its check sums, or as its last cylinder is not all there.
fn whole(host: &HostFile, header: &Header) -> Result<(), ImageError> {
    let (length, first) = (host.len()?, header::LEN as u64);
    let cylinder = u64::from(header.slot) * u64::from(header.heads);
    let told = first + u64::from(header.cylinders).saturating_mul(cylinder);
    let noted = sums::longer(host, grid(header.slot.into(), 0))?.unwrap_or(0);
    let all = first + length.saturating_sub(first).div_ceil(cylinder).max(1) * cylinder;
    // What is after the cylinders that there were is no part of the disk.
    let wanted = told.max(noted).max(if header.cylinders > 0 && length >= told { length } else { all });
    match length < wanted {
        true => Err(ImageError::Cut { path: host.path().into(), length, wanted }),
        false => Ok(()),
    }
}

/// Makes a file that was cut as long as it was. Of a count-key-data file the tracks that are missing become empty ones;
/// they are returned. Stopped on the way, the file is as long as it was.
pub(crate) fn lengthen(path: &Path, wanted: u64, progress: Progress<'_>) -> Result<Vec<u32>, ImageError> {
    let host = HostFile::open(path, true, None)?;
    let length = host.len()?;
    let mut bytes = vec![0; length.min(header::LEN as u64) as usize];
    host.read_at(0, &mut bytes)?;
    let Some(header) = Header::decode(&bytes) else {
        host.set_len(wanted)?;
        let group = GROUP_BYTES as u64;
        let _ = std::fs::remove_file(sums::path_of(path));
        return Ok((length / group..wanted.div_ceil(group)).map(|group| group as u32).collect());
    };
    if header.sequence > 1 {
        let why = "it was cut, and is not the first file of its disk: put a whole copy in its place".into();
        return Err(ImageError::Damaged { path: path.into(), why });
    }
    let (slot, heads) = (u64::from(header.slot), header.heads);
    let tracks = |length: u64| (length.saturating_sub(header::LEN as u64) / slot) as u32;
    let lost: Vec<u32> = (tracks(length)..tracks(wanted)).collect();
    // They are made again when it is next opened.
    let _ = std::fs::remove_file(sums::path_of(path));
    for (n, &track) in lost.iter().enumerate() {
        let (cylinder, head) = Cchh::of(track / heads, track % heads).get();
        let empty = Track::new(cylinder, head);
        host.write_at(header::LEN as u64 + u64::from(track) * slot, empty.image())?;
        if let Err(stopped) = went_on(progress, n as u64 + 1, lost.len() as u64) {
            host.set_len(length)?;
            return Err(stopped);
        }
    }
    host.set_len(wanted)?;
    Ok(lost)
}

fn grid(slot: u64, slots: u32) -> Grid {
    Grid { start: header::LEN as u64, slot, slots: slots.into(), together: true }
}

/// The whole pieces that the bytes `from` to `to` lie in, of a slot of so many bytes.
fn pieces(from: usize, to: usize, slot: usize) -> Range<usize> {
    from / PIECE * PIECE..to.next_multiple_of(PIECE).min(slot)
}

/// Where two slices of the same length begin to differ, and where they have ended to. Most of a track is the same: it
/// is passed over in pieces, which the host compares many bytes at a time.
fn difference(new: &[u8], old: &[u8]) -> Option<(usize, usize)> {
    const PIECE: usize = 128;
    let pieces = || new.chunks(PIECE).zip(old.chunks(PIECE));
    let first = pieces().position(|(new, old)| new != old)? * PIECE;
    let last = pieces().rposition(|(new, old)| new != old)? * PIECE;
    let differs = |at: &usize| new[*at] != old[*at];
    Some(((first..new.len()).find(differs)?, (last..new.len().min(last + PIECE)).rfind(differs)? + 1))
}

/// File `number` of the volume that begins in `first`: the digit before the last dot, or at the end, counts.
fn next_file(first: &Path, number: usize) -> Result<PathBuf, ImageError> {
    let name = first.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = name.rfind('.').unwrap_or(name.len());
    let (head, tail) = name.split_at(stem);
    match head.strip_suffix('1') {
        Some(head) if number <= 9 => Ok(first.with_file_name(format!("{head}{number}{tail}"))),
        _ => {
            let why = format!("it is one of several files, but file {number} cannot be named after it");
            Err(ImageError::NotAnImage { path: first.into(), why })
        }
    }
}

/// A fixed-block volume as nothing but its blocks.
pub(crate) struct Fba {
    host: Arc<HostFile>,
    length: u64,
    policy: Policy,
    pub kind: Kind,
    sums: Sums,
}

impl Drop for Fba {
    fn drop(&mut self) {
        // Else the table is found as a killed process leaves it.
        let _ = self.sums.close(&self.host);
    }
}

impl Fba {
    pub(super) fn open(host: HostFile, options: &Options) -> Result<Fba, ImageError> {
        let length = host.len()?;
        let grid = Fba::grid(length);
        if let Some(wanted) = sums::longer(&host, grid)? {
            return Err(ImageError::Cut { path: host.path().into(), length, wanted });
        }
        // A guest may write anything to its disk, so what is known to be one stays one.
        let mut start = vec![0; contents::START.min(length as usize)];
        host.read_at(0, &mut start)?;
        if let Some(name) = contents::foreign(&start).filter(|_| !sums::path_of(host.path()).exists()) {
            return Err(ImageError::NotAnImage { path: host.path().into(), why: format!("it is {name}") });
        }
        if !length.is_multiple_of(Kind::BLOCK as u64) {
            let why = format!("{length} bytes are neither a known format nor whole 512-byte blocks");
            return Err(ImageError::NotAnImage { path: host.path().into(), why });
        }
        let mut magic = [0; 8];
        host.read_at(0, &mut magic)?;
        if Form::of(&magic).is_some() {
            return Err(ImageError::NotAnImage {
                path: host.path().into(),
                why: "it has a header of another form".into(),
            });
        }
        let kind = header::fba(host.path(), length / Kind::BLOCK as u64, options.device)?;
        let sums = Sums::open(&host, grid, options.faults.clone())?;
        Ok(Fba { host: host.into(), length, policy: options.policy, kind, sums })
    }

    fn grid(length: u64) -> Grid {
        let slot = PIECE as u64;
        Grid { start: 0, slot, slots: length.div_ceil(slot), together: false }
    }

    /// Notes how long a new volume is: nothing in the file says so.
    pub(crate) fn note_length(host: &HostFile) -> Result<(), ImageError> {
        let mut sums = Sums::open(host, Fba::grid(host.len()?), None)?;
        sums.reopen();
        Ok(sums.close(host)?)
    }

    /// The number that identifies the shadow file over it, if that is known.
    pub(super) fn covered(&self) -> Option<u64> {
        self.sums.covered()
    }

    pub(super) fn set_covered(&mut self, covered: u64) -> Result<(), MediaError> {
        self.sums.set_covered(&self.host, covered)
    }

    /// The whole pieces that so many bytes from `offset` on lie in.
    fn around(&self, offset: u64, length: usize) -> Range<u64> {
        let piece = PIECE as u64;
        offset / piece * piece..(offset + length as u64).next_multiple_of(piece).min(self.length)
    }

    pub(crate) fn read(&self, offset: u64, to: &mut [u8]) -> Result<(), MediaError> {
        let pieces = self.around(offset, to.len());
        if pieces == (offset..offset + to.len() as u64) {
            self.host.read_at(offset, to)?;
            return self.must_be_good(offset, to);
        }
        let bytes = self.host.read_new(pieces.start, (pieces.end - pieces.start) as usize)?;
        self.must_be_good(pieces.start, &bytes)?;
        to.copy_from_slice(&bytes[(offset - pieces.start) as usize..][..to.len()]);
        Ok(())
    }

    fn must_be_good(&self, at: u64, bytes: &[u8]) -> Result<(), MediaError> {
        if self.sums.good(at, bytes)? {
            return Ok(());
        }
        let blocks = (at / Kind::BLOCK as u64, (at + bytes.len() as u64) / Kind::BLOCK as u64 - 1);
        let why = "are not what was written there: their check sums differ";
        Err(MediaError::Damaged(format!("of blocks {} to {} some {why}", blocks.0, blocks.1)))
    }

    /// Writes whole blocks. No journal is needed: a block lies in one page, and more is not promised of a disk.
    pub(crate) fn write(&mut self, offset: u64, from: &[u8]) -> Result<(), MediaError> {
        let pieces = self.around(offset, from.len());
        let mut changes = Vec::with_capacity(from.len() / PIECE + 2);
        for at in pieces.clone().step_by(PIECE) {
            let end = (at + PIECE as u64).min(self.length);
            // What of the piece is written, in the file.
            let (first, last) = (at.max(offset), end.min(offset + from.len() as u64));
            let new = &from[(first - offset) as usize..(last - offset) as usize];
            changes.push(if new.len() as u64 == end - at {
                Change { before: None, now: sum(new) }
            } else {
                let mut piece = self.host.read_new(at, (end - at) as usize)?;
                self.must_be_good(at, &piece)?;
                let before = Some(sum(&piece));
                piece[(first - at) as usize..][..new.len()].copy_from_slice(new);
                Change { before, now: sum(&piece) }
            });
        }
        self.sums.note(&self.host, pieces.start, &changes, self.policy)?;
        let through = || if self.policy == Policy::Through { self.host.sync() } else { Ok(()) };
        let written = self.host.write_at(offset, from).and_then(|()| through());
        if written.is_err() {
            // Any part of it may be there; the caller gets the error.
            let _ = self.accept(pieces);
        }
        written
    }

    /// What is there is what should be, whatever was known of it.
    fn accept(&self, pieces: Range<u64>) -> Result<(), MediaError> {
        let bytes = self.host.read_new(pieces.start, (pieces.end - pieces.start) as usize)?;
        self.sums.settle(pieces.start, &bytes)
    }

    /// As [`Ckd::is_ours`], of so many bytes from `offset` on.
    pub(super) fn is_ours(&self, offset: u64, length: usize) -> Result<bool, MediaError> {
        let pieces = self.around(offset, length);
        self.sums.same(pieces.start, &self.host.read_new(pieces.start, (pieces.end - pieces.start) as usize)?)
    }

    /// As [`Ckd::mend`]: blocks are always taken as they are.
    pub(super) fn mend(&self, offset: u64, length: usize) -> Result<Mended, MediaError> {
        self.accept(self.around(offset, length)).map(|()| Mended::Taken)
    }

    pub(super) fn host(&self) -> &Arc<HostFile> {
        &self.host
    }

    pub(super) fn sums(&self) -> &Sums {
        &self.sums
    }

    /// From now on other programs may write the file.
    pub(super) fn close(&mut self) -> Result<(), MediaError> {
        self.sums.close(&self.host)
    }
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn a_difference_is_found_wherever_it_is() {
        let old = vec![7; 1000];
        assert_eq!(difference(&old, &old), None);
        for (from, to) in [(0, 1), (0, 1000), (127, 128), (128, 129), (999, 1000), (130, 140), (100, 900)] {
            let mut new = old.clone();
            (new[from], new[to - 1]) = (1, 2);
            assert_eq!(difference(&new, &old), Some((from, to)), "{from} to {to}");
        }
        assert_eq!(difference(&[], &[]), None);
    }
}
