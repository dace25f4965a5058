//! SIGINT and SIGTERM: a system ends as by SHUTDOWN, long work stops at the next place where it can; a second one ends
//! the program at once.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit code of a program that was told to end.
pub(crate) const STOPPED: u8 = 130;

/// Calls `end` when the program is told to end.
pub(crate) fn on_end(end: impl Fn() + Send + 'static) -> Result<(), String> {
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(|error| format!("signals cannot be caught: {error}"))?;
    let wait = move || {
        for (n, _) in signals.forever().enumerate() {
            match n {
                0 => end(),
                _ => std::process::exit(STOPPED.into()),
            }
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(wait).map_err(|error| error.to_string())?;
    Ok(())
}

static TOLD: AtomicBool = AtomicBool::new(false);

/// From now on, being told to end is something that [`stopped`] tells.
pub(crate) fn watch() {
    static ONCE: Once = Once::new();
    // Without it Ctrl-C ends the program at once, which loses nothing either.
    ONCE.call_once(|| drop(on_end(|| TOLD.store(true, Ordering::Relaxed))));
}

/// Whether the program was told to end, and a caller asked to hear of that.
pub(crate) fn stopped() -> bool {
    TOLD.load(Ordering::Relaxed)
}
