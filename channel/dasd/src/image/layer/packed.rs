//! Compressed images (CCKD, CCKD64, CFBA) and shadow files, which are compressed images of what was written since.
//!
//! The volume is kept in units: a track, or a group of 120 blocks. Two levels of tables say where a unit is in the file
//! ([`crate::format::packed`]). A unit is never written over where it is. Its new form goes to free space, then its
//! table entry changes with one write that lies in one page of the host. Then the old place is free
//! ([`space`](super::space)). So this process may end between any two requests, and in the midst of one, and every
//! acknowledged write is found. The free spaces are reckoned from the tables whenever an image is opened. The chain of
//! them that the format has is written when it is closed, for other programs.

use super::space::{Piece, Space};
use crate::error::ImageError;
use crate::format::codec::{self, Method, PREFIX};
use crate::format::header::{self, Header, Packing};
use crate::format::packed::{self as format, ENTRIES, Entry, HEADER, LEVEL1, Layout, OPENED, PackedHeader, WRITTEN};
use crate::format::unit::{self, GROUP_BYTES};
use crate::host::HostFile;
use crate::image::options::Options;
use crate::{Kind, MediaError, Policy};
use std::sync::Arc;

/// What the host writes at once.
const PAGE: u64 = 4096;

/// A compressed image's file.
pub(crate) struct Packed {
    host: Arc<HostFile>,
    layout: Layout,
    header: PackedHeader,
    pub kind: Kind,
    pub shadow: bool,
    tables: Vec<Table>,
    space: Space,
    policy: Policy,
    /// The header says that it is open.
    marked: bool,
    /// Written as a whole by a tool: compressed as well as the header says, not as fast as possible.
    bulk: bool,
    /// The next write is not compressed: the unit will soon be written again.
    quick: bool,
    /// What is wrong with the tables. Such a file is not written.
    pub problems: Vec<String>,
}

/// A second-level table.
struct Table {
    /// Where it is; 0: its units are null; [`Layout::is_below`]: they are in the file below.
    at: u64,
    entries: Option<Box<[Entry; ENTRIES]>>,
}

/// Where a unit is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// In the file below this one.
    Below,
    /// Nowhere: it is as the null format says.
    Null(u8),
    At(Entry),
}

/// What occupies a piece of the file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Owner {
    Table(usize),
    Unit(u32),
}

/// What a new compressed image is like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Style {
    pub wide: bool,
    pub shadow: bool,
    pub method: Method,
    pub null_format: u8,
    /// As in the [header](PackedHeader).
    pub covered: u64,
    pub below: u64,
}

impl Style {
    /// A shadow file over a plain image.
    pub(crate) fn shadow(kind: Kind) -> Style {
        Style {
            wide: false,
            shadow: true,
            method: Method::Zlib,
            null_format: unit::null_format(kind),
            covered: 0,
            below: 0,
        }
    }
}

impl Packed {
    /// Writes an image without any unit.
    pub(crate) fn format(host: &HostFile, kind: Kind, style: Style) -> Result<(), MediaError> {
        let layout = Layout { wide: style.wide, big: false };
        let packing = if style.shadow { Packing::Shadow } else { Packing::Packed };
        let mut first = Header::of_kind(kind, packing, style.wide);
        let extent = match kind {
            Kind::Ckd { cylinders, .. } => cylinders,
            Kind::Fba { blocks, .. } => u32::try_from(blocks).map_err(|_| MediaError::Outside)?,
        };
        if matches!(kind, Kind::Fba { .. }) {
            (first.heads, first.slot) = (extent, Kind::BLOCK as u32);
        }
        let tables = unit::count(kind).div_ceil(ENTRIES as u32);
        let end = LEVEL1 + u64::from(tables) * layout.level1_entry();
        let second = PackedHeader {
            version: [0, 3, 1],
            options: WRITTEN,
            tables,
            entries: ENTRIES as u32,
            size: end,
            used: end,
            free_at: 0,
            free_total: 0,
            free_largest: 0,
            free_count: 0,
            free_inside: 0,
            extent,
            null_format: style.null_format,
            method: style.method.number(),
            level: -1,
            covered: style.covered,
            below: style.below,
        };
        let every = if style.shadow { layout.below() } else { 0 };
        let mut bytes = first.encode().to_vec();
        bytes.extend_from_slice(&layout.encode_header(&second));
        for _ in 0..tables {
            bytes.extend_from_slice(&layout.encode_level1(every));
        }
        host.write_at(0, &bytes)
    }

    /// Opens an image. What is wrong with the tables is found here and kept in `problems`; an image with problems opens
    /// for reading only, and then serves what can be trusted.
    pub(super) fn open(host: HostFile, first: Header, options: &Options) -> Result<Packed, ImageError> {
        let path = host.path().to_path_buf();
        let bad = |why: String| ImageError::Damaged { path: path.clone(), why };
        let mut bytes = [0; 512];
        host.read_at(HEADER, &mut bytes).map_err(|error| bad(error.to_string()))?;
        let big = bytes[3] & format::BIG_ENDIAN != 0;
        let layout = Layout { wide: first.form.wide, big };
        let header = layout.decode_header(&bytes);
        let kind = if first.form.fba {
            header::fba(&path, header.extent.into(), options.device)?
        } else {
            first.ckd(&path, header.extent)?
        };
        let length = host.len()?;
        let needed = unit::count(kind).div_ceil(ENTRIES as u32);
        let begin = LEVEL1 + u64::from(header.tables) * layout.level1_entry();
        if header.entries != ENTRIES as u32 || header.tables < needed || begin > length {
            return Err(bad(format!("its header says {} tables of {} entries", header.tables, header.entries)));
        }
        if header.null_format > 2 || Method::of(header.method).is_none() {
            return Err(bad(format!("its header says null format {}, method {}", header.null_format, header.method)));
        }
        let mut packed = Packed {
            host: Arc::new(host),
            layout,
            header,
            kind,
            shadow: first.form.packing == Packing::Shadow,
            tables: Vec::new(),
            space: Space::default(),
            policy: options.policy,
            marked: false,
            bulk: false,
            quick: false,
            problems: Vec::new(),
        };
        packed.load(needed, begin, length)?;
        if let Some(problem) = packed.problems.first()
            && !options.read_only
            && packed.writable()
        {
            let more = packed.problems.len();
            return Err(bad(format!("{problem} ({more} in all); endicott dasd check --repair makes it whole again")));
        }
        Ok(packed)
    }

    /// Reads the tables and finds out what they leave free.
    fn load(&mut self, needed: u32, begin: u64, length: u64) -> Result<(), ImageError> {
        let layout = self.layout;
        let mut level1 = vec![0; needed as usize * layout.level1_entry() as usize];
        self.host.read_at(LEVEL1, &mut level1)?;
        let mut used = Vec::new();
        let mut bytes = vec![0; layout.table() as usize];
        for (n, at) in layout.decode_level1(&level1).into_iter().enumerate() {
            if at == 0 || (self.shadow && layout.is_below(at)) {
                self.tables.push(Table { at, entries: None });
                continue;
            }
            if at < begin || at.checked_add(layout.table()).is_none_or(|end| end > length) {
                self.problems.push(format!("table {n} is at byte {at}, outside the file"));
                self.tables.push(Table { at, entries: None });
                continue;
            }
            self.host.read_at(at, &mut bytes)?;
            let table = layout.decode_table(&bytes);
            used.push((at, layout.table()));
            for entry in table.iter().filter(|entry| entry.at != 0 && !(self.shadow && layout.is_below(entry.at))) {
                used.push((entry.at, u64::from(entry.size.max(entry.length))));
            }
            self.tables.push(Table { at, entries: Some(table) });
        }
        let (space, wrong) = Space::new(used, begin, length, 4 * layout.least_free(), layout.limit());
        self.space = space;
        let tell = |(at, size): (u64, u64)| format!("{size} bytes at byte {at} are in use twice or outside the file");
        self.problems.extend(wrong.into_iter().map(tell));
        self.problems.dedup();
        Ok(())
    }

    pub(super) fn writable(&self) -> bool {
        self.host.writable()
    }

    pub(crate) fn host(&self) -> &Arc<HostFile> {
        &self.host
    }

    pub(crate) fn style(&self) -> Style {
        let Layout { wide, .. } = self.layout;
        let method = Method::of(self.header.method).expect("checked when it was opened");
        let PackedHeader { null_format, covered, below, .. } = self.header;
        Style { wide, shadow: self.shadow, method, null_format, covered, below }
    }

    /// Takes note of the shadow file over this file; 0: there is none.
    pub(super) fn set_covered(&mut self, covered: u64) -> Result<(), MediaError> {
        let header = PackedHeader { covered, ..self.header };
        self.host.write_at(HEADER, &self.layout.encode_header(&header))?;
        self.header = header;
        self.step()
    }

    /// Whether the header says that the program that wrote the file last did not close it.
    pub(crate) fn left_open(&self) -> bool {
        !self.marked && self.header.options & OPENED != 0
    }

    /// A tool writes the whole image: it takes the time to make it small.
    pub(super) fn set_bulk(&mut self) {
        self.bulk = true;
    }

    /// Bytes of the file, and of the free spaces in it.
    pub(crate) fn sizes(&self) -> (u64, u64) {
        (self.space.end(), self.space.total())
    }

    pub(crate) fn place(&self, unit: u32) -> Place {
        let Some(table) = self.tables.get(unit as usize / ENTRIES) else { return Place::Null(0) };
        let below = |at| self.shadow && self.layout.is_below(at);
        let Some(entries) = &table.entries else {
            return if below(table.at) { Place::Below } else { Place::Null(self.header.null_format) };
        };
        match entries[unit as usize % ENTRIES] {
            entry if below(entry.at) => Place::Below,
            // An entry of zeros is as the header says.
            Entry { at: 0, length: 0, .. } => Place::Null(self.header.null_format),
            Entry { at: 0, length, .. } => Place::Null(u8::try_from(length).unwrap_or(u8::MAX)),
            entry => Place::At(entry),
        }
    }

    /// The bytes of a unit: a track's image, or a group's blocks; `None`: the file below has them.
    pub(crate) fn read(&self, unit: u32) -> Result<Option<Vec<u8>>, MediaError> {
        let name = |error| match error {
            MediaError::Damaged(why) => {
                MediaError::damaged(format!("{}: unit {unit}: {why}", self.host.path().display()))
            }
            error => error,
        };
        let table = &self.tables[unit as usize / ENTRIES];
        if table.entries.is_none() && table.at != 0 && !(self.shadow && self.layout.is_below(table.at)) {
            return Err(name(MediaError::damaged("its table is outside the file")));
        }
        match self.place(unit) {
            Place::Below => Ok(None),
            Place::Null(format) => self.null(unit, format).map(Some).map_err(name),
            Place::At(entry) => self.read_at(unit, entry).map(Some).map_err(name),
        }
    }

    fn null(&self, unit: u32, format: u8) -> Result<Vec<u8>, MediaError> {
        match self.kind {
            Kind::Fba { .. } => Ok(vec![0; GROUP_BYTES]),
            Kind::Ckd { track, .. } => {
                let image = unit::null_track(format, self.kind.home(unit)?);
                let fits = image.filter(|image| image.len() <= track as usize);
                fits.ok_or_else(|| MediaError::damaged(format!("its null format {format} is unknown here")))
            }
        }
    }

    fn read_at(&self, unit: u32, entry: Entry) -> Result<Vec<u8>, MediaError> {
        let mut bytes = vec![0; entry.length.into()];
        self.host.read_at(entry.at, &mut bytes)?;
        unit::decode(self.kind, unit, &bytes)
    }

    /// As [`Packed::write`], without the time that compressing takes.
    pub(super) fn write_quickly(&mut self, unit: u32, image: &[u8]) -> Result<(), MediaError> {
        self.quick = true;
        let done = self.write(unit, image);
        self.quick = false;
        done
    }

    /// Replaces a unit.
    pub(crate) fn write(&mut self, unit: u32, image: &[u8]) -> Result<(), MediaError> {
        let null = self.is_null(unit, image)?;
        if null && self.place(unit) == Place::Null(self.header.null_format) {
            return Ok(());
        }
        self.mark()?;
        let entry = if null {
            Entry { at: 0, length: self.header.null_format.into(), size: 0 }
        } else {
            let body = if self.is_ckd() { &image[PREFIX..] } else { image };
            let (method, level) = self.effort();
            let mut packed = codec::pack(unit::id(self.kind, unit)?, body, method, level, self.longest());
            let length = u16::try_from(packed.len()).map_err(|_| MediaError::TrackFull)?;
            let rounded = packed.len().next_multiple_of(16) as u64;
            let wanted = if rounded <= u16::MAX.into() { rounded } else { length.into() };
            let piece = self.space.take(wanted, u16::MAX.into()).ok_or_else(|| self.full())?;
            // All of it is written: the entry must name no byte after the end of the file.
            packed.resize(piece.length as usize, 0);
            let written = self.host.write_at(piece.at, &packed).and_then(|()| self.step());
            if let Err(error) = written {
                self.space.give(piece.at, piece.length);
                return Err(error);
            }
            Entry { at: piece.at, length, size: piece.length as u16 }
        };
        self.set(unit, entry)
    }

    fn is_ckd(&self) -> bool {
        matches!(self.kind, Kind::Ckd { .. })
    }

    fn is_null(&self, unit: u32, image: &[u8]) -> Result<bool, MediaError> {
        Ok(match self.kind {
            Kind::Fba { .. } => image.iter().all(|byte| *byte == 0),
            Kind::Ckd { .. } => unit::is_null_track(image, self.header.null_format, self.kind.home(unit)?),
        })
    }

    fn effort(&self) -> (Method, u32) {
        let method = self.style().method;
        match (method, self.bulk) {
            (Method::None, _) => (Method::None, 0),
            _ if self.quick => (Method::None, 0),
            // The guest waits: the fastest there is; a tool makes it smaller later.
            (_, false) => (Method::Zlib, 1),
            (_, true) => {
                (method, u32::try_from(self.header.level).ok().filter(|level| (1..=9).contains(level)).unwrap_or(6))
            }
        }
    }

    /// The most bytes that a unit may take: other programs know the narrow forms, and refuse what is longer than it
    /// would be uncompressed.
    fn longest(&self) -> usize {
        match self.kind {
            _ if self.style().wide => u16::MAX.into(),
            Kind::Ckd { track, .. } => track as usize,
            Kind::Fba { .. } => PREFIX + GROUP_BYTES,
        }
    }

    fn full(&self) -> MediaError {
        let path = self.host.path().display();
        MediaError::Host(format!("{path}: the file has the largest size of its format; convert it to cckd64"))
    }

    /// What was written so far is on the medium before anything further is, if the policy is so strict.
    fn step(&self) -> Result<(), MediaError> {
        if self.policy == Policy::Through { self.host.sync() } else { Ok(()) }
    }

    /// Notes in the header that the file is open, before the first change.
    fn mark(&mut self) -> Result<(), MediaError> {
        if self.marked {
            return Ok(());
        }
        let options = self.header.options | OPENED | WRITTEN;
        self.host.write_at(HEADER + 3, &[options])?;
        self.step()?;
        self.header.options = options;
        self.marked = true;
        Ok(())
    }

    /// Changes the entry of a unit, and gives back what it named.
    fn set(&mut self, unit: u32, entry: Entry) -> Result<(), MediaError> {
        let (n, row) = (unit as usize / ENTRIES, unit as usize % ENTRIES);
        let width = self.layout.level2_entry();
        let at = self.tables[n].at + row as u64 * width;
        let torn = at / PAGE != (at + width - 1) / PAGE;
        let old = match &mut self.tables[n].entries {
            Some(entries) if !torn => {
                self.host.write_at(at, &self.layout.encode_entry(&entry))?;
                std::mem::replace(&mut entries[row], entry)
            }
            Some(entries) => {
                let mut entries = entries.clone();
                let old = std::mem::replace(&mut entries[row], entry);
                self.place_table(n, entries)?;
                old
            }
            None => {
                let below = self.layout.below();
                let every = match self.tables[n].at {
                    0 => Entry::default(),
                    _ => Entry { at: below, length: u16::MAX, size: u16::MAX },
                };
                let mut entries = Box::new([every; ENTRIES]);
                entries[row] = entry;
                self.place_table(n, entries)?;
                Entry::default()
            }
        };
        self.step()?;
        if old.at != 0 && !(self.shadow && self.layout.is_below(old.at)) {
            self.give(old.at, old.size.max(old.length).into());
        }
        Ok(())
    }

    /// Writes a table to a place where none of its entries lies in two pages, and then the first level's entry.
    fn place_table(&mut self, n: usize, entries: Box<[Entry; ENTRIES]>) -> Result<(), MediaError> {
        let (length, width) = (self.layout.table(), self.layout.level2_entry());
        let fits = |at: u64| at.is_multiple_of(width) || at / PAGE == (at + length - 1) / PAGE;
        let piece = self.space.take_where(length, fits).ok_or_else(|| self.full())?;
        let written = self.host.write_at(piece.at, &self.layout.encode_table(&entries)).and_then(|()| self.step());
        if let Err(error) = written {
            self.space.give(piece.at, piece.length);
            return Err(error);
        }
        // After an error here either table may be the one; neither place is used again.
        self.host.write_at(LEVEL1 + n as u64 * self.layout.level1_entry(), &self.layout.encode_level1(piece.at))?;
        let old = std::mem::replace(&mut self.tables[n], Table { at: piece.at, entries: Some(entries) });
        if old.entries.is_some() {
            self.give(old.at, length);
        }
        Ok(())
    }

    fn give(&mut self, at: u64, length: u64) {
        match self.policy {
            // The entries that named it may still be on the host's medium.
            Policy::Safe => self.space.give_later(at, length),
            Policy::Through | Policy::Lazy => self.space.give(at, length),
        }
    }

    /// How many freed pieces wait for the host's medium.
    pub(crate) fn waiting(&self) -> usize {
        self.space.waiting()
    }

    /// The first `count` of the freed pieces are free: the tables that name them no longer are on the host's medium.
    pub(crate) fn settle(&mut self, count: usize) {
        self.space.settle(count);
    }

    /// Everything in the file, from its end to its beginning.
    pub(crate) fn owners(&self) -> Vec<(u64, Owner)> {
        let mut owners = Vec::new();
        for (n, table) in self.tables.iter().enumerate() {
            let Some(entries) = &table.entries else { continue };
            owners.push((table.at, Owner::Table(n)));
            let unit = |row: usize| (n * ENTRIES + row) as u32;
            let stored = entries.iter().enumerate().filter(|(row, _)| matches!(self.place(unit(*row)), Place::At(_)));
            owners.extend(stored.map(|(row, entry)| (entry.at, Owner::Unit(unit(row)))));
        }
        owners.sort_unstable_by_key(|(at, _)| std::cmp::Reverse(*at));
        owners
    }

    /// Moves one occupant of the file to a free space nearer to its beginning, if there is one.
    pub(crate) fn move_down(&mut self, owner: Owner) -> Result<bool, MediaError> {
        match owner {
            Owner::Table(n) => {
                let Some(entries) = self.tables[n].entries.clone() else { return Ok(false) };
                let first = self.space.free().find(|(_, length)| *length >= self.layout.table());
                if first.is_none_or(|(at, _)| at >= self.tables[n].at) {
                    return Ok(false);
                }
                self.mark()?;
                let before = self.tables[n].at;
                self.place_table(n, entries)?;
                self.step()?;
                Ok(self.tables[n].at < before)
            }
            Owner::Unit(unit) => {
                let Place::At(entry) = self.place(unit) else { return Ok(false) };
                let most = u16::MAX.into();
                let Some(Piece { at, length }) = self.space.take_below(entry.length.into(), most, entry.at) else {
                    return Ok(false);
                };
                let mut bytes = vec![0; entry.length.into()];
                let moved = self.mark().and_then(|()| {
                    self.host.read_at(entry.at, &mut bytes)?;
                    bytes.resize(length as usize, 0);
                    self.host.write_at(at, &bytes)?;
                    self.step()
                });
                if let Err(error) = moved {
                    self.space.give(at, length);
                    return Err(error);
                }
                self.set(unit, Entry { at, length: entry.length, size: length as u16 })?;
                Ok(true)
            }
        }
    }

    /// The file is removed: nothing is written down in it any more.
    pub(crate) fn abandon(&mut self) {
        self.marked = false;
    }

    /// Writes down for other programs what is free, and that the file is no longer open.
    pub(crate) fn close(&mut self) -> Result<(), MediaError> {
        if !self.marked {
            return Ok(());
        }
        if self.policy != Policy::Lazy {
            self.host.sync()?;
        }
        self.space.settle(usize::MAX);
        let size = self.space.cut();
        self.host.set_len(size)?;
        // Spaces too small for a link cannot be written down; files that we write have none.
        let free: Vec<_> = self.space.free().filter(|(_, length)| *length >= self.layout.least_free()).collect();
        for (n, (at, length)) in free.iter().enumerate() {
            let next = free.get(n + 1).map_or(0, |(at, _)| *at);
            self.host.write_at(*at, &self.layout.encode_free(next, *length))?;
        }
        let inside = |entry: &Entry| match entry.at {
            0 => 0,
            at if self.shadow && self.layout.is_below(at) => 0,
            _ => u64::from(entry.size.saturating_sub(entry.length)),
        };
        let tables = self.tables.iter().filter_map(|table| table.entries.as_ref());
        let free_inside: u64 = tables.flat_map(|entries| entries.iter()).map(inside).sum();
        let total = free_inside + free.iter().map(|(_, length)| length).sum::<u64>();
        self.header = PackedHeader {
            options: self.header.options & !OPENED,
            size,
            used: size - total,
            free_at: free.first().map_or(0, |(at, _)| *at),
            free_total: total,
            free_largest: free.iter().map(|(_, length)| *length).max().unwrap_or(0),
            free_count: free.len() as u64,
            free_inside,
            ..self.header
        };
        self.host.write_at(HEADER, &self.layout.encode_header(&self.header))?;
        self.marked = false;
        self.step()
    }
}

impl Drop for Packed {
    fn drop(&mut self) {
        // No caller is left to get an error, and nothing is lost by one: the tables are in the file.
        let _ = self.close();
    }
}
