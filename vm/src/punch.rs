//! `endicott punch`: host files become spool files in a user's reader.

use crate::run;
use base::Clock;
use spool::{Attributes, Content, Punch, Queue};
use std::path::{Path, PathBuf};

/// What the command line says.
#[derive(clap::Args)]
pub struct Options {
    /// The folder of the system, which may be running or not.
    #[arg(long, value_name = "DIR", default_value = "system")]
    pub system: PathBuf,
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
}

pub fn punch(options: &Options) -> Result<(), String> {
    let folder = &options.system;
    let directory = run::load_directory(folder)?;
    let userid = options.user.to_uppercase();
    if directory.user(&userid).is_none() {
        return Err(format!("{} has no user {userid}", folder.join(run::DIRECTORY).display()));
    }
    let class = options.class.to_ascii_uppercase();
    if !class.is_ascii_alphanumeric() {
        return Err(format!("{class} is no spool class: a letter or a digit is"));
    }
    for path in &options.files {
        one(&folder.join(run::SPOOL), &userid, path, options.text, class)?;
    }
    Ok(())
}

fn one(spool: &Path, userid: &str, path: &Path, text: bool, class: char) -> Result<(), String> {
    let fail = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let mut file = std::fs::File::open(path).map_err(|error| fail(&error))?;
    let name = |part: Option<&std::ffi::OsStr>| {
        let text = part.map(|part| part.to_string_lossy().to_uppercase()).unwrap_or_default();
        text.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.$#@".contains(*c)).take(8).collect::<String>()
    };
    let attributes = Attributes {
        class,
        name: name(path.file_stem()),
        kind: name(path.extension()),
        ..Attributes::new(userid, Queue::Reader, crate::clock::HostClock::new().now())
    };
    let content = if text { Content::Text } else { Content::Binary };
    let punch = Punch { attributes, originator: "SYSTEM".into(), content };
    let cards = spool::punch(spool, &punch, &mut file).map_err(|error| fail(&error))?;
    println!("{}: {cards} cards for the reader of {userid}", path.display());
    Ok(())
}
