//! SIGINT, SIGTERM and SIGHUP: a system ends as by SHUTDOWN, long work stops at the next place where it can; a second
//! one ends the program at once. Of a program that was started to outlive its terminal (`nohup`) SIGHUP stays ignored.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit code of a program that was told to end.
pub const STOPPED: u8 = 130;

/// Calls `end` when the program is told to end.
pub fn on_end(end: impl Fn() + Send + 'static) -> Result<(), String> {
    let told: &[i32] = if hang_up_is_ignored() { &[SIGINT, SIGTERM] } else { &[SIGINT, SIGTERM, SIGHUP] };
    let mut signals = Signals::new(told).map_err(|error| format!("signals cannot be caught: {error}"))?;
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

/// Whether the program was started with SIGHUP ignored: Linux says so in a mask, the first signal lowest.
fn hang_up_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask >> (SIGHUP - 1) & 1 != 0)
}

static TOLD: AtomicBool = AtomicBool::new(false);

/// From now on, being told to end is something that [`stopped`] tells.
pub fn watch() {
    static ONCE: Once = Once::new();
    // Without it Ctrl-C ends the program at once, which loses nothing either.
    ONCE.call_once(|| drop(on_end(|| TOLD.store(true, Ordering::Relaxed))));
}

/// Whether the program was told to end, and a caller asked to hear of that.
pub fn stopped() -> bool {
    TOLD.load(Ordering::Relaxed)
}
