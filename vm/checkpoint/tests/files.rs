//! Files of checkpoints: what is written is read again, and nothing else is ever taken for it.

use arch::{Absolute, PAGE};
use checkpoint::{Change, Disk, Draft, Error, open};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use storage::Storage;
use support::folder::Folder;

const FRAMES: u64 = 600;

/// Storage with pages of noise, pages of text and pages that are zero, with keys and states.
fn storage(seed: u64) -> Storage {
    let mut random = fastrand::Rng::with_seed(seed);
    let storage = Storage::new(FRAMES * PAGE).expect("the host has room");
    for frame in 0..FRAMES {
        let at = Absolute(frame * PAGE);
        let mut page = [0; PAGE as usize];
        match random.u8(..8) {
            0 => random.fill(&mut page),
            1 => page.fill(random.u8(..)),
            2 => page[random.usize(..PAGE as usize)] = 1,
            _ => {}
        }
        if page.iter().any(|&byte| byte != 0) {
            storage.write(at, &page).expect("it is there");
        }
        if random.u8(..4) == 0 {
            storage.set_key(at, random.u8(..) & 0xfe).expect("it is there");
            storage.set_page_state(at, Some(random.u8(..4))).expect("it is there");
        }
    }
    storage
}

fn assert_same(a: &Storage, b: &Storage) {
    let (mut here, mut there) = ([0; PAGE as usize], [0; PAGE as usize]);
    for frame in 0..FRAMES {
        let at = Absolute(frame * PAGE);
        a.peek(at, &mut here).expect("it is there");
        b.peek(at, &mut there).expect("it is there");
        assert!(here == there, "frame {frame}");
        assert_eq!((a.key(at), a.set_page_state(at, None)), (b.key(at), b.set_page_state(at, None)), "frame {frame}");
    }
}

fn write(path: &Path, storage: &Storage) {
    let mut last = 0;
    let progress = &mut |done, all| {
        assert!(done > last && all == storage.size());
        last = done;
    };
    let _ = fs::remove_file(path);
    let draft = Draft::new(path, &"a draft", storage, progress).expect("the folder is ours");
    assert!(!path.exists(), "it has no name yet");
    draft.finish(&"the description").expect("the folder is ours");
    assert_eq!(last, storage.size());
}

/// Reads it all.
fn read(path: &Path) -> Result<Storage, Error> {
    let mut saved = open::<String>(path)?;
    assert_eq!(saved.description, "the description");
    let storage = Storage::new(FRAMES * PAGE).expect("the host has room");
    saved.load(&storage, &mut |_, _| ())?;
    Ok(storage)
}

#[test]
fn what_is_written_is_read_again() {
    let folder = Folder::empty("checkpoint-same");
    let path = folder.0.join("saved");
    for seed in 0..8 {
        let storage = storage(seed);
        write(&path, &storage);
        assert_same(&storage, &read(&path).expect("it is whole"));
        assert_eq!(fs::metadata(&path).expect("it is there").permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(fs::read_dir(&folder.0).expect("it is ours").count(), 1, "no part is left");
}

#[test]
fn frames_of_zeros_occupy_nothing() {
    let folder = Folder::empty("checkpoint-zeros");
    let path = folder.0.join("saved");
    let empty = Storage::new(FRAMES * PAGE).expect("the host has room");
    write(&path, &empty);
    assert!(fs::metadata(&path).expect("it is there").len() < 8192);
    assert_eq!(read(&path).expect("it is whole").resident_pages(), 0);
}

/// Every byte of the head and the description, and every 97th of the rest, is another one; the file is cut at as many
/// places. Each is refused.
#[test]
fn a_file_that_is_not_whole_is_refused() {
    let folder = Folder::empty("checkpoint-damaged");
    let path = folder.0.join("saved");
    write(&path, &storage(1));
    let whole = fs::read(&path).expect("it is ours");
    let places = (0..5000).chain((5000..whole.len()).step_by(97));
    let mut cases = 0;
    for at in places {
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << (at % 8);
        fs::write(&path, &damaged).expect("it is ours");
        let reserved = (12..16).contains(&at);
        assert_eq!(read(&path).is_err(), !reserved, "byte {at}");
        cases += 1;
        if cases % 16 == 0 {
            fs::write(&path, &whole[..at]).expect("it is ours");
            assert!(read(&path).is_err(), "cut at {at}");
        }
    }
    fs::write(&path, &whole[..whole.len() - 24]).expect("it is ours");
    assert!(matches!(read(&path), Err(Error::Damaged(_))), "the last piece is gone");
    let mut newer = whole.clone();
    newer[11] = 2;
    fs::write(&path, &newer).expect("it is ours");
    assert!(matches!(read(&path), Err(Error::Version(2))));
    for foreign in [&b""[..], b"ENDICKP", b"\x7fELF and more than thirty-two bytes of something"] {
        fs::write(&path, foreign).expect("it is ours");
        assert!(matches!(read(&path), Err(Error::Foreign)), "{foreign:?}");
    }
}

#[test]
fn a_draft_that_is_given_up_leaves_what_was_there() {
    let folder = Folder::empty("checkpoint-draft");
    let path = folder.0.join("saved");
    write(&path, &storage(1));
    drop(Draft::new(&path, &"a draft", &storage(2), &mut |_, _| ()).expect("the folder is ours"));
    assert_same(&storage(1), &read(&path).expect("it is whole"));
    assert_eq!(fs::read_dir(&folder.0).expect("it is ours").count(), 1);
}

#[test]
fn a_draft_has_room_for_what_is_said_of_many_disks_later() {
    let folder = Folder::empty("checkpoint-many");
    let path = folder.0.join("saved");
    let files: Vec<_> = (0..200).map(|n| folder.0.join(format!("{}{n}", "long".repeat(40)))).collect();
    files.iter().for_each(|file| fs::write(file, b"tracks").expect("the folder is ours"));
    let come: Vec<Disk> = files.iter().map(|file| Disk::to_come(file).expect("it is there")).collect();
    let draft = Draft::new(&path, &come, &storage(1), &mut |_, _| ()).expect("the folder is ours");
    let now: Vec<Disk> = files.iter().map(|file| Disk::of(file, &mut |_| ()).expect("it is there")).collect();
    draft.finish(&now).expect("there is room");
    assert_eq!(open::<Vec<Disk>>(&path).expect("it is whole").description, now);
}

#[test]
fn a_disk_is_the_same_by_its_file_or_by_what_is_in_it() {
    let folder = Folder::empty("checkpoint-disks");
    let (path, other) = (folder.0.join("disk"), folder.0.join("other"));
    fs::write(&path, b"tracks").expect("the folder is ours");
    let disk = Disk::of(&path, &mut |_| ()).expect("it is there");
    assert!(disk.check(&path, &mut |_| panic!("it is not read")).is_ok());
    // A copy, and the file written anew with the same.
    fs::copy(&path, &other).expect("the folder is ours");
    assert!(disk.check(&other, &mut |_| ()).is_ok());
    fs::write(&path, b"trucks").expect("the folder is ours");
    assert!(matches!(disk.check(&path, &mut |_| ()), Err(Change::Written(changed)) if changed == path));
    fs::write(&path, b"tracks").expect("the folder is ours");
    assert!(disk.check(&path, &mut |_| ()).is_ok());
    fs::write(&path, b"more tracks").expect("the folder is ours");
    assert!(matches!(disk.check(&path, &mut |_| ()), Err(Change::Written(_))));
    fs::remove_file(&path).expect("it is ours");
    assert!(matches!(disk.check(&path, &mut |_| ()), Err(Change::Host(..))));
}
