//! Whole images: copies, other formats, and files rewritten without what is free in them.
//!
//! What is written is a new file that gets its name when it is complete. Whatever ends this on the way, the source is
//! as it was.

use crate::format::header::{Form, Packing};
use crate::format::unit::{self, GROUP, GROUP_BYTES, checked};
use crate::host::HostFile;
use crate::image::Options;
use crate::image::draft::{Draft, Existing};
use crate::image::layer::Layer;
use crate::image::layer::packed::Packed;
use crate::progress::{Progress, went_on};
use crate::store::create;
use crate::{Format, ImageError, Kind, MediaError, Volume};
use std::path::Path;

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
pub(super) type Lose<'a> = &'a mut dyn FnMut(u32, &MediaError);

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
    pub(super) fn write(path: &Path, mut lose: Option<Lose<'_>>, progress: Progress<'_>) -> Result<Anew, ImageError> {
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
    pub(super) fn finish(self, keep: Option<&Path>) -> Result<(), ImageError> {
        self.draft.finish(keep)
    }
}
