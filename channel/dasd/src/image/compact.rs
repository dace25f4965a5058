//! Free space of a compressed file given back to the host, while guests go on.

use super::files::{Files, top};
use super::layer::Layer;
use super::layer::packed::Packed;
use crate::error::ImageError;
use crate::host::HostFile;
use crate::progress::Progress;
use std::sync::Arc;

impl Files {
    /// Moves what is at the end of a compressed file to free space before it, and gives the rest back to the host.
    /// Guests go on meanwhile. Returns the bytes given back.
    pub(super) fn compact(&self, progress: Progress<'_>) -> Result<u64, ImageError> {
        self.may_write()?;
        let mut before = None;
        let file = top(&mut self.alone()).hosts()[0].clone();
        // Each pass frees the places that the next one fills.
        for _ in 0..4 {
            let owners = match top(&mut self.alone()).packed() {
                None => return Ok(0),
                Some(packed) => {
                    before.get_or_insert(packed.sizes().0);
                    packed.owners()
                }
            };
            let mut moved = 0;
            for (n, some) in owners.chunks(64).enumerate() {
                {
                    let mut stack = self.alone();
                    let packed = same_top(&mut stack, &file)?;
                    for (_, owner) in some {
                        moved += usize::from(packed.move_down(*owner)?);
                    }
                    self.note_write();
                }
                self.sync()?;
                if !progress((n * 64) as u64, owners.len() as u64) {
                    return Err(ImageError::Interrupted);
                }
            }
            if moved == 0 {
                break;
            }
        }
        let mut stack = self.alone();
        let packed = same_top(&mut stack, &file)?;
        packed.close()?;
        Ok(before.unwrap_or(0).saturating_sub(packed.sizes().0))
    }
}

/// The newest file of an image, if it is still the compressed one in `file`: no snapshot was made or merged meanwhile.
fn same_top<'a>(stack: &'a mut [Layer], file: &Arc<HostFile>) -> Result<&'a mut Packed, ImageError> {
    top(stack).packed().filter(|packed| Arc::ptr_eq(packed.host(), file)).ok_or(ImageError::Interrupted)
}
