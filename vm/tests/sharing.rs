//! Two Linux guests at one minidisk: who may write, what the other sees, and RESERVE and RELEASE between them.
//!
//! The programs that ask for it are made here, executables of a few system calls, as busybox has none.

mod support;

use std::fs;
use std::path::Path;
use std::time::Duration;

use dasd::model::CkdModel;
use dasd::{Format, Image, Kind, Options, Tracks};
use debian::cpio::Archive;
use support::program::{BASE, DATA, TEXT, executable};
use support::{Client, Guest, System, guest, has_s3270};
use vectors::assemble;

/// A boot takes seconds; a busy machine gets time.
const BOOT: Duration = Duration::from_secs(300);
const ANSWER: Duration = Duration::from_secs(240);

/// Requests of Linux's DASD driver (asm/dasd.h): reserve, release, reserve unconditionally ("steal the lock").
const PROGRAMS: [(&str, u32); 3] = [("reserve", 0x4402), ("release", 0x4403), ("steal", 0x4404)];

/// Opens the file whose name is the data, asks its driver for `request` and ends with the error's number, or 0: open(name, O_RDONLY),
/// ioctl(it, request, 0), exit(-it).
fn open_and(request: u32) -> String {
    format!(
        "LLILF 2,{DATA}; LGHI 3,0; SVC 5; LTGR 2,2; BRC 4,*+16; LLILF 3,{request}; LGHI 4,0; SVC 54; LCGR 2,2; SVC 1"
    )
}

/// Whether the disk has, where the test writes, what is in a file.
const SAME: &str = "#!/bin/busybox sh
echo 3 >/proc/sys/vm/drop_caches
dd if=/dev/dasda bs=64k skip=32 count=4 2>/dev/null | cmp - /tmp/data
";

/// A minidisk of LINUX1's that others may read, and write, too, if they are many; LINUX2 has it, to read.
fn prepare(folder: &Path) {
    let file = folder.join("volumes/lin001");
    let kind = Kind::of_model(CkdModel::named("3390").expect("there is this model"), 30);
    dasd::create_with(&file, kind, Format::Plain, Tracks::Blocks, &mut |_, _| true).expect("there is room");
    let image = Image::open(&file, Options::default()).expect("it was just made");
    dasd::label::write(&*image, "LIN001").expect("there is room");
    drop(image);
    let change = |name: &str, change: &dyn Fn(String) -> String| {
        let path = folder.join(name);
        let text = fs::read_to_string(&path).expect("the sample has it");
        fs::write(&path, change(text)).expect("the folder is there");
    };
    change("SYSTEM CONFIG", &|text| format!("{text}\nDASD 0A00 volumes/lin001\n"));
    change("USER DIRECT", &|text| {
        let at = text.find("USER LINUX2").expect("the sample has LINUX2");
        // From cylinder 0 on: Linux finds the label of the volume, and blocks as dasdfmt makes them.
        let mdisk = " MDISK 200 3390 0 20 LIN001 MR ALL WRITE MULT\n\n";
        format!("{}{mdisk}{} LINK LINUX1 200 200 RR\n", &text[..at], &text[at..])
    });
}

fn boot(system: &System, guest: &Guest, initrd: &Path, user: &str) -> Client {
    let parameters = system.folder.join("parameters");
    fs::write(&parameters, "quiet nokaslr vmb.mode=shell\n").expect("the folder is there");
    let mut client = Client::connect(system);
    client.log_on(user);
    system.punch(user, &guest.kernel, false);
    system.punch(user, &parameters, true);
    system.punch(user, initrd, false);
    client.until("RDR FILE 0003", ANSWER);
    client.say("ipl 00c", "SHELL-START", BOOT);
    let modules =
        "cd /modules; insmod dasd_mod.ko; insmod dasd_eckd_mod.ko; cd /sys/bus/ccw/devices; echo END-OF-MODULES";
    client.say(modules, "\nEND-OF-MODULES", ANSWER);
    client
}

/// The guest's initial RAM disk with the programs.
fn with_programs(guest: &Guest, path: &Path) {
    let mut overlay = Archive::default();
    for (name, request) in PROGRAMS {
        let text = assemble(&open_and(request));
        let pieces: [(u64, &[u8]); 2] = [(TEXT, &text), (DATA, b"/dev/dasda\0")];
        overlay.program(&format!("bin/{name}"), &executable(DATA + 0x1000 - BASE, false, &pieces));
    }
    overlay.program("bin/same", SAME.as_bytes());
    let mut initrd = fs::read(&guest.initrd).expect("the guest is there");
    // The kernel takes archives one behind the other, packed or not, on boundaries of words.
    initrd.resize(initrd.len().next_multiple_of(4), 0);
    initrd.extend(overlay.finish());
    fs::write(path, initrd).expect("the host has a folder for temporary files");
}

#[test]
fn one_writes_and_others_read_and_reserve() {
    let Some(guest) = guest().filter(|_| has_s3270()) else { return };
    let system = System::start("sharing", prepare);
    let initrd = system.folder.join("initrd");
    with_programs(&guest, &initrd);
    let mut one = boot(&system, &guest, &initrd, "LINUX1");
    let has = one.say("ls /modules | grep -c dasd; echo END-OF-0", "\nEND-OF-0", ANSWER);
    if has.lines().any(|line| line.trim() == "0") {
        println!("skipped: the guest has no modules for disks (cargo x guest makes one that has)");
        return;
    }

    // One writes, the other reads it and cannot write.
    one.say("echo 1 >0.0.0200/online; cat 0.0.0200/status; cat 0.0.0200/readonly", "\n0", ANSWER);
    one.say("seq 1 50000 | head -c 262144 >/tmp/data; echo END-OF-1", "\nEND-OF-1", ANSWER);
    one.say("dd if=/tmp/data of=/dev/dasda bs=64k seek=32 conv=fsync; echo RESULT-$?", "\nRESULT-0", ANSWER);
    let mut two = boot(&system, &guest, &initrd, "LINUX2");
    two.say("echo 1 >0.0.0200/online; cat 0.0.0200/readonly", "\n1", ANSWER);
    two.say("seq 1 50000 | head -c 262144 >/tmp/data; echo END-OF-1", "\nEND-OF-1", ANSWER);
    two.say("same && echo SAME", "\nSAME", ANSWER);
    two.say("dd if=/tmp/data of=/dev/dasda bs=64k seek=32 conv=fsync; echo RESULT-$?", "\nRESULT-1", ANSWER);

    // LINK's modes as VM users know them: told who has it and how.
    one.say("#cp query links 200", "LINUX1   0200 R/W", ANSWER);
    one.say("#cp query links 200", "LINUX2   0200 R/O", ANSWER);
    two.say(
        "#cp link linux1 200 291 w write",
        "HCPLNM106E LINUX1 0200 not linked; R/W by LINUX1, R/O by LINUX2",
        ANSWER,
    );
    two.say(
        "#cp link linux1 200 291 wr write",
        "HCPLNM103E DASD 0291 forced R/O; R/W by LINUX1, R/O by LINUX2",
        ANSWER,
    );
    two.say("#cp detach 291", "DASD 0291 DETACHED", ANSWER);
    // Many may write if they say so: the second has it for writing, too, from here on.
    two.say("echo 0 >0.0.0200/online; echo END-OF-2", "\nEND-OF-2", ANSWER);
    two.say("#cp detach 200", "DASD 0200 DETACHED", ANSWER);
    two.say("#cp link linux1 200 200 mw mult", "DASD 0200 LINKED R/W; R/W BY LINUX1", ANSWER);
    two.say("sleep 2; echo 1 >0.0.0200/online; cat 0.0.0200/readonly", "\n0", ANSWER);

    // Reserved by the first: CP shows it to both, the second cannot reserve it, and what it reads waits until it is given back.
    one.say("reserve; echo RESULT-$?", "\nRESULT-0", ANSWER);
    one.say("cat 0.0.0200/last_known_reservation_state", "\nreserved", ANSWER);
    one.say("#cp query virtual 200 details", "NOT ELIGIBLE, RESERVED", ANSWER);
    two.say("#cp query virtual 200 details", "NOT ELIGIBLE, RESERVED", ANSWER);
    let refused = two.say("reserve; echo RESULT-$?", "\nRESULT-", ANSWER);
    assert!(!refused.contains("RESULT-0"), "{refused}");
    two.say("cat 0.0.0200/last_known_reservation_state", "\nnone", ANSWER);
    two.say("rm -f /tmp/read; echo END-OF-3", "\nEND-OF-3", ANSWER);
    two.say("(same; echo $? >/tmp/read) & sleep 5; [ -e /tmp/read ] || echo WAITING", "\nWAITING", ANSWER);
    one.say("same && echo SAME", "\nSAME", ANSWER);
    one.say("release; echo RESULT-$?", "\nRESULT-0", ANSWER);
    two.say("wait; echo READ-$(cat /tmp/read)", "\nREAD-0", ANSWER);
    one.say("#cp query virtual 200 details", "NOT ELIGIBLE, NOT RESERVED", ANSWER);

    // Now the second has it; the first takes it away, by force. The second asked its driver to fail if that happens.
    two.say("echo fail >0.0.0200/reservation_policy; reserve; echo RESULT-$?", "\nRESULT-0", ANSWER);
    let refused = one.say("reserve; echo RESULT-$?", "\nRESULT-", ANSWER);
    assert!(!refused.contains("RESULT-0"), "{refused}");
    one.say("steal; echo RESULT-$?", "\nRESULT-0", ANSWER);
    one.say("cat 0.0.0200/last_known_reservation_state", "\nreserved", ANSWER);
    one.say("same && echo SAME", "\nSAME", ANSWER);
    two.say("same; echo RESULT-$?", "\nRESULT-1", ANSWER);
    two.say("cat 0.0.0200/last_known_reservation_state", "\nlost", ANSWER);
    one.say("release; echo RESULT-$?", "\nRESULT-0", ANSWER);
    two.say("echo reset >0.0.0200/last_known_reservation_state; same && echo SAME", "\nSAME", ANSWER);

    // Who logs off has nothing reserved any more.
    one.say("reserve; echo RESULT-$?", "\nRESULT-0", ANSWER);
    one.say("#cp logoff", "LOGOFF AT", ANSWER);
    two.say("reserve; echo RESULT-$?", "\nRESULT-0", ANSWER);
    two.say("#cp logoff", "LOGOFF AT", ANSWER);
}
