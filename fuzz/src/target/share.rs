//! A shared folder under a guest that sends anything: messages of 9P2000.L, mostly whole, in any order, whose fids and
//! names are of a few; some are damaged.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use ninep::{Folder, LONGEST, Server, message};

use super::Target;
use crate::chance::Chance;

pub(super) const TARGET: Target = Target { name: "share", about: "messages to a shared folder", run };

const NAMES: [&str; 9] = ["a", "b", "sub", "link", "..", ".", "", "a/b", "\u{e4}"];
/// The fids of a client, the limit of its descriptors, and the messages of one input.
const FIDS: u32 = 8;
const DESCRIPTORS: usize = 6;
const MESSAGES: usize = 40;
/// Files do not become longer than the host's disk minds.
const SMALL: u64 = 10_000;

/// This process's folder, below one that nothing may leave.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("endicott-fuzz-share-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("shared")).expect("there is a folder for temporary files");
    fs::write(folder.join("outside"), "as it was").expect("it was just made");
    folder
});

fn run(chance: &mut Chance) {
    let shared = FOLDER.join("shared");
    let folder = Folder::open(&shared, !chance.one_in(4)).expect("it is there");
    let mut server = Server::new(folder).expect("it is there");
    server.limit_descriptors(DESCRIPTORS);
    let mut reply = Vec::new();
    let begin = [
        body(chance, message::VERSION, |b, _| b.extend([0, 0, 1, 0, 8, 0].iter().chain(b"9P2000.L"))),
        frame(message::ATTACH, &[0u32.to_le_bytes(), u32::MAX.to_le_bytes(), [0; 4], [0; 4]].concat()),
    ];
    for message in begin {
        server.answer(&message, LONGEST as usize, &mut reply);
    }
    for _ in 0..chance.below(MESSAGES) {
        let message = any(chance);
        let room = if chance.one_in(20) { chance.below(100usize) } else { 8192 };
        server.answer(&message, room, &mut reply);
        assert!(reply.len() <= room, "a reply of {} bytes where {room} fit", reply.len());
    }
    drop(server);
    assert_eq!(fs::read(FOLDER.join("outside")).expect("nothing leaves the folder"), b"as it was");
    // What was made stays for a few inputs, or all would be as in an empty folder.
    if chance.one_in(16) {
        let _ = fs::remove_dir_all(&shared);
        fs::create_dir_all(&shared).expect("it was there");
    }
}

fn frame(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = (7 + body.len() as u32).to_le_bytes();
    [&length[..], &[kind, 1, 0], body].concat()
}

fn body(chance: &mut Chance, kind: u8, fill: impl FnOnce(&mut Vec<u8>, &mut Chance)) -> Vec<u8> {
    let mut body = Vec::new();
    fill(&mut body, chance);
    frame(kind, &body)
}

/// A message whose first word is a fid, and the rest names and numbers.
fn any(chance: &mut Chance) -> Vec<u8> {
    const KINDS: [u8; 16] = [
        message::WALK,
        message::OPEN,
        message::CREATE,
        message::SYMLINK,
        message::READLINK,
        message::GETATTR,
        message::SETATTR,
        message::READDIR,
        message::LOCK,
        message::MKDIR,
        message::RENAMEAT,
        message::UNLINKAT,
        message::READ,
        message::WRITE,
        message::CLUNK,
        message::REMOVE,
    ];
    let kind = if chance.one_in(20) { chance.byte() } else { chance.pick(&KINDS) };
    let mut message = body(chance, kind, |b, chance| {
        b.extend(chance.below(FIDS).to_le_bytes());
        let flags = |chance: &mut Chance| chance.pick(&[0u32, 1, 2, 0o102, 0o1002, 0o200_000, 7]);
        match kind {
            message::WALK => {
                b.extend(chance.below(FIDS).to_le_bytes());
                let count = chance.below(3u16);
                b.extend(count.to_le_bytes());
                (0..count).for_each(|_| name(b, chance));
            }
            message::OPEN => b.extend(flags(chance).to_le_bytes()),
            message::CREATE | message::MKDIR | message::SYMLINK => {
                name(b, chance);
                if kind == message::SYMLINK {
                    name(b, chance);
                }
                [flags(chance), 0o644, 0].iter().for_each(|word| b.extend(word.to_le_bytes()));
            }
            message::RENAMEAT => {
                name(b, chance);
                b.extend(chance.below(FIDS).to_le_bytes());
                name(b, chance);
            }
            message::UNLINKAT => {
                name(b, chance);
                b.extend(chance.pick(&[0u32, 0x200]).to_le_bytes());
            }
            message::READ | message::READDIR => {
                b.extend(chance.below(SMALL).to_le_bytes());
                b.extend(chance.below(SMALL as u32).to_le_bytes());
            }
            message::WRITE => {
                let data = chance.bytes(300);
                b.extend(chance.below(SMALL).to_le_bytes());
                b.extend((data.len() as u32).to_le_bytes());
                b.extend(data);
            }
            message::SETATTR => {
                [chance.below(0x200u32), 0o600, 0, 0].iter().for_each(|word| b.extend(word.to_le_bytes()));
                (0..5).for_each(|_| b.extend(chance.below(SMALL).to_le_bytes()));
            }
            _ => b.extend((0..chance.below(6usize)).flat_map(|_| chance.below(SMALL).to_le_bytes())),
        }
    });
    // A size in a damaged message could fill the host's disk, so what writes and cuts stays whole.
    if chance.one_in(10) && ![message::WRITE, message::SETATTR].contains(&kind) {
        chance.damage(&mut message);
    }
    message
}

fn name(to: &mut Vec<u8>, chance: &mut Chance) {
    let name = chance.pick(&NAMES);
    to.extend((name.len() as u16).to_le_bytes());
    to.extend(name.as_bytes());
}
