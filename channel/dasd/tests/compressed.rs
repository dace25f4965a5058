//! Images of every format against a plain model: what was written is read, by whatever way the image went since.

mod common;

use common::{Folder, blocks_of, small_3390, track_of};
use dasd::host::{Faults, Outcome, Request};
use dasd::{
    Existing, Format, Image, ImageError, Kind, MediaError, Method, Options, Policy, Track, Volume, check, copy, create,
    repair, rewrite, shadow_path,
};
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use support::Random;

const FORMATS: [Format; 5] = [
    Format::Plain,
    Format::Compressed { wide: false, method: Method::Zlib },
    Format::Compressed { wide: true, method: Method::Zlib },
    Format::Compressed { wide: false, method: Method::Bzip2 },
    Format::Compressed { wide: true, method: Method::None },
];

fn quiet(_: u64, _: u64) -> bool {
    true
}

fn clean(path: &Path) {
    let report = check(path, &Options::default(), true, &mut quiet).unwrap();
    assert!(report.clean(), "{report:?}");
}

fn compare(image: &Image, model: &HashMap<u32, u64>) {
    let kind = image.kind();
    for (&unit, &seed) in model {
        match kind {
            Kind::Ckd { .. } => assert_eq!(*image.read_track(unit).unwrap(), track_of(kind, unit, seed)),
            Kind::Fba { .. } => {
                let mut read = vec![0; 50 * 512];
                image.read_blocks(u64::from(unit), &mut read).unwrap();
                assert_eq!(read, blocks_of(50, seed));
            }
        }
    }
}

/// A story of writes, snapshots, merges, compactions and new starts.
fn story(format: Format, kind: Kind, seed: u64) {
    let folder =
        Folder::empty(&format!("story-{format:?}-{seed}-{}", kind.blocks()).replace([' ', '{', '}', ':', ','], ""));
    let path = folder.path("vol.dasd");
    create(&path, kind, format).unwrap();
    let mut random = Random::seeded(seed);
    let mut model: HashMap<u32, u64> = HashMap::new();
    let mut saved: Vec<HashMap<u32, u64>> = Vec::new();
    let policies = [Policy::Through, Policy::Safe, Policy::Lazy];
    let options = |random: &mut Random| Options { policy: policies[random.below(3)], ..Options::default() };
    let mut image = Image::open(&path, options(&mut random)).unwrap();
    for _ in 0..160 {
        match random.below(40) {
            0 => {
                drop(image);
                clean(&path);
                image = Image::open(&path, options(&mut random)).unwrap();
                compare(&image, &model);
            }
            1 if saved.len() < 3 => {
                image.snapshot().unwrap();
                saved.push(model.clone());
            }
            2 if !saved.is_empty() => {
                let merge = random.one_in(2);
                if merge { image.merge(&mut quiet) } else { image.discard() }.unwrap();
                let old = saved.pop().unwrap();
                if !merge {
                    model = old;
                }
                compare(&image, &model);
            }
            3 => {
                image.compact(&mut quiet).unwrap();
                compare(&image, &model);
            }
            4 => image.flush().unwrap(),
            _ => {
                let seed = random.word();
                match kind {
                    Kind::Ckd { .. } => {
                        let unit = random.below(kind.tracks());
                        image.write_track(unit, &track_of(kind, unit, seed)).unwrap();
                        model.insert(unit, seed);
                    }
                    Kind::Fba { blocks, .. } => {
                        // Runs of 50 blocks at every 100th: some lie in two groups.
                        let block = random.below(blocks / 100) * 100;
                        image.write_blocks(block, &blocks_of(50, seed)).unwrap();
                        model.insert(block as u32, seed);
                    }
                }
            }
        }
    }
    compare(&image, &model);
    drop(image);
    clean(&path);
}

#[test]
fn tracks_survive_in_every_format() {
    for format in FORMATS {
        for seed in 1..=2 {
            story(format, small_3390(40), seed);
        }
    }
}

#[test]
fn blocks_survive_in_every_format() {
    let kind = Kind::Fba { device: 0x9336, model: 0x10, blocks: 40_000 };
    for format in FORMATS {
        for seed in 1..=2 {
            story(format, kind, seed);
        }
    }
}

#[test]
fn copies_and_rewritten_files_have_the_same_tracks() {
    let folder = Folder::empty("copies");
    let kind = small_3390(20);
    let first = folder.path("a");
    create(&first, kind, Format::default()).unwrap();
    let mut model = HashMap::new();
    let image = Image::open(&first, Options::default()).unwrap();
    for unit in (0..300).step_by(7) {
        image.write_track(unit, &track_of(kind, unit, unit.into())).unwrap();
        model.insert(unit, unit.into());
    }
    drop(image);
    for (n, format) in FORMATS.into_iter().enumerate() {
        let to = folder.path(&format!("b{n}"));
        let from = Image::open(&first, Options { read_only: true, ..Options::default() }).unwrap();
        let larger = small_3390(25);
        copy(&*from, &to, larger, format, Existing::Refuse, &mut quiet).unwrap();
        assert!(copy(&*from, &to, larger, format, Existing::Refuse, &mut quiet).is_err());
        // Interrupted, it leaves the old file and nothing new.
        let stopped = copy(&*from, &to, larger, format, Existing::Replace, &mut |done, _| done < 9);
        assert_eq!(stopped, Err(ImageError::Interrupted));
        let image = Image::open(&to, Options::default()).unwrap();
        assert_eq!(image.kind(), larger);
        compare(&image, &model);
        for round in 0..3 {
            for unit in 0..60 {
                image.write_track(unit, &track_of(kind, unit, round)).unwrap();
            }
        }
        for unit in 0..60 {
            image.write_track(unit, &track_of(kind, unit, unit.into())).unwrap();
        }
        drop(image);
        if format != Format::Plain {
            let (before, after) = rewrite(&to, &mut quiet).unwrap();
            assert!(after < before, "{before} {after}");
        }
        clean(&to);
        compare(&Image::open(&to, Options::default()).unwrap(), &model);
    }
    let names =
        std::fs::read_dir(folder.path("")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let images = (0..).zip(FORMATS).flat_map(|(n, format)| {
        let sums = (format == Format::Plain).then(|| format!("b{n}.sums"));
        sums.into_iter().chain([format!("b{n}")])
    });
    let images: BTreeSet<String> = images.chain(["a".into(), "a.sums".into()]).collect();
    assert_eq!(names.collect::<BTreeSet<_>>(), images, "only the images are left, and the check sums of plain ones");
}

/// Fails every write from the `n`th on, as a full disk does, the first of them after a part.
struct Full {
    left: AtomicU64,
}

impl Faults for Full {
    fn outcome(&self, request: Request) -> Outcome {
        let Request::Write { length, .. } = request else { return Outcome::Pass };
        match self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)) {
            // The host copies a page as a whole, or not.
            Ok(1) if length > 4096 => Outcome::Short(4096),
            Ok(_) => Outcome::Pass,
            Err(_) => Outcome::Fail(io::ErrorKind::StorageFull.into()),
        }
    }
}

#[test]
fn a_full_host_disk_loses_nothing() {
    let kind = small_3390(20);
    for (n, format) in FORMATS[1..].iter().copied().enumerate() {
        for limit in (1..40).step_by(2) {
            let folder = Folder::empty(&format!("full-{n}-{limit}"));
            let path = folder.path("vol");
            create(&path, kind, format).unwrap();
            let faults: Arc<dyn Faults> = Arc::new(Full { left: AtomicU64::new(limit) });
            let image = Image::open(&path, Options { faults: Some(faults), ..Options::default() }).unwrap();
            let mut model: HashMap<u32, u64> = HashMap::new();
            let mut failed = 0;
            for n in 0..40u64 {
                let unit = (n * 37 % 12 * 20) as u32;
                match image.write_track(unit, &track_of(kind, unit, n)) {
                    Ok(()) => {
                        model.insert(unit, n);
                    }
                    Err(MediaError::Full(why)) => {
                        assert!(why.contains("vol"), "{why}");
                        failed += 1;
                    }
                    Err(error) => panic!("{error}"),
                }
                compare(&image, &model);
            }
            assert!(failed > 0);
            drop(image);
            clean(&path);
            compare(&Image::open(&path, Options::default()).unwrap(), &model);
        }
    }
}

#[test]
fn failures_of_the_host_are_told_and_pass() {
    let folder = Folder::empty("eio");
    let path = folder.path("vol");
    let kind = small_3390(5);
    create(&path, kind, FORMATS[1]).unwrap();
    let broken = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let state = broken.clone();
    let faults = move |_| match state.load(Ordering::Relaxed) {
        true => Outcome::Fail(io::Error::other("the cable is out")),
        false => Outcome::Pass,
    };
    let image = Image::open(&path, Options { faults: Some(Arc::new(faults)), ..Options::default() }).unwrap();
    image.write_track(3, &track_of(kind, 3, 8)).unwrap();
    image.flush().unwrap();
    image.write_track(4, &track_of(kind, 4, 8)).unwrap();
    broken.store(true, Ordering::Relaxed);
    assert!(image.read_track(70).is_ok(), "a null track needs no host");
    assert!(matches!(image.write_track(5, &track_of(kind, 5, 9)), Err(MediaError::Host(_))));
    assert!(matches!(image.flush(), Err(MediaError::Host(_))));
    broken.store(false, Ordering::Relaxed);
    image.write_track(5, &track_of(kind, 5, 9)).unwrap();
    image.flush().unwrap();
    compare(&image, &HashMap::from([(3, 8), (4, 8), (5, 9)]));
}

#[test]
fn empty_tracks_take_no_space() {
    let folder = Folder::empty("empty");
    let path = folder.path("vol");
    let kind = small_3390(1000);
    create(&path, kind, FORMATS[1]).unwrap();
    let before = std::fs::metadata(&path).unwrap().len();
    let image = Image::open(&path, Options::default()).unwrap();
    for track in (0..15_000).step_by(100) {
        let (cylinder, head) = kind.home(track).unwrap();
        image.write_track(track, &Track::new(cylinder, head)).unwrap();
    }
    // In a shadow file they do: they hide what is below.
    image.write_track(7, &track_of(kind, 7, 1)).unwrap();
    image.snapshot().unwrap();
    image.write_track(7, &Track::new(0, 7)).unwrap();
    assert_eq!(image.read_track(7).unwrap().records().count(), 1);
    drop(image);
    assert_eq!(dasd::open(&path).unwrap().read_track(7).unwrap().records().count(), 1);
    let size = std::fs::metadata(&path).unwrap().len();
    assert!(size < before + 100_000, "{before} {size}");
}

#[test]
fn damage_is_reported_and_repaired() {
    let kind = small_3390(10);
    for (n, format) in FORMATS[1..].iter().enumerate() {
        let folder = Folder::empty(&format!("damage-{n}"));
        let path = folder.path("vol");
        create(&path, kind, *format).unwrap();
        // Of each track there is one form in the file, then.
        let image = Image::open(&path, Options { policy: Policy::Lazy, ..Options::default() }).unwrap();
        for unit in 0..30 {
            image.write_track(unit, &track_of(kind, unit, 5)).unwrap();
        }
        drop(image);
        let mut bytes = std::fs::read(&path).unwrap();
        let at = bytes.windows(16).position(|bytes| bytes[1..5] == [0, 1, 0, 14]).expect("track 29 is there");
        bytes[at + 4] = 13;
        std::fs::write(&path, &bytes).unwrap();
        let report = check(&path, &Options::default(), true, &mut quiet).unwrap();
        assert_eq!(report.files[0].damaged.iter().map(|(unit, _)| *unit).collect::<Vec<_>>(), [29]);
        let image = Image::open(&path, Options::default()).unwrap();
        assert!(matches!(image.read_track(29), Err(MediaError::Damaged(_))));
        assert!(image.read_track(28).is_ok());
        drop(image);
        let report = repair(&path, &Options::default(), &mut quiet).unwrap();
        assert_eq!(report.files[0].damaged.len(), 1);
        clean(&path);
        let image = Image::open(&path, Options::default()).unwrap();
        compare(&image, &(0..29).map(|unit| (unit, 5)).collect());
        assert!(image.read_track(29).unwrap().records().count() <= 2);
    }
}

#[test]
fn an_entry_that_leads_astray_keeps_the_file_from_being_written() {
    let folder = Folder::empty("astray");
    let path = folder.path("vol");
    let kind = small_3390(10);
    create(&path, kind, FORMATS[1]).unwrap();
    let image = Image::open(&path, Options::default()).unwrap();
    image.write_track(0, &track_of(kind, 0, 1)).unwrap();
    image.write_track(1, &track_of(kind, 1, 2)).unwrap();
    drop(image);
    let mut bytes = std::fs::read(&path).unwrap();
    let table = u32::from_le_bytes(bytes[1024..1028].try_into().unwrap()) as usize;
    bytes[table + 8..table + 12].copy_from_slice(&0x7FFF_FFF0u32.to_le_bytes());
    std::fs::write(&path, &bytes).unwrap();
    let why = Image::open(&path, Options::default()).err().expect("it is refused").to_string();
    assert!(why.contains("--repair"), "{why}");
    let image = Image::open(&path, Options { read_only: true, ..Options::default() }).unwrap();
    assert_eq!(*image.read_track(0).unwrap(), track_of(kind, 0, 1));
    assert!(matches!(image.read_track(1), Err(MediaError::Damaged(_))));
    drop(image);
    repair(&path, &Options::default(), &mut quiet).unwrap();
    let image = Image::open(&path, Options::default()).unwrap();
    assert_eq!(*image.read_track(0).unwrap(), track_of(kind, 0, 1));
}

#[test]
fn shadow_files_belong_to_their_base() {
    let folder = Folder::empty("shadows");
    let path = folder.path("vol.3390");
    let kind = small_3390(5);
    create(&path, kind, Format::Plain).unwrap();
    let named = Options { shadows: Some(folder.path("sh_*.dsk")), ..Options::default() };
    assert_eq!(shadow_path(&path, &named, 3), folder.path("sh_3.dsk"));
    let image = Image::open(&path, Options::default()).unwrap();
    image.write_track(3, &track_of(kind, 3, 1)).unwrap();
    let shadow = image.snapshot().unwrap();
    assert_eq!(shadow, folder.path("vol_s1.3390"));
    image.write_track(3, &track_of(kind, 3, 2)).unwrap();
    image.write_track(4, &Track::new(0, 4)).unwrap();
    // The base is held, and may be read by others; the shadow may not even be read.
    assert!(matches!(
        Image::open(&path, Options { read_only: true, ..Options::default() }),
        Err(ImageError::InUse { .. })
    ));
    drop(image);
    assert!(matches!(Image::open(&shadow, Options::default()), Err(ImageError::NotAnImage { .. })));
    let old =
        Image::open(&path, Options { read_only: true, shadows: Some(folder.path("none1.x")), ..Options::default() });
    assert_eq!(*old.unwrap().read_track(3).unwrap(), track_of(kind, 3, 1));
    assert_eq!(*dasd::open(&path).unwrap().read_track(3).unwrap(), track_of(kind, 3, 2));
    // A shadow of another disk is not taken.
    let other = folder.path("other.3390");
    create(&other, small_3390(6), Format::Plain).unwrap();
    std::fs::rename(&shadow, folder.path("other_s1.3390")).unwrap();
    assert!(matches!(dasd::open(&other), Err(ImageError::Damaged { .. })));
}
