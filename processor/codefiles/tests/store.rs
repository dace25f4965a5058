//! Records come back as they were kept or not at all, whatever becomes of the files.

use codefiles::{Store, secret};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::Random;

/// A folder with files of records.
struct Folder(support::folder::Folder);

impl Folder {
    fn new(name: &str) -> Folder {
        Folder(support::folder::Folder::absent(&format!("store-{name}")))
    }

    fn path(&self) -> &Path {
        &self.0.0
    }

    /// One with a file that has the first three records, and that file.
    fn with_three(name: &str) -> (Folder, PathBuf) {
        let folder = Folder::new(name);
        let store = folder.open();
        keep(&store, 0..3);
        store.finish();
        let file = folder.files().remove(0);
        (folder, file)
    }

    fn open(&self) -> Store {
        self.open_for("kind", 1 << 30)
    }

    fn open_for(&self, kind: &str, limit: u64) -> Store {
        Store::open(self.path(), &[1; 32], kind, limit).expect("the host has folders")
    }

    fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<_> =
            fs::read_dir(self.path()).expect("it is there").map(|e| e.expect("listed").path()).collect();
        files.sort();
        files
    }

    fn bytes(&self) -> u64 {
        self.files().iter().map(|file| fs::metadata(file).expect("it is there").len()).sum()
    }

    fn mode(&self, mode: u32) {
        fs::set_permissions(self.path(), fs::Permissions::from_mode(mode)).expect("it is ours");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that is not to be entered cannot be removed.
        self.mode(0o700);
    }
}

/// A record that is known by its key; the first three are short.
fn record(key: u64) -> Vec<u8> {
    Random::seeded(key).bytes(if key < 3 { 12 } else { 100 } + key as usize % 300)
}

fn found(store: &Store, key: u64) -> Option<Vec<u8>> {
    store.find(key, |record| Some(record.to_vec()))
}

/// Which of the records are found; each must be what it was.
fn all(store: &Store, keys: std::ops::Range<u64>) -> usize {
    let found = keys.filter_map(|key| found(store, key).map(|bytes| assert_eq!(bytes, record(key), "{key}")));
    found.count()
}

fn keep(store: &Store, keys: std::ops::Range<u64>) {
    keys.for_each(|key| assert!(store.keep(key, &record(key))));
}

#[test]
fn records_are_found_by_the_process_and_by_later_ones() {
    let folder = Folder::new("later");
    let store = folder.open();
    assert!(store.is_empty());
    // More than is kept in memory.
    keep(&store, 0..3000);
    assert_eq!((all(&store, 0..3000), found(&store, 3000)), (3000, None));
    assert!(!store.keep(5, &record(5)), "it is there");
    assert_eq!(all(&folder.open(), 0..3000), 0, "the file is not complete");
    store.finish();
    assert!(!store.keep(4000, &[1]), "it has ended");
    assert_eq!(all(&store, 0..3000), 3000);
    let later = folder.open();
    assert_eq!((all(&later, 0..3000), later.len()), (3000, 3000));
    // Of those with one key the latest is offered first, and others after it.
    later.keep(7, b"later");
    later.keep(7, b"latest");
    let mut offered = Vec::new();
    assert_eq!(
        later.find(7, |record| {
            offered.push(record.to_vec());
            None::<()>
        }),
        None
    );
    assert_eq!(offered, [b"latest".to_vec(), b"later".to_vec(), record(7)]);
    later.finish();
    assert_eq!(found(&folder.open(), 7), Some(b"latest".to_vec()));
}

#[test]
fn the_oldest_files_of_many_are_read_meanwhile() {
    let folder = Folder::new("many");
    let keys = |round: u64| 10_000 * round..10_000 * round + 8100 / 3u64.pow(round as u32);
    for round in 0..6 {
        let store = folder.open();
        // Each is much shorter than all before it, so that none is taken into another.
        keep(&store, keys(round));
        assert!(store.keep(9_999, &round.to_le_bytes()));
        store.finish();
    }
    assert_eq!(folder.files().len(), 6);
    let counts = (0..6).map(|round| keys(round).count() + 1);
    let store = Store::open_in_parts(folder.path(), &[1; 32], "kind", 1 << 30, 0).expect("it is there");
    assert_eq!(all(&store, keys(5)), keys(5).count(), "the latest is there");
    let began = Instant::now();
    while store.len() < counts.clone().sum() {
        assert!(began.elapsed() < Duration::from_secs(60), "{} of {}", store.len(), counts.clone().sum::<usize>());
        std::thread::yield_now();
    }
    (0..6).for_each(|round| assert_eq!(all(&store, keys(round)), keys(round).count()));
    let mut offered = Vec::new();
    let none = store.find(9_999, |record| {
        offered.push(record[0]);
        None::<()>
    });
    assert_eq!((none, offered), (None, vec![5, 4, 3, 2, 1, 0]), "the latest first");
}

#[test]
fn another_kind_or_secret_finds_nothing() {
    let folder = Folder::new("foreign");
    let store = folder.open();
    keep(&store, 0..10);
    store.finish();
    assert_eq!(all(&folder.open_for("another", 1 << 30), 0..10), 0);
    let stranger = Store::open(folder.path(), &[2; 32], "kind", 1 << 30).expect("the folder is ours");
    assert_eq!(all(&stranger, 0..10), 0);
    // Under a name that would be theirs it is found, and refused.
    stranger.keep(99, b"x");
    stranger.finish();
    let (ours, theirs) = (folder.files(), stranger);
    let name = |file: &PathBuf| file.file_name().expect("it has one").to_str().expect("ASCII").to_owned();
    let at = |file: &PathBuf| fs::read(file).expect("it is ours");
    let [a, b] = [&ours[0], &ours[1]];
    let (one, other) = (at(a), at(b));
    fs::write(a, other).expect("it is ours");
    fs::write(b, one).expect("it is ours");
    assert_ne!(name(a), name(b));
    drop(theirs);
    assert_eq!(folder.open().len(), 0);
}

/// Each length in a small file, and each bit of it.
#[test]
fn a_damaged_file_yields_what_is_whole_or_nothing() {
    let (folder, file) = Folder::with_three("damaged");
    let whole = fs::read(&file).expect("it is ours");
    for len in 0..whole.len() {
        fs::write(&file, &whole[..len]).expect("it is ours");
        assert_eq!(folder.open().len(), 0, "{len} bytes of {}", whole.len());
    }
    let mut counts = [0; 4];
    for bit in 0..whole.len() * 8 {
        let mut damaged = whole.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        fs::write(&file, &damaged).expect("it is ours");
        let count = all(&folder.open(), 0..3);
        assert!(count < 3, "bit {bit}");
        counts[count] += 1;
    }
    let records: usize = (0..3).map(|key| record(key).len()).sum();
    assert_eq!(counts, [(whole.len() - records) * 8, 0, records * 8, 0]);
    let longer = [&whole[..], &[0]].concat();
    fs::write(&file, longer).expect("it is ours");
    assert_eq!(folder.open().len(), 0);
    // What changes while the file is open is found when it is read.
    fs::write(&file, &whole).expect("it is ours");
    let open = folder.open();
    fs::write(&file, vec![0; whole.len()]).expect("it is ours");
    assert_eq!((open.len(), all(&open, 0..3)), (3, 0));
    fs::write(&file, &whole[..30]).expect("it is ours");
    assert_eq!(all(&open, 0..3), 0);
}

#[test]
fn a_folder_that_others_may_use_is_refused() {
    let folder = Folder::new("mode");
    folder.open();
    assert_eq!(fs::metadata(folder.path()).expect("it was made").permissions().mode() & 0o777, 0o700);
    for mode in [0o701, 0o710, 0o720, 0o777, 0o755, 0o702] {
        folder.mode(mode);
        let refused = Store::open(folder.path(), &[1; 32], "kind", 1 << 30).err().expect("others may use it");
        assert!(refused.raw_os_error().is_none() && refused.to_string().contains("0700"), "{refused}");
    }
    folder.mode(0o700);
    let file = folder.path().join("file");
    fs::write(&file, "").expect("it is ours");
    assert!(Store::open(&file, &[1; 32], "kind", 1 << 30).is_err());
}

#[test]
fn files_that_others_may_write_and_links_are_not_read() {
    let (folder, file) = Folder::with_three("files");
    for (mode, count) in [(0o620, 0), (0o604, 0), (0o600, 3), (0o400, 3)] {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("it is ours");
        assert_eq!(folder.open().len(), count, "{mode:o}");
    }
    let elsewhere = Folder::new("elsewhere");
    elsewhere.open();
    let moved = elsewhere.path().join(file.file_name().expect("it has one"));
    fs::rename(&file, &moved).expect("it is ours");
    symlink(&moved, &file).expect("the host has links");
    assert_eq!(folder.open().len(), 0);
    // Things that are no files do no harm.
    fs::remove_file(&file).expect("it is ours");
    fs::create_dir(&file).expect("it is ours");
    assert_eq!(folder.open().len(), 0);
}

#[test]
fn what_a_killed_process_leaves_goes_and_what_is_being_written_stays() {
    let folder = Folder::new("killed");
    let writer = folder.open();
    keep(&writer, 0..3000);
    let new = folder.files().remove(0);
    let half = fs::read(&new).expect("it is ours");
    let left = folder.path().join("0123-4567.new");
    fs::write(&left, half).expect("it is ours");
    fs::set_permissions(&left, fs::Permissions::from_mode(0o600)).expect("it is ours");
    let other = folder.open();
    keep(&other, 5000..5010);
    other.finish();
    assert!(!left.exists() && new.exists());
    writer.finish();
    let later = folder.open();
    assert_eq!((all(&later, 0..3000), all(&later, 5000..5010)), (3000, 10));
    // One that ends without finishing leaves nothing.
    keep(&later, 6000..9000);
    drop(later);
    assert!(folder.files().iter().all(|file| file.extension().is_some_and(|end| end == "code")));
}

#[test]
fn where_nothing_can_be_written_what_is_there_is_found() {
    let folder = Folder::new("read-only");
    let store = folder.open();
    keep(&store, 0..10);
    store.finish();
    // Root may write everywhere, so the name that is to be made is in the way: a file whose name is taken away.
    let store = folder.open();
    keep(&store, 100..3000);
    let new = folder.files().into_iter().find(|file| file.extension().is_some_and(|end| end == "new"));
    fs::remove_file(new.expect("it is written")).expect("it is ours");
    store.finish();
    assert_eq!(all(&store, 0..10), 10);
    assert_eq!(folder.open().len(), 10);
    folder.mode(0o500);
    let reader = folder.open();
    assert_eq!(all(&reader, 0..10), 10);
    keep(&reader, 200..300);
    reader.finish();
    assert_eq!(all(&folder.open(), 0..10), 10);
}

#[test]
fn the_oldest_files_go_where_all_are_too_much() {
    let folder = Folder::new("limit");
    for round in 0..12 {
        let store = folder.open_for(&format!("kind {round}"), 400_000);
        keep(&store, 0..500);
        store.finish();
        assert!(folder.bytes() <= 400_000, "{}", folder.bytes());
    }
    let count = |round: u64| folder.open_for(&format!("kind {round}"), 400_000).len();
    assert_eq!((count(11), count(10), count(0)), (500, 500, 0));
}

#[test]
fn files_stay_few() {
    let folder = Folder::new("few");
    for round in 0..100 {
        let store = folder.open();
        let first = round * 20;
        keep(&store, first..first + 20);
        store.finish();
    }
    let store = folder.open();
    assert_eq!((all(&store, 0..2000), store.len()), (2000, 2000));
    assert!(folder.files().len() < 10, "{}", folder.files().len());
}

#[test]
fn processes_do_not_disturb_each_other() {
    let folder = Arc::new(Folder::new("several"));
    let threads: Vec<_> = (0..8)
        .map(|n| {
            let folder = folder.clone();
            std::thread::spawn(move || {
                for round in 0..10 {
                    let store = folder.open();
                    all(&store, 0..8000);
                    let first = n * 1000 + round * 100;
                    keep(&store, first..first + 100);
                    assert_eq!(all(&store, first..first + 100), 100);
                    store.finish();
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().expect("it found what it kept"));
    let store = folder.open();
    let count = all(&store, 0..8000);
    assert_eq!(count, 8000);
}

#[test]
fn the_secret_is_made_once_and_is_the_users_alone() {
    let folder = Folder::new("secret");
    let path = folder.path().join("deep/secret");
    let threads: Vec<_> = (0..8)
        .map(|_| {
            std::thread::spawn({
                let path = path.clone();
                move || secret(&path)
            })
        })
        .collect();
    let made: Vec<_> = threads.into_iter().map(|thread| thread.join().expect("it ends").expect("it is made")).collect();
    assert!(made.iter().all(|secret| *secret == made[0] && *secret != [0; 32]));
    assert_eq!(fs::read_dir(folder.path().join("deep")).expect("it was made").count(), 1);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("it is ours");
    assert!(secret(&path).is_err());
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("it is ours");
    fs::write(&path, "short").expect("it is ours");
    assert!(secret(&path).is_err());
}
