//! Images as a whole: plain and compressed, of several files, damaged, closed and written again.

use super::files::LOOSE;
use super::layer::packed::Place;
use super::*;
use crate::host::{Outcome, Request, Room};
use crate::model::CkdModel;
use crate::{Count, create};
use std::sync::atomic::{AtomicBool, Ordering};
use support::folder::Folder;

fn plain(folder: &Folder, name: &str, cylinders: u32) -> PathBuf {
    let path = folder.path(name);
    let kind = Kind::of_model(CkdModel::named("3390").unwrap(), cylinders);
    create(&path, kind, Format::Plain).unwrap();
    path
}

fn with_record(cylinder: u16, head: u16, fill: u8) -> Track {
    let mut track = Track::new(cylinder, head);
    for record in 1..=12 {
        let end = track.records().last().unwrap().end();
        track.format(end, Count { cylinder, head, record, key: 0, data: 4096 }, &[], &[fill; 4096]);
    }
    track
}

#[test]
fn a_plain_volume_keeps_its_tracks() {
    let folder = Folder::empty("image-plain");
    let path = plain(&folder, "a.3390", 3);
    let volume = open(&path).unwrap();
    assert_eq!(volume.kind(), Kind::Ckd { device: 0x3390, model: 2, cylinders: 3, heads: 15, track: 56832 });
    for fill in [1, 2] {
        volume.write_track(17, &with_record(1, 2, fill)).unwrap();
        assert_eq!(*volume.read_track(17).unwrap(), with_record(1, 2, fill));
    }
    // A track of another place gets this place's home address.
    volume.write_track(18, &with_record(0, 0, 3)).unwrap();
    assert_eq!(volume.read_track(18).unwrap().home(), (1, 3));
    assert_eq!(volume.read_track(45).err(), Some(MediaError::Outside));
    drop(volume);
    assert!(!journal_of(&path).exists());
    let volume = Image::open(&path, Options { read_only: true, ..Options::default() }).unwrap();
    assert_eq!(*volume.read_track(17).unwrap(), with_record(1, 2, 2));
    assert_eq!(volume.write_track(17, &with_record(1, 2, 1)).err(), Some(MediaError::ReadOnly));
}

fn journal_of(path: &Path) -> PathBuf {
    crate::image::layer::journal::path_of(path)
}

#[test]
fn a_new_disk_has_nothing_of_one_that_had_its_name() {
    let folder = Folder::empty("image-again");
    let path = plain(&folder, "a.3390", 1);
    let mut written = Track::new(0, 3);
    for (record, (length, fill)) in (1..).zip([(100, 9), (30_000, 0), (100, 9)]) {
        let end = written.records().last().unwrap().end();
        let count = Count { cylinder: 0, head: 3, record, key: 0, data: length };
        written.format(end, count, &[], &vec![fill; length.into()]);
    }
    let volume = open(&path).unwrap();
    volume.write_track(3, &written).unwrap();
    let journal = std::fs::read(journal_of(&path)).unwrap();
    let shadow = volume.snapshot().unwrap();
    drop(volume);
    // As if its process had been killed, the journal is there; then the disk is removed, and nothing else.
    std::fs::write(journal_of(&path), &journal).unwrap();
    std::fs::remove_file(&path).unwrap();
    let kind = Kind::of_model(CkdModel::named("3390").unwrap(), 1);
    let refused = create(&path, kind, Format::Plain).unwrap_err().to_string();
    assert!(refused.starts_with(&format!("{} exists: ", shadow.display())), "{refused}");
    std::fs::remove_file(shadow).unwrap();
    create(&path, kind, Format::Plain).unwrap();
    assert!(!journal_of(&path).exists());
    assert_eq!(*open(&path).unwrap().read_track(3).unwrap(), Track::new(0, 3));
    // Nor if the journal is put back: pages that the write did not change do not make it look begun.
    std::fs::write(journal_of(&path), &journal).unwrap();
    std::fs::remove_file(crate::image::layer::sums::path_of(&path)).unwrap();
    assert_eq!(*open(&path).unwrap().read_track(3).unwrap(), Track::new(0, 3));
}

#[test]
fn several_files_are_one_volume() {
    let folder = Folder::empty("image-files");
    let (one, two) = (plain(&folder, "vol_1.3390", 3), plain(&folder, "vol_2.3390", 2));
    // The second file's tracks begin with cylinder 3, and the headers tell of one another.
    for (path, sequence, last, first) in [(&one, 1, 2u16, 0), (&two, 2, 0, 3u16)] {
        let mut bytes = std::fs::read(path).unwrap();
        bytes[17] = sequence;
        bytes[18..20].copy_from_slice(&last.to_le_bytes());
        for n in 0..(bytes.len() - 512) / 56832 {
            let home = 512 + n * 56832;
            bytes[home + 1..home + 3].copy_from_slice(&(first + n as u16 / 15).to_be_bytes());
        }
        std::fs::write(path, bytes).unwrap();
        std::fs::remove_file(crate::image::layer::sums::path_of(path)).unwrap();
    }
    let volume = open(&one).unwrap();
    assert_eq!(volume.kind().tracks(), 75);
    volume.write_track(74, &with_record(4, 14, 5)).unwrap();
    drop(volume);
    assert_eq!(*open(&one).unwrap().read_track(74).unwrap(), with_record(4, 14, 5));
    std::fs::remove_file(&two).unwrap();
    assert!(matches!(open(&one), Err(ImageError::Host(_))));
}

#[test]
fn a_damaged_track_is_reported_not_served() {
    let folder = Folder::empty("image-damaged");
    let path = plain(&folder, "a.3390", 1);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[512 + 56832 + 4] = 9;
    bytes[512 + 2 * 56832..512 + 3 * 56832].fill(0);
    std::fs::write(&path, bytes).unwrap();
    let volume = open(&path).unwrap();
    assert!(volume.read_track(0).is_ok());
    assert!(matches!(volume.read_track(1), Err(MediaError::Damaged(_))));
    assert!(matches!(volume.read_track(2), Err(MediaError::Damaged(_))));
    // Writing the whole track anew repairs it.
    volume.write_track(1, &Track::new(0, 1)).unwrap();
    assert!(volume.read_track(1).is_ok());
}

#[test]
fn blocks_of_a_fixed_block_volume() {
    let folder = Folder::empty("image-fba");
    let path = folder.path("a.3370");
    std::fs::write(&path, vec![0; 1000 * 512]).unwrap();
    let volume = Image::open(&path, Options { device: Some(0x3370), ..Options::default() }).unwrap();
    assert_eq!(volume.kind(), Kind::Fba { device: 0x3370, model: 0, blocks: 1000 });
    volume.write_blocks(998, &[[1; 512], [2; 512]].concat()).unwrap();
    let mut read = [0; 512];
    volume.read_blocks(999, &mut read).unwrap();
    assert_eq!(read, [2; 512]);
    assert_eq!(volume.read_blocks(999, &mut [0; 1024]).err(), Some(MediaError::Outside));
    std::fs::write(folder.path("odd"), [0; 700]).unwrap();
    assert!(matches!(open(&folder.path("odd")), Err(ImageError::NotAnImage { .. })));
}

#[test]
fn a_closed_image_is_whole_for_others_and_opens_again_when_it_is_written() {
    let folder = Folder::empty("image-close");
    let path = folder.path("a.3390");
    let kind = Kind::of_model(CkdModel::named("3390").unwrap(), 3);
    create(&path, kind, Format::Compressed { wide: false, method: crate::Method::Zlib }).unwrap();
    let image = Image::open(&path, Options::default()).unwrap();
    // What another program finds in the file as it is now.
    let left_open = |track: u32, wanted: &Track| {
        let copy = folder.path("copy.3390");
        std::fs::copy(&path, &copy).unwrap();
        let other = Image::open(&copy, Options { read_only: true, ..Options::default() }).unwrap();
        assert_eq!(*other.read_track(track).unwrap(), *wanted);
        other.with_layers(|layers| layers[0].packed().is_some_and(|packed| packed.left_open()))
    };
    for n in 1..4 {
        let track = with_record(0, 3, n);
        image.write_track(3, &track).unwrap();
        assert!(left_open(3, &track));
        image.close().unwrap();
        assert!(!left_open(3, &track));
    }
}

#[test]
fn what_is_written_again_and_again_is_compressed_once() {
    let folder = Folder::empty("image-loose");
    let path = folder.path("a.3390");
    let kind = Kind::of_model(CkdModel::named("3390").unwrap(), 30);
    create(&path, kind, Format::Compressed { wide: true, method: crate::Method::Zlib }).unwrap();
    let image = Image::open(&path, Options::default()).unwrap();
    let stored = |image: &Image| {
        image.with_layers(|layers| match layers[0].packed().map(|packed| packed.place(17)) {
            Some(Place::At(entry)) => entry.length,
            _ => 0,
        })
    };
    image.write_track(17, &with_record(1, 2, 1)).unwrap();
    assert!(stored(&image) > 49_000, "as it is");
    // Written in the round before last, it is compressed; not what was written since.
    image.files.settle();
    image.files.settle();
    let small = stored(&image);
    assert!(small < 2000, "{small}");
    image.write_track(17, &with_record(1, 2, 2)).unwrap();
    image.files.tighten(|written| written < 2);
    assert!(stored(&image) > 49_000);
    assert_eq!(*image.read_track(17).unwrap(), with_record(1, 2, 2));
    // Not more at a time than there may be.
    for track in 0..LOOSE as u32 + 300 {
        image.write_track(track, &with_record((track / 15) as u16, (track % 15) as u16, 3)).unwrap();
    }
    assert_eq!(image.files.loose.lock().unwrap().len(), LOOSE);
    drop(image);
    let image = Image::open(&path, Options { read_only: true, ..Options::default() }).unwrap();
    assert!(stored(&image) < 2000, "closed, all of it is compressed");
    assert_eq!(*image.read_track(300).unwrap(), with_record(20, 0, 3));
}

#[test]
fn what_is_staged_in_runs_is_what_was_written_last() {
    const TRACKS: u32 = 15;
    let folder = Folder::empty("image-runs");
    let path = plain(&folder, "a.3390", TRACKS / 15);
    let whole = |track: u32, fill| with_record((track / 15) as u16, (track % 15) as u16, fill);
    for policy in [Policy::Safe, Policy::Lazy] {
        let image = Image::open(&path, Options { policy, ..Options::default() }).unwrap();
        (0..TRACKS).for_each(|track| image.write_track(track, &whole(track, 1)).unwrap());
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let (files, done) = (&image.files, &done);
            scope.spawn(move || {
                let mut room = Room::default();
                while !done.load(Ordering::Relaxed) {
                    (0..8).for_each(|unit| files.recent().remove(unit));
                    files.stage(0..8, &mut room);
                }
            });
            // Read again and again, so that what is staged meanwhile is seen, whenever that ends.
            let other = (0..10_000).find(|round| {
                let track = round * 5 % 8;
                let written = whole(track, *round as u8);
                image.write_track(track, &written).unwrap();
                (0..10).any(|_| *image.read_track(track).unwrap() != written)
            });
            done.store(true, Ordering::Relaxed);
            assert_eq!(other, None, "a round that read something else than it wrote");
        });
    }
}

#[test]
fn nobody_waits_for_who_failed_while_staging() {
    let folder = Folder::empty("image-failed");
    let path = plain(&folder, "a.3390", 1);
    let armed = Arc::new(AtomicBool::new(false));
    let faults = {
        let armed = armed.clone();
        move |_: Request| if armed.swap(false, Ordering::Relaxed) { panic!("made to order") } else { Outcome::Pass }
    };
    let image = Image::open(&path, Options { faults: Some(Arc::new(faults)), ..Options::default() }).unwrap();
    armed.store(true, Ordering::Relaxed);
    let stage = || image.files.stage(0..8, &mut Room::default());
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(stage)).is_err());
    assert!(image.files.staging.lock().unwrap().is_empty(), "a guest would wait for it for ever");
    assert_eq!(image.read_track(3).unwrap().home(), (0, 3));
}
