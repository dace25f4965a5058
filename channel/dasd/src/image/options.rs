//! How an image is opened, and how its files are called.

use crate::host::Faults;
use crate::volume::Policy;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How an image is opened.
#[derive(Clone, Default)]
pub struct Options {
    /// Nothing is written; other readers may use the files, too.
    pub read_only: bool,
    /// How soon writes survive the end of the host.
    pub policy: Policy,
    /// Which fixed-block device type it is (X'3370'), as no format says so.
    pub device: Option<u16>,
    /// The name of the first shadow file, in which the character before the last dot (or the last one) is the number;
    /// else it is made from the base's name.
    pub shadows: Option<PathBuf>,
    /// If the newest shadow file is gone, what was in it is given up.
    pub give_up: bool,
    /// The disk as it was at its snapshot of this number: without the shadow files from there on. It may only be read.
    pub snapshot: Option<usize>,
    /// Injected failures of the host, for tests.
    pub faults: Option<Arc<dyn Faults>>,
}

/// The most shadow files an image has.
pub(super) const SHADOWS: usize = 8;

/// Shadow file `number` of the image in `base`.
pub fn shadow_path(base: &Path, options: &Options, number: usize) -> PathBuf {
    let template = options.shadows.as_deref().unwrap_or(base);
    let name = template.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (stem, tail) = name.split_at(name.rfind('.').filter(|at| *at > 0).unwrap_or(name.len()));
    let stem = match &options.shadows {
        Some(_) => stem.strip_suffix(|_: char| true).unwrap_or(stem).to_string(),
        None => format!("{stem}_s"),
    };
    template.with_file_name(format!("{stem}{number}{tail}"))
}
