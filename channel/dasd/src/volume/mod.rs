//! `trait Volume`: a disk as its control unit sees it, whatever keeps the data.

pub mod allocation;
mod blocks;
mod extent;
pub mod label;
mod memory;
mod pages;

pub use blocks::{BlockError, Blocks};
pub use extent::Extent;
pub use memory::Memory;
pub use pages::Pages;

use crate::error::{ImageError, MediaError};
use crate::model::Kind;
use crate::model::track::{Count, Track};
use std::path::PathBuf;
use std::sync::Arc;

/// How soon writes survive the end of the *host*. The end of this process loses no acknowledged write under any policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Policy {
    /// Every write is on the host's medium before it is acknowledged. Nothing is ever lost.
    Through,
    /// Writes are on the host's medium within two seconds, or when the volume is flushed.
    #[default]
    Safe,
    /// Writes reach the host's medium when the volume is flushed or closed, or when the host thinks fit.
    Lazy,
}

impl Policy {
    /// Their names, as SYSTEM CONFIG has them.
    pub const ALL: [(&str, Policy); 3] = [("THROUGH", Policy::Through), ("SAFE", Policy::Safe), ("LAZY", Policy::Lazy)];

    /// The policy's name in [`Policy::ALL`].
    pub fn name(self) -> &'static str {
        Policy::ALL.iter().find(|row| row.1 == self).expect("all are there").0
    }
}

/// What [`Volume::update_track`] does to a track; whether it has changed anything.
pub type Change<'a> = &'a mut dyn FnMut(&mut Track) -> bool;

/// Where a record lies that is used without its track: its count area is `at` this place of the track's image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spot {
    /// Where the count area begins in [`Track::image`].
    pub at: usize,
    /// The record's count area.
    pub count: Count,
}

impl Spot {
    /// The `n`th of the records that follow, where they have numbers in a row and the same length.
    pub(crate) fn after(self, n: usize) -> Spot {
        let length = Count::LEN + usize::from(self.count.data);
        let record = self.count.record.wrapping_add(n as u8);
        Spot { at: self.at + n * length, count: Count { record, ..self.count } }
    }
}

/// A disk: a host file in one of the field's formats, an extent of another volume, or storage.
///
/// Shared by all its users, from any thread; each call is one indivisible access to one track or run of blocks. A write
/// is acknowledged (the call returns) once it would survive the end of this process; how soon it would survive the end
/// of the host is the volume's policy, and [`Volume::flush`] waits for it.
pub trait Volume: Send + Sync {
    /// What kind of disk it is, and how large.
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

    /// Reads so many such records, which follow each other with numbers in a row and are as long as the first: count
    /// area and data of each.
    fn read_spots(&self, track: u32, spot: Spot, many: usize) -> Result<Option<Vec<u8>>, MediaError> {
        let mut all = Vec::new();
        for spot in (0..many).map(|n| spot.after(n)) {
            let Some(one) = self.read_spot(track, spot)? else { return Ok(None) };
            all.extend(one);
        }
        Ok(Some(all))
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
