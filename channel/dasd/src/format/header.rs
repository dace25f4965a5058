//! The 512-byte header that image files begin with, and the geometry it gives.

use crate::error::ImageError;
use crate::model::{CkdModel, FbaModel, Kind};
use std::mem::offset_of;
use std::path::Path;
use zerocopy::little_endian::{U16, U32, U64};
use zerocopy::{FromBytes, FromZeros, Immutable, IntoBytes, KnownLayout, Unaligned, transmute};

/// Bytes of the header.
pub(crate) const LEN: usize = 512;

/// Which form a file has, by the first eight bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Form {
    /// Fixed-block, not count-key-data.
    pub fba: bool,
    pub packing: Packing,
    /// The 64-bit variant.
    pub wide: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Packing {
    /// Every track in a slot of its own.
    Plain,
    /// Compressed.
    Packed,
    /// Compressed, with only what was written since a snapshot.
    Shadow,
}

impl Form {
    /// The form that `magic` stands for.
    pub(crate) fn of(magic: &[u8]) -> Option<Form> {
        let (kind, rest) = magic.get(..8)?.split_at(4);
        let fba = match kind {
            b"CKD_" => false,
            b"FBA_" => true,
            _ => return None,
        };
        let packing = match rest[0] {
            b'P' if !fba => Packing::Plain,
            b'C' => Packing::Packed,
            b'S' => Packing::Shadow,
            _ => return None,
        };
        let wide = match &rest[1..] {
            b"370" => false,
            b"064" => true,
            _ => return None,
        };
        Some(Form { fba, packing, wide })
    }

    pub(super) fn magic(&self) -> [u8; 8] {
        let packing = match self.packing {
            Packing::Plain => "P",
            Packing::Packed => "C",
            Packing::Shadow => "S",
        };
        let text =
            format!("{}{packing}{}", if self.fba { "FBA_" } else { "CKD_" }, if self.wide { "064" } else { "370" });
        text.as_bytes().try_into().expect("the parts make eight bytes")
    }
}

/// The header; its numbers are little-endian.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Header {
    pub form: Form,
    /// Tracks of a cylinder.
    pub heads: u32,
    /// Bytes of a track's slot.
    pub slot: u32,
    /// The low byte of the device type: X'90' for a 3390.
    pub device: u8,
    /// Which of several files of one volume this is, from 1; 0: it is alone.
    pub sequence: u8,
    /// The last cylinder in this file if another file follows; 0: none does.
    pub last: u16,
    pub serial: [u8; 12],
    /// The model number, where type and number of cylinders do not tell it: a 3380-J has as many as a 3380-A, and
    /// images made by others are byte for byte the same. It stands by its name at the end of the header, where others
    /// have zeros and look at nothing.
    pub model: Option<u8>,
    /// Cylinders of a plain file, by which one that was cut is known; 0: whatever made it did not say. It stands at the
    /// end of the header, too.
    pub cylinders: u32,
    /// The number that identifies the shadow file over a plain file (see [`crate::image::chain`]); 0: there is none.
    pub covered: u64,
}

/// The header as it lies in a file.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Layout {
    magic: [u8; 8],
    heads: U32,
    slot: U32,
    device: u8,
    sequence: u8,
    last: U16,
    serial: [u8; 12],
    /// Others have zeros from here on, and look at nothing.
    reserved_20: [u8; 456],
    covered: U64,
    reserved_1f0: [u8; 4],
    cylinders: U32,
    /// The model's name, filled up with zeros.
    model: [u8; 8],
}
const _: () = assert!(size_of::<Layout>() == LEN);

/// Where [`Header::covered`] stands.
pub(crate) const COVERED: u64 = offset_of!(Layout, covered) as u64;

impl Header {
    pub(crate) fn decode(bytes: &[u8]) -> Option<Header> {
        let (header, _) = Layout::ref_from_prefix(bytes).ok()?;
        let name = std::str::from_utf8(&header.model).ok();
        let named = name.and_then(|name| CkdModel::named(name.trim_end_matches('\0')));
        Some(Header {
            form: Form::of(&header.magic)?,
            heads: header.heads.get(),
            slot: header.slot.get(),
            device: header.device,
            sequence: header.sequence,
            last: header.last.get(),
            serial: header.serial,
            model: named.filter(|model| model.device as u8 == header.device).map(|model| model.model),
            cylinders: header.cylinders.get(),
            covered: header.covered.get(),
        })
    }

    pub(crate) fn encode(&self) -> [u8; LEN] {
        let named = device_type(self.device).zip(self.model);
        let mut model = [0; 8];
        if let Some(found) = named.and_then(|(device, model)| CkdModel::of(device, model, 0)) {
            model[..found.name.len()].copy_from_slice(found.name.as_bytes());
        }
        transmute!(Layout {
            magic: self.form.magic(),
            heads: self.heads.into(),
            slot: self.slot.into(),
            device: self.device,
            sequence: self.sequence,
            last: self.last.into(),
            serial: self.serial,
            covered: self.covered.into(),
            cylinders: self.cylinders.into(),
            model,
            ..Layout::new_zeroed()
        })
    }

    /// The header of a new volume.
    pub(crate) fn of_kind(kind: Kind, packing: Packing, wide: bool) -> Header {
        let cylinders = match kind {
            Kind::Ckd { cylinders, .. } if packing == Packing::Plain => cylinders,
            _ => 0,
        };
        let (heads, slot, device, fba, model) = match kind {
            Kind::Ckd { device, model, cylinders, heads, track } => {
                let usual = CkdModel::of_size(device, cylinders).map(|model| model.model);
                let model = Some(model).filter(|_| usual != Some(model) && CkdModel::of(device, model, 0).is_some());
                (heads, track, device as u8, false, model)
            }
            Kind::Fba { .. } => (0, 0, 0, true, None),
        };
        let form = Form { fba, packing, wide };
        Header { form, heads, slot, device, sequence: 0, last: 0, serial: [0; 12], model, cylinders, covered: 0 }
    }

    /// What disk a count-key-data image of so many cylinders is.
    pub(crate) fn ckd(&self, path: &Path, cylinders: u32) -> Result<Kind, ImageError> {
        let not = |why: String| ImageError::NotAnImage { path: path.into(), why };
        let device = device_type(self.device)
            .ok_or_else(|| not(format!("its header has the unknown device type X'{:02X}'", self.device)))?;
        // No device has more; the limits keep damaged headers from asking for absurd sizes.
        if self.heads == 0 || self.heads > 255 || self.slot < 64 || self.slot > 128 * 1024 {
            return Err(not(format!("its header says {} tracks of {} bytes", self.heads, self.slot)));
        }
        if cylinders == 0 || u64::from(cylinders) * u64::from(self.heads) > u64::from(u32::MAX / 2) {
            return Err(not(format!("it has {cylinders} cylinders")));
        }
        let usual = CkdModel::of_size(device, cylinders).map_or(0, |model| model.model);
        let model = self.model.unwrap_or(usual);
        Ok(Kind::Ckd { device, model, cylinders, heads: self.heads, track: self.slot })
    }
}

/// What disk a fixed-block image of so many blocks is; no format says which model, so the size does, and `device`.
pub(crate) fn fba(path: &Path, blocks: u64, device: Option<u16>) -> Result<Kind, ImageError> {
    if blocks == 0 || blocks > u64::from(u32::MAX) {
        return Err(ImageError::NotAnImage { path: path.into(), why: format!("it has {blocks} blocks") });
    }
    let model = FbaModel::of_size(device, blocks);
    Ok(Kind::Fba { device: model.device, model: model.model, blocks })
}

/// The device type of the low byte that headers have.
fn device_type(low: u8) -> Option<u16> {
    crate::model::CKD.iter().map(|model| model.device).find(|device| *device as u8 == low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_has_its_magic() {
        for magic in
            ["CKD_P370", "CKD_C370", "CKD_S370", "CKD_P064", "CKD_C064", "CKD_S064", "FBA_C370", "FBA_S370", "FBA_C064"]
        {
            let form = Form::of(magic.as_bytes()).unwrap_or_else(|| panic!("{magic}"));
            assert_eq!(form.magic(), magic.as_bytes());
        }
        for magic in ["", "CKD_P37", "CKD_X370", "FBA_P370", "CKD_P390"] {
            assert_eq!(Form::of(magic.as_bytes()), None, "{magic}");
        }
    }

    #[test]
    fn models_of_one_size_are_told_apart() {
        for (name, told) in
            [("3380-A", false), ("3380-D", true), ("3380-J", true), ("3380-K", false), ("3390-9", false)]
        {
            let model = CkdModel::named(name).unwrap();
            let kind = Kind::of_model(model, model.cylinders);
            let header = Header::of_kind(kind, Packing::Packed, true);
            assert_eq!(header.model.is_some(), told, "{name}");
            let again = Header::decode(&header.encode()).unwrap();
            assert_eq!(again, header);
            assert_eq!(again.ckd(Path::new("x"), model.cylinders), Ok(kind), "{name}");
        }
    }

    #[test]
    fn a_header_survives_its_bytes() {
        let kind = Kind::Ckd { device: 0x3390, model: 2, cylinders: 20, heads: 15, track: 56832 };
        let header =
            Header { sequence: 1, last: 700, serial: *b"0123456789AB", ..Header::of_kind(kind, Packing::Plain, false) };
        assert_eq!(Header::decode(&header.encode()), Some(header));
        assert_eq!(header.encode()[32..500], [0; 500 - 32]);
        assert_eq!(header.ckd(Path::new("x"), 20), Ok(kind));
        assert!(Header { device: 0x77, ..header }.ckd(Path::new("x"), 20).is_err());
        assert!(Header { heads: 0, ..header }.ckd(Path::new("x"), 20).is_err());
    }
}
