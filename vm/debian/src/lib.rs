//! Debian for s390x on a host of another kind: its packages, fetched without touching the host's own package management
//! ([`apt`]), and the RAM disk of a guest that installs them on a disk ([`installer`]).
//!
//! Errors are one sentence for the person who typed the command, with the remedy where there is one.

pub mod apt;
pub mod cpio;
pub mod installer;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder for files in between, gone when this is dropped.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(folder: &Path) -> Result<Scratch, String> {
        at(folder, fs::create_dir_all(folder))?;
        Ok(Scratch(folder.to_owned()))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs `command` to its end and returns what it wrote to its standard output; its errors go where ours go.
fn output(command: &mut Command) -> Result<Vec<u8>, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output =
        command.stdin(Stdio::null()).stderr(Stdio::inherit()).output().map_err(|error| match error.kind() {
            ErrorKind::NotFound => format!("The program {program} is not on this machine."),
            _ => format!("The program {program} could not be started: {error}."),
        })?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(format!("{program} ended with {}.", output.status)),
    }
}

/// Attaches a path to an input or output error.
fn at<T>(path: &Path, result: std::io::Result<T>) -> Result<T, String> {
    result.map_err(|error| format!("{}: {error}.", path.display()))
}
