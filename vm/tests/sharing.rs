//! Two Linux guests at one minidisk: which may write, what the other sees, and RESERVE and RELEASE between them.
//! They ask for it by tunedasd, of a root file system that both have to read.

mod support;

use std::path::Path;
use std::time::Duration;

use dasd::model::CkdModel;
use dasd::{Format, Image, Kind, Options, Tracks};
use support::{
    Client, Guest, SHELL, System, change, console, endicott, guest, has_s3270, root_initrd, with_linux_disks,
};

/// A boot takes seconds; a busy machine gets time.
const BOOT: Duration = Duration::from_secs(300);
const ANSWER: Duration = Duration::from_secs(240);

/// A system with tunedasd on the third disk, and the functions that the test uses: whether the first disk has, where
/// the test writes, what is in a file.
const TOOLS: [&str; 7] = [
    "cd /modules; for m in crc32c_generic crc16 mbcache jbd2 ext4; do insmod $m.ko 2>/dev/null; done",
    "for m in dasd_mod dasd_eckd_mod; do insmod $m.ko; done; cd /sys/bus/ccw/devices",
    "echo 1 >0.0.0210/online; sleep 1; mkdir /disk; mount -t ext4 -o ro,noload /dev/dasda1 /disk",
    "for n in dev proc sys; do mount -o bind /$n /disk/$n; done",
    "tunedasd() { chroot /disk tunedasd \"$@\"; }",
    "drop() { echo 3 >/proc/sys/vm/drop_caches; }",
    "same() { drop; dd if=$disk bs=64k skip=32 count=4 2>/dev/null | cmp - /tmp/data; }",
];

/// A minidisk of LINUX1's that others may read, and write, too, if they are many; LINUX2 has it, to read. Both have the
/// system.
fn prepare(folder: &Path, guest: &Guest, installer: &Path) {
    let volume = |serial: &str, cylinders: u32| {
        let file = folder.join("volumes").join(serial);
        let kind = Kind::of_model(CkdModel::named("3390").expect("there is this model"), cylinders);
        dasd::create_with(&file, kind, Format::Plain, Tracks::Blocks, &mut |_, _| true).expect("there is room");
        let image = Image::open(&file, Options::default()).expect("it was just made");
        dasd::label::write(&*image, serial).expect("there is room");
        file
    };
    volume("LIN001", 30);
    let mut install = endicott();
    install.args(["linux", "--memory", "512M", "--append", "quiet nokaslr vmb.disks=0200:cdl", "--kernel"]);
    install.arg(&guest.kernel).arg("--initrd").arg(installer).arg("--disk").arg(volume("LIN002", 230));
    let said = console(&mut install);
    assert!(said.contains("ROOT-READY 0200"), "{said}");
    change(folder, "SYSTEM CONFIG", |text| format!("{text}\nDASD 0A00 volumes/LIN001\nDASD 0A01 volumes/LIN002\n"));
    // From cylinder 0 on: Linux finds the label of the volume, and blocks as dasdfmt makes them.
    let mdisks = " MDISK 200 3390 0 20 LIN001 MR ALL WRITE MULT\n MDISK 210 3390 0 END LIN002 RR ALL\n";
    let links = " LINK LINUX1 200 200 RR\n LINK LINUX1 210 210 RR\n";
    change(folder, "USER DIRECT", |text| with_linux_disks(&text, mdisks) + links);
}

fn boot(system: &System, guest: &Guest, user: &str) -> Client {
    let mut client = Client::connect(system);
    client.log_on(user);
    system.fill_reader(user, guest, SHELL);
    client.ipl_reader(BOOT);
    for (n, line) in TOOLS.iter().enumerate() {
        client.say(&format!("{line}; echo END-OF-TOOL-$(({n}))"), &format!("\nEND-OF-TOOL-{n}"), ANSWER);
    }
    client
}

#[test]
fn one_writes_and_others_read_and_reserve() {
    let (Some(guest), Some(installer)) = (guest().filter(|_| has_s3270()), root_initrd()) else { return };
    let system = System::start("sharing", |folder| prepare(folder, &guest, &installer));
    let mut one = boot(&system, &guest, "LINUX1");

    // One writes, the other reads it and cannot write.
    one.say(
        "echo 1 >0.0.0200/online; disk=/dev/$(ls 0.0.0200/block); cat 0.0.0200/status; cat 0.0.0200/readonly",
        "\n0",
        ANSWER,
    );
    one.say("seq 1 50000 | head -c 262144 >/tmp/data; echo END-OF-1", "\nEND-OF-1", ANSWER);
    one.say("dd if=/tmp/data of=$disk bs=64k seek=32 conv=fsync; echo RESULT-$?", "\nRESULT-0", ANSWER);
    let mut two = boot(&system, &guest, "LINUX2");
    two.say("echo 1 >0.0.0200/online; disk=/dev/$(ls 0.0.0200/block); cat 0.0.0200/readonly", "\n1", ANSWER);
    two.say("seq 1 50000 | head -c 262144 >/tmp/data; echo END-OF-1", "\nEND-OF-1", ANSWER);
    two.say("same && echo SAME", "\nSAME", ANSWER);
    two.say("dd if=/tmp/data of=$disk bs=64k seek=32 conv=fsync; echo RESULT-$?", "\nRESULT-1", ANSWER);

    // LINK's modes as VM users know them: told which users have it and how.
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
    two.say("sleep 2; echo 1 >0.0.0200/online; disk=/dev/$(ls 0.0.0200/block); cat 0.0.0200/readonly", "\n0", ANSWER);

    // Reserved by the first: CP shows it to both, the second cannot reserve it, and what it reads waits until it is
    // given back.
    one.say("tunedasd -S $disk; echo RESULT-$?", "\nRESULT-0", ANSWER);
    one.say("cat 0.0.0200/last_known_reservation_state", "\nreserved", ANSWER);
    one.say("tunedasd -Q $disk", "\nreserved", ANSWER);
    two.say("tunedasd -Q $disk", "\nother", ANSWER);
    one.say("#cp query virtual 200 details", "IOASSIST ON, RESERVED", ANSWER);
    two.say("#cp query virtual 200 details", "IOASSIST ON, RESERVED", ANSWER);
    let refused = two.say("tunedasd -S $disk; echo RESULT-$?", "\nRESULT-", ANSWER);
    assert!(!refused.contains("RESULT-0"), "{refused}");
    two.say("cat 0.0.0200/last_known_reservation_state", "\nnone", ANSWER);
    two.say("rm -f /tmp/read; echo END-OF-3", "\nEND-OF-3", ANSWER);
    two.say("(same; echo $? >/tmp/read) & sleep 5; [ -e /tmp/read ] || echo WAITING", "\nWAITING", ANSWER);
    one.say("same && echo SAME", "\nSAME", ANSWER);
    one.say("tunedasd -L $disk; echo RESULT-$?", "\nRESULT-0", ANSWER);
    two.say("wait; echo READ-$(cat /tmp/read)", "\nREAD-0", ANSWER);
    one.say("#cp query virtual 200 details", "IOASSIST ON, NOT RESERVED", ANSWER);

    // Now the second has it; the first takes it away, by force. The second asked its driver to fail if that happens.
    two.say("echo fail >0.0.0200/reservation_policy; tunedasd -S $disk; echo RESULT-$?", "\nRESULT-0", ANSWER);
    let refused = one.say("tunedasd -S $disk; echo RESULT-$?", "\nRESULT-", ANSWER);
    assert!(!refused.contains("RESULT-0"), "{refused}");
    one.say("tunedasd -O $disk; echo RESULT-$?", "\nRESULT-0", ANSWER);
    one.say("cat 0.0.0200/last_known_reservation_state", "\nreserved", ANSWER);
    one.say("tunedasd -Q $disk", "\nreserved", ANSWER);
    two.say("tunedasd -Q $disk", "\nother", ANSWER);
    one.say("same && echo SAME", "\nSAME", ANSWER);
    two.say("same; echo RESULT-$?", "\nRESULT-1", ANSWER);
    two.say("cat 0.0.0200/last_known_reservation_state", "\nlost", ANSWER);
    one.say("tunedasd -L $disk; echo RESULT-$?", "\nRESULT-0", ANSWER);
    two.say("echo reset >0.0.0200/last_known_reservation_state; same && echo SAME", "\nSAME", ANSWER);

    // A user who logs off has nothing reserved any more.
    one.say("tunedasd -S $disk; echo RESULT-$?", "\nRESULT-0", ANSWER);
    one.say("#cp logoff", "LOGOFF AT", ANSWER);
    two.say("tunedasd -S $disk; echo RESULT-$?", "\nRESULT-0", ANSWER);
    two.say("#cp logoff", "LOGOFF AT", ANSWER);
}
