//! What is not what was written is reported and never served: whatever byte of a file changes, and whatever a host that
//! ended has torn.

mod common;

use common::{Folder, blocks_of, small_3390, track_of};
use dasd::host::{Faults, Outcome, Request};
use dasd::{
    Count, Format, Image, ImageError, Kind, MediaError, Method, Options, Policy, Track, Volume, check, create, repair,
};
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};
use support::Random;

/// Where the slots of a plain 3390 are in its file.
const SLOTS: u64 = 512;
const SLOT: u64 = 56_832;

fn quiet(_: u64, _: u64) -> bool {
    true
}

fn reader() -> Options {
    Options { read_only: true, ..Options::default() }
}

fn sums_of(image: &Path) -> PathBuf {
    image.with_added_extension("sums")
}

/// A change that the medium makes: no program has written the file.
fn rot(path: &Path, at: u64, flip: u8) {
    let file = File::options().read(true).write(true).open(path).unwrap();
    let modified = file.metadata().unwrap().modified().unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, at).unwrap();
    file.write_all_at(&[byte[0] ^ flip], at).unwrap();
    file.set_modified(modified).unwrap();
}

/// Three blocks of 4096 bytes, which lie in several pages of the host.
fn with_blocks(track: u32, fill: u8) -> Track {
    let (cylinder, head) = ((track / 15) as u16, (track % 15) as u16);
    let mut new = Track::new(cylinder, head);
    for record in 1..=3 {
        let end = new.records().last().unwrap().end();
        new.format(end, Count { cylinder, head, record, key: 0, data: 4096 }, &[], &[fill; 4096]);
    }
    new
}

fn plain(folder: &Folder) -> PathBuf {
    let path = folder.path("vol.3390");
    create(&path, small_3390(2), Format::Plain).unwrap();
    let image = Image::open(&path, Options::default()).unwrap();
    (0..30).for_each(|track| image.write_track(track, &with_blocks(track, 1)).unwrap());
    path
}

fn damaged<T>(read: Result<T, MediaError>) -> bool {
    matches!(read, Err(MediaError::Damaged(_)))
}

#[test]
fn a_byte_that_changes_within_a_record_of_a_plain_file_is_found() {
    let folder = Folder::empty("damage-plain");
    let path = plain(&folder);
    rot(&path, SLOTS + 7 * SLOT + 6000, 1);
    let report = check(&path, &Options::default(), true, &mut quiet).unwrap();
    let [(7, why)] = &report.files[0].damaged[..] else { panic!("{report:?}") };
    assert!(!report.clean() && why.contains("cylinder 0, head 7"), "{why}");
    let image = Image::open(&path, Options::default()).unwrap();
    assert_eq!(image.notices(), [""; 0]);
    for track in 0..30 {
        match image.read_track(track) {
            Ok(found) => assert!(track != 7 && *found == with_blocks(track, 1), "track {track}"),
            Err(error) => assert!(track == 7 && damaged::<()>(Err(error))),
        }
    }
    // To write a record of it is no remedy, to write all of it is one.
    assert!(damaged(image.update_track(7, &mut |track| {
        track.update(13, None, Some(&[3; 8]));
        true
    })));
    image.write_track(7, &with_blocks(7, 2)).unwrap();
    assert_eq!(*image.read_track(7).unwrap(), with_blocks(7, 2));
    drop(image);
    assert!(check(&path, &Options::default(), true, &mut quiet).unwrap().clean());
}

#[test]
fn a_record_that_is_read_alone_is_found_damaged_too() {
    let folder = Folder::empty("damage-record");
    let path = folder.path("vol.3390");
    create(&path, small_3390(20), Format::Plain).unwrap();
    let image = Image::open(&path, Options::default()).unwrap();
    // More tracks than are kept in storage, so that the record is read from the file.
    (0..300).for_each(|track| image.write_track(track, &with_blocks(track, 1)).unwrap());
    let id = |track: u32| [0, (track / 15) as u8, 0, (track % 15) as u8, 2];
    let alone = (0..300).find_map(|track| Some((track, image.spot(track, id(track))?)));
    let (track, spot) = alone.expect("a track that is not in storage any more");
    let good = image.read_spot(track, spot).unwrap().unwrap();
    assert_eq!(good[Count::LEN..], [1; 4096]);
    rot(&path, SLOTS + u64::from(track) * SLOT + spot.at as u64 + 3000, 0x80);
    assert!(damaged(image.read_spot(track, spot)));
    assert!(damaged(image.write_spot(track, spot, &[5; 4096])));
}

#[test]
fn a_byte_that_changes_in_a_block_of_a_plain_file_is_found() {
    let folder = Folder::empty("damage-fba");
    let path = folder.path("vol.9336");
    create(&path, Kind::Fba { device: 0x9336, model: 0, blocks: 1003 }, Format::Plain).unwrap();
    let image = Image::open(&path, Options::default()).unwrap();
    image.write_blocks(1, &blocks_of(1002, 5)).unwrap();
    drop(image);
    rot(&path, 700 * 512 + 5, 4);
    let report = check(&path, &Options::default(), true, &mut quiet).unwrap();
    // Groups have 120 blocks.
    assert!(matches!(report.files[0].damaged[..], [(5, _)]), "{report:?}");
    let image = Image::open(&path, Options::default()).unwrap();
    assert!(damaged(image.read_blocks(600, &mut [0; 300 * 512])));
    assert!(damaged(image.read_blocks(700, &mut [0; 512])));
    let mut rest = vec![0; 250 * 512];
    image.read_blocks(753, &mut rest).unwrap();
    assert_eq!(rest, blocks_of(1002, 5)[752 * 512..]);
    // A write of eight blocks that are kept together needs none of the old ones.
    image.write_blocks(696, &[9; 8 * 512]).unwrap();
    image.read_blocks(600, &mut [0; 300 * 512]).unwrap();
}

#[test]
fn what_differs_from_its_sums_only_is_taken_by_repair_and_what_is_no_track_is_emptied() {
    let folder = Folder::empty("damage-repair");
    let path = plain(&folder);
    rot(&path, SLOTS + 7 * SLOT + 6000, 1);
    rot(&path, SLOTS + 9 * SLOT + 2, 1);
    let report = repair(&path, &Options::default(), &mut quiet).unwrap();
    let [(9, _)] = report.files[0].damaged[..] else { panic!("{report:?}") };
    assert_eq!(report.files[0].changed, [7]);
    assert!(check(&path, &Options::default(), true, &mut quiet).unwrap().clean());
    let image = Image::open(&path, reader()).unwrap();
    assert_eq!(*image.read_track(9).unwrap(), Track::new(0, 9));
    let taken = image.read_track(7).unwrap();
    let differ = taken.image().iter().zip(with_blocks(7, 1).image()).filter(|(now, before)| now != before).count();
    assert_eq!(differ, 1);
}

#[test]
fn a_repair_that_is_stopped_while_it_lengthens_a_file_is_done_by_the_next_one() {
    let folder = Folder::empty("damage-stopped");
    let path = plain(&folder);
    let tracks = small_3390(2).tracks();
    File::options().write(true).open(&path).unwrap().set_len(SLOTS + 5 * SLOT + 100).unwrap();
    let stopped = repair(&path, &Options::default(), &mut |done, of| {
        assert_eq!(of, u64::from(tracks - 5));
        done < 3
    });
    assert!(matches!(stopped, Err(ImageError::Interrupted)), "{stopped:?}");
    assert!(matches!(Image::open(&path, reader()), Err(ImageError::Cut { .. })));
    let report = repair(&path, &Options::default(), &mut quiet).unwrap();
    assert!(report.files[0].damaged.iter().map(|(track, _)| *track).eq(5..tracks), "{report:?}");
    let image = Image::open(&path, reader()).unwrap();
    assert_eq!(*image.read_track(4).unwrap(), with_blocks(4, 1));
    let empty = |track: u32| Track::new((track / 15) as u16, (track % 15) as u16);
    (5..tracks).for_each(|track| assert_eq!(*image.read_track(track).unwrap(), empty(track)));
}

#[test]
fn what_another_program_writes_is_taken_and_told() {
    let folder = Folder::empty("damage-alien");
    let path = plain(&folder);
    let file = File::options().write(true).open(&path).unwrap();
    file.write_all_at(&[7; 100], SLOTS + 11 * SLOT + 3000).unwrap();
    file.set_modified(SystemTime::now() + Duration::from_secs(1)).unwrap();
    drop(file);
    // A program that only reads changes nothing.
    for _ in 0..2 {
        let report = check(&path, &Options::default(), true, &mut quiet).unwrap();
        assert!(!report.clean());
        assert_eq!((&report.files[0].damaged[..], &report.files[0].changed[..]), (&[][..], &[11][..]));
    }
    let image = Image::open(&path, Options::default()).unwrap();
    let [notice] = &image.notices()[..] else { panic!("{:?}", image.notices()) };
    assert!(notice.starts_with(&format!("{} has been written by another program", path.display())), "{notice}");
    assert!(image.read_track(11).unwrap().image()[3000..3100] == [7; 100]);
    drop(image);
    assert!(check(&path, &Options::default(), true, &mut quiet).unwrap().clean());
    assert_eq!(Image::open(&path, Options::default()).unwrap().notices(), [""; 0]);
    // From now on it is as it was taken.
    rot(&path, SLOTS + 11 * SLOT + 3050, 2);
    assert!(damaged(Image::open(&path, reader()).unwrap().read_track(11)));
}

#[test]
fn sums_say_nothing_about_another_file_that_has_got_the_name() {
    let folder = Folder::empty("damage-other");
    let path = plain(&folder);
    let other = folder.path("other");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[(SLOTS + 11 * SLOT) as usize + 3000] ^= 1;
    std::fs::write(&other, &bytes).unwrap();
    // Hosts tell times in steps of some milliseconds.
    File::options().write(true).open(&other).unwrap().set_modified(SystemTime::now() + Duration::from_secs(1)).unwrap();
    std::fs::rename(&other, &path).unwrap();
    assert!(check(&path, &Options::default(), true, &mut quiet).unwrap().clean());
    let image = Image::open(&path, Options::default()).unwrap();
    assert_eq!(image.notices(), [""; 0]);
    assert!(image.read_track(11).is_ok());
}

/// A volume with a write in flight when its host ended: what the medium has of the image, page by page, and the table
/// as it was noted. Whether the track is served, and what.
fn host_ended(folder: &Folder, pages_written: u64) -> Result<Track, MediaError> {
    let path = plain(folder);
    let image = Image::open(&path, Options { policy: Policy::Lazy, ..Options::default() }).unwrap();
    let old = std::fs::read(&path).unwrap();
    image.write_track(4, &with_blocks(4, 2)).unwrap();
    let new = std::fs::read(&path).unwrap();
    let mut noted = std::fs::read(sums_of(&path)).unwrap();
    drop(image);
    let first = ((SLOTS + 4 * SLOT) / 4096 * 4096) as usize;
    let middle = first + pages_written as usize * 4096;
    let torn = [&old[..first], &new[first..middle], &old[middle..]].concat();
    // Another boot than this one, and a time before it.
    noted[24..40].fill(0x55);
    std::fs::write(sums_of(&path), noted).unwrap();
    let file = File::options().write(true).open(&path).unwrap();
    file.write_all_at(&torn, 0).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)).unwrap();
    let image = Image::open(&path, Options::default()).unwrap();
    assert_eq!(image.notices(), [""; 0]);
    let others = (0..30).filter(|&track| track != 4);
    others.for_each(|track| assert_eq!(*image.read_track(track).unwrap(), with_blocks(track, 1)));
    image.read_track(4).map(|track| (*track).clone())
}

#[test]
fn a_write_that_the_end_of_the_host_tore_is_found() {
    let served: Vec<Option<u8>> = (0..=4)
        .map(|pages| {
            let folder = Folder::empty(&format!("damage-torn-{pages}"));
            match host_ended(&folder, pages) {
                Ok(track) => [1, 2].into_iter().find(|&fill| track == with_blocks(4, fill)),
                Err(error) => None.filter(|_: &u8| !damaged::<()>(Err(error.clone()))),
            }
        })
        .collect();
    assert_eq!(served, [Some(1), None, None, None, Some(2)]);
}

#[test]
fn who_was_killed_between_sums_and_data_has_the_old_data() {
    let folder = Folder::empty("damage-between");
    let path = plain(&folder);
    let old = std::fs::read(&path).unwrap();
    let image = Image::open(&path, Options { policy: Policy::Lazy, ..Options::default() }).unwrap();
    image.write_track(4, &with_blocks(4, 2)).unwrap();
    let noted = std::fs::read(sums_of(&path)).unwrap();
    drop(image);
    let file = File::options().write(true).open(&path).unwrap();
    file.write_all_at(&old, 0).unwrap();
    std::fs::write(sums_of(&path), noted).unwrap();
    let report = check(&path, &Options::default(), true, &mut quiet).unwrap();
    assert!(report.clean(), "{report:?}");
    let image = Image::open(&path, Options::default()).unwrap();
    assert_eq!(*image.read_track(4).unwrap(), with_blocks(4, 1));
    image.write_track(4, &with_blocks(4, 3)).unwrap();
    drop(image);
    assert!(check(&path, &Options::default(), true, &mut quiet).unwrap().clean());
}

#[test]
fn a_host_that_has_no_room_for_sums_leaves_what_was_there() {
    let folder = Folder::empty("damage-full");
    let path = plain(&folder);
    let full = Arc::new(AtomicBool::new(false));
    let faults: Arc<dyn Faults> = Arc::new({
        let full = full.clone();
        move |request| match request {
            Request::Write { length: 16..=224, .. } if full.load(Ordering::Relaxed) => {
                Outcome::Fail(io::ErrorKind::StorageFull.into())
            }
            _ => Outcome::Pass,
        }
    });
    let image = Image::open(&path, Options { faults: Some(faults.clone()), ..Options::default() }).unwrap();
    full.store(true, Ordering::Relaxed);
    let refused = image.write_track(4, &with_blocks(4, 2)).unwrap_err().to_string();
    assert!(refused.contains("vol.3390.sums: "), "{refused}");
    drop(image);
    // A program that only reads needs no room, and no table of sums.
    for sums in [true, false] {
        let options = Options { faults: Some(faults.clone()), ..Options::default() };
        if !sums {
            std::fs::remove_file(sums_of(&path)).unwrap();
        }
        let image = Image::open(&path, options).unwrap();
        (0..30).for_each(|track| assert_eq!(*image.read_track(track).unwrap(), with_blocks(track, 1)));
        drop(image);
        assert_eq!(sums_of(&path).exists(), sums);
    }
    full.store(false, Ordering::Relaxed);
    let image = Image::open(&path, Options { faults: Some(faults), ..Options::default() }).unwrap();
    assert_eq!(*image.read_track(4).unwrap(), with_blocks(4, 1));
    image.write_track(4, &with_blocks(4, 2)).unwrap();
    drop(image);
    assert!(check(&path, &Options::default(), true, &mut quiet).unwrap().clean());
}

/// Of every byte that is changed, in the image or in its sums: each track is what was written, or is reported.
#[test]
fn no_track_is_served_that_is_not_what_was_written() {
    let formats = [
        Format::Plain,
        Format::Compressed { wide: false, method: Method::Zlib },
        Format::Compressed { wide: true, method: Method::Bzip2 },
        Format::Compressed { wide: true, method: Method::None },
    ];
    let kind = small_3390(2);
    let mut random = Random::seeded(11);
    for format in formats {
        let folder = Folder::empty("damage-any");
        let path = folder.path("vol.3390");
        create(&path, kind, format).unwrap();
        let image = Image::open(&path, Options::default()).unwrap();
        let model: HashMap<u32, Track> =
            (0..30).map(|track| (track, track_of(kind, track, 3 + u64::from(track)))).collect();
        (0..30).for_each(|track| image.write_track(track, &model[&track]).unwrap());
        drop(image);
        let (mut reported, length) = (0, std::fs::metadata(&path).unwrap().len());
        for _ in 0..1500 {
            let in_sums = format == Format::Plain && random.one_in(5);
            let file = if in_sums { sums_of(&path) } else { path.clone() };
            let at = random.below(if in_sums { 4096 + 30 * 14 * 16 } else { length });
            let flip = 1 << random.below(8);
            rot(&file, at, flip);
            match Image::open(&path, reader()) {
                Ok(image) => {
                    for (&track, wanted) in &model {
                        match image.read_track(track) {
                            Ok(found) => assert!(*found == *wanted, "{format:?}: {at} ^ {flip}: track {track}"),
                            Err(error) => reported += usize::from(damaged::<()>(Err(error))),
                        }
                    }
                }
                Err(_) => reported += 1,
            }
            rot(&file, at, flip);
        }
        assert!(reported > 50, "{format:?}: {reported} reported");
    }
}
