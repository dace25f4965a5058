//! Disks: the same reads and writes by the same kernel, of a 3390 here and on Hercules, of a virtio disk on QEMU, all in
//! files of one host file system.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use super::machine::{Load, Machine};
use super::{Goal, Results, Row, Wish, booted, pair};
use crate::host::{self, Outcome, at, make_folder, run};

/// Cylinders of the 3390, and bytes of the virtio disk: both hold what the guest's program wants.
const CYLINDERS: &str = "240";
const BYTES: usize = 172 << 20;

/// The rows against each peer.
pub fn disks(wish: &Wish, load: &Load) -> Outcome<Vec<Row>> {
    let folder = host::cache().join("bench/disks");
    make_folder(&folder)?;
    let mut rows = Vec::new();
    // At least QEMU's throughput, and five times Hercules'.
    for (peer, goal) in [(Machine::Qemu, Goal::Ratio(1.0)), (Machine::Hercules, Goal::Ratio(0.2))] {
        if peer.version().is_none() {
            println!("disk: {} is not installed.", peer.name());
            continue;
        }
        let rounds = if peer == Machine::Hercules { 1 } else { wish.rounds };
        let mut results = Results::default();
        for number in 1..=rounds {
            for machine in pair(wish, peer) {
                let disk = folder.join(format!("{}.disk", machine.name()));
                make(machine, &disk)?;
                let load = Load { disk: Some(disk.clone()), ..load.clone() };
                let (running, _) = booted(machine, &load, "vmb.mode=disks")?;
                results.take(machine, running, &format!("{number}/{rounds} disk"))?;
                at(&disk, fs::remove_file(&disk))?;
            }
        }
        rows.extend(results.items.iter().map(|item| {
            let row = results.samples.row(item, "s", peer, goal);
            Row { item: format!("disk {item}"), ..row }
        }));
    }
    Ok(rows)
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
    let mut file = std::ffi::OsString::from("of=");
    file.push(disk);
    let mut drop = Command::new("dd");
    run(drop.arg(file).args(["oflag=nocache", "conv=notrunc,fdatasync", "count=0"]).stderr(Stdio::null()))
}
