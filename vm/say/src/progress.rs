//! Bars that show how far something is, where standard error is a terminal; elsewhere there are none.

use indicatif::{ProgressBar, ProgressStyle};

/// How wide the terminal is on which bars are shown.
pub fn columns() -> u16 {
    rustix::termios::tcgetwinsize(std::io::stderr())
        .map(|size| size.ws_col)
        .ok()
        .filter(|&columns| columns > 0)
        .unwrap_or(80)
}

/// A bar up to `length`, with these parts; `{wide_bar}` or `{wide_msg}` takes what others leave of the line.
pub fn bar(length: u64, parts: &str) -> ProgressBar {
    let bar = ProgressBar::new(length);
    let style = ProgressStyle::with_template(parts).expect("the parts are ours");
    bar.set_style(style.progress_chars("=> "));
    bar
}
