//! The promise of [`Policy::Safe`](crate::Policy): a thread that brings written images to the host's medium each
//! second.

use super::files::{Files, top};
use super::layer::packed::Place;
use crate::error::MediaError;
use base::Held;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, OnceLock, Weak};
use std::time::Duration;

/// How long a write may wait for the host's medium.
const PERIOD: Duration = Duration::from_secs(1);

/// Images that are looked after.
static IMAGES: OnceLock<Mutex<Vec<Weak<Files>>>> = OnceLock::new();

/// Looks after `image` until it is closed.
pub(super) fn watch(image: Weak<Files>) {
    let images = IMAGES.get_or_init(|| {
        // Without the thread an image is written back when it is flushed or closed, and by the host in its own time.
        let _ = std::thread::Builder::new().name("dasd sync".into()).spawn(run);
        Mutex::default()
    });
    images.lock().held().push(image);
}

fn run() {
    loop {
        std::thread::sleep(PERIOD);
        let Some(images) = IMAGES.get() else { continue };
        let mut images = images.lock().held();
        images.retain(|image| image.strong_count() > 0);
        let now: Vec<_> = images.iter().filter_map(Weak::upgrade).collect();
        drop(images);
        // The image keeps an error, and the next flush returns it.
        now.iter().for_each(|image| image.settle());
    }
}

impl Files {
    /// Brings what was written to the host's medium, for [`Policy::Safe`].
    pub(super) fn settle(&self) {
        let round = self.round.fetch_add(1, Ordering::Relaxed);
        self.tighten(|written| written < round);
        if let Err(error) = self.sync() {
            *self.failed.lock().held() = Some(error);
        }
    }

    /// Compresses what was written without that in rounds that are `due`. What cannot be stays as it is, which is no
    /// loss.
    pub(super) fn tighten(&self, due: impl Fn(u64) -> bool) {
        let units: Vec<u32> = {
            let loose = self.loose.lock().held();
            loose.iter().filter(|(_, written)| due(**written)).map(|(&unit, _)| unit).collect()
        };
        for unit in units {
            // One at a time: guests go on between them.
            let mut stack = self.alone();
            if !self.loose.lock().held().remove(&unit).is_some_and(&due) || stack.is_empty() {
                continue;
            }
            // After a snapshot it is in the file below, which is not written.
            let Some(packed) = top(&mut stack).packed() else { continue };
            if matches!(packed.place(unit), Place::At(_))
                && let Ok(Some(bytes)) = packed.read(unit)
                && packed.write(unit, &bytes).is_ok()
            {
                self.dirty.store(true, Ordering::Release);
            }
        }
    }

    pub(super) fn sync(&self) -> Result<(), MediaError> {
        let _one = self.syncing.lock().held();
        if !self.dirty.swap(false, Ordering::AcqRel) {
            return Ok(());
        }
        // Guests go on while the host writes: what they free meanwhile waits for the next time.
        let (hosts, waiting, files) = {
            let mut stack = self.alone();
            let files = stack.len();
            if files == 0 {
                return Ok(());
            }
            let top = top(&mut stack);
            (top.to_sync(), top.packed().map_or(0, |packed| packed.waiting()), files)
        };
        if let Err(error) = hosts.iter().try_for_each(|host| host.sync()) {
            self.dirty.store(true, Ordering::Release);
            return Err(error);
        }
        let mut stack = self.alone();
        if stack.len() == files
            && let Some(packed) = top(&mut stack).packed()
        {
            packed.settle(waiting);
        }
        Ok(())
    }
}
