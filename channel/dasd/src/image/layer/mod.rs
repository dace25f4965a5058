//! One file of an image, whatever its format: units (tracks, or groups of 120 blocks) are read and written.

pub(super) mod journal;
pub(crate) mod packed;
pub(crate) mod plain;
mod space;
pub(super) mod sums;

use crate::format::header::{self, Header, Packing};
use crate::format::unit::{GROUP_BYTES, group_bytes};
use crate::host::HostFile;
use crate::image::options::Options;
use crate::{ImageError, Kind, MediaError};
use packed::{Packed, Place};
use std::path::Path;
use std::sync::Arc;
use sums::Sums;

pub(crate) enum Layer {
    Ckd(plain::Ckd),
    Fba(plain::Fba),
    Packed(Packed),
}

impl Layer {
    /// Opens the file; `shadow` says whether it must be a shadow file, which is nothing without the file below.
    pub(crate) fn open(path: &Path, options: &Options, shadow: bool) -> Result<Layer, ImageError> {
        let host = HostFile::open(path, !options.read_only, options.faults.clone())?;
        let not = |why: &str| ImageError::NotAnImage { path: path.into(), why: why.into() };
        let length = host.len()?;
        if length == 0 {
            return Err(not("it is empty"));
        }
        let mut bytes = vec![0; length.min(header::LEN as u64) as usize];
        host.read_at(0, &mut bytes)?;
        match Header::decode(&bytes) {
            Some(header) if shadow != (header.form.packing == Packing::Shadow) => Err(not(if shadow {
                "it is not a shadow file"
            } else {
                "it is a shadow file; name the file it belongs to"
            })),
            Some(header) if header.form.packing == Packing::Plain => {
                Ok(Layer::Ckd(plain::Ckd::open(host, header, options)?))
            }
            Some(header) => Ok(Layer::Packed(Packed::open(host, header, options)?)),
            None if shadow => Err(not("it is not a shadow file")),
            None => Ok(Layer::Fba(plain::Fba::open(host, options)?)),
        }
    }

    pub(crate) fn kind(&self) -> Kind {
        match self {
            Layer::Ckd(ckd) => ckd.kind,
            Layer::Fba(fba) => fba.kind,
            Layer::Packed(packed) => packed.kind,
        }
    }

    pub(super) fn writable(&self) -> bool {
        self.hosts().iter().all(|host| host.writable())
    }

    pub(crate) fn hosts(&self) -> Vec<Arc<HostFile>> {
        match self {
            Layer::Ckd(ckd) => ckd.hosts(),
            Layer::Fba(fba) => vec![fba.host().clone()],
            Layer::Packed(packed) => vec![packed.host().clone()],
        }
    }

    /// The files that are to be on the host's medium, in this order.
    pub(crate) fn to_sync(&self) -> Vec<Arc<HostFile>> {
        // A piece that is there is to have its sum there.
        let mut hosts: Vec<Arc<HostFile>> = self.sums().iter().filter_map(|sums| sums.host().cloned()).collect();
        hosts.extend(self.hosts());
        hosts
    }

    /// The check sums beside its files.
    pub(crate) fn sums(&self) -> Vec<&Sums> {
        match self {
            Layer::Ckd(ckd) => ckd.sums().collect(),
            Layer::Fba(fba) => vec![fba.sums()],
            Layer::Packed(_) => Vec::new(),
        }
    }

    /// The number that identifies the shadow file over it; 0: there is none; `None`: that is not known.
    pub(super) fn covered(&self) -> Option<u64> {
        match self {
            Layer::Ckd(ckd) => Some(ckd.covered()),
            Layer::Fba(fba) => fba.covered(),
            Layer::Packed(packed) => Some(packed.style().covered),
        }
    }

    /// Of a shadow file, the number that the file below must have as `covered`; 0: the program that made it did not
    /// say.
    pub(super) fn below(&self) -> u64 {
        match self {
            Layer::Packed(packed) => packed.style().below,
            _ => 0,
        }
    }

    /// Takes note of the shadow file over it, on the host's medium; 0: there is none.
    pub(super) fn set_covered(&mut self, covered: u64) -> Result<(), MediaError> {
        match self {
            Layer::Ckd(ckd) => ckd.set_covered(covered)?,
            Layer::Fba(fba) => fba.set_covered(covered)?,
            Layer::Packed(packed) => packed.set_covered(covered)?,
        }
        self.to_sync().iter().try_for_each(|host| host.sync())
    }

    /// Whether a unit is as this program has written it last, of a file with check sums.
    pub(crate) fn is_ours(&self, unit: u32) -> Result<bool, MediaError> {
        match self {
            Layer::Ckd(ckd) => ckd.is_ours(unit),
            Layer::Fba(fba) => fba.is_ours(u64::from(unit) * GROUP_BYTES as u64, group_bytes(fba.kind, unit)),
            Layer::Packed(_) => Ok(true),
        }
    }

    /// Makes a damaged unit of a plain file one that can be read: it is taken as it is, or becomes empty.
    pub(crate) fn mend(&mut self, unit: u32) -> Result<plain::Mended, MediaError> {
        match self {
            Layer::Ckd(ckd) => ckd.mend(unit),
            Layer::Fba(fba) => fba.mend(u64::from(unit) * GROUP_BYTES as u64, group_bytes(fba.kind, unit)),
            Layer::Packed(_) => Err(MediaError::WrongKind),
        }
    }

    /// The bytes of a unit; `None`: the file below has it.
    pub(crate) fn read(&self, unit: u32) -> Result<Option<Vec<u8>>, MediaError> {
        match self {
            Layer::Ckd(ckd) => ckd.read(unit).map(Some),
            Layer::Fba(fba) => {
                let mut group = vec![0; GROUP_BYTES];
                let length = group_bytes(fba.kind, unit);
                fba.read(u64::from(unit) * GROUP_BYTES as u64, &mut group[..length])?;
                Ok(Some(group))
            }
            Layer::Packed(packed) => packed.read(unit),
        }
    }

    /// Tells the host that these units, which are in this file, will be read soon.
    pub(super) fn will_need(&self, units: &[u32]) {
        match self {
            Layer::Ckd(ckd) => ckd.will_need(units),
            Layer::Fba(fba) => {
                if let [first, .., last] | [first @ last] = units {
                    let bytes = u64::from(last - first + 1) * GROUP_BYTES as u64;
                    fba.host().will_need(u64::from(*first) * GROUP_BYTES as u64, bytes);
                }
            }
            Layer::Packed(packed) => {
                for &unit in units {
                    if let Place::At(entry) = packed.place(unit) {
                        packed.host().will_need(entry.at, entry.length.into());
                    }
                }
            }
        }
    }

    /// Whether a unit is in this file, or known to be empty, rather than in the file below.
    pub(super) fn has(&self, unit: u32) -> bool {
        match self {
            Layer::Packed(packed) => packed.place(unit) != Place::Below,
            _ => true,
        }
    }

    /// As [`Layer::write`], of a unit that will soon be written again. Whether it is now larger than it need be.
    pub(super) fn write_quickly(&mut self, unit: u32, new: &[u8], old: Option<&[u8]>) -> Result<bool, MediaError> {
        match self {
            Layer::Packed(packed) => packed.write_quickly(unit, new).map(|()| true),
            _ => self.write(unit, new, old).map(|()| false),
        }
    }

    /// Replaces a unit; `old` may be what is there now.
    pub(crate) fn write(&mut self, unit: u32, new: &[u8], old: Option<&[u8]>) -> Result<(), MediaError> {
        match self {
            Layer::Ckd(ckd) => ckd.write(unit, new, old),
            Layer::Fba(fba) => fba.write(u64::from(unit) * GROUP_BYTES as u64, &new[..group_bytes(fba.kind, unit)]),
            Layer::Packed(packed) => packed.write(unit, new),
        }
    }

    /// A tool fills the file, and starts again if it is ended: as small and as fast as can be.
    pub(super) fn set_bulk(&mut self) {
        match self {
            Layer::Ckd(ckd) => ckd.bulk = true,
            Layer::Fba(_) => {}
            Layer::Packed(packed) => packed.set_bulk(),
        }
    }

    /// Leaves the file as other programs expect it.
    pub(crate) fn close(&mut self) -> Result<(), MediaError> {
        if let Layer::Packed(packed) = self {
            return packed.close();
        }
        self.to_sync().iter().try_for_each(|host| host.sync())?;
        match self {
            Layer::Ckd(ckd) => ckd.close(),
            Layer::Fba(fba) => fba.close(),
            Layer::Packed(_) => Ok(()),
        }
    }

    pub(crate) fn packed(&mut self) -> Option<&mut Packed> {
        match self {
            Layer::Packed(packed) => Some(packed),
            _ => None,
        }
    }
}
