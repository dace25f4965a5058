//! The folder of a system: where its parts lie, and its directory.

use base::file;
use directory::Directory;
use std::path::{Path, PathBuf};

/// The user directory's file in the system's folder.
pub const DIRECTORY: &str = "USER DIRECT";

/// What the system itself is: a file in the system's folder.
pub const CONFIGURATION: &str = "SYSTEM CONFIG";

/// The spool's folder in the system's folder.
pub const SPOOL: &str = "spool";

/// Says which layout the folder has: a number. A folder without it has the first.
const LAYOUT: &str = "SYSTEM LAYOUT";

/// The layout of folders that this program writes and reads.
const KNOWN: u32 = 1;

/// Notes in a new folder which layout it has.
pub fn mark(folder: &Path) -> Result<(), String> {
    let path = folder.join(LAYOUT);
    file::replace(&path, format!("{KNOWN}\n").as_bytes(), 0o666).map_err(|error| format!("{}: {error}", path.display()))
}

/// Refuses a folder that another Endicott has made otherwise.
fn check_layout(folder: &Path) -> Result<(), String> {
    let path = folder.join(LAYOUT);
    let text = match file::read_text(&path, file::TEXT) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(format!("{}: {error}", path.display())),
        Ok(text) => text,
    };
    match text.trim().parse::<u32>() {
        Ok(KNOWN) => Ok(()),
        Ok(layout) if layout > KNOWN => Err(format!(
            "{} is of a later Endicott (layout {layout}, this one knows {KNOWN}): use that one, or make a new system \
             with \"endicott sample DIR\" and copy what is yours to its disks",
            folder.display()
        )),
        _ => Err(format!("{} is to have the number {KNOWN}, and has {:?}", path.display(), text.trim())),
    }
}

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
    check_layout(folder)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_a_later_program_is_refused() {
        let scratch = support::folder::Folder::empty("layout");
        let folder = &scratch.0;
        assert_eq!(check_layout(folder), Ok(()), "older ones have no number");
        mark(folder).expect("the folder is there");
        assert_eq!(check_layout(folder), Ok(()));
        for (text, why) in
            [("2\n", "of a later Endicott (layout 2"), ("0", "is to have"), ("", "is to have"), ("x", "is to have")]
        {
            std::fs::write(folder.join(LAYOUT), text).expect("the folder is there");
            let said = load_directory(folder).expect_err("it does not fit");
            assert!(said.contains(why), "{text}: {said}");
        }
    }
}
