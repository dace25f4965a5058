//! The switch: where frames go, what it learns and forgets, and what it does not do however much comes.

use base::{Clock, Tod};
use net::{Capture, Delivery, LONGEST, Mac, Port, Rules, Settings, Switch, Vlan};
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use support::Random;

/// A clock that is moved by hand, in seconds.
#[derive(Default)]
struct Seconds(AtomicU64);

impl Clock for Seconds {
    fn now(&self) -> Tod {
        Tod::from_unix_nanos(self.0.load(SeqCst) * 1_000_000_000)
    }
}

fn switch() -> (Arc<Seconds>, Switch) {
    let clock = Arc::new(Seconds::default());
    (clock.clone(), Switch::new(clock))
}

fn mac(n: u8) -> Mac {
    Mac([2, 0, 0, 0, 0, n])
}

fn port(switch: &Switch, settings: Settings) -> Port {
    let port = switch.port(settings);
    port.set_up(true);
    port
}

fn frame(to: Mac, from: Mac, content: &[u8]) -> Vec<u8> {
    [&to.0[..], &from.0, &[8, 0], content].concat()
}

/// What waits at a port.
fn all(port: &Port) -> Vec<Vec<u8>> {
    let mut frames = Vec::new();
    let mut frame = Vec::new();
    while port.receive(&mut frame) {
        frames.push(frame.clone());
    }
    frames
}

fn counts(ports: &[&Port]) -> Vec<usize> {
    ports.iter().map(|port| all(port).len()).collect()
}

#[test]
fn what_is_known_goes_to_one_port_and_else_to_all() {
    let (clock, switch) = switch();
    let [a, b, c] = [0; 3].map(|_| port(&switch, Settings::default()));
    assert_eq!(a.send(&frame(mac(2), mac(1), b"x")), Delivery { delivered: 2, dropped: 0, waits: false });
    assert_eq!(counts(&[&a, &b, &c]), [0, 1, 1]);
    b.send(&frame(mac(1), mac(2), b"y"));
    assert_eq!(counts(&[&a, &b, &c]), [1, 0, 0]);
    a.send(&frame(Mac([0xff; 6]), mac(1), b"all"));
    a.send(&frame(Mac([0x33, 0x33, 0, 0, 0, 1]), mac(1), b"a group"));
    a.send(&frame(Mac([1, 0x80, 0xc2, 0, 0, 0xe]), mac(1), b"of the link"));
    assert_eq!(counts(&[&a, &b, &c]), [0, 2, 2]);
    // To itself: nothing else wants it.
    assert_eq!(a.send(&frame(mac(1), mac(1), b"")).delivered, 0);

    // It moves to another port, and grows old.
    c.send(&frame(mac(1), mac(2), b"moved"));
    a.send(&frame(mac(2), mac(1), b"z"));
    assert_eq!(counts(&[&a, &b, &c]), [1, 0, 1]);
    clock.0.store(299, SeqCst);
    a.send(&frame(mac(2), mac(1), b"z"));
    assert_eq!(counts(&[&b, &c]), [0, 1]);
    clock.0.store(300, SeqCst);
    a.send(&frame(mac(2), mac(1), b"z"));
    assert_eq!((counts(&[&b, &c]), switch.addresses()), (vec![1, 1], 2));
    clock.0.store(310, SeqCst);
    a.send(&frame(mac(2), mac(1), b"z"));
    assert_eq!((counts(&[&b, &c]), switch.addresses()), (vec![1, 1], 1), "it is forgotten by and by");
    drop(a);
    assert_eq!((switch.addresses(), switch.ports()), (0, 2));
}

#[test]
fn isolation_and_copies_of_all() {
    let (_, switch) = switch();
    let [a, b] = [0; 2].map(|_| port(&switch, Settings::default()));
    let out = port(&switch, Settings { uplink: true, ..Settings::default() });
    let ear = port(&switch, Settings { promiscuous: true, ..Settings::default() });
    switch.set_rules(Rules { isolated: true });
    let broadcast = Mac([0xff; 6]);
    a.send(&frame(broadcast, mac(1), b""));
    out.send(&frame(broadcast, mac(9), b""));
    assert_eq!(counts(&[&a, &b, &out, &ear]), [1, 1, 1, 2]);
    out.send(&frame(mac(1), mac(9), b""));
    a.send(&frame(mac(9), mac(1), b""));
    b.send(&frame(mac(1), mac(2), b"it is known, and not for them"));
    assert_eq!(counts(&[&a, &b, &out, &ear]), [1, 0, 1, 3]);
    switch.set_rules(Rules::default());
    b.send(&frame(mac(1), mac(2), b""));
    assert_eq!(counts(&[&a, &b, &out, &ear]), [1, 0, 0, 1]);
}

#[test]
fn vlans_keep_frames_apart() {
    let (_, switch) = switch();
    let of = |vlan| port(&switch, Settings { vlan, ..Settings::default() });
    let [a, b, c] = [10, 10, 20].map(|vlan| of(Vlan::Access(vlan)));
    let trunk = of(Vlan::Trunk { native: 20, allowed: [10, 30].into_iter().collect() });
    let plain = of(Vlan::Unaware);
    let broadcast = Mac([0xff; 6]);
    a.send(&frame(broadcast, mac(1), b"ten"));
    assert_eq!(all(&b), [frame(broadcast, mac(1), b"ten")]);
    assert_eq!(counts(&[&c, &plain]), [0, 0]);
    let tagged = [&[0xff; 6][..], &mac(1).0, &[0x81, 0, 0, 10, 8, 0], b"ten"].concat();
    assert_eq!(all(&trunk), [tagged]);
    c.send(&frame(broadcast, mac(3), b"twenty"));
    assert_eq!(all(&trunk), [frame(broadcast, mac(3), b"twenty")], "its native VLAN has no tag");
    // Back, with a priority that only a tag can keep.
    let answer = [&mac(1).0[..], &mac(4).0, &[0x81, 0, 0x60, 10, 8, 0], b"back"].concat();
    trunk.send(&answer);
    assert_eq!(all(&a), [frame(mac(1), mac(4), b"back")]);
    trunk.send(&frame(broadcast, mac(5), b"native"));
    assert_eq!(counts(&[&a, &b, &c, &plain]), [0, 0, 1, 0]);
    // VLANs that are not theirs.
    let other = [&[0xff; 6][..], &mac(4).0, &[0x81, 0, 0, 40, 8, 0], b"forty"].concat();
    trunk.send(&other);
    a.send(&other);
    assert_eq!((trunk.counters().refused, a.counters().refused), (1, 1));
    assert_eq!(counts(&[&a, &b, &c, &plain]), [0, 0, 0, 0]);
    // A port that has nothing to do with VLANs lets tags pass.
    let second = of(Vlan::Unaware);
    plain.send(&other);
    assert_eq!(all(&second), [other]);
    a.set(Settings { vlan: Vlan::Access(20), ..Settings::default() });
    a.send(&frame(broadcast, mac(1), b"moved"));
    assert_eq!(counts(&[&b, &c]), [0, 1]);
}

#[test]
fn a_port_may_be_held_to_one_address() {
    let (_, switch) = switch();
    let a = port(&switch, Settings { only: Some(mac(1)), ..Settings::default() });
    let b = port(&switch, Settings::default());
    a.send(&frame(mac(2), mac(1), b""));
    a.send(&frame(mac(2), mac(7), b"forged"));
    assert_eq!((all(&b).len(), a.counters().refused, a.counters().sent), (1, 1, 1));
}

#[test]
fn a_flood_finds_bounds() {
    let (_, switch) = switch();
    let [a, b] = [0; 2].map(|_| port(&switch, Settings::default()));
    let rung = Arc::new(AtomicUsize::new(0));
    let ring = rung.clone();
    b.on_frames(move || _ = ring.fetch_add(1, SeqCst));
    // Each from another address, to one that no port has.
    for n in 0..100_000u32 {
        let [_, x, y, z] = n.to_be_bytes();
        a.send(&frame(Mac([0xff; 6]), Mac([2, 1, 1, x, y, z]), &[0; 50]));
    }
    let counters = b.counters();
    assert_eq!((counters.received, counters.dropped, switch.addresses()), (4096, 95_904, 1024));
    assert_eq!(rung.load(SeqCst), 1, "it was told once");
    assert_eq!(all(&b).len(), 4096);
    let long = frame(mac(2), mac(1), &vec![0; LONGEST - 14]);
    let delivered: usize = (0..1000).map(|_| a.send(&long).delivered).sum();
    assert_eq!((delivered, rung.load(SeqCst)), ((4 << 20) / (LONGEST + 4), 2));
    a.send(&frame(mac(2), mac(1), &vec![0; LONGEST]));
    a.send(&[2; 13]);
    a.send(&[]);
    assert_eq!(a.counters().refused, 3);
    // Nothing is there that takes them.
    b.set_up(false);
    assert!(!b.has_frames());
    a.on_room(|| ());
    let nowhere = Delivery { delivered: 0, dropped: 1, waits: false };
    assert_eq!(a.send(&frame(mac(2), mac(1), b"")), nowhere, "there will not be room");
}

/// A hundred stations ask each other, and one floods all others (P-14): those that take what comes are not starved.
#[test]
fn a_hundred_stations_ask_each_other_through_a_storm() {
    let (_, switch) = switch();
    let ports: Vec<Port> = (0..100).map(|_| port(&switch, Settings::default())).collect();
    let everyone = Mac([0xff; 6]);
    for (n, station) in ports.iter().enumerate() {
        assert_eq!(station.send(&frame(everyone, mac(n as u8), b"here")).delivered, 99);
    }
    assert!(ports.iter().all(|station| all(station).len() == 99));
    for (n, station) in ports.iter().enumerate() {
        for other in (0..100).filter(|&other| other != n) {
            let question = frame(mac(other as u8), mac(n as u8), b"?");
            assert_eq!(station.send(&question).delivered, 1, "{n} knows where {other} is");
            assert_eq!(all(&ports[other]), [question]);
            assert_eq!(ports[other].send(&frame(mac(n as u8), mac(other as u8), b"!")).delivered, 1);
            assert_eq!(all(station).len(), 1);
        }
    }
    // Station 0 floods. Station 99 takes nothing, and the others do from time to time.
    for round in 0..200 {
        for _ in 0..100 {
            ports[0].send(&frame(everyone, mac(0), &[0; 1000]));
        }
        let (n, other) = (1 + round % 97, 2 + round % 97);
        assert_eq!(ports[n].send(&frame(mac(other as u8), mac(n as u8), b"?")).delivered, 1);
        for (n, station) in ports.iter().enumerate().take(99).skip(1) {
            let came = all(station);
            assert_eq!(came.len(), 100 + usize::from(n == other), "{n} in round {round}");
        }
    }
    let [one, deaf] = [1, 99].map(|n| ports[n].counters());
    assert_eq!((one.dropped, deaf.received + deaf.dropped), (0, 99 + 2 * 99 + 20_000));
    assert_eq!(deaf.dropped, 20_000 - all(&ports[99]).len() as u64);
}

#[test]
fn a_sender_is_told_when_there_is_room_again() {
    let (_, switch) = switch();
    let [a, b, c] = [0; 3].map(|_| port(&switch, Settings::default()));
    b.send(&frame(mac(1), mac(2), b"here I am"));
    let told = Arc::new(AtomicUsize::new(0));
    let tell = told.clone();
    a.on_room(move || _ = tell.fetch_add(1, SeqCst));
    let full = |from: &Port, waits: bool| {
        let sent = frame(mac(2), mac(1), b"much");
        while from.send(&sent).delivered > 0 {}
        assert_eq!(from.send(&sent), Delivery { delivered: 0, dropped: 1, waits });
    };
    full(&a, true);
    assert_eq!(b.counters().dropped, 0, "it will be sent again");
    let mut taken = Vec::new();
    for n in 0..4096 {
        assert_eq!(told.load(SeqCst), usize::from(n >= 2048), "{n}");
        assert!(b.receive(&mut taken));
    }
    assert_eq!(told.load(SeqCst), 1);
    full(&a, true);
    b.set_up(false);
    assert_eq!(told.load(SeqCst), 2, "what was to be sent again goes nowhere");
    b.set_up(true);
    // Others just lose their frames, and so do those to all.
    let all_of = frame(Mac([0xff; 6]), mac(1), b"");
    while a.send(&all_of).dropped == 0 {}
    full(&c, false);
    assert_eq!((c.counters().dropped, b.counters().dropped, told.load(SeqCst)), (1, 2, 2));
}

#[derive(Clone, Default)]
struct File(Arc<Mutex<Vec<u8>>>);

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut file = self.0.lock().unwrap();
        if file.len() > 400 {
            return Err(io::Error::other("the file is full"));
        }
        file.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The blocks of a capture: kind and body, after their lengths were found right.
fn blocks(mut file: &[u8]) -> Vec<(u32, Vec<u8>)> {
    let word = |at: &[u8]| u32::from_be_bytes(at[..4].try_into().unwrap());
    let mut blocks = Vec::new();
    while !file.is_empty() {
        let length = word(&file[4..]) as usize;
        assert_eq!((length % 4, word(&file[length - 4..]) as usize), (0, length));
        blocks.push((word(file), file[8..length - 4].to_vec()));
        file = &file[length..];
    }
    blocks
}

#[test]
fn a_capture_has_what_went_by() {
    let (clock, switch) = switch();
    let [a, b] = [0; 2].map(|_| port(&switch, Settings::default()));
    let file = File::default();
    assert!(a.capture(Some(Capture::new(Box::new(file.clone()), "LINUX 1000").unwrap())).is_none());
    clock.0.store(5, SeqCst);
    let (one, two) = (frame(mac(2), mac(1), b"one"), frame(mac(1), mac(2), b"two!!"));
    a.send(&one);
    b.send(&two);
    a.send(b"no frame");
    let found = blocks(&file.0.lock().unwrap());
    let kinds: Vec<u32> = found.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, [0x0a0d_0d0a, 1, 6, 6]);
    assert_eq!(found[0].1[..8], [0x1a, 0x2b, 0x3c, 0x4d, 0, 1, 0, 0]);
    assert_eq!(found[1].1[..2], [0, 1]);
    for ((_, packet), (sent, flags)) in found[2..].iter().zip([(&one, 2), (&two, 1)]) {
        assert_eq!(packet[4..12], 5_000_000_000u64.to_be_bytes());
        assert_eq!(packet[12..20], [sent.len() as u32; 2].map(u32::to_be_bytes).concat());
        assert_eq!(packet[20..20 + sent.len()], sent[..]);
        let options = &packet[(20 + sent.len()).next_multiple_of(4)..];
        assert_eq!(options, [0, 2, 0, 4, 0, 0, 0, flags, 0, 0, 0, 0]);
    }
    // When the file is full the capture ends, and frames go on.
    (0..10).for_each(|_| assert_eq!(a.send(&one).delivered, 1));
    assert!(a.capture(None).is_none());
}

/// The same frames, by a seed, give the same counters; and what a port gets is what a plain model says.
#[test]
fn frames_by_chance_go_where_a_model_says() {
    let run = |seed: u64| {
        let (clock, switch) = switch();
        let ports: Vec<Port> = (0..6).map(|_| port(&switch, Settings::default())).collect();
        let mut heard = std::collections::HashMap::new();
        let mut random = Random::seeded(seed);
        for _ in 0..20_000 {
            clock.0.fetch_add(random.below(8), SeqCst);
            let now = clock.0.load(SeqCst);
            let (from, to, at) = (random.below(9), random.below(9), random.below(6usize));
            let broken = random.one_in(20);
            let sent = if broken { random.bytes(13) } else { frame(mac(to), mac(from), &random.bytes(9)) };
            ports[at].send(&sent);
            if !broken {
                heard.insert(from, (at, now));
            }
            let known = heard.get(&to).filter(|(_, last)| now - last < 300).map(|(port, _)| *port);
            for (n, port) in ports.iter().enumerate() {
                let wants = !broken && n != at && known.is_none_or(|known| known == n);
                assert_eq!(all(port), if wants { vec![sent.clone()] } else { vec![] }, "seed {seed}");
            }
        }
        ports.iter().map(Port::counters).collect::<Vec<_>>()
    };
    assert_eq!(run(7), run(7));
    assert_ne!(run(7), run(8));
}
