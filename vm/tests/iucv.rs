//! IUCV between two Linux guests: Linux's own drivers talk over a path, and CP's messages reach them.

mod support;

use std::thread;
use std::time::Duration;

use support::{Client, SHELL, System, guest, has_s3270};

const BOOT: Duration = Duration::from_secs(300);
const ANSWER: Duration = Duration::from_secs(60);

#[test]
fn two_linux_guests_talk_over_iucv() {
    let Some(guest) = guest().filter(|_| has_s3270()) else { return };
    let system = System::start("iucv", |_| {});
    let boot = |user: &str| {
        let mut client = Client::connect(&system);
        client.log_on(user);
        system.fill_reader(user, &guest, &format!("{SHELL} cmm.sender=LINUX2"));
        client.ipl_reader(BOOT);
        client
    };
    let (mut one, mut two) = thread::scope(|scope| {
        let one = scope.spawn(|| boot("LINUX1"));
        let two = scope.spawn(|| boot("LINUX2"));
        (one.join().expect("LINUX1 starts"), two.join().expect("LINUX2 starts"))
    });

    // A special message for LINUX1's kernel, which is connected to *MSG: its memory balloon takes orders so.
    two.say("#cp smsg linux1 CMM SHRINK 500#cp query userid", "AT ENDICOTT", ANSWER);
    one.say("sleep 1; cat /proc/sys/vm/cmm_pages", "\n500", ANSWER);

    let modules = one.say("ls /modules; echo END-OF-1", "\nEND-OF-1", ANSWER);
    if !modules.contains("netiucv.ko") {
        println!("skipped: the guest's initramfs has no modules (cargo x guest makes one that has)");
        return;
    }
    // The kernel's point-to-point network over IUCV: each side knows the other's user ID.
    for (client, peer, own, other) in
        [(&mut one, "LINUX2", "10.1.1.1", "10.1.1.2"), (&mut two, "LINUX1", "10.1.1.2", "10.1.1.1")]
    {
        client.say("insmod /modules/fsm.ko; insmod /modules/netiucv.ko; echo END-OF-2", "\nEND-OF-2", ANSWER);
        client.say(
            &format!("echo {peer} > /sys/bus/iucv/drivers/netiucv/connection; echo END-OF-3"),
            "\nEND-OF-3",
            ANSWER,
        );
        client.say(
            &format!("ip addr add {own} peer {other} dev iucv0; ip link set iucv0 up; echo END-OF-4"),
            "\nEND-OF-4",
            ANSWER,
        );
    }
    one.say("ping -c 20 -i 0.2 -s 4000 10.1.1.2", " 0% packet loss", ANSWER);
    two.say("nc -l -p 7 | md5sum & sleep 1; echo END-OF-5", "\nEND-OF-5", ANSWER);
    one.enter("seq 1 100000 | nc 10.1.1.2 7");
    // What `seq 1 100000 | md5sum` prints anywhere.
    two.until("dea9193b768319cbb4ff1a137ac03113", ANSWER);

    // A path ends with the virtual machine at its other end, and the rest goes on.
    two.say("poweroff", "CP READ", ANSWER);
    two.say("logoff", "LOGOFF AT", ANSWER);
    one.say("ping -c 2 -W 1 10.1.1.2; cat /proc/interrupts | grep -i iuc; echo END-OF-7", "\nEND-OF-7", ANSWER);
    one.say("poweroff", "CP READ", ANSWER);
}
