//! The user directory: which users may have a virtual machine, and what it is made of.
//!
//! Its source is USER DIRECT, the cards that system programmers of VM have kept for fifty years: a USER statement, the
//! control statements that describe the machine, then one statement a device. [`Directory::parse`] turns that text into
//! typed [`User`]s. Every mistake is reported, each with its file, line, statement and what was expected.
//! [`Directory::parse`] yields no directory then, as DIRECTXA puts none on line; [`Directory::read`], with which a
//! system comes up, bars only the users that have mistakes from logging on. Statements that are legal but that nothing
//! here acts upon are accepted and listed in [`Directory::accepted_but_unused`].
//!
//! Clear-text passwords do not outlive the reading of the source: only their salted hashes are kept. What a user
//! changes a password to lives beside the source in a companion file ([`Passwords`]), which overrides it.
//!
//! * `source`: cards, continuation and comments become [`source::Statement`]s;
//! * `operands`: the words of a statement one by one; `entry`: a user while it is read;
//! * `identity`: what belongs to a user of several systems is brought together;
//! * `control`, `device`, `network`: what the operands of each statement mean;
//! * `table`: all statements; `statement`: the driver that keeps their order; `identity`: users of several systems;
//! * `model`: what comes out; `password`: hashes; `sample`: the directory of the sample system.

mod control;
mod device;
mod entry;
mod identity;
mod model;
mod network;
mod operands;
mod password;
mod sample;
mod source;
mod statement;
mod table;

use std::path::Path;

pub use model::*;
pub use password::{LinkPassword, Password, Passwords};
pub use sample::{sample, sample_with_cms};
pub use table::statement_names;

/// One mistake in a directory source, or a source that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// Where the statement begins.
    pub place: Place,
    /// The user or profile the statement belongs to; empty before the first.
    pub user: String,
    /// The statement's keyword, as the table of statements spells it, or as written if it is not one.
    pub statement: String,
    /// What is wrong.
    pub problem: String,
    /// What would have been right.
    pub expected: String,
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: ", self.place)?;
        match (self.statement.is_empty(), self.user.is_empty()) {
            (false, false) => write!(f, "{} of {}: ", self.statement, self.user)?,
            (false, true) => write!(f, "{}: ", self.statement)?,
            _ => {}
        }
        write!(f, "{}", self.problem)?;
        if !self.expected.is_empty() {
            write!(f, "; expected {}", self.expected)?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

/// The users a system knows, in the order of their USER statements.
#[derive(Clone, Debug, Default)]
pub struct Directory {
    /// All users.
    pub users: Vec<User>,
    /// Legal statements that nothing acts upon, so that their author is told.
    pub accepted_but_unused: Vec<Unused>,
    /// What is wrong, in the order of lines. A user that has some of it cannot log on.
    pub mistakes: Vec<Error>,
    index: std::collections::HashMap<String, usize>,
}

/// Where the passwords that were changed lie: beside the source.
pub fn passwords_file(source: &Path) -> std::path::PathBuf {
    source.with_file_name("passwords")
}

impl Directory {
    /// Reads ([`Directory::read`]) the source at `path` and, if there is one, the file `passwords` beside it.
    pub fn load(path: &Path) -> Result<Directory, Vec<Error>> {
        let file = path.display().to_string();
        let unreadable = |file: String, e: std::io::Error| {
            vec![Error {
                place: Place { file: file.into(), line: 0 },
                user: String::new(),
                statement: String::new(),
                problem: format!("cannot be read: {e}"),
                expected: "a readable file".into(),
            }]
        };
        let bytes = base::file::read(path, base::file::TEXT).map_err(|e| unreadable(file.clone(), e))?;
        let text = base::text::decode(&bytes);
        let companion = passwords_file(path);
        let passwords =
            Passwords::open(&companion).map_err(|e| unreadable(companion.display().to_string(), e.into_io()))?;
        Directory::read(&file, &text, &passwords)
    }

    /// The directory that `text`, the content of the source `file`, describes. Passwords in `passwords` go before
    /// those in the source. All mistakes are reported, in the order of their lines.
    pub fn parse(file: &str, text: &str, passwords: &Passwords) -> Result<Directory, Vec<Error>> {
        let directory = statement::parse(file, text, passwords)?;
        if directory.mistakes.is_empty() { Ok(directory) } else { Err(directory.mistakes) }
    }

    /// The same, but mistakes keep only those users from logging on that have them. If there is no other user, it
    /// fails.
    pub fn read(file: &str, text: &str, passwords: &Passwords) -> Result<Directory, Vec<Error>> {
        let directory = statement::parse(file, text, passwords)?;
        let none = directory.users.iter().all(|user| user.barred);
        if none && !directory.mistakes.is_empty() { Err(directory.mistakes) } else { Ok(directory) }
    }

    /// Why `userid` cannot log on: its mistakes.
    pub fn mistakes_of<'a>(&'a self, userid: &'a str) -> impl Iterator<Item = &'a Error> {
        self.mistakes.iter().filter(move |mistake| mistake.user.eq_ignore_ascii_case(userid))
    }

    /// The user called `userid` (in any case), if there is one.
    pub fn user(&self, userid: &str) -> Option<&User> {
        self.index.get(&userid.to_uppercase()).map(|&i| &self.users[i])
    }

    /// The same, to be changed: CP does so when a user changes a password.
    pub fn user_mut(&mut self, userid: &str) -> Option<&mut User> {
        self.index.get(&userid.to_uppercase()).map(|&i| &mut self.users[i])
    }
}

/// Whether `id` can be the name of a virtual machine: 1 to 8 letters, digits and `$#@-:._+`.
pub fn is_userid(id: &str) -> bool {
    (1..=8).contains(&id.len())
        && id.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b"$#@-:._+".contains(&b))
}
