//! Debian for s390x on a host of another kind: its packages, fetched without touching the host's own package management
//! ([`apt`]), the kernel among them ([`kernel`]), and the RAM disk of a guest that installs them on a disk
//! ([`installer`]).
//!
//! Errors are one sentence for the person who typed the command, with the remedy where there is one.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod apt;
pub mod cpio;
pub mod installer;
pub mod kernel;

use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder for files in between, gone when this is dropped.
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes the folder, if it is not there. The error names it.
    pub fn new(folder: &Path) -> Result<Scratch, String> {
        at(folder, fs::create_dir_all(folder))?;
        Ok(Scratch(folder.to_owned()))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Why a program did not do what it was started for.
#[derive(Debug)]
struct Failed {
    program: String,
    /// What it says itself: the first of its error messages, or how it ended.
    why: String,
    /// All of its messages.
    said: String,
}

/// Why a program that is not installed fails.
const MISSING: &str =
    "this program is not on this machine, and Debian's packages are fetched and unpacked with its apt-get and dpkg-deb";

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.program, self.why.trim_end_matches('.'))
    }
}

/// Runs `command` to its end and returns what it wrote to its standard output; of its errors the first one becomes
/// ours.
fn output(command: &mut Command) -> Result<Vec<u8>, Failed> {
    let program = command.get_program().to_string_lossy().into_owned();
    let failed = |why: String, said: String| Failed { program: program.clone(), why, said };
    let output = command.stdin(Stdio::null()).output().map_err(|error| match error.kind() {
        ErrorKind::NotFound => failed(MISSING.into(), String::new()),
        _ => failed(format!("it cannot be started: {error}"), String::new()),
    })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let error = said.lines().find_map(|line| line.trim().strip_prefix("E: "));
    let last = || said.lines().rev().map(str::trim).find(|line| !line.is_empty());
    let why = error.or_else(last).map_or_else(|| format!("it ended with {}", output.status), str::to_owned);
    Err(failed(why, said))
}

/// Attaches a path to an input or output error.
fn at<T>(path: &Path, result: std::io::Result<T>) -> Result<T, String> {
    result.map_err(|error| format!("{}: {error}.", path.display()))
}
