//! Sockets between a program and its host: a random program, and a random host, move bytes over connections.

use arch::virtio::{SocketHeader, socket_flag as flag, socket_operation as operation};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use support::Random;
use virtio::{Event, HOST, Ports, ROOM, Sockets};

const GUEST: u64 = 3;

/// What the program knows of a connection.
#[derive(Default)]
struct End {
    open: bool,
    sent: u32,
    taken: u32,
    received: u32,
    handed_on: u32,
    room: u32,
}

fn header(what: u16, ports: Ports, end: &End, length: usize, flags: u32) -> SocketHeader {
    SocketHeader {
        from: GUEST.into(),
        to: HOST.into(),
        from_port: ports.guest.into(),
        to_port: ports.host.into(),
        length: (length as u32).into(),
        kind: 1.into(),
        operation: what.into(),
        flags: flags.into(),
        room: 8192.into(),
        handed_on: end.handed_on.into(),
    }
}

/// The byte at a place of a stream.
fn byte(ports: Ports, n: u32, way: u32) -> u8 {
    (n.wrapping_mul(7) ^ n >> 8 ^ ports.guest ^ way) as u8
}

#[test]
#[allow(clippy::too_many_lines, reason = "one random step of each kind, and what both sides then see")]
fn bytes_arrive_in_order_and_there_is_always_room() {
    let mut random = Random::seeded(5);
    let mut sockets = Sockets::new(GUEST as u32);
    let mut ends: BTreeMap<Ports, End> = BTreeMap::new();
    // Of each connection, bytes that the host has seen and sent, and those that wait to leave.
    let mut seen: BTreeMap<Ports, (u32, u32, u32)> = BTreeMap::new();
    let (mut data, mut moved, mut opened) = (Vec::new(), [0u64; 2], 0);
    for step in 0..100_000 {
        let known: Vec<Ports> = ends.keys().copied().collect();
        let some = (!known.is_empty()).then(|| random.pick(&known));
        match (random.below(12), some) {
            (0, _) if known.len() < 20 => {
                let ports = Ports { host: 22, guest: 1024 + random.below(60_000u32) };
                if let Entry::Vacant(end) = ends.entry(ports) {
                    sockets.packet(&header(operation::REQUEST, ports, &End::default(), 0, 0), &[]);
                    end.insert(End::default());
                }
            }
            (1, _) if known.len() < 20 => {
                let ports = sockets.connect(80).unwrap();
                seen.insert(ports, (0, 0, 0));
            }
            // The program sends as much as there is room for.
            (2 | 3, Some(ports)) => {
                let end = ends.get_mut(&ports).unwrap();
                let credit = end.room - end.sent.wrapping_sub(end.taken);
                let count = random.below(20_000u32).min(credit);
                if end.open && count > 0 {
                    let bytes: Vec<u8> = (0..count).map(|n| byte(ports, end.sent + n, 1)).collect();
                    sockets.packet(&header(operation::DATA, ports, end, bytes.len(), 0), &bytes);
                    end.sent += count;
                }
            }
            // The program hands bytes on, and says so.
            (4, Some(ports)) => {
                let end = ends.get_mut(&ports).unwrap();
                if end.open {
                    end.handed_on = end.received;
                    sockets.packet(&header(operation::CREDIT, ports, end, 0, 0), &[]);
                }
            }
            (5, Some(ports)) if random.one_in(50) => {
                let end = ends.remove(&ports).unwrap();
                let both = flag::SENDS_NO_MORE | flag::TAKES_NO_MORE;
                let what = if end.open && random.one_in(2) { operation::SHUTDOWN } else { operation::RESET };
                sockets.packet(&header(what, ports, &end, 0, both), &[]);
            }
            (6, _) => {
                for (ports, (_, sent, _)) in seen.iter_mut().filter(|(ports, _)| ends.contains_key(ports)) {
                    let count = random.below(9000u32);
                    let bytes: Vec<u8> = (0..count).map(|n| byte(*ports, *sent + n, 2)).collect();
                    *sent += sockets.send(*ports, &bytes) as u32;
                }
            }
            (7, _) => {
                for (ports, (_, _, waiting)) in &mut seen {
                    sockets.handed_on(*ports, std::mem::take(waiting) as usize);
                }
            }
            _ => {}
        }
        while let Some(event) = sockets.event() {
            match event {
                Event::Asked(ports) if random.one_in(5) => {
                    sockets.reset(ports);
                }
                Event::Asked(ports) => {
                    sockets.accept(ports);
                    seen.insert(ports, (0, 0, 0));
                }
                Event::Data(ports, bytes) => {
                    let (received, _, waiting) = seen.get_mut(&ports).unwrap();
                    assert!(
                        bytes.iter().enumerate().all(|(n, b)| *b == byte(ports, *received + n as u32, 1)),
                        "{step}"
                    );
                    *received += bytes.len() as u32;
                    *waiting += bytes.len() as u32;
                    moved[0] += bytes.len() as u64;
                }
                Event::Gone(ports) => _ = seen.remove(&ports),
                Event::Taken(_) | Event::Room(_) | Event::Ended(_) => {}
            }
        }
        for _ in 0..random.below(6) {
            let Some(said) = sockets.next(4096, &mut data) else { break };
            let ports = Ports { host: said.from_port.get(), guest: said.to_port.get() };
            assert_eq!((said.from.get(), said.to.get(), said.length.get() as usize), (HOST, GUEST, data.len()));
            match said.operation.get() {
                operation::REQUEST => {
                    let end = End { open: true, room: said.room.get(), ..End::default() };
                    sockets.packet(&header(operation::RESPONSE, ports, &end, 0, 0), &[]);
                    ends.insert(ports, end);
                    opened += 1;
                    continue;
                }
                operation::RESET => {
                    ends.remove(&ports);
                    continue;
                }
                _ => {}
            }
            // What the program has dropped may still be on its way.
            let Some(end) = ends.get_mut(&ports) else { continue };
            (end.room, end.taken) = (said.room.get(), said.handed_on.get());
            assert_eq!(end.room, ROOM);
            match said.operation.get() {
                operation::RESPONSE => (end.open, opened) = (true, opened + 1),
                operation::DATA => {
                    assert!(
                        data.iter().enumerate().all(|(n, b)| *b == byte(ports, end.received + n as u32, 2)),
                        "{step}"
                    );
                    end.received += data.len() as u32;
                    moved[1] += data.len() as u64;
                    assert!(end.received - end.handed_on <= 8192);
                }
                operation::CREDIT => {}
                other => panic!("{other}"),
            }
        }
    }
    assert!(opened > 100 && moved[0] > 5_000_000 && moved[1] > 1_000_000, "{opened} {moved:?}");
}

#[test]
fn one_that_sends_more_than_there_is_room_for_is_dropped() {
    let mut sockets = Sockets::new(GUEST as u32);
    let (ports, end) = (Ports { host: 1, guest: 2 }, End::default());
    sockets.packet(&header(operation::REQUEST, ports, &end, 0, 0), &[]);
    sockets.accept(ports);
    let bytes = vec![0; ROOM as usize];
    sockets.packet(&header(operation::DATA, ports, &end, bytes.len(), 0), &bytes);
    assert_eq!(sockets.count(), 1);
    sockets.packet(&header(operation::DATA, ports, &end, 1, 0), &[0]);
    assert_eq!(sockets.count(), 0);
    // Connections are bounded, and so is what is said about those that there are not.
    for guest in 0..5000 {
        sockets.packet(&header(operation::REQUEST, Ports { host: 1, guest }, &end, 0, 0), &[]);
    }
    assert_eq!((sockets.count(), sockets.connect(5)), (512, None));
    let mut data = Vec::new();
    let said = std::iter::from_fn(|| sockets.next(100, &mut data)).count();
    assert!(said <= 1024, "{said}");
    sockets.clear();
    assert_eq!((sockets.count(), sockets.has_packets()), (0, false));
}

#[test]
fn both_sides_may_end_one_direction() {
    let mut sockets = Sockets::new(GUEST as u32);
    let (ports, end) = (Ports { host: 1, guest: 2 }, End::default());
    let mut data = Vec::new();
    sockets.packet(&header(operation::REQUEST, ports, &end, 0, 0), &[]);
    sockets.accept(ports);
    sockets.send(ports, b"last");
    sockets.end(ports);
    let said: Vec<u16> =
        std::iter::from_fn(|| sockets.next(100, &mut data).map(|header| header.operation.get())).collect();
    assert_eq!(said, [operation::RESPONSE, operation::DATA, operation::SHUTDOWN]);
    sockets.packet(&header(operation::SHUTDOWN, ports, &end, 0, flag::SENDS_NO_MORE), &[]);
    assert_eq!(sockets.count(), 1);
    sockets.packet(&header(operation::SHUTDOWN, ports, &end, 0, flag::TAKES_NO_MORE), &[]);
    assert_eq!(sockets.count(), 0);
    let events: Vec<Event> = std::iter::from_fn(|| sockets.event()).collect();
    assert_eq!(events, [Event::Asked(ports), Event::Ended(ports), Event::Gone(ports)]);
    assert_eq!(sockets.next(100, &mut data).unwrap().operation.get(), operation::RESET);
}
