//! What a client asks for and gets: files, folders, links, names, attributes, locks.

mod client;

use client::*;
use ninep::{NOBODY, message};
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::time::{Duration, Instant};

fn pattern(length: usize, seed: usize) -> Vec<u8> {
    (0..length).map(|n| ((n * 31 + seed) % 251) as u8).collect()
}

#[test]
fn files_are_made_written_and_read() {
    let mut c = Client::new("files", true);
    c.create(1, 0, "a", 0o640).unwrap();
    let bytes = pattern(50_000, 3);
    assert_eq!(c.write(1, 0, &bytes), Ok(50_000));
    assert_eq!(c.write(1, 100_000, b"far"), Ok(3));
    assert_eq!(c.read(1, 10, 60_000).unwrap(), [&bytes[10..], &[0; 10_010]].concat());
    assert_eq!(c.read(1, 100_000, 60_000).unwrap(), b"far");
    assert_eq!(c.read(1, 1 << 40, 10).unwrap(), b"");
    let stat = c.stat(1).unwrap();
    assert_eq!((stat.kind, stat.mode, stat.uid, stat.gid, stat.links, stat.size), (0, 0o100_640, 0, 0, 1, 100_003));
    assert_eq!(stat.number, fs::metadata(c.path("a")).unwrap().ino());
    // It cannot be made again, and a name has one component.
    assert_eq!(c.ask(message::WALK, word(0).word(2).half(0)).map(|_| ()), Ok(()));
    let again = |flags| word(2).string("a").word(flags).word(0o640).word(0);
    assert_eq!(c.ask(message::CREATE, again(0o302)), Err(error::EXIST));
    c.ask(message::CREATE, again(0o1102)).unwrap();
    assert_eq!(c.stat(2).unwrap().size, 0);
    for name in ["", ".", "..", "x/y", "x\0y"] {
        assert!([error::INVAL, error::NOENT].contains(&c.create(3, 0, name, 0o600).unwrap_err()), "{name:?}");
    }
    assert_eq!(c.create(3, 0, &"n".repeat(256), 0o600), Err(error::NAMETOOLONG));
    c.create(3, 0, &"n".repeat(255), 0o600).unwrap();
    c.ask(message::FSYNC, word(3).word(1)).unwrap();
    c.ask(message::FSYNC, word(3)).unwrap();
    assert_eq!(fs::read(c.path("a")).unwrap(), b"");
    // What is not open is not read.
    c.walk(4, "a").unwrap();
    assert_eq!((c.read(4, 0, 1), c.write(4, 0, b"x")), (Err(error::BADF), Err(error::BADF)));
    c.open(4, 0).unwrap();
    assert_eq!((c.read(4, 0, 1).unwrap(), c.write(4, 0, b"x")), (vec![], Err(error::BADF)));
    assert_eq!(c.open(4, 0), Err(error::INVAL));
    assert_eq!(c.open(99, 0), Err(error::BADF));
}

#[test]
fn ten_thousand_files_are_listed_in_any_portions() {
    let mut c = Client::new("list", false);
    for n in 0..10_000 {
        fs::write(c.path(format!("file-{n}")), b"").unwrap();
    }
    fs::create_dir(c.path("folder")).unwrap();
    symlink("nowhere", c.path("link")).unwrap();
    let mut expected: Vec<String> = (0..10_000).map(|n| format!("file-{n}")).collect();
    expected.extend(["folder", "link", ".", ".."].map(str::to_owned));
    expected.sort();
    for (fid, count) in [(1, 300), (2, 4_000), (3, 65_000)] {
        c.walk(fid, "").unwrap();
        c.open(fid, 0o200_000).unwrap();
        for _ in 0..2 {
            let entries = c.list(fid, count).unwrap();
            let mut names: Vec<String> = entries.iter().map(|entry| entry.3.clone()).collect();
            names.sort();
            assert_eq!(names, expected);
            for (kind, number, name) in entries.into_iter().map(|(kind, _, number, name)| (kind, number, name)) {
                let stat = fs::symlink_metadata(c.path(&name)).unwrap();
                let expected = if stat.is_dir() { 0x80 } else { u8::from(stat.is_symlink()) * 2 };
                assert_eq!((kind, number), (expected, if name == ".." { 0 } else { stat.ino() }), "{name}");
            }
        }
    }
    // No room for an entry is not the end.
    assert_eq!(c.ask(message::READDIR, word(1).long(0).word(20)), Err(error::INVAL));
    // Any place can be gone back to.
    let answer = |c: &mut Client, offset| c.ask(message::READDIR, word(1).long(offset).word(500)).unwrap();
    let (first, later) = (answer(&mut c, 100), answer(&mut c, 5_000));
    assert_eq!((answer(&mut c, 100), answer(&mut c, 5_000)), (first, later));
}

#[test]
fn names_are_changed_and_fids_go_along() {
    let mut c = Client::new("names", true);
    c.mkdir(0, "one", 0o755).unwrap();
    c.walk(1, "one").unwrap();
    c.create(2, 1, "file", 0o600).unwrap();
    c.write(2, 0, b"content").unwrap();
    c.walk(3, "one/file").unwrap();
    c.rename(0, "one", 0, "two").unwrap();
    assert_eq!(c.stat(3).unwrap().size, 7);
    c.open(3, 0).unwrap();
    assert_eq!(c.read(3, 0, 10).unwrap(), b"content");
    // What is made below a folder that has moved is made where that is.
    c.mkdir(1, "sub", 0o700).unwrap();
    assert!(c.path("two/sub").is_dir());
    assert_eq!(c.unlink(0, "two", 0x200), Err(error::NOTEMPTY));
    assert_eq!(c.unlink(0, "two", 0), Err(error::ISDIR));
    assert_eq!(c.unlink(1, "file", 0x200), Err(error::NOTDIR));
    // One that takes another's name: fids of the other one still stand for that.
    c.create(4, 0, "new", 0o600).unwrap();
    c.write(4, 0, b"new content").unwrap();
    c.walk(5, "two/file").unwrap();
    c.rename(0, "new", 1, "file").unwrap();
    assert_eq!((c.stat(5).unwrap().size, c.stat(5).unwrap().links), (7, 0));
    assert_eq!((c.stat(4).unwrap().size, c.stat(4).unwrap().links), (11, 1));
    c.open(5, 2).unwrap();
    assert_eq!(c.read(5, 0, 20).unwrap(), b"content");
    // A file that is taken away while it is open.
    c.walk(6, "two/file").unwrap();
    c.unlink(1, "file", 0).unwrap();
    assert_eq!((c.write(4, 11, b"!"), c.stat(6).unwrap().size), (Ok(1), 12));
    assert_eq!(c.walk(7, "two/file"), Ok(1));
    assert_eq!(c.stat(7), Err(error::BADF));
    // Two names of one file: both stay.
    c.create(8, 0, "x", 0o600).unwrap();
    c.ask(message::LINK, word(0).word(8).string("y")).unwrap();
    c.rename(0, "x", 0, "y").unwrap();
    assert_eq!(c.stat(8).unwrap().links, 2);
    // RENAME and REMOVE by fid.
    c.ask(message::RENAME, word(8).word(1).string("z")).unwrap();
    assert!(c.path("two/z").exists() && c.path("y").exists() && !c.path("x").exists());
    c.ask(message::REMOVE, word(8)).unwrap();
    assert_eq!((c.path("two/z").exists(), c.clunk(8)), (false, Err(error::BADF)));
    assert_eq!(c.ask(message::REMOVE, word(0)), Err(error::BUSY));
}

#[test]
fn attributes_are_changed_as_far_as_they_may_be() {
    let mut c = Client::new("attributes", true);
    c.create(1, 0, "file", 0o644).unwrap();
    let mode = |c: &Client| fs::metadata(c.path("file")).unwrap().permissions().mode() & 0o7777;
    c.chmod(1, 0o400).unwrap();
    assert_eq!(mode(&c), 0o400);
    // No file becomes set-user-ID, by no way.
    for set in [0o4755, 0o2755, 0o6000] {
        assert_eq!(c.chmod(1, set), Err(error::PERM));
        assert_eq!(c.create(2, 0, "other", set), Err(error::PERM));
        assert_eq!(c.ask(message::MKNOD, word(0).string("n").word(0o100_000 | set).word(0).word(0).word(0)), Err(1));
    }
    assert_eq!((mode(&c), c.path("other").exists()), (0o400, false));
    c.mkdir(0, "folder", 0o7755).unwrap();
    assert_eq!(fs::metadata(c.path("folder")).unwrap().permissions().mode() & 0o7777, 0o1755);
    // One that the host has made so keeps it, until the guest writes it.
    c.chmod(1, 0o644).unwrap();
    fs::set_permissions(c.path("file"), fs::Permissions::from_mode(0o4755)).unwrap();
    assert_eq!(c.stat(1).unwrap().mode, 0o104_755);
    c.chmod(1, 0o4711).unwrap();
    c.walk(3, "file").unwrap();
    c.open(3, 1).unwrap();
    assert_eq!(mode(&c), 0o711);
    // Sizes and times.
    c.set(1, 8, [0; 3], 5000, [0; 4]).unwrap();
    assert_eq!(c.stat(1).unwrap().size, 5000);
    c.set(1, 0x1b0, [0; 3], 0, [1_000, 0, 2_000, 999_999_999]).unwrap();
    let found = fs::metadata(c.path("file")).unwrap();
    assert_eq!((found.atime(), found.mtime(), found.mtime_nsec()), (1_000, 2_000, 999_999_999));
    assert_eq!(c.set(1, 0x120, [0; 3], 0, [0, 0, 1, 1_000_000_000]), Err(error::INVAL));
    c.set(1, 0x20, [0; 3], 0, [0; 4]).unwrap();
    assert!(c.stat(1).unwrap().modified > 1_000_000_000);
    symlink("file", c.path("link")).unwrap();
    c.walk(4, "link").unwrap();
    c.set(4, 0x1b0, [0; 3], 0, [5, 0, 6, 0]).unwrap();
    assert_eq!(fs::symlink_metadata(c.path("link")).unwrap().mtime(), 6);
    assert!(fs::metadata(c.path("file")).unwrap().mtime() > 1_000_000_000);
    assert_eq!(c.chmod(4, 0o600), Err(error::OPNOTSUPP));
    // Owners: what it is may be said again.
    c.set(1, 6, [0, 0, 0], 0, [0; 4]).unwrap();
    c.set(1, 6, [0, u32::MAX, u32::MAX], 0, [0; 4]).unwrap();
    for (valid, owner) in [(2, 1000), (4, 1000), (2, NOBODY)] {
        assert_eq!(c.set(1, valid, [0, owner, owner], 0, [0; 4]), Err(error::PERM));
    }
    // Nothing changes if a part is refused.
    assert_eq!(c.set(1, 9, [0o4755, 0, 0], 1, [0; 4]), Err(error::PERM));
    assert_eq!(c.stat(1).unwrap().size, 5000);
    let room = c.ask(message::STATFS, word(1)).unwrap();
    assert_eq!((room.len(), number(&room, 0, 4), number(&room, 56, 4)), (60, 0x0102_1997, 255));
    assert_eq!(c.ask(message::XATTRWALK, word(1).word(9).string("user.x")), Err(error::OPNOTSUPP));
    assert_eq!(c.ask(message::XATTRCREATE, word(1).string("user.x").long(1).word(0)), Err(error::OPNOTSUPP));
    assert_eq!(c.ask(message::AUTH, word(9).string("root").string("").word(0)), Err(error::OPNOTSUPP));
}

#[test]
fn nothing_leads_out_of_the_folder() {
    let mut c = Client::new("outside", true);
    let outside = c.folder.with_extension("outside");
    let _ = fs::remove_dir_all(&outside);
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret"), b"secret").unwrap();
    c.walk(1, "../../..").unwrap();
    assert_eq!(c.stat(1).unwrap().number, fs::metadata(&c.folder).unwrap().ino());
    // Links of guest and host, to files and folders, absolute and not.
    let name = outside.file_name().unwrap().to_str().unwrap();
    let targets = [outside.display().to_string(), format!("../{name}"), "/proc/self/root".into()];
    for (n, target) in targets.iter().enumerate() {
        let (folder, file) = (format!("folder{n}"), format!("file{n}"));
        c.symlink(0, &folder, target).unwrap();
        c.symlink(0, &file, &format!("{target}/secret")).unwrap();
        let fid = 10 + 10 * n as u32;
        assert_eq!(c.walk(fid, &format!("{folder}/secret")), Ok(1));
        c.walk(fid + 1, &folder).unwrap();
        c.walk(fid + 2, &file).unwrap();
        assert_eq!(c.stat(fid + 1).unwrap().kind, 0x02);
        assert_eq!(c.ask(message::READLINK, word(fid + 1)).unwrap(), Bytes::default().string(target).0);
        for flags in [0, 1, 2, 0o1001, 0o200_000] {
            assert!(c.open(fid + 1, flags).is_err() && c.open(fid + 2, flags).is_err());
        }
        assert_eq!(c.set(fid + 2, 8, [0; 3], 0, [0; 4]), Err(error::LOOP));
        assert_eq!(c.chmod(fid + 2, 0o777), Err(error::OPNOTSUPP));
        assert_eq!(c.create(5, 0, &file, 0o600), Err(error::LOOP));
        assert!(c.mkdir(fid + 1, "x", 0o700).is_err() && c.create(5, fid + 1, "x", 0o600).is_err());
        assert!(c.rename(fid + 1, "secret", 0, "got").is_err() && c.unlink(fid + 1, "secret", 0).is_err());
        // A second name of the link is one of the link.
        c.ask(message::LINK, word(0).word(fid + 2).string(format!("second{n}"))).unwrap();
        assert!(fs::symlink_metadata(c.path(format!("second{n}"))).unwrap().is_symlink());
    }
    // A folder that becomes a link after its fid was made.
    c.mkdir(0, "dir", 0o700).unwrap();
    c.walk(6, "dir").unwrap();
    fs::remove_dir(c.path("dir")).unwrap();
    symlink(&outside, c.path("dir")).unwrap();
    assert!(c.create(7, 6, "x", 0o600).is_err() && c.mkdir(6, "x", 0o700).is_err());
    assert!(c.unlink(6, "secret", 0).is_err() && c.open(6, 0).is_err());
    let left: Vec<_> = fs::read_dir(&outside).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!((left, fs::read(outside.join("secret")).unwrap()), (vec!["secret".into()], b"secret".to_vec()));
    fs::remove_dir_all(&outside).unwrap();
}

/// So long a race is run until each side has won once.
const PATIENCE: Duration = Duration::from_secs(60);

/// A host's program swaps a folder for a link again and again, while files are made, changed and read through it.
#[test]
fn races_with_the_host_lead_nowhere() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let mut c = Client::new("races", true);
    let outside = c.folder.with_extension("outside");
    let _ = fs::remove_dir_all(&outside);
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("file"), b"secret").unwrap();
    fs::create_dir(c.path("real")).unwrap();
    fs::write(c.path("real/file"), b"inside").unwrap();
    symlink(&outside, c.path("other")).unwrap();
    let end = AtomicBool::new(false);
    let (mut inside, mut refused) = (0, 0);
    let began = Instant::now();
    std::thread::scope(|scope| {
        let (folder, end) = (c.folder.clone(), &end);
        scope.spawn(move || {
            let path = |name| folder.join(name);
            while !end.load(Ordering::Relaxed) {
                fs::rename(path("real"), path("dir")).unwrap();
                fs::rename(path("dir"), path("real")).unwrap();
                fs::rename(path("other"), path("dir")).unwrap();
                fs::rename(path("dir"), path("other")).unwrap();
            }
        });
        for n in 0.. {
            // A host with one processor for both may let neither see the other for thousands of turns.
            if n >= 6_000 && (inside > 0 && refused > 0 || began.elapsed() > PATIENCE) {
                break;
            }
            if c.walk(1, "dir/file") == Ok(2) {
                if c.open(1, 2).is_ok() {
                    let bytes = c.read(1, 0, 100).unwrap();
                    assert_eq!(bytes, b"inside");
                    c.write(1, 0, b"inside").unwrap();
                    inside += 1;
                }
                let _ = c.chmod(1, 0o600 | n & 0o77);
                c.clunk(1).unwrap();
            } else {
                refused += 1;
                let _ = c.clunk(1);
            }
            if c.walk(2, "dir") == Ok(1) {
                let _ = c.mkdir(2, "made", 0o700);
                let _ = c.unlink(2, "made", 0x200);
                c.clunk(2).unwrap();
            }
        }
        end.store(true, Ordering::Relaxed);
    });
    assert!(inside > 0 && refused > 0, "{inside} times inside, {refused} refused");
    let left: Vec<_> = fs::read_dir(&outside).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!((left, fs::read(outside.join("file")).unwrap()), (vec!["file".into()], b"secret".to_vec()));
    assert_eq!(fs::metadata(outside.join("file")).unwrap().permissions().mode() & 0o7777, 0o644);
    fs::remove_dir_all(&outside).unwrap();
}

#[test]
fn special_files_are_names_alone() {
    let mut c = Client::new("special", true);
    let make = |c: &mut Client, name: &str, mode| {
        c.ask(message::MKNOD, word(0).string(name).word(mode).word(1).word(3).word(0)).map(|_| ())
    };
    make(&mut c, "fifo", 0o010_644).unwrap();
    make(&mut c, "socket", 0o140_644).unwrap();
    make(&mut c, "file", 0o100_644).unwrap();
    assert_eq!(make(&mut c, "null", 0o020_666), Err(error::PERM));
    assert_eq!(make(&mut c, "disk", 0o060_666), Err(error::PERM));
    let kind = |name| fs::symlink_metadata(c.path(name)).unwrap().file_type();
    assert!(kind("fifo").is_fifo() && kind("socket").is_socket() && kind("file").is_file());
    // To open one would wait for its other end.
    for name in ["fifo", "socket"] {
        c.walk(1, name).unwrap();
        for flags in [0, 1, 2] {
            assert_eq!(c.open(1, flags), Err(error::NXIO));
        }
        assert_eq!(c.create(2, 0, name, 0o600), Err(error::NXIO));
        c.clunk(1).unwrap();
    }
}

#[test]
fn a_share_for_reading_is_not_changed() {
    let mut c = Client::new("reading", true);
    c.create(1, 0, "file", 0o644).unwrap();
    c.write(1, 0, b"text").unwrap();
    c.mkdir(0, "folder", 0o755).unwrap();
    let keep = c.folder.with_extension("kept");
    let _ = fs::remove_dir_all(&keep);
    fs::rename(&c.folder, &keep).unwrap();
    let mut c = Client::of(keep, false);
    c.walk(1, "file").unwrap();
    for flags in [1, 2, 0o1000, 0o1002] {
        assert_eq!(c.open(1, flags), Err(error::ROFS));
    }
    let refused = [
        c.mkdir(0, "x", 0o700),
        c.create(9, 0, "x", 0o600),
        c.symlink(0, "x", "y"),
        c.ask(message::MKNOD, word(0).string("x").word(0o010_600).word(0).word(0).word(0)).map(|_| ()),
        c.ask(message::LINK, word(0).word(1).string("x")).map(|_| ()),
        c.rename(0, "file", 0, "x"),
        c.ask(message::RENAME, word(1).word(0).string("x")).map(|_| ()),
        c.unlink(0, "file", 0),
        c.unlink(0, "folder", 0x200),
        c.chmod(1, 0o600),
        c.set(1, 8, [0; 3], 0, [0; 4]),
        c.ask(message::REMOVE, word(1)).map(|_| ()),
    ];
    assert!(refused.iter().all(|result| *result == Err(error::ROFS)), "{refused:?}");
    c.walk(1, "file").unwrap();
    c.open(1, 0).unwrap();
    assert_eq!((c.read(1, 0, 10).unwrap(), c.write(1, 0, b"x")), (b"text".to_vec(), Err(error::ROFS)));
    assert_eq!(fs::read_dir(&c.folder).unwrap().count(), 2);
}

#[test]
fn sessions_begin_anew_and_are_bounded() {
    let mut c = Client::new("sessions", true);
    c.create(1, 0, "file", 0o600).unwrap();
    c.server.reset();
    assert_eq!((c.stat(0), c.server.fids()), (Err(error::PROTO), 0));
    let version = |c: &mut Client, size, name: &str| c.ask(message::VERSION, word(size).string(name));
    assert_eq!(version(&mut c, 8192, "9P2000.u").unwrap(), word(8192).string("unknown").0);
    assert_eq!(c.stat(0), Err(error::PROTO));
    assert!(version(&mut c, 100, "9P2000.L").is_err());
    assert_eq!(version(&mut c, u32::MAX, "9P2000.L").unwrap(), word(ninep::LONGEST).string("9P2000.L").0);
    c.begin();
    assert_eq!(c.walk(0, "file"), Ok(1));
    c.begin();
    let mut some = 0;
    while c.walk(some + 1, "").is_ok() {
        some += 1;
    }
    assert_eq!((some as usize + 1, c.server.fids()), (1 << 16, 1 << 16));
    assert_eq!(c.walk(some + 1, ""), Err(error::MFILE));
    assert_eq!(c.walk(5, "file"), Err(error::INVAL));
    c.clunk(5).unwrap();
    assert_eq!((c.walk(5, "file/x"), c.walk(5, "file")), (Ok(1), Ok(1)));
    let names = (0..17).fold(word(0).word(6).half(17), |body, _| body.string("."));
    assert_eq!(c.ask(message::WALK, names), Err(error::INVAL));
    assert_eq!(c.ask(message::FLUSH, Bytes::default().half(3)).unwrap(), b"");
    assert_eq!(c.ask(message::ATTACH, word(7).word(3).string("").string("").word(0)), Err(error::NOENT));
    assert_eq!(c.ask(message::ATTACH, word(7).word(NO_FID).string("").string("/etc").word(0)), Err(error::NOENT));
}

#[test]
fn locks_keep_others_out() {
    let mut c = Client::new("locks", true);
    c.create(1, 0, "file", 0o600).unwrap();
    c.walk(2, "file").unwrap();
    c.open(2, 2).unwrap();
    let lock = |c: &mut Client, fid, kind, start, length, process| {
        let body = word(fid).byte(kind).word(0).long(start).long(length).word(process).string("guest");
        c.ask(message::LOCK, body).map(|answer| answer[0])
    };
    assert_eq!(lock(&mut c, 1, 1, 0, 10, 100), Ok(0));
    assert_eq!(lock(&mut c, 2, 0, 9, 10, 200), Ok(1));
    assert_eq!(lock(&mut c, 2, 0, 10, 10, 200), Ok(0));
    let get = word(1).byte(1).long(0).long(0).word(100).string("guest");
    let (held, free) = (c.ask(message::GETLOCK, get.clone()).unwrap(), get.0[4..].to_vec());
    assert_eq!(held, Bytes::default().byte(0).long(10).long(10).word(200).string("guest").0);
    assert_eq!(lock(&mut c, 2, 2, 0, 0, 200), Ok(0));
    assert_eq!(c.ask(message::GETLOCK, get).unwrap(), [&[2], &free[1..]].concat());
    assert_eq!(lock(&mut c, 2, 3, 0, 0, 200), Err(error::INVAL));
    assert_eq!(lock(&mut c, 2, 1, u64::MAX, 2, 200), Err(error::INVAL));
    // A fid that goes takes its locks with it.
    assert_eq!(lock(&mut c, 2, 1, 0, 0, 200), Ok(1));
    c.clunk(1).unwrap();
    assert_eq!(lock(&mut c, 2, 1, 0, 0, 200), Ok(0));
}

/// Neither files that are open nor removed ones that fids stand for take more descriptors than there may be.
#[test]
fn a_client_has_so_many_descriptors_and_no_more() {
    const MOST: usize = 40;
    let descriptors = || fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    let mut c = Client::new("descriptors", true);
    c.server.limit_descriptors(MOST);
    let before = descriptors();
    // Half of them open, then files without a name.
    for fid in 1..=MOST as u32 / 2 {
        c.create(fid, 0, &format!("open{fid}"), 0o644).unwrap();
    }
    let mut refused = 0;
    for fid in 100..200 {
        fs::write(c.path(format!("gone{fid}")), "x").unwrap();
        assert_eq!(c.walk(fid, &format!("gone{fid}")), Ok(1));
        match c.unlink(0, &format!("gone{fid}"), 0) {
            Ok(()) => assert_eq!(refused, 0),
            Err(why) => {
                assert_eq!(why, error::MFILE);
                assert!(c.path(format!("gone{fid}")).exists());
                refused += 1;
            }
        }
    }
    assert_eq!(refused, 100 - MOST / 2);
    assert_eq!(c.create(300, 0, "more", 0o644), Err(error::MFILE));
    assert_eq!(c.walk(301, "open1"), Ok(1));
    assert_eq!(c.open(301, 0), Err(error::MFILE));
    assert!(descriptors() <= before + MOST + 8, "other tests have some, too");
    // One that goes makes room.
    c.clunk(1).unwrap();
    c.open(301, 0).unwrap();
    assert_eq!(c.open(301, 0), Err(error::INVAL), "it is open");
}
