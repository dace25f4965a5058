//! The folder of a system: where its parts lie, and its directory.

use directory::Directory;
use std::path::{Path, PathBuf};

/// The user directory's file in the system's folder.
pub const DIRECTORY: &str = "USER DIRECT";

/// The spool's folder in the system's folder.
pub const SPOOL: &str = "spool";

/// The folder that a command is about: the `named` one, else ENDICOTT_SYSTEM in the environment, else "sample".
pub fn folder(named: Option<&Path>) -> PathBuf {
    let usual = || std::env::var_os("ENDICOTT_SYSTEM").map_or_else(|| "sample".into(), PathBuf::from);
    named.map_or_else(usual, PathBuf::from)
}

/// Reads USER DIRECT, with what is wrong in it for a user who wants to use its disks.
pub fn load_directory_for_disks(folder: &Path) -> Result<Directory, String> {
    let directory = load_directory(folder)?;
    directory.mistakes.iter().for_each(|mistake| say::complain!("endicott: {mistake}"));
    Ok(directory)
}

/// Reads USER DIRECT; the error, if none of its users can log on, is one line for each mistake.
pub fn load_directory(folder: &Path) -> Result<Directory, String> {
    let path = folder.join(DIRECTORY);
    if !path.exists() {
        return Err(format!("{} does not exist: make a system with \"endicott sample DIR\"", path.display()));
    }
    let directory = Directory::load(&path);
    let directory = directory.map_err(|errors| errors.iter().map(|e| e.to_string()).collect::<Vec<_>>().join("\n"))?;
    if directory.users.is_empty() {
        let remedy = "nobody could log on; it needs USER statements, as \"endicott sample DIR\" writes them";
        return Err(format!("{} has no user: {remedy}", path.display()));
    }
    Ok(directory)
}
