//! New images.

use crate::format::Format;
use crate::format::unit::{null_format, null_track};
use crate::host::HostFile;
use crate::image::draft::{Draft, Existing};
use crate::image::layer::packed::{Packed, Style};
use crate::image::layer::plain;
use crate::progress::{Progress, went_on};
use crate::{ImageError, Kind, MediaError};
use std::path::Path;

/// What the tracks of a new count-key-data disk have after record 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Tracks {
    /// Nothing.
    #[default]
    Empty,
    /// As many records of 4096 zeros as the images' null format has: twelve, a 3390's.
    Blocks,
}

/// Makes a new image of an empty disk: tracks with record 0 only, or blocks of zeros. `path` must not exist yet; if
/// this fails it does not exist then.
pub fn create(path: &Path, kind: Kind, format: Format) -> Result<(), ImageError> {
    create_with(path, kind, format, Tracks::Empty, &mut |_, _| true)
}

/// [`create`], with `tracks` on every track; of a large plain disk that takes long.
pub fn create_with(
    path: &Path,
    kind: Kind,
    format: Format,
    tracks: Tracks,
    progress: Progress<'_>,
) -> Result<(), ImageError> {
    let (draft, host) = Draft::begin(path, Existing::Refuse)?;
    fill(&host, kind, format, tracks, progress)?;
    drop(host);
    draft.finish(None)
}

/// Makes `host`, an empty file, an image.
pub(crate) fn fill(
    host: &HostFile,
    kind: Kind,
    format: Format,
    tracks: Tracks,
    progress: Progress<'_>,
) -> Result<(), ImageError> {
    let null_format = match (kind, tracks) {
        (Kind::Ckd { .. }, Tracks::Blocks) => 2,
        _ => null_format(kind),
    };
    match (format, kind) {
        (Format::Plain, Kind::Ckd { .. }) => plain::Ckd::format(host, kind, |track| {
            went_on(progress, track.into(), kind.tracks().into())?;
            let image = null_track(null_format, kind.home(track)?);
            Ok(image.expect("both null formats are known"))
        }),
        (Format::Plain, Kind::Fba { blocks, .. }) => {
            let length = blocks.checked_mul(Kind::BLOCK as u64).ok_or(MediaError::Outside)?;
            host.set_len(length)?;
            Ok(plain::Fba::note_length(host)?)
        }
        (Format::Compressed { wide, method }, _) => {
            let style = Style { wide, shadow: false, method, null_format, covered: 0, below: 0 };
            Ok(Packed::format(host, kind, style)?)
        }
    }
}
