//! Disks: the same reads and writes by the same kernel, of a 3390 here and on Hercules, of a virtio disk on QEMU, all
//! in files of one host file system. What the host alone takes to read as much of such a file is measured beside: no
//! machine can be quicker with a file that is not in the host's storage.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::machine::{Load, Machine};
use super::{Goal, Results, Row, Wish, booted, median, pair};
use crate::host::{self, Outcome, at, cargo, make_folder, run};

/// Cylinders of the 3390, and bytes of the virtio disk: both hold what the guest's program wants.
const CYLINDERS: &str = "240";
const BYTES: usize = 172 << 20;

/// Bytes of the regions that are read, and of a track that are data.
const REGION: u64 = 64 << 20;
const DATA: u64 = 12 * 4096;

/// The rows against each peer.
pub(super) fn disks(wish: &Wish, load: &Load) -> Outcome<Vec<Row>> {
    let folder = host::cache().join("bench/disks");
    make_folder(&folder)?;
    let mut rows = Vec::new();
    // At least QEMU's throughput, and five times Hercules'.
    for (peer, goal) in [(Machine::Qemu, Goal::Ratio(1.0)), (Machine::Hercules, Goal::Ratio(0.2))] {
        if peer.version().is_none() {
            println!("disk: {} is not installed.", peer.name());
            continue;
        }
        let rounds = wish.rounds;
        let mut results = Results::default();
        let mut alone: [Vec<f64>; 2] = Default::default();
        for number in 1..=rounds {
            for machine in pair(wish, peer) {
                let disk = folder.join(format!("{}.disk", machine.name()));
                make(machine, &disk)?;
                if machine == Machine::Endicott {
                    for (seconds, way) in alone.iter_mut().zip([sequential, blocks]) {
                        seconds.push(way(&disk)?);
                        forget(&disk)?;
                    }
                }
                let load = Load { disk: Some(disk.clone()), ..load.clone() };
                let (running, _) = booted(machine, &load, "vmb.mode=disks")?;
                results.take(machine, running, &format!("{number}/{rounds} disk"))?;
                at(&disk, fs::remove_file(&disk))?;
                let _ = fs::remove_file(disk.with_added_extension("sums"));
            }
        }
        rows.extend(results.items.iter().map(|item| {
            let row = results.samples.row(item, "s", peer, goal);
            let host = match item.as_str() {
                "seqread-cold" => median(alone[0].clone()),
                "randread-cold" => median(alone[1].clone()),
                _ => None,
            };
            Row { item: format!("disk {item}"), host: host.map(|seconds| (seconds, "s")), ..row }
        }));
    }
    Ok(rows)
}

/// Reads of one block by the item `roundtrip` of `benches/guest/disk.c`, each a request of its own: here a START
/// SUBCHANNEL and its interruption.
const ROUND_TRIPS: f64 = 8000.0;

/// Says what the rows of round trips are in a second.
pub(super) fn tell_round_trips(rows: &[Row]) {
    for row in rows.iter().filter(|row| row.item == "disk roundtrip") {
        let each = [(Machine::Endicott, row.ours), (row.peer, row.theirs)];
        let rates = each.iter().filter_map(|(machine, seconds)| {
            let seconds = seconds.filter(|seconds| *seconds > 0.0)?;
            Some(format!("{} {:.0}", machine.name(), ROUND_TRIPS / seconds))
        });
        println!("Round trips a second: {}", rates.collect::<Vec<_>>().join(", "));
    }
}

/// What a channel program costs the host's processor, on every path, beside what reports measured (docs/disks.md has
/// the tables).
pub(super) fn io() -> Outcome {
    run(&mut cargo(&["run", "--quiet", "--release", "--package", "nucleus", "--example", "disk_speed"]))
}

/// A disk of zeros, all of it written to the host's medium and none of it in the host's storage.
fn make(machine: Machine, disk: &Path) -> Outcome {
    if disk.exists() {
        at(disk, fs::remove_file(disk))?;
    }
    match machine {
        Machine::Qemu => {
            let mut file = at(disk, File::create(disk))?;
            let some = vec![0; 1 << 20];
            (0..BYTES / some.len()).try_for_each(|_| at(disk, file.write_all(&some)))?;
        }
        _ => {
            let mut create = Command::new(host::target("release").join("endicott"));
            create.args(["dasd", "create"]).arg(disk);
            create.args(["3390", "--cylinders", CYLINDERS, "--volser", "BENCH1", "--linux", "--format", "plain"]);
            run(create.stdout(Stdio::null()))?;
        }
    }
    forget(disk)?;
    let sums = disk.with_added_extension("sums");
    if sums.exists() { forget(&sums) } else { Ok(()) }
}

/// Nothing of the file is in the host's storage any more.
fn forget(disk: &Path) -> Outcome {
    let mut file = std::ffi::OsString::from("of=");
    file.push(disk);
    let mut drop = Command::new("dd");
    run(drop.arg(file).args(["oflag=nocache", "conv=notrunc,fdatasync", "count=0"]).stderr(Stdio::null()))
}

/// What the guest's program reads, as the host reads it: 64 MiB in order, as much of a 3390 as holds them; the seconds
/// it took.
fn sequential(disk: &Path) -> Outcome<f64> {
    const TRACK: u64 = 56_832;
    let file = at(disk, File::open(disk))?;
    let mut track = vec![0; TRACK as usize];
    let (first, count) = (REGION / DATA, REGION / DATA);
    let began = Instant::now();
    (first..first + count).try_for_each(|n| at(disk, file.read_exact_at(&mut track, 512 + n * TRACK)))?;
    Ok(began.elapsed().as_secs_f64())
}

/// 2000 times 4 KiB somewhere in as much.
fn blocks(disk: &Path) -> Outcome<f64> {
    let file = at(disk, File::open(disk))?;
    let mut block = vec![0; 4096];
    let mut random = fastrand::Rng::with_seed(1);
    let began = Instant::now();
    for _ in 0..2000 {
        at(disk, file.read_exact_at(&mut block, REGION + random.u64(..REGION / 4096) * 4096))?;
    }
    Ok(began.elapsed().as_secs_f64())
}
