//! Files that come from other programs of the host: punching from outside, and taking in what was punched.
//!
//! A program that is not the system makes, in the folder `drop`, first `ID.data` and then, by renaming, `ID.meta`; the
//! file is there when the latter is. The system takes it in by three steps, each of which can be done again: `ID.data`
//! moves to the spool folder; `ID.meta` is written there, with the number the file gets; `drop/ID.meta` goes.
//!
//! A program that punches shares a lock on `drop/lock` meanwhile. A starting system that gets this lock for itself
//! knows that data without a header was abandoned, and removes it.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use base::ebcdic;

use crate::Error;
use crate::disk::write_headers;
use crate::file::{Attributes, Device, HEADER, SpoolFile};
use crate::output::OutputFile;

/// The command code with which a 2540 punches a card.
const PUNCH: u8 = 0x41;
const CARD: usize = 80;

/// How the bytes of a host file become cards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// 80 bytes a card as they are, the last one filled up with zeros: kernels, RAM disks, anything not text.
    Binary,
    /// A line a card (long lines take several), in EBCDIC, filled up with blanks. Text is UTF-8, or, line by line, else
    /// ISO 8859-1.
    Text,
}

/// What became of a host file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Punched {
    /// Cards that it is.
    pub cards: u32,
    /// Lines of text that take more than a card: how many, and the number of the first.
    pub long: Found<usize>,
    /// Characters that EBCDIC has not, X'3F' on the cards: how many, and the first with its line.
    pub unknown: Found<(char, usize)>,
}

/// Something that was found so many times, and where it was first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found<T> {
    /// How many times.
    pub count: usize,
    /// The first.
    pub first: Option<T>,
}

impl<T> Default for Found<T> {
    fn default() -> Found<T> {
        Found { count: 0, first: None }
    }
}

impl<T> Found<T> {
    fn note(&mut self, what: T) {
        self.count += 1;
        self.first.get_or_insert(what);
    }
}

/// A host file to be punched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Punch {
    /// What the reader file is to be: its owner, class, name...
    pub attributes: Attributes,
    /// The user who punches it, as QUERY shows it.
    pub originator: String,
    /// How bytes become cards.
    pub content: Content,
}

/// Punches what `from` yields into the spool in `folder`, whether a system runs on it or not. The file is on disk when
/// this returns. Without any card there is no file.
pub fn punch(folder: &Path, punch: &Punch, from: &mut dyn Read) -> Result<Punched, Error> {
    static SEQUENCE: AtomicU64 = AtomicU64::new(0);
    let drop = folder.join("drop");
    fs::create_dir_all(&drop).map_err(|e| Error::of(&drop, e))?;
    let attributes = &punch.attributes;
    let lock = drop.join("lock");
    let _busy = open_lock(&lock).and_then(|f| f.lock_shared().map(|()| f)).map_err(|e| Error::of(&lock, e))?;
    // Names in the order of time: files are taken in as they were punched.
    let sequence = SEQUENCE.fetch_add(1, Ordering::Relaxed);
    let id = format!("d{:016x}-{:08x}-{sequence:08x}", attributes.created.0, std::process::id());
    let mut output = OutputFile::create(&drop, &id, &punch.originator, 0, Device::Punch)?;
    let mut punched = match punch.content {
        Content::Binary => punch_binary(&mut output, from)?,
        Content::Text => punch_text(&mut output, from)?,
    };
    punched.cards = output.records;
    if output.records == 0 {
        return Ok(punched);
    }
    output.finish()?;
    let mut file = SpoolFile::new(attributes, &punch.originator, Device::Punch);
    file.id = id.as_str().into();
    (file.records, file.blocks, file.record_length) = (output.records, output.blocks, output.record_length);
    write_headers(&drop, &[file])?;
    output.closed = true;
    Ok(punched)
}

fn open_lock(path: &Path) -> std::io::Result<fs::File> {
    base::file::open(path, base::file::Access::Make)
}

/// The headers that wait in the folder `drop`, in the order of the names of their files, each with its path. `None`: it
/// is damaged.
pub(crate) fn waiting(drop: &Path) -> Result<Vec<(PathBuf, Option<SpoolFile>)>, Error> {
    let mut ids = Vec::new();
    for entry in fs::read_dir(drop).map_err(|e| Error::of(drop, e))? {
        let path = entry.map_err(|e| Error::of(drop, e))?.path();
        if path.extension().is_some_and(|e| e == "meta") {
            ids.extend(path.file_stem().and_then(|s| s.to_str()).map(str::to_string));
        }
    }
    ids.sort();
    let header = |id: String| {
        let path = drop.join(format!("{id}.meta"));
        let text = base::file::read_text(&path, HEADER).ok();
        (path, text.and_then(|text| SpoolFile::from_text(&id, &text)))
    };
    Ok(ids.into_iter().map(header).collect())
}

/// Removes what a program that punched left behind when it was killed.
pub(crate) fn remove_abandoned(drop: &Path) -> Result<(), Error> {
    let path = drop.join("lock");
    let lock = open_lock(&path).map_err(|e| Error::of(&path, e))?;
    if lock.try_lock().is_err() {
        return Ok(());
    }
    for entry in fs::read_dir(drop).map_err(|e| Error::of(drop, e))? {
        let path = entry.map_err(|e| Error::of(drop, e))?.path();
        let open = path.extension().is_some_and(|e| e == "data" || e == "new");
        if open && !path.with_extension("meta").exists() {
            fs::remove_file(&path).map_err(|e| Error::of(&path, e))?;
        }
    }
    Ok(())
}

fn punch_binary(output: &mut OutputFile, from: &mut dyn Read) -> Result<Punched, Error> {
    let mut buffer = vec![0; CARD * 1024];
    loop {
        let length = fill(&mut buffer, from)?;
        for card in buffer[..length].chunks(CARD) {
            if card.len() == CARD {
                output.write(PUNCH, card)?;
            } else {
                let mut last = [0; CARD];
                last[..card.len()].copy_from_slice(card);
                output.write(PUNCH, &last)?;
            }
        }
        if length < buffer.len() {
            return Ok(Punched::default());
        }
    }
}

/// Reads until `buffer` is full or there is no more; returns how much there is.
fn fill(buffer: &mut [u8], from: &mut dyn Read) -> Result<usize, Error> {
    let mut length = 0;
    while length < buffer.len() {
        match from.read(&mut buffer[length..]) {
            Ok(0) => break,
            Ok(n) => length += n,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(Error::Source(e)),
        }
    }
    Ok(length)
}

fn punch_text(output: &mut OutputFile, from: &mut dyn Read) -> Result<Punched, Error> {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes).map_err(Error::Source)?;
    let mut punched = Punched::default();
    for (n, line) in base::text::decode(&bytes).lines().enumerate() {
        line.chars().filter(|c| u32::from(*c) > 0xff).for_each(|c| punched.unknown.note((c, n + 1)));
        let line = ebcdic::from_str(line);
        if line.len() > CARD {
            punched.long.note(n + 1);
        }
        let mut cards = line.chunks(CARD);
        output.write(PUNCH, cards.next().unwrap_or(&[ebcdic::BLANK]))?;
        for card in cards {
            output.write(PUNCH, card)?;
        }
    }
    Ok(punched)
}
