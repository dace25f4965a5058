//! Debian's kernel, as people use it: in two virtual machines at once, each in front of a 3270 of its own.

mod support;

use std::fs;
use std::thread;
use std::time::Duration;

use support::line::Line;
use support::{Client, Guest, SHELL, System, guest, has_s3270};

/// A boot takes seconds; a busy machine gets time.
const BOOT: Duration = Duration::from_secs(300);
const ANSWER: Duration = Duration::from_secs(240);

/// What `seq 1 10000 | sort -r | md5sum` prints anywhere.
const CHECKSUM: &str = "720a02ba968d1efadddf947fa8d7ed18";

#[test]
fn two_users_boot_linux_from_their_readers_at_once() {
    boot_two("guests-1", 1);
}

#[test]
fn two_users_boot_linux_with_two_virtual_cpus_each() {
    boot_two("guests-2", 2);
}

/// Decks that end too early: in the middle of the kernel, and after it, where its parameters should be.
#[test]
fn a_truncated_kernel_does_not_come_up_and_harms_nobody() {
    let Some(guest) = guest() else { return };
    let system = System::start("truncated", |_| {});
    let image = fs::read(&guest.kernel).expect("the guest's kernel is there");
    let mut line = Line::log_on(&system, "linux1");
    let mut other = Line::log_on(&system, "cmsuser");
    for length in [24, 0x5000, 0x10_0000, image.len() / 2] {
        let part = system.folder.join("part");
        fs::write(&part, &image[..length]).expect("the folder is there");
        system.punch("LINUX1", &part, false);
        line.until("RDR FILE");
        let said = line.say("ipl 00c clear", "HCP");
        let known = ["HCPVMI234E", "HCPVMI233E", "HCPVMI232E", "HCPGIR450W", "HCPGIR453W", "HCPGSP2629I"];
        assert!(known.iter().any(|id| said.contains(id)), "{length}: {said}");
        line.say("query userid", "AT ENDICOTT");
        line.say("system clear", "STORAGE CLEARED");
        line.enter("close rdr");
        line.enter("purge rdr all");
        line.until("PURGED");
        other.say("query userid", "AT ENDICOTT");
    }
}

fn boot_two(name: &str, cpus: usize) {
    let Some(guest) = guest().filter(|_| has_s3270()) else { return };
    let system = System::start(name, |_| {});
    thread::scope(|scope| {
        for user in ["LINUX1", "LINUX2"] {
            let (system, guest) = (&system, &guest);
            scope.spawn(move || one_user(system, guest, user, cpus));
        }
    });
}

fn one_user(system: &System, guest: &Guest, user: &str, cpus: usize) {
    let mut client = Client::connect(system);
    client.log_on(user);
    for cpu in 1..cpus {
        client.say(&format!("define cpu {cpu}"), "DEFINED", ANSWER);
    }
    system.fill_reader(user, guest, SHELL);
    client.ipl_reader(BOOT);

    let sysinfo = client.say("cat /proc/sysinfo; echo END-OF-1", "\nEND-OF-1", ANSWER);
    assert!(sysinfo.contains("VM00 Control Program: z/VM"), "{sysinfo}");
    assert!(sysinfo.contains(user), "{sysinfo}");

    let list =
        "cd /sys/bus/ccw/devices; for d in *; do echo $d $(cat $d/devtype $d/cutype $d/online); done; echo END-OF-2";
    let devices = client.say(list, "\nEND-OF-2", ANSWER);
    for (number, kind) in [("0.0.0009", "3215"), ("0.0.000c", "2540"), ("0.0.000d", "2540"), ("0.0.000e", "1403")] {
        let row = devices.lines().find(|line| line.starts_with(number));
        assert!(row.is_some_and(|row| row.contains(kind)), "{number} is no {kind}:\n{devices}");
    }

    client.say("seq 1 10000 | sort -r | md5sum", CHECKSUM, ANSWER);
    let online = client.say("grep -c '^processor [0-9]' /proc/cpuinfo; echo END-OF-3", "\nEND-OF-3", ANSWER);
    assert!(online.lines().any(|line| line.trim() == cpus.to_string()), "{online}");

    // CP beside the guest, and the break key.
    client.say("#cp query userid", &format!("{user:<8} AT"), ANSWER);
    client.act("PA(1)");
    client.until_status("CP READ", ANSWER);
    client.say("query time", "TIME IS", ANSWER);
    client.enter("begin");
    client.until_status("RUNNING", ANSWER);
    // Disconnected, the guest runs on; a user who comes back finds it as it is then.
    client.say("(sleep 2; echo AWAKE >/tmp/awake) & echo END-OF-4", "\nEND-OF-4", ANSWER);
    client.say("#cp disconnect", "DISCONNECT AT", ANSWER);
    thread::sleep(Duration::from_secs(4));
    client.act("Enter()");
    client.until("USERID", ANSWER);
    client.log_on_again(user);
    client.enter("begin");
    client.until_status("RUNNING", ANSWER);
    client.say("until cat /tmp/awake; do sleep 1; done", "\nAWAKE", ANSWER);

    client.say("poweroff", "CP READ", ANSWER);
    client.say("logoff", "LOGOFF AT", ANSWER);
}
