//! The key by which `endicott ssh` comes into the systems that `endicott debian` makes.
//!
//! It is the user's, one for all systems: the host's `ssh-keygen` makes it when the first is made. Without that program
//! there is none, and a system takes the keys of `--ssh-key` alone.

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The name of the file with the secret key; the public one has ".pub" after it.
const NAME: &str = "id_ed25519";

/// The secret key, if there is one.
pub fn own() -> Option<PathBuf> {
    folder().map(|folder| folder.join(NAME)).filter(|key| key.is_file())
}

/// Keys that may log in: these and our own, which is made if it is not there.
pub fn with_own(named: Option<String>) -> Option<String> {
    let own = match make() {
        Ok(key) => Some(key),
        Err(why) => {
            complain!("endicott: there is no key for \"endicott ssh\": {why}");
            None
        }
    };
    let ended = |keys: String| if keys.ends_with('\n') { keys } else { keys + "\n" };
    let keys: Vec<String> = named.into_iter().chain(own).map(ended).collect();
    (!keys.is_empty()).then(|| keys.concat())
}

/// The public key.
fn make() -> Result<String, String> {
    let folder = folder().ok_or("there is no home folder to keep it in")?;
    let public = folder.join(format!("{NAME}.pub"));
    if !public.exists() {
        // Both parts get their names at once, whatever others make meanwhile.
        let new = folder.with_file_name(format!("ssh-{}", std::process::id()));
        let made = make_in(&new);
        if made.is_ok() {
            // What fails is that another has made it first, or what reading it tells.
            let _ = fs::rename(&new, &folder);
        }
        let _ = fs::remove_dir_all(&new);
        made?;
    }
    fs::read_to_string(&public).map_err(|error| format!("{}: {error}", public.display()))
}

fn make_in(folder: &PathBuf) -> Result<(), String> {
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut command = Command::new("ssh-keygen");
    command.args(["-q", "-t", "ed25519", "-N", "", "-C", "endicott", "-f"]).arg(folder.join(NAME));
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("ssh-keygen: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("ssh-keygen: {}", String::from_utf8_lossy(&output.stderr).trim()))
}

/// Where it lies.
fn folder() -> Option<PathBuf> {
    let named = |variable: &str| std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    let data = named("XDG_DATA_HOME").or_else(|| Some(named("HOME")?.join(".local/share")))?;
    Some(data.join("endicott/ssh"))
}
