//! `--user-data`: the disk from which cloud-init in a guest takes what it is to do (its data source NoCloud).
//!
//! The disk is in storage. Linux makes one partition of an unlabelled fixed-block disk, from its third block on. There
//! is a file system as of a CD-ROM (ECMA-119), labelled `cidata`, with the files `user-data` and `meta-data`.

use base::file;
use base::layout::{U16, U32, little};
use dasd::model::FbaModel;
use dasd::{Kind, Memory, Volume};
use flate2::Crc;
use std::path::Path;

/// The disk's device number.
pub const DEVICE: u16 = 0x2ff;

/// Where the partition begins that Linux makes.
const PARTITION: usize = 2 * Kind::BLOCK;
/// The blocks of the file system.
const SECTOR: usize = 2048;
/// Where its parts are: what begins it, the end of those, the two tables of folders, and the only folder. Files follow.
const PRIMARY: usize = 16;
const END: usize = 17;
const FOLDERS: [usize; 2] = [18, 19];
const ROOT: usize = 20;
const FILES: usize = 21;
/// The most that there may be of user-data.
const MOST: u64 = 1 << 20;

/// What cloud-init takes for user-data, by its beginning.
const KINDS: [&[u8]; 10] = [
    b"#cloud-config",
    b"#!",
    b"#include",
    b"#cloud-boothook",
    b"#part-handler",
    b"## template: jinja",
    b"Content-Type:",
    b"MIME-Version:",
    b"From ",
    b"\x1f\x8b\x08",
];

/// What is in the file, which must be something that cloud-init knows.
pub fn read(path: &Path) -> Result<Vec<u8>, String> {
    let bytes = file::read(path, MOST).map_err(|error| format!("--user-data {}: {error}", path.display()))?;
    match KINDS.iter().any(|kind| bytes.starts_with(kind)) {
        true => Ok(bytes),
        false => Err(format!(
            "--user-data {}: cloud-init takes no such file: it is to begin with #cloud-config, with #! as a script \
             does, or with another of its marks",
            path.display()
        )),
    }
}

/// The disk.
pub fn disk(user_data: &[u8]) -> Memory {
    let mut crc = Crc::new();
    crc.update(user_data);
    // Data that are others make an instance of their own, for which cloud-init does everything again.
    let meta_data = format!("instance-id: endicott-{:08x}\n", crc.sum());
    let mut bytes = vec![0; PARTITION];
    bytes.extend(file_system(&[("META-DATA.;1", meta_data.as_bytes()), ("USER-DATA.;1", user_data)]));
    let model = FbaModel::named("9336-20").expect("it is in the table");
    let disk = Memory::fba(model, (bytes.len() / Kind::BLOCK) as u64);
    disk.write_blocks(0, &bytes).expect("it is as large");
    disk
}

/// A number in both orders of bytes.
fn both(n: usize) -> [u8; 8] {
    let mut bytes = [0; 8];
    bytes[..4].copy_from_slice(&little::U32::new(n as u32).to_bytes());
    bytes[4..].copy_from_slice(&U32::new(n as u32).to_bytes());
    bytes
}

fn both_short(n: u16) -> [u8; 4] {
    let mut bytes = [0; 4];
    bytes[..2].copy_from_slice(&little::U16::new(n).to_bytes());
    bytes[2..].copy_from_slice(&U16::new(n).to_bytes());
    bytes
}

/// An entry of a folder (ECMA-119, 9.1): where the file is, its length, its name. It has no time.
fn entry(at: usize, length: usize, folder: bool, name: &[u8]) -> Vec<u8> {
    let size = (33 + name.len()).next_multiple_of(2);
    let mut entry = vec![size as u8, 0];
    entry.extend(both(at));
    entry.extend(both(length));
    // The first of January 1970; a folder, or not; one file is not interleaved, and all is on the first volume.
    entry.extend([70, 1, 1, 0, 0, 0, 0, if folder { 2 } else { 0 }, 0, 0]);
    entry.extend(both_short(1));
    entry.push(name.len() as u8);
    entry.extend(name);
    entry.resize(size, 0);
    entry
}

/// A file system with these files in its root folder, in the order of their names.
fn file_system(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut root = [entry(ROOT, SECTOR, true, &[0]), entry(ROOT, SECTOR, true, &[1])].concat();
    let mut image = vec![0; FILES * SECTOR];
    for (name, content) in files {
        root.extend(entry(image.len() / SECTOR, content.len(), false, name.as_bytes()));
        image.extend(*content);
        image.resize(image.len().next_multiple_of(SECTOR), 0);
    }
    let all = image.len() / SECTOR;
    // The table of folders: the root alone, which is its own parent.
    let table = |at: [u8; 4], parent: [u8; 2]| [&[1, 0][..], &at, &parent, &[0, 0]].concat();
    let little = table(little::U32::new(ROOT as u32).to_bytes(), [1, 0]);
    let big = table(U32::new(ROOT as u32).to_bytes(), [0, 1]);
    let mut put = |sector: usize, bytes: &[u8]| image[sector * SECTOR..][..bytes.len()].copy_from_slice(bytes);
    put(PRIMARY, &primary(all, little.len()));
    put(END, b"\xffCD001\x01");
    put(FOLDERS[0], &little);
    put(FOLDERS[1], &big);
    put(ROOT, &root);
    image
}

/// The primary volume descriptor (ECMA-119, 8.4).
fn primary(sectors: usize, table: usize) -> Vec<u8> {
    const UNTOLD: [u8; 17] = *b"0000000000000000\0";
    let mut bytes = b"\x01CD001\x01\0".to_vec();
    bytes.extend([b' '; 32]);
    bytes.extend(format!("{:32}", "cidata").bytes());
    bytes.extend([0; 8]);
    bytes.extend(both(sectors));
    bytes.extend([0; 32]);
    [1, 1, SECTOR as u16].iter().for_each(|&n| bytes.extend(both_short(n)));
    bytes.extend(both(table));
    bytes.extend(little::U32::new(FOLDERS[0] as u32).to_bytes());
    bytes.extend([0; 4]);
    bytes.extend(U32::new(FOLDERS[1] as u32).to_bytes());
    bytes.extend([0; 4]);
    bytes.extend(entry(ROOT, SECTOR, true, &[0]));
    // By what it was made, and of what, and files that tell of it: blank. Then when.
    bytes.extend([b' '; 4 * 128 + 3 * 37]);
    (0..4).for_each(|_| bytes.extend(UNTOLD));
    bytes.push(1);
    bytes.resize(SECTOR, 0);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn the_disk_has_a_file_system_that_the_host_knows_too() {
        let data = [b"#cloud-config\n".to_vec(), vec![b'x'; 5000]].concat();
        let disk = disk(&data);
        let Kind::Fba { blocks, .. } = disk.kind() else { panic!("it has blocks") };
        let mut bytes = vec![0; blocks as usize * Kind::BLOCK];
        disk.read_blocks(0, &mut bytes).unwrap();
        let image = &bytes[PARTITION..];
        assert_eq!(image.len(), (FILES + 1 + 3) * SECTOR);
        // The places of the descriptor's fields, as the standard counts them from 1.
        let descriptor = &image[PRIMARY * SECTOR..][..SECTOR];
        assert_eq!(&descriptor[40..46], b"cidata");
        assert_eq!((descriptor[80], descriptor[87], descriptor[156], descriptor[881]), (25, 25, 34, 1));
        assert_eq!(&descriptor[128..132], [0, 8, 8, 0]);
        assert_eq!(&image[(FILES + 1) * SECTOR..][..data.len()], &data);
        let path = std::env::temp_dir().join(format!("endicott-seed-{}", std::process::id()));
        std::fs::write(&path, image).unwrap();
        // Without blkid (Debian package util-linux) what is looked at above has to do.
        if let Ok(output) = Command::new("blkid").args(["-p", "-o", "export"]).arg(&path).output() {
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(said.contains("LABEL=cidata\n") && said.contains("TYPE=iso9660\n"), "{said}");
        }
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn what_cloud_init_does_not_know_is_refused() {
        let path = std::env::temp_dir().join(format!("endicott-user-data-{}", std::process::id()));
        for (text, good) in
            [("#cloud-config\nusers: []\n", true), ("#!/bin/sh\n", true), ("users: []\n", false), ("", false)]
        {
            std::fs::write(&path, text).unwrap();
            assert_eq!(read(&path).is_ok(), good, "{text}");
        }
        std::fs::remove_file(&path).unwrap();
    }
}
