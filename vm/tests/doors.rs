//! Peers at the doors of a system that mean no good, or are broken: they say nothing, a part, rubbish, or too much;
//! they close half, or never read. Meanwhile others are served, terminals that are idle stay, and what a peer has taken
//! is given back.

mod support;

use ::support::Random;
use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use support::line::Line;
use support::{System, certificate, has_openssl};

/// The time for a handshake, 10 seconds, and some for a busy machine.
const HANDSHAKE: Duration = Duration::from_secs(40);

/// The sockets that the system's process has.
fn sockets(system: &System) -> usize {
    let folder = fs::read_dir(format!("/proc/{}/fd", system.process())).expect("the process runs");
    let links = folder.flatten().filter_map(|entry| fs::read_link(entry.path()).ok());
    links.filter(|link| link.to_string_lossy().starts_with("socket:")).count()
}

/// Waits until the system has no more sockets than `most`.
fn given_back(system: &System, most: usize, limit: Duration) {
    let began = Instant::now();
    while sockets(system) > most {
        assert!(began.elapsed() < limit, "{} sockets instead of {most}", sockets(system));
        thread::sleep(Duration::from_millis(100));
    }
}

/// What a peer sends first: all parts of what a client of this door would begin with, and rubbish.
fn beginnings(whole: &[u8]) -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = (0..whole.len()).map(|end| whole[..end].to_vec()).collect();
    let mut random = Random::seeded(1);
    for length in [1, 2, 5, 300, 20_000] {
        all.push(random.bytes(length));
        all.push(vec![0xff; length]);
        all.push(vec![0; length]);
        all.push(vec![b'A'; length]);
    }
    all
}

fn peer(system: &System, first: &[u8]) -> TcpStream {
    let mut socket = TcpStream::connect(("127.0.0.1", system.port)).expect("the system answers");
    socket.set_nonblocking(true).expect("a socket can be so");
    // A door that has closed already is one that took enough.
    let _ = socket.write(first);
    socket
}

/// Sends one byte after the other, endlessly, until the other end closes or the time is over.
fn trickle(mut socket: TcpStream, bytes: &[u8], limit: Duration) -> Duration {
    let began = Instant::now();
    for &byte in bytes.iter().cycle() {
        let closed = match socket.read(&mut [0; 4096]) {
            Ok(count) => count == 0,
            Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
        };
        if closed || socket.write(&[byte]).is_err() || began.elapsed() > limit {
            break;
        }
        thread::sleep(Duration::from_millis(100));
    }
    began.elapsed()
}

/// The ways in which a peer goes on after it has sent something.
const MANNERS: [fn(&TcpStream); 3] =
    [|_| (), |socket| drop(socket.shutdown(Shutdown::Write)), |socket| drop(socket.shutdown(Shutdown::Read))];

/// Peers that have begun in each way, and go on in each.
fn peers(system: &System, hello: &[u8]) -> Vec<TcpStream> {
    let mut peers = Vec::new();
    for first in beginnings(hello) {
        for manner in MANNERS {
            let socket = peer(system, &first);
            manner(&socket);
            peers.push(socket);
        }
    }
    peers
}

#[test]
fn the_plain_door() {
    let system = System::start("door", |_| {});
    // A user who is logged on, and a terminal at the logo: both idle.
    let mut user = Line::log_on(&system, "cmsuser");
    let mut logo = Line::connect(&system);
    logo.say("logon maint wrong", "HCPLGA050E");
    let before = sockets(&system);
    let hello = [255, 251, 40, 255, 251, 24, 255, 250, 24, 0, b'I', b'B', b'M', b'-', b'3', b'2', b'7', b'8', 255, 240];
    let peers = peers(&system, &hello);
    let began = Instant::now();
    Line::log_on(&system, "maint").say("query userid", "MAINT    AT ENDICOTT");
    println!("{} peers at the plain door; a user logged on beside them in {:.1?}", peers.len(), began.elapsed());
    // One that sends as much as it can, and never reads what comes back.
    let mut flood = TcpStream::connect(("127.0.0.1", system.port)).expect("the system answers");
    flood.set_write_timeout(Some(Duration::from_millis(200))).expect("a socket has a timeout");
    let flooding = thread::spawn(move || {
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(5) {
            if flood.write(&b"query names\r\n".repeat(4000)).is_err_and(|e| e.kind() != std::io::ErrorKind::WouldBlock)
            {
                break;
            }
        }
    });
    let slow = TcpStream::connect(("127.0.0.1", system.port)).expect("the system answers");
    slow.set_nonblocking(true).expect("a socket can be so");
    trickle(slow, &[255, 251, 24], Duration::from_secs(4));
    let began = Instant::now();
    let mut other = Line::log_on(&system, "linux1");
    other.say("query userid", "LINUX1   AT ENDICOTT");
    println!("a user logged on beside a flood in {:.1?}", began.elapsed());
    assert!(began.elapsed() < Duration::from_secs(20));
    flooding.join().expect("it ends");
    other.say("logoff", "LOGOFF AT");
    drop((peers, other));
    given_back(&system, before, HANDSHAKE);
    user.say("query userid", "CMSUSER  AT ENDICOTT");
    logo.say("logon maint wrong", "HCPLGA050E");
    assert_eq!(system.log().matches("panicked").count(), 0, "{}", system.log());
}

/// A terminal over TLS; after `idle` it says what it is.
fn secure(system: &System, idle: Duration) -> thread::JoinHandle<String> {
    let mut client = Command::new("openssl")
        .args(["s_client", "-quiet", "-connect", &format!("127.0.0.1:{}", system.port)])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("openssl starts");
    let mut input = client.stdin.take().expect("the input is piped");
    thread::spawn(move || {
        thread::sleep(idle);
        let _ = input.write_all(b"logon cmsuser cmsuser\r\nquery userid\r\nlogoff\r\n");
        thread::sleep(Duration::from_secs(3));
        drop(input);
        let _ = client.kill();
        String::from_utf8_lossy(&client.wait_with_output().expect("it ends").stdout).into_owned()
    })
}

#[test]
fn the_door_with_tls() {
    if !has_openssl() {
        return;
    }
    let system = System::start("tls-door", certificate);
    given_back(&system, sockets(&system).min(4), HANDSHAKE);
    let before = sockets(&system);
    // A terminal over TLS that is idle for longer than a handshake may take stays.
    let idle = secure(&system, Duration::from_secs(15));
    // The beginning of a TLS client's first record: handshake, ClientHello of 508 bytes, version 1.2.
    let hello = [0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
    let peers = peers(&system, &hello);
    println!("{} peers at the door with TLS", peers.len());
    let slow = TcpStream::connect(("127.0.0.1", system.port)).expect("the system answers");
    slow.set_nonblocking(true).expect("a socket can be so");
    let mut endless = hello.to_vec();
    endless.resize(505, 7);
    let took = trickle(slow, &endless, HANDSHAKE);
    println!("a peer that sends a byte every 0.1 s is closed after {took:.1?}");
    assert!(took < HANDSHAKE);
    // They hold on, and are closed all the same; what is left is the idle terminal.
    given_back(&system, before + 1, HANDSHAKE);
    let said = idle.join().expect("it ends");
    assert!(said.contains("CMSUSER  AT ENDICOTT"), "{said}");
    drop(peers);
    given_back(&system, before, HANDSHAKE);
    assert_eq!(system.log().matches("panicked").count(), 0, "{}", system.log());
}
