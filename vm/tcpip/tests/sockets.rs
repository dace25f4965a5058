//! A program in a virtual machine's storage talks to *TCPIP by parameter lists, as the instruction IUCV has them, and
//! servers and clients of the host are at the other ends.

use arch::Absolute;
use arch::tcpip::{Initial, SocketAddress, SocketCall, StatusEntry};
use base::ebcdic;
use base::layout::{I32, U16, U32};
use directory::{Directory, Passwords};
use iucv::area::Space;
use iucv::{Iucv, List, NoDisk, code, flag, kind};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener, TcpStream, UdpSocket};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};
use storage::Storage;
use tcpip::{Errno, Settings, number, state};
use zerocopy::{FromBytes, IntoBytes};

const USERS: &str = "\
USER ALPHA X 1M 1M G
 OPTION MAXCONN 200
 IUCV *TCPIP
USER BETA X 1M 1M BG
 IUCV TCPIP
USER GAMMA X 1M 1M G
";
const ALPHA: u32 = 1;
const BETA: u32 = 2;
const GAMMA: u32 = 3;
/// Longer than any answer takes on a busy host.
const PATIENCE: Duration = Duration::from_secs(60);

type Bell = Arc<(Mutex<u64>, Condvar)>;

struct World {
    iucv: iucv::Shared<NoDisk>,
    spaces: Vec<Space>,
    bell: Bell,
}

/// Where a program has its message and its answer.
const MESSAGE: u32 = 0x2_0000;
const ANSWER: u32 = 0x5_0000;
const ROOM: u32 = 0x1_0100;

/// Three virtual machines, each with 1 MB and a buffer for its CPU 0.
fn world(settings: Settings) -> World {
    let directory = Directory::parse("USER DIRECT", USERS, &Passwords::default()).expect("a directory");
    let iucv: iucv::Shared<NoDisk> = Arc::default();
    let bell: Bell = Arc::default();
    let mut spaces = Vec::new();
    tcpip::install(settings, &iucv).expect("the host has sockets");
    for (n, user) in directory.users.into_iter().enumerate() {
        let (id, bell) = (n as u32 + 1, bell.clone());
        let ring = move |_| {
            *bell.0.lock().unwrap() += 1;
            bell.1.notify_all();
        };
        let mut iucv = iucv.lock().unwrap();
        iucv.enter(id, Arc::new(user), Box::new(ring));
        iucv.declare(id, 0, 0x1000).expect("the first buffer");
        spaces.push(Space { storage: Arc::new(Storage::new(1 << 20).unwrap()), prefix: 0, prefix_area: 0x2000 });
    }
    World { iucv, spaces, bell }
}

/// A path of a virtual machine's.
#[derive(Clone, Copy)]
struct Program {
    id: u32,
    path: u16,
}

impl World {
    fn connect(&self, id: u32, name: &str) -> Result<Program, u8> {
        let mut list = List::default();
        list.set_name(name);
        list.set_limit(255);
        self.iucv.lock().unwrap().connect(id, &mut list)?;
        Ok(Program { id, path: list.path() })
    }

    /// A path on which the first message has been answered.
    fn begin(&self, id: u32) -> Program {
        let program = self.connect(id, "*TCPIP").expect("a path");
        let mut initial = Initial { sockets: U16::new(100), kind: U16::new(3), ..Initial::default() };
        initial.constant.copy_from_slice(&ebcdic::from_str("IUCVAPI "));
        initial.name.copy_from_slice(&ebcdic::from_str("BARE    "));
        let answer = self.call(program, 0, 0, initial.as_bytes());
        assert_eq!(answer, (0, 99, vec![]));
        program
    }

    /// SEND of a call: the message's number.
    fn send(&self, program: Program, call: u16, socket: u16, data: &[u8], answer: u32) -> Result<u32, u8> {
        let space = &self.spaces[program.id as usize - 1];
        space.storage.write(Absolute(MESSAGE.into()), data).unwrap();
        let mut list = List::default();
        list.set_path(program.path);
        list.set_class(u32::from(call) << 16 | u32::from(socket));
        list.set_address(MESSAGE);
        list.set_length(data.len() as u32);
        list.set_answer(answer);
        list.set_answer_length(ROOM);
        self.iucv.lock().unwrap().send(program.id, space, &mut list)?;
        Ok(list.message())
    }

    /// Whether a message is complete: its answer.
    fn test(&self, id: u32, message: u32, answer: u32) -> Option<(i32, i32, Vec<u8>)> {
        let mut list = List::default();
        list.set_flags(flag::BY_MESSAGE);
        list.set_message(message);
        if self.iucv.lock().unwrap().test_completion(id, &mut list) != Ok(0) {
            return None;
        }
        assert_eq!(list.audit(), 0);
        let mut bytes = vec![0; (ROOM - list.answer_length()) as usize];
        self.spaces[id as usize - 1].storage.read(Absolute(answer.into()), &mut bytes).unwrap();
        let number = |at: usize| I32::read_from_bytes(&bytes[at..at + 4]).unwrap().get();
        Some((number(0), number(4), bytes[8..].to_vec()))
    }

    fn wait(&self, id: u32, message: u32, answer: u32) -> (i32, i32, Vec<u8>) {
        let began = Instant::now();
        loop {
            let rung = *self.bell.0.lock().unwrap();
            if let Some(answer) = self.test(id, message, answer) {
                return answer;
            }
            assert!(began.elapsed() < PATIENCE, "the message is answered");
            let bell = self.bell.0.lock().unwrap();
            if *bell == rung {
                drop(self.bell.1.wait_timeout(bell, Duration::from_millis(100)).unwrap());
            }
        }
    }

    fn call(&self, program: Program, call: u16, socket: u16, data: &[u8]) -> (i32, i32, Vec<u8>) {
        let message = self.send(program, call, socket, data, ANSWER).expect("there is room for a message");
        self.wait(program.id, message, ANSWER)
    }

    /// A call that succeeds.
    fn good(&self, program: Program, call: u16, socket: u16, data: &[u8]) -> (i32, Vec<u8>) {
        let (code, error, rest) = self.call(program, call, socket, data);
        assert!(code >= 0, "call {call}: {error}");
        (code, rest)
    }

    /// Why a call fails.
    fn bad(&self, program: Program, call: u16, socket: u16, data: &[u8]) -> i32 {
        let (code, error, _) = self.call(program, call, socket, data);
        assert_eq!(code, -1, "call {call}");
        error
    }

    fn socket(&self, program: Program, kind: u32) -> u16 {
        let call = SocketCall { family: U32::new(2), kind: U32::new(kind), number: I32::new(-1), ..Default::default() };
        self.good(program, number::SOCKET, 0, call.as_bytes()).0 as u16
    }

    fn bound(&self, program: Program, kind: u32) -> (u16, u16) {
        let socket = self.socket(program, kind);
        self.good(program, number::BIND, socket, &address(Ipv4Addr::UNSPECIFIED, 0));
        let (_, name) = self.good(program, number::GETSOCKNAME, socket, &[]);
        (socket, SocketAddress::read_from_bytes(&name).unwrap().port.get())
    }
}

fn address(ip: Ipv4Addr, port: u16) -> Vec<u8> {
    let address = SocketAddress {
        family: U16::new(2),
        port: U16::new(port),
        address: U32::new(ip.into()),
        ..SocketAddress::default()
    };
    address.as_bytes().to_vec()
}

const LOCAL: Ipv4Addr = Ipv4Addr::LOCALHOST;
const GATEWAY: Ipv4Addr = Ipv4Addr::new(10, 0, 2, 2);

fn with_access() -> Settings {
    Settings { host_access: true, ..Settings::default() }
}

fn pair(first: u32, second: u32) -> [u8; 8] {
    let mut bytes = [0; 8];
    bytes[..4].copy_from_slice(&first.to_be_bytes());
    bytes[4..].copy_from_slice(&second.to_be_bytes());
    bytes
}

const RECEIVE: [u8; 8] = [0; 8];

#[test]
fn a_program_talks_to_a_server_of_the_host() {
    let world = world(with_access());
    let program = world.begin(ALPHA);
    let server = TcpListener::bind((LOCAL, 0)).unwrap();
    let port = server.local_addr().unwrap().port();
    let echo = std::thread::spawn(move || {
        let (mut stream, _) = server.accept().unwrap();
        let mut all = Vec::new();
        let mut space = [0; 4096];
        loop {
            match stream.read(&mut space).unwrap() {
                0 => return all.len(),
                count => {
                    all.extend_from_slice(&space[..count]);
                    stream.write_all(&space[..count]).unwrap();
                }
            }
        }
    });
    let socket = world.socket(program, 1);
    assert_eq!(world.bad(program, number::WRITE, socket, b"too early"), Errno::NotConnected as i32);
    world.good(program, number::CONNECT, socket, &address(GATEWAY, port));
    let (_, peer) = world.good(program, number::GETPEERNAME, socket, &[]);
    assert_eq!(peer, address(GATEWAY, port));
    assert_eq!(world.bad(program, number::CONNECT, socket, &address(GATEWAY, port)), Errno::IsConnected as i32);
    let mut sent = 0;
    for round in 0..50usize {
        let data: Vec<u8> = (0..1 + round * 400).map(|n| (n * 7 + round) as u8).collect();
        assert_eq!(world.good(program, number::WRITE, socket, &data).0 as usize, data.len());
        sent += data.len();
        let mut back = Vec::new();
        while back.len() < data.len() {
            let (count, rest) = world.good(program, number::RECV, socket, &RECEIVE);
            assert_eq!(count as usize, rest.len() - 16);
            back.extend_from_slice(&rest[16..]);
        }
        assert!(back == data, "round {round}");
    }
    // Before the end nothing can be received without waiting; after it, the end.
    world.good(program, number::FCNTL, socket, &pair(4, 4));
    assert_eq!(world.bad(program, number::RECV, socket, &RECEIVE), Errno::WouldBlock as i32);
    world.good(program, number::FCNTL, socket, &pair(4, 0));
    world.good(program, number::SHUTDOWN, socket, &pair(0, 1));
    assert_eq!(world.bad(program, number::WRITE, socket, b"x"), Errno::Pipe as i32);
    assert_eq!(world.good(program, number::RECV, socket, &RECEIVE).0, 0);
    assert_eq!(echo.join().unwrap(), sent);
    let (count, entries) = world.good(program, number::STATUS, 0, &[]);
    let entry = StatusEntry::read_from_bytes(&entries).unwrap();
    assert_eq!((count, entry.state, entry.sent.get() as usize), (1, state::HALF_CLOSED, sent));
    assert_eq!(ebcdic::to_string(&entry.user), "ALPHA   ");
    world.good(program, number::CLOSE, socket, &[0; 8]);
    assert_eq!(world.bad(program, number::CLOSE, socket, &[0; 8]), Errno::BadSocket as i32);
}

#[test]
fn a_program_is_a_server() {
    let world = world(Settings::default());
    let program = world.begin(ALPHA);
    let (listener, port) = world.bound(program, 1);
    world.good(program, number::LISTEN, listener, &pair(0, 5));
    let waiting = world.send(program, number::ACCEPT, listener, &pair(0, u32::MAX), 0x7_0000).unwrap();
    assert_eq!(world.test(ALPHA, waiting, 0x7_0000), None);
    let mut client = TcpStream::connect((LOCAL, port)).unwrap();
    let (taken, _, from) = world.wait(ALPHA, waiting, 0x7_0000);
    assert!(taken > 0);
    assert_eq!(from, address(LOCAL, client.local_addr().unwrap().port()));
    client.write_all(b"hello").unwrap();
    let (_, got) = world.good(program, number::RECV, taken as u16, &RECEIVE);
    assert_eq!(&got[16..], b"hello");
    // Another virtual machine reaches it, although the host's loopback is closed to both.
    let other = world.begin(BETA);
    let socket = world.socket(other, 1);
    world.good(other, number::CONNECT, socket, &address(LOCAL, port));
    // One that ends takes its sockets along.
    world.iucv.lock().unwrap().leave(ALPHA);
    assert_eq!(client.read(&mut [0; 9]).unwrap(), 0);
    let began = Instant::now();
    while TcpStream::connect((LOCAL, port)).is_ok() {
        assert!(began.elapsed() < PATIENCE, "the port is free again");
    }
}

#[test]
fn datagrams_go_both_ways() {
    let world = world(with_access());
    let program = world.begin(ALPHA);
    let peer = UdpSocket::bind((LOCAL, 0)).unwrap();
    let stranger = UdpSocket::bind((LOCAL, 0)).unwrap();
    let port = peer.local_addr().unwrap().port();
    let socket = world.socket(program, 2);
    assert_eq!(world.bad(program, number::WRITE, socket, b"whom?"), Errno::Destination as i32);
    let mut message = vec![0; 4];
    message.extend(address(LOCAL, port));
    message.extend(b"question");
    assert_eq!(world.good(program, number::SENDTO, socket, &message).0, 8);
    let mut space = [0; 99];
    let (count, from) = peer.recv_from(&mut space).unwrap();
    assert_eq!(&space[..count], b"question");
    // What others say is not for the program: it has sent them nothing.
    let to = (LOCAL, from.port());
    stranger.send_to(b"nonsense", to).unwrap();
    peer.send_to(b"answer", to).unwrap();
    let (_, got) = world.good(program, number::RECV, socket, &RECEIVE);
    assert_eq!((&got[..16], &got[16..]), (&address(LOCAL, port)[..], &b"answer"[..]));
    // One with a port of its own takes all.
    let (bound, port) = world.bound(program, 2);
    stranger.send_to(b"anything", (LOCAL, port)).unwrap();
    assert_eq!(&world.good(program, number::RECV, bound, &RECEIVE).1[16..], b"anything");
}

#[test]
fn only_what_is_allowed_is_reached() {
    let world = world(Settings { listen: None, ..Settings::default() });
    assert_eq!(world.connect(GAMMA, "*TCPIP").err(), Some(code::NOT_AUTHORISED));
    assert_eq!(world.connect(GAMMA, "TCPIP").err(), Some(code::NOT_AUTHORISED));
    assert!(world.connect(BETA, "TCPIP").is_ok(), "the statement may have either name");
    let program = world.begin(ALPHA);
    let server = TcpListener::bind((LOCAL, 0)).unwrap();
    let port = server.local_addr().unwrap().port();
    for (ip, errno) in [
        (LOCAL, Errno::Refused),
        (GATEWAY, Errno::Refused),
        (Ipv4Addr::new(127, 9, 9, 9), Errno::Refused),
        (Ipv4Addr::UNSPECIFIED, Errno::Refused),
        (Ipv4Addr::new(10, 0, 2, 77), Errno::NetworkUnreachable),
        (Ipv4Addr::new(240, 0, 0, 1), Errno::NetworkUnreachable),
        (Ipv4Addr::BROADCAST, Errno::Access),
        (Ipv4Addr::new(224, 0, 0, 1), Errno::Access),
    ] {
        let socket = world.socket(program, 1);
        assert_eq!(world.bad(program, number::CONNECT, socket, &address(ip, port)), errno as i32, "{ip}");
        world.good(program, number::CLOSE, socket, &[0; 8]);
    }
    let socket = world.socket(program, 1);
    assert_eq!(world.bad(program, number::BIND, socket, &address(LOCAL, 0)), Errno::Access as i32);
    server.set_nonblocking(true).unwrap();
    assert!(server.accept().is_err(), "nothing has come");
}

#[test]
fn low_ports_are_for_privileged_users() {
    let world = world(Settings::default());
    let program = world.begin(ALPHA);
    let socket = world.socket(program, 1);
    assert_eq!(world.bad(program, number::BIND, socket, &address(LOCAL, 25)), Errno::Access as i32);
    let elsewhere = address(Ipv4Addr::new(192, 0, 2, 1), 2000);
    assert_eq!(world.bad(program, number::BIND, socket, &elsewhere), Errno::AddressNotAvailable as i32);
}

#[test]
fn one_that_floods_harms_itself() {
    let world = world(Settings { user_sockets: 8, system_sockets: 12, user_bytes: 200 << 10, ..with_access() });
    let program = world.begin(ALPHA);
    for _ in 0..8 {
        world.socket(program, 1);
    }
    let call = SocketCall { family: U32::new(2), kind: U32::new(1), number: I32::new(-1), ..Default::default() };
    assert_eq!(world.bad(program, number::SOCKET, 0, call.as_bytes()), Errno::UserSockets as i32);
    let second = world.begin(ALPHA);
    assert_eq!(world.bad(second, number::SOCKET, 0, call.as_bytes()), Errno::UserSockets as i32);
    // A server that reads nothing: what does not go waits, and then there is no more room for messages.
    let server = TcpListener::bind((LOCAL, 0)).unwrap();
    world.good(program, number::CONNECT, 0, &address(GATEWAY, server.local_addr().unwrap().port()));
    let (mut sent, began) = (0, Instant::now());
    loop {
        match world.send(program, number::WRITE, 0, &[7; 60_000], 0) {
            Ok(_) => sent += 1,
            Err(code) => {
                assert_eq!(code, code::MESSAGE_LIMIT);
                // What the host's buffers still take is not the end.
                std::thread::sleep(Duration::from_millis(50));
                if world.send(program, number::WRITE, 0, &[7; 60_000], 0).is_err() {
                    break;
                }
            }
        }
        assert!(sent < 10_000 && began.elapsed() < PATIENCE, "there is an end");
        let mut list = List::default();
        while world.iucv.lock().unwrap().test_completion(ALPHA, &mut list) == Ok(0) {}
    }
    // Another is served meanwhile, up to what the system has.
    let other = world.begin(BETA);
    for _ in 0..4 {
        world.socket(other, 2);
    }
    assert_eq!(world.bad(other, number::SOCKET, 0, call.as_bytes()), Errno::SystemSockets as i32);
    // A reset gives everything back.
    world.iucv.lock().unwrap().reset(ALPHA);
    let began = Instant::now();
    while world.call(other, number::SOCKET, 0, call.as_bytes()).0 < 0 {
        assert!(began.elapsed() < PATIENCE, "the sockets are free again");
    }
}

#[test]
fn select_waits_for_what_comes_and_for_the_time() {
    let world = world(with_access());
    let program = world.begin(ALPHA);
    let (listener, port) = world.bound(program, 1);
    world.good(program, number::LISTEN, listener, &pair(0, 5));
    let select = |timed: u32, microseconds: u32, read: u32| {
        let mut bytes = Vec::new();
        for word in [32, timed, 0, microseconds, read, 0, 0] {
            bytes.extend_from_slice(&u32::to_be_bytes(word));
        }
        bytes
    };
    assert_eq!(world.good(program, number::SELECT, 0, &select(1, 20_000, 1 << listener)), (0, vec![0; 12]));
    let waiting = world.send(program, number::SELECT, 0, &select(0, 0, 1 << listener), 0x7_0000).unwrap();
    let _client = TcpStream::connect((LOCAL, port)).unwrap();
    let (count, _, masks) = world.wait(ALPHA, waiting, 0x7_0000);
    assert_eq!((count, &masks[..4]), (1, &u32::to_be_bytes(1 << listener)[..]));
    let (taken, _) = world.good(program, number::ACCEPT, listener, &pair(0, u32::MAX));
    assert!(taken > 0);
    assert_eq!(world.bad(program, number::SELECT, 0, &select(1, 0, 1 << 30)), Errno::BadSocket as i32);
    // CANCEL ends a call that waits.
    let waiting = world.send(program, number::RECV, taken as u16, &RECEIVE, 0x7_0000).unwrap();
    world.good(program, number::CANCEL, 0, &pair(0, waiting));
    assert_eq!(world.wait(ALPHA, waiting, 0x7_0000).1, Errno::Cancelled as i32);
}

#[test]
fn names_and_echoes_are_asked_for() {
    let folder = std::env::temp_dir().join(format!("endicott-tcpip-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let resolvers = folder.join("resolv.conf");
    std::fs::write(&resolvers, "nameserver 127.0.0.254\n").unwrap();
    let world = world(Settings { resolvers, ..with_access() });
    let program = world.begin(ALPHA);
    let ask = |name: &str| world.call(program, number::RESOLVE, 0, &ebcdic::from_str(name));
    assert_eq!(ask("192.0.2.7"), (1, 0, vec![192, 0, 2, 7]));
    assert_eq!(ask("LocalHost "), (1, 0, vec![127, 0, 0, 1]));
    assert_eq!(ask("host.endicott"), (1, 0, vec![10, 0, 2, 2]));
    assert_eq!(ask("not/a/name").1, Errno::BadParameter as i32);
    let (code, error, _) = ask("www.example.org");
    assert_eq!((code, error != 0), (-1, true), "nothing answers there");
    let echo = |ip: Ipv4Addr| {
        let mut bytes = u32::from(ip).to_be_bytes().to_vec();
        bytes.extend(pair(64, 1000));
        world.call(program, number::ECHO, 0, &bytes)
    };
    assert_eq!(echo(GATEWAY).0, 0);
    assert_eq!(echo(Ipv4Addr::new(10, 0, 2, 9)).1, Errno::NetworkUnreachable as i32);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn calls_that_are_none_are_answered_so() {
    let world = world(Settings::default());
    let program = world.connect(ALPHA, "TCPIP").unwrap();
    assert_eq!(world.bad(program, number::SOCKET, 0, &[0; 16]), Errno::BadCall as i32);
    assert_eq!(world.bad(program, 0, 0, &[0; 20]), Errno::BadParameter as i32);
    let program = world.begin(ALPHA);
    assert_eq!(world.bad(program, 77, 0, &[]), Errno::BadCall as i32);
    assert_eq!(world.bad(program, number::WRITE, 0, &vec![0; 100_000]), Errno::MessageSize as i32);
    assert_eq!(world.bad(program, number::WRITE, 5, b"x"), Errno::BadSocket as i32);
    for (family, kind, errno) in [(19, 1, Errno::Family), (2, 3, Errno::SocketType)] {
        let call = SocketCall { family: U32::new(family), kind: U32::new(kind), ..Default::default() };
        assert_eq!(world.bad(program, number::SOCKET, 0, call.as_bytes()), errno as i32);
    }
    let call = SocketCall { family: U32::new(2), kind: U32::new(1), number: I32::new(100), ..Default::default() };
    assert_eq!(world.bad(program, number::SOCKET, 0, call.as_bytes()), Errno::OutOfRange as i32);
    // A message that is taken back is not answered, and a path to nowhere is told by its interruption.
    let (listener, _) = world.bound(program, 1);
    world.good(program, number::LISTEN, listener, &pair(0, 5));
    let waiting = world.send(program, number::ACCEPT, listener, &pair(0, u32::MAX), 0x7_0000).unwrap();
    let mut list = List::default();
    list.set_flags(flag::BY_MESSAGE);
    list.set_message(waiting);
    assert_eq!(world.iucv.lock().unwrap().purge(ALPHA, &mut list), Ok(0));
    assert_eq!(world.iucv.lock().unwrap().purge(ALPHA, &mut list), Ok(2));
    assert_eq!(world.iucv.lock().unwrap().take(ALPHA, 0).unwrap().list.kind(), kind::CONNECTION_COMPLETE);
}

#[test]
fn without_the_service_there_is_none() {
    let mut iucv: Iucv<NoDisk> = Iucv::default();
    let directory = Directory::parse("USER DIRECT", USERS, &Passwords::default()).expect("a directory");
    iucv.enter(1, Arc::new(directory.users[0].clone()), Box::new(|_| ()));
    iucv.declare(1, 0, 0x1000).unwrap();
    for (name, why) in [("*TCPIP", code::NO_SERVICE), ("TCPIP", code::NOT_LOGGED_ON)] {
        let mut list = List::default();
        list.set_name(name);
        assert_eq!(iucv.connect(1, &mut list), Err(why));
    }
}

#[test]
fn any_message_is_answered() {
    // Messages of chance, as a program has them that has gone wrong. Each has an answer, or waits for one.
    let world = world(Settings { listen: None, ..Settings::default() });
    let program = world.begin(ALPHA);
    let mut random = support::Random::seeded(20_261_128);
    let calls = [1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 16, 19, 20, 22, 23, 24, 25, 26, 42, number::STATUS, 99];
    let nowhere = SocketAddrV4::new(Ipv4Addr::new(10, 0, 2, 200), 9);
    for _ in 0..5_000 {
        let call = calls[random.below(calls.len())];
        let mut data: Vec<u8> = (0..random.below(48usize)).map(|_| random.below(4u8)).collect();
        // No chance leads to a host.
        if matches!(call, 4 | 22) {
            data = address(*nowhere.ip(), nowhere.port());
        }
        let Ok(message) = world.send(program, call, random.below(6u16), &data, ANSWER) else {
            world.iucv.lock().unwrap().reset(ALPHA);
            break;
        };
        let began = Instant::now();
        while world.test(ALPHA, message, ANSWER).is_none() && began.elapsed() < Duration::from_millis(5) {}
    }
    assert_eq!(world.begin(BETA).id, BETA);
}
