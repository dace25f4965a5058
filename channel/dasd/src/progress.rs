//! How far a long work is, and whether it goes on.

use crate::error::ImageError;

/// Told how far a long work is (done, of); it goes on while the answer is `true`.
pub type Progress<'a> = &'a mut dyn FnMut(u64, u64) -> bool;

/// Tells how far it is; an error if it is not to go on.
pub(crate) fn went_on(progress: Progress<'_>, done: u64, of: u64) -> Result<(), ImageError> {
    if progress(done, of) { Ok(()) } else { Err(ImageError::Interrupted) }
}
