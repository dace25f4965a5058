//! Whatever comes in, nothing panics or hangs, and the rules hold. Seeded: every run is the same.

use support::Random;
use tn3270::datastream::{QueryReply, Size, order};
use tn3270::{Aid, Config, Event, Functions, Inbound, Reject, Screen, Session};

/// Bytes that are likely to mean something: `alphabet`, now and then anything.
fn likely(random: &mut Random, length: usize, alphabet: &[u8]) -> Vec<u8> {
    (0..length).map(|_| if random.one_in(4) { random.byte() } else { random.pick(alphabet) }).collect()
}

/// Changes, cuts, repeats or inserts a few bytes.
fn mutate(random: &mut Random, bytes: &mut Vec<u8>) {
    for _ in 0..random.below(4) {
        if bytes.is_empty() {
            return;
        }
        let (at, to) = (random.below(bytes.len()), random.below(bytes.len()));
        match random.below(5) {
            0 => bytes[at] = random.byte(),
            1 => bytes[at] ^= 1 << random.below(8),
            2 => bytes.insert(at, random.byte()),
            3 => bytes.truncate(at),
            _ => {
                let piece = bytes[at.min(to)..at.max(to)].to_vec();
                bytes.extend(piece);
            }
        }
    }
}

const TELNET: [u8; 24] =
    [255, 255, 255, 255, 254, 253, 252, 251, 250, 240, 239, 244, 243, 245, 40, 24, 25, 0, 1, 2, 3, 7, 13, 10];
const STREAM: [u8; 24] = [
    0xf1, 0xf5, 0x7e, 0xf3, 0xf2, 0xf6, 0x6e, 0x6f, 0x11, 0x1d, 0x29, 0x28, 0x2c, 0x13, 0x05, 0x3c, 0x12, 0x08, 0x00,
    0x40, 0xc1, 0x42, 0xc0, 0x03,
];

/// Clients that behave, as raw bytes.
fn clients() -> Vec<Vec<u8>> {
    let text = |parts: &[&[u8]]| parts.concat();
    vec![
        text(&[
            &[255, 251, 40, 255, 250, 40, 2, 7],
            b"IBM-3278-2-E\x01GRAF01",
            &[255, 240, 255, 250, 40, 3, 7, 0, 2, 4, 255, 240, 0, 0, 0, 0, 0],
            &Screen::new(Size::new(24, 80), Size::new(43, 80)).query_reply(),
            &[255, 239, 2, 0, 0, 0, 1, 0, 255, 239, 0, 0, 0, 0, 0, 0x7d, 0x40, 0x40, 0x11, 0x40, 0x41, 0xc1, 255, 239],
            &[255, 243, 255, 245, 7, 0, 0, 0, 0, 0x81, 255, 239],
        ]),
        text(&[
            &[255, 252, 40, 255, 251, 24, 255, 250, 24, 0],
            b"IBM-3279-3",
            &[255, 240, 255, 251, 25, 255, 253, 25, 255, 251, 0, 255, 253, 0, 0x6d, 255, 239],
            &[0x7d, 0x5d, 0x7f, 0x11, 0x40, 0x41, 0xc1, 0xc2, 255, 239, 255, 244],
        ]),
        text(&[
            &[255, 252, 40, 255, 251, 24, 255, 250, 24, 0],
            b"XTERM",
            &[255, 240, 255, 250, 24, 0],
            b"XTERM",
            &[255, 240],
            b"logon maint\r\n",
            &[255, 253, 1],
            b"secret\r\n",
            &[255, 244, 255, 253, 6],
        ]),
    ]
}

/// Feeds `stream` in random pieces; returns all output and all events, having checked the rules.
fn run(random: &mut Random, config: &Config, stream: &[u8], act: bool) -> (Vec<u8>, Vec<Event>) {
    let names = |asked: Option<&str>| match asked {
        Some("GRAF02") => Err(Reject::DeviceInUse),
        name => Ok(name.unwrap_or("L0001").to_string()),
    };
    let mut session = Session::with_names(config.clone(), Box::new(names));
    let (mut out, mut events) = (session.take_output(), Vec::new());
    let mut rest = stream;
    while !rest.is_empty() {
        let (now, later) = rest.split_at(1 + random.below(rest.len()));
        rest = later;
        session.receive(now);
        if act {
            match random.below(12) {
                0 => session.silence(),
                1 => session.send_3270(&[0xf5, 0xc3, 0xff]),
                2 => drop(session.send_3270_confirmed(&[0xf1, 0xc3])),
                3 => session.send_text("text\n"),
                4 => session.set_echo(random.one_in(2)),
                5 => session.keep_alive(),
                _ => {}
            }
        }
        events.extend(std::iter::from_fn(|| session.next_event()));
        out.extend(session.take_output());
    }
    let ready = |e: &Event| matches!(e, Event::Ready(_));
    let closed = |e: &Event| matches!(e, Event::Closed(_));
    assert!(events.iter().filter(|e| ready(e)).count() <= 1);
    assert!(events.first().is_none_or(|e| ready(e) || closed(e)), "{:?}", events[0]);
    assert_eq!(events.iter().position(closed), session.is_closed().then(|| events.len() - 1));
    // The bind, the query and a few answers; then not more than an answer per command.
    assert!(out.len() <= 400 + 60 * stream.len(), "{} bytes for {}", out.len(), stream.len());
    (out, events)
}

fn configs() -> [Config; 4] {
    [
        Config::default(),
        Config { query: false, ..Config::default() },
        Config { tn3270e: false, ..Config::default() },
        Config { functions: Functions::NONE, ..Config::default() },
    ]
}

#[test]
fn sessions_survive_noise() {
    let mut random = Random::seeded(0x6465_6661_756c_7401);
    for round in 0..20_000 {
        let length = random.below(120);
        let stream = likely(&mut random, length, &TELNET);
        run(&mut random, &configs()[round % 4], &stream, true);
    }
}

#[test]
fn sessions_survive_clients_that_err() {
    let mut random = Random::seeded(0x6d75_7461_7465_6401);
    let clients = clients();
    for round in 0..40_000 {
        let mut stream = clients[random.below(clients.len())].clone();
        mutate(&mut random, &mut stream);
        if random.one_in(8) {
            stream.extend(&clients[random.below(clients.len())]);
        }
        let config = &configs()[round % 4];
        run(&mut random, config, &stream, true);
        // Cut otherwise, the same stream has the same effect.
        assert_eq!(run(&mut random, config, &stream, false), run(&mut random, config, &stream, false));
    }
}

#[test]
fn parsers_survive_noise() {
    let mut random = Random::seeded(0x7061_7273_6572_7301);
    for _ in 0..60_000 {
        let length = random.below(60);
        let mut record = likely(&mut random, length, &STREAM);
        if random.one_in(4) {
            record.insert(0, 0x88);
        }
        if let Ok(inbound) = Inbound::parse(&record) {
            QueryReply::all(&inbound);
            let mut screen = Screen::new(Size::new(2, 10), Size::new(3, 12));
            screen.accept(&inbound);
        }
        assert!(order::Orders::new(&record).count() <= record.len());
    }
}

#[test]
fn screens_survive_noise() {
    let mut random = Random::seeded(0x7363_7265_656e_7301);
    let mut screen = Screen::new(Size::new(2, 10), Size::new(3, 12));
    for _ in 0..60_000 {
        let length = 1 + random.below(30);
        let mut record = likely(&mut random, length, &STREAM);
        if random.one_in(2) {
            // Addresses on this small screen, so that orders get further than the first.
            for at in 0..record.len().saturating_sub(2) {
                if matches!(record[at], 0x11 | 0x3c | 0x12) {
                    record[at + 1] = 0;
                    record[at + 2] %= 36;
                }
            }
        }
        if let Ok(effect) = screen.apply(&record)
            && let Some(reply) = effect.reply
        {
            Inbound::parse(&reply).map(|inbound| screen.accept(&inbound)).ok();
        }
        match random.below(8) {
            0 => screen.tab(),
            1 => drop(screen.type_text("text")),
            2 => drop(screen.press(Aid::from_byte(record[0]))),
            3 => screen.set_cursor(random.byte().into()),
            _ => {}
        }
        assert!(screen.text().lines().count() <= screen.size().rows as usize);
        assert!(screen.cursor() < screen.size().positions());
        // What a screen sends can be read, and shows the same on another screen.
        Inbound::parse(&screen.read_modified(Aid::Enter)).expect("a Read Modified");
    }
}
