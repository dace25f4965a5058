//! The formats of image files: what their bytes mean. Nothing here reads or writes a file.

pub(crate) mod allocation;
pub(crate) mod codec;
pub(crate) mod header;
pub(crate) mod packed;
pub(crate) mod unit;
pub(crate) mod vtoc;

use crate::model::Kind;
use codec::Method;

/// The format of an image file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    /// A place for every track or block.
    #[default]
    Plain,
    /// Compressed (CCKD, CFBA): only what was written takes space. `wide`: 64-bit offsets (CCKD64), so that the file
    /// may become larger than 4 GB.
    Compressed {
        /// Offsets have 64 bits, and not 32.
        wide: bool,
        /// How units are compressed that are written from now on.
        method: Method,
    },
}

impl Format {
    /// The usual one of a new disk `kind`, compressed: count-key-data in the form that more programs know, CCKD, if the
    /// file cannot become too large for it; fixed-block in CFBA64, as CFBA has no room for the check sum of what cannot
    /// be compressed.
    pub fn usual(kind: Kind, method: Method) -> Format {
        /// What is written anew within a second takes room beside what it replaces: a quarter of the form's 4 GB is
        /// left for that.
        const MOST: u64 = 3 << 30;
        let wide = match kind {
            Kind::Ckd { track, .. } => u64::from(kind.tracks()) * u64::from(track) > MOST,
            Kind::Fba { .. } => true,
        };
        Format::Compressed { wide, method }
    }
}
