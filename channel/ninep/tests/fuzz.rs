//! Random messages: nothing panics, each reply is a message that fits, and nothing outside of the folder changes.
//!
//! `ENDICOTT_MESSAGES` is how many there are, `ENDICOTT_SEED` where they begin.

mod client;

use client::*;
use ninep::message;
use std::fs;
use std::os::unix::fs::symlink;
use support::Random;

fn number_of(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

const NAMES: [&str; 14] =
    ["a", "b", "c", "d", "sub", "link", "up", "..", ".", "", "a/b", "../outside", "fifo", "\u{e4}\u{20ac}"];

fn name(random: &mut Random) -> Vec<u8> {
    match random.below(20) {
        0 => {
            let length = random.below(300usize);
            random.bytes(length)
        }
        _ => random.pick(&NAMES).as_bytes().to_vec(),
    }
}

fn size(random: &mut Random) -> u64 {
    match random.below(8) {
        0 => random.word(),
        1 => u64::MAX - random.below(3u64),
        _ => random.below(5000u64),
    }
}

/// A message of this kind whose parts are mostly what they should be.
fn body(random: &mut Random, kind: u8) -> Bytes {
    let fid = |random: &mut Random| if random.one_in(30) { random.word() as u32 } else { random.below(12u32) };
    let mode = |random: &mut Random| if random.one_in(4) { random.word() as u32 } else { random.below(0o10000u32) };
    let flags = |random: &mut Random| [0, 1, 2, 0o102, 0o302, 0o1002, 0o2001, 0o200_000, 3][random.below(9)];
    let b = word(fid(random));
    match kind {
        message::WALK => {
            let count = if random.one_in(20) { random.word() as u16 } else { random.below(4u16) };
            (0..count.min(20)).fold(b.word(fid(random)).half(count), |b, _| b.string(name(random)))
        }
        message::OPEN => b.word(flags(random)),
        message::CREATE => b.string(name(random)).word(flags(random)).word(mode(random)).word(0),
        message::SYMLINK => b.string(name(random)).string(["..", "/", "a", "../outside"][random.below(4)]).word(0),
        message::MKNOD => {
            let kind = [0o010_000, 0o140_000, 0o100_000, 0o020_000, 0o060_000][random.below(5)];
            b.string(name(random)).word(mode(random) & 0o7777 | kind).word(1).word(3).word(0)
        }
        message::RENAME | message::LINK => b.word(fid(random)).string(name(random)),
        message::GETATTR => b.long(random.word()),
        message::SETATTR => {
            let valid = random.below(0x200u32);
            let owner = |random: &mut Random| if random.one_in(3) { random.word() as u32 } else { 0 };
            let b = b.word(valid).word(mode(random)).word(owner(random)).word(owner(random));
            // A size that the host's disk does not mind.
            let b = b.long(if random.one_in(20) { random.word() } else { random.below(100_000u64) });
            (0..4).fold(b, |b, _| b.long(size(random)))
        }
        message::READDIR | message::READ => b.long(size(random)).word(size(random) as u32),
        message::WRITE => {
            let length = random.below(2000usize);
            let said = if random.one_in(10) { random.word() as u32 } else { length as u32 };
            let mut b = b.long(random.below(100_000u64)).word(said);
            b.0.extend(random.bytes(length));
            b
        }
        message::FSYNC => b.word(random.below(2)),
        message::LOCK => {
            let b = b.byte(random.below(4u8)).word(0).long(size(random)).long(size(random));
            b.word(random.below(3)).string("guest")
        }
        message::GETLOCK => {
            let b = b.byte(random.below(4u8)).long(size(random)).long(size(random));
            b.word(random.below(3)).string("guest")
        }
        message::MKDIR => b.string(name(random)).word(mode(random)).word(0),
        message::RENAMEAT => b.string(name(random)).word(fid(random)).string(name(random)),
        message::UNLINKAT => b.string(name(random)).word([0, 0x200][random.below(2)]),
        message::ATTACH => b.word(NO_FID).string("root").string("").word(0),
        message::VERSION => word((size(random) as u32).wrapping_add(4096)).string("9P2000.L"),
        message::XATTRWALK => b.word(fid(random)).string(name(random)),
        _ => b,
    }
}

const KINDS: [u8; 26] = [
    message::STATFS,
    message::OPEN,
    message::CREATE,
    message::SYMLINK,
    message::MKNOD,
    message::RENAME,
    message::READLINK,
    message::GETATTR,
    message::SETATTR,
    message::XATTRWALK,
    message::READDIR,
    message::LOCK,
    message::GETLOCK,
    message::LINK,
    message::MKDIR,
    message::RENAMEAT,
    message::UNLINKAT,
    message::AUTH,
    message::ATTACH,
    message::FLUSH,
    message::WALK,
    message::WALK,
    message::READ,
    message::WRITE,
    message::CLUNK,
    message::REMOVE,
];

/// A message: mostly a good one, sometimes cut, changed, or nothing but bytes.
fn message(random: &mut Random) -> Vec<u8> {
    let kind = match random.below(400) {
        0 => message::VERSION,
        1 => message::FSYNC,
        2..6 => random.byte(),
        _ => random.pick(&KINDS),
    };
    let mut bytes = frame(kind, random.word() as u16, &body(random, kind).0);
    match random.below(40) {
        0 => bytes.truncate(random.below(bytes.len() + 1)),
        1 => {
            let at = random.below(bytes.len());
            bytes[at] = random.byte();
        }
        2 => {
            let length = random.below(64usize);
            bytes = random.bytes(length);
        }
        _ => {}
    }
    bytes
}

#[test]
fn no_message_does_harm() {
    let (count, seed) = (number_of("ENDICOTT_MESSAGES", 100_000), number_of("ENDICOTT_SEED", 1));
    let mut random = Random::seeded(seed);
    let top = std::env::temp_dir().join(format!("endicott-9p-fuzz-{}", std::process::id()));
    let _ = fs::remove_dir_all(&top);
    fs::create_dir_all(top.join("folder/sub")).unwrap();
    fs::create_dir(top.join("outside")).unwrap();
    fs::write(top.join("outside/a"), b"as it was").unwrap();
    symlink("../outside", top.join("folder/up")).unwrap();
    let mut client = Client::of(top.join("folder"), true);
    let (mut good, mut bad, mut reply) = (0u64, 0u64, Vec::new());
    for n in 0..count {
        let message = message(&mut random);
        let room = if random.one_in(20) { random.below(40) } else { MSIZE };
        client.server.answer(&message, room, &mut reply);
        assert!(reply.len() <= room, "seed {seed}, message {n}");
        if reply.is_empty() {
            assert!(message.len() < 7 || room < 11, "seed {seed}, message {n}");
            continue;
        }
        assert_eq!(number(&reply, 0, 4) as usize, reply.len(), "seed {seed}, message {n}");
        assert_eq!(reply[5..7], message[5..7], "seed {seed}, message {n}");
        let failed = reply[4] == message::ERROR;
        assert!(failed || reply[4] == message[4].wrapping_add(1), "seed {seed}, message {n}");
        (good, bad) = (good + u64::from(!failed), bad + u64::from(failed));
        // A client that has lost all its fids would try nothing any more.
        if random.one_in(50) {
            client.begin();
        }
        if random.one_in(2000) {
            for entry in fs::read_dir(&client.folder).unwrap().flatten() {
                let _ = fs::remove_dir_all(entry.path()).or_else(|_| fs::remove_file(entry.path()));
            }
            let _ = symlink("../outside", client.path("up"));
        }
    }
    let share = good * 100 / (good + bad);
    assert!((10..90).contains(&share), "{good} good and {bad} bad");
    let names = |path: &str| {
        let mut names: Vec<_> = fs::read_dir(top.join(path)).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!((names(""), names("outside")), (vec!["folder".into(), "outside".into()], vec!["a".into()]));
    assert_eq!(fs::read(top.join("outside/a")).unwrap(), b"as it was");
    set_ids(&client.folder);
    fs::remove_dir_all(&top).unwrap();
}

/// No file has become set-user-ID.
fn set_ids(folder: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let found = fs::symlink_metadata(entry.path()).unwrap();
        assert!(found.is_symlink() || found.permissions().mode() & 0o6000 == 0, "{}", entry.path().display());
        if found.is_dir() {
            set_ids(&entry.path());
        }
    }
}
