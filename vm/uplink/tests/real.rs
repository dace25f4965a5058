//! The gateway at the host's real sockets, all of them on the loopback.

mod guest;

use guest::{Guest, open, pattern, seen};
use nat::Settings as Gateway;
use smoltcp::iface::SocketHandle;
use smoltcp::socket::tcp;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;
use uplink::{Publish, Settings, Uplink};

const LIMIT: Duration = Duration::from_secs(120);

fn stretch(from: u64, count: usize) -> Vec<u8> {
    (from..from + count as u64).map(pattern).collect()
}

fn send(guest: &mut Guest, socket: SocketHandle, sent: u64, total: u64) -> u64 {
    let took = guest.tcp(socket).send(|space| {
        let count = space.len().min((total - sent) as usize);
        space[..count].copy_from_slice(&stretch(sent, count));
        (count, count)
    });
    sent + took.unwrap_or(0) as u64
}

fn receive(guest: &mut Guest, socket: SocketHandle, mut got: u64) -> u64 {
    while guest.tcp(socket).can_recv() {
        let read = |bytes: &mut [u8]| {
            assert!(bytes == stretch(got, bytes.len()), "from {got}");
            (bytes.len(), bytes.len())
        };
        got += guest.tcp(socket).recv(read).unwrap() as u64;
    }
    got
}

/// Reads to the end, and says how much it was.
fn read_all(mut stream: &TcpStream) -> u64 {
    let (mut space, mut got) = (vec![0; 1 << 16], 0);
    loop {
        match stream.read(&mut space).unwrap() {
            0 => return got,
            count => {
                assert!(space[..count] == stretch(got, count), "from {got}");
                got += count as u64;
            }
        }
    }
}

fn write_all(mut stream: &TcpStream, total: u64) {
    for at in (0..total).step_by(1 << 16) {
        stream.write_all(&stretch(at, (total - at).min(1 << 16) as usize)).unwrap();
    }
}

/// A hundred megabytes each way at once, the guest's half closed first.
fn hundred_megabytes(listener: &str, settings: Settings) {
    const TOTAL: u64 = 100_000_000;
    let listener = TcpListener::bind(listener).unwrap();
    let at = seen(listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let writer = stream.try_clone().unwrap();
        let writing = thread::spawn(move || {
            write_all(&writer, TOTAL);
            writer.shutdown(Shutdown::Write).unwrap();
        });
        assert_eq!(read_all(&stream), TOTAL);
        writing.join().unwrap();
    });
    let mut guest = Guest::new(settings);
    let socket = guest.add_tcp(1 << 20);
    guest.call(socket, at, 40_000);
    let (mut sent, mut got) = (0, 0);
    guest.until(LIMIT, "both ways", |guest| {
        if sent < TOTAL && guest.tcp(socket).may_send() {
            sent = send(guest, socket, sent, TOTAL);
            if sent == TOTAL {
                guest.tcp(socket).close();
            }
        }
        got = receive(guest, socket, got);
        sent == TOTAL && got == TOTAL && !guest.tcp(socket).may_recv()
    });
    guest.until(LIMIT, "the end", |guest| guest.uplink.flows() == (0, 0));
    server.join().unwrap();
    let counters = guest.uplink.counters();
    assert_eq!((counters.tcp_bytes_in, counters.tcp_bytes_out), (TOTAL, TOTAL));
    assert_eq!((counters.tcp_again, counters.tcp_disorder, counters.damaged), (0, 0, 0), "{counters:?}");
}

#[test]
fn a_hundred_megabytes_both_ways() {
    hundred_megabytes("127.0.0.1:0", open());
}

#[test]
fn a_hundred_megabytes_both_ways_by_ipv6_in_large_packets() {
    let nat = Gateway { mtu: 65_520, segment: 65_520, ..open().nat };
    hundred_megabytes("[::1]:0", Settings { nat, ..open() });
}

#[test]
fn what_refuses_and_what_is_not_allowed_is_a_reset() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for (settings, host_refused) in [(open(), 0), (Settings::default(), 1)] {
        let mut guest = Guest::new(settings);
        let socket = guest.add_tcp(4_096);
        guest.call(socket, seen(free), 40_000);
        guest.until(LIMIT, "a reset", |guest| guest.tcp(socket).state() == tcp::State::Closed);
        guest.until(LIMIT, "its count", |guest| guest.uplink.counters().tcp_refused == 1);
        assert_eq!(guest.uplink.counters().host_refused, host_refused);
        assert_eq!(guest.uplink.flows(), (0, 0));
    }
}

#[test]
fn a_reader_that_stops_is_waited_for() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = seen(listener.local_addr().unwrap());
    const TOTAL: u64 = 20_000_000;
    let mut guest = Guest::new(open());
    let socket = guest.add_tcp(1 << 16);
    guest.call(socket, at, 40_000);
    guest.until(LIMIT, "a connection", |guest| guest.tcp(socket).may_send());
    let (stream, _) = listener.accept().unwrap();
    let mut sent = 0;
    // Until nothing more is taken: the host's buffers and ours are full.
    let mut still = 0;
    while still < 500 {
        let before = sent;
        sent = send(&mut guest, socket, sent, TOTAL);
        guest.step();
        still = if sent == before { still + 1 } else { 0 };
    }
    assert!(sent < TOTAL, "the host took all");
    let reader = thread::spawn(move || read_all(&stream));
    guest.until(LIMIT, "the rest", |guest| {
        sent = send(guest, socket, sent, TOTAL);
        sent == TOTAL
    });
    guest.tcp(socket).close();
    guest.until(LIMIT, "the end", |guest| guest.tcp(socket).state() != tcp::State::FinWait1);
    assert_eq!(reader.join().unwrap(), TOTAL);
}

#[test]
fn datagrams_go_out_and_come_back() {
    let server = UdpSocket::bind("127.0.0.1:0").unwrap();
    let at = seen(server.local_addr().unwrap());
    let echo = thread::spawn(move || {
        let mut space = [0; 65_536];
        for _ in 0..1_000 {
            let (count, from) = server.recv_from(&mut space).unwrap();
            server.send_to(&space[..count], from).unwrap();
        }
    });
    let mut guest = Guest::new(open());
    let socket = guest.add_udp(5_000);
    for number in 0..1_000u64 {
        let data = stretch(number, number as usize);
        guest.udp(socket).send_slice(&data, smoltcp::wire::IpEndpoint::from(at)).unwrap();
        guest.until(LIMIT, "an echo", |guest| guest.udp(socket).can_recv());
        let (heard, from) = guest.udp(socket).recv().unwrap();
        assert_eq!((heard, from.endpoint), (&data[..], at.into()));
    }
    echo.join().unwrap();
    assert_eq!(guest.uplink.flows(), (1, 1));
    // Nothing listens there any more: the host says so, and the guest is told.
    let socket = guest.add_udp(5_001);
    guest.udp(socket).send_slice(b"x", smoltcp::wire::IpEndpoint::from(at)).unwrap();
    guest.until(LIMIT, "an error", |guest| guest.uplink.counters().icmp_errors == 1);
}

#[test]
fn published_ports_lead_to_the_guest() {
    let publish = vec![Publish::parse("0:22").unwrap(), Publish::parse("[::1]:0:22").unwrap()];
    let mut guest = Guest::new(Settings { publish, ..Settings::default() });
    let published: Vec<SocketAddr> = guest.uplink.published().iter().map(|(_, at)| *at).collect();
    for at in published {
        let socket = guest.add_tcp(1 << 16);
        guest.tcp(socket).listen(22).unwrap();
        let client = thread::spawn(move || {
            let mut stream = TcpStream::connect(at).unwrap();
            stream.write_all(&stretch(0, 100_000)).unwrap();
            stream.shutdown(Shutdown::Write).unwrap();
            read_all(&stream)
        });
        let (mut got, mut sent) = (0, 0);
        guest.until(LIMIT, "both ways", |guest| {
            got = receive(guest, socket, got);
            sent = send(guest, socket, sent, 300_000);
            got == 100_000 && sent == 300_000
        });
        guest.tcp(socket).close();
        guest.until(LIMIT, "the end", |guest| guest.uplink.flows() == (0, 0));
        assert_eq!(client.join().unwrap(), 300_000);
        guest.sockets.remove(socket);
    }
    // No program of the guest listens: the caller is told.
    let at = guest.uplink.published()[0].1;
    let client = thread::spawn(move || {
        let mut stream = TcpStream::connect(at).unwrap();
        stream.read(&mut [0]).map_err(|error| error.kind())
    });
    guest.until(LIMIT, "a refusal", |guest| guest.uplink.counters().tcp_refused == 1);
    guest.until(LIMIT, "a reset", |_| client.is_finished());
    assert_eq!(client.join().unwrap(), Err(std::io::ErrorKind::ConnectionReset));
}

/// What the gateway does about a short frame is done where the frame comes from, about much on its thread.
#[test]
fn short_frames_are_answered_where_they_come_from() {
    let answers = Arc::new(Mutex::new(Vec::new()));
    let seen = answers.clone();
    let uplink = Uplink::start(Settings::default(), move |frame| {
        seen.lock().unwrap().push((thread::current().id(), frame.len()));
        true
    });
    let uplink = uplink.unwrap();
    // Who has 10.0.2.2?
    let mut question = [[0xff; 6], [2, 0, 0, 0, 0, 15]].concat();
    question.extend([8, 6, 0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 15, 10, 0, 2, 15, 0, 0, 0, 0, 0, 0, 10, 0, 2, 2]);
    let wait = |count: usize| {
        while answers.lock().unwrap().len() < count {
            thread::yield_now();
        }
        answers.lock().unwrap().pop().unwrap().0
    };
    // The thread may be at work for a moment at first.
    let here = |uplink: &Uplink| {
        assert!(uplink.frame(&question));
        wait(1) == thread::current().id()
    };
    assert!((0..100).any(|_| here(&uplink)), "never here");
    // Frames of no protocol that is known.
    let other = [&question[..12], &[0x88, 0xb5], &[0; 1486]].concat();
    for _ in 0..10 {
        uplink.put(&other);
    }
    assert!(uplink.frame(&question));
    assert_ne!(wait(1), thread::current().id());
}

/// What is due after a frame that was answered where it came from is done by the thread, which has slept: the server
/// says nothing, and bytes are acknowledged without being sent again. A busy host may be too late for most of them.
#[test]
fn what_is_due_later_is_done_after_a_sleep() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut guest = Guest::new(open());
    let socket = guest.add_tcp(1 << 16);
    guest.call(socket, seen(listener.local_addr().unwrap()), 50_000);
    guest.until(LIMIT, "a connection", |guest| guest.tcp(socket).may_send());
    let _stream = listener.accept().unwrap();
    let acknowledged = |guest: &mut Guest| {
        thread::sleep(Duration::from_millis(20));
        let before = guest.uplink.counters().frames_in;
        guest.tcp(socket).send_slice(&[1; 64]).unwrap();
        guest.until(LIMIT, "an acknowledgement", |guest| guest.tcp(socket).send_queue() == 0);
        guest.uplink.counters().frames_in == before + 1
    };
    assert!((0..100).any(|_| acknowledged(&mut guest)), "all were sent again");
}

#[test]
fn a_published_port_that_is_taken_is_told_and_the_others_go_on() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let publish = ["0:1".to_owned(), format!("{port}:2"), "192.0.2.1:0:3".to_owned(), "0:4/udp".to_owned()]
        .map(|word| word.parse().unwrap());
    let uplink = Uplink::start(Settings { publish: publish.to_vec(), ..Settings::default() }, |_| true).unwrap();
    assert_eq!(uplink.published().iter().map(|(publish, _)| publish.guest).collect::<Vec<_>>(), [1, 4]);
    let told: Vec<String> = uplink.problems().iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 2);
    assert!(told[0].starts_with(&format!("port {port} of 127.0.0.1 cannot be published: Address already in use")));
    assert!(told[1].starts_with("port 0 of 192.0.2.1 cannot be published: Cannot assign requested address"));
    // When it has stopped, its ports are free again.
    let first = uplink.published()[0].1;
    drop(uplink);
    TcpListener::bind(first).unwrap();
}
