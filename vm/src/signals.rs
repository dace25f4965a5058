//! SIGINT and SIGTERM end the system as SHUTDOWN does; a second one ends the program at once.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// Calls `end` when the program is told to end.
pub fn on_end(end: impl Fn() + Send + 'static) -> Result<(), String> {
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(|error| format!("signals cannot be caught: {error}"))?;
    let wait = move || {
        for (n, _) in signals.forever().enumerate() {
            match n {
                0 => end(),
                _ => std::process::exit(130),
            }
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(wait).map_err(|error| error.to_string())?;
    Ok(())
}
