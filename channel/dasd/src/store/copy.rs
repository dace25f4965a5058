//! Whole images: copies, other formats, and files rewritten without what is free in them.
//!
//! What is written is a new file that gets its name when it is complete. Whatever ends this on the way, the source is
//! as it was.

use crate::format::header::{Form, Packing};
use crate::format::unit::{self, GROUP, GROUP_BYTES, checked};
use crate::host::HostFile;
use crate::image::layer::Layer;
use crate::image::layer::journal;
use crate::image::layer::packed::Packed;
use crate::image::layer::sums;
use crate::image::{Options, SHADOWS, shadow_path};
use crate::progress::{Progress, went_on};
use crate::store::create::{self, unfinished};
use crate::{Format, ImageError, Kind, MediaError, Policy, Volume};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What becomes of a file that has the name of the new one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Existing {
    Refuse,
    Replace,
}

/// A new file that is not complete yet; it is removed unless it is finished.
pub(crate) struct Draft {
    to: PathBuf,
    unfinished: PathBuf,
    complete: bool,
}

impl Draft {
    /// Begins a file that is to be called `to`.
    pub fn begin(to: &Path, existing: Existing) -> Result<(Draft, HostFile), ImageError> {
        if existing == Existing::Refuse {
            if to.exists() {
                return Err(ImageError::Host(format!("{} exists already", to.display())));
            }
            let mut shadows = (1..=SHADOWS).map(|number| shadow_path(to, &Options::default(), number));
            if let Some(shadow) = shadows.find(|shadow| shadow.exists()) {
                let why = format!("it would be a shadow file of {}; remove it, or take another name", to.display());
                return Err(ImageError::Host(format!("{} exists: {why}", shadow.display())));
            }
        }
        base::file::may_be_replaced(to).map_err(|error| ImageError::Host(format!("{}: {error}", to.display())))?;
        let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir());
        if let Some(folder) = folder {
            let why = format!("{}: there is no folder {}", to.display(), folder.display());
            return Err(ImageError::Host(why));
        }
        let unfinished = unfinished(to);
        // One that a killed process left is of no use; one that is being written has a lock.
        if unfinished.exists() {
            HostFile::open(&unfinished, true, None)?;
            let _ = std::fs::remove_file(&unfinished);
        }
        let _ = std::fs::remove_file(sums::path_of(&unfinished));
        let host = HostFile::create(&unfinished, None)?;
        Ok((Draft { to: to.into(), unfinished, complete: false }, host))
    }

    /// Opens what has been begun as an image, to be filled by a tool.
    fn open(&self, shadow: bool) -> Result<Layer, ImageError> {
        let options = Options { policy: Policy::Lazy, ..Options::default() };
        let mut layer = Layer::open(&self.unfinished, &options, shadow)?;
        layer.set_bulk();
        Ok(layer)
    }

    /// Gives the file its name. Under `keep`, if there is one, the file that had it stays.
    pub fn finish(mut self, keep: Option<&Path>) -> Result<(), ImageError> {
        let fail = |error| ImageError::Host(format!("{}: {error}", self.to.display()));
        if let Some(kept) = keep {
            let fail = |error| ImageError::Host(format!("{}: {error}", kept.display()));
            match std::fs::remove_file(kept) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(fail(error)),
                _ => {}
            }
            // Where a file has one name only, a copy.
            std::fs::hard_link(&self.to, kept).or_else(|_| std::fs::copy(&self.to, kept).map(drop)).map_err(fail)?;
        }
        std::fs::rename(&self.unfinished, &self.to).map_err(fail)?;
        self.complete = true;
        // Those that are there are about the file that had the name before.
        let _ = std::fs::remove_file(journal::path_of(&self.to));
        let _ = std::fs::remove_file(sums::path_of(&self.to));
        let _ = std::fs::rename(sums::path_of(&self.unfinished), sums::path_of(&self.to));
        Ok(crate::host::sync_folder(&self.to)?)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.complete {
            let _ = std::fs::remove_file(&self.unfinished);
            let _ = std::fs::remove_file(sums::path_of(&self.unfinished));
        }
    }
}

/// Copies the disk `from` to a new image `to`, a disk `kind` of the same type and perhaps another size.
pub fn copy(
    from: &dyn Volume,
    to: &Path,
    kind: Kind,
    format: Format,
    existing: Existing,
    progress: Progress<'_>,
) -> Result<(), ImageError> {
    let same = match (from.kind(), kind) {
        (Kind::Ckd { heads, .. }, Kind::Ckd { heads: wanted, .. }) => heads == wanted,
        (Kind::Fba { .. }, Kind::Fba { .. }) => true,
        _ => false,
    };
    if !same {
        return Err(MediaError::WrongKind.into());
    }
    let (draft, host) = Draft::begin(to, existing)?;
    let units = unit::count(kind).min(unit::count(from.kind()));
    create::fill(&host, kind, format, create::Tracks::Empty, &mut |_, _| progress(0, units.into()))?;
    drop(host);
    let mut layer = draft.open(false)?;
    for unit in 0..units {
        match kind {
            Kind::Ckd { track: longest, .. } => {
                let track = from.read_track(unit)?;
                if track.image().len() > longest as usize {
                    return Err(MediaError::TrackFull.into());
                }
                layer.write(unit, track.image(), None)?;
            }
            Kind::Fba { blocks, .. } => {
                let mut group = vec![0; GROUP_BYTES];
                let first = u64::from(unit) * GROUP;
                let count = GROUP.min(blocks.min(from.kind().blocks()) - first);
                from.read_blocks(first, &mut group[..count as usize * Kind::BLOCK])?;
                if group.iter().any(|byte| *byte != 0) {
                    layer.write(unit, &group, None)?;
                }
            }
        }
        went_on(progress, u64::from(unit) + 1, units.into())?;
    }
    close(layer)?;
    went_on(progress, units.into(), units.into())?;
    draft.finish(None)
}

/// Everything is on the host's medium.
fn close(mut layer: Layer) -> Result<(), ImageError> {
    layer.close()?;
    Ok(layer.to_sync().iter().try_for_each(|host| host.sync())?)
}

/// Told of units that are left out, and why.
pub type Lose<'a> = &'a mut dyn FnMut(u32, &MediaError);

/// Writes one compressed file anew, without free space and as small as it can be made, in place of what it was. Returns
/// the sizes before and after.
pub fn rewrite(path: &Path, progress: Progress<'_>) -> Result<(u64, u64), ImageError> {
    let before = HostFile::open(path, true, None)?.len()?;
    Anew::write(path, None, progress)?.finish(None)?;
    Ok((before, std::fs::metadata(path).map_or(0, |metadata| metadata.len())))
}

/// A compressed file written anew, which has not got its name yet.
pub(crate) struct Anew {
    draft: Draft,
    /// The file that it will replace: while this is open, nothing writes it.
    _source: Packed,
}

impl Anew {
    /// Writes the file `path` anew. Units that cannot be read are left out if `lose` is there to be told of them, and
    /// else end this.
    pub fn write(path: &Path, mut lose: Option<Lose<'_>>, progress: Progress<'_>) -> Result<Anew, ImageError> {
        let mut magic = [0; 8];
        let host = HostFile::open(path, true, None)?;
        if host.len()? >= magic.len() as u64 {
            host.read_at(0, &mut magic)?;
        }
        drop(host);
        let shadow = Form::of(&magic).is_some_and(|form| form.packing == Packing::Shadow);
        let source = Layer::open(path, &Options { read_only: true, ..Options::default() }, shadow)?;
        let Layer::Packed(source) = source else {
            let why = "is not compressed: it has no free space to give back";
            return Err(ImageError::Host(format!("{} {why}", path.display())));
        };
        let (draft, host) = Draft::begin(path, Existing::Replace)?;
        Packed::format(&host, source.kind, source.style())?;
        drop(host);
        let mut layer = draft.open(shadow)?;
        let units = unit::count(source.kind);
        for unit in 0..units {
            match (source.read(unit).and_then(|bytes| checked(source.kind, unit, bytes)), &mut lose) {
                (Ok(None), _) => {}
                (Ok(Some(bytes)), _) => layer.write(unit, &bytes, None)?,
                (Err(error @ MediaError::Damaged(_)), Some(lose)) => lose(unit, &error),
                (Err(error), _) => return Err(error.into()),
            }
            went_on(progress, u64::from(unit) + 1, units.into())?;
        }
        close(layer)?;
        went_on(progress, units.into(), units.into())?;
        Ok(Anew { draft, _source: source })
    }

    /// Puts it in its place.
    pub fn finish(self, keep: Option<&Path>) -> Result<(), ImageError> {
        self.draft.finish(keep)
    }
}
