//! `endicott punch`: host files become spool files in a user's reader.

use base::{Clock, file};
use spool::{Attributes, Content, Punch, Punched, Queue};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use tools::system::{self, DIRECTORY, SPOOL};

/// The most bytes that become cards of one file: what a pipe gives may have no end.
const MOST: u64 = 1 << 30;
/// As many bytes of a file as are looked at for what it is.
const LOOK: usize = 4096;

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
    let folder = system::folder(options.system.as_deref());
    let directory = system::load_directory(&folder)?;
    let userid = options.user.to_uppercase();
    if directory.user(&userid).is_none() {
        return Err(format!("{} has no user {userid}", folder.join(DIRECTORY).display()));
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
    let spool = folder.join(SPOOL);
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
        ..Attributes::new(userid, Queue::Reader, hostside::clock::HostClock::start().now())
    };
    let content = if options.text { Content::Text } else { Content::Binary };
    let punch = Punch { attributes, originator: "SYSTEM".into(), content };
    let most = if options.text { file::TEXT } else { MOST };
    let mut source = Source { from: file, left: most, most, start: Vec::new() };
    let punched = spool::punch(spool, &punch, &mut source).map_err(|error| fail(&error))?;
    if punched.cards == 0 {
        return Err(format!("{}: there was nothing to punch", path.display()));
    }
    say!("{}: {} cards for the reader of {userid}", path.display(), punched.cards);
    let text = !options.text && is_text(&source.start);
    notes(&punched, text).iter().for_each(|note| complain!("endicott: {}: {note}", path.display()));
    Ok(())
}

/// Leaves lines of text in a user's reader.
pub(crate) fn text(spool: &Path, userid: &str, mut text: &[u8]) -> Result<(), String> {
    let attributes = Attributes::new(userid, Queue::Reader, hostside::clock::HostClock::start().now());
    let punch = Punch { attributes, originator: "SYSTEM".into(), content: Content::Text };
    spool::punch(spool, &punch, &mut text).map(drop).map_err(|error| error.to_string())
}

/// What a user is to know of the cards.
fn notes(punched: &Punched, text: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(line) = punched.long.first {
        let count = punched.long.count;
        notes.push(format!(
            "{count} lines do not fit on a card of 80 columns and take several, the first of them line {line}"
        ));
    }
    if let Some((character, line)) = punched.unknown.first {
        let count = punched.unknown.count;
        notes.push(format!(
            "{count} characters are not in EBCDIC and became X'3F', the first of them {character:?} in line {line}"
        ));
    }
    if text {
        notes.push("it is text, and was punched as it is: --text makes each line a card, in EBCDIC".into());
    }
    notes
}

/// Whether a file that begins so is a text that programs of this host have written.
fn is_text(start: &[u8]) -> bool {
    // The last character may be cut.
    let text = match std::str::from_utf8(start) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&start[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return false,
    };
    let plain = |c: char| !c.is_control() || "\t\r\n\x0c\x1a".contains(c);
    text.contains('\n') && text.chars().all(plain)
}

/// What is punched: it may not go on for ever, and its beginning is kept.
struct Source<'a> {
    from: &'a mut File,
    left: u64,
    most: u64,
    start: Vec<u8>,
}

impl Read for Source<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = self.from.read(to)?;
        self.left = self.left.checked_sub(count as u64).ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::FileTooLarge,
                format!("it has more than {} bytes; nothing was punched", self.most),
            )
        })?;
        let kept = LOOK.saturating_sub(self.start.len()).min(count);
        self.start.extend_from_slice(&to[..kept]);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_told_from_a_deck() {
        for text in ["/* REXX */\nsay hello\n", "root=/dev/ram0\n", "caf\u{e9}\n", "a\r\n\tb\n\x1a"] {
            assert!(is_text(text.as_bytes()), "{text}");
        }
        assert!(is_text("a\n\u{20ac}".as_bytes().split_last().unwrap().1), "a character that is cut");
        let ebcdic = base::ebcdic::from_str("SAY HELLO");
        for deck in [&ebcdic[..], b"\0\x0a", b"caf\xe9 \n", b"one card", b""] {
            assert!(!is_text(deck), "{deck:?}");
        }
    }
}
