//! Spool files: what was punched, printed or typed, kept until it is read, printed or purged.
//!
//! A virtual reader, punch, printer or console is not a machine but a file. Writing to a punch fills an
//! [`OutputFile`]; CLOSE makes it a [`SpoolFile`] on a user's reader, printer or punch queue, under a number (spid)
//! of 1 to 9999 that is unique among the owner's files; a virtual reader takes the first file that is not held and
//! whose class it wants ([`ReaderFile`]), and when it closes the file, the file is purged, unless it is to be kept.
//!
//! # On the host
//!
//! A spool is a folder:
//!
//! * `lock`: held by the system that runs. A second system that opens the folder is refused;
//! * `ID.data`: the records of one file in blocks of 4096 bytes, laid out as DIAGNOSE X'14' hands them to guests (see
//!   [`splink`]), so that reading a block is one read and a file of any size needs no storage. Each block has a check
//!   sum of itself, the file and its place in it: older blocks, or another file's, are damage;
//! * `ID.meta`: all that QUERY shows, a few lines of text with a check sum;
//! * `drop/`: files on their way in from other programs (see [`punch`]);
//! * `saved/`: saved systems and segments (see [`saved`]).
//!
//! A file exists when its `ID.meta` does, and that appears, and changes, by writing another file, forcing it to disk
//! and renaming it. So whatever moment the system or the host dies at, a spool file is there as it was before a
//! command or as it is after it. Data without `ID.meta` is a file that was open then; it goes when the folder is next
//! opened.
//!
//! # With two programs
//!
//! Only the running system touches the folder itself. Other programs put files into `drop/`, whether a system runs or
//! not, by the same steps (data first, then `ID.meta` by renaming); the system takes them in with
//! [`Spool::take_drops`], in the order of their names, when it starts and every second or so. Each step of that can be
//! repeated, so a crash in between neither loses nor doubles a file.

mod disk;
mod drop;
mod file;
mod output;
mod queue;
mod reader;
pub mod saved;
mod shared;
pub mod splink;

use std::io;
use std::path::{Path, PathBuf};

pub use drop::{Content, Found, Punch, Punched, punch};
pub use file::{Attributes, Device, Hold, Queue, SpoolFile};
pub use output::OutputFile;
pub use queue::{After, Change, MAX_SPID, Moved, NotClosed, Selection, Spool, Taken};
pub use reader::{ReaderFile, Record};
pub use shared::{Shared, ask, lock, with};

/// Why something with spool files could not be done. None of these is the guest's fault.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another running system holds the spool folder.
    #[error("the spool folder {0} belongs to a system that is running")]
    Locked(PathBuf),
    /// The host's disk is full.
    #[error("the disk is full: {0} could not be written")]
    Full(PathBuf),
    /// The host says no.
    #[error("{0}: {1}")]
    Io(PathBuf, #[source] io::Error),
    /// What was to be punched cannot be read.
    #[error("{0}")]
    Source(#[source] io::Error),
    /// The user has as many spool files as there may be (CP's return code 439).
    #[error("{0} has the maximum number of spool files")]
    NoSpid(String),
    /// There is no such file.
    #[error("{0} has no spool file {1:04}")]
    NoFile(String, u16),
    /// The file is being read.
    #[error("spool file {1:04} of {0} is in use")]
    InUse(String, u16),
    /// A record is longer than a block holds.
    #[error("a spool record of {0} bytes is too long")]
    RecordTooLong(usize),
    /// The file's data is not what its header says.
    #[error("the spool file {0} is damaged")]
    Damaged(PathBuf),
    /// The system was started without a spool.
    #[error("this system has no spool")]
    Absent,
}

impl Error {
    /// The error `e` about `path`.
    pub(crate) fn of(path: &Path, e: io::Error) -> Error {
        match e.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Error::Full(path.into()),
            _ => Error::Io(path.into(), e),
        }
    }
}
