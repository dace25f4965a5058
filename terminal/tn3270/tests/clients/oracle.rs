//! `s3270` as the judge of `Screen`: both are sent the same random data streams, and must hold the same screen
//! and send the same answers to reads.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::Duration;
use support::Random;

use crate::server::installed;
use tn3270::datastream::{Attribute, Size, Wcc, code, command};
use tn3270::{Config, Event, Screen, Session};

/// A terminal at the other end of a socket, asked and answering in turn.
struct Terminal {
    socket: TcpStream,
    session: Session,
}

impl Terminal {
    /// The next event of the client.
    fn event(&mut self) -> Event {
        let mut buffer = [0; 65536];
        loop {
            if let Some(event) = self.session.next_event() {
                return event;
            }
            self.socket.write_all(&self.session.take_output()).expect("a client that listens");
            let n = self.socket.read(&mut buffer).expect("a client that answers");
            assert!(n > 0, "the client has gone");
            self.session.receive(&buffer[..n]);
        }
    }

    /// Sends a read command and returns the answer.
    fn read(&mut self, command: u8) -> Vec<u8> {
        self.session.send_3270(&[command]);
        match self.event() {
            Event::Inbound(record) => record,
            other => panic!("no answer to a read: {other:?}"),
        }
    }

    /// Sends a record and waits until the client has obeyed it.
    fn write(&mut self, record: &[u8]) -> Event {
        self.session.send_3270_confirmed(record).expect("a client that responds");
        self.event()
    }
}

/// A random write that both sides understand.
fn write(random: &mut Random, size: Size) -> Vec<u8> {
    let commands = [command::W, command::W, command::EWA, command::W, command::EAU, command::W];
    let command = random.pick(&commands);
    let mut record = vec![command];
    if command == command::EAU {
        return record;
    }
    record.push([Wcc::NONE, Wcc::UNLOCK, Wcc::NONE.restore()][random.below(3)].byte());
    let attributes = |random: &mut Random| {
        let attribute = Attribute::from_byte(random.byte()).byte();
        [(0xc0, attribute), (0x41, [0, 0xf1, 0xf2, 0xf4][random.below(4)]), (0x42, 0xf1 + random.below(7) as u8)]
    };
    for _ in 0..random.below(40) {
        let address = size.encode(random.below(size.positions()));
        match random.below(14) {
            0..3 => record.extend([[code::SBA].as_slice(), &address].concat()),
            3..5 => record.extend([code::SF, Attribute::from_byte(random.byte()).byte()]),
            5 | 6 => {
                let pairs = attributes(random);
                let count = random.below(4) as usize;
                record.extend([if random.one_in(3) { code::MF } else { code::SFE }, count as u8]);
                pairs[..count].iter().for_each(|&(kind, value)| record.extend([kind, value]));
            }
            7 => {
                let pair = attributes(random)[1 + random.below(2) as usize];
                record.extend([code::SA, pair.0, pair.1]);
            }
            8 => record.extend([[code::RA].as_slice(), &address, &[0xc1 + random.below(9) as u8]].concat()),
            // After SBA: s3270 looks up there, and not after PT, whether it stands in a protected field.
            9 => {
                let from = size.encode(random.below(size.positions()));
                record.extend([[code::SBA].as_slice(), &from, &[code::EUA], &address].concat());
            }
            10 => record.push(code::IC),
            // After data only: elsewhere, where the search comes back to where it began, s3270 stays there and does
            // not go to 0 as the manual says.
            11 => record.extend([0x81, code::PT]),
            _ => (0..random.below(30))
                .for_each(|_| record.push(if random.one_in(8) { 0 } else { 0x81 + random.below(9) as u8 })),
        }
    }
    record
}

fn compare(model: &str, rounds: u32, seed: u64) {
    if !installed("s3270", "-v") {
        return;
    }
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a loopback port");
    let port = listener.local_addr().expect("the port").port();
    let mut client = Command::new("s3270")
        .args(["-model", model, &format!("127.0.0.1:{port}")])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("s3270 starts");
    let (socket, _) = listener.accept().expect("a client");
    socket.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
    let mut terminal = Terminal { socket, session: Session::new(Config::default()) };
    assert!(matches!(terminal.event(), Event::Ready(_)));
    let size = terminal.session.display().expect("a display").size();
    let mut screen = Screen::new(Size::new(24, 80), size);
    let mut random = Random::seeded(seed);
    let mut history = Vec::new();
    for round in 0..rounds {
        let record = if round == 0 {
            vec![command::EWA, Wcc::UNLOCK.byte()]
        } else if random.one_in(10) {
            match random.below(3) {
                2 => vec![command::WSF, 0, 7, 9, 0, 2, 0x41, 0x42],
                mode => vec![command::WSF, 0, 5, 9, 0, mode as u8],
            }
        } else {
            write(&mut random, size)
        };
        screen.apply(&record).unwrap_or_else(|e| panic!("{e}: {record:02x?}"));
        let answer = terminal.write(&record);
        assert!(matches!(answer, Event::Response { .. }), "{answer:?} to {record:02x?}");
        if record[0] == command::EWA {
            history.clear();
        }
        history.push(record);
        for command in [command::RB, command::RM, command::RMA] {
            let ours = screen.apply(&[command]).expect("a read").reply.expect("its answer");
            let theirs = terminal.read(command);
            if ours != theirs {
                let at = ours.iter().zip(&theirs).take_while(|(a, b)| a == b).count();
                panic!(
                    "round {round}, read X'{command:02X}', differs at {at}:\n ours  {:02x?}\n theirs {:02x?}\n after \
                     {:02x?}\n before that {history:02x?}",
                    &ours[at.saturating_sub(6)..ours.len().min(at + 12)],
                    &theirs[at.saturating_sub(6)..theirs.len().min(at + 12)],
                    history.pop()
                );
            }
        }
    }
    drop(client.stdin.take());
    // It ends when its input does; if not, it is ended.
    let _ = client.kill();
    let _ = client.wait();
}

#[test]
fn the_same_screen_on_a_model_2() {
    compare("2", 500, 0x3270_0002);
}

#[test]
fn the_same_screen_on_a_model_5() {
    compare("5", 400, 0x3270_0005);
}
