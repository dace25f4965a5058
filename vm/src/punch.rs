//! `endicott punch`: host files become spool files in a user's reader.

use crate::run;
use base::{Clock, file};
use spool::{Attributes, Content, Punch, Queue};
use std::fs::File;
use std::path::{Path, PathBuf};

/// What the command line says.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The folder of the system, which may be running or not; else ENDICOTT_SYSTEM in the environment, or "sample".
    #[arg(long, value_name = "DIR")]
    pub system: Option<PathBuf>,
    /// Whose reader.
    #[arg(value_name = "USER")]
    pub user: String,
    /// The files, in the order in which they are to be read.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Lines of text, in EBCDIC, one a card. Otherwise 80 bytes a card, as they are.
    #[arg(long)]
    pub text: bool,
    /// The spool class of the files.
    #[arg(long, value_name = "CLASS", default_value = "A")]
    pub class: char,
    /// The files stay in the reader when they have been read.
    #[arg(long)]
    pub keep: bool,
    /// The files are not read before CHANGE RDR ... NOHOLD.
    #[arg(long)]
    pub hold: bool,
}

pub(crate) fn punch(options: &Options) -> Result<(), String> {
    let usual = || std::env::var_os("ENDICOTT_SYSTEM").map_or_else(|| "sample".into(), PathBuf::from);
    let folder = options.system.clone().unwrap_or_else(usual);
    let directory = run::load_directory(&folder)?;
    let userid = options.user.to_uppercase();
    if directory.user(&userid).is_none() {
        return Err(format!("{} has no user {userid}", folder.join(run::DIRECTORY).display()));
    }
    if !options.class.is_ascii_alphanumeric() {
        return Err(format!("{} is no spool class: a letter or a digit is", options.class));
    }
    // All are looked at before the first is punched: half of a set of files is worse than none.
    let mut files = Vec::new();
    for path in &options.files {
        let fail = |error| format!("{}: {error}", path.display());
        let file = file::source(path).map_err(fail)?;
        let found = file.metadata().map_err(fail)?;
        if found.is_file() && found.len() == 0 {
            return Err(format!("{} is empty: a spool file has one card at least", path.display()));
        }
        if let Some(room) = room(&folder).filter(|room| *room < found.len()) {
            let length = found.len();
            return Err(format!("{} has {length} bytes, and the host has room for {room} more", path.display()));
        }
        files.push(file);
    }
    let spool = folder.join(run::SPOOL);
    options.files.iter().zip(files).try_for_each(|(path, mut file)| one(&spool, &userid, path, &mut file, options))
}

/// How many bytes the host has room for where the spool is, if it says so.
fn room(folder: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(folder).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

fn one(spool: &Path, userid: &str, path: &Path, file: &mut File, options: &Options) -> Result<(), String> {
    let fail = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let name = |part: Option<&std::ffi::OsStr>| {
        let text = part.map(|part| part.to_string_lossy().to_uppercase()).unwrap_or_default();
        text.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.$#@".contains(*c)).take(8).collect::<String>()
    };
    let attributes = Attributes {
        class: options.class.to_ascii_uppercase(),
        keep: options.keep,
        hold: options.hold,
        name: name(path.file_stem()),
        kind: name(path.extension()),
        ..Attributes::new(userid, Queue::Reader, crate::clock::HostClock::new().now())
    };
    let content = if options.text { Content::Text } else { Content::Binary };
    let punch = Punch { attributes, originator: "SYSTEM".into(), content };
    let cards = spool::punch(spool, &punch, file).map_err(|error| fail(&error))?;
    if cards == 0 {
        return Err(format!("{}: there was nothing to punch", path.display()));
    }
    say!("{}: {cards} cards for the reader of {userid}", path.display());
    Ok(())
}
