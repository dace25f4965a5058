//! `trait Volume`: a disk as its control unit sees it, whatever keeps the data.

use crate::Track;
use std::fmt;
use std::sync::Arc;

/// What kind of disk it is, and how large.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Count-key-data: `cylinders` cylinders of `heads` tracks, each of which holds up to `track` bytes of image
    /// ([`Track::image`]). `device` is the device type (3390) as Sense ID shows it in hexadecimal digits.
    Ckd { device: u16, model: u8, cylinders: u32, heads: u32, track: u32 },
    /// Fixed block: `blocks` blocks of 512 bytes.
    Fba { device: u16, model: u8, blocks: u64 },
}

impl Kind {
    /// Bytes of a block of a fixed-block volume.
    pub const BLOCK: usize = 512;
}

/// Why the medium did not do what was asked. Guest and operator hear of every one of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MediaError {
    /// The track or block is beyond the end of the volume: whoever asked should have known.
    Outside,
    /// The volume, or this way to it, may only be read.
    ReadOnly,
    /// What is stored there cannot be trusted: torn, damaged, or not what it says it is.
    Damaged(String),
    /// The host could not read or write: an I/O error, no space left. The text names the file.
    Host(String),
    /// The track does not fit: what was to be written is longer than the device's tracks.
    TrackFull,
    /// A count-key-data request to a fixed-block volume, or the reverse.
    WrongKind,
}

impl fmt::Display for MediaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MediaError::Outside => f.write_str("it is beyond the end of the volume"),
            MediaError::ReadOnly => f.write_str("the volume is read-only"),
            MediaError::Damaged(why) => write!(f, "the data is damaged: {why}"),
            MediaError::Host(why) => f.write_str(why),
            MediaError::TrackFull => f.write_str("it is longer than a track of this device"),
            MediaError::WrongKind => f.write_str("the volume is of the other kind"),
        }
    }
}

impl std::error::Error for MediaError {}

/// A disk: a host file in one of the field's formats, an extent of another volume, or storage.
///
/// Shared by all who may use it, from any thread; each call is one indivisible access to one track or run of blocks.
/// A write is acknowledged (the call returns) once it would survive the end of this process; how soon it would survive
/// the end of the host is the volume's policy, and [`Volume::flush`] waits for it.
pub trait Volume: Send + Sync {
    fn kind(&self) -> Kind;

    /// Whether writes are refused.
    fn read_only(&self) -> bool {
        false
    }

    /// Reads track `track` (cylinder times heads plus head).
    fn read_track(&self, _track: u32) -> Result<Arc<Track>, MediaError> {
        Err(MediaError::WrongKind)
    }

    /// Replaces a track.
    fn write_track(&self, _track: u32, _new: &Track) -> Result<(), MediaError> {
        Err(MediaError::WrongKind)
    }

    /// Reads whole blocks from block `block` on.
    fn read_blocks(&self, _block: u64, _to: &mut [u8]) -> Result<(), MediaError> {
        Err(MediaError::WrongKind)
    }

    /// Writes whole blocks from block `block` on.
    fn write_blocks(&self, _block: u64, _from: &[u8]) -> Result<(), MediaError> {
        Err(MediaError::WrongKind)
    }

    /// Everything written so far is as safe as the host can make it.
    fn flush(&self) -> Result<(), MediaError> {
        Ok(())
    }
}
