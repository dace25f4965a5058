//! Files that do not belong together, or are not all there. A disk is cut at any length, is an older copy or another
//! disk's file, or is missing. Each is told, or harmless: what is read without a word is what the disk has, as a whole.

mod common;

use common::{Folder, blocks_of, small_3390, track_of};
use dasd::{Format, Image, ImageError, Kind, Method, Options, Track, Volume, check, create, repair};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};
use support::Random;

const TRACKS: u32 = 30;
const GROUP: u64 = 120;

fn reader() -> Options {
    Options { read_only: true, ..Options::default() }
}

fn quiet(_: u64, _: u64) -> bool {
    true
}

fn formats() -> Vec<(&'static str, Kind, Format)> {
    let fba = Kind::Fba { device: 0x9336, model: 0x10, blocks: 1203 };
    let packed = |wide, method| Format::Compressed { wide, method };
    vec![
        ("plain", small_3390(2), Format::Plain),
        ("fba", fba, Format::Plain),
        ("cckd", small_3390(2), packed(false, Method::Zlib)),
        ("cckd64", small_3390(2), packed(true, Method::Bzip2)),
        ("stored", small_3390(2), packed(true, Method::None)),
        ("cfba", fba, packed(false, Method::Zlib)),
        ("cfba64", fba, packed(true, Method::Zlib)),
    ]
}

/// What a disk has, unit by unit: how often each was written.
type State = Vec<u64>;

/// Files by name, with what is in them.
type Files = Vec<(String, Vec<u8>)>;

/// A disk with a history: the files as they were at each step, and what the disk had then.
struct Disk {
    folder: Folder,
    kind: Kind,
    seed: u64,
    state: State,
    steps: Vec<(State, Files)>,
}

impl Disk {
    fn new(name: &str, kind: Kind, format: Format, seed: u64) -> Disk {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let folder = Folder::empty(&format!("belongs-{name}-{}", MADE.fetch_add(1, Ordering::Relaxed)));
        create(&folder.path("vol.3390"), kind, format).unwrap();
        let units = match kind {
            Kind::Ckd { .. } => TRACKS as usize,
            Kind::Fba { blocks, .. } => blocks.div_ceil(GROUP) as usize,
        };
        Disk { folder, kind, seed, state: vec![0; units], steps: Vec::new() }
    }

    fn path(&self) -> PathBuf {
        self.folder.path("vol.3390")
    }

    fn open(&self) -> std::sync::Arc<Image> {
        Image::open(&self.path(), Options::default()).unwrap()
    }

    /// Writes some of its units anew.
    fn write(&mut self, image: &Image, random: &mut Random) {
        for unit in 0..self.state.len() {
            if random.below(3) > 0 {
                self.state[unit] += 1;
                let bytes = self.wanted(unit, self.state[unit]);
                match self.kind {
                    Kind::Ckd { .. } => image.write_track(unit as u32, &Track::from_image(bytes).unwrap()).unwrap(),
                    Kind::Fba { .. } => image.write_blocks(unit as u64 * GROUP, &bytes).unwrap(),
                }
            }
        }
    }

    fn files(&self) -> Files {
        let name = |path: PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
        let entries = fs::read_dir(self.path().parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
        entries.map(|path| (name(path.clone()), fs::read(path).unwrap())).collect()
    }

    fn keep(&mut self) {
        self.steps.push((self.state.clone(), self.files()));
    }

    /// Puts the files of the last step back, into a folder of their own.
    fn put(&self, folder: &Folder) -> PathBuf {
        for entry in fs::read_dir(folder.path("")).unwrap() {
            fs::remove_file(entry.unwrap().path()).unwrap();
        }
        for (name, bytes) in &self.steps.last().unwrap().1 {
            fs::write(folder.path(name), bytes).unwrap();
        }
        // What was copied in one go is written at one time.
        folder.path("vol.3390")
    }

    /// The units of the image; those that cannot be read are `None`.
    fn read(&self, image: &Image) -> Vec<Option<Vec<u8>>> {
        let one = |unit: usize| match self.kind {
            Kind::Ckd { .. } => image.read_track(unit as u32).ok().map(|track| track.image().to_vec()),
            Kind::Fba { .. } => {
                let mut found = vec![0; self.blocks(unit) * 512];
                image.read_blocks(unit as u64 * GROUP, &mut found).ok().map(|()| found)
            }
        };
        (0..self.state.len()).map(one).collect()
    }

    /// Blocks of a group.
    fn blocks(&self, unit: usize) -> usize {
        (self.kind.blocks() - unit as u64 * GROUP).min(GROUP) as usize
    }

    /// What a unit has when it has been written so often.
    fn wanted(&self, unit: usize, version: u64) -> Vec<u8> {
        let seed = self.seed << 40 | (unit as u64) << 20 | version;
        match (self.kind, version) {
            (Kind::Ckd { .. }, 0) => Track::new((unit / 15) as u16, (unit % 15) as u16).image().to_vec(),
            (Kind::Ckd { .. }, _) => track_of(self.kind, unit as u32, seed).image().to_vec(),
            (Kind::Fba { .. }, 0) => vec![0; self.blocks(unit) * 512],
            (Kind::Fba { .. }, _) => blocks_of(self.blocks(unit), seed),
        }
    }

    /// Whether all that could be read is as in this state; if not, the first unit that is not.
    fn differs(&self, found: &[Option<Vec<u8>>], state: &State) -> Option<usize> {
        let wrong =
            |unit: &usize| found[*unit].as_ref().is_some_and(|found| *found != self.wanted(*unit, state[*unit]));
        (0..state.len()).find(wrong)
    }
}

/// What has been tried, and what became of it.
#[derive(Default)]
struct Count {
    cases: AtomicUsize,
    told: AtomicUsize,
}

impl Count {
    /// Each way to open the image at `path` tells that something is wrong, or serves one of these states as a whole, or
    /// errors.
    fn sound(&self, disk: &Disk, path: &Path, may_be: &[&State], what: &str) {
        self.cases.fetch_add(1, Ordering::Relaxed);
        let told = match check(path, &reader(), true, &mut quiet) {
            Err(error) => Some(error.to_string()),
            Ok(report) if !report.clean() => Some(format!("{report:?}")),
            Ok(_) => None,
        };
        if told.is_some() {
            self.told.fetch_add(1, Ordering::Relaxed);
        }
        for options in [reader(), Options::default()] {
            let Ok(image) = Image::open(path, options) else {
                assert!(told.is_some(), "{what}: refused, and nothing is told");
                continue;
            };
            let notices = image.notices();
            let found = disk.read(&image);
            let whole = may_be.iter().any(|state| disk.differs(&found, state).is_none());
            let silent = notices.is_empty() && told.is_none() && !found.contains(&None);
            assert!(whole || !silent, "{what}: neither told nor right");
            assert!(whole || !notices.is_empty(), "{what}: served without a word; {told:?}");
        }
    }
}

fn cut(path: &Path, length: u64) {
    File::options().write(true).open(path).unwrap().set_len(length).unwrap();
}

/// Lengths at which a file of `length` bytes is cut: near its beginning and end, at borders of tracks and cylinders,
/// anywhere.
fn lengths(length: u64, random: &mut Random) -> Vec<u64> {
    let near = [0, 1, 7, 8, 71, 72, 79, 80, 511, 512, 513, 1023, 1024, 1536, 4095, 4096, 4097, 4112];
    let tracks = (0..TRACKS as u64).map(|track| 512 + track * 56_832);
    let ends = (1..=3).chain([512, 4096]).filter_map(|less| length.checked_sub(less));
    let any: Vec<u64> =
        (0..50).map(|n| random.below(length) / if n < 40 { 1 } else { 512 } * if n < 40 { 1 } else { 512 }).collect();
    near.into_iter().chain(tracks).chain(ends).chain(any).filter(|at| *at < length).collect()
}

/// A disk with two snapshots; each step is kept, with what was written after it.
fn with_shadows(name: &str, kind: Kind, format: Format, seed: u64) -> Disk {
    let mut disk = Disk::new(name, kind, format, seed);
    let mut random = Random::seeded(seed + 77);
    for step in 0..3 {
        // Some of it is written when the snapshot above is not made yet: an older copy of each layer.
        let image = disk.open();
        disk.write(&image, &mut random);
        image.close().unwrap();
        drop(image);
        disk.keep();
        let image = disk.open();
        disk.write(&image, &mut random);
        if step < 2 {
            image.snapshot().unwrap();
        }
        drop(image);
        disk.keep();
    }
    disk
}

#[test]
fn a_disk_that_was_cut_is_told_at_every_length() {
    // The first unit is written with one of the seeds, and not with the other.
    for ((name, kind, format), seed) in formats().into_iter().flat_map(|format| [(format, 6), (format, 5)]) {
        let (count, mut random) = (Count::default(), Random::seeded(seed));
        let mut disk = Disk::new(name, kind, format, 1);
        let image = disk.open();
        disk.write(&image, &mut random);
        assert_eq!(disk.state[0] > 0, seed == 6);
        drop(image);
        disk.keep();
        let folder = Folder::empty(&format!("belongs-cut-{name}"));
        let all = fs::metadata(disk.path()).unwrap().len();
        for with_sums in [true, false] {
            // Fixed blocks in a plain file without anything beside it: every length is a disk.
            if !with_sums && name == "fba" {
                continue;
            }
            for length in lengths(all, &mut random) {
                let path = disk.put(&folder);
                if !with_sums {
                    let _ = fs::remove_file(folder.path("vol.3390.sums"));
                }
                cut(&path, length);
                let what = format!("{name}, {length} bytes of {all}, sums {with_sums}");
                count.sound(&disk, &path, &[&disk.state], &what);
                if format == Format::Plain {
                    let told = check(&path, &reader(), true, &mut quiet);
                    assert!(told.is_err(), "{what}");
                    let copied = Image::open(&path, reader());
                    assert!(copied.is_err(), "{what}: a copy would be taken for a good disk");
                }
            }
        }
        let (cases, told) = (count.cases.into_inner(), count.told.into_inner());
        println!("{name}: {cases} cuts, {told} told");
        assert!(cases > 100 - 40 * usize::from(name != "plain"), "{name}: {cases}");
    }
}

#[test]
fn a_disk_that_was_cut_is_made_whole_without_what_is_lost() {
    for (name, kind, format) in formats().into_iter().take(2) {
        let folder = Folder::empty(&format!("belongs-mend-{name}"));
        let mut disk = Disk::new(name, kind, format, 1);
        let image = disk.open();
        disk.write(&image, &mut Random::seeded(9));
        drop(image);
        disk.keep();
        let path = disk.put(&folder);
        let all = fs::metadata(&path).unwrap().len();
        // A copy that was interrupted, its check sums with it.
        cut(&path, all / 2 + 100);
        assert!(matches!(check(&path, &reader(), true, &mut quiet), Err(ImageError::Cut { .. })), "{name}");
        let report = repair(&path, &Options::default(), &mut quiet).unwrap();
        let lost = &report.files[0].damaged;
        assert_eq!(fs::metadata(&path).unwrap().len(), all);
        assert!(check(&path, &reader(), true, &mut quiet).unwrap().clean(), "{name}");
        let found = disk.read(&Image::open(&path, reader()).unwrap());
        let first = lost[0].0 as usize;
        assert_eq!(lost.len() + first, disk.state.len(), "{name}: {lost:?}");
        for (unit, found) in found.iter().enumerate() {
            let wanted = disk.wanted(unit, if unit < first { disk.state[unit] } else { 0 });
            // What of a group was there before the cut is kept.
            assert!(*found == Some(wanted) || (name == "fba" && unit == first), "{name}: unit {unit}");
        }
    }
}

#[test]
fn check_sums_that_are_cut_older_or_another_disk_s_are_told_or_do_no_harm() {
    for (name, kind, format) in formats().into_iter().take(2) {
        let (count, mut random) = (Count::default(), Random::seeded(6));
        let mut disk = Disk::new(name, kind, format, 1);
        let mut other = Disk::new(name, kind, format, 2);
        for disk in [&mut disk, &mut other] {
            for _ in 0..2 {
                let image = disk.open();
                disk.write(&image, &mut random);
                drop(image);
                disk.keep();
            }
        }
        let folder = Folder::empty(&format!("belongs-sums-{name}"));
        let sums = folder.path("vol.3390.sums");
        let of = |disk: &Disk, step: usize| {
            disk.steps[step].1.iter().find(|(name, _)| name.ends_with(".sums")).unwrap().1.clone()
        };
        let newest = of(&disk, 1);
        for length in lengths(newest.len() as u64, &mut random) {
            let path = disk.put(&folder);
            cut(&sums, length);
            count.sound(&disk, &path, &[&disk.state], &format!("{name}: sums of {length} bytes"));
            if length >= 80 {
                let path = disk.put(&folder);
                cut(&sums, length);
                let report = check(&path, &reader(), false, &mut quiet).unwrap();
                assert!(!report.clean(), "{name}: sums of {length} bytes are taken for whole");
            }
        }
        for (bytes, what) in [(of(&disk, 0), "older"), (of(&other, 1), "another's"), (of(&other, 0), "another's older")]
        {
            for modified in [None, Some(Duration::from_secs(3600)), Some(Duration::from_secs(0))] {
                let path = disk.put(&folder);
                fs::write(&sums, &bytes).unwrap();
                if let Some(ago) = modified {
                    let then = SystemTime::now() - ago;
                    File::options().write(true).open(&sums).unwrap().set_modified(then).unwrap();
                }
                count.sound(&disk, &path, &[&disk.state], &format!("{name}: sums that are {what}"));
            }
        }
        // Another image in its place, which is a disk of its own, and an older copy of it: as a whole, or told.
        for (from, step) in [(&disk, 0), (&other, 0), (&other, 1)] {
            let path = disk.put(&folder);
            let image = &from.steps[step].1.iter().find(|(name, _)| name == "vol.3390").unwrap().1;
            fs::remove_file(&path).unwrap();
            fs::write(&path, image).unwrap();
            count.sound(from, &path, &[&from.steps[step].0], &format!("{name}: the image of step {step}"));
        }
        println!("{name}: {} cases, {} told", count.cases.into_inner(), count.told.into_inner());
    }
}

#[test]
fn a_journal_of_another_state_changes_nothing() {
    let kind = small_3390(2);
    let (mut cases, mut random) = (0, Random::seeded(8));
    let mut disk = Disk::new("journal", kind, Format::Plain, 1);
    let image = disk.open();
    let mut journals = Vec::new();
    for _ in 0..6 {
        disk.write(&image, &mut random);
        disk.keep();
        // It is there as long as the image is open, about the last write of more than a page.
        journals.push(fs::read(disk.folder.path("vol.3390.journal")).unwrap());
    }
    drop(image);
    let folder = Folder::empty("belongs-journal");
    for (step, (state, files)) in disk.steps.iter().enumerate() {
        for (other, journal) in journals.iter().enumerate() {
            for ago in [Duration::ZERO, Duration::from_secs(3600)] {
                for cut_to in [journal.len(), journal.len() - 1, 33, 8] {
                    disk.put(&folder);
                    files.iter().for_each(|(name, bytes)| fs::write(folder.path(name), bytes).unwrap());
                    fs::write(folder.path("vol.3390.journal"), &journal[..cut_to]).unwrap();
                    let _ = fs::remove_file(folder.path("vol.3390.sums"));
                    let image = File::options().write(true).open(folder.path("vol.3390")).unwrap();
                    image.set_modified(SystemTime::now() - ago).unwrap();
                    drop(image);
                    let image = Image::open(&folder.path("vol.3390"), Options::default()).unwrap();
                    let found = disk.read(&image);
                    assert!(!found.contains(&None), "journal {other} beside step {step}");
                    assert_eq!(disk.differs(&found, state), None, "journal {other} beside step {step}");
                    cases += 1;
                }
            }
        }
    }
    println!("{cases} journals");
}

#[test]
fn files_of_a_stack_that_do_not_belong_together_are_refused() {
    const FILES: [&str; 3] = ["vol.3390", "vol_s1.3390", "vol_s2.3390"];
    for (name, kind, format) in formats() {
        let (count, mut random) = (Count::default(), Random::seeded(7));
        let disk = with_shadows(name, kind, format, 3);
        let other = with_shadows(name, kind, format, 4);
        let folder = Folder::empty(&format!("belongs-stack-{name}"));
        let newest = &disk.steps.last().unwrap().1;
        let bytes_of = |files: &[(String, Vec<u8>)], name: &str| {
            files.iter().find(|(found, _)| found == name).map(|(_, bytes)| bytes.clone())
        };
        count.sound(&disk, &disk.put(&folder), &[&disk.state], "as it is");
        assert_eq!(count.told.load(Ordering::Relaxed), 0, "{name}");
        for (n, file) in FILES.iter().enumerate() {
            // Gone: nothing else is done until it is there again.
            let path = disk.put(&folder);
            fs::remove_file(folder.path(file)).unwrap();
            let what = format!("{name}: {file} is gone");
            count.sound(&disk, &path, &[&disk.state], &what);
            let refused = Image::open(&path, Options::default()).err().unwrap_or_else(|| panic!("{what}")).to_string();
            assert!(refused.contains(file), "{what}: {refused}");
            if n == 2 {
                let given_up = Image::open(&path, Options { give_up: true, ..Options::default() }).unwrap();
                assert_eq!(given_up.shadows(), 1);
                drop(given_up);
                assert!(check(&path, &reader(), true, &mut quiet).unwrap().clean());
            }
            // Cut.
            for length in lengths(fs::metadata(folder.path(FILES[0])).map_or(1 << 20, |found| found.len()), &mut random)
            {
                let whole = bytes_of(newest, file).unwrap();
                if length < whole.len() as u64 {
                    let path = disk.put(&folder);
                    cut(&folder.path(file), length);
                    count.sound(&disk, &path, &[&disk.state], &format!("{name}: {length} bytes of {file}"));
                }
            }
            // Older, or another disk's, or another one of the stack.
            for (whose, of) in [("its own", &disk), ("another's", &other)] {
                for (step, (state, files)) in of.steps.iter().enumerate() {
                    for from in FILES {
                        let Some(bytes) = bytes_of(files, from) else { continue };
                        if Some(&bytes) == bytes_of(newest, file).as_ref() {
                            continue;
                        }
                        let path = disk.put(&folder);
                        fs::write(folder.path(file), bytes).unwrap();
                        let what = format!("{name}: {file} is {whose} {from} of step {step}");
                        // An older copy of the newest file is the disk as it was then.
                        let own = whose == "its own" && n == 2 && from == FILES[2];
                        let may_be = if own { vec![&disk.state, state] } else { vec![&disk.state] };
                        count.sound(&disk, &path, &may_be, &what);
                    }
                }
            }
        }
        let (cases, told) = (count.cases.into_inner(), count.told.into_inner());
        println!("{name}: {cases} cases, {told} told");
        assert!(cases > 200, "{name}: {cases}");
    }
}

/// What a process leaves that is killed between two steps of a snapshot, of a discard, or of the end of a merge:
/// nothing is missing.
#[test]
fn a_snapshot_that_was_begun_or_not_ended_loses_nothing() {
    for (name, kind, format) in formats() {
        let (folder, mut random) = (Folder::empty(&format!("belongs-begun-{name}")), Random::seeded(3));
        let mut disk = Disk::new(name, kind, format, 1);
        let image = disk.open();
        disk.write(&image, &mut random);
        image.snapshot().unwrap();
        drop(image);
        disk.keep();
        let shadow = folder.path("vol_s1.3390");
        for merged in [false, true] {
            for first in [reader(), Options::default()] {
                let path = disk.put(&folder);
                if merged {
                    fs::remove_file(&shadow).unwrap();
                    fs::write(folder.path("vol_s1.3390.merging"), []).unwrap();
                } else {
                    fs::rename(&shadow, folder.path("vol_s1.3390.unfinished")).unwrap();
                }
                assert!(check(&path, &reader(), true, &mut quiet).unwrap().clean(), "{name}");
                drop(Image::open(&path, first).unwrap());
                let image = Image::open(&path, Options::default()).unwrap();
                assert_eq!((image.shadows(), image.notices()), (0, vec![]), "{name}");
                assert_eq!(disk.differs(&disk.read(&image), &disk.state), None, "{name}");
                // And it goes on from there.
                image.snapshot().unwrap();
                image.merge_snapshot().unwrap();
                drop(image);
                assert!(check(&path, &reader(), true, &mut quiet).unwrap().clean(), "{name}");
            }
        }
    }
}
