//! Connections through the gateway: a guest's stack on one side, made-up servers and callers on the other.

mod world;

use nat::{Event, Settings};
use smoltcp::iface::SocketHandle;
use smoltcp::socket::tcp;
use std::net::SocketAddr;
use std::time::Duration;
use support::Random;
use world::{Lab, at, pattern, port};

const SECOND: Duration = Duration::from_secs(1);

/// A server outside.
fn server(port: u16) -> SocketAddr {
    SocketAddr::new("192.0.2.80".parse().unwrap(), port)
}

fn server6(port: u16) -> SocketAddr {
    SocketAddr::new("2001:db8::80".parse().unwrap(), port)
}

/// Calls, and waits until the connection is there.
fn connect(lab: &mut Lab, to: SocketAddr, from: u16, buffer: usize) -> SocketHandle {
    let socket = lab.add_tcp(buffer);
    lab.call(socket, to, from);
    lab.until(30 * SECOND, "a connection", |lab| lab.tcp(socket).may_send());
    socket
}

/// Sends so much of the pattern as the socket takes; gives how much was sent in all.
fn send(lab: &mut Lab, socket: SocketHandle, sent: u64, total: u64) -> u64 {
    let took = lab.tcp(socket).send(|space| {
        let count = space.len().min((total - sent) as usize);
        for (number, byte) in space[..count].iter_mut().enumerate() {
            *byte = pattern(sent + number as u64);
        }
        (count, count)
    });
    sent + took.unwrap_or(0) as u64
}

/// Reads what is there; gives how much was read in all.
fn receive(lab: &mut Lab, socket: SocketHandle, mut got: u64) -> u64 {
    while lab.tcp(socket).can_recv() {
        let count = lab.tcp(socket).recv(|bytes| {
            for (number, &byte) in bytes.iter().enumerate() {
                assert_eq!(byte, pattern(got + number as u64), "at {}", got + number as u64);
            }
            (bytes.len(), bytes.len())
        });
        got += count.unwrap() as u64;
    }
    got
}

/// Sends to a sink, and reads from a source.
fn both_ways(lab: &mut Lab, to_sink: SocketAddr, to_source: SocketAddr, total: u64, buffer: usize) {
    lab.world.supply = total;
    let up = connect(lab, to_sink, 40_001, buffer);
    let down = connect(lab, to_source, 40_002, buffer);
    let (mut sent, mut got) = (0, 0);
    lab.until(3_600 * SECOND, "bytes both ways", |lab| {
        sent = send(lab, up, sent, total);
        got = receive(lab, down, got);
        let taken = lab.world.socks.values().find(|sock| sock.to == to_sink).map_or(0, |sock| sock.total);
        got == total && taken == total
    });
    lab.tcp(up).close();
    lab.tcp(down).close();
    lab.until(120 * SECOND, "an end", |lab| lab.nat.flows() == 1);
    // The sink has heard of the end, and ends too.
    let (&number, sock) = lab.world.socks.iter_mut().next().unwrap();
    assert!(sock.finished);
    sock.ends = true;
    lab.world.events.push_back((nat::FlowId::from_number(number), Event::Readable));
    lab.until(120 * SECOND, "the other end", |lab| lab.nat.flows() == 0);
    assert!(lab.world.socks.is_empty());
    assert_eq!(lab.nat.memory(), 0);
    let counters = lab.nat.counters();
    assert_eq!((counters.tcp_bytes_out, counters.tcp_bytes_in), (total, total));
}

#[test]
fn bytes_go_both_ways() {
    let mut lab = Lab::new(1, Settings::default());
    both_ways(&mut lab, server(port::SINK), server(port::SOURCE), 20_000_000, 1 << 17);
    assert_eq!(lab.nat.counters().tcp_again, 0);
    assert_eq!(lab.nat.counters().tcp_disorder, 0);
}

#[test]
fn bytes_go_both_ways_in_large_packets_and_by_ipv6() {
    let mut lab = Lab::new(2, Settings { mtu: 65_520, segment: 65_520, ..Settings::default() });
    both_ways(&mut lab, server6(port::SINK), server6(port::SOURCE), 20_000_000, 1 << 20);
    assert_eq!(lab.nat.counters().tcp_again, 0);
}

#[test]
fn a_host_that_takes_crumbs_and_a_guest_with_a_short_queue_lose_nothing() {
    let mut refused = 0;
    for seed in 1..=8 {
        let mut lab = Lab::new(seed, Settings::default());
        lab.world.bite = 1 + lab.world.random.below(5_000usize);
        lab.world.queue = 1 + lab.world.random.below(4usize);
        let buffer = 1 << (9 + lab.world.random.below(10usize));
        both_ways(&mut lab, server(port::SINK), server(port::SOURCE), 300_000, buffer);
        refused += lab.world.refused_frames;
        assert_eq!(lab.nat.counters().tcp_again, 0, "seed {seed}: what was refused was not sent");
    }
    assert!(refused > 1_000, "{refused}");
}

#[test]
fn a_link_that_loses_frames_loses_no_bytes() {
    let mut again = 0;
    for seed in 1..=8 {
        let mut lab = Lab::new(seed, Settings::default());
        lab.loss = 20 + 30 * seed;
        lab.step = Duration::from_millis(1);
        both_ways(&mut lab, server(port::SINK), server(port::SOURCE), 400_000, 1 << 16);
        again += lab.nat.counters().tcp_again;
        // No loss waits for the question after five silent minutes.
        assert!(lab.world.now < 150 * SECOND, "seed {seed}: {:?}", lab.world.now);
    }
    assert!(again > 20, "{again}");
}

#[test]
fn an_echo_is_whole_after_the_guest_has_closed_its_half() {
    let mut lab = Lab::new(1, Settings::default());
    let socket = connect(&mut lab, server(port::ECHO), 40_000, 1 << 14);
    let total = 1_000_000;
    let (mut sent, mut got) = (0, 0);
    lab.until(60 * SECOND, "an echo", |lab| {
        if sent < total {
            sent = send(lab, socket, sent, total);
            if sent == total {
                lab.tcp(socket).close();
            }
        }
        got = receive(lab, socket, got);
        got == total && !lab.tcp(socket).may_recv()
    });
    lab.until(60 * SECOND, "an end", |lab| lab.nat.flows() == 0);
    assert!(lab.world.socks.is_empty());
}

#[test]
fn a_host_that_closes_first_may_still_be_sent_to() {
    let mut lab = Lab::new(1, Settings::default());
    lab.world.supply = 5_000;
    let socket = connect(&mut lab, server(port::SOURCE), 40_000, 1 << 14);
    let mut got = 0;
    lab.until(SECOND, "all, and the end", |lab| {
        got = receive(lab, socket, got);
        got == 5_000 && !lab.tcp(socket).may_recv()
    });
    assert_eq!(lab.nat.flows(), 1);
    assert_eq!(send(&mut lab, socket, 0, 1_000), 1_000);
    lab.until(SECOND, "bytes after the end", |lab| lab.world.socks.values().next().unwrap().total == 1_000);
    lab.tcp(socket).close();
    lab.until(SECOND, "the end", |lab| lab.nat.flows() == 0);
}

#[test]
fn refusals_reach_the_guest() {
    let mut lab = Lab::new(1, Settings::default());
    for (to, what) in [
        (server(port::REFUSED), "a reset"),
        (server6(port::REFUSED), "a reset"),
        (at("10.0.2.2:80"), "the host's loopback is not reached"),
        (at("10.0.2.3:80"), "the server for names has no other port"),
    ] {
        let socket = lab.add_tcp(4_096);
        lab.call(socket, to, 40_000);
        lab.until(5 * SECOND, what, |lab| lab.tcp(socket).state() == tcp::State::Closed);
        lab.sockets.remove(socket);
    }
    assert_eq!(lab.nat.counters().tcp_refused, 4);
    assert_eq!(lab.nat.counters().host_refused, 1);
    // What cannot be reached is told by ICMP, of which this guest's TCP takes no notice.
    for to in [server(port::UNREACHABLE), at("127.0.0.1:22"), at("10.0.2.77:22"), at("0.0.0.0:22")] {
        let before = lab.nat.counters().icmp_errors;
        let socket = lab.add_tcp(4_096);
        if to.ip().is_unspecified() {
            continue;
        }
        lab.call(socket, to, 40_000);
        if to == at("10.0.2.77:22") {
            // No gateway is asked for what is on the link.
            lab.pass(SECOND);
        } else {
            lab.until(5 * SECOND, "an error", |lab| lab.nat.counters().icmp_errors > before);
        }
        lab.tcp(socket).abort();
        lab.pass(SECOND);
        lab.sockets.remove(socket);
    }
    assert_eq!(lab.nat.flows(), 0);
    assert!(lab.world.socks.is_empty());
}

#[test]
fn with_host_access_the_gateway_is_the_loopback() {
    let mut lab = Lab::new(1, Settings { host_access: true, ..Settings::default() });
    let _four = connect(&mut lab, at("10.0.2.2:9"), 40_000, 4_096);
    let _six = connect(&mut lab, at("[fd00::2]:9"), 40_000, 4_096);
    let mut reached: Vec<_> = lab.world.socks.values().map(|sock| sock.to).collect();
    reached.sort();
    assert_eq!(reached, [at("127.0.0.1:9"), at("[::1]:9")]);
}

#[test]
fn a_break_on_either_side_is_a_reset_on_the_other() {
    let mut lab = Lab::new(1, Settings::default());
    let socket = connect(&mut lab, server(port::BREAKS), 40_000, 4_096);
    assert_eq!(send(&mut lab, socket, 0, 1), 1);
    lab.until(SECOND, "a reset", |lab| lab.tcp(socket).state() == tcp::State::Closed);
    let socket = connect(&mut lab, server(port::SINK), 40_001, 4_096);
    lab.tcp(socket).abort();
    lab.until(SECOND, "a reset", |lab| lab.nat.flows() == 0);
    assert_eq!(lab.world.closed.last().unwrap().1, nat::Close::Reset);
    assert!(lab.world.socks.is_empty());
}

#[test]
fn a_reader_that_stops_costs_no_more_than_its_window() {
    let mut lab = Lab::new(1, Settings::default());
    lab.world.supply = 100_000_000;
    let down = connect(&mut lab, server(port::SOURCE), 40_000, 1 << 16);
    let up = connect(&mut lab, server(port::SINK), 40_001, 1 << 20);
    lab.world.slow = true;
    let mut sent = 0;
    for _ in 0..100_000 {
        sent = send(&mut lab, up, sent, 100_000_000);
        lab.step();
    }
    // The guest's window one way, ours the other, rounded up by the buffers.
    assert!(lab.nat.memory() <= 3 << 20, "{}", lab.nat.memory());
    assert!(lab.nat.counters().tcp_bytes_out <= 512 << 10);
    // An hour later both go on.
    lab.step = Duration::from_millis(10);
    lab.pass(3_600 * SECOND);
    lab.step = Duration::from_micros(100);
    assert_eq!(lab.nat.flows(), 2);
    lab.world.slow = false;
    let mut got = 0;
    lab.until(60 * SECOND, "more", |lab| {
        sent = send(lab, up, sent, 5_000_000);
        got = receive(lab, down, got);
        got >= 1_000_000 && lab.nat.counters().tcp_bytes_out >= 4_000_000
    });
}

#[test]
fn calls_for_the_guest_arrive() {
    let mut lab = Lab::new(1, Settings::default());
    let socket = lab.add_tcp(1 << 16);
    lab.tcp(socket).listen(22).unwrap();
    // The guest has said nothing yet: it is looked for.
    let now = lab.world.now;
    let flow = lab.nat.accepted(now, 22, at("127.0.0.1:55555"), &mut lab.world).unwrap();
    let sock = world::Sock::stream(at("127.0.0.1:55555"));
    lab.world.socks.insert(flow.number(), sock);
    lab.until(2 * SECOND, "a call", |lab| lab.tcp(socket).may_send());
    // A caller on the host looks like the gateway.
    assert_eq!(SocketAddr::from(lab.tcp(socket).remote_endpoint().unwrap()), at("10.0.2.2:55555"));
    let give: Vec<u8> = (0..100_000).map(pattern).collect();
    lab.world.socks.get_mut(&flow.number()).unwrap().give.extend(give);
    lab.world.events.push_back((flow, Event::Readable));
    let (mut got, mut sent) = (0, 0);
    lab.until(2 * SECOND, "bytes both ways", |lab| {
        got = receive(lab, socket, got);
        sent = send(lab, socket, sent, 50_000);
        got == 100_000 && lab.world.socks[&flow.number()].total == 50_000
    });
    lab.world.socks.get_mut(&flow.number()).unwrap().ends = true;
    lab.world.events.push_back((flow, Event::Readable));
    lab.until(SECOND, "the end", |lab| !lab.tcp(socket).may_recv());
    lab.tcp(socket).close();
    lab.until(SECOND, "the end", |lab| lab.nat.flows() == 0);
}

#[test]
fn a_call_for_a_port_without_a_program_is_refused_and_one_for_no_guest_ends() {
    let mut lab = Lab::new(1, Settings::default());
    let now = lab.world.now;
    let flow = lab.nat.accepted(now, 80, at("198.51.100.1:1234"), &mut lab.world).unwrap();
    lab.world.socks.insert(flow.number(), world::Sock::stream(at("198.51.100.1:1234")));
    lab.until(2 * SECOND, "a refusal", |lab| lab.nat.flows() == 0);
    assert_eq!(lab.world.closed.last().unwrap(), &(flow.number(), nat::Close::Reset));
    // No guest at all.
    let mut lab = Lab::without_address(1, Settings::default());
    let now = lab.world.now;
    let flow = lab.nat.accepted(now, 80, at("198.51.100.1:1234"), &mut lab.world).unwrap();
    lab.world.socks.insert(flow.number(), world::Sock::stream(at("198.51.100.1:1234")));
    lab.step = Duration::from_millis(10);
    lab.until(60 * SECOND, "an end", |lab| lab.nat.flows() == 0);
    assert_eq!(lab.world.closed.last().unwrap(), &(flow.number(), nat::Close::Reset));
}

#[test]
fn a_guest_that_was_started_anew_can_use_its_ports_again() {
    let mut lab = Lab::new(1, Settings::default());
    let old = connect(&mut lab, server(port::SINK), 40_000, 4_096);
    lab.sockets.remove(old);
    let mut new = Lab::new(2, Settings::default());
    std::mem::swap(&mut new.face, &mut lab.face);
    let socket = connect(&mut lab, server(port::SINK), 40_000, 4_096);
    assert_eq!(lab.nat.flows(), 1);
    assert_eq!(send(&mut lab, socket, 0, 100), 100);
    lab.until(SECOND, "bytes", |lab| lab.world.socks.values().next().unwrap().total == 100);
    // Connections that it does not know any more are found out in time.
    lab.sockets.remove(socket);
    lab.step = Duration::from_millis(50);
    lab.until(400 * SECOND, "an end", |lab| lab.nat.flows() == 0);
}

#[test]
fn a_flood_of_calls_is_bounded_and_ends_no_settled_connection() {
    let mut lab = Lab::new(1, Settings::default());
    let settled = connect(&mut lab, server(port::SINK), 1_000, 4_096);
    let mut flood = world::Flood::new(7);
    for number in 0..100_000u32 {
        let frame = flood.call(server(port::SILENT), number);
        let now = lab.world.now;
        lab.nat.frame(now, &frame, &mut lab.world);
    }
    while lab.nat.run(lab.world.now, &mut lab.world) {}
    assert_eq!(lab.nat.flows(), 4_096);
    assert_eq!(lab.world.socks.len(), 4_096);
    assert_eq!(lab.nat.counters().evicted, 100_000 + 1 - 4_096);
    assert!(lab.nat.memory() <= 4_096);
    assert_eq!(send(&mut lab, settled, 0, 100), 100);
    lab.until(SECOND, "bytes", |lab| lab.world.socks.values().any(|sock| sock.total == 100));
}

#[test]
fn memory_is_bounded_by_the_longest_idle_connections() {
    let settings = Settings { memory: 4 << 20, ..Settings::default() };
    let mut lab = Lab::new(1, settings);
    lab.world.slow = true;
    let mut sockets = Vec::new();
    for number in 0..100u16 {
        sockets.push((connect(&mut lab, server(port::SINK), 2_000 + number, 1 << 17), 0));
    }
    for _ in 0..2_000 {
        for (socket, sent) in &mut sockets {
            *sent = send(&mut lab, *socket, *sent, u64::MAX);
        }
        lab.step();
        assert!(lab.nat.memory() <= 4 << 20);
    }
    assert!(lab.nat.flows() >= 20, "{}", lab.nat.flows());
    lab.world.slow = false;
    lab.pass(SECOND);
    assert!(lab.nat.memory() <= 1 << 20, "{}", lab.nat.memory());
}

/// ENDICOTT_CONNECTIONS=1000000 is the long form.
#[test]
fn ten_thousand_short_connections_leave_nothing() {
    let connections = std::env::var("ENDICOTT_CONNECTIONS").map_or(10_000, |number| number.parse().expect("a number"));
    let mut lab = Lab::new(1, Settings::default());
    lab.world.supply = 200;
    let mut random = Random::seeded(5);
    let mut done = 0u32;
    let mut running: Vec<(SocketHandle, u64)> = Vec::new();
    let mut next = 1_024u16;
    while done < connections {
        while running.len() < 50 {
            let socket = lab.add_tcp(1_024);
            lab.call(socket, server(port::SOURCE), next);
            next = if next == u16::MAX { 1_024 } else { next + 1 };
            running.push((socket, 0));
        }
        lab.step();
        running.retain_mut(|(socket, got)| {
            *got = receive(&mut lab, *socket, *got);
            if *got == 200 && !lab.tcp(*socket).may_recv() {
                match random.one_in(4) {
                    true => lab.tcp(*socket).abort(),
                    false => lab.tcp(*socket).close(),
                }
                lab.step();
                lab.step();
                lab.sockets.remove(*socket);
                done += 1;
                return false;
            }
            true
        });
    }
    for (socket, _) in running {
        lab.tcp(socket).abort();
    }
    lab.pass(SECOND);
    assert_eq!(lab.nat.flows(), 0, "{:?}", lab.nat.counters());
    assert!(lab.world.socks.is_empty());
    assert_eq!(lab.nat.memory(), 0);
}
