//! The file system of `guest/cms/edf` on this host: random work against a model, kills at every write, damaged disks.

use cms::{edfdisk, good};

#[test]
fn random_work_agrees_with_a_model() {
    // Seeds divisible by 7 have a disk so small that it is full again and again.
    for size in ["512", "1024", "2048", "4096"] {
        for seed in ["1", "2", "7", "14"] {
            good(&["trial", size, seed, "150"]);
        }
    }
}

#[test]
fn a_kill_at_any_write_leaves_the_old_disk_or_the_new_one() {
    let mut kills = 0;
    for size in ["512", "1024", "2048", "4096"] {
        for seed in ["3", "7"] {
            let said = good(&["kills", size, seed, "15"]);
            kills += said.split_whitespace().nth(2).and_then(|n| n.parse::<u32>().ok()).unwrap_or(500);
        }
    }
    assert!(kills > 500, "{kills} kills were tried");
}

#[test]
fn damaged_disks_are_refused_or_read_and_break_nothing() {
    for size in ["512", "1024", "2048", "4096"] {
        good(&["scribble", size, "1", "300"]);
    }
}

#[test]
fn files_of_the_host_come_back_as_they_were() {
    let folder = std::env::temp_dir().join(format!("edf-files-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the host has a folder for temporary files");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let text: String = (0..3000).map(|n| format!("line {n} [{}] \\ ^ ~ | !\n", "x".repeat(n % 90))).collect();
    std::fs::write(path("text"), &text).expect("the folder is there");
    for size in ["512", "1024", "2048", "4096"] {
        let disk = path(size);
        if good(&["format", &disk, "2000", size, "TEXTS"]).is_empty() && edfdisk().is_none() {
            return;
        }
        good(&["put", &disk, "SAMPLE", "DATA", "A1", &path("text"), "V"]);
        good(&["put", &disk, "SAMPLE", "CARDS", "A2", &path("text"), "F", "120"]);
        good(&["put", &disk, "SAMPLE", "DATA", "A1", &path("text"), "V"]);
        assert_eq!(good(&["get", &disk, "SAMPLE", "DATA"]), text);
        let cards = good(&["get", &disk, "SAMPLE", "CARDS"]);
        assert!(cards.lines().all(|card| card.len() == 120));
        assert!(cards.lines().zip(text.lines()).all(|(card, line)| card.trim_end() == line.trim_end()));
        let list = good(&["list", &disk]);
        assert!(list.contains("SAMPLE   DATA     A1 V"), "{list}");
        assert!(list.contains("2 files"), "{list}");
        good(&["check", &disk]);
    }
    let _ = std::fs::remove_dir_all(&folder);
}

/// The map of the allocation has one block for 8 times the block size in blocks: it shrinks and grows with the disk.
#[test]
fn disks_become_smaller_and_larger_and_one_file() {
    let folder = std::env::temp_dir().join(format!("edf-sizes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the host has a folder for temporary files");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let text: String = (0..500).map(|n| format!("line {n}\n")).collect();
    std::fs::write(path("text"), &text).expect("the folder is there");
    let disk = path("disk");
    if good(&["format", &disk, "20000", "512", "SIZES"]).is_empty() && edfdisk().is_none() {
        return;
    }
    good(&["put", &disk, "SAMPLE", "DATA", "A1", &path("text"), "V"]);
    for blocks in ["3000", "4096", "4097", "20000", "600", "12000"] {
        good(&["resize", &disk, blocks]);
        let list = good(&["list", &disk]);
        assert!(list.contains(&format!("of {blocks} blocks")), "{list}");
        assert_eq!(good(&["get", &disk, "SAMPLE", "DATA"]), text);
        good(&["check", &disk]);
        good(&["put", &disk, "SAMPLE", "DATA", "A1", &path("text"), "V"]);
        good(&["check", &disk]);
    }
    // Too small for what is there: nothing changes.
    let refused = cms::run(edfdisk().expect("it is there"), &["resize", &disk, "20"]);
    assert!(!refused.status.success());
    good(&["check", &disk]);
    for (size, blocks) in [("512", "20000"), ("1024", "3000"), ("4096", "400")] {
        let disk = path(size);
        good(&["format", &disk, blocks, size, "WHOLE"]);
        good(&["reserve", &disk, "ONE", "FILE"]);
        let list = good(&["list", &disk]);
        assert!(list.contains("1 files"), "{list}");
        good(&["check", &disk]);
        let again = cms::run(edfdisk().expect("it is there"), &["reserve", &disk, "TWO", "FILE"]);
        assert!(!again.status.success());
    }
    let _ = std::fs::remove_dir_all(&folder);
}
