//! What a Linux guest says on its command line about its console and its storage: it boots, or ends, and does not hang.
//!
//! A boot takes seconds. Each console and each size of storage is there once at least; `ENDICOTT_LOADING=all` tries
//! all combinations.

mod support;

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use support::{Guest, endicott, guest};

/// How a guest ends that is to boot and power off.
fn boot(guest: &Guest, words: &[&str], append: &str) -> (Option<i32>, String) {
    let mut command = endicott();
    command.arg("linux").args(words).arg("--kernel").arg(&guest.kernel).arg("--initrd").arg(&guest.initrd);
    command.args(["--append", &format!("nokaslr vmb.mode=boot {append}")]);
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
    let began = Instant::now();
    let status = loop {
        match child.try_wait().expect("it can be waited for") {
            Some(status) => break status.code(),
            None if began.elapsed() > Duration::from_secs(120) => {
                let _ = child.kill();
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    let output = child.wait_with_output().expect("it has ended");
    (status, String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Whether all combinations are wanted.
fn all() -> bool {
    std::env::var("ENDICOTT_LOADING").is_ok_and(|what| what == "all")
}

#[test]
fn every_conmode_boots_at_every_console() {
    let Some(guest) = guest() else { return };
    let mut cases = 0;
    for (n, mode) in ["3215", "3270", "sclp", "hwc", "garbage"].into_iter().enumerate() {
        for (k, words) in [&[][..], &["--console", "vt220"], &["--console", "3215"]].into_iter().enumerate() {
            // That of a 3270 hides what the kernel says, but not from each of the consoles.
            if !all() && n % 3 != k && mode != "3270" {
                continue;
            }
            let (status, said) = boot(&guest, words, &format!("conmode={mode}"));
            assert_eq!(status, Some(0), "{mode} {words:?}: {said}");
            let hidden = mode == "3270" && words != ["--console", "vt220"];
            assert_eq!(said.contains("--console vt220 shows it"), hidden, "{mode} {words:?}: {said}");
            cases += 1;
        }
    }
    println!("{cases} consoles");
}

#[test]
fn a_ram_disk_lies_in_what_mem_leaves() {
    let Some(guest) = guest() else { return };
    let mut cases = 0;
    // What is always tried stands first in its row: the least, the most, and more than there is.
    for (storage, few, limits) in [
        ("128M", 1, &["100M", "128M", "1G"][..]),
        ("512M", 1, &["200M", "100M", "400M"]),
        ("1G", 3, &["100M", "1000M", "2G", "200M", "500M"]),
        ("4G", 2, &["200M", "3G"]),
    ] {
        for limit in &limits[..if all() { limits.len() } else { few }] {
            let (status, said) = boot(&guest, &["--memory", storage], &format!("mem={limit}"));
            assert_eq!(status, Some(0), "mem={limit} of {storage}: {said}");
            cases += 1;
        }
    }
    println!("{cases} sizes");
    // A RAM disk for which the kernel leaves no room is refused with what it needs.
    let large = std::env::temp_dir().join(format!("endicott-large-{}", std::process::id()));
    let file = fs::File::create(&large).expect("the host has a folder for temporary files");
    file.set_len(198 << 20).expect("it has room for a hole");
    let (status, said) = boot(&Guest { initrd: large.clone(), ..guest }, &["--memory", "200M"], "");
    fs::remove_file(&large).expect("it is ours");
    assert!(status == Some(1) && said.contains("MiB of storage, the virtual machine has 200"), "{said}");
}
