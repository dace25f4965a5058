//! A new file of an image, on its way: it gets its name when it is complete.

use super::layer::{Layer, journal, sums};
use super::options::{Options, SHADOWS, shadow_path};
use crate::error::ImageError;
use crate::host::{HostFile, sync_folder};
use crate::volume::Policy;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What becomes of a file that has the name of the new one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Existing {
    /// The new file is not made.
    Refuse,
    /// The new file takes its place.
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
    pub(crate) fn begin(to: &Path, existing: Existing) -> Result<(Draft, HostFile), ImageError> {
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
    pub(crate) fn open(&self, shadow: bool) -> Result<Layer, ImageError> {
        let options = Options { policy: Policy::Lazy, ..Options::default() };
        let mut layer = Layer::open(&self.unfinished, &options, shadow)?;
        layer.set_bulk();
        Ok(layer)
    }

    /// Gives the file its name. Under `keep`, if there is one, the file that had it stays.
    pub(crate) fn finish(mut self, keep: Option<&Path>) -> Result<(), ImageError> {
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
        Ok(sync_folder(&self.to)?)
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

/// A name beside `path` for what will take its place when it is complete.
pub(super) fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".unfinished");
    name.into()
}
