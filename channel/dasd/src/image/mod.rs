//! An image: a disk in host files, one of which may be written while others below it keep what it was before.
//!
//! Reads look from the newest file down to the base; writes go to the newest. A lock orders them: many readers or one
//! writer. The last tracks used are kept in storage.
//!
//! A write to a compressed file stores the unit as it is; when it has not been written for a while, it is compressed.
//! So what a guest writes record by record is compressed once, and what was acknowledged is in the file all the time.
//!
//! A [snapshot](snapshot) puts a new shadow file on top. The shadow files of `NAME.EXT` are `NAME_s1.EXT` to
//! `NAME_s8.EXT` unless [`Options::shadows`] names them.

mod ahead;
mod chain;
mod compact;
pub(crate) mod draft;
mod files;
mod habits;
pub(crate) mod layer;
mod options;
mod places;
mod recent;
mod records;
mod snapshot;
mod sync;

pub use options::{Options, shadow_path};

use crate::error::{ImageError, MediaError};
use crate::format::Format;
use crate::format::unit::{GROUP_BYTES, parsed};
use crate::model::Kind;
use crate::model::track::Track;
use crate::progress::Progress;
use crate::volume::{Change, Policy, Spot, Volume};
use base::Held;
use files::{Files, read_unit, top};
use layer::Layer;
use layer::packed::Style;
use recent::Unit;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Opens the disk in `path` for reading and writing.
pub fn open(path: &Path) -> Result<Arc<dyn Volume>, ImageError> {
    Ok(Image::open(path, Options::default())?)
}

/// A disk in host files.
pub struct Image {
    files: Arc<Files>,
    /// What there is to tell of its files together.
    notices: Vec<String>,
    /// What is missing of it.
    lost: Option<String>,
}

impl Image {
    /// Opens the disk with the base file `path`, and its shadow files.
    pub fn open(path: &Path, options: Options) -> Result<Arc<Image>, ImageError> {
        let mut files = chain::shadows(path, &options)?;
        if let Some(number) = options.snapshot {
            if !(1..=files.len()).contains(&number) {
                let count = files.len();
                return Err(ImageError::Host(format!("{} has {count} snapshots, not {number}", path.display())));
            }
            chain::refused(&files[number - 1])?;
            files.truncate(number - 1);
        }
        let options = Options { read_only: options.read_only || options.snapshot.is_some(), ..options };
        let below = Options { read_only: true, ..options.clone() };
        let mut notices = Vec::new();
        let mut stack: Vec<Layer> = Vec::new();
        for (n, file) in std::iter::once(path).chain(files.iter().map(PathBuf::as_path)).enumerate() {
            let how = if n == files.len() { &options } else { &below };
            if !options.read_only && files.get(n).is_some_and(|shadow| chain::merge_begun(shadow)) {
                // A process that merged into this file may have been killed in a write. Opening the file to write
                // finishes that; from then on it is only read.
                drop(Layer::open(file, &options, n > 0)?);
            }
            let layer = Layer::open(file, how, n > 0)?;
            if let Some(base) = stack.first()
                && base.kind().apart_from_model() != layer.kind().apart_from_model()
            {
                let why = format!("it is not of the same disk as {}", path.display());
                return Err(ImageError::Damaged { path: file.into(), why });
            }
            if let Some(lower) = stack.last() {
                notices.extend(chain::belongs(lower, &layer)?);
            }
            stack.push(layer);
        }
        let top = top(&mut stack);
        let options = Options { read_only: options.read_only || !top.writable(), ..options };
        let lost = match options.snapshot {
            None => uncovered(top, &shadow_path(path, &options, files.len() + 1), &options)?,
            Some(_) => None,
        };
        let image = Arc::new(Image { files: Arc::new(Files::new(path.into(), options, stack)), notices, lost });
        // The tracks of a plain file are taken for full until some are read. This question opens the file once more,
        // and tells the host not to guess what will be read of it. A host that has begun to guess goes on, and then all
        // of the file is in its storage and read from there.
        image.files.reads_past();
        if image.files.options.policy == Policy::Safe && !image.files.options.read_only {
            sync::watch(Arc::downgrade(&image.files));
        }
        Ok(image)
    }

    /// The host files, the base's first.
    pub fn files(&self) -> Vec<PathBuf> {
        let name = |layer: &Layer| layer.hosts().into_iter().map(|host| host.path().to_path_buf()).collect::<Vec<_>>();
        self.files.shared().iter().flat_map(name).collect()
    }

    /// What the user of the disk is to be told: that another program has written one of its files since.
    pub fn notices(&self) -> Vec<String> {
        let of_file =
            |layer: &Layer| layer.sums().iter().filter_map(|sums| sums.notice()).map(str::to_string).collect();
        let of_files =
            self.files.shared().iter().flat_map(|layer| -> Vec<String> { of_file(layer) }).collect::<Vec<_>>();
        let lost = self.lost.iter().map(|why| format!("{}: {why}", self.files.path.display()));
        lost.chain(self.notices.iter().cloned()).chain(of_files).collect()
    }

    /// What is missing of it: its newest shadow file, if that is gone.
    pub fn lost(&self) -> Option<&str> {
        self.lost.as_deref()
    }

    /// The format of the base.
    pub fn format(&self) -> Format {
        match &self.files.shared()[0] {
            Layer::Packed(packed) => {
                let Style { wide, method, .. } = packed.style();
                Format::Compressed { wide, method }
            }
            _ => Format::Plain,
        }
    }

    /// How many shadow files there are.
    pub fn shadows(&self) -> usize {
        self.files.shared().len() - 1
    }

    /// Writes a track; `old` may be what is there now.
    fn replace(
        &self,
        stack: &mut [Layer],
        unit: u32,
        new: Cow<'_, Track>,
        old: Option<&Track>,
    ) -> Result<(), MediaError> {
        self.files.note_write();
        match self.files.store(stack, unit, new.image(), old.map(Track::image)) {
            Ok(()) => {
                self.files.learn(stack, unit, &new);
                self.files.remember(unit, Unit::Track(Arc::new(new.into_owned())));
                Ok(())
            }
            Err(error) => {
                self.files.forget(unit);
                Err(error)
            }
        }
    }

    /// A group of blocks, from the newest file that has it.
    fn group(&self, stack: &[Layer], unit: u32) -> Result<Arc<Vec<u8>>, MediaError> {
        if let Some(Unit::Group(found)) = self.files.recall_to_read(unit) {
            return Ok(found);
        }
        let found = Arc::new(read_unit(stack, unit)?);
        self.files.remember(unit, Unit::Group(found.clone()));
        Ok(found)
    }

    /// Moves what is at the end of a compressed file to free space before it, and gives the rest back to the host.
    /// Guests go on meanwhile. Returns the bytes given back.
    pub fn compact(&self, progress: Progress<'_>) -> Result<u64, ImageError> {
        self.files.compact(progress)
    }

    /// Merges the newest shadow file into the file below, and takes it away. Guests go on meanwhile.
    pub fn merge(&self, progress: Progress<'_>) -> Result<(), ImageError> {
        self.files.merge(progress)
    }

    /// Throws the newest shadow file away: the disk is as it was at the last snapshot. It must not be in use.
    pub fn discard(&self) -> Result<(), ImageError> {
        self.files.discard()
    }

    /// Something about each file, for `check` and `list`.
    pub(crate) fn with_layers<T>(&self, look: impl FnOnce(&mut [Layer]) -> T) -> T {
        look(&mut self.files.alone())
    }
}

/// The newest file, which nothing lies over: what is missing of the disk if it says otherwise. That may be read, and
/// written if it is given up.
fn uncovered(top: &mut Layer, next: &Path, options: &Options) -> Result<Option<String>, ImageError> {
    let lost = chain::lost(top, next);
    match (&lost, options.read_only) {
        (Some(why), false) if !options.give_up => {
            return Err(ImageError::Damaged { path: top.hosts()[0].path().into(), why: why.clone() });
        }
        (_, false) if top.covered().is_some_and(|covered| covered != 0) => top.set_covered(0)?,
        _ => {}
    }
    Ok(lost)
}

impl Volume for Image {
    fn kind(&self) -> Kind {
        self.files.kind
    }

    fn read_only(&self) -> bool {
        self.files.options.read_only
    }

    fn policy(&self) -> Option<Policy> {
        Some(self.files.options.policy)
    }

    fn read_track(&self, track: u32) -> Result<Arc<Track>, MediaError> {
        self.files.kind.home(track)?;
        if let Some(Unit::Track(found)) = self.files.recall_to_read(track) {
            return Ok(found);
        }
        // Held until the track is remembered, so that no write comes between.
        let stack = self.files.shared();
        let image = read_unit(&stack, track)?;
        let found = parsed(self.files.kind, track, image)?;
        let found = Arc::new(found);
        self.files.learn(&stack, track, &found);
        self.files.remember(track, Unit::Track(found.clone()));
        Ok(found)
    }

    fn spot(&self, track: u32, id: [u8; 5]) -> Option<Spot> {
        self.files.place(track, id)
    }

    fn read_spot(&self, track: u32, spot: Spot) -> Result<Option<Vec<u8>>, MediaError> {
        self.files.read_places(track, spot, 1)
    }

    fn read_spots(&self, track: u32, spot: Spot, many: usize) -> Result<Option<Vec<u8>>, MediaError> {
        self.files.read_places(track, spot, many)
    }

    fn write_spot(&self, track: u32, spot: Spot, data: &[u8]) -> Result<bool, MediaError> {
        self.files.write_place(track, spot, data)
    }

    fn write_track(&self, track: u32, new: &Track) -> Result<(), MediaError> {
        let new = self.files.kind.fitting(track, new)?;
        self.files.may_write()?;
        let mut stack = self.files.alone();
        let old = match self.files.recall(track) {
            Some(Unit::Track(old)) => Some(old),
            _ => None,
        };
        self.replace(&mut stack, track, new, old.as_deref())
    }

    fn update_track(&self, track: u32, change: Change<'_>) -> Result<(), MediaError> {
        self.files.kind.home(track)?;
        self.files.may_write()?;
        let mut stack = self.files.alone();
        let old = match self.files.recall(track) {
            Some(Unit::Track(old)) => old,
            _ => Arc::new(parsed(self.files.kind, track, read_unit(&stack, track)?)?),
        };
        let mut new = Track::clone(&old);
        if !change(&mut new) {
            return Ok(());
        }
        self.replace(&mut stack, track, self.files.kind.fitting(track, &new)?, Some(&old))
    }

    fn read_blocks(&self, block: u64, to: &mut [u8]) -> Result<(), MediaError> {
        self.files.kind.inside(block, to.len())?;
        let stack = self.files.shared();
        if let [Layer::Fba(flat)] = stack.as_slice() {
            return flat.read(block * Kind::BLOCK as u64, to);
        }
        let mut at = 0;
        for (unit, from, length) in pieces(block, to.len()) {
            to[at..at + length].copy_from_slice(&self.group(&stack, unit)?[from..from + length]);
            at += length;
        }
        Ok(())
    }

    fn write_blocks(&self, block: u64, from: &[u8]) -> Result<(), MediaError> {
        self.files.kind.inside(block, from.len())?;
        self.files.may_write()?;
        let mut stack = self.files.alone();
        self.files.note_write();
        if let [Layer::Fba(flat)] = stack.as_mut_slice() {
            return flat.write(block * Kind::BLOCK as u64, from);
        }
        let mut at = 0;
        for (unit, start, length) in pieces(block, from.len()) {
            let mut group = match length {
                GROUP_BYTES => vec![0; GROUP_BYTES],
                _ => self.group(&stack, unit)?.to_vec(),
            };
            group[start..start + length].copy_from_slice(&from[at..at + length]);
            at += length;
            if let Err(error) = self.files.store(&mut stack, unit, &group, None) {
                self.files.forget(unit);
                return Err(error);
            }
            self.files.remember(unit, Unit::Group(Arc::new(group)));
        }
        Ok(())
    }

    fn snapshots(&self) -> usize {
        self.shadows()
    }

    fn snapshot(&self) -> Result<PathBuf, ImageError> {
        self.files.put_shadow()
    }

    fn merge_snapshot(&self) -> Result<(), ImageError> {
        self.merge(&mut |_, _| true)
    }

    fn discard_snapshot(&self) -> Result<(), ImageError> {
        self.discard()
    }

    fn flush(&self) -> Result<(), MediaError> {
        let failed = self.files.failed.lock().held().take();
        self.files.sync()?;
        failed.map_or(Ok(()), Err)
    }

    fn close(&self) -> Result<(), MediaError> {
        self.files.tighten(|_| true);
        let flushed = self.flush();
        // A sync that is under way ends first: it reads the tables.
        let _one = self.files.syncing.lock().held();
        self.files.alone().iter_mut().try_for_each(Layer::close).and(flushed)
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        self.files.tighten(|_| true);
        // No caller is left to get an error; the data is with the host already.
        let _ = self.files.sync();
        // A sync that is under way ends first; then nothing holds the files.
        let _one = self.files.syncing.lock().held();
        self.files.alone().clear();
    }
}

/// The pieces of groups that `length` bytes from block `block` on are: group, where in it, how many bytes.
fn pieces(block: u64, length: usize) -> impl Iterator<Item = (u32, usize, usize)> {
    let mut at = block * Kind::BLOCK as u64;
    let end = at + length as u64;
    std::iter::from_fn(move || {
        let (unit, from) = ((at / GROUP_BYTES as u64) as u32, (at % GROUP_BYTES as u64) as usize);
        let length = (GROUP_BYTES - from).min((end - at) as usize);
        at += length as u64;
        (length > 0).then_some((unit, from, length))
    })
}

#[cfg(test)]
mod tests;
