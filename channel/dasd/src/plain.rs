//! Plain images: a track, or a block, in a place of its own.
//!
//! Count-key-data (`CKD_P370`, `CKD_P064`): the header, then a slot for each track. A volume may be several files
//! (`NAME_1`, `NAME_2`, ...), each with a header of its own. Fixed-block: the blocks, and nothing else.

use crate::header::{self, Form, Header, Packing};
use crate::host::{HostFile, ImageError};
use crate::journal::{self, Journal};
use crate::past::{PAGE, Room};
use crate::{Count, Kind, MediaError, Options, Policy, Spot, track};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A count-key-data volume in slots.
pub struct Ckd {
    parts: Vec<Part>,
    slot: u64,
    policy: Policy,
    pub kind: Kind,
    /// A tool fills it, and starts again if it is ended: no journal.
    pub bulk: bool,
    /// How much of a slot is probably in use: so much is read at first.
    expected: AtomicUsize,
}

struct Part {
    host: Arc<HostFile>,
    /// Its first track, and the one behind its last.
    first: u32,
    end: u32,
    journal: Journal,
}

impl Ckd {
    /// The volume that begins in `host`, whose header is `header`.
    pub fn open(host: HostFile, header: Header, options: &Options) -> Result<Ckd, ImageError> {
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
            let length = host.len()?.saturating_sub(header::LEN as u64);
            let here = u32::try_from(length / slot / u64::from(header.heads)).unwrap_or(u32::MAX);
            if here == 0 {
                return Err(damaged("it is shorter than one cylinder"));
            }
            let first = cylinders * header.heads;
            cylinders = u32::saturating_add(cylinders, here);
            header.ckd(&path, cylinders)?;
            if now.last != 0 && u32::from(now.last) + 1 != cylinders {
                return Err(damaged(&format!("it ends with cylinder {}, not {}", cylinders - 1, now.last)));
            }
            journal::recover(&host)?;
            let journal = Journal::new(host.path(), options.faults.clone());
            parts.push(Part { host: host.into(), first, end: cylinders * header.heads, journal });
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
        Ok(Ckd { parts, slot, policy: options.policy, kind, bulk: false, expected: AtomicUsize::new(slot as usize) })
    }

    /// Writes header and length of a new volume whose tracks are all as `track` makes them.
    pub fn format(
        host: &HostFile,
        kind: Kind,
        mut track: impl FnMut(u32) -> Result<Vec<u8>, ImageError>,
    ) -> Result<(), ImageError> {
        let Kind::Ckd { cylinders, heads, track: slot, .. } = kind else { return Err(MediaError::WrongKind.into()) };
        let header = Header::of_kind(kind, Packing::Plain, false);
        host.write_at(0, &header.encode())?;
        host.set_len(header::LEN as u64 + u64::from(cylinders * heads) * u64::from(slot))?;
        for n in 0..cylinders * heads {
            host.write_at(header::LEN as u64 + u64::from(n) * u64::from(slot), &track(n)?)?;
        }
        Ok(())
    }

    fn place(&self, track: u32) -> (usize, u64) {
        let part = self.parts.iter().position(|part| track < part.end).expect("the track is inside the volume");
        (part, header::LEN as u64 + u64::from(track - self.parts[part].first) * self.slot)
    }

    /// A track, with or without what is behind its end in its slot.
    pub fn read(&self, track: u32) -> Result<Vec<u8>, MediaError> {
        let (part, at) = self.place(track);
        let host = &self.parts[part].host;
        let (slot, expected) = (self.slot as usize, self.expected.load(Ordering::Relaxed));
        let mut bytes = host.read_new(at, expected)?;
        let mut used = track::used(&bytes);
        if used.is_none() && expected < slot {
            bytes.extend(host.read_new(at + expected as u64, slot - expected)?);
            used = track::used(&bytes);
        }
        // Grows at once and shrinks slowly: to read twice costs more than to read a little too much.
        if let Some(used) = used {
            let wanted = used.next_multiple_of(PAGE).min(slot);
            self.expected.store(wanted.max(expected - expected.saturating_sub(wanted) / 8), Ordering::Relaxed);
        }
        Ok(bytes)
    }

    /// Whether tracks are read in runs past the host's storage: if that is done with its files, and most of a slot is in use.
    pub fn reads_past(&self) -> bool {
        let full = self.expected.load(Ordering::Relaxed) >= self.slot as usize / 2;
        full && self.parts.iter().all(|part| part.host.past().is_some())
    }

    /// The run that these tracks begin with: those in one file, if they are read so.
    pub fn run(&self, tracks: Range<u32>) -> Range<u32> {
        if !self.reads_past() {
            return tracks.start..tracks.start + 1;
        }
        let (part, _) = self.place(tracks.start);
        tracks.start..tracks.end.min(self.parts[part].end)
    }

    /// Tracks that lie together, each with what is behind its end in its slot. The host is to `keep` them in its own storage, or need not.
    pub fn read_run<'a>(
        &self,
        tracks: &Range<u32>,
        keep: bool,
        room: &'a mut Room,
    ) -> Result<impl Iterator<Item = &'a [u8]>, MediaError> {
        let (part, at) = self.place(tracks.start);
        let bytes = self.parts[part].host.read_run(at, tracks.len() * self.slot as usize, keep, room)?;
        Ok(bytes.chunks(self.slot as usize))
    }

    /// The whole slot of a track.
    fn read_slot(&self, track: u32) -> Result<Vec<u8>, MediaError> {
        let (part, at) = self.place(track);
        self.parts[part].host.read_new(at, self.slot as usize)
    }

    /// Tells the host that tracks will be read soon: from the first to the last, which lie together.
    pub fn will_need(&self, tracks: &[u32]) {
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
    pub fn write(&mut self, track: u32, new: &[u8], old: Option<&[u8]>) -> Result<(), MediaError> {
        if self.bulk {
            let (part, at) = self.place(track);
            return self.parts[part].host.write_at(at, new);
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
        let Part { host, journal, .. } = &mut self.parts[part];
        journal.write(host, at + from as u64, &new[from..to], &old[from..to], self.policy)
    }

    /// Count area and data of a record; `None` if another one is there.
    pub fn read_record(&self, track: u32, spot: Spot) -> Result<Option<Vec<u8>>, MediaError> {
        let (part, at) = self.place(track);
        let bytes = self.parts[part].host.read_new(at + spot.at as u64, Count::LEN + usize::from(spot.count.data))?;
        Ok((bytes[..Count::LEN] == spot.count.encode()).then_some(bytes))
    }

    /// Writes the data of a record, as much of it as differs; false if another one is there.
    pub fn write_record(&mut self, track: u32, spot: Spot, data: &[u8]) -> Result<bool, MediaError> {
        let Some(old) = self.read_record(track, spot)?.filter(|_| !self.bulk) else { return Ok(false) };
        let old = &old[Count::LEN..];
        if old.len() != data.len() {
            return Ok(false);
        }
        let Some((from, to)) = difference(data, old) else { return Ok(true) };
        let (part, at) = self.place(track);
        let Part { host, journal, .. } = &mut self.parts[part];
        let at = at + (spot.at + Count::LEN + from) as u64;
        journal.write(host, at, &data[from..to], &old[from..to], self.policy).map(|()| true)
    }

    pub fn hosts(&self) -> Vec<Arc<HostFile>> {
        self.parts.iter().map(|part| part.host.clone()).collect()
    }
}

/// Where two slices of the same length begin to differ, and where they have ended to. Most of a track is the same: it is
/// passed over in pieces, which the host compares many bytes at a time.
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
pub struct Fba {
    host: Arc<HostFile>,
    policy: Policy,
    pub kind: Kind,
}

impl Fba {
    pub fn open(host: HostFile, options: &Options) -> Result<Fba, ImageError> {
        let length = host.len()?;
        let mut magic = [0; 8];
        host.read_at(0, &mut magic)?;
        if Form::of(&magic).is_some() {
            return Err(ImageError::NotAnImage {
                path: host.path().into(),
                why: "it has a header of another form".into(),
            });
        }
        if !length.is_multiple_of(Kind::BLOCK as u64) {
            let why = format!("{length} bytes are neither a known format nor whole 512-byte blocks");
            return Err(ImageError::NotAnImage { path: host.path().into(), why });
        }
        let kind = header::fba(host.path(), length / Kind::BLOCK as u64, options.device)?;
        Ok(Fba { host: host.into(), policy: options.policy, kind })
    }

    pub fn read(&self, offset: u64, to: &mut [u8]) -> Result<(), MediaError> {
        self.host.read_at(offset, to)
    }

    /// Writes whole blocks. No journal is needed: a block lies in one page, and more is not promised of a disk.
    pub fn write(&self, offset: u64, from: &[u8]) -> Result<(), MediaError> {
        self.host.write_at(offset, from)?;
        if self.policy == Policy::Through { self.host.sync() } else { Ok(()) }
    }

    pub fn host(&self) -> &Arc<HostFile> {
        &self.host
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
