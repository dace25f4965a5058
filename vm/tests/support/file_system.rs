//! The file system on a disk, looked at by e2fsck of this machine.

use dasd::{Image, Kind, Options, Volume};
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;

/// Takes the file system out of the disk and has e2fsck look at it.
pub(crate) fn check(disk: &Path) {
    let options = Options { read_only: true, ..Options::default() };
    let volume = Image::open(disk, options).expect("the disk opens");
    let mut head = Vec::new();
    each(&*volume, &mut |bytes| {
        head.extend_from_slice(bytes);
        head.len() < HEAD
    });
    let begin = (0..HEAD - 2048).step_by(512).find(|&at| is_ext4(&head, at)).expect("there is an ext4 file system");
    let file = disk.with_added_extension("fs");
    let out = fs::File::create(&file).expect("the folder is there");
    let mut at = 0;
    each(&*volume, &mut |bytes| {
        let from = begin.saturating_sub(at).min(bytes.len());
        // Of zeros only there is nothing to write.
        if bytes[from..].iter().any(|&byte| byte != 0) {
            out.write_all_at(&bytes[from..], (at + from - begin) as u64).expect("there is room");
        }
        at += bytes.len();
        true
    });
    out.set_len((at - begin) as u64).expect("there is room");
    let places = ["/sbin/e2fsck", "/usr/sbin/e2fsck", "e2fsck"];
    let checked = places.iter().find_map(|e2fsck| Command::new(e2fsck).arg("-fn").arg(&file).output().ok());
    fs::remove_file(file).expect("it was just made");
    let Some(checked) = checked else {
        println!("file system not checked: e2fsck is not installed (Debian package e2fsprogs)");
        return;
    };
    let said = String::from_utf8_lossy(&[checked.stdout, checked.stderr].concat()).into_owned();
    assert!(checked.status.success(), "e2fsck: {said}");
}

/// Where file systems begin, at most.
const HEAD: usize = 400 * 512;

/// The blocks of the disk one after the other, as long as they are wanted, without records of other lengths: labels
/// and the table of contents.
fn each(volume: &dyn Volume, take: &mut dyn FnMut(&[u8]) -> bool) {
    let kind = volume.kind();
    for first in (0..kind.blocks()).step_by(128) {
        let mut bytes = vec![0; (kind.blocks() - first).min(128) as usize * Kind::BLOCK];
        volume.read_blocks(first, &mut bytes).expect("the medium is whole");
        if !take(&bytes) {
            return;
        }
    }
    for number in 0..kind.tracks() {
        let track = volume.read_track(number).expect("the medium is whole");
        let mut data = track.records().skip(1).map(|record| record.data).filter(|data| data.len() == 4096);
        if !data.all(&mut *take) {
            return;
        }
    }
}

/// Whether a file system begins at `at` with a superblock as ext4 has it.
fn is_ext4(bytes: &[u8], at: usize) -> bool {
    bytes.get(at + 1024 + 56..at + 1024 + 58) == Some(&[0x53, 0xef]) && bytes[at + 1024 + 24] == 2
}
