//! Networks of CP between Linux guests: Debian's kernel in two virtual machines, on a guest LAN, on a virtual switch
//! with a way out, and at the two ends of a channel-to-channel adapter.

mod support;

use std::path::Path;
use std::thread;
use std::time::Duration;

use support::{Client, SHELL, System, change, guest, has_s3270};

const BOOT: Duration = Duration::from_secs(300);
const ANSWER: Duration = Duration::from_secs(60);

/// The sample system, with what the test needs: a network adapter for LINUX1 and a switch with a way out.
fn prepare(folder: &Path) {
    change(folder, "USER DIRECT", |text| {
        let own = " MDISK 191 3390 456 5 VMRES MR\n";
        assert!(text.contains(own));
        text.replacen(own, &format!("{own} NICDEF 1000 TYPE VIRTIO LAN SYSTEM LAN1\n SPECIAL 0600 CTCA\n"), 1)
    });
    change(folder, "SYSTEM CONFIG", |text| format!("{text}DEFINE VSWITCH OUTSIDE UPLINK USER HOSTACCESS ON\n"));
}

/// What a guest's shell says to a line of commands.
fn shell(client: &mut Client, line: &str, number: &mut u32) -> String {
    *number += 1;
    client.say(&format!("{line}; echo END-OF-{number}"), &format!("\nEND-OF-{number}"), ANSWER)
}

#[test]
fn two_linux_guests_on_networks_of_cp() {
    let Some(guest) = guest().filter(|_| has_s3270()) else { return };
    let system = System::start("lan", prepare);
    let (mut one, mut two) = thread::scope(|scope| {
        let start = |user: &'static str, before: &'static [(&'static str, &'static str)]| {
            let (system, guest) = (&system, &guest);
            scope.spawn(move || {
                let mut client = Client::connect(system);
                client.log_on(user);
                for (command, answer) in before {
                    client.say(command, answer, ANSWER);
                }
                system.fill_reader(user, guest, SHELL);
                client.ipl_reader(BOOT);
                client
            })
        };
        let one = start("LINUX1", &[("query nic", "LAN: SYSTEM LAN1")]);
        let two = start("LINUX2", &[("define nic 1000", "devices 1000-1000 defined"), ("define ctca 600", "DEFINED")]);
        (one.join().expect("LINUX1 starts"), two.join().expect("LINUX2 starts"))
    });
    let n = &mut 0;
    let modules = "for m in failover net_failover virtio_net; do insmod /modules/$m.ko; done; ip link set eth0 up";
    for (client, address) in [(&mut one, "10.1.1.1"), (&mut two, "10.1.1.2")] {
        shell(client, modules, n);
        shell(client, &format!("ip addr add {address}/24 dev eth0"), n);
    }
    // LINUX2's cable is in no port, until it is.
    let carrier = "sleep 1; cat /sys/class/net/eth0/carrier";
    assert!(shell(&mut one, carrier, n).contains("\n1"));
    assert!(shell(&mut two, carrier, n).contains("\n0"));
    two.say("#cp couple 1000 to system lan1", "NIC 1000 is connected to LAN SYSTEM LAN1", ANSWER);
    assert!(shell(&mut two, carrier, n).contains("\n1"));
    one.say("ping -c 20 -i 0.05 10.1.1.2", " 0% packet loss", ANSWER);
    one.say("ping -c 5 -i 0.05 -s 20000 10.1.1.2", " 0% packet loss", ANSWER);
    let said = one.say("#cp query nic details", "TX Bytes", ANSWER);
    assert!(said.contains("Type: VIRTIO"), "{said}");
    two.say("#cp uncouple 1000", "is disconnected from LAN SYSTEM LAN1", ANSWER);
    one.say("ping -c 3 -W 1 10.1.1.2", "100% packet loss", ANSWER);

    way_out(&system, &mut two, n);
    if shell(&mut one, "ls /modules", n).contains("lcs.ko") {
        channel_to_channel(&mut one, &mut two, n);
        osa(&mut one, &mut two, n);
        at_layer_3(&mut one, &mut two, n);
        hipersockets(&mut one, &mut two, n);
        station(&mut one, &mut two, n);
    } else {
        println!("the guest's initramfs has no ctcm.ko, qeth.ko and lcs.ko (cargo x guest makes one that has)");
    }

    two.say("poweroff", "CP READ", ANSWER);
    two.say("logoff", "LOGOFF AT", ANSWER);
    one.say("poweroff", "CP READ", ANSWER);
}

/// A second network for a guest that runs: a restricted switch, whose way out is the host's network.
fn way_out(system: &System, two: &mut Client, n: &mut u32) {
    two.say("#cp define nic 1001", "NIC 1001 is created", ANSWER);
    two.say("#cp couple 1001 to system outside", "not authorized to COUPLE", ANSWER);
    let mut maint = Client::connect(system);
    maint.log_on("MAINT");
    maint.say("set vswitch outside grant linux2", "Command complete", ANSWER);
    two.say("#cp couple 1001 to system outside", "connected to VSWITCH SYSTEM OUTSIDE", ANSWER);
    shell(two, "sleep 1; ip link set eth1 up; udhcpc -i eth1 -n -q -s /bin/true", n);
    shell(two, "ip addr add 10.0.2.15/24 dev eth1", n);
    two.say("ping -c 5 -i 0.05 10.0.2.2", " 0% packet loss", ANSWER);
    let said = maint.say("query vswitch outside details", "TX Bytes", ANSWER);
    assert!(said.contains("State: Ready") && said.contains("Gateway: 10.0.2.2"), "{said}");
    maint.say("set vswitch outside revoke linux2", "Command complete", ANSWER);
    two.until("NIC 1001 is disconnected from VSWITCH SYSTEM OUTSIDE", ANSWER);
    maint.say("logoff", "LOGOFF AT", ANSWER);
}

/// Linux's driver wants two adapters: what one side writes, the other reads.
fn channel_to_channel(one: &mut Client, two: &mut Client, n: &mut u32) {
    for client in [&mut *one, &mut *two] {
        client.say("#cp define ctca 601", "DEFINED", ANSWER);
    }
    one.say("#cp couple 600 to linux2 601", "COUPLE TO LINUX2 0601", ANSWER);
    one.say("#cp couple 601 to linux2 600", "COUPLE TO LINUX2 0600", ANSWER);
    for client in [&mut *one, &mut *two] {
        shell(client, "sleep 1; for m in ccwgroup fsm ctcm; do insmod /modules/$m.ko; done", n);
        shell(client, "echo 0.0.0600,0.0.0601 > /sys/bus/ccwgroup/drivers/ctcm/group", n);
        shell(client, "echo 1 > /sys/bus/ccwgroup/drivers/ctcm/0.0.0600/online", n);
    }
    for (client, own, other) in [(&mut *one, "10.2.2.1", "10.2.2.2"), (&mut *two, "10.2.2.2", "10.2.2.1")] {
        shell(
            client,
            &format!("ip addr add {own} peer {other} dev slc0 || ip addr add {own} peer {other} dev ctc0"),
            n,
        );
        shell(client, "ip link set slc0 up || ip link set ctc0 up", n);
    }
    shell(one, "for i in 1 2 3 4 5 6; do ping -c 1 -W 5 10.2.2.2 && break; done", n);
    one.say("ping -c 20 -i 0.1 -s 1000 10.2.2.2", " 0% packet loss", ANSWER);
    // The cable is pulled.
    two.say("#cp uncouple 600", "CTCA 0600 DROP LINUX1 0601", ANSWER);
    one.say("ping -c 2 -W 1 10.2.2.2", "100% packet loss", ANSWER);
    // And put in again: both drivers look for each other every five seconds.
    two.say("#cp couple 600 to linux1 601", "CTCA 0600 COUPLE TO LINUX1 0601", ANSWER);
    comes_back(one, "10.2.2.2", n);
    comes_back(two, "10.2.2.1", n);
    moves_a_file(one, two, "10.2.2.2", n);
}

/// The guest reaches this address again, after a while.
fn comes_back(client: &mut Client, address: &str, n: &mut u32) {
    shell(client, &format!("for i in $(seq 30); do ping -c 1 -W 1 {address} && break; done"), n);
    client.say(&format!("ping -c 10 -i 0.1 {address}"), " 0% packet loss", ANSWER);
}

/// Eight megabytes go from one guest to the other as they are.
fn moves_a_file(from: &mut Client, to: &mut Client, address: &str, n: &mut u32) {
    shell(to, "nc -l -p 9000 > /got & sleep 1", n);
    shell(from, "dd if=/dev/urandom of=/file bs=64k count=128", n);
    shell(from, &format!("nc {address} 9000 < /file"), n);
    let sum = |client: &mut Client, file: &str, n: &mut u32| {
        let said = shell(client, &format!("wait; md5sum < {file}; rm {file}"), n);
        let sum = said.split_whitespace().find(|word| word.len() == 32 && word.bytes().all(|b| b.is_ascii_hexdigit()));
        sum.unwrap_or_else(|| panic!("{said}")).to_owned()
    };
    assert_eq!(sum(from, "/file", n), sum(to, "/got", n), "what went to {address}");
}

/// An adapter of type QDIO, with Debian's driver, on a LAN with one of type VIRTIO.
fn osa(one: &mut Client, two: &mut Client, n: &mut u32) {
    one.say("#cp define lan mine", "LAN LINUX1 MINE is created", ANSWER);
    one.say("#cp define nic 700 type qdio", "devices 0700-0702 defined", ANSWER);
    two.say("#cp define nic 1002", "devices 1002-1002 defined", ANSWER);
    two.say("#cp couple 1002 linux1 mine", "NIC 1002 is connected to LAN LINUX1 MINE", ANSWER);
    shell(two, "sleep 1; ip addr add 10.3.3.2/24 dev eth2; ip link set eth2 up", n);
    shell(one, "sleep 1; for m in llc stp bridge qeth qeth_l2; do insmod /modules/$m.ko; done", n);
    shell(one, "echo 0.0.0700,0.0.0701,0.0.0702 > /sys/bus/ccwgroup/drivers/qeth/group", n);
    let device = "/sys/bus/ccwgroup/drivers/qeth/0.0.0700";
    let said = shell(one, &format!("echo 1 > {device}/online; cat {device}/state"), n);
    assert!(said.contains("\nUP") || said.contains("\nSOFTSETUP"), "{said}");
    shell(one, &format!("d=$(cat {device}/if_name); ip addr add 10.3.3.1/24 dev $d; ip link set $d up"), n);
    // Its link is down until it is coupled.
    assert!(shell(one, "sleep 1; cat /sys/class/net/$d/carrier", n).contains("\n0"));
    one.say("#cp couple 700 to * mine", "NIC 0700 is connected to LAN LINUX1 MINE", ANSWER);
    assert!(shell(one, "sleep 2; cat /sys/class/net/$d/carrier", n).contains("\n1"));
    one.say("ping -c 20 -i 0.05 10.3.3.2", " 0% packet loss", ANSWER);
    two.say("ping -c 5 -i 0.05 -s 20000 10.3.3.1", " 0% packet loss", ANSWER);
    let said = one.say("#cp query nic 700 details", "TX Bytes", ANSWER);
    assert!(said.contains("Type: QDIO") && said.contains("Devices: 3"), "{said}");
    shell(one, &format!("echo 0 > {device}/online; echo 1 > {device}/online"), n);
    shell(one, "ip addr add 10.3.3.1/24 dev $d; ip link set $d up; sleep 1", n);
    one.say("ping -c 3 -i 0.2 10.3.3.2", " 0% packet loss", ANSWER);
    moves_a_file(one, two, "10.3.3.2", n);
    moves_a_file(two, one, "10.3.3.1", n);
    one.say("#cp detach nic 700", "devices 0700-0702 detached", ANSWER);
}

/// Sets up an adapter with Debian's driver at layer 3.
fn packets(client: &mut Client, base: u16, address: &str, n: &mut u32) {
    let [read, write, data] = [base, base + 1, base + 2].map(|number| format!("0.0.{number:04x}"));
    shell(client, "sleep 1; for m in ccwgroup llc stp bridge qeth qeth_l3; do insmod /modules/$m.ko; done", n);
    // A line of a 3270 is short.
    shell(client, &format!("cd /sys/bus/ccwgroup/drivers/qeth; echo {read},{write},{data} > group; cd {read}"), n);
    let said = shell(client, "echo 0 > layer2; echo 1 > online; cat state", n);
    assert!(said.contains("\nUP") || said.contains("\nSOFTSETUP"), "{said}");
    shell(client, &format!("d=$(cat if_name); cd /; ip addr add {address}/24 dev $d; ip link set $d up"), n);
}

/// The same adapter at layer 3, where it is the one that has the Ethernet: packets of IPv4, and frames of IPv6.
fn at_layer_3(one: &mut Client, two: &mut Client, n: &mut u32) {
    one.say("#cp define nic 710 type qdio", "devices 0710-0712 defined", ANSWER);
    one.say("#cp couple 710 to * mine", "NIC 0710 is connected to LAN LINUX1 MINE", ANSWER);
    packets(one, 0x710, "10.3.3.11", n);
    shell(one, "ip addr add fd03::11/64 dev $d", n);
    shell(two, "ip addr add fd03::2/64 dev eth2; sleep 3", n);
    one.say("ping -c 20 -i 0.05 10.3.3.2", " 0% packet loss", ANSWER);
    two.say("ping -c 5 -i 0.05 -s 20000 10.3.3.11", " 0% packet loss", ANSWER);
    one.say("ping -6 -c 5 -i 0.05 fd03::2", " 0% packet loss", ANSWER);
    moves_a_file(one, two, "10.3.3.2", n);
    moves_a_file(two, one, "10.3.3.11", n);
    // An address that is another adapter's now: neighbours are told.
    shell(one, "ip addr add 10.3.3.12/24 dev $d", n);
    two.say("ping -c 3 -i 0.2 10.3.3.12", " 0% packet loss", ANSWER);
    shell(one, "ip addr del 10.3.3.12/24 dev $d; sleep 1", n);
    two.say("ip neigh flush all; ping -c 2 -W 1 10.3.3.12", "100% packet loss", ANSWER);
    // The cable is pulled, and put in again.
    one.say("#cp uncouple 710", "is disconnected from LAN LINUX1 MINE", ANSWER);
    assert!(shell(one, "sleep 2; cat /sys/class/net/$d/carrier", n).contains("\n0"));
    one.say("#cp couple 710 to * mine", "NIC 0710 is connected to LAN LINUX1 MINE", ANSWER);
    comes_back(one, "10.3.3.2", n);
    one.say("#cp detach nic 710", "devices 0710-0712 detached", ANSWER);
}

/// A LAN of HiperSockets.
fn hipersockets(one: &mut Client, two: &mut Client, n: &mut u32) {
    one.say("#cp define lan hs type hipersockets", "LAN LINUX1 HS is created", ANSWER);
    for (client, address) in [(&mut *one, "10.5.5.1"), (&mut *two, "10.5.5.2")] {
        client.say("#cp define nic 720 type hipersockets", "devices 0720-0722 defined", ANSWER);
        client.say("#cp couple 720 to linux1 hs", "NIC 0720 is connected to LAN LINUX1 HS", ANSWER);
        packets(client, 0x720, address, n);
    }
    assert!(shell(one, "cat /sys/class/net/$d/mtu", n).contains("\n8192"));
    one.say("ping -c 20 -i 0.05 10.5.5.2", " 0% packet loss", ANSWER);
    two.say("ping -c 5 -i 0.05 -s 20000 10.5.5.1", " 0% packet loss", ANSWER);
    moves_a_file(one, two, "10.5.5.2", n);
    moves_a_file(two, one, "10.5.5.1", n);
}

/// A LAN channel station with Debian's driver, on the LAN with an adapter of type VIRTIO.
fn station(one: &mut Client, two: &mut Client, n: &mut u32) {
    one.say("#cp define nic 900 type lcs", "devices 0900-0901 defined", ANSWER);
    one.say("#cp couple 900 to * mine", "NIC 0900 is connected to LAN LINUX1 MINE", ANSWER);
    shell(one, "sleep 1; insmod /modules/ccwgroup.ko; insmod /modules/lcs.ko", n);
    shell(one, "echo 0.0.0900,0.0.0901 > /sys/bus/ccwgroup/drivers/lcs/group", n);
    shell(one, "echo 1 > /sys/bus/ccwgroup/drivers/lcs/0.0.0900/online", n);
    shell(one, "d=$(ls /sys/bus/ccwgroup/drivers/lcs/0.0.0900/net)", n);
    shell(one, "ip addr add 10.3.3.21/24 dev $d; ip link set $d up; sleep 1", n);
    let said = shell(one, "cat /sys/class/net/$d/address", n);
    assert!(said.contains("02:00:00:"), "{said}");
    two.say("ping -c 20 -i 0.05 10.3.3.21", " 0% packet loss", ANSWER);
    one.say("ping -c 5 -i 0.05 -s 20000 10.3.3.2", " 0% packet loss", ANSWER);
    moves_a_file(one, two, "10.3.3.2", n);
    moves_a_file(two, one, "10.3.3.21", n);
    one.say("#cp uncouple 900", "is disconnected from LAN LINUX1 MINE", ANSWER);
    one.say("ping -c 2 -W 1 10.3.3.2", "100% packet loss", ANSWER);
    one.say("#cp couple 900 to * mine", "NIC 0900 is connected to LAN LINUX1 MINE", ANSWER);
    comes_back(one, "10.3.3.2", n);
}
