//! TERMINAL CONMODE 3270: Linux draws its console itself on a real 3270 client, and CP takes the display and gives it
//! back.

mod support;

use std::time::Duration;

use support::{Client, System, guest, has_s3270};

const BOOT: Duration = Duration::from_secs(300);
const ANSWER: Duration = Duration::from_secs(60);

#[test]
fn linux_has_a_3270_console() {
    let Some(guest) = guest().filter(|_| has_s3270()) else { return };
    let system = System::start("console3270", |_| {});
    let mut client = Client::connect(&system);
    client.log_on("LINUX1");
    system.fill_reader("LINUX1", &guest, "nokaslr vmb.mode=shell conmode=3270 loglevel=4");
    client.ipl_reader(BOOT);

    // The last row is Linux's own now, and what is typed is read from its input field.
    client.enter("cat /proc/consoles; echo END-OF-$((1+0))");
    let consoles = client.until("END-OF-1", ANSWER);
    assert!(consoles.contains("tty3270"), "{consoles}");

    // The break key: CP's screen. BEGIN: the guest's, as it was.
    client.act("PA(1)");
    client.until_status("CP READ", ANSWER);
    let said = client.say("query time", "TIME IS", ANSWER);
    assert!(!said.contains("END-OF-1"), "{said}");
    client.enter("begin");
    let back = client.until("END-OF-1", ANSWER);
    assert!(back.contains("tty3270"), "{back}");

    // A message comes at once; CLEAR gives the display back.
    let mut other = Client::connect(&system);
    other.log_on("LINUX2");
    other.enter("msg linux1 hello from cp");
    client.until("hello from cp", ANSWER);
    client.act("Clear()");
    client.until("END-OF-1", ANSWER);
    client.enter("echo END-OF-$((1+1))");
    client.until("END-OF-2", ANSWER);
    client.enter("poweroff");
    client.until("CP READ", ANSWER);
}

#[test]
fn terminals_are_dialed_to_linux() {
    let Some(guest) = guest().filter(|_| has_s3270()) else { return };
    let system = System::start("dial", |_| {});
    let mut client = Client::connect(&system);
    client.log_on("LINUX1");
    client.say("define graf 320", "GRAF 0320 DEFINED", ANSWER);
    system.fill_reader("LINUX1", &guest, "nokaslr vmb.mode=shell conmode=3215 loglevel=4");
    client.ipl_reader(BOOT);

    // A terminal that no user owns becomes the guest's 3270.
    let mut caller = Client::connect(&system);
    caller.act("Clear()");
    caller.say("dial linux1", "DIALED TO LINUX1 0320", ANSWER);
    client.enter("cd /sys/bus/ccw/devices/0.0.0320; echo 1 > online; echo ONLINE-$(cat online); ls /dev/3270");
    let devices = client.until("ONLINE-1", ANSWER);
    client.act("Clear()");
    client.enter("setsid sh -c 'exec sh -i </dev/3270/tty1 >/dev/3270/tty1 2>&1' &");
    // Linux forgets an ENTER of before it has drawn its screen, and would leave the keyboard locked.
    let drawn = caller.until("BusyBox", ANSWER);
    assert!(!drawn.contains("DIALED TO"), "{drawn}");
    caller.enter("echo END-OF-$((40+2))");
    assert!(caller.until("END-OF-42", ANSWER).contains("echo END-OF"), "{devices}");
    client.enter("poweroff");
    client.until("CP READ", ANSWER);
    client.enter("logoff");
    caller.until("DROP FROM LINUX1 0320", ANSWER);
}
