//! Wires to the host: a TAP, in a network namespace of the test's own, and `passt`. What is not there is said, and the
//! test is skipped.

mod guest;

use guest::{Guest, pattern};
use smoltcp::iface::SocketHandle;
use smoltcp::socket::dhcpv4;
use smoltcp::wire::{IpCidr, Ipv4Address};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use uplink::Publish;
use uplink::wire::{Passt, Target, Wire};

const LIMIT: Duration = Duration::from_secs(60);
/// How much goes each way through a TAP.
const MUCH: usize = 2_000_000;
/// And through `passt`, which loses what finds no room in its socket and is slow to send it again: less than there is.
const LITTLE: usize = 100_000;
/// Set in the process that has a network namespace of its own.
const INSIDE: &str = "ENDICOTT_OWN_NETWORK";

fn bytes(length: usize) -> Vec<u8> {
    (0..length as u64).map(pattern).collect()
}

/// The host's part of a conversation: it sends, reads as much, and tells whether that was right.
fn converse(mut stream: TcpStream, length: usize) -> bool {
    let mut back = stream.try_clone().unwrap();
    let reader = thread::spawn(move || {
        let mut got = vec![0; length];
        back.read_exact(&mut got).is_ok() && got == bytes(length)
    });
    stream.write_all(&bytes(length)).is_ok() && reader.join().unwrap()
}

/// The guest's part.
fn answer(guest: &mut Guest<Wire>, socket: SocketHandle, host: &JoinHandle<bool>, length: usize) {
    let all = bytes(length);
    let (mut sent, mut got) = (0, Vec::new());
    guest.until(LIMIT, "a conversation", |guest| {
        let socket = guest.tcp(socket);
        if socket.can_send() {
            sent += socket.send_slice(&all[sent..]).unwrap();
        }
        if socket.can_recv() {
            socket.recv(|data| (data.len(), got.extend_from_slice(data))).unwrap();
        }
        (sent, got.len()) == (length, length) && host.is_finished()
    });
    assert!(got == all, "what the host sent");
}

/// Runs the test `name` of this file again in a network namespace of its own; false: there is none, and why is said.
fn in_own_network(name: &str) -> bool {
    let exe = std::env::current_exe().unwrap();
    let ways: [&[&str]; 2] = [&["--net"], &["--user", "--map-root-user", "--net"]];
    let allowed =
        |way: &&&[&str]| Command::new("unshare").args(**way).arg("true").output().is_ok_and(|o| o.status.success());
    let Some(way) = ways.iter().find(allowed) else {
        println!("skipped: this process may have no network namespace of its own (unshare --net)");
        return false;
    };
    let mut command = Command::new("unshare");
    command.args(*way).arg(exe).args(["--exact", name, "--nocapture"]).env(INSIDE, "1");
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    println!("{said}");
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    true
}

fn ip(words: &str) {
    let status = Command::new("ip").args(words.split(' ')).status();
    assert!(status.is_ok_and(|status| status.success()), "ip {words}");
}

#[test]
fn a_tap_leads_to_the_hosts_kernel() {
    if std::env::var_os(INSIDE).is_none() {
        in_own_network("a_tap_leads_to_the_hosts_kernel");
        return;
    }
    if Command::new("ip").arg("-V").output().is_err() {
        return println!("skipped: there is no program ip (iproute2)");
    }
    let target = || Target::Tap("tap7".into());
    // One that is there already, made by an administrator; it is down at first, and what is sent to it is lost.
    let made = Command::new("ip").args(["tuntap", "add", "dev", "tap7", "mode", "tap"]).output().unwrap();
    if !made.status.success() {
        return println!("skipped: no TAP can be made here: {}", String::from_utf8_lossy(&made.stderr).trim());
    }
    let mut guest = Guest::at_wire(target()).unwrap();
    let taken = Guest::at_wire(target()).map(drop).unwrap_err().to_string();
    assert!(taken.contains("interface tap7") && taken.contains("another program has it open"), "{taken}");
    ip("addr add 10.9.0.1/24 dev tap7");
    guest.face.update_ip_addrs(|own| own.push(IpCidr::new(Ipv4Address::new(10, 9, 0, 2).into(), 24)).unwrap());
    // The guest calls the host.
    let listener = TcpListener::bind("10.9.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    let host = thread::spawn(move || converse(listener.accept().unwrap().0, MUCH));
    let socket = guest.add_tcp(1 << 16);
    guest.call(socket, at, 40_000);
    answer(&mut guest, socket, &host, MUCH);
    assert!(host.join().unwrap());
    // The host calls the guest.
    let socket = guest.add_tcp(1 << 16);
    guest.tcp(socket).listen(80).unwrap();
    let host = thread::spawn(|| converse(TcpStream::connect("10.9.0.2:80").unwrap(), MUCH));
    answer(&mut guest, socket, &host, MUCH);
    assert!(host.join().unwrap());
    // An interface that is taken away, and made again.
    ip("link del tap7");
    guest.until(LIMIT, "the interface is gone", |guest| !guest.uplink.is_connected());
    guest.until(LIMIT, "it is made again", |guest| guest.uplink.is_connected());
    let notices = guest.uplink.notices();
    assert!(notices[0].contains("interface tap7 is gone") && notices[1].contains("is there again"), "{notices:?}");
    // What is no TAP.
    ip("link add name veth7 type veth peer name veth8");
    let wrong = Guest::at_wire(Target::Tap("veth7".into())).map(drop).unwrap_err().to_string();
    assert!(wrong.contains("interface veth7") && wrong.contains("no TAP"), "{wrong}");
}

#[test]
fn a_tap_of_an_administrators_wants_no_privilege_and_else_the_remedy_is_said() {
    // Without the privilege, in the namespace that there is: there is no such interface, and none can be made.
    if !std::path::Path::new("/dev/net/tun").exists() {
        let wrong = Guest::at_wire(Target::Tap("endicott7".into())).map(drop).unwrap_err().to_string();
        return assert!(wrong.contains("modprobe tun"), "{wrong}");
    }
    match Guest::at_wire(Target::Tap("endicott7".into())).map(drop) {
        Ok(()) => println!("this process may make interfaces: nothing is refused"),
        Err(error) => assert!(error.to_string().contains("ip tuntap add dev endicott7 mode tap user USER"), "{error}"),
    }
}

/// Gets an address by DHCP.
fn lease(guest: &mut Guest<Wire>) -> (smoltcp::wire::Ipv4Cidr, Option<Ipv4Address>) {
    let client = guest.sockets.add(dhcpv4::Socket::new());
    let mut lease = None;
    guest.until(LIMIT, "a lease", |guest| {
        let event = guest.sockets.get_mut::<dhcpv4::Socket<'_>>(client).poll();
        if let Some(dhcpv4::Event::Configured(got)) = event {
            lease = Some((got.address, got.router));
        }
        lease.is_some()
    });
    // Another one would not hear what this one hears.
    guest.sockets.remove(client);
    lease.unwrap()
}

#[test]
fn passt_leads_to_the_hosts_sockets_and_is_started_again() {
    if Command::new("passt").arg("--version").output().is_err() {
        let missing = Guest::at_wire(Target::Passt(Passt::default())).map(drop).unwrap_err().to_string();
        assert!(missing.contains("passt is not installed"), "{missing}");
        return println!("skipped: passt is not installed");
    }
    let publish: Publish = "127.0.0.1:0:80".parse().unwrap();
    let passt = Passt::new(vec![publish], true).unwrap();
    let port = passt.published()[0].host;
    assert_ne!(port.port(), 0);
    let mut guest = match Guest::at_wire(Target::Passt(passt.clone())) {
        Ok(guest) => guest,
        // A container may forbid what it closes itself in with; a host without a network has nothing to lead to.
        Err(error) => return println!("skipped: {error}"),
    };
    let taken = Guest::at_wire(Target::Passt(passt)).map(drop).unwrap_err().to_string();
    assert!(taken.contains("passt has ended") && taken.contains(&port.port().to_string()), "{taken}");
    let (address, router) = lease(&mut guest);
    let router = router.expect("the host has a way out");
    guest.face.update_ip_addrs(|own| own.push(IpCidr::Ipv4(address)).unwrap());
    guest.face.routes_mut().add_default_ipv4_route(router).unwrap();
    // The gateway's address is the host's loopback.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = SocketAddr::new(router.into(), listener.local_addr().unwrap().port());
    let host = thread::spawn(move || converse(listener.accept().unwrap().0, LITTLE));
    let socket = guest.add_tcp(1 << 16);
    guest.call(socket, at, 40_000);
    answer(&mut guest, socket, &host, LITTLE);
    assert!(host.join().unwrap());
    // And a port of the host is the guest's.
    let socket = guest.add_tcp(1 << 16);
    guest.tcp(socket).listen(80).unwrap();
    let host = thread::spawn(move || converse(TcpStream::connect(port).unwrap(), LITTLE));
    answer(&mut guest, socket, &host, LITTLE);
    assert!(host.join().unwrap());
    // It dies, and another one comes.
    let began = Instant::now();
    let ours = format!("{}", std::process::id());
    let killed = Command::new("pkill").args(["-P", &ours, "-x", "passt.*"]).status();
    if !killed.is_ok_and(|status| status.success()) {
        return println!("no pkill: passt is not killed");
    }
    guest.until(LIMIT, "passt is gone", |guest| !guest.uplink.is_connected());
    guest.until(LIMIT, "passt is there again", |guest| guest.uplink.is_connected());
    assert!(began.elapsed() > Duration::from_millis(900), "it is waited a little");
    let notices = guest.uplink.notices();
    assert!(notices[0].starts_with("passt has ended (") && notices.len() == 2, "{notices:?}");
    lease(&mut guest);
}

#[test]
fn a_program_that_is_no_passt_is_told_with_its_words() {
    for (program, why) in
        [("/nonexistent/passt", "passt is not installed"), ("/bin/false", "passt has ended (exit status: 1)")]
    {
        let passt = Passt::default().program(program.into());
        let told = Guest::at_wire(Target::Passt(passt)).map(drop).unwrap_err().to_string();
        assert!(told.contains(why), "{program}: {told}");
    }
}
