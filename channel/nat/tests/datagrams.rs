//! Datagrams and names through the gateway.

mod world;

use nat::Settings;
use smoltcp::iface::SocketHandle;
use smoltcp::socket::udp;
use smoltcp::wire::{DnsFlags, DnsPacket, DnsQueryType, DnsQuestion, DnsRcode, DnsRecord, DnsRecordData};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;
use world::{Lab, at, port};

const SECOND: Duration = Duration::from_secs(1);

fn bind(lab: &mut Lab, from: u16) -> SocketHandle {
    let socket = lab.add_udp();
    lab.sockets.get_mut::<udp::Socket<'_>>(socket).bind(from).unwrap();
    socket
}

fn say(lab: &mut Lab, socket: SocketHandle, to: SocketAddr, data: &[u8]) {
    let socket = lab.sockets.get_mut::<udp::Socket<'_>>(socket);
    socket.send_slice(data, smoltcp::wire::IpEndpoint::from(to)).unwrap();
}

fn hear(lab: &mut Lab, socket: SocketHandle) -> Option<(SocketAddr, Vec<u8>)> {
    let socket = lab.sockets.get_mut::<udp::Socket<'_>>(socket);
    let (data, from) = socket.recv().ok()?;
    Some((from.endpoint.into(), data.to_vec()))
}

fn wait(lab: &mut Lab, socket: SocketHandle, what: &str) -> (SocketAddr, Vec<u8>) {
    let mut heard = None;
    lab.until(10 * SECOND, what, |lab| {
        heard = hear(lab, socket);
        heard.is_some()
    });
    heard.unwrap()
}

#[test]
fn datagrams_come_back_whole() {
    let mut lab = Lab::new(1, Settings::default());
    for (number, to) in [at("192.0.2.1:7"), at("[2001:db8::1]:7")].into_iter().enumerate() {
        let socket = bind(&mut lab, 5_000 + number as u16);
        // smoltcp does not cut up what it sends by IPv6.
        let lengths = if to.is_ipv4() { &[0, 1, 1_472, 1_473, 9_000, 60_000][..] } else { &[1, 1_232][..] };
        for &length in lengths {
            let data: Vec<u8> = (0..length).map(|at: usize| (at * 7) as u8).collect();
            say(&mut lab, socket, to, &data);
            assert_eq!(wait(&mut lab, socket, "an echo"), (to, data));
        }
    }
    assert_eq!(lab.nat.flows(), 2);
    assert_eq!(lab.nat.counters().udp_flows, 2);
    // 300 seconds after the last answer the flows are gone, and their sockets.
    lab.step = SECOND;
    lab.pass(290 * SECOND);
    assert_eq!(lab.nat.flows(), 2);
    lab.pass(15 * SECOND);
    assert_eq!(lab.nat.flows(), 0);
    assert!(lab.world.socks.is_empty());
}

#[test]
fn a_flow_without_an_answer_goes_after_thirty_seconds() {
    let mut lab = Lab::new(1, Settings::default());
    let socket = bind(&mut lab, 5_000);
    say(&mut lab, socket, at("192.0.2.1:9"), b"nothing");
    lab.until(SECOND, "a flow", |lab| lab.nat.flows() == 1);
    lab.step = SECOND / 10;
    lab.pass(29 * SECOND);
    assert_eq!(lab.nat.flows(), 1);
    lab.pass(2 * SECOND);
    assert_eq!(lab.nat.flows(), 0);
}

#[test]
fn a_thousand_flows_do_not_mix() {
    let mut lab = Lab::new(1, Settings::default());
    let socket = bind(&mut lab, 5_000);
    for number in 0..1_000u32 {
        let to = SocketAddr::from(([192, 0, 2 + (number / 250) as u8, (number % 250) as u8 + 1], 7));
        say(&mut lab, socket, to, &number.to_be_bytes());
        assert_eq!(wait(&mut lab, socket, "an echo"), (to, number.to_be_bytes().to_vec()));
    }
    assert_eq!(lab.nat.flows(), 1_000);
}

#[test]
fn what_is_not_outside_is_not_reached() {
    let mut lab = Lab::new(1, Settings::default());
    let socket = bind(&mut lab, 5_000);
    for to in ["10.0.2.2:7", "10.0.2.3:7", "127.0.0.1:7", "192.0.2.1:1"] {
        let before = lab.nat.counters().icmp_errors;
        say(&mut lab, socket, at(to), b"x");
        lab.until(5 * SECOND, to, |lab| lab.nat.counters().icmp_errors > before);
    }
    say(&mut lab, socket, at("224.0.0.251:5353"), b"x");
    say(&mut lab, socket, at("10.0.2.255:7"), b"x");
    lab.pass(SECOND / 10);
    assert_eq!(lab.world.opened, 1);
    assert_eq!(lab.nat.counters().host_refused, 1);
}

#[test]
fn published_datagrams_arrive_and_answers_go_to_their_callers() {
    let mut lab = Lab::new(1, Settings::default());
    let socket = bind(&mut lab, 53);
    let (one, two, far) = (at("127.0.0.1:4000"), at("[::1]:4000"), at("198.51.100.9:4000"));
    // The first datagram finds no guest, and makes the gateway look for it.
    let now = lab.world.now;
    lab.nat.datagram(now, 3, 53, one, b"lost", &mut lab.world);
    lab.pass(SECOND / 10);
    for (peer, data) in [(one, &b"one"[..]), (two, b"two"), (far, b"far"), (one, b"one again")] {
        let now = lab.world.now;
        lab.nat.datagram(now, 3, 53, peer, data, &mut lab.world);
        let (from, heard) = wait(&mut lab, socket, "a datagram");
        assert_eq!(heard, data);
        let expected = if peer == far { far } else { at("10.0.2.2:4000") };
        assert!(from.ip() == expected.ip() && (from == expected || peer == two), "{from}");
        say(&mut lab, socket, from, data);
        lab.until(SECOND, "an answer", |lab| lab.world.replies.last().is_some_and(|reply| reply.1 == peer));
        assert_eq!(lab.world.replies.pop(), Some((3, peer, data.to_vec())));
    }
    assert_eq!(lab.nat.flows(), 3);
}

/// A question in the form of the wire.
fn question(id: u16, name: &str, kind: DnsQueryType) -> Vec<u8> {
    let mut labels = Vec::new();
    for label in name.split('.') {
        labels.push(label.len() as u8);
        labels.extend(label.bytes());
    }
    labels.push(0);
    let question = DnsQuestion { name: &labels, type_: kind };
    let mut bytes = vec![0; 12 + question.buffer_len()];
    let mut packet = DnsPacket::new_unchecked(&mut bytes[..]);
    packet.set_transaction_id(id);
    packet.set_flags(DnsFlags::RECURSION_DESIRED);
    packet.set_question_count(1);
    question.emit(packet.payload_mut());
    bytes
}

/// The code of an answer, and the address in it.
fn read(answer: &[u8], id: u16) -> (DnsRcode, Option<IpAddr>) {
    let packet = DnsPacket::new_checked(answer).unwrap();
    assert_eq!(packet.transaction_id(), id);
    assert!(packet.flags().contains(DnsFlags::RESPONSE));
    let (rest, _) = DnsQuestion::parse(packet.payload()).unwrap();
    let found = (packet.answer_record_count() == 1).then(|| {
        let (rest, record) = DnsRecord::parse(rest).unwrap();
        assert!(rest.is_empty());
        match record.data {
            DnsRecordData::A(address) => IpAddr::V4(address),
            DnsRecordData::Aaaa(address) => IpAddr::V6(address),
            other => panic!("{other:?}"),
        }
    });
    (packet.rcode(), found)
}

#[test]
fn names_of_the_host_and_of_guests_are_known_here() {
    let mut lab = Lab::new(1, Settings::default());
    lab.pass(SECOND / 100);
    let socket = bind(&mut lab, 5_000);
    let four = Some(at("10.0.2.2:0").ip());
    let six = Some(at("[fd00::2]:0").ip());
    for (number, (name, kind, expected)) in [
        ("host.endicott", DnsQueryType::A, (DnsRcode::NoError, four)),
        ("HOST.Endicott", DnsQueryType::A, (DnsRcode::NoError, four)),
        ("host.endicott", DnsQueryType::Aaaa, (DnsRcode::NoError, six)),
        ("host.endicott", DnsQueryType::Soa, (DnsRcode::NoError, None)),
        ("nosuch.endicott", DnsQueryType::A, (DnsRcode::NXDomain, None)),
    ]
    .into_iter()
    .enumerate()
    {
        for server in ["10.0.2.3:53", "[fd00::3]:53"] {
            say(&mut lab, socket, at(server), &question(number as u16, name, kind));
            let (from, answer) = wait(&mut lab, socket, name);
            assert_eq!((from, read(&answer, number as u16)), (at(server), expected), "{name}");
        }
    }
    assert_eq!(lab.nat.counters().dns_local, 10);
    assert_eq!(lab.world.opened, 0);
}

#[test]
fn other_names_are_asked_of_the_resolvers_in_turn() {
    let mut lab = Lab::new(1, Settings::default());
    // The first refuses, the second is silent, the third answers: the made-up host echoes, so the question comes back.
    lab.world.resolvers = vec![at("192.0.2.1:1"), at("192.0.2.2:9"), at("192.0.2.3:7")];
    let socket = bind(&mut lab, 5_000);
    let server = at("10.0.2.3:53");
    let began = lab.world.now;
    let mut asked = question(77, "www.example.org", DnsQueryType::A);
    say(&mut lab, socket, server, &asked);
    lab.until(4 * SECOND, "the third resolver", |lab| lab.world.opened == 3);
    assert!(lab.world.now - began < 3 * SECOND);
    // An echo is no answer; a response with another number is none either.
    lab.pass(SECOND / 10);
    assert!(hear(&mut lab, socket).is_none());
    let (&number, sock) = lab.world.socks.iter_mut().next().unwrap();
    asked[2] |= 0x80;
    let mut wrong = asked.clone();
    wrong[1] ^= 1;
    sock.datagrams.extend([wrong, asked.clone()]);
    let flow = nat::FlowId::from_number(number);
    lab.world.events.push_back((flow, nat::Event::Readable));
    assert_eq!(wait(&mut lab, socket, "an answer"), (server, asked));
    assert_eq!(lab.nat.flows(), 0);
    assert!(lab.world.socks.is_empty());
}

#[test]
fn resolvers_that_are_down_are_a_failure_in_less_than_five_seconds() {
    for resolvers in [vec![], vec![at("192.0.2.1:1")], vec![at("192.0.2.2:9")]] {
        let mut lab = Lab::new(1, Settings::default());
        lab.world.resolvers = resolvers;
        let socket = bind(&mut lab, 5_000);
        say(&mut lab, socket, at("10.0.2.3:53"), &question(5, "www.example.org", DnsQueryType::A));
        let began = lab.world.now;
        let (_, answer) = wait(&mut lab, socket, "a failure");
        assert!(lab.world.now - began < 5 * SECOND);
        assert_eq!(read(&answer, 5), (DnsRcode::ServFail, None));
        assert_eq!(lab.nat.flows(), 0);
        assert_eq!(lab.nat.counters().dns_failed, 1);
    }
}

#[test]
fn a_flood_of_questions_is_bounded() {
    let mut lab = Lab::new(1, Settings::default());
    lab.world.resolvers = vec![at("192.0.2.2:9")];
    let socket = bind(&mut lab, 5_000);
    for number in 0..5_000 {
        let asked = question(number, "www.example.org", DnsQueryType::A);
        say(&mut lab, socket, at("10.0.2.3:53"), &asked);
        lab.step();
        hear(&mut lab, socket);
        assert!(lab.nat.flows() <= 512);
    }
    lab.step = SECOND / 10;
    lab.pass(10 * SECOND);
    assert_eq!(lab.nat.flows(), 0);
    assert_eq!(lab.nat.counters().dns_failed, lab.nat.counters().dns_forwarded);
    let _ = port::ECHO;
}
