//! Debian's kernel and its own drivers with disks, on a bare machine: what it writes is on the medium, record by
//! record.

mod linux;

use dasd::model::{CkdModel, FbaModel};
use dasd::{Count, Memory, Track, Volume};
use devices::dasd::{Cache, ControlUnit, Options, device};
use linux::{Boot, guest};
use std::sync::Arc;
use std::time::Duration;

/// A 3390 as dasdfmt leaves one in Linux's layout: twelve records of 4096 bytes on every track.
fn formatted(cylinders: u32) -> Arc<Memory> {
    let model = CkdModel::named("3390-3").unwrap();
    let volume = Memory::ckd(model, cylinders);
    for n in 0..cylinders * model.heads {
        let (cylinder, head) = ((n / model.heads) as u16, (n % model.heads) as u16);
        let mut track = Track::new(cylinder, head);
        for record in 1..=12 {
            let end = track.records().last().unwrap().end();
            track.format(end, Count { cylinder, head, record, key: 0, data: 4096 }, &[], &[0; 4096]);
        }
        volume.write_track(n, &track).unwrap();
    }
    Arc::new(volume)
}

/// Boots the guest with these disks at 0200 and 0201 until it powers off; what it said.
fn boot(disks: [(Arc<Memory>, Options); 2]) -> Option<Vec<String>> {
    let boot = Boot::new(&guest()?, "disk", Duration::from_secs(400));
    for (n, (volume, options)) in disks.into_iter().enumerate() {
        boot.machine.css().attach(0x200 + n as u16, device(volume, options)).unwrap();
    }
    boot.until(|_| false);
    let lines = boot.lines();
    if !lines.iter().any(|line| line.contains("DISK-")) && lines.iter().any(|line| line.contains("no mode named")) {
        println!("skipped: the guest images are older than their source (cargo x guest)");
        return None;
    }
    Some(lines)
}

/// Whether the driver had nothing to complain about, and read what it had written from both disks.
fn check(lines: &[String]) {
    let said = |what: &str| lines.iter().filter(|line| line.contains(what)).count();
    assert_eq!((said("DISK-SAME 0200"), said("DISK-SAME 0201"), said("DISK-DIRECT")), (1, 1, 2), "{lines:#?}");
    assert_eq!(said("I/O error") + said("Sense(hex)") + said("reason="), 0, "{lines:#?}");
}

/// What is in the records of a volume from block `block` on.
fn content(volume: &Memory, block: u32, bytes: usize) -> Vec<u8> {
    let mut all = Vec::new();
    let mut n = block;
    while all.len() < bytes {
        let track = volume.read_track(n / 12).unwrap();
        all.extend_from_slice(track.records().nth(n as usize % 12 + 1).unwrap().data);
        n += 1;
    }
    all
}

#[test]
fn linux_writes_and_reads_3390_and_9336() {
    let fixed = Arc::new(Memory::fba(FbaModel::named("9336-20").unwrap(), 20_000));
    let (disk, cache) = (formatted(20), Arc::new(Cache::new(100, 20)));
    let options = Options { paths: 2, token: Some([0x5a; 16]), cache: Some(cache.clone()), ..Options::default() };
    let Some(lines) = boot([(disk.clone(), options), (fixed.clone(), Options::default())]) else { return };
    check(&lines);
    // The driver has found the disk's descriptors, and the token.
    let token = "5a".repeat(16);
    assert!(lines.iter().any(|line| line.contains("DISK-UID IBM.") && line.ends_with(&token)), "{lines:#?}");
    // The partition of an unlabelled disk begins after its third block. An executable file begins so.
    let mut first = [0; 4 * 512];
    fixed.read_blocks(0, &mut first).unwrap();
    let written = content(&disk, 3, 8192);
    assert_eq!(&written[..6], b"\x7fELF\x02\x02");
    assert!(first.chunks(512).any(|block| block.starts_with(b"\x7fELF\x02\x02")), "{lines:#?}");
    let counts = cache.statistics(0);
    assert!(counts.reads + counts.sequential_reads > 40 && counts.writes + counts.sequential_writes > 20, "{counts:?}");
}

#[test]
fn linux_uses_an_older_control_unit_record_by_record() {
    let older = Options { control_unit: Some(ControlUnit::C3990_3), ..Options::default() };
    let (one, other) = (formatted(20), formatted(20));
    let Some(lines) = boot([(one.clone(), older.clone()), (other.clone(), older)]) else { return };
    check(&lines);
    assert!(content(&one, 3, 1 << 20) == content(&other, 3, 1 << 20));
}
