//! What the tasks need of the host: its folders, its programs, and one way to fail.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Why a task stopped: one sentence for the person who typed the command, with the remedy where there is one.
pub(crate) struct Failure(pub String);

impl From<String> for Failure {
    fn from(text: String) -> Failure {
        Failure(text)
    }
}

impl From<&str> for Failure {
    fn from(text: &str) -> Failure {
        Failure(text.to_owned())
    }
}

pub(crate) type Outcome<T = ()> = Result<T, Failure>;

/// The repository's root: that of the checkout that the current folder lies in, else of the one this was built in.
pub(crate) fn root() -> PathBuf {
    let here = env::current_dir().ok().and_then(|here| checkout_of(&here));
    here.unwrap_or_else(|| {
        let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
        xtask.parent().expect("xtask lies in the repository's root").to_owned()
    })
}

/// The checkout of this repository that a folder lies in.
fn checkout_of(folder: &Path) -> Option<PathBuf> {
    let is_root = |at: &&Path| at.join("xtask/Cargo.toml").is_file() && at.join("docs/house.txt").is_file();
    folder.ancestors().find(is_root).map(Path::to_owned)
}

/// The variable that has the time of all files, in seconds since 1970 (reproducible-builds.org).
pub(crate) const EPOCH: &str = "SOURCE_DATE_EPOCH";

/// The folder for what is fetched and derived: `cache/`, or the one `ENDICOTT_CACHE` names.
pub(crate) fn cache() -> PathBuf {
    env::var_os("ENDICOTT_CACHE").map_or_else(|| root().join("cache"), PathBuf::from)
}

/// The folder cargo builds `profile` into.
pub(crate) fn target(profile: &str) -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from).join(profile)
}

/// A cargo command in the repository's root.
pub(crate) fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root()).args(args);
    command
}

/// Runs `command` to its end; anything but success is a failure that names it.
pub(crate) fn run(command: &mut Command) -> Outcome {
    let status = command.status().map_err(|error| not_started(command, &error))?;
    if status.success() { Ok(()) } else { Err(Failure(format!("{} ended with {status}.", line(command)))) }
}

/// Runs `command` and returns what it wrote to its standard output.
pub(crate) fn output(command: &mut Command) -> Outcome<String> {
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| not_started(command, &error))?;
    if !output.status.success() {
        return Err(Failure(format!("{} ended with {}.", line(command), output.status)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether a program of this name is in the search path.
pub(crate) fn has(program: &str) -> bool {
    env::var_os("PATH").is_some_and(|path| env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}

/// The n of the Rust 1.n in use, if the compiler says so.
pub(crate) fn rust_minor() -> Option<u32> {
    let output = Command::new("rustc").arg("--version").output().ok()?;
    minor(&String::from_utf8(output.stdout).ok()?)
}

/// The n in `rustc 1.n.x (...)`.
fn minor(version: &str) -> Option<u32> {
    version.split_whitespace().nth(1)?.split('.').nth(1)?.parse().ok()
}

fn line(command: &Command) -> String {
    let words: Vec<_> =
        [command.get_program()].into_iter().chain(command.get_args()).map(OsStr::to_string_lossy).collect();
    words.join(" ")
}

fn not_started(command: &Command, error: &std::io::Error) -> Failure {
    let program = command.get_program().to_string_lossy();
    Failure(match error.kind() {
        ErrorKind::NotFound => format!("The program {program} is not on this machine."),
        _ => format!("The program {program} could not be started: {error}."),
    })
}

/// Attaches a path to an input or output error.
pub(crate) fn at<T>(path: &Path, result: std::io::Result<T>) -> Outcome<T> {
    result.map_err(|error| Failure(format!("{}: {error}.", path.display())))
}

/// Makes `folder` and everything above it.
pub(crate) fn make_folder(folder: &Path) -> Outcome {
    at(folder, fs::create_dir_all(folder))
}

/// Writes a file as a whole: a reader sees the old one or the new one, never a part.
pub(crate) fn write_whole(path: &Path, content: &[u8]) -> Outcome {
    let part = path.with_extension("part");
    at(&part, fs::write(&part, content))?;
    at(path, fs::rename(&part, path))
}

/// The file with the check sums of a folder's files.
pub(crate) const SUMS: &str = "SHA256SUMS";

/// The check sums of these files of a folder, as `sha256sum` writes them.
pub(crate) fn sums(folder: &Path, names: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Outcome<String> {
    output(Command::new("sha256sum").current_dir(folder).args(names))
}

/// The regular files of `folder` whose names satisfy `wanted`; none where there is no such folder.
pub(crate) fn files(folder: &Path, wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.file_name().is_some_and(|name| wanted(&name.to_string_lossy())))
        .collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_tells_its_version() {
        assert_eq!(minor("rustc 1.95.0 (59807616e 2026-04-14)"), Some(95));
        assert_eq!(minor("rustc 1.99.0-nightly (58cf8f9c3 2026-10-13)"), Some(99));
        assert_eq!(minor(""), None);
    }

    #[test]
    fn the_checkout_at_hand_is_meant() {
        let built = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository's root");
        assert_eq!(checkout_of(&built.join("cp/nucleus/src")), Some(built.to_owned()));
        let other = env::temp_dir().join(format!("endicott-checkout-{}", std::process::id()));
        for folder in ["xtask", "docs", "cp/nucleus"] {
            std::fs::create_dir_all(other.join(folder)).expect("a folder for the test");
        }
        assert_eq!(checkout_of(&other.join("cp/nucleus")), None);
        for file in ["xtask/Cargo.toml", "docs/house.txt"] {
            std::fs::write(other.join(file), "").expect("a file for the test");
        }
        assert_eq!(checkout_of(&other.join("cp/nucleus")), Some(other.clone()));
        std::fs::remove_dir_all(&other).expect("it was made above");
    }
}
