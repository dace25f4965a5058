//! `endicott linux --detach`: the guest is in a process of its own, which outlives the command and its terminal.

use crate::named::{self, console};
use base::file;
use rustix::process::setsid;
use std::fs::File;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// What tells a process that it is that of the guest.
const MARK: &str = "ENDICOTT_IN_BACKGROUND";
/// How often it is looked whether the guest has begun.
const POLL: Duration = Duration::from_millis(20);

/// Whether this process is that of a guest in the background.
pub fn is_here() -> bool {
    std::env::var_os(MARK).is_some()
}

/// Leaves the terminal and the group of the process that has started this one.
pub fn leave() {
    if is_here() {
        // What fails is that it leads a group already: then no other's signals come.
        let _ = setsid();
    }
}

/// Starts the guest `name` with the words of this command line, and waits until it runs; the exit code.
pub fn start(name: &str) -> Result<u8, String> {
    let folder = named::folder()?;
    let (console, log) = (console(&folder, name), folder.join(format!("{name}.log")));
    // Those of one that runs already are not to be emptied.
    let free = named::Name::take(name)?;
    let make = |path| File::create(path).map_err(|error| format!("{}: {error}", folder.display()));
    let (to, errors) = (make(&console)?, make(&log)?);
    drop(free);
    let program = std::env::current_exe().map_err(|error| format!("this program cannot be found: {error}"))?;
    let mut guest = Command::new(program)
        .args(std::env::args_os().skip(1))
        .env(MARK, "1")
        .stdin(Stdio::null())
        .stdout(to)
        .stderr(errors)
        .spawn()
        .map_err(|error| format!("the guest cannot be started: {error}"))?;
    let told = || file::read_text(&log, file::TEXT).unwrap_or_default();
    match begun(name, &mut guest)? {
        None => {
            say::errors(&told());
            say!(
                "{name} runs in the background (process {}): \"endicott ssh {name}\" logs in, \"endicott stop {name}\" \
                 ends it; its console is written to {}",
                guest.id(),
                console.display()
            );
            Ok(0)
        }
        Some(code) => {
            say::errors(&told());
            Ok(code)
        }
    }
}

/// Waits until the guest runs, or has ended: with which exit code.
fn begun(name: &str, guest: &mut Child) -> Result<Option<u8>, String> {
    loop {
        if let Some(status) = guest.try_wait().map_err(|error| format!("the guest: {error}"))? {
            return Ok(Some(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)));
        }
        if named::find(name).is_ok_and(|status| status.process == guest.id()) {
            return Ok(None);
        }
        std::thread::sleep(POLL);
    }
}
