//! The units in which images keep a disk: tracks, or groups of 120 blocks.

use super::codec::{self, PREFIX};
use crate::error::MediaError;
use crate::model::track::{Count, END, Track};
use crate::model::{Cchh, Kind};
use base::layout::U32;
use zerocopy::transmute;

/// Blocks of a group, and its bytes.
pub(crate) const GROUP: u64 = 120;
pub(crate) const GROUP_BYTES: usize = GROUP as usize * Kind::BLOCK;

/// What units of a new image look like that are not stored: a track has record 0 only.
pub(crate) fn null_format(kind: Kind) -> u8 {
    match kind {
        Kind::Ckd { .. } => 1,
        Kind::Fba { .. } => 0,
    }
}

/// How many units a volume has.
pub(crate) fn count(kind: Kind) -> u32 {
    match kind {
        Kind::Ckd { .. } => kind.tracks(),
        Kind::Fba { blocks, .. } => blocks.div_ceil(GROUP) as u32,
    }
}

/// The four bytes that tell which unit it is.
pub(crate) fn id(kind: Kind, unit: u32) -> Result<[u8; 4], MediaError> {
    match kind {
        Kind::Fba { .. } => Ok(U32::new(unit).to_bytes()),
        Kind::Ckd { .. } => {
            let (cylinder, head) = kind.home(unit)?;
            Ok(transmute!(Cchh::new(cylinder, head)))
        }
    }
}

/// Bytes of group `unit` that the volume has: the last group may be shorter than others.
pub(crate) fn group_bytes(kind: Kind, unit: u32) -> usize {
    let rest = kind.blocks().saturating_sub(u64::from(unit) * GROUP);
    rest.min(GROUP) as usize * Kind::BLOCK
}

/// The bytes of a unit from its form in the file.
pub(crate) fn decode(kind: Kind, unit: u32, bytes: &[u8]) -> Result<Vec<u8>, MediaError> {
    let id = id(kind, unit)?;
    match kind {
        Kind::Fba { .. } => {
            let mut group = codec::unpack(bytes, id, GROUP_BYTES)?;
            group.resize(GROUP_BYTES, 0);
            Ok(group)
        }
        Kind::Ckd { track, .. } => {
            let body = codec::unpack(bytes, id, (track as usize).saturating_sub(PREFIX))?;
            let mut image = Vec::with_capacity(PREFIX + body.len());
            image.push(0);
            image.extend_from_slice(&id);
            image.extend_from_slice(&body);
            Ok(image)
        }
    }
}

/// A unit's bytes if they are what they must be.
pub(crate) fn checked(kind: Kind, unit: u32, bytes: Option<Vec<u8>>) -> Result<Option<Vec<u8>>, MediaError> {
    let Some(bytes) = bytes else { return Ok(None) };
    if matches!(kind, Kind::Fba { .. }) {
        return Ok(Some(bytes));
    }
    let track = parsed(kind, unit, bytes)?;
    Ok(Some(track.image().to_vec()))
}

/// The track in `bytes`, if they have a track's structure and home address.
pub(crate) fn parsed(kind: Kind, unit: u32, bytes: Vec<u8>) -> Result<Track, MediaError> {
    let home = kind.home(unit)?;
    let place = || format!("track {unit} (cylinder {}, head {})", home.0, home.1);
    let track = Track::from_image(bytes);
    let track = track.ok_or_else(|| MediaError::Damaged(format!("{} has no valid structure", place())))?;
    if track.home() != home {
        return Err(MediaError::Damaged(format!("{} has another track's home address", place())));
    }
    Ok(track)
}

/// The bytes of a track that is not stored; `None` for an unknown format.
pub(crate) fn null_track(format: u8, (cylinder, head): (u16, u16)) -> Option<Vec<u8>> {
    let records = match format {
        0 => 1,
        1 => 0,
        2 => 12,
        _ => return None,
    };
    let mut track = Track::new(cylinder, head);
    for record in 1..=records {
        let data = if format == 2 { 4096 } else { 0 };
        let end = track.image().len() - END.len();
        let count = Count { cylinder, head, record, key: 0, data };
        track.format(end, count, &[], &vec![0; data.into()]);
    }
    Some(track.image().to_vec())
}

/// Whether `image` is the null track of `format`. Lengths tell most tracks apart at once.
pub(crate) fn is_null_track(image: &[u8], format: u8, home: (u16, u16)) -> bool {
    let length = match format {
        0 => 37,
        1 => 29,
        2 => 29 + 12 * 4104,
        _ => return false,
    };
    image.len() == length && null_track(format, home).as_deref() == Some(image)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_tracks() {
        for format in 0..3 {
            let image = null_track(format, (3, 4)).unwrap();
            assert!(is_null_track(&image, format, (3, 4)));
            assert!(!is_null_track(&image, format, (3, 5)));
            assert!(Track::from_image(image).is_some());
        }
        assert_eq!(null_track(3, (0, 0)), None);
    }
}
