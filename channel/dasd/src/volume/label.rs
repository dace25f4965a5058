//! Volume labels and tables of contents: what tells one disk from another, and what lies on it.
//!
//! They are laid out as DFSMSdfp Advanced Services, "Using the VTOC", says. The volume label is record 3 of track 0
//! (block 1 of a fixed-block volume). Data set control blocks (DSCBs) have a 44-byte key and 96 bytes of data.

use super::Volume;
use crate::error::MediaError;
use crate::format::vtoc::{
    DATA, DataExtent, Format1, Format4, Format5, Format7, FreeExtent, FreeTracks, KEY, LabelHead, LabelName,
    RecordPlace, VolumeLabel,
};
use crate::model::track::{Count, Record, Track};
use crate::model::{Cchh, CkdModel, Kind};
use base::ebcdic;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// What the label says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// VOL1, LNX1 (Linux without a table of contents) or CMS1.
    pub kind: String,
    /// The volume serial.
    pub volser: String,
    /// Where the VTOC's first record is, if the label names one: track, and record.
    pub vtoc: Option<(Cchh, u8)>,
}

/// A data set of the VTOC.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataSet {
    /// Its data set name.
    pub name: String,
    /// Cylinder and head of the first and the last track of each extent.
    pub extents: Vec<[(u32, u32); 2]>,
}

/// Whether `name` can be a volume serial: one to six letters, digits and national characters.
pub fn is_volser(name: &str) -> bool {
    let legal = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || "$#@-_".contains(c);
    (1..=6).contains(&name.len()) && name.chars().all(legal)
}

/// Writes a label to an empty volume. Count-key-data volumes get IPL records that load a disabled wait, the label, and
/// on the second track a VTOC. In the VTOC everything after that track is free. Blocks that the first track has after
/// its third record stay there: that is Linux's compatible disk layout.
pub fn write(volume: &dyn Volume, volser: &str) -> Result<(), MediaError> {
    match volume.kind() {
        Kind::Fba { .. } => {
            let mut block = [0; Kind::BLOCK];
            vol1(volser, RecordPlace::default()).write_to_prefix(&mut block).expect("a block holds it");
            volume.write_blocks(1, &block)
        }
        Kind::Ckd { device, model, cylinders, heads, .. } => {
            let Some(model) = CkdModel::of(device, model, cylinders) else { return Err(MediaError::WrongKind) };
            let count = |record, key, data| Count { cylinder: 0, head: 0, record, key, data };
            let mut track = Track::new(0, 0);
            // PSW: disabled wait, code 00000F; no further CCWs.
            let mut ipl = [0; 24];
            ipl[1] = 0x0A;
            ipl[7] = 0x0F;
            add(&mut track, count(1, 4, 24), &ebcdic::padded::<4>("IPL1"), &ipl);
            add(&mut track, count(2, 4, 144), &ebcdic::padded::<4>("IPL2"), &[0; 144]);
            let name = ebcdic::padded::<4>("VOL1");
            add(&mut track, count(3, 4, 80), &name, vol1(volser, VTOC).as_bytes());
            let before = volume.read_track(0)?;
            for block in before.records().filter(|record| record.count.record > 3 && record.key.is_empty()) {
                add(&mut track, block.count, &[], block.data);
            }
            volume.write_track(0, &track)?;
            volume.write_track(1, &vtoc(model, cylinders, heads))
        }
    }
}

fn add(track: &mut Track, count: Count, key: &[u8], data: &[u8]) {
    let end = track.records().last().expect("record 0").end();
    track.format(end, count, key, data);
}

/// Where the VTOC of a new volume begins.
const VTOC: RecordPlace = RecordPlace { track: Cchh::new(0, 1), record: 1 };

fn vol1(volser: &str, vtoc: RecordPlace) -> VolumeLabel {
    let name = LabelName { kind: ebcdic::padded("VOL1"), volser: ebcdic::padded(volser) };
    VolumeLabel {
        head: LabelHead { name, security: ebcdic::BLANK, vtoc },
        reserved_10: [ebcdic::BLANK; 21],
        owner: ebcdic::padded("ENDICOTT"),
        reserved_33: [ebcdic::BLANK; 29],
    }
}

/// A VTOC of one track: itself (format 4), the free space (format 5; of a volume with more than 65,535 tracks format 7,
/// after an empty format 5), and as many empty DSCBs as fit. Cylinders from 65,520 on are for data sets whose extents
/// are multiples of 21 cylinders; which byte of format 4 has that number is in no text at hand, so no flag says it.
fn vtoc(model: &CkdModel, cylinders: u32, heads: u32) -> Track {
    let per_track = model.records(KEY as u32, DATA as u32).min(255) as u8;
    let extended = cylinders * heads > 0xffff;
    let used = if extended { 3 } else { 2 };
    let mut four = Format4 {
        id: Format4::ID,
        highest: RecordPlace { record: used, ..VTOC },
        free: u16::from(per_track.saturating_sub(used)).into(),
        alternate: Cchh::of(cylinders, 0),
        count: 1,
        size: Cchh::new(cylinders.min(Format4::MORE.into()) as u16, heads as u16),
        track: (model.track as u16).into(),
        flags: 0x30,
        dscbs: per_track,
        directory_blocks: model.records(8, 256).min(255) as u8,
        vtoc: DataExtent { kind: 1, sequence: 0, first: VTOC.track, last: VTOC.track },
        ..Format4::default()
    };
    // Free from track 2 on: whole cylinders, and the tracks beside them.
    let mut five = Format5 { key: Format5::KEY, id: Format5::ID, ..Format5::default() };
    let mut seven = Format7 { key: Format7::KEY, id: Format7::ID, ..Format7::default() };
    if extended {
        four.indicators = Format4::EXTENDED;
        (four.level, four.free_space) = (Format4::LEVEL, RecordPlace { record: 3, ..VTOC });
        seven.first[0] = FreeTracks { from: 2.into(), to: (cylinders * heads).into() };
    } else {
        let (whole, tracks) = (cylinders.saturating_sub(1) as u16, heads.saturating_sub(2) as u8);
        five.first[0] = FreeExtent { track: 2.into(), cylinders: whole.into(), tracks };
    }
    if cylinders > 65_520 {
        four.cylinders = cylinders.into();
        four.more_flags = 0x40;
    }
    let mut track = Track::new(0, 1);
    for record in 1..=per_track {
        let (key, data) = match record {
            1 => (&[Format4::KEY; KEY][..], four.as_bytes()),
            2 => five.as_bytes().split_at(KEY),
            3 if extended => seven.as_bytes().split_at(KEY),
            _ => (&[0; KEY][..], &[0; DATA][..]),
        };
        let count = Count { cylinder: 0, head: 1, record, key: KEY as u8, data: DATA as u16 };
        add(&mut track, count, key, data);
    }
    track
}

/// The label of a volume; `None` if it has none that is known.
pub fn read(volume: &dyn Volume) -> Result<Option<Label>, MediaError> {
    match volume.kind() {
        Kind::Fba { blocks, .. } => {
            let mut block = [0; Kind::BLOCK];
            if blocks > 1 {
                volume.read_blocks(1, &mut block)?;
            }
            Ok(decode(&block, false))
        }
        Kind::Ckd { .. } => {
            let track = volume.read_track(0)?;
            let third = track.records().find(|record| record.count.record == 3);
            Ok(third.and_then(|record| decode(record.data, true)))
        }
    }
}

fn decode(bytes: &[u8], ckd: bool) -> Option<Label> {
    let (name, _) = LabelName::ref_from_prefix(bytes).ok()?;
    let text = |bytes: &[u8]| ebcdic::to_string(bytes).trim_end().to_string();
    let kind = text(&name.kind);
    let vtoc = match kind.as_str() {
        "VOL1" if ckd => {
            let RecordPlace { track, record } = LabelHead::ref_from_prefix(bytes).ok()?.0.vtoc;
            Some((track, record)).filter(|place| *place != (Cchh::default(), 0))
        }
        "VOL1" | "LNX1" | "CMS1" => None,
        _ => return None,
    };
    Some(Label { kind, volser: text(&name.volser).chars().filter(|c| !c.is_control()).collect(), vtoc })
}

/// The data sets of a volume; `None` if its label names no VTOC, or there is none where it says.
pub fn data_sets(volume: &dyn Volume) -> Result<Option<Vec<DataSet>>, MediaError> {
    let kind = volume.kind();
    let (Kind::Ckd { heads, .. }, Some(four)) = (kind, format4(volume)?) else { return Ok(None) };
    let Some([from, to]) = extent(kind, &four.vtoc) else { return Ok(None) };
    let place = |(cylinder, head): (u32, u32)| cylinder.saturating_mul(heads).saturating_add(head);
    // A damaged VTOC is not looked for through the whole volume: none has more than a hundred cylinders.
    let last = place(to).min(kind.tracks() - 1).min(place(from).saturating_add(100 * heads));
    let mut found = Vec::new();
    for track in place(from)..=last {
        let track = volume.read_track(track)?;
        found.extend(track.records().filter_map(|record| {
            let file = dscb::<Format1>(record, &[Format1::ID, Format1::ID_8])?;
            let name = ebcdic::to_string(record.key).trim_end().to_string();
            let extents = file.extents.iter().take(file.count.into());
            Some(DataSet { name, extents: extents.filter_map(|found| extent(kind, found)).collect() })
        }));
    }
    Ok(Some(found))
}

/// How many cylinders the VTOC says that the volume has; `None` if there is no VTOC.
pub fn cylinders(volume: &dyn Volume) -> Result<Option<u32>, MediaError> {
    Ok(format4(volume)?.map(|four| match four.size.get() {
        (Format4::MORE, _) => four.cylinders.get(),
        (cylinders, _) => cylinders.into(),
    }))
}

/// The DSCB of the VTOC itself, where the label says it is.
fn format4(volume: &dyn Volume) -> Result<Option<Format4>, MediaError> {
    let Some(Label { vtoc: Some((place, record)), .. }) = read(volume)? else { return Ok(None) };
    let Some(first) = volume.kind().track_at(place) else { return Ok(None) };
    let track = volume.read_track(first)?;
    let mut found = track.records().filter(|found| found.count.record == record);
    Ok(found.find_map(|found| dscb::<Format4>(found, &[Format4::ID]).copied()))
}

/// The data of a record that is a DSCB of one of these formats.
fn dscb<'a, T: FromBytes + KnownLayout + Immutable>(record: Record<'a>, ids: &[u8]) -> Option<&'a T> {
    let known = record.key.len() == KEY && record.data.first().is_some_and(|id| ids.contains(id));
    T::ref_from_bytes(record.data).ok().filter(|_| known)
}

/// Cylinder and head of the first and the last track of an extent; `None` if there is none.
fn extent(kind: Kind, extent: &DataExtent) -> Option<[(u32, u32); 2]> {
    (extent.kind != 0).then(|| [extent.first, extent.last].map(|address| address.place(kind.wide())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Memory;
    use crate::model::FbaModel;

    #[test]
    fn a_new_volume_has_a_label_and_an_empty_vtoc() {
        for name in ["2314", "3330", "3350", "3375", "3380", "3390-3", "9345"] {
            let volume = Memory::ckd(CkdModel::named(name).unwrap(), 100);
            assert_eq!(read(&volume), Ok(None));
            write(&volume, "WORK01").unwrap();
            let label = read(&volume).unwrap().unwrap();
            assert_eq!(
                (label.kind.as_str(), label.volser.as_str(), label.vtoc),
                ("VOL1", "WORK01", Some((Cchh::new(0, 1), 1)))
            );
            assert_eq!((data_sets(&volume), cylinders(&volume)), (Ok(Some(Vec::new())), Ok(Some(100))), "{name}");
        }
        let volume = Memory::fba(FbaModel::named("9336").unwrap(), 100);
        write(&volume, "FB1").unwrap();
        assert_eq!(read(&volume).unwrap().unwrap().volser, "FB1");
        assert_eq!(data_sets(&volume), Ok(None));
    }

    #[test]
    fn a_label_is_read_as_far_as_it_goes() {
        let labelled = |kind: &str, length: usize| {
            let volume = Memory::ckd(CkdModel::named("3390").unwrap(), 10);
            let mut bytes =
                [&ebcdic::padded::<4>(kind)[..], &ebcdic::padded::<6>("LIN001"), &[0, 0, 0, 0, 1, 1]].concat();
            bytes.truncate(length);
            let mut track = Track::new(0, 0);
            add(&mut track, Count { cylinder: 0, head: 0, record: 3, key: 0, data: length as u16 }, &[], &bytes);
            volume.write_track(0, &track).unwrap();
            read(&volume).unwrap()
        };
        for kind in ["LNX1", "CMS1"] {
            let label = labelled(kind, 10).expect("kind and serial are there");
            assert_eq!((label.kind.as_str(), label.volser.as_str(), label.vtoc), (kind, "LIN001", None));
            assert_eq!((labelled(kind, 16), labelled(kind, 9)), (Some(label), None));
        }
        // VOL1 says where the VTOC is, too.
        assert_eq!(labelled("VOL1", 15), None);
        assert_eq!(labelled("VOL1", 16).expect("it is complete").vtoc, Some((Cchh::new(0, 1), 1)));
        assert_eq!(labelled("VOL2", 16), None);
    }

    #[test]
    fn blocks_of_the_first_track_stay_behind_the_label() {
        let volume = Memory::ckd(CkdModel::named("3390").unwrap(), 10);
        let mut track = Track::new(0, 0);
        for record in 1..=12 {
            add(&mut track, Count { cylinder: 0, head: 0, record, key: 0, data: 4096 }, &[], &[record; 4096]);
        }
        volume.write_track(0, &track).unwrap();
        write(&volume, "LIN001").unwrap();
        let track = volume.read_track(0).unwrap();
        let found: Vec<_> = track.records().map(|record| (record.count.key, record.data.len())).collect();
        assert_eq!(found[..5], [(0, 8), (4, 24), (4, 144), (4, 80), (0, 4096)]);
        assert_eq!((found.len(), track.records().last().unwrap().data), (13, &[12; 4096][..]));
    }

    #[test]
    fn data_sets_are_found() {
        let volume = Memory::ckd(CkdModel::named("3390").unwrap(), 100);
        write(&volume, "LIN001").unwrap();
        let mut track = (*volume.read_track(1).unwrap()).clone();
        let third = track.records().nth(3).unwrap().at;
        let mut data = [0; DATA];
        data[0] = 0xF1;
        data[59 - KEY] = 1;
        data[105 - KEY..115 - KEY].copy_from_slice(&[1, 0, 0, 0, 0, 2, 0, 99, 0, 14]);
        track.update(third, Some(&ebcdic::padded::<44>("LINUX.VLIN001.PART0001.NATIVE")), Some(&data));
        volume.write_track(1, &track).unwrap();
        let found = data_sets(&volume).unwrap().unwrap();
        let extents = vec![[(0, 2), (99, 14)]];
        assert_eq!(found, [DataSet { name: "LINUX.VLIN001.PART0001.NATIVE".into(), extents }]);
    }

    /// DFSMSdfp Advanced Services, format-4 DSCB, and DFSMSdfp Diagnosis, format-7 DSCB: more than 65,535 tracks have
    /// their free space there, more than 65,520 cylinders are told in four bytes, and extents have 28-bit cylinders.
    #[test]
    fn large_volumes_say_how_large_they_are() {
        for (cylinders, tracks, large) in [(4369, 65_535, false), (4370, 65_550, true), (65_520, 982_800, true)] {
            let vtoc = vtoc(CkdModel::named("3390-9").unwrap(), cylinders, 15);
            let records: Vec<_> = vtoc.records().skip(1).collect();
            let four = Format4::ref_from_bytes(records[0].data).unwrap();
            assert_eq!((four.size.get(), four.cylinders.get()), ((cylinders as u16, 15), 0));
            assert_eq!((four.indicators, four.level), if large { (0xa0, 7) } else { (0, 0) });
            let found = [records[1], records[2]].map(|record| (record.key[0], record.data[0]));
            assert_eq!(found, if large { [(5, 0xf5), (7, 0xf7)] } else { [(5, 0xf5), (0, 0)] });
            let free = if large { records[2].key[4..12].to_vec() } else { records[1].key[4..9].to_vec() };
            let (whole, end) = ((cylinders as u16 - 1).to_be_bytes(), u32::to_be_bytes(tracks));
            let expected =
                if large { [&[0, 0, 0, 2], &end[..]].concat() } else { [&[0, 2], &whole[..], &[13]].concat() };
            assert_eq!(free, expected, "{cylinders}");
            assert_eq!(usize::from(four.free.get()), records.len() - if large { 3 } else { 2 });
        }
        let vtoc = vtoc(CkdModel::named("3390-A").unwrap(), 262_668, 15);
        let four = vtoc.records().nth(1).unwrap();
        let four = Format4::ref_from_bytes(four.data).unwrap();
        assert_eq!((four.size.get(), four.cylinders.get()), ((0xfffe, 15), 262_668));
        let kind = Kind::of_model(CkdModel::named("3390-A").unwrap(), 262_668);
        let [first, last] = [Cchh::of(65_536, 3), Cchh::of(262_667, 14)];
        assert_eq!((first.get(), last.get()), ((0, 0x13), (0x020b, 0x4e)));
        let extent = extent(kind, &DataExtent { kind: 1, sequence: 0, first, last });
        assert_eq!(extent, Some([(65_536, 3), (262_667, 14)]));
    }

    #[test]
    fn serials() {
        assert!(["A", "WORK01", "$$$$$$"].into_iter().all(is_volser));
        assert!(!["", "work01", "TOOLONG", "A B"].into_iter().any(is_volser));
    }
}
