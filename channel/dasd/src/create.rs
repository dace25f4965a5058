//! New images.

use crate::host::HostFile;
use crate::{ImageError, Kind, MediaError, Track, plain};
use std::path::Path;

/// The format of an image file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    /// A place for every track or block.
    #[default]
    Plain,
}

/// Makes a new image of an empty disk: tracks with record 0 only, or blocks of zeros. `path` must not exist yet; if this
/// fails it does not exist then.
pub fn create(path: &Path, kind: Kind, format: Format) -> Result<(), ImageError> {
    let host = HostFile::create(path, None)?;
    let made = match (format, kind) {
        (Format::Plain, Kind::Ckd { .. }) => plain::Ckd::format(&host, kind, [0; 12], |track| {
            let (cylinder, head) = kind.home(track)?;
            Ok(Track::new(cylinder, head).image().to_vec())
        }),
        (Format::Plain, Kind::Fba { blocks, .. }) => {
            let length = blocks.checked_mul(Kind::BLOCK as u64).ok_or(MediaError::Outside)?;
            host.set_len(length).map_err(ImageError::from)
        }
    };
    if made.is_err() {
        let _ = std::fs::remove_file(path);
    }
    made
}
