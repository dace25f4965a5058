//! `trait Volume`: a disk as its control unit sees it, whatever keeps the data.

mod blocks;
mod extent;
pub mod label;
mod memory;

pub use blocks::{BlockError, Blocks};
pub use extent::Extent;
pub use memory::Memory;

use crate::model::CkdModel;
use crate::{Count, ImageError, Policy, Track};
use std::borrow::Cow;
use std::path::PathBuf;
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

    /// A count-key-data disk of this model with so many cylinders.
    pub fn of_model(model: &CkdModel, cylinders: u32) -> Kind {
        let CkdModel { device, model: number, heads, .. } = *model;
        Kind::Ckd { device, model: number, cylinders, heads, track: model.slot() }
    }

    /// The same without the model, which not every file tells.
    pub(crate) fn apart_from_model(self) -> Kind {
        match self {
            Kind::Ckd { device, cylinders, heads, track, .. } => {
                Kind::Ckd { device, model: 0, cylinders, heads, track }
            }
            fba => fba,
        }
    }

    /// The tracks of the volume; 0 if it is fixed-block.
    pub fn tracks(&self) -> u32 {
        match *self {
            Kind::Ckd { cylinders, heads, .. } => cylinders * heads,
            Kind::Fba { .. } => 0,
        }
    }

    /// The blocks of the volume; 0 if it is count-key-data.
    pub fn blocks(&self) -> u64 {
        match *self {
            Kind::Ckd { .. } => 0,
            Kind::Fba { blocks, .. } => blocks,
        }
    }

    /// Cylinder and head in the home address of track `track`. Cylinders beyond 65,535 have their high bits in the
    /// head's (IBM 3990 Reference, 28-bit cylinder numbers).
    pub fn home(&self, track: u32) -> Result<(u16, u16), MediaError> {
        match *self {
            Kind::Fba { .. } => Err(MediaError::WrongKind),
            Kind::Ckd { heads, .. } if track < self.tracks() => {
                let (cylinder, head) = (track / heads, track % heads);
                Ok((cylinder as u16, ((cylinder >> 16) << 4 | head) as u16))
            }
            Kind::Ckd { .. } => Err(MediaError::Outside),
        }
    }

    /// Whether `length` bytes from block `block` on are whole blocks of this volume.
    pub fn inside(&self, block: u64, length: usize) -> Result<(), MediaError> {
        let Kind::Fba { blocks, .. } = *self else { return Err(MediaError::WrongKind) };
        assert!(length.is_multiple_of(Kind::BLOCK), "requests are for whole blocks");
        match block.checked_add((length / Kind::BLOCK) as u64) {
            Some(end) if end <= blocks => Ok(()),
            _ => Err(MediaError::Outside),
        }
    }

    /// `new` as it is to be stored at track `track`, with the home address of that place.
    pub fn fitting<'a>(&self, track: u32, new: &'a Track) -> Result<Cow<'a, Track>, MediaError> {
        let home = self.home(track)?;
        if let Kind::Ckd { track: longest, .. } = *self
            && new.image().len() > longest as usize
        {
            return Err(MediaError::TrackFull);
        }
        if new.home() == home {
            return Ok(Cow::Borrowed(new));
        }
        let mut moved = new.clone();
        moved.set_home(home.0, home.1);
        Ok(Cow::Owned(moved))
    }
}

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
    /// The host could not read or write: an I/O error, no space left. The text names the file.
    #[error("{0}")]
    Host(String),
    /// The track does not fit: what was to be written is longer than the device's tracks.
    #[error("it is longer than a track of this device")]
    TrackFull,
    /// A count-key-data request to a fixed-block volume, or the reverse.
    #[error("the volume is of the other kind")]
    WrongKind,
}

/// What [`Volume::update_track`] does to a track; whether it has changed anything.
pub type Change<'a> = &'a mut dyn FnMut(&mut Track) -> bool;

/// Where a record lies that is used without its track: its count area is `at` this place of the track's image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spot {
    pub at: usize,
    pub count: Count,
}

/// A disk: a host file in one of the field's formats, an extent of another volume, or storage.
///
/// Shared by all its users, from any thread; each call is one indivisible access to one track or run of blocks. A write
/// is acknowledged (the call returns) once it would survive the end of this process; how soon it would survive the end
/// of the host is the volume's policy, and [`Volume::flush`] waits for it.
pub trait Volume: Send + Sync {
    fn kind(&self) -> Kind;

    /// Whether writes are refused.
    fn read_only(&self) -> bool {
        false
    }

    /// How soon writes survive the end of the host, if the volume is in a file of its.
    fn policy(&self) -> Option<Policy> {
        None
    }

    /// Reads track `track` (cylinder times heads plus head).
    fn read_track(&self, _track: u32) -> Result<Arc<Track>, MediaError> {
        Err(MediaError::WrongKind)
    }

    /// As [`Volume::read_track`], for a caller that is about to change the track and write it back. A cache that did
    /// not have the track does not keep it.
    fn read_track_to_update(&self, track: u32) -> Result<Arc<Track>, MediaError> {
        self.read_track(track)
    }

    /// Whether a read of track `track` would need no I/O, as it is in a cache of the host's or CP's own storage.
    fn holds(&self, _track: u32) -> bool {
        false
    }

    /// As [`Volume::holds`], of `bytes` bytes from block `block` on.
    fn holds_blocks(&self, _block: u64, _bytes: usize) -> bool {
        false
    }

    /// Reads the record numbered `number` of a track, which has no key and `to.len()` bytes; `false` if there is none
    /// such.
    fn read_record(&self, track: u32, number: u8, to: &mut [u8]) -> Result<bool, MediaError> {
        let track = self.read_track(track)?;
        let found = track.records().skip(1).find(|record| record.count.record == number);
        let found = found.filter(|record| record.key.is_empty() && record.data.len() == to.len());
        Ok(found.inspect(|record| to.copy_from_slice(record.data)).is_some())
    }

    /// Where the record lies that has this ID (the first five bytes of its count area), if the volume knows without
    /// reading the track, and moves the record for less than the track. It has data and no key.
    fn spot(&self, _track: u32, _id: [u8; 5]) -> Option<Spot> {
        None
    }

    /// Reads count area and data of such a record; `None`: it may have changed since, and only the track can tell.
    fn read_spot(&self, _track: u32, _spot: Spot) -> Result<Option<Vec<u8>>, MediaError> {
        Ok(None)
    }

    /// Writes all data of such a record; `false`, and nothing is written: only the track can tell.
    fn write_spot(&self, _track: u32, _spot: Spot, _data: &[u8]) -> Result<bool, MediaError> {
        Ok(false)
    }

    /// Replaces a track.
    fn write_track(&self, _track: u32, _new: &Track) -> Result<(), MediaError> {
        Err(MediaError::WrongKind)
    }

    /// Changes a track: `change` gets it as it is now. Nothing else writes it, by whatever extent of the volume, until
    /// it is written back. `change` uses no volume itself.
    fn update_track(&self, _track: u32, _change: Change<'_>) -> Result<(), MediaError> {
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

    /// How many snapshots of the volume there are.
    fn snapshots(&self) -> usize {
        0
    }

    /// Keeps the volume as it is between two writes; the new file in which it is written from now on. Guests go on.
    fn snapshot(&self) -> Result<PathBuf, ImageError> {
        Err(ImageError::Host("it is not in a host file".into()))
    }

    /// Merges the newest snapshot and what was written since; guests go on.
    fn merge_snapshot(&self) -> Result<(), ImageError> {
        Err(ImageError::Host("it has no snapshot".into()))
    }

    /// Throws away what was written since the newest snapshot. The volume must not be in use.
    fn discard_snapshot(&self) -> Result<(), ImageError> {
        Err(ImageError::Host("it has no snapshot".into()))
    }

    /// Everything written so far is as safe as the host can make it.
    fn flush(&self) -> Result<(), MediaError> {
        Ok(())
    }

    /// The same, and the files are as other programs expect them. What is written later opens them again.
    fn close(&self) -> Result<(), MediaError> {
        self.flush()
    }
}
