//! What kind of disk it is, and how large: what can be asked of it without reading it.

use super::devices::CkdModel;
use super::track::Track;
use crate::error::MediaError;
use arch::dasd::Cchh;
use std::borrow::Cow;

/// What kind of disk it is, and how large.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Count-key-data: `cylinders` cylinders of `heads` tracks, each of which holds up to `track` bytes of image
    /// ([`Track::image`]). `device` is the device type (3390) as Sense ID shows it in hexadecimal digits.
    Ckd {
        /// The device type as Sense ID shows it.
        device: u16,
        /// The model number as Sense ID shows it; 0 where no model is known.
        model: u8,
        /// Primary cylinders.
        cylinders: u32,
        /// Tracks of a cylinder.
        heads: u32,
        /// The longest [`Track::image`], in bytes.
        track: u32,
    },
    /// Fixed block: `blocks` blocks of 512 bytes.
    Fba {
        /// The device type as Sense ID shows it.
        device: u16,
        /// The model number as Sense ID shows it.
        model: u8,
        /// Blocks of 512 bytes.
        blocks: u64,
    },
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
            Kind::Ckd { heads, .. } if track < self.tracks() => Ok(Cchh::of(track / heads, track % heads).get()),
            Kind::Ckd { .. } => Err(MediaError::Outside),
        }
    }

    /// Whether there are cylinders beyond 65,535, so that addresses have their high bits beside the head.
    pub fn wide(&self) -> bool {
        matches!(*self, Kind::Ckd { cylinders, .. } if cylinders > 0x1_0000)
    }

    /// The track of an address; `None` if the volume has no such track.
    pub fn track_at(&self, address: Cchh) -> Option<u32> {
        let Kind::Ckd { cylinders, heads, .. } = *self else { return None };
        let (cylinder, head) = address.place(self.wide());
        (cylinder < cylinders && head < heads).then(|| cylinder * heads + head)
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
