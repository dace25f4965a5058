//! Why a disk, or the file it is in, did not do what was asked.

use std::path::PathBuf;

/// Why the medium did not do what was asked. Guest and operator are told of every one of them.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MediaError {
    /// The track or block is beyond the end of the volume: the caller should have known.
    #[error("it is beyond the end of the volume")]
    Outside,
    /// The volume, or this way to it, may only be read.
    #[error("the volume is read-only")]
    ReadOnly,
    /// What is stored there cannot be trusted: torn, damaged, or not what it says it is.
    #[error("the data is damaged: {0}")]
    Damaged(String),
    /// The host could not read or write, as after an I/O error. The text names the file.
    #[error("{0}")]
    Host(String),
    /// The host has no room for what was to be written. The text names the file.
    #[error("{0}")]
    Full(String),
    /// The track does not fit: what was to be written is longer than the device's tracks.
    #[error("it is longer than a track of this device")]
    TrackFull,
    /// A count-key-data request to a fixed-block volume, or the reverse.
    #[error("the volume is of the other kind")]
    WrongKind,
}

impl MediaError {
    /// What cannot be trusted, and why.
    pub(crate) fn damaged(why: impl Into<String>) -> MediaError {
        MediaError::Damaged(why.into())
    }
}

/// Why an image cannot be opened or made.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// Another process, or another part of this one, holds the file; the text says which.
    #[error("{path} is in use by {holder}")]
    InUse {
        /// The file that was to be opened.
        path: PathBuf,
        /// What holds it, for the message.
        holder: String,
    },
    /// The file is no image of a disk, or of a form that is not known.
    #[error("{path} is not a disk image: {why}")]
    NotAnImage {
        /// The file that was to be opened.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The file was an image but cannot be trusted as a whole.
    #[error("{path} is damaged: {why}")]
    Damaged {
        /// The file that was to be opened.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The file was longer once: it was cut, or a copy of it was interrupted.
    #[error(
        "{path} is damaged: it was cut, it has {length} bytes of {wanted}; \
         put a whole copy in its place, or endicott dasd check --repair makes empty what is missing"
    )]
    Cut {
        /// The file that was to be opened.
        path: PathBuf,
        /// Bytes that it has.
        length: u64,
        /// Bytes that it should have.
        wanted: u64,
    },
    /// The host cannot open, read or write it. The text names the file.
    #[error("{0}")]
    Host(String),
    /// It was interrupted; what was being made is gone again.
    #[error("interrupted; every disk is as it was, and nothing new is left")]
    Interrupted,
}

impl From<MediaError> for ImageError {
    fn from(error: MediaError) -> ImageError {
        ImageError::Host(error.to_string())
    }
}
