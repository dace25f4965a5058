//! What can be wrong with a checkpoint's file.

use std::io;

/// The version that is written and read.
pub(crate) const VERSION: u32 = 1;

/// Why a file could not be written, or is not gone on from.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The host says no.
    #[error(transparent)]
    Host(#[from] io::Error),
    /// It is another kind of file.
    #[error("it is no checkpoint")]
    Foreign,
    /// Another version of the program has written it.
    #[error(
        "it is a checkpoint of version {0}, and this program knows version {VERSION}: the one that wrote it reads it"
    )]
    Version(u32),
    /// What is in it is not what was written: where.
    #[error("it is damaged: {0} is not what was written; nothing of it is used")]
    Damaged(String),
}
