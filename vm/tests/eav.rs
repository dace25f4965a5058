//! Disks of more than 65,520 cylinders, as a user makes them and as Linux uses them.

mod support;

use std::path::Path;
use std::process::Output;

use dasd::{Image, Options, Volume, label};
use support::{endicott, guest, shell};

/// Cylinders around each border of a cylinder number, and the last one.
const CYLINDERS: [u32; 8] = [3, 65_519, 65_520, 65_535, 65_536, 65_539, 131_075, 262_667];

fn dasd(folder: &Path, line: &str) -> Output {
    endicott().arg("dasd").args(line.split(' ')).current_dir(folder).output().expect("it starts")
}

#[test]
fn linux_uses_an_extended_address_volume_to_its_end() {
    let Some(guest) = guest() else { return };
    let folder = std::env::temp_dir().join(format!("endicott-eav-guest-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    let made = dasd(&folder, "create eav.3390 3390-A --volser EAV001 --linux");
    assert!(String::from_utf8_lossy(&made.stdout).contains("3390-A, 262668 cylinders"), "{made:?}");
    let shown = dasd(&folder, "show eav.3390");
    assert!(String::from_utf8_lossy(&shown.stdout).contains("The VTOC is empty."), "{shown:?}");
    // Each of these cylinders gets its number in a block of 4096 bytes; a track has 12.
    let cylinders = CYLINDERS.map(|cylinder| cylinder.to_string()).join(" ");
    let script = format!(
        "cd /modules; for m in dasd_mod dasd_eckd_mod; do insmod $m.ko; done; echo LOADED-$?\n\
         echo 1 >/sys/bus/ccw/devices/0.0.0200/online; sleep 1; dmesg | grep 'New DASD'; cat /sys/block/dasda/size\n\
         for n in {cylinders}; do echo CYLINDER-$n. >/n; dd if=/n of=/dev/dasda bs=4k seek=$((n*180+7)) \
         conv=sync,notrunc,fsync 2>/dev/null || echo BAD-$n; done; echo 3 >/proc/sys/vm/drop_caches\n\
         for n in {cylinders}; do dd if=/dev/dasda bs=4k count=1 skip=$((n*180+7)) 2>/dev/null | head -c 18; done\n\
         poweroff -f\n"
    );
    let disk = folder.join("eav.3390");
    let said = shell(&guest, &["--disk", disk.to_str().expect("its name is text")], script.as_bytes());
    if !said.contains("\nLOADED-0") {
        return println!("skipped: the guest has no modules for disks (cargo x guest makes one that has)");
    }
    assert!(said.contains("with 262668 cylinders, 15 heads, 224 sectors"), "{said}");
    assert!(said.contains(&format!("\n{}", 262_668 * 15 * 12 * 8)) && !said.contains("\nBAD-"), "{said}");
    let image = Image::open(&disk, Options { read_only: true, ..Options::default() }).expect("nobody has it");
    for cylinder in CYLINDERS {
        let text = format!("CYLINDER-{cylinder}.");
        assert!(said.contains(&format!("{text}\n")) || said.contains(&format!("{text}\r\n")), "{text}: {said}");
        let track = image.read_track(cylinder * 15).expect("it is whole");
        let record = track.records().nth(8).expect("a track has twelve");
        assert!(record.data.starts_with(text.as_bytes()), "{text}");
    }
    assert_eq!(label::cylinders(&*image), Ok(Some(262_668)));
    drop(image);
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

#[test]
fn a_disk_is_made_of_any_size_up_to_a_terabyte() {
    let folder = std::env::temp_dir().join(format!("endicott-eav-sizes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    for (words, shown) in [
        ("3390 --cylinders 65520", "3390-54, 65520 cylinders"),
        ("3390 --cylinders 65667", "3390, 65667 cylinders"),
        ("3390-A --cylinders 100", "3390, 100 cylinders"),
        ("3390 --cylinders 1182006 --volser BIG", "3390, 1182006 cylinders, BIG"),
        ("3390-A", "3390-A, 262668 cylinders"),
        // The model is kept where the size is its own with the alternate cylinders.
        ("3380-J --cylinders 886", "3380-J, 886 cylinders"),
        ("3380-J", "3380-J, 885 cylinders"),
    ] {
        let made = dasd(&folder, &format!("create disk {words}"));
        let said = String::from_utf8_lossy(&made.stdout).into_owned();
        assert_eq!(said.trim_end(), format!("disk: {shown}"), "{made:?}");
        let checked = dasd(&folder, "check --quick disk");
        assert!(checked.status.success(), "{words}: {checked:?}");
        std::fs::remove_file(folder.join("disk")).expect("it was made");
    }
    for (words, wrong) in [
        ("3390 --cylinders 1182007", "a 3390 has at most 1182006 cylinders"),
        ("3380 --cylinders 65536", "a 3380 has at most 65535 cylinders"),
    ] {
        let refused = dasd(&folder, &format!("create disk {words}"));
        assert!(String::from_utf8_lossy(&refused.stderr).contains(wrong), "{refused:?}");
    }
    // A copy of another size says that its table of contents is the old one's.
    dasd(&folder, "create old 3390 --cylinders 20 --volser WORK01");
    for (cylinders, told) in [(20, false), (30, true), (10, true)] {
        let copied = dasd(&folder, &format!("copy old new --cylinders {cylinders} --replace"));
        let said = String::from_utf8_lossy(&copied.stderr).into_owned();
        assert!(copied.status.success() && said.contains("its VTOC still says 20 cylinders") == told, "{copied:?}");
    }
    std::fs::remove_dir_all(&folder).expect("it is ours");
}
