//! The promise of [`Policy::Safe`](crate::Policy): a thread that brings written images to the host's medium each
//! second.

use crate::image::Files;
use std::sync::{Mutex, OnceLock, Weak};
use std::time::Duration;

/// How long a write may wait for the host's medium.
const PERIOD: Duration = Duration::from_secs(1);

/// Images that are looked after.
static IMAGES: OnceLock<Mutex<Vec<Weak<Files>>>> = OnceLock::new();

/// Looks after `image` until it is closed.
pub fn watch(image: Weak<Files>) {
    let images = IMAGES.get_or_init(|| {
        // Without the thread an image is written back when it is flushed or closed, and by the host in its own time.
        let _ = std::thread::Builder::new().name("dasd sync".into()).spawn(run);
        Mutex::default()
    });
    images.lock().expect("no panic while it is held").push(image);
}

fn run() {
    loop {
        std::thread::sleep(PERIOD);
        let Some(images) = IMAGES.get() else { continue };
        let mut images = images.lock().expect("no panic while it is held");
        images.retain(|image| image.strong_count() > 0);
        let now: Vec<_> = images.iter().filter_map(Weak::upgrade).collect();
        drop(images);
        // The image keeps an error, and the next flush returns it.
        now.iter().for_each(|image| image.settle());
    }
}
